//! Judges a run of one server and its clients, whoever wrote them, from what goes over the wire, from what the scenario
//! says that the world is, and from what clients show.
//!
//! Per client there is a [`link`]: what the server has to send and has sent, what is acknowledged, and a [`mirror`]: what
//! a client that does everything right makes of what is delivered. The [`truth`] is the world as scenario and clients
//! make it. The checks compare them:
//!
//! - [`server_sent`], [`server_events`], [`server_snapshot`]: what the server sends against truth and link;
//! - [`client_sent`]: what a client sends against its mirror and the scenario;
//! - [`client_held`]: what a client applies and shows against its mirror.
//!
//! Nothing here uses the reference machines. That everybody gets on once the network is well again needs no check of its
//! own: each packet must have all events that are not acknowledged and a snapshot whose base is, packets must come at a
//! constant rate, and whoever gets one must apply and acknowledge it; each of these is judged packet by packet.

pub mod checks;
pub mod client_held;
pub mod client_sent;
pub mod coverage;
pub mod link;
pub mod mirror;
pub mod server_events;
pub mod server_sent;
pub mod server_snapshot;
#[cfg(test)]
mod tests;
pub mod truth;

use crate::constants::*;
use crate::message::{self, ClientEvent, ClientHeader, ClientRecord, Input, ServerEvent, ServerHeader, ServerRecord};
use crate::notes::{EVENT_APPLIED, SNAPSHOT_APPLIED};
use crate::options::Options;
use crate::requirements::REQUIREMENTS;
use crate::serial::newer;
use crate::verbs::*;
use client_sent::Speech;
use coverage::{Point, Report};
use kit::{
    Command, Direction, Endpoint, Event, Fate, Finding, HostId, Oracle, PacketId, Probe, Reader, Requirement, Setup,
    Time, TraceEvent, View,
};
use link::{Link, Refusal};
use mirror::{Applied, Verdict, remember};
use server_sent::Elsewhere;
use truth::Truth;

/// More clients than any scenario has; those above are not followed.
const MAX_CLIENTS: u16 = 255;

/// The oracle for a run.
pub fn oracle(setup: &Setup) -> Box<dyn Oracle> {
    Box::new(Pygg2Oracle::new(setup))
}

/// Judges a run.
#[derive(Debug)]
pub struct Pygg2Oracle {
    truth: Truth,
    links: Vec<Link>,
    report: Report,
    /// When something unreadable was delivered to the server last.
    unreadable: Option<Time>,
    view: View,
}

impl Pygg2Oracle {
    /// For the run of `setup`.
    pub fn new(setup: &Setup) -> Pygg2Oracle {
        let options = Options::new(setup);
        let hosts = 1..=setup.clients.min(MAX_CLIENTS);
        Pygg2Oracle {
            links: hosts.map(|host| Link::new(HostId(host), &options)).collect(),
            truth: Truth::new(options, setup.clients),
            report: Report::new(checks::CHECKS, setup.knowledge),
            unreadable: None,
            view: View::default(),
        }
    }

    fn index(&self, host: HostId) -> Option<usize> {
        usize::from(host.0).checked_sub(1).filter(|&index| index < self.links.len())
    }

    fn link(&mut self, host: HostId) -> Option<&mut Link> {
        let index = self.index(host)?;
        self.links.get_mut(index)
    }

    fn server_commanded(&mut self, now: Time, command: &Command) {
        if let Command::Verb { verb: verb @ (VERB_UNKNOWN_BASE | VERB_NONSENSE), args } = *command {
            if let Some(link) = self.link(HostId(args[0] as u16)).filter(|link| link.inside) {
                match verb {
                    VERB_UNKNOWN_BASE => link.forged = args[1].clamp(0, 1_000) as u32,
                    _ => link.nonsense += 1,
                }
            }
            return;
        }
        self.truth.command(now, command, &mut self.links);
    }

    fn client_commanded(&mut self, now: Time, host: HostId, command: &Command) {
        let Pygg2Oracle { truth, links, .. } = self;
        let Some(link) = usize::from(host.0).checked_sub(1).and_then(|index| links.get_mut(index)) else { return };
        let inside = link.mirror.inside && link.wanted;
        match *command {
            Command::Connect => {
                let silence = if link.mirror.inside { now.since(link.served) } else { 0 };
                if !link.wanted || link.mirror.refused || silence > SILENCE_US * 11 / 10 {
                    link.connect(now, &truth.options);
                } else if silence > SILENCE_US * 9 / 10 {
                    // Whether it has given up, and begins anew, cannot be told.
                    (link.off, link.judged) = (true, false);
                }
            }
            Command::Disconnect => {
                link.wanted = false;
                link.judged = false;
            }
            Command::Verb { verb: VERB_INPUT, args } => {
                link.input = Input { inputstate: args[0] as u8 & INPUTSTATE_BITS, aimdirection: args[1] as u16 };
                link.input_at = now;
            }
            Command::Verb { verb: VERB_JUMP, .. } if inside => {
                remember(&mut link.wishes, (now, ClientEvent::Jump { time: 0 }));
            }
            Command::Verb { verb: VERB_CHANGECLASS, args } if inside => {
                remember(&mut link.wishes, (now, ClientEvent::ChangeClass { class: args[0] as u8 }));
            }
            Command::Verb { verb: VERB_ACKNOWLEDGE, args } if inside => {
                remember(&mut link.scripted_acks, link.mirror.last.wrapping_add(args[0] as u16));
            }
            Command::Verb { verb: VERB_CLIENT_NONSENSE, .. } if inside => link.client_nonsense += 1,
            _ => {}
        }
    }

    fn server_sent(&mut self, now: Time, packet: PacketId, bytes: &[u8], lost: bool) {
        self.departures(now, packet.client, bytes);
        let Some(index) = self.index(packet.client) else { return };
        let others = self.links.iter().filter(|link| link.host != packet.client && link.inside);
        let elsewhere = Elsewhere {
            other_acked: others.filter(|link| link.acked.is_some()).map(|link| link.acked_at).max(),
            unreadable: self.unreadable,
        };
        let entered = self.links.iter().filter(|link| link.last_sent.is_some()).count();
        let inside = self.links.iter().filter(|link| link.inside).count();
        let Some(link) = self.links.get_mut(index) else { return };
        self.report.saw_if(entered > 1, Point::SecondClient);
        self.report.saw_if(inside > 2 && !link.expected.is_empty(), Point::ThreeClients);
        self.report.saw_if(link.too_much, Point::Overflow);
        server_sent::judge(link, &self.truth, &mut self.report, now, bytes, lost, elsewhere);
    }

    /// Players that the server says have left, and who may be gone: the scenario does not know when.
    fn departures(&mut self, now: Time, to: HostId, bytes: &[u8]) {
        let mut r = Reader::new(bytes);
        let mut records = Vec::new();
        if self.index(to).and_then(|index| self.links.get(index)).is_none_or(|link| !link.inside || link.off)
            || ServerHeader::read(&mut r).is_err()
            || message::read_server_records(&mut r, self.truth.options.declared, &mut records).is_err()
        {
            return;
        }
        let last = self.index(to).and_then(|index| self.links.get(index)).and_then(|link| link.last_sent);
        let fresh = |created: u16| last.is_none_or(|last| newer(created, last));
        for record in records {
            let ServerRecord::Event(ServerEvent::Left { id }) = record.what else { continue };
            if !fresh(record.created) {
                continue;
            }
            let host = HostId(id.into());
            let gone = self.index(host).and_then(|index| self.links.get(index));
            if gone.is_some_and(|link| link.inside && link.may_be_gone(now)) {
                self.truth.departed(now, host, &mut self.links);
            }
        }
    }

    fn server_got(&mut self, now: Time, host: HostId, bytes: &[u8]) {
        let Some(index) = self.index(host) else { return };
        let mut r = Reader::new(bytes);
        let mut records = Vec::new();
        let Ok(header) = ClientHeader::read(&mut r) else {
            self.server_got_nonsense(now);
            return;
        };
        let read = message::read_client_records(&mut r, &mut records);
        let ordered = message::in_order(&records, |record| matches!(record, ClientRecord::Event(_)));
        let Pygg2Oracle { links, report, .. } = self;
        let Some(link) = links.get_mut(index) else { return };
        if link.inside {
            if read.is_err() || !ordered {
                for record in &records {
                    if let ClientRecord::Event(ClientEvent::ChangeClass { class }) = record.what {
                        let event = ServerEvent::ChangeClass { id: host.0, class };
                        links.iter_mut().for_each(|link| remember(&mut link.unreadable_changes, event.clone()));
                    }
                }
                self.server_got_nonsense(now);
                return;
            }
            let is_hello = |record: &message::Stamped<ClientRecord>| {
                matches!(record.what, ClientRecord::Event(ClientEvent::Hello { .. }))
            };
            report.saw_if(records.iter().any(is_hello), Point::HelloRepeated);
            self.server_took(now, index, &header, records);
            return;
        }
        let hello = match records.first().map(|record| &record.what) {
            Some(ClientRecord::Event(ClientEvent::Hello { password, .. })) if read.is_ok() => password.clone(),
            _ => {
                // Who has left may be told that it was heard.
                link.strayed = !link.left;
                report.saw_if(link.strayed, Point::StrayDelivered);
                return;
            }
        };
        self.server_asked(now, index, header.sequence, &hello);
    }

    fn server_got_nonsense(&mut self, now: Time) {
        self.unreadable = Some(now);
        self.report.saw(Point::UnreadableClientDelivered);
    }

    /// A hello of a stranger reaches the server.
    fn server_asked(&mut self, now: Time, index: usize, sequence: u16, password: &[u8]) {
        let Pygg2Oracle { truth, links, report, .. } = self;
        let perhaps = links.iter().any(|link| link.inside && link.may_be_gone(now));
        let (players, most) = (truth.world.live.len(), truth.options.max_players);
        let Some(link) = links.get_mut(index) else { return };
        server_sent::unanswered(link, report, now);
        let wrong = !truth.options.password.is_empty() && password != truth.options.password;
        let full = players >= most;
        if perhaps && full {
            link.off = true;
            return;
        }
        report.saw_if(wrong && !full, Point::WrongPassword);
        report.saw_if(full && !wrong, Point::FullServer);
        report.saw_if(full && wrong, Point::WrongAndFull);
        if wrong || full {
            let reason = if wrong { REFUSE_PASSWORD } else { REFUSE_FULL };
            remember(&mut link.refusals, Refusal { at: now, reason, both: wrong && full });
            return;
        }
        let host = link.host;
        link.admit(now, sequence, &truth.options);
        truth.admitted(now, host, links);
    }

    /// A packet of a client that is in reaches the server.
    fn server_took(
        &mut self,
        now: Time,
        index: usize,
        header: &ClientHeader,
        records: Vec<message::Stamped<ClientRecord>>,
    ) {
        let elsewhere = Elsewhere { other_acked: None, unreadable: self.unreadable };
        let Pygg2Oracle { truth, links, report, .. } = self;
        let Some(link) = links.get_mut(index) else { return };
        // It may have been thrown out, and nobody heard of it.
        link.off |= link.silent(now);
        if !link.off {
            server_sent::check_rate(link, truth.options.tick_us, report, now, elsewhere);
        }
        let (host, before) = (link.host, link.peer_sequence);
        let sequence = header.sequence;
        if !newer(sequence, before) {
            report.saw(Point::LateClientDelivered);
            remember(&mut link.late_sequences, sequence);
            for record in records {
                if let ClientRecord::Input(input) = record.what {
                    remember(&mut link.late_inputs, input);
                }
            }
            return;
        }
        report.saw_if(sequence < before, Point::ClientWrapped);
        link.peer_sequence = sequence;
        link.heard = now;
        let bogus = link.bogus.len();
        let told = link.hear_ack(now, header.ack_sequence, &truth.options);
        report.saw_if(link.bogus.len() > bogus, Point::BogusAck);
        report.saw_if(told && !link.ledger.is_empty(), Point::AckBetweenEvents);
        let events_alone = link.packet(header.ack_sequence).is_some_and(|packet| packet.snapshot.is_none());
        report.saw_if(told && events_alone, Point::EventPacketAcked);
        for record in records {
            match record.what {
                ClientRecord::Event(event) if newer(record.created, before) => {
                    truth.client_event(now, host, &event, links);
                }
                ClientRecord::Event(_) => report.saw(Point::ClientRepeatDelivered),
                ClientRecord::Input(input) => truth.client_input(host, &input),
            }
        }
    }

    fn client_got(&mut self, now: Time, host: HostId, bytes: &[u8]) {
        let Pygg2Oracle { links, report, .. } = self;
        let Some(link) = usize::from(host.0).checked_sub(1).and_then(|index| links.get_mut(index)) else { return };
        if !link.wanted {
            return;
        }
        let gap = now.since(link.served);
        if link.mirror.inside && gap > SILENCE_US * 9 / 10 {
            // Whether it has given up, and does not listen any more, cannot be told; until it connects anew.
            (link.differs, link.judged) = (true, false);
            link.verdict = None;
            link.shown.clear();
            return;
        }
        report.saw_if(link.mirror.inside && gap > 400_000, Point::ServerSilent);
        let before = link.mirror.clone();
        let verdict = link.mirror.deliver(bytes);
        match &verdict {
            Verdict::Late(_) => report.saw(Point::LateDelivered),
            Verdict::Unreadable => {
                link.unreadable_at = Some(now);
                report.saw(Point::UnreadableDelivered);
            }
            Verdict::Baseless => report.saw(Point::BaseMissing),
            Verdict::Effective(effect) => {
                let events = effect.applied.iter().any(|applied| matches!(applied, Applied::Event(..)));
                let snapshot = effect.applied.iter().any(|applied| matches!(applied, Applied::Snapshot(_)));
                report.saw_if(effect.sequence < effect.before && before.any, Point::Wrapped);
                report.saw_if(events && snapshot, Point::BothDelivered);
                report.saw_if(!effect.repeats.is_empty(), Point::RepeatDelivered);
                report.saw_if(effect.delta && effect.older_base, Point::OlderBase);
                report.saw_if(link.mirror.refused, Point::RefusalDelivered);
                let covered = effect.last_acked;
                link.waiting.retain(|(created, _)| newer(*created, covered));
                if !before.inside {
                    link.client_sent = now;
                }
            }
            Verdict::Unheard | Verdict::Unsure => {}
        }
        if client_sent::is_effective(&verdict) {
            link.served = now;
        }
        link.before = Some(before);
        link.verdict = Some(verdict);
        link.shown.clear();
    }

    fn damaged(&mut self, host: HostId, bytes: &[u8], direction: Direction) {
        let mut r = Reader::new(bytes);
        let readable = match direction {
            Direction::ServerToClient => {
                let declared = self.truth.options.declared;
                ServerHeader::read(&mut r).and_then(|_| message::read_server_records(&mut r, declared, &mut Vec::new()))
            }
            Direction::ClientToServer => {
                ClientHeader::read(&mut r).and_then(|_| message::read_client_records(&mut r, &mut Vec::new()))
            }
        };
        // Nothing in a packet shows that it was damaged: what can be read is believed.
        if readable.is_ok()
            && let Some(link) = self.link(host)
        {
            (link.off, link.judged) = (true, false);
            self.report
                .remark("a packet was delivered damaged, and can be read: the session is not judged from there on");
        }
    }
}

impl Probe for Pygg2Oracle {
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        match *event {
            TraceEvent::Command { host: HostId::SERVER, command } => self.server_commanded(now, command),
            TraceEvent::Command { host, command } => self.client_commanded(now, host, command),
            TraceEvent::Sent { packet, bytes, fate, .. } => {
                if let Some(next) =
                    self.link(packet.client).and_then(|link| link.next_index.get_mut(packet.direction.index()))
                {
                    *next = packet.index + 1;
                }
                match packet.direction {
                    Direction::ServerToClient => self.server_sent(now, packet, bytes, matches!(fate, Fate::Lost(_))),
                    Direction::ClientToServer => {
                        let Pygg2Oracle { truth, links, report, .. } = self;
                        let link = usize::from(packet.client.0).checked_sub(1).and_then(|index| links.get_mut(index));
                        if let Some(link) = link.filter(|link| link.judged) {
                            Speech { link, report, options: &truth.options, now }.judge(bytes);
                        }
                    }
                }
            }
            TraceEvent::Delivered { packet, bytes, intact, .. } => {
                if let Some(link) = self.link(packet.client) {
                    link.delivered(packet);
                }
                if !intact {
                    self.damaged(packet.client, bytes, packet.direction);
                }
                match packet.direction {
                    Direction::ServerToClient => self.client_got(now, packet.client, bytes),
                    Direction::ClientToServer => self.server_got(now, packet.client, bytes),
                }
            }
            TraceEvent::Event { host, event: &Event::Untyped { what, value } } => {
                let Some(link) = self.link(host) else { return };
                match what {
                    EVENT_APPLIED => link.shown.push(Applied::Event((value >> 8) as u16, value as u8)),
                    SNAPSHOT_APPLIED => link.shown.push(Applied::Snapshot(value as u16)),
                    _ => {}
                }
            }
            TraceEvent::Timeout { .. } | TraceEvent::Event { .. } => {}
        }
    }

    fn settled(&mut self, now: Time, host: HostId, endpoint: &dyn Endpoint) {
        let Pygg2Oracle { links, report, view, .. } = self;
        let link = usize::from(host.0).checked_sub(1).and_then(|index| links.get_mut(index));
        let Some(link) = link.filter(|link| link.verdict.is_some()) else { return };
        view.clear();
        endpoint.observe(view);
        client_held::compare(link, report, now, view);
    }
}

impl Oracle for Pygg2Oracle {
    fn finish(&mut self, now: Time) {
        let elsewhere = Elsewhere { other_acked: None, unreadable: self.unreadable };
        let Pygg2Oracle { truth, links, report, .. } = self;
        for link in links {
            report.saw_if(link.too_much, Point::Overflow);
            server_sent::unheard(link, report, now);
            server_sent::unanswered(link, report, now);
            if link.inside && !link.off {
                server_sent::check_rate(link, truth.options.tick_us, report, now, elsewhere);
            }
            if link.judged {
                let mut speech = Speech { link, report, options: &truth.options, now };
                speech.asks();
                speech.silent();
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
