//! What a server sends: its numbers, its acknowledgements, and the packets of those who are not in.

use super::coverage::{Point, Report};
use super::link::{Link, Refusal, SentPacket};
use super::server_events::Events;
use super::server_snapshot::Sight;
use super::truth::Truth;
use crate::constants::*;
use crate::message::{self, Difference, ServerEvent, ServerHeader, ServerRecord, Stamped};
use crate::requirements::*;
use crate::serial::{age, newer};
use crate::snapshot::Declared;
use kit::{DecodeError, HostId, Reader, Requirement, Time};

/// A number that is so far ahead at most is taken for the next one.
const NEAR: u16 = 64;

/// A refusal comes within this time, in microseconds.
pub const REFUSED_US: u64 = 500_000;

/// What goes on elsewhere.
#[derive(Clone, Copy, Debug, Default)]
pub struct Elsewhere {
    /// When another client's acknowledgement came last.
    pub other_acked: Option<Time>,
    /// When something unreadable was delivered to the server.
    pub unreadable: Option<Time>,
}

/// Judges a packet of the server.
pub fn judge(
    link: &mut Link,
    truth: &Truth,
    report: &mut Report,
    now: Time,
    bytes: &[u8],
    lost: bool,
    elsewhere: Elsewhere,
) {
    if link.off {
        return;
    }
    let mut find = |requirement: &'static Requirement, host: HostId, what: String| {
        report.find(requirement, now, HostId::SERVER, || format!("to {host}: {what}"));
    };
    if bytes.len() > MAX_PACKET_BYTES {
        find(&ROB_04, link.host, format!("a packet of {} bytes", bytes.len()));
    }
    if !link.inside {
        outside(link, report, now, bytes);
        return;
    }
    let mut r = Reader::new(bytes);
    let header = match ServerHeader::read(&mut r) {
        Ok(header) => header,
        Err(error) => {
            find(&SEQ_04, link.host, format!("a packet without its header: {error}"));
            return;
        }
    };
    let mut records = Vec::new();
    let read = message::read_server_records(&mut r, truth.options.declared, &mut records);
    let sequence = header.sequence;
    let has_snapshot = records.iter().any(|record| matches!(record.what, ServerRecord::Snapshot(_)));
    if !numbered(link, truth, report, now, &header, bytes, has_snapshot) {
        return;
    }
    acknowledged(link, report, now, &header);
    link.peer_told = link.peer_sequence;
    if let Err(error) = read {
        if link.nonsense > 0 {
            link.nonsense -= 1;
        } else {
            let requirement = misspoken(&error, &header, link);
            report.find(requirement, now, HostId::SERVER, || {
                format!("packet {sequence} to {} cannot be read: {error}", link.host)
            });
        }
        link.remember_packet(SentPacket { sequence, snapshot: None, bytes: bytes.to_vec(), lost });
        return;
    }
    if !message::in_order(&records, |record| matches!(record, ServerRecord::Event(_))) {
        report.find(&EVT_04, now, HostId::SERVER, || {
            format!("packet {sequence} to {} has something behind its snapshot", link.host)
        });
    }
    let mut events: Vec<Stamped<ServerEvent>> = Vec::new();
    let mut difference: Option<Difference> = None;
    for Stamped { created, what } in records {
        match what {
            ServerRecord::Event(event) => events.push(Stamped { created, what: event }),
            ServerRecord::Snapshot(found) => difference = Some(found),
        }
    }
    let options = &truth.options;
    let (snapshot, other_acked) = (difference.is_some(), elsewhere.other_acked);
    Events { link, report, truth, now, sequence, snapshot, other_acked }.judge(&events);
    link.measure(true);
    if link.ledger.len() > MAX_EVENTS {
        let count = link.ledger.len();
        report.find(&ROB_04, now, HostId::SERVER, || {
            format!("packet {sequence} to {}: {count} events are not acknowledged", link.host)
        });
    }
    let mut snapshot = None;
    match difference {
        Some(difference) => {
            report.saw_if(!events.is_empty() && !header.is_absolute(), Point::DeltaWithEvents);
            check_rate(link, options.tick_us, report, now, elsewhere);
            report.saw_if(link.snapshot_at > link.since, Point::SecondSnapshot);
            link.snapshot_at = now;
            snapshot = Sight { link, truth, report, now, header }.judge(&difference);
        }
        None if !header.is_absolute() => report.find(&DLT_06, now, HostId::SERVER, || {
            let delta = header.delta_sequence;
            format!("packet {sequence} to {} has no snapshot, and {delta} as its base", link.host)
        }),
        None => {}
    }
    link.remember_packet(SentPacket { sequence, snapshot, bytes: bytes.to_vec(), lost });
}

/// Whether the time since the last snapshot is right; also between packets, and at the end of a run.
pub fn check_rate(link: &mut Link, tick_us: u64, report: &mut Report, now: Time, elsewhere: Elsewhere) {
    // Before its first acknowledgement a client may be sent events alone.
    let Some(first) = link.first_acked else { return };
    let gap = now.since(link.snapshot_at.max(first));
    let told = link.gap_told.replace(link.snapshot_at);
    if gap <= 2 * tick_us || told == Some(link.snapshot_at) || link.may_be_gone(now) {
        // A gap is told once, when it is certain.
        link.gap_told = told;
        return;
    }
    let stopped = elsewhere.unreadable.is_some_and(|at| at >= link.snapshot_at);
    let requirement = if stopped { &ROB_01 } else { &SNAP_01 };
    report.find(requirement, now, HostId::SERVER, || format!("no snapshot to {} for {gap} us", link.host));
}

/// Judges the number of a packet. Whether the rest can be judged.
fn numbered(
    link: &mut Link,
    truth: &Truth,
    report: &mut Report,
    now: Time,
    header: &ServerHeader,
    bytes: &[u8],
    has_snapshot: bool,
) -> bool {
    let ServerHeader { sequence, delta_sequence, last_acked_sequence } = *header;
    let host = link.host;
    let mut find = |requirement, what: String| {
        report.find(requirement, now, HostId::SERVER, || format!("to {host}: {what}"));
        false
    };
    let Some(last) = link.last_sent else {
        let first = truth.options.first_sequence;
        return match sequence == first {
            true => true,
            false => find(&SEQ_05, format!("the first packet is {sequence}, not {first}")),
        };
    };
    let near = |number: u16| newer(number, last) && age(number, last) <= NEAR;
    if near(sequence) {
        return true;
    }
    if near(delta_sequence) || near(last_acked_sequence) && sequence != last {
        return find(
            &SEQ_04,
            format!("the header has {sequence}, {delta_sequence}, {last_acked_sequence} after {last}"),
        );
    }
    if newer(sequence, last) {
        return true;
    }
    let again = link.packet(sequence).is_some_and(|packet| packet.bytes == bytes);
    let requirement = if again && has_snapshot { &SNAP_02 } else { &SEQ_01 };
    find(requirement, format!("packet {sequence} after {last}"))
}

/// Judges what the server says of the client's packets; what came since its packet before may be told or not.
fn acknowledged(link: &Link, report: &mut Report, now: Time, header: &ServerHeader) {
    let told = header.last_acked_sequence;
    let fits = |number: u16| told == number;
    let between = !newer(link.peer_told, told) && !newer(told, link.peer_sequence);
    if fits(link.peer_sequence) || between {
        return;
    }
    let right = link.peer_sequence;
    let requirement = if link.late_sequences.contains(&told) {
        &SEQ_03
    } else if newer(right, told) && told > right && told != 0 {
        &SEQ_02
    } else {
        &ACK_06
    };
    report.find(requirement, now, HostId::SERVER, || {
        format!("packet {} to {} acknowledges {told}, where {right} is right", header.sequence, link.host)
    });
}

/// Which requirement a packet violates that cannot be read.
fn misspoken(error: &DecodeError, header: &ServerHeader, link: &Link) -> &'static Requirement {
    match error.field {
        "servername" | "your_id" | "numOfPlayers" | "mapName" | "version" => &HS_06,
        _ if !header.is_absolute() && link.bases.contains(&header.delta_sequence) => &DLT_09,
        // What follows hi cannot be read where hi itself has another length.
        _ if link.ledger.is_empty() => &HS_06,
        "complete update" | "kills" | "deaths" | "healing" | "count" => &FULL_02,
        "gamemode length" | "gamemode" => &FULL_05,
        _ => &TYPE_01,
    }
}

/// Judges a packet to somebody who is not in.
fn outside(link: &mut Link, report: &mut Report, now: Time, bytes: &[u8]) {
    let host = link.host;
    let mut r = Reader::new(bytes);
    let first = ServerHeader::read(&mut r).and_then(|_| message::read_server_record(&mut r, Declared::NOTHING));
    let refused = match first.map(|record| record.what) {
        Ok(ServerRecord::Event(ServerEvent::Refuse { reason })) => Some(reason),
        _ => None,
    };
    let wanted = link.refusals.pop_front();
    match (refused, wanted) {
        (Some(reason), Some(wanted)) if reason == wanted.reason => link.refused = Some(wanted),
        (Some(reason), Some(wanted)) => report.find(wanted.broken(true), now, HostId::SERVER, || {
            format!("{host} is refused for {reason}, where {} is right", wanted.reason)
        }),
        (Some(_), None) => report.remark("the server refused somebody who had not asked"),
        (None, Some(wanted)) => {
            link.off = true;
            report.find(wanted.broken(false), now, HostId::SERVER, || format!("{host} is let in"));
        }
        // Who was in before may still be told that it was heard.
        (None, None) if let Some(refused) = link.refused.filter(|_| !link.left) => {
            link.off = true;
            report.find(refused.broken(false), now, HostId::SERVER, || {
                format!("{host} is refused, and is sent something else all the same")
            });
        }
        (None, None) if link.strayed => {
            link.off = true;
            report.find(&ROB_02, now, HostId::SERVER, || format!("answers {host}, who has said no hello"));
        }
        (None, None) => {}
    }
}

impl Refusal {
    /// The requirement that is violated when the refusal does not come; or when another one comes.
    pub fn broken(&self, another: bool) -> &'static Requirement {
        match self.reason {
            REFUSE_PASSWORD if another && self.both => &HS_05,
            REFUSE_PASSWORD => &HS_03,
            _ => &HS_04,
        }
    }
}

/// Looks for a good hello that was never answered, at the end of a run. A newcomer whom too much had to be told was thrown
/// out without a word.
pub fn unheard(link: &Link, report: &mut Report, now: Time) {
    if link.inside && !link.off && !link.overflow && link.last_sent.is_none() && now.since(link.since) > REFUSED_US {
        report.find(&HS_06, now, HostId::SERVER, || format!("the hello of {} is not answered", link.host));
    }
}

/// Looks for refusals that never came.
pub fn unanswered(link: &mut Link, report: &mut Report, now: Time) {
    while let Some(refusal) = link.refusals.front().copied().filter(|refusal| now.since(refusal.at) > REFUSED_US) {
        link.refusals.pop_front();
        if !link.off {
            let host = link.host;
            report
                .find(refusal.broken(false), now, HostId::SERVER, || format!("{host} is not told that it is refused"));
        }
    }
}
