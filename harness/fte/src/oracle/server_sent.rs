//! What the server sends, against the truth: well-formed, present values, complete, nothing else.

mod listener;
mod value;

use super::asides::{announcement, obsolete};
use super::attribution::{also, misread, order_differs};
use super::book::{Book, put_stat, same_stat};
use super::coverage::{Point, Report};
use super::duty::carried_by;
use super::establishment::asks_for_extensions;
use super::field::{ALL, EXIST, coding_of, each, fields_of_update, repeats, show};
use super::frames::{Carried, Frames, How, REMEMBERED};
use super::observed::saw_update;
use super::track::Gone;
use crate::constants::*;
use crate::delta::{self, Coding, ENTITY_ROWS, Entry, PRED_ROWS};
use crate::dialect::{Dialect, Transport};
use crate::message::{Carrier, Listener, UpdateStart};
use crate::requirements::*;
use crate::state::World;
use crate::state::*;
use kit::{DecodeError, ErrorKind, Reader, Requirement, StatValue, Time};
use netquake::constants::PROTOCOL_NETQUAKE;
use value::{Wrong, remark_dialect};

/// Hears one datagram of the server as it is sent.
pub struct ServerEar<'a> {
    /// The session.
    pub book: &'a mut Book,
    /// The truth.
    pub world: &'a World,
    /// Where findings go.
    pub report: &'a mut Report,
    /// When it is sent.
    pub now: Time,
    /// The datagram's number, if it is not reliable alone.
    pub sequence: Option<u32>,
    /// Entity frames in it.
    pub messages: u32,
    /// The highest entity number in the present message.
    pub highest: u32,
    /// The lowest in the datagram.
    pub lowest: u32,
    entries: u32,
    /// A finding explains what else is wrong with this datagram.
    pub spoiled: bool,
    /// What was read last.
    newest: Option<Entry>,
    /// And what before that.
    before: Option<Entry>,
    coding: Coding,
    reliable: bool,
    /// The service being read, and the one before it.
    services: [u8; 2],
    /// The statistic that follows has NetQuake's own form.
    plain_stat: bool,
    /// A session begins in it.
    pub began: bool,
    /// It asks for the client's extensions.
    pub asks: bool,
}

impl<'a> ServerEar<'a> {
    /// For a datagram numbered `sequence`.
    pub fn new(
        book: &'a mut Book,
        world: &'a World,
        report: &'a mut Report,
        now: Time,
        sequence: Option<u32>,
    ) -> ServerEar<'a> {
        super::server_frames::end_tick(book, report, Some(now));
        if let Some(sequence) = sequence {
            book.frames.open(sequence, book.epoch, now);
        }
        ServerEar {
            book,
            world,
            report,
            now,
            sequence,
            messages: 0,
            highest: 0,
            lowest: u32::MAX,
            entries: 0,
            spoiled: false,
            newest: None,
            before: None,
            coding: Coding::default(),
            reliable: false,
            services: [0; 2],
            plain_stat: false,
            began: false,
            asks: false,
        }
    }

    /// Adds a finding about the server.
    pub fn find(&mut self, requirement: &'static Requirement, what: impl FnOnce(&Book) -> String) {
        let frame = self.sequence.map_or(String::from("reliable message"), |sequence| format!("frame {sequence}"));
        let book = &*self.book;
        self.report
            .find(requirement, self.now, kit::HostId::SERVER, || format!("{frame} to {}: {}", book.host, what(book)));
    }

    /// A finding that makes all else in this datagram doubtful.
    fn spoil(&mut self, requirement: &'static Requirement, what: impl FnOnce(&Book) -> String) {
        if !std::mem::replace(&mut self.spoiled, true) {
            self.find(requirement, what);
        }
    }

    /// Whether the datagram has an entity frame.
    pub fn has_frame(&self) -> bool {
        self.messages > 0
    }

    /// The datagram could not be read to its end.
    pub fn failed(&mut self, error: &DecodeError) {
        let deltas = self.book.dialect.deltas();
        let unknown = match error.kind {
            ErrorKind::Unknown { value } if error.field == "svc" => Some(value as u8),
            _ => None,
        };
        let truncated = matches!(error.kind, ErrorKind::Truncated { .. });
        if error.field == "protocol version"
            && let ErrorKind::Unknown { value } = error.kind
            && self.book.options.strange_key == Some(value)
        {
            // The scenario wants it so.
            return;
        }
        // The service that was misread, or after which what follows could not be read.
        let misread = if unknown.is_some() { self.services[1] } else { self.services[0] };
        let announced = deltas && matches!(misread, SVC_SPAWNBASELINE2 | SVC_SPAWNSTATIC2);
        let requirement = match (unknown, error.field) {
            (Some(SVC_UPDATEENTITIES | SVC_SPAWNBASELINE2 | SVC_SPAWNSTATIC2 | SVC_CSQCENTITIES), _) if !deltas => {
                if self.book.options.proxy_strips {
                    &HS_06
                } else {
                    &HS_17
                }
            }
            // QuakeWorld's playerinfo, packetentities and deltapacketentities.
            (Some(42 | 47 | 48), _) if deltas => &SVC_01,
            _ if self.before_frames() && deltas && self.big_baselines() => &ENT_03,
            (Some(_), _) if self.newest == Some(Entry::End) && !announced && !obsolete(&self.book.dialect) => {
                match self.before {
                    Some(Entry::Remove(_)) => &ENT_09,
                    None if self.book.places == 0 => &ENT_11,
                    _ => &ENT_10,
                }
            }
            (_, "protocol version" | "extension mask") => &HS_13,
            (_, "entity number") => &ENT_03,
            _ if announced => announcement(&self.book.dialect, misread),
            _ if deltas && misread == SVC_CSQCENTITIES => &SVC_09,
            _ if obsolete(&self.book.dialect) => &SVC_11,
            (_, "UF flags") => match error.kind {
                ErrorKind::Forbidden { value, .. } if value & UF_UNUSED18 as u32 != 0 => &DLT_24,
                _ => &DLT_34,
            },
            (_, "movement sequence") => &PRED_09,
            (_, "servertime") => &SVC_03,
            (_, "entity index") if truncated => &OVF_04,
            _ if matches!(self.newest, Some(Entry::Remove(_))) => &ENT_09,
            _ if self.book.extensions_changed => &HS_18,
            _ if truncated || self.messages > 0 => &OVF_02,
            _ => &HS_13,
        };
        if self.messages > 0 || deltas {
            self.book.unreadable = true;
        }
        self.spoil(requirement, |_| format!("cannot be read to its end: {error}"));
    }

    /// Whether baselines were sent, and no entity frame yet.
    fn before_frames(&self) -> bool {
        self.messages == 0 && self.book.places == 0 && !self.book.baselines.is_empty()
    }

    /// Whether there are baselines whose numbers need the long form of the regular coding.
    fn big_baselines(&self) -> bool {
        self.world.baselines.numbers().last().is_some_and(|&number| number > 0x7fff)
    }

    /// The datagram has more bytes than it may have.
    pub fn too_long(&mut self, payload_bytes: usize, limit: usize) {
        self.find(&OVF_02, |_| format!("{payload_bytes} bytes of messages, the limit is {limit}"));
    }

    /// An entry is about an entity that is not there: a finding, and which one. `known`: a receiver of everything had it.
    fn unfounded(&mut self, number: u32, removed: bool, known: bool) {
        let live = &self.world.live;
        // A number that is another entity's, wrongly coded.
        let misread = live.iter().map(|(real, _)| real).filter(|&real| real > INDEX_NUMBER.into()).find_map(|real| {
            let low = real & u32::from(INDEX_NUMBER);
            let requirement = match number {
                _ if removed => return (number == low).then_some((&ENT_05, real)),
                _ if number == low | (real >> 15) << 14 || number == low | (real >> 8 & 0xff) << 14 => &ENT_06,
                _ if real > 0xffff && number == real & 0xffff => &ENT_12,
                _ if number & u32::from(INDEX_NUMBER) == low => &ENT_07,
                _ => return None,
            };
            Some((requirement, real))
        });
        if removed && misread.is_none() {
            return;
        }
        if let Some(track) = self.book.tracks.get_mut(number) {
            track.reported = ALL;
        }
        if let Some((requirement, real)) = misread {
            return self.spoil(requirement, |_| {
                format!(
                    "an entry for entity {number}, which is not in the world; entity {real}, coded wrongly, is read so"
                )
            });
        }
        let tracks = &self.book.tracks;
        let leaving = number & u32::from(INDEX_NUMBER);
        let held = if leaving == number { known } else { tracks.get(leaving).is_some_and(|track| track.in_shadow) };
        if held && live.get(leaving).is_none() && leaving > 0 && !removed {
            return self.spoil(&ENT_05, |_| {
                format!("an entry updates entity {number}; entity {leaving} is gone, and it should be its removal")
            });
        }
        let old = self.book.previous_map.binary_search(&number).is_ok();
        let requirement = if old { &HIST_14 } else { &RMV_07 };
        self.spoil(requirement, |_| format!("entity {number} is updated, but it is not in the world"));
    }

    fn remove_all(&mut self) {
        if self.entries > 0 {
            self.find(&RMV_11, |_| String::from("the remove-all comes behind entries, and so discards them"));
        }
        let (book, world) = (&mut *self.book, self.world);
        let sequence = self.sequence.unwrap_or_default();
        let newest = book.acked_to.and_then(|newest| book.frames.get(newest)).map_or(0, |frame| frame.place);
        if book.reset_asked.is_none() && book.places > 0 {
            book.waste.restarts(book.in_flight());
        }
        if book.reset_asked.is_none() && book.places > newest + super::duty::TRACKABLE {
            self.report.remark("with too many frames in flight the server starts over (erratum E6; legal)");
        }
        if book.reset_asked.take().is_some() {
            book.needless_resets = 0;
        }
        let mut held = false;
        for (number, track) in book.tracks.iter_mut() {
            // Whoever starts over is owed the time that starting takes.
            track.pending_since = book.places;
            track.carried(ALL, sequence);
            if !track.in_shadow && !track.in_mirror {
                continue;
            }
            held |= track.in_shadow;
            track.in_shadow = false;
            track.gone = Gone::RemovedWithAll;
            if track.owed != 0 && track.owed_how == How::RemoveAll {
                book.repairs += 1;
            }
            track.owed = 0;
            track.fresh = false;
            track.reborn = false;
            track.pending = 0;
            if world.live.get(number).is_some() {
                track.pending = EXIST;
                if !std::mem::replace(&mut track.in_stale, true) {
                    book.stale.push(number);
                }
            }
        }
        self.report.saw_if(held && !world.live.is_empty(), Point::ResentAfterRemoveAll);
        book.unreadable = false;
        if let Some(frame) = book.frames.get_mut(sequence) {
            frame.remove_all = true;
        }
    }

    fn remove(&mut self, number: u32) {
        let sequence = self.sequence.unwrap_or_default();
        let judged = self.book.judges_truth() && !self.spoiled;
        let alive = self.world.live.get(number).is_some();
        let track = self.book.tracks.entry(number);
        let repair = track.owed & EXIST != 0;
        self.report.saw_if(track.pending & !EXIST != 0 || track.owed & !EXIST != 0, Point::RemovedWhilePending);
        self.book.repairs += u32::from(repair && !track.in_shadow);
        if repair && let Some(frame) = self.book.frames.get_mut(track.owed_from) {
            frame.repaired = true;
        }
        let known = std::mem::replace(&mut track.in_shadow, false);
        let again = std::mem::replace(&mut track.gone, Gone::Removed) == Gone::Removed;
        track.owed = 0;
        track.fresh = false;
        track.reborn = false;
        track.carried(ALL, sequence);
        track.pending = if alive { EXIST } else { 0 };
        if alive {
            track.pending_since = self.book.places;
            if !std::mem::replace(&mut track.in_stale, true) {
                self.book.stale.push(number);
            }
        }
        if let Some(frame) = self.book.frames.get_mut(sequence) {
            frame.entries.push(Carried { number, flags: ALL, how: How::Remove, repair });
        }
        self.book.tidy();
        self.report.saw(Point::Remove);
        self.report.saw_if(number > 0x3fff, Point::BigRemove);
        if judged && alive {
            let requirement = if self.remove_was_received(number) { &HIST_03 } else { &RMV_06 };
            self.find(requirement, |_| format!("entity {number} is removed, but it is in the world"));
        } else if judged && !known && !repair && !again {
            self.unfounded(number, true, known);
        }
    }

    /// Whether the entity was removed by earlier frames, and all of these were acknowledged: there is nothing to repeat.
    fn remove_was_received(&self, number: u32) -> bool {
        let book = &self.book;
        let newest = self.sequence.unwrap_or_default();
        let oldest = newest.saturating_sub(REMEMBERED as u32 - 1);
        let frames = (oldest..newest).filter_map(|sequence| book.frames.get(sequence));
        let mut removing = frames
            .filter(|frame| frame.entries.iter().any(|entry| entry.number == number && entry.how == How::Remove))
            .peekable();
        removing.peek().is_some() && removing.all(|frame| frame.acked)
    }

    fn update_entity(
        &mut self,
        number: u32,
        flags: u64,
        r: &mut Reader<'_>,
        dialect: &Dialect,
    ) -> Result<(), DecodeError> {
        let sequence = self.sequence.unwrap_or_default();
        let judged = self.book.judges_truth() && !self.spoiled;
        let truth = self.world.live.get(number);
        let book = &mut *self.book;
        let baseline = book.baselines.get(number).unwrap_or(&Entity::NULL);
        let track = book.tracks.entry(number);
        let (reset, known) = (flags & UF_RESET != 0, track.in_shadow);
        if !known {
            track.shadow = *baseline;
        }
        let start = track.shadow;
        let (ahead, flag_bytes) = (r.around(self.coding.flag_bytes), self.coding.flag_bytes);
        let read = delta::read_delta(r, &delta::ENTITY, flags, baseline, &mut track.shadow, dialect.gate);
        track.in_shadow = true;
        let carried = carried_by(flags);
        let owed = track.owed & carried;
        track.owed &= !carried;
        let was_fresh = std::mem::replace(&mut track.fresh, !known && reset);
        let repeated = known && repeats(flags, &start, &track.shadow);
        if owed != 0 && repeated {
            book.repairs += 1;
            book.delta_repairs += u32::from(track.owed_how == How::Delta);
            if let Some(frame) = book.frames.get_mut(track.owed_from) {
                frame.repaired = true;
            }
        }
        let superfluous = owed == 0 && repeated && !reset && flags & UF_PREDINFO == 0;
        if superfluous {
            let newest = each(fields_of_update(flags)).filter_map(|bit| track.last_carrier(bit)).max();
            if let Some(carrier) = newest.and_then(|newest| book.frames.get(newest)) {
                book.waste.repeated(carrier, book.places, book.acked_to);
                if carrier.acked && book.losses > 0 && !lately_lost(book.acked_to, &book.frames, number) {
                    book.misplaced += 1;
                }
            }
        }
        let waited = track.pending != 0 && book.last_full > track.pending_since;
        let was_pending = track.pending != 0;
        track.carried(carried, sequence);
        let mut differs = 0;
        track.pending = match truth {
            Some(truth) => {
                let checked = if known { carried } else { ALL };
                differs = book.grain.differing(checked, &track.shadow, truth);
                track.pending & !(checked | EXIST) | differs
            }
            None => EXIST,
        };
        if !was_pending && track.pending != 0 {
            track.pending_since = book.places;
        }
        if track.pending != 0 && truth.is_some() && !std::mem::replace(&mut track.in_stale, true) {
            book.stale.push(number);
        }
        track.reborn &= !reset;
        track.reported &= !carried;
        book.flags_sent |= fields_of_update(flags);
        saw_update(self.report, number, flags, &start, &track.shadow, known, dialect);
        self.report.saw_if(superfluous, Point::Redundant);
        self.report.saw_if(!known && track.gone != Gone::Never, Point::Returned);
        self.report.saw_if(was_fresh, Point::SecondUpdate);
        self.report.saw_if(owed != 0 && !repeated, Point::ResentAfterChange);
        if let Some(frame) = book.frames.get_mut(sequence) {
            let how = if reset { How::Reset } else { How::Delta };
            frame.entries.push(Carried { number, flags: carried, how, repair: owed != 0 });
        }
        remark_dialect(self.report, flags, dialect.gate, &track.shadow, truth);
        let (held, gone) = (&track.shadow, track.gone);
        if !judged {
            return read;
        }
        let Some(truth) = truth else {
            self.unfounded(number, false, known);
            return read;
        };
        if let Err(error) = &read {
            let held = *held;
            if let Some(field) = self.first_wrong(flags, &start, &held, truth, unread_from(error)) {
                let wrong = Wrong { number, field, flags, bytes: ahead, flag_bytes };
                self.misvalued(wrong, &start, truth, owed);
            }
            return read;
        }
        if known && (reset || !was_fresh) && differs == 0 && flags & UF_PREDINFO == 0 {
            return read;
        }
        let held = *held;
        if !known && !reset {
            let old = self.book.previous_map.binary_search(&number).is_ok();
            let (requirement, why) = match gone {
                Gone::Never if old => (&HIST_14, "was in the map before, and is new in this one"),
                _ if waited => (&OVF_05, "had to wait for room"),
                Gone::Never => (&RST_02, "is new to the client"),
                Gone::Removed => (&RST_08, "was removed, and is back"),
                Gone::RemovedWithAll => (&RMV_09, "was removed with all others"),
            };
            self.find(requirement, |_| format!("entity {number} {why}, yet its update has no RESET"));
        }
        if was_fresh && !reset {
            self.find(&RST_03, |_| format!("the second update of the new entity {number} has no RESET"));
        }
        // A wrong field is most likely what was written wrongly first.
        if let Some(field) = self.first_wrong(flags, &start, &held, truth, 32) {
            let wrong = Wrong { number, field, flags, bytes: ahead, flag_bytes };
            self.misvalued(wrong, &start, truth, owed);
        } else if reset {
            self.check_reset(number, flags, &held, truth);
        }
        read
    }

    /// Without PREDINFO a statistic of NetQuake is a long, which other forms may stand for if they hold the value
    /// (erratum E19), in a session that knows them.
    fn check_plain_stat(&mut self, stat: u8, value: StatValue, plain_form: bool) {
        let book = &*self.book;
        let index = usize::from(stat);
        let truth = book.stats.truth[index];
        if let Some(StatValue::Int(truth @ (256.. | ..0))) = truth {
            self.report.saw(Point::LargePlainStat);
            let low = StatValue::Int(truth & 0xff);
            if !plain_form && value == low && book.stats.truth_before[index] != Some(low) {
                return self.find(&STAT_07, |_| format!("statistic {stat} is {truth}, and is sent as {value:?}"));
            }
        }
        let unextended = book.dialect.extensions.fte2 == 0 && book.dialect.protocol == PROTOCOL_NETQUAKE;
        if !plain_form && unextended {
            self.find(&STAT_07, |_| {
                format!("statistic {stat} is sent as {value:?} in a form that a session without extensions lacks")
            });
        }
    }

    /// After a RESET the entity must be as it is, also in the fields left to the baseline.
    fn check_reset(&mut self, number: u32, flags: u64, held: &Entity, truth: &Entity) {
        let left_out = self.book.grain.differing(ALL & !fields_of_update(flags), held, truth);
        let Some(bit) = each(left_out).next() else { return };
        let Some(field) = self.book.grain.first_difference(bit, held, truth) else { return };
        if let Some(track) = self.book.tracks.get_mut(number) {
            track.reported |= left_out;
        }
        let meant = self.world.baselines.get(number).unwrap_or(&Entity::NULL);
        let misled = self.book.grain.same(field, meant[field], truth[field]);
        let requirement = if misled { &RST_05 } else { &RST_04 };
        self.find(requirement, |_| {
            format!(
                "RESET of entity {number} leaves {} out: the baseline that the client was given has {}, the entity {}",
                FIELD_TABLE[field].name,
                show(field, held[field]),
                show(field, truth[field])
            )
        });
    }
}

/// Whether one of the last frames that are decided was about the entity, and is lost.
fn lately_lost(acked_to: Option<u32>, frames: &Frames, number: u32) -> bool {
    const LATELY: u32 = 2 * LOG_FRAMES as u32;
    let newest = acked_to.unwrap_or_default();
    let lost = (newest.saturating_sub(LATELY)..newest).filter_map(|sequence| frames.get(sequence));
    lost.filter(|frame| !frame.acked).any(|frame| frame.entries.iter().any(|entry| entry.number == number))
}

/// The first flag that an error leaves unread.
fn unread_from(error: &DecodeError) -> usize {
    let row = ENTITY_ROWS.iter().find(|row| row.name == error.field);
    let pred = PRED_ROWS.iter().any(|row| row.name == error.field) || error.field == "predbits";
    match row {
        Some(row) if !pred => (row.raise & kit::table::WIRE).trailing_zeros() as usize,
        _ if pred => 6,
        _ if error.field == "abslight" => 19,
        _ => 22,
    }
}
