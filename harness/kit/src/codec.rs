//! A codec under test: a client that only reads, beside one that talks.

use crate::endpoint::{Command, Endpoint, Event, PeerId, View};
use crate::time::Time;
use std::cell::RefCell;

/// A client that talks to the server, and a codec that is given all that this client is given. The codec shows the world and says
/// what it decoded; what it sends goes nowhere, and in which state the client is, the client says.
pub struct WithCodec {
    /// Talks.
    client: Box<dyn Endpoint>,
    /// Only reads.
    codec: Box<dyn Endpoint>,
    /// What the client shows.
    shown: RefCell<View>,
    /// What the codec would have sent.
    unsent: Vec<u8>,
}

impl WithCodec {
    /// Both, as one endpoint.
    pub fn around(client: Box<dyn Endpoint>, codec: Box<dyn Endpoint>) -> Box<dyn Endpoint> {
        Box::new(WithCodec { client, codec, shown: RefCell::default(), unsent: Vec::new() })
    }
}

impl Endpoint for WithCodec {
    fn handle_command(&mut self, now: Time, command: &Command) {
        self.client.handle_command(now, command);
        self.codec.handle_command(now, command);
    }

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        self.client.handle_datagram(now, from, bytes);
        self.codec.handle_datagram(now, from, bytes);
    }

    fn handle_timeout(&mut self, now: Time) {
        for end in [&mut self.client, &mut self.codec] {
            if end.poll_timeout().is_some_and(|due| due <= now) {
                end.handle_timeout(now);
            }
        }
    }

    fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        let sent = self.client.poll_transmit(now, out);
        if sent.is_none() {
            while self.codec.poll_transmit(now, &mut self.unsent).is_some() {
                self.unsent.clear();
            }
        }
        sent
    }

    /// The client's states; in the place of everything else that the client says, in its order, what the codec says.
    fn poll_event(&mut self) -> Option<Event> {
        let decoded = |codec: &mut Box<dyn Endpoint>| {
            std::iter::from_fn(|| codec.poll_event()).find(|event| !matches!(event, Event::State { .. }))
        };
        while let Some(event) = self.client.poll_event() {
            if matches!(event, Event::State { .. }) {
                return Some(event);
            }
            if let Some(event) = decoded(&mut self.codec) {
                return Some(event);
            }
        }
        decoded(&mut self.codec)
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.client.poll_timeout().into_iter().chain(self.codec.poll_timeout()).min()
    }

    fn source_port(&self) -> u16 {
        self.client.source_port()
    }

    fn wants_quiet(&self) -> bool {
        self.codec.wants_quiet()
    }

    fn quiet_until(&mut self, until: Time) {
        self.codec.quiet_until(until);
    }

    fn observe(&self, view: &mut View) {
        let mut shown = self.shown.borrow_mut();
        shown.clear();
        self.client.observe(&mut shown);
        if shown.valid {
            self.codec.observe(view);
            view.state = shown.state;
        } else {
            // A client that waits for its server to come back shows nothing, of which no datagram tells the codec.
            std::mem::swap(view, &mut shown);
        }
    }
}
