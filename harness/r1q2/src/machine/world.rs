//! The world of a scenario: entities, and beside each the player state that the client has whose entity it is.
//!
//! What a server makes of it at a tick, which is what its frame of that number shows:
//!
//! - every entity that lives is in the frame of every client, whatever it looks like;
//! - `event` lasts for one tick: the server puts it back to 0 when its frame is made;
//! - `old_origin` is the scenario's for a beam (`RF_BEAM`) and for `RF_FRAMELERP`; of any other entity it is where the
//!   entity was in the tick before (where it is, for one that has just appeared), and is sent only with an entity that
//!   the base does not have: of the others, clients take the origin of their base;
//! - the player state of client `k` is that of entity `k`, all zeroes while that does not live; statistics are set for
//!   each client. From revision 1902 on the view angles of those who live (`pm_type` below 2) are left as they are in
//!   the base, unless the client has announced that it records;
//! - a move of client `k` changes `ps_pm_origin_*` and `ps_pm_velocity_*` of entity `k`: see `movement`;
//! - a baseline is the entity's, with its origin for an old origin.

use crate::wire::state::{Entity, FIELD_TABLE, FIELDS, PLAYER_TABLE, Player, STATS};
use kit::Field;

/// Number of fields of an entity in the world: those of an entity, and those of a player but for the statistics.
pub const WORLD_FIELDS: usize = FIELDS + STATS;
/// The first field of a player.
pub const PLAYER_FIRST: usize = FIELDS;

/// The names of a player's fields in the world, in their order.
const PLAYER_NAMES: [&str; STATS] = [
    "ps_pm_type",
    "ps_pm_origin_x",
    "ps_pm_origin_y",
    "ps_pm_origin_z",
    "ps_pm_velocity_x",
    "ps_pm_velocity_y",
    "ps_pm_velocity_z",
    "ps_pm_time",
    "ps_pm_flags",
    "ps_gravity",
    "ps_delta_pitch",
    "ps_delta_yaw",
    "ps_delta_roll",
    "ps_viewoffset_x",
    "ps_viewoffset_y",
    "ps_viewoffset_z",
    "ps_view_pitch",
    "ps_view_yaw",
    "ps_view_roll",
    "ps_kick_pitch",
    "ps_kick_yaw",
    "ps_kick_roll",
    "ps_gunindex",
    "ps_gunframe",
    "ps_gunoffset_x",
    "ps_gunoffset_y",
    "ps_gunoffset_z",
    "ps_gun_pitch",
    "ps_gun_yaw",
    "ps_gun_roll",
    "ps_blend_r",
    "ps_blend_g",
    "ps_blend_b",
    "ps_blend_a",
    "ps_fov",
    "ps_rdflags",
];

/// Names and ranges of the fields of an entity in the world, by number.
pub static WORLD_TABLE: [Field; WORLD_FIELDS] = {
    let mut table = [FIELD_TABLE[0]; WORLD_FIELDS];
    let mut field = 0;
    while field < WORLD_FIELDS {
        table[field] = match field < PLAYER_FIRST {
            true => FIELD_TABLE[field],
            false => Field { name: PLAYER_NAMES[field - PLAYER_FIRST], unit: PLAYER_TABLE[field - PLAYER_FIRST].unit },
        };
        field += 1;
    }
    table
};

/// An entity of the world, and the state of the player whose entity it is; of others, that means nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorldEntity {
    /// The entity.
    pub entity: Entity,
    /// The player's state; its statistics are not here, but set for each client.
    pub player: Player,
}

impl kit::Record for WorldEntity {
    const NULL: WorldEntity = WorldEntity { entity: Entity::NULL, player: Player::NULL };

    fn field_mut(&mut self, field: usize) -> Option<&mut i32> {
        match field.checked_sub(PLAYER_FIRST) {
            None => self.entity.0.get_mut(field),
            Some(field) if field < STATS => self.player.0.get_mut(field),
            Some(_) => None,
        }
    }
}

/// The world of a scenario.
pub type World = kit::World<WorldEntity>;
