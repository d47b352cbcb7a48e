//! What is known of a client's connection at both ends. Plain state; nothing here judges.

use super::announcement::Requested;
use super::link::{End, Sight};
use super::model::{Frame, Message, Model};
use super::provocation::Provoked;
use crate::tap::Asked;
use crate::wire::constants::*;
use crate::wire::dialect::Dialect;
use crate::wire::handshake::{Connect, Tail};
use crate::wire::usercmd::UserCmd;
use kit::{Event, HostId, Suspects, Time};
use netchan::{Header, Qport};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What a client has to show of what it received is remembered up to so much; what is older is forgotten.
const MAX_EXPECTED: usize = 256;
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
    /// What stands after the userinfo.
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

/// The file that is being downloaded.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// What of it was delivered.
    pub bytes: Vec<u8>,
    /// Bytes of its blocks as they were on the wire.
    pub wire_bytes: usize,
    /// Whether blocks were compressed.
    pub compressed: bool,
    /// Whether blocks were plain.
    pub plain: bool,
    /// A block was delivered that is not the last, and the next one was not asked for yet: when, and whether it was
    /// compressed.
    pub open: Option<(Time, bool)>,
    /// Whether the client has asked for it on this map.
    pub asked: bool,
}

/// A file that a client has asked for, as far as the server has read that.
#[derive(Clone, Debug, Default)]
pub struct Ordered {
    /// The whole of it, `None` if there is none; where the scenario says which files there are.
    pub bytes: Option<Option<Vec<u8>>>,
    /// How much of it was delivered.
    pub delivered: usize,
    /// Since when a block or a refusal is due.
    pub due: Option<Time>,
}

impl Ordered {
    /// Whether there is another block to be sent.
    pub fn goes_on(&self) -> bool {
        match &self.bytes {
            None => self.delivered > 0,
            Some(bytes) => bytes.as_ref().is_some_and(|bytes| self.delivered < bytes.len()),
        }
    }
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
    /// Milliseconds of all commands that it executed, those included that stand for lost ones.
    pub executed: i64,
    /// How far they take a spectator to whom they are not doubled, by axis: thousandths of an eighth.
    pub covered: [i64; 3],
    /// The velocity that the last one gives a spectator, in eighths.
    pub velocity: Option<[i64; 3]>,
    /// Whether it is not known which commands stand for lost ones: more were lost than are repeated.
    pub guessed: bool,
}

/// A datagram that a client took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Taken {
    /// Has a frame with upper bits.
    pub upper_bits: bool,
    /// Has a zpacket.
    pub zpacket: bool,
    /// Has something after a zpacket.
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

/// What a server has to send once, unreliably.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owed {
    /// What the scenario asked for, by its number among the requests.
    Request(usize),
    /// What happens to an entity.
    Event(u32, i32),
}

/// Something that is to be sent once, and how many frames were sent without it.
#[derive(Clone, Copy, Debug)]
pub struct Due {
    /// What.
    pub what: Owed,
    /// Frames since.
    pub frames: u32,
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
    /// Whether a remote server accepted it once more, and may have started over with that.
    pub accepted_again: bool,
    /// Whether either end has ended it.
    pub over: bool,
    /// When the client last sent something.
    pub last_received: Time,
    /// Why nothing is judged any more.
    pub indeterminate: Option<Indeterminate>,
    /// The server's end.
    pub server: End,
    /// The client's end.
    pub client: End,
    /// When the server last received something of it.
    pub read_at: Option<Time>,
    /// The client sent several moves in a datagram, or one that lasts too long.
    pub odd_moves: bool,
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
    /// When it did last.
    pub asked_last: Option<Time>,
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
    /// When a frame was last sent on this map.
    pub frame_at: Option<Time>,
    /// Whether that had no base although it could have had one.
    pub forgoes_bases: bool,
    /// The newest commands of the client's last two moves, and the datagrams that they were in.
    pub commands: VecDeque<(u32, UserCmd)>,
    /// The first datagram with a move on this map.
    pub first_move: Option<u32>,
    /// Since when the client plays on this map, how many moves it has sent, and how long their commands last, in milliseconds.
    pub played: Option<(Time, u64, u64)>,
    /// Moves in a row that acknowledged nothing, although the client had a valid frame.
    pub unacknowledged: u32,
    /// Frames in a row that were shown without a word about what was predicted.
    pub unpredicted: u32,
    /// Since when the client's commands last no time.
    pub timeless: Option<Time>,
    /// Since when the client has to ask for a map.
    pub new_due: Option<Time>,
    /// The server called the client to another map, and has not been asked for that yet.
    pub recalled: bool,
    /// A setting that the scenario had the client send last, and when, until it does.
    pub setting_due: Option<(Time, (i16, i16))>,
    /// When the client last sent a move.
    pub moved_at: Time,
    /// Since when the client shows frames of the map.
    pub playing: Option<Time>,
    /// When a serverdata was last delivered, and a reliable block.
    pub map_at: Option<Time>,
    /// See [`Session::map_at`].
    pub block_at: Time,
    /// The scenario has the server hold frames back.
    pub pauses: bool,
    /// What happened to entities in the last frame, and in how many before it without a break.
    pub happening: BTreeMap<u32, (i32, u32)>,
    /// The frame that was sent last on this map.
    pub last_frame: Option<i32>,
    /// The last datagram is so long that something else may have had no room in it.
    pub tight: bool,
    /// Datagrams were so long, and may have been held back or cut for that.
    pub long: bool,
    /// The longest datagram that the server sent, in bytes.
    pub longest: usize,
    /// The last datagram is so long that its frame may have been shortened.
    pub shortened: bool,
    /// The client announced that it records, so that it is sent its view angles.
    pub records: bool,
    /// The player may have moved.
    pub moved: bool,
    /// The client asked not to be sent its weapon or its blend.
    pub spared: bool,
    /// What it walked since the last frame.
    pub walked: Walked,
    /// The first velocity with which its player got twice as far as right, or half.
    pub odd_velocity: Option<i64>,
    /// As a spectator, it got as far as is right.
    pub flies_right: bool,
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
    /// What is to be sent once and was not yet.
    pub due: Vec<Due>,
    /// Whether the server took the client into the map that it was sent last.
    pub entered: bool,
    /// The sign-on's last word was delivered: when, and whether it stood after a zpacket.
    pub precached: Option<(Time, bool)>,
    /// Whether the client asked to be in the game since.
    pub begins: bool,
    /// The client was instructed to leave the map that it has, and has no other yet.
    pub left: bool,
    /// When the client was sent another revision than its own.
    pub other_revision: Option<Time>,
    /// The server announced a revision that it does not have.
    pub misled: bool,
    /// The file that is being downloaded.
    pub file: File,
    /// Files that were delivered to their ends, and that the client has not noted.
    pub complete: VecDeque<File>,
    /// The sum that the client has to note of the file that it noted last.
    pub file_sum: Option<u32>,
    /// The file that the server was asked for.
    pub ordered: Option<Ordered>,
    /// When the scenario had the client ask for a file, until it does.
    pub wants_file: Option<Time>,
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
    pub fn last_numbers(&self) -> [u32; 2] {
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
        (self.last_frame, self.begun, self.newest, self.entered) = (None, None, None, false);
        self.frame_at = None;
        self.forgoes_bases = false;
        self.due.clear();
        self.happening.clear();
        self.acknowledged.clear();
        self.walked = Walked { uncertain: true, ..Walked::default() };
    }

    /// A serverdata is delivered: a map begins at the client's end.
    pub fn map_is_delivered(&mut self, spawncount: i32, playernum: i16) {
        (self.spawncount, self.playernum) = (Some(spawncount), Some(playernum));
        self.spawncounts.insert(spawncount);
        self.leaves_map();
        self.left = false;
        (self.precached, self.shown_before) = (None, None);
        self.configstrings.clear();
    }

    /// The client leaves a map: it shows nothing until the next one, and a file that was under way is given up.
    pub fn leaves_map(&mut self) {
        (self.begins, self.left) = (false, true);
        self.file = File::default();
        (self.ordered, self.wants_file, self.playing) = (None, None, None);
        (self.first_move, self.played, self.unacknowledged, self.unpredicted) = (None, None, 0, 0);
    }

    /// Whether the client can ask for a file: it is in the game, and asked for none before.
    pub fn may_download(&self) -> bool {
        let idle = self.ordered.is_none() && self.wants_file.is_none() && self.file.bytes.is_empty();
        self.begins && self.delivered.shown.is_some() && idle && self.complete.is_empty()
    }

    /// The server has to send something with the next frame, if the client is in the game on map `map`.
    pub fn owe(&mut self, what: Owed, map: u32) {
        let judged = self.indeterminate.is_none() && self.provoked.gives_up.is_none();
        if judged && self.entered && self.map == Some(map) && self.due.len() < MAX_EXPECTED {
            self.due.push(Due { what, frames: 0 });
        }
    }

    /// What was to happen to an entity does not, or something else does.
    pub fn cancel_event(&mut self, entity: u32) {
        self.due.retain(|due| !matches!(due.what, Owed::Event(held, _) if held == entity));
    }

    /// Whether the base of a frame that was delivered is not the newest frame before it.
    pub fn has_older_base(&self, frame: &Frame) -> bool {
        frame.base.is_some() && frame.base != frame.before && self.delivered_dialect.is_r1q2()
    }

    /// The length from which on a server may have to leave something out, in bytes: that in the connect, to the letter, or
    /// that of a server which has a limit of its own, until it sends more than that.
    pub fn least_limit(&self) -> usize {
        if !self.sent_dialect.is_r1q2() {
            return MAX_MSGLEN_ORIGINAL;
        }
        let asked = self.connect.asked.max_length.filter(|length| *length != 0).unwrap_or(MAX_PAYLOAD);
        let own =
            if self.longest > DEFAULT_MSGLEN as usize + netchan::HEADER_BYTES { MAX_PAYLOAD } else { DEFAULT_MSGLEN };
        asked.min(own) as usize
    }

    /// The longest payload that the client takes, in bytes, whatever an engine makes of the length in its connect.
    pub fn payload_limit(&self) -> usize {
        match self.connect.asked.max_length {
            None | Some(0) => MAX_PAYLOAD as usize,
            // Q2PRO raises what is shorter.
            Some(length) => (length.clamp(MIN_RAISED, MAX_PAYLOAD)) as usize,
        }
    }
}
