//! Which requirements a failed check can mean: pure functions of the evidence, best suspect first.

use super::session::delivered::{Applied, Effect};
use super::session::held::Cause;
use super::session::server::Refusal;
use crate::constants::{INPUTSTATE_BITS, REFUSE_PASSWORD, S2C_REFUSE};
use crate::message::ServerEvent;
use crate::requirements::*;
use crate::serial::{greater, newer};
use crate::snapshot::{Base, ClassFields};
use crate::state::*;
use kit::Suspects;

/// A packet of the server that cannot be read; whether it is a `delta`, and the `first` with events.
pub fn unreadable(delta: bool, first: bool) -> Suspects {
    if delta {
        Suspects::from(&DLT_09).or(&TYPE_01)
    } else if first {
        // What follows hi cannot be read where hi itself has another length.
        Suspects::from(&HS_06).or(&TYPE_01)
    } else {
        (&TYPE_01).into()
    }
}

/// A packet of the server whose number is not new; whether the number stands in another place, or the snapshot was sent
/// before.
pub fn old_number(exchanged: bool, repeated: bool) -> Suspects {
    if exchanged {
        Suspects::from(&SEQ_04).or(&SEQ_01)
    } else if repeated {
        (&SNAP_02).into()
    } else {
        (&SEQ_01).into()
    }
}

/// Another number in `last_acked_sequence`; whether that packet came late.
pub fn wrong_last_acked(found: u16, right: u16, late: bool) -> Suspects {
    let behind_wrap = newer(right, found) && greater(found, right);
    if late {
        Suspects::from(&SEQ_03).or_if(behind_wrap, &SEQ_02)
    } else if behind_wrap && found != 0 {
        Suspects::from(&SEQ_02).or(&ACK_06)
    } else {
        (&ACK_06).into()
    }
}

/// A hello that was not refused.
pub fn not_refused(wanted: &Refusal) -> Suspects {
    if wanted.reason == REFUSE_PASSWORD { (&HS_03).into() } else { (&HS_04).into() }
}

/// A hello that was refused for another reason.
pub fn refused_otherwise(wanted: &Refusal) -> Suspects {
    if wanted.reason == REFUSE_PASSWORD && wanted.both { (&HS_05).into() } else { not_refused(wanted) }
}

/// An event that a packet lacks though it is not acknowledged.
#[derive(Clone, Copy, Debug)]
pub struct MissingEvent {
    /// Its number.
    pub created: u16,
    /// It is hi or a complete update.
    pub greets: bool,
    /// The newest acknowledgement.
    pub acked: Option<u16>,
    /// An acknowledgement that had to be ignored covers it.
    pub bogus_ack: bool,
    /// The packet has new events.
    pub has_new: bool,
    /// The client acknowledged since it was sent last.
    pub acked_since: bool,
    /// Another client did.
    pub other_acked_since: bool,
}

/// Why an event is missing.
pub fn missing_event(evidence: &MissingEvent) -> Suspects {
    let created = evidence.created;
    if evidence.bogus_ack {
        (&ACK_07).into()
    } else if evidence.acked.is_some_and(|acked| newer(created, acked) && !greater(created, acked)) {
        (&SEQ_02).into()
    } else if evidence.has_new {
        (&EVT_03).into()
    } else if evidence.acked_since {
        (&EVT_05).into()
    } else if evidence.other_acked_since {
        Suspects::from(&EVT_02).or(&EVT_06)
    } else if evidence.greets {
        Suspects::from(&HS_08).or(&EVT_06)
    } else {
        (&EVT_06).into()
    }
}

/// An event that was never sent.
pub fn never_sent(cause: Cause, complete_update: bool) -> Suspects {
    match cause {
        Cause::Hi => (&HS_06).into(),
        Cause::Complete(_) if complete_update => (&HS_07).into(),
        Cause::Complete(_) => (&FULL_01).into(),
        Cause::Game | Cause::Client | Cause::Departure | Cause::Perhaps => (&EVT_10).into(),
    }
}

/// An event with other values than it must have.
pub fn wrong_event(event: &ServerEvent) -> Suspects {
    if matches!(event, ServerEvent::Spawn { .. }) { Suspects::from(&TYPE_02).or(&TYPE_01) } else { (&TYPE_01).into() }
}

/// A complete update with another body, `right` and found, where both are there.
pub fn wrong_living(bases: Option<(Base, Base)>) -> Suspects {
    let differs = bases.is_some_and(|(right, found)| right != found);
    Suspects::from(&FULL_03).or_if(differs, &TYPE_02)
}

/// A snapshot that cannot be read: its length as it is, and as it must be.
pub fn unreadable_snapshot(length: usize, right: usize, delta: bool) -> Suspects {
    if delta && length < right {
        Suspects::from(&DLT_08).or(&DLT_01)
    } else if delta && length == right {
        Suspects::from(&DLT_01).or(&DLT_08)
    } else {
        Suspects::from(&CLS_02).or(&SNAP_03)
    }
}

/// A snapshot with another body than there is; in a delta or not.
pub fn wrong_body(right: &Base, found: &Base, delta: bool) -> Suspects {
    let keys = right.inputstate != found.inputstate;
    let aim = right.aimdirection != found.aimdirection;
    let place = (right.x, right.y) != (found.x, found.y);
    let speed = (right.hspeed, right.vspeed) != (found.hspeed, found.vspeed);
    let best = match (keys, aim, place, speed, right.hp != found.hp) {
        (true, true, false, false, false) => &SEQ_03,
        (true, false, false, false, false) => &BASE_02,
        (false, _, _, false, false) if aim || place => &TYPE_02,
        (false, false, false, true, false) => &BASE_04,
        (false, false, false, true, true) => &BASE_01,
        _ => &SNAP_03,
    };
    Suspects::from(best).or_if(delta, &DLT_01)
}

/// A body with other class fields than its player's.
pub fn wrong_class_fields(right: &ClassFields, found: &ClassFields) -> Suspects {
    // The one number of two bytes.
    if found.ubercharge != right.ubercharge { Suspects::from(&TYPE_02).or(&CLS_02) } else { (&CLS_02).into() }
}

/// A client's acknowledgement that is not the newest packet applied.
#[derive(Clone, Copy, Debug)]
pub struct WrongAck {
    /// What it acknowledges.
    pub found: u16,
    /// What is right.
    pub right: u16,
    /// That packet could not be applied.
    pub unapplied: bool,
    /// That packet came late.
    pub late: bool,
    /// That is what acknowledges nothing.
    pub nothing: bool,
    /// It acknowledged the same before.
    pub unchanged: bool,
}

/// Why an acknowledgement is wrong.
pub fn wrong_ack(evidence: &WrongAck) -> Suspects {
    let WrongAck { found, right, .. } = *evidence;
    if evidence.unapplied {
        (&ACK_04).into()
    } else if evidence.nothing {
        (&ACK_02).into()
    } else if evidence.unchanged && newer(right, found) && found > right {
        // It stands still where others wrapped.
        (&SEQ_02).into()
    } else if evidence.late && newer(right, found) && !evidence.unchanged {
        (&ACK_03).into()
    } else {
        (&ACK_01).into()
    }
}

/// A packet that a client applies otherwise than it must.
pub fn applied_otherwise(effect: &Effect, applied: &[Applied], declared: bool) -> Suspects {
    let Effect { sequence, before, delta, older_base, other_length, .. } = *effect;
    let refusal = |applied: &Applied| matches!(applied, Applied::Event(_, S2C_REFUSE));
    if applied.is_empty() {
        return if effect.applied.iter().any(refusal) {
            (&HS_10).into()
        } else if sequence < before {
            (&SEQ_02).into()
        } else if delta {
            let best = if other_length { &DLT_08 } else { &DLT_01 };
            if older_base { Suspects::from(&DLT_04).or(best) } else { best.into() }
        } else {
            Suspects::from(&ROB_01).or_if(declared, &CLS_01)
        };
    }
    let number = |applied: &Applied| match *applied {
        Applied::Event(created, _) => Some(created),
        Applied::Snapshot(_) => None,
    };
    let mut again = applied.iter().filter(|applied| effect.repeats.contains(applied)).filter_map(number);
    if let Some(created) = again.next() {
        // As a plain number it would be one that comes after.
        return if created > before { (&SEQ_02).into() } else { (&EVT_07).into() };
    }
    match effect.applied.iter().find(|right| !applied.contains(right)) {
        Some(Applied::Event(created, _)) if newer(*created, before) && *created <= before => (&SEQ_02).into(),
        Some(_) => (&EVT_07).into(),
        None => (&EVT_08).into(),
    }
}

/// A field that a client shows with another value.
pub fn shown_otherwise(effect: &Effect, field: usize, shown: i32) -> Suspects {
    let best = match field {
        INPUTSTATE if shown & !i32::from(INPUTSTATE_BITS) != 0 => return (&BASE_03).into(),
        INPUTSTATE => &BASE_02,
        AIM | X | Y | SENTRY_X | SENTRY_Y => &TYPE_02,
        HSPEED | VSPEED | HP => &BASE_01,
        CLASS | TEAM | ALIVE => return (&EVT_07).into(),
        AFTERBURN..=DAMAGE => &CLS_02,
        _ => &TYPE_01,
    };
    let delta = if effect.other_length { &DLT_08 } else { &DLT_01 };
    Suspects::from(best).or_if(effect.delta && matches!(field, INPUTSTATE..=CLOAKED | AFTERBURN..=DAMAGE), delta)
}

/// A packet that a client applies though it had to drop it as too late.
pub fn applied_late(sequence: u16, last: u16) -> Suspects {
    if sequence > last { Suspects::from(&SEQ_02).or(&SEQ_03) } else { (&SEQ_03).into() }
}
