//! What a client sends: packets that can be read, and acknowledgements: the right numbers, in order, each once, all of them.

use super::coverage::{Point, Report, checks};
use super::diagnosis::unreadable_packet;
use super::session::Session;
use super::session::acks::Unacked;
use super::session::frames::{Outcome, REMEMBERED};
use super::session::remote::Silence;
use crate::constants::ACK_RESET;
use crate::dialect::Transport;
use crate::message::{Carrier, Listener};
use crate::requirements::*;
use kit::{Check, DecodeError, Suspects, Time, Vantage};

checks! {
    PACKETS_CAN_BE_READ = "packets-can-be-read" knows ClientSays: SVC_13 [AckSent], PRED_15 [MoveOnPlainProtocol], ACK_03, PRED_09;
    MOVES_HAVE_A_TIME = "moves-have-a-time" knows ClientSays: PRED_09;
    MOVES_ARE_NUMBERED = "moves-are-numbered" knows ClientSays: PRED_09;
    PLAIN_SESSIONS_HAVE_NO_ACKS = "plain-sessions-have-no-acks" knows ClientSays: HS_06 [Stripped PlainSession], HS_17 [PlainSession];
    ACKED_FRAMES_WERE_RECEIVED = "acked-frames-were-received" knows ClientSays: ACK_02 [AckSent], ACK_03 [AckSent],
        ACK_04 [AckAfterLoss], ACK_21 [StaleFrame];
    ACKS_ASCEND = "acks-ascend" knows ClientSays: ACK_06 [SecondAck];
    ACKS_ARE_NOT_REPEATED = "acks-are-not-repeated" knows ClientSays: ACK_11 [QuakeWorldFrame SeveralFramesSinceSend], ACK_21;
    ACKS_ARE_UNRELIABLE = "acks-are-unreliable" knows ClientSays: ACK_07 [AckSent];
    EVERY_FRAME_IS_ACKED = "every-frame-is-acked" knows ClientSays: ACK_05 [NetQuakeFrame AckSent AckDue], ACK_12 [SeveralFramesSinceSend];
    HEADER_NAMES_THE_NEWEST = "header-names-the-newest" knows ClientSays: ACK_02, ACK_04;
    STATELESS_CLIENTS_ASK_FOR_A_RESET = "stateless-clients-ask-for-a-reset" knows ClientSays: ACK_17 [ClientWithoutState];
}

/// Frames between two packets of a client of which it need not acknowledge all.
const QUEUE: usize = 8;
/// Packets without any acknowledgement, while one is due, after which it is not merely late: far more than anybody
/// saves up.
const MUTE: u32 = 32;
/// Frames ignored, and packets sent meanwhile, within which a client without a state asks for one.
const PATIENCE: u32 = 4;

/// What one packet of the client has, in order.
#[derive(Debug, Default)]
pub struct ClientTx {
    /// Acknowledgements: the number, and whether in the reliable stream.
    pub acks: Vec<(u32, bool)>,
    /// Movement sequences.
    pub moves: Vec<u16>,
    /// Text commands, one after the other, each ended by a NUL.
    texts: Vec<u8>,
    /// QuakeWorld: the client names the frame upon which it builds.
    pub builds_on: bool,
    /// A message was read.
    pub commands: u32,
    /// The last message was a move.
    pub moved_last: bool,
    /// The time of a move is none, nor 0.
    pub implausible_time: bool,
    /// The client leaves.
    pub leaves: bool,
}

impl ClientTx {
    /// Forgets, keeping the memory.
    pub fn clear(&mut self) {
        self.acks.clear();
        self.moves.clear();
        self.texts.clear();
        self.builds_on = false;
        self.commands = 0;
        self.moved_last = false;
        self.implausible_time = false;
        self.leaves = false;
    }
}

impl ClientTx {
    /// The text commands.
    pub fn texts(&self) -> impl Iterator<Item = &[u8]> {
        self.texts.split(|&byte| byte == 0).filter(|text| !text.is_empty())
    }
}

impl Listener for ClientTx {
    fn text_command(&mut self, text: &[u8]) {
        self.texts.extend_from_slice(text);
        self.texts.push(0);
        self.leaves |= text == b"drop";
    }

    fn netquake_command(&mut self, command: &netquake::ClientCommand<'_>) {
        self.leaves |= matches!(command, netquake::ClientCommand::Disconnect);
    }

    fn moved(&mut self, _: &Carrier, movement: &netquake::Move) {
        self.moves.push(movement.sequence);
        self.moved_last = true;
        let time = f32::from_bits(movement.time as u32);
        // A server can be up for years.
        self.implausible_time |= time != 0.0 && !(1e-3..1e9).contains(&time);
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

/// The client sends a packet.
pub struct Sent<'a> {
    /// The session.
    pub session: &'a mut Session,
    /// Where findings go.
    pub report: &'a mut Report,
    /// When it is sent.
    pub now: Time,
    /// What it has.
    pub packet: &'a ClientTx,
}

impl Sent<'_> {
    fn fail(&mut self, check: &'static Check, suspects: impl Into<Suspects>, what: impl FnOnce() -> String) {
        self.report.fail(check, self.now, self.session.host, suspects, what);
    }

    /// It cannot be read to its end; `left` bytes are left.
    pub fn unreadable(&mut self, error: &DecodeError, left: usize) {
        let predinfo = self.session.delivered_dialect.predinfo();
        let (acks, moved_last) = (!self.packet.acks.is_empty(), self.packet.moved_last);
        let suspects = unreadable_packet(error, left, acks, moved_last, predinfo);
        self.fail(&PACKETS_CAN_BE_READ, suspects, || format!("a packet cannot be read to its end: {error}"));
    }

    /// Whether what was delivered to the client may have been lost there.
    fn may_miss(&self) -> bool {
        self.session.vantage.clients_may_miss
    }

    /// Whether a client that was silent so long is not merely late, and did not merely miss what it has to acknowledge.
    fn is_too_long(&self, silence: Silence) -> bool {
        let untimed = self.session.vantage.untimed;
        if self.may_miss() { silence.outlasts_outages(self.now, untimed) } else { silence.datagrams > MUTE }
    }

    /// Checks its acknowledgements. `header_ack` is that of a QuakeWorld header; `number` that of the packet, unless it is
    /// a part of NetQuake's reliable stream.
    pub fn check_acks(&mut self, header_ack: Option<u32>, number: Option<u32>) {
        let unreliable = number.is_some();
        if self.session.damaged.is_some() {
            return;
        }
        let acks = &self.packet.acks;
        if !acks.is_empty() && self.session.delivered_epoch > 0 && !self.session.delivered_dialect.deltas() {
            // A remote client may not have read yet that another map begins.
            if !self.session.vantage.remote_clients || self.session.delivered_epoch == 1 {
                self.plain_session();
            }
            return;
        }
        if self.packet.implausible_time && self.session.delivered_dialect.movement_sequence() {
            self.fail(&MOVES_HAVE_A_TIME, &PRED_09, || String::from("the time of a move is implausible"));
        }
        self.check_moves();
        let session = &mut *self.session;
        let taken_since = if unreliable { std::mem::take(&mut session.acks.taken_since) } else { 0 };
        if let Some(number) = number {
            // Acknowledgements in packets that nobody saw may have been lost.
            let Vantage { remote_clients, clients_may_miss, .. } = session.vantage;
            let gap = remote_clients && !clients_may_miss && number > session.acks.next;
            session.acks.unacked.iter_mut().for_each(|frame| frame.excused |= gap);
            session.acks.next = number.wrapping_add(1);
        }
        self.report.saw_if(!acks.is_empty(), Point::AckSent);
        let explicit = acks.iter().filter(|ack| ack.0 != ACK_RESET).count();
        // A queue overflows when too much comes at once, or when it is emptied too slowly; not when it is not emptied.
        if taken_since as usize > QUEUE || (explicit > 0 && session.acks.unacked.len() > QUEUE) {
            session.acks.unacked.iter_mut().for_each(|frame| frame.excused = true);
        }
        for &(sequence, reliable) in acks.iter().filter(|ack| ack.0 != ACK_RESET) {
            self.explicit(sequence, reliable, header_ack);
        }
        if let Some(newest) = self.session.acks.last_acked {
            self.skip(newest);
        }
        if !unreliable {
            return;
        }
        if !self.session.acks.unacked.is_empty() || explicit > 0 {
            self.session.acks.packets.go_on(self.now);
        }
        let due = !self.may_miss() || self.is_too_long(self.session.acks.packets);
        self.report.saw_if(due, Point::AckDue);
        match header_ack {
            Some(sequence) if self.session.vantage.remote_clients => self.late_header(sequence),
            Some(sequence) => self.header(sequence, taken_since),
            None => self.check_mute(explicit > 0),
        }
        for frame in &mut self.session.acks.unacked {
            frame.packets += 1;
        }
        // QuakeWorld engines ask by not saying what they build upon (erratum E2).
        self.check_reset_asked(explicit < acks.len() || (header_ack.is_some() && !self.packet.builds_on));
    }

    /// Each packet has a move of another number than the one before; what comes after it may be older.
    fn check_moves(&mut self) {
        let Some(&first) = self.packet.moves.first() else { return };
        let last = self.session.acks.moved.replace(first);
        let ours = !self.session.vantage.remote_clients;
        if ours && last == Some(first) && self.session.delivered_dialect.movement_sequence() {
            self.fail(&MOVES_ARE_NUMBERED, &PRED_09, || format!("two moves, one after the other, have number {first}"));
        }
    }

    /// Acknowledgements in a session without replacement deltas.
    fn plain_session(&mut self) {
        // What the scenario demands is not the client's doing.
        let scripted = &self.session.acks.scripted;
        let own = self.packet.acks.iter().find(|ack| !scripted.contains(&ack.0));
        if let Some(&(sequence, _)) = own {
            let suspects = if self.session.options.proxy_strips { &HS_06 } else { &HS_17 };
            self.fail(&PLAIN_SESSIONS_HAVE_NO_ACKS, suspects, || {
                format!("frame {sequence} is acknowledged, in a session without replacement deltas")
            });
        }
    }

    fn explicit(&mut self, sequence: u32, reliable: bool, header_ack: Option<u32>) {
        let session = &mut *self.session;
        if let Some(index) = session.acks.scripted.iter().position(|&scripted| scripted == sequence) {
            session.acks.scripted.remove(index);
            return;
        }
        if reliable && session.dialect.transport == Transport::NetQuake {
            self.fail(&ACKS_ARE_UNRELIABLE, &ACK_07, || {
                format!("frame {sequence} is acknowledged in the reliable stream")
            });
        }
        if header_ack == Some(sequence) {
            self.fail(&ACKS_ARE_NOT_REPEATED, &ACK_11, || {
                format!("frame {sequence} is acknowledged, as the packet's header does already")
            });
        }
        self.acked(sequence);
    }

    /// The client acknowledges a frame explicitly.
    fn acked(&mut self, sequence: u32) {
        let session = &mut *self.session;
        if session.frames.get(sequence).is_some_and(|frame| frame.of_either_map) {
            session.acks.last_acked = Some(sequence);
            return;
        }
        let (outcome, is_frame, known, named) = match session.frames.get_mut(sequence) {
            Some(frame) => (frame.outcome, frame.place > 0, true, std::mem::replace(&mut frame.named, true)),
            None => (Outcome::NotDelivered, false, false, false),
        };
        let (last, header) = (session.acks.last_acked, session.acks.last_header);
        self.report.saw_if(last.is_some(), Point::SecondAck);
        self.report.saw_if(session.delivered_after_loss, Point::AckAfterLoss);
        let received = &ACKED_FRAMES_WERE_RECEIVED;
        let (check, suspects, why) = match outcome {
            // One that was newer in between may have been lost there.
            Outcome::Discarded if !self.may_miss() => (received, Suspects::from(&ACK_21), "it was stale and discarded"),
            _ if !known => (received, Suspects::from(&ACK_02).or(&ACK_03), "there is no datagram with that number"),
            _ if !is_frame => (received, Suspects::from(&ACK_02), "the datagram with that number has no entity frame"),
            Outcome::NotDelivered => (received, Suspects::from(&ACK_04), "it was not received"),
            Outcome::Taken | Outcome::Discarded if named => {
                (&ACKS_ARE_NOT_REPEATED, Suspects::from(&ACK_21), "it was acknowledged before")
            }
            Outcome::Taken | Outcome::Discarded if header == Some(sequence) => {
                (&ACKS_ARE_NOT_REPEATED, Suspects::from(&ACK_11), "the header of an earlier packet acknowledged it")
            }
            Outcome::Taken | Outcome::Discarded if last.max(header) > Some(sequence) => {
                (&ACKS_ASCEND, Suspects::from(&ACK_06), "a later one was acknowledged before")
            }
            Outcome::Taken | Outcome::Discarded => {
                let session = &mut *self.session;
                session.acks.last_acked = Some(sequence);
                session.acks.unacked.retain(|frame| frame.sequence != sequence);
                return;
            }
        };
        let session = &mut *self.session;
        session.acks.last_acked = last.max(Some(sequence));
        session.acks.unacked.retain(|frame| frame.sequence != sequence);
        self.fail(check, suspects, || format!("frame {sequence} is acknowledged, but {why}"));
    }

    /// Acknowledgements ascend: what is older than one sent will never be acknowledged.
    fn skip(&mut self, sequence: u32) {
        let netquake = self.session.dialect.transport == Transport::NetQuake;
        let passed = |frame: &Unacked| frame.sequence <= sequence;
        while let Some(frame) = self.session.acks.unacked.front().copied().filter(passed) {
            self.session.acks.unacked.pop_front();
            if netquake && !self.may_miss() && !frame.excused && frame.sequence < sequence {
                self.fail(&EVERY_FRAME_IS_ACKED, &ACK_05, || {
                    format!("frame {} was received; frame {sequence} is acknowledged without it", frame.sequence)
                });
            }
        }
    }

    /// QuakeWorld: the header of every packet names the newest packet received, whatever was in it; `taken_since` frames
    /// came since the packet before.
    fn header(&mut self, sequence: u32, taken_since: u32) {
        let newest = self.session.delivered_newest;
        if sequence != newest && !std::mem::replace(&mut self.session.acks.header_reported, true) {
            let suspects = if sequence > newest { &ACK_04 } else { &ACK_02 };
            self.fail(&HEADER_NAMES_THE_NEWEST, suspects, || {
                format!("the packet's header acknowledges {sequence}; the newest packet received is {newest}")
            });
        }
        self.report.saw_if(self.session.delivered_after_loss, Point::AckAfterLoss);
        if sequence == newest {
            self.session.acks.last_header = Some(sequence);
        }
        if taken_since > 1 {
            self.report.saw(Point::SeveralFramesSinceSend);
            let unacked = self.session.acks.unacked.iter().rev().take(taken_since as usize);
            let mut left_out = unacked.filter(|frame| !frame.excused).map(|frame| frame.sequence);
            if let Some(left_out) = left_out.find(|&left_out| left_out != sequence) {
                self.fail(&EVERY_FRAME_IS_ACKED, &ACK_12, || {
                    format!("{taken_since} frames arrived since the last packet; frame {left_out} is not acknowledged")
                });
            }
        }
        // The header acknowledges; what it skips may stay unacknowledged.
        self.session.acks.unacked.clear();
    }

    /// QuakeWorld: the header of a remote client's packet names a packet that was delivered, and never an older one than
    /// before; it may be after what was delivered since.
    fn late_header(&mut self, sequence: u32) {
        let (now, may_miss) = (self.now, self.may_miss());
        let Session { delivered_newest: newest, frames, acks, .. } = &mut *self.session;
        let (last, newest) = (acks.last_header.unwrap_or_default(), *newest);
        let lost = frames.get(sequence).is_some_and(|frame| frame.outcome == Outcome::NotDelivered);
        let forgotten = sequence + (REMEMBERED as u32) <= newest;
        let moved = sequence > last || newest <= last;
        if moved {
            acks.mute = Silence::default();
        } else {
            acks.mute.go_on(now);
        }
        let mute = acks.mute;
        let too_mute = self.is_too_long(mute);
        let Session { frames, acks, .. } = &mut *self.session;
        let wrong = if sequence > newest {
            Some((&ACK_04, format!("; the newest packet delivered is {newest}")))
        } else if sequence < last {
            Some((&ACK_02, format!("; the packet before acknowledged {last}")))
        } else if lost {
            Some((&ACK_04, String::from(", which was lost")))
        } else if sequence > last && frames.get(sequence).is_none() && !forgotten {
            Some((&ACK_02, String::from("; there is no packet with that number")))
        } else if too_mute {
            Some((&ACK_02, format!(" in {} packets one after the other; {newest} was delivered", mute.datagrams)))
        } else {
            None
        };
        acks.last_header = Some(sequence.max(last)).filter(|&header| header > 0);
        if let Some((suspect, why)) = wrong
            && !std::mem::replace(&mut self.session.acks.header_reported, true)
        {
            self.fail(&HEADER_NAMES_THE_NEWEST, suspect, || {
                format!("the packet's header acknowledges {sequence}{why}")
            });
        }
        self.report.saw_if(self.session.delivered_after_loss, Point::AckAfterLoss);
        // What the client has read since the packet before.
        let unacked = &mut self.session.acks.unacked;
        let count = unacked.iter().filter(|frame| frame.sequence <= sequence).count();
        let left_out = unacked.iter().find(|frame| !frame.excused && frame.sequence < sequence).copied();
        unacked.retain(|frame| frame.sequence > sequence);
        if may_miss || count > QUEUE {
            return;
        }
        self.report.saw_if(count > 1, Point::SeveralFramesSinceSend);
        if let Some(Unacked { sequence: left_out, .. }) = left_out {
            self.fail(&EVERY_FRAME_IS_ACKED, &ACK_12, || {
                format!("{count} frames came since the packet before; frame {left_out} is not acknowledged")
            });
        }
    }

    /// NetQuake: acknowledgements may be late, but they come.
    fn check_mute(&mut self, names_some: bool) {
        let acks = &mut self.session.acks;
        let waiting = acks.unacked.iter().find(|frame| !frame.excused).map(|frame| frame.sequence);
        if names_some || waiting.is_none() {
            acks.mute = Silence::default();
        } else {
            acks.mute.go_on(self.now);
        }
        let mute = acks.mute;
        let Some(sequence) = waiting.filter(|_| self.is_too_long(mute)) else { return };
        let acks = &mut self.session.acks;
        acks.mute = Silence::default();
        acks.unacked.iter_mut().for_each(|frame| frame.excused = true);
        self.fail(&EVERY_FRAME_IS_ACKED, &ACK_05, || {
            format!("frame {sequence} was received, and in {} packets since nothing is acknowledged", mute.datagrams)
        });
    }

    /// A client without a state to build upon asks for one; `asked` in this packet.
    fn check_reset_asked(&mut self, asked: bool) {
        let acks = &mut self.session.acks;
        if asked {
            acks.ignored = 0;
        }
        acks.packets_since_ignored = if acks.ignored == 0 { 0 } else { acks.packets_since_ignored + 1 };
        if acks.ignored > PATIENCE && acks.packets_since_ignored > PATIENCE {
            acks.ignored = 0;
            self.fail(&STATELESS_CLIENTS_ASK_FOR_A_RESET, &ACK_17, || {
                String::from("frames arrive, the client has no base state, and it requests no reset")
            });
        }
    }
}

/// The run is over: what should have been acknowledged long ago?
pub fn finish(session: &Session, report: &mut Report, now: Time) {
    let may_miss = session.vantage.clients_may_miss;
    if session.damaged.is_some() || may_miss || session.dialect.transport != Transport::NetQuake {
        return;
    }
    let enough = 2 * session.acks.unacked.len() as u32 + PATIENCE;
    let forgotten = session.acks.unacked.iter().find(|frame| !frame.excused && frame.packets > enough);
    if let Some(frame) = forgotten {
        report.fail(&EVERY_FRAME_IS_ACKED, now, session.host, &ACK_05, || {
            format!("frame {} was received, and {} packets later it is not acknowledged", frame.sequence, frame.packets)
        });
    }
}
