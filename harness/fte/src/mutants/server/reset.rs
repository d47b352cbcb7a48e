//! New entities, and the RESET flag.

use super::edits::{Held, Said, clear_reset, entries, leave_out};
use super::history::log_flags;
use crate::constants::*;
use crate::mutants::wire::rows::without_change;
use crate::pending::{LOST, RESET};
use crate::rules::Rules;
use crate::sender::DeltaSender;
use crate::sender::history::{self, Carried};
use crate::state::{Entity, SKIN};
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

fn new_as_delta() -> impl FnMut(&mut Packet<'_>) {
    let mut held = Held::default();
    move |packet| {
        for entry in entries(packet) {
            if !held.receive(&entry) && entry.said() == Said::Reset {
                clear_reset(packet, &entry);
            }
        }
    }
}

fn new_when_it_changes() -> impl FnMut(&mut Packet<'_>) {
    let mut held = Held::default();
    move |packet| {
        for entry in entries(packet) {
            if !held.receive(&entry) && entry.said() == Said::Reset {
                packet.cut(&entry.whole);
            }
        }
    }
}

fn reset_without_frame(packet: &mut Packet<'_>) {
    for entry in entries(packet).iter().filter(|entry| entry.said() == Said::Reset) {
        leave_out(packet, entry, "UF flags 0-7", 0, "frame");
    }
}

fn reset_without_alpha(packet: &mut Packet<'_>) {
    for entry in entries(packet).iter().filter(|entry| entry.said() == Said::Reset) {
        leave_out(packet, entry, "UF flags 16-23", 0, "alpha");
    }
}

fn baselines_edited(packet: &mut Packet<'_>) {
    for service in baselines(packet) {
        if let Some(model) = packet.inside(service).find(|span| span.field == "modelindex") {
            packet.set(model, packet.value(model) + 1);
        }
    }
}

fn baselines_kept_back(packet: &mut Packet<'_>) {
    for service in baselines(packet) {
        packet.cut(service);
    }
}

fn reset_never_repaired(rules: &mut Rules) {
    rules.latitude.reset_copies = 1;
    rules.log = log_flags::<{ !RESET }>;
}

fn returns_as_delta() -> impl FnMut(&mut Packet<'_>) {
    let (mut held, mut gone) = (Held::default(), BTreeSet::new());
    move |packet| {
        for entry in entries(packet) {
            let known = held.receive(&entry);
            if entry.said() == Said::Remove {
                gone.insert(entry.number);
            } else if !known && gone.contains(&entry.number) {
                clear_reset(packet, &entry);
            }
        }
    }
}

fn returns_unmentioned() -> impl FnMut(&mut Packet<'_>) {
    let mut gone = BTreeSet::new();
    move |packet| {
        for entry in entries(packet) {
            if entry.said() == Said::Remove {
                gone.insert(entry.number);
            } else if gone.contains(&entry.number) {
                packet.cut(&entry.whole);
            }
        }
    }
}

fn inherits_frame(packet: &mut Packet<'_>) {
    for entry in entries(packet).iter().filter(|entry| entry.said() == Said::Update) {
        leave_out(packet, entry, "UF flags 0-7", 0, "frame");
    }
}

/// The broken servers.
pub(in crate::mutants) static MUTANTS: &[Mutant] = mutants! {
    server "new-as-delta" RST_02 "fte/reset-clean": sends new_as_delta(), "sends a new entity without RESET";
    server "new-when-it-changes" RST_02 "fte/reset-clean":
        sends new_when_it_changes(), "does not send a new entity before it changes";
    server "resets-once" RST_03 "fte/reset-clean":
        rules |rules| rules.latitude.reset_copies = 1, "sends RESET only once", "FTEQW 9aed52168 (F-L1)";
    server "reset-without-frame" RST_04 "fte/reset-clean":
        sends reset_without_frame, "omits the frame from updates with RESET";
    server "reset-without-alpha" RST_04 "fte/reset-clean":
        sends reset_without_alpha, "omits alpha from updates with RESET";
    server "reset-from-null" RST_04 "fte/reset-to-null":
        rules |rules| rules.reset_base = |_| &Entity::NULL,
        "leaves out of updates with RESET what is as in the null state, whatever the baseline is";
    server "baselines-edited" RST_05 "fte/reset-clean":
        sends baselines_edited, "announces other baselines than those that it resets to";
    server "baselines-kept-back" RST_05 "fte/reset-clean":
        sends baselines_kept_back, "resets to baselines that it does not announce";
    server "reset-never-repaired" RST_07 "fte/reset-lost-first":
        rules reset_never_repaired,
        "sends RESET only once and does not log it, so that it is never retransmitted",
        "QuakeSpasm-Spiked c99fc25b";
    server "second-reset-not-logged" RST_07 "fte/reset-lost-three":
        rules |rules| rules.log = log_first_reset,
        "logs the first RESET of an entity, but not the second", "QuakeSpasm-Spiked Q-L1";
    server "returns-as-delta" RST_08 "fte/reset-forgets":
        sends returns_as_delta(), "sends a returning entity without RESET";
    server "returns-unmentioned" RST_08 "fte/reset-forgets":
        sends returns_unmentioned(), "treats a returning entity as known, and does not send it";
    server "inherits-skin" RST_09 "fte/reset-number-reused":
        rules |rules| rules.table = &NO_SKIN, "does not compare the skin when a number is reused";
    server "inherits-frame" RST_09 "fte/reset-number-reused":
        sends inherits_frame, "does not send the frame when a number is reused";
};
