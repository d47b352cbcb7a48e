//! From the rebinds among `faults` to ports that change.

use super::check::Checker;
use super::diagnostic::Diagnostic;
use super::fault;
use super::host::refuse_live;
use super::place::Place;
use super::short::Duration;
use kit::{KnownBy, Profile, Rebind};

/// Whose port changes, and when, in a run with any of `profiles`.
pub(super) fn resolve(checker: &Checker<'_>, profiles: &[&Profile]) -> Result<Vec<Rebind>, Diagnostic> {
    let mut rebinds = Vec::new();
    for (index, fault) in checker.file.faults.iter().enumerate() {
        let Some(item) = &fault.rebind else { continue };
        let at = Place::default().key("faults").index(index).key("rebind");
        refuse_live(checker, &at, "come from another port")?;
        if let Some(profile) = profiles.iter().find(|profile| profile.known_by == KnownBy::Port) {
            let message = format!(
                "servers of {} know a client by its address and port: to them this is an outage until the client connects again",
                profile.name
            );
            return Err(checker
                .fail(&at, "to a stranger", message)
                .help(String::from("write `outage`, or `restart` for a client that connects again")));
        }
        rebinds.push(rebind(checker, &at, item)?);
    }
    Ok(rebinds)
}

fn rebind(checker: &Checker<'_>, at: &Place<'_>, item: &fault::Rebind) -> Result<Rebind, Diagnostic> {
    let client = checker.client(&at.key("client"), item.client)?;
    let (moment, still) = (item.at.time(), checker.still());
    if moment >= still {
        let still = Duration::from(still);
        let why = match checker.file.settle.0 {
            0 => format!("after the end of the run, {still}"),
            _ => format!("and the run settles from {still}"),
        };
        return Err(checker.fail(&at.key("at"), "too late", format!("`at` is {}, {why}", item.at)));
    }
    Ok(Rebind { client, at: moment })
}
