//! The choices that the reference machines make, as plain values.
//!
//! [`Rules::REFERENCE`] is the reference. Another value makes a *mutant*, which must fail a check. The machines read these
//! values; they know nothing of right and wrong.

use crate::machine::liberties::Liberties;
use crate::machine::movement::PM_SPECTATOR_TIME;
use crate::wire::constants::{MAX_MSGLEN, MAX_MSGLEN_ORIGINAL};
use crate::wire::delta::{self, ENTITY, Untold};
use crate::wire::dialect::Readings;
use crate::wire::frame::FrameStart;
use crate::wire::handshake::{Tail, announced};
use crate::wire::player::PLAYER;
use kit::table::Table;
use netchan::Qport;

/// The choices of a server and a client.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The server: how its datagrams' sender is found.
    pub matching: Matching,
    /// The server: how a client's number stands in its datagrams, of the protocol and what the connect said.
    pub server_qport: fn(u32, u32) -> Qport,
    /// The server: longest datagram over protocol 34.
    pub original_length: usize,
    /// The server: what it makes of the length that a client asks for, in bytes of a whole datagram; 0 refuses it.
    pub length: fn(u32) -> usize,
    /// The server: whether the acknowledgement of a frame that was never sent counts.
    pub future_acks: bool,
    /// The server: whether a frame has to be in the history to be built on.
    pub base_held: bool,
    /// The server: the base that a frame says, of its number and of the frame that it builds on.
    pub told_base: fn(i32, i32) -> i32,
    /// The server: what becomes of the count of frames held back.
    pub suppress: Suppress,
    /// The server: whose player state a player state is a change of.
    pub player_base: PlayerBase,
    /// The server: the fields of an entity.
    pub entity_table: &'static Table,
    /// The server: the fields of a player state.
    pub player_table: &'static Table,
    /// The server: when the far end of a beam is told over protocol 35.
    pub beams: Beams,
    /// The server: which protocols it compresses for.
    pub zpackets_for: fn(u32) -> bool,
    /// The server: whether a zpacket that is no shorter is sent all the same.
    pub zpacket_always: bool,
    /// The server: how long a command of a spectator lasts, in times of what it says, of the session's protocol and the
    /// player's `pm_type`.
    pub server_time: fn(u32, i32) -> i32,
    /// The server: whether a connect without a length is taken.
    pub takes_no_length: bool,
    /// The server: how many lost moves the backups in a move replace.
    pub backups: u32,
    /// The client: how its number stands in its datagrams.
    pub client_qport: fn(u32, u32) -> Qport,
    /// The client: the number that its connect says, of the one that it has.
    pub connect_qport: fn(u32) -> u32,
    /// The client: what follows the userinfo of its connect, of the protocol and of what is right.
    pub connect_tail: fn(u32, Tail) -> Tail,
    /// The client: longest datagram that it takes.
    pub receives: usize,
    /// The client: the base of a frame, of what it says and of the newest frame.
    pub base: fn(&FrameStart<'_>, i32) -> Option<i32>,
    /// The client: whether a frame without its base is invalid even after a valid one.
    pub clears_valid: bool,
    /// The client: whose player state a player state is a change of.
    pub client_player_base: PlayerBase,
    /// The client: what it reads behind a zpacket, and in it.
    pub zpackets: Zpackets,
    /// The client: how ambiguous places are read.
    pub readings: Readings,
    /// The client: what it takes for an old origin that is not told.
    pub untold: Untold,
    /// The client: what it does at another revision.
    pub fallback: Fallback,
    /// The client: what it makes of a compressed block of a file.
    pub zdownload: ZDownloads,
    /// The client: whether a malformed zpacket ends its session.
    pub ends_at_errors: bool,
    /// The client: how long a command lasts in its prediction.
    pub client_time: fn(u32, i32) -> i32,
    /// What may be done in one way or another.
    pub liberties: Liberties,
}

/// How the sender of a datagram is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matching {
    /// By its address and its number; by its port where there is no number.
    NumberOrPort,
    /// By its address and its number, whatever its port.
    Number,
    /// By its address and its port.
    Port,
}

/// What becomes of the count of frames held back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suppress {
    /// It is written, and begins anew.
    Written,
    /// It begins anew, and is written.
    ClearedFirst,
    /// It is written, and goes on.
    Kept,
}

/// Whose player state a player state is a change of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayerBase {
    /// That of the frame's base; zeroes where there is none.
    OfFrame,
    /// That of the newest frame.
    Newest,
}

/// When the far end of a beam is told over protocol 35.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beams {
    /// When it differs.
    Changed,
    /// Never, once the beam is known.
    Never,
    /// In every frame, as over protocol 34.
    Always,
}

/// What a client makes of zpackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zpackets {
    /// What is in them is read, and what follows.
    Read,
    /// What is in them is read; what follows is not.
    EndsDatagram,
    /// Frames in them are passed over.
    WithoutFrames,
}

/// What a client does at another revision than its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// It comes back over protocol 34.
    ToOriginal,
    /// It goes on as if nothing were.
    GoesOn,
    /// It comes back over protocol 35.
    Again,
}

/// What a client makes of compressed blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZDownloads {
    /// They are inflated, and continue the file.
    Inflated,
    /// They continue the file as they are.
    AsTheyAre,
    /// They are inflated, but the next block is not asked for.
    NoNext,
    /// They are inflated, but begin the file anew when plain ones came before.
    NotMixed,
}

impl Rules {
    /// The reference.
    pub const REFERENCE: Rules = Rules {
        matching: Matching::NumberOrPort,
        server_qport: announced,
        original_length: MAX_MSGLEN_ORIGINAL,
        length: |payload| payload as usize,
        future_acks: false,
        base_held: true,
        told_base: |_, base| base,
        suppress: Suppress::Written,
        player_base: PlayerBase::OfFrame,
        entity_table: &ENTITY,
        player_table: &PLAYER,
        beams: Beams::Changed,
        zpackets_for: |protocol| protocol == crate::wire::constants::PROTOCOL_R1Q2,
        zpacket_always: false,
        server_time: PM_SPECTATOR_TIME,
        takes_no_length: true,
        backups: 2,
        client_qport: announced,
        connect_qport: |qport| qport,
        connect_tail: |_, tail| tail,
        receives: MAX_MSGLEN,
        base: |start, _| start.base(),
        clears_valid: true,
        client_player_base: PlayerBase::OfFrame,
        zpackets: Zpackets::Read,
        readings: Readings { beam_of_new_state: false },
        untold: delta::untold_old_origin,
        fallback: Fallback::ToOriginal,
        zdownload: ZDownloads::Inflated,
        ends_at_errors: true,
        client_time: PM_SPECTATOR_TIME,
        liberties: Liberties::NONE,
    };
}
