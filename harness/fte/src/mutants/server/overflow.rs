//! What a server does when a packet is full.

use super::edits::{Entry, Held, Said, clear_reset, entries};
use super::{of_server, ruled, server_hears, server_says};
use crate::constants::*;
use crate::options::Options;
use crate::pending::{Pending, REMOVE, RESET};
use crate::requirements::*;
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
    server_says(setup, move |packet| {
        if packet.bytes.len() + NEARLY_BYTES > limit {
            let entries = entries(packet);
            edit(packet, &entries);
        }
    })
}

/// The broken servers.
pub(in crate::mutants) static MUTANTS: &[Mutant] = &[
    of_server(
        "unfit-forgotten",
        &OVF_01,
        "fte/overflow-crowd",
        "forgets what was pending of an entity that does not fit",
        |setup| ruled(setup, |rules| rules.fits = keep_unfit::<0, 0>),
    ),
    of_server(
        "unfit-fields-forgotten",
        &OVF_01,
        "fte/overflow-crowd",
        "of an entity that does not fit remembers that it is new or gone, but no fields",
        |setup| ruled(setup, |rules| rules.fits = keep_unfit::<RESET, REMOVE>),
    ),
    of_server(
        "too-long",
        &OVF_02,
        "fte/overflow-crowd",
        "fills a datagram that is nearly full beyond its limit",
        |setup| {
            when_full(setup, |packet, _| {
                let end = packet.bytes.len();
                packet.replace(end..end, &[netquake::constants::SVC_NOP; 64]);
            })
        },
    ),
    of_server("cut-off", &OVF_02, "fte/overflow-crowd", "cuts the last entity of a full datagram off", |setup| {
        when_full(setup, |packet, entries| {
            if let Some(last) = entries.iter().rev().find(|entry| entry.said() != Said::End) {
                packet.replace(last.whole.end - 2..packet.bytes.len(), &[]);
            }
        })
    }),
    of_server(
        "reserve-of-52-bytes",
        &OVF_02,
        "fte/overflow-long-updates",
        "takes it that an update needs no more than 52 bytes",
        |setup| ruled(setup, |rules| rules.fits = |_, bytes, limit| bytes.start + 52 <= limit),
    )
    .same_bug_as("FTEQW cd97d1fff (F-L4)"),
    of_server(
        "restarts-when-full",
        &OVF_03,
        "fte/overflow-crowd",
        "begins every frame at the lowest entity, also after a full one",
        |setup| ruled(setup, |rules| rules.resume = |_, _| 0),
    )
    .same_bug_as("FTEQW before 9aed52168"),
    of_server("end-not-marked", &OVF_04, "fte/delta-clean", "leaves out the index 0 that ends a list", |setup| {
        server_says(setup, |packet| {
            for end in entries(packet).iter().filter(|entry| entry.said() == Said::End) {
                packet.cut(&end.whole);
            }
        })
    }),
    of_server(
        "end-of-full-not-marked",
        &OVF_04,
        "fte/overflow-crowd",
        "leaves out the index 0 that ends a list when the datagram is full",
        |setup| {
            when_full(setup, |packet, entries| {
                if let Some(end) = entries.iter().rev().find(|entry| entry.said() == Said::End) {
                    packet.cut(&end.whole);
                }
            })
        },
    ),
    of_server(
        "unfit-reset-forgotten",
        &OVF_05,
        "fte/overflow-spawns",
        "forgets the RESET of an entity that does not fit",
        |setup| ruled(setup, |rules| rules.fits = keep_unfit::<{ !RESET }, { u8::MAX }>),
    )
    .same_bug_as("QuakeSpasm-Spiked c99fc25b"),
    of_server(
        "late-as-delta",
        &OVF_05,
        "fte/overflow-spawns",
        "sends new entities that did not fit into the first frame as plain updates",
        |setup| {
            let (mut held, mut frames) = (Held::default(), 0);
            server_says(setup, move |packet| {
                let entries = entries(packet);
                frames += u32::from(!entries.is_empty());
                for entry in entries {
                    if !held.hear(&entry) && frames > 1 {
                        clear_reset(packet, &entry);
                    }
                }
            })
        },
    ),
    of_server(
        "unfit-remove-forgotten",
        &OVF_06,
        "fte/overflow-removes",
        "forgets a remove that does not fit",
        |setup| ruled(setup, |rules| rules.fits = keep_unfit::<{ u32::MAX }, { !REMOVE }>),
    ),
    of_server(
        "full-without-removes",
        &OVF_06,
        "fte/overflow-removes",
        "leaves the last remove out of a full datagram, and takes it for sent",
        |setup| {
            when_full(setup, |packet, entries| {
                if let Some(last) = entries.iter().rev().find(|entry| entry.said() == Said::Remove) {
                    packet.cut(&last.whole);
                }
            })
        },
    ),
    of_server(
        "never-wraps",
        &OVF_07,
        "fte/overflow-crowd",
        "begins behind a full frame until the next one is full, and so passes over all below",
        |setup| ruled(setup, |rules| rules.resume = |reached, _| reached),
    ),
    of_server(
        "discarded-but-logged",
        &HIST_10,
        "fte/overflow-burst",
        "throws a message that is too long away, and logs it as sent",
        |setup| {
            when_full(setup, |packet, entries| {
                for service in packet.fields("service").filter(|_| !entries.is_empty()) {
                    packet.cut(service);
                }
            })
        },
    )
    .same_bug_as("FTEQW F-L4"),
    of_server(
        "choked-frames-lost",
        &OVF_09,
        "fte/overflow-rate",
        "makes frames that the rate forbids, throws them away, and takes them for sent",
        |setup| ruled(setup, |rules| rules.makes_forbidden_frames = true),
    ),
    of_server(
        "never-content",
        &OVF_07,
        "fte/overflow-at-rest",
        "hears a request to start over in every packet, so that what comes last never gets its turn",
        |setup| {
            server_hears(setup, |packet| {
                if let Some(last) = packet.fields("command").filter(|command| command.form == Form::Group).last() {
                    packet.replace(last.end..last.end, &[CLC_ACKFRAME, 0xff, 0xff, 0xff, 0xff]);
                }
            })
        },
    ),
];
