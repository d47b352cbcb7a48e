//! Two judges of one protocol over the same events: what each finds and covers, compared. While a protocol's judge is being
//! replaced, both stand, and `PAIRS` names them; `JUDGES_SEEDS=20 cargo test --release --test it judges` compares them with
//! more seeds. A judge changes no datagram, so that two runs of a case have the same events: the trace hash says so.

use super::recorded::{found, record};
use deltaproof::judge::{Judgement, Keep, judge};
use deltaproof::kill::{self, Fate};
use deltaproof::observe::recorded::SeenAt;
use deltaproof::scenario::Case;
use kit::{Knowledge, Mutant, Oracle, Protocol, Replacement, Setup};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// A protocol, and the same with another judge.
#[derive(Clone, Copy)]
struct Pair {
    cases: fn() -> Vec<Case>,
    protocol: &'static Protocol,
    other: &'static Protocol,
}

/// The protocols of which two judges stand.
const PAIRS: &[Pair] = &[];

/// What one judge says of a run and the other does not: who broke what first, and what was covered.
fn differences(one: &Judgement, other: &Judgement) -> Vec<String> {
    assert_eq!(one.trace_hash, other.trace_hash, "the runs are not the same");
    let said = |it: &Judgement| -> BTreeSet<String> {
        let found = it.findings.iter().map(|finding| format!("{} breaks {}", finding.host, finding.requirement().id));
        let covered = it.covered.iter().map(|requirement| format!("covers {}", requirement.id));
        found.chain(covered).collect()
    };
    let (one, other) = (said(one), said(other));
    let only = |who: &'static str, it: Vec<&String>| it.into_iter().map(move |said| format!("{who} {said}")).collect();
    let lists: [Vec<String>; 2] =
        [only("one", one.difference(&other).collect()), only("the other", other.difference(&one).collect())];
    lists.concat()
}

impl Pair {
    fn with(self, case: &Case) -> Case {
        Case { protocol: self.other, ..case.clone() }
    }

    /// The differences in runs of a case, with the first of its seeds.
    fn runs(self, case: &Case, replacement: Option<Replacement>, seeds: usize) -> Vec<String> {
        let run = |seed: u64| {
            let judged = |case: &Case| judge(case, seed, replacement, Keep::Verdict);
            let found = differences(&judged(case), &judged(&self.with(case)));
            found.into_iter().map(move |what| format!("{}, seed {seed}: {what}", case.name()))
        };
        case.seeds().iter().copied().take(seeds).flat_map(run).collect()
    }

    /// What of a mutant's fate is otherwise: killed or not, and the requirement that is named first.
    fn fates(self, case: &Case, mutant: &Mutant) -> Option<String> {
        let [one, other] = [case.clone(), self.with(case)].map(|case| match kill::fate(mutant, &case) {
            Fate::Killed { suspects, .. } => format!("killed at {}", suspects.first().id),
            Fate::Alive { .. } => String::from("alive"),
        });
        (one != other).then(|| format!("{} in {}: {one}, by the other {other}", mutant.name, case.name()))
    }

    /// The differences in recordings at both ends.
    fn recordings(self, case: &Case) -> Vec<String> {
        let taps = record(case, None);
        let judged = |case: &Case, at| found(case, &taps, at, at);
        let ends = [SeenAt::Server, SeenAt::Client].into_iter();
        let differing = ends.map(|at| [judged(case, at), judged(&self.with(case), at)]).filter(|[one, two]| one != two);
        differing.map(|both| format!("{}, recorded: {both:?}", case.name())).collect()
    }

    /// All differences: of the reference, the variants and the mutants, with the world and by the wire alone.
    fn compare(self, seeds: usize) -> Vec<String> {
        let known = (self.cases)();
        let blind = known.iter().map(|case| Case { knowledge: Knowledge::Wire, ..case.clone() });
        let cases: Vec<Case> = known.iter().cloned().chain(blind).filter(|case| !case.is_left_out()).collect();
        let of_case = |case: &Case| {
            let variants = self.protocol.variants().map(|variant| Some(variant.replacement));
            let mut found: Vec<String> =
                variants.chain([None]).flat_map(|replacement| self.runs(case, replacement, seeds)).collect();
            found.extend(self.recordings(case));
            let own = self.protocol.mutants().filter(|mutant| mutant.scenario == case.scenario.id);
            found.extend(own.filter_map(|mutant| self.fates(case, mutant)));
            found
        };
        cases.par_iter().flat_map_iter(of_case).collect()
    }
}

#[test]
fn two_judges_of_a_protocol_say_the_same() {
    let seeds = std::env::var("JUDGES_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(2);
    for pair in PAIRS {
        let found = pair.compare(seeds);
        assert!(found.is_empty(), "{} differences:\n{}", found.len(), found.join("\n"));
    }
}

/// A judge that is told less than it should be.
fn blinded(setup: &Setup) -> Box<dyn Oracle> {
    (skeleton::PROTOCOL.oracle)(&Setup { knowledge: Knowledge::Wire, ..setup.clone() })
}

#[test]
fn a_judge_that_finds_less_and_covers_less_is_told_from_the_right_one() {
    let worse: &Protocol = Box::leak(Box::new(Protocol { oracle: blinded, ..skeleton::PROTOCOL }));
    let cases = super::skeleton_runs::cases;
    let same = Pair { cases, protocol: &skeleton::PROTOCOL, other: &skeleton::PROTOCOL };
    assert_eq!(same.compare(1), [""; 0]);
    let found = Pair { other: worse, ..same }.compare(1).join("\n");
    for part in ["one covers SKL-DELTA-01", "forgets-y in ", "killed at SKL-DELTA-01, by the other alive"] {
        assert!(found.contains(part), "{part} is not in:\n{found}");
    }
}
