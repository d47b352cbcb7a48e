//! What was agreed upon, and so how everything is read and written.

use crate::wire::constants::*;
use crate::wire::delta::{GATE_BEAM_OF_NEW, GATE_PROTOCOL_35, GATE_SOLID32};

/// How ambiguous places are read. The wire does not show it, so both ends have to know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Readings {
    /// Whether an entity is a beam is asked of its new state, not of the base's (erratum 11).
    pub beam_of_new_state: bool,
}

/// What a session has agreed upon. Changes with each serverdata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// 34 or 35.
    pub protocol: u32,
    /// The revision in force over protocol 35: the lesser of what the server announces and the client asks for.
    pub minor: u16,
    /// How ambiguous places are read.
    pub readings: Readings,
}

impl Default for Dialect {
    fn default() -> Dialect {
        Dialect::ORIGINAL
    }
}

impl Dialect {
    /// Protocol 34.
    pub const ORIGINAL: Dialect =
        Dialect { protocol: PROTOCOL_ORIGINAL, minor: 0, readings: Readings { beam_of_new_state: false } };

    /// Protocol 35 in the revision `minor`.
    pub const fn r1q2(minor: u16) -> Dialect {
        Dialect { protocol: PROTOCOL_R1Q2, minor, readings: Readings { beam_of_new_state: false } }
    }

    /// With these readings.
    pub const fn with(mut self, readings: Readings) -> Dialect {
        self.readings = readings;
        self
    }

    /// The revision in force when a server that `announced` one meets a client that `asked` for one in its connect, or
    /// for none.
    ///
    /// Revisions that came after the one of the specification are stated by the client; one that states none speaks the
    /// first of them. A server of such a revision speaks nothing older (erratum 2).
    pub fn agreed(announced: u16, asked: Option<u16>) -> u16 {
        announced.min(asked.unwrap_or(MINOR_STRAFE).max(MINOR_STRAFE))
    }

    /// Whether this is protocol 35.
    pub const fn is_r1q2(&self) -> bool {
        self.protocol == PROTOCOL_R1Q2
    }

    /// Whether a move carries a checksum (erratum 1).
    pub const fn has_checksum(&self) -> bool {
        !self.is_r1q2()
    }

    /// Whether clients may send settings.
    pub const fn has_settings(&self) -> bool {
        self.is_r1q2() && self.minor >= MINOR_SETTINGS
    }

    /// Whether user commands are compact.
    pub const fn has_compact_usercmds(&self) -> bool {
        self.is_r1q2() && self.minor >= MINOR_USERCMD
    }

    /// The upper bits of an entity delta's gate (see [`crate::wire::delta`]).
    pub const fn gate(&self) -> u64 {
        let mut gate = 0;
        if self.is_r1q2() {
            gate |= GATE_PROTOCOL_35;
            if self.minor >= MINOR_SOLID {
                gate |= GATE_SOLID32;
            }
        }
        if self.readings.beam_of_new_state {
            gate |= GATE_BEAM_OF_NEW;
        }
        gate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_revision_in_force_is_the_lesser_one_and_none_before_1903_is_asked_for() {
        let check = |announced, asked, expected| assert_eq!(Dialect::agreed(announced, asked), expected);
        check(1901, None, 1901);
        check(1902, Some(1905), 1902);
        check(1903, Some(1901), 1903);
        check(1905, None, 1903);
        check(1905, Some(1903), 1903);
        check(1905, Some(1904), 1904);
        check(1904, Some(1905), 1904);
        check(1905, Some(1999), 1905);
    }
}
