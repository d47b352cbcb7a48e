//! The direct executor: a heap of inputs to come, and the only loop that moves time.

use crate::agenda::Agenda;
use crate::event::{Class, Entry, Key, LAST, MAX_HOSTS};
use crate::fate::Fates;
use crate::hash::TraceHash;
use crate::link::Network;
use crate::observed::Observed;
use crate::pause::{next_pause, paused};
use kit::{
    Command, Delivery, Direction, Dissection, Dissector, Endpoint, Fate, HostId, PacketId, Pause, PeerId, Probe, Time,
    TraceEvent,
};

/// At most this many datagrams and timeouts for one host at one instant. Commands do not count: the caller ends them.
pub const MAX_INPUTS_PER_INSTANT: u32 = 50_000;

/// At most this many datagrams sent in answer to one input.
pub const MAX_DATAGRAMS_PER_INPUT: u32 = 4_096;

/// At most this many events in answer to one input.
pub const MAX_EVENTS_PER_INPUT: u32 = 65_536;

/// At most this many datagrams under way at one time.
pub const MAX_IN_FLIGHT: usize = 1 << 20;

/// A run: hosts, a network between them, and what they are instructed to do.
///
/// Time starts at [`Time::ZERO`] and jumps from input to input. Inputs at one instant are taken by host; those of one
/// host, commands first (in the order given), then datagrams (by client and order of sending), then its timer.
pub struct Simulation<'a> {
    /// The hosts, by [`HostId`]: the server first.
    pub hosts: &'a mut [Box<dyn Endpoint>],
    /// What lies between them. Needs a link for every client.
    pub network: &'a Network,
    /// The timeline, in ascending order of time. What comes out of order is carried out with the one
    /// before it.
    pub commands: &'a mut dyn Iterator<Item = (Time, HostId, Command)>,
    /// Looks into each datagram as it is sent, for the probe and for rules with [`Carries`](crate::Carries), as long as either
    /// wants it.
    pub dissector: Option<&'a mut dyn Dissector>,
    /// When to stop: inputs at this moment are still taken, later ones are not. No run goes beyond [`LAST`].
    pub until: Time,
    /// Whether to compute the trace hash.
    pub hash: bool,
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// [`TraceHash`] of the run; 0 if it was not wanted.
    pub trace_hash: u64,
    /// The end of the run: [`Simulation::until`], or the moment of the halt.
    pub end: Time,
    /// Datagrams sent.
    pub datagrams: u64,
    /// Inputs taken: commands, datagrams and timeouts.
    pub inputs: u64,
    /// Datagram buffers made: the most datagrams that were under way at one time, plus one.
    pub buffers: usize,
    /// What the network did, per link, indexed by [`Direction::index`].
    pub observed: Vec<[Observed; 2]>,
    /// How many datagrams each scripted rule took, per link, direction and rule.
    pub script_hits: Vec<[Vec<u64>; 2]>,
    /// Why the run ended early, if it did.
    pub halted: Option<Halt>,
}

/// Why a run could not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Halt {
    /// A host keeps acting without time passing: see [`MAX_INPUTS_PER_INSTANT`], [`MAX_DATAGRAMS_PER_INPUT`] and
    /// [`MAX_EVENTS_PER_INPUT`].
    #[error("{host} makes no progress: it goes on acting at {at}")]
    NoProgress {
        /// The host.
        host: HostId,
        /// When.
        at: Time,
    },
    /// More datagrams under way than [`MAX_IN_FLIGHT`], or more than 65,536 in one slot of one direction of a link.
    #[error("{host} floods the network at {at}")]
    Flood {
        /// The host that sent the last one.
        host: HostId,
        /// When.
        at: Time,
    },
    /// A host sent a datagram to a host that it cannot reach: one that is not there, one client to another, or itself.
    #[error("{host} sends to {to} at {at}, which it cannot reach")]
    Destination {
        /// The sender.
        host: HostId,
        /// The destination.
        to: HostId,
        /// When.
        at: Time,
    },
    /// A command for a host that is not there.
    #[error("a command at {at} is for {host}, which is not there")]
    UnknownHost {
        /// The host.
        host: HostId,
        /// When.
        at: Time,
    },
    /// More hosts than [`MAX_HOSTS`].
    #[error("{hosts} hosts are more than {MAX_HOSTS}")]
    TooManyHosts {
        /// How many.
        hosts: usize,
    },
}

/// A probe that watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Probe for Unwatched {
    #[inline]
    fn on(&mut self, _: Time, _: &TraceEvent<'_>) {}

    fn wants_content(&self) -> bool {
        false
    }
}

impl std::fmt::Debug for Simulation<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Simulation").field("hosts", &self.hosts.len()).field("until", &self.until).finish()
    }
}

impl<'a> Simulation<'a> {
    /// Runs to the end, telling `probe` everything as it happens.
    ///
    /// The probe sees each input, then what the host sent in answer, then what it said of itself; then the host has
    /// settled. A host that misbehaves halts the run; nothing here panics or hangs.
    pub fn run<P: Probe + ?Sized>(self, probe: &mut P) -> Outcome {
        let mut run = Run {
            until: self.until.min(LAST),
            fates: Fates::new(self.network),
            hash: self.hash.then(TraceHash::new),
            now: Time::ZERO,
            agenda: Agenda::default(),
            timers: vec![Timer::default(); self.hosts.len()],
            hosts: self.hosts,
            pauses: &self.network.pauses,
            next_command: None,
            commands: self.commands,
            commands_taken: 0,
            commands_from: Time::ZERO,
            waiting: Vec::new(),
            waiting_done: 0,
            flights: vec![Flight::default()],
            landed: Vec::new(),
            spare: 0,
            damaged: Vec::new(),
            dissector: self.dissector,
            dissection: Dissection::default(),
            inputs: 0,
            datagrams: 0,
        };
        let halted = run.all(probe).err();
        Outcome {
            trace_hash: run.hash.map_or(0, |hash| hash.value()),
            end: if halted.is_some() { run.now } else { run.until },
            datagrams: run.datagrams,
            inputs: run.inputs,
            buffers: run.flights.len(),
            observed: run.fates.observed(),
            script_hits: run.fates.script_hits(),
            halted,
        }
    }
}

/// One host's timer, and the guard against standing still.
#[derive(Clone, Copy, Debug, Default)]
struct Timer {
    /// When the host wants to be called.
    wanted: Option<Time>,
    /// The earliest of its timer entries in the agenda. An entry at any other time is stale.
    scheduled: Option<Time>,
    /// The instant that `inputs` counts for.
    instant: Time,
    inputs: u32,
    /// Whether the host wants to know for how long nothing comes.
    wants_quiet: bool,
}

/// A datagram under way. Its buffer is used again once the last copy is delivered.
#[derive(Debug)]
struct Flight {
    bytes: Vec<u8>,
    packet: PacketId,
    copies: [Delivery; 2],
    /// The source port of a client's datagram.
    port: u16,
    /// Copies still to come.
    left: u8,
    /// Whether a copy was delivered.
    arrived: bool,
}

impl Default for Flight {
    fn default() -> Flight {
        let (client, direction) = (HostId::SERVER, Direction::ServerToClient);
        Flight {
            bytes: Vec::new(),
            packet: PacketId { client, direction, slot: 0, ordinal: 0, index: 0 },
            copies: [Delivery::whole(0); 2],
            port: 0,
            left: 0,
            arrived: false,
        }
    }
}

struct Run<'a> {
    until: Time,
    now: Time,
    hosts: &'a mut [Box<dyn Endpoint>],
    pauses: &'a [Pause],
    timers: Vec<Timer>,
    fates: Fates<'a>,
    agenda: Agenda,
    commands: &'a mut dyn Iterator<Item = (Time, HostId, Command)>,
    next_command: Option<(Time, HostId, Command)>,
    commands_taken: u64,
    /// The time of the last one taken.
    commands_from: Time,
    /// The commands in the agenda: those of the next instant that has any.
    waiting: Vec<Command>,
    waiting_done: usize,
    flights: Vec<Flight>,
    /// Indices of flights that are over.
    landed: Vec<u32>,
    /// The flight whose buffer takes the next datagram.
    spare: u32,
    /// A damaged copy, while it is delivered.
    damaged: Vec<u8>,
    dissector: Option<&'a mut dyn Dissector>,
    dissection: Dissection,
    hash: Option<TraceHash>,
    inputs: u64,
    datagrams: u64,
}

#[inline]
fn tell<P: Probe + ?Sized>(hash: &mut Option<TraceHash>, probe: &mut P, now: Time, event: &TraceEvent<'_>) {
    if let Some(hash) = hash {
        hash.on(now, event);
    }
    probe.on(now, event);
}

impl Run<'_> {
    fn all<P: Probe + ?Sized>(&mut self, probe: &mut P) -> Result<(), Halt> {
        if self.hosts.len() > MAX_HOSTS {
            return Err(Halt::TooManyHosts { hosts: self.hosts.len() });
        }
        self.next_command = self.commands.next();
        for host in 0..self.hosts.len() {
            self.timers[host].wants_quiet = self.hosts[host].wants_quiet();
            self.wind(host);
        }
        loop {
            self.feed()?;
            let Some(Entry { key, at }) = self.agenda.pop() else { return Ok(()) };
            self.now = key.time();
            let host = key.host();
            if !self.pauses.is_empty()
                && let Some(until) = paused(self.pauses, host, self.now)
            {
                self.put_off(Entry { key, at }, until);
                continue;
            }
            match key.class() {
                Class::Datagram => self.deliver(host, at, key.copy(), probe)?,
                Class::Timeout => {
                    if !self.fire(host, probe)? {
                        continue;
                    }
                }
                Class::Command => self.command(host, at, probe),
            }
            self.inputs += 1;
            self.drain(host, probe)?;
        }
    }

    /// An input comes for a host that stands still until then: commands and timers wait, datagrams are lost.
    fn put_off(&mut self, Entry { key, at }: Entry, until: Time) {
        let host = key.host();
        match key.class() {
            Class::Command if until <= self.until => self.agenda.push(Entry { key: key.put_off(until), at }),
            Class::Command => {}
            // Only a fate that was given in place of the link's own leads here.
            Class::Datagram => {
                let flight = &mut self.flights[at as usize];
                flight.left -= 1;
                if flight.left == 0 {
                    self.landed.push(at);
                }
            }
            Class::Timeout if self.timers[usize::from(host.0)].scheduled == Some(self.now) => {
                self.timers[usize::from(host.0)].scheduled = None;
                self.schedule(host, until);
            }
            Class::Timeout => {}
        }
    }

    /// Moves commands into the agenda, up to and including those of its earliest instant.
    #[inline]
    fn feed(&mut self) -> Result<(), Halt> {
        while let Some((time, host, command)) = self.next_command {
            let at = time.max(self.now).max(self.commands_from);
            if at > self.until || self.agenda.peek().is_some_and(|first| first.key.time() < at) {
                break;
            }
            if usize::from(host.0) >= self.hosts.len() {
                self.now = at;
                return Err(Halt::UnknownHost { host, at });
            }
            let entry = Entry { key: Key::command(at, host, self.commands_taken), at: self.waiting.len() as u32 };
            self.agenda.push_command(entry);
            self.waiting.push(command);
            self.commands_taken += 1;
            self.commands_from = at;
            self.next_command = self.commands.next();
        }
        Ok(())
    }

    fn command<P: Probe + ?Sized>(&mut self, host: HostId, at: u32, probe: &mut P) {
        let command = self.waiting[at as usize];
        self.waiting_done += 1;
        if self.waiting_done == self.waiting.len() {
            self.waiting.clear();
            self.waiting_done = 0;
        }
        tell(&mut self.hash, probe, self.now, &TraceEvent::Command { host, command: &command });
        self.say_quiet(host);
        self.hosts[usize::from(host.0)].handle_command(self.now, &command);
    }

    #[inline]
    fn deliver<P: Probe + ?Sized>(&mut self, host: HostId, at: u32, n: u8, probe: &mut P) -> Result<(), Halt> {
        self.guard(host)?;
        self.say_quiet(host);
        let flight = &mut self.flights[at as usize];
        let (packet, copy) = (flight.packet, flight.copies[usize::from(n)]);
        self.fates.delivered(&packet, copy.delay_us, !flight.arrived);
        flight.arrived = true;
        flight.left -= 1;
        let from = match packet.direction {
            Direction::ServerToClient => PeerId::SERVER,
            Direction::ClientToServer => PeerId { host: packet.client, port: flight.port },
        };
        let mut intact = copy.intact();
        if !intact {
            self.damaged.clear();
            self.damaged.extend_from_slice(&flight.bytes);
            intact = !copy.damage.apply(&mut self.damaged);
        }
        let bytes = if intact { &flight.bytes } else { &self.damaged };
        tell(&mut self.hash, probe, self.now, &TraceEvent::Delivered { packet, copy: n, bytes, intact });
        self.hosts[usize::from(host.0)].handle_datagram(self.now, from, bytes);
        if flight.left == 0 {
            self.landed.push(at);
        }
        Ok(())
    }

    /// Fires a host's timer, unless its entry is stale or came before its time.
    #[inline]
    fn fire<P: Probe + ?Sized>(&mut self, host: HostId, probe: &mut P) -> Result<bool, Halt> {
        let timer = &mut self.timers[usize::from(host.0)];
        if timer.scheduled != Some(self.now) {
            return Ok(false);
        }
        timer.scheduled = None;
        let Some(wanted) = timer.wanted else { return Ok(false) };
        if wanted > self.now {
            self.schedule(host, wanted);
            return Ok(false);
        }
        self.guard(host)?;
        tell(&mut self.hash, probe, self.now, &TraceEvent::Timeout { host });
        self.say_quiet(host);
        self.hosts[usize::from(host.0)].handle_timeout(self.now);
        Ok(true)
    }

    /// Tells a host that wants to know it for how long nothing will come: no input of anybody's is due before. The one that comes now
    /// has left the agenda. A pause ends it, since timeouts are put off then, and so does the end of the run.
    #[inline]
    fn say_quiet(&mut self, host: HostId) {
        let index = usize::from(host.0);
        if self.timers[index].wants_quiet {
            let inputs = self.agenda.first_beside_timer(host).into_iter();
            let command = self.next_command.map(|(at, ..)| at.max(self.now));
            let firsts = inputs.chain(command).chain(next_pause(self.pauses, host, self.now));
            self.hosts[index].quiet_until(firsts.min().unwrap_or(LAST).min(self.until.after(1)));
        }
    }

    #[inline]
    fn guard(&mut self, host: HostId) -> Result<(), Halt> {
        let timer = &mut self.timers[usize::from(host.0)];
        if timer.instant != self.now {
            (timer.instant, timer.inputs) = (self.now, 0);
        }
        timer.inputs += 1;
        if timer.inputs > MAX_INPUTS_PER_INSTANT {
            return Err(Halt::NoProgress { host, at: self.now });
        }
        Ok(())
    }

    /// Takes everything that a host puts out after an input.
    #[inline]
    fn drain<P: Probe + ?Sized>(&mut self, host: HostId, probe: &mut P) -> Result<(), Halt> {
        let now = self.now;
        let index = usize::from(host.0);
        let mut sent = 0;
        loop {
            let bytes = &mut self.flights[self.spare as usize].bytes;
            bytes.clear();
            let Some(to) = self.hosts[index].poll_transmit(now, bytes) else { break };
            sent += 1;
            if sent > MAX_DATAGRAMS_PER_INPUT {
                return Err(Halt::NoProgress { host, at: now });
            }
            self.send(host, to, probe)?;
        }
        let mut said = 0;
        while let Some(event) = self.hosts[index].poll_event() {
            said += 1;
            if said > MAX_EVENTS_PER_INPUT {
                return Err(Halt::NoProgress { host, at: now });
            }
            tell(&mut self.hash, probe, now, &TraceEvent::Event { host, event: &event });
        }
        self.wind(index);
        probe.settled(now, host, self.hosts[index].as_ref());
        Ok(())
    }

    /// Asks a host when it wants to be called, and sees to it that the agenda has an entry no later than that.
    #[inline]
    fn wind(&mut self, index: usize) {
        let wanted = self.hosts[index].poll_timeout().map(|at| at.max(self.now));
        let timer = &mut self.timers[index];
        timer.wanted = wanted;
        // An entry that comes too early is put off when it comes: an endpoint that keeps postponing its timer costs
        // no entry each time.
        if let Some(wanted) = wanted
            && timer.scheduled.is_none_or(|scheduled| wanted < scheduled)
        {
            self.schedule(HostId(index as u16), wanted);
        }
    }

    #[inline]
    fn schedule(&mut self, host: HostId, at: Time) {
        if at <= self.until {
            self.timers[usize::from(host.0)].scheduled = Some(at);
            self.agenda.push(Entry { key: Key::timeout(at, host), at: 0 });
        }
    }

    /// Sends the datagram in the spare flight.
    #[inline]
    fn send<P: Probe + ?Sized>(&mut self, host: HostId, to: PeerId, probe: &mut P) -> Result<(), Halt> {
        let (now, PeerId { host: to, port }) = (self.now, to);
        let (client, direction) = match (host, to) {
            (HostId::SERVER, _) => (to, Direction::ServerToClient),
            (_, HostId::SERVER) => (host, Direction::ClientToServer),
            _ => return Err(Halt::Destination { host, to, at: now }),
        };
        if usize::from(to.0) >= self.hosts.len() || !self.fates.has_link(client) {
            return Err(Halt::Destination { host, to, at: now });
        }
        let port = match direction {
            Direction::ServerToClient => port,
            Direction::ClientToServer => self.hosts[usize::from(host.0)].source_port(),
        };
        let flight = &mut self.flights[self.spare as usize];
        let mut dissection = None;
        if self.dissector.is_some() && !probe.wants_content() && !self.fates.want_content(now) {
            self.dissector = None;
        }
        if let Some(dissector) = &mut self.dissector {
            self.dissection.clear();
            dissector.datagram(client, direction, &flight.bytes, &mut self.dissection);
            dissection = Some(&self.dissection);
        }
        let decided = self.fates.decide(now, client, direction, port, flight.bytes.len(), dissection);
        let Some((packet, fate)) = decided else { return Err(Halt::Flood { host, at: now }) };
        let event = TraceEvent::Sent { packet, bytes: &flight.bytes, fate, dissection };
        tell(&mut self.hash, probe, now, &event);
        self.datagrams += 1;
        let (copies, count) = match fate {
            Fate::Lost(_) => return Ok(()),
            Fate::Once(copy) => ([copy, copy], 1),
            Fate::Twice(first, second) => ([first, second], 2),
        };
        let mut left = 0;
        for (n, copy) in (0..count).zip(&copies) {
            let at = now.after(copy.delay_us);
            if at <= self.until {
                self.agenda.push(Entry { key: Key::datagram(at, &packet, n), at: self.spare });
                left += 1;
            }
        }
        if left == 0 {
            return Ok(());
        }
        flight.port = self.fates.outside(now, client, port);
        (flight.packet, flight.copies, flight.left, flight.arrived) = (packet, copies, left, false);
        self.spare = match self.landed.pop() {
            Some(landed) => landed,
            None if self.flights.len() > MAX_IN_FLIGHT => return Err(Halt::Flood { host, at: now }),
            None => {
                self.flights.push(Flight::default());
                self.flights.len() as u32 - 1
            }
        };
        Ok(())
    }
}
