//! What is known about one client and the server's side of it: state, without a judgement.

use super::PATIENCE_US;
use super::scene::Scene;
use super::truth::{Call, Class, Dest, Truth};
use crate::version::{Version, Versions};
use kit::{Direction, HostId, Report, Time};
use std::collections::{BTreeSet, VecDeque};

/// Requests that wait for their answers; further ones are not judged.
const MAX_REQUESTS: usize = 16;
/// Entries of a queue; with more, a client's calls are judged no more.
pub const MAX_ENTRIES: usize = 2048;

/// A call that one client is to get.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The call.
    pub id: u64,
    /// Its buffer.
    pub class: Class,
    /// It has to come; otherwise it may.
    pub demanded: bool,
}

/// An answer that is expected of the server, or that it may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The versions that it has to send; `None` for those that hold, as the client had spawned.
    pub versions: Option<Versions>,
    /// What the client claimed.
    pub claimed: Version,
    /// It may be left out.
    pub optional: bool,
    /// It was asked for before the client asked for its sign-on data.
    pub early: bool,
    /// The server's level at the time.
    pub level: u32,
}

/// Why something is judged no more.
#[derive(Clone, Copy, Debug)]
pub struct Indeterminate {
    /// For the remarks of the run.
    pub why: &'static str,
}

/// A client of a session has claimed less than is required. The server may have decided then: neither a later claim nor a new
/// level changes that.
#[derive(Clone, Copy, Debug)]
pub struct TooOld {
    /// When the first such claim was delivered.
    pub since: Time,
    /// When the first acknowledgement after it let the server go on to its next reliable message, which can say so.
    pub freed: Option<Time>,
}

impl TooOld {
    /// From a claim that is delivered now.
    pub fn since(now: Time) -> TooOld {
        TooOld { since: now, freed: None }
    }

    /// Whether the server has waited so long for an acknowledgement that it may have let go of the client without a word.
    pub fn has_waited_long(&self) -> bool {
        self.freed.is_some_and(|freed| freed.since(self.since) > PATIENCE_US)
    }
}

/// One client.
#[derive(Debug, Default)]
pub struct Session {
    /// The client.
    pub host: HostId,
    /// It is remote: what it is instructed, and its maximum, are not known.
    pub remote: bool,
    /// Its maximum; `None` for a plain one.
    pub max: Option<Version>,
    /// It was instructed to connect.
    pub wanted: bool,
    /// It was accepted since.
    pub open: bool,
    /// When.
    pub came: Option<Time>,
    /// It left, or was disconnected.
    pub closed: bool,
    /// Its streams are judged no more.
    pub indeterminate: Option<Indeterminate>,
    /// A datagram was delivered damaged: what its receiver knows, wants or awaits since is not known.
    pub damaged: bool,
    /// The server was asked for more than a reliable buffer holds, has received a disconnect of an earlier connection, or has
    /// perhaps begun another session: it may have stopped, in the first case for every client.
    pub may_have_stopped: bool,
    /// When a datagram of the client was delivered last.
    pub last_received: Time,
    /// The newest loss, delay or damage.
    pub last_disturbance: Time,
    /// A datagram of the reliable stream got lost.
    pub reliable_lost: bool,
    /// When one was sent last.
    pub reliable_sent: Time,
    /// When the server sent it anything last.
    pub server_sent: Time,
    /// The fragment that was sent last, until its acknowledgement is delivered; by [`Direction::index`].
    pub unacknowledged: [Option<[u8; 4]>; 2],
    /// When an acknowledgement let the server go on to its next reliable message last.
    pub acknowledged: Option<Time>,

    /// The step of the sign-on that the server's stream has come to.
    pub stage: u8,
    /// What the server's stream has sent in this level.
    pub versions: Option<Versions>,
    /// What it had sent in an earlier level.
    pub versions_before: Option<Versions>,
    /// Counts levels, by the server's stream.
    pub level: u32,
    /// Levels that the scenario has begun, and the server's stream not yet; of two that follow at once it may begin one.
    pub behind: u32,
    /// When the newest level began by the scenario, or the server accepted the client again.
    pub began: Option<Time>,
    /// The server has sent it away.
    pub dismissed: bool,
    /// Reliable calls that came.
    pub texts: u32,
    /// It was sent a print in this level.
    pub printed: bool,
    /// What it was sent at the beginning of the level and in the answer to spawn, of messages that have to come there.
    pub signed_on_by: BTreeSet<u8>,
    /// Of its scoreboard: the messages of each slot, in the answer to spawn.
    pub scoreboard: BTreeSet<(u8, u8)>,
    /// How many slots there are, by what the level began with.
    pub slots: u8,
    /// What its frames show.
    pub scene: Scene,
    /// The server's time where it showed it first in the level, and when.
    pub clock: Option<(f32, Time)>,
    /// When the server's stream had a level last.
    pub greeted: Option<Time>,
    /// Its sign-on data so far, as the server sent them; calls left out.
    pub image: Vec<u8>,

    /// So many calls of the sign-on data were seen.
    pub image_calls: usize,

    /// Counts levels, by the scenario.
    pub server_level: u32,
    /// A level began at a time that is not known for sure: what the server takes for its requests is not, either, until
    /// the client has signed on to it.
    pub is_unsure: bool,
    /// Pending answers, oldest first.
    pub answers: VecDeque<Answer>,
    /// A request was delivered in this connection.
    pub asked: bool,
    /// One for limits was.
    pub asked_limits: bool,
    /// What the newest good request in this level claimed.
    pub claimed: Option<Version>,
    /// The most that was claimed in this level. What a server makes of one claim can wait for its turn, and come after the
    /// next claim.
    pub most_claimed: Option<Version>,
    /// The most that was claimed in the levels before: where nothing is claimed in this one, that may count or not.
    pub claimed_before: Option<Version>,
    /// It has claimed less than is required, in this level or before.
    pub too_old: Option<TooOld>,
    /// A request with a negative version was delivered.
    pub negative: bool,
    /// One without a version was.
    pub bare: bool,
    /// When prespawn was delivered in this level.
    pub prespawned: Option<Time>,
    /// When spawn was delivered.
    pub spawned: Option<Time>,
    /// When begin was.
    pub begun: Option<Time>,

    /// What is to come, in the order of calls.
    pub queue: VecDeque<Entry>,
    /// What should have come already.
    pub late: Vec<Entry>,
    /// The view is to be turned.
    pub angles: Option<u64>,
    /// The client is hurt.
    pub damages: Vec<u64>,
    /// When the server sent it a frame last.
    pub framed: Option<Time>,
    /// Calls of the last frame that came.
    pub last_calls: Vec<u64>,
}

impl Session {
    /// Before the first command.
    pub fn new(host: HostId, max: Option<Version>, remote: bool) -> Session {
        Session { host, max: max.filter(|_| !remote), remote, ..Session::default() }
    }

    /// Whether its streams are judged.
    pub fn is_judged(&self) -> bool {
        self.is_connected() && self.indeterminate.is_none()
    }

    /// Whether the server has a session with it.
    pub fn is_connected(&self) -> bool {
        self.open && !self.closed
    }

    /// A fragment is sent.
    pub fn await_acknowledgement(&mut self, direction: Direction, bytes: &[u8]) {
        self.unacknowledged[direction.index()] = bytes.get(4..).and_then(|rest| rest.first_chunk().copied());
    }

    /// From here on its streams are not judged.
    pub fn give_up(&mut self, report: &mut Report, why: &'static str) {
        self.indeterminate.get_or_insert(Indeterminate { why });
        report.remark(why);
    }

    /// The server's stream begins a level.
    pub fn begin_level(&mut self) {
        if self.stage > 0 || self.versions.is_some() {
            self.versions_before = self.versions.or(self.versions_before);
            self.level += 1;
        }
        self.stage = 0;
        self.versions = None;
        let level = self.server_level.saturating_sub(self.behind);
        self.answers.retain(|answer| answer.level >= level);
        self.printed = false;
        self.signed_on_by.clear();
        self.clock = None;
        self.image.clear();
        self.image_calls = 0;
        self.framed = None;
    }

    /// Whether the server has sent its newest level.
    pub fn is_level_sent(&self) -> bool {
        self.behind == 0 && self.greeted.is_some() && self.greeted >= self.began.max(self.came)
    }

    /// Whether the server may still have to send its level, with frames so far apart.
    pub fn level_may_be_pending(&self, now: Time, tick_us: u64) -> bool {
        self.began.max(self.came).is_some_and(|began| now.since(began) <= tick_us)
    }

    /// The scenario begins a level: what the server was instructed before counts no more.
    pub fn change_level(&mut self, now: Time, tick_us: u64) {
        self.server_level += 1;
        // Of two levels that follow at once, the server may begin both.
        let at_once = !self.is_level_sent() && self.level_may_be_pending(now, tick_us);
        self.is_unsure |= at_once;
        self.behind += u32::from(!at_once);
        self.began = Some(now);
        self.claimed = None;
        self.claimed_before = self.claimed_before.max(self.most_claimed.take());
        self.negative = false;
        self.bare = false;
        self.prespawned = None;
        self.spawned = None;
        self.begun = None;
        self.angles = None;
        self.damages.clear();
    }

    /// CSVC, by what the server has sent at this place of its stream.
    pub fn csvc(&self) -> i32 {
        self.versions.map_or(0, |sent| sent.csvc.0)
    }

    /// The version of what stands at this place of the reliable stream: 0 until signonnum 2.
    pub fn form_version(&self, reliable: bool) -> i32 {
        if reliable && self.stage < 2 { 0 } else { self.csvc() }
    }

    /// A claim is delivered, or prespawn, which claims the same once more.
    pub fn claims(&mut self, now: Time, version: Version, required: Version) {
        self.most_claimed = self.most_claimed.max(Some(version));
        if version < required {
            self.too_old.get_or_insert(TooOld::since(now));
        }
    }

    /// The most that a server may go by.
    pub fn best_claim(&self) -> Version {
        self.most_claimed.max(self.claimed_before).unwrap_or_default()
    }

    /// The client acknowledges a fragment of the server, which goes on to the next.
    pub fn frees_server(&mut self, now: Time) {
        self.acknowledged = Some(now);
        if let Some(too_old) = &mut self.too_old {
            too_old.freed.get_or_insert(now);
        }
    }

    /// What this client claims to read, whatever it was sent.
    pub fn claim(&self) -> i32 {
        self.claimed.or(self.max).map_or(0, |version| version.0)
    }

    /// An answer is expected of the server.
    pub fn expect_answer(&mut self, answer: Answer) {
        if self.answers.len() < MAX_REQUESTS {
            self.answers.push_back(answer);
        }
    }

    /// A call may concern it from now on.
    pub fn add(&mut self, call: &Call, demanded: bool) {
        if !call.is_for(self.host.0) || call.dest == Dest::Init {
            return;
        }
        if call.dest == Dest::Frame {
            if call.svc() == netquake::constants::SVC_SET_ANGLE {
                self.angles = Some(call.id);
            } else if self.damages.len() < MAX_ENTRIES {
                self.damages.push(call.id);
            }
            return;
        }
        if self.queue.len() == MAX_ENTRIES {
            self.indeterminate = Some(Indeterminate { why: "more calls than are remembered" });
            return;
        }
        // What is pending when spawn is handled may be thrown away then; the texts say nothing about it.
        let signing_on = self.prespawned.is_some() && self.spawned.is_none();
        let demanded = demanded && !signing_on;
        self.queue.push_back(Entry { id: call.id, class: call.class(), demanded });
    }

    /// Bytes of reliable calls that have not come yet.
    pub fn pending_bytes(&self, truth: &Truth) -> usize {
        let reliable = self.queue.iter().filter(|entry| matches!(entry.class, Class::Message | Class::Reliable));
        let calls = reliable.filter_map(|entry| truth.call(entry.id));
        calls.flat_map(|call| &call.writes).map(|write| write.bytes.len()).sum()
    }
}
