//! Standard output and standard error, in one place: nothing else in the program writes to them.

use crate::scenario::Diagnostic;
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Color, Style};
use clap::ValueEnum;
use serde::Serialize;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

/// Something good.
pub(super) const GOOD: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Green)));
/// Something bad.
pub(super) const BAD: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Red))).bold();
/// Something to look at.
pub(super) const WARN: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Yellow)));
/// A heading.
pub(super) const HEAD: Style = Style::new().bold();
/// Something of less importance.
pub(super) const DIM: Style = Style::new().dimmed();

/// Why a command ends early.
#[derive(Debug, thiserror::Error)]
pub(super) enum Stop {
    /// Standard output takes no more.
    #[error("cannot write to standard output: {0}")]
    Output(#[from] io::Error),
    /// The command line, a scenario or an input is at fault.
    #[error("{0}")]
    Usage(String),
    /// Scenario files are at fault. Never empty.
    #[error("{}", .0.iter().map(Diagnostic::one_line).collect::<Vec<_>>().join("; "))]
    Scenarios(Vec<Diagnostic>),
    /// A process that should speak the shim protocol is at fault.
    #[error("{0}")]
    Shim(String),
    /// The harness is at fault.
    #[error("{0}")]
    Harness(String),
}

impl Stop {
    /// The exit code.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Stop::Usage(_) | Stop::Scenarios(_) => 2,
            Stop::Shim(_) => 3,
            Stop::Output(_) | Stop::Harness(_) => 4,
        }
    }
}

impl From<Diagnostic> for Stop {
    fn from(mistake: Diagnostic) -> Stop {
        Stop::Scenarios(vec![mistake])
    }
}

impl From<serde_json::Error> for Stop {
    fn from(error: serde_json::Error) -> Stop {
        match error.io_error_kind() {
            Some(kind) => Stop::Output(io::Error::from(kind)),
            None => Stop::Harness(format!("cannot write JSON: {error}")),
        }
    }
}

/// Buffered standard output. Colours are left out unless it is a terminal that wants them (`NO_COLOR`, `TERM`, …). What is for
/// machines has none, and is not looked through for them, which takes as long as making it.
pub(super) fn stdout(for_machines: bool) -> BufWriter<Pipe<AutoStream<StdoutLock<'static>>>> {
    let colours = if for_machines { ColorChoice::AlwaysAnsi } else { ColorChoice::Auto };
    BufWriter::with_capacity(OUTPUT_BYTES, Pipe { inner: AutoStream::new(io::stdout().lock(), colours), closed: false })
}

/// So much is written at once, in bytes.
const OUTPUT_BYTES: usize = 1 << 16;

/// Output that may be a pipe. When its reader has seen enough and closes it, the command goes on without being read: its exit
/// code is the verdict, and must not depend on how much `head` wanted.
pub(super) struct Pipe<W> {
    inner: W,
    closed: bool,
}

impl<W: Write> Write for Pipe<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Ok(bytes.len());
        }
        match self.inner.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(bytes.len())
            }
            result => result,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.inner.flush() {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            result => result,
        }
    }
}

/// What somebody who goes step by step wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The next step.
    Next,
    /// Everything else without a stop.
    Run,
    /// No more.
    Quit,
}

/// Asks after every step; `None` where nobody is there to answer, because input or output is no terminal.
pub(super) fn stepper() -> Option<impl FnMut() -> Step> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return None;
    }
    let _ = writeln!(io::stderr(), "Enter: next event; r and Enter: run to the end; q and Enter: quit");
    Some(|| {
        let mut answer = String::new();
        match io::stdin().read_line(&mut answer) {
            Ok(0) | Err(_) => Step::Run,
            Ok(_) => match answer.trim() {
                "q" => Step::Quit,
                "r" => Step::Run,
                _ => Step::Next,
            },
        }
    })
}

/// `1 datagram`, `2 datagrams`.
pub(super) fn many(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// How to print results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people
    Human,
    /// One JSON object per line
    Json,
    /// JUnit XML
    Junit,
    /// SARIF 2.1.0
    Sarif,
    /// For people, with GitHub's annotations after; the page of the step is written to the file that GITHUB_STEP_SUMMARY names
    Github,
}

/// What a command says: in words for people, in lines of JSON for machines.
pub(super) trait Answer {
    /// In words.
    fn human(&self, out: &mut dyn Write) -> Result<(), Stop>;

    /// As lines of JSON.
    fn json(&self, out: &mut dyn Write) -> Result<(), Stop>;
}

impl Format {
    /// Says it in this format. Those that only a few commands have are written by these.
    pub(super) fn say(self, answer: &impl Answer, out: &mut dyn Write) -> Result<(), Stop> {
        if self.is_for_people() { answer.human(out) } else { answer.json(out) }
    }

    /// Says one thing: `json` as a line, or what `human` writes.
    pub(super) fn tell<E: Into<Stop>>(
        self,
        out: &mut dyn Write,
        json: &impl Serialize,
        human: impl FnOnce(&mut dyn Write) -> Result<(), E>,
    ) -> Result<(), Stop> {
        if self.is_for_people() { human(out).map_err(E::into) } else { json_line(out, json) }
    }

    /// Whether people read it.
    pub(super) fn is_for_people(self) -> bool {
        matches!(self, Format::Human | Format::Github)
    }
}

/// The last line of JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub(super) struct Last<T> {
    pub summary: T,
}

/// One object as one line.
pub(super) fn json_line(out: &mut dyn Write, value: &impl Serialize) -> Result<(), Stop> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")?;
    Ok(())
}

/// A line for each of `rows`, and the summary.
pub(super) fn json_lines(
    out: &mut dyn Write,
    rows: impl IntoIterator<Item = impl Serialize>,
    summary: impl Serialize,
) -> Result<(), Stop> {
    rows.into_iter().try_for_each(|row| json_line(out, &row))?;
    json_line(out, &Last { summary })
}

/// Says why a command ended early: scenario mistakes with the lines concerned, everything else in one line.
pub(super) fn report(stop: &Stop) {
    let Stop::Scenarios(mistakes) = stop else { return complain(BAD, "error", stop) };
    let colour = AutoStream::choice(&io::stderr()) != ColorChoice::Never;
    for mistake in mistakes {
        let _ = writeln!(io::stderr(), "{}", mistake.render(colour));
    }
}

/// Says something on standard error. Whether anybody listens there does not matter.
pub(super) fn complain(style: Style, kind: &str, text: impl std::fmt::Display) {
    let _ = writeln!(anstream::stderr(), "{style}{kind}{style:#}: {text}");
}
