//! What a client sends: its hellos, its numbers, its acknowledgements, its events.

use super::coverage::{Point, Report};
use super::link::Link;
use super::mirror::Verdict;
use super::server_snapshot::reversed;
use crate::constants::*;
use crate::message::{self, ClientEvent, ClientHeader, ClientRecord, Input, Stamped};
use crate::options::Options;
use crate::requirements::*;
use crate::serial::{age, newer};
use kit::{Reader, Requirement, Time};

/// A number that is so far ahead at most is taken for the next one.
const NEAR: u16 = 64;

/// A client that is in says something within so long a time, in microseconds.
const SAYS_US: u64 = 400_000;

/// A hello is repeated within this time, in microseconds.
const HELLO_AGAIN_US: u64 = 3 * HELLO_US;

/// Updates after which a wish of the scenario must have been said.
const WISH_TICKS: u64 = 4;

/// A packet of a client, looked at.
pub struct Speech<'a> {
    /// The client and all that is known of it.
    pub link: &'a mut Link,
    /// Where findings go.
    pub report: &'a mut Report,
    /// What both ends were told.
    pub options: &'a Options,
    /// When the packet was sent.
    pub now: Time,
}

impl Speech<'_> {
    fn find(&mut self, requirement: &'static Requirement, what: impl FnOnce() -> String) {
        self.report.find(requirement, self.now, self.link.host, what);
    }

    /// Judges a packet.
    pub fn judge(&mut self, bytes: &[u8]) {
        let mut r = Reader::new(bytes);
        let Ok(header) = ClientHeader::read(&mut r) else {
            self.find(&SEQ_04, || String::from("a packet without its header"));
            return;
        };
        let mut records = Vec::new();
        let read = message::read_client_records(&mut r, &mut records);
        if let Some(ClientRecord::Event(ClientEvent::Hello { name, password })) =
            records.first().map(|first| &first.what)
        {
            self.hello(&header, name, password);
            return;
        }
        if !self.link.mirror.inside {
            // A stray packet, as the scenario wants it.
            return;
        }
        self.silent();
        self.link.client_sent = self.now;
        self.report.saw(Point::Update);
        let usual = self.acknowledges(&header);
        self.numbered(&header, usual);
        if let Err(error) = read {
            match self.link.client_nonsense {
                0 => self.find(&TYPE_01, || format!("packet {} cannot be read: {error}", header.sequence)),
                _ => self.link.client_nonsense -= 1,
            }
            return;
        }
        self.events(&header, &records);
    }

    fn hello(&mut self, header: &ClientHeader, name: &[u8], password: &[u8]) {
        self.report.saw(Point::HelloSent);
        let first = self.options.first_client_sequence;
        let turned = header.sequence != first
            && header.ack_sequence == first
            && header.sequence == Options::nothing(self.options.first_sequence);
        let known = self.link.hello_sent.and(self.link.client_sequence);
        if turned {
            self.find(&SEQ_04, || format!("the hello is packet {}, and acknowledges {first}", header.sequence));
        } else if known.is_some_and(|last| newer(last, header.sequence)) {
            self.find(&SEQ_01, || format!("the hello is packet {} after {known:?}", header.sequence));
        }
        if self.link.mirror.refused {
            self.find(&HS_10, || String::from("a hello after the refusal"));
        }
        if name.is_empty() || password != self.options.password_of(self.link.host) {
            self.find(&HS_01, || format!("a hello with the name {name:?} and the password {password:?}"));
        }
        self.asks();
        self.link.client_sequence = Some(header.sequence);
        self.link.client_sent = self.now;
        self.link.hello_sent = Some(self.now);
    }

    /// Whether a client that was not answered asks again; also at the end of a run.
    pub fn asks(&mut self) {
        let Some(sent) = self.link.hello_sent.filter(|_| self.link.wanted && !self.link.mirror.any) else { return };
        let gap = self.now.since(sent);
        self.report.saw_if(gap >= HELLO_US / 2, Point::HelloUnanswered);
        if gap > HELLO_AGAIN_US {
            self.find(&HS_02, || format!("no hello for {gap} us, without an answer"));
        }
    }

    /// Whether a client that is in has said something lately; also at the end of a run.
    pub fn silent(&mut self) {
        let link = &*self.link;
        let limit = SAYS_US.max(10 * self.options.client_tick_us);
        let gap = self.now.since(link.client_sent);
        if gap <= limit || !link.mirror.inside || !link.wanted || self.gone() {
            return;
        }
        let stopped = link.unreadable_at.is_some_and(|at| at >= link.client_sent);
        let requirement = if stopped { &ROB_01 } else { &ACK_08 };
        self.find(requirement, || format!("nothing was said for {gap} us"));
    }

    /// Whether the client may have given up, as it heard nothing.
    fn gone(&self) -> bool {
        self.now.since(self.link.served) > SILENCE_US * 9 / 10
    }

    fn numbered(&mut self, header: &ClientHeader, usual: bool) {
        let sequence = header.sequence;
        let Some(last) = self.link.client_sequence else {
            self.link.client_sequence = Some(sequence);
            return;
        };
        let near = |number: u16| newer(number, last) && age(number, last) <= NEAR;
        if !usual && near(header.ack_sequence) && sequence == self.link.mirror.last {
            let ack = header.ack_sequence;
            self.find(&SEQ_04, || format!("the header has {sequence}, {ack} after packet {last}"));
            self.link.client_sequence = Some(ack);
            return;
        }
        if !newer(sequence, last) {
            self.find(&SEQ_01, || format!("packet {sequence} after {last}"));
        }
        self.link.client_sequence = Some(sequence);
    }

    /// Judges the acknowledgement. Whether it is the right one.
    fn acknowledges(&mut self, header: &ClientHeader) -> bool {
        let ack = header.ack_sequence;
        let right = self.link.mirror.last;
        if let Some(place) = self.link.scripted_acks.iter().position(|scripted| *scripted == ack) {
            self.link.scripted_acks.remove(place);
            return true;
        }
        let before = self.link.client_ack.replace(ack);
        if ack == right || self.link.differs {
            return true;
        }
        let nothing = Options::nothing(self.options.first_sequence);
        let sequence = self.link.client_sequence;
        let near = sequence.is_some_and(|last| newer(ack, last) && age(ack, last) <= NEAR);
        if header.sequence == right && near {
            return false;
        }
        let requirement = if self.link.mirror.unapplied.contains(&ack) {
            &ACK_04
        } else if ack == nothing {
            &ACK_02
        } else if before == Some(ack) {
            // It stands still, where others went on.
            if newer(right, ack) && ack > right { &SEQ_02 } else { &ACK_01 }
        } else if self.link.mirror.late.contains(&ack) && newer(right, ack) {
            &ACK_03
        } else {
            &ACK_01
        };
        self.find(requirement, || format!("packet {} acknowledges {ack}, where {right} is right", header.sequence));
        false
    }

    fn events(&mut self, header: &ClientHeader, records: &[Stamped<ClientRecord>]) {
        let has = |created: u16, event: &ClientEvent| {
            let mut records = records.iter().filter(|record| record.created == created);
            records.any(|record| matches!(&record.what, ClientRecord::Event(found) if found == event))
        };
        let sequence = header.sequence;
        let missing: Vec<u16> = self
            .link
            .waiting
            .iter()
            .filter(|(created, event)| !has(*created, event))
            .map(|(created, _)| *created)
            .collect();
        for created in missing {
            self.find(&EVT_09, || format!("packet {sequence} lacks the event of {created}, which is not acknowledged"));
            self.link.waiting.retain(|(held, _)| *held != created);
        }
        // The same may be said twice at one moment.
        let mut held = self.link.waiting.clone();
        for record in records {
            match &record.what {
                ClientRecord::Event(event) => {
                    self.report.saw(Point::ClientEvent);
                    let pair = (record.created, event.clone());
                    if let Some(place) = held.iter().position(|held| *held == pair) {
                        held.remove(place);
                        continue;
                    }
                    let wished = self.link.wishes.iter().position(|(_, wish)| alike(wish, event));
                    if let Some(place) = wished {
                        self.link.wishes.remove(place);
                    }
                    if self.link.waiting.len() < MAX_EVENTS {
                        self.link.waiting.push_back(pair);
                    }
                }
                ClientRecord::Input(input) => self.input(sequence, input),
            }
        }
        let limit = WISH_TICKS * self.options.client_tick_us;
        while let Some((at, wish)) = self.link.wishes.front().filter(|(at, _)| self.now.since(*at) > limit).cloned() {
            self.link.wishes.pop_front();
            self.find(&EVT_09, || format!("packet {sequence} lacks {wish:?} of {at}"));
        }
    }

    fn input(&mut self, sequence: u16, input: &Input) {
        let right = self.link.input;
        self.report.saw_if(reversed(right.inputstate) != right.inputstate, Point::KeysSent);
        let Input { inputstate, aimdirection } = *input;
        if inputstate & !INPUTSTATE_BITS != 0 {
            self.find(&BASE_03, || format!("packet {sequence} has inputstate {inputstate:#04x}"));
        }
        let keys = inputstate & INPUTSTATE_BITS;
        if keys != right.inputstate {
            let requirement = if keys == reversed(right.inputstate) { &BASE_02 } else { &TYPE_01 };
            self.find(requirement, || format!("packet {sequence} has {input:?}, where {right:?} is right"));
        }
        if aimdirection != right.aimdirection {
            let requirement = if aimdirection == right.aimdirection.swap_bytes() { &TYPE_02 } else { &TYPE_01 };
            self.find(requirement, || format!("packet {sequence} has {input:?}, where {right:?} is right"));
        }
    }
}

/// Whether a client says what the scenario wants; times are its own.
fn alike(wish: &ClientEvent, event: &ClientEvent) -> bool {
    match (wish, event) {
        (ClientEvent::Jump { .. }, ClientEvent::Jump { .. }) => true,
        _ => wish == event,
    }
}

/// Whether what was delivered has an effect.
pub fn is_effective(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Effective(_) | Verdict::Unsure)
}
