//! What a server sends: its datagrams, and the messages in them but for what frames and non-delta messages say.

use super::announcement::{ASIDE, NonDelta, number};
use super::context::{Assigned, Context};
use super::coverage::{Point, can_break};
use super::delivery::ends_map;
use super::diagnosis::{self, Unreadable};
use super::link::{Breach, Order};
use super::model::{Message, Model, carrier};
use super::session::Session;
use crate::machine::malformed::Malformed;
use crate::requirements::*;
use crate::wire::constants::*;
use crate::wire::dialect::Dialect;
use crate::wire::message::{Carrier, ZPACKET_HEADER_BYTES};
use kit::{Check, Direction, HostId, Knows, Reader, Suspects, breaks};
use netchan::{HEADER_BYTES, Header, Qport};

/// Datagrams with less space than this left, in bytes, may be cut or held back for their length.
const LONG_BYTES: usize = 300;

/// What a frame has of an entity, at most, in bytes.
const LONGEST_ENTITY: usize = 45;

/// A player to whom the server sent something within this time is in the game.
const LIVELY_US: u64 = 1_000_000;

/// The numbers of an end's datagrams go up by one.
pub static NUMBERS_GO_UP_BY_ONE: Check =
    Check::new("numbers-go-up-by-one", &[can_break::GEN_02]).knows(&[Knows::Headers]);
/// An end acknowledges the newest datagram and the reliable blocks that it received.
pub static WHAT_ARRIVED_IS_ACKNOWLEDGED: Check =
    Check::new("what-arrived-is-acknowledged", &[can_break::GEN_02, can_break::QPORT_06, can_break::LEN_01])
        .knows(&[Knows::Headers]);
/// A reliable block is repeated, and as it was, once it must be lost.
pub static LOST_BLOCKS_ARE_REPEATED: Check =
    Check::new("lost-blocks-are-repeated", &[can_break::GEN_02]).knows(&[Knows::Headers]);
/// A datagram is no longer than its client takes.
pub static DATAGRAMS_FIT: Check = Check::new(
    "datagrams-fit",
    &[breaks(&LEN_02, &[&[Point::ServicesOriginal]]), breaks(&LEN_03, &[&[Point::ServicesR1q2]])],
)
.knows(&[Knows::Headers]);
/// What a server sends can be read to its end.
pub static SERVICES_CAN_BE_READ: Check = Check::new(
    "services-can-be-read",
    &[
        breaks(&ZPKT_01, &[&[Point::Zpacket]]),
        breaks(&ZPKT_02, &[&[Point::Zpacket]]),
        breaks(&ZPKT_08, &[&[Point::ServicesOriginal]]),
        can_break::ZDL_01,
        breaks(&ZDL_05, &[&[Point::Refused]]),
        can_break::FRM_05,
        can_break::FRM_07,
        can_break::FRM_08,
        can_break::FRM_09,
        can_break::FRM_10,
        can_break::PS_02,
        can_break::PS_03,
        can_break::PS_04,
        can_break::PS_05,
        can_break::PS_06,
        can_break::PS_07,
        can_break::PS_08,
        can_break::SD_01,
        breaks(&SD_05, &[&[Point::ServerDataOriginal]]),
        can_break::GEN_02,
    ],
);
/// Only frames have bits beside the number of their service.
pub static UPPER_BITS_ARE_OF_FRAMES: Check =
    Check::new("upper-bits-are-of-frames", &[breaks(&CMD_02, &[&[Point::ServicesR1q2]])]);
/// A serverdata is of the protocol that its client asked for.
pub static SERVERDATA_IS_OF_THE_PROTOCOL: Check =
    Check::new("serverdata-is-of-the-protocol", &[can_break::GEN_02]).knows(&[Knows::ClientSays]);
/// A server ends no session without a reason.
pub static SESSIONS_LAST: Check = Check::new("sessions-last", &[can_break::GEN_02]).knows(&[Knows::ServerShows]);
/// A serverdata has the number of its client, although others have its address.
pub static SERVERDATA_NAMES_ITS_CLIENT: Check =
    Check::new("serverdata-names-its-client", &[can_break::QPORT_06]).knows(&[Knows::ClientSays]);
/// A serverdata has the revision and the game that the scenario sets.
pub static SERVERDATA_IS_AS_SET: Check =
    Check::new("serverdata-is-as-set", &[can_break::SD_01]).knows(&[Knows::Limits]);
/// A zpacket is shorter than what it stands for.
pub static ZPACKETS_SAVE_BYTES: Check = Check::new("zpackets-save-bytes", &[breaks(&ZPKT_09, &[&[Point::Zpacket]])]);
/// A compressed block of a file can be inflated.
pub static BLOCKS_CAN_BE_INFLATED: Check = Check::new("blocks-can-be-inflated", &[can_break::ZDL_01]);

/// What a datagram over protocol 34 says to those who take upper bits off the number of a frame, if it can be read so.
fn with_stray_bits(session: &Session, before: &Model, bytes: &[u8], carrier: Carrier) -> Option<(Model, Vec<Message>)> {
    let service = *bytes.get(session.sent.ended)?;
    if service == SVC_FRAME || service & SVC_MASK != SVC_FRAME {
        return None;
    }
    let (mut model, mut dialect) = (before.clone(), Dialect::ORIGINAL);
    model.splits = true;
    let mut r = Reader::new(bytes.get(HEADER_BYTES..)?);
    let (messages, read) = model.services(&mut r, &mut dialect, None, carrier);
    read.ok().map(|()| (model, messages))
}

impl Context<'_> {
    /// A server sends a datagram of a connection.
    pub(super) fn server_sends(&mut self, session: &mut Session, bytes: &[u8]) {
        let mut r = Reader::new(bytes);
        let Ok(header) = Header::read(&mut r, Direction::ServerToClient, Qport::Absent, false) else {
            let what = || String::from("a datagram ends inside its header");
            return self.server_fails(&SERVICES_CAN_BE_READ, &GEN_02, what);
        };
        // What it sends late can be a datagram of before, or the first of those that it counts again.
        let anew = session.accepted_again && header.acknowledged < session.server.received;
        if anew || session.server.is_astray(&header) {
            let first =
                if anew { "it was accepted again" } else { "the server took a datagram of an earlier connection" };
            return session.stop(first);
        }
        let Order::Next { unseen } = session.server.order(&header) else { return };
        self.remark_unseen(unseen);
        self.transport_is_sent(session, &header, bytes);

        let dialect = session.sent_dialect;
        let carrier = carrier(&header, Direction::ServerToClient);
        session.sent.splits = session.provoked.may_stray();
        let asked = session.connect.asked.minor;
        let before = session.sent.clone();
        let (mut messages, mut read) = session.sent.services(&mut r, &mut session.sent_dialect, asked, carrier);
        let mut is_stray = false;
        if read.is_err()
            && !dialect.is_r1q2()
            && let Some(stray) = with_stray_bits(session, &before, bytes, carrier)
        {
            is_stray = true;
            (session.sent, messages) = stray;
            read = Ok(());
        }
        let point = if dialect.is_r1q2() { Point::ServicesR1q2 } else { Point::ServicesOriginal };
        self.report.saw_if(!messages.is_empty(), point);
        self.learn_newest_map(session, &messages);
        for message in &messages {
            match message {
                // What cannot be read to its end may be nonsense before.
                Message::UpperBits(_) | Message::NonDelta(..) if read.is_err() => {}
                Message::NonDelta(message, ..) => {
                    self.non_delta_is_sent(session, message, header.reliable, &dialect);
                }
                message => self.service_is_sent(session, message, &dialect),
            }
        }
        let strays = session.sent.strays && !dialect.is_r1q2();
        if session.provoked.is_sent(header.sequence, read.is_err(), strays) {
            return;
        }
        if is_stray {
            let what = || String::from("services that cannot be read: a frame with upper bits over protocol 34");
            self.server_fails(&SERVICES_CAN_BE_READ, &GEN_02, what);
            session.provoked.is_seen(header.sequence, Malformed::StrayBit);
        }
        if let Err(error) = &read {
            let service = bytes.get(session.sent.ended).copied();
            let frame = session.sent.begun;
            let evidence = Unreadable { dialect, service, before: messages.last(), frame, error };
            return self.unreadable_is_sent(session, header.sequence, &evidence);
        }
        let frame = messages.iter().find_map(|message| match message {
            Message::Frame(frame) => Some(frame.as_ref()),
            _ => None,
        });
        if let Some(frame) = frame {
            self.frame_is_sent(session, frame, &before, &dialect);
        }
    }

    /// What the transport does with a datagram of the server.
    fn transport_is_sent(&mut self, session: &mut Session, header: &Header, bytes: &[u8]) {
        self.lengths(session, bytes);
        session.longest = session.longest.max(bytes.len());
        session.tight = bytes.len() + LONG_BYTES > session.least_limit();
        session.long |= session.begun.is_some() && session.tight;
        // A server may have a limit of its own.
        // Some engines keep room for the block that is under way, whether it is sent again or not.
        let kept = session.server.under_way.as_ref().filter(|_| session.server.is_remote() && !header.reliable);
        let own = if session.server.is_remote() { DEFAULT_MSGLEN as usize } else { usize::MAX };
        let room = session.least_limit().min(own);
        session.shortened = bytes.len() + LONGEST_ENTITY + kept.map_or(0, |(_, block)| block.len()) > room;
        if let Some(assigned) = self.assigned.iter_mut().find(|assigned| assigned.host == session.host) {
            assigned.at = self.now;
        }
        if session.server.reads_on(header) {
            session.acknowledged_at = self.now;
        }
        // What comes from another port is perhaps not read.
        let certain = session.rebound.is_none();
        let wrong = session.server.sends(header, bytes.get(HEADER_BYTES..).unwrap_or_default(), certain);
        let unacknowledged = if self.has_port_alone(session) { &QPORT_06 } else { &GEN_02 };
        self.header_is_sent(HostId::SERVER, wrong, unacknowledged.into());
        self.server_has_read(session, header.acknowledged);
    }

    /// A server sends services that cannot be read.
    fn unreadable_is_sent(&mut self, session: &mut Session, sequence: u32, evidence: &Unreadable<'_>) {
        let error = evidence.error;
        let what = || format!("services that cannot be read: {error}");
        self.server_fails(&SERVICES_CAN_BE_READ, diagnosis::unreadable(evidence), what);
        match Malformed::of(error).filter(|_| evidence.dialect.is_r1q2()) {
            // Its client has to notice.
            Some(kind) => session.provoked.is_seen(sequence, kind),
            None => session.stop("a datagram of the server could not be read"),
        }
    }

    /// A host sends a header of which this is wrong.
    pub(super) fn header_is_sent(&mut self, host: HostId, wrong: Vec<Breach>, unacknowledged: Suspects) {
        for breach in wrong {
            let (check, suspects, what) = match breach {
                Breach::Number(what) => (&NUMBERS_GO_UP_BY_ONE, (&GEN_02).into(), what),
                Breach::Acknowledgement(what) => (&WHAT_ARRIVED_IS_ACKNOWLEDGED, unacknowledged, what),
                Breach::Block(what) => (&LOST_BLOCKS_ARE_REPEATED, (&GEN_02).into(), what),
            };
            self.report.fail(check, self.now, host, suspects, || what);
        }
    }

    /// Of several serverdata that waited for each other, the last is of the newest map.
    fn learn_newest_map(&mut self, session: &Session, messages: &[Message]) {
        let spawncounts = messages.iter().filter_map(|message| match message {
            Message::ServerData { spawncount, .. } => Some(*spawncount),
            _ => None,
        });
        if let Some(newest) = spawncounts.max() {
            self.map_of(session, newest);
        }
    }

    fn lengths(&mut self, session: &Session, bytes: &[u8]) {
        let length = bytes.len();
        if !session.sent_dialect.is_r1q2() {
            if length > MAX_MSGLEN_ORIGINAL {
                self.server_fails(&DATAGRAMS_FIT, &LEN_02, || format!("a datagram of {length} bytes"));
            }
            return;
        }
        let (payload, limit) = (length.saturating_sub(HEADER_BYTES), session.payload_limit());
        self.remark_length(session, payload);
        if payload > limit {
            let what = || format!("{payload} bytes of payload, more than {limit}");
            self.server_fails(&DATAGRAMS_FIT, &LEN_03, what);
        }
    }

    fn service_is_sent(&mut self, session: &mut Session, message: &Message, dialect: &Dialect) {
        match message {
            Message::UpperBits(service) => {
                let what = || format!("service {service} with upper bits");
                self.server_fails(&UPPER_BITS_ARE_OF_FRAMES, &CMD_02, what);
            }
            Message::ServerData { spawncount, protocol, r1q2, playernum } => {
                let asked = session.connect.asked.protocol;
                if *protocol != asked {
                    let what = || format!("a serverdata of protocol {protocol} after a connect of {asked}");
                    self.server_fails(&SERVERDATA_IS_OF_THE_PROTOCOL, &GEN_02, what);
                }
                self.number_is_assigned(session, *playernum, *spawncount);
                let r1q2_point = if r1q2.is_some() { Point::ServerDataR1q2 } else { Point::ServerDataOriginal };
                self.report.saw(r1q2_point);
                self.report.saw_if(session.connect.is_unnumbered(), Point::UnnumberedAnswered);
                let numbered = matches!(session.connect.asked.qport, Qport::Byte(_));
                self.report.saw_if(numbered, Point::NumberedAnswered);
                if let Some((minor, enhanced)) = *r1q2 {
                    self.serverdata_is_sent(session, minor, enhanced);
                }
                let map = self.map_of(session, *spawncount);
                session.map_is_sent(*spawncount, map);
            }
            Message::Zpacket(packed, length) => {
                self.report.saw(Point::Zpacket);
                if packed + ZPACKET_HEADER_BYTES >= *length {
                    let what = || format!("{length} bytes become {packed} and a header of {ZPACKET_HEADER_BYTES}");
                    self.server_fails(&ZPACKETS_SAVE_BYTES, &ZPKT_09, what);
                }
            }
            Message::BadBlock => {
                let what = || String::from("a compressed block that cannot be inflated");
                self.server_fails(&BLOCKS_CAN_BE_INFLATED, &ZDL_01, what);
            }
            Message::Block(block, packed, _) => {
                if let Some(ordered) = &mut session.ordered {
                    ordered.due = None;
                }
                self.report.saw_if(block.is_none(), Point::Refused);
                self.report.saw_if(block.is_some() && packed.is_some(), Point::ZDownload);
            }
            Message::Other(SVC_DISCONNECT) => {
                self.session_is_ended(session);
                self.leaves(session.host);
                session.ends("the server ended the session");
            }
            Message::StuffText(text, _) => session.recalled |= ends_map(text),
            Message::Frame(_) if dialect.is_r1q2() => self.report.saw(Point::FrameR1q2),
            Message::Print(text, ..) => {
                if let Some(number) = number(text, ASIDE) {
                    self.non_delta_is_sent(session, &NonDelta::Aside(number), false, dialect);
                }
            }
            _ => {}
        }
    }

    /// A server ends a session. With a client that is in the game, speaks, and does nothing odd, it has no reason to.
    fn session_is_ended(&mut self, session: &Session) {
        let speaks = session.read_at.is_some_and(|read| self.now.since(read) < LIVELY_US);
        if session.entered && speaks && !session.long && !session.odd_moves {
            let what = || format!("ends the session of {}, which gave no reason for it", session.host);
            self.server_fails(&SESSIONS_LAST, &GEN_02, what);
        }
    }

    /// A client is sent its number: no other has it at the same time.
    fn number_is_assigned(&mut self, session: &Session, playernum: i16, spawncount: i32) {
        let (host, now) = (session.host, self.now);
        let same = |assigned: &&Assigned| {
            assigned.host != host && (assigned.playernum, assigned.spawncount) == (playernum, spawncount)
        };
        let other =
            self.assigned.iter().find(same).filter(|assigned| now.since(assigned.at) < LIVELY_US && playernum >= 0);
        let other = other.map(|assigned| assigned.host);
        if let Some(other) = other.filter(|_| session.connect.is_unnumbered()) {
            let what = || format!("{host} is assigned player number {playernum}, as {other}");
            self.server_fails(&SERVERDATA_NAMES_ITS_CLIENT, &QPORT_06, what);
        }
        self.assigned.retain(|assigned| assigned.host != host);
        self.assigned.push(Assigned { host, playernum, spawncount, at: now });
    }

    fn serverdata_is_sent(&mut self, session: &mut Session, minor: u16, enhanced: u8) {
        let (announced, newest) = (self.options.announced_minor, self.options.server_minor);
        let spoken = if session.server.is_remote() { minor } else { newest };
        let agreed = Dialect::agreed(spoken, session.connect.asked.minor);
        self.remark_revision(session, minor, agreed);
        // Between the server's newest revision and the client's, a server may announce either.
        if minor != announced && !(announced == newest && minor == agreed) {
            let what = || format!("revision {minor} is announced, not {announced}");
            self.server_fails(&SERVERDATA_IS_AS_SET, &SD_01, what);
            // Its client may leave, or come back over protocol 34.
            session.misled = true;
            session.stop("another revision is announced than the server has");
        }
        if (self.options.enhanced != 0) != (enhanced != 0) || enhanced > self.options.enhanced.max(1) {
            let what = || format!("the byte for an enhanced game is {enhanced}");
            self.server_fails(&SERVERDATA_IS_AS_SET, &SD_01, what);
        }
        self.report.saw_if(enhanced != 0, Point::Enhanced);
    }
}
