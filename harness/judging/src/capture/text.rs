//! Text captures: one datagram per line, in one of two forms.
//!
//! - `c2s|s2c <sequence> <hex>`
//! - `C>S|S>C seq=<n> ack=<n> t=<seconds> len=<n> <hex>`, where only `seq`, `t` and `len` are always there.
//!
//! `#` starts a remark, a line of its own or after the hex. Blank lines are skipped.

use super::{CaptureDatagram, CaptureError, MAX_LINE_BYTES, Place, hex};
use kit::{Direction, HostId, Time};
use std::io::{BufRead, Read};

/// Reads a text capture line by line.
pub(super) struct TextReader<R> {
    input: String,
    reader: R,
    line: usize,
    buffer: Vec<u8>,
    /// Whether the line in `buffer` is the file's last and lacks its newline.
    cut: bool,
    maybe_incomplete: Option<usize>,
}

/// What is wrong with a line: the column from 1, what, and what to do.
#[derive(Debug)]
struct LineFault {
    column: usize,
    what: String,
    help: String,
    /// Whether it may come from the line being cut off.
    looks_cut: bool,
}

impl LineFault {
    fn new(column: usize, what: impl Into<String>, help: impl Into<String>) -> LineFault {
        LineFault { column, what: what.into(), help: help.into(), looks_cut: false }
    }

    fn cut(self) -> LineFault {
        LineFault { looks_cut: true, ..self }
    }
}

/// What a line says.
#[derive(Debug)]
struct Line {
    direction: Direction,
    time: Option<Time>,
    bytes: Vec<u8>,
    label: String,
    /// Whether the line states its own length, so that nothing can be missing.
    has_length: bool,
}

impl<R: BufRead> TextReader<R> {
    pub(super) fn new(input: &str, reader: R) -> Self {
        TextReader { input: input.to_string(), reader, line: 0, buffer: Vec::new(), cut: false, maybe_incomplete: None }
    }

    pub(super) fn next_datagram(&mut self) -> Result<Option<CaptureDatagram>, CaptureError> {
        while self.read_line()? {
            match parse_line(&self.buffer) {
                Ok(None) => {}
                Ok(Some(line)) => {
                    if self.cut && !line.has_length {
                        self.maybe_incomplete = Some(self.line);
                    }
                    return Ok(Some(CaptureDatagram {
                        line_or_packet: self.line,
                        direction: line.direction,
                        client: HostId(1),
                        time: line.time,
                        bytes: line.bytes,
                        label: line.label,
                        stage: None,
                        demo: None,
                    }));
                }
                Err(fault) => return Err(self.error(fault)),
            }
        }
        Ok(None)
    }

    pub(super) fn remarks(&self) -> Vec<String> {
        let remark = |line| {
            format!("line {line} has no newline: if the file was cut off there, its last datagram is incomplete")
        };
        self.maybe_incomplete.map(remark).into_iter().collect()
    }

    /// Reads the next line into `buffer`, without its line end; false at the end of the file.
    fn read_line(&mut self) -> Result<bool, CaptureError> {
        self.buffer.clear();
        self.line += 1;
        let mut limited = self.reader.by_ref().take(MAX_LINE_BYTES as u64 + 1);
        if let Err(error) = limited.read_until(b'\n', &mut self.buffer) {
            return Err(self.error(LineFault::new(1, format!("cannot be read: {error}"), "check the file")));
        }
        if self.buffer.is_empty() {
            return Ok(false);
        }
        self.cut = self.buffer.pop_if(|&mut byte| byte == b'\n').is_none();
        if self.buffer.len() > MAX_LINE_BYTES {
            let what = format!("the line is longer than {MAX_LINE_BYTES} bytes");
            return Err(self.error(LineFault::new(MAX_LINE_BYTES + 1, what, "write one datagram per line")));
        }
        if self.line == 1 && self.buffer.starts_with(b"\xef\xbb\xbf") {
            self.buffer.drain(..3);
        }
        Ok(true)
    }

    fn error(&self, fault: LineFault) -> CaptureError {
        let (what, help) = if self.cut && fault.looks_cut {
            let what = format!("the file ends in the middle of this line: {}", fault.what);
            (what, "record it again, or delete the line".to_string())
        } else {
            (fault.what, fault.help)
        };
        CaptureError { input: self.input.clone(), place: Place::Line(self.line, fault.column), what, help }
    }
}

/// The words of a line with the offset of each, up to a remark.
fn words(line: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = line.get(at..)?;
        let start = at + rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let word = line.get(start..)?;
        if word.first() == Some(&b'#') {
            return None;
        }
        let length = word.iter().position(|byte| byte.is_ascii_whitespace()).unwrap_or(word.len());
        at = start + length;
        Some((start, &word[..length]))
    })
}

fn parse_line(line: &[u8]) -> Result<Option<Line>, LineFault> {
    let mut words = words(line);
    let Some((start, first)) = words.next() else { return Ok(None) };
    match first {
        b"c2s" => numbered_line(Direction::ClientToServer, line, words).map(Some),
        b"s2c" => numbered_line(Direction::ServerToClient, line, words).map(Some),
        b"C>S" => described_line(Direction::ClientToServer, line, words).map(Some),
        b"S>C" => described_line(Direction::ServerToClient, line, words).map(Some),
        _ => {
            let what = format!("unknown direction `{}`", shown(first));
            let help = "start the line with c2s or s2c (or C>S, S>C), or with # for a remark";
            let fault = LineFault::new(start + 1, what, help);
            Err(if first.len() < 3 { fault.cut() } else { fault })
        }
    }
}

/// The rest of `c2s|s2c <sequence> <hex>`.
fn numbered_line<'a>(
    direction: Direction,
    line: &[u8],
    mut words: impl Iterator<Item = (usize, &'a [u8])>,
) -> Result<Line, LineFault> {
    let end = line.trim_ascii_end().len() + 1;
    let (_, sequence) = words
        .next()
        .ok_or_else(|| LineFault::new(end, "the sequence and the hex are missing", "write `s2c 1 0100…`").cut())?;
    let (start, digits) =
        words.next().ok_or_else(|| LineFault::new(end, "the hex is missing", "write `s2c 1 0100…`").cut())?;
    let bytes = hex_word(start, digits)?;
    nothing_more(words)?;
    Ok(Line { direction, time: None, bytes, label: shown(sequence), has_length: false })
}

/// The rest of `C>S|S>C seq=… ack=… t=… len=… <hex>  # remark`.
fn described_line<'a>(
    direction: Direction,
    line: &[u8],
    mut words: impl Iterator<Item = (usize, &'a [u8])>,
) -> Result<Line, LineFault> {
    let end = line.trim_ascii_end().len() + 1;
    let mut label = String::new();
    let mut time = None;
    let mut length = None;
    let mut bytes = Vec::new();
    let mut hex_start = end;
    while let Some((start, word)) = words.next() {
        let Some(equals) = word.iter().position(|&byte| byte == b'=') else {
            hex_start = start + 1;
            bytes = hex_word(start, word)?;
            nothing_more(words)?;
            break;
        };
        let (key, value) = (&word[..equals], &word[equals + 1..]);
        let value_column = start + equals + 2;
        match key {
            b"seq" | b"ack" => {
                if !label.is_empty() {
                    label.push(' ');
                }
                label.push_str(&shown(word));
            }
            b"t" => time = Some(seconds(value).ok_or_else(|| bad_value(value_column, value, "t=1.234"))?),
            b"len" => {
                length = Some((value_column, whole(value).ok_or_else(|| bad_value(value_column, value, "len=26"))?))
            }
            _ => {
                let what = format!("unknown key `{}`", shown(key));
                return Err(LineFault::new(start + 1, what, "the keys are seq, ack, t and len").cut());
            }
        }
    }
    match length {
        None => Err(LineFault::new(end, "`len=` is missing", "write the number of bytes before the hex").cut()),
        Some((column, length)) if length != bytes.len() => {
            let what = format!("len={length}, but the hex holds {} bytes", bytes.len());
            let column = if bytes.is_empty() { hex_start } else { column };
            Err(LineFault::new(column, what, "correct the one that is wrong").cut())
        }
        Some(_) => Ok(Line { direction, time, bytes, label, has_length: true }),
    }
}

fn hex_word(start: usize, word: &[u8]) -> Result<Vec<u8>, LineFault> {
    let mut bytes = Vec::new();
    match hex::decode(word, hex::Spaces::Forbidden, &mut bytes) {
        Ok(()) => Ok(bytes),
        Err(fault) => {
            let line_fault = LineFault::new(start + fault.at + 1, fault.to_string(), fault.help());
            Err(if fault.is_cut() { line_fault.cut() } else { line_fault })
        }
    }
}

fn nothing_more<'a>(mut words: impl Iterator<Item = (usize, &'a [u8])>) -> Result<(), LineFault> {
    match words.next() {
        None => Ok(()),
        Some((start, word)) => {
            let what = format!("unexpected `{}` after the hex", shown(word));
            Err(LineFault::new(start + 1, what, "one datagram per line; start a remark with #"))
        }
    }
}

fn bad_value(column: usize, value: &[u8], example: &str) -> LineFault {
    LineFault::new(column, format!("`{}` is not a number", shown(value)), format!("write `{example}`")).cut()
}

fn whole(digits: &[u8]) -> Option<usize> {
    // `parse` would accept a sign.
    let all_digits = digits.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(digits).ok().filter(|_| all_digits)?.parse().ok()
}

/// Seconds with at most six decimals, as microseconds.
fn seconds(text: &[u8]) -> Option<Time> {
    let (whole_part, decimals) = match text.iter().position(|&byte| byte == b'.') {
        Some(dot) => (&text[..dot], &text[dot + 1..]),
        None => (text, &b""[..]),
    };
    if decimals.len() > 6 || !decimals.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let fraction = (0..6).fold(0u64, |sum, place| {
        let digit = decimals.get(place).map_or(0, |byte| byte - b'0');
        sum * 10 + u64::from(digit)
    });
    let us = (whole(whole_part)? as u64).checked_mul(1_000_000)?.checked_add(fraction)?;
    Some(Time(us))
}

/// At most 40 bytes of `word`, escaped where not printable.
fn shown(word: &[u8]) -> String {
    const LONGEST: usize = 40;
    let head = &word[..word.len().min(LONGEST)];
    let dots = if word.len() > LONGEST { "…" } else { "" };
    format!("{}{dots}", head.escape_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> (Vec<CaptureDatagram>, Option<String>, Vec<String>) {
        let mut reader = TextReader::new("x.txt", text);
        let mut found = Vec::new();
        loop {
            match reader.next_datagram() {
                Ok(Some(datagram)) => found.push(datagram),
                Ok(None) => return (found, None, reader.remarks()),
                Err(error) => return (found, Some(error.to_string()), reader.remarks()),
            }
        }
    }

    #[track_caller]
    fn check(text: &str, good: usize, error: &str) {
        let (found, actual, _) = read(text.as_bytes());
        assert_eq!(actual.as_deref(), Some(error));
        assert_eq!(found.len(), good);
    }

    #[test]
    fn numbered_lines_are_read() {
        let (found, error, remarks) = read(b"# remark\n\nc2s ctl 8000000c\r\ns2c r0E 0009ff # more\n");
        assert_eq!((error, remarks.len(), found.len()), (None, 0, 2));
        assert_eq!(found[0].direction, Direction::ClientToServer);
        assert_eq!(found[0].bytes, [0x80, 0, 0, 0x0c]);
        assert_eq!((found[1].line_or_packet, found[1].label.as_str()), (4, "r0E"));
    }

    #[test]
    fn described_lines_are_read() {
        let (found, error, _) = read(b"S>C seq=1R ack=1r t=0.25 len=3 010203  # svc_x a=b\nC>S seq=oob t=12 len=0\n");
        assert_eq!((error, found.len()), (None, 2));
        assert_eq!(found[0].time, Some(Time(250_000)));
        assert_eq!(found[0].label, "seq=1R ack=1r");
        assert_eq!(found[1].time, Some(Time(12_000_000)));
        assert!(found[1].bytes.is_empty());
    }

    #[test]
    fn recorded_sessions_of_quake_ii_are_read_to_the_last_line() {
        let text = include_bytes!("../../../../golden/r1q2/vectors/r1q2_b5183_p35_minor1901.txt");
        let (found, error, remarks) = read(text);
        assert_eq!((error, remarks.len(), found.len()), (None, 0, 123));
        let first = found.first().map(|it| (it.label.as_str(), it.time, it.bytes.len()));
        assert_eq!(first, Some(("seq=oob", Some(Time::ZERO), 17)));
        let sixth = found.get(5).map(|it| (it.label.as_str(), it.direction, it.bytes.len()));
        assert_eq!(sixth, Some(("seq=1R ack=1r", Direction::ServerToClient, 1281)));
    }

    #[test]
    fn odd_digits_are_placed_at_the_half_byte() {
        check("s2c 1 00\ns2c 2 001\n", 1, "x.txt:2:9: odd number of hex digits (3); every byte takes two digits");
    }

    #[test]
    fn a_foreign_character_is_placed_at_its_column() {
        check("s2c 1 00x1\n", 0, "x.txt:1:9: 'x' is not a hex digit; use 0-9 and a-f only");
    }

    #[test]
    fn an_unknown_direction_lists_the_known_ones() {
        check(
            "  up 1 00\n",
            0,
            "x.txt:1:3: unknown direction `up`; start the line with c2s or s2c (or C>S, S>C), or with # for a remark",
        );
    }

    #[test]
    fn a_cut_last_line_is_named_as_such() {
        let ending = "record it again, or delete the line";
        check(
            "s2c 1 00\ns2c 2 0",
            1,
            &format!("x.txt:2:7: the file ends in the middle of this line: odd number of hex digits (1); {ending}"),
        );
        check(
            "s2c 1 00\ns2c 2",
            1,
            &format!("x.txt:2:6: the file ends in the middle of this line: the hex is missing; {ending}"),
        );
        let what = "len=4, but the hex holds 2 bytes";
        check(
            "S>C seq=1 t=0.0 len=4 0102",
            0,
            &format!("x.txt:1:21: the file ends in the middle of this line: {what}; {ending}"),
        );
    }

    #[test]
    fn a_last_line_without_newline_that_may_be_cut_gets_a_remark() {
        let (found, error, remarks) = read(b"s2c 1 0001");
        assert_eq!((found.len(), error), (1, None));
        assert_eq!(remarks, ["line 1 has no newline: if the file was cut off there, its last datagram is incomplete"]);
    }

    #[test]
    fn a_wrong_length_is_an_error() {
        check(
            "S>C seq=1 t=0.0 len=4 0102\n",
            0,
            "x.txt:1:21: len=4, but the hex holds 2 bytes; correct the one that is wrong",
        );
    }

    #[test]
    fn a_second_word_behind_the_hex_is_an_error() {
        check(
            "s2c 1 00 11\n",
            0,
            "x.txt:1:10: unexpected `11` after the hex; one datagram per line; start a remark with #",
        );
    }

    #[test]
    fn unknown_keys_and_bad_numbers_are_errors() {
        check("S>C sec=1\n", 0, "x.txt:1:5: unknown key `sec`; the keys are seq, ack, t and len");
        check("S>C len=-1 00\n", 0, "x.txt:1:9: `-1` is not a number; write `len=26`");
        check("S>C t=1.2.3 len=1 00\n", 0, "x.txt:1:7: `1.2.3` is not a number; write `t=1.234`");
        check("S>C seq=1\n", 0, "x.txt:1:10: `len=` is missing; write the number of bytes before the hex");
    }

    #[test]
    fn bytes_that_are_no_text_are_shown_escaped() {
        let (_, error, _) = read(b"s2c 1 \xff\n");
        assert_eq!(error.as_deref(), Some("x.txt:1:7: '\\xff' is not a hex digit; use 0-9 and a-f only"));
    }

    #[test]
    fn an_endless_line_is_an_error() {
        let mut text = b"s2c 1 ".to_vec();
        text.resize(MAX_LINE_BYTES + 10, b'0');
        let (_, error, _) = read(&text);
        let expected = "x.txt:1:1048577: the line is longer than 1048576 bytes; write one datagram per line";
        assert_eq!(error.as_deref(), Some(expected));
    }
}
