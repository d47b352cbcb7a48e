//! Other ways to conform: each must pass every scenario.
//!
//! A variant is the reference with another [`Latitude`](crate::machine::latitude::Latitude). [`server`] has those of the
//! server, [`client`] those of the client; [`angles`] one that shows the same otherwise.

mod angles;
mod client;
mod server;

use kit::Variant;

/// The conforming variants, by file.
pub static VARIANTS: &[&[Variant]] = &[server::VARIANTS, client::VARIANTS];
