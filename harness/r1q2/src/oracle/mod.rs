//! Judges a run of one server and its clients, by any author, from what goes over the wire, from what the scenario
//! asks for, and from what the clients show. Nothing here uses the reference machines.
//!
//! State, which judges nothing: [`peer`] (a client), [`session`] (its connection at both ends) with [`link`] (the transport),
//! [`model`] (baselines and frames as they were sent or delivered) and [`provocation`]; [`truth`] (the world) and
//! [`announcement`] (what else the scenario asks for). [`context`] puts it at the disposal of the checks:
//!
//! - [`from_server`], [`frames`] with [`compare`], [`messages`]: what a server sends;
//! - [`from_client`]: what a client sends, and [`player`] what its player has it send;
//! - [`delivery`] says what a client has to show of what it receives, [`shown`] whether it does;
//! - [`misbehaviour`]: what a client makes of what the scenario has its server do wrongly;
//! - [`finish`]: what never came, and who answers whom.
//!
//! A check decides that something is wrong; [`diagnosis`] says which requirements fit the evidence. [`coverage`] has what
//! a run must show so that a check could have failed; [`errata`] remarks which way was seen where engines differ.

pub mod announcement;
pub mod compare;
pub mod context;
pub mod coverage;
pub mod delivery;
pub mod diagnosis;
pub mod errata;
pub mod finish;
pub mod frames;
pub mod from_client;
pub mod from_server;
pub mod link;
pub mod messages;
pub mod misbehaviour;
pub mod model;
pub mod peer;
pub mod player;
pub mod provocation;
pub mod session;
pub mod shown;
pub mod truth;

use crate::machine::options::Options;
use crate::requirements::REQUIREMENTS;
use crate::verbs::{VERB_ACK_AHEAD, VERB_AREA, VERB_DOWNLOAD, VERB_MALFORMED, VERB_PAUSE, VERB_UNSENT, VERB_WALK};
use crate::wire::constants::{MAX_EDICTS, PROTOCOL_R1Q2};
use crate::wire::handshake::ServerPacket;
use crate::wire::state::EVENT;
use announcement::{Request, Requests};
use context::{Assigned, Context, Sibling};
use kit::{
    Arrival, Check, Clients, Command, Direction, Event, Fate, HostId, Judge, LossCause, Numbering, Oracle, PacketId,
    Reader, Report, Setup, Time, View, Watch,
};
use link::Sight;
use netchan::is_out_of_band;
use peer::Client;
use session::{ConnectSeen, Owed, Session, numbers};
use truth::Truth;

/// A server may take so long, in microseconds, to notice the new port of a client whose datagrams arrive.
const NEW_PORT_US: u64 = 1_000_000;

/// What the oracle checks.
pub static CHECKS: &[&Check] = &[
    &from_client::CONNECT_ENDS_AS_DESCRIBED,
    &from_client::DEFAULT_LENGTH_IS_ASKED_FOR,
    &from_client::CONNECTS_ARE_AS_SET,
    &from_client::CONNECT_NUMBER_FITS_A_BYTE,
    &finish::CONNECTS_ARE_ANSWERED,
    &finish::COMMANDS_ARE_ANSWERED,
    &from_client::NUMBER_IS_THAT_OF_THE_CONNECT,
    &from_client::COMMANDS_CAN_BE_READ,
    &finish::NEW_PORTS_ARE_TAKEN,
    &from_server::NUMBERS_GO_UP_BY_ONE,
    &from_server::WHAT_ARRIVED_IS_ACKNOWLEDGED,
    &from_server::LOST_BLOCKS_ARE_REPEATED,
    &from_server::DATAGRAMS_FIT,
    &from_server::SERVICES_CAN_BE_READ,
    &from_server::UPPER_BITS_ARE_OF_FRAMES,
    &from_server::ZPACKETS_SAVE_BYTES,
    &from_server::BLOCKS_CAN_BE_INFLATED,
    &from_server::SERVERDATA_IS_OF_THE_PROTOCOL,
    &from_server::SERVERDATA_NAMES_ITS_CLIENT,
    &from_server::SERVERDATA_IS_AS_SET,
    &from_server::SESSIONS_LAST,
    &messages::BASELINES_ARE_AS_SET,
    &messages::MESSAGES_WERE_ASKED_FOR,
    &messages::RELIABLE_MESSAGES_COME,
    &messages::WHAT_HAPPENS_IS_SENT,
    &finish::FRAMES_COME,
    &frames::FRAME_NUMBERS_GO_UP,
    &frames::BASES_ARE_IN_REACH,
    &frames::BASES_ARE_ACKNOWLEDGED,
    &frames::HELD_BACK_FRAMES_ARE_COUNTED,
    &frames::ENTRIES_ARE_IN_ORDER,
    &frames::FRAMES_SHOW_THE_WORLD,
    &frames::BEAMS_ARE_SENT_OVER_34,
    &frames::AREAS_ARE_AS_SET,
    &frames::PROTOCOLS_SHOW_THE_SAME,
    &frames::SPECTATORS_MOVE_TWICE_AS_FAR,
    &frames::SPECTATORS_GO_AS_COMMANDED,
    &frames::EVENTS_HAPPEN_ONCE,
    &frames::EVENTS_END,
    &from_client::ACKNOWLEDGED_FRAMES_ARRIVED,
    &from_client::BEGUN_MAPS_ARRIVED,
    &from_client::SETTINGS_ARE_UNDERSTOOD,
    &from_client::OTHER_REVISIONS_ARE_LEFT,
    &player::COMMANDS_ARE_REPEATED,
    &player::NOTHING_ELSE_IS_DONE,
    &player::FRAMES_ARE_ACKNOWLEDGED,
    &player::COMMANDS_LAST,
    &finish::CHALLENGES_ARE_GIVEN,
    &finish::ANSWERS_WERE_ASKED_FOR,
    &finish::CLIENTS_GO_ON,
    &finish::WHO_LEFT_IS_SILENT,
    &finish::WHO_LEFT_IS_LET_GO,
    &finish::SIGN_ONS_ARE_SENT,
    &finish::SIGN_ON_ENDS,
    &finish::CLIENTS_OBEY,
    &finish::NEXT_BLOCK_IS_ASKED_FOR,
    &shown::FILES_ARE_COMPLETE,
    &delivery::FILES_ARE_THOSE_ASKED_FOR,
    &finish::FILES_ARE_SENT,
    &shown::WHAT_CAN_BE_READ_IS_READ,
    &shown::MESSAGES_ARE_APPLIED,
    &shown::NOTHING_ELSE_IS_APPLIED,
    &shown::BASES_ARE_FOUND,
    &shown::NEWEST_VALID_FRAME_IS_SHOWN,
    &shown::ENTITIES_ARE_SHOWN,
    &shown::OLD_ORIGINS_ARE_SHOWN,
    &shown::PLAYER_IS_SHOWN,
    &shown::PREDICTIONS_ARE_RIGHT,
    &shown::PREDICTIONS_ARE_MADE,
    &misbehaviour::STRAY_BITS_ARE_DEALT_WITH,
    &misbehaviour::MALFORMED_ZPACKETS_END_THE_SESSION,
];

/// The oracle for a run.
pub fn oracle(setup: &Setup) -> Box<dyn Oracle> {
    Box::new(watch(setup))
}

/// The same, as it is.
pub fn watch(setup: &Setup) -> Watch<R1q2Oracle> {
    Watch::new(R1q2Oracle::new(setup), setup, REQUIREMENTS)
}

/// Judges a run.
pub struct R1q2Oracle {
    options: Options,
    truth: Truth,
    clients: Clients<Client>,
    report: Report,
    requests: Requests,
    siblings: Vec<Sibling>,
    assigned: Vec<Assigned>,
    /// The maps by their spawncounts; none, where that was never certain.
    maps: Vec<(i32, Option<u32>)>,
}

impl R1q2Oracle {
    /// For the run of `setup`.
    pub fn new(setup: &Setup) -> R1q2Oracle {
        R1q2Oracle {
            options: Options::new(setup),
            truth: Truth::new(setup.vantage.remote_server),
            clients: Clients::new(setup, |host| Client::new(host, setup.vantage)),
            report: Report::new(CHECKS, setup.knowledge, setup.vantage).with_pauses(&setup.pauses),
            requests: Requests::default(),
            siblings: Vec::new(),
            assigned: Vec::new(),
            maps: Vec::new(),
        }
    }

    /// A client, and what its checks need beside it.
    fn split(&mut self, now: Time, host: HostId) -> Option<(&mut Client, Context<'_>)> {
        let unnumbered = |session: &Session| session.begun.is_some() && session.connect.is_unnumbered();
        let unnumbered = self.clients.iter().filter(|client| client.session.as_ref().is_some_and(unnumbered)).count();
        let unnumbered = if self.options.same_address { unnumbered } else { 0 };
        let count = self.clients.len() as u16;
        let R1q2Oracle { options, truth, clients, report, siblings, assigned, maps, requests, .. } = self;
        let context =
            Context { now, options, truth, report, siblings, assigned, maps, requests, clients: count, unnumbered };
        Some((clients.get_mut(host)?, context))
    }

    /// The scenario has changed the world: what happens at this moment is to be sent.
    fn world_changes(&mut self, command: &Command) {
        let (map, live) = (self.truth.maps, self.truth.live());
        for session in self.sessions_of(0) {
            match *command {
                Command::Map => session.due.clear(),
                Command::Spawn { entity } | Command::Remove { entity } => session.cancel_event(entity),
                Command::Set { entity, field: EVENT, value } => {
                    session.cancel_event(entity);
                    // A server may leave some of very many out.
                    if value != 0 && live <= compare::MANY_ENTITIES && entity < MAX_EDICTS {
                        session.owe(Owed::Event(entity, value), map);
                    }
                }
                _ => {}
            }
        }
    }

    /// The sessions of the client that a verb names, or of all for 0.
    fn sessions_of(&mut self, client: i32) -> impl Iterator<Item = &mut Session> {
        let named = self.clients.iter_mut().filter(move |it| client == 0 || i32::from(it.host.0) == client);
        named.filter_map(|client| client.session.as_mut())
    }
}

impl Judge for R1q2Oracle {
    fn report(&self) -> &Report {
        &self.report
    }

    fn numbering(&self, _: Direction, bytes: &[u8]) -> Numbering {
        netchan::numbering(bytes)
    }

    fn rebound(&mut self, now: Time, client: HostId) {
        for session in self.sessions_of(client.0.into()) {
            if session.connect.is_unnumbered() {
                session.stop("its port has changed, and no number tells whose its datagrams are");
            }
            session.rebound = Some(now);
        }
    }

    fn server_command(&mut self, now: Time, command: &Command) {
        if self.truth.command(now, command) {
            return self.world_changes(command);
        }
        let Command::Verb { verb, args } = *command else { return };
        let [client, second, ..] = args;
        match verb {
            VERB_MALFORMED => self.sessions_of(client).for_each(|session| {
                session.provoked.malformed(second, session.connect.asked.protocol);
            }),
            VERB_UNSENT => self.sessions_of(client).for_each(|session| session.provoked.unsent(session.last_frame)),
            VERB_PAUSE => self.sessions_of(client).for_each(|session| session.pauses = true),
            VERB_AREA => self.truth.area(now, client, second as u8),
            _ => {
                let Some(request) = Request::of(now, verb, args, &self.truth) else { return };
                let (index, map) = (self.requests.add(request), self.truth.maps);
                if let Some(index) = index.filter(|_| request.what.is_once()) {
                    self.sessions_of(request.client).for_each(|session| session.owe(Owed::Request(index), map));
                }
            }
        }
    }

    fn client_command(&mut self, now: Time, client: HostId, command: &Command) {
        let Some(client) = self.clients.get_mut(client) else { return };
        if let Command::Verb { verb, args } = *command {
            client.is_instructed(now, verb, args);
        }
        match command {
            Command::Connect => {
                client.wants = true;
                client.handshake.comes_back(now);
            }
            Command::Disconnect => {
                self.assigned.retain(|assigned| assigned.host != client.host);
                client.leaves(now);
            }
            Command::Verb { verb: VERB_WALK, args } => client.walks |= *args != [0; 4],
            Command::Verb { verb: VERB_DOWNLOAD, .. } => {
                if let Some(session) = client.judged().filter(|session| session.may_download()) {
                    session.wants_file = Some(now);
                }
            }
            Command::Verb { verb: VERB_ACK_AHEAD, args: [_, moves, ..] } => {
                if let Some(session) = &mut client.session {
                    session.provoked.ahead(*moves);
                }
            }
            _ => {}
        }
    }

    fn server_sent(&mut self, now: Time, packet: PacketId, bytes: &[u8], fate: Fate) {
        let Some((client, mut context)) = self.split(now, packet.client) else { return };
        client.is_sent(now, packet, fate);
        context.who_left_is_let_go(client, bytes);
        if is_out_of_band(bytes) {
            context.answer_is_sent(client);
            client.is_answered(now, packet.index, bytes);
        } else if !client.is_of_before(packet.direction, bytes)
            && !client.is_beside(fate)
            && let Some(session) = client.judged()
        {
            context.server_sends(session, bytes);
        }
    }

    fn client_sent(&mut self, now: Time, packet: PacketId, bytes: &[u8], fate: Fate) {
        let Some((client, mut context)) = self.split(now, packet.client) else { return };
        client.is_sent(now, packet, fate);
        context.anything_is_sent(client, bytes);
        if !is_out_of_band(bytes) {
            context.remark_middle(client);
            let late = client.is_of_before(packet.direction, bytes);
            let Client { player, session, .. } = client;
            let judged = session.as_mut().filter(|session| session.indeterminate.is_none() && session.accepted);
            if let Some(session) = judged.filter(|_| !late) {
                context.client_sends(session, player, bytes);
            }
        } else if from_client::is_getchallenge(bytes) {
            client.asks_anew = true;
        } else if let Some(connect) = from_client::connect(bytes) {
            // A remote client may not have read the answer yet; nobody sees it instructed.
            let [_, Sight { remote, .. }] = client.sights;
            client.wants |= remote;
            if !(remote && client.repeats(&connect)) {
                client.leaves_session();
                context.leaves(client.host);
            }
            context.connect_is_as_set(client, &connect);
            context.connect_is_sent(client.host, bytes, &connect, client.other_revision.is_some());
            client.connects(now, packet.index, &connect);
        }
    }

    fn client_received(&mut self, now: Time, arrival: Arrival<'_>) {
        let Arrival { packet, bytes, .. } = arrival;
        let Some((client, mut context)) = self.split(now, packet.client) else { return };
        let late = client.is_of_before(packet.direction, bytes);
        if !client.is_delivered(now, &arrival) {
        } else if is_acceptance(bytes) {
            client.acceptance_arrives(now, packet.index);
        } else if is_challenge(bytes) {
            client.challenge_arrives(now);
        } else if let Some(session) = client.judged().filter(|session| session.accepted && !is_out_of_band(bytes)) {
            if session.client.is_remote() && (late || packet.index < session.opened) {
                session.client.strays(numbers(bytes)[0]);
            } else if packet.index < session.opened {
                session.stop("a datagram of an earlier connection arrives");
            } else {
                context.client_receives(session, bytes);
            }
        }
    }

    fn server_received(&mut self, now: Time, arrival: Arrival<'_>) {
        let Arrival { packet, bytes, .. } = arrival;
        let Some((client, mut context)) = self.split(now, packet.client) else { return };
        let late = client.is_of_before(packet.direction, bytes);
        if is_out_of_band(bytes) {
            client.request_arrives(now, bytes);
        }
        if !client.is_delivered(now, &arrival) {
        } else if !is_out_of_band(bytes) {
            if client.handshake.left_session && from_client::is_disconnect(bytes) {
                client.disconnect_arrives(now, packet.index);
            }
            let Some(session) = client.judged() else { return };
            if session.server.is_remote() && (late || packet.index < session.connect.index) {
                session.server.strays(numbers(bytes)[0]);
            } else if packet.index < session.connect.index {
                session.stop("a datagram of an earlier connection arrives");
            } else {
                context.server_receives(session, bytes);
            }
        } else if let Some(connect) = from_client::connect(bytes) {
            let fell_back = client.sent.is_some_and(|sent| sent.fell_back);
            let connect = ConnectSeen::of(&connect, packet.index, now, fell_back);
            context.connect_is_delivered(&connect);
            client.connect_arrives(connect);
        }
    }

    fn event(&mut self, now: Time, host: HostId, event: &Event) {
        let Some((client, mut context)) = self.split(now, host) else { return };
        let disturbed = client.last_disturbance;
        if let Some(session) = client.judged() {
            context.client_notes(session, event, disturbed);
        }
    }

    fn settled(&mut self, _: Time, host: HostId) -> bool {
        self.clients.get_mut(host).and_then(Client::judged).is_some_and(|session| session.unseen)
    }

    fn shown(&mut self, now: Time, host: HostId, view: &View) {
        let Some((client, mut context)) = self.split(now, host) else { return };
        if let Some(session) = client.judged() {
            context.client_shows(session, view);
        }
    }

    fn finish(&mut self, now: Time) {
        for host in 1..=self.clients.len() as u16 {
            if let Some((client, mut context)) = self.split(now, HostId(host)) {
                context.finish(client);
            }
        }
    }
}

/// Whether a datagram accepts the connect of a client.
fn is_acceptance(bytes: &[u8]) -> bool {
    is_out_of_band(bytes)
        && matches!(ServerPacket::read(&mut Reader::new(bytes)), Ok(ServerPacket::ClientConnect { .. }))
}

/// Whether a datagram has the challenge of a client.
fn is_challenge(bytes: &[u8]) -> bool {
    is_out_of_band(bytes) && matches!(ServerPacket::read(&mut Reader::new(bytes)), Ok(ServerPacket::Challenge { .. }))
}

impl Client {
    /// A request arrives at the server, damaged or not.
    fn request_arrives(&mut self, now: Time, bytes: &[u8]) {
        let asks = from_client::is_getchallenge(bytes);
        if asks {
            self.handshake.asked.get_or_insert(now);
        }
        self.handshake.requests += u32::from(asks || from_client::connect(bytes).is_some());
    }

    /// The server sends it something that belongs to no connection, its datagram `index`.
    fn is_answered(&mut self, now: Time, index: u32, bytes: &[u8]) {
        let [Sight { remote, .. }, _] = self.sights;
        (self.handshake.asked, self.handshake.answered) = (None, true);
        match ServerPacket::read(&mut Reader::new(bytes)) {
            Ok(ServerPacket::ClientConnect { .. }) => self.is_accepted(now, index),
            Ok(ServerPacket::Challenge { challenge, protocols }) => {
                self.is_misled |= protocols.include(PROTOCOL_R1Q2) == Some(false);
                self.is_challenged(challenge);
            }
            Ok(ServerPacket::Print { text }) => self.turned_away |= remote && !from_client::is_about_length(text),
            _ => {}
        }
    }

    /// Whether what a server in virtual time sends to a port that the client has left may be of another session of its own: a
    /// connect from the new port begins one where servers compare ports.
    fn is_beside(&self, fate: Fate) -> bool {
        let [server, _] = self.sights;
        server.virtual_time && fate == Fate::Lost(LossCause::Port)
    }

    /// A datagram from or to it is sent.
    fn is_sent(&mut self, now: Time, packet: PacketId, fate: Fate) {
        self.next[packet.direction.index()] = packet.index.saturating_add(1);
        // To send to a port that was left long ago is the server's own doing.
        let rebound = self.session.as_ref().and_then(|session| session.rebound);
        let astray = fate == Fate::Lost(LossCause::Port) && rebound.is_some_and(|at| now.since(at) > NEW_PORT_US);
        if !astray && !matches!(fate, Fate::Once(copy) if copy.intact()) {
            self.last_disturbance = now;
        }
    }

    /// A datagram from or to it is delivered. Whether it is as it was sent.
    fn is_delivered(&mut self, now: Time, arrival: &Arrival<'_>) -> bool {
        let Arrival { packet, copy, intact, .. } = *arrival;
        let late = packet.index.saturating_add(1) < self.next[packet.direction.index()];
        if copy > 0 || !intact || late {
            self.last_disturbance = now;
        }
        if !intact {
            let to_server = packet.direction == Direction::ClientToServer;
            self.is_damaged(to_server);
            // A server may admit, refuse or forget who sent a damaged connect.
            self.is_spoiled |= to_server;
        }
        intact
    }
}
