//! What the server sends to one client, against what it was asked to send.

pub mod frames;
mod matching;
pub mod versions;

use super::coverage::{Point, meaning as m};
use super::diagnosis::{self, Evidence};
use super::expectation::{Form, Lines, bytes_of, writes_of};
use super::session::{Entry, Session};
use super::stream::{base, listed_length};
use super::truth::{Call, Class, Dest, Origin, Truth};
use crate::constants::{PACKET_BYTES, SVC_EXTRA_VERSION, SVC_LIMIT};
use crate::options::Options;
use crate::requirements::*;
use crate::tables::Message;
use crate::version::Version;
use kit::{Check, ErrorKind, HostId, Knows, Report, Suspects, Time};
use matching::{Hit, Place};
use netquake::constants::*;

/// A datagram that lacks no more than this is full: what ends in it was cut off.
const CUT_BYTES: usize = 16;

/// Every message can be read by a client of this version, to its end.
pub static STREAMS_CAN_BE_READ: Check = Check::new(
    "streams-can-be-read",
    &[
        m::SIG_03,
        m::SIG_04,
        m::SIG_05,
        m::SIG_01,
        m::WR_07,
        m::T1_01,
        m::T2_01,
        m::TAB_02,
        m::HS_07,
        m::DES_01,
        m::BUF_06,
        m::TAB_04,
        m::TAB_09,
        m::DES_03,
    ],
)
.knows(&[Knows::ClientSays]);
/// A message with a table that no call is can be read in the form of the client's version, not in another alone.
pub static NO_OTHER_FORM_IS_READABLE: Check = Check::new(
    "no-other-form-is-readable",
    &[
        m::WR_02,
        m::TAB_03,
        m::TAB_06,
        m::TAB_07,
        m::TAB_08,
        m::TAB_09,
        m::SEL_01,
        m::SEL_04,
        m::SEL_05,
        m::DES_02,
        m::DES_03,
        m::T3_01,
        m::T3_02,
        m::QC_01,
        m::SIG_03,
        m::SIG_04,
        m::SIG_05,
        m::REQ_01,
        m::HS_04,
        m::HS_05,
        m::VER_04,
    ],
)
.knows(&[Knows::ClientSays]);
/// A message with a table has the form of the client's version.
pub static FORMS_ARE_THE_CLIENTS: Check = Check::new(
    "forms-are-the-clients",
    &[
        m::TAB_03,
        m::TAB_04,
        m::TAB_06,
        m::TAB_07,
        m::TAB_08,
        m::TAB_09,
        m::SEL_01,
        m::SEL_02,
        m::SEL_03,
        m::SEL_04,
        m::SEL_05,
        m::WR_01,
        m::WR_02,
        m::WR_04,
        m::WR_07,
        m::DES_02,
        m::DES_03,
        m::QC_01,
        m::SIG_04,
        m::REQ_01,
        m::T1_01,
        m::T1_03,
        m::T3_01,
        m::T3_02,
        m::HS_04,
        m::HS_05,
        m::VER_04,
    ],
)
.knows(&[Knows::ClientSays, Knows::World]);
/// A message without a table comes as it was written.
pub static UNLISTED_CALLS_ARE_WHOLE: Check =
    Check::new("unlisted-calls-are-whole", &[m::TAB_01, m::TAB_02, m::WR_07, m::QC_03, m::BUF_10])
        .knows(&[Knows::World]);
/// A call comes to whom it is for, in its stream, and once.
pub static CALLS_REACH_WHOM_THEY_NAME_ONCE: Check = Check::new(
    "calls-reach-whom-they-name-once",
    &[m::WR_04, m::WR_05, m::WR_06, m::WR_07, m::BUF_01, m::BUF_02, m::BUF_08, m::BUF_09, m::BUF_11],
)
.knows(&[Knows::World]);
/// Calls of one class come in their order.
pub static CALLS_KEEP_THEIR_ORDER: Check =
    Check::new("calls-keep-their-order", &[m::ORD_01, m::ORD_02]).knows(&[Knows::World]);
/// The sign-on data have every call for them, in order, in the form of 0.00.
pub static SIGN_ON_DATA_HAVE_ALL_CALLS: Check =
    Check::new("sign-on-data-have-all-calls", &[m::BUF_01, m::SIG_03, m::SIG_05]).knows(&[Knows::World]);

/// What was made of a place of the stream.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// Bytes.
    length: usize,
    /// The call that it is, and its buffer.
    call: Option<(u64, Class)>,
    /// The message of the tables that it is.
    table: Option<usize>,
}

/// The server's side of one client, while it sends.
pub struct FromServer<'a> {
    /// The client.
    pub session: &'a mut Session,
    /// The calls.
    pub truth: &'a mut Truth,
    /// Where findings go.
    pub report: &'a mut Report,
    /// The run's options.
    pub options: &'a mut Options,
    /// The time.
    pub now: Time,
    /// The other clients that are connected, with their CSVC.
    pub others: &'a [(u16, i32)],
    /// Bytes of the unreliable message under way.
    pub payload: usize,
}

impl FromServer<'_> {
    fn fail(&mut self, check: &'static Check, suspects: impl Into<Suspects>, what: impl FnOnce() -> String) {
        self.report.fail(check, self.now, HostId::SERVER, suspects, what);
    }

    fn evidence<'b>(&'b self, call: &'b Call, reliable: bool) -> Evidence<'b> {
        Evidence { session: self.session, truth: self.truth, call, reliable }
    }

    /// A reliable message, complete.
    pub fn reliable(&mut self, message: &[u8]) {
        let mut rest = message;
        let mut table = None;
        while !rest.is_empty() && self.session.is_judged() {
            let before = table;
            let Some(step) = self.step(rest, true, before.is_some()) else {
                // Where the next message begins is unknown; the next packet's beginning is.
                self.session.queue.iter_mut().for_each(|entry| entry.demanded = false);
                return;
            };
            self.saw_neighbours(before, &step);
            table = step.table;
            rest = rest.get(step.length.max(1)..).unwrap_or_default();
        }
    }

    /// Notes what two neighbours show.
    fn saw_neighbours(&mut self, before: Option<usize>, step: &Step) {
        self.report.saw_if(before.is_some(), Point::Followed);
        self.report.saw_if(before.is_some() && step.table.is_some() && step.table != before, Point::TwoListed);
    }

    /// What stands at the front of `rest`; `None` if it cannot be read, which was reported then.
    fn step(&mut self, rest: &[u8], reliable: bool, behind_listed: bool) -> Option<Step> {
        let svc = *rest.first()?;
        if svc == SVC_EXTRA_VERSION {
            return self.extra_version(rest, reliable);
        }
        if svc == SVC_SET_ANGLE && reliable && self.session.stage == 2 && self.is_spawn_answer(rest) {
            return self.spawn_angles(rest);
        }
        if reliable && self.session.stage == 0 && begins_sign_on(rest) {
            return self.base_message(rest, reliable, behind_listed);
        }
        // Most of a frame is updates of entities, which no call begins like.
        let called = self.truth.has_begun_with(svc);
        if called && let Some(hit) = self.expected(rest, reliable) {
            return Some(self.take(hit, reliable));
        }
        if svc == SVC_LIMIT {
            return self.limit(rest);
        }
        if called && let Some(hit) = self.stray(rest, reliable) {
            return Some(self.take(hit, reliable));
        }
        if called && let Some(hit) = self.garbled(rest, reliable) {
            self.take_garbled(hit, reliable, behind_listed);
            return None;
        }
        // Nobody asked for it, but a server may have a game of its own.
        self.own_message(rest, reliable).or_else(|| self.base_message(rest, reliable, behind_listed))
    }

    /// Whether the unreliable message under way is as long as it can be: then its end may be cut off.
    fn is_full(&self) -> bool {
        self.payload + CUT_BYTES > PACKET_BYTES
    }

    /// A message with a table that no call is, in the form of the client's version.
    fn own_message(&mut self, rest: &[u8], reliable: bool) -> Option<Step> {
        let (svc, sub) = (*rest.first()?, rest.get(1).copied().unwrap_or_default());
        let message = self.truth.tables.find(svc, sub)?;
        let lines = Lines::of(message, self.truth.ssvc, self.session.form_version(reliable));
        let table = self.truth.tables.index(svc, sub);
        let read = |client: usize| {
            let length = listed_length(rest, message, Lines { client, ..lines })?;
            self.reads_on(rest.get(length..)?, reliable).then_some(length)
        };
        if let Some(length) = read(lines.client) {
            if self.truth.is_blind {
                let message = message.clone();
                self.saw_form(&message, lines, reliable);
                self.saw_own(&message, lines);
            }
            return Some(Step { length, call: None, table });
        }
        let (index, length) = (0..message.lines.len()).find_map(|line| Some((line, read(line)?)))?;
        let (host, csvc, stage) = (self.session.host, self.session.csvc(), self.session.stage);
        let suspects = diagnosis::other_form(self.session, self.truth, message, lines, index, reliable);
        let version = message.lines.get(index).map_or(Version::PLAIN, |line| line.version);
        self.fail(&NO_OTHER_FORM_IS_READABLE, suspects, || {
            format!(
                "to {host}: service {svc} can be read in the form of {version} alone: CSVC {csvc} (hundredths), signon {stage}"
            )
        });
        Some(Step { length, call: None, table })
    }

    /// A message of protocol 15; `None` if there is none, which was reported then.
    fn base_message(&mut self, rest: &[u8], reliable: bool, behind_listed: bool) -> Option<Step> {
        let error = match base(rest) {
            Ok((length, service)) => {
                self.service(&service, rest.get(..length).unwrap_or_default(), reliable);
                if self.truth.is_blind && (!reliable || self.session.stage >= 2) {
                    let (ssvc, csvc) = (self.truth.ssvc, self.session.csvc());
                    let effect = rest.first() == Some(&SVC_TEMP_ENTITY);
                    self.report.saw_if(effect && ssvc > csvc, Point::OtherEffect);
                    self.report.saw_if(ssvc > 0 && csvc == 0, Point::UnlistedAtPlain);
                }
                return Some(Step { length, call: None, table: None });
            }
            Err(error) => error,
        };
        let host = self.session.host;
        if let Some(call) = self.truth.torn.and_then(|id| self.truth.call(id)) {
            if self.session.came.is_some_and(|came| came > call.at) {
                self.fail(&CALLS_REACH_WHOM_THEY_NAME_ONCE, &WR_06, || {
                    format!("to {host}, which joined later: only the rest of a message")
                });
            }
            self.session.give_up(self.report, "a message in two frames came in two parts: not judged");
            return None;
        }
        let svc = rest.first().copied().unwrap_or_default();
        let cut = matches!(error.kind, ErrorKind::Truncated { .. }) && !reliable && self.is_full();
        let suspects = if cut {
            Suspects::from(&BUF_06)
        } else {
            diagnosis::unreadable(self.session, self.truth, rest, behind_listed)
        };
        self.fail(&STREAMS_CAN_BE_READ, suspects, || {
            format!("to {host}: byte {svc:#04x} begins no message that can be read here: {error}")
        });
        None
    }

    /// A call has begun here, and goes on in no form that it has.
    fn take_garbled(&mut self, hit: Hit, reliable: bool, behind_listed: bool) {
        let Some(call) = self.truth.call(hit.id).cloned() else { return };
        match hit.place {
            Place::Queue(index) => drop(self.session.queue.remove(index)),
            _ => self.session.angles = None,
        }
        let (host, length) = (self.session.host, hit.length);
        let what = || format!("to {host}: {call} does not continue in any of its forms after {length} bytes");
        let evidence = self.evidence(&call, reliable);
        if call.table.is_some() {
            let suspects = diagnosis::garbled(evidence, behind_listed);
            self.fail(&FORMS_ARE_THE_CLIENTS, suspects, what);
        } else {
            let suspects = diagnosis::cut(evidence);
            self.fail(&UNLISTED_CALLS_ARE_WHOLE, suspects, what);
        }
    }

    /// A call stands here.
    fn take(&mut self, hit: Hit, reliable: bool) -> Step {
        let Some(call) = self.truth.call(hit.id).cloned() else {
            return Step { length: hit.length, call: None, table: None };
        };
        let step = Step { length: hit.length, call: Some((call.id, call.class())), table: call.table };
        let host = self.session.host;
        match hit.place {
            Place::Stray => {
                self.take_stray(&call, reliable);
                return Step { call: None, ..step };
            }
            Place::Late(index) => {
                self.session.late.remove(index);
                self.out_of_order(&call);
            }
            Place::Queue(index) if reliable => self.skip_to(index),
            Place::Queue(index) => drop(self.session.queue.remove(index)),
            Place::SignOn(index) => {
                let mut passed = self.truth.sign_on.iter().take(index).skip(self.session.image_calls);
                if passed.any(|&id| self.truth.is_of_level(id)) && self.sign_on_data_fit() {
                    self.fail(&SIGN_ON_DATA_HAVE_ALL_CALLS, &BUF_01, || {
                        format!("to {host}: the sign-on data lack what comes before {call}")
                    });
                }
                self.session.image_calls = index + 1;
            }
            Place::Angles => self.session.angles = None,
        }
        self.judge_form(&call, hit.form, hit.length, reliable);
        step
    }

    fn out_of_order(&mut self, call: &Call) {
        let (host, ordered) = (self.session.host, self.options.ordered);
        self.fail(&CALLS_KEEP_THEIR_ORDER, Suspects::from(&ORD_01).or_if(ordered, &ORD_02), || {
            format!("to {host}: {call} comes after a later call of its class")
        });
    }

    /// A reliable call came: those of its class before it should have come earlier.
    fn skip_to(&mut self, index: usize) {
        let Some(entry) = self.session.queue.remove(index) else { return };
        let ordered = self.options.ordered;
        // With SSVC 0 a message that has a table may go the way of those that have none.
        let loose = |entry: &Entry| {
            let listed = |call: &Call| call.table.is_some() && call.dest == Dest::All;
            self.truth.ssvc == 0 && self.truth.call(entry.id).is_some_and(listed)
        };
        let entry_is_loose = loose(&entry);
        let same = |other: &Entry| match other.class {
            Class::Message | Class::Reliable if entry_is_loose || loose(other) => false,
            Class::Message | Class::Reliable => ordered || other.class == entry.class,
            _ => false,
        };
        let (skipped, kept): (Vec<Entry>, Vec<Entry>) =
            self.session.queue.drain(..index).partition(|other| same(other));
        for entry in kept.into_iter().rev() {
            self.session.queue.push_front(entry);
        }
        self.session.late.extend(skipped);
        self.report.saw_if(self.session.texts > 0, Point::TwoOfClass);
        self.report.saw_if(self.session.texts > 0 && ordered, Point::Ordered);
        self.session.texts += 1;
    }

    /// A call that should not be here is.
    fn take_stray(&mut self, call: &Call, reliable: bool) {
        let host = self.session.host;
        let may_be_behind = self.session.behind > 0 || self.session.is_unsure;
        if call.dest == Dest::Init && reliable && may_be_behind && !self.truth.is_of_level(call.id) {
            // Sign-on data of a level that is over, which waited for an acknowledgement.
            return;
        }
        let suspects = diagnosis::stray(self.evidence(call, reliable));
        if let Some(index) = self.session.queue.iter().position(|entry| entry.id == call.id) {
            self.session.queue.remove(index);
        }
        self.fail(&CALLS_REACH_WHOM_THEY_NAME_ONCE, suspects, || {
            let stream = if reliable { "reliable" } else { "unreliable" };
            format!("to {host}: {call} does not belong in the {stream} stream here")
        });
    }

    /// Judges the form of a call, and notes what it shows.
    fn judge_form(&mut self, call: &Call, form: Form, length: usize, reliable: bool) {
        let Some(message) = self.truth.message(call).cloned() else { return self.saw_unlisted(call) };
        if call.dest == Dest::Init {
            return self.judge_initial(call, form, &message);
        }
        let lines = self.lines(call, reliable);
        if form != Form::Exact {
            let suspects = diagnosis::wrong_form(self.evidence(call, reliable), &message, form);
            let wanted = bytes_of(&writes_of(Form::Exact, &call.writes, Some(&message), lines));
            let (host, stage) = (self.session.host, self.session.stage);
            let (ssvc, csvc) = (self.truth.ssvc, self.session.csvc());
            self.fail(&FORMS_ARE_THE_CLIENTS, suspects, || {
                format!(
                    "to {host}: {call} comes in {length} bytes ({form:?}), not in {wanted}: SSVC {ssvc}, CSVC {csvc} \
                     (hundredths), signon {stage}"
                )
            });
            return;
        }
        self.saw_versions(call, &message, lines, reliable);
        let newest_for_client = lines.client + 1 < message.lines.len();
        if let Some(seen) = self.truth.call_mut(call.id) {
            seen.forms_seen[usize::from(newest_for_client)] = true;
            let mixed = seen.forms_seen == [true; 2];
            self.report.saw_if(mixed, Point::Mixed);
            self.report.saw_if(mixed && call.dest == Dest::All, Point::ListedToAll);
        }
        match call.origin {
            Origin::Angles => self.report.saw(Point::FrameAngles),
            Origin::Particles => self.report.saw(Point::Particles),
            Origin::Prepared => self.report.saw(Point::Prepared),
            Origin::Explosion => {
                let claims = self.session.claim() >= 50;
                let point = if self.truth.ssvc >= 50 { Point::Explosion } else { Point::ExplosionAtZero };
                self.report.saw_if(self.truth.ssvc >= 50 || claims, point);
            }
            _ => {}
        }
        self.report.saw_if(call.origin == Origin::Angles && !self.others.is_empty(), Point::FrameAnglesAmongOthers);
    }

    /// Notes what a message with a table shows that is read without its call.
    fn saw_own(&mut self, message: &Message, lines: Lines) {
        let (ssvc, claims) = (self.truth.ssvc, self.session.claim() > 0);
        let explosion = message.svc == SVC_TEMP_ENTITY && message.sub == Some(TE_EXPLOSION);
        let changed = lines.server + 1 < message.lines.len();
        self.report.saw_if(explosion && changed, Point::Explosion);
        self.report.saw_if(explosion && ssvc == 0 && claims, Point::ExplosionAtZero);
        self.report.saw_if(message.svc == SVC_PARTICLE, Point::Particles);
    }

    /// Notes which versions a message with a table was written for.
    fn saw_versions(&mut self, call: &Call, message: &Message, lines: Lines, reliable: bool) {
        self.saw_form(message, lines, reliable);
        let ssvc = self.truth.ssvc;
        let report = &mut *self.report;
        let effect = call.svc() == SVC_TEMP_ENTITY;
        let general = self.truth.tables.messages().iter().any(|other| other.sub.is_none() && other.svc == call.sub());
        report.saw_if(effect && call.sub() != TE_EXPLOSION, Point::OtherEffectListed);
        report.saw_if(effect && general, Point::SameNumber);
        report.saw_if(self.truth.version_tried, Point::VersionChangeTried);
        report.saw_if(ssvc == 0 && self.session.claim() > 0, Point::SwitchedOff);
        report.saw_if(call.dest == Dest::One && !self.others.is_empty(), Point::OneAmongOthers);
        report.saw_if(call.dest == Dest::Broadcast && call.client != 0 && !self.others.is_empty(), Point::Named);
    }

    /// Notes in which form a message with a table came, and between which versions.
    fn saw_form(&mut self, message: &Message, lines: Lines, reliable: bool) {
        let (ssvc, csvc) = (self.truth.ssvc, self.session.csvc());
        let in_game = !reliable || self.session.stage >= 2;
        let newest = message.lines.first().map_or(0, |line| line.version.0);
        let at = message.lines.get(lines.client).map_or(0, |line| line.version.0);
        let changed = newest > 0 && ssvc >= newest;
        let report = &mut *self.report;
        report.saw_if(ssvc == 0, Point::ListedAtZero);
        if reliable && self.session.stage < 2 && changed {
            report.saw_if(self.session.versions.is_some_and(|sent| sent.csvc.0 >= newest), Point::InWindow);
            let before = self.session.versions_before.is_some_and(|sent| sent.csvc.0 >= newest);
            report.saw_if(self.session.versions.is_none() && before, Point::InNewLevel);
        }
        if !in_game || !changed {
            return;
        }
        report.saw_if(csvc > 0 && message.lines.iter().all(|line| line.version.0 != csvc), Point::BetweenLines);
        report.saw_if(csvc == 0, Point::LowestVersion);
        report.saw_if(at > 0 && ssvc == at, Point::ServerAtLine);
        report.saw_if(at > 0 && csvc == at && ssvc > at, Point::ClientAtLine);
        report.saw_if(at > 0 && csvc == at && diagnosis::is_uneven(at), Point::UnevenLine);
        report.saw_if(message.lines.len() > 2 && lines.client > lines.server, Point::ManyLines);
        report.saw_if(at > 0 && self.session.negative, Point::NegativeJudged);
        report.saw_if(at > 0 && self.session.bare, Point::BareJudged);
        let Some((new, old)) = message.lines.get(lines.client).zip(message.lines.last()) else { return };
        let replaces = (0..message.kinds.len()).any(|k| old.converts(k) && !new.converts(k));
        report.saw_if(at > 0 && replaces, Point::Replacing);
        report.saw_if(at > 0 && !replaces && new.bytes > old.bytes, Point::Appended);
        report.saw_if(at > 0 && message.svc == SVC_SET_ANGLE, Point::FineAngles);
    }

    fn saw_unlisted(&mut self, call: &Call) {
        let ssvc = self.truth.ssvc;
        let report = &mut *self.report;
        report.saw(Point::Unlisted);
        report.saw_if(call.svc() == SVC_TEMP_ENTITY && ssvc > self.session.csvc(), Point::OtherEffect);
        report.saw_if(ssvc > 0 && self.session.csvc() == 0, Point::UnlistedAtPlain);
        report.saw_if(call.origin == Origin::Written, Point::Written);
        report.saw_if(call.origin == Origin::Named && !self.others.is_empty(), Point::Named);
        report.saw_if(call.dest == Dest::One && !self.others.is_empty(), Point::OneAmongOthers);
        report.saw_if(call.class() == Class::Reliable, Point::PlainAll);
    }

    /// A message with a table was part of the sign-on data.
    fn judge_initial(&mut self, call: &Call, form: Form, message: &Message) {
        let host = self.session.host;
        let lines = Lines::of(message, self.truth.ssvc, 0);
        self.report.saw_if(lines.server + 1 < message.lines.len(), Point::InitListed);
        let seen = call.forms_seen;
        let exact = form == Form::Exact;
        if let Some(call) = self.truth.call_mut(call.id) {
            call.forms_seen[usize::from(!exact)] = true;
        }
        if !exact || seen[1] {
            let line = Lines::of(message, self.truth.ssvc, self.session.csvc());
            // By this client's version it would be right: then others may have it otherwise.
            let by_version = form == Form::Line(line.client) && line.client + 1 < message.lines.len();
            let suspects = diagnosis::initial(exact, seen[0] && by_version);
            self.fail(&SIGN_ON_DATA_HAVE_ALL_CALLS, suspects, || {
                let other = if exact { ", and in those of another client otherwise" } else { "" };
                format!("to {host}: {call} is in the sign-on data as {form:?}{other}")
            });
        }
    }
}

/// Whether the greeting of a server stands here, a print with what it announces after it: its first byte alone can be what
/// QuakeC writes to all.
fn begins_sign_on(rest: &[u8]) -> bool {
    let print = base(rest).ok().filter(|_| rest.first() == Some(&SVC_PRINT));
    print.is_some_and(|(length, _)| rest.get(length) == Some(&SVC_SERVER_INFO))
}
