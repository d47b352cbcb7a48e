//! Clients that read wrongly what they receive.

use super::wire::frame_of;
use super::{client_receives, client_with, of_client, pairs};
use crate::machine::game::{ClientRules, Game};
use crate::machine::malformed::{STRAY_BIT, TEXT};
use crate::requirements::*;
use crate::wire::constants::*;
use crate::wire::deflate::inflate;
use crate::wire::delta::{GATE_PROTOCOL_35, OmittedOrigin, omitted_old_origin};
use crate::wire::frame::FrameStart;
use crate::wire::message::ZPACKET_HEADER_BYTES;
use crate::wire::state::{Entity, OLD_ORIGIN, ORIGIN};
use kit::{Endpoint, HostId, Mutant, Packet, Setup, Span};
use netchan::HEADER_BYTES;

/// Whether a datagram has a zpacket that cannot be inflated.
fn malformed(packet: &Packet<'_>) -> bool {
    pairs(packet, "uncompressed length", "compressed data").into_iter().any(|[length, data]| {
        let mut plain = Vec::new();
        inflate(packet.raw(data), packet.value(length) as usize, &mut plain).is_err()
    })
}

/// The command byte and the second length of each compressed block of a file.
fn compressed_blocks<'a>(packet: &Packet<'a>) -> Vec<[&'a Span; 2]> {
    let blocks = pairs(packet, "svc", "uncompressed length").into_iter();
    // The size, two bytes, and the percentage stand between.
    blocks
        .filter(|[service, length]| packet.value(service) == SVC_ZDOWNLOAD.into() && length.start == service.end + 3)
        .collect()
}

/// A client that looks for the base of a frame in another place.
fn builds_on(setup: &Setup, find_base: fn(&Game, &FrameStart<'_>) -> (Option<usize>, bool)) -> Box<dyn Endpoint> {
    client_with(setup, ClientRules { find_base, ..ClientRules::REFERENCE })
}

/// A client that has another notion of old origins that are not sent.
fn comes_from(setup: &Setup, omitted: OmittedOrigin) -> Box<dyn Endpoint> {
    client_with(setup, ClientRules { omitted, ..ClientRules::REFERENCE })
}

/// The old origin of the base, and its origin.
fn old_of(base: &Entity) -> [i32; 3] {
    OLD_ORIGIN.map(|field| base[field])
}

fn origin_of(base: &Entity) -> [i32; 3] {
    ORIGIN.map(|field| base[field])
}

/// Clients that read wrongly what they receive.
pub(super) const MUTANTS: &[Mutant] = &[
    of_client("newest-base", &FRM_03, "r1q2/late", "takes the newest frame for the base", |setup| {
        builds_on(setup, |game, start| game.held(start.base().map(|_| game.newest)))
    }),
    of_client(
        "commands-of-the-connection-before",
        &GEN_02,
        "r1q2/everywhere-long",
        "repeats in its first moves what it did in the connection before",
        |setup| client_with(setup, ClientRules { keeps_commands: true, ..ClientRules::REFERENCE }),
    ),
    of_client("distance-in-four-bits", &FRM_03, "r1q2/old-bases", "reads four bits of the distance", |setup| {
        builds_on(setup, |game, start| game.held(start.base().map(|base| start.number - ((start.number - base) & 15))))
    }),
    of_client("offset-31-as-any", &FRM_02, "r1q2/nodelta", "takes distance 31 for an ordinary distance", |setup| {
        builds_on(setup, |game, start| game.held(start.base().or(Some(start.number - 31))))
    }),
    of_client(
        "once-valid",
        &FRM_03,
        "r1q2/unsent",
        "takes a frame without its base for valid if the frame before was valid",
        |setup| {
            builds_on(setup, |game, start| {
                let (base, valid) = game.held(start.base());
                (base, valid || game.newest_valid)
            })
        },
    )
    .same_bug_as("R1Q2 b5494"),
    of_client(
        "reads-what-there-is",
        &ZPKT_06,
        "r1q2/malformed",
        "reads a malformed zpacket as far as it goes",
        |setup| {
            client_receives(setup, |packet| {
                if malformed(packet) {
                    let text = [&[SVC_PRINT, 2][..], TEXT, &[0]].concat();
                    packet.replace(HEADER_BYTES..packet.bytes.len(), &text);
                }
            })
        },
    ),
    of_client(
        "passes-over-malformed",
        &ZPKT_06,
        "r1q2/malformed",
        "skips a zpacket that cannot be inflated",
        |setup| {
            client_receives(setup, |packet| {
                if malformed(packet) {
                    packet.replace(HEADER_BYTES..packet.bytes.len(), &[SVC_NOP]);
                }
            })
        },
    ),
    of_client("never-gives-up", &ZPKT_06, "r1q2/malformed", "goes on after a malformed zpacket", |setup| {
        client_with(setup, ClientRules { ends_at_errors: false, ..ClientRules::REFERENCE })
    }),
    of_client(
        "passes-over-stray-bits",
        &CMD_04,
        "r1q2/stray-bit",
        "skips a frame over protocol 34 that has an upper bit",
        |setup| {
            client_receives(setup, |packet| {
                let stray = packet.fields("svc").any(|span| packet.value(span) as u8 == SVC_FRAME | STRAY_BIT);
                if stray && packet.fields("serverframe+offset").next().is_none() {
                    packet.replace(HEADER_BYTES..packet.bytes.len(), &[SVC_NOP]);
                }
            })
        },
    ),
    of_client("newest-player", &PS_09, "r1q2/nodelta", "takes the newest player state for the base's", |setup| {
        client_with(setup, ClientRules { player_base: |_, newest| *newest, ..ClientRules::REFERENCE })
    }),
    of_client("ends-after-zpackets", &ZPKT_04, "r1q2/clean", "reads nothing after a zpacket", |setup| {
        client_receives(setup, |packet| {
            if let Some([_, data]) = pairs(packet, "uncompressed length", "compressed data").first() {
                packet.replace(data.end..packet.bytes.len(), &[]);
            }
        })
    }),
    of_client("no-frames-in-zpackets", &ZPKT_03, "r1q2/frames-compressed", "skips frames in zpackets", |setup| {
        client_receives(setup, |packet| {
            for [length, data] in pairs(packet, "uncompressed length", "compressed data") {
                let mut plain = Vec::new();
                let read = inflate(packet.raw(data), packet.value(length) as usize, &mut plain);
                let first = plain.first().map(|byte| byte & SVC_MASK);
                if read.is_ok() && first == Some(SVC_FRAME) {
                    packet.replace(data.start - ZPACKET_HEADER_BYTES..data.end, &[]);
                }
            }
        })
    }),
    of_client("short-buffer", &LEN_01, "r1q2/most", "takes 1400 bytes of a datagram", |setup| {
        client_receives(setup, |packet| {
            let length = packet.bytes.len();
            packet.replace(MAX_MSGLEN_ORIGINAL.min(length)..length, &[]);
        })
    }),
    of_client("buffer-a-little-short", &LEN_01, "r1q2/most", "takes 4090 bytes of a datagram", |setup| {
        client_receives(setup, |packet| {
            let length = packet.bytes.len();
            packet.replace(4090.min(length)..length, &[]);
        })
    }),
    of_client("packed-file", &ZDL_02, "r1q2/download", "keeps compressed blocks as they are", |setup| {
        client_receives(setup, |packet| {
            for [service, length] in compressed_blocks(packet) {
                packet.set(service, SVC_DOWNLOAD.into());
                packet.cut(length);
            }
        })
    }),
    of_client(
        "stops-at-packed-blocks",
        &ZDL_03,
        "r1q2/download",
        "asks for nothing after a compressed block",
        |setup| {
            client_receives(setup, |packet| {
                for [service, length] in compressed_blocks(packet) {
                    let data = packet.fields("data").find(|data| data.start == length.end);
                    let end = data.map_or(length.end, |data| data.end);
                    packet.replace(service.start..end, &[SVC_NOP]);
                }
            })
        },
    ),
    of_client("one-kind-of-block", &ZDL_04, "r1q2/download", "drops the data of plain blocks", |setup| {
        client_receives(setup, |packet| {
            for [percent, data] in pairs(packet, "percent", "data") {
                if percent.end == data.start {
                    packet.replace(percent.start - 2..data.end, &[&[0, 0], packet.raw(percent)].concat());
                }
            }
        })
    }),
    of_client(
        "whole-command-byte",
        &CMD_01,
        "r1q2/clean",
        "takes the command byte of a frame without its upper bits",
        |setup| {
            client_receives(setup, |packet| {
                if let Some([command, ..]) = frame_of(packet) {
                    let value = packet.value(command);
                    packet.set(command, value & u64::from(SVC_MASK));
                }
            })
        },
    ),
    of_client(
        "counts-the-header",
        &ZPKT_05,
        "r1q2/behind-zpackets",
        "takes the compressed length to include the header, and leaves a zpacket too early",
        |setup| {
            client_receives(setup, |packet| {
                for [length, data] in pairs(packet, "uncompressed length", "compressed data") {
                    if length.end == data.start {
                        let raw = packet.raw(data);
                        let last = &raw[raw.len().saturating_sub(ZPACKET_HEADER_BYTES)..];
                        packet.replace(data.end..data.end, last);
                    }
                }
            })
        },
    ),
    of_client("splits-the-end", &CMD_03, "r1q2/clean", "splits the missing byte at a message's end", |setup| {
        client_receives(setup, |packet| {
            let in_session = packet.fields("sequence").next().is_some();
            let r1q2 = packet.fields("svc_playerinfo").next().is_none() && packet.client == HostId(1);
            if in_session && r1q2 {
                packet.replace(packet.bytes.len()..packet.bytes.len(), &[SVC_MASK]);
            }
        })
    }),
    of_client(
        "enhanced-without-revision",
        &SD_02,
        "r1q2/enhanced",
        "reads no revision in the serverdata of an enhanced game",
        |setup| {
            client_receives(setup, |packet| {
                for [enhanced, minor] in pairs(packet, "enhanced", "minor") {
                    if packet.value(enhanced) != 0 {
                        packet.replace(minor.end..minor.end, packet.raw(minor));
                    }
                }
            })
        },
    ),
    of_client("stays-where-it-was", &ENT_01, "r1q2/clean", "never takes the base's origin for the old one", |setup| {
        comes_from(setup, |base, _, _| old_of(base))
    }),
    of_client("beams-collapse", &ENT_02, "r1q2/clean", "takes the base's origin for a beam's far end", |setup| {
        comes_from(setup, |base, _, _| origin_of(base))
    }),
    of_client(
        "beams-of-35-over-34",
        &ENT_03,
        "r1q2/beams",
        "keeps the old origin of what was a beam over protocol 34, too",
        |setup| comes_from(setup, |base, now, gate| omitted_old_origin(base, now, gate | GATE_PROTOCOL_35)),
    ),
    of_client(
        "new-beams-from-here",
        &ENT_05,
        "r1q2/beams",
        "takes the origin of what becomes a beam for its far end",
        |setup| {
            comes_from(setup, |base, now, gate| match now.is_beam() && !base.is_beam() {
                true => origin_of(now),
                false => omitted_old_origin(base, now, gate),
            })
        },
    ),
    of_client("one-area-byte", &GEN_02, "r1q2/enhanced", "reads one byte of areas, however many there are", |setup| {
        client_receives(setup, |packet| {
            for [count, areas] in pairs(packet, "area bytes", "area bits") {
                packet.replace(count.start..areas.start, &[1]);
            }
        })
    }),
    of_client("predicts-once", &MOV_03, "r1q2/spectators", "predicts a spectator without the double time", |setup| {
        client_with(setup, ClientRules { command_time: |_, _| 1, ..ClientRules::REFERENCE })
    }),
];
