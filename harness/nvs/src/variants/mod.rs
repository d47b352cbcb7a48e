//! Other ways to conform than the reference's: proof that no check fails what the protocol allows.

use kit::Variant;

/// The variants, by file.
pub static VARIANTS: &[&[Variant]] = &[];
