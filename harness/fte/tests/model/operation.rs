//! What can happen to a server, a client and the wire between them.

use fte::constants::{PEXT_FLOATCOORDS, PEXT2_PREDINFO, PEXT2_REPLACEMENTDELTAS};
use fte::state::FIELD_TABLE;
use fte::{PROTOCOL, options};
use kit::table::float_value;
use kit::{Setup, Unit};
use std::fmt;

/// Where a datagram goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// To the server.
    Server,
    /// To the client.
    Client,
}

/// A value for a field; shows the field's name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// Index into the protocol's fields.
    pub field: usize,
    /// The value; the bits of an `f32` for a float field.
    pub value: i32,
}

impl fmt::Debug for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = &FIELD_TABLE[self.field];
        match field.unit {
            Unit::Float => write!(f, "{} = {}", field.name, float_value(self.value)),
            Unit::Int(..) => write!(f, "{} = {}", field.name, self.value),
        }
    }
}

/// One thing that happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// An entity appears, as its baseline has it.
    Spawn(u32),
    /// A field of an entity changes.
    Set(u32, Setting),
    /// An entity goes.
    Remove(u32),
    /// A statistic changes.
    Stat(u8, i32),
    /// A new map begins.
    Map,
    /// The client asks for a reset: it acknowledges -1 with its next packet.
    AskReset,
    /// NetQuake: the server sends datagrams without a frame, which use up numbers.
    Nops(u8),
    /// Both ends act on the time; what they send is under way.
    Tick,
    /// A datagram under way arrives: the first, or one after it, which overtakes.
    Deliver(End, usize),
    /// The same, and it stays under way.
    Duplicate(End, usize),
    /// A datagram under way is lost.
    Lose(End, usize),
    /// A tick, and everything under way arrives in order, answers included.
    Round,
    /// So many ticks in which nothing arrives at one end, and everything at the other.
    OneWayOutage(End, u32),
    /// So many ticks in which nothing arrives.
    Outage(u32),
    /// Losses stop and the world stands still, until the client must hold what there is.
    Settle,
}

/// What a session agrees upon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// QuakeWorld, not NetQuake.
    pub quakeworld: bool,
    /// `PEXT2_PREDINFO`.
    pub predinfo: bool,
    /// `PEXT_FLOATCOORDS`.
    pub floatcoords: bool,
    /// Most bytes of messages in a datagram of the server.
    pub datagram_limit: u16,
}

impl Agreement {
    /// The setup of a run that agrees upon this.
    pub fn setup(&self) -> Setup {
        let mut setup = Setup::new(&PROTOCOL, &options::PROFILES[usize::from(self.quakeworld)]);
        let fte1 = if self.floatcoords { PEXT_FLOATCOORDS } else { 0 };
        let fte2 = PEXT2_REPLACEMENTDELTAS | if self.predinfo { PEXT2_PREDINFO } else { 0 };
        for (option, value) in options::OPTIONS.iter().zip(&mut setup.options) {
            match option.name {
                "server_fte1" | "client_fte1" => *value = fte1.into(),
                "server_fte2" | "client_fte2" => *value = fte2.into(),
                "datagram_limit" => *value = self.datagram_limit.into(),
                _ => {}
            }
        }
        setup
    }
}
