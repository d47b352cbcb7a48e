//! Whether both ends go on: what one asked for is answered, and what was begun continues. A loss begins the time again.

use super::coverage::meaning as m;
use super::from_client::FromClient;
use super::session::Session;
use super::shown::Delivered;
use super::{PATIENCE_US, SILENCE_US};
use crate::options::Options;
use crate::requirements::HS_07;
use kit::{Check, Direction, HostId, Knows, Report, Time};
use netquake::constants::{CLC_DISCONNECT, HEADER_BYTES};
use netquake::datagram::is_control;

/// A client that is instructed to connect asks for it, acknowledges what it receives, begins the game when it may, and moves in it.
pub static CLIENTS_GO_ON: Check = Check::new("clients-go-on", &[m::HS_07]).knows(&[Knows::ClientShows, Knows::Time]);
/// A server accepts a client that asks for it, brings it into the game, and sends it frames; also in the next level.
pub static SERVERS_GO_ON: Check = Check::new("servers-go-on", &[m::HS_07]).knows(&[Knows::Silence, Knows::Time]);

/// Since when something of a client is due.
#[derive(Debug, Default)]
pub struct Liveness {
    /// It was instructed to connect, and has not asked the server.
    pub wanted: Option<Time>,
    /// It has asked, and has no answer.
    pub asked: Option<Time>,
    /// The server has refused it.
    pub refused: bool,
    /// It was instructed to leave, and did not say so.
    pub leaves: Option<Time>,
    /// It has received this fragment, and did not acknowledge it.
    pub received: Option<(Time, [u8; 4])>,
    /// The scenario began a level, and the server did not say so; the level that it had said last.
    pub changed: Option<(Time, u32)>,
}

impl Liveness {
    /// A client receives a fragment of a reliable message, perhaps once more.
    pub fn receives(&mut self, now: Time, bytes: &[u8]) {
        let Some(&sequence) = bytes.get(4..).and_then(|rest| rest.first_chunk()) else { return };
        if self.received.is_none_or(|received| received.1 != sequence) {
            self.received = Some((now, sequence));
        }
    }

    /// A client sends a datagram of its session: it may disconnect in it.
    pub fn says(&mut self, bytes: &[u8]) {
        let said = bytes.get(HEADER_BYTES..).is_some_and(|said| said.last() == Some(&CLC_DISCONNECT));
        self.leaves = self.leaves.filter(|_| !said || is_control(bytes));
    }

    /// A client sends a datagram that acknowledges this fragment.
    pub fn acknowledges(&mut self, sequence: Option<&[u8]>) {
        if self.received.as_ref().is_some_and(|(_, received)| Some(&received[..]) == sequence) {
            self.received = None;
        }
    }

    /// The run is over: what has been due for too long.
    pub fn finish(
        &self,
        session: &Session,
        delivered: &Delivered,
        from_client: &FromClient,
        options: &Options,
        report: &mut Report,
        now: Time,
    ) {
        let host = session.host;
        if let Some(what) = self.client_stops(session, delivered, from_client, options.client_tick_us, now) {
            report.fail(&CLIENTS_GO_ON, now, host, &HS_07, || String::from(what));
        }
        // What it made of a damaged datagram is not known: it may have understood a disconnect.
        if session.damaged || session.may_have_stopped {
            return;
        }
        if let Some(what) = self.server_stops(session, options.tick_us, now) {
            report.fail(&SERVERS_GO_ON, now, HostId::SERVER, &HS_07, || format!("{what} {host}"));
        }
    }

    fn client_stops(
        &self,
        session: &Session,
        delivered: &Delivered,
        from_client: &FromClient,
        tick_us: u64,
        now: Time,
    ) -> Option<&'static str> {
        let overdue = |since: Option<Time>| since.is_some_and(|since| now.since(since) > patience_us(tick_us));
        // One that was disconnected has left, and one that was misled by damage may have.
        let may_have_left = session.damaged && now.since(from_client.spoke) >= SILENCE_US;
        let is_there = !session.dismissed && !may_have_left && !self.refused;
        // What comes next waits for the acknowledgement of what was said last.
        let waits = session.unacknowledged[Direction::ClientToServer.index()].is_some();
        if overdue(self.wanted) {
            Some("does not ask to be accepted")
        } else if session.wanted
            && !(delivered.accepted || self.refused || session.damaged || delivered.indeterminate.is_some())
            && overdue(Some(from_client.spoke))
        {
            Some("does not ask again to be accepted")
        } else if overdue(self.leaves) && !session.damaged {
            Some("leaves without clc_disconnect")
        } else if overdue(self.received.map(|received| received.0)) && is_there {
            Some("does not acknowledge what it has received")
        } else if !session.is_connected() || delivered.indeterminate.is_some() || self.refused {
            None
        } else if overdue(from_client.unsaid()) && !waits {
            Some("does not send a command that it was instructed to send")
        } else if delivered.stage != 3 {
            None
        } else if overdue(Some(delivered.signed_on)) && !from_client.begun && !waits {
            Some("was sent signonnum 3, and does not send begin")
        } else if from_client.moved.is_some_and(|moved| is_silent(moved, tick_us, now)) {
            Some("has stopped moving")
        } else if from_client.moved.is_none() && overdue(session.begun) {
            Some("does not move in the game")
        } else {
            None
        }
    }

    fn server_stops(&self, session: &Session, tick_us: u64, now: Time) -> Option<&'static str> {
        let overdue = |since: Option<Time>| since.is_some_and(|since| now.since(since) > patience_us(tick_us));
        let waits = session.unacknowledged[Direction::ServerToClient.index()].is_some();
        let is_stuck = !waits && overdue(Some(session.reliable_sent));
        if overdue(self.asked) {
            Some("does not answer the request of")
        } else if !session.is_connected() || session.dismissed {
            None
        } else if overdue(self.changed.map(|changed| changed.0)) && is_stuck {
            Some("does not announce the new level to")
        } else if session.stage == 0 && overdue(session.came) && is_stuck {
            Some("does not announce the level to")
        } else if session.stage == 1 && overdue(session.prespawned) && is_stuck {
            Some("does not send signonnum 2 to")
        } else if session.stage == 2 && overdue(session.spawned) && is_stuck {
            Some("does not send signonnum 3 to")
        } else if session.stage == 3
            && overdue(session.begun)
            && session.framed.is_none_or(|at| is_silent(at, tick_us, now))
        {
            Some("sends no frames to")
        } else {
            None
        }
    }
}

/// How long an end may take for what it does at once or with its next tick.
fn patience_us(tick_us: u64) -> u64 {
    PATIENCE_US + 2 * tick_us
}

/// Whether something that comes with every tick has not come for too long.
fn is_silent(last: Time, tick_us: u64, now: Time) -> bool {
    now.since(last) > SILENCE_US.max(3 * tick_us)
}
