//! The headers of NetQuake datagrams, and control packets. Both are big-endian.

use crate::constants::*;
use crate::neighbours;
use kit::{DecodeError, Direction, Dissection, ErrorKind, Numbering, Reader, Version, Writer};

/// One datagram, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packet<'a> {
    /// A fragment of a reliable message.
    Data {
        /// The fragment's sequence number.
        sequence: u32,
        /// Whether the message ends with it.
        end: bool,
        /// Its bytes.
        payload: &'a [u8],
    },
    /// Acknowledges a fragment.
    Ack {
        /// The fragment's sequence number.
        sequence: u32,
    },
    /// An unreliable message.
    Unreliable {
        /// Its sequence number, counted apart from the fragments'.
        sequence: u32,
        /// The message.
        payload: &'a [u8],
    },
    /// A control packet.
    Control(ControlPacket<'a>),
}

impl<'a> Packet<'a> {
    /// Appends the datagram.
    ///
    /// # Panics
    /// The payload is longer than [`MAX_PAYLOAD_BYTES`].
    pub fn write(&self, w: &mut Writer<'_>) {
        let (flags, sequence, payload) = match *self {
            Packet::Data { sequence, end: false, payload } => (NETFLAG_DATA, sequence, payload),
            Packet::Data { sequence, end: true, payload } => (NETFLAG_DATA | NETFLAG_EOM, sequence, payload),
            Packet::Ack { sequence } => (NETFLAG_ACK, sequence, &[][..]),
            Packet::Unreliable { sequence, payload } => (NETFLAG_UNRELIABLE, sequence, payload),
            Packet::Control(control) => return control.write(w),
        };
        assert!(payload.len() <= MAX_PAYLOAD_BYTES, "a payload fits the header's length field");
        w.u32_be("flags and length", flags | (HEADER_BYTES + payload.len()) as u32); // FITZ-NET-01
        w.u32_be("sequence", sequence);
        if !payload.is_empty() {
            w.bytes("payload", payload);
        }
    }

    /// Reads a datagram, header and all.
    ///
    /// # Errors
    /// It ends early, its length is not what the header says, or its flags are no combination that is ever sent.
    pub fn read(r: &mut Reader<'a>) -> Result<Packet<'a>, DecodeError> {
        let offset = r.at();
        if r.peek().is_some_and(|byte| byte & 0x80 != 0) {
            return ControlPacket::read(r).map(Packet::Control);
        }
        let word = read_length(r)?;
        let sequence = r.u32_be("sequence")?;
        let flags = word & !NETFLAG_LENGTH_MASK;
        Ok(match flags {
            NETFLAG_ACK => {
                r.finish("ack")?;
                Packet::Ack { sequence }
            }
            NETFLAG_DATA => Packet::Data { sequence, end: false, payload: r.rest("payload") },
            _ if flags == NETFLAG_DATA | NETFLAG_EOM => {
                Packet::Data { sequence, end: true, payload: r.rest("payload") }
            }
            NETFLAG_UNRELIABLE => Packet::Unreliable { sequence, payload: r.rest("payload") },
            _ => return r.error(offset, "flags", ErrorKind::Unknown { value: flags }),
        })
    }
}

/// Reads the first long: checks the length in it against what is there, and returns the long.
fn read_length(r: &mut Reader<'_>) -> Result<u32, DecodeError> {
    let (offset, have) = (r.at(), r.left());
    let word = r.u32_be("flags and length")?;
    let length = (word & NETFLAG_LENGTH_MASK) as usize;
    match length {
        _ if length > have => r.error(offset, "length", ErrorKind::Truncated { need: length, have }),
        _ if length < have => r.error(offset, "length", ErrorKind::Trailing { left: have - length }),
        _ => Ok(word),
    }
}

/// Puts the length in a datagram's header right, after its payload was changed. Nothing happens to a length that 16
/// bits do not hold, or to bytes too few for the field.
pub fn seal(bytes: &mut [u8]) {
    let length = u16::try_from(bytes.len());
    if let (Ok(length), Some(field)) = (length, bytes.get_mut(2..4)) {
        field.copy_from_slice(&length.to_be_bytes());
    }
}

/// Whether a datagram is a control packet, and so none for a [`Channel`](crate::channel::Channel).
pub fn is_control(datagram: &[u8]) -> bool {
    datagram.first().is_some_and(|byte| byte & 0x80 != 0)
}

/// Whether a datagram is no datagram of NetQuake's at all, but begins with four bytes of ones as those of QuakeWorld and its
/// descendants that belong to no connection. Clients that speak both ask servers so, and servers answer; no session is about it.
pub fn is_foreign(datagram: &[u8]) -> bool {
    datagram.starts_with(&[0xff; 4])
}

/// The version that a control packet, or a request to connect of a descendant that writes them otherwise, asks for.
pub fn version_asked_for(datagram: &[u8]) -> Option<Version> {
    if is_foreign(datagram) {
        let is_darkplaces = datagram[4..].starts_with(b"connect\\protocol\\darkplaces");
        return is_darkplaces.then(|| Version::Neighbour(String::from("DarkPlaces' protocol")));
    }
    match ControlPacket::read(&mut Reader::new(datagram)) {
        Ok(ControlPacket::ConnectRequest { game: GAME_NAME, version: NET_PROTOCOL_VERSION, .. }) => {
            Some(Version::Known)
        }
        // Another game or version is refused, which is judged.
        _ => None,
    }
}

/// Notes which version a datagram asks for, and whether it is none of NetQuake's, of which there is no more to be said.
pub fn is_of_no_session(direction: Direction, bytes: &[u8], out: &mut Dissection) -> bool {
    if direction == Direction::ClientToServer {
        out.version = version_asked_for(bytes);
    }
    out.foreign = is_foreign(bytes);
    if out.foreign {
        out.summary.push_str("of no session: another protocol's");
    }
    out.foreign
}

/// The version of a serverinfo that could not be read for it.
pub fn version_announced(error: &DecodeError) -> Option<Version> {
    // Greater numbers are the keys of extensions, or what is no serverinfo at all.
    let ErrorKind::Unknown { value: value @ ..0x10000 } = error.kind else { return None };
    (error.field == "protocol version").then(|| Version::Neighbour(neighbours::protocol(value)))
}

/// What the number of a datagram says of it: those of the reliable stream are sent again until they are acknowledged.
pub fn numbering(datagram: &[u8]) -> Numbering {
    match (is_control(datagram), is_unreliable(datagram)) {
        (true, _) => Numbering::Outside,
        (false, true) => Numbering::Own,
        (false, false) => Numbering::Unsaid,
    }
}

/// Whether a datagram belongs to the unreliable stream of a connection.
pub fn is_unreliable(datagram: &[u8]) -> bool {
    let flags = datagram.first_chunk().map_or(0, |&bytes| u32::from_be_bytes(bytes));
    flags & (NETFLAG_CTL | NETFLAG_UNRELIABLE) == NETFLAG_UNRELIABLE
}

/// A control packet: a packet outside of any connection.
///
/// Engines append bytes of their own; those are kept as `rest` or `extra`, or skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlPacket<'a> {
    /// [`CCREQ_CONNECT`].
    ConnectRequest {
        /// [`GAME_NAME`], or another game's.
        game: &'a [u8],
        /// [`NET_PROTOCOL_VERSION`].
        version: u8,
        /// What an engine appends.
        rest: &'a [u8],
    },
    /// [`CCREQ_SERVER_INFO`].
    ServerInfoRequest {
        /// [`GAME_NAME`], or another game's.
        game: &'a [u8],
        /// [`NET_PROTOCOL_VERSION`].
        version: u8,
    },
    /// [`CCREQ_PLAYER_INFO`].
    PlayerInfoRequest {
        /// The player's slot.
        slot: u8,
    },
    /// [`CCREQ_RULE_INFO`].
    RuleInfoRequest {
        /// The rule before the one that is asked for; empty for the first.
        previous: &'a [u8],
    },
    /// [`CCREP_ACCEPT`].
    Accept {
        /// The UDP port to go on with; 0 for the same one. Little-endian on the wire.
        port: u32,
        /// What an engine appends.
        extra: &'a [u8],
    },
    /// [`CCREP_REJECT`].
    Reject {
        /// Why, for the player.
        reason: &'a [u8],
    },
    /// [`CCREP_SERVER_INFO`].
    ServerInfo {
        /// The server's address, as it sees it.
        address: &'a [u8],
        /// The server's name.
        host: &'a [u8],
        /// The map's file name.
        map: &'a [u8],
        /// Number of players.
        players: u8,
        /// Number of slots.
        max_players: u8,
        /// [`NET_PROTOCOL_VERSION`].
        version: u8,
    },
    /// [`CCREP_PLAYER_INFO`].
    PlayerInfo {
        /// The player's slot.
        slot: u8,
        /// Name.
        name: &'a [u8],
        /// Colours: shirt times 16 plus trousers.
        colors: u32,
        /// Frags.
        frags: i32,
        /// Time since connecting, in seconds.
        seconds: i32,
        /// Address.
        address: &'a [u8],
    },
    /// [`CCREP_RULE_INFO`].
    RuleInfo {
        /// The rule's name and value; `None` after the last rule.
        rule: Option<(&'a [u8], &'a [u8])>,
    },
}

impl<'a> ControlPacket<'a> {
    /// Appends the datagram. The writer must be at its start or after another whole datagram.
    pub fn write(&self, w: &mut Writer<'_>) {
        let start = w.len();
        w.u32_be("flags and length", NETFLAG_CTL);
        match *self {
            ControlPacket::ConnectRequest { game, version, rest } => {
                w.u8("command", CCREQ_CONNECT);
                w.string("game", game);
                w.u8("version", version);
                w.bytes("rest", rest);
            }
            ControlPacket::ServerInfoRequest { game, version } => {
                w.u8("command", CCREQ_SERVER_INFO);
                w.string("game", game);
                w.u8("version", version);
            }
            ControlPacket::PlayerInfoRequest { slot } => {
                w.u8("command", CCREQ_PLAYER_INFO);
                w.u8("slot", slot);
            }
            ControlPacket::RuleInfoRequest { previous } => {
                w.u8("command", CCREQ_RULE_INFO);
                w.string("previous rule", previous);
            }
            ControlPacket::Accept { port, extra } => {
                w.u8("command", CCREP_ACCEPT);
                w.u32("port", port);
                w.bytes("extra", extra);
            }
            ControlPacket::Reject { reason } => {
                w.u8("command", CCREP_REJECT);
                w.string("reason", reason);
            }
            ControlPacket::ServerInfo { address, host, map, players, max_players, version } => {
                w.u8("command", CCREP_SERVER_INFO);
                w.string("address", address);
                w.string("host name", host);
                w.string("map", map);
                w.u8("players", players);
                w.u8("max players", max_players);
                w.u8("version", version);
            }
            ControlPacket::PlayerInfo { slot, name, colors, frags, seconds, address } => {
                w.u8("command", CCREP_PLAYER_INFO);
                w.u8("slot", slot);
                w.string("name", name);
                w.u32("colors", colors);
                w.i32("frags", frags);
                w.i32("seconds", seconds);
                w.string("address", address);
            }
            ControlPacket::RuleInfo { rule } => {
                w.u8("command", CCREP_RULE_INFO);
                if let Some((name, value)) = rule {
                    w.string("rule", name);
                    w.string("value", value);
                }
            }
        }
        let word = NETFLAG_CTL | (w.len() - start) as u32;
        w.patch(start, &word.to_be_bytes());
    }

    /// Reads a datagram, header and all.
    ///
    /// # Errors
    /// It ends early, its length is not what the header says, or the command is unknown.
    pub fn read(r: &mut Reader<'a>) -> Result<ControlPacket<'a>, DecodeError> {
        let offset = r.at();
        let flags = read_length(r)? & !NETFLAG_LENGTH_MASK;
        if flags != NETFLAG_CTL {
            return r.error(offset, "flags", ErrorKind::Unknown { value: flags });
        }
        let offset = r.at();
        let group = r.begin(r.peek().and_then(control_name).unwrap_or("control"));
        let packet = match r.u8("command")? {
            CCREQ_CONNECT => {
                let (game, version) = (r.string("game")?, r.u8("version")?);
                ControlPacket::ConnectRequest { game, version, rest: read_rest(r, "rest") }
            }
            CCREQ_SERVER_INFO => {
                ControlPacket::ServerInfoRequest { game: r.string("game")?, version: r.u8("version")? }
            }
            CCREQ_PLAYER_INFO => ControlPacket::PlayerInfoRequest { slot: r.u8("slot")? },
            CCREQ_RULE_INFO => ControlPacket::RuleInfoRequest { previous: r.string("previous rule")? },
            CCREP_ACCEPT => ControlPacket::Accept { port: r.u32("port")?, extra: read_rest(r, "extra") },
            CCREP_REJECT => ControlPacket::Reject { reason: r.string("reason")? },
            CCREP_SERVER_INFO => ControlPacket::ServerInfo {
                address: r.string("address")?,
                host: r.string("host name")?,
                map: r.string("map")?,
                players: r.u8("players")?,
                max_players: r.u8("max players")?,
                version: r.u8("version")?,
            },
            CCREP_PLAYER_INFO => ControlPacket::PlayerInfo {
                slot: r.u8("slot")?,
                name: r.string("name")?,
                colors: r.u32("colors")?,
                frags: r.i32("frags")?,
                seconds: r.i32("seconds")?,
                address: r.string("address")?,
            },
            CCREP_RULE_INFO => ControlPacket::RuleInfo {
                rule: match r.left() {
                    0 => None,
                    _ => Some((r.string("rule")?, r.string("value")?)),
                },
            },
            value => return r.error(offset, "command", ErrorKind::Unknown { value: value.into() }),
        };
        r.end(group);
        Ok(packet)
    }
}

/// The name of a control packet's command.
fn control_name(command: u8) -> Option<&'static str> {
    Some(match command {
        CCREQ_CONNECT => "CCREQ_CONNECT",
        CCREQ_SERVER_INFO => "CCREQ_SERVER_INFO",
        CCREQ_PLAYER_INFO => "CCREQ_PLAYER_INFO",
        CCREQ_RULE_INFO => "CCREQ_RULE_INFO",
        CCREP_ACCEPT => "CCREP_ACCEPT",
        CCREP_REJECT => "CCREP_REJECT",
        CCREP_SERVER_INFO => "CCREP_SERVER_INFO",
        CCREP_PLAYER_INFO => "CCREP_PLAYER_INFO",
        CCREP_RULE_INFO => "CCREP_RULE_INFO",
        _ => return None,
    })
}

/// What is left, leaving no span for nothing.
fn read_rest<'a>(r: &mut Reader<'a>, field: &'static str) -> &'a [u8] {
    if r.left() == 0 { &[] } else { r.rest(field) }
}

/// How a server names another port for the session: control packets still go to the first one.
pub const PORT_CHANGE: kit::PortChange = kit::PortChange { field: port_field, is_outside: is_control };

/// Where a datagram names the port with which the session goes on: in [`CCREP_ACCEPT`], after header and command.
/// Its length in the header tells it from packets of QuakeWorld, whose numbers come first.
fn port_field(bytes: &[u8]) -> Option<usize> {
    let header = bytes.first_chunk().map(|&header| u32::from_be_bytes(header));
    let is_whole = u32::try_from(bytes.len()).is_ok_and(|length| header == Some(NETFLAG_CTL | length));
    let is_accept = is_whole && bytes.get(CONTROL_HEADER_BYTES) == Some(&CCREP_ACCEPT);
    is_accept.then_some(CONTROL_HEADER_BYTES + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
        let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
        digits.chunks(2).map(pair).collect()
    }

    /// The packet encodes to the bytes, the bytes decode to the packet, and nothing shorter or longer decodes.
    fn check(hex: &str, packet: Packet<'_>) {
        let bytes = bytes(hex);
        let mut out = Vec::new();
        packet.write(&mut Writer::new(&mut out));
        assert_eq!(out, bytes, "{packet:?}");
        assert_eq!(Packet::read(&mut Reader::new(&bytes)), Ok(packet));
        for length in 0..bytes.len() {
            let error = Packet::read(&mut Reader::new(&bytes[..length])).unwrap_err();
            assert!(matches!(error.kind, ErrorKind::Truncated { .. }), "{length} bytes: {error}");
        }
        out.push(0);
        let error = Packet::read(&mut Reader::new(&out)).unwrap_err();
        assert_eq!(error.to_string(), "length at byte 0: 1 bytes left over");
    }

    fn fails(hex: &str, message: &str) {
        let error = Packet::read(&mut Reader::new(&bytes(hex))).unwrap_err();
        assert_eq!(error.to_string(), message);
    }

    #[test]
    fn headers_are_as_engines_send_them() {
        // qss_nq_deltas_predinfo.txt
        check("00020008 00000004", Packet::Ack { sequence: 4 });
        check("0009000f 00000004 04626567696e00", Packet::Data { sequence: 4, end: true, payload: b"\x04begin\0" });
        check("00100009 00000000 01", Packet::Unreliable { sequence: 0, payload: &[1] });
        check("0001000a 00000007 0102", Packet::Data { sequence: 7, end: false, payload: &[1, 2] });
    }

    #[test]
    fn control_packets_are_as_engines_send_them() {
        // qss_nq_deltas_predinfo.txt and fteqw_nq_deltas_predinfo.txt
        let connect = ControlPacket::ConnectRequest { game: GAME_NAME, version: NET_PROTOCOL_VERSION, rest: &[] };
        check("8000000c 01 5155414b4500 03", Packet::Control(connect));
        check("80000009 81 d16b0000", Packet::Control(ControlPacket::Accept { port: 27601, extra: &[] }));
        check("8000000b 81 6d6b0000 0121", Packet::Control(ControlPacket::Accept { port: 27501, extra: &[1, 0x21] }));
        let full = ControlPacket::Reject { reason: b"Server is full.\n" };
        check("80000016 82 5365727665722069732066756c6c2e0a00", Packet::Control(full));
        let extended = ControlPacket::ConnectRequest { game: GAME_NAME, version: 3, rest: &[1, 0x1e, 0] };
        check("8000000f 01 5155414b4500 03 011e00", Packet::Control(extended));
    }

    #[test]
    fn questions_and_their_answers_are_read_back() {
        check(
            "8000000c 02 5155414b4500 03",
            Packet::Control(ControlPacket::ServerInfoRequest { game: GAME_NAME, version: 3 }),
        );
        check("80000006 03 02", Packet::Control(ControlPacket::PlayerInfoRequest { slot: 2 }));
        check("80000008 04 736b00", Packet::Control(ControlPacket::RuleInfoRequest { previous: b"sk" }));
        check("80000005 85", Packet::Control(ControlPacket::RuleInfo { rule: None }));
    }

    #[test]
    fn answers_with_several_strings_are_read_back() {
        for packet in [
            ControlPacket::ServerInfo {
                address: b"a:1",
                host: b"h",
                map: b"e1m1",
                players: 1,
                max_players: 8,
                version: 3,
            },
            ControlPacket::PlayerInfo { slot: 1, name: b"n", colors: 0x44, frags: -2, seconds: 90, address: b"a:2" },
            ControlPacket::RuleInfo { rule: Some((b"skill", b"1")) },
        ] {
            let mut out = Vec::new();
            packet.write(&mut Writer::new(&mut out));
            assert_eq!(ControlPacket::read(&mut Reader::new(&out)), Ok(packet));
            for length in 5..out.len() {
                // The length is made right, so that the fields themselves run short.
                let mut cut = out[..length].to_vec();
                cut[..4].copy_from_slice(&(NETFLAG_CTL | length as u32).to_be_bytes());
                match ControlPacket::read(&mut Reader::new(&cut)) {
                    Ok(packet) => assert_eq!(packet, ControlPacket::RuleInfo { rule: None }),
                    Err(error) => assert!(!error.field.is_empty()),
                }
            }
        }
    }

    #[test]
    fn senseless_headers_are_errors() {
        fails("00040008 00000000", "flags at byte 0: unknown value 0x40000");
        fails("00030008 00000000", "flags at byte 0: unknown value 0x30000");
        fails("00020009 00000000 00", "ack at byte 8: 1 bytes left over");
        fails("80010005 81", "flags at byte 0: unknown value 0x80010000");
        fails("80000005 99", "command at byte 4: unknown value 0x99");
        fails("00010004", "sequence at byte 4: needs 4 bytes, 0 left");
        assert!(is_control(&bytes("80000005 99")) && !is_control(&bytes("0001")) && !is_control(&[]));
    }

    #[test]
    fn only_an_accept_names_a_port() {
        assert_eq!(port_field(&bytes("80000009 81 39300000")), Some(5));
        assert_eq!(port_field(&bytes("80000009 82 39300000")), None);
        // QuakeWorld's packet 129, which acknowledges 129 and has a frame.
        assert_eq!(port_field(&bytes("81000000 81000000 56 b719bc42 0000")), None);
        assert_eq!([port_field(&bytes("800000")), port_field(&[])], [None; 2]);
    }
}
