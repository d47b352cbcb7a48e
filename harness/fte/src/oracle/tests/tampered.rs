//! Endpoints that are broken in one datagram: what is wrong must be named.

use super::*;
use crate::verbs::VERB_ACKNOWLEDGE;

/// Puts `to` in place of the first `from` behind the header, and corrects the length in the header. Whether there was
/// one.
fn patch(bytes: &mut Vec<u8>, from: &[u8], to: &[u8]) -> bool {
    let Some(at) = bytes.windows(from.len()).skip(8).position(|window| window == from) else { return false };
    bytes.splice(at + 8..at + 8 + from.len(), to.iter().copied());
    let length = (bytes.len() as u16).to_be_bytes();
    bytes[2..4].copy_from_slice(&length);
    true
}

/// Takes the remove-all away with which a frame of NetQuake and PREDINFO begins.
fn strip_remove_all(bytes: &mut Vec<u8>) {
    if bytes.get(8) == Some(&86) && bytes.get(15..17) == Some(&[0, 0x80]) {
        bytes.drain(15..17);
        let length = (bytes.len() as u16).to_be_bytes();
        bytes[2..4].copy_from_slice(&length);
    }
}

/// Has the client ask for resets around the first second.
fn asking(mut run: Run<'_>) -> Run<'_> {
    for ms in [860, 900, 940, 980, 1_020, 1_060] {
        run.commands.push((ms, CLIENT, Command::Verb { verb: VERB_ACKNOWLEDGE, args: [-1, 0, 0, 0] }));
    }
    run
}

/// A NetQuake world in which entity 2 is updated twice before it gets frame 55 at 1000 ms.
fn scene<'a>() -> Run<'a> {
    small(Run::new(0)).set(700, 2, FRAME, 3).set(800, 2, FRAME, 4).set(1_000, 2, FRAME, 55)
}

/// The update of entity 2 to frame 55.
const UPDATE: &[u8] = &[2, 0, 1, 55];

/// A host that once sends `to` for `from` violates `requirement`.
fn check_sent(run: Run<'_>, host: HostId, from: &'static [u8], to: &'static [u8], requirement: &str) {
    check_patched(run, host, from, to, requirement, true);
}

/// A client that once reads `to` for `from` violates `requirement`.
fn check_read(run: Run<'_>, from: &'static [u8], to: &'static [u8], requirement: &str) {
    check_patched(run, CLIENT, from, to, requirement, false);
}

fn check_patched(
    mut run: Run<'_>,
    victim: HostId,
    from: &'static [u8],
    to: &'static [u8],
    requirement: &str,
    sent: bool,
) {
    let mut done = false;
    let tamper: Tamper = Box::new(move |host, now, bytes| {
        if host == victim && !done && now >= Time::from_ms(900) {
            done = patch(bytes, from, to);
        }
    });
    match sent {
        true => run.on_send = tamper,
        false => run.on_receive = tamper,
    }
    check_caught(run, requirement);
}

#[test]
fn what_a_server_writes_wrongly_is_named() {
    let server = |from, to, requirement| check_sent(scene(), SERVER, from, to, requirement);
    server(UPDATE, &[2, 0, 1, 56], "FTE-DLT-05");
    server(UPDATE, &[2, 0, 1, 4], "FTE-DLT-37");
    server(UPDATE, &[2, 0, 0x81, 0x80, 0x80, 0x40, 55], "FTE-DLT-34");
    server(UPDATE, &[2, 0, 0x81, 0x80, 0x04, 55], "FTE-DLT-24");
    server(&[2, 0, 1, 55, 0, 0], &[2, 0, 1, 55], "FTE-OVF-04");
    server(&[2, 0, 1, 55, 0, 0], &[2, 0, 1, 55, 0, 0, 0], "FTE-ENT-10");
    server(&[2, 0, 1, 55, 0, 0], &[2, 0, 1], "FTE-OVF-02");
    server(UPDATE, &[2, 0x80], "FTE-RMV-06");
    server(UPDATE, &[7, 0, 1, 55], "FTE-RMV-07");
    server(UPDATE, &[0, 0x80, 2, 0, 0x81, 1, 55], "FTE-RMV-11");
    server(UPDATE, &[], "FTE-DLT-39");
}

#[test]
fn a_server_that_leaves_out_a_reset_is_named() {
    let run = || scene().spawn(1_000, 5);
    check_sent(run(), SERVER, &[5, 0, 0x80, 1], &[5, 0, 0], "FTE-RST-02");
    check_sent(run(), SERVER, &[5, 0, 0x80, 1], &[], "FTE-RST-02");
    let returning = run().at(1_200, Command::Remove { entity: 5 }).spawn(1_400, 5);
    let mut count = 0;
    let mut returning = returning;
    returning.on_send = Box::new(move |host, now, bytes| {
        if host == SERVER && now >= Time::from_ms(1_400) && count == 0 {
            count += usize::from(patch(bytes, &[5, 0, 0x80, 1], &[5, 0, 0]));
        }
    });
    check_caught(returning, "FTE-RST-08");
}

#[test]
fn a_server_that_keeps_a_remove_to_itself_is_named() {
    let run = scene().at(1_000, Command::Remove { entity: 2 });
    check_sent(run, SERVER, &[2, 0x80], &[], "FTE-RMV-01");
    let run = scene().at(1_000, Command::Remove { entity: 2 });
    check_sent(run, SERVER, &[2, 0x80], &[2, 0x80, 2, 0, 1, 7], "FTE-RMV-12");
}

#[test]
fn a_server_that_does_not_reset_when_asked_is_named() {
    let mut run = asking(scene());
    run.on_send = Box::new(|host, now, bytes| {
        if host == SERVER && now > Time::from_ms(860) {
            strip_remove_all(bytes);
        }
    });
    check_caught(run, "FTE-ACK-16");
}

#[test]
fn a_server_whose_statistics_are_wrong_is_named() {
    let stat = |ms, value| (ms, SERVER, Command::Stat { client: 1, stat: 9, value: StatValue::Int(value) });
    let run = || {
        let mut run = scene();
        run.commands.extend([stat(900, 7), stat(1_000, 70)]);
        run
    };
    check_sent(run(), SERVER, &[51, 9, 70], &[51, 9, 71], "FTE-STAT-05");
    check_sent(run(), SERVER, &[51, 9, 70], &[51, 9, 7], "FTE-STAT-03");
    check_sent(run(), SERVER, &[51, 9, 70], &[], "FTE-STAT-01");
    check_read(run(), &[51, 9, 70], &[51, 9, 71], "FTE-STAT-05");
}

#[test]
fn a_server_whose_time_runs_backwards_is_named() {
    let mut run = scene();
    run.on_send = Box::new(|host, now, bytes| {
        if host == SERVER && now >= Time::from_ms(1_000) && now < Time::from_ms(1_050) && bytes.get(8) == Some(&86) {
            bytes[11..15].copy_from_slice(&0.25f32.to_le_bytes());
        }
    });
    check_caught(run, "FTE-SVC-03");
}

#[test]
fn a_server_that_echoes_movements_never_made_is_named() {
    let mut run = scene();
    run.on_send = Box::new(|host, now, bytes| {
        if host == SERVER && now >= Time::from_ms(1_000) && bytes.get(8) == Some(&86) {
            bytes[10] = bytes[10].wrapping_add(3);
        }
    });
    check_caught(run, "FTE-PRED-10");
}

#[test]
fn a_server_that_refuses_to_look_at_acknowledgements_is_named() {
    let mut run = scene().spawn(0, 3).at(900, Command::Remove { entity: 3 }).losing(|datagram| {
        datagram.comes_from_server() && (datagram.between(900, 910) || datagram.between(1_000, 1_010))
    });
    run.on_receive = Box::new(|host, _, bytes| {
        // Acknowledgements that the server does not see.
        while host == SERVER && bytes.len() >= 13 && bytes[bytes.len() - 5] == CLC_ACKFRAME {
            bytes.truncate(bytes.len() - 5);
            let length = (bytes.len() as u16).to_be_bytes();
            bytes[2..4].copy_from_slice(&length);
        }
    });
    let oracle = run.go();
    let named = |id: &str| oracle.findings().iter().any(|finding| finding.suspects.iter().any(|s| s.id == id));
    assert!(named("FTE-RMV-05") && named("FTE-ACK-09"), "\n{}", show(oracle.findings()));
}

#[test]
fn what_a_client_reads_wrongly_is_named() {
    let client = |from, to, requirement| check_read(scene(), from, to, requirement);
    client(UPDATE, &[2, 0, 1, 56], "FTE-DLT-05");
    client(UPDATE, &[2, 0x80], "FTE-RST-06");
    client(&[1, 0, 1, 9], &[1, 0, 1, 9, 2, 0x80], "FTE-RMV-02");
    client(&[1, 0, 1, 9], &[1, 0, 1, 9, 2, 0, 1, 7], "FTE-DLT-38");
    client(UPDATE, &[2, 0, 0x81, 0x40, 55, 7], "FTE-DLT-03");
    client(UPDATE, &[2, 0, 1, 55, 7, 0, 0], "FTE-DLT-38");
    check_read(scene().at(1_000, Command::Remove { entity: 2 }), &[2, 0x80], &[], "FTE-RMV-03");
}

#[test]
fn a_client_that_does_not_start_from_the_baseline_is_named() {
    let mut run = small(Run::new(0)).at(0, Command::Baseline { entity: 5, field: ALPHA, value: 90 });
    run = run.spawn(1_000, 5);
    check_read(run, &[5, 0, 0x80, 1], &[5, 0, 0x80, 0x81, 1, 255], "FTE-SVC-08");
}

#[test]
fn a_client_that_ignores_a_remove_all_is_named() {
    let mut run = asking(scene().at(1_000, Command::Remove { entity: 2 }));
    run.on_receive = Box::new(|host, now, bytes| {
        if host == CLIENT && now > Time::from_ms(860) {
            strip_remove_all(bytes);
        }
    });
    check_caught(run, "FTE-RMV-08");
}

#[test]
fn a_client_with_a_clock_of_its_own_is_named() {
    let mut run = scene();
    run.on_receive = Box::new(|host, now, bytes| {
        if host == CLIENT && now >= Time::from_ms(1_000) && bytes.get(8) == Some(&86) {
            bytes[11..15].copy_from_slice(&now.as_seconds().to_le_bytes());
        }
    });
    check_caught(run, "FTE-SVC-04");
}

/// A client whose acknowledgement of a frame, once, becomes `change` of it violates `requirement`.
fn check_ack(run: Run<'_>, change: impl Fn(u32, &mut Vec<u8>) + 'static, requirement: &str) {
    let mut run = run;
    let mut done = false;
    run.on_send = Box::new(move |host, now, bytes| {
        let Some(at) = bytes.len().checked_sub(5) else { return };
        if host == CLIENT && !done && now >= Time::from_ms(1_100) && at > 8 && bytes[at] == CLC_ACKFRAME {
            let sequence = u32::from_le_bytes([bytes[at + 1], bytes[at + 2], bytes[at + 3], bytes[at + 4]]);
            done = true;
            bytes.truncate(at);
            change(sequence, bytes);
            let length = (bytes.len() as u16).to_be_bytes();
            bytes[2..4].copy_from_slice(&length);
        }
    });
    check_caught(run, requirement);
}

fn put_ack(bytes: &mut Vec<u8>, sequence: u32) {
    bytes.push(CLC_ACKFRAME);
    bytes.extend(sequence.to_le_bytes());
}

#[test]
fn what_a_client_acknowledges_wrongly_is_named() {
    check_ack(scene(), |sequence, bytes| put_ack(bytes, sequence + 900), "FTE-ACK-02");
    check_ack(scene(), |_, _| {}, "FTE-ACK-05");
    check_ack(
        scene(),
        |sequence, bytes| {
            put_ack(bytes, sequence);
            put_ack(bytes, sequence);
        },
        "FTE-ACK-21",
    );
    let lossy = || scene().losing(|datagram| datagram.comes_from_server() && datagram.between(1_010, 1_060));
    check_ack(
        lossy(),
        |sequence, bytes| {
            put_ack(bytes, sequence - 1);
            put_ack(bytes, sequence);
        },
        "FTE-ACK-04",
    );
    check_ack(scene(), |_, bytes| bytes.extend([CLC_ACKFRAME, 1]), "FTE-ACK-03");
}

#[test]
fn handshakes_that_go_wrong_are_named() {
    let pext = |to: &'static [u8], requirement: &str| {
        let mut run = scene();
        run.on_send = Box::new(move |host, _, bytes| {
            if host == CLIENT {
                patch(bytes, b"pext 0x32455446 0x28", to);
            }
        });
        check_caught(run, requirement);
    };
    pext(b"pext", "FTE-HS-08");
    pext(b"pext 0x32455446 0x28 1", "FTE-HS-09");
    pext(b"pext FTE2 0x28", "FTE-HS-10");
    pext(b"pext 0x32455446 0x2a", "FTE-HS-12");
    let mut run = scene();
    run.on_send = Box::new(|host, _, bytes| {
        if host == SERVER {
            patch(bytes, b"FTE2\x28", b"FTE2\x29");
        }
    });
    check_caught(run, "FTE-HS-16");
    let quakeworld = |host: HostId, from: &'static [u8], to: &'static [u8], requirement: &str| {
        let mut run = small(Run::new(1));
        run.on_send = Box::new(move |sender, _, bytes| {
            let at = bytes.windows(from.len()).position(|window| sender == host && window == from);
            if let Some(at) = at {
                bytes.splice(at..at + from.len(), to.iter().copied());
            }
        });
        check_caught(run, requirement);
    };
    quakeworld(SERVER, b"FTE2", b"2ETF", "FTE-HS-02");
    quakeworld(CLIENT, b"connect 28 ", b"connect 27 ", "FTE-HS-03");
    quakeworld(CLIENT, b"\n0x32455446 0x28\n", b"\n", "FTE-HS-04");
    quakeworld(CLIENT, b"getchallenge\n", b"connect 28 1 0 \"x\"\n", "FTE-HS-01");
}
