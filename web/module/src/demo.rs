//! A demo: every field of its first messages, and what an oracle finds in all of it.

use judging::capture::{Capture, CaptureDatagram};
use judging::demo::wrap::HEADER_BYTES;
use judging::observe::choose::{Choice, Unreadable};
use judging::observe::follow::Follower;
use judging::registry::PROTOCOLS;
use judging::scene::judge::judge;
use judging::scene::parts::{Ask, Part};
use kit::{Container, Dissection};
use serde_json::{Value, json};

/// Reads a demo of this container while it is judged; `most` messages of it are shown.
pub(crate) fn demo(
    mut capture: Capture,
    container: Container,
    forced: Option<Choice>,
    most: usize,
) -> Result<Value, String> {
    let ask = Ask { protocols: PROTOCOLS, forced, assume: None, strict: true };
    let mut shown = Shown { messages: Vec::new(), reader: None, dissection: Dissection::default() };
    shown.dissection.want_spans = true;
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

/// The messages that are shown, and what reads those of a part.
struct Shown {
    messages: Vec<Value>,
    reader: Option<(u16, Follower)>,
    dissection: Dissection,
}

impl Shown {
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
        // What the server said begins behind a header, which in most demos nobody has sent.
        let head = if origin.container == Container::Qwd { 0 } else { HEADER_BYTES };
        let spans = read.spans.iter().filter(|span| span.start >= head);
        let fields = spans.map(|span| {
            json!({ "offset": origin.place(span.start), "field": span.field, "value": span.value(&message.bytes), "depth": span.depth })
        });
        let hex = message.bytes.get(head..).unwrap_or_default().iter().map(|byte| format!("{byte:02x}"));
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
