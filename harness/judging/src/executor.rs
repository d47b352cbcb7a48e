//! What executes a run. The choice never changes what happens in it.

use kit::{Endpoint, HostId, Probe, Time, TraceEvent};
use sim::{Outcome, Simulation, TraceHash};
use std::fmt::Write;
use std::hash::{DefaultHasher, Hasher};

/// The executor in turmoil, and somebody's async code as an endpoint.
#[cfg(feature = "turmoil")]
pub use deltaproof_turmoil as turmoil;

/// What executes a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Executor {
    /// A heap of inputs to come: [`Simulation::run`].
    #[default]
    Direct,
    /// Each host a tokio task with a socket, in turmoil.
    #[cfg(feature = "turmoil")]
    Turmoil {
        /// turmoil's tick, in microseconds; otherwise the longest that the latencies allow, up to 10 ms.
        tick_us: Option<u64>,
    },
    /// First directly, then in turmoil; a difference in any record is a fault of the harness.
    #[cfg(feature = "turmoil")]
    Both {
        /// As for turmoil alone.
        tick_us: Option<u64>,
    },
}

impl Executor {
    /// The executors to run with, one after the other.
    pub(crate) fn turns(self) -> impl Iterator<Item = Executor> {
        let (first, second) = match self {
            #[cfg(feature = "turmoil")]
            Executor::Both { tick_us } => (Executor::Direct, Some(Executor::Turmoil { tick_us })),
            one => (one, None),
        };
        std::iter::once(first).chain(second)
    }

    /// Executes a run.
    ///
    /// # Errors
    /// It cannot be executed so: why, and what to do.
    pub(crate) fn run<P: Probe>(self, simulation: Simulation<'_>, probe: &mut P) -> Result<Outcome, String> {
        match self {
            Executor::Direct => Ok(simulation.run(probe)),
            #[cfg(feature = "turmoil")]
            Executor::Turmoil { tick_us } | Executor::Both { tick_us } => {
                deltaproof_turmoil::run(simulation, tick_us, probe).map_err(|refusal| refusal.to_string())
            }
        }
    }
}

/// A number for each record of a run, to be compared with those of another executor.
#[derive(Debug, Default)]
pub(crate) struct Records {
    wire: TraceHash,
    said: DefaultHasher,
    text: String,
    /// Time, what the wire has come to, and what hosts have said so far.
    records: Vec<(Time, u64, u64)>,
}

impl Records {
    /// Where the other run differs first, if it does.
    pub(crate) fn difference(&self, other: &Records) -> Option<String> {
        let mut both = self.records.iter().zip(&other.records);
        let (first, (here, there)) = match both.position(|(here, there)| here != there) {
            Some(at) => (at, (self.records.get(at), other.records.get(at))),
            None if self.records.len() == other.records.len() => return None,
            None => {
                let at = self.records.len().min(other.records.len());
                (at, (self.records.get(at), other.records.get(at)))
            }
        };
        let shown = |record: Option<&(Time, u64, u64)>| {
            record.map_or_else(|| String::from("none"), |(at, wire, said)| format!("{wire:016x}/{said:016x} at {at}"))
        };
        Some(format!("record {first} is {} directly, but {} in turmoil", shown(here), shown(there)))
    }
}

impl Probe for Records {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        self.wire.on(now, event);
        if let TraceEvent::Event { host, event } = event {
            self.text.clear();
            // Into memory: it cannot fail.
            let _ = write!(self.text, "{host} {event:?}");
            self.said.write(self.text.as_bytes());
        }
        self.records.push((now, self.wire.value(), self.said.finish()));
    }

    fn settled(&mut self, now: Time, host: HostId, _: &dyn Endpoint) {
        self.said.write_u16(host.0);
        self.records.push((now, self.wire.value(), self.said.finish()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::Event;

    fn records(texts: &[&str]) -> Records {
        let mut records = Records::default();
        for text in texts {
            let event = Event::Print { text: text.as_bytes().to_vec() };
            records.on(Time::from_ms(5), &TraceEvent::Event { host: HostId(1), event: &event });
        }
        records
    }

    #[test]
    fn the_first_record_that_differs_or_is_missing_is_named() {
        let whole = records(&["a", "b"]);
        assert_eq!(whole.difference(&records(&["a", "b"])), None);
        for other in [records(&["a", "c"]), records(&["a"])] {
            let difference = whole.difference(&other).expect("they differ");
            assert!(difference.starts_with("record 1 is ") && difference.contains("at 0.005000s"), "{difference}");
        }
    }
}
