//! What cannot be judged of a client that does not show everything.
//!
//! It is written down nowhere: it is tried. The reference's clients show no more than this client does. A check that finds
//! something then needs what is not shown, and finds nothing of this client. Then their mutants are run: what a requirement asks for
//! is judged still if some run covers it, and every mutant of it is caught all the same; otherwise it is skipped, and never called held.

use crate::foreign::{Foreign, Missed, Unseen};
use crate::judge::{Keep, Unheard, judge};
use crate::kill::{self, Selection};
use crate::registry::{PROTOCOLS, profiles};
use crate::scenario::Case;
use kit::{HostId, Level, Mutant, Requirement, Role};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Tries what is still judged in `cases` and the profiles `spoken` of a client without these parts. What a mutant without its
/// scenario would prove is not.
///
/// # Errors
/// A mutant that its scenario cannot prove anything about.
pub fn unseen(cases: &[Case], spoken: &[String], not_shown: &[String]) -> Result<Unseen, kill::Misplaced> {
    let mut unseen = Unseen::new();
    for (protocol, profile) in profiles(PROTOCOLS) {
        let hidden = protocol.hidden(not_shown);
        if hidden.is_nothing() || !spoken.iter().any(|name| name == profile.name) {
            continue;
        }
        let here = cases.iter().filter(|case| case.profile.name == profile.name);
        let here: Vec<Case> = here.map(|case| Case { hidden, ..case.clone() }).collect();
        let (unheard, covered) = with_the_reference(&here);
        let selection = Selection { unheard: Some(unheard.clone()), ..Selection::default() };
        let matrix = kill::matrix(&[protocol], &here, &selection, &|_, _, _| {})?;
        let alive = matrix.rows.iter().filter(|row| !row.killed()).map(|row| row.mutant);
        let absent = |mutant: &&Mutant| cases.iter().all(|case| case.scenario.id != mutant.scenario);
        let of_clients = protocol.mutants().filter(|mutant| mutant.replacement.role == Role::Client);
        let unproved = alive.chain(of_clients.filter(absent)).map(|mutant| mutant.caught_by.id);
        let applies = |row: &&&Requirement| row.role.binds(Role::Client) && row.applies_to(profile.name);
        let demands = |row: &&&Requirement| row.level != Level::May && row.untestable.is_none();
        let rows = protocol.requirements.iter().filter(applies).filter(demands);
        let uncovered = rows.map(|row| row.id).filter(|id| !covered.contains(id));
        unseen.insert(profile.name, Missed { skipped: unproved.chain(uncovered).collect(), unheard });
    }
    Ok(unseen)
}

/// The checks that find the reference at fault only because its clients do not report everything, and what its runs cover.
fn with_the_reference(cases: &[Case]) -> (Unheard, BTreeSet<&'static str>) {
    let run = |case: &Case| {
        let (mut unheard, mut covered) = (Unheard::new(), BTreeSet::new());
        for &seed in case.seeds().iter().take(kill::MOST_SEEDS) {
            let judgement = judge(case, seed, None, Keep::Verdict);
            covered.extend(judgement.covered.iter().map(|requirement| requirement.id));
            let found = judgement.findings.iter().filter(|_| case.finding().is_none());
            unheard.extend(found.map(|finding| (finding.check.name, finding.host == HostId::SERVER)));
        }
        (unheard, covered)
    };
    let both = |one: (Unheard, BTreeSet<&'static str>), other: (Unheard, BTreeSet<&'static str>)| {
        (&one.0 | &other.0, &one.1 | &other.1)
    };
    cases.par_iter().map(run).reduce(Default::default, both)
}

/// The same for somebody's implementation, once.
///
/// # Errors
/// Those of [`unseen`].
pub fn find(shim: &Foreign, cases: &[Case]) -> Result<(), kill::Misplaced> {
    if shim.role == Role::Client && !shim.hello.not_shown.is_empty() && shim.unseen.get().is_none() {
        let found = unseen(cases, &shim.hello.profiles, &shim.hello.not_shown)?;
        let _ = shim.unseen.set(found);
    }
    Ok(())
}
