//! What a client sends that nobody but its player causes: user commands, settings, and that it leaves. The scenario is the
//! player of our clients.

use super::context::Context;
use super::coverage::can_break;
use super::session::Session;
use crate::requirements::*;
use crate::verbs::*;
use crate::wire::usercmd::*;
use kit::{Check, Knows, Time};
use std::collections::VecDeque;

/// The command before the newest of a move is that of the move before, and the oldest that of the one before that; the first move of a
/// connection has nothing to repeat of the one before.
pub static COMMANDS_ARE_REPEATED: Check =
    Check::new("commands-are-repeated", &[can_break::GEN_02]).knows(&[Knows::ClientShows]);
/// A client moves, looks and sets what the scenario has it, and does not leave of its own.
pub static NOTHING_ELSE_IS_DONE: Check =
    Check::new("nothing-else-is-done", &[can_break::GEN_02]).knows(&[Knows::ClientShows]);

/// A client acknowledges what it has, unless it is to ask for frames without a base: then it does that.
pub static FRAMES_ARE_ACKNOWLEDGED: Check =
    Check::new("frames-are-acknowledged", &[can_break::GEN_02]).knows(&[Knows::Limits, Knows::ClientShows]);
/// The commands of a client last some time, and together no longer than has passed.
pub static COMMANDS_LAST: Check =
    Check::new("commands-last", &[can_break::GEN_02]).knows(&[Knows::Limits, Knows::ClientShows, Knows::Time]);

/// Moves in a row that may acknowledge nothing of what a client has.
const MAX_UNACKNOWLEDGED: u32 = 20;
/// A client that sends less than so many microseconds after the last time may round its commands to nothing.
const SHORT_TICK_US: u64 = 4_000;
/// Commands together may last so many milliseconds longer than has passed: the first may be as long as one can be.
const SPARE_MS: u64 = 500;
/// Instructions take their effect within this time, in microseconds: a client sends when its own time comes.
const LATENCY_US: u64 = 1_000_000;
/// Instructions that are remembered.
const MAX_INSTRUCTIONS: usize = 64;
/// The fields of a command that a scenario sets; how long one lasts, and the light, are the client's own.
const FIELDS: [usize; 8] =
    [CMD_FORWARD, CMD_SIDE, CMD_UP, CMD_BUTTONS, CMD_ANGLE1, CMD_ANGLE2, CMD_ANGLE3, CMD_IMPULSE];

/// What the scenario has the player of a client do.
#[derive(Debug, Default)]
pub struct Player {
    /// What it does since when, oldest first.
    inputs: VecDeque<(Time, UserCmd)>,
    /// Settings that it was to send.
    settings: Vec<(i16, i16)>,
    /// Whether it was to ask for frames without a base, and since when.
    nodelta: Option<(Time, bool)>,
}

impl Player {
    /// An instruction to the client.
    pub fn is_instructed(&mut self, now: Time, verb: usize, args: [i32; 4]) {
        let mut input = self.inputs.back().map_or(UserCmd::NULL, |(_, input)| *input);
        let [first, second, third, fourth] = args;
        match verb {
            VERB_WALK => {
                for (field, speed) in [CMD_FORWARD, CMD_SIDE, CMD_UP].into_iter().zip(args) {
                    input[field] = speed.clamp(i16::MIN.into(), i16::MAX.into());
                }
                input[CMD_BUTTONS] = fourth & i32::from(REAL_BUTTONS);
            }
            VERB_LOOK => {
                for (field, angle) in [CMD_ANGLE1, CMD_ANGLE2, CMD_ANGLE3].into_iter().zip([first, second, third]) {
                    input[field] = i32::from(angle as i16);
                }
            }
            VERB_NODELTA => {
                self.nodelta = Some((now, first != 0));
                return;
            }
            VERB_SETTING => return self.settings.push((first as i16, second as i16)),
            _ => return,
        }
        self.inputs.push_back((now, input));
        if self.inputs.len() > MAX_INSTRUCTIONS {
            self.inputs.pop_front();
        }
    }

    /// Whether a command has what was asked for now or shortly before.
    fn does(&self, now: Time, command: &UserCmd) -> bool {
        let is = |input: &UserCmd| FIELDS.iter().all(|&field| input[field] == command[field]);
        for (since, input) in self.inputs.iter().rev() {
            if is(input) {
                return true;
            }
            if now.since(*since) > LATENCY_US {
                return false;
            }
        }
        is(&UserCmd::NULL) || self.inputs.len() >= MAX_INSTRUCTIONS
    }
}

impl Context<'_> {
    /// A client sends a move, which acknowledges a frame or asks for one without a base.
    pub(super) fn acknowledgement_is_sent(&mut self, session: &mut Session, player: &Player, movement: &Move) {
        let (host, now, asks) = (session.host, self.now, movement.wants_no_delta());
        let (since, is_to_ask) = player.nodelta.unwrap_or((Time(0), self.options.nodelta));
        let settled = now.since(since) > LATENCY_US && session.provoked.ahead == 0 && !session.client.is_remote();
        if settled && is_to_ask && !asks {
            let what = || format!("acknowledges frame {}, and was to ask for one without a base", movement.last_frame);
            self.client_fails(&FRAMES_ARE_ACKNOWLEDGED, host, &GEN_02, what);
        }
        let has_frame = session.delivered.shown.is_some() && session.delivered.newest == session.delivered.shown;
        let unacknowledged = settled && !is_to_ask && asks && has_frame;
        session.unacknowledged = if unacknowledged { session.unacknowledged + 1 } else { 0 };
        if session.unacknowledged == MAX_UNACKNOWLEDGED {
            let what = || format!("has valid frames, and acknowledges none with {MAX_UNACKNOWLEDGED} moves");
            self.client_fails(&FRAMES_ARE_ACKNOWLEDGED, host, &GEN_02, what);
        }
    }

    /// A client sends a move with its datagram `sequence`.
    pub(super) fn move_is_sent(&mut self, session: &mut Session, player: &Player, sequence: u32, movement: &Move) {
        let (host, now) = (session.host, self.now);
        session.moved_at = now;
        session.first_move.get_or_insert(sequence);
        let [oldest, previous, newest] = movement.commands;
        if newest[CMD_MSEC] != 0 || session.client.is_remote() || self.options.client_tick_us < SHORT_TICK_US {
            session.timeless = None;
        } else if session.timeless.take_if(|since| now.since(*since) > LATENCY_US).is_some() {
            self.client_fails(&COMMANDS_LAST, host, &GEN_02, || String::from("sends commands of 0 ms"));
        } else {
            session.timeless.get_or_insert(now);
        }
        self.commands_fit_the_time(session, newest[CMD_MSEC]);
        // Of a client that sends something else between two moves, engines differ in what they repeat.
        let mut sent = session.commands.iter().rev();
        let before = sent.next().filter(|(at, _)| at + 1 == sequence).map(|(_, command)| *command);
        let earlier = sent.next().filter(|(at, _)| before.is_some() && at + 2 == sequence).map(|(_, command)| *command);
        for (repeated, sent, which) in [(previous, before, "before"), (oldest, earlier, "before that")] {
            if sent.is_some_and(|sent| sent != repeated) {
                let what = || format!("datagram {sequence} does not repeat the command of the move {which}");
                self.client_fails(&COMMANDS_ARE_REPEATED, host, &GEN_02, what);
            }
        }
        let first = session.commands.is_empty() && !session.client.is_remote();
        for repeated in [previous, oldest].into_iter().filter(|repeated| first && *repeated != UserCmd::NULL) {
            if !player.does(now, &repeated) {
                let what =
                    || format!("repeats {:?} in its first move, which is of no move of this connection", repeated.0);
                self.client_fails(&COMMANDS_ARE_REPEATED, host, &GEN_02, what);
            }
        }
        session.commands.push_back((sequence, newest));
        if session.commands.len() > 2 {
            session.commands.pop_front();
        }
        if !session.client.is_remote() && !player.does(now, &newest) {
            let what = || format!("moves with {:?}, which it was not instructed to do", newest.0);
            self.client_fails(&NOTHING_ELSE_IS_DONE, host, &GEN_02, what);
        }
    }

    /// A client sends a command that lasts `msec`: all of this map cannot last longer than the map does.
    fn commands_fit_the_time(&mut self, session: &mut Session, msec: i32) {
        if session.client.is_remote() {
            // When it sent them, nobody knows.
            return;
        }
        let (since, moves, lasted) = session.played.get_or_insert((self.now, 0, 0));
        (*moves, *lasted) = (*moves + 1, *lasted + u64::from(msec.max(0) as u32));
        // Each may be rounded up.
        let passed = self.now.since(*since) / 1000 + *moves;
        if *lasted > passed + SPARE_MS {
            let lasted = std::mem::take(lasted);
            let what = || format!("its commands last {lasted} ms together, in {passed} ms at most");
            self.client_fails(&COMMANDS_LAST, session.host, &GEN_02, what);
        }
    }

    /// A client sends a setting.
    pub(super) fn setting_is_sent(&mut self, session: &mut Session, player: &Player, index: i16, value: i16) {
        session.setting_due = session.setting_due.filter(|(_, due)| *due != (index, value));
        if !session.client.is_remote() && !player.settings.contains(&(index, value)) {
            let what = || format!("sets {index} to {value}, which it was not instructed to do");
            self.client_fails(&NOTHING_ELSE_IS_DONE, session.host, &GEN_02, what);
        }
    }

    /// A client ends a connection that it still has.
    pub(super) fn leave_is_sent(&mut self, session: &Session) {
        let excused = session.other_revision.is_some() || session.provoked.is_dealt_with();
        if !session.client.is_remote() && !excused {
            self.client_fails(&NOTHING_ELSE_IS_DONE, session.host, &GEN_02, || {
                String::from("leaves of its own accord")
            });
        }
    }
}
