//! The choices that the reference machines make, as plain values.
//!
//! [`Rules::REFERENCE`] is the reference. Another value makes a *mutant*, which must fail a check. The machines read these
//! values; they know nothing of right and wrong.

use crate::alpha;
use crate::constants::RESEND_US;
use crate::liberties::Liberties;
use crate::message::Dialect;
use netquake::channel::Conduct;
use netquake::clientdata::ClientData;
use netquake::update::{FastUpdate, ORIGIN_SLACK, Record};
use netquake::{MoveForm, update};

/// The choices of a server and a client.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// How both go about their connection.
    pub conduct: Conduct,
    /// The server: an axis of an origin is told when it differs by more than this from the baseline, in units.
    pub origin_slack: f64,
    /// The server: whether entities that equal their baselines are mentioned.
    pub mentions_unchanged: bool,
    /// The server: whether an update that does not fit is taken back, and not cut off.
    pub takes_back: bool,
    /// The server: when and how it tells when an entity thinks next.
    pub hints: Hints,
    /// The server: the code of what the game says of opacity.
    pub encode_alpha: fn(f32) -> u8,
    /// The server: what a saved game has of a code.
    pub save_alpha: fn(u8) -> f32,
    /// The server: whose alpha an entity has.
    pub alpha_of: AlphaOf,
    /// The server: whether alpha is told: of the baseline and of the entity, what the game says, and its code.
    pub alpha_differs: fn((f32, u8), (f32, u8)) -> bool,
    /// The server: what a repeated request of a connected client does.
    pub repeated: Repeated,
    /// The server: most names of models, and of sounds, that it announces.
    pub most_names: usize,
    /// The client: what an update makes of an entity: the baseline, and what the entity was before.
    pub over: fn(&FastUpdate, &Record, &Record) -> Record,
    /// The client: whether entities that the newest datagram with a time does not mention stay.
    pub keeps_unmentioned: bool,
    /// The client: when an entity has moved to its state: the hint that came, the datagram's time, the client's own, and
    /// what held before.
    pub finish: fn(Option<f32>, f32, f32, Option<f32>) -> Option<f32>,
    /// The client: the opacity of a code.
    pub decode_alpha: fn(u8) -> f32,
    /// The client: the opacity of water, from a code and the player's own setting.
    pub water_alpha: fn(u8, f32) -> f32,
    /// The client: what it takes from a clientdata, given the one before.
    pub player: fn(&ClientData, &ClientData) -> ClientData,
    /// The client: whether its weapon is as opaque as its entity, whatever clientdata says.
    pub weapon_like_entity: bool,
    /// The client: how its moves are written.
    pub move_form: fn(&Dialect) -> MoveForm,
    /// The client: the view angle that it writes, from the one that it has, in degrees.
    pub view_angle: fn(f32) -> f32,
    /// The client: whether the first update ends its sign-on, and not a fourth step.
    pub update_ends_sign_on: bool,
    /// What may be done in one way or another.
    pub liberties: Liberties,
}

/// When and how a server tells when an entity thinks next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hints {
    /// Codes in a second.
    pub per_second: f64,
    /// Whether a tenth of a second, which clients assume anyway, is told.
    pub tenth: bool,
    /// Whether the low byte is sent of more than a second, and not nothing.
    pub wraps: bool,
}

/// Whose alpha an entity has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlphaOf {
    /// Its own, if the game's code has one; that of the map otherwise.
    GameOrMap,
    /// Its own, if the game's code has one; none otherwise.
    Game,
    /// That of the map.
    Map,
}

/// What a repeated request of a connected client does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeated {
    /// It is accepted again, as the first answer may be lost; after a while, the connection ends instead.
    Answered,
    /// It is refused, as the client's place is taken.
    Refused,
    /// The connection begins anew.
    Restarted,
}

impl Rules {
    /// The reference.
    pub const REFERENCE: Rules = Rules {
        conduct: Conduct::resending_after(RESEND_US),
        origin_slack: ORIGIN_SLACK,
        mentions_unchanged: true,
        takes_back: true,
        hints: Hints { per_second: 255.0, tenth: false, wraps: false },
        encode_alpha: alpha::encode,
        save_alpha: alpha::to_save,
        alpha_of: AlphaOf::GameOrMap,
        alpha_differs: |baseline, entity| baseline.1 != entity.1, // FITZ-ENT-04, FITZ-ALPHA-10: code against code
        repeated: Repeated::Answered,
        most_names: crate::constants::MAX_PRECACHES,
        over: |update, baseline, _| update.over(baseline), // FITZ-ENT-09, FITZ-ENT-10: not over what it was before
        keeps_unmentioned: false,
        finish: |hint, time, _, _| hint.map(|hint| time + hint), // FITZ-LERP-04
        decode_alpha: alpha::decode,
        // FITZ-ALPHA-05
        water_alpha: |code, own| if code == alpha::ENTALPHA_DEFAULT { own } else { alpha::decode(code) },
        player: |told, _| *told,
        weapon_like_entity: false,
        move_form: Dialect::move_form,
        view_angle: |angle| angle,
        update_ends_sign_on: true,
        liberties: Liberties::NONE,
    };
}

/// Index of a field of an entity in the codec's records, where both have it.
pub const SHARED_FIELDS: usize = update::ALPHA;
