//! What the oracle checks.

use super::coverage::Point;
use crate::requirements::*;
use kit::{Check, breaks};

/// The checks, in catalogue order.
pub static CHECKS: &[&Check] = &[
    &CHECK_HS_01,
    &CHECK_HS_02,
    &CHECK_HS_03,
    &CHECK_HS_04,
    &CHECK_HS_05,
    &CHECK_HS_06,
    &CHECK_HS_07,
    &CHECK_HS_08,
    &CHECK_HS_09,
    &CHECK_HS_10,
    &CHECK_HS_11,
    &CHECK_HS_12,
    &CHECK_HS_13,
    &CHECK_HS_14,
    &CHECK_HS_15,
    &CHECK_HS_16,
    &CHECK_HS_17,
    &CHECK_HS_18,
    &CHECK_HS_20,
    &CHECK_HS_21,
    &CHECK_HS_22,
    &CHECK_HS_23,
    &CHECK_HS_24,
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
    &CHECK_ENT_15,
    &CHECK_DLT_01,
    &CHECK_DLT_02,
    &CHECK_DLT_03,
    &CHECK_DLT_04,
    &CHECK_DLT_05,
    &CHECK_DLT_06,
    &CHECK_DLT_07,
    &CHECK_DLT_08,
    &CHECK_DLT_09,
    &CHECK_DLT_10,
    &CHECK_DLT_11,
    &CHECK_DLT_12,
    &CHECK_DLT_13,
    &CHECK_DLT_14,
    &CHECK_DLT_15,
    &CHECK_DLT_17,
    &CHECK_DLT_18,
    &CHECK_DLT_20,
    &CHECK_DLT_21,
    &CHECK_DLT_22,
    &CHECK_DLT_23,
    &CHECK_DLT_24,
    &CHECK_DLT_25,
    &CHECK_DLT_26,
    &CHECK_DLT_27,
    &CHECK_DLT_28,
    &CHECK_DLT_29,
    &CHECK_DLT_30,
    &CHECK_DLT_31,
    &CHECK_DLT_32,
    &CHECK_DLT_33,
    &CHECK_DLT_34,
    &CHECK_DLT_35,
    &CHECK_DLT_36,
    &CHECK_DLT_37,
    &CHECK_DLT_38,
    &CHECK_DLT_39,
    &CHECK_DLT_40,
    &CHECK_DLT_41,
    &CHECK_RST_01,
    &CHECK_RST_02,
    &CHECK_RST_03,
    &CHECK_RST_04,
    &CHECK_RST_05,
    &CHECK_RST_06,
    &CHECK_RST_07,
    &CHECK_RST_08,
    &CHECK_RST_09,
    &CHECK_RST_10,
    &CHECK_RST_11,
    &CHECK_RMV_01,
    &CHECK_RMV_02,
    &CHECK_RMV_03,
    &CHECK_RMV_04,
    &CHECK_RMV_05,
    &CHECK_RMV_06,
    &CHECK_RMV_07,
    &CHECK_RMV_08,
    &CHECK_RMV_09,
    &CHECK_RMV_10,
    &CHECK_RMV_11,
    &CHECK_RMV_12,
    &CHECK_RMV_13,
    &CHECK_ACK_01,
    &CHECK_ACK_02,
    &CHECK_ACK_03,
    &CHECK_ACK_04,
    &CHECK_ACK_05,
    &CHECK_ACK_06,
    &CHECK_ACK_07,
    &CHECK_ACK_08,
    &CHECK_ACK_09,
    &CHECK_ACK_10,
    &CHECK_ACK_11,
    &CHECK_ACK_12,
    &CHECK_ACK_13,
    &CHECK_ACK_14,
    &CHECK_ACK_15,
    &CHECK_ACK_16,
    &CHECK_ACK_17,
    &CHECK_ACK_18,
    &CHECK_ACK_19,
    &CHECK_ACK_20,
    &CHECK_ACK_21,
    &CHECK_HIST_01,
    &CHECK_HIST_02,
    &CHECK_HIST_03,
    &CHECK_HIST_04,
    &CHECK_HIST_05,
    &CHECK_HIST_06,
    &CHECK_HIST_07,
    &CHECK_HIST_08,
    &CHECK_HIST_09,
    &CHECK_HIST_10,
    &CHECK_HIST_11,
    &CHECK_HIST_13,
    &CHECK_HIST_14,
    &CHECK_OVF_01,
    &CHECK_OVF_02,
    &CHECK_OVF_03,
    &CHECK_OVF_04,
    &CHECK_OVF_05,
    &CHECK_OVF_06,
    &CHECK_OVF_07,
    &CHECK_OVF_08,
    &CHECK_OVF_09,
    &CHECK_SVC_01,
    &CHECK_SVC_02,
    &CHECK_SVC_03,
    &CHECK_SVC_04,
    &CHECK_SVC_05,
    &CHECK_SVC_06,
    &CHECK_SVC_07,
    &CHECK_SVC_08,
    &CHECK_SVC_12,
    &CHECK_SVC_09,
    &CHECK_SVC_10,
    &CHECK_SVC_11,
    &CHECK_SVC_13,
    &CHECK_SVC_14,
    &CHECK_PRED_01,
    &CHECK_PRED_02,
    &CHECK_PRED_03,
    &CHECK_PRED_04,
    &CHECK_PRED_05,
    &CHECK_PRED_06,
    &CHECK_PRED_07,
    &CHECK_PRED_08,
    &CHECK_PRED_09,
    &CHECK_PRED_10,
    &CHECK_PRED_11,
    &CHECK_PRED_15,
    &CHECK_PRED_18,
    &CHECK_STAT_01,
    &CHECK_STAT_02,
    &CHECK_STAT_03,
    &CHECK_STAT_04,
    &CHECK_STAT_05,
    &CHECK_STAT_06,
    &CHECK_STAT_07,
];

static CHECK_HS_01: Check = Check::new("hs-01", &[breaks(&HS_01, &[&[Point::ChallengeAsked]])]);
static CHECK_HS_02: Check = Check::new("hs-02", &[breaks(&HS_02, &[&[Point::ChallengeSent]])]);
static CHECK_HS_03: Check = Check::new("hs-03", &[breaks(&HS_03, &[&[Point::ConnectSent]])]);
static CHECK_HS_04: Check = Check::new("hs-04", &[breaks(&HS_04, &[&[Point::ConnectWithExtensions]])]);
static CHECK_HS_05: Check = Check::new("hs-05", &[breaks(&HS_05, &[&[Point::ConnectDelivered]])]);
static CHECK_HS_06: Check = Check::new("hs-06", &[breaks(&HS_06, &[&[Point::Stripped, Point::PlainSession]])]);
static CHECK_HS_07: Check = Check::new("hs-07", &[breaks(&HS_07, &[&[Point::PextAsked]])]);
static CHECK_HS_08: Check = Check::new("hs-08", &[breaks(&HS_08, &[&[Point::PextHeard]])]);
static CHECK_HS_09: Check = Check::new("hs-09", &[breaks(&HS_09, &[&[Point::PextAnswered]])]);
static CHECK_HS_10: Check = Check::new("hs-10", &[breaks(&HS_10, &[&[Point::PextAnswered]])]);
static CHECK_HS_11: Check = Check::new("hs-11", &[breaks(&HS_11, &[&[Point::PextQuoted]])]);
static CHECK_HS_12: Check = Check::new("hs-12", &[breaks(&HS_12, &[&[Point::DeltaSession, Point::ClientCompared]])]);
static CHECK_HS_13: Check = Check::new("hs-13", &[breaks(&HS_13, &[&[Point::DeltaSession]])]);
static CHECK_HS_14: Check = Check::new("hs-14", &[breaks(&HS_14, &[&[Point::ClientCompared]])]);
static CHECK_HS_15: Check = Check::new("hs-15", &[breaks(&HS_15, &[&[Point::StrangeProtocol]])]);
static CHECK_HS_16: Check = Check::new("hs-16", &[breaks(&HS_16, &[&[Point::AskedTooMuch]])]);
static CHECK_HS_17: Check = Check::new("hs-17", &[breaks(&HS_17, &[&[Point::PlainSession]])]);
static CHECK_HS_18: Check =
    Check::new("hs-18", &[breaks(&HS_18, &[&[Point::ExtensionsChanged, Point::ClientCompared]])]);
static CHECK_HS_20: Check = Check::new("hs-20", &[breaks(&HS_20, &[&[Point::PlainSession]])]);
static CHECK_HS_21: Check =
    Check::new("hs-21", &[breaks(&HS_21, &[&[Point::FloatCoords], &[Point::FloatCoordsRefused]])]);
static CHECK_HS_22: Check = Check::new(
    "hs-22",
    &[breaks(
        &HS_22,
        &[&[Point::FloatCoordsWithDeltas, Point::ClientCompared], &[Point::DeltasAlone, Point::ClientCompared]],
    )],
);
static CHECK_HS_23: Check = Check::new("hs-23", &[breaks(&HS_23, &[&[Point::QuakeWorldFrame]])]);
static CHECK_HS_24: Check = Check::new("hs-24", &[breaks(&HS_24, &[&[Point::QuakeWorldFrame, Point::ClientCompared]])]);
static CHECK_ENT_01: Check = Check::new("ent-01", &[breaks(&ENT_01, &[&[Point::SmallTag]])]);
static CHECK_ENT_02: Check = Check::new("ent-02", &[breaks(&ENT_02, &[&[Point::BigTag]])]);
static CHECK_ENT_03: Check = Check::new("ent-03", &[breaks(&ENT_03, &[&[Point::BigTag, Point::BigBaseline]])]);
static CHECK_ENT_04: Check =
    Check::new("ent-04", &[breaks(&ENT_04, &[&[Point::BigNumberPlain], &[Point::BigNumberPlainNoted]])]);
static CHECK_ENT_05: Check =
    Check::new("ent-05", &[breaks(&ENT_05, &[&[Point::Remove, Point::NewEntity], &[Point::ExtendedNumber]])]);
static CHECK_ENT_06: Check = Check::new("ent-06", &[breaks(&ENT_06, &[&[Point::ExtendedNumber]])]);
static CHECK_ENT_07: Check = Check::new("ent-07", &[breaks(&ENT_07, &[&[Point::ExtendedNumber]])]);
static CHECK_ENT_08: Check =
    Check::new("ent-08", &[breaks(&ENT_08, &[&[Point::LongIndexDelivered, Point::ClientCompared]])]);
static CHECK_ENT_09: Check = Check::new(
    "ent-09",
    &[breaks(&ENT_09, &[&[Point::RemoveAmongOthers], &[Point::RemoveDelivered, Point::ClientCompared]])],
);
static CHECK_ENT_10: Check = Check::new("ent-10", &[breaks(&ENT_10, &[&[Point::Frame]])]);
static CHECK_ENT_11: Check =
    Check::new("ent-11", &[breaks(&ENT_11, &[&[Point::RemoveAllWithEntries, Point::ClientCompared]])]);
static CHECK_ENT_12: Check = Check::new("ent-12", &[breaks(&ENT_12, &[&[Point::HugeNumber]])]);
static CHECK_ENT_13: Check = Check::new("ent-13", &[breaks(&ENT_13, &[&[Point::ExtendedNumber, Point::MiddleTag]])]);
static CHECK_ENT_15: Check = Check::new("ent-15", &[breaks(&ENT_15, &[&[Point::SeveralEntries]])]);
static CHECK_DLT_01: Check =
    Check::new("dlt-01", &[breaks(&DLT_01, &[&[Point::TwoFlagBytes, Point::ThreeFlagBytes, Point::FourFlagBytes]])]);
static CHECK_DLT_02: Check =
    Check::new("dlt-02", &[breaks(&DLT_02, &[&[Point::ZeroFlagByteDelivered, Point::ClientCompared]])]);
static CHECK_DLT_03: Check = Check::new("dlt-03", &[breaks(&DLT_03, &[&[Point::PlainDelta, Point::ClientCompared]])]);
static CHECK_DLT_04: Check = Check::new("dlt-04", &[breaks(&DLT_04, &[&[Point::ManyFields]])]);
static CHECK_DLT_05: Check = Check::new("dlt-05", &[breaks(&DLT_05, &[&[Point::Frame8, Point::Frame16]])]);
static CHECK_DLT_06: Check = Check::new("dlt-06", &[breaks(&DLT_06, &[&[Point::OriginXY, Point::OriginZ]])]);
static CHECK_DLT_07: Check = Check::new("dlt-07", &[breaks(&DLT_07, &[&[Point::OneOfXY]])]);
static CHECK_DLT_08: Check = Check::new("dlt-08", &[breaks(&DLT_08, &[&[Point::AnglesXZ, Point::AnglesY]])]);
static CHECK_DLT_09: Check = Check::new("dlt-09", &[breaks(&DLT_09, &[&[Point::AnglesWithPredInfo]])]);
static CHECK_DLT_10: Check =
    Check::new("dlt-10", &[breaks(&DLT_10, &[&[Point::Effects8, Point::Effects16, Point::Effects32]])]);
static CHECK_DLT_11: Check = Check::new("dlt-11", &[breaks(&DLT_11, &[&[Point::EffectsShrank]])]);
static CHECK_DLT_12: Check = Check::new("dlt-12", &[breaks(&DLT_12, &[&[Point::Wide, Point::Narrow]])]);
static CHECK_DLT_13: Check = Check::new("dlt-13", &[breaks(&DLT_13, &[&[Point::WideForAnother]])]);
static CHECK_DLT_14: Check = Check::new("dlt-14", &[breaks(&DLT_14, &[&[Point::Model, Point::Wide]])]);
static CHECK_DLT_15: Check = Check::new("dlt-15", &[breaks(&DLT_15, &[&[Point::NegativeSkin]])]);
static CHECK_DLT_17: Check = Check::new("dlt-17", &[breaks(&DLT_17, &[&[Point::Colormap]])]);
static CHECK_DLT_18: Check = Check::new("dlt-18", &[breaks(&DLT_18, &[&[Point::Solid]])]);
static CHECK_DLT_20: Check = Check::new("dlt-20", &[breaks(&DLT_20, &[&[Point::Flags]])]);
static CHECK_DLT_21: Check = Check::new("dlt-21", &[breaks(&DLT_21, &[&[Point::DirectColours, Point::Colormap]])]);
static CHECK_DLT_22: Check = Check::new("dlt-22", &[breaks(&DLT_22, &[&[Point::Alpha]])]);
static CHECK_DLT_23: Check = Check::new("dlt-23", &[breaks(&DLT_23, &[&[Point::Scale]])]);
static CHECK_DLT_24: Check = Check::new("dlt-24", &[breaks(&DLT_24, &[&[Point::ManyFields]])]);
static CHECK_DLT_25: Check = Check::new("dlt-25", &[breaks(&DLT_25, &[&[Point::AbsLight, Point::NoAbsLight]])]);
static CHECK_DLT_26: Check = Check::new("dlt-26", &[breaks(&DLT_26, &[&[Point::SmallTag], &[Point::BigTag]])]);
static CHECK_DLT_27: Check = Check::new("dlt-27", &[breaks(&DLT_27, &[&[Point::Light]])]);
static CHECK_DLT_28: Check = Check::new("dlt-28", &[breaks(&DLT_28, &[&[Point::Trail]])]);
static CHECK_DLT_29: Check = Check::new("dlt-29", &[breaks(&DLT_29, &[&[Point::ColorMod]])]);
static CHECK_DLT_30: Check = Check::new("dlt-30", &[breaks(&DLT_30, &[&[Point::Glow]])]);
static CHECK_DLT_31: Check = Check::new("dlt-31", &[breaks(&DLT_31, &[&[Point::Fatness]])]);
static CHECK_DLT_32: Check = Check::new("dlt-32", &[breaks(&DLT_32, &[&[Point::Model2Narrow], &[Point::Model2Wide]])]);
static CHECK_DLT_33: Check = Check::new("dlt-33", &[breaks(&DLT_33, &[&[Point::Gravity]])]);
static CHECK_DLT_34: Check = Check::new("dlt-34", &[breaks(&DLT_34, &[&[Point::PlainDelta]])]);
static CHECK_DLT_35: Check = Check::new("dlt-35", &[breaks(&DLT_35, &[&[Point::UndefinedFlagDelivered]])]);
static CHECK_DLT_36: Check = Check::new("dlt-36", &[breaks(&DLT_36, &[&[Point::Glow, Point::ClientCompared]])]);
static CHECK_DLT_37: Check = Check::new("dlt-37", &[breaks(&DLT_37, &[&[Point::LostDelta, Point::ResentAfterChange]])]);
static CHECK_DLT_38: Check =
    Check::new("dlt-38", &[breaks(&DLT_38, &[&[Point::DeltaAfterLoss, Point::ClientCompared]])]);
static CHECK_DLT_39: Check = Check::new("dlt-39", &[breaks(&DLT_39, &[&[Point::PlainDelta]])]);
static CHECK_DLT_40: Check = Check::new("dlt-40", &[breaks(&DLT_40, &[&[Point::Boundary]])]);
static CHECK_DLT_41: Check = Check::new("dlt-41", &[breaks(&DLT_41, &[&[Point::ChangedToZero]])]);
static CHECK_RST_01: Check =
    Check::new("rst-01", &[breaks(&RST_01, &[&[Point::ResetDelivered, Point::ClientCompared]])]);
static CHECK_RST_02: Check = Check::new("rst-02", &[breaks(&RST_02, &[&[Point::NewEntity]])]);
static CHECK_RST_03: Check = Check::new("rst-03", &[breaks(&RST_03, &[&[Point::SecondUpdate]])]);
static CHECK_RST_04: Check = Check::new("rst-04", &[breaks(&RST_04, &[&[Point::ResetWithFields]])]);
static CHECK_RST_05: Check = Check::new("rst-05", &[breaks(&RST_05, &[&[Point::NewEntity, Point::Baseline]])]);
static CHECK_RST_06: Check =
    Check::new("rst-06", &[breaks(&RST_06, &[&[Point::UnknownDeltaDelivered, Point::ClientCompared]])]);
static CHECK_RST_07: Check = Check::new("rst-07", &[breaks(&RST_07, &[&[Point::LostReset]])]);
static CHECK_RST_08: Check = Check::new("rst-08", &[breaks(&RST_08, &[&[Point::Returned]])]);
static CHECK_RST_09: Check = Check::new("rst-09", &[breaks(&RST_09, &[&[Point::Reborn]])]);
static CHECK_RST_10: Check =
    Check::new("rst-10", &[breaks(&RST_10, &[&[Point::ReturnDelivered, Point::ClientCompared]])]);
static CHECK_RST_11: Check = Check::new("rst-11", &[breaks(&RST_11, &[&[Point::SecondUpdate]])]);
static CHECK_RMV_01: Check = Check::new("rmv-01", &[breaks(&RMV_01, &[&[Point::Remove]])]);
static CHECK_RMV_02: Check =
    Check::new("rmv-02", &[breaks(&RMV_02, &[&[Point::UnmentionedEntity, Point::ClientCompared]])]);
static CHECK_RMV_03: Check =
    Check::new("rmv-03", &[breaks(&RMV_03, &[&[Point::RemoveDelivered, Point::ClientCompared]])]);
static CHECK_RMV_04: Check =
    Check::new("rmv-04", &[breaks(&RMV_04, &[&[Point::UnknownRemoveDelivered, Point::ClientCompared]])]);
static CHECK_RMV_05: Check = Check::new("rmv-05", &[breaks(&RMV_05, &[&[Point::LostRemove]])]);
static CHECK_RMV_06: Check = Check::new("rmv-06", &[breaks(&RMV_06, &[&[Point::LostRemoveOfLiving]])]);
static CHECK_RMV_07: Check = Check::new("rmv-07", &[breaks(&RMV_07, &[&[Point::LostUpdateOfDead]])]);
static CHECK_RMV_08: Check =
    Check::new("rmv-08", &[breaks(&RMV_08, &[&[Point::RemoveAllDelivered, Point::ClientCompared]])]);
static CHECK_RMV_09: Check = Check::new("rmv-09", &[breaks(&RMV_09, &[&[Point::ResentAfterRemoveAll]])]);
static CHECK_RMV_10: Check = Check::new("rmv-10", &[breaks(&RMV_10, &[&[Point::LostRemoveAll]])]);
static CHECK_RMV_11: Check = Check::new("rmv-11", &[breaks(&RMV_11, &[&[Point::RemoveAllWithEntries]])]);
static CHECK_RMV_12: Check = Check::new("rmv-12", &[breaks(&RMV_12, &[&[Point::RemovedWhilePending]])]);
static CHECK_RMV_13: Check = Check::new("rmv-13", &[breaks(&RMV_13, &[&[Point::Frame]])]);
static CHECK_ACK_01: Check = Check::new("ack-01", &[breaks(&ACK_01, &[&[Point::Frame]])]);
static CHECK_ACK_02: Check = Check::new("ack-02", &[breaks(&ACK_02, &[&[Point::AckSent]])]);
static CHECK_ACK_03: Check = Check::new("ack-03", &[breaks(&ACK_03, &[&[Point::AckSent]])]);
static CHECK_ACK_04: Check = Check::new("ack-04", &[breaks(&ACK_04, &[&[Point::AckAfterLoss]])]);
static CHECK_ACK_05: Check = Check::new("ack-05", &[breaks(&ACK_05, &[&[Point::NetQuakeFrame, Point::AckSent]])]);
static CHECK_ACK_06: Check = Check::new("ack-06", &[breaks(&ACK_06, &[&[Point::SecondAck]])]);
static CHECK_ACK_07: Check = Check::new("ack-07", &[breaks(&ACK_07, &[&[Point::AckSent]])]);
static CHECK_ACK_08: Check =
    Check::new("ack-08", &[breaks(&ACK_08, &[&[Point::SeveralAcksJudged], &[Point::ExplicitJudged]])]);
static CHECK_ACK_09: Check = Check::new("ack-09", &[breaks(&ACK_09, &[&[Point::Loss]])]);
static CHECK_ACK_10: Check = Check::new("ack-10", &[breaks(&ACK_10, &[&[Point::NewerJudged]])]);
static CHECK_ACK_11: Check =
    Check::new("ack-11", &[breaks(&ACK_11, &[&[Point::QuakeWorldFrame, Point::SeveralFramesSinceSend]])]);
static CHECK_ACK_12: Check = Check::new("ack-12", &[breaks(&ACK_12, &[&[Point::SeveralFramesSinceSend]])]);
static CHECK_ACK_13: Check =
    Check::new("ack-13", &[breaks(&ACK_13, &[&[Point::QuakeWorldFrame, Point::LossKnownByHeader]])]);
static CHECK_ACK_14: Check =
    Check::new("ack-14", &[breaks(&ACK_14, &[&[Point::QuakeWorldFrame, Point::LossKnownByHeader]])]);
static CHECK_ACK_15: Check = Check::new("ack-15", &[breaks(&ACK_15, &[&[Point::ExplicitJudged]])]);
static CHECK_ACK_16: Check = Check::new("ack-16", &[breaks(&ACK_16, &[&[Point::ResetAsked]])]);
static CHECK_ACK_17: Check = Check::new("ack-17", &[breaks(&ACK_17, &[&[Point::ClientWithoutState]])]);
static CHECK_ACK_18: Check = Check::new("ack-18", &[breaks(&ACK_18, &[&[Point::StaleAck]])]);
static CHECK_ACK_19: Check = Check::new("ack-19", &[breaks(&ACK_19, &[&[Point::FrameZeroAcked]])]);
static CHECK_ACK_20: Check = Check::new("ack-20", &[breaks(&ACK_20, &[&[Point::FutureAck, Point::Loss]])]);
static CHECK_ACK_21: Check = Check::new("ack-21", &[breaks(&ACK_21, &[&[Point::StaleFrame]])]);
static CHECK_HIST_01: Check = Check::new("hist-01", &[breaks(&HIST_01, &[&[Point::Loss]])]);
static CHECK_HIST_02: Check = Check::new("hist-02", &[breaks(&HIST_02, &[&[Point::LostDelta]])]);
static CHECK_HIST_03: Check =
    Check::new("hist-03", &[breaks(&HIST_03, &[&[Point::LossAfterMany], &[Point::GapOverOldRemove]])]);
static CHECK_HIST_04: Check = Check::new("hist-04", &[breaks(&HIST_04, &[&[Point::LostDelta]])]);
static CHECK_HIST_05: Check = Check::new("hist-05", &[breaks(&HIST_05, &[&[Point::LostReset], &[Point::LostRemove]])]);
static CHECK_HIST_06: Check = Check::new("hist-06", &[breaks(&HIST_06, &[&[Point::LossAfterMany]])]);
static CHECK_HIST_07: Check = Check::new("hist-07", &[breaks(&HIST_07, &[&[Point::ManyInFlight]])]);
static CHECK_HIST_08: Check = Check::new("hist-08", &[breaks(&HIST_08, &[&[Point::LossAfterGap]])]);
static CHECK_HIST_09: Check = Check::new("hist-09", &[breaks(&HIST_09, &[&[Point::LossOfSibling]])]);
static CHECK_HIST_10: Check =
    Check::new("hist-10", &[breaks(&HIST_10, &[&[Point::FullFrame, Point::PendingWhenFull]])]);
static CHECK_HIST_11: Check = Check::new("hist-11", &[breaks(&HIST_11, &[&[Point::LostRepair]])]);
static CHECK_HIST_13: Check = Check::new("hist-13", &[breaks(&HIST_13, &[&[Point::LossOfManyEntries]])]);
static CHECK_HIST_14: Check = Check::new("hist-14", &[breaks(&HIST_14, &[&[Point::OldAckInNewMap]])]);
static CHECK_OVF_01: Check = Check::new("ovf-01", &[breaks(&OVF_01, &[&[Point::FullFrame, Point::PendingWhenFull]])]);
static CHECK_OVF_02: Check = Check::new("ovf-02", &[breaks(&OVF_02, &[&[Point::FullFrame]])]);
static CHECK_OVF_03: Check = Check::new("ovf-03", &[breaks(&OVF_03, &[&[Point::FullFrame, Point::PendingWhenFull]])]);
static CHECK_OVF_04: Check = Check::new("ovf-04", &[breaks(&OVF_04, &[&[Point::FullFrame]])]);
static CHECK_OVF_05: Check = Check::new("ovf-05", &[breaks(&OVF_05, &[&[Point::NewWhenFull]])]);
static CHECK_OVF_06: Check = Check::new("ovf-06", &[breaks(&OVF_06, &[&[Point::RemoveWhenFull]])]);
static CHECK_OVF_07: Check = Check::new("ovf-07", &[breaks(&OVF_07, &[&[Point::FullFrame, Point::PendingWhenFull]])]);
static CHECK_OVF_08: Check =
    Check::new("ovf-08", &[breaks(&OVF_08, &[&[Point::SplitSnapshotDelivered, Point::ClientCompared]])]);
static CHECK_OVF_09: Check = Check::new("ovf-09", &[breaks(&OVF_09, &[&[Point::Choked]])]);
static CHECK_SVC_01: Check = Check::new("svc-01", &[breaks(&SVC_01, &[&[Point::DeltaSession, Point::Frame]])]);
static CHECK_SVC_02: Check = Check::new("svc-02", &[breaks(&SVC_02, &[&[Point::NetQuakeFrame]])]);
static CHECK_SVC_03: Check = Check::new("svc-03", &[breaks(&SVC_03, &[&[Point::Frame], &[Point::ClientCompared]])]);
static CHECK_SVC_04: Check = Check::new("svc-04", &[breaks(&SVC_04, &[&[Point::ClientCompared]])]);
static CHECK_SVC_05: Check =
    Check::new("svc-05", &[breaks(&SVC_05, &[&[Point::StaticEntity], &[Point::StaticCompared]])]);
static CHECK_SVC_06: Check = Check::new("svc-06", &[breaks(&SVC_06, &[&[Point::Baseline]])]);
static CHECK_SVC_07: Check =
    Check::new("svc-07", &[breaks(&SVC_07, &[&[Point::BaselineShrankDelivered, Point::ClientCompared]])]);
static CHECK_SVC_08: Check =
    Check::new("svc-08", &[breaks(&SVC_08, &[&[Point::ResetOnBaselineDelivered, Point::ClientCompared]])]);
static CHECK_SVC_12: Check = Check::new(
    "svc-12",
    &[breaks(&SVC_12, &[&[Point::DeltaDelivered, Point::UnmentionedEntity, Point::ClientCompared]])],
);
static CHECK_SVC_09: Check =
    Check::new("svc-09", &[breaks(&SVC_09, &[&[Point::CsqcGoneSent], &[Point::CsqcGoneNoted]])]);
static CHECK_SVC_10: Check =
    Check::new("svc-10", &[breaks(&SVC_10, &[&[Point::SpawnStatic2Deltas, Point::Baseline, Point::StaticEntity]])]);
static CHECK_SVC_11: Check =
    Check::new("svc-11", &[breaks(&SVC_11, &[&[Point::ObsoleteDeltas, Point::ClientCompared]])]);
static CHECK_SVC_13: Check = Check::new("svc-13", &[breaks(&SVC_13, &[&[Point::AckSent]])]);
static CHECK_SVC_14: Check =
    Check::new("svc-14", &[breaks(&SVC_14, &[&[Point::WideSoundAsked, Point::SoundSent], &[Point::SoundNoted]])]);
static CHECK_PRED_01: Check = Check::new("pred-01", &[breaks(&PRED_01, &[&[Point::PredBlock]])]);
static CHECK_PRED_02: Check = Check::new("pred-02", &[breaks(&PRED_02, &[&[Point::PredInfoDelivered]])]);
static CHECK_PRED_03: Check = Check::new("pred-03", &[breaks(&PRED_03, &[&[Point::PredInfoDelivered]])]);
static CHECK_PRED_04: Check = Check::new("pred-04", &[breaks(&PRED_04, &[&[Point::Velocity]])]);
static CHECK_PRED_05: Check = Check::new("pred-05", &[breaks(&PRED_05, &[&[Point::LongWeaponFrame]])]);
static CHECK_PRED_06: Check = Check::new("pred-06", &[breaks(&PRED_06, &[&[Point::LostPredInfo]])]);
static CHECK_PRED_07: Check = Check::new("pred-07", &[breaks(&PRED_07, &[&[Point::ViewAngles]])]);
static CHECK_PRED_08: Check = Check::new("pred-08", &[breaks(&PRED_08, &[&[Point::WeaponFrameStat]])]);
static CHECK_PRED_09: Check = Check::new("pred-09", &[breaks(&PRED_09, &[&[Point::NetQuakePredInfoFrame]])]);
static CHECK_PRED_10: Check = Check::new("pred-10", &[breaks(&PRED_10, &[&[Point::MoveEchoed]])]);
static CHECK_PRED_11: Check = Check::new("pred-11", &[breaks(&PRED_11, &[&[Point::MoveEchoed, Point::MoveWrapped]])]);
static CHECK_PRED_15: Check = Check::new("pred-15", &[breaks(&PRED_15, &[&[Point::MoveOnPlainProtocol]])]);
static CHECK_PRED_18: Check = Check::new("pred-18", &[breaks(&PRED_18, &[&[Point::MoveOutOfOrder]])]);
static CHECK_STAT_01: Check = Check::new("stat-01", &[breaks(&STAT_01, &[&[Point::LostStat]])]);
static CHECK_STAT_02: Check = Check::new("stat-02", &[breaks(&STAT_02, &[&[Point::NetQuakePredInfoFrame]])]);
static CHECK_STAT_03: Check = Check::new("stat-03", &[breaks(&STAT_03, &[&[Point::StatResent]])]);
static CHECK_STAT_04: Check = Check::new("stat-04", &[breaks(&STAT_04, &[&[Point::StatsWhenFull]])]);
static CHECK_STAT_05: Check = Check::new(
    "stat-05",
    &[breaks(
        &STAT_05,
        &[&[Point::StatDelivered, Point::ByteStat, Point::LongStat], &[Point::StatDelivered, Point::FloatStat]],
    )],
);
static CHECK_STAT_06: Check =
    Check::new("stat-06", &[breaks(&STAT_06, &[&[Point::StatsInSecondMap], &[Point::LostStatBeforeReset]])]);
static CHECK_STAT_07: Check = Check::new("stat-07", &[breaks(&STAT_07, &[&[Point::LargePlainStat]])]);
