//! A demo, moment by moment: all messages that it has of one time are one frame, since a client reads them at once; but what comes
//! before the first frame of a game, which announces it, is one of its own.

use crate::capture::CaptureDatagram;
use crate::demo::Origin;
use crate::demo::block::Audience;
use crate::demo::wrap::{Clockwork, HEADER_BYTES};
use kit::{Container, DecodeError, Dissection, Field, Form, Scene, Span, StatValue, Time};

/// What a field of a message says.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Int(i64),
    Float(f32),
    Fraction(f64),
    /// Text, which need not be UTF-8.
    Text(Vec<u8>),
    Bytes(Vec<u8>),
}

impl Value {
    fn of(span: &Span, bytes: &[u8]) -> Option<Value> {
        let raw = bytes.get(span.start..span.end)?;
        let unsigned = || raw.iter().rev().take(8).fold(0_u64, |value, byte| value << 8 | u64::from(*byte));
        let signed = || {
            let unused = 64 - 8 * raw.len().clamp(1, 8) as u32;
            ((unsigned() << unused) as i64) >> unused
        };
        Some(match span.form {
            Form::Group => return None,
            Form::Unsigned => Value::Int(unsigned() as i64),
            Form::BigEndian => Value::Int(raw.iter().take(8).fold(0, |value, byte| value << 8 | i64::from(*byte))),
            Form::Signed => Value::Int(signed()),
            Form::Float => Value::Float(f32::from_le_bytes(*raw.first_chunk()?)),
            Form::Fraction(n) => Value::Fraction(signed() as f64 / f64::from(n.max(1))),
            Form::Text => Value::Text(raw.strip_suffix(&[0]).unwrap_or(raw).to_vec()),
            Form::Bytes => Value::Bytes(raw.to_vec()),
        })
    }
}

/// Fields by name, in order; several of one name are a list.
pub type Values = Vec<(&'static str, Vec<Value>)>;

/// Something that happened: a sound, a text, an effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Happening {
    /// The service, by its own name: `svc_sound`.
    pub name: &'static str,
    /// To whom it was said.
    pub to: Audience,
    /// Where it stands in the file, in bytes.
    pub place: u64,
    /// Its fields by name, in order; several of one name are a list.
    pub values: Values,
}

/// A message that cannot be read to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// Where the field stands in the file that cannot be read, in bytes.
    pub place: u64,
    /// What is wrong.
    pub error: DecodeError,
    /// So many bytes of the message are not read.
    pub bytes: usize,
}

/// The entities of a moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entities {
    /// Their numbers, ascending.
    pub numbers: Vec<u32>,
    /// Their fields, one after the other; floats are bits.
    fields: Vec<i32>,
    /// How many fields each has.
    stride: usize,
    /// For each the message that changed it last, by its place in the file.
    places: Vec<u64>,
    /// For each whether it is not as it was a moment before.
    changed: Vec<bool>,
}

/// One entity of a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entity<'a> {
    pub number: u32,
    pub fields: &'a [i32],
    /// The message that changed it last, by its place in the file.
    pub place: u64,
    /// Whether it is not as it was a moment before.
    pub changed: bool,
}

impl Entities {
    /// The entity at this index.
    pub fn at(&self, index: usize) -> Option<Entity<'_>> {
        let fields = self.fields.get(index * self.stride..(index + 1) * self.stride)?;
        Some(Entity {
            number: *self.numbers.get(index)?,
            fields,
            place: *self.places.get(index)?,
            changed: *self.changed.get(index)?,
        })
    }

    /// Whether the entity at this index is not as it was a moment before.
    pub fn is_changed(&self, index: usize) -> bool {
        self.changed.get(index).copied().unwrap_or_default()
    }

    /// All of them, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = Entity<'_>> {
        (0..self.numbers.len()).filter_map(|index| self.at(index))
    }

    /// The entity of this number.
    pub fn get(&self, number: u32) -> Option<Entity<'_>> {
        self.at(self.numbers.binary_search(&number).ok()?)
    }

    fn clear(&mut self) {
        self.numbers.clear();
        self.fields.clear();
        self.places.clear();
        self.changed.clear();
    }
}

/// What there is of one time.
#[derive(Clone, Debug, Default)]
pub struct Moment {
    /// Its number, from 1.
    pub number: usize,
    /// The part of the demo, from 1.
    pub part: u16,
    /// When, since the demo began.
    pub time: Time,
    /// The server's own number of its frame, if it has one.
    pub server_frame: Option<u32>,
    /// The first and the last message, by number from 1.
    pub messages: (usize, usize),
    /// Where the first message stands in the file, in bytes.
    pub place: u64,
    /// Whether it builds on something that the demo does not have.
    pub is_incomplete: bool,
    pub entities: Entities,
    /// The entities that were there a moment before, ascending.
    pub gone: Vec<u32>,
    /// What the one who recorded is told of himself, by name.
    pub player: Vec<(&'static str, StatValue)>,
    /// Statistics: whose in the recording of a server, the number, and the value.
    pub stats: Vec<(Option<u8>, u8, StatValue)>,
    /// So often the statistics changed in this part until now.
    pub stats_version: u64,
    /// What happened, in order.
    pub happened: Vec<Happening>,
    /// What cannot be read.
    pub unread: Vec<Unread>,
    /// How many services there were.
    pub services: usize,
}

/// Makes moments of the messages of one part of a demo.
pub struct Moments {
    scene: Box<dyn Scene>,
    out: Dissection,
    now: Moment,
    /// The moment before, which is complete.
    before: Moment,
    is_open: bool,
    /// Whether a message said the time of the game.
    has_begun: bool,
    clockwork: Clockwork,
    /// What the scene says of the statistics of the moment before.
    stats_version: Option<u64>,
    /// The newest message, by its place.
    newest: u64,
}

impl Moments {
    /// Of what `scene` follows; `number` is that of the last moment before them.
    pub fn new(scene: Box<dyn Scene>, number: usize) -> Moments {
        Moments {
            scene,
            out: Dissection { want_spans: true, marks_only: true, ..Dissection::default() },
            now: Moment { number, ..Moment::default() },
            before: Moment::default(),
            is_open: false,
            has_begun: false,
            clockwork: Clockwork::default(),
            stats_version: None,
            newest: 0,
        }
    }

    /// What follows them.
    pub fn scene(&self) -> &dyn Scene {
        &*self.scene
    }

    /// The moment that was completed last.
    pub fn complete(&self) -> &Moment {
        &self.before
    }

    /// The fields of an entity, by number.
    pub fn fields(&self) -> &'static [Field] {
        self.scene.fields()
    }

    /// Takes the next message. The moment before, if this is the first of another one.
    pub fn message(&mut self, datagram: &CaptureDatagram) -> Option<&Moment> {
        let origin = datagram.demo?;
        let time = datagram.time.unwrap_or_default();
        let message = datagram.bytes.get(HEADER_BYTES..).unwrap_or_default();
        let says_time = self.clockwork.said_time(origin.container, message).is_some();
        let begins = says_time && !self.has_begun;
        self.has_begun |= says_time;
        let is_done = self.is_open && (time != self.now.time || begins);
        if is_done {
            self.settle();
        }
        if is_done || !self.is_open {
            let (number, place, first) = (self.now.number + 1, origin.at, datagram.line_or_packet);
            let now = &mut self.now;
            (now.number, now.part, now.time) = (number, datagram.client.0, time);
            (now.messages, now.place) = ((first, first), place);
            now.services = 0;
            now.happened.clear();
            now.unread.clear();
        }
        self.is_open = true;
        self.now.messages.1 = datagram.line_or_packet;
        self.newest = origin.at;
        self.read(origin, &datagram.bytes);
        is_done.then_some(&self.before)
    }

    /// The last moment, at the end of the part.
    pub fn finish(&mut self) -> Option<&Moment> {
        if !std::mem::take(&mut self.is_open) {
            return None;
        }
        self.settle();
        Some(&self.before)
    }

    fn read(&mut self, origin: Origin, bytes: &[u8]) {
        let to = match origin.to {
            Audience::All => u32::MAX,
            Audience::Players(mask) => mask,
        };
        self.out.clear();
        self.scene.datagram(to, bytes, &mut self.out);
        let Moment { happened, services: count, .. } = &mut self.now;
        *count += services(&self.out.spans, bytes, &*self.scene, &mut |name, at, values| {
            happened.push(Happening { name, to: origin.to, place: origin.place(at), values });
        });
        for (message, spans) in &self.out.assembled {
            *count += services(spans, message, &*self.scene, &mut |name, at, values| {
                // What was put together of fragments stands in a `.dem` as it is; what was packed has no place of its own.
                let place = if origin.container == Container::Dem { origin.at + at as u64 } else { origin.at };
                happened.push(Happening { name, to: origin.to, place, values });
            });
        }
        if let Some(error) = self.out.error.take() {
            let left = bytes.len().saturating_sub(error.offset);
            self.now.unread.push(Unread { place: origin.place(error.offset), error, bytes: left });
        }
    }

    /// Completes the moment: what is held now is what it leaves. It becomes the one before.
    fn settle(&mut self) {
        let Moments { scene, now, before, newest, stats_version, .. } = self;
        now.server_frame = scene.frame();
        now.is_incomplete = scene.is_incomplete();
        now.player.clear();
        scene.player(&mut |name, value| now.player.push((name, value)));
        let version = scene.stats_version();
        if version.is_some() && version == *stats_version {
            now.stats.clone_from(&before.stats);
            now.stats_version = before.stats_version;
        } else {
            now.stats.clear();
            scene.stats(&mut |player, stat, value| now.stats.push((player, stat, value)));
            now.stats_version = before.stats_version + u64::from(now.stats != before.stats);
        }
        *stats_version = version;
        now.entities.clear();
        now.gone.clear();
        let mut place = 0;
        scene.entities(&mut |number, fields| {
            let held = &before.entities;
            while let Some(gone) = held.numbers.get(place).filter(|held| **held < number) {
                now.gone.push(*gone);
                place += 1;
            }
            let known = held.at(place).filter(|held| held.number == number);
            place += usize::from(known.is_some());
            let same = known.filter(|held| held.fields == fields);
            let all = &mut now.entities;
            all.stride = fields.len();
            all.numbers.push(number);
            all.fields.extend_from_slice(fields);
            all.places.push(same.map_or(*newest, |held| held.place));
            all.changed.push(same.is_none());
        });
        now.gone.extend(before.entities.numbers.get(place..).unwrap_or_default());
        std::mem::swap(now, before);
        (now.number, now.time) = (before.number, before.time);
    }
}

/// Visits the services of which something happens: the name, the offset, and the fields. How many services there are.
fn services(
    spans: &[Span],
    bytes: &[u8],
    scene: &dyn Scene,
    visit: &mut dyn FnMut(&'static str, usize, Values),
) -> usize {
    let is_service = |span: &Span| span.depth == 0 && span.form == Form::Group;
    let (mut rest, mut count) = (spans, 0);
    while let Some(start) = rest.iter().position(is_service) {
        let Some((group, inside)) = rest.get(start..).and_then(<[Span]>::split_first) else { break };
        count += 1;
        let end = inside.iter().position(|span| span.depth == 0).unwrap_or(inside.len());
        let (fields, others) = inside.split_at(end);
        rest = others;
        let Some((first, fields)) = fields.split_first() else { continue };
        let service = bytes.get(first.start).copied().unwrap_or_default();
        let Some(name) = scene.event(service) else { continue };
        let mut values: Values = Vec::new();
        for span in fields {
            let Some(value) = Value::of(span, bytes) else { continue };
            match values.iter_mut().find(|(field, _)| *field == span.field) {
                Some((_, list)) => list.push(value),
                None => values.push((span.field, vec![value])),
            }
        }
        visit(name, group.start, values);
    }
    count
}
