//! What a scenario can ask of an endpoint beside what every protocol knows.

use kit::Verb;

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
