//! Random scenarios in pairs: the same on a network that loses nothing, and on one that doubles, loses or reorders much until the world
//! rests. A player sees the same once it does. No oracle takes part, so that what the judge has no check for shows, too.
//!
//! `PAIRS=1000 cargo test --release -p deltaproof --test it pairs` draws so many for each profile instead of a few, with
//! `RANDOM_PROFILE=nvs` those of one.

use crate::random::text_of_draw;
use deltaproof::registry::PROTOCOLS;
use deltaproof::scenario::{self, Case};
use judging::holdings::{Holding, held};
use kit::{Profile, Protocol, Replacement};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Pairs of a profile, unless the environment says otherwise.
const DRAWS: u32 = 6;

/// How long the world rests, in milliseconds: a reliable message that was lost comes again after a second, and a sign-on has several.
const REST_MS: u64 = 12_000;

/// Networks, as equivalent as can be: nothing is lost, much comes twice, much is lost, and much comes out of its order.
const NETWORKS: [&str; 4] = [
    "latency: 30ms",
    "latency: 30ms, duplicate: 25%, duplicate_delay: 120ms",
    "latency: 30ms, loss: 10%",
    "latency: 30ms, jitter: 25ms, reorder: 15%, reorder_delay: 90ms",
];

/// What clients are told of entities when they are let in, or when the scenario says so: it is as it was at that moment, which is another
/// one on another network. By protocol, the beginnings of the names of fields.
const TOLD_AT_TIMES: [(&str, &[&str]); 1] = [("pygg2", &["kills", "deaths", "healing", "ready", "sentry"])];

/// The number after `key` in a text.
fn number_after(text: &str, key: &str) -> u64 {
    let (_, rest) = text.split_once(key).expect("the key is there");
    rest.split(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse().ok()).expect("a number follows")
}

/// A drawn scenario on another network, with a long rest.
fn tamed(text: &str, network: &str) -> String {
    let (duration, settle) = (number_after(text, "duration: "), number_after(text, "settle: "));
    let mut lines: Vec<String> = Vec::new();
    // A client that is away for long, or acknowledges what it does not have, need not come to see all.
    let in_faults = |line: &str| line.starts_with("  - {") && !line.starts_with("  - { at:");
    for line in text.lines() {
        match line {
            "faults:" | "clocks:" => {}
            _ if in_faults(line) || line.contains("name: acknowledge") => {}
            _ if line.starts_with("duration: ") => lines.push(format!("duration: {}ms", duration + REST_MS)),
            _ if line.starts_with("settle: ") => lines.push(format!("settle: {}ms", settle + REST_MS)),
            _ if line.starts_with("  s2c: ") => lines.push(format!("  both: {{ {network} }}")),
            _ if line.starts_with("  c2s: ") => {}
            line => lines.push(String::from(line)),
        }
    }
    lines.join("\n")
}

/// Entities by number, and their fields by name.
type Seen = BTreeMap<u32, Vec<(String, String)>>;

/// What a client sees of the world once it rests: the entities that are nobody's player, without what depends on when a datagram came.
fn seen(case: &Case, holding: &Holding) -> Seen {
    let timed = case.protocol.timed_fields.unwrap_or(case.protocol.fields.len());
    let is_timed = |name: &str| case.protocol.fields[timed..].iter().any(|field| field.name == name);
    let at_times =
        TOLD_AT_TIMES.iter().find(|(protocol, _)| *protocol == case.protocol.name).map_or(&[][..], |of| of.1);
    let is_left_out = |name: &str| is_timed(name) || at_times.iter().any(|start| name.starts_with(start));
    let others = holding.entities.iter().filter(|(number, _)| *number > u32::from(case.scenario.file.clients));
    let kept = |fields: &[(String, String)]| fields.iter().filter(|(name, _)| !is_left_out(name)).cloned().collect();
    others.map(|(number, fields)| (*number, kept(fields))).collect()
}

/// What the clients of a run see at its end that are in the game: by their names.
fn end_of(text: &str, seed: u64, replacement: Option<Replacement>) -> Vec<BTreeMap<String, Seen>> {
    let scenario = scenario::parse("random/pair", Path::new("pair.yaml"), text);
    let scenario = Arc::new(scenario.unwrap_or_else(|error| panic!("{}\n{text}", error.one_line())));
    let cases = scenario::cases(&scenario);
    let at_end = |case: &Case| {
        let ends = held(case, seed, replacement, case.duration());
        let inside = ends.iter().skip(1).filter(|end| end.valid && matches!(end.state.as_str(), "active" | "inside"));
        inside.map(|end| (end.host.clone(), seen(case, end))).collect()
    };
    cases.iter().map(at_end).collect()
}

/// Where the two runs of a pair end differently.
fn difference(
    (protocol, profile): (&'static Protocol, &'static Profile),
    draw: u32,
    replacement: Option<Replacement>,
) -> Option<String> {
    let (text, seed) = text_of_draw(protocol, profile, draw);
    let network = NETWORKS[1 + draw as usize % (NETWORKS.len() - 1)];
    let changed = tamed(&text, network);
    let (one, other) = (end_of(&tamed(&text, NETWORKS[0]), seed, replacement), end_of(&changed, seed, replacement));
    for (one, other) in one.iter().zip(&other) {
        for (host, world) in one {
            let Some(elsewhere) = other.get(host).filter(|elsewhere| *elsewhere != world) else { continue };
            let numbers = world.keys().chain(elsewhere.keys());
            let number = numbers.copied().find(|number| world.get(number) != elsewhere.get(number))?;
            let (is, was) = (elsewhere.get(&number), world.get(&number));
            let what = format!("{host} sees entity {number} as {was:?}, and there {is:?}");
            return Some(format!("{}, draw {draw}, seed {seed}, {network}: {what}\n{changed}", profile.name));
        }
    }
    None
}

#[test]
fn clients_see_the_same_world_whatever_the_network_did_before_it_rests() {
    let draws = std::env::var("PAIRS").ok().map_or(DRAWS, |count| count.parse().expect("PAIRS is a number"));
    let only = std::env::var("RANDOM_PROFILE").ok();
    let profiles = PROTOCOLS.iter().flat_map(|protocol| protocol.profiles.iter().map(|profile| (*protocol, profile)));
    let profiles = profiles.filter(|(_, profile)| only.as_ref().is_none_or(|only| only == profile.name));
    let pairs: Vec<_> = profiles.flat_map(|of| (0..draws).map(move |draw| (of, draw))).collect();
    let different: Vec<String> =
        pairs.into_par_iter().with_max_len(1).filter_map(|(of, draw)| difference(of, draw, None)).collect();
    assert!(different.is_empty(), "{} pairs differ:\n{}", different.len(), different.join("\n\n"));
}
