//! What the server and each client showed when the first violation was seen, where they differ: `state-diff.json`.

use crate::candidate::Candidate;
use crate::judge::{Judgement, Keep};
use crate::shrink::Failed;
use kit::{HostId, Protocol, Unit, View};
use serde::Serialize;
use serde_json::{Value, json};

/// In what a client differs from the server.
#[derive(Serialize)]
pub(super) struct Difference {
    client: String,
    /// The states of the two ends' machines.
    states: [&'static str; 2],
    /// Entities that the server has and the client does not show, and the other way round.
    only_at_the_server: Vec<u32>,
    only_at_the_client: Vec<u32>,
    fields: Vec<Field>,
}

impl Difference {
    /// A line for each.
    pub fn lines(&self) -> Vec<String> {
        let Difference { client, only_at_the_server, only_at_the_client, fields, .. } = self;
        let entities = |numbers: &[u32]| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        let mut lines = Vec::new();
        if !only_at_the_server.is_empty() {
            lines.push(format!("{client} does not show what the server has: entity {}", entities(only_at_the_server)));
        }
        if !only_at_the_client.is_empty() {
            lines.push(format!(
                "{client} shows what is not in the server's world: entity {}",
                entities(only_at_the_client)
            ));
        }
        let field = |it: &Field| {
            let Field { entity, field, server, client: shown } = it;
            format!("{client} shows entity {entity} {field} {shown}, the server has {server}")
        };
        lines.extend(fields.iter().map(field));
        lines
    }
}

/// A field whose value differs.
#[derive(Serialize)]
struct Field {
    entity: u32,
    field: &'static str,
    server: Value,
    client: Value,
}

/// The file of the differences in the run that was `shown`.
pub(super) fn text(differences: &[Difference], shown: &Judgement) -> String {
    let at_us = shown.findings.first().map(|finding| finding.at.us());
    let about = "an end may rightly differ from the other while datagrams are under way";
    let all = json!({ "at_us": at_us, "about": about, "clients": differences });
    serde_json::to_string_pretty(&all).unwrap_or_default() + "\n"
}

/// The differences after a run.
pub(super) fn differences(failed: Failed<'_>) -> Vec<Difference> {
    let views = Candidate::judge(failed.candidate, failed.case, failed.seed, Keep::Views).views;
    let nothing = View::default();
    let server = views.get(&HostId::SERVER).unwrap_or(&nothing);
    let clients = views.iter().filter(|(host, _)| **host != HostId::SERVER);
    clients.map(|(host, client)| difference(failed.case.protocol, server, *host, client)).collect()
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
            fields.push(Field { entity: *entity, field: field.name, server: value(*has), client: value(*shows) });
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
