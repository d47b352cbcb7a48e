//! What is known of one client's connection, at both of its ends.

use super::aside::Wanted as Line;
use super::image::Image;
use super::link::End;
use super::provoked::Provoked;
use crate::tap::Asked;
use crate::wire::constants::*;
use crate::wire::dialect::Dialect;
use crate::wire::handshake::{Connect, Tail};
use kit::{HostId, Requirement, Time};
use netchan::Qport;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A connect, as far as it matters later.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// What everything after it depends on.
    pub asked: Asked,
    /// The client's number, as it stands there.
    pub qport: u32,
    /// What stands behind the userinfo.
    pub tail: Tail,
    /// The datagram that it was, of those from the client.
    pub index: u32,
    /// When it was delivered.
    pub at: Time,
    /// Whether the client came back because of another revision.
    pub fell_back: bool,
}

impl Wanted {
    /// Of a connect.
    pub fn of(connect: &Connect<'_>, index: u32, at: Time, fell_back: bool) -> Wanted {
        Wanted { asked: Asked::of(connect), qport: connect.qport, tail: connect.tail, index, at, fell_back }
    }

    /// The dialect until a serverdata says more.
    pub fn dialect(&self) -> Dialect {
        match self.asked.protocol {
            PROTOCOL_R1Q2 => Dialect::r1q2(self.asked.minor.unwrap_or(MINOR_SOURCE)),
            _ => Dialect::ORIGINAL,
        }
    }

    /// Whether it is over protocol 35 and has no number.
    pub fn is_unnumbered(&self) -> bool {
        self.asked.protocol == PROTOCOL_R1Q2 && self.asked.qport == Qport::Absent
    }
}

/// The file that is being downloaded.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// What was delivered of it.
    pub bytes: Vec<u8>,
    /// Whether blocks were compressed, and whether blocks were plain.
    pub compressed: bool,
    /// Whether blocks were plain.
    pub plain: bool,
    /// A block was delivered that is not the last, and the next one was not asked for yet: when, and whether it was
    /// compressed.
    pub open: Option<(Time, bool)>,
    /// Bytes of its blocks as they were on the wire.
    pub wire_bytes: usize,
    /// Files that are complete and that the client has not shown.
    pub complete: VecDeque<Complete>,
}

/// A file that was delivered to its end.
#[derive(Clone, Copy, Debug)]
pub struct Complete {
    /// Its length.
    pub length: usize,
    /// Bytes of its blocks as they were on the wire.
    pub wire_bytes: usize,
    /// Whether blocks were compressed, and others plain.
    pub mixed: bool,
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

/// One connection.
#[derive(Debug)]
pub struct Session {
    /// The client.
    pub host: HostId,
    /// What it asked for.
    pub wanted: Wanted,
    /// The acceptance, of the datagrams to the client.
    pub opened: u32,
    /// Whether the client has heard that it was accepted.
    pub heard: bool,
    /// What has happened is not certain any more: nothing is judged.
    pub doubt: bool,
    /// One of the ends has left.
    pub over: bool,
    /// The server's end.
    pub server: End,
    /// The client's end.
    pub client: End,
    /// The dialect in which the server speaks.
    pub sent_dialect: Dialect,
    /// The dialect that the client has heard of.
    pub heard_dialect: Dialect,
    /// What the server has sent.
    pub sent: Image,
    /// What the client has received.
    pub received: Image,
    /// The map of the serverdata that was sent last, counted from the first; `None` if it is not certain.
    pub map: Option<u32>,
    /// The spawncount that the client was told.
    pub spawncount: Option<i32>,
    /// All that it was told in this connection: a `begin` may have waited for its turn.
    pub spawncounts: BTreeSet<i32>,
    /// When what asks for a serverdata was delivered.
    pub asked_at: Option<Time>,
    /// Whether a serverdata was sent.
    pub answered: bool,
    /// When the `begin` of the map was delivered.
    pub begun: Option<Time>,
    /// Frames that were acknowledged since the last request for one without a base.
    pub acknowledged: BTreeSet<i32>,
    /// The acknowledgement of the newest move; `None` before the first of a map.
    pub newest: Option<i32>,
    /// The frame that was sent last on this map.
    pub last_frame: Option<i32>,
    /// Datagrams were long enough to be held back or cut for that.
    pub long: bool,
    /// The player may have moved.
    pub moved: bool,
    /// The client asked to be spared something.
    pub spared: bool,
    /// What it walked since the last frame.
    pub walked: Walked,
    /// Whether the client received something since it was looked at.
    pub look: bool,
    /// The length of the datagram that brought the newest frame.
    pub frame_bytes: usize,
    /// The frame before the one that the client shows, as it was shown.
    pub shown_before: Option<i32>,
    /// What the client is to tell, each with what is broken if it does not.
    pub tells: VecDeque<(Tells, &'static Requirement)>,
    /// There was more to tell than is remembered.
    pub tells_more: bool,
    /// The reliable lines that were delivered.
    pub lines: Vec<Line>,
    /// The numbers of the configstrings that were delivered on this map, by index.
    pub configstrings: BTreeMap<u16, i32>,
    /// Which of the scenario's wishes that are said once were said.
    pub granted: BTreeSet<usize>,
    /// The sign-on's last word was delivered: when, and whether it stood behind a zpacket.
    pub precached: Option<(Time, bool)>,
    /// Whether the client asked to be in the game since.
    pub begins: bool,
    /// When the client was told another revision than its own.
    pub other_revision: Option<Time>,
    /// The file that is being downloaded.
    pub file: File,
    /// The last datagram that the client took was understood, and what it was: upper bits, a zpacket, something behind
    /// one, its length.
    pub last_taken: Option<Taken>,
    /// The last frame was compared and had its base further back than the newest frame before it.
    pub older_base: bool,
    /// When the client's datagrams began to come from another port.
    pub rebound: Option<Time>,
    /// When the server last acknowledged a new datagram.
    pub acknowledged_at: Time,
    /// What the scenario makes the ends say wrongly.
    pub provoked: Provoked,
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
}

/// What a client tells of what it was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tells {
    /// It prints a text.
    Print(Vec<u8>),
    /// It notes something.
    Note(&'static str, i64),
}

impl Tells {
    /// Whether both are of one kind, of which clients keep the order.
    pub fn is_like(&self, other: &Tells) -> bool {
        match (self, other) {
            (Tells::Print(_), Tells::Print(_)) => true,
            (Tells::Note(one, _), Tells::Note(other, _)) => one == other,
            _ => false,
        }
    }
}

/// `print "..."`, or the note and its value.
impl std::fmt::Display for Tells {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Tells::Print(text) => {
                let text: String = String::from_utf8_lossy(text).chars().take(40).collect();
                write!(f, "print {text:?}")
            }
            Tells::Note(what, value) => write!(f, "note {what} {value}"),
        }
    }
}

impl Session {
    /// The client is to tell something.
    pub fn expect(&mut self, tells: Tells, requirement: &'static Requirement) {
        if self.other_revision.is_some() {
            // It may have left at once.
            return;
        }
        self.tells.push_back((tells, requirement));
        if self.tells.len() > MAX_TELLS {
            self.tells.pop_front();
            self.tells_more = true;
        }
    }

    /// The client tells something: what it should have told before, or `None` if nothing of the kind was to be told.
    pub fn tells(&mut self, told: &Tells) -> Option<Vec<(Tells, &'static Requirement)>> {
        let at = self.tells.iter().position(|(expected, _)| expected == told)?;
        let mut missed = Vec::new();
        let mut index = 0;
        self.tells.retain(|(expected, requirement)| {
            index += 1;
            let passed = index <= at && expected.is_like(told);
            if passed {
                missed.push((expected.clone(), *requirement));
            }
            !passed && index != at + 1
        });
        Some(missed)
    }

    /// A connection that was just accepted.
    pub fn new(host: HostId, wanted: Wanted, opened: u32, now: Time) -> Session {
        let dialect = wanted.dialect();
        Session {
            host,
            wanted,
            opened,
            heard: false,
            doubt: false,
            over: false,
            server: End::first(),
            client: End::first(),
            sent_dialect: dialect,
            heard_dialect: dialect,
            sent: Image::default(),
            received: Image::of_client(),
            map: None,
            spawncount: None,
            spawncounts: BTreeSet::new(),
            asked_at: None,
            answered: false,
            begun: None,
            acknowledged: BTreeSet::new(),
            newest: None,
            last_frame: None,
            long: false,
            moved: false,
            spared: false,
            walked: Walked::default(),
            look: false,
            frame_bytes: 0,
            shown_before: None,
            tells: VecDeque::new(),
            tells_more: false,
            lines: Vec::new(),
            configstrings: BTreeMap::new(),
            granted: BTreeSet::new(),
            precached: None,
            begins: false,
            other_revision: None,
            file: File::default(),
            last_taken: None,
            older_base: false,
            rebound: None,
            acknowledged_at: now,
            provoked: Provoked::default(),
        }
    }

    /// Whether anything can be said about it.
    pub fn is_judged(&self) -> bool {
        !self.doubt && !self.over
    }

    /// The longest payload that the client takes, in bytes, whatever an engine makes of the length in its connect.
    pub fn payload_limit(&self) -> usize {
        match self.wanted.asked.max_length {
            None | Some(0) => MAX_PAYLOAD as usize,
            // Q2PRO raises what is shorter.
            Some(length) => (length.clamp(MIN_RAISED, MAX_PAYLOAD)) as usize,
        }
    }

    /// Whether a frame of so many entities fits into what the client takes, however much it says of each. Servers may
    /// leave out frames that do not (erratum 8), and so all of them.
    pub fn frame_fits(&self, entities: usize) -> bool {
        LONGEST_PLAYER + entities * LONGEST_ENTITY <= self.payload_limit().min(DEFAULT_MSGLEN as usize)
    }
}

/// What a client is to tell is remembered up to so much; of older things nothing is known.
const MAX_TELLS: usize = 256;
/// What a frame says beside its entities, at most: its start, areas, and a player state with everything; in bytes.
const LONGEST_PLAYER: usize = 170;
/// What a frame says of an entity, at most, in bytes.
const LONGEST_ENTITY: usize = 45;
/// What engines raise a shorter length to.
const MIN_RAISED: u32 = 512;
