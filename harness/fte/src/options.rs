//! What a scenario can choose about the two ends.

use crate::constants::*;
use crate::delta::Forms;
use crate::dialect::{Readings, Transport};
use crate::extensions::{Extensions, FTE2_BEYOND_CLIENT};
use crate::latitude::{Latitude, Mentions, ResetFields};
use kit::options::{MAP, option};
use kit::{Chosen, KnownBy, OptionInfo, Profile, Setup, TextInfo};
use netquake::constants::{PROTOCOL_FITZQUAKE, PROTOCOL_NETQUAKE};

/// FTE over NetQuake.
const NETQUAKE: usize = 0;
/// FTE over QuakeWorld.
const QUAKEWORLD: usize = 1;

/// The profiles, by number.
pub static PROFILES: [Profile; 2] = [
    Profile {
        name: "fte-nq",
        title: "FTE replacement deltas over NetQuake",
        index: NETQUAKE,
        udp_port: 26_000,
        known_by: KnownBy::Port,
    },
    Profile {
        name: "fte-qw",
        title: "FTE replacement deltas over QuakeWorld",
        index: QUAKEWORLD,
        udp_port: 27_500,
        known_by: KnownBy::Number,
    },
];

/// How engines record sessions of a profile, and what follows such a recording.
pub fn demo(profile: &Profile, scene: fn(&Setup) -> Box<dyn kit::Scene>) -> Option<kit::Demo> {
    let (client, server) = match transport(profile) {
        Transport::NetQuake => (kit::Container::Dem, None),
        Transport::QuakeWorld => (kit::Container::Qwd, Some(kit::Container::Mvd)),
    };
    Some(kit::Demo { client, server, scene })
}

/// The transport of a profile.
pub fn transport(profile: &Profile) -> Transport {
    if profile.index == QUAKEWORLD { Transport::QuakeWorld } else { Transport::NetQuake }
}

/// Numbers that are no strange keys of a serverdata: none at all, and those of protocols, which end its pairs.
const NO_KEYS: [u32; 4] = [0, PROTOCOL_NETQUAKE, PROTOCOL_FITZQUAKE, PROTOCOL_VERSION_QW];

/// The options, by number.
pub static OPTIONS: [OptionInfo; 28] = [
    option("tick_us", 50_000, 1_000..=1_000_000, "time between server frames, in microseconds"),
    option("client_tick_us", 50_000, 1_000..=1_000_000, "time between client packets, in microseconds"),
    option("server_fte1", 0, 0..=0xffff_ffff, "FTE1 extension mask that the server supports"),
    option("server_fte2", 0x28, 0..=0xffff_ffff, "FTE2 extension mask that the server supports"),
    option("client_fte1", 0, 0..=0xffff_ffff, "FTE1 extension mask that clients ask for"),
    option(
        "client_fte2",
        0x28,
        0..=0xffff_ffff,
        "FTE2 extension mask that clients ask for, but for what has a meaning that they cannot write or read",
    ),
    option("datagram_limit", 1024, 256..=8_192, "most bytes of messages in one server datagram"),
    option(
        "datagrams_per_tick",
        0,
        0..=64,
        "most entity datagrams of a NetQuake server in one tick; 0 for the implementation's own choice",
    ),
    option(
        "numbers_as_documented",
        0,
        0..=1,
        "1: regular entity numbers from 32768 as the specification has them, not as engines do (erratum E1)",
    )
    .of_dialect(),
    option(
        "abslight_from_6",
        0,
        0..=1,
        "1: abslight follows low drawflags of 6, too, as FTEQW has it, not of 7 alone (erratum E9)",
    )
    .of_dialect(),
    option(
        "trails_as_documented",
        0,
        0..=1,
        "1: a trail is one short with all its bits, as the specification has it, not 14 bits and perhaps another number \
         as engines do (erratum E14)",
    )
    .of_dialect(),
    option(
        "angles_as_documented",
        0,
        0..=1,
        "1: angles beside a pred block have 16 bits with PREDINFO, too, as the specification has them (erratum E15)",
    )
    .of_dialect(),
    option("move_start", 0, 0..=0xffff_ffff, "the client's first movement sequence, less one"),
    option(
        "proxy_strips",
        0,
        0..=1,
        "1: a proxy between the two removes the extension data from the QuakeWorld handshake",
    ),
    option(
        "client_private",
        0,
        0..=1,
        "1: clients also send a private extension, with a quoted value that has blanks, before those of FTE",
    ),
    option("long_indices", 0, 0..=1, "1: the server gives small entity numbers a high byte, too"),
    option("all_flag_bytes", 0, 0..=1, "1: the server writes four flag bytes, zero or not"),
    option(
        "widest_forms",
        0,
        0..=1,
        "1: the server gives small values their wide forms, and wide models the flag of a ragdoll",
    ),
    option("explicit_resets", 0, 0..=1, "1: the server writes every field beside a RESET"),
    option("idle_entries", 0, 0..=1, "1: the server mentions an entity that did not change"),
    option(
        "undefined_flag",
        0,
        0..=31,
        "18, 30 or 31: the server once sets this UF flag, which is undefined; that is no fault of the server",
    ),
    option(
        "server_protocol_key",
        0,
        0..=0xffff_ffff,
        "a number that no protocol has: the server announces it, and a mask of 0, before all else; 0 for none",
    ),
    option(
        "rate",
        0,
        0..=100_000_000,
        "most bytes of messages per second that the server sends to a client in the game; 0 for no limit",
    ),
    option(
        "challenge_connect",
        0,
        0..=1,
        "1: the NetQuake server has a client repeat an unreliable `cmd challengeconnect` before it accepts it a second \
         time, on a channel that starts over, as FTEQW does",
    ),
    option(
        "asks_protocols",
        0,
        0..=1,
        "1: the NetQuake server asks for `cmd protocols`, too, and speaks 666 where the answer has it, as FTEQW does",
    ),
    option(
        "connects_once",
        0,
        0..=1,
        "1: the QuakeWorld server ignores a connect of a client that it accepted, as FTEQW does",
    ),
    option("map_checksum", 0, 0..=0xffff_ffff, "the checksum of the map that QuakeWorld clients send with `prespawn`"),
    option(
        "client_rate",
        0,
        0..=0xffff_ffff,
        "bytes per second that QuakeWorld clients ask for; 0 for no mention, to servers that are not ours 100000",
    ),
];

/// What a scenario gives as text, by number.
pub static TEXTS: [TextInfo; 1] = [MAP];

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
    /// How both ends read what the specification leaves ambiguous.
    pub readings: Readings,
    /// The movement sequence before the client's first.
    pub move_start: u32,
    /// Whether extension data of the QuakeWorld handshake gets lost.
    pub proxy_strips: bool,
    /// Whether clients send a private extension, too.
    pub client_private: bool,
    /// The forms that the server must use, where the scenario says.
    pub forms: Forms,
    /// Whether the server must write every field beside a RESET.
    pub explicit_resets: bool,
    /// Whether the server must mention what did not change.
    pub idle_entries: bool,
    /// UF flags that the server must raise once, although nobody defines them.
    pub undefined_flags: u64,
    /// What a server announces that nobody can know.
    pub strange_key: Option<u32>,
    /// Most bytes of messages per second that the server sends to a client in the game; 0 for no limit.
    pub rate: u64,
    /// Whether the NetQuake server checks the address of a client before it accepts it.
    pub challenge_connect: bool,
    /// Whether the NetQuake server asks for protocols.
    pub asks_protocols: bool,
    /// Whether the QuakeWorld server ignores a repeated connect.
    pub connects_once: bool,
    /// The checksum of the map that clients send.
    pub map_checksum: u32,
    /// Bytes per second that clients ask for, if they do.
    pub client_rate: Option<u32>,
}

/// Bytes per second that a client asks a server for that is not ours: without a word, engines send few.
const SANE_RATE: u32 = 100_000;

impl Options {
    /// Reads a setup's options; values out of range are clamped.
    pub fn new(setup: &Setup) -> Options {
        let chosen = Chosen::new(&OPTIONS, setup);
        // An entity update takes at most some 110 bytes; below this limit one might never fit.
        let datagram_limit = chosen.size("datagram_limit", 256, 8192);
        Options {
            transport: transport(setup.profile),
            tick_us: chosen.tick_us("tick_us", 10_000_000),
            client_tick_us: chosen.tick_us("client_tick_us", 10_000_000),
            server_extensions: Extensions { fte1: chosen.mask("server_fte1"), fte2: chosen.mask("server_fte2") },
            client_extensions: Extensions {
                fte1: chosen.mask("client_fte1"),
                // A server can have whatever it is asked for. FTE-HS-12
                fte2: chosen.mask("client_fte2") & !FTE2_BEYOND_CLIENT,
            },
            datagram_limit,
            packet_bytes: datagram_limit.max(1450),
            datagrams_per_tick: Some(chosen.size("datagrams_per_tick", 0, 64)).filter(|&count| count > 0),
            readings: Readings {
                numbers_as_documented: chosen.is_on("numbers_as_documented"),
                abslight_from_6: chosen.is_on("abslight_from_6"),
                trails_as_documented: chosen.is_on("trails_as_documented"),
                angles_as_documented: chosen.is_on("angles_as_documented"),
                multi_view: setup.vantage.demo == Some(kit::DemoOf::Server),
            },
            move_start: chosen.mask("move_start"),
            proxy_strips: transport(setup.profile) == Transport::QuakeWorld && chosen.is_on("proxy_strips"),
            client_private: chosen.is_on("client_private"),
            forms: Forms {
                long_index: chosen.is_on("long_indices"),
                all_flag_bytes: chosen.is_on("all_flag_bytes"),
                widest: chosen.is_on("widest_forms"),
            },
            explicit_resets: chosen.is_on("explicit_resets"),
            idle_entries: chosen.is_on("idle_entries"),
            undefined_flags: match chosen.value("undefined_flag") {
                bit @ (18 | 30 | 31) => 1 << bit,
                _ => 0,
            },
            strange_key: Some(chosen.mask("server_protocol_key")).filter(|key| !NO_KEYS.contains(key)),
            rate: chosen.value("rate").clamp(0, 100_000_000) as u64,
            challenge_connect: chosen.is_on("challenge_connect"),
            asks_protocols: chosen.is_on("asks_protocols"),
            connects_once: chosen.is_on("connects_once"),
            map_checksum: chosen.mask("map_checksum"),
            client_rate: match chosen.mask("client_rate") {
                0 => setup.vantage.remote_server.then_some(SANE_RATE),
                rate => Some(rate),
            },
        }
    }

    /// Of a server that somebody else runs no option says anything: what is safe to assume of it.
    pub fn of_remote_server(self) -> Options {
        /// Every server fits as much into a datagram.
        const SURE_BYTES: usize = 512;
        Options {
            server_extensions: Extensions { fte1: u32::MAX, fte2: u32::MAX },
            datagram_limit: SURE_BYTES,
            proxy_strips: false,
            undefined_flags: 0,
            strange_key: None,
            rate: 0,
            ..self
        }
    }

    /// `own`, with what the scenario asks of the server.
    pub fn asked_of_server(&self, own: Latitude) -> Latitude {
        let forms = Forms {
            long_index: self.forms.long_index || own.forms.long_index,
            all_flag_bytes: self.forms.all_flag_bytes || own.forms.all_flag_bytes,
            widest: self.forms.widest || own.forms.widest,
        };
        Latitude {
            forms,
            reset_fields: if self.explicit_resets { ResetFields::All } else { own.reset_fields },
            mentions: if self.idle_entries { Mentions::OneMore } else { own.mentions },
            raise_once: self.undefined_flags,
            datagrams_per_tick: self.datagrams_per_tick.unwrap_or(own.datagrams_per_tick),
            ..own
        }
    }

    /// What both ends support, and the project implements: what a server echoes.
    pub fn agreed(&self, asked: &Extensions) -> Extensions {
        let fte1 = PEXT_FLOATCOORDS | PEXT_OBSOLETE | PEXT_CSQC;
        let known = Extensions { fte1, fte2: PEXT2_REPLACEMENTDELTAS | PEXT2_PREDINFO };
        let mut agreed = asked.mask(self.server_extensions).mask(known); // FTE-HS-16
        if agreed.fte2 & PEXT2_REPLACEMENTDELTAS == 0 {
            // PREDINFO alone would change services that this server does not send in its changed form; so would what
            // replacement deltas make obsolete.
            agreed.fte2 = 0;
            agreed.fte1 &= PEXT_FLOATCOORDS;
        }
        agreed
    }
}
