//! Wrong implementations that the checks must catch.

use crate::endpoint::Endpoint;
use crate::requirement::{Requirement, Role};
use crate::setup::Setup;
use std::fmt;

/// An endpoint that takes the reference's place.
#[derive(Clone, Copy)]
pub struct StandIn {
    /// Whose: [`Role::Server`] or [`Role::Client`] (all clients of a run).
    pub role: Role,
    /// Builds it.
    pub build: fn(&Setup) -> Box<dyn Endpoint>,
}

/// A broken twin of the reference: proof that the check for one requirement can fail.
///
/// A mutant is a changed table row, a changed rule or a tampered field; never a special case inside the reference.
#[derive(Clone, Copy)]
pub struct Mutant {
    /// What it is called.
    pub name: &'static str,
    /// The requirement whose check must catch it.
    pub caught_by: &'static Requirement,
    /// How it differs from the reference, in a sentence.
    pub differs: &'static str,
    /// The scenario (by id) in which it must be caught, in every profile and variant of it.
    pub scenario: &'static str,
    /// The twin.
    pub twin: StandIn,
    /// The bug of an engine in use that it repeats: engine and revision.
    pub recalls: Option<&'static str>,
}

/// A mutant of the server.
pub const fn of_server(
    name: &'static str,
    caught_by: &'static Requirement,
    scenario: &'static str,
    differs: &'static str,
    build: fn(&Setup) -> Box<dyn Endpoint>,
) -> Mutant {
    Mutant { name, caught_by, differs, scenario, twin: StandIn { role: Role::Server, build }, recalls: None }
}

/// A mutant of the client.
pub const fn of_client(
    name: &'static str,
    caught_by: &'static Requirement,
    scenario: &'static str,
    differs: &'static str,
    build: fn(&Setup) -> Box<dyn Endpoint>,
) -> Mutant {
    Mutant { name, caught_by, differs, scenario, twin: StandIn { role: Role::Client, build }, recalls: None }
}

impl Mutant {
    /// As an engine in use had it: engine and revision.
    pub const fn recalls(mut self, bug: &'static str) -> Mutant {
        self.recalls = Some(bug);
        self
    }
}

impl fmt::Debug for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mutant").field("name", &self.name).field("caught_by", &self.caught_by.id).finish()
    }
}
