//! The moves of the reference's state machines, as reviewed: a new one, or one that is gone, is a difference.

use crate::mutants::cases_of;
use deltaproof::judge::{Keep, judge};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Scenarios that sign on, sign on under loss, change the map, come late and leave.
const SCENARIOS: [&str; 5] =
    ["fte/delta-clean", "fte/establishment-loss", "fte/extensions-stripped", "fte/map-change", "fte/several-clients"];

#[test]
fn state_machines_move_as_reviewed() {
    let mut seen = BTreeSet::new();
    for id in SCENARIOS {
        for case in cases_of(id) {
            for (role, from, to, cause) in judge(&case, 1, None, Keep::Verdict).transitions {
                seen.insert(format!("{} {role}: {from} -> {to} ({cause})", case.profile.name));
            }
        }
    }
    let text: Vec<String> = seen.into_iter().collect();
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden").join("fte"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("transitions", text.join("\n")));
}
