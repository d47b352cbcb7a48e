//! An endpoint that cannot show everything.

use crate::endpoint::{Command, Endpoint, Event, PeerId, View};
use crate::hidden::Hidden;
use crate::time::Time;

/// A client that does not show everything.
pub struct Hiding {
    /// The client.
    inner: Box<dyn Endpoint>,
    /// What it does not show.
    hidden: Hidden,
    /// Fields of an entity.
    stride: usize,
}

impl Hiding {
    /// A client that does not show this; itself if there is nothing that it does not show.
    pub fn around(inner: Box<dyn Endpoint>, hidden: Hidden, stride: usize) -> Box<dyn Endpoint> {
        if hidden.is_nothing() { inner } else { Box::new(Hiding { inner, hidden, stride }) }
    }
}

impl Endpoint for Hiding {
    fn handle_command(&mut self, now: Time, command: &Command) {
        self.inner.handle_command(now, command);
    }

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        self.inner.handle_datagram(now, from, bytes);
    }

    fn handle_timeout(&mut self, now: Time) {
        self.inner.handle_timeout(now);
    }

    fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        self.inner.poll_transmit(now, out)
    }

    fn poll_event(&mut self) -> Option<Event> {
        loop {
            let event = self.inner.poll_event()?;
            let hidden = match &event {
                Event::Print { .. } => self.hidden.prints,
                Event::Note { note, .. } => self.hidden.has_note(*note),
                _ => false,
            };
            if !hidden {
                return Some(event);
            }
        }
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.inner.poll_timeout()
    }

    fn source_port(&self) -> u16 {
        self.inner.source_port()
    }

    fn wants_quiet(&self) -> bool {
        self.inner.wants_quiet()
    }

    fn quiet_until(&mut self, until: Time) {
        self.inner.quiet_until(until);
    }

    fn observe(&self, view: &mut View) {
        self.inner.observe(view);
        view.hide(self.hidden, self.stride);
    }
}
