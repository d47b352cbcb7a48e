//! Follows one client's session from the wire alone, without taking part in it.

use crate::message::{self, Dialect, Said};
use kit::{DecodeError, Direction, Dissection, Reader, Time};
use netquake::constants::{CLC_MOVE, HEADER_BYTES, MAX_FRAGMENT_BYTES};
use netquake::{Channel, ClientCommand, ControlPacket, Incoming, MoveForm, Packet};

/// Receives what a tap finds. Everything is optional.
pub trait Listener {
    /// A control packet.
    fn control(&mut self, packet: &ControlPacket<'_>) {
        let _ = packet;
    }
    /// The header of a datagram that belongs to a connection, stale or not.
    fn packet(&mut self, packet: &Packet<'_>) {
        let _ = packet;
    }
    /// A message of the server, and how the next ones are written.
    fn said(&mut self, said: &Said<'_>, dialect: &Dialect) {
        let _ = (said, dialect);
    }
    /// A message of the client.
    fn commanded(&mut self, command: &ClientCommand<'_>) {
        let _ = command;
    }
}

/// One client's session, as a reader of the wire sees it.
pub struct Tap {
    /// What the server has announced.
    pub dialect: Dialect,
    /// A receiver per direction, by [`Direction::index`]: it puts reliable messages together and drops what its receiver
    /// would drop.
    receivers: [Channel; 2],
    /// Connection requests since the last answer.
    requests: u32,
    /// The client has left.
    left: bool,
    /// Another session may begin with the server's next fragment.
    renewed: bool,
    unsent: Vec<u8>,
}

impl Tap {
    /// Before the first datagram; [`Dialect::PLAIN`] is what a session begins with.
    pub fn new(dialect: Dialect) -> Tap {
        Tap {
            dialect,
            receivers: [Channel::new(MAX_FRAGMENT_BYTES), Channel::new(MAX_FRAGMENT_BYTES)],
            requests: 0,
            left: false,
            renewed: false,
            unsent: Vec::new(),
        }
    }

    /// Reads the next datagram, and passes what is in it on to the listener. A stale datagram, and a fragment of a message that
    /// is not complete yet, yield no more than their headers.
    ///
    /// With a dissection, every field leaves a span, of a stale datagram only those of its header; the fields of a
    /// reassembled message are in `assembled`.
    ///
    /// # Errors
    /// The first field that cannot be read: offset relative to the datagram, or to the reassembled message.
    pub fn datagram(
        &mut self,
        direction: Direction,
        bytes: &[u8],
        dissection: Option<&mut Dissection>,
        listener: &mut dyn Listener,
    ) -> Result<(), DecodeError> {
        let mut parts = dissection.map(Dissection::parts).unwrap_or_default();
        let mut r = parts.reader(bytes);
        let packet = Packet::read(&mut r)?;
        if let Packet::Control(control) = packet {
            self.controlled(&control);
            listener.control(&control);
            return Ok(());
        }
        listener.packet(&packet);
        if let (Packet::Data { sequence, .. }, Direction::ServerToClient) = (packet, direction) {
            // A session's first fragment is the server's, and only a new one begins again with it.
            if std::mem::take(&mut self.renewed) && sequence == 0 {
                self.receivers.iter_mut().for_each(Channel::restart);
                self.left = false;
            }
        }
        let receiver = &mut self.receivers[direction.index()];
        // A tap sends no acknowledgements; those of its receivers would pile up.
        self.unsent.clear();
        while receiver.poll_transmit(Time::ZERO, &mut self.unsent) {
            self.unsent.clear();
        }
        let dialect = &mut self.dialect;
        let left = &mut self.left;
        match receiver.receive(Time::ZERO, bytes)? {
            Incoming::Unreliable { payload, .. } => {
                r.rewind(HEADER_BYTES);
                parts.receive(payload);
                debug_assert_eq!(r.left(), payload.len(), "the payload is what follows the header");
                walk(direction, &mut r, payload, dialect, left, listener)
            }
            Incoming::Reliable { message } => {
                parts.receive(message);
                let Some(assembled) = parts.assembled else {
                    return walk(direction, &mut Reader::new(message), message, dialect, left, listener);
                };
                let mut spans = Vec::new();
                let mut r = Reader::with_spans(message, &mut spans);
                let walked = walk(direction, &mut r, message, dialect, left, listener);
                assembled.push((message.to_vec(), spans));
                walked
            }
            Incoming::Nothing | Incoming::Stale { .. } => Ok(()),
        }
    }

    /// Follows who asks for a connection, and who gets one: an answer to a client that left, or whose last request had
    /// none, may begin another session.
    fn controlled(&mut self, control: &ControlPacket<'_>) {
        match control {
            ControlPacket::ConnectRequest { .. } => self.requests = self.requests.saturating_add(1),
            ControlPacket::Accept { .. } => {
                self.renewed |= self.left || self.requests > 1;
                self.requests = 0;
            }
            _ => {}
        }
    }
}

/// The form of a client's moves. Recorded clients send fine angles over protocol 15, too, as an extension of it allows that
/// nothing here agrees upon; the length of a move that stands alone shows it.
fn move_form(dialect: &Dialect, payload: &[u8]) -> MoveForm {
    /// Number, time, three angles of 16 bits, three speeds, buttons, impulse.
    const FINE_MOVE_BYTES: usize = 1 + 4 + 3 * 2 + 3 * 2 + 2;
    match payload.first() {
        Some(&CLC_MOVE) if payload.len() == FINE_MOVE_BYTES => MoveForm::SHORT_ANGLES,
        _ => dialect.move_form(),
    }
}

fn walk(
    direction: Direction,
    r: &mut Reader<'_>,
    payload: &[u8],
    dialect: &mut Dialect,
    left: &mut bool,
    listener: &mut dyn Listener,
) -> Result<(), DecodeError> {
    match direction {
        Direction::ServerToClient => {
            message::walk_services(r, dialect, &mut |said, dialect| listener.said(&said, dialect))
        }
        Direction::ClientToServer => message::walk_commands(r, &move_form(dialect, payload), &mut |command| {
            *left |= command == ClientCommand::Disconnect;
            listener.commanded(&command);
        }),
    }
}
