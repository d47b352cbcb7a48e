//! What a server need not send, and may: conforming choices, and an undefined flag where a scenario wants one.

use super::DeltaSender;
use crate::delta;
use crate::latitude::{Begins, due};
use crate::pending::Pending;
use kit::Writer;

impl DeltaSender {
    /// Makes pending what need not be sent, and may.
    pub(super) fn take_latitude(&mut self) {
        let latitude = self.rules.latitude;
        if latitude.forced != 0 {
            for (number, _) in self.known.iter().filter(|(_, entity)| entity.has_movement()) {
                self.pending.add(number, Pending::flags(latitude.forced));
            }
        }
        let count = self.known.len().max(1);
        if due(self.frames, latitude.reset_every) {
            let turn = (self.frames / latitude.reset_every) as usize % count;
            if let Some((number, _)) = self.known.at(turn) {
                self.pending.add(number, Pending::NEW);
            }
        }
        if latitude.begins == Begins::Anywhere && self.resume == 0 && !self.remove_all {
            self.resume = self.known.at(self.frames as usize % count).map_or(0, |(number, _)| number);
        }
    }

    /// Raises undefined flags in an update without fields, when the client has acknowledged frames and this
    /// one is empty otherwise.
    pub(super) fn raise_once(&mut self, log: usize, w: &mut Writer<'_>) {
        let idle = self.logs[log].entries.is_empty() && !self.has_more();
        if let (Some(&number), true, true) = (self.known.numbers().last(), idle, self.newest_acked.is_some()) {
            delta::write_index(w, number, false);
            delta::write_flags(w, std::mem::take(&mut self.rules.latitude.raise_once));
        }
    }
}
