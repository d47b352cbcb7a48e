//! A @ROLE@ of @PROFILE@ under test by deltaproof. It does nothing yet: put your own code where it says so.
//!
//! ```sh
//! cargo build --release
//! deltaproof shim doctor -- target/release/my_shim
//! deltaproof run --profile @PROFILE@ --role @ROLE@ --shim target/release/my_shim
//! ```

mod deltaproof_shim;

use deltaproof_shim::{Host, Implementation, Out, Run, Unsupported, serve};
use serde_json::{Value, json};

/// One end of one run. Your code must have no clock, no socket and no randomness of its own: all of that comes from here.
struct Mine {
    tick_us: u64,
}

impl Mine {
    fn open(run: &Run) -> Mine {
        // The scenario's options (`deltaproof list --words`), such as the time between your packets.
@client|        let tick_us = run.options.get("client_tick_us").copied().unwrap_or(50_000);
@server|        let tick_us = run.options.get("tick_us").copied().unwrap_or(50_000);
        // Begin your engine's state here. Nothing of a run before may be left.
        Mine { tick_us: tick_us as u64 }
    }
}

impl Host for Mine {
    fn command(&mut self, now: u64, command: &Value, out: &mut Out) -> Result<(), Unsupported> {
        match command["command"].as_str().unwrap_or_default() {
@client|            "connect" => {
@client|                // Build your first datagram, and send it to the server, which is host 0:
@client|                // out.send(0, 0, &bytes);
@client|                // out.state(0, OLD, NEW, "");    (names of states: `deltaproof list --words`)
@client|                out.wake = Some(now + self.tick_us);
@client|            }
@client|            "disconnect" => out.wake = None,
@server|            // The world changes, perhaps before any client is there: `entity`, `field` and `value` of the command say how. A server whose
@server|            // world is its own leaves this out, and says so: `takes_world: false`.
@server|            "baseline" | "spawn" | "set" | "remove" | "stat" | "map" => out.wake = out.wake.or(Some(now + self.tick_us)),
            other => return Err(Unsupported(format!("the command {other}"))),
        }
        Ok(())
    }

@client|    fn datagram(&mut self, _now: u64, _from: u64, _port: u64, _bytes: &[u8], _out: &mut Out) {
@client|        // Give it to your engine, and send what that answers.
@client|    }
@server|    fn datagram(&mut self, now: u64, _from: u64, _port: u64, _bytes: &[u8], out: &mut Out) {
@server|        // It comes from a client, whom you answer: out.send(from, port, &bytes). A client that is admitted, is in the game or leaves
@server|        // changes its state, by the names of `deltaproof list --words`: out.state(from, OLD, NEW, ""). From the first of them on you
@server|        // need a clock.
@server|        out.wake = Some(now + self.tick_us);
@server|    }

    fn timeout(&mut self, now: u64, out: &mut Out) {
        // A tick has passed. Send what is due, and ask for the next one.
        out.wake = Some(now + self.tick_us);
    }

    fn observe(&self) -> Value {
@server|        // A server shows nothing.
@client|        // What the player sees: {"state": …, "valid": true, "server_time": …, "own_entity": …, "entities": [[number, fields…], …]}
        json!({})
    }
}

fn main() -> std::io::Result<()> {
    serve(&Implementation {
        name: "My engine",
        build: env!("CARGO_PKG_VERSION"),
        roles: &["@ROLE@"],
        profiles: &["@PROFILE@"],
        not_shown: &[],
        like: &[],
        takes_world: true,
        open: &|run, _| Ok(Box::new(Mine::open(run))),
    })
}
