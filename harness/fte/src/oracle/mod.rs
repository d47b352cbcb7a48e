//! Judges a run of one server and its clients, whoever wrote them, from what goes over the wire, from what the scenario
//! says that the world is, and from what clients show.
//!
//! Per client there are a tap at each end, a shadow (what a receiver of everything that was sent holds), a mirror (what
//! a receiver of what was delivered holds) and the truth (what the scenario says). The checks compare them in pairs:
//!
//! - [`server_sent`], [`server_frames`]: shadow and truth: what the server sends is well-formed, present, complete, and nothing else;
//! - [`duty`]: shadow and mirror: what is known to be lost is sent again;
//! - [`convergence`]: all of them: in peace they agree, and soon;
//! - [`waste`]: what it sends without need, where that shows that it does not listen;
//! - [`client_held`]: mirror and client: the client makes of what it receives what it must;
//! - [`client_acks`], [`movement`]: what each end says about what it received;
//! - [`asides`]: what is said beside frames;
//! - [`establishment`]: how they agreed.
//!
//! Nothing here uses the reference machines. Source: the document itself, and for what implementations may do
//! differently the list of legal variation that every check leaves room for: superfluous and repeated sending, wider
//! forms, late folding, starting over, splitting and skipping frames.

pub mod asides;
pub mod attribution;
pub mod book;
pub mod checks;
pub mod client_acks;
pub mod client_held;
pub mod convergence;
pub mod coverage;
pub mod duty;
pub mod establishment;
pub mod field;
pub mod frames;
pub mod movement;
pub mod observed;
pub mod server_frames;
pub mod server_sent;
pub mod track;
pub mod waste;

use crate::constants::*;
use crate::dialect::Transport;
use crate::extensions::Extensions;
use crate::message::Listener;
use crate::notes;
use crate::options::Options;
use crate::requirements::*;
use crate::state::World;
use crate::tap::Tap;
use crate::verbs::*;
use book::Book;
use client_acks::Spoken;
use client_held::DeliveryEar;
use coverage::{Point, Report};
use establishment::{Ends, Establishment};
use kit::{
    Command, DecodeError, Direction, Endpoint, ErrorKind, Fate, Finding, HostId, Oracle, PacketId, Probe, Requirement,
    Setup, Time, TraceEvent, View,
};
use server_sent::ServerEar;

/// More clients than any scenario has; those above are not followed.
const MAX_CLIENTS: u16 = 4096;

/// The oracle for a run.
pub fn oracle(setup: &Setup) -> Box<dyn Oracle> {
    Box::new(FteOracle::new(setup))
}

/// Judges a run.
pub struct FteOracle {
    options: Options,
    /// What the scenario has the server support from the next map on.
    next_support: Extensions,
    world: World,
    /// When the scenario changed the world last.
    world_changed: Time,
    clients: Vec<Client>,
    report: Report,
    view: View,
    spoken: Spoken,
}

/// One client and the server's side of it.
struct Client {
    /// At the server: what it sends and what it receives.
    server_tap: Tap,
    /// At the client.
    client_tap: Tap,
    book: Book,
    establishment: Establishment,
    /// The client was told to connect.
    wanted: bool,
    /// The server accepted it since.
    open: bool,
    /// Per direction, the first datagram of the present connection, and the one after the newest.
    first: [u32; 2],
    next: [u32; 2],
}

impl Client {
    fn new(host: HostId, options: Options) -> Client {
        let tap = || Tap::new(options.transport, options.readings);
        Client {
            server_tap: tap(),
            client_tap: tap(),
            book: Book::new(host, options),
            establishment: Establishment::default(),
            wanted: false,
            open: false,
            first: [0; 2],
            next: [0; 2],
        }
    }

    /// A connection begins: nothing of an earlier one counts.
    fn restart(&mut self, options: Options) {
        let (trouble, delay_us) = (self.book.trouble, self.book.delay_us);
        self.server_tap = Tap::new(options.transport, options.readings);
        self.client_tap = Tap::new(options.transport, options.readings);
        self.book = Book { trouble, delay_us, ..Book::new(self.book.host, options) };
    }
}

impl FteOracle {
    /// For the run of `setup`.
    pub fn new(setup: &Setup) -> FteOracle {
        let options = Options::new(setup);
        let count = setup.clients.min(MAX_CLIENTS);
        FteOracle {
            options,
            next_support: options.server_extensions,
            world: World::default(),
            world_changed: Time::ZERO,
            clients: (1..=count).map(|host| Client::new(HostId(host), options)).collect(),
            report: Report::new(checks::CHECKS, setup.knowledge),
            view: View::default(),
            spoken: Spoken::default(),
        }
    }

    fn client(&mut self, host: HostId) -> Option<&mut Client> {
        self.clients.get_mut(usize::from(host.0).checked_sub(1)?)
    }

    fn server_commanded(&mut self, now: Time, command: &Command) {
        match *command {
            Command::Stat { client, stat, value } => {
                self.world_changed = now;
                if let Some(client) = self.client(HostId(client)).filter(|client| client.open) {
                    client.book.stat_set(stat, value);
                }
                return;
            }
            Command::Verb { verb: VERB_SUPPORT, args } => {
                self.next_support = Extensions { fte1: args[0] as u32, fte2: args[1] as u32 };
                return;
            }
            Command::Verb { verb: verb @ (VERB_VIEW | VERB_SOUND | VERB_CSQC_GONE), args } => {
                let client = self.clients.get_mut((args[0] as usize).wrapping_sub(1));
                let Some(client) = client.filter(|client| client.open) else { return };
                let dialect = client.book.dialect;
                let narrow = dialect.deltas() && dialect.protocol == netquake::constants::PROTOCOL_NETQUAKE;
                match verb {
                    VERB_VIEW => client.book.asides.view_asked(args[1] as u32),
                    VERB_SOUND => self.report.saw_if(narrow && args[2] > 0xff, Point::WideSoundAsked),
                    _ => client.book.asides.gone_asked(args[1] as u32),
                }
                return;
            }
            Command::Verb { verb: VERB_STATIC, args } => {
                self.world.make_static(args[0] as u32);
                return;
            }
            Command::Map => {
                let supported = self.next_support;
                self.options.server_extensions = supported;
                for client in &mut self.clients {
                    client.book.options.server_extensions = supported;
                    client.book.map_ends();
                }
            }
            _ => {}
        }
        if !self.world.apply(now, command) {
            return;
        }
        self.world_changed = now;
        let (number, flag) = match *command {
            Command::Spawn { entity } | Command::Remove { entity } => (entity, 0),
            Command::Set { entity, field, .. } => match field::flag_of(field) {
                0 => return,
                flag => (entity, flag),
            },
            _ => return,
        };
        for client in &mut self.clients {
            if let Command::Spawn { entity } = *command {
                client.book.spawned(entity);
                let reborn = client.book.tracks.get(entity).is_some_and(|track| track.reborn);
                self.report.saw_if(reborn, Point::Reborn);
            }
            client.book.world_changed(number, flag, &self.world);
        }
    }

    fn client_commanded(&mut self, host: HostId, command: &Command) {
        let Some(client) = self.client(host) else { return };
        client.book.acks.told_else();
        match *command {
            Command::Connect if !client.wanted => {
                client.wanted = true;
                client.open = false;
                client.establishment = Establishment::default();
                let c2s = Direction::ClientToServer.index();
                client.first[c2s] = client.next[c2s];
            }
            Command::Disconnect => {
                client.wanted = false;
                client.open = false;
            }
            Command::Verb { verb: VERB_ACKNOWLEDGE, args } => client.book.acks.scripted(args[0] as u32),
            _ => {}
        }
    }

    fn sent(&mut self, now: Time, packet: PacketId, bytes: &[u8], fate: Fate) {
        let FteOracle { options, world, world_changed, clients, report, spoken, .. } = self;
        let Some(client) = usize::from(packet.client.0).checked_sub(1).and_then(|index| clients.get_mut(index)) else {
            return;
        };
        let direction = packet.direction;
        client.next[direction.index()] = packet.index.wrapping_add(1);
        let delay_us = match fate {
            Fate::Lost(_) => {
                client.book.trouble = now;
                0
            }
            Fate::Once(copy) => copy.delay_us,
            Fate::Twice(one, other) => one.delay_us.max(other.delay_us),
        };
        let longest = &mut client.book.delay_us[direction.index()];
        *longest = (*longest).max(delay_us);

        if client.book.tainted {
            // Even the dialect may be misunderstood from here on.
            return;
        }
        let (connectionless, sequence) = classify(options.transport, bytes);
        if connectionless {
            let Client { book, establishment, .. } = &mut *client;
            let accepted = match (direction, options.transport) {
                (Direction::ServerToClient, Transport::QuakeWorld) => {
                    Ends { book, establishment, report, now }.server_answers(bytes)
                }
                (Direction::ServerToClient, Transport::NetQuake) => {
                    bytes.get(4) == Some(&netquake::constants::CCREP_ACCEPT)
                }
                (Direction::ClientToServer, Transport::QuakeWorld) => {
                    Ends { book, establishment, report, now }.client_asks(bytes);
                    false
                }
                (Direction::ClientToServer, Transport::NetQuake) => false,
            };
            if accepted && client.book.places == 0 {
                // Perhaps a session of its own, which knows nothing of what an earlier one was told.
                client.book.stats.truth = [None; 256];
                client.book.stats.pending = [0; 4];
            }
            if accepted && client.wanted && !client.open {
                client.restart(*options);
                client.open = true;
                client.first[direction.index()] = packet.index;
            }
        }
        if !client.open {
            return;
        }
        let Client { server_tap, client_tap, book, establishment, .. } = client;
        if direction == Direction::ClientToServer {
            if connectionless {
                return;
            }
            spoken.clear();
            match client_tap.datagram(direction, bytes, None, spoken) {
                Ok(_) => {}
                Err(error) => {
                    let left = bytes.len().saturating_sub(error.offset);
                    let requirement = misspoken(&error, left, spoken, book);
                    let host = book.host;
                    report.find(requirement, now, host, || format!("a packet cannot be read to its end: {error}"));
                }
            }
            for text in spoken.texts.split(|&byte| byte == 0).filter(|text| !text.is_empty()) {
                Ends { book, establishment, report, now }.client_says(text);
            }
            let plain = book.dialect.protocol == netquake::constants::PROTOCOL_NETQUAKE;
            let predinfo = book.heard_dialect.predinfo();
            report.saw_if(plain && predinfo && !spoken.moves.is_empty(), Point::MoveOnPlainProtocol);
            if sequence.is_some() || !spoken.acks.is_empty() {
                client_acks::sent(book, report, now, spoken, header_ack(options.transport, bytes), sequence.is_some());
            }
            return;
        }
        let mut ear = ServerEar::new(book, world, report, now, sequence);
        let read = server_tap.datagram(direction, bytes, None, &mut ear);
        let asks = ear.asks;
        let planted = read.as_ref().is_err_and(|error| planted(options, error));
        if let Err(error) = &read
            && !planted
        {
            ear.failed(error);
        }
        if sequence.is_some() {
            let (payload, limit, known) = capacity(options, bytes);
            if payload > limit && ear.book.dialect.deltas() {
                ear.too_long(payload, limit);
            }
            ear.finish(known.then(|| limit.saturating_sub(payload)));
        }
        let (began, has_frame) = (ear.began, ear.has_frame());
        if asks {
            Ends { book, establishment, report, now }.pext_asked(false);
        }
        if began {
            Ends { book, establishment, report, now }.session_sent(bytes);
        }
        if let Some(frame) = sequence.and_then(|sequence| book.frames.get_mut(sequence)) {
            frame.planted = planted;
        }
        book.epochs.set(packet.index, book.epoch);
        if has_frame {
            let (netquake, quakeworld) = match options.transport {
                Transport::NetQuake => (true, false),
                Transport::QuakeWorld => (false, true),
            };
            report.saw_if(netquake, Point::NetQuakeFrame);
            report.saw_if(quakeworld, Point::QuakeWorldFrame);
            report.saw_if(netquake && book.dialect.predinfo(), Point::NetQuakePredInfoFrame);
            duty::check_owed(book, world, report, now, false);
            convergence::frame_sent(book, world, report, now, *world_changed);
        }
    }

    fn delivered(&mut self, now: Time, packet: PacketId, bytes: &[u8], intact: bool) {
        let FteOracle { options, world, clients, report, spoken, .. } = self;
        let Some(client) = usize::from(packet.client.0).checked_sub(1).and_then(|index| clients.get_mut(index)) else {
            return;
        };
        let direction = packet.direction;
        let Client { server_tap, client_tap, book, establishment, open, first, .. } = &mut *client;
        if !intact {
            book.trouble = now;
            if !std::mem::replace(&mut book.tainted, true) {
                report.remark("a datagram was delivered damaged: from there on the session is not judged");
            }
        }
        if book.tainted || packet.index < first[direction.index()] {
            return;
        }
        let (connectionless, sequence) = classify(options.transport, bytes);
        if connectionless && options.transport == Transport::QuakeWorld {
            let mut ends = Ends { book, establishment, report, now };
            match direction {
                Direction::ClientToServer => ends.server_hears(bytes),
                Direction::ServerToClient => ends.client_hears(bytes),
            }
            return;
        }
        if !*open {
            return;
        }
        if direction == Direction::ServerToClient {
            let Some(epoch) = book.epochs.get(packet.index).filter(|_| !connectionless) else {
                if connectionless {
                    let _ = client_tap.datagram(direction, bytes, None, &mut Deaf);
                }
                return;
            };
            book.rejected = false;
            let mut ear = DeliveryEar::new(book, report, epoch, sequence);
            let taken = client_tap.datagram(direction, bytes, None, &mut ear);
            let (asks, invites) = (ear.asks, ear.invites);
            let stale = taken == Ok(false) && sequence.is_some();
            let planted =
                sequence.and_then(|sequence| ear.book.frames.get(sequence)).is_some_and(|frame| frame.planted);
            match planted && taken.is_err() {
                true => ear.planted(),
                false => ear.finish(taken != Ok(false)),
            }
            book.heard_newest = book.heard_newest.max(sequence.unwrap_or_default());
            if stale {
                book.trouble = now;
            }
            if asks {
                Ends { book, establishment, report, now }.pext_asked(true);
            }
            if let Some(step) = invites {
                Ends { book, establishment, report, now }.invited(step);
            }
            if taken.is_err_and(|error| options.strange_key.is_some() && error.field == "protocol version") {
                Ends { book, establishment, report, now }.strange_session_heard();
            }
            return;
        }
        spoken.clear();
        // What cannot be read was a finding when it was sent; what comes before it counts.
        if server_tap.datagram(direction, bytes, None, spoken) == Ok(false) {
            return;
        }
        let explicit = spoken.acks.iter().filter(|ack| ack.0 != ACK_RESET).count();
        let header = header_ack(options.transport, bytes);
        let among_others = explicit > 1 || (explicit > 0 && header.is_some());
        report.saw_if(explicit > 1, Point::SeveralAcksDelivered);
        report.saw_if(explicit > 0 && header.is_some(), Point::ExplicitAndHeader);
        book.builds_on_nothing = options.transport == Transport::QuakeWorld && !spoken.builds_on;
        for &(sequence, _) in &spoken.acks {
            match sequence {
                ACK_RESET => {
                    book.stirred = now;
                    duty::reset_requested(book, report);
                }
                _ => duty::acknowledged(book, world, report, sequence, true, among_others),
            }
        }
        if let Some(sequence) = header.filter(|&sequence| sequence > 0) {
            duty::acknowledged(book, world, report, sequence, false, among_others);
        }
        for &sequence in &spoken.moves {
            book.movement.received(sequence, report);
        }
        for text in spoken.texts.split(|&byte| byte == 0).filter(|text| !text.is_empty()) {
            Ends { book, establishment, report, now }.server_is_told(text);
        }
    }
}

/// Whether a datagram belongs to no connection, and the number of its unreliable part.
fn classify(transport: Transport, bytes: &[u8]) -> (bool, Option<u32>) {
    let long = |at: usize| bytes.get(at..).and_then(|rest| rest.first_chunk::<4>().copied());
    match transport {
        Transport::QuakeWorld => match long(0).map(u32::from_le_bytes) {
            Some(u32::MAX) => (true, None),
            Some(word) => (false, Some(word & 0x7fff_ffff)),
            None => (false, None),
        },
        Transport::NetQuake => match long(0).map(u32::from_be_bytes) {
            Some(word) if word & netquake::constants::NETFLAG_CTL != 0 => (true, None),
            Some(word) if word & netquake::constants::NETFLAG_UNRELIABLE != 0 => {
                (false, long(4).map(u32::from_be_bytes))
            }
            _ => (false, None),
        },
    }
}

/// QuakeWorld: the acknowledgement in a packet's header.
fn header_ack(transport: Transport, bytes: &[u8]) -> Option<u32> {
    let long = bytes.get(4..).and_then(|rest| rest.first_chunk::<4>().copied());
    long.filter(|_| transport == Transport::QuakeWorld).map(|long| u32::from_le_bytes(long) & 0x7fff_ffff)
}

/// Bytes of messages in a server's unreliable datagram, how many there may be, and whether what is left of that was
/// the server's to use: beside a reliable block of QuakeWorld it is unknown.
fn capacity(options: &Options, bytes: &[u8]) -> (usize, usize, bool) {
    const HEADER_BYTES: usize = 8;
    let payload = bytes.len().saturating_sub(HEADER_BYTES);
    let packet = options.packet_bytes.saturating_sub(HEADER_BYTES);
    let reliable = options.transport == Transport::QuakeWorld && bytes.get(3).is_some_and(|byte| byte & 0x80 != 0);
    match reliable {
        true => (payload, packet.max(options.datagram_limit), false),
        false => (payload, options.datagram_limit, true),
    }
}

/// Which duty an unreadable packet of a client breaks.
fn misspoken(error: &DecodeError, left: usize, spoken: &Spoken, book: &Book) -> &'static Requirement {
    /// Command and number.
    const ACK_BYTES: usize = 5;
    let unknown = matches!(error.kind, ErrorKind::Unknown { .. }) && error.field == "clc";
    match error.field {
        "frame" => &ACK_03,
        "movement sequence" | "sequence" => &PRED_09,
        // A move of another length would leave another rest than acknowledgements under another command.
        _ if unknown && spoken.acks.is_empty() && left.is_multiple_of(ACK_BYTES) => &SVC_13,
        _ if spoken.moved_last && book.heard_dialect.predinfo() => &PRED_15,
        _ if unknown && spoken.acks.is_empty() => &SVC_13,
        _ if unknown => &ACK_03,
        _ => &PRED_15,
    }
}

/// Whether the scenario told the server to send what cannot be read.
fn planted(options: &Options, error: &DecodeError) -> bool {
    let undefined = options.undefined_flags as u32;
    error.field == "UF flags" && matches!(error.kind, ErrorKind::Forbidden { value, .. } if value == undefined)
}

/// Hears nothing.
struct Deaf;

impl Listener for Deaf {}

impl Probe for FteOracle {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        match *event {
            TraceEvent::Command { host: HostId::SERVER, command } => self.server_commanded(now, command),
            TraceEvent::Command { host, command } => self.client_commanded(host, command),
            TraceEvent::Sent { packet, bytes, fate, .. } => self.sent(now, packet, bytes, fate),
            TraceEvent::Delivered { packet, bytes, intact, .. } => self.delivered(now, packet, bytes, intact),
            TraceEvent::Event { host, event: kit::Event::Untyped { what: notes::COMMAND_IGNORED, .. } } => {
                let index = usize::from(host.0).checked_sub(1);
                if let Some(client) = index.and_then(|index| self.clients.get_mut(index)) {
                    client.book.acks.script_ignored();
                }
            }
            TraceEvent::Event { host, event: kit::Event::Rejected { .. } } if host != HostId::SERVER => {
                if let Some(client) = self.client(host) {
                    client.book.rejected = true;
                }
            }
            TraceEvent::Event { host, event: kit::Event::Untyped { what, value } } => {
                let index = usize::from(host.0).checked_sub(1);
                if let Some(client) = index.and_then(|index| self.clients.get_mut(index)).filter(|client| client.open) {
                    asides::noted(&mut client.book, &mut self.report, now, what, *value);
                }
            }
            TraceEvent::Timeout { .. } | TraceEvent::Event { .. } => {}
        }
    }

    fn settled(&mut self, now: Time, host: HostId, endpoint: &dyn Endpoint) {
        let FteOracle { clients, report, view, .. } = self;
        let client = usize::from(host.0).checked_sub(1).and_then(|index| clients.get_mut(index));
        let Some(client) = client.filter(|client| client.open && client.book.look) else { return };
        client.book.look = false;
        view.clear();
        endpoint.observe(view);
        client_held::look(&mut client.book, report, now, view);
    }
}

impl Oracle for FteOracle {
    fn finish(&mut self, now: Time) {
        let FteOracle { world, clients, report, world_changed, .. } = self;
        for Client { book, establishment, open, .. } in clients {
            Ends { book, establishment, report, now }.finish();
            server_frames::end_tick(book, report, None);
            if !*open {
                continue;
            }
            Ends { book, establishment, report, now }.check_progress();
            asides::finish(book, report, now);
            client_acks::finish(book, report, now);
            waste::finish(book, report, now);
            ServerEar::new(book, world, report, now, None).check_starved();
            convergence::finish(book, world, report, now, *world_changed);
        }
    }

    fn findings(&self) -> &[Finding] {
        &self.report.findings
    }

    fn covered(&self) -> Vec<&'static Requirement> {
        self.report.covered(REQUIREMENTS)
    }

    fn remarks(&self) -> Vec<String> {
        let redundant = self.report.has_seen(Point::Redundant);
        let redundant = redundant.then(|| String::from("something known to the client was sent again (legal)"));
        self.report.remarks().into_iter().chain(redundant).collect()
    }
}

#[cfg(test)]
mod tests;
