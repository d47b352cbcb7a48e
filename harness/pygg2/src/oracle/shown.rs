//! What a client applies of what is delivered to it, and what it shows then.

use super::coverage::{Point, Report};
use super::diagnosis;
use super::session::client::ClientSide;
use super::session::delivered::{Delivery, Effect};
use crate::requirements::*;
use crate::snapshot::Declared;
use crate::state::*;
use kit::{Check, HostId, Suspects, Time, View, breaks};

/// A packet that has to be dropped has no effect.
pub static DROPPED: Check = Check::new(
    "dropped-packets-have-no-effect",
    &[
        breaks(&SEQ_02, &[&[Point::Wrapped], &[Point::ClientWrapped]]),
        breaks(&SEQ_03, &[&[Point::LateDelivered], &[Point::LateClientDelivered]]),
        breaks(&ROB_01, &[&[Point::UnreadableDelivered], &[Point::UnreadableClientDelivered]]),
        breaks(&DLT_07, &[&[Point::BaseMissing]]),
    ],
);

/// Of any other packet everything that is new is applied, events first.
pub static APPLIED: Check = Check::new(
    "packets-are-applied-completely-and-in-order",
    &[
        breaks(&EVT_07, &[&[Point::RepeatDelivered]]),
        breaks(&EVT_08, &[&[Point::BothDelivered]]),
        breaks(&DLT_01, &[&[Point::Delta, Point::Body]]),
        breaks(&DLT_04, &[&[Point::OlderBase]]),
        breaks(&DLT_08, &[&[Point::LengthsDiffer]]),
        breaks(&SEQ_02, &[&[Point::Wrapped], &[Point::ClientWrapped]]),
        breaks(&ROB_01, &[&[Point::UnreadableDelivered], &[Point::UnreadableClientDelivered]]),
        breaks(&CLS_01, &[&[Point::Extras]]),
    ],
);

/// What was applied is shown.
pub static SHOWN: Check = Check::new(
    "what-is-applied-is-shown",
    &[
        breaks(&TYPE_01, &[&[Point::NegativeStat]]),
        breaks(&TYPE_02, &[&[Point::LargeNumber]]),
        breaks(&BASE_01, &[&[Point::Body, Point::LargeNumber]]),
        breaks(&BASE_02, &[&[Point::Keys]]),
        breaks(&BASE_03, &[&[Point::Body]]),
        breaks(&EVT_07, &[&[Point::RepeatDelivered]]),
        breaks(&DLT_01, &[&[Point::Delta, Point::Body]]),
        breaks(&DLT_08, &[&[Point::LengthsDiffer]]),
        breaks(&CLS_02, &[&[Point::ClassFields]]),
    ],
);

/// Compares what a client applied and shows, now that it has acted on a delivery, with what it must.
pub fn compare(host: HostId, client: &mut ClientSide, declared: Declared, report: &mut Report, now: Time, view: &View) {
    let Some(delivery) = client.delivery.take() else { return };
    let applied = std::mem::take(&mut client.applied);
    let before = client.before.take();
    if client.incomparable.is_some() || !client.is_judged() {
        return;
    }
    let nothing = applied.is_empty();
    let (why, suspects, what): (_, Suspects, _) = match delivery {
        Delivery::Effective(effect) if applied == effect.applied => {
            if let Some((suspects, what)) = differs(client, &effect, view) {
                report.fail(&SHOWN, now, host, suspects, || format!("behind packet {}: {what}", effect.sequence));
            }
            return;
        }
        Delivery::Effective(effect) => {
            let suspects = diagnosis::applied_otherwise(&effect, &applied, declared.bytes() > 0);
            let Effect { sequence, applied: right, .. } = &effect;
            report.fail(&APPLIED, now, host, suspects, || {
                format!("packet {sequence} is applied as {applied:?}, where {right:?} is right")
            });
            match before {
                // It was dropped: what the client holds is what it held before.
                Some(before) if nothing => client.delivered = before,
                _ => client.stop_comparing("it applied something else"),
            }
            return;
        }
        // What it shows cannot be known.
        Delivery::Unsure if !nothing => return client.stop_comparing("it has a base that it need not have"),
        _ if nothing => return,
        Delivery::Late(sequence) => {
            let last = client.delivered.last;
            let suspects = diagnosis::applied_late(sequence, last);
            ("it applied a late packet", suspects, format!("packet {sequence} is applied after {last}"))
        }
        Delivery::Unreadable => {
            ("it applied an unreadable packet", (&ROB_01).into(), String::from("an unreadable packet is applied"))
        }
        Delivery::BaseMissing => {
            ("it applied a packet without base", (&DLT_07).into(), String::from("a packet without base is applied"))
        }
        Delivery::Ignored | Delivery::Unsure => return,
    };
    client.stop_comparing(why);
    report.fail(&DROPPED, now, host, suspects, || format!("{what}: {applied:?}"));
}

/// What a client shows that it must not.
fn differs(client: &ClientSide, effect: &Effect, view: &View) -> Option<(Suspects, String)> {
    let players = &client.delivered.players;
    if view.numbers != players.numbers() {
        let (shown, right) = (&view.numbers, players.numbers());
        return Some(((&EVT_07).into(), format!("shows the players {shown:?}, where {right:?} are right")));
    }
    for (id, right) in players.iter() {
        let shown = view.entity(id)?;
        let mut pairs = shown.iter().zip(&right.0).enumerate();
        let Some((field, (&shown, &right))) = pairs.find(|(_, (shown, right))| shown != right) else { continue };
        let name = FIELD_TABLE.get(field).map_or("", |field| field.name);
        let what = format!("shows {name} {shown} of player {id}, where {right} is right");
        return Some((diagnosis::shown_otherwise(effect, field, shown), what));
    }
    None
}
