//! Servers that keep for all what belongs to one client, or take what happens again, lower or late for what is not worth a word.

use super::*;
use crate::requirements::*;
use netquake::constants::TE_EXPLOSION;

/// A clock of 16 bits has run out: milliseconds, as seconds.
const CLOCK_SECONDS: f32 = 65.536;

/// The server time of a frame, in seconds.
fn seconds(packet: &Packet<'_>) -> f32 {
    packet.fields("time").next().map_or(0.0, |time| f32::from_bits(packet.value(time) as u32))
}

/// Answers every client with the versions of the first that asked.
fn answers_as_the_first(setup: &Setup) -> Box<dyn Endpoint> {
    let mut first: Option<u64> = None;
    server_says(setup, move |packet| {
        for field in packet.fields("csvc") {
            let csvc = *first.get_or_insert(packet.value(field));
            packet.set(field, csvc);
        }
    })
}

/// Leaves out what is the same as the last of its kind that a client was sent in a frame.
fn without_the_same(setup: &Setup, kind: &'static str) -> Box<dyn Endpoint> {
    let mut last: BTreeMap<HostId, Vec<u8>> = BTreeMap::new();
    server_says(setup, move |packet| {
        if !is_frame(packet) {
            return;
        }
        for group in packet.fields(kind) {
            let bytes = packet.raw(group).to_vec();
            if last.get(&packet.client) == Some(&bytes) {
                packet.cut(group);
            }
            last.insert(packet.client, bytes);
        }
    })
}

/// Says how much a client was hurt only if it was hurt more than the time before.
fn without_less(setup: &Setup) -> Box<dyn Endpoint> {
    let mut last: BTreeMap<HostId, u8> = BTreeMap::new();
    server_says(setup, move |packet| {
        for group in packet.fields("svc_damage") {
            let Some(&blood) = packet.raw(group).get(2) else { continue };
            if last.insert(packet.client, blood).is_some_and(|before| before > blood) {
                packet.cut(group);
            }
        }
    })
}

/// Says nothing of this kind when a clock of 16 bits has run out.
fn until_the_clock_runs_out(setup: &Setup, kind: &'static str) -> Box<dyn Endpoint> {
    server_says(setup, move |packet| {
        if is_frame(packet) && seconds(packet) > CLOCK_SECONDS {
            cut_all(packet, kind);
        }
    })
}

/// Says nothing of explosions in the first frame of a level that is not the first.
fn no_explosion_when_a_level_begins(setup: &Setup) -> Box<dyn Endpoint> {
    let mut levels: BTreeMap<HostId, (u32, bool)> = BTreeMap::new();
    server_says(setup, move |packet| {
        let (count, plays) = levels.entry(packet.client).or_default();
        if end_of_stage(packet, 3).is_some() {
            (*count, *plays) = (*count + 1, false);
        }
        if is_frame(packet) && *count > 1 && !*plays {
            for group in packet.fields("svc_temp_entity") {
                if packet.raw(group).get(1) == Some(&TE_EXPLOSION) {
                    packet.cut(group);
                    *plays = true;
                }
            }
        }
    })
}

/// What is kept too long, and what is forgotten too early.
pub(super) const MUTANTS: &[Mutant] = &[
    of_server(
        "answers-as-the-first",
        &VER_02,
        "nvs/between-lines",
        "sends every client the CSVC of the first that asked",
        answers_as_the_first,
    ),
    of_server(
        "same-damage-once",
        &TAB_01,
        "nvs/happens-again",
        "says once that a client is hurt twice alike",
        |setup| without_the_same(setup, "svc_damage"),
    ),
    of_server("same-particles-once", &T2_01, "nvs/happens-again", "sends the same particles once", |setup| {
        without_the_same(setup, "svc_particle")
    }),
    of_server(
        "less-damage-left-out",
        &TAB_01,
        "nvs/everywhere",
        "says nothing of less damage than before",
        without_less,
    ),
    of_server(
        "no-explosions-after-65-seconds",
        &T3_02,
        "nvs/everywhere-outage",
        "sends no explosions when milliseconds need more than 16 bits",
        |setup| until_the_clock_runs_out(setup, "svc_temp_entity"),
    ),
    of_server(
        "no-turns-after-65-seconds",
        &T1_03,
        "nvs/everywhere-outage",
        "turns no view when milliseconds need more than 16 bits",
        |setup| until_the_clock_runs_out(setup, "svc_setangle"),
    ),
    of_server(
        "no-explosion-when-a-level-begins",
        &T3_02,
        "nvs/everywhere",
        "leaves the first explosion out of each level but the first",
        no_explosion_when_a_level_begins,
    ),
];
