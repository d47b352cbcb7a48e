//! `explore compare`: datagrams until mutants are killed, by strategy.

use super::super::catalogue;
use super::super::output::{Answer, DIM, Format, HEAD, Stop, json_line};
use super::super::progress::Bar;
use super::arguments::CompareArguments;
use crate::explore::compare::{Comparison, Cost, Row, Table, compare};
use crate::explore::guided::Strategy;
use crate::suite;
use kit::Protocol;
use serde_json::json;
use std::io::Write;
use std::path::Path;

/// Prints the table.
pub(super) fn table(
    arguments: &CompareArguments,
    protocols: &[&'static Protocol],
    scenarios: Option<&Path>,
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let cases = suite::all_cases(&catalogue::folder(scenarios)?)?;
    let CompareArguments { most, budget, repeat, jobs, .. } = *arguments;
    let comparison = Comparison { datagrams: budget, repeat, most, jobs };
    let wanted = |mutant: &kit::Mutant| {
        let names = [mutant.name, mutant.caught_by.id, mutant.scenario];
        let mut filters = arguments.filters.iter();
        arguments.filters.is_empty() || filters.any(|filter| names.iter().any(|name| name.contains(filter.as_str())))
    };
    let table = {
        let bar = Bar::new();
        compare(comparison, protocols, &cases, &wanted, &|what| bar.set(0, 0, what))
    };
    format.say(&Compared { table, budget }, out)?;
    Ok(0)
}

/// What each strategy took, of at most so many datagrams.
struct Compared {
    table: Table,
    budget: u64,
}

impl Answer for Compared {
    fn human(&self, out: &mut dyn Write) -> Result<(), Stop> {
        human(&self.table, self.budget, out)
    }

    fn json(&self, out: &mut dyn Write) -> Result<(), Stop> {
        json(&self.table, self.budget, out)
    }
}

/// How many of these rows a strategy kills, and the datagrams that it takes for all of them: `budget` for one that lives.
fn sums(rows: &[Row], budget: u64) -> [(usize, u64); 3] {
    let of = |index: usize| {
        let costs = || rows.iter().map(|row| row.costs[index]);
        (costs().flatten().count(), costs().map(|cost| cost.unwrap_or(budget)).sum())
    };
    [of(0), of(1), of(2)]
}

fn human(table: &Table, budget: u64, out: &mut dyn Write) -> Result<(), Stop> {
    let cost = |cost: &Cost| cost.map_or(String::from("-"), |datagrams| datagrams.to_string());
    writeln!(
        out,
        "{} mutants need no fault; of the others, random schedules kill {} within {budget} datagrams and {} not",
        table.without_faults, table.killed, table.alive
    )?;
    for (about, rows) in [("killed last by random schedules", &table.latest), ("not killed by them", &table.unkilled)] {
        if rows.is_empty() {
            continue;
        }
        writeln!(
            out,
            "\n{HEAD}{about}{HEAD:#}: datagrams until killed\n{:>10}{:>10}{:>11}",
            "random", "guided", "exhaustive"
        )?;
        for Row { mutant, case, costs: [random, guided, exhaustive] } in rows {
            let costs = [random, guided, exhaustive].map(cost);
            writeln!(out, "{:>10}{:>10}{:>11}  {}  {DIM}{case}{DIM:#}", costs[0], costs[1], costs[2], mutant.name)?;
        }
        for ((_, name), (killed, datagrams)) in Strategy::ALL.iter().zip(sums(rows, budget)) {
            writeln!(out, "{name}: {killed} of {} killed, {datagrams} datagrams for all", rows.len())?;
        }
    }
    Ok(())
}

fn json(table: &Table, budget: u64, out: &mut dyn Write) -> Result<(), Stop> {
    for row in table.latest.iter().chain(&table.unkilled) {
        let [random, guided, exhaustive] = row.costs;
        json_line(
            out,
            &json!({ "mutant": row.mutant.name, "case": row.case, "random": random, "guided": guided,
                "exhaustive": exhaustive }),
        )?;
    }
    let of = |rows: &[Row]| {
        let named = Strategy::ALL.iter().zip(sums(rows, budget));
        named.map(|((_, name), (killed, datagrams))| (*name, json!([killed, datagrams]))).collect::<Vec<_>>()
    };
    json_line(
        out,
        &json!({ "summary": { "without_faults": table.without_faults, "killed": table.killed, "alive": table.alive,
            "latest": of(&table.latest), "unkilled": of(&table.unkilled) } }),
    )
}
