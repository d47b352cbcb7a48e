//! The oracle over recordings of real engines, whose world is unknown, and over streams worked by hand.

use crate::run::{Run, line};
use kit::table::float_bits;
use kit::{Command, Direction, HostId, Oracle, PacketId, Probe, Setup, StatValue, Time, TraceEvent};
use kit::{Delivery, Fate};
use r1q2::PROTOCOL;
use r1q2::machine::options::PROFILES;
use r1q2::machine::world::PLAYER_FIRST;
use r1q2::oracle::{R1q2Oracle, watch};
use r1q2::verbs::*;
use r1q2::wire::constants::{PM_SPECTATOR, RF_BEAM};
use r1q2::wire::state::*;
use sim::{Link, Unwatched};
use testkit::bytes::{Datagram, datagrams};

/// Time between two lines of a recording; the true ones do not matter here.
const STEP_US: u64 = 10_000;

/// A connection between a server and a client, byte by byte.
pub struct Wire {
    pub oracle: kit::Watch<R1q2Oracle>,
    now: Time,
    index: [u32; 2],
}

impl Wire {
    pub fn new(setup: &Setup) -> Wire {
        let mut wire = Wire { oracle: watch(setup), now: Time::ZERO, index: [0; 2] };
        wire.command(HostId(1), Command::Connect);
        wire
    }

    fn command(&mut self, host: HostId, command: Command) {
        self.oracle.on(self.now, &TraceEvent::Command { host, command: &command });
    }

    pub fn send(&mut self, direction: Direction, bytes: &[u8]) {
        let index = &mut self.index[direction.index()];
        let packet = PacketId { client: HostId(1), direction, slot: 0, ordinal: 0, index: *index };
        *index += 1;
        let fate = Fate::Once(Delivery::whole(0));
        self.oracle.on(self.now, &TraceEvent::Sent { packet, bytes, fate, dissection: None });
        self.oracle.on(self.now, &TraceEvent::Delivered { packet, copy: 0, bytes, intact: true });
        self.now = self.now.after(STEP_US);
    }

    /// What is found once nothing more comes.
    pub fn findings(mut self) -> Vec<String> {
        self.oracle.finish(self.now);
        let findings = self.oracle.findings().iter();
        findings.map(|finding| format!("{} {} {}", finding.requirement().id, finding.host, finding.what)).collect()
    }
}

/// What the oracle finds in a recording, and that it was looked at.
fn check_recording(name: &str, profile: usize, maxlen: i64) {
    let mut wire = Wire::new(&testkit::setup(&PROTOCOL, profile, &[("maxlen", maxlen)]));
    for Datagram { direction, bytes, .. } in datagrams(&format!("r1q2/{name}")) {
        wire.send(direction, &bytes);
    }
    let exercised = wire.oracle.covered().len();
    assert_eq!((of_engines(wire.findings()), exercised > 5), (Vec::new(), true), "{name}");
}

/// What is found of engines in a recording: the recorder made up the moves of its client, and chose the protocol; when they
/// were sent is not recorded.
pub fn of_engines(mut findings: Vec<String>) -> Vec<String> {
    let made_up = [
        "it was not instructed to do",
        "does not repeat the command",
        "its user has set",
        "acknowledges none",
        "commands last",
    ];
    findings.retain(|finding| !made_up.iter().any(|part| finding.contains(part)));
    findings
}

#[test]
fn recorded_engines_conform_as_far_as_a_recording_shows() {
    check_recording("r1q2_b5183_p34", 0, 1390);
    check_recording("r1q2_b5183_p35_minor1901", 0, 1390);
    check_recording("r1q2_b5183_p35_frames_in_zpackets", 0, 512);
    check_recording("r1q2_b8012_zdownload", 3, 1390);
    check_recording("q2pro_p35_minor1905", 3, 1390);
    check_recording("q2pro_p35_bigmap", 3, 1390);
}

impl Run {
    /// Entities that move and change, a beam, player states in all their parts, statistics.
    fn changes(&mut self) {
        for entity in [1, 2, 20, 21, 22, 300] {
            self.at(0, 0, Command::Baseline { entity, field: MODEL, value: 3 });
            self.at(0, 0, Command::Spawn { entity });
        }
        self.set(0, 21, RENDERFX, RF_BEAM);
        self.set(0, 21, OLD_ORIGIN_X, float_bits(64.0));
        for step in 0..60 {
            let (at, value) = (100 * step + 530, step as i32);
            self.set(at, 20, ORIGIN_X, float_bits(value as f32 * 4.125));
            self.set(at, 300, YAW, float_bits(value as f32 * 17.3));
            self.set(at, 22, EVENT, value % 3);
            self.set(at, 22, SKIN, value << (value % 24));
            self.set(at, 21, OLD_ORIGIN_Y, float_bits((value / 20) as f32));
            let player = |field: usize| PLAYER_FIRST + field;
            for client in 1..=2 {
                self.set(at, client, player(GUNFRAME), value);
                self.set(at, client, player(GUNOFFSET_X + step as usize % 6), value);
                self.set(at, client, player(KICK_YAW), -value);
                self.set(at, client, player(BLEND_A), value / 7);
                let stat =
                    Command::Stat { client: client as u16, stat: (step % 32) as u8, value: StatValue::Int(value - 7) };
                self.at(at, 0, stat);
            }
        }
        self.at(4_000, 0, Command::Remove { entity: 20 });
        self.at(5_000, 0, Command::Spawn { entity: 20 });
    }

    /// The reference must not be found in breach of anything.
    #[track_caller]
    fn passes(mut self, name: &str) {
        // After damage nothing is known for certain.
        let least = if self.link.corrupt_ppm > 0 { 2 } else { 12 };
        let oracle = self.judge(11, &mut Unwatched);
        let findings: Vec<String> = oracle.findings().iter().map(line).collect();
        assert!(findings.is_empty(), "{name}: {findings:#?}");
        assert!(oracle.covered().len() > least, "{name}: only {} requirements covered", oracle.covered().len());
    }
}

/// Links that are bad in different ways until shortly before the end, by name.
fn links() -> Vec<(&'static str, Link)> {
    let bad = |link: Link| Link { latency_us: 20_000, random_until: Some(Time(6_500_000)), ..link };
    vec![
        ("clean", Link::clean(20_000)),
        ("loss", bad(Link { loss_ppm: 200_000, ..Link::default() })),
        ("reorder", bad(Link { reorder_ppm: 150_000, reorder_us: 120_000, jitter_us: 30_000, ..Link::default() })),
        ("duplicate", bad(Link { duplicate_ppm: 200_000, duplicate_us: 80_000, ..Link::default() })),
        ("damage", bad(Link { corrupt_ppm: 50_000, truncate_ppm: 50_000, ..Link::default() })),
        ("outage", Link { outages: vec![(Time(2_000_000), Time(4_500_000))], ..Link::clean(20_000) }),
    ]
}

/// The reference in all profiles, over all links.
#[track_caller]
fn check_reference(options: &[(&str, i64)], clients: u16, more: fn(&mut Run)) {
    for (profile, of) in PROFILES.iter().enumerate() {
        for (name, link) in links() {
            let mut run = Run::new(profile, clients, options);
            (run.link, run.seconds) = (link, 12);
            run.changes();
            more(&mut run);
            run.passes(&format!("{} {name} {options:?}", of.name));
        }
    }
}

#[test]
fn the_reference_passes_over_every_link_in_every_profile() {
    check_reference(&[], 1, |_| {});
}

#[test]
fn the_reference_passes_with_clients_of_both_protocols() {
    check_reference(&[("client2_protocol", 34)], 2, |run| {
        for client in 1..=2 {
            run.verb(3_000, client, VERB_WALK, [200, -100, 50, 1]);
            run.verb(4_000, client, VERB_LOOK, [1000, -2000, 300, 0]);
            run.verb(5_000, client, VERB_WALK, [0; 4]);
            run.verb(2_500, client, VERB_NODELTA, [1, 0, 0, 0]);
            run.verb(3_500, client, VERB_NODELTA, [0; 4]);
        }
        for number in 0..20 {
            run.verb(1_000 + 200 * number, 0, VERB_PRINT, [0, number as i32, 0, 0]);
            run.verb(1_050 + 200 * number, 0, VERB_UNICAST, [1, number as i32, 0, 0]);
            run.verb(1_060 + 200 * number, 0, VERB_SOUND, [0, 20, 3, 31]);
        }
    });
}

#[test]
fn the_reference_passes_with_spectators_of_both_protocols() {
    check_reference(&[("client2_protocol", 34)], 2, |run| {
        for client in 1..=2 {
            run.set(0, client, PLAYER_FIRST + PM_TYPE, PM_SPECTATOR);
            run.verb(7_000, client as u16, VERB_WALK, [200, -100, 50, 1]);
            run.verb(11_000, client as u16, VERB_WALK, [0; 4]);
        }
    });
}

#[test]
fn the_reference_passes_with_a_new_map_and_clients_that_come_again() {
    check_reference(&[("client2_protocol", 34)], 2, |run| {
        run.at(3_210, 0, Command::Map);
        for entity in [1, 2, 20] {
            run.at(3_800, 0, Command::Spawn { entity });
            run.set(3_800, entity, MODEL, 4);
        }
        run.at(5_000, 1, Command::Disconnect);
        run.at(6_600, 1, Command::Connect);
    });
}

#[test]
fn the_reference_passes_with_every_option() {
    for options in [
        &[("qport", 0)][..],
        &[("qport", 0), ("same_address", 1)],
        &[("qport", 77), ("maxlen", 0)],
        &[("maxlen", -1)],
        &[("maxlen", 512), ("frames_in_zpackets", 1)],
        &[("frames_in_zpackets", 2)],
        &[("zpacket", 0), ("frames_in_zpackets", 0)],
        &[("rate", 1000)],
        &[("enhanced", 1)],
        &[("nodelta", 1)],
        &[("announced_minor", 1902)],
        &[("server_minor", 1905)],
        &[("update_backup_age", 3)],
    ] {
        check_reference(options, 2, |run| {
            run.verb(2_000, 0, VERB_BIG, [1, 3000, 0, 0]);
            run.verb(3_000, 1, VERB_DOWNLOAD, [30, 0, 0, 0]);
            run.verb(3_000, 2, VERB_DOWNLOAD, [2000, 0, 0, 0]);
            run.verb(4_000, 1, VERB_SETTING, [0, 1, 0, 0]);
            run.rebind(6_600, 1);
        });
    }
}
