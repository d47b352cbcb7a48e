//! Empty folders, one for each process that wants one. The guard removes what is left of them, however the harness ends.

use crate::guard;
use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// The folder that all of them are in. Its name is as long in every run: a path can reach the layout of a process's memory.
static ALL: Mutex<Option<PathBuf>> = Mutex::new(None);
static NUMBER: AtomicU32 = AtomicU32::new(0);

/// A folder that is removed with all that is in it when this is dropped.
#[derive(Debug)]
pub struct Home(PathBuf);

impl Home {
    /// Makes one.
    ///
    /// # Errors
    /// There is no place for it, or nobody who would remove it.
    pub fn new() -> io::Result<Home> {
        let path = all()?.join(format!("{:06}", NUMBER.fetch_add(1, Ordering::Relaxed)));
        make(&path)?;
        Ok(Home(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // What cannot be removed now is left to the guard.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn all() -> io::Result<PathBuf> {
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(all) = &*all {
        return Ok(all.clone());
    }
    let path = std::env::temp_dir().join(format!("deltaproof-{:016x}", RandomState::new().build_hasher().finish()));
    if path.to_str().is_none_or(|path| path.contains('\n')) {
        return Err(io::Error::other(format!("{} is no path for it: name another TMPDIR", path.display())));
    }
    make(&path)?;
    guard::remove(&path)?;
    *all = Some(path.clone());
    Ok(path)
}

/// A new folder, which nobody else can look into.
fn make(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let failed =
        |error: io::Error| io::Error::new(error.kind(), format!("a folder for it, {}: {error}", path.display()));
    builder.create(path).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_another_one_and_goes_with_all_that_is_in_it() {
        let (one, other) = (Home::new().expect("there is a place"), Home::new().expect("there is a place"));
        let path = one.path().to_path_buf();
        assert_ne!(path, other.path());
        assert_eq!(path.to_string_lossy().len(), other.path().to_string_lossy().len());
        fs::create_dir(path.join("saves")).expect("it is ours");
        fs::write(path.join("saves/one"), "x").expect("it is ours");
        drop(one);
        assert!(!path.exists() && other.path().is_dir());
    }
}
