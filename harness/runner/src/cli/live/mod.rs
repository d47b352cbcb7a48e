//! `probe`, `serve` and `proxy`: sessions with a foreign program over UDP. [`report`] prints what came of them.

pub(super) mod arguments;
mod groups;
pub(super) mod probe;
mod report;
pub(super) mod serve;
mod set;

use super::output::{BAD, DIM, Stop, complain};
use crate::live::run::{Common, Live, News};
use crate::nearest::{did_you_mean, nearest};
use crate::scenario::short::Duration;
use crate::settings::Settings;
use arguments::{LiveArguments, SetArguments};
use kit::{Profile, Protocol, Replacement, Role};
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Set by Ctrl-C.
static STOP: AtomicBool = AtomicBool::new(false);

/// The exit code when the other end could not be reached or did not let the client in.
const NOT_THROUGH: u8 = 3;

/// An address; one that is not this machine's own has to be allowed.
fn address(text: &str, allow_remote: bool) -> Result<SocketAddr, Stop> {
    let wrong = |why: &str| Stop::Usage(format!("{text}: {why}; write an address such as 127.0.0.1:27500"));
    let mut found = text.to_socket_addrs().map_err(|error| wrong(&error.to_string()))?;
    let address = found.next().ok_or_else(|| wrong("no such host"))?;
    if !address.ip().is_loopback() && !allow_remote {
        let help = "give --allow-remote if it is yours to test";
        return Err(Stop::Usage(format!("{text}: not a loopback address; {help}")));
    }
    Ok(address)
}

/// What is given to our end in place of what the scenarios say.
fn settings(protocol: &'static Protocol, arguments: &SetArguments, map: Option<&Path>) -> Result<Settings, Stop> {
    Settings::of(&[protocol], &arguments.set, map).map_err(Stop::Usage)
}

/// The mutant called `name`, which must be one of `role`.
fn mutant(protocol: &Protocol, profile: &Profile, name: Option<&str>, role: Role) -> Result<Option<Replacement>, Stop> {
    let Some(name) = name else { return Ok(None) };
    let all = || protocol.mutants().filter(|mutant| mutant.replacement.role == role);
    if let Some(mutant) = all().find(|mutant| mutant.name == name) {
        return Ok(Some(mutant.replacement));
    }
    let hint = did_you_mean(&nearest(name, all().map(|mutant| mutant.name)));
    Err(Stop::Usage(format!("no mutant `{name}` of a {role} of {}{hint}", profile.name)))
}

fn time(text: &str) -> Result<u64, Stop> {
    let duration: Duration = text.parse().map_err(|why| Stop::Usage(format!("the time `{text}`: {why}")))?;
    Ok(duration.0)
}

fn io(address: &str, error: &std::io::Error) -> Stop {
    // The recording's own error has its path.
    if let Some(of_recording) = error.get_ref() {
        return Stop::Usage(format!("{of_recording}; name a folder with --record"));
    }
    Stop::Usage(format!("{address}: {error}; is the address this machine's, and free?"))
}

fn stop_on_ctrl_c() {
    // A second handler is refused; the first does the same.
    let _ = ctrlc::set_handler(|| STOP.store(true, Ordering::Relaxed));
}

fn common<'a>(seed: u64, rate_limit: u32, record: &Path, news: &'a (dyn Fn(News<'_>) + Sync)) -> Common<'a> {
    Common { seed, rate_limit, record: Some(record.to_path_buf()), stop: &STOP, news }
}

/// Tells who waits for clients what happens.
fn tell(news: News<'_>) {
    match news {
        News::Came(client) => complain(DIM, "client", format!("{client} is there")),
        News::Left(client) => {
            complain(DIM, "client", format!("{client} has sent nothing for too long, and is forgotten"))
        }
        News::Found(observed) => {
            let finding = &observed.finding;
            let text = format!("{} {} {}: {}", finding.suspects(), finding.weight(), finding.host, finding.what);
            complain(BAD, "finding", text);
        }
    }
}

/// Where a session is recorded: below `reports/live` beside the scenarios, unless the command line says otherwise.
fn recording(
    arguments: &LiveArguments,
    scenarios: &Path,
    name: &str,
    profile: &Profile,
    seed: u64,
) -> Result<PathBuf, Stop> {
    let beside = || scenarios.parent().unwrap_or(Path::new("")).join("reports").join("live");
    let folder = arguments.record.clone().unwrap_or_else(beside);
    std::fs::create_dir_all(&folder)
        .map_err(|error| Stop::Usage(format!("{}: {error}; name a folder with --record", folder.display())))?;
    let name = name.rsplit('/').next().unwrap_or(name);
    Ok(folder.join(format!("{}-{name}-{seed}.pcapng", profile.name)))
}

fn exit_code(live: &Live, must_get_through: bool) -> u8 {
    // The same world was sent to both: what one holds otherwise than the other once it rests, the server has not sent again.
    let differs = live.control.as_ref().is_some_and(|control| !control.differences.is_empty());
    match live.observation.exit_code().max(u8::from(differs)) {
        0 if must_get_through && live.outcome.active.is_none() => NOT_THROUGH,
        code => code,
    }
}
