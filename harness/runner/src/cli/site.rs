//! `site`: a static site from what stands.

use super::arguments::SiteArguments;
use super::output::{DIM, Stop, complain};
use super::{catalogue, list, report};
use crate::report::engines;
use crate::report::folder;
use crate::report::site::Site;
use kit::{Protocol, Requirement};
use std::fs;
use std::io::Write;
use std::path::Path;

/// The file by which a folder is known to be a site of ours, which may be replaced.
const OURS: &str = "requirements";

/// Writes the site, in the place of one that is there.
pub(super) fn site(
    arguments: &SiteArguments,
    protocols: &[&'static Protocol],
    scenarios: Option<&Path>,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let target = &arguments.dir;
    let holds_other = fs::read_dir(target).is_ok_and(|mut all| all.next().is_some()) && !target.join(OURS).is_dir();
    if holds_other {
        return Err(Stop::Usage(format!("{} holds something else: name an empty folder", target.display())));
    }
    let given = report::results(&arguments.results)?;
    let results = if given.is_empty() { engines::saved() } else { &given };
    let play = arguments.play.as_ref().map(|path| (path, fs::read(path)));
    let play = match play {
        Some((path, Err(error))) => {
            return Err(Stop::Usage(format!(
                "{}: {error}; `web/build` makes it as web/dist/index.html",
                path.display()
            )));
        }
        Some((_, Ok(bytes))) => Some(bytes),
        None => None,
    };
    let cases = catalogue::cases(&catalogue::folder(scenarios)?)?;
    let covering = |protocol: &Protocol, requirement: &Requirement| -> Vec<String> {
        let names = list::covered_by(protocol, requirement, &cases, scenarios.is_some());
        names.into_iter().map(String::from).collect()
    };
    let case = |scenario: &str| cases.iter().find(|case| case.scenario == scenario).map(|case| case.name.clone());
    let files = Site { protocols, covering: &covering, case: &case, results, plays: play.is_some() }.files();
    folder::write_whole(target, &mut |folder| {
        for file in &files {
            let path = folder.join(&file.path);
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(path, &file.text)?;
        }
        play.as_ref().map_or(Ok(()), |bytes| fs::write(folder.join("play.html"), bytes))
    })
    .map_err(|error| Stop::Harness(error.to_string()))?;
    writeln!(out, "{} pages in {}", files.len() + usize::from(play.is_some()), target.display())?;
    complain(DIM, "site", target.join("index.html").display());
    Ok(0)
}
