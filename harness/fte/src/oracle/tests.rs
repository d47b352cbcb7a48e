//! The reference pair, and pairs with one broken half, over a small network in the test.

use super::FteOracle;
use super::coverage::Point;
use super::field::ALL;
use super::header::asks_to_connect;
use super::session::Session;
use super::session::frames::Outcome;
use crate::client::Client;
use crate::constants::*;
use crate::dissector::{FteDissector, MARKS};
use crate::latitude::Latitude;
use crate::mutants::{forget_oldest, log_flags};
use crate::options::{OPTIONS, PROFILES};
use crate::rules::Rules;
use crate::server::Server;
use crate::state::*;
use kit::fate::LossCause;
use kit::table::float_bits;
use kit::{
    Command, Delivery, Direction, Dissection, Dissector, Endpoint, Fate, Finding, HostId, Knowledge, Oracle, PacketId,
    PeerId, Probe, Setup, StatValue, Time, TraceEvent, Vantage, Watch,
};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

mod entry;
mod quiescence;
mod reference;
mod remote;
mod retransmission;
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
    /// From where the oracle sees it.
    vantage: Vantage,
    /// A remote end reads what was delivered so much later.
    lag_us: u64,
    /// What was delivered to a remote end is lost there, and what that sends before anybody sees it.
    unseen: Box<dyn FnMut(Time, Direction) -> bool>,
    /// Nothing is seen before.
    seen_from_ms: u64,
    /// When the server forgets the client.
    forgets_ms: Option<u64>,
    /// The requests for a connection arrive once more, so much later.
    requests_again_us: Option<u64>,
}

/// Whether a datagram arrives twice, and how much later.
enum Again {
    /// One of eight does, within this time, if it is not 0; all have delays of up to as much.
    Sometimes(u64),
    /// It does.
    Surely(u64),
}

/// Added to the number of a copy that was delivered and not read yet.
const DELIVERED: u8 = 100;

/// What is on its way.
#[derive(Default)]
struct Flight {
    /// Arrival, order of sending, index into `sent`, copy.
    flying: BinaryHeap<Reverse<(Time, u64, u32, u8)>>,
    sent: Vec<(PacketId, Vec<u8>)>,
    next: [u32; 2],
    order: u64,
    random: u64,
}

impl Flight {
    /// Sends a datagram; whether it is `lost` was decided. Its name, and what becomes of it.
    fn send(&mut self, now: Time, direction: Direction, bytes: &[u8], lost: bool, again: Again) -> (PacketId, Fate) {
        let index = self.next[direction.index()];
        self.next[direction.index()] += 1;
        let packet = PacketId { client: CLIENT, direction, slot: 0, ordinal: 0, index };
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let jitter_us = if let Again::Sometimes(jitter_us) = again { jitter_us } else { 0 };
        let delay_us = 20_000 + (self.random >> 33) % (jitter_us + 1);
        let later_us = if let Again::Surely(later_us) = again { later_us } else { jitter_us };
        let (first, second) = (Delivery::whole(delay_us), Delivery::whole(delay_us + later_us));
        let (fate, copies) = if lost {
            (Fate::Lost(LossCause::Script), 0)
        } else if later_us > jitter_us || jitter_us > 0 && self.random.is_multiple_of(8) {
            (Fate::Twice(first, second), 2)
        } else {
            (Fate::Once(first), 1)
        };
        for (copy, delivery) in (0..copies).zip([first, second]) {
            self.order += 1;
            let arrival = now.after(delivery.delay_us);
            self.flying.push(Reverse((arrival, self.order, self.sent.len() as u32, copy)));
        }
        self.sent.push((packet, bytes.to_vec()));
        (packet, fate)
    }
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
            vantage: Vantage::default(),
            lag_us: 0,
            unseen: Box::new(|_, _| false),
            seen_from_ms: 0,
            forgets_ms: None,
            requests_again_us: None,
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

    fn transport(&self) -> crate::dialect::Transport {
        crate::options::Options::new(&self.setup()).transport
    }

    fn setup(&self) -> Setup {
        let mut setup = Setup::new(&crate::PROTOCOL, &PROFILES[self.profile]);
        for (name, value) in &self.options {
            let index = OPTIONS.iter().position(|option| option.name == *name);
            setup.options[index.expect("the option exists")] = *value;
        }
        setup.vantage = self.vantage;
        if self.vantage.remote_server {
            setup.knowledge = Knowledge::Wire;
        }
        setup
    }

    /// Makes the run.
    fn go(mut self) -> Watch<FteOracle> {
        let setup = self.setup();
        let mut oracle = Watch::new(FteOracle::new(&setup), &setup, crate::requirements::REQUIREMENTS);
        let mut dissector = FteDissector::new(Some(&setup));
        let mut hosts: [Box<dyn Endpoint>; 2] =
            [Box::new(Server::new(&setup, self.server)), Box::new(Client::new(&setup.on(CLIENT), self.client))];
        let mut commands = std::mem::take(&mut self.commands);
        commands.sort_by_key(|command| command.0);
        let mut commands = commands.iter().peekable();
        let mut flight = Flight { random: self.seed, ..Flight::default() };
        let end = Time::from_ms(self.length_ms);
        let mut connected = false;
        let vantage = self.vantage;
        let is_remote = |host: HostId| if host == SERVER { vantage.remote_server } else { vantage.remote_clients };
        loop {
            let next_command = commands.peek().map(|command| (Time::from_ms(command.0), 0));
            let next_flying = flight.flying.peek().map(|Reverse(event)| (event.0, 1));
            let timeouts = hosts.iter().enumerate().filter_map(|(host, e)| Some((e.poll_timeout()?, 2 + host)));
            let Some((now, what)) = next_command.into_iter().chain(next_flying).chain(timeouts).min() else { break };
            if now > end {
                break;
            }
            if self.forgets_ms.is_some_and(|ms| now >= Time::from_ms(ms)) {
                self.forgets_ms = None;
                hosts[0].forget(CLIENT);
            }
            let host = match what {
                0 => {
                    let (_, host, command) = commands.next().expect("it was peeked at");
                    // Of a remote client nothing is known but that there is one.
                    let first = matches!(command, Command::Connect) && !std::mem::replace(&mut connected, true);
                    if first || !is_remote(*host) {
                        oracle.on(now, &TraceEvent::Command { host: *host, command });
                    }
                    hosts[usize::from(host.0)].handle_command(now, command);
                    *host
                }
                1 => {
                    let Some((host, from, bytes)) = self.arrives(now, &mut flight, &mut oracle) else { continue };
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
            self.sends(now, host, endpoint.as_mut(), &mut flight, &mut dissector, &mut oracle);
            let remote = is_remote(host);
            while let Some(event) = endpoint.poll_event() {
                if !remote {
                    oracle.on(now, &TraceEvent::Event { host, event: &event });
                }
            }
            if !remote {
                oracle.settled(now, host, &**endpoint);
            }
            if !self.vantage.is_remote() {
                check_step(&oracle.judge.clients[0].session);
            }
        }
        oracle.finish(end);
        oracle
    }

    /// The next copy arrives: whom it is for, from whom, and its bytes; `None` if a remote end reads it later, or never.
    fn arrives(
        &mut self,
        now: Time,
        flight: &mut Flight,
        oracle: &mut Watch<FteOracle>,
    ) -> Option<(HostId, PeerId, Vec<u8>)> {
        let Reverse((_, _, id, copy)) = flight.flying.pop().expect("it was peeked at");
        let (packet, bytes) = &flight.sent[id as usize];
        let (host, from, remote) = match packet.direction {
            Direction::ServerToClient => (CLIENT, PeerId::SERVER, self.vantage.remote_clients),
            Direction::ClientToServer => (SERVER, PeerId::client(1), self.vantage.remote_server),
        };
        if copy < DELIVERED && now >= Time::from_ms(self.seen_from_ms) {
            oracle.on(now, &TraceEvent::Delivered { packet: *packet, copy, bytes, intact: true });
        }
        if copy < DELIVERED && remote {
            if !(self.unseen)(now, packet.direction) {
                flight.order += 1;
                let arrival = now.after(self.lag_us);
                flight.flying.push(Reverse((arrival, flight.order, id, copy + DELIVERED)));
            }
            return None;
        }
        let mut bytes = bytes.clone();
        (self.on_receive)(host, now, &mut bytes);
        Some((host, from, bytes))
    }

    /// Sends what an end has to send after an input.
    fn sends(
        &mut self,
        now: Time,
        host: HostId,
        endpoint: &mut dyn Endpoint,
        flight: &mut Flight,
        dissector: &mut FteDissector,
        oracle: &mut Watch<FteOracle>,
    ) {
        let remote = if host == SERVER { self.vantage.remote_server } else { self.vantage.remote_clients };
        let direction = if host == SERVER { Direction::ServerToClient } else { Direction::ClientToServer };
        let (mut out, mut dissection) = (Vec::new(), Dissection::default());
        while endpoint.poll_transmit(now, &mut out).is_some() {
            (self.on_send)(host, now, &mut out);
            if !(remote && (self.unseen)(now, direction)) {
                dissection.clear();
                dissector.datagram(CLIENT, direction, &out, &mut dissection);
                let lost = (self.lose)(&Datagram { now, direction, dissection: &dissection });
                let jitter_us = if now < Time::from_ms(5_000) { self.jitter_us } else { 0 };
                let again = match self.requests_again_us.filter(|_| asks_to_connect(self.transport(), &out)) {
                    Some(later_us) => Again::Surely(later_us),
                    None => Again::Sometimes(jitter_us),
                };
                let (packet, fate) = flight.send(now, direction, &out, lost, again);
                if now >= Time::from_ms(self.seen_from_ms) {
                    oracle.on(now, &TraceEvent::Sent { packet, bytes: &out, fate, dissection: None });
                }
            }
            out.clear();
        }
    }
}

/// The step invariant: a receiver of what was delivered differs from one of everything sent only where the newest carrier
/// was not delivered.
fn check_step(session: &Session) {
    let indeterminate = session.damaged.or(session.sent).or(session.delivered);
    if indeterminate.is_some() || session.delivered_epoch != session.epoch {
        return;
    }
    for (number, track) in session.tracks.iter() {
        let wrong = super::retransmission::divergence(session, number, track, ALL & !track.vague);
        let arrived = super::field::each(wrong).find(|&bit| {
            let carrier = track.last_carrier(bit).and_then(|carrier| session.frames.get(carrier));
            carrier.is_some_and(|frame| frame.epoch == session.epoch && frame.outcome == Outcome::Taken)
        });
        let name = arrived.map(|bit| super::field::names(1 << bit));
        assert_eq!(name, None, "entity {number} after frame {:?}", session.delivered_frame);
    }
}

fn show(findings: &[Finding]) -> String {
    let lines = findings
        .iter()
        .map(|finding| format!("  {} {} {}: {}\n", finding.at, finding.suspects, finding.host, finding.what));
    lines.collect()
}

/// The run violates nothing that is a MUST, and covers `exercised`.
fn check_passes(run: Run<'_>, exercised: &[&str]) -> Watch<FteOracle> {
    let oracle = run.go();
    let musts: Vec<Finding> =
        oracle.findings().iter().filter(|finding| finding.requirement().level.is_must()).cloned().collect();
    assert!(musts.is_empty(), "\n{}", show(&musts));
    let shown: Vec<&str> = oracle.covered().iter().map(|requirement| requirement.id).collect();
    for id in exercised {
        assert!(shown.contains(id), "{id} was not covered, but {shown:?}");
    }
    oracle
}

/// The run's first finding, recommendations left out unless one is meant, can mean `requirement`.
fn check_caught(run: Run<'_>, requirement: &str) {
    let oracle = run.go();
    let names = |finding: &Finding| finding.suspects.iter().any(|suspect| suspect.id == requirement);
    let mut relevant = oracle.findings().iter().filter(|f| f.requirement().level.is_must() || names(f));
    assert!(relevant.next().is_some_and(names), "not {requirement}, but\n{}", show(oracle.findings()));
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

/// A small world in which entity 1 changes all the time, so that frames say something.
fn small<'a>(mut run: Run<'a>) -> Run<'a> {
    run = run.spawn(0, 1).spawn(0, 2);
    for step in 0..80 {
        run = run.set(500 + step * 50, 1, FRAME, step as i32 % 200);
    }
    run
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
