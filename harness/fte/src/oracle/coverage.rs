//! What a run can show.

use super::field::{FIELDS_OF, each, fields_of_update};
use crate::constants::*;
use crate::delta::UF_FIELDS;
use crate::dialect::Dialect;
use crate::state::*;
pub use kit::Report;

/// How many values there are in `tables`.
pub const fn count<T>(tables: &[&[T]]) -> usize {
    let (mut count, mut table) = (0, 0);
    while table < tables.len() {
        (count, table) = (count + tables[table].len(), table + 1);
    }
    count
}

/// The `N` values of `tables`, of which the first is not empty, in one.
pub const fn joined<T: Copy, const N: usize>(tables: &[&[T]]) -> [T; N] {
    let mut all = [tables[0][0]; N];
    let (mut at, mut table) = (0, 0);
    while table < tables.len() {
        let mut index = 0;
        while index < tables[table].len() {
            all[at] = tables[table][index];
            (at, index) = (at + 1, index + 1);
        }
        table += 1;
    }
    all
}

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
            const COUNT: usize = $crate::oracle::coverage::count(TABLES);
            &const { $crate::oracle::coverage::joined::<kit::Breaks, COUNT>(TABLES) }
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
    /// A second map began with other extensions.
    ExtensionsChanged,
    /// A session with a protocol that nobody knows was delivered.
    StrangeProtocol,
    // Replacement deltas were agreed upon together with PEXT_SPAWNSTATIC2, and with others that they make obsolete.
    SpawnStatic2Deltas, ObsoleteDeltas,

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
    /// NetQuake: the server was to play a sound whose number needs two bytes.
    WideSoundAsked,
    SoundSent, SoundNoted, CsqcGoneSent, CsqcGoneNoted,

    // Entity frames, as sent.
    Frame, QuakeWorldFrame, NetQuakeFrame, NetQuakePredInfoFrame, SeveralEntries, RemoveAmongOthers,
    RemoveAllWithEntries, Remove,
    /// An entity was removed while changes of it were pending.
    RemovedWhilePending,
    /// Entities known were sent anew after a remove-all.
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
    OriginXY, OriginZ,
    /// A change of x or y alone.
    OneOfXY,
    AnglesXZ, AnglesY, AnglesWithPredInfo, Effects8, Effects16, Effects32, EffectsShrank,
    // 16BIT; with a field that alone would not need it; such a field without 16BIT.
    Wide, WideForAnother, Narrow,
    Model, NegativeSkin, Colormap, Solid, Flags, DirectColours, Alpha, Scale, AbsLight, NoAbsLight, Light, Trail,
    ColorMod, Glow, Fatness, Model2Narrow, Model2Wide, Gravity,
    /// A field changed to zero.
    ChangedToZero,
    PredBlock, Velocity, LongWeaponFrame, ViewAngles,

    // What had to wait for room in a full frame.
    FullFrame, PendingWhenFull, NewWhenFull, RemoveWhenFull, StatsWhenFull,
    /// The rate limit left a tick out while something was pending.
    Choked,
    /// A datagram without a frame has the place in a history of 64 frames that a remove had, of an entity that is back.
    GapOverOldRemove,

    // Statistics, as sent.
    StatResent, FloatStat, ByteStat, LongStat, WeaponFrameStat,
    /// NetQuake, without PREDINFO: a statistic above 255 or below 0.
    LargePlainStat,
    /// Statistics were not zero when frames of a second map had room for them.
    StatsInSecondMap,

    // Moves.
    MoveEchoed, MoveOnPlainProtocol, MoveWrapped, MoveOutOfOrder,

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
    /// Nothing was lost, and more frames were in flight than half of the document's history.
    ManyInFlight,
    /// The run ended with a quiet time, long enough to converge.
    Quiescent,
}

/// What a flag of an update shows by itself.
const FIELD_POINTS: [(u64, kit::CoveragePoint); 18] = [
    (UF_ORIGINXY, Point::OriginXY),
    (UF_ORIGINZ, Point::OriginZ),
    (UF_ANGLESXZ, Point::AnglesXZ),
    (UF_ANGLESY, Point::AnglesY),
    (UF_MODEL, Point::Model),
    (UF_COLORMAP, Point::Colormap),
    (UF_SOLID, Point::Solid),
    (UF_FLAGS, Point::Flags),
    (UF_ALPHA, Point::Alpha),
    (UF_SCALE, Point::Scale),
    (UF_LIGHT, Point::Light),
    (UF_TRAILEFFECT, Point::Trail),
    (UF_COLORMOD, Point::ColorMod),
    (UF_GLOW, Point::Glow),
    (UF_FATNESS, Point::Fatness),
    (UF_GRAVITYDIR, Point::Gravity),
    (UF_PREDINFO, Point::PredBlock),
    (UF_16BIT, Point::Wide),
];

/// Notes what an update shows. `start` is the entity before it, `held` after it, for a receiver of everything.
#[inline]
pub fn saw_update(
    report: &mut Report,
    number: u32,
    flags: u64,
    start: &Entity,
    held: &Entity,
    known: bool,
    dialect: &Dialect,
) {
    let has = |flag: u64| flags & flag != 0;
    let reset = has(UF_RESET);
    report.saw_if(!known && reset, Point::NewEntity);
    report.saw_if(known && !reset, Point::PlainDelta);
    report.saw_if(number > INDEX_NUMBER.into(), Point::ExtendedNumber);
    report.saw_if(number > 0xffff, Point::HugeNumber);
    // Most updates show nothing else that was not seen before.
    const MOVED: u64 = UF_ORIGINXY | UF_ORIGINZ | UF_ANGLESY;
    if flags & !MOVED == 0 {
        report.saw_if(has(UF_ORIGINXY), Point::OriginXY);
        report.saw_if(has(UF_ORIGINZ), Point::OriginZ);
        report.saw_if(has(UF_ANGLESY), Point::AnglesY);
        let one = (start[ORIGIN_X] == held[ORIGIN_X]) != (start[ORIGIN_Y] == held[ORIGIN_Y]);
        report.saw_if(has(UF_ORIGINXY) && known && one, Point::OneOfXY);
        return;
    }
    saw_fields(report, flags, start, held, known, dialect);
}

fn saw_fields(report: &mut Report, flags: u64, start: &Entity, held: &Entity, known: bool, dialect: &Dialect) {
    let has = |flag: u64| flags & flag != 0;
    let wide = has(UF_16BIT);
    report.saw_if(flags >> 8 != 0, Point::TwoFlagBytes);
    report.saw_if(flags >> 16 != 0, Point::ThreeFlagBytes);
    report.saw_if(flags >> 24 != 0, Point::FourFlagBytes);
    report.saw_if((flags & UF_FIELDS).count_ones() >= 8, Point::ManyFields);
    report.saw_if(has(UF_RESET) && flags & UF_FIELDS != 0, Point::ResetWithFields);
    for (flag, point) in FIELD_POINTS {
        report.saw_if(has(flag), point);
    }
    let one = (start[ORIGIN_X] == held[ORIGIN_X]) != (start[ORIGIN_Y] == held[ORIGIN_Y]);
    report.saw_if(has(UF_ORIGINXY) && known && one, Point::OneOfXY);
    report.saw_if(has(UF_PREDINFO) && has(UF_ANGLESXZ | UF_ANGLESY), Point::AnglesWithPredInfo);
    report.saw_if(has(UF_FRAME) && !wide, Point::Frame8);
    report.saw_if(has(UF_FRAME) && wide, Point::Frame16);
    let widened = [(UF_FRAME, FRAME), (UF_MODEL, MODEL), (UF_SKIN, SKIN), (UF_MODELINDEX2, MODELINDEX2)];
    for (flag, field) in widened.into_iter().filter(|(flag, _)| has(*flag)) {
        report.saw_if(!wide, Point::Narrow);
        report.saw_if(wide && (0..256).contains(&held[field]), Point::WideForAnother);
        report.saw_if(matches!(held[field], 255 | 256 | 32_767 | 32_768 | 65_535), Point::Boundary);
        report.saw_if(flag == UF_SKIN && held[field] < 0, Point::NegativeSkin);
        let wide2 = if wide { Point::Model2Wide } else { Point::Model2Narrow };
        report.saw_if(flag == UF_MODELINDEX2, wide2);
    }
    match (has(UF_EFFECTS), has(UF_EFFECTS2)) {
        (true, true) => report.saw(Point::Effects32),
        (false, true) => report.saw(Point::Effects16),
        (true, false) => report.saw(Point::Effects8),
        (false, false) => {}
    }
    report.saw_if(has(UF_EFFECTS) && !has(UF_EFFECTS2) && start[EFFECTS] as u32 > 0xff, Point::EffectsShrank);
    report.saw_if(has(UF_COLORMAP) && held[FLAGS] & 32 != 0, Point::DirectColours);
    if has(UF_DRAWFLAGS) {
        report.saw(if held[DRAWFLAGS] & 7 == 7 { Point::AbsLight } else { Point::NoAbsLight });
    }
    if has(UF_TAGINFO) {
        let tag = held[TAGENTITY] as u32;
        report.saw(if tag < 0x8000 { Point::SmallTag } else { Point::BigTag });
        report.saw_if(tag > INDEX_NUMBER.into(), Point::MiddleTag);
    }
    if has(UF_PREDINFO) {
        let velocity = [VELOCITY_X, VELOCITY_Y, VELOCITY_Z];
        report.saw_if(velocity.iter().any(|&field| held[field] != 0), Point::Velocity);
        report.saw_if(!dialect.predinfo() && held[WEAPONFRAME] > 0x7f, Point::LongWeaponFrame);
        let angles = has(UF_ANGLESXZ | UF_ANGLESY);
        let view = [VIEW_PITCH, VIEW_YAW, VIEW_ROLL];
        report.saw_if(dialect.predinfo() && angles && view.iter().any(|&field| held[field] != 0), Point::ViewAngles);
    }
    if known && !has(UF_RESET) {
        let zero = |bit: usize| FIELDS_OF[bit].iter().any(|&field| held[field] == 0 && start[field] != 0);
        report.saw_if(each(fields_of_update(flags)).any(zero), Point::ChangedToZero);
    }
}
