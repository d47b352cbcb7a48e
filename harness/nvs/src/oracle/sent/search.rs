//! What stands at a place of the server's stream: which call, in which form.

use super::{Sent, base};
use crate::constants::{EXTRA_VERSION_BYTES, LIMIT_BYTES, SVC_EXTRA_VERSION, SVC_LIMIT};
use crate::oracle::expected::{Form, Lines, length_in, writes_of};
use crate::oracle::script::{Call, Class, Dest};
use crate::tables::{Kind, Message};
use netquake::Service;

/// Shortest part of a message that is taken for it.
const TELLING_BYTES: usize = 5;

/// What stands at a place of the stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    pub id: u64,
    pub form: Form,
    pub length: usize,
    pub place: Place,
}

/// Where a call was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In the queue, where it is expected.
    Queue(usize),
    /// Among those that should have come before.
    Late(usize),
    /// In the sign-on data.
    SignOn(usize),
    /// The view that is to be turned.
    Angles,
    /// Nowhere: it is not for this client, not for this stream, or was there before.
    Stray,
}

impl Sent<'_> {
    /// The lines of a call's message, for this place of the stream.
    pub(super) fn lines(&self, call: &Call, reliable: bool) -> Lines {
        match self.script.message(call) {
            Some(message) => {
                let version = if call.dest == Dest::Init { 0 } else { self.book.form_version(reliable) };
                Lines::of(message, self.script.ssvc, version)
            }
            None => Lines { server: 0, client: 0 },
        }
    }

    /// How much of `rest` is a call, in this form.
    pub(super) fn measure(&self, call: &Call, form: Form, rest: &[u8], reliable: bool) -> Option<usize> {
        let message = self.script.message(call);
        let lines = self.lines(call, reliable);
        if form == Form::Exact && message.is_some_and(|message| lines.leaves_out(message)) {
            return None;
        }
        let writes = writes_of(form, &call.writes, message, lines, self.script.tables.messages())?;
        length_in(writes.iter().copied(), rest).filter(|&length| length > 0)
    }

    /// Whole forms of a call that it could have come in by mistake, the right one first.
    pub(super) fn forms(&self, call: &Call) -> Vec<Form> {
        let mut forms = vec![Form::Exact];
        if let Some(message) = self.script.message(call) {
            forms.extend((0..message.lines.len()).map(Form::Line));
            forms.push(Form::All);
            forms.push(Form::AndLast);
            forms.extend((2..message.kinds.len()).map(Form::Middle));
        }
        forms
    }

    /// The longest form of a call that `rest` begins with; of equal ones the first.
    pub(super) fn best_form(&self, call: &Call, rest: &[u8], reliable: bool) -> Option<(Form, usize)> {
        if call.writes.first().and_then(|write| write.bytes.first()) != rest.first() {
            return None;
        }
        let mut best: Option<(Form, usize)> = None;
        for form in self.forms(call) {
            let length = self.measure(call, form, rest, reliable).unwrap_or(0);
            if length <= best.map_or(0, |best| best.1) {
                continue;
            }
            // What stands behind the right form may look like more of it.
            let right = best.filter(|best| best.0 == Form::Exact).and_then(|best| rest.get(best.1..));
            if right.is_none_or(|behind| !self.reads_on(behind, reliable)) {
                best = Some((form, length));
            }
        }
        best
    }

    /// Whether all of `rest` can be read by a client of this version.
    pub(super) fn reads_on(&self, mut rest: &[u8], reliable: bool) -> bool {
        let mut version = self.book.form_version(reliable);
        while let Some(&svc) = rest.first() {
            let sub = rest.get(1).copied().unwrap_or_default();
            let length = match (svc, self.script.tables.find(svc, sub)) {
                (SVC_EXTRA_VERSION, _) => Some(EXTRA_VERSION_BYTES),
                (SVC_LIMIT, None) => Some(LIMIT_BYTES),
                (_, Some(message)) => listed_length(rest, message, Lines::of(message, self.script.ssvc, version)),
                _ => base(rest).ok().map(|(length, service)| {
                    if let Service::SignOnNum { stage: 2 } = service {
                        version = self.book.csvc();
                    }
                    length
                }),
            };
            match length.and_then(|length| rest.get(length.max(1)..)) {
                Some(behind) => rest = behind,
                None => return false,
            }
        }
        true
    }

    /// A call that is due here, in whatever form.
    pub(super) fn expected(&self, rest: &[u8], reliable: bool) -> Option<Hit> {
        let in_stream = |class: Class| match class {
            Class::Message | Class::Reliable => reliable,
            Class::Own | Class::Common => !reliable,
            Class::SignOn | Class::Frame => false,
        };
        let mut best: Option<Hit> = None;
        let mut consider = |id: u64, place: Place| {
            let Some(call) = self.script.call(id) else { return };
            let Some((form, length)) = self.best_form(call, rest, reliable) else { return };
            let better = best.is_none_or(|best| {
                length > best.length || (length == best.length && form == Form::Exact && best.form != Form::Exact)
            });
            if better {
                best = Some(Hit { id, form, length, place });
            }
        };
        for (index, entry) in self.book.queue.iter().enumerate().filter(|(_, entry)| in_stream(entry.class)) {
            consider(entry.id, Place::Queue(index));
        }
        for (index, entry) in self.book.late.iter().enumerate().filter(|(_, entry)| in_stream(entry.class)) {
            consider(entry.id, Place::Late(index));
        }
        if reliable && self.book.stage < 2 {
            for (index, &id) in self.script.sign_on.iter().enumerate().skip(self.book.image_calls) {
                consider(id, Place::SignOn(index));
            }
        }
        if let Some(id) = self.book.angles.filter(|_| !reliable) {
            consider(id, Place::Angles);
        }
        best
    }

    /// A call that has no business here.
    pub(super) fn stray(&self, rest: &[u8], reliable: bool) -> Option<Hit> {
        // Most of a frame is updates of entities, which no call begins like; no form changes the command byte.
        if !rest.first().is_some_and(|&svc| self.script.has_begun_with(svc)) {
            return None;
        }
        let mut best: Option<Hit> = None;
        for call in self.script.calls.iter().rev() {
            if call.writes.first().and_then(|write| write.bytes.first()) != rest.first() {
                continue;
            }
            let waiting = self.book.queue.iter().any(|entry| entry.id == call.id);
            let right = call.is_for(self.book.host.0) && call.dest == Dest::Frame;
            if right || (waiting && call.frame.is_none()) {
                continue;
            }
            let Some((form, length)) = self.best_form(call, rest, reliable) else { continue };
            let better = best.is_none_or(|best| {
                let missed = |id: u64| self.book.queue.iter().any(|entry| entry.id == id);
                length > best.length || (length == best.length && waiting && !missed(best.id))
            });
            // What this short says of itself anybody's game may say, too.
            if length >= TELLING_BYTES - 1 && better {
                best = Some(Hit { id: call.id, form, length, place: Place::Stray });
            }
        }
        best
    }

    /// The beginning of a call that is due here, in place of all of it; or what flags of another message make of it.
    pub(super) fn part(&self, rest: &[u8], reliable: bool) -> Option<Hit> {
        let due = self.book.queue.iter().enumerate().map(|(index, entry)| (entry.id, Place::Queue(index)));
        let angles = self.book.angles.filter(|_| !reliable).map(|id| (id, Place::Angles));
        let mut best: Option<Hit> = None;
        for (id, place) in due.chain(angles) {
            let Some(call) = self.script.call(id) else { continue };
            let class = call.class();
            let fits = match class {
                Class::Message | Class::Reliable => reliable,
                Class::SignOn => false,
                Class::Own | Class::Common | Class::Frame => !reliable,
            };
            if !fits || call.writes.first().and_then(|write| write.bytes.first()) != rest.first() {
                continue;
            }
            let messages = self.script.tables.messages();
            let listed = call.table.is_some();
            let stale = messages
                .iter()
                .enumerate()
                .filter(|_| listed)
                .flat_map(|(other, message)| (0..message.lines.len()).map(move |line| Form::Stale(other, line)));
            let prefixes = (1..call.writes.len()).map(Form::Prefix);
            for form in stale.chain(prefixes) {
                let Some(length) = self.measure(call, form, rest, reliable) else { continue };
                let telling = length >= TELLING_BYTES || matches!(form, Form::Stale(..));
                if telling && best.is_none_or(|best| length > best.length) {
                    best = Some(Hit { id, form, length, place });
                }
            }
        }
        // It is whole, and somebody's own, if it can be read with all that follows.
        best.filter(|_| !self.reads_on(rest, reliable))
    }
}

/// How long a message with a table is in these lines' form.
pub(super) fn listed_length(rest: &[u8], message: &Message, lines: Lines) -> Option<usize> {
    let line = message.lines.get(lines.client)?;
    let mut at = 0;
    for (_, kind) in message.kinds.iter().enumerate().filter(|(k, _)| line.converts(*k)) {
        let left = rest.get(at..)?;
        at += match kind {
            Kind::String => left.iter().position(|&byte| byte == 0)? + 1,
            kind => kind.bytes(),
        };
        rest.get(..at)?;
    }
    (at > 0).then_some(at)
}
