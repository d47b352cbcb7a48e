//! What the oracle checks.

use super::coverage::Point;
use crate::requirements::*;
use kit::{Check, breaks};

/// The checks, in catalogue order.
pub static CHECKS: &[&Check] = &[
    &CHECK_QPORT_01,
    &CHECK_QPORT_02,
    &CHECK_QPORT_03,
    &CHECK_QPORT_04,
    &CHECK_QPORT_05,
    &CHECK_QPORT_06,
    &CHECK_QPORT_08,
    &CHECK_ZPKT_01,
    &CHECK_ZPKT_02,
    &CHECK_ZPKT_03,
    &CHECK_ZPKT_04,
    &CHECK_ZPKT_05,
    &CHECK_ZPKT_06,
    &CHECK_ZPKT_07,
    &CHECK_ZPKT_08,
    &CHECK_ZPKT_09,
    &CHECK_ZDL_01,
    &CHECK_ZDL_02,
    &CHECK_ZDL_03,
    &CHECK_ZDL_04,
    &CHECK_ZDL_05,
    &CHECK_CMD_01,
    &CHECK_CMD_02,
    &CHECK_CMD_03,
    &CHECK_CMD_04,
    &CHECK_FRM_01,
    &CHECK_FRM_02,
    &CHECK_FRM_03,
    &CHECK_FRM_04,
    &CHECK_FRM_05,
    &CHECK_FRM_06,
    &CHECK_FRM_07,
    &CHECK_FRM_08,
    &CHECK_FRM_09,
    &CHECK_FRM_10,
    &CHECK_PS_01,
    &CHECK_PS_02,
    &CHECK_PS_03,
    &CHECK_PS_04,
    &CHECK_PS_05,
    &CHECK_PS_06,
    &CHECK_PS_07,
    &CHECK_PS_08,
    &CHECK_PS_09,
    &CHECK_ENT_01,
    &CHECK_ENT_02,
    &CHECK_ENT_03,
    &CHECK_ENT_04,
    &CHECK_ENT_05,
    &CHECK_SD_01,
    &CHECK_SD_02,
    &CHECK_SD_03,
    &CHECK_SD_04,
    &CHECK_SD_05,
    &CHECK_LEN_01,
    &CHECK_LEN_02,
    &CHECK_LEN_03,
    &CHECK_LEN_04,
    &CHECK_LEN_05,
    &CHECK_CON_01,
    &CHECK_CON_02,
    &CHECK_CON_03,
    &CHECK_MOV_01,
    &CHECK_MOV_02,
    &CHECK_MOV_03,
    &CHECK_GEN_02,
];

static CHECK_QPORT_01: Check = Check::new("qport-01", &[breaks(&QPORT_01, &[&[Point::NumberedDatagram]])]);
static CHECK_QPORT_02: Check = Check::new("qport-02", &[breaks(&QPORT_02, &[&[Point::NumberedAnswered]])]);
static CHECK_QPORT_03: Check = Check::new("qport-03", &[breaks(&QPORT_03, &[&[Point::UnnumberedDatagram]])]);
static CHECK_QPORT_04: Check = Check::new("qport-04", &[breaks(&QPORT_04, &[&[Point::UnnumberedAnswered]])]);
static CHECK_QPORT_05: Check = Check::new("qport-05", &[breaks(&QPORT_05, &[&[Point::Rebound]])]);
static CHECK_QPORT_06: Check = Check::new("qport-06", &[breaks(&QPORT_06, &[&[Point::TwoUnnumbered]])]);
static CHECK_QPORT_08: Check =
    Check::new("qport-08", &[breaks(&QPORT_08, &[&[Point::ConnectR1q2, Point::NumberedDatagram]])]);
static CHECK_ZPKT_01: Check = Check::new("zpkt-01", &[breaks(&ZPKT_01, &[&[Point::Zpacket]])]);
static CHECK_ZPKT_02: Check = Check::new("zpkt-02", &[breaks(&ZPKT_02, &[&[Point::Zpacket]])]);
static CHECK_ZPKT_03: Check =
    Check::new("zpkt-03", &[breaks(&ZPKT_03, &[&[Point::ZpacketHeard], &[Point::FrameInZpacket]])]);
static CHECK_ZPKT_04: Check = Check::new("zpkt-04", &[breaks(&ZPKT_04, &[&[Point::BehindZpacket]])]);
static CHECK_ZPKT_05: Check = Check::new("zpkt-05", &[breaks(&ZPKT_05, &[&[Point::BehindZpacket]])]);
static CHECK_ZPKT_06: Check = Check::new("zpkt-06", &[breaks(&ZPKT_06, &[&[Point::MalformedHeard]])]);
static CHECK_ZPKT_07: Check = Check::new("zpkt-07", &[breaks(&ZPKT_07, &[&[Point::NestedHeard]])]);
static CHECK_ZPKT_08: Check = Check::new("zpkt-08", &[breaks(&ZPKT_08, &[&[Point::ServicesOriginal]])]);
static CHECK_ZPKT_09: Check = Check::new("zpkt-09", &[breaks(&ZPKT_09, &[&[Point::Zpacket]])]);
static CHECK_ZDL_01: Check = Check::new("zdl-01", &[breaks(&ZDL_01, &[&[Point::ZDownload]])]);
static CHECK_ZDL_02: Check = Check::new("zdl-02", &[breaks(&ZDL_02, &[&[Point::FileHeard]])]);
static CHECK_ZDL_03: Check = Check::new("zdl-03", &[breaks(&ZDL_03, &[&[Point::ZDownloadHeard]])]);
static CHECK_ZDL_04: Check = Check::new("zdl-04", &[breaks(&ZDL_04, &[&[Point::MixedFileHeard]])]);
static CHECK_ZDL_05: Check = Check::new("zdl-05", &[breaks(&ZDL_05, &[&[Point::Refused]])]);
static CHECK_CMD_01: Check = Check::new("cmd-01", &[breaks(&CMD_01, &[&[Point::UpperBits]])]);
static CHECK_CMD_02: Check = Check::new("cmd-02", &[breaks(&CMD_02, &[&[Point::ServicesR1q2]])]);
static CHECK_CMD_03: Check = Check::new("cmd-03", &[breaks(&CMD_03, &[&[Point::MessageEnded]])]);
static CHECK_CMD_04: Check = Check::new("cmd-04", &[breaks(&CMD_04, &[&[Point::StrayBitHeard]])]);
static CHECK_FRM_01: Check = Check::new("frm-01", &[breaks(&FRM_01, &[&[Point::FrameR1q2]])]);
static CHECK_FRM_02: Check = Check::new("frm-02", &[breaks(&FRM_02, &[&[Point::NoDeltaAnswered]])]);
static CHECK_FRM_03: Check =
    Check::new("frm-03", &[breaks(&FRM_03, &[&[Point::FrameShownR1q2, Point::OlderBaseShown]])]);
static CHECK_FRM_04: Check = Check::new("frm-04", &[breaks(&FRM_04, &[&[Point::DeltaFrame, Point::FrameR1q2]])]);
static CHECK_FRM_05: Check = Check::new("frm-05", &[breaks(&FRM_05, &[&[Point::HeldBack]])]);
static CHECK_FRM_06: Check = Check::new("frm-06", &[breaks(&FRM_06, &[&[Point::HeldBack]])]);
static CHECK_FRM_07: Check = Check::new("frm-07", &[breaks(&FRM_07, &[&[Point::UpperBits, Point::FrameShownR1q2]])]);
static CHECK_FRM_08: Check = Check::new("frm-08", &[breaks(&FRM_08, &[&[Point::FrameR1q2]])]);
static CHECK_FRM_09: Check = Check::new("frm-09", &[breaks(&FRM_09, &[&[Point::FrameR1q2]])]);
static CHECK_FRM_10: Check = Check::new("frm-10", &[breaks(&FRM_10, &[&[Point::FrameR1q2]])]);
static CHECK_PS_01: Check = Check::new("ps-01", &[breaks(&PS_01, &[&[Point::WeaponMoved]])]);
static CHECK_PS_02: Check = Check::new("ps-02", &[breaks(&PS_02, &[&[Point::HeightAlone]])]);
static CHECK_PS_03: Check = Check::new("ps-03", &[breaks(&PS_03, &[&[Point::FallAlone]])]);
static CHECK_PS_04: Check = Check::new("ps-04", &[breaks(&PS_04, &[&[Point::Roll]])]);
static CHECK_PS_05: Check = Check::new("ps-05", &[breaks(&PS_05, &[&[Point::WeaponMoved]])]);
static CHECK_PS_06: Check = Check::new("ps-06", &[breaks(&PS_06, &[&[Point::Statistics, Point::StatisticsStay]])]);
static CHECK_PS_07: Check = Check::new("ps-07", &[breaks(&PS_07, &[&[Point::SplitOriginal]])]);
static CHECK_PS_08: Check = Check::new("ps-08", &[breaks(&PS_08, &[&[Point::SplitTogether]])]);
static CHECK_PS_09: Check = Check::new("ps-09", &[breaks(&PS_09, &[&[Point::FullFrameShown]])]);
static CHECK_ENT_01: Check = Check::new("ent-01", &[breaks(&ENT_01, &[&[Point::MovedR1q2]])]);
static CHECK_ENT_02: Check = Check::new("ent-02", &[breaks(&ENT_02, &[&[Point::BeamRests]])]);
static CHECK_ENT_03: Check = Check::new("ent-03", &[breaks(&ENT_03, &[&[Point::MovedOriginal]])]);
static CHECK_ENT_04: Check = Check::new("ent-04", &[breaks(&ENT_04, &[&[Point::BeamSent]])]);
static CHECK_ENT_05: Check = Check::new("ent-05", &[breaks(&ENT_05, &[&[Point::BecameBeam]])]);
static CHECK_SD_01: Check = Check::new("sd-01", &[breaks(&SD_01, &[&[Point::ServerDataR1q2]])]);
static CHECK_SD_02: Check = Check::new("sd-02", &[breaks(&SD_02, &[&[Point::Enhanced]])]);
static CHECK_SD_03: Check = Check::new("sd-03", &[breaks(&SD_03, &[&[Point::OtherRevision]])]);
static CHECK_SD_04: Check = Check::new("sd-04", &[breaks(&SD_04, &[&[Point::FellBack]])]);
static CHECK_SD_05: Check = Check::new("sd-05", &[breaks(&SD_05, &[&[Point::ServerDataOriginal]])]);
static CHECK_LEN_01: Check = Check::new("len-01", &[breaks(&LEN_01, &[&[Point::LongDatagram]])]);
static CHECK_LEN_02: Check = Check::new("len-02", &[breaks(&LEN_02, &[&[Point::ServicesOriginal]])]);
static CHECK_LEN_03: Check = Check::new("len-03", &[breaks(&LEN_03, &[&[Point::ServicesR1q2]])]);
static CHECK_LEN_04: Check = Check::new("len-04", &[breaks(&LEN_04, &[&[Point::ConnectWithDefault]])]);
static CHECK_LEN_05: Check = Check::new("len-05", &[breaks(&LEN_05, &[&[Point::ConnectWithZero]])]);
static CHECK_CON_01: Check = Check::new("con-01", &[breaks(&CON_01, &[&[Point::ConnectR1q2]])]);
static CHECK_CON_02: Check = Check::new("con-02", &[breaks(&CON_02, &[&[Point::ConnectOriginal]])]);
static CHECK_CON_03: Check = Check::new("con-03", &[breaks(&CON_03, &[&[Point::ConnectWithoutLength]])]);
static CHECK_MOV_01: Check = Check::new("mov-01", &[breaks(&MOV_01, &[&[Point::SpectatorR1q2]])]);
static CHECK_MOV_02: Check =
    Check::new("mov-02", &[breaks(&MOV_02, &[&[Point::SpectatorR1q2, Point::SpectatorOriginal]])]);
static CHECK_MOV_03: Check = Check::new("mov-03", &[breaks(&MOV_03, &[&[Point::Predicted]])]);
static CHECK_GEN_02: Check = Check::new("gen-02", &[breaks(&GEN_02, &[&[Point::Session]])]);
