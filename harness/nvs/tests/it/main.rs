//! The machines against a model, and recorded traffic of an engine.

mod machine;
mod pair;
mod recording;
