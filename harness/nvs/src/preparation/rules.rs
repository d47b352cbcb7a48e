//! What a mutant can replace in the preparation of messages: the seams, and the right functions.

use super::{Init, Parties, Preparation, Terms};
use crate::buffers::Buffer;
use crate::constants::MSG_BROADCAST;
use crate::tables::Message;
use crate::version::Versions;

/// How messages are prepared and written.
#[derive(Clone, Copy, Debug)]
pub struct PreparationRules {
    /// Prepares a message: [`prepare`].
    pub prepare: fn(&mut Preparation, Init, &Terms<'_>, &mut dyn Parties),
    /// The line that says what a client of these versions gets, by the server's: [`client_line`].
    pub client_line: fn(&Message, usize, &Versions) -> usize,
    /// Whether a client of this line gets a write, by its number and the message's destination: [`converts`].
    pub converts: fn(&Message, usize, usize, u8) -> bool,
    /// The buffer of a client for messages to a destination: [`into`].
    pub into: fn(u8) -> Into,
    /// Whether so many bytes fit into a client's unreliable buffer: [`Buffer::has_room`].
    pub fits: fn(&Buffer, usize) -> bool,
}

impl PreparationRules {
    /// The reference.
    pub const REFERENCE: PreparationRules =
        PreparationRules { prepare, client_line, converts, into, fits: Buffer::has_room };
}

/// A buffer of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Into {
    /// The reliable one.
    Message,
    /// The unreliable one.
    Datagram,
}

/// Every message is prepared for all clients.
pub fn prepare(preparation: &mut Preparation, init: Init, terms: &Terms<'_>, parties: &mut dyn Parties) {
    // NVS-WR-01
    preparation.select(init, terms);
    preparation.share_out(terms, parties);
}

/// The newest line, from the server's on, that is not newer than the client's version.
pub fn client_line(message: &Message, server_line: usize, versions: &Versions) -> usize {
    // NVS-SEL-05
    message.line_from(server_line, versions.csvc)
}

/// As the line's flags say.
pub fn converts(message: &Message, line: usize, write: usize, _: u8) -> bool {
    message.lines.get(line).is_some_and(|line| line.converts(write))
}

/// BROADCAST is unreliable.
pub fn into(dest: u8) -> Into {
    if dest == MSG_BROADCAST {
        // NVS-BUF-02
        Into::Datagram
    } else {
        // NVS-BUF-01
        Into::Message
    }
}
