//! What a scenario can choose about the two ends.

use crate::constants::*;
use crate::dialect::Transport;
use crate::handshake::Extensions;
use kit::{OptionInfo, Profile, Setup};

/// FTE over NetQuake.
const NETQUAKE: usize = 0;
/// FTE over QuakeWorld.
const QUAKEWORLD: usize = 1;

/// The profiles, by number.
pub static PROFILES: [Profile; 2] = [
    Profile { name: "fte-nq", title: "FTE replacement deltas over NetQuake", index: NETQUAKE },
    Profile { name: "fte-qw", title: "FTE replacement deltas over QuakeWorld", index: QUAKEWORLD },
];

/// The transport of a profile.
pub fn transport(profile: &Profile) -> Transport {
    if profile.index == QUAKEWORLD { Transport::QuakeWorld } else { Transport::NetQuake }
}

/// The options, by number.
pub static OPTIONS: [OptionInfo; 12] = [
    OptionInfo { name: "tick_us", default: 50_000, help: "time between server frames, in microseconds" },
    OptionInfo { name: "client_tick_us", default: 50_000, help: "time between client packets, in microseconds" },
    OptionInfo { name: "server_fte1", default: 0, help: "FTE1 extension mask that the server supports" },
    OptionInfo { name: "server_fte2", default: 0x28, help: "FTE2 extension mask that the server supports" },
    OptionInfo { name: "client_fte1", default: 0, help: "FTE1 extension mask that clients ask for" },
    OptionInfo { name: "client_fte2", default: 0x28, help: "FTE2 extension mask that clients ask for" },
    OptionInfo { name: "datagram_limit", default: 1024, help: "most bytes of messages in one server datagram" },
    OptionInfo {
        name: "datagrams_per_tick",
        default: 0,
        help: "most entity datagrams of a NetQuake server in one tick; 0 for the implementation's own choice",
    },
    OptionInfo {
        name: "numbers_as_documented",
        default: 0,
        help: "1: regular entity numbers from 32768 as the document has them, not as engines do (erratum E1)",
    },
    OptionInfo { name: "move_start", default: 0, help: "the client's first movement sequence, less one" },
    OptionInfo {
        name: "proxy_strips",
        default: 0,
        help: "1: a proxy between the two removes the extension data from the QuakeWorld handshake",
    },
    OptionInfo {
        name: "client_private",
        default: 0,
        help: "1: clients also send a private extension, with a quoted value that has blanks, before those of FTE",
    },
];

/// The options of a run, read.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The transport.
    pub transport: Transport,
    /// Time between server frames, in microseconds.
    pub tick_us: u64,
    /// Time between client packets, in microseconds.
    pub client_tick_us: u64,
    /// What the server supports.
    pub server_extensions: Extensions,
    /// What clients ask for.
    pub client_extensions: Extensions,
    /// Most bytes of messages in one server datagram.
    pub datagram_limit: usize,
    /// Most bytes of a QuakeWorld packet.
    pub packet_bytes: usize,
    /// Most entity datagrams of a NetQuake server in one tick, if the scenario says.
    pub datagrams_per_tick: Option<usize>,
    /// Where the bits of large regular entity numbers go (erratum E1).
    pub numbers_as_documented: bool,
    /// The movement sequence before the client's first.
    pub move_start: u32,
    /// Whether extension data of the QuakeWorld handshake gets lost.
    pub proxy_strips: bool,
    /// Whether clients send a private extension, too.
    pub client_private: bool,
}

impl Options {
    /// Reads a setup's options; values out of range are clamped.
    pub fn new(setup: &Setup) -> Options {
        let value = |name: &str| {
            let index = OPTIONS.iter().position(|option| option.name == name);
            index.and_then(|index| setup.options.get(index)).copied().unwrap_or_default()
        };
        let mask = |name: &str| value(name) as u32;
        let tick_us = |name: &str| value(name).clamp(1_000, 10_000_000) as u64;
        // An entity update takes at most some 110 bytes; below this limit one might never fit.
        let datagram_limit = value("datagram_limit").clamp(256, 8192) as usize;
        Options {
            transport: transport(setup.profile),
            tick_us: tick_us("tick_us"),
            client_tick_us: tick_us("client_tick_us"),
            server_extensions: Extensions { fte1: mask("server_fte1"), fte2: mask("server_fte2") },
            client_extensions: Extensions { fte1: mask("client_fte1"), fte2: mask("client_fte2") },
            datagram_limit,
            packet_bytes: datagram_limit.max(1450),
            datagrams_per_tick: Some(value("datagrams_per_tick").clamp(0, 64) as usize).filter(|&count| count > 0),
            numbers_as_documented: value("numbers_as_documented") != 0,
            move_start: mask("move_start"),
            proxy_strips: value("proxy_strips") != 0,
            client_private: value("client_private") != 0,
        }
    }

    /// What both ends support, and the project implements: what a server echoes.
    pub fn agreed(&self, asked: &Extensions) -> Extensions {
        let known = Extensions { fte1: PEXT_FLOATCOORDS, fte2: PEXT2_REPLACEMENTDELTAS | PEXT2_PREDINFO };
        let mut agreed = asked.mask(self.server_extensions).mask(known);
        if agreed.fte2 & PEXT2_REPLACEMENTDELTAS == 0 {
            // PREDINFO alone would change services that this server does not send in its changed form.
            agreed.fte2 = 0;
        }
        agreed
    }
}
