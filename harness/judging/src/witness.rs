//! Whether what a scenario is about did happen in a run.

mod near;

use crate::scenario::{Outcome, Reach, Target};
use kit::{Dissection, Event, Fate, Hidden, HostId, PacketId, Probe, Time, TraceEvent};
use near::Near;
use std::fmt;

/// What a scenario promises, and a run did not show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// What was promised, and where it stands.
    pub promise: String,
    /// What was seen instead, and what stood in its way.
    pub seen: String,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.promise, self.seen)
    }
}

/// Several in a sentence.
pub fn together(missing: &[Missing]) -> String {
    missing.iter().map(Missing::to_string).collect::<Vec<_>>().join("; ")
}

/// Counts what has to happen.
pub struct Witness<'a> {
    reach: &'a [Reach],
    counts: Vec<u64>,
    near: Vec<Near>,
    notes: &'static [kit::Note],
    hidden: Hidden,
}

impl<'a> Witness<'a> {
    /// For these conditions, with the protocol's notes, and what clients do not show.
    pub fn new(reach: &'a [Reach], notes: &'static [kit::Note], hidden: Hidden) -> Witness<'a> {
        Witness { reach, counts: vec![0; reach.len()], near: vec![Near::default(); reach.len()], notes, hidden }
    }

    /// Whether a condition looks into datagrams.
    pub fn counts_content(&self) -> bool {
        self.reach.iter().any(|reach| matches!(&reach.what, Target::Packets { carries: Some(_), .. }))
    }

    /// Whether one still does: it is not met yet, or can be broken yet.
    pub fn wants_content(&self) -> bool {
        let counted = self.reach.iter().zip(&self.counts);
        let mut open = counted.filter(|(reach, count)| reach.at_most.is_some() || **count < reach.at_least);
        open.any(|(reach, _)| matches!(&reach.what, Target::Packets { carries: Some(_), .. }))
    }

    /// The conditions that were not met.
    pub fn missing(&self, observed: &[[sim::Observed; 2]]) -> Vec<Missing> {
        let mut missing = Vec::new();
        for ((reach, &count), near) in self.reach.iter().zip(&self.counts).zip(&self.near) {
            let (met, seen) = match &reach.what {
                Target::Note { host, name } if *host != HostId::SERVER && self.hides(name) => continue,
                Target::Observed { directions, client, loss_ppm, duplicate_ppm, reorder_ppm, spike_ppm } => {
                    let mut sum = [0u64; 5];
                    for (index, link) in observed.iter().enumerate() {
                        if client.is_some_and(|client| usize::from(client.0) != index + 1) {
                            continue;
                        }
                        for direction in *directions {
                            let way = &link[direction.index()];
                            let parts = [way.sent, way.lost_total(), way.duplicated, way.reordered, way.spiked];
                            for (sum, part) in sum.iter_mut().zip(parts) {
                                *sum += part;
                            }
                        }
                    }
                    let share = |part: u64| part * 1_000_000 / sum[0].max(1);
                    let enough = |least: &Option<u32>, part| least.is_none_or(|least| share(part) >= u64::from(least));
                    let [sent, lost, duplicated, reordered, spiked] = sum;
                    let random = enough(loss_ppm, lost) && enough(duplicate_ppm, duplicated);
                    let late = enough(reorder_ppm, reordered) && enough(spike_ppm, spiked);
                    // Few scenarios have spikes; the others need not have them.
                    let spikes = spike_ppm.map_or(String::new(), |_| format!(", {spiked} in delay spikes"));
                    let seen = format!("{lost} lost, {duplicated} duplicated, {reordered} overtaken{spikes} of {sent}");
                    (random && late, seen)
                }
                _ => (
                    count >= reach.at_least && reach.at_most.is_none_or(|most| count <= most),
                    match count {
                        0 => format!("never seen{}", near.why(&reach.what)),
                        1 => format!("seen once{}", near.why(&reach.what)),
                        _ => format!("seen {count} times{}", near.why(&reach.what)),
                    },
                ),
            };
            if !met {
                missing.push(Missing { promise: format!("{} (line {})", reach.text, reach.line()), seen });
            }
        }
        missing
    }

    fn hides(&self, note: &str) -> bool {
        self.notes.iter().position(|row| row.name == note).is_some_and(|note| self.hidden.has_note(note))
    }

    /// What there is of each kind that is asked for, as long as it is not met.
    fn near(&mut self, now: Time, packet: PacketId, lost: bool, dissection: Option<&Dissection>) {
        for ((reach, count), near) in self.reach.iter().zip(&self.counts).zip(&mut self.near) {
            let Target::Packets { carries, .. } = &reach.what else { continue };
            if *count >= reach.at_least {
                continue;
            }
            let marks = dissection.iter().flat_map(|found| &found.marks);
            let wanted = marks.filter(|mark| carries.is_some_and(|carries| carries.kind == mark.kind));
            let numbers = wanted.map(|mark| mark.number);
            near.packet(now, &reach.what, packet, lost, numbers);
        }
    }

    fn packet(&mut self, packet: PacketId, outcome: Outcome, dissection: Option<&Dissection>) {
        for (reach, count) in self.reach.iter().zip(&mut self.counts) {
            let Target::Packets { outcome: wanted, directions, client, carries } = &reach.what else { continue };
            let carried = carries.is_none_or(|carries| {
                dissection.is_some_and(|found| {
                    found.marks.iter().any(|mark| {
                        mark.kind == carries.kind && carries.number.is_none_or(|number| number == mark.number)
                    })
                })
            });
            if *wanted == outcome
                && directions.contains(&packet.direction)
                && client.is_none_or(|client| client == packet.client)
                && carried
            {
                *count += 1;
            }
        }
    }
}

impl Probe for Witness<'_> {
    #[inline]
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        if let TraceEvent::Sent { .. } | TraceEvent::Event { .. } = event {
            self.output(now, event);
        }
    }
}

impl Witness<'_> {
    /// Counts what a host has sent or said.
    fn output(&mut self, now: Time, event: &TraceEvent<'_>) {
        match event {
            TraceEvent::Sent { packet, fate, dissection, .. } if !self.reach.is_empty() => {
                self.packet(*packet, Outcome::Sent, *dissection);
                let outcome = if matches!(fate, Fate::Lost(_)) { Outcome::Lost } else { Outcome::Delivered };
                self.packet(*packet, outcome, *dissection);
                self.near(now, *packet, outcome == Outcome::Lost, *dissection);
            }
            TraceEvent::Event { host, event } => {
                for ((reach, count), near) in self.reach.iter().zip(&mut self.counts).zip(&mut self.near) {
                    match (&reach.what, event) {
                        (Target::State { host: of, .. }, Event::State { to, .. }) if of == host => near.state(now, to),
                        _ => {}
                    }
                    let seen = match (&reach.what, event) {
                        (Target::State { host: wanted, name }, Event::State { to, .. }) => wanted == host && name == to,
                        (Target::Note { host: wanted, name }, Event::Note { note, .. }) => {
                            wanted == host && self.notes.get(*note).is_some_and(|note| note.name == name)
                        }
                        _ => false,
                    };
                    *count += u64::from(seen);
                }
            }
            _ => {}
        }
    }
}
