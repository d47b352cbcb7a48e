//! What a datagram says: its fields, what it carries, one line for a person.

use crate::endpoint::Direction;
use crate::endpoint::HostId;
use crate::reader::{DecodeError, Reader, Span};
use crate::setup::Profile;

/// The names of marks whose number is that of an entity, whatever the protocol.
pub const ABOUT_ENTITIES: [&str; 5] = ["update", "reset", "remove", "baseline", "entity"];

/// Something that a datagram carries, such as a reset of entity 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Index into [`crate::Protocol::marks`].
    pub kind: usize,
    /// The entity, frame or sequence that it concerns; 0 where there is none.
    pub number: u32,
}

/// What a dissector found in one datagram. Reused between datagrams.
#[derive(Clone, Debug, Default)]
pub struct Dissection {
    /// Whether to record spans; the dissector leaves `spans` empty otherwise.
    pub want_spans: bool,
    /// Whether `summary` is not wanted: the dissector may leave it empty.
    pub marks_only: bool,
    /// Whether to keep the message; the dissector leaves `message` empty otherwise.
    pub want_message: bool,
    /// The fields of the datagram, offsets relative to it.
    pub spans: Vec<Span>,
    /// Messages that this datagram completed but which are longer than it: reassembled bytes and their fields.
    pub assembled: Vec<(Vec<u8>, Vec<Span>)>,
    /// What its receiver reads of it: the message without headers, put together of its fragments. `None` for what belongs to
    /// no connection, is stale, or completes nothing.
    pub message: Option<Vec<u8>>,
    /// What it carries.
    pub marks: Vec<Mark>,
    /// One line for a person: what the datagram says.
    pub summary: String,
    /// Number of messages decoded (services, commands, control packets).
    pub messages: usize,
    /// Why the rest of the datagram could not be decoded, if so.
    pub error: Option<DecodeError>,
    /// Whether the number in front of it is so far from those before it that it may be none: of what has no other mark, a
    /// protocol reads nearly everything.
    pub unlikely: bool,
    /// Whether it is none of this protocol's and of no connection, such as a question of another game: no session is about it.
    pub foreign: bool,
    /// Which version it asks for, or says to be spoken from here on, if it does.
    pub version: Option<Version>,
}

/// A version that one end names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Version {
    /// One that this protocol knows.
    Known,
    /// One of its neighbours, such as `Q2PRO's protocol 36`: what is said in it cannot be read, or means something else.
    Neighbour(String),
    /// One of quite another protocol.
    Foreign(String),
}

/// What is wanted of a [`Dissection`].
#[derive(Debug, Default)]
pub struct Parts<'a> {
    /// The fields of the datagram.
    pub spans: Option<&'a mut Vec<Span>>,
    /// Messages that are longer than the datagram, and their fields.
    pub assembled: Option<&'a mut Vec<(Vec<u8>, Vec<Span>)>>,
    /// What its receiver reads of it.
    message: Option<&'a mut Option<Vec<u8>>>,
}

impl<'a> Parts<'a> {
    /// A reader of the datagram, which leaves spans if they are wanted.
    pub fn reader<'b>(&mut self, bytes: &'b [u8]) -> Reader<'b>
    where
        'a: 'b,
    {
        match self.spans.take() {
            Some(spans) => Reader::with_spans(bytes, spans),
            None => Reader::new(bytes),
        }
    }

    /// Keeps the message that its receiver reads.
    pub fn receive(&mut self, message: &[u8]) {
        if let Some(kept) = &mut self.message {
            **kept = Some(message.to_vec());
        }
    }
}

impl Dissection {
    /// What is wanted of it, each to be filled on its own.
    pub fn parts(&mut self) -> Parts<'_> {
        Parts {
            spans: self.want_spans.then_some(&mut self.spans),
            assembled: self.want_spans.then_some(&mut self.assembled),
            message: self.want_message.then_some(&mut self.message),
        }
    }

    /// Empties the dissection, keeping its memory, and what is wanted.
    pub fn clear(&mut self) {
        self.spans.clear();
        self.assembled.clear();
        self.message = None;
        self.marks.clear();
        self.summary.clear();
        self.messages = 0;
        self.error = None;
        self.unlikely = false;
        self.foreign = false;
        self.version = None;
    }
}

/// Decodes the traffic of one run or capture, datagram by datagram in the order of sending, following the
/// handshake to know what was negotiated.
pub trait Dissector {
    /// Decodes the next datagram between the server and `client`.
    ///
    /// `out` has been cleared. What cannot be decoded is reported in `out.error`; what was found before the error is
    /// in `out` too, and the dissector stays usable.
    fn datagram(&mut self, client: HostId, direction: Direction, bytes: &[u8], out: &mut Dissection);

    /// The extensions that the sessions seen so far have negotiated, as text.
    fn extensions(&self) -> Vec<String>;

    /// The profile that the traffic seen so far belongs to; `None` where it does not tell, or the protocol has one alone.
    fn profile(&self) -> Option<&'static Profile> {
        None
    }

    /// What can be assumed of a session whose beginning is missing, the most usual first: each is one for [`Dissector::assume`].
    fn assumptions(&self) -> &'static [&'static str] {
        &[]
    }

    /// Pretends that `extensions` (as [`Dissector::extensions`] prints them) were negotiated: for captures that begin
    /// in the middle of a session.
    ///
    /// # Errors
    /// A sentence that says which names are known.
    fn assume(&mut self, extensions: &str) -> Result<(), String>;
}
