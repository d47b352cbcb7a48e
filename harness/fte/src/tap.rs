//! Follows one client's session from the wire alone, without taking part in it.

use crate::constants::PEXT2_STUNAWARE;
use crate::dialect::{Dialect, Readings, Transport};
use crate::extensions::CHALLENGE_CONNECT;
use crate::message::{self, Carrier, Listener};
use kit::{DecodeError, Direction, Dissection, Reader, Span, Time};
use netchan::{Header, Netchan, Qport, Settings, Side, is_out_of_band};
use netquake::constants::{CLC_MOVE, MAX_FRAGMENT_BYTES, PROTOCOL_FITZQUAKE, PROTOCOL_NETQUAKE};
use netquake::{Channel, ControlPacket, Incoming, Packet};
use quakeworld::handshake::{ClientPacket, Entries, ServerPacket};
use std::borrow::Cow;

/// One client's session, as somebody sees it who reads along on the cable.
pub struct Tap {
    /// What the session has agreed upon so far.
    pub dialect: Dialect,
    /// What the client goes by: the old dialect, until it asks for the baselines of a new map.
    pub client_dialect: Dialect,
    readings: Readings,
    /// NetQuake: the server asked for its challenge back, so the next accept begins the channel again.
    challenged: bool,
    unsent: Vec<u8>,
    /// QuakeWorld: the server takes datagrams in fragments.
    fragments_offered: bool,
    /// QuakeWorld: and so does the client, which makes every header longer.
    fragments: bool,
    /// QuakeWorld: the extensions that the server offered.
    offered: u32,
    /// QuakeWorld: both ends write headers that no STUN packet has.
    stun_aware: bool,
    /// A receiver per direction, by [`Direction::index`]: it puts reliable messages together and drops what its
    /// receiver would drop.
    receivers: Receivers,
}

/// What the number of a server's datagram says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// It is in turn.
    Next,
    /// It came before, or comes too late.
    Old,
    /// It is of another connection, unless it comes late: on NetQuake it is the first of the reliable stream, long after
    /// that was received; on QuakeWorld any that is not newer than all before.
    Anew,
}

/// Follows a datagram for the sake of the tap alone.
pub struct Ignore;

impl Listener for Ignore {}

enum Receivers {
    NetQuake([Channel; 2]),
    QuakeWorld([Netchan; 2]),
}

impl Receivers {
    fn new(transport: Transport, fragments: bool) -> Receivers {
        match transport {
            Transport::NetQuake => {
                Receivers::NetQuake([Channel::new(MAX_FRAGMENT_BYTES), Channel::new(MAX_FRAGMENT_BYTES)])
            }
            Transport::QuakeWorld => Receivers::QuakeWorld([
                // What goes to the client is received by a client, and the other way round.
                Netchan::new(
                    Side::Client(Qport::Short(0)),
                    Settings::quakeworld(netquake::constants::MAX_PAYLOAD_BYTES, fragments),
                ),
                Netchan::new(
                    Side::Server(Qport::Short(0)),
                    Settings::quakeworld(netquake::constants::MAX_PAYLOAD_BYTES, fragments),
                ),
            ]),
        }
    }
}

impl Tap {
    /// Before the first datagram.
    pub fn new(transport: Transport, readings: Readings) -> Tap {
        Tap {
            dialect: Dialect::before(transport, readings),
            client_dialect: Dialect::before(transport, readings),
            readings,
            challenged: false,
            unsent: Vec::new(),
            fragments_offered: false,
            fragments: false,
            offered: 0,
            stun_aware: false,
            receivers: Receivers::new(transport, false),
        }
    }

    /// A connection begins, which was agreed upon outside of it: nothing of an earlier one counts.
    pub fn begin(&mut self) {
        let Tap { fragments_offered, fragments, offered, stun_aware, readings, .. } = *self;
        let transport = self.dialect.transport;
        let receivers = Receivers::new(transport, fragments);
        let fresh = Tap::new(transport, readings);
        *self = Tap { fragments_offered, fragments, offered, stun_aware, receivers, ..fresh };
    }

    /// QuakeWorld: notes what a packet outside of any connection says of the headers of the next one.
    pub fn agree(&mut self, direction: Direction, bytes: &[u8]) {
        // What cannot be read agrees upon nothing.
        let _ = self.datagram(direction, bytes, None, &mut Ignore);
    }

    /// What the number of a server's datagram says, which has the header of [`Tap::plain`].
    pub fn turn(&self, plain: &[u8]) -> Turn {
        let to_client = Direction::ServerToClient;
        match &self.receivers {
            Receivers::QuakeWorld(netchans) => {
                let newest = netchans[to_client.index()].incoming_sequence();
                match Header::read(&mut Reader::new(plain), to_client, Qport::Short(0), self.fragments) {
                    Ok(header) if header.sequence <= newest => Turn::Anew,
                    _ => Turn::Next,
                }
            }
            Receivers::NetQuake(channels) => {
                let (reliable, unreliable) = channels[to_client.index()].awaited();
                match Packet::read(&mut Reader::new(plain)) {
                    Ok(Packet::Data { sequence: 0, .. }) if reliable > 1 => Turn::Anew,
                    Ok(Packet::Data { sequence, .. }) if sequence != reliable => Turn::Old,
                    Ok(Packet::Unreliable { sequence, .. }) if sequence < unreliable => Turn::Old,
                    Ok(Packet::Ack { .. }) => Turn::Old,
                    _ => Turn::Next,
                }
            }
        }
    }

    /// NetQuake: a server that has asked for its challenge back begins its reliable stream, so that it has accepted once
    /// more, though that was not seen. Whether this datagram does that: then its numbers start over, while a client goes on.
    pub fn begins_unaccepted(&mut self, plain: &[u8]) -> bool {
        let Receivers::NetQuake(channels) = &mut self.receivers else { return false };
        let begins = self.challenged && matches!(Packet::read(&mut Reader::new(plain)), Ok(Packet::Data { .. }));
        if begins {
            self.challenged = false;
            channels[Direction::ServerToClient.index()].restart();
        }
        begins
    }

    /// QuakeWorld: whether the number of the next datagram is hardly one.
    pub fn is_unlikely(&self, direction: Direction, bytes: &[u8]) -> bool {
        let Receivers::QuakeWorld(netchans) = &self.receivers else { return false };
        let plain = self.plain(bytes);
        match Header::read(&mut Reader::new(&plain), direction, Qport::Short(0), self.fragments) {
            Ok(header) if !is_out_of_band(bytes) => netchans[direction.index()].is_unlikely(header.sequence),
            _ => false,
        }
    }

    /// NetQuake: whether the next accept begins the channel again.
    pub fn is_challenged(&self) -> bool {
        self.challenged
    }

    /// Reads the next datagram, and passes its contents to the listener: nothing of a stale datagram, a duplicate, or a
    /// fragment of a message that is not complete yet. Whether something was passed on.
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
        listener: &mut impl Listener,
    ) -> Result<bool, DecodeError> {
        let bytes = &*self.plain(bytes);
        let mut parts = dissection.map(Dissection::parts).unwrap_or_default();
        let mut r = parts.reader(bytes);
        let mut carrier = Carrier { direction, reliable: false, sequence: 0, acknowledged: None };
        match &mut self.receivers {
            Receivers::QuakeWorld(_) if is_out_of_band(bytes) => {
                self.out_of_band(direction, &mut r)?;
                Ok(true)
            }
            Receivers::QuakeWorld(netchans) => {
                let header = Header::read(&mut r, direction, Qport::Short(0), self.fragments)?;
                let Some(received) = netchans[direction.index()].receive(bytes)? else {
                    let part = header.fragment.is_some_and(|fragment| fragment.more || fragment.offset > 0);
                    r.rest(if part { "fragment" } else { "stale" });
                    return Ok(false);
                };
                carrier.reliable = received.header.reliable;
                carrier.sequence = received.header.sequence;
                carrier.acknowledged = Some(received.header.acknowledged);
                let dialects = [&mut self.dialect, &mut self.client_dialect];
                let readings = self.readings;
                parts.receive(received.payload);
                if received.payload.len() == r.left() {
                    walk(dialects, readings, &mut r, received.payload, &carrier, listener)?;
                } else {
                    r.rest("fragment");
                    walk_assembled(dialects, readings, received.payload, &carrier, parts.assembled, listener)?;
                }
                Ok(true)
            }
            Receivers::NetQuake(channels) => {
                if netquake::datagram::is_control(bytes) {
                    return control(&mut r, channels, &mut self.challenged);
                }
                let packet = Packet::read(&mut r)?;
                if direction == Direction::ServerToClient {
                    // Once the reliable streams run, a late accept changes nothing.
                    self.challenged &= matches!(packet, Packet::Unreliable { .. });
                }
                discard_acks(&mut channels[direction.index()], &mut self.unsent);
                match channels[direction.index()].receive(Time::ZERO, bytes)? {
                    Incoming::Unreliable { sequence, payload } => {
                        carrier.sequence = sequence;
                        parts.receive(payload);
                        self.challenged |= self.dialect.extensions == Default::default() && has_challenge(bytes);
                        r.rewind(netquake::constants::HEADER_BYTES);
                        let dialects = [&mut self.dialect, &mut self.client_dialect];
                        walk(dialects, self.readings, &mut r, payload, &carrier, listener)?;
                    }
                    Incoming::Reliable { message } => {
                        carrier.reliable = true;
                        parts.receive(message);
                        let dialects = [&mut self.dialect, &mut self.client_dialect];
                        let readings = self.readings;
                        walk_assembled(dialects, readings, message, &carrier, parts.assembled, listener)?;
                    }
                    Incoming::Nothing | Incoming::Stale { .. } => return Ok(false),
                }
                Ok(true)
            }
        }
    }

    /// Reads a payload as the next datagram may bring it, up to the first field that cannot be read: nothing comes of it.
    pub fn peek(&self, direction: Direction, payload: &[u8], listener: &mut impl Listener) {
        let (mut server, mut client) = (self.dialect, self.client_dialect);
        let carrier = Carrier { direction, reliable: false, sequence: 0, acknowledged: None };
        let mut r = Reader::new(payload);
        let _ = walk([&mut server, &mut client], self.readings, &mut r, payload, &carrier, listener);
    }

    /// A datagram with the header that it has without `PEXT2_STUNAWARE`.
    pub fn plain<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        if self.stun_aware && !is_out_of_band(bytes) {
            Cow::Owned(netchan::without_stun_bias(bytes))
        } else {
            Cow::Borrowed(bytes)
        }
    }

    /// QuakeWorld: reads a packet outside of the connection, which may agree upon fragments and another header.
    fn out_of_band(&mut self, direction: Direction, r: &mut Reader<'_>) -> Result<(), DecodeError> {
        let mentions = |entries: &Entries<'_>| entries.fragment_bytes().is_some();
        if direction == Direction::ServerToClient {
            if let ServerPacket::Challenge { entries, .. } = ServerPacket::read(r)? {
                self.fragments_offered = mentions(&entries);
                self.offered = entries.fte2.unwrap_or_default();
            }
        } else if let ClientPacket::Connect(connect) = ClientPacket::read(r)? {
            let fragments = self.fragments_offered && mentions(&connect.entries);
            self.stun_aware = self.offered & connect.entries.fte2.unwrap_or_default() & PEXT2_STUNAWARE != 0;
            if fragments != self.fragments {
                self.fragments = fragments;
                self.receivers = Receivers::new(Transport::QuakeWorld, fragments);
            }
        }
        Ok(())
    }
}

/// A tap sends nothing; the acknowledgements of its channels would pile up.
fn discard_acks(channel: &mut Channel, unsent: &mut Vec<u8>) {
    unsent.clear();
    while channel.poll_transmit(Time::ZERO, unsent) {
        unsent.clear();
    }
}

/// Whether a server's datagram asks for its challenge back, or a client's has it.
pub fn has_challenge(bytes: &[u8]) -> bool {
    bytes.windows(CHALLENGE_CONNECT.len()).any(|window| window == CHALLENGE_CONNECT)
}

/// Walks a message that came in parts; its fields go to `assembled`.
fn walk_assembled(
    dialects: [&mut Dialect; 2],
    readings: Readings,
    message: &[u8],
    carrier: &Carrier,
    assembled: Option<&mut Vec<(Vec<u8>, Vec<Span>)>>,
    listener: &mut impl Listener,
) -> Result<(), DecodeError> {
    let Some(assembled) = assembled else {
        return walk(dialects, readings, &mut Reader::new(message), message, carrier, listener);
    };
    let mut spans = Vec::new();
    let mut r = Reader::with_spans(message, &mut spans);
    let walked = walk(dialects, readings, &mut r, message, carrier, listener);
    assembled.push((message.to_vec(), spans));
    walked
}

/// Recorded clients send fine angles over protocol 15, too. Only the length of a move shows it.
fn is_move_with_short_angles(payload: &[u8]) -> bool {
    // clc_move, time, three angles of 16 bits, three speeds, buttons, impulse.
    payload.len() == 1 + 4 + 3 * 2 + 3 * 2 + 2 && payload.first() == Some(&CLC_MOVE)
}

fn walk(
    [server, client]: [&mut Dialect; 2],
    readings: Readings,
    r: &mut Reader<'_>,
    payload: &[u8],
    carrier: &Carrier,
    listener: &mut impl Listener,
) -> Result<(), DecodeError> {
    match carrier.direction {
        Direction::ServerToClient => message::walk_services(r, server, readings, carrier, listener),
        Direction::ClientToServer => {
            if server.extensions != client.extensions || server.protocol != client.protocol {
                let prespawn = b"prespawn";
                if payload.windows(prespawn.len()).any(|window| window == prespawn) {
                    *client = *server;
                }
            }
            let mut spoken = *client;
            if client.protocol == PROTOCOL_NETQUAKE && is_move_with_short_angles(payload) {
                // As over protocol 666; nothing announces it.
                spoken.protocol = PROTOCOL_FITZQUAKE;
            }
            message::walk_commands(r, &spoken, carrier, listener)
        }
    }
}

/// Reads a control packet. A client that was accepted after a challenge starts over.
fn control(r: &mut Reader<'_>, channels: &mut [Channel; 2], challenged: &mut bool) -> Result<bool, DecodeError> {
    let accepted = matches!(ControlPacket::read(r)?, ControlPacket::Accept { .. });
    if accepted && std::mem::take(challenged) {
        channels.iter_mut().for_each(Channel::restart);
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::Writer;
    use quakeworld::handshake::Connect;

    /// Counts messages.
    #[derive(Default)]
    struct Count(usize);

    impl Listener for Count {
        fn message_ended(&mut self) {
            self.0 += 1;
        }
    }

    /// Follows a session whose ends agree upon what these entries say.
    fn negotiate(entries: Entries<'_>) -> (Tap, Count) {
        let mut tap = Tap::new(Transport::QuakeWorld, Readings::default());
        let mut datagram = Vec::new();
        ServerPacket::Challenge { challenge: 5, entries }.write(&mut Writer::new(&mut datagram));
        tap.agree(Direction::ServerToClient, &datagram);
        datagram.clear();
        ClientPacket::Connect(Connect::new(1, 5, b"", entries)).write(&mut Writer::new(&mut datagram));
        tap.agree(Direction::ClientToServer, &datagram);
        tap.begin();
        (tap, Count::default())
    }

    #[test]
    fn headers_that_no_stun_packet_has_are_read() {
        let (mut tap, mut received) = negotiate(Entries { fte2: Some(0x108), ..Entries::default() });
        // Number 3 with a reliable block, which is bit 31; 2 was received. Big-endian, and the first with 0x40000000 more;
        // the client's number stays little-endian. By hand, from FTEQW's Netchan_Transmit. Then a nop.
        let sent = [0xc0, 0, 0, 3, 0, 0, 0, 2, 1, 0, 1];
        assert_eq!(*tap.plain(&sent), [3, 0, 0, 0x80, 2, 0, 0, 0, 1, 0, 1]);
        assert_eq!(tap.datagram(Direction::ClientToServer, &sent, None, &mut received), Ok(true));
        assert_eq!(received.0, 1);
        let stale = tap.datagram(Direction::ClientToServer, &sent, None, &mut received);
        assert_eq!((stale, received.0), (Ok(false), 1));
    }

    #[test]
    fn the_number_of_a_server_says_whether_another_connection_begins() {
        let mut tap = Tap::new(Transport::NetQuake, Readings::default());
        let mut send = |packet: Packet<'_>| {
            let mut datagram = Vec::new();
            packet.write(&mut Writer::new(&mut datagram));
            let turn = tap.turn(&datagram);
            tap.datagram(Direction::ServerToClient, &datagram, None, &mut Ignore).expect("a nop");
            turn
        };
        let reliable = |sequence| Packet::Data { sequence, end: true, payload: &[1] };
        let unreliable = |sequence| Packet::Unreliable { sequence, payload: &[1] };
        // Number 0 may come twice; once 1 was received it is acknowledged, and another 0 is of another connection.
        assert_eq!([reliable(0), reliable(0), reliable(1)].map(&mut send), [Turn::Next, Turn::Old, Turn::Next]);
        assert_eq!([reliable(1), reliable(0), unreliable(5)].map(&mut send), [Turn::Old, Turn::Anew, Turn::Next]);
        assert_eq!([unreliable(5), unreliable(7)].map(&mut send), [Turn::Old, Turn::Next]);

        let mut tap = negotiate(Entries::default()).0;
        let mut send = |sequence: u8| {
            let datagram = [sequence, 0, 0, 0, 0, 0, 0, 0, 1];
            let turn = tap.turn(&datagram);
            tap.datagram(Direction::ServerToClient, &datagram, None, &mut Ignore).expect("a nop");
            turn
        };
        assert_eq!([3, 3, 4, 1].map(&mut send), [Turn::Next, Turn::Anew, Turn::Next, Turn::Anew]);
    }

    #[test]
    fn fragments_are_put_together_where_both_ends_agreed_on_them() {
        let (mut tap, mut received) = negotiate(Entries { fragment: Some(1440), ..Entries::default() });
        let mut server = Netchan::new(Side::Server(Qport::Short(0)), Settings::quakeworld(300, true));
        let (mut parts, mut datagram) = (0, Vec::new());
        // 700 times svc_nop.
        server.transmit(&[1; 700], &mut datagram);
        loop {
            tap.datagram(Direction::ServerToClient, &datagram, None, &mut received).expect("a fragment");
            parts += 1;
            datagram.clear();
            if !server.poll_fragment(&mut datagram) {
                break;
            }
        }
        assert_eq!((parts, received.0), (3, 700));
    }
}
