//! The protocol as its users meet it: bytes worked by hand, recordings of engines, and the machines over bad networks.

mod citations;
mod engines;
mod machine;
mod recordings;
mod reentry;
mod rmq;
mod vectors;
