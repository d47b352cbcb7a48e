//! Prediction data and PREDINFO.

use super::section::{DELTAS, INFORMATION, PREDINFO};
use super::{NETQUAKE, QUAKEWORLD};
use kit::Requirement;
use kit::Role::{Both, Client, Server};
use kit::requirement::{may, must, should};

pub static PRED_01: Requirement = must("FTE-PRED-01", Both, DELTAS, "wire all bits")
    .text("Pred block: flag byte then listed items in order.")
    .engines("FTEQW has on-ground and jump-held in the high bits of movetype; QuakeSpasm-Spiked always sends 0.");

pub static PRED_02: Requirement = must("FTE-PRED-02", Client, DELTAS, "state")
    .text("In a pred block, absent movement/velocity/msec read as zero.")
    .errata("Whether an update without a pred block zeroes them, too, is left open (E17): only pred blocks are judged.")
    .engines(
        "FTEQW and QuakeSpasm-Spiked zero them in every update of the entity. Neither flags a velocity that returns to \
         zero, so that a client may keep it until the next update.",
    );

pub static PRED_03: Requirement = must("FTE-PRED-03", Client, DELTAS, "state")
    .text("Movetype (and weaponframe without the extension) keep previous value when absent.");

pub static PRED_04: Requirement =
    must("FTE-PRED-04", Both, DELTAS, "wire").text("Velocity shorts are eighths; XY flag covers both axes.");

pub static PRED_05: Requirement = must("FTE-PRED-05", Both, DELTAS, "wire 127,128,32767")
    .text("Weaponframe: 7 bits per byte, second byte when bit 7 set.");

pub static PRED_06: Requirement =
    must("FTE-PRED-06", Server, DELTAS, "O2").text("A lost movetype/weaponframe change is repaired like any field.");

pub static PRED_07: Requirement = must("FTE-PRED-07", Both, PREDINFO, "wire 4 combinations")
    .text("PREDINFO on: bit 7 carries view angles for exactly the axes flagged, as raw shorts, instead of weaponframe.")
    .errata(
        "The specification gives the bit another use without a layout; engines send raw shorts for the axes that the \
         update flags (E16).",
    );

pub static PRED_08: Requirement = must("FTE-PRED-08", Both, PREDINFO, "wire")
    .text("PREDINFO on: weaponframe goes by stat 5 only.")
    .engines("FTEQW raised the weaponframe's bit nevertheless until 0f8d07b8e.");

pub static PRED_09: Requirement = must("FTE-PRED-09", Both, PREDINFO, "wire")
    .text("PREDINFO NQ: 16-bit sequence directly after the clc_move byte and after the service 86 byte.")
    .only(NETQUAKE)
    .errata("The specification does not limit it to a transport; QuakeWorld's messages have no such field (E3).");

pub static PRED_10: Requirement = must("FTE-PRED-10", Server, PREDINFO, "O7")
    .text("Echoed movement sequence is that of the newest applied input.")
    .only(NETQUAKE)
    .engines("FTEQW did not reduce the number to 16 bits until c68cbfec2.");

pub static PRED_11: Requirement = must("FTE-PRED-11", Both, PREDINFO, "65534..3 with loss")
    .text("Sequence wrap at 65536 handled on both sides.")
    .only(NETQUAKE)
    .engines(
        "QuakeSpasm-Spiked takes a number up to 256 below its newest for late, and one further below for a wrap; FTEQW \
         takes every lower one for a wrap, so that a late move makes it jump.",
    );

pub static PRED_12: Requirement = must("FTE-PRED-12", Client, INFORMATION, "state")
    .text("Replay inputs ack+1..latest for prediction (if it predicts).")
    .untestable(
        "What a client predicts is where it draws its own player between frames. It is neither sent nor part of the \
         state that updates build, and there is no physics here by which to replay a move.",
    );

pub static PRED_13: Requirement = may("FTE-PRED-13", Client, PREDINFO, "state parse")
    .text("Use interpolation only and ignore pred info.")
    .untestable(
        "Whether a client predicts or interpolates shows on its screen only; what it has received is compared all the \
         same.",
    );

pub static PRED_14: Requirement = must("FTE-PRED-14", Server, PREDINFO, "send forged time; ping unchanged")
    .text("PREDINFO: ping is computed from acks, not from the clc_move timestamp.")
    .only(NETQUAKE)
    .untestable(
        "Nothing that the specification defines carries a ping to the client, so that a forged time shows nowhere on \
         the wire. NetQuake prints pings as free text, on request; QuakeWorld's moves have no timestamp to forge.",
    )
    .engines(
        "FTEQW did not check the frame that it measured by until cd4412e80, and went by the client's time stamp until \
         69982c9b9.",
    );

pub static PRED_15: Requirement = must("FTE-PRED-15", Both, PREDINFO, "wire length on protocol 15")
    .text("PREDINFO: clc_move angles have at least 16 bits.")
    .only(NETQUAKE)
    .errata("Required over protocol 15, too, where engines differ (E27).")
    .engines(
        "QuakeSpasm-Spiked sends 16 bits; FTEQW's client sends 8 over protocol 15 unless the server's accept says \
         otherwise.",
    );

pub static PRED_16: Requirement = should("FTE-PRED-16", Client, PREDINFO, "-")
    .text("Add half own latency to msec ages when predicting others.")
    .untestable(
        "It concerns where other players are drawn between frames; the age itself, as received, is part of the state \
         and is compared.",
    );

pub static PRED_17: Requirement = must("FTE-PRED-17", Client, PREDINFO, "state")
    .text("Support fly movetype as straight projection, interpolation otherwise (if projecting).")
    .untestable(
        "Projection and interpolation decide where an entity is drawn between frames; neither is sent, and both leave \
         the received state as it is. That the movetype itself is kept is compared (FTE-PRED-03).",
    );

pub static PRED_18: Requirement = must("FTE-PRED-18", Server, PREDINFO, "state")
    .text("Duplicate or old movement sequences are not applied twice.")
    .only(NETQUAKE)
    .engines("QuakeSpasm-Spiked ignores equal and lower numbers; FTEQW takes a lower one for a wrap.");

pub static PRED_19: Requirement = must("FTE-PRED-19", Server, INFORMATION, "wire: the sequence of a frame's packet")
    .text("QW: the sequence of a packet with a frame is that of the last input applied.")
    .only(QUAKEWORLD)
    .engines("Engines answer a packet under its own number, so that the numbers of lost packets are left out.");

pub(super) const ALL: &[&Requirement] = &[
    &PRED_01, &PRED_02, &PRED_03, &PRED_04, &PRED_05, &PRED_06, &PRED_07, &PRED_08, &PRED_09, &PRED_10, &PRED_11,
    &PRED_12, &PRED_13, &PRED_14, &PRED_15, &PRED_16, &PRED_17, &PRED_18, &PRED_19,
];
