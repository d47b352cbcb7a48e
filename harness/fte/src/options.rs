//! What a scenario can choose about the two ends.

use crate::constants::*;
use crate::delta::Forms;
use crate::dialect::{Readings, Transport};
use crate::extensions::{Extensions, FTE2_BEYOND_CLIENT};
use crate::latitude::{Latitude, Mentions, ResetFields};
use kit::options::MAP;
use kit::{KnownBy, Profile, Setup, TextInfo, options};
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

/// What a scenario gives as text, by number.
pub static TEXTS: [TextInfo; 1] = [MAP];

options! {
    /// The options of a run, read.
    #[derive(Clone, Copy, Debug)]
    pub struct Options {
        tick_us: u64 = 50_000, 1_000..=1_000_000, "time between server frames, in microseconds";
        client_tick_us: u64 = 50_000, 1_000..=1_000_000,
            "time between client packets, in microseconds";
        server_fte1 = 0, 0..=0xffff_ffff, "FTE1 extension mask that the server supports";
        server_fte2 = 0x28, 0..=0xffff_ffff, "FTE2 extension mask that the server supports";
        client_fte1 = 0, 0..=0xffff_ffff, "FTE1 extension mask that clients ask for";
        client_fte2 = 0x28, 0..=0xffff_ffff,
            "FTE2 extension mask that clients ask for, but for what has a meaning that they cannot write or read";
        datagram_limit: usize = 1024, 256..=8_192, "most bytes of messages in one server datagram";
        datagrams_per_tick: Option<usize> => some_count = 0, 0..=64,
            "most entity datagrams of a NetQuake server in one tick; 0 for the implementation's own choice";
        numbers_as_documented = 0, 0..=1,
            "1: regular entity numbers from 32768 as the specification has them, not as engines do (erratum E1)", of_dialect;
        abslight_from_6 = 0, 0..=1,
            "1: abslight follows low drawflags of 6, too, as FTEQW has it, not of 7 alone (erratum E9)", of_dialect;
        trails_as_documented = 0, 0..=1,
            "1: a trail is one short with all its bits, as the specification has it, not 14 bits and perhaps another number as engines do (erratum E14)", of_dialect;
        angles_as_documented = 0, 0..=1,
            "1: angles beside a pred block have 16 bits with PREDINFO, too, as the specification has them (erratum E15)", of_dialect;
        move_start: u32 = 0, 0..=0xffff_ffff, "the client's first movement sequence, less one";
        proxy_strips = 0, 0..=1,
            "1: a proxy between the two removes the extension data from the QuakeWorld handshake";
        client_private: bool = 0, 0..=1,
            "1: clients also send a private extension, with a quoted value that has blanks, before those of FTE";
        long_indices = 0, 0..=1, "1: the server gives small entity numbers a high byte, too";
        all_flag_bytes = 0, 0..=1, "1: the server writes four flag bytes, zero or not";
        widest_forms = 0, 0..=1,
            "1: the server gives small values their wide forms, and wide models the flag of a ragdoll";
        explicit_resets: bool = 0, 0..=1, "1: the server writes every field beside a RESET";
        idle_entries: bool = 0, 0..=1, "1: the server mentions an entity that did not change";
        undefined_flag: u64 => flag = 0, 0..=31,
            "18, 30 or 31: the server once sets this UF flag, which is undefined; that is no fault of the server";
        server_protocol_key: Option<u32> => strange = 0, 0..=0xffff_ffff,
            "a number that no protocol has: the server announces it, and a mask of 0, before all else; 0 for none";
        rate: u64 = 0, 0..=100_000_000,
            "most bytes of messages per second that the server sends to a client in the game; 0 for no limit";
        challenge_connect: bool = 0, 0..=1,
            "1: the NetQuake server has a client repeat an unreliable `cmd challengeconnect` before it accepts it a second time, on a channel that starts over, as FTEQW does";
        asks_protocols: bool = 0, 0..=1,
            "1: the NetQuake server asks for `cmd protocols`, too, and speaks 666 where the answer has it, as FTEQW does";
        connects_once: bool = 0, 0..=1,
            "1: the QuakeWorld server ignores a connect of a client that it accepted, as FTEQW does";
        map_checksum: u32 = 0, 0..=0xffff_ffff,
            "the checksum of the map that QuakeWorld clients send with `prespawn`";
        client_rate = 0, 0..=0xffff_ffff,
            "bytes per second that QuakeWorld clients ask for; 0 for no mention, to servers that are not ours 100000";
    }
    with setup, chosen {
        /// The transport.
        pub transport: Transport = transport(setup.profile);
        /// What the server supports.
        pub server_extensions: Extensions =
            Extensions { fte1: chosen.get("server_fte1"), fte2: chosen.get("server_fte2") };
        /// What clients ask for. A server can have whatever it is asked for. FTE-HS-12
        pub client_extensions: Extensions = Extensions {
            fte1: chosen.get("client_fte1"),
            fte2: chosen.get::<u32>("client_fte2") & !FTE2_BEYOND_CLIENT,
        };
        /// Most bytes of a QuakeWorld packet.
        pub packet_bytes: usize = chosen.get::<usize>("datagram_limit").max(1450);
        /// How both ends read what the specification leaves ambiguous.
        pub readings: Readings = Readings {
            numbers_as_documented: chosen.get("numbers_as_documented"),
            abslight_from_6: chosen.get("abslight_from_6"),
            trails_as_documented: chosen.get("trails_as_documented"),
            angles_as_documented: chosen.get("angles_as_documented"),
            multi_view: setup.vantage.demo == Some(kit::DemoOf::Server),
        };
        /// Whether extension data of the QuakeWorld handshake gets lost.
        pub proxy_strips: bool = transport(setup.profile) == Transport::QuakeWorld && chosen.get("proxy_strips");
        /// The forms that the server must use, where the scenario says.
        pub forms: Forms = Forms {
            long_index: chosen.get("long_indices"),
            all_flag_bytes: chosen.get("all_flag_bytes"),
            widest: chosen.get("widest_forms"),
        };
        /// Bytes per second that clients ask for, if they do.
        pub client_rate: Option<u32> = match chosen.get("client_rate") {
            0 => setup.vantage.remote_server.then_some(SANE_RATE),
            rate => Some(rate),
        };
    }
}

/// Bytes per second that a client asks a server for that is not ours: without a word, engines send few.
const SANE_RATE: u32 = 100_000;

fn some_count(count: i64) -> Option<usize> {
    usize::try_from(count).ok().filter(|count| *count > 0)
}

/// The UF flags that the server must raise once, although nobody defines them.
fn flag(bit: i64) -> u64 {
    match bit {
        18 | 30 | 31 => 1 << bit,
        _ => 0,
    }
}

/// What a server announces that nobody can know.
fn strange(key: i64) -> Option<u32> {
    u32::try_from(key).ok().filter(|key| !NO_KEYS.contains(key))
}

impl Options {
    /// Of a server that somebody else runs no option says anything: what is safe to assume of it.
    pub fn of_remote_server(self) -> Options {
        /// Every server fits as much into a datagram.
        const SURE_BYTES: usize = 512;
        Options {
            server_extensions: Extensions { fte1: u32::MAX, fte2: u32::MAX },
            datagram_limit: SURE_BYTES,
            proxy_strips: false,
            undefined_flag: 0,
            server_protocol_key: None,
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
            raise_once: self.undefined_flag,
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
