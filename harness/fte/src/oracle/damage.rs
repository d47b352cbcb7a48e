//! Datagrams that arrive damaged. What their receivers make of them is up to these, and judging goes on without it, where
//! the header arrived as it was sent: then at least the number is known. All else ends the judgement of the session.

use super::indeterminate::Indeterminate;
use super::retransmission::perhaps_read;
use super::session::Session;
use super::session::frames::Outcome;
use crate::constants::ACK_RESET;
use crate::dialect::Dialect;
use crate::message::{Carrier, Listener, UpdateStart};
use crate::state::Entity;
use kit::{Direction, Fate, PacketId};
use std::collections::VecDeque;

/// Damaged datagrams remembered while they are on their way.
const REMEMBERED: usize = 256;
/// The header of a datagram.
pub const HEADER_BYTES: usize = 8;
/// What a QuakeWorld client has behind it.
pub const QPORT_BYTES: usize = 2;

/// How the datagrams that arrive damaged began when they were sent.
#[derive(Debug, Default)]
pub struct Headers(VecDeque<(Direction, u32, Vec<u8>)>);

impl Headers {
    /// A datagram is sent.
    pub fn sent(&mut self, packet: PacketId, bytes: &[u8], fate: Fate) {
        let damaged = match fate {
            Fate::Lost(_) => false,
            Fate::Once(copy) => !copy.intact(),
            Fate::Twice(one, other) => !one.intact() || !other.intact(),
        };
        if !damaged {
            return;
        }
        if self.0.len() == REMEMBERED {
            self.0.pop_front();
        }
        let header = bytes.iter().take(HEADER_BYTES + QPORT_BYTES).copied().collect();
        self.0.push_back((packet.direction, packet.index, header));
    }

    /// How that datagram began.
    pub fn of(&self, packet: PacketId) -> Option<&[u8]> {
        let wanted = (packet.direction, packet.index);
        self.0.iter().find(|sent| (sent.0, sent.1) == wanted).map(|sent| &sent.2[..])
    }
}

/// What a receiver can have read.
#[derive(Default)]
pub struct Content {
    acks: Vec<u32>,
    has_frame: bool,
    /// Something that changes more than entities, statistics and acknowledgements.
    pub strange: bool,
}

impl Listener for Content {
    fn session(&mut self, _: &Dialect) {
        self.strange = true;
    }

    fn netquake(&mut self, service: &netquake::Service<'_>) {
        use netquake::Service::{ClientData, Nop, Time, UpdateStat};
        self.strange |= !matches!(service, Nop | Time { .. } | ClientData(_) | UpdateStat { .. });
    }

    fn quakeworld(&mut self, service: &quakeworld::Service<'_>) {
        use quakeworld::Service::{Nop, UpdateStat, UpdateStatLong};
        self.strange |= !matches!(service, Nop | UpdateStat { .. } | UpdateStatLong { .. });
    }

    fn baseline(&mut self, _: u32, _: &Entity) {
        self.strange = true;
    }

    fn static_entity(&mut self, _: &Entity) {
        self.strange = true;
    }

    fn csqc_gone(&mut self, _: u32) {
        self.strange = true;
    }

    fn update(&mut self, _: &Carrier, _: &UpdateStart) {
        self.has_frame = true;
    }

    fn text_command(&mut self, _: &[u8]) {
        self.strange = true;
    }

    fn netquake_command(&mut self, command: &netquake::ClientCommand<'_>) {
        self.strange |= matches!(command, netquake::ClientCommand::Disconnect);
    }

    fn acknowledge(&mut self, _: &Carrier, sequence: u32) {
        self.acks.push(sequence);
    }
}

/// The server has or has not read what was delivered damaged.
pub fn perhaps_received(session: &mut Session, content: &Content, header: Option<u32>) {
    perhaps_read(session, &content.acks, header);
    session.movement.give_up();
    session.builds_on_nothing = true;
    if content.acks.contains(&ACK_RESET) {
        session.resets.asked = None;
    }
}

/// The client has or has not read frame `sequence`, which was delivered damaged; it `took` it by its number, unless that was
/// old, or it was `cut`. Whether judging can go on.
pub fn perhaps_taken(session: &mut Session, sequence: u32, took: bool, cut: bool, content: &Content) -> bool {
    let Some(frame) = session.frames.get_mut(sequence) else { return false };
    if content.has_frame && frame.place == 0 {
        return false;
    }
    if !took {
        if frame.outcome == Outcome::NotDelivered {
            frame.outcome = Outcome::Discarded;
        }
        return true;
    }
    frame.outcome = Outcome::Taken;
    let (place, epoch) = (frame.place, frame.epoch);
    session.delivered = Some(Indeterminate { why: "a frame was delivered damaged" });
    session.stats.doubtful = true;
    if !cut {
        session.delivered_newest = session.delivered_newest.max(sequence);
    }
    if place > 0 && epoch == session.delivered_epoch {
        session.acks.taken(sequence);
        session.acks.excuse_newest();
    }
    true
}
