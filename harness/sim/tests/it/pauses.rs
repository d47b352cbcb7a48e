//! A host that stands still: what comes for it is lost, what it has to do waits.

use crate::hosts::{Lines, Talker, boxed, run};
use kit::{Command, HostId, LossCause, PeerId, Time};
use sim::{Clock, Clocked, Link, Network, Pause, Unwatched};

const CLIENT: HostId = HostId(1);

/// A server and a client that each send 100 bytes every 10 ms over a clean link of 2 ms; `host` stands still from 35 ms to 75 ms.
fn paused(host: HostId) -> Network {
    let pause = Pause { host, from: Time::from_ms(35), until: Time::from_ms(75) };
    Network { pauses: vec![pause], ..Network::uniform(1, 1, &Link::clean(2_000)) }
}

fn pair() -> Vec<Box<dyn kit::Endpoint>> {
    boxed(vec![Talker::new(&[PeerId::client(1)], 10_000, 100), Talker::new(&[PeerId::SERVER], 10_000, 100)])
}

fn lines(network: &Network, commands: &[(Time, HostId, Command)]) -> Vec<String> {
    let mut lines = Lines::default();
    let outcome = run(pair(), network, commands, Time::from_ms(100), &mut lines);
    assert_eq!(outcome.halted, None);
    lines.0
}

#[test]
fn a_paused_host_does_nothing_and_hears_nothing() {
    for (host, direction) in [(HostId::SERVER, "c2s"), (CLIENT, "s2c")] {
        let all = lines(&paused(host), &[]);
        let at = |line: &str| line.split(' ').next().and_then(|us| us.parse::<u64>().ok());
        let in_it = |line: &&String| at(line).is_some_and(|us| (35_000..75_000).contains(&us));
        let acts = format!("{host} timeout");
        assert!(!all.iter().filter(in_it).any(|line| line.contains(&acts) || line.contains(direction)), "{all:#?}");
        // It goes on where it stopped: the timer of 40 ms fires when it wakes up, the next one ten milliseconds later.
        let fired: Vec<u64> = all.iter().filter(|line| line.contains(&acts)).filter_map(|line| at(line)).collect();
        assert_eq!(fired, [0, 10_000, 20_000, 30_000, 75_000, 85_000, 95_000]);
    }
}

#[test]
fn what_reaches_a_paused_host_is_lost_as_its_fate_says() {
    let outcome = run(pair(), &paused(CLIENT), &[], Time::from_ms(100), &mut Unwatched);
    // Sent at 40, 50, 60 and 70 ms; what was sent at 30 arrives before the pause.
    let observed = &outcome.observed[0];
    assert_eq!((observed[0].lost_to(LossCause::Outage), observed[0].lost_total(), observed[1].lost_total()), (4, 4, 0));
}

#[test]
fn instructions_wait_for_the_end_of_a_pause_in_their_order() {
    let spawn = |ms| (Time::from_ms(ms), HostId::SERVER, Command::Spawn { entity: 1 });
    let other = |ms| (Time::from_ms(ms), HostId::SERVER, Command::Map);
    let all = lines(&paused(HostId::SERVER), &[spawn(40), other(50), spawn(75), other(90)]);
    let commands: Vec<&String> = all.iter().filter(|line| line.contains("server command")).collect();
    assert_eq!(
        commands,
        ["75000 server command", "75000 server command", "75000 server command", "90000 server command"]
    );
    let first = all.iter().position(|line| line == "75000 server command").expect("the first one");
    assert_eq!(all[first + 1], "  send c1 s2c #4", "the spawn of 40 ms comes before the map of 50 ms");
}

#[test]
fn a_run_without_pauses_is_as_it_was() {
    let network = Network::uniform(1, 1, &Link::clean(2_000));
    let elsewhere = Pause { host: HostId(7), from: Time::ZERO, until: Time::from_ms(50) };
    let other = Network { pauses: vec![elsewhere], ..network.clone() };
    let hash = |network| run(pair(), network, &[], Time::from_ms(100), &mut Unwatched).trace_hash;
    assert_eq!(hash(&network), hash(&other));
}

#[test]
fn a_host_keeps_the_pace_of_its_own_clock() {
    let clock = Clock { ahead_us: 5_000, drift_ppm: 100_000, ..Clock::default() };
    let mut hosts = pair();
    let client = hosts.pop().expect("the client");
    hosts.push(Clocked::around(client, clock));
    let mut lines = Lines::default();
    run(hosts, &Network::uniform(1, 1, &Link::clean(2_000)), &[], Time::from_ms(40), &mut lines);
    let fired: Vec<&str> = lines.0.iter().filter_map(|line| line.strip_suffix(" client1 timeout")).collect();
    // Ten of its milliseconds are 9.1 of ours, rounded up to the first moment at which it shows them.
    assert_eq!(fired, ["0", "9091", "18182", "27273", "36364"]);
}
