//! The reference client: applies snapshots, shows the newest, and says each tick which one that is.

use crate::message::{Snapshot, read_changes, write_ack};
use crate::notes::{NOTE_APPLIED, NOTE_IGNORED, NOTE_NOT_APPLIED};
use crate::options::Options;
use crate::rules::Rules;
use crate::state::{Entities, History, show};
use crate::verbs::VERB_ACKNOWLEDGE;
use kit::{Command, DecodeError, Endpoint, Event, PeerId, Reader, Setup, Time, View, Writer};
use std::collections::VecDeque;

/// A client.
#[derive(Debug)]
pub struct Client {
    rules: Rules,
    tick_us: u64,
    state: &'static str,
    /// When the next acknowledgement is sent; `None` while there is no server.
    next_tick: Option<Time>,
    /// The snapshots held, and the number of the one shown; 0 for none.
    held: History,
    newest: u32,
    /// The snapshot being read: nothing changes if that fails.
    incoming: Entities,
    /// The numbers to acknowledge next.
    to_send: VecDeque<u32>,
    events: VecDeque<Event>,
}

impl Client {
    /// A client that has not connected yet.
    pub fn new(setup: &Setup, rules: Rules) -> Client {
        Client {
            rules,
            tick_us: Options::new(setup).tick_us,
            state: "idle",
            next_tick: None,
            held: History::default(),
            newest: 0,
            incoming: Entities::default(),
            to_send: VecDeque::new(),
            events: VecDeque::new(),
        }
    }

    fn enter(&mut self, to: &'static str, cause: &'static str) {
        if self.state != to {
            self.events.push_back(Event::State { peer: PeerId::SERVER, from: self.state, to, cause });
            self.state = to;
        }
    }

    fn note(&mut self, note: usize, number: u32) {
        self.events.push_back(Event::Note { note, args: [number.into(), 0, 0, 0] });
    }

    fn snapshot(&mut self, bytes: &[u8]) -> Result<(), DecodeError> {
        let mut r = Reader::new(bytes);
        let Snapshot { number, base } = Snapshot::read(&mut r)?;
        let is_newer = (self.rules.is_newer)(number, self.newest); // SKL-SHOW-02
        let Some(base) = self.held.get(base).filter(|_| is_newer) else {
            self.note(NOTE_NOT_APPLIED, number);
            return Ok(());
        };
        self.incoming.copy_from(base);
        read_changes(&mut r, |change| change.apply(&mut self.incoming))?;
        self.held.put(number, &self.incoming);
        self.newest = number; // SKL-SHOW-01
        self.note(NOTE_APPLIED, number);
        self.enter("active", "first snapshot");
        Ok(())
    }
}

impl Endpoint for Client {
    fn handle_command(&mut self, now: Time, command: &Command) {
        match *command {
            Command::Connect if self.next_tick.is_none() => {
                self.held.clear();
                self.newest = 0;
                self.next_tick = Some(now);
                self.enter("connecting", "connect");
            }
            Command::Disconnect if self.next_tick.is_some() => {
                self.next_tick = None;
                self.enter("idle", "disconnect");
            }
            Command::Verb { verb: VERB_ACKNOWLEDGE, args } if self.next_tick.is_some() => {
                self.to_send.push_back(self.newest.wrapping_add_signed(args[0]));
            }
            _ => self.note(NOTE_IGNORED, 0),
        }
    }

    fn handle_datagram(&mut self, _: Time, from: PeerId, bytes: &[u8]) {
        if self.next_tick.is_some()
            && let Err(error) = self.snapshot(bytes)
        {
            self.events.push_back(Event::Rejected { peer: from, error });
        }
    }

    fn handle_timeout(&mut self, now: Time) {
        if self.next_tick.is_some_and(|tick| tick <= now) {
            self.next_tick = Some(now.after(self.tick_us));
            self.to_send.push_back(self.newest); // SKL-ACK-01
        }
    }

    fn poll_transmit(&mut self, _: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        write_ack(&mut Writer::new(out), self.to_send.pop_front()?);
        Some(PeerId::SERVER)
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.next_tick
    }

    fn observe(&self, view: &mut View) {
        view.state = self.state;
        view.valid = self.newest != 0;
        self.held.get(self.newest).into_iter().for_each(|entities| show(entities, view));
    }
}
