//! Every executor makes the same of a scenario.

use deltaproof::executor::Executor;
use deltaproof::executor::turmoil::Refusal;
use deltaproof::judge::{Judgement, Keep, judge};
use deltaproof::scenario::Case;
use deltaproof::suite::all_cases;
use std::path::{Path, PathBuf};
use std::process::Command;

fn scenarios() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios")
}

/// Cases with much traffic and many faults, one of each protocol, and one with several clients.
const CASES: [&str; 6] = [
    "fte/storm@fte-nq",
    "fitz666/several-clients-loss@fitz666",
    "nvs/storm@nvs",
    "r1q2/storm@r1q2-35",
    "pygg2/storm@pygg2",
    "fte/several-clients@",
];

fn case(cases: &[Case], name: &str, executor: Executor) -> Case {
    let found = cases.iter().find(|case| case.name().starts_with(name));
    Case { executor, ..found.unwrap_or_else(|| panic!("no case {name}")).clone() }
}

fn run(case: &Case, seed: u64) -> Judgement {
    judge(case, seed, None, Keep::Verdict)
}

#[test]
fn turmoil_makes_the_same_of_a_scenario_as_the_direct_executor_record_by_record() {
    let cases = all_cases(&scenarios()).expect("the project's scenarios are good");
    for name in CASES {
        for seed in 1..=2 {
            let both = run(&case(&cases, name, Executor::Both { tick_us: None }), seed);
            assert_eq!(both.halted, None, "{name} seed {seed}");
            let direct = run(&case(&cases, name, Executor::Direct), seed);
            assert_eq!(both.trace_hash, direct.trace_hash, "{name} seed {seed}");
            assert_eq!(format!("{:?}", both.findings), format!("{:?}", direct.findings), "{name} seed {seed}");
            assert!(both.datagrams > 100, "{name} seed {seed}: {} datagrams", both.datagrams);
        }
    }
}

#[test]
fn a_tick_above_the_smallest_latency_is_refused_and_the_link_is_named() {
    let cases = all_cases(&scenarios()).expect("the project's scenarios are good");
    let case = case(&cases, CASES[0], Executor::Turmoil { tick_us: Some(200_000) });
    let halted = run(&case, 1).halted.expect("it is refused");
    let latency_us = case.network(1).links[0][0].latency_us;
    let (client, direction) = (kit::HostId(1), kit::Direction::ServerToClient);
    assert_eq!(halted, Refusal::Latency { client, direction, latency_us, tick_us: 200_000 }.to_string());
    let output = Command::new(env!("CARGO_BIN_EXE_deltaproof"))
        .args(["run", "fte/storm@fte-nq", "--executor", "turmoil", "--tick", "200ms", "--seed", "1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("client1 s2c: its latency of"), "{text}");
    assert_eq!(output.status.code(), Some(4), "{text}");
}
