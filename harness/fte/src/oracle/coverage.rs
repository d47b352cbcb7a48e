//! What a run can show.

use crate::state::*;
use kit::CoveragePoint;
pub use kit::Report;
use kit::named::{count, joined};

/// Requirements that a failure can mean, each with the rows of points that it needs; none where another check covers it.
macro_rules! rows {
    ($($requirement:ident $([$($point:ident)+])*),+) => {
        &[$(kit::breaks(&$requirement, &[$(&[$($crate::oracle::coverage::Point::$point),+]),*])),+]
    };
}

/// Declares checks, each with its name, what it has to know beside the wire, and its [`rows`], perhaps beside those of a
/// table; and `CHECKS`, the list of them.
macro_rules! checks {
    ($($name:ident = $text:literal $(knows $($knows:ident)+)? $(, $table:ident and)?:
       $($requirement:ident $([$($point:ident)+])*),+;)+) => {
        $(static $name: kit::Check = kit::Check::new($text, {
            const OWN: &[kit::Breaks] = $crate::oracle::coverage::rows![$($requirement $([$($point)+])*),+];
            const TABLES: &[&[kit::Breaks]] = &[OWN $(, $table)?];
            const COUNT: usize = kit::named::count(TABLES);
            &const { kit::named::joined::<kit::Breaks, COUNT>(TABLES) }
        })$(.knows(&[$(kit::Knows::$knows),+]))?;)+

        /// The checks made here.
        pub const CHECKS: &[&kit::Check] = &[$(&$name),+];
    };
}
pub(super) use {checks, rows};

kit::coverage_points! {
    // Establishment.
    ChallengeAsked, ChallengeSent, ConnectSent, ConnectWithExtensions,
    /// QuakeWorld: the server received a good connect.
    ConnectDelivered,
    // NetQuake: `cmd pext` was sent, and delivered; it was answered with pairs, and with a quoted value.
    PextAsked, PextDelivered, PextAnswered, PextQuoted,
    /// The client asked for more than the server supports.
    AskedTooMuch,
    /// Extension data was removed on the way.
    Stripped,
    FloatCoordsRefused, FloatCoords, FloatCoordsWithDeltas,
    /// Replacement deltas were agreed upon without float coords.
    DeltasAlone,
    // A session began: without replacement deltas, and with them.
    PlainSession, DeltaSession,
    /// QuakeWorld: a list was sent to a client without the extension.
    ListsAsked,
    /// A second map began with other extensions.
    ExtensionsChanged,
    /// A session with a protocol that nobody knows was delivered.
    StrangeProtocol,
    // Replacement deltas were agreed upon together with PEXT_SPAWNSTATIC2, and with others that they make obsolete.
    SpawnStatic2Deltas, ObsoleteDeltas,

    /// QuakeWorld: the server sent something of a session, or had to, long after it had received from the client at another port.
    NewPort,

    // A client is in the game, as delivered; as the server received it.
    ClientPlays, ServerPlays,

    // Announcements, as sent; `Noted`: and noted by the client.
    Baseline,
    /// A baseline was announced for a number from 32768.
    BigBaseline,
    StaticEntity,
    /// The client was compared after a static entity was delivered.
    StaticCompared,
    /// An entity number from 32768 was sent without replacement deltas.
    BigNumberPlain,
    BigNumberPlainNoted,
    // The same with them: the server was to announce a view, a beam, a sound; the client noted one.
    BigView, BigBeam, BigSound, BigNumberNoted,
    /// NetQuake: the server was to play a sound whose number needs two bytes.
    WideSoundAsked,
    SoundSent, SoundNoted, CsqcGoneSent, CsqcGoneNoted,

    /// NetQuake: the client was compared after a late frame of the map before.
    OldFrameCompared,

    // Entity frames, as sent.
    Frame, FirstFrame, QuakeWorldFrame, NetQuakeFrame, NetQuakePredInfoFrame, SeveralEntries, RemoveAmongOthers,
    RemoveAllWithEntries, Remove,
    /// An entity was removed while changes of it were pending.
    RemovedWhilePending,
    /// Entities known were sent again after a remove-all.
    ResentAfterRemoveAll,
    NewEntity,
    /// A new entity was sent that had been there before.
    Returned,
    /// A new entity was sent for the second time.
    SecondUpdate,
    /// A RESET left fields to the baseline and carried others.
    ResetWithFields,
    /// Another entity took a known number between two frames.
    Reborn,
    /// An update left known fields out.
    PlainDelta,

    // The coding of updates.
    TwoFlagBytes, ThreeFlagBytes, FourFlagBytes, ManyFields,
    /// A number from 16384 was updated.
    ExtendedNumber,
    /// A number from 65536 was updated.
    HugeNumber,
    // An attachment to an entity below 32768, from 16384, from 32768.
    SmallTag, MiddleTag, BigTag,
    Frame8, Frame16,
    /// A value at the edge of a width.
    Boundary,
    /// A change of x or y alone.
    OneOfXY,
    AnglesWithPredInfo, Effects8, Effects16, Effects32, EffectsShrank,
    // 16BIT with a field that alone would not need it; a field that it would widen, without it.
    WideForAnother, Narrow,
    NegativeSkin, DirectColours, AbsLight, NoAbsLight, Model2Narrow, Model2Wide,
    /// A field changed to zero.
    ChangedToZero,
    Velocity, LongWeaponFrame, ViewAngles,

    // What had to wait for room in a full frame.
    FullFrame, PendingWhenFull, NewWhenFull, RemoveWhenFull, StatsWhenFull,
    /// The rate limit left a tick out while something was pending.
    Choked,
    /// A datagram without a frame has the place in a history of 64 frames that a remove had, of an entity that is back.
    GapOverOldRemove,

    // Statistics, as sent.
    StatResent, FloatStat, ByteStat, LongStat, WeaponFrameStat, ClientdataStat,
    /// NetQuake, without PREDINFO: a statistic above 255 or below 0.
    LargePlainStat,
    /// Statistics were not zero when frames of a second map had room for them.
    StatsInSecondMap,

    // Moves.
    MoveEchoed, MoveOnPlainProtocol, MoveWrapped, MoveOutOfOrder,
    /// QuakeWorld: packets of the client were lost before one that was answered with a frame.
    InputSkipped,

    // What the server knows to be lost: any frame, after so many others, beside others, with so much in it.
    Loss, LossAfterMany, LossOfSibling, LossAfterGap, LossOfManyEntries, LossKnownByHeader,
    // The newest carrier of a field, of movetype or weaponframe, of an entity's RESET, of a remove.
    LostDelta, LostPredInfo, LostReset, LostRemove,
    /// A remove was lost of an entity that is back.
    LostRemoveOfLiving,
    /// An update was lost of an entity that is gone.
    LostUpdateOfDead,
    LostRemoveAll,
    /// What repeated something lost was lost itself.
    LostRepair,
    LostStat,
    /// A statistic was lost that was sent before the server was asked for a reset.
    LostStatBeforeReset,
    /// What was lost was sent again, changed.
    ResentAfterChange,

    // Acknowledgements that the server receives.
    ResetAsked, FutureAck, StaleAck, FrameZeroAcked, OldAckInNewMap,
    // And those that a client sends.
    AckSent, SecondAck, AckAfterLoss,
    /// A client had to acknowledge what it had received, and must have had time for it.
    AckDue,
    /// QuakeWorld: several frames came between two packets.
    SeveralFramesSinceSend,

    // What is delivered to a client.
    StaleFrame, LongIndexDelivered, ZeroFlagByteDelivered, UndefinedFlagDelivered, DeltaDelivered, DeltaAfterLoss,
    UnknownDeltaDelivered,
    /// A known entity was reset, and that changed it.
    ResetDelivered,
    ResetOnBaselineDelivered,
    /// A RESET relied on a field that its baseline leaves out, and that of the map before had.
    BaselineShrankDelivered,
    ReturnDelivered, RemoveDelivered, UnknownRemoveDelivered,
    /// A remove-all was delivered to a client with entities.
    RemoveAllDelivered,
    PredInfoDelivered, SplitSnapshotDelivered, StatDelivered,
    ClientCompared, ClientWithoutState,
    /// A frame left a known entity out.
    UnmentionedEntity,

    // Without losses: some frames were acknowledged alone, some together; explicitly and by the header.
    SeveralAcksJudged, ExplicitJudged,
    /// Nothing was lost while entries were on their way, with and without news of the client.
    NewerJudged,
    /// Nothing was lost, and more frames were in flight than half of the specification's history.
    ManyInFlight,
    /// The run ended with a quiescent phase, long enough to converge.
    Quiescent,
}

#[allow(non_upper_case_globals, reason = "a point reads like the variant of an enumeration")]
impl Point {
    pub const OriginXY: CoveragePoint = Point::carried(UF_ORIGINXY);
    pub const OriginZ: CoveragePoint = Point::carried(UF_ORIGINZ);
    pub const AnglesXZ: CoveragePoint = Point::carried(UF_ANGLESXZ);
    pub const AnglesY: CoveragePoint = Point::carried(UF_ANGLESY);
    pub const Model: CoveragePoint = Point::carried(UF_MODEL);
    pub const Glow: CoveragePoint = Point::carried(UF_GLOW);
    pub const Wide: CoveragePoint = Point::carried(UF_16BIT);

    /// An update with this UF flag was sent: the points after those declared above, by the bits of the flags.
    pub const fn carried(flag: u64) -> CoveragePoint {
        CoveragePoint(Point::NAMES.len() as u8 + flag.trailing_zeros() as u8)
    }
}

const ALL: &[&[&str]] = &[Point::NAMES, &UF_NAMES];

/// The names of all points, by number.
pub const POINTS: &[&str] = &joined::<&str, { count(ALL) }>(ALL);
