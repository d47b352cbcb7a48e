//! What an update shows by itself: the coverage points of its flags, widths and values.

use super::coverage::{Point, Report};
use super::field::{FIELDS_OF, each, fields_of_update};
use crate::constants::INDEX_NUMBER;
use crate::delta::UF_FIELDS;
use crate::dialect::Dialect;
use crate::state::*;

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
    report.saw_if(known && !reset, Point::PlainDelta);
    if number > INDEX_NUMBER.into() {
        report.saw(Point::ExtendedNumber);
        report.saw_if(number > 0xffff, Point::HugeNumber);
    }
    report.saw_each(Point::carried(1), flags as u32);
    let one = (start[ORIGIN_X] == held[ORIGIN_X]) != (start[ORIGIN_Y] == held[ORIGIN_Y]);
    report.saw_if(has(UF_ORIGINXY) && known && one, Point::OneOfXY);
    // Most updates show nothing else that was not seen before.
    const MOVED: u64 = UF_ORIGINXY | UF_ORIGINZ | UF_ANGLESY;
    if flags & !MOVED != 0 {
        saw_fields(report, flags, start, held, known, dialect);
    }
}

fn saw_fields(report: &mut Report, flags: u64, start: &Entity, held: &Entity, known: bool, dialect: &Dialect) {
    let has = |flag: u64| flags & flag != 0;
    let wide = has(UF_16BIT);
    report.saw_if(flags >> 8 != 0, Point::TwoFlagBytes);
    report.saw_if(flags >> 16 != 0, Point::ThreeFlagBytes);
    report.saw_if(flags >> 24 != 0, Point::FourFlagBytes);
    report.saw_if((flags & UF_FIELDS).count_ones() >= 8, Point::ManyFields);
    report.saw_if(has(UF_RESET) && flags & UF_FIELDS != 0, Point::ResetWithFields);
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
