//! The machines against a model, and recorded traffic of an engine.

mod citations;
mod machine;
mod pair;
mod recording;
