//! The reference passes, every mutant is caught at its requirement, every variant passes: over a network that loses,
//! repeats and reorders, without the runner.

use kit::{Command, Finding, HostId, Knowledge, Replacement, Role, Time};
use sim::{Link, Network};
use skeleton::PROTOCOL;
use skeleton::state::{MODEL, X, Y};
use skeleton::verbs::VERB_ACKNOWLEDGE;
use std::collections::BTreeSet;
use testkit::session::{hosts, simulate};

const CLIENT: HostId = HostId(1);

/// Entity 1 moves all the time, 2 comes and goes; the client leaves and comes back.
fn commands() -> Vec<(Time, HostId, Command)> {
    let mut commands = vec![(Time::ZERO, CLIENT, Command::Connect)];
    let mut server = |ms, command| commands.push((Time::from_ms(ms), HostId::SERVER, command));
    server(0, Command::Spawn { entity: 1 });
    server(0, Command::Set { entity: 1, field: MODEL, value: 4 });
    for step in 0..100 {
        let ms = 40 * step;
        server(ms, Command::Set { entity: 1, field: X, value: 300 + step as i32 });
        server(ms, Command::Set { entity: 1, field: Y, value: -(step as i32) });
        match step % 20 {
            5 => server(ms, Command::Spawn { entity: 2 }),
            15 => server(ms, Command::Remove { entity: 2 }),
            _ => {}
        }
    }
    commands.push((Time::from_ms(2_000), CLIENT, Command::Disconnect));
    commands.push((Time::from_ms(2_100), CLIENT, Command::Connect));
    commands.sort_by_key(|(at, ..)| *at);
    commands
}

/// What the oracle finds in a session of five seconds, and which requirements it covered.
fn judged(
    replacement: Option<Replacement>,
    knowledge: Knowledge,
    seed: u64,
    commands: Vec<(Time, HostId, Command)>,
) -> (Vec<Finding>, BTreeSet<&'static str>) {
    let setup = kit::Setup { knowledge, ..testkit::setup(&PROTOCOL, 0, &[]) };
    let link = Link {
        latency_us: 30_000,
        loss_ppm: 200_000,
        duplicate_ppm: 50_000,
        duplicate_us: 90_000,
        reorder_ppm: 200_000,
        reorder_us: 130_000,
        ..Link::default()
    };
    let mut oracle = (PROTOCOL.oracle)(&setup);
    let network = Network::uniform(seed, 1, &link);
    let until = Time::from_ms(5_000);
    let outcome = simulate(hosts(&PROTOCOL, &setup, replacement), &network, commands, until, oracle.as_mut());
    assert_eq!(outcome.halted, None);
    oracle.finish(outcome.end);
    (oracle.findings().to_vec(), oracle.covered().iter().map(|requirement| requirement.id).collect())
}

#[test]
fn the_reference_passes_and_covers_every_requirement() {
    for seed in 1..20 {
        let (findings, covered) = judged(None, Knowledge::World, seed, commands());
        assert!(findings.is_empty(), "{findings:?}");
        let musts = PROTOCOL.requirements.iter().filter(|requirement| requirement.level.is_must());
        assert_eq!(covered, musts.map(|requirement| requirement.id).collect());
    }
}

#[test]
fn every_obligation_has_a_mutant_for_each_role_and_it_is_caught_there() {
    for requirement in PROTOCOL.requirements.iter().filter(|requirement| requirement.level.is_must()) {
        for role in [Role::Server, Role::Client].into_iter().filter(|role| requirement.role.binds(*role)) {
            let mut mutants = PROTOCOL.mutants();
            let mutant = mutants.find(|mutant| mutant.caught_by == *requirement && mutant.replacement.role == role);
            let mutant = mutant.unwrap_or_else(|| panic!("no mutant violates {} ({role})", requirement.id));
            let (findings, _) = judged(Some(mutant.replacement), Knowledge::World, 1, commands());
            let side = |finding: &&Finding| (finding.host == HostId::SERVER) == (role == Role::Server);
            let caught = findings.iter().filter(side).any(|finding| finding.suspects.contains(requirement));
            assert!(caught, "{mutant:?}: {findings:?}");
        }
    }
}

#[test]
fn every_obligation_is_cited_once_where_it_is_fulfilled() {
    testkit::citations::check(&[concat!(env!("CARGO_MANIFEST_DIR"), "/src")], PROTOCOL.requirements, &[]);
}

#[test]
fn every_variant_passes() {
    for variant in PROTOCOL.variants() {
        let (findings, _) = judged(Some(variant.replacement), Knowledge::World, 1, commands());
        assert!(findings.is_empty(), "{variant:?}: {findings:?}");
    }
}

#[test]
fn an_oracle_that_knows_the_wire_alone_finds_nothing_in_the_reference() {
    let (findings, covered) = judged(None, Knowledge::Wire, 1, commands());
    assert!(findings.is_empty() && !covered.contains("SKL-DELTA-01"), "{findings:?}");
}

#[test]
fn a_client_that_the_scenario_tells_to_misbehave_is_not_to_blame() {
    let mut commands = commands();
    for ahead in [-1, 1, 40] {
        let args = [ahead, 0, 0, 0];
        commands.push((Time::from_ms(1_000), CLIENT, Command::Verb { verb: VERB_ACKNOWLEDGE, args }));
    }
    commands.sort_by_key(|(at, ..)| *at);
    let (findings, _) = judged(None, Knowledge::World, 1, commands);
    assert!(findings.is_empty(), "{findings:?}");
}
