//! Windows: where an exploration tries every schedule of a few faults, in scenarios without other faults.
//!
//! What sessions have in common begins with the first datagram. What comes later (a new map, an entity that leaves and comes back, a
//! history that wraps) is looked for in scenarios that have it, and the window begins where it happens.

use crate::history::{Datagram, History, What};
use crate::judge::{Keep, judge};
use crate::scenario::Case;
use crate::sweep::schedules::Schedules;
use kit::{Command, Direction, HostId, Time};

/// A window that begins before a frame begins so many datagrams of the server's before it: half of the usual window.
const LEAD: usize = 20;

/// Where a window begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// With this datagram of each direction, from 0.
    Datagram(u32),
    /// With the first new map.
    Map,
    /// With the first entity that leaves the world.
    Remove,
    /// With the first client that leaves.
    Leave,
    /// Some datagrams before the server sends the frame with this number.
    Frame(u32),
}

/// A window that is explored unless another is chosen.
#[derive(Clone, Copy, Debug)]
pub struct Window {
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

/// The windows of all protocols. FitzQuake and NVS keep no history, and in NVS nothing leaves the world but with it.
pub const WINDOWS: &[Window] = &[
    window("fte", "sign-on", "fte/remove-clean", Start::Datagram(0)),
    window("fte", "new-map", "fte/map-change-clean", Start::Map),
    window("fte", "remove-and-respawn", "fte/remove-lost-respawn", Start::Remove),
    // The history has 64 frames.
    window("fte", "history-wraps", "fte/several-clients", Start::Frame(64)),
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
    // The history has 16 frames, and wraps for the second time.
    window("r1q2", "history-wraps", "r1q2/clean-world", Start::Frame(32)),
    window("pygg2", "sign-on", "pygg2/session-clean", Start::Datagram(0)),
    window("pygg2", "remove", "pygg2/session-clean", Start::Remove),
    window("pygg2", "leave-and-return", "pygg2/reconnect", Start::Leave),
    // Numbers pass from 65535 to 0 there.
    window("pygg2", "numbers-wrap", "pygg2/wrap", Start::Datagram(40)),
];

/// A window in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Its first datagram of each direction, from 0.
    pub from: [u32; 2],
    /// How many datagrams of each direction the whole run has.
    pub sent: [u32; 2],
}

impl Placed {
    /// Where a window begins in a case that is without faults, if the reference takes part in it. `None`: what it begins with does
    /// not happen there.
    pub fn of(case: &Case, seed: u64, start: Start) -> Option<Placed> {
        let history = judge(case, seed, None, Keep::Events).history;
        let sent = sent(&history);
        let before = |moment: Option<Time>| {
            let counted = |way| {
                let of_this_way = sent.iter().filter(|(_, datagram)| datagram.packet.direction == way);
                of_this_way.filter(|(at, _)| moment.is_none_or(|moment| *at < moment)).count() as u32
            };
            [Direction::ServerToClient, Direction::ClientToServer].map(counted)
        };
        let from = match start {
            Start::Datagram(index) => [index; 2],
            Start::Map => before(Some(first(case, seed, |it| matches!(it, Command::Map))?)),
            Start::Remove => before(Some(first(case, seed, |it| matches!(it, Command::Remove { .. }))?)),
            Start::Leave => before(Some(first(case, seed, |it| matches!(it, Command::Disconnect))?)),
            Start::Frame(number) => before(Some(before_frame(&sent, number)?)),
        };
        Some(Placed { from, sent: before(None) })
    }

    /// The schedules of at most so many faults in a window of so many datagrams of each direction.
    ///
    /// # Errors
    /// The run has not so many: the most that it has.
    pub fn schedules(&self, faults: u32, datagrams: u32) -> Result<Schedules, u32> {
        let most = self.sent.iter().zip(self.from).map(|(sent, from)| sent.saturating_sub(from)).min().unwrap_or(0);
        if datagrams > most {
            return Err(most);
        }
        Ok(Schedules { faults, from: self.from, datagrams })
    }
}

/// The datagrams of the first client, and when they are sent.
fn sent(history: &History) -> Vec<(Time, &Datagram)> {
    let sent = history.entries.iter().filter_map(|entry| match &entry.what {
        What::Sent(datagram) if datagram.packet.client == HostId(1) => Some((entry.at, &**datagram)),
        _ => None,
    });
    sent.collect()
}

/// When the first command of a kind is given.
fn first(case: &Case, seed: u64, wanted: impl Fn(&Command) -> bool) -> Option<Time> {
    case.commands(seed).find(|(_, _, command)| wanted(command)).map(|(at, _, _)| at)
}

/// When the server sends the datagram with which a window around a frame begins.
fn before_frame(sent: &[(Time, &Datagram)], number: u32) -> Option<Time> {
    let from_server = || sent.iter().filter(|(_, it)| it.packet.direction == Direction::ServerToClient);
    let has = |it: &Datagram| it.carries.iter().any(|carried| carried.kind == "frame" && carried.number == number);
    let place = from_server().position(|(_, datagram)| has(datagram))?;
    from_server().nth(place.saturating_sub(LEAD)).map(|(at, _)| *at)
}

#[cfg(test)]
mod tests {
    use super::super::without_faults;
    use super::*;
    use crate::scenario::{self, BUILT_IN};
    use std::path::Path;
    use std::sync::Arc;

    /// The cases of a window without their faults, each of another profile.
    fn cases(window: &Window) -> Vec<Case> {
        let root = Path::new(BUILT_IN);
        let scenario = scenario::load(root, &root.join(format!("{}.yaml", window.scenario))).expect("it is read");
        let mut cases = scenario::cases(&Arc::new(scenario));
        cases.retain(|case| window.variant.is_none_or(|variant| case.variant == variant));
        cases.dedup_by_key(|case| case.profile.name);
        cases.iter().map(without_faults).collect()
    }

    /// A window of forty datagrams in a run: the commands that are given while it goes on, and the frames that the server sends in it.
    struct Seen {
        from: [u32; 2],
        commands: Vec<Command>,
        frames: Vec<u32>,
    }

    fn seen(window: &Window, case: &Case) -> Seen {
        let seed = case.seeds()[0];
        let placed = Placed::of(case, seed, window.start).expect("it is there");
        let schedules = placed.schedules(2, 40).unwrap_or_else(|most| panic!("{}: {most}", case.name()));
        assert_eq!(schedules.count(), 28_681);
        let history = judge(case, seed, None, Keep::Events).history;
        let all = sent(&history);
        let ways = [Direction::ServerToClient, Direction::ClientToServer].map(|way| {
            let here = all.iter().filter(|(_, it)| it.packet.direction == way);
            (placed.from[way.index()] as usize, here.copied().collect::<Vec<_>>())
        });
        // It begins after the last datagrams of before: what a command brings about is sent after it.
        let begins = ways.iter().map(|(from, way)| from.checked_sub(1).map_or(Time::ZERO, |before| way[before].0));
        let ends = ways.iter().map(|(from, way)| way[from + 39].0);
        let (begin, end) = (begins.min().unwrap_or_default(), ends.min().unwrap_or_default());
        let given = case.commands(seed).filter(|(at, ..)| (begin..=end).contains(at));
        let (from, server) = &ways[0];
        let carried = server[*from..from + 40].iter().flat_map(|(_, it)| &it.carries);
        let frames = carried.filter(|it| it.kind == "frame").map(|it| it.number).collect();
        Seen { from: placed.from, commands: given.map(|(.., command)| command).collect(), frames }
    }

    #[test]
    fn every_window_is_in_its_run_as_a_whole_and_has_in_it_what_it_is_called() {
        for window in WINDOWS {
            for case in cases(window) {
                let seen = seen(window, &case);
                let now = || seen.commands.iter();
                let what = format!("{} in {}", window.about, case.name());
                match window.about {
                    "sign-on" => assert_eq!(seen.from, [0, 0], "{what}"),
                    "new-map" => assert!(now().any(|it| matches!(it, Command::Map)), "{what}"),
                    "remove" => assert!(now().any(|it| matches!(it, Command::Remove { .. })), "{what}"),
                    "remove-and-respawn" => {
                        let removed = now().find_map(|it| match it {
                            Command::Remove { entity } => Some(*entity),
                            _ => None,
                        });
                        let back = now().any(|it| matches!(it, Command::Spawn { entity } if Some(*entity) == removed));
                        assert!(back, "{what}: {removed:?}");
                    }
                    "leave-and-return" => {
                        assert!(now().any(|it| matches!(it, Command::Disconnect)), "{what}");
                        assert!(now().any(|it| matches!(it, Command::Connect)), "{what}");
                    }
                    "history-wraps" => {
                        let length = if window.protocol == "fte" { 64 } else { 16 };
                        assert!(seen.frames.iter().any(|frame| frame % length == length - 1), "{what}");
                        assert!(seen.frames.iter().any(|frame| frame % length == 0), "{what}");
                        assert!(now().any(|it| matches!(it, Command::Set { .. })), "{what}: nothing changes");
                    }
                    // What those datagrams have is not marked: their numbers are options of the scenario.
                    "numbers-wrap" => assert_eq!(seen.from, [40, 40], "{what}"),
                    other => panic!("who knows what {other} is?"),
                }
            }
        }
    }

    #[test]
    fn a_window_that_is_longer_than_its_run_is_none() {
        let placed = Placed { from: [64, 64], sent: [99, 100] };
        assert_eq!(placed.schedules(2, 40), Err(35));
        assert_eq!(placed.schedules(2, 35).map(|all| all.datagrams), Ok(35));
        assert_eq!(Placed { from: [64, 0], sent: [10, 10] }.schedules(1, 1), Err(0));
    }
}
