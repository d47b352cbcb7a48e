//! Movement sequences of PREDINFO over NetQuake: what the server received, and what it echoes.

use super::remote::Silence;
use kit::{Time, Vantage};

/// So many moves that are newer than the echo may have arrived, with an echo that stands still for as many frames.
const LAG: u32 = 64;

/// What is wrong with an echo.
#[derive(Clone, Copy, Debug)]
pub struct WrongEcho {
    /// What, in words.
    pub why: &'static str,
    /// The newest sequence received, continued beyond 16 bits.
    pub newest: Option<u32>,
    /// The sequence is that of the newest move, which came late or twice.
    pub late: bool,
    /// The sequence wrapped since the last echo.
    pub wrapped: bool,
}

/// What the arrival of a move shows.
#[derive(Clone, Copy, Debug)]
pub struct MoveReceived {
    /// It came late or twice.
    pub out_of_order: bool,
    /// The sequence wrapped.
    pub wrapped: bool,
}

/// Sequences received, and the newest echoed.
#[derive(Debug)]
pub struct MovementWatch {
    received: Box<[u64; 1024]>,
    /// The newest received, its 16 bits continued.
    newest: Option<u32>,
    /// How many were received in this map, each newer than those before.
    count: u32,
    /// How many had been when the last frame was sent that echoed none.
    unechoed: u32,
    /// The newest echo, continued likewise.
    echoed: Option<u32>,
    /// The newest received when the last frame was sent, and when the one before was: a server may apply a move with its next tick.
    newest_before: [Option<u32>; 2],
    /// The sequence of the move that came last, if it was no newer than those before.
    late: Option<u16>,
    /// Frames since the echo moved.
    still: Silence,
    reported: bool,
}

impl Default for MovementWatch {
    fn default() -> Self {
        MovementWatch {
            received: Box::new([0; 1024]),
            newest: None,
            count: 0,
            unechoed: 0,
            echoed: None,
            newest_before: [None; 2],
            late: None,
            still: Silence::default(),
            reported: false,
        }
    }
}

impl MovementWatch {
    /// A map begins; whether counting does, too, is up to the server.
    pub fn begin_map(&mut self) {
        self.echoed = None;
        self.count = 0;
        self.unechoed = 0;
        self.still = Silence::default();
    }

    /// A move reached the server damaged: what it echoes is not judged any more.
    pub fn give_up(&mut self) {
        self.reported = true;
    }

    /// A move reached the server.
    pub fn received(&mut self, sequence: u16) -> MoveReceived {
        let newest = self.newest.unwrap_or(u32::from(sequence));
        let ahead = sequence.wrapping_sub(newest as u16) as i16;
        self.late = Some(sequence).filter(|_| ahead < 0);
        let mut wrapped = false;
        if ahead >= 0 {
            // What was left out so far has not arrived.
            (1..ahead).for_each(|more| self.forget(newest.wrapping_add(more as u32) as u16));
            let next = newest.wrapping_add(ahead as u32);
            wrapped = next >> 16 != newest >> 16;
            self.newest = Some(next);
            self.count += 1;
            // What is half a circle away is not to be taken for one of this turn.
            self.forget(next.wrapping_add(0x8000) as u16);
        }
        self.received[usize::from(sequence) / 64] |= 1 << (sequence % 64);
        MoveReceived { out_of_order: ahead < 0, wrapped }
    }

    /// Whether the server shows no move to have been read, whatever it does with them: many arrived, and none is echoed.
    pub fn is_never_echoed(&self) -> bool {
        self.echoed.is_none() && self.count > LAG
    }

    /// Whether the server has echoed anything but the zero that servers begin with.
    pub fn has_echoed(&self) -> bool {
        self.echoed.is_some()
    }

    fn forget(&mut self, sequence: u16) {
        self.received[usize::from(sequence) / 64] &= !(1 << (sequence % 64));
    }

    fn has_received(&self, sequence: u16) -> bool {
        self.received[usize::from(sequence) / 64] & 1 << (sequence % 64) != 0
    }

    /// How many moves have arrived that are newer than `echoed`, those left out which came since the frame before the last.
    fn arrived_since(&self, echoed: u32) -> u32 {
        let [_, newest] = self.newest_before;
        let newer = echoed.wrapping_add(1)..=newest.unwrap_or(echoed);
        newer.filter(|&sequence| self.has_received(sequence as u16)).count() as u32
    }

    /// The server echoes a sequence, from `vantage`. Whether that could be checked.
    ///
    /// # Errors
    /// Why it must not; reported once.
    pub fn echo(&mut self, sequence: u16, now: Time, vantage: Vantage) -> Result<bool, WrongEcho> {
        // Servers begin with zero, and may leave out the first moves.
        let none = sequence == 0 && self.echoed.is_none();
        let Vantage { server_may_miss, untimed, .. } = vantage;
        let outlasts = |still: Silence| still.outlasts_outages(now, untimed);
        // Whether somebody else's applies what it receives is not known. A server that waits for its next frame with it shows none in
        // the first, however long that took.
        let never = none && !vantage.remote_server && self.unechoed > LAG;
        if self.reported || (none && !never) {
            self.unechoed = self.count;
            return Ok(false);
        }
        self.newest_before = [self.newest, self.newest_before[0]];
        let newest = self.newest.unwrap_or_default();
        let behind = (newest as u16).wrapping_sub(sequence);
        let known = self.has_received(sequence);
        let continued = newest.wrapping_sub(u32::from(behind));
        let why = if never {
            "many moves were received"
        } else if self.newest.is_none() {
            "no move was received"
        } else if behind >= 0x8000 {
            "no such number was received yet"
        } else if !known {
            "no move with it was received"
        } else if self.echoed.is_some_and(|last| continued < last) {
            "a newer one was echoed before"
        } else {
            if self.echoed == Some(continued) {
                self.still.go_on(now);
            } else {
                self.still = Silence::default();
            }
            let lags = if server_may_miss { outlasts(self.still) } else { self.still.datagrams > LAG };
            if !lags || self.arrived_since(continued) <= LAG {
                self.echoed = Some(continued);
                return Ok(true);
            }
            "many newer ones were received since"
        };
        self.reported = true;
        let wrapped = self.echoed.is_some_and(|last| last >> 16 != newest >> 16);
        Err(WrongEcho { why, newest: self.newest, late: self.late == Some(sequence), wrapped })
    }
}
