//! The reference server and client.
//!
//! [`options`] and [`world`] (what a scenario sets), [`address`], [`admission`], [`server`] with
//! [`session`] and [`sender`], [`client`] with [`game`], [`movement`] and [`download`]. What a mutant does otherwise is in
//! [`sender::rules`] and [`game::rules`], what may be done in several ways in [`latitude`], what scenarios make the
//! machines send wrongly in [`malformed`].

pub mod address;
pub mod admission;
pub mod client;
pub mod configstrings;
pub mod download;
pub mod game;
pub mod latitude;
pub mod malformed;
pub mod movement;
pub mod options;
pub mod sender;
pub mod server;
pub mod session;
pub mod world;
