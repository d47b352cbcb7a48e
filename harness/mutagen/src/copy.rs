//! The mutated copy: a workspace of its own below `target/mutagen`, with the copied crates, what they ask at run time, and
//! a program that runs them in the scenarios.

use crate::schema::{Schema, Source};
use crate::targets::Target;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// Where things are for one protocol.
#[derive(Clone, Debug)]
pub struct Folders {
    /// The project's folder.
    pub root: PathBuf,
    /// The generated workspace.
    pub workspace: PathBuf,
    /// What cargo builds, for all protocols.
    pub build: PathBuf,
}

impl Folders {
    /// Below the project's folder `root`.
    pub fn new(root: &Path, protocol: &str) -> Folders {
        let all = root.join("target").join("mutagen");
        Folders { root: root.to_path_buf(), workspace: all.join(protocol), build: all.join("build") }
    }

    /// The results of `protocol`.
    pub fn results(root: &Path, protocol: &str) -> PathBuf {
        root.join("target").join("mutagen").join(format!("{protocol}.jsonl"))
    }

    /// The program that runs the mutants.
    pub fn runner(&self, protocol: &str) -> PathBuf {
        self.build.join("release").join(runner(protocol))
    }
}

/// The name of the program that runs the mutants of `protocol`.
pub fn runner(protocol: &str) -> String {
    format!("mutagen-runner-{protocol}")
}

const RT_MANIFEST: &str = "[package]\nname = \"mutagen_rt\"\nversion = \"0.0.0\"\nedition = \"2024\"\n";

/// The release profile, with the panics of a debug build; lints that would refuse a mutant are off.
const PROFILE: &str = "\n[profile.release]\noverflow-checks = true\ndebug = false\nlto = false\ncodegen-units = 16\n";
const LINTS: &str = "\n[lints.rust]\nwarnings = \"allow\"\narithmetic_overflow = \"allow\"\n\
                     unconditional_panic = \"allow\"\noverflowing_literals = \"allow\"\n";

/// Writes the workspace without mutants' sources, which [`write_schemas`] writes.
///
/// # Errors
/// What cannot be read or written.
pub fn write(folders: &Folders, target: &Target) -> io::Result<()> {
    let Folders { root, workspace, .. } = folders;
    let versions = dependencies(&read(&root.join("Cargo.toml"))?, "[workspace.dependencies]");
    let mut members = vec![String::from("rt"), String::from("runner")];
    for package in target.crates {
        members.push(package.name.to_string());
        let original = root.join("harness").join(package.name);
        let wanted = dependencies(&read(&original.join("Cargo.toml"))?, "[dependencies]");
        let mut manifest = format!(
            "[package]\nname = \"{0}-mutated\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[lib]\nname = \"{0}_mutated\"\n\n\
             [dependencies]\nmutagen_rt = {{ path = \"../rt\" }}\n",
            package.name
        );
        for (name, own) in &wanted {
            let copied = target.crates.iter().any(|other| other.name == name);
            let of_workspace = versions.iter().find(|(known, _)| known == name).map(|(_, given)| given.as_str());
            let given = match of_workspace {
                _ if copied => format!("{{ package = \"{name}-mutated\", path = \"../{name}\" }}"),
                Some(given) if own.contains("workspace") => absolute(given, root),
                _ => own.clone(),
            };
            manifest.push_str(&format!("{name} = {given}\n"));
        }
        // The code asks for what it takes arguments from by this name.
        if wanted.iter().all(|(name, _)| name != "kit") {
            manifest.push_str(&format!(
                "kit = {{ package = \"deltaproof-kit\", path = \"{}\" }}\n",
                root.join("harness/kit").display()
            ));
        }
        manifest.push_str(LINTS);
        put(&workspace.join(package.name).join("Cargo.toml"), &manifest)?;
        let mutated: BTreeSet<PathBuf> = package.files.iter().map(|(file, _)| PathBuf::from(file)).collect();
        copy_others(&original.join("src"), Path::new(""), &workspace.join(package.name).join("src"), &mutated)?;
    }
    put(&workspace.join("rt/Cargo.toml"), RT_MANIFEST)?;
    put(&workspace.join("rt/src/lib.rs"), include_str!("rt.rs"))?;
    let members: Vec<String> = members.iter().map(|member| format!("\"{member}\"")).collect();
    let manifest = format!("[workspace]\nresolver = \"3\"\nmembers = [{}]\n{PROFILE}", members.join(", "));
    put(&workspace.join("Cargo.toml"), &manifest)?;
    // The versions of the project; cargo adds what is generated.
    if !workspace.join("Cargo.lock").exists() {
        put(&workspace.join("Cargo.lock"), &read(&root.join("Cargo.lock"))?)?;
    }
    write_runner(folders, target.protocol)
}

fn write_runner(folders: &Folders, protocol: &str) -> io::Result<()> {
    let manifest = format!(
        "[package]\nname = \"{}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         mutagen = {{ path = \"{}\", features = [\"worker\"] }}\nmutagen_rt = {{ path = \"../rt\" }}\n{protocol}-mutated = {{ path = \"../{protocol}\" }}\n",
        runner(protocol),
        folders.root.join("harness/mutagen").display()
    );
    let program = format!(
        "fn main() {{\n    mutagen::worker::main(mutagen::worker::Mutated {{\n        begin: mutagen_rt::begin,\n        \
         end: mutagen_rt::end,\n        is_endless: |panic| panic.is::<mutagen_rt::Endless>(),\n        \
         protocol: &{protocol}_mutated::PROTOCOL,\n    }});\n}}\n"
    );
    put(&folders.workspace.join("runner/Cargo.toml"), &manifest)?;
    put(&folders.workspace.join("runner/src/main.rs"), &program)
}

/// Writes the sources with the mutants that are not `dropped`, and returns what is where, by the file's name in the
/// generated workspace.
///
/// # Errors
/// What cannot be written.
pub fn write_schemas(
    folders: &Folders,
    sources: &[Source],
    dropped: &BTreeSet<u32>,
) -> io::Result<Vec<(String, Schema)>> {
    let mut schemas = Vec::new();
    for source in sources {
        let schema = source.schema(dropped);
        let name = format!("{}/src/{}", source.package, source.file);
        put(&folders.workspace.join(&name), &schema.text)?;
        schemas.push((name, schema));
    }
    Ok(schemas)
}

/// Copies the sources that are not mutated.
fn copy_others(from: &Path, below: &Path, to: &Path, mutated: &BTreeSet<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(from.join(below))? {
        let entry = entry?;
        let name = below.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_others(from, &name, to, mutated)?;
        } else if !mutated.contains(&name) {
            put(&to.join(&name), &read(&from.join(&name))?)?;
        }
    }
    Ok(())
}

/// The entries of a table of a manifest: names, and what they are.
fn dependencies(manifest: &str, table: &str) -> Vec<(String, String)> {
    let lines = manifest.lines().skip_while(|line| *line != table).skip(1).take_while(|line| !line.starts_with('['));
    let entry = |line: &str| {
        let (name, given) = line.split_once('=')?;
        match name.trim().strip_suffix(".workspace") {
            Some(name) => Some((name.to_string(), String::from("{ workspace = true }"))),
            None => Some((name.trim().to_string(), given.trim().to_string())),
        }
    };
    lines.filter(|line| !line.starts_with('#')).filter_map(entry).collect()
}

/// A dependency whose path holds from everywhere.
fn absolute(given: &str, root: &Path) -> String {
    given.replace("path = \"", &format!("path = \"{}/", root.display()))
}

fn read(path: &Path) -> io::Result<String> {
    std::fs::read_to_string(path).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

/// Writes a file unless it says that already: cargo goes by its time.
fn put(path: &Path, text: &str) -> io::Result<()> {
    if std::fs::read_to_string(path).is_ok_and(|known| known == text) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text)
}
