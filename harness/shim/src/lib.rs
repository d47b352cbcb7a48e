//! Servers and clients in other processes, in any language.
//!
//! `PROTOCOL.md` beside this crate is what the author of such a process reads. [`message`] has the messages, [`words`]
//! the protocol's names and numbers in them. [`Process`] is one process and what can go wrong with it ([`Fault`]);
//! [`Link`] lends it to the endpoints of one run. [`serve`] is the other end, for endpoints in Rust.

mod link;
pub mod message;
mod process;
pub mod serve;
pub mod words;

pub use link::Link;
pub use process::{Fault, Hello, Process};

/// The version of the shim protocol.
pub const VERSION: u32 = 1;
