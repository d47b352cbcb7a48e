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
                _ => {
                    let times = match count {
                        0 => String::from("never seen"),
                        1 => String::from("seen once"),
                        _ => format!("seen {count} times"),
                    };
                    // What came nearest is noted as long as there is too little of it.
                    let why = if count < reach.at_least { near.why(&reach.what) } else { String::new() };
                    let enough = count >= reach.at_least && reach.at_most.is_none_or(|most| count <= most);
                    (enough, times + &why)
                }
            };
            if !met {
                missing.push(Missing { promise: format!("{} (line {})", reach.text, reach.line), seen });
            }
        }
        missing
    }

    fn hides(&self, note: &str) -> bool {
        self.notes.iter().position(|row| row.name == note).is_some_and(|note| self.hidden.has_note(note))
    }

    /// Counts a datagram that is sent, and lost or not.
    fn packet(&mut self, now: Time, packet: PacketId, lost: bool, dissection: Option<&Dissection>) {
        for ((reach, count), near) in self.reach.iter().zip(&mut self.counts).zip(&mut self.near) {
            let Target::Packets { outcome, directions, client, carries } = &reach.what else { continue };
            if client.is_some_and(|client| client != packet.client) {
                continue;
            }
            let is_open = *count < reach.at_least;
            if !directions.contains(&packet.direction) {
                if is_open {
                    near.back(now, lost);
                }
                continue;
            }
            // The numbers of what it carries of the kind that is asked for.
            let marks = dissection.iter().flat_map(|found| &found.marks);
            let of_kind = marks.filter(|mark| carries.is_some_and(|carries| carries.kind == mark.kind));
            let numbers = of_kind.map(|mark| mark.number);
            let wanted = carries.and_then(|carries| carries.number);
            let is_wanted = |number: u32| wanted.is_none_or(|wanted| wanted == number);
            let carried = carries.is_none() || numbers.clone().any(is_wanted);
            let counts = match outcome {
                Outcome::Sent => carried,
                Outcome::Lost => carried && lost,
                Outcome::Delivered => carried && !lost,
            };
            *count += u64::from(counts);
            if is_open {
                near.packet(now, lost, carried, numbers.filter(|number| !is_wanted(*number)));
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
                self.packet(now, *packet, matches!(fate, Fate::Lost(_)), *dissection);
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
