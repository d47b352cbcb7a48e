//! The seams of the reference machines: what a mutant puts another function or number in the place of.
//!
//! [`Rules::REFERENCE`] is the reference; the wrong functions stand beside the mutants that use them. What may conform in
//! several ways is a value in [`crate::latitude`].

use crate::alpha;
use crate::constants::{REPEAT_US, RESEND_US};
use crate::latitude::Latitude;
use netquake::channel::Conduct;
use netquake::update::{FastUpdate, ORIGIN_SLACK, Record};

/// What a server or a client does where a mutant does otherwise.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// How both go about their connection.
    pub conduct: Conduct,
    /// The server: an axis of an origin is sent when it differs by more than this from the baseline, in units.
    pub origin_slack: f64,
    /// The server: takes back the update that begins at the second length, if it goes beyond the limit. Whether it fits.
    pub fits: fn(&mut Vec<u8>, usize, usize) -> bool,
    /// The server: the code of the seconds until an entity thinks next; `None` if it has none.
    pub encode_finish: fn(f64) -> Option<u8>,
    /// The server: the code of an opacity.
    pub encode_alpha: fn(f32) -> u8,
    /// The server: the opacity that a saved game has for a code.
    pub save_alpha: fn(u8) -> f32,
    /// The server: the alpha of an entity: whether the game's code has one, its own, and that of the map.
    pub alpha_of: fn(bool, f32, f32) -> f32,
    /// The server: whether alpha is sent: opacity and code of the baseline, and of the entity.
    pub alpha_differs: fn((f32, u8), (f32, u8)) -> bool,
    /// The server: time from an accept in which a repeated request is accepted again; one that comes later ends the
    /// session. In microseconds.
    pub repeat_us: u64,
    /// The client: what an update makes of an entity: the baseline, and what the entity was before.
    pub over: fn(&FastUpdate, &Record, &Record) -> Record,
    /// The client: whether an entity is shown: the time of the packet that mentioned it last, and of the newest packet.
    pub shows: fn(f32, f32) -> bool,
    /// The client: when an entity has moved to its state: the hint that came, the datagram's time, the client's own, and
    /// what held before.
    pub finish: fn(Option<f32>, f32, f32, Option<f32>) -> Option<f32>,
    /// The client: the opacity of a code.
    pub decode_alpha: fn(u8) -> f32,
    /// The client: the opacity of water, from a code and the player's own setting.
    pub water_alpha: fn(u8, f32) -> f32,
    /// The client: the view angle that it writes, from the one that it has, in degrees.
    pub view_angle: fn(f32) -> f32,
    /// What may be done in one way or another.
    pub latitude: Latitude,
}

impl Rules {
    /// The reference.
    pub const REFERENCE: Rules = Rules {
        conduct: Conduct::resending_after(RESEND_US),
        origin_slack: ORIGIN_SLACK,
        fits,
        encode_finish,
        encode_alpha: alpha::encode,
        save_alpha: alpha::to_save,
        alpha_of: |game, own, map| if game { own } else { map }, // FITZ-ALPHA-06, FITZ-ALPHA-09
        alpha_differs: |baseline, entity| baseline.1 != entity.1, // FITZ-ENT-04, FITZ-ALPHA-10: code against code
        repeat_us: REPEAT_US,
        over: |update, baseline, _| update.over(baseline), // FITZ-ENT-09, FITZ-ENT-10: not over what it was before
        shows: |mentioned, newest| mentioned == newest,    // FITZ-ENT-11
        finish: |hint, time, _, _| hint.map(|hint| time + hint), // FITZ-LERP-04
        decode_alpha: alpha::decode,
        // FITZ-ALPHA-05
        water_alpha: |code, own| if code == alpha::ENTALPHA_DEFAULT { own } else { alpha::decode(code) },
        view_angle: |angle| angle,
        latitude: Latitude::REFERENCE,
    };

    /// The reference with other choices where several conform.
    pub const fn with(latitude: Latitude) -> Rules {
        Rules { latitude, ..Rules::REFERENCE }
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
