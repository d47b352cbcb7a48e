//! What a run can show.

use super::field::{FIELDS_OF, each, fields_of_update};
use crate::constants::*;
use crate::delta::UF_FIELDS;
use crate::dialect::Dialect;
use crate::state::*;
pub use kit::Report;
use kit::{Breaks, Requirement, breaks};

/// That a failure can mean that `requirement` is violated, too, which another check covers.
pub const fn also(requirement: &'static Requirement) -> Breaks {
    breaks(requirement, &[])
}

/// Two lists in one. `N` is the sum of their lengths.
pub const fn both<const N: usize>(one: &[Breaks], other: &[Breaks]) -> [Breaks; N] {
    let mut all = [one[0]; N];
    let mut at = 1;
    while at < N {
        all[at] = if at < one.len() { one[at] } else { other[at - one.len()] };
        at += 1;
    }
    all
}

kit::coverage_points! {
    /// QuakeWorld: a client asked for a challenge.
    ChallengeAsked,
    /// QuakeWorld: the server sent a challenge.
    ChallengeSent,
    /// QuakeWorld: a client asked to connect.
    ConnectSent,
    /// QuakeWorld: with extensions.
    ConnectWithExtensions,
    /// QuakeWorld: the server received a good connect.
    ConnectDelivered,
    /// NetQuake: the server asked for extensions.
    PextAsked,
    /// NetQuake: the client heard it.
    PextHeard,
    /// NetQuake: the client answered with pairs.
    PextAnswered,
    /// NetQuake: a pair's value was quoted.
    PextQuoted,
    /// The client asked for more than the server supports.
    AskedTooMuch,
    /// Extension data was removed on the way.
    Stripped,
    /// The client asked for float coords and did not get them.
    FloatCoordsRefused,
    /// A session without replacement deltas began.
    PlainSession,
    /// A session with them began.
    DeltaSession,
    /// A second map began with other extensions.
    ExtensionsChanged,
    /// Float coords were agreed upon.
    FloatCoords,
    /// Together with replacement deltas.
    FloatCoordsWithDeltas,
    /// Replacement deltas were agreed upon without float coords.
    DeltasAlone,
    /// A baseline was announced.
    Baseline,
    /// A baseline was announced for a number from 32768.
    BigBaseline,
    /// A static entity was sent.
    StaticEntity,
    /// The client was compared after one was delivered.
    StaticCompared,
    /// Replacement deltas were agreed upon together with PEXT_SPAWNSTATIC2.
    SpawnStatic2Deltas,
    /// Together with other extensions that they make obsolete.
    ObsoleteDeltas,
    /// An entity number from 32768 was sent without them.
    BigNumberPlain,
    /// And noted by the client.
    BigNumberPlainNoted,
    /// NetQuake: the server was to play a sound whose number needs two bytes.
    WideSoundAsked,
    /// NetQuake: a sound was sent.
    SoundSent,
    /// NetQuake: and noted by the client.
    SoundNoted,
    /// An entity of the game's own code was called gone.
    CsqcGoneSent,
    /// And noted by the client.
    CsqcGoneNoted,
    /// A session with a protocol that nobody knows was delivered.
    StrangeProtocol,
    /// An entity frame was sent.
    Frame,
    /// On QuakeWorld.
    QuakeWorldFrame,
    /// On NetQuake.
    NetQuakeFrame,
    /// On NetQuake, with PREDINFO.
    NetQuakePredInfoFrame,
    /// A frame had several entries.
    SeveralEntries,
    /// A frame had a remove and other entries.
    RemoveAmongOthers,
    /// A frame had a remove-all and entries.
    RemoveAllWithEntries,
    /// An entity was removed.
    Remove,
    /// An entity was removed while changes of it were pending.
    RemovedWhilePending,
    /// Entities known were sent anew after a remove-all.
    ResentAfterRemoveAll,
    /// A new entity was sent.
    NewEntity,
    /// It had been there before.
    Returned,
    /// A new entity was sent for the second time.
    SecondUpdate,
    /// A RESET left fields to the baseline and carried others.
    ResetWithFields,
    /// Another entity took a known number between two frames.
    Reborn,
    /// An update left known fields out.
    PlainDelta,
    /// An update had two flag bytes.
    TwoFlagBytes,
    /// An update had three flag bytes.
    ThreeFlagBytes,
    /// An update had four flag bytes.
    FourFlagBytes,
    /// An update had many fields.
    ManyFields,
    /// A number from 16384 was updated.
    ExtendedNumber,
    /// A number from 65536 was updated.
    HugeNumber,
    /// An attachment to an entity below 32768.
    SmallTag,
    /// To one from 16384.
    MiddleTag,
    /// To one from 32768.
    BigTag,
    /// A frame of 8 bits.
    Frame8,
    /// A frame of 16 bits.
    Frame16,
    /// A value at the edge of a width.
    Boundary,
    /// A position's x and y.
    OriginXY,
    /// A position's z.
    OriginZ,
    /// A change of x or y alone.
    OneOfXY,
    /// Pitch and roll.
    AnglesXZ,
    /// Yaw.
    AnglesY,
    /// Angles beside a pred block.
    AnglesWithPredInfo,
    /// Effects of 8 bits.
    Effects8,
    /// Effects of 16 bits.
    Effects16,
    /// Effects of 32 bits.
    Effects32,
    /// Effects whose width shrank.
    EffectsShrank,
    /// An update with 16BIT.
    Wide,
    /// An update with 16BIT and a field that alone would not need it.
    WideForAnother,
    /// An update of such a field without 16BIT.
    Narrow,
    /// A model.
    Model,
    /// A negative skin.
    NegativeSkin,
    /// A colormap.
    Colormap,
    /// A size.
    Solid,
    /// Flags.
    Flags,
    /// The flag that makes a colormap two colours.
    DirectColours,
    /// Alpha.
    Alpha,
    /// Scale.
    Scale,
    /// Drawflags with absolute light.
    AbsLight,
    /// Drawflags without.
    NoAbsLight,
    /// A light.
    Light,
    /// A trail.
    Trail,
    /// Colour modulation.
    ColorMod,
    /// Glow.
    Glow,
    /// Fatness.
    Fatness,
    /// A second model of 8 bits.
    Model2Narrow,
    /// A second model of 16 bits.
    Model2Wide,
    /// Gravity.
    Gravity,
    /// A small number with a high byte was delivered.
    LongIndexDelivered,
    /// A flag byte of zero was delivered.
    ZeroFlagByteDelivered,
    /// A flag that nobody defines was delivered.
    UndefinedFlagDelivered,
    /// A field changed to zero.
    ChangedToZero,
    /// A pred block.
    PredBlock,
    /// Velocity in it.
    Velocity,
    /// A long weaponframe in it.
    LongWeaponFrame,
    /// View angles in it.
    ViewAngles,
    /// What was lost was sent again, changed.
    ResentAfterChange,
    /// A frame had no room for more.
    FullFrame,
    /// Changes waited for room.
    PendingWhenFull,
    /// A new entity waited for room.
    NewWhenFull,
    /// A remove waited for room.
    RemoveWhenFull,
    /// Statistics waited for room.
    StatsWhenFull,
    /// A datagram without a frame has the place in a history of 64 frames that a remove had, of an entity that is back.
    GapOverOldRemove,
    /// A statistic was sent again after its loss.
    StatResent,
    /// A statistic in its float form.
    FloatStat,
    /// In its byte form.
    ByteStat,
    /// In its long form.
    LongStat,
    /// The weaponframe as a statistic.
    WeaponFrameStat,
    /// Over NetQuake, with a value above 255 or below 0.
    LargePlainStat,
    /// Statistics were not zero when frames of a second map had room for them.
    StatsInSecondMap,
    /// A statistic was delivered.
    StatDelivered,
    /// A movement sequence was echoed.
    MoveEchoed,
    /// A move of PREDINFO was sent over protocol 15.
    MoveOnPlainProtocol,
    /// A movement sequence wrapped.
    MoveWrapped,
    /// A move came late or twice.
    MoveOutOfOrder,
    /// The server knew that a frame was lost.
    Loss,
    /// With 32 or more frames sent since.
    LossAfterMany,
    /// The server knew that one of several frames sent at one moment was lost.
    LossOfSibling,
    /// After datagrams without a frame.
    LossAfterGap,
    /// With very many entries.
    LossOfManyEntries,
    /// By QuakeWorld's header alone.
    LossKnownByHeader,
    /// The newest carrier of a field was lost.
    LostDelta,
    /// Of movetype or weaponframe.
    LostPredInfo,
    /// The newest RESET of an entity was lost.
    LostReset,
    /// The newest remove was lost.
    LostRemove,
    /// A remove was lost of an entity that is back.
    LostRemoveOfLiving,
    /// An update was lost of an entity that is gone.
    LostUpdateOfDead,
    /// A remove-all was lost.
    LostRemoveAll,
    /// A repair was lost.
    LostRepair,
    /// The newest carrier of a statistic was lost.
    LostStat,
    /// It was sent before the server was asked for a reset.
    LostStatBeforeReset,
    /// The server was asked for a reset.
    ResetAsked,
    /// The server was told of a frame never sent.
    FutureAck,
    /// The server was told twice, or late.
    StaleAck,
    /// Frame 0 was acknowledged.
    FrameZeroAcked,
    /// A frame of the map before was acknowledged.
    OldAckInNewMap,
    /// The client acknowledged.
    AckSent,
    /// The second time.
    SecondAck,
    /// After frames were lost.
    AckAfterLoss,
    /// QuakeWorld: several frames came between two packets.
    SeveralFramesSinceSend,
    /// A frame came late or twice.
    StaleFrame,
    /// The client was compared.
    ClientCompared,
    /// A frame came to a client without a usable state.
    ClientWithoutState,
    /// A frame left a known entity out.
    UnmentionedEntity,
    /// A delta was delivered.
    DeltaDelivered,
    /// After a loss.
    DeltaAfterLoss,
    /// Of an entity unknown to the client.
    UnknownDeltaDelivered,
    /// A known entity was reset, and that changed it.
    ResetDelivered,
    /// A RESET of an entity with a baseline was delivered.
    ResetOnBaselineDelivered,
    /// A RESET relied on a field that its baseline leaves out, and that of the map before had.
    BaselineShrankDelivered,
    /// A removed entity came back.
    ReturnDelivered,
    /// A remove was delivered.
    RemoveDelivered,
    /// Of an entity unknown to the client.
    UnknownRemoveDelivered,
    /// A remove-all was delivered to a client with entities.
    RemoveAllDelivered,
    /// A pred block of a known entity was delivered.
    PredInfoDelivered,
    /// One snapshot was delivered in parts.
    SplitSnapshotDelivered,
    /// Of frames that were never lost, some were acknowledged alone, some together.
    SeveralAcksJudged,
    /// The same on QuakeWorld, explicitly and by the header.
    ExplicitJudged,
    /// Nothing was lost while entries were on their way, with and without news of the client.
    NewerJudged,
    /// Nothing was lost, and more frames were in flight than half of the document's history.
    ManyInFlight,
    /// The rate limit left a tick out while something was pending.
    Choked,
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
