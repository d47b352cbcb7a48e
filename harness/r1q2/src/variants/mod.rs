//! Other ways to conform: each must pass every scenario.
//!
//! A variant is the reference with another [`Latitude`](crate::machine::latitude::Latitude). [`server`] has those of the
//! server, [`client`] those of the client; [`shown`] those that show the same otherwise.

mod client;
mod server;
mod shown;

use kit::Variant;

/// The conforming variants, by file.
pub static VARIANTS: &[&[Variant]] = &[server::VARIANTS, client::VARIANTS];
