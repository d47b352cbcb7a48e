//! Who judges a run, and what it says of it.

use crate::check::{Check, Points, Suspects};
use crate::endpoint::HostId;
use crate::requirement::Requirement;
use crate::time::Time;
use crate::trace::Probe;

/// A violation that an oracle saw.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The check that failed.
    pub check: &'static Check,
    /// The requirements that the failure can mean, best first.
    pub suspects: Suspects,
    /// When it was certain.
    pub at: Time,
    /// Who violated it.
    pub host: HostId,
    /// What was expected and what was seen: frame, entity, field, values.
    pub what: String,
}

impl Finding {
    /// The requirement that fits the evidence best.
    pub fn requirement(&self) -> &'static Requirement {
        self.suspects.first()
    }
}

/// Judges a run while it happens.
///
/// One violation is one finding, and nothing that the protocol allows is ever found.
pub trait Oracle: Probe {
    /// The run is over: the moment for checks that need its end. `now` is the time of the end.
    fn finish(&mut self, now: Time);
    /// What was found so far, in the order of finding.
    fn findings(&self) -> &[Finding];
    /// Requirements that this run covered, whatever the outcome; each at most once, in catalogue order.
    fn covered(&self) -> Vec<&'static Requirement>;
    /// The coverage points that this run showed.
    fn points(&self) -> Points;
    /// Remarks that are no violations: dialects seen, inefficiencies. One line each, without repetition.
    fn remarks(&self) -> Vec<String>;
}
