//! `certify`: which level an implementation reaches, and a certificate of it.

use super::arguments::CertifyArguments;
use super::evidence::Found;
use super::output::{Answer, BAD, DIM, Format, GOOD, HEAD, Stop, WARN, complain, json_line};
use super::progress::Bar;
use super::run::add_summary;
use super::shim::doctor;
use super::{catalogue, profile};
use crate::candidate::Candidate;
use crate::certify::{self, Blocker, Certificate, Expectations, Implementation, LevelReport, Outcome, Today, badge};
use crate::engine::Engine;
use crate::foreign::Foreign;
use crate::place::Place;
use crate::report::place::{Places, Shown};
use crate::report::{LevelSummary, RequirementStatus, RunReport, folder, github};
use kit::Protocol;
use serde::Serialize;
use shim::Launch;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// What blocks a level is shown for so many requirements.
const SHOWN: usize = 12;

/// Certifies, and compares with certificates from before. Exit code 0: the level asked for is reached.
pub(super) fn certify(
    arguments: &CertifyArguments,
    protocols: &'static [&'static Protocol],
    scenarios: Option<&Path>,
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let folder = catalogue::folder(scenarios)?;
    let old = arguments.verify.as_deref().or(arguments.against.as_deref()).map(read_certificate).transpose()?;
    let (profile_name, place, level) = asked(arguments, old.as_ref())?;
    let (protocol, profile) = profile(protocols, &profile_name)?;
    let expectations = expectations(arguments)?;
    let (candidate, implementation, not_valid) = whom(arguments, protocols, profile.name, place)?;
    if let Some(old) =
        old.as_ref().filter(|old| arguments.verify.is_some() && old.implementation.name != implementation.name)
    {
        let (theirs, ours) = (&old.implementation.name, &implementation.name);
        return Err(Stop::Usage(format!(
            "the certificate is of {theirs}, and this is {ours}: say what the certificate is of, with --engine or after --"
        )));
    }
    let request = certify::Request {
        profile: profile.name,
        place,
        level,
        candidate: candidate.clone(),
        implementation,
        jobs: arguments.jobs,
        expectations: &expectations,
    };
    let outcome = {
        let bar = Bar::new();
        certify::certify(&folder, &request, not_valid, &|ended| bar.follow(ended))?
    };
    let certificate = &outcome.certificate;
    // The verdict comes first: what cannot be written must not cost it.
    format.say(&Certified { outcome: &outcome, protocol, after: &catalogue::argument(scenarios) }, out)?;
    out.flush()?;
    let mut wrong = outcome.complaints.clone();
    if let (Some(old), true) = (&old, arguments.verify.is_some()) {
        wrong.extend(old.differences(certificate));
    } else if let Some(old) = &old {
        wrong
            .extend(old.losses(certificate).into_iter().map(|loss| format!("lost since the last certificate: {loss}")));
    }
    for wrong in &wrong {
        complain(BAD, "error", wrong);
    }
    publish(arguments, &outcome, &wrong, candidate.is_some(), format, out)?;
    let found = outcome.failed.iter().map(|(case, seed, failed)| Found {
        case: case.clone(),
        seed: *seed,
        failed: failed.clone(),
    });
    arguments.evidence.write(found.collect(), outcome.failed.len() as u64, candidate.as_ref());
    Ok(exit_code(&outcome, level, !wrong.is_empty(), arguments.verify.is_some()))
}

/// Shows the result to GitHub, and writes the files, where that is asked for.
fn publish(
    arguments: &CertifyArguments,
    outcome: &Outcome,
    wrong: &[String],
    is_foreign: bool,
    format: Format,
    out: &mut dyn Write,
) -> Result<(), Stop> {
    let certificate = &outcome.certificate;
    let report = RunReport { levels: levels(certificate), ..outcome.report.clone() };
    let shown = match is_foreign {
        true => arguments.engine.shown(arguments.expect.as_deref(), arguments.command.iter().cloned()),
        false => Shown::Scenario,
    };
    let places: Places<'_> = &|case, requirement| shown.at(case, requirement);
    if format == Format::Github {
        for wrong in wrong {
            writeln!(out, "{}", github::error(shown.top(), "certificate", wrong))?;
        }
        for line in github::annotations(&report, places) {
            writeln!(out, "{line}")?;
        }
        out.flush()?;
        add_summary(&github::summary(&report))?;
    }
    if arguments.verify.is_some() && wrong.is_empty() {
        complain(GOOD, "verified", "every verdict and every hash is as the certificate has it");
    }
    if let Some(folder) = &arguments.out {
        folder::write_certificate(folder, &report, places, &certificate.text(), &badge(certificate))
            .map_err(|error| Stop::Harness(error.to_string()))?;
        complain(DIM, "certificate", folder.join("certificate.json").display());
    }
    Ok(())
}

/// The levels, as the report has them.
fn levels(certificate: &Certificate) -> Vec<LevelSummary> {
    let sentence = |blocker: &Blocker| {
        let why = if blocker.not_covered.is_empty() {
            String::new()
        } else {
            format!(" is not covered: {}", blocker.not_covered)
        };
        let case = blocker.cases.first().map(|case| format!(", such as {case}")).unwrap_or_default();
        format!("{}{why}{case}", blocker.what)
    };
    let summary = |level: &LevelReport| LevelSummary {
        level: format!("{} {}", level.level, level.name),
        reached: level.reached,
        blockers: level.blocked_by.iter().map(sentence).collect(),
    };
    certificate.levels.iter().map(summary).collect()
}

/// 3 where the shim is none; otherwise 0 where the level asked for is reached, or a certificate was verified.
fn exit_code(outcome: &Outcome, asked: u8, wrong: bool, verified: bool) -> u8 {
    let cases = outcome.report.exit_code();
    match outcome.certificate.level {
        None => 3,
        Some(_) if wrong => 1,
        Some(level) if level >= asked || verified => 0,
        Some(_) if cases > 1 => cases,
        Some(_) => 1,
    }
}

/// Profile, role and level: from the command line, or from the certificate that is verified.
fn asked(arguments: &CertifyArguments, old: Option<&Certificate>) -> Result<(String, Place, u8), Stop> {
    if let Some(old) = old.filter(|_| arguments.verify.is_some()) {
        let place = Place::named(&old.role)
            .ok_or_else(|| Stop::Usage(format!("the certificate's role is `{}`, which is none", old.role)))?;
        return Ok((old.profile.clone(), place, old.asked));
    }
    match (&arguments.profile, arguments.role) {
        (Some(profile), Some(place)) => Ok((profile.clone(), place, arguments.level)),
        _ => Err(Stop::Usage(String::from(
            "say what is to be certified: --profile P --role server|client|codec -- COMMAND",
        ))),
    }
}

fn read_certificate(path: &Path) -> Result<Certificate, Stop> {
    let text = std::fs::read_to_string(path).map_err(|error| Stop::Usage(format!("{}: {error}", path.display())))?;
    Certificate::parse(&text).map_err(|error| Stop::Usage(format!("{}: {error}", path.display())))
}

fn expectations(arguments: &CertifyArguments) -> Result<Expectations, Stop> {
    let Some(path) = &arguments.expect else { return Ok(Expectations::default()) };
    let today = match &arguments.today {
        Some(day) => Today::parse(day).map_err(|error| Stop::Usage(format!("--today: {error}")))?,
        None => Today::now(),
    };
    let text = std::fs::read_to_string(path).map_err(|error| Stop::Usage(format!("{}: {error}", path.display())))?;
    Ok(Expectations::parse(path, &text, today)?)
}

/// What is certified, who it is, and what level 0 found.
fn whom(
    arguments: &CertifyArguments,
    protocols: &'static [&'static Protocol],
    profile: &str,
    place: Place,
) -> Result<(Option<Candidate>, Implementation, Vec<String>), Stop> {
    if let Some(chosen) = arguments.engine.only(arguments.settings.map.as_deref())? {
        if !arguments.command.is_empty() {
            return Err(Stop::Usage(String::from("either --engine or a command after `--`")));
        }
        let engine = Engine::new(&chosen)?;
        let forms = engine.forms(&arguments.settings.set, arguments.talk.patience(), false).map_err(Stop::Usage)?;
        let form = forms.into_iter().find(|form| form.profiles.iter().any(|name| name == profile));
        let Some(form) = form else {
            let known = engine.description.profiles.join(", ");
            return Err(Stop::Usage(format!("{} is described as speaking {known}", engine.description.name)));
        };
        let start = || arguments.settings.start(&engine, Some(place), &arguments.talk);
        return judged(protocols, profile, place, &form.launch, &start);
    }
    if arguments.command.is_empty() {
        if place == Place::Codec {
            return Err(Stop::Usage(String::from(
                "say which program the codec is, after `--`; the reference's is in its client",
            )));
        }
        let build = String::from(env!("CARGO_PKG_VERSION"));
        return Ok((None, Implementation { name: String::from("deltaproof reference"), build }, Vec::new()));
    }
    let launch = arguments.talk.launch(arguments.command.clone())?;
    let start = || {
        let launch = arguments.talk.launch(arguments.command.clone())?;
        arguments.settings.give(Foreign::start(launch, Some(place)).map_err(Stop::Shim)?)
    };
    judged(protocols, profile, place, &launch, &start)
}

/// [`whom`], of what is started by `launch` to be looked at, and then by `start`.
fn judged(
    protocols: &'static [&'static Protocol],
    profile: &str,
    place: Place,
    launch: &Launch,
    start: &dyn Fn() -> Result<Foreign, Stop>,
) -> Result<(Option<Candidate>, Implementation, Vec<String>), Stop> {
    let looked = Launch { strict: shim::schema::AVAILABLE, ..launch.clone() };
    let tried = doctor::examine(&looked, protocols, Some((profile, place)));
    let mut not_valid: Vec<String> =
        tried.into_iter().filter_map(|(what, result)| Some(format!("{what}: {}", result.err()?))).collect();
    match start() {
        Ok(shim) => {
            let implementation = Implementation { name: shim.hello.name.clone(), build: shim.hello.build.clone() };
            if !shim.speaks(profile) {
                not_valid.push(format!("the shim does not offer {profile}, but {}", shim.hello.profiles.join(", ")));
            }
            Ok((Some(Candidate::Shim(Arc::new(shim))), implementation, not_valid))
        }
        Err(Stop::Shim(_)) if !not_valid.is_empty() => {
            Ok((None, Implementation { name: launch.command.join(" "), build: String::new() }, not_valid))
        }
        Err(stop) => Err(stop),
    }
}

/// `after` follows every replay line.
/// What came of a certification.
struct Certified<'a> {
    outcome: &'a Outcome,
    protocol: &'a Protocol,
    /// What commands to do it again end with.
    after: &'a str,
}

/// The line of JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub(super) struct Line<'a> {
    certificate: &'a Certificate,
}

impl Answer for Certified<'_> {
    fn human(&self, out: &mut dyn Write) -> Result<(), Stop> {
        print(self.outcome, self.protocol, self.after, out)
    }

    fn json(&self, out: &mut dyn Write) -> Result<(), Stop> {
        json_line(out, &Line { certificate: &self.outcome.certificate })
    }
}

fn print(outcome: &Outcome, protocol: &Protocol, after: &str, out: &mut dyn Write) -> Result<(), Stop> {
    let certificate = &outcome.certificate;
    let Implementation { name, build } = &certificate.implementation;
    writeln!(out, "{HEAD}{name} {build}{HEAD:#}  {} {}", certificate.profile, certificate.role)?;
    for level in &certificate.levels {
        print_level(level, protocol, after, out)?;
    }
    for case in &certificate.known_failures {
        writeln!(out, "{WARN}known failure{WARN:#}  {case}")?;
    }
    writeln!(out, "{DIM}suite {}  root hash {}{DIM:#}", certificate.suite, certificate.root_hash)?;
    let role = outcome.report.profiles.iter().find(|profile| profile.role == certificate.role);
    let rows = role.map(|profile| profile.requirements.as_slice()).unwrap_or_default();
    let mut skipped: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in rows.iter().filter(|row| certificate.by_the_wire && row.status == RequirementStatus::Skipped) {
        skipped.entry(&row.untested_because).or_default().push(&row.id);
    }
    for (why, ids) in skipped {
        writeln!(out, "{DIM}skipped, because {why}: {}{DIM:#}", ids.join(" "))?;
    }
    writeln!(out, "{}", certificate.headline)?;
    match certificate.level {
        Some(level) if level >= certificate.asked => writeln!(out, "{GOOD}level {level}{GOOD:#}")?,
        Some(level) => writeln!(out, "{BAD}level {level}{BAD:#} of {} asked for", certificate.asked)?,
        None => writeln!(out, "{BAD}no level{BAD:#}: the shim is not in order")?,
    }
    Ok(())
}

fn print_level(level: &LevelReport, protocol: &Protocol, after: &str, out: &mut dyn Write) -> Result<(), Stop> {
    let style = if level.reached { GOOD } else { BAD };
    let word = if level.reached { "reached" } else { "not reached" };
    let runs = if level.runs > 0 { format!("{} cases, {} runs", level.cases, level.runs) } else { String::new() };
    writeln!(out, "level {} {:<9}  {style}{word:<11}{style:#}  {DIM}{runs}{DIM:#}", level.level, level.name)?;
    let (uncovered, wrong): (Vec<&Blocker>, Vec<&Blocker>) =
        level.blocked_by.iter().partition(|blocker| !blocker.not_covered.is_empty());
    for blocker in wrong.iter().take(SHOWN) {
        let text = protocol.requirements.iter().find(|row| row.id == blocker.what).map_or("", |row| row.text);
        let count = match blocker.cases.len() {
            0 => String::new(),
            1 => String::from("1 case: "),
            cases => format!("{cases} cases: "),
        };
        writeln!(out, "  {count}{WARN}{}{WARN:#} {DIM}{text}{DIM:#}", blocker.what)?;
        if let Some(replay) = blocker.cases.first() {
            writeln!(out, "    {replay}{after}")?;
        }
    }
    if wrong.len() > SHOWN {
        writeln!(out, "  … and {} more", wrong.len() - SHOWN)?;
    }
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for blocker in uncovered {
        reasons.entry(&blocker.not_covered).or_default().push(&blocker.what);
    }
    for (why, ids) in reasons {
        writeln!(out, "  {WARN}not covered{WARN:#}, because {why}: {}", ids.join(" "))?;
    }
    Ok(())
}
