//! What a client has to acknowledge, and what it did.

use super::remote::Silence;
use kit::Time;
use std::collections::VecDeque;

/// Acknowledgements of frames that were not on their way.
#[derive(Clone, Copy, Debug, Default)]
pub struct OddAcks {
    /// A frame that was never sent was acknowledged.
    pub future: bool,
    /// A frame was acknowledged explicitly for the second time, or too late.
    pub stale: bool,
}

/// Frames without an acknowledgement that are remembered.
const REMEMBERED: usize = 256;

/// A frame that the client has taken and not acknowledged.
#[derive(Clone, Copy, Debug)]
pub struct Unacked {
    /// Its number.
    pub sequence: u32,
    /// It need not be acknowledged.
    pub excused: bool,
    /// Packets that the client sent since.
    pub packets: u32,
}

/// What the client has to acknowledge.
#[derive(Debug, Default)]
pub struct AckWatch {
    /// When the client sent anything last.
    pub spoke: Time,
    /// Frames taken and not acknowledged, oldest first.
    pub unacked: VecDeque<Unacked>,
    /// Frames taken since the last packet, of which the last is at the back of `unacked`.
    pub taken_since: u32,
    /// The newest acknowledged explicitly.
    pub last_acked: Option<u32>,
    /// The number of the move that the last packet began with.
    pub moved: Option<u16>,
    /// NetQuake: the number of the next unreliable datagram.
    pub next: u32,
    /// Packets sent while frames were taken.
    pub packets: Silence,
    /// QuakeWorld: the newest that the header of an earlier packet acknowledged.
    pub last_header: Option<u32>,
    /// Packets in a row that acknowledged nothing, although there was what to acknowledge.
    pub mute: Silence,
    /// Numbers that the scenario has the client acknowledge.
    pub scripted: Vec<u32>,
    /// The scenario's newest instruction was such a one.
    pub script_newest: bool,
    /// Frames that the client received without a usable state, since it last asked for one.
    pub ignored: u32,
    /// Packets that it sent meanwhile.
    pub packets_since_ignored: u32,
    /// There is a finding about acknowledgements in headers.
    pub header_reported: bool,
}

impl AckWatch {
    /// A map begins, as the client receives it.
    pub fn begin_map(&mut self) {
        self.unacked.clear();
        self.taken_since = 0;
        self.mute = Silence::default();
        self.ignored = 0;
    }

    /// The scenario has the client acknowledge `sequence`, whether that is right or not.
    pub fn scripted(&mut self, sequence: u32) {
        self.script_newest = self.scripted.len() < REMEMBERED;
        if self.script_newest {
            self.scripted.push(sequence);
        }
    }

    /// The scenario gives the client another instruction.
    pub fn other_instruction(&mut self) {
        self.script_newest = false;
    }

    /// The client did not follow the instruction that it got last.
    pub fn script_ignored(&mut self) {
        if std::mem::take(&mut self.script_newest) {
            self.scripted.pop();
        }
    }

    /// The client receives an entity frame.
    pub fn taken(&mut self, sequence: u32) {
        if self.unacked.len() == REMEMBERED {
            self.unacked.pop_front();
        }
        self.unacked.push_back(Unacked { sequence, excused: false, packets: 0 });
        self.taken_since += 1;
    }

    /// The client had or has no use for the frame just received.
    pub fn ignored(&mut self) {
        self.ignored += 1;
        self.excuse_newest();
    }

    /// The frame just received need not be acknowledged.
    pub fn excuse_newest(&mut self) {
        if let Some(newest) = self.unacked.back_mut() {
            newest.excused = true;
        }
    }
}
