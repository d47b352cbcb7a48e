//! Short sessions, as text, of which `judge` has to say exactly this: what others do that is right, or is named as what it is.

use crate::{run, text};
use std::path::PathBuf;

/// What `judge` prints of a session that was seen on the cable between its ends: the findings, and whether it has `said` anywhere.
fn check(session: &str, findings: &[&str], said: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden/netquake/judged").join(session);
    let path = path.to_str().expect("the path is UTF-8");
    let output = run(&["judge", "--seen-at", "both", path]);
    let all = text(&output.stdout);
    let found: Vec<&str> = all.lines().filter(|line| line.contains(" MUST ") || line.contains(" SHOULD ")).collect();
    assert_eq!(found.len(), findings.len(), "{session}: {found:#?}");
    for (found, expected) in found.iter().zip(findings) {
        assert!(found.trim_start().starts_with(expected), "{session}: {found}");
    }
    assert!(all.contains(said), "{session}: nothing says {said:?} in\n{all}");
    assert_eq!(output.status.code(), Some(i32::from(!findings.is_empty())), "{session}");
}

#[test]
fn a_game_that_writes_an_entity_twice_is_remarked_on() {
    check("entity-mentioned-twice.txt", &[], "an entity is mentioned twice in one datagram");
}

#[test]
fn a_message_of_a_neighbour_cannot_be_read_and_is_named() {
    let named = "message 50 at byte 28 is svc_servervars of the 2021 release, or svc_downloaddata of DarkPlaces";
    check("unknown-service-50-protocol-15.txt", &["FITZ-VER-04 MUST server"], named);
}

#[test]
fn more_names_than_a_byte_numbers_are_remarked_on() {
    check("names-300-protocol-15.txt", &[], "more than 255 models or sounds are announced over protocol 15");
}
