//! Other conforming implementations, which no check may fail.

use crate::check::{Check, CoveragePoint};
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
    /// What it never does: requirements that only show where an end does that are not applicable to it.
    pub forgoes: &'static [Forgone],
    /// The variant.
    pub replacement: Replacement,
}

/// Something that an implementation need not do and never does, and what no run with it shows for that reason.
#[derive(Clone, Copy, Debug)]
pub struct Forgone {
    /// Why, as reports give the reason: a clause with a verb, about the implementation.
    pub why: &'static str,
    /// The coverage points that no run with it shows.
    pub points: &'static [CoveragePoint],
    /// Sections of the list of coverage points of which no run with it shows one: the first and the last of each.
    pub sections: &'static [(CoveragePoint, CoveragePoint)],
    /// The profiles in which it forgoes this; all of them for none.
    pub profiles: &'static [&'static str],
}

impl Forgone {
    /// What is forgone in all profiles.
    pub const fn new(why: &'static str, points: &'static [CoveragePoint]) -> Forgone {
        Forgone { why, points, sections: &[], profiles: &[] }
    }

    /// As what comprises these sections of the list of coverage points, too, from the first point to the last.
    pub const fn sections(mut self, sections: &'static [(CoveragePoint, CoveragePoint)]) -> Forgone {
        self.sections = sections;
        self
    }

    /// As what is forgone in these profiles alone.
    pub const fn in_profiles(mut self, profiles: &'static [&'static str]) -> Forgone {
        self.profiles = profiles;
        self
    }

    /// Whether no run of this profile shows `point`.
    fn has(&self, profile: &str, point: CoveragePoint) -> bool {
        let among = self.sections.iter().any(|(first, last)| (first.0..=last.0).contains(&point.0));
        (among || self.points.contains(&point)) && (self.profiles.is_empty() || self.profiles.contains(&profile))
    }
}

/// A variant of the server.
pub const fn of_server(name: &'static str, allows: &'static str, build: fn(&Setup) -> Box<dyn Endpoint>) -> Variant {
    let replacement = Replacement { role: Role::Server, build };
    Variant { name, allows, waives: &[], takes: None, forgoes: &[], replacement }
}

/// A variant of the client.
pub const fn of_client(name: &'static str, allows: &'static str, build: fn(&Setup) -> Box<dyn Endpoint>) -> Variant {
    let replacement = Replacement { role: Role::Client, build };
    Variant { name, allows, waives: &[], takes: None, forgoes: &[], replacement }
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

    /// As one that never does this.
    pub const fn forgoes(mut self, forgone: &'static [Forgone]) -> Variant {
        self.forgoes = forgone;
        self
    }

    /// Why no run of `profile` with it can cover `requirement`, if none can: whatever check of its protocol, of `checks`,
    /// could fail for that needs a point that it forgoes.
    pub fn excuses(&self, checks: &[&'static Check], requirement: &Requirement, profile: &str) -> Option<&'static str> {
        let breaks = checks.iter().flat_map(|check| check.breaks);
        let mut why = None;
        for breaks in breaks.filter(|breaks| breaks.requirement.id == requirement.id) {
            for row in breaks.needs {
                let out_of_reach = |forgone: &&Forgone| row.iter().any(|point| forgone.has(profile, *point));
                why = Some(self.forgoes.iter().find(out_of_reach)?.why);
            }
        }
        why
    }
}

impl fmt::Debug for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Variant").field("name", &self.name).finish()
    }
}
