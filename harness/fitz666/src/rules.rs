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
    /// The server: which of the entities in sight are mentioned.
    pub mentions: Mentions,
    /// The server: what happens to an entity that does not fit.
    pub fit: Fit,
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
    /// The client: what becomes of entities that the newest packet with a time does not mention.
    pub unmentioned: Unmentioned,
    /// The client: what a told time to the next frame counts from.
    pub hint_from: HintFrom,
    /// The client: what an update without a time to the next frame leaves of the one told before.
    pub untold_hint: UntoldHint,
    /// The client: the code of the opacity of a baseline that says nothing about it.
    pub plain_baseline_alpha: u8,
    /// The client: the opacity of a code.
    pub decode_alpha: fn(u8) -> f32,
    /// The client: the opacity of water, from a code and the player's own setting.
    pub water_alpha: fn(u8, f32) -> f32,
    /// The client: what it takes from a clientdata, given the one before.
    pub player: fn(&ClientData, &ClientData) -> ClientData,
    /// The client: where the opacity of its weapon comes from.
    pub weapon_alpha: WeaponAlpha,
    /// The client: how its moves are written.
    pub move_form: fn(&Dialect) -> MoveForm,
    /// The client: the view angle that it writes, from the one that it has, in degrees.
    pub view_angle: fn(f32) -> f32,
    /// The client: what ends its sign-on.
    pub sign_on_ends: SignOnEnds,
    /// The client: whether it goes on with the port that it was given.
    pub port: Port,
    /// What may be done in one way or another.
    pub liberties: Liberties,
}

/// Which of the entities in sight are mentioned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mentions {
    /// All.
    All,
    /// Those that differ from their baselines.
    Changed,
}

/// What happens to an entity that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// It is taken back, and the message ends.
    TakenBack,
    /// The message is cut off.
    Cut,
}

/// When and how a server tells when an entity thinks next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hints {
    /// Codes in a second.
    pub per_second: f64,
    /// Whether a tenth of a second, which clients assume anyway, is told.
    pub tenth: bool,
    /// What is told of more than a second.
    pub above: Above,
}

/// What is told of a time above a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Above {
    /// Nothing.
    Nothing,
    /// The low byte of its code.
    LowByte,
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

/// What becomes of entities that the newest packet with a time does not mention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmentioned {
    /// They are not seen.
    Hidden,
    /// They stay.
    Kept,
}

/// What a told time to the next frame counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HintFrom {
    /// The packet's own time.
    ServerTime,
    /// The client's clock.
    Clock,
}

/// What an update without a time to the next frame leaves of the one told before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UntoldHint {
    /// Nothing.
    Forgotten,
    /// All of it.
    Kept,
}

/// Where the opacity of a client's weapon comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeaponAlpha {
    /// From clientdata.
    ClientData,
    /// From the player's entity.
    Entity,
}

/// What ends a client's sign-on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignOnEnds {
    /// The first update of an entity after the third step.
    WithUpdate,
    /// A fourth step, which no server takes.
    WithFourthStep,
}

/// Whether a client goes on with the port that it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Port {
    /// Yes, unless it is 0.
    Taken,
    /// It stays with the one that it asked.
    Ignored,
}

impl Rules {
    /// The reference.
    pub const REFERENCE: Rules = Rules {
        conduct: Conduct::resending_after(RESEND_US),
        origin_slack: ORIGIN_SLACK,
        mentions: Mentions::All,
        fit: Fit::TakenBack,
        hints: Hints { per_second: 255.0, tenth: false, above: Above::Nothing },
        encode_alpha: alpha::encode,
        save_alpha: alpha::to_save,
        alpha_of: AlphaOf::GameOrMap,
        alpha_differs: |baseline, entity| baseline.1 != entity.1,
        repeated: Repeated::Answered,
        most_names: crate::constants::MAX_PRECACHES,
        over: |update, baseline, _| update.over(baseline),
        unmentioned: Unmentioned::Hidden,
        hint_from: HintFrom::ServerTime,
        untold_hint: UntoldHint::Forgotten,
        plain_baseline_alpha: alpha::ENTALPHA_DEFAULT,
        decode_alpha: alpha::decode,
        water_alpha: |code, own| if code == alpha::ENTALPHA_DEFAULT { own } else { alpha::decode(code) },
        player: |told, _| *told,
        weapon_alpha: WeaponAlpha::ClientData,
        move_form: Dialect::move_form,
        view_angle: |angle| angle,
        sign_on_ends: SignOnEnds::WithUpdate,
        port: Port::Taken,
        liberties: Liberties::NONE,
    };
}

/// Index of a field of an entity in the codec's records, where both have it.
pub const SHARED_FIELDS: usize = update::ALPHA;
