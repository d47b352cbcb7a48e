//! What the command line can say.

use super::candidate::{CandidateArguments, EngineArguments, SettingsArguments, ShimTalk};
use super::evidence::EvidenceArguments;
use super::examples;
use super::explore::arguments::ExploreArguments;
use super::live::arguments::{ProbeArguments, ProxyArguments, ServeArguments};
use super::output::Format;
use super::scenarios::ScenariosCommand;
use super::shrink::arguments::ShrinkArguments;
use super::suggest;
use super::sweep::arguments::SweepArguments;
use super::values::{direction, jobs, knowledge, moment, place, seed, seed_range};
use crate::engine::data::Game;
use crate::place::Place;
use clap::{Args, Parser, Subcommand, ValueEnum};
use kit::{Direction, Knowledge, Time};
use std::path::PathBuf;

/// Proves that a game's delta protocol survives a bad network.
#[derive(Debug, Parser)]
#[command(name = "deltaproof", version, max_term_width = 110)]
#[command(
    after_help = "Exit codes: 0 good, 1 not conforming, 2 usage or bad scenario, 3 a shim or a probed server failed, \
    4 harness fault. `deltaproof COMMAND --help` ends with examples."
)]
pub(super) struct Arguments {
    /// How to print results; junit and sarif are for `run` only, github for `run` and `certify`
    #[arg(long, global = true, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// The folder of scenarios; otherwise `scenarios` here or in a folder above
    #[arg(long, global = true, value_name = "DIR")]
    pub scenarios: Option<PathBuf>,
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List the cases, the requirements, the conforming variants, or the words that scenarios use
    #[command(after_help = examples::LIST)]
    List(ListArguments),
    /// Run scenarios and judge them
    #[command(after_help = examples::RUN)]
    Run(RunArguments),
    /// Run scenarios with many seeds and judge them: a range, or for some time, here or in shards on many machines
    #[command(after_help = examples::SWEEP)]
    Sweep(Box<SweepArguments>),
    /// Make one page of results that were saved: failures first, every requirement and case, several results side by side
    #[command(after_help = examples::REPORT)]
    Report(ReportArguments),
    /// Make a static site: a page for each protocol and each requirement, and saved results of implementations against them
    #[command(after_help = examples::SITE)]
    Site(SiteArguments),
    /// Run the same world through several protocols: bytes per frame and recovery time against loss and latency, as charts
    #[command(after_help = examples::COMPARE)]
    Compare(CompareArguments),
    /// Certify an implementation: which level it reaches, what blocks the next one, and a certificate that others can re-run
    #[command(after_help = examples::CERTIFY)]
    Certify(CertifyArguments),
    /// Try every schedule of a few faults in windows of datagrams: the beginning of a session, a new map, a history that wraps
    #[command(after_help = examples::EXPLORE)]
    Explore(Box<ExploreArguments>),
    /// Make a failure smaller: fewer faults, shorter delays, a shorter run, less of a world; and write its evidence
    #[command(after_help = examples::SHRINK)]
    Shrink(ShrinkArguments),
    /// Run mutants of the reference: every check must catch those that break what it checks
    #[command(after_help = examples::MUTANTS)]
    Mutants(MutantsArguments),
    /// Do one run again and show what happened, event by event
    #[command(after_help = examples::REPLAY)]
    Replay(ReplayArguments),
    /// Show where two runs part: the first event that differs, decoded
    #[command(after_help = examples::DIFF)]
    Diff(DiffArguments),
    /// Show every field of recorded traffic
    #[command(after_help = examples::DECODE)]
    Decode(DecodeArguments),
    /// Judge recorded traffic of any server and client: findings, what was covered, what could not be judged
    #[command(after_help = examples::JUDGE)]
    Judge(JudgeArguments),
    /// Play a client against somebody's server over UDP, with faults, and judge the server
    #[command(after_help = examples::PROBE)]
    Probe(ProbeArguments),
    /// Be a server for somebody's clients over UDP, and judge them
    #[command(after_help = examples::SERVE)]
    Serve(ServeArguments),
    /// Stand between somebody's clients and somebody's server over UDP, with faults, and judge both
    #[command(after_help = examples::PROXY)]
    Proxy(ProxyArguments),
    /// Explain a requirement: what it says, how it is checked, what proves that the check works
    #[command(after_help = examples::EXPLAIN)]
    Explain(ExplainArguments),
    /// Engines as they are, in virtual time (`run --engine`): which are described, and what an engine lacks
    #[command(after_help = examples::ENGINE)]
    #[command(subcommand)]
    Engine(EngineCommand),
    /// Tools for implementations in other processes, which speak the shim protocol
    #[command(after_help = examples::SHIM)]
    #[command(subcommand)]
    Shim(ShimCommand),
    /// The scenarios that the program carries along
    #[command(after_help = examples::SCENARIOS)]
    #[command(subcommand)]
    Scenarios(ScenariosCommand),
    /// Print a JSON Schema: of scenario files, or of the lines of a command with `--format json`
    #[command(after_help = examples::SCHEMA)]
    Schema {
        /// Of what: scenario, result (result.json), certificate, or a command such as run or list-requirements
        #[arg(long, value_name = "NAME", default_value = "scenario", value_parser = suggest::schemas(), hide_possible_values = true)]
        of: String,
    },
    /// Write man pages, one for each command
    #[command(after_help = examples::MAN)]
    Man {
        /// The folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Print a completion script
    #[command(after_help = examples::COMPLETIONS)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum ShimCommand {
    /// Write a folder with a shim that is in order and does nothing yet, to put your own code into
    New(NewArguments),
    /// Try whether a process speaks the shim protocol: everything that every case needs
    Doctor(ShimProcess),
    /// Talk to a process by hand: short commands on standard input, every message on standard output
    Talk(ShimProcess),
    /// Be a shim with the reference in it: requests on standard input, replies on standard output
    Reference(ReferenceArguments),
    /// Print a JSON Schema of the shim protocol
    Schema {
        /// Of which message: request, hello-reply, step-reply (`open` and `step`), observe-reply, done-reply (`close`, `bye`)
        name: String,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum EngineCommand {
    /// List the engines that are described
    List,
    /// Print a description, to copy and to change: `--describe FILE` takes it
    Show {
        /// The name, as `engine list` prints it
        #[arg(value_name = "NAME", value_parser = suggest::engines(), hide_possible_values = true)]
        name: String,
    },
    /// Try an engine: whether it runs, what of it cannot be in virtual time, whether our client gets in, how fast it is
    Doctor(Box<EngineTried>),
    /// Write the folder of a game that is all ours, with which an engine does what scenarios say: `--dir DIR`
    Data {
        /// The folder
        #[arg(value_name = "DIR")]
        folder: PathBuf,
        /// The game
        #[arg(long, value_enum)]
        game: Game,
    },
}

#[derive(Debug, Args)]
pub(super) struct EngineTried {
    #[command(flatten)]
    pub engine: EngineArguments,
    #[command(flatten)]
    pub settings: SettingsArguments,
    #[command(flatten)]
    pub talk: ShimTalk,
    /// Try this profile only
    #[arg(long, value_parser = suggest::profiles(), hide_possible_values = true)]
    pub profile: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct NewArguments {
    /// The language
    #[arg(long, value_enum)]
    pub lang: Language,
    /// The profile that it speaks
    #[arg(long, default_value = "fte-nq", value_parser = suggest::profiles(), hide_possible_values = true)]
    pub profile: String,
    /// What it is
    #[arg(long, value_parser = place(), default_value = "client")]
    pub role: Place,
    /// The folder, which must be empty or not there yet
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// A language that there is a library for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Language {
    /// C99, or C++
    C,
    /// Python 3.8
    Python,
    /// Rust
    Rust,
}

/// A process that speaks the shim protocol.
#[derive(Debug, Args)]
pub(super) struct ShimProcess {
    #[command(flatten)]
    pub talk: ShimTalk,
    /// The program and its arguments, after `--`
    #[arg(value_name = "COMMAND", required = true, last = true)]
    pub command: Vec<String>,
}

#[derive(Debug, Args)]
pub(super) struct ReferenceArguments {
    /// Have this conforming variant or mutant in it instead
    #[arg(long, value_name = "NAME", conflicts_with = "client")]
    pub server: Option<String>,
    /// Have this conforming variant or mutant in it instead
    #[arg(long, value_name = "NAME")]
    pub client: Option<String>,
    /// Clients do not show these: names of fields, `stats`, `statics`, `prints`, `note NAME`
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub not_shown: Vec<String>,
    /// Be an engine that nobody can tell what the world is: its server has a small world of its own, that of `serve`, takes no
    /// instruction but another map, and reports nothing
    #[arg(long)]
    pub own_world: bool,
}

#[derive(Debug, Args)]
pub(super) struct ListArguments {
    /// List requirements instead of cases
    #[arg(long)]
    pub requirements: bool,
    /// List the conforming variants: implementations that differ from the reference and must pass all the same
    #[arg(long, conflicts_with = "requirements")]
    pub variants: bool,
    /// List the words that scenarios use: the fields, options, texts, verbs and marks of each protocol
    #[arg(long, conflicts_with_all = ["requirements", "variants"])]
    pub words: bool,
    /// List only what contains one of these texts
    #[arg(value_name = "FILTER")]
    pub filters: Vec<String>,
}

#[derive(Debug, Args)]
pub(super) struct RunArguments {
    /// Run only cases whose name contains one of these texts
    #[arg(value_name = "FILTER", value_parser = suggest::cases(), hide_possible_values = true)]
    pub filters: Vec<String>,
    /// Run this seed only; a case in which it does not show what the scenario is about also runs the next that does, of eight
    #[arg(long, value_name = "N", value_parser = seed, conflicts_with = "seeds")]
    pub seed: Option<u64>,
    /// Run the seeds from A to B, both included, as in a scenario's `seeds`
    #[arg(long, value_name = "A..B", value_parser = seed_range)]
    pub seeds: Option<(u64, u64)>,
    /// Run this profile only
    #[arg(long, value_parser = suggest::profiles(), hide_possible_values = true)]
    pub profile: Option<String>,
    /// Begin no more cases once one has failed
    #[arg(long)]
    pub fail_fast: bool,
    /// Draw the runs of cases that fail or prove nothing, quiet stretches folded: three at most, for people
    #[arg(long)]
    pub why: bool,
    /// Write a report to DIR/latest: index.html, result.json, junit.xml; a run of everything writes it to `reports`
    /// beside the scenarios anyway
    #[arg(long, value_name = "DIR")]
    pub reports: Option<PathBuf>,
    /// Write no report
    #[arg(long, conflicts_with = "reports")]
    pub no_report: bool,
    #[command(flatten)]
    pub evidence: EvidenceArguments,
    /// Number of runs at the same time; otherwise as many as the machine has processors
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<usize>,
    /// What the oracle knows: all commands (`world`), or none to the server (`wire`), as with a foreign server
    #[arg(long, default_value = "world", value_parser = knowledge())]
    pub knowledge: Knowledge,
    /// What executes the runs; the results are the same
    #[arg(long, value_enum, default_value_t = ExecutorArgument::Direct)]
    pub executor: ExecutorArgument,
    /// turmoil's tick, such as 5ms; otherwise the longest that the latencies of a case allow, up to 10 ms
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub tick: Option<Time>,
    #[command(flatten)]
    pub candidate: CandidateArguments,
}

/// What executes runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ExecutorArgument {
    /// A heap of events
    Direct,
    /// Each host a tokio task with a socket, in turmoil: slower, and the proof that async code does the same
    Turmoil,
    /// First directly, then in turmoil, and every record compared
    Both,
}

#[derive(Debug, Args)]
pub(super) struct ReportArguments {
    /// The `result.json` of a run; several are compared, NAME=FILE gives each a name
    #[arg(value_name = "RESULT", required = true)]
    pub results: Vec<String>,
    /// Write the page to this file
    #[arg(long, value_name = "FILE", default_value = "report.html")]
    pub out: PathBuf,
    /// Write each result to DIR/NAME.json, too, without what passed and without places of this machine: to be kept, and for `site`
    #[arg(long, value_name = "DIR")]
    pub save: Option<PathBuf>,
    /// What became of every mutant: the output of `mutants --format json`
    #[arg(long, value_name = "FILE")]
    pub kills: Option<PathBuf>,
    /// The same of `mutants --knowledge wire --format json`
    #[arg(long, value_name = "FILE", requires = "kills")]
    pub blind: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct SiteArguments {
    /// The folder to write; a site that is there is replaced
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    /// The `result.json` of a run of an implementation, NAME=FILE, in place of the results of engines that the program carries along;
    /// may be repeated
    #[arg(long = "result", value_name = "NAME=FILE")]
    pub results: Vec<String>,
    /// The browser's page, as `web/build` makes it, to be part of the site
    #[arg(long, value_name = "FILE")]
    pub play: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct CompareArguments {
    /// Write compare.svg and compare.csv to DIR
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Entities that move
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=12))]
    pub entities: u32,
    /// Runs of each point, with the seeds from 1
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub runs: u64,
}

#[derive(Debug, Args)]
pub(super) struct CertifyArguments {
    /// The profile
    #[arg(long, conflicts_with = "verify", value_parser = suggest::profiles(), hide_possible_values = true)]
    pub profile: Option<String>,
    /// Whose place the implementation takes; a codec only reads what the reference's clients receive
    #[arg(long, value_parser = place(), conflicts_with = "verify")]
    pub role: Option<Place>,
    /// The level to reach: 0 valid, 1 session, 2 core, 3 resilient, 4 strict
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(0..=4), conflicts_with = "verify")]
    pub level: u8,
    /// Write certificate.json, badge.svg, index.html, junit.xml and result.json to DIR
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Failures that are known: a YAML list of `cases`, `reason`, `link` and `until`; none counts towards a level
    #[arg(long, value_name = "FILE")]
    pub expect: Option<PathBuf>,
    /// The day that `until` is held against; otherwise the system's, in UTC
    #[arg(long, value_name = "YYYY-MM-DD", requires = "expect")]
    pub today: Option<String>,
    /// Fail if something that this certificate has is lost
    #[arg(long, value_name = "CERTIFICATE")]
    pub against: Option<PathBuf>,
    /// Run what this certificate says again, and compare every verdict and hash
    #[arg(long, value_name = "CERTIFICATE", conflicts_with = "against")]
    pub verify: Option<PathBuf>,
    /// Number of runs at the same time; otherwise as many as the machine has processors
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<usize>,
    #[command(flatten)]
    pub evidence: EvidenceArguments,
    #[command(flatten)]
    pub engine: EngineArguments,
    #[command(flatten)]
    pub settings: SettingsArguments,
    #[command(flatten)]
    pub talk: ShimTalk,
    /// The program that speaks the shim protocol and its arguments, after `--`; without one, the reference
    #[arg(value_name = "COMMAND", last = true)]
    pub command: Vec<String>,
}

#[derive(Debug, Args)]
pub(super) struct MutantsArguments {
    /// Run only mutants whose name, requirement or scenario contains one of these texts; whether every obligation has
    /// a mutant is then not asked
    pub filters: Vec<String>,
    /// Run this profile only
    #[arg(long, value_parser = suggest::profiles(), hide_possible_values = true)]
    pub profile: Option<String>,
    /// Number of runs at the same time; otherwise as many as the machine has processors
    #[arg(long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<usize>,
    /// What the oracle knows: all commands (`world`), or none to the server (`wire`), as with a foreign server
    #[arg(long, default_value = "world", value_parser = knowledge())]
    pub knowledge: Knowledge,
    /// Run only the mutants that this scenario is to kill
    #[arg(long, value_name = "SCENARIO")]
    pub scenario: Option<String>,
    /// Put a process at the other end of the mutants: this command line, which speaks the shim protocol; only mutants of the other
    /// role are run then, and none has to be killed
    #[arg(long, value_name = "COMMAND")]
    pub shim: Option<String>,
    /// Whose place it takes, where it can be more than one; a codec only reads what the reference's clients receive
    #[arg(long, value_parser = place(), requires = "shim")]
    pub role: Option<Place>,
    #[command(flatten)]
    pub talk: ShimTalk,
}

#[derive(Debug, Args)]
pub(super) struct ReplayArguments {
    /// The case, as `list` and failures print it: SCENARIO, SCENARIO@PROFILE, with [VARIANT] after where it has one; or a
    /// recording, as `probe` writes it; or a demo, with what is found in it; or a trace that `replay --format json` has printed
    #[arg(value_name = "CASE", value_parser = suggest::cases(), hide_possible_values = true)]
    pub case: String,
    /// The seed; a recording needs none
    #[arg(long, value_name = "N", value_parser = seed)]
    pub seed: Option<u64>,
    /// The profile, where CASE names none
    #[arg(long, value_parser = suggest::profiles(), hide_possible_values = true)]
    pub profile: Option<String>,
    /// Show only the last K events; a run with findings is shown up to the first, and only 24 events before it
    #[arg(long, value_name = "K")]
    pub last: Option<usize>,
    /// Show everything up to this time, such as 12.3s
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub until: Option<Time>,
    /// Wait for Enter after every event
    #[arg(long)]
    pub step: bool,
    /// Write a page with the run as a time-space diagram, around the finding or up to --until, to FILE
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write every datagram with a comment to FILE, for Wireshark and `judge`
    #[arg(long, value_name = "FILE")]
    pub pcapng: Option<PathBuf>,
    /// Write what one client received to FILE, as a demo that engines play: a .dem, .qwd or .dm2
    #[arg(long, value_name = "FILE")]
    pub demo: Option<PathBuf>,
    /// Whose demo --demo writes: the number of a client
    #[arg(long, value_name = "N", default_value_t = 1, requires = "demo")]
    pub demo_client: u16,
    /// Put this mutant in the place of the end that it is a mutant of
    #[arg(long, value_name = "NAME", conflicts_with_all = ["server", "client", "shim", "engine"])]
    pub mutant: Option<String>,
    /// What the oracle knows: all commands (`world`), or none to the server (`wire`), as with a foreign server
    #[arg(long, default_value = "world", value_parser = knowledge())]
    pub knowledge: Knowledge,
    #[command(flatten)]
    pub candidate: CandidateArguments,
}

#[derive(Debug, Args)]
pub(super) struct DiffArguments {
    /// A run: what stands after `deltaproof replay`, in quotes, such as 'fte/remove-clean@fte-nq --seed 3'; or a trace that
    /// `replay --format json` has printed; or a demo, which is compared with another
    #[arg(value_name = "A")]
    pub a: String,
    /// The other run; without it, the one of A with the reference alone
    #[arg(value_name = "B")]
    pub b: Option<String>,
    /// The seed of those that name none
    #[arg(long, value_name = "N", value_parser = seed)]
    pub seed: Option<u64>,
}

#[derive(Debug, Args)]
pub(super) struct DecodeArguments {
    /// Captures (text, pcap or pcapng; `-` for standard input), demos (.dem, .qwd, .mvd, .dm2, gzipped or in a zip), or the hex digits of datagrams
    #[arg(value_name = "INPUT", required = true)]
    pub inputs: Vec<String>,
    /// The profile; otherwise found from the first datagrams
    #[arg(long, value_parser = suggest::profiles(), hide_possible_values = true)]
    pub profile: Option<String>,
    /// Pretend that these extensions were negotiated: for traffic from the middle of a session
    #[arg(long, value_name = "EXTENSIONS")]
    pub assume: Option<String>,
    /// The direction of datagrams given as hex
    #[arg(long, default_value = "s2c", value_parser = direction())]
    pub direction: Direction,
    /// The server's UDP port in pcap files; otherwise a well-known one
    #[arg(long)]
    pub port: Option<u16>,
    /// One line per datagram, without its fields
    #[arg(long, short)]
    pub quiet: bool,
    /// Show what came at this time, such as 63.2s, or first after it; all before it is read, too
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub at: Option<Time>,
    /// Show what is about the entity of this number
    #[arg(long, value_name = "NUMBER")]
    pub entity: Option<u32>,
    /// Of a demo as JSON: a line for each message with its fields, as of other recordings, instead of one for each frame
    #[arg(long, conflicts_with = "changes")]
    pub messages: bool,
    /// Of a demo as JSON: in each frame only what differs from the one before
    #[arg(long)]
    pub changes: bool,
}

#[derive(Debug, Args)]
pub(super) struct JudgeArguments {
    /// Captures (text, pcap or pcapng; `-` for standard input), demos (.dem, .qwd, .mvd, .dm2, gzipped or in a zip), or the hex digits of datagrams; each file is a session
    #[arg(value_name = "CAPTURE", required = true)]
    pub inputs: Vec<String>,
    /// The profile; otherwise found from the first datagrams
    #[arg(long, value_parser = suggest::profiles(), hide_possible_values = true)]
    pub profile: Option<String>,
    /// Where the capture was recorded: datagrams for that end are known to have arrived. `both`: at either end nothing
    /// was lost behind the recorder, as on one machine; without it, either end may have missed datagrams
    #[arg(long, value_enum)]
    pub seen_at: Option<SeenAtArgument>,
    /// Give an option of the two ends its value where the wire does not show it, such as `class_extras=1`
    #[arg(long = "set", value_name = "OPTION=VALUE")]
    pub options: Vec<String>,
    /// The direction of datagrams given as hex
    #[arg(long, default_value = "s2c", value_parser = direction())]
    pub direction: Direction,
    /// The server's UDP port in pcap files; otherwise a well-known one
    #[arg(long)]
    pub port: Option<u16>,
}

/// Where a capture was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SeenAtArgument {
    /// At the server
    Server,
    /// At the client
    Client,
    /// At both, or with nothing lost between
    Both,
}

#[derive(Debug, Args)]
pub(super) struct ExplainArguments {
    /// The requirement's id, such as FTE-RST-02
    #[arg(value_name = "REQUIREMENT", value_parser = suggest::requirements(), hide_possible_values = true)]
    pub requirement: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Arguments::command().debug_assert();
        assert_eq!(Arguments::command().get_name(), "deltaproof");
    }
}
