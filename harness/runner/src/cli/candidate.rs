//! What the command line can say of what takes the place of the reference.

use super::output::Stop;
use super::values::place;
use crate::foreign::{Foreign, PATIENCE};
use crate::place::Place;
use crate::settings::Settings;
use clap::Args;
use shim::{Launch, schema};
use std::path::PathBuf;
use std::time::Duration;

/// What runs in the place of the reference.
#[derive(Debug, Default, Args)]
pub(super) struct CandidateArguments {
    /// Run this conforming variant or mutant in the place of the reference server, in the cases of its protocol
    #[arg(long, value_name = "NAME", conflicts_with = "client")]
    pub server: Option<String>,
    /// Run this conforming variant or mutant in the place of the reference clients, in the cases of its protocol
    #[arg(long, value_name = "NAME")]
    pub client: Option<String>,
    /// Run a process in the place of the reference: this command line, which speaks the shim protocol; `run` compares several,
    /// each with a name of its own (`--shim a=COMMAND --shim b=COMMAND`)
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["server", "client"])]
    pub shim: Vec<String>,
    /// Whose place it takes, where it can be more than one; a codec only reads what the reference's clients receive
    #[arg(long, value_parser = place(), requires = "shim")]
    pub role: Option<Place>,
    #[command(flatten)]
    pub settings: SettingsArguments,
    #[command(flatten)]
    pub talk: ShimTalk,
}

/// What scenarios have to say otherwise for a shim.
#[derive(Debug, Default, Args)]
pub(super) struct SettingsArguments {
    /// Give an option or a text of all scenarios this value, which the shim needs, such as `map_checksum=0x7dba0d07`; `list --words`
    /// names all. Cases that are about another value are left out
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub set: Vec<String>,
    /// The .bsp file of the map that a QuakeWorld server runs: it asks for the checksum (option `map_checksum`)
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,
    /// With a server that nobody can tell what the world is, run a clean client beside the others; what differs from what it holds once
    /// the world rests is a failure
    #[arg(long)]
    pub control: bool,
}

impl SettingsArguments {
    /// Gives a shim what is given.
    pub(super) fn give(&self, shim: Foreign) -> Result<Foreign, Stop> {
        let mut settings = Settings::new(&self.set, self.map.as_deref(), &shim.hello.profiles).map_err(Stop::Usage)?;
        settings.control = self.control;
        if self.control && shim.takes_world() {
            let why = "--control is for servers that nobody can tell what the world is; all others are judged by it";
            return Err(Stop::Usage(String::from(why)));
        }
        Ok(shim.with(settings))
    }

    /// Whether anything is given.
    pub(super) fn is_empty(&self) -> bool {
        self.set.is_empty() && self.map.is_none() && !self.control
    }
}

/// How to talk to a shim.
#[derive(Debug, Default, Args)]
pub(super) struct ShimTalk {
    /// How long it may take for one answer, in milliseconds of wall time; for the first, six times that
    #[arg(long, value_name = "MS", default_value_t = PATIENCE.as_millis() as u64)]
    pub shim_timeout: u64,
    /// Talk to it over a loopback TCP connection; its standard output is free for anything then
    #[arg(long)]
    pub shim_tcp: bool,
    /// Check every message, ours and its, against the JSON Schemas of the shim protocol
    #[arg(long)]
    pub strict_shim: bool,
}

impl ShimTalk {
    /// How to start `command`. An error where every message was to be checked, and this program cannot.
    pub(super) fn launch(&self, command: Vec<String>) -> Result<Launch, Stop> {
        if self.strict_shim && !schema::AVAILABLE {
            return Err(Stop::Usage(format!("--strict-shim: {}", schema::HOW_TO_GET)));
        }
        let patience = Duration::from_millis(self.shim_timeout);
        Ok(Launch { command, patience, tcp: self.shim_tcp, strict: self.strict_shim, env: Vec::new() })
    }
}
