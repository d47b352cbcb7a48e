//! Where an implementation stands: its numbers, and what blocks the next level.

use super::super::comparison::Compared;
use super::super::model::{CaseReport, LevelSummary, ProfileReport, RequirementStatus, RunReport, Tally};
use super::{links, many};
use maud::{Markup, html};

/// So many of 100 SHOULDs have to hold for the highest level.
const SHOULD_PERCENT: u32 = 95;
/// So many requirements of a kind are named; the matrix finds them all by their status.
const SHOWN: usize = 6;

pub(super) fn section(results: &[Compared]) -> Markup {
    let blocked = results.iter().any(|one| is_blocked(&one.report));
    html! {
        section id="standing" aria-labelledby="h-standing" {
            h2 id="h-standing" { @if blocked { "What blocks the next level" } @else { "Numbers of each profile" } }
            @for one in results {
                @if results.len() > 1 { h3 { (one.name) } }
                @if !one.report.levels.is_empty() { (certificate(&one.report.levels)) }
                (profiles(&one.report))
            }
            p.dim {
                "Level 3 (resilient) asks that every MUST was covered and held, level 4 (strict) the same of " (SHOULD_PERCENT)
                " % of the SHOULDs. " code { "deltaproof certify" }
                " runs what they ask beside the cases of this page: more seeds, and every fault of one datagram."
                @if results.iter().any(|one| one.report.profiles.iter().any(ProfileReport::decides)) {
                    " What a profile decides, because the specification is silent, is counted separately: it says nothing of \
                     conformance to the specification."
                }
            }
        }
    }
}

/// Whether something stands in the way of a level.
fn is_blocked(report: &RunReport) -> bool {
    report.levels.iter().any(|level| !level.reached)
        || report.judged().any(|profile| blockers(profile, report).is_some())
}

/// The levels that a certificate has, with what is in the way.
fn certificate(levels: &[LevelSummary]) -> Markup {
    html! {
        ol.levels {
            @for level in levels {
                li {
                    "Level " (level.level) ": "
                    @if level.reached { span.pass { "reached" } } @else { span.fail { "not reached" } }
                    @if !level.blockers.is_empty() { ul { @for blocker in &level.blockers { li { (blocker) } } } }
                }
            }
        }
    }
}

/// A number of a tally.
type Count = fn(&Tally) -> u32;

/// How a tally is read: what is counted beside what held, which has a column only where it is anywhere.
const COUNTS: [(&str, Count); 4] = [
    ("failed", |tally| tally.fail),
    ("skipped", |tally| tally.skipped),
    ("untested", |tally| tally.untested),
    ("untestable", |tally| tally.untestable),
];

fn profiles(report: &RunReport) -> Markup {
    let is_any =
        |count: Count| report.judged().any(|profile| levels(profile).iter().any(|(_, tally)| count(tally) > 0));
    let counts: Vec<_> = COUNTS.into_iter().filter(|(_, count)| is_any(*count)).collect();
    let blocked = report.judged().any(|profile| blockers(profile, report).is_some());
    html! {
        div.wide tabindex="0" role="region" aria-label="Numbers of each profile" {
            table {
                thead { tr {
                    th scope="col" { "profile" }
                    th scope="col" { "role" }
                    @if blocked { th scope="col" { "what blocks the next level" } }
                    th scope="col" { "level" }
                    th scope="col" { "held" }
                    @for (name, _) in &counts { th scope="col" { (name) } }
                } }
                tbody {
                    @for profile in report.judged() {
                        @let levels = levels(profile);
                        @for (place, (level, tally)) in levels.iter().enumerate() {
                            tr {
                                @if place == 0 {
                                    th scope="row" rowspan=(levels.len()) { (profile.profile) }
                                    td rowspan=(levels.len()) { (profile.role) }
                                    @if blocked { td.blockers rowspan=(levels.len()) { (blockers(profile, report).unwrap_or_default()) } }
                                }
                                td { (level) }
                                td.number.fail[tally.fail > 0] { (tally.pass) "/" (tally.total) }
                                @for (_, count) in &counts { td.number { @if count(tally) > 0 { (count(tally)) } } }
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
    levels.retain(|(_, tally)| tally.total + tally.untestable > 0);
    if profile.decides() {
        let decided = [
            ("MUST (added by the profile)", &profile.decided_must),
            ("SHOULD (added by the profile)", &profile.decided_should),
        ];
        levels.extend(decided);
    }
    levels
}

/// Requirements of a status: as many as one takes in at a glance, and how many more there are.
fn some(status: &str, ids: &[&str]) -> Markup {
    let shown = ids.len().min(SHOWN);
    html! {
        @if shown > 0 {
            (status) " " (links(ids[..shown].iter().copied()))
            @if ids.len() > shown { " and " (ids.len() - shown) " more" }
            ". "
        }
    }
}

/// What this run shows to be in the way of the next level, if anything.
fn blockers(profile: &ProfileReport, report: &RunReport) -> Option<Markup> {
    let of = |must: bool, status: RequirementStatus| -> Vec<&str> {
        let rows =
            profile.requirements.iter().filter(|row| row.level.starts_with("MUST") == must && row.status == status);
        rows.map(|row| row.id.as_str()).collect()
    };
    // A case that failed without a finding speaks of both ends.
    let concerns = |case: &&CaseReport| {
        let mut hosts = case.findings.iter().map(|finding| finding.host == "server");
        case.findings.is_empty() || hosts.any(|is_server| is_server == (profile.role == "server"))
    };
    let bad = report.cases.iter().filter(|case| case.profile == profile.profile && case.verdict.is_bad());
    let bad = bad.filter(concerns);
    let bad: Vec<&str> = bad.map(|case| case.case.as_str()).collect();
    let should = profile.should;
    let enough = should.pass * 100 >= should.total * SHOULD_PERCENT;
    let statuses = [RequirementStatus::Fail, RequirementStatus::Untested, RequirementStatus::Skipped];
    let is_clear = bad.is_empty() && statuses.iter().all(|status| of(true, *status).is_empty());
    if is_clear && enough {
        return None;
    }
    Some(html! {
        @if !is_clear {
            "Level 3: "
            @for status in statuses {
                @let ids = of(true, status);
                (some(status.name(), &ids))
            }
            @if !bad.is_empty() {
                (many(bad.len() as u64, "case")) " failed, such as " (links(bad.iter().copied().take(2)))
            }
        } @else {
            "Level 4: " (should.pass) " of " (should.total) " SHOULDs held; "
            @for status in statuses {
                @let ids = of(false, status);
                (some(status.name(), &ids))
            }
        }
    })
}
