//! A demo: every field of its first messages, and what an oracle finds in all of it.

use judging::capture::{Capture, CaptureDatagram};
use judging::observe::choose::{Choice, Unreadable};
use judging::observe::follow::{Follower, Heard};
use judging::registry::PROTOCOLS;
use judging::scene::judge::judge;
use judging::scene::parts::{Ask, Counted, Next, Part, Parts};
use kit::{Container, Dissection};
use serde_json::{Value, json};

/// Reads a demo of this container while it is judged; `most` messages of it are shown.
///
/// # Errors
/// It cannot be judged: nothing reads it well enough, or several profiles read it alike.
pub(crate) fn judged(
    mut capture: Capture,
    container: Container,
    forced: Option<Choice>,
    most: usize,
) -> Result<Value, String> {
    let ask = Ask { protocols: PROTOCOLS, forced, assume: None, strict: true };
    let mut shown = Shown::new();
    let judged = judge::<Unreadable>(&mut capture, container, ask, &|_| Ok(Vec::new()), &mut |part, message| {
        if shown.messages.len() < most {
            shown.message(part, &message);
        }
    })
    .map_err(|error| error.to_string())?;
    Ok(json!({
        "demo": { "container": container.name(), "length_us": judged.counted.length.us(), "others": judged.others, "unread": judged.counted.unread },
        "all": judged.counted.messages,
        "messages": shown.messages,
        "remarks": capture.remarks(),
        "observations": judged.of.into_iter().map(|of| of.observation).collect::<Vec<_>>(),
    }))
}

/// Reads a demo that cannot be judged because of `why`, by whatever reads it best; `most` messages of it are shown.
///
/// # Errors
/// Nothing reads it at all.
pub(crate) fn shown(
    mut capture: Capture,
    container: Container,
    forced: Option<Choice>,
    most: usize,
    why: &str,
) -> Result<Value, String> {
    let ask = Ask { protocols: PROTOCOLS, forced, assume: None, strict: false };
    let (mut shown, mut counted, mut others) = (Shown::new(), Counted::default(), Vec::<String>::new());
    let mut now: Option<(Box<Part>, Follower)> = None;
    let mut profiles: Vec<(&str, usize, String)> = Vec::new();
    let mut parts = Parts::new(&mut capture, ask);
    let mut read = Dissection { marks_only: true, ..Dissection::default() };
    while let Some(next) = parts.next_of_demo().map_err(|error| error.to_string())? {
        let message = match next {
            Next::Part(part) => {
                let dissector = part.choice.dissector(part.assumed.as_deref()).map_err(|error| error.to_string())?;
                let alike = part.reading.as_ref().map(|reading| reading.alike.join(", ")).unwrap_or_default();
                if profiles.last().is_none_or(|(name, ..)| *name != part.profile.name) {
                    profiles.push((part.profile.name, 0, alike));
                }
                for other in &part.others {
                    if !others.contains(other) {
                        others.push(other.clone());
                    }
                }
                now = Some((part, Follower::new(dissector)));
                continue;
            }
            Next::Message(message) => message,
        };
        let Some((part, follower)) = &mut now else { continue };
        read.clear();
        let heard = follower.datagram(message.client, message.direction, &message.bytes, &mut read);
        counted.messages += 1;
        counted.unread += usize::from(matches!(heard, Heard::Unreadable | Heard::Neighbour | Heard::Stranger));
        counted.length = message.time.unwrap_or_default().max(counted.length);
        if let Some((_, messages, _)) = profiles.last_mut() {
            *messages += 1;
        }
        if shown.messages.len() < most {
            shown.message(part, &message);
        }
    }
    let fault = parts.fault().map(|fault| fault.to_string());
    let observations = profiles.into_iter().map(|(profile, messages, alike)| {
        let why = match alike.is_empty() {
            true => String::from(why),
            false => format!("{alike} read this alike: choose one of them as the profile above, and drop it again"),
        };
        json!({ "profile": profile, "datagrams": messages, "findings": [], "covered": [], "unjudged": [], "remarks": [], "not_judged": why })
    });
    let observations: Vec<Value> = observations.collect();
    let remarks: Vec<String> = capture.remarks().into_iter().chain(fault).collect();
    Ok(json!({
        "demo": { "container": container.name(), "length_us": counted.length.us(), "others": others, "unread": counted.unread },
        "all": counted.messages,
        "messages": shown.messages,
        "remarks": remarks,
        "observations": observations,
    }))
}

/// The messages that are shown, and what reads those of a part.
struct Shown {
    messages: Vec<Value>,
    reader: Option<(u16, Follower)>,
    dissection: Dissection,
}

impl Shown {
    fn new() -> Shown {
        let dissection = Dissection { want_spans: true, ..Dissection::default() };
        Shown { messages: Vec::new(), reader: None, dissection }
    }

    fn message(&mut self, part: &Part, message: &CaptureDatagram) {
        let Some(origin) = message.demo else { return };
        if self.reader.as_ref().is_none_or(|(number, _)| *number != part.number) {
            let dissector = part.choice.dissector(part.assumed.as_deref());
            self.reader = dissector.ok().map(|dissector| (part.number, Follower::new(dissector)));
        }
        let Some((_, follower)) = &mut self.reader else { return };
        let read = &mut self.dissection;
        read.clear();
        follower.datagram(message.client, message.direction, &message.bytes, read);
        let (bytes, spans, place) = origin.message(&message.bytes, read);
        let fields = spans.iter().map(|span| {
            let offset = place.wrapping_add(span.start as u64);
            json!({ "offset": offset, "field": span.field, "value": span.value(bytes), "depth": span.depth })
        });
        let hex =
            message.bytes.get(origin.header_bytes()..).unwrap_or_default().iter().map(|byte| format!("{byte:02x}"));
        self.messages.push(json!({
            "at_us": message.time.unwrap_or_default().us(),
            "place": origin.at,
            "to": origin.to.to_string(),
            "summary": read.summary,
            "error": read.error.as_ref().map(ToString::to_string),
            "fields": fields.collect::<Vec<_>>(),
            "bytes": hex.collect::<String>(),
        }));
    }
}
