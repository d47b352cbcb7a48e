//! What a mutant can replace in a client: the seams, and the right functions.

use super::{SIGNON_DONE, SIGNON_PRESPAWNED};
use crate::latitude::Latitude;
use crate::session::rules::{TRANSPORT, moves};
use crate::tables::Tables;
use crate::version::{Version, Versions};
use netquake::channel::Conduct;

/// What a client does where a mutant does otherwise.
#[derive(Clone, Copy, Debug)]
pub struct ClientRules {
    /// Changes the tables that the client is given: not at all.
    pub tables: fn(&mut Tables),
    /// The version that messages are read by, by the stage of the sign-on: [`reads_by`].
    pub reads_by: fn(&Versions, u8) -> Version,
    /// Whether a message counts, by whether it is reliable and by the stage of the sign-on: [`takes`].
    pub takes: fn(bool, u8) -> bool,
    /// The version whose form moves have: [`moves`].
    pub moves: fn(&Versions) -> Version,
    /// How messages are transported.
    pub transport: Conduct,
    /// What may be done in one way or another.
    pub latitude: Latitude,
}

impl ClientRules {
    /// The reference.
    pub const REFERENCE: ClientRules =
        ClientRules { tables: |_| {}, reads_by, takes, moves, transport: TRANSPORT, latitude: Latitude::REFERENCE };
}

/// An unreliable message counts in the game alone: what comes before that is of an earlier level.
pub fn takes(reliable: bool, signon: u8) -> bool {
    reliable || signon >= SIGNON_DONE
}

/// The version of services, from the end of the sign-on data on.
pub fn reads_by(versions: &Versions, signon: u8) -> Version {
    // NVS-SIG-02
    if signon < SIGNON_PRESPAWNED { Version::PLAIN } else { versions.csvc }
}
