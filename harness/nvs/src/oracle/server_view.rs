//! What the server shows: how it reads moves, what it shows QuakeC, and whether a broadcast fits a client's buffer. The last
//! cannot be seen on the wire: a buffer that is nearly full travels in no datagram, since that has other messages, too.

use super::coverage::{Point, meaning as m};
use super::expectation::Lines;
use super::session::Session;
use super::truth::{Call, Class, Origin, Truth};
use crate::constants::CLIENT_DATAGRAM_BYTES;
use crate::notes::{BROADCAST_DROPPED, BROADCAST_FITS, PLAYER_SVC, VIEW_ANGLE, WORLD_SVC};
use crate::requirements::*;
use crate::tables::Message;
use kit::{Check, Event, HostId, Knows, Report, Suspects, Time};
use std::collections::BTreeMap;

/// The server shows the view angles that a client's move has.
pub static MOVES_ARE_READ_AS_SENT: Check =
    Check::new("moves-are-read-as-sent", &[m::CLC_02]).knows(&[Knows::ServerShows]);
/// QuakeC's world entity shows SSVC.
pub static WORLD_SHOWS_SSVC: Check = Check::new("world-shows-ssvc", &[m::QC_02]).knows(&[Knows::ServerShows]);
/// A broadcast is dropped if a client's buffer has no room for it, and only then.
pub static BROADCASTS_ARE_DROPPED_EXACTLY_WHEN_FULL: Check =
    Check::new("broadcasts-are-dropped-exactly-when-full", &[m::BUF_04, m::BUF_05, m::TAB_05, m::T2_01])
        .knows(&[Knows::World, Knows::Inside]);

/// Broadcasts of a frame, of all clients, whose room is compared.
const MAX_FITS: usize = 1 << 14;
/// For so long a server may take no moves of a client that plays, as far as is known.
const IGNORING_US: u64 = 500_000;
/// The margin that the old check leaves for particles.
const OLD_MARGIN: usize = 16;

/// The view angles that the server has shown it holds of a client.
#[derive(Debug, Default)]
struct Held {
    angles: [Option<i32>; 3],
    /// Since when moves have others, of which it shows nothing.
    differs: Option<Time>,
}

/// What the server shows.
#[derive(Debug, Default)]
pub struct ServerView {
    /// A move that it was given: whose, and the bits of its angles.
    pub given: Option<(HostId, [i32; 3])>,
    /// Its client has begun the game.
    pub in_game: bool,
    shown: [Option<i32>; 3],
    held: BTreeMap<u16, Held>,
    rejected: Option<String>,
    /// What QuakeC's world showed last, and what is right.
    world: Option<(i64, i32)>,
    /// Whether broadcasts had room: whose buffer, the bytes in it before, and what the server found.
    pub fits: Vec<(u16, usize, bool)>,
}

impl ServerView {
    /// The server shows something.
    pub fn shows(&mut self, event: &Event, ssvc: i32, now: Time, report: &mut Report) {
        match event {
            Event::Note { note: WORLD_SVC, args: [value, ..] } => {
                report.saw(Point::WorldShown);
                if *value != 0 && *value != i64::from(ssvc) {
                    report.fail(&WORLD_SHOWS_SSVC, now, HostId::SERVER, &QC_02, || {
                        format!("shows QuakeC's world {value}; SSVC is {ssvc}")
                    });
                }
                self.world = Some((*value, ssvc));
            }
            // A server that shows its players shows its world, too.
            Event::Note { note: PLAYER_SVC, .. } if self.world.is_none() && ssvc != 0 => {
                self.world = Some((0, ssvc));
            }
            Event::Note { note: note @ (BROADCAST_FITS | BROADCAST_DROPPED), args: [host, held, ..] }
                if self.fits.len() < MAX_FITS =>
            {
                self.fits.push((*host as u16, *held as usize, *note == BROADCAST_FITS));
            }
            Event::Note { note: VIEW_ANGLE, args: [client, axis, angle, _] } => {
                let ours = self.given.is_some_and(|(host, _)| i64::from(host.0) == *client);
                let axis = usize::try_from(*axis).ok().filter(|_| ours);
                if let Some(shown) = axis.and_then(|axis| self.shown.get_mut(axis)) {
                    *shown = Some(*angle as i32);
                }
            }
            Event::Rejected { peer, error } if self.given.is_some_and(|(host, _)| host == peer.host) => {
                self.rejected = Some(error.to_string());
            }
            _ => {}
        }
    }

    /// The server has shown all that it will of what was delivered.
    pub fn settled(&mut self, now: Time, report: &mut Report) {
        let (shown, rejected) = (std::mem::take(&mut self.shown), self.rejected.take());
        let Some((host, angles)) = self.given.take() else { return };
        if let Some(error) = rejected {
            report.fail(&MOVES_ARE_READ_AS_SENT, now, HostId::SERVER, &CLC_02, || {
                format!("refuses a move of {host}: {error}")
            });
            return;
        }
        report.saw_if(shown.iter().any(Option::is_some), Point::MoveRead);
        let held = self.held.entry(host.0).or_default();
        held.angles.iter_mut().zip(shown).for_each(|(held, shown)| *held = shown.or(*held));
        let differs = held.angles.into_iter().zip(angles).any(|(held, angle)| held.is_some_and(|held| held != angle));
        // A level may have begun that its clients were not sent yet: then the server takes no moves.
        held.differs = held.differs.or(Some(now)).filter(|_| differs && self.in_game);
        let is_old = held.differs.is_some_and(|since| now.since(since) > IGNORING_US);
        let held = held.angles.map(|held| held.filter(|_| is_old));
        for (axis, ((shown, held), angle)) in shown.into_iter().zip(held).zip(angles).enumerate() {
            if let Some(shown) = shown.or(held).filter(|&shown| shown != angle) {
                let degrees = |bits: i32| f32::from_bits(bits as u32);
                let (read, sent) = (degrees(shown), degrees(angle));
                report.fail(&MOVES_ARE_READ_AS_SENT, now, HostId::SERVER, &CLC_02, || {
                    format!("reads angle {axis} of {host} as {read}; it was sent as {sent}")
                });
                return;
            }
        }
    }

    /// A client is accepted: a session begins, of which the server has shown nothing.
    pub fn accepts(&mut self, host: HostId) {
        self.held.remove(&host.0);
    }

    /// The run is over.
    pub fn finish(&self, report: &mut Report, now: Time) {
        if let Some((value, ssvc)) = self.world.filter(|(value, ssvc)| *value != i64::from(*ssvc)) {
            report.fail(&WORLD_SHOWS_SSVC, now, HostId::SERVER, &QC_02, || {
                format!("QuakeC's world is left with {value}; SSVC is {ssvc}")
            });
        }
    }
}

/// Judges the decisions of a frame: per client in the order of calls. Nothing is known of frames that no client got.
pub fn judge_fits(sessions: &[&Session], truth: &Truth, fits: &[(u16, usize, bool)], report: &mut Report, now: Time) {
    let of_frame = |call: &&Call| call.frame == Some(now);
    let first = truth.calls.iter().position(|call| call.frame == Some(now)).unwrap_or(truth.calls.len());
    for session in sessions.iter().filter(|session| session.is_judged() && session.framed == Some(now)) {
        let host = session.host.0;
        let calls = truth.calls.iter().skip(first).take_while(of_frame);
        let calls = calls.filter(|call| call.class() == Class::Own && call.is_for(host) && !call.writes.is_empty());
        let calls = calls.filter_map(|call| Some((call, truth.message(call)?)));
        let calls = calls.filter(|(_, message)| !lines(message, truth, session).leaves_out(message));
        let shown = fits.iter().filter(|shown| shown.0 == host);
        let calls: Vec<_> = calls.collect();
        // A server that shows more or less than was asked for shows something else.
        if calls.len() != shown.clone().count() {
            continue;
        }
        for ((call, message), &(_, held, fitted)) in calls.into_iter().zip(shown) {
            report.saw(Point::FitShown);
            check(session, truth, call, message, held, fitted, report, now);
        }
    }
}

fn lines(message: &Message, truth: &Truth, session: &Session) -> Lines {
    Lines::of(message, truth.ssvc, session.csvc())
}

#[expect(clippy::too_many_arguments, reason = "one decision, and where it belongs")]
fn check(
    session: &Session,
    truth: &Truth,
    call: &Call,
    message: &Message,
    held: usize,
    fitted: bool,
    report: &mut Report,
    now: Time,
) {
    let line = lines(message, truth, session).client;
    let size = message.lines.get(line).map_or(0, |line| line.bytes);
    let largest = message.lines.iter().map(|line| line.bytes).max().unwrap_or(size);
    let strings = message.kinds.contains(&crate::tables::Kind::String);
    let particles = call.origin == Origin::Particles || call.svc() == netquake::constants::SVC_PARTICLE;
    let (after, largest_after) = (held + size, held + largest);
    let fits = after <= CLIENT_DATAGRAM_BYTES;
    let tight = largest_after > CLIENT_DATAGRAM_BYTES;
    report.saw_if(after == CLIENT_DATAGRAM_BYTES && !particles, Point::ExactFit);
    report.saw_if(fits && tight && after < CLIENT_DATAGRAM_BYTES, Point::FitOfTwoForms);
    if fits == fitted || strings {
        return;
    }
    let margin = particles && held + OLD_MARGIN > CLIENT_DATAGRAM_BYTES;
    let suspects: Suspects = if fitted {
        &BUF_04
    } else if margin {
        return;
    } else if after == CLIENT_DATAGRAM_BYTES {
        &BUF_05
    } else if tight {
        &TAB_05
    } else if particles {
        &T2_01
    } else {
        &BUF_04
    }
    .into();
    let (host, verdict) = (session.host, if fitted { "fits" } else { "does not fit" });
    report.fail(&BROADCASTS_ARE_DROPPED_EXACTLY_WHEN_FULL, now, HostId::SERVER, suspects, || {
        format!("finds that {size} bytes {verdict} after {held} in the buffer of {host}")
    });
}
