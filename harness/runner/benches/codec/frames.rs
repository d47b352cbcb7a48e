//! The five codecs at the same work: a frame in which every entity moved, turned, and went on in its animation.

use fte::delta::{self as fte_delta, EXT_PREDINFO, Entry as FteEntry};
use fte::state as fte_state;
use kit::table::{float_bits, float_value};
use kit::{Reader, Writer};
use netquake::Primitives;
use netquake::update::{self, FastUpdate, Record};
use pygg2::snapshot::{Base, Body, Declared, Snapshot, lengthen, shorten, xor};
use r1q2::wire::delta::{self as r1q2_delta, Entry as R1q2Entry, GATE_PROTOCOL_35};
use r1q2::wire::state as r1q2_state;

/// Entities in a frame.
pub const ENTITIES: u32 = 16;

/// Fields of an entity, by their names in scenarios.
pub type Fields = Vec<(&'static str, f32)>;

/// A protocol's codec with the entities of two frames.
pub trait Codec {
    /// The protocol.
    fn name(&self) -> &'static str;
    /// Appends the frame.
    fn encode(&mut self, out: &mut Vec<u8>);
    /// Reads the frame over the entities of the frame before.
    fn decode(&mut self, bytes: &[u8]);
    /// The entities, ascending, in the frame before and in the frame, as a reader comes to have them.
    fn frames(&self) -> [Vec<Fields>; 2];
    /// What was read last.
    fn decoded(&self) -> Vec<Fields>;
}

/// Where an entity is in a frame: model, animation, x, y and yaw, in numbers that every coding here holds exactly.
struct Pose {
    model: i32,
    frame: i32,
    x: f32,
    y: f32,
    yaw: f32,
}

/// The entities at `tick`.
fn poses(tick: u32) -> impl Iterator<Item = Pose> {
    let pose = move |number: u32| Pose {
        model: 7,
        frame: (number + tick) as i32,
        x: 100.0 + (8 * number + tick) as f32,
        y: -50.0 - (number + tick) as f32,
        yaw: 1.40625 * (2 * number + tick) as f32,
    };
    (1..=ENTITIES).map(pose)
}

/// The frame before, and the one that is sent.
const TICKS: [u32; 2] = [20, 21];

/// The entities of two frames, each in five fields of its protocol: model, frame, x, y and yaw.
struct Frames<E> {
    numbers: [usize; 5],
    field: fn(&E, usize) -> i32,
    both: [Vec<E>; 2],
    held: Vec<E>,
}

impl<E: Clone> Frames<E> {
    /// Entities that are `null` but for those fields.
    fn new(null: &E, numbers: [usize; 5], field: fn(&E, usize) -> i32, set: fn(&mut E, usize, i32)) -> Frames<E> {
        let entity = |pose: Pose| {
            let mut entity = null.clone();
            let values = [pose.model, pose.frame, float_bits(pose.x), float_bits(pose.y), float_bits(pose.yaw)];
            numbers.into_iter().zip(values).for_each(|(number, value)| set(&mut entity, number, value));
            entity
        };
        Frames { numbers, field, both: TICKS.map(|tick| poses(tick).map(entity).collect()), held: Vec::new() }
    }

    /// Number, state before and state after of each.
    fn changes(&self) -> impl Iterator<Item = (u16, &E, &E)> {
        let [before, after] = &self.both;
        (1..).zip(before.iter().zip(after)).map(|(number, (before, after))| (number, before, after))
    }

    /// Holds the frame before.
    fn begin(&mut self) {
        self.held.clone_from(&self.both[0]);
    }

    /// An entity that is held.
    fn entity(&mut self, number: u32) -> Option<&mut E> {
        self.held.get_mut((number as usize).checked_sub(1)?)
    }

    fn named(&self, entities: &[E]) -> Vec<Fields> {
        let names = ["model", "frame", "origin_x", "origin_y", "yaw"];
        let value = |entity: &E, at: usize| {
            let value = (self.field)(entity, self.numbers[at]);
            if at < 2 { value as f32 } else { float_value(value) }
        };
        entities.iter().map(|entity| (0..5).map(|at| (names[at], value(entity, at))).collect()).collect()
    }
}

/// FTE's replacement deltas, with PREDINFO.
pub struct Fte(Frames<fte_state::Entity>);

impl Fte {
    /// The two frames.
    pub fn new() -> Fte {
        use fte_state::{FRAME, MODEL, ORIGIN_X, ORIGIN_Y, YAW};
        let numbers = [MODEL, FRAME, ORIGIN_X, ORIGIN_Y, YAW];
        Fte(Frames::new(
            &fte_state::Entity::NULL,
            numbers,
            |entity, at| entity[at],
            |entity, at, value| entity[at] = value,
        ))
    }
}

impl Codec for Fte {
    fn name(&self) -> &'static str {
        "fte"
    }

    fn encode(&mut self, out: &mut Vec<u8>) {
        let mut w = Writer::new(out);
        for (number, before, after) in self.0.changes() {
            let flags = fte_delta::diff(&fte_delta::ENTITY, before, after, EXT_PREDINFO);
            fte_delta::write_index(&mut w, number.into(), false);
            fte_delta::write_delta(&mut w, &fte_delta::ENTITY, flags, after, EXT_PREDINFO);
        }
        w.u16("entity index", 0);
    }

    fn decode(&mut self, bytes: &[u8]) {
        self.0.begin();
        let (mut r, null) = (Reader::new(bytes), fte_state::Entity::NULL);
        while let Ok(FteEntry::Update(number, flags)) = fte_delta::read_entry(&mut r, EXT_PREDINFO)
            && let Some(entity) = self.0.entity(number)
            && fte_delta::read_delta(&mut r, &fte_delta::ENTITY, flags, &null, entity, EXT_PREDINFO).is_ok()
        {}
    }

    fn frames(&self) -> [Vec<Fields>; 2] {
        self.0.both.each_ref().map(|entities| self.0.named(entities))
    }

    fn decoded(&self) -> Vec<Fields> {
        self.0.named(&self.0.held)
    }
}

/// NetQuake's fast updates over baselines: NVS has those of protocol 15, FitzQuake those of 666.
pub struct Update {
    name: &'static str,
    primitives: Primitives,
    frames: Frames<Record>,
}

impl Update {
    /// Updates of protocol 666.
    pub fn fitz666() -> Update {
        Update::new("fitz666", Primitives { extended_updates: true, ..Primitives::PLAIN })
    }

    /// Updates of protocol 15.
    pub fn nvs() -> Update {
        Update::new("nvs", Primitives::PLAIN)
    }

    fn new(name: &'static str, primitives: Primitives) -> Update {
        let numbers = [update::MODEL, update::FRAME, update::ORIGIN, update::ORIGIN + 1, update::ANGLES + 1];
        let null = [0; update::FIELDS];
        let frames = Frames::new(&null, numbers, |entity, at| entity[at], |entity, at, value| entity[at] = value);
        Update { name, primitives, frames }
    }
}

impl Codec for Update {
    fn name(&self) -> &'static str {
        self.name
    }

    fn encode(&mut self, out: &mut Vec<u8>) {
        let mut w = Writer::new(out);
        for (number, before, after) in self.frames.changes() {
            let update = match self.primitives.extended_updates {
                true => FastUpdate::extended(number, false, before, after, None),
                false => FastUpdate::new(number, false, before, after),
            };
            update.write(&mut w, &self.primitives);
        }
    }

    fn decode(&mut self, bytes: &[u8]) {
        self.frames.begin();
        let mut r = Reader::new(bytes);
        while let Ok(first) = r.u8("bits")
            && let Ok(update) = FastUpdate::read(&mut r, first, &self.primitives)
            && let Some(record) = self.frames.entity(update.entity.into())
        {
            *record = update.over(record);
        }
    }

    fn frames(&self) -> [Vec<Fields>; 2] {
        self.frames.both.each_ref().map(|entities| self.frames.named(entities))
    }

    fn decoded(&self) -> Vec<Fields> {
        self.frames.named(&self.frames.held)
    }
}

/// R1Q2's packet entities, in protocol 35.
pub struct R1q2(Frames<r1q2_state::Entity>);

impl R1q2 {
    /// The two frames.
    pub fn new() -> R1q2 {
        use r1q2_state::{FRAME, MODEL, ORIGIN_X, ORIGIN_Y, YAW};
        let numbers = [MODEL, FRAME, ORIGIN_X, ORIGIN_Y, YAW];
        R1q2(Frames::new(
            &r1q2_state::Entity::NULL,
            numbers,
            |entity, at| entity[at],
            |entity, at, value| entity[at] = value,
        ))
    }
}

impl Codec for R1q2 {
    fn name(&self) -> &'static str {
        "r1q2"
    }

    fn encode(&mut self, out: &mut Vec<u8>) {
        let mut w = Writer::new(out);
        for (number, before, after) in self.0.changes() {
            let bits = r1q2_delta::diff(before, after, GATE_PROTOCOL_35);
            r1q2_delta::write_entry(&mut w, number.into(), bits, after, GATE_PROTOCOL_35);
        }
        r1q2_delta::write_end(&mut w);
    }

    fn decode(&mut self, bytes: &[u8]) {
        self.0.begin();
        let mut r = Reader::new(bytes);
        while let Ok(R1q2Entry::Update(number, bits)) = r1q2_delta::read_entry(&mut r)
            && let Some(entity) = self.0.entity(number)
            && r1q2_delta::read_fields(&mut r, bits, entity, GATE_PROTOCOL_35).is_ok()
        {}
    }

    fn frames(&self) -> [Vec<Fields>; 2] {
        self.0.both.each_ref().map(|entities| self.0.named(entities))
    }

    fn decoded(&self) -> Vec<Fields> {
        self.0.named(&self.0.held)
    }
}

/// PyGG2's snapshots: XOR over an older one, and runs of zeros. Its entities are players, with no model and no frame.
pub struct Pygg2 {
    frames: [Snapshot; 2],
    held: Snapshot,
}

impl Pygg2 {
    /// The two frames.
    pub fn new() -> Pygg2 {
        let body = |(id, pose): (u8, Pose)| {
            let base = Base { x: (256.0 * pose.x) as u32, y: (256.0 * -pose.y) as u32, hp: 100, ..Base::default() };
            Body { id, base, ..Body::default() }
        };
        let frames = TICKS.map(|tick| Snapshot { time: tick * 33, bodies: (1..).zip(poses(tick)).map(body).collect() });
        Pygg2 { frames, held: Snapshot::default() }
    }

    fn named(snapshot: &Snapshot) -> Vec<Fields> {
        let fields = |body: &Body| {
            let Base { x, y, hp, .. } = body.base;
            vec![("x", x as f32), ("y", y as f32), ("hp", hp.into())]
        };
        snapshot.bodies.iter().map(fields).collect()
    }
}

impl Codec for Pygg2 {
    fn name(&self) -> &'static str {
        "pygg2"
    }

    fn encode(&mut self, out: &mut Vec<u8>) {
        let [before, after] = self.frames.each_ref().map(Snapshot::encode);
        let shortened = shorten(&xor(&after, &before));
        let mut w = Writer::new(out);
        w.u16_be("length", after.len() as u16);
        w.bytes("xored", &shortened);
    }

    fn decode(&mut self, bytes: &[u8]) {
        let mut r = Reader::new(bytes);
        let Ok(length) = r.u16_be("length") else { return };
        let Ok(xored) = lengthen(&mut r, length.into()) else { return };
        let held = Snapshot::decode(&xor(&xored, &self.frames[0].encode()), Declared::default());
        self.held = held.unwrap_or_default();
    }

    fn frames(&self) -> [Vec<Fields>; 2] {
        self.frames.each_ref().map(Pygg2::named)
    }

    fn decoded(&self) -> Vec<Fields> {
        Pygg2::named(&self.held)
    }
}
