//! A history as lines that a person likes to read.

use crate::history::{Datagram, Entry, Fate, Field, History, What};
use kit::{Damage, Direction, HostId, Time};
use std::fmt::Write;

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
        direction: Direction,
        /// When it arrives.
        arrives: Time,
        /// What it says.
        summary: String,
    },
    /// A remark of an endpoint.
    Note,
    /// A finding, which no trace that is kept for review has among its lines.
    Finding,
    /// Anything else, such as a lost datagram or a state change.
    Disturbance,
}

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:>12}  {:<12} {}", self.at, self.who, self.what)
    }
}

/// The lines of a history; findings are among them.
pub fn lines(history: &History) -> Vec<Line> {
    history.entries.iter().filter_map(line).collect()
}

/// The line of an entry. What is delivered has none: it was described when it was sent.
pub fn line(entry: &Entry) -> Option<Line> {
    let (who, what, kind) = match &entry.what {
        What::Command { host, text } => (host.to_string(), text.clone(), Kind::Command),
        What::Sent(datagram) => (datagram.packet.to_string(), sent(datagram), kind(datagram)),
        What::Delivered { .. } => return None,
        What::State { host, peer, from, to, cause } => {
            let whose = if *peer == HostId::SERVER { String::new() } else { format!("{peer}: ") };
            (host.to_string(), format!("{whose}{from} -> {to} ({cause})"), Kind::Disturbance)
        }
        What::Rejected { host, peer, why } => {
            (host.to_string(), format!("rejects a datagram of {peer}: {why}"), Kind::Disturbance)
        }
        What::Print { host, text } => (host.to_string(), format!("prints {text:?}"), Kind::Disturbance),
        What::Note { host, name, arguments } => {
            let arguments = arguments.iter().map(|argument| format!("{} {}", argument.name, argument.value));
            let arguments: Vec<String> = arguments.collect();
            let what = if arguments.is_empty() { name.clone() } else { format!("{name}: {}", arguments.join(", ")) };
            (host.to_string(), what, Kind::Note)
        }
        What::Finding(found) => {
            let finding = &found.finding;
            let mut what = format!("{} {} {}", finding.suspects(), finding.weight(), finding.host);
            if let Some(cause) = found.cause {
                let _ = write!(what, ", when {} was {}", cause.packet, cause.stage.name());
            }
            let _ = write!(what, ": {}", finding.what);
            (String::from("finding"), what, Kind::Finding)
        }
    };
    Some(Line { at: entry.at, who, what, kind, hash: entry.hash })
}

/// A datagram: what it says, and what becomes of it.
fn sent(datagram: &Datagram) -> String {
    let Datagram { bytes, summary, fate, .. } = datagram;
    let mut what = format!("{:>5} bytes  {summary}  [{fate}]", bytes.len());
    if let Some(error) = &datagram.error {
        let _ = write!(what, "\n{:28}cannot be decoded: {error}", "");
    }
    add_fields(&datagram.fields, &mut what);
    for message in &datagram.messages {
        let _ = write!(what, "\n{:28}reassembled message, {} bytes", "", message.bytes.len());
        add_fields(&message.fields, &mut what);
    }
    what
}

fn kind(datagram: &Datagram) -> Kind {
    let Datagram { packet, summary, fate, error, .. } = datagram;
    match fate {
        // Damage is more than the arrival.
        Fate::Arrives(arrivals) if error.is_none() => match arrivals.as_slice() {
            [only] if only.damage == Damage::None => Kind::Intact {
                client: packet.client,
                direction: packet.direction,
                arrives: only.at,
                summary: summary.clone(),
            },
            _ => Kind::Disturbance,
        },
        Fate::Arrives(_) | Fate::Lost(_) => Kind::Disturbance,
    }
}

/// The fields of a datagram, a line each.
fn add_fields(fields: &[Field], text: &mut String) {
    for field in fields {
        let indent = 28 + 2 * usize::from(field.depth);
        let _ = write!(text, "\n{:indent$}{}", "", field.field);
        if let Some(value) = &field.value {
            let _ = write!(text, " = {value}");
        }
    }
}
