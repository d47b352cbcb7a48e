//! Movement sequences of PREDINFO over NetQuake: what the server echoes must be what it received.

use super::coverage::{Point, Report};
use crate::requirements::{PRED_10, PRED_11, PRED_18};
use kit::{HostId, Time};

/// Moves by which the echo may lag while newer ones are known to have arrived.
const LAG: u32 = 64;

/// Sequences received, and the newest echoed.
#[derive(Debug)]
pub struct MovementWatch {
    received: Box<[u64; 1024]>,
    /// The newest received, its 16 bits continued.
    newest: Option<u32>,
    /// The newest echo, continued likewise.
    echoed: Option<u32>,
    /// The sequence of the move that came last, if it was no newer than those before.
    late: Option<u16>,
    /// Frames since the echo moved.
    still: u32,
    reported: bool,
}

impl Default for MovementWatch {
    fn default() -> Self {
        MovementWatch {
            received: Box::new([0; 1024]),
            newest: None,
            echoed: None,
            late: None,
            still: 0,
            reported: false,
        }
    }
}

impl MovementWatch {
    /// A map begins; whether counting does, too, is up to the server.
    pub fn begin_map(&mut self) {
        self.echoed = None;
        self.still = 0;
    }

    /// A move reached the server.
    pub fn received(&mut self, sequence: u16, report: &mut Report) {
        let newest = self.newest.unwrap_or(u32::from(sequence));
        let ahead = sequence.wrapping_sub(newest as u16) as i16;
        report.saw_if(ahead < 0, Point::MoveOutOfOrder);
        self.late = Some(sequence).filter(|_| ahead < 0);
        if ahead >= 0 {
            let next = newest.wrapping_add(ahead as u32);
            report.saw_if(next >> 16 != newest >> 16, Point::MoveWrapped);
            self.newest = Some(next);
            // What is half a circle away is not to be taken for one of this turn.
            let far = next.wrapping_add(0x8000) as u16;
            self.received[usize::from(far) / 64] &= !(1 << (far % 64));
        }
        self.received[usize::from(sequence) / 64] |= 1 << (sequence % 64);
    }

    /// The server echoes a sequence.
    pub fn echo(&mut self, sequence: u16, now: Time, host: HostId, report: &mut Report) {
        // Servers begin with zero, and may leave out the first moves.
        if self.reported || (sequence == 0 && self.echoed.is_none()) {
            return;
        }
        let Some(newest) = self.newest else {
            self.reported = true;
            let what = || format!("movement sequence {sequence} is echoed, but no move was received");
            return report.find(&PRED_10, now, host, what);
        };
        report.saw(Point::MoveEchoed);
        let behind = (newest as u16).wrapping_sub(sequence);
        let known = self.received[usize::from(sequence) / 64] & 1 << (sequence % 64) != 0;
        let continued = newest.wrapping_sub(u32::from(behind));
        let wrapped = self.echoed.is_some_and(|last| last >> 16 != newest >> 16);
        let requirement = match wrapped {
            _ if self.late == Some(sequence) => &PRED_18,
            true => &PRED_11,
            false => &PRED_10,
        };
        let mut fail = |why: &str| {
            report.find(requirement, now, host, || {
                format!("movement sequence {sequence} is echoed, but {why}; the newest received is {newest}")
            });
        };
        if behind >= 0x8000 {
            fail("it is ahead of all that were received");
        } else if !known {
            fail("no move with it was received");
        } else if self.echoed.is_some_and(|last| continued < last) {
            fail("a newer one was echoed before");
        } else {
            self.still = if self.echoed == Some(continued) { self.still + 1 } else { 0 };
            if self.still > LAG && u32::from(behind) > LAG {
                fail("many newer ones were received since");
            } else {
                self.echoed = Some(continued);
                return;
            }
        }
        self.reported = true;
    }
}
