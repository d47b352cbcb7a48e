//! `explain`: one requirement in full.

use super::arguments::ExplainArguments;
use super::output::{Answer, DIM, Format, HEAD, Stop, WARN, complain, json_lines};
use super::{catalogue, list};
use crate::nearest::{did_you_mean, nearest};
use kit::{Check, Knows, Level, Mutant, Protocol, Requirement, Variant};
use serde::Serialize;
use std::io::Write;
use std::path::Path;

/// So many scenarios are named.
const SHOWN: usize = 12;

/// Prints what the requirement says, how a violation shows, which scenarios cover it and which mutants prove its check.
pub(super) fn explain(
    arguments: &ExplainArguments,
    protocols: &[&'static Protocol],
    scenarios: Option<&Path>,
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let (protocol, requirement) = find(&arguments.requirement, protocols)?;
    // The statement is of use without the scenarios: a fault in them is said and passed over.
    let cases = match catalogue::folder(scenarios).and_then(|folder| catalogue::cases(&folder)) {
        Ok(cases) => Some(cases),
        Err(stop) => {
            complain(WARN, "remark", format!("scenarios are not listed: {stop}"));
            None
        }
    };
    let covering = cases.as_deref().map(|cases| list::covered_by(protocol, requirement, cases, scenarios.is_some()));
    print(protocol, requirement, covering, format, out)?;
    Ok(0)
}

fn print(
    protocol: &Protocol,
    requirement: &Requirement,
    scenarios: Option<Vec<&str>>,
    format: Format,
    out: &mut dyn Write,
) -> Result<(), Stop> {
    let mutants = protocol.mutants_of(requirement);
    let concerns = |variant: &&'static Variant| {
        let mut named = variant.waives.iter().chain(&variant.takes);
        named.any(|named| named.id == requirement.id)
    };
    let checks: Vec<&Check> = protocol.checks_of(requirement).collect();
    let variants = protocol.variants().filter(concerns).collect();
    let explained = Explained { protocol, requirement, variants, checks, scenarios, mutants: mutants.collect() };
    format.say(&explained, out)
}

/// A requirement, and all that there is about it.
struct Explained<'a> {
    protocol: &'a Protocol,
    requirement: &'a Requirement,
    variants: Vec<&'static Variant>,
    checks: Vec<&'a Check>,
    scenarios: Option<Vec<&'a str>>,
    mutants: Vec<&'static Mutant>,
}

/// It as a line of JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub(super) struct Line<'a> {
    id: &'a str,
    protocol: &'a str,
    level: String,
    role: String,
    text: &'a str,
    source: &'a str,
    observed: &'a str,
    profiles: Vec<&'a str>,
    errata: Option<&'a str>,
    engines: Option<&'a str>,
    untestable: Option<&'a str>,
    decided: Option<&'a str>,
    variants: Vec<VariantLine>,
    checks: Vec<&'a str>,
    law: Vec<String>,
    scenarios: Option<Vec<&'a str>>,
    mutants: Vec<MutantLine>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct VariantLine {
    name: &'static str,
    allows: &'static str,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct MutantLine {
    name: &'static str,
    role: String,
    differs: &'static str,
    scenario: &'static str,
    same_bug_as: Option<&'static str>,
}

impl Answer for Explained<'_> {
    fn human(&self, out: &mut dyn Write) -> Result<(), Stop> {
        human(out, self.requirement)?;
        if !self.variants.is_empty() {
            let may = self.requirement.level == Level::May;
            let title =
                if may { "Conforming variants that use it" } else { "Conforming variants that do not follow it" };
            let line = |variant: &&'static Variant| format!("{}: {}", variant.name, variant.allows);
            section(out, title, &self.variants.iter().map(line).collect::<Vec<_>>())?;
        }
        decisive(out, &self.checks)?;
        if let Some(scenarios) = &self.scenarios {
            covering(out, scenarios)?;
        }
        let mutants: Vec<String> = self.mutants.iter().map(|mutant| words(mutant)).collect();
        section(out, "Mutants that show that they fail", &mutants)
    }

    fn json(&self, out: &mut dyn Write) -> Result<(), Stop> {
        let Explained { protocol, requirement, .. } = *self;
        let variants = self.variants.iter().map(|it| VariantLine { name: it.name, allows: it.allows });
        let mutants = self.mutants.iter().map(|mutant| MutantLine {
            name: mutant.name,
            role: mutant.replacement.role.to_string(),
            differs: mutant.differs,
            scenario: mutant.scenario,
            same_bug_as: mutant.same_bug_as,
        });
        let line = Line {
            id: requirement.id,
            protocol: protocol.name,
            level: requirement.level.to_string(),
            role: requirement.role.to_string(),
            text: requirement.text,
            source: requirement.source,
            observed: requirement.observed,
            profiles: list::profiles_of(requirement, protocol),
            errata: requirement.errata,
            engines: requirement.engines,
            untestable: requirement.untestable,
            decided: requirement.decided,
            variants: variants.collect(),
            checks: self.checks.iter().map(|check| check.name).collect(),
            law: self.checks.iter().flat_map(|check| check.clauses).map(ToString::to_string).collect(),
            scenarios: self.scenarios.clone(),
            mutants: mutants.collect(),
        };
        json_lines(out, [line], list::Summary { requirements: 1 })
    }
}

/// What can fail for a requirement: its law as it stands, and the names of checks.
fn decisive(out: &mut dyn Write, checks: &[&Check]) -> Result<(), Stop> {
    let (laws, checks): (Vec<&Check>, Vec<&Check>) = checks.iter().partition(|check| !check.clauses.is_empty());
    for law in &laws {
        section(out, &format!("Its law{}", knows(law)), law.clauses)?;
    }
    if laws.is_empty() || !checks.is_empty() {
        let names = checks.iter().map(|check| format!("{}{}", check.name, knows(check)));
        section(out, "Checks that can fail for it", &names.collect::<Vec<_>>())?;
    }
    Ok(())
}

/// The scenarios that cover a requirement: as many names as one takes in at a glance.
fn covering(out: &mut dyn Write, scenarios: &[&str]) -> Result<(), Stop> {
    let shown = &scenarios[..scenarios.len().min(SHOWN)];
    let title = match scenarios.len() {
        0 | 1 => String::from("Scenarios that cover it"),
        all => format!("Scenarios that cover it: {all}"),
    };
    section(out, &title, shown)?;
    if shown.len() < scenarios.len() {
        writeln!(out, "  {DIM}… and {} more; `--format json` has them all{DIM:#}", scenarios.len() - shown.len())?;
    }
    Ok(())
}

/// A mutant, in a line.
fn words(mutant: &Mutant) -> String {
    let same_bug_as = mutant.same_bug_as.map(|bug| format!("; as in {bug}")).unwrap_or_default();
    let Mutant { name, replacement, scenario, differs, .. } = mutant;
    format!("{name} ({}, in {scenario}): {differs}{same_bug_as}", replacement.role)
}

/// What a check has to know beside the wire.
fn knows(check: &Check) -> String {
    let word = |knows: &Knows| match knows {
        Knows::World => "the server's commands",
        Knows::Limits => "limits of the scenario",
        Knows::Inside => "notes of the reference",
        Knows::ClientShows => "what clients show",
        Knows::ClientTalks => "what clients send themselves",
        Knows::ServerShows => "what the server shows",
        Knows::Silence => "that the server has what was sent to it",
        Knows::Time => "the time of each datagram",
        Knows::Headers => "the headers of datagrams",
        Knows::ClientSays => "what clients say",
    };
    let words: Vec<&str> = check.knows.iter().map(word).collect();
    if words.is_empty() { String::new() } else { format!(" (has to know {})", words.join(", ")) }
}

fn human(out: &mut dyn Write, requirement: &Requirement) -> Result<(), Stop> {
    write!(out, "{HEAD}{}{HEAD:#}  {}, {}", requirement.id, requirement.level, requirement.role)?;
    if let Some(profiles) = requirement.profiles {
        write!(out, ", {} only", profiles.join(", "))?;
    }
    writeln!(out)?;
    writeln!(out, "  {}", requirement.text)?;
    for (label, text) in requirement.notes() {
        writeln!(out, "{DIM}{:12}{DIM:#}{text}", format!("{label}:"))?;
    }
    Ok(())
}

fn section(out: &mut dyn Write, title: &str, lines: &[impl std::fmt::Display]) -> Result<(), Stop> {
    writeln!(out, "{HEAD}{title}{HEAD:#}")?;
    if lines.is_empty() {
        writeln!(out, "  none")?;
    }
    for line in lines {
        writeln!(out, "  {line}")?;
    }
    Ok(())
}

fn find(id: &str, protocols: &[&'static Protocol]) -> Result<(&'static Protocol, &'static Requirement), Stop> {
    for &protocol in protocols {
        if let Some(requirement) = protocol.requirements.iter().find(|it| it.id.eq_ignore_ascii_case(id)) {
            return Ok((protocol, requirement));
        }
    }
    let all = protocols.iter().flat_map(|protocol| protocol.requirements).map(|requirement| requirement.id);
    let near = nearest(id, all);
    let hint = did_you_mean(&near);
    Err(Stop::Usage(format!("no requirement `{id}`{hint}; `deltaproof list --requirements` prints them all")))
}

#[cfg(test)]
mod tests {
    use super::super::invented::{A, B};
    use super::*;

    #[track_caller]
    fn check(id: &str, format: Format, expected: Result<&str, &str>) {
        let covering = |id: &str| if id == "LET-NUM-01" { vec!["letters/count"] } else { Vec::new() };
        let actual = find(id, &[&A, &B]).and_then(|(protocol, requirement)| {
            let mut out = Vec::new();
            print(protocol, requirement, Some(covering(requirement.id)), format, &mut out)?;
            Ok(anstream::adapter::strip_str(&String::from_utf8_lossy(&out)).to_string())
        });
        assert_eq!(actual.map_err(|stop| stop.to_string()), expected.map(str::to_string).map_err(str::to_string));
    }

    #[test]
    fn everything_known_about_a_requirement_is_printed() {
        check(
            "let-num-01",
            Format::Human,
            Ok("LET-NUM-01  MUST, server\n  Count the numbers.\n\
                source:     Numbers, paragraph 1\nobserved:   wire: the count\n\
                Checks that can fail for it\n  numbers-are-counted (has to know the server's commands)\n\
                Scenarios that cover it\n  letters/count\n\
                Mutants that show that they fail\n  miscounts (server, in letters/count): counts one too many; \
                as in an engine, first version\n"),
        );
        check(
            "LET-NUM-02",
            Format::Human,
            Ok("LET-NUM-02  SHOULD NOT, client\n  Wait for numbers.\n\
                source:     Numbers, paragraph 2\nobserved:   state\n\
                Conforming variants that do not follow it\n  waits: waits for numbers, against advice\n\
                Checks that can fail for it\n  none\nScenarios that cover it\n  none\nMutants that show that they fail\n  none\n"),
        );
        check(
            "LET-NUM-03",
            Format::Human,
            Ok("LET-NUM-03  MUST, both, letters-b only\n  Be quick.\n\
                source:     Numbers, paragraph 3\ndecided by: LETTERS-1\nobserved:   state\n\
                errata:     quick is not defined\nengines:    the first engine is slow\n\
                untestable: there is no clock\n\
                Checks that can fail for it\n  none\nScenarios that cover it\n  none\nMutants that show that they fail\n  none\n"),
        );
    }

    #[test]
    fn a_law_is_printed_as_it_stands() {
        let mut out = Vec::new();
        let (protocol, requirement) =
            find("SKL-NUM-01", &[&skeleton::PROTOCOL]).unwrap_or_else(|stop| panic!("{stop}"));
        print(protocol, requirement, None, Format::Human, &mut out).unwrap_or_else(|stop| panic!("{stop}"));
        let printed = anstream::adapter::strip_str(&String::from_utf8_lossy(&out)).to_string();
        let right = "Its law (has to know what the server shows)\n  Sends { number, .. } if s.session.newest_sent != 0: \
            number > s.session.newest_sent, else \"snapshot {number} follows {}\", s.session.newest_sent\nMutants";
        assert!(printed.contains(right) && !printed.contains("observed"), "{printed}");
    }

    #[test]
    fn json_says_the_same() {
        check(
            "LET-NUM-01",
            Format::Json,
            Ok("{\"id\":\"LET-NUM-01\",\"protocol\":\"letters-a\",\"level\":\"MUST\",\"role\":\"server\",\
                 \"text\":\"Count the numbers.\",\"source\":\"Numbers, paragraph 1\",\
                 \"observed\":\"wire: the count\",\"profiles\":[\"letters-a\"],\"errata\":null,\
                 \"engines\":null,\"untestable\":null,\"decided\":null,\"variants\":[],\
                 \"checks\":[\"numbers-are-counted\"],\"law\":[],\"scenarios\":[\"letters/count\"],\
                 \"mutants\":[{\"name\":\"miscounts\",\"role\":\"server\",\
                 \"differs\":\"counts one too many\",\"scenario\":\"letters/count\",\"same_bug_as\":\"an engine, first version\"}]}\n\
             {\"summary\":{\"requirements\":1}}\n"),
        );
    }

    #[test]
    fn an_unknown_requirement_suggests_the_nearest() {
        check(
            "LET-NUM-3",
            Format::Human,
            Err("no requirement `LET-NUM-3`; did you mean LET-NUM-03, LET-NUM-01, LET-NUM-02?; \
                 `deltaproof list --requirements` prints them all"),
        );
    }
}
