//! What all links do, in place of what a scenario says of them: a loss of 5 %, an outage.

use kit::Time;
use std::fmt;

/// One property of all links. Its text is `loss-5`: what, and how much, in percent or milliseconds; `outage-2000-500` is one from 2 s for
/// half a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    pub what: Quality,
    /// How much: percent, or milliseconds.
    pub amount: u32,
    /// How long, in milliseconds: an outage alone has a length.
    pub for_ms: Option<u32>,
}

/// A property of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quality {
    /// The chance of loss, in percent.
    Loss,
    /// The least time on the way, in milliseconds.
    Latency,
    /// The greatest jitter, in milliseconds.
    Jitter,
    /// The chance of a second copy, in percent.
    Duplicate,
    /// The chance to be held back for 100 ms, in percent.
    Reorder,
    /// Nothing arrives that is sent from this moment on, in milliseconds, for some time.
    Outage,
}

impl Quality {
    /// All of them, with the name and the greatest amount of each.
    pub const ALL: [(Quality, &'static str, u32); 6] = [
        (Quality::Loss, "loss", 100),
        (Quality::Latency, "latency", 2_000),
        (Quality::Jitter, "jitter", 2_000),
        (Quality::Duplicate, "duplicate", 100),
        (Quality::Reorder, "reorder", 100),
        (Quality::Outage, "outage", 3_600_000),
    ];
}

/// A second copy comes at most so much later.
const COPY_US: u64 = 30_000;
/// A datagram is held back for so long.
const HELD_US: u64 = 100_000;
/// An outage lasts at most so long, in milliseconds.
const MOST_OUTAGE_MS: u32 = 600_000;

impl Setting {
    /// Reads its text.
    pub fn parse(text: &str) -> Option<Setting> {
        let mut parts = text.split('-');
        let name = parts.next()?;
        let (what, _, most) = Quality::ALL.into_iter().find(|(_, known, _)| *known == name)?;
        let amount = parts.next()?.parse().ok().filter(|amount| *amount <= most)?;
        let for_ms = match what {
            Quality::Outage => Some(parts.next()?.parse().ok().filter(|length| *length <= MOST_OUTAGE_MS)?),
            _ => None,
        };
        parts.next().is_none().then_some(Setting { what, amount, for_ms })
    }

    /// Makes it so on a link.
    pub fn apply(self, link: &mut sim::Link) {
        let (ppm, us) = (self.amount * 10_000, u64::from(self.amount) * 1_000);
        match self.what {
            Quality::Loss => (link.loss_ppm, link.burst) = (ppm, None),
            Quality::Latency => link.latency_us = us,
            Quality::Jitter => link.jitter_us = us,
            Quality::Duplicate => (link.duplicate_ppm, link.duplicate_us) = (ppm, COPY_US),
            Quality::Reorder => (link.reorder_ppm, link.reorder_us) = (ppm, HELD_US),
            Quality::Outage => {
                let until = us + u64::from(self.for_ms.unwrap_or_default()) * 1_000;
                link.outages.push((Time(us), Time(until)));
                link.outages.sort();
            }
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Quality::ALL.iter().find(|(what, ..)| *what == self.what).map_or("", |(_, name, _)| name);
        write!(f, "{name}-{}", self.amount)?;
        self.for_ms.map_or(Ok(()), |length| write!(f, "-{length}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_read_as_it_is_written_and_is_within_its_bounds() {
        for text in ["loss-5", "latency-0", "jitter-2000", "duplicate-100", "reorder-3", "outage-2000-500"] {
            assert_eq!(Setting::parse(text).expect(text).to_string(), text);
        }
        for wrong in
            ["loss", "loss-101", "loss-5-5", "latency-2001", "outage-5", "outage-5-600001", "drop-s2c-1", "loss--1"]
        {
            assert_eq!(Setting::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn it_takes_the_place_of_what_the_link_did() {
        let mut link = sim::Link { burst: Some(sim::Burst::default()), loss_ppm: 7, ..sim::Link::clean(900) };
        for text in ["loss-5", "latency-40", "outage-2000-500"] {
            Setting::parse(text).expect(text).apply(&mut link);
        }
        let outages = vec![(Time(2_000_000), Time(2_500_000))];
        assert_eq!(link, sim::Link { loss_ppm: 50_000, outages, ..sim::Link::clean(40_000) });
    }
}
