//! Failures of mutants, made smaller.

use super::*;
use crate::candidate::BuiltIn;
use crate::registry::PROTOCOLS;
use crate::scenario;
use crate::scenario::BUILT_IN;
use kit::{Damage, Delivery, Direction, Fate, HostId, LossCause};
use sim::{FateKey, Link};
use std::collections::BTreeMap;
use std::path::Path;

/// The first failing run of a mutant in a case of its scenario: `None`, if no seed of it fails.
fn shrunk(protocol: &str, name: &str) -> Shrunk {
    let mut all = BuiltIn::all(PROTOCOLS).filter(|it| it.protocol.name == protocol);
    let mutant = all.find(|it| it.variant.name == name).expect("the mutant is there");
    let scenario = mutant.protocol.mutants().find(|it| it.name == name).expect("it is a mutant").scenario;
    let root = Path::new(BUILT_IN);
    let scenario = scenario::load(root, &root.join(format!("{scenario}.yaml"))).expect("its scenario is read");
    let case = scenario::cases(&std::sync::Arc::new(scenario)).remove(0);
    let candidate = Candidate::BuiltIn(mutant);
    let mut runs = case.seeds().iter().map(|seed| Failed { case: &case, seed: *seed, candidate: Some(&candidate) });
    let shrunk = runs.find_map(|failed| match shrink(failed) {
        Err(Unshrunk::Passes(_)) => None,
        other => Some(other),
    });
    let shrunk = shrunk.expect("a seed fails").unwrap_or_else(|why| panic!("{name}: {why}"));
    // What stands in the file is enough, on its own, for whoever reads it.
    let scenario = scenario::parse("elsewhere", Path::new("elsewhere.yaml"), &shrunk.text).expect("it is a scenario");
    let case = &scenario::cases(&std::sync::Arc::new(scenario)).remove(0);
    let judgement = Candidate::judge(Some(&candidate), case, case.seeds()[0], Keep::Verdict);
    assert!(shrunk.failure.is_in(case, &judgement).is_some(), "{name}:\n{}", shrunk.text);
    assert!(shrunk.faults <= 12 && shrunk.minimal, "{name}: {} of {}", shrunk.faults, shrunk.faults_before);
    shrunk
}

#[test]
fn the_text_is_the_same_each_time() {
    let name = SOME[0];
    assert_eq!(shrunk(name.0, name.1).text, shrunk(name.0, name.1).text);
}

#[test]
fn failures_of_each_protocol_become_small_and_fail_on_their_own() {
    for (protocol, name) in SOME {
        let shrunk = shrunk(protocol, name);
        assert!(shrunk.faults < shrunk.faults_before || shrunk.faults_before <= 1, "{name}");
    }
}

/// Mutants that need a fault.
const SOME: [(&str, &str); 4] =
    [("fte", "asks-once"), ("fte", "one-challenge"), ("fte", "acks-cumulative"), ("pygg2", "last-arrival-wins")];

fn key(direction: Direction, slot: u32) -> FateKey {
    FateKey { client: HostId(1), direction, slot, ordinal: 0 }
}

/// Fates on links of 20 ms, by slots of 10 ms.
fn schedule(fates: &[(u32, Fate)]) -> (Schedule, BTreeMap<FateKey, Fate>, Vec<[Link; 2]>) {
    let fates = fates.iter().map(|(slot, fate)| (key(Direction::ServerToClient, *slot), *fate)).collect();
    let links = vec![[Link::clean(20_000), Link::clean(20_000)]];
    (Schedule::of(&fates, &links), fates, links)
}

const IN_TIME: Fate = Fate::Once(Delivery::whole(20_000));

#[test]
fn only_what_differs_from_a_delivery_in_time_is_a_fault() {
    let late = Fate::Once(Delivery::whole(20_001));
    let (schedule, ..) = schedule(&[(0, IN_TIME), (1, Fate::Lost(LossCause::Burst)), (2, late), (3, IN_TIME)]);
    assert_eq!(schedule.fates().keys().map(|key| key.slot).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(schedule.until(Time::from_ms(15)).len(), 1);
}

#[test]
fn faults_are_said_by_their_places_and_equal_ones_in_a_row_at_once() {
    let lost = Fate::Lost(LossCause::Script);
    let twice = Fate::Twice(Delivery::whole(20_000), Delivery::whole(50_000));
    let (schedule, fates, links) = schedule(&[(0, IN_TIME), (7, lost), (9, lost), (10, IN_TIME), (40, twice)]);
    let said = schedule.said(&fates, &links).expect("all can be said");
    let said: Vec<_> = said.iter().map(|said| (said.index, said.action)).collect();
    use sim::Action::{Drop, Duplicate};
    assert_eq!(said, [((1, 2), Drop), ((4, 4), Duplicate { after_us: 30_000 })]);
}

#[test]
fn what_no_scenario_can_say_is_told_and_can_be_made_sayable() {
    let both = Delivery { delay_us: 30_000, damage: Damage::Flipped { bit: 3 } };
    let (schedule, fates, links) = schedule(&[(0, Fate::Once(both))]);
    assert!(schedule.said(&fates, &links).is_err());
    let damaged = Delivery { delay_us: 20_000, ..both };
    assert_eq!(schedule.sayable().fates().values().collect::<Vec<_>>(), [&Fate::Once(damaged)]);
}

#[test]
fn delays_are_lowered_to_the_least_that_fails() {
    let (mut schedule, ..) = schedule(&[(0, Fate::Once(Delivery::whole(900_000))), (1, Fate::Lost(LossCause::Random))]);
    let mut fails = |schedule: &Schedule| match schedule.fates().get(&key(Direction::ServerToClient, 0)) {
        Some(Fate::Once(copy)) if copy.delay_us >= 123_456 => Some(None),
        _ => None,
    };
    schedule.minimise(&mut fails, &mut None);
    assert_eq!(schedule.fates().values().collect::<Vec<_>>(), [&Fate::Once(Delivery::whole(124_000))]);
}
