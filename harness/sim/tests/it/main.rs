//! The seeded network and the direct executor, from outside.

mod determinism;
mod guards;
mod hosts;
mod impairments;
mod order;
mod pauses;
mod quiet;
mod rebinds;
mod scripts;
