//! Which requirement a failure means, where its check leaves that open: functions of the evidence alone.

use crate::requirements::{SHOW_01, SHOW_02};
use kit::Suspects;

/// A client shows something else than it should. Did it just receive something that it must not apply?
pub fn of_wrong_view(last_not_applied: bool) -> Suspects {
    if last_not_applied { Suspects::from(&SHOW_02).or(&SHOW_01) } else { Suspects::from(&SHOW_01) }
}
