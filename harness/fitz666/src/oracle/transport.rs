//! One direction of a connection: what its sender sends, what its receiver gets, and what that answers.

#[cfg(test)]
mod tests;

use super::coverage::{Point, Report, means};
use super::diagnosis;
use super::sent::Indeterminate;
use super::vantage::{End, LATE_US, MISSED};
use crate::requirements::*;
use kit::{HostId, Suspects, Time};
use netquake::Packet;
use std::collections::VecDeque;

/// Acknowledged fragments that are remembered.
const REMEMBERED_ACKS: usize = 8;

kit::checks! {
    from means;
    /// A fragment that is sent again is unchanged.
    pub FRAGMENTS_ARE_REPEATED = "fragments-are-repeated" knows Headers: NET_04;
    /// A fragment that is not acknowledged is sent again.
    pub FRAGMENTS_ARE_SENT_AGAIN = "fragments-are-sent-again" knows Time Headers: NET_04;
    /// The next fragment is the next number, and waits for the acknowledgement of the one before.
    pub FRAGMENTS_FOLLOW_EACH_OTHER = "fragments-follow-each-other" knows Headers: NET_04 NET_05 NET_07 NET_08;
    /// What is received is acknowledged, and nothing else.
    pub FRAGMENTS_ARE_ACKNOWLEDGED = "fragments-are-acknowledged" knows Headers: NET_03;
}

/// A fragment comes again within this, in microseconds; engines take a second, three pass, and a frame goes by.
const RESEND_US: u64 = 3_500_000;
/// A fragment that comes again sooner than this was not waited for, in microseconds.
const EARLY_US: u64 = 400_000;
/// A fragment is acknowledged within this, in microseconds.
const ACK_US: u64 = 1_000_000;
/// What is sent later than this after an ack did not wait for that, in microseconds.
const PAUSE_US: u64 = 200_000;
/// A receiver that acknowledges nothing for so long can be taken for gone, in microseconds.
const STUCK_US: u64 = 5_000_000;
/// Most pending acks that are remembered.
const MAX_PENDING: usize = 256;
/// Unreliable datagrams of the connection before that can come late are at most so far from its newest one.
const NEAR: u32 = 32;
/// Longest reliable message that is put together, in bytes.
const MAX_MESSAGE_BYTES: usize = 1 << 20;

/// Fragments that are over and of which a copy can still come.
const PAST: usize = 4;

/// A fragment under way.
#[derive(Clone, Debug)]
struct Fragment {
    sequence: u32,
    end: bool,
    payload: Vec<u8>,
    sent: Time,
    acknowledged: bool,
    /// An ack of another fragment came since it was sent first.
    misled: bool,
}

/// One direction.
#[derive(Debug)]
pub struct Stream {
    sender: HostId,
    receiver: HostId,
    fragment: Option<Fragment>,
    /// Those before it, oldest first.
    past: VecDeque<Fragment>,
    /// What was sent of the reliable message.
    sending: Vec<u8>,
    /// When the newest ack reached the sender.
    acknowledged: Time,
    /// Since when the sender has had something to send, without a pause.
    pub busy_since: Time,
    /// Fragments delivered, whose acks have not been sent: their sequences, and since when they have to be; `None` for those
    /// whose receiver may be gone.
    pending: Vec<(u32, Option<Time>)>,
    /// The fragments that the receiver acknowledged last: of a remote one, the network can repeat an ack before it is seen.
    acked: VecDeque<u32>,
    /// Acks that the scenario has the receiver send.
    scripted: Vec<u32>,
    /// What the receiver expects, and has of a message.
    expected: u32,
    assembly: Vec<u8>,
    newest: Option<u32>,
    /// A request for the connection was repeated: if the stream starts over, that is why.
    repeated: bool,
    /// It began once more after a challenge: a late copy of the first accept can make the client do so again.
    restarted: bool,
    /// Why nothing more is concluded from what the sender sends.
    indeterminate: Option<Indeterminate>,
    /// The two ends, as the oracle sees them: the sender, and the receiver.
    ends: [End; 2],
    /// When either sent something of this connection last.
    spoke: [Option<Time>; 2],
    /// The newest unreliable datagram that was sent.
    newest_sent: Option<u32>,
    /// The connection in whose place this one is.
    before: Option<Before>,
}

/// What is remembered of the connection before: datagrams of a remote end, sent in that one, can come in this one.
#[derive(Debug)]
struct Before {
    /// When it was over.
    ended: Time,
    /// Its newest fragment.
    fragment: u32,
    /// Fragments whose acks can still come.
    acks: Vec<u32>,
    /// Its newest unreliable datagram.
    newest: Option<u32>,
}

/// What a datagram brings its receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Brought {
    /// An unreliable message, newer than all before.
    Unreliable,
    /// One that is not.
    Stale,
    /// A whole reliable message.
    Reliable(Vec<u8>),
    /// A fragment of one that is not complete.
    Part,
    /// Nothing for the layer above: an ack, or a fragment that came before.
    Nothing,
}

/// What a datagram that is sent completes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// An unreliable message.
    Unreliable,
    /// A reliable message, with its last fragment.
    Reliable(Vec<u8>),
    /// Nothing.
    Nothing,
}

impl Stream {
    /// A connection begins.
    pub fn new(sender: HostId, receiver: HostId, ends: [End; 2]) -> Stream {
        Stream {
            sender,
            receiver,
            fragment: None,
            past: VecDeque::new(),
            sending: Vec::new(),
            acknowledged: Time::ZERO,
            busy_since: Time::ZERO,
            pending: Vec::new(),
            acked: VecDeque::new(),
            scripted: Vec::new(),
            expected: 0,
            assembly: Vec::new(),
            newest: None,
            repeated: false,
            restarted: false,
            indeterminate: None,
            ends,
            spoke: [None; 2],
            newest_sent: None,
            before: None,
        }
    }

    /// A connection begins in the place of this one.
    pub fn succeeded(&self, now: Time) -> Stream {
        let acks = self.pending.iter().map(|pending| pending.0).chain(self.acked.iter().copied()).collect();
        let fragment = self.fragment.as_ref().map_or(0, |open| open.sequence);
        let before = Some(Before { ended: now, fragment, acks, newest: self.newest_sent });
        Stream { before, ..Stream::new(self.sender, self.receiver, self.ends) }
    }

    /// The connection before, if what one of the ends sent in it can come now.
    fn before(&mut self, end: usize, now: Time) -> Option<&mut Before> {
        let remote = self.ends.get(end).is_some_and(|end| end.remote);
        self.before.as_mut().filter(|before| remote && now.since(before.ended) < LATE_US)
    }

    /// Whether there was a connection before.
    pub fn follows(&self) -> bool {
        self.before.is_some()
    }

    /// Whether an unreliable datagram that the sender sends is one of the connection before.
    fn is_late(&mut self, sequence: u32, now: Time) -> bool {
        let next = self.newest_sent.map_or(0, |newest| newest.saturating_add(1));
        let near = |newest: u32| sequence.abs_diff(newest) <= NEAR && sequence > next.saturating_add(NEAR);
        self.before(0, now).and_then(|before| before.newest).is_some_and(near)
    }

    /// When a fragment was acknowledged last.
    pub fn acknowledged(&self) -> Time {
        self.acknowledged
    }

    /// The fragment that waits for its acknowledgement.
    pub fn open(&self) -> Option<u32> {
        self.fragment.as_ref().filter(|open| !open.acknowledged).map(|open| open.sequence)
    }

    /// Whether nothing of what is under way has been acknowledged for long.
    pub fn is_stuck(&self, now: Time) -> bool {
        self.open().is_some() && now.since(self.acknowledged) > STUCK_US
    }

    /// The sender (0) or the receiver (1) sends something, whatever it is.
    pub fn speaks(&mut self, end: usize, now: Time) {
        if let Some(spoke) = self.spoke.get_mut(end) {
            *spoke = Some(now);
        }
    }

    /// When the sender sent something last.
    pub fn spoke(&self) -> Option<Time> {
        self.spoke[0]
    }

    /// The client asked once more for the connection that it has.
    pub fn asked_again(&mut self) {
        self.repeated = true;
    }

    /// The scenario has the receiver send an ack.
    pub fn scripted_ack(&mut self, sequence: u32) {
        if self.scripted.len() < MAX_PENDING {
            self.scripted.push(sequence);
        }
    }

    /// The sender sent a fragment that cannot follow: what it sends is not judged from there on.
    fn out_of_turn(&mut self, report: &mut Report, now: Time, suspects: impl Into<Suspects>, what: String) -> Said {
        self.indeterminate = Some(Indeterminate { why: "a fragment was sent out of turn" });
        report.fail(&FRAGMENTS_FOLLOW_EACH_OTHER, now, self.sender, suspects, || what);
        Said::Nothing
    }

    /// The sender sends a datagram of this direction.
    pub fn sent(&mut self, packet: &Packet<'_>, report: &mut Report, now: Time) -> Said {
        match *packet {
            Packet::Unreliable { sequence, .. } => {
                // In virtual time nothing comes late: who counts anew sends what every client discards.
                let anew = self.ends[0].virtual_time && self.newest_sent >= Some(sequence);
                if anew || self.is_late(sequence, now) {
                    return Said::Nothing;
                }
                self.newest_sent = self.newest_sent.max(Some(sequence));
                Said::Unreliable
            }
            Packet::Data { sequence, end, payload } => self.sent_fragment(sequence, end, payload, report, now),
            Packet::Ack { .. } | Packet::Control(_) => Said::Nothing,
        }
    }

    fn sent_fragment(&mut self, sequence: u32, end: bool, payload: &[u8], report: &mut Report, now: Time) -> Said {
        let sender = self.sender;
        if self.indeterminate.is_some() {
            return Said::Nothing;
        }
        report.saw(Point::FragmentSent);
        let next = self.fragment.as_ref().map_or(0, |open| open.sequence.wrapping_add(1));
        if let Some(open) = self.fragment.as_mut().filter(|open| open.sequence == sequence) {
            open.sent = now;
            report.saw(Point::FragmentRepeated);
            if open.payload != payload || open.end != end {
                self.indeterminate = Some(Indeterminate { why: "a fragment was repeated with other bytes" });
                let what = || format!("fragment {sequence} is repeated with other bytes");
                report.fail(&FRAGMENTS_ARE_REPEATED, now, sender, &NET_04, what);
            }
            return Said::Nothing;
        }
        if sequence == 0 && next != 0 && self.restarted {
            self.indeterminate = Some(Indeterminate { why: "a copy of an accept restarted the channel once more" });
            return Said::Nothing;
        }
        // The network doubles, and delays: what a remote end sent before may be seen once more.
        let may_be_late = self.ends[0].remote && !self.ends[0].virtual_time;
        let is_same = |old: &Fragment| old.sequence == sequence && old.end == end && old.payload == payload;
        if may_be_late && self.past.iter().any(|old| is_same(old) && now.since(old.sent) < LATE_US) {
            return Said::Nothing;
        }
        if let Some(before) = self.before(0, now).filter(|before| sequence != next && sequence <= before.fragment + 1) {
            // A remote end has not started over, or it comes late.
            before.fragment = before.fragment.max(sequence);
            return Said::Nothing;
        }
        if sequence != next {
            let suspect = if self.repeated { &NET_08 } else { &NET_04 };
            return self.out_of_turn(report, now, suspect, format!("sends fragment {sequence}, and {next} is next"));
        }
        if let Some(open) = self.fragment.as_ref().filter(|open| !open.acknowledged) {
            let same = open.payload == payload && open.end == end;
            let waited = now.since(open.sent) >= EARLY_US;
            let what = format!("sends fragment {sequence}, and {} is not acknowledged", open.sequence);
            let suspects = diagnosis::fragment_not_acknowledged(same && waited, open.misled);
            return self.out_of_turn(report, now, suspects, what);
        }
        report.saw_if(sequence > 0, Point::NextFragment);
        report.saw_if(self.fragment.as_ref().is_some_and(|open| open.misled), Point::OldAckIgnored);
        if self.fragment.is_none() || now.since(self.acknowledged) > PAUSE_US {
            self.busy_since = now;
        }
        self.past.extend(self.fragment.take());
        if self.past.len() > PAST {
            self.past.pop_front();
        }
        self.fragment =
            Some(Fragment { sequence, end, payload: payload.to_vec(), sent: now, acknowledged: false, misled: false });
        if self.sending.len() + payload.len() > MAX_MESSAGE_BYTES {
            self.indeterminate = Some(Indeterminate { why: "a message is too long" });
            return Said::Nothing;
        }
        self.sending.extend_from_slice(payload);
        if end { Said::Reliable(std::mem::take(&mut self.sending)) } else { Said::Nothing }
    }

    /// The sender gets an ack of this direction.
    pub fn ack_delivered(&mut self, sequence: u32, now: Time) {
        if let Some(open) = &mut self.fragment {
            if open.sequence == sequence {
                open.acknowledged = true;
                self.acknowledged = now;
            } else {
                open.misled |= !open.acknowledged;
            }
        }
    }

    /// The receiver sends an ack of this direction.
    pub fn ack_sent(&mut self, sequence: u32, report: &mut Report, now: Time) {
        report.saw(Point::AckSent);
        if let Some(place) = self.pending.iter().position(|pending| pending.0 == sequence) {
            self.pending.remove(place);
            if self.ends[1].remote {
                // It answers whichever copy came; acks of the others may have been lost on the way here.
                self.pending.retain(|pending| pending.0 != sequence);
            }
            self.acked.truncate(REMEMBERED_ACKS - 1);
            self.acked.push_front(sequence);
        } else if self.ends[1].remote && self.acked.contains(&sequence) {
            // It came again by the network, or answers a copy of the fragment that nobody saw.
        } else if self.before(1, now).is_some_and(|before| before.acks.contains(&sequence)) {
            // It was sent before the connection began.
        } else if let Some(place) = self.scripted.iter().position(|&scripted| scripted == sequence) {
            self.scripted.remove(place);
        } else {
            let what = || format!("acknowledges fragment {sequence}, which did not come since");
            report.fail(&FRAGMENTS_ARE_ACKNOWLEDGED, now, self.receiver, &NET_03, what);
        }
    }

    /// The receiver gets a datagram of this direction.
    pub fn delivered(&mut self, packet: &Packet<'_>, report: &mut Report, now: Time) -> Brought {
        match *packet {
            Packet::Unreliable { sequence, .. } => {
                let stale = self.newest.is_some_and(|newest| sequence <= newest);
                if stale {
                    report.saw(Point::Stale);
                    return Brought::Stale;
                }
                self.newest = Some(sequence);
                Brought::Unreliable
            }
            Packet::Data { sequence, end, payload } => {
                if self.pending.len() == MAX_PENDING && self.ends[1].remote {
                    self.pending.remove(0);
                }
                if self.pending.len() < MAX_PENDING {
                    self.pending.push((sequence, Some(now)));
                }
                if sequence != self.expected {
                    return Brought::Nothing;
                }
                self.expected = sequence.wrapping_add(1);
                if self.assembly.len() + payload.len() <= MAX_MESSAGE_BYTES {
                    self.assembly.extend_from_slice(payload);
                }
                if end { Brought::Reliable(std::mem::take(&mut self.assembly)) } else { Brought::Part }
            }
            Packet::Ack { .. } | Packet::Control(_) => Brought::Nothing,
        }
    }

    /// The receiver may be there no more: no ack of it has to come, but those that it sent before still can.
    pub fn abandoned(&mut self) {
        self.pending.iter_mut().for_each(|pending| pending.1 = None);
    }

    /// The connection begins once more: counters are those of a new one, and the fragment under way is still to arrive.
    pub fn restarted(&mut self) -> Stream {
        let (fragment, sending) = (self.fragment.take(), std::mem::take(&mut self.sending));
        let fragment = fragment.filter(|open| open.sequence == 0 && !open.acknowledged);
        Stream { fragment, sending, restarted: true, ..Stream::new(self.sender, self.receiver, self.ends) }
    }

    /// Whether it is one that began once more.
    pub fn has_restarted(&self) -> bool {
        self.restarted
    }

    /// The receiver gets a datagram of the connection before, which it cannot tell from one of this: whether it uses that.
    pub fn late_delivered(&mut self, packet: &Packet<'_>) -> bool {
        match *packet {
            Packet::Unreliable { sequence, .. } => self.newest.is_none_or(|newest| sequence > newest),
            Packet::Data { sequence, .. } => {
                if self.pending.len() < MAX_PENDING {
                    self.pending.push((sequence, None));
                }
                sequence == self.expected
            }
            Packet::Ack { .. } | Packet::Control(_) => false,
        }
    }

    /// Whether the receiver has got nothing yet.
    pub fn is_untouched(&self) -> bool {
        self.expected == 0 && self.newest.is_none()
    }

    /// The receiver reads nothing now: what it has not acknowledged it reads later.
    pub fn put_off(&mut self, now: Time) {
        self.pending.iter_mut().for_each(|(_, since)| *since = since.map(|_| now));
    }

    /// Time has passed: what is overdue?
    pub fn overdue(&mut self, report: &mut Report, now: Time) {
        let ([sender, receiver], [sends, receives]) = (self.ends, self.spoke);
        let late = |open: &&mut Fragment| !open.acknowledged && sender.is_overdue(open.sent, RESEND_US, sends, now);
        if let Some(open) = self.fragment.as_mut().filter(late) {
            // Once is enough.
            open.sent = now;
            let sequence = open.sequence;
            if self.indeterminate.is_none() {
                let what = || format!("fragment {sequence} is not acknowledged, and not sent again");
                report.fail(&FRAGMENTS_ARE_SENT_AGAIN, now, self.sender, &NET_04, what);
            }
        }
        // A remote receiver may have missed a fragment, or its ack was lost on the way here; not all of several.
        let count = |sequence: u32| self.pending.iter().filter(|pending| pending.0 == sequence).count();
        let missing = |&(sequence, since): &(u32, Option<Time>)| {
            since.is_some_and(|since| receiver.is_overdue(since, ACK_US, receives, now))
                && (receiver.is_silence_known() || count(sequence) >= MISSED)
        };
        if let Some(place) = self.pending.iter().position(missing) {
            let (sequence, _) = self.pending.remove(place);
            self.pending.retain(|pending| !receiver.remote || pending.0 != sequence);
            let what = || format!("fragment {sequence} was received and not acknowledged");
            report.fail(&FRAGMENTS_ARE_ACKNOWLEDGED, now, self.receiver, &NET_03, what);
        }
    }
}
