//! `engine`: which engines are described, and whether one can be run.

mod doctor;
mod report;

use super::arguments::EngineCommand;
use super::output::{DIM, Format, HEAD, Stop};
use crate::engine::data::{self, Game};
use crate::engine::describe;
use crate::engine::description::{BUILT_IN, Description};
use kit::Protocol;
use serde_json::json;
use std::io::Write;
use std::path::Path;

/// Does what one of the tools is for.
pub(super) fn engine(
    command: &EngineCommand,
    protocols: &'static [&'static Protocol],
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    match command {
        EngineCommand::List => list(format, out),
        EngineCommand::Show { name } => {
            // It has to be one; its text is what is asked for.
            describe(name, None)?;
            let text = BUILT_IN.iter().find(|(known, _)| known == name).map_or("", |(_, text)| text);
            out.write_all(text.as_bytes())?;
            Ok(0)
        }
        EngineCommand::Data { folder, game } => data(folder, *game, format, out),
        EngineCommand::Doctor(tried) => doctor::doctor(tried, protocols, format, out),
    }
}

fn list(format: Format, out: &mut dyn Write) -> Result<u8, Stop> {
    let width = BUILT_IN.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, _) in BUILT_IN {
        let Description { about, roles, profiles, .. } = describe(name, None)?;
        let roles: Vec<&str> = roles.iter().map(|role| role.name()).collect();
        let line = json!({ "engine": name, "about": about, "roles": roles, "profiles": profiles });
        let (roles, profiles) = (roles.join(", "), profiles.join(", "));
        format.tell(out, &line, |out| {
            writeln!(out, "{HEAD}{name:width$}{HEAD:#}  {about}  {DIM}{roles}: {profiles}{DIM:#}")
        })?;
    }
    if format.is_for_people() {
        writeln!(
            out,
            "{DIM}`engine show NAME` prints a description; another engine is described by a file of yours, --describe FILE{DIM:#}"
        )?;
    }
    Ok(0)
}

fn data(folder: &Path, game: Game, format: Format, out: &mut dyn Write) -> Result<u8, Stop> {
    let data::Written { files, lacking } = data::write(game, folder).map_err(Stop::Usage)?;
    let line = json!({ "folder": folder, "files": files, "lacking": lacking });
    format.tell(out, &line, |out| {
        let (number, here) = (files.len(), folder.display());
        writeln!(out, "{HEAD}{here}{HEAD:#}: {number} files of a game of our own")?;
        for lack in &lacking {
            writeln!(out, "{DIM}{lack}{DIM:#}")?;
        }
        let tried = match game {
            Game::Quake => "fitz666/ --engine quakespasm --program quakespasm",
            Game::Quake2 => "r1q2/ --engine q2pro --program ./q2proded",
        };
        writeln!(out, "next: deltaproof run {tried} --dir {here}")
    })?;
    Ok(0)
}
