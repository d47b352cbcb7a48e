//! Who is admitted, and as what.

use crate::machine::address::Address;
use crate::machine::latitude::Latitude;
use crate::wire::constants::*;
use crate::wire::handshake::Connect;
use kit::PeerId;
use netchan::{HEADER_BYTES, Qport};

/// Shortest payload that a client can ask for, in bytes: what the longest message of a sign-on needs.
pub const MIN_PAYLOAD: u32 = 128;

/// Who a client is, and what it has asked for.
#[derive(Clone, Copy, Debug)]
pub struct Admission {
    /// Its number, 1 and up: that of its host.
    pub client: u16,
    /// Whom to answer.
    pub peer: PeerId,
    /// Where that is.
    pub address: Address,
    /// The protocol.
    pub protocol: u32,
    /// The number of its connect.
    pub qport: u32,
    /// Longest datagram to it, in bytes.
    pub length: usize,
    /// The revision of its connect.
    pub minor: Option<u16>,
    /// Bytes in a second that it asks for; 0 for no limit.
    pub rate: u32,
}

/// Whether a client is known by its port, too: one that has no number.
pub fn known_by_port(qport: Qport) -> bool {
    // R1Q2-QPORT-05, R1Q2-QPORT-06
    qport == Qport::Absent
}

/// How long datagrams may be to a client that asks for this, in bytes; `None` if it asks for nonsense.
pub fn length(connect: &Connect<'_>, latitude: &Latitude) -> Option<usize> {
    if connect.protocol == PROTOCOL_ORIGINAL {
        // R1Q2-LEN-02
        return Some(MAX_MSGLEN_ORIGINAL);
    }
    let asked = match connect.tail.max_length {
        // R1Q2-LEN-05
        Some(0) => MAX_PAYLOAD,
        Some(asked) => asked.max(latitude.raised_length),
        None => latitude.missing_length,
    };
    let header = if latitude.header_on_top || asked == MAX_PAYLOAD { HEADER_BYTES } else { 0 };
    // R1Q2-LEN-03
    let length = asked.min(latitude.length_cap) as usize + header;
    let least = latitude.least_length.max(MIN_PAYLOAD);
    (least..=MAX_PAYLOAD).contains(&asked).then_some(length)
}
