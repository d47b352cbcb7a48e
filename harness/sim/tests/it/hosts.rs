//! Hosts without a protocol, and a probe that writes down what happens.

use kit::{Command, Endpoint, Event, HostId, PeerId, Probe, Time, TraceEvent, View};
use sim::{Network, Outcome, Simulation};
use std::collections::VecDeque;

/// Sends numbered datagrams at a fixed pace, and what it is instructed to.
#[derive(Default)]
pub struct Talker {
    /// To whom; everybody in turn.
    pub to: Vec<PeerId>,
    /// The pace; 0 for none.
    pub every_us: u64,
    /// Length of each datagram, at least 4.
    pub length: usize,
    /// Sends back what it receives, as it is.
    pub echo: bool,
    due: Option<Time>,
    number: u32,
    queue: VecDeque<(PeerId, Vec<u8>)>,
    events: Vec<Event>,
}

impl Talker {
    /// Sends `length` bytes to each of `to` every `every_us`, from the beginning.
    pub fn new(to: &[PeerId], every_us: u64, length: usize) -> Talker {
        let due = (every_us > 0).then_some(Time::ZERO);
        Talker { to: to.to_vec(), every_us, length, due, ..Talker::default() }
    }

    /// Says nothing of itself and answers every datagram with its bytes.
    pub fn echo() -> Talker {
        Talker { echo: true, ..Talker::default() }
    }

    fn speak(&mut self) {
        for to in &self.to {
            let mut bytes = vec![0; self.length.max(4)];
            bytes[..4].copy_from_slice(&self.number.to_le_bytes());
            self.number += 1;
            self.queue.push_back((*to, bytes));
        }
    }
}

impl Endpoint for Talker {
    fn handle_command(&mut self, _: Time, command: &Command) {
        match command {
            Command::Spawn { .. } => self.speak(),
            _ => self.events.push(Event::Note { note: 0, args: [0; 4] }),
        }
    }

    fn handle_datagram(&mut self, _: Time, from: PeerId, bytes: &[u8]) {
        if self.echo {
            self.queue.push_back((from, bytes.to_vec()));
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        self.speak();
        self.due = Some(now.after(self.every_us));
    }

    fn poll_transmit(&mut self, _: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        let (to, bytes) = self.queue.pop_front()?;
        out.extend(bytes);
        Some(to)
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.events.pop()
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.due
    }

    fn observe(&self, _: &mut View) {}
}

/// The run as lines of text: `time input` and, indented, what the host made of it.
#[derive(Default)]
pub struct Lines(pub Vec<String>);

impl Probe for Lines {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        let us = now.us();
        self.0.push(match event {
            TraceEvent::Command { host, .. } => format!("{us} {host} command"),
            TraceEvent::Delivered { packet, copy, intact, .. } => {
                let damage = if *intact { "" } else { " damaged" };
                format!("{us} deliver {packet} copy {copy}{damage}")
            }
            TraceEvent::Timeout { host } => format!("{us} {host} timeout"),
            TraceEvent::Sent { packet, .. } => format!("  send {packet}"),
            TraceEvent::Event { host, .. } => format!("  {host} event"),
        });
    }

    fn settled(&mut self, _: Time, host: HostId, _: &dyn Endpoint) {
        self.0.push(format!("  {host} settled"));
    }
}

/// Boxes hosts, the server first.
pub fn boxed(hosts: Vec<Talker>) -> Vec<Box<dyn Endpoint>> {
    hosts.into_iter().map(|host| Box::new(host) as Box<dyn Endpoint>).collect()
}

/// A server that sends 100 bytes every `every_us` to each of `clients`, and clients that do the same.
pub fn chatter(clients: u16, every_us: u64) -> Vec<Box<dyn Endpoint>> {
    let peers: Vec<PeerId> = (1..=clients).map(PeerId::client).collect();
    let mut hosts = vec![Talker::new(&peers, every_us, 100)];
    hosts.extend((0..clients).map(|_| Talker::new(&[PeerId::SERVER], every_us, 100)));
    boxed(hosts)
}

/// Runs without dissector, with hash.
pub fn run(
    mut hosts: Vec<Box<dyn Endpoint>>,
    network: &Network,
    commands: &[(Time, HostId, Command)],
    until: Time,
    probe: &mut dyn Probe,
) -> Outcome {
    let commands = &mut commands.iter().copied();
    Simulation { hosts: &mut hosts, network, commands, dissector: None, until, hash: true }.run(probe)
}
