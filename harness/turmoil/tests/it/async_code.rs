//! A tokio driver around an end of `skeleton`, judged by its oracle: the reference passes, whatever is broken is found.

use crate::driver::hosted;
use deltaproof_turmoil::{AsyncHost, Outage};
use kit::{Command, Endpoint, Event, Finding, HostId, PeerId, Probe, Role, Setup, Time, TraceEvent};
use sim::{Link, Network, Simulation};
use skeleton::PROTOCOL;
use skeleton::state::{MODEL, X, Y};

type Build = fn(&Setup) -> Box<dyn Endpoint>;

const CLIENT: HostId = HostId(1);
const END: Time = Time::from_ms(5_000);

/// Entity 1 moves for four seconds, and then nothing changes any more.
fn commands() -> Vec<(Time, HostId, Command)> {
    let mut commands = vec![(Time::ZERO, CLIENT, Command::Connect)];
    let mut server = |ms, command| commands.push((Time::from_ms(ms), HostId::SERVER, command));
    server(0, Command::Spawn { entity: 1 });
    server(0, Command::Set { entity: 1, field: MODEL, value: 4 });
    for step in 0..100 {
        server(40 * step, Command::Set { entity: 1, field: X, value: 300 + step as i32 });
        server(40 * step, Command::Set { entity: 1, field: Y, value: -(step as i32) });
    }
    commands
}

/// Passes everything on to an oracle, and counts what the client sends, by whether it comes before, in or after an outage.
struct Watch {
    oracle: Box<dyn kit::Oracle>,
    outage: Outage,
    sent: [u32; 3],
    said: Vec<Event>,
}

impl Probe for Watch {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        self.oracle.on(now, event);
        match event {
            TraceEvent::Sent { packet, .. } if packet.direction == kit::Direction::ClientToServer => {
                self.sent[usize::from(now > self.outage.from) + usize::from(now > self.outage.until)] += 1;
            }
            TraceEvent::Event { event, .. } => self.said.push((*event).clone()),
            _ => {}
        }
    }

    fn settled(&mut self, now: Time, host: HostId, endpoint: &dyn Endpoint) {
        self.oracle.settled(now, host, endpoint);
    }
}

const NEVER: Outage = Outage { from: END, until: END };

/// Runs a server and a client over a bad network.
fn watched(server: Box<dyn Endpoint>, client: Box<dyn Endpoint>, setup: &Setup, seed: u64, outage: Outage) -> Watch {
    let link = Link {
        latency_us: 30_000,
        loss_ppm: 200_000,
        duplicate_ppm: 50_000,
        duplicate_us: 90_000,
        reorder_ppm: 200_000,
        reorder_us: 130_000,
        ..Link::default()
    };
    let mut watch = Watch { oracle: (PROTOCOL.oracle)(setup), outage, sent: [0; 3], said: Vec::new() };
    let network = Network::uniform(seed, 1, &link);
    let (mut hosts, mut commands) = ([server, client], commands().into_iter());
    let commands = &mut commands;
    let simulation =
        Simulation { hosts: &mut hosts, network: &network, commands, dissector: None, until: END, hash: false };
    let outcome = simulation.run(&mut watch);
    assert_eq!(outcome.halted, None);
    watch.oracle.finish(outcome.end);
    watch
}

/// What is found when `build` makes the end of `role`, in the async driver.
fn found(role: Role, build: Build, seed: u64) -> Vec<Finding> {
    let setup = Setup::new(&PROTOCOL, &PROTOCOL.profiles[0]);
    let of_client = setup.on(CLIENT);
    let (server, client) = match role {
        Role::Server => (hosted(&setup, &[], build), (PROTOCOL.client)(&of_client)),
        _ => ((PROTOCOL.server)(&setup), hosted(&of_client, &[], build)),
    };
    let watch = watched(server, client, &setup, seed, NEVER);
    assert!(watch.sent[0] > 30, "{} datagrams of the client", watch.sent[0]);
    watch.oracle.findings().to_vec()
}

#[test]
fn the_reference_in_an_async_driver_passes_in_either_place() {
    for seed in 1..4 {
        for (role, build) in [(Role::Server, PROTOCOL.server), (Role::Client, PROTOCOL.client)] {
            let findings = found(role, build, seed);
            assert!(findings.is_empty(), "{role} seed {seed}: {findings:?}");
        }
    }
}

#[test]
fn what_is_broken_in_an_async_driver_is_found_at_its_requirement() {
    for mutant in PROTOCOL.mutants() {
        let findings = found(mutant.replacement.role, mutant.replacement.build, 1);
        assert!(findings.iter().any(|finding| finding.suspects.contains(mutant.caught_by)), "{mutant:?}: {findings:?}");
    }
}

#[test]
fn a_client_that_is_stopped_is_silent_and_goes_on_when_it_is_started_again() {
    let outage = Outage { from: Time::from_ms(1_500), until: Time::from_ms(2_500) };
    let setup = Setup::new(&PROTOCOL, &PROTOCOL.profiles[0]);
    let client = hosted(&setup.on(CLIENT), &[outage], PROTOCOL.client);
    let watch = watched((PROTOCOL.server)(&setup), client, &setup, 1, outage);
    let [before, meanwhile, after] = watch.sent;
    assert!(before > 10 && after > 10, "{before} datagrams before, {after} after");
    // What it sent in its last millisecond comes out in the next.
    assert!(meanwhile <= 2, "{meanwhile} datagrams");
    let activations = watch.said.iter().filter(|event| matches!(event, Event::State { to: "active", .. })).count();
    assert!(activations >= 2, "{:?}", watch.said);
}

#[test]
fn code_that_panics_is_silent_from_then_on_and_says_why() {
    let setup = Setup::new(&PROTOCOL, &PROTOCOL.profiles[0]);
    let mut host = AsyncHost::boxed(&setup.on(CLIENT), &[], |seat| async move {
        let command = seat.command().await;
        Err(format!("it cannot {command:?}").into())
    });
    assert!(host.poll_event().is_none() && host.poll_timeout().is_some());
    host.handle_command(Time::ZERO, &Command::Connect);
    let Some(Event::Print { text }) = host.poll_event() else { panic!("it says nothing") };
    assert_eq!(String::from_utf8_lossy(&text), "the async code has ended: it cannot Connect");
    host.handle_datagram(Time::from_ms(9), PeerId::SERVER, b"anything");
    assert_eq!((host.poll_transmit(Time::from_ms(9), &mut Vec::new()), host.poll_timeout()), (None, None));
}
