//! The bodies of the fuzz targets, their seeds, and a mutator for machines without a fuzzing toolchain.
//!
//! A body takes arbitrary bytes and panics when something is wrong. libFuzzer calls it through `fuzz_targets/`; the
//! project's own tests include this library as a module and run every body over seeds and mutated seeds.

pub mod input;
pub mod machines;
pub mod messages;
pub mod mutate;
pub mod r1q2;
pub mod runs;
pub mod seeds;
pub mod targets;

use std::path::Path;

/// A fuzz target: its name and its body.
pub struct Target {
    /// The name, as of its binary and the folder of its corpus.
    pub name: &'static str,
    /// The body.
    pub run: fn(&[u8]),
}

/// The fuzz targets.
pub const TARGETS: [Target; 20] = [
    Target { name: "netquake", run: targets::netquake },
    Target { name: "fte_delta", run: targets::fte_delta },
    Target { name: "fte_messages", run: targets::fte_messages },
    Target { name: "qw_handshake", run: targets::qw_handshake },
    Target { name: "qw_netchan", run: targets::qw_netchan },
    Target { name: "dissector", run: targets::dissector },
    Target { name: "oracle", run: targets::oracle },
    Target { name: "captures", run: targets::captures },
    Target { name: "demos", run: targets::demos },
    Target { name: "scenario", run: targets::scenario },
    Target { name: "machines", run: machines::run },
    Target { name: "runs", run: runs::run },
    Target { name: "fitz666_messages", run: messages::fitz666_messages },
    Target { name: "nvs_messages", run: messages::nvs_messages },
    Target { name: "nvs_tables", run: messages::nvs_tables },
    Target { name: "pygg2_packets", run: messages::pygg2_packets },
    Target { name: "r1q2_messages", run: r1q2::messages },
    Target { name: "r1q2_handshake", run: r1q2::handshake },
    Target { name: "r1q2_netchan", run: r1q2::netchan },
    Target { name: "r1q2_deflate", run: r1q2::deflate },
];

/// The target called `name`.
///
/// # Panics
/// There is none.
pub fn target(name: &str) -> &'static Target {
    TARGETS.iter().find(|target| target.name == name).expect("the table lists every target")
}

/// Makes a binary of a target: for libFuzzer under `cargo fuzz`; otherwise one that runs the body over the files named
/// on the command line.
#[macro_export]
macro_rules! target {
    ($name:literal) => {
        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ($crate::target($name).run)(bytes));

        #[cfg(not(fuzzing))]
        fn main() {
            for path in std::env::args().skip(1) {
                let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
                ($crate::target($name).run)(&bytes);
                println!("{path}: fine");
            }
        }
    };
}

/// Runs a target's body over its seeds and `count` mutated ones; returns how many inputs that were. `root` is the
/// project's folder. A body that panics says so after the input was printed, in hexadecimal.
pub fn smoke(target: &Target, root: &Path, count: usize) -> usize {
    let seeds = seeds::of(target.name, root);
    assert!(!seeds.is_empty(), "{} has no seeds", target.name);
    let mut dice = mutate::Dice::new(1);
    let mutated = (0..count).map(|_| mutate::mutated(&seeds, &mut dice));
    let mut inputs = 0;
    for input in seeds.iter().cloned().chain(mutated) {
        inputs += 1;
        let shown = Shown(target.name, &input);
        (target.run)(&input);
        std::mem::forget(shown);
    }
    inputs
}

/// Prints an input if its body panics.
struct Shown<'a>(&'static str, &'a [u8]);

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        let hex: String = self.1.iter().map(|byte| format!("{byte:02x}")).collect();
        eprintln!("the target {} panics on {hex}", self.0);
    }
}
