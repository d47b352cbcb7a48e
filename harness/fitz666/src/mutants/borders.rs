//! Ends that keep for all what belongs to one client, or take what happens again, lower or late for what is not worth a word.

use super::player::changing;
use super::{client_sends, of_client, of_server, server_sends, server_sends_otherwise, services};
use crate::requirements::*;
use kit::{Endpoint, HostId, Mutant, Setup};
use netquake::Service;
use netquake::constants::{CLC_MOVE, SVC_DAMAGE, SVC_NOP, SVC_PARTICLE, SVC_SET_ANGLE, SVC_SOUND};
use std::collections::BTreeMap;

/// A clock of 16 bits has run out: milliseconds, as seconds.
const CLOCK_SECONDS: f32 = 65.536;

/// A server that leaves out what is the same as the last message with this number to the same client.
fn without_the_same(setup: &Setup, number: u8) -> Box<dyn Endpoint> {
    let mut last: BTreeMap<HostId, Vec<u8>> = BTreeMap::new();
    server_sends(setup, move |packet| {
        for span in services(packet) {
            let bytes = packet.raw(span);
            if bytes.first() != Some(&number) {
                continue;
            }
            if last.get(&packet.client).is_some_and(|last| last == bytes) {
                packet.replace(span.start..span.end, &[SVC_NOP]);
            }
            last.insert(packet.client, bytes.to_vec());
        }
    })
}

/// A server that says nothing with this number when a clock of 16 bits has run out.
fn until_the_clock_runs_out(setup: &Setup, number: u8) -> Box<dyn Endpoint> {
    let mut now = 0.0;
    server_sends_otherwise(setup, move |service, bytes, _| {
        if let Service::Time { time } = service {
            now = f32::from_bits(time.cast_unsigned());
        }
        (now > CLOCK_SECONDS && bytes.first() == Some(&number)).then(|| vec![SVC_NOP])
    })
}

/// A server that says nothing of less damage than the time before.
fn without_less(setup: &Setup) -> Box<dyn Endpoint> {
    let mut before = 0;
    server_sends_otherwise(setup, move |service, _, _| match service {
        Service::Damage { blood, .. } => {
            let less = *blood < before;
            before = *blood;
            less.then(|| vec![SVC_NOP])
        }
        _ => None,
    })
}

/// What is kept too long, and what is forgotten too early.
pub(super) const MUTANTS: &[Mutant] = &[
    of_server(
        "same-damage-once",
        &VER_04,
        "fitz666/happens-again",
        "says once that a player is hurt twice alike",
        |setup| without_the_same(setup, SVC_DAMAGE),
    ),
    of_server("same-particles-once", &VER_04, "fitz666/happens-again", "sends a burst of particles once", |setup| {
        without_the_same(setup, SVC_PARTICLE)
    }),
    of_server("same-turn-once", &VER_04, "fitz666/happens-again", "turns a view to the same angles once", |setup| {
        without_the_same(setup, SVC_SET_ANGLE)
    }),
    of_server("same-sound-once", &SND_04, "fitz666/happens-again", "plays the same sound once", |setup| {
        without_the_same(setup, SVC_SOUND)
    }),
    of_server(
        "less-damage-left-out",
        &VER_04,
        "fitz666/everywhere",
        "says nothing of less damage than before",
        without_less,
    ),
    of_server(
        "no-sounds-after-65-seconds",
        &SND_04,
        "fitz666/everywhere-outage",
        "plays nothing when milliseconds need more than 16 bits",
        |setup| until_the_clock_runs_out(setup, SVC_SOUND),
    ),
    of_server(
        "no-damage-after-65-seconds",
        &VER_04,
        "fitz666/everywhere-outage",
        "says nothing of damage when milliseconds need more than 16 bits",
        |setup| until_the_clock_runs_out(setup, SVC_DAMAGE),
    ),
    of_server(
        "items-of-all",
        &VER_04,
        "fitz666/everywhere",
        "tells each player of all items that anybody has had",
        |setup| {
            let mut all = 0;
            server_sends_otherwise(
                setup,
                changing(move |data| {
                    all |= data.items;
                    data.items = all;
                }),
            )
        },
    ),
    of_server(
        "armour-of-the-client-before",
        &VER_04,
        "fitz666/everywhere",
        "keeps one count of armour for all, and tells each player what it told the one before",
        |setup| {
            let mut last = 0;
            server_sends_otherwise(setup, changing(move |data| std::mem::swap(&mut last, &mut data.armor)))
        },
    ),
    of_client(
        "impulse-of-before-twice",
        &VER_04,
        "fitz666/everywhere",
        "leaves an impulse out that is lower than the one before",
        |setup| {
            let mut before = 0;
            client_sends(setup, move |packet| {
                let Some(at) = packet.bytes.len().checked_sub(1) else { return };
                let is_move = netquake::datagram::is_unreliable(packet.bytes) && packet.bytes.get(8) == Some(&CLC_MOVE);
                let impulse = packet.bytes[at];
                if is_move && impulse != 0 {
                    if impulse < before {
                        packet.replace(at..at + 1, &[0]);
                    }
                    before = impulse;
                }
            })
        },
    ),
];
