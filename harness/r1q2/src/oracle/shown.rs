//! What a client shows, against what it received.

use super::announcement;
use super::context::Context;
use super::coverage::{Point, can_break};
use super::diagnosis;
use super::model::Frame;
use super::session::Session;
use crate::machine::download;
use crate::notes::{
    NOTE_CONFIGSTRING, NOTE_DOWNLOAD_SUM, NOTE_DOWNLOADED, NOTE_INVALID_FRAME, NOTE_PREDICTION_ERROR, NOTES,
};
use crate::requirements::*;
use crate::wire::constants::*;
use crate::wire::state::*;
use kit::{Check, Event, HostId, Knows, StatValue, Suspects, Time, View, breaks};
use std::sync::Arc;

/// Frames per second of the time that a view shows.
const FRAMES_PER_SECOND: f64 = 10.0;
/// Characters of a text that findings show.
const MAX_TEXT: usize = 40;
/// How far a prediction may be off by rounding, in eighths.
const PREDICTION_TOLERANCE: i64 = 1;
/// A prediction is judged when nothing was disturbed for so long.
const PREDICTION_QUIESCENCE_US: u64 = 2_000_000;
/// A prediction is judged if the frame before was shown so few frames ago: of what happens between them the client knows nothing.
/// At the slowest pace they last as long as nothing may have changed.
const PREDICTION_GAP: i32 = 8;
/// Frames that a client may show without a prediction to compare.
const MAX_UNPREDICTED: u32 = 20;
/// Moves under way of which every client remembers where they led.
const MAX_PREDICTED: u32 = 32;
/// Remarks: how a client takes erratum 11.
const ASKS_BASE: &str = "a client asks the base whether an entity is a beam (erratum 11)";
const ASKS_NEW_STATE: &str = "a client asks the new state whether an entity is a beam, as Q2PRO (erratum 11)";

/// A remark: how a client takes erratum 18.
const KEEPS_SIXTEEN: &str = "a client has no base left that is more than 16 frames old, as engines (erratum 18)";

/// A client prints and notes what it received.
pub static MESSAGES_ARE_APPLIED: Check =
    Check::new("messages-are-applied", &[can_break::ZPKT_03, can_break::ZPKT_04, can_break::LEN_01, can_break::GEN_02])
        .knows(&[Knows::ClientShows]);
/// A client notes nothing that it did not receive.
pub static NOTHING_ELSE_IS_APPLIED: Check =
    Check::new("nothing-else-is-applied", &[can_break::ZPKT_05, can_break::GEN_02]).knows(&[Knows::ClientShows]);
/// A client refuses nothing that can be read.
pub static WHAT_CAN_BE_READ_IS_READ: Check = Check::new(
    "what-can-be-read-is-read",
    &[
        breaks(&CMD_03, &[&[Point::MessageEnded]]),
        breaks(&SD_02, &[&[Point::Enhanced]]),
        can_break::SD_04,
        can_break::LEN_01,
        can_break::ZPKT_03,
        can_break::ZPKT_05,
        can_break::ZDL_02,
        can_break::CMD_01,
        can_break::PS_07,
        can_break::GEN_02,
    ],
)
.knows(&[Knows::ClientShows]);
/// A file that a client has is as long as what it received.
pub static FILES_ARE_COMPLETE: Check =
    Check::new("files-are-complete", &[can_break::ZDL_02, breaks(&ZDL_04, &[&[Point::MixedFileDelivered]])])
        .knows(&[Knows::ClientShows]);
/// A client finds the bases that it received.
pub static BASES_ARE_FOUND: Check = Check::new("bases-are-found", &[can_break::FRM_03]).knows(&[Knows::ClientShows]);
/// A client shows the newest valid frame.
pub static NEWEST_VALID_FRAME_IS_SHOWN: Check = Check::new(
    "newest-valid-frame-is-shown",
    &[
        can_break::FRM_01,
        can_break::FRM_02,
        can_break::FRM_03,
        can_break::ZPKT_03,
        can_break::CMD_01,
        can_break::SD_04,
        can_break::LEN_01,
        can_break::GEN_02,
    ],
)
.knows(&[Knows::ClientShows]);
/// A client shows the entities of its frame.
pub static ENTITIES_ARE_SHOWN: Check =
    Check::new("entities-are-shown", &[can_break::FRM_02, can_break::FRM_03, can_break::SD_04, can_break::GEN_02])
        .knows(&[Knows::ClientShows]);
/// A client shows the old origins that its frame says or implies.
pub static OLD_ORIGINS_ARE_SHOWN: Check = Check::new(
    "old-origins-are-shown",
    &[
        breaks(&ENT_01, &[&[Point::MovedR1q2]]),
        breaks(&ENT_02, &[&[Point::BeamRests]]),
        breaks(&ENT_03, &[&[Point::MovedOriginal]]),
        breaks(&ENT_05, &[&[Point::BecameBeam]]),
        can_break::FRM_03,
    ],
)
.knows(&[Knows::ClientShows]);
/// A client shows the player and the statistics of its frame.
pub static PLAYER_IS_SHOWN: Check = Check::new(
    "player-is-shown",
    &[
        can_break::FRM_03,
        can_break::FRM_07,
        can_break::PS_01,
        can_break::PS_02,
        can_break::PS_03,
        can_break::PS_04,
        can_break::PS_05,
        can_break::PS_06,
        can_break::PS_07,
        can_break::PS_09,
        can_break::SD_04,
        can_break::GEN_02,
    ],
)
.knows(&[Knows::ClientShows]);
/// The predictions of spectators are right where nothing disturbs them.
pub static PREDICTIONS_ARE_RIGHT: Check =
    Check::new("predictions-are-right", &[breaks(&MOV_03, &[&[Point::Predicted]]), can_break::GEN_02]).knows(&[
        Knows::World,
        Knows::ClientShows,
        Knows::ClientTalks,
    ]);

/// A client whose player can move says how far its predictions were off.
pub static PREDICTIONS_ARE_MADE: Check =
    Check::new("predictions-are-made", &[can_break::GEN_02]).knows(&[Knows::ClientShows, Knows::ClientTalks]);

impl Context<'_> {
    /// Something happens inside a client whose link was last disturbed at `disturbed`.
    pub(super) fn client_notes(&mut self, session: &mut Session, event: &Event, disturbed: Time) {
        if self.noted_of_malformed(session, event) {
            return;
        }
        let host = session.host;
        match *event {
            Event::Print { .. } => {
                let missed = session.happens(event).unwrap_or_default();
                self.not_applied(host, missed);
            }
            Event::Note { note, .. } if announcement::is_noted(note) && session.unseen => {
                let known = session.happens(event);
                let excused = session.expected_overflown
                    || session.other_revision.is_some()
                    || session.provoked.is_dealt_with()
                    // Only the client knows whether it is in the game yet; other events are noted at any time.
                    || note == NOTE_CONFIGSTRING;
                if let Some(missed) = known {
                    self.not_applied(host, missed);
                } else if !excused {
                    let suspects = diagnosis::not_received(session);
                    let what = || format!("{} without having received such a message", in_words(event));
                    self.client_fails(&NOTHING_ELSE_IS_APPLIED, host, suspects, what);
                }
            }
            Event::Rejected { ref error, .. } if session.unseen => {
                let suspects = diagnosis::refused(session, error);
                let what = || format!("refuses what it can read: {error}");
                self.client_fails(&WHAT_CAN_BE_READ_IS_READ, host, suspects, what);
                session.stop("the client refused a datagram");
            }
            Event::Note { note: NOTE_DOWNLOADED, args: [length, ..] } => self.file_is_noted(session, length),
            Event::Note { note: NOTE_DOWNLOAD_SUM, args: [sum, ..] } => self.sum_is_noted(session, sum),
            Event::Note { note: NOTE_INVALID_FRAME, args: [number, ..] } if session.unseen => {
                let frame = i32::try_from(number).ok().and_then(|number| session.delivered.frame(number));
                let Some(frame) = frame.filter(|frame| frame.valid) else { return };
                if frame.base.is_some_and(|base| frame.number - base > UPDATE_BACKUP as i32) {
                    // How many frames a client keeps, it alone knows; and so which it shows from here on.
                    self.report.remark(KEEPS_SIXTEEN);
                    session.delivered.lacks_base(frame.number, session.shown_before);
                } else {
                    let what = || format!("takes the base of frame {number} for missing, but received it");
                    self.client_fails(&BASES_ARE_FOUND, host, &FRM_03, what);
                }
            }
            Event::Note { note: NOTE_PREDICTION_ERROR, args: [error, ..] } => {
                session.unpredicted = 0;
                self.prediction_is_noted(session, error, disturbed);
            }
            _ => {}
        }
    }

    fn not_applied(&mut self, host: HostId, missed: Vec<(Event, Suspects)>) {
        for (missed, suspects) in missed {
            let what = || format!("a received message has no effect: it never {}", in_words(&missed));
            self.client_fails(&MESSAGES_ARE_APPLIED, host, suspects, what);
        }
    }

    fn file_is_noted(&mut self, session: &mut Session, length: i64) {
        let Some(file) = session.complete.pop_front() else { return };
        let (noted, length) = (usize::try_from(length).unwrap_or(usize::MAX), file.bytes.len());
        if noted != length {
            let mixed = file.compressed && file.plain && noted != file.wire_bytes;
            let suspects = Suspects::from(if mixed { &ZDL_04 } else { &ZDL_02 });
            let what = || format!("a file of {length} bytes has {noted} bytes at the client");
            return self.client_fails(&FILES_ARE_COMPLETE, session.host, suspects, what);
        }
        session.file_sum = Some(download::file_sum(&file.bytes));
    }

    fn sum_is_noted(&mut self, session: &mut Session, noted: i64) {
        let Some(sum) = session.file_sum.take() else { return };
        if noted != i64::from(sum) {
            let what = || format!("a file whose sum is {sum} has the sum {noted} at the client");
            self.client_fails(&FILES_ARE_COMPLETE, session.host, &ZDL_02, what);
        }
    }

    fn prediction_is_noted(&mut self, session: &Session, error: i64, disturbed: Time) {
        // How a server that somebody else runs moves its players, our clients do not know.
        if session.server.is_remote() {
            return;
        }
        let quiet = self.now.since(disturbed) > PREDICTION_QUIESCENCE_US && session.moved;
        let quiet = quiet && !self.truth.changed_lately(self.now, PREDICTION_QUIESCENCE_US);
        let shown = session.delivered.shown();
        let gap = shown.zip(session.shown_before).map(|(frame, before)| frame.number.wrapping_sub(before));
        let quiet = quiet && gap.is_some_and(|gap| (1..=PREDICTION_GAP).contains(&gap));
        let spectates = shown.is_some_and(|frame| frame.player[PM_TYPE] == PM_SPECTATOR);
        let doubled = spectates && session.delivered_dialect.is_r1q2();
        // Nobody can foresee a server that moves players in another way than it must.
        let quiet = quiet && session.odd_velocity.is_none() && (session.flies_right || !spectates);
        self.report.saw_if(quiet && doubled, Point::Predicted);
        if quiet && error.abs() > PREDICTION_TOLERANCE {
            let requirement = if session.delivered_dialect.is_r1q2() { &MOV_03 } else { &GEN_02 };
            let what = || format!("its prediction was off by {error} eighths");
            self.client_fails(&PREDICTIONS_ARE_RIGHT, session.host, requirement, what);
        }
    }

    /// A client has acted on what it received: what it shows must be the newest valid frame.
    pub(super) fn client_shows(&mut self, session: &mut Session, view: &View) {
        session.unseen = false;
        if self.dealt_with_malformed(session, view) {
            return;
        }
        session.expected_overflown = false;
        let missed = std::mem::take(&mut session.expected);
        self.not_applied(session.host, missed.into());
        if let Some(file) = std::mem::take(&mut session.complete).pop_front() {
            let what = || format!("received the last of a file of {} bytes, and does not have it", file.bytes.len());
            self.client_fails(&FILES_ARE_COMPLETE, session.host, &ZDL_02, what);
        }
        if let Some(sum) = session.file_sum.take() {
            let what = || format!("has a file, and nothing in it whose sum is {sum}");
            self.client_fails(&FILES_ARE_COMPLETE, session.host, &ZDL_02, what);
        }
        if view.valid && session.delivered.newest.is_none() {
            let what = || format!("shows frame {} of the map before", frame_of(view).round());
            self.client_fails(&NEWEST_VALID_FRAME_IS_SHOWN, session.host, &GEN_02, what);
            return session.stop("the client shows another map");
        }
        let Some(frame) = session.delivered.shown().map(Arc::clone).filter(|_| session.begins) else { return };
        let long = session.last_taken.bytes > MAX_MSGLEN_ORIGINAL;
        self.report.saw_if(long && session.delivered_dialect.is_r1q2(), Point::LongDatagram);
        let passed = session.delivered.newest.map_or(0, |newest| newest.saturating_sub(frame.number));
        if !view.valid && passed >= UPDATE_BACKUP as i32 {
            // What it showed last may have stood where a frame stands now that it cannot read: how many it keeps, it alone knows.
            return;
        }
        if !shows(view, frame.number) {
            self.another_is_shown(session, &frame, view);
            return session.stop("the client shows another frame");
        }
        let base = frame.base.and_then(|base| session.delivered.frame(base));
        self.saw_shown(session, &frame, base);
        self.entities_are_shown(session, &frame, base, view);
        self.player_is_shown(session, &frame, view);
        self.prediction_is_made(session, &frame);
        session.shown_before = Some(frame.number);
    }

    /// A client shows a frame: it has to compare its prediction for that.
    fn prediction_is_made(&mut self, session: &mut Session, frame: &Frame) {
        let known = session.client.known_to_be_received();
        let recent = session.client.sent.is_some_and(|sent| sent.saturating_sub(known) < MAX_PREDICTED);
        let moves = matches!(frame.player[PM_TYPE], PM_NORMAL | PM_SPECTATOR);
        if !(recent && moves && session.first_move.is_some_and(|first| first <= known)) {
            session.unpredicted = 0;
        } else if session.shown_before != Some(frame.number) {
            session.unpredicted += 1;
        }
        if session.unpredicted == MAX_UNPREDICTED {
            let what = || format!("showed {MAX_UNPREDICTED} frames, and predicted nothing");
            self.client_fails(&PREDICTIONS_ARE_MADE, session.host, &GEN_02, what);
        }
    }

    fn another_is_shown(&mut self, session: &Session, frame: &Frame, view: &View) {
        let shown = frame_of(view).round();
        let instead = session.delivered.frame(shown as i32).filter(|_| view.valid);
        let suspects = diagnosis::frame_not_shown(session, frame, instead, !view.valid);
        let (number, seconds) = (frame.number, f32::from_bits(view.server_time));
        self.client_fails(&NEWEST_VALID_FRAME_IS_SHOWN, session.host, suspects, || match view.valid {
            true => {
                format!("shows the time {seconds}, which is frame {shown}'s, ten in a second; has received {number}")
            }
            false => format!("shows nothing, has received frame {number}"),
        });
    }

    fn entities_are_shown(&mut self, session: &Session, frame: &Frame, base: Option<&Frame>, view: &View) {
        let (host, number) = (session.host, frame.number);
        let numbers = frame.entities.numbers();
        let suspects = diagnosis::entities_differ(session, frame);
        if view.numbers != numbers {
            let what = || format!("frame {number} has entities {numbers:?}, shown are {:?}", view.numbers);
            self.client_fails(&ENTITIES_ARE_SHOWN, host, suspects, what);
        }
        for (entity, state) in frame.entities.iter() {
            let Some(fields) = view.entity(entity) else { continue };
            if fields.starts_with(&state.0) && !frame.doubtful.contains_key(&entity) {
                continue;
            }
            let differs = |field: &usize| {
                let shown = fields.get(*field).filter(|_| !view.hidden.has(*field));
                shown.is_some_and(|shown| !is_same(*field, state[*field], *shown))
            };
            let is_old = |field: &usize| OLD_ORIGIN.contains(field);
            if let Some(field) = (0..FIELDS).filter(|field| !is_old(field)).find(differs) {
                let name = FIELD_TABLE.get(field).map_or("", |field| field.name);
                let (is, shown) = (state[field], fields.get(field).copied().unwrap_or_default());
                let what = || format!("frame {number}, entity {entity}: {name} is {is} in bits, shown as {shown}");
                self.client_fails(&ENTITIES_ARE_SHOWN, host, suspects, what);
            }
            let is = OLD_ORIGIN.map(|field| state[field]);
            if OLD_ORIGIN.iter().any(|&field| view.hidden.has(field)) {
                continue;
            }
            let shown = OLD_ORIGIN.map(|field| fields.get(field).copied().unwrap_or_default());
            let suspects = match frame.doubtful.get(&entity) {
                Some(other) => {
                    self.report.saw(Point::BecameBeam);
                    if shown == is || shown == *other {
                        self.report.remark(if shown == is { ASKS_BASE } else { ASKS_NEW_STATE });
                        continue;
                    }
                    Suspects::from(&ENT_05)
                }
                None if shown == is => continue,
                None => diagnosis::old_origin_differs(session, frame, base, entity),
            };
            let what =
                || format!("frame {number}, entity {entity}: its old origin is {is:?} in bits, shown as {shown:?}");
            self.client_fails(&OLD_ORIGINS_ARE_SHOWN, host, suspects, what);
        }
    }

    fn player_is_shown(&mut self, session: &Session, frame: &Frame, view: &View) {
        // The entity of a player has the number after the player's own.
        let Some(player) = session.playernum.and_then(|number| u32::try_from(i32::from(number) + 1).ok()) else {
            return;
        };
        let entity = view.entity(player);
        if is_whole(view, entity, &frame.player) {
            return;
        }
        let shown = |field: usize| match field.checked_sub(STATS) {
            None if view.hidden.has(FIELDS + field) => None,
            None => entity.and_then(|fields| fields.get(FIELDS + field).copied()),
            Some(_) if view.hidden.stats => None,
            Some(stat) => match view.stats.iter().find(|shown| usize::from(shown.0) == stat).map(|shown| shown.1) {
                None => Some(0),
                Some(StatValue::Int(value)) => Some(value),
                Some(StatValue::Float(value)) => Some(value as i32),
            },
        };
        let differs = |field: &usize| shown(*field).is_some_and(|shown| shown != frame.player[*field]);
        let fields: Vec<usize> = (0..STATS + MAX_STATS).filter(differs).collect();
        let Some(first) = fields.first().copied() else { return };
        let before = session.shown_before.and_then(|before| session.delivered.frame(before));
        let kept = before.is_some_and(|before| Some(before.player[first]) == shown(first));
        let suspects = diagnosis::player_differs(session, &fields, kept, frame);
        let name = match first.checked_sub(STATS) {
            None => PLAYER_TABLE.get(first).map_or("", |field| field.name).to_owned(),
            Some(stat) => format!("statistic {stat}"),
        };
        let (number, is, shown) = (frame.number, frame.player[first], shown(first).unwrap_or_default());
        let what = || format!("frame {number}: {name} is {is}, shown as {shown}; {} fields differ", fields.len());
        self.client_fails(&PLAYER_IS_SHOWN, session.host, suspects, what);
    }

    fn saw_shown(&mut self, session: &Session, frame: &Frame, base: Option<&Frame>) {
        let r1q2 = session.delivered_dialect.is_r1q2();
        let report = &mut *self.report;
        report.saw(Point::Session);
        report.saw(Point::MessageEnded);
        report.saw(if r1q2 { Point::FrameShownR1q2 } else { Point::FrameShownOriginal });
        report.saw_if(session.has_older_base(frame), Point::OlderBaseShown);
        report.saw_if(frame.base.is_none() && frame.before.is_some(), Point::FullFrameShown);
        report.saw_if(session.precached.is_some() && r1q2, Point::ZpacketApplied);
        for (number, state) in frame.entities.iter() {
            let Some(before) = base.and_then(|base| base.entities.get(number)) else { continue };
            let sent = || frame.entries.iter().any(|entry| entry.0 == number && entry.1 & U_OLDORIGIN != 0);
            let moved = ORIGIN.iter().any(|&field| state[field] != before[field]) && !before.is_beam() && !sent();
            report.saw_if(moved && r1q2, Point::MovedR1q2);
            report.saw_if(moved && !r1q2, Point::MovedOriginal);
            let apart = OLD_ORIGIN.iter().zip(ORIGIN).any(|(&old, now)| state[old] != state[now]);
            report.saw_if(before.is_beam() && apart && r1q2 && !sent(), Point::BeamRests);
        }
    }
}

/// Whether a view has all of a player as it is.
fn is_whole(view: &View, entity: Option<&[i32]>, player: &Player) -> bool {
    let fields = entity.and_then(|fields| fields.get(FIELDS..FIELDS + STATS));
    let stats = (0..).zip(player.stats()).filter(|(_, value)| **value != 0);
    let stats = stats.map(|(stat, value)| (stat, StatValue::Int(*value)));
    fields == Some(&player.0[..STATS]) && stats.eq(view.stats.iter().copied())
}

/// What a client does with a message.
fn in_words(event: &Event) -> String {
    match event {
        Event::Print { text } => {
            let text: String = String::from_utf8_lossy(text).chars().take(MAX_TEXT).collect();
            format!("prints {text:?}")
        }
        Event::Note { note, args } => format!("notes {} {args:?}", NOTES.get(*note).map_or("", |note| note.name)),
        _ => String::new(),
    }
}

/// The frame that a client shows, by its time.
fn frame_of(view: &View) -> f64 {
    f64::from(f32::from_bits(view.server_time)) * FRAMES_PER_SECOND
}

/// Whether a client shows a value of an entity. The byte of an angle has a sign or has none: both point the same way. So has a short
/// (erratum 19).
fn is_same(field: usize, is: i32, shown: i32) -> bool {
    let angle = |bits: i32| f32::from_bits(bits as u32);
    let turned = || (angle(is) - angle(shown)).abs() == 360.0;
    let signed = || u16::try_from(is).is_ok_and(|short| shown == i32::from(short as i16));
    is == shown || matches!(field, PITCH | YAW | ROLL) && turned() || SHORTS.contains(&field) && signed()
}

/// Whether a client shows a frame.
pub(super) fn shows(view: &View, number: i32) -> bool {
    let number = f64::from(number);
    // A single has fewer digits than the number of a frame.
    view.valid && (frame_of(view) - number).abs() <= 0.5 + number.abs() * f64::from(f32::EPSILON) * 2.0
}
