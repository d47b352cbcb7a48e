//! The reference pair, and pairs with one broken half, over a small network in the test.

use super::FteOracle;
use crate::client::Client;
use crate::constants::*;
use crate::delta::ENTITY_ROWS;
use crate::dissector::{FteDissector, MARKS};
use crate::options::{OPTIONS, PROFILES};
use crate::rules::{AckOrder, AfterFull, Overflow, Rules};
use crate::server::Server;
use crate::state::*;
use kit::table::{Row, Table, float_bits};
use kit::trace::LossCause;
use kit::{
    Command, Copy, Direction, Dissection, Dissector, Endpoint, Fate, Finding, HostId, Oracle, PacketId, PeerId, Probe,
    Setup, StatValue, Time, TraceEvent,
};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

mod tampered;

const SERVER: HostId = HostId::SERVER;
const CLIENT: HostId = HostId(1);

/// What a script can know of a datagram.
struct Datagram<'a> {
    now: Time,
    direction: Direction,
    dissection: &'a Dissection,
}

impl Datagram<'_> {
    fn has(&self, mark: &str) -> bool {
        self.dissection.marks.iter().any(|found| MARKS[found.kind] == mark)
    }

    fn is_about(&self, mark: &str, number: u32) -> bool {
        self.dissection.marks.iter().any(|found| MARKS[found.kind] == mark && found.number == number)
    }

    fn comes_from_server(&self) -> bool {
        self.direction == Direction::ServerToClient
    }

    fn between(&self, from_ms: u64, to_ms: u64) -> bool {
        (Time::from_ms(from_ms)..Time::from_ms(to_ms)).contains(&self.now)
    }
}

/// Whether a datagram gets lost.
type Script<'a> = Box<dyn FnMut(&Datagram<'_>) -> bool + 'a>;

/// Changes the bytes that a host sends, or those that it receives.
type Tamper = Box<dyn FnMut(HostId, Time, &mut Vec<u8>)>;

/// A run to be made.
struct Run<'a> {
    profile: usize,
    options: Vec<(&'static str, i64)>,
    server: Rules,
    client: Rules,
    commands: Vec<(u64, HostId, Command)>,
    lose: Script<'a>,
    /// What is sent differs from what the endpoint wrote: a broken sender.
    on_send: Tamper,
    /// What the endpoint reads differs from what is delivered: a broken receiver.
    on_receive: Tamper,
    /// Delays vary by this until the fifth second, and some datagrams arrive twice.
    jitter_us: u64,
    seed: u64,
    length_ms: u64,
}

impl<'a> Run<'a> {
    fn new(profile: usize) -> Run<'a> {
        Run {
            profile,
            options: Vec::new(),
            server: Rules::REFERENCE,
            client: Rules::REFERENCE,
            commands: vec![(0, CLIENT, Command::Connect)],
            lose: Box::new(|_| false),
            on_send: Box::new(|_, _, _| {}),
            on_receive: Box::new(|_, _, _| {}),
            jitter_us: 0,
            seed: 1,
            length_ms: 8_000,
        }
    }

    fn at(mut self, ms: u64, command: Command) -> Self {
        self.commands.push((ms, SERVER, command));
        self
    }

    fn set(self, ms: u64, entity: u32, field: usize, value: i32) -> Self {
        self.at(ms, Command::Set { entity, field, value })
    }

    fn spawn(self, ms: u64, entity: u32) -> Self {
        self.at(ms, Command::Spawn { entity })
    }

    fn option(mut self, name: &'static str, value: i64) -> Self {
        self.options.push((name, value));
        self
    }

    fn losing(mut self, lose: impl FnMut(&Datagram<'_>) -> bool + 'a) -> Self {
        self.lose = Box::new(lose);
        self
    }

    fn rules(mut self, server: Rules, client: Rules) -> Self {
        (self.server, self.client) = (server, client);
        self
    }

    /// Makes the run.
    fn go(mut self) -> FteOracle {
        let mut setup = Setup::new(&crate::PROTOCOL, &PROFILES[self.profile]);
        for (name, value) in &self.options {
            let index = OPTIONS.iter().position(|option| option.name == *name);
            setup.options[index.expect("the option exists")] = *value;
        }
        let mut oracle = FteOracle::new(&setup);
        let mut dissector = FteDissector::new(Some(&setup));
        let mut hosts: [Box<dyn Endpoint>; 2] =
            [Box::new(Server::new(&setup, self.server)), Box::new(Client::new(&setup.on(CLIENT), self.client))];
        self.commands.sort_by_key(|command| command.0);
        let mut commands = self.commands.iter().peekable();
        let mut flying: BinaryHeap<Reverse<(Time, u64, u32, u8)>> = BinaryHeap::new();
        let mut bytes_of: Vec<(PacketId, Vec<u8>)> = Vec::new();
        let (mut indices, mut order, mut random) = ([0; 2], 0, self.seed);
        let mut out = Vec::new();
        let mut dissection = Dissection::default();
        let end = Time::from_ms(self.length_ms);
        loop {
            let next_command = commands.peek().map(|command| (Time::from_ms(command.0), 0));
            let next_flying = flying.peek().map(|Reverse(event)| (event.0, 1));
            let timeouts = hosts.iter().enumerate().filter_map(|(host, e)| Some((e.poll_timeout()?, 2 + host)));
            let Some((now, what)) = next_command.into_iter().chain(next_flying).chain(timeouts).min() else { break };
            if now > end {
                break;
            }
            let host = match what {
                0 => {
                    let (_, host, command) = commands.next().expect("it was peeked at");
                    oracle.on(now, &TraceEvent::Command { host: *host, command });
                    hosts[usize::from(host.0)].handle_command(now, command);
                    *host
                }
                1 => {
                    let Reverse((_, _, id, copy)) = flying.pop().expect("it was peeked at");
                    let (packet, bytes) = &bytes_of[id as usize];
                    let (host, from) = match packet.direction {
                        Direction::ServerToClient => (CLIENT, PeerId::SERVER),
                        Direction::ClientToServer => (SERVER, PeerId::client(1)),
                    };
                    oracle.on(now, &TraceEvent::Delivered { packet: *packet, copy, bytes, intact: true });
                    let mut bytes = bytes.clone();
                    (self.on_receive)(host, now, &mut bytes);
                    hosts[usize::from(host.0)].handle_datagram(now, from, &bytes);
                    host
                }
                _ => {
                    let host = HostId(what as u16 - 2);
                    oracle.on(now, &TraceEvent::Timeout { host });
                    hosts[usize::from(host.0)].handle_timeout(now);
                    host
                }
            };
            let endpoint = &mut hosts[usize::from(host.0)];
            loop {
                out.clear();
                if endpoint.poll_transmit(now, &mut out).is_none() {
                    break;
                }
                (self.on_send)(host, now, &mut out);
                let direction = if host == SERVER { Direction::ServerToClient } else { Direction::ClientToServer };
                let index = indices[direction.index()];
                indices[direction.index()] += 1;
                let packet = PacketId { client: CLIENT, direction, slot: 0, ordinal: 0, index };
                dissection.clear();
                dissector.datagram(CLIENT, direction, &out, &mut dissection);
                let lost = (self.lose)(&Datagram { now, direction, dissection: &dissection });
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let jitter_us = if now < Time::from_ms(5_000) { self.jitter_us } else { 0 };
                let delay_us = 20_000 + (random >> 33) % (jitter_us + 1);
                let twice = jitter_us > 0 && random % 8 == 0;
                let copies = [Copy::whole(delay_us), Copy::whole(delay_us + jitter_us)];
                let fate = match (lost, twice) {
                    (true, _) => Fate::Lost(LossCause::Script),
                    (false, true) => Fate::Twice(copies[0], copies[1]),
                    (false, false) => Fate::Once(copies[0]),
                };
                oracle.on(now, &TraceEvent::Sent { packet, bytes: &out, fate, dissection: None });
                for copy in 0..if lost { 0 } else { 1 + u8::from(twice) } {
                    order += 1;
                    let arrival = now.after(copies[usize::from(copy)].delay_us);
                    flying.push(Reverse((arrival, order, bytes_of.len() as u32, copy)));
                }
                bytes_of.push((packet, out.clone()));
            }
            while let Some(event) = endpoint.poll_event() {
                oracle.on(now, &TraceEvent::Event { host, event: &event });
            }
            oracle.settled(now, host, &**endpoint);
        }
        oracle.finish(end);
        oracle
    }
}

fn show(findings: &[Finding]) -> String {
    let lines = findings
        .iter()
        .map(|finding| format!("  {} {} {}: {}\n", finding.at, finding.requirement.id, finding.host, finding.what));
    lines.collect()
}

/// The run violates nothing that is a MUST, and shows the situations of `exercised`.
fn check_passes(run: Run<'_>, exercised: &[&str]) -> FteOracle {
    let oracle = run.go();
    let musts: Vec<Finding> =
        oracle.findings().iter().filter(|finding| finding.requirement.level.is_must()).cloned().collect();
    assert!(musts.is_empty(), "\n{}", show(&musts));
    let shown: Vec<&str> = oracle.exercised().iter().map(|requirement| requirement.id).collect();
    for id in exercised {
        assert!(shown.contains(id), "{id} was not put to the test, but {shown:?}");
    }
    oracle
}

/// The run's first finding, recommendations left out unless one is meant, is about `requirement`.
fn check_caught(run: Run<'_>, requirement: &str) {
    let oracle = run.go();
    let level = |finding: &&Finding| finding.requirement.level.is_must() || finding.requirement.id == requirement;
    let first = oracle.findings().iter().find(level);
    let found = first.map(|finding| finding.requirement.id);
    assert_eq!(found, Some(requirement), "\n{}", show(oracle.findings()));
}

fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

/// A world in which something changes all the time, for four seconds: fields of every kind, statistics, comings and
/// goings. Entity 1 moves.
fn busy<'a>(mut run: Run<'a>, seed: u64) -> Run<'a> {
    let mut seed = seed.wrapping_add(77);
    for (entity, field, value) in [(2, ALPHA, 100), (2, SCALE, 30), (3, MODEL, 300), (4, COLORMOD_G, 7)] {
        run = run.at(0, Command::Baseline { entity, field, value });
    }
    let numbers = [1, 2, 3, 4, 5, 9, 300, 16_384, 40_000, 70_000];
    for entity in numbers {
        run = run.spawn(0, entity);
    }
    for step in 0..160 {
        let ms = 1_000 + step * 25;
        let x = float_bits(step as f32 * 3.0 - 200.0);
        run = run.set(ms, 1, ORIGIN_X, x).set(ms, 1, VELOCITY_X, (step as i32 % 7) * 80);
        let entity = numbers[random(&mut seed) as usize % numbers.len()];
        let field = random(&mut seed) as usize % FIELDS;
        let value = match FIELD_TABLE[field].unit {
            kit::Unit::Float => float_bits((random(&mut seed) % 300) as f32 - 150.0),
            kit::Unit::Int(low, high) => {
                let span = (high - low + 1) as u64;
                let wide = random(&mut seed) << 20 ^ random(&mut seed);
                (low + (wide % span) as i64) as i32
            }
        };
        run = run.set(ms, entity, field, value);
        match random(&mut seed) % 8 {
            0 => run = run.at(ms, Command::Remove { entity }),
            1 | 2 => run = run.spawn(ms, entity),
            3 => {
                let stat = (random(&mut seed) % 40) as u8;
                let value = StatValue::Int((random(&mut seed) % 700) as i32 - 100);
                run = run.at(ms, Command::Stat { client: 1, stat, value });
            }
            _ => {}
        }
    }
    run
}

/// Loses `percent` of all datagrams from `from_ms` to the fifth second.
fn lossy(from_ms: u64, percent: u64, seed: u64) -> impl FnMut(&Datagram<'_>) -> bool {
    let mut seed = seed ^ 0x55aa;
    move |datagram| random(&mut seed) % 100 < percent && datagram.between(from_ms, 5_000)
}

#[test]
fn the_reference_passes_on_a_clean_network() {
    for profile in [0, 1] {
        let oracle =
            check_passes(busy(Run::new(profile), 5), &["FTE-RST-02", "FTE-RMV-01", "FTE-DLT-03", "FTE-SVC-04"]);
        assert_eq!(show(oracle.findings()), "");
        assert!(oracle.report.has_seen(super::situation::Situation::Quiescent));
    }
}

#[test]
fn the_reference_passes_under_loss() {
    for seed in 0..12 {
        for profile in [0, 1] {
            let mut run = busy(Run::new(profile), seed).losing(lossy(1_000 * (seed % 2), 5 + 3 * seed, seed));
            run.seed = seed;
            run.jitter_us = if seed % 2 == 0 { 0 } else { 90_000 };
            if seed % 3 == 1 {
                run = run.option("client_fte2", 0x8);
            }
            if seed % 4 == 2 {
                run = run.option("client_fte1", 0x8000).option("server_fte1", 0x8000);
            }
            run.length_ms = 20_000;
            let losses: &[&str] = if seed % 2 == 1 { &["FTE-HIST-02", "FTE-DLT-38"] } else { &[] };
            let oracle = check_passes(run, losses);
            assert!(oracle.report.has_seen(super::situation::Situation::Quiescent), "seed {seed} of profile {profile}");
        }
    }
}

#[test]
fn the_reference_passes_with_outages_of_any_length() {
    for frames in [1, 2, 31, 62, 63, 64, 65, 66, 100, 128, 200] {
        for (profile, both) in [(0, false), (0, true), (1, false), (1, true)] {
            let run = busy(Run::new(profile), frames).losing(move |datagram| {
                datagram.between(1_000, 1_000 + 50 * frames) && (both || datagram.comes_from_server())
            });
            let mut run = run.set(14_000, 1, FRAME, 9);
            run.length_ms = 20_000;
            check_passes(run, &["FTE-ACK-09"]);
        }
    }
}

#[test]
fn the_reference_passes_with_a_crowd_that_does_not_fit() {
    for profile in [0, 1] {
        for datagrams in [0, 3] {
            let run = crowd(Run::new(profile)).option("datagrams_per_tick", datagrams).losing(lossy(0, 10, 3));
            check_passes(run, &["FTE-OVF-02", "FTE-OVF-05"]);
        }
    }
}

#[test]
fn the_reference_passes_over_a_change_of_map() {
    for profile in [0, 1] {
        let mut run = busy(Run::new(profile), 1).losing(lossy(0, 10, 1));
        run = run.at(900, Command::Baseline { entity: 2, field: SKIN, value: 5 }).at(2_000, Command::Map);
        for entity in 1..8 {
            run = run.spawn(2_000, entity).set(2_500, entity, FRAME, 3);
        }
        check_passes(run, &["FTE-SVC-07"]);
    }
}

#[test]
fn a_client_that_leaves_and_comes_back_passes() {
    for profile in [0, 1] {
        let mut run = busy(Run::new(profile), 3);
        run.commands.push((2_000, CLIENT, Command::Disconnect));
        run.commands.push((4_500, CLIENT, Command::Connect));
        let mut run = run.set(6_000, 1, FRAME, 9);
        run.length_ms = 15_000;
        let oracle = check_passes(run, &[]);
        assert!(oracle.clients[0].open, "the second connection is followed");
    }
}

#[test]
fn many_changes_of_map_are_followed() {
    for profile in [0, 1] {
        let mut run = Run::new(profile);
        for map in 1..=12 {
            run = run.at(1_000 * map, Command::Map).spawn(1_000 * map, 1).set(1_000 * map + 500, 1, FRAME, map as i32);
        }
        run.length_ms = 23_000;
        let oracle = check_passes(run, &[]);
        assert_eq!(oracle.clients[0].book.epoch, 13, "profile {profile}");
        assert!(oracle.clients[0].book.places > 10);
    }
}

#[test]
fn plain_sessions_pass() {
    for profile in [0, 1] {
        check_passes(busy(Run::new(profile), 2).option("client_fte2", 0), &["FTE-HS-17", "FTE-HS-20"]);
    }
    check_passes(busy(Run::new(1), 2).option("proxy_strips", 1), &["FTE-HS-06"]);
}

#[test]
fn conforming_variants_pass() {
    let variants = [
        Rules { overflow: Overflow::Fold, ..Rules::REFERENCE },
        Rules { reset_copies: 1, ..Rules::REFERENCE },
        Rules { reset_copies: 3, ..Rules::REFERENCE },
        Rules { acks_first: true, ..Rules::REFERENCE },
        Rules { acks_per_packet: 1, ..Rules::REFERENCE },
        Rules { explicit_acks: false, ..Rules::REFERENCE },
        Rules { datagrams_per_tick: 3, ..Rules::REFERENCE },
    ];
    for (index, rules) in variants.into_iter().enumerate() {
        for profile in [0, 1] {
            let seed = index as u64;
            let outage = |datagram: &Datagram<'_>| datagram.comes_from_server() && datagram.between(2_000, 6_500);
            let mut some = lossy(1_000, 20, seed);
            let run = busy(Run::new(profile), seed).rules(rules, rules);
            let run = run.losing(move |datagram| outage(datagram) || some(datagram));
            let mut run = run.set(9_000, 1, FRAME, 77);
            run.length_ms = 16_000;
            let oracle = check_passes(run, &["FTE-HIST-06"]);
            let once = oracle.findings().iter().any(|finding| finding.requirement.id == "FTE-RST-03");
            assert_eq!(once, rules.reset_copies == 1);
        }
    }
}

/// Loses the first `count` datagrams that `which` picks.
fn first(count: usize, which: impl Fn(&Datagram<'_>) -> bool) -> impl FnMut(&Datagram<'_>) -> bool {
    let mut left = count;
    move |datagram| {
        let hit = left > 0 && which(datagram);
        left -= usize::from(hit);
        hit
    }
}

/// A small world in which entity 1 changes all the time, so that frames say something.
fn small<'a>(mut run: Run<'a>) -> Run<'a> {
    run = run.spawn(0, 1).spawn(0, 2);
    for step in 0..80 {
        run = run.set(500 + step * 50, 1, FRAME, step as i32 % 200);
    }
    run
}

#[test]
fn a_reset_that_is_not_logged_is_caught() {
    let rules = Rules { reset_copies: 1, logged: !(UF_RESET as u32), ..Rules::REFERENCE };
    for profile in [0, 1] {
        let run = small(Run::new(profile)).spawn(1_000, 5).rules(rules, Rules::REFERENCE);
        let run = run.losing(first(1, |datagram| datagram.is_about("reset", 5)));
        check_caught(run, "FTE-RST-07");
    }
}

#[test]
fn a_history_that_forgets_is_caught() {
    // A history of 32 frames is "roughly 64" to nobody: 40 frames in flight must be survived, so that this is the
    // lack of a recovery (HIST-06), not a careless merge (HIST-02).
    let rules = Rules { log_frames: 32, overflow: Overflow::Forget, ..Rules::REFERENCE };
    for profile in [0, 1] {
        let run = small(Run::new(profile)).set(1_050, 2, SKIN, 3).rules(rules, Rules::REFERENCE);
        let run = run.losing(|datagram| datagram.comes_from_server() && datagram.between(1_000, 3_000));
        check_caught(run, "FTE-HIST-06");
    }
}

#[test]
fn acknowledgements_in_descending_order_are_caught() {
    let rules = Rules { ack_order: AckOrder::Descending, ..Rules::REFERENCE };
    let run = small(Run::new(0)).option("client_tick_us", 150_000).rules(Rules::REFERENCE, rules);
    check_caught(run, "FTE-ACK-06");
}

const fn without_change(field: usize) -> [Row; FIELDS] {
    let mut rows = ENTITY_ROWS;
    let mut row = 0;
    while row < rows.len() {
        if rows[row].field == field {
            rows[row].raise = 0;
        }
        row += 1;
    }
    rows
}

static NO_MODELINDEX2: Table = Table::new("entity update", &const { without_change(MODELINDEX2) });
static NO_ALPHA: Table = Table::new("entity update", &const { without_change(ALPHA) });

#[test]
fn fields_left_out_of_the_comparison_are_caught() {
    for (table, field, requirement) in [(&NO_MODELINDEX2, MODELINDEX2, "FTE-DLT-32"), (&NO_ALPHA, ALPHA, "FTE-DLT-39")]
    {
        for profile in [0, 1] {
            let rules = Rules { table, ..Rules::REFERENCE };
            let run = small(Run::new(profile)).set(1_000, 2, field, 7).rules(rules, Rules::REFERENCE);
            check_caught(run, requirement);
        }
    }
}

/// More entities than fit change all the time, until the fourth second.
fn crowd<'a>(mut run: Run<'a>) -> Run<'a> {
    for entity in 1..=60 {
        run = run.spawn(0, entity);
        for field in [LIGHT_RADIUS, GLOW_SIZE, EFFECTS, COLORMOD_R] {
            run = run.set(0, entity, field, 20);
        }
    }
    for step in 0..70 {
        for entity in 1..=60 {
            for field in [LIGHT_RADIUS, GLOW_SIZE, EFFECTS, COLORMOD_R, SOLID, TAGINDEX, GRAVITY_YAW] {
                run = run.set(400 + step * 50, entity, field, 1 + step as i32);
            }
        }
    }
    run
}

#[test]
fn starting_over_at_the_lowest_entity_is_caught() {
    let rules = Rules { after_full: AfterFull::Restart, ..Rules::REFERENCE };
    for profile in [0, 1] {
        check_caught(crowd(Run::new(profile)).rules(rules, Rules::REFERENCE), "FTE-OVF-03");
    }
}

#[test]
fn a_remove_that_is_not_logged_is_caught() {
    let rules = Rules { logged: !crate::sender::REMOVE, ..Rules::REFERENCE };
    for profile in [0, 1] {
        let run = small(Run::new(profile)).at(1_000, Command::Remove { entity: 2 }).rules(rules, Rules::REFERENCE);
        check_caught(run.losing(first(1, |datagram| datagram.has("remove"))), "FTE-RMV-05");
    }
}

#[test]
fn fields_that_are_not_logged_are_caught() {
    let rules = Rules { logged: crate::sender::REMOVE | UF_RESET as u32, ..Rules::REFERENCE };
    for profile in [0, 1] {
        let run = small(Run::new(profile)).set(800, 2, SKIN, 1).set(1_000, 2, SKIN, 9).rules(rules, Rules::REFERENCE);
        check_caught(
            run.losing(|datagram| datagram.comes_from_server() && datagram.between(1_000, 1_060)),
            "FTE-HIST-02",
        );
    }
}

#[test]
fn damaged_datagrams_end_the_judgement_of_states() {
    let setup = Setup::new(&crate::PROTOCOL, &PROFILES[0]);
    let mut oracle = FteOracle::new(&setup);
    let packet = PacketId { client: CLIENT, direction: Direction::ServerToClient, slot: 0, ordinal: 0, index: 0 };
    oracle.on(Time::ZERO, &TraceEvent::Delivered { packet, copy: 0, bytes: b"?", intact: false });
    assert!(oracle.clients[0].book.tainted);
    assert_eq!(oracle.remarks().len(), 1);
}
