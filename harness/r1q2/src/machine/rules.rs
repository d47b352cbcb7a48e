//! The choices that the reference machines make, as plain values.
//!
//! [`Rules::REFERENCE`] is the reference. Another value makes a *mutant*, which must fail a check. The machines read these
//! values; they know nothing of right and wrong.

use crate::machine::liberties::Liberties;
use crate::machine::movement::PM_SPECTATOR_TIME;
use crate::wire::constants::{MAX_MSGLEN, MAX_MSGLEN_ORIGINAL, PROTOCOL_ORIGINAL, PROTOCOL_R1Q2};
use crate::wire::delta::{self, ENTITY, OmittedOrigin};
use crate::wire::dialect::Readings;
use crate::wire::frame::FrameStart;
use crate::wire::handshake::{Tail, announced};
use crate::wire::player::PLAYER;
use crate::wire::state::Player;
use kit::table::Table;
use netchan::Qport;

/// The choices of a server and a client.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The server: whether a client with this number is known by its port, too.
    pub matches_port: fn(Qport) -> bool,
    /// Both: how a client's number stands in its datagrams, of the protocol and the connect.
    pub qport_form: fn(u32, u32) -> Qport,
    /// The server: longest datagram over protocol 34.
    pub original_length: usize,
    /// The server: what it makes of the length that a client asks for, in bytes of a whole datagram; 0 refuses it.
    pub length: fn(u32) -> usize,
    /// The server: whether the acknowledgement of a frame that was never sent counts.
    pub future_acks: bool,
    /// The server: whether a frame has to be in the history to be built on.
    pub base_held: bool,
    /// The server: the base that a frame names, of its number and of the frame that it builds on.
    pub named_base: fn(i32, i32) -> i32,
    /// Both: the player state that another is a change of, of the base's, if there is a base, and of the newest one.
    pub player_base: fn(Option<&Player>, &Player) -> Player,
    /// The server: the fields of an entity.
    pub entity_table: &'static Table,
    /// The server: the fields of a player state.
    pub player_table: &'static Table,
    /// The server: whether the far end of a beam is sent over protocol 35 when it differs from the base's.
    pub sends_moved_beams: bool,
    /// The server: which protocols it compresses for.
    pub zpackets_for: fn(u32) -> bool,
    /// The server: whether a zpacket that is no shorter is sent all the same.
    pub zpacket_always: bool,
    /// Both: how long a command lasts, in times of its own value, of the session's protocol and the player's `pm_type`.
    pub command_time: fn(u32, i32) -> i32,
    /// The server: whether a connect without a length is taken.
    pub takes_no_length: bool,
    /// The server: how many lost moves the backups in a move replace.
    pub backups: u32,
    /// The client: the number in its connect, of the one that it has.
    pub connect_qport: fn(u32) -> u32,
    /// The client: what follows the userinfo of its connect, of the protocol and of what is right.
    pub connect_tail: fn(u32, Tail) -> Tail,
    /// The client: longest datagram that it takes.
    pub receives: usize,
    /// The client: the base of a frame, of its start and of the newest frame.
    pub base: fn(&FrameStart<'_>, i32) -> Option<i32>,
    /// The client: whether a frame without its base is invalid even after a valid one.
    pub clears_valid: bool,
    /// The client: how ambiguous places are read.
    pub readings: Readings,
    /// The client: what it takes for an old origin that is not sent.
    pub omitted: OmittedOrigin,
    /// The client: the protocol over which it comes back at another revision; `None`: it goes on.
    pub fallback: Option<u32>,
    /// The client: whether a malformed zpacket ends its session.
    pub ends_at_errors: bool,
    /// What may be done in one way or another.
    pub liberties: Liberties,
}

impl Rules {
    /// The reference.
    pub const REFERENCE: Rules = Rules {
        matches_port: |qport| qport == Qport::Absent,
        qport_form: announced,
        original_length: MAX_MSGLEN_ORIGINAL,
        length: |payload| payload as usize,
        future_acks: false,
        base_held: true,
        named_base: |_, base| base,
        player_base: |base, _| base.copied().unwrap_or(Player::NULL),
        entity_table: &ENTITY,
        player_table: &PLAYER,
        sends_moved_beams: true,
        zpackets_for: |protocol| protocol == PROTOCOL_R1Q2,
        zpacket_always: false,
        command_time: PM_SPECTATOR_TIME,
        takes_no_length: true,
        backups: 2,
        connect_qport: |qport| qport,
        connect_tail: |_, tail| tail,
        receives: MAX_MSGLEN,
        base: |start, _| start.base(),
        clears_valid: true,
        readings: Readings { beam_of_new_state: false },
        omitted: delta::omitted_old_origin,
        fallback: Some(PROTOCOL_ORIGINAL),
        ends_at_errors: true,
        liberties: Liberties::NONE,
    };
}
