//! Failures of mutants, made smaller.

use super::*;
use crate::candidate::BuiltIn;
use crate::registry::PROTOCOLS;
use crate::scenario::{self, Alteration, load_built_in};
use kit::{Damage, Delivery, Direction, Fate, HostId, LossCause, Role};
use sim::{FateKey, Link};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The first case of a scenario that the program carries along.
fn first_case(id: &str) -> Case {
    let scenarios = load_built_in(|other| other == id).expect("it is read");
    scenarios.iter().find(|scenario| scenario.id == id).map(scenario::cases).expect("it is there").remove(0)
}

/// The first failing run of a mutant in a case of its scenario: `None`, if no seed of it fails.
fn shrunk(protocol: &str, name: &str) -> Shrunk {
    let mut all = BuiltIn::all(PROTOCOLS).filter(|it| it.protocol.name == protocol);
    let mutant = all.find(|it| it.variant.name == name).expect("the mutant is there");
    let scenario = mutant.protocol.mutants().find(|it| it.name == name).expect("it is a mutant").scenario;
    let case = first_case(scenario);
    let candidate = Candidate::BuiltIn(mutant);
    let mut runs = case.seeds().iter().map(|seed| Failed { case: &case, seed: *seed, candidate: Some(&candidate) });
    let shrunk = runs.find_map(|failed| match shrink(failed) {
        Err(Unshrunk::Passes(_)) => None,
        other => Some(other),
    });
    let shrunk = shrunk.expect("a seed fails").unwrap_or_else(|why| panic!("{name}: {why}"));
    // What stands in the file is enough, on its own, for whoever reads it.
    let scenario = scenario::parse("elsewhere", Path::new("elsewhere.yaml"), &shrunk.text).expect("it is a scenario");
    let case = &scenario::cases(&Arc::new(scenario)).remove(0);
    let judgement = Candidate::judge(Some(&candidate), case, case.seeds()[0], Keep::Verdict);
    assert!(shrunk.failure.is_in(case, &judgement).is_some(), "{name}:\n{}", shrunk.text);
    assert!(shrunk.faults <= FEW && shrunk.minimal, "{name}: {} of {}", shrunk.faults, shrunk.faults_before);
    needs_every_fault(&shrunk, &candidate);
    shrunk
}

/// Whatever single fault is taken out of the file, it does not fail in this way any more.
#[track_caller]
fn needs_every_fault(shrunk: &Shrunk, candidate: &Candidate) {
    let text: serde_yaml::Mapping = serde_yaml::from_str(&shrunk.text).expect("it is a mapping");
    let faults = text.get("faults").and_then(|faults| faults.as_sequence()).map_or(0, |faults| faults.len());
    assert_eq!(faults, shrunk.faults);
    for without in 0..faults {
        let mut text = text.clone();
        let faults = text.get_mut("faults").and_then(|faults| faults.as_sequence_mut()).expect("there are faults");
        faults.remove(without);
        let text = serde_yaml::to_string(&text).expect("it is YAML");
        let scenario = scenario::parse("without", Path::new("without.yaml"), &text).expect("it is a scenario");
        let case = &scenario::cases(&Arc::new(scenario)).remove(0);
        let judgement = Candidate::judge(Some(candidate), case, case.seeds()[0], Keep::Verdict);
        assert!(shrunk.failure.is_in(case, &judgement).is_none(), "without fault {without}:\n{}", shrunk.text);
    }
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
const SOME: [(&str, &str); 9] = [
    ("fte", "asks-once"),
    ("fte", "one-challenge"),
    ("fte", "acks-cumulative"),
    ("fte", "second-reset-not-logged"),
    ("fitz666", "client-silent-on-duplicates"),
    ("nvs", "asks-once"),
    ("r1q2", "answers-connects-once"),
    ("pygg2", "last-arrival-wins"),
    ("pygg2", "believes-any-acknowledgement"),
];

#[test]
fn what_needs_a_long_silence_is_two_outages_that_are_no_longer_than_they_must_be() {
    let shrunk = shrunk("pygg2", "misses-no-server");
    assert_eq!(shrunk.faults, 2, "{}", shrunk.text);
    // Ten seconds of what the server sends, and of what the client sends, which is more.
    assert!((495..=505).contains(&shrunk.datagrams_met), "{}", shrunk.text);
}

#[test]
fn what_happens_to_a_host_itself_is_kept_and_one_fault() {
    let failure = Failure::Violation {
        check: "",
        requirement: crate::registry::PROTOCOLS[0].requirements[0],
        role: Role::Client,
    };
    for (name, count) in [("fitz666/pause-client", 1), ("fte/rebind", 2)] {
        let case = first_case(name);
        let seed = case.seeds()[0];
        let first = Candidate::judge(None, &case, seed, Keep::Fates);
        let failed = Failed { case: &case, seed, candidate: None };
        let mut trial = Trial::new(failed, &failure, BUDGET);
        let document = Document::of(&case, seed, None).expect("it is read again");
        assert_eq!(document.standstills(), count);
        let schedule = Schedule::of(&first.fates, &case.network(seed).links);
        let again = trial.case(&document, &Faults::Single(schedule)).expect("it is a scenario");
        let judgement = trial.judge(&again, Keep::Verdict).expect("no end panics");
        assert_eq!(judgement.trace_hash, first.trace_hash);
    }
}

#[test]
fn a_run_is_done_again_from_what_became_of_its_datagrams_whatever_its_network_did() {
    for name in [
        "fte/network-dsl",
        "fte/network-lan-party",
        "fte/pause-client",
        "fte/rebind",
        "fte/restart-client",
        "fte/swarm",
        "fitz666/clocks",
        "fitz666/link-spikes",
        "nvs/clocks",
        "pygg2/network-4g",
        "r1q2/network-congested",
        "r1q2/pause-client",
    ] {
        let case = first_case(name);
        let first = Candidate::judge(None, &case, 7, Keep::Fates);
        let alteration = Alteration { fates: Some(Arc::new(first.fates)), ..Alteration::default() };
        let again = Candidate::judge(None, &Case { alteration, ..case }, 7, Keep::Verdict);
        assert_eq!(again.trace_hash, first.trace_hash, "{name}");
    }
}

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
fn faults_are_said_by_the_places_of_their_datagrams() {
    let lost = Fate::Lost(LossCause::Script);
    let twice = Fate::Twice(Delivery::whole(20_000), Delivery::whole(50_000));
    let (schedule, fates, links) = schedule(&[(0, IN_TIME), (7, lost), (9, lost), (10, IN_TIME), (40, twice)]);
    let said = schedule.said(&fates, &links).expect("all can be said");
    let said: Vec<_> = said.iter().map(|said| (said.index, said.action)).collect();
    use sim::Action::{Drop, Duplicate};
    assert_eq!(said, [((1, 1), Drop), ((2, 2), Drop), ((4, 4), Duplicate { after_us: 30_000 })]);
}

#[test]
fn what_no_scenario_can_say_is_reported_and_can_be_made_sayable() {
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
