//! What a client sends, and what the server takes of it.

use super::context::Context;
use super::coverage::{Point, can_break};
use super::diagnosis;
use super::link::{Arrival, Order, pop_if};
use super::model::{self, Message, carrier};
use super::peer::Client;
use super::player::Player;
use super::session::{Commands, ConnectSeen, Ordered, Session};
use crate::machine::download;
use crate::requirements::*;
use crate::wire::constants::*;
use crate::wire::handshake::{self, ClientPacket, Connect};
use crate::wire::usercmd::{CMD_FORWARD, CMD_MSEC, CMD_SIDE, CMD_UP, Move};
use kit::{Check, Direction, HostId, Knows, Reader, breaks};
use netchan::{HEADER_BYTES, Header, Qport};

/// Commands of a client for its sign-on.
const NEW: &[u8] = b"new";
const BEGIN: &[u8] = b"begin";
const NEXT_BLOCK: &[u8] = b"nextdl";
const DISCONNECT: &[u8] = b"disconnect";
const DOWNLOAD: &[u8] = b"download";
/// Frames that a client may be after with what it acknowledges: it sends when its own time comes.
const MAX_ACK_AGE: i32 = 8;
/// Acknowledgements that are remembered; a base is not older than 30 frames.
const MAX_ACKNOWLEDGED: usize = 64;
/// Datagrams to a remote server that are remembered until it shows to have read them.
const MAX_UNREAD: usize = 2048;
/// Milliseconds that a command may last.
const MAX_MSEC: i32 = 250;
/// Moves that a client that gives up may still have on its way out.
const GRACE_US: u64 = 500_000;

/// A connect has the length after its userinfo over protocol 35, and nothing over protocol 34.
pub static CONNECT_ENDS_AS_DESCRIBED: Check = Check::new(
    "connect-ends-as-described",
    &[breaks(&CON_01, &[&[Point::ConnectR1q2]]), breaks(&CON_02, &[&[Point::ConnectOriginal]])],
)
.knows(&[Knows::ClientSays]);
/// A connect has the length that the scenario sets.
pub static DEFAULT_LENGTH_IS_ASKED_FOR: Check = Check::new(
    "default-length-is-asked-for",
    &[breaks(&LEN_04, &[&[Point::ConnectWithDefault]]), breaks(&CON_01, &[&[Point::ConnectR1q2]])],
)
.knows(&[Knows::ClientSays, Knows::Limits]);
/// A client connects over the protocol and with the rate that its user sets.
pub static CONNECTS_ARE_AS_SET: Check =
    Check::new("connects-are-as-set", &[can_break::GEN_02]).knows(&[Knows::Limits, Knows::ClientShows]);
/// A client's number in its connect over protocol 35 fits a byte.
pub static CONNECT_NUMBER_FITS_A_BYTE: Check =
    Check::new("connect-number-fits-a-byte", &[can_break::QPORT_08]).knows(&[Knows::ClientSays]);
/// The number in a client's datagrams is that of its connect.
pub static NUMBER_IS_THAT_OF_THE_CONNECT: Check = Check::new(
    "number-is-that-of-the-connect",
    &[can_break::QPORT_03, can_break::QPORT_08, can_break::SD_04, can_break::GEN_02],
)
.knows(&[Knows::ClientSays]);
/// What a client sends can be read to its end, after a number of the size that its connect asks for.
pub static COMMANDS_CAN_BE_READ: Check = Check::new(
    "commands-can-be-read",
    &[can_break::QPORT_01, can_break::QPORT_03, can_break::SD_04, can_break::GEN_02],
)
.knows(&[Knows::ClientSays]);
/// A client acknowledges frames that it received and that are valid, and soon.
pub static ACKNOWLEDGED_FRAMES_ARRIVED: Check =
    Check::new("acknowledged-frames-arrived", &[can_break::GEN_02]).knows(&[Knows::ClientTalks, Knows::ClientSays]);
/// A client that is sent another revision goes back to protocol 34.
pub static OTHER_REVISIONS_ARE_LEFT: Check =
    Check::new("other-revisions-are-left", &[can_break::SD_03]).knows(&[Knows::Limits]);
/// A client begins a map that it was sent.
pub static BEGUN_MAPS_ARRIVED: Check =
    Check::new("begun-maps-arrived", &[can_break::GEN_02]).knows(&[Knows::ClientSays]);
/// Settings are sent since revision 1902.
pub static SETTINGS_ARE_UNDERSTOOD: Check =
    Check::new("settings-are-understood", &[can_break::GEN_02]).knows(&[Knows::ClientSays]);

/// The first word of a command.
fn word(text: &[u8]) -> &[u8] {
    text.split(|&byte| byte <= b' ').next().unwrap_or_default()
}

/// The number after the first word.
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

/// The connect in a datagram that belongs to no connection.
pub(super) fn connect(bytes: &[u8]) -> Option<Connect<'_>> {
    match ClientPacket::read(&mut Reader::new(bytes)) {
        Ok(ClientPacket::Connect(connect)) => Some(connect),
        _ => None,
    }
}

/// Whether a datagram that belongs to no connection asks for a challenge.
pub(super) fn is_getchallenge(bytes: &[u8]) -> bool {
    matches!(ClientPacket::read(&mut Reader::new(bytes)), Ok(ClientPacket::GetChallenge))
}

/// Whether a datagram of a connection says that the client leaves.
pub(super) fn is_disconnect(bytes: &[u8]) -> bool {
    bytes.split(|byte| *byte == CLC_STRINGCMD).any(|text| text.starts_with(DISCONNECT))
}

/// Whether a text with which a server turns a client away is about the length that it asks for.
pub(super) fn is_about_length(text: &[u8]) -> bool {
    text.to_ascii_lowercase().windows(6).any(|word| word == b"length")
}

impl Context<'_> {
    /// A client connects over a protocol: the one that is set, unless it may have had to fall back; and with a rate.
    pub(super) fn connect_is_as_set(&mut self, client: &Client, connect: &Connect<'_>) {
        let (set, options) = (self.options.protocol(client.host.0), self.options);
        let may_fall_back = options.client_minor < MINOR_USERCMD && options.announced_minor != options.client_minor;
        if connect.protocol != set && !may_fall_back && !client.may_be_misled() {
            let what = || format!("connects over protocol {}, its user has set {set}", connect.protocol);
            self.client_fails(&CONNECTS_ARE_AS_SET, client.host, &GEN_02, what);
        }
        let rate = handshake::value_of(connect.userinfo, b"rate");
        if let Some(set) = options.rate.filter(|set| rate != Some(set.to_string().as_bytes())) {
            let what = || format!("asks for another rate than {set} bytes a second, or for none");
            self.client_fails(&CONNECTS_ARE_AS_SET, client.host, &GEN_02, what);
        }
        let own = options.client_minor;
        let states = own >= MINOR_USERCMD && connect.protocol == PROTOCOL_R1Q2 && connect.tail.max_length.is_some();
        if states && connect.tail.minor != Some(own) {
            let what = || format!("states revision {:?}, its own is {own}", connect.tail.minor);
            self.client_fails(&CONNECTS_ARE_AS_SET, client.host, &GEN_02, what);
        }
    }

    /// A client sends a connect; `back` if it was sent another revision before.
    pub(super) fn connect_is_sent(&mut self, host: HostId, bytes: &[u8], connect: &Connect<'_>, back: bool) {
        let text = bytes.get(4..).unwrap_or_default();
        if connect.protocol == PROTOCOL_ORIGINAL {
            self.report.saw(Point::ConnectOriginal);
            if !tail_is_plain(text, 0) {
                let what = || String::from("a connect over protocol 34 goes on after the userinfo");
                self.client_fails(&CONNECT_ENDS_AS_DESCRIBED, host, &CON_02, what);
            }
        }
        if connect.protocol != PROTOCOL_R1Q2 {
            return;
        }
        self.report.saw(Point::ConnectR1q2);
        if back {
            let what = || String::from("comes back over protocol 35 after another revision was announced");
            self.client_fails(&OTHER_REVISIONS_ARE_LEFT, host, &SD_03, what);
        }
        if connect.qport > 0xff {
            let what = || format!("number {} does not fit a byte", connect.qport);
            self.client_fails(&CONNECT_NUMBER_FITS_A_BYTE, host, &QPORT_08, what);
        }
        let (asked, set) = (connect.tail.max_length, self.options.maxlen);
        let in_place = connect.userinfo.first() == Some(&b'\\') && tail_is_plain(text, 2);
        if !in_place {
            let what = || String::from("the userinfo is not followed by a plain number");
            self.client_fails(&CONNECT_ENDS_AS_DESCRIBED, host, &CON_01, what);
        } else if set.is_some() && asked.is_none() {
            let what = || String::from("the userinfo is not followed by a length");
            self.client_fails(&DEFAULT_LENGTH_IS_ASKED_FOR, host, &CON_01, what);
        }
        if set == Some(DEFAULT_MSGLEN) {
            self.report.saw(Point::ConnectWithDefault);
            if in_place && asked.is_some() && asked != set {
                let what = || format!("asks for {asked:?} bytes");
                self.client_fails(&DEFAULT_LENGTH_IS_ASKED_FOR, host, &LEN_04, what);
            }
        }
    }

    /// A connect arrives at the server.
    pub(super) fn connect_is_delivered(&mut self, connect: &ConnectSeen) {
        let length = connect.tail.max_length;
        self.report.saw_if(connect.is_r1q2() && length.is_none(), Point::ConnectWithoutLength);
        self.report.saw_if(connect.is_r1q2() && length == Some(0), Point::ConnectWithZero);
    }

    /// A client sends a datagram of its connection.
    pub(super) fn client_sends(&mut self, session: &mut Session, player: &Player, bytes: &[u8]) {
        let (host, qport, fell_back) = (session.host, session.connect.asked.qport, session.connect.fell_back);
        // Where a connect had too large a number, engines differ in what they make of it.
        if session.connect.qport > 0xff && session.connect.is_r1q2() {
            return session.stop("the number of the connect does not fit a byte");
        }
        let mut r = Reader::new(bytes);
        let header = Header::read(&mut r, Direction::ClientToServer, qport, false);
        if let Ok(header) = &header {
            let Order::Next { unseen } = session.client.order(header) else { return };
            self.remark_unseen(unseen);
            if session.client.is_astray(header) {
                return session.stop("the client took a datagram of an earlier connection");
            }
            session.last_received = self.now;
            self.client_has_read(session, header.acknowledged);
        }
        let dialect = session.delivered_dialect;
        let read = header.and_then(|header| {
            let commands = model::commands(&mut r, &dialect, carrier(&header, Direction::ClientToServer))?;
            Ok((header, commands))
        });
        let gave_up = session.provoked.gives_up;
        if gave_up.is_none() {
            self.report.saw_if(matches!(qport, Qport::Byte(_)), Point::NumberedDatagram);
            self.report.saw_if(session.connect.is_unnumbered(), Point::UnnumberedDatagram);
            self.report.saw_if(fell_back, Point::FellBack);
        }
        let (header, commands) = match read {
            Ok(read) => read,
            Err(_) if gave_up.is_some() => return,
            Err(error) => {
                let what = || format!("commands that cannot be read: {error}");
                let suspects = diagnosis::commands_unreadable(qport, fell_back);
                self.client_fails(&COMMANDS_CAN_BE_READ, host, suspects, what);
                return session.stop("a datagram of the client could not be read");
            }
        };
        if let Some(since) = gave_up {
            let moves = commands.iter().any(|command| matches!(command, Message::Move(_)));
            if moves && self.now.since(since) > GRACE_US {
                self.goes_on(session, since);
            }
            return;
        }
        if header.qport != qport {
            let what = || format!("number {:?} after a connect with {qport:?}", header.qport);
            let suspects = diagnosis::number_differs(qport, fell_back, &dialect);
            self.client_fails(&NUMBER_IS_THAT_OF_THE_CONNECT, host, suspects, what);
            // Its server takes it for another client's.
            return session.stop("the client has another number than its connect");
        }
        let payload = bytes.get(HEADER_BYTES + qport.bytes()..).unwrap_or_default();
        let wrong = session.client.sends(&header, payload, true);
        session.server.sent_more |= session.client.knows_more;
        self.header_is_sent(host, wrong, diagnosis::datagram_lost(session));
        for command in &commands {
            if let Message::Move(movement) = command {
                self.acknowledgement_is_sent(session, player, movement);
            }
            self.command_is_sent(session, command);
            match command {
                Message::Move(movement) => self.move_is_sent(session, player, header.sequence, movement),
                Message::Setting(index, value) => self.setting_is_sent(session, player, *index, *value),
                Message::StringCmd(text) if word(text) == DISCONNECT => self.leave_is_sent(session),
                _ => {}
            }
        }
    }

    fn command_is_sent(&mut self, session: &mut Session, command: &Message) {
        let host = session.host;
        match command {
            Message::Move(movement) if !movement.wants_no_delta() => {
                let frame = movement.last_frame;
                let known = session.delivered.frame(frame);
                let newest =
                    if session.client.may_miss() { session.last_taken.frame } else { session.delivered.newest };
                let newest = newest.unwrap_or(frame);
                // What a remote client shows of a session is what it acknowledges.
                self.report.saw_if(session.client.is_remote() && known.is_some(), Point::Session);
                if known.is_none_or(|known| !known.valid) && session.provoked.ahead > 0 {
                    session.provoked.ahead -= 1;
                } else if session.client.is_remote() && session.server.sent_more {
                    // It may have frames that nobody saw.
                } else if known.is_none_or(|known| !known.valid) {
                    let what = if known.is_some() { "whose base it does not have" } else { "that did not arrive" };
                    let what = || format!("acknowledges frame {frame}, {what}");
                    self.client_fails(&ACKNOWLEDGED_FRAMES_ARRIVED, host, &GEN_02, what);
                } else if newest.saturating_sub(frame) > MAX_ACK_AGE {
                    let valid = session.delivered.frame(newest).is_some_and(|newest| newest.valid);
                    let since = if valid { "" } else { ", whose base it does not have" };
                    let what = || format!("acknowledges frame {frame}, and frame {newest} has arrived since{since}");
                    self.client_fails(&ACKNOWLEDGED_FRAMES_ARRIVED, host, &GEN_02, what);
                }
            }
            Message::StringCmd(text) if word(text) == BEGIN => {
                let (begun, map) = (argument(text), session.spawncount);
                session.begins |= begun == map;
                if let Some(other) = session.other_revision.filter(|_| self.falls_back(session)) {
                    let what = || format!("goes on although another revision was announced at {other}");
                    self.client_fails(&OTHER_REVISIONS_ARE_LEFT, host, &SD_03, what);
                }
                if map.is_some() && begun.is_some_and(|begun| !session.spawncounts.contains(&begun)) {
                    let what = || format!("begins map {begun:?}, was sent {map:?}");
                    self.client_fails(&BEGUN_MAPS_ARRIVED, host, &GEN_02, what);
                }
            }
            Message::StringCmd(text) if word(text) == NEXT_BLOCK => session.file.open = None,
            Message::StringCmd(text) if word(text) == DOWNLOAD => {
                session.file.asked = session.wants_file.take().is_some();
            }
            Message::StringCmd(text) if word(text) == NEW => session.new_due = None,
            Message::Setting(..) if !session.delivered_dialect.has_settings() => {
                let what = || String::from("a setting before revision 1902");
                self.client_fails(&SETTINGS_ARE_UNDERSTOOD, host, &GEN_02, what);
            }
            _ => {}
        }
    }

    /// A server receives a datagram of a connection.
    pub(super) fn server_receives(&mut self, session: &mut Session, bytes: &[u8]) {
        let mut r = Reader::new(bytes);
        let Ok(header) = Header::read(&mut r, Direction::ClientToServer, session.connect.asked.qport, false) else {
            return;
        };
        let Arrival::Taken { lost } = session.server.receives(&header) else { return };
        let carrier = carrier(&header, Direction::ClientToServer);
        let Ok(messages) = model::commands(&mut r, &session.delivered_dialect, carrier) else { return };
        let commands = Commands { sequence: header.sequence, lost, messages };
        session.read_at = Some(self.now);
        let moves = commands.messages.iter().filter_map(|message| match message {
            Message::Move(movement) => Some(movement.commands[2][CMD_MSEC]),
            _ => None,
        });
        let [count, longest] = moves.fold([0, 0], |[count, longest], msec| [count + 1, msec.max(longest)]);
        session.odd_moves |= count > 1 || longest > MAX_MSEC;
        for message in &commands.messages {
            if let Message::Move(movement) = message {
                frame_is_acknowledged(session, movement.last_frame, commands.sequence);
            } else if matches!(message, Message::StringCmd(text) if word(text) == NEW) {
                session.asked_unread.get_or_insert(self.now);
            }
        }
        if !session.server.is_remote() {
            return self.commands_are_read(session, &commands, true);
        }
        // It can know of the acknowledgements; that it does, it has to show.
        let at = session.unread_by_server.partition_point(|unread| unread.sequence < commands.sequence);
        session.unread_by_server.insert(at, commands);
        if session.unread_by_server.len() > MAX_UNREAD {
            session.unread_by_server.pop_front();
        }
    }

    /// A remote server shows to have read what was delivered to it up to datagram `newest`.
    pub(super) fn server_has_read(&mut self, session: &mut Session, newest: u32) {
        while let Some(commands) = pop_if(&mut session.unread_by_server, |commands| commands.sequence <= newest) {
            let certain = !session.server.may_miss() || commands.sequence == newest;
            self.commands_are_read(session, &commands, certain);
        }
    }

    /// A server reads what a client sent; not `certain` if that may have been lost unseen.
    fn commands_are_read(&mut self, session: &mut Session, commands: &Commands, certain: bool) {
        for command in &commands.messages {
            match command {
                Message::Move(movement) => move_is_read(session, movement, commands, certain),
                Message::StringCmd(text) if word(text) == NEW => {
                    session.recalled = false;
                    session.asked_at.get_or_insert(self.now);
                    session.asked_last = Some(self.now);
                }
                Message::StringCmd(text) if word(text) == BEGIN => {
                    session.begun = Some(self.now);
                    session.entered |= argument(text).is_some() && argument(text) == session.spawncount_sent;
                }
                Message::StringCmd(text) if word(text) == DISCONNECT => {
                    self.leaves(session.host);
                    session.ends("the client left");
                }
                Message::StringCmd(text) if word(text) == DOWNLOAD && session.answered => {
                    let name = text.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
                    let bytes = self.truth.is_known().then(|| download::hundreds(name).and_then(download::file));
                    session.ordered = Some(Ordered { bytes, delivered: 0, due: Some(self.now) });
                }
                Message::StringCmd(text) if word(text) == NEXT_BLOCK => {
                    if let Some(ordered) = &mut session.ordered
                        && ordered.goes_on()
                    {
                        ordered.due.get_or_insert(self.now);
                    }
                }
                Message::Setting(CLSET_NOGUN | CLSET_NOBLEND, value) => session.spared |= *value != 0,
                Message::Setting(CLSET_RECORDING, value) => session.records = *value != 0,
                _ => {}
            }
        }
    }
}

/// A server reads a move; not `certain` if that may have been lost unseen.
fn move_is_read(session: &mut Session, movement: &Move, commands: &Commands, certain: bool) {
    let [.., newest] = movement.commands;
    let walks = |field: &usize| movement.commands.iter().any(|command| command[*field] != 0);
    session.moved |= [CMD_FORWARD, CMD_SIDE, CMD_UP].iter().any(walks);
    session.walked.msec += i64::from(newest[CMD_MSEC]);
    session.walked.commands += 1;
    session.walked.uncertain |= commands.lost > 0 || !certain;
    commands_are_executed(session, movement, commands.lost as usize, certain);
    let frame = movement.last_frame;
    if frame <= 0 && !certain {
        return;
    }
    session.newest = session.begun.map(|_| frame);
    if frame <= 0 && session.begun.is_some() {
        session.acknowledged.retain(|_, by| *by > commands.sequence);
    }
}

/// A server executes the newest command of a move, and before it those that stand for commands that were `lost`.
fn commands_are_executed(session: &mut Session, movement: &Move, lost: usize, certain: bool) {
    let walked = &mut session.walked;
    walked.guessed |= lost >= movement.commands.len() || !certain;
    let first = movement.commands.len().saturating_sub(lost + 1);
    for command in movement.commands.iter().skip(first) {
        let msec = i64::from(command[CMD_MSEC].clamp(0, MAX_MSEC));
        let velocity = [CMD_FORWARD, CMD_SIDE, CMD_UP].map(|speed| i64::from(spectator_velocity(command[speed])));
        walked.executed += msec;
        walked.velocity = Some(velocity);
        walked.covered.iter_mut().zip(velocity).for_each(|(covered, velocity)| *covered += velocity * msec);
    }
}

/// The velocity of a spectator, in eighths, by the speed of its command.
fn spectator_velocity(speed: i32) -> i16 {
    (speed * 8).clamp(i16::MIN.into(), i16::MAX.into()) as i16
}

/// A server may know from now on that its client has a frame, by datagram `sequence`.
fn frame_is_acknowledged(session: &mut Session, frame: i32, sequence: u32) {
    // A server that made a frame and did not send it may take a client at its word that has made up its number; not so
    // for one that is yet to come.
    let made = session.last_frame.is_some_and(|newest| frame <= newest) || session.server.sent_more;
    let begun = session.begun.is_some() || session.server.is_remote();
    if frame > 0 && made && begun {
        session.acknowledged.insert(frame, sequence);
        while session.acknowledged.len() > MAX_ACKNOWLEDGED {
            session.acknowledged.pop_first();
        }
    }
}
