//! Which duty a client breaks whose field is wrong.

use super::*;

impl Eye<'_> {
    /// What else a wrong field breaks.
    pub(super) fn more(
        &self,
        number: u32,
        track: &Track,
        field: usize,
        fields: &[i32],
        touched: bool,
    ) -> impl Iterator<Item = &'static Requirement> + use<> {
        let (flags, gate) = (track.touched_flags, self.book.heard_dialect.gate);
        let flagged = touched && fields_of_update(flags) & flag_of(field) != 0;
        let shown = fields.first_chunk().map_or(Entity::NULL, |fields| Entity(*fields));
        let order = flagged && order_differs(flags, &shown, &track.mirror, &self.book.grain, gate);
        let based = touched && !flagged && flags & UF_RESET != 0 && number > 0x7fff;
        let also = flagged.then(|| also(field, fields[field], &track.mirror, gate));
        let more = [order.then_some(&DLT_04), based.then_some(&ENT_03)];
        more.into_iter().flatten().chain(also.into_iter().flatten())
    }

    /// Which duty a wrong field breaks.
    pub(super) fn which(
        &self,
        number: u32,
        track: &Track,
        field: usize,
        fields: &[i32],
        touched: bool,
    ) -> &'static Requirement {
        let flags = track.touched_flags;
        let shown = fields[field];
        let was = shown == track.before[field];
        let flagged = fields_of_update(flags) & flag_of(field) != 0 || (touched && flag_of(field) == 0);
        let pred = matches!(field, MOVETYPE | WEAPONFRAME);
        let again = self.book.look_messages > 1 || self.book.look_same_time;
        // The client left the whole update out.
        let ignored = || {
            let mut carried = (0..FIELDS).filter(|&field| fields_of_update(flags) & flag_of(field) != 0);
            track.touched_known && flags & UF_RESET == 0 && carried.all(|field| fields[field] == track.before[field])
        };
        match field {
            _ if !touched && again => &OVF_08,
            _ if !touched && pred => &PRED_03,
            _ if !touched => &DLT_38,
            _ if again && ignored() => &OVF_08,
            _ if self.book.heard_after_loss && ignored() => &DLT_38,
            // It came without RESET, and what was not carried since is the baseline's or null.
            _ if track.vague & flag_of(field) != 0 && track.left_mirror && was => &RMV_03,
            _ if track.vague & flag_of(field) != 0 => &RST_06,
            _ if MOVEMENT_FIELDS.contains(&field) && track.mirror[field] == 0 => &PRED_02,
            _ if flagged && pred && shown != track.before[field] && track.mirror[field] == track.before[field] => {
                &PRED_03
            }
            _ if !flagged && pred && flags & UF_RESET == 0 => &PRED_03,
            _ if flagged && self.book.heard_after_loss && shown == track.before[field] => &DLT_38,
            _ if flagged && track.mirror[field] == 0 && shown == track.before[field] => &DLT_41,
            _ if flagged && self.book.heard_changed => &HS_18,
            _ if flagged && obsolete(&self.book.heard_dialect) => &SVC_11,
            ORIGIN_X..=ORIGIN_Z
                if flagged
                    && self.book.heard_dialect.extensions.float_coords()
                    && shown == kit::table::Kind::Coord16.quantise(track.mirror[field]) =>
            {
                &HS_22
            }
            ORIGIN_X..=ROLL if flagged && self.book.options.client_extensions.float_coords() => &HS_21,
            FRAME | MODEL | SKIN | MODELINDEX2
                if flagged && flags & UF_16BIT != 0 && shown == track.mirror[field] & 0xff =>
            {
                &DLT_12
            }
            _ if flagged => coding_of(field, flags, &track.mirror),
            _ if flags & UF_RESET != 0 => {
                let baseline = self.book.heard_baselines.get(number).unwrap_or(&Entity::NULL);
                // Of a baseline that has more than one field nothing is left: it was not taken at all.
                let left = (0..FIELDS).filter(|&field| {
                    baseline[field] != Entity::NULL[field] && flag_of(field) & !fields_of_update(flags) != 0
                });
                let (count, null) = left
                    .fold((0, true), |(count, null), field| (count + 1, null && fields[field] == Entity::NULL[field]));
                match shown {
                    _ if count > 1 && null => announcement(&self.book.heard_dialect, SVC_SPAWNBASELINE2),
                    _ if shown == Entity::NULL[field] && baseline[field] != shown => &SVC_08,
                    _ if track.touched_known && was => &RST_01,
                    _ if track.left_mirror && was => &RST_10,
                    _ if baseline[field] == Entity::NULL[field] && self.book.heard_epoch > 1 => &SVC_07,
                    _ => &RST_01,
                }
            }
            _ if self.book.heard_after_loss => &DLT_38,
            _ => &DLT_03,
        }
    }
}
