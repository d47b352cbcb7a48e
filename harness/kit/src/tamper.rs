//! An endpoint whose datagrams are changed on their way in or out.
//!
//! Many mutants are the reference with a wrong field: a server that writes an angle in one byte is a server whose
//! angles are cut on the way out, a client that ignores a flag is a client to which the flag never comes. The endpoint
//! itself stays whole; the edit finds fields by the names that the dissector gives them.

use crate::dissect::{Dissection, Dissector};
use crate::endpoint::{Direction, Endpoint, HostId, PeerId};
use crate::reader::Span;
use crate::time::Time;
use std::ops::Range;

/// Changes a datagram. What it captures is its memory from datagram to datagram.
pub type Edit = Box<dyn FnMut(&mut Packet<'_>)>;

/// Puts right what belongs to the transport after an edit, such as a length in a header.
pub type Seal = fn(&mut [u8]);

/// One datagram on its way to or from an endpoint, dissected.
///
/// Places are those of the datagram as it was: replacements are collected, and made all at once after the edit.
#[derive(Debug)]
pub struct Packet<'a> {
    /// The client that sends or receives it.
    pub client: HostId,
    /// Where it goes.
    pub direction: Direction,
    /// The datagram as it was.
    pub bytes: &'a [u8],
    /// Its fields and groups, in the order of their places; those of a reliable message that it carries whole, too.
    pub spans: &'a [Span],
    changes: Vec<(Range<usize>, Vec<u8>)>,
    dropped: bool,
}

impl<'a> Packet<'a> {
    /// The fields (or groups) called `name`, first to last.
    pub fn fields(&self, name: &'static str) -> impl Iterator<Item = &'a Span> + use<'a> {
        self.spans.iter().filter(move |span| span.field == name)
    }

    /// The fields inside `group`, at any depth, in order.
    pub fn inside(&self, group: &Span) -> impl Iterator<Item = &'a Span> + use<'a> {
        let (start, end, depth) = (group.start, group.end, group.depth);
        self.spans.iter().filter(move |span| span.depth > depth && span.start >= start && span.end <= end)
    }

    /// The bytes of a field.
    pub fn raw(&self, span: &Span) -> &'a [u8] {
        self.bytes.get(span.start..span.end).unwrap_or_default()
    }

    /// The value of a field of at most 8 bytes, little-endian, unsigned.
    pub fn value(&self, span: &Span) -> u64 {
        self.raw(span).iter().rev().take(8).fold(0, |value, &byte| value << 8 | u64::from(byte))
    }

    /// Puts `bytes` in the place of `range`; an empty range inserts, empty bytes cut.
    pub fn replace(&mut self, range: Range<usize>, bytes: &[u8]) {
        debug_assert!(range.start <= range.end && range.end <= self.bytes.len(), "{range:?} is outside");
        self.changes.push((range, bytes.to_vec()));
    }

    /// Gives a field another value, in as many bytes as it has.
    pub fn set(&mut self, span: &Span, value: u64) {
        let width = (span.end - span.start).min(8);
        self.replace(span.start..span.end, &value.to_le_bytes()[..width]);
    }

    /// Takes a field or group out.
    pub fn cut(&mut self, span: &Span) {
        self.replace(span.start..span.end, &[]);
    }

    /// Puts `new` in the place of `old` wherever it stands. How often it did.
    pub fn replace_text(&mut self, old: &[u8], new: &[u8]) -> usize {
        let (mut at, mut count) = (0, 0);
        while !old.is_empty() && at + old.len() <= self.bytes.len() {
            if self.bytes[at..].starts_with(old) {
                self.replace(at..at + old.len(), new);
                (at, count) = (at + old.len(), count + 1);
            } else {
                at += 1;
            }
        }
        count
    }

    /// The datagram is never sent, or never received.
    pub fn discard(&mut self) {
        self.dropped = true;
    }

    /// The datagram after the edit; `None` if it was dropped. Of changes that overlap, the later one is not made.
    fn finish(mut self) -> Option<Vec<u8>> {
        if self.dropped {
            return None;
        }
        self.changes.sort_by_key(|(range, _)| (range.start, range.end));
        let mut edited = Vec::with_capacity(self.bytes.len());
        let mut from = 0;
        for (range, bytes) in self.changes {
            if range.start < from {
                continue;
            }
            edited.extend_from_slice(&self.bytes[from..range.start]);
            edited.extend_from_slice(&bytes);
            from = range.end;
        }
        edited.extend_from_slice(&self.bytes[from..]);
        Some(edited)
    }
}

/// An endpoint behind an edit.
pub struct Tampered {
    inner: Box<dyn Endpoint>,
    /// Who the endpoint is.
    host: HostId,
    dissector: Box<dyn Dissector>,
    seal: Seal,
    outgoing: Option<Edit>,
    incoming: Option<Edit>,
    dissection: Dissection,
    spans: Vec<Span>,
}

impl Tampered {
    /// `inner` (which is `host`), so far unchanged. `dissector` finds the fields; `seal` puts right what an edit makes
    /// wrong in a datagram's header.
    pub fn new(inner: Box<dyn Endpoint>, host: HostId, dissector: Box<dyn Dissector>, seal: Seal) -> Tampered {
        let dissection = Dissection { want_spans: true, ..Dissection::default() };
        Tampered { inner, host, dissector, seal, outgoing: None, incoming: None, dissection, spans: Vec::new() }
    }

    /// With an edit of all that it sends.
    pub fn outgoing(mut self, edit: impl FnMut(&mut Packet<'_>) + 'static) -> Tampered {
        self.outgoing = Some(Box::new(edit));
        self
    }

    /// With an edit of all that it receives.
    pub fn incoming(mut self, edit: impl FnMut(&mut Packet<'_>) + 'static) -> Tampered {
        self.incoming = Some(Box::new(edit));
        self
    }

    /// The datagram after its edit. The dissector reads what was really said, so that it stays in step.
    fn edit(&mut self, peer: PeerId, sent: bool, bytes: &[u8]) -> Option<Vec<u8>> {
        let client = if self.host == HostId::SERVER { peer.host } else { self.host };
        let to_client = sent == (self.host == HostId::SERVER);
        let direction = if to_client { Direction::ServerToClient } else { Direction::ClientToServer };
        self.dissection.clear();
        self.dissector.datagram(client, direction, bytes, &mut self.dissection);
        self.spans.clear();
        self.spans.extend_from_slice(&self.dissection.spans);
        for (message, spans) in &self.dissection.assembled {
            if bytes.ends_with(message) {
                let shift = bytes.len() - message.len();
                let moved = |span: &Span| Span { start: span.start + shift, end: span.end + shift, ..*span };
                self.spans.extend(spans.iter().map(moved));
            }
        }
        let edit = if sent { &mut self.outgoing } else { &mut self.incoming };
        let Some(edit) = edit else { return Some(bytes.to_vec()) };
        let mut packet = Packet { client, direction, bytes, spans: &self.spans, changes: Vec::new(), dropped: false };
        edit(&mut packet);
        let mut edited = packet.finish()?;
        if edited != bytes {
            (self.seal)(&mut edited);
        }
        Some(edited)
    }
}

impl Endpoint for Tampered {
    crate::pass_on!(inner: handle_command handle_timeout poll_event poll_timeout source_port forget observe);

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        if let Some(edited) = self.edit(from, false, bytes) {
            self.inner.handle_datagram(now, from, &edited);
        }
    }

    fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        loop {
            let before = out.len();
            let to = self.inner.poll_transmit(now, out)?;
            let sent = out.split_off(before);
            if let Some(edited) = self.edit(to, true, &sent) {
                out.extend_from_slice(&edited);
                return Some(to);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::{Command, Event, View};
    use crate::reader::{Form, Reader};
    use std::collections::VecDeque;

    /// Sends what it was given, and keeps what it received as its state's fields.
    #[derive(Default)]
    struct Parrot {
        to_say: VecDeque<Vec<u8>>,
        received: Vec<u8>,
    }

    impl Endpoint for Parrot {
        fn handle_command(&mut self, _: Time, _: &Command) {}
        fn handle_datagram(&mut self, _: Time, _: PeerId, bytes: &[u8]) {
            self.received.extend_from_slice(bytes);
        }
        fn handle_timeout(&mut self, _: Time) {}
        fn poll_transmit(&mut self, _: Time, out: &mut Vec<u8>) -> Option<PeerId> {
            out.extend(self.to_say.pop_front()?);
            Some(PeerId::client(1))
        }
        fn poll_event(&mut self) -> Option<Event> {
            None
        }
        fn poll_timeout(&self) -> Option<Time> {
            None
        }
        fn observe(&self, view: &mut View) {
            view.fields.extend(self.received.iter().map(|&byte| i32::from(byte)));
        }
    }

    /// A length, then numbers of two bytes in a group.
    struct Numbers;

    impl Dissector for Numbers {
        fn datagram(&mut self, _: HostId, _: Direction, bytes: &[u8], out: &mut Dissection) {
            let mut r = Reader::with_spans(bytes, &mut out.spans);
            let _ = r.u8("length");
            let group = r.begin("numbers");
            while r.u16("number").is_ok() {}
            r.end(group);
        }
        fn extensions(&self) -> Vec<String> {
            Vec::new()
        }
        fn assume(&mut self, _: &str) -> Result<(), String> {
            Ok(())
        }
    }

    fn seal(bytes: &mut [u8]) {
        bytes[0] = bytes.len() as u8;
    }

    fn tampered(to_say: &[&[u8]]) -> Tampered {
        let parrot = Parrot { to_say: to_say.iter().map(|said| said.to_vec()).collect(), received: Vec::new() };
        Tampered::new(Box::new(parrot), HostId::SERVER, Box::new(Numbers), seal)
    }

    fn said(endpoint: &mut Tampered) -> Vec<Vec<u8>> {
        let mut all = Vec::new();
        let mut out = Vec::new();
        while endpoint.poll_transmit(Time::ZERO, &mut out).is_some() {
            all.push(std::mem::take(&mut out));
        }
        all
    }

    #[test]
    fn fields_are_set_cut_and_inserted_and_the_header_is_put_right() {
        let mut endpoint = tampered(&[&[7, 1, 0, 2, 0, 3, 0]]).outgoing(|packet| {
            let numbers: Vec<&Span> = packet.fields("number").collect();
            packet.cut(numbers[0]);
            packet.set(numbers[1], 0x0102);
            packet.replace(numbers[2].end..numbers[2].end, &[9, 9, 9, 9]);
        });
        assert_eq!(said(&mut endpoint), [vec![9, 2, 1, 3, 0, 9, 9, 9, 9]]);
    }

    #[test]
    fn what_is_not_edited_passes_byte_for_byte() {
        let mut endpoint = tampered(&[&[99, 1, 0]]).outgoing(|_| {});
        assert_eq!(said(&mut endpoint), [vec![99, 1, 0]]);
    }

    #[test]
    fn a_dropped_datagram_is_skipped_and_the_next_one_sent() {
        let mut first = true;
        let edit = move |packet: &mut Packet<'_>| {
            if std::mem::take(&mut first) {
                packet.discard();
            }
        };
        let mut endpoint = tampered(&[&[3, 1, 0], &[3, 2, 0]]).outgoing(edit);
        assert_eq!(said(&mut endpoint), [vec![3, 2, 0]]);
    }

    #[test]
    fn incoming_datagrams_are_edited_before_the_endpoint_sees_them() {
        let mut endpoint = tampered(&[]).incoming(|packet| {
            assert_eq!(packet.direction, Direction::ClientToServer);
            let group = *packet.fields("numbers").next().expect("a group");
            let inside: Vec<u64> = packet.inside(&group).map(|span| packet.value(span)).collect();
            assert_eq!((inside, group.form), (vec![5, 6], Form::Group));
            assert_eq!(packet.replace_text(&[6, 0], &[7]), 1);
        });
        endpoint.handle_datagram(Time::ZERO, PeerId::client(1), &[5, 5, 0, 6, 0]);
        let mut view = View::default();
        endpoint.observe(&mut view);
        assert_eq!(view.fields, [4, 5, 0, 7]);
    }

    #[test]
    fn of_changes_that_overlap_the_later_one_is_not_made() {
        let mut endpoint = tampered(&[&[5, 1, 0, 2, 0]]).outgoing(|packet| {
            packet.replace(1..4, &[8]);
            packet.replace(3..5, &[9]);
        });
        assert_eq!(said(&mut endpoint), [vec![3, 8, 0]]);
    }
}
