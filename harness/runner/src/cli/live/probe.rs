//! `probe`: our client against somebody's server.

use super::super::arguments::Format;
use super::super::observed::{self, counted};
use super::super::output::{BAD, GOOD, HEAD, Stop, json_line};
use super::super::progress::Bar;
use super::super::{catalogue, evidence, judge, profile};
use super::arguments::ProbeArguments;
use super::report::{self, Shown};
use super::{STOP, address, common, exit_code, io, mutant, options, recording, stop_on_ctrl_c, time};
use crate::capture::{self, Capture};
use crate::evidence::{Session as Seen, collect_live};
use crate::live::map;
use crate::live::run::{self, Live, Ours, Target};
use crate::observe::Coverage;
use crate::scenario::{self, Case};
use kit::{Protocol, Role};
use serde_json::json;
use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

/// One session to come.
struct Session<'a> {
    case: &'a Case,
    seed: u64,
    record: PathBuf,
}

/// What came of all sessions.
#[derive(Default)]
struct Totals {
    sessions: usize,
    through: usize,
    findings: usize,
    code: u8,
    coverage: Option<Coverage>,
    /// Folders of evidence that were written.
    folders: usize,
}

impl Totals {
    /// Prints what all sessions covered together, and how they went.
    fn print(&self, profile: &str, format: Format, out: &mut dyn Write) -> Result<(), Stop> {
        let Totals { sessions, through, findings, code, coverage, .. } = self;
        if format == Format::Json {
            let summary = json!({ "sessions": sessions, "through": through, "findings": findings, "all": coverage });
            return json_line(out, &json!({ "summary": summary }));
        }
        if let Some(coverage) = coverage.as_ref().filter(|_| *sessions > 1) {
            writeln!(out, "{HEAD}all sessions{HEAD:#}")?;
            observed::coverage(coverage, out)?;
            report::can_see(profile, out)?;
        }
        let style = if *code == 0 { GOOD } else { BAD };
        let [sessions, findings] =
            [(*sessions, "session"), (*findings, "finding")].map(|(count, what)| counted(count, what));
        writeln!(out, "{style}{sessions}, {through} got through, {findings}{style:#}")?;
        Ok(())
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
    let mut options = options(protocol, &arguments.set.options)?;
    options.extend(map_checksum(protocol, arguments.map.as_deref())?);
    let mutant = mutant(protocol, profile, arguments.client.as_deref(), Role::Client)?;
    let client = Ours { mutant, options: &options };
    let length_us = arguments.length.as_deref().map_or(Ok(u64::MAX), time)?;
    let sign_on_us = time(&arguments.sign_on)?;
    let target = Target { server, client, control: arguments.control, length_us, sign_on_us };
    let mut sessions = Vec::new();
    for seed in arguments.live.seed..arguments.live.seed.saturating_add(arguments.repeat) {
        for case in &cases {
            let record = recording(&arguments.live, &folder, &case.scenario.id, profile, seed)?;
            sessions.push(Session { case, seed, record });
        }
    }
    stop_on_ctrl_c();
    let mut totals = Totals::default();
    let (quiet, one_of_many) = (arguments.repeat > 1, sessions.len() > 1);
    all(&sessions, arguments, &target, &mut |session, live| {
        let code = exit_code(&live, true);
        totals.sessions += 1;
        totals.through += usize::from(live.outcome.active.is_some());
        let differences = live.control.as_ref().map_or(0, |control| control.differences.len());
        totals.findings += live.observation.findings.len() + differences;
        // A violation says more of a server than that it let somebody wait.
        totals.code = if [totals.code, code].contains(&1) { 1 } else { totals.code.max(code) };
        match &mut totals.coverage {
            Some(coverage) => coverage.join(&live.observation.coverage, protocol),
            None => totals.coverage = Some(live.observation.coverage.clone()),
        }
        if quiet && code == 0 && live.observation.findings.is_empty() {
            // Thousands of recordings in which nothing was found would fill the disk.
            let _ = std::fs::remove_file(&session.record);
            return Ok(());
        }
        let name = session.case.name();
        let shown =
            Shown { name: &name, seed: session.seed, record: &session.record, server: Some(server), one_of_many };
        report::print(&shown, &live, format, out)?;
        out.flush()?;
        if let Some(parent) = arguments.evidence.evidence.as_deref().filter(|_| totals.folders < evidence::MOST) {
            totals.folders += usize::from(keep(parent, session, &live, protocols)?);
        }
        Ok(())
    })?;
    totals.print(profile.name, format, out)?;
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
    let recordings = judge::read(capture, protocols, None, &[])?;
    let Some((_, session)) = recordings.first() else { return Ok(false) };
    let history = session.history(&case.name());
    let observation = &live.observation;
    let kept = Seen { case, seed: *seed, observation, history: &history, recording: &recording };
    let bundle = collect_live(kept);
    bundle.iter().for_each(|bundle| evidence::tell(parent, bundle));
    Ok(bundle.is_some())
}

/// Runs the sessions, several at a time, and gives each result to `take` as it comes.
fn all(
    sessions: &[Session<'_>],
    arguments: &ProbeArguments,
    target: &Target<'_>,
    take: &mut dyn FnMut(&Session<'_>, Live) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = channel();
    let bar = Bar::new();
    std::thread::scope(|scope| {
        for _ in 0..usize::from(arguments.jobs).min(sessions.len()) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                while let Some(session) = sessions.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let common = common(session.seed, arguments.rate_limit, &session.record, &|_| {});
                    let live = run::probe(session.case, target, &common);
                    if STOP.load(Ordering::Relaxed) || sender.send((session, live)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for (done, (session, live)) in receiver.iter().enumerate() {
            bar.set(done as u64 + 1, sessions.len() as u64, &session.case.scenario.id);
            let taken = live.map_err(|error| io(&arguments.to, &error)).and_then(|live| take(session, live));
            if let Err(stop) = taken {
                // The others end soon: their results are not wanted any more.
                STOP.store(true, Ordering::Relaxed);
                return Err(stop);
            }
        }
        Ok(())
    })
}

/// The option that the file of a map gives.
fn map_checksum(protocol: &Protocol, file: Option<&Path>) -> Result<Option<(usize, i64)>, Stop> {
    let Some(file) = file else { return Ok(None) };
    let usage = |why: String| Stop::Usage(format!("--map {}: {why}", file.display()));
    let option = protocol.options.iter().position(|option| option.name == "map_checksum");
    let option = option.ok_or_else(|| usage(format!("a client of {} needs no checksum", protocol.name)))?;
    let bytes = std::fs::read(file).map_err(|error| usage(error.to_string()))?;
    Ok(Some((option, i64::from(map::checksum(&bytes).map_err(usage)?))))
}

fn takes(filters: &[String], name: &str) -> bool {
    filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str()))
}
