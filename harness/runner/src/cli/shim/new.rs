//! `shim new`: a folder with a shim that is in order and does nothing yet.

use super::super::arguments::{Language, NewArguments};
use super::super::output::{HEAD, Stop};
use super::super::profile;
use kit::Protocol;
use std::io::Write;
use std::path::Path;

/// A file of such a folder: its name, and its text with `@PROFILE@` and `@ROLE@` in it, and lines for one role alone.
type File = (&'static str, &'static str);

macro_rules! text {
    ($path:literal) => {
        include_str!(concat!("../../../../../shims/", $path))
    };
}

const C: &[File] = &[
    ("deltaproof_shim.h", text!("c/deltaproof_shim.h")),
    ("my_shim.c", text!("c/template.c")),
    ("Makefile", text!("c/template.mk")),
];
const PYTHON: &[File] =
    &[("deltaproof_shim.py", text!("python/deltaproof_shim.py")), ("my_shim.py", text!("python/template.py"))];
const RUST: &[File] = &[
    ("Cargo.toml", text!("rust/template.toml")),
    ("src/deltaproof_shim.rs", text!("rust/deltaproof_shim.rs")),
    ("src/main.rs", text!("rust/template.rs")),
];

/// The files of a language, how they are built in `DIR`, and what is run then.
const fn of(language: Language) -> (&'static [File], &'static str, &'static str) {
    match language {
        Language::C => (C, "make -C DIR", "DIR/my_shim"),
        Language::Python => (PYTHON, "", "python3 DIR/my_shim.py"),
        Language::Rust => (RUST, "cargo build --release --manifest-path DIR/Cargo.toml", "DIR/target/release/my_shim"),
    }
}

/// Writes the files, and says what to do next. A folder with something in it is left alone.
pub(super) fn new(chosen: &NewArguments, protocols: &[&'static Protocol], out: &mut dyn Write) -> Result<u8, Stop> {
    let (_, profile) = profile(protocols, &chosen.profile)?;
    let (files, build, run) = of(chosen.lang);
    let folder = chosen.folder.as_path();
    let here = folder.display().to_string();
    if std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Stop::Usage(format!("{here} is not empty; name a new folder")));
    }
    let role = chosen.role.to_string();
    for (name, text) in files {
        let text = of_role(text, &role).replace("@PROFILE@", profile.name).replace("@ROLE@", &role);
        write(&folder.join(name), &text)?;
    }
    let here = shlex::try_quote(&here).map_or_else(|_| here.clone(), |quoted| quoted.into_owned());
    writeln!(out, "{HEAD}{here}{HEAD:#}: {}", files.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", "))?;
    writeln!(out, "next:")?;
    let run = run.replace("DIR", &here);
    let whole = shlex::try_quote(&run).map_or_else(|_| run.clone(), |quoted| quoted.into_owned());
    if !build.is_empty() {
        writeln!(out, "  {}", build.replace("DIR", &here))?;
    }
    writeln!(out, "  deltaproof shim doctor -- {run}")?;
    writeln!(out, "  deltaproof run --profile {} --role {role} --shim {whole}", profile.name)?;
    writeln!(out, "  deltaproof certify --profile {} --role {role} -- {run}", profile.name)?;
    Ok(0)
}

/// The lines for this role: one that begins with `@server|` or `@client|` is for that role alone. A codec has what a client has.
fn of_role(text: &str, role: &str) -> String {
    let is_server = role == "server";
    let lines = text.split_inclusive('\n').filter_map(|line| {
        match (line.strip_prefix("@server|"), line.strip_prefix("@client|")) {
            (Some(of_server), _) => Some(of_server).filter(|_| is_server),
            (_, Some(of_client)) => Some(of_client).filter(|_| !is_server),
            _ => Some(line),
        }
    });
    lines.collect()
}

fn write(path: &Path, text: &str) -> Result<(), Stop> {
    let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    made.and_then(|()| std::fs::write(path, text))
        .map_err(|error| Stop::Usage(format!("cannot write {}: {error}", path.display())))
}
