//! Other conforming implementations, which no check may fail.

use crate::endpoint::Endpoint;
use crate::mutant::Replacement;
use crate::requirement::{Requirement, Role};
use crate::setup::Setup;
use std::fmt;

/// Another way to conform than the reference's: proof that no check fails what the protocol allows.
///
/// A variant takes one liberty; it must pass every scenario.
#[derive(Clone, Copy)]
pub struct Variant {
    /// What it is called.
    pub name: &'static str,
    /// What it does otherwise than the reference, and what allows that, in a sentence.
    pub allows: &'static str,
    /// Recommendations that it does not follow; of these, and of no others, it may be found in breach.
    pub waives: &'static [&'static Requirement],
    /// The liberty of the catalogue (a MAY) that it takes, if it is one: proof that no check fails it.
    pub takes: Option<&'static Requirement>,
    /// The variant.
    pub replacement: Replacement,
}

/// A variant of the server.
pub const fn of_server(name: &'static str, allows: &'static str, build: fn(&Setup) -> Box<dyn Endpoint>) -> Variant {
    let replacement = Replacement { role: Role::Server, build };
    Variant { name, allows, waives: &[], takes: None, replacement }
}

/// A variant of the client.
pub const fn of_client(name: &'static str, allows: &'static str, build: fn(&Setup) -> Box<dyn Endpoint>) -> Variant {
    let replacement = Replacement { role: Role::Client, build };
    Variant { name, allows, waives: &[], takes: None, replacement }
}

impl Variant {
    /// As one that does not follow these recommendations.
    pub const fn waives(mut self, recommendations: &'static [&'static Requirement]) -> Variant {
        self.waives = recommendations;
        self
    }

    /// As one that takes a liberty of the catalogue.
    pub const fn takes(mut self, liberty: &'static Requirement) -> Variant {
        self.takes = Some(liberty);
        self
    }
}

impl fmt::Debug for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Variant").field("name", &self.name).finish()
    }
}
