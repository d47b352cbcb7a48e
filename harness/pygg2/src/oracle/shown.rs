//! What a client applies of what is delivered to it, and what it shows then.

use super::coverage::{Point, Report};
use super::diagnosis;
use super::session::client::ClientSide;
use super::session::delivered::Delivery;
use crate::requirements::*;
use crate::snapshot::Declared;
use crate::state::*;
use kit::{HostId, Suspects, Time, View};

kit::checks! {
    DROPPED = "dropped-packets-have-no-effect" knows ClientShows: SEQ_02 [Wrapped] [ClientWrapped],
        SEQ_03 [LateDelivered] [LateClientDelivered], ROB_01 [UnreadableDelivered] [UnreadableClientDelivered],
        DLT_07 [BaseMissing], HS_12 [SessionBefore];
    APPLIED = "packets-are-applied-completely-and-in-order" knows ClientShows: EVT_07 [RepeatDelivered], EVT_08 [BothDelivered],
        DLT_01 [Delta Body], DLT_04 [OlderBase], DLT_08 [LengthsDiffer], SEQ_02 [Wrapped] [ClientWrapped],
        ROB_01 [UnreadableDelivered] [UnreadableClientDelivered], CLS_01 [Extras], HS_10 [RefusalDelivered];
    SHOWN = "what-is-applied-is-shown" knows ClientShows: TYPE_01 [NegativeStat], TYPE_02 [LargeNumber], BASE_01 [Body LargeNumber],
        BASE_02 [Keys], BASE_03 [Body], EVT_07 [RepeatDelivered], DLT_01 [Delta Body], DLT_08 [LengthsDiffer],
        CLS_02 [ClassFields], HS_11 [HiSent], SNAP_05 [SecondSnapshot];
}

/// Compares what a client applied and shows, now that it has acted on a delivery, with what it must.
pub fn compare(host: HostId, client: &mut ClientSide, declared: Declared, report: &mut Report, now: Time, view: &View) {
    let Some(delivery) = client.delivery.take() else { return };
    if client.incomparable.is_some() || !client.is_judged() {
        return;
    }
    let (applied, effect) = (&client.applied, &client.delivered.effect);
    let nothing = applied.is_empty();
    let (why, suspects, what): (_, Suspects, _) = match delivery {
        Delivery::Effective if *applied == effect.applied => {
            if let Some((suspects, what)) = differs(client, view) {
                report.fail(&SHOWN, now, host, suspects, || format!("after packet {}: {what}", effect.sequence));
            }
            return;
        }
        Delivery::Effective => {
            let suspects = diagnosis::applied_otherwise(effect, applied, declared.bytes() > 0);
            let (sequence, right) = (effect.sequence, &effect.applied);
            report.fail(&APPLIED, now, host, suspects, || {
                format!("packet {sequence} is applied as {applied:?}, expected {right:?}")
            });
            if nothing {
                // It was dropped: what the client holds is what it held before.
                client.delivered.take_back();
            } else {
                client.stop_comparing("it applied something else");
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
        Delivery::Ignored if !client.delivered.refused => (
            "it takes a packet of another session",
            (&HS_12).into(),
            String::from("a packet that is no answer to the hello is applied"),
        ),
        Delivery::Ignored | Delivery::Unsure => return,
    };
    report.fail(&DROPPED, now, host, suspects, || format!("{what}: {applied:?}"));
    client.stop_comparing(why);
}

/// What a client shows that it must not.
fn differs(client: &ClientSide, view: &View) -> Option<(Suspects, String)> {
    let players = &client.delivered.players;
    if view.numbers != players.numbers() {
        let (shown, right) = (&view.numbers, players.numbers());
        return Some(((&EVT_07).into(), format!("shows the players {shown:?}, expected {right:?}")));
    }
    let same = players.iter().map(|(_, player)| &player.0[..]).eq(view.fields.chunks_exact(FIELDS));
    for (id, right) in players.iter().filter(|_| !same) {
        let Some(shown) = view.entity(id).filter(|shown| shown.len() == right.0.len()) else {
            return Some(((&EVT_07).into(), format!("shows nothing of player {id}")));
        };
        let mut pairs = shown.iter().zip(&right.0).enumerate();
        let Some((field, (&shown, &right))) =
            pairs.find(|(field, (shown, right))| shown != right && !view.hidden.has(*field))
        else {
            continue;
        };
        let name = FIELD_TABLE.get(field).map_or("", |field| field.name);
        let what = format!("shows {name} {shown} of player {id}, expected {right}");
        return Some((diagnosis::shown_otherwise(&client.delivered.effect, field, shown), what));
    }
    let own = client.delivered.own.map_or(0, u32::from);
    let is_in = client.delivered.own.is_some();
    if view.valid != is_in {
        let words = |valid| if valid { "it has a world to show (`valid`)" } else { "it has none yet (`valid`)" };
        return Some(((&HS_11).into(), format!("says that {}, expected that {}", words(view.valid), words(is_in))));
    }
    if view.own_entity != own {
        return Some(((&HS_11).into(), format!("shows {} as its own player, expected {own}", view.own_entity)));
    }
    let (shown, right) = (f32::from_bits(view.server_time), client.delivered.time as f32 / 1000.0);
    if shown != right {
        return Some(((&SNAP_05).into(), format!("shows the time {shown}, expected {right}")));
    }
    None
}
