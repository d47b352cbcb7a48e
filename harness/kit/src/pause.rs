//! A host that stands still for a while and goes on with all that it knew: a process that was stopped, a laptop that slept.

use crate::endpoint::HostId;
use crate::time::Time;

/// For so long after a pause, in microseconds, a host may still be late with what it does at its own pace.
pub const CATCHING_UP_US: u64 = 1_000_000;

/// A host does nothing from one moment (inclusive) until another (exclusive). What arrives then is lost; its timers and
/// instructions wait for the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// The host.
    pub host: HostId,
    /// When it begins.
    pub from: Time,
    /// When it ends.
    pub until: Time,
}

impl Pause {
    /// Whether `host` stands still at some time from `since` until `now`.
    pub fn overlaps(&self, host: HostId, since: Time, now: Time) -> bool {
        self.host == host && self.from <= now && since < self.until
    }
}
