//! Demos of what the reference said in every scenario: nothing is found in them, and a broken server shows in them.

use super::recorded::{Taps, is_fair, record};
use super::{cases, file, run as program, text as utf8};
use deltaproof::capture::{Capture, Options};
use deltaproof::observe::recorded::{Recording, SeenAt};
use deltaproof::observe::{Observation, Observed};
use deltaproof::scenario::{Case, by_profile};
use kit::{Container, Direction, Time};
use netchan::{Netchan, Qport, Settings, Side};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// What a client reads of the datagrams that it receives.
pub(super) enum Receiver {
    Dem(Box<netquake::Channel>),
    Qwd(Box<Netchan>),
    Dm2(Box<Netchan>),
}

impl Receiver {
    pub(super) fn new(container: Container) -> Receiver {
        let netchan = |settings| Box::new(Netchan::new(Side::Client(Qport::Short(0)), settings));
        match container {
            Container::Dem => Receiver::Dem(Box::new(netquake::Channel::new(netquake::constants::MAX_FRAGMENT_BYTES))),
            Container::Qwd | Container::Mvd => Receiver::Qwd(netchan(Settings::quakeworld(1450, false))),
            Container::Dm2 => Receiver::Dm2(netchan(Settings::quake2(1390, netchan::Resend::OneLater))),
        }
    }

    pub(super) fn container(&self) -> Container {
        match self {
            Receiver::Dem(_) => Container::Dem,
            Receiver::Qwd(_) => Container::Qwd,
            Receiver::Dm2(_) => Container::Dm2,
        }
    }

    /// What of a datagram stands in a demo: the message, of QuakeWorld with its header; nothing of what is thrown away.
    pub(super) fn message(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        match self {
            Receiver::Dem(channel) => {
                let mut acks = Vec::new();
                while channel.poll_transmit(Time::ZERO, &mut acks) {
                    acks.clear();
                }
                if netquake::datagram::is_control(bytes) {
                    channel.restart();
                    return None;
                }
                match channel.receive(Time::ZERO, bytes) {
                    Ok(netquake::Incoming::Unreliable { payload, .. }) => Some(payload.to_vec()),
                    Ok(netquake::Incoming::Reliable { message }) => Some(message.to_vec()),
                    _ => None,
                }
            }
            Receiver::Qwd(netchan) => {
                let in_turn = netchan::is_out_of_band(bytes) || matches!(netchan.receive(bytes), Ok(Some(_)));
                in_turn.then(|| bytes.to_vec())
            }
            Receiver::Dm2(_) if netchan::is_out_of_band(bytes) => None,
            Receiver::Dm2(netchan) => netchan.receive(bytes).ok()?.map(|received| received.payload.to_vec()),
        }
    }
}

/// What client 1 wrote down of what it received: a demo as an engine makes it. `None` if its protocol has none.
pub(super) fn demo_of(case: &Case, taps: &Taps) -> Option<(&'static str, Vec<u8>)> {
    let container = match case.profile.udp_port {
        26_000 => Container::Dem,
        27_500 => Container::Qwd,
        27_910 => Container::Dm2,
        _ => return None,
    };
    let mut receiver = Receiver::new(container);
    let mut demo = if container == Container::Dem { b"-1\n".to_vec() } else { Vec::new() };
    for datagram in &taps.at_client {
        if datagram.client.0 != 1 || datagram.direction != Direction::ServerToClient {
            continue;
        }
        let Some(message) = receiver.message(&datagram.bytes) else { continue };
        if container == Container::Qwd {
            demo.extend((datagram.time.unwrap_or_default().us() as f32 / 1e6).to_le_bytes());
            demo.push(1);
        }
        demo.extend((message.len() as u32).to_le_bytes());
        if container == Container::Dem {
            demo.extend([0; 12]);
        }
        demo.extend(message);
    }
    if container == Container::Dm2 {
        demo.extend([0xff; 4]);
    }
    let name = match container {
        Container::Dem => "run.dem",
        Container::Qwd | Container::Mvd => "run.qwd",
        Container::Dm2 => "run.dm2",
    };
    Some((name, demo))
}

fn judged(case: &Case, taps: &Taps) -> Option<Observation> {
    judged_with(case, taps, case.options.iter().copied().enumerate().collect())
}

/// What is found in the demo of client 1, with these values of options that the wire does not show.
pub(super) fn judged_with(case: &Case, taps: &Taps, options: Vec<(usize, i64)>) -> Option<Observation> {
    let (name, demo) = demo_of(case, taps)?;
    let datagrams = Capture::from_bytes(name, demo, &Options::default()).ok()?.collect::<Result<Vec<_>, _>>().ok()?;
    let (protocol, profile) = (case.protocol, case.profile);
    Some(Recording { protocol, profile, datagrams, session: None, options }.judge(SeenAt::Client))
}

fn text(Observed { finding, evidence }: &Observed) -> String {
    let at = evidence.as_ref().map(|evidence| evidence.datagram);
    format!("{} {} at {at:?}: {}", finding.suspects(), finding.host, finding.what)
}

/// Scenarios in which the ends agree on less than the server announces. Nothing in what it says shows that; a client that records
/// writes a serverdata of its own in front, of what was agreed.
pub(super) const AGREED: [&str; 5] = ["fall-back", "fall-back-lost", "lesser-revision", "no-length", "other-revision"];

#[test]
fn nothing_is_found_in_demos_of_the_reference() {
    let filter = std::env::var("RECORDED").unwrap_or_default();
    let most = if super::seeds_of_all().is_some() { usize::MAX } else { 1 };
    let chosen: Vec<&Case> = by_profile(cases()).flat_map(|cases| cases.iter().take(most)).collect();
    let fair = |case: &&&Case| {
        !case.is_left_out()
            && is_fair(case)
            && !AGREED.iter().any(|name| case.scenario.id.ends_with(name))
            && case.name().contains(&filter)
    };
    let chosen: Vec<&Case> = chosen.iter().filter(fair).copied().collect();
    let judged: Vec<(String, &str, Observation)> = chosen
        .par_iter()
        .filter_map(|case| {
            let taps = record(case, None);
            let observation = (!taps.damaged).then(|| judged(case, &taps)).flatten()?;
            Some((case.name(), case.profile.name, observation))
        })
        .collect();
    let wrong: Vec<String> = judged
        .iter()
        .filter_map(|(case, _, observation)| {
            let first = observation.findings.first().map(text)?;
            Some(format!("{case}: {first}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), judged.len(), wrong.join("\n"));
    // It says something that nothing was found: each profile had requirements that were judged.
    let mut covered: std::collections::BTreeMap<&str, BTreeSet<&str>> = std::collections::BTreeMap::new();
    for (_, profile, observation) in &judged {
        covered.entry(profile).or_default().extend(observation.coverage.covered.iter().map(String::as_str));
    }
    for (profile, ids) in covered {
        let least = match profile {
            "fitz666" => 30,
            // Which form its server speaks depends on what the client asked for.
            "nvs" => 0,
            _ => 10,
        };
        assert!(!filter.is_empty() || ids.len() >= least, "{profile}: {ids:?}");
    }
}

/// FTEQW's bug: it lost the second RESET of new entities.
#[test]
fn a_server_that_resets_once_shows_it_in_its_demos() {
    let mutant = fte::PROTOCOL.mutants().find(|mutant| mutant.name == "resets-once").expect("the mutant");
    for profile in fte::PROTOCOL.profiles {
        let of_profile = cases().iter().filter(|case| case.profile.name == profile.name && is_fair(case));
        let shows = |case: &&Case| {
            let taps = record(case, Some(mutant));
            let observation = (!taps.damaged).then(|| judged(case, &taps)).flatten();
            observation
                .is_some_and(|it| it.findings.iter().any(|found| found.finding.suspects().contains("FTE-RST-03")))
        };
        let of_profile: Vec<&Case> = of_profile.collect();
        assert!(of_profile.par_iter().any(shows), "{}", profile.name);
    }
}

/// A demo on the command line: what it is, one moment of it, and one entity.
#[test]
fn a_demo_is_shown_by_time_and_by_entity() {
    let case = cases().iter().find(|case| case.scenario.id == "fitz666/hints").expect("the scenario");
    let (_, demo) = demo_of(case, &record(case, None)).expect("a .dem");
    let path = file("hints.dem", &demo);
    let said = utf8(&program(&["decode", &path, "-q"]).stdout);
    let line = said.lines().find(|line| line.starts_with("demo: dem, ")).unwrap_or_default();
    assert!(line.ends_with(" messages, all decoded"), "{said}");
    let lines = |arguments: &[&str]| -> Vec<serde_json::Value> {
        let words = [&["decode", &path, "--format", "json", "--messages"], arguments].concat();
        let output = utf8(&program(&words).stdout);
        output.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    let all = lines(&[]);
    let [moment, _] = &lines(&["--at", "0.5s"])[..] else { panic!("one frame, and a summary") };
    assert!(all.contains(moment) && moment["time_us"].as_u64().is_some_and(|us| us >= 500_000), "{moment}");
    let before = all.iter().filter(|line| line["time_us"].as_u64().is_some_and(|us| us < 500_000)).count();
    assert_eq!(moment["n"].as_u64(), Some(before as u64 + 1));
    let about = lines(&["--entity", "1"]);
    assert!(about.len() > 2 && about.len() <= all.len());
    assert_eq!(lines(&["--entity", "60000"]).len(), 1);
    let judged = utf8(&program(&["judge", &path]).stdout);
    assert!(judged.contains("needs the headers of datagrams, which a demo does not have"), "{judged}");
    assert!(judged.contains("needs what a client said, which a demo does not have"), "{judged}");
    assert!(judged.contains("observed: no finding"), "{judged}");
}
