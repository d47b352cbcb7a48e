//! Bounded convergence: what a pair does undisturbed, in an outage, and with a client that says nothing.

use super::*;

/// Whether the run remarked something with `text` in it.
fn remarked(oracle: &Watch<FteOracle>, text: &str) -> bool {
    oracle.remarks().iter().any(|remark| remark.contains(text))
}

/// A server that takes every acknowledgement for a request to start over.
fn never_content(run: Run<'_>) -> Run<'_> {
    Run {
        on_receive: Box::new(|host, _, bytes| {
            // clcfte_ackframe after the move: the packet ends with the frame's number.
            let at = bytes.len().saturating_sub(5);
            if host == SERVER && bytes[1] == 16 && bytes[at] == CLC_ACKFRAME {
                bytes[at + 1..].fill(0xff);
            }
        }),
        ..run
    }
}

#[test]
fn in_quiescence_nothing_is_sent_again_and_nothing_is_remarked() {
    for profile in [0, 1] {
        let mut run = busy(Run::new(profile), 5).losing(lossy(1_000, 20, 5));
        run.length_ms = 20_000;
        let oracle = check_passes(run, &["FTE-HIST-02"]);
        assert!(!remarked(&oracle, "unneeded"), "{:?}", oracle.remarks());
        assert!(!remarked(&oracle, "converging takes longer"), "{:?}", oracle.remarks());
        assert!(!remarked(&oracle, "not always retransmitted"), "{:?}", oracle.remarks());
    }
}

#[test]
fn a_server_that_sends_for_nothing_is_remarked_and_no_more() {
    let mut run = never_content(small(Run::new(0)));
    run.length_ms = 12_000;
    let oracle = check_passes(run, &[]);
    assert!(remarked(&oracle, "unneeded"), "{:?}", oracle.remarks());
}

#[test]
fn a_server_that_starts_over_before_all_have_had_their_turn_is_caught() {
    let mut run = never_content(crowd(Run::new(0)));
    run.length_ms = 14_000;
    check_caught(run, "FTE-OVF-07");
    let mut run = never_content(crowd(Run::new(0)));
    // Beyond the first bound, and not beyond the second.
    run.length_ms = 7_000;
    let oracle = check_passes(run, &[]);
    assert!(remarked(&oracle, "converging takes longer"), "{:?}", oracle.remarks());
}

#[test]
fn a_server_that_does_not_repeat_what_is_held_anyway_is_remarked_and_no_more() {
    let rules = Rules { log: log_flags::<{ !(UF_RESET as u32) }>, ..Rules::REFERENCE };
    for profile in [0, 1] {
        let mut carriers = 0;
        let run = small(Run::new(profile)).spawn(1_000, 5).set(1_200, 5, FRAME, 3).rules(rules, Rules::REFERENCE);
        // The second RESET is lost: its frame is repeated, the rest is held.
        let run = run.losing(move |datagram| {
            carriers += usize::from(datagram.is_about("reset", 5));
            datagram.is_about("reset", 5) && carriers == 2
        });
        let oracle = check_passes(run, &["FTE-RST-07"]);
        assert!(remarked(&oracle, "not always retransmitted"), "{:?}", oracle.remarks());
    }
}

#[test]
fn a_server_repairs_nothing_while_no_packet_of_the_client_arrives() {
    for profile in [0, 1] {
        for from_ms in [1_500, 2_000, 3_000] {
            let mut some = lossy(1_000, 30, from_ms);
            let run = busy(Run::new(profile), from_ms).losing(move |datagram| {
                some(datagram) || (!datagram.comes_from_server() && datagram.now >= Time::from_ms(from_ms))
            });
            check_passes(run, &[]);
        }
    }
}

#[test]
fn the_repair_is_due_when_acknowledgements_resume() {
    let rules = Rules { make_room: forget_oldest, ..Rules::with(Latitude { log_frames: 32, ..Latitude::REFERENCE }) };
    for profile in [0, 1] {
        let run = small(Run::new(profile)).set(1_050, 2, SKIN, 3).rules(rules, Rules::REFERENCE);
        let run = run.losing(|datagram| {
            // NetQuake goes on sending into the silence; on QuakeWorld it is the frames that must be lost.
            let lost = datagram.comes_from_server() && datagram.between(1_040, 1_110);
            let silent = datagram.between(1_110, 3_500) && datagram.comes_from_server() == (profile == 1);
            lost || silent
        });
        check_caught(run, "FTE-HIST-06");
    }
}

#[test]
fn outages_of_the_way_back_pass() {
    for frames in [1, 2, 31, 62, 63, 64, 65, 66, 100, 129, 300] {
        for profile in [0, 1] {
            let run = busy(Run::new(profile), frames).losing(move |datagram| {
                let lost = datagram.comes_from_server() && datagram.between(1_040, 1_110);
                lost || (!datagram.comes_from_server() && datagram.between(1_100, 1_100 + 50 * frames))
            });
            let mut run = run.set(18_000, 1, FRAME, 9);
            run.length_ms = 24_000;
            check_passes(run, &[]);
        }
    }
}

#[test]
fn a_client_that_never_acknowledges_is_caught() {
    let rules = Rules::with(Latitude { acks_per_packet: 0, ..Latitude::REFERENCE });
    check_caught(small(Run::new(0)).rules(Rules::REFERENCE, rules), "FTE-ACK-05");
    let slow = Rules::with(Latitude { acks_per_packet: 1, ..Latitude::REFERENCE });
    let run = small(Run::new(0)).option("client_tick_us", 200_000).rules(Rules::REFERENCE, slow);
    check_passes(run, &["FTE-ACK-05"]);
}

#[test]
fn a_header_that_acknowledges_another_packet_than_the_newest_is_caught() {
    for (ahead, requirement) in [(-1, "FTE-ACK-02"), (1, "FTE-ACK-04")] {
        let mut run = small(Run::new(1));
        run.on_send = Box::new(move |host, now, bytes| {
            if host == CLIENT && now >= Time::from_ms(1_000) && bytes[..4] != [0xff; 4] {
                let word = u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
                bytes[4..8].copy_from_slice(&word.wrapping_add_signed(ahead).to_le_bytes());
            }
        });
        check_caught(run, requirement);
    }
}

#[test]
fn an_echo_before_any_move_is_caught() {
    let mut run = small(Run::new(0)).losing(|datagram| datagram.has("move"));
    run.on_send = Box::new(|host, _, bytes| {
        if host == SERVER && bytes.get(8) == Some(&SVC_UPDATEENTITIES) {
            bytes[9] = 7;
        }
    });
    check_caught(run, "FTE-PRED-10");
}
