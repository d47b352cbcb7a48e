//! Wrong implementations that the checks must catch.

use crate::endpoint::Endpoint;
use crate::requirement::{Requirement, Role};
use crate::setup::Setup;
use std::fmt;

/// An endpoint that takes the reference's place.
#[derive(Clone, Copy)]
pub struct Replacement {
    /// Whose: [`Role::Server`] or [`Role::Client`] (all clients of a run).
    pub role: Role,
    /// Builds it.
    pub build: fn(&Setup) -> Box<dyn Endpoint>,
}

/// A mutant of the reference: proof that the check for one requirement can fail.
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
    /// Whose place it takes, and how it is built.
    pub replacement: Replacement,
    /// The bug of an engine in use that it repeats: engine and revision.
    pub same_bug_as: Option<&'static str>,
}

/// A mutant of the server.
pub const fn of_server(
    name: &'static str,
    caught_by: &'static Requirement,
    scenario: &'static str,
    differs: &'static str,
    build: fn(&Setup) -> Box<dyn Endpoint>,
) -> Mutant {
    Mutant {
        name,
        caught_by,
        differs,
        scenario,
        replacement: Replacement { role: Role::Server, build },
        same_bug_as: None,
    }
}

/// A mutant of the client.
pub const fn of_client(
    name: &'static str,
    caught_by: &'static Requirement,
    scenario: &'static str,
    differs: &'static str,
    build: fn(&Setup) -> Box<dyn Endpoint>,
) -> Mutant {
    Mutant {
        name,
        caught_by,
        differs,
        scenario,
        replacement: Replacement { role: Role::Client, build },
        same_bug_as: None,
    }
}

impl Mutant {
    /// As an engine in use had it: engine and revision.
    pub const fn same_bug_as(mut self, bug: &'static str) -> Mutant {
        self.same_bug_as = Some(bug);
        self
    }
}

impl fmt::Debug for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mutant").field("name", &self.name).field("caught_by", &self.caught_by.id).finish()
    }
}
