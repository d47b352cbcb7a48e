//! Runs that are tried, and what they cost.

use super::document::Document;
use super::failure::Failure;
use super::faults::Faults;
use super::{Failed, Unshrunk};
use crate::guarded;
use crate::judge::{Judgement, Keep};
use crate::scenario::{Alteration, Case};
use kit::Time;
use std::sync::Arc;

/// Tries smaller runs until so many datagrams were sent.
pub(super) struct Trial<'a> {
    failed: Failed<'a>,
    failure: &'a Failure,
    budget: u64,
    /// Runs so far.
    pub runs: u64,
    /// Datagrams sent so far.
    pub datagrams: u64,
    /// The document of which a case was made last, and that case.
    last: Option<(Document, Case)>,
}

impl<'a> Trial<'a> {
    pub fn new(failed: Failed<'a>, failure: &'a Failure, budget: u64) -> Trial<'a> {
        Trial { failed, failure, budget, runs: 0, datagrams: 0, last: None }
    }

    pub fn failure(&self) -> &'a Failure {
        self.failure
    }

    pub fn seed(&self) -> u64 {
        self.failed.seed
    }

    /// Whether nothing more is tried.
    pub fn is_exhausted(&self) -> bool {
        self.datagrams >= self.budget
    }

    /// The case of a document, on links that do what it says.
    fn plain(&mut self, document: &Document) -> Result<Case, Unshrunk> {
        if let Some((known, case)) = &self.last
            && known == document
        {
            return Ok(case.clone());
        }
        let case = document.case(self.failed.case)?;
        self.last = Some((document.clone(), case.clone()));
        Ok(case)
    }

    /// The case of a document, with these faults alone.
    pub fn case(&mut self, document: &Document, faults: &Faults) -> Result<Case, Unshrunk> {
        match faults {
            Faults::Single(schedule) => {
                let case = self.plain(document)?;
                let fates = Some(Arc::new(schedule.fates().clone()));
                Ok(Case { alteration: Alteration { fates, ..Alteration::default() }, ..case })
            }
            Faults::Rows(rows) => Ok(document.with_faults(rows.said()).case(self.failed.case)?),
        }
    }

    /// `None`: an end panicked.
    pub fn judge(&mut self, case: &Case, keep: Keep) -> Option<Judgement> {
        let judgement = guarded::judge(self.failed.candidate, case, self.failed.seed, keep);
        self.runs += 1;
        // A run without a datagram is not for nothing either.
        self.datagrams += judgement.as_ref().map_or(0, |judgement| judgement.datagrams).max(1);
        judgement
    }

    /// Whether the run fails in the same way, and when.
    pub fn fails(&mut self, document: &Document, faults: &Faults) -> Result<Option<Option<Time>>, Unshrunk> {
        if self.is_exhausted() {
            return Ok(None);
        }
        let case = self.case(document, faults)?;
        let judgement = self.judge(&case, Keep::Verdict);
        Ok(judgement.and_then(|judgement| self.failure.is_in(&case, &judgement)))
    }
}
