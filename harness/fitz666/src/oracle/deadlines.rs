//! What has to happen within a time.

use super::coverage::{Report, means};
use super::from_server::causes;
use super::session::{LAST_STEP, Session};
use crate::options::Options;
use crate::requirements::*;
use kit::{HostId, Time};

kit::checks! {
    from means;
    /// A client that has an update after the third step of its sign-on sends moves.
    pub MOVES_FOLLOW_THE_SIGN_ON = "moves-follow-the-sign-on" knows Time: ENT_16;
    /// A client that is to connect asks for a connection.
    pub CONNECTIONS_ARE_ASKED_FOR = "connections-are-asked-for" knows ClientShows Time: NET_10;
    /// A client answers each step of the sign-on.
    pub STEPS_ARE_ANSWERED = "steps-are-answered" knows ClientShows Time: NET_11;
    /// A client in the game is sent datagrams, one after another.
    pub DATAGRAMS_GO_ON = "datagrams-go-on" knows Time: NET_12;
    /// The server takes each step of the sign-on that the client asks for.
    pub THE_SIGN_ON_GOES_ON = "the-sign-on-goes-on" knows Time: NET_06;
}

/// A client that is to connect asks for it within this, in microseconds.
const ASK_US: u64 = 3_000_000;
/// A client that was not accepted asks again within this, in microseconds; so often a client asks at least.
const ASK_AGAIN_US: u64 = 6_000_000;
const ASKS: u32 = 3;
/// A client in the game is sent something within this, in microseconds, and so many of the server's ticks.
const FRAME_US: u64 = 3_000_000;
const FRAME_TICKS: u64 = 8;
/// What waits behind a reliable message comes so long after the acknowledgement, in microseconds and ticks.
const BEHIND_US: u64 = 250_000;
const BEHIND_TICKS: u64 = 2;
/// A client that has to send moves begins within this, in microseconds, and so many of its ticks.
const MOVES_US: u64 = 2_000_000;
const MOVES_TICKS: u64 = 8;
/// A server announces a map within this, in microseconds, and so many of its ticks as its datagrams have.
const ANNOUNCE_US: u64 = 2_000_000;
/// A server that was asked for the next step of a sign-on takes it within this, in microseconds.
const STEP_US: u64 = 5_000_000;

/// Looks for what is overdue.
pub fn overdue(session: &mut Session, options: &Options, report: &mut Report, now: Time) {
    if session.indeterminate.is_some() {
        return;
    }
    if now < session.tells_until {
        session.tells_of_a_map(now);
    }
    session.requests.overdue(report, now);
    if session.asks_due.take_if(|since| now.since(*since) > ASK_US).is_some() {
        let what = || String::from("was instructed to connect, and does not request a connection");
        report.fail(&CONNECTIONS_ARE_ASKED_FOR, now, session.host, &NET_10, what);
    }
    let alone = |since: &mut Time| now.since(*since) > ASK_AGAIN_US;
    if session.asked_times < ASKS && session.asked_at.take_if(alone).is_some() {
        let what = || String::from("was instructed to connect, and does not repeat its request");
        report.fail(&CONNECTIONS_ARE_ASKED_FOR, now, session.host, &NET_10, what);
    }
    if !session.judged() {
        return;
    }
    if !session.connected || session.delivered.strange {
        session.streams[0].abandoned();
    }
    let busy = session.streams[0].open().is_some();
    if !session.ends[1].remote {
        causes::overdue(session.host, &mut session.sent.events, busy, report, now);
    }
    session.streams[0].overdue(report, now);
    if !busy {
        session.moves.overdue(options, session.sent.extended(), session.host, report, now);
    }
    if session.connected {
        session.streams[1].overdue(report, now);
    }
    if !session.delivered.active {
        // A new map has begun since: the client signs on once more.
        session.moves_due = None;
    }
    let patience = MOVES_US + MOVES_TICKS * options.client_tick_us;
    let client = session.ends[1];
    if session.moves_due.is_some_and(|since| client.is_overdue(since, patience, session.spoke, now)) {
        session.moves_due = None;
        let what = || {
            String::from(
                "has received an update after the third step of its sign-on, and sends no moves or no longer sends any",
            )
        };
        report.fail(&MOVES_FOLLOW_THE_SIGN_ON, now, session.host, &ENT_16, what);
    }
    if session.sent.stage < LAST_STEP {
        session.framed = None;
    }
    // The end of the map may wait behind what is under way.
    let patience = FRAME_US + FRAME_TICKS * options.tick_us;
    let waits = busy || now.since(session.streams[0].acknowledged()) <= BEHIND_US + BEHIND_TICKS * options.tick_us;
    if session.framed.take_if(|since| !waits && now.since(*since) > patience).is_some() {
        let client = session.host;
        report
            .fail(&DATAGRAMS_GO_ON, now, HostId::SERVER, &NET_12, || format!("no longer sends datagrams to {client}"));
    }
    sign_on(session, options, report, now);
}

/// The same, of the sign-on.
fn sign_on(session: &mut Session, options: &Options, report: &mut Report, now: Time) {
    let (server, client) = (session.ends[0], session.ends[1]);
    if session.streams[1].open().is_some() {
        // Its own fragment is not acknowledged yet.
        session.answer_due.iter_mut().for_each(|(_, since)| *since = now);
        session.reply_due.iter_mut().for_each(|(_, since)| *since = now);
    }
    let late = |(_, since): &mut (Vec<u8>, Time)| client.is_overdue(*since, STEP_US, session.spoke, now);
    if let Some((word, _)) = session.reply_due.take_if(late) {
        let what = || format!("was instructed to send {:?}, and does not", String::from_utf8_lossy(&word));
        report.fail(&STEPS_ARE_ANSWERED, now, session.host, &NET_11, what);
    }
    let late =
        |(_, since): &mut (u8, Time)| session.connected && client.is_overdue(*since, STEP_US, session.spoke, now);
    if let Some((step, _)) = session.answer_due.take_if(late) {
        let what = || format!("has step {step} of the sign-on, and does not answer it");
        report.fail(&STEPS_ARE_ANSWERED, now, session.host, &NET_11, what);
    }
    // Of a map that has ended since, no step is taken any more.
    let next = if session.sent.between { 1 } else { session.sent.stage.saturating_add(1) };
    session.step_due = session.step_due.filter(|(step, _)| *step == next);
    if let (Some((_, since)), true) = (&mut session.step_due, session.streams[0].open().is_some()) {
        // What the server said before has yet to arrive; only then is its turn.
        *since = now;
    }
    // A remote server shows by its ack that it has read what it was asked.
    let asked = !server.remote || session.streams[1].open().is_none();
    let spoke = session.streams[0].spoke();
    let patience = |step: u8| if step == 1 { ANNOUNCE_US + FRAME_TICKS * options.tick_us } else { STEP_US };
    let late = |(step, since): &(u8, Time)| asked && server.is_overdue(*since, patience(*step), spoke, now);
    if let Some((step, _)) = session.step_due.filter(late) {
        session.step_due = None;
        let client = session.host;
        let what = || match step {
            1 => format!("does not announce the map to {client}"),
            _ => format!("does not take step {step} of the sign-on, though {client} asked for it"),
        };
        report.fail(&THE_SIGN_ON_GOES_ON, now, HostId::SERVER, &NET_06, what);
    }
}
