//! What a server sends although nothing asks for it, until the first loss.

use super::frames::Frame;

/// Repetitions, or frames in which there could have been some, that make a habit.
pub const HABIT: u32 = 8;
/// Frames in flight that every history holds, even one that is half as long as the specification's ("64 or so").
pub const SURE: u32 = 32;
/// Frames in flight that any history can hold.
pub const FEW: u32 = 4;

/// What was sent without need in a session without losses.
#[derive(Debug, Default)]
pub struct Unneeded {
    /// There was a loss, or a request for a reset, or another map: what comes now may have other reasons.
    pub closed: bool,
    /// An acknowledgement of something new came since the last frame.
    pub news: bool,
    /// The newest frame with entries.
    pub filled: Option<u32>,
    /// Frames with entries that were acknowledged alone, and in packets with others.
    pub acked: [u32; 2],
    /// Updates repeated whose newest carrier was so acknowledged.
    pub acked_again: [u32; 2],
    /// The same, where that acknowledgement was news.
    pub just_acked_again: [u32; 2],
    /// Frames sent while entries were on their way and nothing new was acknowledged, and after such news.
    pub undecided: [u32; 2],
    /// Those of them with updates repeated while their newest carrier was on its way.
    pub undecided_again: [u32; 2],
    /// The last of these, by the number of frames sent before.
    undecided_last: Option<u32>,
    /// Those of them without news that were sent while nobody may lose track.
    pub silent_again_in_track: u32,
    /// The least number of frames after which that happened.
    pub youngest: Option<u32>,
    /// Frames sent with few frames in flight and with more, of those with which nobody may lose track.
    pub sent: [u32; 2],
    /// Times that everything was removed then without being asked.
    pub restarts: [u32; 2],
    /// The most frames in flight, of those with which nobody may lose track.
    pub in_flight: u32,
}

impl Unneeded {
    /// From now on there may be other reasons.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// An update repeats what `carrier` carried, and nothing shows why. `frames_sent` are sent, those up to `acked_to`
    /// are decided, and `in_flight` are on their way.
    pub fn repeated(&mut self, carrier: &Frame, frames_sent: u32, acked_to: Option<u32>, in_flight: u32) {
        if self.closed {
            return;
        }
        let among_others = usize::from(carrier.acked_among_others);
        if carrier.acked && carrier.acked_at >= frames_sent {
            self.just_acked_again[among_others] += 1;
        } else if carrier.acked {
            self.acked_again[among_others] += 1;
        } else if Some(carrier.sequence) > acked_to {
            // What the world sets again all at once is one reason.
            if self.undecided_last.replace(frames_sent) != Some(frames_sent) {
                self.undecided_again[usize::from(self.news)] += 1;
            }
            self.silent_again_in_track += u32::from(!self.news && in_flight <= SURE + HABIT);
            let age = frames_sent + 1 - carrier.place.min(frames_sent);
            self.youngest = Some(self.youngest.map_or(age, |youngest| youngest.min(age)));
        }
    }

    /// Everything is removed without being asked.
    pub fn restarts(&mut self, in_flight: u32) {
        if !self.closed {
            self.undecided_again[usize::from(self.news)] += 1;
        }
        if !self.closed && in_flight <= SURE + HABIT {
            self.restarts[usize::from(in_flight > FEW)] += 1;
        }
    }

    /// The server receives the first acknowledgement of a frame; `among_others` in its packet.
    pub fn acknowledged(&mut self, frame: &Frame, among_others: bool) {
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
