//! What a mutant can replace in a server: the seams, and the right functions.

use super::{Session, Version, Versions};
use crate::constants::NVS_REQUEST_USAGE;
use crate::latitude::Latitude;
use crate::options::Options;
use crate::preparation::Preparation;
use crate::preparation::rules::PreparationRules;
use crate::tables::Tables;
use kit::Time;
use netquake::channel::Conduct;

/// What a server does where a mutant does otherwise.
#[derive(Clone, Copy, Debug)]
pub struct ServerRules {
    /// Changes the tables that the server is given: not at all.
    pub tables: fn(&mut Tables),
    /// How messages are prepared.
    pub preparation: PreparationRules,
    /// The server's version in a level: [`Options::ssvc`].
    pub ssvc: fn(&Options) -> Version,
    /// The same, by what it is, after QuakeC asked for another one in mid level: [`mid_level`].
    pub mid_level: fn(Version, Version) -> Version,
    /// The version that a request asks for, by its argument; else what is printed to its client: [`asked`].
    pub asked: fn(Option<&[u8]>) -> Result<Version, Refusal>,
    /// The versions of a client, by what it asks for and the server's: [`versions`].
    pub versions: fn(Version, Version, &Options) -> Versions,
    /// Whether a client gets the sign-on data: [`lets_in`].
    pub lets_in: fn(&Session, &Options) -> bool,
    /// The versions by which a client is written to: [`in_force`].
    pub in_force: fn(&Session) -> Versions,
    /// What a new level does to a client's versions: [`void`].
    pub void: fn(&mut Session),
    /// The version that QuakeC's world entity shows, by the server's: [`world_shows`].
    pub world_shows: fn(Version, &[Session]) -> Version,
    /// Whether a write of QuakeC's belongs to the message that was prepared: [`diverts`].
    pub diverts: fn(&Preparation) -> bool,
    /// Copies a buffer into a datagram of at most so many bytes: [`copy`].
    pub copy: fn(&mut Vec<u8>, &[u8], usize),
    /// When the next frame is, after a write did not fit into a buffer: [`when_full`].
    pub when_full: fn(Time) -> Time,
    /// The version whose form a client's moves have: [`moves`].
    pub moves: fn(&Versions) -> Version,
    /// How messages are transported.
    pub transport: Conduct,
    /// What may be done in one way or another.
    pub latitude: Latitude,
}

impl ServerRules {
    /// The reference.
    pub const REFERENCE: ServerRules = ServerRules {
        tables: |_| {},
        preparation: PreparationRules::REFERENCE,
        ssvc: Options::ssvc,
        mid_level,
        asked,
        versions,
        lets_in,
        in_force,
        void,
        world_shows,
        diverts,
        copy,
        when_full,
        moves,
        transport: TRANSPORT,
        latitude: Latitude::REFERENCE,
    };
}

/// Engines wait a second before they send a fragment again.
pub const TRANSPORT: Conduct = Conduct { resend_us: 1_000_000, ..Conduct::REFERENCE };

/// What a client is printed whose request asks for no version.
pub type Refusal = &'static [&'static [u8]];

/// The server's version stands for the whole level.
pub fn mid_level(held: Version, _: Version) -> Version {
    held
}

/// A number that is not negative.
///
/// # Errors
/// There is none.
pub fn asked(argument: Option<&[u8]>) -> Result<Version, Refusal> {
    // NVS-HS-05
    let version = argument.map(Version::from_text).ok_or(NVS_REQUEST_USAGE)?;
    // NVS-HS-04
    if version < Version::PLAIN { Err(&[b"A version is a positive number.\n"]) } else { Ok(version) }
}

/// Each is the lower of what two sides know.
pub fn versions(asked: Version, ssvc: Version, options: &Options) -> Versions {
    // NVS-VER-02, NVS-VER-03
    Versions { ssvc, csvc: asked.min(ssvc), cclc: asked.min(options.server_max) }
}

/// A client that is new enough; one that never asked has version 0.
pub fn lets_in(session: &Session, options: &Options) -> bool {
    session.maximum >= options.required
}

/// All 0 until the client has the sign-on data.
pub fn in_force(session: &Session) -> Versions {
    // NVS-SIG-04
    if session.signed_on { session.versions } else { Versions::default() }
}

/// They are agreed upon again.
pub fn void(session: &mut Session) {
    session.versions = Versions::default();
    session.answered = false;
    session.signed_on = false;
}

/// The server's.
pub fn world_shows(ssvc: Version, _: &[Session]) -> Version {
    // NVS-QC-02
    ssvc
}

/// As long as some of its writes are still to come.
pub fn diverts(preparation: &Preparation) -> bool {
    // NVS-QC-01, NVS-QC-03
    preparation.remaining() > 0
}

/// Whole or not at all: half a buffer would leave the client in the middle of a message.
pub fn copy(payload: &mut Vec<u8>, buffer: &[u8], limit: usize) {
    // NVS-BUF-06
    if buffer.len() <= limit.saturating_sub(payload.len()) {
        payload.extend_from_slice(buffer);
    }
}

/// The server goes on.
pub fn when_full(next: Time) -> Time {
    next
}

/// Its version of commands.
pub fn moves(versions: &Versions) -> Version {
    versions.cclc
}
