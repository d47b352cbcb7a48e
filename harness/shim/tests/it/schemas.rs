//! The schemas that are shipped are those of the messages, and `--strict-shim` uses them.

use shim::message::{Input, Instruction, Operation, Request, StepReply, Transmit};
use shim::schema::{FILES, Schemas, generated};

#[test]
fn those_shipped_are_those_of_the_messages() {
    for ((name, shipped), (generated_name, generated)) in FILES.into_iter().zip(generated()) {
        assert_eq!(name, generated_name);
        if std::env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
            let path = format!("{}/schema/{name}.schema.json", env!("CARGO_MANIFEST_DIR"));
            std::fs::write(&path, &generated).expect(&path);
        } else {
            assert_eq!(shipped, generated, "INSTA_UPDATE=always writes schema/{name}.schema.json again");
        }
    }
}

#[track_caller]
fn check_reply(asked: &str, text: &str, expected: &str) {
    let found = Schemas::new().check_reply(asked, text).err().unwrap_or_default();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn replies_are_checked_with_the_place_of_what_is_wrong() {
    check_reply("step", r#"{"seq":2,"tx":[{"to":1,"bytes":"8000"}],"wake":1300000}"#, "");
    check_reply("observe", r#"{"seq":2,"state":"active","entities":[[1,0,3]],"stats":[{"stat":3,"int":75}]}"#, "");
    check_reply("step", "{}", "schema/step-reply.schema.json: the message: missing properties 'seq'");
    check_reply(
        "step",
        r#"{"seq":2,"tx":[{"to":1,"bytes":"80f"}]}"#,
        "schema/step-reply.schema.json: /tx/0/bytes: '80f' does not match pattern '^([0-9a-fA-F]{2})*$'",
    );
    check_reply(
        "close",
        r#"{"seq":2,"wake":5}"#,
        "schema/done-reply.schema.json: the message: additionalProperties 'wake' not allowed",
    );
    check_reply(
        "step",
        r#"{"seq":2,"port":70000}"#,
        "schema/step-reply.schema.json: /port: must be <=65535, but got 70000",
    );
}

#[test]
fn requests_of_ours_are_checked_before_they_are_sent() {
    let step = |input| Request { seq: 1, operation: Operation::Step { host: 1, now: 5, until: None, input } };
    let line = |request: &Request| serde_json::to_vec(request).expect("it serializes");
    let schemas = Schemas::new();
    let good = [
        step(Input::Timeout),
        step(Input::Datagram { from: 0, port: 0, to_port: 27_600, bytes: String::from("80ff") }),
        step(Input::Command(Instruction::Set { entity: 1, field: String::from("frame"), value: -1 })),
    ];
    for request in good {
        assert_eq!(schemas.check_request(&line(&request)), Ok(()), "{request:?}");
    }
    let bad = step(Input::Datagram { from: 0, port: 0, to_port: 0, bytes: String::from("8") });
    assert!(schemas.check_request(&line(&bad)).is_err());
}

#[test]
fn what_the_reference_says_is_allowed() {
    let reply = StepReply {
        seq: 1,
        tx: vec![Transmit { to: 0, port: 0, from_port: 0, bytes: String::from("00") }],
        ..StepReply::default()
    };
    let text = serde_json::to_string(&reply).expect("it serializes");
    check_reply("step", &text, "");
}
