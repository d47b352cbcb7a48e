//! New entities, and the RESET flag.

use super::edits::{Held, Said, clear_reset, entries, leave_out};
use super::history::log_flags;
use super::{of_server, ruled, server_says};
use crate::constants::*;
use crate::mutants::wire::rows::without_change;
use crate::pending::{LOST, RESET};
use crate::requirements::*;
use crate::sender::DeltaSender;
use crate::sender::history::{self, Carried};
use crate::state::SKIN;
use kit::table::Table;
use kit::{Mutant, Packet, Span};
use std::collections::BTreeSet;

static NO_SKIN: Table = Table::new("entity update", &const { without_change(SKIN) });

/// Logs a RESET only where it is sent for the first time.
fn log_first_reset(sender: &mut DeltaSender, carried: &Carried) {
    if carried.pending.has(LOST) || carried.pending.wire & RESET == 0 {
        log_flags::<{ !RESET }>(sender, carried);
    } else {
        history::log(sender, carried);
    }
}

/// The baselines in a datagram.
fn baselines<'a>(packet: &Packet<'a>) -> Vec<&'a Span> {
    packet.fields("service").filter(|group| packet.raw(group).first() == Some(&SVC_SPAWNBASELINE2)).collect()
}

/// The broken servers.
pub(in crate::mutants) static MUTANTS: &[Mutant] = &[
    of_server("new-as-delta", &RST_02, "fte/reset-clean", "sends a new entity as a plain update", |setup| {
        let mut held = Held::default();
        server_says(setup, move |packet| {
            for entry in entries(packet) {
                if !held.hear(&entry) && entry.said() == Said::Reset {
                    clear_reset(packet, &entry);
                }
            }
        })
    }),
    of_server(
        "new-when-it-changes",
        &RST_02,
        "fte/reset-clean",
        "does not mention a new entity before it changes",
        |setup| {
            let mut held = Held::default();
            server_says(setup, move |packet| {
                for entry in entries(packet) {
                    if !held.hear(&entry) && entry.said() == Said::Reset {
                        packet.cut(&entry.whole);
                    }
                }
            })
        },
    ),
    of_server("resets-once", &RST_03, "fte/reset-clean", "sends RESET once", |setup| {
        ruled(setup, |rules| rules.latitude.reset_copies = 1)
    })
    .same_bug_as("FTEQW 9aed52168 (F-L1)"),
    of_server("reset-without-frame", &RST_04, "fte/reset-clean", "leaves the frame out of a RESET", |setup| {
        server_says(setup, |packet| {
            for entry in entries(packet).iter().filter(|entry| entry.said() == Said::Reset) {
                leave_out(packet, entry, "UF flags 0-7", 0, "frame");
            }
        })
    }),
    of_server("reset-without-alpha", &RST_04, "fte/reset-clean", "leaves alpha out of a RESET", |setup| {
        server_says(setup, |packet| {
            for entry in entries(packet).iter().filter(|entry| entry.said() == Said::Reset) {
                leave_out(packet, entry, "UF flags 16-23", 0, "alpha");
            }
        })
    }),
    of_server(
        "baselines-edited",
        &RST_05,
        "fte/reset-clean",
        "tells the client of other baselines than those that it resets to",
        |setup| {
            server_says(setup, |packet| {
                for service in baselines(packet) {
                    if let Some(model) = packet.inside(service).find(|span| span.field == "modelindex") {
                        packet.set(model, packet.value(model) + 1);
                    }
                }
            })
        },
    ),
    of_server(
        "baselines-kept-back",
        &RST_05,
        "fte/reset-clean",
        "resets to baselines of which it does not tell the client",
        |setup| {
            server_says(setup, |packet| {
                for service in baselines(packet) {
                    packet.cut(service);
                }
            })
        },
    ),
    of_server(
        "reset-never-repaired",
        &RST_07,
        "fte/reset-lost-first",
        "sends RESET once and does not log it, so that a lost one is repaired as a plain update",
        |setup| {
            ruled(setup, |rules| {
                rules.latitude.reset_copies = 1;
                rules.log = log_flags::<{ !RESET }>;
            })
        },
    )
    .same_bug_as("QuakeSpasm-Spiked c99fc25b"),
    of_server(
        "second-reset-not-logged",
        &RST_07,
        "fte/reset-lost-three",
        "logs the RESET of a new entity, but not those that repeat it",
        |setup| ruled(setup, |rules| rules.log = log_first_reset),
    )
    .same_bug_as("QuakeSpasm-Spiked Q-L1"),
    of_server(
        "returns-as-delta",
        &RST_08,
        "fte/reset-forgets",
        "sends an entity that is back as a plain update",
        |setup| {
            let (mut held, mut gone) = (Held::default(), BTreeSet::new());
            server_says(setup, move |packet| {
                for entry in entries(packet) {
                    let known = held.hear(&entry);
                    if entry.said() == Said::Remove {
                        gone.insert(entry.number);
                    } else if !known && gone.contains(&entry.number) {
                        clear_reset(packet, &entry);
                    }
                }
            })
        },
    ),
    of_server(
        "returns-unmentioned",
        &RST_08,
        "fte/reset-forgets",
        "takes an entity that is back for known, and does not mention it",
        |setup| {
            let mut gone = BTreeSet::new();
            server_says(setup, move |packet| {
                for entry in entries(packet) {
                    if entry.said() == Said::Remove {
                        gone.insert(entry.number);
                    } else if gone.contains(&entry.number) {
                        packet.cut(&entry.whole);
                    }
                }
            })
        },
    ),
    of_server(
        "inherits-skin",
        &RST_09,
        "fte/reset-number-reused",
        "compares all but the skin of an entity with that which had its number before",
        |setup| ruled(setup, |rules| rules.table = &NO_SKIN),
    ),
    of_server(
        "inherits-frame",
        &RST_09,
        "fte/reset-number-reused",
        "leaves an entity the frame of that which had its number before",
        |setup| {
            server_says(setup, |packet| {
                for entry in entries(packet).iter().filter(|entry| entry.said() == Said::Update) {
                    leave_out(packet, entry, "UF flags 0-7", 0, "frame");
                }
            })
        },
    ),
];
