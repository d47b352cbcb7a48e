//! What the command line can say of live sessions: `probe`, `serve` and `proxy`.

use super::super::evidence::EvidenceArguments;
use super::super::suggest;
use clap::Args;
use std::path::PathBuf;

/// What all live sessions can be given.
#[derive(Debug, Args)]
pub(in super::super) struct LiveArguments {
    /// The profile, such as `fte-nq`
    #[arg(long, value_name = "PROFILE", value_parser = suggest::profiles(), hide_possible_values = true)]
    pub profile: String,
    /// The seed of the network's faults
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Where the recordings of sessions go, as pcapng files; otherwise `reports/live` beside the scenarios
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// Talk to addresses that are not this machine's own. Only for servers that are yours to test
    #[arg(long)]
    pub allow_remote: bool,
}

/// Options of our end.
#[derive(Debug, Args)]
pub(in super::super) struct SetArguments {
    /// Give an option or a text of our end another value, such as `map_checksum=0x7dba0d07`; `list --words` names all
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub set: Vec<String>,
}

#[derive(Debug, Args)]
pub(in super::super) struct ProbeArguments {
    /// Run only the probes whose name contains one of these texts
    pub filters: Vec<String>,
    #[command(flatten)]
    pub live: LiveArguments,
    /// The server
    #[arg(long, value_name = "HOST:PORT")]
    pub to: String,
    /// Run a clean client beside the faulty one, and compare what both hold once the world rests
    #[arg(long)]
    pub control: bool,
    /// Use a mutant of the client, whose fault is the stimulus, such as `never-acknowledges`
    #[arg(long, value_name = "MUTANT")]
    pub client: Option<String>,
    #[command(flatten)]
    pub set: SetArguments,
    /// End each session after this time in the game; otherwise when its probe does
    #[arg(long = "for", value_name = "TIME")]
    pub length: Option<String>,
    /// How long a client may take to get into the game
    #[arg(long, value_name = "TIME", default_value = "15s")]
    pub sign_on: String,
    /// Run each probe so many times, with one seed after the other; only sessions with something to tell are printed
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub repeat: u64,
    /// Number of sessions at the same time, each from an address and a port of its own
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u16).range(1..=512))]
    pub jobs: u16,
    /// The .bsp file of the map that a QuakeWorld server runs: it asks for the checksum (option `map_checksum`). Without it the
    /// number is taken that the server names when it refuses another
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,
    /// Most datagrams per second that one client sends
    #[arg(long, value_name = "N", default_value_t = 150)]
    pub rate_limit: u32,
    #[command(flatten)]
    pub evidence: EvidenceArguments,
}

/// What sessions that wait for clients can be given.
#[derive(Debug, Args)]
pub(in super::super) struct WaitArguments {
    /// The address to listen at, such as 127.0.0.1:27500
    #[arg(long, value_name = "ADDR")]
    pub listen: String,
    /// Stop after this time; otherwise with Ctrl-C
    #[arg(long = "for", value_name = "TIME")]
    pub length: Option<String>,
    /// Most clients at a time
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub clients: u16,
    /// Forget a client that is silent for so long
    #[arg(long, value_name = "TIME", default_value = "30s")]
    pub idle: String,
}

#[derive(Debug, Args)]
pub(in super::super) struct ServeArguments {
    #[command(flatten)]
    pub live: LiveArguments,
    #[command(flatten)]
    pub wait: WaitArguments,
    #[command(flatten)]
    pub set: SetArguments,
    /// The .bsp file of the map that clients have and we announce: its name, for Quake II with its checksum, and models that every
    /// game has. Without it `maps/proof.bsp`, which `engine data` writes
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,
    /// Use a mutant of the server
    #[arg(long, value_name = "MUTANT")]
    pub server: Option<String>,
}

#[derive(Debug, Args)]
pub(in super::super) struct ProxyArguments {
    #[command(flatten)]
    pub live: LiveArguments,
    #[command(flatten)]
    pub wait: WaitArguments,
    /// The server
    #[arg(long, value_name = "ADDR")]
    pub upstream: String,
    /// Whose network and faults to apply: a probe's name, as `probe/loss-5`
    #[arg(long, value_name = "PROBE", default_value = "probe/clean")]
    pub network: String,
}
