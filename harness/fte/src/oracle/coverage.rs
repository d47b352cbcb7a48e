//! Which situations a run showed, and which requirements those put to the test.

use super::situation::{Report, Situation};
use crate::constants::*;
use crate::dialect::Dialect;
use crate::requirements::*;
use crate::state::*;
use kit::Requirement;
use kit::report::TestedBy;

use Situation::*;

/// For each requirement that a run can put to the test, what it must show for that; all of it.
pub static TESTED_BY: &TestedBy<Situation> = &[
    (&HS_01, &[ChallengeAsked]),
    (&HS_02, &[ChallengeSent]),
    (&HS_03, &[ConnectSent]),
    (&HS_04, &[ConnectWithExtensions]),
    (&HS_05, &[ConnectDelivered]),
    (&HS_06, &[Stripped, PlainSession]),
    (&HS_07, &[PextAsked]),
    (&HS_08, &[PextHeard]),
    (&HS_09, &[PextAnswered]),
    (&HS_10, &[PextAnswered]),
    (&HS_11, &[PextQuoted]),
    (&HS_12, &[DeltaSession, ClientCompared]),
    (&HS_13, &[DeltaSession]),
    (&HS_14, &[ClientCompared]),
    (&HS_15, &[StrangeProtocol]),
    (&HS_16, &[AskedTooMuch]),
    (&HS_17, &[PlainSession]),
    (&HS_18, &[ExtensionsChanged, ClientCompared]),
    (&HS_20, &[PlainSession]),
    (&HS_21, &[FloatCoords]),
    (&HS_21, &[FloatCoordsRefused]),
    (&HS_22, &[FloatCoordsWithDeltas, ClientCompared]),
    (&HS_22, &[DeltasAlone, ClientCompared]),
    (&HS_23, &[QuakeWorldFrame]),
    (&HS_24, &[QuakeWorldFrame, ClientCompared]),
    (&ENT_01, &[SmallTag]),
    (&ENT_02, &[BigTag]),
    (&ENT_03, &[BigTag, BigBaseline]),
    (&ENT_04, &[BigNumberPlain]),
    (&ENT_04, &[BigNumberPlainNoted]),
    (&ENT_05, &[Remove, NewEntity]),
    (&ENT_05, &[ExtendedNumber]),
    (&ENT_06, &[ExtendedNumber]),
    (&ENT_07, &[ExtendedNumber]),
    (&ENT_08, &[LongIndexDelivered, ClientCompared]),
    (&ENT_09, &[RemoveAmongOthers]),
    (&ENT_09, &[RemoveDelivered, ClientCompared]),
    (&ENT_10, &[Frame]),
    (&ENT_11, &[RemoveAllWithEntries, ClientCompared]),
    (&ENT_12, &[HugeNumber]),
    (&ENT_13, &[ExtendedNumber, MiddleTag]),
    (&ENT_15, &[SeveralEntries]),
    (&DLT_01, &[TwoFlagBytes, ThreeFlagBytes, FourFlagBytes]),
    (&DLT_02, &[ZeroFlagByteDelivered, ClientCompared]),
    (&DLT_03, &[PlainDelta, ClientCompared]),
    (&DLT_04, &[ManyFields]),
    (&DLT_05, &[Frame8, Frame16]),
    (&DLT_06, &[OriginXY, OriginZ]),
    (&DLT_07, &[OneOfXY]),
    (&DLT_08, &[AnglesXZ, AnglesY]),
    (&DLT_09, &[AnglesWithPredInfo]),
    (&DLT_10, &[Effects8, Effects16, Effects32]),
    (&DLT_11, &[EffectsShrank]),
    (&DLT_12, &[Wide, Narrow]),
    (&DLT_13, &[WideForAnother]),
    (&DLT_14, &[Model, Wide]),
    (&DLT_15, &[NegativeSkin]),
    (&DLT_17, &[Colormap]),
    (&DLT_18, &[Solid]),
    (&DLT_20, &[Flags]),
    (&DLT_21, &[DirectColours, Colormap]),
    (&DLT_22, &[Alpha]),
    (&DLT_23, &[Scale]),
    (&DLT_24, &[ManyFields]),
    (&DLT_25, &[AbsLight, NoAbsLight]),
    (&DLT_26, &[SmallTag]),
    (&DLT_26, &[BigTag]),
    (&DLT_27, &[Light]),
    (&DLT_28, &[Trail]),
    (&DLT_29, &[ColorMod]),
    (&DLT_30, &[Glow]),
    (&DLT_31, &[Fatness]),
    (&DLT_32, &[Model2Narrow]),
    (&DLT_32, &[Model2Wide]),
    (&DLT_33, &[Gravity]),
    (&DLT_34, &[PlainDelta]),
    (&DLT_35, &[UndefinedFlagDelivered]),
    (&DLT_36, &[Glow, ClientCompared]),
    (&DLT_37, &[LostDelta, ResentAfterChange]),
    (&DLT_38, &[DeltaAfterLoss, ClientCompared]),
    (&DLT_39, &[PlainDelta]),
    (&DLT_40, &[Boundary]),
    (&DLT_41, &[ChangedToZero]),
    (&RST_01, &[ResetDelivered, ClientCompared]),
    (&RST_02, &[NewEntity]),
    (&RST_03, &[SecondUpdate]),
    (&RST_04, &[ResetWithFields]),
    (&RST_05, &[NewEntity, Baseline]),
    (&RST_06, &[UnknownDeltaDelivered, ClientCompared]),
    (&RST_07, &[LostReset]),
    (&RST_08, &[Returned]),
    (&RST_09, &[Reborn]),
    (&RST_10, &[ReturnDelivered, ClientCompared]),
    (&RST_11, &[SecondUpdate]),
    (&RMV_01, &[Remove]),
    (&RMV_02, &[UnmentionedEntity, ClientCompared]),
    (&RMV_03, &[RemoveDelivered, ClientCompared]),
    (&RMV_04, &[UnknownRemoveDelivered, ClientCompared]),
    (&RMV_05, &[LostRemove]),
    (&RMV_06, &[LostRemoveOfLiving]),
    (&RMV_07, &[LostUpdateOfDead]),
    (&RMV_08, &[RemoveAllDelivered, ClientCompared]),
    (&RMV_09, &[ResentAfterRemoveAll]),
    (&RMV_10, &[LostRemoveAll]),
    (&RMV_11, &[RemoveAllWithEntries]),
    (&RMV_12, &[RemovedWhilePending]),
    (&RMV_13, &[Frame]),
    (&ACK_01, &[Frame]),
    (&ACK_02, &[AckSent]),
    (&ACK_03, &[AckSent]),
    (&ACK_04, &[AckAfterLoss]),
    (&ACK_05, &[NetQuakeFrame, AckSent]),
    (&ACK_06, &[SecondAck]),
    (&ACK_07, &[AckSent]),
    (&ACK_08, &[SeveralAcksJudged]),
    (&ACK_08, &[ExplicitJudged]),
    (&ACK_09, &[Loss]),
    (&ACK_10, &[NewerJudged]),
    (&ACK_11, &[QuakeWorldFrame, SeveralFramesSinceSend]),
    (&ACK_12, &[SeveralFramesSinceSend]),
    (&ACK_13, &[QuakeWorldFrame, LossKnownByHeader]),
    (&ACK_14, &[QuakeWorldFrame, LossKnownByHeader]),
    (&ACK_15, &[ExplicitJudged]),
    (&ACK_16, &[ResetAsked]),
    (&ACK_17, &[ClientWithoutState]),
    (&ACK_18, &[StaleAck]),
    (&ACK_19, &[FrameZeroAcked]),
    (&ACK_20, &[FutureAck, Loss]),
    (&ACK_21, &[StaleFrame]),
    (&HIST_01, &[Loss]),
    (&HIST_02, &[LostDelta]),
    (&HIST_03, &[LossAfterMany]),
    (&HIST_03, &[GapOverOldRemove]),
    (&HIST_04, &[LostDelta]),
    (&HIST_05, &[LostReset]),
    (&HIST_05, &[LostRemove]),
    (&HIST_06, &[LossAfterMany]),
    (&HIST_07, &[ManyInFlight]),
    (&HIST_08, &[LossAfterGap]),
    (&HIST_09, &[LossOfSibling]),
    (&HIST_10, &[FullFrame, PendingWhenFull]),
    (&HIST_11, &[LostRepair]),
    (&HIST_13, &[LossOfManyEntries]),
    (&HIST_14, &[OldAckInNewMap]),
    (&OVF_01, &[FullFrame, PendingWhenFull]),
    (&OVF_02, &[FullFrame]),
    (&OVF_03, &[FullFrame, PendingWhenFull]),
    (&OVF_04, &[FullFrame]),
    (&OVF_05, &[NewWhenFull]),
    (&OVF_06, &[RemoveWhenFull]),
    (&OVF_07, &[FullFrame, PendingWhenFull]),
    (&OVF_08, &[SplitSnapshotDelivered, ClientCompared]),
    (&OVF_09, &[Choked]),
    (&SVC_01, &[DeltaSession, Frame]),
    (&SVC_02, &[NetQuakeFrame]),
    (&SVC_03, &[Frame]),
    (&SVC_03, &[ClientCompared]),
    (&SVC_04, &[ClientCompared]),
    (&SVC_05, &[StaticEntity]),
    (&SVC_05, &[StaticCompared]),
    (&SVC_06, &[Baseline]),
    (&SVC_07, &[BaselineShrankDelivered, ClientCompared]),
    (&SVC_08, &[ResetOnBaselineDelivered, ClientCompared]),
    (&SVC_12, &[DeltaDelivered, UnmentionedEntity, ClientCompared]),
    (&SVC_09, &[CsqcGoneSent]),
    (&SVC_09, &[CsqcGoneNoted]),
    (&SVC_10, &[SpawnStatic2Deltas, Baseline, StaticEntity]),
    (&SVC_11, &[ObsoleteDeltas, ClientCompared]),
    (&SVC_13, &[AckSent]),
    (&SVC_14, &[WideSoundAsked, SoundSent]),
    (&SVC_14, &[SoundNoted]),
    (&PRED_01, &[PredBlock]),
    (&PRED_02, &[PredInfoDelivered]),
    (&PRED_03, &[PredInfoDelivered]),
    (&PRED_04, &[Velocity]),
    (&PRED_05, &[LongWeaponFrame]),
    (&PRED_06, &[LostPredInfo]),
    (&PRED_07, &[ViewAngles]),
    (&PRED_08, &[WeaponFrameStat]),
    (&PRED_09, &[NetQuakePredInfoFrame]),
    (&PRED_10, &[MoveEchoed]),
    (&PRED_11, &[MoveEchoed, MoveWrapped]),
    (&PRED_15, &[MoveOnPlainProtocol]),
    (&PRED_18, &[MoveOutOfOrder]),
    (&STAT_01, &[LostStat]),
    (&STAT_02, &[NetQuakePredInfoFrame]),
    (&STAT_03, &[StatResent]),
    (&STAT_04, &[StatsWhenFull]),
    (&STAT_05, &[StatDelivered, ByteStat, LongStat]),
    (&STAT_05, &[StatDelivered, FloatStat]),
    (&STAT_06, &[StatsInSecondMap]),
    (&STAT_06, &[LostStatBeforeReset]),
    (&STAT_07, &[LargePlainStat]),
];

/// Whether a run can put `requirement` to the test.
pub fn checks(requirement: &Requirement) -> bool {
    TESTED_BY.iter().any(|row| row.0.id == requirement.id)
}

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
    report.saw_if(!known && reset, NewEntity);
    report.saw_if(known && !reset, PlainDelta);
    report.saw_if(number > INDEX_NUMBER.into(), ExtendedNumber);
    report.saw_if(number > 0xffff, HugeNumber);
    // Most updates show nothing else that was not seen before.
    const MOVED: u64 = UF_ORIGINXY | UF_ORIGINZ | UF_ANGLESY;
    if flags & !MOVED == 0 {
        report.saw_if(has(UF_ORIGINXY), OriginXY);
        report.saw_if(has(UF_ORIGINZ), OriginZ);
        report.saw_if(has(UF_ANGLESY), AnglesY);
        let one = (start[ORIGIN_X] == held[ORIGIN_X]) != (start[ORIGIN_Y] == held[ORIGIN_Y]);
        report.saw_if(has(UF_ORIGINXY) && known && one, OneOfXY);
        return;
    }
    saw_fields(report, flags, start, held, known, dialect);
}

fn saw_fields(report: &mut Report, flags: u64, start: &Entity, held: &Entity, known: bool, dialect: &Dialect) {
    let has = |flag: u64| flags & flag != 0;
    let wide = has(UF_16BIT);
    report.saw_if(flags >> 8 != 0, TwoFlagBytes);
    report.saw_if(flags >> 16 != 0, ThreeFlagBytes);
    report.saw_if(flags >> 24 != 0, FourFlagBytes);
    report.saw_if((flags & crate::delta::UF_FIELDS).count_ones() >= 8, ManyFields);
    report.saw_if(has(UF_RESET) && flags & crate::delta::UF_FIELDS != 0, ResetWithFields);
    let plain = [
        (UF_ORIGINXY, OriginXY),
        (UF_ORIGINZ, OriginZ),
        (UF_ANGLESXZ, AnglesXZ),
        (UF_ANGLESY, AnglesY),
        (UF_MODEL, Model),
        (UF_COLORMAP, Colormap),
        (UF_SOLID, Solid),
        (UF_FLAGS, Flags),
        (UF_ALPHA, Alpha),
        (UF_SCALE, Scale),
        (UF_LIGHT, Light),
        (UF_TRAILEFFECT, Trail),
        (UF_COLORMOD, ColorMod),
        (UF_GLOW, Glow),
        (UF_FATNESS, Fatness),
        (UF_GRAVITYDIR, Gravity),
        (UF_PREDINFO, PredBlock),
        (UF_16BIT, Wide),
    ];
    for (flag, situation) in plain {
        report.saw_if(has(flag), situation);
    }
    let one = (start[ORIGIN_X] == held[ORIGIN_X]) != (start[ORIGIN_Y] == held[ORIGIN_Y]);
    report.saw_if(has(UF_ORIGINXY) && known && one, OneOfXY);
    report.saw_if(has(UF_PREDINFO) && has(UF_ANGLESXZ | UF_ANGLESY), AnglesWithPredInfo);
    report.saw_if(has(UF_FRAME) && !wide, Frame8);
    report.saw_if(has(UF_FRAME) && wide, Frame16);
    let widened = [(UF_FRAME, FRAME), (UF_MODEL, MODEL), (UF_SKIN, SKIN), (UF_MODELINDEX2, MODELINDEX2)];
    for (flag, field) in widened.into_iter().filter(|(flag, _)| has(*flag)) {
        report.saw_if(!wide, Narrow);
        report.saw_if(wide && (0..256).contains(&held[field]), WideForAnother);
        report.saw_if(matches!(held[field], 255 | 256 | 32_767 | 32_768 | 65_535), Boundary);
        report.saw_if(flag == UF_SKIN && held[field] < 0, NegativeSkin);
        let wide2 = if wide { Model2Wide } else { Model2Narrow };
        report.saw_if(flag == UF_MODELINDEX2, wide2);
    }
    match (has(UF_EFFECTS), has(UF_EFFECTS2)) {
        (true, true) => report.saw(Effects32),
        (false, true) => report.saw(Effects16),
        (true, false) => report.saw(Effects8),
        (false, false) => {}
    }
    report.saw_if(has(UF_EFFECTS) && !has(UF_EFFECTS2) && start[EFFECTS] as u32 > 0xff, EffectsShrank);
    report.saw_if(has(UF_COLORMAP) && held[FLAGS] & 32 != 0, DirectColours);
    if has(UF_DRAWFLAGS) {
        report.saw(if held[DRAWFLAGS] & 7 == 7 { AbsLight } else { NoAbsLight });
    }
    if has(UF_TAGINFO) {
        let tag = held[TAGENTITY] as u32;
        report.saw(if tag < 0x8000 { SmallTag } else { BigTag });
        report.saw_if(tag > INDEX_NUMBER.into(), MiddleTag);
    }
    if has(UF_PREDINFO) {
        let velocity = [VELOCITY_X, VELOCITY_Y, VELOCITY_Z];
        report.saw_if(velocity.iter().any(|&field| held[field] != 0), Velocity);
        report.saw_if(!dialect.predinfo() && held[WEAPONFRAME] > 0x7f, LongWeaponFrame);
        let angles = has(UF_ANGLESXZ | UF_ANGLESY);
        let view = [VIEW_PITCH, VIEW_YAW, VIEW_ROLL];
        report.saw_if(dialect.predinfo() && angles && view.iter().any(|&field| held[field] != 0), ViewAngles);
    }
    if known && !has(UF_RESET) {
        let zero = |bit: usize| super::field::FIELDS_OF[bit].iter().any(|&field| held[field] == 0 && start[field] != 0);
        report.saw_if(super::field::each(super::field::fields_of_update(flags)).any(zero), ChangedToZero);
    }
}
