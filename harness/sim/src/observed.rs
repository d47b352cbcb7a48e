//! What the network really did: every run proves its impairment.

use crate::link::Link;
use kit::{Damage, Fate, LossCause};
use std::fmt;

/// Every cause of loss, in the order of [`LossCause`].
const CAUSES: [(LossCause, &str); 7] = [
    (LossCause::Random, "chance"),
    (LossCause::Burst, "bursts"),
    (LossCause::Outage, "outages"),
    (LossCause::Script, "the script"),
    (LossCause::Mtu, "the MTU"),
    (LossCause::Queue, "a full queue"),
    (LossCause::Port, "an old port"),
];

/// Counts for one direction of one client's link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// Datagrams sent.
    pub sent: u64,
    /// Their payload bytes.
    pub sent_bytes: u64,
    /// Datagrams that a scripted rule took.
    pub scripted: u64,
    /// Datagrams that a delay spike held up.
    pub spiked: u64,
    /// What became of the datagrams left to chance.
    pub chance: Chance,
    /// Datagrams lost, by cause; see [`Observed::lost_to`].
    pub lost: [u64; 7],
    /// Datagrams given a second copy, by chance or script.
    pub duplicated: u64,
    /// Copies given a flipped bit.
    pub corrupted: u64,
    /// Copies cut short.
    pub truncated: u64,
    /// Copies delivered within the run.
    pub delivered: u64,
    /// Datagrams of which at least one copy was delivered.
    pub arrived: u64,
    /// Of those, the ones that arrived after a datagram sent later.
    pub reordered: u64,
    /// Shortest time from sending to first arrival, in microseconds; 0 if nothing arrived.
    pub delay_min_us: u64,
    /// Longest time from sending to first arrival, in microseconds.
    pub delay_max_us: u64,
    /// Sum of the times from sending to first arrival, in microseconds.
    pub delay_sum_us: u64,
}

/// Counts of the datagrams left to chance: not taken by a rule, not stopped by the MTU, an outage or a port, and sent before
/// [`Link::random_until`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chance {
    /// Datagrams.
    pub datagrams: u64,
    /// Of those, the ones lost by chance, in bursts or outside.
    pub lost: u64,
    /// Of those, the ones that went on.
    pub survived: u64,
    /// Of the survivors, the ones with a second copy.
    pub duplicated: u64,
    /// Copies with a flipped bit.
    pub corrupted: u64,
    /// Copies cut short.
    pub truncated: u64,
}

impl Observed {
    /// Counts a datagram sent; `chance` if its fate was left to chance.
    #[inline]
    pub(crate) fn sent(&mut self, length: usize, fate: &Fate, chance: bool) {
        let (twice, copies) = match fate {
            Fate::Lost(_) => (0, [None, None]),
            Fate::Once(only) => (0, [Some(only), None]),
            Fate::Twice(first, second) => (1, [Some(first), Some(second)]),
        };
        let count =
            |damaged: fn(Damage) -> bool| copies.iter().flatten().filter(|copy| damaged(copy.damage)).count() as u64;
        let corrupted = count(|damage| matches!(damage, Damage::Flipped { .. }));
        let truncated = count(|damage| matches!(damage, Damage::Truncated { .. }));
        self.sent += 1;
        self.sent_bytes += length as u64;
        self.duplicated += twice;
        self.corrupted += corrupted;
        self.truncated += truncated;
        if let Fate::Lost(cause) = fate {
            self.lost[*cause as usize] += 1;
        }
        if chance {
            self.chance.datagrams += 1;
            self.chance.lost += u64::from(matches!(fate, Fate::Lost(LossCause::Random | LossCause::Burst)));
            self.chance.survived += u64::from(!matches!(fate, Fate::Lost(_)));
            self.chance.duplicated += twice;
            self.chance.corrupted += corrupted;
            self.chance.truncated += truncated;
        }
    }

    /// Counts a copy delivered that is not the first of its datagram.
    #[inline]
    pub(crate) fn delivered_again(&mut self) {
        self.delivered += 1;
    }

    /// Counts the first copy of a datagram delivered; `late` if a datagram sent later arrived before it.
    #[inline]
    pub(crate) fn arrived(&mut self, delay_us: u64, late: bool) {
        self.delivered += 1;
        self.delay_min_us = if self.arrived == 0 { delay_us } else { self.delay_min_us.min(delay_us) };
        self.delay_max_us = self.delay_max_us.max(delay_us);
        self.delay_sum_us = self.delay_sum_us.saturating_add(delay_us);
        self.arrived += 1;
        self.reordered += u64::from(late);
    }

    /// Datagrams lost to one cause.
    pub fn lost_to(&self, cause: LossCause) -> u64 {
        self.lost[cause as usize]
    }

    /// Datagrams lost to any cause.
    pub fn lost_total(&self) -> u64 {
        self.lost.iter().sum()
    }

    /// Mean time from sending to first arrival, in microseconds.
    pub fn delay_mean_us(&self) -> u64 {
        self.delay_sum_us.checked_div(self.arrived).unwrap_or(0)
    }

    /// Adds the counts of another run over the same link, for totals over many seeds.
    pub fn add(&mut self, other: &Observed) {
        self.delay_min_us = match (self.arrived, other.arrived) {
            (0, _) => other.delay_min_us,
            (_, 0) => self.delay_min_us,
            _ => self.delay_min_us.min(other.delay_min_us),
        };
        self.delay_max_us = self.delay_max_us.max(other.delay_max_us);
        self.delay_sum_us = self.delay_sum_us.saturating_add(other.delay_sum_us);
        for (mine, theirs) in self.lost.iter_mut().zip(other.lost) {
            *mine += theirs;
        }
        self.sent += other.sent;
        self.sent_bytes += other.sent_bytes;
        self.scripted += other.scripted;
        self.spiked += other.spiked;
        self.chance.datagrams += other.chance.datagrams;
        self.chance.lost += other.chance.lost;
        self.chance.survived += other.chance.survived;
        self.chance.duplicated += other.chance.duplicated;
        self.chance.corrupted += other.chance.corrupted;
        self.chance.truncated += other.chance.truncated;
        self.duplicated += other.duplicated;
        self.corrupted += other.corrupted;
        self.truncated += other.truncated;
        self.delivered += other.delivered;
        self.arrived += other.arrived;
        self.reordered += other.reordered;
    }

    /// Every rate, configured against observed, in the order of [`Measure`].
    ///
    /// All but reordering look at the datagrams left to chance only. Reordering compares the chance to be held back
    /// with what arrived late, which depends on the traffic and on jitter as well.
    pub fn compare(&self, link: &Link) -> [Comparison; 6] {
        let chance = &self.chance;
        let copies = chance.survived + chance.duplicated;
        let compared = |measure, configured_ppm: u32, observed, of| Comparison {
            measure,
            configured_ppm: configured_ppm.min(1_000_000),
            observed,
            of,
        };
        [
            compared(Measure::Loss, link.expected_loss_ppm(), chance.lost, chance.datagrams),
            compared(Measure::Duplication, link.duplicate_ppm, chance.duplicated, chance.survived),
            compared(Measure::Reordering, link.reorder_ppm, self.reordered, self.arrived),
            compared(Measure::Corruption, link.corrupt_ppm, chance.corrupted, copies),
            compared(Measure::Truncation, link.truncate_ppm, chance.truncated, copies),
            compared(Measure::Spikes, link.spike.map_or(0, |spike| spike.share_ppm()), self.spiked, chance.survived),
        ]
    }

    /// The delay, configured against observed, as a line of text. What a bandwidth adds is not in the configured range.
    pub fn delay_line(&self, link: &Link) -> String {
        let (least, most) = (Milliseconds(link.latency_us), Milliseconds(link.longest_delay_us()));
        if self.arrived == 0 {
            return format!("delay {least}..{most} configured, nothing arrived");
        }
        let (min, max) = (Milliseconds(self.delay_min_us), Milliseconds(self.delay_max_us));
        let (mean, arrived) = (Milliseconds(self.delay_mean_us()), self.arrived);
        format!("delay {least}..{most} configured, {min}..{max} observed, mean {mean} ({arrived} datagrams)")
    }

    /// The whole comparison as lines of text: loss, delay, every other rate that was configured or observed, and the
    /// losses that are not chance.
    pub fn lines(&self, link: &Link) -> Vec<String> {
        let [loss, rates @ ..] = self.compare(link);
        let mut lines = vec![loss.to_string(), self.delay_line(link)];
        lines.extend(link.swarm.line());
        lines.extend(
            rates.iter().filter(|rate| rate.configured_ppm > 0 || rate.observed > 0).map(Comparison::to_string),
        );
        for (cause, name) in &CAUSES[2..] {
            if self.lost_to(*cause) > 0 {
                lines.push(format!("{} of {} lost to {name}", self.lost_to(*cause), self.sent));
            }
        }
        lines
    }
}

/// A rate that a link configures and a run shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    /// Datagrams lost by chance, bursts included.
    Loss,
    /// Datagrams delivered twice.
    Duplication,
    /// Datagrams that arrived after a later one.
    Reordering,
    /// Copies with a flipped bit.
    Corruption,
    /// Copies cut short.
    Truncation,
    /// Datagrams that a delay spike held up.
    Spikes,
}

/// `loss`, `duplication`, `reordering`, `corruption`, `truncation` or `delay spikes`.
impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Measure::Loss => "loss",
            Measure::Duplication => "duplication",
            Measure::Reordering => "reordering",
            Measure::Corruption => "corruption",
            Measure::Truncation => "truncation",
            Measure::Spikes => "delay spikes",
        })
    }
}

/// One rate, configured against observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// What was counted.
    pub measure: Measure,
    /// What the link is set to, in parts per million.
    pub configured_ppm: u32,
    /// How many datagrams (copies, for damage) it happened to.
    pub observed: u64,
    /// Out of how many.
    pub of: u64,
}

impl Comparison {
    /// Whether the link asked for this and the run never had it.
    pub fn is_vacuous(&self) -> bool {
        self.configured_ppm > 0 && self.observed == 0
    }
}

/// `loss 5.0% configured, 4.81% observed (481 of 10000)`.
impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hundredths = (u128::from(self.observed) * 10_000).checked_div(self.of.into()).unwrap_or(0);
        let (measure, observed, of) = (self.measure, self.observed, self.of);
        let configured = Percent(self.configured_ppm);
        let (whole, rest) = (hundredths / 100, hundredths % 100);
        write!(f, "{measure} {configured} configured, {whole}.{rest:02}% observed ({observed} of {of})")
    }
}

/// Parts per million as a percentage, with one to four decimals.
struct Percent(u32);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = format!("{:04}", self.0 % 10_000);
        let rest = decimals[1..].trim_end_matches('0');
        write!(f, "{}.{}{rest}%", self.0 / 10_000, &decimals[..1])
    }
}

/// Microseconds as milliseconds with three decimals.
struct Milliseconds(u64);

impl fmt::Display for Milliseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}ms", self.0 / 1000, self.0 % 1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::Delivery;

    #[test]
    fn lines_show_what_was_configured_and_what_happened() {
        let link =
            Link { latency_us: 20_000, jitter_us: 5_000, loss_ppm: 50_000, duplicate_ppm: 500, ..Link::default() };
        let mut seen = Observed::default();
        for n in 0..40 {
            let fate = if n < 2 { Fate::Lost(LossCause::Random) } else { Fate::Once(Delivery::whole(20_500)) };
            seen.sent(100, &fate, true);
        }
        seen.sent(9, &Fate::Lost(LossCause::Outage), false);
        for (delay_us, late) in [(20_003, false), (20_002, true), (20_004, false)] {
            seen.arrived(delay_us, late);
        }
        seen.delivered_again();
        let expected = [
            "loss 5.0% configured, 5.00% observed (2 of 40)",
            "delay 20.000ms..25.000ms configured, 20.002ms..20.004ms observed, mean 20.003ms (3 datagrams)",
            "duplication 0.05% configured, 0.00% observed (0 of 38)",
            "reordering 0.0% configured, 33.33% observed (1 of 3)",
            "1 of 41 lost to outages",
        ];
        assert_eq!(seen.lines(&link), expected);
        assert_eq!(seen.delivered, 4);
        assert_eq!(seen.compare(&link).map(|rate| rate.is_vacuous()), [false, true, false, false, false, false]);
    }

    #[test]
    fn sums_keep_the_extremes() {
        let mut one = Observed::default();
        one.arrived(50, false);
        let mut two = Observed::default();
        two.arrived(20, false);
        two.arrived(90, true);
        let mut sum = Observed::default();
        sum.add(&one);
        sum.add(&Observed::default());
        sum.add(&two);
        assert_eq!((sum.arrived, sum.reordered), (3, 1));
        assert_eq!((sum.arrived, sum.delay_min_us, sum.delay_max_us, sum.delay_mean_us()), (3, 20, 90, 53));
    }

    #[test]
    fn causes_stand_in_the_order_of_their_declaration() {
        for (n, (cause, _)) in CAUSES.iter().enumerate() {
            assert_eq!(*cause as usize, n);
        }
    }
}
