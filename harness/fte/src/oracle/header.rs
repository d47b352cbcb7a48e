//! What the headers of datagrams say, whichever transport they are of.

use crate::dialect::Transport;

/// Whether a datagram belongs to no connection, and the number of its unreliable part.
pub fn classify(transport: Transport, bytes: &[u8]) -> (bool, Option<u32>) {
    let long = |at: usize| bytes.get(at..).and_then(|rest| rest.first_chunk::<4>().copied());
    match transport {
        Transport::QuakeWorld => match long(0).map(u32::from_le_bytes) {
            Some(u32::MAX) => (true, None),
            Some(word) => (false, Some(word & 0x7fff_ffff)),
            None => (false, None),
        },
        Transport::NetQuake => match long(0).map(u32::from_be_bytes) {
            Some(word) if word & netquake::constants::NETFLAG_CTL != 0 => (true, None),
            Some(word) if word & netquake::constants::NETFLAG_UNRELIABLE != 0 => {
                (false, long(4).map(u32::from_be_bytes))
            }
            _ => (false, None),
        },
    }
}

/// Whether a client asks for a connection with a datagram.
pub fn asks_to_connect(transport: Transport, bytes: &[u8]) -> bool {
    let asks = match transport {
        Transport::QuakeWorld => bytes.get(4..).is_some_and(|text| text.starts_with(b"connect")),
        Transport::NetQuake => bytes.get(4) == Some(&netquake::constants::CCREQ_CONNECT),
    };
    asks && classify(transport, bytes).0
}

/// QuakeWorld: whether the server gives a client its challenge with a datagram.
pub fn gives_challenge(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xff\xff\xff\xffc")
}

/// QuakeWorld: whether the server accepts a client with a datagram.
pub fn is_accept(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xff\xff\xff\xffj")
}

/// QuakeWorld: the acknowledgement in a packet's header.
pub fn header_ack(transport: Transport, bytes: &[u8]) -> Option<u32> {
    let long = bytes.get(4..).and_then(|rest| rest.first_chunk::<4>().copied());
    long.filter(|_| transport == Transport::QuakeWorld).map(|long| u32::from_le_bytes(long) & 0x7fff_ffff)
}

/// QuakeWorld: whether a datagram has a reliable part.
pub fn has_reliable_part(transport: Transport, bytes: &[u8]) -> bool {
    transport == Transport::QuakeWorld && bytes.get(3).is_some_and(|byte| byte & 0x80 != 0)
}
