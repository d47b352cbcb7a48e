//! What a receiver of a server's datagrams holds, and which frame carried it.

use fte::delta::{self, ENTITY, ENTITY_ROWS, EXT_PREDINFO, Entry};
use fte::dialect::{Dialect, Readings, Transport};
use fte::message::{Carrier, Listener, UpdateStart};
use fte::state::*;
use fte::tap::Tap;
use kit::{DecodeError, Direction, Reader};
use std::collections::{BTreeMap, BTreeSet};

/// An entity, or what is left of one that was removed.
#[derive(Clone)]
struct Held {
    /// `None`: removed.
    state: Option<Entity>,
    /// The frame that said last whether it is there.
    existence: u32,
    /// The frame that carried each field last.
    fields: [u32; FIELDS],
}

/// A receiver of what one end sends, or of what reaches the other.
pub struct Receiver {
    tap: Tap,
    found: Found,
}

#[derive(Default)]
struct Found {
    /// Maps that began.
    maps: usize,
    baselines: BTreeMap<u32, Entity>,
    /// The frame with the last remove-all of this map; nothing before it is of any use.
    remove_all: Option<u32>,
    entities: BTreeMap<u32, Held>,
    frames: BTreeSet<u32>,
    frame: u32,
}

impl Receiver {
    /// Before the first datagram.
    pub fn new(transport: Transport) -> Receiver {
        Receiver { tap: Tap::new(transport, Readings::default()), found: Found::default() }
    }

    /// A datagram of the server.
    ///
    /// # Errors
    /// What cannot be decoded in it.
    pub fn receive(&mut self, bytes: &[u8]) -> Result<(), DecodeError> {
        self.tap.datagram(Direction::ServerToClient, bytes, None, &mut self.found).map(drop)
    }

    /// Whether `numbers` and `fields` are what it holds.
    ///
    /// # Errors
    /// The first difference.
    pub fn check_equal(&self, valid: bool, numbers: &[u32], fields: &[i32]) -> Result<(), String> {
        if valid != self.found.remove_all.is_some() {
            return Err(format!("the client's state is valid: {valid}; a remove-all arrived: {}", !valid));
        }
        let held = || self.found.entities.iter().filter_map(|(number, held)| Some((number, held.state.as_ref()?)));
        if !valid {
            return Ok(());
        }
        if !held().map(|(number, _)| number).eq(numbers) {
            let held: Vec<_> = held().map(|(number, _)| number).collect();
            return Err(format!("the client shows {numbers:?}, it was sent {held:?}"));
        }
        for ((number, state), shown) in held().zip(fields.chunks(FIELDS)) {
            if let Some(field) = (0..FIELDS).find(|&field| state[field] != shown[field]) {
                let (name, sent) = (FIELD_TABLE[field].name, state[field]);
                return Err(format!("the client shows {name} {} of entity {number}, it was sent {sent}", shown[field]));
            }
        }
        Ok(())
    }

    /// The step invariant: whatever the two receivers hold differently, its newest carrier has not arrived. `self` receives all
    /// that is sent, `there` what arrives.
    ///
    /// # Errors
    /// The entity and the field that differ although their newest carrier arrived.
    pub fn check_step(&self, there: &Receiver) -> Result<(), String> {
        let (sent, arrived) = (&self.found, &there.found);
        let (Some(remove_all), Some(_)) = (sent.remove_all, arrived.remove_all) else { return Ok(()) };
        if sent.maps != arrived.maps {
            return Ok(());
        }
        let lost = |frame: u32| !arrived.frames.contains(&frame);
        for number in sent.entities.keys().chain(arrived.entities.keys()) {
            let here = sent.entities.get(number);
            let mine = here.and_then(|held| held.state.as_ref());
            let theirs = arrived.entities.get(number).and_then(|held| held.state.as_ref());
            match (mine, theirs) {
                (None, None) => {}
                (Some(mine), Some(theirs)) => {
                    for field in (0..FIELDS).filter(|&field| mine[field] != theirs[field]) {
                        let carrier = here.map_or(remove_all, |held| held.fields[field]);
                        if !lost(carrier) {
                            let name = FIELD_TABLE[field].name;
                            let (mine, theirs) = (mine[field], theirs[field]);
                            return Err(format!(
                                "entity {number} has {name} {theirs} at the client and {mine} at the server, yet frame \
                                 {carrier}, which carried it last, arrived"
                            ));
                        }
                    }
                }
                _ => {
                    let carrier = here.map_or(remove_all, |held| held.existence);
                    if !lost(carrier) {
                        let at = if mine.is_some() { "the server" } else { "the client" };
                        return Err(format!(
                            "only {at} has entity {number}, yet frame {carrier}, which said so last, arrived"
                        ));
                    }
                }
            }
        }
        Ok(())
    }
}

/// Whether an update with these flags says something about a field.
fn carries(field: usize, flags: u64, state: &Entity, gate: u64) -> bool {
    let pred = flags & UF_PREDINFO != 0;
    match field {
        _ if flags & UF_RESET != 0 => true,
        // An update without a pred block says that the entity rests.
        _ if MOVEMENT_FIELDS.contains(&field) => true,
        WEAPONFRAME => pred && gate & EXT_PREDINFO == 0,
        VIEW_PITCH | VIEW_ROLL => pred && gate & EXT_PREDINFO != 0 && flags & UF_ANGLESXZ != 0,
        VIEW_YAW => pred && gate & EXT_PREDINFO != 0 && flags & UF_ANGLESY != 0,
        // Of two bytes, effects come under a flag of their own.
        EFFECTS => flags & (UF_EFFECTS | UF_EFFECTS2) != 0,
        ABSLIGHT => flags & UF_DRAWFLAGS != 0 && state[DRAWFLAGS] & 7 == 7,
        _ => ENTITY_ROWS.iter().any(|row| row.field == field && row.raise & flags != 0),
    }
}

impl Listener for Found {
    fn session(&mut self, _: &Dialect) {
        self.maps += 1;
        self.baselines.clear();
        self.entities.clear();
        self.remove_all = None;
    }

    fn baseline(&mut self, number: u32, state: &Entity) {
        self.baselines.insert(number, *state);
    }

    fn update(&mut self, carrier: &Carrier, _: &UpdateStart) {
        self.frame = carrier.sequence;
        self.frames.insert(carrier.sequence);
    }

    fn entry(&mut self, _: &Carrier, entry: Entry, r: &mut Reader<'_>, dialect: &Dialect) -> Result<bool, DecodeError> {
        let frame = self.frame;
        match entry {
            Entry::End => {}
            Entry::RemoveAll => {
                self.remove_all = Some(frame);
                self.entities.clear();
            }
            Entry::Remove(number) => {
                self.entities.insert(number, Held { state: None, existence: frame, fields: [frame; FIELDS] });
            }
            Entry::Update(..) if self.remove_all.is_none() => {}
            Entry::Update(number, flags) => {
                let baseline = self.baselines.get(&number).unwrap_or(&Entity::NULL);
                let before = self.remove_all.unwrap_or_default();
                let unknown = Held { state: None, existence: before, fields: [before; FIELDS] };
                let held = self.entities.entry(number).or_insert(unknown);
                held.existence = frame;
                let state = held.state.get_or_insert(*baseline);
                delta::read_delta(r, &ENTITY, flags, baseline, state, dialect.gate)?;
                for (field, carrier) in held.fields.iter_mut().enumerate() {
                    if carries(field, flags, state, dialect.gate) {
                        *carrier = frame;
                    }
                }
                return Ok(true);
            }
        }
        Ok(false)
    }
}
