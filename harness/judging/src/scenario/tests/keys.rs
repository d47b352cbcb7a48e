//! Keys that are missing, or stand in the wrong place.

use super::diagnostics::{check, check_head};

#[test]
fn missing_keys_are_named() {
    check("faults:\n  - drop: { nth: 1 }\n", "8:11: missing key `direction` in faults[0].drop");
    check("timeline:\n  - map: {}\n", "8:5: missing key `at` in timeline[0]");
    check("expect: {}\n", "7:9: missing key `finding` in expect");
    let needed = "a scenario has at least `title`, `why`, `profiles`, `requirements`, `fate_model: 1` and `duration`";
    check_head("fate_model: 1\n", "", &format!("1:1: missing key `fate_model` ({needed})"));
}

#[test]
fn a_preset_in_a_direction_is_sent_to_its_place() {
    let place = "`preset` stands in `network` itself, beside `both`, and is both directions";
    check("network:\n  both: { preset: dsl }\n", &format!("8:11: unknown key `preset` in network.both ({place})"));
    check("network:\n  s2c: { preset: dsl }\n", &format!("8:10: unknown key `preset` in network.s2c ({place})"));
}
