//! A run's history as lines that a person likes to read.

use kit::{
    Command, Delivery, Direction, Dissection, Event, Fate, Form, HostId, LossCause, PacketId, Protocol, Span,
    StatValue, Time, TraceEvent, Unit,
};

/// How much to write down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// A line per event.
    Lines,
    /// A line per event, and every field of every datagram.
    Fields,
}

/// Writes down what happens.
pub struct Transcript {
    protocol: &'static Protocol,
    detail: Option<Detail>,
    hash: sim::TraceHash,
    lines: Vec<Line>,
}

/// One entry of a run's history.
#[derive(Clone, Debug)]
pub struct Line {
    /// When it happened.
    pub at: Time,
    /// Who: a host, or a datagram.
    pub who: String,
    /// What; of a datagram's fields, a line each follows.
    pub what: String,
    /// What kind of line it is.
    pub kind: Kind,
    /// The trace hash of everything up to here.
    pub hash: u64,
}

/// What kind of line it is.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A scenario's instruction.
    Command,
    /// A datagram of which one intact copy arrives.
    Intact {
        /// Its link.
        client: HostId,
        /// Its direction.
        direction: Direction,
        /// When it arrives.
        arrives: Time,
        /// What it says.
        summary: String,
    },
    /// A remark of an endpoint.
    Note,
    /// Anything else, such as a lost datagram or a state change.
    Disturbance,
}

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:>12}  {:<12} {}", self.at, self.who, self.what)
    }
}

impl Transcript {
    /// Writes nothing for `None`.
    pub fn new(protocol: &'static Protocol, detail: Option<Detail>) -> Transcript {
        Transcript { protocol, detail, hash: sim::TraceHash::new(), lines: Vec::new() }
    }

    /// What was written.
    pub fn into_lines(self) -> Vec<Line> {
        self.lines
    }

    fn line(&mut self, at: Time, who: &dyn std::fmt::Display, what: String, kind: Kind) {
        self.lines.push(Line { at, who: who.to_string(), what, kind, hash: self.hash.value() });
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

    fn note(&self, note: usize, args: &[i64; 4]) -> String {
        let Some(row) = self.protocol.notes.get(note) else { return format!("note {note} {args:?}") };
        let args = row.args.iter().zip(args).map(|(name, value)| format!("{name} {value}"));
        let args: Vec<String> = args.collect();
        if args.is_empty() { String::from(row.name) } else { format!("{}: {}", row.name, args.join(", ")) }
    }

    /// A datagram: what it says, and what becomes of it.
    fn on_sent(&mut self, now: Time, packet: PacketId, bytes: &[u8], fate: Fate, found: Option<&Dissection>) {
        let summary = found.map_or("", |found| found.summary.as_str());
        let fate_text = describe(now, fate);
        let kind = match fate {
            _ if found.is_none_or(|found| found.error.is_some()) => Kind::Disturbance,
            // Damage is more than the arrival.
            Fate::Once(copy) if fate_text == format!("arrives {}", now.after(copy.delay_us)) => Kind::Intact {
                client: packet.client,
                direction: packet.direction,
                arrives: now.after(copy.delay_us),
                summary: String::from(summary),
            },
            _ => Kind::Disturbance,
        };
        let mut what = format!("{:>5} bytes  {summary}  [{fate_text}]", bytes.len());
        if let Some(error) = found.and_then(|found| found.error.as_ref()) {
            what.push_str(&format!("\n{:28}cannot be decoded: {error}", ""));
        }
        if let (Some(found), Some(Detail::Fields)) = (found, self.detail) {
            add_fields(&found.spans, bytes, &mut what);
            for (message, spans) in &found.assembled {
                what.push_str(&format!("\n{:28}reassembled message, {} bytes", "", message.len()));
                add_fields(spans, message, &mut what);
            }
        }
        self.line(now, &packet, what, kind);
    }

    /// Whether anything is kept.
    pub fn is_kept(&self) -> bool {
        self.detail.is_some()
    }

    /// One line of history.
    pub fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        if self.detail.is_none() {
            return;
        }
        kit::Probe::on(&mut self.hash, now, event);
        match event {
            TraceEvent::Command { host, command } => {
                let text = self.command(command);
                self.line(now, host, text, Kind::Command);
            }
            TraceEvent::Sent { packet, bytes, fate, dissection } => {
                self.on_sent(now, *packet, bytes, *fate, *dissection);
            }
            TraceEvent::Event { host, event } => {
                let text = match event {
                    Event::State { peer, from, to, cause } if peer.host != HostId::SERVER => {
                        format!("{}: {from} -> {to} ({cause})", peer.host)
                    }
                    Event::State { from, to, cause, .. } => format!("{from} -> {to} ({cause})"),
                    Event::Rejected { peer, error } => format!("rejects a datagram of {}: {error}", peer.host),
                    Event::Print { text } => format!("prints {:?}", String::from_utf8_lossy(text)),
                    Event::Note { note, args } => self.note(*note, args),
                };
                let kind = if matches!(event, Event::Note { .. }) { Kind::Note } else { Kind::Disturbance };
                self.line(now, host, text, kind);
            }
            // What is delivered was described when it was sent; timers say nothing.
            TraceEvent::Delivered { .. } | TraceEvent::Timeout { .. } => {}
        }
    }
}

/// The fields of a datagram, a line each.
fn add_fields(spans: &[Span], bytes: &[u8], text: &mut String) {
    for span in spans {
        let indent = 28 + 2 * usize::from(span.depth);
        text.push_str(&format!("\n{:indent$}{}", "", span.field));
        if span.form != Form::Group {
            text.push_str(&format!(" = {}", span.value(bytes)));
        }
    }
}

fn describe(now: Time, fate: Fate) -> String {
    let arrival = |delivery: Delivery| format!("{}{}", now.after(delivery.delay_us), delivery.damage);
    match fate {
        Fate::Lost(cause) => format!(
            "lost: {}",
            match cause {
                LossCause::Random => "random",
                LossCause::Burst => "burst",
                LossCause::Outage => "outage",
                LossCause::Script => "script",
                LossCause::Mtu => "above the MTU",
                LossCause::Queue => "queue full",
            }
        ),
        Fate::Once(only) => format!("arrives {}", arrival(only)),
        Fate::Twice(first, second) => format!("arrives {} and {}", arrival(first), arrival(second)),
    }
}
