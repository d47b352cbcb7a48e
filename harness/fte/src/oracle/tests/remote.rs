//! Ends that somebody else runs: what is right there is not called wrong, and what is broken is still found.

use super::*;

const LATE_SERVER: Vantage = Vantage {
    remote_server: true,
    remote_clients: false,
    server_may_miss: true,
    clients_may_miss: false,
    untimed: false,
    virtual_server: false,
    clients_only_read: false,
    demo: None,
};
const LATE_CLIENT: Vantage = Vantage {
    remote_server: false,
    remote_clients: true,
    server_may_miss: false,
    clients_may_miss: true,
    untimed: false,
    virtual_server: false,
    clients_only_read: false,
    demo: None,
};

/// Loses so many of a hundred datagrams where nobody sees it, between the first and the sixth second.
fn unseen(percent: u64, mut seed: u64) -> Box<dyn FnMut(Time, Direction) -> bool> {
    Box::new(move |now, _| {
        random(&mut seed) % 100 < percent && (Time::from_ms(1_000)..Time::from_ms(6_000)).contains(&now)
    })
}

/// A world under loss, seen from `vantage`, with an end that reads late.
fn remote<'a>(profile: usize, vantage: Vantage, seed: u64) -> Run<'a> {
    let mut run = busy(Run::new(profile), seed).losing(lossy(1_000, 10, seed));
    (run.vantage, run.lag_us, run.length_ms, run.seed) = (vantage, 1_000 + 30_000 * (seed % 5), 14_000, seed);
    run
}

fn check_silent(run: Run<'_>, what: &str) -> Watch<FteOracle> {
    let oracle = run.go();
    assert_eq!(show(oracle.findings()), "", "{what}");
    oracle
}

/// The run's first finding can mean one of `requirements`.
fn check_found(run: Run<'_>, requirements: &[&str]) {
    let oracle = run.go();
    let first = oracle.findings().first();
    let fits = first.is_some_and(|first| first.suspects.iter().any(|suspect| requirements.contains(&suspect.id)));
    assert!(fits, "not {requirements:?}, but\n{}", show(oracle.findings()));
}

#[test]
fn a_server_that_reads_late_or_never_and_whose_datagrams_get_lost_is_right() {
    for seed in 0..20 {
        for profile in [0, 1] {
            let mut run = remote(profile, LATE_SERVER, seed);
            run.unseen = unseen(5 * (seed % 4), seed + 9);
            let oracle = check_silent(run, &format!("seed {seed}, profile {profile}"));
            assert!(oracle.covered().iter().any(|requirement| requirement.id == "FTE-HIST-02"), "seed {seed}");
        }
    }
}

#[test]
fn a_late_server_that_does_not_repeat_what_was_lost_is_found() {
    for profile in [0, 1] {
        let rules = Rules { log: log_flags::<{ UF_RESET as u32 }>, ..Rules::REFERENCE };
        let run = remote(profile, LATE_SERVER, 3).rules(rules, Rules::REFERENCE);
        check_found(run, &["FTE-HIST-02", "FTE-HIST-08", "FTE-HIST-11"]);
        let mut run = remote(profile, LATE_SERVER, 3).rules(rules, Rules::REFERENCE);
        let mut seed = 4;
        run.unseen = Box::new(move |now, _| now < Time::from_ms(1_500) && random(&mut seed).is_multiple_of(10));
        check_found(run, &["FTE-HIST-02", "FTE-HIST-08", "FTE-HIST-11"]);
    }
}

#[test]
fn a_client_that_reads_late_or_never_and_whose_datagrams_get_lost_is_right() {
    for seed in 0..20 {
        for profile in [0, 1] {
            let mut run = remote(profile, LATE_CLIENT, seed);
            run.unseen = unseen(5 * (seed % 4), seed + 9);
            check_silent(run, &format!("seed {seed}, profile {profile}"));
        }
    }
}

/// Makes each acknowledgement of the client, from `from_ms` on, one of a frame so much newer, or of frame 0.
fn acks_wrongly(from_ms: u64, ahead: Option<u32>) -> Tamper {
    let wrong = move |bytes: &mut [u8], at: usize| {
        let Some(place) = bytes.get_mut(at..at + 4) else { return };
        let sequence = ahead.map_or(0, |ahead| u32::from_le_bytes([place[0], place[1], place[2], 0]) + ahead);
        place.copy_from_slice(&sequence.to_le_bytes());
    };
    Box::new(move |host, now, bytes| {
        let at = bytes.len().saturating_sub(4);
        if host != CLIENT || now < Time::from_ms(from_ms) {
            return;
        }
        if bytes[0] == 0 && bytes[1] == 16 && bytes[at - 1] == CLC_ACKFRAME {
            wrong(bytes, at);
        } else if bytes[0] != 0 && bytes[..4] != [0xff; 4] {
            wrong(bytes, 4);
        }
    })
}

#[test]
fn a_remote_client_that_acknowledges_what_it_cannot_have_is_found() {
    for profile in [0, 1] {
        let mut run = remote(profile, LATE_CLIENT, 2);
        run.on_send = acks_wrongly(2_000, Some(500));
        check_found(run, &["FTE-ACK-02", "FTE-ACK-04"]);
    }
}

#[test]
fn a_remote_client_that_acknowledges_nothing_is_found() {
    let mute = Rules::with(Latitude { acks_per_packet: 0, ..Latitude::REFERENCE });
    let mut run = remote(0, LATE_CLIENT, 2).rules(Rules::REFERENCE, mute);
    run.unseen = Box::new(|now, direction| direction == Direction::ClientToServer && now.us() % 700_000 > 650_000);
    // Longer than any outage.
    run.length_ms = 50_000;
    check_caught(run, "FTE-ACK-05");
    let mut run = remote(1, LATE_CLIENT, 2);
    run.on_send = acks_wrongly(2_000, None);
    check_found(run, &["FTE-ACK-02", "FTE-ACK-04"]);
}

#[test]
fn a_client_that_does_not_miss_anything_has_to_acknowledge_every_frame() {
    let vantage = Vantage { clients_may_miss: false, ..LATE_CLIENT };
    for seed in 0..6 {
        for profile in [0, 1] {
            check_silent(remote(profile, vantage, seed), &format!("seed {seed}, profile {profile}"));
        }
    }
    let mut packets = 0;
    let mut run = small(Run::new(0));
    run.vantage = vantage;
    run.on_send = Box::new(move |host, _, bytes| {
        let at = bytes.len().saturating_sub(5);
        packets += u32::from(host == CLIENT);
        if host == CLIENT && bytes[1] == 16 && bytes[at] == CLC_ACKFRAME && u32::is_multiple_of(packets, 5) {
            bytes.truncate(at);
            bytes[3] -= 5;
        }
    });
    check_caught(run, "FTE-ACK-05");
}

#[test]
fn a_server_can_be_up_for_long() {
    for profile in [0, 1] {
        for broken in [false, true] {
            let mut run = Run::new(profile);
            run.commands = vec![(1_200_000, CLIENT, Command::Connect)];
            run = run.spawn(0, 1).spawn(0, 2);
            for step in 0..80 {
                run = run.set(1_200_500 + step * 50, 1, FRAME, step as i32 % 200);
            }
            (run.vantage, run.length_ms) = (LATE_SERVER, 1_206_000);
            run.on_send = Box::new(move |host, _, bytes| {
                // The time in milliseconds.
                let at = if bytes[0] == 0 { 11 } else { 9 };
                if broken && host == SERVER && bytes.get(8) == Some(&SVC_UPDATEENTITIES) {
                    let time = f32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
                    bytes[at..at + 4].copy_from_slice(&(time * 1000.0).to_le_bytes());
                }
            });
            if broken {
                check_caught(run, "FTE-SVC-03");
            } else {
                check_silent(run, "1,200 s");
            }
        }
    }
}

/// A client leaves and comes back, at the same address and without anybody saying so.
fn comes_back<'a>(profile: usize, pause_ms: u64) -> Run<'a> {
    let mut run = busy(Run::new(profile), 4).losing(lossy(1_000, 10, 4));
    run.commands.push((2_500, CLIENT, Command::Disconnect));
    run.commands.push((2_500 + pause_ms, CLIENT, Command::Connect));
    (run.vantage, run.lag_us, run.length_ms) = (LATE_CLIENT, 20_000, 12_000);
    run
}

#[test]
fn a_client_that_comes_back_begins_anew() {
    for profile in [0, 1] {
        for pause_ms in [60, 500, 3_000] {
            let oracle = check_silent(comes_back(profile, pause_ms), &format!("profile {profile}, {pause_ms} ms"));
            assert!(oracle.judge.clients[0].session.frames_sent > 50, "the second session is followed");
            let mut run = comes_back(profile, pause_ms);
            run.on_send = acks_wrongly(7_000, Some(500));
            check_found(run, &["FTE-ACK-02", "FTE-ACK-04"]);
        }
    }
}

#[test]
fn of_a_session_that_was_under_way_nothing_is_judged() {
    for profile in [0, 1] {
        for broken in [false, true] {
            let mut run = remote(profile, Vantage { remote_server: true, ..LATE_CLIENT }, 2);
            run.seen_from_ms = 3_000;
            if broken {
                run.on_send = acks_wrongly(2_000, Some(500));
            }
            let oracle = check_silent(run, "it began before");
            assert_eq!(oracle.covered().len(), 0);
            assert!(oracle.remarks().iter().any(|remark| remark.contains("under way")), "{:?}", oracle.remarks());
        }
    }
}

/// A QuakeWorld datagram with the header that it has with `PEXT2_STUNAWARE`.
fn biased(bytes: &mut [u8]) {
    if bytes.first_chunk() != Some(&[0xff; 4]) {
        for (number, bias) in bytes.chunks_exact_mut(4).zip([0x4000_0000, 0]) {
            let plain = u32::from_le_bytes([number[0], number[1], number[2], number[3]]);
            number.copy_from_slice(&plain.wrapping_add(bias).to_be_bytes());
        }
    }
}

/// Ends that agree upon `PEXT2_STUNAWARE`, of which the client can be broken.
fn stun_aware<'a>(mut broken: Tamper) -> Run<'a> {
    const ASKED: &[u8] = b"0x32455446 0x28";
    let mut run = busy(Run::new(1), 6).option("server_fte2", 0x128);
    run = run.losing(lossy(1_000, 10, 6));
    (run.vantage, run.lag_us) = (LATE_CLIENT, 20_000);
    run.on_send = Box::new(move |host, now, bytes| {
        broken(host, now, bytes);
        // A client of ours does not ask for it.
        let asked = bytes.windows(ASKED.len()).position(|window| window == ASKED);
        if let Some(at) = asked.filter(|_| host == CLIENT) {
            bytes.insert(at + ASKED.len() - 2, b'1');
        }
        biased(bytes);
    });
    run.on_receive = Box::new(|_, _, bytes| {
        if bytes.first_chunk() != Some(&[0xff; 4]) {
            *bytes = netchan::without_stun_bias(bytes);
        }
    });
    run
}

#[test]
fn sessions_whose_headers_no_stun_packet_has_are_judged() {
    // By hand, as in the test of the tap: number 3 with a reliable block, 2 was received.
    let mut header = [3, 0, 0, 0x80, 2, 0, 0, 0, 1, 0, 1];
    biased(&mut header);
    assert_eq!(header, [0xc0, 0, 0, 3, 0, 0, 0, 2, 1, 0, 1]);

    let oracle = check_silent(stun_aware(Box::new(|_, _, _| {})), "biased headers");
    assert!(oracle.judge.clients[0].session.frames_sent > 50, "the session is followed");
    for id in ["FTE-HIST-02", "FTE-ACK-14", "FTE-ACK-04"] {
        assert!(oracle.covered().iter().any(|requirement| requirement.id == id), "{id}");
    }
    check_found(stun_aware(acks_wrongly(2_000, Some(500))), &["FTE-ACK-02", "FTE-ACK-04"]);
    let rules = Rules { log: log_flags::<{ UF_RESET as u32 }>, ..Rules::REFERENCE };
    check_found(stun_aware(Box::new(|_, _, _| {})).rules(rules, Rules::REFERENCE), &["FTE-HIST-02", "FTE-HIST-08"]);
}

/// Replaces what a NetQuake host sends from `from` on, in the datagram that has it.
fn replaces(victim: HostId, from: &'static [u8], to: &'static [u8]) -> Tamper {
    Box::new(move |host, _, bytes| {
        let found = bytes.windows(from.len()).position(|window| window == from);
        if let Some(at) = found.filter(|_| host == victim) {
            bytes.truncate(at);
            bytes.extend_from_slice(to);
            let length = (bytes.len() as u16).to_be_bytes();
            bytes[2..4].copy_from_slice(&length);
        }
    })
}

#[test]
fn a_remote_client_without_extensions_is_no_finding_and_a_known_one_is() {
    // As the client of qss_protocol15.txt answers.
    let run = |vantage| Run { vantage, on_send: replaces(CLIENT, b"pext 0x", b"pext\0"), ..small(Run::new(0)) };
    let oracle = check_silent(run(LATE_CLIENT), "a bare answer");
    assert!(oracle.remarks().iter().any(|remark| remark.contains("bare `pext`")), "{:?}", oracle.remarks());
    check_found(run(Vantage::default()), &["FTE-HS-08"]);
}

#[test]
fn the_old_time_is_a_finding_in_the_sign_on_too() {
    // As the server of qss_nq_deltas_predinfo.txt sends it before `signonnum 3`.
    let time = replaces(SERVER, &[25, 3], &[7, 0x18, 4, 0x82, 0x40, 0, 0, 25, 3]);
    check_caught(Run { vantage: LATE_SERVER, on_send: time, ..small(Run::new(0)) }, "FTE-SVC-02");
}

#[test]
fn a_session_with_extensions_that_our_client_cannot_write_is_judged_by_nothing_that_it_sends() {
    use crate::extensions::Extensions;
    use crate::oracle::indeterminate::is_unwritten;
    let known = PEXT2_REPLACEMENTDELTAS | PEXT2_PREDINFO;
    for (fte2, unwritten) in [(0, false), (known, false), (known | PEXT2_STUNAWARE, true), (1 << 31, true)] {
        for (vantage, judged) in [(LATE_SERVER, false), (LATE_CLIENT, true), (Vantage::default(), true)] {
            let found = is_unwritten(Extensions { fte1: 0, fte2 }, vantage).is_some();
            assert_eq!(found, unwritten && !judged, "{fte2:#x} {vantage:?}");
        }
    }
}

#[test]
fn a_server_whose_frames_go_on_while_our_client_signs_on_to_the_next_map_is_no_finding_against_either() {
    use crate::latitude::{Latitude, ResetFields};
    let early = Latitude { early_frames: true, reset_fields: ResetFields::All, ..Latitude::REFERENCE };
    for (vantage, latitude) in [(LATE_SERVER, early), (LATE_SERVER, Latitude::REFERENCE), (Vantage::default(), early)] {
        for seed in 1..8 {
            let mut run = busy(Run::new(0), seed).at(2_000, Command::Map);
            for entity in 1..6 {
                run = run.spawn(2_000, entity);
            }
            (run.vantage, run.lag_us) = (vantage, 40_000);
            let oracle = check_silent(run.rules(Rules::with(latitude), Rules::REFERENCE), "frames before baselines");
            assert!(oracle.judge.clients[0].session.epoch > 1, "the map changes");
        }
    }
}
