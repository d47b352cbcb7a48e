//! Whole frames of the server: how a map's first one begins, and the server's clock.

use super::*;
use crate::constants::{LOG_FRAMES, SVC_SPAWNBASELINE2};
use crate::oracle::diagnosis::announcement;
use crate::oracle::field::{each, show};
use crate::oracle::session::frames::Frame;
use crate::state::*;
use kit::table::float_step;

checks! {
    FIRST_FRAME_REMOVES_ALL = "first-frame-removes-all": RMV_13 [FirstFrame];
    FRAMES_NAME_THE_INPUT = "frames-name-the-input" knows ServerShows: PRED_19 [InputSkipped];
    SERVER_TIME_IS_IN_SECONDS = "server-time-is-in-seconds" knows Time: SVC_03, PRED_09;
    BASELINES_ARE_THE_WORLDS = "baselines-are-the-worlds" knows World: SVC_06 [Baseline], SVC_10,
        ENT_03 [BigTag BigBaseline];
    FRAME_ZERO_CAN_BE_ACKNOWLEDGED = "frame-zero-can-be-acknowledged" knows ClientSays: ACK_19 [FrameZeroAcked];
}

impl ServerTx<'_> {
    /// The datagram was read. `room` is what it leaves free, in bytes, if that is known.
    pub fn finish(&mut self, room: Option<usize>) {
        let Some(sequence) = self.sequence else { return };
        let session = &mut *self.session;
        if self.messages == 0 {
            if session.dialect.deltas() && session.frames_sent > 0 {
                session.gap.open = true;
                session.last.gap = session.frames_sent + 1;
            }
            return;
        }
        if !self.garbled {
            self.session.written.add(&self.unfamiliar.seen);
        }
        let full = room.is_none_or(|room| room < ROOM_BYTES);
        let first = self.session.frames_sent == 0;
        let remove_all = self.note_frame(sequence, full);
        self.session.stats.repaired_at_once |= self.repairs_stat && !remove_all;
        let filled = self.session.frames.get(sequence).is_some_and(|frame| !frame.entries.is_empty());
        let (in_flight, acked_to) = (self.session.in_flight(), self.session.acked_to);
        self.session.unneeded.sent(sequence, filled, in_flight, acked_to);
        self.report.saw(Point::Frame);
        self.report.saw_if(full && room.is_some(), Point::FullFrame);
        self.check_input(sequence);
        self.session.gap.open = false;
        let unseen = self.session.unseen.is_some();
        self.report.saw_if(first && !unseen, Point::FirstFrame);
        if first && !remove_all && !unseen && self.session.judges_delivery() {
            self.fail(&FIRST_FRAME_REMOVES_ALL, &RMV_13, |_| {
                String::from("it is the first of the map, and does not begin with a remove-all")
            });
        }
        // A server may go on with frames while its client signs on to the next map, and announce what is in that after them.
        if self.session.spawn.answered && !std::mem::replace(&mut self.session.spawn.entered, true) {
            self.check_baselines();
            self.check_statics();
        }
        self.check_needless_resets(remove_all);
        pending::drop_brought(self.session);
        if !self.garbled {
            self.check_pending(full);
        }
    }

    /// QuakeWorld: the packet has the number of the newest one of the client, whose input is applied.
    fn check_input(&mut self, sequence: u32) {
        let Some(newest) = self.session.input.filter(|_| self.session.dialect.transport == Transport::QuakeWorld)
        else {
            return;
        };
        self.report.saw_if(self.session.gap.open, Point::InputSkipped);
        if sequence != newest {
            self.fail(&FRAMES_NAME_THE_INPUT, &PRED_19, |_| {
                format!("the newest packet of the client that arrived is {newest}")
            });
        }
    }

    /// Notes the entity frame `sequence`. Whether it began with a remove-all.
    fn note_frame(&mut self, sequence: u32, full: bool) -> bool {
        let session = &mut *self.session;
        crate::oracle::quiescence::frame_begun(session, self.now);
        let first = session.frames_sent == 0;
        session.frames_sent += 1;
        if full {
            session.last.full = session.frames_sent;
        } else if session.newest_frame.is_none_or(|(at, _)| at != self.now) {
            session.frames_with_room += 1;
        }
        let missed = session.newest_frame.filter(|&(at, _)| self.now.since(at) * 2 > session.options.tick_us * 3);
        if missed.is_some() && session.options.rate > 0 {
            session.last.choke = session.frames_sent;
            self.report.saw_if(!session.unsent.is_empty(), Point::Choked);
        }
        // On QuakeWorld a frame has the number of the packet that it answers; those of lost packets are left out.
        let skipped = session.newest_frame.map_or(sequence, |(_, newest)| newest.saturating_add(1))..sequence;
        session.gap.open |= !skipped.is_empty() && !first;
        let shares_its_place = |skipped: u32| session.frames.get(skipped.checked_sub(LOG_FRAMES as u32)?);
        let back = |entry: &Carried| entry.how == How::Remove && self.truth.alive(entry.number).unwrap_or(false);
        let misleading = |frame: &Frame| frame.acked && frame.entries.iter().any(back);
        // Frames beyond share their places with none: a damaged number can leave out two thousand million.
        let sharing = skipped.start..skipped.end.min(skipped.start.saturating_add(LOG_FRAMES as u32));
        let misleads = sharing.filter_map(shares_its_place).any(misleading);
        self.report.saw_if(misleads, Point::GapOverOldRemove);
        session.gap.before |= session.gap.open;
        let sibling = session.newest_frame.filter(|&(at, _)| at == self.now).map(|(_, sequence)| sequence);
        if let Some(frame) = sibling.and_then(|sequence| session.frames.get_mut(sequence)) {
            frame.sibling = true;
        }
        session.newest_frame = Some((self.now, sequence));
        let mut remove_all = false;
        if let Some(frame) = session.frames.get_mut(sequence) {
            frame.place = session.frames_sent;
            frame.epoch = session.epoch;
            frame.sibling = sibling.is_some();
            frame.after_gap = session.gap.before;
            remove_all = frame.remove_all;
            session.tick.sent(sibling.is_none(), frame.entries.len());
            let removes = frame.entries.iter().any(|entry| entry.how == How::Remove);
            self.report.saw_if(removes && frame.entries.len() > 1, Point::RemoveAmongOthers);
            self.report.saw_if(remove_all && !frame.entries.is_empty(), Point::RemoveAllWithEntries);
            self.report.saw_if(frame.entries.len() > 1, Point::SeveralEntries);
        }
        remove_all
    }

    /// Server time is in seconds: it goes about as fast as time does, whatever a clock's drift.
    pub(super) fn check_clock(&mut self, server_time: f32) {
        const LONG_US: u64 = 2_000_000;
        let Some((began, first)) = self.session.clock else {
            self.session.clock = Some((self.now, server_time));
            return;
        };
        let passed_us = self.now.since(began);
        // In single precision, time goes in steps; after years they are of many seconds.
        let step_us = (float_step(server_time.into()) * 1e6) as u64;
        if passed_us < LONG_US.max(step_us.saturating_mul(32)) {
            return;
        }
        let passed = Time(passed_us).as_seconds();
        let shown = server_time - first;
        self.session.clock = Some((self.now, server_time));
        if self.session.vantage.remote_server && shown == 0.0 {
            return self.report.remark("the server time stands still for seconds, as in a game that is paused (legal)");
        }
        if shown < passed / 16.0 || shown > passed * 16.0 {
            let suspects = Suspects::from(&SVC_03).or_if(self.session.dialect.movement_sequence(), &PRED_09);
            self.fail(&SERVER_TIME_IS_IN_SECONDS, suspects, |_| {
                format!("in {passed} s the server time went from {first} to {server_time}")
            });
        }
    }

    /// The baselines sent are the world's. Not every baseline must be sent.
    fn check_baselines(&mut self) {
        if !self.session.judges_truth() {
            return;
        }
        let meant = &self.truth.world.baselines;
        let stray = self.session.baselines.iter().find(|(number, _)| *number > 0x3fff && meant.get(*number).is_none());
        let stray = stray.map(|(number, _)| number);
        let missed = meant.iter().any(|(number, _)| number > 0x7fff && self.session.baselines.get(number).is_none());
        if let (Some(number), true) = (stray, missed) {
            return self.fail(&BASELINES_ARE_THE_WORLDS, &ENT_03, |_| {
                format!("a baseline of entity {number} was sent, which has none; one with a large number was not")
            });
        }
        let wrong = self.session.baselines.iter().find_map(|(number, sent)| {
            let meant = self.truth.world.baselines.get(number).unwrap_or(&Entity::NULL);
            let bit = each(self.session.quantiser.differing(ALL, sent, meant)).next()?;
            Some((number, self.session.quantiser.first_difference(bit, sent, meant)?, *sent, *meant))
        });
        if let Some((number, field, sent, meant)) = wrong {
            let suspects = announcement(&self.session.dialect, SVC_SPAWNBASELINE2);
            self.fail(&BASELINES_ARE_THE_WORLDS, suspects, |_| {
                let name = FIELD_TABLE[field].name;
                let (sent, meant) = (show(field, sent[field]), show(field, meant[field]));
                format!("the baseline of entity {number} was sent with {name} {sent}; it is {meant}")
            });
        }
    }

    /// Removing everything again and again is legal; doing it because number 0 is taken for no acknowledgement is not.
    fn check_needless_resets(&mut self, remove_all: bool) {
        /// As many frames as nobody can have in flight.
        const MANY: u32 = 32;
        /// Frames that show that it has come to an end.
        const FEW: u32 = 8;
        let session = &mut *self.session;
        session.resets.needless = match (remove_all, session.acked_to) {
            (true, Some(_)) if session.repairs.losses == 0 => session.resets.needless + 1,
            _ => 0,
        };
        if session.resets.needless == MANY {
            if session.acked_to == Some(0) {
                session.resets.zero_ignored = Some(0);
            } else {
                self.report.remark("the server removes and resends everything in every frame (erratum E2; legal)");
            }
        }
        if let Some(content) = session.resets.zero_ignored.filter(|_| session.acked_to > Some(0)) {
            session.resets.zero_ignored = (!remove_all).then_some(content + 1);
            if content == FEW {
                session.resets.zero_ignored = None;
                self.fail(&FRAME_ZERO_CAN_BE_ACKNOWLEDGED, &ACK_19, |_| {
                    String::from(
                        "everything was removed in frame after frame as long as nothing but frame 0 was acknowledged, \
                         and no more since",
                    )
                });
            }
        }
    }
}
