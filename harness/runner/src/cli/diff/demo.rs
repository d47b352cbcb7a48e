//! Where two demos of one game part.

use super::super::output::{BAD, DIM, Format, GOOD, HEAD, Last, Stop, WARN, complain};
use crate::capture::Capture;
use crate::scene::diff::{Difference, Parted, Place, first_difference};
use crate::scene::parts::{Ask, Frames, Parts};
use kit::{Protocol, Time};
use serde_json::json;
use std::io::Write;

/// Most differences that are shown to people.
const MOST_SHOWN: usize = 20;
/// Longest value that is shown to people, in characters.
const VALUE_CHARS: usize = 120;

/// Prints the first frame that is not the same. Returns 1 if there is one.
pub(super) fn diff(
    [mut a, mut b]: [Capture; 2],
    protocols: &[&'static Protocol],
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let names = [String::from(a.name()), String::from(b.name())];
    let ask = Ask { protocols, forced: None, assume: None, strict: false };
    let (mut frames_a, mut frames_b) = (Frames::new(Parts::new(&mut a, ask)), Frames::new(Parts::new(&mut b, ask)));
    let parted = first_difference(&mut frames_a, &mut frames_b)?;
    let faults = [frames_a.fault(), frames_b.fault()];
    for remark in faults.iter().flatten().map(ToString::to_string) {
        complain(WARN, "remark", remark);
    }
    let summary = json!({ "a": &names[0], "b": &names[1], "same": !parted.parts(), "parted": &parted });
    format.tell(out, &Last { summary }, |out| human(&names, &parted, out))?;
    Ok(if faults.iter().any(Option::is_some) { 2 } else { u8::from(parted.parts()) })
}

/// A value as far as people read it: lists of models have pages.
fn shortened(value: &str) -> String {
    match value.char_indices().nth(VALUE_CHARS) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => String::from(value),
    }
}

fn human(names: &[String; 2], parted: &Parted, out: &mut dyn Write) -> Result<(), Stop> {
    let Parted { same, only_a, only_b, a, b, differences } = parted;
    let alone = [only_a, only_b].into_iter().zip(["A", "B"]).filter(|(count, _)| **count > 0);
    let alone: Vec<String> = alone.map(|(count, name)| format!("{count} that only {name} has")).collect();
    let passed = if alone.is_empty() { String::new() } else { format!(", besides {}", alone.join(" and ")) };
    if !parted.parts() {
        writeln!(out, "{GOOD}the same{GOOD:#}: {same} frames{passed}")?;
        return Ok(());
    }
    writeln!(out, "{DIM}{same} frames are the same{passed}{DIM:#}")?;
    for ((letter, name), place) in ["A", "B"].into_iter().zip(names).zip([a, b]) {
        write!(out, "{HEAD}{letter}{HEAD:#}  {name}: ")?;
        match place {
            None => writeln!(out, "{BAD}ends here{BAD:#}")?,
            Some(Place { frame, time_us, server_frame, byte }) => {
                let server = server_frame.map_or(String::new(), |number| format!(", the server's {number}"));
                writeln!(out, "frame {frame}{server}, at {}, byte {byte}", Time(*time_us))?;
            }
        }
    }
    for Difference { of, field, a, b, byte_a, byte_b } in differences.iter().take(MOST_SHOWN) {
        let [a, b] = [a, b].map(|value| shortened(value.as_deref().unwrap_or("nothing")));
        let field = if field.is_empty() { String::new() } else { format!(" {field}") };
        writeln!(out, "    {of}{field}: A has {BAD}{a}{BAD:#} (byte {byte_a}), B has {BAD}{b}{BAD:#} (byte {byte_b})")?;
    }
    if differences.len() > MOST_SHOWN {
        writeln!(out, "    {DIM}… {} more differ{DIM:#}", differences.len() - MOST_SHOWN)?;
    }
    Ok(())
}
