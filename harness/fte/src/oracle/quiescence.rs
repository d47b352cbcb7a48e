//! Bounded convergence: when the network does no more harm and the world stands still, the client soon holds what there is.
//!
//! How soon follows from the delays, the two ticks, and the size of the world. What takes longer is remarked; what takes
//! twice as long is judged. Without packets of the client the server knows of no loss, and has nothing to send again.

use super::coverage::{Point, Report, checks};
use super::field::{ALL, each, names};
use super::retransmission::{self, check_lost, divergence};
use super::session::Session;
use super::session::frames::Frame;
use super::session::quiescence::Quiescence;
use super::truth::Truth;
use crate::dialect::Transport;
use crate::requirements::OVF_07;
use kit::{HostId, Time};

checks! {
    QUIESCENT_ENDS_AGREE = "quiescent-ends-agree" knows World Limits: OVF_07;
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
    fn of(session: &Session, truth: &Truth) -> Pace {
        let options = &session.options;
        let frame_us = match options.transport {
            Transport::NetQuake => options.tick_us,
            // A server of QuakeWorld answers packets.
            Transport::QuakeWorld => options.tick_us.max(options.client_tick_us),
        };
        let [down_us, up_us] = session.delay_us;
        let round_us = frame_us + down_us + options.client_tick_us + up_us;
        let rounds = u64::from(session.frames_for_all(truth));
        // An ack, the repair; and the same once more for a client that asks for a reset, or a repair lost before.
        let converge_us = round_us + (2 + rounds) * frame_us + down_us + 2 * (round_us + rounds * frame_us);
        Pace { frame_us, round_us, converge_us }
    }
}

/// The server sent an entity frame.
pub fn frame_sent(session: &mut Session, truth: &Truth, report: &mut Report, now: Time) {
    let since = session.last_disturbance.max(truth.changed).max(session.last_resend_cause);
    if since != session.quiescence.since {
        session.quiescence = Quiescence { since, passed: 0 };
    }
    let quiet_us = now.since(since);
    let pace = Pace::of(session, truth);
    if quiet_us <= pace.converge_us
        || !session.judges_truth()
        || session.frames_sent <= 2 * session.frames_for_all(truth)
    {
        return;
    }
    if session.quiescence.passed == 0 {
        session.quiescence.passed = 1;
        if !agrees(session) {
            report.remark("converging takes longer than two ticks, a round trip and the sending of everything");
        }
    }
    if session.quiescence.passed == 1 && quiet_us > 2 * pace.converge_us {
        session.quiescence.passed = 2;
        check_converged(session, truth, report, now);
    }
    let idle = quiet_us > 2 * pace.converge_us + 4 * pace.round_us;
    let newest = session.newest_frame.and_then(|(_, newest)| session.frames.get(newest));
    if idle && newest.is_some_and(Frame::mentions_entities) {
        report.remark("entities are sent although nothing changed and nothing was lost (legal, but unneeded)");
    }
}

/// The run is over.
pub fn finish(session: &mut Session, truth: &Truth, report: &mut Report, now: Time) {
    let pace = Pace::of(session, truth);
    let alive = session.newest_frame.is_some_and(|(at, _)| now.since(at) <= 4 * pace.frame_us);
    if alive {
        let since = session.last_disturbance.max(truth.changed).max(session.last_resend_cause);
        // What was sent in the last frames is still to be looked at.
        if since == session.quiescence.since && session.quiescence.passed == 2 {
            session.quiescence.passed = 1;
        }
        frame_sent(session, truth, report, now);
    }
}

/// The server begins an entity frame: the first of a map, or the first for long, disturbs it.
pub fn frame_begun(session: &mut Session, now: Time) {
    let frame_us = session.options.tick_us.max(session.options.client_tick_us);
    let resumed = session.newest_frame.is_none_or(|(at, _)| now.since(at) > 4 * frame_us);
    if resumed || session.frames_sent == 0 {
        session.last_resend_cause = now;
    }
}

/// Whether the client, if it does what it must, holds what there is.
fn agrees(session: &Session) -> bool {
    let differs = |(number, track): (u32, &super::session::track::Track)| {
        track.pending != 0 || divergence(session, number, track, ALL) != 0
    };
    !session.tracks.iter().any(differs)
}

/// Everything must agree.
fn check_converged(session: &mut Session, truth: &Truth, report: &mut Report, now: Time) {
    report.saw(Point::Quiescent);
    check_lost(session, truth, report, now, true);
    let numbers: Vec<u32> = session.tracks.iter().map(|(number, _)| number).collect();
    for number in numbers {
        let Some(track) = session.tracks.get(number) else { continue };
        let pending = track.pending & !track.reported;
        // A server of QuakeWorld that does not know upon what a client builds may start over in every frame (erratum E2).
        if pending != 0 && !session.builds_on_nothing {
            let quiet = Time(now.since(session.quiescence.since)).as_seconds();
            report.fail(&QUIESCENT_ENDS_AGREE, now, HostId::SERVER, &OVF_07, || {
                let (pending, host) = (names(pending), session.host);
                format!("for {quiet} s nothing changed and nothing was lost, yet {host} was not sent {pending} of entity {number}")
            });
        }
        // What was lost without a trace in the frames remembered.
        let wrong = divergence(session, number, track, ALL) & !track.reported;
        let carrier = each(wrong).next().and_then(|bit| track.last_carrier(bit));
        let lost = carrier.filter(|&carrier| {
            let decided = session.acked_to.is_some_and(|newest| carrier < newest);
            decided && !session.frames.get(carrier).is_some_and(|frame| frame.acked)
        });
        if let Some(carrier) = lost.filter(|&carrier| retransmission::is_due(session, carrier, session.repairs.at_once))
        {
            retransmission::judge_lost(session, report, now, number, wrong, carrier);
        }
        if let Some(track) = session.tracks.get_mut(number) {
            track.reported |= pending | wrong;
        }
    }
}
