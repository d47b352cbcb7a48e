//! The drawing.

use super::layout::{Arrow, End, Event, Layout, TOP, layout};
use super::window::{Shown, Window};
use super::{plain, shortened};
use crate::history::{Datagram, Entry, Field, History, What};
use crate::transcript;
use kit::{Direction, HostId, Time};
use maud::{Markup, PreEscaped, html};

const STYLE: &str = include_str!("svg.css");

/// Longest label beside a line, in characters.
const LABEL: usize = 17;
/// Longest label on an arrow, in characters.
const ARROW_LABEL: usize = 25;
/// Most lines that are shown while the pointer is on something.
const HOVER_LINES: usize = 40;

/// Where a click on something leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// Nowhere: the drawing stands alone.
    None,
    /// To the element `#eN`, where N is the place of the entry in the history, from 0.
    Entries,
}

/// The part of a history that `window` chooses, as an SVG document.
pub fn svg(history: &History, window: &Window, links: Links) -> String {
    drawing(history, &window.of(history), links).into_string()
}

/// What is shown of a history, drawn.
pub(super) fn drawing(history: &History, shown: &Shown, links: Links) -> Markup {
    let layout = layout(history, shown);
    let pen = Pen { history, layout: &layout, links };
    let (width, height) = layout.size;
    let title = format!("What was sent between the hosts of {}, from above to below", history.run.case);
    html! {
        svg.timeline xmlns="http://www.w3.org/2000/svg" width=(width) height=(height) viewBox={ "0 0 " (width) " " (height) }
            role="img" aria-label=(plain(&title)) {
            style { (PreEscaped(STYLE)) }
            defs {
                @for name in ["s2c", "c2s", "late", "damaged"] {
                    marker id={ "tip-" (name) } viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="9" markerHeight="9"
                        markerUnits="userSpaceOnUse" orient="auto" { path class={ "tip " (name) } d="M0 0.5L8 4L0 7.5z" {} }
                }
            }
            rect.ground width=(width) height=(height) {}
            (pen.times())
            (pen.lines(shown))
            @for (place, y) in &layout.findings { (pen.band(*place, *y)) }
            @for (.., drawn) in pen.all() { (drawn) }
        }
    }
}

/// Draws one history.
struct Pen<'a> {
    history: &'a History,
    layout: &'a Layout,
    links: Links,
}

impl Pen<'_> {
    fn entry(&self, place: usize) -> Option<&Entry> {
        self.history.entries.get(place)
    }

    /// Something that tells what it is while the pointer is on it, and leads to the entry where there are links.
    fn telling(&self, place: usize, class: &str, title: &str, content: Markup) -> Markup {
        // A finding is drawn once, a datagram at each of its arrivals.
        let anchor = (class == "finding").then(|| format!("d{place}"));
        html! {
            @match self.links {
                Links::Entries => a id=[anchor] href={ "#e" (place) } class=(class) { title { (plain(title)) } (content) },
                Links::None => g class=(class) { title { (plain(title)) } (content) },
            }
        }
    }

    fn times(&self) -> Markup {
        let (width, _) = self.layout.size;
        html! {
            @for (at, y) in &self.layout.times {
                line.grid x1="52" x2=(width) y1=(y) y2=(y) {}
                text.time x="48" y=(y + 3) { (milliseconds(*at)) }
            }
            @for (y, gap_us) in &self.layout.cuts {
                path.cut d={ "M8 " (y) "l6 -4l6 8l6 -8l6 8l6 -4" } { title { (gap_us / 1000) " ms in which nothing happens" } }
            }
        }
    }

    fn lines(&self, shown: &Shown) -> Markup {
        let (_, height) = self.layout.size;
        let [before, after] = shown.left_out;
        html! {
            @for (host, x) in &self.layout.hosts {
                line.life x1=(x) x2=(x) y1=(TOP - 8) y2=(height - 18) {}
                text.host x=(x) y=(TOP - 14) { (host) }
            }
            @if before > 0 { text.more x="8" y=(TOP) { "… " (before) " before" } }
            @if after > 0 { text.more x="8" y=(height - 6) { "… " (after) " more" } }
        }
    }

    /// Everything that can be pointed at, from above to below: in this order the keyboard goes through it.
    fn all(&self) -> Vec<(i64, usize, Markup)> {
        let layout = self.layout;
        let findings = layout.findings.iter().map(|(place, y)| (*y, *place, self.finding(*place, *y)));
        let arrows = layout.arrows.iter().map(|arrow| (arrow.from.1, arrow.entry, self.arrow(arrow)));
        let first = |event: &Event| event.entries.first().copied().unwrap_or_default();
        let events = layout.events.iter().map(|event| (event.y, first(event), self.event(event)));
        let mut all: Vec<(i64, usize, Markup)> = arrows.chain(events).chain(findings).collect();
        all.sort_by_key(|(y, place, _)| (*y, *place));
        all
    }

    /// What a finding lies on, behind everything else.
    fn band(&self, place: usize, y: i64) -> Markup {
        let Some(Entry { what: What::Finding(found), .. }) = self.entry(place) else { return html! {} };
        let (width, _) = self.layout.size;
        html! { rect.band.should[!found.finding.is_must()] width=(width) y=(y - 7) height="14" {} }
    }

    fn finding(&self, place: usize, y: i64) -> Markup {
        let Some(Entry { what: What::Finding(found), at, .. }) = self.entry(place) else { return html! {} };
        let (width, _) = self.layout.size;
        let finding = &found.finding;
        let title = format!("{at}  {} {} {}: {}", finding.suspects(), finding.weight(), finding.host, finding.what);
        let place_of = |host: &HostId| self.layout.hosts.iter().find(|(known, _)| known == host).map(|(_, x)| *x);
        let on = self.layout.hosts.iter().find(|(host, _)| host.to_string() == finding.host).map(|(host, _)| host);
        self.telling(
            place,
            "finding",
            &title,
            html! {
                rect.reach width=(width) y=(y - 7) height="14" {}
                @if let Some(x) = on.and_then(place_of) { circle cx=(x) cy=(y) r="5" {} }
                text.id x=(width - 6) y=(y + 4) { (finding.requirement) }
            },
        )
    }

    fn arrow(&self, arrow: &Arrow) -> Markup {
        let Some(Entry { what: What::Sent(datagram), at, .. }) = self.entry(arrow.entry) else { return html! {} };
        let ((x1, y1), (x2, y2)) = (arrow.from, arrow.to);
        let looks = looks(arrow, datagram);
        let tip = match arrow.end {
            End::Arrives if arrow.damaged => Some("url(#tip-damaged)"),
            End::Arrives if arrow.late => Some("url(#tip-late)"),
            End::Arrives if datagram.packet.direction == Direction::ServerToClient => Some("url(#tip-s2c)"),
            End::Arrives => Some("url(#tip-c2s)"),
            End::Lost | End::Later => None,
        };
        let causes = self.history.findings().filter_map(|(_, found)| found.cause);
        let class = match causes.into_iter().any(|cause| cause.packet == datagram.packet) {
            true => format!("{looks} cause"),
            false => looks,
        };
        let right = x2 > x1;
        self.telling(
            arrow.entry,
            &class,
            &hover(*at, datagram),
            html! {
                line.near x1=(x1) y1=(y1) x2=(x2) y2=(y2) {}
                line.arrow x1=(x1) y1=(y1) x2=(x2) y2=(y2) marker-end=[tip] {}
                @if arrow.end == End::Lost { path.cross d={ "M" (x2 - 5) " " (y2 - 5) "l10 10m0 -10l-10 10" } {} }
                @if !arrow.from_before && !arrow.second {
                    text.label.left[!right] x=(if right { x1 + 7 } else { x1 - 7 }) y=(y1 - 2) { (label(datagram)) }
                }
            },
        )
    }

    fn event(&self, event: &Event) -> Markup {
        let entries: Vec<&Entry> = event.entries.iter().filter_map(|place| self.entry(*place)).collect();
        let (Some(first), Some(place)) = (entries.first(), event.entries.first()) else { return html! {} };
        let x = self.layout.hosts.iter().find(|(host, _)| *host == event.host).map_or(0, |(_, x)| *x);
        let leftmost = self.layout.hosts.first().is_some_and(|(host, _)| *host == event.host);
        let (class, text) = match &first.what {
            What::Command { text, .. } if entries.len() == 1 => ("command", text.clone()),
            What::Command { .. } => ("command", format!("{} commands", entries.len())),
            What::State { host, peer, to, .. } if *peer != HostId::SERVER && *host == HostId::SERVER => {
                ("state", format!("c{} {to}", peer.0))
            }
            What::State { to, .. } => ("state", to.clone()),
            What::Rejected { .. } => ("rejected", String::from("rejects")),
            What::Print { text, .. } => ("note", format!("{text:?}")),
            // Notes are many; the pointer tells them.
            _ => ("note", String::new()),
        };
        let lines: Vec<String> =
            entries.iter().filter_map(|entry| transcript::line(entry)).map(|line| line.what).collect();
        let mut title = format!("{}  {}\n{}", first.at, event.host, lines.join("\n"));
        cut_lines(&mut title);
        let y = event.y;
        self.telling(
            *place,
            class,
            &title,
            html! {
                @match class {
                    "state" => rect.mark x=(x - 4) y=(y - 4) width="8" height="8" rx="2" {},
                    "command" => path.mark d={ "M" (x - 5) " " (y) "l5 -5l5 5l-5 5z" } {},
                    "rejected" => path.mark d={ "M" (x - 4) " " (y - 4) "l8 8m0 -8l-8 8" } {},
                    _ => circle.mark cx=(x) cy=(y) r="3" {},
                }
                @if !text.is_empty() {
                    text.beside.left[leftmost] x=(if leftmost { x - 9 } else { x + 9 }) y=(y + 3) {
                        (plain(&shortened(&text, LABEL)))
                    }
                }
            },
        )
    }
}

/// `352.398`: milliseconds, which are what a reader compares.
fn milliseconds(at: Time) -> String {
    format!("{}.{:03}", at.us() / 1000, at.us() % 1000)
}

/// The classes of an arrow.
fn looks(arrow: &Arrow, datagram: &Datagram) -> String {
    let mut looks = datagram.packet.direction.to_string();
    let kinds = [
        (arrow.end == End::Lost, " lost"),
        (arrow.end == End::Later, " later"),
        (arrow.second, " second"),
        (arrow.late, " late"),
        (arrow.damaged, " damaged"),
        (acknowledges(datagram), " ack"),
    ];
    kinds.iter().filter(|(is, _)| *is).for_each(|(_, class)| looks.push_str(class));
    looks
}

/// Whether a datagram acknowledges something, as far as its marks or its summary tell.
fn acknowledges(datagram: &Datagram) -> bool {
    datagram.carries.iter().any(|carried| carried.kind.starts_with("ack")) || datagram.summary.starts_with("ack")
}

/// `#12 frame 7, ack 3`.
fn label(datagram: &Datagram) -> String {
    plain(&shortened(&format!("#{} {}", datagram.packet.index, datagram.summary), ARROW_LABEL))
}

/// What the pointer tells of a datagram: a line, and its fields.
fn hover(at: Time, datagram: &Datagram) -> String {
    let Datagram { packet, bytes, summary, fate, .. } = datagram;
    let mut text = format!("{at}  {packet}  {} bytes  {summary}\n{fate}", bytes.len());
    if let Some(error) = &datagram.error {
        text.push_str(&format!("\ncannot be decoded: {error}"));
    }
    let mut add = |fields: &[Field]| {
        for field in fields {
            let indent = 2 * usize::from(field.depth);
            let value = field.value.as_ref().map_or(String::new(), |value| format!(" = {value}"));
            text.push_str(&format!("\n{:indent$}{}{value}", "", field.field));
        }
    };
    add(&datagram.fields);
    datagram.messages.iter().for_each(|message| add(&message.fields));
    cut_lines(&mut text);
    text
}

/// Leaves out what is below the last line that is shown.
fn cut_lines(text: &mut String) {
    if let Some((cut, _)) = text.match_indices('\n').nth(HOVER_LINES) {
        let more = text[cut..].matches('\n').count();
        text.truncate(cut);
        text.push_str(&format!("\n… {more} lines more"));
    }
}
