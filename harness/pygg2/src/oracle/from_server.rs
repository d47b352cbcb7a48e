//! What a server sends: its headers and numbers, its acknowledgements, and its answers to those who are not in.

use super::coverage::{Point, Report};
use super::diagnosis;
use super::session::Session;
use super::session::reading::ServerReading;
use super::session::server::{Refusal, SentPacket, ServerSide};
use super::truth::Truth;
use crate::constants::*;
use crate::message::{self, ServerEvent, ServerHeader, ServerRecord, ServerRecords};
use crate::requirements::*;
use crate::serial::{age, newer};
use crate::snapshot::Declared;
use kit::{Check, HostId, Reader, Suspects, Time};

kit::checks! {
    SIZES = "packets-and-backlogs-are-limited": ROB_04 [Overflow];
    HEADERS = "server-headers-are-in-order": SEQ_04 [Delta Update];
    FIRST_NUMBER = "sessions-begin-at-the-first-number" knows Limits: SEQ_05 [SecondClient];
    NUMBERS = "server-numbers-are-new": SEQ_01 [SecondSnapshot Update], SEQ_04 [Delta Update];
    /// The network may send a remote server's packet twice.
    SENT_ONCE = "snapshots-are-sent-once" knows ServerShows: SNAP_02 [SecondSnapshot];
    ACKS = "last-acked-is-the-newest-accepted": ACK_06 [Update SecondSnapshot], SEQ_02 [Wrapped] [ClientWrapped],
        SEQ_03 [LateDelivered] [LateClientDelivered];
    READABLE = "server-packets-can-be-read": TYPE_01 [NegativeStat], HS_06 [HiSent], DLT_09 [DeltaWithEvents];
    EVENTS_FIRST = "events-stand-before-the-snapshot": EVT_04 [EventsAndSnapshot];
    NO_BASE = "packets-without-snapshot-name-themselves": DLT_06 [Absolute];
    RATE = "snapshots-come-at-a-constant-rate" knows Limits Time: SNAP_01 [SecondSnapshot],
        ROB_01 [UnreadableDelivered] [UnreadableClientDelivered];
    TIMES = "times-are-the-servers" knows Limits Time: SNAP_05 [SecondSnapshot];
    SILENCE = "silent-clients-are-taken-for-gone" knows Limits Time: ROB_05 [ClientGone];
    REFUSALS = "hellos-are-refused-rightly": HS_03 [WrongPassword], HS_04 [FullServer], HS_05 [WrongAndFull];
    /// Without the world it cannot be known whether there was room for the answer.
    GOOD_HELLOS = "good-hellos-are-answered" knows World: HS_06 [HiSent];
    STRANGERS = "strangers-are-ignored": ROB_02 [StrayDelivered];
}

/// A number that is so far ahead at most is taken for the next one.
const NEAR: u16 = 64;

/// A server's clock may differ by so much from the time of sending, beside two ticks, in milliseconds.
const CLOCK_MS: u64 = 50;

/// A refusal comes within this time, in microseconds.
const REFUSED_US: u64 = 500_000;

/// What happened beside the session.
#[derive(Clone, Copy, Debug, Default)]
pub struct Elsewhere {
    /// When another client's acknowledgement came last.
    pub other_acked: Option<Time>,
    /// When something unreadable was delivered to the server.
    pub unreadable: Option<Time>,
}

/// A datagram that the server sends.
#[derive(Clone, Copy, Debug)]
pub struct Datagram<'a> {
    /// When.
    pub now: Time,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// The same, read.
    pub said: &'a ServerReading,
    /// Whether it gets lost.
    pub lost: bool,
}

/// A packet to a client that is in, and all that it is judged by.
pub(super) struct ServerPacket<'a> {
    pub host: HostId,
    pub server: &'a mut ServerSide,
    pub truth: &'a Truth,
    pub report: &'a mut Report,
    pub now: Time,
    pub header: ServerHeader,
    pub elsewhere: Elsewhere,
}

/// Judges a datagram of the server.
pub fn judge(session: &mut Session, truth: &Truth, report: &mut Report, datagram: Datagram<'_>, elsewhere: Elsewhere) {
    let (host, server) = (session.host, &mut session.server);
    let Datagram { now, bytes, said, lost } = datagram;
    if server.indeterminate.is_some() {
        return;
    }
    if bytes.len() > MAX_PACKET_BYTES {
        report.fail(&SIZES, now, HostId::SERVER, &ROB_04, || format!("to {host}: a packet of {} bytes", bytes.len()));
    }
    if !server.inside {
        // What a remote server has admitted before, and whom it takes for a stranger, it alone knows.
        if !truth.vantage.remote_server {
            outside(host, server, report, now, bytes);
        }
        return;
    }
    let silent = now.since(server.last_received);
    if silent > SILENCE_US * 11 / 10 && !truth.vantage.remote_server {
        let what = || format!("{host} is sent a packet, though it is silent for {silent} us");
        report.fail(&SILENCE, now, HostId::SERVER, &ROB_05, what);
    }
    let Some(header) = said.header else {
        let error = said.error.as_ref().map(ToString::to_string).unwrap_or_default();
        let what = || format!("to {host}: a packet without its header: {error}");
        report.fail(&HEADERS, now, HostId::SERVER, &SEQ_04, what);
        return;
    };
    let mut packet = ServerPacket { host, server, truth, report, now, header, elsewhere };
    if let Some(snapshot) = packet.judge(said, bytes) {
        let bytes = bytes.to_vec();
        server.remember_packet(SentPacket { sequence: header.sequence, snapshot, bytes, lost });
    }
}

impl ServerPacket<'_> {
    pub(super) fn fail(&mut self, check: &'static Check, suspects: impl Into<Suspects>, what: impl FnOnce() -> String) {
        let (sequence, host) = (self.header.sequence, self.host);
        let what = || format!("packet {sequence} to {host} {}", what());
        self.report.fail(check, self.now, HostId::SERVER, suspects, what);
    }

    /// Judges what follows the header. The snapshot's bytes without XOR, if the packet counts as sent.
    fn judge(&mut self, said: &ServerReading, bytes: &[u8]) -> Option<Option<Vec<u8>>> {
        let ServerRecords { events, difference, in_order } = &said.records;
        let has_snapshot = difference.is_some();
        if !self.numbered(bytes, has_snapshot) {
            return None;
        }
        self.acknowledged();
        self.server.peer_before = self.server.peer_sequence;
        if let Some(error) = &said.error {
            if self.server.nonsense > 0 {
                self.server.nonsense -= 1;
            } else {
                let delta = !self.header.is_absolute() && self.server.bases.contains(&self.header.delta_sequence);
                let suspects = diagnosis::unreadable(delta, self.server.unacknowledged.is_empty());
                self.fail(&READABLE, suspects, || format!("cannot be read: {error}"));
            }
            return Some(None);
        }
        if !in_order {
            self.fail(&EVENTS_FIRST, &EVT_04, || String::from("has something after its snapshot"));
        }
        self.judge_events(events, has_snapshot);
        self.server.measure(true, self.truth.known);
        let count = self.server.unacknowledged.len();
        if count > MAX_EVENTS {
            self.fail(&SIZES, &ROB_04, || format!("has {count} events that are not acknowledged"));
        }
        let Some(difference) = difference else {
            if !self.header.is_absolute() {
                let delta = self.header.delta_sequence;
                self.fail(&NO_BASE, &DLT_06, || format!("has no snapshot, and {delta} as its base"));
            }
            return Some(None);
        };
        self.report.saw_if(!events.is_empty() && !self.header.is_absolute(), Point::DeltaWithEvents);
        check_rate(self.host, self.server, self.truth.options.tick_us, self.report, self.now, self.elsewhere);
        self.haste();
        self.report.saw_if(self.server.snapshot_at > self.server.since, Point::SecondSnapshot);
        self.server.snapshots += 1;
        self.server.snapshot_at = self.now;
        Some(self.judge_snapshot(&difference.xored))
    }

    /// Judges whether the snapshot comes too soon after the last one.
    fn haste(&mut self) {
        let gap = self.now.since(self.server.snapshot_at);
        if self.server.snapshots > 0 && 4 * gap < 3 * self.truth.options.tick_us {
            self.fail(&RATE, &SNAP_01, || format!("has a snapshot {gap} us after the last one"));
        }
    }

    /// Judges a time of the server's by the first one of the session.
    pub(super) fn time(&mut self, time: u32) {
        let now = self.now;
        let slack = 2 * self.truth.options.tick_us / 1000 + CLOCK_MS;
        let since = Time(now.us().saturating_sub(slack * 1000));
        if self.server.origin.is_none() && self.report.stood_still(HostId::SERVER, since, now) {
            return;
        }
        let (first, at) = *self.server.origin.get_or_insert((time, now));
        let right = first.wrapping_add((now.since(at) / 1000) as u32);
        if u64::from(time.abs_diff(right)) > slack {
            self.fail(&TIMES, &SNAP_05, || format!("has the time {time}, expected {right}, by that of {at}"));
        }
    }

    /// Judges the packet's number. Whether the rest can be judged.
    fn numbered(&mut self, bytes: &[u8], has_snapshot: bool) -> bool {
        let ServerHeader { sequence, delta_sequence, last_acked_sequence } = self.header;
        let Some(last) = self.server.last_sent else {
            let first = self.truth.options.first_sequence;
            if sequence != first {
                self.fail(&FIRST_NUMBER, &SEQ_05, || format!("is the first, expected {first}"));
            }
            return sequence == first || self.truth.vantage.remote_server;
        };
        let near = |number: u16| newer(number, last) && age(number, last) <= NEAR;
        let exchanged = near(delta_sequence) || near(last_acked_sequence) && sequence != last;
        if near(sequence) || newer(sequence, last) && !exchanged {
            return true;
        }
        if self.truth.vantage.remote_server && self.is_old(bytes) {
            return false;
        }
        let repeated = self.server.packet(sequence).is_some_and(|packet| packet.bytes == bytes);
        let again = !exchanged && repeated && has_snapshot;
        let check = if again { &SENT_ONCE } else { &NUMBERS };
        self.fail(check, diagnosis::old_number(exchanged, again), || {
            format!("follows packet {last}; delta_sequence {delta_sequence}, last_acked_sequence {last_acked_sequence}")
        });
        false
    }

    /// Whether the network may have sent a remote server's packet twice, or late: it is what was there before, or fills a
    /// gap. The client may have missed what overtook it, and acknowledge it: it is remembered.
    fn is_old(&mut self, bytes: &[u8]) -> bool {
        let ServerHeader { sequence, last_acked_sequence, .. } = self.header;
        if let Some(packet) = self.server.packet(sequence) {
            return packet.bytes == bytes;
        }
        let late = self.server.last_sent.is_some_and(|last| age(last, sequence) <= NEAR);
        // What it acknowledges was not taken back by the packets that overtook it.
        if !late || newer(last_acked_sequence, self.server.peer_sequence) {
            return false;
        }
        let snapshot = self.plain_snapshot(bytes);
        self.server.remember_late(SentPacket { sequence, snapshot, bytes: bytes.to_vec(), lost: false });
        true
    }

    /// Judges what the server acknowledges; what came since its packet before may be acknowledged or not.
    fn acknowledged(&mut self) {
        let found = self.header.last_acked_sequence;
        let (before, right) = (self.server.peer_before, self.server.peer_sequence);
        if found == right || !newer(before, found) && !newer(found, right) {
            return;
        }
        let suspects = diagnosis::wrong_last_acked(found, right, self.server.late_sequences.contains(&found));
        self.fail(&ACKS, suspects, || format!("acknowledges {found}, expected {right}"));
    }
}

/// Whether the time since the last snapshot is right; also between packets, and at the end of a run.
pub fn check_rate(
    host: HostId,
    server: &mut ServerSide,
    tick_us: u64,
    report: &mut Report,
    now: Time,
    elsewhere: Elsewhere,
) {
    // Before its first acknowledgement a client may be sent events alone.
    let Some(first) = server.first_acked else { return };
    let gap = now.since(server.snapshot_at.max(first));
    // A gap is found once, when it is certain.
    if gap <= 2 * tick_us || server.gap_after == Some(server.snapshot_at) || server.may_be_gone(now) {
        return;
    }
    server.gap_after = Some(server.snapshot_at);
    let stopped = elsewhere.unreadable.is_some_and(|at| at >= server.snapshot_at);
    let suspect = if stopped { &ROB_01 } else { &SNAP_01 };
    report.fail(&RATE, now, HostId::SERVER, suspect, || format!("no snapshot to {host} for {gap} us"));
}

/// Judges a packet to somebody who is not in.
fn outside(host: HostId, server: &mut ServerSide, report: &mut Report, now: Time, bytes: &[u8]) {
    let mut r = Reader::new(bytes);
    let first = ServerHeader::read(&mut r).and_then(|_| message::read_server_record(&mut r, Declared::NOTHING));
    let refused = match first.map(|record| record.what) {
        Ok(ServerRecord::Event(ServerEvent::Refuse { reason })) => Some(reason),
        _ => None,
    };
    let (wanted, asked) = (server.refusals.pop_front(), server.asked.take());
    match (refused, wanted) {
        (Some(reason), Some(wanted)) if reason == wanted.reason => server.refused = Some(wanted),
        (Some(reason), Some(wanted)) => {
            report.fail(&REFUSALS, now, HostId::SERVER, diagnosis::refused_otherwise(&wanted), || {
                format!("{host} is refused for {reason}, expected {}", wanted.reason)
            });
        }
        (Some(_), None) if asked.is_some() => {}
        (Some(_), None) => report.remark("the server refused a client that had sent no hello"),
        (None, Some(wanted)) => {
            server.give_up("admitted where it had to be refused");
            report.fail(&REFUSALS, now, HostId::SERVER, diagnosis::not_refused(&wanted), || {
                format!("{host} is admitted, expected a refusal")
            });
        }
        // Who was in before may still be sent an acknowledgement.
        (None, None) if let Some(refused) = server.refused.filter(|_| !server.left) => {
            server.give_up("admitted although it was refused");
            report.fail(&REFUSALS, now, HostId::SERVER, diagnosis::not_refused(&refused), || {
                format!("{host} is refused, and is sent something else nevertheless")
            });
        }
        (None, None) if server.strayed => {
            server.give_up("answered without a hello");
            report.fail(&STRANGERS, now, HostId::SERVER, &ROB_02, || format!("answers {host}, who sent no hello"));
        }
        (None, None) => {}
    }
}

/// Looks for a good hello that was never answered, at the end of a run. A newcomer for whom there are too many events was
/// dropped without notice.
pub fn unanswered_hello(host: HostId, server: &ServerSide, report: &mut Report, now: Time) {
    let late = now.since(server.since) > REFUSED_US;
    if server.is_judged() && !server.overflow && server.last_sent.is_none() && late {
        report.fail(&GOOD_HELLOS, now, HostId::SERVER, &HS_06, || format!("the hello of {host} is not answered"));
    }
}

/// Looks for refusals that never came.
pub fn missing_refusals(host: HostId, server: &mut ServerSide, report: &mut Report, now: Time) {
    let late = |refusal: &&Refusal| now.since(refusal.at) > REFUSED_US;
    while let Some(refusal) = server.refusals.front().filter(late).copied() {
        server.refusals.pop_front();
        if server.indeterminate.is_none() {
            let suspects = diagnosis::not_refused(&refusal);
            report.fail(&REFUSALS, now, HostId::SERVER, suspects, || format!("{host} is sent no refusal"));
        }
    }
}
