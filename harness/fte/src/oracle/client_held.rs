//! What the client holds, against what a receiver of the same datagrams must hold.

mod blame;

use super::asides::{announcement, look_at_statics, obsolete};
use super::attribution::{Suspects, WIRE_ORDER, also, order_differs};
use super::book::{Book, same_stat};
use super::coverage::{Point, Report};
use super::duty::carried_by;
use super::establishment::{Step, asks_for_extensions};
use super::field::{ALL, coding_of, fields_of_update, flag_of, show};
use super::frames::Outcome;
use super::track::Track;
use crate::constants::*;
use crate::delta::{self, Coding, Entry};
use crate::dialect::{Dialect, Transport};
use crate::message::{Carrier, Listener, UpdateStart};
use crate::requirements::*;
use crate::state::*;
use kit::{DecodeError, Reader, Requirement, StatValue, Time, View};

/// Deviations after which a client is left alone: the rest follows from these.
const ENOUGH: u32 = 24;

/// Hears one datagram as the client receives it.
pub struct DeliveryEar<'a> {
    /// The session.
    pub book: &'a mut Book,
    /// Where situations are noted.
    pub report: &'a mut Report,
    /// The map that was current when the datagram was sent.
    pub epoch: u32,
    /// The unreliable datagram's number.
    pub sequence: Option<u32>,
    /// It asks for the client's extensions.
    pub asks: bool,
    coding: Coding,
    /// The client has all that it needs for a step of its sign-on.
    pub invites: Option<Step>,
}

impl<'a> DeliveryEar<'a> {
    /// For a datagram numbered `sequence`, sent while map `epoch` was current.
    pub fn new(book: &'a mut Book, report: &'a mut Report, epoch: u32, sequence: Option<u32>) -> DeliveryEar<'a> {
        book.look_suspects = Suspects::default();
        DeliveryEar { book, report, epoch, sequence, asks: false, invites: None, coding: Coding::default() }
    }

    /// Whether the datagram is one of the map that the client is in.
    fn current(&self) -> bool {
        self.epoch == self.book.heard_epoch
    }

    /// The datagram has a flag that nobody defines: nobody may take it.
    pub fn planted(&mut self) {
        if self.current() {
            self.book.look = true;
            self.book.look_planted = true;
            self.report.saw(Point::UndefinedFlagDelivered);
        }
    }

    /// The datagram was read: what became of it. `taken` is whether it was newer than all before.
    pub fn finish(&mut self, taken: bool) {
        let Some(sequence) = self.sequence else { return };
        let current = self.current();
        let book = &mut *self.book;
        let Some(frame) = book.frames.get_mut(sequence) else { return };
        if !taken {
            if frame.outcome == Outcome::Away {
                frame.outcome = Outcome::Discarded;
            }
            self.report.saw_if(frame.place > 0, Point::StaleFrame);
            return;
        }
        frame.outcome = Outcome::Taken;
        let (place, epoch) = (frame.place, frame.epoch);
        if place == 0 {
            return;
        }
        let previous = book.heard_frame.replace(sequence);
        book.heard_after_loss = previous
            .and_then(|last| book.frames.get(last))
            .is_some_and(|last| last.epoch == epoch && last.place + 1 < place);
        if current {
            book.look = true;
            book.acks.taken(sequence);
        } else {
            book.mixed = true;
        }
    }
}

impl Listener for DeliveryEar<'_> {
    fn session(&mut self, dialect: &Dialect) {
        let book = &mut *self.book;
        book.heard_changed = book.heard_epoch > 0 && book.heard_dialect.extensions != dialect.extensions;
        book.asides.map_heard();
        book.heard_dialect = *dialect;
        book.heard_epoch = self.epoch;
        std::mem::swap(&mut book.heard_baselines, &mut book.former_baselines);
        book.heard_baselines.clear();
        book.based = false;
        book.mixed = false;
        book.heard_time = None;
        book.heard_first_time = None;
        book.heard_frame = None;
        book.tracks.forget_delivered();
        book.stats.held = [None; 256];
        book.stats.any_held = false;
        // Whatever the client showed was of the map before.
        book.client_valid = false;
        book.acks.begin_map();
    }

    fn netquake(&mut self, service: &netquake::Service<'_>) {
        match service {
            netquake::Service::StuffText { text } => self.asks |= asks_for_extensions(text),
            netquake::Service::SetView { entity } => self.view_heard(*entity),
            netquake::Service::Sound(sound) => self.sound_heard(sound.sound),
            netquake::Service::SignOnNum { stage: 1 } => self.invites = Some(Step::Prespawn),
            netquake::Service::SignOnNum { stage: 2 } => self.invites = Some(Step::Spawn),
            netquake::Service::SignOnNum { stage: 3 } => self.book.asides.begin_playing(),
            _ => {}
        }
    }

    fn quakeworld(&mut self, service: &quakeworld::Service<'_>) {
        match service {
            quakeworld::Service::SetView { entity } => self.view_heard(*entity),
            quakeworld::Service::ModelList { next: 0, .. } => self.invites = Some(Step::Prespawn),
            quakeworld::Service::StuffText { text } if text.starts_with(b"cmd spawn ") => {
                self.invites = Some(Step::Spawn);
            }
            quakeworld::Service::StuffText { text } if text.starts_with(b"skins") => {
                self.book.asides.begin_playing();
            }
            _ => {}
        }
    }

    fn csqc_gone(&mut self, number: u32) {
        self.csqc_gone_heard(number);
    }

    fn static_entity(&mut self, state: &Entity) {
        self.static_heard(state);
    }

    fn stat(&mut self, _: &Carrier, stat: u8, value: StatValue) {
        self.book.stats.any_held = true;
        self.book.stats.held[usize::from(stat)] = Some(value);
        self.report.saw(Point::StatDelivered);
        self.book.look |= self.current();
    }

    fn baseline(&mut self, number: u32, state: &Entity) {
        *self.book.heard_baselines.entry(number, state) = *state;
    }

    fn update(&mut self, _: &Carrier, start: &UpdateStart) {
        if self.current() {
            let book = &mut *self.book;
            book.look_messages += 1;
            book.look_same_time = book.heard_time == Some(start.server_time);
            book.heard_time = Some(start.server_time);
            book.heard_first_time.get_or_insert(start.server_time);
            self.report.saw_if(book.look_same_time || book.look_messages > 1, Point::SplitSnapshotDelivered);
        }
    }

    fn coded(&mut self, coding: Coding) {
        self.coding = coding;
    }

    fn entry(&mut self, _: &Carrier, entry: Entry, r: &mut Reader<'_>, dialect: &Dialect) -> Result<bool, DecodeError> {
        if !self.current() {
            return Ok(false);
        }
        let book = &mut *self.book;
        match entry {
            Entry::End => {}
            Entry::RemoveAll => {
                let mut held = false;
                for (_, track) in book.tracks.iter_mut().filter(|(_, track)| track.in_mirror) {
                    held = true;
                    track.in_mirror = false;
                    track.left_mirror = true;
                    track.touched = None;
                }
                self.report.saw_if(held, Point::RemoveAllDelivered);
                book.based = true;
                book.mixed = false;
                book.look_remove_all = true;
            }
            Entry::Remove(number) => {
                book.look_suspects.remove(&book.understood, &self.coding, number);
                let long = self.coding.index_bytes > 2 && number <= INDEX_NUMBER.into();
                self.report.saw_if(long, Point::LongIndexDelivered);
                let Some(track) = book.tracks.get_mut(number) else {
                    self.report.saw(Point::UnknownRemoveDelivered);
                    book.look_unknown_remove = true;
                    return Ok(false);
                };
                let held = std::mem::replace(&mut track.in_mirror, false);
                track.left_mirror |= held;
                track.touched = self.sequence;
                track.touched_known = held;
                book.look_unknown_remove |= !held;
                track.touched_flags = 0;
                track.long_index = long;
                let known = if held { Point::RemoveDelivered } else { Point::UnknownRemoveDelivered };
                self.report.saw(known);
                book.tidy();
            }
            Entry::Update(number, flags) => {
                let baseline = book.heard_baselines.get(number).unwrap_or(&Entity::NULL);
                let has_baseline = book.heard_baselines.get(number).is_some();
                let track = book.tracks.entry(number);
                let (known, reset) = (track.in_mirror, flags & UF_RESET != 0);
                let carried_fields = fields_of_update(flags);
                track.before = track.mirror;
                if !known {
                    track.mirror = *baseline;
                    track.vague = ALL;
                    if !track.left_mirror {
                        // Nothing of an earlier map counts.
                        track.before = *baseline;
                    }
                }
                delta::read_delta(r, &delta::ENTITY, flags, baseline, &mut track.mirror, dialect.gate)?;
                let predinfo = dialect.predinfo();
                book.look_suspects.update(&book.understood, &self.coding, number, flags, &track.mirror, predinfo);
                track.long_index = self.coding.index_bytes > 2 && number <= INDEX_NUMBER.into();
                self.report.saw_if(track.long_index, Point::LongIndexDelivered);
                let last = 8 * self.coding.flag_bytes.saturating_sub(1);
                let zero = self.coding.flag_bytes > 1 && flags >> last & 0x7f == 0;
                self.report.saw_if(zero, Point::ZeroFlagByteDelivered);
                track.in_mirror = true;
                track.vague &= !carried_by(flags);
                let twice = track.touched == self.sequence && self.sequence.is_some();
                track.touched_flags = if twice { track.touched_flags | flags } else { flags };
                track.touched_known = known || (twice && track.touched_known);
                track.touched = self.sequence;
                track.moving = flags & UF_PREDINFO != 0;
                let plain = known && !reset;
                self.report.saw_if(plain, Point::DeltaDelivered);
                self.report.saw_if(plain && book.heard_after_loss, Point::DeltaAfterLoss);
                self.report.saw_if(!known && !reset, Point::UnknownDeltaDelivered);
                self.report.saw_if(!known && reset && track.left_mirror, Point::ReturnDelivered);
                self.report.saw_if(reset && has_baseline, Point::ResetOnBaselineDelivered);
                if let Some(former) = book.former_baselines.get(number).filter(|_| reset) {
                    let left_out = |field: &usize| {
                        baseline[*field] == Entity::NULL[*field] && former[*field] != Entity::NULL[*field]
                    };
                    let shows = (0..FIELDS).filter(left_out).any(|field| carried_fields & flag_of(field) == 0);
                    self.report.saw_if(shows, Point::BaselineShrankDelivered);
                }
                self.report.saw_if(reset && known && track.before != track.mirror, Point::ResetDelivered);
                self.report.saw_if(plain && flags & UF_PREDINFO != 0, Point::PredInfoDelivered);
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Looks at the client after it has acted on a datagram.
pub fn look(book: &mut Book, report: &mut Report, now: Time, view: &View) {
    let was_valid = std::mem::replace(&mut book.client_valid, view.valid);
    let remove_all = std::mem::take(&mut book.look_remove_all);
    let planted = std::mem::take(&mut book.look_planted);
    let rejected = std::mem::take(&mut book.rejected);
    let unknown_remove = std::mem::take(&mut book.look_unknown_remove);
    if book.tainted || book.unreadable || !book.heard_dialect.deltas() || book.heard_epoch == 0 {
        book.look_messages = 0;
        return;
    }
    look_at_statics(book, report, now, view);
    let mut eye = Eye { book, report, now, unknown_remove };
    if planted {
        eye.planted(view, rejected);
        eye.book.look_messages = 0;
        return;
    }
    if eye.book.look_messages > 0 {
        eye.readable(view, rejected);
        eye.entities(view, was_valid, remove_all);
    }
    eye.stats(view);
    book.look_messages = 0;
}

struct Eye<'a> {
    book: &'a mut Book,
    report: &'a mut Report,
    now: Time,
    /// The datagram removed an entity that the client did not hold.
    unknown_remove: bool,
}

/// What is left of a large number where bit 14 of its index is taken for a part of it.
fn of_15_bits(large: u32) -> u32 {
    large & u32::from(INDEX_NUMBER) | 0x4000
}

impl Eye<'_> {
    fn find(&mut self, requirement: &'static Requirement, what: impl FnOnce() -> String) {
        self.book.client_findings += 1;
        let frame = self.book.heard_frame.unwrap_or_default();
        self.report.find(requirement, self.now, self.book.host, || format!("after frame {frame}: {}", what()));
    }

    /// A frame with a flag that nobody defines: a client that goes on with it has guessed what is behind the flag.
    fn planted(&mut self, view: &View, rejected: bool) {
        let time = self.book.heard_time.unwrap_or_default().to_bits();
        if view.valid && !rejected && view.server_time == time {
            self.find(&DLT_35, || String::from("a flag that nobody defines was received, and the client goes on"));
        }
    }

    /// A frame that can be read must not be called unreadable.
    fn readable(&mut self, view: &View, rejected: bool) {
        if !rejected {
            if view.valid {
                let seen = self.book.look_suspects.seen;
                self.book.understood.add(&seen);
            }
        } else if !self.book.mixed && self.book.client_findings < ENOUGH {
            let suspects = self.book.look_suspects;
            for requirement in suspects.named() {
                self.find(requirement, || String::from("the client calls unreadable what it must be able to read"));
            }
        }
    }

    fn entities(&mut self, view: &View, was_valid: bool, remove_all: bool) {
        let (shown, heard) = (view.server_time, self.book.heard_time.unwrap_or_default().to_bits());
        let shifted = (remove_all || self.book.based) && shown != heard && shown != 0;
        let shifted = shifted && shown & 0x00ff_ffff == heard >> 8;
        if shifted {
            self.find(&SVC_12, || String::from("the client reads a byte in front of the frame that is not there"));
        }
        if !view.valid {
            self.book.acks.ignored();
            self.report.saw(Point::ClientWithoutState);
            if remove_all {
                let requirement = match self.book.heard_changed {
                    true => &HS_18,
                    false if obsolete(&self.book.heard_dialect) => &SVC_11,
                    false => &ENT_11,
                };
                self.find(requirement, || {
                    String::from("a remove-all was received, but the client holds no valid state")
                });
            } else if !view.numbers.is_empty() && self.book.client_findings < ENOUGH {
                self.find(&DLT_38, || String::from("the client shows entities of a state that it calls invalid"));
            }
            return;
        }
        if !was_valid {
            self.book.acks.ignored();
        }
        if self.book.mixed || self.book.client_findings >= ENOUGH {
            return;
        }
        let time = self.book.heard_time.unwrap_or_default();
        if self.book.based && view.server_time != time.to_bits() && !shifted {
            let shown = f32::from_bits(view.server_time);
            // A clock that stands still was not set, one that is about right is the client's own; any other was misread.
            let still = shown == 0.0 || Some(shown) == self.book.heard_first_time;
            let own = (shown - time).abs() < time / 2.0;
            let requirement = if still || own { &SVC_04 } else { &SVC_03 };
            self.find(requirement, || format!("the client's server time is {shown}, the frame's is {time}"));
        }
        self.report.saw(Point::ClientCompared);
        if view.fields.len() != view.numbers.len() * FIELDS {
            self.find(&DLT_38, || String::from("the client's view does not have all fields"));
            return;
        }
        let mut shown = view.numbers.iter().copied().zip(view.fields.chunks_exact(FIELDS)).peekable();
        let tracks = std::mem::take(&mut self.book.tracks);
        let mut wrong = Vec::new();
        for (number, track) in tracks.iter() {
            while let Some((ghost, _)) = shown.next_if(|(shown, _)| *shown < number) {
                self.ghost(ghost, None, remove_all);
            }
            let fields = shown.next_if(|(shown, _)| *shown == number).map(|(_, fields)| fields);
            self.report.saw_if(track.in_mirror && !self.touched(track), Point::UnmentionedEntity);
            let deviates = match (track.in_mirror, fields) {
                (true, Some(fields)) => fields != track.mirror.0 && self.entity(number, track, fields),
                (true, None) => self.missing(number, track),
                (false, Some(_)) => self.ghost(number, Some(track), remove_all),
                (false, None) => continue,
            };
            if deviates {
                wrong.push(number);
            }
        }
        for (ghost, _) in shown {
            self.ghost(ghost, None, remove_all);
        }
        self.book.tracks = tracks;
        for number in wrong {
            if let Some(track) = self.book.tracks.get_mut(number) {
                track.client_reported = true;
            }
        }
    }

    /// Whether the frame just received mentions the entity.
    fn touched(&self, track: &Track) -> bool {
        track.touched.is_some() && track.touched == self.book.heard_frame
    }

    /// The client shows what it must not. Whether that is new.
    fn ghost(&mut self, number: u32, track: Option<&Track>, remove_all: bool) -> bool {
        if track.is_some_and(|track| track.client_reported) {
            return false;
        }
        let requirement = match track {
            _ if remove_all => &RMV_08,
            Some(track) if self.touched(track) && !track.touched_known => &RMV_04,
            Some(track) if self.touched(track) || track.left_mirror => &RMV_03,
            Some(_) => &RMV_04,
            None if self.book.look_suspects.long_index => &ENT_08,
            None if self.book.look_suspects.large.is_some_and(|large| of_15_bits(large) == number) => &ENT_05,
            None if number > 0x3fff => &ENT_06,
            None => &DLT_38,
        };
        self.find(requirement, || format!("the client shows entity {number}, which it must not hold"));
        true
    }

    /// The client does not show what it must. Whether that is new.
    fn missing(&mut self, number: u32, track: &Track) -> bool {
        // An entity that came without RESET may stay hidden.
        if track.client_reported || track.vague != 0 {
            self.report.remark("an entity that came without RESET is not shown before one (erratum E4; legal)");
            return false;
        }
        let again = self.book.look_messages > 1 || self.book.look_same_time;
        let requirement = match self.touched(track) {
            false if again => &OVF_08,
            false if self.unknown_remove => &RMV_04,
            false => &RMV_02,
            true if track.long_index => &ENT_08,
            true if number > 0xffff => &ENT_12,
            true if number > 0x3fff => &ENT_06,
            true => &RST_06,
        };
        self.find(requirement, || format!("the client does not show entity {number}, which it must hold"));
        true
    }

    /// The client shows other values. Whether that is a new deviation.
    fn entity(&mut self, number: u32, track: &Track, fields: &[i32]) -> bool {
        if track.client_reported {
            return false;
        }
        let touched = self.touched(track);
        self.remark_reading(track, fields, touched);
        let Some(field) = WIRE_ORDER.into_iter().find(|&field| self.deviates(track, field, fields[field], touched))
        else {
            return false;
        };
        let requirement = self.which(number, track, field, fields, touched);
        let named = requirement.id;
        let (shown, held) = (show(field, fields[field]), show(field, track.mirror[field]));
        let name = FIELD_TABLE[field].name;
        let what = || format!("the client shows entity {number} with {name} {shown}; it must be {held}");
        self.find(requirement, what);
        if !touched && requirement == &DLT_38 && !self.book.heard_after_loss {
            // Nothing was lost: the update was applied to another state than the one before it.
            self.find(&SVC_12, what);
        }
        for requirement in self.more(number, track, field, fields, touched) {
            if requirement.id != named {
                self.find(requirement, || format!("entity {number} has {name} {shown} for {held} at the client"));
            }
        }
        true
    }

    /// Notes by which reading of an ambiguous place the client differs from the mirror.
    fn remark_reading(&mut self, track: &Track, fields: &[i32], touched: bool) {
        let held = &track.mirror;
        let from_null = |field: usize| {
            track.vague & flag_of(field) != 0 && fields[field] != held[field] && fields[field] == Entity::NULL[field]
        };
        if track.vague != 0 && (0..FIELDS).any(from_null) {
            self.report.remark("a plain update of an unknown entity started from the null state (erratum E4; legal)");
        }
        if (128..256).contains(&held[SKIN]) && fields[SKIN] == held[SKIN] - 256 {
            self.report.remark("the client reads 8-bit skins with a sign (erratum E8; legal)");
        }
        if touched && !track.moving && MOVEMENT_FIELDS.iter().any(|&field| fields[field] != held[field]) {
            self.report.remark("movement stays as it was in an update without a pred block (erratum E17; legal)");
        }
    }

    fn deviates(&self, track: &Track, field: usize, shown: i32, touched: bool) -> bool {
        let held = track.mirror[field];
        if shown == held {
            return false;
        }
        let flags = track.touched_flags;
        let predinfo = self.book.heard_dialect.predinfo();
        match field {
            // Erratum E17: judged only in an update that has them.
            _ if MOVEMENT_FIELDS.contains(&field) => touched && track.moving,
            WEAPONFRAME if predinfo => false,
            VIEW_PITCH | VIEW_ROLL => touched && predinfo && flags & UF_PREDINFO != 0 && flags & UF_ANGLESXZ != 0,
            VIEW_YAW => touched && predinfo && flags & UF_PREDINFO != 0 && flags & UF_ANGLESY != 0,
            ABSLIGHT if track.mirror[DRAWFLAGS] & 7 != 7 => false,
            // Erratum E8: 8-bit skins are read with or without a sign.
            SKIN if (128..256).contains(&held) && shown == held - 256 => false,
            _ => {
                let vague = track.vague & flag_of(field) != 0 && shown == Entity::NULL[field];
                !vague && !self.book.grain.same(field, shown, held)
            }
        }
    }

    fn stats(&mut self, view: &View) {
        // Without PREDINFO a NetQuake client takes statistics from elsewhere, too.
        let dialect = self.book.heard_dialect;
        if dialect.transport == Transport::NetQuake && !dialect.predinfo() {
            return;
        }
        if self.book.client_findings >= ENOUGH || !self.book.stats.any_held {
            return;
        }
        let wrong = (0..=255u8).find_map(|stat| {
            let held = self.book.stats.held[usize::from(stat)]?;
            let index = view.stats.binary_search_by_key(&stat, |entry| entry.0);
            let shown = index.map_or(StatValue::Int(0), |index| view.stats[index].1);
            (!same_stat(held, shown)).then_some((stat, held, shown))
        });
        if let Some((stat, held, shown)) = wrong {
            self.find(&STAT_05, || format!("the client shows statistic {stat} as {shown:?}; received was {held:?}"));
        }
    }
}
