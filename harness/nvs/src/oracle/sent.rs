//! What the server sends to one client, against what it was asked to send.

mod search;

use super::blame;
use super::book::{Book, Entry};
use super::coverage::{Point, Report};
use super::expected::{Form, Lines, bytes_of, writes_of};
use super::script::{Call, Class, Dest, Origin, Script};
use crate::constants::{PACKET_BYTES, SVC_EXTRA_VERSION, SVC_LIMIT};
use crate::options::Options;
use crate::requirements::*;
use crate::tables::Message;
use kit::{DecodeError, ErrorKind, HostId, Reader, Requirement, Time};
use netquake::constants::*;
use netquake::{Primitives, Service, read_service};
use search::{Hit, Place, listed_length};

/// A datagram that lacks no more than this is full: what ends in it was cut off.
const CUT_BYTES: usize = 16;

/// What was made of a place of the stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Bytes.
    pub length: usize,
    /// The call that it is, and its buffer.
    pub call: Option<(u64, Class)>,
    /// It has a table.
    pub listed: bool,
}

/// The server's side of one client, while it sends.
pub struct Sent<'a> {
    /// The client.
    pub book: &'a mut Book,
    /// The calls.
    pub script: &'a mut Script,
    /// Where findings go.
    pub report: &'a mut Report,
    /// The run's options.
    pub options: &'a Options,
    /// The time.
    pub now: Time,
    /// The other clients that are connected, with their CSVC.
    pub others: &'a [(u16, i32)],
    /// Bytes of the unreliable message under way.
    pub payload: usize,
}

impl Sent<'_> {
    pub(super) fn find(&mut self, requirement: &'static Requirement, what: impl FnOnce() -> String) {
        self.report.find(requirement, self.now, HostId::SERVER, what);
    }

    /// A reliable message, complete.
    pub fn reliable(&mut self, message: &[u8]) {
        let mut rest = message;
        let mut listed = None;
        while !rest.is_empty() && self.book.is_judged() && !self.book.lost {
            let before = listed;
            let Some(step) = self.step(rest, true, before.is_some()) else {
                // Where the next message begins is unknown; the next packet's beginning is.
                self.book.queue.iter_mut().for_each(|entry| entry.demanded = false);
                return;
            };
            self.follow(before, &step);
            listed = if step.listed { step.call.map(|call| call.0) } else { None };
            rest = rest.get(step.length.max(1)..).unwrap_or_default();
        }
    }

    /// Notes what two neighbours show.
    pub(super) fn follow(&mut self, before: Option<u64>, step: &Step) {
        let Some(before) = before else { return };
        self.report.saw(Point::Followed);
        let table = |id: u64| self.script.call(id).and_then(|call| call.table);
        let next = step.call.filter(|_| step.listed).and_then(|call| table(call.0));
        self.report.saw_if(next.is_some() && next != table(before), Point::TwoListed);
    }

    /// What stands at the front of `rest`; `None` if it cannot be read, which was reported then.
    pub(super) fn step(&mut self, rest: &[u8], reliable: bool, behind_listed: bool) -> Option<Step> {
        let svc = *rest.first()?;
        match svc {
            SVC_EXTRA_VERSION => return self.extra_version(rest, reliable),
            SVC_LIMIT if self.expected(rest, reliable).is_none() => return self.limit(rest),
            _ => {}
        }
        if svc == SVC_SET_ANGLE && reliable && self.book.stage == 2 && self.is_spawn_answer(rest) {
            return self.spawn_angles(rest);
        }
        if let Some(hit) = self.expected(rest, reliable) {
            return Some(self.take(hit, reliable));
        }
        if let Some(hit) = self.stray(rest, reliable) {
            return Some(self.take(hit, reliable));
        }
        if let Some(hit) = self.part(rest, reliable) {
            return Some(self.take(hit, reliable));
        }
        if svc == SVC_SET_ANGLE && !reliable && self.turns_now() {
            let host = self.book.host;
            // One copy for each client, write by write.
            let copies = rest.get(1) == Some(&SVC_SET_ANGLE) && !self.others.is_empty();
            self.find(if copies { &WR_04 } else { &T1_01 }, || {
                format!("to {host}: the view is turned by {:02x?}", rest.get(..16).unwrap_or(rest))
            });
            return None;
        }
        // Nobody asked for it, but a server may have a game of its own.
        if let Some(message) = self.script.tables.find(svc, rest.get(1).copied().unwrap_or_default()) {
            let lines = Lines::of(message, self.script.ssvc, self.book.form_version(reliable));
            if let Some(length) = listed_length(rest, message, lines)
                && rest.get(length..).is_some_and(|behind| self.reads_on(behind, reliable))
            {
                return Some(Step { length, call: None, listed: true });
            }
        }
        match base(rest) {
            Ok((length, service)) => {
                self.service(&service, rest.get(..length).unwrap_or_default(), reliable);
                Some(Step { length, call: None, listed: false })
            }
            Err(error) => {
                let host = self.book.host;
                if let Some(call) = self.script.torn.and_then(|id| self.script.call(id)) {
                    let joined = self.book.came.is_some_and(|came| came > call.at);
                    self.book.tainted = true;
                    match joined {
                        true => self.find(&WR_06, || format!("to {host}, which came later: the rest of a message")),
                        false => self.report.remark("a message in two frames came in two parts: not judged"),
                    }
                    return None;
                }
                // A server that pads what has no table ends it with bytes that are no service.
                let padded = svc == 0 && rest.iter().all(|&byte| byte == 0);
                let cut = matches!(error.kind, ErrorKind::Truncated { .. }) && self.payload + CUT_BYTES > PACKET_BYTES;
                let requirement = match () {
                    () if padded && !behind_listed => &DES_01,
                    () if cut && !reliable => &BUF_06,
                    () => blame::unreadable(self.book, svc, behind_listed),
                };
                self.find(requirement, || {
                    format!("to {host}: byte {svc:#04x} begins no message that can be read here: {error}")
                });
                None
            }
        }
    }

    /// Whether this client's view is to be turned in this frame.
    fn turns_now(&self) -> bool {
        let call = self.book.angles.and_then(|id| self.script.call(id));
        call.and_then(|call| call.frame).is_some_and(|frame| self.now.since(frame) <= self.options.tick_us / 2)
    }

    /// A call stands here.
    fn take(&mut self, hit: Hit, reliable: bool) -> Step {
        let Some(call) = self.script.call(hit.id).cloned() else {
            return Step { length: hit.length, call: None, listed: false };
        };
        let step = Step { length: hit.length, call: Some((call.id, call.class())), listed: call.table.is_some() };
        match hit.place {
            Place::Stray => {
                self.take_stray(&call, reliable);
                return Step { call: None, ..step };
            }
            Place::Late(index) => {
                self.book.late.remove(index);
                let host = self.book.host;
                self.find(&ORD_01, || format!("to {host}: {} comes behind a later call of its class", named(&call)));
            }
            Place::Queue(index) if reliable => self.skip_to(index),
            Place::Queue(index) => {
                self.book.queue.remove(index);
            }
            Place::SignOn(index) => {
                if index > self.book.image_calls {
                    let host = self.book.host;
                    self.find(&BUF_01, || {
                        format!("to {host}: the sign-on data lack what comes before {}", named(&call))
                    });
                }
                self.book.image_calls = index + 1;
            }
            Place::Angles => self.book.angles = None,
        }
        self.note(&call, hit.form, hit.length, reliable);
        step
    }

    /// A reliable call came: those of its class before it should have come earlier.
    fn skip_to(&mut self, index: usize) {
        let Some(entry) = self.book.queue.remove(index) else { return };
        let ordered = self.options.ordered;
        // With SSVC 0 a message that has a table may go the way of those that have none.
        let loose = |entry: &Entry| {
            let listed = |call: &Call| call.table.is_some() && call.dest == Dest::All;
            self.script.ssvc == 0 && self.script.call(entry.id).is_some_and(listed)
        };
        let entry_is_loose = loose(&entry);
        let same = |other: &Entry| match other.class {
            Class::Message | Class::Reliable if entry_is_loose || loose(other) => false,
            Class::Message | Class::Reliable => ordered || other.class == entry.class,
            _ => false,
        };
        let (skipped, kept): (Vec<Entry>, Vec<Entry>) = self.book.queue.drain(..index).partition(|other| same(other));
        for entry in kept.into_iter().rev() {
            self.book.queue.push_front(entry);
        }
        self.book.late.extend(skipped);
        self.report.saw_if(self.book.texts > 0, Point::TwoOfClass);
        self.report.saw_if(self.book.texts > 0 && ordered, Point::Ordered);
        self.book.texts += 1;
    }

    /// A call that should not be here is.
    fn take_stray(&mut self, call: &Call, reliable: bool) {
        let host = self.book.host;
        let mine = call.is_for(host.0);
        let wanted_reliable = matches!(call.dest, Dest::One | Dest::All | Dest::Init);
        let requirement = match () {
            () if call.origin == Origin::Written && blame::is_behind_listed(self.book, self.script, call) => &WR_07,
            () if mine && wanted_reliable != reliable && wanted_reliable => &BUF_01,
            () if mine && wanted_reliable != reliable => &BUF_02,
            () if !mine => blame::misdirected(call, reliable),
            () if reliable && call.frame.is_some_and(|frame| self.book.came.is_some_and(|came| frame < came)) => &WR_06,
            () if reliable => &BUF_01,
            () if self.book.last_calls.contains(&call.id) => &BUF_09,
            () => &BUF_02,
        };
        let entry = self.book.queue.iter().position(|entry| entry.id == call.id);
        if let Some(index) = entry {
            self.book.queue.remove(index);
        }
        self.find(requirement, || {
            let stream = if reliable { "reliable" } else { "unreliable" };
            format!("to {host}: {} has no business in the {stream} stream here", named(call))
        });
    }

    /// Notes what a call shows, and judges its form.
    fn note(&mut self, call: &Call, form: Form, length: usize, reliable: bool) {
        let host = self.book.host;
        let Some(message) = self.script.message(call).cloned() else {
            if form == Form::Exact {
                return self.note_unlisted(call);
            }
            let requirement = match call.svc() {
                SVC_TEMP_ENTITY => &TAB_02,
                _ => blame::missing(self.book, self.script, call),
            };
            return self.find(requirement, || format!("to {host}: {} comes in {length} bytes", named(call)));
        };
        let lines = self.lines(call, reliable);
        if call.dest == Dest::Init {
            return self.note_initial(call, form, &message);
        }
        if form != Form::Exact {
            let requirement = match self.is_stale(call, form, &message, lines, reliable) {
                true => &WR_01,
                false => blame::wrong_form(self.book, self.script, call, &message, form, reliable),
            };
            let exact = writes_of(Form::Exact, &call.writes, Some(&message), lines, &[]).unwrap_or_default();
            let (wanted, ssvc, csvc) = (bytes_of(&exact), self.script.ssvc, self.book.csvc());
            let stage = self.book.stage;
            self.find(requirement, || {
                format!(
                    "to {host}: {} comes in {length} bytes ({form:?}), not in {wanted}: SSVC {ssvc}, CSVC {csvc} \
                     (hundredths), signon {stage}",
                    named(call)
                )
            });
            return;
        }
        self.settle_doubt(&message, lines);
        self.note_versions(call, &message, lines, reliable);
        let newest_for_client = lines.client + 1 < message.lines.len();
        if let Some(seen) = self.script.call_mut(call.id) {
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
                let claims = self.book.claim() >= 50;
                let situation = if self.script.ssvc >= 50 { Point::Explosion } else { Point::ExplosionAtZero };
                self.report.saw_if(self.script.ssvc >= 50 || claims, situation);
            }
            _ => {}
        }
        self.report.saw_if(call.origin == Origin::Angles && !self.others.is_empty(), Point::FrameAnglesAmongOthers);
    }

    /// Whether a wrong form is what the preparation of the call before would make of this one.
    fn is_stale(&self, call: &Call, form: Form, message: &Message, lines: Lines, reliable: bool) -> bool {
        let previous = call.id.checked_sub(1).and_then(|id| self.script.call(id));
        let Some(previous) = previous.filter(|other| other.frame == call.frame && other.table != call.table) else {
            return false;
        };
        let Some(table) = previous.table else { return false };
        let messages = self.script.tables.messages();
        let stale = Form::Stale(table, self.lines(previous, reliable).client);
        let writes = |form: Form| writes_of(form, &call.writes, Some(message), lines, messages);
        previous.is_for(self.book.host.0) && writes(form).is_some() && writes(form) == writes(stale)
    }

    /// Notes which versions a message with a table was written for.
    pub(super) fn note_versions(&mut self, call: &Call, message: &Message, lines: Lines, reliable: bool) {
        let (ssvc, csvc) = (self.script.ssvc, self.book.csvc());
        let in_game = !reliable || self.book.stage >= 2;
        let newest = message.lines.first().map_or(0, |line| line.version.0);
        let at = message.lines.get(lines.client).map_or(0, |line| line.version.0);
        let changed = newest > 0 && ssvc >= newest;
        let report = &mut *self.report;
        report.saw_if(ssvc == 0, Point::ListedAtZero);
        let effect = call.svc() == SVC_TEMP_ENTITY;
        let general = self.script.tables.messages().iter().any(|other| other.sub.is_none() && other.svc == call.sub());
        report.saw_if(effect && call.sub() != TE_EXPLOSION, Point::OtherEffectListed);
        report.saw_if(effect && general, Point::SameNumber);
        report.saw_if(self.script.version_tried, Point::VersionChangeTried);
        report.saw_if(ssvc == 0 && self.book.claim() > 0, Point::SwitchedOff);
        report.saw_if(call.dest == Dest::One && !self.others.is_empty(), Point::OneAmongOthers);
        report.saw_if(call.dest == Dest::Broadcast && call.client != 0 && !self.others.is_empty(), Point::Named);
        if reliable && self.book.stage < 2 && changed {
            report.saw_if(self.book.told.is_some_and(|told| told.csvc.0 >= newest), Point::InWindow);
            let before = self.book.told_before.is_some_and(|told| told.csvc.0 >= newest);
            report.saw_if(self.book.told.is_none() && before, Point::InNewLevel);
        }
        if !in_game || !changed {
            return;
        }
        report.saw_if(csvc > 0 && message.lines.iter().all(|line| line.version.0 != csvc), Point::BetweenLines);
        report.saw_if(csvc == 0, Point::LowestVersion);
        report.saw_if(at > 0 && ssvc == at, Point::ServerAtLine);
        report.saw_if(at > 0 && csvc == at && ssvc > at, Point::ClientAtLine);
        report.saw_if(at > 0 && csvc == at && blame::is_uneven(at), Point::UnevenLine);
        report.saw_if(message.lines.len() > 2 && lines.client > lines.server, Point::ManyLines);
        report.saw_if(at > 0 && self.book.negative, Point::NegativeJudged);
        report.saw_if(at > 0 && self.book.bare, Point::BareJudged);
        let Some((new, old)) = message.lines.get(lines.client).zip(message.lines.last()) else { return };
        let replaces = (0..message.kinds.len()).any(|k| old.converts(k) && !new.converts(k));
        report.saw_if(at > 0 && replaces, Point::Replacing);
        report.saw_if(at > 0 && !replaces && new.bytes > old.bytes, Point::Appended);
        report.saw_if(at > 0 && call.svc() == SVC_SET_ANGLE, Point::FineAngles);
    }

    fn note_unlisted(&mut self, call: &Call) {
        let ssvc = self.script.ssvc;
        let report = &mut *self.report;
        report.saw(Point::Unlisted);
        report.saw_if(call.svc() == SVC_TEMP_ENTITY && ssvc > self.book.csvc(), Point::OtherEffect);
        report.saw_if(ssvc > 0 && self.book.csvc() == 0, Point::UnlistedAtPlain);
        report.saw_if(call.origin == Origin::Written, Point::Written);
        report.saw_if(call.origin == Origin::Named && !self.others.is_empty(), Point::Named);
        report.saw_if(call.dest == Dest::One && !self.others.is_empty(), Point::OneAmongOthers);
        report.saw_if(call.class() == Class::Reliable, Point::PlainAll);
    }

    /// A message with a table was part of the sign-on data.
    fn note_initial(&mut self, call: &Call, form: Form, message: &Message) {
        let host = self.book.host;
        let lines = Lines::of(message, self.script.ssvc, 0);
        self.report.saw_if(lines.server + 1 < message.lines.len(), Point::InitListed);
        if form == Form::Exact {
            let otherwise = call.forms_seen[1];
            if let Some(seen) = self.script.call_mut(call.id) {
                seen.forms_seen[0] = true;
            }
            if otherwise {
                self.find(&SIG_05, || format!("{} is in {host}'s sign-on data in another form", named(call)));
            }
            return;
        }
        let line = Lines::of(message, self.script.ssvc, self.book.csvc());
        // By this client's version it would be right: then others may have it otherwise.
        let by_version = form == Form::Line(line.client) && line.client + 1 < message.lines.len();
        let requirement = match self.script.call(call.id).is_some_and(|call| call.forms_seen[0]) {
            true if by_version => &SIG_05,
            _ => &SIG_03,
        };
        if let Some(seen) = self.script.call_mut(call.id) {
            seen.forms_seen[1] = true;
        }
        self.find(requirement, || format!("to {host}: {} is in the sign-on data as {form:?}", named(call)));
    }

    /// A message came in a new form: angles in an answer to spawn that did not are of a server that has them in frames
    /// alone.
    fn settle_doubt(&mut self, message: &Message, lines: Lines) {
        if lines.client + 1 == message.lines.len() {
            return;
        }
        if let Some((at, _, what)) = self.book.doubt.take() {
            self.report.find(&T1_03, at, HostId::SERVER, || what);
        }
    }
}

/// A call, for people.
pub fn named(call: &Call) -> String {
    let svc = call.svc();
    let name = service_name(svc).unwrap_or("a message");
    let text =
        call.writes.get(1).filter(|_| svc == SVC_PRINT).map(|write| {
            format!(" {:?}", String::from_utf8_lossy(write.bytes.strip_suffix(&[0]).unwrap_or(&write.bytes)))
        });
    let to = if call.client == 0 { String::from("all") } else { HostId(call.client).to_string() };
    let (dest, at) = (call.dest, call.at);
    format!("{name}{} (asked for at {at}, {dest:?} to {to})", text.unwrap_or_default())
}

/// A message of protocol 15 at the front of `rest`, and its length.
pub fn base(rest: &[u8]) -> Result<(usize, Service<'_>), DecodeError> {
    let mut r = Reader::new(rest);
    let svc = r.u8("svc")?;
    match read_service(&mut r, svc, &Primitives::PLAIN)? {
        Some(service) => Ok((r.at(), service)),
        None => r.error(0, "svc", ErrorKind::Unknown { value: svc.into() }),
    }
}
