//! Judges a run of one server and its clients, whoever wrote them, from what goes over the wire, from what the scenario
//! says that the world is, and from what clients show.
//!
//! Per client there are what its server sent it ([`sent`]), what a conforming receiver of everything delivered holds
//! ([`delivery`]), and what the client shows. Each datagram of the protocol has a whole state, so that nothing else has
//! to be remembered: no acknowledgement of entities, no history.
//!
//! - [`session`], [`sent`], [`delivery`], [`truth`], [`wire`]: plain state;
//! - [`datagrams`]: each datagram, as it is sent and as it is delivered;
//! - [`from_server`]: what is sent, against [`truth`]; [`from_client`]: moves, and what the server makes of them;
//! - [`shown`]: what the client makes of what it receives; [`deadlines`]: what has to happen within a time;
//! - [`transport`], [`connect`], [`liveness`]: fragments, acknowledgements, requests, ends without a cause;
//! - [`vantage`]: what may be concluded of an end that somebody else runs;
//! - [`diagnosis`]: which requirement a failure can mean.
//!
//! Nothing here uses the reference machines, and the layouts of the messages that are judged field by field are the
//! oracle's own ([`layout`]). What cannot be read, or was delivered damaged, ends the judgement of what depends on it.

pub mod connect;
pub mod coverage;
pub mod datagrams;
pub mod deadlines;
pub mod delivery;
pub mod diagnosis;
pub mod events;
pub mod failure;
pub mod from_client;
pub mod from_server;
pub mod grammar;
pub mod layout;
pub mod liveness;
pub mod look;
pub mod order;
pub mod repetition;
pub mod right_view;
pub mod sent;
pub mod session;
pub mod shown;
pub mod transport;
pub mod truth;
pub mod vantage;
pub mod wire;

use crate::notes;
use crate::options::Options;
use crate::requirements::REQUIREMENTS;
use crate::verbs::{
    VERB_HELLO, VERB_LOOK, VERB_POKE_ACK, VERB_PRESS, VERB_PRINT, VERB_RELOAD, VERB_REQUEST_AGAIN, VERB_SOUND,
};
use coverage::Report;
use datagrams::OneClient;
use from_server::{player, sign_on, sounds, updates};
use kit::named::{count, joined};
use kit::{
    Arrival, Check, Clients, Command, Direction, Event, Fate, HostId, Judge, Knowledge, Numbering, Oracle, PacketId,
    Setup, Time, View, Watch,
};
use netquake::constants::NET_PROTOCOL_VERSION;
use sent::ToPrint;
use session::Session;
use shown::reading;
use truth::Truth;

/// What is checked, by module.
const GROUPS: &[&[&Check]] = &[
    connect::CHECKS,
    datagrams::CHECKS,
    from_client::CHECKS,
    from_server::CHECKS,
    from_server::causes::CHECKS,
    from_server::visibility::CHECKS,
    from_server::wire::CHECKS,
    liveness::CHECKS,
    player::CHECKS,
    sign_on::CHECKS,
    sounds::CHECKS,
    updates::CHECKS,
    deadlines::CHECKS,
    shown::CHECKS,
    shown::sounds::CHECKS,
    reading::CHECKS,
    transport::CHECKS,
];

/// What is checked.
pub static CHECKS: &[&Check] = &const { joined::<&Check, { count(GROUPS) }>(GROUPS) };

/// What is overdue is looked for so often, in microseconds.
const WATCH_US: u64 = 50_000;

/// The oracle for a run.
pub fn oracle(setup: &Setup) -> Box<dyn Oracle> {
    Box::new(Watch::new(FitzOracle::new(setup), setup, REQUIREMENTS))
}

/// Judges a run.
pub struct FitzOracle {
    options: Options,
    truth: Truth,
    /// Whether the truth is known.
    knows_world: bool,
    /// Whether the server is somebody else's, and is told all the same what the world is.
    is_told: bool,
    clients: Clients<Session>,
    report: Report,
    /// The instruction that a host was given last, until something else happens.
    instructed: Option<(HostId, Command)>,
    /// When overdue things were looked for last.
    watched: Time,
}

impl FitzOracle {
    /// For the run of `setup`.
    pub fn new(setup: &Setup) -> FitzOracle {
        let is_told = setup.vantage.remote_server && setup.knowledge == Knowledge::World;
        let options = if is_told { Options::of_another(setup) } else { Options::new(setup) };
        FitzOracle {
            options,
            truth: Truth::new(&options),
            knows_world: setup.knowledge == Knowledge::World,
            is_told,
            clients: Clients::new(setup, |host| Session::new(host, setup.vantage)),
            report: Report::new(CHECKS, setup.knowledge, setup.vantage).with_pauses(&setup.pauses),
            instructed: None,
            watched: Time::ZERO,
        }
    }

    /// One client, with what is needed to judge it.
    fn one(&mut self, host: HostId, now: Time) -> Option<OneClient<'_>> {
        let FitzOracle { options, truth, clients, report, .. } = self;
        let moved = |client: &Session| client.ends[0].remote && client.sent.own != u32::from(client.host.0);
        let seats_differ = self.is_told && clients.iter().any(moved);
        let slots = clients.len() as u32;
        let truth = self.knows_world.then_some(&*truth);
        Some(OneClient { session: clients.get_mut(host)?, options, truth, slots, seats_differ, report, now })
    }

    /// The clients that are to print what the scenario has printed: one, or (0) all.
    fn printing(&mut self, wanted: i32) -> impl Iterator<Item = &mut Session> {
        self.clients.iter_mut().filter(move |client| wanted == 0 || i32::from(client.host.0) == wanted)
    }

    /// A host says that it ignored its last instruction.
    fn ignored(&mut self, host: HostId) {
        let Some((_, command)) = self.instructed.take().filter(|(instructed, _)| *instructed == host) else { return };
        if host == HostId::SERVER {
            self.clients.iter_mut().for_each(|client| {
                let extended = client.sent.extended();
                client.sent.events.ignored(&self.truth, extended);
            });
        }
        match command {
            Command::Verb { verb: VERB_PRINT, args } => {
                self.printing(args[0])
                    .for_each(|client| client.sent.prints.truncate(client.sent.prints.len().saturating_sub(1)));
            }
            Command::Verb { verb: VERB_LOOK, .. } => {
                self.clients.get_mut(host).into_iter().for_each(|client| client.moves.did_not_look());
            }
            _ if host == HostId::SERVER => self.truth.ignored(&command),
            _ => {}
        }
    }

    /// Somebody else's server does not say that it cannot play a sound.
    fn cannot_be_played(&mut self, command: &Command) {
        let Command::Verb { verb: VERB_SOUND, .. } = command else { return };
        for client in self.clients.iter_mut().filter(|client| client.ends[0].remote) {
            let extended = client.sent.extended();
            client.sent.events.ignored(&self.truth, extended);
        }
        let is_remote = self.clients.iter().any(|client| client.ends[0].remote);
        if is_remote && self.truth.sounds.back().is_some_and(|sound| !sound.can_be_sent(true)) {
            self.truth.ignored(command);
        }
    }

    fn damaged(&mut self, host: HostId) {
        let Some(client) = self.clients.get_mut(host).filter(|client| client.indeterminate.is_none()) else { return };
        client.give_up("a datagram was delivered damaged");
        self.report.remark("a datagram was delivered damaged: from there on the connection is not judged");
    }

    fn client_event(&mut self, now: Time, host: HostId, event: &Event) {
        let (Some(client), report) = (self.clients.get_mut(host), &mut self.report) else { return };
        match *event {
            Event::Note { note: notes::SOUND_PLAYED, args: [sound, entity, channel, _] } => {
                shown::sounds::played(client, (entity as u32, channel as u32, sound as u32), report, now);
            }
            Event::Print { ref text } => shown::sounds::printed(client, text, report, now),
            Event::Note { note: note @ (notes::DAMAGE_TAKEN | notes::PARTICLES | notes::ANGLE_SET), args } => {
                shown::sounds::happened(client, (note, [args[0], args[1]]), report, now);
            }
            Event::Rejected { .. } => client.rejected = true,
            Event::State { peer, to, .. } => {
                if client.indeterminate.is_some() {
                    // It may have read another port in a damaged accept.
                    client.requests.client_goes_on();
                }
                client.requests.client_moves(peer, report, now);
                if to == "connecting" {
                    datagrams::asks_at(client, peer, report, now);
                } else if to == "disconnected" {
                    liveness::client_ends(client, report, now);
                }
            }
            Event::Note { .. } => {}
        }
    }

    fn server_event(&mut self, now: Time, event: &Event) {
        let FitzOracle { clients, report, .. } = self;
        match *event {
            Event::Note { note, args: [host, value, ..] } => {
                let Some(client) = clients.get_mut(HostId(host as u16)).filter(|client| client.judged()) else {
                    return;
                };
                let axis = [notes::VIEW_PITCH, notes::VIEW_YAW, notes::VIEW_ROLL].iter().position(|view| *view == note);
                if let Some(axis) = axis {
                    let (extended, degrees) = (client.sent.extended(), f32::from_bits(value as u32));
                    client.moves.applied(axis, degrees.into(), extended, report, now);
                } else if note == notes::IMPULSE {
                    client.moves.acted(value as u8, report, now);
                }
            }
            Event::State { peer, to: "closed", .. } => {
                clients.get_mut(peer.host).into_iter().for_each(|client| liveness::server_ends(client, report, now));
            }
            Event::Rejected { peer, .. } => {
                clients.get(peer.host).into_iter().for_each(|client| reading::server_refused(client, report, now));
            }
            Event::State { .. } | Event::Print { .. } => {}
        }
    }
}

impl Judge for FitzOracle {
    fn report(&self) -> &Report {
        &self.report
    }

    fn numbering(&self, _: Direction, bytes: &[u8]) -> Numbering {
        netquake::datagram::numbering(bytes)
    }

    fn input(&mut self, now: Time) {
        self.instructed = None;
        if now.since(self.watched) >= WATCH_US {
            self.watched = now;
            for client in self.clients.iter_mut() {
                deadlines::overdue(client, &self.options, &mut self.report, now);
            }
        }
    }

    fn server_command(&mut self, now: Time, command: &Command) {
        self.instructed = Some((HostId::SERVER, *command));
        self.truth.command(now, command);
        self.clients.iter_mut().for_each(|client| client.sent.events.next_command());
        for client in self.clients.iter_mut().filter(|client| client.judged() && !client.sent.between) {
            // Of somebody else's server it shows only later that a client has entered the game.
            let may_play = client.ends[0].remote && client.sent.stage > 0;
            if client.in_game || may_play {
                client.sent.events.command(client.host.0.into(), &self.truth, command, now, client.in_game);
            }
        }
        self.cannot_be_played(command);
        match *command {
            Command::Map | Command::Verb { verb: VERB_RELOAD, .. } => {
                self.clients.iter_mut().for_each(|client| client.map_ends(now));
            }
            Command::Verb { verb: VERB_PRINT, args } => {
                self.printing(args[0])
                    .for_each(|client| client.sent.to_print(ToPrint { number: args[1], is_due: client.in_game }));
            }
            _ => {}
        }
    }

    fn client_command(&mut self, now: Time, client: HostId, command: &Command) {
        self.instructed = Some((client, *command));
        let Some(client) = self.clients.get_mut(client) else { return };
        match *command {
            Command::Connect => client.wants(now),
            Command::Disconnect => client.leaves(now),
            Command::Verb { verb: VERB_LOOK, args } => client.moves.look(args),
            Command::Verb { verb: VERB_PRESS, args } => client.moves.press(args),
            Command::Verb { verb: VERB_HELLO, args } if args[..2] != [0, i32::from(NET_PROTOCOL_VERSION)] => {
                client.hellos += 1;
            }
            Command::Verb { verb: VERB_HELLO | VERB_REQUEST_AGAIN, .. } => client.again += 1,
            Command::Verb { verb: VERB_POKE_ACK, args } => client.streams[0].scripted_ack(args[0] as u32),
            _ => {}
        }
    }

    fn server_sent(&mut self, now: Time, packet: PacketId, bytes: &[u8], _: Fate) {
        let Some(mut one) = self.one(packet.client, now) else { return };
        let before = one.session.sent.again;
        one.server_sent(packet.index, bytes);
        if !before && one.session.sent.again {
            // It tells this one of a new map; others may keep it waiting.
            self.clients.iter_mut().for_each(|client| client.is_told_of_a_map(now));
        }
    }

    fn client_sent(&mut self, now: Time, packet: PacketId, bytes: &[u8], _: Fate) {
        self.one(packet.client, now).into_iter().for_each(|mut one| one.client_sent(packet.index, bytes));
    }

    fn client_received(&mut self, now: Time, Arrival { packet, bytes, intact, .. }: Arrival<'_>) {
        if !intact {
            self.damaged(packet.client);
        }
        self.one(packet.client, now).into_iter().for_each(|mut one| one.client_received(packet.index, bytes));
    }

    fn server_received(&mut self, now: Time, Arrival { packet, bytes, intact, .. }: Arrival<'_>) {
        if !intact {
            self.damaged(packet.client);
        }
        self.one(packet.client, now).into_iter().for_each(|mut one| one.server_received(packet.index, bytes));
    }

    fn event(&mut self, now: Time, host: HostId, event: &Event) {
        if let Event::Note { note: notes::COMMAND_IGNORED, .. } = event {
            self.ignored(host);
        } else if host == HostId::SERVER {
            self.server_event(now, event);
        } else {
            self.client_event(now, host, event);
        }
    }

    fn settled(&mut self, _: Time, host: HostId) -> bool {
        self.clients.get_mut(host).is_some_and(|client| std::mem::take(&mut client.look))
    }

    fn shown(&mut self, now: Time, host: HostId, view: &View) {
        let FitzOracle { options, clients, report, .. } = self;
        let client = clients.get_mut(host);
        client.into_iter().for_each(|client| reading::client_shows(client, view, options, report, now));
    }

    fn finish(&mut self, now: Time) {
        for host in (1..=self.clients.len() as u16).map(HostId) {
            let Some(mut one) = self.one(host, now) else { continue };
            deadlines::overdue(one.session, one.options, one.report, now);
            one.finish();
        }
    }
}
