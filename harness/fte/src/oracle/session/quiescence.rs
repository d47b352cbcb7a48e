//! How far the present quiescence was looked at.

use kit::Time;

/// Nothing is lost or delayed, and the world stands still.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiescence {
    /// When it began.
    pub since: Time,
    /// How many of the bounds, first and second, it has passed.
    pub passed: u8,
}
