//! The faults of a run, as fates that differ from an untroubled delivery.

use super::minimise::{lower, minimise};
use kit::{Damage, Delivery, Direction, Fate, LossCause, Time};
use sim::{Action, FateKey, Link, SLOT_US};
use std::collections::BTreeMap;

/// What happens to single datagrams; all others are delivered once, whole, after the link's latency.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    fates: BTreeMap<FateKey, Fate>,
    latency_us: BTreeMap<(u16, usize), u64>,
}

/// A fault as a scenario says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said {
    /// The client at the link's end.
    pub client: u16,
    pub direction: Direction,
    /// The first and the last datagram, by their places among those of the link and direction.
    pub index: (u32, u32),
    /// What happens to them.
    pub action: Action,
}

impl Said {
    /// Whether the same happens to datagrams of the same link and direction.
    pub fn is_like(&self, other: &Said) -> bool {
        (self.client, self.direction, self.action) == (other.client, other.direction, other.action)
    }
}

/// Whether a schedule still fails, and when.
type Fails<'a> = &'a mut dyn FnMut(&Schedule) -> Option<Option<Time>>;

impl Schedule {
    /// The faults among the fates of a run on such links.
    pub fn of(fates: &BTreeMap<FateKey, Fate>, links: &[[Link; 2]]) -> Schedule {
        let ways = [Direction::ServerToClient, Direction::ClientToServer];
        let latency_us = (1..)
            .zip(links)
            .flat_map(|(client, pair)| ways.map(|way| ((client, way.index()), pair[way.index()].latency_us)));
        let mut schedule = Schedule { fates: BTreeMap::new(), latency_us: latency_us.collect() };
        let faults = fates.iter().filter(|(key, fate)| **fate != Fate::Once(schedule.untroubled(key)));
        schedule.fates = faults.map(|(key, fate)| (*key, *fate)).collect();
        schedule
    }

    /// The number of datagrams that meet a fault.
    pub fn len(&self) -> usize {
        self.fates.len()
    }

    /// Whether there is no fault.
    pub fn is_empty(&self) -> bool {
        self.fates.is_empty()
    }

    /// What happens to each datagram that meets a fault.
    pub fn fates(&self) -> &BTreeMap<FateKey, Fate> {
        &self.fates
    }

    /// The faults of datagrams sent until a moment.
    pub fn until(&self, end: Time) -> Schedule {
        let soon = self.fates.iter().filter(|(key, _)| u64::from(key.slot) * SLOT_US <= end.us());
        self.with(soon.map(|(key, fate)| (*key, *fate)).collect())
    }

    /// Each fault as a scenario can say it: losses, delays, damage in time, and second copies of datagrams in time.
    pub fn sayable(&self) -> Schedule {
        let said = self.fates.iter().map(|(key, fate)| {
            let base = self.untroubled(key);
            let fate = match *fate {
                Fate::Lost(_) => Fate::Lost(LossCause::Script),
                Fate::Once(copy) if copy.damage != Damage::None => Fate::Once(Delivery { damage: copy.damage, ..base }),
                Fate::Once(copy) => Fate::Once(copy),
                Fate::Twice(_, second) => Fate::Twice(base, Delivery::whole(second.delay_us.max(base.delay_us))),
            };
            (*key, fate)
        });
        self.with(said.collect())
    }

    /// Leaves out every fault that can be left out, and makes the delays of the others as short as they can be. `at` is when it
    /// fails.
    pub(super) fn minimise(&mut self, fails: Fails<'_>, at: &mut Option<Time>) {
        self.leave_out(fails, at);
        let keys: Vec<FateKey> = self.fates.keys().copied().collect();
        for key in keys {
            for simpler in self.simpler(&key) {
                if self.try_fate(key, simpler, fails, at) {
                    break;
                }
            }
            self.lower(key, fails, at);
        }
        // Where delays are shorter, less may be needed.
        self.leave_out(fails, at);
    }

    /// Leaves out every fault that can be left out: without any single one of the others it does not fail.
    fn leave_out(&mut self, fails: Fails<'_>, at: &mut Option<Time>) {
        let all: Vec<(FateKey, Fate)> = self.fates.iter().map(|(key, fate)| (*key, *fate)).collect();
        let left = minimise(all, &mut |rest| match fails(&self.with(rest.iter().copied().collect())) {
            Some(found) => {
                *at = found;
                true
            }
            None => false,
        });
        self.fates = left.into_iter().collect();
    }

    /// Fates with less in them, the simplest first.
    fn simpler(&self, key: &FateKey) -> Vec<Fate> {
        let base = self.untroubled(key);
        match self.fates.get(key) {
            Some(Fate::Lost(LossCause::Script)) | None => Vec::new(),
            Some(Fate::Lost(_)) => vec![Fate::Lost(LossCause::Script)],
            Some(Fate::Once(copy)) if copy.damage != Damage::None => vec![
                Fate::Lost(LossCause::Script),
                Fate::Once(Delivery { damage: copy.damage, ..base }),
                Fate::Once(Delivery::whole(copy.delay_us)),
            ],
            Some(Fate::Once(_)) => Vec::new(),
            Some(Fate::Twice(first, second)) => vec![
                Fate::Lost(LossCause::Script),
                Fate::Once(Delivery::whole(first.delay_us)),
                Fate::Once(Delivery::whole(second.delay_us)),
                Fate::Twice(base, Delivery::whole(second.delay_us.max(base.delay_us))),
            ],
        }
    }

    /// Lowers the delay of a datagram, or of its second copy, as far as it goes.
    fn lower(&mut self, key: FateKey, fails: Fails<'_>, at: &mut Option<Time>) {
        let base_us = self.untroubled(&key).delay_us;
        let (delay_us, twice) = match self.fates.get(&key) {
            Some(Fate::Once(copy)) if copy.damage == Damage::None => (copy.delay_us, false),
            Some(Fate::Twice(first, second)) if *first == Delivery::whole(base_us) => (second.delay_us, true),
            _ => return,
        };
        let fate = |delay_us| match twice {
            true => Fate::Twice(Delivery::whole(base_us), Delivery::whole(delay_us)),
            false => Fate::Once(Delivery::whole(delay_us)),
        };
        if twice && self.try_fate(key, fate(base_us), fails, at) {
            return;
        }
        lower(base_us, delay_us, &mut |shorter_us| self.try_fate(key, fate(shorter_us), fails, at));
    }

    fn try_fate(&mut self, key: FateKey, fate: Fate, fails: Fails<'_>, at: &mut Option<Time>) -> bool {
        let mut other = self.clone();
        other.fates.insert(key, fate);
        let Some(found) = fails(&other) else { return false };
        (*self, *at) = (other, found);
        true
    }

    /// What a scenario has to say for the same faults, datagram by datagram. `fates` are those of the run with this schedule, on these
    /// links.
    pub(super) fn said(&self, fates: &BTreeMap<FateKey, Fate>, links: &[[Link; 2]]) -> Result<Vec<Said>, String> {
        let mut said: Vec<Said> = Vec::new();
        let mut places: BTreeMap<(u16, usize), u32> = BTreeMap::new();
        for key in fates.keys() {
            let lane = (key.client.0, key.direction.index());
            let place = places.entry(lane).or_default();
            let index = *place;
            *place += 1;
            let Some(fate) = self.fates.get(key) else { continue };
            let latency_us =
                links.get(usize::from(key.client.0).saturating_sub(1)).map_or(0, |pair| pair[lane.1].latency_us);
            let action = action(*fate, latency_us).ok_or_else(|| format!("{fate:?}"))?;
            said.push(Said { client: lane.0, direction: key.direction, index: (index, index), action });
        }
        Ok(said)
    }

    fn untroubled(&self, key: &FateKey) -> Delivery {
        let latency_us = self.latency_us.get(&(key.client.0, key.direction.index()));
        Delivery::whole(latency_us.copied().unwrap_or_default())
    }

    fn with(&self, fates: BTreeMap<FateKey, Fate>) -> Schedule {
        Schedule { fates, latency_us: self.latency_us.clone() }
    }
}

/// What a rule does that gives a datagram this fate.
fn action(fate: Fate, latency_us: u64) -> Option<Action> {
    let whole = Delivery::whole(latency_us);
    match fate {
        Fate::Lost(_) => Some(Action::Drop),
        Fate::Once(copy) if copy.damage == Damage::None => {
            copy.delay_us.checked_sub(latency_us).map(|by_us| Action::Delay { by_us })
        }
        Fate::Once(copy) if copy.delay_us == latency_us => Some(Action::Damage(copy.damage)),
        Fate::Twice(first, second) if first == whole && second.damage == Damage::None => {
            second.delay_us.checked_sub(latency_us).map(|after_us| Action::Duplicate { after_us })
        }
        Fate::Once(_) | Fate::Twice(..) => None,
    }
}
