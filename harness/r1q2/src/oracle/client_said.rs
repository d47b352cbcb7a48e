//! What a client sends, and what a server receives of it.

use super::Judge;
use super::coverage::Point;
use super::image::{self, Said};
use super::link::Arrival;
use super::session::{Session, Wanted};
use crate::requirements::*;
use crate::wire::constants::*;
use crate::wire::handshake::{ClientPacket, Connect};
use crate::wire::message::Carrier;
use crate::wire::usercmd::{CMD_FORWARD, CMD_MSEC, CMD_SIDE, CMD_UP};
use kit::{Direction, HostId, Reader, Requirement, Time};
use netchan::{HEADER_BYTES, Header, Qport};

/// Commands of a client for its sign-on.
const NEW: &[u8] = b"new";
const BEGIN: &[u8] = b"begin";
const NEXT_BLOCK: &[u8] = b"nextdl";

/// The first word of a command.
fn word(text: &[u8]) -> &[u8] {
    text.split(|&byte| byte <= b' ').next().unwrap_or_default()
}

/// The number behind the first word.
fn argument(text: &[u8]) -> Option<i32> {
    let rest = text.get(word(text).len()..)?;
    std::str::from_utf8(rest).ok()?.split_whitespace().next()?.parse().ok()
}

/// Whether what follows the userinfo of a connect is nothing but numbers; at most `most`.
fn tail_is_plain(text: &[u8], most: usize) -> bool {
    let tail = text.splitn(3, |&byte| byte == b'"').nth(2).unwrap_or_default();
    let words: Vec<&[u8]> = tail.split(|&byte| byte <= b' ').filter(|word| !word.is_empty()).collect();
    words.len() <= most && words.iter().all(|word| word.iter().all(u8::is_ascii_digit))
}

impl Judge<'_> {
    /// A client sends a connect.
    pub fn client_connects(&mut self, host: HostId, now: Time, bytes: &[u8], connect: &Connect<'_>, other: bool) {
        let text = bytes.get(4..).unwrap_or_default();
        let r1q2 = connect.protocol == PROTOCOL_R1Q2;
        let report = &mut *self.report;
        if connect.protocol == PROTOCOL_ORIGINAL {
            report.saw(Point::ConnectOriginal);
            if !tail_is_plain(text, 0) {
                report.find(&CON_02, now, host, || {
                    String::from("a connect over protocol 34 with something behind the userinfo")
                });
            }
        }
        if !r1q2 {
            return;
        }
        report.saw(Point::ConnectR1q2);
        if other {
            report
                .find(&SD_03, now, host, || String::from("back over protocol 35 after another revision was announced"));
        }
        let in_place = connect.userinfo.first() == Some(&b'\\') && tail_is_plain(text, 2);
        if !in_place {
            report.find(&CON_01, now, host, || String::from("the userinfo is not followed by a plain number"));
        } else if self.options.max_length.is_some() && connect.tail.max_length.is_none() {
            report.find(&CON_01, now, host, || String::from("no length behind the userinfo"));
        }
        if connect.qport > 0xff {
            report.find(&QPORT_08, now, host, || format!("number {} does not fit a byte", connect.qport));
        }
        if self.options.max_length == Some(DEFAULT_MSGLEN) {
            report.saw(Point::ConnectWithDefault);
            if in_place && connect.tail.max_length != Some(DEFAULT_MSGLEN) {
                report.find(&LEN_04, now, host, || format!("asks for {:?} bytes", connect.tail.max_length));
            }
        }
    }

    /// A client sends a datagram of its connection.
    pub fn client_sends(&mut self, session: &mut Session, now: Time, bytes: &[u8]) {
        if let Some(since) = session.provoked.gives_up {
            return self.sends_after_all(session, now, since, bytes);
        }
        let host = session.host;
        let qport = session.wanted.asked.qport;
        // Where a connect had too large a number, engines differ in what they make of it.
        if session.wanted.qport > 0xff && session.wanted.asked.protocol == PROTOCOL_R1Q2 {
            session.doubt = true;
            return;
        }
        let fell_back = session.wanted.fell_back;
        let mut r = Reader::new(bytes);
        let Ok(header) = Header::read(&mut r, Direction::ClientToServer, qport, false) else {
            self.report
                .find(width_of(qport, fell_back), now, host, || String::from("a datagram that ends in its header"));
            session.doubt = true;
            return;
        };
        self.report.saw_if(matches!(qport, Qport::Byte(_)), Point::NumberedDatagram);
        self.report.saw_if(session.wanted.is_unnumbered(), Point::UnnumberedDatagram);
        self.report.saw_if(fell_back, Point::FellBack);
        let carrier = carrier(&header, Direction::ClientToServer);
        let mut said = Vec::new();
        let dialect = session.heard_dialect;
        let read = image::commands(&mut r, &dialect, carrier, &mut said);
        if let Err(error) = &read {
            let requirement = self.misplaced(session, bytes, qport).unwrap_or(match fell_back {
                true => &SD_04,
                false => &GEN_02,
            });
            self.report.find(requirement, now, host, || format!("commands that cannot be read: {error}"));
            session.doubt = true;
            return;
        }
        if header.qport != qport {
            let requirement = match fell_back {
                true => &SD_04,
                false if dialect.is_r1q2() => &QPORT_08,
                false => &GEN_02,
            };
            self.report
                .find(requirement, now, host, || format!("number {:?} after a connect with {qport:?}", header.qport));
        }
        let payload = bytes.get(HEADER_BYTES + qport.bytes()..).unwrap_or_default();
        let blame = session.frame_lost_blame();
        session.client.sends(&header, payload, true, blame, host, now, self.report);
        for said in &said {
            self.client_said(session, now, said);
        }
    }

    /// The requirement of a client whose commands make sense only with a number of another size.
    fn misplaced(&self, session: &Session, bytes: &[u8], qport: Qport) -> Option<&'static Requirement> {
        let widths = [0, 1, 2].into_iter().filter(|&width| width != qport.bytes());
        for width in widths {
            let payload = bytes.get(HEADER_BYTES + width..)?;
            let dialect = session.heard_dialect;
            let carrier = Carrier {
                direction: Direction::ClientToServer,
                reliable: false,
                sequence: 0,
                acknowledged: 0,
                nesting: 0,
            };
            let read = image::commands(&mut Reader::new(payload), &dialect, carrier, &mut Vec::new());
            if read.is_ok() {
                return Some(width_of(qport, session.wanted.fell_back));
            }
        }
        None
    }

    fn client_said(&mut self, session: &mut Session, now: Time, said: &Said) {
        let host = session.host;
        match said {
            Said::Move(movement) if !movement.wants_no_delta() => {
                let frame = movement.last_frame;
                let known = session.received.frame(frame);
                if known.is_none_or(|known| !known.valid) && session.provoked.ahead > 0 {
                    session.provoked.ahead -= 1;
                } else if known.is_none_or(|known| !known.valid) {
                    let what = if known.is_some() { "whose base it does not have" } else { "that it was not sent" };
                    self.report.find(&GEN_02, now, host, || format!("acknowledges frame {frame}, {what}"));
                } else if session.received.newest.is_some_and(|newest| newest - frame > MAX_ACK_AGE) {
                    let newest = session.received.newest.unwrap_or_default();
                    self.report.find(&GEN_02, now, host, || format!("acknowledges frame {frame}, but has {newest}"));
                }
            }
            Said::Move(_) => {}
            Said::StringCmd(text) if word(text) == BEGIN => {
                let told = argument(text);
                session.begins |= told == session.spawncount;
                if let Some(other) = session.other_revision.filter(|_| self.falls_back()) {
                    self.report.find(&SD_03, now, host, || {
                        format!("goes on although another revision was announced at {other}")
                    });
                }
                if session.spawncount.is_some() && told.is_some_and(|told| !session.spawncounts.contains(&told)) {
                    let map = session.spawncount;
                    self.report.find(&GEN_02, now, host, || format!("begins map {told:?}, was told {map:?}"));
                }
            }
            Said::StringCmd(text) if word(text) == NEXT_BLOCK => session.file.open = None,
            Said::Setting(..) if !session.heard_dialect.has_settings() => {
                self.report.find(&GEN_02, now, host, || String::from("a setting before revision 1902"));
            }
            _ => {}
        }
    }

    /// A server receives a datagram of a connection.
    pub fn server_receives(&mut self, session: &mut Session, now: Time, bytes: &[u8]) {
        let qport = session.wanted.asked.qport;
        let mut r = Reader::new(bytes);
        let Ok(header) = Header::read(&mut r, Direction::ClientToServer, qport, false) else { return };
        let lost = match session.server.receives(&header) {
            Arrival::Stale => return,
            Arrival::Taken { lost } => lost,
        };
        let mut said = Vec::new();
        let carrier = carrier(&header, Direction::ClientToServer);
        if image::commands(&mut r, &session.heard_dialect, carrier, &mut said).is_err() {
            return;
        }
        for said in said {
            match said {
                Said::Move(movement) => {
                    let [.., newest] = movement.commands;
                    let moves = [CMD_FORWARD, CMD_SIDE, CMD_UP].iter();
                    session.moved |=
                        movement.commands.iter().any(|command| moves.clone().any(|&field| command[field] != 0));
                    session.walked.msec += i64::from(newest[CMD_MSEC]);
                    session.walked.commands += 1;
                    session.walked.uncertain |= lost > 0;
                    if session.begun.is_none() {
                        session.newest = None;
                        continue;
                    }
                    session.newest = Some(movement.last_frame);
                    // A server that made a frame and did not send it may take a client at its word that has made up
                    // its number; not so for one that is yet to come.
                    let made = session.last_frame.is_some_and(|newest| movement.last_frame <= newest);
                    if movement.last_frame <= 0 {
                        session.acknowledged.clear();
                    } else if made {
                        session.acknowledged.insert(movement.last_frame);
                        while session.acknowledged.len() > MAX_ACKNOWLEDGED {
                            session.acknowledged.pop_first();
                        }
                    }
                }
                Said::StringCmd(text) if word(&text) == NEW => {
                    session.asked_at.get_or_insert(now);
                }
                Said::StringCmd(text) if word(&text) == BEGIN => session.begun = Some(now),
                Said::StringCmd(text) if word(&text) == b"disconnect" => session.over = true,
                Said::Setting(index @ (CLSET_NOGUN | CLSET_NOBLEND), value) => {
                    session.spared |= value != 0 && index >= 0;
                }
                _ => {}
            }
        }
    }

    /// A connect arrives at the server.
    pub fn connect_arrives(&mut self, wanted: &Wanted) {
        let r1q2 = wanted.asked.protocol == PROTOCOL_R1Q2;
        self.report.saw_if(r1q2 && wanted.tail.max_length.is_none(), Point::ConnectWithoutLength);
        self.report.saw_if(r1q2 && wanted.tail.max_length == Some(0), Point::ConnectWithZero);
    }
}

/// Frames that a client may be behind with what it acknowledges: it sends when its own time comes.
const MAX_ACK_AGE: i32 = 8;
/// Acknowledgements that are remembered; a base is not older than 30 frames.
const MAX_ACKNOWLEDGED: usize = 64;

/// What a number of the wrong size breaks.
fn width_of(qport: Qport, fell_back: bool) -> &'static Requirement {
    match qport {
        Qport::Absent => &QPORT_03,
        Qport::Byte(_) => &QPORT_01,
        Qport::Short(_) if fell_back => &SD_04,
        Qport::Short(_) => &GEN_02,
    }
}

/// Where the messages of a datagram come from.
pub fn carrier(header: &Header, direction: Direction) -> Carrier {
    Carrier {
        direction,
        reliable: header.reliable,
        sequence: header.sequence,
        acknowledged: header.acknowledged,
        nesting: 0,
    }
}

/// The connect in a datagram that belongs to no connection.
pub fn connect(bytes: &[u8]) -> Option<Connect<'_>> {
    match ClientPacket::read(&mut Reader::new(bytes)) {
        Ok(ClientPacket::Connect(connect)) => Some(connect),
        _ => None,
    }
}
