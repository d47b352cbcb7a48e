//! `diff`: where two runs part, or two demos.

mod demo;

use super::arguments::{DiffArguments, ReplayArguments};
use super::output::{BAD, DIM, Format, GOOD, HEAD, Last, Stop};
use super::replay;
use crate::capture::{self, Capture, Options};
use crate::history::diff::{Divergence, FieldDifference, first_divergence};
use crate::history::{Entry, History, Run};
use crate::transcript;
use clap::Parser;
use kit::Protocol;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Most fields that are shown to people.
const MOST_FIELDS: usize = 20;

/// A run, as its replay line names it.
#[derive(Debug, Parser)]
#[command(name = "replay", no_binary_name = true, disable_help_flag = true)]
struct Named {
    #[command(flatten)]
    replay: ReplayArguments,
    /// The folder of its scenarios
    #[arg(long)]
    scenarios: Option<PathBuf>,
}

/// Prints the first thing that is not the same. Returns 1 if there is one.
pub(super) fn diff(
    arguments: &DiffArguments,
    protocols: &[&'static Protocol],
    scenarios: Option<&Path>,
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let load = |named: &Named| {
        let folder = named.scenarios.as_deref().or(scenarios);
        replay::load(&named.replay, protocols, folder).map(|replayed| replayed.history)
    };
    if let Some(demos) = demos(&arguments.a, arguments.b.as_deref())? {
        return demo::diff(demos, protocols, format, out);
    }
    let named = named(&arguments.a, arguments.seed)?;
    let a = load(&named)?;
    let b = match &arguments.b {
        Some(b) => load(&self::named(b, arguments.seed)?)?,
        None if a.run.candidate.is_empty() || Path::new(&named.replay.case).is_file() => {
            return Err(Stop::Usage(String::from(
                "what is it compared with? name a second run; only one with a candidate is compared with the reference alone",
            )));
        }
        None => load(&Named { replay: without_candidate(&named.replay), ..named })?,
    };
    let divergence = first_divergence(&a, &b);
    let code = u8::from(divergence.is_some());
    let summary = json!({ "a": a.run, "b": b.run, "same": divergence.is_none(), "divergence": &divergence });
    format.tell(out, &Last { summary }, |out| match &divergence {
        Some(divergence) => human([&a, &b], divergence, out),
        None => Ok(writeln!(out, "{GOOD}the same{GOOD:#}: {} events until {}", a.entries.len(), a.end)?),
    })?;
    Ok(code)
}

/// Two demos, if the first is one by what is in it: then the second has to be one, too.
fn demos(a: &str, b: Option<&str>) -> Result<Option<[Capture; 2]>, Stop> {
    let open = |name: &str| capture::open(name, &Options::default()).map_err(|error| Stop::Usage(error.to_string()));
    let is_demo = |name: &str| Path::new(name).is_file() && open(name).is_ok_and(|capture| capture.demo().is_some());
    match (is_demo(a), b) {
        (false, Some(b)) if is_demo(b) => Err(Stop::Usage(format!("{b} is a demo, and {a} is none: name two demos"))),
        (false, _) => Ok(None),
        (true, Some(b)) if is_demo(b) => Ok(Some([open(a)?, open(b)?])),
        (true, Some(b)) => {
            // What is wrong with it says more than that it is no demo.
            open(b)?;
            Err(Stop::Usage(format!("{a} is a demo, and {b} is none: name two demos")))
        }
        (true, None) => Err(Stop::Usage(format!("what is {a} compared with? name a second demo"))),
    }
}

/// Reads what names a run: a file, or what stands after `deltaproof replay`.
fn named(text: &str, seed: Option<u64>) -> Result<Named, Stop> {
    let wrong = |why: String| Stop::Usage(format!("`{text}` names no run: {why}"));
    let mut words = match Path::new(text).is_file() {
        true => vec![String::from(text)],
        false => shlex::split(text).ok_or_else(|| wrong(String::from("a quote is not closed")))?,
    };
    for word in ["deltaproof", "replay"] {
        if words.first().is_some_and(|first| first == word) {
            words.remove(0);
        }
    }
    let mut named = Named::try_parse_from(words).map_err(|error| {
        let lines = error.to_string();
        wrong(lines.lines().next().unwrap_or_default().trim_start_matches("error: ").to_string())
    })?;
    named.replay.seed = named.replay.seed.or(seed);
    Ok(named)
}

/// The same run with the reference alone.
fn without_candidate(replay: &ReplayArguments) -> ReplayArguments {
    ReplayArguments {
        case: replay.case.clone(),
        seed: replay.seed,
        profile: replay.profile.clone(),
        last: None,
        until: None,
        step: false,
        html: None,
        pcapng: None,
        demo: None,
        demo_client: 1,
        mutant: None,
        knowledge: replay.knowledge,
        candidate: Default::default(),
    }
}

fn human([a, b]: [&History; 2], divergence: &Divergence<'_>, out: &mut dyn Write) -> Result<(), Stop> {
    let Divergence { common, last, a: left, b: right, fields } = divergence;
    match last {
        Some(last) => {
            writeln!(out, "{DIM}{common} events are the same; the last of them is{DIM:#}\n{}", first_line(last))?
        }
        None => writeln!(out, "{DIM}nothing is the same{DIM:#}")?,
    }
    for (letter, history, entry) in [("A", a, left), ("B", b, right)] {
        writeln!(out, "{HEAD}{letter}{HEAD:#}  {DIM}{}{DIM:#}", run(&history.run))?;
        match entry {
            Some(entry) if fields.is_empty() => writeln!(out, "{BAD}{}{BAD:#}", whole(entry))?,
            Some(entry) => writeln!(out, "{BAD}{}{BAD:#}", first_line(entry))?,
            None => writeln!(out, "{BAD}ends here, at {}{BAD:#}", history.end)?,
        }
    }
    for FieldDifference { field, a, b } in fields.iter().take(MOST_FIELDS) {
        let [a, b] = [a, b].map(|value| value.as_deref().unwrap_or("(not there)"));
        writeln!(out, "    {field}: A has {BAD}{a}{BAD:#}, B has {BAD}{b}{BAD:#}")?;
    }
    if fields.len() > MOST_FIELDS {
        writeln!(out, "    {DIM}… {} more fields differ{DIM:#}", fields.len() - MOST_FIELDS)?;
    }
    Ok(())
}

fn run(run: &Run) -> String {
    let seed = run.seed.map_or(String::new(), |seed| format!(" seed {seed}"));
    let candidate = if run.candidate.is_empty() { "" } else { " " };
    format!("{}{seed}{candidate}{}", run.case, run.candidate)
}

/// The line of an entry; what is delivered has none of its own elsewhere.
fn whole(entry: &Entry) -> String {
    match (transcript::line(entry), &entry.what) {
        (Some(line), _) => line.to_string(),
        (None, crate::history::What::Delivered { packet, copy, intact }) => {
            let how = if *intact { "" } else { ", damaged" };
            let which = if *copy == 0 { "" } else { ", its second copy" };
            format!("{:>12}  {packet:<12} is delivered{which}{how}", entry.at)
        }
        (None, _) => format!("{:>12}", entry.at),
    }
}

fn first_line(entry: &Entry) -> String {
    let text = whole(entry);
    text.lines().next().unwrap_or_default().to_string()
}
