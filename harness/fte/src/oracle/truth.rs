//! The world as the scenario makes it.

use super::indeterminate::Indeterminate;
use crate::extensions::Extensions;
use crate::options::Options;
use crate::state::World;
use kit::{Command, Knowledge, Setup, Time};

/// What the scenario has the server show.
#[derive(Debug)]
pub struct Truth {
    /// The world; empty if it is unknown.
    pub world: World,
    /// When the scenario changed the world or a statistic last.
    pub changed: Time,
    /// What the server supports from the next map on.
    pub next_support: Extensions,
    /// The oracle does not know the world.
    pub unknown: Option<Indeterminate>,
}

impl Truth {
    /// Before the first command of a run of `setup`.
    pub fn new(setup: &Setup, options: &Options) -> Truth {
        let blind = setup.knowledge == Knowledge::Wire;
        Truth {
            world: World::default(),
            changed: Time::ZERO,
            next_support: options.server_extensions,
            unknown: blind.then_some(Indeterminate { why: "the oracle has no world (--knowledge wire)" }),
        }
    }

    /// The scenario changes the world. Whether it did.
    pub fn apply(&mut self, now: Time, command: &Command) -> bool {
        let changed = self.world.apply(now, command);
        if changed {
            self.changed = now;
        }
        changed
    }

    /// Whether an entity is in the world, if that is known.
    pub fn alive(&self, number: u32) -> Option<bool> {
        if self.unknown.is_some() { None } else { Some(self.world.live.get(number).is_some()) }
    }
}
