//! Every conforming variant passes every scenario: no check fails what the protocol allows, and what such an end need not do
//! makes no run vacuous.
//!
//! Each variant runs every twentieth scenario once, with the profile and the combination of its matrix whose turn it is, and with
//! its first seed; the next variant runs the next ones. `VARIANT_SEEDS=4 cargo test -p deltaproof --test it variants`, which
//! is part of `.ci/run`, runs all scenarios, profiles and combinations, with up to four seeds each, and looks whether they
//! cover what their scenarios name.

use crate::mutants::cases_of;
use crate::{by_scenario, seeds_of_all};
use deltaproof::candidate::{BuiltIn, Candidate};
use deltaproof::judge::{Keep, judge};
use deltaproof::registry::PROTOCOLS;
use deltaproof::report::Verdict;
use deltaproof::scenario::{Case, by_profile};
use deltaproof::seeds::Seeds;
use deltaproof::suite::run_seeds;
use kit::{Protocol, Variant};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Scenarios in which a variant does what it forgoes elsewhere: that alone shows whether it has read what it was asked for.
const AS_THE_REFERENCE: &[(&str, &[&str])] =
    &[("withholds-deltas", &["fte/handshake-netquake", "fte/handshake-quakeworld"])];

/// A variant runs one scenario of so many, unless all seeds are run.
const SPREAD: usize = 20;

/// A variant in a case.
struct Run<'a> {
    candidate: BuiltIn,
    case: &'a Case,
}

/// What became of one.
struct Outcome {
    /// What is found beyond the recommendations that the variant waives; or what was to happen and did not.
    failure: Option<String>,
    /// The requirements covered.
    covered: Vec<String>,
}

impl Run<'_> {
    fn outcome(&self, seeds: usize) -> Outcome {
        let (case, candidate) = (self.case, &self.candidate);
        let chosen = &case.seeds()[..seeds.min(case.seeds().len())];
        let report = run_seeds(case, &Seeds::Listed(chosen), false, Some(&Candidate::BuiltIn(*candidate)));
        let waived = |id: &str| candidate.variant.waives.iter().any(|waived| waived.id == id);
        let finding = report.findings.iter().find(|finding| !waived(&finding.requirement));
        // Where what a scenario is about does not happen, it has to be covered elsewhere, or be out of reach: see `uncovered`.
        let bad = finding.is_some() || report.verdict == Verdict::HarnessError;
        let rows = candidate.protocol.requirements.iter();
        let mut covered = rows.filter(|row| report.requirements.iter().any(|id| id == row.id));
        let as_the_reference = AS_THE_REFERENCE.iter().any(|(variant, scenarios)| {
            *variant == candidate.variant.name && scenarios.contains(&case.scenario.id.as_str())
        });
        let excused = covered.find(|row| !as_the_reference && candidate.excuses(row, case.profile.name).is_some());
        let what = match (finding, excused) {
            (Some(finding), _) => format!("{} at {}: {}", finding.suspects(), kit::Time(finding.at_us), finding.what),
            (None, Some(row)) => format!("covers {}, and says that it cannot", row.id),
            (None, None) => report.reason,
        };
        let failure = format!("{} in {}: {what}; {}", candidate.variant.name, report.case, report.replay);
        Outcome { failure: (bad || excused.is_some()).then_some(failure), covered: report.requirements }
    }
}

/// What a variant does not cover in a profile of what the scenarios name, in all of them together.
fn uncovered(runs: &[Run<'_>], outcomes: &[Outcome]) -> Vec<String> {
    let place = |run: &Run<'_>| (run.candidate.variant.name, run.case.profile.name);
    let mut covered: BTreeMap<_, BTreeSet<&str>> = BTreeMap::new();
    for (run, outcome) in runs.iter().zip(outcomes) {
        covered.entry(place(run)).or_default().extend(outcome.covered.iter().map(String::as_str));
    }
    let mut missing = BTreeSet::new();
    for run in runs {
        for row in run.case.requirements() {
            if !covered[&place(run)].contains(row.id) && run.candidate.excuses(row, run.case.profile.name).is_none() {
                let (variant, profile) = place(run);
                missing.insert(format!("{variant} in {profile} does not cover {}, nor say why it cannot", row.id));
            }
        }
    }
    missing.into_iter().collect()
}

/// The case of a scenario whose turn it is: profiles change from one turn to the next, combinations after a round of them.
fn in_turn(scenario: &[Case], turn: usize) -> &Case {
    let profiles: Vec<&[Case]> = by_profile(scenario).collect();
    let combinations = profiles[turn % profiles.len()];
    &combinations[turn / profiles.len() % combinations.len()]
}

fn candidates(protocol: &'static Protocol) -> impl Iterator<Item = BuiltIn> {
    protocol.variants().map(move |variant: &Variant| BuiltIn { protocol, variant: *variant })
}

/// `VARIANT_ONLY=NAME` looks at one variant.
#[test]
fn every_variant_passes_every_scenario() {
    let seeds = seeds_of_all();
    let only = std::env::var("VARIANT_ONLY").ok();
    let mut runs = Vec::new();
    for &protocol in PROTOCOLS {
        let of_protocol = |scenario: &&[Case]| scenario[0].protocol.name == protocol.name;
        let scenarios = by_scenario().filter(of_protocol);
        for (place, scenario) in scenarios.enumerate() {
            for (turn, candidate) in candidates(protocol).enumerate() {
                let chosen = match seeds {
                    Some(_) => scenario,
                    None if (place + turn).is_multiple_of(SPREAD) => {
                        std::slice::from_ref(in_turn(scenario, (place + turn) / SPREAD))
                    }
                    None => &[],
                };
                let chosen = chosen.iter().filter(|case| case.finding().is_none());
                runs.extend(chosen.map(|case| Run { candidate, case }));
            }
        }
    }
    runs.retain(|run| only.as_ref().is_none_or(|only| run.candidate.variant.name == only));
    let outcomes: Vec<Outcome> = runs.par_iter().with_max_len(1).map(|run| run.outcome(seeds.unwrap_or(1))).collect();
    let mut failed: Vec<String> = outcomes.iter().filter_map(|outcome| outcome.failure.clone()).collect();
    if seeds.is_some() {
        failed.extend(uncovered(&runs, &outcomes));
    }
    assert!(failed.is_empty(), "a check fails what is allowed:\n{}", failed.join("\n"));
}

#[test]
fn names_of_variants_are_unique_and_differ_from_those_of_mutants() {
    for protocol in PROTOCOLS {
        let variants = protocol.variants().map(|variant| variant.name);
        let mut names: Vec<&str> = variants.chain(protocol.mutants().map(|mutant| mutant.name)).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}

/// Runs the first case of a scenario whose name has `part` in it, and checks that the report says which reading was seen.
fn check_remark(variant: Option<&str>, scenario: &str, part: &str, remark: &str) {
    let replacement = variant.map(|name| {
        let mut all = PROTOCOLS.iter().flat_map(|protocol| protocol.variants());
        all.find(|variant| variant.name == name).expect("a variant of this name").replacement
    });
    let case = cases_of(scenario).into_iter().find(|case| case.name().contains(part)).expect("a case of this name");
    let judgement = judge(&case, case.seeds()[0], replacement, Keep::Verdict);
    assert!(judgement.findings.is_empty(), "{variant:?}: {:?}", judgement.findings);
    let found = judgement.remarks.iter().any(|said| said.contains(remark));
    assert!(found, "{variant:?} in {}: no remark on {remark:?} among {:#?}", case.name(), judgement.remarks);
}

#[test]
fn reports_say_which_reading_of_an_ambiguous_place_was_seen() {
    check_remark(None, "fte/delta-widths", "fte-nq", "skins from 128 to 255 are written in 8 bits (erratum E8");
    check_remark(
        Some("signed-skins"),
        "fte/delta-widths",
        "fte-qw",
        "negative skins are written in 8 bits (erratum E8",
    );
    check_remark(Some("reads-signed-skins"), "fte/delta-widths", "fte-nq", "8-bit skins with a sign (erratum E8");
    check_remark(Some("stats-with-deltas"), "fte/map-change-clean", "fte2=0x8]", "without PREDINFO (erratum E19");
    check_remark(Some("forces-float-coords"), "fte/delta-float-coords", "=0x8000,client_fte1=0]", "(erratum E24");
    check_remark(None, "r1q2/lesser-revision", "r1q2-1904", "(erratum 2)");
    check_remark(None, "r1q2/nested", "r1q2-35", "(erratum 7)");
    check_remark(None, "r1q2/frames-compressed", "r1q2-35", "(erratum 8)");
    check_remark(None, "r1q2/weapon-apart", "r1q2-35", "(erratum 9)");
    check_remark(None, "r1q2/beams", "r1q2-35", "asks the base");
    check_remark(Some("asks-the-new-state"), "r1q2/beams", "r1q2-35", "asks the new state");
    check_remark(None, "r1q2/churn", "r1q2-35", "is not sent, as R1Q2 (erratum 12)");
    check_remark(Some("old-origins-of-new"), "r1q2/churn", "r1q2-35", "is sent (erratum 12)");
    check_remark(None, "r1q2/stray-bit", "r1q2-35", "refuses upper bits");
    check_remark(None, "r1q2/settings", "r1q2-1903", "(erratum 17)");
    check_remark(
        Some("counts-to-9"),
        "r1q2/old-bases",
        "r1q2-35",
        "stops at 9, as the specification has it (erratum 15)",
    );
    check_remark(Some("starts-over-always"), "fte/delta-clean", "fte-qw", "in every frame (erratum E2");
}
