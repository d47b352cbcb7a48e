//! R1Q2 protocol 35, in the revisions 1901 to 1905, and the protocol 34 that it grew from: the wire, and reading along.
//!
//! Reading order: [`constants`], [`state`] (what is delta-compressed), [`delta`] and [`player`] (the field tables),
//! [`solid`], [`entities`], [`frame`], [`usercmd`] (what answers frames), [`message`] (everything that is said, in
//! order) with [`service`], [`effect`], [`command`] and [`deflate`]. Around them: [`handshake`] and [`dialect`] (what
//! was agreed upon), [`netchan`] (the transport), [`tap`] and [`dissector`] (reading along), [`requirements`] (what
//! there is to prove), [`options`].

pub mod command;
pub mod constants;
pub mod deflate;
pub mod delta;
pub mod dialect;
pub mod dissector;
pub mod effect;
pub mod entities;
pub mod frame;
pub mod handshake;
pub mod message;
pub mod netchan;
pub mod options;
pub mod player;
pub mod requirements;
pub mod service;
pub mod solid;
pub mod state;
pub mod tap;
pub mod usercmd;
