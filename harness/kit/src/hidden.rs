//! What a client cannot show, because its implementation has nothing of the kind.

use crate::words::{Field, Note};

/// Stands for static entities in [`Hidden::from_names`].
pub const STATICS: &str = "statics";
/// Stands for statistics there.
pub const STATS: &str = "stats";
/// Stands for text that is printed there.
pub const PRINTS: &str = "prints";
/// Stands there before the name of a note.
pub const NOTE: &str = "note ";

/// Parts of a [`View`](crate::View) that a client does not show: they are not judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    /// A bit per field of an entity, the lowest first.
    fields: u128,
    /// All statistics.
    pub stats: bool,
    /// All entities without a number.
    pub statics: bool,
    /// All text that is printed.
    pub prints: bool,
    /// A bit per note, the lowest first.
    notes: u64,
}

impl Hidden {
    /// By the names of fields, [`STATICS`], [`STATS`], [`PRINTS`], and those of notes after [`NOTE`]. Names that the protocol
    /// does not have are left out.
    pub fn from_names(fields: &[Field], notes: &[Note], names: &[String]) -> Hidden {
        let mut hidden = Hidden::default();
        for name in names {
            match (name.as_str(), name.strip_prefix(NOTE)) {
                (STATICS, _) => hidden.statics = true,
                (STATS, _) => hidden.stats = true,
                (PRINTS, _) => hidden.prints = true,
                (_, Some(name)) => {
                    let place = notes.iter().position(|note| note.name == name);
                    hidden.notes |= place.and_then(|note| 1u64.checked_shl(note as u32)).unwrap_or_default();
                }
                (name, None) => {
                    let place = fields.iter().position(|field| field.name == name);
                    hidden.fields |= place.and_then(|field| 1u128.checked_shl(field as u32)).unwrap_or_default();
                }
            }
        }
        hidden
    }

    /// Every name that stands for something of a protocol.
    pub fn names(fields: &[Field], notes: &[Note]) -> Vec<String> {
        let notes = notes.iter().map(|note| format!("{NOTE}{}", note.name));
        let fields = fields.iter().map(|field| String::from(field.name));
        [STATS, STATICS, PRINTS].map(String::from).into_iter().chain(fields).chain(notes).collect()
    }

    /// Whether everything is shown.
    pub fn is_nothing(&self) -> bool {
        *self == Hidden::default()
    }

    /// Whether this field of entities is not shown.
    #[inline]
    pub const fn has(&self, field: usize) -> bool {
        field < u128::BITS as usize && self.fields >> field & 1 == 1
    }

    /// Whether this note is not reported.
    pub const fn has_note(&self, note: usize) -> bool {
        note < u64::BITS as usize && self.notes >> note & 1 == 1
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
