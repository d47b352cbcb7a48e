//! `probe`: our client against somebody's server.

use super::super::observed::{self, counted};
use super::super::output::{BAD, Format, GOOD, HEAD, Stop, json_line};
use super::super::{catalogue, evidence, judge, profile};
use super::arguments::ProbeArguments;
use super::groups::Groups;
use super::report::{self, Shown};
use super::set::{self, Session, Set};
use super::{address, exit_code, mutant, recording, settings, stop_on_ctrl_c, time};
use crate::capture::{self, Capture};
use crate::evidence::{Session as Seen, collect_live};
use crate::live::run::{Live, Target};
use crate::observe::Coverage;
use crate::scenario;
use kit::{Protocol, Role};
use serde_json::json;
use std::fmt::Display;
use std::io::Write;
use std::path::Path;

/// What came of all sessions.
#[derive(Default)]
struct Totals {
    sessions: usize,
    through: usize,
    findings: usize,
    code: u8,
    coverage: Option<Coverage>,
    /// Sessions that got through and say nothing all the same.
    not_judged: usize,
    /// The first client did not get in, so that no other tried.
    stopped: bool,
    groups: Groups,
    /// Folders of evidence that were written.
    folders: usize,
}

impl Totals {
    /// Counts a session; of many repetitions, whether it is worth telling.
    fn add(&mut self, session: &Session<'_>, live: &Live, protocol: &Protocol, quiet: bool) -> bool {
        let code = exit_code(live, true);
        let through = live.outcome.active.is_some();
        self.sessions += 1;
        self.through += usize::from(through);
        self.not_judged += usize::from(through && live.observation.not_judged.is_some());
        let differences = live.control.as_ref().map_or(0, |control| control.differences.len());
        self.findings += live.observation.findings.len() + differences;
        // A violation says more of a server than that it let somebody wait.
        self.code = if [self.code, code].contains(&1) { 1 } else { self.code.max(code) };
        match &mut self.coverage {
            Some(coverage) => coverage.join(&live.observation.coverage, protocol),
            None => self.coverage = Some(live.observation.coverage.clone()),
        }
        self.groups.add(&session.case.name(), &session.record, &live.observation);
        if quiet && code == 0 && live.observation.findings.is_empty() {
            // Thousands of recordings in which nothing was found would fill the disk.
            let _ = std::fs::remove_file(&session.record);
            return false;
        }
        true
    }

    /// Prints the verdict on the server.
    fn verdict(&self, profile: &str, to: &str, out: &mut dyn Write) -> Result<(), Stop> {
        let Totals { sessions, through, findings, code, not_judged, stopped, .. } = self;
        let style = if *code == 0 { GOOD } else { BAD };
        let found = match (findings, through) {
            (0, 0) => String::from("not judged"),
            (0, _) if *not_judged > 0 => format!("no finding, but {} not judged", counted(*not_judged, "session")),
            (0, _) => String::from("no finding"),
            (found, _) => counted(*found, "finding"),
        };
        let sessions = counted(*sessions, "session");
        let stopped = if *stopped { "; the others were left out, as the first did not get in" } else { "" };
        writeln!(out, "{style}{found}{style:#}: {profile} at {to}, {sessions}, {through} got through{stopped}")?;
        Ok(())
    }

    /// Prints what all sessions covered together.
    fn coverage(&self, profile: &str, out: &mut dyn Write) -> Result<(), Stop> {
        let Some(coverage) = self.coverage.as_ref().filter(|_| self.sessions > 1) else { return Ok(()) };
        writeln!(out, "{HEAD}all sessions{HEAD:#}")?;
        observed::counts(coverage, out)?;
        report::can_see(profile, out)
    }

    /// The last line for machines.
    fn summary(&self, out: &mut dyn Write) -> Result<(), Stop> {
        let Totals { sessions, through, findings, coverage, .. } = self;
        let summary = json!({ "sessions": sessions, "through": through, "findings": findings, "all": coverage });
        json_line(out, &json!({ "summary": summary }))
    }
}

/// Probes a server with every chosen case. Returns 1 if a MUST was violated, 3 if a client did not get into the game.
pub(in super::super) fn probe(
    arguments: &ProbeArguments,
    protocols: &[&'static Protocol],
    scenarios: Option<&Path>,
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let (protocol, profile) = profile(protocols, &arguments.live.profile)?;
    let server = address(&arguments.to, arguments.live.allow_remote)?;
    let folder = catalogue::folder(scenarios)?;
    let mut cases = scenario::probes(&folder, protocol, profile)?;
    let names: Vec<String> = cases.iter().map(|case| case.scenario.id.replace("probe/", "")).collect();
    cases.retain(|case| takes(&arguments.filters, &case.name()));
    if cases.is_empty() {
        let (wanted, names) = (arguments.filters.join(" "), names.join(", "));
        let message = format!("no probe of {} matches `{wanted}`; there are {names}", profile.name);
        return Err(Stop::Usage(message));
    }
    let settings = settings(protocol, &arguments.set, arguments.map.as_deref())?;
    cases.iter_mut().for_each(|case| settings.apply(case));
    let client = mutant(protocol, profile, arguments.client.as_deref(), Role::Client)?;
    let length_us = arguments.length.as_deref().map_or(Ok(u64::MAX), time)?;
    let sign_on_us = time(&arguments.sign_on)?;
    let target = Target { server, client, learned: None, control: arguments.control, length_us, sign_on_us };
    let mut sessions = Vec::new();
    for seed in arguments.live.seed..arguments.live.seed.saturating_add(arguments.repeat) {
        for case in &cases {
            let record = recording(&arguments.live, &folder, &case.scenario.id, profile, seed)?;
            sessions.push(Session { case, seed, record });
        }
    }
    set::first(&mut sessions);
    stop_on_ctrl_c();
    let mut totals = Totals::default();
    // People read the verdict first; machines get each session as it ends.
    let mut told: Vec<u8> = Vec::new();
    let set = Set { target, to: &arguments.to, jobs: arguments.jobs, rate_limit: arguments.rate_limit };
    let one_of_many = sessions.len() > 1;
    totals.stopped = set.all(protocol, &sessions, &mut |session, live| {
        if !totals.add(session, &live, protocol, arguments.repeat > 1) {
            return Ok(());
        }
        let name = session.case.name();
        let shown =
            Shown { name: &name, seed: session.seed, record: &session.record, server: Some(server), one_of_many };
        format
            .say(&report::Told { shown: &shown, live: &live }, if format.is_for_people() { &mut told } else { out })?;
        out.flush()?;
        if let Some(parent) = arguments.evidence.evidence.as_deref().filter(|_| totals.folders < evidence::MOST) {
            totals.folders += usize::from(keep(parent, session, &live, protocols)?);
        }
        Ok(())
    })?;
    if !format.is_for_people() {
        totals.summary(out)?;
        return Ok(totals.code);
    }
    totals.verdict(profile.name, &arguments.to, out)?;
    if one_of_many {
        totals.groups.print(out)?;
    }
    out.write_all(&told)?;
    totals.coverage(profile.name, out)?;
    Ok(totals.code)
}

/// Writes the evidence of a session, if something was found in it.
fn keep(parent: &Path, session: &Session<'_>, live: &Live, protocols: &[&'static Protocol]) -> Result<bool, Stop> {
    if live.observation.findings.is_empty() {
        return Ok(false);
    }
    let Session { case, seed, record } = session;
    let unreadable = |error: &dyn Display| Stop::Harness(format!("cannot read {} again: {error}", record.display()));
    let recording = std::fs::read(record).map_err(|error| unreadable(&error))?;
    let (name, options) = (record.to_string_lossy(), capture::Options::default());
    let capture = Capture::from_bytes(&name, recording.clone(), &options).map_err(|error| unreadable(&error))?;
    let recordings = judge::read(capture, protocols, None, &[], &mut |_| true)?;
    let Some((_, session)) = recordings.first() else { return Ok(false) };
    let history = session.history(&case.name());
    let observation = &live.observation;
    let kept = Seen { case, seed: *seed, observation, history: &history, recording: &recording };
    let bundle = collect_live(kept);
    bundle.iter().for_each(|bundle| evidence::tell(parent, bundle));
    Ok(bundle.is_some())
}

fn takes(filters: &[String], name: &str) -> bool {
    filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str()))
}
