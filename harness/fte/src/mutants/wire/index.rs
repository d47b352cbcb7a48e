//! Entity numbers: the indices of an update message, and the regular coding everywhere else.

use super::edits::*;
use crate::constants::*;
use crate::delta::{self, NUMBERS_AS_DOCUMENTED};
use crate::mutants::server::history::log_short_numbers;
use crate::mutants::{client_hears, of_client, of_server, server_says, server_with};
use crate::options::Options;
use crate::requirements::*;
use crate::rules::Rules;
use kit::{Mutant, Packet, Reader, Setup, Writer};

/// Announces baselines under numbers whose large part is placed as the session does not have it.
fn misplace_baselines(setup: &Setup) -> impl FnMut(&mut Packet<'_>) + use<> {
    let gate = if Options::new(setup).readings.numbers_as_documented { NUMBERS_AS_DOCUMENTED } else { 0 };
    move |packet| {
        for number in baseline_numbers(packet) {
            let raw = &packet.bytes[number.clone()];
            let read = delta::regular_numbers(gate).read_entity(&mut Reader::new(raw), "number");
            let mut bytes = Vec::with_capacity(3);
            let other = delta::regular_numbers(gate ^ NUMBERS_AS_DOCUMENTED);
            other.write_entity(&mut Writer::new(&mut bytes), "number", read.unwrap_or_default());
            packet.replace(number, &bytes);
        }
    }
}

/// The broken numbers.
pub(in super::super) static MUTANTS: &[Mutant] = &[
    of_server(
        "big-baselines-misplaced",
        &ENT_03,
        "fte/entity-numbers",
        "announces baselines of large numbers in another coding than the rest",
        |setup| server_says(setup, misplace_baselines(setup)),
    ),
    of_server(
        "big-baselines-as-short",
        &ENT_03,
        "fte/entity-numbers",
        "writes the number of a baseline as a short, always",
        |setup| {
            server_says(setup, |packet| {
                for number in baseline_numbers(packet) {
                    packet.replace(number.start + 2..number.end, &[]);
                }
            })
        },
    )
    .same_bug_as("QuakeSpasm-Spiked c48936385a44"),
    of_client(
        "big-baselines-read-misplaced",
        &ENT_03,
        "fte/entity-numbers",
        "reads the numbers of baselines in another coding than the rest",
        |setup| client_hears(setup, misplace_baselines(setup)),
    ),
    of_server("remove-by-bit-14", &ENT_05, "fte/remove-clean", "says by bit 14 that an entity is removed", |setup| {
        server_says(setup, |packet| {
            for entry in entries(packet).iter().filter(|entry| entry.remove && entry.number != 0) {
                packet.set(&entry.index, u64::from(INDEX_EXTEND) | u64::from(entry.number));
            }
        })
    }),
    of_client(
        "index-of-15-bits",
        &ENT_05,
        "fte/entity-number-huge",
        "takes bit 14 of an index for a part of the number",
        |setup| {
            client_hears(setup, |packet| {
                for high in entries(packet).iter().filter_map(|entry| entry.high) {
                    // The number has bit 14, and what was to be its high byte is taken for flags.
                    packet.replace(high.start..high.start, &[1]);
                }
            })
        },
    ),
    of_server(
        "high-byte-from-bit-8",
        &ENT_06,
        "fte/entity-numbers",
        "writes bits 8 to 15 of a number as its high byte",
        |setup| {
            server_says(setup, |packet| {
                for entry in entries(packet) {
                    if let Some(high) = entry.high {
                        packet.set(&high, u64::from(entry.number >> 8));
                    }
                }
            })
        },
    ),
    of_client(
        "high-byte-from-bit-15",
        &ENT_06,
        "fte/entity-numbers",
        "takes the high byte for bits 15 to 22",
        |setup| {
            client_hears(setup, |packet| {
                for high in entries(packet).iter().filter_map(|entry| entry.high) {
                    packet.set(&high, packet.value(&high) << 1);
                }
            })
        },
    ),
    of_server("extended-from-32768", &ENT_07, "fte/entity-numbers", "writes numbers below 32768 as a short", |setup| {
        server_says(setup, |packet| {
            for entry in entries(packet).iter().filter(|entry| entry.number < 0x8000) {
                if let Some(high) = entry.high {
                    packet.cut(&high);
                }
            }
        })
    }),
    of_client(
        "extended-is-large",
        &ENT_08,
        "fte/index-long-form",
        "takes an index with a high byte for one from 16384, always",
        |setup| {
            client_hears(setup, |packet| {
                for high in entries(packet).iter().filter_map(|entry| entry.high) {
                    packet.set(&high, packet.value(&high).max(1));
                }
            })
        },
    ),
    of_server("flags-behind-remove", &ENT_09, "fte/remove-clean", "writes a flag byte behind a remove", |setup| {
        server_says(setup, |packet| {
            for entry in entries(packet).iter().filter(|entry| entry.remove && entry.number != 0) {
                packet.replace(entry.index_end()..entry.index_end(), &[0]);
            }
        })
    }),
    of_client("flags-read-behind-remove", &ENT_09, "fte/remove-clean", "reads a flag byte behind a remove", |setup| {
        client_hears(setup, |packet| {
            for entry in entries(packet).iter().filter(|entry| entry.remove && entry.number != 0) {
                packet.replace(entry.index_end()..entry.index_end() + 1, &[]);
            }
        })
    }),
    of_server("flags-behind-end", &ENT_10, "fte/delta-clean", "writes a flag byte behind the end of a list", |setup| {
        server_says(setup, |packet| {
            for entry in entries(packet).iter().filter(|entry| entry.number == 0 && !entry.remove) {
                packet.replace(entry.index.end..entry.index.end, &[0]);
            }
        })
    }),
    of_client(
        "flags-read-behind-end",
        &ENT_10,
        "fte/list-empty",
        "reads a flag byte behind the end of a list",
        |setup| {
            client_hears(setup, |packet| {
                for entry in entries(packet).iter().filter(|entry| entry.number == 0 && !entry.remove) {
                    // Most lists end with their datagram: the byte is missing, wherever it is taken from.
                    packet.replace(entry.index.end - 1..entry.index.end, &[]);
                }
            })
        },
    ),
    of_server("remove-all-is-end", &ENT_11, "fte/delta-clean", "writes an end where everything is removed", |setup| {
        server_says(setup, |packet| {
            for entry in entries(packet).iter().filter(|entry| entry.number == 0 && entry.remove) {
                packet.set(&entry.index, 0);
            }
        })
    }),
    of_client("remove-all-unheard", &ENT_11, "fte/delta-clean", "takes no notice of index 0 with a remove", |setup| {
        client_hears(setup, |packet| {
            for entry in entries(packet).iter().filter(|entry| entry.number == 0 && entry.remove) {
                packet.cut(&entry.whole);
            }
        })
    }),
    of_server("log-of-16-bits", &ENT_12, "fte/entity-numbers", "logs 16 bits of entity numbers", |setup| {
        server_with(setup, Rules { log: log_short_numbers, ..Rules::REFERENCE })
    })
    .same_bug_as("FTEQW 8d5b21726"),
    of_client("numbers-of-16-bits", &ENT_12, "fte/entity-number-huge", "keeps 16 bits of entity numbers", |setup| {
        client_hears(setup, |packet| {
            for high in entries(packet).iter().filter_map(|entry| entry.high) {
                packet.set(&high, packet.value(&high) & 3);
            }
        })
    }),
    of_server(
        "entities-descending",
        &ENT_15,
        "fte/delta-clean",
        "lists entities from the last to the first",
        |setup| {
            server_says(setup, |packet| {
                let updates: Vec<Entry> = entries(packet).into_iter().filter(Entry::is_update).collect();
                for (entry, other) in updates.iter().zip(updates.iter().rev()) {
                    let bytes = packet.raw(&other.whole);
                    packet.replace(entry.whole.start..entry.whole.end, bytes);
                }
            })
        },
    ),
];
