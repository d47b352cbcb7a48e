//! `probe`, `serve` and `proxy`: sessions with somebody else's program over UDP.

use super::arguments::Format;
use super::live_arguments::{LiveArguments, ProbeArguments, ProxyArguments, ServeArguments};
use super::output::{BAD, DIM, GOOD, HEAD, Stop, WARN, complain, json_line};
use super::{catalogue, did_you_mean, nearest, observed};
use crate::live::run::{self, Between, Common, Live, Service, Target};
use crate::scenario::short::Duration;
use crate::scenario::{self, Case};
use kit::{Profile, Protocol, Replacement, Role};
use serde_json::json;
use std::io::Write;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Set by Ctrl-C.
static STOP: AtomicBool = AtomicBool::new(false);
/// The last words of a server that are shown.
const LAST_WORDS: usize = 6;

/// The exit code when the other end could not be reached or did not let the client in.
const NOT_THROUGH: u8 = 3;

/// Probes a server with every chosen case. Returns 1 if a MUST was violated, 3 if a client did not get into the game.
pub(super) fn probe(
    arguments: &ProbeArguments,
    protocols: &[&'static Protocol],
    scenarios: Option<&Path>,
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let (protocol, profile) = profile(protocols, &arguments.live.profile)?;
    let server = address(&arguments.to, arguments.live.allow_remote)?;
    let folder = catalogue::folder(scenarios)?;
    let mut cases = scenario::probes(&folder, protocol, profile)?;
    cases.retain(|case| takes(&arguments.filters, &case.name()));
    if cases.is_empty() {
        let wanted = arguments.filters.join(" ");
        return Err(Stop::Usage(format!(
            "no probe of {} matches `{wanted}`; they are in {}",
            profile.name,
            folder.join("probe").display()
        )));
    }
    let options = options(protocol, &arguments.options)?;
    let client = mutant(protocol, profile, arguments.client.as_deref(), Role::Client)?;
    let target = Target { server, client, control: arguments.control, options: &options };
    stop_on_ctrl_c();
    let mut code = 0;
    for case in &cases {
        let record = recording(&arguments.live, &folder, &case.scenario.id, profile)?;
        let common = common(&arguments.live, arguments.rate_limit, &record);
        let live = run::probe(case, &target, &common).map_err(|error| io(&arguments.to, &error))?;
        code = code.max(exit_code(&live, true));
        print(&case.name(), &live, &arguments.live, &record, format, out, Some(server))?;
        out.flush()?;
        if STOP.load(Ordering::Relaxed) {
            break;
        }
    }
    Ok(code)
}

/// Serves a small moving world. Returns 1 if a client violated a MUST.
pub(super) fn serve(
    arguments: &ServeArguments,
    protocols: &[&'static Protocol],
    scenarios: Option<&Path>,
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let (protocol, profile) = profile(protocols, &arguments.live.profile)?;
    let listen = address(&arguments.listen, arguments.live.allow_remote)?;
    let folder = catalogue::folder(scenarios)?;
    let case = scenario::world(&folder, protocol, profile)?;
    let service = Service {
        listen,
        server: mutant(protocol, profile, arguments.server.as_deref(), Role::Server)?,
        clients: seats(arguments.clients)?,
        idle_us: time(&arguments.idle)?,
        length_us: length(arguments.length.as_deref(), &case)?,
    };
    let record = recording(&arguments.live, &folder, "serve", profile)?;
    let common = common(&arguments.live, u32::MAX, &record);
    stop_on_ctrl_c();
    let mut ready = |address: SocketAddr| complain(GOOD, "ready", format!("{} at {address}", profile.name));
    let live = run::serve(&case, &service, &common, &mut ready).map_err(|error| io(&arguments.listen, &error))?;
    print("serve", &live, &arguments.live, &record, format, out, None)?;
    Ok(exit_code(&live, false))
}

/// Passes datagrams on between clients and a server. Returns 1 if either violated a MUST.
pub(super) fn proxy(
    arguments: &ProxyArguments,
    protocols: &[&'static Protocol],
    scenarios: Option<&Path>,
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let (protocol, profile) = profile(protocols, &arguments.live.profile)?;
    let folder = catalogue::folder(scenarios)?;
    let cases = scenario::probes(&folder, protocol, profile)?;
    let Some(case) = cases.iter().find(|case| case.scenario.id == arguments.network) else {
        let hint = did_you_mean(&nearest(&arguments.network, cases.iter().map(|case| case.scenario.id.as_str())));
        return Err(Stop::Usage(format!("no probe `{}` for {}{hint}", arguments.network, profile.name)));
    };
    let between = Between {
        listen: address(&arguments.listen, arguments.live.allow_remote)?,
        upstream: address(&arguments.upstream, arguments.live.allow_remote)?,
        clients: seats(arguments.clients)?,
        idle_us: time(&arguments.idle)?,
        length_us: length(arguments.length.as_deref(), case)?,
    };
    let record = recording(&arguments.live, &folder, "proxy", profile)?;
    let common = common(&arguments.live, u32::MAX, &record);
    stop_on_ctrl_c();
    let mut ready = |address: SocketAddr| complain(GOOD, "ready", format!("{} at {address}", profile.name));
    let live = run::proxy(case, &between, &common, &mut ready).map_err(|error| io(&arguments.listen, &error))?;
    print("proxy", &live, &arguments.live, &record, format, out, None)?;
    Ok(exit_code(&live, false))
}

fn takes(filters: &[String], name: &str) -> bool {
    filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str()))
}

fn profile(protocols: &[&'static Protocol], name: &str) -> Result<(&'static Protocol, &'static Profile), Stop> {
    let mut all = protocols.iter().flat_map(|protocol| protocol.profiles.iter().map(|profile| (*protocol, profile)));
    all.clone().find(|(_, profile)| profile.name == name).ok_or_else(|| {
        let hint = did_you_mean(&nearest(name, all.clone().map(|(_, profile)| profile.name)));
        let known: Vec<&str> = all.by_ref().map(|(_, profile)| profile.name).collect();
        Stop::Usage(format!("no profile `{name}`{hint}; known are {}", known.join(", ")))
    })
}

/// An address; one that is not this machine's own has to be allowed.
fn address(text: &str, allow_remote: bool) -> Result<SocketAddr, Stop> {
    let wrong = |why: &str| Stop::Usage(format!("{text}: {why}; write an address such as 127.0.0.1:27500"));
    let mut found = text.to_socket_addrs().map_err(|error| wrong(&error.to_string()))?;
    let address = found.next().ok_or_else(|| wrong("no such host"))?;
    if !address.ip().is_loopback() && !allow_remote {
        let help = "give --allow-remote if it is yours to test";
        return Err(Stop::Usage(format!("{text}: not an address of this machine alone; {help}")));
    }
    Ok(address)
}

fn options(protocol: &Protocol, given: &[String]) -> Result<Vec<(usize, i64)>, Stop> {
    let one = |text: &String| {
        let usage = |why: String| Stop::Usage(format!("--set {text}: {why}"));
        let (name, value) = text.split_once('=').ok_or_else(|| usage("write OPTION=VALUE".to_string()))?;
        let index = protocol.options.iter().position(|option| option.name == name).ok_or_else(|| {
            let hint = did_you_mean(&nearest(name, protocol.options.iter().map(|option| option.name)));
            usage(format!("{} has no option `{name}`{hint}", protocol.name))
        })?;
        let parsed = match value.strip_prefix("0x") {
            Some(hex) => i64::from_str_radix(hex, 16),
            None => value.parse(),
        };
        Ok((index, parsed.map_err(|error| usage(error.to_string()))?))
    };
    given.iter().map(one).collect()
}

/// The mutant called `name`, which must be one of `role`.
fn mutant(protocol: &Protocol, profile: &Profile, name: Option<&str>, role: Role) -> Result<Option<Replacement>, Stop> {
    let Some(name) = name else { return Ok(None) };
    let all = || protocol.mutants().filter(|mutant| mutant.replacement.role == role);
    if let Some(mutant) = all().find(|mutant| mutant.name == name) {
        return Ok(Some(mutant.replacement));
    }
    let hint = did_you_mean(&nearest(name, all().map(|mutant| mutant.name)));
    Err(Stop::Usage(format!("no mutant `{name}` of a {role} of {}{hint}", profile.name)))
}

fn seats(clients: u16) -> Result<u16, Stop> {
    match clients {
        1..=64 => Ok(clients),
        _ => Err(Stop::Usage(format!("--clients {clients}: 1 to 64"))),
    }
}

fn time(text: &str) -> Result<u64, Stop> {
    let duration: Duration = text.parse().map_err(|why| Stop::Usage(format!("the time `{text}`: {why}")))?;
    Ok(duration.0)
}

fn length(given: Option<&str>, case: &Case) -> Result<u64, Stop> {
    given.map_or(Ok(case.duration().us().max(24 * 3_600 * 1_000_000)), time)
}

fn io(address: &str, error: &std::io::Error) -> Stop {
    Stop::Usage(format!("{address}: {error}; is the address this machine's, and free?"))
}

fn stop_on_ctrl_c() {
    // A second handler is refused; the first does the same.
    let _ = ctrlc::set_handler(|| STOP.store(true, Ordering::Relaxed));
}

fn common<'a>(arguments: &LiveArguments, rate_limit: u32, record: &Path) -> Common<'a> {
    Common { seed: arguments.seed, rate_limit, record: Some(record.to_path_buf()), stop: &STOP }
}

/// Where a session is recorded: below `reports/live` beside the scenarios, unless the command line says otherwise.
fn recording(arguments: &LiveArguments, scenarios: &Path, name: &str, profile: &Profile) -> Result<PathBuf, Stop> {
    let beside = || scenarios.parent().unwrap_or(Path::new("")).join("reports").join("live");
    let folder = arguments.record.clone().unwrap_or_else(beside);
    std::fs::create_dir_all(&folder)
        .map_err(|error| Stop::Usage(format!("{}: {error}; name a folder with --record", folder.display())))?;
    let name = name.rsplit('/').next().unwrap_or(name);
    Ok(folder.join(format!("{}-{name}-{}.pcapng", profile.name, arguments.seed)))
}

fn exit_code(live: &Live, must_get_through: bool) -> u8 {
    match live.observation.exit_code() {
        0 if must_get_through && live.outcome.active.is_none() => NOT_THROUGH,
        code => code,
    }
}

/// Prints a session: got through or not and why, what the oracle saw, and how to see it again.
fn print(
    name: &str,
    live: &Live,
    arguments: &LiveArguments,
    record: &Path,
    format: Format,
    out: &mut dyn Write,
    server: Option<SocketAddr>,
) -> Result<(), Stop> {
    let Live { outcome, missing, differences, .. } = live;
    if format == Format::Json {
        let traffic: Vec<String> = outcome.sent.iter().map(u64::to_string).collect();
        json_line(
            out,
            &json!({
                "session": name, "seed": arguments.seed, "recording": record,
                "through_at_us": outcome.active.map(kit::Time::us), "said": outcome.prints,
                "sent": traffic, "held_back": outcome.held_back, "refused": outcome.refused,
                "lateness_us": outcome.lateness_us, "missing": missing, "differences": differences,
            }),
        )?;
        return observed::print(name, &live.observation, format, out);
    }
    if let Some(server) = server {
        through(name, live, server, out)?;
    }
    observed::print(name, &live.observation, format, out)?;
    for line in missing {
        writeln!(out, "  {WARN}did not happen:{WARN:#} {line}")?;
    }
    if let Some(differences) = differences {
        writeln!(out, "  {} from the control client", counted(differences.len(), "difference"))?;
        for line in differences {
            writeln!(out, "    {line}")?;
        }
    }
    if outcome.held_back > 0 {
        writeln!(out, "  {WARN}held back:{WARN:#} {} datagrams above the rate limit", outcome.held_back)?;
    }
    if outcome.refused > 0 {
        writeln!(out, "  {WARN}refused:{WARN:#} {} datagrams of clients for which there was no seat", outcome.refused)?;
    }
    let [s2c, c2s] = outcome.sent;
    let (seed, late) = (arguments.seed, outcome.lateness_us / 1000);
    writeln!(
        out,
        "  {DIM}seed {seed}, {s2c} datagrams s2c, {c2s} c2s, at most {late} ms late; real time: another run differs{DIM:#}"
    )?;
    writeln!(out, "  {DIM}recorded: {}; `deltaproof judge` and `decode` read it{DIM:#}\n", record.display())?;
    Ok(())
}

/// Whether the client got into the game, and if not, what is known of the reason.
fn through(name: &str, live: &Live, server: SocketAddr, out: &mut dyn Write) -> Result<(), Stop> {
    let outcome = &live.outcome;
    match outcome.active {
        Some(at) => writeln!(out, "{GOOD}got through{GOOD:#} {HEAD}{name}{HEAD:#}: in the game after {at}")?,
        None if outcome.sent[0] == 0 => {
            writeln!(
                out,
                "{BAD}no answer{BAD:#} {HEAD}{name}{HEAD:#}: nothing came from {server}; is a server running there?"
            )?;
        }
        None => {
            let state = outcome.moves.last().map_or("its first state", |(_, _, to, _)| to);
            writeln!(out, "{BAD}not through{BAD:#} {HEAD}{name}{HEAD:#}: the client stayed in {state}")?;
        }
    }
    let last = outcome.prints.len().saturating_sub(LAST_WORDS);
    for print in outcome.prints.iter().skip(last).filter(|_| outcome.active.is_none()) {
        writeln!(out, "  the server said: {print}")?;
    }
    Ok(())
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
