//! Several sessions of `probe` as people run them: in one order, with the verdict first, and no longer than they have to.

use super::super::{run as program, text};
use super::{Role, mutant, port_of_nobody, probe, profile, recording, stimulus, while_answering, while_serving};
use std::collections::BTreeSet;
use std::path::PathBuf;

fn folder(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    folder.to_str().expect("the path is UTF-8").to_string()
}

#[test]
fn sessions_are_told_in_the_order_of_the_set_below_the_verdict() {
    let of = profile("fte-nq");
    let record = folder("set");
    let broken = mutant(of.0, "new-as-delta", Role::Server);
    while_serving(of, broken, |address| {
        let to = address.to_string();
        let line = ["probe", "latency", "clean", "loss-5", "--profile=fte-nq", "--to", &to, "--record", &record];
        let output = program(&[&line[..], &["--for=1s", "--jobs=3"]].concat());
        let said = text(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{said}");
        let first = said.lines().next().unwrap_or_default();
        assert!(first.contains(" findings: fte-nq at ") && first.ends_with(", 3 sessions, 3 got through"), "{said}");
        let through: Vec<&str> = said.lines().filter_map(|line| line.strip_prefix("got through probe/")).collect();
        let names: Vec<&str> = through.iter().filter_map(|line| line.split('@').next()).collect();
        assert_eq!(names, ["clean", "latency", "loss-5"], "{said}");
        // One kind of finding, however often it was made.
        let kinds: Vec<&str> = said.lines().filter(|line| line.starts_with("  FTE-")).collect();
        let distinct: BTreeSet<&str> = kinds.iter().filter_map(|line| line.split(" server").next()).collect();
        assert!(!kinds.is_empty() && kinds.len() == distinct.len(), "{said}");
    });
}

#[test]
fn a_server_that_lets_the_first_client_not_in_is_asked_no_more() {
    let to = port_of_nobody().to_string();
    let record = folder("nobody");
    let line = ["probe", "latency", "clean", "loss-5", "--profile=r1q2-35", "--to", &to, "--record", &record];
    let output = program(&[&line[..], &["--sign-on=1s"]].concat());
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{said}");
    let expected = format!(
        "not judged: r1q2-35 at {to}, 1 session, 0 got through; the others were left out, as the first did not get in"
    );
    assert_eq!(said.lines().next(), Some(expected.as_str()));
    assert!(said.contains("no answer probe/clean@r1q2-35"), "{said}");
}

/// A server of QuakeWorld that throws every client out once it is connected.
#[test]
fn a_session_that_is_dropped_at_once_is_not_waited_for() {
    let answer = |bytes: &[u8]| {
        let text = bytes.get(4..).unwrap_or_default();
        match () {
            () if text.starts_with(b"getchallenge") => b"\xff\xff\xff\xffc5\0".to_vec(),
            () if text.starts_with(b"connect") => b"\xff\xff\xff\xffj".to_vec(),
            // svc_disconnect.
            () => vec![1, 0, 0, 0, 1, 0, 0, 0x80, 2],
        }
    };
    let of = profile("fte-qw");
    let case = stimulus(of.0, of.1, "clean");
    while_answering(answer, |address| {
        let live = probe(&case, address, None);
        assert!(live.outcome.active.is_none());
        assert!(live.outcome.end.us() < super::SIGN_ON_US / 2, "{:?} {:?}", live.outcome.end, live.outcome.moves);
    });
}

/// What a probe makes its client do, in the recording, too.
const MISCHIEF: [(&str, &str); 7] = [
    ("fte-nq", "fte-ack-future"),
    ("fte-qw", "fte-ack-stale"),
    ("fte-qw", "fte-reset-request"),
    ("fitz666", "fitz666-requests-again"),
    ("nvs", "nvs-requests-again"),
    ("pygg2", "pygg2-bogus-acks"),
    ("r1q2-1905", "r1q2-acks-ahead"),
];

#[test]
fn a_client_is_not_blamed_for_what_its_probe_makes_it_do_in_a_recording_either() {
    super::at_the_same_time(&MISCHIEF, |&(name, stimulus)| {
        let of = profile(name);
        let case = super::stimulus(of.0, of.1, stimulus);
        let path = recording(&format!("mischief-{name}-{stimulus}"));
        while_serving(of, None, |address| {
            let target = super::Target {
                server: address,
                client: None,
                learned: None,
                control: false,
                length_us: 7_000_000,
                sign_on_us: super::SIGN_ON_US,
            };
            super::probe_to(&case, &target, Some(path.clone()))
        });
        let output = program(&["judge", path.to_str().expect("the path is UTF-8")]);
        assert_eq!(output.status.code(), Some(0), "{name} {stimulus}: {}", text(&output.stdout));
        assert!(text(&output.stdout).ends_with("observed: no finding\n"), "{name} {stimulus}");
    });
}
