//! Mistakes in verbs that are repeated.

use super::diagnostics::check;

#[test]
fn what_is_wrong_with_times_and_steps_is_said_at_its_place() {
    let step = |more: &str, verb: &str| format!("timeline:\n  - {{ at: 1s{more}, verb: {{ name: {verb} }} }}\n");
    let nop = "nop_datagram, host: server, args: { count: 3 }";
    check(&step(", times: 0", nop), "8:22: `times` is 1 to 1000000");
    check(&step(", every: 2s, times: 6", nop), "8:33: the last of 6 times is at 11s, but the run ends at 8s");
    let help = "a `step` without `times` (say beside `at` how often it is done, such as `times: 10`)";
    check(&step("", &format!("{nop}, step: {{ count: 1 }}")), &format!("8:85: {help}"));
    check(&step(", every: 1s", &format!("{nop}, step: {{ count: 1 }}")), &format!("8:96: {help}"));
    check(
        &step(", times: 2", &format!("{nop}, step: {{ cuont: 1 }}")),
        "8:95: fake has no argument `cuont` (did you mean `count`?)",
    );
    check(
        &step(", times: 3", &format!("{nop}, step: {{ count: 0x7fffffff }}")),
        "8:102: an argument is a 32-bit integer; 0x7fffffff is too large",
    );
    check(
        "clients: 2\ntimeline:\n  - { at: 1s, times: 3, verb: { name: greet, host: server, args: { client: 1 }, step: { client: 1 } } }\n",
        "9:97: there is no client 3; this scenario has clients 1 to 2 (`clients:` says how many there are)",
    );
    check(
        "timeline:\n  - { at: 1s, times: 3, map: {} }\n",
        "8:15: `times` repeats verbs, and not `map` (`every` alone repeats a step until `settle` begins)",
    );
    check("timeline:\n  - { at: 1s, verbs: [] }\n", "8:22: a step without a verb");
}

#[test]
fn a_verb_of_a_list_is_told_by_its_place() {
    check(
        "timeline:\n  - at: 1s\n    verbs:\n      - { name: jump, host: client1, args: { count: 1 } }\n      - { name: jmp, host: client1 }\n",
        "11:17: fake has no verb `jmp` (did you mean `jump`?)",
    );
}
