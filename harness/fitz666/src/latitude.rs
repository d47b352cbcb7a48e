//! What the protocol leaves open: every value here conforms.
//!
//! Which of them a *conforming variant* has is in [`crate::variants`]. What a mutant does otherwise is a seam of
//! [`crate::session::rules`] or [`crate::game::rules`].

/// The conforming choices of a server and a client.
#[derive(Clone, Copy, Debug)]
pub struct Latitude {
    /// Where a server puts clientdata.
    pub player_place: PlayerPlace,
    /// In which order a server mentions entities.
    pub order: Order,
    /// How a server decides what is in a player's sight.
    pub sight: Sight,
    /// Bytes that a server leaves free after the entities of a datagram.
    pub reserve_bytes: usize,
    /// Ticks from one with a second datagram, which has no time, to the next; 0 for never.
    pub timeless_every: u32,
    /// Ticks from one without a datagram to the next; 0 for never.
    pub skip_every: u32,
    /// How a server rounds coords and angles.
    pub rounding: Rounding,
    /// What a server sends of when an entity thinks next.
    pub hints: HintHabit,
    /// `U_*` bits that are set in every update, whether needed or not.
    pub update_bits: u32,
    /// `SU_*` bits that are set in every clientdata, whether needed or not.
    pub player_bits: u32,
    /// `SND_*` bits that are set in every sound, whether needed or not.
    pub sound_bits: u8,
    /// Whether a server sends a scale of 1 with every update, which protocol 666 does not have.
    pub scale: bool,
    /// Which baselines and statics are sent in the new form, where there is one.
    pub new_forms: NewForms,
    /// Whether a server announces static entities that cannot be seen.
    pub invisible_statics: bool,
    /// Whether a server mentions entities that cannot be seen and have no effects.
    pub invisible_entities: bool,
    /// Whether a server sends the opacity of a player's weapon: that of the player's entity.
    pub weapon_alpha: bool,
    /// Most bytes of one fragment, whatever the scenario has.
    pub fragment_bytes: Option<usize>,
    /// Bytes after the fields of an accept.
    pub accept_extra: &'static [u8],
    /// Bytes after the fields of a connection request.
    pub request_extra: &'static [u8],
    /// Whether a server asks for extensions, whatever the scenario has.
    pub asks_extensions: bool,
    /// Whether a server has a client repeat a number before it serves it, and accepts it once more then.
    pub challenges: bool,
    /// Whether a server sends reliable messages that no client needs.
    pub talks: bool,
    /// Most bytes of one reliable message of the sign-on.
    pub sign_on_bytes: usize,
    /// Ticks of a client from one with a move to the next.
    pub move_every: u32,
    /// Moves that a client makes and does not send when it enters the game.
    pub first_moves_dropped: u32,
    /// Whether a client sends nothing while its sign-on goes on.
    pub no_nops: bool,
}

/// Where a server puts clientdata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayerPlace {
    /// After the time.
    BehindTime,
    /// In a datagram of its own, before the one with the time.
    OwnDatagram,
    /// After the entities; in a datagram of its own where it does not fit.
    BehindEntities,
}

/// In which order a server mentions entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Ascending.
    Ascending,
    /// Descending.
    Descending,
    /// Ascending, from another one in every tick.
    Rotating,
}

/// How a server decides what is in a player's sight; the player's own entity always is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// Everything, but for what the scenario hides.
    All,
    /// Of that, for a second at a time, all but every third entity.
    InTurns,
}

/// Ticks for which the same entities are in sight, where that changes.
pub const SIGHT_TICKS: u32 = 20;

/// How a server rounds coords and angles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// To the nearest.
    Nearest,
    /// Coords toward zero; angles to whole degrees toward zero, and then down to a step.
    Truncated,
}

/// What a server sends of when an entity thinks next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HintHabit {
    /// Decides when the entity thinks: what moves in steps or changed its frame, unless it is a tenth of a second or more
    /// than one.
    AtThinking,
    /// Nothing.
    Never,
    /// Whatever thinks next within a second, and a second of what thinks later.
    Clamped,
    /// Whatever thinks next within a second, a tenth of a second included.
    TenthToo,
}

/// Which baselines and statics are sent in the new form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewForms {
    /// Those that need it.
    Needed,
    /// All.
    All,
}

impl Latitude {
    /// Those of the reference.
    pub const REFERENCE: Latitude = Latitude {
        player_place: PlayerPlace::BehindTime,
        order: Order::Ascending,
        sight: Sight::All,
        reserve_bytes: 0,
        timeless_every: 0,
        skip_every: 0,
        rounding: Rounding::Nearest,
        hints: HintHabit::AtThinking,
        update_bits: 0,
        player_bits: 0,
        sound_bits: 0,
        scale: false,
        new_forms: NewForms::Needed,
        invisible_statics: true,
        invisible_entities: true,
        weapon_alpha: true,
        fragment_bytes: None,
        accept_extra: b"",
        request_extra: b"",
        asks_extensions: false,
        challenges: false,
        talks: false,
        sign_on_bytes: 7_000,
        move_every: 1,
        first_moves_dropped: 2,
        no_nops: false,
    };
}

/// Whether something happens at `tick` that happens every so many; never for 0.
pub fn due(tick: u32, every: u32) -> bool {
    every != 0 && tick.is_multiple_of(every)
}
