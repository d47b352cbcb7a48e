//! The vocabulary from outside: what readers, writers, tables and names do.

mod display;
mod reader;
mod table;
mod view;
mod world;
mod writer;

use proptest::test_runner::{Config, RngSeed};

/// The same cases in every run, like everything else here.
fn properties() -> Config {
    Config { cases: 512, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Config::default() }
}
