//! What a server sends although nothing asks for it, where that has one explanation only.
//!
//! Any server may repeat what it likes, when it likes; so a repetition is never a finding. But as long as nothing was
//! lost, a server that never repeats anything but what it was told of in a certain way does not hear what it was told.
//! Everything here counts until the first loss, and is judged when the run is over.

use super::book::Book;
use super::coverage::{Point, Report};
use super::frames::Frame;
use crate::dialect::Transport;
use crate::requirements::*;
use kit::{HostId, Time};

/// Repetitions, or frames in which there could have been some, that make a habit.
const HABIT: u32 = 8;
/// Frames in flight that every history holds, even one that is half as long as the document's ("64 or so").
const SURE: u32 = 32;
/// Frames in flight with which no history can be in trouble.
const FEW: u32 = 4;

/// What was sent without need in a session without losses.
#[derive(Debug, Default)]
pub struct Waste {
    /// There was a loss, or a request for a reset, or another map: what comes now may have other reasons.
    closed: bool,
    /// An acknowledgement that said something new came since the last frame.
    news: bool,
    /// The newest frame with entries.
    filled: Option<u32>,
    /// Frames with entries that were acknowledged alone, and in packets with others.
    acked: [u32; 2],
    /// Updates repeated whose newest carrier was so acknowledged.
    acked_again: [u32; 2],
    /// The same, where that acknowledgement was news.
    just_acked_again: [u32; 2],
    /// Frames sent while entries were on their way and nothing new was heard, and behind news.
    undecided: [u32; 2],
    /// Updates repeated then while their newest carrier was on its way.
    undecided_again: [u32; 2],
    /// The least number of frames after which that happened.
    youngest: Option<u32>,
    /// Frames sent with few frames in flight and with more, of those with which nobody may lose track.
    sent: [u32; 2],
    /// Times that everything was removed then without being asked.
    restarts: [u32; 2],
    /// Times in all that everything was removed without being asked.
    restarts_at_all: u32,
    /// The most frames in flight, of those with which nobody may lose track.
    in_flight: u32,
}

impl Waste {
    /// From now on there may be other reasons.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// An update repeats what `carrier` carried, and nothing shows why. `places` frames were sent, those up to `acked_to`
    /// are decided.
    pub fn repeated(&mut self, carrier: &Frame, places: u32, acked_to: Option<u32>) {
        if self.closed {
            return;
        }
        let among_others = usize::from(carrier.acked_among_others);
        if carrier.acked && carrier.acked_at >= places {
            self.just_acked_again[among_others] += 1;
        } else if carrier.acked {
            self.acked_again[among_others] += 1;
        } else if Some(carrier.sequence) > acked_to {
            self.undecided_again[usize::from(self.news)] += 1;
            let age = places + 1 - carrier.place.min(places);
            self.youngest = Some(self.youngest.map_or(age, |youngest| youngest.min(age)));
        }
    }

    /// Everything is removed without being asked.
    pub fn restarts(&mut self, in_flight: u32) {
        if !self.closed {
            self.undecided_again[usize::from(self.news)] += 1;
            self.restarts_at_all += 1;
        }
        if !self.closed && in_flight <= SURE + HABIT {
            self.restarts[usize::from(in_flight > FEW)] += 1;
        }
    }

    /// The server hears of a frame for the first time; `among_others` in its packet.
    pub fn heard(&mut self, frame: &Frame, among_others: bool) {
        self.news = true;
        if !self.closed && !frame.entries.is_empty() {
            self.acked[usize::from(among_others)] += 1;
        }
    }

    /// A frame was sent; `in_flight` are, it included.
    pub fn sent(&mut self, sequence: u32, filled: bool, in_flight: u32, acked_to: Option<u32>) {
        if !self.closed && self.filled.is_some_and(|filled| Some(filled) > acked_to) {
            self.undecided[usize::from(self.news)] += 1;
        }
        if !self.closed {
            self.in_flight = self.in_flight.max(in_flight);
        }
        if !self.closed && in_flight <= SURE + HABIT {
            self.sent[usize::from(in_flight > FEW)] += 1;
        }
        self.news = false;
        if filled {
            self.filled = Some(sequence);
        }
    }
}

/// The run is over.
pub fn finish(book: &Book, report: &mut Report, now: Time) {
    let waste = &book.waste;
    let host = book.host;
    let [alone, among] = waste.acked;
    let quakeworld = book.dialect.transport == Transport::QuakeWorld;
    if alone >= HABIT && among >= HABIT / 2 {
        report.saw(if quakeworld { Point::ExplicitJudged } else { Point::SeveralAcksJudged });
        let [again_alone, again] = [0, 1].map(|how| waste.acked_again[how] + waste.just_acked_again[how]);
        if again >= HABIT / 2 && again_alone == 0 && waste.undecided_again == [0; 2] {
            let what = || {
                format!(
                    "nothing was lost, and what {host} acknowledged alone ({alone} frames) is never sent again; of what \
                     it acknowledged in packets with several acknowledgements ({among} frames), {again} updates are"
                )
            };
            report.find(&ACK_08, now, HostId::SERVER, what);
            if quakeworld {
                report.find(&ACK_15, now, HostId::SERVER, what);
            }
        }
    }
    let [silent, news] = waste.undecided;
    let [again_silent, again_news] = waste.undecided_again;
    if silent >= HABIT && news >= HABIT {
        report.saw(Point::NewerJudged);
        if again_news >= HABIT && again_silent == 0 && waste.acked_again == [0; 2] {
            report.find(&ACK_10, now, HostId::SERVER, || {
                format!(
                    "nothing was lost, and without news of {host} nothing is repeated; when an acknowledgement comes, \
                     what is on its way behind that frame is: {again_news} updates"
                )
            });
        }
    }
    if waste.in_flight > SURE {
        report.saw(Point::ManyInFlight);
        let [early, late] = waste.restarts;
        let [few, many] = waste.sent;
        // Who starts over now and then does so with few frames in flight as well, if there was time for that.
        if late > 1 && early == 0 && few >= many {
            report.find(&HIST_07, now, HostId::SERVER, || {
                format!(
                    "nothing was lost, but with no more than {SURE} frames in flight to {host} the server starts over"
                )
            });
        }
        let old = waste.youngest.is_some_and(|youngest| youngest > FEW);
        if again_silent >= HABIT + waste.restarts_at_all && old && waste.acked_again == [0; 2] {
            report.find(&HIST_07, now, HostId::SERVER, || {
                format!(
                    "nothing was lost, and {again_silent} updates are sent to {host} again while they are on their way, \
                     with no more than {SURE} frames in flight"
                )
            });
        }
    }
}
