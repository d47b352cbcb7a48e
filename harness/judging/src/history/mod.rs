//! What happened in a run, as data: commands, datagrams with their fates and fields, state changes, notes, findings.
//!
//! [`Recorder`] writes it down; `transcript` makes lines of it, [`diff`] compares two. It borrows nothing from the run, has
//! no protocol's tables in it, and is read from JSON as it was written.

pub mod demo;
pub mod diff;
mod json;
mod record;

pub use json::{HistoryError, parse, write};
pub use record::{Detail, Recorder, options};

use crate::finding::FindingReport;
use json::{bytes_as_hex, damage, direction, hash_as_hex, host, time};
use kit::{Damage, Direction, HostId, PacketId, Time};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What happened in a run, in the order in which it happened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    pub run: Run,
    /// What happened.
    pub entries: Vec<Entry>,
    /// When it ended.
    pub end: Time,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The case, or the file of a recording.
    pub case: String,
    pub protocol: String,
    pub profile: String,
    pub clients: u16,
    /// The seed; a recording has none.
    pub seed: Option<u64>,
    /// The UDP port at which servers of the profile usually listen.
    pub server_port: u16,
    /// The options with other values than their defaults.
    pub options: Vec<Argument>,
    /// What was in the place of the reference, as the command line says it; empty for the reference.
    #[serde(default)]
    pub candidate: String,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// When, in microseconds.
    #[serde(rename = "at_us", with = "time")]
    pub at: Time,
    /// The trace hash of everything up to here, this included.
    #[serde(rename = "trace", with = "hash_as_hex")]
    pub hash: u64,
    #[serde(flatten)]
    pub what: What,
}

/// What can happen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// The scenario instructs a host.
    Command {
        #[serde(with = "host")]
        host: HostId,
        /// The instruction.
        text: String,
    },
    /// A datagram is sent.
    Sent(Box<Datagram>),
    /// A datagram arrives.
    Delivered {
        #[serde(flatten)]
        packet: Packet,
        /// Which of its copies, from 0.
        copy: u8,
        /// Whether the bytes are those sent.
        intact: bool,
    },
    /// A state machine moves.
    State {
        /// Whose.
        #[serde(with = "host")]
        host: HostId,
        /// The peer that the state belongs to; the server, for a client.
        #[serde(with = "host")]
        peer: HostId,
        /// The state left.
        from: String,
        /// The state entered.
        to: String,
        /// What caused it.
        cause: String,
    },
    /// A datagram, or a part of one, is refused.
    Rejected {
        /// By whom.
        #[serde(with = "host")]
        host: HostId,
        /// Who sent it.
        #[serde(with = "host")]
        peer: HostId,
        /// What is wrong with it.
        why: String,
    },
    /// Text for the player.
    Print {
        /// Whose player.
        #[serde(with = "host")]
        host: HostId,
        text: String,
    },
    /// A note of an endpoint about itself.
    Note {
        /// The endpoint.
        #[serde(with = "host")]
        host: HostId,
        /// What it notes.
        name: String,
        arguments: Vec<Argument>,
    },
    /// A violation is certain.
    Finding(Box<Found>),
}

/// An argument of a note, or an option of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Argument {
    pub name: String,
    pub value: i64,
}

/// Which datagram: `c1 s2c #12`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Packet {
    /// The client at the link's far end.
    #[serde(with = "host")]
    pub client: HostId,
    #[serde(with = "direction")]
    pub direction: Direction,
    /// Its place among all datagrams of this link and direction, from 0.
    pub index: u32,
}

impl Packet {
    /// Who sends it.
    pub fn sender(&self) -> HostId {
        if self.direction == Direction::ServerToClient { HostId::SERVER } else { self.client }
    }

    /// Whom it is for.
    pub fn receiver(&self) -> HostId {
        if self.direction == Direction::ServerToClient { self.client } else { HostId::SERVER }
    }

    /// Its name in a trace. Slot and ordinal, which only draws of fates use, are not kept.
    pub fn id(&self) -> PacketId {
        PacketId { client: self.client, direction: self.direction, slot: self.index, ordinal: 0, index: self.index }
    }
}

impl From<PacketId> for Packet {
    fn from(id: PacketId) -> Packet {
        Packet { client: id.client, direction: id.direction, index: id.index }
    }
}

impl fmt::Display for Packet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.id().fmt(f)
    }
}

/// A datagram, decoded, and what becomes of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Datagram {
    #[serde(flatten)]
    pub packet: Packet,
    /// The bytes, as sent.
    #[serde(with = "bytes_as_hex")]
    pub bytes: Vec<u8>,
    /// What the network does with it.
    #[serde(flatten)]
    pub fate: Fate,
    /// What it says, in a line.
    pub summary: String,
    pub carries: Vec<Carried>,
    /// Its fields, where they were asked for.
    pub fields: Vec<Field>,
    /// Messages longer than it that it completed.
    pub messages: Vec<Message>,
    /// Why the rest of it cannot be decoded, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Datagram {
    /// Puts the bytes of its copy into `bytes`, as they arrived.
    pub fn arrived(&self, copy: u8, bytes: &mut Vec<u8>) {
        bytes.clone_from(&self.bytes);
        if let Fate::Arrives(arrivals) = &self.fate {
            arrivals.get(usize::from(copy)).map(|arrival| arrival.damage.apply(bytes));
        }
    }
}

/// What the network does with a datagram.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It is lost, and why.
    Lost(String),
    /// It arrives: once, or a second time.
    Arrives(Vec<Arrival>),
}

/// One arrival of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrival {
    /// When, in microseconds.
    #[serde(rename = "at_us", with = "time")]
    pub at: Time,
    /// What happens to the bytes on the way.
    #[serde(with = "damage", default, skip_serializing_if = "is_whole")]
    pub damage: Damage,
}

fn is_whole(damage: &Damage) -> bool {
    *damage == Damage::None
}

/// `lost: random`, `arrives 0.352398s`, `arrives 0.1s cut to 4 bytes and 0.2s`.
impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fate::Lost(why) => write!(f, "lost: {why}"),
            Fate::Arrives(arrivals) => {
                for (place, arrival) in arrivals.iter().enumerate() {
                    f.write_str(if place == 0 { "arrives " } else { " and " })?;
                    write!(f, "{}{}", arrival.at, arrival.damage)?;
                }
                Ok(())
            }
        }
    }
}

/// Something that a datagram carries, such as a reset of entity 5.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Carried {
    pub kind: String,
    /// The entity, frame or sequence that it concerns; 0 where there is none.
    pub number: u32,
}

/// One field of a datagram or message, or a group of fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Its name.
    pub field: String,
    /// Offset of its first byte.
    pub offset: usize,
    /// Number of its bytes.
    pub length: usize,
    /// Nesting, from 0.
    pub depth: u8,
    /// Its value; a group has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// A reassembled message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    #[serde(with = "bytes_as_hex")]
    pub bytes: Vec<u8>,
    pub fields: Vec<Field>,
}

/// A finding, and the datagram at which it was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// What was found.
    #[serde(flatten)]
    pub finding: FindingReport,
    /// The datagram that made it certain; `None` where none did, as at the end of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
}

/// The datagram that made a finding certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    #[serde(flatten)]
    pub packet: Packet,
    /// When in its life.
    pub stage: CauseStage,
}

/// When in its life a datagram makes a finding certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CauseStage {
    /// When it is sent.
    Sent,
    /// When it arrives.
    Delivered,
    /// When its receiver has acted on it.
    Handled,
}

impl CauseStage {
    /// The name, as in every output.
    pub const fn name(self) -> &'static str {
        match self {
            CauseStage::Sent => "sent",
            CauseStage::Delivered => "delivered",
            CauseStage::Handled => "handled",
        }
    }
}

impl History {
    /// The datagram with this name, and its place among the entries.
    pub fn datagram(&self, packet: Packet) -> Option<(usize, &Datagram)> {
        self.datagrams().find(|(_, datagram)| datagram.packet == packet)
    }

    /// All datagrams in the order of sending, with their places among the entries.
    pub fn datagrams(&self) -> impl Iterator<Item = (usize, &Datagram)> {
        self.entries.iter().enumerate().filter_map(|(place, entry)| match &entry.what {
            What::Sent(datagram) => Some((place, datagram.as_ref())),
            _ => None,
        })
    }

    /// All findings, with their places among the entries.
    pub fn findings(&self) -> impl Iterator<Item = (usize, &Found)> {
        self.entries.iter().enumerate().filter_map(|(place, entry)| match &entry.what {
            What::Finding(found) => Some((place, found.as_ref())),
            _ => None,
        })
    }

    /// The place of the first violation of an obligation; a mere recommendation counts where there is no other.
    pub fn first_finding(&self) -> Option<usize> {
        let must = self.findings().find(|(_, found)| found.finding.is_must());
        must.or_else(|| self.findings().next()).map(|(place, _)| place)
    }

    /// Forgets the findings that are not in order to `keep`, which gets whether each is, in the order of finding.
    pub fn keep_findings(&mut self, keep: &[bool]) {
        let mut keep = keep.iter();
        self.entries.retain(|entry| !matches!(entry.what, What::Finding(_)) || keep.next().copied().unwrap_or(true));
    }
}
