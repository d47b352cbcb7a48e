//! The drawing on a page of its own, with every datagram decoded: no other file, no network, readable without scripts.

use super::svg::{Links, drawing};
use super::window::{Shown, Window};
use super::{plain, shortened};
use crate::history::{Datagram, Entry, Field, Found, History, What};
use crate::transcript;
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Nothing may be fetched; the style and the script are part of the page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// Findings above the drawing.
const MOST_FINDINGS: usize = 6;
/// Longest value of a field, in characters.
const VALUE: usize = 400;
/// Most bytes of a datagram that are shown in hex.
const HEX_BYTES: usize = 1536;

/// What the arrows mean: their classes, and a word or two.
const LEGEND: [(&str, &str); 7] = [
    ("s2c", "server to client"),
    ("c2s", "client to server"),
    ("c2s ack", "acknowledges"),
    ("s2c lost", "lost"),
    ("s2c second", "second copy"),
    ("s2c late", "overtaken"),
    ("s2c damaged", "damaged"),
];

/// The part of a history that `window` chooses, as an HTML page.
pub fn page(history: &History, window: &Window) -> String {
    let shown = window.of(history);
    let run = &history.run;
    let first = first(history, &shown);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { "Timeline of " (plain(&run.case)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { (plain(&run.case)) }
                p.dim {
                    (plain(&run.profile))
                    @if let Some(seed) = run.seed { ", seed " (seed) }
                    @if !run.candidate.is_empty() { ", " code { (plain(&run.candidate)) } }
                    ". " (left_out(history, &shown))
                }
                @for (place, found) in history.findings().take(MOST_FINDINGS) {
                    (finding(found, shown.entries.contains(&place).then_some(place)))
                }
                @if let Some(more) = history.findings().count().checked_sub(MOST_FINDINGS + 1) {
                    p.dim { "… and " (more + 1) " more findings" }
                }
                ul.legend {
                    @for (class, text) in LEGEND {
                        li { svg.timeline width="34" height="10" aria-hidden="true" {
                            g class=(class) { line.arrow x1="1" y1="5" x2="33" y2="5" {} }
                        } (text) }
                    }
                }
                div.both {
                    div.drawing { (drawing(history, &shown, Links::Entries)) }
                    aside #detail aria-live="polite" data-first={ "e" (first) } {
                        p.dim { "Choose an arrow or a mark: with the pointer, or with Tab and the arrow keys." }
                    }
                }
                details #entries {
                    summary { "All of it as text" }
                    @for place in shown.entries.clone() {
                        @if let Some(entry) = history.entries.get(place) { (block(place, entry)) }
                    }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
    .into_string()
}

fn left_out(history: &History, shown: &Shown) -> String {
    let [before, after] = shown.left_out;
    let mut text = match (before, after) {
        (0, 0) => String::from("The whole run"),
        _ => {
            let all = history.entries.len();
            format!("{} of {all} events, {before} before and {after} after are left out", all - before - after)
        }
    };
    if shown.others > 0 {
        text.push_str(&format!("; {} more clients are not shown", shown.others));
    }
    text.push_str(&format!("; the run ends at {}. Times are in milliseconds.", history.end));
    text
}

/// What is shown first: the datagram that made the finding certain, or else the finding, or else what comes first.
fn first(history: &History, shown: &Shown) -> usize {
    let is_shown = |place: &usize| shown.entries.contains(place);
    let finding = history.first_finding();
    let cause = history.findings().find(|(place, _)| Some(*place) == finding).and_then(|(_, found)| found.cause);
    let sending = cause.and_then(|cause| history.datagram(cause.packet)).map(|(place, _)| place);
    sending.filter(is_shown).or(finding.filter(is_shown)).unwrap_or(shown.entries.start)
}

/// A finding, and where the drawing has it.
fn finding(found: &Found, drawn: Option<usize>) -> Markup {
    let finding = &found.finding;
    html! {
        p.finding.should[!finding.is_must()] {
            strong { (plain(&finding.suspects())) } " " (plain(&finding.weight())) " " (plain(&finding.host))
            " at " (kit::Time(finding.at_us))
            @if let Some(cause) = found.cause { ", when " (cause.packet) " was " (cause.stage.name()) }
            ": " (plain(&finding.what))
            @if let Some(place) = drawn { " " a href={ "#d" (place) } { "show" } }
        }
    }
}

/// One entry: its line, and of a datagram its fields and its bytes.
fn block(place: usize, entry: &Entry) -> Markup {
    let id = format!("e{place}");
    match &entry.what {
        What::Sent(datagram) => datagram_block(&id, entry, datagram),
        What::Finding(found) => html! { section id=(id) { (finding(found, None)) } },
        _ => html! {
            @if let Some(line) = transcript::line(entry) {
                section id=(id) { h2 { (line.at) " " (line.who) } p { (plain(&line.what)) } }
            }
        },
    }
}

fn datagram_block(id: &str, entry: &Entry, datagram: &Datagram) -> Markup {
    let Datagram { packet, bytes, summary, fate, fields, messages, error, .. } = datagram;
    html! {
        section id=(id) {
            h2 { (entry.at) " " (packet) }
            p { (bytes.len()) " bytes: " (plain(summary)) }
            p.dim { (fate) }
            @if let Some(error) = error { p.finding { "cannot be decoded: " (plain(error)) } }
            (table(fields))
            @for message in messages {
                p { "reassembled message, " (message.bytes.len()) " bytes" }
                (table(&message.fields))
            }
            pre.hex { (hex(bytes)) }
        }
    }
}

fn table(fields: &[Field]) -> Markup {
    html! {
        @if !fields.is_empty() {
            table { tbody {
                @for field in fields {
                    tr {
                        td.number { (field.offset) }
                        td class={ "d" (field.depth.min(6)) } { (plain(&field.field)) }
                        td.value { @if let Some(value) = &field.value { (plain(&shortened(value, VALUE))) } }
                    }
                }
            } }
        }
    }
}

/// Sixteen bytes a line.
fn hex(bytes: &[u8]) -> String {
    let shown = bytes.get(..HEX_BYTES).unwrap_or(bytes);
    let line = |line: &[u8]| line.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
    let mut lines: Vec<String> = shown.chunks(16).map(line).collect();
    if shown.len() < bytes.len() {
        lines.push(format!("… {} bytes more", bytes.len() - shown.len()));
    }
    lines.join("\n")
}
