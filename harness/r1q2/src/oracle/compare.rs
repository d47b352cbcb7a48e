//! A frame that was sent against the world that it is of, field by field, at the precision of the wire.

use super::image::Held;
use super::truth::Snapshot;
use crate::requirements::*;
use crate::wire::constants::*;
use crate::wire::delta::{self, ENTITY_ROWS};
use crate::wire::dialect::Dialect;
use crate::wire::state::*;
use kit::Requirement;
use kit::table::{Kind, float_value};

/// Entities of a frame beyond which a server may leave some out.
const MANY_ENTITIES: usize = 100;
/// Steps of a coordinate or an angle that rounding may make; engines cut off or round.
const ROUNDING: i64 = 1;

/// What is known of the client whose frame it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Looker {
    /// The client.
    pub client: u16,
    /// Number of clients of the run, whose entities move by themselves.
    pub clients: u32,
    /// Its player may have moved.
    pub moved: bool,
    /// It has asked to be spared its weapon or its blend.
    pub spared: bool,
}

/// A field that is not as it should be.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// The field of the player that it is about.
    pub field: Option<usize>,
    /// What it breaks.
    pub requirement: &'static Requirement,
    /// What is wrong.
    pub what: String,
}

/// What is wrong with a frame, against the state of the world that fits it best.
pub fn against(
    held: &Held,
    base: Option<&Held>,
    states: &[&Snapshot],
    looker: &Looker,
    dialect: &Dialect,
) -> Vec<Mismatch> {
    let mut best: Option<Vec<Mismatch>> = None;
    for state in states {
        let wrong = one(held, base, state, looker, dialect);
        if wrong.is_empty() {
            return wrong;
        }
        if best.as_ref().is_none_or(|best| wrong.len() < best.len()) {
            best = Some(wrong);
        }
    }
    best.unwrap_or_default()
}

fn one(held: &Held, base: Option<&Held>, truth: &Snapshot, looker: &Looker, dialect: &Dialect) -> Vec<Mismatch> {
    let mut wrong = Vec::new();
    entities(held, truth, looker, dialect, &mut wrong);
    player(held, base, truth, looker, dialect, &mut wrong);
    wrong
}

/// Whether an entity is nothing that shows, so that a server may leave it out.
fn shows_nothing(entity: &Entity) -> bool {
    [MODEL, MODEL2, MODEL3, MODEL4, EFFECTS, SOUND, EVENT].iter().all(|&field| entity[field] == 0)
}

fn entities(held: &Held, truth: &Snapshot, looker: &Looker, dialect: &Dialect, wrong: &mut Vec<Mismatch>) {
    let is_player = |number: u32| number <= looker.clients;
    let mut find = |requirement, what| wrong.push(Mismatch { field: None, requirement, what });
    for (number, state) in held.entities.iter() {
        let Some(thing) = truth.live.get(number) else {
            if !is_player(number) {
                find(&GEN_02, format!("entity {number} is in frame {}, but not in the world", held.number));
            }
            continue;
        };
        let quantised = delta::quantised(&thing.entity, dialect.gate());
        for field in (0..FIELDS).filter(|&field| state[field] != quantised[field]) {
            if let Some(requirement) = field_breaks(field, number, state, &thing.entity, held, dialect) {
                let moves =
                    ORIGIN.contains(&field) || OLD_ORIGIN.contains(&field) || [PITCH, YAW, ROLL].contains(&field);
                if is_player(number) && moves {
                    continue;
                }
                let name = FIELD_TABLE.get(field).map_or("", |field| field.name);
                let (told, is) = (shown(field, state[field]), shown(field, thing.entity[field]));
                let number_of_frame = held.number;
                find(
                    requirement,
                    format!("entity {number} of frame {number_of_frame}: {name} is {is}, told as {told}"),
                );
            }
        }
    }
    if truth.live.len() > MANY_ENTITIES {
        return;
    }
    for (number, thing) in truth.live.iter() {
        let there = held.entities.get(number).is_some() || is_player(number) || number >= MAX_EDICTS;
        if !there && !shows_nothing(&thing.entity) {
            find(&GEN_02, format!("entity {number} is in the world, but not in frame {}", held.number));
        }
    }
}

/// A value as a person reads it.
fn shown(field: usize, value: i32) -> String {
    match FIELD_TABLE.get(field).map(|field| field.unit) {
        Some(kit::Unit::Float) => float_value(value).to_string(),
        _ => value.to_string(),
    }
}

/// The requirement that a field of an entity breaks which is not told as the wire rounds it, if it breaks one.
fn field_breaks(
    field: usize,
    number: u32,
    told: &Entity,
    is: &Entity,
    held: &Held,
    dialect: &Dialect,
) -> Option<&'static Requirement> {
    if OLD_ORIGIN.contains(&field) {
        // Where something comes from is the server's to say for what is no beam; a beam has its other end there.
        let beam = told.is_beam() && is.is_beam() && !held.doubtful.contains_key(&number);
        return (beam && !near(field, told[field], is[field])).then_some(&ENT_04);
    }
    match field {
        // It happens once, and a server may have told it before.
        EVENT if told[field] == 0 => None,
        // How it is put into 16 or 32 bits is the server's to say.
        SOLID => (told[SOLID] & 0xffff != is[SOLID] & 0xffff && is[SOLID] <= 0xffff && !has_long_solid(dialect))
            .then_some(&GEN_02),
        _ => (!near(field, told[field], is[field])).then_some(&GEN_02),
    }
}

/// What of a baseline is not as the scenario has it: field, what it is, what it is told as. Where an entity was, and what
/// happens to it, are the server's to say; so is where players are, who move before anybody sees them.
pub fn baseline(told: &Entity, is: &Entity, of_player: bool, dialect: &Dialect) -> Vec<(&'static str, String, String)> {
    let quantised = delta::quantised(is, dialect.gate());
    let wrong = |field: &usize| {
        let field = *field;
        let free = OLD_ORIGIN.contains(&field) || [EVENT, SOLID].contains(&field);
        let moves = ORIGIN.contains(&field) || [PITCH, YAW, ROLL, FRAME].contains(&field);
        let excused = free || of_player && moves;
        !excused && told[field] != quantised[field] && !near(field, told[field], is[field])
    };
    let fields = (0..FIELDS).filter(wrong);
    let name = |field: usize| FIELD_TABLE.get(field).map_or("", |field| field.name);
    fields.map(|field| (name(field), shown(field, is[field]), shown(field, told[field]))).collect()
}

fn has_long_solid(dialect: &Dialect) -> bool {
    dialect.is_r1q2() && dialect.minor >= MINOR_SOLID
}

/// Whether a float was rounded another way.
fn near(field: usize, told: i32, is: i32) -> bool {
    let steps = |scale: f32| {
        let steps = |value: i32| (float_value(value) * scale) as i64;
        steps(told).abs_diff(steps(is)) as i64
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

/// Fields that a client can ask to be spared.
fn is_spared(field: usize) -> bool {
    (GUNINDEX..=GUN_ROLL).contains(&field) || (BLEND_R..=BLEND_A).contains(&field)
}

fn player(
    held: &Held,
    base: Option<&Held>,
    truth: &Snapshot,
    looker: &Looker,
    dialect: &Dialect,
    wrong: &mut Vec<Mismatch>,
) {
    let Some(thing) = truth.live.get(u32::from(looker.client)) else { return };
    let is = &thing.player;
    let living = is[PM_TYPE] < PM_DEAD;
    let told = &held.player;
    let swapped = told.0.get(GUNOFFSET_X..=GUNOFFSET_Z) == is.0.get(GUN_PITCH..=GUN_ROLL)
        && told.0.get(GUN_PITCH..=GUN_ROLL) == is.0.get(GUNOFFSET_X..=GUNOFFSET_Z);
    for field in 0..STATS {
        if told[field] == is[field] || is_spared(field) && looker.spared {
            continue;
        }
        let view = (VIEW_PITCH..=VIEW_ROLL).contains(&field);
        let place = (PM_ORIGIN_X..=PM_VELOCITY_Z).contains(&field) || (PM_TIME..=PM_FLAGS).contains(&field);
        if view && living || place && looker.moved {
            continue;
        }
        // A server may look at them only when the weapon's frame changes.
        let weapon = (GUNOFFSET_X..=GUN_ROLL).contains(&field);
        let before = base.map_or(&Player::NULL, |base| &base.player);
        let stale = before[field] == told[field] && before[GUNFRAME] == told[GUNFRAME];
        if weapon && stale {
            continue;
        }
        let requirement = match swapped && weapon {
            true => &PS_01,
            false => player_breaks(field, held, dialect),
        };
        let name = PLAYER_TABLE.get(field).map_or("", |field| field.name);
        wrong.push(Mismatch {
            field: Some(field),
            requirement,
            what: format!("frame {}: {name} is {}, told as {}", held.number, is[field], told[field]),
        });
    }
    let none = [0; MAX_STATS];
    let stats = truth.stats.get(&looker.client).unwrap_or(&none);
    for (stat, (told, is)) in told.stats().iter().zip(stats).enumerate() {
        if told != is {
            let requirement = if dialect.is_r1q2() { &PS_06 } else { &PS_07 };
            let what = format!("frame {}: statistic {stat} is {is}, told as {told}", held.number);
            wrong.push(Mismatch { field: Some(STATS + stat), requirement, what });
        }
    }
}

/// What a field of the player breaks that is not as it should be.
pub fn player_breaks(field: usize, held: &Held, dialect: &Dialect) -> &'static Requirement {
    let split = match field {
        PM_ORIGIN_X..=PM_ORIGIN_Z => Some((&PS_02, PM_ORIGIN_Z)),
        PM_VELOCITY_X..=PM_VELOCITY_Z => Some((&PS_03, PM_VELOCITY_Z)),
        VIEW_PITCH..=VIEW_ROLL => Some((&PS_04, VIEW_ROLL)),
        GUNFRAME..=GUN_ROLL => Some((&PS_05, field)),
        STATS.. => Some((&PS_06, field)),
        _ => None,
    };
    match split {
        Some((_, part)) if part == field && !dialect.is_r1q2() => &PS_07,
        Some((requirement, part)) if part == field => requirement,
        _ if held.base.is_none() => &PS_09,
        _ => &GEN_02,
    }
}
