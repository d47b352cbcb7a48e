//! Updates of entities, against the world at that moment, and whether new entities begin as such.

use super::*;
use crate::constants::field_names::PREDBITS;
use crate::delta::{self, ENTITY_ROWS, PRED_ROWS};
use crate::dialect::Dialect;
use crate::oracle::diagnosis::value::{CODINGS, WrongValue, wrong_value_sent};
use crate::oracle::diagnosis::{Unfounded, new_entity, unfounded};
use crate::oracle::field::{each, fields_of_update, flag_of, read_update, repeats, show};
use crate::oracle::retransmission;
use crate::oracle::session::frames::Frame;
use crate::oracle::update_coverage::saw_update;
use crate::state::*;
use kit::Reader;

checks! {
    NEW_ENTITIES_ARE_RESET = "new-entities-are-reset": ENT_05, ENT_06, ENT_07, RMV_07, RST_02 [NewEntity], RST_08 [Returned],
        RMV_09 [ResentAfterRemoveAll], HIST_14 [OldAckInNewMap], OVF_05;
    SECOND_UPDATES_ARE_RESET = "second-updates-are-reset": RST_03 [SecondUpdate];
    ENTITIES_UPDATED_EXIST = "entities-updated-exist" knows World: RMV_07 [LostUpdateOfDead],
        ENT_05 [Remove NewEntity] [ExtendedNumber], ENT_06 [ExtendedNumber], ENT_07 [ExtendedNumber],
        ENT_12 [HugeNumber], HIST_14;
    VALUES_ARE_CURRENT = "values-are-current" knows World, CODINGS and: DLT_11 [EffectsShrank],
        DLT_13 [WideForAnother], DLT_37 [LostDelta ResentAfterChange], HS_21, HS_22, SVC_11;
    RESETS_ARE_COMPLETE = "resets-are-complete" knows World: RST_04 [ResetWithFields], RST_05 [NewEntity Baseline];
}

/// Notes by which reading of an ambiguous place the server writes.
fn remark_reading(report: &mut Report, flags: u64, gate: u64, held: &Entity, truth: Option<&Entity>) {
    if flags & (UF_SKIN | UF_DRAWFLAGS | UF_FLAGS) == 0 {
        return;
    }
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
        report.remark("flag 128 is sent, which engines read differently (erratum E10; legal)");
    }
}

/// What an update did to what a receiver of everything that was sent holds.
struct Applied {
    number: u32,
    flags: u64,
    /// The receiver held the entity.
    known: bool,
    /// It was new with the update before.
    was_fresh: bool,
    /// The entity before.
    start: Entity,
    /// The entity now.
    held: Entity,
    /// Why it was not held before.
    gone: Gone,
    /// The flags carried that had been lost.
    lost: u32,
    /// It had to wait for room.
    waited: bool,
    /// The flags carried, in which the entity is not as it is in the world.
    differs: u32,
}

/// Flags that can come with anything, in every frame.
const MOVED: u32 = (UF_ORIGINXY | UF_ORIGINZ | UF_ANGLESXZ | UF_ANGLESY) as u32;

/// Whether the repair of what frame `lost_in` carried of an entity is the first that shows a server that waits for nothing.
fn is_repaired_at_once(session: &Session, number: u32, lost_in: u32) -> bool {
    let carries = |frame: &Frame| frame.entries.iter().any(|entry| entry.number == number);
    !session.repairs.at_once && retransmission::is_repair_at_once(session, lost_in, carries)
}

impl ServerTx<'_> {
    pub(super) fn update_entity(
        &mut self,
        number: u32,
        flags: u64,
        r: &mut Reader<'_>,
        dialect: &Dialect,
    ) -> Result<(), DecodeError> {
        let sequence = self.sequence.unwrap_or_default();
        let (known_world, truth) = (self.session.judges_truth(), self.truth.world.live.get(number));
        let session = &mut *self.session;
        let baseline = session.baselines.get(number).unwrap_or(&Entity::NULL);
        let place = session.tracks.place(number);
        let track = session.tracks.at_mut(place);
        let (reset, known) = (flags & UF_RESET != 0, track.in_sent);
        if !known {
            track.sent = *baseline;
        }
        let start = track.sent;
        let (carried, read) = read_update(r, flags, baseline, &mut track.sent, dialect.gate);
        let (written, coding) = (&session.written, &self.coding);
        self.unfamiliar.update(written, coding, number, flags, &track.sent, dialect.predinfo());
        let usual = known && known_world && read.is_ok() && track.is_usual(flags, carried);
        if let Some(truth) = truth.filter(|truth| usual && self.changes_to_truth(place, flags, &start, truth)) {
            self.take_usual(place, flags, &start, truth, dialect);
            return read;
        }
        let session = &mut *self.session;
        let in_flight = session.in_flight();
        let track = session.tracks.at_mut(place);
        track.in_sent = true;
        let was_fresh = std::mem::replace(&mut track.fresh, !known && reset);
        let repeated = known && repeats(flags, &start, &track.sent);
        let lost = track.lost & carried;
        track.lost &= !carried;
        if lost != 0 && repeated {
            session.repairs.done += 1;
            if let Some(frame) = session.frames.get_mut(track.lost_in) {
                frame.repaired = true;
            }
        }
        let unasked = repeated && !reset && track.set_since & carried == 0;
        let repaired = (unasked && lost == carried && carried & !MOVED != 0).then_some(track.lost_in);
        if lost == 0 && unasked && flags & UF_PREDINFO == 0 {
            let newest = each(fields_of_update(flags)).filter_map(|bit| track.last_carrier(bit)).max();
            if let Some(carrier) = newest.and_then(|newest| session.frames.get(newest)) {
                session.unneeded.repeated(carrier, session.frames_sent, session.acked_to, in_flight);
            }
            self.report.remark("a value that the client has was sent again (legal)");
        }
        let waited = track.pending != 0 && session.last.full > track.pending_since;
        track.carried(carried, sequence);
        let differs = self.note_pending(number, carried, known, truth);
        let session = &mut *self.session;
        session.repairs.at_once |= repaired.is_some_and(|lost_in| is_repaired_at_once(session, number, lost_in));
        let Some(track) = session.tracks.get_mut(number) else { return read };
        track.reborn &= !reset;
        track.reported &= !carried;
        saw_update(self.report, number, flags, &start, &track.sent, known, dialect);
        self.report.saw_if(lost != 0 && !repeated, Point::ResentAfterChange);
        remark_reading(self.report, flags, dialect.gate, &track.sent, truth);
        let (held, gone) = (track.sent, track.gone);
        if let Some(frame) = session.frames.get_mut(sequence) {
            let how = if reset { How::Reset } else { How::Delta };
            frame.entries.push(Carried { number, flags: carried, how, repair: lost != 0 });
        }
        let update = Applied { number, flags, known, was_fresh, start, held, gone, lost, waited, differs };
        self.look_at(&update, truth.filter(|_| known_world), known_world, read.as_ref().err());
        read
    }

    /// What an update says of an entity's life, and whether anything about it has to be judged.
    fn look_at(&mut self, update: &Applied, truth: Option<&Entity>, known_world: bool, error: Option<&DecodeError>) {
        let Applied { flags, known, was_fresh, .. } = *update;
        let reset = flags & UF_RESET != 0;
        let seen = self.session.unseen.is_none();
        self.report.saw_if(!known && reset && seen, Point::NewEntity);
        self.report.saw_if(!known && update.gone != Gone::Never && seen, Point::Returned);
        self.report.saw_if(was_fresh && seen, Point::SecondUpdate);
        let as_in_the_world = truth.is_some() == known_world && update.differs == 0 && flags & UF_PREDINFO == 0;
        let changes_one_known = known && (reset || !was_fresh) && error.is_none();
        if !(self.garbled || changes_one_known && as_in_the_world) {
            self.check_update(update, truth, known_world, error);
        }
    }

    /// Whether what an update carries was otherwise before, and is now as in the world.
    #[inline]
    fn changes_to_truth(&self, place: usize, flags: u64, start: &Entity, truth: &Entity) -> bool {
        let held = &self.session.tracks.at(place).sent;
        let differs = self.session.quantiser.differing(fields_of_update(flags), held, truth);
        differs == 0 && !repeats(flags, start, held)
    }

    /// Notes an update that brings an entity that the receiver has to what it is in the world, where nothing that was lost,
    /// waits or is in doubt has to do with it: most are so.
    fn take_usual(&mut self, place: usize, flags: u64, start: &Entity, truth: &Entity, dialect: &Dialect) {
        let sequence = self.sequence.unwrap_or_default();
        let session = &mut *self.session;
        let number = session.tracks.number(place);
        let track = session.tracks.at_mut(place);
        let carried = fields_of_update(flags) | EXIST;
        track.carried(carried, sequence);
        track.pending = 0;
        track.reported &= !carried;
        saw_update(self.report, number, flags, start, &track.sent, true, dialect);
        remark_reading(self.report, flags, dialect.gate, &track.sent, Some(truth));
        if let Some(frame) = session.frames.get_mut(sequence) {
            frame.entries.push(Carried { number, flags: carried, how: How::Delta, repair: false });
        }
    }

    /// Notes in what the entity now differs from the world; the carried flags of that.
    fn note_pending(&mut self, number: u32, carried: u32, known: bool, truth: Option<&Entity>) -> u32 {
        let session = &mut *self.session;
        let Some(track) = session.tracks.get_mut(number) else { return 0 };
        let before = track.pending;
        let mut differs = 0;
        track.pending = match truth {
            Some(truth) => {
                let checked = if known { carried } else { ALL };
                differs = session.quantiser.differing(checked, &track.sent, truth);
                before & !(checked | EXIST) | differs
            }
            None if self.truth.unknown.is_some() => 0,
            None => EXIST,
        };
        if before == 0 && track.pending != 0 {
            track.pending_since = session.frames_sent;
        }
        if track.pending != 0 && truth.is_some() && !std::mem::replace(&mut track.in_unsent, true) {
            session.unsent.push(number);
        }
        differs
    }

    /// Checks an update. `truth` is the entity, if the world is known and has it; `error` is where the update could not
    /// be read.
    fn check_update(
        &mut self,
        update: &Applied,
        truth: Option<&Entity>,
        known_world: bool,
        error: Option<&DecodeError>,
    ) {
        let Applied { number, flags, known, was_fresh, .. } = *update;
        let reset = flags & UF_RESET != 0;
        if known_world && truth.is_none() {
            return self.unfounded(number, known);
        }
        if let Some(error) = error {
            if let Some((truth, field)) = truth.and_then(|truth| {
                Some((truth, self.first_wrong(flags, &update.start, &update.held, truth, unread_from(error))?))
            }) {
                self.wrong_value(update, field, truth);
            }
            return;
        }
        let founded = self.session.judges_delivery() && self.session.unseen.is_none();
        if !known && !reset && founded {
            let old = self.session.previous_map.binary_search(&number).is_ok();
            let why = match update.gone {
                Gone::Never if old => "was in the map before, and is new in this one",
                _ if update.waited => "had to wait for room",
                Gone::Never => "is new to the client",
                Gone::Removed => "was removed, and is back",
                Gone::RemovedWithAll => "was removed with all others",
            };
            let suspects = new_entity(update.gone, old, update.waited);
            let suspects = match update.gone {
                // Perhaps what was lost before the remove is sent again.
                Gone::Removed => suspects.or_if(self.truth.unknown.is_some(), &RMV_07),
                // Or the number is another's.
                _ if self.unfamiliar.index_first => self.or_misread(suspects),
                _ => suspects,
            };
            self.fail(&NEW_ENTITIES_ARE_RESET, suspects, |_| {
                format!("entity {number} {why}, yet its update has no RESET")
            });
        }
        let second = match self.session.vantage.demo {
            None => !reset && founded,
            Some(_) => {
                let (session, frame) = (&mut *self.session, self.sequence.unwrap_or_default());
                was_fresh && session.judges_delivery() && session.seconds.never_reset(reset, frame, &session.steps)
            }
        };
        self.report.saw_if(was_fresh && second, Point::SecondUpdate);
        if was_fresh && second {
            self.fail(&SECOND_UPDATES_ARE_RESET, &RST_03, |_| {
                format!("the second update of the new entity {number} has no RESET")
            });
        }
        let Some(truth) = truth else { return };
        if known && (reset || !was_fresh) && update.differs == 0 && flags & UF_PREDINFO == 0 {
            return;
        }
        // A wrong field is most likely what was written wrongly first.
        if let Some(field) = self.first_wrong(flags, &update.start, &update.held, truth, 32) {
            self.wrong_value(update, field, truth);
        } else if reset {
            self.check_reset(number, flags, &update.held, truth);
        }
    }

    /// An update is about an entity that is not there.
    fn unfounded(&mut self, number: u32, known: bool) {
        if let Some(track) = self.session.tracks.get_mut(number) {
            track.reported = ALL;
        }
        let suspects = unfounded(&Unfounded { session: self.session, world: &self.truth.world, number, known });
        self.fail_all(&ENTITIES_UPDATED_EXIST, suspects, |_| {
            format!("entity {number} is updated, but it is not in the world")
        });
    }

    /// Which of the updated fields is wrong, first on the wire: its flag and itself. Fields from `end` on are not looked
    /// at.
    fn first_wrong(&self, flags: u64, start: &Entity, held: &Entity, truth: &Entity, end: usize) -> Option<usize> {
        let quantiser = &self.session.quantiser;
        for bit in each(fields_of_update(flags)).filter(|&bit| bit < end) {
            if 1 << bit == UF_PREDINFO {
                // What is not there is zero; a server may leave out what it does not predict.
                let moved = MOVEMENT_FIELDS.iter().find(|&&field| held[field] != 0 && held[field] != truth[field]);
                if let Some(&field) = moved {
                    return Some(field);
                }
            }
            if let Some(field) = quantiser.first_difference(bit, held, truth) {
                return Some(field);
            }
            if 1 << bit == UF_PREDINFO && quantiser.predinfo() {
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
    fn wrong_value(&mut self, update: &Applied, field: usize, truth: &Entity) {
        let Applied { number, flags, start, held, lost, .. } = update;
        let flag = flag_of(field);
        if let Some(track) = self.session.tracks.get_mut(*number) {
            track.reported |= flag;
        }
        let quantiser = &self.session.quantiser;
        let value = WrongValue { field, flags: *flags, before: start, wrong: held, right: truth, quantiser };
        let suspects = wrong_value_sent(self.session, value, lost & flag != 0);
        self.fail_all(&VALUES_ARE_CURRENT, suspects, |_| {
            let name = FIELD_TABLE[field].name;
            let (held, truth) = (show(field, held[field]), show(field, truth[field]));
            format!("entity {number} is sent with {name} {held}; at that moment it is {truth}")
        });
    }

    /// After a RESET the entity must be as it is in the fields left to the baseline.
    fn check_reset(&mut self, number: u32, flags: u64, held: &Entity, truth: &Entity) {
        let left_out = self.session.quantiser.differing(ALL & !fields_of_update(flags), held, truth);
        let Some(bit) = each(left_out).next() else { return };
        let Some(field) = self.session.quantiser.first_difference(bit, held, truth) else { return };
        if let Some(track) = self.session.tracks.get_mut(number) {
            track.reported |= left_out;
        }
        let meant = self.truth.world.baselines.get(number).unwrap_or(&Entity::NULL);
        let misled = self.session.quantiser.same(field, meant[field], truth[field]);
        let suspects = if misled { &RST_05 } else { &RST_04 };
        self.fail(&RESETS_ARE_COMPLETE, suspects, |_| {
            format!(
                "RESET of entity {number} leaves {} out: the baseline that the client was given has {}, the entity {}",
                FIELD_TABLE[field].name,
                show(field, held[field]),
                show(field, truth[field])
            )
        });
    }
}

/// The first flag that an error leaves unread.
fn unread_from(error: &DecodeError) -> usize {
    let row = ENTITY_ROWS.iter().find(|row| row.name == error.field);
    let pred = PRED_ROWS.iter().any(|row| row.name == error.field) || error.field == PREDBITS;
    match row {
        Some(row) if !pred => (row.raise & kit::table::WIRE).trailing_zeros() as usize,
        _ if pred => 6,
        _ if error.field == "abslight" => 19,
        _ => 22,
    }
}
