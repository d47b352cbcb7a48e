//! The fuzz targets' bodies over their seeds and some mutated ones; `fuzz/README.md` has the longer ways.

#[path = "../../../../fuzz/src/lib.rs"]
#[allow(dead_code, unused_macros, reason = "the library of another package, whose binaries use all of it")]
mod fuzz;

use std::path::Path;

/// Mutated inputs per target: together about a second.
const INPUTS: usize = 100;

#[test]
fn no_target_panics_on_its_seeds_or_on_a_few_mutated_ones() {
    for target in &fuzz::TARGETS {
        assert!(fuzz::smoke(target, Path::new(env!("CARGO_MANIFEST_DIR")), INPUTS) > INPUTS);
    }
}
