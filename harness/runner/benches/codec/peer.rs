//! The codec of another engine, as a command: what it is asked, what it answers, and how the two compare.
//!
//! On its standard input a peer gets lines of words with a space between them:
//!
//! | line | what |
//! |---|---|
//! | `protocol NAME` | `fte`, `fitz666`, `r1q2`, `nvs` or `pygg2` |
//! | `rounds N` | how often to encode, and how often to decode |
//! | `entity N` | what follows is of this entity; ascending |
//! | `field NAME BEFORE AFTER` | a field of it, by its name in scenarios, in both frames; all others are 0. PyGG2's as the wire has them |
//! | `frame HEX` | the frame in its bytes, as the reference encodes it: to be decoded |
//!
//! It answers on its standard output:
//!
//! | line | what |
//! |---|---|
//! | `encode NS HEX` | nanoseconds for all rounds, and the frame that it made |
//! | `decode NS` | nanoseconds for all rounds |
//! | `entity N`, `field NAME VALUE` | what it decoded; what it leaves out is not compared |

use super::frames::{Codec, ENTITIES};
use std::fmt::Write;
use std::io::{Read, Write as _};
use std::process::{Command, ExitCode, Stdio};

/// The wall clock. What it says is printed, and decides nothing.
#[expect(clippy::disallowed_types, clippy::disallowed_methods, reason = "a benchmark measures wall time")]
fn nanoseconds(act: impl FnOnce()) -> u128 {
    let begin = std::time::Instant::now();
    act();
    begin.elapsed().as_nanos()
}

/// Says why, if there was an error.
pub fn exit(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// What a peer is asked.
fn question(codec: &dyn Codec, rounds: u32, frame: &[u8]) -> String {
    let mut text = format!("protocol {}\nrounds {rounds}\n", codec.name());
    let [before, after] = codec.frames();
    for (number, (before, after)) in (1..).zip(before.into_iter().zip(after)) {
        writeln!(text, "entity {number}").expect("writes to memory");
        for ((name, before), (_, after)) in before.into_iter().zip(after) {
            writeln!(text, "field {name} {before} {after}").expect("writes to memory");
        }
    }
    writeln!(text, "frame {}", hex(frame)).expect("writes to memory");
    text
}

/// Answers as a peer: with the reference's own codec, whatever the entities are that it is given.
///
/// # Errors
/// The question has no rounds or no frame.
pub fn serve(mut codec: Box<dyn Codec>) -> Result<(), String> {
    let mut asked = String::new();
    std::io::stdin().read_to_string(&mut asked).map_err(|error| error.to_string())?;
    let value = |key: &str| asked.lines().find_map(|line| line.strip_prefix(key));
    let rounds: u32 = value("rounds ").and_then(|rounds| rounds.parse().ok()).ok_or("no rounds")?;
    let frame = value("frame ").and_then(unhex).ok_or("no frame")?;
    let mut out = Vec::with_capacity(frame.len());
    let encoding = nanoseconds(|| {
        for _ in 0..rounds {
            out.clear();
            codec.encode(std::hint::black_box(&mut out));
        }
    });
    let decoding = nanoseconds(|| (0..rounds).for_each(|_| codec.decode(std::hint::black_box(&frame))));
    let mut text = format!("encode {encoding} {}\ndecode {decoding}\n", hex(&out));
    for (number, entity) in (1..).zip(codec.decoded()) {
        writeln!(text, "entity {number}").expect("writes to memory");
        entity.iter().try_for_each(|(name, value)| writeln!(text, "field {name} {value}")).expect("writes to memory");
    }
    std::io::stdout().write_all(text.as_bytes()).map_err(|error| error.to_string())
}

/// Asks the peer that the environment names for this protocol, if it names one, and prints what both take.
///
/// # Errors
/// The peer cannot be run, answers in another form, or decodes something else.
pub fn compare(mut codec: Box<dyn Codec>, rounds: u32) -> Result<(), String> {
    let variable = format!("CODEC_PEER_{}", codec.name().to_uppercase());
    let Ok(command) = std::env::var(&variable) else { return Ok(()) };
    let mut frame = Vec::new();
    codec.encode(&mut frame);
    let answer = ask(&command, &question(&*codec, rounds, &frame)).map_err(|error| format!("{variable}: {error}"))?;
    let line = |key: &str| {
        let found = answer.lines().find_map(|line| line.strip_prefix(key));
        found.ok_or_else(|| format!("{variable}: `{command}` answers without a line `{key}…`"))
    };
    let per_entity = |text: &str| {
        let total: f64 = text.parse().map_err(|_| format!("{variable}: `{text}` is no number of nanoseconds"))?;
        Ok::<f64, String>(total / f64::from(rounds) / f64::from(ENTITIES))
    };
    let (encoding, made) = line("encode ")?.split_once(' ').unwrap_or_default();
    let (encoding, decoding) = (per_entity(encoding)?, per_entity(line("decode ")?)?);
    check_decoded(&answer, &*codec).map_err(|error| format!("{variable}: {error}"))?;
    let same = if unhex(made).is_some_and(|made| made == frame) { "the same bytes" } else { "other bytes" };
    println!("{:8} peer: encodes in {encoding:.1} ns per entity ({same}), decodes in {decoding:.1} ns", codec.name());
    Ok(())
}

/// What a peer says that it decoded is what was encoded.
fn check_decoded(answer: &str, codec: &dyn Codec) -> Result<(), String> {
    let [_, wanted] = codec.frames();
    let mut entity = 0usize;
    for line in answer.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["entity", number] => entity = number.parse().map_err(|_| format!("no number: {line}"))?,
            ["field", name, value] => {
                let fields = entity.checked_sub(1).and_then(|index| wanted.get(index));
                let fields = fields.ok_or_else(|| format!("there is no entity {entity}"))?;
                let field = fields.iter().find(|field| field.0 == name);
                let wanted = field.ok_or_else(|| format!("entity {entity} was given no field {name}"))?.1;
                if value.parse() != Ok(wanted) {
                    return Err(format!("decodes {name} {value} of entity {entity}; {wanted} is right"));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Runs a command with this on its standard input; what it writes on its standard output.
fn ask(command: &str, question: &str) -> Result<String, String> {
    let mut words = shlex::split(command).ok_or("quotes do not match")?.into_iter();
    let program = words.next().ok_or("no command")?;
    let mut child = Command::new(&program)
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{program}: {error}"))?;
    let mut input = child.stdin.take().ok_or("no standard input")?;
    input.write_all(question.as_bytes()).map_err(|error| format!("{program}: {error}"))?;
    drop(input);
    let output = child.wait_with_output().map_err(|error| format!("{program}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{program}: {}", output.status));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("{program}: {error}"))
}
