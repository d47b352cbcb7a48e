//! Messages as `PROTOCOL.md` has them, letter by letter, and there and back.

use kit::{Command, Event, HostId, PeerId, StatValue, View};
use shim::message::{Input, Operation, Request};
use shim::words;
use skeleton::PROTOCOL;

fn line(operation: Operation) -> String {
    serde_json::to_string(&Request { seq: 7, operation }).expect("can be written")
}

/// An instruction as it is on the wire; it is the same command when it comes back.
fn instructed(command: Command) -> String {
    let instruction = words::instruction(&PROTOCOL, &command);
    assert_eq!(words::command(&PROTOCOL, &instruction), Ok(command));
    let sent = line(Operation::Step { host: 1, now: 50, until: None, input: Input::Command(instruction) });
    let read: Request = serde_json::from_str(&sent).expect("can be read");
    assert_eq!(serde_json::to_string(&read).expect("can be written"), sent);
    sent.strip_prefix(r#"{"seq":7,"op":"step","host":1,"now":50,"input":"command","command":"#)
        .expect(&sent)
        .to_string()
}

#[test]
fn requests_have_the_documented_form() {
    assert_eq!(line(Operation::Hello { version: 1 }), r#"{"seq":7,"op":"hello","version":1}"#);
    assert_eq!(line(Operation::Observe { host: 2 }), r#"{"seq":7,"op":"observe","host":2}"#);
    assert_eq!(line(Operation::Bye), r#"{"seq":7,"op":"bye"}"#);
    let input = Input::Datagram { from: 0, port: 0, to_port: 0, bytes: words::to_hex(&[0, 0xff, 0x1a]) };
    assert_eq!(
        line(Operation::Step { host: 1, now: 1_250_000, until: None, input }),
        r#"{"seq":7,"op":"step","host":1,"now":1250000,"input":"datagram","from":0,"port":0,"bytes":"00ff1a"}"#
    );
    let timeout = line(Operation::Step { host: 0, now: 5, until: None, input: Input::Timeout });
    assert_eq!(timeout, r#"{"seq":7,"op":"step","host":0,"now":5,"input":"timeout"}"#);
    let until = line(Operation::Step { host: 0, now: 5, until: Some(9), input: Input::Timeout });
    assert_eq!(until, r#"{"seq":7,"op":"step","host":0,"now":5,"until":9,"input":"timeout"}"#);
    let input = Input::Datagram { from: 1, port: 0, to_port: 27_600, bytes: String::new() };
    assert_eq!(
        line(Operation::Step { host: 0, now: 5, until: None, input }),
        r#"{"seq":7,"op":"step","host":0,"now":5,"input":"datagram","from":1,"port":0,"to_port":27600,"bytes":""}"#
    );
    let setup = kit::Setup::new(&PROTOCOL, &PROTOCOL.profiles[0]);
    let opening = |at| {
        let mut opening = words::opening(&PROTOCOL, &setup);
        if let Operation::Open { now, .. } = &mut opening {
            *now = at;
        }
        line(opening)
    };
    assert!(!opening(0).contains("now") && opening(3).ends_with(r#","now":3}"#), "{}", opening(3));
}

#[test]
fn instructions_have_the_documented_form() {
    let field = PROTOCOL.fields[0].name;
    assert_eq!(instructed(Command::Connect), r#""connect"}"#);
    assert_eq!(instructed(Command::Map), r#""map"}"#);
    assert_eq!(instructed(Command::Spawn { entity: 5 }), r#""spawn","entity":5}"#);
    assert_eq!(
        instructed(Command::Set { entity: 5, field: 0, value: -3 }),
        format!(r#""set","entity":5,"field":"{field}","value":-3}}"#)
    );
    let (whole, half) = (StatValue::Int(75), StatValue::Float(0.5));
    assert_eq!(
        instructed(Command::Stat { client: 1, stat: 3, value: whole }),
        r#""stat","client":1,"stat":3,"int":75}"#
    );
    assert_eq!(
        instructed(Command::Stat { client: 1, stat: 3, value: half }),
        r#""stat","client":1,"stat":3,"float":1056964608}"#
    );
}

#[test]
fn names_that_the_protocol_does_not_have_are_refused() {
    let read = |text: &str| words::event(&PROTOCOL, HostId(1), &serde_json::from_str(text).expect("has the form"));
    let wrong = read(r#"{"event":"note","note":"joy"}"#).expect_err("no such note");
    assert!(wrong.starts_with("no note is called `joy`"), "{wrong}");
    let wrong = read(r#"{"event":"state","peer":0,"from":"a","to":"b"}"#).expect_err("no such state");
    assert!(wrong.starts_with("no state of a client is called `a`; known are "), "{wrong}");
    assert_eq!(read(r#"{"event":"print","text":"4f4b"}"#), Ok(Event::Print { text: b"OK".to_vec() }));
    assert!(read(r#"{"event":"print","text":"4f4"}"#).is_err());
    assert!(read(r#"{"event":"print","text":"4g"}"#).is_err());
}

#[test]
fn what_an_endpoint_holds_comes_back_as_it_was() {
    let stride = PROTOCOL.fields.len();
    let view = View {
        state: PROTOCOL.states.client[0],
        server_time: 0x3f80_0000,
        valid: true,
        own_entity: 2,
        numbers: vec![1, 300],
        fields: (0..2 * stride as i32).map(|value| -value).collect(),
        statics: (0..stride as i32).collect(),
        stats: vec![(0, StatValue::Int(-5)), (9, StatValue::Float(1.5))],
        ..View::default()
    };
    let mut back = View::default();
    let reply = words::reply(&PROTOCOL, &view, 3);
    assert_eq!(words::show(&PROTOCOL, HostId(1), &reply, &mut back), Ok(()));
    assert_eq!(back, view);
    let mut twice = reply;
    twice.entities.push(twice.entities[0].clone());
    let wrong = words::show(&PROTOCOL, HostId(1), &twice, &mut View::default()).expect_err("not ascending");
    assert_eq!(wrong, "entity 1 does not ascend");
}

#[test]
fn a_peer_is_a_host_and_the_number_of_a_port() {
    let peer = PeerId { host: HostId(3), port: 2 };
    let event = Event::Rejected {
        peer,
        error: kit::DecodeError { offset: 4, field: "flags", kind: kit::ErrorKind::Unterminated },
    };
    let text = serde_json::to_string(&words::happening(&PROTOCOL, &event)).expect("can be written");
    assert_eq!(text, r#"{"event":"rejected","peer":3,"offset":4,"field":"flags"}"#);
}
