//! Failures that are known: a file that says which cases fail, why, and until when that is accepted.

use crate::report::{CaseReport, Verdict};
use crate::scenario::plain::{Text, To};
use crate::scenario::{Alteration, Case, Diagnostic};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::Path;

/// A day, as `2026-11-23`: such texts are in the order of time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Today(String);

impl Today {
    /// Reads `YYYY-MM-DD`.
    ///
    /// # Errors
    /// It is no day.
    pub fn parse(text: &str) -> Result<Today, String> {
        let parts: Vec<&str> = text.split('-').collect();
        let number = |part: &str, digits: usize| {
            let good = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
            if good { part.parse::<u32>().ok() } else { None }
        };
        match parts.as_slice() {
            [year, month, day]
                if number(year, 4).is_some()
                    && number(month, 2).is_some_and(|month| (1..=12).contains(&month))
                    && number(day, 2).is_some_and(|day| (1..=31).contains(&day)) =>
            {
                Ok(Today(String::from(text)))
            }
            _ => Err(format!("`{text}` is no day; write it as 2026-11-23")),
        }
    }
}

impl Today {
    /// The day that the system has, in UTC.
    #[expect(
        clippy::disallowed_methods,
        clippy::disallowed_types,
        reason = "an expectation expires by the calendar, as its author asked"
    )]
    pub fn now() -> Today {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Today::of(since.as_secs() / 86_400)
    }

    /// The day that is so many days after 1970-01-01.
    fn of(mut days: u64) -> Today {
        let leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let mut year = 1970;
        while days >= 365 + u64::from(leap(year)) {
            days -= 365 + u64::from(leap(year));
            year += 1;
        }
        let february = 28 + u64::from(leap(year));
        let mut month = 1;
        for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
            if days < length {
                break;
            }
            days -= length;
            month += 1;
        }
        Today(format!("{year:04}-{month:02}-{:02}", days + 1))
    }
}

/// One entry of the file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// A case, or several with `*` for any text.
    cases: String,
    /// Why they fail.
    reason: String,
    /// Where that is being worked on.
    link: String,
    /// The last day on which it is accepted.
    until: String,
}

/// The known failures.
#[derive(Clone, Debug, Default)]
pub struct Expectations {
    entries: Vec<Entry>,
    today: Option<Today>,
}

impl Expectations {
    /// Reads `text`, which the file `path` holds. Entries that expire are held against `today`.
    ///
    /// # Errors
    /// The first mistake, at its place.
    pub fn parse(path: &Path, text: &str, today: Today) -> Result<Expectations, Diagnostic> {
        const NEEDS: &str =
            "an entry has `cases` (such as fte/reset-*@fte-nq), `reason`, `link` and `until` (2026-11-23)";
        let (entries, at): (Vec<Entry>, _) = Text::read(path, text, NEEDS).map_err(|wrong| wrong.or_help(NEEDS))?;
        for (index, entry) in entries.iter().enumerate() {
            let way = |key| [To::Item(index), To::Value(key)];
            Today::parse(&entry.until).map_err(|error| at.wrong(&way("until"), error, None))?;
            for (name, text) in [("cases", &entry.cases), ("reason", &entry.reason), ("link", &entry.link)] {
                if text.trim().is_empty() {
                    return Err(at.wrong(&way(name), format!("`{name}` is empty"), Some(String::from(NEEDS))));
                }
            }
        }
        Ok(Expectations { entries, today: Some(today) })
    }

    /// Marks the failures that are known as such. Returns the cases, and what is wrong with the entries: one that fits no case
    /// of `all`, one that has expired, and one of whose cases none fails; the last only where all cases were `complete`.
    pub(super) fn apply(
        &self,
        all: &[Case],
        reports: &mut [CaseReport],
        complete: bool,
    ) -> (BTreeSet<String>, Vec<String>) {
        let (mut known, mut complaints) = (BTreeSet::new(), Vec::new());
        for entry in &self.entries {
            if !all.iter().any(|case| fits(&entry.cases, &case.name())) {
                complaints
                    .push(format!("`{}` fits no case of the profile; `deltaproof list` prints them", entry.cases));
                continue;
            }
            if self.today.as_ref().is_some_and(|today| entry.until < today.0) {
                complaints.push(format!("`{}` was accepted until {}: {}", entry.cases, entry.until, entry.link));
                continue;
            }
            let mut passed = Vec::new();
            for report in reports.iter_mut().filter(|report| fits(&entry.cases, base(&report.case))) {
                if report.verdict.is_bad() || report.verdict == Verdict::Xfail {
                    report.verdict = Verdict::Xfail;
                    report.reason = format!("known: {} ({}); {}", entry.reason, entry.link, report.reason);
                    known.insert(report.case.clone());
                } else if report.verdict != Verdict::Unsupported {
                    passed.push(report.case.clone());
                }
            }
            if complete && !passed.is_empty() {
                let names = passed.join(", ");
                complaints.push(format!("`{}` is expected to fail and does not any more: {names}", entry.cases));
            }
        }
        (known, complaints)
    }
}

/// The name of a case without what is altered in it.
fn base(name: &str) -> &str {
    Alteration::split(name).map_or(name, |(name, _)| name)
}

/// Whether `name` is what `pattern` says, with `*` for any text.
fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(place) => rest = &rest[place + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, name, expected) in [
            ("fte/a@fte-nq", "fte/a@fte-nq", true),
            ("fte/a", "fte/a@fte-nq", false),
            ("fte/reset-*@fte-nq", "fte/reset-lost@fte-nq", true),
            ("fte/reset-*@fte-nq", "fte/reset-lost@fte-qw", false),
            ("*lost*", "fte/reset-lost@fte-qw", true),
            ("*", "", true),
            ("a*a", "a", false),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn days_are_counted_from_1970() {
        let days =
            [(0, "1970-01-01"), (58, "1970-02-28"), (59, "1970-03-01"), (11_016, "2000-02-29"), (20_780, "2026-11-23")];
        for (count, day) in days {
            assert_eq!(Today::of(count), Today(String::from(day)));
        }
    }

    #[test]
    fn days_are_checked_and_in_order() {
        assert!(Today::parse("2026-11-23") < Today::parse("2027-01-01"));
        for wrong in ["", "2026", "2026-13-01", "26-11-23", "2026-11-3", "2026-11-23-1", "today"] {
            assert!(Today::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_mistake_in_the_file_says_what_an_entry_needs() {
        let today = || Today::parse("2026-11-23").expect("a day");
        let parse = |text: &str| {
            let read = Expectations::parse(Path::new("known.yaml"), text, today());
            read.err().map(|wrong| wrong.one_line()).unwrap_or_default()
        };
        assert_eq!(parse("- {cases: a, reason: b, link: c, until: 2026-12-31}"), "");
        assert_eq!(
            parse("- {cases: a, reason: b}"),
            "known.yaml:1:3: missing key `link` in [0] (an entry has `cases` (such as fte/reset-*@fte-nq), `reason`, `link` and \
             `until` (2026-11-23))"
        );
        assert_eq!(
            parse("- {cases: a, reason: b, link: c, until: soon}"),
            "known.yaml:1:41: `soon` is no day; write it as 2026-11-23"
        );
        assert!(parse("- {cases: a, reason: '', link: c, until: 2026-12-31}").contains("1:22: `reason` is empty"));
        assert!(parse("").contains("the file is empty (an entry has"));
    }
}
