//! What a receiver of the base protocol's messages sees: entities over their baselines, and who it is.

use crate::state::{Entity, EntityList, FIELDS};
use kit::Record;
use kit::table::float_value;
use netquake::Service;
use netquake::update::{ANGLES, EFFECTS, ORIGIN, ORIGIN_SLACK};

/// Coords go around after so many units.
const COORDS: f64 = 8192.0;
/// A coord on the wire is within a step of an eighth of what the server has.
const COORD_SLACK: f64 = 0.125 + ORIGIN_SLACK;
/// The same of an angle, in degrees: engines cut and round.
const ANGLE_SLACK: f64 = 360.0 / 256.0 + 0.01;

/// What was received of the world.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scene {
    baselines: EntityList,
    /// An entity whose baseline was sent more than once.
    pub announced_twice: Option<u32>,
    /// The entities of the newest frame.
    pub entities: EntityList,
    /// The entity that the receiver sees through.
    pub own_entity: u32,
    /// The newest time: the bits of an `f32`.
    pub time: i32,
}

impl Scene {
    /// A frame begins: what it does not have is not there.
    pub fn begin_frame(&mut self) {
        self.entities.clear();
    }

    /// Takes a message.
    pub fn take(&mut self, service: &Service<'_>) {
        match service {
            Service::ServerInfo(_) => *self = Scene::default(),
            Service::SetView { entity } => self.own_entity = *entity,
            Service::Time { time } => self.time = *time,
            Service::SpawnBaseline { entity, fields } => {
                let number = (*entity).into();
                if self.baselines.get(number).is_some() {
                    self.announced_twice.get_or_insert(number);
                }
                *self.baselines.entry(number, &Entity::NULL) = Entity::of(fields);
            }
            Service::FastUpdate(update) => {
                let number = update.entity.into();
                let baseline = self.baselines.get(number).unwrap_or(&Entity::NULL).record();
                self.entities.put(number, Entity::of(&update.over(&baseline)));
            }
            _ => {}
        }
    }

    /// An entity whose baseline is not that of the server's world.
    pub fn other_baseline(&self, world: &EntityList) -> Option<u32> {
        let same = |number: u32, baseline: &Entity| {
            let sent = self.baselines.get(number);
            // Effects travel in no baseline.
            sent.is_some_and(|sent| (0..FIELDS).all(|field| field == EFFECTS || is_near(field, sent, baseline)))
        };
        let mut unknown = self.baselines.numbers().iter().copied().filter(|number| world.get(*number).is_none());
        world.iter().find(|(number, baseline)| !same(*number, baseline)).map(|found| found.0).or_else(|| unknown.next())
    }

    /// Where a frame that was received differs from the server's entities: which, and the field if it is there at all.
    /// A frame that was `full` may lack some; an entity that has no model need not be sent.
    pub fn difference(&self, live: &EntityList, full: bool) -> Option<(u32, Option<usize>)> {
        if let Some((number, _)) = self.entities.iter().find(|(number, _)| live.get(*number).is_none()) {
            return Some((number, None));
        }
        live.iter().find_map(|(number, entity)| match self.entities.get(number) {
            Some(seen) => (0..FIELDS).find(|&field| !is_near(field, seen, entity)).map(|field| (number, Some(field))),
            None => (!full && entity.0[0] != 0).then_some((number, None)),
        })
    }
}

fn is_near(field: usize, seen: &Entity, entity: &Entity) -> bool {
    let (seen, wanted) = (seen.0[field], entity.0[field]);
    if seen == wanted && (field < ORIGIN || float_value(seen).is_finite()) {
        return true;
    }
    let around = |turn: f64, slack: f64| is_within(float_value(seen), float_value(wanted), turn, slack);
    if (ORIGIN..ANGLES).contains(&field) {
        around(COORDS, COORD_SLACK)
    } else if field >= ANGLES {
        around(360.0, ANGLE_SLACK)
    } else {
        seen == wanted
    }
}

/// Whether two values that go around at `turn` are so close.
pub fn is_within(one: f32, other: f32, turn: f64, slack: f64) -> bool {
    let apart = (f64::from(one) - f64::from(other)).rem_euclid(turn);
    apart.min(turn - apart) <= slack
}

/// Whether a move looks where its client does, in an angle that travels as a float (`fine`) or as a byte.
pub fn looks_there(sent: i32, held: i32, fine: bool) -> bool {
    is_within(float_value(sent), float_value(held), 360.0, if fine { 0.01 } else { ANGLE_SLACK })
}
