//! Which mutants do not build: the compiler says, and they are left out.

use crate::copy::{self, Folders};
use crate::schema::{Piece, Schema, Source};
use crate::targets::Target;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};

/// More rounds than errors ever hide after others.
const MAX_ROUNDS: usize = 80;

/// What keeps a copy from being built.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    /// A file or a process.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// No mutant is to blame for an error.
    #[error("the copy does not build, and no mutant is to blame:\n{0}")]
    Foreign(String),
    /// The errors do not end.
    #[error("after {MAX_ROUNDS} rounds mutants still do not build")]
    Rounds,
}

/// Writes the workspace, drops what does not build, and builds the rest. Returns the numbers that were dropped; `known`
/// are those that an earlier build of the same sources has dropped. Each round is reported to `progress`.
///
/// # Errors
/// What keeps the copy from being built.
pub fn build(
    folders: &Folders,
    target: &Target,
    sources: &[Source],
    known: BTreeSet<u32>,
    progress: &dyn Fn(&str),
) -> Result<BTreeSet<u32>, Failed> {
    let mut dropped = known;
    copy::write(folders, target)?;
    for round in 1..=MAX_ROUNDS {
        let schemas = copy::write_schemas(folders, sources, &dropped)?;
        let (good, messages) = cargo(folders, &["check", "-p", &format!("{}-mutated", target.protocol)])?;
        if good {
            progress("building");
            let (good, messages) = cargo(folders, &["build", "--release", "-p", &copy::runner(target.protocol)])?;
            return if good { Ok(dropped) } else { Err(Failed::Foreign(rendered(&messages))) };
        }
        let before = dropped.len();
        for message in &messages {
            let blamed = blame(message, &schemas, sources);
            if blamed.is_empty() {
                continue;
            }
            dropped.extend(blamed);
        }
        progress(&format!("round {round}: {} of {} mutants do not build", dropped.len(), made(sources)));
        if dropped.len() == before {
            return Err(Failed::Foreign(rendered(&messages)));
        }
    }
    Err(Failed::Rounds)
}

fn made(sources: &[Source]) -> usize {
    sources.iter().map(Source::len).sum()
}

/// Runs cargo in the workspace. Whether it succeeded, and the errors.
fn cargo(folders: &Folders, arguments: &[&str]) -> io::Result<(bool, Vec<Value>)> {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(program)
        .args(arguments)
        .args(["--offline", "--message-format=json"])
        .env("CARGO_TARGET_DIR", &folders.build)
        .current_dir(&folders.workspace)
        .stdin(Stdio::null())
        .output()?;
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let messages = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut errors: Vec<Value> = messages.filter_map(|mut line| error_of(&mut line)).collect();
    if errors.is_empty() && !output.status.success() {
        errors.push(serde_json::json!({ "rendered": String::from_utf8_lossy(&output.stderr) }));
    }
    Ok((output.status.success(), errors))
}

fn error_of(line: &mut Value) -> Option<Value> {
    let message = line.get_mut("message")?.take();
    (message.get("level")?.as_str()? == "error").then_some(message)
}

fn rendered(messages: &[Value]) -> String {
    let texts: Vec<&str> = messages.iter().filter_map(|message| message.get("rendered")?.as_str()).collect();
    texts.concat()
}

/// The mutants without which an error would not be.
fn blame(message: &Value, schemas: &[(String, Schema)], sources: &[Source]) -> Vec<u32> {
    let text = message.get("message").and_then(Value::as_str).unwrap_or_default();
    if let Some(name) = text.strip_prefix("cannot call non-const ").and_then(|rest| rest.split('`').nth(1)) {
        let name = name.split("::<").next().and_then(|name| name.rsplit("::").next()).unwrap_or_default();
        let inside: Vec<u32> = sources.iter().flat_map(|source| source.in_constant(name)).collect();
        if !inside.is_empty() {
            return inside;
        }
    }
    let mut spans = Vec::new();
    for primary in [true, false] {
        collect(message, primary, &mut spans);
    }
    for children in message.get("children").and_then(Value::as_array).into_iter().flatten() {
        collect(children, false, &mut spans);
    }
    let pieces = |(file, bytes): &(String, Range<usize>)| {
        let schema = schemas.iter().find(|(name, _)| Path::new(name) == Path::new(file));
        let all = schema.into_iter().flat_map(|(_, schema)| &schema.pieces);
        let mut around: Vec<_> =
            all.filter(|(range, _)| range.start <= bytes.start && bytes.end <= range.end).cloned().collect();
        around.sort_by_key(|(range, _)| range.len());
        around
    };
    let around: Vec<(Range<usize>, Piece)> = spans.iter().flat_map(pieces).collect();
    let code = around.iter().find(|(_, piece)| matches!(piece, Piece::Code(_)));
    if let Some((_, piece)) = code.or(around.first()) {
        return piece.mutants();
    }
    // Nothing is around the error. What it points at lies around a statement that leaves, or around something else.
    let hull = spans.iter().filter(|(file, _)| Some(file) == spans.first().map(|(file, _)| file));
    let hull =
        hull.map(|(_, bytes)| bytes.clone()).reduce(|one, other| one.start.min(other.start)..one.end.max(other.end));
    let (Some(hull), Some((file, _))) = (hull, spans.first()) else { return Vec::new() };
    let schema = schemas.iter().find(|(name, _)| Path::new(name) == Path::new(file));
    let all = schema.into_iter().flat_map(|(_, schema)| &schema.pieces);
    let within = all.filter(|(range, _)| hull.start <= range.start && range.end <= hull.end);
    let leaves = |piece: &Piece| matches!(piece, Piece::Leaving(_));
    let last = within.max_by_key(|(range, piece)| (leaves(piece), range.end, range.len()));
    last.map(|(_, piece)| piece.mutants()).unwrap_or_default()
}

/// The places that a message points at, also those from which a macro was called.
fn collect(message: &Value, primary: bool, spans: &mut Vec<(String, Range<usize>)>) {
    for span in message.get("spans").and_then(Value::as_array).into_iter().flatten() {
        if span.get("is_primary").and_then(Value::as_bool) == Some(primary) {
            let mut next = Some(span);
            while let Some(span) = next {
                let number = |name: &str| span.get(name).and_then(Value::as_u64).map(|number| number as usize);
                let file = span.get("file_name").and_then(Value::as_str);
                if let (Some(file), Some(start), Some(end)) = (file, number("byte_start"), number("byte_end")) {
                    spans.push((file.to_string(), start..end));
                }
                next = span.get("expansion").and_then(|expansion| expansion.get("span"));
            }
        }
    }
}
