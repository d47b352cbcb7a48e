//! What a client cannot show, because its implementation has nothing of the kind.

use crate::words::Field;

/// Stands for static entities in [`Hidden::from_names`].
pub const STATICS: &str = "statics";
/// Stands for statistics there.
pub const STATS: &str = "stats";

/// Parts of a [`View`](crate::View) that a client does not show: they are not judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    /// A bit per field of an entity, the lowest first.
    fields: u128,
    /// All statistics.
    pub stats: bool,
    /// All entities without a number.
    pub statics: bool,
}

impl Hidden {
    /// By the names of fields, [`STATICS`] and [`STATS`]; names that `fields` do not have are left out.
    pub fn from_names<'a>(fields: &[Field], names: impl IntoIterator<Item = &'a str>) -> Hidden {
        let mut hidden = Hidden::default();
        for name in names {
            match name {
                STATICS => hidden.statics = true,
                STATS => hidden.stats = true,
                _ => {
                    let place = fields.iter().position(|field| field.name == name);
                    let bit = place.and_then(|field| 1u128.checked_shl(field as u32));
                    hidden.fields |= bit.unwrap_or_default();
                }
            }
        }
        hidden
    }

    /// Whether everything is shown.
    pub fn is_nothing(&self) -> bool {
        *self == Hidden::default()
    }

    /// Whether this field of entities is not shown.
    pub const fn has(&self, field: usize) -> bool {
        field < u128::BITS as usize && self.fields >> field & 1 == 1
    }

    /// Sets the fields that are not shown to 0, in entities of `stride` fields.
    pub fn blank(&self, rows: &mut [i32], stride: usize) {
        for row in rows.chunks_mut(stride.max(1)) {
            row.iter_mut().enumerate().filter(|(field, _)| self.has(*field)).for_each(|(_, value)| *value = 0);
        }
    }

    /// Puts what is `right` into the fields of an entity that are not shown, so that they are not found wrong.
    pub fn fill(&self, shown: &mut [i32], right: &[i32]) {
        if self.fields != 0 {
            let pairs = shown.iter_mut().zip(right).enumerate();
            pairs.filter(|(field, _)| self.has(*field)).for_each(|(_, (shown, right))| *shown = *right);
        }
    }
}
