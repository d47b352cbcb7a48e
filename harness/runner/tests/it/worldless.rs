//! Servers that nobody can tell what the world is. The reference with a world of its own stands for engines: nothing is found of it, and
//! of what its mutants do wrong, what the wire shows is.

use crate::{by_scenario, cases, deltaproof, empty_folder, seeds_of_all};
use deltaproof::judge::{Keep, judge, judge_with};
use deltaproof::own_world;
use deltaproof::registry::PROTOCOLS;
use deltaproof::scenario::{self, Case, by_profile};
use deltaproof::settings::Settings;
use deltaproof::worldless;
use kit::{HostId, Knowledge, Mutant, Role, Vantage};
use rayon::prelude::*;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Of every scenario one profile in so many is run, unless all seeds are run.
const SPREAD: usize = 3;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios")
}

fn probes() -> Vec<Case> {
    let all = PROTOCOLS.iter().flat_map(|protocol| protocol.profiles.iter().map(move |profile| (*protocol, profile)));
    let of = |(protocol, profile)| scenario::probes(&root(), protocol, profile).unwrap_or_else(|_| panic!("probes"));
    all.flat_map(of).collect()
}

/// What is found in a run with the reference, or a mutant of it, that has a world of its own, against the server.
fn found(case: &Case, mutant: Option<&Mutant>) -> Vec<String> {
    let case = Case { worldless: true, ..case.clone() };
    let build = mutant.map_or(case.protocol.server, |mutant| mutant.replacement.build);
    let server = |role, setup: &kit::Setup| {
        (role == Role::Server).then(|| own_world::server(&|setup| build(setup), case.protocol, setup))
    };
    let seed = case.seeds().first().copied().unwrap_or_default();
    let mut judgement = judge_with(&case, seed, &server, Keep::Verdict);
    worldless::excuse(&case, seed, &mut judgement);
    let against = judgement.findings.iter().map(|it| format!("{} {}: {}", it.suspects, it.host, it.what));
    against.chain(judgement.halted.clone()).chain(judgement.missing.iter().map(ToString::to_string)).collect()
}

#[test]
fn nothing_is_found_of_the_reference_with_a_world_of_its_own() {
    let step = if seeds_of_all().is_some() { 1 } else { SPREAD };
    let chosen = by_profile(cases()).step_by(step).filter_map(|cases| cases.first()).cloned();
    let chosen: Vec<Case> = chosen.chain(probes().into_iter().step_by(step)).collect();
    let own = Settings::default();
    let judged =
        |case: &&Case| !Case { worldless: true, ..(*case).clone() }.is_left_out() && own.differs(case, true).is_none();
    let wrong: Vec<String> = chosen
        .par_iter()
        .filter(judged)
        .filter_map(|case| Some(format!("{}: {}", case.name(), found(case, None).first()?)))
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), chosen.len(), wrong.join("\n"));
}

/// Mutants of servers whatever their world is: what they do wrong is found by a client that does nothing special.
const FOUND: [(&str, &[&str]); 5] = [
    ("fte-nq", &["new-as-delta", "begins-with-entities", "end-not-marked"]),
    ("r1q2-35", &["zpacket-lengths-exchanged", "no-base-is-zero", "server-skips-two-bytes", "offset-with-frame"]),
    ("fitz666", &["morebits-missing", "alpha-compared-as-float", "server-acks-with-next", "numbers-in-a-byte"]),
    ("nvs", &["answer-big-endian", "answer-of-another-type", "padded-prints"]),
    ("pygg2", &["no-version", "own-body-missing", "turned-header"]),
];

#[test]
fn what_the_wire_shows_of_mutants_is_found() {
    let probes = probes();
    let mut missed = Vec::new();
    for (profile, names) in FOUND {
        let case = |name: &str| probes.iter().find(|case| case.scenario.id == name && case.profile.name == profile);
        let cases: Vec<&Case> = ["probe/clean", "probe/loss-30"].into_iter().filter_map(case).collect();
        for name in names {
            let mutants = || cases[0].protocol.mutants().filter(|mutant| mutant.replacement.role == Role::Server);
            let mutant = mutants().find(|mutant| mutant.name == *name).expect(name);
            let is_found = |case: &&Case| found(case, Some(mutant)).iter().any(|it| it.contains(mutant.caught_by.id));
            if !cases.iter().any(is_found) {
                missed.push(format!("{profile} {name}"));
            }
        }
    }
    assert!(missed.is_empty(), "{missed:?}");
}

#[test]
fn a_port_that_changes_is_judged_at_a_server_that_reads_later() {
    let rebound = by_scenario().flatten().filter(|case| case.scenario.id.starts_with("r1q2/rebound"));
    let mut mutants = deltaproof::registry::PROTOCOLS.iter().flat_map(|protocol| protocol.mutants());
    let mutant = mutants.find(|mutant| mutant.name == "server-knows-ports-alone").expect("a mutant");
    let mut count = 0;
    for case in rebound {
        let case = Case { knowledge: Knowledge::Wire, vantage: Vantage::OF_WORLDLESS, ..case.clone() };
        let seed = case.seeds()[0];
        let found = |replacement| -> Vec<String> {
            let findings = judge(&case, seed, replacement, Keep::Verdict).findings;
            findings.iter().map(|finding| finding.suspects.to_string()).collect()
        };
        assert_eq!(found(None), [""; 0], "{}", case.name());
        count += usize::from(found(Some(mutant.replacement)).iter().any(|it| it.contains("R1Q2-QPORT-05")));
    }
    assert!(count >= 4, "a server that knows its clients by their ports alone was found in {count} cases");
}

fn program() -> String {
    format!("'{}' shim reference", env!("CARGO_BIN_EXE_deltaproof"))
}

/// What a command says with the reference as a server that has a world of its own, and its exit code.
fn with_own_world(arguments: &[&str], more: &str) -> (String, Option<i32>) {
    let shim = format!("{} --own-world{more}", program());
    let output =
        deltaproof(arguments).args(["--role", "server", "--shim", &shim]).output().expect("the program starts");
    (
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr),
        output.status.code(),
    )
}

#[test]
fn what_needs_the_world_is_skipped_by_name_and_what_it_never_makes_happen_is_not_applicable() {
    let (said, code) = with_own_world(&["run", "fte/remove-clean", "fte/ack-clean", "--profile", "fte-nq"], "");
    assert_eq!(code, Some(0), "{said}");
    for part in [
        "pass  fte/ack-clean@fte-nq",
        "not-applicable  fte/remove-clean@fte-nq",
        "skipped, because nobody can tell the server what the world is, and its own did not make it happen: FTE-",
        "skipped, because no mutant of the reference that violates it is found by the wire alone: FTE-",
    ] {
        assert!(said.contains(part), "{part} is not in:\n{said}");
    }
}

#[test]
fn a_mutant_with_a_world_of_its_own_fails_and_its_replay_line_fails_again() {
    let run = ["run", "probe/clean", "r1q2/clean", "--profile", "r1q2-35", "--format", "json"];
    let (said, code) = with_own_world(&run, " --server zpacket-lengths-exchanged");
    assert_eq!(code, Some(1), "{said}");
    let cases = said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let failed: Vec<String> = cases
        .filter(|line| line["verdict"] == "fail")
        .filter_map(|line| Some(String::from(line["replay"].as_str()?)))
        .collect();
    assert!(failed.iter().any(|line| line.contains("probe/clean@r1q2-35")), "{failed:?}");
    for line in failed {
        let words = shlex::split(&line).expect("quoted well");
        let words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
        let output = deltaproof(&words).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(1), "{line}");
    }
}

#[test]
fn a_server_that_lets_nobody_in_is_no_success() {
    // It answers everything by nothing.
    let hello =
        r#"{"seq":0,"version":1,"name":"x","build":"1","roles":["server"],"profiles":["r1q2-35"],"takes_world":false}"#;
    let script = format!(r#"read l; echo '{hello}'; n=0; while read -r l; do n=$((n+1)); echo "{{\"seq\":$n}}"; done"#);
    let shim = format!("sh -c {}", shlex::try_quote(&script).expect("no zero byte"));
    for case in ["probe/clean@r1q2-35", "r1q2/clean@r1q2-35", "r1q2/zombie@r1q2-35"] {
        let output = deltaproof(&["run", case, "--seed", "1", "--shim", &shim]).output().expect("the program starts");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
    }
}

#[test]
fn the_harness_says_how_long_nothing_comes_when_a_host_begins_and_to_which_port_a_datagram_goes() {
    let lines = |case: &str, more: &str| {
        let file = empty_folder(&format!("said{}", case.replace(['/', '@'], "-"))).join("requests");
        let script = format!("tee '{}' | {}{more}", file.display(), program());
        let shim = format!("sh -c {}", shlex::try_quote(&script).expect("no zero byte"));
        let run = ["run", case, "--seed", "1", "--jobs", "1", "--role", "server", "--shim", &shim];
        let strict = ::shim::schema::AVAILABLE.then_some("--strict-shim");
        let output = deltaproof(&run).args(strict).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
        let text = std::fs::read_to_string(file).expect("it was written");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect::<Vec<Value>>()
    };
    let restarted = lines("pygg2/restart-server@pygg2", "");
    let begins: BTreeSet<u64> =
        restarted.iter().filter(|it| it["op"] == "open").map(|it| it["now"].as_u64().unwrap_or(0)).collect();
    assert!(begins.len() > 1 && begins.contains(&0), "{begins:?}");
    let steps: Vec<&Value> = restarted.iter().filter(|it| it["op"] == "step").collect();
    let told: Vec<&&Value> = steps.iter().filter(|it| it["until"].is_u64()).collect();
    // Who takes another's place in that moment was told nothing yet.
    assert!(told.len() + 2 >= steps.len() && told.iter().all(|it| it["until"].as_u64() >= it["now"].as_u64()));
    let ports = lines("fitz666/port-given@fitz666", "");
    let ports: BTreeSet<u64> = ports.iter().filter_map(|it| it["to_port"].as_u64()).collect();
    assert_eq!(ports.iter().copied().collect::<Vec<_>>(), [26_001]);
    let own = lines("fte/ack-clean@fte-nq", " --own-world");
    let is_told = |it: &Value| it["input"] == "command" || it["op"] == "observe" && it["host"] == 0;
    assert!(!own.is_empty() && !own.iter().any(is_told));
}

#[test]
fn options_of_a_shim_stand_in_its_replay_lines_and_leave_out_what_is_about_others() {
    let settings = ["--set", "qport=0", "--set", "client1_protocol=34"];
    let run = [&["run", "r1q2/clean@r1q2-35", "--seed", "1", "--format", "json"][..], &settings].concat();
    let (said, code) = with_own_world(&run, "");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("--set 'qport=0' --set 'client1_protocol=34' --shim"), "{said}");
    let (said, code) = with_own_world(&["run", "fte/map-change", "--profile", "fte-qw", "--set", "client_fte2=8"], "");
    assert_eq!(code, Some(0), "{said}");
    let left_out = "fte/map-change@fte-qw[client_fte2=0x28]: it is about another `client_fte2` than the shim has";
    assert!(said.contains(left_out) && said.contains("  fte/map-change@fte-qw[client_fte2=0x8]"), "{said}");
    for (wrong, why) in [("no_such=1", "is called `no_such`"), ("qport", "write NAME=VALUE"), ("qport=x", "digit")] {
        let (said, code) = with_own_world(&["run", "r1q2/clean", "--set", wrong], "");
        assert!(code == Some(2) && said.contains(why), "{said}");
    }
    let output = deltaproof(&["run", "r1q2/clean", "--set", "qport=0"]).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_certificate_by_the_wire_says_so() {
    let folder = empty_folder("by-the-wire");
    let from = root().join("r1q2");
    std::fs::create_dir_all(folder.join("scenarios/r1q2")).expect("the test's folder is writable");
    for file in ["plain-session.yaml", "rebound-twice.yaml"] {
        std::fs::copy(from.join(file), folder.join("scenarios/r1q2").join(file)).expect("the scenario is there");
    }
    let scenarios = folder.join("scenarios");
    let (scenarios, out) = (scenarios.to_str().expect("UTF-8"), folder.to_str().expect("UTF-8"));
    let certify = |more: &[&str], mutant: &[&str]| {
        let mut arguments = vec!["--scenarios", scenarios, "certify"];
        arguments.extend(more);
        arguments.extend(["--", env!("CARGO_BIN_EXE_deltaproof"), "shim", "reference", "--own-world"]);
        arguments.extend(mutant);
        let output = deltaproof(&arguments).output().expect("the program starts");
        (
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr),
            output.status.code(),
        )
    };
    let server = ["--profile", "r1q2-35", "--role", "server", "--level", "2", "--out", out];
    let (said, code) = certify(&server, &[]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("level 2 by the wire: ") && said.contains(" need the world"), "{said}");
    assert!(said.contains("skipped, because nobody can tell the server what the world is"), "{said}");
    let file = folder.join("certificate.json");
    let (said, code) = certify(&["--verify", file.to_str().expect("UTF-8")], &[]);
    assert_eq!(code, Some(0), "{said}");
    let (said, code) = certify(&server[..6], &["--server", "zpacket-lengths-exchanged"]);
    assert_eq!(code, Some(1), "{said}");
}

#[test]
fn what_the_world_would_show_is_tried_with_a_server_that_has_none() {
    let case = cases().iter().find(|case| case.name() == "fte/remove-clean@fte-nq").expect("a case");
    let without = worldless::of_the_reference(case, case.seeds()[0]);
    assert!(!without.missing.is_empty() && without.findings.iter().all(|finding| finding.host != HostId::SERVER));
}

#[test]
fn what_a_client_holds_otherwise_than_the_control_client_is_found_where_the_wire_shows_nothing() {
    let run = ["run", "probe/loss-30", "--profile", "fte-nq", "--seeds", "1..3", "--format", "json", "--control"];
    let (said, code) = with_own_world(&run, "");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains(" entities at rest were compared"), "{said}");
    let (said, code) = with_own_world(&run, " --server frame-of-last-update");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("client1 shows frame of entity 5") && said.contains(" --control --shim"), "{said}");
    let (said, code) = with_own_world(&run[..8], " --server frame-of-last-update");
    assert_eq!(code, Some(0), "{said}");
    let mut with_world = deltaproof(&["run", "fte/ack-clean", "--control", "--role", "server", "--shim", &program()]);
    assert_eq!(with_world.output().expect("the program starts").status.code(), Some(2));
}
