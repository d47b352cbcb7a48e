//! What a client of QuakeWorld holds of a session without replacement deltas, and what the recording of its server has of everybody.

use crate::command::{CMD_ANGLES, CMD_BUTTONS, CMD_FORWARD, CMD_IMPULSE, CMD_SIDE, CMD_UP};
use crate::entities::{ENTITY_DELTA, EntityDelta, PlayerInfo, RecordedPlayer};
use crate::{SVC_CHOKECOUNT, SVC_DELTAPACKETENTITIES, SVC_NOP, SVC_PACKETENTITIES, SVC_PLAYERINFO, SVC_SPAWNBASELINE};
use crate::{SVC_SPAWNBASELINE2, U_COLOURMOD, U_EFFECTS, U_EFFECTS16};
use crate::{SVC_UPDATESTAT, SVC_UPDATESTATLONG, Service, service_name};
use kit::{EntityList, Field, StatValue, Unit};
use netquake::update::{ALPHA as RECORD_ALPHA, SCALE as RECORD_SCALE};
use netquake::update::{ANGLES, EFFECTS, FRAME, MODEL, ORIGIN, Record, SKIN};
use std::collections::BTreeMap;

/// Fields that a record of NetQuake has, too, at the same places.
const SHARED: usize = RECORD_ALPHA;
/// Number of fields of an entity.
const FIELDS: usize = SHARED + 16;
const VELOCITY: usize = SHARED;
const MSEC: usize = SHARED + 3;
const WEAPONFRAME: usize = SHARED + 4;
const FLAGS: usize = SHARED + 5;
const FORWARD: usize = SHARED + 6;
const SIDE: usize = SHARED + 7;
const UP: usize = SHARED + 8;
const BUTTONS: usize = SHARED + 9;
const IMPULSE: usize = SHARED + 10;
const ALPHA: usize = SHARED + 11;
const SCALE: usize = SHARED + 12;
const COLOUR: usize = SHARED + 13;
/// So many frames a client remembers, as bases of others.
const HISTORY: u32 = 64;
/// So many players there are.
const PLAYERS: usize = 32;

const BYTE: Unit = Unit::Int(0, 0xff);
const SHORT: Unit = Unit::Int(-0x8000, 0x7fff);

/// Names of the fields, by number. Those from the velocity to the impulse are of players alone; a player's entity is his slot plus
/// one. The last are what FTE's first mask adds.
pub static SCENE_FIELDS: [Field; FIELDS] = [
    Field { name: "model", unit: Unit::Int(0, 0xffff) },
    Field { name: "frame", unit: BYTE },
    Field { name: "colormap", unit: BYTE },
    Field { name: "skin", unit: BYTE },
    Field { name: "effects", unit: Unit::Int(0, 0xffff) },
    Field { name: "origin_x", unit: Unit::Float },
    Field { name: "origin_y", unit: Unit::Float },
    Field { name: "origin_z", unit: Unit::Float },
    Field { name: "pitch", unit: Unit::Float },
    Field { name: "yaw", unit: Unit::Float },
    Field { name: "roll", unit: Unit::Float },
    Field { name: "velocity_x", unit: SHORT },
    Field { name: "velocity_y", unit: SHORT },
    Field { name: "velocity_z", unit: SHORT },
    Field { name: "msec", unit: BYTE },
    Field { name: "weaponframe", unit: BYTE },
    Field { name: "flags", unit: Unit::Int(0, 0xffff) },
    Field { name: "forward", unit: SHORT },
    Field { name: "side", unit: SHORT },
    Field { name: "up", unit: SHORT },
    Field { name: "buttons", unit: BYTE },
    Field { name: "impulse", unit: BYTE },
    Field { name: "alpha", unit: BYTE },
    Field { name: "scale", unit: BYTE },
    Field { name: "red", unit: BYTE },
    Field { name: "green", unit: BYTE },
    Field { name: "blue", unit: BYTE },
];

/// An entity of which nothing was ever said.
pub static NULL: [i32; FIELDS] = [0; FIELDS];

/// The name of a service of which something happens: see [`kit::Scene::event`].
pub fn event(service: u8) -> Option<&'static str> {
    match service {
        SVC_NOP | SVC_UPDATESTAT | SVC_UPDATESTATLONG | SVC_SPAWNBASELINE | SVC_PLAYERINFO => None,
        SVC_PACKETENTITIES | SVC_DELTAPACKETENTITIES | SVC_CHOKECOUNT | SVC_SPAWNBASELINE2 => None,
        _ => service_name(service),
    }
}

/// The state of one entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State([i32; FIELDS]);

impl kit::Record for State {
    const NULL: State = State(NULL);

    fn field_mut(&mut self, field: usize) -> Option<&mut i32> {
        self.0.get_mut(field)
    }
}

impl State {
    fn of(record: &Record) -> State {
        let mut state = State(NULL);
        state.0[..SHARED].copy_from_slice(&record[..SHARED]);
        state
    }

    fn update(&mut self, delta: &EntityDelta) {
        let effects = self.0[EFFECTS];
        for row in ENTITY_DELTA.present(delta.bits.into()) {
            let field = match row.field {
                RECORD_ALPHA => ALPHA,
                RECORD_SCALE => SCALE,
                shared => shared,
            };
            self.0[field] = delta.fields[row.field];
        }
        if delta.bits & (U_EFFECTS | U_EFFECTS16) != 0 {
            let low = if delta.bits & U_EFFECTS != 0 { delta.fields[EFFECTS] } else { effects } & 0xff;
            let high = if delta.bits & U_EFFECTS16 != 0 { delta.fields[EFFECTS] } else { effects } & 0xff00;
            self.0[EFFECTS] = high | low;
        }
        if delta.bits & U_COLOURMOD != 0 {
            self.0[COLOUR..COLOUR + 3].copy_from_slice(&delta.colour.map(i32::from));
        }
    }
}

/// What is held.
#[derive(Clone, Debug)]
pub struct Held {
    baselines: EntityList<State>,
    /// The entities of the newest packets, each with the number of its packet, by that number.
    frames: Vec<(u32, EntityList<State>)>,
    newest: Option<u32>,
    /// The number of the datagram that is being read.
    sequence: u32,
    /// The players of the newest datagram that has some.
    players: EntityList<State>,
    /// In the recording of a server: what was last said of each player.
    recorded: Vec<State>,
    /// Nothing of this datagram was about players so far.
    is_fresh: bool,
    stats: BTreeMap<(Option<u8>, u8), StatValue>,
    /// So often the statistics changed, this session's and those before.
    stats_version: u64,
    is_announced: bool,
    lacks_base: bool,
    /// Whether this is the recording of a server, in which each frame builds on the one before.
    by_server: bool,
}

impl Held {
    /// Before anything was said, in the recording of a client or of a server.
    pub fn new(by_server: bool) -> Held {
        Held {
            baselines: EntityList::default(),
            frames: (0..HISTORY).map(|_| (0, EntityList::default())).collect(),
            newest: None,
            sequence: 0,
            players: EntityList::default(),
            recorded: vec![State(NULL); PLAYERS],
            is_fresh: true,
            stats: BTreeMap::new(),
            stats_version: 0,
            is_announced: false,
            lacks_base: false,
            by_server,
        }
    }

    /// A datagram with this number begins.
    pub fn begin(&mut self, sequence: u32) {
        (self.sequence, self.is_fresh) = (sequence, true);
    }

    /// The number of the newest frame.
    pub fn frame(&self) -> Option<u32> {
        self.newest
    }

    /// Takes a message of the server, which it said to the players of `to`.
    pub fn said(&mut self, service: &Service<'_>) {
        match service {
            Service::ServerData(_) => {
                let (sequence, stats_version) = (self.sequence, self.stats_version + 1);
                *self = Held { is_announced: true, sequence, stats_version, ..Held::new(self.by_server) };
            }
            Service::SpawnBaseline { entity, fields } => self.baselines.put((*entity).into(), State::of(fields)),
            Service::SpawnBaselineDelta { delta } => {
                let mut state = State(NULL);
                state.update(delta);
                self.baselines.put(delta.entity.into(), state);
            }
            Service::PacketEntities { from, entities } => self.frame_comes(*from, entities),
            Service::PlayerInfo(info) => {
                self.players_come();
                self.players.put(u32::from(info.player) + 1, of_player(info));
            }
            Service::RecordedPlayer(player) => {
                self.players_come();
                if let Some(state) = self.recorded.get_mut(usize::from(player.player)) {
                    record(state, player);
                    self.players.put(u32::from(player.player) + 1, *state);
                }
            }
            _ => {}
        }
    }

    /// Takes a statistic of a player, who is somebody in the recording of a server.
    pub fn stat(&mut self, player: Option<u8>, stat: u8, value: StatValue) {
        let is_new = self.stats.insert((player, stat), value) != Some(value);
        self.stats_version += u64::from(is_new);
    }

    /// See [`kit::Scene::stats_version`].
    pub fn stats_version(&self) -> u64 {
        self.stats_version
    }

    /// Players that a frame does not mention are not seen.
    fn players_come(&mut self) {
        if std::mem::replace(&mut self.is_fresh, false) {
            self.players.clear();
        }
    }

    fn frame_comes(&mut self, from: Option<u8>, deltas: &[EntityDelta]) {
        self.players_come();
        let number = self.sequence;
        let slot = |number: u32| (number % HISTORY) as usize;
        let mut now = EntityList::default();
        self.lacks_base = false;
        if let Some(from) = from {
            // The number below this one that ends so.
            let back = number.wrapping_sub(from.into()) & 0xff;
            let base = match self.newest {
                Some(newest) if self.by_server => newest,
                _ => number.wrapping_sub(back),
            };
            match self.frames.get(slot(base)).filter(|(held, _)| *held == base && self.newest.is_some()) {
                Some((_, entities)) => now.copy_from(entities),
                None => self.lacks_base = true,
            }
        }
        for delta in deltas {
            let entity = delta.entity.into();
            if delta.removed() {
                now.remove(entity);
                continue;
            }
            let baseline = *self.baselines.get(entity).unwrap_or(&State(NULL));
            now.entry(entity, &baseline).update(delta);
        }
        if let Some(frame) = self.frames.get_mut(slot(number)) {
            *frame = (number, now);
        }
        self.newest = Some(number);
    }

    /// See [`kit::Scene::entities`].
    pub fn entities(&self, visit: &mut dyn FnMut(u32, &[i32])) {
        let held = self.newest.and_then(|newest| self.frames.get((newest % HISTORY) as usize));
        let mut players = self.players.iter().peekable();
        for (number, state) in held.iter().flat_map(|(_, entities)| entities.iter()) {
            while let Some((player, state)) = players.next_if(|(player, _)| *player < number) {
                visit(player, &state.0);
            }
            if players.peek().is_none_or(|(player, _)| *player != number) {
                visit(number, &state.0);
            }
        }
        players.for_each(|(player, state)| visit(player, &state.0));
    }

    /// See [`kit::Scene::stats`].
    pub fn stats(&self, visit: &mut dyn FnMut(Option<u8>, u8, StatValue)) {
        self.stats.iter().for_each(|((player, stat), value)| visit(*player, *stat, *value));
    }

    /// See [`kit::Scene::is_incomplete`].
    pub fn is_incomplete(&self) -> bool {
        !self.is_announced || self.lacks_base
    }
}

fn of_player(info: &PlayerInfo) -> State {
    let mut state = State(NULL);
    let fields = &mut state.0;
    fields[MODEL] = info.model.unwrap_or_default().into();
    (fields[FRAME], fields[SKIN], fields[EFFECTS]) = (info.frame.into(), info.skin.into(), info.effects.into());
    fields[ORIGIN..ORIGIN + 3].copy_from_slice(&info.origin);
    fields[VELOCITY..VELOCITY + 3].copy_from_slice(&info.velocity.map(i32::from));
    fields[MSEC] = info.msec.unwrap_or_default().into();
    (fields[WEAPONFRAME], fields[FLAGS]) = (info.weaponframe.into(), info.flags.into());
    (fields[ALPHA], fields[SCALE]) = (info.alpha.into(), info.scale.into());
    fields[COLOUR..COLOUR + 3].copy_from_slice(&info.colour.map(i32::from));
    if let Some(command) = &info.command {
        fields[ANGLES..ANGLES + 3].copy_from_slice(&command[CMD_ANGLES..CMD_ANGLES + 3]);
        (fields[FORWARD], fields[SIDE], fields[UP]) = (command[CMD_FORWARD], command[CMD_SIDE], command[CMD_UP]);
        (fields[BUTTONS], fields[IMPULSE]) = (command[CMD_BUTTONS], command[CMD_IMPULSE]);
    }
    state
}

/// Changes what was said of a player by what a server says anew.
fn record(state: &mut State, player: &RecordedPlayer) {
    let fields = &mut state.0;
    (fields[FRAME], fields[FLAGS]) = (player.frame.into(), player.flags.into());
    for axis in 0..3 {
        fields[ORIGIN + axis] = player.origin[axis].unwrap_or(fields[ORIGIN + axis]);
        fields[ANGLES + axis] = player.angles[axis].unwrap_or(fields[ANGLES + axis]);
    }
    for (field, said) in
        [(MODEL, player.model), (SKIN, player.skin), (EFFECTS, player.effects), (WEAPONFRAME, player.weaponframe)]
    {
        fields[field] = said.map_or(fields[field], i32::from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{U_FRAME, U_REMOVE};

    fn shown(held: &Held) -> Vec<(u32, i32)> {
        let mut all = Vec::new();
        held.entities(&mut |number, fields| all.push((number, fields[FRAME])));
        all
    }

    fn delta(entity: u16, frame: Option<i32>) -> EntityDelta {
        let mut fields = [0; netquake::update::FIELDS];
        fields[FRAME] = frame.unwrap_or_default();
        EntityDelta { entity, bits: if frame.is_some() { U_FRAME } else { U_REMOVE }, fields, colour: [0; 3] }
    }

    fn frame(held: &mut Held, sequence: u32, from: Option<u8>, entities: Vec<EntityDelta>) {
        held.begin(sequence);
        held.said(&Service::PacketEntities { from, entities });
    }

    #[test]
    fn a_frame_is_that_which_it_builds_on_with_its_differences() {
        let mut held = Held::new(false);
        frame(&mut held, 300, None, vec![delta(40, Some(1)), delta(50, Some(2))]);
        frame(&mut held, 301, Some(300_u32 as u8), vec![delta(40, Some(3))]);
        assert_eq!(shown(&held), [(40, 3), (50, 2)]);
        // It builds on the first, of which the second changes nothing.
        frame(&mut held, 302, Some(300_u32 as u8), vec![delta(50, None), delta(60, Some(4))]);
        assert_eq!(shown(&held), [(40, 1), (60, 4)]);
        assert!(!held.lacks_base);
        frame(&mut held, 303, Some(7), vec![delta(60, Some(5))]);
        assert_eq!((shown(&held), held.is_incomplete()), (vec![(60, 5)], true));
    }

    #[test]
    fn players_are_entities_and_those_that_a_frame_does_not_mention_are_not_seen() {
        let mut held = Held::new(true);
        let say = |held: &mut Held, player: u8, frame: u8| {
            held.said(&Service::RecordedPlayer(RecordedPlayer { player, frame, ..RecordedPlayer::default() }));
        };
        held.begin(1);
        say(&mut held, 0, 5);
        say(&mut held, 3, 6);
        assert_eq!(shown(&held), [(1, 5), (4, 6)]);
        held.begin(2);
        say(&mut held, 3, 7);
        held.said(&Service::PacketEntities { from: None, entities: vec![delta(2, Some(9)), delta(40, Some(8))] });
        assert_eq!(shown(&held), [(2, 9), (4, 7), (40, 8)]);
    }
}
