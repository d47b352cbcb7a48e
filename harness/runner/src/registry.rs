//! Which protocols there are.

use kit::{Profile, Protocol};

/// Every protocol, in the order of the README.
pub static PROTOCOLS: &[&Protocol] =
    &[&fte::PROTOCOL, &fitz666::PROTOCOL, &nvs::PROTOCOL, &r1q2::PROTOCOL, &pygg2::PROTOCOL];

/// The profile called `name`, with its protocol.
pub fn profile(name: &str) -> Option<(&'static Protocol, &'static Profile)> {
    PROTOCOLS.iter().find_map(|protocol| {
        let profile = protocol.profiles.iter().find(|profile| profile.name == name)?;
        Some((*protocol, profile))
    })
}
