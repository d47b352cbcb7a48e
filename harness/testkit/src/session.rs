//! A server and its clients: over a simulated network, or over none.

use kit::{Command, Direction, Endpoint, Event, HostId, PeerId, Probe, Protocol, Replacement, Role, Setup, Time, View};
use sim::{Network, Outcome, Simulation};

/// The reference's server and clients; a replacement takes the place of one role.
pub fn hosts(protocol: &Protocol, setup: &Setup, replacement: Option<Replacement>) -> Vec<Box<dyn Endpoint>> {
    let build = |role: Role, reference| match replacement.filter(|replacement| replacement.role == role) {
        Some(replacement) => replacement.build,
        None => reference,
    };
    let (server, client) = (build(Role::Server, protocol.server), build(Role::Client, protocol.client));
    let clients = (1..=setup.clients).map(|host| client(&setup.on(HostId(host))));
    std::iter::once(server(setup)).chain(clients).collect()
}

/// Runs hosts over a network, without dissector and hash.
pub fn simulate(
    mut hosts: Vec<Box<dyn Endpoint>>,
    network: &Network,
    commands: impl IntoIterator<Item = (Time, HostId, Command)>,
    until: Time,
    probe: &mut dyn Probe,
) -> Outcome {
    let commands = &mut commands.into_iter();
    Simulation { hosts: &mut hosts, network, commands, dissector: None, until, hash: false }.run(probe)
}

/// A server and a client without a network between them.
pub struct Exchange {
    /// The server.
    pub server: Box<dyn Endpoint>,
    /// The client.
    pub client: Box<dyn Endpoint>,
    /// When the next step is.
    pub now: Time,
    /// What they sent, by [`Direction::index`].
    pub sent: [Vec<Vec<u8>>; 2],
}

impl Exchange {
    /// A client that was instructed to connect.
    pub fn new(protocol: &Protocol, setup: &Setup) -> Exchange {
        let (server, client) = ((protocol.server)(setup), (protocol.client)(&setup.on(HostId(1))));
        let mut exchange = Exchange { server, client, now: Time::ZERO, sent: Default::default() };
        exchange.client.handle_command(Time::ZERO, &Command::Connect);
        exchange
    }

    /// A client that is in the game.
    ///
    /// # Panics
    /// It is not, after forty steps.
    pub fn signed_on(protocol: &Protocol, setup: &Setup) -> Exchange {
        let mut exchange = Exchange::new(protocol, setup);
        (0..40).for_each(|_| exchange.step());
        exchange.check("active");
        exchange
    }

    /// The client is in this state and shows something.
    #[track_caller]
    pub fn check(&self, state: &str) {
        let mut view = View::default();
        self.client.observe(&mut view);
        assert_eq!((view.state, view.valid), (state, true));
    }

    /// Both act on the time, and what they send arrives; then 50 ms pass.
    pub fn step(&mut self) {
        let now = self.now;
        self.client.handle_timeout(now);
        let up = drain(now, &mut *self.client);
        up.iter().for_each(|bytes| self.server.handle_datagram(now, PeerId::client(1), bytes));
        self.server.handle_timeout(now);
        let down = drain(now, &mut *self.server);
        down.iter().for_each(|bytes| self.client.handle_datagram(now, PeerId::SERVER, bytes));
        self.sent[Direction::ClientToServer.index()].extend(up);
        self.sent[Direction::ServerToClient.index()].extend(down);
        self.now = now.after(50_000);
    }
}

/// Takes what a machine sends, whomever it is for, and its events.
pub fn drain(now: Time, machine: &mut dyn Endpoint) -> Vec<Vec<u8>> {
    let (mut out, mut sent) = (Vec::new(), Vec::new());
    while machine.poll_transmit(now, &mut out).is_some() {
        sent.push(std::mem::take(&mut out));
    }
    while machine.poll_event().is_some() {}
    sent
}

/// Takes a machine's events; whether one says that it closed a connection.
pub fn closes(machine: &mut dyn Endpoint) -> bool {
    let events = std::iter::from_fn(|| machine.poll_event());
    events.fold(false, |closed, event| closed | matches!(event, Event::State { to: "closed", .. }))
}
