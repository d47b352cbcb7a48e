//! `mutants`: the kill matrix.

use super::arguments::MutantsArguments;
use super::catalogue;
use super::interrupt;
use super::output::{Answer, BAD, DIM, Format, GOOD, HEAD, Stop, WARN, complain, json_lines, many};
use super::progress::Bar;
use super::{profile, start_shim};
use crate::foreign::Foreign;
use crate::kill::{self, Cover, Fate, Matrix, ProfileKills, Row, Selection, group};
use crate::nearest::{did_you_mean, nearest};
use crate::suite;
use kit::{Knowledge, Protocol};
use serde::Serialize;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// Ids stand on lines of at most so many characters.
const WIDTH: usize = 110;

/// Runs the mutants and prints what became of each. Returns 1 if one is alive or an obligation has none.
pub(super) fn mutants(
    arguments: &MutantsArguments,
    protocols: &[&'static Protocol],
    scenarios: Option<&Path>,
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    arguments.profile.as_ref().map(|name| profile(protocols, name)).transpose()?;
    let selection = Selection {
        filters: arguments.filters.clone(),
        profile: arguments.profile.clone(),
        jobs: arguments.jobs,
        knowledge: arguments.knowledge,
        scenario: arguments.scenario.clone(),
        opposite: opposite(arguments)?,
        disregarded: None,
        stop: Some(interrupt::came),
    };
    interrupt::listen();
    let cases = suite::cases_for(None, &catalogue::folder(scenarios)?, |id| selection.needs(protocols, id))?;
    if let Some(wrong) = selection.scenario.as_ref().filter(|name| cases.iter().all(|case| case.scenario.id != **name))
    {
        let hint = did_you_mean(&nearest(wrong, cases.iter().map(|case| case.scenario.id.as_str())));
        return Err(Stop::Usage(format!("no scenario `{wrong}`{hint}")));
    }
    let matrix = {
        let bar = Bar::new();
        kill::matrix(protocols, &cases, &selection, &|done, total, what| bar.set(done, total, what))
            .map_err(|misplaced| Stop::Harness(misplaced.to_string()))?
    };
    if matrix.rows.is_empty() && !selection.filters.is_empty() {
        return Err(Stop::Usage(no_match(&selection, protocols)));
    }
    format.say(&matrix, out)?;
    if matrix.left > 0 {
        complain(DIM, "ended", format!("interrupted; {} were not run", many(matrix.left, "mutant")));
        return Ok(interrupt::EXIT_CODE);
    }
    // Not every fault shows on the wire alone: the rate is what is asked for then.
    Ok(if arguments.knowledge == Knowledge::World && arguments.shim.is_none() { matrix.exit_code() } else { 0 })
}

/// What is to be at the other end of the mutants, if not the reference.
fn opposite(arguments: &MutantsArguments) -> Result<Option<Arc<Foreign>>, Stop> {
    let Some(command) = &arguments.shim else { return Ok(None) };
    start_shim(command, arguments.role, &arguments.talk).map(Arc::new).map(Some)
}

fn no_match(selection: &Selection, protocols: &[&'static Protocol]) -> String {
    let all = || protocols.iter().flat_map(|protocol| protocol.mutants());
    let names = || all().flat_map(|mutant| [mutant.name, mutant.caught_by.id, mutant.scenario]);
    let mut near: Vec<&str> = selection.filters.iter().flat_map(|filter| nearest(filter, names())).collect();
    near.dedup();
    let hint = did_you_mean(&near);
    let filters = selection.filters.join(" ");
    match &selection.profile {
        Some(profile) => {
            format!("no mutant of {profile} matches `{filters}`{hint}; `deltaproof mutants` runs them all")
        }
        None => format!("no mutant matches `{filters}`{hint}; `deltaproof mutants` runs them all"),
    }
}

/// A line per row, then per group of requirements, then the obligations without a mutant, then a line per profile.
fn human(matrix: &Matrix, out: &mut dyn Write) -> Result<(), Stop> {
    let width = |text: fn(&Row) -> usize| matrix.rows.iter().map(text).max().unwrap_or(0);
    let (name, profile) = (width(|row| row.mutant.name.len()), width(|row| row.profile.name.len()));
    let (id, scenario) = (width(|row| row.mutant.caught_by.id.len()), width(|row| row.mutant.scenario.len()));
    for row in &matrix.rows {
        let (verdict, style) = if row.killed() { ("killed", GOOD) } else { ("ALIVE ", BAD) };
        let mutant = row.mutant;
        write!(
            out,
            "{style}{verdict}{style:#}  {:name$}  {:profile$}  {}  {:id$}  {:scenario$}  {}",
            mutant.name,
            row.profile.name,
            mutant.replacement.role,
            mutant.caught_by.id,
            mutant.scenario,
            outcome(row)
        )?;
        if let Some(bug) = mutant.same_bug_as {
            write!(out, "  {DIM}same_bug_as {bug}{DIM:#}")?;
        }
        writeln!(out)?;
        if let Fate::Alive { instead, .. } = &row.fate {
            for (id, what) in instead {
                writeln!(out, "        {DIM}{id} {what}{DIM:#}")?;
            }
        }
    }
    groups(matrix, out)?;
    for kills in &matrix.profiles {
        let Some(cover) = kills.cover.as_ref().filter(|cover| !cover.without.is_empty()) else { continue };
        writeln!(out, "\n{WARN}{} MUST requirements without a mutant{WARN:#}", kills.profile.name)?;
        ids(cover, out)?;
    }
    writeln!(out)?;
    // Of a selection, the profiles that it is of.
    for kills in matrix.profiles.iter().filter(|kills| kills.total > 0 || kills.cover.is_some()) {
        last_line(kills, out)?;
    }
    Ok(())
}

fn outcome(row: &Row) -> String {
    match &row.fate {
        Fate::Killed { seed, findings, .. } => {
            let plural = if *findings == 1 { "" } else { "s" };
            let all = if row.cases > 1 { format!(", in all {} variants", row.cases) } else { String::new() };
            format!("seed {seed}, {findings} finding{plural}{all}")
        }
        Fate::Alive { case, instead } => {
            let found: Vec<&str> = instead.iter().map(|(id, _)| *id).collect();
            let found =
                if found.is_empty() { String::from("no finding") } else { format!("found {}", found.join(", ")) };
            if row.cases > 1 { format!("{found} in {case}") } else { found }
        }
    }
}

fn groups(matrix: &Matrix, out: &mut dyn Write) -> Result<(), Stop> {
    let width = matrix.groups.iter().map(|group| group.len()).max().unwrap_or(0);
    writeln!(out)?;
    for &name in &matrix.groups {
        let rows = || matrix.rows.iter().filter(|row| group(row.mutant.caught_by.id) == name);
        let killed = rows().filter(|row| row.killed()).count();
        let counts = matrix.profiles.iter().filter_map(|kills| {
            let cover = kills.cover.as_ref()?;
            let with = cover.with.iter().filter(|requirement| group(requirement.id) == name).count();
            let without = cover.without.iter().filter(|requirement| group(requirement.id) == name).count();
            (with + without > 0).then_some((kills.profile.name, with, with + without))
        });
        let (all, counts) = (rows().count(), counts.collect::<Vec<_>>());
        // Nothing of it was selected, or no mutant can violate it.
        if all == 0 && counts.is_empty() {
            continue;
        }
        write!(out, "{HEAD}{name:width$}{HEAD:#}  {killed}/{all} killed")?;
        for (profile, with, all) in counts {
            write!(out, "  {profile} {with}/{all} MUST requirements")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn ids(cover: &Cover, out: &mut dyn Write) -> Result<(), Stop> {
    let mut line = String::from(" ");
    for requirement in &cover.without {
        if line.len() + 1 + requirement.id.len() > WIDTH {
            writeln!(out, "{line}")?;
            line = String::from(" ");
        }
        line.push(' ');
        line.push_str(requirement.id);
    }
    writeln!(out, "{line}")?;
    Ok(())
}

fn last_line(kills: &ProfileKills, out: &mut dyn Write) -> Result<(), Stop> {
    let good = kills.killed == kills.total && kills.cover.as_ref().is_none_or(|cover| cover.without.is_empty());
    let style = if good { GOOD } else { BAD };
    write!(out, "{style}{}: {}/{} mutants killed", kills.profile.name, kills.killed, kills.total)?;
    let per_kill = kills.suspects as f64 / kills.killed.max(1) as f64;
    write!(out, ", {} named first, {per_kill:.2} requirements per kill", kills.first)?;
    if let Some(cover) = &kills.cover {
        let (with, without) = (cover.with.len(), cover.without.len());
        write!(out, "; {with}/{} MUST requirements have a mutant ({without} without)", with + without)?;
    }
    write!(out, "{style:#}")?;
    if let Some(cover) = &kills.cover {
        write!(out, "  {DIM}{} not applicable, {} untestable{DIM:#}", cover.not_applicable, cover.untestable)?;
    }
    writeln!(out)?;
    Ok(())
}

/// A mutant, and what became of it.
#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub(super) struct Line<'a> {
    mutant: &'a str,
    profile: &'a str,
    role: String,
    /// What it breaks.
    requirement: &'a str,
    killed: bool,
    /// The requirement that was found violated, its own or another.
    killed_by: Option<&'a str>,
    scenario: &'a str,
    cases: usize,
    /// The engine that had the same bug.
    same_bug_as: Option<&'a str>,
    /// Of a killed one, all that the finding can mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    suspects: Option<Vec<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<usize>,
    /// Of one that is alive, the case in which it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    case: Option<&'a str>,
    /// What was found there instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    instead: Option<Vec<Instead<'a>>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct Instead<'a> {
    requirement: &'a str,
    what: &'a str,
}

/// All of them: one that was found to violate something else only is killed elsewhere, one of which nothing was found is alive.
#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub(super) struct Summary<'a> {
    total: usize,
    killed: usize,
    killed_elsewhere: usize,
    alive: usize,
    profiles: Vec<KillsLine<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct KillsLine<'a> {
    profile: &'a str,
    total: usize,
    killed: usize,
    /// Killed by a finding that names the requirement first.
    named_first: usize,
    /// Requirements that all those findings name.
    suspects: usize,
    /// Which MUST requirements have a mutant; of a selection of mutants it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    must: Option<CoverLine<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
struct CoverLine<'a> {
    with: usize,
    without: Vec<&'a str>,
    not_applicable: usize,
    untestable: usize,
}

impl Answer for Matrix {
    fn human(&self, out: &mut dyn Write) -> Result<(), Stop> {
        human(self, out)
    }

    fn json(&self, out: &mut dyn Write) -> Result<(), Stop> {
        let count = |of: fn(&Row) -> bool| self.rows.iter().filter(|row| of(row)).count();
        let profiles = self.profiles.iter().map(|kills| KillsLine {
            profile: kills.profile.name,
            total: kills.total,
            killed: kills.killed,
            named_first: kills.first,
            suspects: kills.suspects,
            must: kills.cover.as_ref().map(|cover| CoverLine {
                with: cover.with.len(),
                without: cover.without.iter().map(|requirement| requirement.id).collect(),
                not_applicable: cover.not_applicable,
                untestable: cover.untestable,
            }),
        });
        let summary = Summary {
            total: self.rows.len(),
            killed: count(Row::killed),
            killed_elsewhere: count(|row| !row.killed() && row.killed_by().is_some()),
            alive: count(|row| row.killed_by().is_none()),
            profiles: profiles.collect(),
        };
        json_lines(out, self.rows.iter().map(line), summary)
    }
}

fn line(row: &Row) -> Line<'_> {
    let line = Line {
        mutant: row.mutant.name,
        profile: row.profile.name,
        role: row.mutant.replacement.role.to_string(),
        requirement: row.mutant.caught_by.id,
        killed: row.killed(),
        killed_by: row.killed_by(),
        scenario: row.mutant.scenario,
        cases: row.cases,
        same_bug_as: row.mutant.same_bug_as,
        suspects: None,
        seed: None,
        findings: None,
        case: None,
        instead: None,
    };
    match &row.fate {
        Fate::Killed { seed, findings, suspects } => Line {
            suspects: Some(suspects.iter().map(|suspect| suspect.id).collect()),
            seed: Some(*seed),
            findings: Some(*findings),
            ..line
        },
        Fate::Alive { case, instead } => {
            let instead = instead.iter().map(|(id, what)| Instead { requirement: id, what });
            Line { case: Some(case), instead: Some(instead.collect()), ..line }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::invented::{A, B};
    use super::*;

    /// The invented mutant twice: killed, and alive.
    fn matrix() -> Matrix {
        let mutant = &A.mutants[0][0];
        let row = |cases, fate| Row { mutant, profile: &A.profiles[0], cases, fate };
        let instead = vec![("LET-NUM-02", String::from("client1 at 1.000000s: waited"))];
        let cover =
            Cover { with: vec![A.requirements[0]], without: vec![A.requirements[1]], not_applicable: 3, untestable: 4 };
        let of = |profile, cover| ProfileKills { profile, total: 2, killed: 1, first: 1, suspects: 1, cover };
        Matrix {
            rows: vec![
                row(2, Fate::Killed { seed: 7, findings: 1, suspects: A.requirements[0].into() }),
                row(1, Fate::Alive { case: String::from("letters/count@letters-a"), instead }),
                row(1, Fate::Alive { case: String::from("letters/count@letters-a"), instead: Vec::new() }),
            ],
            profiles: vec![of(&A.profiles[0], Some(cover)), of(&B.profiles[0], None)],
            groups: vec!["LET-NUM"],
            left: 0,
        }
    }

    #[track_caller]
    fn check(format: Format, expected: &str) {
        let mut out = Vec::new();
        format.say(&matrix(), &mut out).expect("writes to memory");
        assert_eq!(anstream::adapter::strip_str(&String::from_utf8_lossy(&out)).to_string(), expected);
    }

    #[test]
    fn the_matrix_is_followed_by_groups_gaps_and_a_line_per_profile() {
        check(
            Format::Human,
            "killed  miscounts  letters-a  server  LET-NUM-01  letters/count  seed 7, 1 finding, in all 2 variants  \
             same_bug_as an engine, first version\n\
             ALIVE   miscounts  letters-a  server  LET-NUM-01  letters/count  found LET-NUM-02  \
             same_bug_as an engine, first version\n\
             \x20       LET-NUM-02 client1 at 1.000000s: waited\n\
             ALIVE   miscounts  letters-a  server  LET-NUM-01  letters/count  no finding  \
             same_bug_as an engine, first version\n\
             \n\
             LET-NUM  1/3 killed  letters-a 1/2 MUST requirements\n\
             \n\
             letters-a MUST requirements without a mutant\n\
             \x20 LET-NUM-02\n\
             \n\
             letters-a: 1/2 mutants killed, 1 named first, 1.00 requirements per kill; 1/2 MUST requirements have a mutant (1 without)  3 not applicable, 4 untestable\n\
             letters-b: 1/2 mutants killed, 1 named first, 1.00 requirements per kill\n",
        );
    }

    #[test]
    fn json_has_the_fixed_names() {
        check(
            Format::Json,
            "{\"mutant\":\"miscounts\",\"profile\":\"letters-a\",\"role\":\"server\",\"requirement\":\"LET-NUM-01\",\
             \"killed\":true,\"killed_by\":\"LET-NUM-01\",\"scenario\":\"letters/count\",\"cases\":2,\
             \"same_bug_as\":\"an engine, first version\",\"suspects\":[\"LET-NUM-01\"],\"seed\":7,\"findings\":1}\n\
             {\"mutant\":\"miscounts\",\"profile\":\"letters-a\",\"role\":\"server\",\"requirement\":\"LET-NUM-01\",\
             \"killed\":false,\"killed_by\":\"LET-NUM-02\",\"scenario\":\"letters/count\",\"cases\":1,\
             \"same_bug_as\":\"an engine, first version\",\"case\":\"letters/count@letters-a\",\
             \"instead\":[{\"requirement\":\"LET-NUM-02\",\"what\":\"client1 at 1.000000s: waited\"}]}\n\
             {\"mutant\":\"miscounts\",\"profile\":\"letters-a\",\"role\":\"server\",\"requirement\":\"LET-NUM-01\",\
             \"killed\":false,\"killed_by\":null,\"scenario\":\"letters/count\",\"cases\":1,\
             \"same_bug_as\":\"an engine, first version\",\"case\":\"letters/count@letters-a\",\"instead\":[]}\n\
             {\"summary\":{\"total\":3,\"killed\":1,\"killed_elsewhere\":1,\"alive\":1,\"profiles\":[{\
             \"profile\":\"letters-a\",\"total\":2,\"killed\":1,\"named_first\":1,\"suspects\":1,\
             \"must\":{\"with\":1,\"without\":[\"LET-NUM-02\"],\"not_applicable\":3,\"untestable\":4}},\
             {\"profile\":\"letters-b\",\"total\":2,\"killed\":1,\"named_first\":1,\"suspects\":1}]}}\n",
        );
    }

    #[test]
    fn what_is_alive_or_uncovered_is_no_success() {
        assert_eq!(matrix().exit_code(), 1);
        let mut good = matrix();
        good.rows.truncate(1);
        assert_eq!(good.exit_code(), 1, "an obligation has no mutant");
        good.profiles.remove(0);
        assert_eq!(good.exit_code(), 0);
    }

    #[test]
    fn unknown_names_suggest_the_nearest() {
        let profile = profile(&[&A, &B], "letters-c").map(|(_, profile)| profile.name).map_err(|stop| stop.to_string());
        let expected = "no profile `letters-c`; did you mean letters-a, letters-b?; known are letters-a, letters-b";
        assert_eq!(profile, Err(expected.to_string()));
        let selection = Selection { filters: vec![String::from("miscount5")], ..Selection::default() };
        assert_eq!(
            no_match(&selection, &[&A]),
            "no mutant matches `miscount5`; did you mean miscounts?; `deltaproof mutants` runs them all"
        );
    }
}
