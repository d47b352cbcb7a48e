//! What its reader makes of a message at all: reads it, refuses it, or reads what it should not.

use super::Comparison;
use super::sounds::{EVENTS_ARE_SHOWN_AS_SENT, PRINTS_ARE_PRINTED, SOUNDS_ARE_PLAYED_AS_SENT};
use crate::options::Options;
use crate::oracle::coverage::{Point, Report, means};
use crate::oracle::diagnosis;
use crate::oracle::session::{Given, Session};
use crate::requirements::*;
use kit::{HostId, Suspects, Time, View};

kit::checks! {
    from means;
    /// What can be read is not refused.
    pub READABLE_MESSAGES_ARE_READ = "readable-messages-are-read" knows ClientShows: VER_04 ENT_03 SND_03 BASE_03 BASE_04 BASE_05 DEF_02
        DEF_04 MOVE_03;
    /// A message is read when all of its fragments are there, and not before.
    pub MESSAGES_ARE_READ_WHOLE = "messages-are-read-whole" knows ClientShows: NET_06;
    /// A datagram that is stale is not read.
    pub STALE_DATAGRAMS_ARE_NOT_READ = "stale-datagrams-are-not-read" knows ClientShows: NET_02;
    /// A bit that nobody defines is an error.
    pub UNDEFINED_BITS_ARE_REFUSED = "undefined-bits-are-refused" knows ClientShows: DEF_06;
}

/// The server refuses what it received.
pub fn server_refused(session: &Session, report: &mut Report, now: Time) {
    let (check, row) = match session.taken {
        _ if !session.judged() => return,
        Given::Part | Given::LastPart => (&MESSAGES_ARE_READ_WHOLE, &NET_06),
        Given::Readable if session.sent.extended() => (&READABLE_MESSAGES_ARE_READ, &MOVE_03),
        Given::Readable => (&READABLE_MESSAGES_ARE_READ, &VER_04),
        Given::Stale => (&STALE_DATAGRAMS_ARE_NOT_READ, &NET_02),
        Given::Nothing | Given::Reserved => return,
    };
    let client = session.host;
    report.fail(check, now, HostId::SERVER, row, || format!("refuses what {client} sends, which can be read"));
}

/// The client has acted on what it received, and refused it or not.
pub fn client_shows(session: &mut Session, view: &View, options: &Options, report: &mut Report, now: Time) {
    let refused = std::mem::take(&mut session.rejected);
    let received = std::mem::replace(&mut session.given, Given::Nothing);
    if !session.judged() {
        return;
    }
    if refused {
        return client_refused(session, received, report, now);
    }
    let host = session.host;
    match received {
        Given::Nothing => return,
        Given::Reserved => {
            report.saw(Point::ReservedBit);
            let what = || String::from("reads on after an undefined bit");
            return report.fail(&UNDEFINED_BITS_ARE_REFUSED, now, host, &DEF_06, what);
        }
        _ => {}
    }
    let (stale, own) = (received == Given::Stale, session.sent.own);
    let (delivered, restarted) = (&session.delivered, session.streams[1].has_restarted());
    let right = &mut session.right;
    let right = Comparison { host, delivered, view, right, options, stale, restarted, own, report, now }.look();
    if right && received == Given::Readable {
        for feature in &session.delivered.features {
            if !session.digested.contains(&feature.id) {
                session.digested.push(feature.id);
            }
        }
    }
    for due in std::mem::take(&mut session.delivered.sounds).into_iter().filter(|due| due.certain && view.valid) {
        let what = || format!("does not play (entity, channel, sound) {:?}", due.source);
        let suspects = diagnosis::sound_played(&due.raw, due.source, None);
        report.fail(&SOUNDS_ARE_PLAYED_AS_SENT, now, host, suspects, what);
    }
    if let Some(due) = session.delivered.events.pop_front().filter(|_| view.valid) {
        session.delivered.events.clear();
        report.fail(&EVENTS_ARE_SHOWN_AS_SENT, now, host, &VER_04, || format!("does not show {due:?}, which came"));
    }
    if let Some(number) = session.delivered.prints.pop_front() {
        session.delivered.prints.clear();
        report.fail(&PRINTS_ARE_PRINTED, now, host, &NET_06, || format!("does not print {number}, which came"));
    }
}

fn client_refused(session: &mut Session, received: Given, report: &mut Report, now: Time) {
    session.delivered.sounds.clear();
    session.delivered.prints.clear();
    session.delivered.events.clear();
    let (check, suspects) = match received {
        Given::Readable if session.delivered.strange => return,
        Given::Readable => {
            // What it has read before is not to blame.
            let new = session.delivered.features.iter().copied().filter(|row| !session.digested.contains(&row.id));
            (&READABLE_MESSAGES_ARE_READ, diagnosis::refused(new))
        }
        Given::Part | Given::LastPart => (&MESSAGES_ARE_READ_WHOLE, Suspects::from(&NET_06)),
        Given::Stale => (&STALE_DATAGRAMS_ARE_NOT_READ, Suspects::from(&NET_02)),
        Given::Reserved => return report.saw(Point::ReservedBit),
        Given::Nothing => return,
    };
    report.fail(check, now, session.host, suspects, || String::from("refuses what can be read, or should not be"));
}
