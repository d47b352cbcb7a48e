//! What stands on the wire, read and written; nothing here remembers what was sent before.
//!
//! Reading order: [`constants`], [`state`] (what is delta-compressed), [`delta`] and [`player`] (the field tables),
//! [`entities`], [`frame`], [`usercmd`] (what answers frames), [`message`] (all messages, in
//! order) with [`service`], [`effect`], [`command`] and [`deflate`]; [`handshake`] and [`dialect`] (what was agreed
//! upon). The transport is the crate [`netchan`].

pub mod command;
pub mod constants;
pub mod deflate;
pub mod delta;
pub mod dialect;
pub mod effect;
pub mod entities;
pub mod frame;
pub mod handshake;
pub mod message;
pub mod player;
pub mod service;
pub mod state;
pub mod usercmd;
