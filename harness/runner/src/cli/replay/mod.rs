//! `replay`: one run again, event by event.

mod files;
mod show;

use super::arguments::ReplayArguments;
use super::output::{Format, Stop, WARN, complain};
use super::{candidate, catalogue, judge, profile};
use crate::candidate::{BuiltIn, Candidate};
use crate::capture::{self, Options};
use crate::history::{self, History};
use crate::nearest::{did_you_mean, nearest};
use crate::report::CaseReport;
use crate::scenario::Case;
use crate::suite;
use kit::{Protocol, Time};
use std::io::{Read, Write};
use std::path::Path;

/// So many messages of a demo are held, some 400 MB; longer ones are games of more than half an hour.
const MOST_MESSAGES: usize = 150_000;
/// How the first line of a saved trace begins.
const TRACE: &[u8] = b"{\"run\":";

/// A run, or a recording, that is shown.
pub(super) struct Replayed {
    /// What happened.
    pub history: History,
    /// What was judged; nothing for a recording or a saved trace.
    pub case: Option<CaseReport>,
}

/// Prints the run's history and its verdict. Returns the exit code that the verdict asks for.
pub(super) fn replay(
    arguments: &ReplayArguments,
    protocols: &[&'static Protocol],
    scenarios: Option<&Path>,
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let replayed = load(arguments, protocols, scenarios)?;
    let shown = show::choose(&replayed.history, arguments);
    format.say(&show::Answered { replayed: &replayed, shown: &shown, step: arguments.step }, out)?;
    out.flush()?;
    files::write(&replayed.history, protocols, arguments)?;
    Ok(replayed.case.as_ref().map_or_else(|| found(&replayed.history), |case| case.verdict.exit_code()))
}

/// Of a demo, which has no verdict of a case: 1 if a MUST was violated.
fn found(history: &History) -> u8 {
    u8::from(history.findings().any(|(_, found)| found.finding.is_must()))
}

/// Does the run again, or reads what was recorded.
pub(super) fn load(
    arguments: &ReplayArguments,
    protocols: &[&'static Protocol],
    scenarios: Option<&Path>,
) -> Result<Replayed, Stop> {
    let name = &arguments.case;
    if Path::new(name).is_file() {
        return Ok(Replayed { history: recorded(name, arguments.until, protocols)?, case: None });
    }
    let folder = catalogue::folder(scenarios)?;
    if let Some(name) = &arguments.profile {
        profile(protocols, name)?;
    }
    let mut candidate = candidate(protocols, &arguments.candidate)?;
    let found = suite::find(&folder, name, arguments.profile.as_deref(), candidate.as_ref())?;
    let case = found.ok_or_else(|| no_case(name, arguments.profile.as_deref(), &folder))?;
    let Some(seed) = arguments.seed else {
        return Err(Stop::Usage(format!("which run of {name}? give --seed N, as failures print it")));
    };
    if let Some(name) = &arguments.mutant {
        candidate = Some(Candidate::BuiltIn(mutant(case.protocol, name)?));
    }
    if let Some(candidate) = candidate.as_ref().filter(|candidate| !candidate.takes(&case)) {
        return Err(Stop::Usage(format!("{} takes no part in {}", candidate.argument(), case.name())));
    }
    let case = Case { knowledge: arguments.knowledge, ..case };
    let (history, case) = suite::replay(&case, seed, candidate.as_ref());
    Ok(Replayed { history, case: Some(case) })
}

/// A recorded session, every datagram decoded, or a trace as `replay --format json` has printed it.
///
/// Of a demo no more than [`MOST_MESSAGES`] are held, and those alone that are shown.
fn recorded(name: &str, until: Option<Time>, protocols: &[&'static Protocol]) -> Result<History, Stop> {
    let unreadable = |error: std::io::Error| Stop::Usage(format!("{name}: cannot be read: {error}"));
    let mut head = Vec::new();
    let file = std::fs::File::open(name).map_err(unreadable)?;
    file.take(TRACE.len() as u64).read_to_end(&mut head).map_err(unreadable)?;
    if head == TRACE {
        let text = std::fs::read_to_string(name).map_err(unreadable)?;
        return history::parse(&text).map_err(|error| Stop::Usage(format!("{name}: {error}")));
    }
    let capture = capture::open(name, &Options::default()).map_err(|error| Stop::Usage(error.to_string()))?;
    let (is_demo, mut count, mut cut) = (capture.demo().is_some(), 0, None);
    let recordings = judge::read(capture, protocols, None, &[], &mut |datagram| {
        count += 1;
        if count > MOST_MESSAGES {
            cut = datagram.time;
        }
        !is_demo || count <= MOST_MESSAGES && until.is_none_or(|until| datagram.time.is_none_or(|time| time <= until))
    })?;
    if let Some(cut) = cut.filter(|_| is_demo) {
        let remark = format!(
            "{name}: its first {MOST_MESSAGES} messages are shown, up to {cut}; `judge` and `decode` read it to its end, and `decode --at` \
             shows a later moment"
        );
        complain(WARN, "remark", remark);
    }
    // Of several sessions, the longest is shown.
    let longest = recordings.iter().map(|(_, recording)| recording).max_by_key(|recording| recording.datagrams.len());
    longest.map(|recording| recording.history(name)).ok_or_else(|| Stop::Usage(format!("{name}: holds no session")))
}

/// Neither a case nor a file has this name.
pub(super) fn no_case(name: &str, profile: Option<&str>, folder: &Path) -> Stop {
    let cases = catalogue::cases(folder).unwrap_or_default();
    let of = profile.map_or(String::new(), |profile| format!(" of the profile `{profile}`"));
    // A wrong name can be that of a scenario, perhaps in a profile, or that of a case with its options.
    let ends: &[char] = if name.contains('[') {
        &[]
    } else if name.contains('@') {
        &['[']
    } else {
        &['@']
    };
    let known = cases.iter().map(|case| case.name.split(ends).next().unwrap_or_default());
    let hint = did_you_mean(&nearest(name, known));
    let what = if Path::new(name).extension().is_some() { "there is no file, and no case" } else { "no case" };
    Stop::Usage(format!("{what}{of} is called `{name}`{hint}; `deltaproof list` prints all cases"))
}

/// The mutant of this name, whichever end it is one of.
fn mutant(protocol: &'static Protocol, name: &str) -> Result<BuiltIn, Stop> {
    let mutants = || {
        BuiltIn::all(std::slice::from_ref(&protocol))
            .filter(|it| protocol.mutants().any(|mutant| mutant.name == it.variant.name))
    };
    let found: Vec<BuiltIn> = mutants().filter(|it| it.variant.name == name || it.name() == name).collect();
    match found.as_slice() {
        [one] => Ok(*one),
        [] => {
            let hint = did_you_mean(&nearest(name, mutants().map(|it| it.variant.name)));
            Err(Stop::Usage(format!(
                "no mutant `{name}` of {}{hint}; `deltaproof mutants` prints them all",
                protocol.name
            )))
        }
        _ => Err(Stop::Usage(format!("a server and a client have a mutant `{name}`; say --server or --client"))),
    }
}
