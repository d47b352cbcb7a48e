//! Clients that show the same values otherwise.

use crate::machine::game::ClientRules;
use crate::mutants::client_with;
use crate::wire::state::{FIELDS, PITCH, ROLL, SHORTS, YAW};
use kit::table::float_bits;
use kit::{Command, Endpoint, Event, PeerId, Setup, Time, View};

/// The reference, and what becomes of the fields of each entity that it shows.
struct Otherwise(Box<dyn Endpoint>, fn(&mut [i32]));

/// A client whose angles are from 0 to 360 degrees; the reference's are from -180 to 180.
pub(super) fn from_zero(setup: &Setup) -> Box<dyn Endpoint> {
    otherwise(setup, |row| {
        for field in [PITCH, YAW, ROLL] {
            let angle = f32::from_bits(row[field] as u32);
            row[field] = if angle < 0.0 { float_bits(angle + 360.0) } else { row[field] };
        }
    })
}

/// A client whose shorts have a sign, as those of Quake II; the reference's have none.
pub(super) fn signed_shorts(setup: &Setup) -> Box<dyn Endpoint> {
    otherwise(setup, |row| {
        for field in SHORTS {
            row[field] = if u16::try_from(row[field]).is_ok() { i32::from(row[field] as i16) } else { row[field] };
        }
    })
}

fn otherwise(setup: &Setup, show: fn(&mut [i32])) -> Box<dyn Endpoint> {
    Box::new(Otherwise(client_with(setup, ClientRules::REFERENCE), show))
}

impl Endpoint for Otherwise {
    fn handle_command(&mut self, now: Time, command: &Command) {
        self.0.handle_command(now, command);
    }

    fn handle_datagram(&mut self, now: Time, from: PeerId, bytes: &[u8]) {
        self.0.handle_datagram(now, from, bytes);
    }

    fn handle_timeout(&mut self, now: Time) {
        self.0.handle_timeout(now);
    }

    fn poll_transmit(&mut self, now: Time, out: &mut Vec<u8>) -> Option<PeerId> {
        self.0.poll_transmit(now, out)
    }

    fn poll_event(&mut self) -> Option<Event> {
        self.0.poll_event()
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.0.poll_timeout()
    }

    fn source_port(&self) -> u16 {
        self.0.source_port()
    }

    fn observe(&self, view: &mut View) {
        self.0.observe(view);
        let stride = view.fields.len().checked_div(view.numbers.len()).unwrap_or(FIELDS);
        view.fields.chunks_mut(stride).for_each(self.1);
    }
}
