//! `shim talk`: a conversation with a process by hand, message by message.

use super::super::arguments::ShimProcess;
use super::super::output::{BAD, DIM, HEAD, Stop};
use super::super::profile;
use super::host_of;
use kit::{Direction, Dissection, Dissector, HostId, Protocol, Role, Setup};
use shim::message::{DoneReply, Input, ObserveReply, Operation, StepReply};
use shim::{Fault, Process, words};
use std::io::{BufRead, Write};

const GUIDE: &str = "\
open ROLE PROFILE     a run begins: be `server` or `client` of a profile
connect | disconnect  tell the client so
command JSON          any instruction, such as {\"command\":\"set\",\"entity\":5,\"field\":\"frame\",\"value\":7}
datagram HEX          a datagram arrives from the other end
wait MS               time passes, with a `timeout` whenever one was asked for
observe               what does it hold?
close                 the run is over
bye                   the end
";

/// Reads commands, and shows every message, until there are no more commands.
pub(super) fn talk(
    chosen: &ShimProcess,
    protocols: &'static [&'static Protocol],
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let process = Process::start(&chosen.talk.launch(chosen.command.clone())?);
    let process = process.map_err(|fault| Stop::Shim(fault.to_string()))?;
    writeln!(out, "{}\n{DIM}{GUIDE}{DIM:#}", serde_json::to_string(&process.hello.name)?)?;
    let mut talk = Talk { process, open: None, now: 0, wake: None, out };
    let mut line = String::new();
    loop {
        write!(talk.out, "> ")?;
        talk.out.flush()?;
        line.clear();
        if input.read_line(&mut line).map_err(|error| Stop::Usage(format!("standard input: {error}")))? == 0 {
            writeln!(talk.out)?;
            return Ok(0);
        }
        match talk.obey(line.trim(), protocols) {
            Ok(true) => {}
            Ok(false) => return Ok(0),
            Err(Trouble::Word(why)) => writeln!(talk.out, "{BAD}{why}{BAD:#}")?,
            Err(Trouble::Shim(fault @ Fault::Unsupported { .. })) => writeln!(talk.out, "{fault}")?,
            Err(Trouble::Shim(fault)) => return Err(Stop::Shim(fault.to_string())),
            Err(Trouble::Stop(stop)) => return Err(stop),
        }
    }
}

/// Why a command was not carried out.
enum Trouble {
    Word(String),
    Shim(Fault),
    Stop(Stop),
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Trouble {
        Trouble::Shim(fault)
    }
}

impl From<std::io::Error> for Trouble {
    fn from(error: std::io::Error) -> Trouble {
        Trouble::Stop(error.into())
    }
}

/// An open host.
struct Open {
    role: Role,
    dissector: Box<dyn Dissector>,
}

struct Talk<'a> {
    process: Process,
    open: Option<Open>,
    now: u64,
    wake: Option<u64>,
    out: &'a mut dyn Write,
}

impl Talk<'_> {
    /// Does what a line says; `false` at the end.
    fn obey(&mut self, line: &str, protocols: &'static [&'static Protocol]) -> Result<bool, Trouble> {
        let (word, rest) = line.split_once(' ').map_or((line, ""), |(word, rest)| (word, rest.trim()));
        match word {
            "" => {}
            "open" => self.open(rest, protocols)?,
            "connect" | "disconnect" => self.command(&format!("{{\"command\":\"{word}\"}}"))?,
            "command" => self.command(rest)?,
            "datagram" => {
                let bytes = words::from_hex(rest).map_err(Trouble::Word)?;
                self.dissect(&bytes, false)?;
                let from = if self.host()? == HostId::SERVER { 1 } else { 0 };
                self.step(Input::Datagram { from, port: 0, to_port: 0, bytes: words::to_hex(&bytes) })?;
            }
            "wait" => self.pass(rest)?,
            "observe" => {
                let host = self.host()?.0;
                let reply: ObserveReply = self.process.ask(Operation::Observe { host })?;
                self.show(&reply)?;
            }
            "close" => {
                let host = self.host()?.0;
                let reply: DoneReply = self.process.ask(Operation::Close { host })?;
                self.open = None;
                self.show(&reply)?;
            }
            "bye" => {
                let reply: DoneReply = self.process.ask(Operation::Bye)?;
                self.show(&reply)?;
                return Ok(false);
            }
            _ => return Err(Trouble::Word(format!("no command `{word}`; there are\n{GUIDE}"))),
        }
        Ok(true)
    }

    fn open(&mut self, rest: &str, protocols: &'static [&'static Protocol]) -> Result<(), Trouble> {
        let (role, name) = rest.split_once(' ').unwrap_or((rest, ""));
        let role = match role {
            "server" => Role::Server,
            "client" => Role::Client,
            _ => return Err(Trouble::Word(String::from("write `open server PROFILE` or `open client PROFILE`"))),
        };
        if self.open.is_some() {
            return Err(Trouble::Word(String::from("a run is open: `close` it first")));
        }
        let (protocol, profile) = profile(protocols, name.trim()).map_err(|stop| Trouble::Word(stop.to_string()))?;
        let setup = Setup::new(protocol, profile).on(host_of(role));
        self.open = Some(Open { role, dissector: (protocol.dissector)(Some(&setup)) });
        (self.now, self.wake) = (0, None);
        let reply: Result<StepReply, Fault> = self.process.ask(words::opening(protocol, &setup));
        if reply.is_err() {
            self.open = None;
        }
        self.take(&reply?)
    }

    fn host(&self) -> Result<HostId, Trouble> {
        let open = self.open.as_ref();
        open.map(|open| host_of(open.role)).ok_or_else(|| Trouble::Word(String::from("`open` a run first")))
    }

    fn command(&mut self, json: &str) -> Result<(), Trouble> {
        let instruction = serde_json::from_str(json).map_err(|error| Trouble::Word(format!("{error}: {json}")))?;
        self.step(Input::Command(instruction))
    }

    /// Lets milliseconds pass.
    fn pass(&mut self, milliseconds: &str) -> Result<(), Trouble> {
        let ms: u64 = milliseconds.parse().map_err(|_| Trouble::Word(String::from("write `wait 50`")))?;
        let end = self.now.saturating_add(ms.saturating_mul(1000));
        self.host()?;
        while let Some(wake) = self.wake.filter(|wake| *wake <= end) {
            self.now = self.now.max(wake);
            self.step(Input::Timeout)?;
        }
        self.now = end;
        Ok(())
    }

    fn step(&mut self, input: Input) -> Result<(), Trouble> {
        let operation = Operation::Step { host: self.host()?.0, now: self.now, until: None, input };
        writeln!(self.out, "{DIM}{}{DIM:#}", serde_json::to_string(&operation).unwrap_or_default())?;
        let reply: StepReply = self.process.ask(operation)?;
        self.take(&reply)
    }

    fn take(&mut self, reply: &StepReply) -> Result<(), Trouble> {
        self.wake = reply.wake;
        self.show(reply)?;
        for transmit in &reply.tx {
            let bytes = words::from_hex(&transmit.bytes).map_err(Trouble::Word)?;
            self.dissect(&bytes, true)?;
        }
        Ok(())
    }

    fn show(&mut self, reply: &impl serde::Serialize) -> Result<(), Trouble> {
        Ok(writeln!(self.out, "{}", serde_json::to_string(reply).unwrap_or_default())?)
    }

    /// Says what a datagram says, sent by the shim or to it.
    fn dissect(&mut self, bytes: &[u8], by_shim: bool) -> Result<(), Trouble> {
        let Some(open) = &mut self.open else { return Ok(()) };
        let from_server = (open.role == Role::Server) == by_shim;
        let direction = if from_server { Direction::ServerToClient } else { Direction::ClientToServer };
        let mut dissection = Dissection::default();
        open.dissector.datagram(HostId(1), direction, bytes, &mut dissection);
        let error = dissection.error.map_or(String::new(), |error| format!("  cannot be decoded: {error}"));
        Ok(writeln!(self.out, "  {HEAD}{}{HEAD:#}{BAD}{error}{BAD:#}", dissection.summary)?)
    }
}
