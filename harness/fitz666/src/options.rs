//! What a scenario can choose about the two ends.

use crate::constants::*;
use crate::message::Reserved;
use kit::{OptionInfo, Profile, Setup};

/// The profiles, by number.
pub static PROFILES: [Profile; 1] =
    [Profile { name: "fitz666", title: "FitzQuake protocol 666 over NetQuake", index: 0 }];

/// The options, by number.
pub static OPTIONS: [OptionInfo; 14] = [
    OptionInfo {
        name: "protocol",
        default: 666,
        help: "the protocol that the server announces: 15 or 666, which it speaks; or another number, which it only announces",
    },
    OptionInfo { name: "tick_us", default: 50_000, help: "time between server frames, in microseconds" },
    OptionInfo { name: "client_tick_us", default: 50_000, help: "time between client packets, in microseconds" },
    OptionInfo { name: "datagram_limit", default: 1024, help: "most bytes of messages in one unreliable datagram" },
    OptionInfo { name: "fragment_bytes", default: 1024, help: "most bytes of one fragment of a reliable message" },
    OptionInfo { name: "models", default: 3, help: "how many models the server announces, at most 2048" },
    OptionInfo { name: "sounds", default: 2, help: "how many sounds the server announces, at most 2048" },
    OptionInfo {
        name: "progs_alpha",
        default: 1,
        help: "0: the game's code has no alpha of its own, so that only the baselines' (the map's) counts",
    },
    OptionInfo {
        name: "mission_pack",
        default: 0,
        help: "1: the weapon in hand is told as the number of its lowest bit, not as the bit",
    },
    OptionInfo {
        name: "accept_port",
        default: 0,
        help: "the port with which the server tells clients to go on; 0 for the same one",
    },
    OptionInfo {
        name: "weapon_alpha",
        default: 1,
        help: "0: the server never tells the opacity of a weapon, as it may",
    },
    OptionInfo { name: "water_alpha", default: 100, help: "the client's own opacity of water, in hundredths" },
    OptionInfo {
        name: "reserved_bits",
        default: 0,
        help: "1, 2 or 3: the server once sends an update, a clientdata or a sound with a bit that nobody defines; that is no fault of the server",
    },
    OptionInfo {
        name: "ask_extensions",
        default: 0,
        help: "1: the server asks for extensions before it announces the map, which a client declines",
    },
];

/// The options of a run, read.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The protocol that the server announces.
    pub protocol: u32,
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
    /// Whether the weapon in hand is told as the number of its bit.
    pub mission_pack: bool,
    /// The port with which clients are told to go on.
    pub accept_port: u16,
    /// Whether the server tells the opacity of weapons.
    pub weapon_alpha: bool,
    /// The client's own opacity of water.
    pub water_alpha: f32,
    /// What the server once sends that has a bit which nobody defines, if anything.
    pub reserved_bits: Option<Reserved>,
    /// Whether the server asks for extensions.
    pub ask_extensions: bool,
}

impl Options {
    /// Reads a setup's options; values out of range are clamped.
    pub fn new(setup: &Setup) -> Options {
        let value = |name: &str| {
            let index = OPTIONS.iter().position(|option| option.name == name);
            index.and_then(|index| setup.options.get(index)).copied().unwrap_or_default()
        };
        let tick_us = |name: &str| value(name).clamp(1_000, 10_000_000) as u64;
        let names = |name: &str| value(name).clamp(1, MAX_PRECACHES as i64) as usize;
        Options {
            protocol: value("protocol") as u32,
            tick_us: tick_us("tick_us"),
            client_tick_us: tick_us("client_tick_us"),
            // What stands before the entities takes at most some 80 bytes, and an entity 24.
            datagram_limit: value("datagram_limit").clamp(128, 32_000) as usize,
            fragment_bytes: value("fragment_bytes").clamp(1, 32_000) as usize,
            models: names("models"),
            sounds: names("sounds"),
            progs_alpha: value("progs_alpha") != 0,
            mission_pack: value("mission_pack") != 0,
            accept_port: value("accept_port").clamp(0, 0xffff) as u16,
            weapon_alpha: value("weapon_alpha") != 0,
            water_alpha: value("water_alpha").clamp(0, 100) as f32 / 100.0,
            reserved_bits: match value("reserved_bits") {
                1 => Some(Reserved::Update),
                2 => Some(Reserved::ClientData),
                3 => Some(Reserved::Sound),
                _ => None,
            },
            ask_extensions: value("ask_extensions") != 0,
        }
    }
}
