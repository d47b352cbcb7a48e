//! A client's moves, and what the server makes of them.

use super::coverage::{Point, Report, means};
use super::diagnosis;
use super::look::{Rounding, apart};
use super::vantage::End;
use crate::message::Dialect;
use crate::options::Options;
use crate::requirements::*;
use kit::{HostId, Reader, Suspects, Time};
use netquake::constants::*;
use netquake::{ClientCommand, MoveForm};
use std::collections::VecDeque;

kit::checks! {
    from means;
    /// What a client sends can be read to its end, with angles as the announced protocol has them.
    pub COMMANDS_CAN_BE_READ = "commands-can-be-read" knows ClientSays: MOVE_01 VER_02 VER_04;
    /// A move has the newest svc_time that the client received; of a remote client, one that was delivered to it, and none
    /// older than it has echoed before.
    pub MOVES_ECHO_THE_TIME = "moves-echo-the-time" knows ClientSays: VER_04;
    /// A move has the angles of the view, coded.
    pub MOVES_TELL_THE_VIEW = "moves-tell-the-view" knows ClientShows: MOVE_02 MOVE_04 VER_04;
    /// A move has the buttons that are held, and each impulse once.
    pub MOVES_TELL_THE_INPUT = "moves-tell-the-input" knows ClientShows: VER_04;
    /// The server turns the player as the move says.
    pub MOVES_ARE_APPLIED = "moves-are-applied" knows ServerShows: MOVE_03 VER_04;
    /// The server does not act upon a stale datagram.
    pub STALE_MOVES_ARE_DISCARDED = "stale-moves-are-discarded" knows ServerShows: NET_02;
}

/// Bytes of clc_move in front of its angles.
const BEFORE_ANGLES: usize = 5;
/// Angles up to two circles are exact in single precision, and judged; in 1/131072 of a circle.
const EXACT_STEPS: u32 = 1 << 18;
/// How near the server's angles have to be, in degrees.
const NEAR: f64 = 1e-3;

/// A server turns a player, and acts upon an impulse, within this, in microseconds, and two of its ticks.
const APPLY_US: u64 = 500_000;
/// Times delivered that are remembered; a client that is later than that is not judged.
const MAX_TIMES: usize = 256;

/// Where a client looks, by axis, in 1/131072 of a circle.
type View = [i32; 3];

/// What a client does and sends.
#[derive(Debug, Default)]
pub struct Moves {
    /// Where it looks, if that is known.
    view: Option<View>,
    /// And before the newest instruction.
    view_before: Option<View>,
    /// Angles of the move that the server received last, in degrees; by axis.
    received: Option<[f64; 3]>,
    /// The impulse of that move.
    received_impulse: Option<u8>,
    /// The angles that the server says it took, by axis; and since when it has to take those of a move that it received.
    taken: [f64; 3],
    turn_due: Option<Time>,
    /// Since when it has to act upon an impulse, and which.
    impulse_due: Option<(Time, u8)>,
    /// The buttons that the client holds.
    buttons: u8,
    /// The impulse of its next move; `None` while that is not known.
    impulse: Option<u8>,
    /// The server received a datagram last that it has to discard.
    stale: bool,
    /// Times delivered to the client, from the one that it echoed last on; and whether older ones were forgotten.
    times: VecDeque<u32>,
    forgotten: bool,
    /// The time that the newest move had.
    echoed: Option<u32>,
}

/// What a move's time has to be.
#[derive(Clone, Copy, Debug)]
pub struct Echo {
    /// The newest svc_time that the client received; `None` while that is not known.
    pub newest: Option<u32>,
    /// The client, as the oracle sees it.
    pub client: End,
}

/// What a client sent.
#[derive(Debug, Default)]
pub struct Spoken {
    /// Its text commands.
    pub texts: Vec<Vec<u8>>,
    /// It said that it leaves.
    pub left: bool,
    /// It sent a move.
    pub moved: bool,
    /// With another time than the move before: something new has reached the client.
    pub reached: bool,
}

impl Moves {
    /// The scenario has the client look somewhere.
    pub fn look(&mut self, args: [i32; 4]) {
        self.view_before = self.view;
        self.view = Some([args[0], args[1], args[2]]);
    }

    /// The scenario has the client press these buttons, and give this impulse once, if it is one.
    pub fn press(&mut self, args: [i32; 4]) {
        self.buttons = args[0] as u8;
        self.impulse = Some(args[1] as u8).filter(|&impulse| impulse != 0).or(self.impulse);
    }

    /// A connection begins: what the client holds it holds on.
    pub fn anew(&self) -> Moves {
        Moves { buttons: self.buttons, ..Moves::default() }
    }

    /// It says that it does not.
    pub fn did_not_look(&mut self) {
        self.view = self.view_before;
    }

    /// The server turns the client, to these codes of one byte; or nobody knows where.
    pub fn turned(&mut self, angles: Option<[u8; 3]>) {
        self.view = angles.map(|angles| angles.map(|code| i32::from(code as i8) * 512));
    }

    /// The client received a datagram, and the newest svc_time is this.
    pub fn received_time(&mut self, time: Option<u32>) {
        let Some(time) = time.filter(|time| self.times.back() != Some(time)) else { return };
        if self.times.len() == MAX_TIMES {
            self.times.pop_front();
            self.forgotten = true;
        }
        self.times.push_back(time);
    }

    /// Whether a client may echo this time.
    fn may_echo(&mut self, time: u32, Echo { newest, client }: Echo) -> bool {
        let Some(newest) = newest.filter(|_| client.remote) else { return newest.is_none_or(|newest| newest == time) };
        match self.times.iter().position(|&known| known == time) {
            Some(place) => {
                self.times.drain(..place);
                self.forgotten = false;
                true
            }
            None => newest == time || self.forgotten,
        }
    }

    /// Judges a message of the client. `dialect` is what was announced to it; `time` what its moves have to echo.
    pub fn sent(
        &mut self,
        payload: &[u8],
        dialect: &Dialect,
        time: Echo,
        host: HostId,
        report: &mut Report,
        now: Time,
    ) -> Spoken {
        let extended = dialect.protocol == PROTOCOL_FITZQUAKE;
        let form = dialect.move_form();
        let (other, row) = if extended { (MoveForm::PLAIN, &MOVE_01) } else { (MoveForm::SHORT_ANGLES, &VER_02) };
        if !reads(payload, &form) {
            let row = if reads(payload, &other) { row } else { &VER_04 };
            let what =
                || format!("a message of {} bytes cannot be read as the announced protocol has it", payload.len());
            report.fail(&COMMANDS_CAN_BE_READ, now, host, row, what);
            return Spoken::default();
        }
        let mut spoken = Spoken::default();
        walk(payload, &form, &mut |place, command| match command {
            ClientCommand::Nop => {}
            ClientCommand::Disconnect => spoken.left = true,
            ClientCommand::String { text } => spoken.texts.push(text.to_vec()),
            ClientCommand::Move(input) => {
                spoken.moved = true;
                spoken.reached |= self.echoed.replace(input.time as u32) != Some(input.time as u32);
                if !self.may_echo(input.time as u32, time) {
                    let what = || String::from("a move does not echo the newest svc_time");
                    report.fail(&MOVES_ECHO_THE_TIME, now, host, &VER_04, what);
                }
                let impulse = self.impulse.replace(0).unwrap_or(input.impulse);
                if !time.client.remote && (input.buttons, input.impulse) != (self.buttons, impulse) {
                    let (seen, right) = ((input.buttons, input.impulse), (self.buttons, impulse));
                    let what = || format!("a move has buttons and impulse {seen:?}, should be {right:?}");
                    report.fail(&MOVES_TELL_THE_INPUT, now, host, &VER_04, what);
                }
                let raw = payload.get(place + BEFORE_ANGLES..).unwrap_or_default();
                let view = self.view.filter(|_| dialect.protocol != PROTOCOL_RMQ);
                if let Some((suspects, what)) = view.and_then(|view| misaimed(view, raw, extended)) {
                    report.fail(&MOVES_TELL_THE_VIEW, now, host, suspects, || what);
                }
            }
        });
        let halves = self.view.is_some_and(|view| view.iter().any(|steps| steps & 1 != 0));
        report.saw_if(spoken.moved && extended, Point::Move);
        report.saw_if(spoken.moved && dialect.protocol == PROTOCOL_NETQUAKE, Point::PlainMove);
        report.saw_if(spoken.moved && extended && halves, Point::HalfStep);
        spoken
    }

    /// The server receives an unreliable message of the client. Whether it can be read.
    pub fn delivered(&mut self, payload: &[u8], dialect: &Dialect, stale: bool) -> bool {
        self.stale = stale;
        if stale {
            return true;
        }
        self.received = None;
        self.received_impulse = None;
        let extended = dialect.protocol == PROTOCOL_FITZQUAKE;
        let form = dialect.move_form();
        if !reads(payload, &form) || dialect.protocol == PROTOCOL_RMQ {
            return dialect.protocol == PROTOCOL_RMQ;
        }
        walk(payload, &form, &mut |place, command| {
            let raw = payload.get(place + BEFORE_ANGLES..).unwrap_or_default();
            if let ClientCommand::Move(input) = command {
                self.received_impulse = Some(input.impulse);
                self.received = codes(raw, extended).map(|codes| {
                    let circle = if extended { 65536.0 } else { 256.0 };
                    codes.map(|code| f64::from(code) * 360.0 / circle)
                });
            }
        })
    }

    /// The server has received a message of a client in the game: what it has to take from that.
    pub fn has_to_apply(&mut self, now: Time) {
        if self.received.is_some() {
            self.turn_due = self.turn_due.or(Some(now)).filter(|_| self.is_turned());
        }
        if let Some(impulse) = self.received_impulse.filter(|&impulse| impulse != 0) {
            self.impulse_due = self.impulse_due.or(Some((now, impulse)));
        }
    }

    /// Whether the move received last has other angles than the server took.
    fn is_turned(&self) -> bool {
        let other = |angles: [f64; 3]| (0..3).any(|axis| apart(self.taken[axis], angles[axis]) > NEAR);
        self.received.is_some_and(other)
    }

    /// The server is not expected to take anything any more.
    pub fn nothing_to_apply(&mut self) {
        (self.turn_due, self.impulse_due) = (None, None);
    }

    /// Time has passed: what does the server not take?
    pub fn overdue(&mut self, options: &Options, extended: bool, client: HostId, report: &mut Report, now: Time) {
        let late = |since: &mut Time| now.since(*since) > APPLY_US + 2 * options.tick_us;
        if self.turn_due.take_if(late).is_some() {
            let what = || format!("does not turn {client}, as its moves say");
            report.fail(&MOVES_ARE_APPLIED, now, HostId::SERVER, if extended { &MOVE_03 } else { &VER_04 }, what);
        }
        if self.impulse_due.take_if(|(since, _)| late(since)).is_some() {
            let what = || format!("does not act upon an impulse of {client}");
            report.fail(&MOVES_ARE_APPLIED, now, HostId::SERVER, &VER_04, what);
        }
    }

    /// Something else than an unreliable message reaches the server.
    pub fn other_delivered(&mut self) {
        self.stale = false;
    }

    /// The server notes the angle of an axis that it took from a move.
    pub fn applied(&mut self, axis: usize, degrees: f64, extended: bool, report: &mut Report, now: Time) {
        let server = HostId::SERVER;
        if self.stale {
            report.fail(&STALE_MOVES_ARE_DISCARDED, now, server, &NET_02, || {
                String::from("applies a move of a stale datagram")
            });
            return;
        }
        let Some(right) = self.received.and_then(|angles| angles.get(axis).copied()) else { return };
        self.taken[axis] = degrees;
        self.turn_due = self.turn_due.filter(|_| self.is_turned());
        report.saw_if(extended, Point::MoveApplied);
        if apart(degrees, right) > NEAR {
            let row = if extended { &MOVE_03 } else { &VER_04 };
            let what = || format!("axis {axis} of the view is {degrees}, should be {right}");
            report.fail(&MOVES_ARE_APPLIED, now, server, row, what);
        }
    }

    /// The server notes something else that it took from a move.
    pub fn acted(&mut self, impulse: u8, report: &mut Report, now: Time) {
        self.impulse_due.take_if(|(_, due)| *due == impulse);
        if self.stale {
            let what = || String::from("acts upon a move of a stale datagram");
            report.fail(&STALE_MOVES_ARE_DISCARDED, now, HostId::SERVER, &NET_02, what);
        } else if let Some(right) = self.received_impulse.filter(|&right| right != impulse) {
            let what = || format!("applies impulse {impulse}, should be {right}");
            report.fail(&MOVES_ARE_APPLIED, now, HostId::SERVER, &VER_04, what);
        } else if impulse == 0 {
            let what = || String::from("acts upon an impulse, and the move has none");
            report.fail(&MOVES_ARE_APPLIED, now, HostId::SERVER, &VER_04, what);
        }
    }
}

/// Passes on the messages of a client, and where they begin. Whether they can be read to their end.
fn walk<'a>(payload: &'a [u8], form: &MoveForm, tell: &mut dyn FnMut(usize, ClientCommand<'a>)) -> bool {
    let mut r = Reader::new(payload);
    while r.left() > 0 {
        let place = r.at();
        let Ok(number) = r.u8("clc") else { return false };
        match netquake::read_command(&mut r, number, form) {
            Ok(Some(command)) => tell(place, command),
            _ => return false,
        }
    }
    true
}

/// Whether the messages of a client can be read to their end.
fn reads(payload: &[u8], form: &MoveForm) -> bool {
    walk(payload, form, &mut |_, _| {})
}

/// The codes of the three angles.
fn codes(raw: &[u8], extended: bool) -> Option<[u32; 3]> {
    let code = |axis: usize| {
        if extended {
            Some(u32::from(*raw.get(2 * axis)?) | u32::from(*raw.get(2 * axis + 1)?) << 8)
        } else {
            raw.get(axis).copied().map(u32::from)
        }
    };
    Some([code(0)?, code(1)?, code(2)?])
}

/// The first angle that is not coded as it must be.
fn misaimed(view: View, raw: &[u8], extended: bool) -> Option<(Suspects, String)> {
    let codes = codes(raw, extended)?;
    for axis in 0..3 {
        let (steps, seen) = (view[axis], codes[axis]);
        if !extended {
            // Cut off or rounded, as engines do one or the other.
            let degrees = f64::from(steps) * 360.0 / 131_072.0;
            if apart(f64::from(seen) * 360.0 / 256.0, degrees) > Rounding::Any.angle() {
                return Some((Suspects::from(&VER_04), format!("angle {degrees} of axis {axis} has code {seen}")));
            }
            continue;
        }
        // Half a step away from zero.
        if steps.unsigned_abs() > EXACT_STEPS {
            continue;
        }
        let right = ((steps + steps.signum()) / 2) as u32 & 0xffff;
        if seen != right {
            let what = format!("{} steps on axis {axis} have code {seen}, should be {right}", steps as f64 / 2.0);
            return Some((diagnosis::miscoded_angle(steps), what));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A client that looks so sends this code for pitch, and is found to violate that.
    fn check(steps: i32, code: u16, expected: Option<&str>) {
        let mut raw = code.to_le_bytes().to_vec();
        raw.extend([0; 4]);
        let found = misaimed([steps, 0, 0], &raw, true).map(|(suspects, _)| suspects.first().id);
        assert_eq!(found, expected, "{steps} {code}");
    }

    /// A remote client that was given the times 10, 20 and 30 echoes these, one after the other: which of them it may not.
    fn check_echoes(remote: bool, echoes: &[u32], expected: &[u32]) {
        let mut moves = Moves::default();
        [10, 20, 20, 30].into_iter().for_each(|time| moves.received_time(Some(time)));
        let echo = Echo { newest: Some(30), client: End { remote, ..End::default() } };
        let wrong: Vec<u32> = echoes.iter().copied().filter(|&time| !moves.may_echo(time, echo)).collect();
        assert_eq!(wrong, expected, "{echoes:?}");
    }

    #[test]
    fn a_remote_client_may_be_late_but_goes_on() {
        check_echoes(false, &[30, 20], &[20]);
        check_echoes(true, &[30], &[]);
        check_echoes(true, &[10, 20, 20, 30], &[]);
        check_echoes(true, &[20, 10], &[10]);
        check_echoes(true, &[0, 25, 30], &[0, 25]);
    }

    #[test]
    fn angles_are_rounded_half_away_from_zero() {
        // Steps are half codes: -90 degrees are -32768 of them, and a circle all but a half is rounded up to none.
        check(-32_768, 0xc000, None);
        check(65_536, 0x8000, None);
        check(131_071, 0, None);
        check(3, 2, None);
        check(1, 1, None);
        check(-1, 0xffff, None);
        check(1, 0, Some("FITZ-MOVE-04"));
        check(-1, 0, Some("FITZ-MOVE-04"));
        check(5, 2, Some("FITZ-MOVE-04"));
        check(3, 1, Some("FITZ-MOVE-02"));
        check(-3, 0xffff, Some("FITZ-MOVE-02"));
        check(131_071, 0xffff, Some("FITZ-MOVE-02"));
    }
}
