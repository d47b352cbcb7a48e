//! What the specification, or its readings, leave to an implementation; every value here conforms.
//!
//! The conforming variants in [`crate::variants`] take other values than the reference; what some mutant does wrongly is
//! in [`crate::rules`].

use crate::constants::{LOG_FRAMES, MAX_ACKS};
use crate::delta::Forms;
use crate::message::StatForm;

/// The choices of a server and a client where several conform.
#[derive(Clone, Copy, Debug)]
pub struct Latitude {
    /// How many updates of a new entity carry RESET: 1 to 3, or 255 for all. The specification wants two.
    pub reset_copies: u8,
    /// Frames of history.
    pub log_frames: usize,
    /// Which of the forms that mean the same an update takes.
    pub forms: Forms,
    /// Which fields an update with RESET carries.
    pub reset_fields: ResetFields,
    /// Which entities a frame mentions.
    pub mentions: Mentions,
    /// UF flags that no extension defines, to be raised once in every map because a scenario says so; 0 for none.
    pub raise_once: u64,
    /// Most entity datagrams that a NetQuake server sends in one tick.
    pub datagrams_per_tick: usize,
    /// When a server repairs what it knows to be lost.
    pub repair: Repair,
    /// When a server applies a move, and echoes its number.
    pub echoes: Echoes,
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
    /// Whether a NetQuake server goes on with frames when a map has begun, before its client asks for the baselines of that.
    pub early_frames: bool,
    /// Where the statistics of a frame stand.
    pub stats_place: StatsPlace,
    /// Statistics in one datagram at most; more wait for the next frame.
    pub stats_per_datagram: usize,
    /// In which form statistics travel.
    pub stat_form: StatForm,
    /// With which extension statistics travel with frames (erratum E19).
    pub stats_with: StatsWith,
    /// Bits of the FTE2 mask that a server does not echo, though both ends have them.
    pub withheld_fte2: u32,
    /// Bits of the FTE1 mask that a server turns on unasked, if it supports them (erratum E24).
    pub unasked_fte1: u32,
    /// Bits of the FTE2 mask without which a client is disconnected.
    pub required_fte2: u32,

    /// How many acknowledgements a client puts into one packet at most.
    pub acks_per_packet: usize,
    /// Whether a client puts acknowledgements before its move.
    pub acks_first: bool,
    /// Whether a QuakeWorld client acknowledges explicitly all frames but the last it received.
    pub explicit_acks: bool,
    /// Acknowledgements that a client remembers to send.
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
    /// The highest colormap that is a player's slot; a client takes those above for 0.
    pub highest_slot: i32,
}

/// Which fields an update with RESET carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResetFields {
    /// Those that differ from the baseline.
    Differing,
    /// All.
    All,
}

/// Which entities a frame mentions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mentions {
    /// Those of which something is pending.
    Pending,
    /// One more, each in its turn: without any flags, if nothing of it is pending.
    OneMore,
}

/// When a server repairs what it knows to be lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// In the next tick's frame.
    NextFrame,
    /// In a frame of its own, as soon as the packet came by which it knows.
    AtOnce,
}

/// When a server applies a move, and echoes its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Echoes {
    /// When it comes.
    AtOnce,
    /// In the tick after the next frame.
    NextTick,
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
    /// After them.
    After,
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

impl Latitude {
    /// What the reference does.
    pub const REFERENCE: Latitude = Latitude {
        reset_copies: 2,
        log_frames: LOG_FRAMES,
        forms: Forms::SHORTEST,
        reset_fields: ResetFields::Differing,
        mentions: Mentions::Pending,
        raise_once: 0,
        datagrams_per_tick: 1,
        repair: Repair::NextFrame,
        echoes: Echoes::AtOnce,
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
        early_frames: false,
        stats_place: StatsPlace::Before,
        stats_per_datagram: usize::MAX,
        stat_form: StatForm::Narrowest,
        stats_with: StatsWith::PredInfo,
        withheld_fte2: 0,
        unasked_fte1: 0,
        required_fte2: 0,
        acks_per_packet: usize::MAX,
        acks_first: false,
        explicit_acks: true,
        ack_queue: MAX_ACKS,
        too_many_acks: TooManyAcks::OldestForgotten,
        answers: Answers::AfterReading,
        reset_request_every: 0,
        unknown: Unknown::FromBaseline,
        movement: Movement::Zero,
        builds_upon: BuildsUpon::Said,
        highest_slot: i32::MAX,
    };
}

/// Whether it is the turn of something that happens every so many times; never for 0.
pub fn due(count: u32, every: u32) -> bool {
    every != 0 && count.is_multiple_of(every)
}
