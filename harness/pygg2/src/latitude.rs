//! What conforming ends may do in one way or another: every value here conforms.

/// How a server numbers and sends events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventPackets {
    /// In a packet of their own, at once.
    AtOnce,
    /// With the next snapshot.
    WithSnapshots,
}

/// Which of the snapshots that a client has acknowledged is the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseChoice {
    /// The newest.
    Newest,
    /// The oldest that is young enough.
    Oldest,
    /// None: every snapshot is absolute.
    None,
}

/// The choices of both ends.
#[derive(Clone, Copy, Debug)]
pub struct Latitude {
    /// Server: when events leave.
    pub event_packets: EventPackets,
    /// Server: which base.
    pub base: BaseChoice,
    /// Server: every so many snapshots one without a base; 0 for never.
    pub absolute_every: u32,
    /// Both: numbers left out after every packet.
    pub gap: u16,
    /// Server: runs of zeros are shortened.
    pub runs: bool,
    /// Server: hi tells how many players there are now, the new one included.
    pub counts_newcomer: bool,
    /// Server: the complete update has the last player first.
    pub backwards: bool,
    /// Client: snapshots that it keeps.
    pub buffered: usize,
    /// Client: time between hellos, in microseconds.
    pub hello_us: u64,
    /// Client: so many input updates per usual one.
    pub hurry: u64,
    /// Client: sends an input update for every packet that it applies, too.
    pub answers: bool,
}

impl Latitude {
    /// What the reference does.
    pub const NONE: Latitude = Latitude {
        event_packets: EventPackets::AtOnce,
        base: BaseChoice::Newest,
        absolute_every: 0,
        gap: 0,
        runs: false,
        counts_newcomer: false,
        backwards: false,
        buffered: crate::constants::BUFFERED as usize,
        hello_us: crate::constants::HELLO_US,
        hurry: 1,
        answers: false,
    };
}
