//! Names every field of a datagram, and says what it carries.

use crate::constants::REMOVED;
use crate::message::{Snapshot, read_ack, read_changes};
use kit::{DecodeError, Direction, Dissection, Dissector, HostId, Mark, Reader};

kit::marks! {
    SNAPSHOT = 0, "snapshot";
    FULL = 1, "full";
    DELTA = 2, "delta";
    UPDATE = 3, "update";
    REMOVE = 4, "remove";
    ACK = 5, "ack";
}

/// Reads datagrams one by one: nothing that went before is needed.
#[derive(Clone, Copy, Debug, Default)]
pub struct SkeletonDissector;

fn snapshot(r: &mut Reader<'_>, out: &mut Dissection) -> Result<(), DecodeError> {
    let Snapshot { number, base } = Snapshot::read(r)?;
    let kind = if base == 0 { FULL } else { DELTA };
    out.marks.extend([Mark { kind: SNAPSHOT, number }, Mark { kind, number: base }]);
    out.messages = 1;
    let mut count = 0;
    let read = read_changes(r, |change| {
        let kind = if change.mask == REMOVED { REMOVE } else { UPDATE };
        out.marks.push(Mark { kind, number: change.entity.into() });
        count += 1;
    });
    out.summary = format!("snapshot {number}: {count} changes of {base}");
    read
}

fn ack(r: &mut Reader<'_>, out: &mut Dissection) -> Result<(), DecodeError> {
    let number = read_ack(r)?;
    out.marks.push(Mark { kind: ACK, number });
    out.messages = 1;
    out.summary = format!("acknowledges {number}");
    Ok(())
}

impl Dissector for SkeletonDissector {
    fn datagram(&mut self, _: HostId, direction: Direction, bytes: &[u8], out: &mut Dissection) {
        let mut spans = std::mem::take(&mut out.spans);
        let mut r = if out.want_spans { Reader::with_spans(bytes, &mut spans) } else { Reader::new(bytes) };
        let read = match direction {
            Direction::ServerToClient => snapshot(&mut r, out),
            Direction::ClientToServer => ack(&mut r, out),
        };
        out.error = read.err();
        out.spans = spans;
        if out.summary.is_empty() {
            out.summary = String::from("unreadable");
        }
    }

    fn extensions(&self) -> Vec<String> {
        Vec::new()
    }

    fn assume(&mut self, _: &str) -> Result<(), String> {
        Err(String::from("this protocol has no extensions"))
    }
}
