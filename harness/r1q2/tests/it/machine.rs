//! The state machine test: a server and three clients under whatever a world, its players and a network can do.
//!
//! A case is a list of operations with times. After them the network is quiescent: then the oracle finds nothing, and
//! what clients show is what the server has. That is compared without the oracle's help. What goes wrong is shrunk to
//! the operations that matter.
//!
//! `PROPTEST_CASES=10000 cargo test -p deltaproof-r1q2 --test it machine` explores further; `PROPTEST_RNG_SEED` elsewhere.

use kit::{Command, Endpoint, HostId, Oracle, Probe, Setup, StatValue, Time, TraceEvent, View};
use proptest::prelude::*;
use r1q2::PROTOCOL;
use r1q2::machine::client::Client;
use r1q2::machine::game::{ClientRules, Game};
use r1q2::machine::options::PROFILES;
use r1q2::machine::sender::ServerRules;
use r1q2::machine::server::Server;
use r1q2::machine::world::PLAYER_FIRST;
use r1q2::oracle::{R1q2Oracle, watch};
use r1q2::verbs::*;
use r1q2::wire::frame::FrameStart;
use r1q2::wire::state::*;
use sim::{Link, Network};
use testkit::explore::search;
use testkit::session::simulate;

/// Clients of a case.
const CLIENTS: u16 = 3;
/// Operations in one case.
const LENGTH: std::ops::Range<usize> = 1..40;
/// When the first operation happens: most clients are in the game then.
const BEGIN_MS: u64 = 1_200;
/// No datagram is on its way for longer than this.
const LATEST_MS: u64 = 400;
/// Quiescence after the last one: enough to ask again for everything that was lost.
const QUIET_MS: u64 = 9_000;

/// Something that happens.
#[derive(Clone, Copy, Debug)]
enum Operation {
    Spawn(u32),
    Remove(u32),
    Set(u32, usize, i32),
    Stat(u16, u8, i16),
    Map,
    Leave(u16),
    Join(u16),
    Verb(u16, usize, [i32; 4]),
}

/// What a case is about.
#[derive(Clone, Debug)]
struct Case {
    profile: usize,
    /// Which clients speak protocol 34.
    original: [bool; CLIENTS as usize],
    options: Vec<(&'static str, i64)>,
    link: Link,
    /// Each with the time since the one before, in milliseconds.
    operations: Vec<(u64, Operation)>,
}

/// Numbers of entities that come and go, on both sides of 256; the first are the players'.
fn entity() -> impl Strategy<Value = u32> {
    prop::sample::select(vec![1, 2, 3, 20, 21, 255, 256, 1023])
}

/// A field, and a value that it can have.
fn change() -> impl Strategy<Value = (usize, i32)> {
    let whole = (prop::sample::select(vec![MODEL, FRAME, SKIN, EFFECTS, SOUND, EVENT, RENDERFX]), 0..256i32);
    let float = (prop::sample::select(vec![ORIGIN[0], ORIGIN[2], OLD_ORIGIN[1], YAW]), -4000..4000i32);
    let float = float.prop_map(|(field, eighths)| (field, kit::table::float_bits(eighths as f32 / 8.0)));
    let player = (prop::sample::select(vec![GUNFRAME, GUNOFFSET_X, GUN_ROLL, VIEW_ROLL, BLEND_A]), 0..100i32);
    let player = player.prop_map(|(field, value)| (PLAYER_FIRST + field, value));
    let kind = (0..3i32).prop_map(|kind| (PLAYER_FIRST + PM_TYPE, kind));
    prop_oneof![4 => whole, 4 => float, 4 => player, 1 => kind]
}

fn verb() -> impl Strategy<Value = Operation> {
    let client = || 1..=CLIENTS;
    let says = (prop::sample::select(vec![VERB_PRINT, VERB_UNICAST, VERB_LAYOUT]), 0..=CLIENTS, 0..1000i32);
    let says = says.prop_map(|(verb, to, number)| Operation::Verb(0, verb, [to.into(), number, 0, 0]));
    let config = (1600..1604i32, 0..99i32);
    let config = config.prop_map(|(index, number)| Operation::Verb(0, VERB_CONFIGSTRING, [index, number, 0, 0]));
    let happens = (entity(), 0..30i32, 0..32i32);
    let happens = happens.prop_map(|(entity, kind, flags)| match kind % 2 {
        0 => Operation::Verb(0, VERB_SOUND, [0, entity as i32, kind, flags]),
        _ => Operation::Verb(0, VERB_TEMP_ENTITY, [kind, entity as i32, 0, 0]),
    });
    let walks = (client(), [-200..200i32, -200..200i32, -200..200i32]);
    let walks = walks.prop_map(|(client, [x, y, z])| Operation::Verb(client, VERB_WALK, [x, y, z, 1]));
    let wants =
        (client(), any::<bool>()).prop_map(|(client, on)| Operation::Verb(client, VERB_NODELTA, [on.into(), 0, 0, 0]));
    let files = (client(), 1..60i32).prop_map(|(client, size)| Operation::Verb(client, VERB_DOWNLOAD, [size, 0, 0, 0]));
    let much = (0..=CLIENTS, 1..5000i32).prop_map(|(to, bytes)| Operation::Verb(0, VERB_BIG, [to.into(), bytes, 0, 0]));
    prop_oneof![4 => says, 2 => config, 3 => happens, 2 => walks, 2 => wants, 1 => files, 1 => much]
}

fn operation() -> impl Strategy<Value = Operation> {
    let client = || 1..=CLIENTS;
    prop_oneof![
        2 => entity().prop_map(Operation::Spawn),
        1 => entity().prop_map(Operation::Remove),
        10 => (entity(), change()).prop_map(|(entity, (field, value))| Operation::Set(entity, field, value)),
        3 => (client(), 0..32u8, any::<i16>()).prop_map(|(client, stat, value)| Operation::Stat(client, stat, value)),
        1 => Just(Operation::Map),
        1 => client().prop_map(Operation::Leave),
        2 => client().prop_map(Operation::Join),
        6 => verb(),
    ]
}

/// Links that lose, double, and mix up.
fn link() -> impl Strategy<Value = Link> {
    let share = || prop_oneof![2 => Just(0u32), 1 => 0..300_000u32];
    (share(), share(), share(), 1_000..120_000u64, 0..60_000u64).prop_map(|(loss, double, mixed, latency, jitter)| {
        Link {
            loss_ppm: loss,
            duplicate_ppm: double,
            duplicate_us: 80_000,
            reorder_ppm: mixed,
            reorder_us: 150_000,
            latency_us: latency,
            jitter_us: jitter,
            ..Link::default()
        }
    })
}

fn case() -> impl Strategy<Value = Case> {
    let options = prop_oneof![
        4 => Just(vec![]),
        1 => Just(vec![("maxlen", 0)]),
        1 => Just(vec![("maxlen", 700), ("frames_in_zpackets", 2)]),
        1 => Just(vec![("zpacket", 0)]),
        1 => Just(vec![("qport", 0), ("same_address", 1)]),
        1 => Just(vec![("update_backup_age", 3)]),
        1 => Just(vec![("tick_us", 50_000), ("client_tick_us", 16_000)]),
    ];
    let operations = prop::collection::vec((0..300u64, operation()), LENGTH);
    (0..PROFILES.len(), any::<[bool; CLIENTS as usize]>(), options, link(), operations).prop_map(
        |(profile, original, options, link, operations)| Case { profile, original, options, link, operations },
    )
}

/// Keeps what hosts show last, and passes on to the oracle.
struct Watch {
    oracle: kit::Watch<R1q2Oracle>,
    views: Vec<View>,
}

impl Probe for Watch {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        self.oracle.on(now, event);
    }

    fn settled(&mut self, now: Time, host: HostId, endpoint: &dyn Endpoint) {
        let view = &mut self.views[usize::from(host.0)];
        view.clear();
        endpoint.observe(view);
        self.oracle.settled(now, host, endpoint);
    }
}

/// Fields that a client shows as the server has them, at rest and whatever the protocol.
const COMPARED: [usize; 6] = [MODEL, FRAME, SKIN, EFFECTS, SOUND, RENDERFX];

/// Brings machines that follow these rules through a case; what is wrong with them then.
fn run(case: &Case, server: ServerRules, client: ClientRules) -> Result<(), String> {
    let protocols = ["client1_protocol", "client2_protocol", "client3_protocol"];
    // Over protocol 34 there is no client without a number, and all of one address would have the same.
    let numbered = !case.options.contains(&("qport", 0));
    let protocols = protocols
        .into_iter()
        .filter(|_| numbered)
        .zip(case.original)
        .filter(|(_, original)| *original)
        .map(|(name, _)| (name, 34));
    let options: Vec<_> = case.options.iter().copied().chain(protocols).collect();
    let setup = Setup { clients: CLIENTS, seed: 5, ..testkit::setup(&PROTOCOL, case.profile, &options) };
    let mut commands: Vec<(Time, HostId, Command)> = Vec::new();
    let (mut joined, mut left) = ([true; CLIENTS as usize + 1], [0; CLIENTS as usize + 1]);
    for entity in [1, 2, 3, 20, 256] {
        commands.push((Time::ZERO, HostId::SERVER, Command::Baseline { entity, field: MODEL, value: 3 }));
        commands.push((Time::ZERO, HostId::SERVER, Command::Spawn { entity }));
    }
    commands.extend((1..=CLIENTS).map(|client| (Time::ZERO, HostId(client), Command::Connect)));
    let mut now = BEGIN_MS;
    for (after, operation) in &case.operations {
        now += after;
        let (host, command) = match *operation {
            Operation::Spawn(entity) => (0, Command::Spawn { entity }),
            Operation::Remove(entity) => (0, Command::Remove { entity }),
            Operation::Set(entity, field, value) => (0, Command::Set { entity, field, value }),
            Operation::Stat(client, stat, value) => {
                (0, Command::Stat { client, stat, value: StatValue::Int(value.into()) })
            }
            Operation::Map => (0, Command::Map),
            Operation::Leave(client) => (client, Command::Disconnect),
            Operation::Join(client) => (client, Command::Connect),
            Operation::Verb(host, verb, args) => (host, Command::Verb { verb, args }),
        };
        match command {
            Command::Disconnect => {
                joined[usize::from(host)] = false;
                left[usize::from(host)] = now;
            }
            // A disconnect that is late ends the connection that came after it: its datagrams have higher numbers.
            Command::Connect if now < left[usize::from(host)] + LATEST_MS => continue,
            Command::Connect => joined[usize::from(host)] = true,
            _ => {}
        }
        commands.push((Time::from_ms(now), HostId(host), command));
    }
    let link = Link { random_until: Some(Time::from_ms(now)), ..case.link.clone() };
    let mut hosts: Vec<Box<dyn Endpoint>> = vec![Box::new(Server::new(&setup, server))];
    hosts.extend((1..=CLIENTS).map(|host| Box::new(Client::new(&setup.on(HostId(host)), client)) as Box<dyn Endpoint>));
    let until = Time::from_ms(now + QUIET_MS);
    let mut watch = Watch { oracle: watch(&setup), views: vec![View::default(); hosts.len()] };
    let outcome = simulate(hosts, &Network::uniform(3, CLIENTS.into(), &link), commands, until, &mut watch);
    if let Some(halt) = outcome.halted {
        return Err(halt.to_string());
    }
    watch.oracle.finish(until);
    if let Some(finding) = watch.oracle.findings().first() {
        return Err(format!("{} {} at {}: {}", finding.requirement().id, finding.host, finding.at, finding.what));
    }
    let (world, clients) = watch.views.split_at(1);
    for (client, view) in (1..).zip(clients).filter(|(client, _)| joined[*client as usize]) {
        shows(view, &world[0]).map_err(|why| format!("client {client}: {why}"))?;
    }
    Ok(())
}

/// Whether a client at rest shows what the server has.
fn shows(view: &View, world: &View) -> Result<(), String> {
    if view.state != "active" || !view.valid {
        return Err(format!("is {}, and shows {}", view.state, if view.valid { "something" } else { "nothing" }));
    }
    if view.numbers != world.numbers {
        return Err(format!("shows {:?} of {:?}", view.numbers, world.numbers));
    }
    for &number in &world.numbers {
        let (shown, is) = (view.entity(number).expect("an entity"), world.entity(number).expect("an entity"));
        if let Some(field) = COMPARED.iter().find(|&&field| shown[field] != is[field]) {
            let name = FIELD_TABLE[*field].name;
            return Err(format!("entity {number}: {name} is {}, shown as {}", is[*field], shown[*field]));
        }
    }
    Ok(())
}

/// Runs cases; the smallest that goes wrong, and why.
fn explore(server: ServerRules, client: ClientRules, cases: u32) -> Result<(), Box<(String, Case)>> {
    search(&case(), cases, 1_500, |case| run(&case, server, client))
}

#[test]
fn whatever_happens_clients_show_in_the_end_what_the_server_has() {
    if let Err(found) = explore(ServerRules::REFERENCE, ClientRules::REFERENCE, 48) {
        let (why, case) = *found;
        panic!("{why}\n{case:#?}");
    }
}

/// Machines that go wrong have to be caught within these cases, and by no more than so many operations.
#[track_caller]
fn check_found(server: ServerRules, client: ClientRules, part: &str) {
    let (why, case) = *explore(server, client, 200).expect_err("a case goes wrong");
    assert!(why.contains(part) && case.operations.len() <= 20, "{why}\n{case:#?}");
}

#[test]
fn a_server_that_builds_on_the_newest_player_is_found() {
    let server = ServerRules { player_base: |_, newest| *newest, ..ServerRules::REFERENCE };
    check_found(server, ClientRules::REFERENCE, "server");
}

#[test]
fn a_client_that_takes_the_newest_frame_for_the_base_is_found() {
    let base_of = |game: &Game, start: &FrameStart<'_>| game.held(start.base().map(|_| game.newest));
    let client = ClientRules { find_base: base_of, ..ClientRules::REFERENCE };
    check_found(ServerRules::REFERENCE, client, "client");
}
