//! What the frames say that a server sends: on what they build, what of the world they show, and how players move in them.

use super::compare::Sent;
use super::context::{Context, Sibling};
use super::coverage::{Point, can_break};
use super::diagnosis;
use super::model::{Frame, Model};
use super::session::{Session, Walked};
use crate::requirements::*;
use crate::wire::constants::*;
use crate::wire::dialect::Dialect;
use crate::wire::entities::Oddity;
use crate::wire::frame::MAX_OFFSET;
use crate::wire::state::*;
use kit::{Check, Knows, breaks};

/// Places that movement is off by rounding, and by as much for each command, in eighths.
const ROUNDING: i64 = 3;
/// The bits that a suppress count has.
const SUPPRESS_BITS: i64 = 0xf;
/// Frames in a row in which the same may happen to an entity.
const MAX_REPEATED: u32 = 30;

/// The numbers of frames go up.
pub static FRAME_NUMBERS_GO_UP: Check = Check::new("frame-numbers-go-up", &[can_break::GEN_02]);
/// The entries of a frame are in order, and remove what is there.
pub static ENTRIES_ARE_IN_ORDER: Check = Check::new("entries-are-in-order", &[can_break::GEN_02, can_break::FRM_05]);
/// A frame builds on an earlier one that its distance can name.
pub static BASES_ARE_IN_REACH: Check =
    Check::new("bases-are-in-reach", &[can_break::FRM_02, can_break::FRM_04, can_break::GEN_02]);
/// A frame builds on one that its client has acknowledged, and on none after a request for that.
pub static BASES_ARE_ACKNOWLEDGED: Check =
    Check::new("bases-are-acknowledged", &[can_break::FRM_01, can_break::FRM_02, can_break::FRM_04, can_break::GEN_02])
        .knows(&[Knows::ClientSays]);
/// A frame counts those that were held back since the last one.
pub static HELD_BACK_FRAMES_ARE_COUNTED: Check = Check::new(
    "held-back-frames-are-counted",
    &[breaks(&FRM_06, &[&[Point::HeldBack]]), can_break::FRM_05, can_break::GEN_02],
);
/// Over protocol 34 the far end of a beam is in every frame.
pub static BEAMS_ARE_SENT_OVER_34: Check =
    Check::new("beams-are-sent-over-34", &[breaks(&ENT_04, &[&[Point::BeamSent]])]);
/// A frame shows entities and the player as the scenario has them.
pub static FRAMES_SHOW_THE_WORLD: Check = Check::new(
    "frames-show-the-world",
    &[
        can_break::QPORT_06,
        can_break::FRM_02,
        can_break::FRM_04,
        can_break::FRM_05,
        can_break::FRM_08,
        can_break::FRM_09,
        can_break::FRM_10,
        can_break::PS_01,
        can_break::PS_02,
        can_break::PS_03,
        can_break::PS_04,
        can_break::PS_05,
        can_break::PS_06,
        can_break::PS_07,
        can_break::PS_08,
        can_break::PS_09,
        breaks(&ENT_04, &[&[Point::BeamSent]]),
        can_break::GEN_02,
    ],
)
.knows(&[Knows::World]);
/// A frame shows the areas that the scenario lets its client see.
pub static AREAS_ARE_AS_SET: Check = Check::new("areas-are-as-set", &[can_break::GEN_02]).knows(&[Knows::World]);
/// Clients of both protocols are sent the same world at one moment, which is known of our own server alone.
pub static PROTOCOLS_SHOW_THE_SAME: Check =
    Check::new("protocols-show-the-same", &[can_break::GEN_02]).knows(&[Knows::Limits]);
/// Spectators move twice as far over protocol 35, and no other player does.
pub static SPECTATORS_MOVE_TWICE_AS_FAR: Check = Check::new(
    "spectators-move-twice-as-far",
    &[
        breaks(&MOV_01, &[&[Point::SpectatorR1q2]]),
        breaks(&MOV_02, &[&[Point::SpectatorR1q2, Point::SpectatorOriginal]]),
    ],
);
/// An event is in the frame of one tick.
pub static EVENTS_HAPPEN_ONCE: Check =
    Check::new("events-happen-once", &[can_break::GEN_02]).knows(&[Knows::Inside, Knows::Time]);
/// No event happens again in every frame, whatever the world is.
pub static EVENTS_END: Check = Check::new("events-end", &[can_break::GEN_02]);
/// A spectator goes where its commands say, with those that stand for lost ones: as our own server moves players.
pub static SPECTATORS_GO_AS_COMMANDED: Check =
    Check::new("spectators-go-as-commanded", &[can_break::GEN_02]).knows(&[Knows::Inside]);

impl Context<'_> {
    /// A server sends a frame that can be read; `before` is what it had sent until then.
    pub(super) fn frame_is_sent(&mut self, session: &mut Session, frame: &Frame, before: &Model, dialect: &Dialect) {
        let base = frame.base.and_then(|base| before.frame(base));
        if frame.valid {
            self.beams_are_sent(session, frame, dialect);
            self.world_is_shown(session, frame, base, dialect);
        }
        self.areas(session, frame);
        let last = session.last_frame.replace(frame.number);
        let anew = last.is_some_and(|last| has_begun_anew(last, frame.number));
        if anew {
            // What was acknowledged before is no base of what comes now.
            session.acknowledged.clear();
            session.newest = None;
            self.report.remark("the numbers of frames ran out, and began anew");
        }
        let last = last.filter(|_| !anew);
        let before_us = session.frame_at.replace(self.now).map_or(0, |at| self.now.since(at));
        if session.server.is_remote() && before_us > self.settling_us() {
            // While an engine sends a file, some make no frames, and nothing that would go with them.
            session.due.clear();
        }
        session.forgoes_bases = frame.base.is_none() && !session.acknowledged.is_empty();
        self.once_is_due(session, frame, last);
        self.order(frame, last, before.newest);
        self.base(session, frame, base, dialect);
        let holds_back = self.options.rate.is_some() || session.pauses;
        // Where a datagram is missing, a frame may be.
        let complete = !std::mem::take(&mut session.server.missed);
        if let Some(last) = last.filter(|_| holds_back && !session.long && complete) {
            self.held_back(frame, i64::from(frame.number) - i64::from(last) - 1, dialect);
        }
        if frame.valid {
            self.saw_parts(session, frame, dialect);
            if dialect.is_r1q2() {
                self.remark_frame(frame, base, dialect);
            }
            self.events_are_new(session, frame);
            self.events_end(session, frame);
            self.movement(session, frame, last, dialect);
            self.way_is_as_commanded(session, frame, last, dialect);
            self.compare_siblings(session, frame, dialect);
        }
        session.walked = Walked::default();
    }

    fn world_is_shown(&mut self, session: &Session, frame: &Frame, base: Option<&Frame>, dialect: &Dialect) {
        if !self.is_settled(session) {
            return;
        }
        let sent = Sent {
            frame,
            base,
            dialect,
            client: session.host.0,
            clients: self.clients.into(),
            moved: session.moved || self.truth.drifts(session.host.0),
            spared: session.spared,
            records: session.records,
            shortened: session.shortened,
            assigned: self.given_by(session),
            remote: session.server.is_remote(),
        };
        let wrong = sent.against(self.states());
        let Some(first) = wrong.first() else { return };
        let suspects = diagnosis::frame_differs(&sent, session.sent.begun, &wrong, self.has_port_alone(session));
        let what = || format!("frame {}: {first} ({} in all)", frame.number, wrong.len());
        self.server_fails(&FRAMES_SHOW_THE_WORLD, suspects, what);
    }

    fn beams_are_sent(&mut self, session: &Session, frame: &Frame, dialect: &Dialect) {
        // What did not fit is not there.
        if dialect.is_r1q2() || session.shortened || session.long {
            return;
        }
        let sent = |number: u32| frame.entries.iter().any(|(it, bits)| *it == number && bits & U_OLDORIGIN != 0);
        // With the other bit, too, an engine sends it where it is not what its client assumes.
        let is_plain = |state: &Entity| state.is_beam() && state[RENDERFX] & RF_FRAMELERP == 0;
        if let Some((entity, _)) = frame.entities.iter().find(|(number, state)| is_plain(state) && !sent(*number)) {
            let what = || format!("frame {}: beam {entity} is sent without its far end", frame.number);
            self.server_fails(&BEAMS_ARE_SENT_OVER_34, &ENT_04, what);
        }
    }

    fn areas(&mut self, session: &Session, frame: &Frame) {
        let Some((begun, &bits)) = session.begun.zip(frame.areas.first()) else { return };
        let (number, host) = (frame.number, session.host);
        if self.truth.is_known() && !self.truth.may_see(host.0, bits, begun, self.now, self.settling_us()) {
            let what = || format!("frame {number} lets {host} see areas {bits:#x}");
            self.server_fails(&AREAS_ARE_AS_SET, &GEN_02, what);
        }
    }

    fn order(&mut self, frame: &Frame, last: Option<i32>, newest: Option<i32>) {
        let number = frame.number;
        if let Some(last) = last.filter(|&last| number <= last) {
            let what = || format!("frame {number} follows frame {}", newest.unwrap_or(last));
            self.server_fails(&FRAME_NUMBERS_GO_UP, &GEN_02, what);
        }
        // What an unknown base does not have is unknown.
        let known = |oddity: &&Oddity| frame.valid || matches!(oddity, Oddity::OutOfOrder(_));
        if let Some(oddity) = frame.oddities.iter().find(known) {
            self.server_fails(&ENTRIES_ARE_IN_ORDER, diagnosis::entry_is_odd(frame), || {
                format!("frame {number}: {oddity:?}")
            });
        }
    }

    /// What a frame builds on.
    fn base(&mut self, session: &mut Session, frame: &Frame, base: Option<&Frame>, dialect: &Dialect) {
        let (number, r1q2) = (frame.number, dialect.is_r1q2());
        let none_due = session.newest.is_none_or(|newest| newest <= 0);
        let Some(built_on) = frame.base else {
            self.report.saw_if(session.newest.is_some() && none_due && r1q2, Point::NoDeltaAnswered);
            return;
        };
        self.report.saw_if(r1q2, Point::DeltaFrame);
        let distance = i64::from(number) - i64::from(built_on);
        if distance < 1 || distance > i64::from(MAX_OFFSET) && r1q2 {
            let requirement = match distance {
                _ if !r1q2 => &GEN_02,
                0 => &FRM_02,
                _ => &FRM_04,
            };
            self.server_fails(&BASES_ARE_IN_REACH, requirement, || format!("frame {number} builds on {built_on}"));
            session.stop("a frame names an impossible base");
        } else if session.begun.is_none() {
            session.stop("the client signs on again while it is in the game");
        } else if session.provoked.is_unsent(built_on, base.is_none()) {
            self.report.saw(Point::UnsentBase);
        } else if session.server.knows_more {
            // It has read an acknowledgement that nobody saw.
        } else if none_due || !session.acknowledged.contains_key(&built_on) {
            let suspects = diagnosis::base_unacknowledged(base.is_some(), none_due, dialect);
            self.server_fails(&BASES_ARE_ACKNOWLEDGED, suspects, || match none_due {
                true => format!("frame {number} builds on {built_on}, but its client asked for one without a base"),
                false => format!("frame {number} builds on {built_on}, which was not acknowledged"),
            });
            if base.is_none() && !none_due {
                // Its client shall notice; that others build on it, too, is no other fault.
                session.provoked.builds_on_unsent(built_on);
            }
        }
    }

    fn held_back(&mut self, frame: &Frame, gap: i64, dialect: &Dialect) {
        let (counted, r1q2) = (i64::from(frame.suppress), dialect.is_r1q2());
        self.report.saw_if(gap > 0 && r1q2, Point::HeldBack);
        let most = if r1q2 { SUPPRESS_BITS } else { 0xff };
        if r1q2 {
            self.remark_count(gap, counted);
        }
        // The specification's 9 is a limit to one reader, and what ten frames a second come to for another.
        let specified = if r1q2 { gap.min(MOST_SPECIFIED.into()) } else { gap };
        if ![gap.min(most), gap & most, specified].contains(&counted) {
            let number = frame.number;
            let suspects = if r1q2 { kit::Suspects::from(&FRM_06).or(&FRM_05) } else { (&GEN_02).into() };
            let what = || format!("frame {number} counts {counted} frames held back, not {gap}");
            self.server_fails(&HELD_BACK_FRAMES_ARE_COUNTED, suspects, what);
        }
    }

    fn saw_parts(&mut self, session: &Session, frame: &Frame, dialect: &Dialect) {
        let (ps, eps) = (u64::from(frame.flags.ps), frame.flags.eps);
        let report = &mut *self.report;
        if dialect.is_r1q2() {
            report.saw_if(eps & EPS_GUNOFFSET != 0 && eps & EPS_GUNANGLES != 0, Point::WeaponMoved);
            report.saw_if(ps & PS_M_ORIGIN == 0 && eps & EPS_PMOVE_ORIGIN2 != 0, Point::HeightAlone);
            report.saw_if(ps & PS_M_VELOCITY == 0 && eps & EPS_PMOVE_VELOCITY2 != 0, Point::FallAlone);
            report.saw_if(eps & EPS_VIEWANGLE2 != 0, Point::Roll);
            report.saw_if(eps & EPS_STATS != 0, Point::Statistics);
            report.saw_if(eps & EPS_STATS == 0 && frame.player.stats() != [0; MAX_STATS], Point::StatisticsStay);
            report.saw_if(ps & PS_M_ORIGIN != 0 && eps & EPS_PMOVE_ORIGIN2 != 0, Point::SplitTogether);
        } else {
            report.saw_if(ps & (PS_M_ORIGIN | PS_M_VELOCITY | PS_WEAPONFRAME) != 0, Point::SplitOriginal);
        }
        report.saw_if(frame.entities.iter().any(|(_, state)| state.is_beam()), Point::BeamSent);
        report.saw_if(self.unnumbered > 1 && session.connect.is_unnumbered(), Point::TwoUnnumbered);
    }

    /// How far a player got between two frames, against the time of its commands and the velocity that is sent. A game can
    /// push a player, too, by chance as far: only two velocities show who doubles what.
    fn movement(&mut self, session: &mut Session, frame: &Frame, last: Option<i32>, dialect: &Dialect) {
        let Some(before) = last.and_then(|last| session.sent.frame(last)) else { return };
        let both = |pm_type: i32| [frame, before].iter().all(|frame| frame.player[PM_TYPE] == pm_type);
        let (spectates, walks, r1q2) = (both(PM_SPECTATOR), both(PM_NORMAL) && dialect.is_r1q2(), dialect.is_r1q2());
        let walked = session.walked;
        let forced = self.truth.changed_lately(self.now, self.settling_us());
        if !(spectates || walks) || walked.uncertain || forced {
            return;
        }
        let tolerance = ROUNDING + walked.commands;
        for axis in 0..3 {
            let velocity = i64::from(frame.player[PM_VELOCITY_X + axis]);
            if velocity != i64::from(before.player[PM_VELOCITY_X + axis]) {
                continue;
            }
            let at = |frame: &Frame| frame.player[PM_ORIGIN_X + axis] as i16;
            let way = i64::from(at(frame).wrapping_sub(at(before)));
            let once = velocity * walked.msec / 1000;
            if once.abs() <= 4 * tolerance {
                continue;
            }
            self.report.saw_if(spectates, if r1q2 { Point::SpectatorR1q2 } else { Point::SpectatorOriginal });
            let doubled = spectates && r1q2;
            let (right, wrong) = if doubled { (2 * once, once) } else { (once, 2 * once) };
            if (way - wrong).abs() <= tolerance {
                if *session.odd_velocity.get_or_insert(velocity) == velocity {
                    continue;
                }
                let requirement = if r1q2 { &MOV_01 } else { &MOV_02 };
                let number = frame.number;
                let what = || format!("frame {number}: a player moved by {way} eighths, not by {right}");
                self.server_fails(&SPECTATORS_MOVE_TWICE_AS_FAR, requirement, what);
            } else if spectates && (way - right).abs() <= tolerance {
                session.flies_right = true;
            }
        }
    }

    /// What happens in a frame was set to happen in its tick.
    fn events_are_new(&mut self, session: &Session, frame: &Frame) {
        let window_us = self.settling_us();
        let here = session.map == Some(self.truth.maps);
        let mut happens = frame.entities.iter().filter(|(_, state)| here && state[EVENT] != 0);
        if let Some((entity, state)) = happens.find(|(entity, _)| !self.truth.may_happen(*entity, self.now, window_us))
        {
            let (number, event) = (frame.number, state[EVENT]);
            let what = || format!("frame {number}: event {event} of entity {entity} happens again");
            self.server_fails(&EVENTS_HAPPEN_ONCE, &GEN_02, what);
        }
    }

    /// What happens in a frame did not happen in all of those before.
    fn events_end(&mut self, session: &mut Session, frame: &Frame) {
        let before = std::mem::take(&mut session.happening);
        for (entity, state) in frame.entities.iter().filter(|(_, state)| state[EVENT] != 0) {
            let event = state[EVENT];
            let again = before.get(&entity).filter(|held| held.0 == event).map_or(0, |held| held.1 + 1);
            session.happening.insert(entity, (event, again));
            if again == MAX_REPEATED {
                let what = || format!("event {event} of entity {entity} happens in {MAX_REPEATED} frames in a row");
                self.server_fails(&EVENTS_END, &GEN_02, what);
            }
        }
    }

    /// The velocity of a spectator, and how far it got between two frames, against the commands of its client.
    fn way_is_as_commanded(&mut self, session: &Session, frame: &Frame, last: Option<i32>, dialect: &Dialect) {
        let Some(before) = last.and_then(|last| session.sent.frame(last)) else { return };
        let (walked, number) = (session.walked, frame.number);
        let ticks = u64::try_from(i64::from(number) - i64::from(before.number)).unwrap_or(0);
        let forced = self.truth.changed_lately(self.now, self.settling_us() + ticks * self.options.tick_us);
        let spectates = [frame, before].iter().all(|frame| frame.player[PM_TYPE] == PM_SPECTATOR);
        let Some(velocity) = walked.velocity.filter(|_| spectates && !walked.guessed && !forced) else { return };
        let times = if dialect.is_r1q2() { 2 } else { 1 };
        let tolerance = ROUNDING + walked.commands;
        for (axis, (velocity, covered)) in velocity.into_iter().zip(walked.covered).enumerate() {
            let sent = i64::from(frame.player[PM_VELOCITY_X + axis]);
            if sent != velocity {
                let what = || format!("frame {number}: a spectator has velocity {sent}, its command says {velocity}");
                return self.server_fails(&SPECTATORS_GO_AS_COMMANDED, &GEN_02, what);
            }
            let [is, was] = [frame, before].map(|frame| i64::from(frame.player[PM_ORIGIN_X + axis]));
            let farthest = i64::from(i16::MAX) * 2 * walked.executed / 1000;
            let (way, right) = (is - was, covered * times / 1000);
            // At the end of the world nobody goes on; how often time counts is another check's.
            let other = covered * (3 - times) / 1000;
            if was.abs() + farthest < i16::MAX.into()
                && (way - right).abs() > tolerance
                && (way - other).abs() > tolerance
            {
                let what = || format!("frame {number}: a spectator moved by {way} eighths, its commands say {right}");
                return self.server_fails(&SPECTATORS_GO_AS_COMMANDED, &GEN_02, what);
            }
        }
    }

    /// Frames of one moment for clients of both protocols show the same of what all can see.
    fn compare_siblings(&mut self, session: &Session, frame: &Frame, dialect: &Dialect) {
        let now = self.now;
        self.siblings.retain(|sibling| sibling.at == now);
        // What did not fit for one may be with another.
        if session.map != Some(self.truth.maps) || session.shortened {
            return;
        }
        let spawncount = session.spawncount_sent;
        let players = u32::from(self.clients);
        let compared = |field: &usize| !OLD_ORIGIN.contains(field) && ![SOLID, EVENT].contains(field);
        let other = |sibling: &&Sibling| sibling.protocol != dialect.protocol && sibling.spawncount == spawncount;
        let differs = self.siblings.iter().filter(other).find_map(|sibling| {
            let mut entities = frame.entities.iter().filter(|(number, _)| *number > players);
            entities.find_map(|(number, state)| {
                let other = sibling.entities.get(number)?;
                let field = (0..FIELDS).filter(compared).find(|&field| state[field] != other[field])?;
                Some((number, field, sibling.host))
            })
        });
        if let Some((number, field, there)) = differs {
            let (here, name) = (session.host, FIELD_TABLE.get(field).map_or("", |field| field.name));
            let what = || format!("entity {number}: {name} is not the same for {here} and {there}");
            self.server_fails(&PROTOCOLS_SHOW_THE_SAME, &GEN_02, what);
        }
        let entities = frame.entities.clone();
        let (at, host, protocol) = (now, session.host, dialect.protocol);
        self.siblings.push(Sibling { at, host, protocol, spawncount, entities });
    }
}
