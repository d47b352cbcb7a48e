//! What a check needs beside the session that it is about.

use super::announcement::Requests;
use super::session::Session;
use super::truth::{Snapshot, Truth};
use crate::machine::options::Options;
use crate::wire::constants::MINOR_USERCMD;
use crate::wire::state::EntityList;
use kit::{Check, HostId, Report, Suspects, Time};

/// Maps of a scenario that are remembered.
const MAX_REMEMBERED: usize = 4096;

/// A frame, for comparison with those that other clients are sent at the same moment.
#[derive(Debug)]
pub struct Sibling {
    /// When.
    pub at: Time,
    /// To whom.
    pub host: HostId,
    /// The protocol.
    pub protocol: u32,
    /// The map.
    pub spawncount: Option<i32>,
    /// Its entities.
    pub entities: EntityList,
}

/// A number that a server has given to a client.
#[derive(Clone, Copy, Debug)]
pub struct Assigned {
    /// To whom.
    pub host: HostId,
    /// The number.
    pub playernum: i16,
    /// The map.
    pub spawncount: i32,
    /// When the server last sent that client something.
    pub at: Time,
}

/// What a run has beside its clients' sessions.
pub struct Context<'a> {
    /// The time.
    pub now: Time,
    /// The scenario's options.
    pub options: &'a Options,
    /// The world.
    pub truth: &'a Truth,
    /// Where findings go.
    pub report: &'a mut Report,
    /// The frames of this moment.
    pub siblings: &'a mut Vec<Sibling>,
    /// The numbers of the clients.
    pub assigned: &'a mut Vec<Assigned>,
    /// The maps by their spawncounts; none, where that was never certain.
    pub maps: &'a mut Vec<(i32, Option<u32>)>,
    /// What the scenario asked to be sent.
    pub requests: &'a Requests,
    /// Clients of the run.
    pub clients: u16,
    /// Clients in the game that share an address and have no number.
    pub unnumbered: usize,
}

impl Context<'_> {
    /// The server violates one of `suspects`.
    pub fn server_fails(
        &mut self,
        check: &'static Check,
        suspects: impl Into<Suspects>,
        what: impl FnOnce() -> String,
    ) {
        self.report.fail(check, self.now, HostId::SERVER, suspects, what);
    }

    /// A client violates one of `suspects`.
    pub fn client_fails(
        &mut self,
        check: &'static Check,
        client: HostId,
        suspects: impl Into<Suspects>,
        what: impl FnOnce() -> String,
    ) {
        self.report.fail(check, self.now, client, suspects, what);
    }

    /// A client leaves: another may have its number.
    pub fn leaves(&mut self, host: HostId) {
        self.assigned.retain(|assigned| assigned.host != host);
    }

    /// The numbers that the server has given to its clients, where those are its own choice: our own server goes by the scenario's.
    pub fn given_by(&self, session: &Session) -> &[Assigned] {
        if session.server.is_remote() { self.assigned } else { &[] }
    }

    /// The time in which a server takes instructions into its game.
    pub fn settling_us(&self) -> u64 {
        2 * self.options.tick_us
    }

    /// The states of the world that a frame may show now, newest first.
    pub fn states(&self) -> impl Iterator<Item = Snapshot<'_>> {
        self.truth.since(self.now, self.settling_us())
    }

    /// Whether a client is on the newest map, and has been long enough for its server to have come to it.
    pub fn is_settled(&self, session: &Session) -> bool {
        session.map == Some(self.truth.maps) && !self.truth.is_unsettled(self.now, self.settling_us())
    }

    /// Whether clients go back to protocol 34 at what is announced: those that know no lesser revision.
    pub fn falls_back(&self, session: &Session) -> bool {
        // What a remote server announces is in its serverdata alone.
        let announced = session.server.is_remote() || self.options.announced_minor != self.options.client_minor;
        self.options.client_minor < MINOR_USERCMD && announced
    }

    /// Whether a client is known from others by its port alone.
    pub fn has_port_alone(&self, session: &Session) -> bool {
        self.options.same_address && self.clients > 1 && session.connect.is_unnumbered()
    }

    /// Which map a serverdata to a client is of; `None` while that is not certain.
    pub fn map_of(&mut self, session: &Session, spawncount: i32) -> Option<u32> {
        if let Some((_, map)) = self.maps.iter().find(|(known, _)| *known == spawncount) {
            return *map;
        }
        let newest = self.truth.maps;
        // The first of all may have waited, too.
        let unsettled = newest > 0 && (self.maps.is_empty() || self.truth.is_unsettled(self.now, self.settling_us()));
        let before_is_known = self.maps.iter().any(|(_, map)| map.is_some_and(|map| map + 1 == newest));
        // Servers count maps, so that a number below that of the newest is one of an earlier map, whose serverdata waited.
        let earlier = self.maps.iter().find_map(|&(known, map)| {
            let counted = i64::from(map?) + i64::from(spawncount) - i64::from(known);
            u32::try_from(counted).ok().filter(|&counted| counted < newest)
        });
        // It answers what was asked: who has not asked since the newest map began is sent what waited.
        let waited = session.asked_last.is_some_and(|asked| self.truth.mapped.is_some_and(|mapped| asked < mapped));
        if waited && earlier.is_none() {
            return None;
        }
        let is_older = self.maps.iter().any(|&(known, _)| known > spawncount);
        // What comes again later is no newer for that.
        let map = earlier.or(Some(newest).filter(|_| !is_older && (!unsettled || before_is_known)));
        if self.maps.len() < MAX_REMEMBERED {
            self.maps.push((spawncount, map));
        }
        map
    }
}
