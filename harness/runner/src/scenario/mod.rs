//! Scenarios in files: what [`judging::scenario`] makes of a text, and where the texts are.
//!
//! [`discover`] finds the files, [`load`] reads one, [`cases`] gives what to run.

mod files;

pub(crate) use files::read;
pub use files::{discover, load, load_good, load_some, load_with, probes, some_probes, world};
pub use judging::scenario::*;
