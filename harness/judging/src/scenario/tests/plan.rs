//! From a file to what runs: cases, links, conditions.

use super::super::file::Link;
use super::super::{Alteration, Case, Outcome, Preset, Target, cases, check_controls};
use super::{FULL, HEAD, read, scenario};
use kit::{Command, Direction, HostId, Time};
use std::path::Path;
use std::sync::Arc;

fn case(more: &str) -> Case {
    cases(&scenario(more)).remove(0)
}

/// Checks one link of the first client.
fn check(more: &str, direction: Direction, expected: impl Fn(&sim::Link) -> bool) {
    let network = case(more).network(7);
    let link = &network.links[0][direction.index()];
    assert!(expected(link), "{more}\n{link:?}");
}

const S2C: Direction = Direction::ServerToClient;
const C2S: Direction = Direction::ClientToServer;

#[test]
fn every_profile_runs_with_every_variant() {
    let text = HEAD.replace("[fake-nq]", "[fake-qw, fake-nq]")
        + "options: { server_fte2: 0x8 }\nmatrix: [ { option: client_fte2, values: [0x8, 0x28] } ]\n";
    let scenario = Arc::new(read(&text).expect("the scenario is right"));
    let cases = cases(&scenario);
    let names: Vec<String> = cases.iter().map(Case::name).collect();
    assert_eq!(
        names,
        [
            "fake/test@fake-qw[client_fte2=0x8]",
            "fake/test@fake-qw[client_fte2=0x28]",
            "fake/test@fake-nq[client_fte2=0x8]",
            "fake/test@fake-nq[client_fte2=0x28]",
        ]
    );
    let setup = cases[3].setup(9);
    assert_eq!((setup.profile.name, setup.host, setup.clients, setup.seed), ("fake-nq", HostId::SERVER, 1, 9));
    assert_eq!(setup.options, [0x8, 0x28]);
    assert_eq!(setup.texts, ["none".into()]);
}

#[test]
fn a_text_of_the_scenario_takes_the_place_of_the_default() {
    let scenario = scenario("texts:\n  tables: |\n    none\n\n");
    assert_eq!(cases(&scenario)[0].setup(1).texts, ["none\n".into()]);
}

#[test]
fn two_axes_make_all_combinations() {
    let more = "matrix:\n  - { option: client_fte2, values: [1, 2] }\n  - { option: server_fte2, values: [3, 0x4] }\n";
    let names: Vec<String> = cases(&scenario(more)).iter().map(|case| case.variant.clone()).collect();
    assert_eq!(
        names,
        [
            "client_fte2=1,server_fte2=3",
            "client_fte2=1,server_fte2=0x4",
            "client_fte2=2,server_fte2=3",
            "client_fte2=2,server_fte2=0x4",
        ]
    );
}

#[test]
fn what_a_file_leaves_out_has_the_documented_default() {
    let case = case("");
    assert_eq!(case.name(), "fake/test@fake-nq");
    assert_eq!(case.setup(1).options, [0x20, 0x28]);
    assert_eq!((case.duration(), case.settle(), case.seeds()), (Time::from_ms(8000), Time::from_ms(8000), &[1][..]));
    assert!(case.reach().is_empty() && case.finding().is_none());
    let network = case.network(3);
    assert_eq!((network.seed, network.links.len(), network.fates.is_empty()), (3, 1, true));
    assert!(
        network.links[0].iter().all(|link| link.loss_ppm == 0 && link.script.is_empty() && link.random_until.is_none())
    );
}

#[test]
fn a_direction_replaces_keys_of_both() {
    let more = "network:\n  both: { latency: 25ms, loss: 5%, mtu: 1400 }\n  c2s: { loss: 0%, bandwidth: 64kbit }\n";
    check(more, S2C, |link| link.latency_us == 25_000 && link.loss_ppm == 50_000 && link.bandwidth.is_none());
    check(more, C2S, |link| link.latency_us == 25_000 && link.loss_ppm == 0 && link.mtu_bytes == Some(1400));
    check(more, C2S, |link| {
        link.bandwidth.as_ref().is_some_and(|band| band.bits_per_second == 64_000 && band.queue_bytes == 16_384)
    });
}

#[test]
fn random_faults_stop_when_the_run_settles() {
    check("network: { both: { loss: 1% } }\n", S2C, |link| link.random_until.is_none());
    check("settle: 2s\n", S2C, |link| link.random_until == Some(Time::from_ms(6000)));
    check("network: { s2c: { until: 3s } }\n", S2C, |link| link.random_until == Some(Time::from_ms(3000)));
    check("network: { s2c: { until: 3s } }\n", C2S, |link| link.random_until.is_none());
}

#[test]
fn scripted_faults_become_rules_in_the_files_order() {
    let more = "faults:\n  - drop: s2c 12..15\n  - flip: { direction: both, carries: reset, entity: 5, nth: 2, bit: 13 }\n  \
                - delay: { direction: c2s, from: 1s, until: 2s, by: 80ms }\n";
    check(more, S2C, |link| {
        let [first, second] = &link.script[..] else { return false };
        first.select.index == Some((12, 15))
            && matches!(first.action, sim::Action::Drop)
            && second.select.nth == Some((2, 2))
            && second.select.carries.as_ref().is_some_and(|carries| carries.kind == 0 && carries.number == Some(5))
            && matches!(second.action, sim::Action::Damage(kit::Damage::Flipped { bit: 13 }))
    });
    check(more, C2S, |link| {
        let [first, second] = &link.script[..] else { return false };
        matches!(first.action, sim::Action::Damage(kit::Damage::Flipped { bit: 13 }))
            && second.select.time == Some((Time::from_ms(1000), Time::from_ms(2000)))
            && matches!(second.action, sim::Action::Delay { by_us: 80_000 })
    });
}

#[test]
fn every_kind_of_fault_has_its_action() {
    for (fault, expected) in [
        ("duplicate: { direction: s2c, nth: 3, after: 20ms }", sim::Action::Duplicate { after_us: 20_000 }),
        (
            "truncate: { direction: s2c, nth: 3, keep: 20 }",
            sim::Action::Damage(kit::Damage::Truncated { keep_bytes: 20 }),
        ),
        ("deliver: { direction: s2c, nth: 3 }", sim::Action::Deliver),
    ] {
        check(&format!("faults: [ {{ {fault} }} ]\n"), S2C, |link| {
            format!("{:?}", link.script[0].action) == format!("{expected:?}")
        });
    }
}

#[test]
fn single_numbers_of_a_preset_can_be_replaced() {
    check("network: { preset: dsl }\n", S2C, |link| {
        let rate = link.bandwidth.map(|rate| (rate.bits_per_second, rate.queue_bytes));
        (link.latency_us, link.loss_ppm, rate) == (25_000, 1_000, Some((1_500_000, 32_768)))
    });
    let more = "network: { preset: dsl, both: { loss: 3% }, c2s: { queue: 9 } }\n";
    check(more, S2C, |link| (link.latency_us, link.loss_ppm) == (25_000, 30_000));
    check(more, C2S, |link| link.bandwidth.map(|rate| (rate.bits_per_second, rate.queue_bytes)) == Some((384_000, 9)));
    check("network: { preset: wifi, both: { spike: { enter: 0%, by: 1ms, for: 1ms } } }\n", S2C, |link| {
        link.spike.is_none() && link.burst.is_some()
    });
}

#[test]
fn the_readme_has_the_numbers_of_every_preset() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/README.md");
    let readme = std::fs::read_to_string(path).expect("the README can be read");
    for (preset, name, _) in Preset::ALL {
        let row = readme.lines().find(|line| line.starts_with(&format!("| `{name}` |"))).expect(name);
        let [down, up] = preset.links();
        let mut words = vec![down.latency.expect("a latency").to_string(), down.jitter.expect("jitter").to_string()];
        words.extend(down.loss.map(|loss| loss.to_string()));
        words.extend(down.burst.map(|burst| format!("{}, {}, {}", burst.enter, burst.leave, burst.loss)));
        words.extend(down.spike.map(|spike| format!("{}, {}, {}", spike.enter, spike.by, spike.r#for)));
        let kbit = |link: &Link| link.bandwidth.map_or(0, |rate| rate.0 / 1000);
        words.push(format!("{} / {} kbit", kbit(&down), kbit(&up)));
        words.push(format!("{} / {}", down.queue.unwrap_or(0), up.queue.unwrap_or(0)));
        for word in words {
            assert!(row.contains(&format!(" {word} ")), "{name}: {word} is not in {row}");
        }
    }
}

#[test]
fn hosts_stand_still_and_have_wrong_clocks_as_the_file_says() {
    let case = case(
        "faults:\n  - pause: { host: client1, from: 2s, for: 500ms }\n\
         clocks:\n  - { host: client1, ahead: 90s, slow: 0.02% }\n",
    );
    let pause = sim::Pause { host: HostId(1), from: Time::from_ms(2000), until: Time::from_ms(2500) };
    assert_eq!(case.network(1).pauses, [pause]);
    let clock = sim::Clock { ahead_us: 90_000_000, drift_ppm: -200, ..sim::Clock::default() };
    assert_eq!((case.clock(HostId(1)), case.clock(HostId::SERVER)), (clock, sim::Clock::default()));
    assert_eq!(case.host_faults(), ["client1 stood still 2.000000s..2.500000s", "client1 clock 90s ahead, 0.02% slow"]);
    let faultless = Case { alteration: Alteration::faultless(), ..case };
    assert!(faultless.network(1).pauses.is_empty() && faultless.host_faults().is_empty());
    assert_eq!(faultless.clock(HostId(1)), sim::Clock::default());
}

#[test]
fn a_client_that_is_started_anew_leaves_and_connects_while_nothing_gets_through() {
    let case = case("faults:\n  - restart: { host: client1, from: 2s, for: 500ms }\n");
    let (from, until) = (Time::from_ms(2000), Time::from_ms(2500));
    assert!(case.network(1).links[0].iter().all(|link| link.outages == [(from, until)]));
    assert_eq!(case.restarts(HostId(1)).collect::<Vec<_>>(), [until]);
    let commands: Vec<_> = case.commands(1).filter(|(at, host, _)| *at >= from && *host == HostId(1)).collect();
    assert_eq!(commands, [(from, HostId(1), Command::Disconnect), (until, HostId(1), Command::Connect)]);
    assert_eq!(case.host_faults(), ["client1 died at 2.000000s, again at 2.500000s"]);
    let faultless = Case { alteration: Alteration::faultless(), ..case };
    assert_eq!(faultless.restarts(HostId(1)).count(), 0);
}

#[test]
fn a_server_that_is_started_anew_takes_what_is_on_its_way_with_it() {
    let case = case("faults:\n  - restart: { host: server, from: 2s, for: 500ms }\n");
    let (from, until) = (Time::from_ms(2000), Time::from_ms(2500));
    assert_eq!(case.network(1).restarts, [(from, until)]);
    assert_eq!(case.restarts(HostId::SERVER).collect::<Vec<_>>(), [until]);
    let commands = |at| {
        case.commands(1).filter(|(time, ..)| *time == at).map(|(_, host, command)| (host, command)).collect::<Vec<_>>()
    };
    assert_eq!(commands(from), [(HostId(1), Command::Disconnect)]);
    assert_eq!(commands(until).last(), Some(&(HostId(1), Command::Connect)));
    let faultless = Case { alteration: Alteration::faultless(), ..case };
    assert!(faultless.network(1).restarts.is_empty() && faultless.commands(1).all(|(at, ..)| at != from));
}

#[test]
fn of_restarts_that_overlap_each_takes_its_place_when_it_is_over() {
    let case = case(
        "faults:\n  - restart: { host: client1, from: 2s, for: 800ms }\n  - restart: { host: client1, from: 2200ms, for: 100ms }\n",
    );
    let anew = [2300, 2800].map(Time::from_ms);
    assert_eq!(case.restarts(HostId(1)).collect::<Vec<_>>(), anew);
}

#[test]
fn a_run_has_the_faults_that_its_seed_draws() {
    let case = case("network: { both: { swarm: true, jitter: 9ms, loss: 1%, reorder: 1%, latency: 3ms } }\n");
    let links = |seed| case.network(seed).links;
    assert!((0..64).any(|seed| links(seed)[0][0].loss_ppm == 0) && (0..64).any(|seed| links(seed)[0][0].loss_ppm > 0));
    assert!((0..64).all(|seed| links(seed)[0][0].latency_us == 3_000 && links(seed) == links(seed)));
}

#[test]
fn an_outage_and_a_fault_of_one_client_leave_the_others_alone() {
    let more = "clients: 2\nfaults:\n  - outage: { direction: c2s, client: 2, from: 2s, for: 3200ms }\n  \
                - drop: { direction: s2c, client: 1, index: 4 }\n";
    let links = case(more).network(1).links;
    let counts: Vec<(usize, usize)> =
        links.iter().flatten().map(|link| (link.outages.len(), link.script.len())).collect();
    assert_eq!(counts, [(0, 1), (0, 0), (0, 0), (1, 0)]);
    assert_eq!(links[1][1].outages, [(Time::from_ms(2000), Time::from_ms(5200))]);
}

#[test]
fn conditions_are_resolved_and_can_be_read_aloud() {
    let more = "must_reach:\n  - { lost: { direction: s2c, carries: reset, entity: 5 } }\n  \
                - { delivered: { direction: both, client: 1 }, at_least: 3, at_most: 9 }\n  \
                - { note: { host: server, name: history overflow }, at_most: 0 }\n  \
                - { state: { host: client1, name: active } }\n  - { observed: { direction: c2s, loss: 0.5%, reorder: 1% } }\n";
    let case = case(more);
    let said: Vec<(usize, &str)> = case.reach().iter().map(|reach| (reach.line, reach.text.as_str())).collect();
    assert_eq!(
        said,
        [
            (8, "lost s2c datagrams that carry reset of 5: at least 1"),
            (9, "delivered s2c and c2s datagrams of client1: 3 to 9"),
            (10, "server remarks `history overflow`: never"),
            (11, "client1 enters the state `active`: at least 1"),
            (12, "c2s loss of at least 0.5% and reorder of at least 1%"),
        ]
    );
    let first = &case.reach()[0];
    assert_eq!((first.at_least, first.at_most), (1, None));
    assert!(
        matches!(&first.what, Target::Packets { outcome: Outcome::Lost, directions: [S2C], client: None, carries: Some(carries) }
            if carries.kind == 0 && carries.number == Some(5)),
        "{first:?}"
    );
    assert_eq!((case.reach()[2].at_least, case.reach()[2].at_most), (0, Some(0)));
}

#[test]
fn a_run_may_have_to_find_a_violation() {
    let case = case("expect: { finding: FAKE-RST-02 }\nseeds: 3..5\n");
    assert_eq!(case.finding().map(|requirement| requirement.id), Some("FAKE-RST-02"));
    assert_eq!(case.requirements().iter().map(|requirement| requirement.id).collect::<Vec<_>>(), ["FAKE-RST-01"]);
    assert_eq!(case.seeds(), [3, 4, 5]);
}

#[test]
fn a_control_must_exist_and_run_with_the_same_profiles() {
    let with = |id: &str, control: &str| {
        let text =
            format!("{HEAD}{}", if control.is_empty() { String::new() } else { format!("control: {control}\n") });
        Arc::new(super::parse_with(&[&super::FAKE], id, Path::new(id), &text).expect("the scenario is right"))
    };
    let clean = with("fake/clean", "");
    assert!(check_controls(&[Arc::clone(&clean), with("fake/lossy", "fake/clean")]).is_ok());
    let wrong =
        |control: &str| check_controls(&[Arc::clone(&clean), with("fake/lossy", control)]).map_err(|e| e.one_line());
    assert_eq!(
        wrong("fake/claen"),
        Err("fake/lossy:1:1: its control `fake/claen` does not exist (did you mean `fake/clean`?)".into())
    );
    assert_eq!(wrong("fake/lossy"), Err("fake/lossy:1:1: the scenario is its own control".into()));
}

#[test]
fn a_file_with_every_key_is_read() {
    let scenario = Arc::new(read(FULL).unwrap_or_else(|diagnostic| panic!("{}", diagnostic.render(false))));
    assert_eq!(cases(&scenario).len(), 4);
    assert!(cases(&scenario)[0].commands(1).count() > 1000);
}
