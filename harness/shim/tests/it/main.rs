//! Processes that speak the shim protocol, rightly and wrongly.

mod misbehaving;
#[cfg(feature = "schemas")]
mod schemas;
mod words;
