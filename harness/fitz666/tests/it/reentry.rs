//! A remote end that ends a session and begins another, and one that nothing reaches for a while.

use fitz666::state::{FRAME, MODEL};
use fitz666::{PROTOCOL, mutants};
use kit::{Command, Endpoint, Event, HostId, Knowledge, PeerId, Role, Setup, Time, Vantage, View, Writer};
use netquake::Packet;
use netquake::constants::SVC_DISCONNECT;
use sim::{Link, Network};
use testkit::session::{hosts, simulate};

/// When the remote end fails.
const FAILS: Time = Time::from_ms(5_000);
/// Until when nothing reaches it, if it is not replaced.
const RECOVERS: Time = Time::from_ms(22_000);

/// The number of the fragment in which a client's first sign-on says `begin`.
const BEGIN: u32 = 4;

/// What becomes of a remote end at [`FAILS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// Another takes its place, of which nobody is sent anything.
    Replaced,
    /// It says that the connection is over, and another takes its place.
    SendsDisconnect,
    /// Another takes its place; what the first one sent last comes once more when the first of the new one arrives.
    Echoes,
    /// It reads nothing.
    Deaf,
    /// It reads nothing, and nothing of it arrives.
    CutOff,
    /// Its ack of `begin`, the last message of a sign-on, never arrives.
    Unacknowledging,
}

/// An end that fails.
struct Failing {
    end: Box<dyn Endpoint>,
    next: Option<Box<dyn Endpoint>>,
    fate: Fate,
    /// The datagrams sent last, and those to be sent again.
    last: Vec<(PeerId, Vec<u8>)>,
    echoes: Vec<(PeerId, Vec<u8>)>,
    disconnect: bool,
}

impl Failing {
    fn new(end: Box<dyn Endpoint>, next: Box<dyn Endpoint>, fate: Fate) -> Failing {
        let next = Some(next).filter(|_| !matches!(fate, Fate::Deaf | Fate::CutOff | Fate::Unacknowledging));
        let disconnect = fate == Fate::SendsDisconnect;
        Failing { end, next, fate, last: Vec::new(), echoes: Vec::new(), disconnect }
    }

    fn pass(&mut self, now: Time) {
        if now >= FAILS
            && let Some(mut next) = self.next.take()
        {
            next.handle_command(now, &Command::Connect);
            self.end = next;
        }
    }

    fn is_off(&self, now: Time) -> bool {
        matches!(self.fate, Fate::Deaf | Fate::CutOff) && (FAILS..RECOVERS).contains(&now)
    }
}

impl Endpoint for Failing {
    fn handle_command(&mut self, now: Time, command: &Command) {
        // What the scenario makes of the world is that of both.
        self.next.iter_mut().for_each(|next| next.handle_command(now, command));
        self.end.handle_command(now, command);
    }

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        self.pass(now);
        if !self.is_off(now) {
            self.end.handle_datagram(now, from, bytes);
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        self.pass(now);
        self.end.handle_timeout(now);
    }

    fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        let replaced = self.next.is_none() && now >= FAILS;
        if replaced && std::mem::take(&mut self.disconnect) {
            Packet::Unreliable { sequence: 9_999, payload: &[SVC_DISCONNECT] }.write(&mut Writer::new(out));
            return Some(PeerId::client(1));
        }
        if let Some((peer, datagram)) = self.echoes.pop() {
            out.extend_from_slice(&datagram);
            return Some(peer);
        }
        let start = out.len();
        loop {
            let peer = self.end.poll_transmit(now, out)?;
            let sent = &out[start..];
            let ack = matches!(Packet::read(&mut kit::Reader::new(sent)), Ok(Packet::Ack { sequence: BEGIN }));
            let lost = self.fate == Fate::CutOff && self.is_off(now) || self.fate == Fate::Unacknowledging && ack;
            if lost {
                out.truncate(start);
                continue;
            }
            if !replaced {
                self.last.push((peer, sent.to_vec()));
            } else if !netquake::is_control(sent) && self.fate == Fate::Echoes {
                // The newest of each kind, in the wrong order.
                self.echoes = std::mem::take(&mut self.last);
                let kinds = |flag: u8| self.echoes.iter().rev().find(|(_, datagram)| datagram[1] & flag != 0).cloned();
                self.echoes = [0x10, 0x02, 0x01].into_iter().filter_map(kinds).collect();
            }
            return Some(peer);
        }
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.end.poll_event()
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.end.poll_timeout().into_iter().chain(self.next.as_ref().map(|_| FAILS)).min()
    }

    fn observe(&self, view: &mut View) {
        self.end.observe(view);
    }
}

/// A server or a client with a fate; one that is replaced has the mutant as its successor, if there is one.
fn failing(setup: &Setup, role: Role, fate: Fate, successor: Option<&str>) -> Box<dyn Endpoint> {
    let build = |setup: &Setup| match role {
        Role::Server => (PROTOCOL.server)(setup),
        _ => (PROTOCOL.client)(setup),
    };
    let mutant = successor.map(|name| {
        let mutant = mutants::MUTANTS.iter().copied().flatten().find(|mutant| mutant.name == name);
        (mutant.expect("a mutant").replacement.build)(setup)
    });
    Box::new(Failing::new(build(setup), mutant.unwrap_or_else(|| build(setup)), fate))
}

/// What is found in forty seconds, in which our client, if the server is the
/// remote end, comes back two and a half seconds later; and in which state the client is in the end.
fn play(role: Role, fate: Fate, successor: Option<&'static str>, link: &Link) -> (Vec<String>, &'static str) {
    let (vantage, knowledge) = match role {
        Role::Server => (Vantage::OF_CLIENT, Knowledge::Wire),
        _ => (Vantage::OF_SERVER, Knowledge::World),
    };
    let setup = Setup { knowledge, vantage, ..testkit::setup(&PROTOCOL, 0, &[]) };
    let (server, client) = (HostId::SERVER, HostId(1));
    let set = |field: usize, value: i32| Command::Set { entity: 7, field, value };
    let mut commands = vec![
        (Time::ZERO, server, Command::Spawn { entity: 7 }),
        (Time::ZERO, server, set(MODEL, 300)),
        (Time::ZERO, client, Command::Connect),
    ];
    if matches!(fate, Fate::Deaf | Fate::CutOff) {
        // The first message of the client to that map comes when nothing reaches the server any more.
        commands.push((Time::from_ms(4_910), server, Command::Map));
    }
    commands.extend((1..390).map(|step: u64| (Time::from_ms(step * 100), server, set(FRAME, (step % 60) as i32))));
    if role == Role::Server && matches!(fate, Fate::Replaced | Fate::SendsDisconnect | Fate::Echoes) {
        commands.extend(
            [(7_500, Command::Disconnect), (7_520, Command::Connect)]
                .map(|(ms, command)| (Time::from_ms(ms), client, command)),
        );
    }
    commands.sort_by_key(|command| command.0);
    let mut ends = hosts(&PROTOCOL, &setup, None);
    let remote = if role == Role::Server { 0 } else { 1 };
    let own = setup.on(HostId(remote as u16));
    ends[remote] = failing(&own, role, fate, successor);
    let mut oracle = (PROTOCOL.oracle)(&setup);
    let until = Time::from_ms(40_000);
    let network = Network::uniform(1, 1, link);
    let mut seen = Seen { oracle: &mut *oracle, state: "" };
    simulate(ends, &network, commands, until, &mut seen);
    let state = seen.state;
    oracle.finish(until);
    let found = oracle.findings().iter();
    (found.map(|finding| format!("{} {}: {}", finding.host, finding.requirement().id, finding.what)).collect(), state)
}

struct Seen<'a> {
    oracle: &'a mut dyn kit::Oracle,
    state: &'static str,
}

impl kit::Probe for Seen<'_> {
    fn on(&mut self, now: Time, event: &kit::TraceEvent<'_>) {
        self.oracle.on(now, event);
    }

    fn settled(&mut self, now: Time, host: HostId, endpoint: &dyn Endpoint) {
        self.oracle.settled(now, host, endpoint);
        if host != HostId::SERVER {
            let mut view = View::default();
            endpoint.observe(&mut view);
            self.state = view.state;
        }
    }
}

fn links() -> [Link; 2] {
    [Link::clean(25_000), Link { loss_ppm: 100_000, duplicate_ppm: 50_000, ..Link::clean(25_000) }]
}

#[test]
fn a_remote_end_may_end_a_session_at_any_time_and_begin_another() {
    for link in links() {
        for (role, fate) in [
            (Role::Server, Fate::Replaced),
            (Role::Server, Fate::SendsDisconnect),
            (Role::Server, Fate::Echoes),
            (Role::Client, Fate::Replaced),
            (Role::Client, Fate::Echoes),
        ] {
            let (found, state) = play(role, fate, None, &link);
            assert_eq!((found, state), (Vec::new(), "active"), "{role:?} {fate:?}");
        }
    }
}

#[test]
fn the_session_that_follows_is_judged() {
    let check = |role: Role, fate: Fate, successor: &'static str, expected: &str| {
        let (found, _) = play(role, fate, Some(successor), &Link::clean(25_000));
        assert!(
            found.first().is_some_and(|found| found.starts_with(expected)),
            "{role:?} {fate:?} {successor}: {found:?}"
        );
    };
    for fate in [Fate::Replaced, Fate::SendsDisconnect, Fate::Echoes] {
        check(Role::Server, fate, "server-acks-with-next", "server FITZ-NET-03");
        check(Role::Server, fate, "third-byte-unannounced", "server FITZ-ENT-02");
    }
    for fate in [Fate::Replaced, Fate::Echoes] {
        check(Role::Client, fate, "client-acks-with-next", "client1 FITZ-NET-03");
        check(Role::Client, fate, "byte-angles-always", "client1 FITZ-MOVE-01");
    }
}

#[test]
fn a_remote_server_that_nothing_reaches_owes_no_ack_but_one_that_goes_on_does() {
    for link in links() {
        for fate in [Fate::Deaf, Fate::CutOff] {
            let (found, state) = play(Role::Server, fate, None, &link);
            assert_eq!((found, state), (Vec::new(), "active"), "{fate:?}");
        }
    }
    let (found, _) = play(Role::Server, Fate::Unacknowledging, None, &Link::clean(25_000));
    assert!(found.iter().any(|found| found.starts_with("server FITZ-NET-03")), "{found:?}");
}
