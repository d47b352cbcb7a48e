//! Where two demos of one game part: the first frame that is not the same in both.

use super::moment::{Happening, Moment, Value};
use super::parts::Frames;
use crate::observe::choose::Unreadable;
use kit::{Field, Scene, StatValue, Unit};
use serde::Serialize;
use std::cmp::Ordering;

/// Most differences of one frame that are told.
pub const MOST: usize = 100;

/// A value that is not the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Of what: `entity 17`, `statistic health`, `event 2`.
    pub of: String,
    /// The field; empty where the whole is in one alone.
    pub field: String,
    /// What the first demo has; `None` for nothing.
    pub a: Option<String>,
    /// What the second has.
    pub b: Option<String>,
    /// Where in the first file that was said last, in bytes: the message, or the event.
    pub byte_a: u64,
    /// The same in the second.
    pub byte_b: u64,
}

/// A frame of one of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    /// Its number, from 1.
    pub frame: usize,
    /// When, since the demo began, in microseconds.
    pub time_us: u64,
    /// The server's own number of it, if it has one.
    pub server_frame: Option<u32>,
    /// Its first message in the file, in bytes.
    pub byte: u64,
}

impl Place {
    fn of(moment: &Moment) -> Place {
        let Moment { number, time, server_frame, place, .. } = moment;
        Place { frame: *number, time_us: time.us(), server_frame: *server_frame, byte: *place }
    }
}

/// Where two demos part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Parted {
    /// So many frames before are the same.
    pub same: usize,
    /// Frames of the first demo that the second does not have, among them and at its beginning.
    pub only_a: usize,
    /// The same of the second.
    pub only_b: usize,
    /// The frame of the first demo; `None` where it has ended.
    pub a: Option<Place>,
    /// That of the second.
    pub b: Option<Place>,
    /// What is not the same; empty where one has ended.
    pub differences: Vec<Difference>,
}

impl Parted {
    /// Whether they part at all.
    pub fn parts(&self) -> bool {
        self.a.is_some() || self.b.is_some()
    }
}

/// Compares two demos frame by frame, by what the server says its frame or its time is, or else by the time of the demo. Frames
/// that one alone has are passed over: it was begun later, or did not receive them.
///
/// # Errors
/// Nothing reads one of them.
pub fn first_difference(a: &mut Frames<'_>, b: &mut Frames<'_>) -> Result<Parted, Unreadable> {
    let mut parted = Parted::default();
    let (mut has_a, mut has_b) = (a.advance()?, b.advance()?);
    loop {
        let (left, right) = (a.shown().filter(|_| has_a), b.shown().filter(|_| has_b));
        let (Some((left, scene_a, _)), Some((right, scene_b, _))) = (left, right) else {
            // Where both have ended, nothing parts them.
            (parted.a, parted.b) = (left.map(|it| Place::of(it.0)), right.map(|it| Place::of(it.0)));
            return Ok(parted);
        };
        match order(left, right) {
            Ordering::Less => {
                parted.only_a += 1;
                has_a = a.advance()?;
            }
            Ordering::Greater => {
                parted.only_b += 1;
                has_b = b.advance()?;
            }
            Ordering::Equal => {
                let differences = Comparison { a: left, b: right, found: Vec::new() }.all(scene_a, scene_b);
                if !differences.is_empty() {
                    (parted.a, parted.b) = (Some(Place::of(left)), Some(Place::of(right)));
                    parted.differences = differences;
                    return Ok(parted);
                }
                parted.same += 1;
                (has_a, has_b) = (a.advance()?, b.advance()?);
            }
        }
    }
}

/// Which of two frames comes first, by the best clock that both have.
fn order(a: &Moment, b: &Moment) -> Ordering {
    let server_time = |moment: &Moment| match moment.player.first() {
        Some(("server_time", StatValue::Float(time))) => Some(*time),
        _ => None,
    };
    a.part.cmp(&b.part).then_with(|| match (a.server_frame.zip(b.server_frame), server_time(a).zip(server_time(b))) {
        (Some((a, b)), _) => a.cmp(&b),
        (None, Some((a, b))) => a.total_cmp(&b),
        (None, None) => a.time.cmp(&b.time),
    })
}

struct Comparison<'a> {
    a: &'a Moment,
    b: &'a Moment,
    found: Vec<Difference>,
}

impl Comparison<'_> {
    fn all(mut self, scene_a: &dyn Scene, scene_b: &dyn Scene) -> Vec<Difference> {
        self.entities(scene_a.fields(), scene_b.fields());
        self.stats(scene_a);
        self.player();
        self.events();
        self.found.truncate(MOST);
        self.found
    }

    fn add(&mut self, of: String, field: &str, values: [Option<String>; 2], [byte_a, byte_b]: [u64; 2]) {
        let [a, b] = values;
        self.found.push(Difference { of, field: String::from(field), a, b, byte_a, byte_b });
    }

    fn entities(&mut self, fields_a: &[Field], fields_b: &[Field]) {
        let (a, b) = (self.a, self.b);
        let mut numbers: Vec<u32> = a.entities.numbers.iter().chain(&b.entities.numbers).copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        for number in numbers {
            let of = format!("entity {number}");
            match (a.entities.get(number), b.entities.get(number)) {
                (Some(left), Some(right)) => {
                    for (field, value) in fields_a.iter().zip(left.fields) {
                        let place = fields_b.iter().position(|it| it.name == field.name);
                        let other = place.and_then(|place| right.fields.get(place));
                        if other != Some(value) {
                            let values = [Some(shown(field, *value)), other.map(|value| shown(field, *value))];
                            self.add(of.clone(), field.name, values, [left.place, right.place]);
                        }
                    }
                }
                (Some(left), None) => self.add(of, "", [Some(String::from("is there")), None], [left.place, b.place]),
                (None, right) => {
                    let place = right.map_or(b.place, |right| right.place);
                    self.add(of, "", [None, Some(String::from("is there"))], [a.place, place]);
                }
            }
        }
    }

    fn stats(&mut self, scene: &dyn Scene) {
        let (a, b) = (self.a, self.b);
        let key = |it: &&(Option<u8>, u8, StatValue)| (it.0, it.1);
        let mut keys: Vec<_> = a.stats.iter().chain(&b.stats).map(|it| key(&it)).collect();
        keys.sort_unstable();
        keys.dedup();
        for (player, stat) in keys {
            let of_one = |moment: &Moment| moment.stats.iter().find(|it| key(it) == (player, stat)).map(|it| it.2);
            let (left, right) = (of_one(a), of_one(b));
            if left != right {
                let whose = player.map_or(String::new(), |player| format!(" of player {player}"));
                let name = scene.stat_name(stat).map_or_else(|| stat.to_string(), String::from);
                let values = [left, right].map(|value| value.map(|value| value.to_string()));
                self.add(format!("statistic{whose}"), &name, values, [a.place, b.place]);
            }
        }
    }

    fn player(&mut self) {
        let (a, b) = (self.a, self.b);
        let of_one = |moment: &Moment, name: &str| moment.player.iter().find(|it| it.0 == name).map(|it| it.1);
        let mut names: Vec<&str> = a.player.iter().map(|it| it.0).collect();
        names.extend(b.player.iter().map(|it| it.0).filter(|name| of_one(a, name).is_none()));
        for name in names {
            let (left, right) = (of_one(a, name), of_one(b, name));
            if left != right {
                let values = [left, right].map(|value| value.map(|value| value.to_string()));
                self.add(String::from("the player"), name, values, [a.place, b.place]);
            }
        }
    }

    fn events(&mut self) {
        let (a, b) = (self.a, self.b);
        for place in 0..a.happened.len().max(b.happened.len()) {
            let (left, right) = (a.happened.get(place), b.happened.get(place));
            let places = [(left, a), (right, b)].map(|(it, moment)| it.map_or(moment.place, |it| it.place));
            let of = format!("event {}", place + 1);
            match (left, right) {
                (Some(left), Some(right)) if left.name == right.name && left.to == right.to => {
                    self.event(&of, left, right);
                }
                _ => {
                    let values =
                        [left, right].map(|it| it.map(|it| format!("{} {}", it.name, it.to).trim().to_string()));
                    self.add(of, "", values, places);
                    // What follows is shifted.
                    return;
                }
            }
        }
    }

    fn event(&mut self, of: &str, left: &Happening, right: &Happening) {
        let value =
            |it: &Happening, name: &str| it.values.iter().find(|(field, _)| *field == name).map(|it| it.1.clone());
        let mut names: Vec<&str> = left.values.iter().map(|it| it.0).collect();
        names.extend(right.values.iter().map(|it| it.0).filter(|name| value(left, name).is_none()));
        for name in names {
            let values = [value(left, name), value(right, name)];
            if values[0] != values[1] {
                let of = format!("{of}, {}", left.name);
                self.add(of, name, values.map(|it| it.map(|it| said(&it))), [left.place, right.place]);
            }
        }
    }
}

/// A field as it is in JSON.
fn shown(field: &Field, bits: i32) -> String {
    match field.unit {
        Unit::Float => kit::table::float_value(bits).to_string(),
        Unit::Int(least, _) if least >= 0 => (bits as u32).to_string(),
        Unit::Int(..) => bits.to_string(),
    }
}

fn said(values: &[Value]) -> String {
    let one = |value: &Value| match value {
        Value::Int(value) => value.to_string(),
        Value::Float(value) => value.to_string(),
        Value::Fraction(value) => value.to_string(),
        Value::Text(text) => format!("{:?}", String::from_utf8_lossy(text)),
        Value::Bytes(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
    };
    values.iter().map(one).collect::<Vec<_>>().join(" ")
}
