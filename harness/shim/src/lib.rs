//! Servers and clients in other processes, in any language.
//!
//! `PROTOCOL.md` beside this crate is what the author of such a process reads. [`message`] has the messages, [`words`]
//! the protocol's names and numbers in them, [`schema`] their JSON Schemas. [`Process`] is one process, [`Fault`] what can go
//! wrong with it; [`Link`] lends it to the endpoints of one run. [`serve`] is the other end, for endpoints in Rust.

mod connection;
mod guard;
mod home;
mod link;
pub mod message;
mod process;
pub mod schema;
pub mod serve;
pub mod words;

pub use connection::last_words;
pub use kit::Fault;
pub use link::{End, Link, Record};
pub use process::{Hello, Launch, Process, Surroundings};

/// The version of the shim protocol.
pub const VERSION: u32 = 1;
