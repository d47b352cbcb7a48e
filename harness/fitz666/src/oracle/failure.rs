//! What a comparison finds wrong, before it is reported.

use super::coverage::Report;
use kit::{Check, HostId, Suspects, Time};

/// A failed check.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Which.
    pub check: &'static Check,
    /// What it can mean, best guess first.
    pub suspects: Suspects,
    /// What was expected and what was seen.
    pub what: String,
}

/// Makes a failure.
pub fn failure(check: &'static Check, suspects: impl Into<Suspects>, what: impl Into<String>) -> Option<Failure> {
    Some(Failure { check, suspects: suspects.into(), what: what.into() })
}

impl Failure {
    /// Reports it, of something that the server sends to `client`.
    pub fn of_server(self, client: HostId, report: &mut Report, now: Time) {
        let Failure { check, suspects, what } = self;
        report.fail(check, now, HostId::SERVER, suspects, || format!("to {client}: {what}"));
    }
}
