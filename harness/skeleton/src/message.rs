//! The two datagrams (SKL-FORM-01). Numbers are little-endian.
//!
//! | datagram | layout |
//! |---|---|
//! | snapshot, server to client | byte 1, ulong number, ulong base, then a change per entity, to the end |
//! | change | byte entity, byte mask, a short per bit of the mask; the mask 0x80: the entity is gone |
//! | acknowledgement, client to server | byte 2, ulong number |

use crate::constants::{ACK, REMOVED, SNAPSHOT};
use crate::state::{Entities, Entity, FIELD_TABLE, FIELDS};
use kit::{DecodeError, ErrorKind, Reader, Record, Writer};

/// The head of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Its number, from 1.
    pub number: u32,
    /// The number of the snapshot that it changes; 0 for nothing.
    pub base: u32,
}

impl Snapshot {
    /// Writes the head; changes follow.
    pub fn write(&self, w: &mut Writer<'_>) {
        w.u8("kind", SNAPSHOT);
        w.u32("number", self.number);
        w.u32("base", self.base);
    }

    /// Reads the head; [`read_changes`] reads the rest.
    ///
    /// # Errors
    /// Another kind of datagram, one cut short, or a base that is not older.
    pub fn read(r: &mut Reader<'_>) -> Result<Snapshot, DecodeError> {
        kind(r, SNAPSHOT)?;
        let number = r.u32("number")?;
        let at = r.at();
        let base = r.u32("base")?;
        if base >= number {
            return r.error(at, "base", ErrorKind::Forbidden { value: base, why: "a base is older than its snapshot" });
        }
        Ok(Snapshot { number, base })
    }
}

/// What a snapshot says of one entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The entity, from 1.
    pub entity: u8,
    /// Which fields follow, or [`REMOVED`].
    pub mask: u8,
    /// The fields; 0 where the mask has no bit.
    pub values: Entity,
}

/// The numbers of the fields that a mask names.
fn fields_of(mask: u8) -> impl Iterator<Item = usize> {
    (0..FIELDS).filter(move |field| mask >> field & 1 != 0)
}

impl Change {
    /// Writes it.
    pub fn write(&self, w: &mut Writer<'_>) {
        w.u8("entity", self.entity);
        w.u8("mask", self.mask);
        for field in fields_of(self.mask) {
            w.i16(FIELD_TABLE[field].name, self.values.0[field] as i16);
        }
    }

    /// Reads it.
    ///
    /// # Errors
    /// Entity 0, an unknown bit in the mask, or too few bytes.
    pub fn read(r: &mut Reader<'_>) -> Result<Change, DecodeError> {
        let group = r.begin("change");
        let at = r.at();
        let (entity, mask) = (r.u8("entity")?, r.u8("mask")?);
        if entity == 0 {
            return r.error(at, "entity", ErrorKind::Forbidden { value: 0, why: "entities are numbered from 1" });
        }
        if mask != REMOVED && mask >> FIELDS != 0 {
            return r.error(at + 1, "mask", ErrorKind::Unknown { value: mask.into() });
        }
        let mut values = Entity::NULL;
        for field in fields_of(mask) {
            values.0[field] = r.i16(FIELD_TABLE[field].name)?.into();
        }
        r.end(group);
        Ok(Change { entity, mask, values })
    }

    /// Makes the change.
    pub fn apply(&self, entities: &mut Entities) {
        let number = self.entity.into();
        if self.mask == REMOVED {
            entities.remove(number);
            return;
        }
        let held = entities.entry(number, &Entity::NULL);
        fields_of(self.mask).for_each(|field| held.0[field] = self.values.0[field]);
    }
}

/// Reads the changes after the head of a snapshot, one after the other.
///
/// # Errors
/// The first change that cannot be read; those before it were given to `each`.
pub fn read_changes(r: &mut Reader<'_>, mut each: impl FnMut(Change)) -> Result<(), DecodeError> {
    while r.left() > 0 {
        each(Change::read(r)?);
    }
    Ok(())
}

/// Writes an acknowledgement of `number`.
pub fn write_ack(w: &mut Writer<'_>, number: u32) {
    w.u8("kind", ACK);
    w.u32("acknowledged", number);
}

/// Reads an acknowledgement: the number acknowledged, or 0 of a client that holds nothing.
///
/// # Errors
/// Another kind of datagram, or one of another length.
pub fn read_ack(r: &mut Reader<'_>) -> Result<u32, DecodeError> {
    kind(r, ACK)?;
    let number = r.u32("acknowledged")?;
    r.finish("rest")?;
    Ok(number)
}

fn kind(r: &mut Reader<'_>, expected: u8) -> Result<(), DecodeError> {
    let at = r.at();
    let kind = r.u8("kind")?;
    if kind == expected { Ok(()) } else { r.error(at, "kind", ErrorKind::Unknown { value: kind.into() }) }
}
