//! What is known of one client and its server's side of it. Plain state: the checks stand in the files that use it.

use super::connect::Requests;
use super::delivery::Delivered;
use super::from_client::Moves;
use super::right_view::RightView;
use super::sent::{Indeterminate, Sent};
use super::transport::Stream;
use super::vantage::End;
use kit::{HostId, Time, Vantage};
use netquake::constants::CLC_STRING_CMD;
use std::collections::VecDeque;

/// The last step of a sign-on, and what follows when the client has said that it begins.
pub const LAST_STEP: u8 = 3;
/// See [`LAST_STEP`].
pub const IN_GAME: u8 = 4;
/// What takes longer is an outage, in microseconds.
const OUTAGE_US: u64 = 1_000_000;
/// An engine waits so long for those who are told that a map ends (five seconds and some frames), in microseconds.
const TELLS_US: u64 = 6_000_000;

/// A client and its server.
#[derive(Debug)]
pub struct Session {
    /// Which.
    pub host: HostId,
    /// The server and the client, as the oracle sees them.
    pub ends: [End; 2],
    /// What it was sent.
    pub sent: Sent,
    /// What was delivered to it.
    pub delivered: Delivered,
    /// What of it was shown right.
    pub right: RightView,
    /// Its requests.
    pub requests: Requests,
    /// To the client, and from it.
    pub streams: [Stream; 2],
    /// Its moves.
    pub moves: Moves,
    /// Why nothing is judged any more.
    pub indeterminate: Option<Indeterminate>,
    /// Something was delivered to it: what it shows is to be compared.
    pub look: bool,
    /// It refused what was delivered to it last.
    pub rejected: bool,
    /// It was instructed to connect, and not to leave since.
    pub wanted: bool,
    /// It left the connection that the server has open.
    pub left: bool,
    /// The server has a connection with it.
    pub open: bool,
    /// The server, which is ours, has received that it begins to play.
    pub in_game: bool,
    /// It has had one.
    pub begun: bool,
    /// It has one with the server.
    pub connected: bool,
    /// Per direction, the first datagram of the present connection.
    pub first: [u32; 2],
    /// Per direction, the number after the newest datagram.
    pub next: [u32; 2],
    /// In which map datagrams of the server were sent.
    pub epochs: VecDeque<(u32, u32)>,
    /// What was delivered to the client last.
    pub given: Given,
    /// What was delivered to the server last.
    pub taken: Given,
    /// The requirements whose forms the client has read without complaint.
    pub digested: Vec<&'static str>,
    /// The number of a sound that the client says it plays, before it says where.
    pub playing: Option<u32>,
    /// Since when it has to send moves.
    pub moves_due: Option<Time>,
    /// Since when it has to ask for a connection.
    pub asks_due: Option<Time>,
    /// It has no connection and wants none, as far as is known; or when it was instructed to leave.
    pub idle: bool,
    /// See [`Session::idle`].
    pub left_at: Option<Time>,
    /// When it asked for a connection last, while it has none; and how often.
    pub asked_at: Option<Time>,
    /// See [`Session::asked_at`].
    pub asked_times: u32,
    /// Requests for another game or version that it was instructed to send.
    pub hellos: u32,
    /// Requests for a connection that it was instructed to send, beside those that it makes by itself.
    pub again: u32,
    /// Since when it has to say this, as the server had it say.
    pub reply_due: Option<(Vec<u8>, Time)>,
    /// A datagram of the connection before came, by which the server can have taken it for somebody who leaves.
    pub may_close: bool,
    /// Since when it has to answer this step of the sign-on.
    pub answer_due: Option<(u8, Time)>,
    /// When it was sent a datagram last, in the game.
    pub framed: Option<Time>,
    /// Since when the server has to take this step of the sign-on.
    pub step_due: Option<(u8, Time)>,
    /// The newest unreliable datagram that the client sent.
    pub newest_sent: Option<u32>,
    /// Whether a move's time is known beforehand.
    pub sure_of_time: bool,
    /// When the client sent something of the connection last.
    pub spoke: Option<Time>,
    /// When it last showed that something new had reached it.
    pub reached_at: Option<Time>,
    /// The step that the client asks for with the fragment of this number: when a remote server takes it, it has read that.
    pub asked: Option<(u8, u32)>,
    /// That number, once it has.
    pub read: Option<u32>,
    /// The server has begun the connection once more: the client goes on, whether the second ACCEPT reaches it or not.
    pub goes_on: bool,
    /// The client has begun a connection that the server has closed, and takes no part in the next.
    pub out_of_step: bool,
    /// Until when the server may do nothing else than tell its clients of a new map.
    pub tells_until: Time,
}

/// To the client, and from it.
fn streams(host: HostId, [server, client]: [End; 2]) -> [Stream; 2] {
    [Stream::new(HostId::SERVER, host, [server, client]), Stream::new(host, HostId::SERVER, [client, server])]
}

/// What somebody received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// Nothing to judge by.
    Nothing,
    /// A message that a conforming reader reads to its end.
    Readable,
    /// A fragment of a message that is not complete.
    Part,
    /// The last of several fragments of one.
    LastPart,
    /// A datagram to be discarded.
    Stale,
    /// A message with an undefined bit.
    Reserved,
}

impl Session {
    /// Before its first connection.
    pub fn new(host: HostId, vantage: Vantage) -> Session {
        let ends = [End::server(vantage), End::client(vantage)];
        Session {
            host,
            ends,
            sent: Sent::new(host),
            delivered: Delivered::default(),
            right: RightView::default(),
            requests: Requests::new(host, ends[0]),
            streams: streams(host, ends),
            moves: Moves::default(),
            indeterminate: None,
            look: false,
            rejected: false,
            wanted: false,
            left: false,
            open: false,
            in_game: false,
            begun: false,
            connected: false,
            first: [0; 2],
            next: [0; 2],
            epochs: VecDeque::new(),
            given: Given::Nothing,
            taken: Given::Nothing,
            digested: Vec::new(),
            playing: None,
            moves_due: None,
            asks_due: None,
            idle: true,
            left_at: None,
            asked_at: None,
            asked_times: 0,
            hellos: 0,
            again: 0,
            reply_due: None,
            may_close: false,
            answer_due: None,
            framed: None,
            step_due: None,
            newest_sent: None,
            sure_of_time: false,
            spoke: None,
            reached_at: None,
            asked: None,
            read: None,
            goes_on: false,
            out_of_step: false,
            tells_until: Time::ZERO,
        }
    }

    /// It is instructed to connect.
    pub fn wants(&mut self, now: Time) {
        // What it received before was no answer to the request that it sends now.
        self.requests.client_goes_on();
        let left = self.left_at.is_some_and(|at| now.since(at) > OUTAGE_US);
        if (std::mem::take(&mut self.idle) || left) && !self.ends[1].remote {
            self.asks_due = Some(now);
        }
        (self.left_at, self.asked_at, self.asked_times) = (None, None, 0);
        if !std::mem::replace(&mut self.wanted, true) {
            self.first[1] = self.next[1];
            self.connected = false;
        }
    }

    /// It is instructed to leave.
    pub fn leaves(&mut self, now: Time) {
        self.wanted = false;
        self.left_at = Some(now);
        self.asked_at = None;
        self.reply_due = None;
        self.asks_due = None;
        self.answer_due = None;
        self.left = self.open;
        self.connected = false;
        self.moves_due = None;
        self.step_due = None;
        if self.ends[1].remote {
            // Nobody can instruct it: it was silent for so long that the server was instructed to forget it.
            self.closed();
        }
    }

    /// The server ended its connection.
    pub fn closed(&mut self) {
        self.open = false;
        self.in_game = false;
        self.framed = None;
        self.answer_due = None;
        self.reply_due = None;
        // Whoever comes next from a remote client's address is a new one.
        self.connected &= !self.ends[1].remote;
        self.requests.closed();
        self.moves_due = None;
        self.step_due = None;
        self.moves.nothing_to_apply();
    }

    /// The server tells this client, or another, that its map ends.
    ///
    /// Before an engine begins a map, it can wait for all who are told so: it reads and answers nothing else.
    pub fn is_told_of_a_map(&mut self, now: Time) {
        if self.ends[0].virtual_time {
            self.tells_until = self.tells_until.max(now.after(TELLS_US));
        }
    }

    /// A map ends: the client of it is sent the next one.
    pub fn map_ends(&mut self, now: Time) {
        // One map after another is told of.
        self.is_told_of_a_map(self.tells_until.max(now));
        self.step_due = Some((1, now)).filter(|_| self.judged() && self.sent.stage > 0);
        self.sent.between = true;
        self.sent.events.map_ends();
        self.in_game = false;
        self.framed = None;
        self.moves_due = None;
        self.moves.nothing_to_apply();
    }

    /// The server does nothing for the client while it tells others of a map: what it owes is due afterwards.
    pub fn tells_of_a_map(&mut self, now: Time) {
        self.requests.put_off(now);
        self.streams[1].put_off(now);
        self.framed = self.framed.map(|_| now);
        self.step_due = self.step_due.map(|(step, _)| (step, now));
    }

    /// The server begins a connection: nothing of an earlier one counts, whatever became of that.
    pub fn begin(&mut self, now: Time) {
        let again = std::mem::replace(&mut self.begun, true);
        self.sent = Sent::new(self.host);
        self.delivered = Delivered::default();
        self.right = RightView::default();
        self.streams = match &self.streams {
            [down, up] if again => [down.succeeded(now), up.succeeded(now)],
            _ => streams(self.host, self.ends),
        };
        self.indeterminate = None;
        (self.given, self.taken, self.rejected) = (Given::Nothing, Given::Nothing, false);
        self.moves = self.moves.anew();
        self.open = true;
        self.in_game = false;
        self.may_close = false;
        self.answer_due = None;
        self.reply_due = None;
        self.framed = None;
        self.left = false;
        self.connected = false;
        self.epochs.clear();
        self.moves_due = None;
        self.step_due = Some((1, now));
        self.newest_sent = None;
        self.sure_of_time = false;
        self.spoke = None;
        self.reached_at = None;
        self.asked = None;
        self.read = None;
        (self.goes_on, self.out_of_step) = (false, false);
    }

    /// Either end sends a datagram of the connection.
    pub fn speaks(&mut self, sender: usize, now: Time) {
        self.streams[0].speaks(sender, now);
        self.streams[1].speaks(1 - sender, now);
        if sender == 1 {
            self.spoke = Some(now);
        }
    }

    /// The client sent something; it shows that something new has `reached` it, or not. `before` is when it spoke before.
    ///
    /// Of a remote client that nothing reaches for a while, or from which nothing comes, acks are not awaited.
    pub fn client_shows(&mut self, reached: bool, before: Option<Time>, now: Time) {
        let long = |since: Option<Time>| since.is_some_and(|since| now.since(since) > OUTAGE_US);
        if reached {
            self.reached_at = Some(now);
        }
        if self.ends[1].remote && (long(before) || long(self.reached_at)) {
            self.streams[0].abandoned();
        }
    }

    /// The server sent something, a fragment or not; it said something before at `before`.
    ///
    /// Of a remote server that is back after a while, and of one that has not shown to have read what waits for its ack, no
    /// ack is awaited: that it goes on sending does not mean that anything reaches it.
    pub fn server_shows(&mut self, is_fragment: bool, before: Option<Time>, now: Time) {
        let silent = before.is_some_and(|before| now.since(before) > OUTAGE_US);
        if self.ends[0].remote && (silent || is_fragment) {
            // It may have been without what came since, as one is that sends a fragment again.
            self.step_due.iter_mut().for_each(|(_, since)| *since = now);
        }
        if self.ends[0].remote && (silent || self.read.is_none() || self.read != self.streams[1].open()) {
            self.streams[1].abandoned();
        }
    }

    /// The server receives a message of the client, whose last fragment has this number.
    pub fn server_hears(&mut self, message: &[u8], sequence: u32, now: Time) {
        let asked = |word: &[u8]| message.windows(word.len()).any(|window| window == word);
        // `spawn` stands in `prespawn`, too.
        let step = if asked(b"prespawn") { 2 } else { 3 };
        let expected = self.sent.stage + 1 == step && (step == 2 || asked(b"spawn"));
        if expected {
            self.asked = Some((step, sequence));
        } else if self.sent.stage == LAST_STEP && !self.sent.between && asked(b"begin") {
            self.asked = Some((IN_GAME, sequence));
            self.in_game = !self.ends[0].remote;
            self.framed = Some(now).filter(|_| self.ends[0].is_silence_known());
        }
        // Our server calls all players alike, however somebody else's clients call them.
        if let Some(text) = message.strip_prefix(&[CLC_STRING_CMD]).filter(|_| !self.ends[1].remote) {
            self.sent.events.client_says(text.strip_suffix(b"\0").unwrap_or(text));
        }
        if expected && !self.sent.between && self.step_due.is_none() {
            self.step_due = Some((step, now));
        }
    }

    /// The server is at this step: it has read what asked for it.
    pub fn took(&mut self, step: u8) {
        if let Some((_, fragment)) = self.asked.take_if(|(asked, _)| *asked <= step) {
            self.read = Some(fragment);
        }
    }

    /// Whether what happens is judged.
    pub fn judged(&self) -> bool {
        self.open && self.indeterminate.is_none()
    }

    /// Nothing is judged from here on; once is enough.
    pub fn give_up(&mut self, why: &'static str) {
        self.indeterminate = self.indeterminate.or(Some(Indeterminate { why }));
    }
}

#[cfg(test)]
mod tests {
    use super::super::coverage::Report;
    use super::*;
    use netquake::Packet;

    /// A remote client in a connection gets a fragment every second and acknowledges none. It shows at these times, in
    /// milliseconds, that something new has reached it, or only that it is there: how much is found.
    fn check(shows: impl Fn(u64) -> Option<bool>, expected: usize) {
        let vantage = Vantage { remote_clients: true, clients_may_miss: true, ..Vantage::default() };
        let mut session = Session::new(HostId(1), vantage);
        let mut report = Report::new(crate::oracle::CHECKS, kit::Knowledge::World, vantage);
        session.begin(Time::ZERO);
        for ms in (0..20_000).step_by(50) {
            let now = Time::from_ms(ms);
            if ms % 1000 == 0 {
                let fragment = Packet::Data { sequence: 0, end: true, payload: b"a" };
                session.streams[0].ack_delivered(0, now);
                session.streams[0].delivered(&fragment, &mut report, now);
            }
            if let Some(reached) = shows(ms) {
                let before = session.spoke;
                session.speaks(1, now);
                session.client_shows(reached, before, now);
            }
            session.streams[0].overdue(&mut report, now);
        }
        assert_eq!(report.findings.len(), expected, "{:?}", report.findings);
    }

    #[test]
    fn a_remote_client_owes_no_ack_of_what_came_in_an_outage() {
        // It is there, and reached by all else.
        check(|_| Some(true), 1);
        // Nothing reaches it, or nothing comes from it, from the first second to the nineteenth.
        check(|ms| Some(!(500..19_000).contains(&ms)), 0);
        check(|ms| (!(500..19_000).contains(&ms)).then_some(true), 0);
    }
}
