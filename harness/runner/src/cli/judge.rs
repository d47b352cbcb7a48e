//! `judge`: recorded traffic of somebody else's server and client.

use super::arguments::{Format, JudgeArguments, SeenAtArgument};
use super::decode::{choose, groups};
use super::live::options;
use super::observed;
use super::output::{Stop, WARN, complain};
use crate::capture::{Capture, CaptureDatagram, Options};
use crate::observe::recorded::{Recording, SeenAt};
use kit::Protocol;
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
        for (guess, recording) in read(capture, protocols, forced, &arguments.options)? {
            if let Some(guess) = guess.as_ref().filter(|guess| guess.is_open()) {
                return Err(Stop::Usage(format!("{name}: {guess}")));
            }
            let guess = guess.map(|guess| guess.to_string());
            let observation = recording.judge(seen_at);
            // A violation says more than that something else was not judged.
            code = if [code, observation.exit_code()].contains(&1) { 1 } else { code.max(observation.exit_code()) };
            if format != Format::Json {
                observed::demo(&recording.datagrams, observation.unread, out)?;
            }
            observed::print(&name, guess.as_deref(), &observation, format, out)?;
        }
    }
    Ok(code)
}

/// Reads a capture to its end. Its profile is the one asked for, or the one that it names; or else it is guessed from its
/// traffic, of which each protocol is a session of its own, and the guess comes with it.
pub(super) fn read(
    mut capture: Capture,
    protocols: &[&'static Protocol],
    forced: Option<choose::Choice>,
    given: &[String],
) -> Result<Vec<(Option<choose::Reading>, Recording)>, Stop> {
    let datagrams: Result<Vec<CaptureDatagram>, _> = capture.by_ref().collect();
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
