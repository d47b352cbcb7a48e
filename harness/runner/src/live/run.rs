//! The three kinds of live session: our client against a server, our server for clients, a network between the two.

use super::addresses::Addresses;
use super::clock::Clock;
use super::record::Recorder;
use super::rest::{Compared, Rest};
use super::session::{self, Anchor, Outcome, Plan, Seat};
use super::socket::Sockets;
use crate::capture::stage::SessionNote;
use crate::observe::{Observation, Observed, Observer};
use crate::scenario::{Case, file};
use crate::witness::{Missing, Witness};
use kit::{Command, Endpoint, HostId, Knowledge, Probe, Protocol, Replacement, Setup, Time, TraceEvent, Vantage};
use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// What all kinds of session need to know.
pub struct Common<'a> {
    /// The seed of the fates and, mixed with what differs between parallel runs, of our ends.
    pub seed: u64,
    /// Most datagrams per second that one client of ours sends.
    pub rate_limit: u32,
    /// Where to write the session.
    pub record: Option<PathBuf>,
    /// Set from outside to end it early.
    pub stop: &'a AtomicBool,
    /// Gets what happens while it happens.
    pub news: &'a (dyn Fn(News<'_>) + Sync),
}

/// What somebody who waits for clients wants to know at once.
#[derive(Debug)]
pub enum News<'a> {
    /// A client sends its first datagram.
    Came(HostId),
    /// A client was silent for so long that it is forgotten.
    Left(HostId),
    /// Something was found.
    Found(&'a Observed),
}

/// What came of a session.
#[derive(Debug)]
pub struct Live {
    /// How it went.
    pub outcome: Outcome,
    /// What the oracle saw.
    pub observation: Observation,
    /// What its scenario promises and did not happen.
    pub missing: Vec<Missing>,
    /// What a comparison of the faulty clients with the control client has shown, where there is one.
    pub control: Option<Compared>,
}

/// Our client against somebody's server.
#[derive(Clone, Copy)]
pub struct Target {
    pub server: SocketAddr,
    /// A mutant to use as client instead of the reference: its fault is a stimulus.
    pub client: Option<Replacement>,
    /// What the server said of itself that a client must know: an option's index and value.
    pub learned: Option<(usize, i64)>,
    /// Whether a clean client runs beside, whose view is compared in the end.
    pub control: bool,
    /// How long a session lasts at most from its anchor on, in microseconds.
    pub length_us: u64,
    /// How long a client may take to get into the game, in microseconds.
    pub sign_on_us: u64,
}

/// Probes a server with one case.
///
/// # Errors
/// A socket or the recording cannot be opened.
pub fn probe<'a>(case: &'a Case, target: &Target, common: &Common<'a>) -> io::Result<Live> {
    let mut setup = Setup { knowledge: Knowledge::Wire, ..case.setup(own_seed(common.seed)) };
    setup.give(target.learned.as_slice());
    // On this machine nothing is lost between the point of observation and the server's socket.
    let server_may_miss = !target.server.ip().is_loopback();
    setup.vantage = Vantage { server_may_miss, ..Vantage::OF_CLIENT };
    let faulty = setup.clients;
    setup.clients += u16::from(target.control);
    let mut network = case.network(common.seed);
    network.links.resize(usize::from(setup.clients), [sim::Link::default(), sim::Link::default()]);
    let protocol = case.protocol;
    let mut seats = vec![Seat::Remote];
    for host in (1..=setup.clients).map(HostId) {
        let build = target.client.filter(|_| host.0 <= faulty).map_or(protocol.client, |client| client.build);
        seats.push(Seat::Here(build(&setup.on(host))));
    }
    let control = target.control.then_some((Time::ZERO, HostId(setup.clients), Command::Connect));
    let commands = case.commands(common.seed).filter(|(_, host, _)| *host != HostId::SERVER);
    let clock = Clock::start();
    let plan = Plan {
        seats,
        network: &network,
        commands: Box::new(control.into_iter().chain(commands)),
        dissector: Some((protocol.dissector)(Some(&setup))),
        anchor: anchor(case),
        length_us: case.duration().us().min(target.length_us),
        sign_on_us: target.sign_on_us,
        rate_limit: common.rate_limit,
        port_change: protocol.port_change,
        left_states: protocol.states.left,
        outside_states: outside(protocol),
        server: Some(target.server),
        listen: None,
        client_ips: client_ips(target.server.ip(), setup.clients, share_address(protocol, &setup)),
        stop: common.stop,
    };
    let mut watch = Watch::new(protocol, &setup, case, common, target.server.port())?;
    if target.control {
        watch.rest = Some(Rest::new(setup.clients));
    }
    let mut outcome = session::run(plan, Sockets::new(clock), clock, &mut watch)?;
    // What the probe promises of its network does not hold of the control client's.
    outcome.observed.truncate(usize::from(faulty));
    watch.finish(protocol, outcome)
}

/// What a session that waits for somebody's clients needs to know.
pub struct Waiting {
    /// Where clients call.
    pub listen: SocketAddr,
    /// Most clients at a time.
    pub clients: u16,
    /// A client is forgotten after so long without a datagram, in microseconds.
    pub idle_us: u64,
    /// How long it runs, in microseconds.
    pub length_us: u64,
}

/// Serves the world of a case to somebody's clients, by a mutant or else by the reference. `ready` gets the address.
///
/// # Errors
/// The address cannot be bound, or the recording not be opened.
pub fn serve(
    case: &Case,
    waiting: &Waiting,
    server: Option<Replacement>,
    common: &Common<'_>,
    ready: &mut dyn FnMut(SocketAddr),
) -> io::Result<Live> {
    let vantage = Vantage::OF_SERVER;
    let setup = Setup { clients: waiting.clients, vantage, ..case.setup(own_seed(common.seed)) };
    let build = server.map_or(case.protocol.server, |server| server.build);
    wait(case, &setup, Seat::Here(build(&setup)), None, waiting, common, ready)
}

/// Passes datagrams on between somebody's clients and the server `upstream`, with the faults of a case. `ready` gets the
/// which address.
///
/// # Errors
/// The address cannot be bound, or the recording not be opened.
pub fn proxy(
    case: &Case,
    waiting: &Waiting,
    upstream: SocketAddr,
    common: &Common<'_>,
    ready: &mut dyn FnMut(SocketAddr),
) -> io::Result<Live> {
    let (clients, knowledge, vantage) = (waiting.clients, Knowledge::Wire, Vantage::BETWEEN);
    let setup = Setup { clients, knowledge, vantage, ..case.setup(own_seed(common.seed)) };
    wait(case, &setup, Seat::Remote, Some(upstream), waiting, common, ready)
}

/// A session of remote clients with `server`, which is ours or at `upstream`.
fn wait(
    case: &Case,
    setup: &Setup,
    server: Seat,
    upstream: Option<SocketAddr>,
    waiting: &Waiting,
    common: &Common<'_>,
    ready: &mut dyn FnMut(SocketAddr),
) -> io::Result<Live> {
    let network = case_network(case, common.seed, waiting.clients);
    let protocol = case.protocol;
    let clock = Clock::start();
    let mut sockets = Sockets::new(clock);
    let socket = sockets.open(waiting.listen)?;
    let address = sockets.address(socket).unwrap_or(waiting.listen);
    let server_address = upstream.unwrap_or(address);
    let plan = Plan {
        seats: std::iter::once(server).chain((0..waiting.clients).map(|_| Seat::Remote)).collect(),
        network: &network,
        commands: Box::new(
            case.commands(common.seed).filter(|(_, host, _)| upstream.is_none() && *host == HostId::SERVER),
        ),
        dissector: Some((protocol.dissector)(Some(setup))),
        anchor: Anchor::Start,
        length_us: waiting.length_us,
        sign_on_us: 0,
        rate_limit: common.rate_limit,
        port_change: protocol.port_change,
        left_states: protocol.states.left,
        outside_states: outside(protocol),
        server: upstream,
        listen: Some((socket, Addresses::new(waiting.clients, waiting.idle_us))),
        client_ips: client_ips(server_address.ip(), waiting.clients, false),
        stop: common.stop,
    };
    let mut watch = Watch::new(protocol, setup, case, common, server_address.port())?;
    ready(address);
    let outcome = session::run(plan, sockets, clock, &mut watch)?;
    watch.finish(protocol, outcome)
}

/// The states of a client that has no session: the first, and that of one which was refused.
fn outside(protocol: &Protocol) -> &'static [&'static str] {
    let client = protocol.states.client;
    match client.last() {
        Some(&"refused") => &["outside", "refused"],
        _ => client.get(..1).unwrap_or_default(),
    }
}

fn anchor(case: &Case) -> Anchor {
    match case.scenario.file.anchor {
        file::Anchor::Active => Anchor::Active,
        file::Anchor::Start => Anchor::Start,
    }
}

/// The network of a case for so many clients: those that it does not have get the last one's link. A session that waits
/// for clients has no end in which nothing happens any more.
fn case_network(case: &Case, seed: u64, clients: u16) -> sim::Network {
    let mut network = case.network(seed);
    let link = network.links.last().cloned().unwrap_or_default();
    network.links.resize(usize::from(clients), link);
    network.links.iter_mut().flatten().for_each(|link| link.random_until = None);
    network
}

/// A seed for our ends that differs between runs at one time: some servers tell clients apart by numbers drawn from it.
fn own_seed(seed: u64) -> u64 {
    seed.wrapping_add(u64::from(std::process::id()) << 8)
}

/// Whether the scenario says that all clients have one address.
fn share_address(protocol: &Protocol, setup: &Setup) -> bool {
    let place = protocol.options.iter().position(|option| option.name == "same_address");
    place.and_then(|place| setup.options.get(place)).is_some_and(|shared| *shared != 0)
}

/// The addresses of our clients: on one machine each client takes another, because many servers let one client of an
/// address play at a time, and leave an address alone that has just left. Where the scenario says so, all have one.
fn client_ips(server: IpAddr, clients: u16, is_shared: bool) -> Vec<IpAddr> {
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    let taken = TAKEN.fetch_add(u32::from(clients), Ordering::Relaxed);
    let own = |client: u16| match server {
        IpAddr::V4(ip) if ip.is_loopback() && is_shared => own_loopback(taken),
        IpAddr::V4(ip) if ip.is_loopback() => own_loopback(taken.wrapping_add(u32::from(client))),
        IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        IpAddr::V6(ip) if ip.is_loopback() => server,
        IpAddr::V6(_) => IpAddr::V6(std::net::Ipv6Addr::UNSPECIFIED),
    };
    (0..clients).map(own).collect()
}

/// The loopback address of this process's client number `index`: others run beside it.
fn own_loopback(index: u32) -> IpAddr {
    let [_, a, b, c] = std::process::id().wrapping_mul(4_099).wrapping_add(index).to_be_bytes();
    // Neither the network 127.0, where servers are, nor its end, which can be a broadcast address.
    IpAddr::V4(Ipv4Addr::new(127, 1 + a % 254, b, c))
}

/// Everybody who watches a session.
struct Watch<'a> {
    observer: Observer,
    witness: Witness<'a>,
    recorder: Option<Recorder<File>>,
    rest: Option<Rest>,
    news: &'a (dyn Fn(News<'_>) + Sync),
    present: BTreeSet<HostId>,
    reported: usize,
}

impl<'a> Watch<'a> {
    fn new(
        protocol: &'static Protocol,
        setup: &Setup,
        case: &'a Case,
        common: &Common<'a>,
        server_port: u16,
    ) -> io::Result<Watch<'a>> {
        let note =
            SessionNote { profile: String::from(setup.profile.name), vantage: setup.vantage, options: Vec::new() };
        let recorder = match &common.record {
            Some(path) => {
                let open = || Recorder::new(File::create(path)?, &note, server_port);
                let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
                Some(open().map_err(named)?)
            }
            None => None,
        };
        Ok(Watch {
            observer: Observer::new(protocol, setup),
            witness: Witness::new(case.reach(), protocol.notes, case.hidden),
            recorder,
            rest: None,
            news: common.news,
            present: BTreeSet::new(),
            reported: 0,
        })
    }

    fn finish(self, protocol: &'static Protocol, outcome: Outcome) -> io::Result<Live> {
        if let Some(recorder) = self.recorder {
            recorder.finish()?;
        }
        let mut observer = self.observer;
        if let Some(since) = outcome.stood_still {
            observer.stood_still(since);
        }
        let mut observation = observer.finish(outcome.end);
        if outcome.stalled_us > 0 && observation.not_judged.is_none() {
            let stalled = Time(outcome.stalled_us);
            observation.not_judged =
                Some(format!("the server sent nothing for {stalled}, though it was sent datagrams"));
        }
        let missing = self.witness.missing(&outcome.observed);
        let control = self.rest.map(|rest| rest.compare(protocol));
        Ok(Live { outcome, observation, missing, control })
    }
}

impl Probe for Watch<'_> {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        self.observer.on(now, event);
        self.witness.on(now, event);
        if let Some(recorder) = &mut self.recorder {
            recorder.on(now, event);
        }
        match *event {
            TraceEvent::Sent { packet, .. } if self.present.insert(packet.client) => {
                (self.news)(News::Came(packet.client));
            }
            TraceEvent::Command { host, command: Command::Disconnect } if self.present.remove(&host) => {
                (self.news)(News::Left(host));
            }
            _ => {}
        }
        let (found, reported) = self.observer.found_since(self.reported);
        self.reported = reported;
        found.iter().for_each(|observed| (self.news)(News::Found(observed)));
    }

    fn settled(&mut self, now: Time, host: HostId, endpoint: &dyn Endpoint) {
        self.observer.settled(now, host, endpoint);
        if let Some(rest) = &mut self.rest {
            rest.settled(now, host, endpoint);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario;
    use std::path::Path;

    #[test]
    fn the_faults_of_a_session_that_waits_for_clients_do_not_end() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
        let profile = &fitz666::PROTOCOL.profiles[0];
        let Ok(cases) = scenario::probes(&folder, &fitz666::PROTOCOL, profile) else { panic!("the probes are right") };
        let case = cases.iter().find(|case| case.scenario.id == "probe/loss-5").expect("the probe is there");
        let ends =
            |network: &sim::Network| network.links.iter().flatten().filter(|link| link.random_until.is_some()).count();
        assert_eq!((ends(&case.network(1)), ends(&case_network(case, 1, 3))), (2, 0));
    }
}
