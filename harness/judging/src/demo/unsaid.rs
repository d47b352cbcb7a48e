//! What both ends must have said beside what a demo has, so that an oracle can follow: a connection was asked for and accepted, and
//! what NetQuake's server says reliably was acknowledged before it said more.
//!
//! Nobody recorded it, and no check judges it ([`kit::Knows::ClientSays`]); it agrees on nothing, as what was agreed stands in
//! the serverdata.

use super::wrap::{HEADER_BYTES, reliable_number};
use kit::Direction::{ClientToServer, ServerToClient};
use kit::{Container, Direction, Reader};

/// A datagram, and the way it goes.
pub type Said = (Direction, Vec<u8>);

/// Control packets of NetQuake: a request for a connection, and its being accepted at the port where it came.
const NETQUAKE: [&[u8]; 2] = [b"\x80\0\0\x0c\x01QUAKE\0\x03", b"\x80\0\0\x09\x81\x90\x65\0\0"];

/// What is to be said before each datagram of a part.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unsaid {
    is_begun: bool,
    /// The number of NetQuake's reliable datagram that was not acknowledged yet.
    unacknowledged: Option<[u8; 4]>,
}

impl Unsaid {
    /// What must have been said before this datagram of such a demo.
    pub fn before(&mut self, container: Container, datagram: &[u8]) -> Vec<Said> {
        if !std::mem::replace(&mut self.is_begun, true) {
            self.unacknowledged = reliable_number(container, datagram);
            return connection(container, datagram);
        }
        let acknowledgement = self.unacknowledged.take().map(|number| [&[0, 2, 0, 8], &number[..]].concat());
        self.unacknowledged = reliable_number(container, datagram);
        acknowledgement.map(|bytes| (ClientToServer, bytes)).into_iter().collect()
    }
}

/// How the connection began whose first datagram this is.
fn connection(container: Container, first: &[u8]) -> Vec<Said> {
    match container {
        Container::Dem => vec![(ClientToServer, NETQUAKE[0].to_vec()), (ServerToClient, NETQUAKE[1].to_vec())],
        Container::Qwd | Container::Mvd => vec![
            (ClientToServer, outside("getchallenge\n")),
            (ServerToClient, outside("c1\0")),
            (ClientToServer, outside("connect 28 1 1 \"\\name\\demo\"\n")),
            (ServerToClient, outside("j")),
        ],
        Container::Dm2 => {
            let connect = match protocol(first.get(HEADER_BYTES..).unwrap_or_default()) {
                // The longest datagrams, and the revision.
                (35, Some(minor)) => format!("connect 35 1 1 \"\\name\\demo\" 0 {minor}\n"),
                (protocol, _) => format!("connect {protocol} 1 1 \"\\name\\demo\"\n"),
            };
            vec![
                (ClientToServer, outside("getchallenge\n")),
                (ServerToClient, outside("challenge 1")),
                (ClientToServer, outside(&connect)),
                (ServerToClient, outside("client_connect")),
            ]
        }
    }
}

/// A datagram of no connection.
fn outside(text: &str) -> Vec<u8> {
    [&[0xff; 4], text.as_bytes()].concat()
}

/// Quake II: the protocol that a message announces, and the revision if it has one; that of the original game if it announces none.
fn protocol(message: &[u8]) -> (u32, Option<u16>) {
    const ORIGINAL: (u32, Option<u16>) = (34, None);
    let read = |r: &mut Reader<'_>| -> Result<(u32, Option<u16>), kit::DecodeError> {
        if r.u8("svc")? != super::wrap::Q2_SERVERDATA {
            return Ok(ORIGINAL);
        }
        let protocol = r.u32("protocol")?;
        if protocol != 35 {
            return Ok((protocol, None));
        }
        r.bytes("spawncount, attractloop", 5)?;
        r.string("gamedir")?;
        r.i16("playernum")?;
        r.string("levelname")?;
        r.u8("enhanced")?;
        Ok((protocol, Some(r.u16("minor")?)))
    };
    read(&mut Reader::new(message)).unwrap_or(ORIGINAL)
}
