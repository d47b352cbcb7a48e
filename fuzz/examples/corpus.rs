//! Writes the seeds of every target to `fuzz/corpus/`, a file each.

use deltaproof_fuzz::{TARGETS, seeds};
use std::fs;
use std::path::Path;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    for target in TARGETS {
        let corpus = folder.join("corpus").join(target.name);
        fs::create_dir_all(&corpus)?;
        let seeds = seeds::of(target.name, &folder.join(".."));
        for (index, seed) in seeds.iter().enumerate() {
            fs::write(corpus.join(format!("seed-{index:04}")), seed)?;
        }
        println!("{}: {} seeds", target.name, seeds.len());
    }
    Ok(())
}
