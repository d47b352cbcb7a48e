//! What is printed and written as JSON is what its schema says.

use super::{deltaproof, empty_folder, run, text};
use ::shim::schema::boon::{Compiler, Schemas};

/// A command, and the schema of its lines.
const COMMANDS: &[(&str, &[&str])] = &[
    ("run", &["run", "fte/remove-clean"]),
    ("run", &["run", "fte/remove-clean@fte-nq", "--server", "fte/removed-and-updated"]),
    ("run", &["run", "pygg2/alone-clean", "--seeds", "1..2"]),
    ("certify", &["certify", "--profile", "pygg2", "--role", "client", "--level", "1"]),
    ("mutants", &["mutants", "acks-descending"]),
    ("mutants", &["mutants", "fte-rst-07", "--knowledge", "wire"]),
    ("compare", &["compare", "--entities", "2", "--runs", "1"]),
    ("list", &["list", "nvs"]),
    ("list-requirements", &["list", "--requirements", "GG2"]),
    ("list-variants", &["list", "--variants"]),
    ("list-words", &["list", "--words"]),
    ("explain", &["explain", "FTE-RST-07"]),
    ("explain", &["explain", "R1Q2-FRM-04"]),
    ("decode", &["decode", "golden/r1q2/vectors/q2pro_p35_bigmap.txt"]),
    ("decode", &["decode", "ffffffff6a0a"]),
    ("judge", &["judge", "golden/r1q2/vectors/q2pro_p35_bigmap.txt"]),
];

#[test]
fn those_shipped_are_those_that_are_made_from_the_types() {
    for name in ["scenario", "result", "certificate"].into_iter().chain(COMMANDS.iter().map(|(name, _)| *name)) {
        let folder = if name == "scenario" { "scenarios" } else { "harness/runner/schema" };
        let path = format!("{}/{folder}/{name}.schema.json", env!("CARGO_MANIFEST_DIR"));
        let made = text(&run(&["schema", "--of", name]).stdout);
        if std::env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
            std::fs::write(&path, &made).expect(&path);
        } else {
            let shipped = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(shipped == made, "{path} is old: INSTA_UPDATE=always writes it again");
        }
    }
}

/// Checks values against the schema that the program prints.
#[track_caller]
pub(super) fn check(name: &str, values: &[String]) {
    let printed = run(&["schema", "--of", name]);
    let schema = serde_json::from_slice(&printed.stdout).unwrap_or_else(|error| panic!("the schema {name}: {error}"));
    let (mut compiler, mut schemas) = (Compiler::new(), Schemas::new());
    compiler.add_resource("deltaproof:schema", schema).expect("is a resource");
    let place = compiler.compile("deltaproof:schema", &mut schemas).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(!values.is_empty(), "{name}: nothing was printed");
    for value in values {
        let json = serde_json::from_str(value).unwrap_or_else(|error| panic!("{name}: {error} in {value}"));
        if let Err(error) = schemas.validate(&json, place) {
            panic!("{name}: {error:#}\n{value}");
        }
    }
}

#[test]
fn every_line_is_as_its_schema_says() {
    for (name, arguments) in COMMANDS {
        let output = deltaproof(arguments).args(["--format", "json"]).output().expect("the program starts");
        check(name, &text(&output.stdout).lines().map(String::from).collect::<Vec<_>>());
    }
}

#[test]
fn a_result_is_as_its_schema_says_and_makes_a_page() {
    let folder = empty_folder("schema-of-a-result");
    let reports = folder.to_str().expect("is text");
    run(&["run", "fte/remove-clean@fte-nq", "--server", "fte/removed-and-updated", "--reports", reports]);
    let result = folder.join("latest/result.json");
    let json = std::fs::read_to_string(&result).expect("is written");
    check("result", &[json]);
    let (result, page) = (result.display().to_string(), folder.join("page.html").display().to_string());
    let two = [&format!("one={result}"), &format!("other={result}")];
    let made = run(&["report", two[0], two[1], "--out", &page]);
    assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
    assert!(text(&made.stdout).starts_with("cases that differ: none\n"), "{}", text(&made.stdout));
    let html = std::fs::read_to_string(&page).expect("is written");
    assert!(html.contains("other fte-nq") && html.contains("--server fte/removed-and-updated"), "{html}");
    // The events before the finding have every field.
    assert!(html.contains("The last ") && html.contains("svc"), "{html}");
    let same = run(&["report", &result, &result, "--out", &page]);
    assert!(text(&same.stderr).contains("write NAME=FILE"), "{}", text(&same.stderr));
    let wrong = run(&["report", "Cargo.toml"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("result.json"), "{}", text(&wrong.stderr));
}

#[test]
fn an_unknown_schema_suggests_the_nearest() {
    let output = run(&["schema", "--of", "mutant"]);
    assert!(text(&output.stderr).contains("did you mean mutants?"), "{}", text(&output.stderr));
    assert_eq!(output.status.code(), Some(2));
}
