//! Recordings of clients that get another port in mid-session, as a recorder sees them: the new port is an address of its own. Nothing
//! is found of the reference, and a server that no longer knows its clients is found.

use crate::cases;
use crate::recorded::watch;
use deltaproof::capture::CaptureDatagram;
use deltaproof::observe::recorded::{Recording, SeenAt};
use deltaproof::scenario::Case;
use kit::{Direction, HostId, LossCause, PacketId, Probe, Rebind, Role, Time, TraceEvent};
use std::collections::BTreeMap;

/// Records both ends of a run; a port is numbered as the reader of a capture numbers it.
struct Recorder {
    rebinds: Vec<Rebind>,
    /// Clients have ports from here on, by how often they changed.
    ports: BTreeMap<(HostId, usize), HostId>,
    /// From or to which port a datagram went.
    of: BTreeMap<(HostId, Direction, u32), HostId>,
    at_server: Vec<CaptureDatagram>,
    at_client: Vec<CaptureDatagram>,
}

impl Recorder {
    fn port(&mut self, client: HostId, changes: usize) -> HostId {
        let next = HostId(self.ports.len() as u16 + 1);
        *self.ports.entry((client, changes)).or_insert(next)
    }

    fn write(&mut self, now: Time, packet: PacketId, bytes: &[u8], arrives: bool) {
        let Some(&port) = self.of.get(&(packet.client, packet.direction, packet.index)) else { return };
        let to_server = packet.direction == Direction::ClientToServer;
        let datagrams = if arrives == to_server { &mut self.at_server } else { &mut self.at_client };
        datagrams.push(CaptureDatagram {
            line_or_packet: datagrams.len() + 1,
            direction: packet.direction,
            client: port,
            time: Some(now),
            bytes: bytes.to_vec(),
            label: String::new(),
            stage: None,
            demo: None,
        });
    }
}

impl Probe for Recorder {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        match *event {
            TraceEvent::Sent { packet, bytes, fate, .. } => {
                let changes =
                    self.rebinds.iter().filter(|rebind| rebind.client == packet.client && rebind.at <= now).count();
                let old = fate == kit::Fate::Lost(LossCause::Port);
                let port = self.port(packet.client, changes - usize::from(old && changes > 0));
                self.of.insert((packet.client, packet.direction, packet.index), port);
                self.write(now, packet, bytes, false);
            }
            TraceEvent::Delivered { packet, bytes, .. } => self.write(now, packet, bytes, true),
            _ => {}
        }
    }
}

/// Records a run of `case`, with a mutant of this name in its server's place.
fn record(case: &Case, broken: Option<&str>) -> Recorder {
    let named = |name: &str| case.protocol.mutants().find(|mutant| mutant.name == name).expect("a mutant");
    let broken = broken.map(named);
    assert!(broken.is_none_or(|mutant| mutant.replacement.role == Role::Server));
    let rebinds = case.setup(case.seeds()[0]).rebinds;
    let (ports, of) = (BTreeMap::new(), BTreeMap::new());
    let mut recorder = Recorder { rebinds, ports, of, at_server: Vec::new(), at_client: Vec::new() };
    watch(case, broken, &mut recorder);
    recorder
}

/// What is found in a recording at one end, with the requirements that it covers.
fn judged(case: &Case, recorder: &Recorder, at: SeenAt, seen_at: SeenAt) -> (Vec<String>, Vec<String>) {
    let datagrams = if at == SeenAt::Client { &recorder.at_client } else { &recorder.at_server };
    let options = case.options.iter().copied().enumerate().collect();
    let (protocol, profile, datagrams) = (case.protocol, case.profile, datagrams.clone());
    let observation = Recording { protocol, profile, datagrams, session: None, options }.judge(seen_at);
    let findings = observation.findings.iter().map(|observed| &observed.finding);
    let found = findings
        .map(|finding| format!("{} {} at {}: {}", finding.suspects(), finding.host, finding.at_us, finding.what));
    (found.collect(), observation.coverage.covered)
}

/// A recording at an end, and from where it is said to be. None is seen at both: what goes to the port before is lost.
const SEEN: [(SeenAt, SeenAt); 4] = [
    (SeenAt::Server, SeenAt::Server),
    (SeenAt::Client, SeenAt::Client),
    (SeenAt::Server, SeenAt::Unknown),
    (SeenAt::Client, SeenAt::Unknown),
];

fn moving() -> impl Iterator<Item = &'static Case> {
    let known = |case: &&Case| case.profile.known_by == kit::KnownBy::Number && !case.setup(0).rebinds.is_empty();
    cases().iter().filter(known).filter(|case| super::recorded::is_fair(case))
}

#[test]
fn nothing_is_found_in_recordings_of_a_client_with_another_port() {
    let (mut found, mut followed) = (Vec::new(), 0);
    for case in moving() {
        let recorder = record(case, None);
        for (at, seen_at) in SEEN {
            let (findings, covered) = judged(case, &recorder, at, seen_at);
            followed += usize::from(covered.iter().any(|id| matches!(id.as_str(), "R1Q2-QPORT-05" | "FTE-HS-28")));
            let name = case.name();
            found.extend(findings.into_iter().map(|finding| format!("{name} at {at:?} as {seen_at:?}: {finding}")));
        }
    }
    assert!(found.is_empty(), "{} findings:\n{}", found.len(), found.join("\n"));
    assert!(followed > 8, "{followed}");
}

/// Servers that know their clients by their ports, with the requirement.
const FORGETFUL: [(&str, &str, &str); 2] = [
    ("r1q2/rebound@r1q2-35", "server-knows-ports-alone", "R1Q2-QPORT-05"),
    ("r1q2/rebound@r1q2-1905", "server-knows-ports-alone", "R1Q2-QPORT-05"),
];

#[test]
fn a_server_that_does_not_know_its_client_at_another_port_is_found_in_a_recording() {
    for (name, mutant, id) in FORGETFUL {
        let case = cases().iter().find(|case| case.name() == name).expect(name);
        let recorder = record(case, Some(mutant));
        for (at, seen_at) in SEEN {
            let (findings, _) = judged(case, &recorder, at, seen_at);
            let is_it = |finding: &String| finding.starts_with(id);
            assert_eq!(
                findings.iter().any(is_it),
                seen_at == SeenAt::Server,
                "{name} {at:?} {seen_at:?}: {findings:?}"
            );
        }
    }
}
