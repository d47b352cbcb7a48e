//! What is known of one client: between connections, and of its connection at both ends. Plain state; nothing here judges.

use super::announced::Requested;
use super::link::{End, Sight};
use super::model::{Frame, Message, Model};
use super::provoked::Provoked;
use crate::tap::Asked;
use crate::wire::constants::*;
use crate::wire::dialect::Dialect;
use crate::wire::handshake::{Connect, Tail};
use kit::{Direction, Event, HostId, Suspects, Time, Vantage};
use netchan::{Header, Qport};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What a client has to show of what it received is remembered up to so much; what is older is forgotten.
const MAX_EXPECTED: usize = 256;
/// What a frame has beside its entities, at most: its start, areas, and a player state with everything; in bytes.
const LONGEST_PLAYER: usize = 170;
/// What a frame has of an entity, at most, in bytes.
const LONGEST_ENTITY: usize = 45;
/// Challenges of a client that are remembered.
const MAX_CHALLENGES: usize = 8;
/// Datagrams of an earlier connection that can have been under way when the last of it was seen.
const MAX_UNDER_WAY: u32 = 64;
/// What engines raise a shorter length to.
const MIN_RAISED: u32 = 512;

/// Why nothing is judged any more.
#[derive(Clone, Copy, Debug)]
pub struct Indeterminate {
    /// What happened.
    pub why: &'static str,
}

/// A connect, as far as it matters later.
#[derive(Clone, Copy, Debug, Default)]
pub struct ConnectSeen {
    /// What everything after it depends on.
    pub asked: Asked,
    /// The client's number, as it stands there.
    pub qport: u32,
    /// The challenge.
    pub challenge: i32,
    /// What stands behind the userinfo.
    pub tail: Tail,
    /// The datagram that it was, of those from the client.
    pub index: u32,
    /// When it was sent, or delivered.
    pub at: Time,
    /// Whether the client came back because of another revision.
    pub fell_back: bool,
}

impl ConnectSeen {
    /// Of a connect.
    pub fn of(connect: &Connect<'_>, index: u32, at: Time, fell_back: bool) -> ConnectSeen {
        let Connect { qport, challenge, tail, .. } = *connect;
        ConnectSeen { asked: Asked::of(connect), qport, challenge, tail, index, at, fell_back }
    }

    /// Whether it is over protocol 35.
    pub fn is_r1q2(&self) -> bool {
        self.asked.protocol == PROTOCOL_R1Q2
    }

    /// The dialect until a serverdata settles it.
    pub fn dialect(&self) -> Dialect {
        if self.is_r1q2() { Dialect::r1q2(self.asked.minor.unwrap_or(MINOR_SOURCE)) } else { Dialect::ORIGINAL }
    }

    /// Whether another is the same once more: its answer was lost, or is under way.
    pub fn is_repeated_by(&self, other: &Connect<'_>) -> bool {
        (self.qport, self.challenge, self.asked) == (other.qport, other.challenge, Asked::of(other))
    }

    /// Whether it is over protocol 35 and has no number.
    pub fn is_unnumbered(&self) -> bool {
        self.is_r1q2() && self.asked.qport == Qport::Absent
    }
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
    /// A remote server turned it away, for something else than the length that it asks for.
    pub turned_away: bool,
    /// Its connection.
    pub session: Option<Session>,
    /// The last numbers that the server and the client sent in the connection before.
    pub before: Option<[u32; 2]>,
    /// When its link last lost, damaged or reordered something.
    pub last_disturbance: Time,
    /// The next datagram, by direction, if none overtakes.
    pub next: [u32; 2],
    /// Whether the scenario wants it in the game.
    pub wants: bool,
    /// When it was sent another revision, until it comes back.
    pub other_revision: Option<Time>,
    /// What the server has let in may be something else.
    pub indeterminate: Option<Indeterminate>,
    /// The scenario has had its player walk: moves may arrive when nothing is known of the connection any more.
    pub walks: bool,
    /// Its player has moved in a connection before, and is where that ended.
    pub moved: bool,
}

impl Client {
    /// Before the run.
    pub fn new(host: HostId, vantage: Vantage) -> Client {
        Client { host, sights: [Sight::of_server(vantage), Sight::of_client(vantage)], ..Client::default() }
    }

    /// Its session, while that is judged.
    pub fn judged(&mut self) -> Option<&mut Session> {
        self.session.as_mut().filter(|session| session.indeterminate.is_none())
    }

    /// The scenario has it leave, or a live server has forgotten it.
    pub fn leaves(&mut self) {
        self.before = self.session.as_ref().filter(|session| session.accepted).map(Session::last_numbers);
        (self.wants, self.indeterminate, self.session) = (false, None, None);
        (self.arrived, self.other_revision) = (None, None);
    }

    /// It leaves a connection that it knows of by sending a connect.
    pub fn leaves_session(&mut self) {
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
    }

    /// The server receives a connect.
    pub fn connect_arrives(&mut self, connect: ConnectSeen) {
        let newer = self.arrived.is_none_or(|arrived| arrived.index < connect.index);
        if newer && self.wants {
            // What was asked for before without an answer was asked for since then.
            let unanswered = self.arrived.filter(|_| self.session.is_none());
            let at = unanswered.map_or(connect.at, |before| before.at);
            self.arrived = Some(ConnectSeen { at, ..connect });
            self.unanswered += 1;
        }
    }

    /// The server accepts the connect that it received last, with its datagram `index`.
    pub fn is_accepted(&mut self, now: Time, index: u32) {
        let Some(arrived) = self.arrived else { return };
        self.unanswered = 0;
        self.moved |= self.session.as_ref().is_some_and(|session| session.moved);
        let fresh = Session::new(self.host, arrived, index, now, self.sights);
        match &mut self.session {
            // Who has not yet answered may not have read the acceptance, and asked again.
            Some(session) if session.accepted && session.client.is_remote() && session.client.sent == Some(0) => {
                session.server.sent = None;
            }
            // Whether the connection begins anew with that is the server's choice, which a remote one has to show.
            Some(session) if session.accepted && session.server.is_remote() => session.accepted_again = true,
            Some(session) if session.accepted => session.stop("it was accepted again"),
            Some(session) => {
                // What went to another port than it has now is not seen, and counts all the same.
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
            session.moved |= self.moved || self.walks;
            session.indeterminate = session.indeterminate.or(self.indeterminate);
        }
    }

    /// It receives the acceptance that is the server's datagram `index`.
    pub fn acceptance_arrives(&mut self, index: u32) {
        let Some(session) = &mut self.session else { return };
        if index < session.opened {
            session.stop("an acceptance of an earlier connection arrives");
        }
        session.accepted = true;
    }
}

/// The file that is being downloaded.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// How many bytes of it were delivered.
    pub length: usize,
    /// Bytes of its blocks as they were on the wire.
    pub wire_bytes: usize,
    /// Whether blocks were compressed.
    pub compressed: bool,
    /// Whether blocks were plain.
    pub plain: bool,
    /// A block was delivered that is not the last, and the next one was not asked for yet: when, and whether it was
    /// compressed.
    pub open: Option<(Time, bool)>,
}

/// Movement of the player between two frames.
#[derive(Clone, Copy, Debug, Default)]
pub struct Walked {
    /// Milliseconds of the commands that the server executed.
    pub msec: i64,
    /// How many commands that were.
    pub commands: i64,
    /// Whether datagrams with commands were lost.
    pub uncertain: bool,
}

/// A datagram that a client took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Taken {
    /// Has a frame with upper bits.
    pub upper_bits: bool,
    /// Has a zpacket.
    pub zpacket: bool,
    /// Has something behind a zpacket.
    pub behind: bool,
    /// Its length.
    pub bytes: usize,
    /// Has a serverdata that says that the game is enhanced.
    pub enhanced: bool,
    /// Has a compressed block.
    pub zdownload: bool,
    /// Has this frame.
    pub frame: Option<i32>,
}

/// Whether two events of a client are of one kind, of which clients keep the order.
fn is_like(one: &Event, other: &Event) -> bool {
    match (one, other) {
        (Event::Print { .. }, Event::Print { .. }) => true,
        (Event::Note { note: one, .. }, Event::Note { note: other, .. }) => one == other,
        _ => false,
    }
}

/// The numbers in front of a datagram of a connection: its own, and the one that it acknowledges.
pub fn numbers(bytes: &[u8]) -> [u32; 2] {
    let word = |at: usize| bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |word| u32::from_le_bytes(*word));
    [word(0), word(4)].map(|word| word & 0x7fff_ffff)
}

/// What a client sent in one datagram.
#[derive(Debug)]
pub struct Commands {
    /// The datagram's number.
    pub sequence: u32,
    /// How many before it were lost.
    pub lost: u32,
    /// What is in it.
    pub messages: Vec<Message>,
}

/// One connection.
#[derive(Debug, Default)]
pub struct Session {
    /// The client.
    pub host: HostId,
    /// What it asked for.
    pub connect: ConnectSeen,
    /// The acceptance, of the datagrams to the client.
    pub opened: u32,
    /// Whether the acceptance was delivered.
    pub accepted: bool,
    /// Whether a remote server accepted it once more, and may have begun anew with that.
    pub accepted_again: bool,
    /// Whether either end has ended it.
    pub over: bool,
    /// When the client last sent something.
    pub heard: Time,
    /// Why nothing is judged any more.
    pub indeterminate: Option<Indeterminate>,
    /// The server's end.
    pub server: End,
    /// The client's end.
    pub client: End,
    /// What was delivered to a remote server, which has not shown to have read it.
    pub unread_by_server: VecDeque<Commands>,
    /// What was delivered to a remote client, which has not shown to have read it.
    pub unread_by_client: VecDeque<(Header, Vec<u8>)>,
    /// The dialect in which the server speaks.
    pub sent_dialect: Dialect,
    /// The dialect of what was delivered.
    pub delivered_dialect: Dialect,
    /// What the server has sent.
    pub sent: Model,
    /// What was delivered to the client.
    pub delivered: Model,
    /// The map of the serverdata that was sent last, counted from the first; `None` if it is not certain.
    pub map: Option<u32>,
    /// The spawncount that was sent last.
    pub spawncount_sent: Option<i32>,
    /// The client's number in the serverdata that was delivered last.
    pub playernum: Option<i16>,
    /// The spawncount that was delivered last.
    pub spawncount: Option<i32>,
    /// All that were delivered in this connection: a `begin` may have waited for its turn.
    pub spawncounts: BTreeSet<i32>,
    /// When what asks for a serverdata was delivered.
    pub asked_at: Option<Time>,
    /// When that was first delivered to a remote server, which may not have read it.
    pub asked_unread: Option<Time>,
    /// Whether a serverdata was sent.
    pub answered: bool,
    /// When the `begin` of the map was delivered.
    pub begun: Option<Time>,
    /// Frames that were acknowledged since the last request for one without a base, and by which datagram.
    pub acknowledged: BTreeMap<i32, u32>,
    /// The acknowledgement of the newest move; `None` before the first of a map.
    pub newest: Option<i32>,
    /// The frame that was sent last on this map.
    pub last_frame: Option<i32>,
    /// Datagrams were long enough to be held back or cut for that.
    pub long: bool,
    /// The player may have moved.
    pub moved: bool,
    /// The client asked not to be sent its weapon or its blend.
    pub spared: bool,
    /// What it walked since the last frame.
    pub walked: Walked,
    /// Whether the client received something since it was looked at.
    pub unseen: bool,
    /// The frame before the one that the client shows, as it was shown.
    pub shown_before: Option<i32>,
    /// What is to happen in the client, each with what it violates if that does not.
    pub expected: VecDeque<(Event, Suspects)>,
    /// More was expected than is remembered.
    pub expected_overflown: bool,
    /// The reliable messages that were delivered.
    pub reliable: Vec<Requested>,
    /// The numbers of the configstrings that were delivered on this map, by index.
    pub configstrings: BTreeMap<u16, i32>,
    /// Which of the scenario's requests for what is sent once were met.
    pub matched: BTreeSet<usize>,
    /// The sign-on's last word was delivered: when, and whether it stood behind a zpacket.
    pub precached: Option<(Time, bool)>,
    /// Whether the client asked to be in the game since.
    pub begins: bool,
    /// When the client was sent another revision than its own.
    pub other_revision: Option<Time>,
    /// The file that is being downloaded.
    pub file: File,
    /// Files that were delivered to their ends, and that the client has not noted.
    pub complete: VecDeque<File>,
    /// The last datagram that the client took.
    pub last_taken: Taken,
    /// When the client's datagrams began to come from another port.
    pub rebound: Option<Time>,
    /// When the server last acknowledged a new datagram.
    pub acknowledged_at: Time,
    /// What the scenario makes the ends do wrongly.
    pub provoked: Provoked,
}

impl Session {
    /// A connection that was just accepted.
    pub fn new(host: HostId, connect: ConnectSeen, opened: u32, now: Time, [server, client]: [Sight; 2]) -> Session {
        let dialect = connect.dialect();
        Session {
            host,
            connect,
            opened,
            server: End::first(server),
            client: End::first(client),
            sent_dialect: dialect,
            delivered_dialect: dialect,
            // Of a client that may miss frames, nobody knows which others they would have replaced.
            delivered: if client.may_miss { Model::default() } else { Model::of_client() },
            acknowledged_at: now,
            ..Session::default()
        }
    }

    /// Nothing is judged any more.
    pub fn stop(&mut self, why: &'static str) {
        self.indeterminate.get_or_insert(Indeterminate { why });
    }

    /// Either end has ended it.
    pub fn ends(&mut self, why: &'static str) {
        self.over = true;
        self.stop(why);
    }

    /// The last numbers that the server and the client sent; as large as can be where that is not certain.
    fn last_numbers(&self) -> [u32; 2] {
        [&self.server, &self.client].map(|end| end.sent.unwrap_or(u32::MAX))
    }

    /// Something is to happen in the client: it prints a text or notes something.
    pub fn expect(&mut self, event: Event, suspects: Suspects) {
        if self.other_revision.is_some() {
            // It may have left at once.
            return;
        }
        self.expected.push_back((event, suspects));
        if self.expected.len() > MAX_EXPECTED {
            self.expected.pop_front();
            self.expected_overflown = true;
        }
    }

    /// Something happens in the client: what of its kind should have happened before, or `None` if nothing of the kind was
    /// expected.
    pub fn happens(&mut self, event: &Event) -> Option<Vec<(Event, Suspects)>> {
        let at = self.expected.iter().position(|(expected, _)| expected == event)?;
        let mut missed = Vec::new();
        let mut index = 0;
        self.expected.retain(|(expected, suspects)| {
            index += 1;
            let passed = index <= at && is_like(expected, event);
            if passed {
                missed.push((expected.clone(), *suspects));
            }
            !passed && index != at + 1
        });
        Some(missed)
    }

    /// A serverdata is sent: a map begins at the server's end.
    pub fn map_is_sent(&mut self, spawncount: i32, map: Option<u32>) {
        (self.answered, self.map, self.spawncount_sent) = (true, map, Some(spawncount));
        self.provoked.map_begins();
        (self.last_frame, self.begun, self.newest) = (None, None, None);
        self.acknowledged.clear();
        self.walked = Walked { uncertain: true, ..Walked::default() };
    }

    /// A serverdata is delivered: a map begins at the client's end.
    pub fn map_is_delivered(&mut self, spawncount: i32, playernum: i16) {
        (self.spawncount, self.playernum) = (Some(spawncount), Some(playernum));
        self.spawncounts.insert(spawncount);
        self.leaves_map();
        (self.precached, self.shown_before) = (None, None);
        self.configstrings.clear();
    }

    /// The client leaves a map: it shows nothing until the next one, and a file that was under way is given up.
    pub fn leaves_map(&mut self) {
        self.begins = false;
        self.file = File::default();
    }

    /// Whether the base of a frame that was delivered is not the newest frame before it.
    pub fn has_older_base(&self, frame: &Frame) -> bool {
        frame.base.is_some() && frame.base != frame.before && self.delivered_dialect.is_r1q2()
    }

    /// The longest payload that the client takes, in bytes, whatever an engine makes of the length in its connect.
    pub fn payload_limit(&self) -> usize {
        match self.connect.asked.max_length {
            None | Some(0) => MAX_PAYLOAD as usize,
            // Q2PRO raises what is shorter.
            Some(length) => (length.clamp(MIN_RAISED, MAX_PAYLOAD)) as usize,
        }
    }

    /// Whether a frame of so many entities fits into what the client takes, however long the entries are. Servers may
    /// leave out frames that do not (erratum 8), and so all of them.
    pub fn frame_fits(&self, entities: usize) -> bool {
        LONGEST_PLAYER + entities * LONGEST_ENTITY <= self.payload_limit().min(DEFAULT_MSGLEN as usize)
    }
}
