//! The state machine test: a server and three clients under whatever a network and a game can do.
//!
//! `PROPTEST_CASES=100000 cargo test -p deltaproof-pygg2 --test it machine` explores further; `PROPTEST_RNG_SEED` elsewhere.

use crate::pair::{Agreement, BOTS, CLIENTS, Fault, Operation, Pair};
use proptest::prelude::*;
use proptest_state_machine::ReferenceStateMachine;
use pygg2::client::rules::*;
use pygg2::latitude::Latitude;
use pygg2::mutants::Rules;
use pygg2::rules::*;
use pygg2::serial::greater;
use pygg2::session::rules::*;
use pygg2::session::{Occasion, Pending, Session, keeps};
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
    for ticks in [1, 2, 5, 33, 40] {
        let mut pair = Pair::new(Agreement::PLAIN, KEEPS_ONE);
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

#[track_caller]
fn check_broken_client(change: impl Fn(&mut ClientRules), at_most: usize) {
    let mut rules = Rules::REFERENCE;
    change(&mut rules.client);
    check_broken(rules, at_most);
}

#[track_caller]
fn check_broken_server(change: impl Fn(&mut ServerRules), at_most: usize) {
    let mut rules = Rules::REFERENCE;
    change(&mut rules.server);
    check_broken(rules, at_most);
}

const KEEPS_ONE: Rules = Rules { latitude: Latitude { buffered: 1, ..Latitude::NONE }, ..Rules::REFERENCE };

const ANY: Newer = |_, _| true;

#[test]
fn plain_comparison_of_numbers_is_caught() {
    check_broken_client(|rules| rules.newer = greater, 8);
    check_broken_client(|rules| rules.event_newer = greater, 8);
    check_broken_server(|rules| rules.newer = greater, 8);
    let keeps: fn(&Pending, Occasion) -> bool = |pending, occasion| match occasion {
        Occasion::Acked(ack) => pending.created.is_none_or(|created| greater(created, ack)),
        _ => true,
    };
    check_broken_server(|rules| rules.keeps = keeps, 20);
}

#[test]
fn a_client_that_acknowledges_what_it_cannot_apply_is_caught() {
    let mut rules = KEEPS_ONE;
    rules.client.without_base = Taken::Number;
    check_broken(rules, 12);
}

#[test]
fn a_client_that_takes_late_packets_is_caught() {
    check_broken_client(|rules| rules.newer = ANY, 8);
    check_broken_client(|rules| rules.event_newer = ANY, 4);
}

#[test]
fn a_client_that_applies_snapshots_before_events_is_caught() {
    check_broken_client(|rules| rules.events_first = false, 8);
}

#[test]
fn a_player_who_came_while_packets_were_lost_is_shown_whole() {
    use Operation::*;
    let operations = [Join(0), Round, Round, Bot(0), Set(3, X, 9), Outage(1), Round, Settle];
    assert_eq!(run(Rules::REFERENCE, Agreement::PLAIN, &mut operations.iter()), Ok(()));
    let mut rules = Rules::REFERENCE;
    rules.client.events_first = false;
    assert!(run(rules, Agreement::PLAIN, &mut operations.iter()).is_err());
}

#[test]
fn a_server_that_forgets_too_much_is_caught() {
    let wrong = |rules: &mut ServerRules, keeps: fn(&Pending, Occasion) -> bool| rules.keeps = keeps;
    let on_ack = |pending: &Pending, occasion| pending.created.is_none() || !matches!(occasion, Occasion::Acked(_));
    check_broken_server(|rules| wrong(rules, on_ack), 12);
    let on_another = |pending: &Pending, occasion| match occasion {
        Occasion::AnotherAcked => pending.created.is_none(),
        _ => keeps(pending, occasion),
    };
    check_broken_server(|rules| wrong(rules, on_another), 12);
    let on_sending = |pending: &Pending, occasion| pending.created.is_none() || !matches!(occasion, Occasion::Sent);
    check_broken_server(|rules| wrong(rules, on_sending), 8);
}

#[test]
fn a_server_that_uses_bases_which_nobody_acknowledged_is_caught() {
    let last: fn(&Session, u16) -> Option<NumberedSnapshot<'_>> = |session, _| session.ring.newest();
    check_broken_server(|rules| rules.base = last, 8);
}
