//! A demo, judged while it is read: each part alone, and those of one profile together.

use super::parts::{Ask, Counted, Next, Part, Parts};
use crate::capture::{Capture, CaptureDatagram};
use crate::observe::Observation;
use crate::observe::choose::{Reading, Unreadable};
use crate::observe::played::Played;
use kit::{Container, Protocol};

/// What was found in the parts of one profile.
pub struct OfProfile {
    pub protocol: &'static Protocol,
    /// How the profile was found, if it was not given.
    pub reading: Option<Reading>,
    /// What was found.
    pub observation: Observation,
}

/// A demo, judged.
pub struct Judged {
    /// By profile, in the order in which the profiles come.
    pub of: Vec<OfProfile>,
    /// How much was read.
    pub counted: Counted,
    /// The versions of neighbours in which parts of it are, which cannot be read.
    pub others: Vec<String>,
}

/// Gives the values of a protocol's options that the wire does not show, each with its index.
pub type Options<'a, E> = &'a dyn Fn(&'static Protocol) -> Result<Vec<(usize, i64)>, E>;

/// Judges a demo of this container; `seen` is given each message with the part that it is of. Of the file nothing is held but a window.
///
/// # Errors
/// Nothing reads a part, or several profiles alike; an option is none of the protocol's; the file ends with a fault.
pub fn judge<E: From<Unreadable>>(
    capture: &mut Capture,
    container: Container,
    ask: Ask<'_>,
    options: Options<'_, E>,
    seen: &mut dyn FnMut(&Part, CaptureDatagram),
) -> Result<Judged, E> {
    let name = String::from(capture.name());
    let mut judged = Judged { of: Vec::new(), counted: Counted::default(), others: Vec::new() };
    let mut parts = Parts::new(capture, ask);
    let mut now: Option<(Box<Part>, Played)> = None;
    while let Some(next) = parts.next_of_demo()? {
        match next {
            Next::Part(part) => {
                judged.end(now.take());
                if let Some(open) = part.reading.as_ref().filter(|reading| reading.is_open()) {
                    return Err(Unreadable::Input(format!("{name}: {open}")).into());
                }
                for other in &part.others {
                    if !judged.others.contains(other) {
                        judged.others.push(other.clone());
                    }
                }
                let options = options(part.choice.protocol)?;
                let played = Played::new(part.choice.protocol, part.profile, &options, container);
                now = Some((part, played));
            }
            Next::Message(message) => {
                judged.counted.messages += 1;
                judged.counted.length = message.time.unwrap_or_default().max(judged.counted.length);
                let Some((part, played)) = &mut now else { continue };
                played.message(&message);
                seen(part, *message);
            }
        }
    }
    judged.end(now);
    match parts.fault() {
        Some(fault) => Err(Unreadable::Input(fault.to_string()).into()),
        None => Ok(judged),
    }
}

impl Judged {
    /// A part ends.
    fn end(&mut self, part: Option<(Box<Part>, Played)>) {
        let Some((part, played)) = part else { return };
        let (observation, protocol) = (played.finish(), part.choice.protocol);
        self.counted.unread += observation.unread;
        match self.of.iter_mut().find(|before| before.observation.profile == observation.profile) {
            Some(before) => before.observation.join(observation, protocol),
            None => self.of.push(OfProfile { protocol, reading: part.reading, observation }),
        }
    }
}
