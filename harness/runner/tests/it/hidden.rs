//! What a client says that it cannot show is not judged, and what could not be judged then is skipped.

use crate::{cases, deltaproof, first_cases};
use deltaproof::judge::{Keep, judge};
use deltaproof::scenario::Case;
use deltaproof::unseen::unseen;
use kit::Hidden;
use kit::hidden::{NOTE, PRINTS};
use rayon::prelude::*;

#[test]
fn a_client_that_shows_no_field_at_all_gets_no_finding_in_any_scenario() {
    first_cases().par_iter().with_max_len(1).filter(|case| case.finding().is_none()).for_each(|&case| {
        let (fields, notes) = (case.protocol.fields, case.protocol.notes);
        let names: Vec<String> = Hidden::names(fields, notes)
            .into_iter()
            .filter(|name| *name != PRINTS && !name.starts_with(NOTE))
            .collect();
        let judgement =
            judge(&Case { hidden: case.protocol.hidden(&names), ..case.clone() }, case.seeds()[0], None, Keep::Verdict);
        let found: Vec<&str> = judgement.findings.iter().map(|finding| finding.what.as_str()).collect();
        assert_eq!(found, [""; 0], "{}", case.name());
    });
}

#[test]
fn what_only_hidden_values_would_show_is_skipped_and_the_rest_is_not() {
    let skipped = |profile: &str, names: &[&str]| -> Vec<&str> {
        let names: Vec<String> = names.iter().map(|name| String::from(*name)).collect();
        let found = unseen(cases(), &[String::from(profile)], &names, false).expect("all scenarios are there");
        found.values().flat_map(|missed| missed.skipped.iter().copied()).collect()
    };
    assert_eq!(skipped("fte-nq", &[]), [""; 0]);
    assert_eq!(skipped("r1q2-35", &["note prediction error"]), ["R1Q2-GEN-02", "R1Q2-MOV-03"]);
}

/// The exit code of a run with such a reference as a shim for clients, and what it said.
fn run(case: &str, role: &str, reference: &str) -> (Option<i32>, String) {
    let shim = format!("'{}' shim reference {reference}", env!("CARGO_BIN_EXE_deltaproof"));
    let output = deltaproof(&["run", case, "--role", role, "--shim", &shim]).output().expect("the program starts");
    (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

#[test]
fn a_run_names_what_it_skips_and_an_unknown_field_is_refused() {
    let (code, said) = run("fitz666/player-alone", "client", "--not-shown water_opacity");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("skipped, because the shim does not show water_opacity: FITZ-ALPHA-05"), "{said}");
    let (code, wrong) = run("fitz666/player-alone", "client", "--not-shown colour");
    assert_eq!(code, Some(3), "{wrong}");
    assert!(wrong.contains("`not_shown` has `colour`"), "{wrong}");
}

#[test]
fn a_client_that_reports_no_sound_is_not_found_at_fault_and_skips_what_sounds_alone_show() {
    let case = "fitz666/sounds";
    let (code, said) = run(case, "client", "--not-shown 'note sound'");
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains(
            "skipped, because the shim does not show note sound: FITZ-SND-03 FITZ-SND-04 FITZ-SND-05 FITZ-DEF-03"
        ),
        "{said}"
    );
}

#[test]
fn what_never_happens_with_a_variant_is_not_applicable_to_a_shim_that_is_like_it() {
    let case = "fte/reset-unknown-delta@fte-nq";
    let (code, said) = run(case, "server", "--server fte/all-resets");
    assert_eq!(code, Some(0), "{said}");
    let alone = deltaproof(&["run", case, "--server", "fte/all-resets"]).output().expect("the program starts");
    let line = |text: &str| text.lines().find(|line| line.contains("fte-nq server:")).map(String::from);
    assert_eq!(line(&said), line(&String::from_utf8_lossy(&alone.stdout)));
}
