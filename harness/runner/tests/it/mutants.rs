//! Every mutant is caught, in its scenario, at the requirement that it names; and the reference is not.

use crate::cases;
use deltaproof::kill::{self, Fate, Matrix, ProfileKills, Selection};
use deltaproof::registry::PROTOCOLS;
use deltaproof::scenario::{self, Case};
use kit::Knowledge;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

pub fn cases_of(id: &str) -> Vec<Case> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let path = root.join(format!("{id}.yaml"));
    let scenario = scenario::load(&root, &path).unwrap_or_else(|error| panic!("{}", error.render(false)));
    scenario::cases(&Arc::new(scenario))
}

fn matrix(selection: &Selection) -> Matrix {
    kill::matrix(PROTOCOLS, cases(), selection, &|_, _, _| {}).unwrap_or_else(|misplaced| panic!("{misplaced}"))
}

/// All mutants, run once for all tests here; and once more with an oracle that receives no command to the server.
fn whole(knowledge: Knowledge) -> &'static Matrix {
    static MATRICES: [OnceLock<Matrix>; 2] = [OnceLock::new(), OnceLock::new()];
    let index = usize::from(knowledge == Knowledge::Wire);
    MATRICES[index].get_or_init(|| matrix(&Selection { knowledge, ..Selection::default() }))
}

#[test]
fn every_mutant_is_caught_at_the_requirement_that_it_names() {
    let mut escaped = Vec::new();
    for row in &whole(Knowledge::World).rows {
        if let Fate::Alive { case, instead } = &row.fate {
            let wanted = row.mutant.caught_by.id;
            let found: Vec<String> = instead.iter().map(|(id, what)| format!("{id} {what}")).collect();
            escaped.push(format!("{} in {case} (wanted {wanted}): found {found:?}", row.mutant.name));
        }
    }
    assert!(escaped.is_empty(), "not caught:\n{}", escaped.join("\n"));
}

/// Findings may name several requirements; a list that is long, or that often begins with a wrong one, helps nobody.
#[test]
fn findings_name_few_requirements_and_the_right_one_first() {
    let killed = || whole(Knowledge::World).rows.iter().filter(|row| row.killed());
    let count = killed().count();
    let first = killed().filter(|row| row.names_first()).count();
    let named: usize = killed().filter_map(|row| row.suspects()).map(|suspects| suspects.iter().count()).sum();
    assert!(first * 100 >= count * 90, "{first} of {count} are named first");
    assert!(named * 2 <= count * 3, "{named} requirements for {count} mutants");
}

#[test]
fn the_kill_rates_are_the_reviewed_ones() {
    let mut text = String::from("profile    mutants  killed  named first  named in all  most named  killed blind\n");
    let rows = |knowledge, name| whole(knowledge).rows.iter().filter(move |row| row.profile.name == name);
    for kills in &whole(Knowledge::World).profiles {
        let name = kills.profile.name;
        let named = rows(Knowledge::World, name).filter_map(|row| row.suspects());
        let most = named.map(|suspects| suspects.iter().count()).max().unwrap_or_default();
        let blind = rows(Knowledge::Wire, name).filter(|row| row.killed()).count();
        let ProfileKills { total, killed, first, suspects, .. } = *kills;
        writeln!(text, "{name:9}  {total:7}  {killed:6}  {first:11}  {suspects:12}  {most:10}  {blind:12}")
            .expect("memory");
    }
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description("deltaproof mutants; `blind`: deltaproof mutants --knowledge wire");
    settings.bind(|| insta::assert_snapshot!("kills", text));
}

#[test]
fn once_it_is_stopped_no_mutant_is_begun() {
    let filters = vec![String::from("fte-rst")];
    let stopped = matrix(&Selection { filters, stop: Some(|| true), ..Selection::default() });
    assert!(stopped.rows.is_empty() && stopped.left > 0, "{} left", stopped.left);
    assert_eq!(
        matrix(&Selection { filters: vec![String::from("fte-rst-08")], stop: Some(|| false), ..Selection::default() })
            .left,
        0
    );
}

#[test]
fn the_matrix_does_not_depend_on_the_number_of_threads() {
    let some = |jobs| Selection { filters: vec![String::from("fte-rst")], jobs: Some(jobs), ..Selection::default() };
    let rows = |jobs| format!("{:?}", matrix(&some(jobs)).rows);
    assert_eq!(rows(1), rows(3));
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
