//! The reference pair and conforming variants: nothing is found.

use super::*;

#[test]
fn the_reference_passes_on_a_clean_network() {
    for profile in [0, 1] {
        let oracle =
            check_passes(busy(Run::new(profile), 5), &["FTE-RST-02", "FTE-RMV-01", "FTE-DLT-03", "FTE-SVC-04"]);
        assert_eq!(show(oracle.findings()), "");
        assert!(oracle.judge.report.has_seen(Point::Quiescent));
    }
}

#[test]
fn the_reference_passes_under_loss() {
    for seed in 0..12 {
        for profile in [0, 1] {
            let mut run = busy(Run::new(profile), seed).losing(lossy(1_000 * (seed % 2), 5 + 3 * seed, seed));
            run.seed = seed;
            run.jitter_us = if seed % 2 == 0 { 0 } else { 90_000 };
            if seed % 3 == 1 {
                run = run.option("client_fte2", 0x8);
            }
            if seed % 4 == 2 {
                run = run.option("client_fte1", 0x8000).option("server_fte1", 0x8000);
            }
            run.length_ms = 20_000;
            let losses: &[&str] = if seed % 2 == 1 { &["FTE-HIST-02", "FTE-DLT-38"] } else { &[] };
            let oracle = check_passes(run, losses);
            assert!(oracle.judge.report.has_seen(Point::Quiescent), "seed {seed} of profile {profile}");
        }
    }
}

#[test]
fn the_reference_passes_with_outages_of_any_length() {
    for frames in [1, 2, 31, 62, 63, 64, 65, 66, 100, 128, 200] {
        for (profile, both) in [(0, false), (0, true), (1, false), (1, true)] {
            let run = busy(Run::new(profile), frames).losing(move |datagram| {
                datagram.between(1_000, 1_000 + 50 * frames) && (both || datagram.comes_from_server())
            });
            let mut run = run.set(14_000, 1, FRAME, 9);
            run.length_ms = 20_000;
            check_passes(run, &["FTE-ACK-09"]);
        }
    }
}

#[test]
fn the_reference_passes_with_a_crowd_that_does_not_fit() {
    for profile in [0, 1] {
        for datagrams in [0, 3] {
            let run = crowd(Run::new(profile)).option("datagrams_per_tick", datagrams).losing(lossy(0, 10, 3));
            check_passes(run, &["FTE-OVF-02", "FTE-OVF-05"]);
        }
    }
}

#[test]
fn the_reference_passes_over_a_change_of_map() {
    for profile in [0, 1] {
        let mut run = busy(Run::new(profile), 1).losing(lossy(0, 10, 1));
        // A baseline of the second map lacks what that of the first had.
        run = run.at(900, Command::Baseline { entity: 2, field: ALPHA, value: Entity::NULL[ALPHA] });
        run = run.at(900, Command::Baseline { entity: 2, field: SKIN, value: 5 }).at(2_000, Command::Map);
        for entity in 1..8 {
            run = run.spawn(2_000, entity).set(2_500, entity, FRAME, 3);
        }
        check_passes(run, &["FTE-SVC-07"]);
    }
}

#[test]
fn a_client_that_leaves_and_comes_back_passes() {
    for profile in [0, 1] {
        let mut run = busy(Run::new(profile), 3);
        run.commands.push((2_000, CLIENT, Command::Disconnect));
        run.commands.push((4_500, CLIENT, Command::Connect));
        let mut run = run.set(6_000, 1, FRAME, 9);
        run.length_ms = 15_000;
        let oracle = check_passes(run, &[]);
        assert!(oracle.judge.clients[0].open, "the second connection is followed");
    }
}

#[test]
fn many_changes_of_map_are_followed() {
    for profile in [0, 1] {
        let mut run = Run::new(profile);
        for map in 1..=12 {
            run = run.at(1_000 * map, Command::Map).spawn(1_000 * map, 1).set(1_000 * map + 500, 1, FRAME, map as i32);
        }
        run.length_ms = 23_000;
        let oracle = check_passes(run, &[]);
        assert_eq!(oracle.judge.clients[0].session.epoch, 13, "profile {profile}");
        assert!(oracle.judge.clients[0].session.frames_sent > 10);
    }
}

#[test]
fn plain_sessions_pass() {
    for profile in [0, 1] {
        check_passes(busy(Run::new(profile), 2).option("client_fte2", 0), &["FTE-HS-17", "FTE-HS-20"]);
    }
    check_passes(busy(Run::new(1), 2).option("proxy_strips", 1), &["FTE-HS-06"]);
}

#[test]
fn conforming_variants_pass() {
    let variants = [
        Rules { make_room: crate::sender::history::fold_oldest, ..Rules::REFERENCE },
        Rules::with(Latitude { reset_copies: 1, ..Latitude::REFERENCE }),
        Rules::with(Latitude { reset_copies: 3, ..Latitude::REFERENCE }),
        Rules::with(Latitude { acks_first: true, ..Latitude::REFERENCE }),
        Rules::with(Latitude { acks_per_packet: 1, ..Latitude::REFERENCE }),
        Rules::with(Latitude { explicit_acks: false, ..Latitude::REFERENCE }),
        Rules::with(Latitude { datagrams_per_tick: 3, ..Latitude::REFERENCE }),
    ];
    for (index, rules) in variants.into_iter().enumerate() {
        for profile in [0, 1] {
            let seed = index as u64;
            let outage = |datagram: &Datagram<'_>| datagram.comes_from_server() && datagram.between(2_000, 6_500);
            let mut some = lossy(1_000, 20, seed);
            let run = busy(Run::new(profile), seed).rules(rules, rules);
            let run = run.losing(move |datagram| outage(datagram) || some(datagram));
            let mut run = run.set(9_000, 1, FRAME, 77);
            run.length_ms = 16_000;
            let oracle = check_passes(run, &["FTE-HIST-06"]);
            let once = oracle.findings().iter().any(|finding| finding.requirement().id == "FTE-RST-03");
            assert_eq!(once, rules.latitude.reset_copies == 1);
        }
    }
}

#[test]
fn datagrams_whose_header_is_damaged_end_the_judgement_of_states() {
    let setup = Setup::new(&crate::PROTOCOL, &PROFILES[0]);
    let mut oracle = Watch::new(FteOracle::new(&setup), &setup, crate::requirements::REQUIREMENTS);
    let packet = PacketId { client: CLIENT, direction: Direction::ServerToClient, slot: 0, ordinal: 0, index: 0 };
    // Nobody knows the number that it had.
    let bytes = &[0, 16, 0, 9, 0, 0, 0, 1, 2];
    oracle.on(Time::ZERO, &TraceEvent::Delivered { packet, copy: 0, bytes, intact: false });
    assert!(oracle.judge.clients[0].session.damaged.is_some());
    assert_eq!(oracle.remarks().len(), 1);
}
