//! One client's connection, in both directions: where it begins, ends and starts over, and what is delivered in it.

use super::from_client::FromClient;
use super::liveness::Liveness;
use super::session::{Indeterminate, Session};
use super::shown::Delivered;
use super::stream::{Packet, Stream};
use super::truth::Truth;
use crate::options::Options;
use kit::fate::Fate;
use kit::{Arrival, Direction, HostId, PacketId, Report, Time};
use netquake::constants::{CCREP_ACCEPT, CCREQ_CONNECT, CLC_DISCONNECT, HEADER_BYTES};
use netquake::datagram::is_control;

/// So long after the first acceptance a server may take a request for a repetition of the one that it accepted.
const REPEATED_US: u64 = 3_000_000;
/// So long it surely does; engines do for two seconds of their clocks.
const SURELY_REPEATED_US: u64 = 1_500_000;

/// Why nothing that a client received is compared.
const ACCEPTED_BEFORE: &str = "the client goes on with an acceptance of its earlier request";

/// One client and the server's side of it.
#[derive(Debug)]
pub(super) struct Client {
    /// What the server sends and what it receives, then the same of the client, by [`Direction::index`].
    pub(super) sent: [Stream; 2],
    pub(super) received: [Stream; 2],
    pub(super) session: Session,
    pub(super) delivered: Delivered,
    pub(super) from_client: FromClient,
    pub(super) liveness: Liveness,
    /// The first datagram of the connection, per direction, and the one after the newest.
    pub(super) first: [u32; 2],
    pub(super) next: [u32; 2],
    /// The connection's first reliable datagram.
    pub(super) beginning: Vec<u8>,
    /// Its disconnect reached the server.
    pub(super) gone: bool,
    /// The client has sent something since it was accepted.
    pub(super) spoke: bool,
    /// An acceptance of an earlier request than its newest was delivered.
    pub(super) accepted_before: bool,
    /// When the server accepted a request whose acceptance before the client had not read, or that it had given up meanwhile.
    pub(super) accepted_unread: Option<Time>,
    /// The server has asked for its challenge back: the next acceptance begins the connection again.
    pub(super) challenged: bool,
    /// It asked for acceptance again, though it was there.
    pub(super) returns: bool,
    /// The server has accepted a client again that is there.
    pub(super) accepted_again: Option<AcceptedAgain>,
}

/// A client that is there was accepted again. The session may go on, if the server takes that for a repetition, or it is over.
#[derive(Clone, Copy, Debug)]
pub(super) struct AcceptedAgain {
    /// When.
    pub(super) at: Time,
    /// By which datagram of the server.
    pub(super) index: u32,
    /// The client did not ask again: a request from before it was there came late.
    pub(super) is_late: bool,
}

impl Client {
    pub(super) fn new(host: HostId, options: &Options, remote: bool) -> Client {
        Client {
            sent: Default::default(),
            received: Default::default(),
            session: Session::new(host, options.client_max(host), remote),
            delivered: Delivered::default(),
            from_client: FromClient::default(),
            liveness: Liveness::default(),
            first: [0; 2],
            next: [0; 2],
            beginning: Vec::new(),
            gone: false,
            spoke: false,
            accepted_before: false,
            accepted_unread: None,
            challenged: false,
            returns: false,
            accepted_again: None,
        }
    }

    /// A client is to connect.
    pub(super) fn connect(&mut self) {
        self.liveness = Liveness { leaves: self.liveness.leaves, ..Liveness::default() };
        self.accepted_before = false;
        self.session.wanted = true;
        self.session.open = false;
        self.session.closed = false;
    }

    /// The scenario has it connect. One that asks already goes on with that, and one that is there need not ask.
    pub(super) fn commanded_to_connect(&mut self, now: Time) {
        let asks = !self.session.wanted;
        let still_asks = self.session.open && !self.delivered.accepted && !self.liveness.refused;
        // Or it was accepted by an earlier request, and goes on with that.
        if asks || !(still_asks || self.accepted_before) || self.session.damaged {
            self.connect();
        }
        self.liveness.wanted = Some(now).filter(|_| asks);
    }

    /// What a remote client sends shows more than what it says: that it starts over, what it has read, that it leaves.
    pub(super) fn remote_sent(&mut self, now: Time, bytes: &[u8], truth: &Truth, report: &mut Report) {
        if is_control(bytes) {
            if bytes.get(4) == Some(&CCREQ_CONNECT) && (self.session.closed || !self.session.wanted) {
                self.connect();
            } else if bytes.get(4) == Some(&CCREQ_CONNECT) {
                self.returns |= self.spoke;
            }
            return;
        }
        self.spoke |= self.session.open;
        let acknowledges = bytes.get(1).is_some_and(|flags| flags & 2 != 0);
        if let Some(sequence) = bytes.get(4..).and_then(|rest| rest.first_chunk().copied()).filter(|_| acknowledges) {
            self.delivered.acknowledges(now, sequence, truth, report);
        }
    }

    /// Whether a datagram of the server is the first of a further session, accepted before the client received the
    /// acceptance of the one before: that begins with something else.
    fn begins_anew(&mut self, bytes: &[u8]) -> bool {
        let is_first = bytes.get(1).is_some_and(|&flags| flags & 1 != 0) && bytes.get(4..8) == Some(&[0; 4]);
        if !is_first {
            return false;
        }
        let other = !self.beginning.is_empty() && self.beginning != bytes;
        self.beginning.clear();
        self.beginning.extend_from_slice(bytes);
        other
    }

    /// The acceptance of the session that a datagram of the server shows to be a new one: its numbers start over, where those of
    /// the one before had gone on. Numbers that go on show that the session does.
    fn shows_new_session(&mut self, bytes: &[u8]) -> Option<AcceptedAgain> {
        let (again, flags) = (self.accepted_again?, bytes.get(1)?);
        let (reliable, unreliable) = self.sent[Direction::ServerToClient.index()].awaited();
        let expected = if flags & 1 != 0 { reliable } else { unreliable };
        if flags & 2 != 0 || expected == 0 {
            return None;
        }
        let begins = bytes.get(4..8) == Some(&[0; 4]);
        let repeats = self.session.came.is_some_and(|came| again.at.since(came) < SURELY_REPEATED_US);
        if begins && again.is_late && expected == 1 && self.beginning == bytes && repeats {
            // The first datagram once more; after another acceptance it is as well that of another session.
            return None;
        }
        if !begins {
            self.accepted_again = None;
        }
        begins.then_some(again)
    }

    /// Follows the server into the session that its datagram shows; `false` if the client knows nothing of that one.
    pub(super) fn follows_session(
        &mut self,
        now: Time,
        packet: PacketId,
        bytes: &[u8],
        truth: &Truth,
        tick: u64,
        report: &mut Report,
    ) -> bool {
        if let Some(AcceptedAgain { at, index, is_late }) = self.shows_new_session(bytes) {
            if is_late {
                let why = "a late request began another session, of which the client knows nothing: not judged";
                self.session.give_up(report, why);
                return false;
            }
            self.session.open = false;
            self.restart(at, truth, tick);
            self.first[packet.direction.index()] = index;
            self.beginning.clear();
            self.delivered.accepted = true;
        }
        if self.begins_anew(bytes) {
            let accepted = self.delivered.accepted;
            self.restart(now, truth, tick);
            self.delivered.accepted = accepted;
        }
        true
    }

    /// A connection begins: nothing of an earlier one counts. If the client has not received an earlier acceptance, the
    /// server may go on with that one's session or begin another.
    pub(super) fn restart(&mut self, now: Time, truth: &Truth, tick: u64) {
        let Session { host, max, remote, last_disturbance, .. } = self.session;
        (self.spoke, self.challenged, self.returns, self.accepted_again) = (false, false, false, None);
        (self.gone, self.accepted_unread) = (false, None);
        let unreceived = self.session.came.filter(|_| self.session.open);
        self.sent = Default::default();
        self.received = Default::default();
        self.session =
            Session { wanted: true, open: true, came: Some(now), last_disturbance, ..Session::new(host, max, remote) };
        self.delivered = Delivered::default();
        if self.accepted_before {
            self.delivered.indeterminate = Some(Indeterminate { why: ACCEPTED_BEFORE });
        }
        // A client that was refused has perhaps asked again before it received that, and has left since.
        let refused = self.liveness.refused && !remote;
        self.liveness = Liveness { leaves: self.liveness.leaves, refused, ..Liveness::default() };
        self.from_client.restart();
        // What was requested shortly before may be executed after it joined.
        for call in &truth.calls {
            let since = unreceived.unwrap_or(now);
            if call.frame.is_none_or(|frame| frame >= since || since.since(frame) <= 2 * tick) {
                self.session.add(call, false);
            }
        }
    }

    /// Whether a server that accepts the client may go on with the session before: it knows nothing of its end, and takes
    /// the request for a repetition.
    pub(super) fn may_linger(&self, now: Time) -> bool {
        let knows = self.gone || self.challenged;
        let came = self.session.came.max(self.accepted_unread);
        !knows && came.is_some_and(|came| now.since(came) < REPEATED_US)
    }

    /// Whether a server that accepts the client once more may begin another session.
    pub(super) fn may_begin_again(&self, now: Time) -> bool {
        self.session.came.is_none_or(|came| now.since(came) >= SURELY_REPEATED_US)
    }

    /// Whether it has been sent every level that began since then, in streams that are followed.
    pub(super) fn listens_since(&self, since: Time) -> bool {
        let came = self.session.came.max(self.accepted_unread);
        let pending = self.session.unacknowledged[Direction::ServerToClient.index()].is_some();
        self.session.is_judged() && came.is_some_and(|came| came < since) && !pending
    }

    /// Notes a datagram's fate.
    pub(super) fn note_fate(&mut self, now: Time, packet: PacketId, fate: Fate) {
        let next = &mut self.next[packet.direction.index()];
        let reordered = packet.index < *next;
        *next = packet.index.saturating_add(1);
        if matches!(fate, Fate::Lost(_)) || reordered {
            self.session.last_disturbance = now;
        }
    }

    /// The server accepts the client. Where that is one that it was about to disconnect, it has begun another session, of which the
    /// client knows nothing.
    pub(super) fn is_accepted(&mut self, report: &mut Report) {
        if self.session.open && self.session.too_old.is_some() {
            self.session.give_up(report, "a client that was to be disconnected was accepted again: not judged");
        }
    }

    /// The server may have received a disconnect. A copy of one from an earlier connection ends the present one as well, and the client
    /// goes on.
    pub(super) fn takes_disconnect(&mut self, content: &Packet) {
        let says = matches!(content, Packet::Unreliable(message) if message[..] == [CLC_DISCONNECT]);
        self.gone |= says;
        self.session.may_have_stopped |= says && !self.from_client.left;
    }

    /// A datagram of the session that is delivered; `None` if the streams are not followed.
    pub(super) fn deliver(&mut self, now: Time, arrival: &Arrival<'_>, report: &mut Report) -> Option<Packet> {
        let Arrival { packet, bytes, .. } = *arrival;
        let from_server = packet.direction == Direction::ServerToClient;
        if !arrival.intact {
            let why = "a datagram was delivered damaged: what its receiver made of it is not judged";
            report.remark(why);
            self.session.last_disturbance = now;
            self.session.damaged = true;
            if from_server {
                self.delivered.indeterminate.get_or_insert(Indeterminate { why });
            }
            return None;
        }
        // It has asked again since the request that is accepted here.
        let accepts = from_server && is_control(bytes) && bytes.get(4) == Some(&CCREP_ACCEPT);
        if accepts && self.session.wanted && !self.session.open {
            self.accepted_before = true;
            self.delivered.indeterminate.get_or_insert(Indeterminate { why: ACCEPTED_BEFORE });
        }
        if !self.session.open || self.session.indeterminate.is_some() {
            return None;
        }
        let early = packet.index < self.first[packet.direction.index()];
        if is_control(bytes) || bytes.len() < HEADER_BYTES {
            if accepts && early && !self.delivered.accepted {
                self.delivered.indeterminate.get_or_insert(Indeterminate { why: ACCEPTED_BEFORE });
            }
            self.delivered.accepted |= !early && from_server;
            return None;
        }
        let acknowledges = bytes.get(1).is_some_and(|flags| flags & 2 != 0);
        if from_server && (early || !self.delivered.accepted) {
            // Of an earlier connection; a client that is in a new one may take it for that one's.
            if early && self.delivered.accepted && !acknowledges {
                let why = "a datagram of an earlier session was delivered";
                self.delivered.indeterminate.get_or_insert(Indeterminate { why });
            }
            return None;
        }
        let sender = if from_server { Direction::ClientToServer } else { Direction::ServerToClient };
        let pending = &mut self.session.unacknowledged[sender.index()];
        if acknowledges && bytes.get(4..8) == pending.as_ref().map(|sequence| &sequence[..]) {
            *pending = None;
            if !from_server {
                self.session.frees_server(now);
            }
        }
        self.received.get_mut(packet.direction.index())?.take(bytes).ok()
    }
}
