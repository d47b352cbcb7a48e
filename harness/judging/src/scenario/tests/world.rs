//! The instructions of a run: what, when, in which order.

use super::super::cases;
use super::scenario;
use kit::table::{float_bits, float_value};
use kit::{Command, HostId, StatValue, Time};

type Line = (Time, HostId, Command);

fn commands(more: &str, seed: u64) -> Vec<Line> {
    cases(&scenario(more)).remove(0).commands(seed).collect()
}

/// Checks all instructions, as `time host command` with the fields' numbers.
fn check(more: &str, expected: &[&str]) {
    let lines: Vec<String> = commands(more, 1).iter().map(said).collect();
    assert_eq!(lines, expected, "{more}");
}

fn said((time, host, command): &Line) -> String {
    let text = match command {
        Command::Baseline { entity, field, value } => format!("baseline {entity}.{field}={value}"),
        // Field 0 is the float.
        Command::Set { entity, field: 0, value } => format!("set {entity}.0={}", float_value(*value)),
        Command::Set { entity, field, value } => format!("set {entity}.{field}={value}"),
        Command::Spawn { entity } => format!("spawn {entity}"),
        Command::Remove { entity } => format!("remove {entity}"),
        Command::Stat { client, stat, value: StatValue::Int(value) } => format!("stat {client}.{stat}={value}"),
        Command::Stat { client, stat, value: StatValue::Float(value) } => format!("stat {client}.{stat}={value:?}"),
        Command::Verb { verb, args } => format!("verb {verb} {args:?}"),
        other => format!("{other:?}").to_lowercase(),
    };
    format!("{}ms {host} {text}", time.us() / 1000)
}

#[test]
fn baselines_come_first_then_the_world_then_connections() {
    check(
        "clients: 2\nworld:\n  entities:\n    - { entities: 7..8, baseline: { model: 3 }, fields: { origin_x: 10.5 } }\n    \
         - { entity: 5, baseline: { model: 4 }, live: false }\n    - { entity: 6 }\n",
        &[
            "0ms server baseline 7.3=3",
            "0ms server baseline 8.3=3",
            "0ms server baseline 5.3=4",
            "0ms server spawn 6",
            "0ms server spawn 7",
            "0ms server set 7.0=10.5",
            "0ms server spawn 8",
            "0ms server set 8.0=10.5",
            "0ms client1 connect",
            "0ms client2 connect",
        ],
    );
}

#[test]
fn verbs_are_done_so_many_times_with_stepped_arguments_in_the_order_of_the_file() {
    check(
        "timeline:\n  - { at: 1s, every: 500ms, times: 3, verb: { name: jump, host: client1, args: { count: 3 }, step: { count: -2 } } }\n  \
         - at: 1s\n    times: 2\n    verbs:\n      \
         - { name: nop_datagram, host: server, args: { count: 7 }, step: { count: 0x10 } }\n      \
         - { name: jump, host: client1, args: { count: 9 } }\n",
        &[
            "0ms client1 connect",
            "1000ms client1 verb 2 [3, 0, 0, 0]",
            "1000ms server verb 0 [7, 0, 0, 0]",
            "1000ms client1 verb 2 [9, 0, 0, 0]",
            "1000ms server verb 0 [23, 0, 0, 0]",
            "1000ms client1 verb 2 [9, 0, 0, 0]",
            "1500ms client1 verb 2 [1, 0, 0, 0]",
            "2000ms client1 verb 2 [-1, 0, 0, 0]",
        ],
    );
}

#[test]
fn a_repeated_step_comes_again_until_the_world_settles_and_before_crowds() {
    check(
        "settle: 4s\nworld:\n  entities: [ { entity: 5 } ]\n  crowds:\n    - { entities: 5, every: 2s, from: 1s, change: { frame: { step: 1 } } }\n\
         timeline:\n  - { at: 1s, every: 1500ms, verb: { name: jump, host: client1, args: { count: 3 } } }\n  \
         - { at: 1s, remove: { entity: 5 } }\n  - { at: 2s, every: 1s, spawn: { entity: 5, alpha: 20 } }\n",
        &[
            "0ms server spawn 5",
            "0ms client1 connect",
            "1000ms server remove 5",
            "1000ms client1 verb 2 [3, 0, 0, 0]",
            "2000ms server spawn 5",
            "2000ms server set 5.2=20",
            "2500ms client1 verb 2 [3, 0, 0, 0]",
            "3000ms server spawn 5",
            "3000ms server set 5.2=20",
            "3000ms server set 5.1=2",
        ],
    );
}

#[test]
fn a_client_with_a_connect_step_waits_for_it() {
    let connect = "timeline: [ { at: 3s, connect: { client: 1 } } ]\n";
    check(connect, &["3000ms client1 connect"]);
    let again = "timeline: [ { at: 3s, connect: { client: 1 } }, { at: 2s, disconnect: { client: 1 } } ]\n";
    check(again, &["0ms client1 connect", "2000ms client1 disconnect", "3000ms client1 connect"]);
}

#[test]
fn steps_run_in_the_order_of_time_and_equal_ones_in_the_files() {
    check(
        "timeline:\n  - { at: 2s, remove: { entities: 5..6 } }\n  - { at: 1s, spawn: { entities: 5..6, alpha: 20 } }\n  \
         - { at: 2s, spawn: { entity: 5 } }\n  - { at: 2s, set: { entity: 5, frame: 0x10, origin_x: -1 } }\n  \
         - { at: 2500ms, baseline: { entity: 5, model: 9 } }\n  - { at: 3s, stat: { client: 1, stat: 3, value: 250 } }\n  \
         - { at: 3s, stat: { client: 1, stat: 4, value: 2.0 } }\n  \
         - { at: 4s, verb: { name: jump, host: client1, args: { count: 3 } } }\n",
        &[
            "0ms client1 connect",
            "1000ms server spawn 5",
            "1000ms server set 5.2=20",
            "1000ms server spawn 6",
            "1000ms server set 6.2=20",
            "2000ms server remove 5",
            "2000ms server remove 6",
            "2000ms server spawn 5",
            "2000ms server set 5.1=16",
            "2000ms server set 5.0=-1",
            "2500ms server baseline 5.3=9",
            "3000ms server stat 1.3=250",
            "3000ms server stat 1.4=2.0",
            "4000ms client1 verb 2 [3, 0, 0, 0]",
        ],
    );
}

#[test]
fn crowds_step_spread_and_wrap_and_stop_before_the_end() {
    check(
        "world:\n  entities: [ { entities: 1..2, fields: { frame: 250, origin_x: 0.5 } } ]\n  crowds:\n    \
         - { entities: 1..2, every: 100ms, from: 1s, until: 1300ms, change: { frame: { step: 3, wrap: 256, spread: 1 } } }\n    \
         - { entities: 2..2, every: 200ms, from: 1s, until: 1300ms, change: { origin_x: { step: -1 } } }\n",
        &[
            "0ms server spawn 1",
            "0ms server set 1.1=250",
            "0ms server set 1.0=0.5",
            "0ms server spawn 2",
            "0ms server set 2.1=250",
            "0ms server set 2.0=0.5",
            "0ms client1 connect",
            "1000ms server set 1.1=253",
            "1000ms server set 2.1=254",
            "1000ms server set 2.0=-0.5",
            "1100ms server set 1.1=0",
            "1100ms server set 2.1=1",
            "1200ms server set 1.1=3",
            "1200ms server set 2.1=4",
            "1200ms server set 2.0=-1.5",
        ],
    );
}

#[test]
fn crowds_pass_over_entities_that_are_not_there() {
    let more = "settle: 6s\nworld:\n  entities: [ { entities: 1..2 } ]\n  crowds:\n    \
         - { entities: 1..2, every: 500ms, change: { alpha: { step: 1 } } }\ntimeline:\n  - { at: 500ms, remove: { entity: 1 } }\n  \
         - { at: 1s, map: {} }\n  - { at: 1500ms, map: { respawn: true } }\n";
    let lines: Vec<String> = commands(more, 1).iter().map(said).filter(|line| !line.starts_with("0ms")).collect();
    assert_eq!(
        lines,
        [
            "500ms server remove 1",
            "500ms server set 2.2=2",
            "1000ms server map",
            "1500ms server map",
            "1500ms server spawn 1",
            "1500ms server spawn 2",
            "1500ms server set 1.2=4",
            "1500ms server set 2.2=4",
        ]
    );
}

const CHURN: &str = "settle: 1s\nworld:\n  entities: [ { entities: 1..10 } ]\n  churn:\n    \
    - { entities: 1..40, every: 100ms, from: 1s, spawn: 10%, remove: 5%, set: 50%, fields: [origin_x, frame, alpha] }\n";

#[test]
fn churn_is_drawn_from_the_seed_alone() {
    let (first, again, other) = (commands(CHURN, 1), commands(CHURN, 1), commands(CHURN, 2));
    assert_eq!(first, again);
    assert_ne!(first, other);
}

#[test]
fn churn_never_sets_or_removes_what_is_not_there_and_stops_when_the_run_settles() {
    for seed in 0..20 {
        let mut live = std::collections::BTreeSet::new();
        for (time, _, command) in commands(CHURN, seed) {
            assert!(time < Time::from_ms(7000));
            match command {
                Command::Spawn { entity } => assert!(live.insert(entity), "{entity} is there already"),
                Command::Remove { entity } => assert!(live.remove(&entity), "{entity} is not there"),
                Command::Set { entity, field, value } => {
                    assert!(live.contains(&entity), "{entity} is not there");
                    match field {
                        0 => {
                            let value = float_value(value);
                            assert!(value.abs() <= 2000.0 && value * 8.0 == (value * 8.0).trunc(), "{value}");
                            assert_ne!(float_bits(value), i32::MIN);
                        }
                        _ => assert!((0..=255).contains(&value), "{value}"),
                    }
                }
                _ => {}
            }
        }
    }
}

#[test]
fn churn_happens_as_often_as_it_says() {
    let (mut spawns, mut removes, mut sets) = (0, 0, 0);
    for seed in 0..50 {
        for (time, _, command) in commands(CHURN, seed) {
            match command {
                Command::Spawn { .. } if time > Time::ZERO => spawns += 1,
                Command::Remove { .. } => removes += 1,
                Command::Set { .. } => sets += 1,
                _ => {}
            }
        }
    }
    // 60 rounds of 40 entities, 50 times; in the long run two thirds of them are there.
    assert!((3_000..5_500).contains(&spawns), "{spawns}");
    assert!((3_000..5_000).contains(&removes), "{removes}");
    assert!((30_000..42_000).contains(&sets), "{sets}");
}

#[test]
fn the_draws_of_churn_are_known() {
    let lines: Vec<String> = commands(CHURN, 1).iter().skip(11).take(6).map(said).collect();
    assert_eq!(lines, KNOWN);
}

/// A change here changes what every stored seed means.
const KNOWN: [&str; 6] = [
    "1000ms server set 1.0=1015.625",
    "1000ms server set 4.2=149",
    "1000ms server set 5.2=179",
    "1000ms server set 6.0=1780.375",
    "1000ms server set 7.0=-1452.5",
    "1000ms server set 9.2=13",
];
