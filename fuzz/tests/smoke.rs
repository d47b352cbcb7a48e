//! Every target over its seeds and mutated seeds, without a fuzzing toolchain.
//!
//! `SMOKE_INPUTS` says how many mutated inputs a target gets.

use deltaproof_fuzz::{TARGETS, smoke, target};
use std::path::Path;

/// Mutated inputs per target, unless the environment says otherwise.
const INPUTS: usize = 5000;

fn check(name: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let inputs = std::env::var("SMOKE_INPUTS").ok().and_then(|value| value.parse().ok()).unwrap_or(INPUTS);
    assert!(smoke(target(name), &root, inputs) > inputs);
}

macro_rules! smoke {
    ($($name:ident),*) => {
        $(
            #[test]
            fn $name() {
                check(stringify!($name));
            }
        )*

        #[test]
        fn every_target_has_a_test() {
            assert_eq!([$(stringify!($name)),*], TARGETS.map(|target| target.name));
        }
    };
}

smoke!(
    netquake,
    fte_delta,
    fte_messages,
    qw_handshake,
    qw_netchan,
    dissector,
    oracle,
    captures,
    demos,
    scenario,
    machines,
    runs,
    fitz666_messages,
    nvs_messages,
    nvs_tables,
    pygg2_packets,
    r1q2_messages,
    r1q2_handshake,
    r1q2_netchan,
    r1q2_deflate
);
