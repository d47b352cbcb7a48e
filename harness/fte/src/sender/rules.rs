//! The seams of the reference machines: what a mutant puts another function or table in the place of.
//!
//! [`Rules::REFERENCE`] is the reference; each right function stands beside the machine that calls it, each wrong one
//! beside the mutant that uses it. What may conform in several ways is a value in [`crate::latitude`].

use super::*;
use crate::delta::ENTITY;
use crate::latitude::Latitude;
use kit::PeerId;
use kit::table::Table;

/// What a server or a client does where a mutant does otherwise.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The rows by which a server finds and writes changes, or a client reads them.
    pub table: &'static Table,
    /// Finds out what changed since the last frame: [`compare`].
    pub compare: fn(&mut DeltaSender, &EntityList),
    /// What starting over does to what the client is known to have: [`forget`].
    pub forget: fn(&mut DeltaSender),
    /// What a new map, in the dialect of a gate, does to it: [`begin_map`].
    pub begin_map: fn(&mut DeltaSender, u64),
    /// The state against which a RESET is coded, by the entity's baseline: [`reset_base`].
    pub reset_base: fn(Option<&Entity>) -> &Entity,
    /// Whether an entry fits that was written to a place of the output; the limit comes last: [`fits`].
    pub fits: fn(&mut Pending, Range<usize>, usize) -> bool,
    /// Where the next frame begins, by where this one ended and whether it was full: [`resume`].
    pub resume: fn(u32, bool) -> u32,
    /// Under which number a frame is logged: [`history::log_number`].
    pub log_number: fn(&DeltaSender, u32) -> u32,
    /// Logs what a frame carries: [`history::log`].
    pub log: fn(&mut DeltaSender, &Carried),
    /// What becomes of the numbers that an acknowledgement skips: [`history::skip`].
    pub skip: fn(&mut DeltaSender, Range<u32>),
    /// Folds the log of a lost frame, at a place, into what is pending: [`history::fold`].
    pub fold: fn(&mut DeltaSender, usize),
    /// Makes room for the log of a frame: [`history::make_room`].
    pub make_room: fn(&mut DeltaSender, u32),
    /// Whether a frame that the rate forbids is made, to be thrown away.
    pub makes_forbidden_frames: bool,
    /// QuakeWorld: where a server goes on with a client, by where it was and where its number comes from now; `None` for a
    /// stranger: [`taken_over`].
    pub follow: fn(PeerId, PeerId) -> Option<PeerId>,
    /// What may be done in one way or another.
    pub latitude: Latitude,
}

impl Rules {
    /// The reference.
    pub const REFERENCE: Rules = Rules {
        table: &ENTITY,
        compare,
        forget,
        begin_map,
        reset_base,
        fits,
        resume,
        log_number: history::log_number,
        log: history::log,
        skip: history::skip,
        fold: history::fold,
        make_room: history::make_room,
        makes_forbidden_frames: false,
        follow: taken_over,
        latitude: Latitude::REFERENCE,
    };

    /// The reference with other choices where several conform.
    pub const fn with(latitude: Latitude) -> Rules {
        Rules { latitude, ..Rules::REFERENCE }
    }
}

/// A client is answered where its number came from last.
fn taken_over(_: PeerId, now: PeerId) -> Option<PeerId> {
    Some(now)
}
