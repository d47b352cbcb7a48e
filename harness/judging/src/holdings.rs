//! What the ends of a run hold at a moment: the server's world beside what each client has of it.

use crate::judge::{Other, hosts};
use crate::scenario::Case;
use kit::{Endpoint, HostId, Probe, Replacement, StatValue, Time, TraceEvent, Unit, View};
use serde::Serialize;

/// What one end holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Holding {
    /// Whose.
    pub host: String,
    /// The state of its outermost state machine.
    pub state: String,
    /// Whether it has anything to show.
    pub valid: bool,
    /// The entities, by number, with those fields that are not zero.
    pub entities: Vec<(u32, Vec<(String, String)>)>,
    /// The statistics that are not zero.
    pub stats: Vec<(u8, String)>,
}

/// Runs a case to the moment `until` and tells what each host held when it had acted last.
pub fn held(case: &Case, seed: u64, replacement: Option<Replacement>, until: Time) -> Vec<Holding> {
    let setup = case.setup(seed);
    let other: Other<'_> = &|role, setup| Some((replacement.filter(|it| it.role == role)?.build)(setup));
    let (mut hosts, _) = hosts(case, &setup, other);
    let network = case.network(seed);
    let mut dissector = (case.protocol.dissector)(Some(&setup));
    let mut views = Views(vec![View::default(); hosts.len()]);
    sim::Simulation {
        hosts: &mut hosts,
        network: &network,
        commands: &mut case.commands(seed),
        dissector: Some(dissector.as_mut()),
        until: until.min(case.duration()),
        hash: false,
    }
    .run(&mut views);
    (0..).zip(&views.0).map(|(host, view)| holding(case, HostId(host), view)).collect()
}

fn holding(case: &Case, host: HostId, view: &View) -> Holding {
    let fields = case.protocol.fields;
    let shown = |unit: Unit, value: i32| match unit {
        Unit::Float => f32::from_bits(value as u32).to_string(),
        Unit::Int(..) => value.to_string(),
    };
    let entities = view.numbers.iter().zip(view.fields.chunks(fields.len().max(1)));
    let named = |values: &[i32]| {
        let set = fields.iter().zip(values).filter(|(_, value)| **value != 0);
        set.map(|(field, value)| (String::from(field.name), shown(field.unit, *value))).collect()
    };
    let stat = |value: &StatValue| match value {
        StatValue::Int(value) => value.to_string(),
        StatValue::Float(value) => value.to_string(),
    };
    Holding {
        host: host.to_string(),
        state: String::from(view.state),
        valid: view.valid,
        entities: entities.map(|(number, values)| (*number, named(values))).collect(),
        stats: view.stats.iter().map(|(number, value)| (*number, stat(value))).collect(),
    }
}

struct Views(Vec<View>);

impl Probe for Views {
    fn on(&mut self, _: Time, _: &TraceEvent<'_>) {}

    fn settled(&mut self, _: Time, host: HostId, endpoint: &dyn Endpoint) {
        if let Some(view) = self.0.get_mut(usize::from(host.0)) {
            view.clear();
            endpoint.observe(view);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{cases, load_built_in};

    #[test]
    fn at_the_end_of_a_clean_run_a_client_holds_what_the_server_holds() {
        let scenarios = load_built_in(|id| id == "fitz666/sign-on-clean").expect("is there");
        let case = scenarios.iter().flat_map(cases).next().expect("a case");
        let held = held(&case, 1, None, case.duration());
        assert_eq!(held.len(), 2);
        assert!(!held[0].entities.is_empty() && held[1].valid);
        let numbers = |holding: &Holding| holding.entities.iter().map(|(number, _)| *number).collect::<Vec<_>>();
        assert_eq!(numbers(&held[0]), numbers(&held[1]));
    }
}
