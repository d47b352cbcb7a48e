//! A frame that was sent against the world that it is of, field by field, at the precision of the wire: what differs, as
//! data.

use super::context::Assigned;
use super::model::Frame;
use super::truth::Snapshot;
use crate::wire::constants::*;
use crate::wire::delta::{self, ENTITY_ROWS};
use crate::wire::dialect::Dialect;
use crate::wire::state::*;
use kit::table::{Kind, float_value};
use std::fmt;

/// Entities of a frame beyond which a server may leave some out.
pub const MANY_ENTITIES: usize = 100;
/// Steps of a coordinate or an angle that rounding may make; engines cut off or round.
const ROUNDING: i64 = 1;

/// What of a frame is not as the world is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// An entity that the world does not have.
    Extra(u32),
    /// An entity of the world that the frame does not have.
    Missing(u32),
    /// A field of an entity: what it is, and what was sent.
    Entity(u32, usize, [i32; 2]),
    /// A field of the player, statistics from [`STATS`] on: what it is, and what was sent.
    Player(usize, [i32; 2]),
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Mismatch::Extra(number) => write!(f, "entity {number} is in the frame, but not in the world"),
            Mismatch::Missing(number) => write!(f, "entity {number} is in the world, but not in the frame"),
            Mismatch::Entity(number, field, [is, sent]) => {
                write!(f, "entity {number}: {}", differs(field, is, sent))
            }
            Mismatch::Player(field, [is, sent]) => match field.checked_sub(STATS) {
                Some(stat) => write!(f, "statistic {stat} is {is}, sent as {sent}"),
                None => write!(f, "{} is {is}, sent as {sent}", stat_name(field)),
            },
        }
    }
}

/// A frame, and what is known of the client whose frame it is.
#[derive(Clone, Copy)]
pub struct Sent<'a> {
    /// The frame.
    pub frame: &'a Frame,
    /// What it builds on.
    pub base: Option<&'a Frame>,
    /// The dialect.
    pub dialect: &'a Dialect,
    /// The client.
    pub client: u16,
    /// Number of clients of the run, whose entities move by themselves.
    pub clients: u32,
    /// Its player may have moved.
    pub moved: bool,
    /// It has asked not to be sent its weapon or its blend.
    pub spared: bool,
    /// It has announced that it records.
    pub records: bool,
    /// What of the entities did not fit may be missing.
    pub shortened: bool,
    /// The numbers that the server has given to its clients.
    pub assigned: &'a [Assigned],
    /// Somebody else runs the server: it may leave out what has no model, wherever that is.
    pub remote: bool,
}

impl Sent<'_> {
    /// What differs from the state of the world that fits best.
    pub fn against<'w>(&self, states: impl Iterator<Item = Snapshot<'w>>) -> Vec<Mismatch> {
        let mut best: Option<Vec<Mismatch>> = None;
        for state in states {
            let mut wrong = if self.shortened { Vec::new() } else { self.entities(&state) };
            wrong.extend(self.player(&state));
            if wrong.is_empty() {
                return wrong;
            }
            if best.as_ref().is_none_or(|best| wrong.len() < best.len()) {
                best = Some(wrong);
            }
        }
        best.unwrap_or_default()
    }

    fn entities(&self, world: &Snapshot<'_>) -> Vec<Mismatch> {
        let frame = self.frame;
        let mut wrong = Vec::new();
        for (number, sent) in frame.entities.iter() {
            let is_player = number <= self.clients;
            let Some(is) = world.live.get(host_of(self.assigned, number)).map(|live| &live.entity) else {
                if !is_player {
                    wrong.push(Mismatch::Extra(number));
                }
                continue;
            };
            // Most are as in the world, but for where they come from, which is judged of beams alone.
            let same = sent.0[..OLD_ORIGIN_X] == is.0[..OLD_ORIGIN_X] && sent.0[SOUND..] == is.0[SOUND..];
            if same && !sent.is_beam() {
                continue;
            }
            for field in (0..FIELDS).filter(|&field| sent[field] != is[field]) {
                if !(is_player && is_place(field))
                    && self.is_wrong(field, number, sent, is)
                    && sent[field] != delta::quantised_field(field, is[field], self.dialect.gate())
                {
                    wrong.push(Mismatch::Entity(number, field, [is[field], sent[field]]));
                }
            }
        }
        let missing = |number: u32, is: &Entity| {
            let there = frame.entities.get(number).is_some() || number <= self.clients || number >= MAX_EDICTS;
            !(there || shows_nothing(is) || self.remote && is[MODEL] == 0)
        };
        if frame.entities.numbers() != world.live.numbers() && world.live.len() <= MANY_ENTITIES {
            let missing = world.live.iter().filter(|(number, live)| missing(*number, &live.entity));
            wrong.extend(missing.map(|(number, _)| Mismatch::Missing(number)));
        }
        wrong
    }

    /// Whether a field of an entity is wrong if it was not sent as the wire rounds it.
    fn is_wrong(&self, field: usize, number: u32, sent: &Entity, is: &Entity) -> bool {
        if OLD_ORIGIN.contains(&field) {
            // Where something comes from is the server's choice for what is no beam; a beam has its other end there.
            let beam = sent.is_beam() && is.is_beam() && !self.frame.doubtful.contains_key(&number);
            return beam && !near(field, sent[field], is[field]);
        }
        let long_solid = self.dialect.is_r1q2() && self.dialect.minor >= MINOR_SOLID;
        match field {
            // It happens once, and a server may have sent it before.
            EVENT if sent[field] == 0 => false,
            // How it is put into 16 or 32 bits is the server's choice.
            SOLID => sent[SOLID] & 0xffff != is[SOLID] & 0xffff && is[SOLID] <= 0xffff && !long_solid,
            _ => !near(field, sent[field], is[field]),
        }
    }

    fn player(&self, world: &Snapshot<'_>) -> Vec<Mismatch> {
        let Some(is) = world.live.get(u32::from(self.client)).map(|live| &live.player) else { return Vec::new() };
        let (sent, before) = (&self.frame.player, self.base.map_or(&Player::NULL, |base| &base.player));
        let leaves_angles = is[PM_TYPE] < PM_DEAD && self.dialect.has_settings() && !self.records;
        let excused = |field: usize| match field {
            VIEW_PITCH..=VIEW_ROLL => leaves_angles,
            // Q2PRO leaves them as they are for the dead, who do not turn and are sent where they look.
            DELTA_PITCH..=DELTA_ROLL => self.remote && is[PM_TYPE] >= PM_DEAD && self.dialect.is_r1q2(),
            PM_ORIGIN_X..=PM_VELOCITY_Z | PM_TIME..=PM_FLAGS => self.moved,
            GUNINDEX..=GUN_ROLL | BLEND_R..=BLEND_A if self.spared => true,
            // A server may look at them only when the weapon's frame changes.
            GUNOFFSET_X..=GUN_ROLL => before[field] == sent[field] && before[GUNFRAME] == sent[GUNFRAME],
            _ => false,
        };
        let fields = (0..STATS).filter(|&field| sent[field] != is[field] && !excused(field));
        let fields = fields.map(|field| Mismatch::Player(field, [is[field], sent[field]]));
        let stats = world.stats.get(&self.client).unwrap_or(&[0; MAX_STATS]);
        let stats = sent.stats().iter().zip(stats).enumerate().filter(|(_, (sent, is))| sent != is);
        fields.chain(stats.map(|(stat, (sent, is))| Mismatch::Player(STATS + stat, [*is, *sent]))).collect()
    }
}

/// The entity of a scenario that has this number on the wire: that of client N is the one of the number that N was given.
pub fn host_of(assigned: &[Assigned], number: u32) -> u32 {
    let is_given = |it: &&Assigned| i64::from(it.playernum) + 1 == i64::from(number);
    assigned.iter().find(is_given).map_or(number, |it| it.host.0.into())
}

/// Whether an entity is nothing that shows, so that a server may leave it out.
fn shows_nothing(entity: &Entity) -> bool {
    [MODEL, MODEL2, MODEL3, MODEL4, EFFECTS, SOUND, EVENT].iter().all(|&field| entity[field] == 0)
}

/// Whether a field says where an entity is, which is the server's choice for players.
fn is_place(field: usize) -> bool {
    ORIGIN.contains(&field) || OLD_ORIGIN.contains(&field) || [PITCH, YAW, ROLL].contains(&field)
}

/// What of a baseline is not as the scenario has it. Where an entity was, and what happens to it, are the server's
/// choice; so is where players are, who move before anybody sees them.
/// A server that somebody else runs makes baselines of what there is: what a field has been since the map began `fits`, too.
pub fn baseline(
    sent: &Entity,
    is: &Entity,
    of_player: bool,
    dialect: &Dialect,
    has_been: impl Fn(usize, &dyn Fn(i32) -> bool) -> bool,
) -> Option<String> {
    let quantised = delta::quantised(is, dialect.gate());
    let excused = |field: usize| {
        let free = OLD_ORIGIN.contains(&field) || [EVENT, SOLID].contains(&field);
        free || of_player && (is_place(field) || field == FRAME)
    };
    let fits = |field: usize, is: i32| {
        sent[field] == delta::quantised_field(field, is, dialect.gate()) || near(field, sent[field], is)
    };
    let wrong = |field: &usize| {
        sent[*field] != quantised[*field]
            && !near(*field, sent[*field], is[*field])
            && !has_been(*field, &|is| fits(*field, is))
    };
    (0..FIELDS).filter(wrong).find(|&field| !excused(field)).map(|field| differs(field, is[field], sent[field]))
}

/// How a field differs, for a person.
fn differs(field: usize, is: i32, sent: i32) -> String {
    let Some(row) = FIELD_TABLE.get(field) else { return String::new() };
    if row.unit == kit::Unit::Float {
        format!("{} is {}, sent as {}", row.name, float_value(is), float_value(sent))
    } else {
        format!("{} is {is}, sent as {sent}", row.name)
    }
}

/// Whether a float was rounded another way.
fn near(field: usize, sent: i32, is: i32) -> bool {
    let steps = |scale: f32| {
        let steps = |value: i32| (float_value(value) * scale) as i64;
        steps(sent).abs_diff(steps(is)) as i64
    };
    let kind = ENTITY_ROWS.iter().find(|row| row.field == field).and_then(|row| row.forms.last()).map(|form| form.kind);
    match kind {
        Some(Kind::Coord16) => {
            let exact = float_value(is) * 8.0;
            exact.fract() != 0.0 && steps(8.0) <= ROUNDING
        }
        Some(Kind::Angle8) => {
            let exact = float_value(is) * (256.0 / 360.0);
            let apart = steps(256.0 / 360.0).rem_euclid(256);
            exact.fract() != 0.0 && (apart <= ROUNDING || apart >= 256 - ROUNDING) || apart == 0
        }
        _ => false,
    }
}
