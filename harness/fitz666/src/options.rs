//! What a scenario can choose about the two ends.

use crate::constants::*;
use crate::message::Reserved;
use kit::options::{MAP, option};
use kit::{Chosen, KnownBy, OptionInfo, Profile, Setup, TextInfo};

/// The profiles, by number.
pub static PROFILES: [Profile; 1] = [Profile {
    name: "fitz666",
    title: "FitzQuake protocol 666 over NetQuake",
    index: 0,
    udp_port: 26_000,
    known_by: KnownBy::Port,
}];

/// The options, by number.
pub static OPTIONS: [OptionInfo; 15] = [
    option(
        "protocol",
        666,
        0..=0x7fff_ffff,
        "the protocol that the server announces: 15, 666 or 999, which it speaks; or another number, which it only announces",
    ),
    option("tick_us", 50_000, 1_000..=1_000_000, "time between server frames, in microseconds"),
    option("client_tick_us", 50_000, 1_000..=1_000_000, "time between client packets, in microseconds"),
    option("datagram_limit", 1024, 128..=32_000, "most bytes of messages in one unreliable datagram"),
    option("fragment_bytes", 1024, 1..=32_000, "most bytes of one fragment of a reliable message"),
    option("models", 3, 1..=2_048, "how many models the server announces, at most 2048"),
    option("sounds", 2, 1..=2_048, "how many sounds the server announces, at most 2048"),
    option(
        "progs_alpha",
        1,
        0..=1,
        "0: the game's code has no alpha of its own, so that only the baselines' (the map's) counts",
    ),
    option("mission_pack", 0, 0..=1, "1: the weapon in hand is sent as the number of its lowest bit, not as the bit"),
    option("accept_port", 0, 0..=0xffff, "the port to which the server directs clients; 0 for the same one"),
    option("weapon_alpha", 1, 0..=1, "0: the server never sends the opacity of a weapon, as it may"),
    option("water_alpha", 100, 0..=100, "the client's own opacity of water, in hundredths"),
    option(
        "reserved_bits",
        0,
        0..=3,
        "1, 2 or 3: the server once sends an update, a clientdata or a sound with an undefined bit; that is no fault of the server",
    ),
    option(
        "protocol_flags",
        0,
        0..=0xffff_ffff,
        "the flags that stand beside the number of protocol 999: how coords and angles are written",
    ),
    option(
        "ask_extensions",
        0,
        0..=1,
        "1: the server asks for extensions before it announces the map, which a client declines",
    ),
];

/// What a scenario gives as text, by number.
pub static TEXTS: [TextInfo; 1] = [MAP];

/// The options of a run, read.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The protocol that the server announces.
    pub protocol: u32,
    /// The flags of protocol 999.
    pub protocol_flags: u32,
    /// Time between server frames, in microseconds.
    pub tick_us: u64,
    /// Time between client packets, in microseconds.
    pub client_tick_us: u64,
    /// Most bytes of messages in one unreliable datagram.
    pub datagram_limit: usize,
    /// Most bytes of one fragment of a reliable message.
    pub fragment_bytes: usize,
    /// Number of models announced.
    pub models: usize,
    /// Number of sounds announced.
    pub sounds: usize,
    /// Whether the game's code has an alpha of its own.
    pub progs_alpha: bool,
    /// Whether the weapon in hand is sent as the number of its bit.
    pub mission_pack: bool,
    /// The port to which clients are directed.
    pub accept_port: u16,
    /// Whether the server sends the opacity of weapons.
    pub weapon_alpha: bool,
    /// The client's own opacity of water.
    pub water_alpha: f32,
    /// What the server once sends that has a bit which nobody defines, if anything.
    pub reserved_bits: Option<Reserved>,
    /// Whether the server asks for extensions.
    pub ask_extensions: bool,
}

impl Options {
    /// Those of a server that somebody else runs and that is told what the world is: what scenarios say of servers is nothing to it.
    pub fn of_another(setup: &Setup) -> Options {
        let default = Setup { options: OPTIONS.iter().map(|option| option.default).collect(), ..setup.clone() };
        let Options { datagram_limit, progs_alpha, mission_pack, weapon_alpha, .. } = Options::new(&default);
        Options { datagram_limit, progs_alpha, mission_pack, weapon_alpha, ..Options::new(setup) }
    }

    /// Reads a setup's options; values out of range are clamped.
    pub fn new(setup: &Setup) -> Options {
        let chosen = Chosen::new(&OPTIONS, setup);
        let names = |name: &str| chosen.size(name, 1, MAX_PRECACHES);
        Options {
            protocol: chosen.mask("protocol"),
            protocol_flags: chosen.mask("protocol_flags"),
            tick_us: chosen.tick_us("tick_us", 10_000_000),
            client_tick_us: chosen.tick_us("client_tick_us", 10_000_000),
            // What stands before the entities takes at most some 80 bytes, and an entity 24.
            datagram_limit: chosen.size("datagram_limit", 128, 32_000),
            fragment_bytes: chosen.size("fragment_bytes", 1, 32_000),
            models: names("models"),
            sounds: names("sounds"),
            progs_alpha: chosen.is_on("progs_alpha"),
            mission_pack: chosen.is_on("mission_pack"),
            accept_port: chosen.value("accept_port").clamp(0, 0xffff) as u16,
            weapon_alpha: chosen.is_on("weapon_alpha"),
            water_alpha: chosen.value("water_alpha").clamp(0, 100) as f32 / 100.0,
            reserved_bits: match chosen.value("reserved_bits") {
                1 => Some(Reserved::Update),
                2 => Some(Reserved::ClientData),
                3 => Some(Reserved::Sound),
                _ => None,
            },
            ask_extensions: chosen.is_on("ask_extensions"),
        }
    }
}
