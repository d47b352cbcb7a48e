//! Conforming variants, in runs that bring out what they do otherwise. Mutants are the kill matrix's, in their scenarios.

use crate::run::{Run, line};
use kit::table::float_bits;
use kit::{Command, Finding, Oracle, Replacement, StatValue, Time};
use r1q2::PROTOCOL;
use r1q2::machine::options::PROFILES;
use r1q2::machine::world::PLAYER_FIRST;
use r1q2::verbs::*;
use r1q2::wire::constants::*;
use r1q2::wire::state::*;
use sim::{Link, Unwatched};

/// What is special about a run, by the name of the scenario that is like it.
fn options(name: &str) -> Vec<(&'static str, i64)> {
    match name {
        "r1q2/unnumbered" => vec![("qport", 0), ("same_address", 1)],
        "r1q2/frames-compressed" => vec![("frames_in_zpackets", 2)],
        "r1q2/low-rate" => vec![("rate", 150)],
        "r1q2/lengths" => vec![("maxlen", 600), ("client2_protocol", 34)],
        "r1q2/no-length" => vec![("maxlen", -1)],
        "r1q2/most" => vec![("maxlen", 0)],
        _ => vec![("client2_protocol", 34)],
    }
}

fn link(name: &str) -> Link {
    let bad = Link { loss_ppm: 200_000, random_until: Some(Time(7_000_000)), ..Link::clean(20_000) };
    match name {
        "r1q2/bad" => bad,
        _ => Link::clean(20_000),
    }
}

/// The links from clients to the server, where they differ.
fn uplink(name: &str) -> Link {
    match name {
        "r1q2/acks-lost" => Link { outages: vec![(Time(3_000_000), Time(5_700_000))], ..Link::clean(20_000) },
        _ => link(name),
    }
}

/// Everything changes that a player and an entity can have, and something of each kind is sent.
fn commands(run: &mut Run) {
    let mut at = |milliseconds, host, command| {
        run.at(milliseconds, host, command);
    };
    let verb = |verb, args| Command::Verb { verb, args };
    let set = |entity, field, value| Command::Set { entity, field, value };
    for entity in [1, 2, 20, 21, 300] {
        at(0, 0, Command::Baseline { entity, field: MODEL, value: 3 });
        at(0, 0, Command::Spawn { entity });
    }
    at(0, 0, set(21, RENDERFX, RF_BEAM));
    at(0, 0, set(21, OLD_ORIGIN_X, float_bits(64.0)));
    for step in 0..60_i32 {
        let time = 100 * step as u64 + 1030;
        at(time, 0, set(20, ORIGIN_X, float_bits(step as f32 * 3.25)));
        at(time, 0, set(300, FRAME, step * 9));
        at(time, 0, set(21, OLD_ORIGIN_Y, float_bits((step / 9) as f32)));
        for client in [1, 2_u32] {
            let player = |field, value| set(client, PLAYER_FIRST + field, value);
            match step % 8 {
                0 => at(time, 0, player(GUNFRAME, step)),
                1 => at(time, 0, player(GUNOFFSET_Z, step)),
                2 => at(time, 0, player(GUN_YAW, -step)),
                3 => {
                    at(time, 0, player(PM_TYPE, PM_DEAD));
                    at(time, 0, player(VIEW_ROLL, step * 100));
                }
                4 => at(time, 0, player(PM_ORIGIN_Z, step * 8)),
                5 => at(time, 0, player(PM_ORIGIN_X, step * 8)),
                6 => at(time, 0, player(VIEW_YAW, step * 50)),
                _ => {
                    let stat = (step % 32) as u8;
                    at(time, 0, Command::Stat { client: client as u16, stat, value: StatValue::Int(step) });
                }
            }
        }
    }
    at(4_000, 0, Command::Remove { entity: 20 });
    at(5_000, 0, Command::Spawn { entity: 20 });
    for number in 0..12 {
        at(2_000 + 200 * number, 0, verb(VERB_PRINT, [0, number as i32, 0, 0]));
        at(2_000 + 200 * number, 0, verb(VERB_UNICAST, [1, number as i32, 0, 0]));
    }
    at(2_500, 1, verb(VERB_DOWNLOAD, [90, 0, 0, 0]));
    at(6_000, 1, verb(VERB_DOWNLOAD, [5_000, 0, 0, 0]));
    at(3_000, 0, verb(VERB_BIG, [0, 12_000, 0, 0]));
    for client in [1, 2] {
        at(8_000, 0, set(client, PLAYER_FIRST + PM_TYPE, PM_SPECTATOR));
        at(11_000, client as u16, verb(VERB_WALK, [200, -100, 50, 1]));
        at(13_000, client as u16, verb(VERB_WALK, [0; 4]));
        at(13_500, 0, set(client, PLAYER_FIRST + PM_TYPE, PM_NORMAL));
        at(13_500, 0, set(client, PLAYER_FIRST + PM_VELOCITY_X, 160));
    }
}

/// What a run finds with a replacement, in a profile.
fn run(name: &str, profile: usize, replacement: Option<Replacement>) -> Box<dyn Oracle> {
    let mut run = Run::new(profile, 2, &options(name));
    commands(&mut run);
    if name == "r1q2/rebound" {
        run.verb(6_000, 0, VERB_REBIND, [1, 4321, 0, 0]);
    }
    (run.link, run.c2s, run.seconds) = (link(name), Some(uplink(name)), 18);
    run.judge(11, replacement, &mut Unwatched)
}

const NAMES: [&str; 11] = [
    "r1q2/clean",
    "r1q2/unnumbered",
    "r1q2/rebound",
    "r1q2/frames-compressed",
    "r1q2/acks-lost",
    "r1q2/low-rate",
    "r1q2/bad",
    "r1q2/lengths",
    "r1q2/no-length",
    "r1q2/most",
    "r1q2/player",
];

#[test]
fn the_reference_and_every_variant_pass_every_run() {
    let mut failed = Vec::new();
    let variants = PROTOCOL.variants().map(|variant| (variant.name, Some(variant.replacement), variant.waives));
    for (variant, replacement, waives) in std::iter::once(("reference", None, &[][..])).chain(variants) {
        for (name, profile) in NAMES.into_iter().zip([0, 3].into_iter().cycle()) {
            let oracle = run(name, profile, replacement);
            let allowed = |it: &&Finding| waives.iter().any(|row| row.id == it.requirement().id);
            if let Some(found) = oracle.findings().iter().find(|it| !allowed(it)) {
                failed.push(format!("{variant} in {name} {}: {}", PROFILES[profile].name, line(found)));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}
