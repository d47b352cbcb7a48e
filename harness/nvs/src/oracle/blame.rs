//! Which requirement a message breaks that is not as it has to be.

use super::book::Book;
use super::expected::{Form, Lines};
use super::script::{Call, Dest, Origin, Script};
use crate::requirements::*;
use crate::tables::{Message, has_subs};
use kit::Requirement;
use netquake::constants::{SVC_PARTICLE, SVC_SET_ANGLE, SVC_TEMP_ENTITY, TE_EXPLOSION};

/// A message that has a table came in another form than it has to have.
pub fn wrong_form(
    book: &Book,
    script: &Script,
    call: &Call,
    message: &Message,
    form: Form,
    reliable: bool,
) -> &'static Requirement {
    let lines = Lines::of(message, script.ssvc, book.form_version(reliable));
    if lines.leaves_out(message) {
        return &TAB_09;
    }
    match form {
        Form::Exact => &WR_02,
        Form::Stale(other, _) => {
            let other = script.tables.messages().get(other);
            let by_sub = |other: &Message| has_subs(call.svc()) && other.sub.is_none() && other.svc == call.sub();
            if other.is_some_and(by_sub) { &SEL_03 } else { &WR_01 }
        }
        Form::Middle(_) => &WR_03,
        Form::AndLast => &TAB_04,
        Form::Prefix(count) => match lines.writes(message) {
            writes if count + 1 == writes => &TAB_04,
            _ => &WR_07,
        },
        Form::All => match () {
            () if call.dest == Dest::All => &WR_02,
            () if reliable && book.stage < 2 => in_window(book),
            // By flags that hold for a message as a whole, old clients and new ones get all of it.
            () if call.origin == Origin::Prepared && lines.client + 1 < message.lines.len() => &TAB_06,
            () if call.origin == Origin::Prepared => &TAB_08,
            () if call.svc() == SVC_SET_ANGLE && lines.client + 1 < message.lines.len() => &T1_01,
            () => &TAB_06,
        },
        Form::Line(index) if index < lines.client => newer(book, script, call, message, lines, index, reliable),
        Form::Line(_) => older(book, script, call, message, lines),
    }
}

/// A client whose stream has not come to signonnum 2 got a form that it cannot expect.
pub fn in_window(book: &Book) -> &'static Requirement {
    if book.told.is_none() && book.told_before.is_some() { &REQ_01 } else { &SIG_04 }
}

fn newer(
    book: &Book,
    script: &Script,
    call: &Call,
    message: &Message,
    lines: Lines,
    index: usize,
    reliable: bool,
) -> &'static Requirement {
    let version = message.lines.get(index).map_or(0, |line| line.version.0);
    if reliable && book.stage < 2 && script.ssvc >= version && book.claim() >= version {
        return in_window(book);
    }
    if script.ssvc < version {
        // Not even the server's version has this form.
        return match () {
            () if book.claim() < version => &TAB_07,
            () if call.origin == Origin::Explosion => &T3_01,
            () => &SEL_04,
        };
    }
    match () {
        () if call.svc() == SVC_TEMP_ENTITY && call.sub() != TE_EXPLOSION => &SEL_02,
        () if call.dest == Dest::All => &WR_02,
        // Between two lines that both differ from the oldest one.
        () if lines.client + 1 < message.lines.len() => &DES_02,
        () if message.lines.len() > 2 && index > 0 => &DES_02,
        () if book.csvc() > 0 => &TAB_03,
        () if call.origin == Origin::Explosion => &T3_02,
        () if call.origin == Origin::Prepared && call.dest == Dest::Broadcast => &QC_01,
        () if call.origin == Origin::Prepared => &DES_03,
        () => &WR_02,
    }
}

/// An older form than the client reads.
pub fn older(book: &Book, script: &Script, call: &Call, message: &Message, lines: Lines) -> &'static Requirement {
    let version = message.lines.get(lines.client).map_or(0, |line| line.version.0);
    match () {
        () if book.negative => &HS_04,
        () if book.bare => &HS_05,
        () if is_uneven(version) => &VER_04,
        () if call.dest == Dest::Frame && book.spawn_angles == Some(true) => &T1_03,
        () if script.ssvc == version => &SEL_04,
        () if book.csvc() == version => &SEL_05,
        () => &TAB_03,
    }
}

/// Whether the nearest 32-bit float is below a version: compared with a float of more bits, it is less than itself.
pub fn is_uneven(hundredths: i32) -> bool {
    let exact = f64::from(hundredths) / 100.0;
    f64::from(exact as f32) < exact
}

/// Whether a call comes right behind one that has a table, and that the same client gets.
pub fn is_behind_listed(book: &Book, script: &Script, call: &Call) -> bool {
    let previous = call.id.checked_sub(1).and_then(|id| script.call(id)).filter(|other| other.at == call.at);
    previous.is_some_and(|other| other.table.is_some() && other.is_for(book.host.0))
}

/// A call did not come, or not all of it.
pub fn missing(book: &Book, script: &Script, call: &Call) -> &'static Requirement {
    match (call.origin, call.dest) {
        (Origin::Named, _) => &TAB_01,
        (_, Dest::Broadcast) if call.client != 0 && call.table.is_some() => &BUF_08,
        (Origin::Angles, _) => &T1_03,
        (Origin::Particles, _) => &T2_01,
        (Origin::Explosion, _) => &T3_02,
        (Origin::Prepared, Dest::Broadcast) => &QC_01,
        (Origin::Prepared, _) => &WR_02,
        (Origin::Written, _) if call.announced => &TAB_01,
        _ if is_behind_listed(book, script, call) && call.origin != Origin::Damage => &WR_07,
        (Origin::Written, _) => &QC_03,
        (_, Dest::All) => &BUF_10,
        _ => &TAB_01,
    }
}

/// What cannot be read begins with this service; a message that has a table came before it in the packet.
pub fn unreadable(book: &Book, svc: u8, behind_listed: bool) -> &'static Requirement {
    match svc {
        _ if book.stage < 2 => &SIG_01,
        _ if behind_listed => &WR_07,
        SVC_SET_ANGLE => &T1_01,
        SVC_PARTICLE => &T2_01,
        SVC_TEMP_ENTITY => &TAB_02,
        _ => &HS_07,
    }
}

/// A call came to somebody whom it does not concern.
pub fn misdirected(call: &Call, reliable: bool) -> &'static Requirement {
    match (call.dest, call.origin) {
        (Dest::Frame, _) if !reliable => &WR_04,
        (Dest::Broadcast, _) => &BUF_08,
        _ => &WR_05,
    }
}
