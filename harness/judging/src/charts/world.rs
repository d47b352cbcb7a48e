//! The world that every protocol of the comparison can express: entities that move, two clients, an outage.

use crate::scenario::{self, Case, Diagnostic};
use std::path::Path;
use std::sync::Arc;

/// What differs between the protocols in saying the same.
#[derive(Clone, Copy, Debug)]
pub struct Compared {
    /// What people call it.
    pub name: &'static str,
    pub profile: &'static str,
    /// A requirement of the protocol: a scenario has to name one.
    requirement: &'static str,
    /// The first entity that moves.
    first: u32,
    /// The two coordinates.
    fields: [&'static str; 2],
    /// What every entity is from the beginning.
    baseline: &'static str,
}

/// The protocols: NVS is left out, since what it versions are messages about entities, which its base protocol moves.
pub const PROTOCOLS: [Compared; 4] = [
    Compared {
        name: "FTE",
        profile: "fte-nq",
        requirement: "FTE-ACK-01",
        first: 20,
        fields: ["origin_x", "origin_y"],
        baseline: "model: 2",
    },
    Compared {
        name: "FitzQuake 666",
        profile: "fitz666",
        requirement: "FITZ-ENT-10",
        first: 20,
        fields: ["origin_x", "origin_y"],
        baseline: "model: 2",
    },
    Compared {
        name: "R1Q2",
        profile: "r1q2-35",
        requirement: "R1Q2-FRM-04",
        first: 20,
        fields: ["origin_x", "origin_y"],
        baseline: "model: 2",
    },
    Compared {
        name: "PyGG2",
        profile: "pygg2",
        requirement: "GG2-EVT-05",
        first: 4,
        fields: ["x", "y"],
        baseline: "alive: 1, hp: 100",
    },
];

/// The server's frame, in microseconds.
pub const FRAME_US: u64 = 50_000;
/// Bytes are counted from here, in microseconds, when everybody has signed on: until then nothing is lost,
pub const COUNT_FROM_US: u64 = 12_000_000;
/// to here, where the outage begins.
pub const COUNT_UNTIL_US: u64 = 16_000_000;
/// Its end, at which the world stops moving.
pub const RECOVER_FROM_US: u64 = 17_000_000;
/// Clients that watch.
pub const CLIENTS: u16 = 2;

/// How many entities move, over which network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct World {
    pub entities: u32,
    /// Chance of loss in both directions, in percent.
    pub loss_percent: u32,
    /// Time that each datagram takes, in milliseconds.
    pub latency_ms: u32,
}

impl Compared {
    /// The world as a case of this protocol.
    ///
    /// # Errors
    /// The protocol cannot express it, such as too many entities.
    pub fn case(&self, world: World) -> Result<Case, Diagnostic> {
        let World { entities, loss_percent, latency_ms } = world;
        let Compared { profile, requirement, first, fields: [x, y], baseline, .. } = self;
        let last = first + entities.max(1) - 1;
        let text = format!(
            "title: The same world for several protocols\n\
             why: The answer to which protocol for my game.\n\
             profiles: [{profile}]\n\
             requirements: [{requirement}]\n\
             fate_model: 1\n\
             options: {{ tick_us: {FRAME_US} }}\n\
             clients: {CLIENTS}\n\
             world:\n\
             \x20 entities:\n\
             \x20   - {{ entities: {first}..{last}, baseline: {{ {baseline} }} }}\n\
             \x20 crowds:\n\
             \x20   - {{ entities: {first}..{last}, every: {FRAME_US}us, from: 1s, until: {RECOVER_FROM_US}us, \
             change: {{ {x}: {{ step: 3, spread: 37, wrap: 1024 }}, {y}: {{ step: 2, spread: 53, wrap: 1024 }} }} }}\n\
             network:\n\
             \x20 both: {{ latency: {latency_ms}ms, loss: {loss_percent}% }}\n\
             faults:\n\
             \x20 - deliver: {{ direction: both, until: {COUNT_FROM_US}us }}\n\
             \x20 - outage: {{ direction: both, from: {COUNT_UNTIL_US}us, until: {RECOVER_FROM_US}us }}\n\
             duration: 27s\n"
        );
        let path = Path::new("the world of `deltaproof compare`");
        let scenario = Arc::new(scenario::parse(&format!("compare/{profile}"), path, &text)?);
        let case = scenario::cases(&scenario).into_iter().next();
        case.ok_or_else(|| Diagnostic::whole(path, format!("no case of {profile}"), None))
    }
}
