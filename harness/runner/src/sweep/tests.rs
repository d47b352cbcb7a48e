//! Sweeps as a library: order, grouping, shards.

use super::engine::{self, Listener, Work};
use super::extent::Extent;
use super::manifest::Manifest;
use super::merge::{Found, array_spec};
use super::row::Row;
use super::shard::{self, Writer};
use super::summary::{Fold, Summary};
use crate::candidate::{BuiltIn, Candidate};
use crate::report::Verdict;
use crate::scenario::{self, Case};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Two short cases of one scenario.
fn cases() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    CASES.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
        let scenario = scenario::load(&root, &root.join("fte/history-two-lost.yaml")).expect("the scenario is there");
        scenario::cases(&Arc::new(scenario)).into_iter().take(2).collect()
    })
}

/// A server that fails them with every seed.
fn mutant() -> Candidate {
    let mut all = BuiltIn::all(crate::registry::PROTOCOLS);
    Candidate::BuiltIn(all.find(|it| it.name() == "fte/acks-cumulative").expect("a mutant of this name"))
}

/// Keeps the lines, until it has had enough.
struct Kept {
    fold: Fold,
    lines: Vec<String>,
    most_rows: usize,
    stop_at: usize,
}

impl Listener for Kept {
    fn row(&mut self, row: &Row) -> ControlFlow<()> {
        let line = row.line().expect("a row is JSON");
        self.fold.add(row, &line);
        self.lines.push(line);
        if self.lines.len() >= self.most_rows { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn time_passes(&mut self) -> ControlFlow<()> {
        if self.lines.len() >= self.stop_at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

fn sweep(first: u64, last: u64, jobs: usize, most_rows: usize, stop_at: usize) -> (Vec<String>, Summary) {
    let (extent, candidate) = (Extent::Seeds { first, last }, mutant());
    let work = Work { cases: cases(), extent: &extent, candidate: Some(&candidate), jobs: Some(jobs) };
    let mut kept = Kept { fold: Fold::new(""), lines: Vec::new(), most_rows, stop_at };
    engine::sweep(work, 0..work.runs(), &mut kept);
    let complete = kept.lines.len() as u128 == work.runs();
    (kept.lines, kept.fold.finish(complete))
}

#[test]
fn one_thread_and_three_hear_the_same_rows_in_the_order_of_their_seeds() {
    let one = sweep(5, 24, 1, usize::MAX, usize::MAX);
    assert_eq!(one, sweep(5, 24, 3, usize::MAX, usize::MAX));
    let seeds: Vec<u64> = one.0.iter().map(|line| serde_json::from_str::<Row>(line).expect("a row").seed).collect();
    assert_eq!(seeds, Vec::from_iter((5..=24).flat_map(|seed| [seed, seed])));
    assert_eq!((one.1.runs, one.1.complete, one.1.cases), (40, true, 2));
}

#[test]
fn what_is_found_is_grouped_by_requirement_with_the_smallest_seed_as_example() {
    let (_, summary) = sweep(5, 12, 2, usize::MAX, usize::MAX);
    // FTE-ACK-14 is the row of QuakeWorld's transport, FTE-ACK-09 that of NetQuake's; both cases share FTE-RMV-05.
    let groups: Vec<_> = summary.groups.iter().map(|it| (it.failed.as_str(), it.runs, it.seeds, it.cases)).collect();
    assert_eq!(groups, [("FTE-RMV-05", 16, 8, 2), ("FTE-ACK-09", 8, 8, 1), ("FTE-ACK-14", 8, 8, 1)]);
    let group = &summary.groups[0];
    assert_eq!((group.level.as_str(), group.example.seed), ("MUST", 5));
    assert_eq!(group.example.replay, format!("deltaproof replay {} --seed 5", cases()[0].name()));
    assert_eq!((summary.failures, summary.exit_code), (16, 1));
}

#[test]
fn a_range_of_all_seeds_starts_at_once_and_stops_on_request() {
    let (lines, summary) = sweep(0, u64::MAX, 2, 10, usize::MAX);
    assert_eq!((lines.len(), summary.complete), (10, false));
    assert_eq!(lines, sweep(0, 4, 1, usize::MAX, usize::MAX).0, "ten runs of two cases are five seeds");
}

#[test]
fn an_interrupted_sweep_is_the_beginning_of_the_whole_one() {
    let (lines, summary) = sweep(0, u64::MAX, 3, usize::MAX, 1);
    assert!(!lines.is_empty() && !summary.complete);
    let last = (lines.len() as u64 - 1) / 2;
    let whole = sweep(0, last, 1, usize::MAX, usize::MAX).0;
    assert_eq!(lines[..], whole[..lines.len()], "every run that was begun is in it");
}

fn row(seed: u64, verdict: Verdict, requirements: &[&str]) -> Row {
    Row {
        case: String::from("fte/reset-lost@fte-nq"),
        seed,
        verdict,
        requirements: requirements.iter().map(|id| String::from(*id)).collect(),
        datagrams: 10,
        lost: 1,
        duplicated: 2,
        reordered: 3,
        trace_hash: String::from("0011223344556677"),
        reason: String::new(),
    }
}

fn folded(rows: &[Row]) -> Summary {
    let mut fold = Fold::new(" --server fte/x");
    rows.iter().for_each(|row| fold.add(row, &row.line().expect("a row is JSON")));
    fold.finish(true)
}

#[test]
fn a_vacuous_run_is_no_failure_but_a_sweep_of_nothing_else_proves_nothing() {
    let some = folded(&[row(1, Verdict::Vacuous, &[]), row(2, Verdict::Pass, &[])]);
    assert_eq!((some.failures, some.exit_code, some.always_vacuous.len()), (0, 0, 0));
    let nothing = folded(&[row(1, Verdict::Vacuous, &[]), row(2, Verdict::Vacuous, &[])]);
    assert_eq!((nothing.failures, nothing.exit_code), (0, 1));
    assert_eq!(nothing.always_vacuous, ["fte/reset-lost@fte-nq"]);
}

#[test]
fn groups_are_requirements_and_what_is_no_verdict_about_one() {
    let rows = [
        row(1, Verdict::FailShould, &["FTE-RST-03"]),
        row(2, Verdict::Fail, &["FTE-RST-02", "FTE-ACK-09"]),
        row(2, Verdict::Fail, &["FTE-RST-02"]),
        row(3, Verdict::SutCrash, &["FTE-RST-02"]),
        row(4, Verdict::Xfail, &["FTE-RST-02"]),
    ];
    let summary = folded(&rows);
    let groups: Vec<_> = summary.groups.iter().map(|it| (it.failed.as_str(), it.runs, it.seeds)).collect();
    assert_eq!(groups, [("FTE-RST-02", 2, 1), ("FTE-ACK-09", 1, 1), ("sut-crash", 1, 1), ("FTE-RST-03", 1, 1)]);
    assert_eq!((summary.failures, summary.exit_code), (3, 3));
    assert_eq!(summary.groups[0].example.replay, "deltaproof replay fte/reset-lost@fte-nq --seed 2 --server fte/x");
}

#[test]
fn numbers_are_written_as_job_arrays_want_them() {
    assert_eq!(array_spec(&[3, 7, 8, 9]), "3,7-9");
    assert_eq!(array_spec(&[0, 1, 5]), "0-1,5");
    assert_eq!(array_spec(&[]), "");
    assert_eq!(array_spec(&[u64::MAX]), "18446744073709551615");
}

/// A sweep of four shards in a folder of the test's own.
struct Shards {
    folder: PathBuf,
    manifest: Manifest,
}

impl Shards {
    fn new(name: &str) -> Shards {
        let folder = std::env::temp_dir().join(format!("deltaproof-shards-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let extent = Extent::Seeds { first: 10, last: 19 };
        let manifest = Manifest::new(cases(), extent, 3, None).expect("the files can be read");
        let shards = Shards { folder, manifest };
        (0..shards.manifest.shards).for_each(|shard| shards.write(shard));
        shards
    }

    fn write(&self, shard: u64) {
        let mut writer = Writer::create(&self.folder, shard, 1).expect("the folder is writable");
        for number in self.manifest.numbers(shard) {
            let (case, seed) = self.manifest.expected(number);
            let row = Row { case, ..row(seed, Verdict::Pass, &[]) };
            writer.row(&row.line().expect("a row is JSON")).expect("the file is writable");
        }
        writer.finish(&self.manifest.hash()).expect("the file is writable");
    }

    fn path(&self, shard: u64) -> PathBuf {
        shard::path(&self.folder, shard)
    }

    fn edit(&self, shard: u64, edit: impl FnOnce(String) -> String) {
        let text = fs::read_to_string(self.path(shard)).expect("the shard is there");
        fs::write(self.path(shard), edit(text)).expect("the file is writable");
    }

    fn found(&self) -> Found {
        Found::look(&self.manifest, std::slice::from_ref(&self.folder)).expect("the folder is readable")
    }

    #[track_caller]
    fn check(&self, missing: &[u64], parts: &[&str]) {
        let found = self.found();
        assert_eq!(found.missing(&self.manifest), missing);
        let complaints = found.complaints(&self.manifest);
        assert_eq!(complaints.len(), parts.len(), "{complaints:?}");
        for (complaint, part) in complaints.iter().zip(parts) {
            assert!(complaint.contains(part), "{complaint}");
        }
    }
}

impl Drop for Shards {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn whole_shards_make_up_every_run_once() {
    let shards = Shards::new("whole");
    assert_eq!(shards.manifest.shards, 4);
    shards.check(&[], &[]);
    let mut runs = Vec::new();
    shards.found().rows(&shards.manifest, &mut |row, _| runs.push((row.case.clone(), row.seed))).expect("all is there");
    let expected = |seed| cases().iter().map(move |case| (case.name(), seed));
    assert_eq!(runs, Vec::from_iter((10..=19).flat_map(expected)));
    let left = fs::read_dir(&shards.folder).expect("the folder is there").count();
    assert_eq!(left, 4, "nothing unfinished is left");
}

#[test]
fn a_shard_that_is_missing_is_named() {
    let shards = Shards::new("missing");
    fs::remove_file(shards.path(1)).expect("it is there");
    fs::remove_file(shards.path(2)).expect("it is there");
    shards.check(&[1, 2], &["2 of 4 shards are missing: 1-2"]);
}

#[test]
fn a_shard_that_is_there_twice_is_named_with_both_files() {
    let shards = Shards::new("doubled");
    fs::copy(shards.path(2), shards.folder.join("copy.jsonl")).expect("the folder is writable");
    shards.check(&[], &["shard 2 is there 2 times: "]);
}

#[test]
fn a_shard_that_is_cut_off_or_changed_is_named_and_missing() {
    let shards = Shards::new("damaged");
    shards.edit(0, |text| String::from(&text[..text.len() / 2]));
    shards.edit(1, |text| text.replacen("\"lost\":1", "\"lost\":0", 1));
    shards.edit(3, |text| {
        let first = text.lines().next().expect("it has rows");
        format!("{first}\n{text}")
    });
    shards.check(
        &[0, 1, 3],
        &[
            "shard-000000.jsonl is cut off",
            "shard-000001.jsonl is damaged: its rows are not those that were written",
            "shard-000003.jsonl is damaged: line 2",
            "3 of 4 shards are missing: 0-1,3",
        ],
    );
}

#[test]
fn a_shard_of_another_manifest_is_named_and_missing() {
    let mut shards = Shards::new("another");
    let written = shards.manifest.clone();
    shards.manifest.candidate = Some(String::from("--server fte/acks-cumulative"));
    shards.write(3);
    shards.manifest = written;
    shards.check(&[3], &["shard-000003.jsonl is of another manifest", "1 of 4 shards is missing: 3"]);
}

#[test]
fn an_unfinished_shard_leaves_the_one_before_in_its_place() {
    let shards = Shards::new("unfinished");
    let mut writer = Writer::create(&shards.folder, 0, 2).expect("the folder is writable");
    writer.row("{}").expect("the file is writable");
    drop(writer);
    shards.check(&[], &[]);
}

#[test]
fn a_manifest_is_read_as_it_was_written_and_mistakes_in_it_are_named() {
    let shards = Shards::new("manifest");
    let path = shards.folder.join("manifest.json");
    shards.manifest.write(&path).expect("the folder is writable");
    assert_eq!(Manifest::read(&path).expect("it is one"), shards.manifest);
    assert_eq!(shards.manifest.differs(cases()).expect("the files can be read"), None);
    let text = fs::read_to_string(&path).expect("it is there");
    for (from, to, part) in [
        ("\"first\": 10", "\"first\": 20", "its last seed 19 is below its first"),
        ("\"shard_size\": 3", "\"shard_size\": 0", "the number of shards is not what their size makes it"),
        ("\"manifest\": 1", "\"manifest\": 2", "is a manifest of format 2"),
        ("\"shards\"", "\"shard\"", "is no manifest of a sweep (unknown field `shard`"),
    ] {
        fs::write(&path, text.replace(from, to)).expect("the folder is writable");
        let why = Manifest::read(&path).expect_err(part).to_string();
        assert!(why.contains(part), "{why}");
    }
}

#[test]
fn another_build_or_other_scenarios_are_not_those_of_the_manifest() {
    let manifest = Manifest::new(cases(), Extent::Seeds { first: 1, last: 1 }, 1, None).expect("files can be read");
    let differs = |manifest: &Manifest| manifest.differs(cases()).expect("files can be read").unwrap_or_default();
    let mut other = manifest.clone();
    other.harness.program = String::from("00");
    assert!(differs(&other).contains("another build"), "{}", differs(&other));
    let mut other = manifest.clone();
    other.scenarios = String::from("00");
    assert!(differs(&other).contains("are not those of the manifest"), "{}", differs(&other));
    let mut other = manifest;
    other.cases.push(String::from("fte/gone@fte-nq"));
    assert!(differs(&other).contains("fte/gone@fte-nq"), "{}", differs(&other));
}
