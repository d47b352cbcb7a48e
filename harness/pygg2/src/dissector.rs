//! Names every field of a packet, and says what it carries.

use crate::message::*;
use crate::options::Options;
use crate::snapshot::Declared;
use kit::{DecodeError, Direction, Dissection, Dissector, HostId, Mark, Reader, Setup, Span};
use std::fmt::Write;

kit::marks! {
    HELLO = 0, "hello";
    HI = 1, "hi";
    REFUSE = 2, "refuse";
    JOIN = 3, "join";
    COMPLETE = 4, "complete";
    SNAPSHOT = 5, "snapshot";
    DELTA = 6, "delta";
    ABSOLUTE = 7, "absolute";
    EVENT = 8, "event";
    SPAWN = 9, "spawn";
    DIE = 10, "die";
    LEFT = 11, "left";
    CHANGECLASS = 12, "changeclass";
    CHANGETEAM = 13, "changeteam";
    INPUT = 14, "input";
    JUMP = 15, "jump";
    DISCONNECT = 16, "disconnect";
    ACK = 17, "ack";
    EVENT_ONLY = 18, "event-only";
    UNREADABLE = 19, "unreadable";
}

/// What may be declared, and a capture does not tell.
const CLASS_FIELDS: &str = "class_fields";

/// Reads packets one by one: nothing that went before is needed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pygg2Dissector {
    declared: Declared,
}

impl Pygg2Dissector {
    /// For the packets of a run; `None` for a capture in which nothing is declared to stand after bodies.
    pub fn new(setup: Option<&Setup>) -> Pygg2Dissector {
        Pygg2Dissector { declared: setup.map_or(Declared::NOTHING, |setup| Options::new(setup).declared) }
    }

    fn server(&self, r: &mut Reader<'_>, out: &mut Found) -> Result<(), DecodeError> {
        let header = ServerHeader::read(r)?;
        let ServerHeader { sequence, delta_sequence, last_acked_sequence } = header;
        out.say(format_args!("#{sequence} acks {last_acked_sequence}"));
        let mut records = Vec::new();
        let read = read_server_records(r, self.declared, &mut records);
        out.messages = records.len();
        let events = records.iter().filter(|record| matches!(record.what, ServerRecord::Event(_))).count();
        if events > 0 && events == records.len() && read.is_ok() {
            out.mark(EVENT_ONLY, sequence);
        }
        for Stamped { created, what } in &records {
            match what {
                ServerRecord::Snapshot(difference) => {
                    let length = difference.xored.len();
                    out.mark(SNAPSHOT, sequence);
                    if header.is_absolute() {
                        out.mark(ABSOLUTE, sequence);
                        out.say(format_args!(", snapshot of {length} bytes"));
                    } else {
                        out.mark(DELTA, sequence);
                        out.say(format_args!(", snapshot of {length} bytes over #{delta_sequence}"));
                    }
                }
                ServerRecord::Event(event) => {
                    out.mark(EVENT, *created);
                    out.server_event(event);
                    out.say(format_args!(" ({created})"));
                }
            }
        }
        read
    }
}

/// What was found in a packet.
#[derive(Default)]
struct Found {
    marks: Vec<Mark>,
    messages: usize,
    summary: String,
}

impl Found {
    fn mark(&mut self, kind: usize, number: impl Into<u32>) {
        self.marks.push(Mark { kind, number: number.into() });
    }

    fn say(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to memory cannot fail.
        let _ = self.summary.write_fmt(text);
    }

    fn server_event(&mut self, event: &ServerEvent) {
        let (kind, number) = match event {
            ServerEvent::Hi(hi) => (HI, hi.your_id.into()),
            ServerEvent::Join { id, .. } => (JOIN, u32::from(*id)),
            ServerEvent::Complete(update) => (COMPLETE, update.players.len() as u32),
            ServerEvent::Refuse { reason } => (REFUSE, (*reason).into()),
            ServerEvent::ChangeTeam { id, .. } => (CHANGETEAM, (*id).into()),
            ServerEvent::ChangeClass { id, .. } => (CHANGECLASS, (*id).into()),
            ServerEvent::Spawn { id, .. } => (SPAWN, (*id).into()),
            ServerEvent::Die { id } => (DIE, (*id).into()),
            ServerEvent::Left { id } => (LEFT, (*id).into()),
        };
        self.mark(kind, number);
        self.say(format_args!(", {} {number}", MARKS.get(kind).copied().unwrap_or_default()));
    }

    fn client(&mut self, r: &mut Reader<'_>) -> Result<(), DecodeError> {
        let ClientHeader { sequence, ack_sequence } = ClientHeader::read(r)?;
        self.mark(ACK, ack_sequence);
        self.say(format_args!("#{sequence} acks {ack_sequence}"));
        let mut records = Vec::new();
        let read = read_client_records(r, &mut records);
        self.messages = records.len();
        for Stamped { created, what } in &records {
            let (kind, number) = match what {
                ClientRecord::Event(ClientEvent::Hello { .. }) => (HELLO, 0),
                ClientRecord::Event(ClientEvent::ChangeClass { class }) => (CHANGECLASS, u32::from(*class)),
                ClientRecord::Event(ClientEvent::Jump { time }) => (JUMP, *time),
                ClientRecord::Event(ClientEvent::Disconnect) => (DISCONNECT, 0),
                ClientRecord::Input(input) => (INPUT, input.inputstate.into()),
            };
            self.mark(kind, number);
            if kind != INPUT {
                self.mark(EVENT, *created);
            }
            self.say(format_args!(", {} {number}", MARKS.get(kind).copied().unwrap_or_default()));
        }
        read
    }
}

impl Dissector for Pygg2Dissector {
    fn datagram(&mut self, _: HostId, direction: Direction, bytes: &[u8], out: &mut Dissection) {
        let mut spans: Vec<Span> = Vec::new();
        let mut found = Found::default();
        let mut r = if out.want_spans { Reader::with_spans(bytes, &mut spans) } else { Reader::new(bytes) };
        let read = match direction {
            Direction::ServerToClient => self.server(&mut r, &mut found),
            Direction::ClientToServer => found.client(&mut r),
        };
        if found.summary.is_empty() {
            found.say(format_args!("too short for a header"));
        }
        if let Err(error) = read {
            found.mark(UNREADABLE, 0u32);
            out.error = Some(error);
        }
        out.spans = spans;
        out.marks.append(&mut found.marks);
        out.messages = found.messages;
        out.summary = found.summary;
    }

    fn extensions(&self) -> Vec<String> {
        Vec::from_iter(self.declared.class_fields.then(|| String::from(CLASS_FIELDS)))
    }

    fn assume(&mut self, extensions: &str) -> Result<(), String> {
        for name in extensions.split([',', '+', ' ']).filter(|name| !name.is_empty()) {
            match name {
                CLASS_FIELDS => self.declared.class_fields = true,
                _ => return Err(format!("no extension `{name}`; there is {CLASS_FIELDS}")),
            }
        }
        Ok(())
    }
}
