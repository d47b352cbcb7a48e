//! The transport as an observer of both ends sees it: who has received what, and so what each end must
//! acknowledge in its headers.

use kit::Vantage;
use netchan::Header;
use std::collections::VecDeque;

/// Datagrams to a remote end that wait for its acknowledgement and are remembered.
const MAX_UNREAD: usize = 2048;

/// Datagrams of the connection before that are remembered.
const MAX_STRAYS: usize = 64;

/// From where an end is seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sight {
    /// Somebody else runs it: what is delivered to it was read once it acknowledges that, and a gap in its numbers is a
    /// loss that nobody saw.
    pub remote: bool,
    /// What is delivered to it may never be read.
    pub may_miss: bool,
    /// It is remote, and in virtual time: nothing that it sends is lost unseen.
    pub virtual_time: bool,
    /// All that the other end sends is seen, so that this end can have received nothing else.
    pub all_seen: bool,
}

impl Sight {
    /// Of the server.
    pub fn of_server(vantage: Vantage) -> Sight {
        let Vantage { remote_server, remote_clients, server_may_miss, virtual_server, .. } = vantage;
        let virtual_time = remote_server && virtual_server;
        Sight { remote: remote_server, may_miss: server_may_miss, virtual_time, all_seen: !remote_clients }
    }

    /// Of a client.
    pub fn of_client(vantage: Vantage) -> Sight {
        let Vantage { remote_server, remote_clients, clients_may_miss, .. } = vantage;
        let virtual_time = false;
        Sight { remote: remote_clients, may_miss: clients_may_miss, virtual_time, all_seen: !remote_server }
    }
}

/// What one end has received, and what it sends.
#[derive(Clone, Debug, Default)]
pub struct End {
    sight: Sight,
    /// What was delivered to a remote end and not yet acknowledged, by number.
    unread: VecDeque<Header>,
    /// Of a remote end: datagrams of its own were lost unseen since it was last known which block is under way.
    gap: bool,
    /// Of a remote end: datagrams of its own were lost unseen since its last frame.
    pub missed: bool,
    /// The newest datagram that it received.
    pub received: u32,
    /// How often, modulo 2, it received a reliable block.
    pub bit: bool,
    /// The number of the last datagram that it sent; `None` if that is not certain.
    pub sent: Option<u32>,
    /// The reliable block under way: the datagram that carried it last, and that datagram's payload.
    pub under_way: Option<(u32, Vec<u8>)>,
    /// How often, modulo 2, it began to send a block.
    pub begun: bool,
    /// The block that it sent last repeats the one before.
    pub repeats: bool,
    /// The newest datagram of its own that it knows to have been received, and the echo that came with that.
    known: (u32, bool),
    /// Of a remote end: the newest datagram that it has received is one that nobody saw.
    pub knows_more: bool,
    /// Of a remote end: datagrams of its own were lost unseen, or reached the other end unseen.
    pub sent_more: bool,
    /// Of a remote end: it may have started over, and forgotten which reliable blocks it had received.
    anew: bool,
    /// Of a remote end: numbers of the connection before that were delivered to it in this one, and that it may take.
    strays: Vec<u32>,
}

/// How the datagram of an end follows those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As the next one, or after some that nobody saw.
    Next {
        /// How many were not seen.
        unseen: u32,
    },
    /// Its network brought it late or again.
    Late,
}

/// What is wrong with a header, in words.
#[derive(Clone, Debug)]
pub enum Breach {
    /// Its number does not follow the one before.
    Number(String),
    /// It does not acknowledge what was received.
    Acknowledgement(String),
    /// Its reliable block is not the one that is due.
    Block(String),
}

/// What arrived, to the transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// It is older than one before, or the same.
    Stale,
    /// It was taken; so many before it were lost.
    Taken {
        /// How many datagrams were lost since the last.
        lost: u32,
    },
}

impl End {
    /// Before its first datagram, which has number 1.
    pub fn first(sight: Sight) -> End {
        End { sight, sent: Some(0), ..End::default() }
    }

    /// Whether somebody else runs it.
    pub fn is_remote(&self) -> bool {
        self.sight.remote
    }

    /// Whether what was delivered to it may never be read.
    pub fn may_miss(&self) -> bool {
        self.sight.may_miss
    }

    /// The newest datagram of its own that it knows to have been received.
    pub fn known_to_be_received(&self) -> u32 {
        self.known.0
    }

    /// This end, which somebody else runs, may count anew which blocks it has received.
    pub fn may_start_over(&mut self) {
        self.anew = true;
    }

    /// A datagram of the connection before is delivered to this end, which somebody else runs.
    pub fn strays(&mut self, sequence: u32) {
        if self.strays.len() < MAX_STRAYS {
            self.strays.push(sequence);
        }
    }

    /// Whether a header shows that this end has taken a datagram of the connection before for one of this.
    pub fn is_astray(&self, header: &Header) -> bool {
        let newest = self.unread.back().map_or(self.received, |unread| unread.sequence.max(self.received));
        header.acknowledged > newest && self.strays.contains(&header.acknowledged)
    }

    /// How a datagram that this end sends follows the one before. A remote end's can come late, and some never.
    pub fn order(&self, header: &Header) -> Order {
        match self.sent {
            Some(last) if self.sight.remote && !self.sight.virtual_time && header.sequence <= last => Order::Late,
            // Numbers that go back have missed none.
            Some(last) if self.sight.remote => {
                Order::Next { unseen: header.sequence.saturating_sub(last.saturating_add(1)) }
            }
            _ => Order::Next { unseen: 0 },
        }
    }

    /// Whether a header that this end is about to send shows that it goes on reading: it acknowledges the newest datagram that was
    /// delivered to it, or, where it may read that later, a newer one than before.
    pub fn reads_on(&self, header: &Header) -> bool {
        let newest = self.unread.back().map_or(self.received, |unread| unread.sequence.max(self.received));
        let reads_more = self.sight.remote && header.acknowledged > self.received;
        newest != 0 && (header.acknowledged == newest || reads_more)
    }

    /// This end sends a datagram: what is wrong with its header. `certain` is false where what it has received is not
    /// known.
    pub fn sends(&mut self, header: &Header, payload: &[u8], certain: bool) -> Vec<Breach> {
        let mut wrong = Vec::new();
        let sequence = header.sequence;
        if let Some(last) = self.sent.filter(|last| sequence != last.wrapping_add(1)) {
            let goes_back = self.sight.virtual_time && sequence <= last;
            if self.sight.remote && !goes_back {
                (self.gap, self.missed, self.sent_more, self.under_way) = (true, true, true, None);
            } else {
                wrong.push(Breach::Number(format!("datagram {sequence} follows {last}: numbers go up by one")));
            }
        }
        self.sent = Some(sequence);
        let (acknowledged, received) = (header.acknowledged, self.received);
        if self.sight.remote {
            wrong.extend(self.reads(header).filter(|_| certain));
        } else if certain && acknowledged != received {
            wrong.push(Breach::Acknowledgement(format!(
                "datagram {acknowledged} is acknowledged, {received} was received"
            )));
        } else if certain && header.reliable_acknowledged != self.bit {
            wrong.push(wrong_echo(sequence));
        }
        if header.reliable {
            wrong.extend(self.sends_block(sequence, payload));
        }
        wrong
    }

    /// A remote end shows by its header what it has read of what was delivered: what is wrong with that.
    fn reads(&mut self, header: &Header) -> Option<Breach> {
        let (newest, last) = (header.acknowledged, self.received);
        if newest < last {
            return Some(Breach::Acknowledgement(format!("datagram {newest} is acknowledged after {last}")));
        }
        let again = newest == last;
        let known = again || self.unread.iter().any(|read| read.sequence == newest);
        let (mut may_differ, mut bit) = (std::mem::take(&mut self.anew), self.bit);
        while let Some(read) = pop_if(&mut self.unread, |read| read.sequence <= newest) {
            bit ^= read.reliable;
            may_differ |= read.reliable && self.sight.may_miss && read.sequence != newest;
            self.takes(&read);
        }
        (self.received, self.knows_more) = (newest, !known || again && self.knows_more);
        let echo = header.reliable_acknowledged;
        self.bit = echo;
        if !known && self.sight.all_seen {
            return Some(Breach::Acknowledgement(format!("datagram {newest} is acknowledged, which did not arrive")));
        }
        (known && !may_differ && echo != bit).then(|| wrong_echo(header.sequence))
    }

    fn sends_block(&mut self, sequence: u32, payload: &[u8]) -> Vec<Breach> {
        let mut wrong = Vec::new();
        self.repeats = !self.gap && self.under_way.is_some() && self.known.1 != self.begun;
        if self.gap {
            // What was under way may be another block than the last one seen.
            self.under_way = Some((sequence, payload.to_vec()));
            return wrong;
        }
        if let Some((carrier, block)) = self.under_way.as_ref().filter(|_| self.repeats) {
            let known = self.known.0;
            if known <= *carrier {
                wrong.push(Breach::Block(format!(
                    "datagram {sequence} repeats the block of {carrier} although {known} is the newest acknowledged"
                )));
            }
            // How long the block is, is not on the wire; it has at least its first byte.
            if block.first() != payload.first() {
                wrong.push(Breach::Block(format!(
                    "datagram {sequence} has another block than the one that was not yet acknowledged"
                )));
            }
        } else {
            self.begun = !self.begun;
        }
        self.under_way = Some((sequence, payload.to_vec()));
        wrong
    }

    /// A datagram of the other end is delivered to this one, which takes it unless it is old. A remote end may do so later.
    pub fn receives(&mut self, header: &Header) -> Arrival {
        let newest = self.unread.back().map_or(self.received, |unread| unread.sequence.max(self.received));
        if self.sight.remote {
            // What may be missed can be read after what came before it.
            let late = header.sequence <= if self.sight.may_miss { self.received } else { newest };
            let at = self.unread.partition_point(|unread| unread.sequence < header.sequence);
            if late || self.unread.get(at).is_some_and(|unread| unread.sequence == header.sequence) {
                return Arrival::Stale;
            }
            self.unread.insert(at, *header);
            if self.unread.len() > MAX_UNREAD {
                self.unread.pop_front();
            }
        } else if header.sequence <= self.received {
            return Arrival::Stale;
        } else {
            self.received = header.sequence;
            self.bit ^= header.reliable;
            self.takes(header);
        }
        Arrival::Taken { lost: header.sequence.saturating_sub(newest.saturating_add(1)) }
    }

    /// This end has read a datagram.
    fn takes(&mut self, header: &Header) {
        self.known = (header.acknowledged, header.reliable_acknowledged);
        let carried = self.under_way.as_ref().map(|(carrier, _)| *carrier);
        if self.gap && carried == Some(header.acknowledged) {
            // The other end has the block that was seen last.
            (self.gap, self.begun) = (false, header.reliable_acknowledged);
        }
        if self.under_way.is_some() && !self.gap && self.known.1 == self.begun {
            self.under_way = None;
        }
    }
}

/// The oldest of what waits, if it is this.
pub fn pop_if<T>(queue: &mut VecDeque<T>, is_it: impl Fn(&T) -> bool) -> Option<T> {
    if queue.front().is_some_and(is_it) { queue.pop_front() } else { None }
}

fn wrong_echo(sequence: u32) -> Breach {
    Breach::Acknowledgement(format!("the echo of reliable blocks in datagram {sequence} is not what was received"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use netchan::Qport;

    const LOCAL: Sight = Sight { remote: false, may_miss: false, virtual_time: false, all_seen: true };
    const REMOTE: Sight = Sight { remote: true, ..LOCAL };

    fn header(sequence: u32, reliable: bool, acknowledged: u32, reliable_acknowledged: bool) -> Header {
        Header { sequence, reliable, acknowledged, reliable_acknowledged, qport: Qport::Absent, fragment: None }
    }

    /// An end to which datagrams 1, 2 (with a block) and 3 were delivered.
    fn end(sight: Sight) -> End {
        let mut end = End::first(sight);
        for number in 1..=3 {
            end.receives(&header(number, number == 2, 0, false));
        }
        end
    }

    #[track_caller]
    fn check(sight: Sight, acknowledged: u32, echo: bool, breaches: usize) {
        assert_eq!(end(sight).sends(&header(1, false, acknowledged, echo), &[], true).len(), breaches);
    }

    #[test]
    fn a_remote_end_may_read_later_and_cannot_know_what_did_not_arrive() {
        for (acknowledged, echo) in [(0, false), (1, false), (2, true)] {
            check(LOCAL, acknowledged, echo, 1);
            check(REMOTE, acknowledged, echo, 0);
        }
        check(LOCAL, 3, true, 0);
        check(REMOTE, 3, true, 0);
        check(REMOTE, 4, true, 1);
        check(REMOTE, 2, false, 1);
        check(REMOTE, 1, true, 1);
        check(Sight { all_seen: false, ..REMOTE }, 4, true, 0);
    }

    #[test]
    fn a_remote_end_that_may_miss_a_block_has_its_echo_or_not() {
        let sight = Sight { may_miss: true, ..REMOTE };
        check(REMOTE, 3, false, 1);
        check(sight, 3, false, 0);
        check(sight, 3, true, 0);
        check(sight, 2, false, 1);
    }

    #[test]
    fn a_remote_end_does_not_take_back_what_it_acknowledged() {
        let mut end = end(REMOTE);
        assert_eq!(end.sends(&header(1, false, 3, true), &[], true).len(), 0);
        assert_eq!(end.sends(&header(2, false, 2, true), &[], true).len(), 1);
    }

    #[test]
    fn an_end_reads_on_while_it_acknowledges_the_newest_or_a_remote_one_more_than_before() {
        let reads_on = |sight, acknowledged| end(sight).reads_on(&header(1, false, acknowledged, false));
        assert_eq!([2, 3].map(|acknowledged| reads_on(LOCAL, acknowledged)), [false, true]);
        assert_eq!([0, 1, 3].map(|acknowledged| reads_on(REMOTE, acknowledged)), [false, true, true]);
        let mut end = end(REMOTE);
        end.sends(&header(1, false, 2, true), &[], true);
        // What it has acknowledged before shows nothing while more waits for it.
        assert_eq!([2, 3].map(|acknowledged| end.reads_on(&header(2, false, acknowledged, true))), [false, true]);
        assert!(!End::first(REMOTE).reads_on(&header(1, false, 0, false)), "nothing was delivered");
    }

    #[test]
    fn a_gap_in_the_numbers_of_a_remote_end_is_a_loss_that_nobody_saw() {
        for (sight, breaches) in [(LOCAL, 1), (REMOTE, 0)] {
            let mut end = End::first(sight);
            assert_eq!(end.sends(&header(1, true, 0, false), &[7], true).len(), 0);
            let wrong = end.sends(&header(4, true, 0, false), &[7], true);
            assert!(wrong.len() >= breaches && (breaches > 0 || wrong.is_empty()), "{wrong:?}");
        }
    }

    #[test]
    fn a_block_of_a_remote_end_is_known_again_behind_a_gap() {
        let mut end = End::first(REMOTE);
        end.sends(&header(3, true, 0, false), &[7], true);
        // The other end has it; the next block follows, and then repeats too early.
        end.receives(&header(1, false, 3, true));
        assert_eq!(end.sends(&header(4, true, 1, false), &[8], true).len(), 0);
        assert_eq!(end.sends(&header(5, true, 1, false), &[8], true).len(), 1);
        assert_eq!(end.order(&header(5, false, 1, false)), Order::Late);
    }
}
