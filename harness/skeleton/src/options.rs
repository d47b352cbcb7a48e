//! What a scenario can choose about the two ends.

use kit::{KnownBy, Profile, options};

/// The profiles, by number.
pub static PROFILES: [Profile; 1] =
    [Profile { name: "skeleton", title: "Its only form", index: 0, udp_port: 9_999, known_by: KnownBy::Port }];

options! {
    /// The options of a run, read.
    #[derive(Clone, Copy, Debug)]
    pub struct Options {
        tick_us: u64 = 50_000, 1_000..=1_000_000,
            "time between snapshots and between acknowledgements, in microseconds";
    }
    with setup, chosen {}
}
