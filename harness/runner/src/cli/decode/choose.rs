//! Which protocol traffic is of: the one asked for, or the one that reads it best.

use super::super::output::Stop;
use kit::Protocol;

pub(in super::super) use crate::observe::choose::{Choice, Reading, Unreadable, best, sessions};
pub(in super::super) use crate::observe::follow::Follower;

/// The profile called `name`.
pub(in super::super) fn by_name(protocols: &[&'static Protocol], name: Option<&str>) -> Result<Option<Choice>, Stop> {
    let Some(name) = name else { return Ok(None) };
    let (protocol, profile) = super::super::profile(protocols, name)?;
    Ok(Some(Choice::of(protocol, profile)))
}

impl From<Unreadable> for Stop {
    fn from(why: Unreadable) -> Stop {
        match why {
            Unreadable::Input(what) => Stop::Usage(what),
            Unreadable::Own(what) => Stop::Harness(what),
        }
    }
}
