//! The catalogue: every obligation, recommendation and liberty of the source documents, in our own words.

use kit::Requirement;

/// The catalogue, in document order.
pub static REQUIREMENTS: &[&Requirement] = &[];
