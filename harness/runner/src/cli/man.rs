//! `man`: a page for each command, in the form of `man`.

use super::arguments::Arguments;
use super::output::{Stop, many};
use clap::CommandFactory;
use std::fs;
use std::io::Write;
use std::path::Path;

/// Writes the pages into `folder`. Returns the exit code.
pub(super) fn man(folder: &Path, out: &mut dyn Write) -> Result<u8, Stop> {
    let written = fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(Arguments::command(), folder));
    let failed = |error| Stop::Harness(format!("cannot write {}: {error}", folder.display()));
    written.map_err(failed)?;
    let pages = fs::read_dir(folder).map_err(failed)?.count();
    let shown = folder.display();
    writeln!(out, "{} in {shown}; `man -l {shown}/deltaproof.1` shows the first", many(pages, "page"))?;
    Ok(0)
}
