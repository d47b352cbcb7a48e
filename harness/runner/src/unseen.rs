//! What cannot be judged of a client that does not show everything.
//!
//! Which requirements that are is not written down anywhere: it is tried. The reference's clients show no more than this client
//! does, and their mutants are run. What a requirement asks for is judged still if every mutant of it is caught all the same;
//! otherwise it is skipped, and never called held.

use crate::foreign::{Foreign, Unseen};
use crate::kill::{self, Selection};
use crate::registry::{PROTOCOLS, profiles};
use crate::scenario::Case;
use kit::{Mutant, Role};

/// Tries what is still judged in `cases` and the profiles `spoken` of a client without these parts. What a mutant without its scenario
/// would prove is not.
///
/// # Errors
/// A mutant that its scenario cannot prove anything about.
pub fn unseen(cases: &[Case], spoken: &[String], not_shown: &[String]) -> Result<Unseen, kill::Misplaced> {
    let mut unseen = Unseen::new();
    for (protocol, profile) in profiles(PROTOCOLS) {
        if not_shown.is_empty() || !spoken.iter().any(|name| name == profile.name) {
            continue;
        }
        let selection = Selection {
            profile: Some(String::from(profile.name)),
            not_shown: not_shown.to_vec(),
            ..Selection::default()
        };
        let matrix = kill::matrix(&[protocol], cases, &selection, &|_, _, _| {})?;
        let alive = matrix.rows.iter().filter(|row| !row.killed()).map(|row| row.mutant);
        let absent = |mutant: &&Mutant| cases.iter().all(|case| case.scenario.id != mutant.scenario);
        let of_clients = protocol.mutants().filter(|mutant| mutant.replacement.role == Role::Client);
        let without = alive.chain(of_clients.filter(absent));
        unseen.entry(profile.name).or_default().extend(without.map(|mutant| mutant.caught_by.id));
    }
    Ok(unseen)
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
