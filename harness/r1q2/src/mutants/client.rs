//! Clients that read wrongly what they are told.

use super::{client_hears, client_with, of_client};
use crate::constants::*;
use crate::requirements::*;
use crate::rules::*;
use kit::{Mutant, Packet, Span};

/// The command byte, the frame's word and the suppress byte of a frame, if there is one that is not in a zpacket.
fn frame<'a>(packet: &Packet<'a>) -> Option<[&'a Span; 2]> {
    let suppress = packet.fields("suppress+extraflags").next()?;
    let command = packet.fields("svc").find(|span| packet.value(span) as u8 & SVC_MASK == SVC_FRAME)?;
    Some([command, suppress])
}

/// Clients that read wrongly what they are told.
pub(super) const MUTANTS: &[Mutant] = &[
    of_client("newest-base", &FRM_03, "r1q2/late", "takes the newest frame for the base", |setup| {
        let base = |start: &crate::frame::FrameStart<'_>, newest: i32| start.base().map(|_| newest);
        client_with(setup, Rules { base, ..Rules::REFERENCE })
    }),
    of_client("offset-31-as-any", &FRM_02, "r1q2/nodelta", "takes distance 31 for one like others", |setup| {
        let base = |start: &crate::frame::FrameStart<'_>, _| start.base().or(Some(start.number - 31));
        client_with(setup, Rules { base, ..Rules::REFERENCE })
    }),
    of_client("newest-player", &PS_09, "r1q2/nodelta", "takes the newest player state for the base's", |setup| {
        client_with(setup, Rules { client_player_base: PlayerBase::Newest, ..Rules::REFERENCE })
    }),
    of_client("ends-behind-zpackets", &ZPKT_04, "r1q2/clean", "reads nothing behind a zpacket", |setup| {
        client_with(setup, Rules { zpackets: Zpackets::EndsDatagram, ..Rules::REFERENCE })
    }),
    of_client("no-frames-in-zpackets", &ZPKT_03, "r1q2/frames-compressed", "passes over frames in zpackets", |setup| {
        client_with(setup, Rules { zpackets: Zpackets::WithoutFrames, ..Rules::REFERENCE })
    }),
    of_client("short-buffer", &LEN_01, "r1q2/most", "takes 1400 bytes of a datagram", |setup| {
        client_with(setup, Rules { receives: MAX_MSGLEN_ORIGINAL, ..Rules::REFERENCE })
    }),
    of_client("packed-file", &ZDL_02, "r1q2/download", "keeps compressed blocks as they are", |setup| {
        client_with(setup, Rules { zdownload: ZDownloads::AsTheyAre, ..Rules::REFERENCE })
    }),
    of_client(
        "stops-at-packed-blocks",
        &ZDL_03,
        "r1q2/download",
        "asks for nothing behind a compressed block",
        |setup| client_with(setup, Rules { zdownload: ZDownloads::NoNext, ..Rules::REFERENCE }),
    ),
    of_client(
        "one-kind-of-block",
        &ZDL_04,
        "r1q2/download",
        "begins a file anew at a compressed block behind a plain one",
        |setup| client_with(setup, Rules { zdownload: ZDownloads::NotMixed, ..Rules::REFERENCE }),
    ),
    of_client(
        "whole-command-byte",
        &CMD_01,
        "r1q2/clean",
        "takes the command byte of a frame without its upper bits",
        |setup| {
            client_hears(setup, |packet| {
                if let Some([command, _]) = frame(packet) {
                    let value = packet.value(command);
                    packet.set(command, value & u64::from(SVC_MASK));
                }
            })
        },
    ),
    of_client("predicts-once", &MOV_03, "r1q2/spectators", "predicts a spectator without the double time", |setup| {
        client_with(setup, Rules { client_time: |_, _| 1, ..Rules::REFERENCE })
    }),
];
