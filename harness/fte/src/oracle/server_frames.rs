//! Whole frames of the server: is everything in them that has to be, and does everything get its turn?

use super::book::{Book, Held, Missing, has_stat, put_stat, same_stat};
use super::coverage::{Point, Report};
use super::field::{ALL, EXIST, each, names, show};
use super::frames::{Carried, Frame, How};
use super::server_sent::ServerEar;
use super::track::Gone;
use crate::constants::{LOG_FRAMES, STAT_WEAPONFRAME, SVC_SPAWNBASELINE2};
use crate::dialect::Transport;
use crate::requirements::*;
use crate::state::*;
use kit::{Requirement, StatValue, Time};

impl ServerEar<'_> {
    /// The datagram was read. `room` is what it leaves free, in bytes, if that is known.
    pub fn finish(&mut self, room: Option<usize>) {
        /// Above the longest update of one entity, in bytes: what leaves as much free was not full.
        const ROOM_BYTES: usize = 128;
        let Some(sequence) = self.sequence else { return };
        let book = &mut *self.book;
        if self.messages == 0 {
            if book.dialect.deltas() && book.places > 0 {
                book.gap = true;
                book.last_gap = book.places + 1;
            }
            return;
        }
        let full = room.is_none_or(|room| room < ROOM_BYTES);
        super::convergence::frame_begun(book, self.now);
        let first = book.places == 0;
        book.places += 1;
        if full {
            book.last_full = book.places;
        } else if book.newest_frame.is_none_or(|(at, _)| at != self.now) {
            book.roomy += 1;
        }
        let missed = book.newest_frame.filter(|&(at, _)| self.now.since(at) * 2 > book.options.tick_us * 3);
        if missed.is_some() && book.options.rate > 0 {
            book.last_choke = book.places;
            self.report.saw_if(!book.stale.is_empty(), Point::Choked);
        }
        // On QuakeWorld a frame has the number of the packet that it answers; those of lost packets are left out.
        let skipped = book.newest_frame.map_or(sequence, |(_, newest)| newest + 1)..sequence;
        book.gap |= !skipped.is_empty() && !first;
        let shares_its_place = |skipped: u32| book.frames.get(skipped.checked_sub(LOG_FRAMES as u32)?);
        let back = |entry: &Carried| entry.how == How::Remove && self.world.live.get(entry.number).is_some();
        let misleading = |frame: &Frame| frame.acked && frame.entries.iter().any(back);
        let misleads = skipped.filter_map(shares_its_place).any(misleading);
        self.report.saw_if(misleads, Point::GapOverOldRemove);
        book.gapped |= book.gap;
        let sibling = book.newest_frame.filter(|&(at, _)| at == self.now).map(|(_, sequence)| sequence);
        if let Some(frame) = sibling.and_then(|sequence| book.frames.get_mut(sequence)) {
            frame.sibling = true;
            self.report.saw(Point::SeveralFramesPerTick);
        }
        book.newest_frame = Some((self.now, sequence));
        let mut remove_all = false;
        if let Some(frame) = book.frames.get_mut(sequence) {
            frame.place = book.places;
            frame.epoch = book.epoch;
            frame.sibling = sibling.is_some();
            frame.after_gap = book.gapped;
            remove_all = frame.remove_all;
            let removes = frame.entries.iter().any(|entry| entry.how == How::Remove);
            self.report.saw_if(removes && frame.entries.len() > 1, Point::RemoveAmongOthers);
            self.report.saw_if(remove_all && !frame.entries.is_empty(), Point::RemoveAllWithEntries);
            self.report.saw_if(frame.entries.len() > 1, Point::SeveralEntries);
        }
        let filled = self.book.frames.get(sequence).is_some_and(|frame| !frame.entries.is_empty());
        let (in_flight, acked_to) = (self.book.in_flight(), self.book.acked_to);
        self.book.waste.sent(sequence, filled, in_flight, acked_to);
        self.report.saw(Point::Frame);
        self.report.saw_if(full && room.is_some(), Point::FullFrame);
        self.report.saw_if(self.book.gap, Point::GapBeforeFrame);
        self.book.gap = false;
        if first && !remove_all && self.book.judges_delivery() {
            self.find(&RMV_13, |_| String::from("it is the first of the map, and does not begin with a remove-all"));
        }
        if first {
            self.check_baselines();
            self.check_statics();
        }
        self.check_needless_resets(remove_all);
        drop_brought(self.book);
        if !self.spoiled {
            self.check_pending(full);
        }
    }

    /// Server time is in seconds: it goes about as fast as time does, whatever a clock's drift.
    pub fn check_clock(&mut self, server_time: f32) {
        const LONG_US: u64 = 2_000_000;
        let Some((began, first)) = self.book.clock else {
            self.book.clock = Some((self.now, server_time));
            return;
        };
        let passed_us = self.now.since(began);
        if passed_us < LONG_US {
            return;
        }
        let passed = Time(passed_us).as_seconds();
        let shown = server_time - first;
        self.book.clock = Some((self.now, server_time));
        if shown < passed / 16.0 || shown > passed * 16.0 {
            self.find(&SVC_03, |_| format!("in {passed} s the server time went from {first} to {server_time}"));
        }
    }

    /// What the client was told of baselines is what the world has. Not every baseline must be told.
    fn check_baselines(&mut self) {
        if !self.book.judges_truth() {
            return;
        }
        let meant = &self.world.baselines;
        let stray = self.book.baselines.iter().find(|(number, _)| *number > 0x3fff && meant.get(*number).is_none());
        let stray = stray.map(|(number, _)| number);
        let missed = meant.iter().any(|(number, _)| number > 0x7fff && self.book.baselines.get(number).is_none());
        if let (Some(number), true) = (stray, missed) {
            return self.find(&ENT_03, |_| {
                format!("a baseline of entity {number} was sent, which has none; one with a large number was not")
            });
        }
        let wrong = self.book.baselines.iter().find_map(|(number, told)| {
            let meant = self.world.baselines.get(number).unwrap_or(&Entity::NULL);
            let bit = each(self.book.grain.differing(ALL, told, meant)).next()?;
            Some((number, self.book.grain.first_difference(bit, told, meant)?, *told, *meant))
        });
        if let Some((number, field, told, meant)) = wrong {
            self.find(super::asides::announcement(&self.book.dialect, SVC_SPAWNBASELINE2), |_| {
                let name = FIELD_TABLE[field].name;
                let (told, meant) = (show(field, told[field]), show(field, meant[field]));
                format!("the baseline of entity {number} was sent with {name} {told}; it is {meant}")
            });
        }
    }

    /// Removing everything again and again is legal; doing it because number 0 is taken for no acknowledgement is not.
    fn check_needless_resets(&mut self, remove_all: bool) {
        /// As many frames as nobody can have in flight.
        const MANY: u32 = 32;
        /// Frames that show that it has come to an end.
        const FEW: u32 = 8;
        let book = &mut *self.book;
        book.needless_resets = match (remove_all, book.acked_to) {
            (true, Some(_)) if book.losses == 0 => book.needless_resets + 1,
            _ => 0,
        };
        if book.needless_resets == MANY {
            if book.acked_to == Some(0) {
                book.zero_doubted = Some(0);
            } else {
                self.report.remark("the server removes and resends everything in every frame (erratum E2; legal)");
            }
        }
        if let Some(content) = book.zero_doubted.filter(|_| book.acked_to > Some(0)) {
            book.zero_doubted = (!remove_all).then_some(content + 1);
            if content == FEW {
                book.zero_doubted = None;
                self.find(&ACK_19, |_| {
                    String::from(
                        "everything was removed in frame after frame as long as nothing but frame 0 was acknowledged, \
                         and no more since",
                    )
                });
            }
        }
    }

    /// After a frame with room, a receiver of everything must hold the truth; after a full one, soon.
    fn check_pending(&mut self, full: bool) {
        let judged = self.book.judges_truth();
        let bound = 2 * (self.book.frames_for_all(self.world) + 1) + 4;
        let (highest, lowest) = (self.highest, self.lowest);
        let mut stale = std::mem::take(&mut self.book.stale);
        let old = std::mem::take(&mut self.book.previous_map);
        stale.retain(|&number| {
            let (places, last_full) = (self.book.places, self.book.last_full);
            let (last_gap, last_choke) = (self.book.last_gap, self.book.last_choke);
            let Some(track) = self.book.tracks.get_mut(number) else { return false };
            if track.pending == 0 {
                track.in_stale = false;
                track.late = false;
                return false;
            }
            if full && track.passed_at <= track.pending_since {
                track.passed_at = places;
                track.passed = number < highest;
            }
            let waits = places.saturating_sub(track.pending_since);
            let open = track.pending & !track.reported;
            if !judged || open == 0 || (full && (waits <= bound || track.late)) {
                self.report.saw_if(full && track.in_shadow, Point::PendingWhenFull);
                self.report.saw_if(full && !track.in_shadow, Point::NewWhenFull);
                let dead = full && self.world.live.get(number).is_none();
                self.report.saw_if(dead, Point::RemoveWhenFull);
                return true;
            }
            track.late = true;
            if !full {
                track.reported |= open;
            }
            let passed = track.passed && track.passed_at > track.pending_since;
            let (in_shadow, reborn, since, gone) = (track.in_shadow, track.reborn, track.pending_since, track.gone);
            let shadow = track.shadow;
            let truth = self.world.live.get(number).copied();
            let was_full = last_full > since;
            let requirement = match truth {
                _ if full => &OVF_03,
                _ if last_choke > since => &OVF_09,
                _ if last_gap > since => &HIST_10,
                Some(_) if in_shadow && was_full && passed => &OVF_07,
                Some(_) if in_shadow && last_full > 0 && number < lowest && lowest != u32::MAX => &OVF_07,
                None if was_full => &OVF_06,
                None => &RMV_01,
                Some(_) if !in_shadow && was_full => &OVF_05,
                Some(_) if !in_shadow && gone == Gone::RemovedWithAll => &RMV_09,
                Some(_) if !in_shadow && gone == Gone::Removed => &RST_08,
                Some(_) if !in_shadow && old.binary_search(&number).is_ok() => &HIST_14,
                Some(_) if !in_shadow => &RST_02,
                Some(_) if reborn => &RST_09,
                Some(_) if was_full => &OVF_01,
                Some(truth) => self.undetected(open, &shadow, &truth),
            };
            let what = |book: &Book| describe_pending(book, number, open, &shadow, truth.as_ref(), waits, full);
            match full {
                true => self.find(requirement, what),
                false => self.find_unless_brought(requirement, Missing::Entity(number, open), what),
            }
            if requirement.id == OVF_07.id && was_full {
                // Passed over, or forgotten when it did not fit: from outside it is the same.
                self.find(&OVF_01, what);
            }
            true
        });
        self.book.stale = stale;
        self.book.previous_map = old;
        self.report.saw_if(full && self.book.stats.pending != [0; 4], Point::StatsWhenFull);
        if !full && judged {
            self.check_pending_stats();
        }
    }

    /// Adds a finding about what is not in this datagram: at once on QuakeWorld, where a tick has one; on NetQuake unless
    /// another datagram of the same tick brings it, as one snapshot may take several.
    fn find_unless_brought(
        &mut self,
        requirement: &'static Requirement,
        missing: Missing,
        what: impl FnOnce(&Book) -> String,
    ) {
        if self.book.dialect.transport == Transport::QuakeWorld {
            return self.find(requirement, what);
        }
        let frame = self.sequence.unwrap_or_default();
        let what = format!("frame {frame} to {}: {}", self.book.host, what(self.book));
        if let Missing::Stat(stat) = missing {
            put_stat(&mut self.book.stats.missed, stat, true);
        }
        self.book.held.push(Held { requirement, at: self.now, missing, what });
    }

    /// A change was not sent although there was room: which duty that breaks.
    fn undetected(&self, open: u32, shadow: &Entity, truth: &Entity) -> &'static Requirement {
        let Some(bit) = each(open).next() else { return &DLT_39 };
        let Some(field) = self.book.grain.first_difference(bit, shadow, truth) else { return &DLT_39 };
        let only_one = self.book.grain.same(ORIGIN_X, shadow[ORIGIN_X], truth[ORIGIN_X])
            != self.book.grain.same(ORIGIN_Y, shadow[ORIGIN_Y], truth[ORIGIN_Y]);
        match field {
            ORIGIN_X | ORIGIN_Y if only_one => &DLT_07,
            MODELINDEX2 => &DLT_32,
            _ if truth[field] == 0 && self.book.flags_sent & 1 << bit != 0 => &DLT_41,
            _ => &DLT_39,
        }
    }

    /// The run is over: what waited in vain all the time?
    pub fn check_starved(&mut self) {
        if !self.book.judges_truth() {
            return;
        }
        let bound = 16 * (2 * (self.book.frames_for_all(self.world) + 1) + 4);
        let places = self.book.places;
        let starved = self
            .book
            .tracks
            .iter()
            .find(|(_, track)| track.pending != 0 && places.saturating_sub(track.pending_since) > bound);
        if let Some((number, track)) = starved.filter(|_| self.book.last_full + bound > places) {
            let (pending, since) = (track.pending, track.pending_since);
            self.find(&OVF_07, |_| {
                format!("entity {number} has waited for {} frames with {}", places - since, names(pending))
            });
        }
    }

    fn check_pending_stats(&mut self) {
        if !self.book.dialect.predinfo() {
            return;
        }
        if self.book.epoch > 1 && !self.report.has_seen(Point::StatsInSecondMap) {
            // Set in this map or before: which of them, the finding says.
            let set = self.book.stats.truth.iter().flatten().any(|&value| !same_stat(value, StatValue::Int(0)));
            self.report.saw_if(set, Point::StatsInSecondMap);
        }
        if self.book.stats.pending == [0; 4] {
            return;
        }
        let pending = self.book.stats.pending;
        let waiting = pending.iter().map(|word| word.count_ones()).sum::<u32>();
        for stat in super::book::stats_in(pending) {
            let index = usize::from(stat);
            put_stat(&mut self.book.stats.pending, stat, false);
            let since = self.book.stats.pending_since[index];
            let (truth, sent) = (self.book.stats.truth[index], self.book.stats.sent[index]);
            let requirement = match sent {
                _ if self.book.last_full > since || waiting > 32 => &STAT_04,
                None if self.book.epoch > 1 => &STAT_06,
                _ if stat == STAT_WEAPONFRAME => &PRED_08,
                _ => &STAT_01,
            };
            self.find_unless_brought(requirement, Missing::Stat(stat), |_| {
                format!("statistic {stat} is {truth:?}, sent was {sent:?}, and there is room, but it is not sent")
            });
        }
    }
}

/// Forgets the findings held of which this datagram, another of the same tick, brings what was missing.
fn drop_brought(book: &mut Book) {
    let Book { held, tracks, stats, .. } = book;
    held.retain(|held| match held.missing {
        Missing::Entity(number, flags) => tracks.get(number).is_some_and(|track| track.pending & flags != 0),
        Missing::Stat(stat) => has_stat(&stats.missed, stat),
    });
}

/// A tick is over, if `now` is after it: what its datagrams did not bring is a finding.
pub fn end_tick(book: &mut Book, report: &mut Report, now: Option<Time>) {
    if book.held.first().is_none_or(|held| Some(held.at) == now) {
        return;
    }
    for held in book.held.drain(..) {
        report.find(held.requirement, held.at, kit::HostId::SERVER, || held.what);
    }
}

fn describe_pending(
    book: &Book,
    number: u32,
    open: u32,
    shadow: &Entity,
    truth: Option<&Entity>,
    waits: u32,
    full: bool,
) -> String {
    let why = if full { "has waited that long" } else { "there is room, but it is not sent" };
    let Some(truth) = truth else {
        return format!("entity {number} is gone from the world; its removal {why} ({waits} frames)");
    };
    if open & EXIST != 0 {
        return format!("entity {number} is in the world and the client was not told of it; {why} ({waits} frames)");
    }
    let fields = each(open).filter_map(|bit| book.grain.first_difference(bit, shadow, truth));
    let list: Vec<String> = fields
        .map(|field| {
            let (held, truth) = (show(field, shadow[field]), show(field, truth[field]));
            format!("{} is {truth}, sent last was {held}", FIELD_TABLE[field].name)
        })
        .collect();
    format!("entity {number}: {}; {why} ({waits} frames; {})", list.join(", "), names(open))
}
