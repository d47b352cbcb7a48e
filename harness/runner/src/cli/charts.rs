//! `compare`: the same world through several protocols, as charts and numbers.

use super::arguments::CompareArguments;
use super::output::{Answer, DIM, Format, HEAD, Stop, complain, json_lines};
use super::progress::Bar;
use crate::charts::{self, Measured, PROTOCOLS, Varied, World};
use crate::report::folder;
use serde::Serialize;
use std::io::Write;

/// Measures, prints a table, and writes `compare.svg` and `compare.csv`. Returns the exit code.
pub(super) fn compare(arguments: &CompareArguments, format: Format, out: &mut dyn Write) -> Result<u8, Stop> {
    let points = measure(arguments)?;
    format.say(&Chart { points: &points, entities: arguments.entities, seeds: arguments.runs }, out)?;
    out.flush()?;
    if let Some(folder) = &arguments.out {
        let failed = |error: folder::FolderError| Stop::Harness(error.to_string());
        std::fs::create_dir_all(folder)
            .map_err(|error| Stop::Harness(format!("cannot make {}: {error}", folder.display())))?;
        folder::write_file(&folder.join("compare.svg"), &charts::svg(&points, arguments.entities)).map_err(failed)?;
        folder::write_file(&folder.join("compare.csv"), &charts::csv(&points)).map_err(failed)?;
        complain(DIM, "charts", folder.join("compare.svg").display());
    }
    Ok(0)
}

fn measure(arguments: &CompareArguments) -> Result<Vec<(usize, Varied, u32, Measured)>, Stop> {
    let losses = charts::LOSSES_PERCENT.map(|loss| (Varied::Loss, loss, loss, charts::LATENCY_MS));
    let latencies = charts::LATENCIES_MS.map(|latency| (Varied::Latency, latency, charts::LOSS_PERCENT, latency));
    let networks: Vec<_> = losses.into_iter().chain(latencies).collect();
    let bar = Bar::new();
    let all = (PROTOCOLS.len() * networks.len()) as u64;
    let mut points = Vec::new();
    for (place, protocol) in PROTOCOLS.iter().enumerate() {
        for (varied, value, loss_percent, latency_ms) in &networks {
            let world = World { entities: arguments.entities, loss_percent: *loss_percent, latency_ms: *latency_ms };
            points.push((place, *varied, *value, charts::measure(protocol, world, arguments.runs)?));
            bar.set(points.len() as u64, all, protocol.name);
        }
    }
    Ok(points)
}

/// What was measured of a protocol on a network.
#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub(super) struct Point {
    protocol: &'static str,
    profile: &'static str,
    /// `loss` or `latency`.
    varied: &'static str,
    loss_percent: u32,
    latency_ms: u32,
    /// In thousandths of a byte.
    bytes_per_frame_milli: u64,
    /// The mean; nothing where no run recovered.
    recovery_us: Option<u64>,
    longest_recovery_us: Option<u64>,
    runs: u64,
    not_recovered: u64,
}

/// What all of it was measured with.
#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub(super) struct Summary {
    points: usize,
    entities: u32,
    seeds: u64,
}

/// Everything that was measured.
struct Chart<'a> {
    points: &'a [(usize, Varied, u32, Measured)],
    entities: u32,
    seeds: u64,
}

impl Answer for Chart<'_> {
    fn human(&self, out: &mut dyn Write) -> Result<(), Stop> {
        human(self.points, out)
    }

    fn json(&self, out: &mut dyn Write) -> Result<(), Stop> {
        let lines = self.points.iter().map(|(place, varied, value, measured)| line(*place, *varied, *value, measured));
        json_lines(out, lines, Summary { points: self.points.len(), entities: self.entities, seeds: self.seeds })
    }
}

fn line(place: usize, varied: Varied, value: u32, measured: &Measured) -> Point {
    let (loss_percent, latency_ms) = match varied {
        Varied::Loss => (value, charts::LATENCY_MS),
        Varied::Latency => (charts::LOSS_PERCENT, value),
    };
    Point {
        protocol: PROTOCOLS[place].name,
        profile: PROTOCOLS[place].profile,
        varied: varied.name(),
        loss_percent,
        latency_ms,
        bytes_per_frame_milli: measured.bytes_per_frame_milli,
        recovery_us: measured.recovery_us,
        longest_recovery_us: measured.longest_us,
        runs: measured.runs,
        not_recovered: measured.not_recovered,
    }
}

/// A table for loss and one for latency: bytes per frame, and the mean time of recovery.
fn human(points: &[(usize, Varied, u32, Measured)], out: &mut dyn Write) -> Result<(), Stop> {
    let width = PROTOCOLS.iter().map(|protocol| protocol.name.len()).max().unwrap_or(0);
    for (varied, values, unit) in
        [(Varied::Loss, charts::LOSSES_PERCENT, "%"), (Varied::Latency, charts::LATENCIES_MS, " ms")]
    {
        write!(out, "{HEAD}{:width$}{HEAD:#}", varied.name())?;
        for value in values {
            write!(out, "  {HEAD}{:>16}{HEAD:#}", format!("{value}{unit}"))?;
        }
        writeln!(out)?;
        for (place, protocol) in PROTOCOLS.iter().enumerate() {
            write!(out, "{:width$}", protocol.name)?;
            for (_, _, _, measured) in points.iter().filter(|point| point.0 == place && point.1 == varied) {
                let recovery = measured.recovery_us.map_or(String::from("never"), |time| format!("{} ms", time / 1000));
                write!(out, "  {:>16}", format!("{} B, {recovery}", (measured.bytes_per_frame_milli + 500) / 1000))?;
            }
            writeln!(out)?;
        }
        writeln!(out)?;
    }
    writeln!(out, "{DIM}{}{DIM:#}", charts::WHAT)?;
    Ok(())
}
