//! The static site: every link leads somewhere, and addresses stay what they are.

use super::{deltaproof, empty_folder, text};
use deltaproof::registry::PROTOCOLS;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Every requirement's id, as it was published: an address on the site, and in others' notes.
const PUBLISHED: &str = include_str!("../../../../golden/requirement_ids.txt");

#[test]
fn ids_of_requirements_are_never_renamed_or_taken_back() {
    let published: BTreeSet<&str> = PUBLISHED.lines().collect();
    let ids: BTreeSet<&str> = PROTOCOLS.iter().flat_map(|protocol| protocol.requirements).map(|row| row.id).collect();
    let gone: Vec<_> = published.difference(&ids).collect();
    let new: Vec<_> = ids.difference(&published).collect();
    assert!(gone.is_empty(), "published, and gone: {gone:?}");
    assert!(new.is_empty(), "not in golden/requirement_ids.txt yet, which is sorted: {new:?}");
}

/// The files that a page links to, relative to its folder.
fn links(page: &str) -> impl Iterator<Item = &str> {
    page.split("href=\"").skip(1).filter_map(|rest| rest.split(['"', '#']).next()).filter(|link| !link.is_empty())
}

fn pages(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the site is there").map(|entry| entry.expect("readable").path());
    entries.flat_map(|path| if path.is_dir() { pages(&path) } else { vec![path] }).collect()
}

#[test]
fn a_site_has_a_page_for_each_requirement_and_no_link_leads_nowhere() {
    let folder = empty_folder("site");
    let (result, play) = (folder.join("saved"), folder.join("play.html"));
    let saved = result.to_str().expect("the path is UTF-8");
    let ran =
        deltaproof(&["run", "fte/reset-lost-first", "--server", "reset-never-repaired", "--reports", saved]).output();
    assert_eq!(ran.expect("the program starts").status.code(), Some(1));
    std::fs::write(&play, "<!DOCTYPE html>").expect("the folder is writable");
    let site = folder.join("site");
    let result = format!("Broken={saved}/latest/result.json");
    let made = || {
        let mut command = deltaproof(&["site", "--result", &result, "--play"]);
        command.args([&play, &site]).output().expect("the program starts")
    };
    assert!(made().status.success());
    let mut count = 0;
    for path in pages(&site) {
        let page = std::fs::read_to_string(&path).expect("a page is text");
        let base = path.parent().expect("it is in a folder");
        for link in links(&page) {
            assert!(base.join(link).is_file(), "{}: {link}", path.display());
            count += 1;
        }
    }
    assert!(count > 5_000, "{count} links");
    let of = |name: &str| std::fs::read_to_string(site.join(name)).expect(name);
    assert!(of("engines.html").contains("breaks 1 of the "), "the verdict on the result is there");
    let page = of("requirements/FTE-RST-07.html");
    let link =
        "../play.html#fte/reset-lost-first@fte-nq[client_fte2=0x8]&amp;seed=1&amp;with=fte%2Freset-never-repaired";
    assert!(page.contains(link) && page.contains("violated"), "{page}");
    assert!(made().status.success(), "a site is replaced by a newer one");
    let other = deltaproof(&["site", saved]).output().expect("the program starts");
    assert!(other.status.code() == Some(2) && text(&other.stderr).contains("holds something else"));
}
