//! Other ways to conform: each takes a liberty that the protocol leaves, and must pass every scenario.
//!
//! A variant is the reference with other [`Liberties`]. [`server`] has those of the server, [`client`] those of the client.

mod client;
mod server;

use crate::machine::liberties::Liberties;
use crate::machine::rules::Rules;
use kit::Variant;

/// The conforming variants, by file.
pub static VARIANTS: &[&[Variant]] = &[server::VARIANTS, client::VARIANTS];

/// The reference but for its liberties.
const fn rules(liberties: Liberties) -> Rules {
    Rules { liberties, ..Rules::REFERENCE }
}
