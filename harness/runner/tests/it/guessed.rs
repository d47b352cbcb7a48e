//! Recordings of our own ends that are cut, begin late, have datagrams of others in them or are of several protocols: the guess of
//! the profile is right or refused, and nothing is found.

use super::cases;
use super::recorded::{is_fair, record};
use deltaproof::capture::CaptureDatagram;
use deltaproof::observe::Observation;
use deltaproof::observe::choose::{Reading, sessions};
use deltaproof::observe::recorded::{Recording, SeenAt};
use deltaproof::registry::PROTOCOLS;
use deltaproof::scenario::Case;
use kit::Direction;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// A session of every profile, with losses where there is one; `GUESSED` names others.
const CASES: [&str; 10] = [
    "fitz666/link-loss@fitz666[protocol=15]",
    "fitz666/map-change-clean@fitz666",
    "fte/storm@fte-nq[client_fte2=0x28]",
    "fte/storm@fte-qw[client_fte2=0x8]",
    "nvs/storm@nvs",
    "pygg2/storm@pygg2",
    "r1q2/storm@r1q2-35",
    "r1q2/acks-lost@r1q2-1903",
    "r1q2/frames-compressed@r1q2-1904",
    "r1q2/lengths@r1q2-1905",
];

/// Every datagram of a session's beginning is a place to cut it; later every so many.
const BEGINNING: usize = 120;
const STEP: usize = 41;
/// A part that begins late has so many datagrams.
const WINDOW: usize = 160;
/// A session beside one of another protocol has so many.
const LENGTH: usize = 1_000;

fn chosen() -> Vec<&'static Case> {
    let wanted = std::env::var("GUESSED").ok();
    let takes = |case: &&Case| match &wanted {
        Some(part) => case.name().contains(part.as_str()) && is_fair(case) && !case.is_left_out(),
        None => CASES.contains(&case.name().as_str()),
    };
    let found: Vec<&Case> = cases().iter().filter(takes).collect();
    assert!(wanted.is_some() || found.len() == CASES.len(), "{} of {}", found.len(), CASES.len());
    found
}

fn places(all: usize) -> impl Iterator<Item = usize> {
    (1..all).filter(|place| *place <= BEGINNING || place % STEP == 0)
}

fn judge(case: &Case, reading: &Reading, datagrams: Vec<CaptureDatagram>, seen_at: SeenAt) -> Observation {
    let options = case.options.iter().copied().enumerate().collect();
    let same = case.protocol.name == reading.choice.protocol.name;
    let options = if same { options } else { Vec::new() };
    let (protocol, profile) = (reading.choice.protocol, reading.profile);
    Recording { protocol, profile, datagrams, session: None, options }.judge(seen_at)
}

/// What is wrong with the guess about a part of a session of `case`, and with what is found in it; nothing if it is refused.
fn wrong(case: &Case, datagrams: &[CaptureDatagram], what: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let Ok(found) = sessions(PROTOCOLS, datagrams, None) else { return wrong };
    let name = case.profile.name;
    for (reading, part) in found.parts(datagrams.to_vec()) {
        if !reading.alike.is_empty() {
            continue;
        }
        // Where nothing of an extension was agreed upon yet, nothing but the protocol below it is spoken.
        let plain = matches!(name, "fte-nq" | "nvs") && reading.profile.name == "fitz666";
        let other = reading.profile.name != name && !plain;
        for seen_at in [SeenAt::Client, SeenAt::Unknown] {
            let observation = judge(case, &reading, part.clone(), seen_at);
            if other && observation.not_judged.is_none() {
                wrong.push(format!("{} {what}: guessed {reading}", case.name()));
                break;
            }
            let findings = observation.findings.iter().map(|observed| &observed.finding);
            wrong.extend(findings.map(|finding| {
                let (suspects, host, said) = (finding.suspects(), finding.host.as_str(), &finding.what);
                format!("{} {what}, {} as {seen_at:?}: {suspects} {host}: {said}", case.name(), reading.profile.name)
            }));
        }
    }
    wrong
}

#[track_caller]
fn check(parts: impl Fn(&'static Case) -> Vec<String> + Send + Sync) {
    let wrong: Vec<String> = chosen().into_par_iter().flat_map_iter(parts).collect();
    let shown: Vec<&str> = wrong.iter().take(60).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), shown.join("\n"));
}

fn recorded(case: &Case) -> Vec<CaptureDatagram> {
    let taps = record(case, None);
    if taps.damaged { Vec::new() } else { taps.at_client }
}

#[test]
fn a_recording_that_ends_anywhere_is_guessed_right_or_refused() {
    check(|case| {
        let all = recorded(case);
        places(all.len()).flat_map(|end| wrong(case, &all[..end], &format!("ends after {end}"))).collect()
    });
}

#[test]
fn a_recording_that_begins_anywhere_is_guessed_right_or_refused() {
    check(|case| {
        let all = recorded(case);
        let part = |start: usize| &all[start..all.len().min(start + WINDOW)];
        places(all.len()).flat_map(|start| wrong(case, part(start), &format!("begins at {start}"))).collect()
    });
}

/// What clients ask of servers outside of any session, and what those answer.
const FOREIGN: [(Direction, &[u8]); 4] = [
    (Direction::ClientToServer, b"\xff\xff\xff\xffgetchallenge\n"),
    (Direction::ServerToClient, b"\xff\xff\xff\xffc12345\0"),
    (Direction::ClientToServer, b"\xff\xff\xff\xffstatus\n"),
    (Direction::ServerToClient, b"\xff\xff\xff\xffn\\hostname\\x\n"),
];

/// Protocols whose every datagram belongs to a session or is refused have no such questions.
#[test]
fn datagrams_of_no_session_change_nothing() {
    check(|case| {
        let all = recorded(case);
        if all.is_empty() || case.protocol.name == "pygg2" {
            return Vec::new();
        }
        let mut found = Vec::new();
        for place in places(all.len()) {
            let mut with = all[..all.len().min(place + WINDOW)].to_vec();
            let (direction, bytes) = FOREIGN[place % FOREIGN.len()];
            let between = CaptureDatagram { direction, bytes: bytes.to_vec(), ..with[place - 1].clone() };
            with.insert(place, between);
            found.extend(wrong(case, &with, &format!("with {} at {place}", bytes.escape_ascii())));
        }
        found
    });
}

#[test]
fn two_protocols_in_one_recording_are_two_sessions() {
    let chosen = chosen();
    let recordings: Vec<(&Case, Vec<CaptureDatagram>)> =
        chosen.iter().map(|case| (*case, recorded(case).into_iter().take(LENGTH).collect())).collect();
    let pairs = recordings.iter().flat_map(|one| recordings.iter().map(move |other| (one, other)));
    let pairs: Vec<_> = pairs.filter(|(one, other)| one.0.protocol.name != other.0.protocol.name).collect();
    let wrong: Vec<String> =
        pairs
            .into_par_iter()
            .filter_map(|((one, first), (other, second))| {
                let mut all = first.clone();
                let last = all.last().and_then(|datagram| datagram.time).unwrap_or_default();
                all.extend(second.iter().cloned().map(|datagram| CaptureDatagram {
                    time: datagram.time.map(|time| time.after(last.us())),
                    ..datagram
                }));
                let readings = match sessions(PROTOCOLS, &all, None) {
                    // Which of those that read alike it is, somebody has to say.
                    Ok(found) => found.readings.into_iter().filter(|reading| reading.alike.is_empty()).collect(),
                    Err(_) => Vec::new(),
                };
                let names: Vec<&str> = readings.iter().map(|reading| reading.profile.name).collect();
                let expected = [one.profile.name, other.profile.name];
                // What is built on a protocol reads it, too; a client that agrees upon nothing speaks the protocol below.
                let is_netquake = |name: &str| matches!(name, "fitz666" | "fte-nq" | "nvs");
                let family = |name: &str| if is_netquake(name) { "netquake" } else { name }.to_string();
                let of = |names: &[&str]| names.iter().map(|name| family(name)).collect::<BTreeSet<_>>();
                let alike = names.iter().all(|name| expected.contains(name) || *name == "fitz666");
                let alike = alike && of(&names) == of(&expected);
                let readings: Vec<String> = readings.iter().map(Reading::to_string).collect();
                (!names.is_empty() && names != expected && !alike)
                    .then(|| format!("{} and {}:\n  {}", one.name(), other.name(), readings.join("\n  ")))
            })
            .collect();
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}
