//! What the specification leaves to an implementation, or what it can be read as: every value here conforms.
//!
//! [`Latitude::REFERENCE`] is the reference; the *conforming variants* in [`crate::variants`] have other values.

use crate::call::Rounding;

/// The conforming choices of a server and a client.
#[derive(Clone, Copy, Debug)]
pub struct Latitude {
    /// Whether the server answers a request when all versions are 0.
    pub answers_zero: bool,
    /// Whether the server sends its limits to who asks.
    pub tells_limits: bool,
    /// Whether the server sends its limits unasked, to who asks for versions.
    pub limits_unasked: bool,
    /// What the server does with a request of a client in the game.
    pub in_game: InGame,
    /// Whether the server sends a client its versions again when that spawns.
    pub repeats_at_spawn: bool,
    /// Bytes that the server keeps free after a BROADCAST of particles: 0, or 4 as the base of NVS had it.
    pub particle_margin: usize,
    /// Whether a datagram may be filled to its last byte.
    pub fills_datagrams: bool,
    /// What becomes of a frame whose broadcasts do not fit into one datagram.
    pub overfull: Overfull,
    /// Whether the common reliable buffer goes before what is to one client.
    pub common_first: bool,
    /// Whether the common unreliable buffer goes before the client's own.
    pub common_datagram_first: bool,
    /// Whether a server of version 0 converts nothing: what it writes is what 0.00 has.
    pub skips_at_zero: bool,
    /// How an angle becomes one of 256.
    pub angles: Rounding,
    /// When what is reliable is handed over to the connection.
    pub flushes: Flushes,
    /// Bytes of one part of the sign-on data, or more where that would be too many parts; 0 for all of it at once.
    pub signon_part: usize,
    /// Frames from one nop for clients that sign on to the next; 0 for none.
    pub nop_every: u32,
    /// How a client writes its request.
    pub request_form: RequestForm,
    /// Whether a client asks for the server's limits.
    pub asks_limits: bool,
    /// Whether a client sends every command in a message of its own.
    pub one_by_one: bool,
    /// Whether a client says its name and colours before it asks to be spawned.
    pub names_itself: bool,
}

/// What the server does with a request of a client in the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InGame {
    /// It sends the versions, unchanged.
    Answered,
    /// Nothing.
    Silent,
}

/// What becomes of a frame whose broadcasts do not fit into one datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overfull {
    /// It goes without those of the buffer that does not fit.
    LeavesOut,
    /// It goes without any broadcasts.
    LeavesOutAll,
}

/// When what is reliable is handed over to the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flushes {
    /// At the end of a frame, if the connection is free.
    AtFrames,
    /// Also when a command was answered.
    AtOnce,
}

/// How a client writes its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestForm {
    /// With a newline.
    Line,
    /// Without one.
    Bare,
}

impl Latitude {
    /// The reference.
    pub const REFERENCE: Latitude = Latitude {
        answers_zero: false,
        tells_limits: true,
        limits_unasked: false,
        in_game: InGame::Answered,
        repeats_at_spawn: false,
        particle_margin: 0,
        fills_datagrams: false,
        overfull: Overfull::LeavesOut,
        common_first: false,
        common_datagram_first: false,
        skips_at_zero: false,
        angles: Rounding::CutOff,
        flushes: Flushes::AtFrames,
        signon_part: 0,
        nop_every: 0,
        request_form: RequestForm::Line,
        asks_limits: true,
        one_by_one: false,
        names_itself: false,
    };
}

/// Whether something that happens every so many `ticks` is due; `every` 0 for never.
pub fn due(tick: u32, every: u32) -> bool {
    every > 0 && tick.is_multiple_of(every)
}
