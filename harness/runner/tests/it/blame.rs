//! Who cannot read what its peer writes wrongly is not blamed for what it does then: in no run of a mutant is there a finding against
//! the other end once that has refused a datagram, whether it goes on as the reference does, leaves as engines do, or falls silent.
//!
//! `BLAME_ONLY=NAME` looks at one mutant, `BLAME_PROFILE=NAME` at one profile, `BLAME_IN=TEXT` at all scenarios whose name contains it
//! rather than the one of the mutant.

use crate::mutants::cases_of;
use deltaproof::judge::{Keep, judge_with};
use deltaproof::registry::PROTOCOLS;
use deltaproof::scenario::Case;
use kit::{Command, Endpoint, Event, Finding, HostId, Mutant, PeerId, Protocol, Role, Setup, Time, View};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// What an end does from the first datagram on that it cannot read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unread {
    /// What the reference does.
    GoesOn,
    /// It leaves, as engines do.
    Leaves,
    /// It sends nothing any more.
    IsSilent,
}

/// An end that cannot go on with what it cannot read.
struct Helpless {
    inner: Box<dyn Endpoint>,
    unread: Unread,
    stopped: bool,
    events: Vec<Event>,
}

impl Helpless {
    fn around(inner: Box<dyn Endpoint>, unread: Unread) -> Box<dyn Endpoint> {
        Box::new(Helpless { inner, unread, stopped: false, events: Vec::new() })
    }
}

impl Endpoint for Helpless {
    fn handle_command(&mut self, now: Time, command: &Command) {
        if !self.stopped {
            self.inner.handle_command(now, command);
        }
    }

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        if self.stopped {
            return;
        }
        self.inner.handle_datagram(now, from, bytes);
    }

    fn handle_timeout(&mut self, now: Time) {
        if !self.stopped {
            self.inner.handle_timeout(now);
        }
    }

    fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        while let Some(event) = self.inner.poll_event().filter(|_| !self.stopped) {
            self.stopped |= matches!(event, Event::Rejected { .. });
            self.events.insert(0, event);
            if self.stopped && self.unread == Unread::Leaves {
                self.inner.handle_command(now, &Command::Disconnect);
            }
        }
        if self.stopped && self.unread == Unread::IsSilent {
            return None;
        }
        self.inner.poll_transmit(now, out)
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.events.pop().or_else(|| self.inner.poll_event())
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.inner.poll_timeout().filter(|_| !self.stopped)
    }

    fn source_port(&self) -> u16 {
        self.inner.source_port()
    }

    fn observe(&self, view: &mut View) {
        self.inner.observe(view);
    }
}

/// Mutants whose scenario is about what nobody can read: an end that leaves there breaks GG2-ROB-01 itself.
const OF_NONSENSE: [&str; 2] = ["stops-at-nonsense", "takes-parts"];

/// All cases of scenarios whose name contains `name`.
fn cases_with(name: &str) -> Vec<Case> {
    let all = deltaproof::scenario::load_built_in(|id| id.contains(name))
        .unwrap_or_else(|error| panic!("{}", error.one_line()));
    all.iter().flat_map(deltaproof::scenario::cases).collect()
}

/// What is found against the other end in a run of a mutant.
fn blamed(protocol: &'static Protocol, mutant: &Mutant, case: &Case, unread: Unread) -> Option<String> {
    let other = |role: Role, setup: &Setup| {
        if role == mutant.replacement.role {
            return Some((mutant.replacement.build)(setup));
        }
        let reference = if role == Role::Server { protocol.server } else { protocol.client };
        (unread != Unread::GoesOn).then(|| Helpless::around(reference(setup), unread))
    };
    let judgement = judge_with(case, case.seeds()[0], &other, Keep::Verdict);
    let is_server = mutant.replacement.role == Role::Server;
    let is_theirs = |finding: &&Finding| (finding.host == HostId::SERVER) != is_server;
    // What follows from a breach, a run with one end of the reference leaves out by itself.
    let not_found = |finding: &&Finding| is_theirs(finding) || !finding.requirement().level.is_must();
    let first = judgement.findings.iter().take_while(not_found).find(is_theirs)?;
    let (name, at, what) = (first.check.name, first.at, &first.what);
    Some(format!(
        "{} in {}, who {unread:?}: {} ({name}) {} at {at}: {what}",
        mutant.name,
        case.name(),
        first.suspects,
        first.host
    ))
}

#[test]
fn nobody_is_blamed_for_what_a_mutant_does() {
    let given = |name| std::env::var(name).ok();
    let [only, profile, elsewhere] = ["BLAME_ONLY", "BLAME_PROFILE", "BLAME_IN"].map(given);
    let places = elsewhere.map(|name| cases_with(&name));
    let all = PROTOCOLS.iter().flat_map(|protocol| protocol.mutants().map(move |mutant| (*protocol, mutant)));
    let is_chosen = |name: &str| match &only {
        Some(only) => only == name,
        None => !OF_NONSENSE.contains(&name),
    };
    let chosen: Vec<_> = all.filter(|(_, mutant)| is_chosen(mutant.name)).collect();
    let blamed: BTreeSet<String> = chosen
        .par_iter()
        .flat_map(|(protocol, mutant)| {
            let is_ours = |case: &Case| std::ptr::eq(case.protocol, *protocol);
            let cases = match &places {
                Some(places) => places.iter().filter(|case| is_ours(case)).cloned().collect(),
                None => cases_of(mutant.scenario).into_iter().take(2).collect::<Vec<Case>>(),
            };
            let of_profile = |case: &Case| profile.as_ref().is_none_or(|profile| profile == case.profile.name);
            let cases: Vec<Case> = cases.into_iter().filter(of_profile).collect();
            let ways: &[Unread] = match mutant.replacement.role {
                Role::Server => &[Unread::GoesOn, Unread::Leaves, Unread::IsSilent],
                _ => &[Unread::GoesOn],
            };
            let runs = cases.iter().flat_map(|case| ways.iter().map(move |unread| (case, *unread)));
            runs.filter_map(|(case, unread)| blamed(protocol, mutant, case, unread)).collect::<Vec<_>>()
        })
        .collect();
    let lines: Vec<&str> = blamed.iter().map(String::as_str).collect();
    assert!(blamed.is_empty(), "{} findings against who has done nothing wrong:\n{}", lines.len(), lines.join("\n"));
}
