//! `serve` and `proxy`: what waits for somebody's clients.

use super::super::arguments::Format;
use super::super::output::{GOOD, Stop, complain};
use super::super::{catalogue, did_you_mean, nearest};
use super::arguments::{ProxyArguments, ServeArguments};
use super::report::{self, Shown};
use super::{address, common, exit_code, io, length, mutant, profile, recording, seats, stop_on_ctrl_c, tell, time};
use crate::live::run::{self, Between, Service};
use crate::scenario;
use kit::{Protocol, Role};
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;

/// Serves a small moving world. Returns 1 if a client violated a MUST.
pub(in super::super) fn serve(
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
    let record = recording(&arguments.live, &folder, "serve", profile, arguments.live.seed)?;
    let common = common(arguments.live.seed, u32::MAX, &record, &tell);
    stop_on_ctrl_c();
    let mut ready = |address: SocketAddr| complain(GOOD, "ready", format!("{} at {address}", profile.name));
    let live = run::serve(&case, &service, &common, &mut ready).map_err(|error| io(&arguments.listen, &error))?;
    report::print(
        &Shown { name: "serve", seed: arguments.live.seed, record: &record, server: None },
        &live,
        format,
        out,
    )?;
    Ok(exit_code(&live, false))
}

/// Passes datagrams on between clients and a server. Returns 1 if either violated a MUST.
pub(in super::super) fn proxy(
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
    let record = recording(&arguments.live, &folder, "proxy", profile, arguments.live.seed)?;
    let common = common(arguments.live.seed, u32::MAX, &record, &tell);
    stop_on_ctrl_c();
    let mut ready = |address: SocketAddr| complain(GOOD, "ready", format!("{} at {address}", profile.name));
    let live = run::proxy(case, &between, &common, &mut ready).map_err(|error| io(&arguments.listen, &error))?;
    report::print(
        &Shown { name: "proxy", seed: arguments.live.seed, record: &record, server: None },
        &live,
        format,
        out,
    )?;
    Ok(exit_code(&live, false))
}
