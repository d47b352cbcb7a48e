//! The protocol to copy, run as those of the registry are: its scenario, its mutants in it, and its variants.

use deltaproof::kill::{self, Fate};
use deltaproof::report::Verdict;
use deltaproof::scenario::{self, Case};
use deltaproof::suite::run_case;
use skeleton::PROTOCOL;
use std::path::PathBuf;
use std::sync::Arc;

fn cases() -> Vec<Case> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("harness/skeleton/scenarios");
    let files = scenario::discover(&root).expect("the folder is there");
    let load = |path: &PathBuf| match scenario::load_with(&[&PROTOCOL], &root, path) {
        Ok(scenario) => scenario::cases(&Arc::new(scenario)),
        Err(error) => panic!("{}", error.render(false)),
    };
    files.iter().flat_map(load).collect()
}

#[test]
fn its_scenarios_pass() {
    for case in cases() {
        let report = run_case(&case, None, None);
        assert_eq!(report.verdict, Verdict::Pass, "{}: {} {:?}", report.case, report.reason, report.findings);
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
