//! The messages of the shim protocol, version 1: one JSON object per line.
//!
//! What the harness sends is a [`Request`]; what comes back is the reply to that operation, with the same `seq`. Nothing that is
//! not named here may stand in a reply.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The longest line that either end sends, in bytes without its end.
pub const MAX_LINE: usize = 4 << 20;

/// What the harness asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Request {
    /// Counts from 0; the reply repeats it.
    pub seq: u64,
    /// What is asked.
    #[serde(flatten)]
    pub operation: Operation,
}

/// The operations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Operation {
    /// The first: who are you?
    Hello {
        /// The version of the shim protocol.
        version: u32,
    },
    /// A run begins: host `host` is yours.
    Open {
        /// 0 for the server, 1 and up for clients.
        host: u16,
        /// Clients in the run.
        clients: u16,
        /// The profile, such as `fte-nq`.
        profile: String,
        /// The only source of randomness, as 16 hexadecimal digits.
        seed: String,
        /// The scenario's options, all of them.
        options: BTreeMap<String, i64>,
        /// The scenario's texts, all of them.
        texts: BTreeMap<String, String>,
        /// Virtual time in microseconds at which the run begins for this host: not 0 where it is restarted.
        #[serde(default, skip_serializing_if = "is_no_time")]
        now: u64,
        /// As of `step`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<u64>,
    },
    /// Something happens to `host` at `now`.
    Step {
        /// The host.
        host: u16,
        /// Virtual time in microseconds.
        now: u64,
        /// Nothing is asked of the host before this virtual time, unless it sends something or wants a `timeout`; unknown without it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<u64>,
        /// What happens.
        #[serde(flatten)]
        input: Input,
    },
    /// What does `host` hold?
    Observe {
        /// The host.
        host: u16,
    },
    /// The run is over for `host`.
    Close {
        /// The host.
        host: u16,
    },
    /// The last: end the process.
    Bye,
}

/// What happens to a host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(tag = "input", rename_all = "snake_case")]
pub enum Input {
    /// The payload of one UDP packet arrives.
    Datagram {
        /// The host that sent it.
        from: u16,
        /// The number of the port that it came from: another number is another port.
        port: u16,
        /// The number of the receiver's port that it goes to: 0 for the main one, else the UDP port that an accept has named.
        #[serde(default, skip_serializing_if = "is_zero")]
        to_port: u16,
        /// The bytes, as lower-case hexadecimal digits.
        #[cfg_attr(feature = "schemas", schemars(regex(pattern = "^([0-9a-fA-F]{2})*$")))]
        bytes: String,
    },
    /// The scenario instructs the host.
    Command(Instruction),
    /// It is time for what `wake` asked for.
    Timeout,
}

/// An instruction of the scenario, with the protocol's own names and integers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum Instruction {
    /// To a client.
    Connect,
    /// To a client.
    Disconnect,
    /// To the server, as the others.
    Baseline {
        /// The entity.
        entity: u32,
        /// The field's name.
        field: String,
        /// The value; the bits of an IEEE single for a float field.
        value: i32,
    },
    /// An entity appears.
    Spawn {
        /// The entity.
        entity: u32,
    },
    /// A field changes.
    Set {
        /// The entity.
        entity: u32,
        /// The field's name.
        field: String,
        /// The value; the bits of an IEEE single for a float field.
        value: i32,
    },
    /// An entity goes.
    Remove {
        /// The entity.
        entity: u32,
    },
    /// A statistic of a client's player changes.
    Stat {
        /// The client.
        client: u16,
        /// The statistic's number.
        stat: u8,
        /// Its value.
        #[serde(flatten)]
        value: Number,
    },
    /// A new map begins.
    Map,
    /// A verb of the protocol's own.
    Verb {
        /// Its name.
        verb: String,
        /// Its arguments by name.
        args: BTreeMap<String, i32>,
    },
}

/// A number of a statistic: one of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Number {
    /// An integer.
    Int(i32),
    /// The bits of an IEEE single.
    Float(u32),
}

/// Why an operation was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// What the implementation cannot do, in a few words.
    pub unsupported: String,
}

/// The reply to `hello`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HelloReply {
    /// The request's.
    pub seq: u64,
    /// Instead of all else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Refusal>,
    /// The version that the shim speaks.
    #[serde(default)]
    pub version: u32,
    /// The name of the implementation.
    #[serde(default)]
    pub name: String,
    /// Which state of it this is: a version, a commit.
    #[serde(default)]
    pub build: String,
    /// `server`, `client`, or both.
    #[serde(default)]
    pub roles: Vec<String>,
    /// The profiles that it speaks.
    #[serde(default)]
    pub profiles: Vec<String>,
    /// What a client cannot show: names of fields, `stats`, `statics`, `prints`, `note NAME`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_shown: Vec<String>,
    /// The conforming variants of the reference that it is like, `PROTOCOL/NAME` each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub like: Vec<String>,
    /// Whether a server can be told what the world is: by `baseline`, `spawn`, `set`, `remove` and `stat`.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub takes_world: bool,
    /// Whether a server that takes the world shows nothing of itself, and goes its own way where scenarios set options.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_options: bool,
    /// The verbs that such a server does not take.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_taken: Vec<String>,
}

const fn yes() -> bool {
    true
}

const fn is_true(value: &bool) -> bool {
    *value
}

/// The reply to `open` and `step`: until the next input, or `wake`, nothing else will happen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StepReply {
    /// The request's.
    pub seq: u64,
    /// Instead of all else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Refusal>,
    /// Datagrams to send, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tx: Vec<Transmit>,
    /// What happened, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ev: Vec<Happening>,
    /// When it wants a `timeout`, in microseconds of virtual time.
    #[serde(default)]
    pub wake: Option<u64>,
    /// The number of the port that it sends from.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub port: u16,
}

fn is_zero(number: &u16) -> bool {
    *number == 0
}

fn is_no_time(time: &u64) -> bool {
    *time == 0
}

/// A datagram to send.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Transmit {
    /// The host.
    pub to: u16,
    /// Its port, as received.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub port: u16,
    /// The number of the sender's port: 0 for the main one, or that of the reply.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub from_port: u16,
    /// The bytes, as hexadecimal digits.
    #[cfg_attr(feature = "schemas", schemars(regex(pattern = "^([0-9a-fA-F]{2})*$")))]
    pub bytes: String,
}

/// Something that happened inside an implementation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(tag = "event", rename_all = "snake_case", deny_unknown_fields)]
pub enum Happening {
    /// A state machine moved.
    State {
        /// The host that the state belongs to; for a client's own, the server.
        peer: u16,
        /// The number of that host's port: for a client, of the one that it goes on with.
        #[serde(default, skip_serializing_if = "is_zero")]
        port: u16,
        /// The state left.
        from: String,
        /// The state entered.
        to: String,
        /// What caused it.
        #[serde(default)]
        cause: String,
    },
    /// A datagram, or a part of one, was refused.
    Rejected {
        /// Who sent it.
        peer: u16,
        /// Where in it, in bytes.
        #[serde(default)]
        offset: usize,
        /// What stands there.
        field: String,
    },
    /// Text for the player.
    Print {
        /// Its bytes, as hexadecimal digits.
        #[cfg_attr(feature = "schemas", schemars(regex(pattern = "^([0-9a-fA-F]{2})*$")))]
        text: String,
    },
    /// A note of the protocol's own.
    Note {
        /// Its name.
        note: String,
        /// Its arguments, in the order of the protocol's table.
        #[serde(default)]
        args: Vec<i64>,
    },
}

/// The reply to `observe`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ObserveReply {
    /// The request's.
    pub seq: u64,
    /// Instead of all else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Refusal>,
    /// The state that it is in.
    #[serde(default)]
    pub state: String,
    /// Server time of the newest frame: the bits of an IEEE single, in seconds.
    #[serde(default)]
    pub server_time: u32,
    /// Whether it shows a world.
    #[serde(default)]
    pub valid: bool,
    /// A client's own player; 0 while unknown.
    #[serde(default)]
    pub own_entity: u32,
    /// Entities, ascending: the number, then the value of every field in the order of the protocol's table.
    #[serde(default)]
    pub entities: Vec<Vec<i64>>,
    /// The fields of entities without a number, in the order of their announcement.
    #[serde(default)]
    pub statics: Vec<Vec<i64>>,
    /// Statistics that are not zero, ascending.
    #[serde(default)]
    pub stats: Vec<Stat>,
}

/// One statistic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Stat {
    /// Its number.
    pub stat: u8,
    /// Its value.
    #[serde(flatten)]
    pub value: Number,
}

/// The reply to `close` and `bye`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DoneReply {
    /// The request's.
    pub seq: u64,
    /// Instead of all else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Refusal>,
}
