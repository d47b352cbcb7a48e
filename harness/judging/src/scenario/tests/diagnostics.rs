//! Every mistake is reported at its place, in words that help.

use super::super::fault::FAULTS;
use super::{HEAD, read};

fn wrong(text: &str) -> super::Diagnostic {
    match read(text) {
        Ok(scenario) => panic!("accepted: {:?}\n{text}", scenario.file),
        Err(diagnostic) => diagnostic,
    }
}

/// Checks place, words and advice for what is wrong with `more`, which begins on line 7.
pub(super) fn check(more: &str, expected: &str) {
    check_file(&format!("{HEAD}{more}"), expected);
}

/// Checks the same with a part of the head replaced.
pub(super) fn check_head(part: &str, replacement: &str, expected: &str) {
    check_file(&HEAD.replace(part, replacement), expected);
}

/// Checks the same for a whole file.
pub(super) fn check_file(text: &str, expected: &str) {
    let found = wrong(text).one_line();
    assert_eq!(found.strip_prefix("scenarios/fake/test.yaml:").unwrap_or(&found), expected, "\n{text}");
}

/// Checks what is shown to a person.
fn check_picture(more: &str, expected: &str) {
    let found = wrong(&format!("{HEAD}{more}")).render(false);
    let found: Vec<&str> = found.lines().map(str::trim_end).collect();
    assert_eq!(found.join("\n").trim(), expected.trim(), "\n{more}");
}

#[test]
fn unknown_keys_name_their_nearest_kin() {
    check(
        "timeline:\n  - at: 1s\n    sett: { entity: 5 }\n",
        "9:5: unknown key `sett` in timeline[0] (did you mean `set`?)",
    );
    check("network:\n  s2c: { jiter: 3ms }\n", "8:10: unknown key `jiter` in network.s2c (did you mean `jitter`?)");
    check("faults:\n  - dorp: s2c 1\n", "8:5: unknown key `dorp` in faults[0] (did you mean `drop`?)");
    check(
        "faults:\n  - drop: { direction: s2c, entiti: 5 }\n",
        "8:29: unknown key `entiti` in faults[0].drop (did you mean `entity`?)",
    );
    check(
        "world: { crowds: [ { entities: 1, every: 1s, change: { frame: { stop: 1 } } } ] }\n",
        "7:65: unknown key `stop` in world.crowds[0].change.frame (did you mean `step`?)",
    );
    check(
        "timeline:\n  - { at: 1s, connect: { client: 1, port: 3 } }\n",
        "8:37: unknown key `port` in timeline[0].connect (the keys here are `client`)",
    );
}

#[test]
fn a_wrong_type_is_reported_at_the_value() {
    check(
        "timeline:\n  - { at: 1s, set: { entity: twelve, alpha: 3 } }\n",
        "8:30: timeline[0].set.entity: wrong type: the text \"twelve\", expected a whole number from 0 to 4294967295",
    );
    check(
        "timeline:\n  - { at: 1s, set: { entity: 5, alpha: [3] } }\n",
        "8:40: timeline[0].set.alpha: wrong type: a list, expected a number",
    );
    check("network: 3\n", "7:10: network: wrong type: integer `3`, expected a mapping with `both`, `s2c` and `c2s`");
    check("clients: [1]\n", "7:10: clients: wrong type: a list, expected a whole number from 0 to 65535");
    check("clients: -1\n", "7:10: clients: wrong value: integer `-1`, expected a whole number from 0 to 65535");
    check("clients: 1.5\n", "7:10: clients: wrong type: the fraction `1.5`, expected a whole number from 0 to 65535");
    check(
        "world: { entities: [ { entity: 5, live: maybe } ] }\n",
        "7:41: world.entities[0].live: wrong type: the text \"maybe\", expected `true` or `false`",
    );
    check("timeline: { at: 1s }\n", "7:11: timeline: wrong type: a mapping, expected a list");
    check(
        "seeds: {}\n",
        "7:8: seeds: wrong type: a mapping, expected one seed, an inclusive range or a list, such as 1, 1..64 or [1, 5]",
    );
}

#[test]
fn short_forms_say_how_to_write_them() {
    check(
        "timeline:\n  - { at: 5x, map: {} }\n",
        "8:11: timeline[0].at: `5x` is not a length of time (write a number and its unit, such as 1500us, 50ms, 2s, 2min, 18h or 400d)",
    );
    check(
        "network: { both: { latency: 25 } }\n",
        "7:29: network.both.latency: `25` is not a length of time (write a number and its unit, such as 1500us, 50ms, 2s, 2min, 18h or 400d)",
    );
    check(
        "network: { both: { loss: 5 } }\n",
        "7:26: network.both.loss: `5` is not a percentage (write a number from 0 to 100 with at most four decimals and a percent sign, such as 2% or 0.05%)",
    );
    check(
        "network: { both: { loss: 101% } }\n",
        "7:26: network.both.loss: `101%` is not a percentage (write a number from 0 to 100 with at most four decimals and a percent sign, such as 2% or 0.05%)",
    );
    check(
        "network: { both: { bandwidth: 64kb } }\n",
        "7:31: network.both.bandwidth: `64kb` is not a rate per second (write a number and its unit, such as 1200bit, 64kbit or 1mbit)",
    );
    check(
        "faults:\n  - drop: s2c 15..12\n",
        "8:11: faults[0].drop: `s2c 15..12` selects no datagrams (write a direction and their places, such as s2c 12..15)",
    );
    check(
        "faults:\n  - drop: { direction: s2c, nth: 4..1 }\n",
        "8:34: faults[0].drop.nth: `4..1` is not a number or an inclusive range (write the smaller end first, such as 1..4, or one number)",
    );
    check(
        "options: { server_fte2: x }\n",
        "7:25: options.server_fte2: `x` is not an integer (write it in decimal or hexadecimal, such as 40, -1 or 0x28)",
    );
    check(
        "timeline:\n  - { at: 1s, spawn: { entity: 5, alpha: lots } }\n",
        "8:42: timeline[0].spawn.alpha: `lots` is not a number (write an integer or a fraction, such as 3, -1, 0x28 or 10.5)",
    );
    check(
        "timeline:\n  - { at: 1s, verb: { name: nop_datagram, host: nobody } }\n",
        "8:49: timeline[0].verb.host: `nobody` is not a host (write `server`, or `client` and its number, such as client1)",
    );
    check(
        "seeds: 5..1\n",
        "7:8: seeds: `5..1` is not one seed, an inclusive range or a list (write 1, 1..64 or [1, 5])",
    );
    check("seeds: 1..100000\n", "7:8: seeds: `1..100000` is more than 65536 seeds, the limit for a scenario");
    check("seeds: []\n", "7:8: seeds: a scenario needs at least one seed");
    check("seeds: [1, 2, 1]\n", "7:8: seeds: seed 1 stands twice: the same run tells nothing more");
    check("expect: fail\n", "7:9: expect: `fail` is no expectation (write `pass` or `{ finding: ID }`)");
    check("golden: trce\n", "7:9: unknown word `trce` in golden (did you mean `trace`?)");
    check(
        "faults:\n  - drop: { direction: up }\n",
        "8:24: unknown word `up` in faults[0].drop.direction (the words here are `s2c`, `c2s`, `both`)",
    );
}

#[test]
fn a_key_that_stands_twice_is_reported_with_both_places() {
    check("title: again\n", "7:1: duplicate key `title`; the first is on line 1 (keep one of the two)");
    check(
        "faults:\n  - drop: { direction: s2c,\n      carries: reset, carries: ack }\n",
        "9:23: duplicate key `carries` in faults[0].drop; the first is on line 9 (keep one of the two)",
    );
    check(
        "timeline:\n  - { at: 1s, spawn: { entity: 5, alpha: 1, frame: 2, alpha: 3 } }\n",
        "8:55: duplicate key `alpha` in timeline[0].spawn; the first is on line 8 (keep one of the two)",
    );
}

#[test]
fn merge_keys_nulls_and_tags_are_refused() {
    check(
        "network: { both: &x { loss: 1% }, s2c: { <<: *x } }\n",
        "7:42: a merge key `<<` in network.s2c is not allowed (write the keys out, or name the whole value with `&name` and use it again as `*name`)",
    );
    check(
        "network: { both: { latency: } }\n",
        "7:20: network.both.latency has no value (give it a value (`{}` for an empty mapping), or remove the key)",
    );
    check(
        "timeline:\n  - at: 1s\n    map:\n",
        "9:5: timeline[0].map has no value (give it a value (`{}` for an empty mapping), or remove the key)",
    );
    check("control: !secret x\n", "7:10: tags such as `!name` are not allowed (remove the tag)");
    check("? [a]\n: b\n", "7:3: wrong type: a list, expected a word as the key");
}

#[test]
fn names_that_the_protocol_does_not_have_get_a_suggestion() {
    check(
        "timeline:\n  - { at: 1s, spawn: { entity: 4, alhpa: 3 } }\n",
        "8:35: fake has no field `alhpa` (did you mean `alpha`?)",
    );
    check(
        "world: { entities: [ { entity: 4, baseline: { speed: 1 } } ] }\n",
        "7:47: fake has no field `speed` (the names here are `origin_x`, `frame`, `alpha`, `model`)",
    );
    check(
        "world: { churn: [ { entities: 1, every: 1s, spawn: 1%, remove: 1%, set: 1%, fields: [alpha, fram] } ] }\n",
        "7:93: fake has no field `fram` (did you mean `frame`?)",
    );
    check(
        "faults:\n  - drop: { direction: s2c, carries: rest }\n",
        "8:38: fake has no mark `rest` (did you mean `reset`?)",
    );
    check(
        "must_reach:\n  - { sent: { direction: s2c, carries: bulk } }\n",
        "8:40: fake has no mark `bulk` (the marks are `reset`, `delta`, `ack`)",
    );
    check("texts: { tabels: none }\n", "7:10: fake has no text `tabels` (did you mean `tables`?)");
    check("texts:\n  tables: some\n", "8:11: the text `tables`: line 1 is no table (a table is the word `none`)");
    check("options: { server_fte: 3 }\n", "7:12: fake has no option `server_fte` (did you mean `server_fte2`?)");
    check(
        "matrix: [ { option: cleint_fte2, values: [1] } ]\n",
        "7:21: fake has no option `cleint_fte2` (did you mean `client_fte2`?)",
    );
    check(
        "timeline:\n  - { at: 1s, verb: { name: nop_datagrm, host: server, args: { count: 3 } } }\n",
        "8:29: fake has no verb `nop_datagrm` (did you mean `nop_datagram`?)",
    );
    check(
        "timeline:\n  - { at: 1s, verb: { name: nop_datagram, host: server, args: { cuont: 3 } } }\n",
        "8:65: fake has no argument `cuont` (did you mean `count`?)",
    );
    check(
        "must_reach:\n  - { state: { host: client1, name: spawned } }\n",
        "8:37: fake has no state `spawned` (the states are `loading`, `active`)",
    );
    check(
        "must_reach:\n  - { note: { host: server, name: aplied } }\n",
        "8:35: fake has no note `aplied` (did you mean `applied`?)",
    );
    check(
        "expect: { finding: FAKE-RST-20 }\n",
        "7:20: no requirement `FAKE-RST-20` in the catalogue of fake (did you mean `FAKE-RST-02`?)",
    );
}

#[test]
fn values_must_fit_their_fields() {
    check(
        "timeline:\n  - { at: 1s, spawn: { entity: 4, alpha: 300 } }\n",
        "8:42: 300 is out of the range of `alpha`, 0 to 255",
    );
    check(
        "timeline:\n  - { at: 1s, spawn: { entity: 4, alpha: -1 } }\n",
        "8:42: -1 is out of the range of `alpha`, 0 to 255",
    );
    check(
        "timeline:\n  - { at: 1s, spawn: { entity: 4, alpha: 1.5 } }\n",
        "8:42: `alpha` is an integer from 0 to 255, not the fraction 1.5",
    );
    check(
        "timeline:\n  - { at: 1s, spawn: { entity: 4, origin_x: 1e39 } }\n",
        "8:45: `origin_x` has no room for 1000000000000000000000000000000000000000",
    );
    check(
        "timeline:\n  - { at: 1s, stat: { client: 1, stat: 256, value: 1 } }\n",
        "8:40: timeline[0].stat.stat: wrong value: integer `256`, expected a whole number from 0 to 255",
    );
    check(
        "timeline:\n  - { at: 1s, stat: { client: 1, stat: 3, value: 2147483648 } }\n",
        "8:50: a statistic has no room for 2147483648: it is a 32-bit integer or a float",
    );
    check(
        "timeline:\n  - { at: 1s, verb: { name: nop_datagram, host: server, args: { count: 0x100000000 } } }\n",
        "8:72: an argument is a 32-bit integer; 0x100000000 is too large",
    );
    check(
        "world: { entities: [ { entities: 1..4 } ], crowds: [ { entities: 1..4, every: 50ms, change: { frame: { step: 10 } } } ] }\n",
        "7:102: `frame` would become 1600, out of its range, 0 to 255 (`wrap` keeps the values from 0 to below it: `wrap: 256` at most)",
    );
    check(
        "world: { entities: [ { entities: 1..4 } ], crowds: [ { entities: 1..4, every: 50ms, change: { frame: { step: 1, wrap: 512 } } } ] }\n",
        "7:102: `frame` would become 511, out of its range, 0 to 255 (`wrap` keeps the values from 0 to below it: `wrap: 256` at most)",
    );
    check(
        "world: { entities: [ { entities: 1..4 } ], crowds: [ { entities: 1..4, every: 50ms, change: { frame: { step: 0.5, wrap: 8 } } } ] }\n",
        "7:110: the field is an integer, `step` a fraction",
    );
    check(
        "world: { entities: [ { entities: 1..4 } ], crowds: [ { entities: 1..4, every: 50ms, change: { frame: { step: 1, wrap: 0 } } } ] }\n",
        "7:119: `wrap` must be greater than 0",
    );
}

#[test]
fn a_one_of_has_exactly_one() {
    check(
        "timeline:\n  - { at: 1s }\n",
        "8:5: timeline[0] has no action (give exactly one of `set`, `spawn`, `remove`, `baseline`, `stat`, `map`, `connect`, `disconnect`, `verb`, `verbs`)",
    );
    check(
        "timeline:\n  - { at: 1s, map: {}, connect: { client: 1 } }\n",
        "8:24: timeline[0] has more than one action: `map` and `connect` (make two entries of it: one action each)",
    );
    let faults = FAULTS.iter().map(|fault| fault.name).chain(["outage", "pause", "restart", "rebind"]);
    let faults: Vec<String> = faults.map(|name| format!("`{name}`")).collect();
    let no_fault = format!("8:5: faults[0] has no fault (give exactly one of {})", faults.join(", "));
    assert!(no_fault.contains("`drop`, `deliver`, `delay`"), "{no_fault}");
    check("faults:\n  - {}\n", &no_fault);
    check(
        "faults:\n  - { drop: s2c 1, outage: { direction: s2c, from: 1s, for: 1s } }\n",
        "8:20: faults[0] has more than one fault: `drop` and `outage` (make two entries of it: one fault each)",
    );
    check(
        "must_reach:\n  - { at_least: 3 }\n",
        "8:5: must_reach[0] has no condition (give exactly one of `sent`, `delivered`, `lost`, `state`, `note`, `observed`)",
    );
    check(
        "timeline:\n  - { at: 1s, remove: {} }\n",
        "8:23: timeline[0].remove says not which entities (give `entity: 5` or `entities: 5..9`)",
    );
    check(
        "timeline:\n  - { at: 1s, remove: { entity: 3, entities: 3..4 } }\n",
        "8:36: both `entity` and `entities` are given (keep one of the two)",
    );
    check(
        "faults:\n  - outage: { direction: both, from: 1s }\n",
        "8:13: the outage has no end (say `for: 3s`, or `until: 5s`)",
    );
    check(
        "faults:\n  - outage: { direction: both, from: 1s, for: 1s, until: 3s }\n",
        "8:51: both `for` and `until` are given (keep one of the two)",
    );
}

#[test]
fn times_must_be_in_order_and_within_the_run() {
    check("timeline:\n  - { at: 8s, map: {} }\n", "8:11: a step at 8s, but the run ends at 8s");
    check(
        "settle: 2s\ntimeline:\n  - { at: 6001ms, map: {} }\n",
        "9:11: a `map` at 6001ms, but the run settles from 6s (move the step forward, or make `settle` shorter or `duration` longer)",
    );
    check(
        "settle: 8s\n",
        "7:9: `settle` is 8s of a run of 8s (`settle` is the last part of `duration`, in which nothing changes any more)",
    );
    check(
        "faults:\n  - outage: { direction: both, from: 5s, until: 3s }\n",
        "8:49: it begins at 5s and ends at 3s: nothing is between (the first moment must be before the second)",
    );
    check(
        "faults:\n  - outage: { direction: both, from: 5s, for: 0s }\n",
        "8:47: it begins at 5s and ends at 5s: nothing is between (the first moment must be before the second)",
    );
    check(
        "faults:\n  - outage: { direction: both, from: 9s, for: 1s }\n",
        "8:38: `from` is 9s, after the end of the run, 8s",
    );
    check(
        "settle: 2s\nfaults:\n  - outage: { direction: both, from: 5s, for: 3s }\n",
        "9:47: the outage lasts until 8s, but the run settles from 6s (nothing settles while nothing gets through)",
    );
    check(
        "settle: 2s\nnetwork: { s2c: { until: 7s } }\n",
        "8:26: random faults until 7s, but the run settles from 6s (leave `until` out: it is the beginning of `settle` then)",
    );
    check(
        "faults:\n  - drop: { direction: s2c, from: 3s, until: 2s }\n",
        "8:46: it begins at 3s and ends at 2s: nothing is between (the first moment must be before the second)",
    );
    check(
        "world: { entities: [ { entity: 1 } ], crowds: [ { entities: 1, every: 50ms, from: 3s, until: 2s, change: { alpha: { step: 0 } } } ] }\n",
        "7:94: it begins at 3s and ends at 2s: nothing is between (the first moment must be before the second)",
    );
    check(
        "settle: 2s\nworld: { churn: [ { entities: 1, every: 1s, until: 7s, spawn: 1%, remove: 1%, set: 0%, fields: [] } ] }\n",
        "8:52: it ends at 7s, but the run settles from 6s (leave `until` out: it is the beginning of `settle` then)",
    );
    check(
        "world: { churn: [ { entities: 1, every: 10us, spawn: 1%, remove: 1%, set: 0%, fields: [] } ] }\n",
        "7:41: changes happen at most once in a millisecond",
    );
    check(
        "timeline: [ { at: 1s, every: 10us, stat: { client: 1, stat: 3, value: 1 } } ]\n",
        "7:30: changes happen at most once in a millisecond",
    );
    check(
        "settle: 2s\ntimeline: [ { at: 6s, every: 1s, stat: { client: 1, stat: 3, value: 1 } } ]\n",
        "8:19: it begins at 6s and ends at 6s: nothing is between (the first moment must be before the second)",
    );
}

#[test]
fn entities_and_clients_must_exist() {
    check(
        "timeline:\n  - { at: 1s, spawn: { entity: 4194304 } }\n",
        "8:32: entity 4194304 is beyond the highest number, 4194303",
    );
    check(
        "timeline:\n  - { at: 1s, spawn: { entities: 4194300..4194304 } }\n",
        "8:34: entity 4194304 is beyond the highest number, 4194303",
    );
    check(
        "timeline:\n  - { at: 1s, set: { entity: 4, alpha: 1 } }\n",
        "8:30: entity 4 is never in the world (list it under `world: entities:`, or let it appear with a `spawn` step)",
    );
    check(
        "world: { entities: [ { entities: 1..3 }, { entity: 5 } ] }\ntimeline:\n  - { at: 1s, remove: { entities: 1..5 } }\n",
        "9:35: entity 4 is never in the world (list it under `world: entities:`, or let it appear with a `spawn` step)",
    );
    check(
        "world: { crowds: [ { entities: 1..4, every: 50ms, change: { frame: { step: 1 } } } ] }\n",
        "7:32: entity 1 is never in the world (list it under `world: entities:`, or let it appear with a `spawn` step)",
    );
    check(
        "world:\n  entities:\n    - { entity: 5 }\n    - { entities: 4..6 }\n",
        "10:19: entity 5 is described twice, first by world.entities[0]",
    );
    check(
        "timeline:\n  - { at: 1s, disconnect: { client: 2 } }\n",
        "8:37: there is no client 2; this scenario has client 1 alone (`clients:` says how many there are)",
    );
    check(
        "clients: 3\ntimeline:\n  - { at: 1s, connect: { client: 0 } }\n",
        "9:34: there is no client 0; this scenario has clients 1 to 3 (`clients:` says how many there are)",
    );
    check(
        "faults:\n  - drop: { direction: s2c, client: 3, nth: 1 }\n",
        "8:37: there is no client 3; this scenario has client 1 alone (`clients:` says how many there are)",
    );
    check(
        "must_reach:\n  - { state: { host: client2, name: active } }\n",
        "8:22: there is no client 2; this scenario has client 1 alone (`clients:` says how many there are)",
    );
    check(
        "timeline:\n  - { at: 1s, verb: { name: greet, host: server, args: { client: 2 } } }\n",
        "8:66: there is no client 2; this scenario has client 1 alone (`clients:` says how many there are)",
    );
    check(
        "timeline:\n  - { at: 1s, verb: { name: greet, host: client1, args: { client: 1 } } }\n",
        "8:42: `greet` is a verb of the server, not of client1 (write `host: server`)",
    );
    check(
        "timeline:\n  - { at: 1s, verb: { name: jump, host: server } }\n",
        "8:41: `jump` is a verb of clients, not of server (write `host: client1`)",
    );
    check("clients: 9\n", "7:10: 9 clients; a scenario has 1 to 8");
    check("clients: 0\n", "7:10: 0 clients; a scenario has 1 to 8");
}

#[test]
fn what_can_have_no_effect_is_a_mistake() {
    check(
        "faults:\n  - drop: { direction: s2c }\n",
        "8:11: this selects every datagram (add `index`, `nth`, `carries`, or `from` and `until`; `outage` blocks everything)",
    );
    check(
        "faults:\n  - drop: { direction: s2c, nth: 0..2 }\n",
        "8:34: `nth` is counted from 1; 0..2 begins before that",
    );
    check("faults:\n  - drop: { direction: s2c, nth: 1, by: 3ms }\n", "8:37: `by` belongs to `delay`, not to `drop`");
    check(
        "faults:\n  - delay: { direction: s2c, nth: 1 }\n",
        "8:12: `delay` needs `by` (say how much later, such as `by: 80ms`)",
    );
    check(
        "faults:\n  - flip: s2c 3\n",
        "8:11: `flip` needs `bit` (say which bit, counted from the lowest of the first byte, such as `bit: 13`)",
    );
    check(
        "faults:\n  - drop: { direction: s2c, entity: 5 }\n",
        "8:29: `entity` without `carries` (say with `carries` what concerns it: `reset`, `delta`, `ack`)",
    );
    check(
        "faults:\n  - drop: { direction: s2c, carries: reset, entity: 5, number: 5 }\n",
        "8:56: both `entity` and `number` are given (a datagram's content concerns one number: keep one of the two)",
    );
    check("network: { s2c: { queue: 100 } }\n", "7:26: `queue` has no effect without `bandwidth`");
    check("network: { both: { reorder_delay: 3ms } }\n", "7:35: `reorder_delay` has no effect without `reorder`");
    check("network: { both: { mtu: 0 } }\n", "7:25: `mtu` must be at least 1");
    check("network: { both: { latency: 61s } }\n", "7:29: `latency` is 61s; the limit is 60s");
    check(
        "timeline:\n  - { at: 1s, baseline: { entity: 5 } }\n",
        "8:25: timeline[0].baseline changes no field (name at least one field and its value, such as `frame: 2`)",
    );
    check(
        "world: { entities: [ { entity: 5, live: false, fields: { alpha: 1 } } ] }\n",
        "7:48: an entity that is not live has no fields but its baseline (move them to `baseline`, or to the `spawn` step that lets it appear)",
    );
    check(
        "world: { churn: [ { entities: 1, every: 1s, spawn: 0%, remove: 0%, set: 0%, fields: [] } ] }\n",
        "7:19: world.churn[0] does nothing: all its chances are 0%",
    );
    check(
        "must_reach:\n  - { lost: { direction: s2c, carries: reset }, at_least: 0 }\n",
        "8:59: at least 0 is always reached (a condition that cannot fail proves nothing: remove it, or say `at_most`)",
    );
    check(
        "must_reach:\n  - { lost: { direction: s2c }, at_least: 3, at_most: 2 }\n",
        "8:55: at least 3, but at most 2",
    );
    check(
        "must_reach:\n  - { observed: { direction: s2c, loss: 1% }, at_least: 1 }\n",
        "8:47: `at_least` does not go with `observed` (the shares that `observed` names are the least that must be seen)",
    );
    check(
        "must_reach:\n  - { observed: { direction: s2c } }\n",
        "8:17: `observed` names no harm (give at least one of `loss`, `duplicate`, `reorder`, `spike`)",
    );
    check("matrix: [ { option: client_fte2, values: [8, 0x8] } ]\n", "7:46: duplicate value 0x8");
    check("matrix: [ { option: client_fte2, values: [] } ]\n", "7:42: no values to take in turn");
    check(
        "options: { client_fte2: 1 }\nmatrix: [ { option: client_fte2, values: [2] } ]\n",
        "8:21: the option `client_fte2` has got its value elsewhere (give an option once: under `options`, or in one entry of `matrix`)",
    );
    check(
        "timeline:\n  - { at: 1s, verb: { name: nop_datagram, host: server } }\n",
        "8:21: the verb `nop_datagram` needs its argument `count` (its arguments are `count`)",
    );
}

#[test]
fn what_would_never_end_is_refused() {
    check("world: { entities: [ { entities: 0..65536 } ] }\n", "7:34: more than 65536 entities, the limit");
    check(
        "world: { churn: [ { entities: 1..60000, every: 1ms, spawn: 1%, remove: 1%, set: 0%, fields: [] } ] }\n",
        "7:19: crowds, churn and repeated steps make more than 20000000 changes, the limit (take fewer entities or fields, a longer `every`, or a shorter run)",
    );
    check(
        "matrix: [ { option: client_fte2, values: [0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16] }, { option: server_fte2, values: [0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16] } ]\n",
        "7:119: the matrix makes more than 256 variants",
    );
}

#[test]
fn the_head_is_checked_against_the_registry() {
    check_head("[fake-nq]", "[fake-nk]", "3:12: unknown profile `fake-nk` (did you mean `fake-nq`?)");
    check_head(
        "[fake-nq]",
        "[fake-nq, other-1]",
        "3:21: `other-1` is a profile of other, `fake-nq` one of fake: a scenario has one protocol",
    );
    check_head("[fake-nq]", "[fake-nq, fake-nq]", "3:21: duplicate profile `fake-nq`");
    check_head("[fake-nq]", "[]", "3:11: a scenario needs at least one profile");
    check_head(
        "[FAKE-RST-01]",
        "[FAKE-RST-1]",
        "4:16: no requirement `FAKE-RST-1` in the catalogue of fake (did you mean `FAKE-RST-01`?)",
    );
    check_head("[FAKE-RST-01]", "[FAKE-RST-01, FAKE-RST-01]", "4:29: duplicate requirement `FAKE-RST-01`");
    check_head(
        "[FAKE-RST-01]",
        "[]",
        "4:15: a scenario that covers no requirement proves nothing (list the ids of the requirements that it is about)",
    );
    check_head("fate_model: 1", "fate_model: 2", "5:13: fate model 2 is not known; this program has 1");
    check_head("duration: 8s", "duration: 0s", "6:11: a duration of 0s; a run lasts more than 0s and at most a day");
    check_head(
        "duration: 8s",
        "duration: 25y",
        "6:11: duration: `25y` is not a length of time (write a number and its unit, such as 1500us, 50ms, 2s, 2min, 18h or 400d)",
    );
    check_head(
        "duration: 8s",
        "duration: 1441min",
        "6:11: a duration of 86460s; a run lasts more than 0s and at most a day",
    );
    check_head("why: it is tested", "why: ''", "2:6: `why` says nothing");
}

#[test]
fn a_person_sees_the_line_with_a_caret() {
    check_picture(
        "timeline:\n  - at: 1s\n    set: { entty: 5 }\n",
        "
  × fake has no field `entty`
   ╭─[scenarios/fake/test.yaml:9:12]
 8 │   - at: 1s
 9 │     set: { entty: 5 }
   ·            ──┬──
   ·              ╰── no such field
   ╰────
  help: did you mean `entity`?",
    );
    check_picture(
        "clients: 1\ntitle: again\n",
        "
  × duplicate key `title`; the first is on line 1
   ╭─[scenarios/fake/test.yaml:1:1]
 1 │ title: a test
   · ──┬──
   ·   ╰── the first
 2 │ why: it is tested
   ╰────
   ╭─[scenarios/fake/test.yaml:8:1]
 7 │ clients: 1
 8 │ title: again
   · ──┬──
   ·   ╰── the second
   ╰────
  help: keep one of the two",
    );
    check_picture(
        "network: { both: { latency: 25 } }\n",
        "
  × network.both.latency: `25` is not a length of time
   ╭─[scenarios/fake/test.yaml:7:29]
 6 │ duration: 8s
 7 │ network: { both: { latency: 25 } }
   ·                             ─┬
   ·                              ╰── here
   ╰────
  help: write a number and its unit, such as 1500us, 50ms, 2s, 2min, 18h or 400d",
    );
}
