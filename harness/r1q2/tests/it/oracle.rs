//! The oracle over recordings of real engines, whose world nobody knows, and over streams worked by hand.

use crate::{Datagram, datagrams};
use kit::trace::{Copy, Fate};
use kit::{Command, Direction, HostId, Oracle, PacketId, Probe, Setup, Time, TraceEvent};
use r1q2::options::{OPTIONS, PROFILES};
use r1q2::oracle::R1q2Oracle;

/// Time between two lines of a recording; the true ones do not matter here.
const STEP_US: u64 = 10_000;

/// A run of one client in a profile.
fn setup(profile: usize) -> Setup {
    let options = OPTIONS.iter().map(|option| option.default).collect();
    Setup { profile: &PROFILES[profile], host: HostId::SERVER, clients: 1, seed: 0, options, texts: Vec::new() }
}

/// A connection between a server and a client, byte by byte.
struct Wire {
    oracle: R1q2Oracle,
    now: Time,
    index: [u32; 2],
}

impl Wire {
    fn new(setup: &Setup) -> Wire {
        let mut wire = Wire { oracle: R1q2Oracle::new(setup), now: Time::ZERO, index: [0; 2] };
        wire.command(HostId(1), Command::Connect);
        wire
    }

    fn command(&mut self, host: HostId, command: Command) {
        self.oracle.on(self.now, &TraceEvent::Command { host, command: &command });
    }

    fn send(&mut self, direction: Direction, bytes: &[u8]) {
        let index = &mut self.index[direction.index()];
        let packet = PacketId { client: HostId(1), direction, slot: 0, ordinal: 0, index: *index };
        *index += 1;
        let fate = Fate::Once(Copy::whole(0));
        self.oracle.on(self.now, &TraceEvent::Sent { packet, bytes, fate, dissection: None });
        self.oracle.on(self.now, &TraceEvent::Delivered { packet, copy: 0, bytes, intact: true });
        self.now = self.now.after(STEP_US);
    }

    /// What is found once nothing more comes.
    fn findings(mut self) -> Vec<String> {
        self.oracle.finish(self.now);
        let findings = self.oracle.findings().iter();
        findings.map(|finding| format!("{} {} {}", finding.requirement.id, finding.host, finding.what)).collect()
    }
}

/// What the oracle finds in a recording, and that it was looked at.
fn check_recording(name: &str, profile: usize, expected: &[&str]) {
    let mut wire = Wire::new(&setup(profile));
    for Datagram { direction, bytes, .. } in datagrams(name) {
        wire.send(direction, &bytes);
    }
    let exercised = wire.oracle.exercised().len();
    assert_eq!((wire.findings(), exercised > 5), (expected.iter().map(|it| String::from(*it)).collect(), true), "{name}");
}

#[test]
fn recorded_engines_conform_as_far_as_a_recording_shows() {
    check_recording("r1q2_b5183_p34", 0, &[]);
    check_recording("r1q2_b5183_p35_minor1901", 0, &[]);
    check_recording("r1q2_b5183_p35_frames_in_zpackets", 0, &[]);
    check_recording("r1q2_b8012_zdownload", 3, &[]);
    check_recording("q2pro_p35_minor1905", 3, &[]);
    check_recording("q2pro_p35_bigmap", 3, &[]);
}
