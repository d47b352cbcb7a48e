//! One process that speaks the shim protocol.

use crate::VERSION;
use crate::connection::{Absence, Connection, Door, Line, Said, wait};
use crate::guard;
use crate::home::Home;
use crate::message::{HelloReply, MAX_LINE, Operation, Refusal, Request};
use crate::schema::Strictness;
use kit::Fault;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// Of a line that is no reply at all.
const NO_OBJECT: &str =
    "no JSON object (a shim writes nothing but replies to standard output; --shim-tcp is for code that prints)";
/// So long an excerpt of a wrong line is shown, in characters.
const EXCERPT: usize = 120;
/// How long a process may take to end by itself when it was asked to.
const FAREWELL: Duration = Duration::from_millis(500);
/// To start takes longer than to answer: until the first answer a process has so many times its patience.
const TO_START: u32 = 6;

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

/// How to start a shim, and how to talk to it.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// How long one answer may take.
    pub patience: Duration,
    /// Over a loopback TCP connection, not over its standard input and output.
    pub tcp: bool,
    /// Every message, ours and its, is checked against its schema first.
    pub strict: bool,
    /// Variables of its environment, beside those of the harness.
    pub env: Vec<(String, String)>,
    /// What it finds where it runs.
    pub surroundings: Surroundings,
}

/// What a process finds where it runs: without a word here, what the harness finds.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Its working directory.
    pub directory: Option<String>,
    /// Its environment is [`Launch::env`], with nothing of the harness's own.
    pub alone: bool,
    /// In its arguments, variables and working directory, this stands for an empty folder. Each process has one for itself, as long as
    /// it runs.
    pub home: Option<&'static str>,
}

impl Launch {
    /// By standard input and output.
    pub fn new(command: Vec<String>, patience: Duration) -> Launch {
        Launch { command, patience, tcp: false, strict: false, env: Vec::new(), surroundings: Surroundings::default() }
    }

    /// The process that is to be started, and its folder, if it has one.
    fn prepare(&self, program: &str, arguments: &[String]) -> std::io::Result<(Command, Option<Home>)> {
        let Surroundings { directory, alone, home: name } = &self.surroundings;
        let home = name.map(|_| Home::new()).transpose()?;
        let placed = |text: &String| match (name, &home) {
            (Some(name), Some(home)) => text.replace(name, &home.path().to_string_lossy()),
            _ => text.clone(),
        };
        let mut command = Command::new(program);
        if *alone {
            command.env_clear();
        }
        command.args(arguments.iter().map(placed)).envs(self.env.iter().map(|(name, value)| (name, placed(value))));
        if let Some(directory) = directory {
            command.current_dir(placed(directory));
        }
        Ok((command, home))
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
    /// What a client cannot show: names of fields, `stats`, `statics`, `prints`, `note NAME`.
    pub not_shown: Vec<String>,
    /// The conforming variants of the reference that it is like, `PROTOCOL/NAME` each.
    pub like: Vec<String>,
    /// Whether a server can be told what the world is.
    pub takes_world: bool,
    /// Whether a server that takes the world shows nothing of itself, and goes its own way where scenarios set options.
    pub own_options: bool,
    /// The verbs that such a server does not take.
    pub not_taken: Vec<String>,
}

impl Hello {
    /// Whether a server of it is judged as one that somebody else runs: it shows nothing, and has options of its own.
    pub fn is_of_its_own(&self) -> bool {
        !self.takes_world || self.own_options
    }
}

/// A reply of any operation.
pub trait Reply: DeserializeOwned + Serialize {
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

/// A process. It is killed when this is dropped, with all that it started.
pub struct Process {
    child: Child,
    connection: Connection,
    said: Said,
    patience: Duration,
    strictness: Strictness,
    seq: u64,
    /// Who it says to be.
    pub hello: Hello,
    /// Removed when the process has ended.
    _home: Option<Home>,
}

impl std::fmt::Debug for Process {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Process").field("id", &self.child.id()).field("hello", &self.hello).finish_non_exhaustive()
    }
}

impl Process {
    /// What it wrote to its standard error lately.
    pub fn said(&self) -> String {
        self.said.last()
    }

    /// Starts a process and asks who it is.
    ///
    /// # Errors
    /// It cannot be started, or does not answer as it should.
    pub fn start(launch: &Launch) -> Result<Process, Fault> {
        let no_start = |why: String| Fault::NoStart { command: launch.command.join(" "), why };
        let (program, arguments) = launch.command.split_first().ok_or_else(|| no_start(String::from("it is empty")))?;
        let door = launch.tcp.then(Door::open).transpose().map_err(|error| no_start(error.to_string()))?;
        let (mut command, home) = launch.prepare(program, arguments).map_err(|error| no_start(error.to_string()))?;
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        match &door {
            Some(door) => {
                command.env("DELTAPROOF_SHIM_PORT", door.port.to_string()).env("DELTAPROOF_SHIM_TOKEN", &door.token);
                command.stdin(Stdio::null());
            }
            None => {
                command.env_remove("DELTAPROOF_SHIM_PORT").stdin(Stdio::piped());
            }
        }
        guard::prepare(&mut command);
        let mut child = command.spawn().map_err(|error| no_start(error.to_string()))?;
        if let Err(error) = guard::watch(&child) {
            guard::kill(&mut child);
            return Err(no_start(error.to_string()));
        }
        let mut said = Said::default();
        said.listen(child.stderr.take());
        let (connection, absence) = match &door {
            None => (Connection::by_pipes(&mut child), None),
            Some(door) => {
                said.listen(child.stdout.take());
                match Connection::by_tcp(door, launch.patience * TO_START, &mut || guard::has_ended(&mut child)) {
                    Ok(connection) => (connection, None),
                    Err(absence) => (Connection::by_pipes(&mut child), Some((absence, door.port))),
                }
            }
        };
        let strictness = Strictness::new(launch.strict);
        let hello = Hello::default();
        let mut process =
            Process { child, connection, said, patience: launch.patience, strictness, seq: 0, hello, _home: home };
        match absence {
            Some((Absence::Ended, _)) => return Err(process.ended("connect", b"")),
            Some((Absence::Late, port)) => {
                return Err(Fault::Absent {
                    port,
                    ms: (launch.patience * TO_START).as_millis(),
                    said: process.said.text(),
                });
            }
            None => {}
        }
        process.meet()?;
        Ok(process)
    }

    /// Asks who it is.
    fn meet(&mut self) -> Result<(), Fault> {
        let reply: HelloReply = self.ask(Operation::Hello { version: VERSION })?;
        if reply.version != VERSION {
            let why = format!("it speaks version {} of the shim protocol, not {VERSION}", reply.version);
            return Err(Fault::Wrong { asked: "hello", why });
        }
        let HelloReply { name, build, roles, profiles, not_shown, like, takes_world, own_options, not_taken, .. } =
            reply;
        self.hello = Hello { name, build, roles, profiles, not_shown, like, takes_world, own_options, not_taken };
        Ok(())
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
        let request = Request { seq: self.seq, operation };
        let own = |why: String| Fault::Own { asked, why };
        let line = serde_json::to_vec(&request).map_err(|error| own(error.to_string()))?;
        self.strictness.check_request(&line).map_err(own)?;
        self.exchange(asked, line)
    }

    /// Asks for an operation that no version of the protocol has, which has to be refused.
    ///
    /// # Errors
    /// It is not refused, or the process fails.
    pub fn ask_unknown(&mut self) -> Result<(), Fault> {
        let asked = "no_such_operation";
        let line = format!("{{\"seq\":{},\"op\":\"{asked}\"}}", self.seq).into_bytes();
        match self.exchange::<crate::message::DoneReply>(asked, line) {
            Err(Fault::Unsupported { .. }) => Ok(()),
            Err(fault) => Err(fault),
            Ok(_) => Err(Fault::Wrong { asked, why: String::from("it has to be refused, by `unsupported`") }),
        }
    }

    /// Writes a request with the next `seq`, and reads the reply to it.
    fn exchange<R: Reply>(&mut self, asked: &'static str, mut line: Vec<u8>) -> Result<R, Fault> {
        let wrong = |why: String| Fault::Wrong { asked, why };
        if let Some(line) = self.connection.unasked() {
            return Err(wrong(format!("before it, the shim wrote a line without a request: {}", excerpt(&line))));
        }
        let asked_as = self.seq;
        self.seq += 1;
        line.push(b'\n');
        let patience = if asked_as == 0 { self.patience * TO_START } else { self.patience };
        let line = match self.connection.exchange(line, patience) {
            Some(Line::Whole(line)) => line,
            Some(Line::TooLong) => return Err(wrong(format!("a line of more than {MAX_LINE} bytes"))),
            Some(Line::End(left)) => return Err(self.ended(asked, &left)),
            None => return Err(Fault::Hung { asked, ms: patience.as_millis(), said: self.said.text() }),
        };
        let text = std::str::from_utf8(&line)
            .map_err(|error| wrong(format!("byte {} is not UTF-8: {}", error.valid_up_to() + 1, excerpt(&line))))?;
        let of_another = |seq: u64| format!("`seq` is {seq}, the request's was {asked_as}");
        let reply: R = serde_json::from_str(text).map_err(|error| {
            // A line too many is taken for the next answer, and is of another kind, too.
            let other = serde_json::from_str::<Value>(text).ok().and_then(|line| line.get("seq")?.as_u64());
            let why = match other.filter(|seq| *seq != asked_as) {
                Some(seq) => of_another(seq),
                None if !text.trim_start().starts_with('{') => String::from(NO_OBJECT),
                None => error.to_string(),
            };
            wrong(format!("{why}: {}", excerpt(&line)))
        })?;
        self.strictness.check_reply(asked, text).map_err(|why| wrong(format!("{why}: {}", excerpt(&line))))?;
        let (seq, refusal) = reply.head();
        if seq != asked_as {
            return Err(wrong(of_another(seq)));
        }
        match refusal {
            Some(refusal) => Err(Fault::Unsupported { asked, what: refusal.unsupported.clone() }),
            None => Ok(reply),
        }
    }

    /// Ends the process as the protocol has it.
    ///
    /// # Errors
    /// It does not answer, does not end, or does not end well.
    pub fn bye(mut self) -> Result<(), Fault> {
        let _: crate::message::DoneReply = self.ask(Operation::Bye)?;
        let wrong = |why: String| Err(Fault::Wrong { asked: "bye", why });
        let patience = self.patience;
        match self.wait(patience) {
            Some(status) if status.success() => Ok(()),
            Some(status) => wrong(format!("after the answer the shim ended with {status}, not with exit code 0")),
            None => wrong(format!("{} ms later the shim still runs", patience.as_millis())),
        }
    }

    fn ended(&mut self, asked: &'static str, left: &[u8]) -> Fault {
        let how = match self.wait(self.patience) {
            Some(status) => status.to_string(),
            None => String::from("it closed its end of the line, and goes on"),
        };
        self.said.drain(FAREWELL);
        let left =
            if left.is_empty() { String::new() } else { format!(", in the middle of a line: {}", excerpt(left)) };
        Fault::Ended { how, asked, left, said: self.said.text() }
    }

    /// Waits until it has ended by itself; what it started is killed then.
    fn wait(&mut self, patience: Duration) -> Option<ExitStatus> {
        wait(patience, || guard::has_ended(&mut self.child).then_some(()))?;
        guard::kill(&mut self.child);
        self.child.try_wait().ok().flatten()
    }
}

impl Drop for Process {
    /// It can end by itself when its input is closed; else it is killed.
    fn drop(&mut self) {
        self.connection.close();
        if self.wait(FAREWELL).is_none() {
            guard::kill(&mut self.child);
        }
    }
}

/// The beginning of a line, for a message.
pub fn excerpt(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let more = if text.chars().count() > EXCERPT { " …" } else { "" };
    let shown: String = text.chars().take(EXCERPT).collect();
    format!("{shown:?}{more}")
}
