//! Instructions per datagram of a judged run, counted by callgrind: `cargo bench --bench instructions`.
//!
//! Each case runs with one seed and with three; the difference of the instructions, by the difference of the datagrams, has
//! no start-up in it. What takes over 5 % more than `golden/instructions.txt` has is an error. `INSTRUCTIONS=write` writes
//! the file again. Without valgrind nothing is counted.

mod cases;

use cases::CASES;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitCode, Output, Stdio};

/// So much more than the baseline is an error, in per cent.
const TOLERANCE: u64 = 5;

/// The baselines, beside the other golden files.
const BASELINES: &str = "golden/instructions.txt";

/// Instructions of a whole process, and datagrams of its run.
struct Count {
    instructions: u64,
    datagrams: u64,
}

/// Counts `case` with the seeds from 1 to `last`.
fn count(case: &str, last: u32) -> Result<Count, String> {
    let program = env!("CARGO_BIN_EXE_deltaproof");
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", program, "run", case, "--jobs", "1"]);
    command.args(["--format", "json", "--seeds", &format!("1..{last}")]).stdin(Stdio::null());
    let output: Output = command.output().map_err(|error| format!("valgrind: {error}"))?;
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        return Err(format!("{case}: {}\n{err}", output.status));
    }
    let counted = err.split("Collected :").nth(1).and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    let instructions = counted.ok_or_else(|| format!("{case}: callgrind says no count\n{err}"))?;
    let cases = out.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let datagrams = cases.filter(|line| line["case"] == case).filter_map(|line| line["datagrams"].as_u64()).sum();
    if datagrams == 0 {
        Err(format!("{case} is no case with datagrams"))
    } else {
        Ok(Count { instructions, datagrams })
    }
}

/// Instructions per datagram of `case`.
fn per_datagram(case: &str) -> Result<u64, String> {
    let (one, three) = (count(case, 1)?, count(case, 3)?);
    let instructions = three.instructions.saturating_sub(one.instructions);
    Ok(instructions / (three.datagrams - one.datagrams).max(1))
}

/// The cases and their counts in the file of baselines.
fn baselines(path: &Path) -> Result<BTreeMap<String, u64>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    let row = |line: &str| {
        let (case, count) = line.split_once(' ')?;
        Some((String::from(case), count.trim().parse().ok()?))
    };
    rows.map(|line| row(line).ok_or_else(|| format!("{}: no case and count: {line}", path.display()))).collect()
}

/// Measures all cases; whether none takes too many.
fn measure(path: &Path) -> Result<bool, String> {
    let writes = std::env::var("INSTRUCTIONS").is_ok_and(|what| what == "write");
    let before = if writes { BTreeMap::new() } else { baselines(path)? };
    let mut text =
        String::from("# Instructions per datagram of a judged run, by `cargo bench --bench instructions`.\n");
    let mut good = true;
    for case in CASES {
        let now = per_datagram(case)?;
        let verdict = match before.get(case) {
            _ if writes => String::new(),
            None => return Err(format!("{case} has no baseline: INSTRUCTIONS=write writes one")),
            Some(&before) if now * 100 > before * (100 + TOLERANCE) => {
                good = false;
                format!("  too many: {before} before")
            }
            Some(&before) if now * (100 + TOLERANCE) < before * 100 => {
                format!("  fewer than {before}: INSTRUCTIONS=write keeps that")
            }
            Some(&before) => format!("  as before ({before})"),
        };
        println!("{case:40} {now:7}{verdict}");
        text.push_str(&format!("{case:40} {now:7}\n"));
    }
    if writes {
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(good)
}

fn main() -> ExitCode {
    let has_valgrind = Command::new("valgrind").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !has_valgrind {
        println!("valgrind is not installed: no instructions are counted");
        return ExitCode::SUCCESS;
    }
    match measure(&Path::new(env!("CARGO_MANIFEST_DIR")).join(BASELINES)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
