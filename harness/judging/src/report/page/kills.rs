//! The kill matrices: every mutant in every profile, with an oracle that knows the world and with one that sees the wire alone.

use super::super::kills::{KillRow, reviewed};
use super::section::protocol_of;
use super::{Page, link};
use maud::{Markup, html};
use std::collections::BTreeMap;

pub(super) fn section(page: &Page<'_>) -> Markup {
    html! {
        section id="mutants" aria-labelledby="h-mutants" {
            h2 id="h-mutants" { "Mutants" }
            p {
                "A mutant is the reference with one fault. It is killed when a finding against its side names the requirement that it "
                "breaks; blind, when the oracle knows nothing of the server's world and sees the wire alone."
            }
            @if page.kills.is_empty() { (rates()) } @else { (matrices(page)) }
        }
    }
}

/// What the last reviewed run of all mutants has shown.
fn rates() -> Markup {
    html! {
        p.dim {
            "These are the reviewed numbers of this version's own mutants. " code { "deltaproof mutants --format json > kills.jsonl" }
            ", the same with " code { "--knowledge wire" } ", and " code { "deltaproof report result.json --kills kills.jsonl --blind blind.jsonl" }
            " make a page with every mutant."
        }
        div.wide { table {
            thead { tr { @for column in ["profile", "mutants", "killed", "killed blind"] { th scope="col" { (column) } } } }
            tbody {
                @for row in reviewed() {
                    tr {
                        th scope="row" { (row.profile) }
                        @for count in [row.mutants, row.killed, row.killed_blind] { td.number { (count) } }
                    }
                }
            }
        } }
    }
}

/// A mutant in the profiles of its protocol: whether it was killed there, and whether blind.
type Cells<'a> = BTreeMap<&'a str, (Option<&'a KillRow>, Option<&'a KillRow>)>;

fn matrices(page: &Page<'_>) -> Markup {
    let mut protocols: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut rows: BTreeMap<(&str, &str, &str), Cells<'_>> = BTreeMap::new();
    for (all, is_blind) in [(page.kills, false), (page.blind, true)] {
        for row in all {
            let name = protocol_of(&row.profile);
            let place = protocols.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
                protocols.push((name, Vec::new()));
                protocols.len() - 1
            });
            if !protocols[place].1.contains(&row.profile.as_str()) {
                protocols[place].1.push(&row.profile);
            }
            let cell = rows.entry((name, &row.requirement, &row.mutant)).or_default().entry(&row.profile).or_default();
            *(if is_blind { &mut cell.1 } else { &mut cell.0 }) = Some(row);
        }
    }
    html! {
        @for (protocol, profiles) in &protocols {
            details.kills {
                summary { (protocol) ": " (summary(page.kills, protocol)) @if !page.blind.is_empty() { "; blind " (summary(page.blind, protocol)) } }
                div.wide tabindex="0" role="region" aria-label={ "Mutants of " (protocol) } { table {
                    thead { tr {
                        th scope="col" { "mutant" } th scope="col" { "requirement" }
                        @for profile in profiles { th scope="col" { (profile) } @if !page.blind.is_empty() { th scope="col" { "blind" } } }
                    } }
                    tbody {
                        @for ((_, requirement, mutant), cells) in rows.iter().filter(|((name, ..), _)| name == protocol) {
                            tr {
                                th scope="row" { (mutant) }
                                td { (link(requirement)) }
                                @for profile in profiles {
                                    @let (world, blind) = cells.get(profile).copied().unwrap_or_default();
                                    (fate(world, "fail"))
                                    @if !page.blind.is_empty() { (fate(blind, "warn")) }
                                }
                            }
                        }
                    }
                } }
            }
        }
    }
}

/// `killed`, `alive`, or the requirement at which it was found instead.
fn fate(row: Option<&KillRow>, alive: &str) -> Markup {
    html! {
        @match row {
            None => td { "–" },
            Some(row) if row.killed => td.pass { "killed" },
            Some(KillRow { killed_by: Some(other), .. }) => td class=(alive) { "alive (" (other) ")" },
            Some(_) => td class=(alive) { "alive" },
        }
    }
}

fn summary(rows: &[KillRow], protocol: &str) -> String {
    let of = || rows.iter().filter(|row| protocol_of(&row.profile) == protocol);
    format!("{} of {} killed", of().filter(|row| row.killed).count(), of().count())
}
