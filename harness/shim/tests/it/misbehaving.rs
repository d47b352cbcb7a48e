//! Everything that a shim can do wrong has a message of its own, which says what to do about it.

use shim::message::{DoneReply, HelloReply, Operation, StepReply};
use shim::{Fault, Launch, Process};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_millis(300);
/// The good answer to `hello`.
const HELLO: &str = r#"{"seq":0,"version":1,"name":"x","build":"1","roles":["client"],"profiles":["fte-nq"]}"#;

fn shell(script: &str) -> Vec<String> {
    ["sh", "-c", script].map(String::from).to_vec()
}

/// What is wrong with a shell script as a shim, before or after its answer to `hello`.
fn start(script: &str) -> Result<Process, Fault> {
    Process::start(&Launch::new(shell(script), PATIENCE))
}

/// What is wrong with a shim that does this when it is asked the second time.
#[track_caller]
fn second(script: &str) -> String {
    let mut process =
        start(&format!("read line; echo '{HELLO}'; read line; {script}")).expect("a good answer to `hello`");
    let fault = process.ask::<StepReply>(Operation::Observe { host: 1 }).expect_err(script);
    assert!(!matches!(fault, Fault::NoStart { .. }), "{fault}");
    fault.to_string()
}

#[track_caller]
fn check(script: &str, expected: &str) {
    assert_eq!(second(script), expected, "{script}");
}

const WRONG: &str = "the answer to `observe` is wrong: ";

#[track_caller]
fn check_wrong(script: &str, expected: &str) {
    let found = second(script);
    assert!(found.starts_with(&format!("{WRONG}{expected}")), "{script}: {found}");
}

#[test]
fn a_good_answer_is_taken() {
    let mut process = start(&format!("read l; echo '{HELLO}'; read l; echo '{{\"seq\":1}}'; read l")).expect("good");
    assert_eq!((process.hello.name.as_str(), process.hello.profiles.len()), ("x", 1));
    assert_eq!(process.ask::<DoneReply>(Operation::Close { host: 1 }).map(|reply| reply.seq), Ok(1));
}

#[test]
fn what_does_not_start_is_named() {
    let fault =
        Process::start(&Launch::new(vec![String::from("./no-such-shim")], PATIENCE)).expect_err("there is none");
    assert_eq!(fault.to_string(), "`./no-such-shim` cannot be started: No such file or directory (os error 2)");
    let fault = start("echo 'no library' >&2; exit 7").expect_err("it ends");
    assert_eq!(
        fault.to_string(),
        "the shim ended (exit status: 7) instead of answering `hello`\n  its standard error ends with:\n  no library"
    );
}

#[test]
fn another_version_is_named() {
    let fault = start(&format!("read line; echo '{}'; read line", HELLO.replace("\"version\":1", "\"version\":2")));
    assert_eq!(
        fault.map(|_| ()).expect_err("another version").to_string(),
        "the answer to `hello` is wrong: it speaks version 2 of the shim protocol, not 1"
    );
}

#[test]
fn an_end_in_the_middle_is_a_crash_and_silence_is_a_hang() {
    check("exit 0", "the shim ended (exit status: 0) instead of answering `observe`");
    check(
        "kill -SEGV $$",
        "the shim ended (signal: 11 (SIGSEGV) (core dumped)) instead of answering `observe`"
            .replace(" (core dumped)", if core_is_dumped() { " (core dumped)" } else { "" })
            .as_str(),
    );
    check(
        "printf '{\"seq\":1'",
        "the shim ended (exit status: 0) instead of answering `observe`, in the middle of a line: \"{\\\"seq\\\":1\"",
    );
    check("read more", "the shim did not answer `observe` within 300 ms (`--shim-timeout` gives it longer)");
    check(
        "printf '{\"seq\":1'; read more",
        "the shim did not answer `observe` within 300 ms (`--shim-timeout` gives it longer)",
    );
}

/// Whether this machine notes a core dump in a process's status.
fn core_is_dumped() -> bool {
    let status = std::process::Command::new("sh").args(["-c", "kill -SEGV $$"]).status();
    status.is_ok_and(|status| status.to_string().contains("core dumped"))
}

#[test]
fn lines_that_are_no_replies_are_shown() {
    check_wrong(
        "echo 'listening on 26000'; read more",
        "no JSON object (a shim writes nothing but replies to standard output; --shim-tcp is for code that prints): \"listening on 26000\"",
    );
    check_wrong("echo '{\"seq\":1'; read more", "EOF while parsing an object at line 1 column 8");
    check_wrong("printf '\\377\\376\\n'; read more", "byte 1 is not UTF-8");
    check_wrong("head -c 10000000 /dev/zero; echo; read more", "a line of more than 4194304 bytes");
}

#[test]
fn replies_with_something_wrong_in_them_are_shown() {
    check_wrong("echo '{\"seq\":0}'; read more", "`seq` is 0, the request's was 1");
    check_wrong("echo '{\"seq\":1,\"wake\":NaN}'; read more", "expected value at line 1 column");
    check_wrong("echo '{\"seq\":1,\"seq\":1}'; read more", "duplicate field `seq` at line 1");
    check_wrong("echo '{\"seq\":1,\"wakeup\":5}'; read more", "unknown field `wakeup`, expected one of `seq`,");
    check_wrong(
        "echo '{\"seq\":1,\"ev\":[{\"event\":\"joy\"}]}'; read more",
        "unknown variant `joy`, expected one of `state`, `rejected`, `print`, `note`",
    );
    check_wrong("echo '{\"seq\":1,\"wake\":-5}'; read more", "invalid value: integer `-5`, expected u64");
}

#[test]
fn a_second_line_is_found_at_the_next_request() {
    let script = format!("read line; echo '{HELLO}'; echo '{HELLO}'; read line; echo '{{\"seq\":1}}'; read line");
    let mut process = start(&script).expect("a good answer to `hello`");
    let fault = process.ask::<DoneReply>(Operation::Close { host: 1 }).expect_err("two replies").to_string();
    let (early, late) = ("before it, the shim wrote a line without a request", "`seq` is 0, the request's was 1");
    assert!(fault.contains(early) || fault.contains(late), "{fault}");
}

#[test]
fn what_is_not_supported_leaves_the_process_in_use() {
    let script = format!(
        "read l; echo '{HELLO}'; read l; echo '{{\"seq\":1,\"error\":{{\"unsupported\":\"maps\"}}}}'; read l; echo '{{\"seq\":2}}'; read l"
    );
    let mut process = start(&script).expect("good");
    let fault = process.ask::<StepReply>(Operation::Observe { host: 0 }).expect_err("a refusal");
    assert_eq!(fault.to_string(), "the shim does not support maps, which `observe` needs");
    assert!(process.ask::<DoneReply>(Operation::Close { host: 0 }).is_ok());
}

#[test]
fn a_process_that_goes_on_is_killed_when_it_is_let_go() {
    let script = format!("read l; echo '{HELLO}'; trap '' TERM; while true; do sleep 1; done");
    let process = start(&script).expect("good");
    let id = process.id();
    drop(process);
    assert!(!std::path::Path::new(&format!("/proc/{id}")).exists(), "process {id} goes on");
}

#[test]
fn a_hello_needs_an_answer_to_hello() {
    let reply: Result<HelloReply, _> = serde_json::from_str(HELLO);
    assert_eq!(reply.map(|reply| reply.roles).ok(), Some(vec![String::from("client")]));
}
