//! What the datagrams to one client carried, and what became of them: the last thousand or so.

/// Datagrams remembered; older ones are known by the traces that they left in the entities' tracks alone.
pub const REMEMBERED: usize = 1024;

/// No network loses so many datagrams in a row and goes on: a QuakeWorld server drops a client after far fewer.
const LEAP: u64 = 1 << 20;

/// Frames in flight that any history holds ("64 or so"); above it, losing track is a matter of its own.
pub const TRACKABLE: u32 = 32;
/// A log with room for as many entities is large enough for usual frames; more is a matter of its own.
pub const USUAL_ENTRIES: usize = 32;

/// How a frame carried an entity; later ones weigh more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    #[default]
    Delta,
    /// With RESET: everything.
    Reset,
    /// As removed.
    Remove,
    /// As one of all that were removed.
    RemoveAll,
}

/// One entity in a frame.
#[derive(Clone, Copy, Debug)]
pub struct Carried {
    /// The entity.
    pub number: u32,
    /// The flags carried ([`super::super::field::ALL`] for RESET and removes).
    pub flags: u32,
    /// In which way.
    pub how: How,
    /// Whether it repeated what an earlier carrier lost.
    pub repair: bool,
}

/// What became of a datagram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// Not delivered, so far.
    #[default]
    NotDelivered,
    /// Delivered, and newer than all before.
    Taken,
    /// Delivered too late, or once more.
    Discarded,
}

/// One unreliable datagram to the client.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Its number; that which the client acknowledges.
    pub sequence: u32,
    /// The map it belongs to.
    pub epoch: u32,
    /// Its place among the map's entity frames, from 1; 0 for a datagram without an entity frame.
    pub place: u32,
    /// Whether it removed everything before its entries.
    pub remove_all: bool,
    /// Its entities, in wire order.
    pub entries: Vec<Carried>,
    /// Its statistics, a bit each.
    pub stats: [u64; 4],
    /// What became of it.
    pub outcome: Outcome,
    /// Whether an acknowledgement of it reached the server.
    pub acked: bool,
    /// Whether the client sent an explicit acknowledgement of it.
    pub named: bool,
    /// Whether that acknowledgement came in a packet with others.
    pub acked_among_others: bool,
    /// How many entity frames had been sent then.
    pub acked_at: u32,
    /// The header of a packet alone showed that it was lost.
    pub lost_by_header: bool,
    /// Something of it was sent again after its loss.
    pub repaired: bool,
    /// Whether the server sent other entity frames at the same moment.
    pub sibling: bool,
    /// Whether datagrams without an entity frame came between earlier frames and this one.
    pub after_gap: bool,
    /// Whether it ends with a flag that nobody defines, as the scenario has it.
    pub undefined_flag: bool,
    /// It can be of the map before or of the next: whether its receiver takes it, it alone knows.
    pub of_either_map: bool,
    used: bool,
}

impl Frame {
    /// Whether it mentions entities.
    pub fn mentions_entities(&self) -> bool {
        self.remove_all || !self.entries.is_empty()
    }
}

/// A ring of frames by sequence. Takes no memory before the first.
#[derive(Debug, Default)]
pub struct Frames {
    slots: Vec<Frame>,
    /// The newest datagram's number.
    pub newest: Option<u32>,
}

impl Frames {
    /// Begins the record of a datagram.
    pub fn open(&mut self, sequence: u32, epoch: u32) -> &mut Frame {
        if self.slots.is_empty() {
            self.slots.resize_with(REMEMBERED, Frame::default);
        }
        self.newest = self.newest.max(Some(sequence));
        let slot = &mut self.slots[sequence as usize % REMEMBERED];
        let mut entries = std::mem::take(&mut slot.entries);
        entries.clear();
        *slot = Frame { sequence, epoch, entries, used: true, ..Frame::default() };
        slot
    }

    /// The record of a datagram, if it is remembered.
    pub fn get(&self, sequence: u32) -> Option<&Frame> {
        self.slots.get(sequence as usize % REMEMBERED).filter(|slot| slot.used && slot.sequence == sequence)
    }

    /// The record of a datagram, to be changed.
    pub fn get_mut(&mut self, sequence: u32) -> Option<&mut Frame> {
        self.slots.get_mut(sequence as usize % REMEMBERED).filter(|slot| slot.used && slot.sequence == sequence)
    }

    /// Whether a datagram of this number would be so far ahead that those in between cannot all be lost.
    pub fn leaps_to(&self, sequence: u32) -> bool {
        self.newest.is_some_and(|newest| u64::from(sequence) > u64::from(newest) + LEAP)
    }

    /// The records of all datagrams that are remembered, in no order.
    pub fn iter(&self) -> impl Iterator<Item = &Frame> {
        self.slots.iter().filter(|slot| slot.used)
    }

    /// Whether something was sent again that the header of a packet alone showed to be lost.
    pub fn is_header_obeyed(&self) -> bool {
        self.iter().any(|frame| frame.lost_by_header && frame.repaired)
    }

    /// The place of a datagram, whatever is in it.
    pub fn slot_of(&mut self, sequence: u32) -> Option<&mut Frame> {
        self.slots.get_mut(sequence as usize % REMEMBERED)
    }
}

/// The entity frames that a server sent at one moment.
#[derive(Debug, Default)]
pub struct TickFrames {
    count: u32,
    /// The most entries of one before the last.
    most: usize,
    /// The entries of the last.
    last: usize,
}

impl TickFrames {
    /// A frame with so many entries is sent, which is the `first` at its moment, or another.
    pub fn sent(&mut self, first: bool, entries: usize) {
        if first {
            *self = TickFrames::default();
        }
        self.count += 1;
        self.most = self.most.max(self.last);
        self.last = entries;
    }

    /// How many entries the server has in a frame, if it may have been at the end of how many frames it sends in a tick: it
    /// splits what there is to send, and the last frame was not shorter by half than another.
    pub fn limit(&self) -> Option<usize> {
        (self.count > 1 && self.last > 0 && 2 * self.last >= self.most).then_some(self.last)
    }
}

/// A ring that holds, for each datagram to the client by its index on the link, the map current when it was sent.
/// Takes no memory before the first.
#[derive(Debug, Default)]
pub struct Epochs(Vec<(u32, u32)>);

impl Epochs {
    /// Notes a datagram.
    pub fn set(&mut self, index: u32, epoch: u32) {
        if self.0.is_empty() {
            self.0.resize(4 * REMEMBERED, (u32::MAX, 0));
        }
        let slot = index as usize % self.0.len();
        self.0[slot] = (index, epoch);
    }

    /// The map of a datagram, if it is remembered.
    pub fn get(&self, index: u32) -> Option<u32> {
        let slot = self.0.get(index as usize % (4 * REMEMBERED))?;
        (slot.0 == index).then_some(slot.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_splits_may_have_more_to_send_only_if_its_last_frame_is_as_full_as_others() {
        let check = |entries: &[usize], limit| {
            let mut tick = TickFrames::default();
            // What another tick had does not matter.
            tick.sent(true, 90);
            entries.iter().enumerate().for_each(|(place, &entries)| tick.sent(place == 0, entries));
            assert_eq!(tick.limit(), limit, "{entries:?}");
        };
        check(&[8], None);
        check(&[8, 8], Some(8));
        check(&[8, 8, 3], None);
        check(&[8, 8, 5], Some(5));
        check(&[8, 0], None);
        check(&[0, 0], None);
    }
}
