//! Recordings of our own ends that are cut, begin late, have datagrams of others in them or are of several protocols: the guess of
//! the profile is right or refused, and nothing is found.

use super::recorded::{is_fair, record};
use super::{cases, file, run, text};
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

/// A session of Quake II whose client asks for this version, and whose server then says it.
fn session_of(connect: &str, protocol: u32) -> Vec<u8> {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let out_of_band = |text: &str| [&[0xff; 4], text.as_bytes()].concat();
    let announced =
        [&[1, 0, 0, 0x80, 1, 0, 0, 0x80, 12][..], &protocol.to_le_bytes(), &[1, 0, 0, 0, 0, 0, 0, 0]].concat();
    let lines = [
        ("c2s", out_of_band("getchallenge\n")),
        ("s2c", out_of_band("challenge 12345678 p=34,35,36")),
        ("c2s", out_of_band(connect)),
        ("s2c", out_of_band("client_connect")),
        ("c2s", [&[1, 0, 0, 0x80, 0, 0, 0, 0, 4][..], b"new\0"].concat()),
        ("s2c", announced),
        ("c2s", vec![2, 0, 0, 0, 1, 0, 0, 0x80]),
    ];
    lines.iter().map(|(way, bytes)| format!("{way} 1 {}\n", hex(bytes))).collect::<String>().into_bytes()
}

#[test]
fn a_version_that_is_none_of_ours_is_named_and_not_judged() {
    let tail = "0 12345678 \"\\name\\player\" 1390 1 1 1015\n";
    for (connect, protocol, name) in [
        (format!("connect 36 {tail}"), 36, "Q2PRO's protocol 36"),
        (format!("connect 56 {tail}"), 56, "KMQuake2's protocol 56"),
        (format!("connect 2023 {tail}"), 2023, "the re-release's protocol 2023"),
        (String::from("connect \"\\protocol\\68\\qport\\5\\challenge\\12345678\"\n"), 68, "Quake III's protocol 68"),
    ] {
        let path = file(&format!("version-{protocol}.txt"), &session_of(&connect, protocol));
        for seen_at in ["server", "client", "both"] {
            let output = run(&["judge", "--seen-at", seen_at, &path]);
            let said = text(&output.stdout);
            assert_eq!(output.status.code(), Some(2), "{protocol}: {said}{}", text(&output.stderr));
            assert!(said.ends_with(&format!("not judged: {name} was agreed\n")), "{protocol}: {said}");
        }
        let decoded = run(&["decode", "-q", &path]);
        assert!(!text(&decoded.stdout).contains("unknown value"), "{}", text(&decoded.stdout));
        assert!(text(&decoded.stderr).contains(name), "{}", text(&decoded.stderr));
    }
    let darkplaces =
        "c2s 1 ffffffff636f6e6e6563745c70726f746f636f6c5c6461726b706c6163657320335c70726f746f636f6c735c4450370a\n";
    let output = run(&["judge", "--profile", "fitz666", &file("darkplaces.txt", darkplaces.as_bytes())]);
    assert!(
        text(&output.stdout).ends_with("not judged: DarkPlaces' protocol was agreed\n"),
        "{}",
        text(&output.stdout)
    );
}

/// A session that begins with the accept: the request was before.
const BEGINS_WITH_THE_ACCEPT: &str = "s2c ctl 800000098100000000
s2c r0 0009003c000000000b0f00000001006c6576656c006d6170732f612e6273700070726f67732f612e6d646c0000612e77617600002000000501001901
c2s a0 0002000800000000
c2s r0 000900120000000004707265737061776e00
s2c a0 0002000800000000
";

#[test]
fn a_request_before_the_recording_was_a_good_one() {
    let path = file("begins-with-the-accept.txt", BEGINS_WITH_THE_ACCEPT.as_bytes());
    let output = run(&["judge", "--seen-at", "both", &path]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    assert!(text(&output.stdout).starts_with("profile: fitz666, guessed: it reads all 5 datagrams"));
}

#[test]
fn a_recording_that_is_read_badly_is_never_said_to_have_no_finding() {
    // Every tenth datagram is cut by a byte, in which the length in front is wrong.
    let lines = BEGINS_WITH_THE_ACCEPT.repeat(4);
    let cut = lines.lines().enumerate().map(|(at, line)| if at == 17 { &line[..line.len() - 2] } else { line });
    let cut: Vec<&str> = cut.collect();
    let path = file("read-badly.txt", (cut.join("\n") + "\n").as_bytes());
    for profile in ["--profile=fitz666", "--profile=nvs", "--profile=r1q2-35", "--profile=pygg2"] {
        let output = run(&["judge", profile, &path]);
        assert!(!text(&output.stdout).contains("no finding"), "{profile}: {}", text(&output.stdout));
        assert_ne!(output.status.code(), Some(0), "{profile}");
    }
}
