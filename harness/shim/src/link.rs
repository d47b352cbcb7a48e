//! A process, lent to the endpoints of one run.

use crate::message::{DoneReply, Input, ObserveReply, Operation, StepReply};
use crate::process::{Fault, Process, Reply};
use crate::words;
use kit::{Command, Endpoint, Event, HostId, PeerId, Protocol, Setup, Time, View};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// A process in use, until it does something wrong.
#[derive(Debug)]
pub struct Link {
    process: Option<Process>,
    fault: Option<Fault>,
    /// Virtual time of the newest input; with a fault, of the one that showed it.
    now: Time,
}

impl Link {
    /// Lends `process`.
    pub fn new(process: Process) -> Rc<RefCell<Link>> {
        Rc::new(RefCell::new(Link { process: Some(process), fault: None, now: Time::ZERO }))
    }

    /// After the run: the process, if it can be used again; what it did wrong, and when.
    pub fn end(&mut self) -> (Option<Process>, Option<Fault>, Time) {
        (self.process.take().filter(|_| self.fault.is_none()), self.fault.take(), self.now)
    }

    /// Asks, unless something went wrong before.
    fn ask<R: Reply>(&mut self, operation: Operation) -> Option<R> {
        let process = self.process.as_mut().filter(|_| self.fault.is_none())?;
        match process.ask(operation) {
            Ok(reply) => Some(reply),
            Err(fault) => {
                self.fault = Some(fault);
                None
            }
        }
    }

    /// The process answered what it should not have.
    fn blame(&mut self, asked: &'static str, why: String) {
        self.fault.get_or_insert(Fault::Wrong { asked, why });
    }
}

impl Link {
    /// Opens a host there, by the run as that host sees it. One whose process does something wrong does nothing more.
    pub fn open(link: &Rc<RefCell<Link>>, protocol: &'static Protocol, setup: &Setup) -> Box<dyn Endpoint> {
        let options = protocol.options.iter().zip(&setup.options);
        let texts = protocol.texts.iter().zip(&setup.texts);
        let operation = Operation::Open {
            host: setup.host.0,
            clients: setup.clients,
            profile: setup.profile.name.to_string(),
            seed: format!("{:016x}", setup.seed),
            options: options.map(|(option, value)| (option.name.to_string(), *value)).collect(),
            texts: texts.map(|(text, value)| (text.name.to_string(), value.to_string())).collect(),
        };
        let mut host = Remote {
            link: Rc::clone(link),
            protocol,
            host: setup.host,
            transmits: VecDeque::new(),
            events: VecDeque::new(),
            wake: None,
            port: 0,
        };
        let reply = link.borrow_mut().ask(operation);
        host.take("open", reply);
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
}

impl Remote {
    fn step(&mut self, now: Time, input: Input) {
        let mut link = self.link.borrow_mut();
        if link.fault.is_none() {
            link.now = now;
        }
        let reply = link.ask(Operation::Step { host: self.host.0, now: now.us(), input });
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
        for transmit in &reply.tx {
            let peer = PeerId { host: HostId(transmit.to), port: transmit.port };
            self.transmits.push_back((peer, words::from_hex(&transmit.bytes)?));
        }
        for happening in &reply.ev {
            self.events.push_back(words::event(self.protocol, self.host, happening)?);
        }
        (self.wake, self.port) = (reply.wake.map(Time), reply.port);
        Ok(())
    }
}

impl Endpoint for Remote {
    fn handle_command(&mut self, now: Time, command: &Command) {
        self.step(now, Input::Command(words::instruction(self.protocol, command)));
    }

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        self.step(now, Input::Datagram { from: from.host.0, port: from.port, bytes: words::to_hex(bytes) });
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

    fn observe(&self, view: &mut View) {
        let mut link = self.link.borrow_mut();
        let Some(reply) = link.ask::<ObserveReply>(Operation::Observe { host: self.host.0 }) else { return };
        if let Err(why) = words::show(self.protocol, self.host, &reply, view) {
            view.clear();
            link.blame("observe", why);
        }
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        let _: Option<DoneReply> = self.link.borrow_mut().ask(Operation::Close { host: self.host.0 });
    }
}
