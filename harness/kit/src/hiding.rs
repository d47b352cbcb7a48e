//! An endpoint that cannot show everything.

use crate::endpoint::{Endpoint, Event, View};
use crate::hidden::Hidden;

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
    crate::pass_on!(inner: handle_command handle_datagram handle_timeout poll_transmit poll_timeout source_port wants_quiet quiet_until);

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

    fn observe(&self, view: &mut View) {
        self.inner.observe(view);
        view.hide(self.hidden, self.stride);
    }
}
