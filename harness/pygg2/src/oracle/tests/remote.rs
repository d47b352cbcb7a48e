//! Ends that somebody else runs: they show nothing but datagrams, and read what was delivered when they like.

use super::*;
use kit::{Direction, Fate, Knowledge, Mutant, PacketId, PeerId, TraceEvent, Vantage};
use std::collections::{BTreeSet, VecDeque};

/// An end that reads what arrives so much later.
pub struct Late {
    inner: Box<dyn Endpoint>,
    late_us: u64,
    held: VecDeque<(Time, PeerId, Vec<u8>)>,
}

impl Late {
    pub fn new(inner: Box<dyn Endpoint>, late_us: u64) -> Late {
        Late { inner, late_us, held: VecDeque::new() }
    }
}

impl Endpoint for Late {
    kit::pass_on!(inner: handle_command poll_transmit poll_event observe);

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        self.held.push_back((now.after(self.late_us), from, bytes.to_vec()));
    }

    fn handle_timeout(&mut self, now: Time) {
        while let Some((_, from, bytes)) = self.held.pop_front_if(|held| held.0 <= now) {
            self.inner.handle_datagram(now, from, &bytes);
        }
        self.inner.handle_timeout(now);
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.held.front().map(|held| held.0).into_iter().chain(self.inner.poll_timeout()).min()
    }
}

/// Passes on what is seen of a run whose ends are remote: a client's first command, and the datagrams.
pub struct FarAway<'a> {
    pub oracle: &'a mut Watch<Pygg2Oracle>,
    pub vantage: Vantage,
    pub connected: BTreeSet<HostId>,
}

impl FarAway<'_> {
    fn is_remote(&self, host: HostId) -> bool {
        if host == HostId::SERVER { self.vantage.remote_server } else { self.vantage.remote_clients }
    }
}

impl Probe for FarAway<'_> {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        let sent = match event {
            TraceEvent::Command { host, .. } if *host != HostId::SERVER && self.is_remote(*host) => {
                self.connected.insert(*host)
            }
            TraceEvent::Event { host, .. } => !self.is_remote(*host),
            _ => true,
        };
        if sent {
            self.oracle.on(now, event);
        }
    }

    fn settled(&mut self, now: Time, host: HostId, endpoint: &dyn Endpoint) {
        if !self.is_remote(host) {
            self.oracle.settled(now, host, endpoint);
        }
    }
}

const SERVER: Vantage = Vantage::OF_CLIENT;
const CLIENTS: Vantage = Vantage::OF_SERVER;
const BOTH: Vantage = Vantage::BETWEEN;

impl Run {
    fn seen_from(mut self, vantage: Vantage, late_us: u64) -> Run {
        self.setup.vantage = vantage;
        if vantage.remote_server {
            self.setup.knowledge = Knowledge::Wire;
            self.late_us[0] = late_us;
        }
        if vantage.remote_clients {
            self.late_us[1] = late_us;
        }
        self
    }
}

fn bad(seed: u64) -> Run {
    Run::new(2).busy().seed(seed).links(|link| {
        link.loss_ppm = 100_000;
        link.jitter_us = 30_000;
        link.duplicate_ppm = 80_000;
        link.duplicate_us = 60_000;
        link.reorder_ppm = 80_000;
        link.reorder_us = 120_000;
    })
}

#[test]
fn ends_that_read_late_pass() {
    for vantage in [SERVER, CLIENTS, BOTH] {
        for late_us in [1_000, 40_000, 130_000] {
            check_passes(Run::new(2).busy().seen_from(vantage, late_us), &["GG2-ACK-06", "GG2-SNAP-03"]);
            for seed in 0..4 {
                check_passes(bad(seed).seen_from(vantage, late_us), &[]);
            }
        }
    }
}

#[test]
fn who_reads_late_is_found_at_fault_where_it_is_not_known_to_be_remote() {
    let mut run = Run::new(2).busy();
    run.late_us = [130_000; 2];
    assert_ne!(show(run.judge().findings()), "");
}

/// Passes on what a recording at the clients shows: what arrived there, as often and in the order in which it did.
struct AtClients<'a> {
    far: FarAway<'a>,
    next: u32,
}

impl Probe for AtClients<'_> {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        let (packet, bytes) = match *event {
            TraceEvent::Delivered { packet, bytes, intact: true, .. }
                if packet.direction == Direction::ServerToClient =>
            {
                (packet, bytes)
            }
            TraceEvent::Sent { packet, bytes, .. } if packet.direction == Direction::ClientToServer => (packet, bytes),
            TraceEvent::Command { host, .. } if host != HostId::SERVER => return self.far.on(now, event),
            _ => return,
        };
        self.next += 1;
        let packet = PacketId { slot: self.next, ordinal: 0, index: self.next, ..packet };
        let fate = Fate::Once(kit::Delivery::whole(0));
        self.far.on(now, &TraceEvent::Sent { packet, bytes, fate, dissection: None });
        self.far.on(now, &TraceEvent::Delivered { packet, copy: 0, bytes, intact: true });
    }
}

fn recorded_at_clients(run: Run, server: Option<&str>) -> Watch<Pygg2Oracle> {
    let run = run.seen_from(BOTH, 0);
    let mut oracle = watch(&run.setup);
    let far = FarAway { oracle: &mut oracle, vantage: BOTH, connected: BTreeSet::new() };
    let replacement = PROTOCOL.mutants().find(|mutant| server == Some(mutant.name)).map(|mutant| mutant.replacement);
    assert_eq!(replacement.is_some(), server.is_some());
    run.play(replacement, &mut AtClients { far, next: 0 });
    oracle.finish(Time::from_ms(10_000));
    oracle
}

#[test]
fn what_the_network_sent_a_client_twice_or_late_is_no_fault_of_the_server() {
    for seed in 0..8 {
        assert_eq!(show(recorded_at_clients(bad(seed), None).findings()), "", "seed {seed}");
    }
    for (server, requirement) in [("turned-header", "GG2-SEQ-04"), ("repeats-numbers", "GG2-SEQ-01")] {
        let oracle = recorded_at_clients(Run::new(3).busy(), Some(server));
        let found = oracle.findings().iter().any(|finding| finding.suspects.to_string().contains(requirement));
        assert!(found, "{server}: {}", show(oracle.findings()));
    }
}

#[test]
fn another_player_number_tick_name_and_first_number_are_learned() {
    let foreign = |setup: &Setup| -> Box<dyn Endpoint> {
        let mut setup = setup.clone();
        let option = |name: &str| OPTIONS.iter().position(|option| option.name == name).expect("an option");
        setup.options[option("tick_us")] = 330_000;
        setup.texts[1] = "elsewhere".into();
        setup.texts[2] = "other".into();
        Box::new(Server::new(&setup, Rules::REFERENCE.server, Rules::REFERENCE.latitude))
    };
    let run = Run::new(2).busy().seen_from(SERVER, 5_000);
    let oracle = run.judge_with(Some(Replacement { role: Role::Server, build: foreign }));
    assert_eq!(show(oracle.findings()), "");
}

#[test]
fn a_client_that_comes_back_without_a_command_is_judged_anew() {
    let back = |pause: u64| {
        let away = Run::new(2).busy().at(4_000, 1, Command::Disconnect);
        away.at(4_000 + pause, 1, Command::Connect)
    };
    for vantage in [CLIENTS, BOTH] {
        for pause in [700, 2_500] {
            let oracle = check_passes(back(pause).seen_from(vantage, 20_000), &["GG2-HS-06"]);
            let judged = oracle.judge.sessions.iter().all(|session| session.client.indeterminate.is_none());
            assert!(judged || pause < 1_000, "{:?}", oracle.remarks());
        }
    }
}

#[test]
fn a_recording_that_begins_in_the_middle_is_not_judged_before_it_can_be() {
    struct Tail<'a>(FarAway<'a>);
    impl Probe for Tail<'_> {
        fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
            if now > Time::from_ms(2_000) || matches!(event, TraceEvent::Command { .. }) {
                self.0.on(now, event);
            }
        }
    }
    let run = Run::new(2).busy().seen_from(BOTH, 0);
    let mut oracle = watch(&run.setup);
    let far = FarAway { oracle: &mut oracle, vantage: BOTH, connected: BTreeSet::new() };
    run.play(None, &mut Tail(far));
    oracle.finish(Time::from_ms(10_000));
    assert_eq!(show(oracle.findings()), "");
    assert!(oracle.remarks().iter().any(|remark| remark.contains("before it was observed")), "{:?}", oracle.remarks());
}

/// The mutants of `role` that are found at their requirement when that end is remote and reads late.
fn found(role: Role, vantage: Vantage) -> Vec<&'static str> {
    let killed = |mutant: &&'static Mutant| {
        let kills = |run: Run| {
            let oracle = run.seen_from(vantage, 15_000).judge_with(Some(mutant.replacement));
            oracle.findings().iter().any(|finding| finding.suspects.contains(mutant.caught_by))
        };
        kills(Run::new(3).busy()) || kills(bad(1))
    };
    PROTOCOL
        .mutants()
        .filter(|mutant| mutant.replacement.role == role)
        .filter(killed)
        .map(|mutant| mutant.name)
        .collect()
}

#[test]
fn mutants_that_are_remote_are_still_found() {
    let servers = found(Role::Server, SERVER);
    let clients = found(Role::Client, CLIENTS);
    assert!(servers.len() >= 10 && clients.len() >= 3, "{servers:?}, {clients:?}");
}
