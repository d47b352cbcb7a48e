//! Which protocols there are.

use kit::{Profile, Protocol};

/// Every protocol, in the order of the README.
pub static PROTOCOLS: &[&Protocol] =
    &[&fte::PROTOCOL, &fitz666::PROTOCOL, &nvs::PROTOCOL, &r1q2::PROTOCOL, &pygg2::PROTOCOL];

/// All profiles of `protocols`, each with its protocol.
pub fn profiles(
    protocols: &[&'static Protocol],
) -> impl Iterator<Item = (&'static Protocol, &'static Profile)> + Clone {
    protocols.iter().flat_map(|&protocol| protocol.profiles.iter().map(move |profile| (protocol, profile)))
}
