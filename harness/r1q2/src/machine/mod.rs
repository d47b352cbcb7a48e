//! The reference server and client.
//!
//! [`options`] and [`world`] (what a scenario says that there is), [`address`], [`server`] with [`session`] and
//! [`sender`], [`client`] with [`game`], [`movement`] and [`download`]; the choices that they make are in [`rules`] and
//! [`liberties`], what scenarios make them say wrongly in [`malformed`].

pub mod address;
pub mod client;
pub mod download;
pub mod game;
pub mod liberties;
pub mod malformed;
pub mod movement;
pub mod options;
pub mod rules;
pub mod sender;
pub mod server;
pub mod session;
pub mod world;
