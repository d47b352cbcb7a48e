//! Processes that speak the shim protocol, rightly and wrongly.

mod misbehaving;
mod schemas;
mod words;
