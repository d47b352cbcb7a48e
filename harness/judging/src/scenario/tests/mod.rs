//! Tests of scenarios as a whole, against a protocol that is made up.

mod diagnostics;
mod files;
mod keys;
mod network;
mod options;
mod plan;
mod rebind;
mod verbs;
mod world;

use super::{Diagnostic, Scenario, parse_with};
use kit::options::option;
use kit::{
    Field, KnownBy, Level, Note, OptionInfo, Profile, Protocol, Requirement, Role, States, TextInfo, Unit, Verb,
};
use std::path::Path;
use std::sync::Arc;

const fn requirement(id: &'static str) -> Requirement {
    Requirement::new(id, Role::Server, Level::Must, "", "", "")
}

static RST_01: Requirement = requirement("FAKE-RST-01");
static RST_02: Requirement = requirement("FAKE-RST-02");

static REQUIREMENTS: &[&Requirement] = &[&RST_01, &RST_02];

const fn fake(name: &'static str, profiles: &'static [Profile]) -> Protocol {
    Protocol {
        name,
        title: "made up",
        profiles,
        fields: &[
            Field { name: "origin_x", unit: Unit::Float },
            Field { name: "frame", unit: Unit::Int(0, 255) },
            Field { name: "alpha", unit: Unit::Int(0, 255) },
            Field { name: "model", unit: Unit::Int(0, 65535) },
        ],
        timed_fields: None,
        verbs: &[
            Verb { name: "nop_datagram", to: Role::Server, args: &["count"], help: "send datagrams that say nothing" },
            Verb { name: "greet", to: Role::Server, args: &["client"], help: "greet a client" },
            Verb { name: "jump", to: Role::Client, args: &["count"], help: "jump" },
        ],
        options: &OPTIONS,
        texts: &[TextInfo {
            name: "tables",
            default: "none",
            help: "a table is the word `none`",
            check: |text| if text.trim() == "none" { Ok(()) } else { Err(String::from("line 1 is no table")) },
            dialect: false,
        }],
        marks: &["reset", "delta", "ack"],
        requirements: REQUIREMENTS,
        checks: &[],
        points: &[],
        misbehaviour: &[],
        notes: &[
            Note { name: "applied", args: &[], help: "a frame was applied" },
            Note { name: "history overflow", args: &[], help: "a frame left the history unacknowledged" },
        ],
        mutants: &[],
        variants: &[],
        port_change: None,
        demo: |_| None,
        max_clients: 64,
        states: States { server: &["spawned", "active"], client: &["loading", "active"], left: &[] },
        server: |_| unreachable!("no test runs anything"),
        client: |_| unreachable!("no test runs anything"),
        oracle: |_| unreachable!("no test runs anything"),
        dissector: |_| unreachable!("no test runs anything"),
    }
}

static OPTIONS: [OptionInfo; 2] =
    [option("server_fte2", 0x20, 0..=0xff, "a mask"), option("client_fte2", 0x28, 0..=0xff, "a mask")];

static FAKE: Protocol = fake(
    "fake",
    &[
        Profile { name: "fake-nq", title: "", index: 0, udp_port: 1, known_by: KnownBy::Number },
        Profile { name: "fake-qw", title: "", index: 1, udp_port: 1, known_by: KnownBy::Number },
    ],
);

static OTHER: Protocol =
    fake("other", &[Profile { name: "other-1", title: "", index: 0, udp_port: 1, known_by: KnownBy::Port }]);

/// The keys that every scenario needs. Six lines: what is appended to it begins on line 7.
const HEAD: &str = "\
title: a test
why: it is tested
profiles: [fake-nq]
requirements: [FAKE-RST-01]
fate_model: 1
duration: 8s
";

fn read(text: &str) -> Result<Scenario, Diagnostic> {
    parse_with(&[&FAKE, &OTHER], "fake/test", Path::new("scenarios/fake/test.yaml"), text)
}

/// A scenario from [`HEAD`] and more keys, which must be right.
fn scenario(more: &str) -> Arc<Scenario> {
    match read(&format!("{HEAD}{more}")) {
        Ok(scenario) => Arc::new(scenario),
        Err(diagnostic) => panic!("{}", diagnostic.render(false)),
    }
}

/// A file with every key.
const FULL: &str = "\
# A comment.
title: The first carrier of a reset is lost — é
why: >-
  A reset that is lost must come again. [Brackets, 'quotes' and # signs]
  are text here.
profiles: [fake-nq, fake-qw]
requirements: [FAKE-RST-01, FAKE-RST-02]
control: fake/clean
fate_model: 1
options: { server_fte2: 0x28 }
matrix:
  - { option: client_fte2, values: [0x8, 0x28] }
clients: 2
world:
  entities:
    - { entity: 65, baseline: { model: 3 }, fields: { origin_x: 10.5, frame: 2 } }
    - { entities: 1..60, baseline: &box { model: 7, alpha: 1 } }
    - { entity: 70, baseline: *box, live: false }
  crowds:
    - { entities: 1..60, every: 50ms, from: 1s, until: 5s, change: { origin_x: { step: 8, wrap: 512 }, frame: { step: 1, wrap: 256, spread: 3 } } }
  churn:
    - { entities: 100..120, every: 100ms, from: 1s, until: 6s, spawn: 10%, remove: 5%, set: 50%, fields: [origin_x, alpha] }
network:
  preset: wifi
  both: { latency: 25ms, jitter: 10ms, loss: 5%, duplicate: 2%, duplicate_delay: 30ms, reorder: 3%, reorder_delay: 40ms }
  s2c: { burst: { enter: 0.5%, leave: 25%, loss: 90% }, mtu: 1400, bandwidth: 64kbit, queue: 8192, spike: { enter: 0.1%, by: 200ms, for: 400ms } }
  c2s: { corrupt: 0%, truncate: 0.1%, until: 5s }
faults:
  - drop: { direction: s2c, client: 1, carries: reset, entity: 5, nth: 1..2 }
  - drop: s2c 12..15
  - outage: { direction: both, from: 2s, for: 2200ms }
  - pause: { host: client2, from: 2s, until: 3s }
  - restart: { host: client1, from: 3s, for: 300ms }
  - rebind: { client: 1, at: 4s }
  - duplicate: { direction: c2s, carries: ack, nth: 3, after: 20ms }
  - delay: { direction: c2s, carries: ack, number: 9, by: 80ms }
  - truncate: { direction: c2s, from: 1s, until: 2s, keep: 20 }
  - flip: { direction: c2s, index: 0x10..0x1f, bit: 13 }
  - deliver: { direction: both, nth: 40 }
clocks:
  - { host: client1, ahead: 90s, fast: 0.02% }
  - { host: server, slow: 0.05% }
timeline:
  - { at: 1s, set: { entity: 65, alpha: 20, origin_x: 1.5 } }
  - { at: 1s, spawn: { entities: 80..81 } }
  - { at: 2s, remove: { entity: 65 } }
  - { at: 2s, baseline: { entity: 65, model: 4 } }
  - { at: 2s, stat: { client: 1, stat: 3, value: 250 } }
  - { at: 3s, map: { respawn: true } }
  - { at: 3s, connect: { client: 2 } }
  - { at: 4s, disconnect: { client: 2 } }
  - { at: 3s, verb: { name: nop_datagram, host: server, args: { count: 3 } } }
duration: 8s
settle: 2s
must_reach:
  - { lost: { direction: s2c, carries: reset, entity: 5 }, at_least: 1 }
  - { sent: { direction: s2c }, at_least: 10, at_most: 10000 }
  - { delivered: { direction: c2s, client: 1 } }
  - { state: { host: client1, name: active } }
  - { note: { host: server, name: history overflow } }
  - { observed: { direction: s2c, loss: 1% } }
expect: pass
seeds: [1, 5]
golden: trace
";
