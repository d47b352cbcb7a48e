//! What has to happen within a time.

use super::coverage::{Report, means};
use super::session::Session;
use crate::options::Options;
use crate::requirements::*;
use kit::{HostId, Time};

kit::checks! {
    from means;
    /// A client that has an update behind the third step of its sign-on sends moves.
    pub MOVES_FOLLOW_THE_SIGN_ON = "moves-follow-the-sign-on" knows Time: ENT_16;
    /// The server takes each step of the sign-on that the client asks for.
    pub THE_SIGN_ON_GOES_ON = "the-sign-on-goes-on" knows Time: NET_06;
}

/// A client that has to send moves begins within this, in microseconds, and so many of its ticks.
const MOVES_US: u64 = 2_000_000;
const MOVES_TICKS: u64 = 8;
/// A server that was asked for the next step of a sign-on takes it within this, in microseconds.
const STEP_US: u64 = 5_000_000;

/// Looks for what is overdue.
pub fn overdue(session: &mut Session, options: &Options, report: &mut Report, now: Time) {
    if session.indeterminate.is_some() {
        return;
    }
    session.requests.overdue(report, now);
    if !session.judged() {
        return;
    }
    if !session.connected || session.delivered.strange {
        session.streams[0].abandoned();
    }
    session.streams[0].overdue(report, now);
    if session.connected {
        session.streams[1].overdue(report, now);
    }
    if !session.delivered.active {
        // A new map has begun since: the client signs on once more.
        session.moves_due = None;
    }
    let patience = MOVES_US + MOVES_TICKS * options.client_tick_us;
    let (server, client) = (session.ends[0], session.ends[1]);
    if session.moves_due.is_some_and(|since| client.is_overdue(since, patience, session.spoke, now)) {
        session.moves_due = None;
        let what = || String::from("has an update behind the third step of its sign-on, and sends no moves");
        report.fail(&MOVES_FOLLOW_THE_SIGN_ON, now, session.host, &ENT_16, what);
    }
    if let (Some((_, since)), true) = (&mut session.step_due, session.streams[0].open().is_some()) {
        // What the server said before has yet to arrive; only then is its turn.
        *since = now;
    }
    // A remote server shows by its ack that it has read what it was asked.
    let asked = !server.remote || session.streams[1].open().is_none();
    let spoke = session.streams[0].spoke();
    let late = |(_, since): &(u8, Time)| asked && server.is_overdue(*since, STEP_US, spoke, now);
    if let Some((step, _)) = session.step_due.filter(late) {
        session.step_due = None;
        let client = session.host;
        let what = || format!("does not take step {step} of the sign-on, though {client} asked for it");
        report.fail(&THE_SIGN_ON_GOES_ON, now, HostId::SERVER, &NET_06, what);
    }
}
