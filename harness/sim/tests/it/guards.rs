//! Hosts and scenarios that misbehave halt the run; they neither hang nor break it.

use crate::hosts::{Talker, boxed, run};
use kit::{Command, Endpoint, Event, HostId, PeerId, Time, View};
use sim::{Halt, Link, MAX_HOSTS, MAX_IN_FLIGHT, Network, Unwatched};

/// Does one thing without end.
struct Stuck {
    fires: bool,
    sends: bool,
    says: bool,
    /// How many datagrams it sends for each that it receives.
    multiplies: usize,
    owed: usize,
}

const IDLE: Stuck = Stuck { fires: false, sends: false, says: false, multiplies: 0, owed: 0 };

impl Endpoint for Stuck {
    fn handle_command(&mut self, _: Time, _: &Command) {
        self.owed = usize::from(self.multiplies > 0);
    }
    fn handle_datagram(&mut self, _: Time, _: PeerId, _: &[u8]) {
        self.owed += self.multiplies;
    }
    fn handle_timeout(&mut self, _: Time) {}
    fn poll_transmit(&mut self, _: Time, _: &mut Vec<u8>) -> Option<PeerId> {
        let owes = self.owed > 0;
        self.owed -= usize::from(owes);
        (owes || self.sends).then_some(PeerId::SERVER)
    }
    fn poll_event(&mut self) -> Option<Event> {
        self.says.then_some(Event::Note { note: 0, args: [0; 4] })
    }
    fn poll_timeout(&self) -> Option<Time> {
        self.fires.then_some(Time::ZERO)
    }
    fn observe(&self, _: &mut View) {}
}

fn check(client: Stuck, link: &Link, expected: Halt) {
    let server: Box<dyn Endpoint> = Box::new(Talker::echo());
    let outcome = halted(vec![server, Box::new(client)], link);
    assert_eq!(outcome, Some(expected));
}

/// Wakes host 1 with a command at 3 microseconds.
fn halted(hosts: Vec<Box<dyn Endpoint>>, link: &Link) -> Option<Halt> {
    let network = Network::uniform(1, 1, link);
    run(hosts, &network, &[(Time(3), HostId(1), Command::Map)], Time::from_ms(60_000), &mut Unwatched).halted
}

#[test]
fn a_timer_that_is_always_due_halts_the_run() {
    check(Stuck { fires: true, ..IDLE }, &Link::clean(9), Halt::NoProgress { host: HostId(1), at: Time::ZERO });
}

#[test]
fn sending_without_end_halts_the_run() {
    check(Stuck { sends: true, ..IDLE }, &Link::clean(9), Halt::NoProgress { host: HostId(1), at: Time(3) });
}

#[test]
fn events_without_end_halt_the_run() {
    check(Stuck { says: true, ..IDLE }, &Link::clean(9), Halt::NoProgress { host: HostId(1), at: Time(3) });
}

#[test]
fn two_hosts_that_answer_each_other_at_one_instant_halt_the_run() {
    let echo = Stuck { multiplies: 1, ..IDLE };
    check(echo, &Link::clean(0), Halt::NoProgress { host: HostId(0), at: Time(3) });
}

#[test]
fn datagrams_that_multiply_halt_the_run() {
    // Doubled every 4 ms; the 65,536 of the sixteenth doubling fill a slot together with those before.
    let doubling = Stuck { multiplies: 2, ..IDLE };
    check(doubling, &Link::clean(2_000), Halt::Flood { host: HostId(1), at: Time(64_003) });
}

#[test]
fn too_many_datagrams_under_way_halt_the_run() {
    // 4,000 every millisecond, each under way for a second: 2^20 are reached with the 263rd round.
    let hosts = boxed(vec![Talker::new(&[PeerId::client(1); 4_000], 1_000, 4), Talker::default()]);
    let network = Network::uniform(1, 1, &Link::clean(1_000_000));
    let outcome = run(hosts, &network, &[], Time::from_ms(2_000), &mut Unwatched);
    assert_eq!(outcome.halted, Some(Halt::Flood { host: HostId::SERVER, at: Time::from_ms(262) }));
    assert_eq!(outcome.datagrams, MAX_IN_FLIGHT as u64 + 1);
}

#[test]
fn a_datagram_for_nobody_halts_the_run() {
    let check = |to: PeerId, clients: usize, halt: Option<Halt>| {
        let hosts = boxed(vec![Talker::new(&[to], 50, 4), Talker::default()]);
        let outcome = run(hosts, &Network::uniform(1, clients, &Link::clean(9)), &[], Time(70), &mut Unwatched);
        assert_eq!(outcome.halted, halt);
    };
    let refused = |to| Some(Halt::Destination { host: HostId(0), to: HostId(to), at: Time(0) });
    check(PeerId::client(1), 1, None);
    check(PeerId::client(1), 0, refused(1));
    check(PeerId::client(2), 1, refused(2));
    check(PeerId::client(2), 9, refused(2));
    check(PeerId::SERVER, 1, refused(0));
}

#[test]
fn a_datagram_from_client_to_client_halts_the_run() {
    let hosts = boxed(vec![Talker::default(), Talker::new(&[PeerId::client(2)], 50, 4), Talker::default()]);
    let outcome = run(hosts, &Network::uniform(1, 2, &Link::clean(9)), &[], Time(70), &mut Unwatched);
    let halt = Halt::Destination { host: HostId(1), to: HostId(2), at: Time(0) };
    assert_eq!((outcome.halted, outcome.end), (Some(halt), Time(0)));
    assert_eq!(halt.to_string(), "client1 sends to client2 at 0.000000s, which it cannot reach");
}

#[test]
fn a_command_for_nobody_halts_the_run() {
    let commands = [(Time(8), HostId(4), Command::Map)];
    let outcome = run(boxed(vec![Talker::default()]), &Network::default(), &commands, Time(70), &mut Unwatched);
    assert_eq!((outcome.halted, outcome.end), (Some(Halt::UnknownHost { host: HostId(4), at: Time(8) }), Time(8)));
}

#[test]
fn more_hosts_than_keys_can_name_are_refused() {
    let hosts = boxed((0..=MAX_HOSTS).map(|_| Talker::default()).collect());
    let outcome = run(hosts, &Network::default(), &[], Time(70), &mut Unwatched);
    assert_eq!(outcome.halted, Some(Halt::TooManyHosts { hosts: MAX_HOSTS + 1 }));
}

#[test]
fn a_run_without_hosts_or_end_just_ends() {
    let outcome = run(Vec::new(), &Network::default(), &[], Time(u64::MAX), &mut Unwatched);
    assert_eq!((outcome.halted, outcome.end, outcome.inputs), (None, sim::LAST, 0));
}

#[test]
fn many_commands_at_one_instant_are_no_standstill() {
    let commands = vec![(Time(8), HostId(0), Command::Spawn { entity: 1 }); 60_000];
    let outcome = run(boxed(vec![Talker::default()]), &Network::default(), &commands, Time(70), &mut Unwatched);
    assert_eq!((outcome.halted, outcome.inputs), (None, 60_000));
}
