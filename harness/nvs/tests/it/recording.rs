//! What an engine sent over protocol 15, read as a client of NVS reads it: a plain client's stream, every byte of it.

use kit::{Direction, Dissection, Dissector, HostId};
use nvs::dissector::NvsDissector;

/// The recording: `direction sequence hex`, a datagram a line.
const RECORDING: &str = include_str!("../../../../golden/netquake/vectors/qss_protocol15.txt");

fn bytes(hex: &str) -> Vec<u8> {
    let value = |byte: u8| char::from(byte).to_digit(16).expect("hexadecimal digits") as u8;
    hex.as_bytes().chunks(2).map(|pair| value(pair[0]) << 4 | value(pair[1])).collect()
}

#[test]
fn a_recorded_game_over_protocol_15_reads_as_that_of_a_plain_client() {
    let mut dissector = NvsDissector::new(None);
    let (mut datagrams, mut messages) = (0, 0);
    for line in RECORDING.lines() {
        let mut words = line.split_whitespace();
        let (Some(way), Some(_), Some(hex)) = (words.next(), words.next(), words.next()) else { continue };
        let direction = match way {
            "s2c" => Direction::ServerToClient,
            _ => continue,
        };
        let mut out = Dissection::default();
        dissector.datagram(HostId(1), direction, &bytes(hex), &mut out);
        assert_eq!(out.error, None, "{line}");
        datagrams += 1;
        messages += out.messages;
    }
    assert!(datagrams > 10 && messages > datagrams, "{datagrams} datagrams, {messages} messages");
    assert!(dissector.extensions().is_empty(), "nobody told versions");
}
