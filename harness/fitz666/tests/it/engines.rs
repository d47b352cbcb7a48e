//! What servers of other engines do that the reference does not, over a simulated network; and the oracle where somebody else
//! runs one of the ends.

use fitz666::dissector::{ACCEPT, Fitz666Dissector};
use fitz666::state::{FRAME, MODEL, ORIGIN_X};
use fitz666::{PROTOCOL, constants, mutants, variants};
use kit::table::float_bits;
use kit::{
    Command, Dissection, Dissector, Endpoint, HostId, Knowledge, Oracle, PacketId, PeerId, Probe, Replacement, Role,
    Setup, Tampered, Time, TraceEvent, Vantage,
};
use netquake::constants::{
    PRFL_24BITCOORD, PRFL_EDICTSCALE, PRFL_FLOATANGLE, PRFL_FLOATCOORD, PRFL_INT32COORD, PRFL_SHORTANGLE,
};
use sim::{Link, Network};
use testkit::session::{hosts, simulate};

/// The oracle, and what it does not say: how often clients were accepted, what was agreed upon, and where they are.
struct Seen {
    oracle: Box<dyn Oracle>,
    dissector: Fitz666Dissector,
    out: Dissection,
    accepts: usize,
    state: &'static str,
    shown: Option<f32>,
}

impl Probe for Seen {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        self.oracle.on(now, event);
        if let TraceEvent::Sent { packet: PacketId { client, direction, .. }, bytes, .. } = *event {
            self.out.clear();
            self.dissector.datagram(client, direction, bytes, &mut self.out);
            self.accepts += self.out.marks.iter().filter(|mark| mark.kind == ACCEPT).count();
        }
    }

    fn settled(&mut self, now: Time, host: HostId, endpoint: &dyn kit::Endpoint) {
        self.oracle.settled(now, host, endpoint);
        if host != HostId::SERVER {
            let mut view = kit::View::default();
            endpoint.observe(&mut view);
            self.state = view.state;
            self.shown = view.entity(7).map(|fields| f32::from_bits(fields[ORIGIN_X] as u32));
        }
    }
}

/// A client and an entity that changes, for twenty seconds: what the oracle found, as `server FITZ-NET-08`, and what was seen.
fn play(setup: &Setup, replacement: Option<Replacement>, link: &Link, seed: u64) -> (Vec<String>, Seen) {
    let network = Network::uniform(seed, 1, link);
    let set = |field: usize, value: i32| Command::Set { entity: 7, field, value };
    let begin = [Command::Spawn { entity: 7 }, set(MODEL, 3), set(ORIGIN_X, float_bits(100.3))];
    let start = begin.into_iter().map(|command| (Time::ZERO, HostId::SERVER, command));
    let connect = std::iter::once((Time::ZERO, HostId(1), Command::Connect));
    let frames = (1..100).map(|step: u64| (Time::from_ms(step * 180), HostId::SERVER, set(FRAME, (step % 60) as i32)));
    judged(setup, replacement, &network, start.chain(connect).chain(frames), Time::from_ms(20_000))
}

/// A run of these commands, as [`play`].
fn judged(
    setup: &Setup,
    replacement: Option<Replacement>,
    network: &Network,
    commands: impl IntoIterator<Item = (Time, HostId, Command)>,
    until: Time,
) -> (Vec<String>, Seen) {
    let mut seen = Seen {
        oracle: (PROTOCOL.oracle)(setup),
        dissector: Fitz666Dissector::new(Some(setup)),
        out: Dissection::default(),
        accepts: 0,
        state: "",
        shown: None,
    };
    simulate(hosts(&PROTOCOL, setup, replacement), network, commands, until, &mut seen);
    seen.oracle.finish(until);
    let found = seen
        .oracle
        .findings()
        .iter()
        .map(|finding| format!("{} {}: {}", finding.host, finding.requirement().id, finding.what));
    (found.collect(), seen)
}

fn setup(options: &[(&str, i64)]) -> Setup {
    testkit::setup(&PROTOCOL, 0, options)
}

fn lossy(percent: u32) -> Link {
    Link { loss_ppm: percent * 10_000, duplicate_ppm: 50_000, ..Link::clean(25_000) }
}

fn challenging() -> Replacement {
    let variant = variants::VARIANTS.iter().copied().flatten().find(|variant| variant.name == "challenges-clients");
    variant.expect("a variant").replacement
}

#[test]
fn a_client_repeats_a_number_and_begins_anew_whatever_is_lost() {
    let mut asked_again = 0;
    for seed in 0..24 {
        let (found, seen) = play(&setup(&[]), Some(challenging()), &lossy(20), seed);
        assert_eq!((found, seen.state), (Vec::<String>::new(), "active"), "seed {seed}");
        asked_again += usize::from(seen.accepts > 3);
    }
    assert!(asked_again > 0, "in some run the challenge was lost");
}

#[test]
fn a_client_that_names_its_protocols_is_served_with_666() {
    let (found, seen) = play(&setup(&[]), Some(challenging()), &Link::clean(25_000), 1);
    assert_eq!((found, seen.state, seen.accepts), (Vec::new(), "active", 2));
    assert_eq!(seen.dissector.extensions(), ["protocol 666"]);
}

/// A server of protocol 999 with these flags shows an entity at 100.3 there.
fn check_dialect(flags: u32, expected: f32) {
    let options = [("protocol", constants::PROTOCOL_RMQ.into()), ("protocol_flags", flags.into())];
    let (found, seen) = play(&setup(&options), None, &lossy(10), 3);
    assert_eq!((found, seen.state, seen.shown), (Vec::new(), "active", Some(expected)), "{flags:#x}");
    assert_eq!(seen.dissector.extensions(), [format!("protocol 999 flags {flags:#x}")]);
    let remarks = seen.oracle.remarks();
    assert!(remarks.iter().any(|remark| remark.starts_with("protocol 999")), "{remarks:?}");
}

#[test]
fn protocol_999_is_spoken_with_its_flags() {
    check_dialect(0, 100.25);
    check_dialect(PRFL_SHORTANGLE, 100.25);
    check_dialect(PRFL_FLOATANGLE, 100.25);
    check_dialect(PRFL_24BITCOORD, 100.0 + 77.0 / 255.0);
    check_dialect(PRFL_FLOATCOORD, 100.3);
    check_dialect(PRFL_EDICTSCALE, 100.25);
    check_dialect(PRFL_INT32COORD, 100.3125);
    check_dialect(PRFL_SHORTANGLE | PRFL_FLOATCOORD, 100.3);
    check_dialect(PRFL_FLOATANGLE | PRFL_24BITCOORD, 100.0 + 77.0 / 255.0);
    check_dialect(PRFL_FLOATANGLE | PRFL_INT32COORD, 100.3125);
}

/// A server that announces these flags beside the number of its protocol, whatever it speaks.
fn announcing<const FLAGS: u32>(setup: &Setup) -> Box<dyn Endpoint> {
    let dissector = Box::new(Fitz666Dissector::new(Some(setup)));
    let server = Tampered::new((PROTOCOL.server)(setup), setup.host, dissector, netquake::datagram::seal);
    Box::new(server.outgoing(|packet| {
        for span in packet.fields("protocol flags").collect::<Vec<_>>() {
            packet.set(span, FLAGS.into());
        }
    }))
}

/// A server that speaks 999 with the flags `spoken` and announces others is found out.
fn check_announced<const ANNOUNCED: u32>(spoken: u32) {
    let options = [("protocol", constants::PROTOCOL_RMQ.into()), ("protocol_flags", spoken.into())];
    let server = Replacement { role: Role::Server, build: announcing::<ANNOUNCED> };
    let (found, _) = play(&setup(&options), Some(server), &Link::clean(25_000), 1);
    let first = found.first().map(String::as_str).unwrap_or_default();
    assert!(first.starts_with("server FITZ-VER-04"), "{spoken:#x} as {ANNOUNCED:#x}: {found:?}");
}

#[test]
fn a_server_that_does_not_speak_as_its_flags_say_is_found() {
    check_announced::<0>(PRFL_SHORTANGLE);
    check_announced::<0>(PRFL_FLOATANGLE);
    check_announced::<0>(PRFL_24BITCOORD);
    check_announced::<0>(PRFL_FLOATCOORD);
    check_announced::<0>(PRFL_INT32COORD);
    check_announced::<PRFL_SHORTANGLE>(0);
    check_announced::<PRFL_FLOATANGLE>(0);
    check_announced::<PRFL_24BITCOORD>(0);
    check_announced::<PRFL_FLOATCOORD>(0);
    check_announced::<PRFL_INT32COORD>(0);
    // As wide, and still something else.
    check_announced::<PRFL_INT32COORD>(PRFL_FLOATCOORD);
    check_announced::<PRFL_FLOATCOORD>(PRFL_INT32COORD);
}

/// A server whose entities are all a frame ahead.
fn ahead(setup: &Setup) -> Box<dyn Endpoint> {
    let dissector = Box::new(Fitz666Dissector::new(Some(setup)));
    let server = Tampered::new((PROTOCOL.server)(setup), setup.host, dissector, netquake::datagram::seal);
    Box::new(server.outgoing(|packet| {
        for span in packet.fields("frame").collect::<Vec<_>>() {
            packet.set(span, packet.value(span) + 1);
        }
    }))
}

#[test]
fn what_a_server_of_protocol_999_says_is_compared_with_its_world() {
    for flags in [0, PRFL_SHORTANGLE | PRFL_INT32COORD, PRFL_FLOATANGLE | PRFL_24BITCOORD] {
        let options = [("protocol", constants::PROTOCOL_RMQ.into()), ("protocol_flags", flags.into())];
        let server = Replacement { role: Role::Server, build: ahead };
        let (found, _) = play(&setup(&options), Some(server), &Link::clean(25_000), 1);
        assert!(
            found.iter().any(|found| found.starts_with("server FITZ-VER-04: to client1: entity 7: frame")),
            "{found:?}"
        );
    }
}

/// What is found where somebody else runs one end, or both.
fn found_from(vantage: Vantage, replacement: Option<Replacement>, link: &Link, seed: u64) -> Vec<String> {
    let knowledge = if vantage.remote_server { Knowledge::Wire } else { Knowledge::World };
    play(&Setup { knowledge, vantage, ..setup(&[]) }, replacement, link, seed).0
}

const SERVER: Vantage = Vantage::OF_CLIENT;
const CLIENTS: Vantage = Vantage::OF_SERVER;
const BOTH: Vantage = Vantage { remote_server: true, untimed: true, ..CLIENTS };

#[test]
fn from_no_vantage_is_a_conforming_end_at_fault() {
    for vantage in [SERVER, CLIENTS, BOTH] {
        for seed in 0..6 {
            for replacement in [None, Some(challenging())] {
                let found = found_from(vantage, replacement, &lossy(10 * (seed as u32 % 4)), seed);
                assert_eq!(found, Vec::<String>::new(), "seed {seed}");
            }
        }
    }
}

/// A mutant is found from this vantage at this host's requirement, over some lossy network.
fn check_mutant(vantage: Vantage, name: &str, expected: &str) {
    let mutant = mutants::MUTANTS.iter().copied().flatten().find(|mutant| mutant.name == name).expect("a mutant");
    let found: Vec<String> =
        (0..6).flat_map(|seed| found_from(vantage, Some(mutant.replacement), &lossy(20), seed)).collect();
    assert!(found.iter().any(|found| found.starts_with(expected)), "{name}: {found:?}");
}

#[test]
fn broken_ends_are_found_from_their_datagrams_alone() {
    check_mutant(SERVER, "server-acks-with-next", "server FITZ-NET-03");
    check_mutant(SERVER, "server-renumbers", "server FITZ-NET-04");
    check_mutant(CLIENTS, "client-acks-with-next", "client1 FITZ-NET-03");
    check_mutant(CLIENTS, "client-renumbers", "client1 FITZ-NET-04");
    check_mutant(CLIENTS, "time-not-echoed", "client1 FITZ-VER-04");
    check_mutant(CLIENTS, "byte-angles-always", "client1 FITZ-MOVE-01");
}

/// A server that, before each new map, does nothing for so many seconds: what comes meanwhile it reads later.
struct Waiting {
    inner: Box<dyn Endpoint>,
    seconds: u64,
    until: Time,
    maps: u32,
    unread: Vec<(PeerId, Vec<u8>)>,
}

impl Waiting {
    fn waits(&self, now: Time) -> bool {
        now < self.until
    }
}

impl Endpoint for Waiting {
    fn handle_command(&mut self, now: Time, command: &Command) {
        if matches!(command, Command::Map) {
            self.until = self.until.max(now).after(self.seconds * 1_000_000);
            self.maps += 1;
        } else {
            self.inner.handle_command(now, command);
        }
    }

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        if self.waits(now) {
            self.unread.push((from, bytes.to_vec()));
        } else {
            self.inner.handle_datagram(now, from, bytes);
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        if self.waits(now) {
            return;
        }
        for _ in 0..std::mem::take(&mut self.maps) {
            self.inner.handle_command(now, &Command::Map);
        }
        for (from, bytes) in std::mem::take(&mut self.unread) {
            self.inner.handle_datagram(now, from, &bytes);
        }
        self.inner.handle_timeout(now);
    }

    fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        if self.waits(now) { None } else { self.inner.poll_transmit(now, out) }
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.inner.poll_timeout().map(|at| at.max(self.until))
    }

    kit::pass_on!(inner: poll_event forget observe);
}

fn waiting<const SECONDS: u64>(setup: &Setup) -> Box<dyn Endpoint> {
    let inner = (PROTOCOL.server)(setup);
    Box::new(Waiting { inner, seconds: SECONDS, until: Time::ZERO, maps: 0, unread: Vec::new() })
}

/// What is found where a server waits before each of two maps, and a client leaves and comes again meanwhile.
fn found_waiting(build: fn(&Setup) -> Box<dyn Endpoint>) -> Vec<String> {
    let setup = Setup { vantage: Vantage::OF_WORLDLESS, ..setup(&[]) };
    let at = |ms: u64, host: HostId, command: Command| (Time::from_ms(ms), host, command);
    let commands = [
        at(0, HostId(1), Command::Connect),
        at(5000, HostId::SERVER, Command::Map),
        at(5200, HostId(1), Command::Disconnect),
        at(5400, HostId(1), Command::Connect),
        at(5600, HostId::SERVER, Command::Map),
    ];
    let replacement = Some(Replacement { role: Role::Server, build });
    let network = Network::uniform(1, 1, &Link::clean(25_000));
    judged(&setup, replacement, &network, commands, Time::from_ms(40_000)).0
}

#[test]
fn an_engine_may_wait_for_its_clients_before_a_map_but_not_for_ever() {
    assert_eq!(found_waiting(waiting::<0>), Vec::<String>::new());
    assert_eq!(found_waiting(waiting::<5>), Vec::<String>::new());
    let found = found_waiting(waiting::<9>);
    assert!(found.iter().any(|found| found.starts_with("server FITZ-NET-08")), "{found:?}");
}
