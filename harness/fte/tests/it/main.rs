//! The codec against golden bytes, recorded traffic of engines, and arbitrary input; the machines against a model.

mod captures;
mod machine;
#[path = "../model/mod.rs"]
mod model;
mod round_trip;
mod vectors;

/// The text of a recording of an engine: `direction sequence hex`, a datagram a line.
fn captured(name: &str) -> &'static str {
    match name {
        "fteqw_qw_deltas" => include_str!("../../../../golden/fte/vectors/fteqw_qw_deltas.txt"),
        "fteqw_qw_deltas_predinfo" => include_str!("../../../../golden/fte/vectors/fteqw_qw_deltas_predinfo.txt"),
        "fteqw_qw_floatcoords" => include_str!("../../../../golden/fte/vectors/fteqw_qw_floatcoords.txt"),
        "fteqw_nq_deltas_predinfo" => include_str!("../../../../golden/fte/vectors/fteqw_nq_deltas_predinfo.txt"),
        "fteqw_nq_ack_minus1" => include_str!("../../../../golden/fte/vectors/fteqw_nq_ack_minus1.txt"),
        "qss_nq_deltas_predinfo" => include_str!("../../../../golden/fte/vectors/qss_nq_deltas_predinfo.txt"),
        "qss_protocol15" => include_str!("../../../../golden/netquake/vectors/qss_protocol15.txt"),
        "qss_fitz666" => include_str!("../../../../golden/netquake/vectors/qss_fitz666.txt"),
        _ => panic!("no recording is called {name}"),
    }
}

/// Bytes from hexadecimal digits; blanks are for the reader.
fn hex_bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let value = |byte: u8| char::from(byte).to_digit(16).expect("hexadecimal digits") as u8;
    digits.chunks(2).map(|pair| value(pair[0]) << 4 | value(pair[1])).collect()
}
