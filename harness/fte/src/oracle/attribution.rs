//! Which requirement a wrong value breaks: the coding of its own field, or something around it.
//!
//! A wrong layout puts everything behind it out of place. What is wrong first, in the order of the wire, is the culprit;
//! what it was taken for tells more. Nothing here decides whether something is wrong.

use super::field::{FIELDS_OF, Grain, each, fields_of_update};
use crate::constants::*;
use crate::delta::{self, ENTITY, ENTITY_ROWS, PRED_ROWS};
use crate::requirements::*;
use crate::state::*;
use kit::table::WIRE;
use kit::{Reader, Requirement, Writer};

/// The fields in the order in which an update carries them.
pub static WIRE_ORDER: [usize; FIELDS] = {
    let (mut order, mut count, mut row) = ([0; FIELDS], 0, 0);
    while row < ENTITY_ROWS.len() {
        let field = ENTITY_ROWS[row].field;
        let mut pred = 0;
        if field == MOVETYPE {
            while pred < PRED_ROWS.len() {
                order[count] = PRED_ROWS[pred].field;
                (count, pred) = (count + 1, pred + 1);
            }
        } else {
            let mut there = false;
            while pred < PRED_ROWS.len() {
                there |= PRED_ROWS[pred].field == field;
                pred += 1;
            }
            if !there {
                order[count] = field;
                count += 1;
            }
        }
        row += 1;
    }
    order
};

/// The fields that 16BIT widens together.
const WIDENED: [(u64, usize); 4] =
    [(UF_FRAME, FRAME), (UF_MODEL, MODEL), (UF_SKIN, SKIN), (UF_MODELINDEX2, MODELINDEX2)];

/// The bytes of `entity`'s fields under `flags`. The fields of `other_width` are as wide as 16BIT does not say.
fn fields_under(flags: u64, entity: &Entity, gate: u64, other_width: u64) -> Vec<u8> {
    let gate = flags | gate & !WIRE;
    let mut bytes = Vec::new();
    let mut w = Writer::new(&mut bytes);
    for row in ENTITY.rows {
        let other = WIDENED.iter().any(|&(flag, field)| field == row.field && other_width & flag != 0);
        if let Some(form) = row.layout(if other { gate ^ UF_16BIT } else { gate }) {
            form.kind.write(&mut w, row.name, &entity.0, row.field, gate);
        }
    }
    bytes
}

/// What the bytes of an update, from its flags on, would have been right for. `truth` is the entity; `flags` is what
/// its first `flag_bytes` bytes say.
pub fn misread(bytes: &[u8], flag_bytes: usize, flags: u64, truth: &Entity, gate: u64) -> Option<&'static Requirement> {
    const EXTEND: u64 = UF_EXTEND1 | UF_EXTEND2 | UF_EXTEND3;
    const UNDEFINED: u64 = UF_UNUSED18 | UF_UNUSED30 | UF_EXTEND4;
    let begins = |at: usize, expected: &[u8]| {
        expected.iter().any(|&byte| byte != 0) && bytes.get(at..).is_some_and(|rest| rest.starts_with(expected))
    };
    for count in (1..=4).filter(|&count| count != flag_bytes) {
        let Some(raw) = bytes.get(..count) else { continue };
        let other = raw.iter().rev().fold(0, |flags, &byte| flags << 8 | u64::from(byte)) & !EXTEND;
        if other & UNDEFINED == 0 && begins(count, &fields_under(other, truth, gate, 0)) {
            return Some(&DLT_01);
        }
    }
    let expected = fields_under(flags, truth, gate, 0);
    if (1..=4).any(|surplus| begins(flag_bytes + surplus, &expected)) {
        return Some(&DLT_03);
    }
    let present: u64 = WIDENED.iter().map(|(flag, _)| flag & flags).sum();
    for choice in 1..16u32 {
        let others = WIDENED.iter().enumerate().filter(|(at, _)| choice & 1 << at != 0);
        let others: u64 = others.map(|(_, (flag, _))| flag).sum();
        let narrow = flags & UF_16BIT != 0;
        let fits =
            WIDENED.iter().all(|&(flag, field)| others & flag == 0 || !narrow || (0..=0xff).contains(&truth[field]));
        if others & !present == 0 && fits && begins(flag_bytes, &fields_under(flags, truth, gate, others)) {
            return Some(&DLT_12);
        }
    }
    None
}

/// Whether an update of `right` was taken for `wrong` because its fields were in another order.
pub fn order_differs(flags: u64, wrong: &Entity, right: &Entity, grain: &Grain, gate: u64) -> bool {
    let differing = grain.differing(fields_of_update(flags), wrong, right);
    if differing.count_ones() < 2 {
        return false;
    }
    let (mut one, mut other) = (fields_under(flags, wrong, gate, 0), fields_under(flags, right, gate, 0));
    let differ = one != other;
    one.sort_unstable();
    other.sort_unstable();
    differ && one == other
}

/// What else is broken when `field` is `wrong`, and should be as in `right`.
pub fn also(field: usize, wrong: i32, right: &Entity, gate: u64) -> impl Iterator<Item = &'static Requirement> + use<> {
    let (tag, right) = (right[TAGENTITY], right[field]);
    let counted = WIDENED.iter().any(|&(_, widened)| widened == field) || field == EFFECTS;
    let boundary = counted && matches!(right, 255 | 256 | 32_767 | 32_768 | 65_535);
    let number = (field == TAGENTITY).then_some(if (0..0x8000).contains(&right) { &ENT_01 } else { &ENT_02 });
    // The third byte of an index, for which the regular coding has no place.
    let third = field == TAGINDEX && (0x4000..0x8000).contains(&tag) && wrong == tag >> 14;
    let confused = third || field == TAGENTITY && taken_for_index(wrong as u32, right as u32, gate);
    [boundary.then_some(&DLT_40), (field == MODELINDEX2).then_some(&DLT_32), number, confused.then_some(&ENT_13)]
        .into_iter()
        .flatten()
}

/// Whether `wrong` comes of the number `right` when one end uses the coding of delta indices and the other does not.
fn taken_for_index(wrong: u32, right: u32, gate: u64) -> bool {
    let regular = delta::regular_numbers(gate);
    let (mut as_index, mut as_number) = (Vec::new(), Vec::new());
    delta::write_index(&mut Writer::new(&mut as_index), right, false);
    regular.write_entity(&mut Writer::new(&mut as_number), "number", right);
    let read = regular.read_entity(&mut Reader::new(&as_index), "number").ok();
    // What stands behind the number may have been read as a part of it.
    as_number.push(0);
    let index = delta::read_index(&mut Reader::new(&as_number)).ok().map(|(number, _)| number);
    let low = |number: u32| number & u32::from(INDEX_NUMBER);
    wrong != right && (read == Some(wrong) || index.is_some_and(|index| low(index) == low(wrong)))
}

/// The forms of entries that a client has shown to understand, a bit each.
#[derive(Clone, Copy, Debug, Default)]
pub struct Forms {
    /// By flag, and 32 further for the wider one of two forms.
    fields: u64,
    /// Items of a pred block.
    items: u16,
    /// Forms of indices and flag bytes.
    coding: u16,
}

impl Forms {
    /// Adds those of `other`.
    pub fn add(&mut self, other: &Forms) {
        self.fields |= other.fields;
        self.items |= other.items;
        self.coding |= other.coding;
    }
}

/// What a datagram has that the client has not yet shown to understand: the first of each kind, in wire order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Suspects {
    /// All the forms in it.
    pub seen: Forms,
    field: Option<&'static Requirement>,
    number: Option<&'static Requirement>,
    wide: bool,
    coding: Option<&'static Requirement>,
    /// The field is one of those that few games use.
    rare: bool,
    /// It has a small number with a high byte.
    pub long_index: bool,
    /// The last large number that it updates.
    pub large: Option<u32>,
}

impl Suspects {
    /// Notes a form of an index or of flag bytes.
    fn code(&mut self, known: &Forms, bit: u32, requirement: &'static Requirement) {
        self.seen.coding |= 1 << bit;
        if known.coding & 1 << bit == 0 {
            self.coding.get_or_insert(requirement);
        }
    }

    /// Notes a removal.
    pub fn remove(&mut self, known: &Forms, coding: &delta::Coding, number: u32) {
        self.index(known, coding, number);
        self.code(known, 0, &ENT_09);
    }

    fn index(&mut self, known: &Forms, coding: &delta::Coding, number: u32) {
        let small = number <= INDEX_NUMBER.into();
        match coding.index_bytes > 2 {
            true if small => {
                self.long_index = true;
                self.code(known, 2, &ENT_08);
            }
            true => {
                self.large = Some(number);
                self.code(known, 1, &ENT_05);
            }
            false => {}
        }
    }

    /// Notes an update, after which the entity is `held`.
    pub fn update(
        &mut self,
        known: &Forms,
        coding: &delta::Coding,
        number: u32,
        flags: u64,
        held: &Entity,
        predinfo: bool,
    ) {
        self.index(known, coding, number);
        let last = 8 * coding.flag_bytes.saturating_sub(1);
        let zero = coding.flag_bytes > 1 && flags >> last & 0x7f == 0;
        let count = coding.flag_bytes as u32;
        match zero {
            true => self.code(known, 8 + count, &DLT_02),
            false => self.code(known, 2 + count, &DLT_01),
        }
        for bit in each(fields_of_update(flags)) {
            if 1 << bit == UF_PREDINFO {
                self.pred(known, flags, held, predinfo);
            }
            let Some(&field) = FIELDS_OF[bit].first() else { continue };
            let widened = WIDENED.iter().any(|&(_, other)| other == field);
            let wide = match field {
                _ if widened => flags & UF_16BIT != 0,
                EFFECTS => flags & UF_EFFECTS != 0 && flags & UF_EFFECTS2 != 0,
                PITCH | YAW => flags & UF_PREDINFO != 0 && !predinfo,
                DRAWFLAGS => held[DRAWFLAGS] & 7 == 7,
                TAGENTITY => held[TAGENTITY] as u32 > 0x7fff,
                TRAILEFFECT => held[EMITEFFECT] != 0,
                _ => false,
            };
            let form = match field {
                EFFECTS if flags & UF_EFFECTS == 0 => 29,
                _ => bit + if wide { 32 } else { 0 },
            };
            self.seen.fields |= 1 << form;
            if known.fields & 1 << form == 0 && self.field.is_none() {
                self.field = Some(super::field::coding_of(field, flags, held));
                self.wide = widened && wide;
                self.rare = bit >= 19;
                self.number = (field == TAGENTITY).then_some(if wide { &ENT_02 } else { &ENT_01 });
            }
        }
    }

    /// Notes a pred block.
    fn pred(&mut self, known: &Forms, flags: u64, held: &Entity, predinfo: bool) {
        for (at, row) in PRED_ROWS.iter().enumerate() {
            let there = match row.field {
                VIEW_PITCH | VIEW_ROLL => predinfo && flags & UF_ANGLESXZ != 0,
                VIEW_YAW => predinfo && flags & UF_ANGLESY != 0,
                WEAPONFRAME => !predinfo && held[WEAPONFRAME] > 0x7f,
                field => held[field] != 0,
            };
            if there {
                self.seen.items |= 1 << at;
                if known.items & 1 << at == 0 && self.field.is_none() {
                    self.field = Some(super::field::coding_of(row.field, flags, held));
                }
            }
        }
    }

    /// What a client that cannot read the datagram has probably wrong.
    pub fn named(&self) -> impl Iterator<Item = &'static Requirement> {
        let first = self.field.or(self.coding).unwrap_or(&ENT_10);
        [Some(first), self.number, self.wide.then_some(&DLT_12), self.rare.then_some(&DLT_36)].into_iter().flatten()
    }
}
