//! Whether a server tells its client of a new map, and what the client says of the map before.

use crate::dialect::Transport;
use kit::Time;

/// How far a client and its server are from one map to the next.
#[derive(Debug, Default)]
pub struct NewMap {
    /// The scenario began a map, and the server did not say so; nor has it sent its session.
    untold: Option<Time>,
    /// QuakeWorld, where a server only answers: it has heard the client since.
    heard: bool,
    /// What the client says of the map before is not answered: it is to sign on again.
    anew: bool,
    /// QuakeWorld: the server has told the client so, and sent no session since: of a further map it need not tell.
    told: bool,
    /// The server has received the step before `spawn` since it sent the session: one that comes before that is of the map before.
    prespawned: bool,
}

impl NewMap {
    /// The scenario begins one.
    pub fn begins(&mut self, now: Time) {
        self.untold = (!self.told).then_some(now);
        self.heard = false;
        self.anew = true;
    }

    /// The server hears the client: from now on it can tell.
    pub fn hears(&mut self, now: Time) {
        if !std::mem::replace(&mut self.heard, true) {
            self.untold = self.untold.map(|_| now);
        }
    }

    /// The server sends a reliable part. QuakeWorld's tells of a new map by asking the client to sign on again.
    pub fn may_be_told(&mut self, transport: Transport) {
        self.untold = self.untold.filter(|_| transport == Transport::NetQuake);
    }

    /// The server asks the client to sign on again.
    pub fn is_told(&mut self) {
        (self.told, self.anew) = (true, true);
    }

    /// The server sends the session of the map.
    pub fn is_there(&mut self) {
        *self = NewMap::default();
    }

    /// Whether what the server receives is of the map that it has, and not of the one before.
    pub fn takes(&mut self, text: &[u8]) -> bool {
        if self.anew && !text.starts_with(b"new") {
            return false;
        }
        // NetQuake: a client that was sent the sessions of two maps answers both, and the server takes the first for its own. In
        // QuakeWorld each has arguments, and is answered.
        let repeats = self.prespawned && text.trim_ascii() == b"prespawn";
        self.prespawned |= text.starts_with(b"prespawn");
        self.prespawned && !repeats || !text.starts_with(b"prespawn") && !text.starts_with(b"spawn")
    }

    /// Since when the server can have told of it, and has not: it is between two maps.
    pub fn untold(&self) -> Option<Time> {
        self.untold
    }

    /// Whether the server could tell.
    pub fn can_be_told(&self, transport: Transport) -> bool {
        transport == Transport::NetQuake || self.heard
    }
}
