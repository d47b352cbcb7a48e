//! Other ways to conform: each takes a liberty that the protocol leaves, and must pass every scenario.

use kit::Variant;

/// The conforming variants, by file.
pub static VARIANTS: &[&[Variant]] = &[];
