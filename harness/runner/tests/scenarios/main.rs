//! Every scenario file is a test, found when the tests run: adding one needs no rebuild.
//!
//! There is a test per profile of a file. All variants are run with all seeds and must pass; then each must have the row
//! that the table of its protocol has, and the trace that is kept of it, if one is. When the tests have run, tables with
//! other rows are given to insta, with the rows of the cases that were not run as they are. What they all cover together is in
//! [`catalogue`].

mod catalogue;
mod runs;

use deltaproof::golden::{self, Row, Table};
use deltaproof::registry::PROTOCOLS;
use deltaproof::scenario::{self, Case};
use deltaproof::suite;
use libtest_mimic::{Arguments, Failed, Trial};
use rayon::prelude::*;
use runs::{Runs, Variants};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut trials = Vec::new();
    let mut cases = Vec::new();
    let scenarios = root.join("scenarios");
    match scenario::discover(&scenarios) {
        Ok(paths) => {
            let loaded: Vec<_> = paths.par_iter().map(|path| (path, scenario::load(&scenarios, path))).collect();
            for (path, loaded) in loaded {
                match loaded {
                    Ok(scenario) => cases.extend(scenario::cases(&Arc::new(scenario))),
                    Err(error) => trials.push(unread(&root, path, error.render(false))),
                }
            }
        }
        Err(error) => trials.push(unread(&root, &root, error.render(false))),
    }
    let goldens = Arc::new(Goldens::read(&root, &cases));
    let runs = Arc::new(Runs::of(&cases));
    for (place, variants) in runs.scenarios().enumerate() {
        let (goldens, runs) = (Arc::clone(&goldens), Arc::clone(&runs));
        trials.push(Trial::test(variants.name(), move || goldens.check(runs.scenario(place))));
    }
    let left_over = Arc::clone(&goldens);
    trials.push(Trial::test("every_golden_has_its_case", move || left_over.are_all_used()));
    trials.extend(catalogue::trials(&runs));
    let conclusion = libtest_mimic::run(&arguments, trials);
    goldens.review();
    conclusion.exit_code()
}

/// A file that cannot be read is a failing test.
fn unread(root: &Path, path: &Path, why: String) -> Trial {
    let name = path.strip_prefix(root.join("scenarios")).unwrap_or(path).with_extension("");
    Trial::test(format!("{}::read", name.display()), move || Err(Failed::from(why)))
}

/// What is kept for review, and what this run has shown.
struct Goldens {
    folder: PathBuf,
    /// The text of each protocol's table, as reviewed.
    reviewed: BTreeMap<&'static str, String>,
    /// The rows in it.
    rows: Table,
    /// The names of all cases, run or not.
    cases: BTreeSet<String>,
    /// The files of all traces that are to be kept.
    traces: BTreeSet<PathBuf>,
    /// The rows of the cases that were run.
    now: Mutex<Table>,
}

impl Goldens {
    fn read(root: &Path, cases: &[Case]) -> Goldens {
        let folder = root.join("golden");
        let table = |protocol: &str| fs::read_to_string(folder.join(protocol).join("runs.snap")).unwrap_or_default();
        let reviewed: BTreeMap<_, _> =
            PROTOCOLS.iter().map(|protocol| (protocol.name, contents(&table(protocol.name)).to_string())).collect();
        Goldens {
            rows: reviewed.values().flat_map(|text| golden::parse(text)).collect(),
            reviewed,
            cases: cases.iter().map(Case::name).collect(),
            traces: cases.iter().filter(|case| case.keeps_trace()).map(|case| trace_of(&folder, case)).collect(),
            now: Mutex::default(),
            folder,
        }
    }

    /// Runs the variants of a scenario in a profile: their verdicts, their rows, their traces.
    fn check(&self, variants: &Variants) -> Result<(), Failed> {
        let mut text = String::new();
        for report in variants.reports() {
            if report.verdict.is_bad() {
                text.push_str(&format!("{} {}: {}\n", report.verdict.name(), report.case, report.reason));
                for finding in &report.findings {
                    text.push_str(&format!("  {} {}: {}\n", finding.suspects(), finding.host, finding.what));
                }
                text.push_str(&format!("  {}\n", report.replay));
            }
            let row = golden::row(report);
            let differences = golden::differences(self.rows.get(&report.case), &row);
            if let Some(differences) = differences.filter(|_| !accepts()) {
                text.push_str(&format!("{} is not as in runs.snap: {differences}\n  {}\n", report.case, report.replay));
            }
            lock(&self.now).insert(report.case.clone(), row);
        }
        for case in variants.cases().iter().filter(|case| case.keeps_trace()) {
            self.check_trace(case, &mut text);
        }
        if text.is_empty() { Ok(()) } else { Err(Failed::from(text)) }
    }

    fn check_trace(&self, case: &Case, text: &mut String) {
        let seed = case.seeds().first().copied().unwrap_or(1);
        let (file, replay) = (trace_of(&self.folder, case), suite::replay_line(case, seed, None));
        let now = golden::trace(case, seed);
        if !snapshot(&file, &replay, &now) {
            let reviewed = fs::read_to_string(&file).unwrap_or_default();
            let place = golden::first_difference(contents(&reviewed), &now).unwrap_or_default();
            text.push_str(&format!("{} is not as reviewed from {place}\n  {replay}\n", file.display()));
        }
    }

    /// There is no row and no trace without its case, and tables are as they would be written.
    fn are_all_used(&self) -> Result<(), Failed> {
        let rows = self.rows.keys().filter(|case| !self.cases.contains(*case));
        let mut text: String = rows.map(|case| format!("a row of {case}, which is no case\n")).collect();
        for protocol in PROTOCOLS {
            let table = self.rows_of(protocol.name, &Table::new());
            if text.is_empty() && golden::render(&table).trim() != self.reviewed[protocol.name].trim() {
                text.push_str(&format!("golden/{}/runs.snap is not sorted and aligned\n", protocol.name));
            }
            let files = fs::read_dir(self.folder.join(protocol.name).join("traces")).into_iter().flatten().flatten();
            let snapshots = files.map(|file| file.path()).filter(|path| path.extension() == Some("snap".as_ref()));
            for file in snapshots.filter(|file| !self.traces.contains(file)) {
                text.push_str(&format!("{} has no scenario with `golden: trace`\n", file.display()));
            }
        }
        if text.is_empty() || accepts() { Ok(()) } else { Err(Failed::from(text)) }
    }

    /// Gives insta the tables that would have other rows.
    fn review(&self) {
        let now = lock(&self.now);
        for (protocol, reviewed) in self.reviewed.iter().filter(|_| !now.is_empty()) {
            let table = golden::render(&self.rows_of(protocol, &now));
            if table.trim() != reviewed.trim() {
                snapshot(&self.folder.join(protocol).join("runs.snap"), "cargo test --test scenarios", &table);
            }
        }
    }

    /// A protocol's rows as reviewed, with those in `now` instead, and without those of no case.
    fn rows_of(&self, protocol: &str, now: &Table) -> Table {
        let rows: BTreeMap<&String, &Row> = self.rows.iter().chain(now).collect();
        let rows = rows.into_iter().filter(|(case, _)| self.cases.contains(*case));
        let own = rows.filter(|(case, _)| case.split('/').next() == Some(protocol));
        own.map(|(case, row)| (case.clone(), row.clone())).collect()
    }
}

/// The file of a case's trace.
fn trace_of(folder: &Path, case: &Case) -> PathBuf {
    let (protocol, name) = case.scenario.id.split_once('/').unwrap_or(("", &case.scenario.id));
    folder.join(protocol).join("traces").join(format!("{name}.snap"))
}

/// What a snapshot file has below its head.
fn contents(file: &str) -> &str {
    file.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).map_or(file, |(_, contents)| contents)
}

/// Whether insta was instructed to overwrite what was reviewed.
fn accepts() -> bool {
    matches!(std::env::var("INSTA_UPDATE").as_deref(), Ok("always" | "force"))
}

/// Whether `text` is what was reviewed; if not, insta says so, and keeps it for `cargo insta review`.
fn snapshot(file: &Path, description: &str, text: &str) -> bool {
    // libtest-mimic does not capture what insta prints: one difference at a time.
    static PRINTING: Mutex<()> = Mutex::new(());
    let _alone = lock(&PRINTING);
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(file.parent().unwrap_or(file));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description(description);
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    catch_unwind(AssertUnwindSafe(|| settings.bind(|| insta::assert_snapshot!(name, text)))).is_ok()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
