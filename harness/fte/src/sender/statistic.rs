//! Statistics, which travel with frames and are owed again when these are lost.

use super::*;

impl DeltaSender {
    /// Changes a statistic of this client's player; it is pending until a frame carries it.
    pub fn set_stat(&mut self, stat: u8, value: StatValue) {
        if self.stats[usize::from(stat)] != value {
            self.stats_before[usize::from(stat)] = self.stats[usize::from(stat)];
            self.repeat_stat(stat, value);
        }
    }

    /// Changes a statistic that the client may hold at another value: it is pending even if it was not changed.
    pub fn repeat_stat(&mut self, stat: u8, value: StatValue) {
        self.stats[usize::from(stat)] = value;
        self.pending_stats[usize::from(stat) / 64] |= 1 << (stat % 64);
    }

    /// The statistics of a lost frame are pending again.
    pub(super) fn fold_stats(&mut self, index: usize) {
        for (word, sent) in self.logs[index].stats.into_iter().enumerate() {
            self.pending_stats[word] |= sent;
            self.lost_stats[word] |= sent;
        }
    }

    /// Writes the statistics that are pending and fit.
    pub(super) fn write_stats(
        &mut self,
        index: usize,
        limit: usize,
        w: &mut Writer<'_>,
        write_stat: &impl Fn(&mut Writer<'_>, u8, StatValue),
    ) {
        let noted = match self.rules.stat_log {
            StatLog::WithFrame | StatLog::UntilStartOver => Some(index),
            StatLog::ByCount => Some(self.frames as usize % self.logs.len()),
            StatLog::Nowhere => None,
        };
        for word in 0..4 {
            while self.pending_stats[word] != 0 && w.len() + STAT_BYTES + 16 <= limit {
                let bit = self.pending_stats[word].trailing_zeros();
                let stat = (word as u32 * 64 + bit) as u8;
                let value = match self.rules.stat_resend {
                    Resend::Previous if self.lost_stats[word] & 1 << bit != 0 => self.stats_before[usize::from(stat)],
                    _ => self.stats[usize::from(stat)],
                };
                write_stat(w, stat, value);
                self.pending_stats[word] &= !(1 << bit);
                self.lost_stats[word] &= !(1 << bit);
                if let Some(noted) = noted {
                    self.logs[noted].stats[word] |= 1 << bit;
                }
            }
        }
    }
}
