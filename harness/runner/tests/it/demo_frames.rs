//! Demos on the command line, frame by frame.

use super::demos::{demo_of, judged_with};
use super::recorded::{is_fair, record};
#[cfg(feature = "schemas")]
use super::schemas;
use super::{cases, file, run as program, text as utf8};
use deltaproof::scenario::Case;
use rayon::prelude::*;
use serde_json::Value;

/// What client 1 of the first run of a scenario recorded, as a file of this name.
fn demo(scenario: &str, name: &str) -> String {
    let case = cases().iter().find(|case| case.scenario.id == scenario).expect("the scenario");
    let (_, bytes) = demo_of(case, &record(case, None)).expect("engines record it");
    file(name, &bytes)
}

fn lines(words: &[&str]) -> Vec<Value> {
    let output = utf8(&program(words).stdout);
    output.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn each_frame_is_a_line_as_the_schema_says() {
    for (scenario, name) in
        [("fitz666/hints", "frames-nq.dem"), ("fte/remove-clean", "frames-fte.dem"), ("r1q2/map-change", "frames.dm2")]
    {
        let path = demo(scenario, name);
        let all = lines(&["decode", &path, "--format", "json"]);
        let output = program(&["decode", &path, "--format", "json"]);
        let said: Vec<String> = utf8(&output.stdout).lines().map(String::from).collect();
        assert!(!said.is_empty(), "{name}");
        #[cfg(feature = "schemas")]
        schemas::check("decode", &said);
        assert_eq!(output.status.code(), Some(0), "{name}");
        let begun = all.iter().find(|line| line["defaults"].is_object()).expect("a part");
        let frames: Vec<&Value> = all.iter().filter(|line| line["frame"].is_u64()).collect();
        assert!(frames.len() > 20, "{name}: {} after {begun}", frames.len());
        assert_eq!(all.last().expect("a summary")["summary"]["frames"], frames.len());
        let held = |frame: &Value| frame["entities"].as_object().is_some_and(|entities| !entities.is_empty());
        assert!(frames.iter().any(|frame| held(frame)), "{name}: somebody is there");
        assert!(frames.iter().any(|frame| frame["events"].as_array().is_some_and(|events| !events.is_empty())));
        let changed = lines(&["decode", &path, "--format", "json", "--changes"]);
        assert_eq!(changed.len(), all.len());
        // What changes leave out is what the frame before has: put together they are the whole.
        let (mut state_of, mut state) = (Value::Null, serde_json::Map::new());
        for (whole, change) in all.iter().zip(&changed).filter(|(whole, _)| whole["frame"].is_u64()) {
            if whole["frame"].is_u64() && state_of != whole["part"] {
                (state_of, state) = (whole["part"].clone(), serde_json::Map::new());
            }
            for gone in change["gone"].as_array().into_iter().flatten() {
                state.remove(&gone.to_string());
            }
            state.extend(change["entities"].as_object().expect("entities").clone());
            assert_eq!(whole["entities"].as_object(), Some(&state), "{name}: frame {}", whole["frame"]);
        }
    }
}

#[test]
fn one_moment_and_one_entity_are_shown_of_the_frames() {
    let path = demo("fitz666/hints", "frames-at.dem");
    let all = lines(&["decode", &path, "--format", "json"]);
    let at = lines(&["decode", &path, "--format", "json", "--at", "0.5s"]);
    let [part, moment, summary] = &at[..] else { panic!("a part, a frame and a summary: {at:?}") };
    assert!(part["part"] == 1 && all.contains(moment) && moment["time_us"].as_u64().is_some_and(|us| us >= 500_000));
    assert_eq!(summary["summary"]["frames"], all.len() - 2, "all before and after it is read, too");
    for line in lines(&["decode", &path, "--format", "json", "--entity", "1"]).iter().filter(|it| it["frame"].is_u64())
    {
        assert!(line["entities"].as_object().is_some_and(|it| it.keys().all(|number| number == "1")), "{line}");
    }
}

#[test]
fn two_demos_are_compared_by_what_is_in_them() {
    let a = demo("fitz666/hints", "same-a.dem");
    let bytes = std::fs::read(&a).expect("was written");
    let diff = |b: &str| {
        let output = program(&["diff", &a, b]);
        (output.status.code(), utf8(&output.stdout), utf8(&output.stderr))
    };
    // The name does not count.
    let (code, said, _) = diff(&file("same-b.bin", &bytes));
    assert!(code == Some(0) && said.starts_with("the same: "), "{code:?} {said}");
    let (code, said, _) = diff(&file("shorter.dem", &bytes[..bytes.len() / 2]));
    assert!(code == Some(1) && said.contains("shorter.dem: ends here"), "{code:?} {said}");
    let (code, said, _) = diff(&demo("fitz666/alpha", "other.dem"));
    assert!(code == Some(1) && said.contains(": A has ") && said.contains("(byte "), "{code:?} {said}");
    let (code, _, error) = diff(&file("no-demo.txt", b"c2s 00\n"));
    assert!(code == Some(2) && error.contains("no-demo.txt is none: name two demos"), "{code:?} {error}");
    let (code, _, error) = diff(&file("broken.zip", b"PK\x03\x04 and no more"));
    assert!(code == Some(2) && error.contains("is packed and damaged"), "{code:?} {error}");
    let summary = &lines(&["diff", &a, &a, "--format", "json"])[0]["summary"];
    assert_eq!((&summary["same"], &summary["parted"]["differences"]), (&true.into(), &serde_json::json!([])));
}

#[test]
fn demos_of_other_games_are_named() {
    let error = |name: &str, bytes: &[u8]| {
        let output = program(&["decode", &file(name, bytes)]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        utf8(&output.stderr)
    };
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n";
    assert!(
        error("lfs.dem", pointer)
            .contains("is a pointer of Git LFS, and not the file itself; fetch it, with `git lfs pull`")
    );
    assert!(error("q3.dm_68", &[1, 0, 0, 0, 9, 0, 0, 0, 7]).contains("is a demo of Quake III"));
    assert!(error("half-life.dem", b"HLDEMO\0\0\x05\0\0\0").contains("is a demo of Half-Life"));
    assert!(error("source.dem", b"HL2DEMO\0\x03\0\0\0").contains("of the Source engine"));
}

/// A `.dm2` whose serverdata announces `protocol`, and a `.dem` whose serverinfo does.
fn announcing(protocol: u32) -> [Vec<u8>; 2] {
    let block =
        |head: usize, message: &[u8]| [&(message.len() as u32).to_le_bytes()[..], &vec![0; head], message].concat();
    let data = [&[12][..], &protocol.to_le_bytes(), &[1, 0, 0, 0, 1], b"baseq2\0\0\0base1\0"].concat();
    let info = [&[11][..], &protocol.to_le_bytes(), &[1, 0], b"A map\0maps/a.bsp\0\0\0"].concat();
    let end = [0xff; 4];
    [[&block(0, &data)[..], &block(0, &[20, 1, 2, 3]), &end].concat(), [b"-1\n", &block(12, &info)[..]].concat()]
}

#[test]
fn protocols_of_neighbours_are_named_with_what_is_read() {
    for (protocol, name) in [
        (56, "KMQuake2's protocol 56"),
        (2023, "the re-release's protocol 2023"),
        (36, "Q2PRO's protocol 36"),
        (26, "an older Quake II's protocol 26"),
        (1038, "Q2REPRO's protocol 1038"),
        (3435, "Q2PRO's extended protocol 3435"),
    ] {
        let path = file(&format!("of-{protocol}.dm2"), &announcing(protocol)[0]);
        let output = program(&["decode", "-q", &path]);
        let error = utf8(&output.stderr);
        let expected = format!("{name} was agreed, which cannot be read; of a .dm2 protocols 34 and 35 are read");
        assert!(error.contains(&expected) && output.status.code() == Some(1), "{error}");
        assert!(!utf8(&output.stdout).contains("all decoded"), "{}", utf8(&output.stdout));
        let output = program(&["judge", &path]);
        let said = utf8(&output.stdout);
        let first = said.lines().next().unwrap_or_default();
        assert!(output.status.code() == Some(2) && first.contains(name) && first.contains("none decoded"), "{said}");
    }
    let path = file("of-3504.dem", &announcing(3504)[1]);
    let error = utf8(&program(&["decode", "-q", &path]).stderr);
    assert!(
        error.contains("DarkPlaces' protocol 3504 (DP7) was agreed") && error.contains("15, 666 and 999"),
        "{error}"
    );
}

#[test]
fn a_demo_is_replayed_with_what_is_found_where_it_is_found() {
    let mutant = fte::PROTOCOL.mutants().find(|mutant| mutant.name == "resets-once").expect("the mutant");
    let of_profile: Vec<&Case> = cases().iter().filter(|case| case.profile.name == "fte-nq" && is_fair(case)).collect();
    let bytes = of_profile.par_iter().find_map_first(|case| {
        let taps = record(case, Some(mutant));
        let found = (!taps.damaged).then(|| judged_with(case, &taps, Vec::new())).flatten()?.findings;
        found.iter().any(|found| found.finding.suspects().contains("FTE-RST-03")).then(|| demo_of(case, &taps))?
    });
    let (name, bytes) = bytes.expect("a demo shows it");
    let output = program(&["replay", &file(&format!("resets-once-{name}"), &bytes)]);
    // What it finds is a SHOULD.
    assert_eq!(output.status.code(), Some(0), "{}", utf8(&output.stdout));
    let said = utf8(&output.stdout);
    assert!(said.contains("  finding      FTE-RST-03"), "{said}");
    assert!(said.contains("s2c #") && said.contains("^ FTE-RST-03"), "it stands below its datagram: {said}");
    let path = demo("fitz666/hints", "replayed.dem");
    let output = program(&["replay", &path, "--until", "300ms"]);
    assert_eq!(output.status.code(), Some(0), "nothing is found in it");
    assert!(utf8(&output.stdout).lines().count() > 5, "{}", utf8(&output.stdout));
}
