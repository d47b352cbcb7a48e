//! The state machine test: a server and a client under whatever a network and a world can do.
//!
//! `PROPTEST_CASES=100000 cargo test -p deltaproof-fte --test it machine` explores further; `PROPTEST_RNG_SEED` elsewhere.

use crate::model::operation::Setting;
use crate::model::pair::Fault;
use crate::model::world::{NUMBERS, STATS};
use crate::model::{Agreement, End, Operation, Pair, World};
use crate::round_trip::any_value;
use fte::mutants::{forget_oldest, log_flags, log_updates};
use fte::rules::Rules;
use fte::sender::history::fold_oldest;
use fte::state::{FIELDS, UF_RESET};
use proptest::prelude::*;
use proptest_state_machine::ReferenceStateMachine;
use testkit::explore::{self, Counterexample};

/// Operations in one case.
const LENGTH: std::ops::Range<usize> = 1..60;

/// Draws operations that make sense in the world.
struct Reference;

impl ReferenceStateMachine for Reference {
    type State = World;
    type Transition = Operation;

    fn init_state() -> BoxedStrategy<World> {
        (any::<[bool; 3]>(), prop::sample::select(vec![1024, 256]))
            .prop_map(|([quakeworld, predinfo, floatcoords], datagram_limit)| {
                World::new(Agreement { quakeworld, predinfo, floatcoords, datagram_limit })
            })
            .boxed()
    }

    fn transitions(_: &World) -> BoxedStrategy<Operation> {
        let number = || prop::sample::select(NUMBERS.to_vec());
        let end = || prop_oneof![Just(End::Client), Just(End::Server)];
        let setting =
            (0..FIELDS).prop_flat_map(|field| any_value(field).prop_map(move |value| Setting { field, value }));
        let stat = (prop::sample::select(STATS.to_vec()), prop_oneof![0..=3, 255..=257, any::<i32>()]);
        prop_oneof![
            4 => number().prop_map(Operation::Spawn),
            8 => (number(), setting).prop_map(|(number, setting)| Operation::Set(number, setting)),
            3 => number().prop_map(Operation::Remove),
            2 => stat.prop_map(|(stat, value)| Operation::Stat(stat, value)),
            1 => Just(Operation::Map),
            1 => Just(Operation::AskReset),
            1 => (1..4u8).prop_map(Operation::Nops),
            8 => Just(Operation::Tick),
            4 => (end(), 0..4usize).prop_map(|(end, nth)| Operation::Deliver(end, nth)),
            2 => (end(), 0..4usize).prop_map(|(end, nth)| Operation::Duplicate(end, nth)),
            3 => (end(), 0..4usize).prop_map(|(end, nth)| Operation::Lose(end, nth)),
            8 => Just(Operation::Round),
            1 => (end(), 1..130u32).prop_map(|(end, ticks)| Operation::OneWayOutage(end, ticks)),
            1 => prop_oneof![1..10u32, 60..70u32, 120..135u32].prop_map(Operation::Outage),
            1 => Just(Operation::Settle),
        ]
        .boxed()
    }

    fn apply(mut world: World, operation: &Operation) -> World {
        world.apply(operation);
        world
    }

    fn preconditions(world: &World, operation: &Operation) -> bool {
        world.allows(operation)
    }
}

/// Whether a server that follows `rules` brings its client through a case.
fn run(rules: Rules, mut world: World, operations: &mut dyn Iterator<Item = &Operation>) -> Result<(), Fault> {
    let mut pair = Pair::new(world.agreement, rules)?;
    for operation in operations {
        if world.allows(operation) {
            world.apply(operation);
            pair.apply(operation, &world)?;
        }
    }
    pair.settle(&world)
}

/// Runs cases with a server that follows `rules`; the counterexample, if there is one.
fn explore(rules: Rules, cases: u32) -> Result<(), Counterexample<World, Operation>> {
    explore::explore::<Reference>(LENGTH, cases, 20_000, |world, operations| run(rules, world, operations))
}

#[test]
fn what_the_client_holds_differs_only_where_the_newest_carrier_is_lost_and_converges() {
    if let Err(counterexample) = explore(Rules::REFERENCE, 1024) {
        panic!("{counterexample}");
    }
}

#[test]
fn a_server_that_folds_what_history_cannot_hold_converges_too() {
    if let Err(counterexample) = explore(Rules { make_room: fold_oldest, ..Rules::REFERENCE }, 256) {
        panic!("{counterexample}");
    }
}

/// A case that shrank has no more operations: those drawn have up to [`LENGTH`]. Where shrinking ends depends on the draw.
const FEW: usize = 8;

/// A server that breaks a rule does not bring its client to the truth, and the case shrinks to a few operations.
fn check_broken(rules: Rules) {
    let Err(counterexample) = explore(rules, 4096) else { panic!("passes for conforming: {rules:?}") };
    assert!(counterexample.why.contains("losses stopped long ago"), "{counterexample}");
    assert!(counterexample.operations.len() <= FEW, "{counterexample}");
}

#[test]
fn a_server_that_forgets_what_history_cannot_hold_is_caught() {
    check_broken(Rules { make_room: forget_oldest, ..Rules::REFERENCE });
}

#[test]
fn a_server_that_does_not_log_resets_is_caught() {
    check_broken(Rules { log: log_flags::<{ !(UF_RESET as u32) }>, ..Rules::REFERENCE });
}

#[test]
fn a_server_that_does_not_log_removes_is_caught() {
    check_broken(Rules { log: log_updates, ..Rules::REFERENCE });
}

#[test]
fn a_server_that_does_not_log_fields_is_caught() {
    check_broken(Rules { log: log_flags::<{ UF_RESET as u32 }>, ..Rules::REFERENCE });
}

/// These operations go well under every agreement of this transport.
fn check_case(quakeworld: bool, operations: &[Operation]) {
    for predinfo in [false, true] {
        let agreement = Agreement { quakeworld, predinfo, floatcoords: false, datagram_limit: 1024 };
        let outcome = run(Rules::REFERENCE, World::new(agreement), &mut operations.iter());
        assert_eq!(outcome, Ok(()), "{agreement:?}");
    }
}

#[test]
fn a_frame_of_the_map_before_that_comes_late_leaves_nothing_behind() {
    use Operation::*;
    let late = [
        Spawn(1),
        Stat(0, 7),
        Tick,
        Map,
        // The frame stays under way; the reliable messages after it, and the answers to them, arrive.
        Lose(End::Server, 0),
        Deliver(End::Client, 1),
        Deliver(End::Server, 0),
        Deliver(End::Client, 1),
        Stat(0, 0),
        Deliver(End::Client, 0),
    ];
    check_case(false, &late);
}
