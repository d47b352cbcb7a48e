//! The datagram of a tick: the time, what happens once, the player's own state, and the entities in sight.

use super::*;
use crate::alpha::ENTALPHA_ZERO;
use crate::constants::MAX_ENTITY;
use crate::latitude::{Order, PlayerPlace, Rounding, SIGHT_TICKS, Sight};
use kit::table::float_value;
use netquake::clientdata::ClientData;
use netquake::constants::*;
use netquake::update::{
    self, ANGLES, FIELDS as CODEC_FIELDS, FRAME as CODEC_FRAME, FastUpdate, MODEL as CODEC_MODEL, ORIGIN, Record,
};

/// The model of players.
pub const PLAYER_MODEL: i32 = 2;

/// The tick of a session in which something is sent that has a bit which nobody defines, where the scenario says so.
const RESERVED_TICK: u32 = 21;

/// Model and frame of an entity end up in one byte over protocol 15.
const BYTE: i32 = 0xff;

/// The baseline that an entity has: a player's is its slot's, and nobody's without a model is empty.
pub fn baseline(world: &World, number: u32, clients: u16) -> Entity {
    let mut state = *world.baselines.get(number).unwrap_or(&Entity::NULL);
    if (1..=u32::from(clients)).contains(&number) {
        (state[MODEL], state[COLORMAP], state[ALPHA]) = (PLAYER_MODEL, number as i32 & BYTE, 0);
    } else if state[MODEL] == 0 {
        return Entity::NULL;
    }
    // Neither is part of a baseline.
    (state[EFFECTS], state[STEP]) = (0, 0);
    state
}

/// The codec's record of an entity whose alpha has this code.
pub fn record(state: &Entity, code: u8) -> Record {
    let mut record = [0; CODEC_FIELDS];
    for (field, value) in record.iter_mut().enumerate().take(SHARED_FIELDS) {
        *value = state[field];
    }
    record[update::ALPHA] = code.into();
    record
}

impl Session {
    /// What the game says of an entity's opacity, and its code.
    fn opacity(&self, scene: &Scene<'_>, number: u32, state: &Entity) -> (f32, u8) {
        let map = scene.world.baselines.get(number).map_or(0.0, |baseline| baseline.float(ALPHA)); // FITZ-ALPHA-07
        let alpha = (self.rules.alpha_of)(self.options.progs_alpha, state.float(ALPHA), map);
        (alpha, (self.rules.encode_alpha)(alpha))
    }

    /// The baseline that an entity has, with the alpha that counts.
    pub(super) fn base_state(&self, scene: &Scene<'_>, number: u32) -> Entity {
        let mut state = baseline(scene.world, number, self.clients);
        let map = state.float(ALPHA);
        state[ALPHA] = float_bits((self.rules.alpha_of)(self.options.progs_alpha, map, map));
        state
    }

    /// Writes the messages of this tick.
    pub(super) fn write_tick(&mut self, scene: &Scene<'_>) {
        let place = self.rules.latitude.player_place;
        let player = self.player(scene);
        let [mut first, mut second] = std::mem::take(&mut self.outgoing);
        first.clear();
        second.clear();
        let p = self.dialect.primitives;
        if place == PlayerPlace::OwnDatagram {
            self.write_player(&mut second, player, &p);
            std::mem::swap(&mut first, &mut second);
        }
        let message = if place == PlayerPlace::OwnDatagram { &mut second } else { &mut first };
        Service::Time { time: float_bits(scene.time) }.write(&mut Writer::new(message), &p);
        if place == PlayerPlace::BehindTime {
            self.write_player(message, player, &p);
        }
        self.write_entities(message, scene);
        if message.len() + self.effects.len() <= self.options.datagram_limit {
            message.extend_from_slice(&self.effects);
        }
        self.effects.clear();
        if place == PlayerPlace::BehindEntities {
            let end = first.len();
            self.write_player(&mut first, player, &p);
            if first.len() > self.options.datagram_limit {
                second.extend_from_slice(&first[end..]);
                first.truncate(end);
            }
        }
        let reserved = self.options.reserved_bits.filter(|_| self.ticks == RESERVED_TICK && self.dialect.extended());
        if let (Some(reserved), true) = (reserved, second.is_empty()) {
            second.extend_from_slice(reserved.bytes());
        }
        if due(self.ticks, self.rules.latitude.timeless_every) && second.is_empty() {
            Service::Nop.write(&mut Writer::new(&mut second), &p);
        }
        self.ready = if second.is_empty() { 1 } else { 2 };
        self.sent = 0;
        self.outgoing = [first, second];
    }

    /// Damage, a turn of the view, and clientdata.
    fn write_player(&mut self, message: &mut Vec<u8>, player: ClientData, p: &netquake::Primitives) {
        let mut w = Writer::new(message);
        if let Some((armor, blood)) = self.damage.take() {
            Service::Damage { armor, blood, from: [0; 3] }.write(&mut w, p);
        }
        if let Some(angles) = self.turn.take() {
            Service::SetAngle { angles }.write(&mut w, p);
        }
        Service::ClientData(player).write(&mut w, p);
    }

    /// The player's own state, from its statistics.
    pub(super) fn player(&self, scene: &Scene<'_>) -> ClientData {
        let stat = |number: u8| self.stat(number);
        let three = |first: u8| [0, 1, 2].map(|axis| stat(first + axis));
        let active = stat(STAT_ACTIVEWEAPON) as u32;
        let own = u32::from(self.peer.host.0);
        let state = self.own_state(scene);
        let (_, code) = self.opacity(scene, own, &state);
        ClientData {
            view_height: stat(STAT_VIEWHEIGHT) as i8,
            ideal_pitch: stat(STAT_IDEALPITCH) as i8,
            punch: three(STAT_PUNCH).map(|angle| angle as i8),
            // Toward zero.
            velocity: three(STAT_VELOCITY).map(|speed| (speed / 16) as i8),
            items: stat(STAT_ITEMS) as u32,
            on_ground: stat(STAT_ONGROUND) != 0,
            in_water: stat(STAT_INWATER) != 0,
            weapon_frame: stat(STAT_WEAPONFRAME) as u16,
            armor: stat(STAT_ARMOR) as u16,
            weapon: stat(STAT_WEAPON) as u16,
            health: stat(STAT_HEALTH) as i16,
            ammo: stat(STAT_AMMO) as u16,
            stock: [0, 1, 2, 3].map(|kind| stat(STAT_SHELLS + kind) as u16),
            active_weapon: match self.options.mission_pack {
                // The number of the lowest bit; that of nothing is 0, as is that of the first.
                true if active != 0 => active.trailing_zeros() as u8,
                true => 0,
                false => active as u8,
            },
            // FITZ-CD-17, FITZ-CD-18
            weapon_alpha: if self.options.weapon_alpha && self.rules.latitude.weapon_alpha { code } else { 0 },
            forced: self.rules.latitude.player_bits,
            omitted: 0,
        }
    }

    /// The player's own entity: what lives, or its baseline, as there is one from the sign-on.
    fn own_state(&self, scene: &Scene<'_>) -> Entity {
        let own = u32::from(self.peer.host.0);
        let live = scene.world.live.get(own).copied();
        live.unwrap_or_else(|| baseline(scene.world, own, self.clients))
    }

    /// The entities in sight, until one does not fit.
    fn write_entities(&mut self, message: &mut Vec<u8>, scene: &Scene<'_>) {
        let limit =
            self.options.datagram_limit - self.rules.latitude.reserve_bytes.min(self.options.datagram_limit / 2);
        let own = u32::from(self.peer.host.0);
        let own_lives = scene.world.live.get(own).is_some();
        let numbers = scene.world.live.numbers();
        let split = numbers.partition_point(|&number| number < own);
        let count = numbers.len() + usize::from(!own_lives);
        // The living in ascending order, with the player's own entity in its place.
        let number_at = |index: usize| match (own_lives, index) {
            (true, index) => numbers.get(index).copied(),
            (false, index) if index < split => numbers.get(index).copied(),
            (false, index) if index == split => Some(own),
            (false, index) => numbers.get(index - 1).copied(),
        };
        for step in 0..count {
            let index = match self.rules.latitude.order {
                Order::Ascending => step,
                Order::Descending => count - 1 - step,
                Order::Rotating => (step + self.ticks as usize) % count,
            };
            let Some(number) = number_at(index) else { continue };
            let state = scene.world.live.get(number).copied().unwrap_or_else(|| self.own_state(scene));
            let Some(update) = self.update(scene, number, &state) else { continue };
            let before = message.len();
            update.write(&mut Writer::new(message), &self.dialect.primitives);
            if !(self.rules.fits)(message, before, limit) {
                return;
            }
        }
    }

    /// The update of an entity, if it is in sight.
    fn update(&self, scene: &Scene<'_>, number: u32, state: &Entity) -> Option<FastUpdate> {
        let own = number == u32::from(self.peer.host.0);
        let latitude = &self.rules.latitude;
        let opacity = self.opacity(scene, number, state);
        let unseen = opacity.1 == ENTALPHA_ZERO && state[EFFECTS] == 0 && !latitude.invisible_entities;
        let hidden = scene.hidden.binary_search(&(self.peer.host.0, number)).is_ok();
        let turn = latitude.sight == Sight::InTurns && (number + self.ticks / SIGHT_TICKS).is_multiple_of(3);
        let hidden = hidden || turn;
        // A model that protocol 15 has no number for is not shown there.
        let modelled = state[MODEL] != 0 && (state[MODEL] <= BYTE || self.dialect.extended());
        if number > MAX_ENTITY || unseen || !own && (hidden || !modelled) {
            return None;
        }
        let base = self.base_state(scene, number);
        let base_opacity = (base.float(ALPHA), (self.rules.encode_alpha)(base.float(ALPHA)));
        let (before, after) = (self.baseline_record(&base), record(state, opacity.1));
        let step = state[STEP] != 0;
        let mut update = match self.dialect.extended() {
            true => {
                let hint = self.hint(scene, number, state);
                FastUpdate::extended(number as u16, step, &before, &after, hint)
            }
            false => FastUpdate::new(number as u16, step, &before, &after),
        };
        for (axis, bit) in [U_ORIGIN1, U_ORIGIN2, U_ORIGIN3].into_iter().enumerate() {
            let moved = float_value(after[ORIGIN + axis]) - float_value(before[ORIGIN + axis]);
            let apart = f64::from(moved).abs() > self.rules.origin_slack; // FITZ-ENT-14
            update.bits = if apart { update.bits | bit } else { update.bits & !bit };
        }
        if self.dialect.extended() {
            let differs = (self.rules.alpha_differs)(base_opacity, opacity);
            update.bits = if differs { update.bits | U_ALPHA } else { update.bits & !U_ALPHA };
        }
        // FITZ-ENT-12: what equals its baseline is sent as well.
        if self.dialect.extended() {
            update.bits |= latitude.update_bits;
            if latitude.scale {
                update.bits |= U_SCALE;
                update.fields[update::SCALE] = 16;
            }
        } else {
            update.bits |= latitude.update_bits & U_MOREBITS;
        }
        update.fields = self.rounded(update.fields);
        Some(update)
    }

    /// The time to an entity's next frame, where it is sent.
    fn hint(&self, scene: &Scene<'_>, number: u32, state: &Entity) -> Option<u8> {
        scene.thinking.hint(number, state, scene.time, &self.rules)
    }

    /// The record as this server rounds it.
    pub(super) fn rounded(&self, mut fields: Record) -> Record {
        if self.rules.latitude.rounding == Rounding::Truncated {
            for axis in 0..3 {
                let coord = float_value(fields[ORIGIN + axis]);
                fields[ORIGIN + axis] = float_bits((coord * 8.0).trunc() / 8.0);
                let steps = (float_value(fields[ANGLES + axis]) as i64 * 256 / 360) & 0xff;
                fields[ANGLES + axis] = float_bits(steps as f32 * 360.0 / 256.0);
            }
        }
        debug_assert!(fields[CODEC_MODEL] <= 0xffff && fields[CODEC_FRAME] <= 0xffff, "fields have their ranges");
        fields
    }
}
