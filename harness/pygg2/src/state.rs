//! What the world is made of: players, by their ids.

use crate::snapshot::{Base, Body, ClassFields};
use kit::Unit;

/// Number of fields of a player.
pub const FIELDS: usize = 32;

const BYTE: Unit = Unit::Int(0, 0xff);
const BOOL: Unit = Unit::Int(0, 1);
const SHORT: Unit = Unit::Int(-0x8000, 0x7fff);
/// Positions are 32 bits on the wire and opaque; scenarios have the lower half.
const PLACE: Unit = Unit::Int(0, 0x7fff_ffff);

kit::fields! {
    /// Names and ranges of the fields, by number.
    FIELD_TABLE: FIELDS;
    /// Field: which keys are down; bits of [`crate::constants`].
    INPUTSTATE = 0, "inputstate", Unit::Int(0, 0x1f);
    /// Field: where the player aims; 65536 to the circle.
    AIM = 1, "aimdirection", Unit::Int(0, 0xffff);
    /// Field: position.
    X = 2, "x", PLACE;
    /// Field: position.
    Y = 3, "y", PLACE;
    /// Field: speed to the right.
    HSPEED = 4, "hspeed", SHORT;
    /// Field: speed downwards.
    VSPEED = 5, "vspeed", SHORT;
    /// Field: health.
    HP = 6, "hp", BYTE;
    /// Field: ammunition.
    AMMO = 7, "ammo", BYTE;
    /// Field: whether a spy is invisible.
    CLOAKED = 8, "cloaked", BOOL;
    /// Field: class; a change is an event.
    CLASS = 9, "class", Unit::Int(0, 9);
    /// Field: team; a change is an event.
    TEAM = 10, "team", BYTE;
    /// Field: whether the player lives; a change is an event.
    ALIVE = 11, "alive", BOOL;
    /// Field: statistic.
    KILLS = 12, "kills", SHORT;
    /// Field: statistic.
    DEATHS = 13, "deaths", SHORT;
    /// Field: statistic.
    HEALING = 14, "healing", SHORT;
    /// Field: whether the weapon is ready to shoot.
    READY = 15, "ready", BOOL;
    /// Field: whether the player has a sentry.
    SENTRY = 16, "sentry", BOOL;
    /// Field: where the sentry looked when it was built.
    SENTRY_DIRECTION = 17, "sentry_direction", BYTE;
    /// Field: the sentry's position.
    SENTRY_X = 18, "sentry_x", PLACE;
    /// Field: the sentry's position.
    SENTRY_Y = 19, "sentry_y", PLACE;
    /// Field: whether the sentry is finished.
    SENTRY_BUILT = 20, "sentry_built", BYTE;
    /// Field: the sentry's health.
    SENTRY_HP = 21, "sentry_hp", BYTE;
    /// Class field, of all but pyros: how long the player burns on.
    AFTERBURN = 22, "afterburn", BYTE;
    /// Class field, of all: how the player moves.
    MOVESTATUS = 23, "movestatus", BYTE;
    /// Class field, of scouts: whether the second jump is left.
    DOUBLEJUMP = 24, "doublejump", BYTE;
    /// Class field, of heavies: whether there is a sandvich.
    SANDVICH = 25, "sandvich", BYTE;
    /// Class field, of demomen: how many stickies lie about.
    STICKIES = 26, "stickies", BYTE;
    /// Class field, of medics.
    UBERCHARGE = 27, "ubercharge", Unit::Int(0, 0xffff);
    /// Class field, of medics: how fast it charges.
    UBERCHARGE_RATE = 28, "ubercharge_rate", BYTE;
    /// Class field, of medics.
    HEALING_RAMP = 29, "healing_ramp", BYTE;
    /// Class field, of engineers.
    NUTS_AND_BOLTS = 30, "nuts_and_bolts", BYTE;
    /// Class field, of snipers: what the next shot does.
    DAMAGE = 31, "damage", BYTE;
}

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
        // GG2-SNAP-03
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

/// The time in milliseconds, as packets have it.
pub fn milliseconds(now: kit::Time) -> u32 {
    // GG2-SNAP-05
    (now.us() / 1000) as u32
}
