//! Streams written by hand, without the reference machines: what the oracle says to bytes that are right, allowed, or
//! wrong.

use super::from_server::versions::TIME_PASSES;
use super::liveness::{CLIENTS_GO_ON, SERVERS_GO_ON};
use super::{NvsJudge, watch};
use crate::PROTOCOL;
use crate::verbs::{VERB_EXPLOSION, VERB_PRINT, VERB_SET_ANGLE};
use kit::fate::{Delivery, Fate};
use kit::{Command, Direction, HostId, Oracle, PacketId, Probe, Requirement, Setup, Time, TraceEvent, Watch};
use netquake::constants::{CCREP_ACCEPT, NETFLAG_ACK, NETFLAG_DATA, NETFLAG_EOM, NETFLAG_UNRELIABLE};

mod levels;
mod remote;

/// Time between frames.
const TICK_US: u64 = 50_000;

/// svc_print of `line <number>`.
fn line(number: u8) -> Vec<u8> {
    [&[8][..], format!("line {number}\n").as_bytes(), &[0]].concat()
}

/// A level: print, serverinfo, cdtrack, setview, signonnum 1.
const GREETING: &[u8] = b"\x08hello\0\x0b\x0f\0\0\0\x01\0\0maps/a.bsp\0\0\0\x20\x02\x02\x05\x01\0\x19\x01";

/// svc_time, svc_clientdata without anything that differs from the usual.
fn frame_head() -> Vec<u8> {
    let mut bytes = vec![7, 0, 0, 0, 0];
    bytes.extend_from_slice(&[15, 0, 0]);
    bytes.extend_from_slice(&[0; 4]);
    bytes.extend_from_slice(&[0, 0, 0, 0, 0, 0, 0, 0]);
    bytes
}

/// The answer to spawn, for one slot.
fn spawn_answer(angles: &[u8]) -> Vec<u8> {
    let head = frame_head();
    [&head[..5], &[13, 0, 0, 14, 0, 0, 0, 17, 0, 0], angles, &head[5..], &[25, 3]].concat()
}

/// An explosion at the origin; with the colour 1, 0.5, 0.25, 0.875.
const OLD: [u8; 8] = [23, 3, 0, 0, 0, 0, 0, 0];
const NEW: [u8; 16] = [23, 3, 0, 0, 0, 0, 0, 0, 8, 0, 4, 0, 2, 0, 7, 0];
const COLOR: i32 = 0x0702_0408;

/// What a client of 0.99 asks, and what a server of 0.50 answers: SSVC 0.50, CSVC 0.50, CCLC 0.99; angles for it.
const REQUEST: &str = "nvs_request 0.99\n";
const ANSWER: [u8; 14] = [127, 1, 0, 0, 0, 0x3f, 0, 0, 0, 0x3f, 0xa4, 0x70, 0x7d, 0x3f];
const ANGLES: [u8; 13] = [10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// A connection between a server and client 1, byte by byte.
struct Wire {
    oracle: Watch<NvsJudge>,
    now: Time,
    clients: Vec<Counters>,
}

/// What is counted per connection: datagrams by direction, and sequence numbers.
#[derive(Clone, Default)]
struct Counters {
    index: [u32; 2],
    reliable: [u32; 2],
    unreliable: u32,
}

impl Wire {
    /// A run with these maxima; -1 for a client that never asks.
    fn new(maxima: &[i64]) -> Wire {
        let mut setup = Setup::new(&PROTOCOL, &crate::options::PROFILES[0]);
        setup.clients = maxima.len() as u16;
        for (client, maximum) in maxima.iter().enumerate() {
            let name = format!("client{}_max", client + 1);
            let index = crate::options::OPTIONS.iter().position(|option| option.name == name).expect("an option");
            setup.options[index] = *maximum;
        }
        let clients = vec![Counters::default(); maxima.len()];
        let mut wire = Wire { oracle: watch(&setup), now: Time::ZERO, clients };
        // Where explosions are.
        wire.command(HostId::SERVER, Command::Spawn { entity: 5 });
        wire
    }

    fn command(&mut self, host: HostId, command: Command) {
        self.oracle.on(self.now, &TraceEvent::Command { host, command: &command });
    }

    fn verb(&mut self, verb: usize, args: [i32; 4]) {
        self.command(HostId::SERVER, Command::Verb { verb, args });
    }

    fn send(&mut self, client: u16, direction: Direction, bytes: &[u8]) {
        let counters = &mut self.clients[usize::from(client) - 1];
        let index = &mut counters.index[direction.index()];
        let packet = PacketId { client: HostId(client), direction, slot: 0, ordinal: 0, index: *index };
        *index += 1;
        let fate = Fate::Once(Delivery::whole(0));
        self.oracle.on(self.now, &TraceEvent::Sent { packet, bytes, fate, dissection: None });
        self.oracle.on(self.now, &TraceEvent::Delivered { packet, copy: 0, bytes, intact: true });
    }

    fn datagram(flags: u32, sequence: u32, payload: &[u8]) -> Vec<u8> {
        let length = 8 + payload.len() as u32;
        [&(flags | length).to_be_bytes()[..], &sequence.to_be_bytes(), payload].concat()
    }

    fn reliable(&mut self, client: u16, direction: Direction, payload: &[u8]) {
        let sequence = &mut self.clients[usize::from(client) - 1].reliable[direction.index()];
        let bytes = Wire::datagram(NETFLAG_DATA | NETFLAG_EOM, *sequence, payload);
        let ack = Wire::datagram(NETFLAG_ACK, *sequence, &[]);
        *sequence += 1;
        self.send(client, direction, &bytes);
        if direction == Direction::ServerToClient {
            self.send(client, Direction::ClientToServer, &ack);
        }
    }

    /// The server says something reliably.
    fn says(&mut self, client: u16, payload: &[u8]) {
        self.reliable(client, Direction::ServerToClient, payload);
    }

    /// The client says something.
    fn client_sends(&mut self, client: u16, text: &str) {
        let payload = [&[4][..], text.as_bytes(), &[0]].concat();
        self.reliable(client, Direction::ClientToServer, &payload);
    }

    /// A frame, with this after its head.
    fn frame(&mut self, client: u16, payload: &[u8]) {
        let sequence = &mut self.clients[usize::from(client) - 1].unreliable;
        let bytes = Wire::datagram(NETFLAG_UNRELIABLE, *sequence, &[frame_head(), payload.to_vec()].concat());
        *sequence += 1;
        self.send(client, Direction::ServerToClient, &bytes);
    }

    fn tick(&mut self) {
        self.now = self.now.after(TICK_US);
    }

    /// A client connects, and comes as far as the game; `answer` is what it is sent of versions.
    fn sign_on(&mut self, client: u16, request: Option<&str>, answer: &[u8], angles: &[u8]) {
        self.command(HostId(client), Command::Connect);
        self.send(client, Direction::ServerToClient, &[0x80, 0, 0, 9, CCREP_ACCEPT, 0, 0, 0, 0]);
        self.says(client, GREETING);
        self.enter(client, request, answer, angles);
    }

    /// A client that was sent a level comes as far as the game.
    fn enter(&mut self, client: u16, request: Option<&str>, answer: &[u8], angles: &[u8]) {
        if let Some(request) = request {
            self.client_sends(client, request);
        }
        self.client_sends(client, "prespawn");
        self.says(client, &[answer, &[25, 2]].concat());
        self.client_sends(client, "spawn");
        self.says(client, &spawn_answer(angles));
        self.client_sends(client, "begin");
        for _ in 0..3 {
            self.tick();
            self.frame(client, &[]);
        }
        self.tick();
    }

    /// The same for a client of 0.99 at a server of 0.50.
    fn sign_on_new(&mut self, client: u16) {
        self.sign_on(client, Some(REQUEST), &ANSWER, &ANGLES);
    }

    /// The same for a plain one.
    fn sign_on_plain(&mut self, client: u16) {
        self.sign_on(client, None, &[], &[10, 0, 0, 0]);
    }

    /// Ends the run, and checks what was found.
    fn check(mut self, expected: &[&Requirement]) {
        let end = self.now.after(5_000_000);
        self.oracle.finish(end);
        // Both ends stop with what is written here, and time stands still.
        let stops = |name: &str| [&CLIENTS_GO_ON, &SERVERS_GO_ON, &TIME_PASSES].iter().any(|check| check.name == name);
        let findings = self.oracle.findings().iter().filter(|finding| !stops(finding.check.name));
        let found: Vec<&str> = findings.map(|finding| finding.requirement().id).collect();
        let expected: Vec<&str> = expected.iter().map(|requirement| requirement.id).collect();
        assert_eq!(found, expected, "{:#?}", self.oracle.findings());
    }
}

/// A client of 0.99 in the game.
fn in_game() -> Wire {
    let mut wire = Wire::new(&[99, -1]);
    wire.sign_on_new(1);
    wire
}

/// The explosion that the scenario asks for comes in these bytes, in the frame of a client of 0.99.
fn check_explosion(bytes: &[u8], expected: &[&Requirement]) {
    let mut wire = in_game();
    wire.verb(VERB_EXPLOSION, [5, COLOR, 0, 0]);
    wire.frame(1, bytes);
    wire.check(expected);
}

#[test]
fn a_stream_written_by_hand_passes() {
    let mut wire = in_game();
    wire.verb(VERB_EXPLOSION, [5, COLOR, 0, 0]);
    wire.verb(VERB_PRINT, [2, 0, 1, 0]);
    wire.frame(1, &NEW);
    wire.says(1, &line(1));
    wire.check(&[]);
}

#[test]
fn a_plain_client_gets_the_plain_form() {
    let mut wire = Wire::new(&[-1]);
    wire.sign_on_plain(1);
    wire.verb(VERB_EXPLOSION, [5, COLOR, 0, 0]);
    wire.frame(1, &OLD);
    wire.check(&[]);
}

#[test]
fn wrong_forms_are_found_at_what_they_break() {
    use crate::requirements::*;
    check_explosion(&OLD, &[&SEL_04]);
    check_explosion(&[], &[&T3_02]);
    let middle = [23, 3, 0, 0, 8, 0, 4, 0, 2, 0, 7, 0, 0, 0, 0, 0];
    check_explosion(&middle, &[&WR_03]);
    check_explosion(&[NEW, NEW].concat(), &[&BUF_02]);
}

#[test]
fn colour_for_a_plain_client_is_found() {
    let mut wire = Wire::new(&[-1]);
    wire.sign_on_plain(1);
    wire.verb(VERB_EXPLOSION, [5, COLOR, 0, 0]);
    wire.frame(1, &NEW);
    wire.check(&[&crate::requirements::T3_02]);
}

#[test]
fn an_effect_that_nobody_asked_for_is_the_servers_own() {
    check_explosion(&[&NEW[..], &[23, 0, 8, 0, 8, 0, 8, 0], &[6, 0, 8, 0, 1, 0, 0, 0, 0, 0, 0]].concat(), &[]);
}

#[test]
fn order_between_buffers_is_free_and_within_one_is_not() {
    let both = |first: u8, second: u8, dests: [i32; 2]| {
        let mut wire = in_game();
        wire.verb(VERB_PRINT, [dests[0], 1, 1, 0]);
        wire.verb(VERB_PRINT, [dests[1], 1, 2, 0]);
        wire.frame(1, &[]);
        wire.says(1, &[line(first), line(second)].concat());
        wire
    };
    both(1, 2, [2, 2]).check(&[]);
    both(2, 1, [2, 1]).check(&[]);
    both(2, 1, [2, 2]).check(&[&crate::requirements::ORD_01]);
}

#[test]
fn a_reliable_call_comes_once_and_as_such() {
    let mut missing = in_game();
    missing.verb(VERB_PRINT, [2, 0, 1, 0]);
    missing.frame(1, &[]);
    missing.check(&[&crate::requirements::BUF_10]);

    let mut twice = in_game();
    twice.verb(VERB_PRINT, [2, 0, 1, 0]);
    twice.frame(1, &[]);
    twice.says(1, &line(1));
    twice.says(1, &line(1));
    twice.check(&[&crate::requirements::BUF_01]);

    let mut unreliable = in_game();
    unreliable.verb(VERB_PRINT, [2, 0, 1, 0]);
    unreliable.frame(1, &line(1));
    unreliable.check(&[&crate::requirements::BUF_01]);
}

#[test]
fn what_is_for_another_client_is_found() {
    let mut wire = in_game();
    wire.sign_on_plain(2);
    wire.verb(VERB_PRINT, [1, 2, 1, 0]);
    wire.frame(1, &[]);
    wire.says(2, &line(1));
    wire.says(1, &line(1));
    wire.check(&[&crate::requirements::WR_05]);
}

#[test]
fn answers_are_compared_float_by_float() {
    use crate::requirements::*;
    let half = [0, 0, 0, 0x3f];
    let newest = [0xa4, 0x70, 0x7d, 0x3f];
    let check = |floats: [[u8; 4]; 3], expected: &[&Requirement]| {
        let mut wire = Wire::new(&[99]);
        let answer = [&[127, 1][..], &floats.concat()].concat();
        // Angles in the form of CSVC, which is half in all of them.
        let new = floats[1] != [0; 4];
        let angles = [&[10][..], if new { &[0; 12] } else { &[0; 3] }].concat();
        wire.sign_on(1, Some("nvs_request 0.99\n"), &answer, &angles);
        wire.check(expected);
    };
    check([half, half, newest], &[]);
    check([newest, half, newest], &[&VER_01]);
    check([half, newest, half], &[&HS_02]);
    check([half, half, half], &[&VER_03]);
    check([half, newest, newest], &[&VER_02]);
}

#[test]
fn an_unknown_client_is_sent_nothing() {
    let mut wire = Wire::new(&[-1]);
    let answer = [127, 1, 0, 0, 0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0];
    wire.sign_on(1, None, &answer, &[10, 0, 0, 0]);
    wire.check(&[&crate::requirements::HS_07]);
}

#[test]
fn a_client_asks_before_it_says_prespawn() {
    use crate::requirements::*;
    let check = |request: Option<&str>, expected: &[&Requirement]| {
        let mut wire = Wire::new(&[99]);
        wire.sign_on(1, request, &[], &[10, 0, 0, 0]);
        wire.check(expected);
    };
    check(None, &[&HS_01]);
    // Not answered, either.
    check(Some("nvs_request 0.994\n"), &[&VER_04, &HS_02]);
    check(Some("nvs_request 0.98\n"), &[&HS_01, &HS_02]);
}

#[test]
fn an_answer_to_spawn_that_waits_does_not_bring_what_was_asked_for_meanwhile() {
    for (came, expected) in [(true, &[][..]), (false, &[&crate::requirements::T1_03])] {
        let mut wire = Wire::new(&[-1, -1]);
        wire.sign_on_plain(2);
        wire.command(HostId(1), Command::Connect);
        wire.send(1, Direction::ServerToClient, &[0x80, 0, 0, 9, CCREP_ACCEPT, 0, 0, 0, 0]);
        wire.says(1, GREETING);
        wire.client_sends(1, "prespawn");
        wire.says(1, &[25, 2]);
        let turn = |wire: &mut Wire| {
            wire.verb(VERB_SET_ANGLE, [1, 9000, 4500, 0]);
            wire.tick();
            wire.frame(2, &[]);
            wire.tick();
        };
        turn(&mut wire);
        wire.client_sends(1, "spawn");
        wire.tick();
        turn(&mut wire);
        wire.says(1, &spawn_answer(&[10, 64, 32, 0]));
        wire.client_sends(1, "begin");
        wire.tick();
        wire.frame(1, &[10, 64, 32, 0]);
        wire.tick();
        wire.verb(VERB_SET_ANGLE, [1, 9000, 4500, 0]);
        wire.frame(1, if came { &[10, 64, 32, 0] } else { &[] });
        wire.check(expected);
    }
}

#[test]
fn what_is_written_right_into_a_frame_has_no_place_in_the_order_of_broadcasts() {
    let mut wire = in_game();
    wire.verb(VERB_PRINT, [0, 0, 1, 0]);
    wire.verb(VERB_SET_ANGLE, [1, 0, 0, 0]);
    wire.frame(1, &[&[10][..], &[0; 12], &line(1)].concat());
    wire.check(&[]);
}

/// Requirements that the whole session shows broken at its end, liveness among them.
fn found_at_the_end(wire: &mut Wire) -> Vec<&'static str> {
    let end = wire.now.after(5_000_000);
    wire.oracle.finish(end);
    wire.oracle.findings().iter().map(|finding| finding.check.name).collect()
}

#[test]
fn an_end_that_stops_is_found() {
    let connect = [0x80, 0, 0, 12, 1, b'Q', b'U', b'A', b'K', b'E', 0, 3];
    let mut never_asks = Wire::new(&[99]);
    never_asks.command(HostId(1), Command::Connect);
    assert_eq!(found_at_the_end(&mut never_asks), [CLIENTS_GO_ON.name]);

    let mut unanswered = Wire::new(&[99]);
    unanswered.command(HostId(1), Command::Connect);
    unanswered.send(1, Direction::ClientToServer, &connect);
    // It could ask again.
    assert_eq!(found_at_the_end(&mut unanswered), [CLIENTS_GO_ON.name, SERVERS_GO_ON.name]);

    let mut gives_up = Wire::new(&[99]);
    gives_up.command(HostId(1), Command::Connect);
    gives_up.command(HostId(1), Command::Disconnect);
    assert_eq!(found_at_the_end(&mut gives_up), [""; 0]);

    // In the game both stop.
    let mut stops = in_game();
    stops.send(
        1,
        Direction::ClientToServer,
        &Wire::datagram(NETFLAG_UNRELIABLE, 0, &[[3].as_slice(), &[0; 24]].concat()),
    );
    assert_eq!(found_at_the_end(&mut stops), [CLIENTS_GO_ON.name, SERVERS_GO_ON.name]);
}

#[test]
fn what_a_server_sends_is_judged_after_damage_in_either_direction() {
    for direction in [Direction::ServerToClient, Direction::ClientToServer] {
        let mut wire = in_game();
        wire.sign_on_plain(2);
        let index = &mut wire.clients[0].index[direction.index()];
        let packet = PacketId { client: HostId(1), direction, slot: 0, ordinal: 0, index: *index };
        *index += 1;
        let event = TraceEvent::Delivered { packet, copy: 0, bytes: &[0, 16, 0, 9, 0, 0, 0, 99, 7], intact: false };
        wire.oracle.on(wire.now, &event);
        wire.verb(VERB_EXPLOSION, [5, COLOR, 0, 0]);
        wire.frame(1, &OLD);
        wire.check(&[&crate::requirements::SEL_04]);
    }
}
