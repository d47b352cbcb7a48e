//! The liberties that the documents, or their readings, leave to an implementation; the reference takes none of them.
//!
//! Every value here conforms. Which of them a *conforming variant* takes is in [`crate::variants`]; they are apart from
//! [`crate::rules`], of which some values are wrong.

/// The liberties of a server and a client.
#[derive(Clone, Copy, Debug)]
pub struct Liberties {
    /// Whether the server answers a request when all versions are 0.
    pub answers_zero: bool,
    /// Whether the server tells its limits to who asks.
    pub tells_limits: bool,
    /// Whether the server tells its limits unasked, to who asks for versions.
    pub limits_unasked: bool,
    /// What the server does with a request of a client in the game.
    pub in_game: InGame,
    /// Bytes that the server keeps free behind a BROADCAST of particles: 0, or 4 as the base of NVS had it.
    pub particle_margin: usize,
    /// Whether a datagram may be filled to its last byte.
    pub fills_datagrams: bool,
    /// Whether the common reliable buffer goes before what is to one client.
    pub common_first: bool,
    /// Whether the common unreliable buffer goes before the client's own.
    pub common_datagram_first: bool,
    /// Whether BROADCAST and ALL of a listed message are left unconverted by a server of version 0, which writes only
    /// what 0.00 has: through the common buffers.
    pub skips_at_zero: bool,
    /// Whether a request in another letter case, or with more decimals than two, comes from a client.
    pub request_form: RequestForm,
    /// Whether a client asks for the server's limits.
    pub asks_limits: bool,
    /// Frames from one nop for clients that sign on to the next; 0 for none.
    pub nop_every: u32,
    /// Whether the server clears what waits for a client when it spawns, and tells the versions again.
    pub retells_at_spawn: bool,
}

/// What the server does with a request of a client in the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InGame {
    /// It tells the versions, unchanged.
    Told,
    /// Nothing.
    Silent,
}

/// How a client writes its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestForm {
    /// With two decimals and a newline.
    Usual,
    /// Without the newline.
    Bare,
}

impl Liberties {
    /// None.
    pub const NONE: Liberties = Liberties {
        answers_zero: false,
        tells_limits: true,
        limits_unasked: false,
        in_game: InGame::Told,
        particle_margin: 0,
        fills_datagrams: false,
        common_first: false,
        common_datagram_first: false,
        skips_at_zero: false,
        request_form: RequestForm::Usual,
        asks_limits: true,
        nop_every: 0,
        retells_at_spawn: false,
    };
}

/// Whether something that happens every so many `ticks` is due; `every` 0 for never.
pub fn due(tick: u32, every: u32) -> bool {
    every > 0 && tick.is_multiple_of(every)
}
