//! UDP sockets whose datagrams arrive in one channel, stamped by the thread that received them.

use super::clock::Clock;
use kit::Time;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Longest payload of a UDP datagram over IPv4.
const MAX_DATAGRAM_BYTES: usize = 65_507;
/// How often a receiving thread looks whether it is to end.
const WAKE: Duration = Duration::from_millis(50);
/// Sockets that are out of use and still open, at most.
const MAX_RETIRED: usize = 8;

/// Which of the sockets of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SocketId(pub usize);

/// A datagram that a socket received.
#[derive(Debug)]
pub struct Received {
    pub socket: SocketId,
    /// From where.
    pub from: SocketAddr,
    /// When.
    pub at: Time,
    /// Its payload.
    pub bytes: Vec<u8>,
}

/// The sockets of a session.
#[derive(Debug)]
pub struct Sockets {
    clock: Clock,
    open: BTreeMap<usize, Open>,
    opened: usize,
    retired: VecDeque<SocketId>,
    sender: Sender<Received>,
    receiver: Receiver<Received>,
}

#[derive(Debug)]
struct Open {
    socket: Arc<UdpSocket>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Sockets {
    /// None yet.
    pub fn new(clock: Clock) -> Sockets {
        let (sender, receiver) = channel();
        Sockets { clock, open: BTreeMap::new(), opened: 0, retired: VecDeque::new(), sender, receiver }
    }

    /// Opens a socket at `address`, and nowhere else; port 0 is any free one.
    ///
    /// # Errors
    /// The address is taken, or not of this machine.
    pub fn open(&mut self, address: SocketAddr) -> io::Result<SocketId> {
        let socket = Arc::new(UdpSocket::bind(address)?);
        socket.set_read_timeout(Some(WAKE))?;
        let (id, stop) = (SocketId(self.opened), Arc::new(AtomicBool::new(false)));
        let (reading, sender, ends, clock) = (Arc::clone(&socket), self.sender.clone(), Arc::clone(&stop), self.clock);
        let thread = std::thread::Builder::new().name(format!("udp-{}", id.0)).spawn(move || {
            let mut buffer = vec![0; MAX_DATAGRAM_BYTES];
            while !ends.load(Ordering::Relaxed) {
                // An error is a time-out, or an ICMP message about an earlier datagram: the session shows what it means.
                let Ok((length, from)) = reading.recv_from(&mut buffer) else { continue };
                let bytes = buffer.get(..length).unwrap_or_default().to_vec();
                if sender.send(Received { socket: id, from, at: clock.now(), bytes }).is_err() {
                    return;
                }
            }
        })?;
        self.open.insert(id.0, Open { socket, stop, thread: Some(thread) });
        self.opened += 1;
        Ok(id)
    }

    /// A socket is no longer used. It stays open for a while, so that what comes late is not answered by an ICMP error: it is
    /// closed when enough others were retired after it.
    pub fn retire(&mut self, id: SocketId) {
        self.retired.push_back(id);
        if self.retired.len() > MAX_RETIRED
            && let Some(open) = self.retired.pop_front().and_then(|oldest| self.open.remove(&oldest.0))
        {
            // Its thread ends within WAKE, and nobody waits for it.
            open.stop.store(true, Ordering::Relaxed);
        }
    }

    /// The address of a socket.
    pub fn address(&self, id: SocketId) -> Option<SocketAddr> {
        self.open.get(&id.0).and_then(|open| open.socket.local_addr().ok())
    }

    /// Sends a datagram. Whether the machine took it: UDP promises nothing more.
    pub fn send(&self, id: SocketId, to: SocketAddr, bytes: &[u8]) -> bool {
        self.open.get(&id.0).is_some_and(|open| open.socket.send_to(bytes, to).is_ok())
    }

    /// The next datagram, if one comes in time.
    pub fn receive(&self, patience: Duration) -> Option<Received> {
        self.receiver.recv_timeout(patience).ok()
    }
}

impl Drop for Sockets {
    fn drop(&mut self) {
        self.open.values().for_each(|open| open.stop.store(true, Ordering::Relaxed));
        for open in self.open.values_mut() {
            if let Some(thread) = open.thread.take() {
                // It ends within WAKE; that it panicked would have been said by then.
                let _ = thread.join();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retired_socket_is_closed_when_enough_others_are_retired_after_it() {
        let mut sockets = Sockets::new(Clock::start());
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let ids: Vec<SocketId> = (0..=MAX_RETIRED).map(|_| sockets.open(any).expect("a free port")).collect();
        ids.iter().take(MAX_RETIRED).for_each(|id| sockets.retire(*id));
        assert!(ids.iter().all(|id| sockets.address(*id).is_some()));
        sockets.retire(ids[MAX_RETIRED]);
        let open: Vec<bool> = ids.iter().map(|id| sockets.address(*id).is_some()).collect();
        assert_eq!((open[0], open[1..].iter().all(|open| *open)), (false, true));
    }
}
