//! Which requirements fit the evidence of a failure, best first. Nothing here decides that something is wrong.

use super::expectation::{Form, Lines};
use super::session::Session;
use super::truth::{Call, Dest, Origin, Truth};
use crate::requirements::*;
use crate::tables::{Message, has_subs};
use crate::version::{Version, Versions};
use kit::{Requirement, Suspects};
use netquake::constants::{SVC_PARTICLE, SVC_SET_ANGLE, SVC_TEMP_ENTITY, TE_EXPLOSION};

/// A call, and the client whose stream it concerns.
#[derive(Clone, Copy)]
pub struct Evidence<'a> {
    /// The client.
    pub session: &'a Session,
    /// The calls.
    pub truth: &'a Truth,
    /// The call.
    pub call: &'a Call,
    /// Whether it is the reliable stream.
    pub reliable: bool,
}

impl Evidence<'_> {
    fn is_explosion(&self) -> bool {
        self.call.origin == Origin::Explosion
    }

    /// Whether the call requested before it, at the same moment, is for the same client and has a table.
    fn is_behind_listed(&self) -> bool {
        let previous = self.call.id.checked_sub(1).and_then(|id| self.truth.call(id));
        let previous = previous.filter(|other| other.at == self.call.at);
        previous.is_some_and(|other| other.table.is_some() && other.is_for(self.session.host.0))
    }
}

/// A message that has a table came in another form than it has to have.
pub fn wrong_form(e: Evidence<'_>, message: &Message, form: Form) -> Suspects {
    let Evidence { session, truth, reliable, .. } = e;
    let lines = Lines::of(message, truth.ssvc, session.form_version(reliable));
    if lines.leaves_out(message) {
        return Suspects::from(&TAB_09);
    }
    let suspects: Suspects = match form {
        Form::All => all_writes(e, message, lines).into(),
        Form::Line(index) if index < lines.client => newer(e, message, lines, index).into(),
        Form::Exact | Form::Line(_) => older(session, truth, message, lines),
    };
    suspects.or_if(truth.ssvc == 0, &SEL_01)
}

/// Every write that the server makes came, also those that the client's version has not.
fn all_writes(e: Evidence<'_>, message: &Message, lines: Lines) -> &'static Requirement {
    let Evidence { session, call, reliable, .. } = e;
    let is_new = lines.client + 1 < message.lines.len();
    if call.dest == Dest::All {
        &WR_02
    } else if reliable && session.stage < 2 {
        before_sign_on_data(session)
    } else if call.origin == Origin::Prepared && !is_new {
        // By flags that hold for a message as a whole, old clients and new ones get all of it.
        &TAB_08
    } else if call.svc() == SVC_SET_ANGLE && call.origin != Origin::Prepared && is_new {
        &T1_01
    } else {
        &TAB_06
    }
}

/// A client whose stream has not come to signonnum 2 got a form that it cannot expect.
fn before_sign_on_data(session: &Session) -> &'static Requirement {
    if session.versions.is_none() && session.versions_before.is_some() { &REQ_01 } else { &SIG_04 }
}

/// A newer form came than the client reads.
fn newer(e: Evidence<'_>, message: &Message, lines: Lines, index: usize) -> &'static Requirement {
    let Evidence { session, truth, call, reliable } = e;
    let version = message.lines.get(index).map_or(0, |line| line.version.0);
    if reliable && session.stage < 2 && truth.ssvc >= version && session.claim() >= version {
        before_sign_on_data(session)
    } else if truth.ssvc < version {
        // Not even the server's version has this form.
        if session.claim() < version {
            &TAB_07
        } else if e.is_explosion() {
            &T3_01
        } else {
            &SEL_04
        }
    } else if call.svc() == SVC_TEMP_ENTITY && call.sub() != TE_EXPLOSION {
        &SEL_02
    } else if call.dest == Dest::All {
        &WR_02
    } else if lines.client + 1 < message.lines.len() || (message.lines.len() > 2 && index > 0) {
        // Between two lines that both differ from the oldest one.
        &DES_02
    } else if session.csvc() > 0 {
        &TAB_03
    } else if e.is_explosion() {
        &T3_02
    } else if call.origin == Origin::Prepared {
        if call.dest == Dest::Broadcast { &QC_01 } else { &DES_03 }
    } else {
        &WR_02
    }
}

/// An older form came than the client reads.
pub fn older(session: &Session, truth: &Truth, message: &Message, lines: Lines) -> Suspects {
    let version = message.lines.get(lines.client).map_or(0, |line| line.version.0);
    Suspects::from(if session.negative {
        &HS_04
    } else if session.bare {
        &HS_05
    } else if is_uneven(version) {
        &VER_04
    } else if truth.ssvc == version {
        &SEL_04
    } else if session.csvc() == version {
        &SEL_05
    } else {
        &TAB_03
    })
}

/// A message that no call is has the form of line `index`; nobody knows where it comes from.
pub fn other_form(
    session: &Session,
    truth: &Truth,
    message: &Message,
    lines: Lines,
    index: usize,
    reliable: bool,
) -> Suspects {
    let version = message.lines.get(index).map_or(0, |line| line.version.0);
    if lines.leaves_out(message) {
        Suspects::from(&TAB_09)
    } else if index > lines.client {
        older(session, truth, message, lines)
    } else if reliable && session.stage < 2 && truth.ssvc >= version {
        match before_sign_on_data(session) {
            stale if stale.id == REQ_01.id => Suspects::from(stale),
            early => Suspects::from(early).or(&SIG_03).or(&SIG_05),
        }
    } else if truth.ssvc < version {
        if session.claim() < version { Suspects::from(&TAB_07) } else { Suspects::from(&T3_01).or(&SEL_04) }
    } else if lines.client + 1 < message.lines.len() {
        Suspects::from(&DES_02)
    } else if session.csvc() > 0 {
        Suspects::from(&TAB_03)
    } else {
        let third = if message.svc == SVC_TEMP_ENTITY { &T3_02 } else { &QC_01 };
        Suspects::from(&WR_02).or(&TAB_08).or(third).or(&DES_03)
    }
}

/// The view is turned in another form than the client's: in the answer to spawn.
pub fn spawn_angles(e: Evidence<'_>, message: &Message, form: Form) -> Suspects {
    wrong_form(e, message, form).or_if(matches!(form, Form::Line(_)), &T1_03)
}

/// A client was sent the versions `sent` in place of `expected`; `mod_may_not`: the mod tried to change SSVC, or may not
/// set it. None if they are right.
pub fn versions(
    session: &Session,
    sent: Versions,
    (claimed, wanted): (Version, Versions),
    mod_may_not: bool,
) -> Option<Suspects> {
    let csvc = claimed.min(sent.ssvc);
    let swapped = sent.csvc == wanted.cclc && sent.cclc == csvc;
    let suspect: &'static Requirement = if [sent.ssvc, sent.csvc, sent.cclc].iter().any(|version| version.0 < 0) {
        &HS_04
    } else if sent.ssvc != wanted.ssvc {
        if mod_may_not { &VER_05 } else { &VER_01 }
    } else if sent.csvc == csvc && sent.cclc == wanted.cclc {
        return None;
    } else if session.negative {
        &HS_04
    } else if session.bare {
        &HS_05
    } else if swapped {
        &HS_02
    } else if sent.csvc != csvc {
        &VER_02
    } else {
        &VER_03
    };
    let zero = wanted.ssvc == Version::PLAIN && wanted.cclc == Version::PLAIN;
    Some(Suspects::from(suspect).or_if(zero, &HS_03))
}

/// A client was disconnected without a word, or should not have been, as it is not too old.
pub fn disconnected(session: &Session, too_old: bool) -> Suspects {
    Suspects::from(if too_old {
        &HS_06
    } else if session.negative {
        &HS_04
    } else if session.bare {
        &HS_05
    } else {
        &HS_06
    })
}

/// A call with a table begins like itself, and goes on otherwise.
pub fn garbled(e: Evidence<'_>, behind_listed: bool) -> Suspects {
    let Evidence { truth, call, .. } = e;
    let is_general = |other: &Message| other.sub.is_none() && other.svc == call.sub();
    if has_subs(call.svc()) && truth.tables.messages().iter().any(is_general) {
        Suspects::from(&SEL_03)
    } else if behind_listed || e.is_behind_listed() {
        Suspects::from(&WR_01).or(&WR_07).or(&TAB_04)
    } else if call.svc() == SVC_SET_ANGLE {
        Suspects::from(&T1_01).or(&WR_04)
    } else {
        Suspects::from(&WR_07).or(&TAB_04)
    }
}

/// A call without a table came in part.
pub fn cut(e: Evidence<'_>) -> Suspects {
    if e.call.svc() == SVC_TEMP_ENTITY { Suspects::from(&TAB_02) } else { absent(e) }
}

/// A message with a table is not in the form of 0.00 in the sign-on data, or is so in those of one client only.
pub fn initial(exact: bool, by_version: bool) -> Suspects {
    Suspects::from(if exact || by_version { &SIG_05 } else { &SIG_03 })
}

/// A call did not come, or not all of it. `replaced`: another message of its kind came, which no call is.
pub fn missing(e: Evidence<'_>, replaced: bool) -> Suspects {
    if replaced { Suspects::from(&WR_03) } else { absent(e) }
}

fn absent(e: Evidence<'_>) -> Suspects {
    let call = e.call;
    Suspects::from(match (call.origin, call.dest) {
        (Origin::Named, _) => &TAB_01,
        (_, Dest::Broadcast) if call.client != 0 && call.table.is_some() => &BUF_08,
        (Origin::Angles, _) => &T1_03,
        (Origin::Particles, _) => &T2_01,
        (Origin::Explosion, _) => &T3_02,
        (Origin::Prepared, Dest::Broadcast) => &QC_01,
        (Origin::Prepared, _) => &WR_02,
        (Origin::Written, _) if call.announced => &TAB_01,
        _ if call.origin != Origin::Damage && e.is_behind_listed() => &WR_07,
        (Origin::Written, _) => &QC_03,
        (_, Dest::All) => &BUF_10,
        _ => &TAB_01,
    })
}

/// A broadcast for which there was room did not come. `full`: another client had no room; `cramped`: there would be
/// none by the size of another line.
pub fn dropped(e: Evidence<'_>, full: bool, cramped: bool, replaced: bool) -> Suspects {
    if e.call.client == 0 && full {
        Suspects::from(&BUF_07)
    } else if cramped {
        Suspects::from(&TAB_05)
    } else {
        missing(e, replaced)
    }
}

/// `rest` begins no message that can be read here; a message that has a table came before it in the packet, or not.
pub fn unreadable(session: &Session, truth: &Truth, rest: &[u8], behind_listed: bool) -> Suspects {
    // A server that pads what has no table ends it with bytes that are no service.
    let padded = rest.iter().all(|&byte| byte == 0);
    let svc = rest.first().copied().unwrap_or_default();
    let table = truth.tables.find(svc, rest.get(1).copied().unwrap_or_default());
    if table.is_some_and(|message| Lines::of(message, truth.ssvc, session.csvc()).leaves_out(message)) {
        Suspects::from(&TAB_09)
    } else if padded && !behind_listed {
        Suspects::from(&DES_01)
    } else if session.stage < 2 {
        Suspects::from(if behind_listed { &SIG_04 } else { &SIG_01 })
            .or_if(behind_listed, &SIG_03)
            .or_if(behind_listed, &SIG_05)
            .or(&SIG_01)
    } else if behind_listed {
        Suspects::from(&WR_07).or(&TAB_04)
    } else {
        Suspects::from(match svc {
            SVC_SET_ANGLE => &T1_01,
            SVC_PARTICLE => &T2_01,
            SVC_TEMP_ENTITY => &TAB_02,
            _ => &HS_07,
        })
    }
}

/// A call came to whom it does not concern, in the stream that is not its own, or once more.
pub fn stray(e: Evidence<'_>) -> Suspects {
    let Evidence { session, call, reliable, .. } = e;
    let mine = call.is_for(session.host.0);
    let belongs_reliable = matches!(call.dest, Dest::One | Dest::All | Dest::Init);
    let before_it_came = || call.frame.is_some_and(|frame| session.came.is_some_and(|came| frame < came));
    Suspects::from(if call.origin == Origin::Written && e.is_behind_listed() {
        &WR_07
    } else if !mine {
        match call.dest {
            Dest::Frame if !reliable => &WR_04,
            Dest::Broadcast => &BUF_08,
            _ => &WR_05,
        }
    } else if belongs_reliable != reliable {
        if belongs_reliable { &BUF_01 } else { &BUF_02 }
    } else if reliable {
        if before_it_came() { &WR_06 } else { &BUF_01 }
    } else if session.last_calls.contains(&call.id) {
        &BUF_09
    } else {
        &BUF_02
    })
}

/// Whether the nearest 32-bit float is below a version: compared with a float of more bits, it is less than itself.
pub fn is_uneven(hundredths: i32) -> bool {
    let exact = f64::from(hundredths) / 100.0;
    f64::from(exact as f32) < exact
}

/// What a packet had to be read by.
#[derive(Clone, Copy, Debug, Default)]
pub struct Readings {
    /// It has a message with a table that changed.
    pub listed: bool,
    /// One came before signonnum 2, to a client that had been sent a version.
    pub early: bool,
    /// One was read by a line whose version no float hits.
    pub uneven: bool,
    /// It has an explosion.
    pub explosion: bool,
    /// It has angles in floats.
    pub fine_angles: bool,
}

impl Readings {
    /// A client did not read the packet as it has to be read.
    pub fn misread(&self) -> Suspects {
        Suspects::from(if self.early {
            &SIG_02
        } else if self.uneven {
            &VER_04
        } else if self.explosion {
            &T3_03
        } else {
            &CL_01
        })
    }

    /// It shows other angles than were delivered; both are the bits of floats.
    pub fn misread_angles(&self, wanted: &[[i64; 4]], shown: &[[i64; 4]]) -> Suspects {
        let degrees = |bits: &i64| f64::from(f32::from_bits(*bits as u32));
        let near = |(wanted, shown): (&i64, &i64)| (degrees(wanted) - degrees(shown)).abs() < 360.0 / 256.0 + 0.001;
        let rounded = wanted.len() == shown.len() && wanted.iter().flatten().zip(shown.iter().flatten()).all(near);
        if !self.early && self.fine_angles && rounded {
            Suspects::from(&T1_02)
        } else if self.early || self.uneven {
            self.misread()
        } else {
            Suspects::from(&CL_01)
        }
    }
}
