//! An endpoint that sends its datagrams twice, against losses: some servers and clients do, and receivers drop the second.

use crate::copies::Numbering;
use crate::endpoint::{Endpoint, PeerId};
use crate::time::Time;
use std::collections::VecDeque;

/// When a datagram is sent for the second time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// At once.
    AtOnce,
    /// Beside the next that goes to the same peer.
    WithTheNext,
}

/// An endpoint whose datagrams go out twice.
pub struct Twice {
    inner: Box<dyn Endpoint>,
    /// What their numbers say: those with their own do.
    numbering: fn(&[u8]) -> Numbering,
    again: Again,
    /// What is about to be sent once more.
    due: VecDeque<(PeerId, Vec<u8>)>,
    /// What waits for the next to its peer.
    waiting: Vec<(PeerId, Vec<u8>)>,
}

impl Twice {
    /// `inner`, with every datagram sent twice that has a number of its own, as `numbering` says.
    pub fn around(inner: Box<dyn Endpoint>, numbering: fn(&[u8]) -> Numbering, again: Again) -> Box<dyn Endpoint> {
        Box::new(Twice { inner, numbering, again, due: VecDeque::new(), waiting: Vec::new() })
    }
}

impl Endpoint for Twice {
    crate::pass_on!(inner: handle_command handle_datagram handle_timeout poll_event poll_timeout source_port forget wants_quiet quiet_until observe);

    fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        if let Some((to, bytes)) = self.due.pop_front() {
            out.extend_from_slice(&bytes);
            return Some(to);
        }
        let before = out.len();
        let to = self.inner.poll_transmit(now, out)?;
        let bytes = out.get(before..).unwrap_or_default();
        match ((self.numbering)(bytes), self.again) {
            (Numbering::Own, Again::AtOnce) => self.due.push_back((to, bytes.to_vec())),
            (Numbering::Own, Again::WithTheNext) => {
                let before = self.waiting.iter().position(|(peer, _)| *peer == to);
                self.due.extend(before.map(|before| self.waiting.swap_remove(before)));
                self.waiting.push((to, bytes.to_vec()));
            }
            (Numbering::Unsaid, _) => {}
            // The last of before would come too late.
            (Numbering::Outside, _) => self.waiting.retain(|(peer, _)| peer.host != to.host),
        }
        Some(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::{Command, Event, View};

    /// Says single bytes to one client.
    struct Speaker(u8);

    impl Endpoint for Speaker {
        fn handle_command(&mut self, _: Time, _: &Command) {}
        fn handle_datagram(&mut self, _: Time, _: PeerId, _: &[u8]) {}
        fn handle_timeout(&mut self, _: Time) {}
        fn poll_transmit(&mut self, _: Time, out: &mut Vec<u8>) -> Option<PeerId> {
            self.0 += 1;
            out.push(self.0);
            (self.0 < 6).then_some(PeerId::client(1))
        }
        fn poll_event(&mut self) -> Option<Event> {
            None
        }
        fn poll_timeout(&self) -> Option<Time> {
            None
        }
        fn observe(&self, _: &mut View) {}
    }

    fn said(again: Again) -> Vec<u8> {
        let numbering = |bytes: &[u8]| match bytes {
            [4] => Numbering::Outside,
            _ => Numbering::Own,
        };
        let mut speaker = Twice::around(Box::new(Speaker(0)), numbering, again);
        let mut said = Vec::new();
        let mut out = Vec::new();
        while speaker.poll_transmit(Time::ZERO, &mut out).is_some() {
            said.append(&mut out);
        }
        said
    }

    #[test]
    fn what_has_a_number_is_sent_twice_and_nothing_else() {
        assert_eq!(said(Again::AtOnce), [1, 1, 2, 2, 3, 3, 4, 5, 5]);
        // What waits when numbers may begin anew is not sent again, nor the last.
        assert_eq!(said(Again::WithTheNext), [1, 2, 1, 3, 2, 4, 5]);
    }
}
