//! Values that the server sends, against those of the world at that moment.

use super::*;

/// A field of an update that has another value than the entity.
pub(super) struct Wrong<'b> {
    /// The entity.
    pub number: u32,
    /// The field.
    pub field: usize,
    /// The update's flags.
    pub flags: u64,
    /// The update from its flags on, and what comes behind it.
    pub bytes: &'b [u8],
    /// How many flag bytes it has.
    pub flag_bytes: usize,
}

/// Notes by which reading of an ambiguous place the server writes.
pub(super) fn remark_dialect(report: &mut Report, flags: u64, gate: u64, held: &Entity, truth: Option<&Entity>) {
    if flags & UF_SKIN != 0 && flags & UF_16BIT == 0 && (128..256).contains(&held[SKIN]) {
        report.remark(match truth {
            Some(truth) if truth[SKIN] < 0 => "negative skins are written in 8 bits (erratum E8; legal)",
            _ => "skins from 128 to 255 are written in 8 bits (erratum E8; legal)",
        });
    }
    if flags & UF_DRAWFLAGS != 0 && held[DRAWFLAGS] & 7 == 6 {
        report.remark(match gate & delta::ABSLIGHT_FROM_6 != 0 {
            true => "abslight follows low drawflags of 6 (erratum E9; as the scenario has it)",
            false => "no abslight follows low drawflags of 6 (erratum E9; as the scenario has it)",
        });
    }
    if flags & UF_FLAGS != 0 && held[FLAGS] & 128 != 0 {
        report.remark("flag 128 is sent, which engines do not agree about (erratum E10; legal)");
    }
}

impl ServerEar<'_> {
    /// Which of the updated fields is wrong, first on the wire: its flag and itself. Fields from `end` on are not looked
    /// at.
    pub(super) fn first_wrong(
        &self,
        flags: u64,
        start: &Entity,
        held: &Entity,
        truth: &Entity,
        end: usize,
    ) -> Option<usize> {
        let grain = &self.book.grain;
        for bit in each(fields_of_update(flags)).filter(|&bit| bit < end) {
            if 1 << bit == UF_PREDINFO {
                // What is not there is zero; a server may leave out what it does not predict.
                let moved = MOVEMENT_FIELDS.iter().find(|&&field| held[field] != 0 && held[field] != truth[field]);
                if let Some(&field) = moved {
                    return Some(field);
                }
            }
            if let Some(field) = grain.first_difference(bit, held, truth) {
                return Some(field);
            }
            if 1 << bit == UF_PREDINFO && grain.predinfo() {
                let view = [VIEW_PITCH, VIEW_ROLL, VIEW_YAW];
                let wrong = |field: &usize| held[*field] != start[*field] && held[*field] != truth[*field];
                if let Some(field) = view.into_iter().find(wrong) {
                    return Some(field);
                }
            }
        }
        None
    }

    /// A carried value is not the present one.
    pub(super) fn misvalued(&mut self, wrong: Wrong<'_>, start: &Entity, truth: &Entity, owed: u32) {
        let Wrong { number, field, flags, bytes, flag_bytes } = wrong;
        let Some(track) = self.book.tracks.get_mut(number) else { return };
        let (held, shadow) = (track.shadow[field], track.shadow);
        let flag = crate::oracle::field::flag_of(field);
        track.reported |= flag;
        let wants_float = self.book.options.client_extensions.float_coords();
        let requirement = match field {
            _ if owed & flag != 0 && held == start[field] => &DLT_37,
            EFFECTS if held == truth[field] & 0xff || held == truth[field] & 0xffff => &DLT_11,
            FRAME | MODEL | SKIN | MODELINDEX2 if flags & UF_16BIT == 0 && held == truth[field] & 0xff => &DLT_13,
            _ if obsolete(&self.book.dialect) && held != start[field] => &SVC_11,
            ORIGIN_X..=ORIGIN_Z
                if self.book.dialect.extensions.float_coords()
                    && held == kit::table::Kind::Coord16.quantise(truth[field]) =>
            {
                &HS_22
            }
            ORIGIN_X..=ROLL if wants_float && held != start[field] => &HS_21,
            _ if held == start[field] => &DLT_37,
            _ => coding_of(field, flags, truth),
        };
        if self.spoiled {
            return;
        }
        let what = {
            let name = FIELD_TABLE[field].name;
            let (held, truth) = (show(field, held), show(field, truth[field]));
            format!("entity {number} is sent with {name} {held}; at that moment it is {truth}")
        };
        self.spoil(requirement, |_| what.clone());
        if owed & flag != 0 && held == start[field] {
            return;
        }
        let gate = self.book.dialect.gate;
        let layout = misread(bytes, flag_bytes, flags, truth, gate);
        let order = order_differs(flags, &shadow, truth, &self.book.grain, gate).then_some(&DLT_04);
        let more = layout.into_iter().chain(order).chain(also(field, held, truth, gate));
        for other in more.filter(|other| other.id != requirement.id) {
            self.find(other, |_| what.clone());
        }
    }
}
