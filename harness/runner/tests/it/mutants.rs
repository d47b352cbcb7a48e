//! Every broken twin is caught, in its scenario, at the requirement that it names; and the reference is not.

use deltaproof::kill::{self, Fate, Matrix, Selection};
use deltaproof::registry::PROTOCOLS;
use deltaproof::scenario::{self, Case};
use deltaproof::suite::all_cases;
use std::path::PathBuf;
use std::sync::Arc;

pub fn cases_of(id: &str) -> Vec<Case> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let path = root.join(format!("{id}.yaml"));
    let scenario = scenario::load(&root, &path).unwrap_or_else(|error| panic!("{}", error.render(false)));
    scenario::cases(&Arc::new(scenario))
}

fn matrix(selection: &Selection) -> Matrix {
    let cases = all_cases(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scenarios")).expect("scenarios");
    kill::matrix(PROTOCOLS, &cases, selection, &|_, _, _| {}).unwrap_or_else(|misplaced| panic!("{misplaced}"))
}

#[test]
fn every_mutant_is_caught_at_the_requirement_that_it_names() {
    let mut escaped = Vec::new();
    for row in matrix(&Selection::default()).rows {
        if let Fate::Alive { case, instead } = row.fate {
            let wanted = row.mutant.caught_by.id;
            let found: Vec<String> = instead.into_iter().map(|(id, what)| format!("{id} {what}")).collect();
            escaped.push(format!("{} in {case} (wanted {wanted}): found {found:?}", row.mutant.name));
        }
    }
    assert!(escaped.is_empty(), "not caught:\n{}", escaped.join("\n"));
}

#[test]
fn the_matrix_does_not_depend_on_the_number_of_threads() {
    let some = |jobs| Selection { filters: vec![String::from("fte-rst")], jobs: Some(jobs), ..Selection::default() };
    let rows = |jobs| format!("{:?}", matrix(&some(jobs)).rows);
    assert_eq!(rows(1), rows(3));
}

#[test]
fn names_of_mutants_are_unique() {
    for protocol in PROTOCOLS {
        let mut names: Vec<&str> = protocol.mutants().map(|mutant| mutant.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
