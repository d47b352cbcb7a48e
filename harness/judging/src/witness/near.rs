//! What came nearest to a condition that was not met, and what stood in its way.

use crate::scenario::{Outcome, Target};
use kit::Time;
use std::collections::BTreeMap;

/// So many numbers of others are named.
const NAMED: usize = 5;
/// An end that has sent nothing for so long before the end of a run has fallen silent, in microseconds.
const SILENT_US: u64 = 1_000_000;

/// How often, and when.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    sent: u64,
    lost: u64,
    first: Time,
    last: Time,
}

impl Count {
    fn add(&mut self, now: Time, lost: bool) {
        if self.sent == 0 {
            self.first = now;
        }
        self.sent += 1;
        self.lost += u64::from(lost);
        self.last = now;
    }

    /// `once, at 2.25s` or `3 times, from 0.1s to 2s`.
    fn said(&self) -> String {
        match self.sent {
            1 => format!("once, at {}", self.last),
            times => format!("{times} times, from {} to {}", self.first, self.last),
        }
    }
}

/// What a run had of one condition.
#[derive(Clone, Debug, Default)]
pub(super) struct Near {
    /// All datagrams of the ways that count.
    all: Count,
    /// Those with what is asked for, whatever became of them.
    same: Count,
    /// Those with something of the same kind and another number.
    others: BTreeMap<u32, Count>,
    /// All datagrams of the way back.
    back: Count,
    /// The last that arrived of the way back.
    back_arrived: Option<Time>,
    /// The state that the host entered last.
    state: Option<(Time, String)>,
}

impl Near {
    /// A datagram of the ways that count is sent, and lost or not. `others` are the numbers of what it carries of the kind that is asked for,
    /// with another number than that.
    pub(super) fn packet(&mut self, now: Time, lost: bool, carried: bool, others: impl Iterator<Item = u32>) {
        self.all.add(now, lost);
        if carried {
            self.same.add(now, lost);
        }
        for number in others {
            self.others.entry(number).or_default().add(now, lost);
        }
    }

    /// A datagram of the way back is sent, and lost or not.
    pub(super) fn back(&mut self, now: Time, lost: bool) {
        self.back.add(now, lost);
        if !lost {
            self.back_arrived = Some(now);
        }
    }

    /// The host enters a state.
    pub(super) fn state(&mut self, now: Time, name: &str) {
        self.state = Some((now, String::from(name)));
    }

    /// What stood in the way, in a part of a sentence; nothing where there is no more to say.
    pub(super) fn why(&self, target: &Target) -> String {
        match target {
            Target::State { .. } => match &self.state {
                Some((at, name)) => format!(": the last state was {name}, from {at} on"),
                None => String::from(": it entered no other state either"),
            },
            Target::Packets { outcome, .. } => format!(": {}", self.packets(*outcome)),
            Target::Note { .. } | Target::Observed { .. } => String::new(),
        }
    }

    fn packets(&self, outcome: Outcome) -> String {
        if self.all.sent == 0 {
            return format!("no datagram at all went that way{}", self.silence());
        }
        if self.same.sent == 0 {
            let numbers: Vec<String> = self.others.keys().take(NAMED).map(u32::to_string).collect();
            let count: u64 = self.others.values().map(|count| count.sent).sum();
            let more = if self.others.len() > NAMED { " and others" } else { "" };
            let of_kind = match self.others.values().map(|count| count.last).max() {
                None => String::from("nothing of this kind was sent"),
                Some(last) => {
                    format!("of this kind there were {}{more} ({count}, the last at {last})", numbers.join(", "))
                }
            };
            return format!(
                "{of_kind}; {} datagrams went that way, the last at {}{}",
                self.all.sent,
                self.all.last,
                self.silence()
            );
        }
        let sent = format!("it was sent {}", self.same.said());
        let arrived = self.same.sent - self.same.lost;
        match outcome {
            Outcome::Sent => sent,
            Outcome::Delivered if self.same.lost == 0 => sent,
            Outcome::Delivered => format!("{sent}; {} of these were lost", self.same.lost),
            Outcome::Lost if self.all.lost == 0 => format!("{sent}; the network lost nothing that way"),
            Outcome::Lost => format!(
                "{sent}, and {arrived} of these arrived; {} of {} datagrams were lost",
                self.all.lost, self.all.sent
            ),
        }
    }

    /// That the other end was not heard of for a while.
    fn silence(&self) -> String {
        let newest = self.all.last.max(self.back.last);
        match self.back_arrived {
            None if self.back.sent > 0 => String::from("; nothing that the other end sent had arrived"),
            Some(last) if newest.since(last) > SILENT_US => format!("; nothing of the other end arrived after {last}"),
            _ => String::new(),
        }
    }
}
