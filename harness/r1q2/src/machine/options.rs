//! The forms of the protocol that can be tested separately.

use crate::wire::constants::*;
use crate::wire::dialect::Dialect;
use kit::options::MAP;
use kit::{Chosen, KnownBy, Profile, Setup, TextInfo, options};

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

options! {
    /// The options of a run, read.
    #[derive(Clone, Copy, Debug)]
    pub struct Options {
        tick_us: u64 = 100000, 1_000..=1_000_000, "time between server frames, in microseconds";
        client_tick_us: u64 = 50000, 1_000..=250_000,
            "time between client packets, in microseconds; at most 250000, what one move can last";
        client1_protocol = 35, 34..=35, "the protocol that client 1 asks for: 34 or 35";
        client2_protocol = 35, 34..=35, "the protocol that client 2 asks for: 34 or 35";
        client3_protocol = 35, 34..=35, "the protocol that client 3 asks for: 34 or 35";
        client4_protocol = 35, 34..=35, "the protocol that client 4 asks for: 34 or 35";
        client5_protocol = 35, 34..=35, "the protocol that client 5 asks for: 34 or 35";
        server_minor = 0, 0..=1905,
            "the newest revision that the server speaks, 1901 to 1905; 0 for that of the profile";
        announced_minor = 0, 0..=0xffff,
            "the revision that the server announces whatever it speaks; 0 for the one that it speaks";
        qport: QportChoice => qport = -1, -1..=255,
            "the number that clients announce: 0 for none, -1 for one drawn from the seed, in 1..255";
        same_address: bool = 0, 0..=1,
            "1: all clients have one address, with a port for each, as behind an address translator";
        maxlen: Option<u32> => some_length = 1390, -1..=4_096,
            "the longest payload that clients ask for, in bytes: 0 for as much as can be, -1 for none";
        rate: Option<u32> => some_rate = 0, 0..=0x7fff_ffff,
            "bytes in a second that clients ask for, beyond which the server holds frames back; 0 for none";
        zpacket: bool = 1, 0..=1, "0: the server compresses nothing";
        frames_in_zpackets: FramesInZpackets => frames = 1, 0..=2,
            "1: the server compresses a frame that is too long; 2: every frame; 0: none";
        update_backup_age: i32 = 14, 1..=31,
            "a frame builds on one that is fewer frames older than this, at most 31";
        enhanced: u8 = 0, 0..=1, "whether the server announces an enhanced game";
        nodelta: bool = 0, 0..=1, "1: clients always ask for frames without a base";
        first_frame: i32 = 0, 0..=134_217_727,
            "the number of the server's frame before its first; after 134217727 comes 1";
        counts_anew: bool = 0, 0..=1,
            "1: the server counts its frames from 1 with each map, as Quake II";
        area_bytes: usize = 1, 1..=MAX_AREA_BYTES as i64,
            "how many bytes of areas frames have, all of them alike";
        map_checksum: u32 = 0, 0..=0xffff_ffff,
            "the checksum of the map's file that the server announces, which clients compare with their own; 0 for none";
    }
    with setup, chosen {
        /// The revision of the profile, which clients speak.
        pub client_minor: u16 = minor(setup.profile);
        /// The newest revision that the server speaks.
        pub server_minor: u16 = spoken(setup, chosen);
        /// The revision that the server announces.
        pub announced_minor: u16 = match chosen.get("announced_minor") {
            0 => spoken(setup, chosen),
            minor => minor,
        };
        /// The protocols of the first clients.
        protocols: [u32; PROTOCOL_CHOICES] =
            ["client1_protocol", "client2_protocol", "client3_protocol", "client4_protocol", "client5_protocol"]
                .map(|name| chosen.get(name));
    }
}

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

/// The newest revision that a server speaks.
fn spoken(setup: &Setup, chosen: Chosen<'_>) -> u16 {
    match chosen.get("server_minor") {
        0 => minor(setup.profile),
        minor => u16::clamp(minor, MINOR_SOURCE, MINOR_SOLID),
    }
}

fn qport(number: i64) -> QportChoice {
    u16::try_from(number).map_or(QportChoice::Drawn, QportChoice::Fixed)
}

fn some_length(bytes: i64) -> Option<u32> {
    u32::try_from(bytes).ok()
}

fn some_rate(bytes: i64) -> Option<u32> {
    u32::try_from(bytes).ok().filter(|rate| *rate > 0)
}

fn frames(number: i64) -> FramesInZpackets {
    match number {
        0 => FramesInZpackets::None,
        2 => FramesInZpackets::All,
        _ => FramesInZpackets::Long,
    }
}

impl Options {
    /// The protocol that a client (1 and up) asks for at first.
    pub fn protocol(&self, client: u16) -> u32 {
        let index = usize::from(client).checked_sub(1);
        index.and_then(|index| self.protocols.get(index)).copied().unwrap_or(PROTOCOL_R1Q2)
    }
}
