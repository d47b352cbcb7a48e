//! What is run in the place of the reference: a conforming variant or a mutant.

use kit::{Protocol, Requirement, Role, Variant};

/// One that takes the place of the reference's server, or of all its clients.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// What it is one of.
    pub protocol: &'static Protocol,
    /// The variant; a mutant forgoes nothing.
    pub variant: Variant,
}

impl Candidate {
    /// All that `protocols` have.
    pub fn all(protocols: &[&'static Protocol]) -> impl Iterator<Item = Candidate> {
        protocols.iter().copied().flat_map(|protocol| {
            let mutants = protocol.mutants().map(|mutant| {
                let (name, allows, replacement) = (mutant.name, mutant.differs, mutant.replacement);
                Variant { name, allows, waives: &[], takes: None, forgoes: &[], replacement }
            });
            protocol.variants().copied().chain(mutants).map(move |variant| Candidate { protocol, variant })
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
