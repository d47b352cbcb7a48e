//! The program `mutagen`: mutants that a machine chose.

use clap::{Parser, Subcommand};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mutagen::copy::Folders;
use mutagen::draw::draw;
use mutagen::operators::Operator;
use mutagen::outcome::{Fate, Outcome};
use mutagen::pool::Request;
use mutagen::results::{Header, Record, Results, Writer};
use mutagen::schema::{self, Mutant, Source};
use mutagen::targets::{self, Side, TARGETS, Target};
use mutagen::{check, equivalent, pool, report, results};
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Makes every small change to the reference machines, and runs each in the scenarios of its protocol.
#[derive(Parser)]
#[command(name = "mutagen")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Lists the mutants: number, place, operator, what stands there and what instead.
    List {
        /// Of this protocol alone.
        #[arg(long)]
        protocol: Option<String>,
    },
    /// Runs mutants.
    Run(RunArguments),
    /// Runs a sample of each protocol with the scenarios' own seeds: an error where fewer are killed than the project keeps
    /// to (`harness/mutagen/floors.yaml`).
    Sample {
        /// Of this protocol alone.
        #[arg(long)]
        protocol: Option<String>,
        /// So many of each protocol, drawn by what they change.
        #[arg(long, default_value_t = 150)]
        count: usize,
        /// Draws another sample, which shares none with those of smaller numbers.
        #[arg(long, default_value_t = 0)]
        offset: usize,
        /// Worker processes; one per processor without it.
        #[arg(long)]
        jobs: Option<usize>,
    },
    /// Prints what became of them.
    Report {
        /// Of this protocol alone.
        #[arg(long)]
        protocol: Option<String>,
        /// The folder of the results.
        #[arg(long)]
        results: Option<PathBuf>,
        /// Without the list of those that were not killed.
        #[arg(long)]
        brief: bool,
    },
}

#[derive(clap::Args)]
struct RunArguments {
    /// Of this protocol alone.
    #[arg(long)]
    protocol: Option<String>,
    /// Only so many of each protocol, drawn by what they change.
    #[arg(long)]
    sample: Option<usize>,
    /// Draws another sample, which shares none with those of smaller numbers.
    #[arg(long, default_value_t = 0, requires = "sample")]
    offset: usize,
    /// Seeds after the scenarios' own.
    #[arg(long, default_value_t = 20)]
    seeds: u64,
    /// For each mutant that no seed has killed and that is not listed as one that need not be, a guided search for a schedule of
    /// faults that does, of so many datagrams; 0: none.
    #[arg(long, value_name = "DATAGRAMS", default_value_t = 0)]
    guided: u64,
    /// Worker processes; one per processor without it.
    #[arg(long)]
    jobs: Option<usize>,
    /// Goes on where an earlier run of the same sources stopped.
    #[arg(long)]
    resume: bool,
    /// Only this mutant, by its number; its results are printed and not kept.
    #[arg(long, requires = "protocol")]
    only: Option<u32>,
}

type Outcomes = Result<(), Box<dyn Error>>;

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::List { protocol } => chosen(protocol.as_deref()).and_then(|targets| list(&root(), &targets)),
        Command::Run(arguments) => chosen(arguments.protocol.as_deref())
            .and_then(|targets| targets.into_iter().try_for_each(|target| run(&root(), target, &arguments))),
        Command::Sample { protocol, count, offset, jobs } => chosen(protocol.as_deref()).and_then(|targets| {
            let (sample, protocol) = (Some(count), None);
            let arguments =
                RunArguments { protocol, sample, offset, seeds: 0, guided: 0, jobs, resume: false, only: None };
            sampled(&root(), &targets, &arguments)
        }),
        Command::Report { protocol, results, brief } => {
            chosen(protocol.as_deref()).and_then(|targets| report_all(&root(), &targets, results.as_deref(), brief))
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("mutagen: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The project's folder.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

fn chosen(protocol: Option<&str>) -> Result<Vec<&'static Target>, Box<dyn Error>> {
    let Some(name) = protocol else { return Ok(TARGETS.iter().collect()) };
    let known = || TARGETS.iter().map(|target| target.protocol).collect::<Vec<_>>().join(", ");
    targets::target(name)
        .map(|target| vec![target])
        .ok_or_else(|| format!("no protocol `{name}`; known are {}", known()).into())
}

fn list(root: &Path, targets: &[&Target]) -> Outcomes {
    for target in targets {
        for mutant in schema::sources(root, target)?.iter().flat_map(Source::mutants) {
            let Mutant { number, file, line, column, function, operator, old, new } = mutant;
            println!("{number:5} {file}:{line}:{column} {function} {operator}: {old} -> {new}");
        }
    }
    Ok(())
}

/// The copy of a protocol, built: its sources, and what of them was dropped.
fn built(folders: &Folders, target: &Target) -> Result<(Vec<Source>, BTreeSet<u32>), Box<dyn Error>> {
    let sources = schema::sources(&folders.root, target)?;
    let hash = results::hash_of_build(folders, target, &sources)?;
    let cache = folders.workspace.join("unbuildable.json");
    let cached = std::fs::read_to_string(&cache).ok();
    let known = cached.and_then(|text| serde_json::from_str::<(String, BTreeSet<u32>)>(&text).ok());
    let known = known.filter(|(of, _)| *of == hash).map(|(_, dropped)| dropped).unwrap_or_default();
    let progress = |what: &str| eprintln!("{}: {what}", target.protocol);
    progress("checking");
    let dropped = check::build(folders, target, &sources, known, &progress)?;
    std::fs::write(cache, serde_json::to_string(&(&hash, &dropped))?)?;
    Ok((sources, dropped))
}

fn run(root: &Path, target: &Target, arguments: &RunArguments) -> Outcomes {
    let folders = Folders::new(root, target.protocol);
    let hash = results::hash_of_run(&folders, target)?;
    let (sources, dropped) = built(&folders, target)?;
    let all: BTreeMap<u32, Mutant> =
        sources.iter().flat_map(Source::mutants).map(|mutant| (mutant.number, mutant)).collect();
    let mut unbuildable: BTreeMap<Operator, usize> = BTreeMap::new();
    dropped.iter().filter_map(|number| all.get(number)).for_each(|mutant| {
        *unbuildable.entry(mutant.operator).or_default() += 1;
    });
    let numbers: Vec<u32> = all.keys().copied().filter(|number| !dropped.contains(number)).collect();
    let protocol = target.protocol.to_string();
    let buildable = numbers.len();
    let header = Header { protocol, sources: hash, unbuildable, buildable };
    let drawn = match (arguments.only, arguments.sample) {
        (Some(only), _) => vec![only],
        (None, Some(sample)) => draw(numbers.iter().filter_map(|number| all.get(number)), sample, arguments.offset),
        (None, None) => numbers,
    };
    let path = Folders::results(root, target.protocol);
    let known = if arguments.resume { resumed(&path, &header) } else { Vec::new() };
    let requests: Vec<Request> = sources
        .iter()
        .flat_map(|source| source.mutants().map(|mutant| (mutant.number, source.part.sides())))
        .filter(|(number, _)| drawn.contains(number))
        .flat_map(|(number, sides)| sides.iter().map(move |&side| Request { number, side, before: None, guided: None }))
        .collect();
    let program = pool::Program {
        path: folders.runner(target.protocol),
        scenarios: root.join("scenarios"),
        more_seeds: arguments.seeds,
    };
    let mut writer = match arguments.only {
        Some(_) => None,
        None => Some(Writer::new(&path, &header, &known)?),
    };
    let jobs = arguments.jobs.or(std::thread::available_parallelism().ok().map(Into::into)).unwrap_or(1);
    let mut fates: BTreeMap<(u32, Side), Fate> =
        known.into_iter().map(|record| ((record.mutant.number, record.side), record.fate)).collect();
    let listed = equivalent::read(root, target.protocol)?;
    let need_not_be = |request: &Request| {
        let mutant = all.get(&request.number);
        mutant.is_some_and(|mutant| equivalent::class_of(&listed, mutant, request.side).is_some())
    };
    // Their own seeds, then more, then what a search makes.
    for (more_seeds, guided) in [(0, 0), (arguments.seeds, 0), (arguments.seeds, arguments.guided)] {
        let next = |request: &Request| {
            let guided = if need_not_be(request) { 0 } else { guided };
            next(request, fates.get(&(request.number, request.side)), more_seeds, guided)
        };
        let due: Vec<Request> = requests.iter().filter_map(next).collect();
        let mut progress = Progress::new(target.protocol, due.len());
        pool::run(&program, due, jobs, &mut |request, fate| {
            let Some(mutant) = all.get(&request.number) else { return Ok(()) };
            progress.took(fate.outcome);
            fates.insert((request.number, request.side), fate.clone());
            let record = Record { mutant: mutant.clone(), side: request.side, fate };
            match &mut writer {
                Some(writer) => writer.add(&record),
                None => serde_json::to_string_pretty(&record).map(|text| println!("{text}")).map_err(Into::into),
            }
        })?;
        progress.end();
    }
    Ok(())
}

/// What is to be done with a mutant, if anything is.
fn next(request: &Request, fate: Option<&Fate>, more_seeds: u64, guided: u64) -> Option<Request> {
    let Some(fate) = fate else { return Some(request.clone()) };
    let again = |guided| Some(Request { before: Some(fate.clone()), guided, ..request.clone() });
    match fate.outcome {
        Outcome::Killed => None,
        _ if fate.more_seeds < more_seeds => again(None),
        Outcome::Unreached => None,
        _ if fate.guided < guided => again(Some(guided)),
        _ => None,
    }
}

/// What an earlier run of the same sources has left.
fn resumed(path: &Path, header: &Header) -> Vec<Record> {
    match Results::read(path) {
        Ok(results) if results.header == *header => results.records,
        Ok(_) => {
            eprintln!("{}: the sources or the scenarios have changed; everything is run again", header.protocol);
            Vec::new()
        }
        Err(error) => {
            eprintln!("{}: nothing to go on with: {error}", header.protocol);
            Vec::new()
        }
    }
}

/// A bar on a terminal, a line now and then elsewhere.
struct Progress {
    protocol: &'static str,
    bar: Option<ProgressBar>,
    clock: clock::Clock,
    done: usize,
    total: usize,
    counts: BTreeMap<Outcome, usize>,
}

impl Progress {
    fn new(protocol: &'static str, total: usize) -> Progress {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {eta} {msg}");
            style.map_or(bar.clone(), |style| bar.with_style(style))
        });
        Progress { protocol, bar, clock: clock::Clock::new(), done: 0, total, counts: BTreeMap::new() }
    }

    fn took(&mut self, outcome: Outcome) {
        self.done += 1;
        *self.counts.entry(outcome).or_default() += 1;
        if let Some(bar) = &self.bar {
            bar.set_position(self.done as u64);
            bar.set_message(self.words());
        } else if self.clock.strikes() {
            eprintln!("{}: {}/{} {}", self.protocol, self.done, self.total, self.words());
        }
    }

    fn words(&self) -> String {
        let words = self.counts.iter().map(|(outcome, count)| format!("{} {count}", outcome.name()));
        words.collect::<Vec<_>>().join(", ")
    }

    fn end(self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
        let seconds = self.clock.seconds();
        eprintln!("{}: {} runs of mutants in {seconds} s: {}", self.protocol, self.done, self.words());
    }
}

/// Runs a sample of each of `targets`, and compares how many are killed with the project's floors.
fn sampled(root: &Path, targets: &[&'static Target], arguments: &RunArguments) -> Outcomes {
    let floors = std::fs::read_to_string(root.join("harness/mutagen/floors.yaml"))?;
    let floors: BTreeMap<String, f64> = serde_yaml::from_str(&floors)?;
    for target in targets {
        run(root, target, arguments)?;
    }
    report_all(root, targets, None, false)?;
    let mut below = Vec::new();
    for target in targets {
        let results = Results::read(&Folders::results(root, target.protocol))?;
        let (rate, of) = report::rate(&results, &equivalent::read(root, target.protocol)?);
        let floor = floors.get(target.protocol).copied().ok_or_else(|| format!("no floor for {}", target.protocol))?;
        let line = format!("{}: {rate:.1} % of {of} are killed, at least {floor:.1} % must be", target.protocol);
        println!("{line}");
        if rate < floor {
            below.push(line);
        }
    }
    if below.is_empty() { Ok(()) } else { Err(below.join("; ").into()) }
}

fn report_all(root: &Path, targets: &[&Target], folder: Option<&Path>, brief: bool) -> Outcomes {
    let mut stale = 0;
    for target in targets {
        let path = match folder {
            Some(folder) => folder.join(format!("{}.jsonl", target.protocol)),
            None => Folders::results(root, target.protocol),
        };
        let list = equivalent::read(root, target.protocol)?;
        let mutants: Vec<Mutant> = schema::sources(root, target)?.iter().flat_map(Source::mutants).collect();
        for entry in equivalent::stale(&list, &mutants) {
            stale += 1;
            eprintln!("{}: {entry:?}: no such mutant any more", target.protocol);
        }
        match Results::read(&path) {
            Ok(results) => println!("{}", report::report(&results, &list, !brief)?),
            Err(error) => eprintln!("{}: {error}", target.protocol),
        }
    }
    if stale > 0 { Err(format!("{stale} stale entries in the lists of equivalent mutants").into()) } else { Ok(()) }
}

/// The wall clock, for people who wait.
#[allow(clippy::disallowed_types, clippy::disallowed_methods)]
mod clock {
    use std::time::Instant;

    /// Seconds between lines.
    const EVERY: u64 = 30;

    pub struct Clock {
        start: Instant,
        lines: u64,
    }

    impl Clock {
        pub fn new() -> Clock {
            Clock { start: Instant::now(), lines: 0 }
        }

        pub fn seconds(&self) -> u64 {
            self.start.elapsed().as_secs()
        }

        /// Whether it is time for a line.
        pub fn strikes(&mut self) -> bool {
            let due = self.seconds() / EVERY > self.lines;
            self.lines = self.seconds() / EVERY;
            due
        }
    }
}
