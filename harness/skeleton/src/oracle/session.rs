//! What is known of one client: state alone.

use crate::constants::HISTORY;
use crate::message::{Snapshot, read_ack, read_changes};
use crate::state::{Entities, FIELDS, History, show};
use crate::verbs::VERB_ACKNOWLEDGE;
use kit::{Bounds, Command, DecodeError, Hidden, Reader, Vantage, View};
use std::collections::BTreeSet;

/// The record of one client.
#[derive(Debug)]
pub struct Session {
    vantage: Vantage,
    /// The client was instructed to connect, and has not been instructed to leave.
    pub connected: bool,
    /// Nothing is judged any more: what the two ends hold is not known since a datagram was delivered damaged.
    pub indeterminate: bool,
    sent: History,
    /// The number of the newest snapshot sent to it; 0 for none.
    pub newest_sent: u32,
    /// The snapshots sent that the server can know to be held.
    pub acknowledged: BTreeSet<u32>,
    /// The snapshots that it can hold.
    delivered: History,
    /// The number of the one that it shows. A remote client may have missed what was delivered to it, or read it later.
    pub newest: Bounds<u32>,
    /// What was delivered last was a snapshot that is not to be applied.
    pub old: bool,
    /// The scenario asked for a wrong acknowledgement, which was not sent yet.
    pub scripted_ack: bool,
}

/// What a snapshot makes of its base: none if that is not known.
pub type Made = Option<Entities>;

impl Session {
    /// Of a client that has not connected.
    pub fn new(vantage: Vantage) -> Session {
        Session {
            vantage,
            connected: false,
            indeterminate: false,
            sent: History::default(),
            newest_sent: 0,
            acknowledged: BTreeSet::new(),
            delivered: History::default(),
            newest: Bounds::default(),
            old: false,
            scripted_ack: false,
        }
    }

    /// The scenario instructs the client. One that connects holds nothing.
    pub fn command(&mut self, command: &Command) {
        match *command {
            Command::Connect if !self.connected => {
                (self.connected, self.newest, self.old) = (true, Bounds::default(), false);
                self.delivered.clear();
            }
            Command::Disconnect => self.connected = false,
            Command::Verb { verb: VERB_ACKNOWLEDGE, .. } => self.scripted_ack = self.connected,
            _ => {}
        }
    }

    /// What a snapshot of the server says.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(&self, bytes: &[u8]) -> Result<(Snapshot, Made), DecodeError> {
        read(bytes, &self.sent)
    }

    /// The server has sent this.
    pub fn sent(&mut self, number: u32, made: &Made) {
        self.newest_sent = self.newest_sent.max(number);
        made.iter().for_each(|entities| self.sent.put(number, entities));
    }

    /// A datagram is delivered to the client.
    pub fn client_received(&mut self, bytes: &[u8]) {
        let Ok(Snapshot { number, .. }) = Snapshot::read(&mut Reader::new(bytes)) else { return };
        self.old = number <= self.newest.most;
        if !self.old
            && let Ok((_, Some(entities))) = read(bytes, &self.delivered)
        {
            self.delivered.put(number, &entities);
            self.newest.raise(number, !self.vantage.remote_clients);
        }
    }

    /// A datagram is delivered to the server. A client that acknowledges nothing starts over: what it held before is gone, if the server
    /// has not missed that.
    pub fn server_received(&mut self, bytes: &[u8]) {
        match read_ack(&mut Reader::new(bytes)) {
            Ok(0) if !self.vantage.server_may_miss => self.acknowledged.clear(),
            Ok(number) if number != 0 && self.sent.get(number).is_some() => {
                self.acknowledged.insert(number);
                self.acknowledged.retain(|&held| held.saturating_add(HISTORY) > number);
            }
            _ => {}
        }
    }

    /// What the client should show, but for what it cannot.
    pub fn right(&self, hidden: Hidden) -> View {
        let newest = self.newest.most;
        let mut right = View { valid: newest != 0, ..View::default() };
        self.delivered.get(newest).into_iter().for_each(|entities| show(entities, &mut right));
        right.hide(hidden, FIELDS);
        right
    }
}

fn read(bytes: &[u8], bases: &History) -> Result<(Snapshot, Made), DecodeError> {
    let mut r = Reader::new(bytes);
    let head = Snapshot::read(&mut r)?;
    let mut made = bases.get(head.base).cloned();
    read_changes(&mut r, |change| made.iter_mut().for_each(|entities| change.apply(entities)))?;
    Ok((head, made))
}
