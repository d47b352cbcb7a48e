//! What a server or a client is, and how it is driven.

use crate::hidden::Hidden;
use crate::reader::DecodeError;
use crate::time::Time;
use std::fmt;

/// The way a datagram goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// From the server to a client.
    ServerToClient,
    /// From a client to the server.
    ClientToServer,
}

impl Direction {
    /// 0 for server to client, 1 for client to server.
    pub const fn index(self) -> usize {
        match self {
            Direction::ServerToClient => 0,
            Direction::ClientToServer => 1,
        }
    }
}

/// `s2c` or `c2s`.
impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Direction::ServerToClient => "s2c",
            Direction::ClientToServer => "c2s",
        })
    }
}

/// A host of the simulated network: 0 is the server, 1 and up are clients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostId(pub u16);

impl HostId {
    /// The server.
    pub const SERVER: HostId = HostId(0);
}

/// `server`, `client1`, `client2`, …
impl fmt::Display for HostId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.pad("server"),
            n => f.pad(&format!("client{n}")),
        }
    }
}

/// The address of a peer, as the receiver of a datagram sees it: a host and a source port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PeerId {
    /// The host.
    pub host: HostId,
    /// The source port; an address translator may change it in mid-session.
    pub port: u16,
}

impl PeerId {
    /// The server's address.
    pub const SERVER: PeerId = PeerId { host: HostId::SERVER, port: 0 };

    /// The address of client `n` (1 and up).
    pub const fn client(n: u16) -> PeerId {
        PeerId { host: HostId(n), port: 0 }
    }
}

/// An instruction from the scenario. Names were resolved to numbers when the scenario was loaded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Command {
    /// To a client: connect to the server.
    Connect,
    /// To a client: leave.
    Disconnect,
    /// To the server: give `entity` a baseline value. Takes effect at the next map start.
    Baseline {
        /// The entity's number.
        entity: u32,
        /// Index into [`Protocol::fields`](crate::protocol::Protocol::fields).
        field: usize,
        /// The value; the bits of an `f32` for a float field.
        value: i32,
    },
    /// To the server: `entity` appears in the world, with its baseline values.
    Spawn {
        /// The entity's number.
        entity: u32,
    },
    /// To the server: change one field of a live entity.
    Set {
        /// The entity's number.
        entity: u32,
        /// Index into [`Protocol::fields`](crate::protocol::Protocol::fields).
        field: usize,
        /// The value; the bits of an `f32` for a float field.
        value: i32,
    },
    /// To the server: `entity` leaves the world.
    Remove {
        /// The entity's number.
        entity: u32,
    },
    /// To the server: change a statistic of one client's player.
    Stat {
        /// The client, 1 and up.
        client: u16,
        /// The statistic's number.
        stat: u8,
        /// Its value.
        value: StatValue,
    },
    /// To the server: start a new map. The world is emptied; clients sign on again.
    Map,
    /// One of the protocol's own verbs.
    Verb {
        /// Index into [`Protocol::verbs`](crate::protocol::Protocol::verbs).
        verb: usize,
        /// Its arguments; unused ones are 0.
        args: [i32; 4],
    },
}

impl Command {
    /// Whether it says what the world is, which nobody can tell some servers.
    pub const fn is_of_world(&self) -> bool {
        matches!(
            self,
            Command::Baseline { .. }
                | Command::Spawn { .. }
                | Command::Set { .. }
                | Command::Remove { .. }
                | Command::Stat { .. }
        )
    }
}

/// The value of a statistic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StatValue {
    /// An integer.
    Int(i32),
    /// A float.
    Float(f32),
}

impl fmt::Display for StatValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StatValue::Int(value) => value.fmt(f),
            StatValue::Float(value) => value.fmt(f),
        }
    }
}

/// Something that happened inside an endpoint, for the trace and the oracles.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A state machine moved. States are per peer on a server.
    State {
        /// The peer that the state belongs to; the server, for a client.
        peer: PeerId,
        /// The state left.
        from: &'static str,
        /// The state entered.
        to: &'static str,
        /// What caused it.
        cause: &'static str,
    },
    /// A datagram, or a part of one, was refused. The endpoint goes on.
    Rejected {
        /// Who sent it.
        peer: PeerId,
        /// What is wrong with it.
        error: DecodeError,
    },
    /// Text meant for the player.
    Print {
        /// The text; Quake text is bytes.
        text: Vec<u8>,
    },
    /// A note of the protocol's own.
    Note {
        /// Index into [`Protocol::notes`](crate::protocol::Protocol::notes).
        note: usize,
        /// Its arguments; unused ones are 0.
        args: [i64; 4],
    },
}

/// What an endpoint holds, as the scenario's observer sees it. Reused between observations.
///
/// A client shows what its player would see; a server what it believes the world to be.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    /// The state of the endpoint's outermost state machine.
    pub state: &'static str,
    /// Server time of the newest applied frame: the bits of an `f32`, in seconds.
    pub server_time: u32,
    /// Whether the endpoint holds a state that it would show (false before the first complete update).
    pub valid: bool,
    /// A client's own player, through whose eyes it sees; 0 while unknown.
    pub own_entity: u32,
    /// Entity numbers, ascending.
    pub numbers: Vec<u32>,
    /// The entities' fields, one after the other; as many per entity as the protocol has fields.
    pub fields: Vec<i32>,
    /// Fields of entities that have no number, because nothing can change them; in the order of their announcement.
    pub statics: Vec<i32>,
    /// Statistics that differ from zero: number and value, ascending.
    pub stats: Vec<(u8, StatValue)>,
    /// What of all this the endpoint cannot show.
    pub hidden: Hidden,
}

impl View {
    /// Empties the view, keeping its memory.
    pub fn clear(&mut self) {
        self.state = "";
        self.server_time = 0;
        self.valid = false;
        self.own_entity = 0;
        self.numbers.clear();
        self.fields.clear();
        self.statics.clear();
        self.stats.clear();
        self.hidden = Hidden::default();
    }

    /// Takes out what is not shown. Entities have `stride` fields.
    pub fn hide(&mut self, hidden: Hidden, stride: usize) {
        self.hidden = hidden;
        hidden.blank(&mut self.fields, stride);
        hidden.blank(&mut self.statics, stride);
        if hidden.statics {
            self.statics.clear();
        }
        if hidden.stats {
            self.stats.clear();
        }
    }

    /// The fields of `entity`, if it is there.
    pub fn entity(&self, entity: u32) -> Option<&[i32]> {
        let index = crate::numbers::place_of(&self.numbers, entity).ok()?;
        let stride = self.fields.len() / self.numbers.len();
        self.fields.get(index * stride..(index + 1) * stride)
    }
}

/// A server or a client as a pure state machine: no clock, no socket, no randomness but its seed.
///
/// # Contract
/// Whoever drives an endpoint repeats this cycle and nothing else:
///
/// 1. one input: `handle_command`, `handle_datagram` or `handle_timeout`;
/// 2. `poll_transmit` until it returns `None`: each call appends one datagram to the cleared `out`;
/// 3. `poll_event` until it returns `None`;
/// 4. `poll_timeout`: when to call `handle_timeout` next, unless another input comes first.
///
/// `now` never runs backwards. `handle_timeout` may come early or late and then does nothing or catches up.
/// Handlers return nothing: a bad datagram is an observation ([`Event::Rejected`]), not an error of the program.
/// No input may panic. In the steady state no call allocates.
pub trait Endpoint {
    /// Takes an instruction from the scenario. One that makes no sense here is ignored with an [`Event::Note`].
    fn handle_command(&mut self, now: Time, command: &Command);
    /// Takes a datagram: the payload of one UDP packet.
    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]);
    /// Time has come to what `poll_timeout` said.
    fn handle_timeout(&mut self, now: Time);
    /// Appends the next datagram to send to `out`, and says to whom.
    fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> Option<PeerId>;
    /// The next thing that happened.
    fn poll_event(&mut self) -> Option<Event>;
    /// When the endpoint wants to be called, if nothing else happens.
    fn poll_timeout(&self) -> Option<Time>;
    /// The source port that it wants to send from, as a number of its own: another number asks for another port. A client
    /// whose server ignores what comes from its old port has no other way back.
    fn source_port(&self) -> u16 {
        0
    }
    /// To a server: whoever drives it received nothing from `client` for too long. Its session ends without a word. Servers whose
    /// protocol has a time-out of its own need not do anything.
    fn forget(&mut self, _client: HostId) {}
    /// Whether it wants [`Self::quiet_until`]. Asked once, before the first input.
    fn wants_quiet(&self) -> bool {
        false
    }
    /// Comes before an input: after that, nothing comes before `until`, as long as this endpoint sends nothing, but for the timeout that
    /// it asks for. Who cannot know that never says it.
    fn quiet_until(&mut self, _until: Time) {}
    /// Writes what the endpoint holds into `view`, which the caller has cleared.
    fn observe(&self, view: &mut View);
}

/// For an endpoint around another: passes calls of these methods of [`Endpoint`](crate::Endpoint) on to it as they are. It stands in
/// the `impl`; the methods that do more are written beside it.
///
/// ```text
/// kit::pass_on!(inner: handle_timeout poll_event poll_timeout);
/// ```
#[macro_export]
macro_rules! pass_on {
    ($inner:tt: $($method:ident)+) => { $($crate::pass_on!(@$method $inner);)+ };
    (@handle_command $inner:tt) => {
        fn handle_command(&mut self, now: $crate::Time, command: &$crate::Command) {
            self.$inner.handle_command(now, command);
        }
    };
    (@handle_datagram $inner:tt) => {
        fn handle_datagram(&mut self, now: $crate::Time, from: $crate::PeerId, bytes: &[u8]) {
            self.$inner.handle_datagram(now, from, bytes);
        }
    };
    (@handle_timeout $inner:tt) => {
        fn handle_timeout(&mut self, now: $crate::Time) {
            self.$inner.handle_timeout(now);
        }
    };
    (@poll_transmit $inner:tt) => {
        fn poll_transmit(&mut self, now: $crate::Time, out: &mut Vec<u8>) -> Option<$crate::PeerId> {
            self.$inner.poll_transmit(now, out)
        }
    };
    (@poll_event $inner:tt) => {
        fn poll_event(&mut self) -> Option<$crate::Event> {
            self.$inner.poll_event()
        }
    };
    (@poll_timeout $inner:tt) => {
        fn poll_timeout(&self) -> Option<$crate::Time> {
            self.$inner.poll_timeout()
        }
    };
    (@source_port $inner:tt) => {
        fn source_port(&self) -> u16 {
            self.$inner.source_port()
        }
    };
    (@forget $inner:tt) => {
        fn forget(&mut self, client: $crate::HostId) {
            self.$inner.forget(client);
        }
    };
    (@wants_quiet $inner:tt) => {
        fn wants_quiet(&self) -> bool {
            self.$inner.wants_quiet()
        }
    };
    (@quiet_until $inner:tt) => {
        fn quiet_until(&mut self, until: $crate::Time) {
            self.$inner.quiet_until(until);
        }
    };
    (@observe $inner:tt) => {
        fn observe(&self, view: &mut $crate::View) {
            self.$inner.observe(view);
        }
    };
}
