//! The state machine test: a server and three clients under whatever a network and a game can do.
//!
//! `PROPTEST_CASES=100000 cargo test -p deltaproof-nvs --test it machine` explores further; `PROPTEST_RNG_SEED` elsewhere.

use crate::pair::{Agreement, Build, CLIENTS, Fault, Operation, Pair};
use proptest::prelude::*;
use proptest_state_machine::ReferenceStateMachine;
use testkit::explore::{self, Counterexample};
use testkit::wire::End;

/// Operations in one case.
const LENGTH: std::ops::Range<usize> = 1..50;

/// Draws operations; all of them make sense at any time.
struct Reference;

impl ReferenceStateMachine for Reference {
    type State = Agreement;
    type Transition = Operation;

    fn init_state() -> BoxedStrategy<Agreement> {
        let maximum =
            || prop_oneof![1 => Just(None), 4 => prop::sample::select(vec![0, 49, 50, 75, 99]).prop_map(Some)];
        let progs = prop_oneof![1 => Just(0), 1 => Just(49), 4 => prop::sample::select(vec![50, 75, 99])];
        (progs, [maximum(), maximum(), maximum()]).prop_map(|(progs, maxima)| Agreement { progs, maxima }).boxed()
    }

    fn transitions(_: &Agreement) -> BoxedStrategy<Operation> {
        let client = || 0..CLIENTS;
        let end = || prop_oneof![Just(End::Client), Just(End::Server)];
        prop_oneof![
            4 => Just(Operation::All),
            3 => client().prop_map(Operation::One),
            3 => Just(Operation::Broadcast),
            2 => Just(Operation::PrintAll),
            2 => client().prop_map(Operation::PrintOne),
            2 => (client(), -180..180i16).prop_map(|(client, degrees)| Operation::Turn(client, degrees)),
            1 => (client(), -180..180i16).prop_map(|(client, degrees)| Operation::Look(client, degrees)),
            1 => client().prop_map(Operation::Ask),
            2 => Just(Operation::Map),
            8 => Just(Operation::Tick),
            5 => (client(), end(), 0..4usize).prop_map(|(client, end, nth)| Operation::Deliver(client, end, nth)),
            2 => (client(), end(), 0..4usize).prop_map(|(client, end, nth)| Operation::Duplicate(client, end, nth)),
            3 => (client(), end(), 0..4usize).prop_map(|(client, end, nth)| Operation::Lose(client, end, nth)),
            8 => Just(Operation::Round),
            1 => (1..30u8).prop_map(Operation::Outage),
            1 => Just(Operation::Settle),
        ]
        .boxed()
    }

    fn apply(agreement: Agreement, _: &Operation) -> Agreement {
        agreement
    }
}

/// Whether a server brings its clients through a case.
fn run(server: Build, agreement: Agreement, operations: &mut dyn Iterator<Item = &Operation>) -> Result<(), Fault> {
    let mut pair = Pair::new(agreement, server)?;
    for operation in operations {
        pair.apply(operation)?;
    }
    pair.settle()
}

/// Runs cases with a server; the counterexample, if there is one.
fn explore(server: Build, cases: u32) -> Result<(), Counterexample<Agreement, Operation>> {
    explore::explore::<Reference>(LENGTH, cases, 5_000, |agreement, operations| run(server, agreement, operations))
}

#[test]
fn every_client_reads_every_byte_and_gets_what_is_reliable_once_and_in_order() {
    if let Err(counterexample) = explore(nvs::PROTOCOL.server, 256) {
        panic!("{counterexample}");
    }
}

/// A mutant is caught, and the case shrinks to a few operations.
fn check_broken(name: &str, at_most: usize) {
    let mut mutants = nvs::mutants::MUTANTS.iter().copied().flatten();
    let mutant = mutants.find(|mutant| mutant.name == name).expect("a mutant");
    let Err(counterexample) = explore(mutant.replacement.build, 1024) else { panic!("{name} is not caught") };
    assert!(counterexample.operations.len() <= at_most, "{counterexample}");
}

#[test]
fn a_server_that_writes_new_forms_before_the_sign_on_data_is_caught() {
    check_broken("new-form-at-once", 12);
}

#[test]
fn a_server_that_keeps_versions_over_levels_is_caught() {
    check_broken("keeps-versions", 6);
}

#[test]
fn a_server_whose_mods_must_care_for_old_clients_is_caught() {
    check_broken("holds-nothing-back", 0);
}

#[test]
fn a_server_that_prepares_once_per_frame_is_caught() {
    check_broken("prepared-once", 3);
}

#[test]
fn a_server_that_sends_what_is_for_one_to_all_is_caught() {
    check_broken("one-is-all", 1);
}

#[test]
fn a_server_that_repeats_broadcasts_is_caught() {
    check_broken("repeats-the-last-frame", 6);
}

#[test]
fn a_server_that_reads_moves_by_the_wrong_version_is_caught() {
    check_broken("moves-read-by-executable", 0);
}

/// These operations go well, and as well between clients of other versions.
fn check_case(operations: &[Operation]) {
    for maxima in [[Some(99), Some(0), None], [Some(50), Some(99), Some(49)]] {
        let agreement = Agreement { progs: 50, maxima };
        assert_eq!(run(nvs::PROTOCOL.server, agreement, &mut operations.iter()), Ok(()), "{agreement:?}");
    }
}

#[test]
fn requests_in_the_game_change_no_form() {
    use Operation::*;
    check_case(&[Request(0, 0), Tick, All, Broadcast, Round, Request(1, 99), One(1), Round, Turn(0, 90), Round]);
}

#[test]
fn a_level_that_ends_while_clients_sign_on_leaves_nothing_behind() {
    use Operation::*;
    check_case(&[Map, All, Tick, Deliver(0, End::Client, 0), Tick, Map, All, Round, PrintAll, Map, One(0), Tick, All]);
}
