//! What the world is made of: players, by their ids.

use crate::snapshot::{Base, Body, ClassFields};
use kit::{Field, Unit};

/// Number of fields of a player.
pub const FIELDS: usize = 32;

/// Field: which keys are down; bits of [`crate::constants`].
pub const INPUTSTATE: usize = 0;
/// Field: where the player aims; 65536 to the circle.
pub const AIM: usize = 1;
/// Field: position.
pub const X: usize = 2;
/// Field: position.
pub const Y: usize = 3;
/// Field: speed to the right.
pub const HSPEED: usize = 4;
/// Field: speed downwards.
pub const VSPEED: usize = 5;
/// Field: health.
pub const HP: usize = 6;
/// Field: ammunition.
pub const AMMO: usize = 7;
/// Field: whether a spy is invisible.
pub const CLOAKED: usize = 8;
/// Field: class; a change is an event.
pub const CLASS: usize = 9;
/// Field: team; a change is an event.
pub const TEAM: usize = 10;
/// Field: whether the player lives; a change is an event.
pub const ALIVE: usize = 11;
/// Field: statistic.
pub const KILLS: usize = 12;
/// Field: statistic.
pub const DEATHS: usize = 13;
/// Field: statistic.
pub const HEALING: usize = 14;
/// Field: whether the weapon is ready to shoot.
pub const READY: usize = 15;
/// Field: whether the player has a sentry.
pub const SENTRY: usize = 16;
/// Field: where the sentry looked when it was built.
pub const SENTRY_DIRECTION: usize = 17;
/// Field: the sentry's position.
pub const SENTRY_X: usize = 18;
/// Field: the sentry's position.
pub const SENTRY_Y: usize = 19;
/// Field: whether the sentry is finished.
pub const SENTRY_BUILT: usize = 20;
/// Field: the sentry's health.
pub const SENTRY_HP: usize = 21;
/// Class field, of all but pyros: how long the player burns on.
pub const AFTERBURN: usize = 22;
/// Class field, of all: how the player moves.
pub const MOVESTATUS: usize = 23;
/// Class field, of scouts: whether the second jump is left.
pub const DOUBLEJUMP: usize = 24;
/// Class field, of heavies: whether there is a sandvich.
pub const SANDVICH: usize = 25;
/// Class field, of demomen: how many stickies lie about.
pub const STICKIES: usize = 26;
/// Class field, of medics.
pub const UBERCHARGE: usize = 27;
/// Class field, of medics: how fast it charges.
pub const UBERCHARGE_RATE: usize = 28;
/// Class field, of medics.
pub const HEALING_RAMP: usize = 29;
/// Class field, of engineers.
pub const NUTS_AND_BOLTS: usize = 30;
/// Class field, of snipers: what the next shot does.
pub const DAMAGE: usize = 31;

const BYTE: Unit = Unit::Int(0, 0xff);
const BOOL: Unit = Unit::Int(0, 1);
const SHORT: Unit = Unit::Int(-0x8000, 0x7fff);
/// Positions are 32 bits on the wire and opaque; scenarios have the lower half.
const PLACE: Unit = Unit::Int(0, 0x7fff_ffff);

/// Names and ranges of the fields, by number.
pub static FIELD_TABLE: [Field; FIELDS] = [
    Field { name: "inputstate", unit: Unit::Int(0, 0x1f) },
    Field { name: "aimdirection", unit: Unit::Int(0, 0xffff) },
    Field { name: "x", unit: PLACE },
    Field { name: "y", unit: PLACE },
    Field { name: "hspeed", unit: SHORT },
    Field { name: "vspeed", unit: SHORT },
    Field { name: "hp", unit: BYTE },
    Field { name: "ammo", unit: BYTE },
    Field { name: "cloaked", unit: BOOL },
    Field { name: "class", unit: Unit::Int(0, 9) },
    Field { name: "team", unit: BYTE },
    Field { name: "alive", unit: BOOL },
    Field { name: "kills", unit: SHORT },
    Field { name: "deaths", unit: SHORT },
    Field { name: "healing", unit: SHORT },
    Field { name: "ready", unit: BOOL },
    Field { name: "sentry", unit: BOOL },
    Field { name: "sentry_direction", unit: BYTE },
    Field { name: "sentry_x", unit: PLACE },
    Field { name: "sentry_y", unit: PLACE },
    Field { name: "sentry_built", unit: BYTE },
    Field { name: "sentry_hp", unit: BYTE },
    Field { name: "afterburn", unit: BYTE },
    Field { name: "movestatus", unit: BYTE },
    Field { name: "doublejump", unit: BYTE },
    Field { name: "sandvich", unit: BYTE },
    Field { name: "stickies", unit: BYTE },
    Field { name: "ubercharge", unit: Unit::Int(0, 0xffff) },
    Field { name: "ubercharge_rate", unit: BYTE },
    Field { name: "healing_ramp", unit: BYTE },
    Field { name: "nuts_and_bolts", unit: BYTE },
    Field { name: "damage", unit: BYTE },
];

/// One player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Player(pub [i32; FIELDS]);

impl Player {
    /// Whether a field that is 0 or 1 is set.
    pub fn is(&self, field: usize) -> bool {
        self.0.get(field).is_some_and(|&value| value != 0)
    }

    /// Body data, as the wire has it.
    pub fn base(&self) -> Base {
        let field = |index: usize| self.0[index];
        Base {
            inputstate: field(INPUTSTATE) as u8,
            aimdirection: field(AIM) as u16,
            x: field(X) as u32,
            y: field(Y) as u32,
            hspeed: field(HSPEED) as i16,
            vspeed: field(VSPEED) as i16,
            hp: field(HP) as u8,
        }
    }

    /// What a snapshot says of a living player where nothing more is declared.
    pub fn body(&self, id: u8) -> Body {
        let (ammo, cloaked) = (self.0[AMMO] as u8, self.is(CLOAKED));
        Body { id, base: self.base(), ammo, cloaked, class: None, extras: Vec::new() }
    }

    /// All class fields, also those that the player's class has not.
    pub fn class_fields(&self) -> ClassFields {
        let field = |index: usize| self.0[index] as u8;
        ClassFields {
            afterburn: field(AFTERBURN),
            movestatus: field(MOVESTATUS),
            doublejump: field(DOUBLEJUMP),
            sandvich: field(SANDVICH),
            stickies: field(STICKIES),
            ubercharge: self.0[UBERCHARGE] as u16,
            ubercharge_rate: field(UBERCHARGE_RATE),
            healing_ramp: field(HEALING_RAMP),
            nuts_and_bolts: field(NUTS_AND_BOLTS),
            damage: field(DAMAGE),
        }
    }

    /// Takes class fields over.
    pub fn take_class_fields(&mut self, fields: &ClassFields) {
        let bytes = [
            (AFTERBURN, fields.afterburn),
            (MOVESTATUS, fields.movestatus),
            (DOUBLEJUMP, fields.doublejump),
            (SANDVICH, fields.sandvich),
            (STICKIES, fields.stickies),
            (UBERCHARGE_RATE, fields.ubercharge_rate),
            (HEALING_RAMP, fields.healing_ramp),
            (NUTS_AND_BOLTS, fields.nuts_and_bolts),
            (DAMAGE, fields.damage),
        ];
        bytes.into_iter().for_each(|(field, value)| self.0[field] = value.into());
        self.0[UBERCHARGE] = fields.ubercharge.into();
    }

    /// Takes body data over.
    pub fn take_base(&mut self, base: &Base) {
        let Base { inputstate, aimdirection, x, y, hspeed, vspeed, hp } = *base;
        self.0[INPUTSTATE] = inputstate.into();
        self.0[AIM] = aimdirection.into();
        self.0[X] = x as i32;
        self.0[Y] = y as i32;
        self.0[HSPEED] = hspeed.into();
        self.0[VSPEED] = vspeed.into();
        self.0[HP] = hp.into();
    }
}

impl kit::Record for Player {
    const NULL: Player = Player([0; FIELDS]);

    fn field_mut(&mut self, field: usize) -> Option<&mut i32> {
        self.0.get_mut(field)
    }
}

/// Players in ascending order of their ids.
pub type Players = kit::EntityList<Player>;

/// What the scenario says that there is.
pub type World = kit::World<Player>;
