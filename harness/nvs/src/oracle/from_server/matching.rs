//! What stands at a place of the server's stream: which call, in which form.

use super::FromServer;
use crate::constants::{EXTRA_VERSION_BYTES, LIMIT_BYTES, SVC_EXTRA_VERSION, SVC_LIMIT};
use crate::oracle::expectation::{Form, Lines, length_in, writes_of};
use crate::oracle::stream::{base, listed_length};
use crate::oracle::truth::{Call, Class, Dest};
use crate::version::Versions;
use kit::Reader;
use netquake::Service;

/// Shortest part of a message that is taken for it.
const TELLING_BYTES: usize = 4;

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

/// Whether a call begins like `rest`; no form changes the command byte.
fn begins_like(call: &Call, rest: &[u8]) -> bool {
    call.writes.first().and_then(|write| write.bytes.first()) == rest.first()
}

impl FromServer<'_> {
    /// The lines of a call's message, for this place of the stream.
    pub(super) fn lines(&self, call: &Call, reliable: bool) -> Lines {
        match self.truth.message(call) {
            Some(message) => {
                let version = if call.dest == Dest::Init { 0 } else { self.session.form_version(reliable) };
                Lines::of(message, self.truth.ssvc, version)
            }
            None => Lines { server: 0, client: 0 },
        }
    }

    /// How much of `rest` is a call, in this form.
    fn measure(&self, call: &Call, form: Form, rest: &[u8], reliable: bool) -> Option<usize> {
        let message = self.truth.message(call);
        let lines = self.lines(call, reliable);
        if form == Form::Exact && message.is_some_and(|message| lines.leaves_out(message)) {
            return None;
        }
        let writes = writes_of(form, &call.writes, message, lines);
        length_in(writes.into_iter(), rest).filter(|&length| length > 0)
    }

    /// The longest form of a call that `rest` begins with; of equal ones the first.
    pub(super) fn best_form(&self, call: &Call, rest: &[u8], reliable: bool) -> Option<(Form, usize)> {
        if !begins_like(call, rest) {
            return None;
        }
        let others = self.truth.message(call).map_or(0, |message| message.lines.len());
        let all = (others > 0).then_some(Form::All);
        let mut best: Option<(Form, usize)> = None;
        for form in [Form::Exact].into_iter().chain((0..others).map(Form::Line)).chain(all) {
            let length = self.measure(call, form, rest, reliable).unwrap_or(0);
            if length <= best.map_or(0, |best| best.1) {
                continue;
            }
            // What stands after the right form may look like more of it.
            let right = best.filter(|best| best.0 == Form::Exact).and_then(|best| rest.get(best.1..));
            if right.is_none_or(|behind| !self.reads_on(behind, reliable)) {
                best = Some((form, length));
            }
        }
        best
    }

    /// Whether all of `rest` can be read by a client of this version.
    pub(super) fn reads_on(&self, mut rest: &[u8], reliable: bool) -> bool {
        // What is agreed upon, and whether what follows is written by it, can change on the way.
        let (mut agreed, mut signed_on) = (self.session.csvc(), !reliable || self.session.stage >= 2);
        while let Some(&svc) = rest.first() {
            let sub = rest.get(1).copied().unwrap_or_default();
            let version = if signed_on { agreed } else { 0 };
            let length = match (svc, self.truth.tables.find(svc, sub)) {
                (SVC_EXTRA_VERSION, _) => {
                    let sent = rest.get(2..).and_then(|rest| Versions::read(&mut Reader::new(rest)).ok());
                    agreed = sent.map_or(agreed, |sent| sent.csvc.0);
                    Some(EXTRA_VERSION_BYTES)
                }
                (SVC_LIMIT, None) => Some(LIMIT_BYTES),
                (_, Some(message)) => listed_length(rest, message, Lines::of(message, self.truth.ssvc, version)),
                _ => base(rest).ok().map(|(length, service)| {
                    match service {
                        Service::SignOnNum { stage: 2 } => signed_on = true,
                        Service::StuffText { text } if text.starts_with(b"reconnect") => {
                            (agreed, signed_on) = (0, false);
                        }
                        _ => {}
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

    /// A call that is expected here, in whatever form.
    pub(super) fn expected(&self, rest: &[u8], reliable: bool) -> Option<Hit> {
        let in_stream = |class: Class| class.is_reliable() == Some(reliable);
        let mut best: Option<Hit> = None;
        let mut consider = |id: u64, place: Place| {
            let Some(call) = self.truth.call(id) else { return };
            let Some((form, length)) = self.best_form(call, rest, reliable) else { return };
            let better = best.is_none_or(|best| {
                length > best.length || (length == best.length && form == Form::Exact && best.form != Form::Exact)
            });
            if better {
                best = Some(Hit { id, form, length, place });
            }
        };
        for (index, entry) in self.session.queue.iter().enumerate().filter(|(_, entry)| in_stream(entry.class)) {
            consider(entry.id, Place::Queue(index));
        }
        for (index, entry) in self.session.late.iter().enumerate().filter(|(_, entry)| in_stream(entry.class)) {
            consider(entry.id, Place::Late(index));
        }
        if reliable && self.session.stage < 2 {
            for (index, &id) in self.truth.sign_on.iter().enumerate().skip(self.session.image_calls) {
                consider(id, Place::SignOn(index));
            }
        }
        if let Some(id) = self.session.angles.filter(|_| !reliable) {
            consider(id, Place::Angles);
        }
        best
    }

    /// A call that should not be here.
    pub(super) fn stray(&self, rest: &[u8], reliable: bool) -> Option<Hit> {
        let mut best: Option<Hit> = None;
        for call in self.truth.calls.iter().rev().filter(|call| begins_like(call, rest)) {
            let waiting = self.session.queue.iter().any(|entry| entry.id == call.id);
            let right = call.is_for(self.session.host.0) && call.dest == Dest::Frame;
            if right || (waiting && call.frame.is_none()) {
                continue;
            }
            let Some((form, length)) = self.best_form(call, rest, reliable) else { continue };
            let better = best.is_none_or(|best| {
                let missed = |id: u64| self.session.queue.iter().any(|entry| entry.id == id);
                length > best.length || (length == best.length && waiting && !missed(best.id))
            });
            // What is so short anybody's game may send, too.
            if length >= TELLING_BYTES && better {
                best = Some(Hit { id: call.id, form, length, place: Place::Stray });
            }
        }
        best
    }

    /// A call that is expected here and has begun, yet goes on in no form that it has: the number of its bytes that
    /// came, and where it was expected.
    pub(super) fn garbled(&self, rest: &[u8], reliable: bool) -> Option<Hit> {
        let queue = self.session.queue.iter().enumerate().map(|(index, entry)| (entry.id, Place::Queue(index)));
        let angles = self.session.angles.filter(|_| !reliable).map(|id| (id, Place::Angles));
        let begun = queue.chain(angles).filter_map(|(id, place)| {
            let call = self.truth.call(id)?;
            let fits = call.class().is_reliable().unwrap_or(false) == reliable && begins_like(call, rest);
            let writes = (1..=call.writes.len()).rev();
            let longest = || writes.filter_map(|count| length_in(call.writes.iter().take(count), rest)).next();
            let sub = call.table.is_none() || rest.get(1) == Some(&call.sub()) || call.dest == Dest::Frame;
            let length = (fits && sub).then(longest).flatten()?;
            Some(Hit { id, form: Form::All, length, place })
        });
        let longest = begun.max_by_key(|hit| hit.length)?;
        // It is whole, and the server's own, if it can be read with all that follows: asked last, as it takes longest.
        let own = self.reads_on(rest, reliable) || (!reliable && self.is_full());
        (!own).then_some(longest)
    }
}
