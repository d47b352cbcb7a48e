//! What conforming variants never do, so that no run with them shows it.

use crate::oracle::coverage::Point;
use crate::state::{UF_EXTEND4, UF_FRAME};
use kit::Forgone;

/// What a server never shows that does not echo replacement deltas.
pub(super) const DELTAS: Forgone = Forgone::new(
    "never agrees upon replacement deltas",
    &[
        Point::FloatCoordsWithDeltas,
        Point::DeltasAlone,
        Point::DeltaSession,
        Point::ExtensionsChanged,
        Point::SpawnStatic2Deltas,
        Point::ObsoleteDeltas,
        Point::StaticEntity,
        Point::StaticCompared,
        Point::StatResent,
        Point::StatsInSecondMap,
        Point::LostStat,
        Point::LostStatBeforeReset,
        Point::WeaponFrameStat,
        Point::MoveEchoed,
        Point::MoveOutOfOrder,
        Point::InputSkipped,
        Point::Baseline,
        Point::ClientCompared,
        Point::ClientWithoutState,
    ],
)
.sections(&[
    (Point::BigView, Point::OldFrameCompared),
    (Point::Frame, Point::PlainDelta),
    (Point::TwoFlagBytes, Point::ViewAngles),
    (Point::FullFrame, Point::GapOverOldRemove),
    (Point::Loss, Point::ResentAfterChange),
    (Point::FutureAck, Point::SeveralFramesSinceSend),
    (Point::StaleFrame, Point::SplitSnapshotDelivered),
    (Point::UnmentionedEntity, Point::ManyInFlight),
    (Point::carried(UF_FRAME), Point::carried(UF_EXTEND4)),
]);

/// What a server never shows that does not echo PREDINFO.
pub(super) const PREDICTION: Forgone = Forgone::new(
    "never agrees upon prediction info",
    &[Point::ViewAngles, Point::WeaponFrameStat, Point::MoveEchoed, Point::MoveOutOfOrder],
);

/// What it never shows on NetQuake, where statistics are part of frames with PREDINFO alone.
pub(super) const STATISTICS_IN_FRAMES: Forgone = Forgone::new(
    "never agrees upon prediction info",
    &[
        Point::NetQuakePredInfoFrame,
        Point::LostStat,
        Point::StatResent,
        Point::StatsInSecondMap,
        Point::LostStatBeforeReset,
    ],
)
.in_profiles(&["fte-nq"]);

/// What a server never shows that rejects clients without replacement deltas or PREDINFO.
pub(super) const PLAIN_CLIENTS: Forgone = Forgone::new(
    "rejects clients that lack replacement deltas or prediction info",
    &[
        Point::PlainSession,
        Point::DeltasAlone,
        Point::BigNumberPlain,
        Point::BigNumberPlainNoted,
        Point::LongWeaponFrame,
        Point::LargePlainStat,
    ],
);

/// What such a server never shows on QuakeWorld: the scenarios with late acknowledgements there have plain clients.
pub(super) const PLAIN_CLIENTS_OF_QUAKEWORLD: Forgone =
    Forgone::new("rejects clients that lack replacement deltas or prediction info", &[Point::OldAckInNewMap])
        .in_profiles(&["fte-qw"]);

/// What a server never shows whose frames all have entries.
pub(super) const EMPTY_FRAMES: Forgone = Forgone::new(
    "sends no empty frame, in which a scenario has an undefined flag raised",
    &[Point::UndefinedFlagDelivered],
);

/// What a server never shows that resets an entity with every update.
pub(super) const PLAIN_UPDATES: Forgone = Forgone::new(
    "sends no update without RESET",
    &[
        Point::PlainDelta,
        Point::ChangedToZero,
        Point::LostDelta,
        Point::LostPredInfo,
        Point::ResentAfterChange,
        Point::DeltaDelivered,
        Point::DeltaAfterLoss,
        Point::UnknownDeltaDelivered,
        Point::PredInfoDelivered,
    ],
);

/// What it never shows on QuakeWorld, where no frame of the map before comes late.
pub(super) const PLAIN_UPDATES_OF_A_MAP: Forgone =
    Forgone::new("sends no update without RESET", &[Point::OldFrameCompared]).in_profiles(&["fte-qw"]);

/// What a server never shows that sends every field with every update.
pub(super) const FIELDS_LEFT_OUT: Forgone = Forgone::new(
    "sends every field with every update",
    &[Point::ZeroFlagByteDelivered, Point::LossOfManyEntries, Point::BaselineShrankDelivered],
);

/// What a server never shows whose RESET relies on no baseline.
pub(super) const BASELINES_IN_RESETS: Forgone =
    Forgone::new("sends every field with a RESET", &[Point::BaselineShrankDelivered]);

/// What a server never shows that writes small values in wide forms.
pub(super) const SHORT_FORMS: Forgone =
    Forgone::new("writes small values in their wide forms", &[Point::Frame8, Point::Effects8, Point::EffectsShrank]);

/// What a server never shows that has a datagram for every eight entries.
pub(super) const FULL_OF_REMOVES: Forgone =
    Forgone::new("sends another datagram before one is full of removes", &[Point::RemoveWhenFull])
        .in_profiles(&["fte-nq"]);

/// What the other end never shows to a client that acknowledges a frame per packet.
pub(super) const ACKS_TOGETHER: Forgone =
    Forgone::new("acknowledges one frame per packet", &[Point::SeveralAcksJudged, Point::ExplicitJudged])
        .in_profiles(&["fte-nq"]);

/// What a client never shows that acknowledges by its packets' header.
pub(super) const EXPLICIT_ACKS: Forgone =
    Forgone::new("acknowledges by the header alone", &[Point::SecondAck, Point::ExplicitJudged])
        .in_profiles(&["fte-qw"]);

/// What a client never shows that answers a remove-all with another request for a reset, nor what is sent to it: what a
/// server repeats was asked for.
pub(super) const ACKED_RESETS: Forgone = Forgone::new(
    "answers a remove-all with another request for a reset",
    &[Point::FrameZeroAcked, Point::SeveralAcksJudged, Point::ExplicitJudged, Point::NewerJudged, Point::ManyInFlight],
);

/// What is never shown to a client that asks for resets now and then: what a server repeats was asked for.
pub(super) const LONG_FLIGHTS: Forgone =
    Forgone::new("asks for a reset in every 40th packet", &[Point::ManyInFlight]).in_profiles(&["fte-qw"]);
