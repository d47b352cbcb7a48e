//! What was shown right is right again: an entity that is shown as before after the same bytes.

use super::delivery::Shown;
use super::repetition::UpdateBytes;
use crate::state::FIELDS;

/// An entity that was shown right.
#[derive(Clone, Debug)]
struct RightEntity {
    bytes: UpdateBytes,
    changed: f64,
    old_hint: Option<f64>,
    fields: [i32; FIELDS],
}

/// The entities of the newest view, in their order, as far as they were shown right.
#[derive(Debug, Default)]
pub struct RightView {
    /// The baselines with which they were compared.
    bases: u64,
    entities: Vec<Option<RightEntity>>,
}

impl RightView {
    /// The entities are to be compared with what was sent over these baselines.
    pub fn begin(&mut self, bases: u64) {
        if self.bases != bases {
            self.entities.clear();
            self.bases = bases;
        }
    }

    /// Whether the entity at this place was right when the same was sent of it, and the same was shown.
    pub fn has(&self, place: usize, shown: &Shown, fields: &[i32; FIELDS]) -> bool {
        let Some(Some(known)) = self.entities.get(place) else { return false };
        shown.update == Some(known.bytes)
            && known.fields == *fields
            && known.changed == shown.changed
            && known.old_hint == shown.old_hint
    }

    /// The entity at this place was right.
    pub fn insert(&mut self, place: usize, shown: &Shown, fields: &[i32; FIELDS]) {
        if place >= self.entities.len() {
            self.entities.resize(place + 1, None);
        }
        let Shown { changed, old_hint, .. } = *shown;
        self.entities[place] = shown.update.map(|bytes| RightEntity { bytes, changed, old_hint, fields: *fields });
    }
}
