//! What GitHub shows of a run: annotations on the lines of files, and a page for the step.

use super::model::RunReport;
use super::place::{Place, Places};
use std::fmt::Write;

/// GitHub shows no more annotations of one step.
const ANNOTATIONS: usize = 10;

/// The lines that make annotations, an error for each case that failed and for each scenario that could not be read; of more
/// than GitHub shows, the last says how many there are.
pub fn annotations(report: &RunReport, places: Places<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    for mistake in &report.mistakes {
        let place = Place { path: mistake.path.clone(), line: mistake.line };
        lines.push(error(Some(place), "mistake in a scenario", &mistake.message));
    }
    for case in report.cases.iter().filter(|case| case.verdict.is_bad()) {
        let worst = case.gravest();
        let place = places(case, worst.map(|finding| finding.requirement.as_str()));
        let what = worst.map_or(case.reason.clone(), |found| {
            format!("{} {} {}: {}", found.suspects(), found.weight(), found.host, found.what)
        });
        let title = format!("{}: {}", case.verdict.name(), case.case);
        lines.push(error(place, &title, &format!("{what}\nreplay: {}", case.replay)));
    }
    // What stands in the way of a level need not be in the cases of the report.
    if let Some(level) = report.levels.iter().find(|level| !level.reached && lines.is_empty()) {
        lines.push(error(None, &format!("level {} is not reached", level.level), &level.blockers.join("\n")));
    }
    if lines.len() > ANNOTATIONS {
        let more = lines.len() + 1 - ANNOTATIONS;
        lines.truncate(ANNOTATIONS - 1);
        lines.push(format!("::error title=deltaproof::{more} more failures; the summary of the step has them all"));
    }
    lines
}

/// The line that makes one annotation, beside a line of a file or beside none.
pub fn error(place: Option<Place>, title: &str, text: &str) -> String {
    let at = place.map(|place| format!("file={},line={},", property(&place.path), place.line)).unwrap_or_default();
    format!("::error {at}title={}::{}", property(title), escaped(text))
}

/// The page for the step, as Markdown.
pub fn summary(report: &RunReport) -> String {
    let mut text = format!("## deltaproof\n\n{}\n\n`{}`\n", report.sentence(), report.headline);
    // Writing to a string cannot fail.
    for level in &report.levels {
        let word = if level.reached { "reached" } else { "**not reached**" };
        let blocked: String = level.blockers.iter().map(|blocker| format!("\n  - {}", cell(blocker))).collect();
        let _ = write!(text, "\n- level {} {word}{blocked}", level.level);
    }
    text.push_str(if report.levels.is_empty() { "" } else { "\n" });
    if let Some(failed) = report.failed() {
        let _ = write!(text, "\n**{failed}**\n\n| case | verdict | requirement | what |\n|---|---|---|---|\n");
    }
    for mistake in &report.mistakes {
        let _ = writeln!(text, "| `{}:{}` | mistake | | {} |", mistake.path, mistake.line, cell(&mistake.message));
    }
    for case in report.cases.iter().filter(|case| case.verdict.is_bad()) {
        let worst = case.gravest();
        let id = worst.map(|finding| finding.suspects()).unwrap_or_default();
        let what = worst.map_or(&case.reason, |finding| &finding.what);
        let replay = format!("<br>`{}`", case.replay.replace('|', "\\|"));
        let _ = writeln!(text, "| `{}` | {} | {id} | {}{replay} |", case.case, case.verdict.name(), cell(what));
    }
    let _ = writeln!(text, "\n{} cases, root hash `{}`", report.cases.len(), report.root_hash);
    text
}

/// The data of a badge, as shields.io reads it from an address.
pub fn badge(report: &RunReport) -> String {
    let must = report.profiles.iter().map(|profile| (profile.must.pass, profile.must.total));
    let (pass, total) = must.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let color = if report.exit_code() == 0 { "brightgreen" } else { "red" };
    let message = format!("MUST {pass}/{total}");
    let badge = serde_json::json!({ "schemaVersion": 1, "label": "deltaproof", "message": message, "color": color });
    format!("{badge}\n")
}

/// The text of an annotation: line ends and `%` are data.
fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property, which also ends at `:` and `,`.
fn property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}

/// A cell of a table, in which nothing is markup.
fn cell(text: &str) -> String {
    let mut cell = String::new();
    for letter in text.chars() {
        match letter {
            '\n' | '\r' => cell.push(' '),
            '<' => cell.push_str("&lt;"),
            '&' => cell.push_str("&amp;"),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' | '~' => {
                cell.push('\\');
                cell.push(letter);
            }
            letter => cell.push(letter),
        }
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::super::model::{CaseReport, FindingReport, LevelSummary};
    use super::super::sample;
    use super::*;

    fn at(case: &CaseReport, _: Option<&str>) -> Option<Place> {
        Some(Place { path: case.path.clone(), line: 7 })
    }

    #[test]
    fn a_failing_case_is_an_annotation_on_its_scenario() {
        assert_eq!(
            annotations(&sample::report(), &at),
            [
                "::error file=scenarios/fte/reset-lost.yaml,line=7,title=fail%3A fte/reset-lost@fte-nq::FTE-RST-02 MUST client1: entity 5 \
              origin[0] is <8> after the reset, expected 16 & no more%0Areplay: deltaproof replay fte/reset-lost@fte-nq --seed 3"
            ]
        );
    }

    #[test]
    fn a_failure_that_no_file_of_the_readers_has_to_do_with_is_shown_at_none() {
        let lines = annotations(&sample::report(), &|_, _| None);
        assert!(lines[0].starts_with("::error title=fail%3A fte/reset-lost@fte-nq::FTE-RST-02 MUST"), "{lines:?}");
    }

    #[test]
    fn a_level_that_no_case_of_the_report_stands_in_the_way_of_is_an_annotation_and_all_are_on_the_page() {
        let level = |level: &str, blockers: &[&str]| LevelSummary {
            level: String::from(level),
            reached: blockers.is_empty(),
            blockers: blockers.iter().copied().map(String::from).collect(),
        };
        let mut report = sample::report();
        report.levels = vec![level("2 core", &[]), level("3 resilient", &["FTE_1, such as a", "FTE-2"])];
        assert_eq!(annotations(&report, &at).len(), 1, "the case that failed says it");
        assert!(
            summary(&report)
                .contains("\n- level 2 core reached\n- level 3 resilient **not reached**\n  - FTE\\_1, such as a\n")
        );
        report.cases.truncate(1);
        let expected = "::error title=level 3 resilient is not reached::FTE_1, such as a%0AFTE-2";
        assert_eq!(annotations(&report, &at), [expected]);
        report.levels.truncate(1);
        assert_eq!(annotations(&report, &at), [""; 0]);
    }

    #[test]
    fn a_case_that_breaks_a_must_is_named_for_it_and_not_for_the_should_before() {
        let mut report = sample::report();
        let must = report.cases[1].findings[0].clone();
        let should = FindingReport { requirement: "FTE-RST-09".into(), level: "SHOULD".into(), ..must };
        report.cases[1].findings.insert(0, should);
        let named = |report: &RunReport| {
            let asked = std::cell::RefCell::new(None);
            let lines = annotations(report, &|case, id| {
                *asked.borrow_mut() = id.map(String::from);
                at(case, id)
            });
            (lines[0].contains("::FTE-RST-02 MUST "), summary(report).contains("| FTE-RST-02 |"), asked.into_inner())
        };
        assert_eq!(named(&report), (true, true, Some(String::from("FTE-RST-02"))));
        report.cases[1].findings.truncate(1);
        assert_eq!(named(&report), (false, false, Some(String::from("FTE-RST-09"))));
    }

    #[test]
    fn of_more_failures_than_are_shown_the_last_line_counts_the_others() {
        let mut report = sample::report();
        report.cases = vec![report.cases[1].clone(); 12];
        let lines = annotations(&report, &at);
        assert_eq!(lines.len(), ANNOTATIONS);
        assert_eq!(lines[9], "::error title=deltaproof::3 more failures; the summary of the step has them all");
    }

    #[test]
    fn the_page_has_the_headline_and_a_row_for_each_failure_with_nothing_in_it_taken_for_markup() {
        let text = summary(&sample::report());
        assert!(text.contains("**FAILED: 1 of 2 cases (1 fail)**"), "{text}");
        let row = "| `fte/reset-lost@fte-nq` | fail | FTE-RST-02 | entity 5 origin\\[0\\] is &lt;8> after the reset, expected 16 &amp; no \
                   more<br>`deltaproof replay fte/reset-lost@fte-nq --seed 3` |";
        assert!(text.contains(row), "{text}");
    }

    #[test]
    fn a_badge_says_what_was_reached_and_is_red_if_anything_failed() {
        let expected = "{\"color\":\"red\",\"label\":\"deltaproof\",\"message\":\"MUST 1/3\",\"schemaVersion\":1}\n";
        assert_eq!(badge(&sample::report()), expected);
    }
}
