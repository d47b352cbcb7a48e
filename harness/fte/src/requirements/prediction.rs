//! Prediction data and PREDINFO.

use super::section::{DELTAS, INFORMATION, PREDINFO};
use super::{NETQUAKE, may, must, should};
use kit::Requirement;
use kit::Role::{Both, Client, Server};

/// Pred block: flag byte then listed items in order.
pub static PRED_01: Requirement =
    must("FTE-PRED-01", Both, "Pred block: flag byte then listed items in order.", DELTAS, "wire all bits")
        .engines("FTEQW has on-ground and jump-held in the high bits of movetype; QuakeSpasm-Spiked always sends 0.");

/// In a pred block, absent movement/velocity/msec read as zero.
pub static PRED_02: Requirement =
    must("FTE-PRED-02", Client, "In a pred block, absent movement/velocity/msec read as zero.", DELTAS, "state")
        .errata(
            "Whether an update without a pred block zeroes them, too, is left open (E17): only pred blocks are \
             judged.",
        )
        .engines(
            "FTEQW and QuakeSpasm-Spiked zero them in every update of the entity. Neither flags a velocity that \
             returns to zero, so that a client may keep it until the next update.",
        );

/// Movetype (and weaponframe without the extension) keep previous value when absent.
pub static PRED_03: Requirement = must(
    "FTE-PRED-03",
    Client,
    "Movetype (and weaponframe without the extension) keep previous value when absent.",
    DELTAS,
    "state",
);

/// Velocity shorts are eighths; XY flag covers both axes.
pub static PRED_04: Requirement =
    must("FTE-PRED-04", Both, "Velocity shorts are eighths; XY flag covers both axes.", DELTAS, "wire");

/// Weaponframe: 7 bits per byte, second byte when bit 7 set.
pub static PRED_05: Requirement = must(
    "FTE-PRED-05",
    Both,
    "Weaponframe: 7 bits per byte, second byte when bit 7 set.",
    DELTAS,
    "wire 127,128,32767",
);

/// A lost movetype/weaponframe change is repaired like any field.
pub static PRED_06: Requirement =
    must("FTE-PRED-06", Server, "A lost movetype/weaponframe change is repaired like any field.", DELTAS, "O2");

/// PREDINFO on: bit 7 carries view angles for exactly the axes flagged, as raw shorts, instead of weaponframe.
pub static PRED_07: Requirement = must(
    "FTE-PRED-07",
    Both,
    "PREDINFO on: bit 7 carries view angles for exactly the axes flagged, as raw shorts, instead of weaponframe.",
    PREDINFO,
    "wire 4 combinations",
)
.errata(
    "The document gives the bit another use without a layout; engines send raw shorts for the axes that \
     the update flags (E16).",
);

/// PREDINFO on: weaponframe goes by stat 5 only.
pub static PRED_08: Requirement =
    must("FTE-PRED-08", Both, "PREDINFO on: weaponframe goes by stat 5 only.", PREDINFO, "wire")
        .engines("FTEQW raised the weaponframe's bit all the same until 0f8d07b8e.");

/// PREDINFO NQ: 16-bit sequence directly after the clc_move byte and after the service 86 byte.
pub static PRED_09: Requirement = must(
    "FTE-PRED-09",
    Both,
    "PREDINFO NQ: 16-bit sequence directly after the clc_move byte and after the service 86 byte.",
    PREDINFO,
    "wire",
)
.only(NETQUAKE)
.errata("The document does not limit it to a transport; QuakeWorld's messages have no such field (E3).");

/// Echoed movement sequence is that of the newest applied input.
pub static PRED_10: Requirement =
    must("FTE-PRED-10", Server, "Echoed movement sequence is that of the newest applied input.", PREDINFO, "O7")
        .only(NETQUAKE)
        .engines("FTEQW did not reduce the number to 16 bits until c68cbfec2.");

/// Sequence wrap at 65536 handled on both sides.
pub static PRED_11: Requirement =
    must("FTE-PRED-11", Both, "Sequence wrap at 65536 handled on both sides.", PREDINFO, "65534..3 with loss")
        .only(NETQUAKE)
        .engines(
            "QuakeSpasm-Spiked takes a number up to 256 below its newest for late, and one further below for a \
             wrap; FTEQW takes every lower one for a wrap, so that a late move makes it jump.",
        );

/// Replay inputs ack+1..latest for prediction (if it predicts).
pub static PRED_12: Requirement = must(
    "FTE-PRED-12",
    Client,
    "Replay inputs ack+1..latest for prediction (if it predicts).",
    INFORMATION,
    "state",
)
.untestable(
    "What a client predicts is where it draws its own player between frames. It is neither sent nor part of the \
     state that updates build, and there is no physics here by which to replay a move.",
);

/// Use interpolation only and ignore pred info.
pub static PRED_13: Requirement =
    may("FTE-PRED-13", Client, "Use interpolation only and ignore pred info.", PREDINFO, "state parse").untestable(
        "Whether a client predicts or interpolates shows on its screen only; what it has received is compared all the \
         same.",
    );

/// PREDINFO: ping is computed from acks, not from the clc_move timestamp.
pub static PRED_14: Requirement = must(
    "FTE-PRED-14",
    Server,
    "PREDINFO: ping is computed from acks, not from the clc_move timestamp.",
    PREDINFO,
    "send forged time; ping unchanged",
)
.only(NETQUAKE)
.untestable(
    "Nothing that the document defines carries a ping to the client, so that a forged time shows nowhere on the wire. \
     NetQuake prints pings as free text, on request; QuakeWorld's moves have no timestamp to forge.",
)
.engines(
    "FTEQW did not check the frame that it measured by until cd4412e80, and went by the client's time \
     stamp until 69982c9b9.",
);

/// PREDINFO: clc_move angles have at least 16 bits.
pub static PRED_15: Requirement = must(
    "FTE-PRED-15",
    Both,
    "PREDINFO: clc_move angles have at least 16 bits.",
    PREDINFO,
    "wire length on protocol 15",
)
.only(NETQUAKE)
.errata("Required over protocol 15, too, where engines differ (E27).")
.engines(
    "QuakeSpasm-Spiked sends 16 bits; FTEQW's client sends 8 over protocol 15 unless the server's accept \
     says otherwise.",
);

/// Add half own latency to msec ages when predicting others.
pub static PRED_16: Requirement = should(
    "FTE-PRED-16",
    Client,
    "Add half own latency to msec ages when predicting others.",
    PREDINFO,
    "-",
)
.untestable(
    "It concerns where other players are drawn between frames; the age itself, as received, is part of the state \
     and is compared.",
);

/// Support fly movetype as straight projection, interpolation otherwise (if projecting).
pub static PRED_17: Requirement = must(
    "FTE-PRED-17",
    Client,
    "Support fly movetype as straight projection, interpolation otherwise (if projecting).",
    PREDINFO,
    "state",
)
.untestable(
    "Projection and interpolation decide where an entity is drawn between frames; neither is sent, and both leave the \
     received state as it is. That the movetype itself is kept is compared (FTE-PRED-03).",
);

/// Duplicate or old movement sequences are not applied twice.
pub static PRED_18: Requirement =
    must("FTE-PRED-18", Server, "Duplicate or old movement sequences are not applied twice.", PREDINFO, "state")
        .only(NETQUAKE)
        .engines("QuakeSpasm-Spiked ignores equal and lower numbers; FTEQW takes a lower one for a wrap.");
