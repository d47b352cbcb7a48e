//! Which messages have versions, and what a server of one version writes for a client of another: as data, because the
//! tables are what two implementations may differ in.
//!
//! Source: Part III, "Version tables" and "Lookup tables".

mod text;

use crate::constants::{SVC_EXTRA_VERSION, SVC_LIMIT};
use crate::version::Version;
use kit::options::MAP;
use kit::{Setup, TextInfo};
use netquake::constants::SVC_TEMP_ENTITY;

/// The tables as NVS was released.
pub const RELEASED: &str = include_str!("default.txt");

/// The texts that a scenario may set, by number.
pub static TEXTS: [TextInfo; 2] = [TABLES, MAP];

const TABLES: TextInfo = TextInfo {
    name: "tables",
    default: RELEASED,
    help: "the messages that have versions; the form is that of harness/nvs/src/tables/default.txt",
    check: |text| Tables::parse(text).map(drop),
    dialect: true,
};

/// Most messages of one set of tables.
pub const MAX_MESSAGES: usize = 256;
/// Most lines of one message.
pub const MAX_LINES: usize = 100;
/// Most writes of one message.
pub const MAX_WRITES: usize = 32;

/// What a Write builtin writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An unsigned byte.
    Byte,
    /// A signed byte.
    Char,
    /// Two bytes, signed.
    Short,
    /// Four bytes, signed.
    Long,
    /// An IEEE single.
    Float,
    /// Text with a NUL after it.
    String,
    /// Eighths of a unit in two bytes.
    Coord,
    /// The circle in 256 parts.
    Angle,
    /// An entity's number, in two bytes.
    Entity,
}

impl Kind {
    /// All kinds, in the order of their numbers in a scenario.
    pub const ALL: [Kind; 9] = [
        Kind::Byte,
        Kind::Char,
        Kind::Short,
        Kind::Long,
        Kind::Float,
        Kind::Coord,
        Kind::Angle,
        Kind::String,
        Kind::Entity,
    ];

    /// Bytes on the wire; for a string the size that tables assume.
    pub const fn bytes(self) -> usize {
        match self {
            Kind::Byte | Kind::Char | Kind::Angle => 1,
            Kind::Short | Kind::Coord | Kind::Entity => 2,
            Kind::Long | Kind::Float => 4,
            Kind::String => crate::constants::STRING_BYTES,
        }
    }

    /// The name, as a table's text has it.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Byte => "byte",
            Kind::Char => "char",
            Kind::Short => "short",
            Kind::Long => "long",
            Kind::Float => "float",
            Kind::String => "string",
            Kind::Coord => "coord",
            Kind::Angle => "angle",
            Kind::Entity => "entity",
        }
    }
}

/// One version of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// From which version on.
    pub version: Version,
    /// How many writes a server of this version issues, the command and sub bytes included; 0 if the message does not
    /// exist in this version.
    pub writes: usize,
    /// How many bytes a client of this version gets.
    pub bytes: usize,
    /// Which writes a client of this version gets; one flag for every write of the message's newest version.
    pub conversion: Vec<bool>,
}

impl Line {
    /// Whether a client of this version gets write number `write`.
    pub fn converts(&self, write: usize) -> bool {
        // NVS-TAB-06
        self.conversion.get(write).copied().unwrap_or(false)
    }
}

/// A message that has versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The service's number.
    pub svc: u8,
    /// The number after it, if this service has sub messages.
    pub sub: Option<u8>,
    /// What each write writes.
    pub kinds: Vec<Kind>,
    /// The versions, newest first; the last one is 0.00.
    pub lines: Vec<Line>,
}

impl Message {
    /// The index of the newest line that is not newer than `version`, among those from `start` on; the last one if
    /// there is none.
    pub fn line_from(&self, start: usize, version: Version) -> usize {
        let last = self.lines.len().saturating_sub(1);
        // NVS-TAB-03
        let found = self.lines.iter().skip(start).position(|line| line.version <= version);
        found.map_or(last, |behind| start + behind)
    }

    /// The newest line that is not newer than `version`.
    pub fn line(&self, version: Version) -> Option<&Line> {
        self.lines.get(self.line_from(0, version))
    }
}

/// The messages that have versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tables {
    messages: Vec<Message>,
}

/// Whether the byte after the service's number says which of several messages it is.
pub const fn has_subs(svc: u8) -> bool {
    matches!(svc, SVC_TEMP_ENTITY | SVC_LIMIT | SVC_EXTRA_VERSION)
}

impl Tables {
    /// The tables as NVS was released.
    pub fn released() -> Tables {
        // A test reads the text; were it broken, no message would have versions.
        Tables::parse(RELEASED).unwrap_or(Tables { messages: Vec::new() })
    }

    /// The tables of a run: the scenario's, which were checked when it was loaded.
    pub fn of(setup: &Setup) -> Tables {
        setup.texts.first().and_then(|text| Tables::parse(text).ok()).unwrap_or_else(Tables::released)
    }

    /// Reads tables from their text.
    ///
    /// # Errors
    /// A sentence with line and column: what cannot be read, or which rule for tables does not hold.
    pub fn parse(text: &str) -> Result<Tables, String> {
        text::parse(text)
    }

    /// Tables of these messages.
    pub fn new(messages: Vec<Message>) -> Tables {
        Tables { messages }
    }

    /// The messages.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The messages, to be changed.
    pub fn messages_mut(&mut self) -> &mut [Message] {
        &mut self.messages
    }

    /// The message for a service, if it has versions. The tables of sub messages are searched by `sub`; the general one,
    /// for all other services, by `svc`.
    pub fn find(&self, svc: u8, sub: u8) -> Option<&Message> {
        self.index(svc, sub).and_then(|index| self.messages.get(index))
    }

    /// As [`Tables::find`]: the place in [`Tables::messages`].
    pub fn index(&self, svc: u8, sub: u8) -> Option<usize> {
        // NVS-TAB-02, NVS-SEL-02
        let sub = has_subs(svc).then_some(sub);
        // NVS-SEL-03
        self.messages.iter().position(|message| message.svc == svc && message.sub == sub)
    }
}

#[cfg(test)]
mod tests;
