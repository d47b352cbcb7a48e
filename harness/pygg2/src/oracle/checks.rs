//! What the oracle checks.

use super::coverage::Point;
use crate::requirements::*;
use kit::{Check, breaks};

/// The checks, in catalogue order.
pub static CHECKS: &[&Check] = &[
    &CHECK_TYPE_01,
    &CHECK_TYPE_02,
    &CHECK_SNAP_01,
    &CHECK_SNAP_02,
    &CHECK_SNAP_03,
    &CHECK_SNAP_04,
    &CHECK_BASE_01,
    &CHECK_BASE_02,
    &CHECK_BASE_03,
    &CHECK_BASE_04,
    &CHECK_EVT_01,
    &CHECK_EVT_02,
    &CHECK_EVT_03,
    &CHECK_EVT_04,
    &CHECK_EVT_05,
    &CHECK_EVT_06,
    &CHECK_EVT_07,
    &CHECK_EVT_08,
    &CHECK_EVT_09,
    &CHECK_EVT_10,
    &CHECK_ACK_01,
    &CHECK_ACK_02,
    &CHECK_ACK_03,
    &CHECK_ACK_04,
    &CHECK_ACK_05,
    &CHECK_ACK_06,
    &CHECK_ACK_07,
    &CHECK_ACK_08,
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
    &CHECK_SEQ_01,
    &CHECK_SEQ_02,
    &CHECK_SEQ_03,
    &CHECK_SEQ_04,
    &CHECK_SEQ_05,
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
    &CHECK_FULL_01,
    &CHECK_FULL_02,
    &CHECK_FULL_03,
    &CHECK_FULL_04,
    &CHECK_FULL_05,
    &CHECK_FULL_06,
    &CHECK_ROB_01,
    &CHECK_ROB_02,
    &CHECK_ROB_04,
    &CHECK_CLS_01,
    &CHECK_CLS_02,
];

static CHECK_TYPE_01: Check = Check::new("type-01", &[breaks(&TYPE_01, &[&[Point::NegativeStat]])]);
static CHECK_TYPE_02: Check = Check::new("type-02", &[breaks(&TYPE_02, &[&[Point::LargeNumber]])]);
static CHECK_SNAP_01: Check = Check::new("snap-01", &[breaks(&SNAP_01, &[&[Point::SecondSnapshot]])]);
static CHECK_SNAP_02: Check = Check::new("snap-02", &[breaks(&SNAP_02, &[&[Point::SecondSnapshot]])]);
static CHECK_SNAP_03: Check = Check::new("snap-03", &[breaks(&SNAP_03, &[&[Point::Body]])]);
static CHECK_SNAP_04: Check = Check::new("snap-04", &[breaks(&SNAP_04, &[&[Point::DeadPlayer]])]);
static CHECK_BASE_01: Check = Check::new("base-01", &[breaks(&BASE_01, &[&[Point::Body, Point::LargeNumber]])]);
static CHECK_BASE_02: Check = Check::new("base-02", &[breaks(&BASE_02, &[&[Point::Keys], &[Point::KeysSent]])]);
static CHECK_BASE_03: Check = Check::new("base-03", &[breaks(&BASE_03, &[&[Point::Body], &[Point::Update]])]);
static CHECK_BASE_04: Check = Check::new("base-04", &[breaks(&BASE_04, &[&[Point::NegativeSpeed]])]);
static CHECK_EVT_01: Check = Check::new("evt-01", &[breaks(&EVT_01, &[&[Point::GameEvent]])]);
static CHECK_EVT_02: Check = Check::new("evt-02", &[breaks(&EVT_02, &[&[Point::OtherAcked]])]);
static CHECK_EVT_03: Check = Check::new("evt-03", &[breaks(&EVT_03, &[&[Point::SeveralRepeated]])]);
static CHECK_EVT_04: Check = Check::new("evt-04", &[breaks(&EVT_04, &[&[Point::EventsAndSnapshot]])]);
static CHECK_EVT_05: Check = Check::new("evt-05", &[breaks(&EVT_05, &[&[Point::AckBetweenEvents]])]);
static CHECK_EVT_06: Check = Check::new("evt-06", &[breaks(&EVT_06, &[&[Point::RepeatedLong]])]);
static CHECK_EVT_07: Check = Check::new("evt-07", &[breaks(&EVT_07, &[&[Point::RepeatDelivered]])]);
static CHECK_EVT_08: Check = Check::new("evt-08", &[breaks(&EVT_08, &[&[Point::BothDelivered]])]);
static CHECK_EVT_09: Check =
    Check::new("evt-09", &[breaks(&EVT_09, &[&[Point::ClientEvent, Point::ClientRepeatDelivered]])]);
static CHECK_EVT_10: Check = Check::new("evt-10", &[breaks(&EVT_10, &[&[Point::ThreeClients]])]);
static CHECK_ACK_01: Check = Check::new("ack-01", &[breaks(&ACK_01, &[&[Point::Update, Point::SecondSnapshot]])]);
static CHECK_ACK_02: Check = Check::new("ack-02", &[breaks(&ACK_02, &[&[Point::Update, Point::SecondSnapshot]])]);
static CHECK_ACK_03: Check = Check::new("ack-03", &[breaks(&ACK_03, &[&[Point::LateDelivered]])]);
static CHECK_ACK_04: Check = Check::new("ack-04", &[breaks(&ACK_04, &[&[Point::BaseMissing]])]);
static CHECK_ACK_05: Check = Check::new("ack-05", &[breaks(&ACK_05, &[&[Point::ManyAcked]])]);
static CHECK_ACK_06: Check = Check::new("ack-06", &[breaks(&ACK_06, &[&[Point::Update, Point::SecondSnapshot]])]);
static CHECK_ACK_07: Check = Check::new("ack-07", &[breaks(&ACK_07, &[&[Point::BogusAck]])]);
static CHECK_ACK_08: Check = Check::new("ack-08", &[breaks(&ACK_08, &[&[Point::ServerSilent]])]);
static CHECK_DLT_01: Check = Check::new("dlt-01", &[breaks(&DLT_01, &[&[Point::Delta, Point::Body]])]);
static CHECK_DLT_02: Check = Check::new("dlt-02", &[breaks(&DLT_02, &[&[Point::Delta, Point::Body]])]);
static CHECK_DLT_03: Check = Check::new("dlt-03", &[breaks(&DLT_03, &[&[Point::DeltaAfterLoss]])]);
static CHECK_DLT_04: Check = Check::new("dlt-04", &[breaks(&DLT_04, &[&[Point::OlderBase]])]);
static CHECK_DLT_05: Check = Check::new("dlt-05", &[breaks(&DLT_05, &[&[Point::AcksAway]])]);
static CHECK_DLT_06: Check = Check::new("dlt-06", &[breaks(&DLT_06, &[&[Point::Absolute]])]);
static CHECK_DLT_07: Check = Check::new("dlt-07", &[breaks(&DLT_07, &[&[Point::BaseMissing]])]);
static CHECK_DLT_08: Check = Check::new("dlt-08", &[breaks(&DLT_08, &[&[Point::LengthsDiffer]])]);
static CHECK_DLT_09: Check = Check::new("dlt-09", &[breaks(&DLT_09, &[&[Point::DeltaWithEvents]])]);
static CHECK_DLT_10: Check = Check::new("dlt-10", &[breaks(&DLT_10, &[&[Point::EventPacketAcked]])]);
static CHECK_SEQ_01: Check = Check::new("seq-01", &[breaks(&SEQ_01, &[&[Point::SecondSnapshot, Point::Update]])]);
static CHECK_SEQ_02: Check = Check::new("seq-02", &[breaks(&SEQ_02, &[&[Point::Wrapped], &[Point::ClientWrapped]])]);
static CHECK_SEQ_03: Check =
    Check::new("seq-03", &[breaks(&SEQ_03, &[&[Point::LateDelivered], &[Point::LateClientDelivered]])]);
static CHECK_SEQ_04: Check = Check::new("seq-04", &[breaks(&SEQ_04, &[&[Point::Delta, Point::Update]])]);
static CHECK_SEQ_05: Check = Check::new("seq-05", &[breaks(&SEQ_05, &[&[Point::SecondClient]])]);
static CHECK_HS_01: Check = Check::new("hs-01", &[breaks(&HS_01, &[&[Point::HelloSent]])]);
static CHECK_HS_02: Check = Check::new("hs-02", &[breaks(&HS_02, &[&[Point::HelloUnanswered]])]);
static CHECK_HS_03: Check = Check::new("hs-03", &[breaks(&HS_03, &[&[Point::WrongPassword]])]);
static CHECK_HS_04: Check = Check::new("hs-04", &[breaks(&HS_04, &[&[Point::FullServer]])]);
static CHECK_HS_05: Check = Check::new("hs-05", &[breaks(&HS_05, &[&[Point::WrongAndFull]])]);
static CHECK_HS_06: Check = Check::new("hs-06", &[breaks(&HS_06, &[&[Point::HiSent]])]);
static CHECK_HS_07: Check = Check::new("hs-07", &[breaks(&HS_07, &[&[Point::HiSent, Point::CompleteSent]])]);
static CHECK_HS_08: Check = Check::new("hs-08", &[breaks(&HS_08, &[&[Point::HiRepeated]])]);
static CHECK_HS_09: Check = Check::new("hs-09", &[breaks(&HS_09, &[&[Point::HelloRepeated]])]);
static CHECK_HS_10: Check = Check::new("hs-10", &[breaks(&HS_10, &[&[Point::RefusalDelivered]])]);
static CHECK_FULL_01: Check = Check::new("full-01", &[breaks(&FULL_01, &[&[Point::CompleteSent]])]);
static CHECK_FULL_02: Check = Check::new("full-02", &[breaks(&FULL_02, &[&[Point::CompleteSent]])]);
static CHECK_FULL_03: Check = Check::new("full-03", &[breaks(&FULL_03, &[&[Point::CompleteWithLiving]])]);
static CHECK_FULL_04: Check = Check::new("full-04", &[breaks(&FULL_04, &[&[Point::CompleteWithSentry]])]);
static CHECK_FULL_05: Check = Check::new("full-05", &[breaks(&FULL_05, &[&[Point::CompleteSent]])]);
static CHECK_FULL_06: Check = Check::new("full-06", &[breaks(&FULL_06, &[&[Point::CompleteAfterLeft]])]);
static CHECK_ROB_01: Check =
    Check::new("rob-01", &[breaks(&ROB_01, &[&[Point::UnreadableDelivered], &[Point::UnreadableClientDelivered]])]);
static CHECK_ROB_02: Check = Check::new("rob-02", &[breaks(&ROB_02, &[&[Point::StrayDelivered]])]);
static CHECK_ROB_04: Check = Check::new("rob-04", &[breaks(&ROB_04, &[&[Point::Overflow]])]);
static CHECK_CLS_01: Check = Check::new("cls-01", &[breaks(&CLS_01, &[&[Point::Extras]])]);
static CHECK_CLS_02: Check = Check::new("cls-02", &[breaks(&CLS_02, &[&[Point::ClassFields]])]);
