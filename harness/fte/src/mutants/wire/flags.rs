//! Flag bytes: how many there are, and what is there for them.

use super::edits::*;
use crate::mutants::{client_hears, of_client, of_server, server_says};
use crate::requirements::*;
use crate::state::*;
use kit::{Mutant, Span};

/// The broken flags.
pub(in super::super) static MUTANTS: &[Mutant] = &[
    of_server(
        "extend-without-byte",
        &DLT_01,
        "fte/delta-fields-alone",
        "sets bit 7 of the first flag byte, whether there is a second or not",
        |setup| {
            server_says(setup, |packet| {
                for entry in entries(packet).iter().filter(|entry| entry.flag_bytes.len() == 1) {
                    packet.set(&entry.flag_bytes[0], entry.flags | UF_EXTEND1);
                }
            })
        },
    ),
    of_client(
        "four-flag-bytes-always",
        &DLT_01,
        "fte/delta-fields-together",
        "reads four flag bytes, whatever their highest bits say",
        |setup| {
            client_hears(setup, |packet| {
                for entry in entries(packet).iter().filter(|entry| entry.is_update()) {
                    // What it takes for flag bytes has the bits that make the reference do so, too.
                    let at = entry.flags_range().start;
                    for byte in at..(at + 3).min(packet.bytes.len()) {
                        let value = packet.bytes[byte] | 0x80;
                        packet.replace(byte..byte + 1, &[value]);
                    }
                }
            })
        },
    ),
    of_client(
        "third-byte-by-bit-7",
        &DLT_01,
        "fte/delta-fields-together",
        "reads a third flag byte whenever there is a second",
        |setup| {
            client_hears(setup, |packet| {
                for entry in entries(packet) {
                    if let Some(second) = entry.flag_bytes.get(1) {
                        packet.set(second, packet.value(second) | 0x80);
                    }
                }
            })
        },
    ),
    of_client(
        "zero-flag-byte-is-data",
        &DLT_02,
        "fte/flags-four-bytes",
        "takes a flag byte of zero for the first byte of data",
        |setup| {
            client_hears(setup, |packet| {
                for entry in entries(packet) {
                    if let [.., last_but_one, last] = entry.flag_bytes[..]
                        && packet.value(&last) == 0
                    {
                        packet.set(&last_but_one, packet.value(&last_but_one) & 0x7f);
                    }
                }
            })
        },
    ),
    of_client(
        "zero-flag-byte-refused",
        &DLT_02,
        "fte/flags-four-bytes",
        "refuses an update whose last flag byte is zero",
        |setup| {
            client_hears(setup, |packet| {
                for entry in entries(packet) {
                    if let [_, _, _, fourth] = entry.flag_bytes[..]
                        && packet.value(&fourth) == 0
                    {
                        packet.set(&fourth, UF_UNUSED30 >> 24);
                    }
                }
            })
        },
    ),
    of_server(
        "data-without-flag",
        &DLT_03,
        "fte/delta-fields-alone",
        "writes a byte of a field that it does not flag",
        |setup| {
            server_says(setup, |packet| {
                for entry in entries(packet).iter().filter(|entry| entry.is_update() && entry.flags & UF_RESET == 0) {
                    packet.replace(entry.flags_range().end..entry.flags_range().end, &[0]);
                }
            })
        },
    ),
    of_server(
        "bones-for-everyone",
        &DLT_24,
        "fte/delta-fields-alone",
        "sets bit 18, which nobody agreed to",
        |setup| {
            server_says(setup, |packet| {
                for entry in entries(packet) {
                    if let Some(third) = entry.flag_bytes.get(2) {
                        packet.set(third, packet.value(third) | UF_UNUSED18 >> 16);
                    }
                }
            })
        },
    ),
    of_server("bones-with-resets", &DLT_24, "fte/flags-four-bytes", "sets bit 18 in every RESET", |setup| {
        server_says(setup, |packet| {
            for entry in entries(packet).iter().filter(|entry| entry.flags & UF_RESET != 0) {
                if let Some(third) = entry.flag_bytes.get(2) {
                    packet.set(third, packet.value(third) | UF_UNUSED18 >> 16);
                }
            }
        })
    }),
    of_server("bit-31-leaks", &DLT_34, "fte/delta-fields-alone", "lets bit 31 of its own flags out", |setup| {
        server_says(setup, |packet| {
            for entry in entries(packet) {
                if let Some(fourth) = entry.flag_bytes.get(3) {
                    packet.set(fourth, packet.value(fourth) | UF_EXTEND4 >> 24);
                }
            }
        })
    }),
    of_server("bit-30-leaks", &DLT_34, "fte/delta-fields-alone", "lets bit 30 of its own flags out", |setup| {
        server_says(setup, |packet| {
            for entry in entries(packet) {
                if let Some(fourth) = entry.flag_bytes.get(3) {
                    packet.set(fourth, packet.value(fourth) | UF_UNUSED30 >> 24);
                }
            }
        })
    })
    .same_bug_as("vkQuake 8b44233e"),
    of_client(
        "unknown-flags-ignored",
        &DLT_35,
        "fte/flags-undefined",
        "takes no notice of flags that it does not know",
        |setup| {
            client_hears(setup, |packet| {
                let unknown =
                    [("UF flags 16-23", UF_UNUSED18 >> 16), ("UF flags 24-31", (UF_UNUSED30 | UF_EXTEND4) >> 24)];
                for (name, bits) in unknown {
                    for byte in packet.fields(name).collect::<Vec<&Span>>() {
                        packet.set(byte, packet.value(byte) & !bits);
                    }
                }
            })
        },
    ),
    of_client(
        "unknown-flags-end-the-list",
        &DLT_35,
        "fte/flags-undefined",
        "takes an update with flags that it does not know for the end of the list",
        |setup| {
            client_hears(setup, |packet| {
                let unknown = |name: &str, value: u64| match name {
                    "UF flags 16-23" => value & UF_UNUSED18 >> 16 != 0,
                    "UF flags 24-31" => value & (UF_UNUSED30 | UF_EXTEND4) >> 24 != 0,
                    _ => false,
                };
                let spans = packet.spans;
                let Some(at) = spans.iter().position(|span| unknown(span.field, packet.value(span))) else { return };
                if let Some(index) = spans[..at].iter().rev().find(|span| span.field == "entity index") {
                    packet.replace(index.start..packet.bytes.len(), &[0, 0]);
                }
            })
        },
    ),
];
