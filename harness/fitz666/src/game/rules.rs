//! What a mutant can replace in a client: the seams, and the right functions.

use crate::alpha;
use crate::constants::RESEND_US;
use crate::latitude::Latitude;
use netquake::channel::Conduct;
use netquake::update::{FastUpdate, Record};

/// What a client does where a mutant does otherwise.
#[derive(Clone, Copy, Debug)]
pub struct ClientRules {
    /// How it goes about its connection.
    pub conduct: Conduct,
    /// What an update makes of an entity: the baseline, and what the entity was before.
    pub over: fn(&FastUpdate, &Record, &Record) -> Record,
    /// Whether an entity is shown: the time of the packet that mentioned it last, and of the newest packet.
    pub shows: fn(f32, f32) -> bool,
    /// When an entity has moved to its state: the hint that came, the datagram's time, the client's own, and what held
    /// before.
    pub finish: fn(Option<f32>, f32, f32, Option<f32>) -> Option<f32>,
    /// The opacity of a code.
    pub decode_alpha: fn(u8) -> f32,
    /// The opacity of water, from a code and the player's own setting.
    pub water_alpha: fn(u8, f32) -> f32,
    /// The view angle that it writes, from the one that it has, in degrees.
    pub view_angle: fn(f32) -> f32,
    /// What may be done in one way or another.
    pub latitude: Latitude,
}

impl ClientRules {
    /// The reference.
    pub const REFERENCE: ClientRules = ClientRules {
        conduct: Conduct::resending_after(RESEND_US),
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
    pub const fn with(latitude: Latitude) -> ClientRules {
        ClientRules { latitude, ..ClientRules::REFERENCE }
    }
}
