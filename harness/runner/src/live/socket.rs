//! UDP sockets whose datagrams arrive in one channel, stamped by the thread that received them.

use super::clock::Clock;
use kit::Time;
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

/// Which of the sockets of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SocketId(pub usize);

/// A datagram that a socket received.
#[derive(Debug)]
pub struct Received {
    /// By which socket.
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
    open: Vec<Open>,
    sender: Sender<Received>,
    receiver: Receiver<Received>,
    stop: Arc<AtomicBool>,
}

#[derive(Debug)]
struct Open {
    socket: Arc<UdpSocket>,
    thread: Option<JoinHandle<()>>,
}

impl Sockets {
    /// None yet.
    pub fn new(clock: Clock) -> Sockets {
        let (sender, receiver) = channel();
        Sockets { clock, open: Vec::new(), sender, receiver, stop: Arc::new(AtomicBool::new(false)) }
    }

    /// Opens a socket at `address`, and nowhere else; port 0 is any free one.
    ///
    /// # Errors
    /// The address is taken, or not of this machine.
    pub fn open(&mut self, address: SocketAddr) -> io::Result<SocketId> {
        let socket = Arc::new(UdpSocket::bind(address)?);
        socket.set_read_timeout(Some(WAKE))?;
        let id = SocketId(self.open.len());
        let (reading, sender, stop, clock) =
            (Arc::clone(&socket), self.sender.clone(), Arc::clone(&self.stop), self.clock);
        let thread = std::thread::Builder::new().name(format!("udp-{}", id.0)).spawn(move || {
            let mut buffer = vec![0; MAX_DATAGRAM_BYTES];
            while !stop.load(Ordering::Relaxed) {
                // An error is a time-out, or an ICMP message about an earlier datagram: the session shows what it means.
                let Ok((length, from)) = reading.recv_from(&mut buffer) else { continue };
                let bytes = buffer.get(..length).unwrap_or_default().to_vec();
                if sender.send(Received { socket: id, from, at: clock.now(), bytes }).is_err() {
                    return;
                }
            }
        })?;
        self.open.push(Open { socket, thread: Some(thread) });
        Ok(id)
    }

    /// The address of a socket.
    pub fn address(&self, id: SocketId) -> Option<SocketAddr> {
        self.open.get(id.0).and_then(|open| open.socket.local_addr().ok())
    }

    /// Sends a datagram. Whether the machine took it: UDP promises nothing more.
    pub fn send(&self, id: SocketId, to: SocketAddr, bytes: &[u8]) -> bool {
        self.open.get(id.0).is_some_and(|open| open.socket.send_to(bytes, to).is_ok())
    }

    /// The next datagram, if one comes in time.
    pub fn receive(&self, patience: Duration) -> Option<Received> {
        self.receiver.recv_timeout(patience).ok()
    }
}

impl Drop for Sockets {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for open in &mut self.open {
            if let Some(thread) = open.thread.take() {
                // It ends within WAKE; that it panicked would have been said by then.
                let _ = thread.join();
            }
        }
    }
}
