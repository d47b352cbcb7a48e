//! What an oracle has to say: findings, remarks, and the situations that a run showed.

use super::situation::{SITUATIONS, Situation};
use kit::{Finding, HostId, Requirement, Time};
use std::collections::BTreeSet;

/// Findings kept per requirement and host; further ones are counted.
const KEPT: u32 = 6;

/// Collects.
#[derive(Debug, Default)]
pub struct Report {
    /// The findings kept, in order.
    pub findings: Vec<Finding>,
    counts: Vec<(&'static str, HostId, u32)>,
    remarks: BTreeSet<&'static str>,
    seen: [u64; SITUATIONS.div_ceil(64)],
}

impl Report {
    /// Adds a finding; its text is made only if it is kept.
    pub fn find(&mut self, requirement: &'static Requirement, at: Time, host: HostId, what: impl FnOnce() -> String) {
        let known = self.counts.iter().position(|entry| entry.0 == requirement.id && entry.1 == host);
        let index = known.unwrap_or_else(|| {
            self.counts.push((requirement.id, host, 0));
            self.counts.len() - 1
        });
        if let Some(entry) = self.counts.get_mut(index) {
            entry.2 += 1;
            if entry.2 <= KEPT {
                self.findings.push(Finding { requirement, at, host, what: what() });
            }
        }
    }

    /// Adds a remark, once.
    pub fn remark(&mut self, text: &'static str) {
        self.remarks.insert(text);
    }

    /// The remarks, and how many findings were not kept.
    pub fn remarks(&self) -> Vec<String> {
        let rest = self.counts.iter().filter(|entry| entry.2 > KEPT);
        let rest = rest.map(|(id, host, count)| format!("{id}: {} more findings about {host}", count - KEPT));
        self.remarks.iter().copied().map(String::from).chain(rest).collect()
    }

    /// The run showed a situation.
    pub fn saw(&mut self, situation: Situation) {
        self.saw_if(true, situation);
    }

    /// The run showed a situation, if `condition`.
    pub fn saw_if(&mut self, condition: bool, situation: Situation) {
        let index = situation as usize;
        self.seen[index / 64] |= u64::from(condition) << (index % 64);
    }

    /// Whether the run showed a situation.
    pub fn has_seen(&self, situation: Situation) -> bool {
        let index = situation as usize;
        self.seen[index / 64] & 1 << (index % 64) != 0
    }
}
