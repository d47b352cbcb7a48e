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
        let observation = read(capture, protocols, forced, &arguments.options)?.judge(seen_at);
        code = code.max(observation.exit_code());
        observed::print(&name, &observation, format, out)?;
    }
    Ok(code)
}

/// Reads a capture to its end. Its profile is the one asked for, or the one that it names, or else found from its traffic.
pub(super) fn read(
    mut capture: Capture,
    protocols: &[&'static Protocol],
    forced: Option<choose::Choice>,
    given: &[String],
) -> Result<Recording, Stop> {
    let datagrams: Result<Vec<CaptureDatagram>, _> = capture.by_ref().collect();
    let datagrams = datagrams.map_err(|error| Stop::Usage(error.to_string()))?;
    let session = capture.session().cloned();
    for remark in capture.remarks() {
        complain(WARN, "remark", format!("{}: {remark}", capture.name()));
    }
    let noted = choose::by_name(protocols, session.as_ref().map(|session| session.profile.as_str()))?;
    let choice = match forced.or(noted) {
        Some(choice) => choice,
        None => {
            let head: Vec<&CaptureDatagram> = datagrams.iter().take(choose::PROBE_DATAGRAMS).collect();
            choose::by_traffic(protocols, &head, None)?
        }
    };
    let profile = choice.profile(&datagrams)?;
    let noted = session.iter().flat_map(|session| &session.options).map(|(name, value)| format!("{name}={value}"));
    let all: Vec<String> = noted.chain(given.iter().cloned()).collect();
    let options = options(choice.protocol, &all)?;
    Ok(Recording { protocol: choice.protocol, profile, datagrams, session, options })
}
