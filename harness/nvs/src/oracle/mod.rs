//! Judges a run of one server and its clients, whoever wrote them, from what goes over the wire, from what the scenario
//! asks for, and from what the two ends show.
//!
//! The scenario's commands become calls ([`script`]). What a call says for a client of a given version is encoded anew
//! ([`expected`]), from the tables and nothing else. The checks compare:
//!
//! - [`sent`]: calls and the server's streams: every call in its form, to whom it concerns, in its order, once;
//! - [`frames`]: the same for unreliable datagrams, where what does not fit is dropped;
//! - [`fits`]: whether the server rightly found that a broadcast fits, where it shows that;
//! - [`handshake`]: versions told, and the sign-on around them;
//! - [`held`]: what a client received, and what it shows;
//! - [`spoken`]: what a client says, and what the server makes of it.
//!
//! [`blame`] says which requirement a wrong message breaks. Nothing here uses the reference machines, nor the writer's
//! preparation of messages.

pub mod blame;
pub mod book;
pub mod checks;
pub mod coverage;
pub mod ear;
pub mod expected;
pub mod fits;
pub mod frames;
pub mod handshake;
pub mod held;
pub mod script;
pub mod sent;
pub mod spoken;

use crate::options::Options;
use crate::requirements::*;
use crate::tables::Tables;
use book::Book;
use coverage::{Point, Report};
use ear::{Ear, Heard};
use held::Mirror;
use kit::fate::Fate;
use kit::{
    Command, Direction, Endpoint, Finding, HostId, Oracle, PacketId, Probe, Requirement, Setup, Time, TraceEvent, View,
};
use netquake::constants::{CCREP_ACCEPT, HEADER_BYTES, SVC_TIME};
use netquake::datagram::is_control;
use script::{Class, Script};
use sent::Sent;
use spoken::Mouth;

/// More clients than any scenario has; those above are not followed.
const MAX_CLIENTS: u16 = 64;
/// A reliable call that did not come within this time of peace is missing.
const PATIENCE_US: u64 = 3_000_000;
/// More reliable bytes than this at once may be too many for a client's buffer: it may then be sent away.
const MUCH_BYTES: usize = 6_000;
/// A server in the game that says nothing for so long has stopped.
const SILENCE_US: u64 = 1_000_000;

/// The oracle for a run.
pub fn oracle(setup: &Setup) -> Box<dyn Oracle> {
    Box::new(NvsOracle::new(setup))
}

/// Judges a run.
pub struct NvsOracle {
    options: Options,
    script: Script,
    clients: Vec<Client>,
    report: Report,
    view: View,
    /// The newest frame of any client.
    framed: Option<Time>,
    /// When broadcasts were more than a buffer holds.
    flooded: Option<Time>,
    server: spoken::Shown,
}

/// One client and the server's side of it.
struct Client {
    /// What the server sends and what it receives, then the same of the client, by [`Direction::index`].
    sent: [Ear; 2],
    heard: [Ear; 2],
    book: Book,
    mirror: Mirror,
    mouth: Mouth,
    /// The first datagram of the connection, per direction, and the one after the newest.
    first: [u32; 2],
    next: [u32; 2],
    /// The connection's first reliable datagram.
    beginning: Vec<u8>,
}

impl Client {
    fn new(host: HostId, options: &Options) -> Client {
        Client {
            sent: Default::default(),
            heard: Default::default(),
            book: Book::new(host, options.client_max(host)),
            mirror: Mirror::default(),
            mouth: Mouth::default(),
            first: [0; 2],
            next: [0; 2],
            beginning: Vec::new(),
        }
    }

    /// Whether a datagram of the server is the first of a further session, accepted before the client heard of the one
    /// before: that begins with something else.
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

    /// A connection begins: nothing of an earlier one counts. If the client has not heard of an earlier acceptance, the
    /// server may go on with that one's session or begin another.
    fn restart(&mut self, now: Time, script: &Script, tick: u64) {
        let (host, max, trouble) = (self.book.host, self.book.max, self.book.trouble);
        let unheard = self.book.came.filter(|_| self.book.open);
        self.sent = Default::default();
        self.heard = Default::default();
        self.book = Book { wanted: true, open: true, came: Some(now), trouble, ..Book::new(host, max) };
        self.mirror = Mirror::default();
        self.mouth.restart();
        // What was asked for shortly before may be executed after it came.
        for call in &script.calls {
            let since = unheard.unwrap_or(now);
            if call.frame.is_none_or(|frame| frame >= since || since.since(frame) <= 2 * tick) {
                self.book.add(call, false);
            }
        }
    }
}

impl NvsOracle {
    /// For the run of `setup`.
    pub fn new(setup: &Setup) -> NvsOracle {
        let options = Options::new(setup);
        let count = setup.clients.min(MAX_CLIENTS);
        NvsOracle {
            options,
            script: Script::new(Tables::of(setup), ssvc(&options), setup.clients),
            clients: (1..=count).map(|host| Client::new(HostId(host), &options)).collect(),
            report: Report::new(checks::CHECKS, setup.knowledge),
            view: View::default(),
            framed: None,
            flooded: None,
            server: spoken::Shown::default(),
        }
    }

    fn client(&mut self, host: HostId) -> Option<&mut Client> {
        self.clients.get_mut(usize::from(host.0).checked_sub(1)?)
    }

    fn server_commanded(&mut self, now: Time, command: &Command) {
        let map = matches!(command, Command::Map);
        if map {
            // What was not executed yet may get lost with the level.
            let tick = 2 * self.options.tick_us;
            let script = &self.script;
            for client in &mut self.clients {
                for entry in &mut client.book.queue {
                    let recent = script.call(entry.id).is_some_and(|call| now.since(call.at) <= tick);
                    entry.demanded &= !recent;
                }
                client.book.change_level();
            }
        }
        let Some(id) = self.script.command(now, command) else { return };
        let Some(call) = self.script.call(id) else { return };
        for client in self.clients.iter_mut().filter(|client| client.book.open && !client.book.closed) {
            client.book.add(call, true);
        }
    }

    fn client_commanded(&mut self, host: HostId, command: &Command) {
        let Some(client) = self.client(host) else { return };
        match command {
            Command::Connect => {
                client.book.wanted = true;
                client.book.open = false;
                client.book.closed = false;
            }
            Command::Disconnect => {
                client.book.wanted = false;
                client.book.closed = true;
            }
            Command::Verb { verb, args } => client.mouth.commanded(*verb, args[0]),
            _ => {}
        }
    }

    fn sent(&mut self, now: Time, packet: PacketId, bytes: &[u8], fate: Fate) {
        let NvsOracle { options, script, clients, report, framed, flooded, .. } = self;
        let others: Vec<(u16, i32)> = clients
            .iter()
            .filter(|client| client.book.open && !client.book.closed && client.book.host != packet.client)
            .map(|client| (client.book.host.0, client.book.csvc()))
            .collect();
        let Some(client) = usize::from(packet.client.0).checked_sub(1).and_then(|index| clients.get_mut(index)) else {
            return;
        };
        let direction = packet.direction.index();
        let reordered = packet.index < client.next[direction];
        client.next[direction] = packet.index.saturating_add(1);
        if matches!(fate, Fate::Lost(_)) || reordered {
            client.book.trouble = now;
        }
        if is_control(bytes) {
            let accepted = packet.direction == Direction::ServerToClient && bytes.get(4) == Some(&CCREP_ACCEPT);
            if accepted && client.book.open && !client.mirror.accepted {
                // Perhaps of a session of its own, which knows nothing of what an earlier one was to send.
                client.book.queue.iter_mut().for_each(|entry| entry.demanded = false);
            } else if accepted && client.book.wanted && !client.book.open {
                let early = script.calls.iter().any(|call| call.frame.is_some());
                report.saw_if(early, Point::LateJoiner);
                client.restart(now, script, options.tick_us);
                client.first[direction] = packet.index;
                client.beginning.clear();
            }
            return;
        }
        if !client.book.is_judged() {
            return;
        }
        if packet.direction == Direction::ServerToClient && client.begins_anew(bytes) {
            let accepted = client.mirror.accepted;
            client.restart(now, script, options.tick_us);
            client.mirror.accepted = accepted;
        }
        let Client { sent, book, mirror, mouth, .. } = client;
        let Some(ear) = sent.get_mut(direction) else { return };
        let heard = match ear.hear(bytes) {
            Ok(heard) => heard,
            Err(error) => {
                let host = if packet.direction == Direction::ServerToClient { HostId::SERVER } else { packet.client };
                report.find(&HS_07, now, host, || format!("no datagram of protocol 15: {error}"));
                return;
            }
        };
        if packet.direction == Direction::ClientToServer {
            match heard {
                Heard::Reliable(message) | Heard::Unreliable(message) => {
                    mouth.speaks(mirror, book, report, now, &message);
                }
                Heard::Nothing => {}
            }
            return;
        }
        mirror.epochs.sent(packet.index, book.level);
        let lost = matches!(fate, Fate::Lost(_));
        let reliable = bytes.get(1).is_some_and(|&flags| flags & 1 != 0);
        book.reliable_lost |= lost && reliable;
        if reliable {
            book.reliable_sent = now;
            book.unacknowledged = bytes.get(4..).and_then(|rest| rest.first_chunk().copied());
        }
        report.saw_if(book.reliable_lost && book.texts > 0, Point::ReliableLost);
        let is_frame = matches!(&heard, Heard::Unreliable(payload) if payload.first() == Some(&SVC_TIME));
        let begins = framed.is_none_or(|framed| now.since(framed) > options.tick_us / 2);
        if is_frame && begins {
            *framed = Some(now);
            script.frame(now);
            if script.tears() {
                report.remark("a prepared message lacks writes: nothing is judged any more");
                clients.iter_mut().for_each(|client| client.book.tainted = true);
                return;
            }
        }
        if heard != Heard::Nothing && book.pending_bytes(script) > MUCH_BYTES {
            book.tainted = true;
            report.remark("more reliable bytes than a buffer holds: the client may be sent away");
            return;
        }
        let mut end = Sent { book, script, report, options, now, others: &others, payload: 0 };
        match heard {
            Heard::Reliable(message) => end.reliable(&message),
            Heard::Unreliable(payload) => {
                end.unreliable(&payload);
                let broadcasts = !end.book.last_calls.is_empty();
                end.report.saw_if(lost && broadcasts, Point::BroadcastLost);
            }
            Heard::Nothing => {}
        }
        if report.has_seen(Point::Flood) {
            flooded.get_or_insert(now);
        }
        if book.dismissed {
            book.closed = true;
        }
    }

    fn delivered(&mut self, now: Time, packet: PacketId, bytes: &[u8], intact: bool) {
        let NvsOracle { options, script, clients, report, server, .. } = self;
        let Some(client) = usize::from(packet.client.0).checked_sub(1).and_then(|index| clients.get_mut(index)) else {
            return;
        };
        let direction = packet.direction.index();
        if !intact {
            client.book.trouble = now;
            if !std::mem::replace(&mut client.book.tainted, true) {
                report.remark("a datagram was delivered damaged: from there on the client is not judged");
            }
        }
        if !client.book.open || client.book.tainted {
            return;
        }
        let early = packet.index < client.first[direction];
        if is_control(bytes) || bytes.len() < HEADER_BYTES {
            client.mirror.accepted |= !early && packet.direction == Direction::ServerToClient;
            return;
        }
        if packet.direction == Direction::ServerToClient && (early || !client.mirror.accepted) {
            // Of an earlier connection; a client that is in a new one may take it for that one's.
            let acknowledges = bytes.get(1).is_some_and(|flags| flags & 2 != 0);
            client.mirror.lost |= early && client.mirror.accepted && !acknowledges;
            return;
        }
        let Client { heard, book, mirror, .. } = client;
        let acknowledges =
            packet.direction == Direction::ClientToServer && bytes.get(1).is_some_and(|flags| flags & 2 != 0);
        if acknowledges && bytes.get(4..8) == book.unacknowledged.as_ref().map(|sequence| &sequence[..]) {
            book.unacknowledged = None;
        }
        let Some(Ok(heard)) = heard.get_mut(direction).map(|ear| ear.hear(bytes)) else { return };
        match packet.direction {
            Direction::ServerToClient => {
                let current = mirror.epochs.level(packet.index);
                mirror.hears(now, &heard, current, script, report);
            }
            Direction::ClientToServer => {
                spoken::server_hears(&heard, book, server, report, options, script.ssvc, now);
            }
        }
    }
}

/// The server's version in a level: what QuakeC asks for as far as the executable goes, if it may ask.
fn ssvc(options: &Options) -> i32 {
    match options.svc_enable && !options.compatibility {
        true => options.progs_version.0.min(options.server_max.0),
        false => 0,
    }
}

impl Probe for NvsOracle {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        match *event {
            TraceEvent::Command { host: HostId::SERVER, command } => self.server_commanded(now, command),
            TraceEvent::Command { host, command } => self.client_commanded(host, command),
            TraceEvent::Sent { packet, bytes, fate, .. } => self.sent(now, packet, bytes, fate),
            TraceEvent::Delivered { packet, bytes, intact, .. } => self.delivered(now, packet, bytes, intact),
            TraceEvent::Event { host: HostId::SERVER, event } => {
                let ssvc = self.script.ssvc;
                self.server.shows(event, ssvc, now, &mut self.report);
            }
            TraceEvent::Event { host, event } => {
                if let Some(client) = self.client(host) {
                    client.mirror.shows(event);
                }
            }
            TraceEvent::Timeout { .. } => {}
        }
    }

    fn settled(&mut self, now: Time, host: HostId, endpoint: &dyn Endpoint) {
        let NvsOracle { clients, report, view, server, script, .. } = self;
        if host == HostId::SERVER {
            server.settled(now, report);
            if !server.fits.is_empty() {
                let books: Vec<&Book> = clients.iter().map(|client| &client.book).collect();
                fits::judge(&books, script, &server.fits, report, now);
                server.fits.clear();
            }
            return;
        }
        let client = usize::from(host.0).checked_sub(1).and_then(|index| clients.get_mut(index));
        let Some(client) = client.filter(|client| client.book.is_judged() && client.mirror.look) else { return };
        view.clear();
        endpoint.observe(view);
        client.mirror.settled(&client.book, report, now, view);
    }
}

impl Oracle for NvsOracle {
    fn finish(&mut self, now: Time) {
        let NvsOracle { script, clients, report, framed, flooded, options, server, .. } = self;
        server.finish(report, now);
        for Client { book, mirror, mouth, .. } in clients.iter_mut().filter(|client| client.book.is_judged()) {
            if let Some((at, requirement, what)) = book.doubt.take() {
                report.find(requirement, at, HostId::SERVER, || what);
            }
            if now.since(book.trouble) < PATIENCE_US || book.lost {
                continue;
            }
            mouth.finish(mirror, book, report, options, now);
            let kept = book.prespawned.is_some_and(|since| now.since(since) > PATIENCE_US);
            if kept && book.claimed.unwrap_or_default() < options.required {
                let host = book.host;
                report.find(&HS_06, now, HostId::SERVER, || format!("{host} is too old, and was not sent away"));
            }
            let unseen = book.late.iter().chain(&book.queue).filter(|entry| entry.demanded);
            let unseen = unseen.filter(|entry| matches!(entry.class, Class::Message | Class::Reliable));
            for entry in unseen {
                let Some(call) = script.call(entry.id).filter(|call| now.since(call.at) > PATIENCE_US) else {
                    continue;
                };
                let message = script.message(call);
                let version = book.form_version(true);
                let lines = message.map(|message| expected::Lines::of(message, script.ssvc, version));
                if message.zip(lines).is_some_and(|(message, lines)| lines.leaves_out(message)) {
                    report.saw(Point::LeftOut);
                    continue;
                }
                let stuck = book.unacknowledged.is_some() && now.since(book.reliable_sent) > PATIENCE_US;
                let requirement = if stuck { &BUF_01 } else { blame::missing(book, script, call) };
                let host = book.host;
                report
                    .find(requirement, now, HostId::SERVER, || format!("to {host}: {} never came", sent::named(call)));
            }
            let silent = book.framed.is_some_and(|framed| now.since(framed) > SILENCE_US);
            if let Some(flooded) = flooded.filter(|_| silent) {
                let host = book.host;
                let last = framed.unwrap_or_default();
                report.find(&BUF_03, now, HostId::SERVER, || {
                    format!("no frame to {host} since {last}; broadcasts did not fit at {flooded}")
                });
            }
        }
    }

    fn findings(&self) -> &[Finding] {
        &self.report.findings
    }

    fn covered(&self) -> Vec<&'static Requirement> {
        self.report.covered(REQUIREMENTS)
    }

    fn remarks(&self) -> Vec<String> {
        self.report.remarks()
    }
}

#[cfg(test)]
mod tests;
