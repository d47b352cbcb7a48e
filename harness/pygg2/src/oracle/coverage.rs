//! Which requirements the situations of a run put to the test.

use super::situation::Situation;
use crate::requirements::*;
use kit::Requirement;
use kit::report::TestedBy;

use Situation::*;

/// For each requirement that a run can put to the test, what it must show for that; all of it.
pub static TESTED_BY: &TestedBy<Situation> = &[
    (&TYPE_01, &[NegativeStat]),
    (&TYPE_02, &[LargeNumber]),
    (&SNAP_01, &[SecondSnapshot]),
    (&SNAP_02, &[SecondSnapshot]),
    (&SNAP_03, &[Body]),
    (&SNAP_04, &[DeadPlayer]),
    (&BASE_01, &[Body, LargeNumber]),
    (&BASE_02, &[Keys]),
    (&BASE_02, &[KeysSent]),
    (&BASE_03, &[Body]),
    (&BASE_03, &[Update]),
    (&BASE_04, &[NegativeSpeed]),
    (&EVT_01, &[GameEvent]),
    (&EVT_02, &[OtherAcked]),
    (&EVT_03, &[SeveralRepeated]),
    (&EVT_04, &[EventsAndSnapshot]),
    (&EVT_05, &[AckBetweenEvents]),
    (&EVT_06, &[RepeatedLong]),
    (&EVT_07, &[RepeatDelivered]),
    (&EVT_08, &[BothDelivered]),
    (&EVT_09, &[ClientEvent, ClientRepeatDelivered]),
    (&EVT_10, &[ThreeClients]),
    (&ACK_01, &[Update, SecondSnapshot]),
    (&ACK_02, &[Update, SecondSnapshot]),
    (&ACK_03, &[LateDelivered]),
    (&ACK_04, &[BaseMissing]),
    (&ACK_05, &[ManyAcked]),
    (&ACK_06, &[Update, SecondSnapshot]),
    (&ACK_07, &[BogusAck]),
    (&ACK_08, &[ServerSilent]),
    (&DLT_01, &[Delta, Body]),
    (&DLT_02, &[Delta, Body]),
    (&DLT_03, &[DeltaAfterLoss]),
    (&DLT_04, &[OlderBase]),
    (&DLT_05, &[AcksAway]),
    (&DLT_06, &[Absolute]),
    (&DLT_07, &[BaseMissing]),
    (&DLT_08, &[LengthsDiffer]),
    (&DLT_09, &[DeltaWithEvents]),
    (&DLT_10, &[EventPacketAcked]),
    (&SEQ_01, &[SecondSnapshot, Update]),
    (&SEQ_02, &[Wrapped]),
    (&SEQ_02, &[ClientWrapped]),
    (&SEQ_03, &[LateDelivered]),
    (&SEQ_03, &[LateClientDelivered]),
    (&SEQ_04, &[Delta, Update]),
    (&SEQ_05, &[SecondClient]),
    (&HS_01, &[HelloSent]),
    (&HS_02, &[HelloUnanswered]),
    (&HS_03, &[WrongPassword]),
    (&HS_04, &[FullServer]),
    (&HS_05, &[WrongAndFull]),
    (&HS_06, &[HiSent]),
    (&HS_07, &[HiSent, CompleteSent]),
    (&HS_08, &[HiRepeated]),
    (&HS_09, &[HelloRepeated]),
    (&HS_10, &[RefusalDelivered]),
    (&FULL_01, &[CompleteSent]),
    (&FULL_02, &[CompleteSent]),
    (&FULL_03, &[CompleteWithLiving]),
    (&FULL_04, &[CompleteWithSentry]),
    (&FULL_05, &[CompleteSent]),
    (&FULL_06, &[CompleteAfterLeft]),
    (&ROB_01, &[UnreadableDelivered]),
    (&ROB_01, &[UnreadableClientDelivered]),
    (&ROB_02, &[StrayDelivered]),
    (&ROB_04, &[Overflow]),
    (&CLS_01, &[Extras]),
    (&CLS_02, &[ClassFields]),
];

/// Whether a run can put `requirement` to the test.
pub fn checks(requirement: &Requirement) -> bool {
    TESTED_BY.iter().any(|row| row.0.id == requirement.id)
}
