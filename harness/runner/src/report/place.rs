//! The file that a failure is shown at: of the scenario, or of whoever wrote what was run.

use super::model::CaseReport;
use crate::scenario::{self, BUILT_IN};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use judging::report::place::within;
pub use judging::report::place::{Place, Places};

/// Whose file it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The scenario's, unless the program carries it along: the reference was run, or something else that is built in.
    Scenario,
    /// One of those who wrote what was run.
    Own {
        /// Where it is, from the root of their repository, with `/`.
        path: String,
        /// What it holds; empty where that is no text.
        text: String,
    },
    /// Nobody's: nothing of theirs is known that is in their repository.
    Nowhere,
}

impl Shown {
    /// Of these files, the best first: the first text of the repository, else the workflow that GitHub runs, else any file of it. Each may
    /// as well be a word of a command line that is no file. The repository is where GitHub has put it, or here.
    pub fn own(files: impl IntoIterator<Item = PathBuf>) -> Shown {
        let root = env::var_os("GITHUB_WORKSPACE").filter(|root| !root.is_empty()).map(PathBuf::from);
        let workflow = env::var("GITHUB_WORKFLOW_REF").unwrap_or_default();
        Shown::within(&root.unwrap_or_else(|| PathBuf::from(".")), files, &workflow)
    }

    fn within(root: &Path, files: impl IntoIterator<Item = PathBuf>, workflow: &str) -> Shown {
        let own: Vec<Shown> = files.into_iter().filter_map(|file| look(root, &file)).collect();
        let is_text = |shown: &&Shown| matches!(shown, Shown::Own { text, .. } if !text.is_empty());
        // `OWNER/REPOSITORY/.github/workflows/ci.yml@refs/heads/main`
        let path = workflow.split('@').next().unwrap_or_default().splitn(3, '/').nth(2);
        let workflow = || path.and_then(|path| look(root, &root.join(path)));
        own.iter().find(is_text).cloned().or_else(workflow).or(own.first().cloned()).unwrap_or(Shown::Nowhere)
    }

    /// The first line of a file of theirs.
    pub fn top(&self) -> Option<Place> {
        let Shown::Own { path, .. } = self else { return None };
        Some(Place { path: path.clone(), line: 1 })
    }

    /// Where a failure of a case is shown: at the line that names the requirement or, of a file of theirs, the scenario; at the first
    /// line where none does.
    pub fn at(&self, case: &CaseReport, requirement: Option<&str>) -> Option<Place> {
        match self {
            Shown::Scenario if Path::new(&case.path).starts_with(BUILT_IN) => None,
            Shown::Scenario => {
                let text = scenario::read(Path::new(&case.path)).unwrap_or_default();
                Some(within(&case.path, &text, requirement))
            }
            Shown::Own { path, text } => {
                let place = within(path, text, requirement);
                Some(if place.line > 1 { place } else { within(path, text, case.scenario.rsplit('/').next()) })
            }
            Shown::Nowhere => None,
        }
    }
}

/// A file of the repository.
fn look(root: &Path, file: &Path) -> Option<Shown> {
    let (root, file) = (root.canonicalize().ok()?, file.canonicalize().ok()?);
    let path = file.strip_prefix(&root).ok().filter(|_| file.is_file())?.to_str()?.replace('\\', "/");
    let text = fs::read_to_string(&file).ok().filter(|text| !text.contains('\0')).unwrap_or_default();
    Some(Shown::Own { path, text })
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    /// A repository with a shim in two languages, what is known of it, and a workflow; gone when the test ends.
    struct Repository(PathBuf);

    impl Repository {
        fn new(name: &str) -> Repository {
            let root = env::temp_dir().join(format!("deltaproof-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&root);
            fs::create_dir_all(root.join(".github/workflows")).expect("makes the folder");
            let write = |name: &str, bytes: &[u8]| fs::write(root.join(name), bytes).expect("writes");
            write("shim.py", b"import socket\n\n\ndef reset_lost(): # FTE-RST-02\n    pass\n");
            write("shim.bin", b"\x7fELF\0");
            write("known.yaml", b"# What we know\n- cases: fte/reset-lost@fte-nq\n  reason: FTE-RST-01 is to come\n");
            write(".github/workflows/ci.yml", b"name: ci\n");
            Repository(root)
        }

        fn shown(&self, files: &[&str], workflow: &str) -> Shown {
            Shown::within(&self.0, files.iter().map(|file| self.0.join(file)), workflow)
        }

        #[track_caller]
        fn check(&self, files: &[&str], workflow: &str, requirement: Option<&str>, expected: Option<(&str, usize)>) {
            let place = self.shown(files, workflow).at(&sample::report().cases[1], requirement);
            assert_eq!(place.as_ref().map(|place| (place.path.as_str(), place.line)), expected);
        }
    }

    impl Drop for Repository {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    const WORKFLOW: &str = "me/mine/.github/workflows/ci.yml@refs/heads/a@b";

    #[test]
    fn a_failure_is_shown_at_what_is_known_of_the_implementation_else_at_its_text_else_at_the_workflow() {
        let mine = Repository::new("shown");
        mine.check(&["known.yaml", "python3", "shim.py"], WORKFLOW, Some("FTE-RST-01"), Some(("known.yaml", 3)));
        mine.check(&["known.yaml"], WORKFLOW, Some("FTE-RST-07"), Some(("known.yaml", 2)));
        mine.check(&["python3", "shim.py"], WORKFLOW, Some("FTE-RST-02"), Some(("shim.py", 1)));
        mine.check(&["shim.bin"], WORKFLOW, Some("FTE-RST-02"), Some((".github/workflows/ci.yml", 1)));
        mine.check(&["shim.bin"], "", Some("FTE-RST-02"), Some(("shim.bin", 1)));
        mine.check(&["shim.bin"], "me/mine/.github/workflows/gone.yml@x", None, Some(("shim.bin", 1)));
    }

    #[test]
    fn nothing_outside_of_the_repository_is_shown() {
        let (mine, other) = (Repository::new("mine"), Repository::new("other"));
        let theirs = other.0.join("shim.py");
        let theirs = theirs.to_str().expect("is text");
        mine.check(&[theirs, ".", "no-such-file"], "", Some("FTE-RST-02"), None);
        mine.check(&[theirs, "shim.bin"], "", None, Some(("shim.bin", 1)));
    }

    #[test]
    fn the_reference_is_shown_at_the_scenario_unless_that_is_no_file() {
        let mut case = sample::report().cases[1].clone();
        case.path = String::from("no/such/file.yaml");
        assert_eq!(Shown::Scenario.at(&case, None), Some(Place { path: case.path.clone(), line: 1 }));
        case.path = format!("{BUILT_IN}/fte/reset-lost.yaml");
        assert_eq!(Shown::Scenario.at(&case, None), None);
    }
}
