//! What became of a mutant.

use serde::{Deserialize, Serialize};

/// What became of a mutant, the best for the judge first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// A finding against its own side.
    Killed,
    /// Findings, but all of them against the other end.
    Innocent,
    /// It panicked or killed its process.
    Crash,
    /// It did not come to an end, or the executor gave it up.
    Hang,
    /// Something promised did not happen, and nothing else.
    Vacuous,
    /// Its trace differs from the reference's, and nothing else.
    Golden,
    /// Nothing differs, though its place was reached.
    Alive,
    /// Its place was never reached.
    Unreached,
}

impl Outcome {
    /// All of them.
    pub const ALL: [Outcome; 8] = [
        Outcome::Killed,
        Outcome::Innocent,
        Outcome::Crash,
        Outcome::Hang,
        Outcome::Vacuous,
        Outcome::Golden,
        Outcome::Alive,
        Outcome::Unreached,
    ];

    /// As reports have it.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Killed => "killed",
            Outcome::Innocent => "innocent",
            Outcome::Crash => "crash",
            Outcome::Hang => "hang",
            Outcome::Vacuous => "vacuous",
            Outcome::Golden => "golden",
            Outcome::Alive => "alive",
            Outcome::Unreached => "unreached",
        }
    }
}

/// The finding that killed a mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kill {
    /// The requirement that fits best.
    pub requirement: String,
    pub check: String,
    /// Whether the requirement is an obligation.
    pub must: bool,
    /// Datagrams that the mutated end had sent and received by then.
    pub datagrams: usize,
    /// What was found.
    pub what: String,
}

/// What became of a mutant at one side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fate {
    /// The summary.
    pub outcome: Outcome,
    /// The case that shows it, and its seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown_by: Option<(String, u64)>,
    /// The first kill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kill: Option<Kill>,
    /// Cases of the first pass that killed it; looked for no further than the second.
    pub killing_cases: usize,
    /// Seeds after the scenarios' own that it was run with; none for what they have killed.
    pub more_seeds: u64,
    /// Datagrams that a guided search may have sent for it.
    #[serde(default)]
    pub guided: u64,
    /// Runs that reached its place, and that were therefore done.
    pub runs: usize,
    /// Runs whose trace differed from the reference's.
    pub differing: usize,
    /// A panic, a reason to give up, what was vacuous, or a finding against the other end.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
}

impl Fate {
    /// Nothing is known yet.
    pub fn new() -> Fate {
        Fate {
            outcome: Outcome::Unreached,
            shown_by: None,
            kill: None,
            killing_cases: 0,
            more_seeds: 0,
            guided: 0,
            runs: 0,
            differing: 0,
            message: String::new(),
        }
    }

    /// The process that ran it is gone.
    pub fn lost(outcome: Outcome, message: &str) -> Fate {
        Fate { outcome, message: message.to_string(), ..Fate::new() }
    }

    /// Whether one case alone killed it.
    pub fn is_thin(&self) -> bool {
        self.outcome == Outcome::Killed && self.killing_cases < 2
    }

    /// Takes what a run showed, if it is more than what is known.
    pub fn take(&mut self, outcome: Outcome, shown_by: &(String, u64), message: &str) {
        if outcome < self.outcome {
            self.outcome = outcome;
            self.shown_by = Some(shown_by.clone());
            self.message = message.to_string();
        }
    }
}

impl Default for Fate {
    fn default() -> Fate {
        Fate::new()
    }
}
