//! Judges a run of one server and its clients, whoever wrote them, from what goes over the wire, from what the scenario
//! asks for, and from what the clients show.
//!
//! For each connection ([`session`]) there are two readers of what the server says ([`image`]): of all that it sends,
//! and of what the client received. The checks compare:
//!
//! - [`link`]: headers: numbers, acknowledgements, reliable blocks;
//! - [`server_said`]: what a server sends with the world as the scenario makes it ([`truth`], [`compare`]), and with what
//!   the client has acknowledged;
//! - [`client_said`]: what a client sends with what it has received;
//! - [`aside`]: what is said beside frames with what the scenario asked for, and with what clients tell of it;
//! - [`held`]: what a client shows with what it has received;
//! - [`provoked`]: what an end makes of what the scenario has the other say wrongly.
//!
//! [`errata`] remarks which way was seen where engines differ. [`misread`] names what a frame breaks that makes no sense. Nothing here uses the reference machines.

pub mod aside;
pub mod checks;
pub mod client_said;
pub mod compare;
pub mod coverage;
pub mod errata;
pub mod held;
pub mod image;
pub mod link;
pub mod misread;
pub mod provoked;
pub mod server_said;
pub mod session;
pub mod truth;

use crate::machine::options::Options;
use crate::notes::NOTE_PREDICTION_ERROR;
use crate::requirements::*;
use crate::verbs::*;
use crate::wire::constants::*;
use crate::wire::handshake::{ServerPacket, is_out_of_band};
use crate::wire::state::EntityList;
use aside::{Wish, Wishes};
use coverage::{Point, Report};
use kit::fate::Fate;
use kit::{
    Command, Direction, Endpoint, Event, Finding, HostId, Oracle, PacketId, Probe, Reader, Requirement, Setup, Time,
    TraceEvent, View,
};
use session::{Session, Wanted};
use truth::Truth;

/// More clients than any scenario has; those above are not followed.
const MAX_CLIENTS: u16 = 64;
/// What did not come within this time of peace is missing.
const PATIENCE_US: u64 = 4_000_000;
/// Maps of a scenario that are remembered.
const MAX_REMEMBERED: usize = 4096;
/// How far a prediction may be off by rounding, in eighths.
const PREDICTION_TOLERANCE: i64 = 8;
/// A prediction is judged when nothing went wrong for so long.
const PREDICTION_PEACE_US: u64 = 2_000_000;

/// The oracle for a run.
pub fn oracle(setup: &Setup) -> Box<dyn Oracle> {
    Box::new(R1q2Oracle::new(setup))
}

/// A frame of a moment, for comparison with those that others get.
#[derive(Debug)]
pub struct Twin {
    at: Time,
    host: HostId,
    protocol: u32,
    entities: EntityList,
}

/// Judges a run.
pub struct R1q2Oracle {
    options: Options,
    truth: Truth,
    clients: Vec<Client>,
    report: Report,
    view: View,
    wishes: Wishes,
    twins: Vec<Twin>,
    /// The maps by their spawncounts.
    maps: Vec<(i32, u32)>,
}

/// One client.
struct Client {
    host: HostId,
    /// The connect that it sent last, and the one that the server received last.
    sent: Option<Wanted>,
    arrived: Option<Wanted>,
    session: Option<Session>,
    /// When its link last lost or reordered something.
    trouble: Time,
    /// The next datagram, by direction, if none overtakes.
    next: [u32; 2],
    /// Whether the scenario wants it in the game.
    wants: bool,
    /// When it was told another revision, until it comes back.
    other_revision: Option<Time>,
    /// Something of it was damaged before it was let in: what the server has let in may be something else.
    tainted: bool,
    /// The scenario has had its player walk: moves may arrive when nothing is known of the connection any more.
    walks: bool,
    /// Its player has moved in a connection before, and is where that ended.
    moved: bool,
}

/// What a judgement needs beside the connection that it is about.
pub struct Judge<'a> {
    options: &'a Options,
    truth: &'a Truth,
    report: &'a mut Report,
    twins: &'a mut Vec<Twin>,
    maps: &'a mut Vec<(i32, u32)>,
    wishes: &'a Wishes,
    /// Clients of the run, and how many of those in the game have no number.
    clients: u16,
    unnumbered: usize,
}

impl Judge<'_> {
    /// Whether clients go back to protocol 34 at what is announced: those that know no lesser revision.
    fn falls_back(&self) -> bool {
        self.options.client_minor < MINOR_USERCMD && self.options.announced_minor != self.options.client_minor
    }

    /// Which map a serverdata is of; `None` while that is not certain.
    fn map_of(&mut self, spawncount: i32, now: Time) -> Option<u32> {
        if let Some((_, map)) = self.maps.iter().find(|(known, _)| *known == spawncount) {
            return Some(*map);
        }
        let newest = self.truth.maps;
        if self.truth.is_unsettled(now, 2 * self.options.tick_us) && newest > 0 {
            let before_is_known = self.maps.iter().any(|(_, map)| *map + 1 == newest);
            if !before_is_known {
                return None;
            }
        }
        if self.maps.len() < MAX_REMEMBERED {
            self.maps.push((spawncount, newest));
        }
        Some(newest)
    }
}

impl R1q2Oracle {
    /// For the run of `setup`.
    pub fn new(setup: &Setup) -> R1q2Oracle {
        let client = |host| Client {
            host: HostId(host),
            sent: None,
            arrived: None,
            session: None,
            trouble: Time::ZERO,
            next: [0; 2],
            wants: false,
            other_revision: None,
            tainted: false,
            walks: false,
            moved: false,
        };
        R1q2Oracle {
            options: Options::new(setup),
            truth: Truth::default(),
            clients: (1..=setup.clients.min(MAX_CLIENTS)).map(client).collect(),
            report: Report::new(checks::CHECKS, setup.knowledge),
            view: View::default(),
            wishes: Wishes::default(),
            twins: Vec::new(),
            maps: Vec::new(),
        }
    }

    /// A client, and what a judgement needs beside it.
    fn split(&mut self, host: HostId) -> Option<(&mut Client, Judge<'_>)> {
        let playing = |client: &&Client| client.session.as_ref().is_some_and(|it| it.begun.is_some());
        let unnumbered = |client: &&Client| client.session.as_ref().is_some_and(|it| it.wanted.is_unnumbered());
        let unnumbered = match self.options.same_address {
            true => self.clients.iter().filter(playing).filter(unnumbered).count(),
            false => 0,
        };
        let R1q2Oracle { options, truth, clients, report, twins, maps, wishes, .. } = self;
        let count = clients.len() as u16;
        let client = clients.get_mut(usize::from(host.0).checked_sub(1)?)?;
        Some((client, Judge { options, truth, report, twins, maps, wishes, clients: count, unnumbered }))
    }

    fn server_commanded(&mut self, now: Time, command: &Command) {
        if self.truth.command(now, command) {
            return;
        }
        match *command {
            Command::Verb { verb: verb @ (VERB_MALFORMED | VERB_UNSENT), args: [client, kind, ..] } => {
                let told = |host: HostId| client == 0 || i32::from(host.0) == client;
                let sessions = self.clients.iter_mut().filter(|client| told(client.host));
                for session in sessions.filter_map(|client| client.session.as_mut()) {
                    match verb {
                        VERB_MALFORMED => session.provoked.malformed(kind, session.wanted.asked.protocol),
                        _ => session.provoked.unsent(session.last_frame),
                    }
                }
            }
            Command::Verb { verb: VERB_REBIND, args: [client, ..] } => {
                let client = u16::try_from(client).ok().and_then(|client| self.split(HostId(client)));
                if let Some(session) = client.and_then(|(client, _)| client.session.as_mut()) {
                    session.rebound = Some(now);
                }
            }
            Command::Verb { verb: VERB_AREA, args: [client, byte, ..] } => self.truth.area(now, client, byte as u8),
            Command::Verb { verb, args } => {
                if let Some(wish) = Wish::of(now, verb, args, &self.truth) {
                    self.wishes.add(wish);
                }
            }
            _ => {}
        }
    }

    fn client_commanded(&mut self, host: HostId, command: &Command) {
        let Some((client, _)) = self.split(host) else { return };
        match command {
            Command::Connect => client.wants = true,
            Command::Disconnect => {
                (client.wants, client.tainted) = (false, false);
                client.session = None;
                client.arrived = None;
                client.other_revision = None;
            }
            Command::Verb { verb: VERB_WALK, args } => client.walks |= *args != [0; 4],
            Command::Verb { verb: VERB_ACK_AHEAD, args: [_, moves, ..] } => {
                if let Some(session) = &mut client.session {
                    session.provoked.ahead(*moves);
                }
            }
            _ => {}
        }
    }

    fn sent(&mut self, now: Time, packet: PacketId, bytes: &[u8], fate: Fate) {
        let Some((client, mut judge)) = self.split(packet.client) else { return };
        let direction = packet.direction.index();
        client.next[direction] = packet.index.saturating_add(1);
        if !matches!(fate, Fate::Once(copy) if copy.intact()) {
            client.trouble = now;
        }
        let from_server = packet.direction == Direction::ServerToClient;
        if is_out_of_band(bytes) {
            match from_server {
                true => client.is_answered(now, packet.index, bytes),
                false => client.connects(now, packet.index, bytes, &mut judge),
            }
            return;
        }
        let Some(session) = client.session.as_mut().filter(|session| session.is_judged()) else { return };
        match from_server {
            true => judge.server_sends(session, now, bytes),
            false if session.heard => judge.client_sends(session, now, bytes),
            false => {}
        }
    }

    fn delivered(&mut self, now: Time, packet: PacketId, copy: u8, bytes: &[u8], intact: bool) {
        let Some((client, mut judge)) = self.split(packet.client) else { return };
        let direction = packet.direction.index();
        let late = packet.index.saturating_add(1) < client.next[direction];
        if copy > 0 || !intact || late {
            client.trouble = now;
        }
        let from_server = packet.direction == Direction::ServerToClient;
        if !intact {
            // Whatever it says now, nobody has said it; a connect that the server takes, for one.
            client.tainted |= !from_server && client.session.as_ref().is_none_or(|session| !session.heard);
            if let Some(session) = &mut client.session {
                session.doubt = true;
            }
            return;
        }
        if is_out_of_band(bytes) {
            if from_server {
                client.hears_answer(packet.index, bytes);
            } else if let Some(connect) = client_said::connect(bytes) {
                let fell_back = client.sent.is_some_and(|sent| sent.fell_back);
                let wanted = Wanted::of(&connect, packet.index, now, fell_back);
                judge.connect_arrives(&wanted);
                let newer = client.arrived.is_none_or(|arrived| arrived.index < packet.index);
                if newer && client.wants {
                    // What was asked for before without an answer was asked for since then.
                    let unanswered = client.arrived.filter(|_| client.session.is_none());
                    let at = unanswered.map_or(now, |before| before.at);
                    client.arrived = Some(Wanted { at, ..wanted });
                }
            }
            return;
        }
        let Some(session) = client.session.as_mut().filter(|session| session.is_judged()) else { return };
        if from_server {
            if packet.index < session.opened {
                // Of an earlier connection; a client that has begun this one may take it for one of this.
                session.doubt |= session.heard;
            } else if session.heard {
                judge.client_receives(session, now, bytes);
            }
        } else if packet.index < session.wanted.index {
            session.doubt = true;
        } else {
            judge.server_receives(session, now, bytes);
        }
    }

    fn told(&mut self, now: Time, host: HostId, event: &Event) {
        let Some((client, mut judge)) = self.split(host) else { return };
        let trouble = client.trouble;
        let Some(session) = client.session.as_mut().filter(|session| session.is_judged()) else { return };
        judge.client_tells(session, now, event);
        if let Event::Untyped { what: NOTE_PREDICTION_ERROR, value } = *event {
            let quiet = now.since(trouble) > PREDICTION_PEACE_US && session.moved;
            let quiet = quiet && !judge.truth.changed_lately(now, PREDICTION_PEACE_US);
            let spectates =
                session.received.shown().is_some_and(|held| held.player[crate::wire::state::PM_TYPE] == PM_SPECTATOR);
            if quiet && spectates && session.heard_dialect.is_r1q2() {
                judge.report.saw(Point::Predicted);
                if value.abs() > PREDICTION_TOLERANCE {
                    judge.report.find(&MOV_03, now, host, || format!("its prediction was off by {value} eighths"));
                }
            }
        }
    }
}

impl Client {
    /// It sends something that belongs to no connection.
    fn connects(&mut self, now: Time, index: u32, bytes: &[u8], judge: &mut Judge<'_>) {
        let Some(connect) = client_said::connect(bytes) else { return };
        if let Some(session) = self.session.take_if(|session| session.heard) {
            self.moved |= session.moved;
            // It has left what it had.
            self.other_revision = session.other_revision;
            self.arrived = None;
        }
        let other = self.other_revision.is_some() && connect.protocol == PROTOCOL_R1Q2;
        judge.client_connects(self.host, now, bytes, &connect, other);
        let again = self.sent.is_some_and(|sent| sent.fell_back);
        let fell_back = connect.protocol == PROTOCOL_ORIGINAL && (self.other_revision.is_some() || again);
        if connect.protocol == PROTOCOL_ORIGINAL {
            self.other_revision = None;
        }
        self.sent = Some(Wanted::of(&connect, index, now, fell_back));
    }

    /// The server sends something that belongs to no connection.
    fn is_answered(&mut self, now: Time, index: u32, bytes: &[u8]) {
        let answer = ServerPacket::read(&mut Reader::new(bytes));
        if !matches!(answer, Ok(ServerPacket::ClientConnect { .. })) {
            return;
        }
        let Some(arrived) = self.arrived else { return };
        self.moved |= self.session.as_ref().is_some_and(|session| session.moved);
        match &mut self.session {
            // It is told again: whether the connection begins anew with that is the server's to say.
            Some(session) if session.heard => session.doubt = true,
            Some(session) => {
                let (asked, sent) = (session.wanted.index, session.server.sent);
                // What went to another port than it has now is not seen, and counts all the same.
                let rebound = session.rebound;
                let mut again = Session { rebound, ..Session::new(self.host, arrived, index, now) };
                if asked != arrived.index || sent != Some(0) {
                    again.server.sent = None;
                    again.doubt = session.server.received != 0;
                }
                self.session = Some(again);
            }
            None => self.session = Some(Session::new(self.host, arrived, index, now)),
        }
        if let Some(session) = &mut self.session {
            session.moved |= self.moved || self.walks;
            session.doubt |= self.tainted;
        }
    }

    /// It receives something that belongs to no connection.
    fn hears_answer(&mut self, index: u32, bytes: &[u8]) {
        let answer = ServerPacket::read(&mut Reader::new(bytes));
        let Some(session) = &mut self.session else { return };
        if matches!(answer, Ok(ServerPacket::ClientConnect { .. })) {
            session.doubt |= index < session.opened;
            session.heard = true;
        }
    }
}

impl Probe for R1q2Oracle {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        match *event {
            TraceEvent::Command { host: HostId::SERVER, command } => self.server_commanded(now, command),
            TraceEvent::Command { host, command } => self.client_commanded(host, command),
            TraceEvent::Sent { packet, bytes, fate, .. } => self.sent(now, packet, bytes, fate),
            TraceEvent::Delivered { packet, copy, bytes, intact } => self.delivered(now, packet, copy, bytes, intact),
            TraceEvent::Event { host: HostId::SERVER, .. } | TraceEvent::Timeout { .. } => {}
            TraceEvent::Event { host, event } => self.told(now, host, event),
        }
    }

    fn settled(&mut self, now: Time, host: HostId, endpoint: &dyn Endpoint) {
        let mut view = std::mem::take(&mut self.view);
        if let Some((client, mut judge)) = self.split(host)
            && let Some(session) = client.session.as_mut().filter(|session| session.is_judged() && session.look)
        {
            view.clear();
            endpoint.observe(&mut view);
            judge.look(session, now, &view);
        }
        self.view = view;
    }
}

impl Oracle for R1q2Oracle {
    fn finish(&mut self, now: Time) {
        for host in 1..=self.clients.len() as u16 {
            let Some((client, mut judge)) = self.split(HostId(host)) else { continue };
            if now.since(client.trouble) > PATIENCE_US {
                client.finish(now, &mut judge);
            }
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

impl Client {
    /// The run is over, and nothing was lost lately: what was due has come.
    fn finish(&mut self, now: Time, judge: &mut Judge<'_>) {
        let (host, server) = (self.host, HostId::SERVER);
        let overdue = |since: Time| now.since(since) > PATIENCE_US;
        if let Some(told) = self.other_revision.filter(|told| overdue(*told)) {
            judge
                .report
                .find(&SD_03, now, host, || format!("told of another revision at {told}, it has not come back"));
        }
        let Some(session) = &self.session else {
            let unanswered =
                self.arrived.filter(|arrived| overdue(arrived.at) && arrived.asked.protocol == PROTOCOL_R1Q2);
            let length = unanswered.map(|arrived| arrived.tail.max_length);
            let requirement = match length {
                Some(None) => &CON_03,
                Some(Some(0)) => &LEN_05,
                _ => return,
            };
            judge.report.find(requirement, now, server, || format!("the connect of {host} has no answer"));
            return;
        };
        if let Some(asked) = session.asked_at.filter(|asked| overdue(*asked) && !session.answered && !session.doubt) {
            judge
                .report
                .find(unread(session), now, server, || format!("{host} asked at {asked} and has no serverdata"));
        }
        if session.doubt || session.over || session.provoked.gives_up.is_some() {
            return;
        }
        if let Some(told) = session.other_revision.filter(|told| overdue(*told)) {
            judge
                .report
                .find(&SD_03, now, host, || format!("told of another revision at {told}, it has not come back"));
        }
        if let Some((since, behind)) = session.precached.filter(|(since, _)| overdue(*since) && !session.begins) {
            let requirement = if behind { &ZPKT_04 } else { &GEN_02 };
            judge.report.find(requirement, now, host, || format!("told to begin at {since}, it has not"));
        }
        let entities = judge.truth.since(now, 0).first().map_or(0, |world| world.live.len());
        let none = session.last_frame.is_none() && session.frame_fits(entities);
        if let Some(begun) = session.begun.filter(|begun| overdue(*begun) && none) {
            judge.report.find(&GEN_02, now, server, || format!("no frame for {host}, in the game since {begun}"));
        }
        if let Some((since, compressed)) = session.file.open.filter(|(since, _)| overdue(*since)) {
            let requirement = if compressed { &ZDL_03 } else { &GEN_02 };
            judge.report.find(requirement, now, host, || format!("has not asked for the next block since {since}"));
        }
        if let Some(rebound) = session.rebound.filter(|rebound| overdue(*rebound)) {
            let numbered = !session.wanted.is_unnumbered();
            judge.report.saw_if(numbered && session.heard_dialect.is_r1q2(), Point::Rebound);
            if numbered && overdue(session.acknowledged_at) {
                judge.report.find(&QPORT_05, now, server, || {
                    format!("{host} has another port since {rebound}, and nothing of it was acknowledged lately")
                });
            }
        }
        if let Some(wrong) = session.said_reliably(now, judge.wishes, judge.truth.maps, PATIENCE_US) {
            judge.report.find(&GEN_02, now, server, || wrong);
        }
    }
}

/// What a server breaks that does not read what a client says.
fn unread(session: &Session) -> &'static Requirement {
    match session.wanted.asked.protocol {
        PROTOCOL_R1Q2 if session.wanted.is_unnumbered() => &QPORT_04,
        _ => &QPORT_02,
    }
}
