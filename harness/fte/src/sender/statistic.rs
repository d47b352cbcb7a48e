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

    /// The lowest `count` statistics that are not zero are pending, whether they changed or not.
    pub(crate) fn repeat_lowest_stats(&mut self, count: usize) {
        let lowest = (0..=255u8).filter(|&stat| self.stats[usize::from(stat)] != StatValue::Int(0));
        for stat in lowest.take(count).collect::<Vec<u8>>() {
            self.repeat_stat(stat, self.stats[usize::from(stat)]);
        }
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
        let mut more = self.rules.latitude.stats_per_datagram;
        for word in 0..4 {
            // FTE-STAT-04
            while self.pending_stats[word] != 0 && more > 0 && w.len() + STAT_BYTES + 16 <= limit {
                more -= 1;
                let bit = self.pending_stats[word].trailing_zeros();
                let stat = (word as u32 * 64 + bit) as u8;
                write_stat(w, stat, self.stats[usize::from(stat)]); // FTE-STAT-03
                self.pending_stats[word] &= !(1 << bit);
                self.logs[log].stats[word] |= 1 << bit;
            }
        }
    }
}
