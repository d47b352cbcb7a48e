//! Ends that stop, or never start.

use crate::extensions::CHALLENGE_CONNECT;
use crate::mutants::is_unreliable;
use kit::{Mutant, Packet};
use netquake::constants::{CCREP_ACCEPT, CCREP_REJECT, CCREQ_CONNECT, NET_PROTOCOL_VERSION, SVC_SIGN_ON_NUM};

/// Nothing is sent from the `count`th datagram of the game on.
fn quiet_after(count: u32) -> impl FnMut(&mut Packet<'_>) {
    let mut sent = 0;
    move |packet| {
        sent += u32::from(is_unreliable(packet));
        if sent >= count {
            packet.discard();
        }
    }
}

/// From the `count`th frame on there is none, but everything else goes on.
fn no_frames_after(count: u32) -> impl FnMut(&mut Packet<'_>) {
    let mut sent = 0;
    move |packet| {
        let frame = packet.fields("service").find(|service| packet.inside(service).any(|it| it.field == "servertime"));
        if let Some(frame) = frame.copied() {
            sent += 1;
            if sent >= count {
                packet.cut(&frame);
            }
        }
    }
}

/// A text command reaches the server with its first letter changed.
fn garbled(word: &'static [u8]) -> impl FnMut(&mut Packet<'_>) {
    move |packet| {
        if let Some(at) = packet.bytes.windows(word.len()).position(|window| window == word) {
            packet.replace(at..at + 1, b"X");
        }
    }
}

/// NetQuake: whether a datagram is a control packet with this code.
fn is_control(packet: &Packet<'_>, code: u8) -> bool {
    netquake::datagram::is_control(packet.bytes) && packet.bytes.get(4) == Some(&code)
}

fn refuses(packet: &mut Packet<'_>) {
    if is_control(packet, CCREP_ACCEPT) {
        packet.replace(4..packet.bytes.len(), &[CCREP_REJECT, b'n', b'o', 0]);
    }
}

fn accepts_elsewhere(packet: &mut Packet<'_>) {
    if is_control(packet, CCREP_ACCEPT) {
        packet.replace(5..9, &26_001u32.to_le_bytes());
    }
}

fn accepts_alone(packet: &mut Packet<'_>) {
    if !is_control(packet, CCREP_ACCEPT) {
        packet.discard();
    }
}

/// The session comes without the number of its step, which stands at the end.
fn no_step(packet: &mut Packet<'_>) {
    let end = packet.bytes.len();
    if packet.bytes.ends_with(&[SVC_SIGN_ON_NUM, 1]) {
        packet.replace(end - 2..end, &[]);
    }
}

/// What asks for the client's answer is there, and asks for nothing.
fn empty_challenge(packet: &mut Packet<'_>) {
    if is_unreliable(packet) {
        packet.replace(8..packet.bytes.len(), &[]);
    }
}

/// The last step has a number that nobody waits for.
fn strange_step(packet: &mut Packet<'_>) {
    let end = packet.bytes.len();
    if packet.bytes.ends_with(&[SVC_SIGN_ON_NUM, 3]) {
        packet.replace(end - 1..end, &[4]);
    }
}

fn another_version(packet: &mut Packet<'_>) {
    if is_control(packet, CCREQ_CONNECT) {
        packet.replace(11..12, &[NET_PROTOCOL_VERSION + 1]);
    }
}

fn no_list(packet: &mut Packet<'_>) {
    packet.replace_text(b"modellist", b"mutelists");
}

fn challenge_ignored(packet: &mut Packet<'_>) {
    if packet.bytes.starts_with(b"\xff\xff\xff\xffc") {
        packet.discard();
    }
}

fn asks_once() -> impl FnMut(&mut Packet<'_>) {
    let mut asked = false;
    move |packet| {
        if is_control(packet, CCREQ_CONNECT) && std::mem::replace(&mut asked, true) {
            packet.discard();
        }
    }
}

fn asks_for_nothing(packet: &mut Packet<'_>) {
    if is_control(packet, CCREQ_CONNECT) {
        packet.replace(0..packet.bytes.len(), &[]);
    }
}

/// In the middle of its session the client asks for one, over and over.
fn asks_on() -> impl FnMut(&mut Packet<'_>) {
    let (mut request, mut sent) = (Vec::new(), 0);
    move |packet| {
        let connects = packet.bytes.get(4..).is_some_and(|text| text.starts_with(b"connect "));
        if connects || is_control(packet, CCREQ_CONNECT) {
            request = packet.bytes.to_vec();
            return;
        }
        sent += u32::from(is_unreliable(packet));
        if is_unreliable(packet) && sent.is_multiple_of(15) {
            packet.replace(0..packet.bytes.len(), &request);
        }
    }
}

/// When the client should ask for another challenge, it connects with the one that it has.
fn one_challenge() -> impl FnMut(&mut Packet<'_>) {
    let mut connect = Vec::new();
    move |packet| {
        let text = packet.bytes.get(4..).unwrap_or_default();
        if text.starts_with(b"connect ") {
            connect = packet.bytes.to_vec();
        } else if text.starts_with(b"getchallenge") && !connect.is_empty() {
            packet.replace(0..packet.bytes.len(), &connect);
        }
    }
}

/// From the second on, `new` is a command that nobody knows.
fn second_map_ignored() -> impl FnMut(&mut Packet<'_>) {
    let mut sessions = 0;
    move |packet| {
        let at = packet.bytes.windows(5).position(|window| window == b"\x04new\0");
        if let Some(at) = at {
            sessions += 1;
            if sessions > 1 {
                packet.replace(at + 1..at + 2, b"X");
            }
        }
    }
}

/// The silent ends.
pub(super) static MUTANTS: &[Mutant] = mutants! {
    client "never-connects" HS_27 "fte/delta-clean": sends |packet| packet.discard(), "sends nothing at all";
    client "client-falls-silent" HS_27 "fte/delta-clean": sends quiet_after(30), "stops sending in the middle of the game";
    server "answers-nobody" HS_27 "fte/delta-clean": sends |packet| packet.discard(), "sends nothing at all";
    server "server-falls-silent" HS_27 "fte/delta-clean": sends quiet_after(30), "stops sending in the middle of the game";
    server "frames-cease" HS_27 "fte/delta-clean": sends no_frames_after(30), "sends no entity frames after the thirtieth";
    server "never-signs-on" HS_27 "fte/delta-clean":
        receives garbled(b"prespawn"), "does not answer when a client asks for the baselines";
    server "refuses-clients" HS_27 "fte/handshake-netquake": sends refuses, "refuses every client";
    server "accepts-elsewhere" HS_27 "fte/handshake-netquake":
        sends accepts_elsewhere, "sends clients to a port where no server listens";
    server "accepts-alone" HS_27 "fte/handshake-netquake":
        sends accepts_alone, "accepts a client, and sends nothing else";
    server "sessions-without-a-step" HS_27 "fte/handshake-netquake":
        sends no_step, "announces a session, and does not say that the client knows it";
    server "challenges-emptily" HS_27 "fte/sign-on-challenge":
        sends empty_challenge, "accepts a client, and sends it a challenge with nothing in it";
    server "answer-ignored" HS_27 "fte/sign-on-challenge":
        receives garbled(CHALLENGE_CONNECT), "does not take the answer to its challenge";
    server "steps-ignored" HS_27 "fte/handshake-netquake":
        sends strange_step, "numbers the last step of the sign-on 4";
    server "second-map-ignored" HS_27 "fte/map-change-asked":
        receives second_map_ignored(), "does not answer a client that asks for another map";
    client "asks-for-another-version" HS_27 "fte/handshake-netquake":
        sends another_version, "asks for a version of the game that no server has";
    client "lists-unasked" HS_27 "fte/extensions-stripped":
        sends no_list, "does not ask for the list of models";
    client "challenge-ignored" HS_27 "fte/handshake-quakeworld":
        receives challenge_ignored, "does not take the challenge";
    client "asks-once" HS_27 "fte/sign-on-challenge-lost":
        sends asks_once(), "asks to be accepted once, whatever comes of it";
    client "one-challenge" HS_27 "fte/sign-on-another-port-loss":
        sends one_challenge(), "asks for a challenge once, whatever the server says of it";
    client "asks-for-nothing" HS_27 "fte/handshake-netquake":
        sends asks_for_nothing, "sends something, and never asks to be accepted";
    server "answers-the-old-port" HS_28 "fte/rebind":
        rules |rules| rules.follow = |before, _| Some(before), "goes on with a client at another port, and answers to the one before";
    server "knows-ports-alone" HS_28 "fte/rebind":
        rules |rules| rules.follow = |_, _| None, "takes a client at another port for a stranger";
    client "asks-on" HS_27 "fte/plain-session":
        sends asks_on(), "asks to be accepted over and over in the middle of its session";
};
