//! Retransmission: the newest carrier of every field, of every existence and of every statistic must not stay lost once
//! the server knows of the loss.
//!
//! A datagram is lost, as the server can know, when it was not acknowledged and a later one was. A server that knows
//! exactly what its client holds need not repeat what was superfluous; so nothing is a finding unless what was delivered
//! really differs from what was sent.

use super::coverage::{Point, Report, checks};
use super::diagnosis::{self, LostContent};
use super::field::{ALL, EXIST, PRED, each, names, show};
use super::session::Session;
use super::session::frames::{Frame, How, Outcome, REMEMBERED, TRACKABLE, USUAL_ENTRIES};
use super::session::remote::ToServer;
use super::session::repetition::SURE;
use super::session::stats::{Stats, put_stat, same_stat, stats_in};
use super::session::track::Track;
use super::truth::Truth;
use crate::constants::ACK_RESET;
use crate::requirements::*;
use crate::state::{Entity, FIELD_TABLE};
use kit::{HostId, StatValue, Suspects, Time, Vantage};

checks! {
    LOST_CONTENT_IS_RESENT = "lost-content-is-resent" knows ClientSays: RST_07 [LostReset], RMV_05 [LostRemove],
        RMV_10 [LostRemoveAll], PRED_06 [LostPredInfo], HIST_01 [Loss], HIST_02 [LostDelta], HIST_04 [LostDelta],
        HIST_05 [LostReset] [LostRemove], HIST_06 [LossAfterMany], HIST_08 [LossAfterGap], HIST_09 [LossOfSibling],
        HIST_11 [LostRepair], HIST_13 [LossOfManyEntries], ACK_09 [Loss], ACK_14 [QuakeWorldFrame LossKnownByHeader],
        ACK_18 [StaleAck], ACK_20 [FutureAck Loss], ENT_12;
    LOST_STATISTICS_ARE_RESENT = "lost-statistics-are-resent" knows ClientSays: STAT_01 [LostStat], STAT_06 [LostStatBeforeReset],
        ACK_20;
    RESETS_FOLLOW_REQUESTS = "resets-follow-requests" knows ClientSays: ACK_16 [ResetAsked];
}

/// Server frames with room within which a loss is repaired by a server that does so when it knows of it: twice the two that
/// the specification's scheme takes, and as many again for commands that come between.
const REPAIR_FRAMES: u32 = 8;

/// A server may take a frame for lost once so many newer ones were acknowledged: what comes late is none.
const NEWER_ACKED: u8 = 4;

/// Frames of history that the specification gives a server: it may repair a loss only when the history needs the place.
const HISTORY_FRAMES: u32 = 64;

/// A packet with these acknowledgements, and on QuakeWorld that of its header, is delivered to the server. Where that is a
/// remote one, they count when it shows to have read them.
pub fn delivered(
    session: &mut Session,
    truth: &Truth,
    report: &mut Report,
    now: Time,
    datagram: impl FnOnce() -> ToServer,
    (acks, header): (&[(u32, bool)], Option<u32>),
) {
    let Vantage { remote_server, server_may_miss, .. } = session.vantage;
    let shows = header.is_some() || session.dialect.movement_sequence() && !session.movement.is_never_echoed();
    if remote_server && (shows || server_may_miss) {
        let frames_sent = session.frames_sent;
        return session.unread.push(ToServer { frames_sent, ..datagram() });
    }
    if remote_server {
        // It has read what came while it could still have begun to show that.
        shown_to_be_read(session, truth, report, now, |_| true);
    }
    read(session, truth, report, now, acks.iter().map(|ack| ack.0), header);
}

/// A remote server shows to have read the datagram that `fits`: what came before it, it has read as well, unless it may miss
/// datagrams.
pub fn shown_to_be_read(
    session: &mut Session,
    truth: &Truth,
    report: &mut Report,
    now: Time,
    fits: impl Fn(&ToServer) -> bool,
) {
    if !session.vantage.remote_server {
        return;
    }
    let mut datagrams: Vec<ToServer> = session.unread.up_to(fits).collect();
    let newest = datagrams.pop();
    for ToServer { acks, header, frames_sent, .. } in datagrams {
        let acks = acks_due(session, acks, frames_sent);
        if session.vantage.server_may_miss {
            perhaps_read(session, &acks, header);
        } else {
            read(session, truth, report, now, acks.into_iter(), header);
        }
    }
    if let Some(ToServer { acks, header, frames_sent, .. }) = newest {
        let acks = acks_due(session, acks, frames_sent);
        read(session, truth, report, now, acks.into_iter(), header);
    }
}

/// What acknowledgements ask for that were delivered when the server had sent so many frames, and are shown to have been read now:
/// it may have read a request for a reset long before, and obeyed.
fn acks_due(session: &Session, mut acks: Vec<u32>, frames_sent: u32) -> Vec<u32> {
    if session.resets.obeyed.is_some_and(|obeyed| obeyed >= frames_sent) {
        acks.retain(|&ack| ack != ACK_RESET);
    }
    acks
}

/// The server has or has not read these acknowledgements: either way nothing of those frames need be sent again.
pub fn perhaps_read(session: &mut Session, acks: &[u32], header: Option<u32>) {
    if !acks.is_empty() {
        session.unneeded.close();
    }
    if acks.contains(&ACK_RESET) {
        session.resets.received = session.frames_sent;
    }
    for &sequence in acks.iter().chain(&header) {
        if let Some(frame) = session.frames.get_mut(sequence) {
            frame.acked = true;
        }
    }
}

/// The server reads the acknowledgements of a packet.
fn read(
    session: &mut Session,
    truth: &Truth,
    report: &mut Report,
    now: Time,
    acks: impl Iterator<Item = u32> + Clone,
    header: Option<u32>,
) {
    let explicit = acks.clone().filter(|&ack| ack != ACK_RESET).count();
    let among_others = explicit > 1 || (explicit > 0 && header.is_some());
    for sequence in acks {
        if sequence == ACK_RESET {
            session.last_resend_cause = now;
            reset_requested(session, report);
        } else {
            acknowledged(session, truth, report, sequence, true, among_others);
        }
    }
    if let Some(sequence) = header.filter(|&sequence| sequence > 0) {
        acknowledged(session, truth, report, sequence, false, among_others);
    }
}

/// The server receives the client's request for a reset.
fn reset_requested(session: &mut Session, report: &mut Report) {
    report.saw(Point::ResetAsked);
    session.unneeded.close();
    // With frames before the client has come to a map, what it asks for may still be about the map before.
    let in_map = session.spawn.asked || session.epoch <= 1;
    if session.frames_sent > 0 && in_map {
        session.resets.asked.get_or_insert(session.frames_sent);
        session.resets.received = session.frames_sent;
    }
}

/// The server receives the acknowledgement of `sequence`: explicit, or in a packet's header; `among_others` in its packet.
pub(super) fn acknowledged(
    session: &mut Session,
    truth: &Truth,
    report: &mut Report,
    sequence: u32,
    explicit: bool,
    among_others: bool,
) {
    if session.frames.newest.is_none_or(|newest| sequence > newest) {
        session.odd_acks.future = true;
        report.saw(Point::FutureAck);
        return;
    }
    let Some(frame) = session.frames.get_mut(sequence).filter(|frame| frame.place > 0) else { return };
    let again = std::mem::replace(&mut frame.acked, true);
    if !again {
        frame.acked_among_others = among_others;
        frame.acked_at = session.frames_sent;
        session.unneeded.acknowledged(frame, among_others);
        if frame.outcome != Outcome::Taken {
            let Stats { last, claimed, .. } = &mut *session.stats;
            let newest = stats_in(frame.stats).filter(|&stat| last[usize::from(stat)] == Some(sequence));
            newest.for_each(|stat| put_stat(claimed, stat, true));
        }
    }
    report.saw_if(frame.epoch < session.epoch && session.frames_sent > 0, Point::OldAckInNewMap);
    report.saw_if(sequence == 0, Point::FrameZeroAcked);
    if session.acked_to >= Some(sequence) {
        session.odd_acks.stale |= explicit;
        report.saw_if(explicit || again, Point::StaleAck);
        return;
    }
    let first = session.acked_to.map_or(0, |newest| newest + 1);
    session.acked_to = Some(sequence);
    let counts = (session.frames_sent, session.frames_with_room);
    another_newer(session, counts);
    if let Some(unseen) = session.unseen.as_mut().filter(|unseen| sequence > unseen.newest) {
        unseen.known.get_or_insert(counts);
    }
    let oldest = sequence.saturating_sub(REMEMBERED as u32 - 1);
    if first < oldest && session.judges_delivery() {
        lose_forgotten(session, first..oldest, counts);
    }
    for lost in first.max(oldest)..sequence {
        let (epoch, judged) = (session.epoch, session.judges_delivery());
        let Some(frame) = session.frames.get_mut(lost) else { continue };
        if frame.acked || frame.place == 0 || frame.epoch != epoch || !judged {
            continue;
        }
        // The frame is put back below; nothing in between needs it.
        let mut frame = std::mem::take(frame);
        frame.lost_by_header = !explicit;
        lose(session, truth, report, &frame);
        if let Some(slot) = session.frames.slot_of(lost) {
            *slot = frame;
        }
    }
}

/// Another frame is acknowledged that is newer than those which are lost, at these counts: some servers are sure only then.
fn another_newer(session: &mut Session, counts: (u32, u32)) {
    for &number in &session.unrepaired {
        if let Some(track) = session.tracks.get_mut(number).filter(|track| track.newer_acked < NEWER_ACKED) {
            track.newer_acked += 1;
            track.due_since = counts;
        }
    }
    let Stats { lost, lost_since, newer_acked, .. } = &mut *session.stats;
    for stat in stats_in(*lost).map(usize::from) {
        if newer_acked[stat] < NEWER_ACKED {
            newer_acked[stat] += 1;
            lost_since[stat] = counts;
        }
    }
}

/// A frame is lost, as the server now knows: what it carried last must be sent again.
fn lose(session: &mut Session, truth: &Truth, report: &mut Report, frame: &Frame) {
    session.repairs.losses += 1;
    session.unneeded.close();
    report.saw(Point::Loss);
    report.saw_if(session.age(frame) >= TRACKABLE, Point::LossAfterMany);
    report.saw_if(frame.sibling, Point::LossOfSibling);
    report.saw_if(frame.after_gap, Point::LossAfterGap);
    report.saw_if(frame.entries.len() >= USUAL_ENTRIES, Point::LossOfManyEntries);
    report.saw_if(frame.lost_by_header, Point::LossKnownByHeader);
    let since = (session.frames_sent, session.frames_with_room);
    for carried in &frame.entries {
        let Some(track) = session.tracks.get_mut(carried.number) else { continue };
        let lost = track.newest_in(carried.flags, frame.sequence);
        let alive = truth.alive(carried.number).unwrap_or(track.in_sent);
        match carried.how {
            How::Remove if alive => report.saw(Point::LostRemoveOfLiving),
            How::Remove => report.saw_if(lost & EXIST != 0, Point::LostRemove),
            _ if !alive => report.saw(Point::LostUpdateOfDead),
            How::Reset => report.saw_if(lost & EXIST != 0, Point::LostReset),
            _ => report.saw_if(lost & !EXIST != 0, Point::LostDelta),
        }
        report.saw_if(lost & PRED != 0 && carried.how == How::Delta, Point::LostPredInfo);
        report.saw_if(carried.repair, Point::LostRepair);
        if note_lost(track, lost, carried.how, frame.sequence, carried.repair, since) {
            session.unrepaired.push(carried.number);
        }
    }
    if frame.remove_all {
        report.saw(Point::LostRemoveAll);
        for (number, track) in session.tracks.iter_mut().filter(|(_, track)| !track.in_sent && track.in_delivered) {
            let lost = track.newest_in(ALL, frame.sequence);
            if lost & EXIST != 0 && note_lost(track, lost, How::RemoveAll, frame.sequence, false, since) {
                session.unrepaired.push(number);
            }
        }
    }
    report.saw_if(frame.stats != [0; 4] && frame.place <= session.resets.received, Point::LostStatBeforeReset);
    for stat in stats_in(frame.stats) {
        let index = usize::from(stat);
        if session.stats.last[index] == Some(frame.sequence) {
            report.saw(Point::LostStat);
            put_stat(&mut session.stats.lost, stat, true);
            session.stats.lost_since[index] = since;
            session.stats.newer_acked[index] = 1;
        }
    }
}

/// The frames numbered `lost` are lost, as the server now knows, and no longer remembered: what they carried last shows in
/// what the client lacks.
fn lose_forgotten(session: &mut Session, lost: std::ops::Range<u32>, since: (u32, u32)) {
    let found: Vec<(u32, u32, u32)> = session
        .tracks
        .iter()
        .filter_map(|(number, track)| {
            let carrier = |bit: usize| track.last_carrier(bit).filter(|carrier| lost.contains(carrier));
            let wrong = each(divergence(session, number, track, ALL)).filter(|&bit| carrier(bit).is_some());
            let wrong = wrong.fold(0, |found, bit| found | 1 << bit);
            Some((number, wrong, carrier(each(wrong).next()?)?))
        })
        .collect();
    for (number, wrong, carrier) in found {
        let how = |track: &Track| if track.in_sent { How::Delta } else { How::Remove };
        let Some(track) = session.tracks.get_mut(number) else { continue };
        if note_lost(track, wrong, how(track), carrier, false, since) {
            session.unrepaired.push(number);
        }
    }
}

/// Notes what must be sent again. Whether the entity must be put on the list.
fn note_lost(track: &mut Track, lost: u32, how: How, sequence: u32, repair: bool, since: (u32, u32)) -> bool {
    if lost == 0 {
        return false;
    }
    if track.lost == 0 {
        track.lost_how = how;
        track.lost_since = since;
        track.lost_repair = false;
    }
    // All of it is due when the newest is.
    (track.due_since, track.newer_acked) = (since, 1);
    track.lost |= lost;
    track.lost_how = track.lost_how.max(how);
    track.lost_in = sequence;
    track.lost_repair |= repair;
    !std::mem::replace(&mut track.in_unrepaired, true)
}

/// A server frame was sent: what was not sent again for too long is a finding. At quiescence, `all` asks for everything.
pub fn check_lost(session: &mut Session, truth: &Truth, report: &mut Report, now: Time, all: bool) {
    if !session.judges_delivery() {
        return;
    }
    let patience = REPAIR_FRAMES + 4 * (session.frames_for_all(truth) + 1);
    let late = |session: &Session, since: (u32, u32)| {
        let since = (since.0.max(session.judged_from.0), since.1.max(session.judged_from.1));
        all || session.frames_with_room - since.1.min(session.frames_with_room) >= REPAIR_FRAMES
            || session.frames_sent - since.0.min(session.frames_sent) >= patience
    };
    if let Some(unseen) = session.unseen {
        // What was in them may have been this, and is known to be lost later.
        if unseen.known.is_some_and(|since| late(session, since)) {
            session.unseen = None;
            session.judged_from = (session.frames_sent, session.frames_with_room);
        }
        return;
    }
    let mut unrepaired = std::mem::take(&mut session.unrepaired);
    unrepaired.retain(|&number| {
        let Some(track) = session.tracks.get(number) else { return false };
        let may_be_unsure = !all && track.newer_acked < NEWER_ACKED;
        if track.lost != 0 && (may_be_unsure || !late(session, track.due_since)) {
            return true;
        }
        if track.lost != 0 && !is_due(session, track.lost_in, session.repairs.at_once) {
            let waits = divergence(session, number, track, track.lost) != 0;
            if waits {
                report.remark(
                    "lost data is retransmitted more than eight frames later (legal, as long as history has it)",
                );
            }
            return waits;
        }
        if track.lost != 0 && !judge(session, report, now, number) && !all {
            report.remark("lost data is not always retransmitted where the client holds it anyway (legal)");
        }
        settle(session, number);
        false
    });
    session.unrepaired = unrepaired;
    if session.stats.lost != [0; 4] {
        check_lost_stats(session, report, now, all, &late);
    }
    if let Some(asked) = session.resets.asked
        && session.frames_sent - asked.max(session.judged_from.0) >= REPAIR_FRAMES
    {
        session.resets.asked = None;
        report.fail(&RESETS_FOLLOW_REQUESTS, now, HostId::SERVER, &ACK_16, || {
            format!(
                "{} requested a reset; {REPAIR_FRAMES} frames later there was no remove-all (newest frame {})",
                session.host,
                session.frames.newest.unwrap_or_default()
            )
        });
    }
}

/// Whether what frame `sequence` carried must have been sent again by now. A server may repair a loss only when its history
/// needs the place; one that was seen to repair such a loss sooner does not wait for that.
pub fn is_due(session: &Session, sequence: u32, repairs_at_once: bool) -> bool {
    repairs_at_once || session.age_of(sequence) >= HISTORY_FRAMES + REPAIR_FRAMES
}

/// The same of what carried a statistic last; one that no frame carried is due at once.
pub fn is_stat_due(session: &Session, stat: u8) -> bool {
    let at_once = session.stats.repaired_at_once;
    session.stats.last[usize::from(stat)].is_none_or(|carrier| is_due(session, carrier, at_once))
}

/// What frame `lost_in` carried is sent again, and the world did not ask for it. Whether that shows that the server does not
/// wait until its history needs the place: neither of that frame, nor of an older one that is lost and `carries` the same.
/// A server that starts over gives up its history whole.
pub fn is_repair_at_once(session: &Session, lost_in: u32, carries: impl Fn(&Frame) -> bool) -> bool {
    // A history has frames, or datagrams by their numbers, some of which have no frame.
    let newest = session.frames.newest.unwrap_or_default();
    let age = |frame: &Frame| session.age(frame).max(newest.saturating_sub(frame.sequence));
    let is_old = |frame: &Frame| frame.place > 0 && age(frame) >= SURE;
    let started_over = session.resets.obeyed.unwrap_or(0).max(session.resets.received);
    session.frames.get(lost_in).is_some_and(|lost| age(lost) < SURE && lost.place > started_over)
        && !session.frames.iter().any(|frame| is_old(frame) && !frame.acked && carries(frame))
}

/// Nothing of an entity need be sent again any more.
fn settle(session: &mut Session, number: u32) {
    if let Some(track) = session.tracks.get_mut(number) {
        track.lost = 0;
        track.in_unrepaired = false;
    }
}

fn check_lost_stats(
    session: &mut Session,
    report: &mut Report,
    now: Time,
    all: bool,
    late: &dyn Fn(&Session, (u32, u32)) -> bool,
) {
    for stat in stats_in(session.stats.lost) {
        let index = usize::from(stat);
        let may_be_unsure = !all && session.stats.newer_acked[index] < NEWER_ACKED;
        if may_be_unsure || !is_stat_due(session, stat) || !late(session, session.stats.lost_since[index]) {
            continue;
        }
        put_stat(&mut session.stats.lost, stat, false);
        let held = session.stats.held[index].unwrap_or(StatValue::Int(0));
        let sent = session.stats.sent[index].unwrap_or(StatValue::Int(0));
        if !session.dialect.predinfo() || session.stats.doubtful || same_stat(held, sent) {
            continue;
        }
        let carrier = session.stats.last[index];
        let place = carrier.and_then(|carrier| session.frames.get(carrier)).map(|frame| frame.place);
        // Whether the request for a reset came in between.
        let before_reset = place.is_some_and(|place| place <= session.resets.received);
        let suspects = Suspects::from(if before_reset { &STAT_06 } else { &STAT_01 });
        report.fail(
            &LOST_STATISTICS_ARE_RESENT,
            now,
            HostId::SERVER,
            suspects.or_if(session.odd_acks.future, &ACK_20),
            || {
                let (host, carrier) = (session.host, carrier.unwrap_or_default());
                format!(
                    "statistic {stat}: frame {carrier} carried {sent} and was lost, as the server knows; it was \
                     not sent again, and {host} holds {held}"
                )
            },
        );
    }
}

/// In which of `flags` a receiver of what was delivered really differs from one of everything sent.
pub fn divergence(session: &Session, number: u32, track: &Track, flags: u32) -> u32 {
    match (track.in_sent, track.in_delivered) {
        (false, false) => 0,
        (false, true) => flags & EXIST,
        (true, false) if flags & EXIST != 0 => EXIST,
        // It is on its way as a delta, and will start from the baseline.
        (true, false) => session.quantiser.differing(flags, session.baseline(number), &track.sent),
        (true, true) => {
            let vague = flags & track.vague;
            session.quantiser.differing(flags, &track.delivered, &track.sent)
                | session.quantiser.differing(vague, &Entity::NULL, &track.sent)
        }
    }
}

/// It is too late for sending again: a finding, unless the client holds what it should. Whether there is one.
fn judge(session: &mut Session, report: &mut Report, now: Time, number: u32) -> bool {
    let Some(track) = session.tracks.get(number) else { return false };
    let wrong = divergence(session, number, track, track.lost);
    if wrong == 0 {
        return false;
    }
    if wrong & !track.lost_reported == 0 {
        return true;
    }
    let lost_kinds = [Point::LostReset, Point::LostRemove, Point::LostRemoveAll, Point::LostStat];
    let suspects = diagnosis::not_resent(&LostContent {
        session,
        frame: session.frames.get(track.lost_in),
        track,
        number,
        wrong,
        other_kinds_lost: lost_kinds.into_iter().any(|kind| report.has_seen(kind)),
    });
    report.fail(&LOST_CONTENT_IS_RESENT, now, HostId::SERVER, suspects, || describe(session, number, track, wrong));
    if let Some(track) = session.tracks.get_mut(number) {
        track.lost_reported |= wrong;
    }
    true
}

fn describe(session: &Session, number: u32, track: &Track, wrong: u32) -> String {
    let carrier = track.lost_in;
    let age = match session.frames.get(carrier) {
        Some(frame) => format!("{} frames later", track.lost_since.0 - frame.place.min(track.lost_since.0)),
        None => format!("more than {REMEMBERED} frames later"),
    };
    let how = match track.lost_how {
        How::Delta => "updated",
        How::Reset => "reset",
        How::Remove => "removed",
        How::RemoveAll => "removed, with all others,",
    };
    let since = session.frames_sent - track.lost_since.0.min(session.frames_sent);
    let lost = if track.lost == ALL { String::from("everything") } else { names(track.lost) };
    let mut text = format!(
        "frame {carrier} {how} entity {number} and was lost; the server knew that {age}, as later frames \
         were acknowledged, but did not send it again in the {since} frames since. Not repaired: {lost}."
    );
    let host = session.host;
    if wrong & EXIST != 0 {
        let (has, lacks) = if track.in_delivered { ("holds", "removed") } else { ("lacks", "sent") };
        text.push_str(&format!(" {host} {has} the entity, which was {lacks}"));
    }
    for bit in each(wrong & !EXIST) {
        let held = if track.in_delivered { &track.delivered } else { session.baseline(number) };
        if let Some(field) = session.quantiser.first_difference(bit, held, &track.sent) {
            let (held, sent) = (show(field, held[field]), show(field, track.sent[field]));
            text.push_str(&format!(" {host} holds {} {held}, sent was {sent}", FIELD_TABLE[field].name));
        }
    }
    text
}

/// `wrong` of an entity was lost with frame `carrier`, as the server knows, longer ago than is remembered in its track.
pub fn judge_lost(session: &mut Session, report: &mut Report, now: Time, number: u32, wrong: u32, carrier: u32) {
    let frame = session.frames.get(carrier);
    let entry = frame.and_then(|frame| frame.entries.iter().find(|entry| entry.number == number));
    let how = entry.map(|entry| entry.how).unwrap_or_default();
    let since = frame.map_or(0, |frame| frame.place);
    if let Some(track) = session.tracks.get_mut(number) {
        note_lost(track, wrong, how, carrier, false, (since, 0));
    }
    judge(session, report, now, number);
    settle(session, number);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;

    #[test]
    fn a_request_that_a_remove_all_has_answered_since_it_was_delivered_asks_for_nothing_more() {
        let options = Options::new(&kit::Setup::new(&crate::PROTOCOL, &crate::options::PROFILES[0]));
        let mut session = Session::new(HostId(1), options, Vantage::OF_WORLDLESS);
        let mut check = |obeyed, frames_sent, left: &[u32]| {
            session.resets.obeyed = obeyed;
            assert_eq!(acks_due(&session, vec![3, ACK_RESET], frames_sent), left, "{obeyed:?} {frames_sent}");
        };
        check(None, 0, &[3, ACK_RESET]);
        // The remove-all was in the frame after those that had been sent.
        check(Some(5), 5, &[3]);
        check(Some(9), 5, &[3]);
        check(Some(4), 5, &[3, ACK_RESET]);
    }

    #[test]
    fn what_is_sent_again_shows_no_haste_where_a_server_has_other_reasons() {
        let options = Options::new(&kit::Setup::new(&crate::PROTOCOL, &crate::options::PROFILES[0]));
        // Frames 100 and on, each `step` numbers after the one before; what the one at place `lost` carried is sent again.
        let check = |lost: u32, sent: u32, step: u32, prepare: &dyn Fn(&mut Session), hasty| {
            let mut session = Session::new(HostId(1), options, Vantage::OF_WORLDLESS);
            for place in 1..=sent {
                session.frames.open(100 + place * step, 0).place = place;
            }
            session.frames_sent = sent;
            prepare(&mut session);
            let carries = |frame: &Frame| frame.stats != [0; 4];
            assert_eq!(
                is_repair_at_once(&session, 100 + lost * step, carries),
                hasty,
                "{lost} of {sent}, {step} apart"
            );
        };
        let nothing = |_: &mut Session| ();
        check(20, 40, 1, &nothing, true);
        // A history of 32 frames is full, or one of 32 numbers.
        check(8, 40, 1, &nothing, false);
        check(20, 40, 2, &nothing, false);
        // The place of an older frame may be needed.
        check(20, 40, 1, &|session| session.frames.get_mut(104).unwrap().stats = [1; 4], false);
        // It starts over: it was asked to, or did by itself.
        check(20, 40, 1, &|session| session.resets.received = 19, true);
        check(20, 40, 1, &|session| session.resets.received = 20, false);
        check(20, 40, 1, &|session| session.resets.obeyed = Some(30), false);
    }
}
