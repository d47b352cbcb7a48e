//! What is known of one client between connections: what it and the server owe each other, and what its player does. Plain
//! state; nothing here judges.

use super::link::Sight;
use super::player::Player;
use super::session::{ConnectSeen, Indeterminate, Session, numbers};
use crate::verbs::VERB_SETTING;
use crate::wire::constants::PROTOCOL_ORIGINAL;
use crate::wire::handshake::Connect;
use kit::{Direction, HostId, Time, Vantage};
use std::collections::VecDeque;

/// Challenges of a client that are remembered.
const MAX_CHALLENGES: usize = 8;
/// Datagrams of an earlier connection that can have been under way when the last of it was seen.
const MAX_UNDER_WAY: u32 = 64;
/// Servers of this family may take no second connect of a client for three seconds; clients connect each second.
const RECONNECTS: u32 = 5;

/// What waits for an answer before there is a connection, and since when.
#[derive(Clone, Copy, Debug, Default)]
pub struct Handshake {
    /// The scenario had the client connect, and it has sent nothing since.
    pub instructed: Option<Time>,
    /// The server received a request for a challenge.
    pub asked: Option<Time>,
    /// The client received a challenge that it had asked for.
    pub challenged: Option<Time>,
    /// The client received its acceptance.
    pub accepted: Option<Time>,
    /// Requests that the server received and has not answered.
    pub requests: u32,
    /// The server answered the last connect in one way or another.
    pub answered: bool,
    /// The scenario had the client leave.
    pub left: Option<Time>,
    /// What it left was a connection that is judged.
    pub left_session: bool,
    /// The server received that it leaves.
    pub disconnect: Option<Time>,
    /// The client said that it leaves, and has asked for no connection since.
    pub gone: Option<Time>,
}

/// One client.
#[derive(Debug, Default)]
pub struct Client {
    /// Which one.
    pub host: HostId,
    /// From where the server and the client are seen.
    pub sights: [Sight; 2],
    /// The connect that it sent last.
    pub sent: Option<ConnectSeen>,
    /// The connect that the server received last.
    pub arrived: Option<ConnectSeen>,
    /// How many connects the server received since it last answered one.
    pub unanswered: u32,
    /// The challenges that the server gave it last.
    pub challenges: VecDeque<i32>,
    /// It asked for a challenge since its last connect: the next one is another, even if it has the same numbers.
    pub asks_anew: bool,
    /// The server has accepted it once.
    pub was_accepted: bool,
    /// A remote server turned it away, for something else than the length that it asks for.
    pub turned_away: bool,
    /// Whether the server received something damaged of it.
    pub is_spoiled: bool,
    /// Whether it received something damaged, or that the server does not speak protocol 35.
    pub is_misled: bool,
    /// What the scenario has its player do.
    pub player: Player,
    /// What it and the server owe each other before there is a connection.
    pub handshake: Handshake,
    /// Its connection.
    pub session: Option<Session>,
    /// The last numbers that the server and the client sent in the connection before.
    pub before: Option<[u32; 2]>,
    /// When its link last lost, damaged or reordered something.
    pub last_disturbance: Time,
    /// The next datagram, by direction, if none overtakes.
    pub next: [u32; 2],
    /// Its first datagram since it left last: it has given up what it asked for in those before.
    pub left_at: u32,
    /// Whether the scenario wants it in the game.
    pub wants: bool,
    /// When it was sent another revision, until it comes back.
    pub other_revision: Option<Time>,
    /// What the server has admitted may be something else.
    pub indeterminate: Option<Indeterminate>,
    /// The scenario has had its player walk: moves may arrive when nothing is known of the connection any more.
    pub walks: bool,
    /// Its player has moved in a connection before, and is where that ended.
    pub moved: bool,
}

impl Handshake {
    /// The scenario has the client connect.
    pub fn comes_back(&mut self, now: Time) {
        *self = Handshake { instructed: Some(now), left: None, left_session: false, disconnect: None, ..*self };
    }
}

impl Client {
    /// Before the run.
    pub fn new(host: HostId, vantage: Vantage) -> Client {
        Client { host, sights: [Sight::of_server(vantage), Sight::of_client(vantage)], ..Client::default() }
    }

    /// Whether a server that does not answer its connects is wrong: what else it could be is known, or it took others of its
    /// connects, and time enough is over for one that waits between two connects of the same client.
    pub fn silence_is_wrong(&self) -> bool {
        let [server, _] = self.sights;
        !server.remote || server.virtual_time && self.was_accepted && self.unanswered >= RECONNECTS
    }

    /// Its session, while that is judged.
    pub fn judged(&mut self) -> Option<&mut Session> {
        self.session.as_mut().filter(|session| session.indeterminate.is_none())
    }

    /// The scenario has it leave, or a live server has forgotten it.
    pub fn leaves(&mut self, now: Time) {
        self.before = self.session.as_ref().filter(|session| session.accepted).map(Session::last_numbers);
        // From another port, a disconnect may be nobody's.
        let left_session = self.judged().is_some_and(|session| session.accepted && session.rebound.is_none());
        self.is_misled = self.may_be_misled();
        (self.wants, self.indeterminate, self.session) = (false, None, None);
        let requests = self.handshake.requests;
        self.handshake = Handshake { requests, left: Some(now), left_session, ..Handshake::default() };
        (self.arrived, self.other_revision) = (None, None);
        self.left_at = self.next[Direction::ClientToServer.index()];
    }

    /// The server receives a disconnect, of the connection that the client has left or of one before.
    pub fn disconnect_arrives(&mut self, now: Time, index: u32) {
        if self.handshake.left_session && index >= self.left_at && !self.is_spoiled {
            self.handshake.disconnect.get_or_insert(now);
        }
    }

    /// Whether it may have good reason to connect otherwise than its user has set.
    pub fn may_be_misled(&self) -> bool {
        self.is_misled || self.session.as_ref().is_some_and(|session| session.misled)
    }

    /// It leaves a connection that it knows of by sending a connect.
    pub fn leaves_session(&mut self) {
        self.is_misled = self.may_be_misled();
        if let Some(session) = self.session.take_if(|session| session.accepted) {
            self.moved |= session.moved;
            self.other_revision = session.other_revision;
            (self.arrived, self.indeterminate) = (None, None);
            self.before = Some(session.last_numbers());
        }
    }

    /// Whether a connect of a remote client is the last one once more, whose answer it may not have.
    pub fn repeats(&self, connect: &Connect<'_>) -> bool {
        let over = self.session.as_ref().is_some_and(|session| session.over);
        !over && !self.asks_anew && self.sent.is_some_and(|sent| sent.is_repeated_by(connect))
    }

    /// It receives a challenge: with one that it has asked for, it connects.
    pub fn challenge_arrives(&mut self, now: Time) {
        if self.asks_anew && self.wants && self.session.as_ref().is_none_or(|session| !session.accepted) {
            self.handshake.challenged.get_or_insert(now);
        }
    }

    /// The server gives it a challenge.
    pub fn is_challenged(&mut self, challenge: i32) {
        self.challenges.push_back(challenge);
        if self.challenges.len() > MAX_CHALLENGES {
            self.challenges.pop_front();
        }
    }

    /// Whether a datagram of a remote end is a late one of the connection before: it acknowledges what the other end has
    /// not sent in this one.
    pub fn is_of_before(&self, direction: Direction, bytes: &[u8]) -> bool {
        let (Some([server, client]), Some(session)) = (self.before, &self.session) else { return false };
        let [of_server, of_client] = self.sights;
        let (from, own, other, sent) = match direction {
            Direction::ServerToClient => (of_server, server, client, session.client.sent),
            Direction::ClientToServer => (of_client, client, server, session.server.sent),
        };
        let [sequence, acknowledged] = numbers(bytes);
        let may_be = |number: u32, last: u32| number <= last.saturating_add(MAX_UNDER_WAY);
        let known = may_be(sequence, own) && may_be(acknowledged, other);
        from.remote && known && sent.is_some_and(|sent| acknowledged > sent)
    }

    /// A datagram was damaged on its way: its bytes were never sent.
    pub fn is_damaged(&mut self, to_server: bool) {
        let damaged = Indeterminate { why: "a datagram was damaged" };
        self.is_misled |= !to_server;
        // It may have been a connect that the server takes.
        if to_server && self.session.as_ref().is_none_or(|session| !session.accepted) {
            self.indeterminate = Some(damaged);
        }
        if let Some(session) = &mut self.session {
            session.indeterminate.get_or_insert(damaged);
        }
    }

    /// It sends a connect.
    pub fn connects(&mut self, now: Time, index: u32, connect: &Connect<'_>) {
        let again = self.other_revision.is_some() || self.sent.is_some_and(|sent| sent.fell_back);
        let original = connect.protocol == PROTOCOL_ORIGINAL;
        if original {
            self.other_revision = None;
        }
        self.sent = Some(ConnectSeen::of(connect, index, now, original && again));
        (self.asks_anew, self.turned_away) = (false, false);
        (self.handshake.challenged, self.handshake.accepted) = (None, None);
    }

    /// The server receives a connect.
    pub fn connect_arrives(&mut self, connect: ConnectSeen) {
        let newer = self.arrived.is_none_or(|arrived| arrived.index < connect.index);
        if newer && self.wants {
            // What was asked for before without an answer was asked for since then.
            let unanswered = self.arrived.filter(|_| self.session.is_none());
            let at = unanswered.map_or(connect.at, |before| before.at);
            self.arrived = Some(ConnectSeen { at, ..connect });
            self.handshake.answered = false;
            self.unanswered += 1;
        }
    }

    /// The server accepts the connect that it received last, with its datagram `index`.
    pub fn is_accepted(&mut self, now: Time, index: u32) {
        let Some(arrived) = self.arrived else { return };
        (self.unanswered, self.was_accepted) = (0, true);
        self.moved |= self.session.as_ref().is_some_and(|session| session.moved);
        let fresh = Session::new(self.host, arrived, index, now, self.sights);
        match &mut self.session {
            // Who has not yet answered may not have read the acceptance, and asked again.
            Some(session) if session.accepted && session.client.is_remote() && session.client.sent == Some(0) => {
                session.server.sent = None;
            }
            // Whether the connection starts over with that is the server's choice, which a remote one has to show.
            Some(session) if session.accepted && session.server.is_remote() => {
                session.accepted_again = true;
                session.server.may_start_over();
            }
            Some(session) if session.accepted => session.stop("it was accepted again"),
            Some(session) => {
                let mut again = Session { rebound: session.rebound, ..fresh };
                if session.connect.index != arrived.index || session.server.sent != Some(0) {
                    again.server.sent = None;
                    if session.server.received != 0 {
                        again.stop("it was accepted again");
                    }
                }
                self.session = Some(again);
            }
            None => self.session = Some(fresh),
        }
        if let Some(session) = &mut self.session {
            if arrived.index < self.left_at {
                // The server can have let it in with a copy of that before, and go on; the client asks for another.
                session.stop("a connect arrives that the client has given up");
            }
            session.moved |= self.moved || self.walks;
            session.indeterminate = session.indeterminate.or(self.indeterminate);
        }
    }

    /// It receives the acceptance that is the server's datagram `index`.
    pub fn acceptance_arrives(&mut self, now: Time, index: u32) {
        let early = Indeterminate { why: "an acceptance of an earlier connection arrives" };
        let Some(session) = &mut self.session else {
            // It takes that for the answer to the connect that it has sent, which the server has yet to accept.
            if self.sent.is_some_and(|sent| sent.index >= self.left_at) {
                self.indeterminate.get_or_insert(early);
            }
            return;
        };
        // Who has disconnected owes nothing to another copy of it.
        if self.handshake.gone.is_none() {
            self.handshake.accepted.get_or_insert(now);
        }
        if index < session.opened {
            session.stop(early.why);
        }
        if !std::mem::replace(&mut session.accepted, true) {
            session.new_due = Some(now);
        }
    }

    /// The scenario has its player do something.
    pub fn is_instructed(&mut self, now: Time, verb: usize, args: [i32; 4]) {
        self.player.is_instructed(now, verb, args);
        let [index, value, ..] = args.map(|arg| arg as i16);
        if let Some(session) = self.judged()
            && verb == VERB_SETTING
            && session.begins
            && session.delivered.shown.is_some()
            && session.delivered_dialect.has_settings()
        {
            session.setting_due = Some((now, (index, value)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::from_client;
    use super::*;

    const CONNECT: &[u8] = b"\xff\xff\xff\xffconnect 35 197 5 \"\\name\\player\" 1390 1905\n";

    /// The server receives this datagram of the client, a connect, and accepts it: whether what follows is judged.
    fn is_judged(client: &mut Client, index: u32) -> bool {
        let connect = from_client::connect(CONNECT).expect("it is a connect");
        client.connect_arrives(ConnectSeen::of(&connect, index, Time::ZERO, false));
        client.is_accepted(Time::ZERO, 0);
        client.judged().is_some()
    }

    #[test]
    fn the_acceptance_of_a_connect_that_was_given_up_begins_nothing_that_is_judged() {
        let mut client = Client { wants: true, ..Client::new(HostId(1), Vantage::default()) };
        client.next[Direction::ClientToServer.index()] = 8;
        assert!(is_judged(&mut client, 3));
        client.leaves(Time::ZERO);
        client.wants = true;
        assert!(!is_judged(&mut client, 6) && !is_judged(&mut client, 7));
        assert!(is_judged(&mut client, 9));
    }
}
