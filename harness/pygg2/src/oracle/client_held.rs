//! What a client makes of what is delivered to it: which events and snapshots it applies, and what it shows then.

use super::coverage::Report;
use super::link::Link;
use super::mirror::{Applied, Effect, Verdict};
use super::server_snapshot::reversed;
use crate::constants::INPUTSTATE_BITS;
use crate::requirements::*;
use crate::serial::newer;
use crate::state::*;
use kit::{Requirement, Time, View};

/// Compares what the client applied and shows with what it must.
pub fn compare(link: &mut Link, report: &mut Report, now: Time, view: &View) {
    let Some(verdict) = link.verdict.take() else { return };
    let shown = std::mem::take(&mut link.shown);
    let before = link.before.take();
    if link.differs || !link.judged {
        return;
    }
    let host = link.host;
    let mut find = |requirement: &'static Requirement, what: String| report.find(requirement, now, host, || what);
    let nothing = shown.is_empty();
    match verdict {
        Verdict::Unheard => {}
        Verdict::Late(sequence) if !nothing => {
            let last = link.mirror.last;
            let requirement = if sequence > last { &SEQ_02 } else { &SEQ_03 };
            link.differs = true;
            find(requirement, format!("packet {sequence} is applied after {last}: {shown:?}"));
        }
        Verdict::Unreadable if !nothing => {
            link.differs = true;
            find(&ROB_01, format!("a part of an unreadable packet is applied: {shown:?}"));
        }
        Verdict::Baseless if !nothing => {
            link.differs = true;
            find(&DLT_07, format!("a packet whose base is missing is applied: {shown:?}"));
        }
        // The client has a base that it need not have; what it shows cannot be told.
        Verdict::Unsure if !nothing => link.differs = true,
        Verdict::Late(_) | Verdict::Unreadable | Verdict::Baseless | Verdict::Unsure => {}
        Verdict::Effective(effect) if shown == effect.applied => {
            if let Some((requirement, what)) = view_differs(link, &effect, view) {
                find(requirement, format!("behind packet {}: {what}", effect.sequence));
            }
        }
        Verdict::Effective(effect) => {
            let requirement = why_other(&effect, &shown);
            let Effect { sequence, applied, .. } = &effect;
            find(requirement, format!("packet {sequence} is applied as {shown:?}, where {applied:?} is right"));
            match before {
                // It was dropped: what the client holds is what it held before.
                Some(before) if nothing => link.mirror = before,
                _ => link.differs = true,
            }
        }
    }
}

/// Which requirement a client violates that applies something else.
fn why_other(effect: &Effect, shown: &[Applied]) -> &'static Requirement {
    let Effect { sequence, before, delta, older_base, other_length, .. } = *effect;
    if shown.is_empty() {
        return match () {
            () if sequence < before => &SEQ_02,
            () if delta && other_length => &DLT_08,
            () if delta && older_base => &DLT_04,
            () if delta => &DLT_01,
            () => &ROB_01,
        };
    }
    let again = shown.iter().filter(|applied| effect.repeats.contains(applied));
    for applied in again {
        let Applied::Event(created, _) = *applied else { continue };
        // As a plain number it would be one that comes after.
        return if created > before { &SEQ_02 } else { &EVT_07 };
    }
    let missing = effect.applied.iter().find(|applied| !shown.contains(applied));
    match missing {
        Some(Applied::Event(created, _)) if newer(*created, before) && *created <= before => &SEQ_02,
        Some(_) => &EVT_07,
        None => &EVT_08,
    }
}

/// What a client shows that it must not, and which requirement it violates.
fn view_differs(link: &Link, effect: &Effect, view: &View) -> Option<(&'static Requirement, String)> {
    let players = &link.mirror.players;
    if view.numbers != players.numbers() {
        let (shown, right) = (&view.numbers, players.numbers());
        return Some((&EVT_07, format!("shows the players {shown:?}, where {right:?} are right")));
    }
    for (id, right) in players.iter() {
        let shown = view.entity(id)?;
        let mut pairs = shown.iter().zip(&right.0).enumerate();
        let Some((field, (&shown, &right))) = pairs.find(|(_, (shown, right))| shown != right) else { continue };
        let name = FIELD_TABLE.get(field).map_or("", |field| field.name);
        let what = format!("shows {name} {shown} of player {id}, where {right} is right");
        return Some((why_shown(effect, field, shown, right), what));
    }
    None
}

fn why_shown(effect: &Effect, field: usize, shown: i32, right: i32) -> &'static Requirement {
    let keys = i32::from(INPUTSTATE_BITS);
    match field {
        INPUTSTATE if shown & !keys != 0 => &BASE_03,
        INPUTSTATE if shown == i32::from(reversed(right as u8)) => &BASE_02,
        AIM if shown == i32::from((right as u16).swap_bytes()) => &TYPE_02,
        X | Y | SENTRY_X | SENTRY_Y if shown == right.swap_bytes() => &TYPE_02,
        HSPEED | VSPEED if shown == i32::from(right as u16) => &BASE_04,
        KILLS | DEATHS | HEALING if shown == i32::from(right as u16) => &TYPE_01,
        INPUTSTATE..=CLOAKED if effect.delta && effect.other_length => &DLT_08,
        HSPEED | VSPEED | HP => &BASE_01,
        INPUTSTATE..=CLOAKED if effect.delta => &DLT_01,
        CLASS | TEAM | ALIVE => &EVT_07,
        UBERCHARGE if shown == i32::from((right as u16).swap_bytes()) => &TYPE_02,
        AFTERBURN..=DAMAGE if effect.delta && effect.other_length => &DLT_08,
        AFTERBURN..=DAMAGE => &CLS_02,
        _ => &TYPE_01,
    }
}
