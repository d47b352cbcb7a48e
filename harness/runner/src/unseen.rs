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
use crate::scenario::Case;
use kit::{HostId, Level, Mutant, Profile, Protocol, Requirement, Role};
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
    let applies = |row: &&&Requirement| row.role.binds(Role::Client) && row.applies_to(profile.name);
    let demands = |row: &&&Requirement| row.level != Level::May && row.untestable.is_none();
    protocol.requirements.iter().filter(applies).filter(demands).map(|row| row.id)
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

/// The same for somebody's implementation in those of its `profiles` of which it is not known yet.
///
/// # Errors
/// Those of [`unseen`].
pub fn find(shim: &Foreign, cases: &[Case], profiles: &BTreeSet<&str>) -> Result<(), kill::Misplaced> {
    if shim.is_partial() {
        let mut asked = shim.hello.profiles.clone();
        asked.retain(|name| profiles.contains(name.as_str()) && shim.missed(name).is_none());
        shim.miss(unseen(cases, &asked, &shim.hello.not_shown, shim.place == Place::Codec)?);
    }
    Ok(())
}
