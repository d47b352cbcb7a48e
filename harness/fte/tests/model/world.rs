//! What there is, as simple as can be: a map of entities. Knows nothing of frames, acknowledgements or deltas.

use super::operation::{Agreement, Operation};
use fte::delta::{EXT_PREDINFO, quantise};
use fte::dialect::{Dialect, Readings, Transport};
use fte::extensions::Extensions;
use fte::state::*;
use kit::table::float_bits;
use kit::{StatValue, View};
use std::collections::BTreeMap;

/// The entities that occur: number coding in two and in three bytes, both ends of the range.
pub const NUMBERS: [u32; 6] = [1, 2, 3, 16_384, 40_000, 4_194_303];
/// The statistics that occur.
pub const STATS: [u8; 3] = [0, 70, 255];
/// The entity that has a baseline of its own; the others come from null.
pub const WITH_BASELINE: u32 = 2;

/// That baseline: fields and values.
pub fn baseline() -> [(usize, i32); 4] {
    [(FRAME, 300), (ORIGIN_X, float_bits(10.5)), (YAW, float_bits(45.0)), (ALPHA, 100)]
}

/// What there is.
#[derive(Clone, Debug)]
pub struct World {
    /// What the session agrees upon.
    pub agreement: Agreement,
    /// The entities and their fields.
    pub entities: BTreeMap<u32, [i32; FIELDS]>,
    /// Statistics; absent ones are zero.
    pub stats: BTreeMap<u8, i32>,
}

impl World {
    /// An empty world.
    pub fn new(agreement: Agreement) -> World {
        World { agreement, entities: BTreeMap::new(), stats: BTreeMap::new() }
    }

    /// Whether the operation makes sense here.
    pub fn allows(&self, operation: &Operation) -> bool {
        match operation {
            Operation::Spawn(number) => !self.entities.contains_key(number),
            Operation::Set(number, setting) => self.entities.contains_key(number) && self.travels(setting.field),
            Operation::Remove(number) => self.entities.contains_key(number),
            Operation::Nops(_) => !self.agreement.quakeworld,
            _ => true,
        }
    }

    /// Whether the session carries a field at all: the weapon's frame is a statistic with PREDINFO, and the view's
    /// angles travel only with it.
    pub fn travels(&self, field: usize) -> bool {
        match field {
            WEAPONFRAME => !self.agreement.predinfo,
            VIEW_PITCH | VIEW_YAW | VIEW_ROLL => self.agreement.predinfo,
            _ => true,
        }
    }

    /// What the operation makes of the world.
    pub fn apply(&mut self, operation: &Operation) {
        match *operation {
            Operation::Spawn(number) => {
                let mut fields = Entity::NULL.0;
                if number == WITH_BASELINE {
                    baseline().into_iter().for_each(|(field, value)| fields[field] = value);
                }
                self.entities.insert(number, fields);
            }
            Operation::Set(number, setting) => {
                if let Some(fields) = self.entities.get_mut(&number) {
                    fields[setting.field] = setting.value;
                }
            }
            Operation::Remove(number) => {
                self.entities.remove(&number);
            }
            Operation::Stat(stat, value) => {
                self.stats.insert(stat, value);
            }
            Operation::Map => self.entities.clear(),
            _ => {}
        }
    }

    /// The upper bits of a delta's gate under the agreement.
    pub fn gate(&self) -> u64 {
        let setup = fte::options::Options::new(&self.agreement.setup());
        let transport = if self.agreement.quakeworld { Transport::QuakeWorld } else { Transport::NetQuake };
        let Extensions { fte1, fte2 } = setup.server_extensions;
        let plain = Dialect::plain(transport);
        Dialect::negotiated(transport, Extensions { fte1, fte2 }, plain.protocol, 0, Readings::default()).gate
    }

    /// Whether a server believes in this world.
    ///
    /// # Errors
    /// The difference.
    pub fn check_server(&self, view: &View) -> Result<(), String> {
        if !view.numbers.iter().eq(self.entities.keys()) {
            return Err(format!("the server has {:?}, there are {:?}", view.numbers, self.entities.keys()));
        }
        match view.fields.iter().eq(self.entities.values().flatten()) {
            true => Ok(()),
            false => Err("the server's fields are not those that were set".to_string()),
        }
    }

    /// Whether a client shows this world, as precisely as the wire carries it.
    ///
    /// # Errors
    /// The first difference.
    pub fn check_client(&self, view: &View) -> Result<(), String> {
        if !view.valid {
            return Err("the client shows nothing".to_string());
        }
        if !view.numbers.iter().eq(self.entities.keys()) {
            return Err(format!("the client shows {:?}, there are {:?}", view.numbers, self.entities.keys()));
        }
        let gate = self.gate();
        for ((number, truth), shown) in self.entities.iter().zip(view.fields.chunks(FIELDS)) {
            for field in (0..FIELDS).filter(|&field| self.travels(field)) {
                // Absolute light travels with some drawflags alone.
                if field == ABSLIGHT && truth[DRAWFLAGS] & 7 != 7 {
                    continue;
                }
                // Without PREDINFO the pred block makes angles finer (erratum E15), and either block may have been last.
                let fine = if gate & EXT_PREDINFO == 0 { fte::state::UF_PREDINFO } else { 0 };
                let exact = quantise(field, truth[field], 0, gate);
                if shown[field] != exact && shown[field] != quantise(field, truth[field], fine, gate) {
                    let name = FIELD_TABLE[field].name;
                    return Err(format!("the client shows {name} {} of entity {number}, not {exact}", shown[field]));
                }
            }
        }
        let stats = self.stats.iter().filter(|(_, value)| **value != 0);
        match view.stats.iter().copied().eq(stats.map(|(&stat, &value)| (stat, StatValue::Int(value)))) {
            true => Ok(()),
            false => Err(format!("the client shows the statistics {:?}, not {:?}", view.stats, self.stats)),
        }
    }
}
