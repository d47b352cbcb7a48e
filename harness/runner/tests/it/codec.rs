//! A codec is judged by what it decodes beside a client that talks, and by nothing else.

use crate::{cases, deltaproof, first_cases};
use deltaproof::judge::{Keep, judge};
use deltaproof::scenario::Case;
use deltaproof::unseen::unseen;
use kit::{Mutant, Replacement, Role};
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
