//! The numbers as charts and as a table. Geometry is in integers, so that the same numbers give the same bytes anywhere.

use super::{LATENCY_MS, LOSS_PERCENT, Measured, PROTOCOLS, Varied, WHAT};
use maud::{Markup, PreEscaped, html};
use std::fmt::Write;

/// A measured point: the protocol by its place in [`PROTOCOLS`], what is varied and its value, what was measured.
pub type Point = (usize, Varied, u32, Measured);

/// Width of one chart with its labels, and of its plot.
const WIDTH: u64 = 460;
const HEIGHT: u64 = 300;
const PLOT: (u64, u64) = (300, 210);
const ORIGIN: (u64, u64) = (60, 250);
/// The charts begin below the heading.
const TOP: u64 = 60;

const STYLE: &str = "text{font:12px system-ui,sans-serif;fill:#1b1f24}.t{font-weight:600;font-size:14px}.d{fill:#57606a}.a{stroke:#8c959f}\
.g{stroke:#d0d7de}.b{fill:#fff}path{fill:none;stroke-width:2}.s0{stroke:#0550ae;fill:#0550ae}.s1{stroke:#953800;fill:#953800}\
.s2{stroke:#116329;fill:#116329}.s3{stroke:#8250df;fill:#8250df}path.s0,path.s1,path.s2,path.s3{fill:none}text.s0,text.s1,text.s2,text.s3{stroke:none}\
path.s1{stroke-dasharray:7 3}path.s2{stroke-dasharray:2 3}path.s3{stroke-dasharray:10 3 2 3}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.d{fill:#9aa4ae}.g{stroke:#30363d}.b{fill:#0d1117}.s0{stroke:#79b8ff;fill:#79b8ff}\
.s1{stroke:#ffa657;fill:#ffa657}.s2{stroke:#4ac26b;fill:#4ac26b}.s3{stroke:#d2a8ff;fill:#d2a8ff}}";

/// The table: one line for each protocol and point.
pub fn csv(points: &[Point]) -> String {
    let mut text = String::from(
        "protocol,profile,varied,loss_percent,latency_ms,bytes_per_frame,recovery_us,longest_recovery_us,runs,not_recovered\n",
    );
    for (protocol, varied, value, measured) in points {
        let (loss, latency) = match varied {
            Varied::Loss => (*value, LATENCY_MS),
            Varied::Latency => (LOSS_PERCENT, *value),
        };
        let protocol = &PROTOCOLS[*protocol];
        let time = |time: Option<u64>| time.map(|time| time.to_string()).unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{},{},{},{loss},{latency},{}.{:03},{},{},{},{}",
            protocol.name,
            protocol.profile,
            varied.name(),
            measured.bytes_per_frame_milli / 1000,
            measured.bytes_per_frame_milli % 1000,
            time(measured.recovery_us),
            time(measured.longest_us),
            measured.runs,
            measured.not_recovered
        );
    }
    text
}

/// Four charts: bytes and recovery, each against loss and against latency.
pub fn svg(points: &[Point], entities: u32) -> String {
    let (width, height) = (2 * WIDTH, TOP + 2 * HEIGHT);
    let chart = |column: u64, row: u64, varied: Varied, what: What| {
        html! { g transform=(format!("translate({} {})", column * WIDTH, TOP + row * HEIGHT)) { (chart(points, varied, what)) } }
    };
    let drawing = html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(width) height=(height) viewBox=(format!("0 0 {width} {height}")) role="img"
            aria-labelledby="title what" {
            title id="title" { "What a world of " (entities) " moving entities costs, and how soon it is right again after an outage" }
            desc id="what" { (WHAT) }
            style { (PreEscaped(STYLE)) }
            rect.b width=(width) height=(height) {}
            text.t x="20" y="28" { (entities) " moving entities, two clients, 20 server frames a second" }
            text.d x="20" y="46" { "Against loss at " (LATENCY_MS) " ms each way; against latency at " (LOSS_PERCENT) " % loss. References of deltaproof, not engines." }
            (chart(0, 0, Varied::Loss, What::Bytes))
            (chart(1, 0, Varied::Latency, What::Bytes))
            (chart(0, 1, Varied::Loss, What::Recovery))
            (chart(1, 1, Varied::Latency, What::Recovery))
        }
    };
    drawing.into_string() + "\n"
}

/// What a chart shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Bytes,
    Recovery,
}

impl What {
    const fn title(self) -> &'static str {
        match self {
            What::Bytes => "Bytes per server frame and client",
            What::Recovery => "Recovery after an outage of 1 s, mean, in ms",
        }
    }

    /// In bytes, or in milliseconds.
    fn of(self, measured: &Measured) -> Option<u64> {
        match self {
            What::Bytes => Some((measured.bytes_per_frame_milli + 500) / 1000),
            What::Recovery => measured.recovery_us.map(|time| (time + 500) / 1000),
        }
    }
}

fn chart(points: &[Point], varied: Varied, what: What) -> Markup {
    let here: Vec<&Point> = points.iter().filter(|point| point.1 == varied).collect();
    let mut values: Vec<u32> = here.iter().map(|point| point.2).collect();
    values.sort_unstable();
    values.dedup();
    let most = here.iter().filter_map(|point| what.of(&point.3)).max().unwrap_or(1).max(1);
    let (step, top) = scale(most);
    let unit = if varied == Varied::Loss { "%" } else { "ms" };
    // Points stand at equal distances: what is varied about doubles from one to the next.
    let x = |value: u32| {
        let place = values.iter().position(|known| *known == value).unwrap_or(0) as u64;
        ORIGIN.0 + place * PLOT.0 / (values.len() as u64).saturating_sub(1).max(1)
    };
    let y = |value: u64| ORIGIN.1 - value * PLOT.1 / top;
    let series: Vec<(usize, Vec<(u64, u64)>)> = (0..PROTOCOLS.len())
        .map(|place| {
            let own = here.iter().filter(|point| point.0 == place);
            (place, own.filter_map(|point| Some((x(point.2), y(what.of(&point.3)?)))).collect())
        })
        .collect();
    let labels = labels(&series);
    html! {
        text.t x="20" y="22" { (what.title()) }
        @for value in (0..=top / step).map(|line| line * step) {
            line.g x1=(ORIGIN.0) x2=(ORIGIN.0 + PLOT.0) y1=(y(value)) y2=(y(value)) {}
            text.d x=(ORIGIN.0 - 8) y=(y(value) + 4) text-anchor="end" { (value) }
        }
        @for value in &values { text.d x=(x(*value)) y=(ORIGIN.1 + 18) text-anchor="middle" { (value) } }
        text.d x=(ORIGIN.0 + PLOT.0) y=(ORIGIN.1 + 36) text-anchor="end" { (varied.name()) " in " (unit) ", each way" }
        line.a x1=(ORIGIN.0) x2=(ORIGIN.0 + PLOT.0) y1=(ORIGIN.1) y2=(ORIGIN.1) {}
        @for (place, line) in &series {
            @let class = format!("s{place}");
            @let path: Vec<String> = line.iter().map(|(x, y)| format!("{x} {y}")).collect();
            @if !path.is_empty() { path class=(class) d=(format!("M{}", path.join("L"))) {} }
            @for (x, y) in line { circle class=(class) cx=(x) cy=(y) r="3" {} }
        }
        @for (place, y) in labels {
            text class=(format!("s{place}")) x=(ORIGIN.0 + PLOT.0 + 8) y=(y + 4) { (PROTOCOLS[place].name) }
        }
    }
}

/// A step of 1, 2 or 5 times a power of ten that makes at most six lines, and the highest line.
fn scale(most: u64) -> (u64, u64) {
    let mut power = 1;
    loop {
        for step in [power, 2 * power, 5 * power] {
            let lines = most.div_ceil(step).max(1);
            if lines <= 5 {
                return (step, lines * step);
            }
        }
        power *= 10;
    }
}

/// Where the names stand, at the ends of their lines, none upon another.
fn labels(series: &[(usize, Vec<(u64, u64)>)]) -> Vec<(usize, u64)> {
    const APART: u64 = 15;
    let ends = series.iter().filter_map(|(place, line)| Some((*place, line.last()?.1)));
    let mut labels: Vec<(usize, u64)> = ends.collect();
    labels.sort_by_key(|(_, y)| *y);
    for place in 1..labels.len() {
        labels[place].1 = labels[place].1.max(labels[place - 1].1 + APART);
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points() -> Vec<Point> {
        let of = |place: usize, value: u32, recovery_us| {
            let measured = Measured {
                bytes_per_frame_milli: 1_000 * (1 + place as u64) + 250,
                recovery_us,
                longest_us: recovery_us,
                runs: 4,
                not_recovered: u64::from(recovery_us.is_none()),
            };
            (place, Varied::Loss, value, measured)
        };
        vec![of(0, 0, Some(80_000)), of(0, 5, None), of(1, 0, Some(90_000))]
    }

    #[test]
    fn the_table_has_a_line_for_each_point_and_leaves_out_what_was_not_reached() {
        assert_eq!(
            csv(&points()),
            "protocol,profile,varied,loss_percent,latency_ms,bytes_per_frame,recovery_us,longest_recovery_us,runs,not_recovered\n\
             FTE,fte-nq,loss,0,30,1.250,80000,80000,4,0\n\
             FTE,fte-nq,loss,5,30,1.250,,,4,1\n\
             FitzQuake 666,fitz666,loss,0,30,2.250,90000,90000,4,0\n"
        );
    }

    #[test]
    fn scales_have_few_round_lines_above_everything() {
        assert_eq!([1, 7, 10, 11, 480, 1001].map(scale), [(1, 1), (2, 8), (2, 10), (5, 15), (100, 500), (500, 1500)]);
    }

    #[test]
    fn names_at_the_ends_do_not_cover_each_other() {
        let series = vec![(0, vec![(0, 5), (1, 100)]), (1, vec![(1, 101)]), (2, Vec::new()), (3, vec![(1, 99)])];
        assert_eq!(labels(&series), [(3, 99), (0, 114), (1, 129)]);
    }

    #[test]
    fn the_drawing_is_the_same_each_time_and_says_what_it_is() {
        let drawing = svg(&points(), 8);
        assert_eq!(drawing, svg(&points(), 8));
        assert!(drawing.contains("8 moving entities") && drawing.contains("are not compared"), "{drawing}");
    }
}
