//! What the server owes: the newest carrier of every field, of every existence and of every statistic must not stay
//! lost once the server knows of the loss.
//!
//! A datagram is lost, as the server can know, when it was not acknowledged and a later one was. A server that knows
//! exactly what its client holds need not repeat what was superfluous; so nothing is a finding unless a receiver of
//! what was delivered really differs from a receiver of what was sent.

use super::book::{Book, put_stat, same_stat, stats_in};
use super::coverage::{Point, Report};
use super::field::{ALL, EXIST, each, fields_of_update, names, show};
use super::frames::{Frame, How, REMEMBERED};
use super::track::Track;
use crate::constants::*;
use crate::dialect::Transport;
use crate::requirements::*;
use crate::state::World;
use crate::state::{Entity, FIELD_TABLE};
use kit::{HostId, Requirement, StatValue, Time};

/// Server frames with room within which a loss must be repaired: twice the two that the document's scheme takes, and
/// as many again for commands that come between.
const REPAIR_FRAMES: u32 = 8;
/// Frames in flight that any history holds ("64 or so"); above it, losing track is a matter of its own.
pub const TRACKABLE: u32 = 32;
/// A log with room for as many entities is large enough for usual frames; more is a matter of its own.
const USUAL_ENTRIES: usize = 32;

/// The client asks for a reset, and the server hears it.
pub fn reset_requested(book: &mut Book, report: &mut Report) {
    report.saw(Point::ResetAsked);
    book.waste.close();
    if book.places > 0 {
        book.reset_asked.get_or_insert(book.places);
        book.reset_heard = book.places;
    }
}

/// The server hears that the client received `sequence`; explicitly, or by a packet's header.
/// `among_others` in its packet.
pub fn acknowledged(
    book: &mut Book,
    world: &World,
    report: &mut Report,
    sequence: u32,
    explicit: bool,
    among_others: bool,
) {
    book.explicit_acks += u32::from(explicit);
    if book.frames.newest.is_none_or(|newest| sequence > newest) {
        book.future_acks += 1;
        report.saw(Point::FutureAck);
        return;
    }
    let Some(frame) = book.frames.get_mut(sequence).filter(|frame| frame.place > 0) else { return };
    let again = std::mem::replace(&mut frame.acked, true);
    if !again {
        frame.acked_among_others = among_others;
        frame.acked_at = book.places;
        book.waste.heard(frame, among_others);
    }
    report.saw_if(frame.epoch < book.epoch && book.places > 0, Point::OldAckInNewMap);
    report.saw_if(sequence == 0, Point::FrameZeroAcked);
    report.saw_if(book.frames.newest > Some(sequence), Point::AckWithNewerInFlight);
    if book.acked_to >= Some(sequence) {
        book.stale_acks += u32::from(explicit);
        report.saw_if(explicit || again, Point::StaleAck);
        return;
    }
    let first = match book.acked_to {
        Some(newest) => newest + 1,
        None => 0,
    };
    book.acked_to = Some(sequence);
    for lost in first.max(sequence.saturating_sub(REMEMBERED as u32 - 1))..sequence {
        let (epoch, judged) = (book.epoch, book.judges_delivery());
        let Some(frame) = book.frames.get_mut(lost) else { continue };
        if frame.acked || frame.place == 0 || frame.epoch != epoch || !judged {
            continue;
        }
        // The frame is put back below; nothing in between looks at it.
        let frame = std::mem::take(frame);
        lose(book, world, report, &frame);
        if let Some(slot) = book.frames.slot_of(lost) {
            *slot = frame;
        }
    }
}

/// A frame is lost, as the server now knows: what it carried last is owed.
fn lose(book: &mut Book, world: &World, report: &mut Report, frame: &Frame) {
    book.losses += 1;
    book.waste.close();
    let age = book.places - frame.place.min(book.places);
    report.saw(Point::Loss);
    report.saw_if(age >= TRACKABLE, Point::LossAfterMany);
    report.saw_if(age > LOG_FRAMES as u32, Point::LossBeyondHistory);
    report.saw_if(frame.sibling, Point::LossOfSibling);
    report.saw_if(frame.after_gap, Point::LossAfterGap);
    report.saw_if(frame.entries.len() >= USUAL_ENTRIES, Point::LossOfManyEntries);
    report.saw_if(book.explicit_acks == 0, Point::LossKnownByHeader);
    let since = (book.places, book.roomy);
    for (position, carried) in frame.entries.iter().enumerate() {
        let Some(track) = book.tracks.get_mut(carried.number) else { continue };
        let lost = track.newest_in(carried.flags, frame.sequence);
        let alive = world.live.get(carried.number).is_some();
        match carried.how {
            How::Remove if alive => report.saw(Point::LostRemoveOfLiving),
            How::Remove => report.saw_if(lost & EXIST != 0, Point::LostRemove),
            _ if !alive => report.saw(Point::LostUpdateOfDead),
            How::Reset => report.saw_if(lost & EXIST != 0, Point::LostReset),
            _ => report.saw_if(lost & !EXIST != 0, Point::LostDelta),
        }
        report.saw_if(lost & UF_PREDINFO as u32 != 0 && carried.how == How::Delta, Point::LostPredInfo);
        report.saw_if(carried.repair, Point::LostRepair);
        if owe(track, lost, carried.how, frame.sequence, carried.repair, position, since) {
            book.owing.push(carried.number);
        }
    }
    if frame.remove_all {
        report.saw(Point::LostRemoveAll);
        for (number, track) in book.tracks.iter_mut().filter(|(_, track)| !track.in_shadow && track.in_mirror) {
            let lost = track.newest_in(ALL, frame.sequence);
            if lost & EXIST != 0 && owe(track, lost, How::RemoveAll, frame.sequence, false, 0, since) {
                book.owing.push(number);
            }
        }
    }
    report.saw_if(frame.stats != [0; 4] && frame.place <= book.reset_heard, Point::LostStatBeforeReset);
    for stat in stats_in(frame.stats) {
        let index = usize::from(stat);
        if book.stats.last[index] == Some(frame.sequence) {
            report.saw(Point::LostStat);
            put_stat(&mut book.stats.owed, stat, true);
            book.stats.owed_since[index] = since;
        }
    }
}

/// Notes a debt. Whether the entity must be put on the list.
fn owe(
    track: &mut Track,
    lost: u32,
    how: How,
    sequence: u32,
    repair: bool,
    position: usize,
    since: (u32, u32),
) -> bool {
    if lost == 0 {
        return false;
    }
    if track.owed == 0 {
        track.owed_how = how;
        track.owed_since = since;
        track.owed_again = false;
        track.owed_merged = false;
    } else {
        track.owed_merged |= track.owed_from != sequence;
    }
    track.owed |= lost;
    track.owed_how = track.owed_how.max(how);
    track.owed_from = sequence;
    track.owed_again |= repair;
    track.owed_position = position;
    !std::mem::replace(&mut track.in_owing, true)
}

/// A server frame was sent: what is owed for too long is a finding. At the run's end, `all` asks for everything.
pub fn check_owed(book: &mut Book, world: &World, report: &mut Report, now: Time, all: bool) {
    if !book.judges_delivery() {
        return;
    }
    let patience = REPAIR_FRAMES + 4 * (book.frames_for_all(world) + 1);
    let late = |book: &Book, since: (u32, u32)| {
        all || book.roomy - since.1.min(book.roomy) >= REPAIR_FRAMES
            || book.places - since.0.min(book.places) >= patience
    };
    let mut owing = std::mem::take(&mut book.owing);
    owing.retain(|&number| {
        let Some(track) = book.tracks.get(number) else { return false };
        if track.owed != 0 && !late(book, track.owed_since) {
            return true;
        }
        if track.owed != 0 && !judge(book, report, now, number) && !all {
            report.remark("what was lost is not always sent again where the client holds it anyway (stricter readings ask for it; legal)");
        }
        if let Some(track) = book.tracks.get_mut(number) {
            track.owed = 0;
            track.in_owing = false;
        }
        false
    });
    book.owing = owing;
    if book.stats.owed != [0; 4] {
        check_owed_stats(book, report, now, &late);
    }
    if let Some(asked) = book.reset_asked
        && book.places - asked >= REPAIR_FRAMES
    {
        book.reset_asked = None;
        report.find(&ACK_16, now, HostId::SERVER, || {
            format!(
                "{} asked for a reset; {REPAIR_FRAMES} frames later there was no remove-all (newest frame {:?})",
                book.host, book.frames.newest
            )
        });
    }
}

fn check_owed_stats(book: &mut Book, report: &mut Report, now: Time, late: &dyn Fn(&Book, (u32, u32)) -> bool) {
    for stat in stats_in(book.stats.owed) {
        let index = usize::from(stat);
        if !late(book, book.stats.owed_since[index]) {
            continue;
        }
        put_stat(&mut book.stats.owed, stat, false);
        let held = book.stats.held[index].unwrap_or(StatValue::Int(0));
        let sent = book.stats.sent[index].unwrap_or(StatValue::Int(0));
        if !book.dialect.predinfo() || same_stat(held, sent) {
            continue;
        }
        let carrier = book.stats.last[index];
        let frame = carrier.and_then(|carrier| book.frames.get(carrier));
        let requirement: &'static Requirement = match frame {
            _ if book.future_acks > 0 => &ACK_20,
            // The request for a reset came in between.
            Some(frame) if frame.place <= book.reset_heard => &STAT_06,
            _ => &STAT_01,
        };
        report.find(requirement, now, HostId::SERVER, || {
            let host = book.host;
            format!(
                "statistic {stat}: frame {carrier:?} carried {sent:?} and was lost, as the server knows; it was not \
                 sent again, and {host} holds {held:?}"
            )
        });
    }
}

/// In which of `flags` a receiver of what was delivered really differs from one of everything sent.
pub fn divergence(book: &Book, number: u32, track: &Track, flags: u32) -> u32 {
    match (track.in_shadow, track.in_mirror) {
        (false, false) => 0,
        (false, true) => flags & EXIST,
        (true, false) if flags & EXIST != 0 => EXIST,
        // It is on its way as a delta, and will start from the baseline.
        (true, false) => book.grain.differing(flags, book.baseline(number), &track.shadow),
        (true, true) => {
            let vague = flags & track.vague;
            book.grain.differing(flags, &track.mirror, &track.shadow)
                | book.grain.differing(vague, &Entity::NULL, &track.shadow)
        }
    }
}

/// A debt is due: a finding, unless the client holds what it should. Whether there is one.
fn judge(book: &Book, report: &mut Report, now: Time, number: u32) -> bool {
    let Some(track) = book.tracks.get(number) else { return false };
    let wrong = divergence(book, number, track, track.owed);
    if wrong == 0 {
        return false;
    }
    let requirement = culprit(book, report, track, wrong);
    report.find(requirement, now, HostId::SERVER, || describe(book, number, track, wrong));
    if number > 0xffff {
        // Perhaps it was repaired, under the number that 16 bits leave of it.
        report.find(&ENT_12, now, HostId::SERVER, || describe(book, number, track, wrong));
    }
    if requirement.id == ACK_14.id {
        report.find(&ACK_09, now, HostId::SERVER, || describe(book, number, track, wrong));
    }
    // What else the frame carried was sent again: the loss was noticed, but the log did not have all.
    let known = book.frames.get(track.owed_from).is_some_and(|frame| frame.repaired);
    if known && (requirement.id == RST_07.id || requirement.id == RMV_05.id) {
        report.find(&HIST_05, now, HostId::SERVER, || describe(book, number, track, wrong));
    }
    true
}

/// Which duty an unpaid debt breaks.
fn culprit(book: &Book, report: &Report, track: &Track, wrong: u32) -> &'static Requirement {
    let age = |frame: &Frame| track.owed_since.0 - frame.place.min(track.owed_since.0);
    let frame = book.frames.get(track.owed_from);
    let header_only = book.dialect.transport == Transport::QuakeWorld && book.explicit_acks == 0;
    // Nothing was ever repaired, of no kind: the server does not look for losses at all.
    let kinds = [Point::LostReset, Point::LostRemove, Point::LostRemoveAll, Point::LostStat];
    let deaf = book.repairs == 0 && (book.losses >= 8 || kinds.into_iter().any(|kind| report.has_seen(kind)));
    if book.future_acks > 0 {
        return &ACK_20;
    }
    if frame.is_none_or(|frame| age(frame) >= TRACKABLE) {
        return &HIST_06;
    }
    match track.owed_how {
        How::Reset => return &RST_07,
        How::Remove => return &RMV_05,
        How::RemoveAll => return &RMV_10,
        How::Delta => {}
    }
    match frame {
        _ if wrong & !(UF_PREDINFO as u32) == 0 => &PRED_06,
        Some(frame) if frame.entries.len() > USUAL_ENTRIES && track.owed_position >= USUAL_ENTRIES => &HIST_13,
        Some(frame) if frame.sibling => &HIST_09,
        Some(frame) if frame.after_gap => &HIST_08,
        _ if track.owed_again => &HIST_11,
        _ if deaf && header_only => &ACK_14,
        _ if deaf => &ACK_09,
        _ if book.stale_acks > 0 => &ACK_18,
        _ if book.misplaced > 0 => &HIST_04,
        // Resets and removes are repaired, or the frames beside the lost ones: fields are cleared, but logged elsewhere.
        _ if book.delta_repairs == 0 => &HIST_04,
        Some(frame) if frame.repaired && !track.owed_merged => &HIST_01,
        _ => &HIST_02,
    }
}

fn describe(book: &Book, number: u32, track: &Track, wrong: u32) -> String {
    let carrier = track.owed_from;
    let age = book
        .frames
        .get(carrier)
        .map_or(REMEMBERED as u32, |frame| track.owed_since.0 - frame.place.min(track.owed_since.0));
    let how = match track.owed_how {
        How::Delta => "updated",
        How::Reset => "reset",
        How::Remove => "removed",
        How::RemoveAll => "removed, with all others,",
    };
    let since = book.places - track.owed_since.0.min(book.places);
    let owed = if track.owed == ALL { String::from("everything") } else { names(track.owed) };
    let mut text = format!(
        "frame {carrier} {how} entity {number} and was lost; the server knew that {age} frames later, as later frames \
         were acknowledged, but did not send it again in the {since} frames since. Owed: {owed}."
    );
    let host = book.host;
    if wrong & EXIST != 0 {
        let (has, lacks) = if track.in_mirror { ("holds", "removed") } else { ("lacks", "sent") };
        text.push_str(&format!(" {host} {has} the entity, which was {lacks}"));
    }
    for bit in each(wrong & !EXIST) {
        let held = if track.in_mirror { &track.mirror } else { book.baseline(number) };
        if let Some(field) = book.grain.first_difference(bit, held, &track.shadow) {
            let (held, sent) = (show(field, held[field]), show(field, track.shadow[field]));
            text.push_str(&format!(" {host} holds {} {held}, sent was {sent}", FIELD_TABLE[field].name));
        }
    }
    text
}

/// `wrong` of an entity was lost with frame `carrier`, as the server knows, longer ago than is remembered in its debts.
pub fn judge_lost(book: &mut Book, report: &mut Report, now: Time, number: u32, wrong: u32, carrier: u32) {
    let frame = book.frames.get(carrier);
    let entry = frame.and_then(|frame| frame.entries.iter().find(|entry| entry.number == number));
    let how = entry.map(|entry| entry.how).unwrap_or_default();
    let since = frame.map_or(0, |frame| frame.place);
    if let Some(track) = book.tracks.get_mut(number) {
        owe(track, wrong, how, carrier, false, 0, (since, 0));
    }
    judge(book, report, now, number);
    if let Some(track) = book.tracks.get_mut(number) {
        track.owed = 0;
        track.in_owing = false;
    }
}

/// The flags that an update carries, for a reader of the wire.
pub fn carried_by(flags: u64) -> u32 {
    if flags & UF_RESET != 0 { ALL } else { fields_of_update(flags) | EXIST }
}
