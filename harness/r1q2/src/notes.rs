//! What an endpoint reports of itself.

use kit::Event;

kit::numbered_table! {
    /// The notes, by number.
    NOTES: [Note];
    NOTE_SOUND_PLAYED = "sound" ["sound", "entity", "channel", "rest"], "a client plays a sound; entity and channel as sent, or 0; the sum of volume, attenuation and offset as sent, or -1, and of the place in eighths, or 0. A sum is 0 at first; with each part it becomes (31 * sum + part) modulo 1000003";
    NOTE_EFFECT_SHOWN = "temp entity" ["kind", "rest"], "a client shows an effect; the sum (see `sound`) of three places in eighths, count, direction, colour, two entities, magnitude, time; 0 where it has none";
    NOTE_MUZZLEFLASH = "muzzleflash" ["entity", "weapon"], "a client shows that a player fires";
    NOTE_LAYOUT_SHOWN = "layout" ["number"], "a client shows a layout; the number at the end of its text";
    NOTE_INVENTORY = "inventory" ["item", "count", "rest"], "a client receives an inventory; its first item that there is, -1 for none; the sum (see `sound`) of all counts";
    NOTE_CONFIGSTRING = "configstring" ["index", "number"], "a configstring changes for a client in the game; the number at the end of its text";
    NOTE_DOWNLOADED = "download bytes" ["length"], "a client has the whole of a file";
    NOTE_DOWNLOAD_SUM = "download sum" ["sum"], "after the length of a file: the Adler-32 of its bytes";
    NOTE_DOWNLOAD_REFUSED = "download refused" [], "a client learns that there is no such file";
    NOTE_FRAME = "frame" ["frame"], "a client takes a valid frame";
    NOTE_INVALID_FRAME = "invalid frame" ["frame"], "a client takes a frame whose base it does not have";
    NOTE_PREDICTION_ERROR = "prediction error" ["eighths"], "a client takes a valid frame whose place it predicted; how far it was off on the axis that is farthest";
    NOTE_FALLBACK = "fall back" ["revision"], "a client leaves to come back over protocol 34; the revision that it was sent";
    NOTE_MOVE = "move" ["client", "frame"], "a server takes a move; the frame that it acknowledges";
    NOTE_SETTING = "setting" ["client", "index", "value"], "a server takes a setting";
    NOTE_REBOUND = "rebound" ["client", "port"], "a server finds a client at another port";
    NOTE_HELD_BACK = "held back" ["client", "frame"], "a server holds a frame back for a client's rate";
    NOTE_STALE = "stale datagram" ["datagram", "client"], "an endpoint drops a datagram that is not newer than one before; the client on a server, or else 0";
    NOTE_REPLY_NOT_SENT = "reply not sent" ["bytes"], "a client has too much to send reliably";
    NOTE_COMMAND_IGNORED = "command ignored" [], "an endpoint ignored an instruction that it could not follow";
}

/// A note with its arguments, at most four.
pub fn note<const N: usize>(note: usize, given: [i64; N]) -> Event {
    let mut args = [0; 4];
    for (arg, given) in args.iter_mut().zip(given) {
        *arg = given;
    }
    Event::Note { note, args }
}
