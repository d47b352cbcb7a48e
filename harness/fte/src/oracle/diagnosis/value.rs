//! Which requirements a wrong value fits: the coding of its own field, or something around it.
//!
//! A wrong layout puts everything after it out of place, so that the field that is wrong first, in the order of the
//! wire, is the best evidence.

use super::{announcement, has_obsolete_extensions};
use crate::constants::*;
use crate::oracle::coverage::rows;
use crate::oracle::field::{self, Quantiser, WIDENED, coding_of_group, fields_of_update, flag_of};
use crate::oracle::session::Session;
use crate::oracle::session::forms::{CodingForm, Unfamiliar};
use crate::oracle::session::track::Track;
use crate::requirements::*;
use crate::state::*;
use kit::named::{count, joined};
use kit::{Breaks, Requirement, Suspects, breaks};

/// What a wrong value can mean at either end, beside the coding of its field: that of what surrounds it.
const SURROUNDINGS: &[Breaks] = rows![
    DLT_01 [TwoFlagBytes ThreeFlagBytes FourFlagBytes], DLT_03 [PlainDelta ClientCompared], DLT_04 [ManyFields],
    DLT_09 [AnglesWithPredInfo], DLT_12 [Wide Narrow], DLT_21 [DirectColours], DLT_40 [Boundary], ENT_01 [SmallTag],
    ENT_02 [BigTag], ENT_13 [ExtendedNumber MiddleTag], PRED_04 [Velocity], PRED_05 [LongWeaponFrame],
    PRED_07 [ViewAngles]
];

const TABLES: &[&[Breaks]] = &[field::CODINGS, SURROUNDINGS];

/// What a wrong value can mean at either end.
pub const CODINGS: &[Breaks] = &joined::<Breaks, { count(TABLES) }>(TABLES);

/// What a misread datagram can mean beside the coding of its fields.
const OTHER_FORMS: &[Breaks] = rows![
    DLT_01, DLT_03, DLT_09, DLT_12, DLT_13, DLT_21, ENT_01, ENT_02, ENT_05, ENT_06, ENT_07, ENT_08, ENT_13, PRED_04,
    PRED_05, PRED_07
];

/// The coding of its fields: it needs no point of its own, as the datagram shows what it has.
const FIELD_FORMS: &[Breaks] = &{
    let (mut forms, mut row) = ([breaks(field::CODINGS[0].requirement, &[]); field::CODINGS.len()], 1);
    while row < forms.len() {
        forms[row] = breaks(field::CODINGS[row].requirement, &[]);
        row += 1;
    }
    forms
};

const FORM_TABLES: &[&[Breaks]] = &[FIELD_FORMS, OTHER_FORMS];

/// What a misread datagram can mean for all that the wire shows.
pub const FORMS: &[Breaks] = &joined::<Breaks, { count(FORM_TABLES) }>(FORM_TABLES);

/// And what it can mean that a datagram was misread that has these forms, if nobody knows what it should have: a wrong form
/// shows first where it is used first; or else only what is not always as long puts what follows out of place.
pub fn misread(suspects: Suspects, unfamiliar: &Unfamiliar) -> Suspects {
    if unfamiliar.index_first {
        return suspects.or(&ENT_05).or(&ENT_06).or(&ENT_07);
    }
    let Some(new) = unfamiliar.field.or(unfamiliar.elastic) else { return suspects };
    let own = coding_of(new.field, new.flags, new.direct_colours);
    match new.field {
        TAGENTITY => suspects.or(&ENT_01).or(&ENT_02).or(&ENT_13),
        field if WIDENED.contains(&field) => suspects.or(own).or(&DLT_12).or(&DLT_13),
        _ => suspects.or(own).or(&DLT_03).or(&DLT_01),
    }
}

/// A field that is wrong after an update that carried it.
#[derive(Clone, Copy)]
pub struct WrongValue<'a> {
    /// The first wrong field, in the order of the wire.
    pub field: usize,
    /// The update's flags.
    pub flags: u64,
    /// The entity before the update.
    pub before: &'a Entity,
    /// As it is.
    pub wrong: &'a Entity,
    /// As it should be.
    pub right: &'a Entity,
    /// How coarse the wire is.
    pub quantiser: &'a Quantiser,
}

impl WrongValue<'_> {
    fn wrong(&self) -> i32 {
        self.wrong[self.field]
    }

    fn right(&self) -> i32 {
        self.right[self.field]
    }

    fn kept(&self) -> bool {
        self.wrong() == self.before[self.field]
    }

    /// Whether the value is at the edge of a width.
    fn boundary(&self) -> bool {
        let counted = WIDENED.contains(&self.field) || self.field == EFFECTS;
        counted && matches!(self.right(), 255 | 256 | 32_767 | 32_768 | 65_535)
    }

    /// What the coding of the field and of what surrounds it ask for.
    fn coding(&self) -> Suspects {
        let WrongValue { field, flags, right, .. } = *self;
        let carried = fields_of_update(flags);
        let own = coding_of(field, flags, right[FLAGS] & 32 != 0);
        let tag = right[TAGENTITY] as u32;
        let number = if tag < 0x8000 { &ENT_01 } else { &ENT_02 };
        let large_tag = matches!(field, TAGENTITY | TAGINDEX) && tag > u32::from(INDEX_NUMBER);
        let differs = |&field: &usize| !self.quantiser.same(field, self.wrong[field], right[field]);
        let several = (0..FIELDS).filter(|&field| carried & flag_of(field) != 0).filter(differs).count() > 1;
        let first = carried.trailing_zeros() == flag_of(field).trailing_zeros();
        Suspects::from(if field == TAGENTITY { number } else { own })
            .or(own)
            .or_if(large_tag, &ENT_13)
            .or_if(self.boundary(), &DLT_40)
            .or_if(WIDENED.contains(&field), &DLT_12)
            .or_if(several && first, &DLT_03)
            .or_if(several && first, &DLT_01)
            .or_if(several, &DLT_04)
    }

    /// What float coords ask for; `agreed` upon, or else only asked for.
    fn float_coords(&self, session: &Session, agreed: bool) -> Option<Suspects> {
        let coarse = self.wrong() == kit::table::Kind::Coord16.quantise(self.right());
        let origin = matches!(self.field, ORIGIN_X..=ORIGIN_Z);
        if origin && agreed && coarse {
            Some(Suspects::from(&HS_22))
        } else if matches!(self.field, ORIGIN_X..=ROLL) && session.options.client_extensions.float_coords() {
            Some(Suspects::from(&HS_21))
        } else {
            None
        }
    }
}

/// What a server violates that sends a wrong value. `lost`: what the field had was lost.
pub fn wrong_value_sent(session: &Session, value: WrongValue<'_>, lost: bool) -> Suspects {
    let WrongValue { field, flags, .. } = value;
    let (wrong, right) = (value.wrong(), value.right());
    let agreed = session.dialect.extensions.float_coords();
    if lost && value.kept() {
        Suspects::from(&DLT_37)
    } else if field == EFFECTS && (wrong == right & 0xff || wrong == right & 0xffff) {
        Suspects::from(&DLT_11).or(&DLT_10)
    } else if WIDENED.contains(&field) && flags & UF_16BIT == 0 && wrong == right & 0xff {
        Suspects::from(if field == MODELINDEX2 { &DLT_32 } else { &DLT_13 })
            .or(&DLT_13)
            .or_if(value.boundary(), &DLT_40)
    } else if has_obsolete_extensions(&session.dialect) && !value.kept() {
        Suspects::from(&SVC_11)
    } else if let Some(suspects) = value.float_coords(session, agreed).filter(|_| !value.kept()) {
        suspects
    } else if value.kept() {
        Suspects::from(&DLT_37)
    } else {
        value.coding()
    }
}

/// A field that a client shows wrongly.
#[derive(Clone, Copy)]
pub struct WrongShown<'a> {
    /// The session.
    pub session: &'a Session,
    /// The entity's number.
    pub number: u32,
    /// The entity.
    pub track: &'a Track,
    /// The first wrong field, in the order of the wire.
    pub field: usize,
    /// The entity as the client shows it.
    pub shown: &'a Entity,
    /// Whether the frame just received mentions the entity.
    pub touched: bool,
}

/// What a client violates that shows a wrong value.
pub fn wrong_value_shown(wrong: &WrongShown<'_>) -> Suspects {
    let WrongShown { session, track, field, shown, touched, .. } = *wrong;
    let flags = track.touched_flags;
    let carried = fields_of_update(flags);
    let flagged = carried & flag_of(field) != 0 || (touched && flag_of(field) == 0);
    let kept = shown[field] == track.before[field];
    let (vague, right) = (track.vague & flag_of(field) != 0, track.delivered[field]);
    let pred = matches!(field, MOVETYPE | WEAPONFRAME);
    let again = session.observe.messages > 1 || session.observe.same_time;
    let after_loss = session.delivered_after_loss;
    // The client left the whole update out.
    let ignored = || {
        let mut fields = (0..FIELDS).filter(|&field| carried & flag_of(field) != 0);
        track.touched_known && flags & UF_RESET == 0 && fields.all(|field| shown[field] == track.before[field])
    };
    let requirement: &'static Requirement = match field {
        _ if !touched && again => &OVF_08,
        _ if !touched && pred => &PRED_03,
        // If nothing was lost, the update was applied to another state than the one before it.
        _ if !touched => return Suspects::from(&DLT_38).or_if(!after_loss, &SVC_12),
        _ if again && ignored() => &OVF_08,
        _ if after_loss && ignored() => &DLT_38,
        // It came without RESET, and what was not carried since is the baseline's or null.
        _ if vague && track.left_delivered && kept => &RMV_03,
        _ if vague => &RST_06,
        _ if MOVEMENT_FIELDS.contains(&field) && right == 0 => &PRED_02,
        _ if flagged && pred && !kept && right == track.before[field] => &PRED_03,
        _ if !flagged && pred && flags & UF_RESET == 0 => &PRED_03,
        _ if flagged && after_loss && kept => &DLT_38,
        _ if flagged && right == 0 && kept => &DLT_41,
        _ if flagged && session.delivered_changed => &HS_18,
        _ if flagged && has_obsolete_extensions(&session.delivered_dialect) => &SVC_11,
        _ if flagged => return carried_value_shown(wrong),
        _ if flags & UF_RESET != 0 => return reset_value_shown(wrong),
        _ if after_loss => &DLT_38,
        _ => &DLT_03,
    };
    Suspects::from(requirement)
}

fn carried_value_shown(wrong: &WrongShown<'_>) -> Suspects {
    let WrongShown { session, track, field, shown, .. } = *wrong;
    let flags = track.touched_flags;
    let (right, before) = (&track.delivered, &track.before);
    let value = WrongValue { field, flags, before, wrong: shown, right, quantiser: &session.quantiser };
    let agreed = session.delivered_dialect.extensions.float_coords();
    if let Some(suspects) = value.float_coords(session, agreed) {
        suspects
    } else if WIDENED.contains(&field) && flags & UF_16BIT != 0 && shown[field] == right[field] & 0xff {
        Suspects::from(&DLT_12)
    } else {
        value.coding()
    }
}

fn reset_value_shown(wrong: &WrongShown<'_>) -> Suspects {
    let WrongShown { session, number, track, field, shown, .. } = *wrong;
    let baseline = session.delivered_baselines.get(number).unwrap_or(&Entity::NULL);
    let left_out = left_to(baseline, track.touched_flags);
    let kept = shown[field] == track.before[field];
    // Of a baseline that has more than one field nothing is left: it was not taken at all.
    let none_taken = left_out.clone().count() > 1 && left_out.clone().all(|field| shown[field] == Entity::NULL[field]);
    let requirement: &'static Requirement = if none_taken {
        announcement(&session.delivered_dialect, SVC_SPAWNBASELINE2)
    } else if shown[field] == Entity::NULL[field] && baseline[field] != shown[field] {
        &SVC_08
    } else if track.touched_known && kept {
        &RST_01
    } else if track.left_delivered && kept {
        &RST_10
    } else if baseline[field] == Entity::NULL[field] && session.delivered_epoch > 1 {
        &SVC_07
    } else {
        &RST_01
    };
    // The baseline may have been taken for that of another number.
    if number > 0x7fff { Suspects::from(&ENT_03).or(requirement) } else { Suspects::from(requirement) }
}

/// The fields of a baseline that an update leaves to it.
fn left_to(baseline: &Entity, flags: u64) -> impl Iterator<Item = usize> + Clone {
    (0..FIELDS)
        .filter(move |&field| baseline[field] != Entity::NULL[field] && flag_of(field) & !fields_of_update(flags) != 0)
}

/// What a client violates that calls unreadable what it must be able to read.
pub fn refused(unfamiliar: &Unfamiliar) -> Suspects {
    let Some(new) = unfamiliar.field else {
        return Suspects::from(match unfamiliar.coding {
            Some(CodingForm::Remove) => &ENT_09,
            Some(CodingForm::LargeIndex) => &ENT_05,
            Some(CodingForm::LongIndex) => &ENT_08,
            Some(CodingForm::FlagBytes(_)) => &DLT_01,
            Some(CodingForm::ZeroFlagByte(_)) => &DLT_02,
            None => &ENT_10,
        });
    };
    Suspects::from(coding_of(new.field, new.flags, new.direct_colours))
        .or_if(new.field == TAGENTITY, if new.wide { &ENT_02 } else { &ENT_01 })
        .or_if(WIDENED.contains(&new.field) && new.wide, &DLT_12)
        .or_if(flag_of(new.field) >= UF_DRAWFLAGS as u32, &DLT_36)
}

/// The requirement about the coding of a field, by the flags of the update that carried it, of an entity with colours of its
/// own or without.
fn coding_of(field: usize, flags: u64, direct_colours: bool) -> &'static Requirement {
    match field {
        PITCH | YAW | ROLL if flags & UF_PREDINFO != 0 => &DLT_09,
        COLORMAP if direct_colours => &DLT_21,
        VELOCITY_X | VELOCITY_Y | VELOCITY_Z => &PRED_04,
        WEAPONFRAME => &PRED_05,
        VIEW_PITCH | VIEW_YAW | VIEW_ROLL => &PRED_07,
        _ => coding_of_group(field).unwrap_or(&PRED_01),
    }
}
