//! What is known of each entity, as one client is concerned.

use super::super::field::{self, EXIST};
use super::frames::How;
use crate::state::{Entity, UF_PREDINFO, UF_RESET};
use kit::Numbers;

/// Why a receiver of everything that was sent does not hold an entity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gone {
    /// It was never sent.
    #[default]
    Never,
    /// It was removed by itself.
    Removed,
    /// Everything was removed.
    RemovedWithAll,
}

/// One entity.
#[derive(Clone, Debug)]
pub struct Track {
    /// What a receiver of everything that was sent holds.
    pub sent: Entity,
    /// Whether it holds the entity.
    pub in_sent: bool,
    /// If not, why.
    pub gone: Gone,
    /// What a receiver of what was delivered holds.
    pub delivered: Entity,
    /// Whether it holds the entity.
    pub in_delivered: bool,
    /// Flags of fields that were never delivered since the entity came unannounced: they are the baseline's or the null
    /// state's, as the receiver likes (erratum E4).
    pub vague: u32,
    /// Whether it came without RESET when the receiver did not hold it, since the map began.
    pub came_unknown: bool,
    /// Whether the receiver held the entity before, and lost it.
    pub left_delivered: bool,
    /// For each flag the newest frame that carried it, if one did.
    last: [u32; 32],
    ever: u32,
    /// Flags in which what was sent is not the truth.
    pub pending: u32,
    /// Flags that the scenario has set since they were carried, perhaps to the same value.
    pub set_since: u32,
    /// The server frame after which that began.
    pub pending_since: u32,
    /// Flags whose newest carrier is lost, as the server knows: they have to be sent again.
    pub lost: u32,
    /// How they were carried.
    pub lost_how: How,
    /// The newest lost carrier.
    pub lost_in: u32,
    /// Whether that repeated something lost itself.
    pub lost_repair: bool,
    /// Server frames, and those with room, sent before the loss was known.
    pub lost_since: (u32, u32),
    /// The same, from which on the repair is due: once a few newer frames were acknowledged.
    pub due_since: (u32, u32),
    /// How many of these were, up to a few.
    pub newer_acked: u8,
    /// The entity is new and was sent once.
    pub fresh: bool,
    /// The world has another occupant under this number than the sent model.
    pub reborn: bool,
    /// Flags about which there is a finding.
    pub reported: u32,
    /// Flags about whose loss there is a finding, until they are carried again.
    pub lost_reported: u32,
    /// The newest delivered frame that mentions it.
    pub touched: Option<u32>,
    /// Whether that mention gave a small number a high byte.
    pub long_index: bool,
    /// The flags of that mention, RESET included.
    pub touched_flags: u64,
    /// The entity as it was before that mention.
    pub before: Entity,
    /// Whether the receiver held it before that mention.
    pub touched_known: bool,
    /// Whether the last delivered update had a pred block: otherwise movement is zero or old, as the receiver likes.
    pub moving: bool,
    /// The client's deviation was reported.
    pub client_reported: bool,
    /// There is a finding that it waits for too long.
    pub late: bool,
    /// Whether it is in the list of those of which something was not sent yet.
    pub in_unsent: bool,
    /// Whether it is in the list of those of which something must be sent again.
    pub in_unrepaired: bool,
}

impl Track {
    fn new() -> Track {
        Track {
            sent: Entity::NULL,
            in_sent: false,
            gone: Gone::Never,
            delivered: Entity::NULL,
            in_delivered: false,
            vague: 0,
            came_unknown: false,
            left_delivered: false,
            last: [0; 32],
            ever: 0,
            pending: 0,
            set_since: 0,
            pending_since: 0,
            lost: 0,
            lost_how: How::Delta,
            lost_in: 0,
            lost_repair: false,
            lost_since: (0, 0),
            due_since: (0, 0),
            newer_acked: 0,
            fresh: false,
            reborn: false,
            reported: 0,
            lost_reported: 0,
            touched: None,
            long_index: false,
            touched_flags: 0,
            before: Entity::NULL,
            touched_known: false,
            moving: false,
            client_reported: false,
            late: false,
            in_unsent: false,
            in_unrepaired: false,
        }
    }

    /// Notes that frame `sequence` carries `flags`.
    #[inline]
    pub fn carried(&mut self, flags: u32, sequence: u32) {
        self.ever |= flags;
        self.lost_reported &= !flags;
        self.set_since &= !flags;
        for bit in field::each(flags) {
            self.last[bit] = sequence;
        }
    }

    /// Whether an update with `flags` that carries `carried` is a plain one of an entity that is not new, with all that waits,
    /// and nothing of it was lost.
    #[inline]
    pub fn is_usual(&self, flags: u64, carried: u32) -> bool {
        let waits = self.pending & !carried;
        flags & (UF_RESET | UF_PREDINFO) == 0 && !self.fresh && self.lost & carried == 0 && waits == 0
    }

    /// Of `flags`, those whose newest carrier is frame `sequence`.
    pub fn newest_in(&self, flags: u32, sequence: u32) -> u32 {
        field::each(flags & self.ever).filter(|&bit| self.last[bit] == sequence).fold(0, |found, bit| found | 1 << bit)
    }

    /// The newest frame that carried a flag, if one did.
    pub fn last_carrier(&self, bit: usize) -> Option<u32> {
        (self.ever & 1 << bit != 0).then(|| self.last[bit])
    }

    /// Forgets what was sent: a map begins.
    fn forget_sent(&mut self) {
        *self = Track {
            delivered: self.delivered,
            in_delivered: self.in_delivered,
            vague: self.vague,
            came_unknown: self.came_unknown,
            left_delivered: self.left_delivered,
            touched: self.touched,
            touched_flags: self.touched_flags,
            before: self.before,
            touched_known: self.touched_known,
            moving: self.moving,
            client_reported: self.client_reported,
            ..Track::new()
        };
    }

    /// Forgets what was delivered: a map begins.
    fn forget_delivered(&mut self) {
        self.in_delivered = false;
        self.vague = 0;
        self.came_unknown = false;
        self.left_delivered = false;
        self.touched = None;
        self.moving = false;
        self.client_reported = false;
    }

    /// Whether nothing would be lost with it.
    fn idle(&self) -> bool {
        !self.in_sent && !self.in_delivered && self.lost == 0 && self.pending & EXIST == 0
    }
}

/// Idle tracks that are kept at least; when there are about as many of them as of others, and more than this, they are
/// thrown away together.
pub const KEPT_IDLE: usize = 1024;

/// All entities, ascending.
#[derive(Debug, Default)]
pub struct Tracks {
    numbers: Numbers,
    tracks: Vec<Track>,
    /// How many were not idle when that was looked at last.
    in_use: usize,
}

impl Tracks {
    /// The entity's track.
    pub fn get(&self, number: u32) -> Option<&Track> {
        self.numbers.place_of(number).ok().map(|index| &self.tracks[index])
    }

    /// The entity's track, to be changed.
    pub fn get_mut(&mut self, number: u32) -> Option<&mut Track> {
        self.numbers.place_of(number).ok().map(|index| &mut self.tracks[index])
    }

    /// The entity's track, a new one if need be.
    #[inline]
    pub fn entry(&mut self, number: u32) -> &mut Track {
        let place = self.place(number);
        self.at_mut(place)
    }

    /// Where the entity's track is until others come or go; a new one is made if need be.
    #[inline]
    pub fn place(&mut self, number: u32) -> usize {
        self.numbers.place_of(number).unwrap_or_else(|place| self.insert(place, number))
    }

    #[cold]
    fn insert(&mut self, place: usize, number: u32) -> usize {
        self.numbers.insert(place, number);
        self.tracks.insert(place, Track::new());
        place
    }

    /// The track at a place.
    #[inline]
    pub fn at(&self, place: usize) -> &Track {
        &self.tracks[place]
    }

    /// The track at a place, to be changed.
    #[inline]
    pub fn at_mut(&mut self, place: usize) -> &mut Track {
        &mut self.tracks[place]
    }

    /// The number of the entity whose track is at a place.
    #[inline]
    pub fn number(&self, place: usize) -> u32 {
        self.numbers[place]
    }

    /// All of them, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &Track)> {
        self.numbers.iter().copied().zip(&self.tracks)
    }

    /// All of them, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (u32, &mut Track)> {
        self.numbers.iter().copied().zip(&mut self.tracks)
    }

    /// A map begins, as sent.
    pub fn forget_sent(&mut self) {
        self.tracks.iter_mut().for_each(Track::forget_sent);
        self.sweep();
    }

    /// A map begins, as delivered.
    pub fn forget_delivered(&mut self) {
        self.tracks.iter_mut().for_each(Track::forget_delivered);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.tracks.len()
    }

    /// Whether there may be so many idle ones that it is time for [`Tracks::sweep`].
    #[inline]
    pub fn crowded(&self) -> bool {
        self.tracks.len() > 2 * self.in_use + KEPT_IDLE
    }

    /// Throws the idle ones away.
    pub fn sweep(&mut self) {
        let mut index = 0;
        let tracks = &self.tracks;
        self.numbers.retain(|_| {
            index += 1;
            !tracks[index - 1].idle()
        });
        self.tracks.retain(|track| !track.idle());
        self.in_use = self.tracks.len();
    }
}
