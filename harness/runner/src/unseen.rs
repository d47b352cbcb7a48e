//! What cannot be judged of a client that does not show everything, or of a codec alone.
//!
//! It is written down nowhere: it is tried. The reference's clients show no more than this client does. A check that finds
//! something then needs what is not shown, and finds nothing of this client. Then their mutants are run: what a requirement asks for
//! is judged still if some run covers it, and every mutant of it is caught all the same; otherwise it is skipped, and never called held.
//! Of a codec, mutants that only read are run before: a requirement of which none is caught is about what a client sends.

use crate::foreign::{Foreign, Missed, Unseen};
use crate::judge::{Disregarded, Keep, judge};
use crate::kill::{self, Selection};
use crate::place::Place;
use crate::registry::{PROTOCOLS, profiles};
use crate::scenario::{Case, Told};
use crate::worldless;
use kit::{Check, HostId, Knowledge, Level, Mutant, Profile, Protocol, Requirement, Role, Vantage};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Tries what is still judged in `cases` and the profiles `spoken` of a client without these parts, or of such a `codec`. What a
/// mutant without its scenario would prove is not.
///
/// # Errors
/// A mutant that its scenario cannot prove anything about.
pub fn unseen(cases: &[Case], spoken: &[String], not_shown: &[String], codec: bool) -> Result<Unseen, kill::Misplaced> {
    let mut unseen = Unseen::new();
    for (protocol, profile) in profiles(PROTOCOLS) {
        let hidden = protocol.hidden(not_shown);
        if hidden.is_nothing() && !codec || !spoken.iter().any(|name| name == profile.name) {
            continue;
        }
        let here = cases.iter().filter(|case| case.profile.name == profile.name);
        let here: Vec<Case> = here.map(|case| Case { codec, ..case.clone() }).collect();
        let mut missed = Missed::default();
        let mut talkers = BTreeSet::new();
        if codec {
            let caught;
            (caught, talkers) = mutants(protocol, &here, cases, &Disregarded::new())?;
            let rows = demands(protocol, profile).filter(|id| caught.iter().all(|mutant| mutant.1 != *id));
            missed.beyond = rows.collect();
        }
        if !hidden.is_nothing() {
            let here: Vec<Case> = here.into_iter().map(|case| Case { hidden, ..case }).collect();
            let (disregarded, covered) = with_the_reference(&here);
            let (_, alive) = mutants(protocol, &here, cases, &disregarded)?;
            let unproved = alive.difference(&talkers).map(|mutant| mutant.1);
            let skipped = unproved.chain(demands(protocol, profile).filter(|id| !covered.contains(id)));
            missed.skipped = skipped.filter(|id| !missed.beyond.contains(id)).collect();
            missed.disregarded = disregarded;
        }
        unseen.insert(profile.name, Arc::new(missed));
    }
    Ok(unseen)
}

/// Requirements that clients of a profile have to meet, by id.
fn demands(protocol: &'static Protocol, profile: &'static Profile) -> impl Iterator<Item = &'static str> {
    demands_of(Role::Client, protocol, profile).map(|row| row.id)
}

/// Requirements that an end of a profile has to meet.
fn demands_of(
    role: Role,
    protocol: &'static Protocol,
    profile: &'static Profile,
) -> impl Iterator<Item = &'static &'static Requirement> {
    let applies = move |row: &&&Requirement| row.role.binds(role) && row.applies_to(profile.name);
    let demands = |row: &&&Requirement| row.level != Level::May && row.untestable.is_none();
    protocol.requirements.iter().filter(applies).filter(demands)
}

/// Mutants by name, each with its requirement.
type Mutants = BTreeSet<(&'static str, &'static str)>;

/// The mutants of clients that are caught in `cases` though these checks find nothing, and those that are not, or whose scenario
/// is missing among `all` cases.
fn mutants(
    protocol: &'static Protocol,
    cases: &[Case],
    all: &[Case],
    disregarded: &Disregarded,
) -> Result<(Mutants, Mutants), kill::Misplaced> {
    let named = |mutant: &'static Mutant| (mutant.name, mutant.caught_by.id);
    let selection = Selection { disregarded: Some(disregarded.clone()), ..Selection::default() };
    let matrix = kill::matrix(&[protocol], cases, &selection, &|_, _, _| {})?;
    let (caught, alive): (Vec<_>, Vec<_>) = matrix.rows.iter().partition(|row| row.killed());
    let absent = |mutant: &&Mutant| all.iter().all(|case| case.scenario.id != mutant.scenario);
    let of_clients = protocol.mutants().filter(|mutant| mutant.replacement.role == Role::Client);
    let alive = alive.iter().map(|row| named(row.mutant)).chain(of_clients.filter(absent).map(named));
    Ok((caught.iter().map(|row| named(row.mutant)).collect(), alive.collect()))
}

/// The checks that find the reference at fault only because its clients do not report everything, and what its runs cover.
fn with_the_reference(cases: &[Case]) -> (Disregarded, BTreeSet<&'static str>) {
    let run = |case: &Case| {
        let (mut disregarded, mut covered) = (Disregarded::new(), BTreeSet::new());
        for &seed in case.seeds().iter().take(kill::MOST_SEEDS) {
            let judgement = judge(case, seed, None, Keep::Verdict);
            covered.extend(judgement.covered.iter().map(|requirement| requirement.id));
            let found = judgement.findings.iter().filter(|_| case.finding().is_none());
            disregarded.extend(found.map(|finding| (finding.check.name, finding.host == HostId::SERVER)));
        }
        (disregarded, covered)
    };
    let both = |one: (Disregarded, BTreeSet<&'static str>), other: (Disregarded, BTreeSet<&'static str>)| {
        (&one.0 | &other.0, &one.1 | &other.1)
    };
    cases.par_iter().with_max_len(1).map(run).reduce(Default::default, both)
}

/// What cannot be judged in `cases` and these profiles of a server that goes its own way: requirements of which no mutant is found by
/// its datagrams alone, whatever the world is, or by them and the world where it can be `told`; and those that runs of the reference
/// without a world, or without the scenarios' options, do not cover.
///
/// # Errors
/// A mutant that its scenario cannot prove anything about.
pub fn without_world(cases: &[Case], spoken: &[&str], told: Option<&Told>) -> Result<Unseen, kill::Misplaced> {
    let mut unseen = Unseen::new();
    for (protocol, profile) in profiles(PROTOCOLS).filter(|(_, profile)| spoken.contains(&profile.name)) {
        let here = cases.iter().filter(|case| case.profile.name == profile.name);
        let here = here.filter(|case| case.finding().is_none());
        let here: Vec<Case> = here.map(|case| Case { told: told.cloned(), ..case.clone() }).collect();
        let here: Vec<&Case> = here.iter().collect();
        let knowledge = if told.is_some() { Knowledge::World } else { Knowledge::Wire };
        let (tried, caught) = found_from_outside(protocol, &here, knowledge);
        let judged = |row: &&&Requirement| {
            let knows = |check: &Check| knowledge.meets(Vantage::OF_WORLDLESS, check.knows);
            let has_check = || protocol.checks_of(row).any(knows);
            if tried.contains(row.id) { caught.contains(row.id) } else { has_check() }
        };
        let binding: Vec<&&Requirement> = demands_of(Role::Server, protocol, profile).collect();
        let (judged, skipped): (Vec<&&Requirement>, Vec<&&Requirement>) = binding.into_iter().partition(judged);
        let covered = covered_without_world(&here);
        let missed = Missed {
            skipped: skipped.iter().map(|row| row.id).collect(),
            of_the_world: judged.iter().map(|row| row.id).filter(|id| !covered.contains(id)).collect(),
            ..Missed::default()
        };
        unseen.insert(profile.name, Arc::new(missed));
    }
    Ok(unseen)
}

/// The requirements of which mutants of the server were tried in their scenarios, and those of which some mutant is found by datagrams
/// and this `knowledge` alone.
fn found_from_outside(
    protocol: &'static Protocol,
    cases: &[&Case],
    knowledge: Knowledge,
) -> (BTreeSet<&'static str>, BTreeSet<&'static str>) {
    let mutants = protocol.mutants().filter(|mutant| mutant.replacement.role == Role::Server);
    let runs: Vec<(&Mutant, &Case)> = mutants
        .filter_map(|mutant| Some((mutant, *cases.iter().find(|case| case.scenario.id == mutant.scenario)?)))
        // What a server is made to do is found, whatever the mutant does.
        .filter(|(_, case)| !case.misbehaves(true))
        .collect();
    let found = |(mutant, case): &(&'static Mutant, &Case)| {
        let case = Case { knowledge, vantage: Vantage::OF_WORLDLESS, ..(*case).clone() };
        let is_found = |seed: &u64| {
            let findings = judge(&case, *seed, Some(mutant.replacement), Keep::Verdict).findings;
            let mut against = findings.iter().filter(|finding| finding.host == HostId::SERVER);
            against.any(|finding| finding.suspects.contains(mutant.caught_by))
        };
        case.seeds().iter().take(kill::MOST_SEEDS).any(is_found).then_some(mutant.caught_by.id)
    };
    let tried = runs.iter().map(|(mutant, _)| mutant.caught_by.id).collect();
    (tried, runs.par_iter().with_max_len(1).filter_map(found).collect())
}

/// The requirements that are covered with a server of the reference that nobody tells what the world is.
fn covered_without_world(cases: &[&Case]) -> BTreeSet<&'static str> {
    let covered = |case: &&Case| -> BTreeSet<&'static str> {
        let seed = case.seeds().first().copied().unwrap_or_default();
        worldless::of_the_reference(case, seed).covered.iter().map(|row| row.id).collect()
    };
    cases.par_iter().with_max_len(1).map(covered).reduce(BTreeSet::new, |one, other| &one | &other)
}

/// The same for somebody's implementation in those of its `profiles` of which it is not known yet.
///
/// # Errors
/// Those of [`unseen`].
pub fn find(shim: &Foreign, cases: &[Case], profiles: &BTreeSet<&str>) -> Result<(), kill::Misplaced> {
    if !shim.takes_world() {
        let asked = shim.hello.profiles.iter().filter(|name| profiles.contains(name.as_str()));
        let asked: Vec<&str> = asked.map(String::as_str).filter(|name| shim.missed(name).is_none()).collect();
        shim.miss(without_world(cases, &asked, shim.told().as_ref())?);
    }
    if shim.is_partial() {
        let mut asked = shim.hello.profiles.clone();
        asked.retain(|name| profiles.contains(name.as_str()) && shim.missed(name).is_none());
        shim.miss(unseen(cases, &asked, &shim.hello.not_shown, shim.place == Place::Codec)?);
    }
    Ok(())
}
