//! Where an exploration tries every schedule of a few faults: windows of datagrams in scenarios without other faults.
//!
//! What sessions have in common begins with the first datagram. What comes later (a new map, an entity that leaves, a history that
//! wraps) is looked for in scenarios that have it, and the window begins where it happens.

pub mod compare;
mod features;
pub mod guided;

use crate::candidate::Candidate;
use crate::judge::Keep;
use crate::scenario::{Alteration, Case};
use crate::sweep::schedules::Schedules;
use kit::{Command, Direction, Time};
use sim::SLOT_US;

/// Where a window begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// With this datagram of each direction, from 0.
    Datagram(u32),
    /// With the first new map.
    Map,
    /// With the first entity that leaves the world.
    Remove,
}

/// A window that is explored unless another is chosen.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// The protocol.
    pub protocol: &'static str,
    /// What happens in it.
    pub about: &'static str,
    /// The scenario; its own faults are taken out.
    pub scenario: &'static str,
    /// Which variant of it, where the first is not meant.
    pub variant: Option<&'static str>,
    /// Where it begins.
    pub start: Start,
}

const fn window(protocol: &'static str, about: &'static str, scenario: &'static str, start: Start) -> Window {
    Window { protocol, about, scenario, variant: None, start }
}

/// The windows of all protocols. A profile that none of a protocol's scenarios has for one is explored in the others. NVS has nothing
/// that leaves the world, and neither NVS nor FitzQuake remembers what it has sent, so that no history of theirs wraps.
pub const WINDOWS: &[Window] = &[
    window("fte", "sign-on", "fte/remove-clean", Start::Datagram(0)),
    window("fte", "new-map", "fte/map-change-clean", Start::Map),
    window("fte", "remove-and-respawn", "fte/remove-lost-respawn", Start::Remove),
    // The history has 64 frames.
    window("fte", "history-wraps", "fte/history-clean", Start::Datagram(64)),
    window("fitz666", "sign-on", "fitz666/sign-on-clean", Start::Datagram(0)),
    window("fitz666", "new-map", "fitz666/map-change-clean", Start::Map),
    Window {
        variant: Some("protocol=666"),
        ..window("fitz666", "remove-and-respawn", "fitz666/hide-and-show", Start::Remove)
    },
    window("nvs", "sign-on", "nvs/baselines", Start::Datagram(0)),
    window("nvs", "new-map", "nvs/level-change", Start::Map),
    window("r1q2", "sign-on", "r1q2/clean-world", Start::Datagram(0)),
    window("r1q2", "new-map", "r1q2/map-change", Start::Map),
    window("r1q2", "remove-and-respawn", "r1q2/clean-world", Start::Remove),
    // The history has 16 frames.
    window("r1q2", "history-wraps", "r1q2/clean-world", Start::Datagram(24)),
    window("pygg2", "sign-on", "pygg2/session-clean", Start::Datagram(0)),
    window("pygg2", "remove", "pygg2/session-clean", Start::Remove),
    // Numbers pass from 65535 to 0 there.
    window("pygg2", "numbers-wrap", "pygg2/wrap", Start::Datagram(40)),
];

/// A case as it is explored: without the faults of its scenario.
pub fn without_faults(case: &Case) -> Case {
    Case { alteration: Alteration::faultless(), ..case.clone() }
}

/// The schedules of at most so many faults in a window of a case, which is without faults. `None`: what the window begins with
/// does not happen there.
pub fn schedules(
    case: &Case,
    seed: u64,
    candidate: Option<&Candidate>,
    start: Start,
    faults: u32,
    datagrams: u32,
) -> Option<Schedules> {
    let from = match start {
        Start::Datagram(index) => [index; 2],
        Start::Map => sent_before(case, seed, candidate, first(case, seed, |it| matches!(it, Command::Map))?),
        Start::Remove => {
            let removes = |command: &Command| matches!(command, Command::Remove { .. });
            sent_before(case, seed, candidate, first(case, seed, removes)?)
        }
    };
    Some(Schedules { faults, from, datagrams })
}

/// When the server is first told something of a kind.
fn first(case: &Case, seed: u64, wanted: impl Fn(&Command) -> bool) -> Option<Time> {
    case.commands(seed).find(|(_, _, command)| wanted(command)).map(|(at, _, _)| at)
}

/// How many datagrams of the first client go each way before a moment, to a slot of time.
fn sent_before(case: &Case, seed: u64, candidate: Option<&Candidate>, at: Time) -> [u32; 2] {
    let fates = Candidate::judge(candidate, case, seed, Keep::Fates).fates;
    [Direction::ServerToClient, Direction::ClientToServer].map(|way| {
        let here = |key: &&sim::FateKey| key.client.0 == 1 && key.direction == way;
        fates.keys().filter(here).filter(|key| u64::from(key.slot) < at.us() / SLOT_US).count() as u32
    })
}
