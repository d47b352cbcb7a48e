//! What clients make of what is announced beside frames. A client that notes nothing is not judged by its notes.

use crate::constants::*;
use crate::dialect::Transport;
use crate::notes;
use crate::oracle::coverage::{Point, Report, checks};
use crate::oracle::diagnosis::{announcement, numbering};
use crate::oracle::field::ALL;
use crate::oracle::session::Session;
use crate::oracle::session::announcement::BIG_NUMBER;
use crate::requirements::*;
use crate::state::{Entity, FIELDS};
use kit::{Requirement, Time, View};

checks! {
    ANNOUNCEMENTS_ARE_NOTED = "announcements-are-noted" knows ClientShows: ENT_04 [BigNumberPlainNoted], SVC_09 [CsqcGoneNoted],
        SVC_14 [SoundNoted], ENT_03 [BigNumberNoted];
    STATIC_ENTITIES_ARE_SHOWN = "static-entities-are-shown" knows ClientShows: SVC_05 [StaticCompared], SVC_10;
}

/// The client notes something.
pub fn noted(session: &mut Session, report: &mut Report, now: Time, note: usize, value: i64) {
    let dialect = session.delivered_dialect;
    let sound_is_short = dialect.deltas() && dialect.transport == Transport::NetQuake;
    let (queue, suspects): (_, &'static Requirement) = match note {
        notes::VIEW_CHANGED => (&mut session.announced.delivered_views, numbering(&dialect)),
        notes::EFFECT_OF => (&mut session.announced.delivered_effects, numbering(&dialect)),
        notes::SOUND_PLAYED => (&mut session.announced.delivered_sounds, &SVC_14),
        notes::CSQC_GONE => (&mut session.announced.delivered_gone, &SVC_09),
        _ => return,
    };
    let Some(sent) = queue.pop_front() else { return };
    session.announced.notes = true;
    match note {
        notes::VIEW_CHANGED | notes::EFFECT_OF => {
            report.saw_if(sent >= BIG_NUMBER && !dialect.deltas(), Point::BigNumberPlainNoted);
            report.saw_if(sent >= BIG_NUMBER && dialect.deltas(), Point::BigNumberNoted);
        }
        notes::SOUND_PLAYED => report.saw_if(sound_is_short, Point::SoundNoted),
        _ => report.saw(Point::CsqcGoneNoted),
    }
    if value != i64::from(sent) && session.damaged.is_none() {
        report.fail(&ANNOUNCEMENTS_ARE_NOTED, now, session.host, suspects, || {
            format!("{}: the client notes {value}; it was sent {sent}", notes::name(note))
        });
    }
}

/// The run is over: a client that notes what it is sent has noted all of it.
pub fn finish(session: &mut Session, report: &mut Report, now: Time) {
    let announced = &session.announced;
    if !announced.notes || session.damaged.is_some() {
        return;
    }
    let queues: [(_, _, &'static Requirement); 4] = [
        (notes::VIEW_CHANGED, announced.delivered_views.front(), numbering(&session.delivered_dialect)),
        (notes::EFFECT_OF, announced.delivered_effects.front(), numbering(&session.delivered_dialect)),
        (notes::SOUND_PLAYED, announced.delivered_sounds.front(), &SVC_14),
        (notes::CSQC_GONE, announced.delivered_gone.front(), &SVC_09),
    ];
    for (note, sent, suspects) in queues {
        if let Some(sent) = sent {
            report.fail(&ANNOUNCEMENTS_ARE_NOTED, now, session.host, suspects, || {
                format!("{}: the client does not note {sent}", notes::name(note))
            });
        }
    }
}

/// Compares the client's static entities after it was sent more.
pub fn check_statics(session: &mut Session, report: &mut Report, now: Time, view: &View) {
    if !std::mem::take(&mut session.announced.observe_statics) || view.hidden.statics {
        return;
    }
    report.saw(Point::StaticCompared);
    let sent = &session.announced.delivered_statics;
    let shown = view.statics.chunks_exact(FIELDS);
    let same = |(shown, sent): (&[i32], &Entity)| {
        let shown: Option<[i32; FIELDS]> = shown.try_into().ok();
        shown.is_some_and(|mut shown| {
            view.hidden.fill(&mut shown, &sent.0);
            session.quantiser.differing(ALL, &Entity(shown), sent) == 0
        })
    };
    if shown.len() != sent.len() || !shown.zip(sent).all(same) {
        let (count, sent) = (view.statics.len() / FIELDS, sent.len());
        let suspects = announcement(&session.delivered_dialect, SVC_SPAWNSTATIC2);
        report.fail(&STATIC_ENTITIES_ARE_SHOWN, now, session.host, suspects, || {
            format!("the client shows {count} static entities, not the {sent} that it was sent")
        });
    }
}
