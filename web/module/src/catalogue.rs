//! What there is: protocols, requirements, mutants, variants, scenarios.

use judging::coverage;
use judging::registry::PROTOCOLS;
use judging::scenario::{self, Quality, Scenario};
use kit::{Protocol, Requirement, Role};
use serde_json::{Value, json};
use std::sync::Arc;

/// The description of each protocol, by its name.
const TEXTS: [(&str, &str); 5] = [
    ("fte", include_str!("../../../harness/fte/README.md")),
    ("fitz666", include_str!("../../../harness/fitz666/README.md")),
    ("nvs", include_str!("../../../harness/nvs/README.md")),
    ("r1q2", include_str!("../../../harness/r1q2/README.md")),
    ("pygg2", include_str!("../../../harness/pygg2/README.md")),
];

/// All of it.
pub(crate) fn catalogue() -> Result<Value, String> {
    let scenarios = scenario::load_built_in(|_| true).map_err(|error| error.one_line())?;
    let profiles: Vec<coverage::Scenario<'_>> = scenarios
        .iter()
        .map(|scenario| (scenario.id.as_str(), scenario.profiles.iter().map(|profile| profile.name).collect()))
        .collect();
    let protocols: Vec<Value> = PROTOCOLS.iter().map(|protocol| described(protocol, &profiles)).collect();
    let settings = Quality::ALL.map(|(_, name, most)| json!({ "name": name, "most": most }));
    Ok(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "fate_model": sim::FATE_MODEL,
        "settings": settings,
        "protocols": protocols,
        "scenarios": scenarios.iter().map(listed).collect::<Vec<_>>(),
    }))
}

fn described(protocol: &Protocol, scenarios: &[coverage::Scenario<'_>]) -> Value {
    let profiles = protocol.profiles.iter().map(|profile| json!({ "name": profile.name, "title": profile.title }));
    let requirements = protocol.requirements.iter().map(|row| requirement(protocol, row, scenarios));
    let variants = protocol.variants().map(
        |variant| json!({ "name": variant.name, "side": side(variant.replacement.role), "differs": variant.allows }),
    );
    let mutants = protocol.mutants().map(|mutant| {
        json!({
            "name": mutant.name,
            "side": side(mutant.replacement.role),
            "differs": mutant.differs,
            "scenario": mutant.scenario,
            "requirement": mutant.caught_by.id,
        })
    });
    json!({
        "name": protocol.name,
        "title": protocol.title,
        "text": TEXTS.iter().find(|(name, _)| *name == protocol.name).map(|(_, text)| *text),
        "profiles": profiles.collect::<Vec<_>>(),
        "requirements": requirements.collect::<Vec<_>>(),
        "variants": variants.collect::<Vec<_>>(),
        "mutants": mutants.collect::<Vec<_>>(),
    })
}

fn requirement(protocol: &Protocol, row: &Requirement, scenarios: &[coverage::Scenario<'_>]) -> Value {
    json!({
        "id": row.id,
        "level": row.level.to_string(),
        "role": row.role.to_string(),
        "text": row.text,
        "source": row.source,
        "observed": row.observed,
        "errata": row.errata,
        "engines": row.engines,
        "untestable": row.untestable,
        "profiles": row.profiles,
        "decided": row.decided,
        "covered_by": coverage::covering(protocol, row, scenarios),
    })
}

fn side(role: Role) -> &'static str {
    if role == Role::Server { "server" } else { "client" }
}

fn listed(scenario: &Arc<Scenario>) -> Value {
    let cases: Vec<String> = scenario::cases(scenario).iter().map(scenario::Case::name).collect();
    json!({
        "id": scenario.id,
        "protocol": scenario.protocol.name,
        "title": scenario.file.title,
        "why": scenario.file.why,
        "requirements": scenario.requirements.iter().map(|row| row.id).collect::<Vec<_>>(),
        "cases": cases,
    })
}
