//! Broken twins of the reference: one requirement's check must catch each.

use kit::Mutant;

/// The broken twins, by file.
pub static MUTANTS: &[&[Mutant]] = &[];
