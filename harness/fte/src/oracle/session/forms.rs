//! The forms of entries: those that a client has shown to understand, and those that are new to it.

use super::super::field::{FIELDS_OF, WEAPON, WIDENED, each, fields_of_update};
use crate::constants::*;
use crate::delta::{Coding, PRED_ROWS};
use crate::state::*;

/// Fields of which there are several forms, or whose length depends on more than their flag.
const VARIED: u32 = (UF_FRAME
    | UF_EFFECTS
    | UF_PREDINFO
    | UF_MODEL
    | UF_SKIN
    | UF_DRAWFLAGS
    | UF_TAGINFO
    | UF_TRAILEFFECT
    | UF_MODELINDEX2) as u32
    | WEAPON;
/// Those that are so beside a pred block.
const ANGLES: u32 = (UF_ANGLESXZ | UF_ANGLESY) as u32;

/// The forms of entries that a client has shown to understand, a bit each.
#[derive(Clone, Copy, Debug, Default)]
pub struct Forms {
    /// By flag, and 32 further for the wider one of two forms.
    fields: u64,
    /// Items of a pred block.
    items: u16,
    /// By [`CodingForm`].
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

/// A form of an index or of flag bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodingForm {
    Remove,
    /// A number from 16384.
    LargeIndex,
    /// A small number with a high byte.
    LongIndex,
    /// So many flag bytes.
    FlagBytes(usize),
    /// So many flag bytes, of which the last is zero.
    ZeroFlagByte(usize),
}

impl CodingForm {
    fn bit(self) -> u16 {
        match self {
            CodingForm::Remove => 1,
            CodingForm::LargeIndex => 2,
            CodingForm::LongIndex => 4,
            CodingForm::FlagBytes(count) => 1 << (2 + count),
            CodingForm::ZeroFlagByte(count) => 1 << (8 + count),
        }
    }
}

/// A field in a form that is new to the client.
#[derive(Clone, Copy, Debug)]
pub struct NewField {
    /// The field.
    pub field: usize,
    /// The flags of its update.
    pub flags: u64,
    /// The wider one of two forms.
    pub wide: bool,
    /// The entity after the update has colours of its own, not those of a player's slot.
    pub direct_colours: bool,
}

/// What a datagram has that the client has not yet shown to understand: the first of each kind, in wire order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unfamiliar {
    /// All the forms in it.
    pub seen: Forms,
    /// A field.
    pub field: Option<NewField>,
    /// A form of an index or of flag bytes.
    pub coding: Option<CodingForm>,
    /// It has a small number with a high byte.
    pub long_index: bool,
    /// The last large number that it updates.
    pub large: Option<u32>,
    /// A form of an index beside the short one is new, and comes before any new field.
    pub index_first: bool,
    /// The last field in it whose length depends on more than its flag.
    pub elastic: Option<NewField>,
    /// The flags and the coding of the last update of which nothing was new, nor can be when another has the same.
    plain: Option<(u64, Coding)>,
}

impl Unfamiliar {
    fn code(&mut self, known: &Forms, form: CodingForm) {
        self.seen.coding |= form.bit();
        if known.coding & form.bit() == 0 {
            self.coding.get_or_insert(form);
        }
    }

    /// Notes a removal.
    pub fn remove(&mut self, known: &Forms, coding: &Coding, number: u32) {
        self.index(known, coding, number);
        self.code(known, CodingForm::Remove);
    }

    fn index(&mut self, known: &Forms, coding: &Coding, number: u32) {
        if coding.index_bytes <= 2 {
            return;
        }
        let form = if number <= INDEX_NUMBER.into() {
            self.long_index = true;
            CodingForm::LongIndex
        } else {
            self.large = Some(number);
            CodingForm::LargeIndex
        };
        self.index_first |= self.field.is_none() && known.coding & form.bit() == 0;
        self.code(known, form);
    }

    /// Notes an update, after which the entity is `held`.
    #[inline]
    pub fn update(&mut self, known: &Forms, coding: &Coding, number: u32, flags: u64, held: &Entity, predinfo: bool) {
        if self.plain == Some((flags, *coding)) {
            return;
        }
        self.index(known, coding, number);
        let count = coding.flag_bytes;
        let zero = count > 1 && flags >> (8 * (count - 1)) & 0x7f == 0;
        self.code(known, if zero { CodingForm::ZeroFlagByte(count) } else { CodingForm::FlagBytes(count) });
        let fields = fields_of_update(flags);
        // Most fields have one form, and are known.
        let varied = if flags & UF_PREDINFO == 0 { VARIED } else { VARIED | ANGLES };
        let plain = u64::from(fields & !varied);
        let all_known = plain & !known.fields == 0;
        self.seen.fields |= if all_known { plain } else { 0 };
        let rest = if all_known { fields & varied } else { fields };
        if rest != 0 {
            self.update_fields(known, rest, flags, held, predinfo);
        } else if coding.index_bytes <= 2 {
            self.plain = Some((flags, *coding));
        }
    }

    /// Notes `fields` of an update.
    fn update_fields(&mut self, known: &Forms, fields: u32, flags: u64, held: &Entity, predinfo: bool) {
        let direct_colours = held[FLAGS] & 32 != 0;
        for bit in each(fields) {
            if 1 << bit == UF_PREDINFO {
                self.pred(known, flags, held, predinfo);
            }
            // Of a pred block's other field there is its row, above.
            let Some(&field) = FIELDS_OF[bit].first().filter(|&&field| field != WEAPONFRAME) else { continue };
            let wide = match field {
                _ if WIDENED.contains(&field) => flags & UF_16BIT != 0,
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
            let new = NewField { field, flags, wide, direct_colours };
            let elastic = match field {
                PITCH | YAW => flags & UF_PREDINFO != 0,
                field => WIDENED.contains(&field) || matches!(field, EFFECTS | DRAWFLAGS | TAGENTITY),
            };
            if elastic {
                self.elastic = Some(new);
            }
            self.seen.fields |= 1 << form;
            if known.fields & 1 << form == 0 {
                self.field.get_or_insert(new);
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
                if known.items & 1 << at == 0 {
                    let direct_colours = held[FLAGS] & 32 != 0;
                    self.field.get_or_insert(NewField { field: row.field, flags, wide: false, direct_colours });
                }
            }
        }
    }
}
