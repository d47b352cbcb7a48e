//! A report as a folder of files that is there as a whole or not at all.

use super::model::RunReport;
use super::place::Places;
use super::{github, json, junit, page, sarif};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What a report's folder has. Where there is anything else in it, somebody keeps his own things there.
const OURS: [&str; 6] = ["badge.json", "failures", "index.html", "junit.xml", "result.json", "result.sarif"];

const README: &str = include_str!("../../../../reports/README.md");

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}: {error}", path = path.display())]
pub struct FolderError {
    /// The file or folder.
    pub path: PathBuf,
    /// What went wrong.
    pub error: io::Error,
}

/// Writes `report` to `reports/latest` (and a `README.md` beside it where there is none) and returns that folder. Its SARIF shows
/// failures at `places`.
///
/// The files are written to a folder of another name first, which then takes the place of the old one.
///
/// # Errors
/// The first file or folder that could not be written, or that something else than a report is in the place of the old
/// one; everything is then still there.
pub fn write(reports: &Path, report: &RunReport, places: Places<'_>) -> Result<PathBuf, FolderError> {
    let latest = reports.join("latest");
    at(&latest, is_ours(&latest))?;
    // Two runs at the same time must not write to the same folder.
    let fresh = reports.join(format!(".latest-{}.tmp", std::process::id()));
    let old = reports.join(format!(".replaced-{}.tmp", std::process::id()));
    let result = fill(reports, &fresh, report, places).and_then(|()| replace(&latest, &fresh, &old));
    // What is left of an attempt is of no use to anybody; nor is an error about it.
    let _ = fs::remove_dir_all(&fresh);
    let _ = fs::remove_dir_all(&old);
    result.map(|()| latest)
}

/// Writes a certificate, its badge and the report behind it to `folder`, beside whatever is there.
///
/// # Errors
/// The first file or folder that could not be written.
pub fn write_certificate(
    folder: &Path,
    report: &RunReport,
    places: Places<'_>,
    certificate: &str,
    badge: &str,
) -> Result<(), FolderError> {
    at(folder, fs::create_dir_all(folder))?;
    files(folder, report, places)?;
    write_file(&folder.join("badge.svg"), badge)?;
    write_file(&folder.join("certificate.json"), certificate)
}

/// Writes a file that is there as a whole or not at all.
///
/// # Errors
/// It cannot be written.
pub fn write_file(path: &Path, text: &str) -> Result<(), FolderError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let fresh = path.with_file_name(format!(".{name}-{}.tmp", std::process::id()));
    at(path, fs::write(&fresh, text).and_then(|()| fs::rename(&fresh, path)))
}

/// Fills a folder that takes the place of `target` when it is whole. Who calls it knows that what is there may go.
///
/// # Errors
/// What could not be written; what was there before is still there.
pub fn write_whole(target: &Path, fill: &mut dyn FnMut(&Path) -> io::Result<()>) -> Result<(), FolderError> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let beside = |what: &str| target.with_file_name(format!(".{name}-{}-{what}.tmp", std::process::id()));
    let (fresh, old) = (beside("fresh"), beside("replaced"));
    let filled = fs::create_dir_all(&fresh).and_then(|()| fill(&fresh));
    let result = at(target, filled).and_then(|()| replace(target, &fresh, &old));
    let _ = fs::remove_dir_all(&fresh);
    let _ = fs::remove_dir_all(&old);
    result
}

fn fill(reports: &Path, fresh: &Path, report: &RunReport, places: Places<'_>) -> Result<(), FolderError> {
    at(fresh, fs::create_dir_all(fresh))?;
    let readme = reports.join("README.md");
    if !readme.exists() {
        at(&readme, fs::write(&readme, README))?;
    }
    files(fresh, report, places)
}

fn files(folder: &Path, report: &RunReport, places: Places<'_>) -> Result<(), FolderError> {
    let files = [
        ("result.json", json::document(report).map_err(io::Error::other)),
        ("junit.xml", junit::document(report).map_err(io::Error::other)),
        ("result.sarif", sarif::document(report, places).map_err(io::Error::other)),
        ("badge.json", Ok(github::badge(report))),
        ("index.html", Ok(page::document(report))),
    ];
    for (name, text) in files {
        let path = folder.join(name);
        at(&path, text.and_then(|text| fs::write(&path, text)))?;
    }
    Ok(())
}

/// Whether the folder may be replaced: it is not there, or holds nothing but a report.
fn is_ours(latest: &Path) -> io::Result<()> {
    let refuse = |what: &str| {
        let advice = "move it away, or name another folder with --reports";
        Err(io::Error::new(io::ErrorKind::AlreadyExists, format!("{what}; {advice}")))
    };
    match fs::symlink_metadata(latest) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
        Ok(found) if !found.is_dir() => return refuse("it is there, and is no folder"),
        Ok(_) => {}
    }
    for entry in fs::read_dir(latest)? {
        let name = entry?.file_name();
        if !OURS.iter().any(|ours| name == *ours) {
            return refuse(&format!("it holds {}, which is of no report", name.to_string_lossy()));
        }
    }
    Ok(())
}

fn replace(latest: &Path, fresh: &Path, old: &Path) -> Result<(), FolderError> {
    match fs::rename(latest, old) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return at(latest, Err(error)),
        _ => {}
    }
    at(latest, fs::rename(fresh, latest)).inspect_err(|_| {
        let _ = fs::rename(old, latest);
    })
}

fn at<T>(path: &Path, result: io::Result<T>) -> Result<T, FolderError> {
    result.map_err(|error| FolderError { path: path.to_path_buf(), error })
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    /// A folder of the test's own, gone when the test ends.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let path = std::env::temp_dir().join(format!("deltaproof-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            Scratch(path)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .expect("is a folder")
            .map(|entry| entry.expect("is readable").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_report_replaces_the_one_before_and_leaves_nothing_behind() {
        let scratch = Scratch::new("replace");
        let mut report = sample::report();
        write(&scratch.0, &report, &|_, _| None).expect("writes");
        fs::write(scratch.0.join("latest/junit.xml"), "old").expect("writes");
        report.headline = "another".into();
        let latest = write(&scratch.0, &report, &|_, _| None).expect("writes");
        assert_eq!(names(&scratch.0), ["README.md", "latest"]);
        assert_eq!(names(&latest), ["badge.json", "index.html", "junit.xml", "result.json", "result.sarif"]);
        let text = fs::read_to_string(latest.join("result.json")).expect("is text");
        assert!(text.contains("\"headline\": \"another\""));
        let text = fs::read_to_string(latest.join("junit.xml")).expect("is text");
        assert_ne!(text, "old");
    }

    #[test]
    fn what_is_of_no_report_is_never_replaced() {
        let scratch = Scratch::new("kept");
        let latest = write(&scratch.0, &sample::report(), &|_, _| None).expect("writes");
        fs::write(latest.join("thesis.txt"), "years").expect("writes");
        let error = write(&scratch.0, &sample::report(), &|_, _| None).expect_err("there is a thesis").to_string();
        let expected =
            "it holds thesis.txt, which is of no report; move it away, or name another folder with --reports";
        assert!(error.ends_with(expected), "{error}");
        assert_eq!(fs::read_to_string(latest.join("thesis.txt")).expect("is there"), "years");
        fs::remove_dir_all(&latest).expect("removes");
        fs::write(&latest, "a file").expect("writes");
        let error = write(&scratch.0, &sample::report(), &|_, _| None).expect_err("a file is in the way").to_string();
        assert!(error.contains("it is there, and is no folder"), "{error}");
        assert_eq!(names(&scratch.0), ["README.md", "latest"]);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let scratch = Scratch::new("blocked");
        fs::create_dir_all(&scratch.0).expect("makes the folder");
        let file = scratch.0.join("file");
        fs::write(&file, "").expect("writes");
        let error = write(&file, &sample::report(), &|_, _| None).expect_err("a file is no folder").to_string();
        assert!(error.starts_with(&format!("cannot write {}", file.display())), "{error}");
    }
}
