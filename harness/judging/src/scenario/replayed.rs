//! The commands to a server that is restarted: the world as the scenario has made it so far.

use kit::{Command, HostId, StatValue, Time};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

type Instruction = (Time, HostId, Command);

/// The instructions of a run in which the server dies, once or several times. The clients in a session leave when it dies, since
/// nobody stays where nothing moves. When another is in its place, it is sent the world and they connect. What a verb said to
/// the one before is gone with it.
pub(super) struct Replayed<I: Iterator<Item = Instruction>> {
    script: std::iter::Peekable<I>,
    /// When somebody dies or is back, in the order of time.
    borders: VecDeque<(Time, Border)>,
    world: World,
    /// Clients that were instructed to connect, and not to leave.
    connected: BTreeSet<HostId>,
    /// What a border has brought.
    round: VecDeque<Instruction>,
}

#[derive(Clone, Copy)]
enum Border {
    Death,
    Return,
}

impl<I: Iterator<Item = Instruction>> Replayed<I> {
    /// `script`, around restarts that do not overlap and are in the order of time.
    pub fn new(script: I, restarts: &[(Time, Time)]) -> Replayed<I> {
        let borders = restarts.iter().flat_map(|&(from, until)| [(from, Border::Death), (until, Border::Return)]);
        Replayed {
            script: script.peekable(),
            borders: borders.collect(),
            world: World::default(),
            connected: BTreeSet::new(),
            round: VecDeque::new(),
        }
    }

    fn cross(&mut self, at: Time, border: Border) {
        let everybody = |command| self.connected.iter().map(move |client| (at, *client, command));
        match border {
            Border::Death => self.round.extend(everybody(Command::Disconnect)),
            Border::Return => {
                self.round.extend(self.world.commands().map(|command| (at, HostId::SERVER, command)));
                self.round.extend(everybody(Command::Connect));
            }
        }
    }

    fn follow(&mut self, host: HostId, command: &Command) {
        match command {
            Command::Connect => drop(self.connected.insert(host)),
            Command::Disconnect => drop(self.connected.remove(&host)),
            _ => self.world.follow(command),
        }
    }
}

impl<I: Iterator<Item = Instruction>> Iterator for Replayed<I> {
    type Item = Instruction;

    fn next(&mut self) -> Option<Instruction> {
        loop {
            if let Some(instruction) = self.round.pop_front() {
                return Some(instruction);
            }
            let next = self.script.peek().map(|(at, ..)| *at);
            match self.borders.front().copied().filter(|(at, _)| next.is_none_or(|next| *at <= next)) {
                Some((at, border)) => self.cross(at, border),
                None => break,
            }
            self.borders.pop_front();
        }
        let instruction = self.script.next();
        if let Some((_, host, command)) = &instruction {
            self.follow(*host, command);
        }
        instruction
    }
}

/// The world that instructions have made.
#[derive(Default)]
struct World {
    baselines: BTreeMap<(u32, usize), i32>,
    /// Per entity in the world, the fields that were set since it appeared.
    entities: BTreeMap<u32, BTreeMap<usize, i32>>,
    stats: BTreeMap<(u16, u8), StatValue>,
}

impl World {
    fn follow(&mut self, command: &Command) {
        match *command {
            Command::Baseline { entity, field, value } => drop(self.baselines.insert((entity, field), value)),
            Command::Spawn { entity } => drop(self.entities.insert(entity, BTreeMap::new())),
            Command::Set { entity, field, value } => {
                if let Some(fields) = self.entities.get_mut(&entity) {
                    fields.insert(field, value);
                }
            }
            Command::Remove { entity } => drop(self.entities.remove(&entity)),
            Command::Stat { client, stat, value } => drop(self.stats.insert((client, stat), value)),
            Command::Map => self.entities.clear(),
            Command::Connect | Command::Disconnect | Command::Verb { .. } => {}
        }
    }

    /// What makes it out of nothing: baselines first, as at the start of every run.
    fn commands(&self) -> impl Iterator<Item = Command> {
        let baselines = self.baselines.iter();
        let baselines = baselines.map(|(&(entity, field), &value)| Command::Baseline { entity, field, value });
        let entities = self.entities.iter().flat_map(|(&entity, fields)| {
            let sets = fields.iter().map(move |(&field, &value)| Command::Set { entity, field, value });
            std::iter::once(Command::Spawn { entity }).chain(sets)
        });
        let stats = self.stats.iter().map(|(&(client, stat), &value)| Command::Stat { client, stat, value });
        baselines.chain(entities).chain(stats)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: HostId = HostId::SERVER;

    fn replayed(script: &[Instruction], restarts: &[(u64, u64)]) -> Vec<Instruction> {
        let restarts: Vec<_> = restarts.iter().map(|&(from, until)| (Time(from), Time(until))).collect();
        Replayed::new(script.iter().copied(), &restarts).collect()
    }

    #[test]
    fn the_world_is_sent_again_as_it_is_by_then_and_who_had_a_session_connects() {
        let set = |value| Command::Set { entity: 1, field: 3, value };
        let (spawn, baseline) =
            (|entity| Command::Spawn { entity }, Command::Baseline { entity: 1, field: 3, value: 9 });
        let verb = Command::Verb { verb: 0, args: [0; 4] };
        let script = [
            (Time(0), SERVER, baseline),
            (Time(0), SERVER, spawn(1)),
            (Time(0), SERVER, spawn(2)),
            (Time(0), HostId(1), Command::Connect),
            (Time(0), HostId(2), Command::Connect),
            (Time(1), HostId(2), Command::Disconnect),
            (Time(2), SERVER, set(4)),
            (Time(3), SERVER, verb),
            (Time(4), SERVER, Command::Remove { entity: 2 }),
            (Time(12), SERVER, set(5)),
            (Time(20), SERVER, set(6)),
        ];
        let seen = replayed(&script, &[(10, 20)]);
        let mut expected = script.to_vec();
        let back = [(SERVER, baseline), (SERVER, spawn(1)), (SERVER, set(5)), (HostId(1), Command::Connect)];
        expected.splice(10..10, back.map(|(host, command)| (Time(20), host, command)));
        expected.insert(9, (Time(10), HostId(1), Command::Disconnect));
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_server_may_die_more_than_once_and_behind_the_last_instruction() {
        let script = [(Time(0), HostId(1), Command::Connect)];
        let seen: Vec<_> =
            replayed(&script, &[(5, 7), (8, 9)]).into_iter().map(|(at, _, command)| (at.us(), command)).collect();
        let (connect, leave) = (Command::Connect, Command::Disconnect);
        assert_eq!(seen, [(0, connect), (5, leave), (7, connect), (8, leave), (9, connect)]);
    }

    #[test]
    fn a_new_map_leaves_nothing_of_the_entities_before() {
        let script = [
            (Time(0), SERVER, Command::Spawn { entity: 1 }),
            (Time(1), SERVER, Command::Map),
            (Time(1), SERVER, Command::Spawn { entity: 2 }),
        ];
        let seen = replayed(&script, &[(5, 7)]);
        assert_eq!(seen[3..], [(Time(7), SERVER, Command::Spawn { entity: 2 })]);
    }
}
