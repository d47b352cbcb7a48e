//! What a server writes wrongly, but for player states.

use super::{exchange, of_server, pairs, server_sends};
use crate::machine::download::file_sum;
use crate::requirements::*;
use crate::wire::constants::*;
use crate::wire::frame::{extra_flags, high_bits};
use crate::wire::handshake::is_out_of_band;
use kit::{Endpoint, Mutant, Packet, Setup, Span};

/// The frame of a datagram over protocol 35 that is not in a zpacket: its command byte, its long, its suppress byte.
pub(super) fn frame_of<'a>(packet: &Packet<'a>) -> Option<[&'a Span; 3]> {
    let word = packet.fields("serverframe+offset").next()?;
    let command = packet.fields("svc").find(|span| span.end == word.start)?;
    let suppress = packet.fields("suppress+extraflags").find(|span| span.start == word.end)?;
    Some([command, word, suppress])
}

/// A server whose frames over protocol 35 are edited.
pub(super) fn frames(setup: &Setup, edit: fn(&mut Packet<'_>, [&Span; 3])) -> Box<dyn Endpoint> {
    server_sends(setup, move |packet| {
        if let Some(frame) = frame_of(packet) {
            edit(packet, frame);
        }
    })
}

/// A server whose frames over protocol 35 have other extra flags.
pub(super) fn extra(setup: &Setup, change: fn(u8) -> u8) -> Box<dyn Endpoint> {
    server_sends(setup, move |packet| {
        let Some([command, _, suppress]) = frame_of(packet) else { return };
        let (service, byte) = (packet.value(command) as u8, packet.value(suppress) as u8);
        let flags = change(extra_flags(service, byte));
        packet.set(command, (SVC_FRAME | high_bits(flags)).into());
        packet.set(suppress, (byte & 0xf | flags << 4).into());
    })
}

/// A server that puts a byte in front of a part of its frames over protocol 35.
fn byte_before(setup: &Setup, name: &'static str, byte: u8) -> Box<dyn Endpoint> {
    server_sends(setup, move |packet| {
        if let (Some(_), Some(span)) = (frame_of(packet), packet.fields(name).next()) {
            packet.replace(span.start..span.start, &[byte]);
        }
    })
}

/// A server that exchanges two fields wherever one stands right after the other.
fn exchanges(setup: &Setup, first: &'static str, second: &'static str) -> Box<dyn Endpoint> {
    server_sends(setup, move |packet| {
        let adjacent = |pair: &[&Span; 2]| pair[0].end == pair[1].start;
        for pair in pairs(packet, first, second).into_iter().filter(adjacent) {
            exchange(packet, pair);
        }
    })
}

pub(super) static MUTANTS: &[Mutant] = &[
    of_server("zpacket-lengths-exchanged", &ZPKT_01, "r1q2/clean", "writes the uncompressed length first", |setup| {
        exchanges(setup, "compressed length", "uncompressed length")
    }),
    of_server(
        "zpackets-with-zlib-header",
        &ZPKT_02,
        "r1q2/clean",
        "compresses with zlib's header and checksum",
        |setup| {
            server_sends(setup, |packet| {
                for [length, data] in pairs(packet, "compressed length", "compressed data") {
                    let (held, wrapped) = (packet.raw(data), packet.value(length) + 6);
                    let mut plain = Vec::new();
                    let most = packet.fields("uncompressed length").find(|span| span.start == length.end);
                    let most = most.map_or(0, |span| packet.value(span) as usize);
                    if crate::wire::deflate::inflate(held, most, &mut plain).is_ok() {
                        packet.set(length, wrapped);
                        let sum = file_sum(&plain).to_be_bytes();
                        packet.replace(data.start..data.end, &[&[0x78, 0x9c], held, &sum].concat());
                    }
                }
            })
        },
    ),
    of_server(
        "zdownload-length-first",
        &ZDL_01,
        "r1q2/download",
        "writes the uncompressed length before the percentage",
        |setup| exchanges(setup, "percent", "uncompressed length"),
    ),
    of_server("refusal-with-length", &ZDL_05, "r1q2/download", "puts a length after a refusal", |setup| {
        server_sends(setup, |packet| {
            for [size, percent] in pairs(packet, "size", "percent") {
                if packet.value(size) == 0xffff && size.end == percent.start {
                    packet.replace(percent.end..percent.end, &[0, 0]);
                }
            }
        })
    }),
    of_server(
        "upper-bits-of-prints",
        &CMD_02,
        "r1q2/clean",
        "sets an upper bit of the command byte of prints",
        |setup| {
            server_sends(setup, |packet| {
                let mut over_35 = false;
                over_35 |= frame_of(packet).is_some();
                for span in packet.fields("svc") {
                    if over_35 && packet.value(span) == SVC_PRINT.into() {
                        packet.set(span, (SVC_PRINT | 0x20).into());
                    }
                }
            })
        },
    ),
    of_server(
        "offset-in-four-bits",
        &FRM_01,
        "r1q2/clean",
        "has 28 bits of a frame's number and four of the distance",
        |setup| {
            frames(setup, |packet, [_, word, _]| {
                let value = packet.value(word) as u32;
                let offset = (value >> OFFSET_SHIFT).min(15);
                packet.set(word, u64::from(value & FRAME_NUMBER | offset << (OFFSET_SHIFT + 1)));
            })
        },
    ),
    of_server("no-base-is-zero", &FRM_02, "r1q2/clean", "writes distance 0 where there is no base", |setup| {
        frames(setup, |packet, [_, word, _]| {
            let value = packet.value(word) as u32;
            if value >> OFFSET_SHIFT == NO_DELTA_OFFSET {
                packet.set(word, u64::from(value & FRAME_NUMBER));
            }
        })
    }),
    of_server(
        "nibbles-exchanged",
        &FRM_05,
        "r1q2/clean",
        "has the count in the upper four bits, the flags in the lower",
        |setup| {
            frames(setup, |packet, [_, _, suppress]| {
                let byte = packet.value(suppress) as u8;
                packet.set(suppress, byte.rotate_left(4).into());
            })
        },
    ),
    of_server("upper-bits-one-lower", &FRM_07, "r1q2/clean", "puts the extra flags one bit too low", |setup| {
        frames(setup, |packet, [command, ..]| {
            let bits = packet.value(command) >> 5;
            packet.set(command, u64::from(SVC_FRAME) | (bits >> 1 | bits << 2 & 4) << 5);
        })
    }),
    of_server(
        "playerinfo-over-35",
        &FRM_08,
        "r1q2/clean",
        "writes the byte of svc_playerinfo over protocol 35, too",
        |setup| byte_before(setup, "PS flags", SVC_PLAYERINFO),
    ),
    of_server(
        "no-playerinfo-over-34",
        &FRM_08,
        "r1q2/clean",
        "leaves the byte of svc_playerinfo out over protocol 34, too",
        |setup| server_sends(setup, |packet| packet.fields("svc_playerinfo").for_each(|span| packet.cut(span))),
    ),
    of_server(
        "packetentities-over-35",
        &FRM_09,
        "r1q2/clean",
        "writes the byte of svc_packetentities over protocol 35, too",
        |setup| {
            server_sends(setup, |packet| {
                if frame_of(packet).is_some()
                    && let Some(first) = packet.fields("entity").next()
                {
                    packet.replace(first.start..first.start, &[SVC_PACKETENTITIES]);
                }
            })
        },
    ),
    of_server(
        "no-packetentities-over-34",
        &FRM_09,
        "r1q2/clean",
        "leaves the byte of svc_packetentities out over protocol 34, too",
        |setup| server_sends(setup, |packet| packet.fields("svc_packetentities").for_each(|span| packet.cut(span))),
    ),
    of_server("areas-first", &FRM_10, "r1q2/clean", "writes the areas before the suppress byte", |setup| {
        frames(setup, |packet, [_, _, suppress]| {
            if let Some(areas) = packet.fields("area bits").next() {
                exchange(packet, [suppress, areas]);
            }
        })
    }),
    of_server(
        "revision-first",
        &SD_01,
        "r1q2/clean",
        "writes the revision before the byte for an enhanced game",
        |setup| exchanges(setup, "enhanced", "minor"),
    ),
    of_server("revision-over-34", &SD_05, "r1q2/clean", "writes its revision over protocol 34, too", |setup| {
        server_sends(setup, |packet| {
            if packet.fields("enhanced").next().is_none()
                && let Some(level) = packet.fields("levelname").next()
            {
                packet.replace(level.end..level.end, &[0, 0x6d, 0x07]);
            }
        })
    }),
    of_server("removes-unsaid", &GEN_02, "r1q2/clean", "sends no removes", |setup| {
        server_sends(setup, |packet| {
            if is_out_of_band(packet.bytes) {
                return;
            }
            for group in packet.fields("entity") {
                let bits = packet.inside(group).next();
                if bits.is_some_and(|span| packet.value(span) & U_REMOVE != 0) {
                    packet.cut(group);
                }
            }
        })
    }),
];
