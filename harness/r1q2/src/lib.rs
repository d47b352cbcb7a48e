//! R1Q2 protocol 35, in the revisions 1901 to 1905, and the protocol 34 that it grew from.
//!
//! Reading order: [`constants`], [`state`] (what is delta-compressed), [`delta`] and [`player`] (the field tables),
//! [`solid`], [`entities`], [`frame`], [`usercmd`] (what answers frames), [`message`] (everything that is said, in
//! order) with [`service`], [`effect`], [`command`] and [`deflate`]. Around them: [`handshake`] and [`dialect`] (what
//! was agreed upon), [`netchan`] (the transport), [`tap`] and [`dissector`] (reading along), [`requirements`] (what
//! there is to prove), [`options`]. The machines: [`world`] (what a scenario says that there is), [`address`],
//! [`server`] with [`session`] and [`sender`], [`client`] with [`game`], [`movement`] and [`download`]; the choices
//! that they make are in [`rules`] and [`liberties`], what scenarios make them say wrongly in [`malformed`]. [`oracle`]
//! judges.

pub mod address;
pub mod client;
pub mod command;
pub mod constants;
pub mod deflate;
pub mod delta;
pub mod dialect;
pub mod dissector;
pub mod download;
pub mod effect;
pub mod entities;
pub mod frame;
pub mod game;
pub mod handshake;
pub mod liberties;
pub mod malformed;
pub mod message;
pub mod movement;
pub mod mutants;
pub mod netchan;
pub mod options;
pub mod oracle;
pub mod player;
pub mod requirements;
pub mod rules;
pub mod sender;
pub mod server;
pub mod service;
pub mod session;
pub mod solid;
pub mod state;
pub mod tap;
pub mod usercmd;
pub mod variants;
pub mod world;

use kit::{Protocol, Verb};
use rules::Rules;

/// Verb: the server plays a sound.
pub const VERB_SOUND: usize = 0;
/// Verb: an effect happens.
pub const VERB_TEMP_ENTITY: usize = 1;
/// Verb: the server prints a numbered line, reliably.
pub const VERB_PRINT: usize = 2;
/// Verb: the server prints a numbered line, unreliably.
pub const VERB_UNICAST: usize = 3;
/// Verb: a client's screen changes.
pub const VERB_LAYOUT: usize = 4;
/// Verb: a client's inventory changes.
pub const VERB_INVENTORY: usize = 5;
/// Verb: a configstring changes.
pub const VERB_CONFIGSTRING: usize = 6;
/// Verb: a player fires.
pub const VERB_MUZZLEFLASH: usize = 7;
/// Verb: the server has much to tell.
pub const VERB_BIG: usize = 8;
/// Verb: the areas change that a client can see.
pub const VERB_AREA: usize = 9;
/// Verb: a client's port changes on the way.
pub const VERB_REBIND: usize = 10;
/// Verb: the player walks.
pub const VERB_WALK: usize = 11;
/// Verb: the player looks somewhere.
pub const VERB_LOOK: usize = 12;
/// Verb: the client asks for frames without a base.
pub const VERB_NODELTA: usize = 13;
/// Verb: the client says a setting.
pub const VERB_SETTING: usize = 14;
/// Verb: the client downloads a file.
pub const VERB_DOWNLOAD: usize = 15;

/// Verb: the server says something that cannot be read.
pub const VERB_MALFORMED: usize = 16;
/// Verb: the server builds on a frame that it did not send.
pub const VERB_UNSENT: usize = 17;
/// Verb: the client acknowledges frames that it has not received.
pub const VERB_ACK_AHEAD: usize = 18;

/// Note of a client: a sound that it plays: its number times 65536, and entity and channel as they were told, or 0.
pub const NOTE_SOUND_PLAYED: &str = "sound";
/// Note of a client: an effect that it shows; its kind.
pub const NOTE_EFFECT_SHOWN: &str = "temp entity";
/// Note of a client: somebody fires: the entity times 256, and the kind.
pub const NOTE_MUZZLEFLASH: &str = "muzzleflash";
/// Note of a client: a layout that it shows: the number at the end of its text.
pub const NOTE_LAYOUT_SHOWN: &str = "layout";
/// Note of a client: an inventory that it was told: the number of its first item that there is, times 65536, and its count; -1 for none.
pub const NOTE_INVENTORY: &str = "inventory";
/// Note of a client in the game: a configstring that changed: its index times 2^32, and the number at the end of its text.
pub const NOTE_CONFIGSTRING: &str = "configstring";
/// Note of a client: a file is complete; its length.
pub const NOTE_DOWNLOADED: &str = "download bytes";
/// Note of a client, behind the length of a file: [`download::file_sum`] of its bytes.
pub const NOTE_DOWNLOAD_SUM: &str = "download sum";
/// Note of a client: there is no such file.
pub const NOTE_DOWNLOAD_REFUSED: &str = "download refused";
/// Note of a client: the number of a valid frame that it took.
pub const NOTE_FRAME: &str = "frame";
/// Note of a client: the number of a frame whose base it does not have.
pub const NOTE_INVALID_FRAME: &str = "invalid frame";
/// Note of a client: how far, on the axis that is farthest, its prediction of the place that a valid frame says was off, in eighths; of each frame for which it had one.
pub const NOTE_PREDICTION_ERROR: &str = "prediction error";
/// Note of a client: it leaves to come back over protocol 34; the revision that it was told.
pub const NOTE_FALLBACK: &str = "fall back";
/// Note of a server that takes a move: the client times 2^32, and the frame that it acknowledges as 32 bits.
pub const NOTE_MOVE: &str = "move";
/// Note of a server that takes a setting: the client times 2^32, and the index times 65536, and the value.
pub const NOTE_SETTING: &str = "setting";
/// Note of a server that finds a client at another port: the client times 2^32, and the port.
pub const NOTE_REBOUND: &str = "rebound";
/// Note of a server: a frame is held back for a client's rate: the client times 2^32, and the frame.
pub const NOTE_HELD_BACK: &str = "held back";
/// Note of an endpoint: a datagram older than one before; its number.
pub const NOTE_STALE: &str = "stale datagram";
/// Note of an endpoint: an instruction made no sense to it.
pub const NOTE_COMMAND_IGNORED: &str = "command ignored";

/// The protocol's own verbs, by number.
pub static VERBS: [Verb; 19] = [
    Verb {
        name: "sound",
        args: &["client", "entity", "sound", "flags"],
        help: "to the server: one client (0: all) hears a sound, with the parts that the SND_ flags name",
    },
    Verb {
        name: "temp_entity",
        args: &["kind", "entity"],
        help: "to the server: an effect of this kind where an entity is, for all clients",
    },
    Verb {
        name: "print",
        args: &["client", "number"],
        help: "to the server: print \"proof <number>\" reliably, to one client or (0) to all",
    },
    Verb {
        name: "unicast",
        args: &["client", "number"],
        help: "to the server: print \"aside <number>\" to one client, unreliably",
    },
    Verb {
        name: "layout",
        args: &["client", "number"],
        help: "to the server: put \"layout <number>\" on a client's screen, reliably",
    },
    Verb {
        name: "inventory",
        args: &["client", "item", "count"],
        help: "to the server: a client has so many of an item, and nothing else; reliably",
    },
    Verb {
        name: "configstring",
        args: &["index", "number"],
        help: "to the server: a configstring of this map becomes \"config <number>\"",
    },
    Verb { name: "muzzleflash", args: &["entity", "kind"], help: "to the server: a player fires, for all clients" },
    Verb {
        name: "big",
        args: &["client", "bytes"],
        help: "to the server: tell a client so many bytes of text, reliably",
    },
    Verb { name: "area", args: &["client", "byte"], help: "to the server: which areas a client can see, eight bits" },
    Verb {
        name: "rebind",
        args: &["client", "port"],
        help: "to the server, on behalf of the network before it: the client's datagrams come from another port from now on, and what goes to the old one is lost",
    },
    Verb {
        name: "walk",
        args: &["forward", "side", "up", "buttons"],
        help: "to a client: move so fast, in units a second, and hold these buttons",
    },
    Verb { name: "look", args: &["pitch", "yaw", "roll"], help: "to a client: look there, 65536 to the circle" },
    Verb { name: "nodelta", args: &["on"], help: "to a client: ask for frames without a base, or (0) no longer" },
    Verb { name: "setting", args: &["index", "value"], help: "to a client: say a setting, from revision 1902 on" },
    Verb {
        name: "download",
        args: &["number"],
        help: "to a client: download a file of so many hundred bytes; the server has none above 1000",
    },
    Verb {
        name: "malformed",
        args: &["client", "kind"],
        help: "to the server: send a client (0: all) something malformed in place of its next frame: a zpacket 0 longer than its datagram, 1 of nothing, 2 cut off, 3 holding more than it says, 4 less, 5 of no deflate data, 6 a bomb, 7 in a zpacket; 8 over protocol 34, a frame with an upper bit",
    },
    Verb {
        name: "unsent",
        args: &["client"],
        help: "to the server: make the next frame for a client (0: all) and do not send it, but build the one after it on that",
    },
    Verb {
        name: "ack_ahead",
        args: &["frames", "moves"],
        help: "to a client: acknowledge, with so many moves, frames that are so many newer than the newest",
    },
];

/// R1Q2 protocol 35.
pub static PROTOCOL: Protocol = Protocol {
    name: "r1q2",
    title: "R1Q2 protocol 35, with Quake II's protocol 34 beside it",
    profiles: &options::PROFILES,
    fields: &world::WORLD_TABLE,
    verbs: &VERBS,
    options: &options::OPTIONS,
    texts: &[],
    marks: &dissector::MARKS,
    requirements: requirements::REQUIREMENTS,
    checks: oracle::checks::CHECKS,
    points: oracle::coverage::Point::NAMES,
    misbehaviour: &[],
    notes: &[],
    mutants: mutants::MUTANTS,
    variants: variants::VARIANTS,
    server: |setup| Box::new(server::Server::new(setup, Rules::REFERENCE)),
    client: |setup| Box::new(client::Client::new(setup, Rules::REFERENCE)),
    oracle: oracle::oracle,
    dissector: |setup| Box::new(dissector::R1q2Dissector::new(setup)),
};
