//! The reference in a process of its own is judged as it is in ours: nothing leans on an end that we can look into.

use crate::{deltaproof, empty_folder};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// How long something that happens at once may take on a busy machine.
const WAIT: Duration = Duration::from_secs(20);

/// A case of each profile, with several clients, losses and maps where the protocol has them.
const CASES: [(&str, &str); 8] = [
    ("fte-qw", "fte/map-change@fte-qw[client_fte2=0x28]"),
    ("fitz666", "fitz666/port-given@fitz666"),
    ("fitz666", "fitz666/restart-client@fitz666[protocol=666]"),
    ("nvs", "nvs/required@nvs"),
    ("pygg2", "pygg2/restart-server@pygg2"),
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
fn by_tcp_and_with_every_message_checked_nothing_changes() {
    let case = "nvs/required@nvs";
    let alone = run(case, &[]);
    let strict: &[&str] = if ::shim::schema::AVAILABLE { &["--strict-shim"] } else { &[] };
    for role in ["server", "client"] {
        let shim = run(case, &[&["--role", role, "--shim", &program(), "--shim-tcp"], strict].concat());
        assert_eq!(shim, alone, "{role}");
    }
}

#[test]
fn a_program_that_cannot_check_messages_says_how_to_get_one_that_can() {
    let arguments = ["run", "nvs/required@nvs", "--role", "server", "--shim", &program(), "--strict-shim"];
    let output = super::run(&arguments);
    let refused = super::text(&output.stderr).contains("cargo build --features schemas");
    assert_eq!((output.status.code() == Some(2), refused), (!::shim::schema::AVAILABLE, !::shim::schema::AVAILABLE));
}

/// A shell script as a shim of fte-nq clients; `n` counts the requests from 1, and the request is in `l`.
fn script(answer: &str) -> String {
    let hello = r#"{"seq":0,"version":1,"name":"x","build":"1","roles":["client"],"profiles":["fte-nq"]}"#;
    let text = format!("read l; echo '{hello}'; n=0; while read -r l; do n=$((n+1)); {answer}; done");
    format!("sh -c {}", shlex::try_quote(&text).expect("no zero byte"))
}

/// The answer to most requests: nothing.
const NOTHING: &str = r#"echo "{\"seq\":$n}""#;

/// Runs two cases with a shim that answers so, and looks for the verdict and its reason in both.
#[track_caller]
fn check(answer: &str, verdict: &str, reason: &str) {
    let shim = script(answer);
    // Only of one that hangs is the end of the time awaited: the others answer, on a busy machine late.
    let timeout = if verdict == "sut-hang" { "300" } else { "20000" };
    let arguments = ["run", "fte/ack-clean", "fte/ack-duplicated", "--profile", "fte-nq", "--shim", &shim];
    let arguments = [&arguments[..], &["--shim-timeout", timeout, "--seed", "1", "--format", "json"]].concat();
    let output = deltaproof(&arguments).output().expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let cases: Vec<Value> = lines.filter(|line| line.get("case").is_some()).collect();
    assert!(cases.len() > 1, "{answer}: {text}");
    for case in &cases {
        let field = |name: &str| case.get(name).and_then(Value::as_str).unwrap_or_default();
        assert_eq!(field("verdict"), verdict, "{answer}: {}", field("reason"));
        assert!(field("reason").contains(reason), "{answer}: {}", field("reason"));
    }
    assert_eq!(output.status.code(), Some(if verdict == "unsupported" { 0 } else { 3 }), "{answer}");
}

#[test]
fn a_shim_that_fails_has_a_verdict_of_its_own_and_the_run_goes_on() {
    check("exit 3", "sut-crash", "the shim ended (exit status: 3) instead of answering `open`");
    check("exit 0", "sut-crash", "the shim ended (exit status: 0) instead of answering `open`");
    check("read more", "sut-hang", "the shim did not answer `open` within 300 ms");
    check("echo joy", "shim-error", "no JSON object (a shim writes nothing but replies to standard output");
    check(
        r#"echo "{\"seq\":$n,\"error\":{\"unsupported\":\"clients\"}}""#,
        "unsupported",
        "the shim does not support clients, which `open` needs",
    );
}

#[test]
fn the_evidence_of_a_crash_crashes_on_its_own_however_often_it_crashed_before() {
    let parent = empty_folder("crashes");
    let folder = parent.to_str().expect("UTF-8");
    // The reference, until 2.5 s.
    let text = format!(
        r#"while read -r l; do case $l in *'"now":25'?????,*) exit;; esac; printf '%s\n' "$l"; done | {}"#,
        program()
    );
    let shim = format!("sh -c {}", shlex::try_quote(&text).expect("no zero byte"));
    let arguments = ["run", "fte/ack-clean@", "fte/ack-duplicated@", "--profile", "fte-nq", "--role", "client"];
    let output = deltaproof(&arguments).args(["--shim", &shim, "--evidence", folder]).output().expect("it starts");
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stdout));
    let folders =
        std::fs::read_dir(&parent).expect("evidence was written").map(|entry| entry.expect("readable").path());
    let folders: Vec<PathBuf> = folders.collect();
    assert_eq!(folders.len(), 2, "{folders:?}");
    for folder in folders {
        let mut again = Command::new("sh");
        again.arg(folder.join("repro.sh")).env("DELTAPROOF", env!("CARGO_BIN_EXE_deltaproof"));
        let output = again.output().expect("it starts");
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(3), "{text}");
        assert!(text.contains("1 sut-crash"), "{text}");
        let readme = std::fs::read_to_string(folder.join("README.txt")).expect("is there");
        assert!(readme.contains("c1 c2s #"), "the last events are shown: {readme}");
    }
}

#[test]
fn a_shim_whose_second_run_differs_is_found() {
    let answer = r#"case $l in *open*) echo "{\"seq\":$n,\"wake\":$((1000000+n))}";; *) echo "{\"seq\":$n}";; esac"#;
    check(answer, "sut-nondeterministic", "went another way the second time, in ");
    check(answer, "sut-nondeterministic", "at 0.000000s `open` was answered by ");
}

#[test]
fn a_shim_that_floods_or_never_sleeps_is_stopped() {
    check(
        r#"case $l in *'"connect"'*) yes '{"to":0,"bytes":"00"},' | head -n 100001 | tr -d '\n' |
            sed "s/^/{\"seq\":$n,\"tx\":[/; s/,\$/]}/"; echo;; *) echo "{\"seq\":$n}";; esac"#,
        "shim-error",
        "it sends more than 100000 datagrams within a second of virtual time",
    );
    for wake in ["$n", "1"] {
        check(
            &format!(
                r#"case $l in *observe*|*close*) echo "{{\"seq\":$n}}";; *) echo "{{\"seq\":$n,\"wake\":{wake}}}";; esac"#
            ),
            "shim-error",
            "it asks for more than 20000 timeouts within a second of virtual time",
        );
    }
}

/// A shim that hangs in its second answer, with a child of its own that holds a pipe open, and the reader of that pipe.
fn hanging(name: &str) -> (String, Receiver<String>) {
    let pipe = empty_folder(name).join("alive");
    let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo starts");
    assert!(made.success());
    let shim = script(&format!("trap '' TERM INT HUP; exec 9>'{}'; echo up >&9; sleep 1000 & wait", pipe.display()));
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let pipe = std::fs::File::open(pipe).expect("the pipe is there");
        for line in BufReader::new(pipe).lines() {
            sender.send(line.expect("a line")).expect("the test waits");
        }
        sender.send(String::from("gone")).expect("the test waits");
    });
    (shim, receiver)
}

#[test]
fn no_process_outlives_the_harness_whatever_ends_it() {
    for signal in ["-KILL", "-INT", "-TERM"] {
        let (shim, pipe) = hanging(&format!("ended-by{signal}"));
        // What runs goes to its end, which a shim that hangs delays by twice its time.
        let mut harness = deltaproof(&["run", "fte/ack-clean", "--shim", &shim, "--shim-timeout", "5000"])
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        assert_eq!(pipe.recv_timeout(WAIT).as_deref(), Ok("up"), "{signal}");
        let sent = Command::new("kill").args([signal, &harness.id().to_string()]).status().expect("kill starts");
        assert!(sent.success());
        assert!(!harness.wait().expect("it ends").success());
        // A hung case runs twice; the second process may open the pipe before the first one's end of it is closed.
        let mut lines = std::iter::from_fn(|| pipe.recv_timeout(WAIT).ok());
        assert_eq!(lines.find(|line| line != "up").as_deref(), Some("gone"), "{signal}");
    }
}

#[test]
fn what_a_process_started_ends_with_it() {
    let (shim, pipe) = hanging("ended-with-it");
    let (cases, code) =
        run("fte/ack-clean@fte-nq", &["--seed", "1", "--shim", &shim, "--shim-timeout", "300", "--jobs", "1"]);
    assert_eq!((cases.len(), code), (1, Some(3)), "{cases:?}");
    // A hung case runs twice; the second process may open the pipe before the first one's end of it is closed.
    let said: Vec<_> = std::iter::from_fn(|| pipe.recv_timeout(WAIT).ok()).take_while(|line| line != "gone").collect();
    assert!(said == ["up"] || said == ["up", "up"], "{said:?}");
    assert_eq!(pipe.recv_timeout(WAIT), Err(RecvTimeoutError::Disconnected), "the reader is at its end");
}

/// What `shim doctor` says of a shim that may take so long for an answer, in milliseconds.
fn doctor(timeout: &str, command: &[&str]) -> (String, Option<i32>) {
    let mut arguments = vec!["shim", "doctor", "--shim-timeout", timeout, "--"];
    arguments.extend(command);
    let output = deltaproof(&arguments).output().expect("the program starts");
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
}

#[test]
fn the_doctor_finds_the_reference_well() {
    let (said, code) = doctor("10000", &[env!("CARGO_BIN_EXE_deltaproof"), "shim", "reference"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.lines().all(|line| line.starts_with("ok ") || line.starts_with("a good shim")), "{said}");
    assert!(said.contains("as a client of fte-nq, it does the same twice"), "{said}");
}

#[test]
fn the_doctor_names_everything_that_is_wrong() {
    for (answer, expected) in [
        (NOTHING, "the answer to `no_such_operation` is wrong: it has to be refused, by `unsupported`"),
        ("sleep 1", "the shim did not answer `no_such_operation` within 300 ms"),
        (
            r#"case $l in *open*) echo "{\"seq\":$n,\"wake\":$((1000000+n))}";; *) echo "{\"seq\":$n}";; esac"#,
            "the same run went another way the second time",
        ),
    ] {
        let shim = script(answer);
        let words = shlex::split(&shim).expect("quoted well");
        let (said, code) = doctor("300", &words.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(code, Some(3), "{said}");
        assert!(said.contains(expected), "{said}");
    }
    let (said, code) = doctor("300", &["./no-such-shim"]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("`./no-such-shim` cannot be started: "), "{said}");
}

#[test]
fn a_conversation_by_hand_shows_every_message() {
    let mut talk = deltaproof(&["shim", "talk", "--", env!("CARGO_BIN_EXE_deltaproof"), "shim", "reference"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let said = b"observe\nopen client fte-nq\nconnect\nwait 100\nobserve\njoy\nclose\nbye\n";
    talk.stdin.take().expect("it is piped").write_all(said).expect("it reads");
    let output = talk.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    for part in [
        "`open` a run first",
        r#"{"op":"step","host":1,"now":0,"input":"command","command":"connect"}"#,
        r#""to":"connecting""#,
        r#""state":"connecting""#,
        "no command `joy`; there are",
    ] {
        assert!(text.contains(part), "{part}: {text}");
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

#[test]
fn a_new_shim_is_short_and_a_folder_with_something_in_it_is_left_alone() {
    for (lang, template) in [("c", "my_shim.c"), ("python", "my_shim.py"), ("rust", "src/main.rs")] {
        let folder = empty_folder(&format!("new-{lang}"));
        let path = folder.to_str().expect("the path is UTF-8");
        let new =
            || deltaproof(&["shim", "new", "--lang", lang, "--role", "server", path]).output().expect("it starts");
        assert_eq!(new().status.code(), Some(0));
        let text = std::fs::read_to_string(folder.join(template)).expect("it was written");
        assert!(text.lines().count() <= 150 && text.contains("fte-nq") && !text.contains('@'), "{text}");
        let again = new();
        let error = String::from_utf8_lossy(&again.stderr).into_owned();
        assert_eq!(again.status.code(), Some(2));
        assert!(error.contains("is not empty; name a new folder"), "{error}");
    }
}

#[test]
fn several_shims_are_compared_by_name() {
    let reports = empty_folder("compared");
    let (good, bad) = (format!("good={}", program()), format!("bad={} --server acks-cumulative", program()));
    let compare = |more: &[&str]| {
        let mut arguments = vec!["run", "fte/history-two-lost@fte-nq", "--seed", "1", "--role", "server"];
        arguments.extend(more);
        deltaproof(&arguments).output().expect("the program starts")
    };
    let folder = reports.to_str().expect("the path is UTF-8");
    let output = compare(&["--shim", &good, "--shim", &bad, "--reports", folder]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    for line in ["fte/history-two-lost@fte-nq  pass  fail", "FTE-ACK-09 fte-nq server", "good  MUST ", "bad  MUST "] {
        assert!(text.contains(line), "{line} is not in:\n{text}");
    }
    let page = std::fs::read_to_string(reports.join("comparison.html")).expect("it was written");
    assert!(page.contains(r#"<th scope="col">good fte-nq</th><th scope="col">bad fte-nq</th>"#));
    for name in ["good", "bad"] {
        assert!(reports.join(name).join("latest/result.json").exists());
    }
    for (shims, expected) in
        [([&program(), &bad], "several shims are compared by name"), ([&good, &good], "two are called `good`")]
    {
        let output = compare(&["--shim", shims[0], "--shim", shims[1]]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn mutants_are_killed_with_a_shim_at_their_other_end() {
    let mutants = |more: &[&str]| {
        let mut arguments = vec!["mutants", "--scenario", "fte/history-two-lost", "--profile", "fte-nq"];
        arguments.extend(more);
        let output = deltaproof(&arguments).output().expect("the program starts");
        (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
    };
    let (alone, _) = mutants(&[]);
    let (shim, code) = mutants(&["--shim", &program(), "--role", "client"]);
    assert_eq!(code, Some(0), "{shim}");
    let killed =
        |text: &str| text.lines().filter(|line| line.starts_with("killed")).map(String::from).collect::<Vec<_>>();
    let of_servers: Vec<String> = killed(&alone).into_iter().filter(|line| line.contains("  server  ")).collect();
    assert!(!of_servers.is_empty() && !shim.contains("ALIVE"), "{shim}");
    assert_eq!(killed(&shim), of_servers);
    assert_eq!(mutants(&["--scenario", "fte/no-such"]).1, Some(2));
}
