//! `shim doctor`: does a process speak the shim protocol? What it says about a game's protocol is not looked at here.

use super::super::arguments::ShimProcess;
use super::super::output::{BAD, DIM, Format, GOOD, Last, Stop};
use super::super::registry;
use super::host_of;
use crate::nearest::{did_you_mean, nearest};
use crate::place::Place;
use kit::{Command, HostId, Profile, Protocol, Role, Setup, Time, View};
use serde_json::json;
use shim::{Fault, Launch, Link, Process, Record};
use std::cell::RefCell;
use std::io::Write;
use std::rc::Rc;

/// A host is tried for so long a virtual time.
const TRIED: Time = Time(2_000_000);
/// A client gets a datagram that no protocol has.
const NONSENSE: [u8; 5] = [1, 2, 3, 4, 5];

/// Tries everything that every case needs. Exit code 0, or 3.
pub(super) fn doctor(
    chosen: &ShimProcess,
    protocols: &'static [&'static Protocol],
    format: Format,
    out: &mut dyn Write,
) -> Result<u8, Stop> {
    let launch = Launch { strict: shim::schema::AVAILABLE, ..chosen.talk.launch(chosen.command.clone())? };
    let tried = examine(&launch, protocols, None);
    for (what, result) in &tried {
        let line = json!({ "check": what, "ok": result.is_ok(), "why": result.as_ref().err() });
        format.tell(out, &line, |out| match result {
            Ok(said) => writeln!(out, "{GOOD}ok{GOOD:#}   {what}{DIM}{said}{DIM:#}"),
            Err(why) => writeln!(out, "{BAD}bad{BAD:#}  {what}\n     {why}"),
        })?;
    }
    let bad = tried.iter().filter(|(_, result)| result.is_err()).count();
    let summary = json!({ "checks": tried.len(), "bad": bad });
    format.tell(out, &Last { summary }, |out| match bad {
        0 => writeln!(out, "{GOOD}a good shim{GOOD:#}: try `deltaproof run` with `--shim`"),
        1 => writeln!(out, "{BAD}one thing is wrong{BAD:#}; `deltaproof shim talk` shows every message"),
        _ => writeln!(out, "{BAD}{bad} things are wrong{BAD:#}; `deltaproof shim talk` shows every message"),
    })?;
    Ok(if bad == 0 { 0 } else { 3 })
}

/// What was tried, and how it went.
pub(in super::super) type Tried = (String, Result<String, String>);

/// Tries everything, in all profiles and roles that the process offers or in the one named alone.
pub(in super::super) fn examine(
    launch: &Launch,
    protocols: &'static [&'static Protocol],
    only: Option<(&str, Place)>,
) -> Vec<Tried> {
    let mut tried = Vec::new();
    let process = match Process::start(launch) {
        Ok(process) => process,
        Err(fault) => return vec![(String::from("it starts and answers `hello`"), Err(fault.to_string()))],
    };
    let hello = process.hello.clone();
    let said = format!(": {} {}, {}", hello.name, hello.build, hello.roles.join(" and "));
    tried.push((String::from("it starts and answers `hello`"), Ok(said)));
    let places: Vec<Place> =
        Place::ALL.into_iter().filter(|place| hello.roles.iter().any(|it| it == place.name())).collect();
    let strange = hello.roles.iter().find(|role| Place::named(role).is_none());
    tried.push((
        String::from("its `roles` are among `server`, `client` and `codec`"),
        match (strange, places.is_empty()) {
            (Some(strange), _) => Err(format!("`{strange}` is none")),
            (None, true) => Err(String::from("it names none")),
            (None, false) => Ok(String::new()),
        },
    ));
    let mut process = Some(process);
    tried.push((String::from("it refuses an operation that it does not know"), refusal(&mut process)));
    let mut profiles = Vec::new();
    for name in &hello.profiles {
        match registry::profiles(protocols).find(|(_, profile)| profile.name == name) {
            Some(found) => profiles.push(found),
            None => {
                let hint = did_you_mean(&nearest(name, registry::profiles(protocols).map(|(_, it)| it.name)));
                tried.push((format!("its profile `{name}`"), Err(format!("there is no such profile{hint}"))));
            }
        }
    }
    if hello.profiles.is_empty() {
        let known: Vec<&str> = registry::profiles(protocols).map(|(_, profile)| profile.name).collect();
        let why = format!("it names none; there are {}", known.join(", "));
        tried.push((String::from("its `profiles`"), Err(why)));
    }
    for (protocol, profile) in profiles {
        for &place in places.iter().filter(|place| only.is_none_or(|only| only == (profile.name, **place))) {
            let result = twice(launch, &mut process, protocol, profile, place.role());
            tried.push((format!("as a {place} of {}, it does the same twice", profile.name), result));
        }
    }
    let ended = again(launch, &mut process).and_then(Process::bye).map(|()| String::new());
    tried.push((String::from("it ends at `bye` with exit code 0"), ended.map_err(|fault| fault.to_string())));
    tried
}

/// The process, or another one where the last one failed.
fn again(launch: &Launch, process: &mut Option<Process>) -> Result<Process, Fault> {
    process.take().map_or_else(|| Process::start(launch), Ok)
}

fn refusal(process: &mut Option<Process>) -> Result<String, String> {
    let Some(mut asked) = process.take() else { return Ok(String::new()) };
    asked.ask_unknown().map_err(|fault| fault.to_string())?;
    *process = Some(asked);
    Ok(String::new())
}

/// Opens a host, instructs it, lets it act, looks at it and closes it; then all that again, with the same answers.
fn twice(
    launch: &Launch,
    process: &mut Option<Process>,
    protocol: &'static Protocol,
    profile: &'static Profile,
    role: Role,
) -> Result<String, String> {
    let mut record = Record::default();
    for run in 0..2 {
        let host = again(launch, process).map_err(|fault| fault.to_string())?;
        let link = match run {
            0 => Link::recording(host),
            _ => Link::comparing(host, std::mem::take(&mut record), "the same process"),
        };
        once(&link, protocol, profile, role);
        let end = link.borrow_mut().end();
        (*process, record) = (end.process, end.record);
        match end.fault {
            Some((Fault::Unsupported { what, .. }, _)) => return Ok(format!(": it does not support {what}")),
            Some((fault, at)) => return Err(format!("at {at}: {fault}")),
            None => {}
        }
    }
    Ok(String::new())
}

fn once(link: &Rc<RefCell<Link>>, protocol: &'static Protocol, profile: &'static Profile, role: Role) {
    let setup = Setup::new(protocol, profile).on(host_of(role));
    let mut host = Link::open(link, protocol, &setup);
    let (mut bytes, mut now) = (Vec::new(), Time::ZERO);
    let command = if role == Role::Server { Command::Spawn { entity: 10 } } else { Command::Connect };
    host.handle_command(now, &command);
    let mut inputs = 0;
    loop {
        while host.poll_transmit(now, &mut bytes).is_some() {}
        while host.poll_event().is_some() {}
        inputs += 1;
        let Some(wake) = host.poll_timeout().map(|wake| wake.max(now)).filter(|wake| *wake < TRIED && inputs < 1_000)
        else {
            break;
        };
        now = wake;
        host.handle_timeout(now);
    }
    let from = if role == Role::Server { HostId(1) } else { HostId::SERVER };
    host.handle_datagram(TRIED, kit::PeerId { host: from, port: 0 }, &NONSENSE);
    host.observe(&mut View::default());
}
