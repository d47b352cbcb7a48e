//! A probe that keeps the fates of a run, for replay and shrinking.

use crate::key::FateKey;
use kit::{Fate, Probe, Time, TraceEvent};
use std::collections::BTreeMap;

/// Every fate of a run. Put into [`Network::fates`](crate::Network::fates), it makes the same run again, whatever the
/// links and the seed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// What happened to each datagram.
    pub fates: BTreeMap<FateKey, Fate>,
}

impl Probe for Recording {
    fn on(&mut self, _: Time, event: &TraceEvent<'_>) {
        if let TraceEvent::Sent { packet, fate, .. } = event {
            self.fates.insert((*packet).into(), *fate);
        }
    }
}
