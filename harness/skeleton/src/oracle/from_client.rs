//! What a client sends, and what the server knows of it when that arrives.

use super::coverage::Point;
use super::session::Session;
use crate::constants::HISTORY;
use crate::message::read_ack;
use crate::requirements::{ACK_01, FORM_01};
use kit::{Check, HostId, Reader, Report, Time, Vantage, breaks};

pub(super) static ACKS_ARE_READABLE: Check = Check::new("acks-are-readable", &[breaks(&FORM_01, &[&[Point::AckSent]])]);
pub(super) static ACKS_ARE_OF_WHAT_IS_SHOWN: Check =
    Check::new("acks-are-of-what-is-shown", &[breaks(&ACK_01, &[&[Point::SnapshotAcknowledged]])]);

/// A client sends a datagram.
pub fn sent(session: &mut Session, vantage: Vantage, report: &mut Report, now: Time, host: HostId, bytes: &[u8]) {
    report.saw(Point::AckSent);
    let number = match read_ack(&mut Reader::new(bytes)) {
        Ok(number) => number,
        Err(error) => return report.fail(&ACKS_ARE_READABLE, now, host, &FORM_01, || error.to_string()),
    };
    // A client that the scenario instructs to misbehave is not to blame.
    if std::mem::take(&mut session.scripted_ack) {
        return;
    }
    report.saw_if(number != 0, Point::SnapshotAcknowledged);
    let newest = session.newest_delivered;
    // What was delivered to a remote client it can have missed, and it may read it later: it may lag behind, and not be ahead.
    let is_wrong = if vantage.remote_clients { number > newest } else { number != newest };
    if is_wrong {
        report.fail(&ACKS_ARE_OF_WHAT_IS_SHOWN, now, host, &ACK_01, || {
            format!("it acknowledges {number}; the newest snapshot that it can show is {newest}")
        });
    }
}

/// The server receives a datagram.
pub fn received(session: &mut Session, vantage: Vantage, bytes: &[u8]) {
    let Ok(number) = read_ack(&mut Reader::new(bytes)) else { return };
    if number == 0 {
        // The client starts over: what it held before is gone, if the server has not missed that.
        if !vantage.server_may_miss {
            session.acknowledged.clear();
        }
    } else if session.sent.get(number).is_some() {
        session.acknowledged.insert(number);
        session.acknowledged.retain(|&held| held.saturating_add(HISTORY) > number);
    }
}
