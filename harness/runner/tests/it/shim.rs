//! The reference in a process of its own is judged as it is in ours: nothing leans on an end that we can look into.

use crate::deltaproof;
use serde_json::Value;

/// A case of each profile, with several clients, losses and maps where the protocol has them.
const CASES: [(&str, &str); 6] = [
    ("fte-qw", "fte/map-change@fte-qw[client_fte2=0x28]"),
    ("fitz666", "fitz666/port-given@fitz666"),
    ("nvs", "nvs/required@nvs"),
    ("r1q2-35", "r1q2/comes-again@r1q2-35"),
    ("r1q2-1905", "r1q2/losses-apart@r1q2-1905"),
    ("pygg2", "pygg2/reconnect@pygg2"),
];

fn program() -> String {
    format!("'{}' shim reference", env!("CARGO_BIN_EXE_deltaproof"))
}

/// The trace hashes and verdicts of the cases that fit, and the exit code.
fn run(case: &str, more: &[&str]) -> (Vec<(String, String, String)>, Option<i32>) {
    let mut arguments = vec!["run", case, "--format", "json"];
    arguments.extend(more);
    let output = deltaproof(&arguments).output().expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let cases = lines.filter_map(|line| {
        let field = |name: &str| line.get(name).and_then(Value::as_str).map(String::from);
        Some((field("case")?, field("verdict")?, field("trace_hash")?))
    });
    (cases.collect(), output.status.code())
}

#[test]
fn the_reference_in_another_process_has_the_same_verdicts_and_traces() {
    for (profile, case) in CASES {
        let alone = run(case, &["--profile", profile]);
        assert_eq!((alone.0.len(), alone.1), (1, Some(0)), "{case}: {alone:?}");
        for role in ["server", "client"] {
            let shim = run(case, &["--profile", profile, "--role", role, "--shim", &program()]);
            assert_eq!(shim, alone, "{case} {role}");
        }
    }
}

#[test]
fn a_mutant_in_another_process_is_found() {
    let shim = format!("{} --server acks-cumulative", program());
    let (cases, code) = run("fte/history-two-lost@fte-nq", &["--role", "server", "--shim", &shim]);
    assert_eq!((cases.len(), code), (1, Some(1)), "{cases:?}");
    assert_eq!(cases[0].1, "fail");
}

#[test]
fn a_shim_that_fails_has_a_verdict_of_its_own_and_the_run_goes_on() {
    let hello = r#"{"seq":0,"version":1,"name":"x","build":"1","roles":["client"],"profiles":["fte-nq"]}"#;
    for (script, verdict) in [
        ("exit 3", "sut-crash"),
        ("read more", "sut-hang"),
        ("echo joy; read more", "shim-error"),
        (
            r#"echo "{\"seq\":1,\"error\":{\"unsupported\":\"clients\"}}"; read more; read more; echo "{\"seq\":2}"; read more"#,
            "unsupported",
        ),
    ] {
        let shim = format!("sh -c 'read line; echo {}; read line; {script}'", hello.replace('"', "\\\""));
        let (cases, code) =
            run("fte/ack-clean", &["--profile", "fte-nq", "--shim", &shim, "--shim-timeout", "300", "--seed", "1"]);
        assert!(!cases.is_empty() && cases.iter().all(|case| case.1 == verdict), "{script}: {cases:?}");
        assert_eq!(code, Some(if verdict == "unsupported" { 0 } else { 3 }), "{script}");
    }
}

#[test]
fn a_shim_that_does_not_start_ends_the_command_with_3() {
    let output =
        deltaproof(&["run", "fte/ack-clean", "--shim", "./no-such-shim"]).output().expect("the program starts");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{error}");
    assert!(error.contains("`./no-such-shim` cannot be started: "), "{error}");
    let output = deltaproof(&["run", "fte/ack-clean", "--shim", &program()]).output().expect("the program starts");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("say --role server or --role client"), "{error}");
}
