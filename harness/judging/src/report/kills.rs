//! What became of mutants, as `deltaproof mutants --format json` prints it, and the numbers that were last reviewed.

use serde::Deserialize;

/// The table that `cargo test` keeps.
const REVIEWED: &str = include_str!("../../../../golden/kills.snap");

/// A mutant in a profile.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct KillRow {
    /// Its name.
    pub mutant: String,
    pub profile: String,
    /// The requirement that it breaks.
    pub requirement: String,
    /// Whether it was found there, at that requirement.
    pub killed: bool,
    /// The requirement that was found violated, this one or another.
    pub killed_by: Option<String>,
}

/// The rows of a text; its last line, the summary, is none of them.
///
/// # Errors
/// A line that is neither, by its number, or that there is none at all.
pub fn read(text: &str) -> Result<Vec<KillRow>, String> {
    let mut rows = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() || line.starts_with("{\"summary\":") {
            continue;
        }
        rows.push(
            serde_json::from_str(line)
                .map_err(|error| format!("line {number} is no line of `deltaproof mutants --format json`: {error}"))?,
        );
    }
    if rows.is_empty() { Err(String::from("it has no line of `deltaproof mutants --format json`")) } else { Ok(rows) }
}

/// What is reviewed of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    pub profile: &'static str,
    pub mutants: u32,
    /// Those that were killed.
    pub killed: u32,
    /// Those that were killed by an oracle that sees the wire alone.
    pub killed_blind: u32,
}

/// The reviewed numbers, in the table's order.
pub fn reviewed() -> Vec<Rate> {
    let rows = REVIEWED.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let profile = words.next()?;
        let numbers: Option<Vec<u32>> = words.map(|word| word.parse().ok()).collect();
        let numbers = numbers?;
        Some(Rate { profile, mutants: *numbers.first()?, killed: *numbers.get(1)?, killed_blind: *numbers.last()? })
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_rows_and_the_summary_is_none() {
        let line =
            r#"{"killed":true,"killed_by":"A-1","mutant":"m","profile":"p","requirement":"A-1","role":"server"}"#;
        let rows = read(&format!("{line}\n{{\"summary\":{{}}}}\n")).expect("reads");
        assert_eq!((rows.len(), rows[0].mutant.as_str(), rows[0].killed), (1, "m", true));
        let error = read(&format!("{line}\n{{}}\n")).expect_err("an empty object is no row");
        assert!(error.starts_with("line 2 is no line of"), "{error}");
        assert!(read("").is_err());
    }

    #[test]
    fn every_profile_has_reviewed_numbers() {
        let rates = reviewed();
        let profiles = crate::registry::profiles(crate::registry::PROTOCOLS).map(|(_, profile)| profile.name);
        assert_eq!(rates.iter().map(|rate| rate.profile).collect::<Vec<_>>(), profiles.collect::<Vec<_>>());
        assert!(rates.iter().all(|rate| rate.killed_blind <= rate.killed && rate.killed <= rate.mutants));
    }
}
