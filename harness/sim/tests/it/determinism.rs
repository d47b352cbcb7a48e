//! The same input gives the same run: on any machine, in debug and release, and again from its recorded fates.

use crate::hosts::{chatter, run};
use kit::{Command, HostId, Time};
use sim::{Bandwidth, Burst, FATE_MODEL, Link, Network, Outcome, Recording, Unwatched};

/// Changes only with [`FATE_MODEL`], or with what the hosts of this file send.
const GOLDEN: u64 = 0xc8a2_4b92_31a8_5df7;

fn stormy() -> Link {
    Link {
        latency_us: 20_000,
        jitter_us: 40_000,
        loss_ppm: 40_000,
        burst: Some(Burst { enter_ppm: 5_000, leave_ppm: 100_000, loss_ppm: 900_000 }),
        duplicate_ppm: 30_000,
        duplicate_us: 25_000,
        reorder_ppm: 20_000,
        reorder_us: 90_000,
        corrupt_ppm: 10_000,
        truncate_ppm: 10_000,
        mtu_bytes: Some(1_400),
        bandwidth: Some(Bandwidth { bits_per_second: 100_000, queue_bytes: 2_000 }),
        outages: vec![(Time::from_ms(3_000), Time::from_ms(3_300))],
        ..Link::default()
    }
}

fn storm(network: &Network, seconds: u64, recording: &mut Recording) -> Outcome {
    let commands = [
        (Time::from_ms(40), HostId(0), Command::Spawn { entity: 7 }),
        (Time::from_ms(40), HostId(2), Command::Set { entity: 7, field: 1, value: -5 }),
    ];
    run(chatter(3, 7_000), network, &commands, Time::from_ms(seconds * 1000), recording)
}

#[test]
fn the_same_run_twice_has_the_same_outcome() {
    let network = Network::uniform(1, 3, &stormy());
    let (mut one, mut two) = (Recording::default(), Recording::default());
    assert_eq!(storm(&network, 10, &mut one), storm(&network, 10, &mut two));
    assert_eq!(one, two);
}

#[test]
fn the_trace_hash_is_the_same_everywhere() {
    let outcome = storm(&Network::uniform(1, 3, &stormy()), 10, &mut Recording::default());
    assert_eq!((FATE_MODEL, outcome.trace_hash), (1, GOLDEN), "{:016x}", outcome.trace_hash);
}

#[test]
fn another_seed_gives_another_run() {
    let other = storm(&Network::uniform(2, 3, &stormy()), 10, &mut Recording::default());
    assert_ne!(other.trace_hash, GOLDEN);
}

#[test]
fn recorded_fates_replay_the_run_whatever_the_links_and_the_seed() {
    let mut recording = Recording::default();
    let original = storm(&Network::uniform(1, 3, &stormy()), 10, &mut recording);
    let replay = Network { fates: recording.fates.clone(), ..Network::uniform(99, 3, &Link::default()) };
    let mut again = Recording::default();
    let replayed = storm(&replay, 10, &mut again);
    assert_eq!(replayed.trace_hash, original.trace_hash);
    assert_eq!(again, recording);
    let counts = |outcome: &Outcome| {
        let links = outcome.observed.iter().flatten();
        links
            .map(|seen| (seen.lost, seen.duplicated, seen.reordered, seen.corrupted, seen.delay_sum_us))
            .collect::<Vec<_>>()
    };
    assert_eq!(counts(&replayed), counts(&original));
}

#[test]
fn one_other_fate_changes_no_other_in_a_run() {
    let mut network = Network::uniform(1, 3, &stormy());
    let mut before = Recording::default();
    storm(&network, 5, &mut before);
    for (key, fate) in before.fates.iter().step_by(397) {
        let other = match fate {
            kit::Fate::Lost(_) => kit::Fate::Once(kit::Delivery::whole(1)),
            _ => kit::Fate::Lost(kit::LossCause::Script),
        };
        network.fates = [(*key, other)].into();
        let mut after = Recording::default();
        storm(&network, 5, &mut after);
        let mut expected = before.fates.clone();
        expected.insert(*key, other);
        assert_eq!(after.fates, expected, "{key:?}");
    }
}

#[test]
fn buffers_are_used_again() {
    let link = Link { latency_us: 50_000, jitter_us: 50_000, ..Link::default() };
    let buffers = |seconds: u64| {
        let network = Network::uniform(1, 2, &link);
        let outcome = run(chatter(2, 10_000), &network, &[], Time::from_ms(seconds * 1000), &mut Unwatched);
        (outcome.buffers, outcome.datagrams)
    };
    assert_eq!(buffers(10), (31, 4_004));
    assert_eq!(buffers(100), (33, 40_004));
}
