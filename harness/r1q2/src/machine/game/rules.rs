//! The seams of the client: what a mutant puts another function or value in the place of.
//!
//! Each right function stands beside the machine that calls it, each wrong one beside the mutant that uses it. What may
//! conform in several ways is in [`crate::machine::latitude`].

use super::Game;
use crate::machine::latitude::Latitude;
use crate::machine::movement;
use crate::wire::constants::PROTOCOL_ORIGINAL;
use crate::wire::delta::{OmittedOrigin, omitted_old_origin};
use crate::wire::frame::FrameStart;
use crate::wire::handshake::announced;
use crate::wire::player;
use crate::wire::state::Player;
use netchan::Qport;

/// What a client does where a mutant does otherwise.
#[derive(Clone, Copy, Debug)]
pub struct ClientRules {
    /// How its number stands in its datagrams, by the protocol and the connect: [`announced`].
    pub qport: fn(u32, u32) -> Qport,
    /// The slot of the base of a frame, if it has one, and whether the frame is valid: [`super::find_base`].
    pub find_base: fn(&Game, &FrameStart<'_>) -> (Option<usize>, bool),
    /// The player state that another is a change of, by the base's and the newest: [`player::base`].
    pub player_base: fn(Option<&Player>, &Player) -> Player,
    /// What it takes for an old origin that is not sent: [`omitted_old_origin`].
    pub omitted: OmittedOrigin,
    /// How many times its own time a command lasts, by the protocol and the `pm_type`: [`movement::command_time`].
    pub command_time: fn(u32, i32) -> i32,
    /// The protocol over which it comes back at another revision; `None`: it goes on.
    pub fallback: Option<u32>,
    /// Whether a message that cannot be read ends its session.
    pub ends_at_errors: bool,
    /// Whether the first moves of a connection repeat the last commands of the one before.
    pub keeps_commands: bool,
    /// What may be done in one way or another.
    pub latitude: Latitude,
}

impl ClientRules {
    /// The reference.
    pub const REFERENCE: ClientRules = ClientRules {
        qport: announced,
        find_base: super::find_base,
        player_base: player::base,
        omitted: omitted_old_origin,
        command_time: movement::command_time,
        fallback: Some(PROTOCOL_ORIGINAL),
        ends_at_errors: true,
        keeps_commands: false,
        latitude: Latitude::REFERENCE,
    };
}
