//! What a client says that it cannot show is not judged, and what could not be judged then is skipped.

use crate::deltaproof;
use deltaproof::judge::{Keep, judge_with};
use deltaproof::scenario::Case;
use deltaproof::suite::all_cases;
use deltaproof::unseen::unseen;
use kit::hidden::{STATICS, STATS};
use kit::{Hidden, Hiding, Protocol, Role};
use rayon::prelude::*;
use std::path::Path;

fn all() -> Vec<Case> {
    all_cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios")).expect("the scenarios can be read")
}

fn everything(protocol: &Protocol) -> Vec<String> {
    let fields = protocol.fields.iter().map(|field| field.name);
    fields.chain([STATICS, STATS]).map(String::from).collect()
}

#[test]
fn a_client_that_shows_no_field_at_all_gets_no_finding_in_any_case() {
    all().par_iter().filter(|case| case.finding().is_none()).for_each(|case| {
        let (fields, names) = (case.protocol.fields, everything(case.protocol));
        let hidden = Hidden::from_names(fields, names.iter().map(String::as_str));
        let judgement = judge_with(
            case,
            case.seeds()[0],
            &|role, setup| {
                let inner = (role == Role::Client).then(|| (case.protocol.client)(setup))?;
                Some(Box::new(Hiding { inner, hidden, stride: fields.len() }))
            },
            Keep::Verdict,
        );
        let found: Vec<&str> = judgement.findings.iter().map(|finding| finding.what.as_str()).collect();
        assert_eq!(found, [""; 0], "{}", case.name());
    });
}

#[test]
fn what_only_hidden_values_would_show_is_skipped_and_the_rest_is_not() {
    let cases = all();
    let skipped = |profile: &str, names: &[&str]| -> Vec<&str> {
        let names: Vec<String> = names.iter().map(|name| String::from(*name)).collect();
        let found = unseen(&cases, &[String::from(profile)], &names).expect("all scenarios are there");
        found.into_values().flatten().collect()
    };
    assert_eq!(skipped("fte-nq", &[]), [""; 0]);
    assert_eq!(skipped("fitz666", &["water_opacity"]), ["FITZ-ALPHA-05"]);
}

#[test]
fn a_run_names_what_it_skips_and_an_unknown_field_is_refused() {
    let shim = format!("'{}' shim reference --not-shown", env!("CARGO_BIN_EXE_deltaproof"));
    let run = |names: &str| {
        let command = format!("{shim} {names}");
        let output = deltaproof(&["run", "fitz666/player-alone", "--role", "client", "--shim", &command]).output();
        let output = output.expect("the program starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, said, _) = run("water_opacity");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("skipped, because the shim does not show water_opacity: FITZ-ALPHA-05"), "{said}");
    let (code, _, wrong) = run("colour");
    assert_eq!(code, Some(3), "{wrong}");
    assert!(wrong.contains("`not_shown` has `colour`"), "{wrong}");
}
