//! `run`: every chosen case, judged.

use super::arguments::{ExecutorArgument, RunArguments};
use super::candidate::CandidateArguments;
use super::evidence::Found;
use super::output::{BAD, DIM, Format, GOOD, HEAD, Stop, WARN, complain, many};
use super::progress::Bar;
use super::{candidate, catalogue, compare, interrupt, profile, why};
use crate::candidate::Candidate;
use crate::executor::Executor;
use crate::nearest::{did_you_mean, nearest};
use crate::report::comparison::Compared;
use crate::report::place::Places;
use crate::report::{CaseReport, ProfileReport, RequirementStatus, RunReport, Verdict, tallies};
use crate::report::{folder, github, json, junit, sarif};
use crate::scenario::{self, Case};
use crate::stopwatch::Stopwatch;
use crate::suite::{self, Selection};
use crate::sweep::row::is_failure;
use kit::{Knowledge, Protocol, Time};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::mpsc;

/// So many cases in which the same recommendations were violated, and nothing else, are told.
const ALIKE: usize = 2;
/// How wide the verdicts before the names of cases are; longer ones are rare.
const VERDICT_WIDTH: usize = 4;
/// The exit code of a run that was stopped before anything failed: that of a program that Ctrl-C has ended.
const STOPPED: u8 = interrupt::EXIT_CODE;

/// Runs, prints and writes the report. Returns the exit code that the verdicts ask for.
pub(super) fn run(
    arguments: &RunArguments,
    protocols: &[&'static Protocol],
    scenarios: Option<&Path>,
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let folder = catalogue::folder(scenarios)?;
    if let Some(name) = &arguments.profile {
        profile(protocols, name)?;
    }
    if arguments.candidate.shim.len() + arguments.candidate.engine.engine.len() > 1 {
        if !matches!(format, Format::Human | Format::Json) {
            return Err(Stop::Usage(String::from(
                "several shims are compared as human or json; --reports writes a junit.xml and a result.sarif each",
            )));
        }
        let mut all = Vec::new();
        for (name, candidate) in compare::named(&arguments.candidate)? {
            all.push(Compared { name, report: run_suite(arguments, scenarios, Some(candidate), None)? });
        }
        return compare::print(&all, arguments, format, out);
    }
    let candidate = candidate(protocols, &arguments.candidate)?;
    let watch = Stopwatch::start();
    let reads = format.is_for_people();
    let report = run_suite(arguments, scenarios, candidate.clone(), if reads { Some(&mut *out) } else { None })?;
    let everything = arguments.filters.is_empty() && arguments.profile.is_none() && seeds(arguments).is_none();
    let CandidateArguments { server, client, .. } = &arguments.candidate;
    let reference = server.is_none() && client.is_none() && candidate.is_none();
    // Only the project's own folder gets a report unasked.
    let everything = everything && reference && arguments.knowledge == Knowledge::World;
    let everything = everything && scenarios.is_none() && folder != Path::new(scenario::BUILT_IN);
    let beside = folder.parent().unwrap_or(Path::new("")).join("reports");
    // First what was found: a report that cannot be written must not hide it.
    let shown = arguments.candidate.shown(None);
    let places: Places<'_> = &|case, requirement| shown.at(case, requirement);
    print(&report, places, format, out)?;
    if arguments.why && reads {
        why::draw(&report, &folder, arguments.knowledge, candidate.as_ref(), out)?;
    }
    out.flush()?;
    if reads && std::io::stderr().is_terminal() {
        // For who waited. On standard output the same run says the same.
        complain(DIM, "took", format!("{:.1} s", watch.us() as f64 / 1e6));
    }
    if format == Format::Github {
        add_summary(&github::summary(&report))?;
    }
    for mistake in &report.mistakes {
        complain(BAD, "error", &mistake.shown);
    }
    write_evidence(&report, arguments, &folder, candidate.as_ref())?;
    // What is there of a whole run is not replaced by a part of one.
    let everything = everything && report.not_run == 0;
    let reports = arguments.reports.as_ref().or(everything.then_some(&beside)).filter(|_| !arguments.no_report);
    let code = reports.map_or(report.exit_code(), |reports| write_report(reports, &report, places));
    Ok(if code == 0 && report.not_run > 0 { STOPPED } else { code })
}

/// Writes the report, says where it is, or that it could not be written, and returns the exit code of both together.
fn write_report(reports: &Path, report: &RunReport, places: Places<'_>) -> u8 {
    match folder::write(reports, report, places) {
        Ok(latest) => {
            complain(DIM, "report", latest.join("index.html").display());
            report.exit_code()
        }
        Err(error) => {
            complain(BAD, "error", format!("{error}; what is printed is complete"));
            // Of two codes, the one that says more of what was tested.
            if report.exit_code() == 0 { Stop::Harness(String::new()).exit_code() } else { report.exit_code() }
        }
    }
}

fn print(report: &RunReport, places: Places<'_>, format: Format, out: &mut dyn Write) -> Result<(), Stop> {
    match format {
        Format::Human => human(report, out),
        Format::Json => {
            for line in json::lines(report)? {
                writeln!(out, "{line}")?;
            }
            Ok(())
        }
        Format::Junit => {
            let xml = junit::document(report).map_err(|error| Stop::Harness(format!("cannot write XML: {error}")))?;
            out.write_all(xml.as_bytes())?;
            Ok(())
        }
        Format::Sarif => Ok(out.write_all(sarif::document(report, places)?.as_bytes())?),
        Format::Github => {
            human(report, out)?;
            for line in github::annotations(report, places) {
                writeln!(out, "{line}")?;
            }
            Ok(())
        }
    }
}

/// Appends the page of the step to the file that GitHub has named for it.
pub(super) fn add_summary(page: &str) -> Result<(), Stop> {
    let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) else { return Ok(()) };
    let file = fs::OpenOptions::new().append(true).create(true).open(&path);
    let written = file.and_then(|mut file| file.write_all(page.as_bytes()));
    let failed =
        |error| Stop::Harness(format!("cannot write GITHUB_STEP_SUMMARY, {}: {error}", Path::new(&path).display()));
    written.map_err(failed)
}

/// What needs a look, then the verdict in a sentence, then the figures.
fn human(report: &RunReport, out: &mut dyn Write) -> Result<(), Stop> {
    recommended(report, out)?;
    let is_told = |verdict| !matches!(verdict, Verdict::Pass | Verdict::NotApplicable | Verdict::FailShould);
    for case in report.cases.iter().filter(|case| is_told(case.verdict)) {
        details(case, out)?;
    }
    let style = if report.exit_code() == 0 { GOOD } else { BAD };
    let sentence = report.sentence();
    writeln!(out, "\n{style}{sentence}{style:#}")?;
    if report.cases.iter().any(|case| case.verdict == Verdict::NotApplicable) {
        writeln!(
            out,
            "{DIM}not-applicable: what the case is about did not happen with this end, and each requirement that it names is \
             covered by another case or not applicable; the report has what did not happen{DIM:#}"
        )?;
    }
    for profile in &report.profiles {
        let ProfileReport { must, should, decided_must, decided_should, .. } = *profile;
        let line = tallies(must, should, decided_must, decided_should);
        write!(out, "{} {}: {line}", profile.profile, profile.role)?;
        let untestable = must.and(should).and(decided_must).and(decided_should).untestable;
        writeln!(out, "  {DIM}{untestable} untestable, {} not applicable{DIM:#}", profile.not_applicable)?;
        for (status, what) in [
            (RequirementStatus::NotApplicable, "not applicable, because it"),
            (RequirementStatus::Skipped, "skipped, because"),
        ] {
            let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
            for row in profile.requirements.iter().filter(|row| row.status == status) {
                reasons.entry(&row.untested_because).or_default().push(&row.id);
            }
            for (why, ids) in reasons {
                writeln!(out, "  {DIM}{what} {why}: {}{DIM:#}", ids.join(" "))?;
            }
        }
    }
    writeln!(out, "{DIM}root hash {}{DIM:#}", report.root_hash)?;
    writeln!(out, "{style}{}{style:#}", report.headline)?;
    if let Some(failed) = report.failed() {
        writeln!(out, "{BAD}{failed}{BAD:#}")?;
    }
    Ok(())
}

/// Cases in which recommendations alone were violated: a few of each kind, and how many more there are, as what is violated in all
/// cases would hide the rest.
fn recommended(report: &RunReport, out: &mut dyn Write) -> Result<(), Stop> {
    let mut seen: BTreeMap<BTreeSet<&str>, usize> = BTreeMap::new();
    for case in report.cases.iter().filter(|case| case.verdict == Verdict::FailShould) {
        let count = seen.entry(case.findings.iter().map(|it| it.requirement.as_str()).collect()).or_default();
        *count += 1;
        if *count <= ALIKE {
            details(case, out)?;
        }
    }
    for (ids, count) in seen.iter().filter(|(_, count)| **count > ALIKE) {
        let ids: Vec<&str> = ids.iter().copied().collect();
        let more = many(count - ALIKE, "more case");
        writeln!(
            out,
            "\n{WARN}fail-should{WARN:#} {} in {more}, which the report and `--format json` have",
            ids.join(", ")
        )?;
    }
    Ok(())
}

fn details(case: &CaseReport, out: &mut dyn Write) -> Result<(), Stop> {
    let style = style(case.verdict);
    write!(out, "\n{style}{}{style:#} {HEAD}{}{HEAD:#}", case.verdict.name(), case.case)?;
    if let Some(seed) = case.failed_seed {
        write!(out, " seed {seed}")?;
        if case.failed_seeds > 1 {
            write!(out, ", the first of {} that fail among {}", case.failed_seeds, case.seeds)?;
        }
    }
    writeln!(out)?;
    if !case.reason.is_empty() {
        writeln!(out, "  {}", case.reason)?;
    }
    let (obligations, others): (Vec<_>, Vec<_>) = case.findings.iter().partition(|finding| finding.is_must());
    for finding in obligations.into_iter().chain(others) {
        writeln!(
            out,
            "  {} {} {} at {}: {}",
            finding.suspects(),
            finding.weight(),
            finding.host,
            kit::Time(finding.at_us),
            finding.what
        )?;
    }
    writeln!(out, "  replay: {}  {DIM}(trace {}){DIM:#}", case.replay, case.trace_hash)?;
    Ok(())
}

fn style(verdict: Verdict) -> anstyle::Style {
    match verdict {
        Verdict::Pass => GOOD,
        verdict if verdict.is_bad() => BAD,
        _ => WARN,
    }
}

fn seeds(arguments: &RunArguments) -> Option<(u64, u64)> {
    arguments.seed.map(|seed| (seed, seed)).or(arguments.seeds)
}

#[cfg(feature = "turmoil")]
fn executor(arguments: &RunArguments) -> Result<Executor, Stop> {
    let tick_us = arguments.tick.map(Time::us);
    match arguments.executor {
        ExecutorArgument::Turmoil => Ok(Executor::Turmoil { tick_us }),
        ExecutorArgument::Both => Ok(Executor::Both { tick_us }),
        ExecutorArgument::Direct if tick_us.is_some() => {
            Err(Stop::Usage(String::from("--tick is turmoil's: say --executor turmoil or --executor both, too")))
        }
        ExecutorArgument::Direct => Ok(Executor::Direct),
    }
}

#[cfg(not(feature = "turmoil"))]
fn executor(arguments: &RunArguments) -> Result<Executor, Stop> {
    match (arguments.executor, arguments.tick) {
        (ExecutorArgument::Direct, None) => Ok(Executor::Direct),
        _ => {
            Err(Stop::Usage(String::from("this program was built without turmoil; build it with `--features turmoil`")))
        }
    }
}

/// Writes the evidence of what failed, if it is asked for.
fn write_evidence(
    report: &RunReport,
    arguments: &RunArguments,
    folder: &Path,
    candidate: Option<&Candidate>,
) -> Result<(), Stop> {
    let failed: BTreeMap<&str, &CaseReport> =
        report.cases.iter().filter(|case| is_failure(case.verdict)).map(|case| (case.case.as_str(), case)).collect();
    if arguments.evidence.evidence.is_none() || failed.is_empty() {
        return Ok(());
    }
    let cases = suite::cases_for(candidate, folder, |id| failed.keys().any(|name| name.starts_with(id)))?;
    let found = cases.into_iter().filter_map(|case| {
        let report = failed.get(case.name().as_str())?;
        let failed = report.gravest().map_or(report.verdict.name(), |finding| &finding.requirement);
        let (failed, seed) = (String::from(failed), report.failed_seed?);
        Some(Found { case: Case { knowledge: arguments.knowledge, ..case }, seed, failed })
    });
    arguments.evidence.write(found.collect(), failed.len() as u64, candidate);
    Ok(())
}

/// Runs what is chosen, with what takes the place of the reference.
fn run_suite(
    arguments: &RunArguments,
    scenarios: Option<&Path>,
    candidate: Option<Candidate>,
    lines: Option<&mut dyn Write>,
) -> Result<RunReport, Stop> {
    let folder = &catalogue::folder(scenarios)?;
    let selection = Selection {
        filters: arguments.filters.clone(),
        profile: arguments.profile.clone(),
        seeds: seeds(arguments),
        jobs: arguments.jobs,
        knowledge: arguments.knowledge,
        candidate,
        executor: executor(arguments)?,
    };
    if selection.knowledge == Knowledge::Wire || matches!(selection.candidate, Some(Candidate::Shim(_))) {
        for (case, why) in selection.left_out(folder)? {
            complain(DIM, "left out", format!("{case}: {why}"));
        }
    }
    let mut report = as_it_goes(folder, &selection, arguments.fail_fast, lines)?;
    let behind = catalogue::argument(scenarios);
    report.cases.iter_mut().for_each(|case| case.replay.push_str(&behind));
    if report.cases.is_empty() && report.mistakes.is_empty() {
        return Err(Stop::Usage(no_match(arguments, &selection, folder)));
    }
    Ok(report)
}

/// Runs what is selected. A line per case is printed as soon as the cases before it have theirs. Ctrl-C, and with `fail_fast` a
/// case that failed, let no more cases begin.
fn as_it_goes(
    folder: &Path,
    selection: &Selection,
    fail_fast: bool,
    mut lines: Option<&mut dyn Write>,
) -> Result<RunReport, Stop> {
    interrupt::listen();
    let bar = Bar::new();
    let (sender, ended) = mpsc::channel();
    std::thread::scope(|scope| {
        let bar = &bar;
        let running = scope.spawn(move || {
            let on = |ended: &suite::Ended<'_>| {
                bar.set(ended.done, ended.total, &ended.report.case);
                let CaseReport { verdict, case, title, .. } = ended.report;
                // Nothing more is to be run for an output that is closed.
                let said = (ended.is_settled(), *verdict, case.clone(), title.clone());
                let closed = sender.send((ended.index, said)).is_err();
                match closed || interrupt::came() || fail_fast && is_failure(*verdict) {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            };
            suite::run(folder, selection, &on)
        });
        let mut waiting: BTreeMap<usize, (bool, Verdict, String, String)> = BTreeMap::new();
        let mut printed: BTreeMap<String, Verdict> = BTreeMap::new();
        let mut next = 0;
        let mut print = |verdict: Verdict, case: &str, title: &str| match &mut lines {
            Some(out) => bar.aside(|| write_line(*out, verdict, &format!("{case}  {DIM}{title}{DIM:#}"))),
            None => Ok(()),
        };
        for (index, said) in ended {
            waiting.insert(index, said);
            while let Some((settled, verdict, case, title)) = waiting.remove(&next) {
                next += 1;
                // Of one case there is one line.
                if settled {
                    print(verdict, &case, &title)?;
                    printed.insert(case, verdict);
                }
            }
        }
        let report = running.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        // Those behind one that was not begun, and those of which other cases have decided.
        for case in report.cases.iter().filter(|case| printed.get(&case.case) != Some(&case.verdict)) {
            print(case.verdict, &case.case, &case.title)?;
        }
        Ok(report)
    })
}

fn write_line(out: &mut dyn Write, verdict: Verdict, line: &str) -> std::io::Result<()> {
    let style = style(verdict);
    writeln!(out, "{style}{:VERDICT_WIDTH$}{style:#}  {line}", verdict.name())?;
    out.flush()
}

/// Why no case is selected, and which names are like those asked for.
fn no_match(arguments: &RunArguments, selection: &Selection, folder: &Path) -> String {
    let mut wanted = Vec::new();
    if !arguments.filters.is_empty() {
        wanted.push(format!("matches `{}`", arguments.filters.join("`, `")));
    }
    if let Some(profile) = &arguments.profile {
        wanted.push(format!("is of the profile `{profile}`"));
    }
    if let Some(Candidate::Shim(shim)) = &selection.candidate {
        wanted.push(format!("is of a profile that the shim speaks ({})", shim.profiles().join(", ")));
    }
    let cases = catalogue::cases(folder).unwrap_or_default();
    let matching: BTreeSet<&str> = cases
        .iter()
        .filter(|case| arguments.filters.iter().any(|filter| case.name.contains(filter.as_str())))
        .map(|case| case.profile.as_str())
        .collect();
    let hint = if !matching.is_empty() {
        format!("; those that match are of {}", Vec::from_iter(matching).join(", "))
    } else {
        // People remember the name, not the folder before it.
        let names =
            cases.iter().flat_map(|case| [case.scenario.as_str(), case.scenario.rsplit('/').next().unwrap_or("")]);
        did_you_mean(&arguments.filters.iter().flat_map(|filter| nearest(filter, names.clone())).collect::<Vec<_>>())
    };
    format!("no case {}{hint}; `deltaproof list` prints them all", wanted.join(" and "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[track_caller]
    fn check(format: Format, expected: &str) {
        let mut out = Vec::new();
        print(&sample::report(), &|_, _| None, format, &mut out).expect("writes to memory");
        assert_eq!(anstream::adapter::strip_str(&String::from_utf8_lossy(&out)).to_string(), expected);
    }

    #[test]
    fn failures_are_printed_with_their_replay_line_and_the_headline_comes_last() {
        check(
            Format::Human,
            "\n\
             fail fte/reset-lost@fte-nq seed 3\n\
             \x20 entity 5 origin[0] is <8> after the reset, expected 16 & no more\n\
             \x20 FTE-RST-02 MUST client1 at 1.250000s: entity 5 origin[0] is <8> after the reset, expected 16 & no more\n\
             \x20 replay: deltaproof replay fte/reset-lost@fte-nq --seed 3  (trace 00112233445566ff)\n\
             \n\
             `the <reference>` breaks 1 of the 3 MUSTs that were put to the test: FTE-RST-02 (2 cases).\n\
             fte-nq client: MUST 1/3 (0 skipped, 1 untested)  SHOULD 0/0  decided by profiles: MUST 1/1 \
             (0 skipped, 0 untested)  SHOULD 0/0  1 untestable, 2 not applicable\n\
             root hash aabbccdd00112233\n\
             MUST 1/3 (0 skipped, 1 untested)  SHOULD 0/0  decided by profiles: MUST 1/1 (0 skipped, 0 untested)  SHOULD 0/0\n\
             FAILED: 1 of 2 cases (1 fail)\n",
        );
    }

    #[test]
    fn machines_get_the_report_as_it_is() {
        let report = sample::report();
        let lines = json::lines(&report).expect("serializes");
        check(Format::Json, &format!("{}\n", lines.join("\n")));
        check(Format::Junit, &junit::document(&report).expect("serializes"));
    }
}
