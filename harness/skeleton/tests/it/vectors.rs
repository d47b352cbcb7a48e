//! Bytes worked out by hand from the table in `message.rs`.

use kit::{DecodeError, ErrorKind, Reader, Record, Writer};
use skeleton::constants::REMOVED;
use skeleton::message::{Change, Snapshot, read_ack, read_changes, write_ack};
use skeleton::state::{Entity, MODEL, X, Y};

fn read(bytes: &[u8]) -> Result<(Snapshot, Vec<Change>), DecodeError> {
    let (mut r, mut changes) = (Reader::new(bytes), Vec::new());
    let head = Snapshot::read(&mut r)?;
    read_changes(&mut r, |change| changes.push(change))?;
    Ok((head, changes))
}

#[test]
fn a_snapshot_is_a_head_and_a_change_per_entity() {
    let mut moved = Entity::NULL;
    (moved.0[X], moved.0[MODEL]) = (-2, 0x102);
    let head = Snapshot { number: 0x107, base: 6 };
    let changes = [
        Change { entity: 5, mask: 1 << X | 1 << MODEL, values: moved },
        Change { entity: 9, mask: REMOVED, values: Entity::NULL },
    ];
    let bytes = [
        1, 0x07, 0x01, 0, 0, 6, 0, 0, 0, // a snapshot, number 263, base 6
        5, 0b101, 0xfe, 0xff, 0x02, 0x01, // entity 5: fields 0 and 2, -2 and 258
        9, 0x80, // entity 9 is gone
    ];
    assert_eq!(read(&bytes), Ok((head, changes.to_vec())));
    let mut out = Vec::new();
    let mut w = Writer::new(&mut out);
    head.write(&mut w);
    changes.iter().for_each(|change| change.write(&mut w));
    assert_eq!(out, bytes);
    assert_eq!(moved.0[Y], 0);
}

#[test]
fn an_acknowledgement_is_a_number() {
    let bytes = [2, 0x04, 0x03, 0, 0];
    let mut out = Vec::new();
    write_ack(&mut Writer::new(&mut out), 0x304);
    assert_eq!(out, bytes);
    assert_eq!(read_ack(&mut Reader::new(&bytes)), Ok(0x304));
}

#[test]
fn what_is_no_datagram_is_refused_at_its_place() {
    let refused = |bytes: &[u8]| read(bytes).err().map(|error| (error.offset, error.field));
    assert_eq!(refused(&[3]), Some((0, "kind")));
    assert_eq!(refused(&[1, 7, 0, 0, 0, 7, 0, 0, 0]), Some((5, "base")));
    assert_eq!(refused(&[1, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0]), Some((9, "entity")));
    assert_eq!(refused(&[1, 7, 0, 0, 0, 0, 0, 0, 0, 1, 0x81]), Some((10, "mask")));
    assert_eq!(refused(&[1, 7, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0]), Some((11, "y")));
    let error = read_ack(&mut Reader::new(&[2, 0, 0, 0, 0, 9])).map_err(|error| error.kind);
    assert_eq!(error, Err(ErrorKind::Trailing { left: 1 }));
}
