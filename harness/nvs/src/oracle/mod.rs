//! Judges a run of one server and its clients, whoever wrote them, from what goes over the wire, from what the scenario
//! requests, and from what the two ends show.
//!
//! The scenario's commands become calls ([`truth`]). What a call is for a client of a given version is encoded by an
//! independent model ([`expectation`]), from the tables and nothing else. The checks compare:
//!
//! - [`from_server`]: calls and the server's streams: every call in its form, to whom it concerns, in its order, once;
//! - [`from_server::frames`]: the same for unreliable datagrams, where what does not fit is dropped;
//! - [`from_server::versions`]: the versions that a client is sent, and the sign-on around them;
//! - [`from_client`]: what a client sends;
//! - [`shown`]: what a client received, and what it shows;
//! - [`too_old`]: who is too old for the server, and leaves;
//! - [`liveness`]: whether both ends go on;
//! - [`server_view`]: what the server shows of moves, of QuakeC's world, and of the room in its buffers.
//!
//! [`diagnosis`] says which requirements a failure can mean. Nothing here uses the reference machines, nor the writer's
//! preparation of messages.

mod connection;
pub mod coverage;
pub mod diagnosis;
pub mod expectation;
pub mod from_client;
pub mod from_server;
pub mod liveness;
pub mod requests;
pub mod scene;
pub mod server_view;
pub mod session;
pub mod shown;
pub mod stream;
pub mod too_old;
pub mod truth;

use crate::options::Options;
use crate::requirements::*;
use crate::tables::Tables;
use crate::verbs::VERB_LOOK;
use connection::{AcceptedAgain, Client};
use coverage::{Point, meaning as m};
use diagnosis::Evidence;
use expectation::Lines;
use from_server::FromServer;
use kit::fate::Fate;
use kit::table::float_bits;
use kit::{
    Arrival, Check, Clients, Command, Direction, Event, HostId, Judge, Knowledge, Knows, Numbering, Oracle, PacketId,
    Reader, Report, Setup, Time, Vantage, View, Watch,
};
use liveness::Liveness;
use netquake::ControlPacket;
use netquake::constants::{CCREP_ACCEPT, CCREP_REJECT, CCREQ_CONNECT, GAME_NAME, NET_PROTOCOL_VERSION, SVC_TIME};
use netquake::datagram::is_control;
use server_view::ServerView;
use session::Session;
use stream::Packet;
use truth::{Class, Truth};

/// A reliable call that did not come within this time without a disturbance is missing.
const PATIENCE_US: u64 = 3_000_000;
/// More reliable bytes than this at once may be too many for a client's buffer: it may then be disconnected.
const MUCH_BYTES: usize = 6_000;
/// A server in the game that sends nothing for so long has stopped.
const SILENCE_US: u64 = 1_000_000;

/// With this an engine has a client ask for a second acceptance, after which the connection starts over.
const CHALLENGE: &[u8] = b"cmd challengeconnect";

/// What the oracle checks.
pub static CHECKS: &[&Check] = &[
    &DATAGRAMS_ARE_OF_PROTOCOL_15,
    &GOOD_CLIENTS_ARE_ACCEPTED,
    &from_server::STREAMS_CAN_BE_READ,
    &from_server::NO_OTHER_FORM_IS_READABLE,
    &RELIABLE_DATAGRAMS_ARE_RESENT,
    &from_server::versions::ANSWERS_ARE_WELL_FORMED,
    &from_server::versions::NOTHING_COMES_UNASKED,
    &from_server::versions::ANSWERS_HAVE_THE_LOWER_VERSIONS,
    &from_server::versions::VERSIONS_STAY_IN_THE_GAME,
    &from_server::versions::REQUESTS_ARE_ANSWERED_IN_TIME,
    &from_server::versions::ONLY_OLD_CLIENTS_ARE_DISCONNECTED,
    &too_old::OLD_CLIENTS_ARE_NOT_KEPT,
    &too_old::NOTHING_FOLLOWS_A_DISCONNECT,
    &from_server::versions::SPAWN_TURNS_VIEWS_IN_THE_CLIENTS_FORM,
    &from_server::versions::SIGN_ON_DATA_ARE_THE_SAME_FOR_ALL,
    &from_server::versions::SIGN_ON_IS_COMPLETE,
    &from_server::versions::BASELINES_ARE_THE_WORLDS,
    &from_server::versions::TIME_PASSES,
    &from_server::SIGN_ON_DATA_HAVE_ALL_CALLS,
    &from_server::FORMS_ARE_THE_CLIENTS,
    &from_server::UNLISTED_CALLS_ARE_WHOLE,
    &from_server::CALLS_REACH_WHOM_THEY_NAME_ONCE,
    &from_server::CALLS_KEEP_THEIR_ORDER,
    &RELIABLE_CALLS_COME,
    &from_server::frames::BROADCASTS_WITH_ROOM_COME,
    &from_server::frames::BROADCASTS_COME_TOGETHER,
    &from_server::frames::FRAMES_HAVE_THEIR_CALLS,
    &from_server::frames::FRAMES_SHOW_THE_WORLD,
    &from_server::frames::DATAGRAMS_FIT_PACKETS,
    &server_view::BROADCASTS_ARE_DROPPED_EXACTLY_WHEN_FULL,
    &FULL_BUFFERS_DO_NOT_STOP_THE_GAME,
    &server_view::MOVES_ARE_READ_AS_SENT,
    &server_view::WORLD_SHOWS_SSVC,
    &from_client::MOVES_HAVE_THE_FORM_OF_CCLC,
    &from_client::MOVES_LOOK_WHERE_CLIENTS_DO,
    &from_client::CLIENTS_ASK_FOR_THEIR_MAXIMUM,
    &from_client::CLIENTS_ASK_BEFORE_PRESPAWN,
    &from_client::CLIENTS_SIGN_ON,
    &liveness::CLIENTS_GO_ON,
    &liveness::SERVERS_GO_ON,
    &shown::VERSIONS_ARE_ZERO_UNTIL_SENT,
    &shown::CLIENTS_READ_WHAT_WAS_DELIVERED,
    &shown::CLIENTS_SHOW_WHAT_FRAMES_HAVE,
];

/// Both ends send datagrams of protocol 15.
static DATAGRAMS_ARE_OF_PROTOCOL_15: Check = Check::new("datagrams-are-of-protocol-15", &[m::HS_07]);
/// A client that asks rightly is accepted, as there is room for all.
static GOOD_CLIENTS_ARE_ACCEPTED: Check = Check::new("good-clients-are-accepted", &[m::HS_07]).knows(&[Knows::Limits]);
/// A reliable datagram is sent until it is acknowledged.
static RELIABLE_DATAGRAMS_ARE_RESENT: Check =
    Check::new("reliable-datagrams-are-resent", &[m::BUF_01]).knows(&[Knows::Headers, Knows::Time]);
/// A reliable call comes in the end.
static RELIABLE_CALLS_COME: Check =
    Check::new("reliable-calls-come", &[m::BUF_01, m::BUF_10, m::WR_02, m::WR_07, m::QC_03, m::TAB_01])
        .knows(&[Knows::World]);
/// The server goes on sending frames when broadcasts do not fit.
static FULL_BUFFERS_DO_NOT_STOP_THE_GAME: Check =
    Check::new("full-buffers-do-not-stop-the-game", &[m::BUF_03]).knows(&[Knows::World]);

/// Whether a datagram without a session asks for nothing, or for what NetQuake's servers are.
fn asks_for_quake(bytes: &[u8]) -> bool {
    match ControlPacket::read(&mut Reader::new(bytes)) {
        Ok(ControlPacket::ConnectRequest { game, version, .. }) => game == GAME_NAME && version == NET_PROTOCOL_VERSION,
        _ => bytes.get(4) != Some(&CCREQ_CONNECT),
    }
}

/// The oracle for a run.
pub fn oracle(setup: &Setup) -> Box<dyn Oracle> {
    Box::new(watch(setup))
}

/// The judge of a run, and what calls it.
pub fn watch(setup: &Setup) -> Watch<NvsJudge> {
    Watch::new(NvsJudge::new(setup), setup, REQUIREMENTS)
}

/// Judges a run.
#[derive(Debug)]
pub struct NvsJudge {
    options: Options,
    truth: Truth,
    clients: Clients<Client>,
    report: Report,
    /// The newest frame of any client.
    framed: Option<Time>,
    /// Frames that are not farther apart are one, in microseconds.
    frame_apart_us: u64,
    /// When broadcasts were more than a buffer holds.
    flooded: Option<Time>,
    server: ServerView,
}

impl NvsJudge {
    /// For the run of `setup`.
    pub fn new(setup: &Setup) -> NvsJudge {
        let Vantage { remote_server, remote_clients, .. } = setup.vantage;
        let options = Options::new(setup);
        let options = if remote_server { options.of_remote_server() } else { options };
        let is_blind = setup.knowledge == Knowledge::Wire;
        let mut truth = Truth::new(Tables::of(setup), options.ssvc().0, setup.clients, is_blind);
        truth.remote_server = remote_server;
        truth.tick_us = options.tick_us;
        NvsJudge {
            options,
            truth,
            clients: Clients::new(setup, |host| Client::new(host, &options, remote_clients)),
            report: Report::new(CHECKS, setup.knowledge, setup.vantage).with_pauses(&setup.pauses),
            framed: None,
            // A server in real time can be late with one frame and have the next one follow at once.
            frame_apart_us: if setup.vantage.is_remote() { 0 } else { options.tick_us / 2 },
            flooded: None,
            server: ServerView::default(),
        }
    }

    /// A new level begins, by the scenario.
    fn change_level(&mut self, now: Time) {
        // What was not executed yet may get lost with the level.
        let tick = self.options.tick_us;
        for client in self.clients.iter_mut() {
            for entry in &mut client.session.queue {
                let recent = self.truth.call(entry.id).is_some_and(|call| now.since(call.at) <= 2 * tick);
                entry.demanded &= !recent;
            }
            let waits = client.session.level_may_be_pending(now, tick) || client.session.too_old.is_some();
            client.session.change_level(now, tick);
            // To a client that was not accepted yet, what it is sent of another level can read as a repetition.
            if !waits && client.session.is_connected() && client.session.stage > 0 && client.delivered.accepted {
                client.liveness.changed.get_or_insert((now, client.session.level));
            }
        }
    }

    /// The server accepts a client, or sends it something else out of band.
    fn control_sent(&mut self, now: Time, packet: PacketId, bytes: &[u8]) {
        let NvsJudge { options, truth, clients, report, .. } = self;
        let Some(client) = clients.get_mut(packet.client) else { return };
        let (asked, refuses) = (client.liveness.asked.take(), bytes.get(4) == Some(&CCREP_REJECT));
        client.liveness.refused |= refuses;
        if refuses && asked.is_some() {
            report.fail(&GOOD_CLIENTS_ARE_ACCEPTED, now, HostId::SERVER, &HS_07, || {
                format!("refuses {}, although there is room", packet.client)
            });
        }
        if bytes.get(4) != Some(&CCREP_ACCEPT) {
            return;
        }
        self.server.accepts(packet.client);
        client.is_accepted(report);
        if !client.session.open || client.session.greeted.is_none() || !client.delivered.accepted {
            client.session.began = Some(now);
        }
        if client.session.open && client.challenged {
            client.session.open = false;
        } else if client.session.open && std::mem::take(&mut client.returns) {
            client.accepted_again = Some(AcceptedAgain { at: now, index: packet.index, is_late: false });
            return;
        } else if client.session.open && client.delivered.accepted {
            client.accepted_again = Some(AcceptedAgain { at: now, index: packet.index, is_late: true });
        }
        if client.session.open && !client.delivered.accepted {
            // Perhaps of a session of its own, which knows nothing of what an earlier one was to send.
            client.session.queue.iter_mut().for_each(|entry| entry.demanded = false);
            client.session.is_unsure |= client.session.behind > 0;
            // It may begin with the same bytes: then nothing shows that what the client says comes too early.
            client.session.may_have_stopped |= client.may_begin_again(now);
            client.liveness.changed = None;
            client.accepted_unread = Some(now);
        } else if client.session.wanted && !client.session.open {
            let early = truth.calls.iter().any(|call| call.frame.is_some());
            report.saw_if(early, Point::LateJoiner);
            let lingers = client.may_linger(now);
            client.restart(now, truth, options.tick_us);
            client.first[packet.direction.index()] = packet.index;
            client.beginning.clear();
            if lingers {
                let why = "a client came back before the server knew that it had left: not judged";
                client.session.give_up(report, why);
            }
        } else if !client.session.open {
            (client.accepted_unread, client.gone) = (Some(now), false);
        }
    }

    /// A datagram of a session, as it was sent: what it completes.
    fn follow(&mut self, now: Time, packet: PacketId, bytes: &[u8]) -> Option<Packet> {
        let NvsJudge { options, truth, clients, report, .. } = self;
        let client = clients.get_mut(packet.client)?;
        if truth.is_blind && client.session.came.is_none() {
            report.remark("a session began before it was observed: it is not judged");
        }
        if !client.session.is_judged() {
            return None;
        }
        let from_server = packet.direction == Direction::ServerToClient;
        if from_server && !client.follows_session(now, packet, bytes, truth, options.tick_us, report) {
            return None;
        }
        match client.sent.get_mut(packet.direction.index())?.take(bytes) {
            Ok(packet) => Some(packet),
            Err(error) => {
                let host = if from_server { HostId::SERVER } else { packet.client };
                report.fail(&DATAGRAMS_ARE_OF_PROTOCOL_15, now, host, &HS_07, || {
                    format!("no datagram of protocol 15: {error}")
                });
                None
            }
        }
    }

    /// A frame of the server may begin. Whether its streams can still be judged.
    fn begin_frame(&mut self, now: Time, content: &Packet) -> bool {
        let is_frame = matches!(content, Packet::Unreliable(payload) if payload.first() == Some(&SVC_TIME));
        let begins = self.framed.is_none_or(|framed| {
            // A server that stood still has a frame at once, and the next when it is due.
            let before = Time(framed.0.saturating_sub(self.options.tick_us));
            let apart_us = if self.report.stood_still(HostId::SERVER, before, now) { 0 } else { self.frame_apart_us };
            now.since(framed) > apart_us
        });
        if !is_frame || !begins {
            return true;
        }
        self.framed = Some(now);
        self.truth.frame(now);
        let torn = self.truth.tears();
        if torn {
            for client in self.clients.iter_mut() {
                client.session.give_up(&mut self.report, "a prepared message lacks writes: nothing is judged any more");
            }
        }
        !torn
    }

    /// What a client's session must have shown by the end of the run.
    fn finish_client(&mut self, now: Time, host: HostId) {
        let NvsJudge { truth, clients, report, options, .. } = self;
        let Some(Client { session, delivered, from_client, liveness, .. }) = clients.get_mut(host) else { return };
        if session.indeterminate.is_some() || now.since(session.last_disturbance) < PATIENCE_US {
            return;
        }
        // What disconnects a client waits for the acknowledgement of what is before it, and a server does not wait for ever.
        if session.too_old.is_some_and(|too_old| too_old.has_waited_long()) {
            return;
        }
        liveness.finish(session, delivered, from_client, options, report, now);
        if !session.is_judged() {
            return;
        }
        // A client that is refused does not go on, whatever it was sent before.
        if !liveness.refused {
            from_client.finish(delivered, session, report, options, now);
        }
        let pending = session.unacknowledged[Direction::ServerToClient.index()].is_some();
        let given_up = session.too_old.is_some() && pending && now.since(session.server_sent) > PATIENCE_US;
        if session.damaged || session.may_have_stopped || given_up {
            return;
        }
        too_old::judge_kept(session, options, report, now);
        let there = !session.remote || now.since(session.last_received) < SILENCE_US;
        // A remote server may have let go of the client: it sends nothing to a client that it does not know.
        let until = if truth.remote_server { session.server_sent } else { now };
        if there && pending && until.since(session.reliable_sent) > PATIENCE_US {
            let since = session.reliable_sent;
            report.fail(&RELIABLE_DATAGRAMS_ARE_RESENT, now, HostId::SERVER, &BUF_01, || {
                format!("to {host}: a reliable datagram is not acknowledged, and was sent last at {since}")
            });
            return;
        }
        // What waits for its turn, as behind a long sign-on, comes when what is before it was acknowledged.
        let goes_on = pending || now.since(session.reliable_sent) < SILENCE_US;
        let unseen = session.late.iter().chain(&session.queue).filter(|entry| entry.demanded && !goes_on);
        for entry in unseen.filter(|entry| matches!(entry.class, Class::Message | Class::Reliable)) {
            let Some(call) = truth.call(entry.id).filter(|call| now.since(call.at) > PATIENCE_US) else {
                continue;
            };
            let lines = |message| Lines::of(message, truth.ssvc, session.form_version(true));
            if truth.message(call).is_some_and(|message| lines(message).leaves_out(message)) {
                report.saw(Point::LeftOut);
                continue;
            }
            let evidence = Evidence { session, truth, call, reliable: true };
            let suspects = diagnosis::missing(evidence, false);
            report
                .fail(&RELIABLE_CALLS_COME, now, HostId::SERVER, suspects, || format!("to {host}: {call} never came"));
        }
        let silent = session.framed.is_some_and(|framed| now.since(framed) > SILENCE_US);
        if let Some(flooded) = self.flooded.filter(|_| silent) {
            let last = self.framed.unwrap_or_default();
            report.fail(&FULL_BUFFERS_DO_NOT_STOP_THE_GAME, now, HostId::SERVER, &BUF_03, || {
                format!("no frame to {host} since {last}; broadcasts did not fit at {flooded}")
            });
        }
    }
}

impl Judge for NvsJudge {
    fn report(&self) -> &Report {
        &self.report
    }

    fn numbering(&self, _: Direction, bytes: &[u8]) -> Numbering {
        netquake::datagram::numbering(bytes)
    }

    fn server_command(&mut self, now: Time, command: &Command) {
        if matches!(command, Command::Map) {
            self.change_level(now);
        }
        let Some(id) = self.truth.command(now, command) else { return };
        let Some(call) = self.truth.call(id) else { return };
        for client in self.clients.iter_mut().filter(|client| client.session.is_connected()) {
            client.session.add(call, true);
        }
    }

    fn client_command(&mut self, now: Time, client: HostId, command: &Command) {
        let Some(client) = self.clients.get_mut(client) else { return };
        match command {
            Command::Connect => client.commanded_to_connect(now),
            Command::Disconnect => {
                // Who has received damage may have left already.
                let leaves = client.session.is_judged() && client.delivered.accepted && !client.session.damaged;
                client.liveness = Liveness { leaves: Some(now).filter(|_| leaves), ..Liveness::default() };
                client.session.wanted = false;
                client.session.closed = true;
            }
            Command::Verb { verb: VERB_LOOK, args: [pitch, yaw, roll, _] } => {
                let look = [*pitch, *yaw, *roll].map(|hundredths| float_bits(hundredths as f32 / 100.0));
                client.delivered.look = Some((look, now));
            }
            Command::Verb { verb, args } => {
                let is_there = client.session.is_connected() && client.delivered.accepted;
                client.from_client.commanded(now, *verb, args[0], is_there);
            }
            _ => {}
        }
    }

    fn server_sent(&mut self, now: Time, packet: PacketId, bytes: &[u8], fate: Fate) {
        if let Some(client) = self.clients.get_mut(packet.client) {
            client.note_fate(now, packet, fate);
            client.session.server_sent = now;
        }
        if is_control(bytes) {
            if self.truth.is_blind && !self.clients.iter().any(|client| client.session.is_connected()) {
                // The level may have changed while no client was connected.
                self.truth.image = None;
            }
            return self.control_sent(now, packet, bytes);
        }
        if self.truth.is_blind
            && let Some(client) = self.clients.get_mut(packet.client)
        {
            client.challenged |= bytes.windows(CHALLENGE.len()).any(|window| window == CHALLENGE);
        }
        if let Some(client) = self.clients.get_mut(packet.client) {
            too_old::judge_silence(client, packet, bytes, &mut self.report, now);
        }
        let Some(content) = self.follow(now, packet, bytes) else { return };
        let lost = matches!(fate, Fate::Lost(_));
        if let Some(Client { session, delivered, .. }) = self.clients.get_mut(packet.client) {
            delivered.epochs.sent(packet.index, session.level);
            if bytes.get(1).is_some_and(|&flags| flags & 1 != 0) {
                session.reliable_lost |= lost;
                session.reliable_sent = now;
                session.await_acknowledgement(packet.direction, bytes);
            }
            self.report.saw_if(session.reliable_lost && session.texts > 0, Point::ReliableLost);
        }
        if !self.begin_frame(now, &content) {
            return;
        }
        let other = |client: &&Client| client.session.is_connected() && client.session.host != packet.client;
        let others: Vec<(u16, i32)> =
            self.clients.iter().filter(other).map(|client| (client.session.host.0, client.session.csvc())).collect();
        let NvsJudge { options, truth, clients, report, flooded, .. } = self;
        let Some(Client { session, liveness, .. }) = clients.get_mut(packet.client) else { return };
        if content != Packet::Nothing && session.pending_bytes(truth) > MUCH_BYTES {
            session.give_up(report, "more reliable bytes than a buffer holds: the client may be disconnected");
            clients.iter_mut().for_each(|client| client.session.may_have_stopped = true);
            return;
        }
        let mut stream = FromServer { session, truth, report, options, now, others: &others, payload: 0 };
        match content {
            Packet::Reliable(message) => stream.reliable(&message),
            Packet::Unreliable(payload) => {
                stream.unreliable(&payload);
                let broadcasts = !stream.session.last_calls.is_empty();
                stream.report.saw_if(lost && broadcasts, Point::BroadcastLost);
            }
            Packet::Nothing => {}
        }
        if report.has_seen(Point::Flood) {
            flooded.get_or_insert(now);
        }
        session.closed |= session.dismissed;
        liveness.changed = liveness.changed.filter(|changed| changed.1 == session.level);
        if std::mem::take(&mut truth.began_unseen) {
            let others = clients.iter_mut().filter(|client| client.session.host != packet.client);
            for client in others {
                client.session.change_level(now, 0);
                client.session.is_unsure = true;
            }
        }
    }

    fn client_sent(&mut self, now: Time, packet: PacketId, bytes: &[u8], fate: Fate) {
        if let Some(client) = self.clients.get_mut(packet.client) {
            client.note_fate(now, packet, fate);
            if client.session.remote {
                client.remote_sent(now, bytes, &self.truth, &mut self.report);
            }
            client.from_client.spoke = now;
            client.liveness.says(bytes);
            if is_control(bytes) {
                client.liveness.wanted = None;
            } else if bytes.get(1).is_some_and(|&flags| flags & 2 != 0) {
                client.liveness.acknowledges(bytes.get(4..8));
            }
        }
        if is_control(bytes) {
            if !asks_for_quake(bytes) {
                self.report.fail(&DATAGRAMS_ARE_OF_PROTOCOL_15, now, packet.client, &HS_07, || {
                    String::from("asks to be accepted to another game, or by another protocol")
                });
            }
            return;
        }
        let Some(content) = self.follow(now, packet, bytes) else { return };
        let Some(client) = self.clients.get_mut(packet.client) else { return };
        if bytes.get(1).is_some_and(|&flags| flags & 1 != 0) {
            client.session.await_acknowledgement(packet.direction, bytes);
        }
        let (Packet::Reliable(message) | Packet::Unreliable(message)) = content else { return };
        client.from_client.sends(&client.delivered, &client.session, &mut self.report, now, &message);
        client.session.closed |= client.session.remote && client.from_client.left;
    }

    fn client_received(&mut self, now: Time, arrival: Arrival<'_>) {
        let NvsJudge { truth, clients, report, .. } = self;
        let Some(client) = clients.get_mut(arrival.packet.client) else { return };
        let Some(content) = client.deliver(now, &arrival, report) else { return };
        if client.session.is_connected() && arrival.bytes.get(1).is_some_and(|&flags| flags & 1 != 0) {
            client.liveness.receives(now, arrival.bytes);
        }
        if client.session.remote {
            let sequence = arrival.bytes.get(4..).and_then(|rest| rest.first_chunk().copied());
            if let (Packet::Reliable(message), Some(sequence)) = (content, sequence) {
                client.delivered.put(sequence, message);
            }
            return;
        }
        let level = client.delivered.epochs.level(arrival.packet.index);
        client.delivered.receives(now, &content, level, truth, report);
    }

    fn server_received(&mut self, now: Time, arrival: Arrival<'_>) {
        let NvsJudge { options, clients, report, server, .. } = self;
        let Some(client) = clients.get_mut(arrival.packet.client) else { return };
        client.session.last_received = now;
        if arrival.intact && is_control(arrival.bytes) && asks_for_quake(arrival.bytes) {
            client.liveness.asked.get_or_insert(now);
        }
        let Some(content) = client.deliver(now, &arrival, report) else { return };
        client.takes_disconnect(&content);
        from_client::server_receives(&content, &mut client.session, server, report, options, now);
    }

    fn event(&mut self, now: Time, host: HostId, event: &Event) {
        if host == HostId::SERVER {
            self.server.shows(event, self.truth.ssvc, now, &mut self.report);
        } else if let Some(client) = self.clients.get_mut(host) {
            client.delivered.shows(event);
        }
    }

    fn settled(&mut self, now: Time, host: HostId) -> bool {
        if host == HostId::SERVER {
            self.server.settled(now, &mut self.report);
            if !self.server.fits.is_empty() {
                let sessions: Vec<&Session> = self.clients.iter().map(|client| &client.session).collect();
                server_view::judge_fits(&sessions, &self.truth, &self.server.fits, &mut self.report, now);
                self.server.fits.clear();
            }
        }
        self.clients.get(host).is_some_and(|client| client.session.is_judged() && client.delivered.due)
    }

    fn shown(&mut self, now: Time, host: HostId, view: &View) {
        let Some(client) = self.clients.get_mut(host) else { return };
        client.delivered.settled(&client.session, &mut self.report, now, view);
    }

    fn finish(&mut self, now: Time) {
        self.server.finish(&mut self.report, now);
        // Whoever has come or gone since may have missed a level, and so may who has not acknowledged what came before. Of one that
        // began between the two, some client must have been sent it.
        let stays = |at: Time| {
            let mut came = self.clients.iter().filter(|client| client.session.came.is_some());
            came.all(|client| client.listens_since(at))
        };
        let listens = |since: Time| self.clients.iter().any(|client| client.listens_since(since));
        if let Some((_, at, host)) = self.truth.other_image.filter(|&(since, at, _)| stays(at) && listens(since)) {
            from_server::versions::images_differ(&mut self.report, at, host);
        }
        let hosts: Vec<HostId> = self.clients.iter().map(|client| client.session.host).collect();
        for host in hosts {
            self.finish_client(now, host);
        }
    }
}

#[cfg(test)]
mod tests;
