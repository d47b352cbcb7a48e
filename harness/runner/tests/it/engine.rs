//! Engines as they are: a small program that answers whatever comes to its port stands for one.

use crate::{deltaproof, empty_folder, text};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Binds a port, says something to whoever sends something, and runs a frame every 50 ms.
const ECHO: &str = r#"
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>

int main(int count, char **words) {
    struct sockaddr_in own = {0}, from;
    int s = socket(AF_INET, SOCK_DGRAM, 0), frame = 0;
    char line[200], path[300];
    own.sin_family = AF_INET;
    own.sin_port = htons((unsigned short)atoi(words[1]));
    if (count > 3 && !strcmp(words[3], "exit")) {
        return 7;
    }
    bind(s, (struct sockaddr *)&own, sizeof own);
    snprintf(path, sizeof path, "%s/saved", getenv("HOME"));
    FILE *saved = fopen(path, "w");
    if (!saved || getenv("NOT_FOR_ENGINES") || access("here", F_OK)) {
        return 8;
    }
    fclose(saved);
    for (;;) {
        struct timeval wait = {0, 50000};
        fd_set ready;
        FD_ZERO(&ready);
        FD_SET(0, &ready);
        FD_SET(s, &ready);
        if (select(s + 1, &ready, NULL, NULL, &wait) <= 0) {
            frame++;
            continue;
        }
        if (FD_ISSET(0, &ready)) {
            ssize_t n = read(0, line, sizeof line - 1);
            if (n > 0) {
                printf("typed: %.*s", (int)n, line);
            }
        }
        if (FD_ISSET(s, &ready)) {
            socklen_t size = sizeof from;
            recvfrom(s, line, sizeof line, 0, (struct sockaddr *)&from, &size);
            int n = snprintf(line, sizeof line, "\xff\xff\xff\xffprint\n%s of frame %d\n", words[2], frame);
            sendto(s, line, (size_t)n, 0, (struct sockaddr *)&from, size);
        }
    }
}
"#;

const DESCRIPTION: &str = r#"
name: Echo
about: answers whatever comes
roles: [server]
profiles: [r1q2-35]
arguments: ["{port}", "{map}"]
directory: "{dir}"
environment: { HOME: "{home}" }
ports: [27910]
map: hall
boot_ms: 200
console: { map: "map {map}" }
"#;

/// A folder with the program, its description and what it looks for; `None` where there is no compiler.
fn echo() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let make = || {
        let folder = empty_folder("echo-engine");
        let put = |name: &str, text: &str| fs::write(folder.join(name), text).expect("the test's folder is writable");
        put("echo.c", ECHO);
        put("echo.yaml", DESCRIPTION);
        put("here", "");
        let mut command = Command::new("cc");
        match command.args(["-o", "echo", "echo.c"]).current_dir(&folder).status() {
            Ok(status) => {
                assert!(status.success(), "echo.c is compiled");
                Some(folder)
            }
            Err(_) => {
                eprintln!("skipped: there is no `cc`");
                None
            }
        }
    };
    FOLDER.get_or_init(make).as_deref()
}

/// What chooses the program, with more behind.
fn chosen(folder: &Path, program: &str) -> Vec<String> {
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let dir = folder.to_string_lossy().into_owned();
    ["--engine", "echo", "--program", &path(program), "--dir", &dir, "--describe", &path("echo.yaml")]
        .map(String::from)
        .to_vec()
}

/// Where the tests keep the library.
fn cache() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("engine-cache")
}

/// Runs a command with the engine.
fn with(command: &[&str], chosen: &[String]) -> (String, String, Option<i32>) {
    let chosen: Vec<&str> = chosen.iter().map(String::as_str).collect();
    let mut line = deltaproof(&[command, &chosen].concat());
    let output = line.env("NOT_FOR_ENGINES", "1").env("XDG_CACHE_HOME", cache()).output().expect("the program starts");
    (text(&output.stdout), text(&output.stderr), output.status.code())
}

#[test]
fn an_engine_that_is_no_server_is_run_judged_and_started_again_by_its_replay_line() {
    let Some(folder) = echo() else { return };
    let (out, error, code) = with(&["run", "r1q2/plain-session", "--profile", "r1q2-35"], &chosen(folder, "echo"));
    assert_eq!(code, Some(1), "{out}{error}");
    let line = out
        .lines()
        .find_map(|line| line.trim().strip_prefix("replay: deltaproof "))
        .expect("it fails, with a replay line");
    let (line, hash) = line.split_once("  (trace ").expect("it has a hash");
    assert!(line.contains("--role server --engine echo --program /"), "{line}");
    let words = shlex::split(line).expect("it is a line for a shell");
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    // In another folder, too.
    let output = deltaproof(&words)
        .current_dir(std::env::temp_dir())
        .env("XDG_CACHE_HOME", cache())
        .output()
        .expect("the program starts");
    let shown = text(&output.stdout);
    assert!(shown.contains("hall of frame"), "{shown}{}", text(&output.stderr));
    assert!(shown.contains(hash.trim_end_matches(')')), "{hash}: {shown}");
}

#[test]
fn the_doctor_says_what_an_engine_does_and_what_is_missing() {
    let Some(folder) = echo() else { return };
    let (out, error, code) = with(&["engine", "doctor"], &chosen(folder, "echo"));
    for line in [
        "ok    the program: 64 bits, linked dynamically",
        "ok    the library: built",
        "ok    it bound UDP 27910",
        "ok    it starts no threads",
        "ok    it waits by select",
        "ok    the same twice, and in another process: trace",
        "bad   our client came no further than",
    ] {
        assert!(out.contains(line), "{line}:\n{out}{error}");
    }
    assert!(out.contains("hall of frame"), "{out}");
    assert_eq!(code, Some(3));
    let other = DESCRIPTION.replace("[27910]", "[27911, 27912]").replace("{map}\"]", "{map}\", exit]");
    let put = |name: &str, text: &str| fs::write(folder.join(name), text).expect("the test's folder is writable");
    put("other.yaml", &other);
    let mut words = chosen(folder, "echo");
    words[7] = folder.join("other.yaml").to_string_lossy().into_owned();
    let (out, error, code) = with(&["engine", "doctor"], &words);
    assert!(out.contains("it does not get ready") && out.contains("it ended by itself: exit 7"), "{out}{error}");
    assert_eq!(code, Some(3));
}

#[test]
fn what_cannot_be_run_is_refused_with_what_to_do() {
    let Some(folder) = echo() else { return };
    fs::write(folder.join("script"), "#!/bin/sh\n").expect("the test's folder is writable");
    for (program, why) in [
        ("no-such", "there is no such file: name the engine's program"),
        ("script", "it is a script: name the program that it starts"),
        ("echo.c", "it is no ELF file"),
    ] {
        let (_, error, code) = with(&["run", "r1q2/plain-session"], &chosen(folder, program));
        assert!(code == Some(2) && error.contains(why), "{program}: {error}");
        let (out, _, code) = with(&["engine", "doctor"], &chosen(folder, program));
        assert!(code == Some(3) && out.contains(why), "{program}: {out}");
    }
    let words: Vec<String> = chosen(folder, "echo");
    let (_, error, code) = with(&["run", "r1q2/plain-session"], &[&words[..4], &words[6..]].concat());
    assert!(code == Some(2) && error.contains("Echo needs --dir"), "{error}");
    let (_, error, code) = with(&["run", "--engine", "q2por", "--program", "x"], &[]);
    assert!(code == Some(2) && error.contains("no engine `q2por` is described"), "{error}");
    let mut nowhere = deltaproof(&["run", "r1q2/plain-session"]);
    nowhere.args(&words).env("CC", "/no/such/cc").env("XDG_CACHE_HOME", folder);
    let output = nowhere.output().expect("the program starts");
    let error = text(&output.stderr);
    assert!(error.contains("no C compiler: `/no/such/cc` cannot be started"), "{error}");
}

#[test]
fn engines_are_compared_by_name() {
    let Some(folder) = echo() else { return };
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let of = |option: &str, value: String| [String::from(option), value];
    let words = [
        of("--engine", String::from("old=echo")),
        of("--engine", String::from("new=echo")),
        of("--program", format!("old={}", path("echo"))),
        of("--program", format!("new={}", path("echo"))),
        of("--dir", folder.to_string_lossy().into_owned()),
        of("--describe", path("echo.yaml")),
    ]
    .concat();
    let (out, error, code) = with(&["run", "r1q2/plain-session", "--profile", "r1q2-35"], &words);
    assert_eq!(code, Some(1), "{out}{error}");
    assert!(out.contains("cases that differ: none") && out.contains("old  ") && out.contains("new  "), "{out}");
}

/// What is left of the folders that engines had, and of their processes.
#[test]
fn nothing_of_an_engine_is_left() {
    let Some(folder) = echo() else { return };
    let own = empty_folder("echo-temporary");
    let mut command = deltaproof(&["run", "r1q2/plain-session", "--profile", "r1q2-35", "--jobs", "2"]);
    command.args(chosen(folder, "echo")).env("TMPDIR", &own).env("XDG_CACHE_HOME", cache());
    command.output().expect("the program starts");
    // The guard removes the folder that all were in once the harness has ended.
    for _ in 0..200 {
        if fs::read_dir(&own).expect("it is there").next().is_none() {
            break;
        }
        let _ = Command::new("sleep").arg("0.05").status();
    }
    let left: Vec<PathBuf> = fs::read_dir(&own).expect("it is there").flatten().map(|entry| entry.path()).collect();
    assert!(left.is_empty(), "{left:?}");
    let program = folder.join("echo");
    let is_it = |path: PathBuf| fs::read_link(path.join("exe")).is_ok_and(|exe| exe == program);
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.path());
    // Other tests have theirs.
    let temporary = own.to_string_lossy().into_owned();
    let mine = |path: &PathBuf| {
        fs::read(path.join("environ")).is_ok_and(|text| String::from_utf8_lossy(&text).contains(&temporary))
    };
    let left: Vec<PathBuf> = processes.filter(mine).filter(|path| is_it(path.clone())).collect();
    assert!(left.is_empty(), "{left:?}");
}
