//! What a client plays and prints, against what it received.

use crate::notes;
use crate::oracle::coverage::{Point, Report, means};
use crate::oracle::diagnosis;
use crate::oracle::layout::SND_LARGE;
use crate::oracle::look::apart;
use crate::oracle::sent::proof;
use crate::oracle::session::{Given, Session};
use crate::requirements::*;
use kit::Time;

kit::checks! {
    from means;
    /// A client plays the sounds that it receives, in order.
    pub SOUNDS_ARE_PLAYED_AS_SENT = "sounds-are-played-as-sent" knows ClientShows: SND_03 SND_04 SND_05 DEF_03;
    /// A client plays nothing of a stale datagram.
    pub STALE_SOUNDS_ARE_NOT_PLAYED = "stale-sounds-are-not-played" knows ClientShows: NET_02;
    /// Damage, turns of the view and particles are shown as received, once.
    pub EVENTS_ARE_SHOWN_AS_SENT = "events-are-shown-as-sent" knows ClientShows: VER_04 NET_02;
    /// A client prints what it receives, once.
    pub PRINTS_ARE_PRINTED = "prints-are-printed" knows ClientShows: NET_06;
}

/// Degrees that are shown are as near to what was sent.
const NEAR: f64 = 1e-3;

/// A client notes that it plays a sound: entity, channel and number.
pub fn played(session: &mut Session, received: (u32, u32, u32), report: &mut Report, now: Time) {
    if !session.judged() {
        return;
    }
    let host = session.host;
    if session.given == Given::Stale {
        let what = || format!("plays sound {} of a stale datagram", received.2);
        return report.fail(&STALE_SOUNDS_ARE_NOT_PLAYED, now, host, &NET_02, what);
    }
    let Some(due) = session.delivered.sounds.pop_front() else { return };
    if received == due.source {
        report.saw_if(due.raw.bits & SND_LARGE != 0, Point::LargeSoundPlayed);
        report.saw_if(received.0 > 0x7fff, Point::HighEntityPlayed);
        return;
    }
    let what = || format!("plays (entity, channel, sound) {received:?}, should be {:?}", due.source);
    let suspects = diagnosis::sound_played(&due.raw, due.source, Some(received));
    report.fail(&SOUNDS_ARE_PLAYED_AS_SENT, now, host, suspects, what);
}

/// A client notes that something happened: the note, and its values.
pub fn happened(session: &mut Session, received: (usize, [i64; 2]), report: &mut Report, now: Time) {
    if !session.judged() || !session.delivered.certain {
        return;
    }
    let host = session.host;
    if session.given == Given::Stale {
        let what = || String::from("shows what happens in a stale datagram");
        return report.fail(&EVENTS_ARE_SHOWN_AS_SENT, now, host, &NET_02, what);
    }
    // A turn is sent in 1/256 of a circle, and shown in degrees.
    let turn = received.0 == notes::ANGLE_SET;
    let degrees = f64::from(f32::from_bits(received.1[0] as u32));
    let is = |due: &(usize, [i64; 2])| match due {
        (notes::ANGLE_SET, [code, _]) if turn => apart(degrees, *code as f64 * 360.0 / 256.0) <= NEAR,
        _ => *due == received,
    };
    let due = session.delivered.events.pop_front();
    if !due.as_ref().is_some_and(is) {
        let what = || format!("shows {received:?}, and {due:?} came");
        report.fail(&EVENTS_ARE_SHOWN_AS_SENT, now, host, &VER_04, what);
    }
}

/// A client prints.
pub fn printed(session: &mut Session, text: &[u8], report: &mut Report, now: Time) {
    let (Some(number), true) = (proof(text), session.judged()) else { return };
    match session.delivered.prints.pop_front() {
        Some(due) if due == number => report.saw(Point::Printed),
        due => report.fail(&PRINTS_ARE_PRINTED, now, session.host, &NET_06, || match due {
            Some(due) => format!("prints {number}, and {due} came"),
            None => format!("prints {number}, which did not come"),
        }),
    }
}
