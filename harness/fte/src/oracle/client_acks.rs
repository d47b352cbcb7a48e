//! What the client acknowledges: the right numbers, in order, each once, all of them.

use super::book::Book;
use super::coverage::{Point, Report};
use super::frames::Outcome;
use crate::constants::ACK_RESET;
use crate::dialect::Transport;
use crate::message::{Carrier, Listener};
use crate::requirements::*;
use kit::{Requirement, Time};
use std::collections::VecDeque;

/// Frames between two packets of a client of which it need not acknowledge all.
const QUEUE: usize = 8;
/// Frames without an acknowledgement that are remembered.
const REMEMBERED: usize = 256;
/// Packets without any acknowledgement, while one is owed, after which it is not merely late: far more than anybody
/// saves up.
const MUTE: u32 = 32;
/// Frames ignored, and packets sent meanwhile, within which a client without a state asks for one.
const PATIENCE: u32 = 4;

/// A frame that the client has taken and not acknowledged.
#[derive(Clone, Copy, Debug)]
struct Unnamed {
    sequence: u32,
    /// It need not be acknowledged.
    excused: bool,
    /// Packets that the client sent since.
    packets: u32,
}

/// What the client owes.
#[derive(Debug, Default)]
pub struct AckWatch {
    unnamed: VecDeque<Unnamed>,
    /// Frames taken since the last packet, of which the last is at the back of `unnamed`.
    taken_since: u32,
    last_named: Option<u32>,
    /// QuakeWorld: the newest that the header of an earlier packet acknowledged.
    last_header: Option<u32>,
    /// Packets in a row that acknowledged nothing, although there was what to acknowledge.
    mute: u32,
    /// Numbers that the scenario told the client to acknowledge.
    scripted: Vec<u32>,
    /// The scenario's newest instruction was such a one.
    script_newest: bool,
    /// Frames that the client received without a usable state, since it last asked for one.
    ignored: u32,
    packets_since_ignored: u32,
    /// There is a finding about acknowledgements in headers.
    header_reported: bool,
}

impl AckWatch {
    /// A map begins, as the client receives it.
    pub fn begin_map(&mut self) {
        self.unnamed.clear();
        self.taken_since = 0;
        self.mute = 0;
        self.ignored = 0;
    }

    /// The scenario tells the client to acknowledge `sequence`, whether that is right or not.
    pub fn scripted(&mut self, sequence: u32) {
        self.script_newest = self.scripted.len() < REMEMBERED;
        if self.script_newest {
            self.scripted.push(sequence);
        }
    }

    /// The scenario tells the client something else.
    pub fn told_else(&mut self) {
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
        if self.unnamed.len() == REMEMBERED {
            self.unnamed.pop_front();
        }
        self.unnamed.push_back(Unnamed { sequence, excused: false, packets: 0 });
        self.taken_since += 1;
    }

    /// The client had or has no use for the frame just received.
    pub fn ignored(&mut self) {
        self.ignored += 1;
        if let Some(newest) = self.unnamed.back_mut() {
            newest.excused = true;
        }
    }
}

/// What one packet of the client says, in order.
#[derive(Debug, Default)]
pub struct Spoken {
    /// Acknowledgements: the number, and whether in the reliable stream.
    pub acks: Vec<(u32, bool)>,
    /// Movement sequences.
    pub moves: Vec<u16>,
    /// Text commands, one after the other, each ended by a NUL.
    pub texts: Vec<u8>,
    /// QuakeWorld: the client says upon which frame it builds.
    pub builds_on: bool,
    /// A message was read.
    pub commands: u32,
    /// The last message was a move.
    pub moved_last: bool,
    /// A move's sequence stands behind its time.
    pub sequence_behind: bool,
}

impl Spoken {
    /// Forgets, keeping the memory.
    pub fn clear(&mut self) {
        self.acks.clear();
        self.moves.clear();
        self.texts.clear();
        self.builds_on = false;
        self.commands = 0;
        self.moved_last = false;
        self.sequence_behind = false;
    }
}

impl Listener for Spoken {
    fn text_command(&mut self, text: &[u8]) {
        self.texts.extend_from_slice(text);
        self.texts.push(0);
    }

    fn moved(&mut self, _: &Carrier, movement: &netquake::Move) {
        self.moves.push(movement.sequence);
        self.moved_last = true;
        let plausible = |time: f32| time == 0.0 || (1e-3..1e6).contains(&time);
        let sequence = movement.sequence.to_le_bytes();
        let time = movement.time.to_le_bytes();
        let other = f32::from_le_bytes([sequence[0], sequence[1], time[0], time[1]]);
        let read = f32::from_le_bytes(time);
        self.sequence_behind |= !plausible(read) && other > 0.0 && plausible(other);
    }

    fn quakeworld_command(&mut self, command: &quakeworld::Command<'_>) {
        self.builds_on |= matches!(command, quakeworld::Command::Delta { .. });
    }

    fn acknowledge(&mut self, carrier: &Carrier, sequence: u32) {
        self.acks.push((sequence, carrier.reliable));
        self.moved_last = false;
    }

    fn message_ended(&mut self) {
        self.commands += 1;
    }
}

/// The client sends a packet. `header_ack` is that of a QuakeWorld header; `unreliable` is whether the packet is more
/// than a part of NetQuake's reliable stream.
pub fn sent(
    book: &mut Book,
    report: &mut Report,
    now: Time,
    spoken: &Spoken,
    header_ack: Option<u32>,
    unreliable: bool,
) {
    if book.tainted {
        return;
    }
    let host = book.host;
    let find = |report: &mut Report, requirement: &'static Requirement, what: String| {
        report.find(requirement, now, host, || what);
    };
    if !spoken.acks.is_empty() && book.heard_epoch > 0 && !book.heard_dialect.deltas() {
        // What the scenario demands is not the client's doing.
        let own = spoken.acks.iter().find(|ack| !book.acks.scripted.contains(&ack.0));
        if let Some((sequence, _)) = own {
            let what = format!("frame {sequence} is acknowledged, in a session without replacement deltas");
            find(report, if book.options.proxy_strips { &HS_06 } else { &HS_17 }, what);
        }
        return;
    }
    if spoken.sequence_behind && book.heard_dialect.movement_sequence() {
        find(report, &PRED_09, String::from("the sequence of a move stands behind its time"));
    }
    let taken_since = if unreliable { std::mem::take(&mut book.acks.taken_since) } else { 0 };
    report.saw_if(!spoken.acks.is_empty(), Point::AckSent);
    let explicit = spoken.acks.iter().filter(|ack| ack.0 != ACK_RESET).count();
    // A queue overflows when too much comes at once, or when it is emptied too slowly; not when it is not emptied.
    if taken_since as usize > QUEUE || (explicit > 0 && book.acks.unnamed.len() > QUEUE) {
        book.acks.unnamed.iter_mut().for_each(|frame| frame.excused = true);
    }
    let asked = explicit < spoken.acks.len();
    for &(sequence, reliable) in &spoken.acks {
        if sequence == ACK_RESET {
            continue;
        }
        if let Some(index) = book.acks.scripted.iter().position(|&scripted| scripted == sequence) {
            book.acks.scripted.remove(index);
            continue;
        }
        if reliable && book.dialect.transport == Transport::NetQuake {
            find(report, &ACK_07, format!("frame {sequence} is acknowledged in the reliable stream"));
        }
        if header_ack == Some(sequence) {
            find(report, &ACK_11, format!("frame {sequence} is acknowledged, as the packet's header does already"));
        }
        named(book, report, now, sequence);
    }
    if let Some(newest) = book.acks.last_named {
        skip(book, report, now, newest);
    }
    if !unreliable {
        return;
    }
    let quakeworld = header_ack.is_some();
    if let Some(sequence) = header_ack {
        check_header(book, report, now, sequence);
        report.saw_if(book.heard_after_loss, Point::AckAfterLoss);
        if sequence == book.heard_newest {
            book.acks.last_header = Some(sequence);
        }
    } else {
        check_mute(book, report, now, explicit > 0);
    }
    let due = book.acks.unnamed.iter().rev().take(taken_since as usize).filter(|frame| !frame.excused);
    if quakeworld && taken_since > 1 {
        report.saw(Point::SeveralFramesSinceSend);
        let left_out = due.filter(|frame| Some(frame.sequence) != header_ack).map(|frame| frame.sequence).next();
        if let Some(sequence) = left_out {
            let what =
                format!("{taken_since} frames arrived since the last packet; frame {sequence} is not acknowledged");
            find(report, &ACK_12, what);
        }
    }
    if quakeworld {
        // The header acknowledges; what it skips stays unacknowledged, which is a liberty.
        book.acks.unnamed.clear();
    }
    for frame in &mut book.acks.unnamed {
        frame.packets += 1;
    }
    // QuakeWorld engines ask by not saying what they build upon (erratum E2).
    if asked || (quakeworld && !spoken.builds_on) {
        book.acks.ignored = 0;
    }
    if book.acks.ignored == 0 {
        book.acks.packets_since_ignored = 0;
    } else {
        book.acks.packets_since_ignored += 1;
        if book.acks.ignored > PATIENCE && book.acks.packets_since_ignored > PATIENCE {
            book.acks.ignored = 0;
            find(
                report,
                &ACK_17,
                String::from("frames arrive, there is no state to build upon, and no reset is asked for"),
            );
        }
    }
}

/// QuakeWorld: the header of every packet names the newest packet received, whatever was in it.
fn check_header(book: &mut Book, report: &mut Report, now: Time, sequence: u32) {
    let newest = book.heard_newest;
    if sequence == newest || book.acks.header_reported {
        return;
    }
    book.acks.header_reported = true;
    let requirement = if sequence > newest { &ACK_04 } else { &ACK_02 };
    report.find(requirement, now, book.host, || {
        format!("the packet's header acknowledges {sequence}; the newest packet received is {newest}")
    });
}

/// NetQuake: acknowledgements may be late, but they come.
fn check_mute(book: &mut Book, report: &mut Report, now: Time, names_some: bool) {
    let waiting = book.acks.unnamed.iter().find(|frame| !frame.excused).map(|frame| frame.sequence);
    book.acks.mute = if names_some || waiting.is_none() { 0 } else { book.acks.mute + 1 };
    let Some(sequence) = waiting.filter(|_| book.acks.mute > MUTE) else { return };
    book.acks.mute = 0;
    book.acks.unnamed.iter_mut().for_each(|frame| frame.excused = true);
    report.find(&ACK_05, now, book.host, || {
        format!("frame {sequence} was received, and in {MUTE} packets since nothing is acknowledged")
    });
}

/// The client acknowledges a frame explicitly.
fn named(book: &mut Book, report: &mut Report, now: Time, sequence: u32) {
    let host = book.host;
    let (outcome, is_frame, known, named) = match book.frames.get_mut(sequence) {
        Some(frame) => (frame.outcome, frame.place > 0, true, std::mem::replace(&mut frame.named, true)),
        None => (Outcome::Away, false, false, false),
    };
    let (last, header) = (book.acks.last_named, book.acks.last_header);
    let swapped = !known && book.frames.get(sequence.swap_bytes()).is_some_and(|frame| frame.place > 0);
    report.saw_if(last.is_some(), Point::SecondAck);
    report.saw_if(book.heard_after_loss, Point::AckAfterLoss);
    let (requirement, why): (&'static Requirement, &str) = match outcome {
        Outcome::Discarded => (&ACK_21, "it came too late and was discarded"),
        _ if swapped => (&ACK_03, "there is one with that number's bytes in the other order"),
        _ if !known => (&ACK_02, "there is no datagram with that number"),
        _ if !is_frame => (&ACK_02, "the datagram with that number has no entity frame"),
        Outcome::Away => (&ACK_04, "it was not received"),
        Outcome::Taken if named => (&ACK_21, "it was acknowledged before"),
        Outcome::Taken if header == Some(sequence) => (&ACK_11, "the header of an earlier packet did that"),
        Outcome::Taken if last.max(header) > Some(sequence) => (&ACK_06, "a later one was acknowledged before"),
        Outcome::Taken => {
            book.acks.last_named = Some(sequence);
            book.acks.unnamed.retain(|frame| frame.sequence != sequence);
            return;
        }
    };
    book.acks.last_named = last.max(Some(sequence));
    book.acks.unnamed.retain(|frame| frame.sequence != sequence);
    report.find(requirement, now, host, || format!("frame {sequence} is acknowledged, but {why}"));
}

/// Acknowledgements ascend: what is older than one sent will never be acknowledged.
fn skip(book: &mut Book, report: &mut Report, now: Time, sequence: u32) {
    let netquake = book.dialect.transport == Transport::NetQuake;
    while let Some(frame) = book.acks.unnamed.front().copied().filter(|frame| frame.sequence <= sequence) {
        book.acks.unnamed.pop_front();
        if netquake && !frame.excused && frame.sequence < sequence {
            report.find(&ACK_05, now, book.host, || {
                format!("frame {} was received; frame {sequence} is acknowledged without it", frame.sequence)
            });
        }
    }
}

/// The run is over: what should have been acknowledged long ago?
pub fn finish(book: &mut Book, report: &mut Report, now: Time) {
    if book.tainted || book.dialect.transport != Transport::NetQuake {
        return;
    }
    let enough = 2 * book.acks.unnamed.len() as u32 + PATIENCE;
    let forgotten = book.acks.unnamed.iter().find(|frame| !frame.excused && frame.packets > enough);
    if let Some(frame) = forgotten {
        report.find(&ACK_05, now, book.host, || {
            format!("frame {} was received, and {} packets later it is not acknowledged", frame.sequence, frame.packets)
        });
    }
}
