//! The preloaded library: its sources are carried along, and are built once for each compiler and width.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

macro_rules! sources {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../../../shims/preload/", $name)))),*]
    };
}

/// Its sources, by name.
const SOURCES: &[(&str, &str)] = sources![
    "addresses.c"
    "clocks.c"
    "console.c"
    "datagrams.c"
    "descriptors.c"
    "epoll.c"
    "files.c"
    "fork_server.c"
    "game.c"
    "identity.c"
    "json.c"
    "kernel.c"
    "line.c"
    "numbers.c"
    "preload.h"
    "processes.c"
    "random.c"
    "report.c"
    "resolver.c"
    "run.c"
    "signals.c"
    "sleeping.c"
    "sockets.c"
    "start.c"
    "threads.c"
    "timers.c"
    "trap.c"
    "turns.c"
    "vdso.c"
    "virtual_time.c"
    "waiting.c"
];

/// How they are built.
const FLAGS: [&str; 5] = ["-std=gnu99", "-O2", "-shared", "-fPIC", "-fvisibility=hidden"];
const LIBRARIES: [&str; 2] = ["-ldl", "-lpthread"];

/// The library.
const PRELOADED: Recipe<'static> = Recipe { what: "the library that is preloaded", sources: SOURCES };

/// A library that is built of sources that are carried along.
#[derive(Clone, Copy, Debug)]
pub struct Recipe<'a> {
    /// What it is, as messages name it.
    pub what: &'a str,
    /// Its sources, by name.
    pub sources: &'a [(&'a str, &'a str)],
}
/// So many lines of a compiler's complaints are shown.
const SHOWN: usize = 12;

/// A library that is built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Library {
    /// The file.
    pub path: PathBuf,
    /// The first line of what the compiler says of itself.
    pub compiler: String,
    /// Whether it was built now.
    pub fresh: bool,
}

/// The library for programs of 32 bits (`narrow`) or of as many as ours: built, unless it was before.
///
/// # Errors
/// There is no compiler, it cannot build for that width, or there is no place for the file: what to do.
pub fn library(narrow: bool) -> Result<Library, String> {
    let (command, words) = compiler_words()?;
    let compiler = version(&words)?;
    let bits = if narrow { 32 } else { usize::BITS };
    let folder = cache()?;
    let path = folder.join(format!("preload-{}-{bits}.so", key(&command, &compiler)));
    if path.is_file() {
        return Ok(Library { path, compiler, fresh: false });
    }
    build(&words, &PRELOADED, narrow, &folder, &path)?;
    Ok(Library { path, compiler, fresh: true })
}

/// Builds another library as the file `path`, in whose folder there is room for what a compiler leaves.
///
/// # Errors
/// There is no compiler, or it cannot build for that width: what to do.
pub fn build_at(recipe: &Recipe<'_>, narrow: bool, path: &Path) -> Result<(), String> {
    let (_, words) = compiler_words()?;
    version(&words)?;
    build(&words, recipe, narrow, path.parent().unwrap_or(Path::new(".")), path)
}

/// The compiler's command line, whole and in words.
fn compiler_words() -> Result<(String, Vec<String>), String> {
    let command = env::var("CC").ok().filter(|cc| !cc.trim().is_empty()).unwrap_or_else(|| String::from("cc"));
    let words = shlex::split(&command).filter(|words| !words.is_empty()).ok_or("CC is no command line")?;
    Ok((command, words))
}

/// What another library would be built of, or by.
fn key(command: &str, compiler: &str) -> String {
    let mut hash = blake3::Hasher::new();
    for part in [command, compiler].into_iter().chain(FLAGS).chain(LIBRARIES) {
        hash.update(part.as_bytes()).update(b"\0");
    }
    for (name, text) in SOURCES {
        hash.update(name.as_bytes()).update(b"\0").update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    hash.finalize().to_hex()[..16].to_string()
}

/// Where libraries are kept.
fn cache() -> Result<PathBuf, String> {
    let from = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = from("XDG_CACHE_HOME").or_else(|| from("HOME").map(|home| home.join(".cache")));
    let folder =
        base.ok_or("the library that is preloaded has no place: set XDG_CACHE_HOME to a folder")?.join("deltaproof");
    match fs::create_dir_all(&folder) {
        Ok(()) => Ok(folder),
        Err(error) => Err(format!("{}: {error}; set XDG_CACHE_HOME to a folder that can be written", folder.display())),
    }
}

/// The first line of what the compiler says of itself.
fn version(words: &[String]) -> Result<String, String> {
    let shown = words.join(" ");
    let missing = |why: String| {
        format!("no C compiler: `{shown}` {why}. Install one (Debian: gcc and libc6-dev), or name it in CC")
    };
    let output = run(words, &["--version"], None).map_err(|error| missing(format!("cannot be started, {error}")))?;
    if !output.status.success() {
        return Err(missing(format!("has no `--version` ({})", output.status)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().trim().to_string())
}

fn run(words: &[String], arguments: &[&str], directory: Option<&Path>) -> std::io::Result<Output> {
    let (program, first) = words.split_first().ok_or(std::io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(program);
    command.args(first).args(arguments).stdin(Stdio::null()).env("LC_ALL", "C");
    if let Some(directory) = directory {
        command.current_dir(directory);
    }
    command.output()
}

/// Builds in a folder of its own, whose file is then put in its place at once: another process may do the same.
fn build(words: &[String], recipe: &Recipe<'_>, narrow: bool, folder: &Path, path: &Path) -> Result<(), String> {
    let own = folder.join(format!("building-{:016x}", rand::random::<u64>()));
    let cannot = |error: std::io::Error| format!("cannot build {} in {}: {error}", recipe.what, own.display());
    fs::create_dir(&own).map_err(cannot)?;
    let result = compile(words, recipe, narrow, &own).and_then(|file| fs::rename(&file, path).map_err(cannot));
    let _ = fs::remove_dir_all(&own);
    result
}

fn compile(words: &[String], recipe: &Recipe<'_>, narrow: bool, own: &Path) -> Result<PathBuf, String> {
    let mut arguments = FLAGS.to_vec();
    arguments.extend(narrow.then_some("-m32"));
    arguments.extend(["-o", "library.so"]);
    for (name, text) in recipe.sources {
        fs::write(own.join(name), text).map_err(|error| format!("{}: {error}", own.display()))?;
        arguments.extend(name.ends_with(".c").then_some(*name));
    }
    arguments.extend(LIBRARIES);
    let output = run(words, &arguments, Some(own)).map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(own.join("library.so"));
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = said.lines().collect();
    let advice = advice(&said, narrow);
    Err(format!(
        "`{}` cannot build {}{advice}:\n{}",
        words.join(" "),
        recipe.what,
        lines[..lines.len().min(SHOWN)].join("\n")
    ))
}

/// What is most likely missing.
fn advice(said: &str, narrow: bool) -> &'static str {
    // Without its 32-bit half, a compiler misses headers or start files, or knows no `-m32` at all.
    let misses = [
        "bits/libc-header-start.h",
        "gnu/stubs-32.h",
        "sys/cdefs.h",
        "cannot find -l",
        "skipping incompatible",
        "-m32",
        "crt",
    ];
    if narrow && misses.iter().any(|word| said.contains(word)) {
        return ": the program has 32 bits, and the compiler lacks what such programs need (Debian: gcc-multilib)";
    }
    if said.contains("No such file or directory") && said.contains(".h") {
        return ": the headers of the C library are missing (Debian: libc6-dev)";
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_sources_are_carried_along_and_no_test_is() {
        let names: Vec<&str> = SOURCES.iter().map(|(name, _)| *name).collect();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("shims/preload");
        let mut there: Vec<String> = fs::read_dir(root)
            .expect("it is there")
            .flatten()
            .map(|it| it.file_name().to_string_lossy().into_owned())
            .collect();
        there.retain(|name| name.ends_with(".c") || name.ends_with(".h"));
        there.sort();
        assert_eq!(names, there);
        assert!(names.contains(&"virtual_time.c") && names.contains(&"preload.h"));
    }

    #[test]
    fn another_compiler_makes_another_file() {
        assert_eq!(key("cc", "cc 12"), key("cc", "cc 12"));
        assert_ne!(key("cc", "cc 12"), key("cc", "cc 13"));
        assert_ne!(key("cc", "cc 12"), key("clang", "cc 12"));
    }

    #[test]
    fn what_a_compiler_lacks_is_named() {
        let said = "/usr/include/features.h:1: fatal error: bits/libc-header-start.h: No such file or directory";
        assert!(advice(said, true).contains("gcc-multilib"));
        assert!(advice("x.c:1: fatal error: stdio.h: No such file or directory", false).contains("libc6-dev"));
        assert_eq!(advice("x.c:1: error: expected ;", true), "");
        assert!(version(&[String::from("/no/such/cc")]).expect_err("it is not there").contains("Install one"));
    }
}
