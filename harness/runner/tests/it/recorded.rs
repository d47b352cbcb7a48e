//! Every scenario as tcpdump would have recorded it, at the server and at a client: nothing is found of the reference.

use super::{cases, run as program, seeds_of_all, text};
use deltaproof::capture::CaptureDatagram;
use deltaproof::observe::recorded::{Recording, SeenAt};
use deltaproof::scenario::{Case, by_profile};
use kit::{Command, Direction, Endpoint, HostId, Knowledge, Mutant, Probe, Role, Setup, Time, TraceEvent};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Verbs by which a scenario makes a client break the protocol, beside those that a protocol names itself: what is found of it is
/// right.
const BREAK: [&str; 4] = ["acknowledge", "ack_ahead", "hello", "poke_ack"];

/// Options by which a scenario makes a server send what no specification defines.
const UNDEFINED: [&str; 2] = ["undefined_flag", "server_protocol_key"];

/// Whether a recording shows all that it takes to judge it: a client was instructed to break the protocol, or texts of the scenario
/// changed what messages look like.
pub(super) fn is_fair(case: &Case) -> bool {
    let breaks = |(.., command): (Time, HostId, Command)| match command {
        Command::Verb { verb, .. } => BREAK.contains(&case.protocol.verbs[verb].name),
        _ => false,
    };
    let mut options = case.protocol.options.iter().zip(&case.options);
    let undefined = options.any(|(option, value)| UNDEFINED.contains(&option.name) && *value != option.default);
    case.scenario.file.texts.is_empty() && !undefined && !case.commands(0).any(breaks)
}

/// Records what passes each end.
#[derive(Default)]
pub(super) struct Taps {
    /// Something was damaged: a real network throws that away by its checksum, but ends of the simulation read it, so that the
    /// recording does not have what they know.
    pub(super) damaged: bool,
    pub(super) at_server: Vec<CaptureDatagram>,
    pub(super) at_client: Vec<CaptureDatagram>,
}

impl Probe for Taps {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        let (packet, bytes, arrives) = match *event {
            TraceEvent::Sent { packet, bytes, .. } => (packet, bytes, false),
            TraceEvent::Delivered { packet, bytes, intact, .. } => {
                self.damaged |= !intact;
                (packet, bytes, true)
            }
            _ => return,
        };
        let to_server = packet.direction == Direction::ClientToServer;
        let datagrams = if arrives == to_server { &mut self.at_server } else { &mut self.at_client };
        datagrams.push(CaptureDatagram {
            line_or_packet: datagrams.len() + 1,
            direction: packet.direction,
            client: packet.client,
            time: Some(now),
            bytes: bytes.to_vec(),
            label: String::new(),
            stage: None,
            demo: None,
        });
    }
}

/// Lets `probe` see a run of `case`; `broken` takes the place of an end of the reference.
pub(super) fn watch(case: &Case, broken: Option<&Mutant>, probe: &mut dyn Probe) {
    let seed = case.seeds().first().copied().unwrap_or_default();
    let (setup, protocol) = (case.setup(seed), case.protocol);
    let build = |role: Role, reference: fn(&Setup) -> Box<dyn Endpoint>| {
        let replacement = broken.map(|mutant| mutant.replacement).filter(|replacement| replacement.role == role);
        replacement.map_or(reference, |replacement| replacement.build)
    };
    let (server, client) = (build(Role::Server, protocol.server), build(Role::Client, protocol.client));
    let mut hosts = vec![server(&setup)];
    hosts.extend((1..=setup.clients).map(|host| client(&setup.on(HostId(host)))));
    let network = case.network(seed);
    let mut dissector = (protocol.dissector)(Some(&setup));
    sim::Simulation {
        hosts: &mut hosts,
        network: &network,
        commands: &mut case.commands(seed),
        dissector: Some(dissector.as_mut()),
        until: case.duration(),
        hash: false,
    }
    .run(probe);
}

/// Records a run of `case`; `broken` takes the place of an end of the reference.
pub(super) fn record(case: &Case, broken: Option<&Mutant>) -> Taps {
    let mut taps = Taps::default();
    watch(case, broken, &mut taps);
    taps
}

/// What a recording at one end is judged to be.
pub(super) fn found(case: &Case, taps: &Taps, at: SeenAt, seen_at: SeenAt) -> Vec<String> {
    if taps.damaged {
        return Vec::new();
    }
    let datagrams = if at == SeenAt::Server { &taps.at_server } else { &taps.at_client };
    let options = case.options.iter().copied().enumerate().collect();
    let recording = Recording {
        protocol: case.protocol,
        profile: case.profile,
        datagrams: datagrams.clone(),
        session: None,
        options,
    };
    let observation = recording.judge(seen_at);
    let findings = observation.findings.iter().map(|observed| &observed.finding);
    findings
        .map(|finding| format!("{} {} at {} us: {}", finding.suspects(), finding.host, finding.at_us, finding.what))
        .collect()
}

/// The first case of every other scenario and profile; all cases, if [`seeds_of_all`] are asked for.
#[test]
fn nothing_is_found_in_recordings_of_the_reference() {
    let filter = std::env::var("RECORDED").unwrap_or_default();
    let blind = |case: &Case| Case { knowledge: Knowledge::Wire, ..case.clone() };
    let (step, most) = if seeds_of_all().is_some() { (1, usize::MAX) } else { (2, 1) };
    let chosen = by_profile(cases()).step_by(step).flat_map(|cases| cases.iter().take(most));
    let cases: Vec<Case> = chosen.map(blind).collect();
    let cases: Vec<&Case> =
        cases.iter().filter(|case| !case.is_left_out() && is_fair(case) && case.name().contains(&filter)).collect();
    let wrong: Vec<(String, String)> = cases
        .par_iter()
        .flat_map_iter(|case| {
            let (ends, taps) = ([SeenAt::Server, SeenAt::Client], record(case, None));
            ends.into_iter().flat_map(|at| [at, SeenAt::Unknown].map(|seen_at| (at, seen_at))).filter_map(
                move |(at, seen_at)| {
                    let first = found(case, &taps, at, seen_at).into_iter().next()?;
                    Some((format!("{}, recorded at {at:?}, judged as {seen_at:?}", case.name()), first))
                },
            )
        })
        .collect();
    let mut by_protocol: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (case, finding) in &wrong {
        let lines = by_protocol.entry(case.split('/').next().unwrap_or_default()).or_default();
        lines.push(format!("{case}: {finding}"));
    }
    let lines: Vec<String> = by_protocol
        .iter()
        .flat_map(|(name, lines)| lines.iter().take(200).map(move |line| format!("{name} {line}")))
        .collect();
    assert!(wrong.is_empty(), "{} of {} recordings:\n{}", wrong.len(), 4 * cases.len(), lines.join("\n"));
}

/// Broken ends in recordings that are hard to read: at the server, a request to connect that comes twice and is accepted twice;
/// at the client, packets that come twice, and a challenge whose second accept is lost.
const BROKEN: [(&str, SeenAt, &str); 6] = [
    ("fte/ack-duplicated@fte-nq", SeenAt::Server, "acks-twice"),
    ("fte/ack-duplicated@fte-nq", SeenAt::Server, "begins-with-entities"),
    ("fte/establishment-loss@fte-qw[client_fte2=0x28]", SeenAt::Client, "acks-what-the-header-does"),
    ("fte/establishment-loss@fte-qw[client_fte2=0x28]", SeenAt::Client, "header-leads"),
    ("fte/sign-on-challenge-lost@fte-nq", SeenAt::Client, "acks-the-next-frame"),
    ("fte/sign-on-challenge-lost@fte-nq", SeenAt::Client, "begins-with-entities"),
];

#[test]
fn broken_ends_are_found_in_recordings_that_are_hard_to_read() {
    for (name, at, mutant) in BROKEN {
        let case = cases().iter().find(|case| case.name() == name).expect(name);
        let mutant = case.protocol.mutants().find(|found| found.name == mutant).expect(mutant);
        let findings = found(case, &record(case, Some(mutant)), at, at);
        let id = mutant.caught_by.id;
        assert!(findings.iter().any(|finding| finding.contains(id)), "{name}, {mutant:?}: {findings:?}");
    }
}

/// Recordings of engines in which something is found, each with the requirements: those that were really broken. The READMEs
/// beside the recordings say how.
const FOUND: [(&str, &[&str]); 7] = [
    ("fteqw_nq_ack_minus1", &["FTE-ACK-05", "FTE-RST-03"]),
    ("fteqw_nq_deltas_predinfo", &["FTE-ACK-05", "FTE-RST-03"]),
    ("fteqw_qw_deltas", &["FTE-RST-03"]),
    ("fteqw_qw_deltas_predinfo", &["FTE-RST-03"]),
    ("fteqw_qw_floatcoords", &["FTE-RST-03"]),
    ("qss_nq_deltas_predinfo", &["FTE-SVC-02"]),
    ("qss_protocol15", &["FITZ-VER-02"]),
];

#[test]
fn what_engines_really_broke_is_found_in_their_recordings_and_nothing_else() {
    let golden = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden");
    let folders =
        std::fs::read_dir(golden).expect("golden").map(|entry| entry.expect("a folder").path().join("vectors"));
    let files = folders.filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
    let recordings: Vec<PathBuf> = files
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    assert!(recordings.len() >= 18, "{}", recordings.len());
    for path in recordings {
        let file = path.to_str().expect("the path is UTF-8");
        let output = program(&["judge", "--seen-at", "both", "--format", "json", file]);
        let lines = text(&output.stdout);
        let lines = lines.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
        let found: BTreeSet<String> =
            lines.filter_map(|line| line["finding"]["requirement"].as_str().map(str::to_string)).collect();
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let expected = FOUND.iter().find(|(recording, _)| *recording == name).map_or(&[][..], |(_, found)| found);
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected, "{name}");
    }
}
