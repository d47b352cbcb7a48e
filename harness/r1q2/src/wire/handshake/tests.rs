use super::*;

const USERINFO: &[u8] = b"\\name\\harness\\skin\\male/grunt\\rate\\25000";

fn connect(protocol: u32, tail: Tail) -> Connect<'static> {
    Connect { protocol, qport: 13, challenge: -5, userinfo: USERINFO, tail }
}

/// Writes a connect to its text, and reads it back.
#[track_caller]
fn check(connect: Connect<'_>, text: &str) {
    let mut out = Vec::new();
    ClientPacket::Connect(connect).write(&mut Writer::new(&mut out));
    assert_eq!(String::from_utf8_lossy(&out[4..]), text);
    assert!(is_out_of_band(&out));
    assert_eq!(ClientPacket::read(&mut Reader::new(&out)), Ok(ClientPacket::Connect(connect)));
}

#[test]
fn a_connect_of_protocol_34_ends_with_its_userinfo() {
    check(connect(34, Tail::default()), "connect 34 13 -5 \"\\name\\harness\\skin\\male/grunt\\rate\\25000\"\n");
}

#[test]
fn a_connect_of_protocol_35_adds_a_length_and_perhaps_a_revision() {
    let text = "connect 35 13 -5 \"\\name\\harness\\skin\\male/grunt\\rate\\25000\"";
    check(connect(35, Tail::default()), &format!("{text}\n"));
    let length = Tail { max_length: Some(1390), ..Tail::default() };
    check(connect(35, length), &format!("{text} 1390\n"));
    check(connect(35, Tail { minor: Some(1905), ..length }), &format!("{text} 1390 1905\n"));
}

#[test]
fn a_connect_of_protocol_36_has_the_revision_last() {
    let tail = Tail { max_length: Some(0), netchan: Some(1), zlib: Some(1), minor: Some(1021) };
    check(connect(36, tail), "connect 36 13 -5 \"\\name\\harness\\skin\\male/grunt\\rate\\25000\" 0 1 1 1021\n");
}

#[test]
fn a_connect_that_lacks_a_field_says_which() {
    let mut r = Reader::new(b"\xff\xff\xff\xffconnect 35 13\n");
    let kind = ErrorKind::Truncated { need: 1, have: 0 };
    assert_eq!(ClientPacket::read(&mut r), Err(DecodeError { offset: 17, field: "challenge", kind }));
}

#[test]
fn arguments_that_protocol_34_does_not_have_are_ignored() {
    let mut r = Reader::new(b"\xff\xff\xff\xffconnect 34 7 8 \"x\" 1390 1905\n");
    let Ok(ClientPacket::Connect(connect)) = ClientPacket::read(&mut r) else { panic!("a connect") };
    assert_eq!(connect.tail, Tail::default());
}

#[track_caller]
fn check_answer(packet: ServerPacket<'_>, text: &[u8]) {
    let mut out = Vec::new();
    packet.write(&mut Writer::new(&mut out));
    assert_eq!(&out[4..], text);
    assert_eq!(ServerPacket::read(&mut Reader::new(&out)), Ok(packet));
}

#[test]
fn answers_of_a_server_are_written_and_read() {
    check_answer(ServerPacket::Challenge { challenge: 5, protocols: Protocols(None) }, b"challenge 5");
    let protocols = Protocols(Some(b"34,35,36"));
    check_answer(ServerPacket::Challenge { challenge: -5, protocols }, b"challenge -5 p=34,35,36");
    check_answer(ServerPacket::ClientConnect { extra: b"" }, b"client_connect");
    check_answer(ServerPacket::ClientConnect { extra: b" map=q2dm1" }, b"client_connect map=q2dm1");
    check_answer(ServerPacket::Print { text: b"Bad challenge.\n" }, b"print\nBad challenge.\n");
    check_answer(ServerPacket::Other { text: b"ack" }, b"ack");
}

#[test]
fn a_list_of_protocols_says_what_is_spoken() {
    let listed = |list: Option<&'static [u8]>, protocol| Protocols(list).include(protocol);
    assert_eq!(listed(None, 35), None);
    assert_eq!(listed(Some(b"34,35"), 35), Some(true));
    assert_eq!(listed(Some(b"34"), 35), Some(false));
}

#[test]
fn a_userinfo_needs_a_name_that_shows_and_neither_quotes_nor_semicolons() {
    assert_eq!(value_of(USERINFO, b"skin"), Some(&b"male/grunt"[..]));
    assert_eq!(value_of(USERINFO, b"fov"), None);
    for (userinfo, valid) in [
        (USERINFO, true),
        (b"\\name\\ ", false),
        (b"\\skin\\x", false),
        (b"\\name\\x;y", false),
        (b"\\name\\x\\a\\\"", false),
    ] {
        assert_eq!(is_valid_userinfo(userinfo), valid, "{}", userinfo.escape_ascii());
    }
}

#[test]
fn a_connect_tells_the_size_of_the_number() {
    assert_eq!(announced(34, 0), Qport::Short(0));
    assert_eq!(announced(34, 4660), Qport::Short(4660));
    assert_eq!(announced(35, 0), Qport::Absent);
    assert_eq!(announced(35, 255), Qport::Byte(255));
    assert_eq!(announced(35, 300), Qport::Absent);
}
