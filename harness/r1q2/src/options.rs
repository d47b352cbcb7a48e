//! The forms of the protocol that can be tested separately.

use crate::constants::*;
use crate::dialect::Dialect;
use kit::Profile;

/// The profiles, by number. The first is what the source document describes.
pub static PROFILES: [Profile; 4] = [
    Profile { name: "r1q2-35", title: "R1Q2 protocol 35, revision 1901", index: 0 },
    Profile { name: "r1q2-1903", title: "R1Q2 protocol 35, revision 1903: settings, strafejump hack", index: 1 },
    Profile { name: "r1q2-1904", title: "R1Q2 protocol 35, revision 1904: compact user commands", index: 2 },
    Profile { name: "r1q2-1905", title: "R1Q2 protocol 35, revision 1905: 32-bit solid", index: 3 },
];

/// The revision of a profile.
pub fn minor(profile: &Profile) -> u16 {
    match profile.index {
        1 => MINOR_STRAFE,
        2 => MINOR_USERCMD,
        3 => MINOR_SOLID,
        _ => MINOR_SOURCE,
    }
}

/// What a profile's two ends agree upon.
pub fn dialect(profile: &Profile) -> Dialect {
    Dialect::r1q2(minor(profile))
}
