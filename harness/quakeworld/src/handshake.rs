//! How two ends agree: connectionless packets.
//!
//! Much of it is text that people and proxies may have touched, so parsing is generous: unknown keys are skipped, numbers
//! are read as far as they are numbers, and what is absent was stripped on the way.

use crate::numbers::PROTOCOL_VERSION_QW;
pub use kit::tokens::{MAX_TOKENS, Tokens};
use kit::{DecodeError, ErrorKind, Reader, Writer};
use netchan::OUT_OF_BAND;
use netquake::constants::{PROTOCOL_VERSION_EZQUAKE1, PROTOCOL_VERSION_FTE, PROTOCOL_VERSION_FTE2};

/// Key of the largest datagram, for fragments: `FRAG`.
pub const PROTOCOL_VERSION_FRAGMENT: u32 = u32::from_le_bytes(*b"FRAG");
/// Key of the checksum of the Huffman table: `HUFF`.
pub const PROTOCOL_VERSION_HUFFMAN: u32 = u32::from_le_bytes(*b"HUFF");
/// Key of the encryption offer: `DTLS`.
pub const PROTOCOL_INFO_DTLS: u32 = u32::from_le_bytes(*b"DTLS");
/// Key of the client's identity, in a connect: `GUID`.
pub const PROTOCOL_INFO_GUID: u32 = u32::from_le_bytes(*b"GUID");
/// Key of an entry with a length of its own: `vlen`.
pub const PROTOCOL_VERSION_VARLENGTH: u32 = u32::from_le_bytes(*b"vlen");
/// Key of an extension that only its sender knows: `PRIV`.
pub const PRIVATE_KEY: u32 = u32::from_le_bytes(*b"PRIV");
/// Its value, which has to be quoted.
pub const PRIVATE_VALUE: &[u8] = b"of no great concern";
/// A `FRAG` value up to this means nothing.
pub const MIN_FRAGMENT_SIZE: u32 = 64;

/// Most extension entries read from a challenge or a connect; the rest is ignored.
pub const MAX_ENTRIES: usize = 64;

/// The keys of a challenge, and of a connect: `None` for an absent one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entries<'a> {
    /// [`PROTOCOL_VERSION_FTE`].
    pub fte1: Option<u32>,
    /// [`PROTOCOL_VERSION_FTE2`].
    pub fte2: Option<u32>,
    /// [`PROTOCOL_VERSION_EZQUAKE1`].
    pub mvd1: Option<u32>,
    /// [`PROTOCOL_VERSION_FRAGMENT`]: the largest datagram that the sender takes, in bytes.
    pub fragment: Option<u32>,
    /// [`PROTOCOL_VERSION_HUFFMAN`].
    pub huffman: Option<u32>,
    /// [`PROTOCOL_INFO_DTLS`]: 1 possible, 2 wished, 3 necessary.
    pub dtls: Option<u32>,
    /// [`PROTOCOL_INFO_GUID`].
    pub guid: Option<&'a [u8]>,
    /// [`PRIVATE_KEY`], in a connect.
    pub private: Option<&'a [u8]>,
}

impl Entries<'_> {
    /// The datagram size for fragments, if fragments are mentioned with a size that means something.
    pub fn fragment_bytes(&self) -> Option<u32> {
        self.fragment.filter(|&size| size > MIN_FRAGMENT_SIZE)
    }

    /// The numbers mentioned, in the order in which they are written.
    fn numbers(&self) -> impl Iterator<Item = (u32, u32)> {
        [
            (PROTOCOL_VERSION_FTE, self.fte1),
            (PROTOCOL_VERSION_FTE2, self.fte2),
            (PROTOCOL_VERSION_EZQUAKE1, self.mvd1),
            (PROTOCOL_VERSION_FRAGMENT, self.fragment),
            (PROTOCOL_VERSION_HUFFMAN, self.huffman),
            (PROTOCOL_INFO_DTLS, self.dtls),
        ]
        .into_iter()
        .filter_map(|(key, value)| Some((key, value?)))
    }

    /// Stores the value of a known key.
    fn set(&mut self, key: u32, value: u32) {
        let place = match key {
            PROTOCOL_VERSION_FTE => &mut self.fte1,
            PROTOCOL_VERSION_FTE2 => &mut self.fte2,
            PROTOCOL_VERSION_EZQUAKE1 => &mut self.mvd1,
            PROTOCOL_VERSION_FRAGMENT => &mut self.fragment,
            PROTOCOL_VERSION_HUFFMAN => &mut self.huffman,
            PROTOCOL_INFO_DTLS => &mut self.dtls,
            _ => return,
        };
        *place = Some(value);
    }
}

/// A connectionless packet of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerPacket<'a> {
    /// `c`: the number that a connect must repeat, and what the server can do.
    Challenge {
        /// The number.
        challenge: i32,
        /// What the server can do.
        entries: Entries<'a>,
    },
    /// `j`: the connection is open.
    Accept,
    /// `n`: text for the player, such as the reason of a refusal.
    Print {
        /// The text.
        text: &'a [u8],
    },
}

impl<'a> ServerPacket<'a> {
    /// Appends the datagram.
    pub fn write(&self, w: &mut Writer<'_>) {
        w.u32("out of band", OUT_OF_BAND);
        match self {
            ServerPacket::Challenge { challenge, entries } => {
                w.u8("type", b'c');
                w.string("challenge", challenge.to_string().as_bytes());
                for (key, value) in entries.numbers() {
                    w.u32("key", key);
                    w.u32("value", value);
                }
                if let Some(guid) = entries.guid {
                    w.u32("key", PROTOCOL_VERSION_VARLENGTH);
                    w.u32("length", guid.len() as u32);
                    w.u32("ident", PROTOCOL_INFO_GUID);
                    w.bytes("data", guid);
                }
            }
            ServerPacket::Accept => {
                w.u8("type", b'j');
                w.text("rest", b"\n");
            }
            ServerPacket::Print { text } => {
                w.u8("type", b'n');
                w.string("text", text);
            }
        }
    }

    /// Reads a datagram.
    ///
    /// # Errors
    /// It ends inside a field (where an entry may begin, the end is no error), or is of another type.
    pub fn read(r: &mut Reader<'a>) -> Result<ServerPacket<'a>, DecodeError> {
        read_prefix(r)?;
        let offset = r.at();
        Ok(match r.u8("type")? {
            b'c' => {
                let challenge = number(r.string("challenge")?, Octal::No) as i32;
                let mut entries = Entries::default();
                for _ in 0..MAX_ENTRIES {
                    if r.left() == 0 {
                        break;
                    }
                    match r.u32("key")? {
                        PROTOCOL_VERSION_VARLENGTH => {
                            let (length, ident) = (r.u32("length")?, r.u32("ident")?);
                            let data = r.bytes("data", length as usize)?;
                            if ident == PROTOCOL_INFO_GUID {
                                entries.guid = Some(data);
                            }
                        }
                        key => entries.set(key, r.u32("value")?),
                    }
                }
                ServerPacket::Challenge { challenge, entries }
            }
            b'j' => {
                r.text("rest", r.left())?;
                ServerPacket::Accept
            }
            b'n' => {
                let text = r.text("text", r.left())?;
                ServerPacket::Print { text: text.split(|&byte| byte == 0).next().unwrap_or_default() }
            }
            value => return r.error(offset, "type", ErrorKind::Unknown { value: value.into() }),
        })
    }
}

/// A connectionless packet of a client.
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

/// A client's `connect`, with the lines about extensions that follow it. A proxy may have stripped those.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connect<'a> {
    /// The base protocol: 28.
    pub version: u32,
    /// The client's number.
    pub qport: u16,
    /// The challenge, repeated.
    pub challenge: i32,
    /// Keys and values, each after a backslash.
    pub userinfo: &'a [u8],
    /// What the client can do. Huffman and encryption are not mentioned here.
    pub entries: Entries<'a>,
}

impl<'a> Connect<'a> {
    /// A connect with the usual version.
    pub fn new(qport: u16, challenge: i32, userinfo: &'a [u8], entries: Entries<'a>) -> Connect<'a> {
        Connect { version: PROTOCOL_VERSION_QW, qport, challenge, userinfo, entries }
    }

    /// Appends the text.
    fn write(&self, w: &mut Writer<'_>) {
        let mut text = format!("connect {} {} {} \"", self.version, self.qport, self.challenge).into_bytes();
        // A quote or a line end would end the field for every reader.
        text.extend(self.userinfo.iter().filter(|byte| !matches!(byte, b'"' | b'\n' | 0)));
        text.extend_from_slice(b"\"\n");
        w.text("connect", &text);
        let quoted = |w: &mut Writer<'_>, key: u32, value: &[u8]| {
            let mut line = format!("{key:#x} \"").into_bytes();
            line.extend(value.iter().filter(|byte| !matches!(byte, b'"' | b'\n' | 0)));
            line.extend_from_slice(b"\"\n");
            w.text("extension", &line);
        };
        if let Some(value) = self.entries.private {
            quoted(w, PRIVATE_KEY, value);
        }
        for (key, value) in self.entries.numbers() {
            match key {
                PROTOCOL_VERSION_HUFFMAN | PROTOCOL_INFO_DTLS => {}
                PROTOCOL_VERSION_FRAGMENT => w.text("extension", format!("{key:#x} {value}\n").as_bytes()),
                _ => w.text("extension", format!("{key:#x} {value:#x}\n").as_bytes()),
            }
        }
        if let Some(guid) = self.entries.guid {
            quoted(w, PROTOCOL_INFO_GUID, guid);
        }
    }

    /// Reads the text, which begins at `offset` of the datagram.
    fn read(r: &Reader<'_>, offset: usize, text: &'a [u8]) -> Result<Connect<'a>, DecodeError> {
        let mut lines = text.split(|&byte| byte == b'\n');
        let first = lines.next().unwrap_or_default();
        let mut tokens = Tokens::new(first);
        tokens.next();
        let mut field = |name: &'static str| match tokens.next() {
            Some(token) => Ok(token),
            None => r.error(offset + first.len(), name, ErrorKind::Truncated { need: 1, have: 0 }),
        };
        let mut connect = Connect {
            version: number(field("version")?, Octal::No),
            qport: number(field("qport")?, Octal::No) as u16,
            challenge: number(field("challenge")?, Octal::No) as i32,
            userinfo: field("userinfo")?,
            entries: Entries::default(),
        };
        for line in lines.take(MAX_ENTRIES) {
            let mut tokens = Tokens::new(line);
            let (Some(key), Some(value)) = (tokens.next(), tokens.next()) else { continue };
            match number(key, Octal::No) {
                PROTOCOL_INFO_GUID => connect.entries.guid = Some(value),
                PRIVATE_KEY => connect.entries.private = Some(value),
                key => connect.entries.set(key, number(value, Octal::No)),
            }
        }
        Ok(connect)
    }
}

impl<'a> ClientPacket<'a> {
    /// Appends the datagram.
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
    /// It is none that belongs to no connection, or is a connect that lacks a field.
    pub fn read(r: &mut Reader<'a>) -> Result<ClientPacket<'a>, DecodeError> {
        read_prefix(r)?;
        let offset = r.at();
        let text = r.text("request", r.left())?;
        let first = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
        Ok(match Tokens::new(first).next() {
            Some(b"getchallenge") => ClientPacket::GetChallenge,
            Some(b"connect") => ClientPacket::Connect(Connect::read(r, offset, text)?),
            _ => ClientPacket::Other { text },
        })
    }
}

/// Reads the mark of a connectionless packet.
fn read_prefix(r: &mut Reader<'_>) -> Result<(), DecodeError> {
    let offset = r.at();
    match r.u32("out of band")? {
        OUT_OF_BAND => Ok(()),
        value => r.error(offset, "out of band", ErrorKind::Unknown { value }),
    }
}

/// Whether a leading 0 makes a number octal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Octal {
    /// It does: what a console reads.
    Yes,
    /// It does not.
    No,
}

/// A number as far as the text is one, modulo 2^32; 0 where it is none. `0x` makes it hexadecimal.
pub fn number(text: &[u8], octal: Octal) -> u32 {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let (base, digits) = match digits {
        [b'0', b'x' | b'X', rest @ ..] => (16, rest),
        [b'0', rest @ ..] if octal == Octal::Yes => (8, rest),
        _ => (10, digits),
    };
    let values = digits.iter().map_while(|&byte| char::from(byte).to_digit(base));
    let value = values.fold(0u32, |value, digit| value.wrapping_mul(base).wrapping_add(digit));
    if negative { value.wrapping_neg() } else { value }
}

#[cfg(test)]
mod tests;
