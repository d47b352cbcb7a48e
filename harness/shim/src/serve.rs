//! The other end of the shim protocol, for endpoints in Rust.

use crate::VERSION;
use crate::message::*;
use crate::words;
use kit::{Endpoint, Hiding, HostId, PeerId, Profile, Protocol, Setup, Time, View};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::Arc;

/// Who answers.
pub struct Implementation<'a> {
    /// Its name.
    pub name: &'a str,
    /// Which state of it.
    pub build: &'a str,
    /// The protocols that it speaks, in all their profiles.
    pub protocols: &'a [&'static Protocol],
    /// What its clients do not show, by the names of [`kit::Hidden::from_names`].
    pub not_shown: &'a [String],
    /// The conforming variants of the reference that it is like.
    pub like: &'a [String],
    /// Whether its servers can be told what the world is.
    pub takes_world: bool,
    /// Builds a host: the server for host 0, else a client.
    pub build_host: &'a dyn Fn(&'static Protocol, &Setup) -> Box<dyn Endpoint>,
}

/// One open host.
struct Open {
    protocol: &'static Protocol,
    endpoint: Box<dyn Endpoint>,
}

/// Where requests come from and replies go to.
pub type Line = (Box<dyn BufRead>, Box<dyn Write>);

/// The line to the harness: the connection that it waits for where the environment names one, else standard input and output.
///
/// # Errors
/// There is no such connection.
pub fn line() -> io::Result<Line> {
    let Ok(port) = std::env::var("DELTAPROOF_SHIM_PORT") else {
        return Ok((Box::new(io::stdin().lock()), Box::new(io::stdout().lock())));
    };
    let port = port.parse().map_err(|_| io::Error::other(format!("DELTAPROOF_SHIM_PORT is no port: `{port}`")))?;
    let token = std::env::var("DELTAPROOF_SHIM_TOKEN").map_err(io::Error::other)?;
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_nodelay(true)?;
    stream.write_all(format!("{token}\n").as_bytes())?;
    Ok((Box::new(BufReader::new(stream.try_clone()?)), Box::new(stream)))
}

/// Answers requests until there are no more, or `bye`.
///
/// # Errors
/// A request cannot be read, or an answer not be written.
pub fn serve(who: &Implementation<'_>, input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let mut hosts: BTreeMap<u16, Open> = BTreeMap::new();
    for line in input.lines() {
        let line = line?;
        let request: Request = match serde_json::from_str(&line) {
            Ok(request) => request,
            Err(error) => {
                output.write_all(format!("{}\n", refusal_of(&line, &error)?).as_bytes())?;
                output.flush()?;
                continue;
            }
        };
        let seq = request.seq;
        let over = request.operation == Operation::Bye;
        let answer = answer(who, &mut hosts, seq, request.operation);
        let line = answer.unwrap_or_else(|what| text(&DoneReply { seq, error: Some(Refusal { unsupported: what }) }));
        // One write: a line in two packets would wait for an acknowledgement between them.
        output.write_all(format!("{line}\n").as_bytes())?;
        output.flush()?;
        if over {
            break;
        }
    }
    Ok(())
}

/// The answer to a request that is none of this version.
///
/// # Errors
/// It has not even a number.
fn refusal_of(line: &str, error: &serde_json::Error) -> io::Result<String> {
    #[derive(Deserialize)]
    struct Head {
        seq: u64,
    }
    let Head { seq } = serde_json::from_str(line).map_err(io::Error::other)?;
    Ok(text(&DoneReply { seq, error: Some(Refusal { unsupported: error.to_string() }) }))
}

fn text(reply: &impl Serialize) -> String {
    serde_json::to_string(reply).unwrap_or_default()
}

fn hello(who: &Implementation<'_>, seq: u64) -> HelloReply {
    let profiles = who.protocols.iter().flat_map(|protocol| protocol.profiles);
    HelloReply {
        seq,
        error: None,
        version: VERSION,
        name: who.name.to_string(),
        build: who.build.to_string(),
        roles: ["server", "client", "codec"].map(String::from).to_vec(),
        profiles: profiles.map(|profile| profile.name.to_string()).collect(),
        not_shown: who.not_shown.to_vec(),
        like: who.like.to_vec(),
        takes_world: who.takes_world,
        own_options: false,
        not_taken: Vec::new(),
    }
}

/// The line that answers, or what is not supported.
fn answer(
    who: &Implementation<'_>,
    hosts: &mut BTreeMap<u16, Open>,
    seq: u64,
    operation: Operation,
) -> Result<String, String> {
    let missing = |host: u16| format!("host {host}, which is not open");
    match operation {
        Operation::Hello { .. } => Ok(text(&hello(who, seq))),
        Operation::Open { host, clients, profile, seed, options, texts, now, until: _ } => {
            let (protocol, profile) = find(who.protocols, &profile)?;
            let setup = Setup {
                host: HostId(host),
                clients,
                seed: u64::from_str_radix(&seed, 16).map_err(|_| format!("the seed `{seed}`"))?,
                ..chosen(protocol, profile, &options, &texts)?
            };
            let hidden = protocol.hidden(if host == HostId::SERVER.0 { &[] } else { who.not_shown });
            let endpoint = Hiding::around((who.build_host)(protocol, &setup), hidden, protocol.fields.len());
            let open = hosts.entry(host).or_insert(Open { protocol, endpoint });
            Ok(text(&settle(open, Time(now), seq)))
        }
        Operation::Step { host, now, until, input } => {
            let open = hosts.get_mut(&host).ok_or_else(|| missing(host))?;
            let now = Time(now);
            if let Some(until) = until {
                open.endpoint.quiet_until(Time(until));
            }
            match input {
                Input::Datagram { from, port, to_port: _, bytes } => {
                    let bytes = words::from_hex(&bytes)?;
                    open.endpoint.handle_datagram(now, PeerId { host: HostId(from), port }, &bytes);
                }
                Input::Command(Instruction::Verb { verb, .. }) if host == HostId::SERVER.0 && !who.takes_world => {
                    return Err(format!("the verb {verb}"));
                }
                Input::Command(instruction) => {
                    open.endpoint.handle_command(now, &words::command(open.protocol, &instruction)?);
                }
                Input::Timeout => open.endpoint.handle_timeout(now),
            }
            Ok(text(&settle(open, now, seq)))
        }
        Operation::Observe { host } => {
            let open = hosts.get(&host).ok_or_else(|| missing(host))?;
            let mut view = View::default();
            open.endpoint.observe(&mut view);
            Ok(text(&words::reply(open.protocol, &view, seq)))
        }
        Operation::Close { host } => {
            hosts.remove(&host).ok_or_else(|| missing(host))?;
            Ok(text(&DoneReply { seq, error: None }))
        }
        Operation::Bye => Ok(text(&DoneReply { seq, error: None })),
    }
}

/// What the endpoint does in answer to an input.
fn settle(open: &mut Open, now: Time, seq: u64) -> StepReply {
    let Open { protocol, endpoint } = open;
    let mut reply = StepReply { seq, ..StepReply::default() };
    let mut bytes = Vec::new();
    while let Some(to) = endpoint.poll_transmit(now, &mut bytes) {
        reply.tx.push(Transmit { to: to.host.0, port: to.port, from_port: 0, bytes: words::to_hex(&bytes) });
        bytes.clear();
    }
    while let Some(event) = endpoint.poll_event() {
        reply.ev.push(words::happening(protocol, &event));
    }
    (reply.wake, reply.port) = (endpoint.poll_timeout().map(Time::us), endpoint.source_port());
    reply
}

fn find(protocols: &[&'static Protocol], name: &str) -> Result<(&'static Protocol, &'static Profile), String> {
    let all = protocols.iter().flat_map(|protocol| protocol.profiles.iter().map(move |profile| (*protocol, profile)));
    let mut named = all.filter(|(_, profile)| profile.name == name);
    named.next().ok_or_else(|| format!("the profile `{name}`"))
}

/// A setup with these options and texts.
fn chosen(
    protocol: &Protocol,
    profile: &'static Profile,
    options: &BTreeMap<String, i64>,
    texts: &BTreeMap<String, String>,
) -> Result<Setup, String> {
    let mut setup = Setup::new(protocol, profile);
    for (name, &value) in options {
        let place = protocol.options.iter().position(|option| option.name == name);
        setup.options[place.ok_or_else(|| format!("the option `{name}`"))?] = value;
    }
    for (name, value) in texts {
        let place = protocol.texts.iter().position(|text| text.name == name);
        setup.texts[place.ok_or_else(|| format!("the text `{name}`"))?] = Arc::from(value.as_str());
    }
    Ok(setup)
}
