//! `classes COUNT [PROFILE] [SEED]`: runs the target `runs` over so many mutated inputs and counts what it finds by
//! requirement, with the shortest input for each: `target/classes/REQUIREMENT.bin`, for the binary `runs`.

use deltaproof::registry::PROTOCOLS;
use deltaproof_fuzz::mutate::{Dice, mutated};
use deltaproof_fuzz::{runs, seeds};
use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs, panic};

/// What was found against one requirement.
#[derive(Default)]
struct Class {
    count: usize,
    shortest: Vec<u8>,
    what: String,
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let number = |index: usize| arguments.get(index).and_then(|text: &String| text.parse().ok());
    let Some(count) = number(0) else {
        eprintln!("usage: classes COUNT [PROFILE] [SEED]");
        std::process::exit(2);
    };
    let names: Vec<&str> =
        PROTOCOLS.iter().flat_map(|protocol| protocol.profiles).map(|profile| profile.name).collect();
    let profile = arguments.get(1).and_then(|name| names.iter().position(|known| known == name));
    if arguments.len() > 1 && profile.is_none() {
        eprintln!("the profiles are {}", names.join(", "));
        std::process::exit(2);
    }
    let seeds = seeds::of("runs", &Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    let mut dice = Dice::new(number(2).unwrap_or(1) as u64);
    let mut classes: BTreeMap<&str, Class> = BTreeMap::new();
    panic::set_hook(Box::new(|_| {}));
    for _ in 0..count {
        let mut input = mutated(&seeds, &mut dice);
        if let (Some(first), Some(profile)) = (input.first_mut(), profile) {
            *first = profile as u8;
        }
        let found = match panic::catch_unwind(|| runs::judged(&input)) {
            Ok(None) => continue,
            Ok(Some(finding)) => (finding.requirement, finding.what),
            Err(_) => ("panic", String::from("panics: run it again with the binary `runs`")),
        };
        let class = classes.entry(found.0).or_default();
        class.count += 1;
        if class.count == 1 || input.len() < class.shortest.len() {
            (class.shortest, class.what) = (input, found.1);
        }
    }
    let folder = Path::new("target/classes");
    fs::create_dir_all(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for (requirement, class) in &classes {
        println!("{:6} {requirement}: {}", class.count, class.what);
        let path = folder.join(format!("{requirement}.bin"));
        fs::write(&path, &class.shortest).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    println!("{count} runs, {} kinds of finding", classes.len());
}
