//! Follows one client's session from the wire alone, without taking part in it.

use crate::wire::constants::*;
use crate::wire::dialect::{Dialect, Readings};
use crate::wire::handshake::{ClientPacket, Connect, ServerPacket, announced, is_out_of_band};
use crate::wire::message::{Carrier, Listener, Walk};
use kit::{DecodeError, Direction, Dissection, Reader};
use netchan::{Header, Netchan, Qport, Resend, Settings, Side};

/// The number of the first datagram of a connection.
const FIRST_SEQUENCE: u32 = 1;

/// What of a connect everything after it depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The protocol.
    pub protocol: u32,
    /// How the client's datagrams carry its number.
    pub qport: Qport,
    /// The revision that the client speaks, if it states one.
    pub minor: Option<u16>,
    /// The longest payload that the client takes, if it states one; 0 for as long as can be.
    pub max_length: Option<u32>,
}

impl Default for Asked {
    /// Of a connect over protocol 34 without anything.
    fn default() -> Asked {
        Asked { protocol: PROTOCOL_ORIGINAL, qport: Qport::Short(0), minor: None, max_length: None }
    }
}

impl Asked {
    /// Of `connect`.
    pub fn of(connect: &Connect<'_>) -> Asked {
        Asked {
            protocol: connect.protocol,
            qport: announced(connect.protocol, connect.qport),
            minor: connect.tail.minor,
            max_length: connect.tail.max_length,
        }
    }
}

/// One client's session, as an observer of the cable sees it.
#[derive(Debug)]
pub struct Tap {
    /// What the session has agreed upon so far.
    pub dialect: Dialect,
    /// What the client has asked for in the connect that is in force.
    pub asked: Asked,
    /// Whether a connect or a serverdata said what the session is.
    pub settled: bool,
    /// Whether a serverdata has said the revision.
    pub announced: bool,
    /// Whether the connect that is in force was seen.
    pub connected: bool,
    /// A connect that was not yet answered.
    pending: Option<Asked>,
    readings: Readings,
    /// A receiver per direction, by [`Direction::index`]: it drops what its receiver would drop.
    receivers: [Netchan; 2],
}

impl Tap {
    /// Before the first datagram; a session that begins in its middle is taken for one of `dialect`.
    pub fn new(dialect: Dialect) -> Tap {
        let qport = match dialect.is_r1q2() {
            true => Qport::Byte(0),
            false => Qport::Short(0),
        };
        // A client whose connect was not seen has asked for what is assumed to be spoken.
        let minor = dialect.is_r1q2().then_some(dialect.minor);
        Tap::of(Asked { protocol: dialect.protocol, qport, minor, max_length: None }, dialect)
    }

    /// In the middle of a session whose connect asked for `asked`.
    pub fn of(asked: Asked, dialect: Dialect) -> Tap {
        Tap {
            dialect,
            asked,
            settled: false,
            announced: false,
            connected: false,
            pending: None,
            readings: dialect.readings,
            receivers: receivers(asked.qport),
        }
    }

    /// Reads the next datagram, and passes what is in it to the listener: of a stale datagram and a duplicate, nothing.
    /// Whether a datagram was read.
    ///
    /// With a dissection, every field leaves a span, of a stale datagram only those of its header; the fields of what
    /// was compressed are in `assembled`.
    ///
    /// # Errors
    /// The first field that cannot be read: offset relative to the datagram, or to the inflated bytes of a zpacket.
    pub fn datagram(
        &mut self,
        direction: Direction,
        bytes: &[u8],
        dissection: Option<&mut Dissection>,
        listener: &mut dyn Listener,
    ) -> Result<bool, DecodeError> {
        let mut parts = dissection.map(Dissection::parts).unwrap_or_default();
        let mut r = parts.reader(bytes);
        if is_out_of_band(bytes) {
            self.connectionless(&mut r, direction)?;
            return Ok(true);
        }
        if bytes.first_chunk().map(|word| u32::from_le_bytes(*word) << 1) == Some(FIRST_SEQUENCE << 1) {
            // A connection begins although its answer was not seen.
            self.begin();
        }
        let header = Header::read(&mut r, direction, self.asked.qport, false)?;
        let Some(received) = self.receivers[direction.index()].receive(bytes)? else {
            r.rest("stale");
            return Ok(false);
        };
        parts.receive(received.payload);
        let carrier = Carrier {
            direction,
            reliable: header.reliable,
            sequence: header.sequence,
            acknowledged: header.acknowledged,
            nesting: 0,
        };
        let mut walk = Walk::new(&mut self.dialect, carrier, listener);
        walk.asked_minor = self.asked.minor;
        walk.inflated = parts.assembled;
        match direction {
            Direction::ServerToClient => walk.services(&mut r)?,
            Direction::ClientToServer => walk.commands(&mut r)?,
        }
        Ok(true)
    }

    /// Whether the number of the next datagram is hardly one.
    pub fn is_unlikely(&self, direction: Direction, bytes: &[u8]) -> bool {
        match Header::read(&mut Reader::new(bytes), direction, self.asked.qport, false) {
            Ok(header) if !is_out_of_band(bytes) => self.receivers[direction.index()].is_unlikely(header.sequence),
            _ => false,
        }
    }

    /// A connect is in force once the server has answered it; a second answer to one connect changes nothing.
    fn connectionless(&mut self, r: &mut Reader<'_>, direction: Direction) -> Result<(), DecodeError> {
        match direction {
            Direction::ClientToServer => {
                if let ClientPacket::Connect(connect) = ClientPacket::read(r)? {
                    self.pending = Some(Asked::of(&connect));
                }
            }
            Direction::ServerToClient => {
                let answered = matches!(ServerPacket::read(r)?, ServerPacket::ClientConnect { .. });
                if answered {
                    self.begin();
                }
            }
        }
        Ok(())
    }

    /// Puts the connect that is pending in force.
    fn begin(&mut self) {
        let Some(asked) = self.pending.take() else { return };
        (self.asked, self.settled, self.announced, self.connected) = (asked, true, false, true);
        self.receivers = receivers(asked.qport);
        let dialect = match asked.protocol {
            PROTOCOL_R1Q2 => Dialect::r1q2(asked.minor.unwrap_or(MINOR_SOURCE)),
            _ => Dialect::ORIGINAL,
        };
        self.dialect = dialect.with(self.readings);
    }
}

/// What goes to the client is received by a client, and the other way round. They never send, so their rules of sending
/// do not matter.
fn receivers(qport: Qport) -> [Netchan; 2] {
    [Side::Client(qport), Side::Server(qport)]
        .map(|side| Netchan::new(side, Settings::quake2(MAX_MSGLEN, Resend::OneLater)))
}
