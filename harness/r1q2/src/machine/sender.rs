//! What a server sends to one client of the world: the frames, and what it remembers of them.

pub mod rules;

use crate::machine::latitude::{Latitude, OldOrigins};
use crate::machine::world::World;
use crate::wire::constants::*;
use crate::wire::delta;
use crate::wire::dialect::Dialect;
use crate::wire::entities;
use crate::wire::frame::{self, FrameStart};
use crate::wire::player;
use crate::wire::state::*;
use kit::Writer;
use kit::table::Kind;
pub use rules::ServerRules;
use std::ops::RangeInclusive;

/// Frames that the rate of a client is spread over.
pub const RATE_MESSAGES: usize = 10;

/// The weapon's offset and angles.
const WEAPON: RangeInclusive<usize> = GUNOFFSET_X..=GUN_ROLL;

/// A frame as its client holds it, once it has it.
#[derive(Clone, Debug)]
pub struct Sent {
    /// Its number; 0 for none.
    number: i32,
    player: Player,
    entities: EntityList,
}

/// The world at a tick.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// What there is.
    pub world: &'a World,
    /// What there was at the tick before.
    pub before: &'a EntityList,
    /// The number of the server's frame.
    pub number: i32,
}

/// What a frame has beside the world.
#[derive(Clone, Copy, Debug)]
pub struct Viewer<'a> {
    /// The client's entity.
    pub entity: u32,
    /// Its statistics.
    pub stats: &'a [i32; MAX_STATS],
    /// The areas that it sees.
    pub area_bits: &'a [u8],
    /// Whether it is sent its view angles while it lives.
    pub records: bool,
    /// The baselines that it was sent.
    pub baselines: &'a EntityList,
    /// How many bytes the frame may have: what does not fit stays as the client has it. `None` for any number.
    pub room: Option<usize>,
}

/// Sends frames to one client.
#[derive(Debug)]
pub struct Sender {
    history: Vec<Sent>,
    /// The memory of a list that is in the history no more.
    spare: EntityList,
    /// The frame that was acknowledged last; 0 for none.
    pub(crate) acknowledged: i32,
    /// The newest frame that was sent; 0 before the first.
    newest: i32,
    /// Frames held back since then.
    held_back: u32,
    /// Bytes of the last frames, by number.
    sizes: [usize; RATE_MESSAGES],
}

/// The largest of whole numbers that a player's field can have on the wire, and the like: a value as the wire has it.
fn quantised_player(player: &Player) -> Player {
    let mut quantised = *player;
    for row in &player::PLAYER_ROWS {
        if let Some(form) = row.forms.last() {
            quantised[row.field] = form.kind.quantise(quantised[row.field]);
        }
    }
    for stat in &mut quantised.0[STATS..] {
        *stat = Kind::I16.quantise(*stat);
    }
    quantised
}

impl Default for Sender {
    fn default() -> Sender {
        let nothing = Sent { number: 0, player: Player::NULL, entities: EntityList::default() };
        Sender {
            history: vec![nothing; HISTORY],
            spare: EntityList::default(),
            acknowledged: 0,
            newest: 0,
            held_back: 0,
            sizes: [0; RATE_MESSAGES],
        }
    }
}

impl Sender {
    /// What stands in the slot of the frame that was acknowledged last, with that frame's number, if it is fewer than
    /// `age` frames older than frame `number`.
    pub(crate) fn acknowledged_slot(&self, number: i32, age: i32) -> Option<(i32, &Sent)> {
        let near = self.acknowledged > 0 && number.wrapping_sub(self.acknowledged) < age;
        near.then(|| (self.acknowledged, &self.history[self.acknowledged as usize % HISTORY]))
    }

    /// Frame `number`, if it is still in the history.
    pub(crate) fn held(&self, number: i32) -> Option<&Sent> {
        Some(&self.history[number as usize % HISTORY]).filter(|sent| sent.number == number)
    }

    /// Whether frame `number` would exceed so many bytes a second, and is held back.
    pub fn hold_back(&mut self, number: i32, rate: u32) -> bool {
        let current = number as usize % RATE_MESSAGES;
        self.sizes[current] = 0;
        let full = self.sizes.iter().sum::<usize>() > rate as usize;
        self.held_back += u32::from(full);
        full
    }

    /// Frame `number` was not sent for another reason.
    pub fn left_out(&mut self) {
        self.held_back += 1;
    }

    /// Frame `number`, written last, was not sent, and is built on as if its client had it.
    pub fn pretend(&mut self, number: i32) {
        self.left_out();
        (self.newest, self.acknowledged) = (number, number);
    }

    /// Frame `number`, written last, was sent in a datagram with so many bytes of payload.
    pub fn sent(&mut self, number: i32, bytes: usize) {
        self.newest = number;
        self.sizes[number as usize % RATE_MESSAGES] = bytes;
        self.held_back = 0;
    }

    /// Writes the frame of `scene`, on the newest frame that the client is known to have.
    pub fn write(
        &mut self,
        w: &mut Writer<'_>,
        scene: &Scene<'_>,
        viewer: &Viewer<'_>,
        age: i32,
        dialect: &Dialect,
        rules: &ServerRules,
    ) {
        let number = scene.number;
        if has_begun_anew(self.newest, number) {
            // A reader subtracts distances, and would come to no frame.
            self.acknowledged = 0;
        }
        let mut entities = std::mem::take(&mut self.spare);
        entities.clear();
        entities.reserve(scene.world.live.len());
        let base = (rules.base)(self, number, rules.latitude.base_age.unwrap_or(age));
        let newest = &self.history[self.newest as usize % HISTORY];
        let base_player = (rules.player_base)(base.map(|(_, base)| &base.player), &newest.player);
        let mut player = look(scene.world, viewer, &base_player, dialect);
        if rules.latitude.weapon_with_frame && player[GUNFRAME] == base_player[GUNFRAME] {
            player.0[WEAPON].copy_from_slice(&base_player.0[WEAPON]);
        }
        let mut flags = player::diff(&base_player, &player, dialect);
        flags.ps |= rules.latitude.ps_flags;
        flags.eps = match dialect.is_r1q2() {
            true => flags.eps | rules.latitude.eps_flags,
            false => player::Flags::implied(flags.ps),
        };
        let start = FrameStart {
            number,
            delta: base.map_or(NO_DELTA, |(named, _)| named),
            // R1Q2-FRM-06
            suppress: self.held_back.min(if dialect.is_r1q2() { rules.latitude.most_held_back } else { u8::MAX }.into())
                as u8,
            extra: if dialect.is_r1q2() { flags.eps } else { 0 },
            area_bits: viewer.area_bits,
        };
        start.write(w, dialect);
        player::write(w, rules.player_table, flags, &player, dialect);
        frame::write_entities_start(w, dialect);
        write_entities(w, scene, base.map(|(_, base)| &base.entities), viewer, dialect, rules, &mut entities);
        let sent = &mut self.history[number as usize % HISTORY];
        self.spare = std::mem::replace(sent, Sent { number, player, entities }).entities;
    }
}

/// A client acknowledges a frame, 0 or less for none: the newest counts of those that were sent.
pub fn acknowledge(sender: &mut Sender, frame: i32, latitude: &Latitude) {
    let unknown = frame > sender.newest;
    if frame <= 0 || unknown && latitude.unknown_is_none {
        sender.acknowledged = 0;
    } else if !unknown && (frame >= sender.acknowledged || latitude.acks_go_back) {
        sender.acknowledged = frame;
    }
}

/// The frame that frame `number` builds on, under the number that it names: the one that was acknowledged last, if that
/// is fewer than `age` frames older, and still in the history.
pub fn base(sender: &Sender, number: i32, age: i32) -> Option<(i32, &Sent)> {
    // R1Q2-FRM-04
    sender.acknowledged_slot(number, age).filter(|(acknowledged, sent)| sent.number == *acknowledged)
}

/// The state of the player who looks, as its client will hold it.
fn look(world: &World, viewer: &Viewer<'_>, base: &Player, dialect: &Dialect) -> Player {
    let mut player = world.live.get(viewer.entity).map_or(Player::NULL, |live| live.player);
    player.0[STATS..].copy_from_slice(viewer.stats);
    let mut player = quantised_player(&player);
    if dialect.has_settings() && player[PM_TYPE] < PM_DEAD && !viewer.records {
        for angle in [VIEW_PITCH, VIEW_YAW, VIEW_ROLL] {
            player[angle] = base[angle];
        }
    }
    player
}

/// What a client makes of an entity of the base that a frame does not mention.
fn unmentioned(known: &Entity, gate: u64) -> Entity {
    let mut now = *known;
    let old = delta::omitted_old_origin(known, known, gate);
    OLD_ORIGIN.into_iter().zip(old).for_each(|(field, value)| now[field] = value);
    now[EVENT] = 0;
    now
}

/// Writes the entities of a frame, and puts what its client will hold into `held`, which is empty.
fn write_entities(
    w: &mut Writer<'_>,
    scene: &Scene<'_>,
    base: Option<&EntityList>,
    viewer: &Viewer<'_>,
    dialect: &Dialect,
    rules: &ServerRules,
    held: &mut EntityList,
) {
    let (gate, baselines) = (dialect.gate(), viewer.baselines);
    // Where an entry does not fit that was begun at `start`, it is taken back.
    let keeps = |w: &mut Writer<'_>, start: usize| {
        let fits = viewer.room.is_none_or(|room| w.len() + delta::END_BYTES <= room);
        if !fits {
            w.truncate(start);
        }
        fits
    };
    let remove = |w: &mut Writer<'_>, held: &mut EntityList, number: u32| {
        let start = w.len();
        delta::write_remove(w, number);
        if !keeps(w, start)
            && let Some(known) = base.and_then(|base| base.get(number))
        {
            held.put(number, unmentioned(known, gate));
        }
    };
    let mut gone = base.map(EntityList::numbers).unwrap_or_default().iter().copied().peekable();
    for (number, live) in scene.world.live.iter().filter(|(number, _)| *number < MAX_EDICTS) {
        while let Some(removed) = gone.next_if(|&removed| removed < number) {
            remove(w, held, removed);
        }
        gone.next_if_eq(&number);
        let known = base.and_then(|base| base.get(number));
        let from = entities::start(known, baselines, number);
        let mut now = delta::quantised(&live.entity, gate);
        if now[RENDERFX] & (RF_BEAM | RF_FRAMELERP) == 0 {
            let origin = match known {
                Some(known) => *known,
                None => delta::quantised(scene.before.get(number).unwrap_or(&live.entity), gate),
            };
            for (old, axis) in OLD_ORIGIN.into_iter().zip(ORIGIN) {
                now[old] = origin[axis];
            }
        }
        let bits = (rules.changes)(known, from, &now, dialect, &rules.latitude);
        if known.is_none() || bits != 0 {
            let start = w.len();
            delta::write_entry(w, number, bits, &now, gate);
            if !keeps(w, start) {
                if let Some(known) = known {
                    held.put(number, unmentioned(known, gate));
                }
                continue;
            }
        }
        held.put(number, now);
    }
    gone.for_each(|removed| remove(w, held, removed));
    delta::write_end(w);
}

/// The bits with which an entity is sent that is a change of `from`; `known` is what the client holds of it, if it does.
pub fn changes(known: Option<&Entity>, from: &Entity, now: &Entity, dialect: &Dialect, latitude: &Latitude) -> u64 {
    let bits = delta::diff(from, now, dialect.gate());
    if latitude.widest && bits != 0 {
        delta::WIDEST
    } else if sends_old_origin(known, from, now, dialect, latitude) {
        bits | U_OLDORIGIN
    } else {
        bits
    }
}

/// Whether an old origin is sent even if it is what the client would take anyway.
fn sends_old_origin(
    known: Option<&Entity>,
    from: &Entity,
    now: &Entity,
    dialect: &Dialect,
    latitude: &Latitude,
) -> bool {
    let changes_kind = known.is_none() && now.is_beam() || known.is_some() && from.is_beam() != now.is_beam();
    let taken = match latitude.old_origins {
        OldOrigins::Needed => false,
        OldOrigins::BeamsForEitherReading => changes_kind,
        OldOrigins::New => known.is_none(),
        OldOrigins::Beams => now.is_beam(),
    };
    taken
        || now[RENDERFX] & RF_FRAMELERP != 0
        // R1Q2-ENT-04
        || now.is_beam() && !dialect.is_r1q2()
        || known.is_none() && !dialect.is_r1q2()
}
