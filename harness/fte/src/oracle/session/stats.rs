//! The statistics of one player: as they are, as sent, as delivered.

use kit::StatValue;

/// A set of statistics.
pub type StatSet = [u64; 4];

/// Whether a set has a statistic.
pub fn has_stat(set: &StatSet, stat: u8) -> bool {
    set[usize::from(stat) / 64] & 1 << (stat % 64) != 0
}

/// Puts a statistic into a set, or takes it out.
pub fn put_stat(set: &mut StatSet, stat: u8, there: bool) {
    let word = &mut set[usize::from(stat) / 64];
    *word = *word & !(1 << (stat % 64)) | u64::from(there) << (stat % 64);
}

/// The statistics in a set.
pub fn stats_in(set: StatSet) -> impl Iterator<Item = u8> {
    (0..=255u8).filter(move |&stat| set[usize::from(stat) / 64] != 0 && has_stat(&set, stat))
}

/// A value for people; `nothing` where none was set.
pub fn value_text(value: Option<StatValue>) -> String {
    value.map_or_else(|| String::from("nothing"), |value| value.to_string())
}

/// Whether two statistics are the same number.
pub fn same_stat(a: StatValue, b: StatValue) -> bool {
    let number = |value| match value {
        StatValue::Int(value) => f64::from(value),
        StatValue::Float(value) => f64::from(value),
    };
    a == b || number(a) == number(b) || (number(a).is_nan() && number(b).is_nan())
}

/// The statistics of one player.
#[derive(Debug)]
pub struct Stats {
    /// What the scenario set while the server had a session for the client; `None` for what it left alone.
    pub truth: [Option<StatValue>; 256],
    /// What it was before.
    pub truth_before: [Option<StatValue>; 256],
    /// What was sent last in this map.
    pub sent: [Option<StatValue>; 256],
    /// What was delivered last in this map.
    pub held: [Option<StatValue>; 256],
    /// What a frame of the map before brought into this one: the client may have passed it over whole.
    pub perhaps_held: [Option<StatValue>; 256],
    /// Whether any was delivered in this map.
    pub any_held: bool,
    /// What the client holds may have come in a damaged datagram.
    pub doubtful: bool,
    /// The frame that carried it last, if one did.
    pub last: [Option<u32>; 256],
    /// Not yet sent as they are, and since which server frame.
    pub pending: StatSet,
    /// The server frame after which they began to be pending.
    pub pending_since: [u32; 256],
    /// Frames since then that had room, but as many others already as a frame may have.
    pub left_out: [u32; 256],
    /// Not sent as they are in a datagram with room, and not since.
    pub missed: StatSet,
    /// Newest carrier lost, as the server knows.
    pub lost: StatSet,
    /// Newest carrier acknowledged by a client that had not received it: the server takes it for brought.
    pub claimed: StatSet,
    /// Such a loss was repaired long before any history needed the place of the lost frame.
    pub repaired_at_once: bool,
    /// Server frames, and those with room, sent before that was known.
    pub lost_since: [(u32, u32); 256],
    /// How many newer frames were acknowledged than the one that was lost, up to a few.
    pub newer_acked: [u8; 256],
}

impl Default for Stats {
    fn default() -> Stats {
        Stats::new()
    }
}

impl Stats {
    /// Before the first map.
    pub fn new() -> Stats {
        Stats {
            truth: [None; 256],
            truth_before: [None; 256],
            sent: [None; 256],
            held: [None; 256],
            perhaps_held: [None; 256],
            any_held: false,
            doubtful: false,
            last: [None; 256],
            pending: [0; 4],
            pending_since: [0; 256],
            left_out: [0; 256],
            missed: [0; 4],
            lost: [0; 4],
            claimed: [0; 4],
            repaired_at_once: false,
            lost_since: [(0, 0); 256],
            newer_acked: [0; 256],
        }
    }

    /// A map begins, as sent: a client starts from zero, so what is not zero must be sent.
    pub fn begin_map(&mut self) {
        self.sent = [None; 256];
        self.last = [None; 256];
        self.pending = [0; 4];
        self.lost = [0; 4];
        self.claimed = [0; 4];
        for stat in 0..=255u8 {
            let value = self.truth[usize::from(stat)];
            let wanted = value.is_some_and(|value| !same_stat(value, StatValue::Int(0)));
            put_stat(&mut self.pending, stat, wanted);
            self.pending_since[usize::from(stat)] = 0;
            self.left_out[usize::from(stat)] = 0;
        }
    }
}
