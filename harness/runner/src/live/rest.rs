//! What a faulty client and a clean one beside it hold when the world rests: with both, a foreign server's truth is known.

use kit::{Endpoint, HostId, Protocol, Time, Unit, View};
use std::collections::{BTreeMap, BTreeSet};

/// A resting entity has not changed for so long, in microseconds.
const REST_US: u64 = 1_000_000;
/// Differences that are kept; further ones are counted.
const KEPT: usize = 64;

/// Watches what our clients show.
#[derive(Debug)]
pub struct Rest {
    /// The clients to compare, and the control client last.
    clients: u16,
    shown: BTreeMap<HostId, View>,
    /// When an entity changed last, in any view.
    changed: BTreeMap<u32, Time>,
    now: Time,
    view: View,
}

impl Rest {
    /// For so many clients, of which the last is the control client.
    pub fn new(clients: u16) -> Rest {
        let (shown, changed) = (BTreeMap::new(), BTreeMap::new());
        Rest { clients, shown, changed, now: Time::ZERO, view: View::default() }
    }

    /// A client has acted on an input.
    pub fn settled(&mut self, now: Time, host: HostId, endpoint: &dyn Endpoint) {
        self.now = now;
        if host == HostId::SERVER {
            return;
        }
        self.view.clear();
        endpoint.observe(&mut self.view);
        let before = self.shown.entry(host).or_default();
        if *before == self.view {
            return;
        }
        let numbers: BTreeSet<u32> = before.numbers.iter().chain(&self.view.numbers).copied().collect();
        for number in numbers {
            if before.entity(number) != self.view.entity(number) {
                self.changed.insert(number, now);
            }
        }
        std::mem::swap(before, &mut self.view);
    }

    /// In what the clients' views differ from the control client's, in entities that rest.
    pub fn differences(&self, protocol: &Protocol) -> Vec<String> {
        let mut found = Vec::new();
        let Some(control) = self.shown.get(&HostId(self.clients)).filter(|view| view.valid) else {
            return vec![String::from("the control client did not get into the game")];
        };
        for host in (1..self.clients).map(HostId) {
            let Some(view) = self.shown.get(&host).filter(|view| view.valid) else {
                found.push(format!("{host} did not get into the game"));
                continue;
            };
            let numbers: BTreeSet<u32> = view.numbers.iter().chain(&control.numbers).copied().collect();
            for number in numbers.into_iter().filter(|number| self.rests(*number)) {
                match (view.entity(number), control.entity(number)) {
                    (Some(held), Some(right)) => found.extend(fields(protocol, host, number, held, right)),
                    (Some(_), None) => found.push(format!("{host} shows entity {number}, the control client does not")),
                    (None, _) => found.push(format!("{host} does not show entity {number}, the control client does")),
                }
            }
        }
        let more = found.len().saturating_sub(KEPT);
        if more > 0 {
            found.truncate(KEPT);
            found.push(format!("{more} more differences"));
        }
        found
    }

    fn rests(&self, number: u32) -> bool {
        self.changed.get(&number).is_none_or(|changed| self.now.since(*changed) >= REST_US)
    }
}

fn fields(protocol: &Protocol, host: HostId, number: u32, held: &[i32], right: &[i32]) -> Option<String> {
    let (field, (held, right)) =
        protocol.fields.iter().zip(held.iter().zip(right)).find(|(_, (held, right))| held != right)?;
    let value = |value: i32| match field.unit {
        Unit::Float => f32::from_bits(value as u32).to_string(),
        Unit::Int(..) => value.to_string(),
    };
    Some(format!(
        "{host} shows {} of entity {number} as {}, the control client as {}",
        field.name,
        value(*held),
        value(*right)
    ))
}
