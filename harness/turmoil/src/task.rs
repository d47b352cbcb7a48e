//! One host: a tokio task with a socket, which drives an endpoint through the inputs that have come due.

use crate::record::{Input, Record, Sent};
use kit::{Command, Delivery, Direction, Endpoint, Fate, HostId, PacketId, PeerId, Time, View};
use sim::{MAX_DATAGRAMS_PER_INPUT, MAX_EVENTS_PER_INPUT, MAX_INPUTS_PER_INSTANT, Pause, awake_from};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::rc::Rc;
use std::time::Duration;
use turmoil::net::UdpSocket;

/// The port of every host.
const PORT: u16 = 27_500;

/// Before each datagram on turmoil's wire: its sender's number, and its number among the sender's datagrams. By these its receiver
/// finds the fate.
const HEADER_BYTES: usize = 10;

/// The longest datagram that is read; [`sim::MAX_DATAGRAM_BYTES`] is far below.
const MAX_WIRE_BYTES: usize = 1 << 17;

/// Who sent a datagram, and its number among all that this host has sent.
pub(crate) type Serial = (u16, u64);

/// What a tick takes on turmoil's clock, the shortest that it has. How much of the run a tick stands for is another matter, since
/// tasks get their times with their inputs.
pub(crate) const TICK: Duration = Duration::from_millis(1);

/// What the network does with a datagram, decided once the tick in which it was sent is over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decided {
    pub(crate) packet: PacketId,
    pub(crate) sent_at: Time,
    pub(crate) fate: Fate,
    /// Who sent it, as the receiver sees it.
    pub(crate) from: PeerId,
}

/// A datagram that should have been taken in a tick that is over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Early {
    pub(crate) packet: PacketId,
    pub(crate) at: Time,
    pub(crate) done: Time,
}

/// What all tasks of a run share with the loop around them. Nothing is borrowed while a task waits.
#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) hosts: Vec<RefCell<Box<dyn Endpoint>>>,
    pub(crate) until: Time,
    /// Times in which hosts stand still.
    pub(crate) pauses: Vec<Pause>,
    /// How far inputs are taken in this tick, inclusive; `None` before the run.
    pub(crate) horizon: Cell<Option<Time>>,
    /// Instructions of this tick, by host.
    pub(crate) commands: RefCell<Vec<VecDeque<(Time, Command)>>>,
    /// Fates that the receiver has not fetched yet.
    pub(crate) decided: RefCell<BTreeMap<Serial, Decided>>,
    /// What happened in this tick, each host's in its own order.
    pub(crate) records: RefCell<Vec<Record>>,
    /// How many hosts have reached the horizon.
    pub(crate) arrived: Cell<usize>,
    pub(crate) early: Cell<Option<Early>>,
}

/// The place of a copy among what its receiver takes at one instant: as in `sim`, by client, slot, ordinal and copy.
type Place = (Time, HostId, u32, u16, u8);

struct Waiting {
    packet: PacketId,
    delivery: Delivery,
    from: PeerId,
    bytes: Rc<[u8]>,
}

pub(crate) struct Task {
    host: HostId,
    shared: Rc<Shared>,
    /// Everything up to here was taken.
    done: Option<Time>,
    /// Datagrams whose fate is not decided yet.
    undecided: Vec<(Serial, Rc<[u8]>)>,
    waiting: BTreeMap<Place, Waiting>,
    /// When the endpoint wants to be called.
    wanted: Option<Time>,
    serial: u64,
    /// The instant that `inputs` counts for.
    instant: Time,
    inputs: u32,
}

impl Task {
    pub(crate) fn new(host: HostId, shared: Rc<Shared>) -> Task {
        let (undecided, waiting) = (Vec::new(), BTreeMap::new());
        Task { host, shared, done: None, undecided, waiting, wanted: None, serial: 0, instant: Time::ZERO, inputs: 0 }
    }

    /// Drives the endpoint, tick by tick, until the run ends.
    pub(crate) async fn live(mut self, addresses: Rc<[IpAddr]>) -> turmoil::Result {
        let socket = UdpSocket::bind((IpAddr::from(Ipv4Addr::UNSPECIFIED), PORT)).await?;
        let mut buffer = vec![0; MAX_WIRE_BYTES];
        let mut outgoing = Vec::new();
        let wanted = self.endpoint().borrow().poll_timeout();
        self.wanted = wanted.map(|wanted| self.awake_from(wanted));
        loop {
            while let Ok((length, _)) = socket.try_recv_from(&mut buffer) {
                self.undecided.extend(unwrapped(&buffer[..length]));
            }
            self.turn(&mut outgoing);
            for (to, wire) in outgoing.drain(..) {
                // A host that is not there is for the ledger to complain of.
                if let Some(address) = addresses.get(usize::from(to)) {
                    socket.send_to(&wire, SocketAddr::new(*address, PORT)).await?;
                }
            }
            tokio::time::sleep(TICK).await;
        }
    }

    /// When an input that is due at a moment is taken: a host that stands still takes it at the end of its pause.
    fn awake_from(&self, at: Time) -> Time {
        awake_from(&self.shared.pauses, self.host, at)
    }

    fn endpoint(&self) -> &RefCell<Box<dyn Endpoint>> {
        &self.shared.hosts[usize::from(self.host.0)]
    }

    /// Takes every input up to the horizon.
    fn turn(&mut self, outgoing: &mut Vec<(u16, Vec<u8>)>) {
        // A task can wake twice in a tick.
        let Some(horizon) = self.shared.horizon.get().filter(|_| self.done < self.shared.horizon.get()) else { return };
        self.settle_fates();
        while let Some((at, input, from)) = self.next(horizon) {
            let record = self.take(at, input, from);
            for sent in &record.sent {
                outgoing.push((sent.to.host.0, wrapped((self.host.0, sent.serial), &sent.bytes)));
            }
            self.shared.records.borrow_mut().push(record);
        }
        self.done = Some(horizon);
        self.shared.arrived.set(self.shared.arrived.get() + 1);
    }

    /// Finds out what becomes of the datagrams that have come through the socket.
    fn settle_fates(&mut self) {
        let shared = Rc::clone(&self.shared);
        let mut fates = shared.decided.borrow_mut();
        for (serial, bytes) in std::mem::take(&mut self.undecided) {
            let Some(Decided { packet, sent_at, fate, from }) = fates.remove(&serial) else {
                self.undecided.push((serial, bytes));
                continue;
            };
            let copies = match fate {
                Fate::Lost(_) => [None, None],
                Fate::Once(only) => [Some(only), None],
                Fate::Twice(first, second) => [Some(first), Some(second)],
            };
            for (copy, delivery) in (0..).zip(copies) {
                let Some(delivery) = delivery else { continue };
                let at = sent_at.after(delivery.delay_us);
                if let Some(done) = self.done.filter(|done| at <= *done) {
                    self.shared.early.set(Some(Early { packet, at, done }));
                } else if at <= self.shared.until && self.awake_from(at) == at {
                    let place = (at, packet.client, packet.slot, packet.ordinal, copy);
                    self.waiting.insert(place, Waiting { packet, delivery, from, bytes: Rc::clone(&bytes) });
                }
            }
        }
    }

    /// The next input up to `horizon`: of those at one instant commands first, then datagrams, then the timer.
    fn next(&mut self, horizon: Time) -> Option<(Time, Input, PeerId)> {
        if self.inputs > MAX_INPUTS_PER_INSTANT {
            // The ledger halts the run here.
            return None;
        }
        let mut commands = self.shared.commands.borrow_mut();
        let commands = commands.get_mut(usize::from(self.host.0))?;
        let command = commands.front().map(|(at, _)| *at);
        let datagram = self.waiting.first_key_value().map(|((at, ..), _)| *at);
        let at = [command, datagram, self.wanted].into_iter().flatten().min().filter(|at| *at <= horizon)?;
        if command == Some(at) {
            return commands.pop_front().map(|(at, command)| (at, Input::Command(command), PeerId::SERVER));
        }
        if self.instant != at {
            (self.instant, self.inputs) = (at, 0);
        }
        self.inputs += 1;
        if datagram == Some(at) {
            let ((.., copy), Waiting { packet, delivery, from, bytes }) = self.waiting.pop_first()?;
            let (bytes, intact) = damaged(delivery, bytes);
            let delay_us = delivery.delay_us;
            return Some((at, Input::Datagram { packet, copy, delay_us, bytes, intact }, from));
        }
        Some((at, Input::Timeout, PeerId::SERVER))
    }

    /// One input, and everything that the endpoint puts out after it, as far as a run may go.
    fn take(&mut self, at: Time, input: Input, from: PeerId) -> Record {
        let shared = Rc::clone(&self.shared);
        let mut endpoint = shared.hosts[usize::from(self.host.0)].borrow_mut();
        match &input {
            Input::Command(command) => endpoint.handle_command(at, command),
            Input::Datagram { bytes, .. } => endpoint.handle_datagram(at, from, bytes),
            Input::Timeout => endpoint.handle_timeout(at),
        }
        let mut record =
            Record { at, host: self.host, input, sent: Vec::new(), said: Vec::new(), view: View::default() };
        let mut bytes = Vec::new();
        while record.sent.len() <= MAX_DATAGRAMS_PER_INPUT as usize
            && let Some(to) = endpoint.poll_transmit(at, &mut bytes)
        {
            let (serial, port) = (self.serial, endpoint.source_port());
            self.serial += 1;
            record.sent.push(Sent { to, serial, bytes: Rc::from(std::mem::take(&mut bytes)), port });
        }
        while record.said.len() <= MAX_EVENTS_PER_INPUT as usize
            && let Some(event) = endpoint.poll_event()
        {
            record.said.push(event);
        }
        self.wanted = endpoint.poll_timeout().map(|wanted| self.awake_from(wanted.max(at)));
        endpoint.observe(&mut record.view);
        record
    }
}

/// A copy as it arrives, and whether it is what was sent.
fn damaged(delivery: Delivery, bytes: Rc<[u8]>) -> (Rc<[u8]>, bool) {
    if delivery.intact() {
        return (bytes, true);
    }
    let mut copy = bytes.to_vec();
    match delivery.damage.apply(&mut copy) {
        true => (Rc::from(copy), false),
        false => (bytes, true),
    }
}

fn wrapped((sender, number): Serial, bytes: &[u8]) -> Vec<u8> {
    let mut wire = Vec::with_capacity(HEADER_BYTES + bytes.len());
    wire.extend(sender.to_le_bytes());
    wire.extend(number.to_le_bytes());
    wire.extend(bytes);
    wire
}

fn unwrapped(wire: &[u8]) -> Option<(Serial, Rc<[u8]>)> {
    let (sender, rest) = wire.split_first_chunk()?;
    let (number, bytes) = rest.split_first_chunk()?;
    Some(((u16::from_le_bytes(*sender), u64::from_le_bytes(*number)), Rc::from(bytes)))
}

/// The peer whose datagrams of this direction and client these are, as their receiver sees it.
pub(crate) fn sender(packet: &PacketId, port: u16) -> PeerId {
    match packet.direction {
        Direction::ServerToClient => PeerId::SERVER,
        Direction::ClientToServer => PeerId { host: packet.client, port },
    }
}
