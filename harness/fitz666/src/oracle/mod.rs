//! Judges a run of one server and its clients, whoever wrote them, from what goes over the wire, from what the scenario
//! says that the world is, and from what clients show.
//!
//! Per client there are what its server sent it, read as a right receiver would ([`server_sent`] and the files of its name),
//! what a right receiver of everything delivered holds ([`mirror`]), and what the client shows ([`client_held`]). Each
//! datagram of the protocol tells a whole state, so that nothing else has to be remembered: no acknowledgement of
//! entities, no history.
//!
//! - [`server_updates`], [`server_player`], [`server_sounds`], [`server_signs`]: what is sent, against [`truth`];
//! - [`readings`]: which single error explains a message that contradicts it;
//! - [`client_held`]: what the client makes of what it receives;
//! - [`movement`]: its moves, and what the server makes of them;
//! - [`transport`], [`connect`]: fragments, acknowledgements, requests.
//!
//! Nothing here uses the reference machines, and the layouts of the messages that are judged field by field are the
//! oracle's own ([`wire`]). What cannot be read, or was delivered damaged, ends the judgement of what depends on it.

pub mod checks;
pub mod client;
pub mod client_held;
pub mod connect;
pub mod coverage;
pub mod grammar;
pub mod look;
pub mod mirror;
pub mod movement;
pub mod ordered;
pub mod readings;
pub mod server_player;
pub mod server_sent;
pub mod server_signs;
pub mod server_sounds;
pub mod server_updates;
pub mod transport;
pub mod truth;
pub mod wire;

use crate::notes;
use crate::notes::{IMPULSE, VIEW_PITCH, VIEW_ROLL, VIEW_YAW};
use crate::options::Options;
use crate::requirements::REQUIREMENTS;
use crate::verbs::{VERB_LOOK, VERB_POKE_ACK, VERB_PRINT, VERB_RELOAD};
use client::{Client, Hearing};
use coverage::Report;
use kit::{
    Command, Direction, Endpoint, Event, Finding, HostId, Oracle, PacketId, Probe, Requirement, Setup, Time,
    TraceEvent, View,
};
use truth::Truth;

/// More clients than any scenario has; those above are not followed.
const MAX_CLIENTS: u16 = 4096;
/// What is overdue is looked for so often, in microseconds.
const WATCH_US: u64 = 50_000;

/// The oracle for a run.
pub fn oracle(setup: &Setup) -> Box<dyn Oracle> {
    Box::new(FitzOracle::new(setup))
}

/// Judges a run.
pub struct FitzOracle {
    options: Options,
    truth: Truth,
    clients: Vec<Client>,
    report: Report,
    view: View,
    /// The instruction that a host was given last, until something else happens.
    instructed: Option<(HostId, Command)>,
    watched: Time,
}

impl FitzOracle {
    /// For the run of `setup`.
    pub fn new(setup: &Setup) -> FitzOracle {
        let options = Options::new(setup);
        let count = setup.clients.min(MAX_CLIENTS);
        FitzOracle {
            options,
            truth: Truth::new(&options),
            clients: (1..=count).map(|host| Client::new(HostId(host))).collect(),
            report: Report::new(checks::CHECKS, setup.knowledge),
            view: View::default(),
            instructed: None,
            watched: Time::ZERO,
        }
    }

    fn client(&mut self, host: HostId) -> Option<(&mut Client, &mut Report)> {
        let client = self.clients.get_mut(usize::from(host.0).checked_sub(1)?)?;
        Some((client, &mut self.report))
    }

    fn commanded(&mut self, now: Time, host: HostId, command: &Command) {
        self.instructed = Some((host, *command));
        if host == HostId::SERVER {
            self.truth.command(now, command);
            match *command {
                Command::Map | Command::Verb { verb: VERB_RELOAD, .. } => {
                    self.clients.iter_mut().for_each(Client::map_ends);
                }
                Command::Verb { verb: VERB_PRINT, args } => {
                    let wanted = |client: &&mut Client| args[0] == 0 || i32::from(client.host.0) == args[0];
                    self.clients.iter_mut().filter(wanted).for_each(|client| client.to_print(args[1]));
                }
                _ => {}
            }
            return;
        }
        let Some((client, _)) = self.client(host) else { return };
        match *command {
            Command::Connect => client.wants(),
            Command::Disconnect => client.leaves(),
            Command::Verb { verb: VERB_LOOK, args } => client.moves.look(args),
            Command::Verb { verb: VERB_POKE_ACK, args } => client.streams[0].scripted_ack(args[0] as u32),
            _ => {}
        }
    }

    /// A host says that it ignored what it was told last.
    fn ignored(&mut self, host: HostId) {
        let Some((instructed, command)) = self.instructed.take().filter(|(instructed, _)| *instructed == host) else {
            return;
        };
        match command {
            Command::Verb { verb: VERB_PRINT, args } => {
                let wanted = |client: &&mut Client| args[0] == 0 || i32::from(client.host.0) == args[0];
                self.clients.iter_mut().filter(wanted).for_each(|client| client.sent.not_to_print());
            }
            Command::Verb { verb: VERB_LOOK, .. } => {
                if let Some((client, _)) = self.client(instructed) {
                    client.moves.did_not_look();
                }
            }
            _ if instructed == HostId::SERVER => self.truth.ignored(&command),
            _ => {}
        }
    }

    fn sent(&mut self, now: Time, packet: PacketId, bytes: &[u8]) {
        let FitzOracle { options, truth, clients, report, .. } = self;
        let slots = clients.len() as u32;
        let index = usize::from(packet.client.0).checked_sub(1);
        let Some(client) = index.and_then(|index| clients.get_mut(index)) else { return };
        let mut hearing = Hearing { client, options, truth, slots, report, now };
        match packet.direction {
            Direction::ServerToClient => hearing.server_sends(packet.index, bytes),
            Direction::ClientToServer => hearing.client_sends(packet.index, bytes),
        }
    }

    fn delivered(&mut self, now: Time, packet: PacketId, bytes: &[u8], intact: bool) {
        let FitzOracle { options, truth, clients, report, .. } = self;
        let slots = clients.len() as u32;
        let index = usize::from(packet.client.0).checked_sub(1);
        let Some(client) = index.and_then(|index| clients.get_mut(index)) else { return };
        if !intact && !std::mem::replace(&mut client.tainted, true) {
            report.remark("a datagram was delivered damaged: from there on the connection is not judged");
        }
        let mut hearing = Hearing { client, options, truth, slots, report, now };
        match packet.direction {
            Direction::ServerToClient => hearing.client_hears(packet.index, bytes),
            Direction::ClientToServer => hearing.server_hears(packet.index, bytes),
        }
    }

    fn happened(&mut self, now: Time, host: HostId, event: &Event) {
        if let Event::Untyped { what: notes::COMMAND_IGNORED, .. } = event {
            return self.ignored(host);
        }
        if host == HostId::SERVER {
            return self.server_event(now, event);
        }
        let Some((client, report)) = self.client(host) else { return };
        match event {
            Event::Untyped { what, value } => client.noted(what, *value, report, now),
            Event::Print { text } => client.printed(text, report, now),
            Event::Rejected { .. } => client.rejected = true,
            Event::State { peer, to, .. } => client.moved_on(*peer, to, report, now),
            Event::Note { .. } => {}
        }
    }

    fn server_event(&mut self, now: Time, event: &Event) {
        match event {
            Event::Untyped { what, value } => {
                let host = HostId((*value >> 32) as u16);
                let degrees = f64::from(f32::from_bits(*value as u32));
                let Some((client, report)) = self.client(host) else { return };
                match *what {
                    VIEW_PITCH => client.applied(0, degrees, report, now),
                    VIEW_YAW => client.applied(1, degrees, report, now),
                    VIEW_ROLL => client.applied(2, degrees, report, now),
                    IMPULSE => client.acted(report, now),
                    _ => {}
                }
            }
            Event::Note { .. } => {}
            Event::State { peer, to, .. } => {
                if let Some((client, _)) = self.client(peer.host).filter(|_| *to == "closed") {
                    client.closed();
                }
            }
            Event::Rejected { peer, .. } => {
                if let Some((client, report)) = self.client(peer.host) {
                    client.refused(report, now);
                }
            }
            Event::Print { .. } => {}
        }
    }

    /// Looks for what is overdue, now and then.
    fn watch(&mut self, now: Time) {
        if now.since(self.watched) < WATCH_US {
            return;
        }
        self.watched = now;
        for client in &mut self.clients {
            client.overdue(&self.options, &mut self.report, now);
        }
    }
}

impl Probe for FitzOracle {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        self.watch(now);
        if !matches!(event, TraceEvent::Event { .. }) {
            self.instructed = None;
        }
        match *event {
            TraceEvent::Command { host, command } => self.commanded(now, host, command),
            TraceEvent::Sent { packet, bytes, .. } => self.sent(now, packet, bytes),
            TraceEvent::Delivered { packet, bytes, intact, .. } => self.delivered(now, packet, bytes, intact),
            TraceEvent::Event { host, event } => self.happened(now, host, event),
            TraceEvent::Timeout { .. } => {}
        }
    }

    fn settled(&mut self, now: Time, host: HostId, endpoint: &dyn Endpoint) {
        let FitzOracle { options, clients, report, view, .. } = self;
        let index = usize::from(host.0).checked_sub(1);
        let Some(client) = index.and_then(|index| clients.get_mut(index)).filter(|client| client.look) else { return };
        client.look = false;
        view.clear();
        endpoint.observe(view);
        client.settled(view, options, report, now);
    }
}

impl Oracle for FitzOracle {
    fn finish(&mut self, now: Time) {
        let FitzOracle { options, truth, clients, report, .. } = self;
        let slots = clients.len() as u32;
        for client in clients {
            client.overdue(options, report, now);
            Hearing { client, options, truth, slots, report, now }.finish();
        }
    }

    fn findings(&self) -> &[Finding] {
        &self.report.findings
    }

    fn covered(&self) -> Vec<&'static Requirement> {
        self.report.covered(REQUIREMENTS)
    }

    fn remarks(&self) -> Vec<String> {
        self.report.remarks()
    }
}
