//! Plain state of one client's session: what was sent to it, what was delivered, and what each end knows. No checks.

pub mod acks;
pub mod announcement;
pub mod demo;
pub mod forms;
pub mod frames;
pub mod movement;
pub mod quiescence;
pub mod remote;
pub mod repetition;
pub mod sign_on;
pub mod stats;
pub mod track;

use super::coverage::Report;
use super::field::{ALL, EXIST, Quantiser};
use super::indeterminate::{Indeterminate, is_unwritten};
use super::truth::Truth;
use crate::dialect::{Dialect, Transport};
use crate::extensions::Extensions;
use crate::options::Options;
use crate::state::{Entity, EntityList};
use acks::{AckWatch, OddAcks};
use announcement::Announced;
use demo::{SecondUpdates, Steps};
use forms::{Forms, Unfamiliar};
use frames::{Epochs, Frame, Frames, TickFrames};
use kit::{Check, HostId, StatValue, Suspects, Time, Vantage};
use movement::MovementWatch;
use quiescence::Quiescence;
use remote::{Unread, Unseen};
use repetition::Unneeded;
use sign_on::Spawn;
use stats::{Stats, has_stat, put_stat, same_stat};
use track::Tracks;

/// So many times as long may a server take that somebody else runs, and that has to load what it serves; in virtual time, it is
/// never slow.
const LEISURE: u64 = 10;
const VIRTUAL_LEISURE: u64 = 2;

/// A finding about what a datagram does not bring, for as long as another of the same tick may.
#[derive(Debug)]
pub struct Deferred {
    /// What failed.
    pub check: &'static Check,
    /// What it can mean.
    pub suspects: Suspects,
    /// When.
    pub at: Time,
    /// What is missing.
    pub missing: Missing,
    /// The finding.
    pub what: String,
}

/// What a datagram does not bring.
#[derive(Clone, Copy, Debug)]
pub enum Missing {
    /// Flags of an entity.
    Entity(u32, u32),
    /// A statistic.
    Stat(u8),
}

/// What the datagram just delivered asks the observer to look at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Observe {
    /// The client must be observed when it has acted.
    pub due: bool,
    /// It began with a remove-all.
    pub remove_all: bool,
    /// It removed an entity that the client did not hold.
    pub unknown_remove: bool,
    /// Update messages in it.
    pub messages: u32,
    /// Its server time is that of the frame before it.
    pub same_time: bool,
    /// It has a flag that nobody defines.
    pub undefined_flag: bool,
    /// It has a frame of the map before, and there was none of the present one yet.
    pub old_map: bool,
}

/// Requests for resets, and what a server makes of them, in one map.
#[derive(Clone, Copy, Debug, Default)]
pub struct Resets {
    /// Entity frames when the client's request for a reset reached the server, until it is obeyed.
    pub asked: Option<u32>,
    /// Entity frames when such a request reached the server last.
    pub received: u32,
    /// Entity frames before the last one that removed everything.
    pub obeyed: Option<u32>,
    /// Consecutive frames that removed everything without need.
    pub needless: u32,
    /// That happened while nothing but frame 0 was acknowledged; and the frames since without it, once more was.
    pub zero_ignored: Option<u32>,
}

/// Losses, and what repeats what was lost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Repairs {
    /// Losses that the server knows of.
    pub losses: u32,
    /// Updates that repeated what had been lost.
    pub done: u32,
    /// One of them came long before any history needed the place of the lost frame.
    pub at_once: bool,
}

/// Datagrams without an entity frame between those with one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gap {
    /// One was sent since the last with one.
    pub open: bool,
    /// One was sent before an earlier one.
    pub before: bool,
}

/// The entity frames with which something happened last, counted from 1; 0 for none.
#[derive(Debug, Default)]
pub struct LastFrames {
    /// The one that was full.
    pub full: u32,
    /// The one before which a datagram without one was sent.
    pub gap: u32,
    /// The one before which the rate limit left a tick out.
    pub choke: u32,
}

/// One client's session.
#[derive(Debug)]
pub struct Session {
    /// The client.
    pub host: HostId,
    /// The run's options; of a remote server, what is safe to assume.
    pub options: Options,
    /// From where the session is seen.
    pub vantage: Vantage,
    /// A datagram was delivered damaged: nothing more is judged.
    pub damaged: Option<Indeterminate>,

    /// What the newest session sent has agreed upon.
    pub dialect: Dialect,
    /// How coarse its wire is.
    pub quantiser: Quantiser,
    /// Sessions sent so far.
    pub epoch: u32,
    /// How far the sign-on of the newest is.
    pub spawn: Spawn,
    /// Baselines announced in it.
    pub baselines: EntityList,
    /// The world is not what the server sends: it is unknown, or a new map's session was not sent yet.
    pub truth: Option<Indeterminate>,
    /// What the server sends is unknown until it starts over.
    pub sent: Option<Indeterminate>,
    /// Entities of the map before.
    pub previous_map: Vec<u32>,
    /// Whether the extensions differ from those of the map before.
    pub extensions_changed: bool,

    /// The entities.
    pub tracks: Tracks,
    /// The datagrams sent.
    pub frames: Frames,
    /// The map of each datagram.
    pub epochs: Epochs,
    /// The statistics.
    pub stats: Box<Stats>,
    /// Entities of which something was not sent yet.
    pub unsent: Vec<u32>,
    /// Entities of which something that was lost must be sent again.
    pub unrepaired: Vec<u32>,
    /// Findings that another datagram of the same tick may disprove.
    pub deferred: Vec<Deferred>,
    /// The entity frames of the newest tick that had any.
    pub tick: TickFrames,
    /// Entity frames sent in this map.
    pub frames_sent: u32,
    /// Those of them that had room for more.
    pub frames_with_room: u32,
    /// The last of them with which something happened.
    pub last: LastFrames,
    /// Where datagrams without an entity frame came between those with one.
    pub gap: Gap,
    /// When the newest entity frame was sent, and its number.
    pub newest_frame: Option<(Time, u32)>,
    /// Server time of the newest frame.
    pub server_time: f32,
    /// A moment, and the server time then, by which the server's clock is judged.
    pub clock: Option<(Time, f32)>,
    /// Losses, and what repeats what was lost.
    pub repairs: Repairs,
    /// What was sent although nothing that shows on the wire asked for it.
    pub unneeded: Unneeded,
    /// Resets, in this map.
    pub resets: Resets,

    /// The newest frame that the server knows to be received.
    pub acked_to: Option<u32>,
    /// Acknowledgements of frames that were not on their way.
    pub odd_acks: OddAcks,
    /// QuakeWorld: the newest packet of the client that reached the server, if that is known.
    pub input: Option<u32>,
    /// Movement sequences.
    pub movement: MovementWatch,
    /// Out-of-band announcements.
    pub announced: Announced,
    /// What a remote server has not shown to have read.
    pub unread: Unread,
    /// The forms of entries in datagrams of the server that could be read.
    pub written: Forms,
    /// Datagrams of a remote server that nobody saw: until the server has had time to repeat what they had, what it sent
    /// is not known.
    pub unseen: Option<Unseen>,
    /// A demo: the steps of its time.
    pub steps: Steps,
    /// A demo: the second updates of new entities.
    pub seconds: SecondUpdates,
    /// The server frames, and those with room, from which on what it sends again is judged.
    pub judged_from: (u32, u32),

    /// What the newest session delivered has agreed upon.
    pub delivered_dialect: Dialect,
    /// Whether that differs from what the session before it had.
    pub delivered_changed: bool,
    /// The newest session delivered; 0 for none.
    pub delivered_epoch: u32,
    /// Baselines delivered in it.
    pub delivered_baselines: EntityList,
    /// Those of the map before.
    pub former_baselines: EntityList,
    /// A remove-all was delivered in it.
    pub based: bool,
    /// What the client holds is up to it until the next remove-all.
    pub delivered: Option<Indeterminate>,
    /// Server time of the newest frame delivered.
    pub delivered_time: Option<f32>,
    /// The newest frame delivered.
    pub delivered_frame: Option<u32>,
    /// QuakeWorld: the newest packet delivered, whatever is in it.
    pub delivered_newest: u32,
    /// Entity frames were lost between the two newest delivered.
    pub delivered_after_loss: bool,
    /// What to observe.
    pub observe: Observe,
    /// What the datagram just delivered has that the client has not shown to understand.
    pub unfamiliar: Unfamiliar,
    /// The client has just called a datagram unreadable.
    pub rejected: bool,
    /// The forms that the client understands.
    pub understood: Forms,
    /// Whether the client showed a state when last observed.
    pub client_valid: bool,
    /// Deviations of the client reported; after some, it is left alone.
    pub client_findings: u32,
    /// What the client acknowledges.
    pub acks: AckWatch,

    /// The last moment at which the network did harm.
    pub last_disturbance: Time,
    /// The last moment at which something else gave the server cause to send again what it had sent: a map began, frames
    /// began or resumed, the client asked for a reset.
    pub last_resend_cause: Time,
    /// The quiescence since.
    pub quiescence: Quiescence,
    /// QuakeWorld: the client's newest packet does not name the frame upon which it builds.
    pub builds_on_nothing: bool,
    /// The longest delay of an undisturbed datagram, by direction, in microseconds.
    pub delay_us: [u64; 2],
}

impl Session {
    /// How many times as long as ours the server may take.
    pub const fn leisure(&self) -> u64 {
        match self.vantage {
            Vantage { remote_server: false, .. } => 1,
            Vantage { virtual_server: true, .. } => VIRTUAL_LEISURE,
            _ => LEISURE,
        }
    }

    /// Before the first map.
    pub fn new(host: HostId, options: Options, vantage: Vantage) -> Session {
        let dialect = Dialect::plain(options.transport);
        Session {
            host,
            options,
            vantage,
            damaged: None,
            dialect,
            quantiser: Quantiser::new(dialect.gate),
            epoch: 0,
            spawn: Spawn::default(),
            baselines: EntityList::default(),
            truth: None,
            sent: None,
            previous_map: Vec::new(),
            extensions_changed: false,
            tracks: Tracks::default(),
            frames: Frames::default(),
            epochs: Epochs::default(),
            stats: Box::new(Stats::new()),
            unsent: Vec::new(),
            unrepaired: Vec::new(),
            deferred: Vec::new(),
            tick: TickFrames::default(),
            frames_sent: 0,
            frames_with_room: 0,
            last: LastFrames::default(),
            gap: Gap::default(),
            newest_frame: None,
            server_time: 0.0,
            clock: None,
            repairs: Repairs::default(),
            unneeded: Unneeded::default(),
            resets: Resets::default(),
            acked_to: None,
            odd_acks: OddAcks::default(),
            input: None,
            movement: MovementWatch::default(),
            announced: Announced::default(),
            unread: Unread::default(),
            written: Forms::default(),
            unseen: None,
            steps: Steps::default(),
            seconds: SecondUpdates::default(),
            judged_from: (0, 0),
            delivered_dialect: dialect,
            delivered_changed: false,
            delivered_epoch: 0,
            delivered_baselines: EntityList::default(),
            former_baselines: EntityList::default(),
            based: false,
            delivered: None,
            delivered_time: None,
            delivered_frame: None,
            delivered_newest: 0,
            delivered_after_loss: false,
            observe: Observe::default(),
            unfamiliar: Unfamiliar::default(),
            rejected: false,
            understood: Forms::default(),
            client_valid: false,
            client_findings: 0,
            acks: AckWatch::default(),
            last_disturbance: Time::ZERO,
            last_resend_cause: Time::ZERO,
            quiescence: Quiescence::default(),
            builds_on_nothing: false,
            delay_us: Default::default(),
        }
    }

    /// Both ends have agreed upon these extensions. Where our client cannot go along with them, nothing more is judged.
    pub fn agrees(&mut self, agreed: Extensions, report: &mut Report) {
        if let Some(unwritten) = is_unwritten(agreed, self.vantage) {
            self.damaged.get_or_insert(unwritten);
            report.remark(unwritten.why);
        }
    }

    /// Whether server and world can be compared now.
    pub fn judges_truth(&self) -> bool {
        self.truth.is_none() && self.judges_delivery()
    }

    /// Whether what was sent and what was delivered can be compared now.
    pub fn judges_delivery(&self) -> bool {
        self.damaged.is_none() && self.sent.is_none() && self.dialect.deltas()
    }

    /// A map begins, as sent.
    pub fn begin_map(&mut self, dialect: &Dialect, truth: &Truth) {
        self.extensions_changed = self.epoch > 0 && self.dialect.extensions != dialect.extensions;
        self.dialect = *dialect;
        self.quantiser = Quantiser::new(dialect.gate);
        self.epoch += 1;
        self.spawn = Spawn::default();
        self.baselines.clear();
        self.truth = truth.unknown;
        self.sent = None;
        self.previous_map.clear();
        self.previous_map.extend(self.tracks.iter().filter(|(_, track)| track.in_sent).map(|(number, _)| number));
        self.tracks.forget_sent();
        self.stats.begin_map();
        self.unsent.clear();
        self.unrepaired.clear();
        self.frames_sent = 0;
        self.frames_with_room = 0;
        self.last.full = 0;
        self.last.gap = 0;
        self.last.choke = 0;
        if self.epoch > 1 {
            self.unneeded.close();
        }
        self.gap = Gap::default();
        self.server_time = 0.0;
        self.clock = None;
        self.resets = Resets::default();
        self.unseen = None;
        self.steps = Steps::default();
        self.judged_from = (0, 0);
        self.movement.begin_map();
        self.announced.begin_map(truth.world.statics.len());
        for (number, _) in truth.world.live.iter() {
            self.world_changed(number, 0, truth);
        }
    }

    /// Whether an unreliable datagram `sequence` of somebody else's NetQuake server is of the map before: seen at the client, it
    /// can have been overtaken by the session of the next one. Most servers have no frames before the client enters it; FTEQW has, which
    /// is told apart where the datagrams are seen as they are sent.
    pub fn is_of_old_map(&self, sequence: Option<u32>) -> bool {
        let netquake = self.options.transport == Transport::NetQuake;
        let seen_later = self.vantage.remote_server && self.vantage.server_may_miss;
        seen_later && netquake && sequence.is_some() && self.epoch > 1 && !self.spawn.asked
    }

    /// The same map, as delivered: sent as the `epoch`th.
    pub fn begin_delivered_map(&mut self, dialect: &Dialect, epoch: u32) {
        self.delivered_changed = self.delivered_epoch > 0 && self.delivered_dialect.extensions != dialect.extensions;
        self.announced.begin_delivered_map();
        self.delivered_dialect = *dialect;
        self.delivered_epoch = epoch;
        std::mem::swap(&mut self.delivered_baselines, &mut self.former_baselines);
        self.delivered_baselines.clear();
        self.based = false;
        self.delivered = None;
        self.delivered_time = None;
        self.delivered_frame = None;
        self.tracks.forget_delivered();
        self.stats.held = [None; 256];
        self.stats.perhaps_held = [None; 256];
        self.stats.any_held = false;
        self.stats.doubtful = false;
        // Whatever the client showed was of the map before.
        self.client_valid = false;
        self.acks.begin_map();
    }

    /// The world is about to be emptied for a new map.
    pub fn map_ends(&mut self) {
        if self.epoch > 0 {
            self.truth = Some(Indeterminate { why: "the session of the new map was not sent yet" });
        }
    }

    /// The truth about an entity changed: which flags are pending now. A flag of 0 stands for the entity as a whole.
    pub fn world_changed(&mut self, number: u32, flag: u32, truth: &Truth) {
        if self.epoch == 0 || self.truth.is_some() || !self.dialect.deltas() {
            return;
        }
        self.tidy();
        let (frames_sent, quantiser) = (self.frames_sent, self.quantiser);
        let track = self.tracks.entry(number);
        let before = track.pending;
        track.set_since |= if flag == 0 { ALL } else { flag };
        track.pending = match (track.in_sent, truth.world.live.get(number)) {
            (true, Some(truth)) if flag != 0 => {
                before & !(flag | EXIST) | quantiser.differing(flag, &track.sent, truth)
            }
            (true, Some(truth)) => quantiser.differing(ALL, &track.sent, truth),
            (false, None) => 0,
            (true, None) | (false, Some(_)) => EXIST,
        };
        if before == 0 && track.pending != 0 {
            track.pending_since = frames_sent;
            if !std::mem::replace(&mut track.in_unsent, true) {
                self.unsent.push(number);
            }
        }
    }

    /// Now and then, throws away what is remembered of entities that are gone: memory is bounded by what is there, not
    /// by what ever was.
    #[inline]
    pub fn tidy(&mut self) {
        if self.tracks.crowded() {
            self.sweep();
        }
    }

    #[cold]
    fn sweep(&mut self) {
        self.tracks.sweep();
        let Session { tracks, unsent, unrepaired, .. } = self;
        unsent.retain(|&number| tracks.get(number).is_some());
        unrepaired.retain(|&number| tracks.get(number).is_some());
    }

    /// Another occupant took an entity's number. Whether the client holds the one before.
    pub fn spawned(&mut self, number: u32) -> bool {
        self.tracks.get_mut(number).is_some_and(|track| {
            track.reborn = track.in_sent;
            track.reborn
        })
    }

    /// The scenario set a statistic.
    pub fn stat_set(&mut self, stat: u8, value: StatValue) {
        let index = usize::from(stat);
        self.stats.truth_before[index] = self.stats.truth[index].replace(value);
        let held = self.stats.sent[index].unwrap_or(StatValue::Int(0));
        let pending = !same_stat(held, value);
        if pending && !has_stat(&self.stats.pending, stat) {
            self.stats.pending_since[index] = self.frames_sent;
            self.stats.left_out[index] = 0;
        }
        put_stat(&mut self.stats.pending, stat, pending);
    }

    /// Entity frames sent since the newest that the server knows to be received.
    pub fn in_flight(&self) -> u32 {
        self.acked_to.map_or(self.frames_sent, |newest| self.age_of(newest))
    }

    /// Entity frames sent since `frame`.
    pub fn age(&self, frame: &Frame) -> u32 {
        self.frames_sent - frame.place.min(self.frames_sent)
    }

    /// The same of frame `sequence`; all of them, if that is not remembered.
    pub fn age_of(&self, sequence: u32) -> u32 {
        self.frames.get(sequence).map_or(self.frames_sent, |frame| self.age(frame))
    }

    /// A NetQuake channel starts over after the server's challenge: so do its numbers.
    pub fn channel_begins_anew(&mut self) {
        self.frames = Frames::default();
        self.acks = AckWatch::default();
    }

    /// A frame of this server time: in a demo it shows whether one before it is missing.
    pub fn demo_goes_on(&mut self, server_time: f32) {
        if self.vantage.demo.is_some() && self.steps.has_gap(server_time) {
            self.unseen = Some(Unseen { newest: self.frames.newest.unwrap_or_default(), known: None });
            self.unneeded.close();
        }
    }

    /// A datagram of a remote server came that is newer than all before, with this number, and on QuakeWorld with an
    /// acknowledgement in its header: notes whether any before it was not seen.
    pub fn remote_datagram(&mut self, sequence: u32, header_ack: Option<u32>) {
        let next = match (self.frames.newest, header_ack) {
            (Some(newest), _) => newest + 1,
            (None, None) => 0,
            (None, Some(_)) => sequence,
        };
        // Some servers give a datagram the number of the client's that it answers: unanswered numbers are left out.
        let answers = header_ack == Some(sequence);
        if next < sequence && self.dialect.deltas() && (!answers || self.unread.has(next..sequence)) {
            self.unseen = Some(Unseen { newest: sequence - 1, known: None });
            // What comes now may repeat what was lost there.
            self.unneeded.close();
        }
    }

    /// What a RESET of the entity starts from, as sent.
    pub fn baseline(&self, number: u32) -> &Entity {
        self.baselines.get(number).unwrap_or(&Entity::NULL)
    }

    /// How many frames it takes to send everything that there is, generously.
    pub fn frames_for_all(&self, truth: &Truth) -> u32 {
        /// Above the longest update of one entity, in bytes.
        const ENTITY_BYTES: usize = 110;
        let room = self.options.datagram_limit.saturating_sub(64).max(ENTITY_BYTES);
        let entities = if truth.unknown.is_some() { self.tracks.len() } else { truth.world.live.len() };
        u32::try_from(((entities + 1) * ENTITY_BYTES).div_ceil(room)).unwrap_or(u32::MAX / 64)
    }
}
