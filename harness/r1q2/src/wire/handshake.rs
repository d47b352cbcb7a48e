//! How two ends agree: datagrams that belong to no connection, with text that people and proxies may have touched. So
//! parsing is generous: what is unknown is skipped, and numbers are read as far as they are numbers.

use crate::wire::constants::*;
pub use kit::tokens::{MAX_TOKENS, Tokens};
use kit::{DecodeError, ErrorKind, Reader, Writer};
pub use netchan::is_out_of_band;
use netchan::{OUT_OF_BAND, Qport};

/// Most keys that a userinfo is searched for; the rest of it is ignored.
pub const MAX_KEYS: usize = 64;
/// How the list of protocols in a challenge begins.
const PROTOCOLS_KEY: &[u8] = b"p=";

/// What a client that announced `qport` in a connect of `protocol` sends in its datagrams. R1Q2's servers take what is no byte
/// for none (erratum 5).
pub fn announced(protocol: u32, qport: u32) -> Qport {
    match (protocol, u8::try_from(qport)) {
        (PROTOCOL_ORIGINAL, _) => Qport::Short(qport as u16),
        // R1Q2-QPORT-01
        (PROTOCOL_R1Q2, Ok(1..)) => Qport::Byte(qport as u8),
        // R1Q2-QPORT-03
        _ => Qport::Absent,
    }
}

/// What a connect has behind its userinfo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tail {
    /// The longest payload that the client takes, in bytes; 0 for as long as can be. Protocol 35 and later.
    pub max_length: Option<u32>,
    /// Protocol 36: the kind of channel.
    pub netchan: Option<u32>,
    /// Protocol 36: whether the client can inflate.
    pub zlib: Option<u32>,
    /// The revision that the client speaks.
    pub minor: Option<u16>,
}

/// A client's `connect`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connect<'a> {
    /// The protocol: 34, 35, or 36.
    pub protocol: u32,
    /// The client's number. Over protocol 35 a byte, and 0 for none; what does not fit is kept to be seen.
    pub qport: u32,
    /// The challenge, repeated.
    pub challenge: i32,
    /// Keys and values, each after a backslash.
    pub userinfo: &'a [u8],
    /// What follows it; nothing over protocol 34.
    pub tail: Tail,
}

impl<'a> Connect<'a> {
    /// Writes the text.
    fn write(&self, w: &mut Writer<'_>) {
        let mut text = format!("connect {} {} {} \"", self.protocol, self.qport, self.challenge).into_bytes();
        // A quote or a line end would end the field for every reader.
        text.extend(self.userinfo.iter().filter(|byte| !matches!(byte, b'"' | b'\n' | 0)));
        text.push(b'"');
        let minor = self.tail.minor.map(u32::from);
        let arguments = match self.protocol {
            // R1Q2-CON-02
            PROTOCOL_ORIGINAL => [None; 4],
            PROTOCOL_Q2PRO => [self.tail.max_length, self.tail.netchan, self.tail.zlib, minor],
            // R1Q2-CON-01
            _ => [self.tail.max_length, minor, None, None],
        };
        // An argument's meaning is its place: nothing can follow one that is missing.
        for argument in arguments.into_iter().map_while(|argument| argument) {
            text.extend_from_slice(format!(" {argument}").as_bytes());
        }
        text.push(b'\n');
        w.text("connect", &text);
    }

    /// Reads the text, which begins at `offset` of the datagram.
    fn read(r: &Reader<'_>, offset: usize, line: &'a [u8]) -> Result<Connect<'a>, DecodeError> {
        let mut tokens = Tokens::new(line);
        tokens.next();
        let mut field = |name: &'static str| match tokens.next() {
            Some(token) => Ok(token),
            None => r.error(offset + line.len(), name, ErrorKind::Truncated { need: 1, have: 0 }),
        };
        let mut connect = Connect {
            protocol: number(field("protocol")?),
            qport: number(field("qport")?),
            challenge: number(field("challenge")?) as i32,
            userinfo: field("userinfo")?,
            tail: Tail::default(),
        };
        let mut argument = || tokens.next().map(number);
        if connect.protocol != PROTOCOL_ORIGINAL {
            connect.tail.max_length = argument();
            if connect.protocol == PROTOCOL_Q2PRO {
                connect.tail.netchan = argument();
                connect.tail.zlib = argument();
            }
            connect.tail.minor = argument().and_then(|minor| u16::try_from(minor).ok());
        }
        Ok(connect)
    }
}

/// A datagram of a client that belongs to no connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientPacket<'a> {
    /// `getchallenge`.
    GetChallenge,
    /// `connect`.
    Connect(Connect<'a>),
    /// Another request, such as `status`.
    Other {
        /// The text.
        text: &'a [u8],
    },
}

impl<'a> ClientPacket<'a> {
    /// Writes the datagram.
    pub fn write(&self, w: &mut Writer<'_>) {
        w.u32("out of band", OUT_OF_BAND);
        match self {
            ClientPacket::GetChallenge => w.text("getchallenge", b"getchallenge\n"),
            ClientPacket::Connect(connect) => connect.write(w),
            ClientPacket::Other { text } => w.text("request", text),
        }
    }

    /// Reads a datagram.
    ///
    /// # Errors
    /// It belongs to a connection, or is a connect that lacks a field.
    pub fn read(r: &mut Reader<'a>) -> Result<ClientPacket<'a>, DecodeError> {
        read_prefix(r)?;
        let offset = r.at();
        let text = r.text("request", r.left())?;
        let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
        Ok(match Tokens::new(line).next() {
            Some(b"getchallenge") => ClientPacket::GetChallenge,
            Some(b"connect") => ClientPacket::Connect(Connect::read(r, offset, line)?),
            _ => ClientPacket::Other { text },
        })
    }
}

/// The protocols that a challenge lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Protocols<'a>(pub Option<&'a [u8]>);

impl Protocols<'_> {
    /// Whether one of them is `protocol`; `None` where there is no list.
    pub fn include(&self, protocol: u32) -> Option<bool> {
        let list = self.0?;
        Some(list.split(|&byte| byte == b',').any(|listed| number(listed) == protocol))
    }
}

/// A datagram of a server that belongs to no connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerPacket<'a> {
    /// `challenge`: the number that a connect must repeat, and what the server speaks.
    Challenge {
        /// The number.
        challenge: i32,
        /// The list behind `p=`, such as `34,35`.
        protocols: Protocols<'a>,
    },
    /// `client_connect`: the connection is open.
    ClientConnect {
        /// What the server adds: keys and values with `=`, such as the map's name.
        extra: &'a [u8],
    },
    /// `print`: text for the player, such as the reason of a refusal.
    Print {
        /// The text.
        text: &'a [u8],
    },
    /// Another answer, such as that to `info`.
    Other {
        /// The text.
        text: &'a [u8],
    },
}

impl<'a> ServerPacket<'a> {
    /// Writes the datagram.
    pub fn write(&self, w: &mut Writer<'_>) {
        w.u32("out of band", OUT_OF_BAND);
        match self {
            ServerPacket::Challenge { challenge, protocols } => {
                let mut text = format!("challenge {challenge}").into_bytes();
                if let Some(list) = protocols.0 {
                    text.extend_from_slice(b" p=");
                    text.extend_from_slice(list);
                }
                w.text("challenge", &text);
            }
            ServerPacket::ClientConnect { extra } => {
                w.text("client_connect", b"client_connect");
                w.text("extra", extra);
            }
            ServerPacket::Print { text } => {
                w.text("print", b"print\n");
                w.text("text", text);
            }
            ServerPacket::Other { text } => w.text("answer", text),
        }
    }

    /// Reads a datagram.
    ///
    /// # Errors
    /// It belongs to a connection.
    pub fn read(r: &mut Reader<'a>) -> Result<ServerPacket<'a>, DecodeError> {
        read_prefix(r)?;
        let text = r.text("answer", r.left())?;
        let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let mut tokens = Tokens::new(line);
        Ok(match tokens.next() {
            Some(b"challenge") => {
                let challenge = tokens.next().map_or(0, number) as i32;
                let protocols = Protocols(tokens.find_map(|token| token.strip_prefix(PROTOCOLS_KEY)));
                ServerPacket::Challenge { challenge, protocols }
            }
            Some(b"client_connect") => {
                ServerPacket::ClientConnect { extra: text.strip_prefix(b"client_connect").unwrap_or_default() }
            }
            Some(b"print") => ServerPacket::Print { text: text.strip_prefix(b"print\n").unwrap_or_default() },
            _ => ServerPacket::Other { text },
        })
    }
}

/// Reads the mark of a datagram that belongs to no connection.
fn read_prefix(r: &mut Reader<'_>) -> Result<(), DecodeError> {
    let offset = r.at();
    match r.u32("out of band")? {
        OUT_OF_BAND => Ok(()),
        value => r.error(offset, "out of band", ErrorKind::Unknown { value }),
    }
}

/// The keys and values of a userinfo. A key without a value ends it.
pub fn keys(userinfo: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut words = userinfo.strip_prefix(b"\\").unwrap_or(userinfo).split(|&byte| byte == b'\\');
    std::iter::from_fn(move || Some((words.next()?, words.next()?))).take(MAX_KEYS)
}

/// The value of a key; the first, if there are several.
pub fn value_of<'a>(userinfo: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    keys(userinfo).find(|(name, _)| *name == key).map(|(_, value)| value)
}

/// Whether a server can take a userinfo: it has neither quotes nor semicolons, and a name that shows.
pub fn is_valid_userinfo(userinfo: &[u8]) -> bool {
    let name = value_of(userinfo, b"name").unwrap_or_default();
    !userinfo.iter().any(|byte| matches!(byte, b'"' | b';')) && name.iter().any(|&byte| byte & 0x7f > b' ')
}

/// A decimal number as far as the text is one, modulo 2^32; 0 where it is none.
fn number(text: &[u8]) -> u32 {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
    let value = digits.fold(0u32, |value, &byte| value.wrapping_mul(10).wrapping_add(u32::from(byte - b'0')));
    if negative { value.wrapping_neg() } else { value }
}

#[cfg(test)]
mod tests;
