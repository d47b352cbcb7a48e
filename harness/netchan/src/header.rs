//! What stands in front of every datagram of a connection.

use kit::{DecodeError, Direction, ErrorKind, Numbering, Reader, Writer};

/// The first long of a datagram that belongs to no connection.
pub const OUT_OF_BAND: u32 = 0xffff_ffff;
/// The two numbers in front of every datagram, in bytes; a client's number and a fragment field may follow.
pub const HEADER_BYTES: usize = 8;
/// The bit beside a sequence number: the datagram carries a reliable block, or the state of the echo.
pub(crate) const RELIABLE: u32 = 1 << 31;

/// Whether a datagram belongs to no connection, and so is none for a [`Netchan`](crate::Netchan).
pub fn is_out_of_band(datagram: &[u8]) -> bool {
    datagram.first_chunk() == Some(&OUT_OF_BAND.to_le_bytes())
}

/// The version that a client's `connect` asks for: the word after it, or what a list of keys and values calls `protocol`.
/// `None` of any other datagram.
pub fn version_asked_for(datagram: &[u8]) -> Option<String> {
    const KEY: &str = "\\protocol\\";
    let text = String::from_utf8_lossy(datagram.strip_prefix(&OUT_OF_BAND.to_le_bytes())?.strip_prefix(b"connect")?)
        .into_owned();
    let rest = text.lines().next().unwrap_or_default();
    if let Some((_, value)) = rest.split_once(KEY) {
        return Some(value.split(['\\', '"']).next().unwrap_or_default().to_string());
    }
    rest.strip_prefix([' ', '\t'])?.split_whitespace().next().map(str::to_string)
}

/// What the number of a datagram says of it.
pub fn numbering(datagram: &[u8]) -> Numbering {
    if is_out_of_band(datagram) { Numbering::Outside } else { Numbering::Own }
}

/// What is added to the first number of a header that differs from those of STUN and RTP.
const STUN_BIAS: u32 = 0x4000_0000;

/// A datagram of a connection whose ends agreed upon FTE's `PEXT2_STUNAWARE`, with the header that it would have without:
/// there the first two numbers are big-endian, and the first has a bias.
pub fn without_stun_bias(datagram: &[u8]) -> Vec<u8> {
    let mut plain = datagram.to_vec();
    for (number, bias) in plain.chunks_exact_mut(4).zip([STUN_BIAS, 0]) {
        if let Ok(bytes) = <[u8; 4]>::try_from(&*number) {
            number.copy_from_slice(&u32::from_be_bytes(bytes).wrapping_sub(bias).to_le_bytes());
        }
    }
    plain
}

/// A client's number in its datagrams, so that its port may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Qport {
    /// None: R1Q2's protocol 35 after a connect that said 0.
    Absent,
    /// A byte: R1Q2's protocol 35.
    Byte(u8),
    /// A short: QuakeWorld and Quake II.
    Short(u16),
}

impl Qport {
    /// Its size, in bytes.
    pub fn bytes(self) -> usize {
        match self {
            Qport::Absent => 0,
            Qport::Byte(_) => 1,
            Qport::Short(_) => 2,
        }
    }

    fn write(self, w: &mut Writer<'_>) {
        match self {
            Qport::Absent => {}
            Qport::Byte(qport) => w.u8("qport", qport),
            Qport::Short(qport) => w.u16("qport", qport),
        }
    }

    /// Reads one of the same size.
    fn read_like(self, r: &mut Reader<'_>) -> Result<Qport, DecodeError> {
        Ok(match self {
            Qport::Absent => Qport::Absent,
            Qport::Byte(_) => Qport::Byte(r.u8("qport")?),
            Qport::Short(_) => Qport::Short(r.u16("qport")?),
        })
    }
}

/// The place of a fragment in its datagram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fragment {
    /// Where its bytes belong; a multiple of 8.
    pub offset: usize,
    /// Whether more fragments follow. A datagram in one piece has offset 0 and no more.
    pub more: bool,
}

/// What stands in front of every datagram of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The datagram's number, 31 bits.
    pub sequence: u32,
    /// Whether the payload begins with a reliable block.
    pub reliable: bool,
    /// The newest datagram received from the other side, 31 bits.
    pub acknowledged: u32,
    /// The echo: how often, modulo 2, a reliable block was received.
    pub reliable_acknowledged: bool,
    /// The client's number; from client to server only.
    pub qport: Qport,
    /// The place of this fragment; only where fragments were agreed upon.
    pub fragment: Option<Fragment>,
}

impl Header {
    /// Appends the header.
    pub fn write(&self, w: &mut Writer<'_>) {
        w.u32("sequence", self.sequence & !RELIABLE | if self.reliable { RELIABLE } else { 0 });
        w.u32("acknowledged", self.acknowledged & !RELIABLE | if self.reliable_acknowledged { RELIABLE } else { 0 });
        self.qport.write(w);
        if let Some(fragment) = self.fragment {
            w.u16("fragment", (fragment.offset >> 2) as u16 & !1 | u16::from(fragment.more));
        }
    }

    /// Reads the header of a datagram that goes in `direction`, between a server and a client with a number of the same
    /// size as `qport`, with a fragment field if `fragments` were agreed upon.
    ///
    /// # Errors
    /// The datagram ends inside it, or belongs to no connection.
    pub fn read(
        r: &mut Reader<'_>,
        direction: Direction,
        qport: Qport,
        fragments: bool,
    ) -> Result<Header, DecodeError> {
        let offset = r.at();
        let sequence = r.u32("sequence")?;
        if sequence == OUT_OF_BAND {
            let why = "a connectionless datagram belongs to no connection";
            return r.error(offset, "sequence", ErrorKind::Forbidden { value: sequence, why });
        }
        let acknowledged = r.u32("acknowledged")?;
        let qport = match direction {
            Direction::ClientToServer => qport.read_like(r)?,
            Direction::ServerToClient => Qport::Absent,
        };
        let fragment = if fragments {
            let value = r.u16("fragment")?;
            Some(Fragment { offset: usize::from(value & !1) << 2, more: value & 1 != 0 })
        } else {
            None
        };
        Ok(Header {
            sequence: sequence & !RELIABLE,
            reliable: sequence & RELIABLE != 0,
            acknowledged: acknowledged & !RELIABLE,
            reliable_acknowledged: acknowledged & RELIABLE != 0,
            qport,
            fragment,
        })
    }
}
