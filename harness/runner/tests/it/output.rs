//! Pipes, colours, exit codes.

use super::{deltaproof, file, run, text};
use std::io;

/// Commands that write to standard output, each in every form.
const WRITING: &[&[&str]] = &[
    &[],
    &["--help"],
    &["--version"],
    &["run", "--help"],
    &["schema"],
    &["completions", "bash"],
    &["completions", "zsh"],
    &["decode", "ffffffff6765746368616c6c656e67650a"],
    &["decode", "--quiet", "ffffffff6a0a"],
    &["decode", "--format", "json", "ffffffff6a0a"],
    &["list"],
    &["list", "--format", "json"],
    &["list", "--requirements"],
    &["list", "--requirements", "--format", "json"],
    &["mutants", "acks-descending"],
    &["mutants", "acks-descending", "--format", "json"],
    &["explain", "FTE-RST-01"],
    &["explain", "--format", "json", "FTE-RST-01"],
];

#[test]
fn a_closed_pipe_ends_every_command_quietly() {
    for arguments in WRITING {
        let (reader, writer) = io::pipe().expect("a pipe");
        drop(reader);
        let output = deltaproof(arguments).stdout(writer).output().expect("the program starts");
        assert_eq!(text(&output.stderr), "", "{arguments:?}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    }
}

#[test]
fn a_closed_standard_error_changes_no_exit_code() {
    for (arguments, code) in [(&["nonsense"][..], 2), (&["decode", "no-such-file"], 2), (&["schema"], 0)] {
        let (reader, writer) = io::pipe().expect("a pipe");
        drop(reader);
        let output = deltaproof(arguments).stderr(writer).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_no_panic() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    let output = deltaproof(&["schema"]).stdout(full).output().expect("the program starts");
    assert_eq!(text(&output.stderr), "error: cannot write to standard output: No space left on device (os error 28)\n");
    assert_eq!(output.status.code(), Some(4));
}

#[test]
fn no_color_wins_over_everything() {
    let coloured = deltaproof(&["--help"]).env("CLICOLOR_FORCE", "1").output().expect("the program starts");
    assert!(text(&coloured.stdout).contains('\x1b'));
    let plain = deltaproof(&["--help"]).env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1").output();
    assert!(!text(&plain.expect("the program starts").stdout).contains('\x1b'));
    assert!(!text(&run(&["--help"]).stdout).contains('\x1b'), "not a terminal");
}

#[test]
fn mistakes_are_usage_errors_that_say_what_to_do() {
    for (arguments, part) in [
        (&["list", "--format", "junit"][..], "error: `--format junit` is for `run` only; use human or json\n"),
        (&["list", "--scenarios", "no/such/folder"], "error: --scenarios no/such/folder: no such folder\n"),
        (&["run", "--seed", "1", "--seeds", "1..2"], "cannot be used with"),
        (&["explain", "NO-SUCH-99"], "error: no requirement `NO-SUCH-99`"),
        (&["decode", "--profile", "no-such", "00"], "error: no profile `no-such`"),
        (&["mutants", "--profile", "fte-nc"], "error: no profile `fte-nc`; did you mean fte-nq"),
        (&["mutants", "acks-desc3nding"], "error: no mutant matches `acks-desc3nding`; did you mean acks-descending"),
        (&["decod"], "a similar subcommand exists: 'decode'"),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(text(&output.stdout), "", "{arguments:?}");
        let stderr = text(&output.stderr);
        assert!(stderr.contains(part), "{arguments:?} said {stderr}");
    }
}

#[test]
fn without_scenarios_it_says_how_to_name_them() {
    let folder = std::env::temp_dir();
    let output = deltaproof(&["list"]).current_dir(&folder).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(2));
    let stderr = text(&output.stderr);
    assert!(stderr.starts_with("error: no folder `scenarios` in "), "{stderr}");
    assert!(stderr.ends_with("go to the project's folder, or name one with --scenarios DIR\n"), "{stderr}");
}

#[test]
fn the_schema_is_json() {
    let output = run(&["schema"]);
    assert_eq!(output.status.code(), Some(0));
    let schema: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(schema.is_object());
}

#[test]
fn inputs_that_are_no_capture_are_refused_with_a_reason() {
    let empty = file("empty.txt", b"");
    let binary = file("binary.dat", b"\x7fELF\x02\x01\x01\x00");
    let cut = file("cut.txt", b"c2s oob ffffffff6a0\n");
    for (input, message) in [
        (empty.as_str(), format!("error: {empty}: the file is empty; record it again\n")),
        (
            binary.as_str(),
            format!(
                "error: {binary}: is neither a pcap or pcapng file nor text; give a pcap or pcapng file, or text with \
                 one datagram per line\n"
            ),
        ),
        (cut.as_str(), format!("error: {cut}:1:19: odd number of hex digits (11); every byte takes two digits\n")),
        ("harness", "error: harness: is a directory; name one or more files in it\n".to_string()),
    ] {
        let output = run(&["decode", "--quiet", input]);
        assert_eq!(text(&output.stderr), message);
        assert_eq!(output.status.code(), Some(2), "{input}");
    }
}
