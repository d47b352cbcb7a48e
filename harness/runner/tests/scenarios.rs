//! Every scenario file is a test, found when the tests run: adding one needs no rebuild.
//!
//! There is a test per profile of a file. All variants are run with all seeds and must pass; then their golden files, if
//! they have one, must be as reviewed.

use deltaproof::judge;
use deltaproof::scenario::{self, Case};
use deltaproof::suite::{self, Selection};
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let scenarios = root.join("scenarios");
    let mut trials = Vec::new();
    match scenario::discover(&scenarios) {
        Ok(paths) => paths.iter().for_each(|path| trials.extend(trials_of(&root, path))),
        Err(error) => {
            let text = error.render(false);
            trials.push(Trial::test("discover", move || Err(Failed::from(text))));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A test per profile of the file; a file that cannot be read is one failing test.
fn trials_of(root: &Path, path: &Path) -> Vec<Trial> {
    let scenarios = root.join("scenarios");
    match scenario::load(&scenarios, path) {
        Ok(scenario) => {
            let cases = scenario::cases(&Arc::new(scenario));
            let variants = cases.chunk_by(|one, next| one.profile == next.profile);
            variants
                .map(|variants| {
                    let (root, variants) = (root.to_path_buf(), variants.to_vec());
                    let name = format!("{}@{}", variants[0].scenario.id, variants[0].profile.name);
                    Trial::test(name, move || check(&root, &variants))
                })
                .collect()
        }
        Err(error) => {
            let name = path.strip_prefix(&scenarios).unwrap_or(path).with_extension("");
            let text = error.render(false);
            vec![Trial::test(format!("{}::read", name.display()), move || Err(Failed::from(text)))]
        }
    }
}

fn check(root: &Path, variants: &[Case]) -> Result<(), Failed> {
    let mut text = String::new();
    for report in suite::run_cases(variants, &Selection::default(), &|_, _, _| {}) {
        if report.verdict.is_bad() {
            text.push_str(&format!("{} {}: {}\n", report.verdict.name(), report.case, report.reason));
            for finding in &report.findings {
                text.push_str(&format!("  {} {}: {}\n", finding.suspects(), finding.host, finding.what));
            }
            text.push_str(&format!("  {}\n", report.replay));
        }
    }
    if text.is_empty() {
        variants.iter().try_for_each(|case| check_golden(root, case))
    } else {
        Err(Failed::from(text))
    }
}

fn check_golden(root: &Path, case: &Case) -> Result<(), Failed> {
    let seed = case.seeds().first().copied().unwrap_or(1);
    let Some(golden) = judge::golden(case, seed) else { return Ok(()) };
    // libtest-mimic does not capture what insta prints: one difference at a time.
    static PRINTING: Mutex<()> = Mutex::new(());
    let _alone = PRINTING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let (folder, name) = case.scenario.id.rsplit_once('/').unwrap_or(("", &case.scenario.id));
    let variant = if case.variant.is_empty() { String::new() } else { format!("[{}]", case.variant) };
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(root.join("golden").join(folder).join("traces"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description(suite::replay_line(case, seed));
    let file = format!("{name}@{}{variant}", case.profile.name);
    settings.bind(|| insta::assert_snapshot!(file, golden));
    Ok(())
}
