//! The codec against bytes worked out by hand, and against itself; the machines and the oracle over a bad network.

mod round_trip;
mod session;
mod vectors;
