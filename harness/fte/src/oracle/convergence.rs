//! Bounded convergence: when the network does no more harm and the world stands still, the client soon holds what there is.
//!
//! How soon follows from the delays, the two ticks, and the size of the world. What takes longer is remarked; what takes
//! twice as long is judged. Without packets of the client the server knows of no loss, and owes nothing.

use super::book::Book;
use super::coverage::{Point, Report};
use super::duty::{self, check_owed, divergence};
use super::field::{ALL, each, names};
use super::frames::Frame;
use crate::dialect::Transport;
use crate::requirements::OVF_07;
use crate::state::World;
use kit::{HostId, Time};

/// How far the present calm was looked at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Calm {
    /// When it began.
    since: Time,
    /// How many of the bounds, first and second, it has passed.
    passed: u8,
}

/// How fast a session can be, in microseconds.
struct Pace {
    /// Between two frames of the server.
    frame_us: u64,
    /// From a server frame to the next frame that knows of its fate.
    round_us: u64,
    /// Until everything that was lost is repaired.
    converge_us: u64,
}

impl Pace {
    fn of(book: &Book, world: &World) -> Pace {
        let options = &book.options;
        let frame_us = match options.transport {
            Transport::NetQuake => options.tick_us,
            // A server of QuakeWorld answers packets.
            Transport::QuakeWorld => options.tick_us.max(options.client_tick_us),
        };
        let [down_us, up_us] = book.delay_us;
        let round_us = frame_us + down_us + options.client_tick_us + up_us;
        let rounds = u64::from(book.frames_for_all(world));
        // An ack, the repair; and the same once more for a client that asks for a reset, or a repair lost before.
        let converge_us = round_us + (2 + rounds) * frame_us + down_us + 2 * (round_us + rounds * frame_us);
        Pace { frame_us, round_us, converge_us }
    }
}

/// The server sent an entity frame. `world_changed` is when the scenario changed the world last.
pub fn frame_sent(book: &mut Book, world: &World, report: &mut Report, now: Time, world_changed: Time) {
    let since = book.trouble.max(world_changed).max(book.stirred);
    if since != book.calm.since {
        book.calm = Calm { since, passed: 0 };
    }
    let calm_us = now.since(since);
    let pace = Pace::of(book, world);
    if calm_us <= pace.converge_us || !book.judges_truth() || book.places <= 2 * book.frames_for_all(world) {
        return;
    }
    if book.calm.passed == 0 {
        book.calm.passed = 1;
        if !agrees(book) {
            report.remark("converging takes longer than two ticks, a round trip and the sending of everything");
        }
    }
    if book.calm.passed == 1 && calm_us > 2 * pace.converge_us {
        book.calm.passed = 2;
        check_converged(book, world, report, now);
    }
    let idle = calm_us > 2 * pace.converge_us + 4 * pace.round_us;
    let newest = book.newest_frame.and_then(|(_, newest)| book.frames.get(newest));
    if idle && newest.is_some_and(Frame::mentions_entities) {
        report.remark("entities are sent although nothing changed and nothing was lost (legal, but a waste)");
    }
}

/// The run is over.
pub fn finish(book: &mut Book, world: &World, report: &mut Report, now: Time, world_changed: Time) {
    let pace = Pace::of(book, world);
    let alive = book.newest_frame.is_some_and(|(at, _)| now.since(at) <= 4 * pace.frame_us);
    if alive {
        let since = book.trouble.max(world_changed).max(book.stirred);
        // What was said in the last frames is still to be looked at.
        if since == book.calm.since && book.calm.passed == 2 {
            book.calm.passed = 1;
        }
        frame_sent(book, world, report, now, world_changed);
    }
}

/// The server begins an entity frame: the first of a map, or the first for long, disturbs the calm.
pub fn frame_begun(book: &mut Book, now: Time) {
    let frame_us = book.options.tick_us.max(book.options.client_tick_us);
    let resumed = book.newest_frame.is_none_or(|(at, _)| now.since(at) > 4 * frame_us);
    if resumed || book.places == 0 {
        book.stirred = now;
    }
}

/// Whether the client, if it does what it must, holds what there is.
fn agrees(book: &Book) -> bool {
    let differs =
        |(number, track): (u32, &super::track::Track)| track.pending != 0 || divergence(book, number, track, ALL) != 0;
    !book.tracks.iter().any(differs)
}

/// Everything must agree.
fn check_converged(book: &mut Book, world: &World, report: &mut Report, now: Time) {
    report.saw(Point::Quiescent);
    check_owed(book, world, report, now, true);
    let numbers: Vec<u32> = book.tracks.iter().map(|(number, _)| number).collect();
    for number in numbers {
        let Some(track) = book.tracks.get(number) else { continue };
        let pending = track.pending & !track.reported;
        // A server of QuakeWorld that is not told upon what a client builds may start over in every frame (erratum E2).
        if pending != 0 && !book.builds_on_nothing {
            let calm = Time(now.since(book.calm.since)).as_seconds();
            report.find(&OVF_07, now, HostId::SERVER, || {
                let (pending, host) = (names(pending), book.host);
                format!("for {calm} s nothing changed and nothing was lost, yet {host} was not sent {pending} of entity {number}")
            });
        }
        // What was lost without a trace in the frames remembered.
        let wrong = divergence(book, number, track, ALL) & !track.reported;
        let carrier = each(wrong).next().and_then(|bit| track.last_carrier(bit));
        let lost = carrier.filter(|&carrier| {
            let decided = book.acked_to.is_some_and(|newest| carrier < newest);
            decided && !book.frames.get(carrier).is_some_and(|frame| frame.acked)
        });
        if let Some(carrier) = lost {
            duty::judge_lost(book, report, now, number, wrong, carrier);
        }
        if let Some(track) = book.tracks.get_mut(number) {
            track.reported |= pending | wrong;
        }
    }
}
