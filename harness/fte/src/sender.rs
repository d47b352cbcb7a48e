//! What a server knows of one client's entities, and how it makes the next update.
//!
//! Per client there is the state of the previous frame (to find changes), a set of pending flags (what must be sent),
//! and a log per frame in flight (what was sent). A frame that is not acknowledged while a later one is, is lost: its
//! log is folded back into the pending flags, and whatever is pending is sent with its present value.
//!
//! Source: "The information is sent in the unreliable channel" and the paragraphs behind it.

mod statistic;

use crate::constants::field_names::*;
use crate::constants::*;
use crate::delta::{self, UF_FIELDS};
use crate::liberties::{Begins, Fold, Removes, StatsPlace, due};
use crate::pending::PendingFlags;
use crate::rules::{
    AfterFull, Fit, Folding, LogLookup, LogNumber, Mentions, Overflow, Resend, ResetFields, Returned, Rules, Skipped,
    StartOver, StatLog, Zero,
};
use crate::state::{Entity, EntityList};
use kit::{StatValue, Writer};
use std::ops::Range;

/// Pending and logged: the entity must be removed. Not a flag of the wire.
pub const REMOVE: u32 = 1 << 30;
/// In [`crate::rules::Logged`]: that everything was removed.
pub const REMOVE_ALL: u32 = 1 << 31;
/// Pending: the next update of the entity repeats RESET. Does not cause an update. Not a flag of the wire.
const RESET_AGAIN: u32 = 1 << 31;
/// Pending: and so does the one after.
const RESET_THRICE: u32 = 1 << 23;
/// Pending, beside REMOVE: it was sent once.
const REMOVE_AGAIN: u32 = 1 << 18;
/// Pending: a loss, not a change, put the flags there.
const FOLDED: u32 = 1 << 15;
/// Pending: the entity is to be mentioned, whether something changed or not. Not a flag of the wire.
const MENTION: u32 = 1 << 7;
/// The pending flags that alone do not cause an update.
const PASSIVE: u32 = RESET_AGAIN | RESET_THRICE | FOLDED;
const RESET: u32 = UF_RESET as u32;

/// The end marker of an update message, for which room is always kept.
const END_BYTES: usize = 2;
/// The longest statistic message: service byte, number, long.
const STAT_BYTES: usize = 6;

/// One frame in flight: what it carried.
#[derive(Clone, Debug, Default)]
struct FrameLog {
    sequence: u32,
    /// Whether the frame's fate is undecided.
    open: bool,
    remove_all: bool,
    entries: Vec<(u32, u32)>,
    stats: [u64; 4],
}

/// The server's side of one client's replacement deltas.
#[derive(Clone, Debug)]
pub struct DeltaSender {
    rules: Rules,
    gate: u64,
    pending: PendingFlags,
    /// The entities as of the last frame.
    known: EntityList,
    /// Those as of the frame before, where the rules want them.
    before: EntityList,
    remove_all: bool,
    logs: Vec<FrameLog>,
    newest_sent: Option<u32>,
    newest_acked: Option<u32>,
    /// The number under which the newest frame is logged, and its server time.
    newest_logged: Option<(u32, f32)>,
    /// The entity at which the next frame begins.
    resume: u32,
    stats: Box<[StatValue; 256]>,
    /// The values before their last change.
    stats_before: Box<[StatValue; 256]>,
    pending_stats: [u64; 4],
    /// Those of them that a loss put there.
    lost_stats: [u64; 4],
    overflows: u32,
    /// Frames begun.
    frames: u32,
    /// Some frame was full.
    was_full: bool,
}

/// How much of what was pending an update message took.
enum Wrote {
    /// All of it.
    All,
    /// What there was room for.
    UntilFull,
    /// As many entries as one message has; the next entity is to be in another.
    Enough { next: u32 },
}

/// How a message begins.
#[derive(Clone, Copy, Debug)]
pub struct FrameStart {
    /// The newest applied movement sequence, where the message carries it.
    pub movement_ack: Option<u16>,
    /// Server time, in seconds.
    pub server_time: f32,
}

impl DeltaSender {
    /// For a client that holds nothing. `gate` has the negotiated dialect (see [`delta`]).
    pub fn new(rules: Rules, gate: u64) -> Self {
        DeltaSender {
            rules,
            gate,
            pending: PendingFlags::default(),
            known: EntityList::default(),
            before: EntityList::default(),
            remove_all: true,
            logs: vec![FrameLog::default(); rules.log_frames],
            newest_sent: None,
            newest_acked: None,
            newest_logged: None,
            resume: 0,
            stats: Box::new([StatValue::Int(0); 256]),
            stats_before: Box::new([StatValue::Int(0); 256]),
            pending_stats: [0; 4],
            lost_stats: [0; 4],
            overflows: 0,
            frames: 0,
            was_full: false,
        }
    }

    /// The dialect of a new map.
    pub fn set_gate(&mut self, gate: u64) {
        self.gate = gate;
    }

    /// How often history ran out of places.
    pub fn overflows(&self) -> u32 {
        self.overflows
    }

    /// The client acknowledges `sequence`, or asks for a reset with [`ACK_RESET`].
    ///
    /// Frames before it that were not acknowledged are lost. An acknowledgement that is stale, or of a frame that was
    /// never sent, changes nothing.
    pub fn acknowledge(&mut self, sequence: u32) {
        if sequence == ACK_RESET {
            return self.start_over();
        }
        if self.newest_sent.is_none_or(|sent| sequence > sent) || self.newest_acked >= Some(sequence) {
            return;
        }
        let skipped = self.skipped(self.newest_acked.map_or(0, |newest| newest + 1), sequence);
        self.newest_acked = Some(sequence);
        for index in 0..self.logs.len() {
            if self.logs[index].sequence == sequence {
                self.logs[index].open = false;
            } else if self.is_lost(index, &skipped) {
                self.fold(index);
            }
        }
    }

    /// Of the numbers from `first` to before `acked`, those that are looked at.
    fn skipped(&self, first: u32, acked: u32) -> Range<u32> {
        match self.rules.skipped {
            Skipped::All => first..acked,
            Skipped::Oldest(count) => first..acked.min(first.saturating_add(count)),
            Skipped::Newest(count) => first.max(acked.saturating_sub(count))..acked,
        }
    }

    /// Whether the frame logged at `index` is lost, now that the `skipped` are known not to be acknowledged.
    fn is_lost(&self, index: usize, skipped: &Range<u32>) -> bool {
        let log = &self.logs[index];
        match self.rules.log_lookup {
            LogLookup::Place => {
                let places = self.logs.len();
                let ahead = (index + places - skipped.start as usize % places) % places;
                ahead < skipped.len()
            }
            LogLookup::Number => log.open && skipped.contains(&log.sequence),
        }
    }

    /// Forgets what the client has: the next frame discards everything and sends every entity as new.
    pub fn start_over(&mut self) {
        self.remove_all = true;
        for index in 0..self.logs.len() {
            // A statistic is not an entity: the client keeps it, and what was lost is still owed.
            if self.logs[index].open && self.rules.stat_log != StatLog::UntilStartOver {
                self.fold_stats(index);
            }
            self.logs[index].open = false;
        }
    }

    /// A lost frame: what it carried is pending again.
    fn fold(&mut self, index: usize) {
        self.logs[index].open = false;
        self.remove_all |= self.logs[index].remove_all;
        for at in 0..self.logs[index].entries.len() {
            let (mut entity, mut flags) = self.logs[index].entries[at];
            if self.rules.liberties.fold == Fold::Unsuperseded {
                flags &= !self.carried_since(self.logs[index].sequence, entity);
            }
            match (self.rules.folding, self.logs[index].entries.get(at + 1)) {
                (Folding::AllButFirst, _) if at == 0 => flags = 0,
                (Folding::OffByOne, Some(&(next, _))) => entity = next,
                (Folding::OffByOne, None) => flags = 0,
                _ => {}
            }
            match self.rules.folding {
                _ if flags == 0 => {}
                Folding::Replace => self.pending.set(entity, flags | FOLDED),
                _ => self.pending.add(entity, flags | FOLDED),
            }
        }
        self.fold_stats(index);
    }

    /// What newer frames than `sequence` carry of an entity that may still arrive, or are known to have.
    fn carried_since(&self, sequence: u32, entity: u32) -> u32 {
        let counts = |log: &&FrameLog| log.open || Some(log.sequence) == self.newest_acked;
        let newer = self.logs.iter().filter(|log| log.sequence > sequence).filter(counts);
        let entries = newer.flat_map(|log| {
            let entry = log.entries.iter().find(|entry| entry.0 == entity);
            entry.map(|entry| entry.1).into_iter().chain(log.remove_all.then_some(REMOVE))
        });
        entries.fold(0, |carried, flags| carried | if flags & (RESET | REMOVE) != 0 { u32::MAX } else { flags })
    }

    /// Compares the world that this client sees with the last frame: what changed is pending.
    /// `sequence` is the number of the frame to come.
    pub fn begin_frame(&mut self, sequence: u32, visible: &EntityList) {
        let liberties = self.rules.liberties;
        self.frames = self.frames.wrapping_add(1);
        // Not where everything takes several frames: the client would never have all of it at once.
        if due(self.frames, liberties.start_over_every) && !self.was_full {
            self.start_over();
        }
        self.make_room(sequence);
        if self.rules.zero == Zero::Nothing && self.newest_acked.is_none_or(|newest| newest == 0) {
            self.start_over();
        }
        if self.rules.resend == Resend::Previous {
            self.before.copy_from(&self.known);
        }
        if self.remove_all && self.rules.start_over == StartOver::Everything {
            self.known.clear();
            self.pending.clear();
            self.resume = 0;
        }
        if liberties.removes == Removes::AndUnknown && due(self.frames, 8) {
            let above = visible.numbers().last().map_or(1, |last| last + 1);
            self.pending.add(above.min(MAX_ENTITY), if above <= MAX_ENTITY { REMOVE } else { 0 });
        }
        let (mut old, mut new) = (0, 0);
        loop {
            match (self.known.at(old), visible.at(new)) {
                (Some((gone, _)), after) if after.is_none_or(|(number, _)| gone < number) => {
                    self.pending.set(gone, REMOVE);
                    old += 1;
                }
                (before, Some((number, _))) if before.is_none_or(|(old, _)| number < old) => {
                    self.pending.set(number, RESET);
                    new += 1;
                }
                (Some((number, from)), Some((_, to))) => {
                    let changed = delta::diff(self.rules.table, from, to, self.gate) as u32;
                    let pending = self.pending.get(number);
                    if pending & REMOVE != 0 {
                        // The remove of a former occupant was lost: the client may still hold it.
                        match self.rules.returned {
                            Returned::Reset => self.pending.set(number, RESET),
                            Returned::Remove => {}
                            Returned::RemoveThenReset => self.pending.set(number, REMOVE | RESET),
                        }
                    } else if changed != 0 {
                        self.pending.set(number, pending | changed);
                    }
                    (old, new) = (old + 1, new + 1);
                }
                _ => break,
            }
        }
        self.known.copy_from(visible);
        if self.rules.mentions == Mentions::OneMore && !visible.is_empty() {
            let turn = visible.numbers()[sequence as usize % visible.len()];
            self.pending.add(turn, MENTION);
        }
        self.take_liberties();
    }

    /// Makes pending what need not be sent, and may.
    fn take_liberties(&mut self) {
        let liberties = self.rules.liberties;
        if liberties.forced != 0 {
            for (number, _) in self.known.iter().filter(|(_, entity)| entity.has_movement()) {
                self.pending.add(number, liberties.forced);
            }
        }
        let count = self.known.len().max(1);
        if due(self.frames, liberties.reset_every) {
            let turn = (self.frames / liberties.reset_every) as usize % count;
            if let Some((number, _)) = self.known.at(turn) {
                self.pending.add(number, RESET);
            }
        }
        if liberties.begins == Begins::Anywhere && self.resume == 0 && !self.remove_all {
            self.resume = self.known.at(self.frames as usize % count).map_or(0, |(number, _)| number);
        }
    }

    /// Whether the client is known to have everything that it should have of the `visible`.
    pub fn is_done(&self, visible: &EntityList) -> bool {
        !self.remove_all
            && self.pending_stats == [0; 4]
            && !self.has_more()
            && self.logs.iter().all(|log| !log.open)
            && self.known == *visible
    }

    /// Sees to it that the log of `sequence` has a place.
    fn make_room(&mut self, sequence: u32) {
        let index = sequence as usize % self.logs.len();
        if !self.logs[index].open || self.logs[index].sequence == sequence {
            return;
        }
        self.overflows += 1;
        match self.rules.overflow {
            Overflow::StartOver => self.start_over(),
            Overflow::Fold => self.fold(index),
            Overflow::Forget => self.logs[index].open = false,
        }
    }

    /// Whether the last frame could not carry all that was pending.
    pub fn has_more(&self) -> bool {
        let mut from = 0;
        while let Some((entity, flags)) = self.pending.next(from) {
            if flags & !PASSIVE != 0 {
                return true;
            }
            from = entity + 1;
        }
        false
    }

    /// Writes the statistics and the update message of frame `sequence`, which [`DeltaSender::begin_frame`] began, and
    /// logs what was written. The output never grows beyond `limit` bytes.
    ///
    /// `write_stat` writes one statistic in the transport's form, in at most 6 bytes.
    pub fn write_frame(
        &mut self,
        sequence: u32,
        start: FrameStart,
        baselines: &EntityList,
        limit: usize,
        w: &mut Writer<'_>,
        write_stat: impl Fn(&mut Writer<'_>, u8, StatValue),
    ) {
        self.newest_sent = Some(sequence);
        let index = self.open_log(sequence, start.server_time);
        let begin = w.len();

        let liberties = self.rules.liberties;
        let whole = limit;
        let mut limit = limit.saturating_sub(liberties.reserve_bytes);
        match liberties.stats_place {
            StatsPlace::Before => self.write_stats(index, limit, w, &write_stat),
            StatsPlace::Behind => {
                let waiting: u32 = self.pending_stats.iter().map(|word| word.count_ones()).sum();
                limit -= (waiting.min(8) as usize * STAT_BYTES + 16).min(limit / 2);
            }
        }

        let first = self.resume;
        write_start(w, start);
        if self.remove_all {
            self.remove_all = false;
            self.logs[index].remove_all = self.rules.logged.first & REMOVE_ALL != 0;
            delta::write_index(w, 0, true);
        }
        let mut full = self.write_messages(index, first..u32::MAX, start, baselines, limit, w);
        if self.rules.raise_once != 0 {
            self.raise_once(index, w);
        }
        w.u16("end", 0);
        // Entities below the starting point follow in a message of their own: numbers ascend within a message.
        let header = 1 + usize::from(start.movement_ack.is_some()) * 2 + 4 + END_BYTES;
        let waiting = self.pending.next(0).is_some_and(|(entity, _)| entity < first);
        let wraps = self.rules.after_full != AfterFull::NeverWrap;
        if !full && waiting && wraps && w.len() + header < limit {
            let mark = w.len();
            write_start(w, start);
            let empty = w.len();
            full = self.write_messages(index, 0..first, start, baselines, limit, w);
            if w.len() == empty {
                w.truncate(mark);
            } else {
                w.u16("end", 0);
            }
        }
        self.was_full |= full;
        if full && self.rules.fit == Fit::Discard {
            w.truncate(begin);
        }
        match self.rules.after_full {
            AfterFull::Continue if full => {}
            AfterFull::Continue | AfterFull::Restart => self.resume = 0,
            AfterFull::NeverWrap => {}
        }
        if liberties.stats_place == StatsPlace::Behind {
            self.write_stats(index, whole, w, &write_stat);
        }
    }

    /// Makes the log of frame `sequence`, and returns its place. Frames that share a log add to it.
    fn open_log(&mut self, sequence: u32, server_time: f32) -> usize {
        let number = match (self.rules.log_number, self.newest_logged) {
            (LogNumber::Own, _) | (_, None) => sequence,
            (LogNumber::Before, _) => sequence.saturating_sub(1),
            (LogNumber::FirstOfTick, Some((first, at))) if at == server_time => first,
            (LogNumber::FirstOfTick, _) => sequence,
            (LogNumber::Count, Some((newest, _))) => newest + 1,
        };
        self.newest_logged = Some((number, server_time));
        let index = number as usize % self.logs.len();
        let log = &mut self.logs[index];
        if log.sequence != number || !log.open {
            log.sequence = number;
            log.open = true;
            log.remove_all = false;
            log.entries.clear();
            log.stats = [0; 4];
        }
        index
    }

    /// Raises the flags of [`Rules::raise_once`] in an update without fields, when the client has acknowledged frames and
    /// this one is empty otherwise.
    fn raise_once(&mut self, index: usize, w: &mut Writer<'_>) {
        let newest = self.known.numbers().last();
        let idle = self.logs[index].entries.is_empty() && !self.logs[index].remove_all && !self.has_more();
        if let (Some(&number), true, true) = (newest, idle, self.newest_acked.is_some()) {
            delta::write_index(w, number, false);
            delta::write_flags(w, std::mem::take(&mut self.rules.raise_once));
        }
    }

    /// Writes what is pending for the entities in `range` into the message that has begun, and into as many others as
    /// the rules want; the last is not ended. Whether something did not fit.
    fn write_messages(
        &mut self,
        index: usize,
        mut range: std::ops::Range<u32>,
        start: FrameStart,
        baselines: &EntityList,
        limit: usize,
        w: &mut Writer<'_>,
    ) -> bool {
        const LONGEST_START: usize = 7;
        loop {
            match self.write_entries(index, range.clone(), baselines, limit, w) {
                Wrote::All => return false,
                Wrote::UntilFull => return true,
                Wrote::Enough { next } if w.len() + LONGEST_START + 2 * END_BYTES > limit => {
                    self.resume = next;
                    return true;
                }
                Wrote::Enough { next } => {
                    w.u16("end", 0);
                    write_start(w, start);
                    range.start = next;
                }
            }
        }
    }

    /// Writes what is pending for the entities in `range`, ascending, into one message.
    fn write_entries(
        &mut self,
        index: usize,
        range: Range<u32>,
        baselines: &EntityList,
        limit: usize,
        w: &mut Writer<'_>,
    ) -> Wrote {
        let liberties = self.rules.liberties;
        let before = self.logs[index].entries.len();
        let (mut from, forms) = (range.start, self.rules.forms);
        while let Some((number, pending)) = self.pending.next(from).filter(|(number, _)| range.contains(number)) {
            from = number + 1;
            if pending & !PASSIVE == 0 {
                continue;
            }
            let written = self.logs[index].entries.len();
            if written - before >= liberties.entries_per_message {
                return Wrote::Enough { next: number };
            }
            if written >= liberties.entries_per_datagram {
                self.resume = number;
                return Wrote::UntilFull;
            }
            let mark = w.len();
            if let Fit::Reserve(bytes) = self.rules.fit
                && mark + bytes > limit
            {
                self.resume = number;
                return Wrote::UntilFull;
            }
            let (sent, left) = if pending & REMOVE != 0 {
                delta::write_index_as(w, forms, number, true);
                let again = liberties.removes == Removes::Twice && pending & REMOVE_AGAIN == 0;
                let left = if again { REMOVE | REMOVE_AGAIN } else { 0 };
                (REMOVE, if self.rules.returned == Returned::RemoveThenReset { pending & RESET } else { left })
            } else {
                let Some(current) = self.known.get(number) else {
                    // Gone, and its remove was acknowledged: what was lost before it does not matter any more.
                    self.pending.set(number, 0);
                    continue;
                };
                let entity = match self.rules.resend {
                    Resend::Previous if pending & FOLDED != 0 => self.before.get(number).unwrap_or(current),
                    _ => current,
                };
                let (flags, left) = self.flags_to_send(pending, entity, baselines.get(number));
                delta::write_index_as(w, forms, number, false);
                delta::write_delta_as(w, forms, self.rules.table, flags, entity, self.gate);
                (flags as u32, left)
            };
            if w.len() + END_BYTES > limit && !matches!(self.rules.fit, Fit::Reserve(_)) {
                w.truncate(mark);
                self.pending.set(number, pending & self.rules.backed_out);
                self.resume = number;
                return Wrote::UntilFull;
            }
            let logged = match pending {
                _ if pending & FOLDED != 0 => self.rules.logged.repair,
                _ if sent & RESET != 0 && pending & RESET == 0 => self.rules.logged.second_reset,
                _ => self.rules.logged.first,
            };
            let entries = &mut self.logs[index].entries;
            if entries.len() < self.rules.log_entries {
                entries.push((number & self.rules.logged_numbers, sent & logged));
            }
            self.pending.set(number, left);
        }
        Wrote::All
    }

    /// The flags to send for what is pending, and what stays pending when they are sent.
    fn flags_to_send(&self, pending: u32, entity: &Entity, baseline: Option<&Entity>) -> (u64, u32) {
        let (mut flags, left) = if pending & (RESET | RESET_AGAIN) != 0 {
            let baseline = baseline.unwrap_or(&Entity::NULL);
            let differing = match self.rules.reset_fields {
                ResetFields::Differing => delta::diff(self.rules.table, baseline, entity, self.gate),
                ResetFields::All => UF_FIELDS,
            };
            let left = match (pending & RESET != 0, self.rules.reset_copies) {
                (_, u8::MAX) => RESET_AGAIN,
                (true, 0 | 1) => 0,
                (true, 2) => RESET_AGAIN,
                (true, _) => RESET_AGAIN | RESET_THRICE,
                (false, _) if pending & RESET_THRICE != 0 => RESET_AGAIN,
                (false, _) => 0,
            };
            (differing | UF_RESET, left)
        } else {
            (u64::from(pending) & UF_FIELDS, 0)
        };
        flags |= u64::from(self.rules.liberties.repeated) & UF_FIELDS;
        // An update without a pred block would stop the player (erratum E17).
        if entity.has_movement() {
            flags |= UF_PREDINFO;
        }
        (flags, left)
    }
}

fn write_start(w: &mut Writer<'_>, start: FrameStart) {
    w.u8("svc", SVC_UPDATEENTITIES);
    if let Some(ack) = start.movement_ack {
        w.u16(MOVEMENT_SEQUENCE, ack);
    }
    w.f32(SERVER_TIME, start.server_time);
}
