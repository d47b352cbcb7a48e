//! Reports as one self-contained HTML page: no other file, no network, and nothing of it is lost without scripts but the lists
//! that the counts beside them stand for.
//!
//! What failed comes first ([`failures`]), then a cell for each requirement ([`glance`]), what blocks the next level ([`standing`]), each
//! requirement with its text ([`matrix`]), the mutants ([`kills`]), the errata that were seen ([`seen`]), and every case ([`cases`]). The page
//! of one result has less than a megabyte, whatever failed: failures and cases have so much room each, and the rest is as long as the catalogue. [`section`] has what
//! these share: the requirements of a protocol, with a column for each implementation and profile.

mod cases;
mod failures;
mod glance;
mod kills;
mod matrix;
mod network;
mod section;
mod seen;
mod standing;

use super::comparison::Compared;
use super::kills::KillRow;
use super::model::{RunReport, Verdict};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use section::Section;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Nothing may be fetched; the style and the script are part of the page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// What a page is made of.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The results; several make a comparison. Never empty.
    pub results: &'a [Compared],
    /// What became of the mutants; nothing where they were not run.
    pub kills: &'a [KillRow],
    /// What became of them with an oracle that sees the wire alone.
    pub blind: &'a [KillRow],
}

/// The page of one result.
pub fn document(report: &RunReport) -> String {
    let results = [Compared { name: report.subject.clone(), report: report.clone() }];
    Page { results: &results, kills: &[], blind: &[] }.document()
}

impl Page<'_> {
    /// The page's text.
    pub fn document(&self) -> String {
        let sections = Section::all(self.results);
        let failed = self.results.iter().any(failures::is_there);
        let names: Vec<&str> = self.results.iter().map(|one| one.name.as_str()).collect();
        let title = match self.results {
            [one] => format!("deltaproof: {}", one.report.headline),
            _ => format!("deltaproof: {}", names.join(", ")),
        };
        let text = html! {
            (DOCTYPE)
            html lang="en" {
                (head(&title, POLICY))
                body {
                    a.skip href="#main" { "Skip to the results" }
                    header {
                        h1 { "deltaproof" }
                        @if let [one] = self.results { (headline(one, false)) }
                        (contents(failed))
                    }
                    main id="main" {
                        // Who compares looks for the matrix; who failed, for what failed.
                        @if failed && self.results.len() == 1 { (failures::section(self.results)) }
                        (glance::section(&sections, self.results))
                        @if self.results.len() > 1 {
                            section id="results" { @for one in self.results { (headline(one, true)) } }
                            @if failed { (failures::section(self.results)) }
                        }
                        (standing::section(self.results))
                        (matrix::section(&sections, self))
                        (kills::section(self))
                        (seen::section(self.results, &sections))
                        (cases::section(self.results, &sections))
                    }
                    noscript { p { "Without scripts there are no filters, and counts stand for the lists behind them." } }
                    script { (PreEscaped(SCRIPT)) }
                }
            }
        };
        // HTML needs no such ends, and there are ten thousand. Text has no `<` of its own.
        text.into_string().replace("</td>", "").replace("</tr>", "").replace("</li>", "")
    }
}

/// The head of a page of ours, with its title and what it may load.
pub(super) fn head(title: &str, policy: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta http-equiv="Content-Security-Policy" content=(policy);
            title { (title) }
            style { (PreEscaped(STYLE)) }
        }
    }
}

fn headline(one: &Compared, named: bool) -> Markup {
    let report = &one.report;
    let failed = report.failed();
    html! {
        @if named { h2.name { (one.name) } }
        p.sentence.bad[failed.is_some()].pass[failed.is_none()] { (report.sentence()) }
        p.headline { (report.headline) }
        @if let Some(failed) = failed { p.headline.bad { (failed) } }
        p.dim {
            @if !report.subject.is_empty() { "Tested: " b { (report.subject) } ". " }
            (report.cases_run()) " cases, " (report.findings) " findings, root hash " code { (report.root_hash) } ". "
            (report.program)
        }
    }
}

fn contents(failed: bool) -> Markup {
    html! {
        nav aria-label="Contents" {
            @if failed { a href="#failures" { "Failures" } " " }
            @for (id, name) in [
                ("glance", "Every requirement"),
                ("standing", "Numbers"),
                ("requirements", "Details"),
                ("mutants", "Mutants"),
                ("cases", "Cases"),
            ] { a href={ "#" (id) } { (name) } " " }
        }
    }
}

/// A word of a verdict, coloured.
fn verdict(verdict: Verdict) -> Markup {
    html! { span class=(class(verdict)) { (verdict.name()) } }
}

const fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        verdict if verdict.is_bad() => "fail",
        _ => "warn",
    }
}

/// A link to a case or a requirement of this page.
fn link(id: &str) -> Markup {
    html! { a href={ "#" (id) } { (id) } }
}

/// Links, with a comma between.
fn links<'a>(ids: impl IntoIterator<Item = &'a str>) -> Markup {
    html! { @for (place, id) in ids.into_iter().enumerate() { @if place > 0 { ", " } (link(id)) } }
}

/// `1 case`, `2 cases`.
fn many(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::super::model::{CaseReport, ProfileReport, RequirementReport, RequirementStatus};
    use super::super::sample;
    use super::*;

    fn compared(names: &[&str]) -> Vec<Compared> {
        names.iter().map(|name| Compared { name: String::from(*name), report: sample::report() }).collect()
    }

    #[track_caller]
    fn is_self_contained(page: &str) {
        for foreign in ["http:", "https:", "src=", "@import", "url("] {
            assert!(!page.contains(foreign), "{foreign} is in\n{page}");
        }
        assert_eq!(page.matches("href=").count(), page.matches("href=\"#").count(), "{page}");
    }

    #[test]
    fn the_page_is_self_contained_and_escaped() {
        let page = document(&sample::report());
        for part in [
            "MUST 1/3 (0 skipped, 1 untested)  SHOULD 0/0",
            "FAILED: 1 of 2 cases (1 fail)",
            "<pre>deltaproof replay fte/reset-lost@fte-nq --seed 3</pre>",
            "A title with &lt;b&gt; &amp;",
            "Why &lt;this&gt; matters",
            "client1 s2c: loss 5.0% configured, 4.90% observed (49 of 1000)",
            "needs a real clock",
            "MUST of OURS-1",
            "Content-Security-Policy",
            "prints &quot;&lt;/script&gt;&lt;img&gt;&quot;",
        ] {
            assert!(page.contains(part), "{part} is not in\n{page}");
        }
        assert_eq!(page.matches("</script").count(), 1, "{page}");
        is_self_contained(&page);
    }

    #[test]
    fn every_requirement_and_every_case_has_one_anchor() {
        let report = sample::report();
        let page = document(&report);
        let requirements = report.profiles.iter().flat_map(|profile| &profile.requirements).map(|row| &row.id);
        for id in requirements.chain(report.cases.iter().map(|case| &case.case)) {
            assert_eq!(page.matches(&format!("id=\"{id}\"")).count(), 1, "{id} in\n{page}");
        }
        // Every link leads somewhere.
        for rest in page.split("href=\"#").skip(1) {
            let target = rest.split('"').next().unwrap_or_default();
            assert!(page.contains(&format!("id=\"{target}\"")), "{target} in\n{page}");
        }
    }

    #[test]
    fn a_page_is_below_a_megabyte_whatever_failed() {
        for verdicts in [[Verdict::Pass; 2], [Verdict::Pass, Verdict::Fail], [Verdict::Fail; 2]] {
            let mut report = sample::report();
            report.profiles = crate::registry::PROTOCOLS.iter().map(|protocol| whole(protocol)).collect();
            let sample = report.cases.clone();
            report.cases.clear();
            for number in 0..1_000 {
                for (case, verdict) in sample.iter().zip(verdicts) {
                    let name = format!("{}-{number}", case.case);
                    let timeline = (verdict == Verdict::Fail && number < 20).then(|| "<svg></svg>".repeat(5_000));
                    let (scenario, case) = (name.clone(), name);
                    report.cases.push(CaseReport { case, scenario, verdict, timeline, ..sample[1].clone() });
                }
            }
            let page = document(&report);
            assert!(page.len() < 1_000_000, "{verdicts:?}: {} bytes", page.len());
            assert!(page.contains("These are not all: "));
            if verdicts[1] == Verdict::Fail {
                assert!(page.contains("<svg></svg>") && page.contains(" of 1000; ") || page.contains(" of 2000; "));
            }
        }
    }

    /// All that a protocol's servers have to do, held.
    fn whole(protocol: &kit::Protocol) -> ProfileReport {
        let rows = protocol.requirements.iter().map(|row| RequirementReport {
            id: row.id.into(),
            level: row.level.to_string(),
            role: "both".into(),
            text: row.text.into(),
            source: row.source.into(),
            decided: None,
            status: RequirementStatus::Pass,
            cases: vec!["fte/reset-lost@fte-nq".into()],
            untested_because: String::new(),
        });
        ProfileReport {
            profile: protocol.profiles[0].name.into(),
            requirements: rows.collect(),
            ..sample::report().profiles.remove(0)
        }
    }

    #[test]
    fn who_passes_sees_a_cell_for_each_requirement_first_and_nothing_that_says_nothing() {
        let mut report = sample::report();
        report.cases.remove(1);
        report.profiles[0].requirements.retain(|row| row.status == RequirementStatus::Pass);
        let page = document(&report);
        assert!(!page.contains("id=\"failures\"") && !page.contains("nothing in this run"), "{page}");
        let cell = "<a class=\"pass\" href=\"#FTE-RST-01\" title=\"FTE-RST-01 held: 1 case, ";
        let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} is not in\n{page}"));
        assert!(place(cell) < place("id=\"standing\""));
        assert!(page[place(cell)..].split('>').next().is_some_and(|title| title.contains(" mutant")), "{page}");
        let both = Page { results: &compared(&["one", "other"]), kills: &[], blind: &[] }.document();
        assert!(both.find("id=\"glance\"") < both.find("id=\"failures\""), "{both}");
    }

    #[test]
    fn what_failed_comes_before_everything_else_with_its_diagram() {
        let mut report = sample::report();
        report.cases[1].timeline = Some("<svg id=\"diagram\"></svg>".into());
        let page = document(&report);
        let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} is not in\n{page}"));
        assert!(place("<svg id=\"diagram\">") < place("id=\"standing\""));
        assert!(place("entity 5 origin[0] is &lt;8&gt;") < place("id=\"standing\""));
    }

    #[test]
    fn several_results_stand_side_by_side() {
        let mut results = compared(&["<one>", "other"]);
        results[1].report.cases[1].verdict = Verdict::Pass;
        results[1].report.profiles[0].requirements[1].status = super::super::RequirementStatus::Pass;
        let page = Page { results: &results, kills: &[], blind: &[] }.document();
        assert!(page.contains("&lt;one&gt; fte-nq</th><th scope=\"col\">other fte-nq</th>"), "{page}");
        assert!(page.contains("<td class=\"fail\">fail<td class=\"pass\">pass"), "{page}");
        is_self_contained(&page);
    }

    #[test]
    fn the_same_report_gives_the_same_page() {
        assert_eq!(document(&sample::report()), document(&sample::report()));
    }
}
