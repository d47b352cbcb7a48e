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
    /// What of a sent frame goes into its log.
    pub logged: Logged,
    /// The bits of an entity's number that go into the frame's log.
    pub logged_numbers: u32,
    /// Under which number a frame is logged.
    pub log_number: LogNumber,
    /// Most entries of one frame's log; what comes behind them is not logged.
    pub log_entries: usize,
    /// By what the logs of skipped frames are found.
    pub log_lookup: LogLookup,
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
    /// Which of the frames that an acknowledgement skips are looked at.
    pub skipped: Skipped,
    /// What an acknowledgement of frame 0 is.
    pub zero: Zero,
    /// How the log of a lost frame is merged into what is pending.
    pub folding: Folding,
    /// What becomes of a lost remove whose entity is back.
    pub returned: Returned,
    /// What a server forgets when it starts over.
    pub start_over: StartOver,
    /// What a new map leaves of the history.
    pub new_map: NewMap,
    /// What happens to a logged frame whose place is needed while nothing is known of it.
    pub overflow: Overflow,
    /// The rows by which changes are found and written.
    pub table: &'static Table,
    /// The rows by which a client reads entity frames.
    pub read_table: &'static Table,
    /// Which state is used when a lost field is sent again.
    pub resend: Resend,
    /// When a frame is full.
    pub fit: Fit,
    /// The pending flags that an entity which does not fit gets back.
    pub backed_out: u32,
    /// Where the next frame begins after one that was full.
    pub after_full: AfterFull,
    /// What becomes of a frame that a rate limit forbids.
    pub choked: Choked,
    /// How entity frames travel.
    pub travel: Travel,
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
    /// In which stream a NetQuake client sends acknowledgements.
    pub ack_stream: AckStream,
    /// Where a server notes which statistics a frame carried.
    pub stat_log: StatLog,
    /// Which value is used when a lost statistic is sent again.
    pub stat_resend: Resend,
    /// Which movement sequences a server applies.
    pub moves: Moves,
    /// Upon which state a client applies an update.
    pub base: Base,
    /// What a client's entity is before the fields of an update with RESET.
    pub reset_from: Start,
    /// What an entity that the client does not hold is before the fields of its first update.
    pub unknown_from: Start,
    /// What a client keeps of an entity that is removed.
    pub removed: Removed,
    /// What a client keeps of entities that are all removed.
    pub removed_all: Removed,
    /// What a client makes of the baselines that it is told.
    pub baselines: Baselines,
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
    /// At the entity that did not fit; and what is below waits for another full frame.
    NeverWrap,
}

/// What of a sent frame goes into its log: masks of flags, with [`crate::sender::REMOVE`] and
/// [`crate::sender::REMOVE_ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Logged {
    /// Of what is sent for the first time.
    pub first: u32,
    /// Of the second RESET of a new entity.
    pub second_reset: u32,
    /// Of what repeats something lost.
    pub repair: u32,
}

impl Logged {
    /// The same of everything.
    pub const fn only(flags: u32) -> Logged {
        Logged { first: flags, second_reset: flags, repair: flags }
    }
}

/// Under which number a frame is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogNumber {
    /// That of its datagram.
    Own,
    /// That of the datagram before.
    Before,
    /// That of the first datagram of the tick.
    FirstOfTick,
    /// A count of frames.
    Count,
}

/// By what the logs of skipped frames are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLookup {
    /// By number; once.
    Number,
    /// By the place that their number has in history, whatever is there.
    Place,
}

/// Which of the frames that an acknowledgement skips are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skipped {
    /// All.
    All,
    /// The oldest so many numbers.
    Oldest(u32),
    /// The newest so many numbers.
    Newest(u32),
}

/// What an acknowledgement of frame 0 is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zero {
    /// One like any other.
    Frame,
    /// None; and while there is none, every frame starts over.
    Nothing,
}

/// How the log of a lost frame is merged into what is pending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folding {
    /// Its flags are added.
    Add,
    /// Its flags take the place of those pending.
    Replace,
    /// The first entry is left out.
    AllButFirst,
    /// Each entry's flags are added to the entity of the entry behind it.
    OffByOne,
}

/// What becomes of a lost remove whose entity is back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returned {
    /// A RESET.
    Reset,
    /// It is sent.
    Remove,
    /// It is sent, and then a RESET.
    RemoveThenReset,
}

/// What a server forgets when it starts over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartOver {
    /// All that the client held, and what was pending.
    Everything,
    /// Nothing: it only sends the remove-all.
    Nothing,
}

/// What a new map leaves of the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewMap {
    /// Nothing.
    Renew,
    /// All of it, but the server starts over.
    StartOver,
    /// All of it.
    Keep,
}

/// When a frame is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// When an entity was written and is too long: it is backed out.
    BackOut,
    /// When less than so many bytes are left before an entity.
    Reserve(usize),
    /// As with `BackOut`, but all of the message is thrown away, and counts as sent.
    Discard,
}

/// What becomes of a frame that a rate limit forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choked {
    /// It is not made.
    Skip,
    /// It is made and thrown away.
    Discard,
}

/// How entity frames travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Travel {
    /// In unreliable datagrams.
    Unreliable,
    /// So, but those from so many bytes in the reliable stream (NetQuake).
    ReliableFrom(usize),
}

/// In which order a client sends the acknowledgements that it owes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckOrder {
    /// Oldest first.
    Ascending,
    /// Newest first.
    Descending,
}

/// In which stream of NetQuake something is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckStream {
    /// Once, in the next datagram.
    Unreliable,
    /// Until it arrives.
    Reliable,
}

/// Where a server notes which statistics a frame carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatLog {
    /// In the frame's log.
    WithFrame,
    /// In the frame's log, which starting over empties.
    UntilStartOver,
    /// In the log whose place follows from a count of frames, not from the number of the datagram.
    ByCount,
    /// Nowhere.
    Nowhere,
}

/// Which movement sequences a server applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    /// Those ahead of the newest by less than half the circle of 16 bits.
    Newer,
    /// Those that are larger numbers than the newest.
    Larger,
    /// Every one.
    All,
}

/// Upon which state a client applies an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The one that it holds.
    Received,
    /// The one that it held when it last sent a packet.
    Acknowledged,
    /// The one that stands where the frame numbered one less has its place, of two.
    Numbered,
}

/// What an entity is before the fields of an update are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Its baseline.
    Baseline,
    /// The null state.
    Null,
    /// The baseline in the fields that NetQuake's own baselines have; the others stay.
    Classic,
    /// What was there: its own former state, or that of the entity updated last.
    Leftover,
}

/// What a client keeps of what is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removed {
    /// Nothing.
    Nothing,
    /// Its state, unseen.
    State,
    /// The entity, without a model.
    Entity,
}

/// What a client makes of the baselines that it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baselines {
    /// It keeps them as they are.
    AsTold,
    /// It keeps the fields that NetQuake's own baselines have.
    Classic,
    /// What is left out stays as it was in the map before.
    OverFormer,
}

impl Rules {
    /// The reference.
    pub const REFERENCE: Rules = Rules {
        reset_copies: 2,
        logged: Logged::only(u32::MAX),
        logged_numbers: u32::MAX,
        log_number: LogNumber::Own,
        log_entries: usize::MAX,
        log_lookup: LogLookup::Number,
        forms: Forms::SHORTEST,
        reset_fields: ResetFields::Differing,
        mentions: Mentions::Pending,
        raise_once: 0,
        log_frames: crate::constants::LOG_FRAMES,
        skipped: Skipped::All,
        zero: Zero::Frame,
        folding: Folding::Add,
        returned: Returned::Reset,
        start_over: StartOver::Everything,
        new_map: NewMap::Renew,
        overflow: Overflow::StartOver,
        table: &ENTITY,
        read_table: &ENTITY,
        resend: Resend::Current,
        fit: Fit::BackOut,
        backed_out: u32::MAX,
        after_full: AfterFull::Continue,
        choked: Choked::Skip,
        travel: Travel::Unreliable,
        ack_order: AckOrder::Ascending,
        acks_per_packet: usize::MAX,
        acks_first: false,
        explicit_acks: true,
        datagrams_per_tick: 1,
        ack_stream: AckStream::Unreliable,
        stat_log: StatLog::WithFrame,
        stat_resend: Resend::Current,
        moves: Moves::Newer,
        base: Base::Received,
        reset_from: Start::Baseline,
        unknown_from: Start::Baseline,
        removed: Removed::Nothing,
        removed_all: Removed::Nothing,
        baselines: Baselines::AsTold,
        liberties: Liberties::NONE,
    };
}
