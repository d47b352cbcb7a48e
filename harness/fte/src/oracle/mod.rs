//! Judges a run of one server and its clients, whoever wrote them, from what goes over the wire, from what the scenario
//! says that the world is, and from what clients show.
//!
//! Per client there are a tap at each end and a [`session::Session`]: what a receiver of everything that was sent holds,
//! what a receiver of what was delivered holds, and in what they differ from the [`truth`]. The checks compare them:
//!
//! - [`from_server`]: sent and truth: what the server sends is well-formed, present, complete, and nothing else;
//! - [`retransmission`]: sent and delivered: what is known to be lost is sent again;
//! - [`quiescence`]: all of them: when nothing disturbs them they agree, and soon;
//! - [`repetition`]: what it sends without need, where that shows which acknowledgements it misses;
//! - [`shown`]: delivered and client: the client makes of what it receives what it must;
//! - [`from_client`]: what the client acknowledges;
//! - [`establishment`]: how they agreed;
//! - [`liveness`]: whether both go on; [`ports`]: with a client at another port, too.
//!
//! A check decides that something is wrong; [`diagnosis`] says what that can mean. Nothing here uses the reference
//! machines. Source: the specification itself, and for what implementations may do differently the list of legal variation
//! that every check leaves room for: superfluous and repeated sending, wider forms, late folding, starting over,
//! splitting and skipping frames.

mod challenge;
mod client;
pub(crate) mod coverage;
mod damage;
pub(crate) mod diagnosis;
pub(crate) mod establishment;
pub(crate) mod field;
pub(crate) mod from_client;
pub(crate) mod from_server;
mod header;
pub(crate) mod indeterminate;
pub(crate) mod liveness;
mod new_map;
pub(crate) mod ports;
pub(crate) mod quiescence;
pub(crate) mod repetition;
pub(crate) mod retransmission;
pub(crate) mod session;
pub(crate) mod shown;
pub(crate) mod truth;
pub(crate) mod update_coverage;

use crate::constants::field_names::{PROTOCOL_VERSION, UPDATE_FLAGS};
use crate::delta::Entry;
use crate::dialect::{Dialect, Transport};
use crate::extensions::{CHALLENGE_CONNECT, Extensions};
use crate::message::{Carrier, Listener};
use crate::notes;
use crate::options::Options;
use crate::requirements::*;
use crate::tap::{Ignore, Turn};
use crate::verbs::*;
use client::Client;
use coverage::{Point, Report};
use from_client::ClientTx;
use from_server::ServerTx;
use header::{asks_to_connect, classify, has_reliable_part, header_ack};
use indeterminate::Indeterminate;
use kit::named::{count, joined};
use kit::{
    Arrival, Check, Clients, Command, DecodeError, Direction, ErrorKind, Event, Fate, HostId, Judge, Numbering, Oracle,
    PacketId, Reader, Setup, Time, View, Watch,
};
use session::Session;
use session::remote::ToServer;
use shown::ClientRx;
use std::collections::VecDeque;
use truth::Truth;

const GROUPS: &[&[&Check]] = &[
    establishment::CHECKS,
    liveness::CHECKS,
    ports::CHECKS,
    from_server::CHECKS,
    from_server::announcement::CHECKS,
    from_server::frames::CHECKS,
    from_server::listener::CHECKS,
    from_server::pending::CHECKS,
    from_server::update::CHECKS,
    from_client::CHECKS,
    retransmission::CHECKS,
    quiescence::CHECKS,
    repetition::CHECKS,
    shown::CHECKS,
    shown::announcement::CHECKS,
];

/// The checks, by module.
pub static CHECKS: &[&Check] = &const { joined::<&Check, { count(GROUPS) }>(GROUPS) };

/// The oracle for a run.
pub fn oracle(setup: &Setup) -> Box<dyn Oracle> {
    Box::new(Watch::new(FteOracle::new(setup), setup, REQUIREMENTS))
}

/// Judges a run.
pub struct FteOracle {
    options: Options,
    truth: Truth,
    clients: Clients<Client>,
    report: Report,
    packet: ClientTx,
    /// QuakeWorld: the challenges that clients received last, whichever.
    challenges: VecDeque<i32>,
}

/// A frame that is of the map before, or of the one that its client signs on to.
#[derive(Default)]
struct OfEitherMap {
    /// It removes everything: what follows is a state, of whichever map.
    starts_over: bool,
}

impl Listener for OfEitherMap {
    fn entry(&mut self, _: &Carrier, entry: Entry, _: &mut Reader<'_>, _: &Dialect) -> Result<bool, DecodeError> {
        self.starts_over |= entry == Entry::RemoveAll;
        Ok(false)
    }
}

/// The server sends a datagram that can be of either map: nobody knows what our client makes of it.
fn of_either_map(client: &mut Client, direction: Direction, sequence: Option<u32>, bytes: &[u8]) {
    let mut frame = OfEitherMap::default();
    let _ = client.server_tap.datagram(direction, bytes, None, &mut frame);
    if let Some(sequence) = sequence {
        let epoch = client.session.epoch;
        client.session.frames.open(sequence, epoch).of_either_map = true;
    }
    if frame.starts_over {
        client.session.delivered = Some(Indeterminate { why: "a frame starts over that can be of either map" });
    }
}

/// Challenges remembered of all clients.
const CHALLENGES: usize = 256;

impl FteOracle {
    /// For the run of `setup`.
    pub fn new(setup: &Setup) -> FteOracle {
        let mut options = Options::new(setup);
        if setup.vantage.remote_server {
            options = options.of_remote_server();
        }
        FteOracle {
            options,
            truth: Truth::new(setup, &options),
            clients: Clients::new(setup, |host| Client::new(host, options, setup.vantage)),
            report: Report::new(CHECKS, setup.knowledge, setup.vantage).with_pauses(&setup.pauses),
            packet: ClientTx::default(),
            challenges: VecDeque::new(),
        }
    }

    /// A verb of the protocol's own for the server.
    fn server_verb(&mut self, now: Time, verb: usize, args: [i32; 4]) {
        if verb == VERB_SUPPORT {
            self.truth.next_support = Extensions { fte1: args[0] as u32, fte2: args[1] as u32 };
        } else if verb == VERB_STATIC {
            self.truth.world.make_static(args[0] as u32);
        }
        let client = self.clients.get_mut(HostId(args[0] as u16));
        let Some(client) = client.filter(|client| client.open) else { return };
        let (session, begun) = (&mut client.session, client.liveness.begun().is_some());
        let netquake = session.options.transport == Transport::NetQuake;
        let narrow = netquake && session.dialect.protocol == netquake::constants::PROTOCOL_NETQUAKE;
        match verb {
            VERB_VIEW => session.announced.view_asked(args[1] as u32),
            // Over protocol 15 it cannot be said, whatever was agreed.
            VERB_SOUND if narrow && args[2] > 0xff => {
                self.report.saw_if(session.dialect.deltas(), Point::WideSoundAsked);
            }
            VERB_SOUND if !netquake => return,
            VERB_SOUND | VERB_BEAM => session.announced.effect_asked(args[1] as u32),
            VERB_CSQC_GONE => session.announced.gone_asked(args[1] as u32),
            _ => return,
        }
        // A server does this for who is in the game.
        if begun {
            session.announced.asked_at = Some(now);
        } else {
            session.announced.forget_asked();
        }
    }
}

impl Judge for FteOracle {
    fn report(&self) -> &Report {
        &self.report
    }

    fn numbering(&self, _: Direction, bytes: &[u8]) -> Numbering {
        self.options.transport.numbers()(bytes)
    }

    fn copied(&mut self, _: Time, packet: PacketId, fate: Fate) {
        self.clients.get_mut(packet.client).into_iter().for_each(|client| client.note_copied(packet, fate));
    }

    fn rebound(&mut self, _: Time, client: HostId) {
        if let Some(client) = self.clients.get_mut(client) {
            client.ports.rebound(client.next);
            client.establishment.rebound();
        }
    }

    fn server_command(&mut self, now: Time, command: &Command) {
        match *command {
            Command::Stat { client, stat, value } => {
                self.truth.changed = now;
                if let Some(client) = self.clients.get_mut(HostId(client)).filter(|client| client.open) {
                    client.session.stat_set(stat, value);
                }
                return;
            }
            Command::Verb { verb, args } => return self.server_verb(now, verb, args),
            Command::Map => {
                self.options.server_extensions = self.truth.next_support;
                for client in self.clients.iter_mut() {
                    client.session.options.server_extensions = self.truth.next_support;
                    client.session.map_ends();
                    if client.open && client.session.epoch > 0 {
                        client.liveness.map_changes(now);
                    }
                }
            }
            _ => {}
        }
        if !self.truth.apply(now, command) {
            return;
        }
        let (number, flag) = match *command {
            Command::Spawn { entity } | Command::Remove { entity } => (entity, 0),
            Command::Set { entity, field, .. } => match field::flag_of(field) {
                0 => return,
                flag => (entity, flag),
            },
            _ => return,
        };
        for client in self.clients.iter_mut() {
            if matches!(command, Command::Spawn { .. }) {
                self.report.saw_if(client.session.spawned(number), Point::Reborn);
            }
            client.session.world_changed(number, flag, &self.truth);
        }
    }

    fn client_command(&mut self, now: Time, host: HostId, command: &Command) {
        let Some(client) = self.clients.get_mut(host) else { return };
        client.session.acks.other_instruction();
        match *command {
            Command::Connect if !client.wanted => client.connects(now),
            Command::Disconnect => client.leaves(),
            Command::Verb { verb: VERB_ACKNOWLEDGE, args } => client.session.acks.scripted(args[0] as u32),
            _ => {}
        }
    }

    fn server_sent(&mut self, now: Time, packet: PacketId, bytes: &[u8], fate: Fate) {
        let Some(client) = self.clients.get_mut(packet.client) else { return };
        client.note_sent(now, packet, bytes, fate);
        if client.session.damaged.is_some() {
            // Even the dialect may be misunderstood from here on.
            return;
        }
        let FteOracle { truth, report, options, .. } = self;
        let transport = options.transport;
        let plain = &*client.server_tap.plain(bytes);
        let (connectionless, sequence) = classify(transport, plain);
        if connectionless {
            let accepts = match transport {
                Transport::QuakeWorld => {
                    client.server_tap.agree(packet.direction, bytes);
                    client.ends(report, now).server_sent_packet(bytes)
                }
                Transport::NetQuake => bytes.get(4) == Some(&netquake::constants::CCREP_ACCEPT),
            };
            if accepts {
                client.accepted(now, *options, packet, report);
            }
        } else {
            client.goes_on(now, *options, plain, sequence, fate, report);
        }
        if !client.open {
            if !connectionless {
                client.note_unknown(report);
            }
            return;
        }
        if let Some(sequence) = sequence.filter(|_| client.session.vantage.remote_server)
            && !remote_datagram(client, truth, report, now, (transport, plain, sequence))
        {
            return;
        }
        if client.session.is_of_old_map(sequence) {
            of_either_map(client, packet.direction, sequence, bytes);
            return;
        }
        let mut server = ServerTx::new(&mut client.session, truth, report, now, sequence);
        let read = client.server_tap.datagram(packet.direction, bytes, None, &mut server);
        let undefined_flag = read.as_ref().is_err_and(|error| is_undefined_flag(options, error));
        if let Err(error) = &read
            && !undefined_flag
        {
            server.failed(error);
        }
        if sequence.is_some() {
            let room = server.check_size(plain);
            server.finish(room);
        }
        server.session.announced.datagram_ends(has_reliable_part(transport, plain));
        let (sign_on, has_frame) = (server.sign_on, server.has_frame());
        client.over |= sign_on.ends;
        client.liveness.server_goes_on(&sign_on, transport);
        if has_frame {
            client.liveness.frame_sent();
        }
        client.ends(report, now).server_signs_on(sign_on, bytes);
        let session = &mut client.session;
        if let Some(frame) = sequence.and_then(|sequence| session.frames.get_mut(sequence)) {
            frame.undefined_flag = undefined_flag;
        }
        session.epochs.set(packet.index, session.epoch);
        if has_frame {
            frame_sent(session, truth, report, now);
        }
    }

    fn client_sent(&mut self, now: Time, packet: PacketId, bytes: &[u8], fate: Fate) {
        let FteOracle { clients, report, packet: content, options, challenges, .. } = self;
        let Some(client) = clients.get_mut(packet.client) else { return };
        client.note_sent(now, packet, bytes, fate);
        if client.session.damaged.is_some() {
            return;
        }
        let plain = &*client.client_tap.plain(bytes);
        let (connectionless, sequence) = classify(options.transport, plain);
        if connectionless {
            client.note_talk(packet, asks_to_connect(options.transport, bytes));
            if options.transport == Transport::QuakeWorld {
                client.client_tap.agree(packet.direction, bytes);
                client.brings_challenge(bytes, challenges);
                client.ends(report, now).client_sent_packet(bytes);
            }
            return;
        }
        if !client.open {
            client.liveness.client_says_unread();
            return client.note_unknown(report);
        }
        client.talked = true;
        content.clear();
        let read = client.client_tap.datagram(packet.direction, bytes, None, content);
        if client.session.vantage.remote_clients && read == Ok(false) && sequence.is_some() {
            // It comes late or twice.
            return;
        }
        if let Err(error) = &read {
            let left = bytes.len().saturating_sub(error.offset);
            from_client::Sent { session: &mut client.session, report, now, packet: content }.unreadable(error, left);
        }
        for text in content.texts() {
            client.session.spawn.asked |= text.starts_with(b"spawn");
            client.liveness.client_says(text);
            client.ends(report, now).client_sent_text(text);
        }
        let session = &mut client.session;
        let plain_protocol = session.dialect.protocol == netquake::constants::PROTOCOL_NETQUAKE;
        let predinfo = session.delivered_dialect.predinfo();
        report.saw_if(plain_protocol && predinfo && !content.moves.is_empty(), Point::MoveOnPlainProtocol);
        if sequence.is_some() || !content.acks.is_empty() {
            let header = header_ack(options.transport, plain);
            from_client::Sent { session, report, now, packet: content }.check_acks(header, sequence);
        }
    }

    fn client_received(&mut self, now: Time, arrival: Arrival<'_>) {
        let FteOracle { clients, report, options, challenges, .. } = self;
        let Arrival { packet, bytes, .. } = arrival;
        let Some(client) = clients.get_mut(packet.client) else { return };
        if !client.note_received(now, &arrival, report) {
            return;
        }
        let (connectionless, sequence) = classify(options.transport, &client.client_tap.plain(bytes));
        if connectionless && options.transport == Transport::QuakeWorld {
            client.client_tap.agree(packet.direction, bytes);
            if let Some(challenge) = client.ends(report, now).client_received_packet(bytes) {
                if challenges.len() == CHALLENGES {
                    challenges.pop_front();
                }
                challenges.push_back(challenge);
            }
            return;
        }
        if !client.open || client.dismissed {
            return;
        }
        if connectionless {
            let _ = client.client_tap.datagram(packet.direction, bytes, None, &mut Ignore);
            return;
        }
        let Some(epoch) = client.session.epochs.get(packet.index) else { return };
        client.session.rejected = false;
        let mut received = ClientRx::new(&mut client.session, report, epoch, sequence);
        let taken = client.client_tap.datagram(packet.direction, bytes, None, &mut received);
        let (asks, asks_for) = (received.asks, received.asks_for);
        let (invites, over) = (received.invites, received.ends);
        let frame = sequence.and_then(|sequence| received.session.frames.get(sequence));
        if taken.is_err() && frame.is_some_and(|frame| frame.undefined_flag) {
            received.undefined_flag();
        } else {
            received.finish(taken != Ok(false));
            if taken.is_err() {
                received.unreadable();
            }
        }
        let session = &mut client.session;
        session.delivered_newest = session.delivered_newest.max(sequence.unwrap_or_default());
        if taken == Ok(false) && sequence.is_some() {
            session.last_disturbance = now;
        }
        client.liveness.plays(now, session.announced.playing);
        if asks {
            client.liveness.step(now, b"pext");
        }
        if let Some(word) = asks_for {
            client.liveness.step(now, word);
        }
        if over || taken.is_err() {
            client.liveness.ends();
        }
        let mut ends = client.ends(report, now);
        if asks {
            ends.pext_asked(true);
        }
        if let Some(step) = invites {
            ends.invited(step);
        }
        if over {
            ends.establishment.ends();
        }
        if taken.is_err_and(|error| options.server_protocol_key.is_some() && error.field == PROTOCOL_VERSION) {
            ends.strange_session_delivered();
        }
        client.dismissed |= over;
    }

    fn server_received(&mut self, now: Time, arrival: Arrival<'_>) {
        let FteOracle { clients, truth, report, packet: content, options, .. } = self;
        let Arrival { packet, bytes, .. } = arrival;
        let Some(client) = clients.get_mut(packet.client) else { return };
        if !client.note_received(now, &arrival, report) {
            return;
        }
        let plain = &*client.server_tap.plain(bytes);
        let (connectionless, sequence) = classify(options.transport, plain);
        if connectionless && options.transport == Transport::QuakeWorld {
            client.server_tap.agree(packet.direction, bytes);
            return client.ends(report, now).server_received_packet(bytes);
        }
        content.clear();
        // What cannot be read was a finding when it was sent; what comes before it counts.
        if !client.open {
            return;
        }
        let read = client.server_tap.datagram(packet.direction, bytes, None, content) != Ok(false);
        client.ports.received(now, &packet, read);
        if !read {
            return;
        }
        let session = &mut client.session;
        let header = header_ack(options.transport, plain);
        session.input = sequence;
        session.builds_on_nothing = options.transport == Transport::QuakeWorld && !content.builds_on;
        let datagram = || ToServer {
            number: sequence.unwrap_or_default(),
            moves: content.moves.clone(),
            acks: content.acks.iter().map(|ack| ack.0).collect(),
            header,
            ..ToServer::default()
        };
        retransmission::delivered(session, truth, report, now, datagram, (&content.acks, header));
        for &sequence in &content.moves {
            let received = session.movement.received(sequence);
            report.saw_if(received.out_of_order, Point::MoveOutOfOrder);
            report.saw_if(received.wrapped, Point::MoveWrapped);
        }
        // In a session that it has only offered, a server takes nothing but the answer to its challenge.
        let offered = client.server_tap.is_challenged();
        for text in content.texts().filter(|text| !offered || text.starts_with(CHALLENGE_CONNECT)) {
            client.liveness.server_receives(now, text, client.session.spawn.answered);
            let stale = client.liveness.is_to_sign_on_again();
            client.ends(report, now).server_received_text(text, stale);
        }
        if content.leaves {
            client.establishment.ends();
            client.liveness.ends();
        }
    }

    fn event(&mut self, now: Time, host: HostId, event: &Event) {
        let Some(client) = self.clients.get_mut(host) else { return };
        match *event {
            Event::Note { note: notes::COMMAND_IGNORED, .. } => client.session.acks.script_ignored(),
            Event::Rejected { .. } => client.session.rejected = true,
            Event::Note { note, args } if client.open => {
                shown::announcement::noted(&mut client.session, &mut self.report, now, note, args[0]);
            }
            _ => {}
        }
    }

    fn settled(&mut self, _: Time, host: HostId) -> bool {
        self.clients.get(host).is_some_and(|client| client.open && client.session.observe.due)
    }

    fn shown(&mut self, now: Time, host: HostId, view: &View) {
        if let Some(client) = self.clients.get_mut(host) {
            shown::check(&mut client.session, &mut self.report, now, view);
        }
    }

    fn finish(&mut self, now: Time) {
        let FteOracle { truth, clients, report, .. } = self;
        for client in clients.iter_mut() {
            client.liveness.finish(&client.session, &client.ports, client.open, report, now);
            client.ends(report, now).finish();
            from_server::end_tick(&mut client.session, report, None);
            if !client.open {
                continue;
            }
            client.ends(report, now).check_progress();
            let session = &mut client.session;
            shown::announcement::finish(session, report, now);
            from_client::finish(session, report, now);
            repetition::finish(session, report, now);
            let mut server = ServerTx::new(session, truth, report, now, None);
            server.check_starved();
            if let Some(begun) = client.liveness.begun() {
                server.check_starved_stats(begun);
            }
            server.check_asked();
            quiescence::finish(session, truth, report, now);
        }
    }
}

/// The server has sent an entity frame.
fn frame_sent(session: &mut Session, truth: &Truth, report: &mut Report, now: Time) {
    let netquake = session.options.transport == Transport::NetQuake;
    report.saw(if netquake { Point::NetQuakeFrame } else { Point::QuakeWorldFrame });
    report.saw_if(netquake && session.dialect.predinfo(), Point::NetQuakePredInfoFrame);
    retransmission::check_lost(session, truth, report, now, false);
    quiescence::frame_sent(session, truth, report, now);
}

/// Whether the scenario has the server send what cannot be read.
fn is_undefined_flag(options: &Options, error: &DecodeError) -> bool {
    let undefined = options.undefined_flag as u32;
    error.field == UPDATE_FLAGS && matches!(error.kind, ErrorKind::Forbidden { value, .. } if value == undefined)
}

#[cfg(test)]
mod tests;

/// A remote server sends a datagram of a session. Whether it is one to judge.
fn remote_datagram(
    client: &mut Client,
    truth: &Truth,
    report: &mut Report,
    now: Time,
    (transport, plain, sequence): (Transport, &[u8], u32),
) -> bool {
    let read = header_ack(transport, plain);
    if client.server_tap.turn(plain) != Turn::Next {
        return false;
    }
    client.session.remote_datagram(sequence, read);
    let fits = |datagram: &ToServer| Some(datagram.number) == read;
    retransmission::shown_to_be_read(&mut client.session, truth, report, now, fits);
    true
}
