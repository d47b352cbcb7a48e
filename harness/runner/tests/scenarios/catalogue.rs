//! The catalogue, as reviewed: what covers each requirement is a difference when it changes.

use super::runs::Runs;
use super::snapshot;
use deltaproof::observe::sight::killed_blind;
use deltaproof::registry::PROTOCOLS;
use kit::{Protocol, Requirement, Variant};
use libtest_mimic::{Failed, Trial};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::sync::{Arc, OnceLock};

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
    fn by(runs: &Runs) -> Exercised {
        let report = runs.report();
        let mut shown = Exercised { headline: report.headline, ..Exercised::default() };
        for case in report.cases {
            shown.all.entry(case.scenario.clone()).or_default().insert(case.profile.clone());
            for id in case.requirements {
                shown.profiles.entry(id.clone()).or_default().insert(case.profile.clone());
                shown.scenarios.entry(id).or_default().insert(case.scenario.clone());
            }
        }
        shown
    }

    fn profiles_of(&self, id: &str) -> impl Iterator<Item = &str> {
        self.profiles.get(id).into_iter().flatten().map(String::as_str)
    }
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

/// Words after a label, on as many lines as they need.
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

/// The name of a scenario without its protocol.
fn short(id: &str) -> &str {
    id.rsplit_once('/').map_or(id, |(_, name)| name)
}

/// The scenarios that cover a requirement; where those are most of the scenarios that could, the others.
fn tested_by(text: &mut String, shown: &Exercised, protocol: &Protocol, requirement: &Requirement) {
    let by = shown.scenarios.get(requirement.id);
    let could = shown.all.iter().filter(|(_, profiles)| profiles.iter().any(|name| requirement.applies_to(name)));
    let (ids, others): (Vec<&str>, Vec<&str>) = could
        .map(|(id, _)| id.as_str())
        .filter(|id| id.starts_with(protocol.name))
        .partition(|id| by.is_some_and(|by| by.contains(*id)));
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
fn catalogue(shown: &Exercised, protocol: &'static Protocol) -> String {
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
            tested_by(&mut text, shown, protocol, requirement);
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

/// The tests of what all runs cover together.
pub fn trials(runs: &Arc<Runs>) -> Vec<Trial> {
    let shown = Arc::new(OnceLock::new());
    let trial = |name: &str, check: fn(&Exercised) -> String| {
        let (runs, shown) = (Arc::clone(runs), Arc::clone(&shown));
        let run = move || match check(shown.get_or_init(|| Exercised::by(&runs))) {
            wrong if wrong.is_empty() => Ok(()),
            wrong => Err(Failed::from(wrong)),
        };
        Trial::test(format!("catalogue::{name}"), run)
    };
    vec![
        trial("the_catalogue_of_every_protocol_is_the_reviewed_one", not_reviewed),
        trial("every_requirement_is_put_to_the_test_in_every_profile_or_says_why_not", untested),
        trial("the_readme_has_the_last_line_of_a_run_and_the_number_of_mutants", not_in_readme),
        trial("no_run_puts_to_the_test_what_is_untestable", tested_though_untestable),
        trial("no_run_puts_to_the_test_what_does_not_bind_there", tested_where_not_bound),
        trial("profiles_of_requirements_exist", |_| unknown_profiles()),
    ]
}

fn not_reviewed(shown: &Exercised) -> String {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let description = "Every requirement, and what covers it: `all but` names the scenarios that do not.";
    let wrong = PROTOCOLS.iter().filter(|protocol| {
        let file = golden.join(protocol.name).join("catalogue.snap");
        !snapshot(&file, description, &catalogue(shown, protocol))
    });
    lines(wrong.map(|protocol| format!("golden/{}/catalogue.snap is not as reviewed", protocol.name)))
}

fn untested(shown: &Exercised) -> String {
    let testable = requirements().filter(|(_, requirement)| requirement.untestable.is_none());
    lines(testable.filter_map(|(protocol, requirement)| {
        let tested: BTreeSet<&str> = shown.profiles_of(requirement.id).collect();
        let missing: Vec<&str> = profiles(protocol, requirement).filter(|profile| !tested.contains(profile)).collect();
        let orphan = !missing.is_empty() && takers(protocol, requirement).next().is_none();
        orphan.then(|| format!("{} {}", requirement.id, missing.join(" ")))
    }))
}

fn not_in_readme(shown: &Exercised) -> String {
    let readme = include_str!("../../../../README.md");
    let profiles = PROTOCOLS.iter().flat_map(|protocol| protocol.profiles);
    let mutants: u32 = profiles.filter_map(|profile| killed_blind(profile.name)).map(|(_, all)| all).sum();
    let figures = [format!("`{}`", shown.headline), format!("{},{:03} mutants", mutants / 1_000, mutants % 1_000)];
    lines(figures.into_iter().filter(|figure| !readme.contains(figure)).map(|figure| format!("it is now {figure}")))
}

fn tested_though_untestable(shown: &Exercised) -> String {
    let untestable = requirements().map(|(_, requirement)| requirement).filter(|row| row.untestable.is_some());
    lines(untestable.filter(|row| shown.profiles.contains_key(row.id)).map(|row| String::from(row.id)))
}

fn tested_where_not_bound(shown: &Exercised) -> String {
    lines(requirements().flat_map(|(_, requirement)| {
        let there = shown.profiles_of(requirement.id);
        there.filter(|profile| !requirement.applies_to(profile)).map(|profile| format!("{} {profile}", requirement.id))
    }))
}

fn unknown_profiles() -> String {
    lines(requirements().flat_map(|(protocol, requirement)| {
        let known = |name: &&&str| protocol.profiles.iter().any(|profile| profile.name == **name);
        let named = requirement.profiles.into_iter().flatten();
        named.filter(move |name| !known(name)).map(|name| format!("{} {name}", requirement.id))
    }))
}

fn lines(of: impl Iterator<Item = String>) -> String {
    of.collect::<Vec<_>>().join("\n")
}
