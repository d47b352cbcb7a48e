//! Where a datagram stands: what its fate is drawn from.

use kit::{Direction, HostId, PacketId};

/// What a fate is drawn from, the seed aside: a [`PacketId`] without its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FateKey {
    /// The client at the link's far end (1 and up).
    pub client: HostId,
    /// The direction.
    pub direction: Direction,
    /// The slot of virtual time in which the datagram is sent.
    pub slot: u32,
    /// Its place among the datagrams of this link, direction and slot.
    pub ordinal: u16,
}

impl From<PacketId> for FateKey {
    fn from(packet: PacketId) -> FateKey {
        FateKey { client: packet.client, direction: packet.direction, slot: packet.slot, ordinal: packet.ordinal }
    }
}
