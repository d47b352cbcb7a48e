//! `judge`: recorded traffic of somebody else's server and client.

use super::arguments::{Format, JudgeArguments, SeenAtArgument};
use super::decode::{choose, groups};
use super::observed;
use super::output::{Stop, WARN, complain};
use crate::capture::{CaptureDatagram, Options};
use crate::observe::recorded::{self, SeenAt};
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
        let usage = |error: crate::capture::CaptureError| Stop::Usage(error.to_string());
        let mut capture = group.open(&arguments.inputs, &options).map_err(usage)?;
        let datagrams: Vec<CaptureDatagram> = capture.by_ref().collect::<Result<_, _>>().map_err(usage)?;
        let (name, session) = (String::from(capture.name()), capture.session());
        for remark in capture.remarks() {
            complain(WARN, "remark", format!("{name}: {remark}"));
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
        let observation = recorded::judge(choice.protocol, profile, &datagrams, seen_at, session.as_ref());
        code = code.max(observation.exit_code());
        observed::print(&name, &observation, format, out)?;
    }
    Ok(code)
}
