//! The certificate as data. There is no time and no place in it: the same implementation gets the same bytes.

use super::{Batches, Request};
use crate::report::{CaseReport, ProfileReport, RequirementStatus, RunReport, Tally, Verdict, tallies};
use crate::scenario::Case;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// The version of the format.
const FORMAT: u32 = 1;

/// Who is certified.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Implementation {
    /// Its name.
    pub name: String,
    /// Which state of it.
    pub build: String,
}

/// Something that keeps a level from being reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Blocker {
    /// A requirement, or what happened.
    pub what: String,
    /// Why a requirement was not covered; empty for one that was violated.
    pub not_covered: String,
    /// How to see it: a line for each case.
    pub cases: Vec<String>,
}

/// One level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LevelReport {
    /// Its number.
    pub level: u8,
    /// Its name.
    pub name: String,
    /// Whether it is reached, and all below it.
    pub reached: bool,
    /// The cases that were run for it.
    pub cases: u32,
    /// The runs of those cases.
    pub runs: u64,
    /// What it is not reached for, the nearest first.
    pub blocked_by: Vec<Blocker>,
}

/// The verdict on one requirement of the role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RequirementVerdict {
    /// Its id.
    pub id: String,
    /// MUST, SHOULD, and whose if not the document's.
    pub level: String,
    /// pass, fail, skipped, untested, untestable or not-applicable.
    pub status: String,
}

/// The runs of one case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// The case.
    pub case: String,
    /// How many.
    pub runs: u64,
    /// The verdict.
    pub verdict: String,
    /// A hash over all that happened in them.
    pub trace: String,
}

/// What another person needs to see the same, and what they will see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The version of this format.
    pub certificate: u32,
    /// The version of the harness.
    pub deltaproof: String,
    /// A hash over the profile's scenarios and requirements.
    pub suite: String,
    /// The profile.
    pub profile: String,
    /// The role.
    pub role: String,
    /// Who is certified.
    pub implementation: Implementation,
    /// The highest level that is reached; none where even level 0 is not.
    pub level: Option<u8>,
    /// The level that was asked for.
    pub asked: u8,
    /// Whether it is of a server that nobody could tell what the world is: its wire alone was judged, and what needs the world
    /// keeps it from no level.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_the_wire: bool,
    /// `MUST 94/94 (0 skipped, 0 untested)  SHOULD 3/3`, of the role alone; by the wire `level 3 by the wire: 71 of 122 MUST; 51 need
    /// the world`.
    pub headline: String,
    /// The levels from 0 to the one asked for.
    pub levels: Vec<LevelReport>,
    /// The requirements that bind the role in the profile.
    pub requirements: Vec<RequirementVerdict>,
    /// The cases that are known to fail, as the expectations name them.
    pub known_failures: Vec<String>,
    /// The cases, with their own seeds.
    pub cases: Vec<Run>,
    /// The cases once more, with other seeds.
    pub more: Vec<Run>,
    /// All cases on links without faults, as one entry.
    pub clean: Option<Run>,
    /// The control case with every fault of one datagram, as one entry.
    pub faulted: Option<Run>,
    /// A hash over all runs.
    pub root_hash: String,
}

impl Certificate {
    /// Puts together what was found.
    pub(super) fn new(
        request: &Request<'_>,
        suite: String,
        levels: Vec<LevelReport>,
        report: &RunReport,
        batches: &Batches,
        known_failures: &BTreeSet<String>,
    ) -> Certificate {
        let role = request.place.to_string();
        let profile = report.profiles.iter().find(|profile| profile.role == role);
        let (cases, more) = (runs(&report.cases), runs(&batches.more));
        let clean = together("on links without faults", if batches.resilient.is_empty() { &[] } else { &batches.core });
        let faulted = together("with one fault", &batches.faulted);
        let mut hash = blake3::Hasher::new();
        for run in cases.iter().chain(&more).chain(&clean).chain(&faulted) {
            hash.update(format!("{} {} {} {}\n", run.case, run.runs, run.verdict, run.trace).as_bytes());
        }
        let by_the_wire = request.candidate.as_ref().is_some_and(|it| it.is_worldless() && it.told().is_none());
        let level = levels.iter().filter(|level| level.reached).map(|level| level.level).max();
        Certificate {
            certificate: FORMAT,
            deltaproof: String::from(env!("CARGO_PKG_VERSION")),
            suite,
            profile: String::from(request.profile),
            role,
            implementation: request.implementation.clone(),
            level,
            asked: request.level,
            by_the_wire,
            headline: if by_the_wire { wire_headline(level, profile) } else { headline(profile) },
            levels,
            requirements: profile.map(requirements).unwrap_or_default(),
            known_failures: known_failures.iter().cloned().collect(),
            cases,
            more,
            clean,
            faulted,
            root_hash: hash.finalize().to_hex()[..32].to_string(),
        }
    }

    /// Reads one.
    ///
    /// # Errors
    /// It is none, or of another version.
    pub fn parse(text: &str) -> Result<Certificate, String> {
        #[derive(Deserialize)]
        struct Head {
            certificate: u32,
        }
        let head: Head = serde_json::from_str(text).map_err(|error| format!("this is no certificate: {error}"))?;
        if head.certificate != FORMAT {
            return Err(format!("it is a certificate of format {}; this program knows {FORMAT}", head.certificate));
        }
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// The text of a file.
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// In what a run again differs from this certificate, in sentences, whatever it is; nothing where it is the same.
    pub fn differences(&self, again: &Certificate) -> Vec<String> {
        let data = |certificate: &Certificate| serde_json::to_value(certificate).unwrap_or_default();
        let mut found = Vec::new();
        differences("the certificate", &data(self), &data(again), &mut found);
        found
    }

    /// What `again` has lost against this older certificate, in sentences.
    pub fn losses(&self, again: &Certificate) -> Vec<String> {
        let mut lost = Vec::new();
        if self.level > again.level {
            lost.push(format!("level {} was reached, now {}", shown(self.level), shown(again.level)));
        }
        let passed = |status: &str| status == "pass";
        for old in self.requirements.iter().filter(|row| passed(&row.status)) {
            let now = again.requirements.iter().find(|row| row.id == old.id).map(|row| row.status.as_str());
            if let Some(now) = now.filter(|now| !passed(now)) {
                lost.push(format!("{} passed, and now is: {now}", old.id));
            }
        }
        for old in self.cases.iter().filter(|run| passed(&run.verdict)) {
            let now = again.cases.iter().find(|run| run.case == old.case).map(|run| run.verdict.as_str());
            if let Some(now) = now.filter(|now| !passed(now) && *now != Verdict::NotApplicable.name()) {
                lost.push(format!("{} passed, and now is: {now}", old.case));
            }
        }
        lost
    }
}

/// In what two parts of certificates differ. `what` names the part.
fn differences(what: &str, old: &Value, new: &Value, found: &mut Vec<String>) {
    match (old, new) {
        (Value::Object(one), Value::Object(other)) => {
            let keys: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
            // What an entry is about stands in it.
            let about = ["id", "case", "what"].into_iter().find_map(|key| one.get(key)?.as_str());
            let of = about.map_or_else(|| String::from(what), String::from);
            for key in keys {
                let nothing = &Value::Null;
                let (old, new) = (one.get(key).unwrap_or(nothing), other.get(key).unwrap_or(nothing));
                differences(&format!("the {} of {of}", key.replace('_', " ")), old, new, found);
            }
        }
        (Value::Array(one), Value::Array(other)) => {
            if one.len() != other.len() {
                let (old, new) = (one.len(), other.len());
                found.push(format!("{what}: the certificate has {old} entries, this run {new}"));
            }
            for (number, (old, new)) in (1..).zip(one.iter().zip(other)) {
                differences(&format!("entry {number} of {what}"), old, new, found);
            }
        }
        (old, new) if old == new => {}
        (old, new) => {
            let shown = |value: &Value| match value {
                Value::Null => String::from("none"),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            found.push(format!("{what}: the certificate has {}, this run {}", shown(old), shown(new)));
        }
    }
}

fn shown(level: Option<u8>) -> String {
    level.map_or_else(|| String::from("none"), |level| level.to_string())
}

/// What a server that nobody can tell what the world is has shown.
fn wire_headline(level: Option<u8>, profile: Option<&ProfileReport>) -> String {
    let Tally { total, pass, fail, skipped, untested, .. } =
        profile.map(|it| it.must.and(it.decided_must)).unwrap_or_default();
    let level = level.map_or_else(|| String::from("no level"), |level| format!("level {level}"));
    let mut line = format!("{level} by the wire: {pass} of {total} MUST; {skipped} need the world");
    for (count, what) in [(untested, "not covered"), (fail, "violated")].into_iter().filter(|(count, _)| *count > 0) {
        line.push_str(&format!(", {count} {what}"));
    }
    line
}

fn headline(profile: Option<&ProfileReport>) -> String {
    let none = Tally::default();
    profile.map_or_else(
        || tallies(none, none, none, none),
        |it| tallies(it.must, it.should, it.decided_must, it.decided_should),
    )
}

fn requirements(profile: &ProfileReport) -> Vec<RequirementVerdict> {
    let rows = profile.requirements.iter();
    rows.map(|row| RequirementVerdict {
        id: row.id.clone(),
        level: row.weight(),
        status: String::from(RequirementStatus::name(row.status)),
    })
    .collect()
}

fn runs(reports: &[CaseReport]) -> Vec<Run> {
    let reports = reports.iter();
    reports
        .map(|report| Run {
            case: report.case.clone(),
            runs: report.seeds,
            verdict: String::from(report.verdict.name()),
            trace: report.trace_hash.clone(),
        })
        .collect()
}

/// Many runs as one entry: the verdict of the first that is bad, and a hash over all.
fn together(what: &str, reports: &[CaseReport]) -> Option<Run> {
    let first = reports.first()?;
    let bad = reports.iter().find(|report| report.verdict.is_bad()).unwrap_or(first);
    let mut hash = blake3::Hasher::new();
    for run in runs(reports) {
        hash.update(format!("{} {} {}\n", run.case, run.verdict, run.trace).as_bytes());
    }
    let (verdict, trace) = (String::from(bad.verdict.name()), hash.finalize().to_hex()[..16].to_string());
    Some(Run { case: format!("{} {what}", first.profile), runs: reports.len() as u64, verdict, trace })
}

/// A hash over the scenarios of these cases and the requirements of their protocol: what an implementation is measured by.
pub(super) fn suite_hash(cases: &[Case]) -> String {
    let mut hash = blake3::Hasher::new();
    let mut seen = BTreeSet::new();
    for case in cases.iter().filter(|case| seen.insert(case.scenario.id.clone())) {
        hash.update(case.scenario.id.as_bytes());
        hash.update(case.scenario.text.as_bytes());
    }
    for requirement in cases.first().map(|case| case.protocol.requirements).unwrap_or_default() {
        hash.update(format!("{} {} {}\n", requirement.id, requirement.level, requirement.text).as_bytes());
    }
    hash.finalize().to_hex()[..32].to_string()
}
