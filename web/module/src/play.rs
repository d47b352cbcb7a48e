//! Runs: one with its history, what the ends hold, and verdicts of many.

use judging::candidate::{BuiltIn, Candidate};
use judging::golden;
use judging::history::{Entry, Fate, History, What, demo};
use judging::holdings;
use judging::judge::Keep;
use judging::registry::PROTOCOLS;
use judging::report::timeline::{Links, Window, svg};
use judging::scenario::{self, Alteration, Case, Setting};
use judging::shrink::{Failed, shrink};
use judging::transcript;
use judging::verdict::{run_again, run_case};
use kit::{Damage, HostId, Time};
use serde::Deserialize;
use serde_json::{Value, json};

/// A seed, as text: numbers of JavaScript have no room for one.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
struct Seed(u64);

impl TryFrom<String> for Seed {
    type Error = String;

    fn try_from(text: String) -> Result<Seed, String> {
        text.parse().map(Seed).map_err(|_| format!("`{text}` is no seed; it is a number below 2^64"))
    }
}

/// A run of a case: which, with which links, and with what in the place of an end.
#[derive(Deserialize)]
pub(crate) struct Choice {
    /// The case, as everywhere: `fte/reset-lost-both@fte-nq`, or a scenario, of which the first case is meant.
    case: String,
    /// What all links do in place of what the scenario says: `loss-5`.
    #[serde(default)]
    settings: Vec<String>,
    /// A mutant or a variant: `fte/NAME`.
    #[serde(default)]
    candidate: Option<String>,
}

/// One run, to be looked at.
#[derive(Deserialize)]
pub(crate) struct Play {
    #[serde(flatten)]
    choice: Choice,
    /// Its seed; without one, the scenario's first.
    seed: Option<Seed>,
    /// A run with at most so many datagrams is drawn as a whole.
    #[serde(default = "whole")]
    whole: usize,
}

const fn whole() -> usize {
    160
}

/// A moment of a run.
#[derive(Deserialize)]
pub(crate) struct Held {
    #[serde(flatten)]
    choice: Choice,
    seed: Seed,
    at_us: u64,
}

/// A case to be judged.
#[derive(Deserialize)]
pub(crate) struct Judged {
    #[serde(flatten)]
    choice: Choice,
    /// One seed in place of the scenario's own.
    seed: Option<Seed>,
}

/// What was run last.
#[derive(Default)]
pub(crate) struct Memory {
    history: History,
}

impl Memory {
    pub(crate) fn play(&mut self, play: &Play) -> Result<Value, String> {
        let (case, candidate) = play.choice.find()?;
        let seed = seed_of(&case, play.seed);
        let report = run_again(&case, seed, candidate.as_ref());
        let judgement = Candidate::judge(candidate.as_ref(), &case, seed, Keep::Fields);
        self.history = judgement.history;
        let window = Window { whole: play.whole, ..Window::default() };
        let events: Vec<Value> =
            (0..).zip(&self.history.entries).filter_map(|(place, entry)| event(place, entry)).collect();
        Ok(json!({
            "case": case.name(),
            "seed": seed.to_string(),
            "title": case.scenario.file.title,
            "why": case.scenario.file.why,
            "report": report,
            "svg": svg(&self.history, &window, Links::Entries),
            "first_finding": self.history.first_finding(),
            "events": events,
            "end_us": self.history.end.us(),
            "demo": (case.protocol.demo)(case.profile).map(|it| it.client.name()),
        }))
    }

    /// What the first client of the run received, as a demo that engines play.
    pub(crate) fn demo(&self) -> Result<Value, String> {
        let (bytes, kind) = demo::demo(&self.history, PROTOCOLS, HostId(1))?;
        let name = self.history.run.case.replace(|it: char| !it.is_ascii_alphanumeric() && it != '-', "-");
        let hex = bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        Ok(json!({ "name": format!("{}.{kind}", name.trim_matches('-')), "bytes": hex }))
    }

    pub(crate) fn entry(&self, place: usize) -> Result<Value, String> {
        let entry = self.history.entries.get(place).ok_or("the run has no such event")?;
        let line = transcript::line(entry).map(|line| line.to_string());
        Ok(json!({ "entry": entry, "line": line }))
    }
}

/// A thing that stands out: everything but datagrams that arrive once and whole, with what those carry that has to come again.
fn event(place: usize, entry: &Entry) -> Option<Value> {
    let text = match &entry.what {
        What::Sent(datagram) if datagram.carries.is_empty() && is_plain(&datagram.fate) => return None,
        What::Delivered { .. } => return None,
        What::Finding(found) => format!("{} {}", found.finding.requirement, found.finding.what),
        _ => transcript::line(entry)?.to_string(),
    };
    let kind = match &entry.what {
        What::Sent(datagram) if is_plain(&datagram.fate) => "carries",
        What::Sent(_) => "disturbed",
        What::Finding(_) => "finding",
        What::Command { .. } => "command",
        What::State { .. } => "state",
        _ => "note",
    };
    let first = text.lines().next().unwrap_or_default();
    Some(json!({ "place": place, "at_us": entry.at.us(), "kind": kind, "text": first }))
}

/// Whether a datagram arrives once and whole.
fn is_plain(fate: &Fate) -> bool {
    matches!(fate, Fate::Arrives(arrivals) if matches!(arrivals.as_slice(), [one] if one.damage == Damage::None))
}

pub(crate) fn held(held: &Held) -> Result<Value, String> {
    let (case, candidate) = held.choice.find()?;
    let replacement = match candidate {
        Some(Candidate::BuiltIn(it)) => Some(it.variant.replacement),
        _ => None,
    };
    Ok(json!({ "held": holdings::held(&case, held.seed.0, replacement, Time(held.at_us)) }))
}

pub(crate) fn case(judged: &Judged) -> Result<Value, String> {
    let (case, candidate) = judged.choice.find()?;
    let report = run_case(&case, judged.seed.map(|seed| (seed.0, seed.0)), candidate.as_ref());
    Ok(json!({ "row": golden::row(&report), "report": report }))
}

pub(crate) fn smaller(judged: &Judged) -> Result<Value, String> {
    let (case, candidate) = judged.choice.find()?;
    let seed = seed_of(&case, judged.seed);
    let failed = Failed { case: &case, seed, candidate: candidate.as_ref() };
    let shrunk = shrink(failed).map_err(|why| why.to_string())?;
    Ok(json!({
        "text": shrunk.text,
        "failure": shrunk.failure.name(),
        "faults_before": shrunk.faults_before,
        "faults": shrunk.faults,
        "datagrams_met": shrunk.datagrams_met,
        "runs": shrunk.runs,
    }))
}

/// The seed that is asked for, or else the scenario's first.
fn seed_of(case: &Case, seed: Option<Seed>) -> u64 {
    seed.map(|seed| seed.0).or_else(|| case.seeds().first().copied()).unwrap_or(1)
}

impl Choice {
    fn find(&self) -> Result<(Case, Option<Candidate>), String> {
        let no_name = || format!("`{}` is no name of a case", self.case);
        let (name, mut alteration) = Alteration::split(&self.case).ok_or_else(no_name)?;
        for text in &self.settings {
            let setting = Setting::parse(text).ok_or_else(|| format!("`{text}` is nothing that links do"))?;
            alteration.settings.push(setting);
        }
        let id = name.split('@').next().unwrap_or_default();
        let scenarios = scenario::load_built_in(|known| known == id).map_err(|error| error.one_line())?;
        let cases: Vec<Case> = scenarios.iter().flat_map(scenario::cases).collect();
        let by_name = |case: &&Case| case.name() == name || case.scenario.id == name;
        let by_profile = |case: &&Case| case.scenario.id == id && name.ends_with(&format!("@{}", case.profile.name));
        let found = cases.iter().find(by_name).or_else(|| cases.iter().find(by_profile));
        let case = Case { alteration, ..found.ok_or_else(|| format!("there is no case `{name}`"))?.clone() };
        let Some(wanted) = &self.candidate else { return Ok((case, None)) };
        let found = BuiltIn::all(PROTOCOLS).find(|it| it.name() == *wanted);
        let found = found.ok_or_else(|| format!("there is no mutant or variant `{wanted}`"))?;
        let candidate = Candidate::BuiltIn(found);
        match candidate.takes(&case) {
            true => Ok((case, Some(candidate))),
            false => Err(format!("`{wanted}` is of another protocol than `{name}`")),
        }
    }
}
