//! What a run is made of: the profile, the number of clients, the options.

use crate::check::{Knowledge, Vantage};
use crate::endpoint::HostId;
use crate::pause::Pause;
use crate::rebind::{KnownBy, Rebind};
use std::sync::Arc;

/// A form of a protocol, such as `fte-nq`.
#[derive(Debug, PartialEq, Eq)]
pub struct Profile {
    /// Name, as in scenarios and on the command line.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub title: &'static str,
    /// The protocol's own number for it.
    pub index: usize,
    /// The UDP port at which its servers usually listen: other programs know a recording of it by that.
    pub udp_port: u16,
    /// By what its servers know their clients.
    pub known_by: KnownBy,
}

/// How to build an endpoint, an oracle or a dissector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The profile.
    pub profile: &'static Profile,
    /// The host that the endpoint is (its address in the network).
    pub host: HostId,
    /// Number of clients in the run.
    pub clients: u16,
    /// The endpoint's only source of randomness.
    pub seed: u64,
    /// One value per [`crate::Protocol::options`] entry.
    pub options: Vec<i64>,
    /// One text per [`crate::Protocol::texts`] entry.
    pub texts: Vec<Arc<str>>,
    /// What the oracle knows.
    pub knowledge: Knowledge,
    /// From where the oracle sees the run.
    pub vantage: Vantage,
    /// Who stands still, and when: the oracle finds no fault with a host's pace then.
    pub pauses: Vec<Pause>,
    /// Whose port changes, and when.
    pub rebinds: Vec<Rebind>,
}

impl Setup {
    /// Gives options other values: index and value.
    pub fn give(&mut self, options: &[(usize, i64)]) {
        for &(index, value) in options {
            if let Some(option) = self.options.get_mut(index) {
                *option = value;
            }
        }
    }

    /// The text with this number among the protocol's, or `default` where nobody gives one.
    pub fn text<'a>(&'a self, number: usize, default: &'a str) -> &'a str {
        self.texts.get(number).map_or(default, |text| text)
    }

    /// The same run, seen by another host.
    pub fn on(&self, host: HostId) -> Setup {
        Setup { host, ..self.clone() }
    }
}
