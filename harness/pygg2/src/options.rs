//! What a scenario can choose about the two ends.

use crate::snapshot::Declared;
use kit::{HostId, KnownBy, Profile, Setup, TextInfo, options};

/// The profiles, by number.
pub static PROFILES: [Profile; 1] = [Profile {
    name: "pygg2",
    title: "The PyGG2 concept, completed by the decisions of GG2-P1",
    index: 0,
    udp_port: 8_190,
    known_by: KnownBy::Port,
}];

/// What a scenario gives as text, by number.
pub static TEXTS: [TextInfo; 3] = [
    TextInfo {
        name: "password",
        default: "",
        help: "the server's password, at most 31 bytes; none if empty",
        check: name,
        dialect: false,
    },
    TextInfo {
        name: "server",
        default: "deltaproof",
        help: "the server's name, at most 31 bytes",
        check: name,
        dialect: false,
    },
    TextInfo {
        name: "map",
        default: "ctf_harness",
        help: "the map's name, at most 63 bytes",
        check: map,
        dialect: false,
    },
];

fn name(text: &str) -> Result<(), String> {
    at_most(text, crate::constants::NAME_BYTES - 1)
}

fn map(text: &str) -> Result<(), String> {
    at_most(text, crate::constants::MAP_BYTES - 1)
}

fn at_most(text: &str, limit: usize) -> Result<(), String> {
    if text.len() <= limit { Ok(()) } else { Err(format!("{} bytes are more than {limit}", text.len())) }
}

options! {
    /// The options of a run, read.
    #[derive(Clone, Debug)]
    pub struct Options {
        tick_us: u64 = 50_000, 1_000..=1_000_000, "time between snapshots, in microseconds";
        client_tick_us: u64 = 33_333, 1_000..=250_000, "time between input updates, in microseconds";
        max_players: usize = 16, 0..=255, "most players, those that no client plays included";
        first_sequence: u16 = 1, 0..=0xffff,
            "number of the server's first packet to a client; who received nothing yet acknowledges the number before it, which is 0 for 1";
        first_client_sequence: u16 = 1, 0..=0xffff, "number of a client's first packet";
        wrong_password: i64 = 0, 0..=255,
            "the clients that have a wrong password: a bit each, that of client 1 is the lowest";
        class_fields = 0, 0..=1,
            "1: the class fields follow every body in a snapshot, as both sides declare", of_dialect;
        class_extras = 0, 0..=8, "bytes of one's own that follow them, as both sides declare", of_dialect;
    }
    with setup, chosen {
        /// What follows bodies.
        pub declared: Declared =
            Declared { class_fields: chosen.get("class_fields"), extras: chosen.get("class_extras") };
        /// The server's password.
        pub password: Vec<u8> = bytes(setup, 0);
        /// The server's name.
        pub server: Vec<u8> = bytes(setup, 1);
        /// The map's name.
        pub map: Vec<u8> = bytes(setup, 2);
    }
}

/// A text of the scenario, by number.
fn bytes(setup: &Setup, text: usize) -> Vec<u8> {
    setup.texts.get(text).map(|text| text.as_bytes().to_vec()).unwrap_or_default()
}

impl Options {
    /// Whether a client has a wrong password.
    pub fn is_wrong(&self, client: HostId) -> bool {
        client.0 > 0 && client.0 <= 32 && self.wrong_password >> (client.0 - 1) & 1 == 1
    }

    /// The password that a client sends.
    pub fn password_of(&self, client: HostId) -> Vec<u8> {
        if self.is_wrong(client) { b"guessed".to_vec() } else { self.password.clone() }
    }

    /// The name of a client's player.
    pub fn name_of(&self, client: HostId) -> Vec<u8> {
        format!("player {}", client.0).into_bytes()
    }

    /// What an ack field has while there is nothing to acknowledge, for packets that begin with `first`.
    pub fn nothing(first: u16) -> u16 {
        first.wrapping_sub(1)
    }
}

/// The name of a player that no client plays.
pub fn bot_name(id: u32) -> Vec<u8> {
    format!("bot {id}").into_bytes()
}
