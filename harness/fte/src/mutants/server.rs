//! Broken servers: what they remember, repair and forget.

use super::{of_server, server_hears, server_says, server_with};
use crate::constants::*;
use crate::requirements::*;
use crate::rules::{AfterFull, Overflow, Resend, Rules};
use crate::sender;
use kit::{Form, Mutant, Span};
use netquake::constants::CLC_NOP;

/// The broken servers.
pub(super) static MUTANTS: &[Mutant] = &[
    of_server(
        "reset-never-repaired",
        &RST_07,
        "fte/reset-lost-first",
        "sends RESET once and does not log it, so that a lost one is repaired as a plain update",
        |setup| {
            let logged = !(UF_RESET as u32);
            server_with(setup, Rules { reset_copies: 1, logged, ..Rules::REFERENCE })
        },
    )
    .recalls("QuakeSpasm-Spiked c48936385a44"),
    of_server(
        "log-ring-of-32",
        &HIST_06,
        "fte/history-outage-s2c",
        "keeps 32 frames of history and overwrites older ones without a thought",
        |setup| server_with(setup, Rules { log_frames: 32, overflow: Overflow::Forget, ..Rules::REFERENCE }),
    ),
    of_server(
        "history-overwritten",
        &HIST_06,
        "fte/history-overwritten-frame",
        "uses a frame's place in history again without caring what became of the frame",
        |setup| server_with(setup, Rules { overflow: Overflow::Forget, ..Rules::REFERENCE }),
    )
    .recalls("QuakeSpasm-Spiked c48936385a44 without PREDINFO"),
    of_server("nothing-logged", &HIST_02, "fte/delta-loss", "logs removes and resets, but no fields", |setup| {
        let logged = sender::REMOVE | UF_RESET as u32;
        server_with(setup, Rules { logged, ..Rules::REFERENCE })
    }),
    of_server(
        "remove-not-logged",
        &RMV_05,
        "fte/remove-lost",
        "does not log removes, so that a lost one is never repeated",
        |setup| server_with(setup, Rules { logged: !sender::REMOVE, ..Rules::REFERENCE }),
    ),
    of_server(
        "stale-resends",
        &DLT_37,
        "fte/delta-loss",
        "sends lost fields again with the values of the frame before",
        |setup| server_with(setup, Rules { resend: Resend::Previous, ..Rules::REFERENCE }),
    ),
    of_server(
        "restarts-when-full",
        &OVF_03,
        "fte/overflow-crowd",
        "begins every frame at the lowest entity, also after a full one",
        |setup| server_with(setup, Rules { after_full: AfterFull::Restart, ..Rules::REFERENCE }),
    )
    .recalls("FTEQW before 9aed52168"),
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
    of_server("end-not-marked", &OVF_04, "fte/delta-clean", "leaves out the index 0 that ends a list", |setup| {
        server_says(setup, |packet| {
            let ends = packet.fields("entity index").filter(|index| packet.value(index) == 0);
            for end in ends.collect::<Vec<&Span>>() {
                packet.cut(end);
            }
        })
    }),
    of_server("reset-request-ignored", &ACK_16, "fte/reset-request-in-flight", "does not hear an ack of -1", |setup| {
        server_hears(setup, |packet| {
            let requests = packet.fields("frame").filter(|ack| packet.raw(ack) == [0xff; 4]);
            for ack in requests.collect::<Vec<&Span>>() {
                packet.replace(ack.start - 1..ack.end, &[CLC_NOP]);
            }
        })
    })
    .recalls("FTEQW before 5b7a426af, over QuakeWorld"),
];
