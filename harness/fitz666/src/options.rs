//! What a scenario can choose about the two ends.

use crate::message::Reserved;
use kit::options::MAP;
use kit::{KnownBy, Profile, Setup, TextInfo, options};

/// The profiles, by number.
pub static PROFILES: [Profile; 1] = [Profile {
    name: "fitz666",
    title: "FitzQuake protocol 666 over NetQuake",
    index: 0,
    udp_port: 26_000,
    known_by: KnownBy::Port,
}];

/// What a scenario gives as text, by number.
pub static TEXTS: [TextInfo; 1] = [MAP];

options! {
    /// The options of a run, read.
    #[derive(Clone, Copy, Debug)]
    pub struct Options {
        protocol: u32 = 666, 0..=0x7fff_ffff,
            "the protocol that the server announces: 15, 666 or 999, which it speaks; or another number, which it only announces";
        tick_us: u64 = 50_000, 1_000..=1_000_000, "time between server frames, in microseconds";
        client_tick_us: u64 = 50_000, 1_000..=1_000_000,
            "time between client packets, in microseconds";
        datagram_limit: usize = 1024, 128..=32_000,
            "most bytes of messages in one unreliable datagram";
        fragment_bytes: usize = 1024, 1..=32_000, "most bytes of one fragment of a reliable message";
        models: usize = 3, 1..=2_048, "how many models the server announces, at most 2048";
        sounds: usize = 2, 1..=2_048, "how many sounds the server announces, at most 2048";
        progs_alpha: bool = 1, 0..=1,
            "0: the game's code has no alpha of its own, so that only the baselines' (the map's) counts";
        mission_pack: bool = 0, 0..=1,
            "1: the weapon in hand is sent as the number of its lowest bit, not as the bit";
        accept_port: u16 = 0, 0..=0xffff,
            "the port to which the server directs clients; 0 for the same one";
        weapon_alpha: bool = 1, 0..=1, "0: the server never sends the opacity of a weapon, as it may";
        water_alpha: f32 => opacity = 100, 0..=100, "the client's own opacity of water, in hundredths";
        reserved_bits: Option<Reserved> => reserved = 0, 0..=3,
            "1, 2 or 3: the server once sends an update, a clientdata or a sound with an undefined bit; that is no fault of the server";
        protocol_flags: u32 = 0, 0..=0xffff_ffff,
            "the flags that stand beside the number of protocol 999: how coords and angles are written";
        ask_extensions: bool = 0, 0..=1,
            "1: the server asks for extensions before it announces the map, which a client declines";
    }
    with setup, chosen {}
}

/// An opacity of so many hundredths.
fn opacity(hundredths: i64) -> f32 {
    hundredths as f32 / 100.0
}

/// What a server once sends that has a bit which nobody defines.
fn reserved(number: i64) -> Option<Reserved> {
    match number {
        1 => Some(Reserved::Update),
        2 => Some(Reserved::ClientData),
        3 => Some(Reserved::Sound),
        _ => None,
    }
}

impl Options {
    /// Those of a server that somebody else runs and that is told what the world is: what scenarios say of servers is nothing to it.
    pub fn of_another(setup: &Setup) -> Options {
        let default = Setup { options: OPTIONS.iter().map(|option| option.default).collect(), ..setup.clone() };
        let Options { datagram_limit, progs_alpha, mission_pack, weapon_alpha, .. } = Options::new(&default);
        Options { datagram_limit, progs_alpha, mission_pack, weapon_alpha, ..Options::new(setup) }
    }
}
