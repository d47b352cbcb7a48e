//! Conforming variants: each makes another conforming choice than the reference, and must pass every scenario.
//!
//! A variant is the reference with another [`Latitude`](crate::latitude::Latitude) or transport, or its datagrams are
//! edited.

mod client;
mod server;

use kit::Variant;

/// The conforming variants, by file.
pub static VARIANTS: &[&[Variant]] = &[server::VARIANTS, client::VARIANTS];
