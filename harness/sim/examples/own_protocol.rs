//! A protocol of one's own in the simulator, with none of ours: a server numbers its messages and repeats the newest until it is
//! acknowledged; a client applies each once, in order. A judge watches many seeds: `cargo run --example own_protocol`.

use kit::{Command, Endpoint, Event, HostId, PeerId, Probe, Time, TraceEvent, View};
use sim::{Link, Network, Simulation};

const AGAIN_US: u64 = 100_000; // Then the server repeats what is not acknowledged.

/// Either end: the message that the server sends, or that the client has applied.
#[derive(Default)]
struct End {
    is_server: bool,
    is_careless: bool, // A fault to be found: the client applies whatever comes.
    number: u8,
    owed: bool,
    due: Option<Time>,
    applied: Option<u8>,
}

impl Endpoint for End {
    fn handle_command(&mut self, _: Time, _: &Command) {}

    fn handle_datagram(&mut self, now: Time, _: PeerId, bytes: &[u8]) {
        let &[number] = bytes else { return };
        if self.is_server && number == self.number {
            self.number = self.number.wrapping_add(1);
            self.due = Some(now);
        } else if !self.is_server {
            self.owed = true;
            if self.is_careless || number != self.number {
                (self.number, self.applied) = (number, Some(number));
            }
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        self.owed = true;
        self.due = Some(now.after(AGAIN_US));
    }

    fn poll_transmit(&mut self, _: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        out.extend(std::mem::take(&mut self.owed).then_some(self.number));
        (!out.is_empty()).then_some(if self.is_server { PeerId::client(1) } else { PeerId::SERVER })
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.applied.take().map(|number| Event::Note { note: 0, args: [i64::from(number), 0, 0, 0] })
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.due
    }

    fn observe(&self, _: &mut View) {}
}

/// How many messages the client applied, and whether one was not the next.
#[derive(Default)]
struct Judge {
    applied: i64,
    is_wrong: bool,
}

impl Probe for Judge {
    fn on(&mut self, _: Time, event: &TraceEvent<'_>) {
        let TraceEvent::Event { host: HostId(1), event: Event::Note { args: [number, ..], .. } } = event else {
            return;
        };
        self.applied += 1;
        self.is_wrong |= *number != self.applied % 256;
    }
}

fn judge(seed: u64, is_careless: bool) -> Judge {
    let link = Link { latency_us: 20_000, loss_ppm: 100_000, duplicate_ppm: 50_000, ..Link::default() };
    let network = Network::uniform(seed, 1, &link);
    let server = End { is_server: true, due: Some(Time::ZERO), ..End::default() };
    let hosts = &mut [Box::new(server) as Box<dyn Endpoint>, Box::new(End { is_careless, ..End::default() })];
    let (commands, until) = (&mut std::iter::empty(), Time::from_ms(10_000));
    let mut judge = Judge::default();
    Simulation { hosts, network: &network, commands, dissector: None, until, hash: false }.run(&mut judge);
    judge
}

/// How many of 20 runs break the order.
fn broken(is_careless: bool) -> usize {
    let runs: Vec<Judge> = (0..20).map(|seed| judge(seed, is_careless)).collect();
    assert!(runs.iter().all(|run| run.applied > 100));
    runs.iter().filter(|run| run.is_wrong).count()
}

fn main() {
    println!("the order is broken in {} of 20 runs; with a careless client in {}", broken(false), broken(true));
}

#[test]
fn the_judge_finds_the_fault_and_nothing_else() {
    assert_eq!((broken(false), broken(true)), (0, 20));
}
