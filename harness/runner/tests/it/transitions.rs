//! The moves of the reference's state machines, as reviewed: a new one, or one that is gone, is a difference.

use crate::mutants::cases_of;
use deltaproof::judge::{Keep, judge};
use deltaproof::registry::PROTOCOLS;
use kit::Role;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Per protocol, scenarios that sign on, sign on under loss, change the map, come late and leave.
const SCENARIOS: &[(&str, &[&str])] = &[
    ("fte", &["delta-clean", "establishment-loss", "extensions-stripped", "map-change", "several-clients"]),
    (
        "fitz666",
        &["link-clean", "sign-on-loss", "map-change-clean", "several-clients", "reconnect", "protocol-unknown"],
    ),
    ("nvs", &["mixed-clients", "window-loss", "level-change", "late-joiners", "required", "storm-clean"]),
    ("r1q2", &["clean", "late", "map-change", "comes-again", "other-revision", "lesser-revision"]),
    ("pygg2", &["session-clean", "full-server", "leaving", "late-join-clean", "hello-lost", "silence", "overflow"]),
];

#[test]
fn every_protocol_has_scenarios_whose_moves_are_reviewed() {
    let protocols: Vec<&str> = PROTOCOLS.iter().map(|protocol| protocol.name).collect();
    assert_eq!(SCENARIOS.iter().map(|(protocol, _)| *protocol).collect::<Vec<_>>(), protocols);
}

/// The moves that the scenarios of a protocol show, in alphabetical order.
fn moves(protocol: &str, scenarios: &[&str]) -> String {
    let mut seen = BTreeSet::new();
    for name in scenarios {
        for case in cases_of(&format!("{protocol}/{name}")) {
            for (role, from, to, cause) in judge(&case, 1, None, Keep::Verdict).transitions {
                let states = case.protocol.states;
                let known = if role == Role::Server { states.server } else { states.client };
                assert!([from, to].iter().all(|state| known.contains(state)), "{name}: {role} {from} -> {to}");
                seen.insert(format!("{} {role}: {from} -> {to} ({cause})", case.profile.name));
            }
        }
    }
    seen.into_iter().collect::<Vec<String>>().join("\n")
}

#[test]
fn state_machines_move_as_reviewed() {
    for (protocol, scenarios) in SCENARIOS {
        let mut settings = insta::Settings::new();
        settings.set_snapshot_path(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden").join(protocol));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!("transitions", moves(protocol, scenarios)));
    }
}
