//! What a replay writes to files.

use super::super::arguments::ReplayArguments;
use super::super::output::{DIM, Stop, complain};
use crate::capture::wire;
use crate::history::{History, demo};
use crate::report::timeline::{self, Window};
use kit::{HostId, Protocol};
use std::fs;
use std::path::Path;

/// Writes the files that the command line asks for, and says where they are.
pub(super) fn write(
    history: &History,
    protocols: &[&'static Protocol],
    arguments: &ReplayArguments,
) -> Result<(), Stop> {
    if let Some(path) = &arguments.html {
        let usual = Window { until: arguments.until, ..Window::default() };
        let window = arguments.last.map_or(usual, |last| Window { whole: last, before: last, ..usual });
        whole(path, timeline::page(history, &window).as_bytes())?;
        complain(DIM, "timeline", path.display());
    }
    if let Some(path) = &arguments.pcapng {
        let bytes = wire::pcapng(history)
            .map_err(|error| Stop::Usage(format!("{}: cannot be a capture: {error}", arguments.case)))?;
        whole(path, &bytes)?;
        complain(DIM, "capture", path.display());
    }
    if let Some(path) = &arguments.demo {
        let (bytes, extension) = demo::demo(history, protocols, HostId(arguments.demo_client))
            .map_err(|error| Stop::Usage(format!("{}: cannot be a demo: {error}", arguments.case)))?;
        if !path.extension().is_some_and(|given| given.eq_ignore_ascii_case(extension)) {
            let named = path.with_extension(extension);
            let message = format!("a demo of {} is a .{extension}: name it {}", history.run.profile, named.display());
            return Err(Stop::Usage(message));
        }
        whole(path, &bytes)?;
        complain(DIM, "demo", path.display());
    }
    Ok(())
}

/// Writes a file under another name first, so that none is there by half.
fn whole(path: &Path, bytes: &[u8]) -> Result<(), Stop> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let fresh = path.with_file_name(format!(".{name}-{}.tmp", std::process::id()));
    fs::write(&fresh, bytes).and_then(|()| fs::rename(&fresh, path)).map_err(|error| {
        let _ = fs::remove_file(&fresh);
        Stop::Usage(format!("cannot write {}: {error}; name another file", path.display()))
    })
}
