//! Demos: what a game wrote down of a session so that it can be seen again.
//!
//! Reading order: [`block`] (what a container puts in front of a message), [`kind`] (which container it is), [`unpack`]
//! (gzip, zip), [`wrap`] (a message as the datagram that may have brought it), [`unsaid`] (what must
//! have been said beside it). [`DemoReader`] streams the messages.
//!
//! A demo has what a server said, in the order in which it was received, and nothing else: no header, no acknowledgement, no
//! client. So each message becomes a datagram with a header that we make ([`wrap`]), which no check may judge
//! ([`kit::Vantage::demo`]). Each serverinfo or serverdata begins a part, a session of its own: demos are cut together of
//! several. An `.mvd` is one session, in which the server spoke to all cameras; what it said to some of them alone says so.

pub mod block;
pub mod kind;
pub mod unpack;
pub mod unsaid;
pub mod wrap;

use block::{Audience, Clock, Step, WINDOW_BYTES, next, track_line};
use kit::{Container, Dissection, Span, Time};
use std::io::{self, Read};
use wrap::{Clockwork, Wrapper};

/// Most parts of a demo that are told apart; what follows counts to the last.
const MAX_PARTS: u16 = 1_000;
/// So much of a file is read at a time, in bytes.
const CHUNK_BYTES: usize = 1 << 18;

/// What the server said at once, as the datagram that may have brought it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its number in the demo, from 1.
    pub number: usize,
    /// The part of the demo that it belongs to, from 1.
    pub part: u16,
    /// When, since the demo began.
    pub time: Time,
    /// Where it comes from.
    pub origin: Origin,
    /// It, behind a header that was made for it.
    pub datagram: Vec<u8>,
}

/// Where in a demo a datagram comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The kind of demo.
    pub container: Container,
    /// To whom it was said.
    pub to: Audience,
    /// Where in the file, once unpacked, the message begins, in bytes.
    pub at: u64,
}

impl Origin {
    /// Where in the file the byte at this offset of the datagram stands; what is in the header that was made for it, at the message.
    pub fn place(&self, offset: usize) -> u64 {
        // A `.qwd` has the header, too.
        self.at + offset.saturating_sub(self.header_bytes()) as u64
    }

    /// So many bytes at the beginning of the datagram were made for it, and stand in no file.
    pub fn header_bytes(&self) -> usize {
        if self.container == Container::Qwd { 0 } else { wrap::HEADER_BYTES }
    }

    /// What the message has: the bytes that `read` is about, its fields, and the place in the file of the byte from which their
    /// places count. Nothing of the header that was made for it.
    pub fn message<'a>(&self, datagram: &'a [u8], read: &'a Dissection) -> (&'a [u8], &'a [Span], u64) {
        // A reliable message of NetQuake counts as put together of fragments, though the file has it as it is.
        if let (Container::Dem, Some((message, spans))) = (self.container, read.assembled.first()) {
            return (message, spans, self.at);
        }
        let header = self.header_bytes();
        let begin = read.spans.iter().position(|span| span.start >= header).unwrap_or(read.spans.len());
        // Places count from where a header would stand: a demo has at least its own head there.
        (datagram, read.spans.get(begin..).unwrap_or_default(), self.at.wrapping_sub(header as u64))
    }
}

/// The messages of a demo, read as a stream: at most a window of the file is held.
pub struct DemoReader {
    source: Box<dyn Read>,
    container: Container,
    buffer: Vec<u8>,
    at: usize,
    is_read: bool,
    /// Where the buffer begins in the file, in bytes.
    before: u64,
    /// How long the demo has gone on.
    now: Time,
    /// What a clock of the demo said, and how long it had gone on then: each part has a clock of its own.
    epoch: Option<(u64, Time)>,
    part: u16,
    blocks: usize,
    messages: usize,
    wrapper: Wrapper,
    clockwork: Clockwork,
    remarks: Vec<String>,
    ended: bool,
}

impl DemoReader {
    /// Reads `source`, which is of this container; `remarks` are what is known of it already.
    pub fn new(source: Box<dyn Read>, container: Container, remarks: Vec<String>) -> DemoReader {
        DemoReader {
            source,
            container,
            buffer: Vec::new(),
            at: 0,
            is_read: false,
            before: 0,
            now: Time::ZERO,
            epoch: None,
            part: 1,
            blocks: 0,
            messages: 0,
            wrapper: Wrapper::new(container),
            clockwork: Clockwork::default(),
            remarks,
            ended: false,
        }
    }

    pub const fn container(&self) -> Container {
        self.container
    }

    /// What is to be known beside the messages read so far.
    pub fn remarks(&self) -> Vec<String> {
        self.remarks.clone()
    }

    /// How long the messages read so far went on.
    pub const fn length(&self) -> Time {
        self.now
    }

    /// The next message, as the datagram that may have brought it.
    ///
    /// # Errors
    /// The source cannot be read.
    pub fn next_message(&mut self) -> io::Result<Option<Message>> {
        while !self.ended {
            self.fill()?;
            if self.blocks == 0 && self.container == Container::Dem {
                self.at += track_line(self.rest()).unwrap_or(0);
            }
            self.blocks += 1;
            if self.rest().is_empty() {
                if matches!(self.container, Container::Dm2) {
                    self.remarks.push(String::from("the demo has no end: its last bytes may be missing"));
                }
                self.ended = true;
                break;
            }
            match next(self.container, self.rest()) {
                Step::Message { clock, to, body } => {
                    self.clock(clock);
                    let at = self.before + (self.at + body.start) as u64;
                    let message = self.buffer[self.at + body.start..self.at + body.end].to_vec();
                    self.at += body.end;
                    return Ok(Some(self.wrapped(message, Origin { container: self.container, to, at })));
                }
                Step::Other(clock, length) => {
                    self.clock(clock);
                    self.at += length;
                }
                Step::End => {
                    self.at += 4;
                    self.fill()?;
                    // Some tools join demos end to end.
                    self.ended = self.rest().len() < 4 || matches!(next(self.container, self.rest()), Step::Bad(_));
                }
                Step::Cut => {
                    let left = self.rest().len();
                    self.remarks.push(format!("the demo is cut: {left} bytes at its end are no whole message"));
                    self.ended = true;
                }
                Step::Bad(why) => self.resume(&why),
            }
        }
        Ok(None)
    }

    /// Of demos that were joined end to end, the next begins with its track; or else nothing more can be read.
    fn resume(&mut self, why: &str) {
        if let (Container::Dem, Some(line)) = (self.container, track_line(self.rest())) {
            self.at += line;
            return;
        }
        let at = self.before + self.at as u64;
        self.remarks.push(format!("nothing is read from byte {at} on: {why}"));
        self.ended = true;
    }

    fn wrapped(&mut self, message: Vec<u8>, origin: Origin) -> Message {
        if wrap::begins_part(self.container, &message) && self.messages > 0 && self.part < MAX_PARTS {
            self.part += 1;
            self.epoch = None;
        }
        if let Some(said) = self.clockwork.said_time(self.container, &message) {
            self.clock(Clock::At(said));
        }
        self.messages += 1;
        let (number, part, time) = (self.messages, self.part, self.now);
        Message { number, part, time, origin, datagram: self.wrapper.datagram(part, message) }
    }

    /// Moves the time as a clock of the demo says; one that goes back is another one.
    fn clock(&mut self, clock: Clock) {
        match clock {
            Clock::Unsaid => {}
            Clock::After(step) => self.now = Time(self.now.0.saturating_add(step)),
            Clock::At(said) => {
                let (began, then) = *self.epoch.get_or_insert((said, self.now));
                match then.0.saturating_add(said.wrapping_sub(began)) {
                    now if said >= began && now >= self.now.0 => self.now = Time(now),
                    _ => self.epoch = Some((said, self.now)),
                }
            }
        }
    }

    fn rest(&self) -> &[u8] {
        self.buffer.get(self.at..).unwrap_or_default()
    }

    /// Reads on until the next block is there, or the source ends.
    fn fill(&mut self) -> io::Result<()> {
        while !self.is_read && self.rest().len() < WINDOW_BYTES {
            self.before += self.at as u64;
            self.buffer.drain(..self.at.min(self.buffer.len()));
            self.at = 0;
            let read = self.source.by_ref().take(CHUNK_BYTES as u64).read_to_end(&mut self.buffer)?;
            self.is_read = read == 0;
        }
        Ok(())
    }
}
