//! Servers that go their own way and are told all the same what the world is, as engines with our own game: the reference as such a
//! server. What is excused of engines excuses no more than that.

use crate::cases;
use deltaproof::judge::{Keep, judge};
use deltaproof::scenario::{Case, Told};
use deltaproof::settings::Settings;
use deltaproof::worldless;
use kit::{HostId, Mutant, Role};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Seeds of a case that are tried.
const SEEDS: usize = 3;

/// Requirements that only options of the server show, or what it reports, or the next think.
const BEYOND: [&str; 12] = [
    "FITZ-ENT-07",
    "FITZ-ENT-08",
    "FITZ-LERP-01",
    "FITZ-LERP-02",
    "FITZ-LERP-03",
    "FITZ-LERP-06",
    "FITZ-CD-15",
    "FITZ-ALPHA-04",
    "FITZ-ALPHA-06",
    "FITZ-MOVE-03",
    "FITZ-NET-02",
    "FITZ-LIM-01",
];

/// The cases of FitzQuake, as they are with a server that is told what the world is.
fn chosen() -> Vec<Case> {
    let own = Settings::default();
    let told = |case: &Case| Case { worldless: true, told: Some(Told::default()), ..case.clone() };
    let all = cases().iter().filter(|case| case.profile.name == "fitz666").map(told);
    all.filter(|case| !case.is_left_out() && own.differs(case, true).is_none()).collect()
}

#[test]
fn nothing_is_found_of_the_reference_that_is_told_what_the_world_is() {
    let chosen = chosen();
    assert!(chosen.len() > 60, "{}", chosen.len());
    let found = |case: &Case| {
        let seed = case.seeds().first().copied().unwrap_or_default();
        let findings = worldless::of_the_reference(case, seed).findings;
        let first = findings.iter().find(|it| it.host == HostId::SERVER && case.finding().is_none())?;
        Some(format!("{}: {} {}", case.name(), first.suspects, first.what))
    };
    let wrong: Vec<String> = chosen.par_iter().filter_map(found).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), chosen.len(), wrong.join("\n"));
}

#[test]
fn of_each_requirement_a_mutant_is_found_but_of_those_that_nobody_can_see() {
    let chosen = chosen();
    let mutants = chosen.first().expect("there are cases").protocol.mutants();
    let mutants: Vec<&Mutant> = mutants.filter(|mutant| mutant.replacement.role == Role::Server).collect();
    let found = |mutant: &&Mutant| {
        let is_found = |case: &Case| {
            case.seeds().iter().take(SEEDS).any(|seed| {
                let findings = judge(case, *seed, Some(mutant.replacement), Keep::Verdict).findings;
                let mut against = findings.iter().filter(|it| it.host == HostId::SERVER);
                against.any(|it| it.suspects.contains(mutant.caught_by))
            })
        };
        let mut cases = chosen.iter().filter(|case| case.scenario.id == mutant.scenario);
        cases.any(is_found).then_some(mutant.caught_by.id)
    };
    let found: BTreeSet<&str> = mutants.par_iter().filter_map(found).collect();
    let ids: BTreeSet<&str> = mutants.iter().map(|mutant| mutant.caught_by.id).collect();
    let missed: Vec<&&str> = ids.iter().filter(|id| !found.contains(**id) && !BEYOND.contains(*id)).collect();
    assert!(missed.is_empty(), "{missed:?}, of {}", ids.len());
}
