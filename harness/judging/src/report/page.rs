//! A report as one self-contained HTML page: no other file, no network, readable without scripts.

use super::model::{CaseReport, FindingReport, ProfileReport, RunReport, Tally, Verdict};
use maud::{DOCTYPE, Markup, PreEscaped, html};

pub(super) const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Nothing may be fetched; the style and the script are part of the page.
pub(super) const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// The page's text.
pub fn document(report: &RunReport) -> String {
    let bad = report.cases.iter().filter(|case| case.verdict.is_bad()).count();
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { "deltaproof: " (report.headline) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { "deltaproof" }
                p.headline.bad[bad > 0].pass[bad == 0] { (report.headline) }
                p.dim {
                    (report.cases.len()) " cases, " (bad) " of them bad, "
                    (report.vacuous) " vacuous, " (report.findings) " findings. Root hash " code { (report.root_hash) }
                }
                (profiles(&report.profiles))
                (findings(&report.cases))
                (cases(&report.cases))
                (requirements(&report.profiles))
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
    .into_string()
}

fn profiles(profiles: &[ProfileReport]) -> Markup {
    html! {
        h2 { "Profiles" }
        @if profiles.iter().any(ProfileReport::decides) {
            p.dim {
                "What a profile decides, because the document is silent, is counted apart: it says nothing of conformance \
                 to the document."
            }
        }
        table {
            thead { tr {
                th { "profile" } th { "role" } th { "level" }
                @for column in ["passed", "failed", "skipped", "untested", "untestable", "not applicable"] {
                    th.number { (column) }
                }
            } }
            tbody {
                @for profile in profiles {
                    @let levels = levels(profile);
                    @for (place, (level, tally)) in levels.iter().enumerate() {
                        tr {
                            @if place == 0 {
                                td rowspan=(levels.len()) { (profile.profile) }
                                td rowspan=(levels.len()) { (profile.role) }
                            }
                            td { (level) }
                            td.number.fail[tally.fail > 0] { (tally.pass) "/" (tally.total) }
                            @for count in [tally.fail, tally.skipped, tally.untested, tally.untestable] {
                                td.number { (count) }
                            }
                            @if place == 0 {
                                td.number rowspan=(levels.len()) { (profile.not_applicable) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The tallies of a profile and role, by level; those of its own decisions only if it has some.
fn levels(profile: &ProfileReport) -> Vec<(&'static str, &Tally)> {
    let mut levels = vec![("MUST", &profile.must), ("SHOULD", &profile.should)];
    if profile.decides() {
        levels.extend([("profile's MUST", &profile.decided_must), ("profile's SHOULD", &profile.decided_should)]);
    }
    levels
}

fn findings(cases: &[CaseReport]) -> Markup {
    let bad = || cases.iter().filter(|case| case.verdict != Verdict::Pass);
    html! {
        @if bad().next().is_some() {
            h2 { "What needs a look" }
            @for case in bad() {
                div.finding {
                    strong { (case.case) } " " (verdict(case.verdict))
                    @if let Some(seed) = case.failed_seed { span.dim { " seed " (seed) } }
                    @if !case.reason.is_empty() { div { (case.reason) } }
                    @for finding in &case.findings { (finding_line(finding)) }
                    pre { (case.replay) }
                }
            }
        }
    }
}

fn finding_line(finding: &FindingReport) -> Markup {
    html! {
        div {
            code { (finding.suspects()) } " " (finding.weight()) ", " (finding.host)
            " at " (kit::Time(finding.at_us)) ": " (finding.what)
        }
    }
}

fn cases(cases: &[CaseReport]) -> Markup {
    html! {
        h2 { "Cases" }
        input type="search" placeholder="search cases" aria-label="search cases" data-filters=".case";
        @for case in cases {
            details.case {
                summary { (verdict(case.verdict)) " " code { (case.case) } " " (case.title) }
                div {
                    div.dim {
                        (case.seeds) " seeds, " (case.datagrams) " datagrams, trace " code { (case.trace_hash) }
                    }
                    @for finding in &case.findings { (finding_line(finding)) }
                    @for line in &case.impairment { div.mono { (line) } }
                    @for remark in &case.remarks { div { "remark: " (remark) } }
                    div.dim { "exercises " (case.requirements.join(" ")) }
                    pre { (case.replay) }
                }
            }
        }
    }
}

fn requirements(profiles: &[ProfileReport]) -> Markup {
    html! {
        h2 { "Requirements" }
        input type="search" placeholder="search requirements" aria-label="search requirements"
            data-filters=".requirement";
        table {
            thead { tr {
                th { "id" } th { "profile" } th { "role" } th { "level" } th { "status" } th { "what must hold" }
                th.number { "cases" }
            } }
            tbody {
                @for profile in profiles {
                    @for requirement in &profile.requirements {
                        tr.requirement {
                            td.id { code { (requirement.id) } }
                            td { (profile.profile) }
                            td { (requirement.role) }
                            td { (requirement.weight()) }
                            td class=(requirement.status.name()) { (requirement.status.name()) }
                            td {
                                (requirement.text) " " span.dim { (requirement.source) }
                                @if !requirement.untested_because.is_empty() {
                                    div.warn { (requirement.untested_because) }
                                }
                            }
                            td.number title=(requirement.cases.join("\n")) { (requirement.cases.len()) }
                        }
                    }
                }
            }
        }
    }
}

fn verdict(verdict: Verdict) -> Markup {
    let class = match verdict {
        Verdict::Pass => "pass",
        verdict if verdict.is_bad() => "fail",
        _ => "warn",
    };
    html! { span class=(class) { (verdict.name()) } }
}

#[cfg(test)]
mod tests {
    use super::super::sample;

    #[test]
    fn the_page_is_self_contained_and_escaped() {
        let page = super::document(&sample::report());
        for part in [
            "MUST 1/3 (0 skipped, 1 untested)  SHOULD 0/0",
            "<pre>deltaproof replay fte/reset-lost@fte-nq --seed 3</pre>",
            "A title with &lt;b&gt; &amp;",
            "s2c loss: configured 5.0 %, observed 4.9 %",
            "<td class=\"untestable\">untestable</td>",
            "needs a real clock",
            "<td>MUST of OURS-1</td>",
            "<td>profile's MUST</td>",
            "Content-Security-Policy",
        ] {
            assert!(page.contains(part), "{part} is not in\n{page}");
        }
        for foreign in ["http:", "https:", "src=", "href=", "@import", "url("] {
            assert!(!page.contains(foreign), "{foreign} is in\n{page}");
        }
    }

    #[test]
    fn the_same_report_gives_the_same_page() {
        assert_eq!(super::document(&sample::report()), super::document(&sample::report()));
    }
}
