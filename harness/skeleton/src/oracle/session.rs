//! What is known of one client: state alone, no checks.

use crate::state::History;
use crate::verbs::VERB_ACKNOWLEDGE;
use kit::Command;
use std::collections::BTreeSet;

/// The record of one client.
#[derive(Debug, Default)]
pub struct Session {
    /// The client was instructed to connect, and has not been instructed to leave.
    pub connected: bool,
    /// Why nothing is judged any more: what the two ends hold is no longer known.
    pub indeterminate: Option<&'static str>,
    /// The snapshots sent to it, and the number of the newest.
    pub sent: History,
    /// See `sent`.
    pub newest_sent: u32,
    /// Those of them that the server knows to be held, as it received acknowledgements of them.
    pub acknowledged: BTreeSet<u32>,
    /// The snapshots that it holds, and the number of the one to be shown; 0 for none.
    pub delivered: History,
    /// See `delivered`.
    pub newest_delivered: u32,
    /// The newest datagram delivered was a snapshot that is not to be applied.
    pub last_not_applied: bool,
    /// The scenario asked for a wrong acknowledgement, which was not sent yet.
    pub scripted_ack: bool,
}

impl Session {
    /// The scenario instructs the client. One that connects holds nothing.
    pub fn command(&mut self, command: &Command) {
        match *command {
            Command::Connect if !self.connected => {
                self.connected = true;
                self.delivered.clear();
                self.newest_delivered = 0;
                self.last_not_applied = false;
            }
            Command::Disconnect => self.connected = false,
            Command::Verb { verb: VERB_ACKNOWLEDGE, .. } => self.scripted_ack = self.connected,
            _ => {}
        }
    }
}
