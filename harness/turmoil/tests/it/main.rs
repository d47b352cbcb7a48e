//! Runs in turmoil beside the same runs in the direct executor, and async code in the place of an end.

mod async_code;
#[path = "../../../../examples/async_driver/driver.rs"]
mod driver;
#[path = "../../../sim/tests/it/hosts.rs"]
#[allow(dead_code)]
mod hosts;

use deltaproof_turmoil::Refusal;
use hosts::{Lines, Talker, boxed, chatter};
use kit::{Command, Direction, Endpoint, HostId, PeerId, Time};
use sim::{Burst, Halt, Link, Network, Outcome, Rule, Select, Simulation};
use std::collections::BTreeMap;

const END: Time = Time::from_ms(2_000);

fn in_turmoil(
    mut hosts: Vec<Box<dyn Endpoint>>,
    network: &Network,
    commands: &[(Time, HostId, Command)],
    tick_us: Option<u64>,
) -> Result<(Outcome, Vec<String>), Refusal> {
    let mut lines = Lines::default();
    let commands = &mut commands.iter().copied();
    let simulation = Simulation { hosts: &mut hosts, network, commands, dissector: None, until: END, hash: true };
    let outcome = deltaproof_turmoil::run(simulation, tick_us, &mut lines)?;
    Ok((outcome, lines.0))
}

/// Runs it both ways, with several ticks; gives what both came to.
#[track_caller]
fn check(
    hosts: fn() -> Vec<Box<dyn Endpoint>>,
    network: &Network,
    commands: &[(Time, HostId, Command)],
    ticks_us: &[u64],
) -> Outcome {
    let mut direct = Lines::default();
    let expected = hosts::run(hosts(), network, commands, END, &mut direct);
    for tick_us in ticks_us {
        let (outcome, lines) = in_turmoil(hosts(), network, commands, Some(*tick_us)).expect("it runs");
        let first = lines.iter().zip(&direct.0).position(|(here, there)| here != there);
        assert_eq!(first.map(|at| (&lines[at], &direct.0[at])), None, "tick {tick_us} us");
        assert_eq!(outcome, expected, "tick {tick_us} us");
    }
    expected
}

/// Everything that a link can do, at times that are no multiple of a tick.
fn stormy() -> Link {
    Link {
        latency_us: 7_313,
        jitter_us: 40_001,
        loss_ppm: 50_000,
        burst: Some(Burst { enter_ppm: 20_000, leave_ppm: 200_000, loss_ppm: 900_000 }),
        duplicate_ppm: 100_000,
        duplicate_us: 30_000,
        reorder_ppm: 100_000,
        reorder_us: 60_000,
        corrupt_ppm: 50_000,
        truncate_ppm: 50_000,
        bandwidth: Some(sim::Bandwidth { bits_per_second: 400_000, queue_bytes: 2_000 }),
        outages: vec![(Time::from_ms(700), Time::from_ms(800))],
        script: vec![Rule {
            select: Select { index: Some((3, 5)), ..Select::default() },
            action: sim::Action::Delay { by_us: 123_456 },
        }],
        ..Link::default()
    }
}

#[test]
fn four_hosts_in_a_storm_do_the_same_as_in_the_direct_executor_whatever_the_tick() {
    for seed in 1..4 {
        let network = Network::uniform(seed, 3, &stormy());
        let outcome = check(|| chatter(3, 9_777), &network, &[], &[1_000, 3_000, 7_000]);
        let observed = &outcome.observed[0][0];
        assert!(observed.lost_total() > 0 && observed.duplicated > 0 && observed.reordered > 0, "{observed:?}");
    }
}

#[test]
fn instructions_and_instants_that_all_share_keep_their_order() {
    let network = Network::uniform(1, 2, &Link::clean(10_000));
    let spawn = |ms, host| (Time::from_ms(ms), HostId(host), Command::Spawn { entity: 1 });
    // Out of order: carried out with the one before it.
    let commands = [spawn(0, 1), spawn(0, 0), spawn(20, 2), spawn(10, 0), spawn(20, 0), (END, HostId(1), Command::Map)];
    check(|| chatter(2, 10_000), &network, &commands, &[1_000, 5_000, 10_000]);
}

#[test]
fn a_tick_above_a_latency_is_refused_and_the_link_is_named() {
    let mut network = Network::uniform(1, 2, &Link::clean(25_000));
    network.links[1][1].latency_us = 5_500;
    let refused =
        in_turmoil(chatter(2, 10_000), &network, &[], Some(6_000)).map(drop).expect_err("the tick is too long");
    let link = (HostId(2), Direction::ClientToServer);
    assert_eq!(refused, Refusal::Latency { client: link.0, direction: link.1, latency_us: 5_500, tick_us: 6_000 });
    assert!(refused.to_string().starts_with("client2 c2s: its latency of 5500 us is below"), "{refused}");
    assert_eq!(deltaproof_turmoil::tick_us(&network, None), Ok(5_500));
    assert_eq!(deltaproof_turmoil::tick_us(&network, Some(0)), Err(Refusal::Tick));
    network.links[0][0].latency_us = 0;
    assert!(in_turmoil(chatter(2, 10_000), &network, &[], None).is_err(), "no tick is short enough");
}

#[test]
fn a_link_of_less_than_a_millisecond_has_a_tick_too() {
    let network = Network::uniform(1, 2, &Link::clean(200));
    check(|| chatter(2, 10_000), &network, &[], &[30, 200]);
}

#[test]
fn a_recorded_fate_that_is_faster_than_the_tick_is_refused_and_never_late() {
    let mut network = Network::uniform(1, 1, &Link::clean(10_000));
    let mut recorded = sim::Recording::default();
    hosts::run(chatter(1, 9_000), &network, &[], END, &mut recorded);
    let (key, _) = recorded.fates.into_iter().nth(51).expect("a datagram");
    network.fates = BTreeMap::from([(key, kit::Fate::Once(kit::Delivery::whole(1)))]);
    let refused = in_turmoil(chatter(1, 9_000), &network, &[], None).map(drop).expect_err("it comes too early");
    assert!(matches!(refused, Refusal::Early { packet, .. } if sim::FateKey::from(packet) == key), "{refused}");
}

#[test]
fn a_run_that_cannot_go_on_halts_where_the_direct_executor_does() {
    let network = Network::uniform(1, 1, &Link::clean(10_000));
    let to_nobody = || boxed(vec![Talker::new(&[PeerId::client(1), PeerId::client(2)], 15_000, 100), Talker::echo()]);
    let outcome = check(to_nobody, &network, &[], &[1_000, 10_000]);
    assert_eq!(outcome.halted, Some(Halt::Destination { host: HostId(0), to: HostId(2), at: Time::ZERO }));

    let unknown = [(Time::from_ms(55), HostId(7), Command::Map)];
    let outcome = check(|| chatter(1, 9_000), &network, &unknown, &[1_000, 10_000]);
    assert_eq!(outcome.halted, Some(Halt::UnknownHost { host: HostId(7), at: Time::from_ms(55) }));
}
