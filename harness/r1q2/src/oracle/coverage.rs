//! Which situations put which requirements to the test.

use super::situation::Situation;
use crate::requirements::*;
use kit::Requirement;
use kit::report::TestedBy;

use Situation::*;

/// For each requirement that a run can put to the test, what it must show for that: all of one row.
pub static TESTED_BY: &TestedBy<Situation> = &[
    (&QPORT_01, &[NumberedDatagram]),
    (&QPORT_02, &[NumberedAnswered]),
    (&QPORT_03, &[UnnumberedDatagram]),
    (&QPORT_04, &[UnnumberedAnswered]),
    (&QPORT_05, &[Rebound]),
    (&QPORT_06, &[TwoUnnumbered]),
    (&QPORT_08, &[ConnectR1q2, NumberedDatagram]),
    (&ZPKT_01, &[Zpacket]),
    (&ZPKT_02, &[Zpacket]),
    (&ZPKT_03, &[ZpacketHeard]),
    (&ZPKT_03, &[FrameInZpacket]),
    (&ZPKT_04, &[BehindZpacket]),
    (&ZPKT_05, &[BehindZpacket]),
    (&ZPKT_06, &[MalformedHeard]),
    (&ZPKT_07, &[NestedHeard]),
    (&ZPKT_08, &[ServicesOriginal]),
    (&ZPKT_09, &[Zpacket]),
    (&ZDL_01, &[ZDownload]),
    (&ZDL_02, &[FileHeard]),
    (&ZDL_03, &[ZDownloadHeard]),
    (&ZDL_04, &[MixedFileHeard]),
    (&ZDL_05, &[Refused]),
    (&CMD_01, &[UpperBits]),
    (&CMD_02, &[ServicesR1q2]),
    (&CMD_03, &[MessageEnded]),
    (&CMD_04, &[StrayBitHeard]),
    (&FRM_01, &[FrameR1q2]),
    (&FRM_02, &[NoDeltaAnswered]),
    (&FRM_03, &[FrameShownR1q2, OlderBaseShown]),
    (&FRM_04, &[DeltaFrame, FrameR1q2]),
    (&FRM_05, &[HeldBack]),
    (&FRM_06, &[HeldBack]),
    (&FRM_07, &[UpperBits, FrameShownR1q2]),
    (&FRM_08, &[FrameR1q2]),
    (&FRM_09, &[FrameR1q2]),
    (&FRM_10, &[FrameR1q2]),
    (&PS_01, &[WeaponMoved]),
    (&PS_02, &[HeightAlone]),
    (&PS_03, &[FallAlone]),
    (&PS_04, &[Roll]),
    (&PS_05, &[WeaponMoved]),
    (&PS_06, &[Statistics, StatisticsStay]),
    (&PS_07, &[SplitOriginal]),
    (&PS_08, &[SplitTogether]),
    (&PS_09, &[FullFrameShown]),
    (&ENT_01, &[MovedR1q2]),
    (&ENT_02, &[BeamRests]),
    (&ENT_03, &[MovedOriginal]),
    (&ENT_04, &[BeamSent]),
    (&ENT_05, &[BecameBeam]),
    (&SD_01, &[ServerDataR1q2]),
    (&SD_02, &[Enhanced]),
    (&SD_03, &[OtherRevision]),
    (&SD_04, &[FellBack]),
    (&SD_05, &[ServerDataOriginal]),
    (&LEN_01, &[LongDatagram]),
    (&LEN_02, &[ServicesOriginal]),
    (&LEN_03, &[ServicesR1q2]),
    (&LEN_04, &[ConnectWithDefault]),
    (&LEN_05, &[ConnectWithZero]),
    (&CON_01, &[ConnectR1q2]),
    (&CON_02, &[ConnectOriginal]),
    (&CON_03, &[ConnectWithoutLength]),
    (&MOV_01, &[SpectatorR1q2]),
    (&MOV_02, &[SpectatorR1q2, SpectatorOriginal]),
    (&MOV_03, &[Predicted]),
    (&GEN_02, &[Session]),
];

/// Whether the oracle checks a requirement.
pub fn checks(requirement: &Requirement) -> bool {
    TESTED_BY.iter().any(|row| row.0.id == requirement.id)
}
