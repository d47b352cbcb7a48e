//! Who is in: whom the server admits, whom it has dropped, and who comes again.
//!
//! A server tells nobody that it has dropped a client which is silent or leaves too much unacknowledged, but the
//! others, if there are any. What shows it is what the server sends next: *left* to the others, a complete update without
//! the player, or a session that starts over when the client's hello comes again.

use super::Pygg2Oracle;
use super::coverage::Point;
use super::from_server;
use super::session::reading::{ClientReading, Reading, ServerReading};
use super::session::remember;
use super::session::server::{Greeting, Refusal};
use crate::constants::*;
use crate::message::{ServerEvent, Stamped};
use crate::serial::newer;
use kit::{HostId, Time, Vantage};

impl Pygg2Oracle {
    /// Who comes and goes, by a packet that the server sends.
    pub(super) fn comings_and_goings(&mut self, now: Time, client: HostId, said: &ServerReading, bytes: &[u8]) {
        let greeting = Greeting::of(&said.records.events).filter(|_| said.error.is_none());
        self.begins_anew(now, client, said, greeting.as_ref(), bytes);
        if let Some(header) = said.header.filter(|_| self.truth.vantage.remote_server) {
            self.server_read(now, client, &header);
        }
        self.lets_in(now, client, &said.records.events);
        if !self.truth.vantage.remote_server {
            self.catches_up(now, client);
        }
        if said.error.is_none() {
            self.others(now, client, &said.records.events);
        }
        if let (Some(greeting), Some(session)) = (greeting, self.sessions.get_mut(client)) {
            session.server.greeted(greeting);
        }
    }

    /// A server that has let a client in again sends the first packet of the new session.
    fn begins_anew(
        &mut self,
        now: Time,
        client: HostId,
        said: &ServerReading,
        greeting: Option<&Greeting>,
        bytes: &[u8],
    ) {
        let vantage = self.truth.vantage;
        let Some(server) = self.sessions.get(client).map(|session| &session.server).filter(|server| server.inside)
        else {
            return;
        };
        let Some(header) = said.header.filter(|_| server.may_be_anew(now, vantage)) else { return };
        let Some(greeting) = greeting else { return };
        if !vantage.remote_server && server.is_untold() {
            if let Some(session) = self.sessions.get_mut(client) {
                session.server.give_up("the server may have thrown the client out before its first packet");
            }
            return;
        }
        if !server.is_of_another(now, header.sequence, greeting, bytes) {
            return;
        }
        self.truth.departed(now, client, &mut self.sessions);
        let Some(session) = self.sessions.get_mut(client) else { return };
        if vantage.is_remote() {
            session.server.indeterminate = None;
        }
    }

    /// Who sent hello and gets anything but a refusal is in, where the world, and whether there was room, is not known.
    fn lets_in(&mut self, now: Time, client: HostId, events: &[Stamped<ServerEvent>]) {
        let Some(session) = self.sessions.get_mut(client) else { return };
        let Some(sequence) = session.server.asked.filter(|_| !session.server.inside) else { return };
        if self.truth.vantage.remote_server {
            let hi = events.iter().find_map(|event| match &event.what {
                ServerEvent::Hi(hi) => Some(hi.your_id),
                _ => None,
            });
            // Without hi it is of an earlier session.
            let Some(your_id) = hi else { return };
            session.player = your_id.into();
        }
        if matches!(events.first().map(|first| &first.what), Some(ServerEvent::Refuse { .. })) {
            return;
        }
        self.admits(now, client, sequence);
    }

    /// The server has let a client in, whose hello is packet `sequence`: now, or when the hello came, if that is known.
    fn admits(&mut self, now: Time, client: HostId, sequence: u16) {
        let Some(session) = self.sessions.get_mut(client) else { return };
        let held = session.server.held.take();
        session.server.admit(held.as_ref().map_or(now, |held| held.at), sequence);
        match held {
            Some(held) => self.truth.admitted_before(client, *held, &mut self.sessions),
            None => self.truth.admitted(now, client, &mut self.sessions),
        }
    }

    /// A server of ours has spoken to a client whose packets waited for that: they belong to the session that there is.
    fn catches_up(&mut self, now: Time, client: HostId) {
        let Some(session) = self.sessions.get_mut(client) else { return };
        session.server.held = None;
        for unread in std::mem::take(&mut session.server.unread) {
            if self.sessions.get(client).is_none_or(|session| !session.server.inside) {
                return;
            }
            if let ClientReading { header: Some(header), records, error: None } =
                ClientReading::of(&unread.bytes, self.truth.options.declared)
            {
                self.accepted(now, unread.at, client, &header, &records);
            }
        }
    }

    /// Who may be gone, and is, by what a client is sent about the others; and who has come.
    fn others(&mut self, now: Time, to: HostId, events: &[Stamped<ServerEvent>]) {
        let Some(session) = self.sessions.get(to).filter(|session| session.server.is_judged()) else { return };
        let last = session.server.last_sent;
        let expected = session.server.expected.iter().map(|expected| &expected.event);
        // Each stands for a departure, or an arrival, that is known of.
        let mut known_of: Vec<(bool, u8)> = expected.filter_map(joins_or_leaves).collect();
        for Stamped { created, what } in events {
            if last.is_some_and(|last| !newer(*created, last)) {
                continue;
            }
            if let ServerEvent::Complete(update) = what {
                let there = |id: u8| update.players.iter().any(|stats| stats.id == id);
                let joins = |id: u8| events.iter().any(|event| joins_or_leaves(&event.what) == Some((true, id)));
                self.missing(now, to, |id| !there(id) && !joins(id));
            }
            let Some((joins, id)) = joins_or_leaves(what) else { continue };
            if let Some(place) = known_of.iter().position(|known| *known == (joins, id)) {
                known_of.swap_remove(place);
                continue;
            }
            let known = self.truth.known;
            let Some(session) = self.sessions.iter_mut().find(|session| session.player == id.into()) else { continue };
            let (host, server) = (session.host, &mut session.server);
            if !joins && server.inside && (!known || server.may_be_gone(now)) {
                self.report.saw_if(server.silent(now), Point::ClientGone);
                self.truth.departed(now, host, &mut self.sessions);
            } else if let Some(sequence) = server.asked.filter(|_| joins && known && !server.inside) {
                self.admits(now, host, sequence);
                self.catches_up(now, host);
            }
        }
    }

    /// Those who may be gone, and are missing in a complete update for another client, are gone.
    fn missing(&mut self, now: Time, to: HostId, is_missing: impl Fn(u8) -> bool) {
        let gone = self.sessions.iter().filter(|session| {
            let server = &session.server;
            let gone = server.is_doubtful(now, self.truth.vantage);
            session.host != to && server.inside && gone && is_missing(session.player as u8)
        });
        for host in gone.map(|session| session.host).collect::<Vec<_>>() {
            self.truth.departed(now, host, &mut self.sessions);
        }
    }

    /// A client at the address of an earlier session starts over.
    pub(super) fn restarts(&mut self, now: Time, client: HostId) {
        let vantage = self.truth.vantage;
        let Some(session) = self.sessions.get_mut(client) else { return };
        if vantage.remote_server {
            self.truth.forget(session);
        } else if session.server.inside && now.since(session.server.last_received) > SILENCE_US * 11 / 10 {
            self.truth.departed(now, client, &mut self.sessions);
        }
        if let Some(session) = self.sessions.get_mut(client) {
            session.connect(now, &self.truth.options);
        }
    }

    /// A packet of a client that is not in reaches the server.
    pub(super) fn stranger(&mut self, now: Time, host: HostId, sequence: u16, password: Option<&[u8]>) {
        let Pygg2Oracle { truth, sessions, report, .. } = self;
        let Vantage { remote_server, remote_clients, .. } = truth.vantage;
        let perhaps = sessions.iter().any(|session| session.server.inside && session.server.may_be_gone(now));
        let Some(session) = sessions.get_mut(host) else { return };
        let Some(password) = password else {
            // Who has left may be sent an acknowledgement.
            // Nor is a stranger who came before anybody looked.
            session.server.strayed = !(session.server.left || remote_server && remote_clients);
            report.saw_if(session.server.strayed, Point::StrayDelivered);
            return;
        };
        if remote_server {
            // Its password and how many it takes are its own.
            session.server.asked = Some(sequence);
            session.server.asked_first.get_or_insert(now);
            return;
        }
        from_server::missing_refusals(host, &mut session.server, report, now);
        // What was held before is not of the session that this begins.
        session.server.unread.clear();
        session.server.held = None;
        let wrong = !truth.options.password.is_empty() && password != truth.options.password;
        let full = truth.world.live.len() >= truth.options.max_players;
        if perhaps && full {
            // The answer shows whether there was room.
            session.server.asked = Some(sequence);
            truth.hold(now, session);
            return;
        }
        report.saw_if(wrong && !full, Point::WrongPassword);
        report.saw_if(full && !wrong, Point::FullServer);
        report.saw_if(full && wrong, Point::WrongAndFull);
        if wrong || full {
            let reason = if wrong { REFUSE_PASSWORD } else { REFUSE_FULL };
            remember(&mut session.server.refusals, Refusal { at: now, reason, both: wrong && full });
        } else if truth.known {
            session.server.admit(now, sequence);
            truth.admitted(now, host, sessions);
        } else {
            session.server.asked = Some(sequence);
        }
    }
}

/// Whether an event says that a player joins or leaves, and which.
fn joins_or_leaves(event: &ServerEvent) -> Option<(bool, u8)> {
    match event {
        ServerEvent::Join { id, .. } => Some((true, *id as u8)),
        ServerEvent::Left { id } => Some((false, *id)),
        _ => None,
    }
}
