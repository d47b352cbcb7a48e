//! What a run can show, and what it has to show for each requirement.

pub use kit::Report;

kit::coverage_points! {
    /// Protocol 666 was announced.
    Extended,
    /// A protocol that nobody knows was announced, and received.
    StrangeDelivered,
    /// More than 255 models or sounds were to be announced.
    ManyNames,
    /// A baseline had protocol 666's form.
    WideBaseline,
    /// With a wide model; static entities, too.
    LargeModelBaseline,
    /// With a wide frame; static entities, too.
    LargeFrameBaseline,
    /// With alpha; static entities, too.
    AlphaBaseline,
    /// A static entity had protocol 666's form.
    WideStatic,
    /// A static sound had protocol 666's form.
    WideStaticSound,
    /// An unreliable datagram had a time.
    TimedDatagram,
    /// Somebody visible was not mentioned in a datagram that was full.
    Full,
    /// Entities were mentioned, or not, so often that it means something.
    Mentions,
    /// An update over protocol 15.
    PlainUpdate,
    /// An entity had a model above 255.
    WideModel,
    /// A frame above 255 was sent.
    WideFrame,
    /// An update had a third byte of bits.
    ExtendedUpdate,
    /// Alpha was sent.
    AlphaSent,
    /// An entity for which nothing gives alpha was sent.
    NoAlpha,
    /// Negative alpha was sent.
    NegativeAlpha,
    /// Alpha was sent after the game changed it.
    AlphaChanged,
    /// Alpha of the map was sent though the game knows none.
    AlphaOfTheMap,
    /// An entity with alpha was sent after its game was loaded.
    AlphaLoaded,
    /// Alpha was sent that differs from the baseline's as code 0 from 255.
    AlphaAlike,
    /// Alpha was sent after the third axis of the origin.
    AlphaBehindOrigin,
    /// Alpha and the frame's high byte.
    AlphaAndFrame2,
    /// The frame's and the model's high bytes.
    Frame2AndModel2,
    /// The model's high byte and a hint.
    Model2AndHint,
    /// A hint was sent.
    Hint,
    /// A think was a tenth of a second away when it was set.
    TenthSet,
    /// A think was more than a second away.
    LongThink,
    /// An entity above 255 was mentioned.
    LongEntity,
    /// An axis of an origin was sent.
    OriginSent,
    /// A clientdata was sent.
    Clientdata,
    /// With a third byte of bits.
    ThirdByte,
    /// With a fourth.
    FourthByte,
    /// With the high byte of the weapon.
    Weapon2,
    /// Of the armour.
    Armor2,
    /// Of the ammunition in hand.
    Ammo2,
    /// Of the shells.
    Shells2,
    /// Of the nails.
    Nails2,
    /// Of the rockets.
    Rockets2,
    /// Of the cells.
    Cells2,
    /// Of the weapon's frame.
    WeaponFrame2,
    /// With the weapon's alpha.
    WeaponAlpha,
    /// No weapon in hand, numbered as in mission packs.
    MissionPackNoWeapon,
    /// A sound was sent.
    SoundSent,
    /// With LARGEENTITY.
    LargeEntitySound,
    /// With a number above 255.
    LargeSound,
    /// An entity mentioned before was not mentioned any more, and not shown.
    Vanished,
    /// An entity of an update with a third byte of bits was shown.
    ExtendedShown,
    /// With a wide model.
    WideModelShown,
    /// A narrow frame over a baseline with a wide one.
    NarrowOverWide,
    /// The wide frame of a baseline.
    WideFrameOfBase,
    /// Alpha went back to the baseline's.
    AlphaReverted,
    /// Another field went back to the baseline's.
    Reverted,
    /// A hint was heeded.
    HintShown,
    /// An earlier hint was forgotten.
    HintForgotten,
    /// An opacity of its own.
    OpacityShown,
    /// Water of default alpha, with a setting of the client's.
    DefaultWater,
    /// Water of alpha 255, with a setting of the client's.
    OpaqueWater,
    /// An entity whose baseline has no alpha.
    PlainBaseShown,
    /// Statistics above 255 were shown.
    WideStatShown,
    /// Statistics that were not sent went back to their defaults.
    DefaultsShown,
    /// The weapon of a transparent player was opaque, as nothing else was sent.
    OpaqueWeaponShown,
    /// With a large form.
    LargeSoundPlayed,
    /// Of an entity from 32768.
    HighEntityPlayed,
    /// A line that the scenario asked for was printed.
    Printed,
    /// A fragment was sent.
    FragmentSent,
    /// A fragment was sent again.
    FragmentRepeated,
    /// The next fragment was sent.
    NextFragment,
    /// A message came in several fragments.
    SeveralFragments,
    /// An ack of another fragment came, and the next was sent only after the right one.
    OldAckIgnored,
    /// An ack was sent.
    AckSent,
    /// A stale unreliable datagram was received.
    Stale,
    /// A client was accepted.
    Accepted,
    /// A request was repeated within two seconds.
    RequestRepeated,
    /// A port was given.
    PortGiven,
    /// A client that has to sent moves.
    MovesBegan,
    /// A move over protocol 666.
    Move,
    /// A move over protocol 15.
    PlainMove,
    /// A move with an angle half way between two codes.
    HalfStep,
    /// A client in the game got a message with an undefined bit.
    ReservedBit,
    /// A move over protocol 666 was applied.
    MoveApplied,
    /// The player's entity has an alpha of its own.
    WeaponAlphaDue,
    /// A think of an entity that moves in steps was set, less than a second away and no tenth.
    HintDue,
    /// A client asked for its connection.
    Asked,
    /// A step of a sign-on reached the client.
    StepDelivered,
    /// A client in the game was sent datagrams.
    Framed,
}

/// For each requirement that a check can find violated: what a run has to show so that it could be.
#[allow(missing_docs, reason = "the names are those of the requirements")]
pub mod means {
    use super::Point;
    use crate::requirements as r;
    use kit::{Breaks, breaks};

    pub const VER_01: Breaks = breaks(&r::VER_01, &[&[Point::Extended, Point::TimedDatagram]]);
    pub const VER_02: Breaks = breaks(&r::VER_02, &[&[Point::PlainMove], &[Point::Move]]);
    pub const VER_03: Breaks = breaks(&r::VER_03, &[&[Point::StrangeDelivered]]);
    pub const VER_04: Breaks = breaks(&r::VER_04, &[&[Point::PlainUpdate], &[Point::Clientdata]]);
    pub const MODEL_01: Breaks = breaks(&r::MODEL_01, &[&[Point::WideModel]]);
    pub const MODEL_02: Breaks = breaks(&r::MODEL_02, &[&[Point::WideModelShown]]);
    pub const MODEL_03: Breaks = breaks(&r::MODEL_03, &[&[Point::Weapon2]]);
    pub const FRAME_01: Breaks = breaks(&r::FRAME_01, &[&[Point::WideFrame]]);
    pub const FRAME_02: Breaks = breaks(&r::FRAME_02, &[&[Point::NarrowOverWide]]);
    pub const FRAME_03: Breaks = breaks(&r::FRAME_03, &[&[Point::WideFrameOfBase]]);
    pub const ENT_01: Breaks = breaks(&r::ENT_01, &[&[Point::ExtendedUpdate]]);
    pub const ENT_02: Breaks = breaks(&r::ENT_02, &[&[Point::ExtendedUpdate]]);
    pub const ENT_03: Breaks = breaks(&r::ENT_03, &[&[Point::ExtendedShown]]);
    pub const ENT_04: Breaks = breaks(&r::ENT_04, &[&[Point::AlphaSent]]);
    pub const ENT_05: Breaks = breaks(&r::ENT_05, &[&[Point::AlphaBehindOrigin]]);
    pub const ENT_06: Breaks = breaks(&r::ENT_06, &[&[Point::AlphaAndFrame2], &[Point::Frame2AndModel2]]);
    pub const ENT_07: Breaks = breaks(&r::ENT_07, &[&[Point::Frame2AndModel2], &[Point::Model2AndHint]]);
    pub const ENT_08: Breaks = breaks(&r::ENT_08, &[&[Point::Model2AndHint]]);
    pub const ENT_09: Breaks = breaks(&r::ENT_09, &[&[Point::AlphaReverted]]);
    pub const ENT_10: Breaks = breaks(&r::ENT_10, &[&[Point::Reverted]]);
    pub const ENT_11: Breaks = breaks(&r::ENT_11, &[&[Point::Vanished]]);
    pub const ENT_12: Breaks = breaks(&r::ENT_12, &[&[Point::Mentions]]);
    pub const ENT_13: Breaks = breaks(&r::ENT_13, &[&[Point::LongEntity]]);
    pub const ENT_14: Breaks = breaks(&r::ENT_14, &[&[Point::OriginSent]]);
    pub const ENT_15: Breaks = breaks(&r::ENT_15, &[&[Point::Full]]);
    pub const ENT_16: Breaks = breaks(&r::ENT_16, &[&[Point::MovesBegan]]);
    pub const LERP_01: Breaks = breaks(&r::LERP_01, &[&[Point::Hint]]);
    pub const LERP_02: Breaks = breaks(&r::LERP_02, &[&[Point::TenthSet]]);
    pub const LERP_03: Breaks = breaks(&r::LERP_03, &[&[Point::LongThink]]);
    pub const LERP_04: Breaks = breaks(&r::LERP_04, &[&[Point::HintShown]]);
    pub const LERP_05: Breaks = breaks(&r::LERP_05, &[&[Point::HintForgotten]]);
    pub const LERP_06: Breaks = breaks(&r::LERP_06, &[&[Point::HintDue]]);
    pub const CD_01: Breaks = breaks(&r::CD_01, &[&[Point::ThirdByte]]);
    pub const CD_02: Breaks = breaks(&r::CD_02, &[&[Point::FourthByte]]);
    pub const CD_03: Breaks = breaks(&r::CD_03, &[&[Point::Weapon2]]);
    pub const CD_04: Breaks = breaks(&r::CD_04, &[&[Point::Armor2]]);
    pub const CD_05: Breaks = breaks(&r::CD_05, &[&[Point::Ammo2]]);
    pub const CD_06: Breaks = breaks(&r::CD_06, &[&[Point::Shells2]]);
    pub const CD_07: Breaks = breaks(&r::CD_07, &[&[Point::Nails2]]);
    pub const CD_08: Breaks = breaks(&r::CD_08, &[&[Point::Rockets2]]);
    pub const CD_09: Breaks = breaks(&r::CD_09, &[&[Point::Cells2]]);
    pub const CD_10: Breaks = breaks(&r::CD_10, &[&[Point::WeaponFrame2]]);
    pub const CD_11: Breaks = breaks(&r::CD_11, &[&[Point::WeaponAlpha]]);
    pub const CD_17: Breaks = breaks(&r::CD_17, &[&[Point::WeaponAlpha]]);
    pub const CD_18: Breaks = breaks(&r::CD_18, &[&[Point::WeaponAlphaDue]]);
    pub const CD_12: Breaks = breaks(&r::CD_12, &[&[Point::WideStatShown]]);
    pub const CD_13: Breaks = breaks(&r::CD_13, &[&[Point::DefaultsShown]]);
    pub const CD_14: Breaks = breaks(&r::CD_14, &[&[Point::Clientdata]]);
    pub const CD_15: Breaks = breaks(&r::CD_15, &[&[Point::MissionPackNoWeapon]]);
    pub const CD_16: Breaks = breaks(&r::CD_16, &[&[Point::OpaqueWeaponShown]]);
    pub const SND_01: Breaks = breaks(&r::SND_01, &[&[Point::LargeEntitySound]]);
    pub const SND_02: Breaks = breaks(&r::SND_02, &[&[Point::LargeSound]]);
    pub const SND_03: Breaks = breaks(&r::SND_03, &[&[Point::LargeSoundPlayed]]);
    pub const SND_04: Breaks = breaks(&r::SND_04, &[&[Point::SoundSent]]);
    pub const SND_05: Breaks = breaks(&r::SND_05, &[&[Point::HighEntityPlayed]]);
    pub const BASE_01: Breaks = breaks(&r::BASE_01, &[&[Point::WideBaseline]]);
    pub const BASE_02: Breaks = breaks(&r::BASE_02, &[&[Point::WideBaseline]]);
    pub const BASE_03: Breaks = breaks(&r::BASE_03, &[&[Point::LargeModelBaseline]]);
    pub const BASE_04: Breaks = breaks(&r::BASE_04, &[&[Point::LargeFrameBaseline]]);
    pub const BASE_05: Breaks = breaks(&r::BASE_05, &[&[Point::AlphaBaseline]]);
    pub const BASE_06: Breaks = breaks(&r::BASE_06, &[&[Point::PlainBaseShown]]);
    pub const STAT_01: Breaks = breaks(&r::STAT_01, &[&[Point::WideStatic]]);
    pub const STAT_02: Breaks = breaks(&r::STAT_02, &[&[Point::WideStaticSound]]);
    pub const ALPHA_01: Breaks = breaks(&r::ALPHA_01, &[&[Point::AlphaSent]]);
    pub const ALPHA_02: Breaks = breaks(&r::ALPHA_02, &[&[Point::NegativeAlpha]]);
    pub const ALPHA_03: Breaks = breaks(&r::ALPHA_03, &[&[Point::OpacityShown]]);
    pub const ALPHA_04: Breaks = breaks(&r::ALPHA_04, &[&[Point::AlphaLoaded]]);
    pub const ALPHA_05: Breaks = breaks(&r::ALPHA_05, &[&[Point::DefaultWater, Point::OpaqueWater]]);
    pub const ALPHA_06: Breaks = breaks(&r::ALPHA_06, &[&[Point::AlphaOfTheMap]]);
    pub const ALPHA_07: Breaks = breaks(&r::ALPHA_07, &[&[Point::NoAlpha]]);
    pub const ALPHA_09: Breaks = breaks(&r::ALPHA_09, &[&[Point::AlphaChanged]]);
    pub const ALPHA_10: Breaks = breaks(&r::ALPHA_10, &[&[Point::AlphaAlike]]);
    pub const MOVE_01: Breaks = breaks(&r::MOVE_01, &[&[Point::Move]]);
    pub const MOVE_02: Breaks = breaks(&r::MOVE_02, &[&[Point::Move]]);
    pub const MOVE_03: Breaks = breaks(&r::MOVE_03, &[&[Point::MoveApplied]]);
    pub const MOVE_04: Breaks = breaks(&r::MOVE_04, &[&[Point::HalfStep]]);
    pub const NET_01: Breaks = breaks(&r::NET_01, &[&[Point::FragmentSent]]);
    pub const NET_02: Breaks = breaks(&r::NET_02, &[&[Point::Stale]]);
    pub const NET_03: Breaks = breaks(&r::NET_03, &[&[Point::AckSent]]);
    pub const NET_04: Breaks = breaks(&r::NET_04, &[&[Point::FragmentRepeated]]);
    pub const NET_05: Breaks = breaks(&r::NET_05, &[&[Point::NextFragment]]);
    pub const NET_06: Breaks = breaks(&r::NET_06, &[&[Point::SeveralFragments], &[Point::Printed]]);
    pub const NET_07: Breaks = breaks(&r::NET_07, &[&[Point::OldAckIgnored]]);
    pub const NET_08: Breaks = breaks(&r::NET_08, &[&[Point::Accepted, Point::RequestRepeated]]);
    pub const NET_09: Breaks = breaks(&r::NET_09, &[&[Point::PortGiven]]);
    pub const NET_10: Breaks = breaks(&r::NET_10, &[&[Point::Asked]]);
    pub const NET_11: Breaks = breaks(&r::NET_11, &[&[Point::StepDelivered]]);
    pub const NET_12: Breaks = breaks(&r::NET_12, &[&[Point::Framed]]);
    pub const LIM_01: Breaks = breaks(&r::LIM_01, &[&[Point::ManyNames]]);
    pub const DEF_01: Breaks = breaks(&r::DEF_01, &[&[Point::ExtendedUpdate]]);
    pub const DEF_02: Breaks = breaks(&r::DEF_02, &[&[Point::ThirdByte]]);
    pub const DEF_03: Breaks = breaks(&r::DEF_03, &[&[Point::LargeEntitySound], &[Point::LargeSound]]);
    pub const DEF_04: Breaks = breaks(&r::DEF_04, &[&[Point::WideBaseline]]);
    pub const DEF_05: Breaks = breaks(&r::DEF_05, &[&[Point::WideFrame], &[Point::ThirdByte]]);
    pub const DEF_06: Breaks = breaks(&r::DEF_06, &[&[Point::ReservedBit]]);
}
