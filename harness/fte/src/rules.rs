//! The choices that the reference machines make, as plain values.
//!
//! [`Rules::REFERENCE`] is the reference. Another value makes either a *conforming variant*, which must pass every
//! check, or a *mutant*, which must fail one. The machines read these values; they know nothing of right and wrong.

use crate::delta::{ENTITY, Forms};
use crate::liberties::Liberties;
use kit::table::Table;

/// The choices of a server and a client.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// How many updates of a new entity carry RESET: 1 to 3, or 255 for all. The document wants two.
    pub reset_copies: u8,
    /// The flags of a sent entry that go into the frame's log.
    pub logged: u32,
    /// The bits of an entity's number that go into the frame's log.
    pub logged_numbers: u32,
    /// Which of the forms that mean the same an update takes.
    pub forms: Forms,
    /// Which fields an update with RESET carries.
    pub reset_fields: ResetFields,
    /// Which entities a frame mentions.
    pub mentions: Mentions,
    /// UF flags that no extension defines, to be raised once in every map; 0 for none.
    pub raise_once: u64,
    /// Frames of history.
    pub log_frames: usize,
    /// What happens to a logged frame whose place is needed while nothing is known of it.
    pub overflow: Overflow,
    /// The rows by which changes are found and written.
    pub table: &'static Table,
    /// The rows by which a client reads entity frames.
    pub read_table: &'static Table,
    /// Which state is used when a lost field is sent again.
    pub resend: Resend,
    /// Where the next frame begins after one that was full.
    pub after_full: AfterFull,
    /// In which order a client sends the acknowledgements that it owes.
    pub ack_order: AckOrder,
    /// How many acknowledgements a client puts into one packet at most.
    pub acks_per_packet: usize,
    /// Whether a client puts acknowledgements before its move.
    pub acks_first: bool,
    /// Whether a QuakeWorld client acknowledges explicitly all frames but the last it received.
    pub explicit_acks: bool,
    /// Most entity datagrams that a NetQuake server sends in one tick.
    pub datagrams_per_tick: usize,
    /// What may be done in one way or another.
    pub liberties: Liberties,
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

/// What happens when history runs out of places (erratum E6: both of the first two are legal).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// The server cannot track what the client has: it drops all entities and starts from scratch.
    StartOver,
    /// The frame is taken for lost and folded back before its place is used again.
    Fold,
    /// The place is used again without a thought.
    Forget,
}

/// Which state is used when a lost field is sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resend {
    /// The present one.
    Current,
    /// That of the frame before.
    Previous,
}

/// Where the next frame begins after one that was full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterFull {
    /// At the entity that did not fit.
    Continue,
    /// At the lowest entity.
    Restart,
}

/// In which order a client sends the acknowledgements that it owes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckOrder {
    /// Oldest first.
    Ascending,
    /// Newest first.
    Descending,
}

impl Rules {
    /// The reference.
    pub const REFERENCE: Rules = Rules {
        reset_copies: 2,
        logged: u32::MAX,
        logged_numbers: u32::MAX,
        forms: Forms::SHORTEST,
        reset_fields: ResetFields::Differing,
        mentions: Mentions::Pending,
        raise_once: 0,
        log_frames: crate::constants::LOG_FRAMES,
        overflow: Overflow::StartOver,
        table: &ENTITY,
        read_table: &ENTITY,
        resend: Resend::Current,
        after_full: AfterFull::Continue,
        ack_order: AckOrder::Ascending,
        acks_per_packet: usize::MAX,
        acks_first: false,
        explicit_acks: true,
        datagrams_per_tick: 1,
        liberties: Liberties::NONE,
    };
}
