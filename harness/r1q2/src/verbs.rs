//! What a scenario can ask of an endpoint beside what every protocol knows.

kit::numbered_table! {
    /// The protocol's own verbs, by number.
    VERBS: [Verb];
    VERB_SOUND = "sound" to Server ["client", "entity", "sound", "flags"], "play a sound for one client (0: all), with the parts that the SND_ flags name";
    VERB_TEMP_ENTITY = "temp_entity" to Server ["kind", "entity"], "an effect of this kind where an entity is, for all clients";
    VERB_PRINT = "print" to Server ["client", "number"], "print \"proof <number>\" reliably, to one client or (0) to all";
    VERB_UNICAST = "unicast" to Server ["client", "number"], "print \"aside <number>\" to one client, unreliably";
    VERB_LAYOUT = "layout" to Server ["client", "number"], "put \"layout <number>\" on a client's screen, reliably";
    VERB_INVENTORY = "inventory" to Server ["client", "item", "count"], "a client has so many of an item, and nothing else; reliably";
    VERB_CONFIGSTRING = "configstring" to Server ["index", "number"], "a configstring of this map becomes \"config <number>\"";
    VERB_MUZZLEFLASH = "muzzleflash" to Server ["entity", "kind"], "a player fires, for all clients";
    VERB_BIG = "big" to Server ["client", "bytes"], "send a client so many bytes of text, reliably";
    VERB_AREA = "area" to Server ["client", "byte"], "which areas a client can see, eight bits";
    VERB_PAUSE = "pause" to Server ["client", "frames"], "hold back so many frames, 25 at most, for a client (0: all)";
    VERB_WALK = "walk" to Client ["forward", "side", "up", "buttons"], "move so fast, in units a second, and hold these buttons. Players move without a map, in eighths: the velocity of a spectator is what its command says, along x, y, z; of others it stays, and only those of type 0 move. Each axis goes on by velocity * msec / 1000, for a spectator over protocol 35 twice that; what is left below an eighth, rounding down, is kept for the next command";
    VERB_LOOK = "look" to Client ["pitch", "yaw", "roll"], "look there, 65536 to the circle";
    VERB_NODELTA = "nodelta" to Client ["on"], "ask for frames without a base, or (0) no longer";
    VERB_SETTING = "setting" to Client ["index", "value"], "send a setting, from revision 1902 on";
    VERB_DOWNLOAD = "download" to Client ["number"], "download proof/NUMBER.dat, a file of so many hundred bytes; the server has none above 1000";
    VERB_MALFORMED = "malformed" to Server ["client", "kind"], "send a client (0: all) something malformed in place of its next frame: a zpacket 0 longer than its datagram, 1 of nothing, 2 cut off, 3 holding more than it states, 4 less, 5 of no deflate data, 6 a bomb, 7 in a zpacket; 8 over protocol 34, a frame with an upper bit";
    VERB_UNSENT = "unsent" to Server ["client"], "make the next frame for a client (0: all) and do not send it, but build the one after it on that";
    VERB_ACK_AHEAD = "ack_ahead" to Client ["frames", "moves"], "acknowledge, with so many moves, frames that are so many newer than the newest";
}

/// The verbs by which a scenario makes an end misbehave.
pub static MISBEHAVIOUR: &[usize] = &[VERB_MALFORMED, VERB_UNSENT, VERB_ACK_AHEAD];
