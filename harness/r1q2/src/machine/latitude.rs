//! What the protocol leaves to an implementation: every value here conforms.
//!
//! The conforming variants in [`crate::variants`] take other values than the reference.

use crate::wire::constants::HISTORY;
use crate::wire::deflate::MAX_NESTING;
use crate::wire::dialect::Readings;
use crate::wire::frame::MAX_SUPPRESS;
use crate::wire::usercmd::Compaction;
use netchan::Resend;

/// The choices of a server and a client where several conform.
#[derive(Clone, Copy, Debug)]
pub struct Latitude {
    /// When a block that was not acknowledged counts as lost; both ends.
    pub resend: Resend,
    /// The server: a frame builds on one that is fewer frames older, if that is less than in the scenario or more.
    pub base_age: Option<i32>,
    /// The server: what is added to the number of its frames.
    pub frame_offset: i32,
    /// The server: the largest count of frames held back over protocol 35.
    pub most_held_back: u8,
    /// The server: whether an older frame than the one acknowledged last may be acknowledged, and is built on.
    pub acks_go_back: bool,
    /// The server: the header comes on top of the length that a client asks for.
    pub header_on_top: bool,
    /// The server: a client that asks for less gets this much.
    pub raised_length: u32,
    /// The server: a client that asks for less than this is not admitted.
    pub least_length: u32,
    /// The server: the most that a client gets.
    pub length_cap: u32,
    /// The server: what a client gets that asks for nothing.
    pub missing_length: u32,
    /// The server: whether it asks clients for their version, and drops those that do not answer.
    pub probes_version: bool,
    /// The server: how it compresses its sign-on.
    pub packs_sign_on: Packs,
    /// The server: whether it compresses frames, where the scenario has it do that.
    pub packs_frames: bool,
    /// The server: whether it shortens a frame that is too long all the same.
    pub shortens: bool,
    /// The server: whether it looks at the weapon's offset and angles only when the weapon's frame changes.
    pub weapon_with_frame: bool,
    /// The server: whether the acknowledgement of a frame that it does not know stands for none.
    pub unknown_is_none: bool,
    /// The server: whether effects and sounds come before the frame.
    pub frame_last: bool,
    /// The server: which old origins are sent beyond those that must be.
    pub old_origins: OldOrigins,
    /// The server: `PS_*` flags that are set in every state, whether needed or not.
    pub ps_flags: u16,
    /// The server: `EPS_*` flags that are set in every state over protocol 35, whether needed or not.
    pub eps_flags: u8,
    /// The server: whether what it sends of an entity or a player is all of it, each field as wide as it can be.
    pub widest: bool,
    /// The server: whether each unreliable message has a datagram of its own behind that of the frame.
    pub datagram_each: bool,
    /// The server: ticks from one without a frame to the next; 0 for never.
    pub skip_every: u32,
    /// The server: whether it sends unnecessary messages.
    pub talks: bool,
    /// The server: whether it answers settings that it knows.
    pub answers_settings: bool,
    /// The server: what it adds to its `client_connect`.
    pub connect_extra: &'static [u8],
    /// The server: whether it lists the protocols that it speaks, whatever its revision.
    pub lists_protocols: bool,
    /// The server: how often it sends to a client without a frame when nothing is pending, in microseconds.
    pub idle_us: u64,
    /// The client: how it shortens compact user commands.
    pub compaction: Compaction,
    /// The client: ticks from one with a datagram to the next.
    pub send_every: u32,
    /// The client: datagrams in a tick, evenly apart.
    pub sends_per_tick: u32,
    /// The client: whether it answers each frame with a move at once, in place of the next that is due.
    pub answers_frames: bool,
    /// The client: frames that it keeps.
    pub history: usize,
    /// The client: how long it waits for an answer before it asks again, in microseconds.
    pub retry_us: u64,
    /// The client: how often it sends that it leaves.
    pub disconnects: u32,
    /// The client: how deep it reads zpackets in zpackets.
    pub nesting: usize,
    /// The client: whether it takes the upper bits of a command byte off over protocol 34, too.
    pub splits_original: bool,
    /// The client: how ambiguous places are read.
    pub readings: Readings,
    /// The client: moves from one that asks for a frame without a base to the next; 0 for never.
    pub nodelta_every: u32,
}

/// How a server compresses its sign-on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packs {
    /// As much together as may fit, where that is shorter.
    Together,
    /// Each message for itself, where that is shorter.
    Each,
    /// Not at all.
    Nothing,
}

/// Which old origins are sent beyond those that must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OldOrigins {
    /// None.
    Needed,
    /// Those of all beams.
    Beams,
    /// Those of beams that are new, or become beams or cease to be, so that either reading of the flag is right.
    BeamsForEitherReading,
    /// Those of everything that the base does not have.
    New,
}

impl Latitude {
    /// The reference.
    pub const REFERENCE: Latitude = Latitude {
        resend: Resend::OneLater,
        base_age: None,
        frame_offset: 0,
        most_held_back: MAX_SUPPRESS,
        acks_go_back: false,
        header_on_top: false,
        raised_length: 0,
        least_length: 0,
        length_cap: crate::wire::constants::MAX_PAYLOAD,
        missing_length: crate::wire::constants::DEFAULT_MSGLEN,
        probes_version: true,
        packs_sign_on: Packs::Together,
        packs_frames: true,
        shortens: true,
        weapon_with_frame: false,
        unknown_is_none: false,
        frame_last: false,
        old_origins: OldOrigins::Needed,
        ps_flags: 0,
        eps_flags: 0,
        widest: false,
        datagram_each: false,
        skip_every: 0,
        talks: false,
        answers_settings: false,
        connect_extra: b"",
        lists_protocols: false,
        idle_us: 1_000_000,
        compaction: Compaction::All,
        send_every: 1,
        sends_per_tick: 1,
        answers_frames: false,
        history: HISTORY,
        retry_us: 1_000_000,
        disconnects: 3,
        nesting: MAX_NESTING,
        splits_original: false,
        readings: Readings { beam_of_new_state: false },
        nodelta_every: 0,
    };
}

/// Whether something happens at `count` that happens every so many; never for 0.
pub fn due(count: u32, every: u32) -> bool {
    every != 0 && count.is_multiple_of(every)
}
