//! What a client sends: its hellos, its numbers, its acknowledgements, its events and its inputs.

use super::coverage::{Point, Report, mirrored};
use super::diagnosis::{self, WrongAck};
use super::session::client::ClientSide;
use super::session::reading::ClientReading;
use crate::constants::*;
use crate::message::{ClientEvent, ClientHeader, ClientRecord, Input, Stamped};
use crate::options::Options;
use crate::requirements::*;
use crate::serial::{age, newer};
use kit::{Check, HostId, Suspects, Time};

kit::checks! {
    HEADERS = "client-headers-are-in-order": SEQ_04 [Delta Update], ACK_01 [Update SecondSnapshot];
    NUMBERS = "client-numbers-are-new": SEQ_01 [SecondSnapshot Update];
    READABLE = "client-packets-can-be-read": TYPE_01 [NegativeStat];
    HELLO = "hellos-have-name-and-password": HS_01 [HelloSent];
    FIRST_NUMBER = "clients-begin-at-the-first-number" knows Limits: SEQ_05 [HelloSent];
    HELLO_SENT = "who-connects-says-hello" knows ClientShows Time: HS_01 [HelloSent];
    LEAVES = "who-leaves-says-so" knows ClientShows Time: HS_13 [Leaving];
    SILENCE = "clients-take-a-silent-server-for-gone" knows ClientShows Time: ROB_05 [ServerGone];
    CAUSED = "client-events-have-a-cause" knows ClientShows: EVT_11 [ClientEvent];
    HELLO_REPEATED = "unanswered-hellos-are-repeated" knows ClientShows Time: HS_02 [HelloUnanswered];
    REFUSED = "refused-clients-stop" knows ClientShows: HS_10 [RefusalDelivered];
    OWN_CLOCK = "clients-send-by-their-own-clock" knows Limits Time: ACK_08 [ServerSilent];
    GOES_ON = "clients-go-on-after-unreadable-packets" knows Limits Time:
        ROB_01 [UnreadableDelivered] [UnreadableClientDelivered];
    ACKS = "ack-sequence-is-the-newest-applied": ACK_01 [Update SecondSnapshot], ACK_02 [Update SecondSnapshot],
        ACK_03 [LateDelivered], ACK_04 [BaseMissing], SEQ_02 [Wrapped] [ClientWrapped];
    EVENTS = "client-events-are-repeated": EVT_09 [ClientEvent ClientRepeatDelivered];
    /// What a client is to send, only its scenario says.
    INPUT = "inputs-are-right" knows ClientShows: BASE_02 [KeysSent], TYPE_01 [NegativeStat], TYPE_02 [LargeNumber];
    INPUT_THERE = "every-update-has-an-input": ACK_08 [Update];
    TIMES = "times-are-the-clients" knows ClientShows Time: SNAP_05 [ClientEvent];
    SPARE_BITS = "spare-bits-of-inputs-are-zero": BASE_03 [Update];
}

/// A number that is so far ahead at most is taken for the next one.
const NEAR: u16 = 64;

/// A client that is in sends something within so long a time, in microseconds.
const SENDS_US: u64 = 400_000;

/// A client that goes on for so long without a packet of the server does not miss it, in microseconds.
const GONE_US: u64 = SILENCE_US * 11 / 10;

/// A client's clock may differ by so much from the time of sending, beside four ticks, in milliseconds.
const CLOCK_MS: u64 = 50;

/// A hello is repeated within this time, in microseconds.
const HELLO_AGAIN_US: u64 = 3 * HELLO_US;

/// Updates after which an event that the scenario wants must have been sent.
const EVENT_TICKS: u64 = 4;

/// A client that sends, and all that it is judged by.
pub struct ClientPacket<'a> {
    /// Who.
    pub host: HostId,
    /// What is known of it.
    pub client: &'a mut ClientSide,
    /// Where findings go.
    pub report: &'a mut Report,
    /// The options of both ends.
    pub options: &'a Options,
    /// Whether it is remote: what it was instructed is not known.
    pub remote: bool,
    /// When the packet was sent.
    pub now: Time,
}

impl ClientPacket<'_> {
    fn fail(&mut self, check: &'static Check, suspects: impl Into<Suspects>, what: impl FnOnce() -> String) {
        self.report.fail(check, self.now, self.host, suspects, what);
    }

    /// Judges a packet.
    pub fn judge(&mut self, packet: &ClientReading) {
        let ClientReading { header, records, error } = packet;
        let Some(header) = header else {
            self.fail(&HEADERS, &SEQ_04, || String::from("a packet without its header"));
            return;
        };
        let first = records.first().map(|first| &first.what);
        if let Some(ClientRecord::Event(ClientEvent::Hello { name, password })) = first {
            self.hello(header, name, password);
            if let Some(error) = error {
                self.fail(&HELLO, &HS_01, || format!("the hello cannot be read: {error}"));
            }
            return;
        }
        if !self.client.delivered.inside {
            if !self.client.delivered.any {
                self.fail(&HELLO_SENT, &HS_01, || String::from("it begins with something other than a hello"));
            }
            return;
        }
        self.silent();
        let gap = self.now.since(self.client.served);
        if gap > GONE_US {
            self.fail(&SILENCE, &ROB_05, || format!("it goes on, {gap} us after the server's last packet"));
        }
        self.client.sent_at = self.now;
        self.report.saw(Point::Update);
        self.header(header);
        if let Some(error) = error {
            if self.client.nonsense > 0 {
                self.client.nonsense -= 1;
            } else {
                self.fail(&READABLE, &TYPE_01, || format!("packet {} cannot be read: {error}", header.sequence));
            }
            return;
        }
        self.events(header, records);
    }

    fn hello(&mut self, header: &ClientHeader, name: &[u8], password: &[u8]) {
        self.report.saw(Point::HelloSent);
        let ClientHeader { sequence, ack_sequence } = *header;
        let known = self.client.hello_at.and(self.client.sequence);
        let first = self.options.first_client_sequence;
        if known.is_none() && sequence != first {
            self.fail(&FIRST_NUMBER, &SEQ_05, || format!("its hello is packet {sequence}, expected {first}"));
        }
        if !self.client.delivered.any && ack_sequence != Options::nothing(self.options.first_sequence) {
            let suspects = Suspects::from(&SEQ_04).or(&ACK_01);
            self.fail(&HEADERS, suspects, || format!("hello {sequence} acknowledges {ack_sequence}"));
        } else if known.is_some_and(|last| newer(last, sequence)) {
            self.fail(&NUMBERS, &SEQ_01, || format!("the hello is packet {sequence} after {known:?}"));
        }
        if self.client.delivered.refused {
            self.fail(&REFUSED, &HS_10, || String::from("a hello after the refusal"));
        }
        let (right, remote) = (self.options.password_of(self.host), self.remote);
        if name.is_empty() || !remote && password != right {
            self.fail(&HELLO, &HS_01, || {
                let [name, password] = [name, password].map(<[u8]>::escape_ascii);
                let expected = match remote {
                    true => String::from("a name"),
                    false => format!("a name, and the password \"{}\"", right.escape_ascii()),
                };
                format!("a hello with the name \"{name}\" and the password \"{password}\", expected {expected}")
            });
        }
        self.hello_is_repeated();
        self.client.sequence = Some(sequence);
        self.client.sent_at = self.now;
        self.client.hello_at = Some(self.now);
    }

    /// Whether a client that was not answered repeats its hello; also at the end of a run.
    pub fn hello_is_repeated(&mut self) {
        let client = &*self.client;
        if !client.wanted || client.delivered.any {
            return;
        }
        let gap = self.now.since(client.hello_at.unwrap_or(client.connected));
        if client.hello_at.is_none() {
            if gap > HELLO_AGAIN_US {
                self.fail(&HELLO_SENT, &HS_01, || format!("no hello for {gap} us"));
            }
            return;
        }
        self.report.saw_if(self.now.since(client.connected) >= HELLO_US / 2, Point::HelloUnanswered);
        if gap > HELLO_AGAIN_US {
            self.fail(&HELLO_REPEATED, &HS_02, || format!("no hello for {gap} us, without an answer"));
        }
    }

    /// Judges a packet of a client that was instructed to leave.
    pub fn leaves(&mut self, packet: &ClientReading) {
        let Some(since) = self.client.left_at else { return };
        let disconnect = |record: &Stamped<ClientRecord>| record.what == ClientRecord::Event(ClientEvent::Disconnect);
        let gap = self.now.since(since);
        if gap > LEAVING_US + self.leaving_slack() {
            self.fail(&LEAVES, &HS_13, || format!("it was instructed to leave {gap} us ago, and still sends"));
        } else if packet.error.is_some() || !packet.records.iter().any(disconnect) {
            self.fail(&LEAVES, &HS_13, || format!("it was instructed to leave {gap} us ago, and sends no disconnect"));
        } else {
            self.client.disconnect_at = Some(self.now);
        }
    }

    /// Whether a client that was instructed to leave has said so long enough; at the end of a run, or when it comes back.
    pub fn has_left(&mut self) {
        let Some(since) = self.client.left_at else { return };
        let (gap, slack) = (self.now.since(since), self.leaving_slack());
        let said = self.client.disconnect_at.map(|at| at.since(since));
        let whole = gap > LEAVING_US + slack;
        self.report.saw_if(whole, Point::Leaving);
        if self.report.stood_still(self.host, since, since.after(LEAVING_US + slack)) {
            return;
        }
        if gap > slack && said.is_none() || whole && said.is_none_or(|said| said + slack < LEAVING_US) {
            self.fail(&LEAVES, &HS_13, || format!("it left {gap} us ago, and said so for {said:?} us"));
        }
    }

    fn leaving_slack(&self) -> u64 {
        (4 * self.options.client_tick_us).max(100_000)
    }

    /// Whether a client that is in has sent something lately; also at the end of a run.
    pub fn silent(&mut self) {
        let client = &*self.client;
        let inside = client.delivered.inside && client.wanted;
        self.report.saw_if(inside && self.now.since(client.served) > GONE_US, Point::ServerGone);
        let limit = SENDS_US.max(10 * self.options.client_tick_us);
        let gap = self.now.since(client.sent_at);
        let given_up = self.now.since(client.served) > SILENCE_US * 9 / 10;
        if gap <= limit || !client.delivered.inside || !client.wanted || given_up {
            return;
        }
        if client.unreadable_at.is_some_and(|at| at >= client.sent_at) {
            self.fail(&GOES_ON, &ROB_01, || format!("nothing was sent for {gap} us"));
        } else {
            self.fail(&OWN_CLOCK, &ACK_08, || format!("nothing was sent for {gap} us"));
        }
    }

    /// Judges number and acknowledgement.
    fn header(&mut self, header: &ClientHeader) {
        let ClientHeader { sequence, ack_sequence: ack } = *header;
        let right = self.client.delivered.last;
        let last = self.client.sequence;
        let scripted = self.client.scripted_acks.iter().position(|scripted| *scripted == ack);
        if let Some(place) = scripted {
            self.client.scripted_acks.remove(place);
        } else {
            let before = self.client.ack.replace(ack);
            let near = last.is_some_and(|last| newer(ack, last) && age(ack, last) <= NEAR);
            if self.remote && self.client.hello_at.is_none() {
                self.client.stop_comparing("it said hello, and was sent what it acknowledges, before it was seen");
            }
            if ack == right || self.client.incomparable.is_some() {
                // It is right, or nobody knows.
            } else if sequence == right && near {
                let suspects = Suspects::from(&SEQ_04).or(&ACK_01);
                self.fail(&HEADERS, suspects, || format!("the header has {sequence}, {ack} after packet {last:?}"));
                self.client.sequence = Some(ack);
                return;
            } else {
                let evidence = WrongAck {
                    found: ack,
                    right,
                    unapplied: self.client.delivered.unapplied.contains(&ack),
                    late: self.client.delivered.late.contains(&ack),
                    nothing: ack == Options::nothing(self.options.first_sequence),
                    unchanged: before == Some(ack),
                };
                let what = || format!("packet {sequence} acknowledges {ack}, expected {right}");
                self.fail(&ACKS, diagnosis::wrong_ack(&evidence), what);
            }
        }
        if let Some(last) = last.filter(|last| !newer(sequence, *last)) {
            self.fail(&NUMBERS, &SEQ_01, || format!("packet {sequence} after {last}"));
        }
        self.client.sequence = Some(sequence);
    }

    fn events(&mut self, header: &ClientHeader, records: &[Stamped<ClientRecord>]) {
        let sequence = header.sequence;
        let has = |created: u16, event: &ClientEvent| {
            let mut records = records.iter().filter(|record| record.created == created);
            records.any(|record| matches!(&record.what, ClientRecord::Event(found) if found == event))
        };
        let unacknowledged = &self.client.unacknowledged;
        let missing = unacknowledged.iter().filter(|(created, event)| !has(*created, event));
        for created in missing.map(|(created, _)| *created).collect::<Vec<_>>() {
            let what = || format!("packet {sequence} lacks the event of {created}, which is not acknowledged");
            self.fail(&EVENTS, &EVT_09, what);
            self.client.unacknowledged.retain(|(held, _)| *held != created);
        }
        // The same may be sent twice at one moment.
        let mut held = self.client.unacknowledged.clone();
        for record in records {
            match &record.what {
                ClientRecord::Event(event) => {
                    self.report.saw(Point::ClientEvent);
                    let pair = (record.created, event.clone());
                    if let Some(place) = held.iter().position(|held| *held == pair) {
                        held.remove(place);
                        continue;
                    }
                    match self.client.expected.iter().position(|(_, wanted)| alike(wanted, event)) {
                        Some(place) => _ = self.client.expected.remove(place),
                        None => self.fail(&CAUSED, &EVT_11, || {
                            format!("packet {sequence} has {event:?}, which it was not instructed to send")
                        }),
                    }
                    if let ClientEvent::Jump { time } = *event {
                        self.time(sequence, time);
                    }
                    if self.client.unacknowledged.len() < MAX_EVENTS {
                        self.client.unacknowledged.push_back(pair);
                    }
                }
                ClientRecord::Input(input) => self.input(sequence, input),
            }
        }
        if !records.iter().any(|record| matches!(record.what, ClientRecord::Input(_))) {
            self.fail(&INPUT_THERE, &ACK_08, || format!("packet {sequence} has no input"));
        }
        let limit = EVENT_TICKS * self.options.client_tick_us;
        let now = self.now;
        let late = |(at, _): &&(Time, ClientEvent)| now.since(*at) > limit;
        while let Some((at, event)) = self.client.expected.front().filter(late).cloned() {
            self.client.expected.pop_front();
            self.fail(&EVENTS, &EVT_09, || format!("packet {sequence} lacks {event:?} of {at}"));
        }
    }

    /// Judges a time of the client's by the first one of the session.
    fn time(&mut self, sequence: u16, time: u32) {
        let slack = 4 * self.options.client_tick_us / 1000 + CLOCK_MS;
        let since = Time(self.now.us().saturating_sub(slack * 1000));
        // A time that was taken before the client stood still says nothing of the moment at which it comes.
        if self.client.origin.is_none() && self.report.stood_still(self.host, since, self.now) {
            return;
        }
        let (first, at) = *self.client.origin.get_or_insert((time, self.now));
        let right = first.wrapping_add((self.now.since(at) / 1000) as u32);
        if u64::from(time.abs_diff(right)) > slack {
            self.fail(&TIMES, &SNAP_05, || format!("packet {sequence} has the time {time}, expected {right}"));
        }
    }

    fn input(&mut self, sequence: u16, input: &Input) {
        let right = self.client.input;
        self.report.saw_if(mirrored(right.inputstate) != right.inputstate, Point::KeysSent);
        let Input { inputstate, aimdirection } = *input;
        if inputstate & !INPUTSTATE_BITS != 0 {
            self.fail(&SPARE_BITS, &BASE_03, || format!("packet {sequence} has inputstate {inputstate:#04x}"));
        }
        let keys = inputstate & INPUTSTATE_BITS != right.inputstate;
        let aim = aimdirection != right.aimdirection;
        if keys || aim {
            let suspects = Suspects::from(if keys { &BASE_02 } else { &TYPE_02 }).or_if(keys == aim, &TYPE_01);
            self.fail(&INPUT, suspects, || format!("packet {sequence} has {input:?}, expected {right:?}"));
        }
    }
}

/// Whether a client sends what the scenario wants; times are its own.
fn alike(wanted: &ClientEvent, event: &ClientEvent) -> bool {
    matches!((wanted, event), (ClientEvent::Jump { .. }, ClientEvent::Jump { .. })) || wanted == event
}
