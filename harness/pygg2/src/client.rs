//! The reference client.

pub mod rules;

use crate::constants::*;
use crate::game::Game;
use crate::latitude::Latitude;
use crate::message::*;
use crate::notes::{BASE_MISSING, COMMAND_IGNORED, EVENT_APPLIED, SNAPSHOT_APPLIED};
use crate::options::Options;
use crate::ring::Ring;
use crate::rules::Unreadable;
use crate::serial::newer;
use crate::session::Nonsense;
use crate::snapshot::Snapshot;
use crate::state::milliseconds;
use crate::verbs::*;
use kit::{Command, DecodeError, Endpoint, ErrorKind, Event, PeerId, Reader, Setup, Time, View, Writer};
use rules::{ClientRules, Taken};
use std::collections::VecDeque;

/// Events of the player that wait for their acknowledgement; more are not taken.
const MAX_WAITING: usize = 64;
/// Packets that wait to be sent at once.
const MAX_PACKETS: usize = 64;

/// Room for an input and a few events.
const USUAL_BYTES: usize = 64;

/// Where a client is in its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Outside,
    Asking,
    Inside,
    Leaving,
    Refused,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            State::Outside => OUTSIDE,
            State::Asking => "asking",
            State::Inside => INSIDE,
            State::Leaving => "leaving",
            State::Refused => "refused",
        }
    }
}

/// A packet, read.
struct Packet {
    header: ServerHeader,
    events: Vec<Stamped<ServerEvent>>,
    /// The snapshot's bytes and what they say.
    snapshot: Option<(Vec<u8>, Snapshot)>,
}

/// Why a packet has no effect.
enum Dropped {
    Unreadable(DecodeError),
    /// Its base is not there; the events could be read.
    Baseless(ServerHeader, Vec<Stamped<ServerEvent>>),
}

/// A client.
pub struct Client {
    rules: ClientRules,
    latitude: Latitude,
    options: Options,
    host: kit::HostId,
    state: State,
    /// The number of the next packet, and what it acknowledges.
    next: u16,
    last: u16,
    acked: u16,
    /// The newest packet that the server has acknowledged, and the newest that was sent.
    covered: u16,
    sent: u16,
    waiting: VecDeque<(u16, ClientEvent)>,
    input: Input,
    ring: Ring,
    game: Game,
    last_received: Time,
    left: Time,
    next_send: Option<Time>,
    packets: VecDeque<Vec<u8>>,
    stopped: bool,
    events: VecDeque<Event>,
}

impl Client {
    /// A client that follows `rules`.
    pub fn new(setup: &Setup, rules: ClientRules, latitude: Latitude) -> Client {
        let options = Options::new(setup);
        let nothing = Options::nothing(options.first_sequence);
        Client {
            rules,
            latitude,
            host: setup.host,
            state: State::Outside,
            next: options.first_client_sequence,
            last: nothing,
            acked: nothing,
            covered: nothing,
            sent: nothing,
            waiting: VecDeque::new(),
            input: Input::default(),
            ring: Ring::new(latitude.buffered),
            game: Game::default(),
            last_received: Time::ZERO,
            left: Time::ZERO,
            next_send: None,
            packets: VecDeque::new(),
            stopped: false,
            events: VecDeque::new(),
            options,
        }
    }

    fn enter(&mut self, state: State, cause: &'static str) {
        let (from, to) = (self.state.name(), state.name());
        self.state = state;
        self.events.push_back(Event::State { peer: PeerId::SERVER, from, to, cause });
    }

    /// Begins again.
    fn connect(&mut self, now: Time) {
        let nothing = Options::nothing(self.options.first_sequence);
        self.next = self.options.first_client_sequence;
        [self.last, self.acked] = [nothing; 2];
        [self.covered, self.sent] = [Options::nothing(self.next), self.next];
        self.waiting.clear();
        self.ring = Ring::new(self.latitude.buffered);
        self.game = Game::default();
        self.last_received = now;
        self.next_send = Some(now);
        self.enter(State::Asking, "connect");
    }

    fn tick_us(&self) -> u64 {
        self.options.client_tick_us / self.latitude.hurry.max(1)
    }

    /// Says something reliably. Whether there was room.
    fn say(&mut self, event: ClientEvent) -> bool {
        let room = self.waiting.len() < MAX_WAITING && matches!(self.state, State::Inside | State::Leaving);
        if room {
            // GG2-EVT-11
            self.waiting.push_back((self.next, event));
        }
        room
    }

    fn hello(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut w = Writer::new(&mut out);
        ClientHeader { sequence: self.next, ack_sequence: self.last }.write(&mut w);
        let (name, password) = (self.options.name_of(self.host), self.options.password_of(self.host));
        // GG2-HS-01
        ClientEvent::Hello { name, password }.write(&mut w, self.next);
        out
    }

    /// The next input update, with `ack` instead of the usual acknowledgement if there is one.
    fn update(&mut self, ack: Option<u16>, nonsense: Option<Nonsense>) -> Vec<u8> {
        let mut out = Vec::with_capacity(USUAL_BYTES);
        let mut w = Writer::new(&mut out);
        let sequence = self.next;
        self.sent = sequence;
        // GG2-ACK-02
        ClientHeader { sequence, ack_sequence: ack.unwrap_or(self.acked) }.write(&mut w);
        if let Some(nonsense) = nonsense {
            // What a reader must not take, though it could be read.
            ClientEvent::ChangeClass { class: 9 }.write(&mut w, sequence);
            nonsense.write(&mut w, sequence);
        } else {
            // GG2-EVT-09
            self.waiting.iter().for_each(|(created, event)| event.write(&mut w, *created));
            self.input.write(&mut w, sequence);
        }
        self.next = sequence.wrapping_add(1 + self.latitude.gap);
        out
    }

    fn queue(&mut self, packet: Vec<u8>) {
        if self.packets.len() < MAX_PACKETS {
            self.packets.push_back(packet);
        }
    }

    /// Reads a packet whole; nothing is applied.
    fn read(&self, header: ServerHeader, r: &mut Reader<'_>, partly: bool) -> Result<Packet, Dropped> {
        let mut records = ServerRecords::default();
        let read = records.read(r, self.options.declared);
        let read = if records.in_order {
            read
        } else {
            read.and(r.error(0, "record", ErrorKind::Forbidden { value: 0, why: "an event after the snapshot" }))
        };
        match read {
            Err(error) if !partly => return Err(Dropped::Unreadable(error)),
            _ => {}
        }
        let ServerRecords { events, difference, .. } = records;
        let Some(difference) = difference else { return Ok(Packet { header, events, snapshot: None }) };
        let bytes = if header.is_absolute() {
            difference.xored
        } else if let Some(base) = self.ring.get(header.delta_sequence) {
            (self.rules.combine)(&difference.xored, base)
        } else {
            return Err(Dropped::Baseless(header, events));
        };
        match Snapshot::decode(&bytes, self.options.declared) {
            Ok(snapshot) => Ok(Packet { header, events, snapshot: Some((bytes, snapshot)) }),
            Err(error) => Err(Dropped::Unreadable(error)),
        }
    }

    fn apply_events(&mut self, events: Vec<Stamped<ServerEvent>>, before: u16) {
        for Stamped { created, what } in events {
            // GG2-EVT-07
            if !(self.rules.event_newer)(created, before) {
                continue;
            }
            self.game.apply_event(&what);
            let args = [created.into(), what.id().into(), 0, 0];
            self.events.push_back(Event::Note { note: EVENT_APPLIED, args });
            match what {
                ServerEvent::Refuse { .. } if self.state == State::Asking => {
                    self.next_send = None;
                    self.enter(State::Refused, "refuse");
                }
                ServerEvent::Hi(_) if self.state == State::Asking => {
                    self.next = self.next.wrapping_add(1 + self.latitude.gap);
                    self.enter(State::Inside, "hi");
                }
                _ => {}
            }
        }
    }

    fn apply(&mut self, now: Time, packet: Packet, before: u16) {
        let Packet { header, events, snapshot } = packet;
        let asking = self.state == State::Asking;
        let show = |client: &mut Client, snapshot: Option<(Vec<u8>, Snapshot)>| {
            if let Some((bytes, snapshot)) = snapshot {
                client.game.apply_snapshot(&snapshot);
                // GG2-DLT-04
                client.ring.keep(header.sequence, bytes);
                let args = [header.sequence.into(), 0, 0, 0];
                client.events.push_back(Event::Note { note: SNAPSHOT_APPLIED, args });
            }
        };
        // GG2-EVT-08
        if self.rules.events_first {
            self.apply_events(events, before);
            show(self, snapshot);
        } else {
            show(self, snapshot);
            self.apply_events(events, before);
        }
        // GG2-ACK-01
        self.last = header.sequence;
        self.acked = header.sequence;
        self.last_received = now;
        let covered = header.last_acked_sequence;
        if (self.rules.counts)(covered, self.covered, self.sent) {
            self.covered = covered;
            self.waiting.retain(|(created, _)| newer(*created, covered));
        }
        if asking && self.state == State::Inside {
            self.next_send = Some(now.after(self.tick_us()));
        } else if self.state == State::Inside && (self.latitude.answers || !self.rules.own_clock) {
            let update = self.update(None, None);
            self.queue(update);
        }
    }

    fn handle(&mut self, now: Time, bytes: &[u8]) -> Result<(), DecodeError> {
        let mut r = Reader::new(bytes);
        let header = ServerHeader::read(&mut r)?;
        // GG2-ACK-03
        if !(self.rules.newer)(header.sequence, self.last) {
            if self.rules.late == Taken::Number {
                self.acked = header.sequence;
            }
            return Ok(());
        }
        let before = self.last;
        let partly = self.rules.unreadable == Unreadable::TakenInPart;
        match self.read(header, &mut r, partly) {
            // An earlier session's packets are no answer to a hello.
            Ok(packet) if self.state == State::Asking && !self.rules.answers(&packet.events) => {}
            Ok(packet) => self.apply(now, packet, before),
            Err(Dropped::Unreadable(error)) => return Err(error),
            Err(Dropped::Baseless(header, events)) => {
                let args = [header.delta_sequence.into(), 0, 0, 0];
                self.events.push_back(Event::Note { note: BASE_MISSING, args });
                match self.rules.without_base {
                    // GG2-ACK-04, GG2-DLT-07
                    Taken::Nothing => {}
                    Taken::Events => self.apply_events(events, before),
                    Taken::Number => self.acked = header.sequence,
                }
            }
        }
        Ok(())
    }
}

impl Endpoint for Client {
    fn handle_command(&mut self, now: Time, command: &Command) {
        let inside = self.state == State::Inside;
        let done = match *command {
            Command::Connect if matches!(self.state, State::Outside | State::Refused | State::Leaving) => {
                self.connect(now);
                true
            }
            Command::Disconnect if inside => {
                // GG2-HS-13
                self.say(ClientEvent::Disconnect);
                self.left = now;
                self.enter(State::Leaving, "disconnect");
                true
            }
            Command::Disconnect => {
                self.next_send = None;
                self.enter(State::Outside, "disconnect");
                true
            }
            Command::Verb { verb: VERB_INPUT, args } => {
                self.input = Input { inputstate: args[0] as u8 & INPUTSTATE_BITS, aimdirection: args[1] as u16 };
                true
            }
            Command::Verb { verb: VERB_JUMP, .. } if inside => self.say(ClientEvent::Jump { time: milliseconds(now) }),
            Command::Verb { verb: VERB_CHANGECLASS, args } if inside => {
                self.say(ClientEvent::ChangeClass { class: args[0] as u8 })
            }
            Command::Verb { verb: VERB_ACKNOWLEDGE, args } if inside => {
                let packet = self.update(Some(self.last.wrapping_add(args[0] as u16)), None);
                self.queue(packet);
                true
            }
            Command::Verb { verb: VERB_CLIENT_NONSENSE, args } if inside => {
                let packet = self.update(None, Some(Nonsense::of(args[0])));
                self.queue(packet);
                true
            }
            Command::Verb { verb: VERB_STRAY, .. } if self.state == State::Outside => {
                let packet = self.update(None, None);
                self.queue(packet);
                true
            }
            _ => false,
        };
        if !done {
            self.events.push_back(Event::Note { note: COMMAND_IGNORED, args: [0; 4] });
        }
    }

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        let listening = matches!(self.state, State::Asking | State::Inside | State::Leaving);
        // GG2-ROB-03
        if from != PeerId::SERVER || !listening || self.stopped {
            return;
        }
        if let Err(error) = self.handle(now, bytes) {
            self.stopped = self.rules.unreadable == Unreadable::Fatal;
            self.events.push_back(Event::Rejected { peer: from, error });
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        while let Some(due) = self.next_send.filter(|&due| due <= now) {
            self.next_send = None;
            match self.state {
                State::Asking => {
                    let hello = self.hello();
                    self.queue(hello);
                    // GG2-HS-02
                    self.next_send = Some(due.after(self.latitude.hello_us.max(1_000)));
                }
                State::Inside if now.since(self.last_received) > self.rules.silence_us => {
                    self.enter(State::Outside, "silence")
                }
                State::Leaving if now.since(self.left) > LEAVING_US => self.enter(State::Outside, "disconnect"),
                State::Inside | State::Leaving => {
                    if self.rules.own_clock {
                        let update = self.update(None, None);
                        self.queue(update);
                    }
                    self.next_send = Some(due.after(self.tick_us().max(1_000)));
                }
                State::Outside | State::Refused => {}
            }
        }
    }

    fn poll_transmit(&mut self, _: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        let packet = self.packets.pop_front().filter(|_| !self.stopped)?;
        out.extend_from_slice(&packet);
        Some(PeerId::SERVER)
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.next_send
    }

    fn observe(&self, view: &mut View) {
        view.state = self.state.name();
        view.server_time = (self.game.time as f32 / 1000.0).to_bits();
        view.valid = self.game.own.is_some();
        view.own_entity = self.game.own.map_or(0, u32::from);
        for (number, player) in self.game.players.iter() {
            view.numbers.push(number);
            view.fields.extend_from_slice(&player.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::PROFILES;
    use kit::HostId;

    #[test]
    fn packets_from_another_address_than_the_servers_are_ignored() {
        let setup = Setup::new(&crate::PROTOCOL, &PROFILES[0]).on(HostId(1));
        let refusal = [0, 1, 0, 1, 0, 1, 0, 1, 6, 1];
        for (from, state) in [
            (PeerId::client(2), "asking"),
            (PeerId { host: HostId::SERVER, port: 7 }, "asking"),
            (PeerId::SERVER, "refused"),
        ] {
            let mut client = Client::new(&setup, ClientRules::REFERENCE, Latitude::NONE);
            client.handle_command(Time::ZERO, &Command::Connect);
            client.handle_timeout(Time::ZERO);
            client.handle_datagram(Time::ZERO, from, &refusal);
            let mut view = View::default();
            client.observe(&mut view);
            assert_eq!(view.state, state, "{from:?}");
        }
    }
}
