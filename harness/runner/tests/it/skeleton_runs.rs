//! The protocol to copy, run as those of the registry are: so that a copy of it passes, too, once it is registered.

use super::recorded::{found, record};
use deltaproof::judge::{Keep, judge};
use deltaproof::kill::{self, Fate};
use deltaproof::observe::recorded::SeenAt;
use deltaproof::report::Verdict;
use deltaproof::scenario::{self, Case};
use deltaproof::suite::run_case;
use kit::{Hidden, Knowledge};
use skeleton::PROTOCOL;
use std::path::PathBuf;
use std::sync::Arc;

pub(super) fn cases() -> Vec<Case> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("harness/skeleton/scenarios");
    let files = scenario::discover(&root).expect("the folder is there");
    let load = |path: &PathBuf| match scenario::load_with(&[&PROTOCOL], &root, path) {
        Ok(scenario) => scenario::cases(&Arc::new(scenario)),
        Err(error) => panic!("{}", error.render(false)),
    };
    files.iter().flat_map(load).collect()
}

#[test]
fn its_scenarios_pass_with_every_seed_and_none_is_vacuous() {
    for case in cases() {
        for seed in 1..=100 {
            let report = run_case(&case, Some((seed, seed)), None);
            let what = format!("{}, seed {seed}: {} {:?}", report.case, report.reason, report.findings);
            assert_eq!(report.verdict, Verdict::Pass, "{what}");
        }
    }
}

#[test]
fn nothing_is_found_in_recordings_of_it() {
    for case in cases().into_iter().map(|case| Case { knowledge: Knowledge::Wire, ..case }) {
        let taps = record(&case, None);
        for at in [SeenAt::Server, SeenAt::Client] {
            for seen_at in [at, SeenAt::Unknown] {
                assert_eq!(found(&case, &taps, at, seen_at), [""; 0], "{}: {at:?} as {seen_at:?}", case.name());
            }
        }
    }
}

#[test]
fn nothing_is_found_in_a_client_that_shows_no_field() {
    let names: Vec<String> = Hidden::names(PROTOCOL.fields, &[]);
    for case in cases() {
        let case = Case { hidden: PROTOCOL.hidden(&names), ..case };
        let judgement = judge(&case, case.seeds()[0], None, Keep::Verdict);
        assert!(judgement.findings.is_empty(), "{}: {:?}", case.name(), judgement.findings);
    }
}

#[test]
fn its_mutants_are_caught_in_their_scenarios() {
    for mutant in PROTOCOL.mutants() {
        let mut own = cases().into_iter().filter(|case| case.name().starts_with(mutant.scenario)).peekable();
        assert!(own.peek().is_some(), "there is no scenario {}", mutant.scenario);
        for case in own {
            let fate = kill::fate(mutant, &case);
            assert!(matches!(fate, Fate::Killed { .. }), "{mutant:?}: {fate:?}");
        }
    }
}
