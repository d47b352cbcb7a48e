//! Servers whose buffers lose, repeat or mix up what is in them.

use super::*;
use crate::requirements::*;
use crate::rules::{Appended, Copied, Emptied, Fit, Full, Reach, WithoutRoom};

/// Which buffer, how full, and when it is emptied.
pub static MUTANTS: &[Mutant] = &[
    of_server(
        "stops-when-full",
        &BUF_03,
        "nvs/flood",
        "adds broadcasts without a look at the room, and stops when one does not fit",
        |setup| server_with(setup, Rules { fit: Fit::Unchecked, full: Full::Stops, ..Rules::REFERENCE }),
    ),
    of_server(
        "unchecked-broadcast",
        &BUF_04,
        "nvs/flood",
        "adds broadcasts without a look at the room, and loses all of them when one does not fit",
        |setup| server_with(setup, Rules { fit: Fit::Unchecked, ..Rules::REFERENCE }),
    ),
    of_server(
        "common-room",
        &BUF_04,
        "nvs/edge-particles",
        "checks a broadcast's room in the buffer that all clients share",
        |setup| server_with(setup, Rules { fit: Fit::Common, ..Rules::REFERENCE }),
    ),
    of_server("strict-room", &BUF_05, "nvs/edge-explosions", "wants a byte to be free behind a broadcast", |setup| {
        server_with(setup, Rules { fit: Fit::Strict, ..Rules::REFERENCE })
    }),
    of_server(
        "copies-what-fits",
        &BUF_06,
        "nvs/flood-again",
        "copies as much of a client's unreliable buffer into its datagram as fits, be it half a message",
        |setup| server_with(setup, Rules { copied: Copied::AsFits, ..Rules::REFERENCE }),
    ),
    of_server(
        "full-for-one-full-for-all",
        &BUF_07,
        "nvs/one-full",
        "keeps a broadcast from all clients when one has no room for it",
        |setup| server_with(setup, Rules { without_room: WithoutRoom::Everybody, ..Rules::REFERENCE }),
    ),
    of_server(
        "named-broadcast-for-all",
        &BUF_08,
        "nvs/scripted-forms",
        "sends an unreliable message that names a client to all",
        |setup| server_with(setup, Rules { broadcast_one: Reach::All, ..Rules::REFERENCE }),
    ),
    of_server(
        "named-print-for-all",
        &BUF_08,
        "nvs/three-messages",
        "sends an unlisted unreliable message that names a client to all",
        |setup| server_with(setup, Rules { unlisted_one: Reach::All, ..Rules::REFERENCE }),
    ),
    of_server(
        "repeats-the-last-frame",
        &BUF_09,
        "nvs/three-messages",
        "empties the clients' unreliable buffers before every other frame only",
        |setup| server_with(setup, Rules { emptied: Emptied::EveryOther, ..Rules::REFERENCE }),
    ),
    of_server(
        "all-behind-one-only",
        &BUF_10,
        "nvs/mixed-clients",
        "appends what is for ALL only to buffers that have something already",
        |setup| server_with(setup, Rules { appended: Appended::BehindOthers, ..Rules::REFERENCE }),
    ),
];
