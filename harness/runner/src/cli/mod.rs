//! The command line.
//!
//! Exit codes: 0 good, 1 not conforming (or traffic that cannot be decoded), 2 usage or a bad scenario or input, 3 a probed
//! server that does not answer or lets nobody in, or a shim that failed, 4 the harness's own fault. A closed pipe changes none of them.

mod arguments;
mod candidate;
mod catalogue;
mod certify;
mod charts;
mod compare;
mod decode;
mod diff;
mod engine;
mod evidence;
mod examples;
mod explain;
mod explore;
mod interrupt;
#[cfg(test)]
mod invented;
mod judge;
mod list;
mod live;
mod man;
mod mutants;
mod observed;
mod output;
mod progress;
mod replay;
mod report;
mod run;
mod scenarios;
mod schema;
mod shim;
mod shrink;
mod site;
mod suggest;
mod sweep;
mod values;
mod why;
mod words;

use crate::candidate::{BuiltIn, Candidate};
use crate::engine::{Chosen, Engine};
use crate::foreign::Foreign;
use crate::nearest::{did_you_mean, nearest};
use crate::place::Place;
use crate::registry;
use arguments::{Arguments, Command};
use candidate::{CandidateArguments, ShimTalk};
use clap::{CommandFactory, Parser, ValueEnum};
use kit::{Profile, Protocol, Role};
use output::{Format, Stop};
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

const GUIDE: &str = "\
deltaproof proves that a game's delta protocol survives a bad network.

  deltaproof run                    run every scenario and judge it
  deltaproof mutants                break the reference on purpose: is every mutant caught?
  deltaproof sweep --time 10m       run every scenario with seed after seed, on all processors or many machines
  deltaproof explore --profile P    every schedule of two faults over forty datagrams of each direction
  deltaproof list                   which scenarios there are
  deltaproof list --requirements    what is proved, by how many scenarios, against how many mutants
  deltaproof explain REQUIREMENT    one requirement in full
  deltaproof replay CASE --seed N   one run again, event by event
  deltaproof diff A B               where two runs part
  deltaproof shrink CASE --seed N   a failure made smaller, with all evidence in a folder
  deltaproof probe --profile P --to HOST:PORT     test somebody's server over UDP
  deltaproof serve --profile P --listen ADDR      be a server for somebody's client
  deltaproof run --engine NAME --program P --dir D  an engine as it is, in virtual time (`engine list`)
  deltaproof certify --profile P --role R -- CMD  certify an implementation in another process
  deltaproof judge CAPTURE          is recorded traffic of a real server and client right?
  deltaproof report RESULT…         one page of results that were saved, several side by side
  deltaproof compare                which protocol for my game: bytes and recovery time, measured
  deltaproof decode CAPTURE         every field of recorded traffic (text, pcap, pcapng or hex)
  deltaproof --help                 everything else
";

/// Whether a command line asks for nothing but lines of JSON, of which there can be gigabytes.
fn is_for_machines(arguments: &[OsString]) -> bool {
    let asks = arguments.iter().any(|it| it == "--format=json")
        || arguments.windows(2).any(|it| matches!(it, [option, value] if option == "--format" && value == "json"));
    asks && arguments.iter().any(|it| it == "decode")
}

/// The whole program: reads the command line, does what it says, and returns the exit code.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let mut out = output::stdout(is_for_machines(&arguments));
    let result = dispatch(arguments, &mut out).and_then(|code| {
        out.flush()?;
        Ok(code)
    });
    // What is left in the buffer after a failed write must not be tried again.
    let (_, _) = out.into_parts();
    match result {
        Ok(code) => ExitCode::from(code),
        Err(stop) => {
            let code = stop.exit_code();
            if code != 0 {
                output::report(&stop);
            }
            ExitCode::from(code)
        }
    }
}

fn dispatch(arguments: impl IntoIterator<Item = OsString>, out: &mut dyn Write) -> Result<u8, Stop> {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) if error.use_stderr() => {
            let _ = write!(anstream::stderr(), "{}", error.render().ansi());
            return Ok(2);
        }
        // `--help` and `--version`.
        Err(error) => {
            write!(out, "{}", error.render().ansi())?;
            return Ok(0);
        }
    };
    let Some(command) = arguments.command else {
        out.write_all(GUIDE.as_bytes())?;
        return Ok(0);
    };
    let is_for = match arguments.format {
        Format::Human | Format::Json => true,
        Format::Github => matches!(command, Command::Run(_) | Command::Certify(_)),
        Format::Junit | Format::Sarif => matches!(command, Command::Run(_)),
    };
    if !is_for {
        let name = arguments.format.to_possible_value().map(|value| String::from(value.get_name()));
        let name = name.unwrap_or_default();
        let only = if arguments.format == Format::Github { "`run` and `certify`" } else { "`run`" };
        return Err(Stop::Usage(format!("`--format {name}` is for {only} only; use human or json")));
    }
    let protocols = registry::PROTOCOLS;
    let scenarios = arguments.scenarios.as_deref();
    match command {
        Command::List(list) => list::list(&list, protocols, scenarios, arguments.format, out),
        Command::Run(run) => run::run(&run, protocols, scenarios, arguments.format, out),
        Command::Sweep(chosen) => sweep::sweep(&chosen, protocols, scenarios, arguments.format, out),
        Command::Report(chosen) => report::report(&chosen, out),
        Command::Site(chosen) => site::site(&chosen, protocols, scenarios, out),
        Command::Compare(chosen) => charts::compare(&chosen, arguments.format, out),
        Command::Certify(chosen) => certify::certify(&chosen, protocols, scenarios, arguments.format, out),
        Command::Explore(chosen) => explore::explore(&chosen, protocols, scenarios, arguments.format, out),
        Command::Shrink(chosen) => shrink::shrink(&chosen, protocols, scenarios, arguments.format, out),
        Command::Mutants(chosen) => mutants::mutants(&chosen, protocols, scenarios, arguments.format, out),
        Command::Replay(replay) => replay::replay(&replay, protocols, scenarios, arguments.format, out),
        Command::Diff(diff) => diff::diff(&diff, protocols, scenarios, arguments.format, out),
        Command::Decode(decode) => decode::decode(&decode, protocols, arguments.format, out),
        Command::Judge(judging) => judge::judge(&judging, protocols, arguments.format, out),
        Command::Probe(probing) => live::probe::probe(&probing, protocols, scenarios, arguments.format, out),
        Command::Serve(serving) => live::serve::serve(&serving, protocols, scenarios, arguments.format, out),
        Command::Proxy(proxying) => live::serve::proxy(&proxying, protocols, scenarios, arguments.format, out),
        Command::Explain(explain) => explain::explain(&explain, protocols, scenarios, arguments.format, out),
        Command::Engine(command) => engine::engine(&command, protocols, arguments.format, out),
        Command::Shim(command) => shim::shim(&command, protocols, arguments.format, out),
        Command::Scenarios(command) => scenarios::scenarios(&command, out),
        Command::Man { folder } => man::man(&folder, out),
        Command::Schema { of } => schema::schema(&of, out),
        Command::Completions { shell } => {
            // The generator panics when it cannot write: into memory it always can.
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "deltaproof", &mut script);
            out.write_all(&script)?;
            Ok(0)
        }
    }
}

/// The profile called `name`, with its protocol.
fn profile(protocols: &[&'static Protocol], name: &str) -> Result<(&'static Protocol, &'static Profile), Stop> {
    let all = || registry::profiles(protocols);
    all().find(|(_, profile)| profile.name == name).ok_or_else(|| {
        let known: Vec<&str> = all().map(|(_, profile)| profile.name).collect();
        let hint = did_you_mean(&nearest(name, known.iter().copied()));
        Stop::Usage(format!("no profile `{name}`{hint}; known are {}", known.join(", ")))
    })
}

/// What is to run in the place of the reference, if anything is.
fn candidate(protocols: &[&'static Protocol], chosen: &CandidateArguments) -> Result<Option<Candidate>, Stop> {
    let map = chosen.settings.map.as_deref();
    match (chosen.shim.as_slice(), chosen.engine.only(map)?) {
        ([], Some(engine)) => return engine_candidate(&engine, chosen).map(Some),
        ([], None) if !chosen.settings.is_empty() => {
            return Err(Stop::Usage(String::from(
                "--set, --map and --control are for a shim: say which one, by --shim or --engine",
            )));
        }
        ([], None) => {}
        ([command], None) => return shim_candidate(command, chosen).map(Some),
        _ => return Err(Stop::Usage(String::from("one --shim or --engine at a time; only `run` compares several"))),
    }
    Ok(built_in(protocols, chosen.server.as_deref(), chosen.client.as_deref())?.map(Candidate::BuiltIn))
}

/// The process that this command line starts.
fn start_shim(command: &str, place: Option<Place>, talk: &ShimTalk) -> Result<Foreign, Stop> {
    let words = shlex::split(command).filter(|words| !words.is_empty());
    let words = words
        .ok_or_else(|| Stop::Usage(format!("`{command}` is no command line: a quote is not closed, or it is empty")))?;
    Foreign::start(talk.launch(words)?, place).map_err(Stop::Shim)
}

fn shim_candidate(command: &str, chosen: &CandidateArguments) -> Result<Candidate, Stop> {
    let shim = start_shim(command, chosen.role, &chosen.talk)?;
    Ok(Candidate::Shim(Arc::new(chosen.settings.give(shim)?)))
}

fn engine_candidate(engine: &Chosen, chosen: &CandidateArguments) -> Result<Candidate, Stop> {
    let shim = chosen.settings.start(&Engine::new(engine)?, chosen.role, &chosen.talk)?;
    Ok(Candidate::Shim(Arc::new(shim)))
}

/// The variant or mutant that is chosen, if one is.
fn built_in(
    protocols: &[&'static Protocol],
    server: Option<&str>,
    client: Option<&str>,
) -> Result<Option<BuiltIn>, Stop> {
    let (name, role) = match (server, client) {
        (Some(name), _) => (name, Role::Server),
        (None, Some(name)) => (name, Role::Client),
        (None, None) => return Ok(None),
    };
    let all = || BuiltIn::all(protocols).filter(|it| it.variant.replacement.role == role);
    let fits = |it: &BuiltIn| it.variant.name == name || it.name() == *name;
    match all().filter(fits).collect::<Vec<_>>().as_slice() {
        [one] => Ok(Some(*one)),
        [] => {
            if BuiltIn::all(protocols).any(|it| fits(&it)) {
                let (other, option) =
                    if role == Role::Server { (Role::Client, "--client") } else { (Role::Server, "--server") };
                return Err(Stop::Usage(format!("`{name}` is of a {other}: say {option} {name}")));
            }
            let hint = did_you_mean(&nearest(name, all().map(|it| it.variant.name)));
            let lists = "`list --variants` and `mutants` name them";
            Err(Stop::Usage(format!("no conforming variant or mutant `{name}` of a {role}{hint}; {lists}")))
        }
        several => {
            let names: Vec<String> = several.iter().map(BuiltIn::name).collect();
            Err(Stop::Usage(format!("which `{name}`? say {}", names.join(" or "))))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(line: &str) -> (Result<u8, u8>, String) {
        let mut out = Vec::new();
        let arguments = line.split(' ').filter(|word| !word.is_empty()).map(OsString::from);
        let result = dispatch(arguments, &mut out).map_err(|stop| stop.exit_code());
        (result, String::from_utf8_lossy(&out).into_owned())
    }

    #[test]
    fn without_a_command_it_says_what_to_do_next() {
        assert_eq!(run("deltaproof"), (Ok(0), GUIDE.to_string()));
    }

    #[test]
    fn mistakes_on_the_command_line_are_usage_errors() {
        for line in
            ["deltaproof nonsense", "deltaproof run --jobs 0", "deltaproof run --seeds 5..2", "deltaproof decode"]
        {
            assert_eq!(run(line), (Ok(2), String::new()), "{line}");
        }
        assert_eq!(run("deltaproof list --format junit").0, Err(2));
        assert_eq!(run("deltaproof run --client builds-on-nothing").0, Err(2));
    }

    #[test]
    fn completions_are_written_for_every_shell() {
        for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
            let (result, text) = run(&format!("deltaproof completions {shell}"));
            assert!(result == Ok(0) && text.contains("deltaproof"), "{shell}");
        }
    }

    #[test]
    fn suggestions_are_few_and_near() {
        let names = ["FTE-RST-01", "FTE-RST-02", "FTE-ACK-01", "FTE-ENT-01"];
        assert_eq!(nearest("fte-rst-2", names.into_iter()), ["FTE-RST-02", "FTE-RST-01"]);
        assert_eq!(nearest("rst", names.into_iter()), ["FTE-RST-01", "FTE-RST-02"]);
        assert_eq!(nearest("R1Q2-ZLIB-10", names.into_iter()), [""; 0]);
    }
}
