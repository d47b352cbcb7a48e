//! What the oracle checks.

use super::coverage::Point;
use crate::requirements::*;
use kit::{Check, breaks};

/// The checks, in catalogue order.
pub static CHECKS: &[&Check] = &[
    &CHECK_VER_01,
    &CHECK_VER_02,
    &CHECK_VER_03,
    &CHECK_VER_04,
    &CHECK_MODEL_01,
    &CHECK_MODEL_02,
    &CHECK_MODEL_03,
    &CHECK_FRAME_01,
    &CHECK_FRAME_02,
    &CHECK_FRAME_03,
    &CHECK_ENT_01,
    &CHECK_ENT_02,
    &CHECK_ENT_03,
    &CHECK_ENT_04,
    &CHECK_ENT_05,
    &CHECK_ENT_06,
    &CHECK_ENT_07,
    &CHECK_ENT_08,
    &CHECK_ENT_09,
    &CHECK_ENT_10,
    &CHECK_ENT_11,
    &CHECK_ENT_12,
    &CHECK_ENT_13,
    &CHECK_ENT_14,
    &CHECK_ENT_15,
    &CHECK_ENT_16,
    &CHECK_LERP_01,
    &CHECK_LERP_02,
    &CHECK_LERP_03,
    &CHECK_LERP_04,
    &CHECK_LERP_05,
    &CHECK_CD_01,
    &CHECK_CD_02,
    &CHECK_CD_03,
    &CHECK_CD_04,
    &CHECK_CD_05,
    &CHECK_CD_06,
    &CHECK_CD_07,
    &CHECK_CD_08,
    &CHECK_CD_09,
    &CHECK_CD_10,
    &CHECK_CD_11,
    &CHECK_CD_12,
    &CHECK_CD_13,
    &CHECK_CD_14,
    &CHECK_CD_15,
    &CHECK_CD_16,
    &CHECK_CD_17,
    &CHECK_SND_01,
    &CHECK_SND_02,
    &CHECK_SND_03,
    &CHECK_SND_04,
    &CHECK_SND_05,
    &CHECK_BASE_01,
    &CHECK_BASE_02,
    &CHECK_BASE_03,
    &CHECK_BASE_04,
    &CHECK_BASE_05,
    &CHECK_BASE_06,
    &CHECK_STAT_01,
    &CHECK_STAT_02,
    &CHECK_ALPHA_01,
    &CHECK_ALPHA_02,
    &CHECK_ALPHA_03,
    &CHECK_ALPHA_04,
    &CHECK_ALPHA_05,
    &CHECK_ALPHA_06,
    &CHECK_ALPHA_07,
    &CHECK_ALPHA_09,
    &CHECK_ALPHA_10,
    &CHECK_MOVE_01,
    &CHECK_MOVE_02,
    &CHECK_MOVE_03,
    &CHECK_MOVE_04,
    &CHECK_NET_01,
    &CHECK_NET_02,
    &CHECK_NET_03,
    &CHECK_NET_04,
    &CHECK_NET_05,
    &CHECK_NET_06,
    &CHECK_NET_07,
    &CHECK_NET_08,
    &CHECK_NET_09,
    &CHECK_LIM_01,
    &CHECK_DEF_01,
    &CHECK_DEF_02,
    &CHECK_DEF_03,
    &CHECK_DEF_04,
    &CHECK_DEF_05,
    &CHECK_DEF_06,
];

static CHECK_VER_01: Check = Check::new("ver-01", &[breaks(&VER_01, &[&[Point::Extended, Point::TimedDatagram]])]);
static CHECK_VER_02: Check = Check::new("ver-02", &[breaks(&VER_02, &[&[Point::PlainMove], &[Point::Move]])]);
static CHECK_VER_03: Check = Check::new("ver-03", &[breaks(&VER_03, &[&[Point::StrangeHeard]])]);
static CHECK_VER_04: Check = Check::new("ver-04", &[breaks(&VER_04, &[&[Point::PlainUpdate], &[Point::Clientdata]])]);
static CHECK_MODEL_01: Check = Check::new("model-01", &[breaks(&MODEL_01, &[&[Point::WideModel]])]);
static CHECK_MODEL_02: Check = Check::new("model-02", &[breaks(&MODEL_02, &[&[Point::WideModelShown]])]);
static CHECK_MODEL_03: Check = Check::new("model-03", &[breaks(&MODEL_03, &[&[Point::Weapon2]])]);
static CHECK_FRAME_01: Check = Check::new("frame-01", &[breaks(&FRAME_01, &[&[Point::WideFrame]])]);
static CHECK_FRAME_02: Check = Check::new("frame-02", &[breaks(&FRAME_02, &[&[Point::NarrowOverWide]])]);
static CHECK_FRAME_03: Check = Check::new("frame-03", &[breaks(&FRAME_03, &[&[Point::WideFrameOfBase]])]);
static CHECK_ENT_01: Check = Check::new("ent-01", &[breaks(&ENT_01, &[&[Point::ExtendedUpdate]])]);
static CHECK_ENT_02: Check = Check::new("ent-02", &[breaks(&ENT_02, &[&[Point::ExtendedUpdate]])]);
static CHECK_ENT_03: Check = Check::new("ent-03", &[breaks(&ENT_03, &[&[Point::ExtendedShown]])]);
static CHECK_ENT_04: Check = Check::new("ent-04", &[breaks(&ENT_04, &[&[Point::AlphaTold]])]);
static CHECK_ENT_05: Check = Check::new("ent-05", &[breaks(&ENT_05, &[&[Point::AlphaBehindOrigin]])]);
static CHECK_ENT_06: Check =
    Check::new("ent-06", &[breaks(&ENT_06, &[&[Point::AlphaAndFrame2], &[Point::Frame2AndModel2]])]);
static CHECK_ENT_07: Check =
    Check::new("ent-07", &[breaks(&ENT_07, &[&[Point::Frame2AndModel2], &[Point::Model2AndHint]])]);
static CHECK_ENT_08: Check = Check::new("ent-08", &[breaks(&ENT_08, &[&[Point::Model2AndHint]])]);
static CHECK_ENT_09: Check = Check::new("ent-09", &[breaks(&ENT_09, &[&[Point::AlphaReverted]])]);
static CHECK_ENT_10: Check = Check::new("ent-10", &[breaks(&ENT_10, &[&[Point::Reverted]])]);
static CHECK_ENT_11: Check = Check::new("ent-11", &[breaks(&ENT_11, &[&[Point::Vanished]])]);
static CHECK_ENT_12: Check = Check::new("ent-12", &[breaks(&ENT_12, &[&[Point::Mentions]])]);
static CHECK_ENT_13: Check = Check::new("ent-13", &[breaks(&ENT_13, &[&[Point::LongEntity]])]);
static CHECK_ENT_14: Check = Check::new("ent-14", &[breaks(&ENT_14, &[&[Point::OriginTold]])]);
static CHECK_ENT_15: Check = Check::new("ent-15", &[breaks(&ENT_15, &[&[Point::Full]])]);
static CHECK_ENT_16: Check = Check::new("ent-16", &[breaks(&ENT_16, &[&[Point::MovesBegan]])]);
static CHECK_LERP_01: Check = Check::new("lerp-01", &[breaks(&LERP_01, &[&[Point::Hint]])]);
static CHECK_LERP_02: Check = Check::new("lerp-02", &[breaks(&LERP_02, &[&[Point::TenthSet]])]);
static CHECK_LERP_03: Check = Check::new("lerp-03", &[breaks(&LERP_03, &[&[Point::LongThink]])]);
static CHECK_LERP_04: Check = Check::new("lerp-04", &[breaks(&LERP_04, &[&[Point::HintShown]])]);
static CHECK_LERP_05: Check = Check::new("lerp-05", &[breaks(&LERP_05, &[&[Point::HintForgotten]])]);
static CHECK_CD_01: Check = Check::new("cd-01", &[breaks(&CD_01, &[&[Point::ThirdByte]])]);
static CHECK_CD_02: Check = Check::new("cd-02", &[breaks(&CD_02, &[&[Point::FourthByte]])]);
static CHECK_CD_03: Check = Check::new("cd-03", &[breaks(&CD_03, &[&[Point::Weapon2]])]);
static CHECK_CD_04: Check = Check::new("cd-04", &[breaks(&CD_04, &[&[Point::Armor2]])]);
static CHECK_CD_05: Check = Check::new("cd-05", &[breaks(&CD_05, &[&[Point::Ammo2]])]);
static CHECK_CD_06: Check = Check::new("cd-06", &[breaks(&CD_06, &[&[Point::Shells2]])]);
static CHECK_CD_07: Check = Check::new("cd-07", &[breaks(&CD_07, &[&[Point::Nails2]])]);
static CHECK_CD_08: Check = Check::new("cd-08", &[breaks(&CD_08, &[&[Point::Rockets2]])]);
static CHECK_CD_09: Check = Check::new("cd-09", &[breaks(&CD_09, &[&[Point::Cells2]])]);
static CHECK_CD_10: Check = Check::new("cd-10", &[breaks(&CD_10, &[&[Point::WeaponFrame2]])]);
static CHECK_CD_11: Check = Check::new("cd-11", &[breaks(&CD_11, &[&[Point::WeaponAlpha]])]);
static CHECK_CD_12: Check = Check::new("cd-12", &[breaks(&CD_12, &[&[Point::WideStatShown]])]);
static CHECK_CD_13: Check = Check::new("cd-13", &[breaks(&CD_13, &[&[Point::DefaultsShown]])]);
static CHECK_CD_14: Check = Check::new("cd-14", &[breaks(&CD_14, &[&[Point::Clientdata]])]);
static CHECK_CD_15: Check = Check::new("cd-15", &[breaks(&CD_15, &[&[Point::MissionPackNoWeapon]])]);
static CHECK_CD_16: Check = Check::new("cd-16", &[breaks(&CD_16, &[&[Point::OpaqueWeaponShown]])]);
static CHECK_CD_17: Check = Check::new("cd-17", &[breaks(&CD_17, &[&[Point::WeaponAlpha]])]);
static CHECK_SND_01: Check = Check::new("snd-01", &[breaks(&SND_01, &[&[Point::LargeEntitySound]])]);
static CHECK_SND_02: Check = Check::new("snd-02", &[breaks(&SND_02, &[&[Point::LargeSound]])]);
static CHECK_SND_03: Check = Check::new("snd-03", &[breaks(&SND_03, &[&[Point::LargeSoundPlayed]])]);
static CHECK_SND_04: Check = Check::new("snd-04", &[breaks(&SND_04, &[&[Point::SoundSent]])]);
static CHECK_SND_05: Check = Check::new("snd-05", &[breaks(&SND_05, &[&[Point::HighEntityPlayed]])]);
static CHECK_BASE_01: Check = Check::new("base-01", &[breaks(&BASE_01, &[&[Point::WideBaseline]])]);
static CHECK_BASE_02: Check = Check::new("base-02", &[breaks(&BASE_02, &[&[Point::WideBaseline]])]);
static CHECK_BASE_03: Check = Check::new("base-03", &[breaks(&BASE_03, &[&[Point::LargeModelBaseline]])]);
static CHECK_BASE_04: Check = Check::new("base-04", &[breaks(&BASE_04, &[&[Point::LargeFrameBaseline]])]);
static CHECK_BASE_05: Check = Check::new("base-05", &[breaks(&BASE_05, &[&[Point::AlphaBaseline]])]);
static CHECK_BASE_06: Check = Check::new("base-06", &[breaks(&BASE_06, &[&[Point::PlainBaseShown]])]);
static CHECK_STAT_01: Check = Check::new("stat-01", &[breaks(&STAT_01, &[&[Point::WideStatic]])]);
static CHECK_STAT_02: Check = Check::new("stat-02", &[breaks(&STAT_02, &[&[Point::WideStaticSound]])]);
static CHECK_ALPHA_01: Check = Check::new("alpha-01", &[breaks(&ALPHA_01, &[&[Point::AlphaTold]])]);
static CHECK_ALPHA_02: Check = Check::new("alpha-02", &[breaks(&ALPHA_02, &[&[Point::NegativeAlpha]])]);
static CHECK_ALPHA_03: Check = Check::new("alpha-03", &[breaks(&ALPHA_03, &[&[Point::OpacityShown]])]);
static CHECK_ALPHA_04: Check = Check::new("alpha-04", &[breaks(&ALPHA_04, &[&[Point::AlphaLoaded]])]);
static CHECK_ALPHA_05: Check =
    Check::new("alpha-05", &[breaks(&ALPHA_05, &[&[Point::DefaultWater, Point::OpaqueWater]])]);
static CHECK_ALPHA_06: Check = Check::new("alpha-06", &[breaks(&ALPHA_06, &[&[Point::AlphaOfTheMap]])]);
static CHECK_ALPHA_07: Check = Check::new("alpha-07", &[breaks(&ALPHA_07, &[&[Point::NoAlpha]])]);
static CHECK_ALPHA_09: Check = Check::new("alpha-09", &[breaks(&ALPHA_09, &[&[Point::AlphaChanged]])]);
static CHECK_ALPHA_10: Check = Check::new("alpha-10", &[breaks(&ALPHA_10, &[&[Point::AlphaAlike]])]);
static CHECK_MOVE_01: Check = Check::new("move-01", &[breaks(&MOVE_01, &[&[Point::Move]])]);
static CHECK_MOVE_02: Check = Check::new("move-02", &[breaks(&MOVE_02, &[&[Point::Move]])]);
static CHECK_MOVE_03: Check = Check::new("move-03", &[breaks(&MOVE_03, &[&[Point::MoveApplied]])]);
static CHECK_MOVE_04: Check = Check::new("move-04", &[breaks(&MOVE_04, &[&[Point::HalfStep]])]);
static CHECK_NET_01: Check = Check::new("net-01", &[breaks(&NET_01, &[&[Point::FragmentSent]])]);
static CHECK_NET_02: Check = Check::new("net-02", &[breaks(&NET_02, &[&[Point::Stale]])]);
static CHECK_NET_03: Check = Check::new("net-03", &[breaks(&NET_03, &[&[Point::AckSent]])]);
static CHECK_NET_04: Check = Check::new("net-04", &[breaks(&NET_04, &[&[Point::FragmentRepeated]])]);
static CHECK_NET_05: Check = Check::new("net-05", &[breaks(&NET_05, &[&[Point::NextFragment]])]);
static CHECK_NET_06: Check = Check::new("net-06", &[breaks(&NET_06, &[&[Point::SeveralFragments], &[Point::Printed]])]);
static CHECK_NET_07: Check = Check::new("net-07", &[breaks(&NET_07, &[&[Point::OldAckIgnored]])]);
static CHECK_NET_08: Check = Check::new("net-08", &[breaks(&NET_08, &[&[Point::Accepted, Point::RequestRepeated]])]);
static CHECK_NET_09: Check = Check::new("net-09", &[breaks(&NET_09, &[&[Point::PortGiven]])]);
static CHECK_LIM_01: Check = Check::new("lim-01", &[breaks(&LIM_01, &[&[Point::ManyNames]])]);
static CHECK_DEF_01: Check = Check::new("def-01", &[breaks(&DEF_01, &[&[Point::ExtendedUpdate]])]);
static CHECK_DEF_02: Check = Check::new("def-02", &[breaks(&DEF_02, &[&[Point::ThirdByte]])]);
static CHECK_DEF_03: Check =
    Check::new("def-03", &[breaks(&DEF_03, &[&[Point::LargeEntitySound], &[Point::LargeSound]])]);
static CHECK_DEF_04: Check = Check::new("def-04", &[breaks(&DEF_04, &[&[Point::WideBaseline]])]);
static CHECK_DEF_05: Check = Check::new("def-05", &[breaks(&DEF_05, &[&[Point::WideFrame], &[Point::ThirdByte]])]);
static CHECK_DEF_06: Check = Check::new("def-06", &[breaks(&DEF_06, &[&[Point::ReservedBit]])]);
