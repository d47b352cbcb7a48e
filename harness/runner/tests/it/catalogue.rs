//! The catalogue, as reviewed: what covers each requirement is a difference when it changes.

use deltaproof::registry::PROTOCOLS;
use deltaproof::suite::{self, Selection};
use kit::{Protocol, Requirement, Variant};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Lines of the catalogue are at most so long.
const WIDTH: usize = 110;

/// What all runs have shown.
#[derive(Default)]
struct Exercised {
    /// For every requirement covered, the profiles.
    profiles: BTreeMap<String, BTreeSet<String>>,
    /// For every requirement covered, the scenarios.
    scenarios: BTreeMap<String, BTreeSet<String>>,
    /// Every scenario, and its profiles.
    all: BTreeMap<String, BTreeSet<String>>,
    /// The line that a run of everything ends with.
    headline: String,
}

impl Exercised {
    fn profiles_of(&self, id: &str) -> impl Iterator<Item = &str> {
        self.profiles.get(id).into_iter().flatten().map(String::as_str)
    }
}

/// What every case shows with its own seeds; all of them run once, for all tests here.
fn exercised() -> &'static Exercised {
    static SHOWN: OnceLock<Exercised> = OnceLock::new();
    SHOWN.get_or_init(|| {
        let report = suite::run(&scenarios(), &Selection::default(), &|_, _, _| {}).expect("scenarios");
        let mut shown = Exercised { headline: report.headline, ..Exercised::default() };
        for case in report.cases {
            shown.all.entry(case.scenario.clone()).or_default().insert(case.profile.clone());
            for id in case.requirements {
                shown.profiles.entry(id.clone()).or_default().insert(case.profile.clone());
                shown.scenarios.entry(id).or_default().insert(case.scenario.clone());
            }
        }
        shown
    })
}

fn scenarios() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scenarios")
}

/// The requirements of a protocol, with it.
fn requirements_of(protocol: &'static Protocol) -> impl Iterator<Item = (&'static Protocol, &'static Requirement)> {
    protocol.requirements.iter().map(move |requirement| (protocol, *requirement))
}

/// Every requirement, with its protocol.
fn requirements() -> impl Iterator<Item = (&'static Protocol, &'static Requirement)> {
    PROTOCOLS.iter().flat_map(|protocol| requirements_of(protocol))
}

/// The profiles that a requirement binds.
fn profiles(protocol: &'static Protocol, requirement: &'static Requirement) -> impl Iterator<Item = &'static str> {
    protocol.profiles.iter().map(|profile| profile.name).filter(|profile| requirement.applies_to(profile))
}

/// Words behind a label, on as many lines as they need.
fn words<'a>(text: &mut String, label: &str, words: impl Iterator<Item = &'a str>) {
    let mut line = format!("  {label:11}");
    for word in words {
        if line.len() + 1 + word.len() > WIDTH {
            text.push_str(&line);
            text.push('\n');
            line = " ".repeat(13);
        }
        line.push(' ');
        line.push_str(word);
    }
    text.push_str(&line);
    text.push('\n');
}

/// The scenarios that cover a requirement; where those are most of the scenarios that could, the others.
fn tested_by(text: &mut String, protocol: &Protocol, requirement: &Requirement) {
    let shown = exercised();
    let by = shown.scenarios.get(requirement.id);
    let could = shown.all.iter().filter(|(_, profiles)| profiles.iter().any(|name| requirement.applies_to(name)));
    let (ids, others): (Vec<&str>, Vec<&str>) = could
        .map(|(id, _)| id.as_str())
        .filter(|id| id.starts_with(protocol.name))
        .partition(|id| by.is_some_and(|by| by.contains(*id)));
    let short = |id: &'static str| id.rsplit_once('/').map_or(id, |(_, name)| name);
    let (ids, others) = (ids.into_iter().map(short), others.into_iter().map(short));
    match (ids.len(), others.len()) {
        (0, _) => words(text, "tested by", ["nothing"].into_iter()),
        (_, 0) => words(text, "tested by", ["all"].into_iter()),
        (ids, left) if left < ids => words(text, "tested by", ["all", "but"].into_iter().chain(others)),
        _ => words(text, "tested by", ids),
    }
}

/// The conforming variants that take a liberty of the catalogue; they pass every scenario.
fn takers(protocol: &Protocol, requirement: &Requirement) -> impl Iterator<Item = &'static str> {
    let taken = |variant: &&'static Variant| variant.takes.is_some_and(|liberty| liberty.id == requirement.id);
    protocol.variants().filter(taken).map(|variant| variant.name)
}

/// What the reviewed catalogue of a protocol has.
fn catalogue(protocol: &'static Protocol) -> String {
    let mut text = String::new();
    for (protocol, requirement) in requirements_of(protocol) {
        let bound: Vec<&str> = profiles(protocol, requirement).collect();
        let (id, level, role) = (requirement.id, requirement.level, requirement.role);
        writeln!(text, "{id} {level}, {role}, {}", bound.join(" ")).expect("writes to memory");
        if let Some(profile) = requirement.decided {
            words(&mut text, "decided by", [profile].into_iter());
        }
        if let Some(why) = requirement.untestable {
            words(&mut text, "untestable", why.split(' '));
        } else {
            tested_by(&mut text, protocol, requirement);
        }
        let checks: Vec<&str> = protocol.checks_of(requirement).map(|check| check.name).collect();
        words(&mut text, "checks", if checks.is_empty() { vec!["none"] } else { checks }.into_iter());
        let mutants: Vec<&str> =
            protocol.mutants().filter(|mutant| mutant.caught_by.id == id).map(|mutant| mutant.name).collect();
        if !mutants.is_empty() {
            words(&mut text, "mutants", mutants.into_iter());
        }
        let takers: Vec<&str> = takers(protocol, requirement).collect();
        if !takers.is_empty() {
            words(&mut text, "variants", takers.into_iter());
        }
    }
    text
}

#[test]
fn the_catalogue_of_every_protocol_is_the_reviewed_one() {
    for protocol in PROTOCOLS {
        let mut settings = insta::Settings::new();
        settings.set_snapshot_path(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden").join(protocol.name));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_description("Every requirement, and what covers it: `all but` names the scenarios that do not.");
        settings.bind(|| insta::assert_snapshot!("catalogue", catalogue(protocol)));
    }
}

#[test]
fn every_requirement_is_put_to_the_test_in_every_profile_or_says_why_not() {
    let mut orphans = Vec::new();
    for (protocol, requirement) in requirements().filter(|(_, requirement)| requirement.untestable.is_none()) {
        let tested: BTreeSet<&str> = exercised().profiles_of(requirement.id).collect();
        let missing: Vec<&str> = profiles(protocol, requirement).filter(|profile| !tested.contains(profile)).collect();
        if !missing.is_empty() && takers(protocol, requirement).next().is_none() {
            orphans.push(format!("{} {}", requirement.id, missing.join(" ")));
        }
    }
    assert!(orphans.is_empty(), "{}", orphans.join("\n"));
}

#[test]
fn the_readme_has_the_line_that_a_run_ends_with() {
    let readme = include_str!("../../../../README.md");
    let headline = &exercised().headline;
    assert!(readme.contains(&format!("`{headline}`")), "the line is now {headline}");
}

#[test]
fn no_run_puts_to_the_test_what_is_untestable() {
    let untestable = requirements().map(|(_, requirement)| requirement).filter(|row| row.untestable.is_some());
    let tested = untestable.filter(|row| exercised().profiles.contains_key(row.id)).map(|row| row.id);
    assert_eq!(tested.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn no_run_puts_to_the_test_what_does_not_bind_there() {
    let wrong = requirements().flat_map(|(_, requirement)| {
        let there = exercised().profiles_of(requirement.id);
        there.filter(|profile| !requirement.applies_to(profile)).map(|profile| format!("{} {profile}", requirement.id))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn profiles_of_requirements_exist() {
    for (protocol, requirement) in requirements() {
        for name in requirement.profiles.into_iter().flatten() {
            assert!(protocol.profiles.iter().any(|profile| profile.name == *name), "{} {name}", requirement.id);
        }
    }
}
