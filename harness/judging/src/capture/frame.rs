//! From a captured link-layer frame to the UDP datagram inside.

use etherparse::{EtherType, NetSlice, SlicedPacket, TransportSlice};
use std::net::{IpAddr, SocketAddr};

/// Link types (the numbers of the pcap format) that are understood.
pub(super) const SUPPORTED: &str = "Ethernet, raw IP, BSD loopback and Linux cooked (SLL, SLL2)";

/// A UDP datagram inside a frame.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Udp<'a> {
    pub source: SocketAddr,
    pub destination: SocketAddr,
    pub payload: &'a [u8],
}

/// How a frame of some link type starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    Ethernet,
    /// An IP packet after this many bytes.
    Ip(usize),
    /// The Ethernet type as a big-endian short at the first offset, its payload at the second.
    Cooked(usize, usize),
}

impl Link {
    fn of(link_type: u32) -> Option<Link> {
        Some(match link_type {
            1 => Link::Ethernet,
            // Address family in four bytes of either byte order; the IP version says the same.
            0 | 108 => Link::Ip(4),
            12 | 14 | 101 | 228 | 229 => Link::Ip(0),
            113 => Link::Cooked(14, 16),
            276 => Link::Cooked(0, 20),
            _ => return None,
        })
    }
}

/// Whether frames of this link type are understood.
pub(super) fn is_supported(link_type: u32) -> bool {
    Link::of(link_type).is_some()
}

/// The UDP datagram in `data`, or the reason why there is none (in the plural, for counting).
///
/// `complete` is false when the capture kept only the first bytes of the frame.
pub(super) fn udp(link_type: u32, data: &[u8], complete: bool) -> Result<Udp<'_>, &'static str> {
    let broken = if complete { "with broken headers" } else { "cut short by the recorder" };
    let packet = match Link::of(link_type).ok_or("of an unknown link type")? {
        Link::Ethernet => SlicedPacket::from_ethernet(data),
        Link::Ip(skip) => SlicedPacket::from_ip(data.get(skip..).ok_or(broken)?),
        Link::Cooked(kind, payload) => {
            let kind = data.get(kind..).and_then(|rest| rest.first_chunk()).ok_or(broken)?;
            let ether_type = EtherType(u16::from_be_bytes(*kind));
            SlicedPacket::from_ether_type(ether_type, data.get(payload..).ok_or(broken)?)
        }
    }
    .map_err(|_| broken)?;
    let (source, destination): (IpAddr, IpAddr) = match &packet.net {
        Some(NetSlice::Ipv4(ip)) => (ip.header().source_addr().into(), ip.header().destination_addr().into()),
        Some(NetSlice::Ipv6(ip)) => (ip.header().source_addr().into(), ip.header().destination_addr().into()),
        _ => return Err("not IP"),
    };
    let fragmented = packet.net.as_ref().and_then(|net| net.ip_payload_ref()).is_some_and(|ip| ip.fragmented);
    match packet.transport {
        _ if fragmented => Err("IP fragments"),
        Some(TransportSlice::Udp(udp)) => Ok(Udp {
            source: SocketAddr::new(source, udp.source_port()),
            destination: SocketAddr::new(destination, udp.destination_port()),
            payload: udp.payload(),
        }),
        _ => Err("not UDP"),
    }
}
