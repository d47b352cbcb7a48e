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
    &CHECK_VER_05,
    &CHECK_HS_01,
    &CHECK_HS_02,
    &CHECK_HS_03,
    &CHECK_HS_04,
    &CHECK_HS_05,
    &CHECK_HS_06,
    &CHECK_HS_07,
    &CHECK_HS_08,
    &CHECK_HS_09,
    &CHECK_CLC_01,
    &CHECK_CLC_02,
    &CHECK_TAB_01,
    &CHECK_TAB_02,
    &CHECK_TAB_03,
    &CHECK_TAB_04,
    &CHECK_TAB_05,
    &CHECK_TAB_06,
    &CHECK_TAB_07,
    &CHECK_TAB_08,
    &CHECK_TAB_09,
    &CHECK_SEL_01,
    &CHECK_SEL_02,
    &CHECK_SEL_03,
    &CHECK_SEL_04,
    &CHECK_SEL_05,
    &CHECK_WR_01,
    &CHECK_WR_02,
    &CHECK_WR_03,
    &CHECK_WR_04,
    &CHECK_WR_05,
    &CHECK_WR_06,
    &CHECK_WR_07,
    &CHECK_DES_01,
    &CHECK_DES_02,
    &CHECK_DES_03,
    &CHECK_QC_01,
    &CHECK_QC_02,
    &CHECK_QC_03,
    &CHECK_BUF_01,
    &CHECK_BUF_02,
    &CHECK_BUF_03,
    &CHECK_BUF_04,
    &CHECK_BUF_05,
    &CHECK_BUF_06,
    &CHECK_BUF_07,
    &CHECK_BUF_08,
    &CHECK_BUF_09,
    &CHECK_BUF_10,
    &CHECK_BUF_11,
    &CHECK_ORD_01,
    &CHECK_ORD_02,
    &CHECK_SIG_01,
    &CHECK_SIG_02,
    &CHECK_SIG_03,
    &CHECK_SIG_04,
    &CHECK_SIG_05,
    &CHECK_REQ_01,
    &CHECK_CL_01,
    &CHECK_T1_01,
    &CHECK_T1_02,
    &CHECK_T1_03,
    &CHECK_T2_01,
    &CHECK_T3_01,
    &CHECK_T3_02,
    &CHECK_T3_03,
];

static CHECK_VER_01: Check = Check::new("ver-01", &[breaks(&VER_01, &[&[Point::Reply]])]);
static CHECK_VER_02: Check = Check::new("ver-02", &[breaks(&VER_02, &[&[Point::Reply]])]);
static CHECK_VER_03: Check = Check::new("ver-03", &[breaks(&VER_03, &[&[Point::Reply]])]);
static CHECK_VER_04: Check =
    Check::new("ver-04", &[breaks(&VER_04, &[&[Point::RequestSent, Point::Reply], &[Point::UnevenLine]])]);
static CHECK_VER_05: Check =
    Check::new("ver-05", &[breaks(&VER_05, &[&[Point::VersionChangeTried], &[Point::SwitchedOff]])]);
static CHECK_HS_01: Check = Check::new("hs-01", &[breaks(&HS_01, &[&[Point::Invited]])]);
static CHECK_HS_02: Check = Check::new("hs-02", &[breaks(&HS_02, &[&[Point::Reply]])]);
static CHECK_HS_03: Check = Check::new("hs-03", &[breaks(&HS_03, &[&[Point::RequestOfNothing]])]);
static CHECK_HS_04: Check = Check::new("hs-04", &[breaks(&HS_04, &[&[Point::NegativeJudged]])]);
static CHECK_HS_05: Check = Check::new("hs-05", &[breaks(&HS_05, &[&[Point::BareJudged]])]);
static CHECK_HS_06: Check = Check::new("hs-06", &[breaks(&HS_06, &[&[Point::TooOld]])]);
static CHECK_HS_07: Check = Check::new("hs-07", &[breaks(&HS_07, &[&[Point::PlainClient], &[Point::PlainServer]])]);
static CHECK_HS_08: Check = Check::new("hs-08", &[breaks(&HS_08, &[&[Point::Untold]])]);
static CHECK_HS_09: Check = Check::new("hs-09", &[breaks(&HS_09, &[&[Point::RequestInGame]])]);
static CHECK_CLC_01: Check = Check::new("clc-01", &[breaks(&CLC_01, &[&[Point::FineMove], &[Point::PlainMove]])]);
static CHECK_CLC_02: Check = Check::new("clc-02", &[breaks(&CLC_02, &[&[Point::MoveRead]])]);
static CHECK_TAB_01: Check = Check::new("tab-01", &[breaks(&TAB_01, &[&[Point::Unlisted]])]);
static CHECK_TAB_02: Check = Check::new("tab-02", &[breaks(&TAB_02, &[&[Point::OtherEffect]])]);
static CHECK_TAB_03: Check = Check::new("tab-03", &[breaks(&TAB_03, &[&[Point::BetweenLines]])]);
static CHECK_TAB_04: Check = Check::new("tab-04", &[breaks(&TAB_04, &[&[Point::Followed]])]);
static CHECK_TAB_05: Check = Check::new("tab-05", &[breaks(&TAB_05, &[&[Point::FitOfTwoForms]])]);
static CHECK_TAB_06: Check = Check::new("tab-06", &[breaks(&TAB_06, &[&[Point::Replacing]])]);
static CHECK_TAB_07: Check = Check::new("tab-07", &[breaks(&TAB_07, &[&[Point::LowestVersion]])]);
static CHECK_TAB_08: Check = Check::new("tab-08", &[breaks(&TAB_08, &[&[Point::LowestVersion]])]);
static CHECK_TAB_09: Check = Check::new("tab-09", &[breaks(&TAB_09, &[&[Point::LeftOut]])]);
static CHECK_SEL_01: Check = Check::new("sel-01", &[breaks(&SEL_01, &[&[Point::ListedAtZero]])]);
static CHECK_SEL_02: Check = Check::new("sel-02", &[breaks(&SEL_02, &[&[Point::OtherEffectListed]])]);
static CHECK_SEL_03: Check = Check::new("sel-03", &[breaks(&SEL_03, &[&[Point::SameNumber]])]);
static CHECK_SEL_04: Check = Check::new("sel-04", &[breaks(&SEL_04, &[&[Point::ServerAtLine]])]);
static CHECK_SEL_05: Check = Check::new("sel-05", &[breaks(&SEL_05, &[&[Point::ClientAtLine]])]);
static CHECK_WR_01: Check = Check::new("wr-01", &[breaks(&WR_01, &[&[Point::TwoListed]])]);
static CHECK_WR_02: Check = Check::new("wr-02", &[breaks(&WR_02, &[&[Point::ListedToAll]])]);
static CHECK_WR_03: Check = Check::new("wr-03", &[breaks(&WR_03, &[&[Point::Appended]])]);
static CHECK_WR_04: Check = Check::new("wr-04", &[breaks(&WR_04, &[&[Point::FrameAnglesAmongOthers]])]);
static CHECK_WR_05: Check = Check::new("wr-05", &[breaks(&WR_05, &[&[Point::OneAmongOthers]])]);
static CHECK_WR_06: Check = Check::new("wr-06", &[breaks(&WR_06, &[&[Point::LateJoiner]])]);
static CHECK_WR_07: Check = Check::new("wr-07", &[breaks(&WR_07, &[&[Point::Followed]])]);
static CHECK_DES_01: Check = Check::new("des-01", &[breaks(&DES_01, &[&[Point::UnlistedAtPlain]])]);
static CHECK_DES_02: Check = Check::new("des-02", &[breaks(&DES_02, &[&[Point::ManyLines]])]);
static CHECK_DES_03: Check = Check::new("des-03", &[breaks(&DES_03, &[&[Point::Mixed]])]);
static CHECK_QC_01: Check = Check::new("qc-01", &[breaks(&QC_01, &[&[Point::Prepared]])]);
static CHECK_QC_02: Check = Check::new("qc-02", &[breaks(&QC_02, &[&[Point::WorldShown]])]);
static CHECK_QC_03: Check = Check::new("qc-03", &[breaks(&QC_03, &[&[Point::Written]])]);
static CHECK_BUF_01: Check = Check::new("buf-01", &[breaks(&BUF_01, &[&[Point::ReliableLost]])]);
static CHECK_BUF_02: Check = Check::new("buf-02", &[breaks(&BUF_02, &[&[Point::BroadcastLost]])]);
static CHECK_BUF_03: Check = Check::new("buf-03", &[breaks(&BUF_03, &[&[Point::Flood]])]);
static CHECK_BUF_04: Check = Check::new("buf-04", &[breaks(&BUF_04, &[&[Point::Flood, Point::FitShown]])]);
static CHECK_BUF_05: Check = Check::new("buf-05", &[breaks(&BUF_05, &[&[Point::ExactFit]])]);
static CHECK_BUF_06: Check = Check::new("buf-06", &[breaks(&BUF_06, &[&[Point::DatagramFull]])]);
static CHECK_BUF_07: Check = Check::new("buf-07", &[breaks(&BUF_07, &[&[Point::OneFull]])]);
static CHECK_BUF_08: Check = Check::new("buf-08", &[breaks(&BUF_08, &[&[Point::Named]])]);
static CHECK_BUF_09: Check = Check::new("buf-09", &[breaks(&BUF_09, &[&[Point::FrameAfterBroadcast]])]);
static CHECK_BUF_10: Check = Check::new("buf-10", &[breaks(&BUF_10, &[&[Point::PlainAll]])]);
static CHECK_BUF_11: Check = Check::new("buf-11", &[breaks(&BUF_11, &[&[Point::Named]])]);
static CHECK_ORD_01: Check = Check::new("ord-01", &[breaks(&ORD_01, &[&[Point::TwoOfClass]])]);
static CHECK_ORD_02: Check = Check::new("ord-02", &[breaks(&ORD_02, &[&[Point::Ordered]])]);
static CHECK_SIG_01: Check = Check::new("sig-01", &[breaks(&SIG_01, &[&[Point::SignedOn]])]);
static CHECK_SIG_02: Check = Check::new("sig-02", &[breaks(&SIG_02, &[&[Point::OldFormDelivered]])]);
static CHECK_SIG_03: Check = Check::new("sig-03", &[breaks(&SIG_03, &[&[Point::InitListed]])]);
static CHECK_SIG_04: Check = Check::new("sig-04", &[breaks(&SIG_04, &[&[Point::InWindow]])]);
static CHECK_SIG_05: Check = Check::new("sig-05", &[breaks(&SIG_05, &[&[Point::TwoImages]])]);
static CHECK_REQ_01: Check = Check::new("req-01", &[breaks(&REQ_01, &[&[Point::InNewLevel]])]);
static CHECK_CL_01: Check = Check::new("cl-01", &[breaks(&CL_01, &[&[Point::ListedRead]])]);
static CHECK_T1_01: Check = Check::new("t1-01", &[breaks(&T1_01, &[&[Point::FineAngles]])]);
static CHECK_T1_02: Check = Check::new("t1-02", &[breaks(&T1_02, &[&[Point::FineAnglesRead]])]);
static CHECK_T1_03: Check = Check::new("t1-03", &[breaks(&T1_03, &[&[Point::SpawnAngles, Point::FrameAngles]])]);
static CHECK_T2_01: Check = Check::new("t2-01", &[breaks(&T2_01, &[&[Point::Particles]])]);
static CHECK_T3_01: Check = Check::new("t3-01", &[breaks(&T3_01, &[&[Point::ExplosionAtZero]])]);
static CHECK_T3_02: Check = Check::new("t3-02", &[breaks(&T3_02, &[&[Point::Explosion]])]);
static CHECK_T3_03: Check = Check::new("t3-03", &[breaks(&T3_03, &[&[Point::ExplosionRead]])]);
