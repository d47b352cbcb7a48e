//! Sessions with a foreign program over real UDP, in real time.
//!
//! Every datagram takes the same way, whoever sends it: it is named, the network's configuration decides its fate, the probes
//! see it as sent; when a copy is due they see it as delivered, and only then the receiver gets it, through a function call or
//! a socket. So what the probes know of a delivery to a remote end is a lower bound of what that end knows.
//!
//! Reading order: [`clock`], [`socket`], [`addresses`] (which remote address is which host), [`session`] (the loop),
//! [`record`] (a session as a pcapng file), [`rest`] (the control client), [`map`] (what a map's file says), [`run`] (probe, serve and proxy).

pub mod addresses;
pub mod clock;
pub mod map;
mod port;
pub mod record;
pub mod rest;
pub mod run;
pub mod session;
pub mod socket;
