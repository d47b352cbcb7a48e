//! The program as its users run it: exit codes, pipes, colours, and output that other programs read.

mod blame;
mod certify;
mod codec;
mod controls;
mod decoding;
mod demo_files;
mod demo_frames;
mod demos;
mod engine;
mod evidence;
mod fuzzing;
mod guessed;
mod hidden;
mod histories;
mod judged;
mod judges;
mod live;
mod moved;
mod mutants;
mod output;
mod pairs;
mod random;
mod recorded;
mod scenes;
#[cfg(feature = "schemas")]
mod schemas;
mod shim;
mod site;
mod skeleton_runs;
mod stimuli;
mod suite;
mod tidy;
mod told;
mod transitions;
mod variants;
mod worldless;

use deltaproof::scenario::Case;
use deltaproof::suite::all_cases;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The program with these arguments, in the project's folder, without colours from the environment.
fn deltaproof(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_deltaproof"));
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).stdin(Stdio::null());
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(variable);
    }
    command
}

/// Every case, read once for all tests here.
fn cases() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    let scenarios = || all_cases(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scenarios"));
    CASES.get_or_init(|| scenarios().unwrap_or_else(|error| panic!("{}", error.render(false))))
}

/// The cases of every scenario.
fn by_scenario() -> impl Iterator<Item = &'static [Case]> {
    cases().chunk_by(|one, next| one.scenario.id == next.scenario.id)
}

/// How many seeds of all cases are asked for: `.ci/run` asks for four. Otherwise a part of the cases is enough.
fn seeds_of_all() -> Option<usize> {
    std::env::var("VARIANT_SEEDS").ok().and_then(|seeds| seeds.parse().ok())
}

/// The first case of every other scenario; all cases, if [`seeds_of_all`] are asked for.
fn first_cases() -> Vec<&'static Case> {
    let (step, most) = if seeds_of_all().is_some() { (1, usize::MAX) } else { (2, 1) };
    by_scenario().step_by(step).flat_map(|cases| cases.iter().take(most)).collect()
}

/// Runs it to its end.
fn run(arguments: &[&str]) -> Output {
    deltaproof(arguments).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is UTF-8")
}

/// Writes a file for one test and returns its path.
fn file(name: &str, content: &[u8]) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).expect("the test's folder is writable");
    path.to_str().expect("the path is UTF-8").to_string()
}

/// An empty folder for one test.
fn empty_folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("the test's folder is writable");
    path
}

/// A folder with one scenario, called [`CASE`]: to read them all takes every process a while. It is written once: another
/// test may be reading it.
fn one_scenario() -> String {
    static FOLDER: OnceLock<String> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("one-scenario");
        let (from, to) = (PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scenarios/fte"), folder.join("fte"));
        std::fs::create_dir_all(&to).expect("the test's folder is writable");
        std::fs::copy(from.join("delta-clean.yaml"), to.join("delta-clean.yaml")).expect("the scenario is there");
        folder.to_str().expect("the path is UTF-8").to_string()
    });
    folder.clone()
}

/// A case of [`one_scenario`].
const CASE: &str = "fte/delta-clean@fte-nq[client_fte2=0x8]";
