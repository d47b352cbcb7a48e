//! Judges a run of one server and its clients, whoever wrote them, from what goes over the wire, from what the scenario
//! says that the world is, and from what clients show.
//!
//! Per client there is a [`session`]: what the server has to send and has sent, what is acknowledged, and what a client
//! that does everything right makes of what is delivered. The [`truth`] is the world as scenario and clients make it;
//! `entry` follows who is in. The checks compare them, and stand at the top of the file that performs them:
//!
//! - [`from_server`], [`from_server_events`], [`from_server_snapshot`]: what the server sends;
//! - [`from_client`]: what a client sends;
//! - [`shown`]: what a client applies and shows.
//!
//! Which requirement a failure means is in [`diagnosis`]. Nothing here uses the reference machines. Recovery needs no check
//! of its own: each packet must have all events that are not acknowledged and a snapshot whose base is, packets must come at
//! a constant rate, and whoever gets one must apply and acknowledge it; each of these is judged packet by packet.

pub mod coverage;
pub mod diagnosis;
mod entry;
pub mod from_client;
pub mod from_server;
pub mod from_server_events;
pub mod from_server_snapshot;
pub mod session;
pub mod shown;
#[cfg(test)]
mod tests;
pub mod truth;

use crate::constants::*;
use crate::message::{self, ClientEvent, ClientHeader, ClientRecord, Input, ServerEvent, ServerHeader};
use crate::notes::{EVENT_APPLIED, SNAPSHOT_APPLIED};
use crate::requirements::REQUIREMENTS;
use crate::serial::newer;
use crate::verbs::*;
use coverage::{Point, Report};
use from_client::ClientPacket;
use from_server::{Datagram, Elsewhere};
use kit::{
    Arrival, Check, Clients, Command, Direction, Event, Fate, HostId, Judge, Oracle, PacketId, Reader, Setup, Time,
    View, Watch,
};
use message::Stamped;
use session::delivered::{Applied, Delivery};
use session::reading::{ClientReading, Reading, ServerReading};
use session::server::UncausedChange;
use session::{Session, Unread, remember};
use truth::Truth;

/// A client that is in and sends nothing for so long, in microseconds, and then a hello, starts over.
const AWAY_US: u64 = 500_000;
/// Why a client that may hold what the model does not is judged no further.
const ACKNOWLEDGEMENT_UNSURE: &str = "whether it took an acknowledgement of its events cannot be known";

/// The checks.
pub static CHECKS: &[&Check] = &{
    const PARTS: &[&[&Check]] = &[
        from_server::CHECKS,
        from_server_events::CHECKS,
        from_server_snapshot::CHECKS,
        from_client::CHECKS,
        shown::CHECKS,
    ];
    kit::named::joined::<&Check, { kit::named::count(PARTS) }>(PARTS)
};

/// The oracle for a run.
pub fn oracle(setup: &Setup) -> Box<dyn Oracle> {
    Box::new(watch(setup))
}

fn watch(setup: &Setup) -> Watch<Pygg2Oracle> {
    Watch::new(Pygg2Oracle::new(setup), setup, REQUIREMENTS)
}

/// Judges a run.
#[derive(Debug)]
pub struct Pygg2Oracle {
    truth: Truth,
    sessions: Clients<Session>,
    report: Report,
    /// When something unreadable was delivered to the server last.
    unreadable: Option<Time>,
}

impl Pygg2Oracle {
    /// For the run of `setup`.
    pub fn new(setup: &Setup) -> Pygg2Oracle {
        let truth = Truth::new(setup);
        Pygg2Oracle {
            sessions: Clients::new(setup, |host| Session::new(host, &truth.options)),
            truth,
            report: Report::new(CHECKS, setup.knowledge, setup.vantage).with_pauses(&setup.pauses),
            unreadable: None,
        }
    }

    fn elsewhere(&self, client: HostId) -> Elsewhere {
        let others = self.sessions.iter().filter(|session| session.host != client && session.server.inside);
        let acked = others.filter(|session| session.server.acked.is_some()).map(|session| session.server.acked_at);
        Elsewhere { other_acked: acked.max(), unreadable: self.unreadable }
    }

    /// A remote server shows what it has read of a client: its packets say whose newest it has accepted.
    fn server_read(&mut self, now: Time, client: HostId, header: &ServerHeader) {
        let Some(session) = self.sessions.get_mut(client).filter(|session| session.server.inside) else { return };
        let mut read = session.server.read_up_to(header.last_acked_sequence);
        // What is in the newest, the server may have read in an earlier one, whose acknowledgement nobody saw.
        let since = read.first().map_or(now, |first| first.at);
        let accepted = read.pop();
        for earlier in read.iter().filter_map(|unread| ClientHeader::read(&mut Reader::new(&unread.bytes)).ok()) {
            let passed = session.server.acked.is_some_and(|acked| newer(acked, earlier.ack_sequence));
            if !passed && newer(header.last_acked_sequence, earlier.sequence) {
                session.server.may_read_ack(earlier.ack_sequence);
            }
        }
        let Some(accepted) = accepted else { return };
        if let ClientReading { header: Some(header), records, error: None } =
            ClientReading::of(&accepted.bytes, self.truth.options.declared)
        {
            self.accepted(now, since, client, &header, &records);
        }
    }

    /// A remote client shows what it has read: its packets acknowledge the newest applied. A hello where there was a
    /// session begins another. Whether the packet can be judged: the network may have sent it twice, or late.
    fn client_read(&mut self, now: Time, client: HostId, packet: &ClientReading) -> bool {
        let ClientReading { header: Some(header), records, .. } = packet else { return true };
        let event = |record: &Stamped<ClientRecord>, wanted: fn(&ClientEvent) -> bool| match &record.what {
            ClientRecord::Event(event) => wanted(event),
            ClientRecord::Input(_) => false,
        };
        let hello =
            records.first().is_some_and(|first| event(first, |event| matches!(event, ClientEvent::Hello { .. })));
        let leaves = records.iter().any(|record| event(record, |event| *event == ClientEvent::Disconnect));
        let Some(session) = self.sessions.get_mut(client) else { return false };
        if !hello && session.is_of_before(now, header.sequence) {
            return false;
        }
        let side = &mut session.client;
        let silent = side.delivered.inside && now.since(side.sent_at) > AWAY_US;
        if hello && (silent || side.delivered.refused || side.leaving || !side.wanted) {
            self.restarts(now, client);
            return true;
        }
        if side.delivered.inside && side.sequence.is_some_and(|last| !newer(header.sequence, last)) {
            return false;
        }
        side.leaving |= leaves;
        let began = self.truth.vantage.remote_server && !hello && !side.delivered.inside;
        if began && side.unread.is_empty() && side.hello_at.is_none() {
            self.report.remark("a client's session began before it was observed: it is not judged");
        }
        for unread in side.read_up_to(header.ack_sequence) {
            let packet = ServerReading::of(&unread.bytes, self.truth.options.declared);
            self.client_reads(unread.at, client, &packet);
        }
        true
    }

    fn unreadable_to_server(&mut self, now: Time) {
        self.unreadable = Some(now);
        self.report.saw(Point::UnreadableClientDelivered);
    }

    /// A packet of a client that is in is accepted. What is new in it was delivered at `since` or later.
    fn accepted(
        &mut self,
        now: Time,
        since: Time,
        host: HostId,
        header: &ClientHeader,
        records: &[Stamped<ClientRecord>],
    ) {
        let elsewhere = Elsewhere { other_acked: None, unreadable: self.unreadable };
        let Pygg2Oracle { truth, sessions, report, .. } = self;
        let Some(session) = sessions.get_mut(host) else { return };
        let player = session.player;
        let server = &mut session.server;
        if server.silent(now) {
            server.give_up("the server may have dropped the client, which is not announced");
        }
        if server.indeterminate.is_none() {
            from_server::check_rate(host, server, truth.options.tick_us, report, now, elsewhere);
        }
        let before = server.peer_sequence;
        let sequence = header.sequence;
        if !newer(sequence, before) {
            report.saw(Point::LateClientDelivered);
            remember(&mut server.late_sequences, sequence);
            return;
        }
        report.saw_if(sequence < before, Point::ClientWrapped);
        server.peer_sequence = sequence;
        server.last_received = now;
        let ack = header.ack_sequence;
        let bogus = server.bogus.len();
        let new = server.receive_ack(now, ack, truth.options.first_sequence);
        report.saw_if(server.bogus.len() > bogus, Point::BogusAck);
        report.saw_if(new && !server.unacknowledged.is_empty(), Point::AckBetweenEvents);
        let events_alone = server.packet(ack).is_some_and(|packet| packet.snapshot.is_none());
        report.saw_if(new && events_alone, Point::EventPacketAcked);
        for record in records {
            match &record.what {
                ClientRecord::Event(event) if newer(record.created, before) => {
                    truth.client_event(since, host, event, sessions);
                }
                ClientRecord::Event(_) => report.saw(Point::ClientRepeatDelivered),
                ClientRecord::Input(input) => truth.client_input(player, input),
            }
        }
    }

    fn damaged(&mut self, packet: PacketId, bytes: &[u8]) {
        let mut r = Reader::new(bytes);
        let declared = self.truth.options.declared;
        let read = match packet.direction {
            Direction::ServerToClient => {
                ServerHeader::read(&mut r).and_then(|_| message::read_server_records(&mut r, declared, &mut Vec::new()))
            }
            Direction::ClientToServer => {
                ClientHeader::read(&mut r).and_then(|_| message::read_client_records(&mut r, &mut Vec::new()))
            }
        };
        // Nothing in a packet shows that it was damaged: what can be read is believed, by both ends and here.
        if read.is_ok() {
            if let Some(Session { client, .. }) = self.sessions.get_mut(packet.client) {
                client.is_misread |= packet.direction == Direction::ClientToServer;
                // Its disconnect may be taken for acknowledged, by either end.
                client.left_at = None;
            }
            self.report.remark("a packet was delivered damaged, and can be read: what it says counts");
        }
    }

    /// A packet is delivered, in either direction.
    fn delivered(&mut self, arrival: Arrival<'_>) {
        if let Some(session) = self.sessions.get_mut(arrival.packet.client) {
            session.delivered(arrival.packet);
        }
        if !arrival.intact {
            self.damaged(arrival.packet, arrival.bytes);
        }
    }

    fn sent(&mut self, packet: PacketId) {
        let session = self.sessions.get_mut(packet.client);
        if let Some(next) = session.and_then(|session| session.next_index.get_mut(packet.direction.index())) {
            *next = packet.index + 1;
        }
    }

    /// A client reads what was delivered to it.
    fn client_reads(&mut self, now: Time, host: HostId, packet: &ServerReading) {
        let Pygg2Oracle { truth, sessions, report, .. } = self;
        let remote = &truth.vantage.remote_clients;
        let client = sessions.get_mut(host).map(|session| &mut session.client);
        let Some(client) = client.filter(|client| client.wanted) else { return };
        let gap = now.since(client.served);
        client.applied.clear();
        if client.delivered.inside && gap > SILENCE_US * 9 / 10 {
            // Until it connects again.
            client.stop_comparing("whether it has given up, and does not listen any more, cannot be known");
            client.give_up("whether it has given up cannot be known");
            client.delivery = None;
            return;
        }
        report.saw_if(client.delivered.inside && gap > 400_000, Point::ServerSilent);
        let (any, inside) = (client.delivered.any, client.delivered.inside);
        let delivery = client.delivered.deliver(packet);
        if *remote && delivery == Delivery::Unsure {
            client.stop_comparing("it has a base that it need not have");
        }
        match delivery {
            // It goes on from a packet that it need not have taken: this one may have its base.
            Delivery::Late(_) | Delivery::BaseMissing
                if client.incomparable.is_some() && client.may_acknowledge(packet) =>
            {
                client.give_up(ACKNOWLEDGEMENT_UNSURE);
            }
            Delivery::Late(_) => report.saw(Point::LateDelivered),
            Delivery::Unreadable => {
                client.unreadable_at = Some(now);
                report.saw(Point::UnreadableDelivered);
            }
            Delivery::BaseMissing => report.saw(Point::BaseMissing),
            Delivery::Effective => {
                let effect = &client.delivered.effect;
                report.saw_if(effect.sequence < effect.before && any, Point::Wrapped);
                report.saw_if(effect.has_snapshot() && effect.applied.len() > 1, Point::BothDelivered);
                report.saw_if(!effect.repeats.is_empty(), Point::RepeatDelivered);
                report.saw_if(effect.delta && effect.older_base, Point::OlderBase);
                report.saw_if(client.delivered.refused, Point::RefusalDelivered);
                client.is_acknowledged(effect.last_acked);
                if !inside {
                    client.sent_at = now;
                }
            }
            Delivery::Ignored => report.saw_if(!client.delivered.refused, Point::SessionBefore),
            // If it was taken, what comes after is late, unless its number is near.
            Delivery::Unsure if client.delivered.is_far(packet) => {
                client.give_up("whether it took a packet from far ahead cannot be known");
            }
            Delivery::Unsure if client.may_acknowledge(packet) => {
                client.give_up(ACKNOWLEDGEMENT_UNSURE);
            }
            Delivery::Unsure => {}
        }
        if delivery.is_effective() {
            client.served = now;
        }
        client.delivery = Some(delivery);
    }

    /// The server reads what was delivered to it.
    fn server_reads(&mut self, now: Time, host: HostId, bytes: &[u8], packet: &ClientReading) {
        let ClientReading { header, records, error } = packet;
        let Some(header) = header else {
            self.unreadable_to_server(now);
            return;
        };
        if self.sessions.get(host).is_none_or(|session| !session.server.inside) {
            let password = match records.first().map(|record| &record.what) {
                Some(ClientRecord::Event(ClientEvent::Hello { name, password })) if error.is_none() => {
                    if let Some(session) = self.sessions.get_mut(host) {
                        session.name.clone_from(name);
                    }
                    Some(&password[..])
                }
                _ => None,
            };
            self.stranger(now, host, header.sequence, password);
            return;
        }
        let events = records.iter().filter_map(|record| match &record.what {
            ClientRecord::Event(event) => Some(event),
            ClientRecord::Input(_) => None,
        });
        if error.is_some() || !message::in_order(records, |record| matches!(record, ClientRecord::Event(_))) {
            for event in events {
                let ClientEvent::ChangeClass { class } = *event else { continue };
                let event = ServerEvent::ChangeClass { id: host.0, class };
                let change = UncausedChange { event, unreadable: true };
                self.sessions.iter_mut().for_each(|session| remember(&mut session.server.uncaused, change.clone()));
            }
            self.unreadable_to_server(now);
            return;
        }
        let again = events.clone().any(|event| matches!(event, ClientEvent::Hello { .. }));
        self.report.saw_if(again, Point::HelloRepeated);
        let vantage = self.truth.vantage;
        let Some(session) = self.sessions.get_mut(host) else { return };
        if !vantage.remote_server && again && session.server.may_have_ended(now, vantage) {
            self.truth.hold(now, session);
        }
        let server = &mut session.server;
        let unread = || Unread { at: now, sequence: header.sequence, hello: again, bytes: bytes.to_vec() };
        if vantage.remote_server {
            server.put(unread());
        } else if again && server.may_have_ended(now, vantage) || !server.unread.is_empty() {
            server.hold(unread());
            // What it does is seen by others at once, if it is in.
            if let Some(ClientRecord::Input(input)) = records.last().map(|record| &record.what) {
                self.truth.client_input(host.0.into(), input);
            }
        } else {
            self.accepted(now, now, host, header, records);
        }
    }
}

impl Judge for Pygg2Oracle {
    fn report(&self) -> &Report {
        &self.report
    }

    fn server_command(&mut self, now: Time, command: &Command) {
        let Command::Verb { verb: verb @ (VERB_UNKNOWN_BASE | VERB_NONSENSE), args } = *command else {
            self.truth.command(now, command, &mut self.sessions);
            return;
        };
        let session = self.sessions.get_mut(HostId(args[0] as u16));
        let Some(server) = session.map(|session| &mut session.server).filter(|server| server.inside) else { return };
        if verb == VERB_UNKNOWN_BASE {
            server.forged = args[1].clamp(0, 1_000) as u32;
        } else {
            server.nonsense += 1;
        }
    }

    fn client_command(&mut self, now: Time, host: HostId, command: &Command) {
        let Pygg2Oracle { truth, sessions, report, .. } = self;
        let Some(session) = sessions.get_mut(host) else { return };
        let client = &mut session.client;
        let inside = client.delivered.inside && client.wanted;
        match *command {
            Command::Connect => {
                ClientPacket { host, client, report, options: &truth.options, remote: false, now }.has_left();
                let silence = if client.delivered.inside { now.since(client.served) } else { 0 };
                if !client.wanted || client.delivered.refused || silence > SILENCE_US * 11 / 10 {
                    session.connect(now, &truth.options);
                } else if silence > SILENCE_US * 9 / 10 {
                    session.give_up("whether the client had given up, and starts over, cannot be known");
                }
            }
            Command::Disconnect => {
                let served = now.since(client.served) <= SILENCE_US * 9 / 10;
                let speaks = inside && client.is_judged() && !client.is_misread;
                client.left_at = Some(now).filter(|_| speaks && served);
                client.wanted = false;
                // A server of ours forgets it at once.
                if truth.vantage.remote_clients && !truth.vantage.remote_server && session.server.inside {
                    truth.departed(now, host, sessions);
                }
            }
            Command::Verb { verb: VERB_STRAY, .. } => client.left_at = None,
            Command::Verb { verb: VERB_INPUT, args } => {
                client.input = Input { inputstate: args[0] as u8 & INPUTSTATE_BITS, aimdirection: args[1] as u16 };
            }
            Command::Verb { verb: VERB_JUMP, .. } if inside => {
                remember(&mut client.expected, (now, ClientEvent::Jump { time: 0 }));
            }
            Command::Verb { verb: VERB_CHANGECLASS, args } if inside => {
                remember(&mut client.expected, (now, ClientEvent::ChangeClass { class: args[0] as u8 }));
            }
            Command::Verb { verb: VERB_ACKNOWLEDGE, args } if inside => {
                remember(&mut client.scripted_acks, client.delivered.last.wrapping_add(args[0] as u16));
            }
            Command::Verb { verb: VERB_CLIENT_NONSENSE, .. } if inside => client.nonsense += 1,
            _ => {}
        }
    }

    fn server_sent(&mut self, now: Time, packet: PacketId, bytes: &[u8], fate: Fate) {
        self.sent(packet);
        let declared = self.truth.options.declared;
        let Some(session) = self.sessions.get_mut(packet.client) else { return };
        let read = session.from_server.sent(packet.index, bytes, declared);
        let said = &read.1;
        self.comings_and_goings(now, packet.client, said, bytes);
        self.truth.follow_unsure(&self.sessions);
        let elsewhere = self.elsewhere(packet.client);
        let entered = self.sessions.iter().filter(|session| session.server.last_sent.is_some()).count();
        let inside = self.sessions.iter().filter(|session| session.server.inside).count();
        let Pygg2Oracle { truth, sessions, report, .. } = self;
        let Some(session) = sessions.get_mut(packet.client) else { return };
        report.saw_if(entered > 1, Point::SecondClient);
        report.saw_if(inside > 2 && !session.server.expected.is_empty(), Point::ThreeClients);
        report.saw_if(session.server.too_much, Point::Overflow);
        let datagram = Datagram { now, bytes, said, lost: matches!(fate, Fate::Lost(_)) };
        from_server::judge(session, truth, report, datagram, elsewhere);
        session.from_server.put(packet.index, read);
    }

    fn client_sent(&mut self, now: Time, packet: PacketId, bytes: &[u8], _: Fate) {
        self.sent(packet);
        let declared = self.truth.options.declared;
        let Some(session) = self.sessions.get_mut(packet.client) else { return };
        let read = session.from_client.sent(packet.index, bytes, declared);
        let judged = !self.truth.vantage.remote_clients || self.client_read(now, packet.client, &read.1);
        let Pygg2Oracle { truth, sessions, report, .. } = self;
        let Some(session) = sessions.get_mut(packet.client) else { return };
        if judged {
            client_says(session, truth, report, now, &read.1);
        }
        session.from_client.put(packet.index, read);
    }

    fn server_received(&mut self, now: Time, arrival: Arrival<'_>) {
        self.delivered(arrival);
        let Arrival { packet, bytes, intact, .. } = arrival;
        let declared = self.truth.options.declared;
        let Some(session) = self.sessions.get_mut(packet.client) else { return };
        let read = session.from_client.delivered(packet.index, bytes, intact, declared);
        self.server_reads(now, packet.client, bytes, &read.1);
        if let Some(session) = self.sessions.get_mut(packet.client) {
            session.from_client.put(packet.index, read);
        }
    }

    fn client_received(&mut self, now: Time, arrival: Arrival<'_>) {
        self.delivered(arrival);
        let Arrival { packet, bytes, intact, .. } = arrival;
        if !self.truth.vantage.remote_clients {
            let declared = self.truth.options.declared;
            let Some(session) = self.sessions.get_mut(packet.client) else { return };
            let read = session.from_server.delivered(packet.index, bytes, intact, declared);
            self.client_reads(now, packet.client, &read.1);
            if let Some(session) = self.sessions.get_mut(packet.client) {
                session.from_server.put(packet.index, read);
            }
            return;
        }
        let Some(session) = self.sessions.get_mut(packet.client).filter(|session| session.client.wanted) else {
            return;
        };
        if let Ok(header) = ServerHeader::read(&mut Reader::new(bytes)) {
            session.client.put(Unread { at: now, sequence: header.sequence, hello: false, bytes: bytes.to_vec() });
        }
    }

    fn event(&mut self, _: Time, host: HostId, event: &Event) {
        let Event::Note { note, args: [first, second, ..] } = *event else { return };
        let Some(session) = self.sessions.get_mut(host) else { return };
        let applied = &mut session.client.applied;
        match note {
            EVENT_APPLIED => applied.push(Applied::Event(first as u16, second as u8)),
            SNAPSHOT_APPLIED => applied.push(Applied::Snapshot(first as u16)),
            _ => {}
        }
    }

    fn settled(&mut self, _: Time, host: HostId) -> bool {
        self.sessions.get(host).is_some_and(|session| session.client.delivery.is_some())
    }

    fn shown(&mut self, now: Time, host: HostId, view: &View) {
        let declared = self.truth.options.declared;
        if let Some(session) = self.sessions.get_mut(host) {
            shown::compare(host, &mut session.client, declared, &mut self.report, now, view);
        }
    }

    fn finish(&mut self, now: Time) {
        let elsewhere = Elsewhere { other_acked: None, unreadable: self.unreadable };
        let Pygg2Oracle { truth, sessions, report, .. } = self;
        let (options, remote) = (&truth.options, truth.vantage.remote_clients);
        for Session { host, server, client, .. } in sessions.iter_mut() {
            report.saw_if(server.too_much, Point::Overflow);
            from_server::unanswered_hello(*host, server, report, now);
            from_server::missing_refusals(*host, server, report, now);
            if server.is_judged() {
                from_server::check_rate(*host, server, options.tick_us, report, now, elsewhere);
            }
            if !client.wanted {
                ClientPacket { host: *host, client, report, options, remote, now }.has_left();
            } else if client.is_judged() {
                let mut client = ClientPacket { host: *host, client, report, options, remote, now };
                client.hello_is_repeated();
                client.silent();
            }
        }
    }
}

/// Judges a packet that a client sends.
fn client_says(session: &mut Session, truth: &Truth, report: &mut Report, now: Time, packet: &ClientReading) {
    let (host, options, remote) = (session.host, &truth.options, truth.vantage.remote_clients);
    let judged = session.client.is_judged();
    let mut judge = ClientPacket { host, client: &mut session.client, report, options, remote, now };
    if judged {
        judge.judge(packet);
    } else {
        judge.leaves(packet);
    }
}
