//! What a server knows of one client's entities, and how it makes the next update.
//!
//! Per client there is the state of the previous frame (to find changes), what is pending (what must be sent), and a log
//! per frame in flight (what was sent, in [`history`]). A frame that is not acknowledged while a later one is, is lost:
//! its log is folded back into what is pending, and that is sent with its present value.
//!
//! Source: "The information is sent in the unreliable channel" and the paragraphs after it. Functions outside of
//! [`DeltaSender`] are those that [`rules`] names.

pub mod history;
mod optional;
pub mod rules;
mod statistic;

use crate::constants::field_names::*;
use crate::constants::*;
use crate::delta::{self, UF_FIELDS};
use crate::latitude::{Mentions, Removes, ResetFields, StatsPlace, due};
use crate::pending::{self, Pending, PendingList, RESET};
use crate::state::{Entity, EntityList, UF_PREDINFO, UF_RESET};
use history::{Carried, FrameLog};
use kit::{StatValue, Writer};
use rules::Rules;
use std::ops::Range;

/// The end marker of an update message, for which room is always kept.
const END_BYTES: usize = 2;
/// The longest statistic message: service byte, number, long.
const STAT_BYTES: usize = 6;
/// The longest beginning of an update message.
const START_BYTES: usize = 7;

/// The server's side of one client's replacement deltas.
#[derive(Clone, Debug)]
pub struct DeltaSender {
    pub(crate) rules: Rules,
    pub(crate) gate: u64,
    pub(crate) pending: PendingList,
    /// The entities as of the last frame.
    pub(crate) known: EntityList,
    /// Everything is to be removed.
    pub(crate) remove_all: bool,
    pub(crate) logs: Vec<FrameLog>,
    pub(crate) newest_sent: Option<u32>,
    pub(crate) newest_acked: Option<u32>,
    /// The entity at which the next frame begins.
    pub(crate) resume: u32,
    stats: Box<[StatValue; 256]>,
    pending_stats: [u64; 4],
    /// Frames begun.
    pub(crate) frames: u32,
    /// Some frame was full.
    was_full: bool,
}

/// How much of what was pending an update message took.
enum Wrote {
    All,
    /// What there was room for.
    UntilFull,
    /// As many entries as one message has; the next entity is to be in another.
    Enough {
        next: u32,
    },
}

/// How a message begins.
#[derive(Clone, Copy, Debug)]
pub struct FrameStart {
    /// The newest applied movement sequence, where the message carries it.
    pub movement_ack: Option<u16>,
    /// Server time, in seconds.
    pub server_time: f32,
}

impl FrameStart {
    fn write(self, w: &mut Writer<'_>) {
        w.u8("svc", SVC_UPDATEENTITIES);
        if let Some(ack) = self.movement_ack {
            w.u16(MOVEMENT_SEQUENCE, ack);
        }
        w.f32(SERVER_TIME, self.server_time);
    }
}

/// The frame being written, as all its messages need it.
struct Frame<'a> {
    /// Where its log is.
    log: usize,
    start: FrameStart,
    baselines: &'a EntityList,
    /// Most bytes of the output.
    limit: usize,
}

/// Compares the world that this client sees with the last frame: what changed is pending.
pub(crate) fn compare(sender: &mut DeltaSender, visible: &EntityList) {
    let (mut old, mut new) = (0, 0);
    let DeltaSender { known, pending, rules, gate, .. } = sender;
    loop {
        match (known.at(old), visible.at(new)) {
            (Some((gone, _)), after) if after.is_none_or(|(number, _)| gone < number) => {
                pending.set(gone, Pending::GONE); // FTE-RMV-01, FTE-RMV-12
                old += 1;
            }
            (before, Some((number, _))) if before.is_none_or(|(old, _)| number < old) => {
                pending.set(number, Pending::NEW); // FTE-RST-02, FTE-RST-08
                new += 1;
            }
            (Some((number, from)), Some((_, to))) => {
                let held = pending.get(number);
                if held.has(pending::REMOVE) {
                    // The remove of a former occupant was lost: the client may still hold it.
                    pending.set(number, Pending::NEW); // FTE-RMV-06
                } else if from != to {
                    let changed = delta::diff(rules.table, from, to, *gate) as u32; // FTE-DLT-39, FTE-RST-09
                    pending.set(number, held.and(Pending::flags(changed)));
                }
                (old, new) = (old + 1, new + 1);
            }
            _ => break,
        }
    }
    known.copy_from(visible);
}

/// The client holds nothing any more: every entity is new to it.
pub(crate) fn forget(sender: &mut DeltaSender) {
    sender.known.clear(); // FTE-RMV-09
    sender.pending.clear();
    sender.resume = 0;
}

/// A new map, in the dialect of `gate`: nothing of the old one holds.
pub(crate) fn begin_map(sender: &mut DeltaSender, gate: u64) {
    *sender = DeltaSender::new(sender.rules, gate);
}

/// Whether an entry of the output's `bytes` leaves room for the end marker. One that does not is taken out again, and
/// stays pending as it was.
pub(crate) fn fits(_: &mut Pending, bytes: Range<usize>, limit: usize) -> bool {
    // FTE-OVF-02
    bytes.end + END_BYTES <= limit
}

/// The state to which RESET puts an entity back that was given a baseline, or none.
pub(crate) fn reset_base(baseline: Option<&Entity>) -> &Entity {
    baseline.unwrap_or(&Entity::NULL)
}

/// The entity at which the frame begins that follows one which came as far as `reached`.
pub(crate) fn resume(reached: u32, full: bool) -> u32 {
    // FTE-OVF-07
    if full { reached } else { 0 }
}

impl DeltaSender {
    /// For a client that holds nothing. `gate` has the negotiated dialect (see [`delta`]).
    pub fn new(rules: Rules, gate: u64) -> Self {
        DeltaSender {
            rules,
            gate,
            pending: PendingList::default(),
            known: EntityList::default(),
            remove_all: true,
            logs: vec![FrameLog::default(); rules.latitude.log_frames],
            newest_sent: None,
            newest_acked: None,
            resume: 0,
            stats: Box::new([StatValue::Int(0); 256]),
            pending_stats: [0; 4],
            frames: 0,
            was_full: false,
        }
    }

    /// Finds out what frame `sequence` is to carry to a client that sees what is `visible`.
    pub fn begin_frame(&mut self, sequence: u32, visible: &EntityList) {
        let latitude = self.rules.latitude;
        self.frames = self.frames.wrapping_add(1);
        // Not where everything takes several frames: the client would never have all of it at once.
        if due(self.frames, latitude.start_over_every) && !self.was_full {
            self.start_over();
        }
        (self.rules.make_room)(self, sequence);
        if self.remove_all {
            (self.rules.forget)(self);
        }
        if latitude.removes == Removes::AndUnknown && due(self.frames, 8) {
            let above = visible.numbers().last().map_or(1, |last| last + 1);
            self.pending.add(above, Pending::GONE);
        }
        (self.rules.compare)(self, visible);
        if latitude.mentions == Mentions::OneMore && !visible.is_empty() {
            let turn = visible.numbers()[sequence as usize % visible.len()];
            self.pending.add(turn, Pending { wire: 0, state: pending::MENTION });
        }
        self.take_latitude();
    }

    /// Whether the client is known to have everything that it should have of the `visible`.
    pub fn is_done(&self, visible: &EntityList) -> bool {
        !self.remove_all
            && self.pending_stats == [0; 4]
            && !self.has_more()
            && self.logs.iter().all(|log| !log.open)
            && self.known == *visible
    }

    /// Whether the last frame could not carry all that was pending.
    pub fn has_more(&self) -> bool {
        let mut from = 0;
        while let Some((entity, pending)) = self.pending.next(from) {
            if pending.is_due() {
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
        let log = self.open_log(sequence);
        self.newest_sent = Some(sequence);
        let latitude = self.rules.latitude;
        let mut frame = Frame { log, start, baselines, limit: limit.saturating_sub(latitude.reserve_bytes) };
        match latitude.stats_place {
            StatsPlace::Before => self.write_stats(log, frame.limit, w, &write_stat),
            StatsPlace::After => {
                let waiting: u32 = self.pending_stats.iter().map(|word| word.count_ones()).sum();
                frame.limit -= (waiting.min(8) as usize * STAT_BYTES + 16).min(frame.limit / 2);
            }
        }
        self.write_update(&frame, w);
        if latitude.stats_place == StatsPlace::After {
            self.write_stats(log, limit, w, &write_stat);
        }
    }

    /// Writes the update message, and a second one where that did not begin at the lowest entity.
    fn write_update(&mut self, frame: &Frame<'_>, w: &mut Writer<'_>) {
        let first = self.resume;
        frame.start.write(w);
        if std::mem::take(&mut self.remove_all) {
            delta::write_index(w, 0, true); // FTE-RMV-11
            let (pending, left) = (Pending::NOTHING, Pending::NOTHING);
            (self.rules.log)(self, &Carried { log: frame.log, entity: 0, pending, sent: Pending::GONE, left });
        }
        let mut full = self.write_messages(frame, first..u32::MAX, w);
        if self.rules.latitude.raise_once != 0 {
            self.raise_once(frame.log, w);
        }
        w.u16("end", 0); // FTE-OVF-04
        // Entities below the starting point follow in a message of their own: numbers ascend within a message.
        let header = 1 + usize::from(frame.start.movement_ack.is_some()) * 2 + 4 + END_BYTES;
        let waiting = self.pending.next(0).is_some_and(|(entity, _)| entity < first);
        let wraps = waiting && !full && (self.rules.resume)(first, full) < first;
        if wraps && w.len() + header < frame.limit {
            let mark = w.len();
            frame.start.write(w);
            let empty = w.len();
            full = self.write_messages(frame, 0..first, w);
            if w.len() == empty {
                w.truncate(mark);
            } else {
                w.u16("end", 0);
            }
        }
        self.was_full |= full;
        self.resume = (self.rules.resume)(self.resume, full);
    }

    /// Writes what is pending for the entities in `range` into the message that has begun, and into as many others as
    /// it takes; the last is not ended. Whether something did not fit.
    fn write_messages(&mut self, frame: &Frame<'_>, mut range: Range<u32>, w: &mut Writer<'_>) -> bool {
        loop {
            match self.write_entries(frame, range.clone(), w) {
                Wrote::All => return false,
                Wrote::UntilFull => return true,
                Wrote::Enough { next } if w.len() + START_BYTES + 2 * END_BYTES > frame.limit => {
                    self.resume = next;
                    return true;
                }
                Wrote::Enough { next } => {
                    w.u16("end", 0);
                    frame.start.write(w);
                    range.start = next;
                }
            }
        }
    }

    /// Writes what is pending for the entities in `range`, ascending, into one message.
    fn write_entries(&mut self, frame: &Frame<'_>, range: Range<u32>, w: &mut Writer<'_>) -> Wrote {
        let latitude = self.rules.latitude;
        let before = self.logs[frame.log].entries.len();
        let mut from = range.start;
        while let Some((entity, pending)) = self.pending.next(from).filter(|(number, _)| range.contains(number)) {
            from = entity + 1;
            if !pending.is_due() {
                continue;
            }
            let written = self.logs[frame.log].entries.len();
            if written - before >= latitude.entries_per_message {
                return Wrote::Enough { next: entity };
            }
            if written >= latitude.entries_per_datagram {
                self.resume = entity;
                return Wrote::UntilFull;
            }
            let mark = w.len();
            // FTE-RMV-07
            let Some((sent, left)) = self.write_entry(entity, pending, frame.baselines, w) else {
                // Gone, and its remove was acknowledged: what was lost before it does not matter any more.
                self.pending.set(entity, Pending::NOTHING);
                continue;
            };
            let mut kept = pending;
            if !(self.rules.fits)(&mut kept, mark..w.len(), frame.limit) {
                w.truncate(mark); // FTE-HIST-10
                self.pending.set(entity, kept); // FTE-OVF-01, FTE-OVF-05, FTE-OVF-06
                self.resume = entity;
                return Wrote::UntilFull;
            }
            (self.rules.log)(self, &Carried { log: frame.log, entity, pending, sent, left });
        }
        Wrote::All
    }

    /// Writes a remove or an update: what it carries, and what stays pending. `None` for an update of no entity.
    fn write_entry(
        &self,
        number: u32,
        pending: Pending,
        baselines: &EntityList,
        w: &mut Writer<'_>,
    ) -> Option<(Pending, Pending)> {
        let latitude = &self.rules.latitude;
        if pending.has(pending::REMOVE) {
            delta::write_index_as(w, latitude.forms, number, true);
            let again = latitude.removes == Removes::Twice && !pending.has(pending::REMOVE_AGAIN);
            let state = if again { pending::REMOVE | pending::REMOVE_AGAIN } else { 0 };
            return Some((Pending::GONE, Pending { wire: 0, state }));
        }
        let entity = self.known.get(number)?; // FTE-DLT-37
        let (flags, state) = self.flags_to_send(pending, entity, baselines.get(number));
        delta::write_index_as(w, latitude.forms, number, false);
        delta::write_delta_as(w, latitude.forms, self.rules.table, flags, entity, self.gate);
        Some((Pending::flags(flags as u32), Pending { wire: 0, state }))
    }

    /// The flags to send for what is pending, and the state that stays pending when they are sent.
    fn flags_to_send(&self, pending: Pending, entity: &Entity, baseline: Option<&Entity>) -> (u64, u8) {
        let latitude = &self.rules.latitude;
        let is_new = pending.wire & RESET != 0;
        let (mut flags, left) = if is_new || pending.has(pending::RESET_AGAIN) {
            let baseline = (self.rules.reset_base)(baseline);
            let fields = match latitude.reset_fields {
                ResetFields::Differing => delta::diff(self.rules.table, baseline, entity, self.gate), // FTE-RST-04
                ResetFields::All => UF_FIELDS,
            };
            let left = match (is_new, latitude.reset_copies) {
                (_, u8::MAX) => pending::RESET_AGAIN,
                (true, 0 | 1) => 0,
                (true, 2) => pending::RESET_AGAIN,
                (true, _) => pending::RESET_AGAIN | pending::RESET_THRICE,
                (false, _) if pending.has(pending::RESET_THRICE) => pending::RESET_AGAIN,
                (false, _) => 0,
            };
            (fields | UF_RESET, left)
        } else {
            (u64::from(pending.wire), 0)
        };
        flags |= u64::from(latitude.repeated) & UF_FIELDS;
        // An update without a pred block would stop the player (erratum E17).
        if entity.has_movement() {
            flags |= UF_PREDINFO;
        }
        (flags, left)
    }
}
