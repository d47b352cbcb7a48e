//! What the server sends: well-formed, numbered, from a base that the client holds, and complete.

use super::coverage::Point;
use super::session::Session;
use super::truth::Truth;
use crate::constants::HISTORY;
use crate::message::{Snapshot, read_changes};
use crate::requirements::{BASE_01, DELTA_01, FORM_01, NUM_01};
use kit::{Check, HostId, Knows, Reader, Report, Time, breaks};

pub(super) static SNAPSHOTS_ARE_READABLE: Check =
    Check::new("snapshots-are-readable", &[breaks(&FORM_01, &[&[Point::SnapshotSent]])]);
/// Datagrams of a remote server come in the order of their arrival, which is not that of sending.
pub(super) static NUMBERS_GROW: Check =
    Check::new("numbers-grow", &[breaks(&NUM_01, &[&[Point::SecondSnapshotSent]])]).knows(&[Knows::ServerShows]);
pub(super) static BASES_ARE_ACKNOWLEDGED: Check =
    Check::new("bases-are-acknowledged", &[breaks(&BASE_01, &[&[Point::DeltaSent]])]);
pub(super) static SNAPSHOTS_ARE_THE_WORLD: Check =
    Check::new("snapshots-are-the-world", &[breaks(&DELTA_01, &[&[Point::ChangeSent]])]).knows(&[Knows::World]);

/// The server sends a client a datagram.
pub fn sent(session: &mut Session, truth: &Truth, report: &mut Report, now: Time, bytes: &[u8]) {
    report.saw(Point::SnapshotSent);
    let mut r = Reader::new(bytes);
    let mut changes = Vec::new();
    let read =
        Snapshot::read(&mut r).and_then(|head| read_changes(&mut r, |change| changes.push(change)).map(|()| head));
    let Snapshot { number, base } = match read {
        Ok(head) => head,
        Err(error) => {
            return report.fail(&SNAPSHOTS_ARE_READABLE, now, HostId::SERVER, &FORM_01, || error.to_string());
        }
    };
    report.saw_if(session.newest_sent != 0, Point::SecondSnapshotSent);
    if number <= session.newest_sent {
        let newest = session.newest_sent;
        report.fail(&NUMBERS_GROW, now, HostId::SERVER, &NUM_01, || format!("snapshot {number} follows {newest}"));
    }
    session.newest_sent = session.newest_sent.max(number);
    report.saw_if(base != 0, Point::DeltaSent);
    let is_known = session.acknowledged.contains(&base) && number - base < HISTORY;
    if base != 0 && !is_known {
        report.fail(&BASES_ARE_ACKNOWLEDGED, now, HostId::SERVER, &BASE_01, || {
            format!("snapshot {number} is based on {base}, which the client has not acknowledged, or too long ago")
        });
    }
    let Some(mut entities) = session.sent.get(base).cloned() else { return };
    report.saw_if(base != 0 && !changes.is_empty(), Point::ChangeSent);
    changes.iter().for_each(|change| change.apply(&mut entities));
    session.sent.put(number, &entities);
    if entities != *truth.entities() {
        report.fail(&SNAPSHOTS_ARE_THE_WORLD, now, HostId::SERVER, &DELTA_01, || {
            format!("snapshot {number} of {base} makes {entities:?}; the world is {:?}", truth.entities())
        });
    }
}
