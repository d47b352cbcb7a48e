//! What a remote vantage changes: versions are learned, a client reads when it likes, and sessions begin unannounced.

use super::*;
use crate::requirements::*;
use kit::{Knowledge, Vantage};

const HALF: [u8; 4] = [0, 0, 0, 0x3f];
const QUARTER: [u8; 4] = [0, 0, 0x80, 0x3e];
const NEWEST: [u8; 4] = [0xa4, 0x70, 0x7d, 0x3f];
const ASKS: Option<&str> = Some("nvs_request 0.99\n");

fn answer(floats: [[u8; 4]; 3]) -> Vec<u8> {
    [&[127, 1][..], &floats.concat()].concat()
}

/// A connection of one client, where these ends are remote.
fn seen(remote_server: bool, remote_clients: bool) -> Wire {
    let mut setup = Setup::new(&PROTOCOL, &crate::options::PROFILES[0]);
    setup.knowledge = Knowledge::Wire;
    let (server_may_miss, clients_may_miss) = (remote_server, remote_clients);
    setup.vantage = Vantage { remote_server, remote_clients, server_may_miss, clients_may_miss, ..Vantage::default() };
    setup.clients = 2;
    Wire { oracle: watch(&setup), now: Time::ZERO, clients: vec![Counters::default(); 2] }
}

/// A client of 0.99 signs on to a remote server, which sends these versions.
fn answered(floats: [[u8; 4]; 3], expected: &[&Requirement]) {
    let mut wire = seen(true, false);
    let half = |version: [u8; 4]| version == HALF || version == NEWEST;
    let fine = half(floats[0]) && half(floats[1]);
    let angles = [&[10][..], if fine { &[0; 12] } else { &[0; 3] }].concat();
    wire.sign_on(1, ASKS, &answer(floats), &angles);
    wire.check(expected);
}

#[test]
fn the_versions_of_a_remote_server_are_those_that_it_sends() {
    answered([HALF, HALF, NEWEST], &[]);
    answered([QUARTER, QUARTER, NEWEST], &[]);
    // Its executable is older than the client.
    answered([QUARTER, QUARTER, HALF], &[]);
    answered([HALF, HALF, HALF], &[]);
    answered([NEWEST, NEWEST, NEWEST], &[]);
}

#[test]
fn versions_that_cannot_be_true_of_any_server_are_found() {
    answered([QUARTER, HALF, NEWEST], &[&VER_02]);
    answered([NEWEST, HALF, NEWEST], &[&VER_02]);
    answered([HALF, HALF, QUARTER], &[&VER_03]);
    answered([HALF, NEWEST, HALF], &[&HS_02]);
}

#[test]
fn a_remote_server_may_be_plain_and_one_that_answered_before_is_not() {
    let mut plain = seen(true, false);
    plain.sign_on(1, ASKS, &[], &[10, 0, 0, 0]);
    plain.check(&[]);

    let mut forgetful = seen(true, false);
    forgetful.sign_on(1, ASKS, &answer([HALF, HALF, NEWEST]), &[&[10][..], &[0; 12]].concat());
    forgetful.sign_on(2, ASKS, &[], &[10, 0, 0, 0]);
    forgetful.check(&[&HS_02]);
}

#[test]
fn a_remote_server_keeps_to_what_it_sent_others() {
    let mut wire = seen(true, false);
    let fine = [&[10][..], &[0; 12]].concat();
    wire.sign_on(1, ASKS, &answer([HALF, HALF, NEWEST]), &fine);
    wire.sign_on(2, ASKS, &answer([NEWEST, NEWEST, NEWEST]), &fine);
    wire.check(&[&VER_01]);
}

#[test]
fn a_message_in_another_form_is_found_without_the_world() {
    let mut wire = seen(true, false);
    wire.sign_on(1, ASKS, &answer([HALF, HALF, NEWEST]), &[&[10][..], &[0; 12]].concat());
    wire.frame(1, &NEW);
    wire.frame(1, &OLD);
    assert!(wire.oracle.covered().iter().any(|row| row.id == SEL_04.id || row.id == TAB_03.id));
    wire.check(&[&SEL_04]);
}

#[test]
fn a_remote_client_asks_before_prespawn_or_when_its_player_does() {
    let asks = |order: [&str; 3], expected: &[&Requirement]| {
        let mut wire = seen(false, true);
        wire.command(HostId(1), Command::Connect);
        wire.send(1, Direction::ServerToClient, &[0x80, 0, 0, 9, CCREP_ACCEPT, 0, 0, 0, 0]);
        wire.says(1, GREETING);
        order.into_iter().for_each(|text| wire.client_sends(1, text));
        wire.check(expected);
    };
    asks(["nvs_request 0.99\n", "prespawn", "spawn"], &[]);
    asks(["nvs_request 0.99\n", "prespawn", "nvs_request 0.99\n"], &[]);
    asks(["prespawn", "spawn", "nvs_request 0.99\n"], &[]);
    asks(["prespawn", "nvs_request 0.99\n", "spawn"], &[&HS_01]);
}

/// A move, with angles in bytes or in floats.
fn a_move(fine: bool) -> Vec<u8> {
    [&[3, 0, 0, 0, 0][..], if fine { &[0; 12] } else { &[0; 3] }, &[0; 8]].concat()
}

impl Wire {
    fn moves(&mut self, fine: bool) {
        let bytes = Wire::datagram(NETFLAG_UNRELIABLE, self.clients[0].unreliable, &a_move(fine));
        self.clients[0].unreliable += 1;
        self.send(1, Direction::ClientToServer, &bytes);
    }

    /// The server says something that the client does not acknowledge.
    fn says_unread(&mut self, payload: &[u8]) -> Vec<u8> {
        let sequence = &mut self.clients[0].reliable[Direction::ServerToClient.index()];
        let bytes = Wire::datagram(NETFLAG_DATA | NETFLAG_EOM, *sequence, payload);
        let ack = Wire::datagram(NETFLAG_ACK, *sequence, &[]);
        *sequence += 1;
        self.send(1, Direction::ServerToClient, &bytes);
        ack
    }
}

#[test]
fn a_remote_client_moves_in_the_form_of_what_it_has_shown_to_have_read() {
    let sign_on = || {
        let mut wire = seen(false, true);
        wire.command(HostId(1), Command::Connect);
        wire.send(1, Direction::ServerToClient, &[0x80, 0, 0, 9, CCREP_ACCEPT, 0, 0, 0, 0]);
        wire.says(1, GREETING);
        wire.moves(false);
        wire.client_sends(1, "nvs_request 0.99\n");
        wire
    };
    let found = |wire: &Wire| -> Vec<&'static str> {
        let findings = wire.oracle.findings().iter().filter(|finding| finding.host != HostId::SERVER);
        findings.map(|finding| finding.requirement().id).collect()
    };
    for fine in [false, true] {
        let mut unread = sign_on();
        unread.says_unread(&answer([HALF, HALF, NEWEST]));
        unread.moves(fine);
        assert_eq!(found(&unread), Vec::<&str>::new());

        let mut read = sign_on();
        let ack = read.says_unread(&answer([HALF, HALF, NEWEST]));
        read.send(1, Direction::ClientToServer, &ack);
        // The acknowledgement can have overtaken the first ones.
        (0..16).for_each(|_| read.moves(fine));
        assert_eq!(found(&read), Vec::<&str>::new());
        read.moves(fine);
        assert_eq!(found(&read).contains(&CLC_01.id), !fine);
    }
}

#[test]
fn a_remote_client_that_comes_back_without_a_command_is_judged_anew() {
    for disconnect in [true, false] {
        let mut wire = seen(false, true);
        let fine = [&[10][..], &[0; 12]].concat();
        wire.sign_on(1, ASKS, &answer([HALF, HALF, NEWEST]), &fine);
        if disconnect {
            let bytes = Wire::datagram(NETFLAG_UNRELIABLE, wire.clients[0].unreliable, &[2]);
            wire.send(1, Direction::ClientToServer, &bytes);
        }
        let index = wire.clients[0].index;
        wire.clients[0] = Counters { index, ..Counters::default() };
        wire.send(1, Direction::ClientToServer, &[0x80, 0, 0, 12, 1, b'Q', b'U', b'A', b'K', b'E', 0, 3]);
        wire.send(1, Direction::ServerToClient, &[0x80, 0, 0, 9, CCREP_ACCEPT, 0, 0, 0, 0]);
        wire.says(1, GREETING);
        wire.client_sends(1, "nvs_request 0.99\n");
        wire.client_sends(1, "prespawn");
        wire.says(1, &[&answer([HALF, HALF, NEWEST])[..], &[25, 2]].concat());
        wire.client_sends(1, "spawn");
        wire.says(1, &spawn_answer(&fine));
        wire.frame(1, &OLD);
        wire.check(&[&SEL_04]);
    }
}

#[test]
fn a_second_acceptance_behind_a_challenge_begins_the_connection_anew() {
    let mut wire = seen(true, false);
    wire.command(HostId(1), Command::Connect);
    wire.send(1, Direction::ServerToClient, &[0x80, 0, 0, 9, CCREP_ACCEPT, 0, 0, 0, 0]);
    let challenge = Wire::datagram(NETFLAG_UNRELIABLE, 0, b"\x09cmd challengeconnect 0x17\n\0");
    wire.send(1, Direction::ServerToClient, &challenge);
    wire.says(1, b"\x09// first\n\0");
    wire.clients[0].reliable = [0; 2];
    wire.send(1, Direction::ServerToClient, &[0x80, 0, 0, 9, CCREP_ACCEPT, 0, 0, 0, 0]);
    wire.says(1, GREETING);
    wire.client_sends(1, "nvs_request 0.99\n");
    wire.client_sends(1, "prespawn");
    wire.says(1, &[&answer([QUARTER, HALF, NEWEST])[..], &[25, 2]].concat());
    wire.client_sends(1, "spawn");
    wire.check(&[&VER_02]);
}

#[test]
fn a_recording_that_begins_in_the_middle_is_not_judged() {
    let mut wire = seen(true, true);
    wire.command(HostId(1), Command::Connect);
    wire.says(1, &[127, 9, 9]);
    wire.client_sends(1, "spawn");
    assert!(wire.oracle.remarks().iter().any(|remark| remark.contains("before it was observed")));
    wire.check(&[]);
}

#[test]
fn a_client_need_not_go_on_with_a_server_of_another_protocol() {
    for (protocol, expected) in [(15, &[&HS_07][..]), (666, &[])] {
        let mut wire = seen(true, false);
        wire.command(HostId(1), Command::Connect);
        wire.send(1, Direction::ServerToClient, &[0x80, 0, 0, 9, CCREP_ACCEPT, 0, 0, 0, 0]);
        let [low, high] = u16::to_le_bytes(protocol);
        wire.says(1, &[b"\x08hello\0\x0b", &[low, high][..], &GREETING[10..]].concat());
        wire.check(expected);
    }
}

#[test]
fn a_remote_server_that_falls_silent_has_let_go_of_the_client_and_one_that_speaks_resends() {
    for (speaks, expected) in [(false, &[][..]), (true, &[&BUF_01])] {
        let mut wire = seen(true, false);
        wire.command(HostId(1), Command::Connect);
        wire.send(1, Direction::ServerToClient, &[0x80, 0, 0, 9, CCREP_ACCEPT, 0, 0, 0, 0]);
        wire.says_unread(GREETING);
        wire.client_sends(1, "nvs_request 0.99\n");
        wire.client_sends(1, "prespawn");
        wire.now = wire.now.after(4_000_000);
        if speaks {
            wire.send(1, Direction::ServerToClient, &Wire::datagram(NETFLAG_ACK, 0, &[]));
        }
        wire.check(expected);
    }
}

#[test]
fn a_client_that_waits_for_a_server_that_is_gone_need_not_go_on() {
    for (acknowledged, expected) in [(false, &[][..]), (true, &[&SIG_02])] {
        let mut wire = seen(true, false);
        wire.command(HostId(1), Command::Connect);
        wire.send(1, Direction::ServerToClient, &[0x80, 0, 0, 9, CCREP_ACCEPT, 0, 0, 0, 0]);
        wire.says(1, GREETING);
        wire.client_sends(1, "nvs_request 0.99\n");
        wire.client_sends(1, "prespawn");
        if acknowledged {
            wire.send(1, Direction::ServerToClient, &Wire::datagram(NETFLAG_ACK, 1, &[]));
        }
        wire.says(1, &[&answer([HALF, HALF, NEWEST])[..], &[25, 2]].concat());
        wire.check(expected);
    }
}

#[test]
fn a_client_that_is_accepted_again_is_judged_in_the_session_that_the_server_goes_on_with() {
    for anew in [false, true] {
        let mut wire = seen(false, true);
        let fine = [&[10][..], &[0; 12]].concat();
        wire.sign_on(1, ASKS, &answer([HALF, HALF, NEWEST]), &fine);
        wire.send(1, Direction::ClientToServer, &[0x80, 0, 0, 12, 1, b'Q', b'U', b'A', b'K', b'E', 0, 3]);
        wire.send(1, Direction::ServerToClient, &[0x80, 0, 0, 9, CCREP_ACCEPT, 0, 0, 0, 0]);
        if anew {
            let index = wire.clients[0].index;
            wire.clients[0] = Counters { index, ..Counters::default() };
            wire.says(1, GREETING);
            wire.client_sends(1, "nvs_request 0.99\n");
            wire.client_sends(1, "prespawn");
            wire.says(1, &[&answer([HALF, HALF, NEWEST])[..], &[25, 2]].concat());
            wire.client_sends(1, "spawn");
            wire.says(1, &spawn_answer(&fine));
        }
        wire.frame(1, &NEW);
        wire.frame(1, &OLD);
        wire.check(&[&SEL_04]);
    }
}
