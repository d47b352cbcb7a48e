//! Removed entities.

use super::edits::{Entry, Said, clear_reset, entries};
use super::history::{compare_and_keep, compare_and_remove, log_updates};
use super::{of_server, ruled, server_says};
use crate::pending::{Pending, REMOVE, RESET};
use crate::requirements::*;
use crate::sender::history;
use kit::Mutant;
use std::collections::{BTreeMap, BTreeSet};

/// A remove-all, as written.
const REMOVE_ALL: [u8; 2] = [0, 0x80];

/// The broken servers.
pub(in crate::mutants) static MUTANTS: &[Mutant] = &[
    of_server("never-removes", &RMV_01, "fte/remove-clean", "stops mentioning an entity that is gone", |setup| {
        server_says(setup, |packet| {
            for entry in entries(packet).iter().filter(|entry| entry.said() == Said::Remove) {
                packet.cut(&entry.whole);
            }
        })
    }),
    of_server(
        "removes-beside-updates",
        &RMV_01,
        "fte/remove-clean",
        "removes an entity only in a frame that has updates, too",
        |setup| {
            server_says(setup, |packet| {
                let entries = entries(packet);
                if !entries.iter().any(|entry| matches!(entry.said(), Said::Update | Said::Reset)) {
                    for entry in entries.iter().filter(|entry| entry.said() == Said::Remove) {
                        packet.cut(&entry.whole);
                    }
                }
            })
        },
    ),
    of_server(
        "remove-not-logged",
        &RMV_05,
        "fte/remove-lost",
        "does not log removes, so that a lost one is never repeated",
        |setup| ruled(setup, |rules| rules.log = log_updates),
    ),
    of_server("removes-once", &RMV_05, "fte/remove-lost", "never removes an entity twice", |setup| {
        let mut removed = BTreeSet::new();
        server_says(setup, move |packet| {
            for entry in entries(packet) {
                match entry.said() {
                    Said::Remove if !removed.insert(entry.number) => packet.cut(&entry.whole),
                    Said::Reset => {
                        removed.remove(&entry.number);
                    }
                    _ => {}
                }
            }
        })
    }),
    of_server(
        "lost-remove-of-the-living",
        &RMV_06,
        "fte/remove-lost-respawn",
        "repeats a lost remove though the entity is back",
        |setup| ruled(setup, |rules| rules.compare = compare_and_remove),
    )
    .same_bug_as("FTEQW a339c727d"),
    of_server(
        "removed-and-reset",
        &RMV_06,
        "fte/remove-lost-respawn",
        "repeats a lost remove though the entity is back, and sends the entity as new in the next frame",
        |setup| {
            ruled(setup, |rules| {
                rules.compare = |sender, visible| compare_and_keep(sender, visible, Pending::GONE.and(Pending::NEW));
                rules.log = |sender, carried| {
                    let reset = Pending::flags(carried.pending.wire & RESET);
                    let left = if carried.sent.has(REMOVE) { reset } else { carried.left };
                    history::log(sender, &history::Carried { left, ..*carried });
                };
            })
        },
    ),
    of_server(
        "last-words",
        &RMV_07,
        "fte/remove-update-lost",
        "sends an entity's last update once more behind its remove",
        |setup| {
            let (mut last, mut due) = (BTreeMap::new(), Vec::new());
            server_says(setup, move |packet| {
                let entries = entries(packet);
                let Some(end) = entries.iter().find(|entry| entry.said() == Said::End) else { return };
                for update in due.drain(..) {
                    let update: Vec<u8> = update;
                    packet.replace(end.whole.start..end.whole.start, &update);
                }
                for entry in entries {
                    match entry.said() {
                        Said::Update | Said::Reset => {
                            last.insert(entry.number, packet.raw(&entry.whole).to_vec());
                        }
                        Said::Remove => due.extend(last.remove(&entry.number)),
                        Said::RemoveAll | Said::End => {}
                    }
                }
            })
        },
    ),
    of_server(
        "remove-repeated-as-update",
        &RMV_07,
        "fte/remove-lost",
        "repeats a lost remove as an update without fields",
        |setup| {
            let mut removed = BTreeSet::new();
            server_says(setup, move |packet| {
                for entry in entries(packet).iter().filter(|entry| entry.said() == Said::Remove) {
                    if !removed.insert(entry.number) {
                        packet.replace(entry.whole.start..entry.whole.end, &[entry.number as u8, 0, 0]);
                    }
                }
            })
        },
    ),
    of_server(
        "forgets-nothing",
        &RMV_09,
        "fte/reset-request-in-flight",
        "sends a remove-all, and then goes on as if the client still held everything",
        |setup| ruled(setup, |rules| rules.forget = |_| {}),
    ),
    of_server(
        "deltas-behind-remove-all",
        &RMV_09,
        "fte/reset-request-in-flight",
        "sends what follows a remove-all as plain updates",
        |setup| {
            let mut first = true;
            server_says(setup, move |packet| {
                let entries = entries(packet);
                if entries.iter().any(|entry| entry.said() == Said::RemoveAll) && !std::mem::take(&mut first) {
                    entries.iter().for_each(|entry| clear_reset(packet, entry));
                }
            })
        },
    ),
    of_server(
        "remove-all-not-logged",
        &RMV_10,
        "fte/reset-request-in-flight",
        "logs what follows a remove-all, but not the remove-all",
        |setup| {
            ruled(setup, |rules| {
                rules.log = |sender, carried| {
                    if carried.entity != 0 {
                        history::log(sender, carried);
                    }
                }
            })
        },
    ),
    of_server(
        "remove-all-not-repeated",
        &RMV_10,
        "fte/reset-request-in-flight",
        "repeats a lost remove-all as the entities alone",
        |setup| {
            let mut count = 0;
            server_says(setup, move |packet| {
                for entry in entries(packet).iter().filter(|entry| entry.said() == Said::RemoveAll) {
                    count += 1;
                    if count > 2 {
                        packet.cut(&entry.whole);
                    }
                }
            })
        },
    ),
    of_server(
        "remove-all-behind-first",
        &RMV_11,
        "fte/reset-request-in-flight",
        "puts the remove-all behind the first entry",
        |setup| {
            server_says(setup, |packet| {
                if let [all, first, end, ..] = &entries(packet)[..]
                    && all.said() == Said::RemoveAll
                    && end.said() != Said::End
                {
                    packet.cut(&all.whole);
                    packet.replace(first.whole.end..first.whole.end, &REMOVE_ALL);
                }
            })
        },
    ),
    of_server(
        "remove-all-last",
        &RMV_11,
        "fte/reset-request-in-flight",
        "puts the remove-all at the end of the list",
        |setup| {
            server_says(setup, |packet| {
                let entries = entries(packet);
                let find = |said: Said| entries.iter().find(|entry| entry.said() == said);
                if let (Some(all), Some(end)) = (find(Said::RemoveAll), find(Said::End)) {
                    packet.cut(&all.whole);
                    packet.replace(end.whole.start..end.whole.start, &REMOVE_ALL);
                }
            })
        },
    ),
    of_server(
        "removed-and-updated",
        &RMV_12,
        "fte/remove-clean",
        "sends a field of an entity behind its remove",
        |setup| {
            server_says(setup, |packet| {
                for entry in entries(packet).iter().filter(|entry| entry.said() == Said::Remove) {
                    packet.replace(entry.whole.end..entry.whole.end, &update(entry));
                }
            })
        },
    ),
    of_server(
        "updated-and-removed",
        &RMV_12,
        "fte/remove-clean",
        "sends a field of an entity before its remove",
        |setup| {
            server_says(setup, |packet| {
                for entry in entries(packet).iter().filter(|entry| entry.said() == Said::Remove) {
                    packet.replace(entry.whole.start..entry.whole.start, &update(entry));
                }
            })
        },
    ),
    of_server(
        "begins-with-entities",
        &RMV_13,
        "fte/delta-clean",
        "takes it that the client holds nothing, and begins without a remove-all",
        |setup| {
            let mut first = true;
            server_says(setup, move |packet| {
                let all = entries(packet).into_iter().find(|entry| entry.said() == Said::RemoveAll);
                if let Some(all) = all
                    && std::mem::take(&mut first)
                {
                    packet.cut(&all.whole);
                }
            })
        },
    ),
];

/// An update of the entity's frame.
fn update(entry: &Entry) -> [u8; 4] {
    [entry.number as u8, 0, 1, 7]
}
