//! Which situations put which requirements to the test.

use super::report::Report;
use super::situation::Situation;
use crate::requirements::*;
use kit::Requirement;

use Situation::*;

/// For each requirement that a run can put to the test, what it must show for that; all of it.
pub static TESTED_BY: &[(&Requirement, &[Situation])] = &[
    (&VER_01, &[Reply]),
    (&VER_02, &[Reply]),
    (&VER_03, &[Reply]),
    (&VER_04, &[RequestSent, Reply]),
    (&VER_04, &[UnevenLine]),
    (&VER_05, &[VersionChangeTried]),
    (&VER_05, &[SwitchedOff]),
    (&HS_01, &[Invited]),
    (&HS_02, &[Reply]),
    (&HS_03, &[RequestOfNothing]),
    (&HS_04, &[NegativeJudged]),
    (&HS_05, &[BareJudged]),
    (&HS_06, &[TooOld]),
    (&HS_07, &[PlainClient]),
    (&HS_07, &[PlainServer]),
    (&HS_08, &[Untold]),
    (&HS_09, &[RequestInGame]),
    (&CLC_01, &[FineMove]),
    (&CLC_01, &[PlainMove]),
    (&CLC_02, &[MoveRead]),
    (&TAB_01, &[Unlisted]),
    (&TAB_02, &[OtherEffect]),
    (&TAB_03, &[BetweenLines]),
    (&TAB_04, &[Followed]),
    (&TAB_05, &[FitOfTwoForms]),
    (&TAB_06, &[Replacing]),
    (&TAB_07, &[LowestVersion]),
    (&TAB_08, &[LowestVersion]),
    (&TAB_09, &[LeftOut]),
    (&SEL_01, &[ListedAtZero]),
    (&SEL_02, &[OtherEffectListed]),
    (&SEL_03, &[SameNumber]),
    (&SEL_04, &[ServerAtLine]),
    (&SEL_05, &[ClientAtLine]),
    (&WR_01, &[TwoListed]),
    (&WR_02, &[ListedToAll]),
    (&WR_03, &[Appended]),
    (&WR_04, &[FrameAnglesAmongOthers]),
    (&WR_05, &[OneAmongOthers]),
    (&WR_06, &[LateJoiner]),
    (&WR_07, &[Followed]),
    (&DES_01, &[UnlistedAtPlain]),
    (&DES_02, &[ManyLines]),
    (&DES_03, &[Mixed]),
    (&QC_01, &[Prepared]),
    (&QC_02, &[WorldShown]),
    (&QC_03, &[Written]),
    (&BUF_01, &[ReliableLost]),
    (&BUF_02, &[BroadcastLost]),
    (&BUF_03, &[Flood]),
    (&BUF_04, &[Flood, FitShown]),
    (&BUF_05, &[ExactFit]),
    (&BUF_06, &[DatagramFull]),
    (&BUF_07, &[OneFull]),
    (&BUF_08, &[Named]),
    (&BUF_09, &[FrameAfterBroadcast]),
    (&BUF_10, &[PlainAll]),
    (&BUF_11, &[Named]),
    (&ORD_01, &[TwoOfClass]),
    (&ORD_02, &[Ordered]),
    (&SIG_01, &[SignedOn]),
    (&SIG_02, &[OldFormDelivered]),
    (&SIG_03, &[InitListed]),
    (&SIG_04, &[InWindow]),
    (&SIG_05, &[TwoImages]),
    (&REQ_01, &[InNewLevel]),
    (&CL_01, &[ListedRead]),
    (&T1_01, &[FineAngles]),
    (&T1_02, &[FineAnglesRead]),
    (&T1_03, &[SpawnAngles, FrameAngles]),
    (&T2_01, &[Particles]),
    (&T3_01, &[ExplosionAtZero]),
    (&T3_02, &[Explosion]),
    (&T3_03, &[ExplosionRead]),
];

/// Whether the oracle checks a requirement.
pub fn checks(requirement: &Requirement) -> bool {
    TESTED_BY.iter().any(|row| row.0.id == requirement.id)
}

/// The requirements that a run put to the test, in catalogue order.
pub fn exercised(report: &Report) -> Vec<&'static Requirement> {
    kit::put_to_the_test(REQUIREMENTS, TESTED_BY, |situation| report.has_seen(situation))
}
