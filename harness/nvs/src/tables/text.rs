//! Tables from their text, checked.

use super::{Kind, Line, MAX_LINES, MAX_MESSAGES, MAX_WRITES, Message, Tables, has_subs};
use crate::constants::{LIMIT_NVS, SVC_EXTRA_VERSION, SVC_LIMIT, VERSION_NVS};
use crate::version::Version;
use netquake::constants::{SVC_TEMP_ENTITY, service_name, temp_entity_name};

/// A word of the text, and where it stands.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    line: usize,
    column: usize,
}

impl Word<'_> {
    fn error<T>(&self, what: &str) -> Result<T, String> {
        Err(format!("line {}, column {}: {what}", self.line, self.column))
    }
}

/// The words of a line, comments left out; a colon is a word of its own.
fn words(number: usize, line: &str) -> Vec<Word<'_>> {
    let line = line.split('#').next().unwrap_or_default();
    let mut words = Vec::new();
    let mut from = None;
    for (at, letter) in line.char_indices().chain([(line.len(), ' ')]) {
        let ends = letter.is_whitespace() || letter == ':';
        if let (true, Some(start)) = (ends, from) {
            words.push((start, line.get(start..at).unwrap_or_default()));
            from = None;
        }
        if letter == ':' {
            words.push((at, ":"));
        } else if !ends && from.is_none() {
            from = Some(at);
        }
    }
    words.into_iter().map(|(at, text)| Word { text, line: number, column: at + 1 }).collect()
}

/// The number of a service: as a number, or by its usual name.
fn service(word: Word<'_>) -> Result<u8, String> {
    let named = |number: u8| match number {
        SVC_LIMIT => Some("svc_limit"),
        SVC_EXTRA_VERSION => Some("svc_extra_version"),
        _ => service_name(number),
    };
    let found = word.text.parse().ok().or_else(|| (0..=127).find(|&number| named(number) == Some(word.text)));
    match found {
        Some(svc @ 1..=127) => Ok(svc),
        Some(_) => word.error("a service's number is 1 to 127"),
        None => word.error(&format!("no service is called `{}`", word.text)),
    }
}

/// The number of a sub message of `svc`.
fn sub_message(svc: u8, word: Word<'_>) -> Result<u8, String> {
    let named = |number: u8| match (svc, number) {
        (SVC_TEMP_ENTITY, _) => temp_entity_name(number),
        (SVC_LIMIT, LIMIT_NVS) => Some("LIMIT_NVS"),
        (SVC_EXTRA_VERSION, VERSION_NVS) => Some("VERSION_NVS"),
        _ => None,
    };
    let found = word.text.parse().ok().or_else(|| (0..=255).find(|&number| named(number) == Some(word.text)));
    found.map_or_else(|| word.error(&format!("no sub message is called `{}`", word.text)), Ok)
}

fn kind(word: Word<'_>) -> Result<Kind, String> {
    let found = Kind::ALL.into_iter().find(|kind| kind.name() == word.text);
    found.map_or_else(|| word.error(&format!("no kind of write is called `{}`", word.text)), Ok)
}

/// A version as a table has it: two decimals.
fn version(word: Word<'_>) -> Result<Version, String> {
    let read = word.text.split_once('.').and_then(|(whole, decimals)| {
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let sound = !whole.is_empty() && whole.len() <= 2 && decimals.len() == 2 && digits(whole) && digits(decimals);
        sound.then(|| Version::from_text(word.text.as_bytes()))
    });
    read.map_or_else(|| word.error("a version has two decimals, such as 0.50"), Ok)
}

fn count(word: Word<'_>, most: usize) -> Result<usize, String> {
    match word.text.parse() {
        Ok(count) if count <= most => Ok(count),
        _ => word.error(&format!("a number from 0 to {most} is needed here")),
    }
}

fn flags(word: Word<'_>) -> Result<Vec<bool>, String> {
    let flag = |letter| match letter {
        'T' => Some(true),
        'F' => Some(false),
        _ => None,
    };
    let flags: Option<Vec<bool>> = word.text.chars().map(flag).collect();
    flags.map_or_else(|| word.error("one T or F per write is needed here"), Ok)
}

/// `message SERVICE [SUB]: KINDS`
fn head(first: Word<'_>, rest: &[Word<'_>]) -> Result<Message, String> {
    let Some(colon) = rest.iter().position(|word| word.text == ":") else {
        return first.error("a message needs a colon before the kinds of its writes");
    };
    let (svc, sub) = match rest.get(..colon).unwrap_or_default() {
        [svc] => (service(*svc)?, None),
        [svc, sub] => {
            let number = service(*svc)?;
            (number, Some(sub_message(number, *sub)?))
        }
        _ => return first.error("a message is called by its service, and by its sub message if it is one"),
    };
    match (has_subs(svc), sub) {
        (true, None) => return first.error("this service has sub messages: which one?"),
        (false, Some(_)) => return first.error("this service has no sub messages"),
        _ => {}
    }
    let kinds: Vec<Kind> = rest.iter().skip(colon + 1).map(|word| kind(*word)).collect::<Result<_, _>>()?;
    let bytes = if sub.is_some() { 2 } else { 1 };
    if kinds.len() < bytes || kinds.iter().take(bytes).any(|kind| *kind != Kind::Byte) {
        return first.error("the command byte, and the sub byte if there is one, are the first writes");
    }
    if kinds.len() > MAX_WRITES {
        return first.error(&format!("a message has at most {MAX_WRITES} writes"));
    }
    Ok(Message { svc, sub, kinds, lines: Vec::new() })
}

/// `VERSION writes N bytes N FLAGS`
fn version_line(first: Word<'_>, rest: &[Word<'_>], message: &Message) -> Result<Line, String> {
    let [writes, n, bytes, m, conversion] = rest else {
        return first.error("a line is `0.50 writes 7 bytes 13 TFFFTTT`");
    };
    if writes.text != "writes" || bytes.text != "bytes" {
        return first.error("a line is `0.50 writes 7 bytes 13 TFFFTTT`");
    }
    let line = Line {
        version: version(first)?,
        writes: count(*n, MAX_WRITES)?,
        bytes: count(*m, 1024)?,
        conversion: flags(*conversion)?,
    };
    // NVS-TAB-08
    if line.conversion.len() != message.kinds.len() {
        let what = format!(
            "{} flags for {} writes: each line has one for every write of the newest version",
            line.conversion.len(),
            message.kinds.len()
        );
        return conversion.error(&what);
    }
    if line.writes > message.kinds.len() {
        return n.error(&format!("the message has {} writes only", message.kinds.len()));
    }
    if line.conversion.iter().skip(line.writes).any(|flag| *flag) {
        return conversion.error("a write that a server of this version does not issue is marked T");
    }
    let sizes = message.kinds.iter().zip(&line.conversion).filter(|(_, flag)| **flag);
    let sum: usize = sizes.map(|(kind, _)| kind.bytes()).sum();
    if sum != line.bytes {
        return m.error(&format!("the writes marked T have {sum} bytes, not {}", line.bytes));
    }
    if message.lines.last().is_some_and(|newer| newer.version <= line.version) {
        return first.error("lines stand newest version first");
    }
    if message.lines.len() >= MAX_LINES {
        return first.error(&format!("a message has at most {MAX_LINES} lines"));
    }
    Ok(line)
}

/// Checks a message whose lines are all there.
fn complete(message: &Message, place: Word<'_>) -> Result<(), String> {
    // NVS-TAB-07
    if message.lines.last().is_none_or(|line| line.version != Version::PLAIN) {
        return place.error("the last line of a message is that of version 0.00");
    }
    if message.lines.iter().map(|line| line.writes).max() != Some(message.kinds.len()) {
        return place.error("no version of the message has all of its writes");
    }
    Ok(())
}

/// Reads tables.
pub fn parse(text: &str) -> Result<Tables, String> {
    let mut messages: Vec<Message> = Vec::new();
    let mut place = Word { text: "", line: 1, column: 1 };
    for (number, line) in text.lines().enumerate() {
        let words = words(number + 1, line);
        let Some((first, rest)) = words.split_first() else { continue };
        if first.text == "message" {
            if let Some(last) = messages.last() {
                complete(last, place)?;
            }
            let message = head(*first, rest)?;
            if messages.iter().any(|other| (other.svc, other.sub) == (message.svc, message.sub)) {
                return first.error("this message has a table already");
            }
            if messages.len() >= MAX_MESSAGES {
                return first.error(&format!("there are at most {MAX_MESSAGES} messages"));
            }
            messages.push(message);
            place = Word { text: "", ..*first };
        } else if let Some(message) = messages.last_mut() {
            let line = version_line(*first, rest, message)?;
            message.lines.push(line);
        } else {
            return first.error("a message comes before its lines");
        }
    }
    if let Some(last) = messages.last() {
        complete(last, place)?;
    }
    Ok(Tables::new(messages))
}
