//! A codec is judged by what it decodes beside a client that talks, and by nothing else.

use crate::{cases, deltaproof, first_cases};
use deltaproof::judge::{Keep, judge};
use deltaproof::registry::PROTOCOLS;
use deltaproof::scenario::Case;
use deltaproof::unseen::unseen;
use kit::{Command, Endpoint, Event, Mutant, PeerId, Protocol, Replacement, Role, Setup, Time, View};
use rayon::prelude::*;

/// Mutants of clients that decode something wrong.
const READERS: [&str; 4] = ["angles-read-beside-pred", "big-beams-misread", "colours-of-no-version", "adds"];
/// Mutants of clients that decode everything right.
const TALKERS: [&str; 4] = ["acks-unannounced", "asks-for-another-version", "waits-for-the-answer", "begins-at-seven"];

/// Cases with a codec beside the clients.
fn with_codec<'a>(cases: impl IntoIterator<Item = &'a Case>) -> Vec<Case> {
    cases.into_iter().map(|case| Case { codec: true, ..case.clone() }).collect()
}

#[test]
fn a_codec_that_reads_as_the_reference_changes_no_run() {
    with_codec(first_cases()).par_iter().with_max_len(1).for_each(|case| {
        let seed = case.seeds()[0];
        let codec = Replacement { role: Role::Client, build: case.protocol.client };
        let beside = judge(case, seed, Some(codec), Keep::Verdict);
        let alone = judge(case, seed, None, Keep::Verdict);
        assert_eq!(beside.trace_hash, alone.trace_hash, "{}", case.name());
        assert_eq!(beside.missing, alone.missing, "{}", case.name());
        assert_eq!(beside.findings.len(), alone.findings.len(), "{}", case.name());
    });
}

/// A codec of R1Q2 that predicts nothing, as it sends no moves.
struct Unpredicting(Box<dyn Endpoint>);

impl Unpredicting {
    fn build(setup: &Setup) -> Box<dyn Endpoint> {
        Box::new(Unpredicting((r1q2::PROTOCOL.client)(setup)))
    }
}

impl Endpoint for Unpredicting {
    fn handle_command(&mut self, now: Time, command: &Command) {
        self.0.handle_command(now, command);
    }

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        self.0.handle_datagram(now, from, bytes);
    }

    fn handle_timeout(&mut self, now: Time) {
        self.0.handle_timeout(now);
    }

    fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        self.0.poll_transmit(now, out)
    }

    fn poll_event(&mut self) -> Option<Event> {
        let prediction = r1q2::PROTOCOL.notes.iter().position(|note| note.name == "prediction error");
        std::iter::from_fn(|| self.0.poll_event())
            .find(|event| !matches!(event, Event::Note { note, .. } if Some(*note) == prediction))
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.0.poll_timeout()
    }

    fn observe(&self, view: &mut View) {
        self.0.observe(view);
    }
}

/// What is found of a codec in the first run of each of these cases.
fn found_of(cases: &[Case], name: &str, codec: Replacement) -> Vec<String> {
    let run = |case: &Case| {
        let findings = judge(case, case.seeds()[0], Some(codec), Keep::Verdict).findings;
        let first = findings.first().filter(|_| case.finding().is_none())?;
        Some(format!("{name} in {}: {} {} at {}: {}", case.name(), first.suspects, first.host, first.at, first.what))
    };
    cases.par_iter().with_max_len(1).filter_map(run).collect()
}

/// What a client that talks may do otherwise, a codec may, and is not blamed for what the client beside it sends then.
#[test]
fn a_codec_that_conforms_in_another_way_is_not_blamed_for_the_client_beside_it() {
    let first = with_codec(first_cases());
    let every: Vec<Case> = with_codec(cases()).into_iter().filter(|case| case.protocol.name == "r1q2").collect();
    let mut found = Vec::new();
    for (turn, (protocol, variant)) in of_clients().enumerate() {
        let turns = first.iter().filter(|case| case.protocol.name == protocol.name);
        let mine: Vec<Case> = turns.skip(turn % 8).step_by(8).cloned().collect();
        let of_all = variant.name == "keeps-16-frames";
        found.extend(found_of(if of_all { &every } else { &mine }, variant.name, variant.replacement));
    }
    let unpredicting = Replacement { role: Role::Client, build: Unpredicting::build };
    found.extend(found_of(&every, "predicts nothing", unpredicting));
    assert!(found.is_empty(), "{} findings:\n{}", found.len(), found.join("\n"));
}

/// The conforming clients.
fn of_clients() -> impl Iterator<Item = (&'static Protocol, &'static kit::Variant)> {
    let all = PROTOCOLS.iter().flat_map(|protocol| protocol.variants().map(move |variant| (*protocol, variant)));
    all.filter(|(_, variant)| variant.replacement.role == Role::Client)
}

/// How many findings a mutant of a client gets as a codec, in the scenario that is to find it.
fn findings(cases: &[Case], name: &str) -> usize {
    let named = |mutant: &&'static Mutant| mutant.name == name;
    let of = |case: &Case| case.protocol.mutants().find(named).filter(|mutant| mutant.scenario == case.scenario.id);
    let (case, mutant) = cases.iter().find_map(|case| Some((case, of(case)?))).expect("there is such a mutant");
    judge(case, case.seeds()[0], Some(mutant.replacement), Keep::Verdict).findings.len()
}

#[test]
fn a_mutant_that_reads_wrong_is_found_and_one_that_talks_wrong_is_not() {
    let cases = with_codec(cases());
    for name in READERS {
        assert!(findings(&cases, name) > 0, "{name}");
    }
    for name in TALKERS {
        assert_eq!(findings(&cases, name), 0, "{name}");
    }
}

#[test]
fn what_only_a_client_that_talks_can_violate_is_not_applicable_to_a_codec() {
    let cases = with_codec(cases());
    let found = unseen(&cases, &[String::from("nvs")], &[], true).expect("all scenarios are there");
    let beyond: Vec<&str> = found.values().flat_map(|missed| missed.beyond.iter().copied()).collect();
    assert_eq!(beyond, ["NVS-CLC-01", "NVS-HS-01", "NVS-HS-07", "NVS-HS-08", "NVS-HS-09"]);
}

/// The exit code of a run with such a reference as a codec, and what it said.
fn run(case: &str, reference: &str) -> (Option<i32>, String) {
    let shim = format!("'{}' shim reference {reference}", env!("CARGO_BIN_EXE_deltaproof"));
    let output = deltaproof(&["run", case, "--role", "codec", "--shim", &shim]).output().expect("the program starts");
    (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

#[test]
fn a_run_judges_the_codec_and_names_what_is_not_applicable_to_it() {
    let (code, said) = run("pygg2/session-clean", "");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("pygg2 codec: MUST"), "{said}");
    let reason = "not applicable, because it is a codec, and whatever a codec does wrong does not violate it: ";
    assert!(said.contains(reason), "{said}");
    let (code, said) = run("pygg2/session-clean", "--client pygg2/adds");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("GG2-DLT-01"), "{said}");
}
