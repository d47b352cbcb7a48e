//! Each datagram as it is sent and as it is delivered: what it means for the session, and who judges it.

use super::connect::{Answered, Asked};
use super::coverage::{Point, Report, means};
use super::delivery::Delivered;
use super::from_client::{Echo, Spoken};
use super::from_server::FromServer;
use super::liveness;
use super::right_view::RightView;
use super::session::{Given, IN_GAME, LAST_STEP, Session};
use super::transport::{Brought, Said};
use super::truth::Truth;
use crate::message::Dialect;
use crate::options::Options;
use crate::requirements::*;
use kit::{HostId, PeerId, Reader, Time};
use netquake::constants::{CLC_DISCONNECT, GAME_NAME, NET_PROTOCOL_VERSION};
use netquake::{ControlPacket, Packet};

kit::checks! {
    from means;
    /// Every header can be read.
    pub HEADERS_CAN_BE_READ = "headers-can-be-read" knows Headers: NET_01;
    /// A client that is to connect asks for a connection, and for nothing else, where the server listens, until it has it.
    pub CLIENTS_ASK_FOR_A_CONNECTION = "clients-ask-for-a-connection" knows ClientShows: NET_10;
    /// A client sends moves in the game alone.
    pub MOVES_WAIT_FOR_THE_GAME = "moves-wait-for-the-game" knows ClientSays: NET_11;
    /// A client does not go on with a protocol that it does not know.
    pub STRANGE_PROTOCOLS_END_THE_SIGN_ON = "strange-protocols-end-the-sign-on" knows ClientSays: VER_03;
}

/// Datagrams of the server of which is remembered in which map they were sent.
const MAX_EPOCHS: usize = 1024;

/// What a client says to the steps of a sign-on.
const ANSWERS: [&[u8]; 3] = [b"prespawn", b"spawn", b"begin"];
/// What other protocols of a server begin with: control packets of this one have a length there.
const OUT_OF_BAND: [u8; 4] = [0xff; 4];

/// One client's session, and what is needed to judge.
pub struct OneClient<'a> {
    /// The session.
    pub session: &'a mut Session,
    /// What the scenario asks of both.
    pub options: &'a Options,
    /// What the scenario says, if the oracle knows it.
    pub truth: Option<&'a Truth>,
    /// Number of player slots.
    pub slots: u32,
    /// See [`FromServer::seats_differ`].
    pub seats_differ: bool,
    /// Where findings go.
    pub report: &'a mut Report,
    /// The time.
    pub now: Time,
}

/// The client says that it asks for a connection, and whom.
pub fn asks_at(session: &Session, server: PeerId, report: &mut Report, now: Time) {
    if server != PeerId::SERVER && !session.ends[1].remote {
        let what = || format!("asks at port {}, where no server listens", server.port);
        report.fail(&CLIENTS_ASK_FOR_A_CONNECTION, now, session.host, &NET_10, what);
    }
}

impl OneClient<'_> {
    /// The server sends a datagram to the client.
    pub fn server_sent(&mut self, index: u32, bytes: &[u8]) {
        let OneClient { session, report, now, .. } = self;
        session.next[0] = index.wrapping_add(1);
        if netquake::is_control(bytes) {
            if !session.ends[0].remote || !bytes.starts_with(&OUT_OF_BAND) {
                self.server_answers(index, bytes);
            }
            return;
        }
        if !session.judged() {
            return;
        }
        let before = session.streams[0].spoke();
        session.speaks(0, *now);
        let packet = match Packet::read(&mut Reader::new(bytes)) {
            Ok(packet) => packet,
            Err(error) => {
                let what = || format!("a header is wrong: {error}");
                return report.fail(&HEADERS_CAN_BE_READ, *now, HostId::SERVER, &NET_01, what);
            }
        };
        session.server_shows(matches!(packet, Packet::Data { .. }), before, *now);
        if session.sent.protocol.is_none() && !matches!(packet, Packet::Ack { .. }) {
            // It may ask the client for something before it announces the map.
            session.step_due = None;
        }
        if let Packet::Unreliable { payload, .. } = packet {
            session.requests.server_says(payload);
        }
        if let Packet::Ack { sequence } = packet {
            return session.streams[1].ack_sent(sequence, report, *now);
        }
        let said = session.streams[0].sent(&packet, report, *now);
        self.server_said(index, said, packet);
    }

    /// The server sends a datagram, and with it says this.
    fn server_said(&mut self, index: u32, said: Said, packet: Packet<'_>) {
        let OneClient { session, options, truth, slots, seats_differ, report, now } = self;
        let (busy_since, epoch) = (session.streams[0].busy_since, session.sent.epoch);
        let mut judge = FromServer {
            client: session.host,
            sent: &mut session.sent,
            truth: *truth,
            options,
            slots: *slots,
            report,
            now: *now,
            current: true,
            remote: session.ends[0].remote,
            seats_differ: *seats_differ,
            is_certain_who_plays: !session.ends[1].remote,
            whole: true,
        };
        match (said, packet) {
            // What comes before a new connection's map can be of the one before.
            (Said::Unreliable, _) if judge.remote && judge.sent.protocol.is_none() && session.streams[0].follows() => {}
            (Said::Unreliable, Packet::Unreliable { payload, .. }) => {
                judge.message(payload, false);
                // Who is not in the game gets nops at most.
                if session.sent.stage == LAST_STEP && payload.len() > 1 {
                    session.took(IN_GAME);
                    session.in_game |= session.ends[0].remote && truth.is_some() && !session.sent.between;
                    report.saw_if(session.framed.is_some(), Point::Framed);
                    session.framed = session.framed.map(|_| *now);
                }
                if session.epochs.len() == MAX_EPOCHS {
                    session.epochs.pop_front();
                }
                session.epochs.push_back((index, session.sent.epoch));
            }
            (Said::Reliable(message), _) => {
                judge.current = truth.is_none_or(|truth| truth.changed <= busy_since);
                judge.message(&message, true);
                let done = |(step, _): &(u8, Time)| !session.sent.between && *step <= session.sent.stage;
                // What was asked before a map was announced was asked of the map before.
                if session.sent.epoch != epoch {
                    session.moves.nothing_to_apply();
                }
                if session.sent.epoch != epoch || session.step_due.as_ref().is_some_and(done) {
                    session.step_due = None;
                }
                session.took(session.sent.stage);
            }
            _ => {}
        }
        if session.sent.ended {
            session.closed();
        }
    }

    /// The server sends a control packet to the client.
    fn server_answers(&mut self, index: u32, bytes: &[u8]) {
        let OneClient { session, report, now, .. } = self;
        session.requests.silent = session.indeterminate.is_some();
        let answered = session.requests.server_answers(bytes, report, *now);
        if !matches!(answered, Answered::Opened | Answered::Restarted) {
            return;
        }
        let (goes_on, went_on) = (session.connected, session.goes_on);
        let upstream = (answered == Answered::Restarted).then(|| session.streams[1].restarted());
        // A client that is in the game as it sees it, and was only instructed to ask once more, takes no part in the
        // connection that its request began: the two are out of step until the next one. So are they when it has begun one that
        // the server has closed. What it received of a connection that was not judged is not known.
        let received = !session.judged() || !session.streams[0].is_untouched();
        let apart = upstream.is_none() && (goes_on && received || session.out_of_step) && !session.ends[1].remote;
        session.begin(*now);
        session.first[0] = index;
        session.goes_on = goes_on || went_on;
        if let Some(upstream) = upstream {
            session.streams[1] = upstream;
        }
        if apart {
            session.give_up("the client asked again for a connection that it has, and the server starts over");
        }
    }

    /// The client sends a datagram.
    pub fn client_sent(&mut self, index: u32, bytes: &[u8]) {
        let OneClient { session, report, now, .. } = self;
        session.next[1] = index.wrapping_add(1);
        if netquake::is_control(bytes) && !session.ends[1].remote {
            self.client_asks(bytes);
            return;
        }
        if netquake::is_control(bytes) || !session.judged() || !session.connected {
            return;
        }
        let (host, before) = (session.host, session.spoke);
        session.speaks(1, *now);
        let packet = match Packet::read(&mut Reader::new(bytes)) {
            Ok(packet) => packet,
            Err(error) => {
                let what = || format!("a header is wrong: {error}");
                return report.fail(&HEADERS_CAN_BE_READ, *now, host, &NET_01, what);
            }
        };
        if let Packet::Ack { sequence } = packet {
            session.client_shows(true, before, *now);
            return session.streams[0].ack_sent(sequence, report, *now);
        }
        let said = session.streams[1].sent(&packet, report, *now);
        let dialect = session.delivered.protocol.map(|known| Dialect::with_flags(known, session.delivered.flags));
        let dialect = dialect.unwrap_or(Dialect::PLAIN);
        let time =
            session.delivered.time.map(|time| time.0).filter(|_| session.sure_of_time && !session.delivered.unsure);
        let time = Echo { newest: time, client: session.ends[1] };
        let spoken = match (said, packet) {
            (Said::Unreliable, Packet::Unreliable { sequence, payload }) => {
                // What the scenario has repeated was judged when it was first sent.
                if session.newest_sent.is_some_and(|newest| sequence <= newest) {
                    return;
                }
                session.newest_sent = Some(sequence);
                if session.ends[1].remote && session.delivered.protocol.is_none() && session.streams[1].follows() {
                    // It can be of the connection before.
                    return;
                }
                session.moves.sent(payload, &dialect, time, host, report, *now)
            }
            (Said::Reliable(message), _) => session.moves.sent(&message, &dialect, time, host, report, *now),
            _ => return,
        };
        session.client_shows(spoken.reached, before, *now);
        self.acted(&spoken);
    }

    /// The client sends a control packet.
    fn client_asks(&mut self, bytes: &[u8]) {
        let OneClient { session, report, now, .. } = self;
        let Ok(ControlPacket::ConnectRequest { game, version, .. }) = ControlPacket::read(&mut Reader::new(bytes))
        else {
            return;
        };
        if game == GAME_NAME && version == NET_PROTOCOL_VERSION {
            report.saw_if(session.asks_due.take().is_some(), Point::Asked);
            // Who has ended its connection, or was accepted, asks because the scenario has it do so, and wants no other.
            if session.again > 0 && (session.connected || session.idle || session.asked_at.is_none()) {
                session.again -= 1;
            } else if session.connected && session.judged() && session.delivered.stage > 0 {
                let what = || String::from("asks for a connection, and has one");
                report.fail(&CLIENTS_ASK_FOR_A_CONNECTION, *now, session.host, &NET_10, what);
            } else if !session.connected && session.wanted && !session.idle {
                session.asked_at = Some(*now);
                session.asked_times += 1;
            }
        } else if session.hellos > 0 {
            session.hellos -= 1;
        } else {
            let what = || format!("asks for version {version} of {:?}", String::from_utf8_lossy(game));
            report.fail(&CLIENTS_ASK_FOR_A_CONNECTION, *now, session.host, &NET_10, what);
        }
    }

    fn acted(&mut self, spoken: &Spoken) {
        let OneClient { session, report, now, .. } = self;
        let held = &session.delivered;
        let signs_on = !held.active && !held.doubtful && !held.strange && held.indeterminate.is_none();
        if spoken.moved && signs_on && !session.ends[1].remote && !session.streams[1].has_restarted() {
            let what = || String::from("sends a move, and is not in the game");
            report.fail(&MOVES_WAIT_FOR_THE_GAME, *now, session.host, &NET_11, what);
        }
        if spoken.left && session.wanted && !session.ends[1].remote {
            liveness::sends_disconnect(session, report, *now);
        }
        let says = |word: &[u8]| spoken.texts.iter().any(|text| text.starts_with(word));
        session.reply_due.take_if(|(word, _)| says(word));
        if spoken.moved {
            report.saw_if(session.moves_due.is_some(), Point::MovesBegan);
            // A remote client may have something else to do.
            session.moves_due = Some(*now).filter(|_| session.delivered.active && !session.ends[1].remote);
        }
        for (step, answer) in (1..).zip(ANSWERS) {
            let answers = spoken.texts.iter().any(|text| text.starts_with(answer));
            session.answer_due.take_if(|(due, _)| answers && *due == step);
        }
        let goes_on = spoken.texts.iter().any(|text| text.starts_with(b"prespawn") || text.starts_with(b"spawn"));
        if session.delivered.strange && (goes_on || spoken.moved) {
            let host = session.host;
            let what = || String::from("goes on with the sign-on of an unknown protocol");
            report.fail(&STRANGE_PROTOCOLS_END_THE_SIGN_ON, *now, host, &VER_03, what);
        }
    }

    /// The client receives a datagram of the server.
    pub fn client_received(&mut self, index: u32, bytes: &[u8]) {
        let OneClient { session, options, report, now, .. } = self;
        session.given = Given::Nothing;
        session.requests.client_goes_on();
        // An accept of the connection before is as good as that of this one.
        if netquake::is_control(bytes) {
            let awaits =
                session.wanted && !session.idle && !session.connected && session.open && !session.delivered.strange;
            let accepted = session.requests.client_received(bytes);
            // Whatever became of the connection that it is of, nothing more is asked then.
            session.asked_at = session.asked_at.filter(|_| !accepted);
            if accepted && awaits {
                session.connected = true;
                session.delivered = Delivered::default();
                session.right = RightView::default();
            }
            // The server has closed that connection; the client will take the next for it.
            session.goes_on |= accepted && session.wanted && !session.idle && !session.open;
            return;
        }
        if index < session.first[0] {
            return self.late(0, bytes);
        }
        session.out_of_step |= session.goes_on && !session.open;
        if std::mem::take(&mut session.goes_on) && session.open && session.wanted {
            session.connected = true;
        }
        if !session.judged() || !session.connected {
            return;
        }
        let Ok(packet) = Packet::read(&mut Reader::new(bytes)) else { return };
        if let Packet::Ack { sequence } = packet {
            return session.streams[1].ack_delivered(sequence, *now);
        }
        let brought = session.streams[0].delivered(&packet, report, *now);
        let (was_active, stage) = (session.delivered.active, session.delivered.stage);
        session.look = true;
        session.given = match (brought, packet) {
            (Brought::Unreliable, Packet::Unreliable { payload, .. }) => {
                let place = session.epochs.binary_search_by_key(&index, |sent| sent.0);
                let Some(&(_, epoch)) = place.ok().and_then(|place| session.epochs.get(place)) else { return };
                if options.reserved_bits.is_some_and(|reserved| reserved.bytes() == payload) {
                    // Who is not yet in the game may do with it what it likes.
                    session.given = if session.delivered.active { Given::Reserved } else { Given::Nothing };
                    return;
                }
                match session.delivered.message(payload, Some(epoch)) {
                    true => Given::Readable,
                    false => Given::Nothing,
                }
            }
            (Brought::Stale, _) => Given::Stale,
            (Brought::Reliable(message), Packet::Data { payload, .. }) => {
                let several = message.len() > payload.len();
                report.saw_if(several, Point::SeveralFragments);
                match session.delivered.message(&message, None) {
                    true if several => Given::LastPart,
                    true => Given::Readable,
                    false => Given::Nothing,
                }
            }
            (Brought::Part, _) => Given::Part,
            _ => Given::Nothing,
        };
        self.client_has_read(was_active, stage);
    }

    /// A datagram of the connection before arrives in this one, on its way to the client (0) or from it (1).
    fn late(&mut self, direction: usize, bytes: &[u8]) {
        let session = &mut *self.session;
        let Ok(packet) = Packet::read(&mut Reader::new(bytes)) else { return };
        // A client whose connection begins once more is there all the time, and a copy of an ACCEPT may have had it begin before.
        let begun = session.connected || session.streams[1].has_restarted();
        let there = if direction == 0 { begun } else { session.open };
        if !there || !session.judged() {
            return;
        }
        session.may_close |= direction == 1;
        let acknowledges = match packet {
            Packet::Ack { sequence } => session.streams[1 - direction].open() == Some(sequence),
            _ => false,
        };
        if acknowledges || session.streams[direction].late_delivered(&packet) {
            session.give_up("a datagram of the connection before cannot be distinguished from one of this");
        }
    }

    /// The client has received a message; it was in the game before or not, and at this step of its sign-on.
    fn client_has_read(&mut self, was_active: bool, stage: u8) {
        let OneClient { session, report, now, .. } = self;
        report.saw_if(session.delivered.strange, Point::StrangeDelivered);
        if matches!(session.given, Given::Readable | Given::LastPart) {
            session.sure_of_time = true;
        }
        session.moves.received_time(session.delivered.time.map(|time| time.0));
        if let Some(angles) = session.delivered.turned.take() {
            session.moves.turned(Some(angles));
        } else if session.delivered.unsure {
            session.moves.turned(None);
        }
        if session.delivered.active && !was_active {
            session.moves_due = Some(*now);
        }
        let restarted = session.streams[1].has_restarted();
        if let Some(word) = session.delivered.asked.take().filter(|_| !restarted) {
            session.reply_due = Some((word, *now));
        }
        // A step that there is not is nothing to answer.
        if session.delivered.stage != stage && session.delivered.stage <= LAST_STEP {
            let step = session.delivered.stage;
            report.saw_if(step > 0, Point::StepDelivered);
            // A client that was accepted twice may have answered before the second time.
            let judged = step > 0 && !restarted;
            session.answer_due = judged.then_some((step, *now));
        }
    }

    /// The server receives a datagram of the client.
    pub fn server_received(&mut self, index: u32, bytes: &[u8]) {
        let OneClient { session, truth, report, now, .. } = self;
        session.taken = Given::Nothing;
        session.moves.other_delivered();
        session.requests.silent = session.indeterminate.is_some();
        if netquake::is_control(bytes) {
            match session.requests.server_received(bytes, report, *now) {
                Asked::Nothing => {}
                // Its old connection is still there: each end goes on from another place.
                Asked::Again if session.left => session.give_up("the client left a connection that the server has"),
                Asked::Again if *now < session.tells_until => session.give_up("a request may be read much later"),
                Asked::Again => session.streams[0].asked_again(),
                Asked::Over => session.closed(),
                // The server may take it for either.
                Asked::Unclear => session.give_up("a request came when it may end the connection or not"),
            }
            return;
        }
        // What the client sent before it left still belongs to the connection that the server has.
        if index < session.first[1] && !session.left {
            return self.late(1, bytes);
        }
        if !session.open {
            return;
        }
        let Ok(packet) = Packet::read(&mut Reader::new(bytes)) else { return };
        if session.indeterminate.is_some() {
            // However it went, it can be over.
            let left = matches!(packet, Packet::Unreliable { payload: [CLC_DISCONNECT], .. });
            if left {
                session.closed();
            }
            return;
        }
        if let Packet::Ack { sequence } = packet {
            return session.streams[0].ack_delivered(sequence, *now);
        }
        let dialect = session.sent.dialect;
        let brought = session.streams[1].delivered(&packet, report, *now);
        session.taken = match (brought, packet) {
            (Brought::Unreliable, Packet::Unreliable { payload, .. }) => {
                session.requests.server_hears(payload);
                let readable = session.moves.delivered(payload, &dialect, false);
                if session.in_game && session.sent.stage == LAST_STEP && !session.sent.between {
                    session.moves.has_to_apply(*now);
                }
                if payload == [CLC_DISCONNECT] {
                    session.closed();
                }
                if readable { Given::Readable } else { Given::Nothing }
            }
            (Brought::Stale, Packet::Unreliable { payload, .. }) => {
                session.moves.delivered(payload, &dialect, true);
                Given::Stale
            }
            (Brought::Reliable(message), Packet::Data { sequence, payload, .. }) => {
                session.requests.server_hears(&message);
                let played = session.in_game;
                session.server_hears(&message, sequence, *now);
                if let Some(truth) = truth.filter(|_| session.in_game && !played) {
                    session.sent.events.begins(session.host.0, truth, *now);
                }
                if message.len() > payload.len() { Given::LastPart } else { Given::Nothing }
            }
            (Brought::Part, _) => Given::Part,
            _ => Given::Nothing,
        };
    }

    /// The run is over.
    pub fn finish(&mut self) {
        let OneClient { session, options, truth, slots, seats_differ, report, now } = self;
        if !session.judged() {
            return;
        }
        let (slots, now) = (*slots, *now);
        let (client, remote, sent, truth) = (session.host, session.ends[0].remote, &mut session.sent, *truth);
        FromServer {
            client,
            sent,
            truth,
            options,
            slots,
            report,
            now,
            current: true,
            remote,
            seats_differ: *seats_differ,
            is_certain_who_plays: !session.ends[1].remote,
            whole: true,
        }
        .finish();
    }
}

#[cfg(test)]
mod tests {
    use super::super::deadlines::overdue;
    use super::*;
    use kit::{Knowledge, Vantage};

    /// A client that was instructed to connect, and perhaps ended that since, asks once as the scenario has it do and is not
    /// answered: how much is found.
    fn check(ended: bool, expected: usize) {
        let options = Options::new(&testkit::setup(&crate::PROTOCOL, 0, &[]));
        let mut session = Session::new(HostId(1), Vantage::default());
        let mut report = Report::new(crate::oracle::CHECKS, Knowledge::World, Vantage::default());
        session.wants(Time::ZERO);
        session.asks_due = None;
        if ended {
            liveness::client_ends(&mut session, &mut report, Time::from_ms(500));
        }
        session.again = u32::from(ended);
        let (now, request) = (Time::from_ms(1_000), b"\x80\0\0\x0c\x01QUAKE\0\x03");
        let (truth, slots) = (None, 1);
        OneClient {
            session: &mut session,
            options: &options,
            truth,
            slots,
            seats_differ: false,
            report: &mut report,
            now,
        }
        .client_sent(0, request);
        overdue(&mut session, &options, &mut report, Time::from_ms(9_000));
        let found: Vec<&str> = report.findings.iter().map(|finding| finding.requirement().id).collect();
        assert_eq!((found, session.again), (vec!["FITZ-NET-10"; expected], 0));
    }

    #[test]
    fn who_ended_its_connection_and_says_hello_need_not_ask_again() {
        check(true, 0);
        check(false, 1);
    }
}
