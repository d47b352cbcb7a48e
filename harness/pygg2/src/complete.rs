//! The complete update: everything that snapshots do not say of players.

use crate::snapshot::Base;
use crate::state::*;
use kit::{DecodeError, Reader, Writer};

/// Flag of a player: lives.
const ALIVE_FLAG: u8 = 1;
/// Flag of a player: has a sentry.
const SENTRY_FLAG: u8 = 2;
/// Flag of a body: cloaked.
const CLOAKED_FLAG: u8 = 1;
/// Flag of a body: ready to shoot.
const READY_FLAG: u8 = 2;

/// The body of a living player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Living {
    /// Input, aim, position, speed, health.
    pub base: Base,
    /// Ammunition.
    pub ammo: u8,
    /// Whether the player is cloaked.
    pub cloaked: bool,
    /// Whether the weapon is ready to shoot.
    pub ready: bool,
}

/// A sentry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sentry {
    /// Where it looked when it was built.
    pub direction: u8,
    /// Position.
    pub x: u32,
    /// Position.
    pub y: u32,
    /// Whether it is finished.
    pub built: u8,
    /// Health.
    pub hp: u8,
}

/// One player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Who.
    pub id: u8,
    /// Statistic.
    pub kills: i16,
    /// Statistic.
    pub deaths: i16,
    /// Statistic.
    pub healing: i16,
    /// The body, of a living player.
    pub living: Option<Living>,
    /// The sentry, if there is one.
    pub sentry: Option<Sentry>,
}

impl Stats {
    /// What is to be said of a player.
    pub fn of(id: u8, player: &Player) -> Stats {
        let field = |index: usize| player.0[index];
        // GG2-FULL-03
        let living = Living {
            base: player.base(),
            ammo: field(AMMO) as u8,
            cloaked: player.is(CLOAKED),
            ready: player.is(READY),
        };
        // GG2-FULL-04
        let sentry = Sentry {
            direction: field(SENTRY_DIRECTION) as u8,
            x: field(SENTRY_X) as u32,
            y: field(SENTRY_Y) as u32,
            built: field(SENTRY_BUILT) as u8,
            hp: field(SENTRY_HP) as u8,
        };
        Stats {
            id,
            // GG2-FULL-02
            kills: field(KILLS) as i16,
            deaths: field(DEATHS) as i16,
            healing: field(HEALING) as i16,
            living: player.is(ALIVE).then_some(living),
            sentry: player.is(SENTRY).then_some(sentry),
        }
    }

    /// Takes it over into what is known of the player.
    pub fn apply(&self, player: &mut Player) {
        player.0[KILLS] = self.kills.into();
        player.0[DEATHS] = self.deaths.into();
        player.0[HEALING] = self.healing.into();
        player.0[ALIVE] = self.living.is_some().into();
        player.0[SENTRY] = self.sentry.is_some().into();
        if let Some(living) = &self.living {
            player.take_base(&living.base.masked());
            player.0[AMMO] = living.ammo.into();
            player.0[CLOAKED] = living.cloaked.into();
            player.0[READY] = living.ready.into();
        }
        let sentry = self.sentry.unwrap_or_default();
        player.0[SENTRY_DIRECTION] = sentry.direction.into();
        player.0[SENTRY_X] = sentry.x as i32;
        player.0[SENTRY_Y] = sentry.y as i32;
        player.0[SENTRY_BUILT] = sentry.built.into();
        player.0[SENTRY_HP] = sentry.hp.into();
    }
}

/// The complete update.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompleteUpdate {
    /// The server's time, in milliseconds.
    pub time: u32,
    /// Every player.
    pub players: Vec<Stats>,
    /// About the game mode; opaque, at most 255 bytes.
    pub gamemode: Vec<u8>,
}

impl CompleteUpdate {
    /// Of all players there are.
    pub fn of(time: u32, players: &Players, gamemode: i32) -> CompleteUpdate {
        // GG2-FULL-06
        let players = players.iter().map(|(id, player)| Stats::of(id as u8, player)).collect();
        // GG2-FULL-05
        CompleteUpdate { time, players, gamemode: gamemode.to_be_bytes().to_vec() }
    }

    /// Writes it, without the length before it.
    pub fn write(&self, w: &mut Writer<'_>) {
        let count = u8::try_from(self.players.len()).unwrap_or(u8::MAX);
        w.u32_be("time", self.time);
        w.u8("count", count);
        for stats in self.players.iter().take(count.into()) {
            w.u8("id", stats.id);
            w.i16_be("kills", stats.kills);
            w.i16_be("deaths", stats.deaths);
            w.i16_be("healing", stats.healing);
            let alive = if stats.living.is_some() { ALIVE_FLAG } else { 0 };
            w.u8("flags", alive | if stats.sentry.is_some() { SENTRY_FLAG } else { 0 });
            if let Some(living) = &stats.living {
                living.base.write(w);
                w.u8("ammo", living.ammo);
                let cloaked = if living.cloaked { CLOAKED_FLAG } else { 0 };
                w.u8("flags2", cloaked | if living.ready { READY_FLAG } else { 0 });
            }
            if let Some(sentry) = &stats.sentry {
                w.u8("direction", sentry.direction);
                w.u32_be("sentry x", sentry.x);
                w.u32_be("sentry y", sentry.y);
                w.u8("built", sentry.built);
                w.u8("sentry hp", sentry.hp);
            }
        }
        let length = u8::try_from(self.gamemode.len()).unwrap_or(u8::MAX);
        w.u8("gamemode length", length);
        w.bytes("gamemode", self.gamemode.get(..length.into()).unwrap_or_default());
    }

    /// Reads what [`CompleteUpdate::write`] writes.
    ///
    /// # Errors
    /// The field that is cut off.
    pub fn read(r: &mut Reader<'_>) -> Result<CompleteUpdate, DecodeError> {
        let time = r.u32_be("time")?;
        let count = r.u8("count")?;
        let mut players = Vec::with_capacity(count.into());
        for _ in 0..count {
            let group = r.begin("stats");
            players.push(read_stats(r)?);
            r.end(group);
        }
        let length = r.u8("gamemode length")?;
        let gamemode = r.bytes("gamemode", length.into())?.to_vec();
        Ok(CompleteUpdate { time, players, gamemode })
    }
}

fn read_stats(r: &mut Reader<'_>) -> Result<Stats, DecodeError> {
    let id = r.u8("id")?;
    let [kills, deaths, healing] = [r.i16_be("kills")?, r.i16_be("deaths")?, r.i16_be("healing")?];
    let flags = r.u8("flags")?;
    let living = match flags & ALIVE_FLAG {
        0 => None,
        _ => {
            let base = Base::read(r)?;
            let ammo = r.u8("ammo")?;
            let flags = r.u8("flags2")?;
            Some(Living { base, ammo, cloaked: flags & CLOAKED_FLAG != 0, ready: flags & READY_FLAG != 0 })
        }
    };
    let sentry = match flags & SENTRY_FLAG {
        0 => None,
        _ => {
            let group = r.begin("sentry");
            let direction = r.u8("direction")?;
            let (x, y) = (r.u32_be("sentry x")?, r.u32_be("sentry y")?);
            let (built, hp) = (r.u8("built")?, r.u8("sentry hp")?);
            r.end(group);
            Some(Sentry { direction, x, y, built, hp })
        }
    };
    Ok(Stats { id, kills, deaths, healing, living, sentry })
}
