//! Which situations a run showed, and which requirements those put to the test.

use super::situation::Situation;
use crate::requirements::*;
use kit::Requirement;
use kit::report::TestedBy;

use Situation::*;

/// For each requirement that a run can put to the test, what it must show for that; all of it.
pub static TESTED_BY: &TestedBy<Situation> = &[
    (&VER_01, &[Extended, TimedDatagram]),
    (&VER_02, &[PlainMove]),
    (&VER_02, &[Move]),
    (&VER_03, &[StrangeHeard]),
    (&VER_04, &[PlainUpdate]),
    (&VER_04, &[Clientdata]),
    (&MODEL_01, &[WideModel]),
    (&MODEL_02, &[WideModelShown]),
    (&MODEL_03, &[Weapon2]),
    (&FRAME_01, &[WideFrame]),
    (&FRAME_02, &[NarrowOverWide]),
    (&FRAME_03, &[WideFrameOfBase]),
    (&ENT_01, &[ExtendedUpdate]),
    (&ENT_02, &[ExtendedUpdate]),
    (&ENT_03, &[ExtendedShown]),
    (&ENT_04, &[AlphaTold]),
    (&ENT_05, &[AlphaBehindOrigin]),
    (&ENT_06, &[AlphaAndFrame2]),
    (&ENT_06, &[Frame2AndModel2]),
    (&ENT_07, &[Frame2AndModel2]),
    (&ENT_07, &[Model2AndHint]),
    (&ENT_08, &[Model2AndHint]),
    (&ENT_09, &[AlphaReverted]),
    (&ENT_10, &[Reverted]),
    (&ENT_11, &[Vanished]),
    (&ENT_12, &[Mentions]),
    (&ENT_13, &[LongEntity]),
    (&ENT_14, &[OriginTold]),
    (&ENT_15, &[Full]),
    (&ENT_16, &[MovesBegan]),
    (&LERP_01, &[Hint]),
    (&LERP_02, &[TenthSet]),
    (&LERP_03, &[LongThink]),
    (&LERP_04, &[HintShown]),
    (&LERP_05, &[HintForgotten]),
    (&CD_01, &[ThirdByte]),
    (&CD_02, &[FourthByte]),
    (&CD_03, &[Weapon2]),
    (&CD_04, &[Armor2]),
    (&CD_05, &[Ammo2]),
    (&CD_06, &[Shells2]),
    (&CD_07, &[Nails2]),
    (&CD_08, &[Rockets2]),
    (&CD_09, &[Cells2]),
    (&CD_10, &[WeaponFrame2]),
    (&CD_11, &[WeaponAlpha]),
    (&CD_12, &[WideStatShown]),
    (&CD_13, &[DefaultsShown]),
    (&CD_14, &[Clientdata]),
    (&CD_15, &[MissionPackNoWeapon]),
    (&CD_16, &[OpaqueWeaponShown]),
    (&CD_17, &[WeaponAlpha]),
    (&SND_01, &[LargeEntitySound]),
    (&SND_02, &[LargeSound]),
    (&SND_03, &[LargeSoundPlayed]),
    (&SND_04, &[SoundSent]),
    (&SND_05, &[HighEntityPlayed]),
    (&BASE_01, &[WideBaseline]),
    (&BASE_02, &[WideBaseline]),
    (&BASE_03, &[LargeModelBaseline]),
    (&BASE_04, &[LargeFrameBaseline]),
    (&BASE_05, &[AlphaBaseline]),
    (&BASE_06, &[PlainBaseShown]),
    (&STAT_01, &[WideStatic]),
    (&STAT_02, &[WideStaticSound]),
    (&ALPHA_01, &[AlphaTold]),
    (&ALPHA_02, &[NegativeAlpha]),
    (&ALPHA_03, &[OpacityShown]),
    (&ALPHA_04, &[AlphaLoaded]),
    (&ALPHA_05, &[DefaultWater, OpaqueWater]),
    (&ALPHA_06, &[AlphaOfTheMap]),
    (&ALPHA_07, &[NoAlpha]),
    (&ALPHA_09, &[AlphaChanged]),
    (&ALPHA_10, &[AlphaAlike]),
    (&MOVE_01, &[Move]),
    (&MOVE_02, &[Move]),
    (&MOVE_03, &[MoveApplied]),
    (&MOVE_04, &[HalfStep]),
    (&NET_01, &[FragmentSent]),
    (&NET_02, &[Stale]),
    (&NET_03, &[AckSent]),
    (&NET_04, &[FragmentRepeated]),
    (&NET_05, &[NextFragment]),
    (&NET_06, &[SeveralFragments]),
    (&NET_06, &[Printed]),
    (&NET_07, &[OldAckIgnored]),
    (&NET_08, &[Accepted, RequestRepeated]),
    (&NET_09, &[PortGiven]),
    (&LIM_01, &[ManyNames]),
    (&DEF_01, &[ExtendedUpdate]),
    (&DEF_02, &[ThirdByte]),
    (&DEF_03, &[LargeEntitySound]),
    (&DEF_03, &[LargeSound]),
    (&DEF_04, &[WideBaseline]),
    (&DEF_05, &[WideFrame]),
    (&DEF_06, &[ReservedBit]),
    (&DEF_05, &[ThirdByte]),
];

/// Whether the oracle has a check for a requirement.
pub fn checks(requirement: &Requirement) -> bool {
    TESTED_BY.iter().any(|row| row.0.id == requirement.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_catalogue_is_checked_or_says_why_not() {
        let open: Vec<&str> = REQUIREMENTS
            .iter()
            .filter(|row| !checks(row) && row.untestable.is_none() && row.level != kit::Level::May)
            .map(|row| row.id)
            .collect();
        assert_eq!(open, [""; 0]);
    }
}
