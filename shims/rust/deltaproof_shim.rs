//! The shim protocol of deltaproof, version 1: put a server or a client in Rust under test.
//!
//! Copy this file into your own crate; it needs `serde_json`. Implement [`Host`] for each end that you have, and call [`serve`]. What
//! the messages mean is in the document of the shim protocol (`PROTOCOL.md`). Times are virtual microseconds.
#![allow(dead_code)]

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpStream};

/// What an implementation cannot do, in a few words: the case is then `unsupported`, and no failure.
pub struct Unsupported(pub String);

/// A run, as one of its hosts sees it.
pub struct Run {
    /// 0 for the server, 1 and up for clients.
    pub host: u64,
    pub clients: u64,
    pub profile: String,
    /// The only source of randomness.
    pub seed: u64,
    pub options: BTreeMap<String, i64>,
    pub texts: BTreeMap<String, String>,
    /// When the run begins for this host: not 0 where it is restarted.
    pub begins: u64,
}

/// One server or client of one run.
pub trait Host {
    /// The scenario instructs the host: `command["command"]` and its arguments.
    fn command(&mut self, now: u64, command: &Value, out: &mut Out) -> Result<(), Unsupported>;
    /// A datagram of host `from` arrives, from its port number `port`.
    fn datagram(&mut self, now: u64, from: u64, port: u64, bytes: &[u8], out: &mut Out);
    /// The time has come that [`Out::wake`] asked for.
    fn timeout(&mut self, now: u64, out: &mut Out);
    /// What the host holds: an object with the keys of the reply to `observe`.
    fn observe(&self) -> Value;
}

/// What a host does.
#[derive(Default)]
pub struct Out {
    tx: Vec<Value>,
    events: Vec<Value>,
    /// When it wants a `timeout`; holds until it is changed or has come.
    pub wake: Option<u64>,
    /// The number of the port that it sends from.
    pub port: u64,
    /// Nothing is asked of the host before this time, unless it sends something or wants to be woken; `None` where that is not known.
    pub until: Option<u64>,
    /// The number of the host's port that the last datagram came to: 0 for the main one.
    pub to_port: u64,
}

impl Out {
    /// Sends a datagram to a host, at its port number `port`.
    pub fn send(&mut self, to: u64, port: u64, bytes: &[u8]) {
        self.tx.push(json!({"to": to, "port": port, "bytes": to_hex(bytes)}));
    }

    /// Sends a datagram from another port than the main one.
    pub fn send_from(&mut self, from_port: u64, to: u64, port: u64, bytes: &[u8]) {
        self.tx.push(json!({"to": to, "port": port, "from_port": from_port, "bytes": to_hex(bytes)}));
    }

    /// A state machine moved: the session of client `peer` at a server, with peer 0 the client's own.
    pub fn state(&mut self, peer: u64, from: &str, to: &str, cause: &str) {
        self.events.push(json!({"event": "state", "peer": peer, "from": from, "to": to, "cause": cause}));
    }

    /// A datagram of `peer`, or the part of it from byte `offset`, was refused because of `field`.
    pub fn rejected(&mut self, peer: u64, offset: usize, field: &str) {
        self.events.push(json!({"event": "rejected", "peer": peer, "offset": offset, "field": field}));
    }

    /// Text for the player.
    pub fn print(&mut self, text: &[u8]) {
        self.events.push(json!({"event": "print", "text": to_hex(text)}));
    }

    /// A note of the protocol, with all of its arguments in order (`deltaproof list --words`).
    pub fn note(&mut self, note: &str, args: &[i64]) {
        self.events.push(json!({"event": "note", "note": note, "args": args}));
    }

    fn reply(&mut self) -> Value {
        let (tx, events) = (std::mem::take(&mut self.tx), std::mem::take(&mut self.events));
        json!({"tx": tx, "ev": events, "wake": self.wake, "port": self.port})
    }
}

/// Who answers.
pub struct Implementation<'a> {
    pub name: &'a str,
    pub build: &'a str,
    /// Among `server`, `client`, and `codec`, which only reads what a client receives.
    pub roles: &'a [&'a str],
    pub profiles: &'a [&'a str],
    /// What a client cannot show: names of fields, `stats`, `statics`, `prints`, `note ...`.
    pub not_shown: &'a [&'a str],
    /// Conforming variants that it is like.
    pub like: &'a [&'a str],
    /// Whether its server can be told what the world is.
    pub takes_world: bool,
    /// Builds a host of a run.
    pub open: &'a dyn Fn(&Run, &mut Out) -> Result<Box<dyn Host>, Unsupported>,
}

/// Answers the harness until it says bye: over TCP where it listens, else over standard input and output, to which nothing else may
/// be printed then.
pub fn serve(who: &Implementation) -> io::Result<()> {
    let (input, mut output): (Box<dyn BufRead>, Box<dyn Write>) = match std::env::var("DELTAPROOF_SHIM_PORT") {
        Err(_) => (Box::new(io::stdin().lock()), Box::new(io::stdout().lock())),
        Ok(port) => {
            let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port.parse().map_err(io::Error::other)?))?;
            stream.set_nodelay(true)?;
            let token = std::env::var("DELTAPROOF_SHIM_TOKEN").map_err(io::Error::other)?;
            stream.write_all(format!("{token}\n").as_bytes())?;
            (Box::new(BufReader::new(stream.try_clone()?)), Box::new(stream))
        }
    };
    let mut hosts = BTreeMap::new();
    for line in input.lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let mut reply = answer(who, &mut hosts, &request)
            .unwrap_or_else(|Unsupported(what)| json!({"error": {"unsupported": what}}));
        reply["seq"] = request["seq"].clone();
        output.write_all(format!("{reply}\n").as_bytes())?;
        output.flush()?;
        if request["op"] == "bye" {
            break;
        }
    }
    Ok(())
}

type Hosts = BTreeMap<u64, (Box<dyn Host>, Out)>;

fn answer(who: &Implementation, hosts: &mut Hosts, request: &Value) -> Result<Value, Unsupported> {
    let number = |key: &str| request[key].as_u64().unwrap_or_default();
    let missing = || Unsupported(String::from("a host that is not open"));
    Ok(match request["op"].as_str().unwrap_or_default() {
        "hello" => json!({
            "version": 1, "name": who.name, "build": who.build, "roles": who.roles, "profiles": who.profiles,
            "not_shown": who.not_shown, "like": who.like, "takes_world": who.takes_world
        }),
        "open" => {
            let run = run(request);
            if !who.profiles.contains(&run.profile.as_str()) {
                return Err(Unsupported(format!("the profile {}", run.profile)));
            }
            let mut out = Out { until: request["until"].as_u64(), ..Out::default() };
            let host = (who.open)(&run, &mut out)?;
            let reply = out.reply();
            hosts.insert(run.host, (host, out));
            reply
        }
        "step" => {
            let (host, out) = hosts.get_mut(&number("host")).ok_or_else(missing)?;
            out.until = request["until"].as_u64();
            step(host.as_mut(), out, request)?;
            out.reply()
        }
        "observe" => hosts.get(&number("host")).ok_or_else(missing)?.0.observe(),
        "close" => {
            hosts.remove(&number("host"));
            Value::Object(Map::new())
        }
        "bye" => Value::Object(Map::new()),
        other => return Err(Unsupported(format!("the operation {other}"))),
    })
}

fn step(host: &mut dyn Host, out: &mut Out, request: &Value) -> Result<(), Unsupported> {
    let number = |key: &str| request[key].as_u64().unwrap_or_default();
    let now = number("now");
    match request["input"].as_str().unwrap_or_default() {
        "datagram" => {
            let bytes = from_hex(request["bytes"].as_str().unwrap_or_default());
            out.to_port = number("to_port");
            host.datagram(now, number("from"), number("port"), &bytes, out);
        }
        "timeout" => {
            out.wake = None;
            host.timeout(now, out);
        }
        "command" => host.command(now, request, out)?,
        other => return Err(Unsupported(format!("the input {other}"))),
    }
    Ok(())
}

fn run(request: &Value) -> Run {
    let text = |key: &str| request[key].as_str().unwrap_or_default();
    let members = |key: &str| request[key].as_object().into_iter().flatten();
    Run {
        host: request["host"].as_u64().unwrap_or_default(),
        clients: request["clients"].as_u64().unwrap_or_default(),
        profile: text("profile").to_string(),
        seed: u64::from_str_radix(text("seed"), 16).unwrap_or_default(),
        options: members("options").map(|(name, value)| (name.clone(), value.as_i64().unwrap_or_default())).collect(),
        texts: members("texts").map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_string())).collect(),
        begins: request["now"].as_u64().unwrap_or_default(),
    }
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(digits: &str) -> Vec<u8> {
    let digits = digits.as_bytes().chunks_exact(2);
    digits.filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}
