//! Walks over whole messages, zpackets included, and sessions as a tap follows them.

use kit::{DecodeError, Direction, Dissection, Dissector, ErrorKind, Form, HostId, Reader, Writer};
use netchan::{Netchan, Qport, Resend, Settings, Side};
use r1q2::dissector::{self, MARKS, R1q2Dissector};
use r1q2::tap::Tap;
use r1q2::wire::command::Command;
use r1q2::wire::constants::*;
use r1q2::wire::deflate::{self, MAX_INFLATED_PER_DATAGRAM};
use r1q2::wire::dialect::Dialect;
use r1q2::wire::handshake::{ClientPacket, Connect, Protocols, ServerPacket, Tail};
use r1q2::wire::message::{self, Carrier, Listener, Walk};
use r1q2::wire::service::{R1q2Data, ServerData, Service};

const P34: Dialect = Dialect::ORIGINAL;
const P35: Dialect = Dialect::r1q2(MINOR_SOURCE);

/// Collects texts: those inside of a zpacket in brackets.
#[derive(Default)]
struct Collected(Vec<String>);

impl Listener for Collected {
    fn service(&mut self, carrier: &Carrier, service: &Service<'_>) {
        let text = match service {
            Service::Print { text, .. } => String::from_utf8_lossy(text).into_owned(),
            Service::Nop => String::from("nop"),
            _ => String::from("other"),
        };
        self.0.push(if carrier.nesting > 0 { format!("[{text}]") } else { text });
    }
    fn command(&mut self, _: &Carrier, command: &Command<'_>) {
        self.0.push(match command {
            Command::StringCmd { text } => String::from_utf8_lossy(text).into_owned(),
            _ => String::from("other"),
        });
    }
}

fn carrier(direction: Direction) -> Carrier {
    Carrier { direction, reliable: false, sequence: 1, acknowledged: 0, nesting: 0 }
}

/// Walks services: what was collected, and how it ended.
fn walk(bytes: &[u8], mut dialect: Dialect) -> (Vec<String>, Result<(), DecodeError>) {
    let mut collected = Collected::default();
    let mut walk = Walk::new(&mut dialect, carrier(Direction::ServerToClient), &mut collected);
    let walked = walk.services(&mut Reader::new(bytes));
    (collected.0, walked)
}

fn print(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    Service::Print { level: 2, text: text.as_bytes() }.write(&mut Writer::new(&mut out));
    out
}

/// A zpacket with lengths of its own choosing.
fn zpacket(packed: &[u8], length: usize) -> Vec<u8> {
    let lengths = [packed.len() as u16, length as u16].map(u16::to_le_bytes).concat();
    [&[SVC_ZPACKET][..], &lengths, packed].concat()
}

fn deflated(plain: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    deflate::deflate(plain, &mut packed);
    packed
}

/// A zpacket that is as it should be.
fn packed(plain: &[u8]) -> Vec<u8> {
    zpacket(&deflated(plain), plain.len())
}

#[test]
fn a_zpacket_is_read_as_what_it_stands_for_and_what_follows_is_read_too() {
    let bytes = [print("a"), packed(&[print("b"), print("c")].concat()), print("d"), packed(&print("e"))].concat();
    let (collected, walked) = walk(&bytes, P35);
    assert_eq!((collected.join(" "), walked), (String::from("a [b] [c] d [e]"), Ok(())));
}

#[test]
fn a_stored_zpacket_worked_by_hand_is_read() {
    // Service 21, six compressed bytes for one; deflate: final and stored, length 1 and its complement, svc_nop.
    let (collected, walked) = walk(&[21, 6, 0, 1, 0, 0x01, 1, 0, 0xfe, 0xff, 6, 6], P35);
    assert_eq!((collected.join(" "), walked), (String::from("[nop] nop"), Ok(())));
}

/// A zpacket that cannot be read: where, which field, and what is said of it.
#[track_caller]
fn check_refused(bytes: &[u8], dialect: Dialect, offset: usize, field: &str, text: &str) {
    let (collected, walked) = walk(bytes, dialect);
    let error = walked.expect_err("refused");
    assert_eq!((error.offset, error.field, error.kind.to_string().as_str()), (offset, field, text));
    assert!(collected.is_empty(), "{collected:?}");
}

#[test]
fn zpackets_that_cannot_be_read_say_why() {
    let plain = print("some text, some text, some text");
    let good = deflated(&plain);
    let refused = |bytes: Vec<u8>, offset, field, text| check_refused(&bytes, P35, offset, field, text);
    let lengths = zpacket(&good, plain.len());
    let need = format!("needs {} bytes, {} left", good.len(), good.len() - 1);
    refused(lengths[..lengths.len() - 1].to_vec(), 5, "compressed data", &need);
    refused(lengths[..4].to_vec(), 3, "uncompressed length", "needs 2 bytes, 1 left");
    let more = format!("value {:#x} is not allowed here: ", plain.len() - 1);
    let text = more + "the compressed data holds more bytes than announced";
    refused(zpacket(&good, plain.len() - 1), 5, "compressed data", &text);
    let fewer = format!("value {:#x} is not allowed here: ", plain.len() + 1);
    let text = fewer + "the compressed data holds fewer bytes than announced";
    refused(zpacket(&good, plain.len() + 1), 5, "compressed data", &text);
    let text = "value 0x0 is not allowed here: a compressed block stands for at least one byte";
    refused(zpacket(&good, 0), 3, "uncompressed length", text);
    refused(zpacket(&[&good[..], &[0]].concat(), plain.len()), 5, "compressed data", "1 bytes left over");
    let wrapped = [&[0x78, 0x9c], &good[..]].concat();
    assert!(walk(&zpacket(&wrapped, plain.len()), P35).1.is_err());
    check_refused(&packed(&plain), P34, 0, "svc", "unknown value 0x15");
}

#[test]
fn a_zpacket_in_a_zpacket_is_refused() {
    let (collected, walked) = walk(&packed(&[print("outer"), packed(&print("inner"))].concat()), P35);
    assert_eq!(collected, ["[outer]"]);
    let error = walked.expect_err("refused");
    assert_eq!((error.offset, error.field), (print("outer").len() + 1, "zpacket"));
}

#[test]
fn many_bombs_in_one_datagram_are_stopped_at_a_limit() {
    let bomb = packed(&vec![SVC_NOP; 0xffff]);
    let (collected, walked) = walk(&bomb.repeat(5), P35);
    assert_eq!(collected.len(), MAX_INFLATED_PER_DATAGRAM);
    let kind = ErrorKind::TooLarge { value: 5 * 0xffff, limit: MAX_INFLATED_PER_DATAGRAM };
    assert_eq!(walked.map_err(|error| error.kind), Err(kind));
}

#[test]
fn what_compression_would_lengthen_is_not_written_as_a_zpacket() {
    let mut out = Vec::new();
    assert!(!message::write_zpacket(&mut Writer::new(&mut out), &print("x")));
    assert!(out.is_empty());
    let plain = print(&"again ".repeat(20));
    assert!(message::write_zpacket(&mut Writer::new(&mut out), &plain));
    assert!(out.len() < plain.len() && out == packed(&plain));
    assert!(!message::write_zpacket(&mut Writer::new(&mut out), &vec![0; 0x1_0000]));
}

#[test]
fn upper_bits_of_other_services_are_read_past_over_protocol_35_alone() {
    let bytes = [SVC_NOP | 0xe0];
    assert_eq!(walk(&bytes, P35), (vec![String::from("nop")], Ok(())));
    check_refused(&bytes, P34, 0, "svc", "unknown value 0xe6");
    check_refused(&[SVC_FRAME | 0x40], P34, 0, "svc", "unknown value 0x54");
}

#[test]
fn what_came_before_an_error_was_read() {
    let (collected, walked) = walk(&[print("a"), vec![SVC_NOP, 0x1f, SVC_NOP]].concat(), P35);
    assert_eq!(collected, ["a", "nop"]);
    assert_eq!(walked.map_err(|error| error.offset), Err(print("a").len() + 1));
}

/// A session on a wire worked by hand, as a tap receives it.
struct Session {
    tap: Tap,
    collected: Collected,
    client: Netchan,
    server: Netchan,
}

impl Session {
    fn new() -> Session {
        let netchan = |side| Netchan::new(side, Settings::quake2(1400, Resend::OneLater));
        let client = netchan(Side::Client(Qport::Absent));
        let server = netchan(Side::Server(Qport::Absent));
        Session { tap: Tap::new(P34), collected: Collected::default(), client, server }
    }

    fn tap(&mut self, direction: Direction, bytes: &[u8]) -> bool {
        self.tap.datagram(direction, bytes, None, &mut self.collected).expect("a datagram")
    }

    /// The client connects; the server answers if it does.
    fn connect(&mut self, protocol: u32, qport: u32, tail: Tail, answered: bool) {
        let connect = Connect { protocol, qport, challenge: 1, userinfo: b"\\name\\x", tail };
        let mut bytes = Vec::new();
        ClientPacket::Connect(connect).write(&mut Writer::new(&mut bytes));
        self.tap(Direction::ClientToServer, &bytes);
        if answered {
            bytes.clear();
            ServerPacket::ClientConnect { extra: b"" }.write(&mut Writer::new(&mut bytes));
            self.tap(Direction::ServerToClient, &bytes);
            let qport = r1q2::wire::handshake::announced(protocol, qport);
            self.client = Netchan::new(Side::Client(qport), Settings::quake2(1400, Resend::OneLater));
            self.server = Netchan::new(Side::Server(qport), Settings::quake2(1400, Resend::OneLater));
        }
    }

    fn up(&mut self, text: &[u8]) -> bool {
        let (mut message, mut bytes) = (Vec::new(), Vec::new());
        Command::StringCmd { text }.write(&mut Writer::new(&mut message), &self.tap.dialect);
        self.client.transmit(&message, &mut bytes);
        self.tap(Direction::ClientToServer, &bytes)
    }

    fn down(&mut self, message: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.server.transmit(message, &mut bytes);
        self.tap(Direction::ServerToClient, &bytes);
        bytes
    }

    fn serverdata(&mut self, protocol: u32, minor: u16) {
        let tail = (minor >= MINOR_STRAFE).then_some([0, 0]);
        let r1q2 = (protocol == PROTOCOL_R1Q2).then_some(R1q2Data { enhanced: 0, minor, tail });
        let mut bytes = Vec::new();
        let data =
            ServerData { protocol, spawncount: 1, attractloop: 0, gamedir: b"", playernum: 0, levelname: b"x", r1q2 };
        Service::ServerData(data).write(&mut Writer::new(&mut bytes));
        self.down(&bytes);
    }
}

fn tail(minor: Option<u16>) -> Tail {
    Tail { max_length: Some(1390), minor, ..Tail::default() }
}

#[test]
fn a_tap_learns_the_clients_number_and_the_revision() {
    for (protocol, qport, asked, announced, minor) in [
        (34, 4660, None, 0, 0),
        (35, 0, None, 1901, 1901),
        (35, 13, None, 1905, 1903),
        (35, 255, Some(1904), 1905, 1904),
        (35, 300, Some(1905), 1905, 1905),
    ] {
        let mut session = Session::new();
        session.connect(protocol, qport, tail(asked), true);
        session.up(b"new");
        session.serverdata(protocol, announced);
        session.up(b"begin 1");
        assert_eq!(session.tap.dialect, Dialect { protocol, minor, readings: Default::default() });
        assert_eq!(session.collected.0, ["new", "other", "begin 1"]);
    }
}

#[test]
fn a_client_that_falls_back_is_followed_into_protocol_34() {
    let mut session = Session::new();
    session.connect(35, 7, tail(None), true);
    session.up(b"new");
    session.serverdata(35, 1902);
    session.up(b"disconnect");
    session.connect(34, 7, Tail::default(), true);
    session.up(b"new");
    session.serverdata(34, 0);
    assert_eq!(session.tap.dialect, P34);
    assert_eq!(session.tap.asked.qport, Qport::Short(7));
    assert_eq!(session.collected.0, ["new", "other", "disconnect", "new", "other"]);
}

#[test]
fn a_connect_that_is_not_answered_changes_nothing() {
    let mut session = Session::new();
    session.connect(35, 7, tail(Some(1905)), true);
    session.up(b"new");
    session.serverdata(35, 1905);
    session.connect(34, 7, Tail::default(), false);
    session.up(b"still here");
    assert_eq!((session.tap.dialect.minor, session.collected.0.len()), (1905, 3));
    let mut refusal = Vec::new();
    ServerPacket::Challenge { challenge: 1, protocols: Protocols(None) }.write(&mut Writer::new(&mut refusal));
    session.tap(Direction::ServerToClient, &refusal);
    assert!(session.up(b"still here"));
}

#[test]
fn a_connection_that_begins_without_a_visible_answer_is_followed() {
    let mut session = Session::new();
    session.connect(35, 7, tail(Some(1904)), false);
    session.client = Netchan::new(Side::Client(Qport::Byte(7)), Settings::quake2(1400, Resend::OneLater));
    session.up(b"new");
    assert_eq!((session.collected.0, session.tap.dialect.minor), (vec![String::from("new")], 1904));
}

#[test]
fn stale_datagrams_tell_nothing() {
    let mut session = Session::new();
    session.connect(35, 0, tail(None), true);
    let first = session.down(&print("a"));
    session.down(&print("b"));
    assert!(!session.tap(Direction::ServerToClient, &first));
    assert_eq!(session.collected.0, ["a", "b"]);
}

#[test]
fn a_dissector_shows_the_fields_of_what_was_compressed() {
    let plain = [print("hello"), vec![SVC_NOP]].concat();
    let datagram = [&[1, 0, 0, 0x80, 0, 0, 0, 0][..], &packed(&plain)].concat();
    let mut dissector = R1q2Dissector::new(None);
    let mut out = Dissection { want_spans: true, ..Dissection::default() };
    dissector.datagram(HostId(1), Direction::ServerToClient, &datagram, &mut out);
    assert_eq!((out.error, out.messages), (None, 3));
    let [(bytes, spans)] = &out.assembled[..] else { panic!("one zpacket") };
    assert_eq!(bytes, &plain);
    let names: Vec<&str> = spans.iter().filter(|span| span.form != Form::Group).map(|span| span.field).collect();
    assert_eq!(names, ["svc", "level", "text", "svc"]);
    let marks: Vec<&str> = out.marks.iter().map(|mark| MARKS[mark.kind]).collect();
    assert_eq!(marks, ["zpacket", "print", "reliable"]);
    assert_eq!(out.summary, format!("zpacket {} of {}, print hello", deflated(&plain).len(), plain.len()));
}

#[test]
fn a_dissector_marks_what_is_stale_and_shows_its_header() {
    let mut dissector = R1q2Dissector::new(None);
    let mut out = Dissection { want_spans: true, ..Dissection::default() };
    let datagram = [5, 0, 0, 0, 0, 0, 0, 0, SVC_NOP];
    for stale in [false, true] {
        out.clear();
        dissector.datagram(HostId(1), Direction::ServerToClient, &datagram, &mut out);
        let marks: Vec<usize> = out.marks.iter().map(|mark| mark.kind).collect();
        assert_eq!(marks, if stale { vec![dissector::STALE] } else { Vec::new() });
        assert_eq!(out.messages, usize::from(!stale));
        assert_eq!(out.spans.last().map(|span| span.field), Some(if stale { "stale" } else { "svc" }));
        assert_eq!(out.summary, if stale { "stale" } else { "other messages" });
    }
}

#[test]
fn a_dissector_can_assume_what_a_capture_does_not_show() {
    let mut dissector = R1q2Dissector::new(None);
    let mut datagram = vec![1, 0, 0, 0, 0, 0, 0, 0];
    datagram.extend([CLC_SETTING, 1, 0, 2, 0]);
    let mut out = Dissection::default();
    dissector.assume("1905,qport0").expect("known names");
    dissector.datagram(HostId(1), Direction::ClientToServer, &datagram, &mut out);
    assert_eq!((out.error.take(), out.marks[0].kind), (None, dissector::SETTING));
    out.clear();
    dissector.assume("34").expect("a known name");
    dissector.datagram(HostId(1), Direction::ClientToServer, &datagram, &mut out);
    assert_eq!(out.error.map(|error| error.offset), Some(10), "two bytes are the client's number");
    let refusal = dissector.assume("36").expect_err("no such name");
    assert!(refusal.starts_with("nothing is called `36`; known are 34, 35, 1901 to 1905"), "{refusal}");
}
