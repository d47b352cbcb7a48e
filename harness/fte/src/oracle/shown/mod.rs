//! What a client shows, against what a receiver of the same datagrams must hold.

pub mod announcement;
mod delivery;

pub use delivery::ClientRx;

use super::coverage::{Point, Report, checks};
use super::diagnosis::has_obsolete_extensions;
use super::diagnosis::value::{CODINGS, WrongShown, refused, wrong_value_shown};
use super::field::{WIRE_ORDER, flag_of, show};
use super::session::Session;
use super::session::stats::same_stat;
use super::session::track::Track;
use crate::constants::*;
use crate::dialect::Transport;
use crate::requirements::*;
use crate::state::*;
use kit::{Check, Hidden, StatValue, Suspects, Time, View};

checks! {
    FRAMES_ARE_UNDERSTOOD = "frames-are-understood" knows ClientShows, CODINGS and: DLT_02 [ZeroFlagByteDelivered ClientCompared],
        DLT_36 [Glow ClientCompared], ENT_05, ENT_08, ENT_09, ENT_10;
    UNDEFINED_FLAGS_ARE_REFUSED = "undefined-flags-are-refused" knows ClientShows: DLT_35 [UndefinedFlagDelivered];
    REMOVE_ALL_MAKES_A_STATE = "remove-all-makes-a-state" knows ClientShows: HS_18 [ExtensionsChanged ClientCompared], ENT_11,
        SVC_11 [ObsoleteDeltas ClientCompared];
    INVALID_STATES_ARE_NOT_SHOWN = "invalid-states-are-not-shown" knows ClientShows: DLT_38;
    OLD_MAPS_ARE_FORGOTTEN = "old-maps-are-forgotten" knows ClientShows: DLT_38 [OldFrameCompared];
    SERVER_TIME_IS_TAKEN_OVER = "server-time-is-taken-over" knows ClientShows: SVC_03 [ClientCompared], SVC_04 [ClientCompared], SVC_12;
    REMOVED_ENTITIES_ARE_NOT_SHOWN = "removed-entities-are-not-shown" knows ClientShows: RMV_03 [RemoveDelivered ClientCompared],
        RMV_04 [UnknownRemoveDelivered ClientCompared], RMV_08 [RemoveAllDelivered ClientCompared],
        ENT_08 [LongIndexDelivered ClientCompared], ENT_05, ENT_06, DLT_38;
    ENTITIES_HELD_ARE_SHOWN = "entities-held-are-shown" knows ClientShows: RMV_02 [UnmentionedEntity ClientCompared],
        RST_06 [UnknownDeltaDelivered ClientCompared], OVF_08 [SplitSnapshotDelivered ClientCompared], RMV_04, ENT_06,
        ENT_08, ENT_12, SVC_15 [ResetDelivered ClientCompared];
    VALUES_RECEIVED_ARE_SHOWN = "values-received-are-shown" knows ClientShows, CODINGS and: DLT_38 [DeltaAfterLoss ClientCompared],
        DLT_41 [ChangedToZero], RST_01 [ResetDelivered ClientCompared], RST_10 [ReturnDelivered ClientCompared],
        SVC_07 [BaselineShrankDelivered ClientCompared], SVC_08 [ResetOnBaselineDelivered ClientCompared],
        SVC_12 [DeltaDelivered UnmentionedEntity ClientCompared], HS_21 [FloatCoords] [FloatCoordsRefused],
        HS_22 [FloatCoordsWithDeltas ClientCompared] [DeltasAlone ClientCompared], PRED_02 [PredInfoDelivered],
        PRED_03 [PredInfoDelivered], OVF_08, RMV_03, RST_06, HS_18, SVC_11, SVC_06, SVC_10, ENT_03;
    STATISTICS_ARE_SHOWN = "statistics-are-shown" knows ClientShows:
        STAT_05 [StatDelivered ByteStat LongStat] [StatDelivered FloatStat];
}

/// Deviations after which a client is left alone: the rest follows from these.
const ENOUGH: u32 = 24;

/// Compares what the client shows after it has acted on a datagram.
pub fn check(session: &mut Session, report: &mut Report, now: Time, view: &View) {
    let was_valid = std::mem::replace(&mut session.client_valid, view.valid);
    let observe = std::mem::take(&mut session.observe);
    let rejected = std::mem::take(&mut session.rejected);
    let judged = session.damaged.is_none() && session.sent.is_none() && session.delivered_epoch > 0;
    if !judged || !session.delivered_dialect.deltas() {
        return;
    }
    announcement::check_statics(session, report, now, view);
    // Diagnosis looks at it, too.
    session.observe = observe;
    let mut client = ClientView { session, report, now };
    if observe.undefined_flag {
        client.undefined_flag(view, rejected);
    } else {
        if observe.old_map {
            client.old_map(view);
        }
        if observe.messages > 0 {
            client.readable(view, rejected);
            client.entities(view, was_valid);
        }
        client.stats(view);
    }
    session.observe = Default::default();
}

struct ClientView<'a> {
    session: &'a mut Session,
    report: &'a mut Report,
    now: Time,
}

/// What is left of a large number where bit 14 of its index is taken for a part of it.
fn of_15_bits(large: u32) -> u32 {
    large & u32::from(INDEX_NUMBER) | 0x4000
}

impl ClientView<'_> {
    fn fail(&mut self, check: &'static Check, suspects: impl Into<Suspects>, what: impl FnOnce() -> String) {
        self.session.client_findings += 1;
        let frame = self.session.delivered_frame.unwrap_or_default();
        self.report.fail(check, self.now, self.session.host, suspects, || format!("after frame {frame}: {}", what()));
    }

    /// A frame with a flag that nobody defines: a client that goes on with it has guessed what is after the flag.
    fn undefined_flag(&mut self, view: &View, rejected: bool) {
        let time = self.session.delivered_time.unwrap_or_default().to_bits();
        if view.valid && !rejected && view.server_time == time {
            self.fail(&UNDEFINED_FLAGS_ARE_REFUSED, &DLT_35, || {
                String::from("an undefined flag was received, and the client goes on")
            });
        }
    }

    /// A frame of the map before, when there was none of the present one yet: nothing of that map is left to build upon.
    fn old_map(&mut self, view: &View) {
        self.report.saw(Point::OldFrameCompared);
        if view.valid && self.session.delivered.is_none() && self.session.client_findings < ENOUGH {
            self.fail(&OLD_MAPS_ARE_FORGOTTEN, &DLT_38, || {
                let count = view.numbers.len();
                format!("a frame of the map before makes a state, in which the client shows {count} entities")
            });
        }
    }

    /// A frame that can be read must not be called unreadable.
    fn readable(&mut self, view: &View, rejected: bool) {
        let unfamiliar = self.session.unfamiliar;
        if !rejected {
            if view.valid {
                self.session.understood.add(&unfamiliar.seen);
            }
        } else if self.session.delivered.is_none() && self.session.client_findings < ENOUGH {
            self.fail(&FRAMES_ARE_UNDERSTOOD, refused(&unfamiliar), || {
                String::from("the client rejects a datagram that it must be able to read")
            });
        }
    }

    fn entities(&mut self, view: &View, was_valid: bool) {
        if !view.valid {
            return self.without_state(view);
        }
        if !was_valid {
            self.session.acks.ignored();
        }
        if self.session.delivered.is_some() || self.session.client_findings >= ENOUGH {
            return;
        }
        self.server_time(view);
        self.report.saw(Point::ClientCompared);
        if view.fields.len() != view.numbers.len() * FIELDS {
            return self.fail(&VALUES_RECEIVED_ARE_SHOWN, &DLT_38, || {
                String::from("the client's view does not have all fields")
            });
        }
        let mut shown = view.numbers.iter().copied().zip(view.fields.chunks_exact(FIELDS)).peekable();
        let tracks = std::mem::take(&mut self.session.tracks);
        let mut wrong = Vec::new();
        for (number, track) in tracks.iter() {
            while let Some((other, _)) = shown.next_if(|(shown, _)| *shown < number) {
                self.surplus(other, None);
            }
            let fields = shown.next_if(|(shown, _)| *shown == number).map(|(_, fields)| fields);
            self.report.saw_if(track.in_delivered && !self.touched(track), Point::UnmentionedEntity);
            let deviates = match (track.in_delivered, fields) {
                (true, Some(fields)) => fields != track.delivered.0 && self.entity(number, track, fields, view.hidden),
                (true, None) => self.missing(number, track),
                (false, Some(_)) => self.surplus(number, Some(track)),
                (false, None) => continue,
            };
            if deviates {
                wrong.push(number);
            }
        }
        for (number, _) in shown {
            self.surplus(number, None);
        }
        self.session.tracks = tracks;
        for number in wrong {
            if let Some(track) = self.session.tracks.get_mut(number) {
                track.client_reported = true;
            }
        }
    }

    /// The client holds no valid state after an entity frame.
    fn without_state(&mut self, view: &View) {
        self.session.acks.ignored();
        self.report.saw(Point::ClientWithoutState);
        if self.session.observe.remove_all {
            let suspects = if self.session.delivered_changed {
                &HS_18
            } else if has_obsolete_extensions(&self.session.delivered_dialect) {
                &SVC_11
            } else {
                &ENT_11
            };
            self.fail(&REMOVE_ALL_MAKES_A_STATE, suspects, || {
                String::from("a remove-all was received, but the client holds no valid state")
            });
        } else if !view.numbers.is_empty() && self.session.client_findings < ENOUGH {
            self.fail(&INVALID_STATES_ARE_NOT_SHOWN, &DLT_38, || {
                String::from("the client shows entities of a state that it calls invalid")
            });
        }
    }

    fn server_time(&mut self, view: &View) {
        let time = self.session.delivered_time.unwrap_or_default();
        if !self.session.based || view.server_time == time.to_bits() {
            return;
        }
        let shown = f32::from_bits(view.server_time);
        // A clock that stands still or is about right is the client's own; any other was misread.
        let own = shown == 0.0 || (shown - time).abs() < time / 2.0;
        let suspects = if own { Suspects::from(&SVC_04).or(&SVC_03) } else { Suspects::from(&SVC_03).or(&SVC_04) };
        self.fail(&SERVER_TIME_IS_TAKEN_OVER, suspects.or_if(!own, &SVC_12), || {
            format!("the client's server time is {shown}, the frame's is {time}")
        });
    }

    /// Whether the frame just received mentions the entity.
    fn touched(&self, track: &Track) -> bool {
        track.touched.is_some() && track.touched == self.session.delivered_frame
    }

    /// The client shows what it must not. Whether that is new.
    fn surplus(&mut self, number: u32, track: Option<&Track>) -> bool {
        if track.is_some_and(|track| track.client_reported) {
            return false;
        }
        let unfamiliar = &self.session.unfamiliar;
        let suspects = match track {
            _ if self.session.observe.remove_all => &RMV_08,
            Some(track) if self.touched(track) && !track.touched_known => &RMV_04,
            Some(track) if self.touched(track) || track.left_delivered => &RMV_03,
            Some(_) => &RMV_04,
            None if unfamiliar.long_index => &ENT_08,
            None if unfamiliar.large.is_some_and(|large| of_15_bits(large) == number) => &ENT_05,
            None if number > 0x3fff => &ENT_06,
            None => &DLT_38,
        };
        self.fail(&REMOVED_ENTITIES_ARE_NOT_SHOWN, suspects, || {
            format!("the client shows entity {number}, which it must not hold")
        });
        true
    }

    /// The client does not show what it must. Whether that is new.
    fn missing(&mut self, number: u32, track: &Track) -> bool {
        // An entity that came without RESET may stay hidden.
        if track.client_reported || track.vague != 0 {
            self.report.remark("an entity that came without RESET is not shown before one (erratum E4; legal)");
            return false;
        }
        let observe = &self.session.observe;
        let again = observe.messages > 1 || observe.same_time;
        let suspects = match self.touched(track) {
            false if again => &OVF_08,
            false if observe.unknown_remove => &RMV_04,
            false => &RMV_02,
            true if track.long_index => &ENT_08,
            true if number > 0xffff => &ENT_12,
            true if number > 0x3fff => &ENT_06,
            true if track.came_unknown => &RST_06,
            true => &SVC_15,
        };
        self.fail(&ENTITIES_HELD_ARE_SHOWN, suspects, || {
            format!("the client does not show entity {number}, which it must hold")
        });
        true
    }

    /// The client shows other values. Whether that is a new deviation.
    fn entity(&mut self, number: u32, track: &Track, fields: &[i32], hidden: Hidden) -> bool {
        let Some(fields) = fields.first_chunk().filter(|_| !track.client_reported) else { return false };
        let mut shown = Entity(*fields);
        hidden.fill(&mut shown.0, &track.delivered.0);
        let shown = &shown;
        let touched = self.touched(track);
        self.remark_reading(track, shown, touched);
        let Some(field) = WIRE_ORDER.into_iter().find(|&field| self.deviates(track, field, shown[field], touched))
        else {
            return false;
        };
        let suspects = wrong_value_shown(&WrongShown { session: self.session, number, track, field, shown, touched });
        self.fail(&VALUES_RECEIVED_ARE_SHOWN, suspects, || {
            let (shown, held) = (show(field, shown[field]), show(field, track.delivered[field]));
            let name = FIELD_TABLE[field].name;
            format!("the client shows entity {number} with {name} {shown}; it must be {held}")
        });
        true
    }

    /// Notes by which reading of an ambiguous place the client differs from the delivered model.
    fn remark_reading(&mut self, track: &Track, fields: &Entity, touched: bool) {
        let held = &track.delivered;
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
        let held = track.delivered[field];
        if shown == held {
            return false;
        }
        let flags = track.touched_flags;
        let predinfo = self.session.delivered_dialect.predinfo();
        match field {
            // Erratum E17: judged only in an update that has them.
            _ if MOVEMENT_FIELDS.contains(&field) => touched && track.moving,
            WEAPONFRAME if predinfo => false,
            VIEW_PITCH | VIEW_ROLL => touched && predinfo && flags & UF_PREDINFO != 0 && flags & UF_ANGLESXZ != 0,
            VIEW_YAW => touched && predinfo && flags & UF_PREDINFO != 0 && flags & UF_ANGLESY != 0,
            ABSLIGHT if track.delivered[DRAWFLAGS] & 7 != 7 => false,
            // What is no slot may be held as 0.
            COLORMAP if shown == 0 && held > PLAYER_SLOTS.into() && track.delivered[FLAGS] & 32 == 0 => false,
            // Erratum E8: 8-bit skins are read with or without a sign.
            SKIN if (128..256).contains(&held) && shown == held - 256 => false,
            _ => {
                let vague = track.vague & flag_of(field) != 0 && shown == Entity::NULL[field];
                !vague && !self.session.quantiser.same(field, shown, held)
            }
        }
    }

    fn stats(&mut self, view: &View) {
        // Without PREDINFO a NetQuake client takes statistics from elsewhere, too.
        let dialect = self.session.delivered_dialect;
        if dialect.transport == Transport::NetQuake && !dialect.predinfo() {
            return;
        }
        let stats = &self.session.stats;
        if view.hidden.stats || self.session.client_findings >= ENOUGH || stats.doubtful || !stats.any_held {
            return;
        }
        self.settle_stats(view);
        // Before the first map all of them are zero.
        let first = self.session.delivered_epoch == 1 && !self.session.vantage.remote_clients;
        let wrong = (0..=255u8).find_map(|stat| {
            let held = self.session.stats.held[usize::from(stat)].or(first.then_some(StatValue::Int(0)))?;
            let shown = shown_stat(view, stat);
            (!same_stat(held, shown)).then_some((stat, held, shown))
        });
        if let Some((stat, held, shown)) = wrong {
            self.fail(&STATISTICS_ARE_SHOWN, &STAT_05, || {
                format!("the client shows statistic {stat} as {shown}; received was {held}")
            });
        }
    }

    /// What a frame of the map before brought, the client has taken if it shows it.
    fn settle_stats(&mut self, view: &View) {
        let stats = &mut self.session.stats;
        for (stat, perhaps) in (0..=255u8).zip(&mut stats.perhaps_held) {
            let taken = perhaps.take_if(|value| same_stat(*value, shown_stat(view, stat)));
            let held = &mut stats.held[usize::from(stat)];
            *held = held.or(taken);
        }
    }
}

/// A statistic as the client shows it.
fn shown_stat(view: &View, stat: u8) -> StatValue {
    let index = view.stats.binary_search_by_key(&stat, |entry| entry.0);
    index.map_or(StatValue::Int(0), |index| view.stats[index].1)
}
