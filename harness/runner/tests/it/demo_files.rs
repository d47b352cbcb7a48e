//! What one client received, as a demo that engines play.

use super::cases;
use deltaproof::capture::{Capture, CaptureDatagram, Options};
use deltaproof::history::{Fate, History, What, demo};
use deltaproof::judge::{Keep, judge};
use deltaproof::observe::choose::Choice;
use deltaproof::observe::follow::Follower;
use deltaproof::registry::{PROTOCOLS, profiles};
use kit::{Container, Direction, Dissection, Form, HostId, Span};
use std::collections::BTreeMap;

/// The first run of a profile that goes on for a while.
fn run_of(profile: &str) -> History {
    let of_profile = cases().iter().filter(|case| case.profile.name == profile);
    let runs = of_profile.map(|case| judge(case, 1, None, Keep::Events).history);
    runs.into_iter()
        .find(|history| history.datagrams().count() > 100)
        .unwrap_or_else(|| panic!("{profile} has no long run"))
}

fn number(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize
}

/// The messages of a demo, taken apart as the engines' file format has it.
fn messages(form: Container, bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let mut at = if form == Container::Dem { b"-1\n".len() } else { 0 };
    while at < bytes.len() {
        match form {
            Container::Dem => {
                let length = number(bytes, at);
                found.push(bytes[at + 16..at + 16 + length].to_vec());
                at += 16 + length;
            }
            Container::Dm2 if bytes[at..] == [0xff; 4] => return found,
            Container::Dm2 => {
                let length = number(bytes, at);
                found.push(bytes[at + 4..at + 4 + length].to_vec());
                at += 4 + length;
            }
            Container::Mvd => unreachable!("no client records one"),
            Container::Qwd => match bytes[at + 4] {
                0 => at += 5 + 24 + 12,
                1 => {
                    let length = number(bytes, at + 5);
                    found.push(bytes[at + 9 + 8..at + 9 + length].to_vec());
                    at += 9 + length;
                }
                2 => at += 5 + 8,
                other => panic!("a record of kind {other} at {at}"),
            },
        }
    }
    assert_ne!(form, Container::Dm2, "the end is missing");
    found
}

#[test]
fn a_demo_has_the_messages_that_the_client_received_in_their_order() {
    let mut forms = Vec::new();
    for (protocol, profile) in profiles(PROTOCOLS) {
        let Some(form) = (protocol.demo)(profile) else { continue };
        let form = form.client;
        forms.push(form);
        let history = run_of(profile.name);
        let (bytes, extension) = demo::demo(&history, PROTOCOLS, HostId(1)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(extension, form.name());
        let mut messages = messages(form, &bytes).into_iter();
        if form == Container::Dem {
            assert_eq!(messages.next_back(), Some(vec![2]), "svc_disconnect is the end");
        }
        // What is short enough for one datagram stands in one that was sent, and none stands in an older one than the one before.
        let sent: Vec<_> =
            history.datagrams().filter(|(_, it)| it.packet.direction == Direction::ServerToClient).collect();
        let (mut found, mut all) = (0, 0);
        for mut message in messages {
            all += 1;
            if message.first() == Some(&12) && form == Container::Dm2 {
                assert_eq!(message[9], 1, "a demo says that nobody plays");
                message[9] = 0;
            }
            found += usize::from(sent.iter().any(|(_, datagram)| datagram.bytes.ends_with(&message)));
        }
        assert!(all > 20 && found * 10 > all * 8, "{}: {found} of {all} messages stand in a datagram", profile.name);
    }
    for form in [Container::Dem, Container::Qwd, Container::Dm2] {
        assert!(forms.contains(&form), "no profile is recorded as {form:?}");
    }
}

/// How often something was said: a field with its value.
type Said = BTreeMap<(&'static str, String), i64>;

fn count(said: &mut Said, spans: &[Span], bytes: &[u8], header: usize, by: i64) {
    // What is put together of fragments is said once.
    let fields =
        spans.iter().filter(|span| span.form != Form::Group && span.start >= header && span.field != "payload");
    fields.for_each(|span| *said.entry((span.field, span.value(bytes))).or_default() += by);
}

#[test]
fn a_demo_that_is_read_back_has_the_fields_that_were_sent() {
    const HEADER: usize = 8;
    for (protocol, profile) in profiles(PROTOCOLS) {
        if (protocol.demo)(profile).is_none() {
            continue;
        }
        let clean = ["fitz666/link-clean", "fte/delta-clean", "r1q2/clean"];
        let mut of_profile = cases().iter().filter(|case| case.profile.name == profile.name);
        let case = of_profile.find(|case| clean.contains(&case.scenario.id.as_str())).expect("a clean scenario");
        let history = judge(case, 1, None, Keep::Events).history;
        let mut read = Dissection { want_spans: true, ..Dissection::default() };
        let (mut said, mut sent) = (Said::new(), 0);
        let choice = Choice::of(protocol, profile);
        let mut follower = Follower::new(choice.dissector(None).unwrap_or_else(|error| panic!("{error}")));
        for (_, datagram) in history.datagrams() {
            read.clear();
            follower.datagram(datagram.packet.client, datagram.packet.direction, &datagram.bytes, &mut read);
            let to_client = datagram.packet.direction == Direction::ServerToClient;
            if to_client && datagram.packet.client == HostId(1) && matches!(datagram.fate, Fate::Arrives(_)) {
                count(&mut said, &read.spans, &datagram.bytes, HEADER, 1);
                read.assembled.iter().for_each(|(bytes, spans)| count(&mut said, spans, bytes, 0, 1));
            }
        }
        sent += said.values().sum::<i64>();
        let (bytes, extension) = demo::demo(&history, PROTOCOLS, HostId(1)).unwrap_or_else(|error| panic!("{error}"));
        let capture = Capture::from_bytes(&format!("run.{extension}"), bytes, &Options::default()).expect("a demo");
        let messages: Vec<CaptureDatagram> = capture.collect::<Result<_, _>>().expect("whole");
        let choice = choice.reading(&messages);
        let mut follower = Follower::new(choice.dissector(None).unwrap_or_else(|error| panic!("{error}")));
        for message in &messages {
            read.clear();
            follower.datagram(message.client, message.direction, &message.bytes, &mut read);
            assert_eq!(read.error, None, "{}", profile.name);
            let origin = message.demo.expect("it is of a demo");
            let (bytes, spans, _) = origin.message(&message.bytes, &read);
            count(&mut said, spans, bytes, if origin.container == Container::Qwd { HEADER } else { 0 }, -1);
            if origin.container != Container::Dem {
                read.assembled.iter().for_each(|(bytes, spans)| count(&mut said, spans, bytes, 0, -1));
            }
        }
        // A demo says that nobody plays, and that it ends; what is still on its way at the end was not recorded.
        let more: Vec<_> = said.iter().filter(|(_, count)| **count < 0).collect();
        let is_known = matches!(more[..], [] | [(("svc" | "attractloop", _), -1)]);
        let missing: i64 = said.values().filter(|count| **count > 0).sum();
        assert!(is_known && sent > 1000 && missing * 50 < sent, "{}: {more:?}, {missing} of {sent}", profile.name);
    }
}

#[test]
fn what_no_engine_records_and_who_is_no_client_is_an_error() {
    let history = run_of("pygg2");
    let error = demo::demo(&history, PROTOCOLS, HostId(1)).expect_err("no engine records it");
    assert!(error.starts_with("no engine records demos of"), "{error}");
    let history = run_of("fitz666");
    let error = demo::demo(&history, PROTOCOLS, HostId(70)).expect_err("there is no such client");
    assert_eq!(error, format!("the run has no client 70: it has {}", history.run.clients));
    let silent = History { entries: Vec::new(), ..history };
    assert!(!silent.entries.iter().any(|entry| matches!(entry.what, What::Sent(_))));
    assert_eq!(demo::demo(&silent, PROTOCOLS, HostId(1)).expect_err("it is empty"), "client 1 received no message");
}
