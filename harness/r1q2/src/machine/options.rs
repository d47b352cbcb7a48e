//! The forms of the protocol that can be tested separately.

use crate::wire::constants::*;
use crate::wire::dialect::Dialect;
use kit::options::{MAP, option};
use kit::{Chosen, KnownBy, OptionInfo, Profile, Setup, TextInfo};

/// The profiles, by number. The first is what the specification describes.
pub static PROFILES: [Profile; 4] = [
    Profile {
        name: "r1q2-35",
        title: "R1Q2 protocol 35, revision 1901",
        index: 0,
        udp_port: 27_910,
        known_by: KnownBy::Number,
    },
    Profile {
        name: "r1q2-1903",
        title: "R1Q2 protocol 35, revision 1903: settings, strafejump hack",
        index: 1,
        udp_port: 27_910,
        known_by: KnownBy::Number,
    },
    Profile {
        name: "r1q2-1904",
        title: "R1Q2 protocol 35, revision 1904: compact user commands",
        index: 2,
        udp_port: 27_910,
        known_by: KnownBy::Number,
    },
    Profile {
        name: "r1q2-1905",
        title: "R1Q2 protocol 35, revision 1905: 32-bit solid",
        index: 3,
        udp_port: 27_910,
        known_by: KnownBy::Number,
    },
];

/// The revision of a profile.
pub fn minor(profile: &Profile) -> u16 {
    match profile.index {
        1 => MINOR_STRAFE,
        2 => MINOR_USERCMD,
        3 => MINOR_SOLID,
        _ => MINOR_SOURCE,
    }
}

/// What a profile's two ends agree upon.
pub fn dialect(profile: &Profile) -> Dialect {
    Dialect::r1q2(minor(profile))
}

/// Clients whose protocol a scenario can choose; those beyond speak protocol 35.
pub const PROTOCOL_CHOICES: usize = 5;

/// The options, by number.
pub static OPTIONS: [OptionInfo; 22] = [
    option("tick_us", 100000, 1_000..=1_000_000, "time between server frames, in microseconds"),
    option(
        "client_tick_us",
        50000,
        1_000..=250_000,
        "time between client packets, in microseconds; at most 250000, what one move can last",
    ),
    option("client1_protocol", 35, 34..=35, "the protocol that client 1 asks for: 34 or 35"),
    option("client2_protocol", 35, 34..=35, "the protocol that client 2 asks for: 34 or 35"),
    option("client3_protocol", 35, 34..=35, "the protocol that client 3 asks for: 34 or 35"),
    option("client4_protocol", 35, 34..=35, "the protocol that client 4 asks for: 34 or 35"),
    option("client5_protocol", 35, 34..=35, "the protocol that client 5 asks for: 34 or 35"),
    option(
        "server_minor",
        0,
        0..=1905,
        "the newest revision that the server speaks, 1901 to 1905; 0 for that of the profile",
    ),
    option(
        "announced_minor",
        0,
        0..=0xffff,
        "the revision that the server announces whatever it speaks; 0 for the one that it speaks",
    ),
    option(
        "qport",
        -1,
        -1..=255,
        "the number that clients announce: 0 for none, -1 for one drawn from the seed, in 1..255",
    ),
    option(
        "same_address",
        0,
        0..=1,
        "1: all clients have one address, with a port for each, as behind an address translator",
    ),
    option(
        "maxlen",
        1390,
        -1..=4_096,
        "the longest payload that clients ask for, in bytes: 0 for as much as can be, -1 for none",
    ),
    option(
        "rate",
        0,
        0..=0x7fff_ffff,
        "bytes in a second that clients ask for, beyond which the server holds frames back; 0 for none",
    ),
    option("zpacket", 1, 0..=1, "0: the server compresses nothing"),
    option(
        "frames_in_zpackets",
        1,
        0..=2,
        "1: the server compresses a frame that is too long; 2: every frame; 0: none",
    ),
    option("update_backup_age", 14, 1..=31, "a frame builds on one that is fewer frames older than this, at most 31"),
    option("enhanced", 0, 0..=1, "whether the server announces an enhanced game"),
    option("nodelta", 0, 0..=1, "1: clients always ask for frames without a base"),
    option(
        "first_frame",
        0,
        0..=134_217_727,
        "the number of the server's frame before its first; after 134217727 comes 1",
    ),
    option("counts_anew", 0, 0..=1, "1: the server counts its frames from 1 with each map, as Quake II"),
    option("area_bytes", 1, 1..=MAX_AREA_BYTES as i64, "how many bytes of areas frames have, all of them alike"),
    option(
        "map_checksum",
        0,
        0..=0xffff_ffff,
        "the checksum of the map's file that the server announces, which clients compare with their own; 0 for none",
    ),
];

/// What a scenario gives as text, by number.
pub static TEXTS: [TextInfo; 1] = [MAP];

/// How a client announces its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QportChoice {
    /// Drawn from the seed, in 1..255.
    Drawn,
    /// This one; 0 for none.
    Fixed(u16),
}

/// The options of a run, read.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The revision of the profile, which clients speak.
    pub client_minor: u16,
    /// The newest revision that the server speaks.
    pub server_minor: u16,
    /// The revision that the server announces.
    pub announced_minor: u16,
    /// Time between server frames, in microseconds.
    pub tick_us: u64,
    /// Time between client packets, in microseconds.
    pub client_tick_us: u64,
    /// The protocols of the first clients.
    protocols: [u32; PROTOCOL_CHOICES],
    /// How clients announce their numbers.
    pub qport: QportChoice,
    /// Whether all clients have one address.
    pub same_address: bool,
    /// The longest payload that clients ask for; `None`: they ask for none.
    pub max_length: Option<u32>,
    /// Bytes in a second that clients ask for; `None`: they ask for none.
    pub rate: Option<u32>,
    /// Whether the server compresses anything.
    pub zpacket: bool,
    /// Which frames it compresses.
    pub frames_in_zpackets: FramesInZpackets,
    /// A frame builds on one that is fewer frames older.
    pub update_backup_age: i32,
    /// Whether the server announces an enhanced game.
    pub enhanced: u8,
    /// Whether clients always ask for frames without a base.
    pub nodelta: bool,
    /// The number of the frame before the first.
    pub first_frame: i32,
    /// Whether frames are counted again with each map.
    pub counts_anew: bool,
    /// How many bytes of areas frames have.
    pub area_bytes: usize,
    /// The checksum of the map's file; 0 for none.
    pub map_checksum: u32,
}

/// The largest number of a frame before the first: a run comes nowhere near the end of 27 bits.
const MAX_FIRST_FRAME: i64 = FRAME_NUMBER as i64;

/// Which frames a server compresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FramesInZpackets {
    /// None.
    None,
    /// Those that are too long.
    Long,
    /// All that become shorter.
    All,
}

impl Options {
    /// Reads a setup's options; values out of range are clamped.
    pub fn new(setup: &Setup) -> Options {
        let chosen = Chosen::new(&OPTIONS, setup);
        let protocol = |name: &str| match chosen.value(name) {
            34 => PROTOCOL_ORIGINAL,
            _ => PROTOCOL_R1Q2,
        };
        let client_minor = minor(setup.profile);
        let server_minor = match chosen.value("server_minor") {
            0 => client_minor,
            minor => minor.clamp(MINOR_SOURCE.into(), MINOR_SOLID.into()) as u16,
        };
        Options {
            client_minor,
            server_minor,
            announced_minor: match chosen.value("announced_minor") {
                0 => server_minor,
                minor => minor.clamp(1, 0xffff) as u16,
            },
            tick_us: chosen.tick_us("tick_us", 10_000_000),
            client_tick_us: chosen.tick_us("client_tick_us", 250_000),
            protocols: [
                protocol("client1_protocol"),
                protocol("client2_protocol"),
                protocol("client3_protocol"),
                protocol("client4_protocol"),
                protocol("client5_protocol"),
            ],
            qport: match chosen.value("qport") {
                ..0 => QportChoice::Drawn,
                qport => QportChoice::Fixed(qport.min(0xffff) as u16),
            },
            same_address: chosen.is_on("same_address"),
            max_length: u32::try_from(chosen.value("maxlen")).ok(),
            rate: u32::try_from(chosen.value("rate")).ok().filter(|&rate| rate > 0),
            zpacket: chosen.is_on("zpacket"),
            frames_in_zpackets: match chosen.value("frames_in_zpackets") {
                0 => FramesInZpackets::None,
                2 => FramesInZpackets::All,
                _ => FramesInZpackets::Long,
            },
            update_backup_age: chosen.value("update_backup_age").clamp(1, NO_DELTA_OFFSET.into()) as i32,
            enhanced: chosen.value("enhanced").clamp(0, 255) as u8,
            nodelta: chosen.is_on("nodelta"),
            first_frame: chosen.value("first_frame").clamp(0, MAX_FIRST_FRAME) as i32,
            counts_anew: chosen.is_on("counts_anew"),
            area_bytes: chosen.value("area_bytes").clamp(1, MAX_AREA_BYTES as i64) as usize,
            map_checksum: chosen.mask("map_checksum"),
        }
    }

    /// The protocol that a client (1 and up) asks for at first.
    pub fn protocol(&self, client: u16) -> u32 {
        let index = usize::from(client).checked_sub(1);
        index.and_then(|index| self.protocols.get(index)).copied().unwrap_or(PROTOCOL_R1Q2)
    }
}
