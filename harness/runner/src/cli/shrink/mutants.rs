//! `shrink --mutants`: how small the runs become in which mutants are killed.

use super::super::output::{BAD, Format, GOOD, Last, Stop};
use super::super::{catalogue, interrupt};
use super::arguments::ShrinkArguments;
use crate::candidate::{BuiltIn, Candidate};
use crate::guarded;
use crate::judge::Keep;
use crate::kill;
use crate::scenario::{Alteration, Case};
use crate::shrink::{self, Failed, Failure, Shrunk};
use crate::stopwatch::Stopwatch;
use crate::suite;
use kit::{Finding, HostId, Mutant, Protocol, Role};
use serde_json::json;
use std::io::Write;
use std::path::Path;

/// A run is small if it has at most so many faults.
const FEW: usize = shrink::FEW;
/// And if it took at most so long to make it small.
const SOON_MS: u64 = 10_000;

/// Prints a line for each mutant that needs a fault to be killed. Exit code 1: a run could not be made small, or not soon.
pub(super) fn table(
    arguments: &ShrinkArguments,
    protocols: &[&'static Protocol],
    scenarios: Option<&Path>,
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let cases = suite::all_cases(&catalogue::folder(scenarios)?)?;
    interrupt::listen();
    let (mut all, mut large, mut stuck, mut longest) = (0, 0, 0, 0);
    if format.is_for_people() {
        writeln!(out, "datagrams with a fault before, and now; faults now")?;
    }
    for protocol in protocols {
        let mut done = 0;
        let chosen = protocol.mutants().filter(|mutant| takes(arguments, mutant));
        for mutant in chosen {
            if interrupt::came() || arguments.most.is_some_and(|most| done >= most) {
                break;
            }
            let Some((case, seed, finding)) = killed(mutant, &cases) else { continue };
            let candidate =
                BuiltIn::all(&[*protocol]).find(|it| it.variant.name == mutant.name).map(Candidate::BuiltIn);
            let failed = Failed { case, seed, candidate: candidate.as_ref() };
            let failure = Failure::of_finding(&finding);
            // What fails anyway says nothing of faults.
            if fails_anyway(failed, &failure) {
                continue;
            }
            let watch = Stopwatch::start();
            let first = Candidate::judge(failed.candidate, case, seed, Keep::Fates);
            let shrunk = shrink::shrink_to(failed, &failure, first);
            let ms = watch.us() / 1_000;
            (done, all, longest) = (done + 1, all + 1, ms.max(longest));
            stuck += u64::from(shrunk.is_err());
            large += u64::from(shrunk.as_ref().is_ok_and(|shrunk| shrunk.faults > FEW));
            row(mutant, case, seed, &shrunk.map_err(|why| why.to_string()), ms, format, out)?;
            out.flush()?;
        }
    }
    let summary = json!({ "mutants": all, "not_small": large, "failed": stuck, "longest_ms": longest });
    format.tell(out, &Last { summary }, |out| {
        let small = all - large - stuck;
        writeln!(out, "{all} mutants, {small} with at most {FEW} faults; the longest took {longest} ms")
    })?;
    Ok(u8::from(stuck + large > 0 || longest > SOON_MS))
}

/// Whether a run without faults fails in the same way.
fn fails_anyway(failed: Failed<'_>, failure: &Failure) -> bool {
    let case = Case { alteration: Alteration::faultless(), ..failed.case.clone() };
    let judgement = guarded::judge(failed.candidate, &case, failed.seed, Keep::Verdict);
    judgement.is_some_and(|judgement| failure.is_in(&case, &judgement).is_some())
}

fn takes(arguments: &ShrinkArguments, mutant: &Mutant) -> bool {
    let names = [mutant.name, mutant.caught_by.id, mutant.scenario];
    arguments.what.is_empty() || arguments.what.iter().any(|filter| names.iter().any(|name| name.contains(filter)))
}

/// The first run that kills a mutant, and what it finds.
fn killed<'a>(mutant: &'static Mutant, cases: &'a [Case]) -> Option<(&'a Case, u64, Finding)> {
    let case = cases.iter().find(|case| case.scenario.id == mutant.scenario)?;
    let kill::Fate::Killed { seed, .. } = kill::fate(mutant, case) else { return None };
    let server = mutant.replacement.role == Role::Server;
    let mut findings = crate::judge::judge(case, seed, Some(mutant.replacement), Keep::Verdict).findings.into_iter();
    let wanted =
        |finding: &Finding| finding.suspects.contains(mutant.caught_by) && (finding.host == HostId::SERVER) == server;
    Some((case, seed, findings.find(wanted)?))
}

fn row(
    mutant: &Mutant,
    case: &Case,
    seed: u64,
    shrunk: &Result<Shrunk, String>,
    ms: u64,
    format: Format,
    out: &mut dyn Write,
) -> Result<(), Stop> {
    let (name, case) = (mutant.name, case.name());
    match shrunk {
        Ok(shrunk) => {
            let style = if shrunk.faults > FEW { BAD } else { GOOD };
            let (before, met, faults, runs) = (shrunk.faults_before, shrunk.datagrams_met, shrunk.faults, shrunk.runs);
            let line = json!({ "mutant": name, "case": case, "seed": seed, "faults_before": before,
                "datagrams_met": met, "faults": faults, "one_minimal": shrunk.minimal, "runs": runs,
                "datagrams": shrunk.datagrams, "ms": ms });
            let minimal = if shrunk.minimal { "" } else { " not 1-minimal" };
            format.tell(out, &line, |out| {
                writeln!(
                    out,
                    "{before:>5} -> {met:>3}  {style}{faults:>2}{style:#}  {runs:>4} runs {ms:>6} ms  {name}  {case} seed {seed}{minimal}"
                )
            })
        }
        Err(why) => {
            let line = json!({ "mutant": name, "case": case, "seed": seed, "why": why, "ms": ms });
            format.tell(out, &line, |out| writeln!(out, "{BAD}    ?{BAD:#}  {name}  {case} seed {seed}: {why}"))
        }
    }
}
