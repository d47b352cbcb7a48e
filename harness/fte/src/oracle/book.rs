//! Everything that is remembered of one client's session.

use super::asides::Asides;
use super::attribution::{Forms, Suspects};
use super::client_acks::AckWatch;
use super::convergence::Calm;
use super::coverage::{Point, Report};
use super::field::{ALL, EXIST, Grain};
use super::frames::{Epochs, Frames};
use super::movement::MovementWatch;
use super::track::Tracks;
use super::waste::Waste;
use crate::dialect::Dialect;
use crate::options::Options;
use crate::state::World;
use crate::state::{Entity, EntityList};
use kit::{HostId, Requirement, StatValue, Time};

/// A set of statistics.
pub type StatSet = [u64; 4];

/// Whether a set has a statistic.
pub fn has_stat(set: &StatSet, stat: u8) -> bool {
    set[usize::from(stat) / 64] & 1 << (stat % 64) != 0
}

/// Puts a statistic into a set, or takes it out.
pub fn put_stat(set: &mut StatSet, stat: u8, there: bool) {
    let word = &mut set[usize::from(stat) / 64];
    *word = *word & !(1 << (stat % 64)) | u64::from(there) << (stat % 64);
}

/// The statistics in a set.
pub fn stats_in(set: StatSet) -> impl Iterator<Item = u8> {
    (0..=255u8).filter(move |&stat| set[usize::from(stat) / 64] != 0 && has_stat(&set, stat))
}

/// Whether two statistics are the same number.
pub fn same_stat(a: StatValue, b: StatValue) -> bool {
    let number = |value| match value {
        StatValue::Int(value) => f64::from(value),
        StatValue::Float(value) => f64::from(value),
    };
    a == b || number(a) == number(b) || (number(a).is_nan() && number(b).is_nan())
}

/// The statistics of one player.
#[derive(Debug)]
pub struct Stats {
    /// What the scenario set while the server had a session for the client; `None` for what it left alone.
    pub truth: [Option<StatValue>; 256],
    /// What it was before.
    pub truth_before: [Option<StatValue>; 256],
    /// What was sent last in this map.
    pub sent: [Option<StatValue>; 256],
    /// What was delivered last in this map.
    pub held: [Option<StatValue>; 256],
    /// Whether any was delivered in this map.
    pub any_held: bool,
    /// The frame that carried it last, if one did.
    pub last: [Option<u32>; 256],
    /// Not yet sent as they are, and since which server frame.
    pub pending: StatSet,
    /// The server frame after which they began to be pending.
    pub pending_since: [u32; 256],
    /// Not sent as they are in a datagram with room, and not since.
    pub missed: StatSet,
    /// Newest carrier lost, as the server knows.
    pub owed: StatSet,
    /// Server frames, and those with room, sent before that was known.
    pub owed_since: [(u32, u32); 256],
}

impl Stats {
    fn new() -> Stats {
        Stats {
            truth: [None; 256],
            truth_before: [None; 256],
            sent: [None; 256],
            held: [None; 256],
            any_held: false,
            last: [None; 256],
            pending: [0; 4],
            pending_since: [0; 256],
            missed: [0; 4],
            owed: [0; 4],
            owed_since: [(0, 0); 256],
        }
    }

    /// A map begins, as sent: a client starts from zero, so what is not zero must be sent.
    fn begin_map(&mut self) {
        self.sent = [None; 256];
        self.last = [None; 256];
        self.pending = [0; 4];
        self.owed = [0; 4];
        for stat in 0..=255u8 {
            let value = self.truth[usize::from(stat)];
            let wanted = value.is_some_and(|value| !same_stat(value, StatValue::Int(0)));
            put_stat(&mut self.pending, stat, wanted);
            self.pending_since[usize::from(stat)] = 0;
        }
    }
}

/// A finding about what a datagram does not bring, for as long as another of the same tick may.
#[derive(Debug)]
pub struct Held {
    /// What is violated.
    pub requirement: &'static Requirement,
    /// When the datagram was sent.
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

/// One client's session.
#[derive(Debug)]
pub struct Book {
    /// The client.
    pub host: HostId,
    /// The run's options.
    pub options: Options,
    /// A datagram was delivered damaged: what the two ends hold from then on follows from no rule.
    pub tainted: bool,

    /// What the newest session sent has agreed upon.
    pub dialect: Dialect,
    /// How coarse its wire is.
    pub grain: Grain,
    /// Sessions sent so far.
    pub epoch: u32,
    /// Baselines announced in it.
    pub baselines: EntityList,
    /// The scenario began a new map, and the session for it was not sent yet: the world is not what the server shows.
    pub between_maps: bool,
    /// The server sent what cannot be read: what it meant is unknown until it starts over.
    pub unreadable: bool,
    /// Entities of the map before.
    pub previous_map: Vec<u32>,
    /// Whether the extensions differ from those of the map before.
    pub extensions_changed: bool,

    /// The entities.
    pub tracks: Tracks,
    /// What was sent.
    pub frames: Frames,
    /// The map of each datagram.
    pub epochs: Epochs,
    /// The statistics.
    pub stats: Box<Stats>,
    /// Entities of which something is pending.
    pub stale: Vec<u32>,
    /// Entities of which something is owed.
    pub owing: Vec<u32>,
    /// Findings that another datagram of the same tick may disprove.
    pub held: Vec<Held>,
    /// Entity frames sent in this map.
    pub places: u32,
    /// Those of them that had room for more.
    pub roomy: u32,
    /// The last of them that was full; 0 for none.
    pub last_full: u32,
    /// A datagram without an entity frame was sent since the last with one.
    pub gap: bool,
    /// Such a gap was before.
    pub gapped: bool,
    /// When the newest entity frame was sent, and its number.
    pub newest_frame: Option<(Time, u32)>,
    /// Server time of the newest frame.
    pub server_time: f32,
    /// A moment, and the server time then, by which the server's clock is judged.
    pub clock: Option<(Time, f32)>,
    /// Flags that some update carried.
    pub flags_sent: u32,
    /// Updates that repeated what had been lost.
    pub repairs: u32,
    /// Those of them that repeated a plain update.
    pub delta_repairs: u32,
    /// Updates repeated of entities that no lost frame was about, after a loss.
    pub misplaced: u32,
    /// What was sent although nothing that shows on the wire asked for it.
    pub waste: Waste,
    /// The entity frame before which the newest datagram without one was sent, and the one before which the rate limit
    /// left a tick out; 0 for none.
    pub last_gap: u32,
    /// See above.
    pub last_choke: u32,
    /// Losses that the server knows of.
    pub losses: u32,
    /// Entity frames when the client's request for a reset reached the server, until it is obeyed.
    pub reset_asked: Option<u32>,
    /// Entity frames when such a request reached the server last.
    pub reset_heard: u32,
    /// Consecutive frames that removed everything without need.
    pub needless_resets: u32,
    /// The same happened while nothing but frame 0 was acknowledged; and the frames since without it, once more was.
    pub zero_doubted: Option<u32>,

    /// The newest frame that the server knows to be received.
    pub acked_to: Option<u32>,
    /// The server was told of frames that it never sent.
    pub future_acks: u32,
    /// The server was told of frames for the second time, or too late.
    pub stale_acks: u32,
    /// Explicit acknowledgements that reached the server.
    pub explicit_acks: u32,
    /// Movement sequences.
    pub movement: MovementWatch,

    /// What is said beside frames.
    pub asides: Asides,

    /// What the newest session delivered has agreed upon.
    pub heard_dialect: Dialect,
    /// Whether that differs from what the session before it had.
    pub heard_changed: bool,
    /// The newest session delivered; 0 for none.
    pub heard_epoch: u32,
    /// Baselines delivered in it.
    pub heard_baselines: EntityList,
    /// Those of the map before.
    pub former_baselines: EntityList,
    /// A remove-all was delivered in it.
    pub based: bool,
    /// A late frame of the map before was delivered: whether a client takes it is up to it.
    pub mixed: bool,
    /// Server time of the newest frame delivered.
    pub heard_time: Option<f32>,
    /// And of the first in this map.
    pub heard_first_time: Option<f32>,
    /// The newest frame delivered.
    pub heard_frame: Option<u32>,
    /// QuakeWorld: the newest packet delivered, whatever is in it.
    pub heard_newest: u32,
    /// Entity frames were lost between the two newest delivered.
    pub heard_after_loss: bool,
    /// The client must be looked at when it has acted.
    pub look: bool,
    /// The datagram just delivered began with a remove-all.
    pub look_remove_all: bool,
    /// It removed an entity that the client did not hold.
    pub look_unknown_remove: bool,
    /// Update messages in the datagram just delivered.
    pub look_messages: u32,
    /// Its server time is that of the frame before it.
    pub look_same_time: bool,
    /// What the datagram just delivered has that the client may not understand.
    pub look_suspects: Suspects,
    /// The datagram just delivered has a flag that nobody defines.
    pub look_planted: bool,
    /// The client has just called a datagram unreadable.
    pub rejected: bool,
    /// The forms that the client understands.
    pub understood: Forms,
    /// Whether the client showed a state when last looked at.
    pub client_valid: bool,
    /// Deviations of the client reported; after some, it is left alone.
    pub client_findings: u32,
    /// What the client acknowledges.
    pub acks: AckWatch,

    /// The last moment at which the network did harm.
    pub trouble: Time,
    /// The last moment at which something else gave the server cause to send what it had sent before: a map began, frames
    /// began or resumed, the client asked for a reset.
    pub stirred: Time,
    /// The peace since.
    pub calm: Calm,
    /// QuakeWorld: the client's newest packet does not say upon which frame it builds.
    pub builds_on_nothing: bool,
    /// The longest delay of an undisturbed datagram, by direction, in microseconds.
    pub delay_us: [u64; 2],
}

impl Book {
    /// Before a session.
    pub fn new(host: HostId, options: Options) -> Book {
        let dialect = Dialect::plain(options.transport);
        Book {
            host,
            options,
            tainted: false,
            dialect,
            grain: Grain::new(dialect.gate),
            epoch: 0,
            baselines: EntityList::default(),
            between_maps: false,
            unreadable: false,
            previous_map: Vec::new(),
            extensions_changed: false,
            tracks: Tracks::default(),
            frames: Frames::default(),
            epochs: Epochs::default(),
            stats: Box::new(Stats::new()),
            stale: Vec::new(),
            owing: Vec::new(),
            held: Vec::new(),
            places: 0,
            roomy: 0,
            last_full: 0,
            gap: false,
            gapped: false,
            newest_frame: None,
            server_time: 0.0,
            clock: None,
            flags_sent: 0,
            repairs: 0,
            delta_repairs: 0,
            misplaced: 0,
            waste: Waste::default(),
            last_gap: 0,
            last_choke: 0,
            losses: 0,
            reset_asked: None,
            reset_heard: 0,
            needless_resets: 0,
            zero_doubted: None,
            acked_to: None,
            future_acks: 0,
            stale_acks: 0,
            explicit_acks: 0,
            movement: MovementWatch::default(),
            asides: Asides::default(),
            heard_dialect: dialect,
            heard_changed: false,
            heard_epoch: 0,
            heard_baselines: EntityList::default(),
            former_baselines: EntityList::default(),
            based: false,
            mixed: false,
            heard_time: None,
            heard_first_time: None,
            heard_frame: None,
            heard_newest: 0,
            heard_after_loss: false,
            look: false,
            look_remove_all: false,
            look_unknown_remove: false,
            look_messages: 0,
            look_same_time: false,
            look_suspects: Suspects::default(),
            look_planted: false,
            rejected: false,
            understood: Forms::default(),
            client_valid: false,
            client_findings: 0,
            acks: AckWatch::default(),
            trouble: Time::ZERO,
            stirred: Time::ZERO,
            calm: Calm::default(),
            builds_on_nothing: false,
            delay_us: [0; 2],
        }
    }

    /// Whether server and world can be compared now.
    pub fn judges_truth(&self) -> bool {
        !self.tainted && !self.between_maps && !self.unreadable && self.dialect.deltas()
    }

    /// Whether what was sent and what was delivered can be compared now.
    pub fn judges_delivery(&self) -> bool {
        !self.tainted && !self.unreadable && self.dialect.deltas()
    }

    /// A map begins, as sent.
    pub fn begin_map(&mut self, dialect: &Dialect, world: &World, report: &mut Report) {
        self.extensions_changed = self.epoch > 0 && self.dialect.extensions != dialect.extensions;
        self.dialect = *dialect;
        self.grain = Grain::new(dialect.gate);
        self.epoch += 1;
        self.baselines.clear();
        self.between_maps = false;
        self.unreadable = false;
        self.previous_map.clear();
        self.previous_map.extend(self.tracks.iter().filter(|(_, track)| track.in_shadow).map(|(number, _)| number));
        self.tracks.forget_sent();
        self.stats.begin_map();
        self.stale.clear();
        self.owing.clear();
        self.places = 0;
        self.roomy = 0;
        self.last_full = 0;
        self.last_gap = 0;
        self.last_choke = 0;
        if self.epoch > 1 {
            self.waste.close();
        }
        self.gap = false;
        self.gapped = false;
        self.server_time = 0.0;
        self.clock = None;
        self.reset_asked = None;
        self.reset_heard = 0;
        self.needless_resets = 0;
        self.zero_doubted = None;
        self.movement.begin_map();
        self.asides.begin_map(world.statics.len());
        for (number, _) in world.live.iter() {
            self.world_changed(number, 0, world);
        }
        let spawnstatic2 = dialect.extensions.fte1 & crate::constants::PEXT_SPAWNSTATIC2 != 0;
        report.saw_if(dialect.deltas() && spawnstatic2, Point::SpawnStatic2Deltas);
        report.saw_if(super::asides::obsolete(dialect), Point::ObsoleteDeltas);
        report.saw_if(self.epoch > 1, Point::SecondMap);
        report.saw_if(self.extensions_changed, Point::ExtensionsChanged);
        report.saw_if(!dialect.deltas(), Point::PlainSession);
        report.saw_if(dialect.deltas(), Point::DeltaSession);
        report.saw_if(dialect.extensions.float_coords(), Point::FloatCoords);
        report.saw_if(dialect.extensions.float_coords() && dialect.deltas(), Point::FloatCoordsWithDeltas);
        report.saw_if(dialect.deltas() && !dialect.extensions.float_coords(), Point::DeltasAlone);
    }

    /// The world is about to be emptied for a new map.
    pub fn map_ends(&mut self) {
        self.between_maps = self.epoch > 0;
    }

    /// The truth about an entity changed: which flags are pending now. A flag of 0 stands for the entity as a whole.
    pub fn world_changed(&mut self, number: u32, flag: u32, world: &World) {
        if self.epoch == 0 || self.between_maps || !self.dialect.deltas() {
            return;
        }
        self.tidy();
        let (places, grain) = (self.places, self.grain);
        let track = self.tracks.entry(number);
        let before = track.pending;
        track.pending = match (track.in_shadow, world.live.get(number)) {
            (true, Some(truth)) if flag != 0 => before & !(flag | EXIST) | grain.differing(flag, &track.shadow, truth),
            (true, Some(truth)) => grain.differing(ALL, &track.shadow, truth),
            (false, None) => 0,
            (true, None) | (false, Some(_)) => EXIST,
        };
        if before == 0 && track.pending != 0 {
            track.pending_since = places;
            if !std::mem::replace(&mut track.in_stale, true) {
                self.stale.push(number);
            }
        }
    }

    /// Now and then, throws away what is remembered of entities that are gone: memory is bounded by what is there, not
    /// by what ever was.
    pub fn tidy(&mut self) {
        if self.tracks.crowded() {
            self.tracks.sweep();
            let Book { tracks, stale, owing, .. } = self;
            stale.retain(|&number| tracks.get(number).is_some());
            owing.retain(|&number| tracks.get(number).is_some());
        }
    }

    /// Another occupant took an entity's number.
    pub fn spawned(&mut self, number: u32) {
        if let Some(track) = self.tracks.get_mut(number) {
            track.reborn = track.in_shadow;
        }
    }

    /// The scenario set a statistic.
    pub fn stat_set(&mut self, stat: u8, value: StatValue) {
        let index = usize::from(stat);
        self.stats.truth_before[index] = self.stats.truth[index].replace(value);
        let held = self.stats.sent[index].unwrap_or(StatValue::Int(0));
        let pending = !same_stat(held, value);
        if pending && !has_stat(&self.stats.pending, stat) {
            self.stats.pending_since[index] = self.places;
        }
        put_stat(&mut self.stats.pending, stat, pending);
    }

    /// Entity frames sent since the newest that the server knows to be received.
    pub fn in_flight(&self) -> u32 {
        let newest = self.acked_to.and_then(|newest| self.frames.get(newest));
        self.places - newest.map_or(0, |frame| frame.place).min(self.places)
    }

    /// What a RESET of the entity starts from, as the client was told.
    pub fn baseline(&self, number: u32) -> &Entity {
        self.baselines.get(number).unwrap_or(&Entity::NULL)
    }

    /// How many frames it takes to send everything that there is, generously.
    pub fn frames_for_all(&self, world: &World) -> u32 {
        /// Above the longest update of one entity, in bytes.
        const ENTITY_BYTES: usize = 110;
        let room = self.options.datagram_limit.saturating_sub(64).max(ENTITY_BYTES);
        let bytes = (world.live.len() + 1) * ENTITY_BYTES;
        u32::try_from(bytes.div_ceil(room)).unwrap_or(u32::MAX / 64)
    }
}
