//! `explore search`: a schedule of faults that fails, looked for by chance or led by what earlier runs have reached.

use super::super::evidence::Found;
use super::super::interrupt;
use super::super::output::{BAD, DIM, Format, GOOD, Stop, complain};
use super::super::sweep::{count, suffix};
use super::arguments::{ExploreArguments, StrategyArgument};
use super::windows;
use crate::candidate::Candidate;
use crate::explore::guided::{Search, Strategy};
use crate::guarded;
use crate::scenario::{Alteration, Case};
use crate::suite;
use crate::sweep::row::is_failure;
use crate::sweep::summary::replay;
use kit::Protocol;
use serde_json::json;
use std::io::Write;
use std::path::Path;

/// Searches in each case of the windows. Exit code 1: something fails.
pub(super) fn search(
    arguments: &ExploreArguments,
    strategy: StrategyArgument,
    protocol: &Protocol,
    scenarios: Option<&Path>,
    candidate: Option<&Candidate>,
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    interrupt::listen();
    let draws = arguments.search.draws.unwrap_or_else(|| rand::random::<u64>() >> 16);
    complain(DIM, "draws", format!("begin with {draws}, for --draws"));
    let strategy = match strategy {
        StrategyArgument::Random => Strategy::Random,
        StrategyArgument::Guided => Strategy::Guided,
    };
    let suffix = suffix(candidate.map(Candidate::argument).as_deref(), scenarios);
    let mut found = Vec::new();
    let mut cases: Vec<(Case, u64)> = Vec::new();
    for chosen in windows(arguments, protocol, scenarios, candidate)? {
        if cases.iter().all(|(case, _)| case.name() != chosen.case.name()) {
            cases.push((chosen.case, chosen.seed));
        }
    }
    for (case, seed) in cases {
        if interrupt::came() {
            break;
        }
        let runs = |case: &Case, seed, keep| guarded::judge(candidate, case, seed, keep);
        let search = Search {
            case: &case,
            seed,
            runs: &runs,
            datagrams: arguments.search.budget,
            stop: &interrupt::came,
            draws,
        };
        let ended = search.run(strategy, &|case, run| is_failure(suite::verdict(case, run).0));
        let alteration = ended.faults.map(|faults| Alteration { faults, ..case.alteration.clone() });
        let failing = alteration.map(|alteration| Case { alteration, ..case.clone() });
        let again = failing.as_ref().map(|case| replay(&case.name(), seed, &suffix));
        let line = json!({ "case": case.name(), "seed": seed, "runs": ended.runs, "datagrams": ended.datagrams,
            "kept": ended.kept, "replay": again });
        format.tell(out, &line, |out| {
            let spent = format!("{}, {}", count(ended.runs, "run"), count(ended.datagrams, "datagram"));
            let (name, kept) = (case.name(), count(ended.kept, "schedule"));
            match &again {
                Some(again) => writeln!(out, "{BAD}fails{BAD:#} {name} after {spent}\n  replay: {again}"),
                None if interrupt::came() => writeln!(out, "holds so far {name}: {spent}, {kept} kept"),
                None => writeln!(out, "{GOOD}holds{GOOD:#} {name}: {spent}, {kept} kept"),
            }
        })?;
        out.flush()?;
        found.extend(failing.map(|case| Found { failed: case.scenario.id.clone(), case, seed }));
    }
    if interrupt::came() {
        complain(DIM, "ended", "interrupted; the same --draws begin in the same way");
    }
    let code = u8::from(!found.is_empty());
    let failures = found.len() as u64;
    arguments.evidence.write(found, failures, candidate);
    Ok(code)
}
