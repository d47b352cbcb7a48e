//! What a server does when a packet is full.

use super::edits::{Entry, Held, Said, clear_reset, entries};
use crate::constants::*;
use crate::mutants::{sends, server_with};
use crate::options::Options;
use crate::pending::{Pending, REMOVE, RESET};
use crate::sender;
use kit::{Endpoint, Form, Mutant, Packet, Setup};
use std::ops::Range;

/// Of an entry that does not fit, keeps pending the flags of `WIRE` and what is in `STATE`.
fn keep_unfit<const WIRE: u32, const STATE: u8>(kept: &mut Pending, bytes: Range<usize>, limit: usize) -> bool {
    let fits = sender::fits(kept, bytes, limit);
    if !fits {
        *kept = Pending { wire: kept.wire & WIRE, state: kept.state & STATE };
    }
    fits
}

/// A server whose full datagrams are edited.
fn when_full(setup: &Setup, mut edit: impl FnMut(&mut Packet<'_>, &[Entry]) + 'static) -> Box<dyn Endpoint> {
    const NEARLY_BYTES: usize = 40;
    let limit = Options::new(setup).datagram_limit;
    sends(server_with, setup, move |packet| {
        if packet.bytes.len() + NEARLY_BYTES > limit {
            let entries = entries(packet);
            edit(packet, &entries);
        }
    })
}

fn too_long(setup: &Setup) -> Box<dyn Endpoint> {
    when_full(setup, |packet, _| {
        let end = packet.bytes.len();
        packet.replace(end..end, &[netquake::constants::SVC_NOP; 64]);
    })
}

fn cut_off(setup: &Setup) -> Box<dyn Endpoint> {
    when_full(setup, |packet, entries| {
        if let Some(last) = entries.iter().rev().find(|entry| entry.said() != Said::End) {
            packet.replace(last.whole.end - 2..packet.bytes.len(), &[]);
        }
    })
}

/// What engines' buffers do with a write that does not fit: all before it is thrown away, and the rest is written.
fn cleared(setup: &Setup) -> Box<dyn Endpoint> {
    const HEADER_BYTES: usize = 8;
    when_full(setup, |packet, entries| {
        if let Some(last) = entries.iter().rev().find(|entry| entry.said() != Said::End) {
            packet.replace(HEADER_BYTES..last.whole.start, &[]);
        }
    })
}

fn end_not_marked(packet: &mut Packet<'_>) {
    for end in entries(packet).iter().filter(|entry| entry.said() == Said::End) {
        packet.cut(&end.whole);
    }
}

fn end_of_full_not_marked(setup: &Setup) -> Box<dyn Endpoint> {
    when_full(setup, |packet, entries| {
        if let Some(end) = entries.iter().rev().find(|entry| entry.said() == Said::End) {
            packet.cut(&end.whole);
        }
    })
}

fn late_as_delta() -> impl FnMut(&mut Packet<'_>) {
    let (mut held, mut frames) = (Held::default(), 0);
    move |packet| {
        let entries = entries(packet);
        frames += u32::from(!entries.is_empty());
        for entry in entries {
            if !held.receive(&entry) && frames > 1 {
                clear_reset(packet, &entry);
            }
        }
    }
}

fn full_without_removes(setup: &Setup) -> Box<dyn Endpoint> {
    when_full(setup, |packet, entries| {
        if let Some(last) = entries.iter().rev().find(|entry| entry.said() == Said::Remove) {
            packet.cut(&last.whole);
        }
    })
}

fn discarded_but_logged(setup: &Setup) -> Box<dyn Endpoint> {
    when_full(setup, |packet, entries| {
        for service in packet.fields("service").filter(|_| !entries.is_empty()) {
            packet.cut(service);
        }
    })
}

fn never_content(packet: &mut Packet<'_>) {
    if let Some(last) = packet.fields("command").filter(|command| command.form == Form::Group).last() {
        packet.replace(last.end..last.end, &[CLC_ACKFRAME, 0xff, 0xff, 0xff, 0xff]);
    }
}

/// The broken servers.
pub(in crate::mutants) static MUTANTS: &[Mutant] = mutants! {
    server "unfit-forgotten" OVF_01 "fte/overflow-crowd":
        rules |rules| rules.fits = keep_unfit::<0, 0>, "drops the pending flags of an entity that does not fit";
    server "unfit-fields-forgotten" OVF_01 "fte/overflow-crowd":
        rules |rules| rules.fits = keep_unfit::<RESET, REMOVE>,
        "keeps only RESET and remove pending for an entity that does not fit";
    server "too-long" OVF_02 "fte/overflow-crowd": by too_long, "exceeds the limit of a datagram that is nearly full";
    server "cut-off" OVF_02 "fte/overflow-crowd": by cut_off, "truncates the last entity of a full datagram";
    server "cleared" OVF_02 "fte/overflow-crowd":
        by cleared, "throws away what a full datagram has when another entity does not fit, and sends the rest";
    server "reserve-of-52-bytes" OVF_02 "fte/overflow-long-updates":
        rules |rules| rules.fits = |_, bytes, limit| bytes.start + 52 <= limit,
        "assumes that an update needs no more than 52 bytes", "FTEQW cd97d1fff (F-L4)";
    server "restarts-when-full" OVF_03 "fte/overflow-crowd":
        rules |rules| rules.resume = |_, _| 0,
        "starts every frame at the lowest entity, also after a full one", "FTEQW before 9aed52168";
    server "end-not-marked" OVF_04 "fte/delta-clean": sends end_not_marked, "does not write the end marker";
    server "end-of-full-not-marked" OVF_04 "fte/overflow-crowd":
        by end_of_full_not_marked, "does not write the end marker when the datagram is full";
    server "unfit-reset-forgotten" OVF_05 "fte/overflow-spawns":
        rules |rules| rules.fits = keep_unfit::<{ !RESET }, { u8::MAX }>,
        "drops the RESET of an entity that does not fit", "QuakeSpasm-Spiked c99fc25b";
    server "late-as-delta" OVF_05 "fte/overflow-spawns":
        sends late_as_delta(), "sends new entities that did not fit into the first frame as plain updates";
    server "unfit-remove-forgotten" OVF_06 "fte/overflow-removes":
        rules |rules| rules.fits = keep_unfit::<{ u32::MAX }, { !REMOVE }>, "drops a remove that does not fit";
    server "full-without-removes" OVF_06 "fte/overflow-removes":
        by full_without_removes, "omits the last remove of a full datagram, but logs it as sent";
    server "never-wraps" OVF_07 "fte/overflow-crowd":
        rules |rules| rules.resume = |reached, _| reached, "resumes after a full frame and never wraps";
    server "discarded-but-logged" HIST_10 "fte/overflow-burst":
        by discarded_but_logged, "discards an oversized message, but logs it as sent", "FTEQW F-L4";
    server "choked-frames-lost" OVF_09 "fte/overflow-rate":
        rules |rules| rules.makes_forbidden_frames = true,
        "discards frames that exceed the rate, but logs them as sent";
    server "never-content" OVF_07 "fte/overflow-at-rest":
        receives never_content, "starts over at every packet, so that the last entities are never sent";
};
