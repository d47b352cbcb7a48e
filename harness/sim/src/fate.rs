//! The fate of each datagram.
//!
//! A fate is drawn from the seed and from where the datagram stands (client, direction, slot of time, ordinal within
//! the slot), never from what was drawn before: changing one fate changes no other.

use crate::burst::Chain;
use crate::jitter::jitter_us;
use crate::key::FateKey;
use crate::link::{Link, MAX_DATAGRAM_BYTES, Network};
use crate::observed::Observed;
use crate::pause::{alive, awake};
use crate::queue::Bottleneck;
use crate::rebind::Translators;
use crate::rng::{Domain, FateRng, PAGE_BYTES, below, threshold};
use crate::script::Script;
use crate::spike::Spikes;
use crate::{LAST, SLOT_US};
use kit::{Damage, Delivery, Direction, Dissection, Fate, HostId, LossCause, PacketId, Pause, Time};
use std::collections::BTreeMap;

/// Bytes drawn for each datagram: always the same, whatever the link does.
const DRAW_BYTES: usize = 32;

/// Slots whose draws stand in one page.
const SLOTS_PER_PAGE: u32 = (PAGE_BYTES / DRAW_BYTES) as u32;

/// Ordinals with a page of their own; the rest of a crowded slot shares one, and seeks each time.
const PAGES: usize = 32;

/// Decides fates, datagram by datagram in the order of sending. Whoever moves datagrams asks here; the direct
/// executor is one such.
#[derive(Clone, Debug)]
pub struct Fates<'n> {
    lanes: Vec<[Lane<'n>; 2]>,
    overrides: &'n BTreeMap<FateKey, Fate>,
    pauses: &'n [Pause],
    restarts: &'n [(Time, Time)],
    translators: Translators<'n>,
}

impl<'n> Fates<'n> {
    /// The fates of `network`, with nothing sent yet.
    pub fn new(network: &'n Network) -> Fates<'n> {
        let lanes = network.links.iter().zip(1..).map(|(links, client)| {
            [Direction::ServerToClient, Direction::ClientToServer]
                .map(|direction| Lane::new(network.seed, HostId(client), direction, &links[direction.index()]))
        });
        let Network { fates: overrides, pauses, restarts, .. } = network;
        let translators = Translators::new(&network.rebinds, network.links.len());
        Fates { lanes: lanes.collect(), overrides, pauses, restarts, translators }
    }

    /// Names the datagram of `length` bytes that `client`'s link takes at `now`, and decides its fate.
    ///
    /// `now` must not run backwards. `port` is the one that the client sends from, or the one that the server sends to;
    /// `dissection` is what the datagram carries, for scripted rules. `None` when `client` has no link, or when the slot is full
    /// (65,536 datagrams).
    #[inline]
    pub fn decide(
        &mut self,
        now: Time,
        client: HostId,
        direction: Direction,
        port: u16,
        length: usize,
        dissection: Option<&Dissection>,
    ) -> Option<(PacketId, Fate)> {
        let lane = self.lane(client, direction)?;
        let packet = lane.name(now)?;
        let (mut fate, mut chance) = lane.fate(now, &packet, length, dissection);
        if self.translators.loses(now, client, direction, port) {
            (fate, chance) = (Fate::Lost(LossCause::Port), false);
        }
        if !self.pauses.is_empty() {
            let receiver = if direction == Direction::ServerToClient { client } else { HostId::SERVER };
            fate = awake(self.pauses, receiver, now, fate);
        }
        if !self.overrides.is_empty()
            && let Some(other) = self.overrides.get(&packet.into())
        {
            fate = *other;
        }
        if !self.restarts.is_empty() {
            fate = alive(self.restarts, now, fate);
        }
        self.lane(client, direction)?.observed.sent(length, &fate, chance);
        Some((packet, fate))
    }

    /// Whether a rule of a script may still ask what datagrams carry that are sent from `now` on.
    pub fn want_content(&self, now: Time) -> bool {
        self.lanes.iter().flatten().any(|lane| lane.script.wants_content(now, lane.index))
    }

    /// The port that the server sees where `client` sends from port `own` at `now`.
    #[inline]
    pub fn outside(&self, now: Time, client: HostId, own: u16) -> u16 {
        self.translators.outside(now, client, own)
    }

    /// Whether `client` has a link.
    #[inline]
    pub fn has_link(&self, client: HostId) -> bool {
        (1..=self.lanes.len()).contains(&usize::from(client.0))
    }

    /// Counts the delivery of a copy that was under way for `delay_us`; `first` unless another copy of the datagram
    /// came before it.
    #[inline]
    pub fn delivered(&mut self, packet: &PacketId, delay_us: u64, first: bool) {
        if let Some(lane) = self.lane(packet.client, packet.direction) {
            if !first {
                lane.observed.delivered_again();
                return;
            }
            let late = packet.index < lane.arrived_to;
            lane.arrived_to = lane.arrived_to.max(packet.index.saturating_add(1));
            lane.observed.arrived(delay_us, late);
        }
    }

    /// What was observed so far, per link and direction.
    pub fn observed(&self) -> Vec<[Observed; 2]> {
        self.lanes.iter().map(|lanes| lanes.each_ref().map(|lane| lane.observed.clone())).collect()
    }

    /// How many datagrams each scripted rule took so far, per link, direction and rule.
    pub fn script_hits(&self) -> Vec<[Vec<u64>; 2]> {
        self.lanes.iter().map(|lanes| lanes.each_ref().map(|lane| lane.script.hits.clone())).collect()
    }

    #[inline]
    fn lane(&mut self, client: HostId, direction: Direction) -> Option<&mut Lane<'n>> {
        let lanes = self.lanes.get_mut(usize::from(client.0).checked_sub(1)?)?;
        Some(&mut lanes[direction.index()])
    }
}

/// One direction of one link: its configuration, compiled, and where it stands.
#[derive(Clone, Debug)]
struct Lane<'n> {
    link: &'n Link,
    client: HostId,
    direction: Direction,
    slot: u32,
    ordinal: u32,
    index: u32,
    odds: Odds,
    draws: Draws,
    chain: Option<Chain>,
    spikes: Option<Spikes>,
    bottleneck: Option<Bottleneck>,
    script: Script<'n>,
    mtu_bytes: usize,
    /// The highest index that arrived, plus one.
    arrived_to: u32,
    observed: Observed,
}

impl<'n> Lane<'n> {
    fn new(seed: u64, client: HostId, direction: Direction, link: &'n Link) -> Lane<'n> {
        let stream = u64::from(client.0) << 32 | (direction.index() as u64) << 16;
        Lane {
            link,
            client,
            direction,
            slot: 0,
            ordinal: 0,
            index: 0,
            odds: Odds::new(link),
            draws: Draws { seed, stream, pages: Vec::new() },
            chain: link.burst.as_ref().map(|burst| Chain::new(seed, stream, burst)),
            spikes: link.spike.as_ref().map(|spike| Spikes::new(seed, stream, spike)),
            bottleneck: link.bandwidth.as_ref().map(Bottleneck::new),
            script: Script::new(&link.script),
            mtu_bytes: link.mtu_bytes.map_or(MAX_DATAGRAM_BYTES, |mtu| mtu.min(MAX_DATAGRAM_BYTES)),
            arrived_to: 0,
            observed: Observed::default(),
        }
    }

    #[inline]
    fn name(&mut self, now: Time) -> Option<PacketId> {
        let slot = (now.min(LAST).us() / SLOT_US) as u32;
        if slot != self.slot {
            self.slot = slot;
            self.ordinal = 0;
        }
        let ordinal = u16::try_from(self.ordinal).ok()?;
        let packet = PacketId { client: self.client, direction: self.direction, slot, ordinal, index: self.index };
        self.ordinal += 1;
        self.index = self.index.wrapping_add(1);
        Some(packet)
    }

    /// The fate, and whether it was left to chance.
    #[inline]
    fn fate(&mut self, now: Time, packet: &PacketId, length: usize, dissection: Option<&Dissection>) -> (Fate, bool) {
        if !self.link.script.is_empty()
            && let Some(action) = self.script.action(packet, now, dissection)
        {
            self.observed.scripted += 1;
            return (action.fate(self.link.latency_us, length), false);
        }
        if length > self.mtu_bytes {
            return (Fate::Lost(LossCause::Mtu), false);
        }
        if self.link.outages.iter().any(|&(from, until)| (from..until).contains(&now)) {
            return (Fate::Lost(LossCause::Outage), false);
        }
        let calm = self.link.random_until.is_some_and(|until| now >= until);
        let bad = !calm && self.chain.as_mut().is_some_and(|chain| chain.bad(packet.slot));
        let fate = if calm || (self.odds.none && !bad) {
            Fate::Once(Delivery::whole(self.link.latency_us))
        } else {
            self.odds.fate(&self.draws.at(packet.slot, packet.ordinal), bad, length)
        };
        let fate = match &mut self.spikes {
            Some(spikes) if !calm && !matches!(fate, Fate::Lost(_)) => {
                let spike_us = spikes.delay_us(now, packet.slot);
                self.observed.spiked += u64::from(spike_us > 0);
                later(fate, spike_us)
            }
            _ => fate,
        };
        let fate = match &mut self.bottleneck {
            Some(bottleneck) => queued(fate, bottleneck.pass_survivor(now, length, &fate)),
            None => fate,
        };
        (fate, !calm)
    }
}

impl Bottleneck {
    /// Passes a datagram through that chance has spared; a lost one takes no room.
    fn pass_survivor(&mut self, now: Time, length: usize, fate: &Fate) -> Option<u64> {
        match fate {
            Fate::Lost(_) => Some(0),
            Fate::Once(_) | Fate::Twice(..) => self.pass(now, length),
        }
    }
}

/// The fate after the bottleneck. Duplication happens after it: the datagram queues once, both copies wait as long.
fn queued(fate: Fate, wait_us: Option<u64>) -> Fate {
    wait_us.map_or(Fate::Lost(LossCause::Queue), |wait_us| later(fate, wait_us))
}

/// The fate with every copy so much later.
fn later(fate: Fate, by_us: u64) -> Fate {
    let later = |copy: Delivery| Delivery { delay_us: copy.delay_us.saturating_add(by_us), ..copy };
    match fate {
        Fate::Lost(cause) => Fate::Lost(cause),
        Fate::Once(copy) => Fate::Once(later(copy)),
        Fate::Twice(first, second) => Fate::Twice(later(first), later(second)),
    }
}

/// The draws of one datagram, by use.
#[derive(Clone, Copy, Debug)]
struct Draw {
    loss: u32,
    jitter: u32,
    duplicate: u32,
    duplicate_delay: u32,
    reorder: u32,
    damage: u32,
    damage_place: u32,
    second_damage: u32,
}

/// The draws of one lane.
#[derive(Clone, Debug)]
struct Draws {
    seed: u64,
    stream: u64,
    pages: Vec<Page>,
}

#[derive(Clone, Debug)]
struct Page {
    rng: FateRng,
    ordinal: u16,
    number: Option<u32>,
    bytes: [u8; PAGE_BYTES],
}

impl Draws {
    /// Stream: client, direction and ordinal. Place in it: the slot.
    #[inline]
    fn at(&mut self, slot: u32, ordinal: u16) -> Draw {
        let which = usize::from(ordinal).min(PAGES);
        while self.pages.len() <= which {
            let rng = FateRng::new(self.seed, Domain::Datagram);
            self.pages.push(Page { rng, ordinal: 0, number: None, bytes: [0; PAGE_BYTES] });
        }
        let page = &mut self.pages[which];
        let number = slot / SLOTS_PER_PAGE;
        if page.number != Some(number) || page.ordinal != ordinal {
            page.rng.page(self.stream | u64::from(ordinal), number.into(), &mut page.bytes);
            (page.number, page.ordinal) = (Some(number), ordinal);
        }
        let at = (slot % SLOTS_PER_PAGE) as usize * DRAW_BYTES;
        let bytes = &page.bytes[at..at + DRAW_BYTES];
        let word = |n: usize| u32::from_le_bytes([bytes[4 * n], bytes[4 * n + 1], bytes[4 * n + 2], bytes[4 * n + 3]]);
        Draw {
            loss: word(0),
            jitter: word(1),
            duplicate: word(2),
            duplicate_delay: word(3),
            reorder: word(4),
            damage: word(5),
            damage_place: word(6),
            second_damage: word(7),
        }
    }
}

/// A link's chances as thresholds of draws.
#[derive(Clone, Debug)]
struct Odds {
    /// Nothing is left to chance outside bursts.
    none: bool,
    latency_us: u64,
    jitter_us: u64,
    loss: u64,
    burst_loss: u64,
    duplicate: u64,
    duplicate_us: u64,
    reorder: u64,
    reorder_us: u64,
    corrupt: u64,
    corrupt_or_truncate: u64,
}

impl Odds {
    fn new(link: &Link) -> Odds {
        let damage_ppm = link.corrupt_ppm.saturating_add(link.truncate_ppm);
        let chances = [link.loss_ppm, link.duplicate_ppm, link.reorder_ppm, damage_ppm];
        Odds {
            none: chances == [0; 4] && link.jitter_us == 0,
            latency_us: link.latency_us,
            jitter_us: link.jitter_us,
            loss: threshold(link.loss_ppm),
            burst_loss: threshold(link.burst.map_or(0, |burst| burst.loss_ppm)),
            duplicate: threshold(link.duplicate_ppm),
            duplicate_us: link.duplicate_us,
            reorder: threshold(link.reorder_ppm),
            reorder_us: link.reorder_us,
            corrupt: threshold(link.corrupt_ppm),
            corrupt_or_truncate: threshold(damage_ppm),
        }
    }

    #[inline]
    fn fate(&self, draw: &Draw, bad: bool, length: usize) -> Fate {
        let (loss, cause) = if bad { (self.burst_loss, LossCause::Burst) } else { (self.loss, LossCause::Random) };
        if u64::from(draw.loss) < loss {
            return Fate::Lost(cause);
        }
        let mut delay_us = self.latency_us.saturating_add(jitter_us(draw.jitter, self.jitter_us));
        if u64::from(draw.reorder) < self.reorder {
            delay_us = delay_us.saturating_add(self.reorder_us);
        }
        let first = self.delivery(delay_us, draw.damage, draw.damage_place, length);
        if u64::from(draw.duplicate) >= self.duplicate {
            return Fate::Once(first);
        }
        let after_us = below(draw.duplicate_delay, self.duplicate_us.saturating_add(1));
        let second_us = delay_us.saturating_add(after_us);
        Fate::Twice(first, self.delivery(second_us, draw.second_damage, draw.damage_place, length))
    }

    #[inline]
    fn delivery(&self, delay_us: u64, damage: u32, place: u32, length: usize) -> Delivery {
        let damage = if u64::from(damage) >= self.corrupt_or_truncate || length == 0 {
            Damage::None
        } else if u64::from(damage) < self.corrupt {
            Damage::Flipped { bit: below(place, length as u64 * 8) as u32 }
        } else {
            let least = u64::from(length > 1);
            Damage::Truncated { keep_bytes: (least + below(place, length as u64 - least)) as u16 }
        };
        Delivery { delay_us, damage }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::{Bandwidth, Burst};
    use crate::script::{Action, Rule, Select};

    fn stormy() -> Link {
        Link {
            latency_us: 20_000,
            jitter_us: 30_000,
            loss_ppm: 50_000,
            burst: Some(Burst { enter_ppm: 10_000, leave_ppm: 200_000, loss_ppm: 800_000 }),
            duplicate_ppm: 40_000,
            duplicate_us: 15_000,
            reorder_ppm: 30_000,
            reorder_us: 60_000,
            corrupt_ppm: 10_000,
            truncate_ppm: 10_000,
            bandwidth: Some(Bandwidth { bits_per_second: 300_000, queue_bytes: 1_000 }),
            ..Link::default()
        }
    }

    /// The fates of `count` datagrams of 100 bytes, sent `every_us` microseconds by the server to client 1.
    fn fates(network: &Network, count: u64, every_us: u64) -> Vec<(FateKey, Fate)> {
        let mut fates = Fates::new(network);
        let mut decide = |n| fates.decide(Time(n * every_us), HostId(1), Direction::ServerToClient, 0, 100, None);
        (0..count).filter_map(|n| decide(n).map(|(packet, fate)| (packet.into(), fate))).collect()
    }

    #[test]
    fn overriding_one_fate_changes_no_other() {
        let mut network = Network::uniform(3, 1, &stormy());
        let before = fates(&network, 5_000, 2_700);
        for (at, (key, fate)) in before.iter().enumerate().step_by(501) {
            let other = match fate {
                Fate::Lost(_) => Fate::Once(Delivery::whole(1)),
                Fate::Once(_) | Fate::Twice(..) => Fate::Lost(LossCause::Script),
            };
            network.fates = BTreeMap::from([(*key, other)]);
            let mut expected = before.clone();
            expected[at].1 = other;
            assert_eq!(fates(&network, 5_000, 2_700), expected);
        }
    }

    #[test]
    fn a_fate_depends_on_its_key_alone() {
        let link = Link { bandwidth: None, ..stormy() };
        let network = Network::uniform(3, 1, &link);
        let dense: BTreeMap<FateKey, Fate> = fates(&network, 20_000, 900).into_iter().collect();
        // Other traffic, other ordinals and gaps: where keys coincide, fates do.
        let sparse = fates(&network, 500, 31_000);
        let shared: Vec<_> = sparse.iter().filter(|(key, _)| dense.contains_key(key)).collect();
        assert_eq!(shared.len(), 500);
        assert!(shared.iter().all(|(key, fate)| dense[key] == *fate));
    }

    #[test]
    fn crowded_slots_draw_by_ordinal_too() {
        let link = Link { loss_ppm: 500_000, ..Link::default() };
        let crowded = fates(&Network::uniform(1, 1, &link), 300, 100);
        let lost = crowded.iter().filter(|(_, fate)| matches!(fate, Fate::Lost(_))).count();
        assert_eq!(crowded[99].0.ordinal, 99);
        assert_eq!(lost, 139);
        let apart: BTreeMap<FateKey, Fate> = fates(&Network::uniform(1, 1, &link), 90, 333).into_iter().collect();
        assert!(crowded.iter().all(|(key, fate)| apart.get(key).is_none_or(|other| other == fate)));
    }

    #[test]
    fn clients_directions_and_seeds_draw_apart() {
        let link = Link { loss_ppm: 500_000, ..Link::default() };
        let (one, two) = (Network::uniform(1, 2, &link), Network::uniform(2, 2, &link));
        let lost = |network: &Network, client, direction| -> u64 {
            let mut fates = Fates::new(network);
            let mut lost = |slot| fates.decide(Time(slot * SLOT_US), HostId(client), direction, 0, 9, None);
            (0..64).fold(0, |bits, slot| bits << 1 | u64::from(matches!(lost(slot), Some((_, Fate::Lost(_))))))
        };
        let mut patterns = Vec::new();
        for network in [&one, &two] {
            for client in [1, 2] {
                for direction in [Direction::ServerToClient, Direction::ClientToServer] {
                    patterns.push(lost(network, client, direction));
                }
            }
        }
        for (n, a) in patterns.iter().enumerate() {
            for b in &patterns[..n] {
                assert!((16..=48).contains(&(a ^ b).count_ones()), "{a:016x} {b:016x}");
            }
        }
    }

    #[test]
    fn a_scripted_fate_is_exempt_from_everything_else() {
        let link = Link {
            latency_us: 7,
            loss_ppm: 1_000_000,
            mtu_bytes: Some(10),
            outages: vec![(Time::ZERO, Time(u64::MAX))],
            bandwidth: Some(Bandwidth::default()),
            script: vec![Rule { select: Select::default(), action: Action::Deliver }],
            ..Link::default()
        };
        let all = fates(&Network::uniform(1, 1, &link), 20, 1_000);
        assert!(all.iter().all(|(_, fate)| *fate == Fate::Once(Delivery::whole(7))));
    }

    #[test]
    fn nothing_is_left_to_chance_once_it_has_ended() {
        let burst = Some(Burst { enter_ppm: 1_000_000, leave_ppm: 0, loss_ppm: 1_000_000 });
        let link = Link { burst, bandwidth: None, random_until: Some(Time::from_ms(50)), ..stormy() };
        let all = fates(&Network::uniform(1, 1, &link), 100, 1_000);
        assert!(all[..50].iter().all(|(_, fate)| *fate == Fate::Lost(LossCause::Burst)));
        assert!(all[50..].iter().all(|(_, fate)| *fate == Fate::Once(Delivery::whole(20_000))));
    }

    #[test]
    fn datagrams_beyond_the_mtu_or_in_an_outage_are_lost() {
        let link = Link { mtu_bytes: Some(100), outages: vec![(Time(10), Time(20))], ..Link::default() };
        let network = Network::uniform(1, 1, &link);
        let mut fates = Fates::new(&network);
        let mut check = |now, length, expected: Fate| {
            let decided = fates.decide(Time(now), HostId(1), Direction::ClientToServer, 0, length, None);
            assert_eq!(decided.map(|(_, fate)| fate), Some(expected), "{now} {length}");
        };
        check(0, 100, Fate::Once(Delivery::whole(0)));
        check(0, 101, Fate::Lost(LossCause::Mtu));
        check(10, 1, Fate::Lost(LossCause::Outage));
        check(19, 1, Fate::Lost(LossCause::Outage));
        check(20, 1, Fate::Once(Delivery::whole(0)));
    }

    #[test]
    fn a_slot_takes_as_many_datagrams_as_ordinals_exist() {
        let network = Network::uniform(1, 1, &Link::default());
        let mut fates = Fates::new(&network);
        let mut send = |now| fates.decide(Time(now), HostId(1), Direction::ClientToServer, 0, 1, None).is_some();
        assert_eq!((0..70_000).filter(|_| send(0)).count(), 65_536);
        assert!(send(SLOT_US));
    }

    #[test]
    fn clients_without_a_link_have_no_fates() {
        let network = Network::uniform(1, 1, &Link::default());
        for client in [0, 2, u16::MAX] {
            let decided =
                Fates::new(&network).decide(Time::ZERO, HostId(client), Direction::ClientToServer, 0, 1, None);
            assert_eq!(decided, None);
        }
    }

    #[test]
    fn truncation_keeps_at_least_one_byte_of_two() {
        let link = Link { truncate_ppm: 1_000_000, ..Link::default() };
        let network = Network::uniform(1, 1, &link);
        let mut fates = Fates::new(&network);
        for (length, kept) in [(1, 0..=0), (2, 1..=1), (50, 1..=49)] {
            for slot in 0..100 {
                let now = Time(slot * SLOT_US);
                let decided = fates.decide(now, HostId(1), Direction::ServerToClient, 0, length, None);
                let Some((_, Fate::Once(Delivery { damage: Damage::Truncated { keep_bytes }, .. }))) = decided else {
                    panic!("{decided:?}")
                };
                assert!(kept.contains(&keep_bytes), "{length} bytes, {keep_bytes} kept");
            }
        }
        let decided = fates.decide(Time(100 * SLOT_US), HostId(1), Direction::ServerToClient, 0, 0, None);
        assert_eq!(decided.map(|(_, fate)| fate), Some(Fate::Once(Delivery::whole(0))), "nothing to cut");
    }
}
