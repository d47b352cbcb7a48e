//! A host that wants to know for how long nothing comes is told so: never too long, and no shorter than the inputs of others allow.

use kit::{Command, Endpoint, Event, HostId, Pause, PeerId, Time, View};
use sim::{Link, Network, Simulation, Unwatched};
use std::cell::RefCell;
use std::rc::Rc;

/// What a host was told and what came: the moment, what it is, and until when nothing comes.
type Seen = Rc<RefCell<Vec<(u64, &'static str, u64)>>>;

/// Wants a timeout again and again, sends nothing, and notes all that it gets.
struct Listener {
    every_us: u64,
    due: Time,
    until: Time,
    seen: Seen,
}

impl Listener {
    fn note(&mut self, now: Time, what: &'static str) {
        self.seen.borrow_mut().push((now.us(), what, self.until.us()));
    }
}

impl Endpoint for Listener {
    fn handle_command(&mut self, now: Time, _: &Command) {
        self.note(now, "command");
    }
    fn handle_datagram(&mut self, now: Time, _: PeerId, _: &[u8]) {
        self.note(now, "datagram");
    }
    fn handle_timeout(&mut self, now: Time) {
        self.due = now.after(self.every_us);
        self.note(now, "timeout");
    }
    fn poll_transmit(&mut self, _: Time, _: &mut Vec<u8>) -> Option<PeerId> {
        None
    }
    fn poll_event(&mut self) -> Option<Event> {
        None
    }
    fn poll_timeout(&self) -> Option<Time> {
        Some(self.due)
    }
    fn wants_quiet(&self) -> bool {
        true
    }
    fn quiet_until(&mut self, until: Time) {
        self.until = until;
    }
    fn observe(&self, _: &mut View) {}
}

/// Sends something to the server again and again. Told nothing, since it does not ask.
struct Beat {
    every_us: u64,
    due: Time,
    waits: bool,
}

impl Endpoint for Beat {
    fn handle_command(&mut self, _: Time, _: &Command) {}
    fn handle_datagram(&mut self, _: Time, _: PeerId, _: &[u8]) {}
    fn handle_timeout(&mut self, now: Time) {
        (self.due, self.waits) = (now.after(self.every_us), true);
    }
    fn poll_transmit(&mut self, _: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        out.push(7);
        std::mem::take(&mut self.waits).then_some(PeerId::SERVER)
    }
    fn poll_event(&mut self) -> Option<Event> {
        None
    }
    fn poll_timeout(&self) -> Option<Time> {
        Some(self.due)
    }
    fn quiet_until(&mut self, _: Time) {
        unreachable!("it did not ask");
    }
    fn observe(&self, _: &mut View) {}
}

/// What the server sees of two clients that send every so often over `link`, until a moment.
fn run(
    server_us: u64,
    clients_us: [u64; 2],
    link: &Link,
    pauses: &[Pause],
    until: u64,
) -> Vec<(u64, &'static str, u64)> {
    let seen = Seen::default();
    let server = Listener { every_us: server_us, due: Time(server_us), until: Time::ZERO, seen: Rc::clone(&seen) };
    let beat = |every_us| -> Box<dyn Endpoint> { Box::new(Beat { every_us, due: Time(every_us), waits: false }) };
    let mut hosts: Vec<Box<dyn Endpoint>> = vec![Box::new(server), beat(clients_us[0]), beat(clients_us[1])];
    let network = Network { pauses: pauses.to_vec(), ..Network::uniform(3, 2, link) };
    let commands = [(Time(0), HostId(0), Command::Map), (Time(until / 2), HostId(0), Command::Map)];
    let simulation = Simulation {
        hosts: &mut hosts,
        network: &network,
        commands: &mut commands.into_iter(),
        dissector: None,
        until: Time(until),
        hash: false,
    };
    simulation.run(&mut Unwatched);
    drop(hosts);
    seen.take()
}

#[test]
fn it_is_told_the_moment_of_the_next_input_of_others() {
    let link = Link { latency_us: 5, ..Link::default() };
    let seen = run(3, [20, 1_000], &link, &[], 40);
    let expected = [
        // The first client sends at 20, and what it sends arrives at 25.
        (0, "command", 20),
        (3, "timeout", 20),
        (6, "timeout", 20),
        (9, "timeout", 20),
        (12, "timeout", 20),
        (15, "timeout", 20),
        (18, "timeout", 20),
        (20, "command", 20),
        (21, "timeout", 25),
        (24, "timeout", 25),
        (25, "datagram", 40),
        (27, "timeout", 40),
        (30, "timeout", 40),
        (33, "timeout", 40),
        (36, "timeout", 40),
        (39, "timeout", 40),
    ];
    assert_eq!(seen, expected);
    let alone = run(30, [1_000, 1_000], &link, &[], 40);
    assert_eq!(alone, [(0, "command", 20), (20, "command", 41), (30, "timeout", 41)], "nothing comes after the end");
}

#[test]
fn a_pause_ends_what_it_is_told() {
    let pause = Pause { host: HostId::SERVER, from: Time(10), until: Time(17) };
    let seen = run(4, [1_000, 1_000], &Link::default(), &[pause], 30);
    assert_eq!(seen[..3], [(0, "command", 10), (4, "timeout", 10), (8, "timeout", 10)]);
    assert_eq!(seen[3..5], [(17, "command", 31), (17, "timeout", 31)], "what was due at 12 and 15");
}

#[test]
fn nothing_comes_before_the_moment_that_it_is_told() {
    let link = Link { latency_us: 90, jitter_us: 60, loss_ppm: 100_000, duplicate_ppm: 300_000, ..Link::default() };
    for (server_us, clients_us) in [(7, [50, 61]), (1, [13, 1_000]), (1_000, [10, 11]), (333, [500, 333])] {
        let seen = run(server_us, clients_us, &link, &[], 20_000);
        assert!(seen.iter().filter(|(_, what, _)| *what == "datagram").count() > 10, "{clients_us:?}");
        for pair in seen.windows(2) {
            let ((_, _, until), (at, what, _)) = (pair[0], pair[1]);
            assert!(what == "timeout" || at >= until, "{what} at {at}, though nothing was to come before {until}");
        }
    }
}
