//! What a server sends although nothing asks for it, where that has one explanation only.
//!
//! Any server may repeat what it likes, when it likes; so a repetition is never a finding. But as long as nothing was
//! lost, a server that never repeats anything but what was acknowledged in a certain way misses such acknowledgements.
//! All of it is counted until the first loss, and judged when the run is over.

use super::coverage::{Point, Report, checks};
use super::session::Session;
use super::session::repetition::{FEW, HABIT, SURE};
use crate::dialect::Transport;
use crate::requirements::*;
use kit::{HostId, Suspects, Time};

checks! {
    ALL_ACKS_OF_A_PACKET_COUNT = "all-acks-of-a-packet-count" knows ClientSays: ACK_08 [SeveralAcksJudged] [ExplicitJudged],
        ACK_15 [ExplicitJudged];
    FRAMES_UNDER_WAY_ARE_NOT_LOST = "frames-under-way-are-not-lost" knows World: ACK_10 [NewerJudged];
    FRAMES_IN_FLIGHT_ARE_REMEMBERED = "frames-in-flight-are-remembered" knows ClientSays: HIST_07 [ManyInFlight];
    FRAMES_IN_FLIGHT_ARE_NOT_REPEATED = "frames-in-flight-are-not-repeated" knows World: HIST_07 [ManyInFlight];
}

/// The run is over.
pub fn finish(session: &Session, report: &mut Report, now: Time) {
    let unneeded = &session.unneeded;
    let host = session.host;
    let [alone, among] = unneeded.acked;
    let quakeworld = session.dialect.transport == Transport::QuakeWorld;
    if alone >= HABIT && among >= HABIT / 2 {
        report.saw(if quakeworld { Point::ExplicitJudged } else { Point::SeveralAcksJudged });
        let [again_alone, again] = [0, 1].map(|how| unneeded.acked_again[how] + unneeded.just_acked_again[how]);
        if again >= HABIT / 2 && again_alone == 0 && unneeded.undecided_again == [0; 2] {
            let what = || {
                format!(
                    "nothing was lost, and what {host} acknowledged alone ({alone} frames) is never sent again; of what \
                     it acknowledged in packets with several acknowledgements ({among} frames), {again} updates are"
                )
            };
            let suspects = Suspects::from(if quakeworld { &ACK_15 } else { &ACK_08 }).or(&ACK_08);
            report.fail(&ALL_ACKS_OF_A_PACKET_COUNT, now, HostId::SERVER, suspects, what);
        }
    }
    let [silent, news] = unneeded.undecided;
    let [again_silent, again_news] = unneeded.undecided_again;
    if silent >= HABIT && news >= HABIT {
        report.saw(Point::NewerJudged);
        // Who repeats what the world set once more does so in frames of either kind.
        let expected_silent = u64::from(again_news) * u64::from(silent) / u64::from(news);
        let alone = again_silent == 0 && expected_silent >= u64::from(HABIT);
        if again_news >= HABIT && alone && unneeded.acked_again == [0; 2] {
            report.fail(&FRAMES_UNDER_WAY_ARE_NOT_LOST, now, HostId::SERVER, &ACK_10, || {
                format!(
                    "nothing was lost, and without news of {host} nothing is repeated; when an acknowledgement comes, \
                     what is on its way after that frame is, in {again_news} frames"
                )
            });
        }
    }
    if unneeded.in_flight > SURE {
        report.saw(Point::ManyInFlight);
        let [early, late] = unneeded.restarts;
        let [few, many] = unneeded.sent;
        // Who starts over now and then does so with few frames in flight as well, if there was time for that.
        if late > 1 && early == 0 && few >= many {
            report.fail(&FRAMES_IN_FLIGHT_ARE_REMEMBERED, now, HostId::SERVER, &HIST_07, || {
                format!(
                    "nothing was lost, but with no more than {SURE} frames in flight to {host} the server starts over"
                )
            });
        }
        let old = unneeded.youngest.is_some_and(|youngest| youngest > FEW);
        let again = unneeded.silent_again_in_track;
        if again >= HABIT && old && unneeded.acked_again == [0; 2] {
            report.fail(&FRAMES_IN_FLIGHT_ARE_NOT_REPEATED, now, HostId::SERVER, &HIST_07, || {
                format!(
                    "nothing was lost, and {again} updates are sent to {host} again while they are on their way, \
                     with no more than {SURE} frames in flight"
                )
            });
        }
    }
}
