//! A server can end a session at any time and let the client in again: the session before is simply over.

use super::*;
use quakeworld::handshake::{ClientPacket, Connect, Entries, ServerPacket};

/// The simulation; our client and somebody's server; our server and somebody's client; neither end ours.
const VANTAGES: [Vantage; 4] = {
    const fn of(remote_server: bool, remote_clients: bool) -> Vantage {
        Vantage {
            remote_server,
            remote_clients,
            server_may_miss: remote_server,
            clients_may_miss: remote_clients,
            untimed: false,
            virtual_server: false,
            clients_only_read: false,
            demo: None,
        }
    }
    [of(false, false), of(true, false), of(false, true), of(true, true)]
};

/// The server disconnects the client with what it sends of the session within 300 ms from then on.
fn kicks(from_ms: u64) -> Tamper {
    const FORMS: [u8; 2] = [9, 16];
    Box::new(move |host, now, bytes| {
        if host != SERVER || !(Time::from_ms(from_ms)..Time::from_ms(from_ms + 300)).contains(&now) {
            return;
        }
        // NetQuake: a whole reliable message or an unreliable one, whose length is in its header.
        if bytes[0] == 0
            && FORMS.contains(&bytes[1])
            && usize::from(bytes[2]) << 8 | usize::from(bytes[3]) == bytes.len()
        {
            bytes.push(2);
            netquake::datagram::seal(bytes);
        } else if bytes[..4] != [0xff; 4] && bytes[0] != 0x80 && bytes[..2] != [0, 2] {
            bytes.push(2);
        }
    })
}

/// A world under loss, in which the client comes back `pause_ms` after 2.5 seconds.
fn comes_back<'a>(profile: usize, vantage: Vantage, pause_ms: u64) -> Run<'a> {
    let mut run = busy(Run::new(profile), 4).losing(lossy(1_000, 10, 4));
    run.commands.push((2_500, CLIENT, Command::Disconnect));
    run.commands.push((2_500 + pause_ms, CLIENT, Command::Connect));
    (run.vantage, run.length_ms) = (vantage, 12_000);
    if vantage.is_remote() {
        run.lag_us = 20_000;
    }
    run
}

fn check_silent(run: Run<'_>, what: &str) -> Watch<FteOracle> {
    let oracle = run.go();
    let musts = oracle.findings().iter().filter(|finding| finding.requirement().level.is_must());
    assert_eq!(musts.map(|finding| show(std::slice::from_ref(finding))).collect::<String>(), "", "{what}");
    oracle
}

/// Every way to end a session, from every vantage; `change` breaks an end.
fn each_end(mut check: impl FnMut(Run<'static>, &str)) {
    for (number, vantage) in VANTAGES.into_iter().enumerate() {
        for profile in [0, 1] {
            for pause_ms in [60, 500, 3_000] {
                let what = |how: &str| format!("{how}, vantage {number}, profile {profile}, {pause_ms} ms");
                check(comes_back(profile, vantage, pause_ms), &what("left"));
                let run = comes_back(profile, vantage, pause_ms);
                check(Run { forgets_ms: Some(2_100), ..run }, &what("forgotten"));
                let run = comes_back(profile, vantage, pause_ms);
                check(Run { on_send: kicks(2_000), ..run }, &what("dropped"));
            }
        }
    }
}

#[test]
fn a_request_that_the_network_kept_can_begin_a_session_anew() {
    // What follows is not judged: the client knows nothing of it.
    for (profile, later_us, anew) in
        [(0, 1_000_000, false), (0, 2_300_000, true), (1, 1_000_000, false), (1, 2_300_000, true)]
    {
        let run = Run { requests_again_us: Some(later_us), length_ms: 12_000, ..busy(Run::new(profile), 4) };
        let what = format!("profile {profile}, {later_us} us");
        let oracle = check_silent(run, &what);
        assert_eq!(oracle.judge.clients[0].session.damaged.is_some(), anew, "{what}");
    }
}

#[test]
fn a_session_that_the_server_ends_is_over() {
    each_end(|run, what| {
        let oracle = check_silent(run, what);
        let client = &oracle.judge.clients[0];
        assert!(client.open && client.session.frames_sent > 50, "{what}: the second session is followed");
    });
}

#[test]
fn a_server_that_is_broken_is_found_after_the_entry_too() {
    let rules = Rules { log: log_flags::<{ UF_RESET as u32 }>, ..Rules::REFERENCE };
    each_end(|mut run, what| {
        // Nothing is lost before.
        run.lose = Box::new(|datagram| datagram.comes_from_server() && datagram.between(8_000, 8_500));
        for entity in 101..=124 {
            run = run.spawn(4_000, entity);
            for step in 0..4 {
                run = run.set(6_000 + 700 * step + 50 * (u64::from(entity) % 14), entity, FRAME, 1 + step as i32);
            }
        }
        let oracle = run.rules(rules, Rules::REFERENCE).go();
        let found = oracle.findings().first().is_some_and(|finding| finding.what.contains("did not send it again"));
        assert!(found, "{what}\n{}", show(oracle.findings()));
    });
}

#[test]
fn a_sign_on_that_the_server_ends_asks_for_nothing_more() {
    for vantage in VANTAGES {
        for profile in [0, 1] {
            for fte2 in [0, 0x28] {
                for ms in [40, 90, 140, 190, 240] {
                    let run = small(Run::new(profile)).option("client_fte2", fte2);
                    check_silent(Run { vantage, on_send: kicks(ms), ..run }, &format!("profile {profile}, {ms} ms"));
                    let run = small(Run::new(profile)).option("client_fte2", fte2);
                    let run = Run { vantage, forgets_ms: Some(ms), length_ms: 30_000, ..run };
                    if vantage.remote_server {
                        check_silent(run, &format!("profile {profile}, forgotten at {ms} ms"));
                    }
                }
            }
        }
    }
}

#[test]
fn a_client_can_leave_in_the_middle_of_its_sign_on() {
    for vantage in VANTAGES {
        for profile in [0, 1] {
            for ms in [40, 90, 140, 190, 240] {
                let mut run = small(Run::new(profile)).option("client_fte2", 0);
                run.commands.push((ms, CLIENT, Command::Disconnect));
                check_silent(Run { vantage, ..run }, &format!("profile {profile}, {ms} ms"));
            }
        }
    }
}

/// Packets outside of connections, at these hosts: what the oracle finds.
fn outside(vantage: Vantage, packets: &[(u16, Vec<u8>)]) -> Vec<&'static str> {
    let mut setup = Setup { vantage, ..Setup::new(&crate::PROTOCOL, &PROFILES[1]) };
    setup.clients = 2;
    let mut oracle = Watch::new(FteOracle::new(&setup), &setup, crate::requirements::REQUIREMENTS);
    for host in [1, 2] {
        oracle.on(Time::ZERO, &TraceEvent::Command { host: HostId(host), command: &Command::Connect });
    }
    for (index, (host, bytes)) in (0..).zip(packets) {
        let now = Time::from_ms(10 * u64::from(index));
        let direction = match bytes[4] {
            b'g' | b'C' => Direction::ClientToServer,
            b'c' if bytes[5] == b'o' => Direction::ClientToServer,
            _ => Direction::ServerToClient,
        };
        let packet = PacketId { client: HostId(*host), direction, slot: 0, ordinal: 0, index };
        let fate = Fate::Once(Delivery::whole(1));
        oracle.on(now, &TraceEvent::Sent { packet, bytes, fate, dissection: None });
        oracle.on(now.after(1), &TraceEvent::Delivered { packet, copy: 0, bytes, intact: true });
    }
    oracle.findings().iter().map(|finding| finding.requirement().id).collect()
}

fn extended() -> Entries<'static> {
    Entries { fte2: Some(0x28), ..Entries::default() }
}

fn written(write: impl FnOnce(&mut kit::Writer<'_>)) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut kit::Writer::new(&mut bytes));
    bytes
}

#[test]
fn a_challenge_is_good_at_every_host_that_its_client_gets() {
    let asks = |host| (host, written(|w| ClientPacket::GetChallenge.write(w)));
    let challenge = |host, challenge| {
        (
            host,
            written(|w| {
                ServerPacket::Challenge { challenge, entries: Entries { fte2: Some(0x28), ..Entries::default() } }
                    .write(w)
            }),
        )
    };
    let connects =
        |host, number| (host, written(|w| ClientPacket::Connect(Connect::new(7, number, b"", extended())).write(w)));
    let [simulation, _, serve, recording] = VANTAGES;
    let moved = [asks(1), challenge(1, 55), connects(1, 55), connects(2, 55)];
    assert_eq!(outside(serve, &moved), [""; 0]);
    assert_eq!(outside(simulation, &moved), ["FTE-HS-01"]);
    let invented = [asks(1), challenge(1, 55), connects(2, 56)];
    assert_eq!(outside(serve, &invented), ["FTE-HS-01"]);
    let changed = [asks(1), challenge(1, 55), asks(2), challenge(2, 57), connects(2, 56)];
    assert_eq!(outside(serve, &changed), ["FTE-HS-03"]);
    // A recording that began after the challenge; and one in which there was another.
    assert_eq!(outside(recording, &[connects(1, 55)]), [""; 0]);
    assert_eq!(outside(recording, &[asks(1), challenge(1, 55), connects(1, 56)]), ["FTE-HS-03"]);
}
