//! The codec against bytes worked out by hand, and against itself; the machines against whatever happens.

mod citations;
mod machine;
mod pair;
mod round_trip;
mod vectors;
