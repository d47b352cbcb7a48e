//! The module's answers, natively: the page's tests ask the same of the compiled module.

use super::answer_to;
use serde_json::{Value, json};

fn ask(request: Value) -> Value {
    answer_to(request.to_string().as_bytes())
}

#[test]
fn the_catalogue_has_every_protocol_with_its_text_and_every_requirement_with_what_covers_it() {
    let all = ask(json!({ "do": "catalogue" }));
    let protocols = all["protocols"].as_array().expect("protocols");
    assert_eq!(protocols.len(), judging::registry::PROTOCOLS.len());
    for protocol in protocols {
        assert!(protocol["text"].as_str().is_some_and(|text| text.starts_with("# ")), "{}", protocol["name"]);
        assert!(protocol["requirements"].as_array().is_some_and(|rows| !rows.is_empty()));
    }
    assert!(all["scenarios"].as_array().is_some_and(|scenarios| scenarios.len() > 100));
}

#[test]
fn a_run_is_drawn_judged_and_can_be_looked_into() {
    let play = ask(json!({ "do": "play", "case": "fte/reset-lost-both@fte-nq" }));
    assert_eq!(play["report"]["verdict"], "pass", "{play}");
    assert!(play["svg"].as_str().is_some_and(|svg| svg.starts_with("<svg") && svg.contains("href=\"#e")));
    let place = play["events"][0]["place"].as_u64().expect("an event");
    assert!(ask(json!({ "do": "entry", "place": place }))["entry"]["at_us"].is_u64());
    let end = &play["end_us"];
    let held = ask(json!({ "do": "held", "case": "fte/reset-lost-both@fte-nq", "seed": play["seed"], "at_us": end }));
    assert_eq!(held["held"][0]["host"], "server");
    assert_eq!(held["held"][0]["entities"], held["held"][1]["entities"]);
}

#[test]
fn a_run_gives_the_hash_that_was_reviewed_and_settings_give_another() {
    let rows = include_str!("../../../golden/fte/runs.snap");
    let reviewed = judging::golden::parse(rows);
    let case = ask(json!({ "do": "case", "case": "fte/reset-lost-both@fte-nq" }));
    let row: Vec<String> = serde_json::from_value(case["row"].clone()).expect("a row");
    assert_eq!(row, reviewed["fte/reset-lost-both@fte-nq[client_fte2=0x8]"]);
    let other =
        ask(json!({ "do": "case", "case": "fte/reset-lost-both@fte-nq", "settings": ["loss-20"], "seed": "7" }));
    assert_eq!(other["report"]["case"], "fte/reset-lost-both@fte-nq+loss-20");
    assert_ne!(other["report"]["trace_hash"], case["report"]["trace_hash"]);
}

#[test]
fn every_mutant_of_a_protocol_can_be_chosen_by_name() {
    let protocol = judging::registry::PROTOCOLS[0];
    let mutant = protocol.mutants().next().expect("a mutant");
    let name = format!("{}/{}", protocol.name, mutant.name);
    let play = ask(json!({ "do": "play", "case": mutant.scenario, "candidate": name }));
    assert_eq!(play["report"]["verdict"], "fail", "{}", play["report"]);
    assert!(play["first_finding"].is_u64());
}

#[test]
fn a_failure_is_made_smaller_and_fails_in_the_same_way() {
    let failing =
        json!({ "do": "shrink", "case": "fte/delta-loss@fte-nq", "candidate": "fte/delta-refused-after-gap" });
    let smaller = ask(failing);
    assert!(smaller["faults"].as_u64() < smaller["faults_before"].as_u64(), "{smaller}");
    let text = smaller["text"].as_str().expect("a scenario");
    let scenario = judging::scenario::parse("smaller", std::path::Path::new("smaller.yaml"), text).expect("it is read");
    let requirements: Vec<_> = scenario.requirements.iter().map(|requirement| requirement.id).collect();
    assert_eq!(requirements, [smaller["failure"].as_str().expect("a requirement")]);
    let passes = ask(json!({ "do": "shrink", "case": "fte/delta-loss@fte-nq" }));
    assert_eq!(passes["error"], "the run does not fail: pass");
}

#[test]
fn traffic_is_decoded_and_judged() {
    let text = include_str!("../../../golden/r1q2/vectors/q2pro_p35_bigmap.txt");
    let read = ask(json!({ "do": "traffic", "name": "bigmap", "text": text }));
    let observation = &read["observations"][0];
    assert_eq!(observation["profile"].as_str().map(|name| name.starts_with("r1q2-")), Some(true), "{read}");
    assert!(read["datagrams"][0]["sent"]["fields"].as_array().is_some_and(|fields| !fields.is_empty()));
    assert_eq!(observation["findings"], json!([]));
}

#[test]
fn a_run_is_saved_as_a_demo_which_is_read_and_judged_as_one() {
    for (case, kind) in
        [("fte/reset-clean@fte-nq", "dem"), ("fte/reset-clean@fte-qw", "qwd"), ("r1q2/clean@r1q2-35", "dm2")]
    {
        let play = ask(json!({ "do": "play", "case": case }));
        assert_eq!(play["demo"], kind);
        let demo = ask(json!({ "do": "demo" }));
        let (name, bytes) = (demo["name"].as_str().expect("a name"), demo["bytes"].as_str().expect("bytes"));
        assert!(name.ends_with(&format!(".{kind}")) && !name.contains('/'), "{name}");
        let read = ask(json!({ "do": "traffic", "name": name, "file": bytes, "profile": play["report"]["profile"] }));
        assert_eq!((read["demo"]["container"].as_str(), &read["demo"]["unread"]), (Some(kind), &json!(0)), "{read}");
        assert_eq!(read["observations"][0]["findings"], json!([]));
        // A field stands where it does in the file.
        let message = &read["messages"][1];
        let (place, hex) =
            (message["place"].as_u64().expect("a place") as usize, message["bytes"].as_str().expect("bytes"));
        assert_eq!(&bytes[2 * place..2 * place + hex.len()], hex);
        assert!(message["fields"][0]["offset"].as_u64() >= Some(place as u64), "{message}");
    }
    // What several profiles read alike is shown, and says how it is judged.
    ask(json!({ "do": "play", "case": "r1q2/clean@r1q2-35" }));
    let demo = ask(json!({ "do": "demo" }));
    let read = ask(json!({ "do": "traffic", "name": demo["name"], "file": demo["bytes"] }));
    assert_eq!(
        (read["demo"]["unread"].as_u64(), read["messages"].as_array().map(Vec::len)),
        (Some(0), read["all"].as_u64().map(|all| all as usize))
    );
    assert!(read["observations"][0]["not_judged"].as_str().is_some_and(|why| why.starts_with("r1q2-1903, ")), "{read}");
    // The time is that of the frames, wherever they stand in a message.
    ask(json!({ "do": "play", "case": "fte/reset-clean@fte-nq" }));
    let demo = ask(json!({ "do": "demo" }));
    let read = ask(json!({ "do": "traffic", "name": demo["name"], "file": demo["bytes"] }));
    assert!(read["demo"]["length_us"].as_u64() > Some(5_000_000), "{}", read["demo"]);
    let nvs = ask(json!({ "do": "play", "case": "nvs/storm@nvs" }));
    assert_eq!(nvs["demo"], json!(null));
    assert!(ask(json!({ "do": "demo" }))["error"].as_str().is_some_and(|error| error.contains("no engine records")));
}

#[test]
fn a_mistake_is_answered() {
    for (request, said) in [
        (json!({ "do": "dance" }), "cannot be read"),
        (json!({ "do": "play", "case": "fte/nothing" }), "there is no case"),
        (json!({ "do": "play", "case": "fte/delta-clean", "settings": ["loss-101"] }), "nothing that links do"),
        (json!({ "do": "play", "case": "fte/delta-clean", "candidate": "fte/none" }), "no mutant or variant"),
        (json!({ "do": "traffic", "name": "x", "text": "zz" }), ""),
        (json!({ "do": "play", "case": "fte/delta-clean", "seed": "18446744073709551616" }), "no seed"),
        (json!({ "do": "entry", "place": 1_000_000 }), "no such event"),
    ] {
        let error = ask(request.clone())["error"].as_str().map(String::from);
        assert!(error.as_ref().is_some_and(|error| error.contains(said)), "{request}: {error:?}");
    }
}
