//! A connection goes on until one of its ends has a cause to end it.

use super::coverage::{Report, means};
use super::session::Session;
use crate::requirements::*;
use kit::{HostId, Time};

kit::checks! {
    from means;
    /// A server ends no connection of a client that neither leaves nor asks again, and acknowledges what it is sent.
    pub SERVERS_KEEP_CLIENTS = "servers-keep-clients" knows ServerShows: NET_06 NET_12;
    /// A client ends no connection that it is to keep and over which nothing came that it cannot read.
    pub CLIENTS_STAY = "clients-stay" knows ClientShows: NET_11;
}

/// The server says that it ended a connection.
pub fn server_ends(session: &mut Session, report: &mut Report, now: Time) {
    let causeless = session.judged() && !session.may_close && !session.streams[0].is_stuck(now);
    if causeless && !session.ends[0].remote {
        let row = if session.in_game { &NET_12 } else { &NET_06 };
        let client = session.host;
        let what = || format!("ends its connection with {client}, which goes on");
        report.fail(&SERVERS_KEEP_CLIENTS, now, HostId::SERVER, row, what);
    }
    session.closed();
}

/// The client says that it ended its connection.
pub fn client_ends(session: &mut Session, report: &mut Report, now: Time) {
    let delivered = &session.delivered;
    let readable = delivered.indeterminate.is_none() && !delivered.strange && !delivered.ended && !session.rejected;
    let signed_on = delivered.stage > 0 && !session.streams[1].has_restarted();
    if session.judged() && session.connected && session.wanted && readable && signed_on {
        sends_disconnect(session, report, now);
    }
    session.connected = false;
    session.moves_due = None;
    (session.idle, session.goes_on) = (true, false);
    session.asked_at = None;
    session.reply_due = None;
}

/// The client ends a connection that it is to keep, or tells its server so.
pub fn sends_disconnect(session: &Session, report: &mut Report, now: Time) {
    report.fail(&CLIENTS_STAY, now, session.host, &NET_11, || {
        String::from("disconnects without having been instructed to")
    });
}
