//! What a client receives: what it has to show of it, or to do.

use super::announcement::{PROOF, Requested, number};
use super::context::Context;
use super::coverage::{Point, can_break};
use super::diagnosis;
use super::link::{Arrival, pop_if};
use super::model::{Message, carrier};
use super::session::{Session, Taken};
use crate::machine::malformed::Malformed;
use crate::requirements::GEN_02;
use crate::wire::constants::*;
use crate::wire::frame::high_bits;
use kit::{Check, Direction, Event, Knows, Reader};
use netchan::{HEADER_BYTES, Header, Qport};

/// The last command of a sign-on.
const PRECACHE: &[u8] = b"precache";
/// Commands that end a map.
const LEAVES: [&[u8]; 2] = [b"changing", RECONNECT];
/// The one of them that has the client ask for the next map.
const RECONNECT: &[u8] = b"reconnect";
/// Datagrams to a remote client that are remembered until it shows to have read them.
const MAX_UNREAD: usize = 2048;
/// The percentage of a file's last block.
const LAST_BLOCK: u8 = 100;

/// The blocks of a file are those of the file that a client asked for, with their percentages.
pub static FILES_ARE_THOSE_ASKED_FOR: Check =
    Check::new("files-are-those-asked-for", &[can_break::GEN_02]).knows(&[Knows::World]);

/// Whether a text for a client's console ends its map.
pub(super) fn ends_map(text: &[u8]) -> bool {
    LEAVES.iter().any(|word| text.starts_with(word))
}

impl Taken {
    /// A datagram of so many bytes with these messages.
    fn of(bytes: usize, messages: &[Message]) -> Taken {
        let mut taken = Taken { bytes, ..Taken::default() };
        for message in messages {
            match message {
                Message::Zpacket(..) => taken.zpacket = true,
                Message::Print(_, 0, true) | Message::StuffText(_, true) | Message::NonDelta(_, 0, true) => {
                    taken.behind = true;
                }
                Message::Frame(frame) => {
                    taken.upper_bits |= high_bits(frame.flags.eps) != 0;
                    taken.frame = Some(frame.number);
                }
                Message::ServerData { r1q2: Some((_, enhanced)), .. } => taken.enhanced |= *enhanced != 0,
                Message::Block(Some(_), Some(_), _) => taken.zdownload = true,
                _ => {}
            }
        }
        taken
    }
}

impl Context<'_> {
    /// A client receives a datagram of its connection.
    pub(super) fn client_receives(&mut self, session: &mut Session, bytes: &[u8]) {
        let mut r = Reader::new(bytes);
        let Ok(header) = Header::read(&mut r, Direction::ServerToClient, Qport::Absent, false) else { return };
        if session.client.receives(&header) == Arrival::Stale {
        } else if session.client.is_remote() {
            session.unread_by_client.push_back((header, bytes.to_vec()));
            if session.unread_by_client.len() > MAX_UNREAD {
                session.unread_by_client.pop_front();
            }
        } else {
            self.datagram_is_read(session, header, bytes);
        }
    }

    /// A remote client shows to have read what was delivered to it up to datagram `newest`.
    pub(super) fn client_has_read(&mut self, session: &mut Session, newest: u32) {
        while let Some((header, bytes)) = pop_if(&mut session.unread_by_client, |(header, _)| header.sequence <= newest)
        {
            self.datagram_is_read(session, header, &bytes);
        }
    }

    /// A client reads a datagram of its connection.
    fn datagram_is_read(&mut self, session: &mut Session, header: Header, bytes: &[u8]) {
        let mut r = Reader::new(bytes);
        r.bytes("header", HEADER_BYTES).ok();
        let asked = session.connect.asked.minor;
        let carrier = carrier(&header, Direction::ServerToClient);
        let malformed = session.provoked.arrives(header.sequence);
        if malformed.is_some_and(|kind| kind != Malformed::Nested && kind != Malformed::StrayBit) {
            self.report.saw(Point::MalformedDelivered);
            if session.client.is_remote() {
                // What it makes of that, nobody sees; that it goes on, everybody.
                (session.provoked.faced, session.provoked.gives_up) = (None, Some(self.now));
            }
        }
        session.delivered.splits = malformed == Some(Malformed::StrayBit);
        let (messages, read) = session.delivered.services(&mut r, &mut session.delivered_dialect, asked, carrier);
        if read.is_err() && malformed.is_none() {
            return session.stop("a datagram of the server cannot be read");
        }
        if header.reliable {
            session.block_at = self.now;
        }
        session.last_taken = Taken::of(bytes.len(), &messages);
        session.unseen = true;
        self.report.saw_if(session.last_taken.behind, Point::BehindZpacket);
        for message in messages {
            self.message_is_delivered(session, message, bytes.len());
        }
    }

    fn message_is_delivered(&mut self, session: &mut Session, message: Message, bytes: usize) {
        match message {
            Message::Print(text, nesting, behind) => {
                session.reliable.extend(number(&text, PROOF).map(Requested::Print));
                let suspects = diagnosis::not_applied(session, bytes, nesting, behind);
                session.expect(Event::Print { text }, suspects);
            }
            Message::NonDelta(message, nesting, behind) => {
                let suspects = diagnosis::not_applied(session, bytes, nesting, behind);
                self.non_delta_is_delivered(session, &message, suspects);
            }
            Message::StuffText(text, behind) if text.starts_with(PRECACHE) => {
                (session.precached, session.begins) = (Some((self.now, behind)), false);
            }
            Message::StuffText(text, _) if ends_map(&text) => {
                if text.starts_with(RECONNECT) {
                    session.new_due = Some(self.now);
                }
                session.leaves_map();
            }
            Message::Other(SVC_RECONNECT) => session.leaves_map(),
            Message::ServerData { spawncount, playernum, r1q2, .. } => {
                session.map_is_delivered(spawncount, playernum);
                session.map_at = Some(self.now);
                let other = r1q2.is_some_and(|(minor, _)| minor != self.options.client_minor);
                if other && self.falls_back(session) {
                    session.other_revision = Some(self.now);
                    self.report.saw(Point::OtherRevision);
                }
            }
            Message::Block(block, packed, percent) => {
                self.ordered_is_delivered(session, block.as_deref(), percent);
                if let Some(bytes) = block {
                    self.block_is_delivered(session, &bytes, packed, percent);
                }
            }
            Message::Frame(frame) => {
                if frame.valid && session.begins {
                    session.playing.get_or_insert(self.now);
                }
                self.report.saw_if(frame.nesting > 0, Point::FrameInZpacket);
                self.report.saw_if(!frame.valid, Point::InvalidFrame);
                self.report.saw_if(high_bits(frame.flags.eps) != 0 && frame.valid, Point::UpperBits);
            }
            _ => {}
        }
    }

    /// A client receives a block of the file that it asked for, or a refusal.
    fn ordered_is_delivered(&mut self, session: &mut Session, block: Option<&[u8]>, percent: u8) {
        let Some(ordered) = &mut session.ordered else { return };
        let wrong = match (&ordered.bytes, block) {
            (None, block) => {
                ordered.delivered += block.map_or(0, <[u8]>::len);
                None
            }
            (Some(None), None) => (percent != 0).then_some("sends a percentage with the refusal of a file"),
            (Some(Some(_)), None) => Some("refuses a file that exists"),
            (Some(None), Some(_)) => Some("sends a file that does not exist"),
            (Some(Some(bytes)), Some(block)) => {
                let rest = bytes.get(ordered.delivered..).unwrap_or_default();
                ordered.delivered += block.len();
                let done = ordered.delivered * 100 / bytes.len().max(1);
                if !rest.starts_with(block) {
                    Some("sends a block that is not of the file")
                } else if usize::from(percent).abs_diff(done) > 1 || (percent >= LAST_BLOCK) != (done >= 100) {
                    Some("sends a wrong percentage with a block")
                } else {
                    None
                }
            }
        };
        if block.is_none() || wrong.is_some() || percent >= LAST_BLOCK {
            session.ordered = None;
        }
        if let Some(wrong) = wrong {
            let host = session.host;
            self.server_fails(&FILES_ARE_THOSE_ASKED_FOR, &GEN_02, || format!("{wrong} that {host} asked for"));
        }
    }

    /// A client receives a block of a file, of `packed` bytes if it was compressed.
    fn block_is_delivered(&mut self, session: &mut Session, bytes: &[u8], packed: Option<usize>, percent: u8) {
        let (file, compressed, last) = (&mut session.file, packed.is_some(), percent >= LAST_BLOCK);
        self.report.saw_if(compressed && !last, Point::ZDownloadDelivered);
        file.compressed |= compressed;
        file.plain |= !compressed;
        file.bytes.extend_from_slice(bytes);
        file.wire_bytes += packed.unwrap_or(bytes.len());
        file.open = (!last).then_some((self.now, compressed));
        if last {
            self.report.saw_if(file.compressed, Point::FileDelivered);
            self.report.saw_if(file.compressed && file.plain, Point::MixedFileDelivered);
            let complete = std::mem::take(file);
            session.complete.extend(Some(complete).filter(|file| file.asked));
        }
    }
}
