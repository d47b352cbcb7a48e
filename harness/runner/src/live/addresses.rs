//! Which remote address is which client.

use kit::{HostId, Time};
use std::net::SocketAddr;

/// The clients that a server or proxy talks to: at most so many at a time, forgotten when they are silent.
#[derive(Debug)]
pub struct Addresses {
    seats: Vec<Option<Seat>>,
    idle_us: u64,
    refused: u64,
}

#[derive(Clone, Copy, Debug)]
struct Seat {
    address: SocketAddr,
    last_seen: Time,
    /// The server let it go: who comes next may have the seat. Until then its late datagrams are known as its own.
    left: bool,
}

/// What a datagram's address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// A client that is known.
    Known(HostId),
    /// A new one, which takes this seat.
    New(HostId),
    /// One too many.
    Refused,
}

impl Addresses {
    /// For at most `clients`; one is forgotten after `idle_us` without a datagram of its own.
    pub fn new(clients: u16, idle_us: u64) -> Addresses {
        Addresses { seats: vec![None; usize::from(clients)], idle_us, refused: 0 }
    }

    /// A datagram came from `address`.
    pub fn arrival(&mut self, address: SocketAddr, now: Time) -> Arrival {
        let known = self.seats.iter_mut().zip(1..).find_map(|(seat, host)| match seat {
            Some(seat) if seat.address == address => Some((seat, host)),
            _ => None,
        });
        if let Some((seat, host)) = known {
            seat.last_seen = now;
            return Arrival::Known(HostId(host));
        }
        let free = |seat: &Option<Seat>| seat.map_or(Some(Time::ZERO), |seat| seat.left.then_some(seat.last_seen));
        let seats = self.seats.iter_mut().zip(1..).filter_map(|(seat, host)| Some((free(seat)?, seat, host)));
        match seats.min_by_key(|(since, ..)| *since) {
            Some((_, seat, host)) => {
                *seat = Some(Seat { address, last_seen: now, left: false });
                Arrival::New(HostId(host))
            }
            None => {
                self.refused += 1;
                Arrival::Refused
            }
        }
    }

    /// The address of a client.
    pub fn of(&self, client: HostId) -> Option<SocketAddr> {
        self.seat(client).map(|seat| seat.address)
    }

    /// A client that has been silent for too long: it is forgotten. Call until there is none.
    pub fn idle(&mut self, now: Time) -> Option<HostId> {
        let idle = |seat: &Option<Seat>| seat.is_some_and(|seat| now.since(seat.last_seen) > self.idle_us);
        let index = self.seats.iter().position(idle)?;
        self.seats[index] = None;
        u16::try_from(index + 1).ok().map(HostId)
    }

    /// A client left, or (`false`) is there again.
    pub fn set_left(&mut self, client: HostId, left: bool) {
        let index = usize::from(client.0).wrapping_sub(1);
        if let Some(Some(seat)) = self.seats.get_mut(index) {
            seat.left = left;
        }
    }

    /// How many datagrams came from clients that had no seat.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    fn seat(&self, client: HostId) -> Option<Seat> {
        *self.seats.get(usize::from(client.0).checked_sub(1)?)?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(port: u16) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], port))
    }

    #[test]
    fn the_seat_of_who_left_is_given_away_only_when_another_comes() {
        let mut addresses = Addresses::new(1, 1_000_000);
        assert_eq!(addresses.arrival(address(5), Time(0)), Arrival::New(HostId(1)));
        assert_eq!(addresses.arrival(address(6), Time(1)), Arrival::Refused);
        addresses.set_left(HostId(1), true);
        assert_eq!(addresses.arrival(address(5), Time(2)), Arrival::Known(HostId(1)));
        assert_eq!(addresses.arrival(address(6), Time(3)), Arrival::New(HostId(1)));
        assert_eq!(addresses.arrival(address(5), Time(4)), Arrival::Refused);
    }

    #[test]
    fn seats_are_limited_and_free_again_after_silence() {
        let mut addresses = Addresses::new(2, 1_000);
        assert_eq!(addresses.arrival(address(5), Time(0)), Arrival::New(HostId(1)));
        assert_eq!(addresses.arrival(address(6), Time(500)), Arrival::New(HostId(2)));
        assert_eq!(addresses.arrival(address(7), Time(500)), Arrival::Refused);
        assert_eq!(addresses.refused(), 1);
        assert_eq!(addresses.arrival(address(5), Time(600)), Arrival::Known(HostId(1)));
        assert_eq!(addresses.idle(Time(1_500)), None);
        assert_eq!(addresses.idle(Time(1_501)), Some(HostId(2)));
        assert_eq!(addresses.idle(Time(1_501)), None);
        assert_eq!((addresses.of(HostId(1)), addresses.of(HostId(2))), (Some(address(5)), None));
        assert_eq!(addresses.arrival(address(7), Time(1_502)), Arrival::New(HostId(2)));
    }
}
