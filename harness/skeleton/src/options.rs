//! What a scenario can choose about the two ends.

use kit::options::option;
use kit::{Chosen, KnownBy, OptionInfo, Profile, Setup};

/// The profiles, by number.
pub static PROFILES: [Profile; 1] =
    [Profile { name: "skeleton", title: "Its only form", index: 0, udp_port: 9_999, known_by: KnownBy::Port }];

/// The options, by number.
pub static OPTIONS: [OptionInfo; 1] = [option(
    "tick_us",
    50_000,
    1_000..=1_000_000,
    "time between snapshots and between acknowledgements, in microseconds",
)];

/// Time between snapshots and between acknowledgements, in microseconds.
pub fn tick_us(setup: &Setup) -> u64 {
    Chosen::new(&OPTIONS, setup).tick_us("tick_us", 1_000_000)
}
