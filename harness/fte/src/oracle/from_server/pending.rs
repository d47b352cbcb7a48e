//! What the server has to send and did not yet: everything in a frame with room, and everything soon.

use super::*;
use crate::dialect::Transport;
use crate::oracle::diagnosis::{Unsent, not_sent, stat_not_sent};
use crate::oracle::field::{each, names, show};
use crate::oracle::retransmission;
use crate::oracle::session::stats::{has_stat, put_stat, same_stat, stats_in, value_text};
use crate::oracle::session::{Deferred, Missing};
use crate::state::*;
use kit::StatValue;

checks! {
    CHANGES_ARE_SENT = "changes-are-sent" knows World: RMV_01 [Remove], RST_09 [Reborn], DLT_39 [PlainDelta],
        HIST_10 [FullFrame PendingWhenFull], OVF_01 [FullFrame PendingWhenFull], OVF_03 [FullFrame PendingWhenFull],
        OVF_05 [NewWhenFull], OVF_06 [RemoveWhenFull], OVF_07 [FullFrame PendingWhenFull], OVF_09 [Choked],
        DLT_07 [OneOfXY], DLT_32, DLT_41, RST_02, RST_08, RMV_09, HIST_14;
    STATISTICS_ARE_SENT = "statistics-are-sent" knows World: STAT_01, STAT_04 [StatsWhenFull],
        STAT_06 [StatsInSecondMap], PRED_08 [WeaponFrameStat], STAT_02 [NetQuakePredInfoFrame ClientdataStat], HS_20, STAT_07;
}

/// Statistics are there so long after the last of them changed, in microseconds, beside a round trip for each.
const STATS_US: u64 = 1_500_000;

/// A frame with so many statistics may leave the others for the next: FTEQW logs 32 per frame.
const STATS_AT_ONCE: u32 = 16;
/// In so many frames of which each leaves some out, all of them have their turn twice.
const STATS_FRAMES: u32 = 2 * 256 / STATS_AT_ONCE;

impl ServerTx<'_> {
    /// After a frame with room, a receiver of everything must hold the truth; after a full one, soon.
    pub(super) fn check_pending(&mut self, full: bool) {
        let judged = self.session.judges_truth();
        let bound = 2 * (self.session.frames_for_all(self.truth) + 1) + 4;
        let mut unsent = std::mem::take(&mut self.session.unsent);
        unsent.retain(|&number| {
            let frames_sent = self.session.frames_sent;
            let Some(track) = self.session.tracks.get_mut(number) else { return false };
            if track.pending == 0 {
                track.in_unsent = false;
                track.late = false;
                return false;
            }
            let waits = frames_sent.saturating_sub(track.pending_since);
            let open = track.pending & !track.reported;
            let dead = self.truth.world.live.get(number).is_none();
            if !judged || open == 0 || (full && (waits <= bound || track.late)) {
                self.report.saw_if(full && track.in_sent, Point::PendingWhenFull);
                self.report.saw_if(full && !track.in_sent, Point::NewWhenFull);
                self.report.saw_if(full && dead, Point::RemoveWhenFull);
                return true;
            }
            track.late = true;
            if !full {
                track.reported |= open;
            }
            self.unsent(number, open, waits, full);
            true
        });
        self.session.unsent = unsent;
        let enough = self.stats_carried() >= STATS_AT_ONCE;
        self.report.saw_if((full || enough) && self.session.stats.pending != [0; 4], Point::StatsWhenFull);
        if !full && judged {
            self.check_pending_stats(enough);
        }
    }

    /// `open` of an entity was not sent for so many frames, of which the newest was full, or else had room.
    fn unsent(&mut self, number: u32, open: u32, waits: u32, full: bool) {
        let truth = self.truth.world.live.get(number);
        let Some(track) = self.session.tracks.get(number) else { return };
        let old = self.session.previous_map.binary_search(&number).is_ok();
        let suspects = not_sent(&Unsent { session: self.session, track, truth, open, old });
        let sent = track.sent;
        let what = |session: &Session| describe(session, number, open, &sent, truth, waits, full);
        if full {
            self.fail(&CHANGES_ARE_SENT, &OVF_03, what);
        } else {
            self.fail_unless_brought(&CHANGES_ARE_SENT, suspects, Missing::Entity(number, open), what);
        }
    }

    /// Adds a finding about what is not in this datagram: at once on QuakeWorld, where a tick has one; on NetQuake unless
    /// another datagram of the same tick brings it, as one snapshot may take several.
    fn fail_unless_brought(
        &mut self,
        check: &'static Check,
        suspects: Suspects,
        missing: Missing,
        what: impl FnOnce(&Session) -> String,
    ) {
        if self.session.dialect.transport == Transport::QuakeWorld {
            return self.fail(check, suspects, what);
        }
        let frame = self.sequence.unwrap_or_default();
        let what = format!("frame {frame} to {}: {}", self.session.host, what(self.session));
        if let Missing::Stat(stat) = missing {
            put_stat(&mut self.session.stats.missed, stat, true);
        }
        self.session.deferred.push(Deferred { check, suspects, at: self.now, missing, what });
    }

    /// The run is over: what waited in vain all the time?
    pub fn check_starved(&mut self) {
        if !self.session.judges_truth() {
            return;
        }
        let bound = 16 * (2 * (self.session.frames_for_all(self.truth) + 1) + 4);
        let frames_sent = self.session.frames_sent;
        let starved = self
            .session
            .tracks
            .iter()
            .find(|(_, track)| track.pending != 0 && frames_sent.saturating_sub(track.pending_since) > bound);
        if let Some((number, track)) = starved.filter(|_| self.session.last.full + bound > frames_sent) {
            let (pending, since) = (track.pending, track.pending_since);
            self.fail(&CHANGES_ARE_SENT, &OVF_07, |_| {
                format!("entity {number} has waited for {} frames with {}", frames_sent - since, names(pending))
            });
        }
    }

    /// The run is over, and the client in the game since then: which statistics are missing, whether they travel with
    /// frames, all of which were full, or without?
    pub fn check_starved_stats(&mut self, begun: Time) {
        let session = &*self.session;
        let waiting: u64 = session.stats.pending.iter().map(|word| u64::from(word.count_ones())).sum();
        let Session { options, delay_us: [down_us, up_us], .. } = session;
        let round_us = down_us + up_us + 2 * (options.tick_us + options.client_tick_us);
        let since = session.last_disturbance.max(self.truth.changed).max(session.last_resend_cause).max(begun);
        let early = self.now.since(since) <= STATS_US + (waiting + 1) * round_us;
        let known = session.truth.is_none() && session.sent.is_none() && session.damaged.is_none();
        // What travels with frames needs one.
        let framed = session.newest_frame.is_some_and(|(at, _)| at > since.after(STATS_US));
        let may_wait = options.rate > 0 || (session.dialect.predinfo() && !framed);
        if !known || early || may_wait {
            return;
        }
        let predinfo = session.dialect.predinfo();
        let held = |stat: u8| session.stats.held[usize::from(stat)].unwrap_or(StatValue::Int(0));
        // What became of its last carrier is known to the server, and it can wait no longer.
        let is_decided = |stat: u8| {
            session.stats.last[usize::from(stat)] < session.acked_to && retransmission::is_stat_due(session, stat)
        };
        let is_wrong = |&stat: &u8| {
            is_decided(stat)
                && !has_stat(&session.stats.claimed, stat)
                && session.stats.truth[usize::from(stat)].is_some_and(|it| !same_stat(it, held(stat)))
        };
        // Without PREDINFO a float is cut to a long.
        let compared = predinfo && !session.stats.doubtful && session.delivered_epoch == session.epoch;
        let unsent = stats_in(session.stats.pending).next();
        let Some(stat) = unsent.or_else(|| (0..=255).find(is_wrong).filter(|_| compared)) else { return };
        let netquake = session.dialect.transport == Transport::NetQuake;
        let suspects = Suspects::from(match predinfo {
            true if unsent.is_some() => &STAT_04,
            true if session.epoch > 1 => &STAT_06,
            true => &STAT_01,
            false if netquake => &STAT_07,
            false => &HS_20,
        });
        let (truth, held) = (session.stats.truth[usize::from(stat)], held(stat));
        self.fail(&STATISTICS_ARE_SENT, suspects, |_| {
            format!("statistic {stat} has been {} for long, and the client was brought {held}", value_text(truth))
        });
    }

    /// How many statistics this datagram has.
    fn stats_carried(&self) -> u32 {
        let frame = self.sequence.and_then(|sequence| self.session.frames.get(sequence));
        frame.map_or(0, |frame| frame.stats.iter().map(|word| word.count_ones()).sum())
    }

    /// After a frame with room every statistic is as it was sent, unless that had `enough` others.
    fn check_pending_stats(&mut self, enough: bool) {
        if !self.session.dialect.predinfo() {
            return;
        }
        if self.session.epoch > 1 && !self.report.has_seen(Point::StatsInSecondMap) {
            // Set in this map or before: the finding tells which.
            let set = self.session.stats.truth.iter().flatten().any(|&value| !same_stat(value, StatValue::Int(0)));
            self.report.saw_if(set, Point::StatsInSecondMap);
        }
        // Before it enters the game, a client need not be told.
        if self.session.stats.pending == [0; 4] || !self.session.spawn.answered {
            return;
        }
        let pending = self.session.stats.pending;
        let waiting = pending.iter().map(|word| word.count_ones()).sum::<u32>();
        for stat in stats_in(pending) {
            let index = usize::from(stat);
            let left_out = self.session.stats.left_out[index];
            if enough && left_out < STATS_FRAMES {
                self.session.stats.left_out[index] += 1;
                continue;
            }
            put_stat(&mut self.session.stats.pending, stat, false);
            let since = self.session.stats.pending_since[index];
            let (truth, sent) = (self.session.stats.truth[index], self.session.stats.sent[index]);
            let crowded = left_out > 0 || waiting > STATS_AT_ONCE;
            let suspects = stat_not_sent(self.session, stat, sent, since, crowded);
            self.fail_unless_brought(&STATISTICS_ARE_SENT, suspects, Missing::Stat(stat), |_| {
                let (truth, sent) = (value_text(truth), value_text(sent));
                format!("statistic {stat} is {truth}, sent was {sent}, and there is room, but it is not sent")
            });
        }
    }
}

/// Forgets the deferred findings of which this datagram, another of the same tick, brings what was missing.
pub(super) fn drop_brought(session: &mut Session) {
    let Session { deferred, tracks, stats, .. } = session;
    deferred.retain(|deferred| match deferred.missing {
        Missing::Entity(number, flags) => tracks.get(number).is_some_and(|track| track.pending & flags != 0),
        Missing::Stat(stat) => has_stat(&stats.missed, stat),
    });
}

/// A tick is over, if `now` is after it: what its datagrams did not bring is a finding, or has its turn in another tick.
pub fn end_tick(session: &mut Session, report: &mut Report, now: Option<Time>) {
    if session.deferred.first().is_none_or(|deferred| Some(deferred.at) == now) {
        return;
    }
    let limit = session.tick.limit();
    // There was none.
    session.frames_with_room -= u32::from(limit.is_some()).min(session.frames_with_room);
    for Deferred { check, suspects, at, missing, what } in std::mem::take(&mut session.deferred) {
        if limit.is_none_or(|entries| !has_its_turn(session, missing, entries)) {
            report.fail(check, at, kit::HostId::SERVER, suspects, || what);
        }
    }
}

/// Whether what is missing after a tick may come with the next: the server splits what there is to send into frames of so many
/// entries, and sends so many of them in a tick.
fn has_its_turn(session: &mut Session, missing: Missing, entries: usize) -> bool {
    let Session { tracks, stats, frames_sent, .. } = session;
    match missing {
        Missing::Entity(number, flags) => {
            let bound = 2 * (tracks.len().div_ceil(entries) + 1) + 4;
            let Some(track) = tracks.get_mut(number) else { return true };
            let waits = frames_sent.saturating_sub(track.pending_since) as usize <= bound;
            if waits {
                track.reported &= !flags;
                track.late = false;
            }
            waits
        }
        Missing::Stat(stat) => {
            let left_out = &mut stats.left_out[usize::from(stat)];
            let waits = *left_out < STATS_FRAMES;
            if waits {
                *left_out += 1;
                put_stat(&mut stats.missed, stat, false);
                put_stat(&mut stats.pending, stat, true);
            }
            waits
        }
    }
}

fn describe(
    session: &Session,
    number: u32,
    open: u32,
    sent: &Entity,
    truth: Option<&Entity>,
    waits: u32,
    full: bool,
) -> String {
    let why = if full { "has waited that long" } else { "there is room, but it is not sent" };
    let Some(truth) = truth else {
        return format!("entity {number} is gone from the world; its removal {why} ({waits} frames)");
    };
    if open & EXIST != 0 {
        return format!("entity {number} is in the world and was not sent to the client; {why} ({waits} frames)");
    }
    let fields = each(open).filter_map(|bit| session.quantiser.first_difference(bit, sent, truth));
    let list: Vec<String> = fields
        .map(|field| {
            let (held, truth) = (show(field, sent[field]), show(field, truth[field]));
            format!("{} is {truth}, sent last was {held}", FIELD_TABLE[field].name)
        })
        .collect();
    format!("entity {number}: {}; {why} ({waits} frames; {})", list.join(", "), names(open))
}
