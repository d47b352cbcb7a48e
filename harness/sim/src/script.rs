//! Scripted faults: which datagram, and what happens to it.

use kit::{Damage, Delivery, Dissection, Fate, LossCause, PacketId, Time};

/// What to do with which datagrams.
///
/// The fate of a datagram that a rule takes is exactly what the rule says, at the link's latency: no chance, outage,
/// MTU or bandwidth touches it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Which datagrams.
    pub select: Select,
    /// What happens to them.
    pub action: Action,
}

/// Which datagrams a rule takes: those that meet every condition given. The default meets them all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Select {
    /// Place among the datagrams of this link and direction, from 0; both ends inclusive.
    pub index: Option<(u32, u32)>,
    /// Time of sending; from (inclusive) until (exclusive).
    pub time: Option<(Time, Time)>,
    /// What the datagram carries. Never met in a run without a dissector.
    pub carries: Option<Carries>,
    /// Place among the datagrams that meet the other conditions, from 1; both ends inclusive. Datagrams that an
    /// earlier rule took are counted too.
    pub nth: Option<(u32, u32)>,
}

/// A mark to look for in what the dissector found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carries {
    /// Index into [`Protocol::marks`](kit::Protocol::marks).
    pub kind: usize,
    /// The entity, frame or sequence that it concerns; `None` for any.
    pub number: Option<u32>,
}

/// What happens to a datagram. All but `Drop` deliver it after the link's latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Lost.
    Drop,
    /// Delivered once, whole.
    Deliver,
    /// Delivered once, later.
    Delay {
        /// How much later, in microseconds.
        by_us: u64,
    },
    /// Delivered twice.
    Duplicate {
        /// How long after the first copy the second comes, in microseconds.
        after_us: u64,
    },
    /// Delivered once, damaged.
    Damage(Damage),
}

impl Select {
    /// Whether what a datagram carries may still decide, at `now`, that its rule takes it, as the datagrams from `index` on are to
    /// be sent and `met` of them met the other conditions.
    fn wants_content(&self, now: Time, index: u32, met: u32) -> bool {
        self.carries.is_some()
            && self.index.is_none_or(|(_, last)| index <= last)
            && self.time.is_none_or(|(_, until)| now < until)
            && self.nth.is_none_or(|(_, last)| met < last)
    }

    fn meets(&self, packet: &PacketId, now: Time, dissection: Option<&Dissection>) -> bool {
        self.index.is_none_or(|(first, last)| (first..=last).contains(&packet.index))
            && self.time.is_none_or(|(from, until)| (from..until).contains(&now))
            && self.carries.is_none_or(|carries| dissection.is_some_and(|found| carries.is_in(found)))
    }
}

impl Carries {
    fn is_in(&self, dissection: &Dissection) -> bool {
        dissection
            .marks
            .iter()
            .any(|mark| mark.kind == self.kind && self.number.is_none_or(|number| number == mark.number))
    }
}

impl Action {
    /// The fate of a datagram of `length` bytes on a link of this latency.
    pub fn fate(self, latency_us: u64, length: usize) -> Fate {
        let whole = Delivery::whole(latency_us);
        let later = |by_us| Delivery::whole(latency_us.saturating_add(by_us));
        match self {
            Action::Drop => Fate::Lost(LossCause::Script),
            Action::Deliver => Fate::Once(whole),
            Action::Delay { by_us } => Fate::Once(later(by_us)),
            Action::Duplicate { after_us } => Fate::Twice(whole, later(after_us)),
            Action::Damage(damage) => Fate::Once(Delivery { damage: damage.within(length), ..whole }),
        }
    }
}

/// The rules of one link and direction, with how often each was met and did something.
#[derive(Clone, Debug)]
pub(crate) struct Script<'n> {
    rules: &'n [Rule],
    met: Vec<u32>,
    pub(crate) hits: Vec<u64>,
}

impl<'n> Script<'n> {
    pub(crate) fn new(rules: &'n [Rule]) -> Script<'n> {
        Script { rules, met: vec![0; rules.len()], hits: vec![0; rules.len()] }
    }

    /// Whether a rule may still ask what datagrams carry, at `now` and from `index` on.
    pub(crate) fn wants_content(&self, now: Time, index: u32) -> bool {
        let mut rules = self.rules.iter().zip(&self.met);
        rules.any(|(rule, met)| rule.select.wants_content(now, index, *met))
    }

    /// The action of the first rule that takes the datagram.
    pub(crate) fn action(&mut self, packet: &PacketId, now: Time, dissection: Option<&Dissection>) -> Option<Action> {
        let mut action = None;
        for ((rule, met), hits) in self.rules.iter().zip(&mut self.met).zip(&mut self.hits) {
            if !rule.select.meets(packet, now, dissection) {
                continue;
            }
            *met = met.saturating_add(1);
            if action.is_none() && rule.select.nth.is_none_or(|(first, last)| (first..=last).contains(met)) {
                *hits += 1;
                action = Some(rule.action);
            }
        }
        action
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::{Direction, HostId, Mark};

    /// Sends datagrams 0 to 9, one per millisecond; number `n` carries mark kind 1, number `n % 3`.
    fn check(rules: &[Rule], expected: [Option<usize>; 10], hits: &[u64]) {
        let mut script = Script::new(rules);
        let taken: Vec<Option<Action>> = (0..10)
            .map(|n| {
                let (client, direction) = (HostId(1), Direction::ServerToClient);
                let packet = PacketId { client, direction, slot: 0, ordinal: n as u16, index: n };
                let marks = vec![Mark { kind: 1, number: n % 3 }];
                script.action(&packet, Time::from_ms(n.into()), Some(&Dissection { marks, ..Dissection::default() }))
            })
            .collect();
        assert_eq!(taken, expected.map(|rule| rule.map(|rule| rules[rule].action)));
        assert_eq!(script.hits, hits);
    }

    fn rule(select: Select) -> Rule {
        Rule { select, action: Action::Drop }
    }

    const A: Option<usize> = Some(0);
    const B: Option<usize> = Some(1);
    const N: Option<usize> = None;

    #[test]
    fn index_ranges_are_inclusive() {
        check(&[rule(Select { index: Some((2, 4)), ..Select::default() })], [N, N, A, A, A, N, N, N, N, N], &[3]);
    }

    #[test]
    fn time_ranges_are_half_open() {
        let time = Some((Time::from_ms(2), Time::from_ms(4)));
        check(&[rule(Select { time, ..Select::default() })], [N, N, A, A, N, N, N, N, N, N], &[2]);
    }

    #[test]
    fn nth_counts_datagrams_that_meet_the_other_conditions() {
        let carries = Some(Carries { kind: 1, number: Some(2) });
        check(
            &[rule(Select { carries, nth: Some((2, 3)), ..Select::default() })],
            [N, N, N, N, N, A, N, N, A, N],
            &[2],
        );
    }

    #[test]
    fn marks_of_another_kind_do_not_match() {
        let carries = Some(Carries { kind: 2, number: None });
        check(&[rule(Select { carries, ..Select::default() })], [N; 10], &[0]);
    }

    #[test]
    fn the_first_rule_wins_and_later_rules_still_count() {
        let first = rule(Select { index: Some((0, 1)), ..Select::default() });
        let second =
            Rule { select: Select { nth: Some((2, 4)), ..Select::default() }, action: Action::Delay { by_us: 5 } };
        check(&[first, second], [A, A, B, B, N, N, N, N, N, N], &[2, 2]);
    }

    #[test]
    fn all_conditions_must_hold() {
        let select = Select {
            index: Some((3, 8)),
            time: Some((Time::ZERO, Time::from_ms(7))),
            carries: Some(Carries { kind: 1, number: None }),
            nth: Some((1, 2)),
        };
        check(&[rule(select)], [N, N, N, A, A, N, N, N, N, N], &[2]);
    }

    #[test]
    fn carries_never_matches_without_a_dissection() {
        let rules = [rule(Select { carries: Some(Carries { kind: 0, number: None }), ..Select::default() })];
        let packet =
            PacketId { client: HostId(1), direction: Direction::ClientToServer, slot: 0, ordinal: 0, index: 0 };
        assert_eq!(Script::new(&rules).action(&packet, Time::ZERO, None), None);
    }

    #[test]
    fn actions_that_change_nothing_leave_the_datagram_intact() {
        let flip = |bit| Damage::Flipped { bit };
        let (cut, flipped) = (Damage::Truncated { keep_bytes: 9 }, Delivery { delay_us: 5, damage: flip(3) });
        assert_eq!(Action::Damage(cut).fate(5, 9), Fate::Once(Delivery::whole(5)));
        assert_eq!(Action::Damage(flip(3)).fate(5, 0), Fate::Once(Delivery::whole(5)));
        assert_eq!(Action::Damage(flip(19)).fate(5, 2), Fate::Once(flipped));
    }
}
