//! Whether a server announces a new map to its client, and what it receives of the map before.

use crate::dialect::Transport;
use kit::Time;

/// How far a client and its server are from one map to the next.
#[derive(Debug, Default)]
pub struct NewMap {
    /// The scenario began a map then, and the server has neither announced it nor sent its session.
    pending: Option<Time>,
    /// QuakeWorld, where a server only answers: it has received a packet of the client since.
    can_answer: bool,
    /// What the client sends of the map before is not answered: it is to sign on again.
    stale: bool,
    /// The server has instructed the client to sign on again, and sent no session since: a further map need not be announced.
    announced: bool,
    /// The server has received the step before `spawn` since it sent the session: one that comes before that is of the map before.
    prespawned: bool,
}

impl NewMap {
    /// The scenario begins one.
    pub fn begins(&mut self, now: Time) {
        self.pending = (!self.announced).then_some(now);
        self.can_answer = false;
        self.stale = true;
    }

    /// The server receives a packet: from now on it can answer with the new map.
    pub fn received(&mut self, now: Time) {
        if !std::mem::replace(&mut self.can_answer, true) {
            self.pending = self.pending.map(|_| now);
        }
    }

    /// The server sends a reliable part. QuakeWorld's can announce a new map: it instructs the client to sign on again.
    pub fn reliable_sent(&mut self, transport: Transport) {
        self.pending = self.pending.filter(|_| transport == Transport::NetQuake);
    }

    /// The server instructs the client to sign on again.
    pub fn announced(&mut self) {
        (self.announced, self.stale) = (true, true);
    }

    /// The server sends the session of the map.
    pub fn session_sent(&mut self) {
        *self = NewMap::default();
    }

    /// Whether the server has instructed the client to sign on again, and sent no session since.
    pub fn is_announced(&self) -> bool {
        self.announced
    }

    /// Whether what the server receives is of the map that it has, and not of the one before.
    pub fn takes(&mut self, text: &[u8]) -> bool {
        if self.stale && !text.starts_with(b"new") {
            return false;
        }
        if text.starts_with(b"prespawn") {
            // NetQuake: a client that was sent the sessions of two maps answers both, and the server takes the first for its own.
            // In QuakeWorld each has arguments, and is answered.
            let repeats = self.prespawned && text.trim_ascii() == b"prespawn";
            self.prespawned = true;
            return !repeats;
        }
        self.prespawned || !text.starts_with(b"spawn")
    }

    /// Since when the server can have announced it, and has not: it is between two maps.
    pub fn pending(&self) -> Option<Time> {
        self.pending
    }

    /// Whether the server could announce it.
    pub fn can_be_announced(&self, transport: Transport) -> bool {
        transport == Transport::NetQuake || self.can_answer
    }
}
