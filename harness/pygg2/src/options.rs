//! What a scenario can choose about the two ends.

use crate::snapshot::Declared;
use kit::TextInfo;
use kit::options::option;
use kit::{Chosen, HostId, KnownBy, OptionInfo, Profile, Setup};

/// The profiles, by number.
pub static PROFILES: [Profile; 1] = [Profile {
    name: "pygg2",
    title: "The PyGG2 concept, completed by the decisions of GG2-P1",
    index: 0,
    udp_port: 8_190,
    known_by: KnownBy::Port,
}];

/// The options, by number.
pub static OPTIONS: [OptionInfo; 8] = [
    option("tick_us", 50_000, 1_000..=1_000_000, "time between snapshots, in microseconds"),
    option("client_tick_us", 33_333, 1_000..=250_000, "time between input updates, in microseconds"),
    option("max_players", 16, 0..=255, "most players, those that no client plays included"),
    option(
        "first_sequence",
        1,
        0..=0xffff,
        "number of the server's first packet to a client; who received nothing yet acknowledges the number before it, which is 0 for 1",
    ),
    option("first_client_sequence", 1, 0..=0xffff, "number of a client's first packet"),
    option(
        "wrong_password",
        0,
        0..=255,
        "the clients that have a wrong password: a bit each, that of client 1 is the lowest",
    ),
    option("class_fields", 0, 0..=1, "1: the class fields follow every body in a snapshot, as both sides declare")
        .of_dialect(),
    option("class_extras", 0, 0..=8, "bytes of one's own that follow them, as both sides declare").of_dialect(),
];

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

/// Most bytes of one's own after a body.
const MAX_EXTRAS: usize = 8;

/// The options of a run, read.
#[derive(Clone, Debug)]
pub struct Options {
    /// Time between snapshots, in microseconds.
    pub tick_us: u64,
    /// Time between input updates, in microseconds.
    pub client_tick_us: u64,
    /// Most players.
    pub max_players: usize,
    /// The server's first number to a client.
    pub first_sequence: u16,
    /// A client's first number.
    pub first_client_sequence: u16,
    /// Who has a wrong password.
    wrong_password: i64,
    /// What follows bodies.
    pub declared: Declared,
    /// The server's password.
    pub password: Vec<u8>,
    /// The server's name.
    pub server: Vec<u8>,
    /// The map's name.
    pub map: Vec<u8>,
}

impl Options {
    /// Reads a setup's options; values out of range are clamped.
    pub fn new(setup: &Setup) -> Options {
        let chosen = Chosen::new(&OPTIONS, setup);
        let text = |index: usize| setup.texts.get(index).map(|text| text.as_bytes().to_vec()).unwrap_or_default();
        Options {
            tick_us: chosen.tick_us("tick_us", 1_000_000),
            client_tick_us: chosen.tick_us("client_tick_us", 1_000_000),
            max_players: chosen.size("max_players", 0, 255),
            first_sequence: chosen.value("first_sequence") as u16,
            first_client_sequence: chosen.value("first_client_sequence") as u16,
            wrong_password: chosen.value("wrong_password"),
            declared: Declared {
                class_fields: chosen.is_on("class_fields"),
                extras: chosen.size("class_extras", 0, MAX_EXTRAS),
            },
            password: text(0),
            server: text(1),
            map: text(2),
        }
    }

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
