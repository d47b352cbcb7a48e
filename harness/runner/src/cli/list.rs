//! `list`: the cases, the requirements, the conforming variants, or the words that scenarios use.

use super::arguments::ListArguments;
use super::catalogue::{self, Case};
use super::output::{Answer, DIM, Format, Last, Stop, WARN, complain, json_line, json_lines};
use super::words;
use crate::coverage;
use kit::{Protocol, Requirement};
use serde::Serialize;
use std::io::Write;
use std::path::Path;

/// Prints one line per case, or with `--requirements` one per requirement, with `--variants` one per variant, with `--words`
/// one per word.
pub(super) fn list(
    arguments: &ListArguments,
    protocols: &[&'static Protocol],
    scenarios: Option<&Path>,
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let filters: Vec<String> = arguments.filters.iter().map(|filter| filter.to_ascii_lowercase()).collect();
    // What a scenario can say, and which variants there are, does not depend on what the present ones do.
    let (listed, what, all) = if arguments.words {
        (words::print(protocols, &filters, format, out)?, "word", "list --words")
    } else if arguments.variants {
        (variants(protocols, &filters, format, out)?, "variant", "list --variants")
    } else if arguments.requirements {
        let folder = catalogue::folder(scenarios);
        let cases = folder.and_then(|folder| catalogue::cases(&folder)).unwrap_or_else(|stop| {
            complain(WARN, "remark", format!("what covers a requirement is not counted: {stop}"));
            Vec::new()
        });
        let own = scenarios.is_some();
        (requirements(protocols, &cases, own, &filters, format, out)?, "requirement", "list --requirements")
    } else {
        let (cases, mistakes) = catalogue::readable(&catalogue::folder(scenarios)?)?;
        let listed = print_cases(&cases, &filters, format, out)?;
        if !mistakes.is_empty() {
            out.flush()?;
            return Err(Stop::Scenarios(mistakes));
        }
        (listed, "case", "list")
    };
    if listed == 0 && !filters.is_empty() {
        let filters = filters.join("`, `");
        return Err(Stop::Usage(format!("no {what} matches `{filters}`; `deltaproof {all}` prints them all")));
    }
    Ok(0)
}

/// Cases, a line each.
struct Cases<'a>(Vec<&'a Case>);

/// How many there are.
#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub(super) struct CasesSummary {
    cases: usize,
}

impl Answer for Cases<'_> {
    fn human(&self, out: &mut dyn Write) -> Result<(), Stop> {
        let width = self.0.iter().map(|case| case.name.chars().count()).max().unwrap_or(0);
        for case in &self.0 {
            writeln!(out, "{:width$}  {}", case.name, case.title)?;
        }
        Ok(())
    }

    fn json(&self, out: &mut dyn Write) -> Result<(), Stop> {
        json_lines(out, &self.0, CasesSummary { cases: self.0.len() })
    }
}

fn print_cases(cases: &[Case], filters: &[String], format: Format, out: &mut dyn Write) -> Result<usize, Stop> {
    let chosen = cases.iter().filter(|case| contains(filters, &[case.name.as_str(), case.title.as_str()]));
    let chosen = Cases(chosen.collect());
    format.say(&chosen, out)?;
    Ok(chosen.0.len())
}

/// A requirement, and what is there for it.
#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub(super) struct Row<'a> {
    id: &'a str,
    role: String,
    level: String,
    /// `covered`, `uncovered` or `untestable`.
    status: &'a str,
    untestable: Option<&'a str>,
    profiles: Vec<&'a str>,
    decided: Option<&'a str>,
    text: &'a str,
    scenarios: Vec<&'a str>,
    named_by: Vec<&'a str>,
    mutants: Vec<&'a str>,
    #[serde(skip)]
    of: &'a Requirement,
}

/// How many there are.
#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub(super) struct Summary {
    pub requirements: usize,
}

impl Answer for Row<'_> {
    fn human(&self, out: &mut dyn Write) -> Result<(), Stop> {
        let requirement = self.of;
        let covered = match requirement.untestable {
            Some(_) => String::from("untestable"),
            None => {
                format!("{} {}", count_of(self.scenarios.len(), "scenario"), count_of(self.mutants.len(), "mutant"))
            }
        };
        write!(
            out,
            "{:12} {:10} {:6} {covered:24}  {DIM}{}{DIM:#}",
            requirement.id, requirement.level, requirement.role, requirement.text
        )?;
        if let Some(profiles) = requirement.profiles {
            write!(out, "  ({} only)", profiles.join(", "))?;
        }
        if let Some(profile) = requirement.decided {
            write!(out, "  (decided by {profile})")?;
        }
        if let Some(why) = requirement.untestable {
            write!(out, "  (untestable: {why})")?;
        }
        Ok(writeln!(out)?)
    }

    fn json(&self, out: &mut dyn Write) -> Result<(), Stop> {
        json_line(out, self)
    }
}

fn requirements(
    protocols: &[&'static Protocol],
    cases: &[Case],
    own: bool,
    filters: &[String],
    format: Format,
    out: &mut dyn Write,
) -> Result<usize, Stop> {
    let mut count = 0;
    for protocol in protocols {
        for requirement in protocol.requirements {
            if !contains(filters, &[requirement.id, requirement.text]) {
                continue;
            }
            count += 1;
            let scenarios = covered_by(protocol, requirement, cases, own);
            let mutants: Vec<&str> = protocol.mutants_of(requirement).map(|mutant| mutant.name).collect();
            let row = Row {
                id: requirement.id,
                role: requirement.role.to_string(),
                level: requirement.level.to_string(),
                status: status(requirement, &scenarios),
                untestable: requirement.untestable,
                profiles: profiles_of(requirement, protocol),
                decided: requirement.decided,
                text: requirement.text,
                named_by: named_by(requirement, cases),
                scenarios,
                mutants,
                of: requirement,
            };
            format.say(&row, out)?;
        }
    }
    if !format.is_for_people() {
        json_line(out, &Last { summary: Summary { requirements: count } })?;
    }
    Ok(count)
}

/// ` 12 scenarios`, `  1 scenario `: as wide for one as for many.
fn count_of(count: usize, what: &str) -> String {
    format!("{count:>3} {what}{}", if count == 1 { " " } else { "s" })
}

/// Whether scenarios cover the requirement, or no run can.
fn status(requirement: &Requirement, scenarios: &[&str]) -> &'static str {
    match (requirement.untestable, scenarios.is_empty()) {
        (Some(_), _) => "untestable",
        (None, true) => "uncovered",
        (None, false) => "covered",
    }
}

/// The profiles that the requirement binds.
pub(super) fn profiles_of(requirement: &Requirement, protocol: &Protocol) -> Vec<&'static str> {
    let bound = protocol.profiles.iter().filter(|profile| requirement.applies_to(profile.name));
    bound.map(|profile| profile.name).collect()
}

/// A conforming variant.
#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub(super) struct VariantLine {
    variant: String,
    role: String,
    allows: &'static str,
    /// Recommendations that it does not follow.
    waives: Vec<&'static str>,
}

/// How many there are.
#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub(super) struct VariantsSummary {
    variants: usize,
}

/// Conforming variants, a line each.
struct Variants(Vec<VariantLine>);

impl Answer for Variants {
    fn human(&self, out: &mut dyn Write) -> Result<(), Stop> {
        let width = self.0.iter().map(|line| line.variant.chars().count()).max().unwrap_or(0);
        for VariantLine { variant, role, allows, waives } in &self.0 {
            let without = if waives.is_empty() { String::new() } else { format!("; without {}", waives.join(", ")) };
            writeln!(out, "{variant:width$}  {role:6}  {allows}{without}")?;
        }
        Ok(())
    }

    fn json(&self, out: &mut dyn Write) -> Result<(), Stop> {
        json_lines(out, &self.0, VariantsSummary { variants: self.0.len() })
    }
}

fn variants(
    protocols: &[&'static Protocol],
    filters: &[String],
    format: Format,
    out: &mut dyn Write,
) -> Result<usize, Stop> {
    let all = protocols.iter().flat_map(|protocol| protocol.variants().map(move |variant| (*protocol, variant)));
    let named = all.map(|(protocol, variant)| (format!("{}/{}", protocol.name, variant.name), variant));
    let chosen = named.filter(|(name, variant)| contains(filters, &[name, variant.allows]));
    let lines = chosen.map(|(name, variant)| VariantLine {
        variant: name,
        role: variant.replacement.role.to_string(),
        allows: variant.allows,
        waives: variant.waives.iter().map(|requirement| requirement.id).collect(),
    });
    let variants = Variants(lines.collect());
    format.say(&variants, out)?;
    Ok(variants.0.len())
}

/// The scenarios that cover `requirement`, each once, in order. Of somebody's `own`, it is known only what they name.
pub(super) fn covered_by<'a>(
    protocol: &Protocol,
    requirement: &Requirement,
    cases: &'a [Case],
    own: bool,
) -> Vec<&'a str> {
    let same = |one: &Case, other: &Case| one.scenario == other.scenario;
    let scenarios: Vec<coverage::Scenario<'a>> = cases
        .chunk_by(same)
        .map(|cases| (cases[0].scenario.as_str(), cases.iter().map(|case| case.profile.as_str()).collect()))
        .collect();
    let known = if own { None } else { coverage::covering(protocol, requirement, &scenarios) };
    known.unwrap_or_else(|| named_by(requirement, cases))
}

/// The scenarios that name `requirement` as what they are about, each once, in order.
pub(super) fn named_by<'a>(requirement: &Requirement, cases: &'a [Case]) -> Vec<&'a str> {
    let lists = |case: &&Case| case.requirements.iter().any(|id| id == requirement.id);
    let mut scenarios: Vec<&str> = cases.iter().filter(lists).map(|case| case.scenario.as_str()).collect();
    scenarios.sort_unstable();
    scenarios.dedup();
    scenarios
}

/// Whether one of `texts` has one of the `filters`, or there is none.
fn contains(filters: &[String], texts: &[&str]) -> bool {
    let texts: Vec<String> = texts.iter().map(|text| text.to_ascii_lowercase()).collect();
    filters.is_empty() || filters.iter().any(|filter| texts.iter().any(|text| text.contains(filter.as_str())))
}

#[cfg(test)]
mod tests {
    use super::super::invented::A;
    use super::*;

    fn case(name: &str, requirements: &[&str]) -> Case {
        let (scenario, profile) = name.split_once('@').expect("a case's name has a profile");
        Case {
            name: name.to_string(),
            scenario: scenario.to_string(),
            profile: profile.to_string(),
            variant: String::new(),
            title: format!("About {scenario}"),
            requirements: requirements.iter().map(|id| id.to_string()).collect(),
        }
    }

    fn check(filters: &[&str], format: Format, expected: &str) {
        let cases = [case("fte/reset-lost@fte-nq", &["FTE-RST-01"]), case("fte/ack@fte-qw", &[])];
        let mut out = Vec::new();
        let filters: Vec<String> = filters.iter().map(|filter| filter.to_string()).collect();
        print_cases(&cases, &filters, format, &mut out).expect("writes to memory");
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }

    #[test]
    fn cases_are_listed_with_their_titles() {
        check(
            &[],
            Format::Human,
            "fte/reset-lost@fte-nq  About fte/reset-lost\nfte/ack@fte-qw         About fte/ack\n",
        );
        check(&["ack"], Format::Human, "fte/ack@fte-qw  About fte/ack\n");
        let both = "fte/reset-lost@fte-nq  About fte/reset-lost\nfte/ack@fte-qw         About fte/ack\n";
        check(&["reset", "ack"], Format::Human, both);
    }

    #[test]
    fn requirements_are_listed_with_what_covers_them() {
        let cases = [case("letters/count@letters-a", &["LET-NUM-01"]), case("letters/count@x", &["LET-NUM-01"])];
        let run = |format| {
            let mut out = Vec::new();
            requirements(&[&A], &cases, false, &[String::from("num-0")], format, &mut out).expect("writes to memory");
            anstream::adapter::strip_str(&String::from_utf8_lossy(&out)).to_string()
        };
        assert_eq!(
            run(Format::Human),
            "LET-NUM-01   MUST       server   1 scenario    1 mutant   Count the numbers.\n\
             LET-NUM-02   SHOULD NOT client   0 scenarios   0 mutants  Wait for numbers.\n\
             LET-NUM-03   MUST       both   untestable                Be quick.  (letters-b only)  \
             (decided by LETTERS-1)  (untestable: there is no clock)\n"
        );
        assert_eq!(
            run(Format::Json),
            "{\"id\":\"LET-NUM-01\",\"role\":\"server\",\"level\":\"MUST\",\"status\":\"covered\",\
             \"untestable\":null,\"profiles\":[\"letters-a\"],\"decided\":null,\"text\":\"Count the numbers.\",\"scenarios\":[\"letters/count\"],\"named_by\":[\"letters/count\"],\"mutants\":[\"miscounts\"]}\n\
             {\"id\":\"LET-NUM-02\",\"role\":\"client\",\"level\":\"SHOULD NOT\",\"status\":\"uncovered\",\
             \"untestable\":null,\"profiles\":[\"letters-a\"],\"decided\":null,\"text\":\"Wait for numbers.\",\"scenarios\":[],\"named_by\":[],\"mutants\":[]}\n\
             {\"id\":\"LET-NUM-03\",\"role\":\"both\",\"level\":\"MUST\",\"status\":\"untestable\",\
             \"untestable\":\"there is no clock\",\"profiles\":[],\"decided\":\"LETTERS-1\",\"text\":\"Be quick.\",\"scenarios\":[],\"named_by\":[],\"mutants\":[]}\n\
             {\"summary\":{\"requirements\":3}}\n"
        );
    }

    #[test]
    fn json_ends_with_a_summary() {
        check(
            &["reset"],
            Format::Json,
            "{\"case\":\"fte/reset-lost@fte-nq\",\"scenario\":\"fte/reset-lost\",\"profile\":\"fte-nq\",\
             \"variant\":\"\",\"title\":\"About fte/reset-lost\",\"requirements\":[\"FTE-RST-01\"]}\n\
             {\"summary\":{\"cases\":1}}\n",
        );
    }
}
