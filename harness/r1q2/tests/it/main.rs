//! The codec against bytes made by hand, recorded traffic of engines, and arbitrary input.

mod captures;
mod machine;
mod messages;
mod oracle;
mod round_trip;
mod state_machine;
mod twins;
mod vectors;

use kit::Direction;

/// The recordings, by name.
const RECORDINGS: [&str; 6] = [
    "r1q2_b5183_p34",
    "r1q2_b5183_p35_minor1901",
    "r1q2_b5183_p35_frames_in_zpackets",
    "r1q2_b8012_zdownload",
    "q2pro_p35_minor1905",
    "q2pro_p35_bigmap",
];

/// The text of a recording of an engine, a datagram a line.
fn captured(name: &str) -> &'static str {
    match name {
        "r1q2_b5183_p34" => include_str!("../../../../golden/r1q2/vectors/r1q2_b5183_p34.txt"),
        "r1q2_b5183_p35_minor1901" => include_str!("../../../../golden/r1q2/vectors/r1q2_b5183_p35_minor1901.txt"),
        "r1q2_b5183_p35_frames_in_zpackets" => {
            include_str!("../../../../golden/r1q2/vectors/r1q2_b5183_p35_frames_in_zpackets.txt")
        }
        "r1q2_b8012_zdownload" => include_str!("../../../../golden/r1q2/vectors/r1q2_b8012_zdownload.txt"),
        "q2pro_p35_minor1905" => include_str!("../../../../golden/r1q2/vectors/q2pro_p35_minor1905.txt"),
        "q2pro_p35_bigmap" => include_str!("../../../../golden/r1q2/vectors/q2pro_p35_bigmap.txt"),
        _ => panic!("no recording is called {name}"),
    }
}

/// One line of a recording.
struct Datagram {
    direction: Direction,
    /// Where it went, and its number: `C>S seq=5R`.
    place: String,
    bytes: Vec<u8>,
}

/// The datagrams of a recording: `C>S|S>C key=value… hex  # remark`.
fn datagrams(name: &str) -> impl Iterator<Item = Datagram> {
    captured(name).lines().map(move |line| {
        let said = line.split("  #").next().expect("a line");
        let mut words = said.split_whitespace();
        let way = words.next().expect("a direction");
        let direction = match way {
            "C>S" => Direction::ClientToServer,
            "S>C" => Direction::ServerToClient,
            other => panic!("no direction: {other}"),
        };
        let place = format!("{way} {}", words.next().expect("a number"));
        let (mut length, mut bytes) = (0, Vec::new());
        for word in words {
            match word.split_once('=') {
                Some(("len", value)) => length = value.parse().expect("a length"),
                Some(_) => {}
                None => bytes = hex_bytes(word),
            }
        }
        assert_eq!(bytes.len(), length, "{name}: {place}");
        Datagram { direction, place, bytes }
    })
}

/// Bytes from hexadecimal digits; blanks are for the reader.
fn hex_bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let value = |byte: u8| char::from(byte).to_digit(16).expect("hexadecimal digits") as u8;
    digits.chunks(2).map(|pair| value(pair[0]) << 4 | value(pair[1])).collect()
}
