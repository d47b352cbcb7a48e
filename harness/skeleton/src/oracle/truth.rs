//! The world as the scenario makes it.

use crate::state::{Entities, Entity, is_possible};
use kit::{Command, Time, World};

/// The world. Empty where the oracle does not know it.
#[derive(Debug, Default)]
pub struct Truth(World<Entity>);

impl Truth {
    /// The scenario instructs the server.
    pub fn command(&mut self, now: Time, command: &Command) {
        if is_possible(command) {
            self.0.apply(now, command);
        }
    }

    /// The entities now.
    pub fn entities(&self) -> &Entities {
        &self.0.live
    }
}
