//! The state machine test: a server and three clients under whatever a network and a game can do.
//!
//! `PROPTEST_CASES=100000 cargo test -p pygg2 --test it machine` explores further; `PROPTEST_RNG_SEED` elsewhere.

use crate::pair::{Agreement, BOTS, CLIENTS, Fault, Operation, Pair};
use proptest::prelude::*;
use proptest_state_machine::ReferenceStateMachine;
use pygg2::rules::*;
use pygg2::serial::greater;
use pygg2::state::*;
use testkit::explore::{self, Counterexample};
use testkit::wire::End;

/// Operations in one case.
const LENGTH: std::ops::Range<usize> = 1..80;

/// Draws operations; all of them make sense at any time.
struct Reference;

/// A change of something: what events are made of most often.
fn change() -> impl Strategy<Value = Operation> {
    let player = || 0..CLIENTS as u32 + BOTS;
    let field = prop_oneof![
        4 => (Just(ALIVE), 0..2i32),
        2 => (Just(CLASS), 0..10i32),
        2 => (Just(TEAM), 0..3i32),
        2 => (Just(X), any::<i32>().prop_map(|x| x & i32::MAX)),
        2 => (Just(HSPEED), -0x8000..0x8000i32),
        1 => (Just(UBERCHARGE), 0..0x10000i32),
        1 => (AFTERBURN..=STICKIES, 0..256i32),
        1 => (HP..=AMMO, 0..256i32),
        1 => (Just(CLOAKED), 0..2i32),
    ];
    (player(), field).prop_map(|(player, (field, value))| Operation::Set(player, field, value))
}

impl ReferenceStateMachine for Reference {
    type State = Agreement;
    type Transition = Operation;

    fn init_state() -> BoxedStrategy<Agreement> {
        let first = || prop_oneof![1 => Just(1), 2 => 65_480..=65_535u16, 1 => Just(0), 1 => 32_700..=32_800u16];
        (first(), first(), any::<bool>(), 0..3usize)
            .prop_map(|(first, first_client, class_fields, extras)| Agreement {
                first,
                first_client,
                class_fields,
                extras,
            })
            .boxed()
    }

    fn transitions(_: &Agreement) -> BoxedStrategy<Operation> {
        let client = || 0..CLIENTS;
        let end = || prop_oneof![Just(End::Client), Just(End::Server)];
        prop_oneof![
            4 => client().prop_map(Operation::Join),
            1 => client().prop_map(Operation::Leave),
            4 => (0..BOTS).prop_map(Operation::Bot),
            12 => change(),
            2 => (client(), 0..12i32).prop_map(|(client, class)| Operation::ChangeClass(client, class)),
            2 => client().prop_map(Operation::Jump),
            2 => (client(), 0..32i32, 0..0x10000i32).prop_map(|(client, keys, aim)| Operation::Input(client, keys, aim)),
            1 => Just(Operation::CompleteUpdate),
            8 => Just(Operation::Tick),
            5 => (client(), end(), 0..4usize).prop_map(|(client, end, nth)| Operation::Deliver(client, end, nth)),
            2 => (client(), end(), 0..4usize).prop_map(|(client, end, nth)| Operation::Duplicate(client, end, nth)),
            3 => (client(), end(), 0..4usize).prop_map(|(client, end, nth)| Operation::Lose(client, end, nth)),
            8 => Just(Operation::Round),
            1 => (1..50u8).prop_map(Operation::Outage),
            1 => Just(Operation::Settle),
        ]
        .boxed()
    }

    fn apply(agreement: Agreement, _: &Operation) -> Agreement {
        agreement
    }
}

/// Whether ends that follow `rules` come through a case.
fn run(rules: Rules, agreement: Agreement, operations: &mut dyn Iterator<Item = &Operation>) -> Result<(), Fault> {
    let mut pair = Pair::new(agreement, rules);
    for operation in operations {
        pair.apply(operation)?;
    }
    pair.settle()
}

/// Runs cases with ends that follow `rules`; the counterexample, if there is one.
fn explore(rules: Rules, cases: u32) -> Result<(), Counterexample<Agreement, Operation>> {
    explore::explore::<Reference>(LENGTH, cases, 5_000, |agreement, operations| run(rules, agreement, operations))
}

/// Also: soon after the network is well, everybody has everything.
#[test]
fn clients_show_what_the_server_showed_and_apply_each_event_once_and_in_order() {
    if let Err(counterexample) = explore(Rules::REFERENCE, 256) {
        panic!("{counterexample}");
    }
}

/// With one snapshot kept, bases are missing at times: what cannot be applied has no effect, and the next absolute one
/// repairs it, when the base has grown old.
#[test]
fn events_are_applied_once_and_in_order_by_a_client_that_keeps_one_snapshot() {
    let rules = Rules::of_client(ClientRules { most_buffered: 1, ..ClientRules::REFERENCE });
    for ticks in [1, 2, 5, 33, 40] {
        let mut pair = Pair::new(Agreement::PLAIN, rules);
        let script = [Operation::Join(0), Operation::Round, Operation::Round, Operation::Bot(0)];
        let unlucky = [Operation::Tick, Operation::Deliver(0, End::Client, 0), Operation::Outage(ticks)];
        for operation in script.into_iter().chain(unlucky) {
            assert_eq!(pair.apply(&operation), Ok(()), "{ticks} {operation:?}");
        }
        let repaired = (0..40).any(|_| pair.apply(&Operation::Round).is_ok() && pair.settled().is_ok());
        assert!(repaired, "{ticks}: {:?}", pair.settled());
    }
}

/// Ends that break a rule are caught, and the case shrinks to a few operations.
#[track_caller]
fn check_broken(rules: Rules, at_most: usize) {
    let Err(counterexample) = explore(rules, 2048) else { panic!("passes for conforming: {rules:?}") };
    assert!(counterexample.operations.len() <= at_most, "{counterexample}");
}

fn check_broken_client(client: ClientRules, at_most: usize) {
    check_broken(Rules::of_client(client), at_most);
}

fn check_broken_server(server: ServerRules, at_most: usize) {
    check_broken(Rules::of_server(server), at_most);
}

const CLIENT: ClientRules = ClientRules::REFERENCE;
const SERVER: ServerRules = ServerRules::REFERENCE;

#[test]
fn plain_comparison_of_numbers_is_caught() {
    check_broken_client(ClientRules { newer: greater, ..CLIENT }, 8);
    check_broken_client(ClientRules { event_newer: greater, ..CLIENT }, 8);
    check_broken_server(ServerRules { newer: greater, ..SERVER }, 8);
    check_broken_server(ServerRules { event_newer: greater, ..SERVER }, 20);
}

#[test]
fn a_client_that_acknowledges_what_it_cannot_apply_is_caught() {
    check_broken_client(ClientRules { baseless: Baseless::Acknowledged, most_buffered: 1, ..CLIENT }, 12);
}

#[test]
fn a_client_that_takes_late_packets_is_caught() {
    check_broken_client(ClientRules { late: Late::Taken, ..CLIENT }, 8);
    check_broken_client(ClientRules { applies_once: false, ..CLIENT }, 4);
}

#[test]
fn a_client_that_applies_snapshots_before_events_is_caught() {
    check_broken_client(ClientRules { events_first: false, ..CLIENT }, 8);
}

#[test]
fn a_player_who_came_while_packets_were_lost_is_shown_whole() {
    use Operation::*;
    let operations = [Join(0), Round, Round, Bot(0), Set(3, X, 9), Outage(1), Round, Settle];
    assert_eq!(run(Rules::REFERENCE, Agreement::PLAIN, &mut operations.iter()), Ok(()));
    let rules = Rules::of_client(ClientRules { events_first: false, ..CLIENT });
    assert!(run(rules, Agreement::PLAIN, &mut operations.iter()).is_err());
}

#[test]
fn ends_that_say_their_events_once_are_caught() {
    check_broken_client(ClientRules { repeats_events: false, ..CLIENT }, 8);
    check_broken_server(ServerRules { repeats: Repeats::None, ..SERVER }, 8);
}

#[test]
fn a_server_that_forgets_too_much_is_caught() {
    check_broken_server(ServerRules { forgotten: Forgotten::All, ..SERVER }, 12);
    check_broken_server(ServerRules { forgotten: Forgotten::ByAnybody, ..SERVER }, 12);
}

#[test]
fn a_server_that_uses_bases_which_nobody_acknowledged_is_caught() {
    check_broken_server(ServerRules { base: BaseRule::LastSent, ..SERVER }, 8);
}
