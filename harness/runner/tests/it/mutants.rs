//! Every broken twin is caught, in its scenario, at the requirement that it names; and the reference is not.

use deltaproof::judge::{Keep, judge};
use deltaproof::registry::PROTOCOLS;
use deltaproof::scenario::{self, Case};
use std::path::PathBuf;
use std::sync::Arc;

pub fn cases_of(id: &str) -> Vec<Case> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let path = root.join(format!("{id}.yaml"));
    let scenario = scenario::load(&root, &path).unwrap_or_else(|error| panic!("{}", error.render(false)));
    scenario::cases(&Arc::new(scenario))
}

#[test]
fn every_mutant_is_caught_at_the_requirement_that_it_names() {
    let mut escaped = Vec::new();
    for mutant in PROTOCOLS.iter().flat_map(|protocol| protocol.mutants()) {
        let wanted = mutant.caught_by.id;
        for case in cases_of(mutant.scenario) {
            let caught = case.seeds().iter().take(8).any(|&seed| {
                let judgement = judge(&case, seed, Some(mutant.twin), Keep::Verdict);
                judgement.findings.iter().any(|finding| finding.requirement.id == wanted)
            });
            if !caught {
                let judgement = judge(&case, case.seeds()[0], Some(mutant.twin), Keep::Verdict);
                let found: Vec<String> = judgement
                    .findings
                    .iter()
                    .take(3)
                    .map(|finding| format!("{}: {}", finding.requirement.id, finding.what))
                    .collect();
                escaped.push(format!("{} in {} (wanted {wanted}): found {found:?}", mutant.name, case.name()));
            }
        }
    }
    assert!(escaped.is_empty(), "not caught:\n{}", escaped.join("\n"));
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
