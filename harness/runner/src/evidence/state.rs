//! What the server and each client showed when the first violation was seen, where they differ: `state-diff.json`.

use crate::candidate::Candidate;
use crate::judge::{Judgement, Keep};
use crate::shrink::Failed;
use kit::{HostId, Protocol, Unit, View};
use serde::Serialize;
use serde_json::{Value, json};

#[derive(Serialize)]
struct Difference {
    client: String,
    /// The states of the two ends' machines.
    states: [&'static str; 2],
    /// Entities that the server has and the client does not show, and the other way round.
    only_at_the_server: Vec<u32>,
    only_at_the_client: Vec<u32>,
    fields: Vec<Value>,
}

/// The differences after a run.
pub(super) fn diff(failed: Failed<'_>, shown: &Judgement) -> String {
    let views = Candidate::judge(failed.candidate, failed.case, failed.seed, Keep::Views).views;
    let at_us = shown.findings.first().map(|finding| finding.at.us());
    let nothing = View::default();
    let server = views.get(&HostId::SERVER).unwrap_or(&nothing);
    let clients = views.iter().filter(|(host, _)| **host != HostId::SERVER);
    let differences: Vec<Difference> =
        clients.map(|(host, client)| difference(failed.case.protocol, server, *host, client)).collect();
    let about = "an end may rightly differ from the other while datagrams are under way";
    let all = json!({ "at_us": at_us, "about": about, "clients": differences });
    serde_json::to_string_pretty(&all).unwrap_or_default() + "\n"
}

fn difference(protocol: &Protocol, server: &View, host: HostId, client: &View) -> Difference {
    let mut fields = Vec::new();
    for entity in server.numbers.iter().filter(|entity| client.numbers.contains(entity)) {
        let (Some(has), Some(shows)) = (server.entity(*entity), client.entity(*entity)) else { continue };
        for (index, (has, shows)) in has.iter().zip(shows).enumerate() {
            let Some(field) = protocol.fields.get(index) else { continue };
            if has == shows || client.hidden.has(index) {
                continue;
            }
            let value = |value: i32| match field.unit {
                Unit::Float => json!(f32::from_bits(value as u32)),
                Unit::Int(..) => json!(value),
            };
            fields
                .push(json!({ "entity": entity, "field": field.name, "server": value(*has), "client": value(*shows) }));
        }
    }
    let without = |these: &View, those: &View| -> Vec<u32> {
        these.numbers.iter().copied().filter(|entity| !those.numbers.contains(entity)).collect()
    };
    Difference {
        client: host.to_string(),
        states: [server.state, client.state],
        only_at_the_server: without(server, client),
        only_at_the_client: without(client, server),
        fields,
    }
}
