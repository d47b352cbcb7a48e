//! Servers that nobody can tell what the world is, such as engines that run their own games.
//!
//! Such a server is judged by its datagrams alone. What its own world never makes happen is no fault of it. What that is stands nowhere:
//! the reference is tried, as a server of which nothing is known, either ([`of_the_reference`]): with an empty world, without
//! instructions, and with its options as they are by default; its clients ask it for nothing, such as files, since they would be part of the
//! world. What does not happen with it, either, needs the world. A server that can be told what the world is ([`Case::told`]) is compared
//! with the reference with its options by default alone.

use crate::judge::{Judgement, Keep, judge_with};
use crate::own_world::{Plain, Quiet};
use crate::scenario::Case;
use crate::witness::Missing;
use kit::{Endpoint, HostId, Role, Setup};

/// The reference's server for `setup`, with an empty world and its options by default. It takes no instructions and reports nothing.
fn empty(case: &Case, setup: &Setup) -> Box<dyn Endpoint> {
    Quiet::deaf((case.protocol.server)(&by_default(case, setup)))
}

/// With options and texts by default.
fn by_default(case: &Case, setup: &Setup) -> Setup {
    let own = Setup { options: Vec::new(), texts: Vec::new(), ..setup.clone() };
    let Setup { options, texts, .. } = Setup::new(case.protocol, case.profile);
    Setup { options, texts, ..own }
}

/// A run of a case with a server of the reference that nobody tells what the world is.
pub fn of_the_reference(case: &Case, seed: u64) -> Judgement {
    let case = Case { worldless: true, ..case.clone() };
    let end = |role, setup: &Setup| match (role, &case.told) {
        (Role::Server, None) => Some(empty(&case, setup)),
        (_, None) => Some(Plain::around((case.protocol.client)(setup))),
        (Role::Server, Some(_)) => Some(Quiet::around((case.protocol.server)(&by_default(&case, setup)))),
        (_, Some(_)) => None,
    };
    judge_with(&case, seed, &end, Keep::Verdict)
}

/// Whatever is missing in a run is excused if it is missing with the reference, too. What a client does because the scenario
/// makes it misbehave is not judged.
pub fn excuse(case: &Case, seed: u64, judgement: &mut Judgement) {
    if case.misbehaves(false) {
        judgement.keep_findings(|finding| finding.host == HostId::SERVER);
    }
    if judgement.missing.is_empty() || judgement.fault.is_some() || judgement.halted.is_some() {
        return;
    }
    let without = of_the_reference(case, seed).missing;
    let missing = std::mem::take(&mut judgement.missing);
    // That something does not happen, its author has promised of another world.
    let is_bounded =
        |text: &str| case.reach().iter().any(|reach| reach.at_most.is_some() && text.starts_with(reach.text.as_str()));
    let is_missing = |promise: &str| without.iter().any(|other| other.promise == promise);
    let is_excused = |missing: &Missing| is_bounded(&missing.promise) || is_missing(&missing.promise);
    (judgement.impossible, judgement.missing) = missing.into_iter().partition(is_excused);
}
