//! What is run in the place of the reference: a conforming variant, a mutant, or somebody's implementation.

use crate::judge::{Judgement, Keep, judge};
use crate::place::Place;
use crate::scenario::{Case, Diagnostic, Told};
use kit::{Protocol, Requirement, Role, Variant};
use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Somebody's implementation, which runs elsewhere.
pub trait ForeignEnd: fmt::Debug + Send + Sync {
    /// Whose place it takes.
    fn place(&self) -> Place;

    /// The profiles that it speaks.
    fn profiles(&self) -> &[String];

    /// Whether it can take part in a case.
    fn takes(&self, case: &Case) -> bool;

    /// The option or text with another value than its own that a case is about, if it is about one.
    fn differs(&self, case: &Case) -> Option<&'static str>;

    /// What chooses it on the command line.
    fn argument(&self) -> String;

    /// Runs a case with it.
    fn judge(&self, case: &Case, seed: u64, keep: Keep) -> Judgement;

    /// What it wrote to its standard error lately.
    fn said(&self) -> String;

    /// Why `requirement` is not applicable to it in a profile, if it is not.
    fn excuses(&self, requirement: &Requirement, profile: &str) -> Option<&'static str>;

    /// Why a requirement of its role cannot be judged in a profile, if it cannot.
    fn skips(&self, requirement: &Requirement, profile: &str) -> Option<String>;

    /// Why a requirement of its role is not applicable to it in a profile even where a run covers it, if it is not.
    fn is_beyond(&self, requirement: &Requirement, profile: &str) -> Option<&'static str>;

    /// Whether there is something that cannot be judged of it: it does not show everything, or is a codec alone.
    fn is_partial(&self) -> bool;

    /// Whether it does in all what scenarios say; who is no server need not.
    fn takes_world(&self) -> bool;

    /// What it can be told all the same, if its options are its own and its game code is ours.
    fn told(&self) -> Option<Told>;

    /// Why a requirement of its role that no run covered need not have been, if it need not: its world did not make it possible.
    fn needs_world(&self, requirement: &Requirement, profile: &str) -> Option<String>;

    /// Finds out what cannot be judged of it in `profiles`, among all cases below `root`, because it is partial or takes no world.
    ///
    /// # Errors
    /// The scenarios below `root` do not fit the mutants.
    fn find_unseen(&self, root: &Path, cases: &[Case], profiles: &BTreeSet<&str>) -> Result<(), Diagnostic>;

    /// From now on it is started again however often it fails: who makes a failure smaller wants to see it fail.
    fn keep_starting(&self);
}

/// What takes the place of the reference's server, or of all its clients.
#[derive(Clone, Debug)]
pub enum Candidate {
    /// One of ours.
    BuiltIn(BuiltIn),
    /// Another process.
    Shim(Arc<dyn ForeignEnd>),
}

impl Candidate {
    /// Whether it can take part in a case.
    pub fn takes(&self, case: &Case) -> bool {
        match self {
            Candidate::BuiltIn(it) => it.protocol.name == case.protocol.name,
            Candidate::Shim(shim) => shim.takes(case),
        }
    }

    /// Why it takes no part in a case of a profile that it speaks, if it does not.
    pub fn why_not(&self, case: &Case) -> Option<String> {
        let Candidate::Shim(shim) = self else { return None };
        let name = shim.differs(case).filter(|_| shim.profiles().iter().any(|it| it == case.profile.name))?;
        Some(format!("it is about another `{name}` than the shim has, unless --set says otherwise"))
    }

    /// Runs a case with it, or with the reference alone.
    pub fn judge(candidate: Option<&Candidate>, case: &Case, seed: u64, keep: Keep) -> Judgement {
        let mut judgement = match candidate {
            Some(Candidate::Shim(shim)) => shim.judge(case, seed, keep),
            Some(Candidate::BuiltIn(it)) => judge(case, seed, Some(it.variant.replacement), keep),
            None => judge(case, seed, None, keep),
        };
        if let Some(candidate) = candidate.filter(|_| keep != Keep::Verdict) {
            judgement.history.run.candidate = candidate.argument();
        }
        judgement
    }

    /// Why `requirement` is not applicable to it in a profile, if it is not.
    pub fn excuses(&self, requirement: &Requirement, profile: &str) -> Option<&'static str> {
        match self {
            Candidate::BuiltIn(it) => it.excuses(requirement, profile),
            Candidate::Shim(shim) => shim.excuses(requirement, profile),
        }
    }

    /// Whether there is something that cannot be judged of it: it does not show everything, or is a codec alone.
    pub fn is_partial(&self) -> bool {
        matches!(self, Candidate::Shim(shim) if shim.is_partial())
    }

    /// Whether it is a server that goes its own way, so that it is judged as a remote one: nobody can tell it what the world is, or
    /// that alone ([`Candidate::told`]).
    pub fn is_worldless(&self) -> bool {
        matches!(self, Candidate::Shim(shim) if !shim.takes_world())
    }

    /// What such a server can be told all the same.
    pub fn told(&self) -> Option<Told> {
        match self {
            Candidate::Shim(shim) => shim.told(),
            Candidate::BuiltIn(_) => None,
        }
    }

    /// Why `requirement`, which binds `role` and which no run covered, need not have been, if it need not.
    pub fn needs_world(&self, requirement: &Requirement, role: Role, profile: &str) -> Option<String> {
        match self {
            Candidate::Shim(shim) if shim.place().role() == role => shim.needs_world(requirement, profile),
            _ => None,
        }
    }

    /// Finds out what cannot be judged of it in `profiles`, among all cases below `root`, because it is partial or takes no world.
    ///
    /// # Errors
    /// The scenarios below `root` do not fit the mutants.
    pub fn find_unseen(&self, root: &Path, cases: &[Case], profiles: &BTreeSet<&str>) -> Result<(), Diagnostic> {
        match self {
            Candidate::Shim(shim) => shim.find_unseen(root, cases, profiles),
            Candidate::BuiltIn(_) => Ok(()),
        }
    }

    /// From now on it is started again however often it fails.
    pub fn keep_starting(&self) {
        if let Candidate::Shim(shim) = self {
            shim.keep_starting();
        }
    }

    /// Why `requirement`, which binds `role`, cannot be judged of it in a profile, if it cannot.
    pub fn skips(&self, requirement: &Requirement, role: Role, profile: &str) -> Option<String> {
        match self {
            Candidate::Shim(shim) if shim.place().role() == role => shim.skips(requirement, profile),
            _ => None,
        }
    }

    /// Why `requirement`, which binds `role`, is not applicable to it in a profile even where a run covers it, if it is not.
    pub fn is_beyond(&self, requirement: &Requirement, role: Role, profile: &str) -> Option<&'static str> {
        match self {
            Candidate::Shim(shim) if shim.place().role() == role => shim.is_beyond(requirement, profile),
            _ => None,
        }
    }

    /// What reports call the end of `role`, of which it may be a part.
    pub fn end_name(&self, role: Role) -> String {
        match self {
            Candidate::Shim(shim) if shim.place().role() == role => shim.place().to_string(),
            _ => role.to_string(),
        }
    }

    /// What chooses it on the command line.
    pub fn argument(&self) -> String {
        match self {
            Candidate::BuiltIn(it) => it.argument(),
            Candidate::Shim(shim) => shim.argument(),
        }
    }
}

/// A variant or a mutant.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    pub protocol: &'static Protocol,
    /// The variant; a mutant forgoes nothing.
    pub variant: Variant,
}

impl BuiltIn {
    /// All that `protocols` have.
    pub fn all(protocols: &[&'static Protocol]) -> impl Iterator<Item = BuiltIn> {
        protocols.iter().copied().flat_map(|protocol| {
            let mutants = protocol.mutants().map(|mutant| {
                let (name, allows, replacement) = (mutant.name, mutant.differs, mutant.replacement);
                Variant { name, allows, waives: &[], takes: None, forgoes: &[], replacement }
            });
            protocol.variants().copied().chain(mutants).map(move |variant| BuiltIn { protocol, variant })
        })
    }

    /// Why `requirement` is not applicable to it in a profile, if it is not.
    pub fn excuses(&self, requirement: &Requirement, profile: &str) -> Option<&'static str> {
        self.variant.excuses(self.protocol.checks, requirement, profile)
    }

    /// Its name among those of all protocols: `PROTOCOL/NAME`.
    pub fn name(&self) -> String {
        format!("{}/{}", self.protocol.name, self.variant.name)
    }

    /// What chooses it on the command line.
    pub fn argument(&self) -> String {
        let side = if self.variant.replacement.role == Role::Server { "server" } else { "client" };
        format!("--{side} {}", self.name())
    }
}
