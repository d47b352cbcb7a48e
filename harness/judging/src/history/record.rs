//! Writes a history down while a run happens.

use super::{
    Argument, Arrival, Carried, Cause, CauseStage, Datagram, Entry, Fate, Field, Found, History, Message, Packet, Run,
    What,
};
use crate::finding::FindingReport;
use kit::{
    Command, Dissection, Event, Finding, Form, HostId, LossCause, PacketId, Probe, Protocol, Span, StatValue, Time,
    TraceEvent, Unit,
};

/// How much to write down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Everything but the fields of datagrams.
    Events,
    /// Everything.
    Fields,
}

/// Writes down what happens.
pub struct Recorder {
    protocol: &'static Protocol,
    detail: Detail,
    hash: sim::TraceHash,
    /// The datagram on which a host acts now.
    input: Option<Packet>,
    /// Findings written down.
    found: usize,
    history: History,
}

impl Recorder {
    /// Has written nothing.
    pub fn new(protocol: &'static Protocol, run: Run, detail: Detail) -> Recorder {
        let history = History { run, ..History::default() };
        Recorder { protocol, detail, hash: sim::TraceHash::new(), input: None, found: 0, history }
    }

    /// What was written of a run that has ended.
    pub fn into_history(self, end: Time) -> History {
        History { end, ..self.history }
    }

    /// One line of history.
    pub fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        self.hash.on(now, event);
        match *event {
            TraceEvent::Command { host, command } => {
                self.input = None;
                let text = self.command(command);
                self.add(now, What::Command { host, text });
            }
            TraceEvent::Sent { packet, bytes, fate, dissection } => {
                let datagram = self.datagram(now, packet, bytes, fate, dissection);
                self.add(now, What::Sent(Box::new(datagram)));
            }
            TraceEvent::Delivered { packet, copy, intact, .. } => {
                let packet = Packet::from(packet);
                self.input = Some(packet);
                self.add(now, What::Delivered { packet, copy, intact });
            }
            TraceEvent::Timeout { .. } => self.input = None,
            TraceEvent::Event { host, event } => {
                let what = self.event(host, event);
                self.add(now, what);
            }
        }
    }

    /// Writes down which of all `findings` are new since this was asked last. They were made certain by `event`, or, for
    /// `None`, by what a host shows after it has acted.
    pub fn find(&mut self, now: Time, findings: &[Finding], event: Option<&TraceEvent<'_>>) {
        let new = findings.get(self.found..).unwrap_or_default();
        if new.is_empty() {
            return;
        }
        let handled = self.input.map(|packet| Cause { packet, stage: CauseStage::Handled });
        let cause = match event {
            Some(TraceEvent::Sent { packet, .. }) => {
                Some(Cause { packet: Packet::from(*packet), stage: CauseStage::Sent })
            }
            Some(TraceEvent::Delivered { packet, .. }) => {
                Some(Cause { packet: Packet::from(*packet), stage: CauseStage::Delivered })
            }
            Some(TraceEvent::Command { .. } | TraceEvent::Timeout { .. }) => None,
            Some(TraceEvent::Event { .. }) | None => handled,
        };
        self.found = findings.len();
        for finding in new {
            self.add(now, What::Finding(Box::new(Found { finding: FindingReport::from(finding), cause })));
        }
    }

    /// The run is over: what is found from here on is no host's doing at the moment.
    pub fn finish(&mut self, end: Time, findings: &[Finding]) {
        self.input = None;
        self.find(end, findings, None);
    }

    fn add(&mut self, at: Time, what: What) {
        self.history.entries.push(Entry { at, hash: self.hash.value(), what });
    }

    fn command(&self, command: &Command) -> String {
        let field = |field: usize, value: i32| match self.protocol.fields.get(field) {
            Some(info) if info.unit == Unit::Float => format!("{} {}", info.name, f32::from_bits(value as u32)),
            Some(info) => format!("{} {value}", info.name),
            None => format!("field {field} {value}"),
        };
        match *command {
            Command::Connect => String::from("connect"),
            Command::Disconnect => String::from("disconnect"),
            Command::Baseline { entity, field: index, value } => {
                format!("baseline of {entity}: {}", field(index, value))
            }
            Command::Spawn { entity } => format!("spawn {entity}"),
            Command::Set { entity, field: index, value } => format!("set {entity}: {}", field(index, value)),
            Command::Remove { entity } => format!("remove {entity}"),
            Command::Stat { client, stat, value } => match value {
                StatValue::Int(value) => format!("stat {stat} of client{client}: {value}"),
                StatValue::Float(value) => format!("stat {stat} of client{client}: {value}"),
            },
            Command::Map => String::from("new map"),
            Command::Verb { verb, args } => {
                let name = self.protocol.verbs.get(verb).map_or("verb", |verb| verb.name);
                format!("{name} {args:?}")
            }
        }
    }

    fn event(&self, host: HostId, event: &Event) -> What {
        match event {
            Event::State { peer, from, to, cause } => {
                let [from, to, cause] = [from, to, cause].map(|text| String::from(*text));
                What::State { host, peer: peer.host, from, to, cause }
            }
            Event::Rejected { peer, error } => What::Rejected { host, peer: peer.host, why: error.to_string() },
            Event::Print { text } => What::Print { host, text: String::from_utf8_lossy(text).into_owned() },
            Event::Note { note, args } => match self.protocol.notes.get(*note) {
                Some(row) => {
                    let arguments = row.args.iter().zip(args);
                    let arguments = arguments.map(|(name, &value)| Argument { name: String::from(*name), value });
                    What::Note { host, name: String::from(row.name), arguments: arguments.collect() }
                }
                None => What::Note { host, name: format!("note {note} {args:?}"), arguments: Vec::new() },
            },
        }
    }

    fn datagram(
        &self,
        now: Time,
        packet: PacketId,
        bytes: &[u8],
        fate: kit::Fate,
        found: Option<&Dissection>,
    ) -> Datagram {
        let mut datagram = Datagram {
            packet: Packet::from(packet),
            bytes: bytes.to_vec(),
            fate: fate_of(now, fate),
            summary: String::new(),
            carries: Vec::new(),
            fields: Vec::new(),
            messages: Vec::new(),
            error: None,
        };
        let Some(found) = found else { return datagram };
        datagram.summary.clone_from(&found.summary);
        datagram.error = found.error.as_ref().map(ToString::to_string);
        let marks = found.marks.iter().map(|mark| {
            let kind = self.protocol.marks.get(mark.kind).copied().unwrap_or("?");
            Carried { kind: String::from(kind), number: mark.number }
        });
        datagram.carries = marks.collect();
        if self.detail == Detail::Fields {
            datagram.fields = fields(&found.spans, bytes);
            let messages = found.assembled.iter();
            let messages =
                messages.map(|(bytes, spans)| Message { bytes: bytes.clone(), fields: fields(spans, bytes) });
            datagram.messages = messages.collect();
        }
        datagram
    }
}

/// The options of a protocol with other values than their defaults, by name.
pub fn options(protocol: &Protocol, values: &[i64]) -> Vec<Argument> {
    let given = protocol.options.iter().zip(values).filter(|(option, value)| option.default != **value);
    given.map(|(option, value)| Argument { name: String::from(option.name), value: *value }).collect()
}

fn fields(spans: &[Span], bytes: &[u8]) -> Vec<Field> {
    let field = |span: &Span| Field {
        field: String::from(span.field),
        offset: span.start,
        length: span.end.saturating_sub(span.start),
        depth: span.depth,
        value: (span.form != Form::Group).then(|| span.value(bytes)),
    };
    spans.iter().map(field).collect()
}

fn fate_of(now: Time, fate: kit::Fate) -> Fate {
    let arrival = |one: kit::Delivery| Arrival { at: now.after(one.delay_us), damage: one.damage };
    match fate {
        kit::Fate::Lost(cause) => Fate::Lost(String::from(match cause {
            LossCause::Random => "random",
            LossCause::Burst => "burst",
            LossCause::Outage => "outage",
            LossCause::Script => "script",
            LossCause::Mtu => "above the MTU",
            LossCause::Queue => "queue full",
            LossCause::Port => "old port",
        })),
        kit::Fate::Once(only) => Fate::Arrives(vec![arrival(only)]),
        kit::Fate::Twice(first, second) => Fate::Arrives(vec![arrival(first), arrival(second)]),
    }
}
