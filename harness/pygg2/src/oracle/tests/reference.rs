//! The reference pair: nothing is found.

use super::*;

#[test]
fn the_reference_passes_on_a_clean_network() {
    let oracle = check_passes(
        Run::new(3).busy(),
        &["GG2-SNAP-03", "GG2-DLT-01", "GG2-DLT-08", "GG2-EVT-10", "GG2-FULL-03", "GG2-EVT-09", "GG2-BASE-04"],
    );
    assert!(oracle.remarks().is_empty(), "{:?}", oracle.remarks());
}

#[test]
fn the_reference_passes_under_loss_duplicates_and_overtaking() {
    for seed in 0..40 {
        let loss = [0, 20_000, 100_000, 300_000, 600_000][seed as usize % 5];
        let run = Run::new(1 + seed as u16 % 4).busy().seed(seed).links(|link| {
            link.loss_ppm = loss;
            link.jitter_us = 20_000;
            link.duplicate_ppm = 100_000;
            link.duplicate_us = 60_000;
            link.reorder_ppm = 100_000;
            link.reorder_us = 120_000;
        });
        check_passes(run, &["GG2-SEQ-03"]);
    }
}

#[test]
fn the_reference_passes_when_nine_packets_of_ten_are_lost() {
    for seed in 0..10 {
        let mut run = Run::new(2).busy().seed(seed).links(|link| {
            link.loss_ppm = 900_000;
            link.random_until = Some(Time::from_ms(9_000));
        });
        run.length_ms = 14_000;
        let oracle = check_passes(run, &[]);
        let servers = oracle.judge.sessions.iter().map(|session| &session.server);
        for server in servers.filter(|server| server.inside && !server.overflow) {
            let missing = &server.unacknowledged;
            assert!(missing.is_empty() && server.expected.is_empty(), "{missing:?}");
        }
    }
}

#[test]
fn the_reference_passes_over_the_wrap_of_both_counts() {
    for seed in 0..12 {
        let run = Run::new(2).busy().seed(seed).option("first_sequence", 65_450 + 7 * seed as i64);
        let run = run.option("first_client_sequence", 65_400 + 11 * seed as i64).links(|link| {
            link.loss_ppm = 30_000 * (seed as u32 % 4);
            link.reorder_ppm = 50_000;
            link.reorder_us = 90_000;
        });
        check_passes(run, &["GG2-SEQ-02"]);
    }
}

#[test]
fn the_reference_passes_with_outages_of_any_length() {
    for (seed, ms) in [100, 1_000, 1_550, 1_600, 1_650, 2_000, 4_000, 8_500].into_iter().enumerate() {
        for ways in [&[0][..], &[1], &[0, 1]] {
            let mut run = Run::new(2).busy().seed(seed as u64);
            for &way in ways {
                run.network.links[0][way].outages.push((Time::from_ms(3_000), Time::from_ms(3_000 + ms)));
            }
            run.length_ms = 16_000;
            check_passes(run, &["GG2-EVT-02"]);
        }
    }
}

#[test]
fn scripted_nonsense_bogus_acknowledgements_and_missing_bases_are_survived() {
    let run = Run::new(2).busy().verb(3_000, 0, VERB_UNKNOWN_BASE, &[1, 5]).verb(3_010, 0, VERB_NONSENSE, &[1, 0]);
    let run = run.verb(3_600, 0, VERB_NONSENSE, &[1, 1]).verb(3_700, 1, VERB_CLIENT_NONSENSE, &[0]);
    let run = run.verb(3_800, 1, VERB_CLIENT_NONSENSE, &[1]).verb(4_000, 1, VERB_ACKNOWLEDGE, &[20_000]);
    let run = run.verb(4_100, 1, VERB_ACKNOWLEDGE, &[-40]).verb(4_200, 1, VERB_ACKNOWLEDGE, &[500]);
    check_passes(run, &["GG2-DLT-07", "GG2-ACK-04", "GG2-ACK-07", "GG2-ROB-01"]);
}

#[test]
fn clients_come_and_go() {
    let run = Run::new(3).busy().at(3_000, 2, Command::Disconnect).at(5_500, 2, Command::Connect);
    check_passes(run.option("max_players", 7), &["GG2-FULL-06"]);
}

#[test]
fn a_full_server_and_wrong_passwords_are_refused() {
    let mut run = Run::new(5).option("max_players", 2).option("wrong_password", 0b1010);
    run.setup.texts[0] = "secret".into();
    check_passes(run, &["GG2-HS-03", "GG2-HS-04", "GG2-HS-05", "GG2-HS-10"]);
}

#[test]
fn a_client_that_leaves_too_much_unacknowledged_is_thrown_out() {
    let mut run = Run::new(2).busy();
    run.network.links[0][1].outages.push((Time::from_ms(2_000), Time::from_ms(9_000)));
    for step in 0..300 {
        run = run.set(2_100 + 10 * step, 4, TEAM, (step % 3) as i32);
    }
    run.length_ms = 20_000;
    check_passes(run, &["GG2-ROB-04"]);
}

#[test]
fn a_client_whose_network_dies_is_missed_after_a_while() {
    let mut run = Run::new(2).busy();
    run.network.links[0][0].outages.push((Time::from_ms(3_000), Time::from_ms(40_000)));
    run.network.links[0][1].outages.push((Time::from_ms(3_000), Time::from_ms(40_000)));
    run.length_ms = 20_000;
    check_passes(run, &[]);
}

#[test]
fn a_client_that_lies_about_what_it_received_harms_itself_alone() {
    for ahead in [1, 2, 3] {
        let mut run = Run::new(2).busy();
        for step in 0..20 {
            run = run.verb(3_000 + 113 * step, 1, VERB_ACKNOWLEDGE, &[ahead]);
        }
        let slow = |link: &mut Link| (link.latency_us, link.loss_ppm) = (90_000, 200_000);
        check_passes(run.links(slow), &["GG2-DLT-07"]);
    }
}

#[test]
fn a_newcomer_among_too_many_is_thrown_out_whether_anybody_hears_of_it_or_not() {
    for clients in [1, 2] {
        let mut run = Run::new(clients).option("max_players", 200);
        // The last client comes when the others are there.
        run.commands.pop();
        for bot in 0..30 {
            run = run.at(100 * u64::from(bot), 0, Command::Spawn { entity: 10 + bot });
            run = run.set(100 * u64::from(bot), 10 + bot, ALIVE, 1);
        }
        run = run.at(4_000, clients, Command::Connect);
        let oracle = check_passes(run, &["GG2-ROB-04"]);
        assert_eq!(oracle.judge.sessions.last().and_then(|session| session.server.last_sent), None);
    }
}

#[test]
fn an_end_that_sent_nothing_for_too_long_may_be_gone_while_the_other_end_goes_on() {
    for clients in [1, 2] {
        for way in [0, 1] {
            for ms in [9_200, 9_950, 10_050, 10_400, 11_500, 14_000, 19_000] {
                let mut run = Run::new(clients).busy();
                run.network.links[0][way].outages.push((Time::from_ms(3_000), Time::from_ms(3_000 + ms)));
                for step in 0..200 {
                    run = run.set(3_000 + 100 * step, u32::from(clients) + 1, X, step as i32);
                }
                run.length_ms = 26_000;
                check_passes(run.at(23_000, 1, Command::Connect), &[]);
            }
        }
    }
}

#[test]
fn a_client_that_is_alone_and_thrown_out_is_not_missed() {
    for step_ms in [4, 10, 20] {
        let mut run = Run::new(1).busy();
        run.network.links[0][1].outages.push((Time::from_ms(2_000), Time::from_ms(6_000)));
        for step in 0..700 {
            run = run.set(2_100 + step_ms * step, 3, TEAM, (step % 3) as i32);
        }
        run.length_ms = 20_000;
        check_passes(run, &[]);
    }
}
