//! The liberties that the document, or its readings, leave to an implementation; the reference takes none of them.
//!
//! Every value here conforms. Which of them a *conforming variant* takes is in [`crate::variants`]; they are apart from
//! [`crate::rules`], of which some values are wrong.

use crate::constants::MAX_ACKS;
use crate::message::StatForm;

/// The liberties of a server and a client.
#[derive(Clone, Copy, Debug)]
pub struct Liberties {
    /// What a server makes of a lost frame.
    pub fold: Fold,
    /// When a server repairs what it knows to be lost.
    pub repair: Repair,
    /// Frames from one that starts over for no reason to the next, as long as all fits into one frame; 0 for never.
    pub start_over_every: u32,
    /// Frames from one that resets a known entity for no reason to the next; 0 for never.
    pub reset_every: u32,
    /// Which removes a server sends.
    pub removes: Removes,
    /// UF flags that go with every update, whether their fields changed or not.
    pub repeated: u32,
    /// UF flags that are raised in every frame for entities that move.
    pub forced: u32,
    /// Entries in one update message; more go into further messages of the same datagram.
    pub entries_per_message: usize,
    /// Entries in one datagram; more wait for the next, which may follow in the same tick.
    pub entries_per_datagram: usize,
    /// Bytes that a server leaves free in every datagram; less than the longest update of one entity.
    pub reserve_bytes: usize,
    /// With which entity a frame begins, if the frame before was not full.
    pub begins: Begins,
    /// Ticks from one without a frame to the next, as under a rate limit; 0 for none.
    pub skip_every: u32,
    /// Ticks from one with a datagram that has no frame to the next; 0 for none.
    pub frameless_every: u32,
    /// What a server does when its client has everything, and it knows that.
    pub when_done: WhenDone,
    /// Where the statistics of a frame stand.
    pub stats_place: StatsPlace,
    /// In which form statistics travel.
    pub stat_form: StatForm,
    /// With which extension statistics travel with frames (erratum E19).
    pub stats_with: StatsWith,
    /// Bits of the FTE2 mask that a server does not echo, though both ends have them.
    pub withheld_fte2: u32,
    /// Bits of the FTE1 mask that a server turns on unasked, if it supports them (erratum E24).
    pub unasked_fte1: u32,
    /// Bits of the FTE2 mask without which a client is sent away.
    pub required_fte2: u32,

    /// Acknowledgements that a client can owe.
    pub ack_queue: usize,
    /// What becomes of those that are too many.
    pub too_many_acks: TooManyAcks,
    /// When a client decides what to answer to a frame.
    pub answers: Answers,
    /// Packets from one in which a client asks for a reset for no reason to the next; 0 for never.
    pub reset_request_every: u32,
    /// What a client makes of an update of an entity that it does not know, without RESET (erratum E4).
    pub unknown: Unknown,
    /// What becomes of a player's movement in an update without a pred block (erratum E17).
    pub movement: Movement,
    /// Whether a QuakeWorld client says upon which frame it builds (erratum E2).
    pub builds_upon: BuildsUpon,
}

/// What a server makes of a lost frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// All that it carried is pending again.
    Everything,
    /// Only what no newer frame carries that may still arrive, or did.
    Unsuperseded,
}

/// When a server repairs what it knows to be lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// In the next tick's frame.
    NextFrame,
    /// In a frame of its own, as soon as the packet came by which it knows.
    AtOnce,
}

/// Which removes a server sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removes {
    /// One for an entity that is gone.
    Once,
    /// Two for an entity that is gone.
    Twice,
    /// One, and now and then one for a number that nobody ever had.
    AndUnknown,
}

/// With which entity a frame begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begins {
    /// With the lowest.
    Lowest,
    /// With another in each frame; those below follow in a message of their own.
    Anywhere,
}

/// What a server does when its client has everything, and it knows that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenDone {
    /// It sends empty frames.
    EmptyFrames,
    /// It sends no frames.
    Silence,
}

/// Where the statistics of a frame stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatsPlace {
    /// Before the entities.
    Before,
    /// Behind them.
    Behind,
}

/// With which extension statistics travel with frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatsWith {
    /// With PREDINFO; reliably without it.
    PredInfo,
    /// With replacement deltas alone.
    Deltas,
}

/// What becomes of acknowledgements that are too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooManyAcks {
    /// The oldest is forgotten.
    OldestForgotten,
    /// The newest is forgotten.
    NewestForgotten,
    /// The newest takes the place of the one before it.
    NewestReplaces,
}

/// When a client decides what to answer to a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answers {
    /// When it was read.
    AfterReading,
    /// Before: the frame that gives it a state is still answered by a request for one.
    BeforeReading,
}

/// What a client makes of an update of an entity that it does not know, without RESET.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// It starts from the baseline.
    FromBaseline,
    /// It starts from the null state.
    FromNull,
    /// It does not show it before a RESET.
    Hidden,
}

/// What becomes of a player's movement in an update without a pred block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Movement {
    /// It becomes zero.
    Zero,
    /// It stays.
    Kept,
}

/// Whether a QuakeWorld client says upon which frame it builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildsUpon {
    /// It does, with `clc_delta`.
    Said,
    /// It does not.
    Unsaid,
}

impl Liberties {
    /// What the reference does.
    pub const NONE: Liberties = Liberties {
        fold: Fold::Everything,
        repair: Repair::NextFrame,
        start_over_every: 0,
        reset_every: 0,
        removes: Removes::Once,
        repeated: 0,
        forced: 0,
        entries_per_message: usize::MAX,
        entries_per_datagram: usize::MAX,
        reserve_bytes: 0,
        begins: Begins::Lowest,
        skip_every: 0,
        frameless_every: 0,
        when_done: WhenDone::EmptyFrames,
        stats_place: StatsPlace::Before,
        stat_form: StatForm::Narrowest,
        stats_with: StatsWith::PredInfo,
        withheld_fte2: 0,
        unasked_fte1: 0,
        required_fte2: 0,
        ack_queue: MAX_ACKS,
        too_many_acks: TooManyAcks::OldestForgotten,
        answers: Answers::AfterReading,
        reset_request_every: 0,
        unknown: Unknown::FromBaseline,
        movement: Movement::Zero,
        builds_upon: BuildsUpon::Said,
    };
}

/// Whether it is the turn of something that happens every so many times; never for 0.
pub fn due(count: u32, every: u32) -> bool {
    every != 0 && count.is_multiple_of(every)
}
