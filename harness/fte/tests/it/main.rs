//! The codec against golden bytes, recorded traffic of engines, and arbitrary input; the machines against a model.

mod captures;
mod citations;
mod machine;
#[path = "../model/mod.rs"]
mod model;
mod round_trip;
mod vectors;
