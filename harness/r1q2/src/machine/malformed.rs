//! What a server sends wrongly because a scenario wants it, to see what a client makes of it.
//!
//! These are not the server's failures: the oracle knows the instruction.

use crate::wire::constants::*;
use crate::wire::deflate::deflate;
use crate::wire::message::write_zpacket;
use crate::wire::service::Service;
use kit::{DecodeError, Writer};

/// What every malformed zpacket would print, read to its end.
pub const TEXT: &[u8] = b"malformed\n";
/// How often the text is in a zpacket, so that it compresses.
const TIMES: usize = 12;
/// Services without an effect after a zpacket that is in another.
const NOPS: usize = 100;
/// What a bomb inflates to, in bytes: more than a length can state.
const BOMB_BYTES: usize = 1 << 18;
/// Bytes that a zpacket states, and does not have.
const MISSING: u16 = 100;
/// A bit beside the service that a frame over protocol 34 has: over protocol 35 it would be that of the statistics.
pub const STRAY_BIT: u8 = 0x40;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// A zpacket that is longer than its datagram.
    TooLong,
    /// A zpacket that stands for nothing.
    Empty,
    /// A zpacket whose data ends before its end mark.
    CutOff,
    /// A zpacket that holds more than it states.
    HoldsMore,
    /// A zpacket that holds less than it states.
    HoldsLess,
    /// A zpacket of something that is no deflate data.
    NoDeflate,
    /// A zpacket that holds a thousand times what it states.
    Bomb,
    /// A zpacket in a zpacket, which is right in both.
    Nested,
    /// Over protocol 34: a frame with a bit beside its service.
    StrayBit,
}

/// All of them; a scenario names one by its place.
pub const MALFORMED: [Malformed; 9] = [
    Malformed::TooLong,
    Malformed::Empty,
    Malformed::CutOff,
    Malformed::HoldsMore,
    Malformed::HoldsLess,
    Malformed::NoDeflate,
    Malformed::Bomb,
    Malformed::Nested,
    Malformed::StrayBit,
];

impl Malformed {
    /// The one that a scenario names, if it makes sense over this protocol.
    pub fn named(place: i32, protocol: u32) -> Option<Malformed> {
        let kind = usize::try_from(place).ok().and_then(|place| MALFORMED.get(place)).copied();
        kind.filter(|kind| (*kind == Malformed::StrayBit) == (protocol == PROTOCOL_ORIGINAL))
    }

    /// What makes a zpacket unreadable, as far as that can be seen, if it is that.
    pub fn of(error: &DecodeError) -> Option<Malformed> {
        match error.field {
            "compressed length" | "uncompressed length" => Some(Malformed::CutOff),
            "compressed data" => Some(Malformed::NoDeflate),
            "zpacket" => Some(Malformed::Nested),
            _ => None,
        }
    }

    /// What is sent in place of a frame; nothing for [`Malformed::StrayBit`], which is one.
    pub fn message(self) -> Vec<u8> {
        let plain = text();
        let mut packed = Vec::new();
        deflate(&plain, &mut packed);
        let (bytes, length) = (packed.len() as u16, plain.len() as u16);
        match self {
            Malformed::TooLong => zpacket(bytes + MISSING, length, &packed),
            Malformed::Empty => zpacket(bytes, 0, &packed),
            Malformed::CutOff => zpacket(bytes - 3, length, &packed[..packed.len() - 3]),
            Malformed::HoldsMore => zpacket(bytes, length / 2, &packed),
            Malformed::HoldsLess => zpacket(bytes, length + MISSING, &packed),
            // The kind of block that deflate does not have.
            Malformed::NoDeflate => zpacket(bytes, length, &vec![0xff; packed.len()]),
            Malformed::Bomb => {
                packed.clear();
                deflate(&plain.repeat(BOMB_BYTES / plain.len()), &mut packed);
                zpacket(packed.len() as u16, length, &packed)
            }
            Malformed::Nested => {
                let (mut inner, mut outer) = (Vec::new(), Vec::new());
                write_zpacket(&mut Writer::new(&mut inner), &plain);
                // So that the outer one is worth it, too.
                inner.resize(inner.len() + NOPS, SVC_NOP);
                deflate(&inner, &mut outer);
                zpacket(outer.len() as u16, inner.len() as u16, &outer)
            }
            Malformed::StrayBit => Vec::new(),
        }
    }
}

/// Services that print the text.
fn text() -> Vec<u8> {
    let mut print = Vec::new();
    Service::Print { level: 2, text: TEXT }.write(&mut Writer::new(&mut print));
    print.repeat(TIMES)
}

/// A zpacket with these lengths, whatever they are.
fn zpacket(packed: u16, plain: u16, data: &[u8]) -> Vec<u8> {
    let mut message = Vec::new();
    let mut w = Writer::new(&mut message);
    w.u8("svc", SVC_ZPACKET);
    w.u16("compressed length", packed);
    w.u16("uncompressed length", plain);
    w.bytes("compressed data", data);
    message
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::dialect::Dialect;
    use crate::wire::message::{Carrier, Listener, Walk};
    use kit::{Direction, Reader};

    struct Ignores;

    impl Listener for Ignores {}

    /// Reads what is sent, with zpackets read so deep: whether that succeeds.
    fn reads(kind: Malformed, nesting: usize) -> bool {
        let (mut dialect, mut ignores) = (Dialect::r1q2(MINOR_SOURCE), Ignores);
        let carrier =
            Carrier { direction: Direction::ServerToClient, reliable: false, sequence: 1, acknowledged: 0, nesting: 0 };
        let mut walk = Walk::new(&mut dialect, carrier, &mut ignores);
        walk.nesting = nesting;
        walk.services(&mut Reader::new(&kind.message())).is_ok()
    }

    #[test]
    fn nothing_malformed_can_be_read_but_one_zpacket_in_another_by_those_who_go_that_deep() {
        for kind in MALFORMED.into_iter().filter(|kind| *kind != Malformed::StrayBit) {
            let message = kind.message();
            assert!(message.len() < 600, "{kind:?}: {} bytes", message.len());
            assert_eq!((reads(kind, 1), reads(kind, 2)), (false, kind == Malformed::Nested), "{kind:?}");
        }
    }

    #[test]
    fn each_makes_sense_over_one_protocol() {
        assert_eq!(Malformed::named(0, PROTOCOL_R1Q2), Some(Malformed::TooLong));
        assert_eq!(Malformed::named(8, PROTOCOL_ORIGINAL), Some(Malformed::StrayBit));
        for (place, protocol) in [(0, PROTOCOL_ORIGINAL), (8, PROTOCOL_R1Q2), (9, PROTOCOL_R1Q2), (-1, PROTOCOL_R1Q2)] {
            assert_eq!(Malformed::named(place, protocol), None);
        }
    }
}
