//! Clients that show the same values otherwise.

use crate::machine::game::ClientRules;
use crate::mutants::client_with;
use crate::wire::state::{FIELDS, PITCH, ROLL, SHORTS, YAW};
use kit::table::float_bits;
use kit::{Endpoint, Setup, View};

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
    kit::pass_on!(0: handle_command handle_datagram handle_timeout poll_transmit poll_event poll_timeout source_port);

    fn observe(&self, view: &mut View) {
        self.0.observe(view);
        let stride = view.fields.len().checked_div(view.numbers.len()).unwrap_or(FIELDS);
        view.fields.chunks_mut(stride).for_each(self.1);
    }
}
