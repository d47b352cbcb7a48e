//! What one client received, as a demo that engines play.

use super::cases;
use deltaproof::history::{History, What, demo};
use deltaproof::judge::{Keep, judge};
use deltaproof::registry::{PROTOCOLS, profiles};
use kit::{Container, Direction, HostId};

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
