//! The agreement against recorded packets, and what people may type.

use super::*;

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).expect("vectors are hexadecimal") as u8;
    hex.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// The packet has these bytes and the bytes are read back; shorter ones are an error that names a field, but at the
/// lengths in `ends`, where a packet may end.
fn check_server(packet: ServerPacket<'_>, bytes: &[u8], ends: &[usize]) {
    let mut out = Vec::new();
    packet.write(&mut Writer::new(&mut out));
    assert_eq!(out, bytes);
    assert_eq!(ServerPacket::read(&mut Reader::new(bytes)), Ok(packet));
    for length in 0..bytes.len() {
        match ServerPacket::read(&mut Reader::new(&bytes[..length])) {
            Ok(_) => assert!(ends.contains(&length), "{length} bytes"),
            Err(error) => assert!(!ends.contains(&length) && !error.field.is_empty(), "{length} bytes: {error}"),
        }
    }
}

fn check(packet: ClientPacket<'_>, bytes: &[u8]) {
    let mut out = Vec::new();
    packet.write(&mut Writer::new(&mut out));
    assert_eq!(out, bytes);
    assert_eq!(ClientPacket::read(&mut Reader::new(bytes)), Ok(packet));
    for length in 0..bytes.len() {
        match ClientPacket::read(&mut Reader::new(&bytes[..length])) {
            Ok(shorter) => assert!(length > 4 || shorter == ClientPacket::Other { text: b"" }),
            Err(error) => assert!(!error.field.is_empty()),
        }
    }
}

const USERINFO: &[u8] = b"\\name\\probe\\rate\\100000\\*client\\probe\\topcolor\\0\\bottomcolor\\0";

#[test]
fn a_challenge_is_as_fteqw_sends_it() {
    // fteqw_qw_deltas.txt
    let entries = Entries {
        fte1: Some(0xedfe_ffdf),
        fte2: Some(0x17f),
        mvd1: Some(1),
        fragment: Some(1440),
        ..Entries::default()
    };
    let packet = ServerPacket::Challenge { challenge: -1_028_785_603, entries };
    let datagram =
        bytes("ffffffff632d313032383738353630330046544558dffffeed465445327f0100004d5644310100000046524147a0050000");
    check_server(packet, &datagram, &[17, 25, 33, 41]);
    assert_eq!((entries.fte1, entries.fte2), (Some(0xedfe_ffdf), Some(0x17f)));
    assert_eq!(entries.fragment_bytes(), Some(1440));
    assert_eq!(Entries { fragment: Some(64), ..entries }.fragment_bytes(), None);
}

#[test]
fn the_other_answers_are_short() {
    // fteqw_qw_deltas.txt
    check_server(ServerPacket::Accept, &bytes("ffffffff6a0a"), &[5]);
    let full = ServerPacket::Print { text: b"full\n" };
    check_server(full, b"\xff\xff\xff\xffnfull\n\0", &[5, 6, 7, 8, 9, 10]);
    let error = ServerPacket::read(&mut Reader::new(b"\xff\xff\xff\xffz")).unwrap_err();
    assert_eq!(error.to_string(), "type at byte 4: unknown value 0x7a");
    let error = ServerPacket::read(&mut Reader::new(b"\xff\xff\xff\xfej")).unwrap_err();
    assert_eq!(error.to_string(), "out of band at byte 0: unknown value 0xfeffffff");
}

#[test]
fn all_entries_of_a_challenge_are_read_back() {
    let entries = Entries {
        fragment: Some(8192),
        huffman: Some(0x8686_8686),
        dtls: Some(2),
        guid: Some(b"abcde"),
        ..Entries::default()
    };
    let datagram = b"\xff\xff\xff\xffc5\0FRAG\0\x20\0\0HUFF\x86\x86\x86\x86DTLS\x02\0\0\0vlen\x05\0\0\0GUIDabcde";
    check_server(ServerPacket::Challenge { challenge: 5, entries }, datagram, &[7, 15, 23, 31]);
}

#[test]
fn unknown_entries_of_a_challenge_are_skipped() {
    let entries = Entries { fte2: Some(0x28), ..Entries::default() };
    let datagram = b"\xff\xff\xff\xffc1\0WHATevervlen\x03\0\0\0EVERxyzFTE2\x28\0\0\0";
    let packet = ServerPacket::read(&mut Reader::new(datagram)).unwrap();
    assert_eq!(packet, ServerPacket::Challenge { challenge: 1, entries });
    let datagram = b"\xff\xff\xff\xffc1\0vlen\xff\xff\xff\xffGUIDxyz";
    let error = ServerPacket::read(&mut Reader::new(datagram)).unwrap_err();
    assert_eq!(error.to_string(), "data at byte 19: needs 4294967295 bytes, 3 left");
}

#[test]
fn requests_are_as_the_recorded_client_sent_them() {
    // fteqw_qw_deltas.txt, fteqw_qw_floatcoords.txt
    check(ClientPacket::GetChallenge, &bytes("ffffffff6765746368616c6c656e67650a"));
    let entries = Entries { fte2: Some(8), ..Entries::default() };
    let connect = Connect::new(8895, -1_028_785_603, USERINFO, entries);
    check(
        ClientPacket::Connect(connect),
        &bytes(concat!(
            "ffffffff636f6e6e6563742032382038383935202d3130323837383536303320225c6e616d655c70726f62655c726174655c3130",
            "303030305c2a636c69656e745c70726f62655c746f70636f6c6f725c305c626f74746f6d636f6c6f725c30220a30783332343535",
            "343436203078380a"
        )),
    );
    let entries = Entries { fte1: Some(0x8000), fte2: Some(0x28), ..Entries::default() };
    check(
        ClientPacket::Connect(Connect::new(53232, 323_936_157, USERINFO, entries)),
        &bytes(concat!(
            "ffffffff636f6e6e6563742032382035333233322033323339333631353720225c6e616d655c70726f62655c726174655c313030",
            "3030305c2a636c69656e745c70726f62655c746f70636f6c6f725c305c626f74746f6d636f6c6f725c30220a3078353834353534",
            "3436203078383030300a3078333234353534343620307832380a"
        )),
    );
    check(ClientPacket::Other { text: b"status\n" }, b"\xff\xff\xff\xffstatus\n");
}

#[test]
fn extension_lines_may_be_decimal_unknown_or_stripped() {
    let read = |lines: &str| {
        let text = format!("connect 28 7 5 \"\\name\\a b\"\n{lines}");
        let datagram = [&[0xff; 4], text.as_bytes()].concat();
        match ClientPacket::read(&mut Reader::new(&datagram)) {
            Ok(ClientPacket::Connect(connect)) => {
                assert_eq!((connect.version, connect.qport, connect.challenge), (28, 7, 5));
                assert_eq!(connect.userinfo, b"\\name\\a b");
                let entries = connect.entries;
                ((entries.fte1, entries.fte2), entries.fragment, entries.guid.map(|guid| guid.to_vec()))
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(read(""), ((None, None), None, None));
    let lines = "0x99999999 1 2 3\n\n843404358 40\n0x47415246 1440\n0x44495547 \"a guid\"\n0x58455446";
    assert_eq!(read(lines), ((None, Some(40)), Some(1440), Some(b"a guid".to_vec())));
}

#[test]
fn a_connect_without_a_field_is_an_error_that_names_it() {
    for (text, message) in [
        ("connect", "version at byte 11: needs 1 bytes, 0 left"),
        ("connect 28", "qport at byte 14: needs 1 bytes, 0 left"),
        ("connect 28 1", "challenge at byte 16: needs 1 bytes, 0 left"),
        ("connect 28 1 2\n\"x\"", "userinfo at byte 18: needs 1 bytes, 0 left"),
    ] {
        let datagram = [&[0xff; 4], text.as_bytes()].concat();
        assert_eq!(ClientPacket::read(&mut Reader::new(&datagram)).unwrap_err().to_string(), message);
    }
}

#[test]
fn a_userinfo_cannot_break_out_of_its_quotes() {
    let connect = Connect::new(1, 2, b"\\a\\x\"\n0x1 2", Entries { guid: Some(b"g\"\n"), ..Entries::default() });
    let mut out = Vec::new();
    ClientPacket::Connect(connect).write(&mut Writer::new(&mut out));
    assert_eq!(&out[4..], b"connect 28 1 2 \"\\a\\x0x1 2\"\n0x44495547 \"g\"\n");
}

#[test]
fn no_bytes_make_the_handshake_panic() {
    let vectors: [&[u8]; 4] = [
        b"\xff\xff\xff\xffc-5\0FTEX\0\x80\0\0vlen\x02\0\0\0GUIDab",
        b"\xff\xff\xff\xffconnect 28 1 2 \"\\a\\b\"\n0x32455446 0x28\n",
        b"\xff\xff\xff\xffnfull\n\0",
        b"\xff\xff\xff\xffpext 0x32455446 0x28 \"a b\" 1",
    ];
    let mut state = 1u32;
    let mut roll = |sides: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % sides
    };
    let (mut read, mut refused) = (0, 0);
    for round in 0..40_000 {
        let mut bytes = vectors[round % vectors.len()].to_vec();
        for _ in 0..=roll(4) {
            let at = 4 + roll(bytes.len() - 4);
            bytes[at] = roll(256) as u8;
        }
        bytes.truncate(4 + roll(bytes.len() - 3));
        let results = [
            ServerPacket::read(&mut Reader::new(&bytes)).is_ok(),
            ClientPacket::read(&mut Reader::new(&bytes)).is_ok(),
        ];
        read += results.iter().filter(|ok| **ok).count();
        refused += results.iter().filter(|ok| !**ok).count();
    }
    assert!(read > 10_000 && refused > 10_000, "{read} {refused}");
}
