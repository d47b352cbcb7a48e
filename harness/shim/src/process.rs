//! One process that speaks the shim protocol, and everything that can go wrong with it.

use crate::VERSION;
use crate::message::{HelloReply, MAX_LINE, Operation, Refusal, Request};
use serde::de::DeserializeOwned;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// So much of what a process wrote to its standard error last is kept for messages, in bytes.
const KEPT_STDERR: usize = 2_000;
/// So long an excerpt of a wrong line is shown, in characters.
const EXCERPT: usize = 120;
/// How long a process may take to end by itself when it was told to.
const FAREWELL: Duration = Duration::from_millis(500);

/// What a shim did wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// There is no such program, or it may not be run.
    #[error("`{command}` cannot be started: {why}")]
    NoStart {
        /// The command line.
        command: String,
        /// The system's reason.
        why: String,
    },
    /// It ended, or closed its standard output.
    #[error("the shim ended ({how}) instead of answering `{asked}`{left}{said}")]
    Ended {
        /// How: its exit code or signal.
        how: String,
        /// The operation.
        asked: &'static str,
        /// What it had written of a line.
        left: String,
        /// What it wrote to standard error last.
        said: String,
    },
    /// It did not answer.
    #[error("the shim did not answer `{asked}` within {ms} ms (`--shim-timeout` gives it longer){said}")]
    Hung {
        /// The operation.
        asked: &'static str,
        /// How long it had.
        ms: u128,
        /// What it wrote to standard error last.
        said: String,
    },
    /// Its answer is none.
    #[error("the answer to `{asked}` is wrong: {why}")]
    Wrong {
        /// The operation.
        asked: &'static str,
        /// What is wrong with it, and where.
        why: String,
    },
    /// It cannot do what it was asked.
    #[error("the shim does not support {what}, which `{asked}` needs")]
    Unsupported {
        /// The operation.
        asked: &'static str,
        /// What it says.
        what: String,
    },
}

impl Operation {
    /// Its name on the wire.
    pub const fn name(&self) -> &'static str {
        match self {
            Operation::Hello { .. } => "hello",
            Operation::Open { .. } => "open",
            Operation::Step { .. } => "step",
            Operation::Observe { .. } => "observe",
            Operation::Close { .. } => "close",
            Operation::Bye => "bye",
        }
    }
}

/// Whom we talk to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hello {
    /// The name of the implementation.
    pub name: String,
    /// Which state of it.
    pub build: String,
    /// `server`, `client`, or both.
    pub roles: Vec<String>,
    /// The profiles that it speaks.
    pub profiles: Vec<String>,
}

/// A reply of any operation.
pub trait Reply: DeserializeOwned {
    /// The request that it answers, and whether it refuses that.
    fn head(&self) -> (u64, Option<&Refusal>);
}

macro_rules! replies {
    ($($reply:ty),*) => {
        $(impl Reply for $reply {
            fn head(&self) -> (u64, Option<&Refusal>) {
                (self.seq, self.error.as_ref())
            }
        })*
    };
}

replies!(HelloReply, crate::message::StepReply, crate::message::ObserveReply, crate::message::DoneReply);

/// What its standard output brings.
enum Line {
    Whole(Vec<u8>),
    TooLong,
    /// The end, and what stood before it.
    End(Vec<u8>),
}

/// A process. It is killed when this is dropped.
#[derive(Debug)]
pub struct Process {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Line>,
    errors: Arc<Mutex<Vec<u8>>>,
    /// Reads them.
    listener: Option<JoinHandle<()>>,
    patience: Duration,
    seq: u64,
    /// Who it says to be.
    pub hello: Hello,
}

impl Process {
    /// Starts `command`, the program and its arguments, and asks who it is. Each of its answers may take `patience`.
    ///
    /// # Errors
    /// It cannot be started, or does not answer as it should.
    pub fn start(command: &[String], patience: Duration) -> Result<Process, Fault> {
        let no_start = |why: String| Fault::NoStart { command: command.join(" "), why };
        let (program, arguments) = command.split_first().ok_or_else(|| no_start(String::from("it is empty")))?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| no_start(error.to_string()))?;
        let (input, output, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (sender, lines) = sync_channel(16);
        if let Some(output) = output {
            std::thread::spawn(move || {
                let mut output = BufReader::new(output);
                loop {
                    let line = next_line(&mut output);
                    let last = matches!(line, Line::End(_));
                    if sender.send(line).is_err() || last {
                        return;
                    }
                }
            });
        }
        let errors = Arc::new(Mutex::new(Vec::new()));
        let listener = stderr.map(|mut stderr| {
            let errors = Arc::clone(&errors);
            std::thread::spawn(move || {
                let mut some = [0; 1024];
                while let Ok(count @ 1..) = stderr.read(&mut some) {
                    let Ok(mut kept) = errors.lock() else { return };
                    kept.extend_from_slice(&some[..count]);
                    let surplus = kept.len().saturating_sub(KEPT_STDERR);
                    kept.drain(..surplus);
                }
            })
        });
        let mut process = Process { child, input, lines, errors, listener, patience, seq: 0, hello: Hello::default() };
        let reply: HelloReply = process.ask(Operation::Hello { version: VERSION })?;
        if reply.version != VERSION {
            let why = format!("it speaks version {} of the shim protocol, not {VERSION}", reply.version);
            return Err(Fault::Wrong { asked: "hello", why });
        }
        let HelloReply { name, build, roles, profiles, .. } = reply;
        process.hello = Hello { name, build, roles, profiles };
        Ok(process)
    }

    /// The number that the system has for it.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// Whatever is wrong with it; the process is of no use any more, but where it is [`Fault::Unsupported`].
    pub fn ask<R: Reply>(&mut self, operation: Operation) -> Result<R, Fault> {
        let asked = operation.name();
        let wrong = |why: String| Fault::Wrong { asked, why };
        if let Ok(Line::Whole(line)) = self.lines.try_recv() {
            return Err(wrong(format!("before it, the shim wrote a line that nobody asked for: {}", excerpt(&line))));
        }
        let request = Request { seq: self.seq, operation };
        self.seq += 1;
        let mut line = serde_json::to_vec(&request).map_err(|error| wrong(error.to_string()))?;
        line.push(b'\n');
        // A process that is gone shows by its end.
        if let Some(input) = &mut self.input {
            let _ = input.write_all(&line).and_then(|()| input.flush());
        }
        let line = match self.lines.recv_timeout(self.patience) {
            Ok(Line::Whole(line)) => line,
            Ok(Line::TooLong) => return Err(wrong(format!("a line of more than {MAX_LINE} bytes"))),
            Ok(Line::End(left)) => return Err(self.ended(asked, &left)),
            Err(RecvTimeoutError::Timeout) => {
                return Err(Fault::Hung { asked, ms: self.patience.as_millis(), said: self.said() });
            }
            Err(RecvTimeoutError::Disconnected) => return Err(self.ended(asked, b"")),
        };
        let text = std::str::from_utf8(&line)
            .map_err(|error| wrong(format!("byte {} is not UTF-8: {}", error.valid_up_to() + 1, excerpt(&line))))?;
        let reply: R = serde_json::from_str(text).map_err(|error| wrong(format!("{error}: {}", excerpt(&line))))?;
        let (seq, refusal) = reply.head();
        if seq != request.seq {
            return Err(wrong(format!("`seq` is {seq}, the request's was {}", request.seq)));
        }
        match refusal {
            Some(refusal) => Err(Fault::Unsupported { asked, what: refusal.unsupported.clone() }),
            None => Ok(reply),
        }
    }

    fn ended(&mut self, asked: &'static str, left: &[u8]) -> Fault {
        let how = match self.wait(FAREWELL) {
            Some(status) => status.to_string(),
            None => String::from("its standard output is closed, and it goes on"),
        };
        // Its last words may still be on their way.
        let listener = self.listener.take();
        wait(FAREWELL, || listener.as_ref().is_none_or(JoinHandle::is_finished).then_some(()));
        let left =
            if left.is_empty() { String::new() } else { format!(", in the middle of a line: {}", excerpt(left)) };
        Fault::Ended { how, asked, left, said: self.said() }
    }

    /// What it wrote to standard error last, for a message.
    fn said(&self) -> String {
        let Ok(errors) = self.errors.lock() else { return String::new() };
        let text = String::from_utf8_lossy(&errors);
        let text = text.trim();
        if text.is_empty() {
            String::new()
        } else {
            format!("\n  its standard error ends with:\n  {}", text.replace('\n', "\n  "))
        }
    }

    /// Waits until it has ended by itself.
    fn wait(&mut self, patience: Duration) -> Option<ExitStatus> {
        wait(patience, || self.child.try_wait().ok().flatten())
    }
}

/// Looks again and again until there is something, for no longer than `patience`.
#[expect(clippy::disallowed_methods, reason = "a process ends in wall time; no verdict on a protocol depends on it")]
fn wait<T>(patience: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    const STEP: Duration = Duration::from_millis(5);
    let mut waited = Duration::ZERO;
    loop {
        let found = look();
        if found.is_some() || waited >= patience {
            return found;
        }
        std::thread::sleep(STEP);
        waited += STEP;
    }
}

impl Drop for Process {
    /// It can end by itself when its standard input is closed; else it is killed.
    fn drop(&mut self) {
        self.input = None;
        if self.wait(FAREWELL).is_none() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

fn next_line(output: &mut impl BufRead) -> Line {
    let mut line = Vec::new();
    loop {
        let Ok(some) = output.fill_buf() else { return Line::End(line) };
        if some.is_empty() {
            return Line::End(line);
        }
        let end = some.iter().position(|&byte| byte == b'\n');
        let taken = end.map_or(some.len(), |end| end + 1);
        line.extend_from_slice(&some[..taken]);
        output.consume(taken);
        if line.len() > MAX_LINE + 1 {
            return Line::TooLong;
        }
        if end.is_some() {
            line.pop();
            return Line::Whole(line);
        }
    }
}

/// The beginning of a line, for a message.
fn excerpt(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let more = if text.chars().count() > EXCERPT { " …" } else { "" };
    let shown: String = text.chars().take(EXCERPT).collect();
    format!("{shown:?}{more}")
}
