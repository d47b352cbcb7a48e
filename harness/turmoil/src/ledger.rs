//! What happened in a tick, in the order of the whole run: fates are decided and observers called here.
//!
//! Tasks take turns host by host; the order of a run is by time first. So no observer is called, and no fate decided, until all hosts have
//! taken the tick. That comes in time: no datagram arrives in the tick in which it was sent.

use crate::record::{Input, Record, Sent, Still};
use crate::task::{Decided, Serial, sender};
use kit::{Direction, Dissection, Dissector, Fate, HostId, PacketId, Probe, Time, TraceEvent};
use sim::{
    Fates, Halt, MAX_DATAGRAMS_PER_INPUT, MAX_EVENTS_PER_INPUT, MAX_IN_FLIGHT, MAX_INPUTS_PER_INSTANT, Network,
    Outcome, TraceHash,
};
use std::collections::BTreeMap;

/// A datagram under way: copies still to come, and whether one was delivered.
type Flight = (u8, bool);

pub(crate) struct Ledger<'a> {
    hosts: usize,
    until: Time,
    fates: Fates<'a>,
    hash: Option<TraceHash>,
    dissector: Option<&'a mut dyn Dissector>,
    dissection: Dissection,
    flights: BTreeMap<PacketId, Flight>,
    /// The instant that each host is at, and how many inputs it has taken there, without commands.
    clocks: Vec<(Time, u32)>,
    now: Time,
    inputs: u64,
    datagrams: u64,
    buffers: usize,
    /// Fates of this tick.
    pub(crate) decided: Vec<(Serial, Decided)>,
}

impl<'a> Ledger<'a> {
    pub(crate) fn new(
        hosts: usize,
        network: &'a Network,
        dissector: Option<&'a mut dyn Dissector>,
        until: Time,
        hash: bool,
    ) -> Ledger<'a> {
        Ledger {
            hosts,
            until,
            fates: Fates::new(network),
            hash: hash.then(TraceHash::new),
            dissector,
            dissection: Dissection::default(),
            flights: BTreeMap::new(),
            clocks: vec![(Time::ZERO, 0); hosts],
            now: Time::ZERO,
            inputs: 0,
            datagrams: 0,
            buffers: 1,
            decided: Vec::new(),
        }
    }

    /// What came of the run.
    pub(crate) fn outcome(self, halted: Option<Halt>) -> Outcome {
        Outcome {
            trace_hash: self.hash.map_or(0, |hash| hash.value()),
            end: if halted.is_some() { self.now } else { self.until },
            datagrams: self.datagrams,
            inputs: self.inputs,
            buffers: self.buffers,
            observed: self.fates.observed(),
            script_hits: self.fates.script_hits(),
            halted,
        }
    }

    /// Enters the records of a tick, each host's in its own order. Those from `stop` on are left out, and the run halts there.
    pub(crate) fn enter<P: Probe + ?Sized>(
        &mut self,
        mut records: Vec<Record>,
        stop: Option<(Time, Halt)>,
        probe: &mut P,
    ) -> Result<(), Halt> {
        records.sort_by_key(|record| (record.at, record.host));
        for record in records {
            if stop.is_some_and(|(at, _)| record.at >= at) {
                break;
            }
            self.record(record, probe)?;
        }
        stop.map_or(Ok(()), |(at, halt)| {
            self.now = at;
            Err(halt)
        })
    }

    fn record<P: Probe + ?Sized>(&mut self, record: Record, probe: &mut P) -> Result<(), Halt> {
        let Record { at, host, input, sent, said, view } = record;
        self.now = at;
        match input {
            Input::Command(command) => self.tell(probe, &TraceEvent::Command { host, command: &command }),
            Input::Datagram { packet, copy, delay_us, bytes, intact } => {
                self.guard(host)?;
                self.landed(&packet, delay_us);
                self.tell(probe, &TraceEvent::Delivered { packet, copy, bytes: &bytes, intact });
            }
            Input::Timeout => {
                self.guard(host)?;
                self.tell(probe, &TraceEvent::Timeout { host });
            }
        }
        self.inputs += 1;
        for (sent, nth) in sent.into_iter().zip(0..) {
            self.within(host, nth, MAX_DATAGRAMS_PER_INPUT)?;
            self.send(host, sent, probe)?;
        }
        for (event, nth) in said.iter().zip(0..) {
            self.within(host, nth, MAX_EVENTS_PER_INPUT)?;
            self.tell(probe, &TraceEvent::Event { host, event });
        }
        probe.settled(at, host, &Still(Some(&view)));
        Ok(())
    }

    fn tell<P: Probe + ?Sized>(&mut self, probe: &mut P, event: &TraceEvent<'_>) {
        if let Some(hash) = &mut self.hash {
            hash.on(self.now, event);
        }
        probe.on(self.now, event);
    }

    fn within(&self, host: HostId, nth: u32, most: u32) -> Result<(), Halt> {
        if nth < most { Ok(()) } else { Err(Halt::NoProgress { host, at: self.now }) }
    }

    fn guard(&mut self, host: HostId) -> Result<(), Halt> {
        let (instant, inputs) = &mut self.clocks[usize::from(host.0)];
        if *instant != self.now {
            (*instant, *inputs) = (self.now, 0);
        }
        *inputs += 1;
        let nth = *inputs - 1;
        self.within(host, nth, MAX_INPUTS_PER_INSTANT)
    }

    fn landed(&mut self, packet: &PacketId, delay_us: u64) {
        let (left, arrived) = self.flights.get(packet).copied().unwrap_or((1, false));
        self.fates.delivered(packet, delay_us, !arrived);
        match left {
            0 | 1 => drop(self.flights.remove(packet)),
            _ => drop(self.flights.insert(*packet, (left - 1, true))),
        }
    }

    fn send<P: Probe + ?Sized>(&mut self, host: HostId, sent: Sent, probe: &mut P) -> Result<(), Halt> {
        let (now, to) = (self.now, sent.to.host);
        let (client, direction) = match (host, to) {
            (HostId::SERVER, _) => (to, Direction::ServerToClient),
            (_, HostId::SERVER) => (host, Direction::ClientToServer),
            _ => return Err(Halt::Destination { host, to, at: now }),
        };
        if usize::from(to.0) >= self.hosts || !self.fates.has_link(client) {
            return Err(Halt::Destination { host, to, at: now });
        }
        let port = match direction {
            Direction::ServerToClient => sent.to.port,
            Direction::ClientToServer => sent.port,
        };
        if self.dissector.is_some() && !probe.wants_content() && !self.fates.want_content(now) {
            self.dissector = None;
        }
        let mut dissection = None;
        if let Some(dissector) = &mut self.dissector {
            self.dissection.clear();
            dissector.datagram(client, direction, &sent.bytes, &mut self.dissection);
            dissection = Some(&self.dissection);
        }
        let decided = self.fates.decide(now, client, direction, port, sent.bytes.len(), dissection);
        let Some((packet, fate)) = decided else { return Err(Halt::Flood { host, at: now }) };
        let event = TraceEvent::Sent { packet, bytes: &sent.bytes, fate, dissection };
        // Not `tell`: the dissection is borrowed.
        if let Some(hash) = &mut self.hash {
            hash.on(now, &event);
        }
        probe.on(now, &event);
        self.datagrams += 1;
        let from = sender(&packet, self.fates.outside(now, client, port));
        self.decided.push(((host.0, sent.serial), Decided { packet, sent_at: now, fate, from }));
        self.fly(host, packet, &fate)
    }

    /// Counts the datagrams under way, as the direct executor counts its buffers: one more than there were at the most.
    fn fly(&mut self, host: HostId, packet: PacketId, fate: &Fate) -> Result<(), Halt> {
        let in_time = |copy: &&kit::Delivery| self.now.after(copy.delay_us) <= self.until;
        let copies = match fate {
            Fate::Lost(_) => return Ok(()),
            Fate::Once(only) => [Some(only), None],
            Fate::Twice(first, second) => [Some(first), Some(second)],
        };
        let left = copies.into_iter().flatten().filter(in_time).count() as u8;
        if left == 0 {
            return Ok(());
        }
        self.flights.insert(packet, (left, false));
        if self.flights.len() >= self.buffers {
            if self.buffers > MAX_IN_FLIGHT {
                return Err(Halt::Flood { host, at: self.now });
            }
            self.buffers = self.flights.len() + 1;
        }
        Ok(())
    }
}
