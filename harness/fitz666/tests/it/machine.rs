//! The state machine test: a server and a client under whatever a network and a world can do.
//!
//! Every datagram with a time is complete: whichever arrived last, the client shows the world as it was when that was sent,
//! and nothing of any other. `PROPTEST_CASES=100000 cargo test -p deltaproof-fitz666 --test it machine` explores further.

use fitz666::client::Client;
use fitz666::game::rules::ClientRules;
use fitz666::server::Server;
use fitz666::session::rules::ServerRules;
use fitz666::state::*;
use fitz666::{PROTOCOL, alpha, options};
use kit::table::{float_bits, float_value};
use kit::{Command, Endpoint, HostId, PeerId, Reader, Setup, StatValue, Time, View};
use netquake::Packet;
use proptest::prelude::*;
use proptest_state_machine::ReferenceStateMachine;
use std::collections::BTreeMap;
use testkit::explore::{self, Counterexample};
use testkit::wire::Wire;

/// Operations in one case.
const LENGTH: std::ops::Range<usize> = 1..60;
/// Entities: the player's own, another with a baseline, and numbers around those of two bytes.
const NUMBERS: [u32; 6] = [1, 2, 255, 256, 300, 8192];
/// The entity with a baseline that no update of protocol 15 could carry.
const WITH_BASELINE: u32 = 2;
/// Statistics that clientdata carries, with and without a high byte.
const STATS: [u8; 7] = [STAT_HEALTH, STAT_WEAPON, STAT_AMMO, STAT_ARMOR, STAT_WEAPONFRAME, STAT_SHELLS, STAT_ITEMS];
/// Time between ticks of both ends, in microseconds: the options' default.
const TICK_US: u64 = 50_000;
/// Rounds after which nothing may be left of a loss: repetitions of a sign-on come a second apart.
const SETTLE_ROUNDS: usize = 160;
/// Answers within one round.
const MAX_EXCHANGES: usize = 64;

/// One thing that happens.
#[derive(Clone, Debug)]
enum Operation {
    Spawn(u32),
    Set(u32, usize, i32),
    Remove(u32),
    Stat(u8, i32),
    Map,
    /// Both ends act on the time; what they send is under way.
    Tick,
    /// A datagram under way arrives at the client (or the server): the first, or one after it, which overtakes.
    Deliver(bool, usize),
    /// The same, and it stays under way.
    Duplicate(bool, usize),
    Lose(bool, usize),
    /// A tick, and everything under way arrives in order, answers included.
    Round,
    /// So many ticks in which nothing arrives.
    Outage(u32),
    /// Losses stop and the world stands still, until the client must show what there is.
    Settle,
}

/// What there is.
#[derive(Clone, Debug, PartialEq)]
struct Truth {
    live: BTreeMap<u32, Entity>,
    stats: BTreeMap<u8, i32>,
}

/// The baseline of [`WITH_BASELINE`].
fn baseline() -> Entity {
    let mut state = Entity::NULL;
    (state[MODEL], state[FRAME], state[SKIN]) = (300, 513, 7);
    (state[ALPHA], state[YAW], state[ORIGIN_Z]) = (float_bits(0.5), float_bits(90.0), float_bits(-24.0));
    state
}

impl Truth {
    fn new() -> Truth {
        Truth { live: BTreeMap::new(), stats: BTreeMap::new() }
    }

    fn apply(&mut self, operation: &Operation) {
        match *operation {
            Operation::Spawn(number) => {
                let state = if number == WITH_BASELINE { baseline() } else { Entity::NULL };
                self.live.insert(number, state);
            }
            Operation::Set(number, field, value) => {
                if let Some(state) = self.live.get_mut(&number) {
                    state[field] = value;
                }
            }
            Operation::Remove(number) => drop(self.live.remove(&number)),
            Operation::Stat(stat, value) => drop(self.stats.insert(stat, value)),
            Operation::Map => self.live.clear(),
            _ => {}
        }
    }

    /// What a client is to see, by number; the player is always there.
    fn seen(&self) -> BTreeMap<u32, Entity> {
        let mut seen: BTreeMap<u32, Entity> = self
            .live
            .iter()
            .filter(|(number, state)| **number == 1 || state[MODEL] != 0)
            .map(|(n, s)| (*n, *s))
            .collect();
        seen.entry(1).or_insert_with(|| {
            let mut player = Entity::NULL;
            (player[MODEL], player[COLORMAP]) = (2, 1);
            player
        });
        seen
    }

    /// Whether a client's view is this.
    fn check(&self, view: &View) -> Result<(), String> {
        let seen = self.seen();
        if !seen.keys().eq(&view.numbers) {
            return Err(format!("the client shows {:?} of {:?}", view.numbers, seen.keys()));
        }
        for ((number, state), shown) in seen.iter().zip(view.fields.chunks(FIELDS)) {
            for field in 0..DERIVED {
                let (there, here) = (float_value(state[field]), float_value(shown[field]));
                let right = match field {
                    // What is within a tenth of a unit of the baseline is not sent; the rest is rounded.
                    ORIGIN_X..=ORIGIN_Z => (there - here).abs() <= 0.1 + 1.0 / 16.0,
                    PITCH..=ROLL => {
                        let apart = (there - here).rem_euclid(360.0);
                        apart.min(360.0 - apart) <= 360.0 / 512.0
                    }
                    ALPHA => alpha::encode(there) == alpha::encode(here),
                    NEXTTHINK => true,
                    _ => state[field] == shown[field],
                };
                if !right {
                    let name = FIELD_TABLE[field].name;
                    return Err(format!(
                        "the client shows {name} {here} ({}) of entity {number}, which has {there} ({})",
                        shown[field], state[field]
                    ));
                }
            }
        }
        for (stat, value) in &self.stats {
            let shown =
                view.stats.iter().find(|(number, _)| number == stat).map_or(StatValue::Int(0), |(_, value)| *value);
            let value = match *stat {
                STAT_HEALTH => i32::from(*value as i16),
                STAT_ITEMS => *value,
                _ => value & 0xffff,
            };
            if shown != StatValue::Int(value) {
                return Err(format!("the client shows {shown:?} of statistic {stat}, which is {value}"));
            }
        }
        Ok(())
    }
}

/// The two machines, and the wire between them.
struct Pair {
    server: Server,
    client: Client,
    now: Time,
    /// Under way to the client and to the server; with what there was when it was sent.
    to_client: Wire<(Vec<u8>, Truth)>,
    to_server: Wire<(Vec<u8>, Truth)>,
    /// The newest unreliable datagram that arrived.
    newest: Option<(u32, Truth)>,
    view: View,
}

impl Pair {
    fn new(server: ServerRules, client: ClientRules, truth: &Truth) -> Result<Pair, String> {
        let setup = Setup::new(&PROTOCOL, &options::PROFILES[0]);
        let mut pair = Pair {
            server: Server::new(&setup, server),
            client: Client::new(&setup.on(HostId(1)), client),
            now: Time::ZERO,
            to_client: Wire::default(),
            to_server: Wire::default(),
            newest: None,
            view: View::default(),
        };
        for (field, &value) in baseline().0.iter().enumerate().take(DERIVED) {
            pair.server.handle_command(pair.now, &Command::Baseline { entity: WITH_BASELINE, field, value });
        }
        pair.client.handle_command(pair.now, &Command::Connect);
        pair.drain(truth);
        pair.settle(truth)?;
        Ok(pair)
    }

    /// Takes what both ends report.
    fn drain(&mut self, truth: &Truth) {
        let mut out = Vec::new();
        let Pair { server, client, now, to_client, to_server, .. } = self;
        let ends: [(&mut dyn Endpoint, _); 2] = [(server, to_client), (client, to_server)];
        for (end, wire) in ends {
            while end.poll_transmit(*now, &mut out).is_some() {
                wire.send((std::mem::take(&mut out), truth.clone()));
            }
            while end.poll_event().is_some() {}
        }
    }

    fn command(&mut self, command: &Command, truth: &Truth) {
        self.server.handle_command(self.now, command);
        self.drain(truth);
    }

    fn tick(&mut self, truth: &Truth) {
        self.now = self.now.after(TICK_US);
        self.server.handle_timeout(self.now);
        self.client.handle_timeout(self.now);
        self.drain(truth);
    }

    /// A datagram arrives.
    fn deliver(&mut self, at_client: bool, nth: usize, stays: bool, truth: &Truth) -> Result<(), String> {
        let wire = if at_client { &mut self.to_client } else { &mut self.to_server };
        let Some((bytes, sent)) = wire.take(nth, stays) else { return Ok(()) };
        if !at_client {
            self.server.handle_datagram(self.now, PeerId::client(1), &bytes);
            self.drain(truth);
            return Ok(());
        }
        self.client.handle_datagram(self.now, PeerId::SERVER, &bytes);
        if let Ok(Packet::Unreliable { sequence, .. }) = Packet::read(&mut Reader::new(&bytes))
            && self.newest.as_ref().is_none_or(|(newest, _)| sequence > *newest)
        {
            self.newest = Some((sequence, sent));
        }
        self.drain(truth);
        self.check()
    }

    /// The client shows the world as the newest datagram that arrived has it.
    fn check(&mut self) -> Result<(), String> {
        self.view.clear();
        self.client.observe(&mut self.view);
        match &self.newest {
            Some((_, truth)) if self.view.valid => truth.check(&self.view),
            _ => Ok(()),
        }
    }

    fn round(&mut self, truth: &Truth) -> Result<(), String> {
        self.tick(truth);
        for _ in 0..MAX_EXCHANGES {
            if self.to_client.is_empty() && self.to_server.is_empty() {
                break;
            }
            self.deliver(true, 0, false, truth)?;
            self.deliver(false, 0, false, truth)?;
        }
        Ok(())
    }

    fn settle(&mut self, truth: &Truth) -> Result<(), String> {
        for _ in 0..SETTLE_ROUNDS {
            self.round(truth)?;
            self.view.clear();
            self.client.observe(&mut self.view);
            if self.view.valid && truth.check(&self.view).is_ok() {
                return Ok(());
            }
        }
        Err(format!("losses stopped long ago, and the client is {} with {:?}", self.view.state, self.view.numbers))
    }

    fn apply(&mut self, operation: &Operation, truth: &Truth) -> Result<(), String> {
        match *operation {
            Operation::Spawn(entity) => self.command(&Command::Spawn { entity }, truth),
            Operation::Set(entity, field, value) => self.command(&Command::Set { entity, field, value }, truth),
            Operation::Remove(entity) => self.command(&Command::Remove { entity }, truth),
            Operation::Stat(stat, value) => {
                self.command(&Command::Stat { client: 1, stat, value: StatValue::Int(value) }, truth);
            }
            Operation::Map => {
                // A datagram of the map before that outlives a whole sign-on is taken for one of the new map: that is the
                // protocol's own weakness, and no fault of either end.
                self.to_client.retain(|(bytes, _)| bytes.get(1).is_none_or(|flags| flags & 0x10 == 0));
                self.command(&Command::Map, truth);
            }
            Operation::Tick => self.tick(truth),
            Operation::Deliver(at_client, nth) => self.deliver(at_client, nth, false, truth)?,
            Operation::Duplicate(at_client, nth) => self.deliver(at_client, nth, true, truth)?,
            Operation::Lose(at_client, nth) => {
                let wire = if at_client { &mut self.to_client } else { &mut self.to_server };
                drop(wire.take(nth, false));
            }
            Operation::Round => self.round(truth)?,
            Operation::Outage(ticks) => (0..ticks).for_each(|_| {
                self.tick(truth);
                self.to_client.clear();
                self.to_server.clear();
            }),
            Operation::Settle => self.settle(truth)?,
        }
        self.check()
    }
}

/// Draws operations that make sense in the world.
struct Reference;

impl ReferenceStateMachine for Reference {
    type State = Truth;
    type Transition = Operation;

    fn init_state() -> BoxedStrategy<Truth> {
        Just(Truth::new()).boxed()
    }

    fn transitions(_: &Truth) -> BoxedStrategy<Operation> {
        let number = || prop::sample::select(NUMBERS.to_vec());
        let float = prop_oneof![-40.0..40.0f32, -1.0..1.0f32, Just(0.0), Just(1.0), Just(0.5)].prop_map(float_bits);
        let word = prop_oneof![0..=3, 254..=258, 0..=0xffff];
        let setting = prop_oneof![
            4 => (MODEL..=FRAME, word.clone()),
            2 => (COLORMAP..=EFFECTS, 0..=255),
            4 => (ORIGIN_X..=ALPHA, float),
            1 => (Just(STEP), 0..=1),
        ];
        let stat = (prop::sample::select(STATS.to_vec()), prop_oneof![word.boxed(), (-100..0).boxed()]);
        prop_oneof![
            4 => number().prop_map(Operation::Spawn),
            10 => (number(), setting).prop_map(|(number, (field, value))| Operation::Set(number, field, value)),
            3 => number().prop_map(Operation::Remove),
            2 => stat.prop_map(|(stat, value)| Operation::Stat(stat, value)),
            1 => Just(Operation::Map),
            8 => Just(Operation::Tick),
            5 => (any::<bool>(), 0..4usize).prop_map(|(end, nth)| Operation::Deliver(end, nth)),
            2 => (any::<bool>(), 0..4usize).prop_map(|(end, nth)| Operation::Duplicate(end, nth)),
            3 => (any::<bool>(), 0..4usize).prop_map(|(end, nth)| Operation::Lose(end, nth)),
            8 => Just(Operation::Round),
            1 => (1..30u32).prop_map(Operation::Outage),
            1 => Just(Operation::Settle),
        ]
        .boxed()
    }

    fn apply(mut truth: Truth, operation: &Operation) -> Truth {
        truth.apply(operation);
        truth
    }

    fn preconditions(truth: &Truth, operation: &Operation) -> bool {
        match operation {
            Operation::Spawn(number) => !truth.live.contains_key(number),
            Operation::Set(number, ..) | Operation::Remove(number) => truth.live.contains_key(number),
            _ => true,
        }
    }
}

/// The rules of a server and of a client.
type BothRules = (ServerRules, ClientRules);

const REFERENCE: BothRules = (ServerRules::REFERENCE, ClientRules::REFERENCE);

/// Whether ends that follow `rules` come well through a case.
fn run(rules: BothRules, mut truth: Truth, operations: &mut dyn Iterator<Item = &Operation>) -> Result<(), String> {
    let mut pair = Pair::new(rules.0, rules.1, &truth)?;
    for operation in operations {
        if Reference::preconditions(&truth, operation) {
            truth.apply(operation);
            pair.apply(operation, &truth)?;
        }
    }
    pair.settle(&truth)
}

/// Runs cases with ends that follow `rules`; the counterexample, if there is one.
fn explore(rules: BothRules, cases: u32) -> Result<(), Counterexample<Truth, Operation>> {
    explore::explore::<Reference>(LENGTH, cases, 5_000, |truth, operations| run(rules, truth, operations))
}

#[test]
fn a_client_shows_the_world_of_the_newest_datagram_that_arrived_and_nothing_else() {
    if let Err(counterexample) = explore(REFERENCE, 512) {
        panic!("{counterexample}");
    }
}

/// Ends that break a rule show another world.
fn check_broken(rules: BothRules, part: &str) {
    let found = explore(rules, 512).expect_err("passes for conforming");
    assert!(found.why.contains(part), "{found}");
}

#[test]
fn a_client_that_builds_on_what_it_held_is_caught() {
    let client = ClientRules { over: |update, _, before| update.over(before), ..ClientRules::REFERENCE };
    check_broken((ServerRules::REFERENCE, client), "the client shows");
}

#[test]
fn a_client_that_keeps_what_is_not_mentioned_is_caught() {
    let client = ClientRules { shows: |_, _| true, ..ClientRules::REFERENCE };
    check_broken((ServerRules::REFERENCE, client), "the client shows");
}

#[test]
fn a_server_that_codes_alpha_otherwise_is_caught() {
    let encode_alpha = |alpha: f32| (alpha * 255.0).clamp(0.0, 255.0) as u8;
    let server = ServerRules { encode_alpha, ..ServerRules::REFERENCE };
    check_broken((server, ClientRules::REFERENCE), "alpha");
}
