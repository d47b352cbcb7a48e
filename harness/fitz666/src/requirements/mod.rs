//! The catalogue: every obligation, recommendation and liberty of the protocol, in our own words.

use kit::Requirement;

/// All of them, in the order of the document.
pub static REQUIREMENTS: &[&Requirement] = &[];
