//! `scenarios`: those that the program carries along.

use super::output::{Stop, many};
use crate::report::folder::FolderError;
use crate::scenario;
use clap::Subcommand;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

#[derive(Debug, Subcommand)]
pub(super) enum ScenariosCommand {
    /// Write the scenarios that the program carries along to a folder, to read and to change them; `--scenarios DIR` runs them
    Export {
        /// The folder, which must be empty or not there yet
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

/// Does what is said. Returns the exit code.
pub(super) fn scenarios(command: &ScenariosCommand, out: &mut dyn Write) -> Result<u8, Stop> {
    let ScenariosCommand::Export { folder } = command;
    let taken = fs::read_dir(folder).map(|mut entries| entries.next().is_some());
    match taken {
        Ok(true) => return Err(Stop::Usage(format!("{}: the folder is not empty; name another", folder.display()))),
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(Stop::Usage(format!("{}: {error}; name a folder", folder.display())));
        }
        _ => {}
    }
    let files = scenario::built_in();
    export(&files, folder).map_err(|error| Stop::Harness(error.to_string()))?;
    let (written, shown) = (many(files.len(), "file"), folder.display());
    writeln!(out, "{written} written to {shown}; `deltaproof run --scenarios {shown}` runs them")?;
    Ok(0)
}

/// Writes the files to a folder beside, which then takes the name: there are all of them, or none.
fn export(files: &[(&Path, &str)], folder: &Path) -> Result<(), FolderError> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let fresh = folder.with_file_name(format!(".{name}-{}.tmp", std::process::id()));
    let at =
        |path: &Path, result: io::Result<()>| result.map_err(|error| FolderError { path: path.to_path_buf(), error });
    let write = || {
        for (path, text) in files {
            let path = fresh.join(path);
            at(&path, path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text)))?;
        }
        // An empty folder of that name may be there.
        at(
            folder,
            fs::remove_dir(folder).or_else(|error| match error.kind() {
                io::ErrorKind::NotFound => Ok(()),
                _ => Err(error),
            }),
        )?;
        at(folder, fs::rename(&fresh, folder))
    };
    write().inspect_err(|_| {
        // What is left of an attempt is of no use to anybody; nor is an error about it.
        let _ = fs::remove_dir_all(&fresh);
    })
}
