//! The codec against bytes worked out by hand, and against itself.

mod round_trip;
mod vectors;
