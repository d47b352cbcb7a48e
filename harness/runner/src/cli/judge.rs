//! `judge`: recorded traffic of somebody else's server and client.

use super::arguments::{JudgeArguments, SeenAtArgument};
use super::decode::{choose, groups};
use super::observed;
use super::output::{Format, Stop, WARN, complain};
use crate::capture::{Capture, CaptureDatagram, Options};
use crate::observe::Observation;
use crate::observe::recorded::{Recording, SeenAt};
use crate::scene;
use crate::scene::parts::Ask;
use crate::settings::Settings;
use kit::{Container, Protocol};
use std::io::Write;

/// Judges every input, each as a session of its own. Returns 1 if a MUST was violated.
pub(super) fn judge(
    arguments: &JudgeArguments,
    protocols: &[&'static Protocol],
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let forced = choose::by_name(protocols, arguments.profile.as_deref())?;
    let options = Options { direction: arguments.direction, port: arguments.port };
    let seen_at = match arguments.seen_at {
        None => SeenAt::Unknown,
        Some(SeenAtArgument::Server) => SeenAt::Server,
        Some(SeenAtArgument::Client) => SeenAt::Client,
        Some(SeenAtArgument::Both) => SeenAt::Both,
    };
    let mut code = 0;
    for group in groups(&arguments.inputs) {
        let capture = group.open(&arguments.inputs, &options).map_err(|error| Stop::Usage(error.to_string()))?;
        let name = String::from(capture.name());
        let observed = match capture.demo() {
            Some(container) => demo(capture, container, protocols, forced, &arguments.options, format, out)?,
            None => traffic(capture, protocols, forced, &arguments.options, seen_at)?,
        };
        for (guess, observation) in observed {
            // A violation says more than that something else was not judged.
            code = if [code, observation.exit_code()].contains(&1) { 1 } else { code.max(observation.exit_code()) };
            let guess = guess.as_deref();
            format.say(&observed::Session { name: &name, guess, observation: &observation }, out)?;
        }
    }
    Ok(code)
}

/// What is observed, and how its profile was found if it was not named.
type Observed = Vec<(Option<String>, Observation)>;

/// Judges a capture, of which each protocol is a session of its own.
fn traffic(
    capture: Capture,
    protocols: &[&'static Protocol],
    forced: Option<choose::Choice>,
    given: &[String],
    seen_at: SeenAt,
) -> Result<Observed, Stop> {
    let name = String::from(capture.name());
    let mut observed = Vec::new();
    for (guess, recording) in read(capture, protocols, forced, given, &mut |_| true)? {
        certain(&name, guess.as_ref())?;
        observed.push((guess.map(|guess| guess.to_string()), recording.judge(seen_at)));
    }
    Ok(observed)
}

/// The options of a protocol that are given.
fn options(protocol: &'static Protocol, given: &[String]) -> Result<Vec<(usize, i64)>, Stop> {
    Ok(Settings::of(&[protocol], given, None).map_err(Stop::Usage)?.options(protocol))
}

/// Somebody has to say which of several profiles it is.
fn certain(name: &str, guess: Option<&choose::Reading>) -> Result<(), Stop> {
    match guess.filter(|guess| guess.is_open()) {
        Some(guess) => Err(Stop::Usage(format!("{name}: {guess}"))),
        None => Ok(()),
    }
}

/// Judges a demo while it is read.
fn demo(
    mut capture: Capture,
    container: Container,
    protocols: &[&'static Protocol],
    forced: Option<choose::Choice>,
    given: &[String],
    format: Format,
    out: &mut dyn Write,
) -> Result<Observed, Stop> {
    let name = String::from(capture.name());
    let ask = Ask { protocols, forced, assume: None, strict: true };
    let judged =
        scene::judge::judge(&mut capture, container, ask, &|protocol| options(protocol, given), &mut |_, _| {})?;
    for remark in capture.remarks() {
        complain(WARN, "remark", format!("{name}: {remark}"));
    }
    if format.is_for_people() {
        observed::demo(container, &judged.counted, &judged.others, out)?;
    }
    Ok(judged.of.into_iter().map(|it| (it.reading.map(|guess| guess.to_string()), it.observation)).collect())
}

/// Reads a capture to its end. Its profile is the one asked for, or the one that it names; or else it is guessed from its
/// traffic, of which each protocol is a session of its own, and the guess comes with it. It is read as long as datagrams are `wanted`.
pub(super) fn read(
    mut capture: Capture,
    protocols: &[&'static Protocol],
    forced: Option<choose::Choice>,
    given: &[String],
    wanted: &mut dyn FnMut(&CaptureDatagram) -> bool,
) -> Result<Vec<(Option<choose::Reading>, Recording)>, Stop> {
    let is_wanted = |datagram: &Result<CaptureDatagram, _>| datagram.as_ref().map_or(true, &mut *wanted);
    let datagrams: Result<Vec<CaptureDatagram>, _> = capture.by_ref().take_while(is_wanted).collect();
    let datagrams = datagrams.map_err(|error| Stop::Usage(error.to_string()))?;
    let session = capture.session().cloned();
    for remark in capture.remarks() {
        complain(WARN, "remark", format!("{}: {remark}", capture.name()));
    }
    let noted = choose::by_name(protocols, session.as_ref().map(|session| session.profile.as_str()))?;
    let parts = match forced.or(noted) {
        Some(choice) => vec![(None, choice, choice.profile, datagrams)],
        None => {
            let found = choose::sessions(protocols, &datagrams, None)?;
            let parts = found.parts(datagrams).into_iter();
            parts.map(|(reading, part)| (Some(reading.clone()), reading.choice, reading.profile, part)).collect()
        }
    };
    let noted = session.iter().flat_map(|session| &session.options).map(|(name, value)| format!("{name}={value}"));
    let all: Vec<String> = noted.chain(given.iter().cloned()).collect();
    let recording = |(guess, choice, profile, datagrams): (_, choose::Choice, _, _)| {
        let options = options(choice.protocol, &all)?;
        let session = session.clone();
        Ok((guess, Recording { protocol: choice.protocol, profile, datagrams, session, options }))
    };
    parts.into_iter().map(recording).collect()
}
