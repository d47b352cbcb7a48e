//! What a client makes of what it receives, and what it shows.

use super::coverage::Point;
use super::diagnosis;
use super::session::Session;
use crate::message::{Snapshot, read_changes};
use crate::requirements::{SHOW_01, SHOW_02};
use crate::state::{FIELDS, show};
use kit::{Check, HostId, Knows, Reader, Report, Time, View, breaks};

pub(super) static CLIENTS_SHOW_THE_NEWEST: Check = Check::new(
    "clients-show-the-newest",
    &[breaks(&SHOW_01, &[&[Point::AppliedCompared]]), breaks(&SHOW_02, &[&[Point::OldCompared]])],
)
.knows(&[Knows::ClientShows]);

/// A client receives a datagram.
pub fn received(session: &mut Session, report: &mut Report, bytes: &[u8]) {
    if !session.connected {
        return;
    }
    let mut r = Reader::new(bytes);
    let Ok(Snapshot { number, base }) = Snapshot::read(&mut r) else { return };
    let is_newer = number > session.newest_delivered;
    session.last_not_applied = !is_newer;
    report.saw_if(!is_newer, Point::OldCompared);
    let Some(mut entities) = session.delivered.get(base).filter(|_| is_newer).cloned() else { return };
    let mut changed = false;
    let read = read_changes(&mut r, |change| {
        change.apply(&mut entities);
        changed = true;
    });
    if read.is_ok() {
        session.delivered.put(number, &entities);
        session.newest_delivered = number;
        report.saw_if(changed, Point::AppliedCompared);
    }
}

/// A client shows this.
pub fn shown(session: &Session, report: &mut Report, now: Time, host: HostId, view: &View) {
    if !session.connected {
        return;
    }
    let newest = session.newest_delivered;
    let mut expected = View { valid: newest != 0, ..View::default() };
    session.delivered.get(newest).into_iter().for_each(|entities| show(entities, &mut expected));
    // What the client does not show is not compared.
    expected.hide(view.hidden, FIELDS);
    if (view.valid, &view.numbers, &view.fields) != (expected.valid, &expected.numbers, &expected.fields) {
        let suspects = diagnosis::of_wrong_view(session.last_not_applied);
        report.fail(&CLIENTS_SHOW_THE_NEWEST, now, host, suspects, || {
            let (View { numbers, fields, .. }, expected) = (view, &expected);
            format!(
                "it shows {numbers:?} {fields:?}; snapshot {newest} is {:?} {:?}",
                expected.numbers, expected.fields
            )
        });
    }
}
