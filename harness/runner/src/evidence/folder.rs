//! The folder of a failure, which is there as a whole or not at all.

use super::record::Origin;
use super::{Bundle, RECORD};
use crate::report::folder::{self, FolderError};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Writes the folder of a failure below `parent`, in the place of the one of the same failure, if there is one.
///
/// # Errors
/// It cannot be written, or something of somebody else's is in its place: everything is as it was then.
pub fn write(parent: &Path, bundle: &Bundle) -> Result<PathBuf, FolderError> {
    write_as(&parent.join(&bundle.name), bundle)
}

/// Writes it to `target`, in the place of the evidence that is there.
///
/// # Errors
/// As above.
pub fn write_as(target: &Path, bundle: &Bundle) -> Result<PathBuf, FolderError> {
    let fail = |error| FolderError { path: target.to_path_buf(), error };
    is_ours(target, bundle).map_err(fail)?;
    folder::write_whole(target, &mut |fresh| {
        for (name, bytes) in &bundle.files {
            fs::write(fresh.join(name), bytes)?;
        }
        executable(&fresh.join("repro.sh"))
    })?;
    Ok(target.to_path_buf())
}

#[cfg(unix)]
fn executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn executable(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Whether nothing is there, or evidence of ours and nothing beside it.
fn is_ours(target: &Path, bundle: &Bundle) -> io::Result<()> {
    let refuse = |what: String| {
        Err(io::Error::new(io::ErrorKind::AlreadyExists, format!("{what}; move it away, or name another folder")))
    };
    match fs::symlink_metadata(target) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
        Ok(found) if !found.is_dir() => return refuse(String::from("it is there, and is no folder")),
        Ok(_) => {}
    }
    let known = fs::read_to_string(target.join(RECORD)).is_ok_and(|text| Origin::read(&text).is_ok());
    if !known {
        return refuse(format!("it is there, and has no {RECORD} of ours"));
    }
    // Of an older one, that has more files than this, too.
    const MORE: [&str; 4] = ["minimal.yaml", "stderr.txt", "timeline.html", "wire.pcapng"];
    for entry in fs::read_dir(target)? {
        let name = entry?.file_name();
        let ours = bundle.files.iter().map(|(name, _)| name.as_str()).chain(MORE).any(|ours| name == *ours);
        if !ours {
            return refuse(format!("it holds {}, which is of no evidence", name.to_string_lossy()));
        }
    }
    Ok(())
}
