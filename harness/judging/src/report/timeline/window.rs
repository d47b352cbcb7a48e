//! What of a long run is shown: what led to the first finding, and what came next.

use crate::history::{Cause, History, What};
use kit::{HostId, Time};
use std::collections::BTreeSet;
use std::ops::Range;

/// More clients than these are not drawn beside each other.
const MOST_CLIENTS: usize = 4;

/// How much of a run is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// A run with at most so many datagrams is shown as a whole.
    pub whole: usize,
    /// Datagrams before the finding; of a run without one, the first ones up to `whole` are shown.
    pub before: usize,
    /// Datagrams after the finding.
    pub after: usize,
    /// Nothing later than this; what comes before it is shown in place of what comes before the finding.
    pub until: Option<Time>,
}

impl Default for Window {
    fn default() -> Window {
        Window { whole: 60, before: 30, after: 8, until: None }
    }
}

/// What is shown of a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    /// The entries, by their places.
    pub entries: Range<usize>,
    /// The clients, in order.
    pub clients: Vec<HostId>,
    /// Entries before and after those that are shown.
    pub left_out: [usize; 2],
    /// Clients that are not shown.
    pub others: usize,
}

impl Window {
    pub(super) fn of(&self, history: &History) -> Shown {
        let clients = clients(history);
        let is_shown = |place: usize| match &history.entries.get(place).map(|entry| &entry.what) {
            Some(What::Sent(datagram)) => clients.contains(&datagram.packet.client),
            _ => false,
        };
        let last = match self.until {
            Some(until) => history.entries.partition_point(|entry| entry.at <= until),
            None => history.entries.len(),
        };
        let sent: Vec<usize> = (0..last).filter(|place| is_shown(*place)).collect();
        let anchor = if self.until.is_some() { Some(last) } else { history.first_finding() };
        let entries = match anchor {
            _ if sent.len() <= self.whole => 0..last,
            None => 0..sent.get(self.whole).copied().unwrap_or(last),
            Some(anchor) => {
                let cause = history.findings().find(|(place, _)| *place == anchor).and_then(|(_, found)| found.cause);
                let next = sent.partition_point(|place| *place < anchor);
                let first = sent.get(next.saturating_sub(self.before)).copied().unwrap_or(0);
                let first = sending(history, cause).map_or(first, |sending| sending.min(first));
                first..sent.get(next + self.after).copied().unwrap_or(last)
            }
        };
        let left_out = [entries.start, history.entries.len().saturating_sub(entries.end)];
        let others = usize::from(history.run.clients).saturating_sub(clients.len());
        Shown { entries, clients, left_out, others }
    }
}

fn sending(history: &History, cause: Option<Cause>) -> Option<usize> {
    history.datagram(cause?.packet).map(|(place, _)| place)
}

/// The clients that are drawn: those that findings are about come before others.
fn clients(history: &History) -> Vec<HostId> {
    let concerned = history.findings().flat_map(|(_, found)| {
        let named = found.finding.host.strip_prefix("client").and_then(|number| number.parse().ok()).map(HostId);
        [named, found.cause.map(|cause| cause.packet.client)]
    });
    let mut chosen = BTreeSet::new();
    for client in concerned.flatten().chain((1..=history.run.clients).map(HostId)) {
        if chosen.len() < MOST_CLIENTS {
            chosen.insert(client);
        }
    }
    chosen.into_iter().collect()
}
