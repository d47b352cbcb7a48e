//! `serve` and `proxy`: what waits for somebody's clients.

use super::super::output::{Format, GOOD, Stop, complain};
use super::super::{catalogue, profile};
use super::arguments::{LiveArguments, ProxyArguments, ServeArguments, WaitArguments};
use super::report::{self, Shown};
use super::{address, common, exit_code, io, mutant, recording, settings, stop_on_ctrl_c, tell, time};
use crate::live::run::{self, Common, Live, Waiting};
use crate::nearest::{did_you_mean, nearest};
use crate::scenario;
use kit::{Profile, Protocol, Role};
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;

/// A session without a given length lasts until Ctrl-C, and no longer than a day, in microseconds.
const DAY_US: u64 = 24 * 3_600 * 1_000_000;

/// Serves a small moving world. Returns 1 if a client violated a MUST.
pub(in super::super) fn serve(
    arguments: &ServeArguments,
    protocols: &[&'static Protocol],
    scenarios: Option<&Path>,
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let (protocol, profile) = profile(protocols, &arguments.live.profile)?;
    let folder = catalogue::folder(scenarios)?;
    let mut case = scenario::world(&folder, protocol, profile)?;
    settings(protocol, &arguments.set, arguments.map.as_deref())?.apply(&mut case);
    let waiting = waiting(&arguments.live, &arguments.wait, protocol)?;
    let server = mutant(protocol, profile, arguments.server.as_deref(), Role::Server)?;
    let wait = Wait { name: "serve", live: &arguments.live, listen: &arguments.wait.listen, profile, folder: &folder };
    wait.through(format, out, |common, ready| run::serve(&case, &waiting, server, common, ready))
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
    let waiting = waiting(&arguments.live, &arguments.wait, protocol)?;
    let upstream = address(&arguments.upstream, arguments.live.allow_remote)?;
    let wait = Wait { name: "proxy", live: &arguments.live, listen: &arguments.wait.listen, profile, folder: &folder };
    wait.through(format, out, |common, ready| run::proxy(case, &waiting, upstream, common, ready))
}

fn waiting(live: &LiveArguments, wait: &WaitArguments, protocol: &Protocol) -> Result<Waiting, Stop> {
    let (clients, most) = (wait.clients, protocol.max_clients);
    if !(1..=most).contains(&clients) {
        let why = format!("--clients {clients}: a server of {} takes 1 to {most}", protocol.name);
        return Err(Stop::Usage(why));
    }
    Ok(Waiting {
        listen: address(&wait.listen, live.allow_remote)?,
        clients,
        idle_us: time(&wait.idle)?,
        length_us: wait.length.as_deref().map_or(Ok(DAY_US), time)?,
    })
}

/// A session that waits for clients.
struct Wait<'a> {
    name: &'static str,
    live: &'a LiveArguments,
    listen: &'a str,
    profile: &'a Profile,
    folder: &'a Path,
}

impl Wait<'_> {
    /// Runs it and prints what came of it.
    fn through(
        &self,
        format: Format,
        out: &mut dyn Write,
        run: impl FnOnce(&Common<'_>, &mut dyn FnMut(SocketAddr)) -> std::io::Result<Live>,
    ) -> Result<u8, Stop> {
        let seed = self.live.seed;
        let record = recording(self.live, self.folder, self.name, self.profile, seed)?;
        let common = common(seed, u32::MAX, &record, &tell);
        stop_on_ctrl_c();
        let mut ready = |address: SocketAddr| complain(GOOD, "ready", format!("{} at {address}", self.profile.name));
        let live = run(&common, &mut ready).map_err(|error| io(self.listen, &error))?;
        let shown = &Shown { name: self.name, seed, record: &record, server: None, one_of_many: false };
        format.say(&report::Told { shown, live: &live }, out)?;
        Ok(exit_code(&live, false))
    }
}
