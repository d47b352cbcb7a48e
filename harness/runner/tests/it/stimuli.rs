//! The matrix of stimuli: whatever can happen in a protocol, in every situation in which it can.
//!
//! Rows are what an end can be told (a protocol's fields, verbs and statistics, and what all protocols have, such as a new map), and
//! what datagrams carry (its marks); columns are situations and values. What a case covers is found in its run: the instructions as
//! they were given, and the history, for what the clients and the network did then. Each cell of the reviewed matrix has the first case that covers it, of
//! those that are made for it, or the letter of the reason why it cannot be. One that has neither is a `?` there, and fails the test, as
//! does a reason for a cell that is covered, or for none.

mod excuses;
mod situations;

use crate::{by_scenario, seeds_of_all};
use deltaproof::judge::{Keep, judge};
use deltaproof::registry::PROTOCOLS;
use deltaproof::scenario::Case;
use excuses::{EXCUSES, Excuse};
use kit::{Command, Profile, Protocol, Role, Unit};
use rayon::prelude::*;
use situations::{SITUATIONS, seen};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;

/// How the names of the scenarios begin that are made for the matrix.
const MADE_FOR_IT: [&str; 3] = ["everywhere", "happens-again", "crowded"];

/// What a value can be: its name, and whether a value is that, of a field with this range.
type IsValue = fn(f64, Option<(i64, i64)>) -> bool;

/// The columns of values. One that the range of a field leaves out is impossible for it.
const VALUES: [(&str, IsValue); 8] = [
    ("zero", |value, _| value == 0.0),
    ("127", |value, _| value > 127.0),
    ("255", |value, _| value > 255.0),
    ("32767", |value, _| value > 32_767.0),
    ("negative", |value, _| value < 0.0),
    ("fraction", |value, range| range.is_none() && value.fract() != 0.0),
    ("least", |value, range| range.is_some_and(|(least, _)| value == least as f64)),
    ("most", |value, range| range.is_some_and(|(_, most)| value == most as f64)),
];

/// What can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Row {
    /// Something that every protocol has.
    Common(&'static str),
    /// A verb, by its number.
    Verb(usize),
    /// A field, by its number.
    Field(usize),
    /// A statistic.
    Stat(u8),
    /// Something that a datagram carries, by its number.
    Mark(usize),
}

impl Row {
    /// The row of an instruction.
    pub fn of(command: &Command) -> Row {
        match command {
            Command::Connect => Row::Common("connect"),
            Command::Disconnect => Row::Common("disconnect"),
            Command::Spawn { .. } => Row::Common("spawn"),
            Command::Remove { .. } => Row::Common("remove"),
            Command::Map => Row::Common("map"),
            Command::Baseline { field, .. } | Command::Set { field, .. } => Row::Field(*field),
            Command::Stat { stat, .. } => Row::Stat(*stat),
            Command::Verb { verb, .. } => Row::Verb(*verb),
        }
    }

    /// Its name.
    fn name(self, protocol: &Protocol) -> String {
        match self {
            Row::Common(name) => String::from(name),
            Row::Verb(verb) => format!("verb {}", protocol.verbs[verb].name),
            Row::Field(field) => format!("field {}", protocol.fields[field].name),
            Row::Stat(stat) => format!("stat {stat}"),
            Row::Mark(mark) => format!("carries {}", protocol.marks[mark]),
        }
    }
}

/// A row, and the number of a column: of the situations, then of the values.
type Cell = (Row, usize);

/// The rows of a protocol: its tables', and the statistics that some case tells.
fn rows(protocol: &Protocol, stats: &BTreeSet<u8>) -> Vec<Row> {
    let common = ["connect", "disconnect", "map", "spawn", "remove"].into_iter().map(Row::Common);
    let verbs = (0..protocol.verbs.len()).filter(|verb| !protocol.misbehaviour.contains(verb)).map(Row::Verb);
    let fields = (0..protocol.fields.len()).map(Row::Field);
    let stats = stats.iter().copied().map(Row::Stat);
    common.chain(verbs).chain(fields).chain(stats).chain((0..protocol.marks.len()).map(Row::Mark)).collect()
}

/// The names of all columns.
fn columns() -> Vec<&'static str> {
    SITUATIONS.iter().map(|(name, _)| *name).chain(VALUES.iter().map(|(name, _)| *name)).collect()
}

/// The range of a row's values: none for floats and statistics, and `Err` where there are no values.
fn range(protocol: &Protocol, row: Row) -> Result<Option<(i64, i64)>, ()> {
    match row {
        Row::Field(field) => match protocol.fields[field].unit {
            Unit::Int(least, most) => Ok(Some((least, most))),
            Unit::Float => Ok(None),
        },
        Row::Stat(_) => Ok(None),
        Row::Common(_) | Row::Verb(_) | Row::Mark(_) => Err(()),
    }
}

/// What of a mark is asked: it is not told, and what becomes of it is the network's doing.
const OF_MARKS: [&str; 3] = ["lost", "twice-lost", "late-copy"];

/// Whether a cell can be, as far as the tables of a protocol tell.
fn is_possible(protocol: &Protocol, row: Row, column: usize) -> bool {
    let Some(value) = column.checked_sub(SITUATIONS.len()) else {
        return match (SITUATIONS[column].0, row) {
            (name, Row::Mark(_)) => OF_MARKS.contains(&name),
            // Nothing has a value that could be lower; and only fields are set hundreds of times in a minute.
            ("lower", Row::Common(_)) => false,
            ("lower", Row::Verb(verb)) => !protocol.verbs[verb].args.is_empty(),
            ("200", row) => matches!(row, Row::Field(_)),
            // In a minute there is no room for twenty maps.
            ("20", Row::Common("map")) => false,
            // What a client sends is short.
            ("full", Row::Common("connect" | "disconnect")) => false,
            ("full", Row::Verb(verb)) => protocol.verbs[verb].to == Role::Server,
            _ => true,
        };
    };
    let Ok(range) = range(protocol, row) else { return false };
    let (name, _) = VALUES[value];
    let (least, most) = range.unwrap_or((i64::MIN, i64::MAX));
    match name {
        "zero" => least <= 0,
        "127" => most > 127,
        "255" => most > 255,
        "32767" => most > 32_767,
        "negative" => least < 0,
        "fraction" => range.is_none(),
        _ => range.is_some(),
    }
}

/// The cells that a run of a case covers.
fn covered_by(case: &Case, seed: u64) -> BTreeSet<Cell> {
    let judgement = judge(case, seed, None, Keep::Events);
    let mut cells = BTreeSet::new();
    for seen in seen(case, seed, &judgement.history) {
        let row = seen.row;
        cells.extend(SITUATIONS.iter().enumerate().filter(|(_, (_, is))| is(&seen)).map(|(column, _)| (row, column)));
        if let (Some(value), Ok(range)) = (seen.value, range(case.protocol, row)) {
            let holds = VALUES.iter().enumerate().filter(|(_, (_, is))| is(value, range));
            cells.extend(holds.map(|(column, _)| (row, SITUATIONS.len() + column)));
        }
    }
    cells
}

/// Whether a scenario is made for the matrix.
fn is_made_for_it(case: &Case) -> bool {
    let name = case.scenario.id.rsplit_once('/').map_or("", |(_, name)| name);
    MADE_FOR_IT.iter().any(|made| name.starts_with(made))
}

/// Per cell, the first case that covers it, of these.
fn covered(cases: &[&'static Case]) -> BTreeMap<Cell, &'static str> {
    let runs: Vec<(&Case, u64)> =
        cases.iter().flat_map(|case| case.seeds().iter().map(|seed| (*case, *seed))).collect();
    let seen: Vec<_> = runs
        .into_par_iter()
        .with_max_len(1)
        .map(|(case, seed)| (case.scenario.id.as_str(), covered_by(case, seed)))
        .collect();
    let mut cells: BTreeMap<Cell, &'static str> = BTreeMap::new();
    for (id, covers) in seen {
        for cell in covers {
            cells.entry(cell).or_insert(id);
        }
    }
    cells
}

/// The matrix of a profile.
struct Matrix {
    text: String,
    /// The cells that are neither covered nor excused, and those that are both.
    wrong: Vec<String>,
    /// The reasons that are those of a cell, by number.
    used: BTreeSet<usize>,
}

impl Matrix {
    /// Of what the `cells` of a profile are covered by.
    fn of(protocol: &Protocol, profile: &Profile, cells: &BTreeMap<Cell, &'static str>) -> Matrix {
        let stats = cells.keys().filter_map(|(row, _)| if let Row::Stat(stat) = row { Some(*stat) } else { None });
        let names: Vec<&str> = cells.values().copied().collect::<BTreeSet<_>>().into_iter().collect();
        let mut matrix = Matrix { text: format!("{}\n", profile.name), wrong: Vec::new(), used: BTreeSet::new() };
        for (number, name) in names.iter().enumerate() {
            writeln!(matrix.text, "  {:3} {name}", number + 1).expect("writes to memory");
        }
        writeln!(matrix.text, "  {:25} {}", "", columns().join(" ")).expect("writes to memory");
        for row in rows(protocol, &stats.collect()) {
            let name = row.name(protocol);
            let mut line = format!("  {name:25}");
            for (column, head) in columns().into_iter().enumerate() {
                let case = cells.get(&(row, column)).and_then(|id| names.iter().position(|name| name == id));
                let excuse = excuses::of(protocol.name, profile.name, &name, head);
                let shown = match (case, excuse, is_possible(protocol, row, column)) {
                    (Some(case), None, _) => (case + 1).to_string(),
                    (None, _, false) => String::from("-"),
                    (None, Some((number, _)), true) => {
                        matrix.used.insert(number);
                        excuses::letter(EXCUSES[number].why)
                    }
                    (case, excuse, _) => {
                        let what = match (case, excuse) {
                            (Some(case), Some((_, excuse))) => {
                                format!("is in {}, yet excused: {}", names[case], excuse.why)
                            }
                            _ => String::from("is in no case, and not excused"),
                        };
                        matrix.wrong.push(format!("{}: {name} x {head} {what}", profile.name));
                        String::from(if case.is_some() { "!" } else { "?" })
                    }
                };
                write!(line, " {shown:>width$}", width = head.len()).expect("writes to memory");
            }
            matrix.text.push_str(line.trim_end());
            matrix.text.push('\n');
        }
        matrix
    }
}

/// The cases of a profile that are made for the matrix: of each scenario the last, as matrices end with what has most.
fn made_for_it(profile: &Profile, without: &str) -> Vec<&'static Case> {
    let own = by_scenario().filter(|cases| is_made_for_it(&cases[0]) && cases[0].scenario.id != without);
    own.filter_map(|cases| cases.iter().rfind(|case| case.profile.name == profile.name)).collect()
}

/// What is wrong with the matrix of a profile, of these cells: with a `?` or a `!` in it, and with what is reviewed.
fn review(protocol: &'static Protocol, profile: &Profile, cells: &BTreeMap<Cell, &'static str>) -> Vec<String> {
    let Matrix { mut text, mut wrong, used } = Matrix::of(protocol, profile, cells);
    text.push_str("\nwhy not\n");
    for why in used.iter().map(|number| EXCUSES[*number].why).collect::<BTreeSet<_>>() {
        writeln!(text, "  {:>3} {why}", excuses::letter(why)).expect("writes to memory");
    }
    let own = EXCUSES.iter().enumerate().filter(|(_, excuse)| {
        excuse.protocol == protocol.name && (excuse.profile.is_empty() || excuse.profile == profile.name)
    });
    let vain = own.filter(|(number, _)| !used.contains(number));
    wrong.extend(vain.map(|(_, Excuse { row, column, .. })| {
        format!("{}: {row} x {column} is excused, and no cell needs it", profile.name)
    }));
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(golden(protocol));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(file(profile), text));
    wrong
}

/// The name of the reviewed matrix of a profile.
fn file(profile: &Profile) -> &'static str {
    const FILES: [(&str, &str); 9] = [
        ("fte-nq", "stimuli-fte-nq"),
        ("fte-qw", "stimuli-fte-qw"),
        ("fitz666", "stimuli-fitz666"),
        ("nvs", "stimuli-nvs"),
        ("r1q2-35", "stimuli-r1q2-35"),
        ("r1q2-1903", "stimuli-r1q2-1903"),
        ("r1q2-1904", "stimuli-r1q2-1904"),
        ("r1q2-1905", "stimuli-r1q2-1905"),
        ("pygg2", "stimuli-pygg2"),
    ];
    FILES.iter().find(|(name, _)| *name == profile.name).expect("every profile has a matrix").1
}

fn golden(protocol: &Protocol) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden").join(protocol.name)
}

/// Every matrix, found anew in the runs: `VARIANT_SEEDS=4 cargo test -p deltaproof --test it stimuli`, a part of `.ci/run`. Otherwise
/// that of the profile whose runs are the shortest.
#[test]
fn every_stimulus_meets_every_situation_or_says_why_not() {
    let profiles = PROTOCOLS.iter().flat_map(|protocol| protocol.profiles.iter().map(|profile| (*protocol, profile)));
    let chosen = profiles.filter(|(_, profile)| seeds_of_all().is_some() || profile.name == "nvs");
    let wrong: Vec<String> =
        chosen.flat_map(|(protocol, profile)| review(protocol, profile, &covered(&made_for_it(profile, "")))).collect();
    assert!(wrong.is_empty(), "{} cells:\n{}", wrong.len(), wrong.join("\n"));
}

/// What can be seen of the reviewed matrices without a run: every row of the protocol's tables is there, no cell is open, and every
/// scenario that covers one exists.
#[test]
fn reviewed_matrices_have_every_row_and_no_open_cell() {
    for protocol in PROTOCOLS {
        for profile in protocol.profiles {
            let path = golden(protocol).join(format!("{}.snap", file(profile)));
            let text = std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
            for row in rows(protocol, &BTreeSet::new()) {
                let name = row.name(protocol);
                let line = text.lines().find(|line| line.starts_with(&format!("  {name:25} ")));
                let cells = line.unwrap_or_else(|| panic!("{} has no row {name}", path.display()));
                assert!(!cells.contains(['?', '!']), "{}: {cells}", path.display());
            }
            let scenarios = text.lines().filter_map(|line| line.rsplit_once(' ').map(|(_, last)| last));
            for id in scenarios.filter(|id| id.starts_with(&format!("{}/", protocol.name))) {
                let exists = made_for_it(profile, "").iter().any(|case| case.scenario.id == id);
                assert!(exists, "{} has {id}, which is no scenario made for it", path.display());
            }
        }
    }
}

/// A row that is excused as it has scenarios of its own happens in those that are named, and in each of them.
#[test]
fn rows_that_are_excused_happen_in_scenarios_of_their_own() {
    for excuse in EXCUSES.iter().filter(|excuse| excuse.claims_others()) {
        let protocol = PROTOCOLS.iter().find(|protocol| protocol.name == excuse.protocol).expect("a protocol");
        let rows = rows(protocol, &BTreeSet::new()).into_iter().filter(|row| excuse.is_of(&row.name(protocol)));
        let mut missing: BTreeSet<Row> = rows.collect();
        assert!(!missing.is_empty(), "{excuse:?} is of no row");
        for id in excuse.shown_in {
            let case = by_scenario().find(|cases| cases[0].scenario.id == *id).expect(id).first().expect(id);
            let seed = case.seeds().first().copied().unwrap_or_default();
            let happened: BTreeSet<Row> =
                seen(case, seed, &judge(case, seed, None, Keep::Events).history).iter().map(|seen| seen.row).collect();
            let before = missing.len();
            missing.retain(|row| !happened.contains(row));
            assert!(missing.len() < before, "nothing of {} that is missing happens in {id}", excuse.row);
        }
        let names: Vec<String> = missing.iter().map(|row| row.name(protocol)).collect();
        assert!(names.is_empty(), "{names:?} of {} happen in none of {:?}", excuse.protocol, excuse.shown_in);
    }
}

/// The matrix is of what happens, not of what is claimed: without a scenario, its cells are empty.
#[test]
fn cells_are_empty_without_the_scenario_that_covers_them() {
    let protocol = PROTOCOLS.iter().find(|protocol| protocol.name == "nvs").expect("a protocol");
    let profile = &protocol.profiles[0];
    let few = made_for_it(profile, "nvs/everywhere-restart").into_iter().filter(|case| case.duration().0 < 20_000_000);
    let matrix = Matrix::of(protocol, profile, &covered(&few.collect::<Vec<_>>()));
    for (row, column) in [("field frame", "restarted"), ("verb particle", "restarted"), ("field frame", "65s")] {
        let line = format!("{}: {row} x {column} is in no case", profile.name);
        assert!(matrix.wrong.iter().any(|wrong| wrong.starts_with(&line)), "{line}: {:?}", matrix.wrong);
    }
}
