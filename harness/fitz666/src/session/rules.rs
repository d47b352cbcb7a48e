//! What a mutant can replace in a server: the seams, and the right functions.
//!
//! The wrong functions stand beside the mutants that use them. What may conform in several ways is a value in
//! [`crate::latitude`].

use crate::alpha;
use crate::constants::{REPEAT_US, RESEND_US};
use crate::latitude::Latitude;
use netquake::channel::Conduct;
use netquake::update::ORIGIN_SLACK;

/// What a server does where a mutant does otherwise.
#[derive(Clone, Copy, Debug)]
pub struct ServerRules {
    /// How it goes about its connections.
    pub conduct: Conduct,
    /// An axis of an origin is sent when it differs by more than this from the baseline, in units.
    pub origin_slack: f64,
    /// Takes back the update that begins at the second length, if it goes beyond the limit. Whether it fits.
    pub fits: fn(&mut Vec<u8>, usize, usize) -> bool,
    /// The code of the seconds until an entity thinks next; `None` if it has none.
    pub encode_finish: fn(f64) -> Option<u8>,
    /// The code of an opacity.
    pub encode_alpha: fn(f32) -> u8,
    /// The opacity that a saved game has for a code.
    pub save_alpha: fn(u8) -> f32,
    /// The alpha of an entity: whether the game's code has one, its own, and that of the map.
    pub alpha_of: fn(bool, f32, f32) -> f32,
    /// Whether alpha is sent: opacity and code of the baseline, and of the entity.
    pub alpha_differs: fn((f32, u8), (f32, u8)) -> bool,
    /// Time from an accept in which a repeated request is accepted again; one that comes later ends the session. In
    /// microseconds.
    pub repeat_us: u64,
    /// What may be done in one way or another.
    pub latitude: Latitude,
}

impl ServerRules {
    /// The reference.
    pub const REFERENCE: ServerRules = ServerRules {
        conduct: Conduct::resending_after(RESEND_US),
        origin_slack: ORIGIN_SLACK,
        fits,
        encode_finish,
        encode_alpha: alpha::encode,
        save_alpha: alpha::to_save,
        alpha_of: |game, own, map| if game { own } else { map }, // FITZ-ALPHA-06, FITZ-ALPHA-09
        alpha_differs: |baseline, entity| baseline.1 != entity.1, // FITZ-ENT-04, FITZ-ALPHA-10: code against code
        repeat_us: REPEAT_US,
        latitude: Latitude::REFERENCE,
    };

    /// The reference with other choices where several conform.
    pub const fn with(latitude: Latitude) -> ServerRules {
        ServerRules { latitude, ..ServerRules::REFERENCE }
    }
}

/// Takes back the update that begins at `start`, if it goes beyond `limit`. Whether it fits.
fn fits(message: &mut Vec<u8>, start: usize, limit: usize) -> bool {
    let fits = message.len() <= limit;
    if !fits {
        message.truncate(start); // FITZ-ENT-15
    }
    fits
}

/// In 255ths of a second; nothing above one second.
fn encode_finish(seconds: f64) -> Option<u8> {
    u8::try_from((seconds * 255.0).round() as i64).ok() // FITZ-LERP-01, FITZ-LERP-03
}
