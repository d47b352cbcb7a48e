//! Statistics, which travel with frames and are pending again when these are lost.

use super::*;

impl DeltaSender {
    /// Changes a statistic of this client's player; it is pending until a frame carries it.
    pub fn set_stat(&mut self, stat: u8, value: StatValue) {
        if self.stats[usize::from(stat)] != value {
            self.repeat_stat(stat, value);
        }
    }

    /// Changes a statistic that the client may hold at another value: it is pending even if it was not changed.
    pub fn repeat_stat(&mut self, stat: u8, value: StatValue) {
        self.stats[usize::from(stat)] = value;
        self.pending_stats[usize::from(stat) / 64] |= 1 << (stat % 64);
    }

    /// The statistics of a lost frame are pending again.
    pub(crate) fn fold_stats(&mut self, index: usize) {
        for (pending, sent) in self.pending_stats.iter_mut().zip(self.logs[index].stats) {
            *pending |= sent; // FTE-STAT-01
        }
    }

    /// Writes the statistics that are pending and fit.
    pub(super) fn write_stats(
        &mut self,
        log: usize,
        limit: usize,
        w: &mut Writer<'_>,
        write_stat: &impl Fn(&mut Writer<'_>, u8, StatValue),
    ) {
        for word in 0..4 {
            // FTE-STAT-04
            while self.pending_stats[word] != 0 && w.len() + STAT_BYTES + 16 <= limit {
                let bit = self.pending_stats[word].trailing_zeros();
                let stat = (word as u32 * 64 + bit) as u8;
                write_stat(w, stat, self.stats[usize::from(stat)]); // FTE-STAT-03
                self.pending_stats[word] &= !(1 << bit);
                self.logs[log].stats[word] |= 1 << bit;
            }
        }
    }
}
