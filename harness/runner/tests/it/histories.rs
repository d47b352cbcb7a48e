//! Runs written down: as a drawing, as a capture, as JSON, and compared.

use super::{CASE, cases, deltaproof, empty_folder, one_scenario, run, text};
use deltaproof::candidate::{BuiltIn, Candidate};
use deltaproof::capture::stage::Stage;
use deltaproof::capture::{Capture, Options, wire};
use deltaproof::history::{Fate, What};
use deltaproof::judge::{Keep, judge};
use deltaproof::registry::PROTOCOLS;
use deltaproof::scenario::Case;
use kit::{Damage, Knowledge};
use std::path::Path;

/// A case in which this mutant is found.
const FAILING: (&str, &str) = ("fte/remove-clean@fte-nq", "removed-and-updated");

fn case(name: &str) -> &'static Case {
    cases().iter().find(|case| case.name() == name).expect(name)
}

fn mutant(name: &str) -> Candidate {
    let mut all = BuiltIn::all(PROTOCOLS);
    Candidate::BuiltIn(all.find(|it| it.variant.name == name).expect(name))
}

/// What a recording says, datagram by datagram: which it is, and its bytes.
fn read(bytes: Vec<u8>) -> Vec<(Stage, Vec<u8>)> {
    let capture = Capture::from_bytes("run.pcapng", bytes, &Options::default()).expect("is a capture");
    let all = capture.map(|datagram| datagram.expect("is whole"));
    all.map(|datagram| (datagram.stage.expect("has our comment"), datagram.bytes)).collect()
}

#[test]
fn a_capture_has_every_datagram_as_it_was_sent_and_as_it_arrived() {
    let mut lost = 0;
    for name in ["fte/remove-lost@fte-nq", "fte/damage-acks@fte-nq"] {
        let case = case(name);
        let history = judge(case, 1, None, Keep::Events).history;
        let packets = read(wire::pcapng(&history).expect("fits into UDP"));
        let happened = history.entries.iter().filter_map(|entry| match &entry.what {
            What::Sent(datagram) => Some((datagram.packet, true)),
            What::Delivered { packet, .. } => Some((*packet, false)),
            _ => None,
        });
        let happened: Vec<_> = happened.collect();
        assert_eq!(packets.len(), happened.len());
        for ((stage, bytes), (packet, is_sent)) in packets.iter().zip(happened) {
            let (_, datagram) = history.datagram(packet).expect("was sent");
            match *stage {
                Stage::Sent { packet: id, fate } => {
                    assert!(is_sent && id == packet.id() && *bytes == datagram.bytes);
                    let is_lost = matches!(datagram.fate, Fate::Lost(_));
                    lost += usize::from(is_lost);
                    assert_eq!(matches!(fate, kit::Fate::Lost(_)), is_lost);
                }
                Stage::Delivered { packet: id, copy, intact } => {
                    let Fate::Arrives(arrivals) = &datagram.fate else { panic!("{packet} was lost") };
                    let damage = arrivals[usize::from(copy)].damage;
                    assert!(!is_sent && id == packet.id() && intact == (damage == Damage::None));
                    assert_eq!(*bytes == datagram.bytes, intact);
                }
            }
        }
    }
    assert!(lost > 0);
}

#[test]
fn what_was_found_on_the_wire_is_found_in_the_capture_of_it() {
    let folder = empty_folder("captures");
    let file = folder.join("run.pcapng");
    let path = file.to_str().expect("is text");
    let (case_name, name) = FAILING;
    for (candidate, code) in [(Some(name), 1), (None, 0)] {
        let blind = Case { knowledge: Knowledge::Wire, ..case(case_name).clone() };
        let candidate = candidate.map(mutant);
        let judgement = Candidate::judge(candidate.as_ref(), &blind, 1, Keep::Events);
        std::fs::write(&file, wire::pcapng(&judgement.history).expect("fits into UDP")).expect("can be written");
        let judged = run(&["judge", path]);
        assert_eq!(judged.status.code(), Some(code), "{}", text(&judged.stdout));
        for finding in &judgement.findings {
            assert!(text(&judged.stdout).contains(finding.requirement().id), "{}", text(&judged.stdout));
        }
    }
}

#[test]
fn a_replay_shows_the_finding_at_its_datagram_and_writes_the_files_that_are_asked_for() {
    let folder = empty_folder("replayed");
    let at = |name: &str| folder.join(name).to_str().expect("is text").to_string();
    let (html, pcapng) = (at("run.html"), at("run.pcapng"));
    let (case, name) = FAILING;
    let output =
        run(&["replay", case, "--seed", "1", "--mutant", name, "--html", &html, "--pcapng", &pcapng, "--step"]);
    let stdout = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{stdout}");
    assert!(text(&output.stderr).contains("--step waits on a terminal only"), "{}", text(&output.stderr));
    assert!(stdout.contains("  finding  ") && stdout.contains("^ FTE-"), "{stdout}");
    let page = std::fs::read_to_string(&html).expect("is written");
    assert!(
        page.contains("<svg class=\"timeline\"")
            && page.contains("class=\"finding\"")
            && !page.contains("http-equiv=\"refresh")
    );
    assert!(!read(std::fs::read(&pcapng).expect("is written")).is_empty());
    assert!(Path::new(&html).parent().is_some_and(|folder| folder.read_dir().is_ok_and(|all| all.count() == 2)));
    let nowhere = run(&["replay", case, "--seed", "1", "--html", "no/such/folder/x.html"]);
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(text(&nowhere.stderr).contains("cannot write no/such/folder/x.html"), "{}", text(&nowhere.stderr));
}

#[test]
fn two_runs_part_where_one_differs_first() {
    let folder = empty_folder("compared");
    let (case, name) = FAILING;
    let broken = format!("{case} --seed 1 --mutant {name}");
    let output = run(&["diff", &broken]);
    let stdout = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{stdout}");
    assert!(stdout.contains("events are the same; the last of them is\n") && stdout.contains("\nB  "), "{stdout}");
    let saved = folder.join("saved.json").to_str().expect("is text").to_string();
    std::fs::write(&saved, run(&["replay", case, "--seed", "1", "--format", "json"]).stdout).expect("can be written");
    let same = run(&["diff", &saved, &format!("deltaproof replay {case} --seed 1")]);
    assert!(text(&same.stdout).starts_with("the same: "), "{}{}", text(&same.stdout), text(&same.stderr));
    assert_eq!(same.status.code(), Some(0));
    let again = run(&["diff", &broken, &saved]);
    assert_eq!(again.status.code(), Some(1));
    for (arguments, part) in [
        (&["diff", case, "--seed", "1"][..], "only one with a candidate is compared with the reference alone"),
        (&["diff", "fte/no-such@fte-nq --seed 1"], "no case is called `fte/no-such@fte-nq`"),
        (&["diff", &broken, "x --nonsense"], "`x --nonsense` names no run: unexpected argument '--nonsense' found"),
    ] {
        let output = run(arguments);
        assert!(text(&output.stderr).contains(part), "{arguments:?}: {}", text(&output.stderr));
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

/// Does what a printed replay line says.
fn again(line: &str) -> (Option<i32>, String) {
    let words = shlex::split(line).expect("is a command line");
    let words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
    let output = run(&words);
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

#[test]
fn printed_replay_lines_show_what_was_found() {
    let root = one_scenario();
    let run_blind = ["run", "fte/remove-clean@fte-nq", "--server", "fte/removed-and-updated", "--knowledge", "wire"];
    let elsewhere = ["run", CASE, "--server", "fte/removed-and-updated", "--scenarios", &root, "--format", "json"];
    for arguments in [&run_blind[..], &elsewhere] {
        let output = deltaproof(arguments).output().expect("the program starts");
        let stdout = text(&output.stdout);
        let line = match arguments.contains(&"json") {
            false => stdout.lines().find_map(|line| line.trim().strip_prefix("replay: ")?.split("  (").next()),
            true => stdout.split("\"replay\":\"").nth(1).and_then(|rest| rest.split('"').next()),
        };
        let line = line.expect(&stdout);
        let (code, shown) = again(line);
        let is_same = if output.status.code() == Some(1) { shown.contains("FTE-") } else { code == Some(0) };
        assert!(code == output.status.code() && is_same, "{line}: {shown}");
    }
    let other = ["replay", "fte/delta-clean", "--profile", "fte-qw", "--seed", "1", "--last", "1"];
    let output = run(&other);
    assert!(text(&output.stdout).contains("pass fte/delta-clean@fte-qw"), "{}", text(&output.stdout));
}
