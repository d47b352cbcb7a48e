//! What became of the frames sent: their logs, acknowledgements, and losses.

use super::*;

/// One frame in flight: what it carried.
#[derive(Clone, Debug, Default)]
pub struct FrameLog {
    /// The number under which it is found.
    pub(crate) sequence: u32,
    /// Whether the frame's fate is undecided.
    pub(crate) open: bool,
    /// What it carried, by entity; of entity 0 the remove of everything.
    pub(crate) entries: Vec<(u32, Pending)>,
    /// The statistics that it carried, a bit each.
    pub(crate) stats: [u64; 4],
    /// Newer frames that were acknowledged while its own fate was undecided.
    pub(crate) newer_acked: u8,
}

/// What a frame carries of an entity.
#[derive(Clone, Copy, Debug)]
pub struct Carried {
    /// The place of the frame's log.
    pub(crate) log: usize,
    /// The entity; 0 for all of them.
    pub(crate) entity: u32,
    pub(crate) pending: Pending,
    pub(crate) sent: Pending,
    /// What stays pending.
    pub(crate) left: Pending,
}

/// The number under which the frame of datagram `sequence` is logged.
pub(crate) fn log_number(_: &DeltaSender, sequence: u32) -> u32 {
    // FTE-HIST-08
    sequence
}

/// Logs what a frame carries of an entity.
pub(crate) fn log(sender: &mut DeltaSender, carried: &Carried) {
    // FTE-HIST-01, FTE-HIST-05, FTE-HIST-11, FTE-HIST-13
    sender.logs[carried.log].entries.push((carried.entity, carried.sent));
    sender.pending.set(carried.entity, carried.left); // FTE-HIST-04
}

/// Takes the frames in flight that are numbered `skipped` for lost.
pub(crate) fn skip(sender: &mut DeltaSender, skipped: Range<u32>) {
    for index in 0..sender.logs.len() {
        // FTE-ACK-09, FTE-HIST-03
        if sender.logs[index].open && skipped.contains(&sender.logs[index].sequence) {
            sender.lose(index);
        }
    }
}

/// What the lost frame logged at `index` carried is pending again.
pub(crate) fn fold(sender: &mut DeltaSender, index: usize) {
    for at in 0..sender.logs[index].entries.len() {
        let (entity, carried) = sender.logs[index].entries[at];
        sender.fold_entry(entity, carried);
    }
    sender.fold_stats(index);
}

/// Sees to it that the log of frame `sequence` has a place: a server that cannot track what its client has starts over
/// (erratum E6).
pub(crate) fn make_room(sender: &mut DeltaSender, sequence: u32) {
    if sender.occupied(sequence).is_some() {
        sender.start_over(); // FTE-HIST-06
    }
}

/// Makes room for the log of frame `sequence` by folding back the frame in flight that has its place, which is as
/// correct (erratum E6).
pub fn fold_oldest(sender: &mut DeltaSender, sequence: u32) {
    if let Some(oldest) = sender.occupied(sequence) {
        sender.lose(oldest);
    }
}

impl DeltaSender {
    /// The client acknowledges `sequence`, or asks for a reset with [`ACK_RESET`].
    ///
    /// Frames before it that were not acknowledged are lost. An acknowledgement that is stale, or of a frame that was
    /// never sent, changes nothing.
    pub fn acknowledge(&mut self, sequence: u32) {
        if sequence == ACK_RESET {
            return self.start_over(); // FTE-ACK-16
        }
        // FTE-ACK-18
        if self.newest_sent.is_none_or(|sent| sequence > sent) || self.newest_acked >= Some(sequence) {
            return;
        }
        let skipped = self.newest_acked.map_or(0, |newest| newest + 1)..sequence; // FTE-ACK-10, FTE-ACK-19
        self.newest_acked = Some(sequence);
        if let Some(log) = self.logs.iter_mut().find(|log| log.sequence == sequence) {
            log.open = false;
        }
        (self.rules.skip)(self, skipped);
    }

    /// Forgets what the client has: the next frame discards everything and sends every entity as new.
    pub fn start_over(&mut self) {
        self.remove_all = true;
        for index in 0..self.logs.len() {
            // A statistic is not an entity: the client keeps it, and what was lost must still be sent.
            if std::mem::take(&mut self.logs[index].open) {
                self.fold_stats(index);
            }
        }
    }

    /// The frame logged at `index` is lost.
    pub(crate) fn lose(&mut self, index: usize) {
        self.logs[index].open = false;
        (self.rules.fold)(self, index);
    }

    /// What a lost frame carried of an entity is pending again.
    pub(crate) fn fold_entry(&mut self, entity: u32, carried: Pending) {
        if entity == 0 {
            self.remove_all |= carried.has(pending::REMOVE); // FTE-RMV-10
        } else if carried != Pending::NOTHING {
            // FTE-HIST-02, FTE-RMV-05, FTE-RST-07
            self.pending.add(entity, carried.and(Pending { wire: 0, state: pending::LOST }));
        }
    }

    /// Where frame `number` is to be logged: beside others of its number, in its own place, in any that is free, or in that
    /// of the oldest frame. A QuakeWorld client that sends faster than its server makes numbers that leave out places.
    fn place(&self, number: u32) -> usize {
        let own = number as usize % self.logs.len();
        let free = |log: &FrameLog| !log.open;
        if free(&self.logs[own]) || self.logs[own].sequence == number {
            return own; // FTE-HIST-07
        }
        let find = |fits: &dyn Fn(&FrameLog) -> bool| self.logs.iter().position(fits);
        let oldest = || (0..self.logs.len()).min_by_key(|&index| self.logs[index].sequence);
        find(&|log| log.open && log.sequence == number).or_else(|| find(&free)).or_else(oldest).unwrap_or(own)
    }

    /// The place of the frame in flight that stands where frame `sequence` is to be logged.
    pub(crate) fn occupied(&self, sequence: u32) -> Option<usize> {
        let index = self.place(sequence);
        let log = &self.logs[index];
        (log.open && log.sequence != sequence).then_some(index)
    }

    /// Makes the log of frame `sequence`, and returns its place. Frames that share a log add to it.
    pub(super) fn open_log(&mut self, sequence: u32) -> usize {
        let number = (self.rules.log_number)(self, sequence); // FTE-HIST-09
        let index = self.place(number);
        let log = &mut self.logs[index];
        if log.sequence != number || !log.open {
            log.sequence = number;
            log.open = true;
            log.entries.clear();
            log.stats = [0; 4];
            log.newer_acked = 0;
        }
        index
    }
}
