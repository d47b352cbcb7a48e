//! Endpoints that are broken in one datagram: what is wrong must be named. The mutants are broken in many ways, always.

use super::*;

/// Puts `to` in place of the first `from` after the header, and corrects the length in the header. Whether there was
/// one.
fn patch(bytes: &mut Vec<u8>, from: &[u8], to: &[u8]) -> bool {
    let Some(at) = bytes.windows(from.len()).skip(8).position(|window| window == from) else { return false };
    bytes.splice(at + 8..at + 8 + from.len(), to.iter().copied());
    let length = (bytes.len() as u16).to_be_bytes();
    bytes[2..4].copy_from_slice(&length);
    true
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
fn what_a_client_reads_wrongly_is_named() {
    let client = |from, to, requirement| check_read(scene(), from, to, requirement);
    client(UPDATE, &[2, 0, 1, 56], "FTE-DLT-05");
    client(UPDATE, &[2, 0x80], "FTE-SVC-15");
    client(&[1, 0, 1, 9], &[1, 0, 1, 9, 2, 0x80], "FTE-RMV-02");
    client(&[1, 0, 1, 9], &[1, 0, 1, 9, 2, 0, 1, 7], "FTE-DLT-38");
    client(UPDATE, &[2, 0, 0x81, 0x40, 55, 7], "FTE-DLT-03");
    client(UPDATE, &[2, 0, 1, 55, 7, 0, 0], "FTE-DLT-38");
    check_read(scene().at(1_000, Command::Remove { entity: 2 }), &[2, 0x80], &[], "FTE-RMV-03");
}
