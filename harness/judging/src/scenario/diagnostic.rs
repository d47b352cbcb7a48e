//! What is wrong with a scenario file, where, and what to write instead.

use super::place::{line_of, token_bytes};
use miette::{LabeledSpan, NamedSource, SourceCode};
use std::fmt;
use std::path::Path;

/// A mistake in a scenario file, at its exact place.
///
/// `Display` is the message alone; [`Diagnostic::render`] shows the lines concerned, with carets and advice.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.message)]
pub struct Diagnostic(Box<Parts>);

#[derive(Debug)]
struct Parts {
    message: String,
    path: String,
    source: Option<NamedSource<String>>,
    labels: Vec<LabeledSpan>,
    line: usize,
    column: usize,
    help: Option<String>,
    /// Mistakes in other places, reported at the same time.
    others: Vec<Diagnostic>,
}

impl Diagnostic {
    /// A mistake that concerns a file or folder as a whole.
    pub fn whole(path: &Path, message: impl Into<String>, help: Option<String>) -> Diagnostic {
        Diagnostic(Box::new(Parts {
            message: message.into(),
            path: shown(path),
            source: None,
            labels: Vec::new(),
            line: 1,
            column: 1,
            help,
            others: Vec::new(),
        }))
    }

    /// A mistake at the byte `at` of `text`; the mark spans the word that begins there.
    pub(super) fn at(path: &Path, text: &str, at: usize, label: &str, message: impl Into<String>) -> Diagnostic {
        let at = boundary(text, at);
        let before = &text[..at];
        let path = shown(path);
        Diagnostic(Box::new(Parts {
            message: message.into(),
            source: Some(NamedSource::new(&path, String::from(text)).with_language("yaml")),
            path,
            labels: vec![LabeledSpan::new(Some(label.into()), at, token_bytes(text, at))],
            line: line_of(text, at),
            column: before.rsplit('\n').next().unwrap_or(before).chars().count() + 1,
            help: None,
            others: Vec::new(),
        }))
    }

    /// All `mistakes` as one, which is reported with all of them; `None` without any.
    pub fn all(mistakes: Vec<Diagnostic>) -> Option<Diagnostic> {
        let mut mistakes = mistakes.into_iter();
        let mut first = mistakes.next()?;
        first.0.others.extend(mistakes);
        Some(first)
    }

    /// With a second mark.
    pub(super) fn also(mut self, text: &str, at: usize, label: &str) -> Diagnostic {
        let at = boundary(text, at);
        self.0.labels.push(LabeledSpan::new(Some(label.into()), at, token_bytes(text, at)));
        self
    }

    /// With advice.
    pub(super) fn help(mut self, help: impl Into<Option<String>>) -> Diagnostic {
        self.0.help = help.into();
        self
    }

    /// The value or key at the byte `at` of `text`, to which `way` leads, is none of the file's type: `what` is serde's word for it.
    pub(super) fn of_type(path: &Path, text: &str, at: usize, way: &str, what: &str) -> Diagnostic {
        let place = if way.is_empty() { String::new() } else { format!(" in {way}") };
        for (intro, thing) in [("unknown field `", "key"), ("unknown variant `", "word")] {
            let Some((bad, rest)) = what.strip_prefix(intro).and_then(|rest| rest.split_once('`')) else {
                continue;
            };
            let known: Vec<&str> = rest.split('`').skip(1).step_by(2).collect();
            let label = format!("no such {thing}");
            let help = if bad == "preset" && place.starts_with(" in network.") {
                Some(String::from("`preset` stands in `network` itself, beside `both`, and is both directions"))
            } else {
                suggest(bad, &known, if thing == "key" { "the keys here are" } else { "the words here are" })
            };
            return Diagnostic::at(path, text, at, &label, format!("unknown {thing} `{bad}`{place}")).help(help);
        }
        if let Some(key) = what.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
            return Diagnostic::at(path, text, at, "it belongs here", format!("missing key `{key}`{place}"));
        }
        let way = if way.is_empty() { String::new() } else { format!("{way}: ") };
        match what.split_once("; write ") {
            Some((message, help)) => {
                Diagnostic::at(path, text, at, "here", format!("{way}{message}")).help(format!("write {help}"))
            }
            None => Diagnostic::at(path, text, at, "here", format!("{way}{}", plainer(what))),
        }
    }

    /// With this advice, if it has none of its own.
    pub fn or_help(mut self, help: &str) -> Diagnostic {
        self.0.help.get_or_insert_with(|| String::from(help));
        self
    }

    /// The file or folder.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// The line, from 1; 1 where the whole file is meant.
    pub fn line(&self) -> usize {
        self.0.line
    }

    /// The column in characters, from 1; 1 where the whole file is meant.
    pub fn column(&self) -> usize {
        self.0.column
    }

    /// The advice, if there is any.
    pub fn advice(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// One line: `scenarios/fte/x.yaml:3:5: message (advice)`; of several mistakes, `; ` stands between them.
    pub fn one_line(&self) -> String {
        let Parts { path, line, column, message, help, others, .. } = &*self.0;
        let mut text = match help {
            Some(help) => format!("{path}:{line}:{column}: {message} ({help})"),
            None => format!("{path}:{line}:{column}: {message}"),
        };
        others.iter().for_each(|other| text.push_str(&format!("; {}", other.one_line())));
        text
    }

    /// The message, the lines concerned with carets, and the advice, for a terminal with or without `colour`.
    pub fn render(&self, colour: bool) -> String {
        let theme = if colour { miette::GraphicalTheme::unicode() } else { miette::GraphicalTheme::unicode_nocolor() };
        let handler = miette::GraphicalReportHandler::new_themed(theme).with_width(100).with_context_lines(1);
        let mut out = String::new();
        let own = match handler.render_report(&mut out, self) {
            // Without lines to show, nothing else would name the file.
            Ok(()) if self.0.source.is_none() => format!("{}:\n{out}", self.0.path),
            Ok(()) => out,
            Err(fmt::Error) => self.one_line(),
        };
        let others = self.0.others.iter().map(|other| other.render(colour));
        std::iter::once(own).chain(others).collect::<Vec<_>>().join("\n")
    }
}

impl miette::Diagnostic for Diagnostic {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.0.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.0.source.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        if self.0.labels.is_empty() { None } else { Some(Box::new(self.0.labels.iter().cloned())) }
    }
}

/// Advice for a name that is not among `known`: the nearest one, or all of them.
pub(super) fn suggest(bad: &str, known: &[&str], intro: &str) -> Option<String> {
    if let Some(near) = nearest(bad, known) {
        return Some(format!("did you mean `{near}`?"));
    }
    match known {
        [] => None,
        known => Some(format!("{intro} `{}`", known.join("`, `"))),
    }
}

/// The name most like `bad`, if one is like it at all; the first of equals.
fn nearest<'a>(bad: &str, known: &[&'a str]) -> Option<&'a str> {
    let limit = (bad.chars().count() / 3).max(2);
    let rated = known.iter().map(|name| (strsim::damerau_levenshtein(name, bad), *name));
    let best = rated.min_by_key(|(distance, _)| *distance)?;
    // A name of two letters is two changes away from every other.
    (best.0 <= limit && best.0 < bad.chars().count()).then_some(best.1)
}

/// serde's words for types, in words for people.
fn plainer(message: &str) -> String {
    let mut message = message
        .replace("invalid type", "wrong type")
        .replace("invalid value", "wrong value")
        .replace("wrong type: string ", "wrong type: the text ")
        .replace("wrong type: sequence", "wrong type: a list")
        .replace("wrong type: map", "wrong type: a mapping")
        .replace("wrong type: floating point ", "wrong type: the fraction ")
        .replace("wrong type: boolean ", "wrong type: the word ");
    for (ours, theirs) in [
        ("a whole number from 0 to 255", &["u8"][..]),
        ("a whole number from 0 to 65535", &["u16"]),
        ("a whole number from 0 to 4294967295", &["u32"]),
        ("a whole number of at least 0", &["u64"]),
        ("`true` or `false`", &["a boolean"]),
        ("text", &["a string"]),
        ("a list", &["a sequence"]),
        ("a mapping", &["a map"]),
    ] {
        for theirs in theirs {
            if let Some(start) = message.strip_suffix(&format!("expected {theirs}")) {
                message = format!("{start}expected {ours}");
            }
        }
    }
    message
}

fn shown(path: &Path) -> String {
    path.display().to_string().replace('\\', "/")
}

/// `at`, moved back to the beginning of a character within the text.
fn boundary(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
