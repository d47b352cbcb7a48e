//! The protocol as its users meet it: bytes worked by hand, recordings of engines, and the machines over bad networks.

mod machine;
mod recordings;
mod vectors;

/// The bytes of a hexadecimal text; blanks are for the eye.
fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let digit = |byte: u8| char::from(byte).to_digit(16).expect("hexadecimal digits") as u8;
    digits.chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}
