//! A process, lent to the endpoints of one run.

use crate::message::{DoneReply, Input, ObserveReply, Operation, StepReply};
use crate::process::{Process, Reply, excerpt};
use crate::words;
use kit::Fault;
use kit::{Command, Endpoint, Event, HostId, PeerId, Protocol, Setup, Time, View};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

/// More timeouts within one second of virtual time are no state machine's: the shortest tick that an option can ask for is a
/// millisecond.
const MAX_TIMEOUTS: u32 = 20_000;
/// More datagrams from one host within one second of virtual time are a flood.
const MAX_DATAGRAMS: usize = 100_000;

/// The answers of a run, without their `seq`: in what another run with the same requests is compared.
#[derive(Debug, Default)]
pub struct Record(Vec<String>);

/// What is done about the answers of a run.
#[derive(Debug)]
enum Memory {
    /// They are kept.
    Keep(Record),
    /// They are compared with those of the run before.
    Compare { before: Record, at: usize, process: &'static str },
    /// Nothing.
    Off,
}

/// A process in use, until it does something wrong.
#[derive(Debug)]
pub struct Link {
    process: Option<Process>,
    fault: Option<Fault>,
    memory: Memory,
    /// Virtual time of the newest input; with a fault, of the one that showed it.
    now: Time,
    /// The hosts that are open there.
    open: BTreeSet<HostId>,
}

/// What is left of a [`Link`] after its run.
#[derive(Debug)]
pub struct End {
    /// The process, if it can be used again.
    pub process: Option<Process>,
    /// What it did wrong, and when.
    pub fault: Option<(Fault, Time)>,
    /// The answers, where they were kept.
    pub record: Record,
}

impl Link {
    /// Lends `process`.
    pub fn new(process: Process) -> Rc<RefCell<Link>> {
        Link::with(process, Memory::Off)
    }

    /// Lends `process` to a run whose answers are kept.
    pub fn recording(process: Process) -> Rc<RefCell<Link>> {
        Link::with(process, Memory::Keep(Record::default()))
    }

    /// Lends `process`, of which messages say that it is `which`, to the same run again: its answers are to be the same.
    pub fn comparing(process: Process, before: Record, which: &'static str) -> Rc<RefCell<Link>> {
        Link::with(process, Memory::Compare { before, at: 0, process: which })
    }

    fn with(process: Process, memory: Memory) -> Rc<RefCell<Link>> {
        Rc::new(RefCell::new(Link {
            process: Some(process),
            fault: None,
            memory,
            now: Time::ZERO,
            open: BTreeSet::new(),
        }))
    }

    /// After the run: what is left.
    pub fn end(&mut self) -> End {
        let fault = self.fault.take();
        let record = match std::mem::replace(&mut self.memory, Memory::Off) {
            Memory::Keep(record) => record,
            _ => Record::default(),
        };
        let usable = matches!(fault, None | Some(Fault::Unsupported { .. } | Fault::Changed { .. }));
        let process = self.process.take().filter(|_| usable);
        End { process, fault: fault.map(|fault| (fault, self.now)), record }
    }

    /// Asks, unless something went wrong before.
    fn ask<R: Reply>(&mut self, operation: Operation) -> Option<R> {
        let process = self.process.as_mut()?;
        let asked = operation.name();
        match &self.fault {
            None => {}
            // It can be used again, so that the hosts have to be closed.
            Some(Fault::Unsupported { .. } | Fault::Changed { .. }) if matches!(operation, Operation::Close { .. }) => {
                return match process.ask(operation) {
                    Err(fault) if !matches!(fault, Fault::Unsupported { .. }) => {
                        self.fault = Some(fault);
                        None
                    }
                    reply => reply.ok(),
                };
            }
            Some(_) => return None,
        }
        let answer = process.ask(operation).and_then(|reply| self.memory.take(asked, self.now, &reply).map(|()| reply));
        answer.map_err(|fault| self.fault = Some(fault)).ok()
    }

    /// Whether it goes its own way as a server, and shows nothing: as one that nobody can tell what the world is.
    fn is_worldless(&self) -> bool {
        self.process.as_ref().is_some_and(|process| process.hello.is_of_its_own())
    }

    /// Whether the process has just refused what it need not do: one that nobody can tell what the world is goes on as before.
    fn forgives_refusal(&mut self) -> bool {
        let worldless = self.is_worldless();
        self.fault.take_if(|fault| worldless && matches!(fault, Fault::Unsupported { .. })).is_some()
    }

    /// The process answered what it should not have.
    fn blame(&mut self, asked: &'static str, why: String) {
        self.fault.get_or_insert(Fault::Wrong { asked, why });
    }
}

impl Memory {
    fn take(&mut self, asked: &'static str, at: Time, reply: &impl Reply) -> Result<(), Fault> {
        let answer = || {
            let text = serde_json::to_string(reply).unwrap_or_default();
            // `seq` stands first, and counts on from run to run.
            text.split_once(',').map_or_else(String::new, |(_, rest)| format!("{{{rest}"))
        };
        match self {
            Memory::Off => Ok(()),
            Memory::Keep(Record(answers)) => {
                answers.push(answer());
                Ok(())
            }
            Memory::Compare { before: Record(before), at: place, process } => {
                let second = answer();
                let first = before.get(*place).map_or("", String::as_str);
                *place += 1;
                if first == second {
                    return Ok(());
                }
                let (first, second) = from_difference(first, &second);
                Err(Fault::Changed { process, at, asked, first, second })
            }
        }
    }
}

/// Two answers, from a little before the place where they part.
fn from_difference(first: &str, second: &str) -> (String, String) {
    const BEFORE: usize = 30;
    let same = first.bytes().zip(second.bytes()).take_while(|(one, other)| one == other).count();
    let start = same.saturating_sub(BEFORE);
    let from = |text: &str| {
        let more = if start > 0 { "… " } else { "" };
        format!("{more}{}", excerpt(text.as_bytes().get(start..).unwrap_or_default()))
    };
    (from(first), from(second))
}

impl Link {
    /// Opens a host there, by the run as that host sees it. One whose process does something wrong does nothing more.
    ///
    /// Where that host is open already, the new one begins with its first input: it takes the place of the one before, which must be
    /// dropped by then.
    pub fn open(link: &Rc<RefCell<Link>>, protocol: &'static Protocol, setup: &Setup) -> Box<dyn Endpoint> {
        let mut host = Remote {
            link: Rc::clone(link),
            protocol,
            host: setup.host,
            transmits: VecDeque::new(),
            events: VecDeque::new(),
            wake: None,
            port: 0,
            second: Second::default(),
            opening: None,
            until: None,
            named_ports: BTreeMap::new(),
        };
        let opening = words::opening(protocol, setup);
        if link.borrow().open.contains(&setup.host) {
            host.opening = Some(opening);
        } else {
            host.opens(opening);
        }
        Box::new(host)
    }
}

/// An endpoint in another process.
struct Remote {
    link: Rc<RefCell<Link>>,
    protocol: &'static Protocol,
    host: HostId,
    transmits: VecDeque<(PeerId, Vec<u8>)>,
    events: VecDeque<Event>,
    wake: Option<Time>,
    port: u16,
    second: Second,
    /// Another is open that has this host's place until it is dropped; then this is asked first.
    opening: Option<Operation>,
    /// Nothing comes before that but what it asks for itself.
    until: Option<Time>,
    /// The ports at which a server has told its clients to go on.
    named_ports: BTreeMap<HostId, u16>,
}

/// What a host did within one second of virtual time.
#[derive(Default)]
struct Second {
    number: u64,
    timeouts: u32,
    datagrams: usize,
}

impl Remote {
    fn opens(&mut self, opening: Operation) {
        let mut link = self.link.borrow_mut();
        link.open.insert(self.host);
        let reply = link.ask(opening);
        drop(link);
        self.take("open", reply);
    }

    fn step(&mut self, now: Time, input: Input) {
        if let Some(mut opening) = self.opening.take() {
            if let Operation::Open { now: begins, until, .. } = &mut opening {
                (*begins, *until) = (now.us(), Some(now.us()));
            }
            self.opens(opening);
        }
        const SECOND_US: u64 = 1_000_000;
        let mut link = self.link.borrow_mut();
        if link.fault.is_none() {
            link.now = now;
        }
        if self.second.number != now.us() / SECOND_US {
            self.second = Second { number: now.us() / SECOND_US, ..Second::default() };
        }
        self.second.timeouts += u32::from(input == Input::Timeout);
        if self.second.timeouts > MAX_TIMEOUTS {
            link.blame(
                "step",
                format!("it asks for more than {MAX_TIMEOUTS} timeouts within a second of virtual time"),
            );
        }
        let until = self.until.take().map(Time::us);
        let may_refuse = self.host == HostId::SERVER && matches!(input, Input::Command(_)) && link.fault.is_none();
        let reply = link.ask(Operation::Step { host: self.host.0, now: now.us(), until, input });
        if may_refuse && link.forgives_refusal() {
            return;
        }
        drop(link);
        self.take("step", reply);
    }

    fn take(&mut self, asked: &'static str, reply: Option<StepReply>) {
        self.wake = None;
        let Some(reply) = reply else { return };
        if let Err(why) = self.take_reply(reply) {
            (self.wake, self.transmits, self.events) = Default::default();
            self.link.borrow_mut().blame(asked, why);
        }
    }

    fn take_reply(&mut self, reply: StepReply) -> Result<(), String> {
        self.second.datagrams += reply.tx.len();
        if self.second.datagrams > MAX_DATAGRAMS {
            return Err(format!("it sends more than {MAX_DATAGRAMS} datagrams within a second of virtual time"));
        }
        for transmit in &reply.tx {
            let peer = PeerId { host: HostId(transmit.to), port: transmit.port };
            let bytes = words::from_hex(&transmit.bytes)?;
            self.note_port(peer.host, &bytes);
            self.transmits.push_back((peer, bytes));
        }
        for happening in &reply.ev {
            self.events.push_back(words::event(self.protocol, self.host, happening)?);
        }
        (self.wake, self.port) = (reply.wake.map(Time), reply.port);
        Ok(())
    }
}

impl Remote {
    /// A server's datagram may name the port with which its client goes on.
    fn note_port(&mut self, client: HostId, bytes: &[u8]) {
        let Some(change) = self.protocol.port_change.filter(|change| (change.field)(bytes).is_some()) else { return };
        self.named_ports.insert(client, change.named(bytes).unwrap_or(0));
    }

    /// The port that a client's datagram goes to: the one that was named to it, unless it belongs to no session.
    fn port_for(&self, client: HostId, bytes: &[u8]) -> u16 {
        let is_outside = self.protocol.port_change.is_none_or(|change| (change.is_outside)(bytes));
        let named = self.named_ports.get(&client).filter(|_| !is_outside);
        named.copied().unwrap_or(0)
    }
}

impl Endpoint for Remote {
    fn handle_command(&mut self, now: Time, command: &Command) {
        self.step(now, Input::Command(words::instruction(self.protocol, command)));
    }

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        let (to_port, bytes) = (self.port_for(from.host, bytes), words::to_hex(bytes));
        self.step(now, Input::Datagram { from: from.host.0, port: from.port, to_port, bytes });
    }

    fn handle_timeout(&mut self, now: Time) {
        self.step(now, Input::Timeout);
    }

    fn poll_transmit(&mut self, _: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        let (to, bytes) = self.transmits.pop_front()?;
        out.extend_from_slice(&bytes);
        Some(to)
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.wake
    }

    fn source_port(&self) -> u16 {
        self.port
    }

    fn wants_quiet(&self) -> bool {
        true
    }

    fn quiet_until(&mut self, until: Time) {
        self.until = Some(until);
    }

    fn observe(&self, view: &mut View) {
        let mut link = self.link.borrow_mut();
        if self.host == HostId::SERVER && link.is_worldless() {
            return;
        }
        let Some(reply) = link.ask::<ObserveReply>(Operation::Observe { host: self.host.0 }) else { return };
        if let Err(why) = words::show(self.protocol, self.host, &reply, view) {
            view.clear();
            link.blame("observe", why);
        }
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        if self.opening.is_none() {
            let mut link = self.link.borrow_mut();
            link.open.remove(&self.host);
            let _: Option<DoneReply> = link.ask(Operation::Close { host: self.host.0 });
        }
    }
}
