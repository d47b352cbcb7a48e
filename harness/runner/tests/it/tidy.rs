//! The rules of `STYLE.md` and `ARCHITECTURE.md` that a look at the sources can decide.
//!
//! Each rule is a function from sources to violations, and has a test on a made-up source that violates it.

mod imports;
mod pages;
mod source;
mod tables;

use imports::{Arrow, Package, circles, shown, upward};
use source::{Source, mark_tests, read, read_all};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::OnceLock;

const MAX_FILE_LINES: usize = 600;
const MAX_FUNCTION_LINES: usize = 70;

/// The crates that are one protocol each.
const PROTOCOLS: [&str; 6] = ["fitz666", "fte", "nvs", "pygg2", "r1q2", "skeleton"];

/// The floors of a protocol's crate, from the lowest, and the modules on each. A module imports from its own floor and
/// from lower ones.
const FLOORS: &[(&str, &[&str])] = &[
    ("constants", &["constants", "verbs", "notes", "version", "serial"]),
    (
        "wire",
        &[
            "wire",
            "state",
            "delta",
            "dialect",
            "extensions",
            "message",
            "alpha",
            "call",
            "channel",
            "command",
            "deflate",
            "effect",
            "entities",
            "frame",
            "handshake",
            "line",
            "netchan",
            "player",
            "quakeworld",
            "ring",
            "service",
            "snapshot",
            "solid",
            "tables",
            "complete",
            "usercmd",
        ],
    ),
    ("requirements", &["requirements"]),
    ("choices", &["latitude", "liberties", "rules", "options"]),
    (
        "machine",
        &[
            "machine",
            "address",
            "buffers",
            "client",
            "dissector",
            "scene",
            "download",
            "game",
            "malformed",
            "movement",
            "pending",
            "preparation",
            "sender",
            "server",
            "session",
            "tap",
            "think",
            "world",
        ],
    ),
    ("oracle", &["oracle"]),
    ("variants", &["mutants", "variants"]),
    ("lib", &["lib"]),
];

/// What an oracle does not import: it would make the machines' mistakes.
const MACHINES: [&str; 5] = ["client", "server", "session", "sender", "game"];

/// What `judging` has nothing of, so that it is the same in a browser: files, threads, processes, sockets, the environment, clocks.
const ABSENT: [&[&str]; 12] = [
    &["std", "fs"],
    &["std", "thread"],
    &["std", "process"],
    &["std", "env"],
    &["std", "io", "stdin"],
    &["std", "io", "stdout"],
    &["std", "net", "UdpSocket"],
    &["std", "net", "TcpStream"],
    &["std", "time", "Instant"],
    &["std", "time", "SystemTime"],
    &["rayon"],
    &["shim"],
];

/// What is still to be mended, by rule: a row that is no longer needed fails, too.
const KNOWN: &[(&str, &str)] = &[];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources() -> &'static [Source] {
    static SOURCES: OnceLock<Vec<Source>> = OnceLock::new();
    SOURCES.get_or_init(|| read_all(root(), "harness"))
}

/// A violation: what it is called in [`KNOWN`], and what to tell.
type Violation = (String, String);

/// What a rule has to complain of: violations that are not known, and known ones that are none.
fn complaints(rule: &str, known: &[(&str, &str)], violations: &[Violation]) -> Vec<String> {
    let known: BTreeSet<&str> = known.iter().filter(|(of, _)| *of == rule).map(|(_, what)| *what).collect();
    let found: BTreeSet<&str> = violations.iter().map(|(what, _)| &what[..]).collect();
    let new =
        violations.iter().filter(|(what, _)| !known.contains(&what[..])).map(|(what, why)| format!("{what}: {why}"));
    let mended = known.difference(&found).map(|what| format!("{what}: mended, take it out of KNOWN"));
    new.chain(mended).collect()
}

fn check(rule: &str, violations: &[Violation]) {
    let complaints = complaints(rule, KNOWN, violations);
    assert!(complaints.is_empty(), "{rule}:\n{}", complaints.join("\n"));
}

/// Made-up files of `kit`.
fn invented(files: &[(&str, &str)]) -> Vec<Source> {
    let read = |(path, text): &(&str, &str)| read(&format!("harness/kit/{path}"), text).expect("it parses");
    let mut sources: Vec<Source> = files.iter().map(read).collect();
    mark_tests(&mut sources);
    sources
}

fn keys(violations: &[Violation]) -> Vec<&str> {
    violations.iter().map(|(what, _)| &what[..]).collect()
}

#[test]
fn a_violation_is_reported_until_it_is_known_and_a_known_one_until_it_is_there() {
    let violations = [("a".to_string(), "one".to_string()), ("b".to_string(), "two".to_string())];
    let known = [("rule", "b"), ("rule", "c"), ("another", "a")];
    assert_eq!(complaints("rule", &known, &violations), ["a: one", "c: mended, take it out of KNOWN"]);
}

fn long_files(sources: &[Source]) -> Vec<Violation> {
    let long = sources.iter().filter(|source| source.lines > MAX_FILE_LINES);
    long.map(|source| (source.path.clone(), format!("{} lines; split it by concept", source.lines))).collect()
}

#[test]
fn no_file_is_too_long() {
    check("file", &long_files(sources()));
    assert_eq!(
        keys(&long_files(&invented(&[("src/a.rs", &"\n".repeat(600)), ("src/b.rs", &"\n".repeat(601))]))),
        ["harness/kit/src/b.rs"]
    );
}

fn long_functions(sources: &[Source]) -> Vec<Violation> {
    let mut long = Vec::new();
    for source in sources {
        for function in source.functions.iter().filter(|function| function.lines > MAX_FUNCTION_LINES) {
            let key = format!("{} {}", source.package, function.name);
            long.push((key, format!("{} lines, at {}:{}", function.lines, source.path, function.line)));
        }
    }
    long
}

#[test]
fn no_function_is_too_long() {
    check("function", &long_functions(sources()));
    let text = format!("impl A {{ fn fits() {{{}}}\nfn long(\n) {{{}}} }}", "\n".repeat(69), "\n".repeat(69));
    assert_eq!(keys(&long_functions(&invented(&[("src/a.rs", &text)]))), ["kit long"]);
}

fn unwraps(sources: &[Source]) -> Vec<Violation> {
    let mut found = Vec::new();
    // What only tests link may panic.
    for source in sources.iter().filter(|source| !source.test && source.package != "testkit") {
        for (line, method) in &source.unwraps {
            found.push((format!("{} {method}", source.path), format!("line {line}; an input could break it")));
        }
    }
    found
}

#[test]
fn nothing_but_tests_unwraps() {
    check("unwrap", &unwraps(sources()));
    let bad =
        "fn f() { assert!(a.unwrap()); } #[cfg(test)] mod tests; #[cfg(test)] mod inline { fn g() { a.expect(\"\") } }";
    let files =
        [("src/lib.rs", bad), ("src/tests.rs", "fn h() { a.unwrap() }"), ("src/b.rs", "fn i() { a.expect(\"\") }")];
    assert_eq!(keys(&unwraps(&invented(&files))), ["harness/kit/src/lib.rs unwrap", "harness/kit/src/b.rs expect"]);
}

/// The crates below `harness`.
fn packages(sources: &[Source]) -> BTreeSet<&str> {
    sources.iter().map(|source| &source.package[..]).collect()
}

fn circles_of(sources: &[Source]) -> Vec<Violation> {
    let mut found = Vec::new();
    for package in packages(sources) {
        for (circle, arrows) in circles(&Package::of(sources, package).arrows()) {
            let first = circle.first().map_or_else(String::new, |module| shown(module));
            let lines: Vec<String> = arrows
                .iter()
                .map(|arrow| format!("\n    {} -> {}: {}", shown(&arrow.from), shown(&arrow.to), arrow.what))
                .collect();
            found.push((format!("{package} {first}"), lines.concat()));
        }
    }
    found
}

#[test]
fn no_modules_import_each_other() {
    check("circle", &circles_of(sources()));
    let circle = [
        ("src/lib.rs", "pub mod a; mod b; mod c; pub use c::C;"),
        ("src/a/mod.rs", "mod child; use crate::b::B; pub struct A; fn f() { child::g() }"),
        ("src/a/child.rs", "use super::A; pub fn g() {}"),
        ("src/b.rs", "use crate::C; pub struct B;"),
        ("src/c.rs", "pub struct C; fn f() { vec![crate::a::A] }"),
        ("src/d.rs", "use crate::e::E; pub struct D;"),
        ("src/e.rs", "pub struct E; #[cfg(test)] mod tests { use crate::d::D; }"),
    ];
    let found = circles_of(&invented(&circle));
    assert_eq!(keys(&found), ["kit a"]);
    assert_eq!(
        found[0].1,
        "\n    a -> b: harness/kit/src/a/mod.rs:1 crate::b::B\n    b -> c: harness/kit/src/b.rs:1 crate::C\
         \n    c -> a: harness/kit/src/c.rs:1 crate::a::A"
    );
}

fn upward_of(sources: &[Source], protocols: &[&str]) -> Vec<Violation> {
    let mut found = Vec::new();
    for package in protocols {
        let wrong = upward(FLOORS, &Package::of(sources, package).arrows());
        found.extend(wrong.into_iter().map(|(key, why)| (format!("{package} {key}"), why)));
    }
    found
}

#[test]
fn no_floor_of_a_protocol_imports_a_higher_one() {
    check("floor", &upward_of(sources(), &PROTOCOLS));
    let files = [
        ("src/lib.rs", "pub const VERB: i32 = 0; use oracle::O;"),
        ("src/message.rs", "use crate::rules::R; use crate::delta::D;"),
        ("src/delta.rs", "fn f() { crate::VERB }"),
        ("src/rules.rs", "use super::attic::A;"),
        ("src/oracle/mod.rs", "use crate::rules::R;"),
        ("src/attic.rs", ""),
    ];
    assert_eq!(
        keys(&upward_of(&invented(&files), &["kit"])),
        ["kit delta -> lib", "kit message -> rules", "kit rules -> attic"]
    );
}

fn oracles_with_machines(sources: &[Source], protocols: &[&str]) -> Vec<Violation> {
    let mut found = Vec::new();
    for package in protocols {
        for Arrow { from, to, what } in Package::of(sources, package).arrows() {
            let machine = to.first().is_some_and(|room| MACHINES.contains(&&room[..]));
            if from.first().is_some_and(|room| room == "oracle") && machine {
                found.push((format!("{package} {} -> {}", shown(&from), shown(&to)), what));
            }
        }
    }
    found
}

#[test]
fn no_oracle_imports_a_machine() {
    check("oracle", &oracles_with_machines(sources(), &PROTOCOLS));
    let files =
        [("src/game.rs", ""), ("src/oracle/truth.rs", "use crate::game::G;"), ("src/server.rs", "use crate::game::G;")];
    assert_eq!(keys(&oracles_with_machines(&invented(&files), &["kit"])), ["kit oracle/truth -> game"]);
}

fn present(sources: &[Source], package: &str) -> Vec<Violation> {
    let mut found = Vec::new();
    for source in sources.iter().filter(|source| source.package == package && !source.test) {
        for mention in &source.mentions {
            let is = |absent: &&&[&str]| {
                mention.segments.iter().map(String::as_str).take(absent.len()).eq(absent.iter().copied())
            };
            if let Some(absent) = ABSENT.iter().find(is) {
                found.push((format!("{} {}", source.path, absent.join("::")), format!("line {}", mention.line)));
            }
        }
    }
    found
}

#[test]
fn what_decides_touches_no_file_thread_process_socket_or_clock() {
    check("absent", &present(sources(), "judging"));
    let files = [("src/a.rs", "use std::fs; fn f() { std::thread::spawn(f); g::fs() }"), ("src/b.rs", "use std::fmt;")];
    assert_eq!(
        keys(&present(&invented(&files), "kit")),
        ["harness/kit/src/a.rs std::fs", "harness/kit/src/a.rs std::thread"]
    );
}
