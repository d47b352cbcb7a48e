//! The world as the scenario has it: entities, players, sounds. The server under test gets the same commands.

use crate::constants::MAX_ENTITY;
use crate::options::Options;
use crate::state::*;
use crate::verbs::*;
use kit::{Command, StatValue, Time};
use netquake::constants::DEFAULT_VIEWHEIGHT;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Sounds remembered; of older ones nothing is known.
const MAX_SOUNDS: usize = 256;
/// Static sounds remembered.
const MAX_STATIC_SOUNDS: usize = 256;
/// Numbers of sounds: there is no sound 0.
const SOUNDS: std::ops::RangeInclusive<i32> = 1..=0xffff;
/// Sounds older than this are no longer expected, in microseconds.
pub const SOUND_US: u64 = 1_000_000;

/// The world, and what belongs to players.
#[derive(Debug)]
pub struct Truth {
    /// Entities and baselines.
    pub world: World,
    /// Entities that a client is not to see.
    pub hidden: BTreeSet<(u16, u32)>,
    /// What is known of an entity's alpha beside its value.
    pub alphas: BTreeMap<u32, AlphaStory>,
    /// Statistics, by client; `None` for one that the server refused to set.
    stats: BTreeMap<u16, Vec<Option<StatValue>>>,
    /// Sounds that were to be played, oldest first.
    pub sounds: VecDeque<WantedSound>,
    /// Static sounds of this map.
    pub static_sounds: Vec<WantedStaticSound>,
    /// When the next think of an entity was set last.
    pub think_set: BTreeMap<u32, Time>,
    /// When the world changed last.
    pub changed: Time,
    /// How often it changed.
    pub version: u64,
    progs_alpha: bool,
    /// Sounds commanded so far.
    sounds_commanded: u64,
}

/// A statistic that the scenario has not set.
fn default_value(stat: u8) -> i32 {
    if stat == STAT_VIEWHEIGHT { DEFAULT_VIEWHEIGHT.into() } else { 0 }
}

/// Those of a player of whom the scenario has set none.
fn default_stats() -> Vec<Option<StatValue>> {
    (0..STATS as u8).map(|stat| Some(StatValue::Int(default_value(stat)))).collect()
}

/// How an entity came by its alpha.
#[derive(Clone, Copy, Debug, Default)]
pub struct AlphaStory {
    /// The game set it while the entity lived; the value before.
    pub before: Option<f32>,
    /// It comes from a saved game.
    pub loaded: bool,
}

/// A sound that was to be played.
#[derive(Clone, Copy, Debug)]
pub struct WantedSound {
    /// Its place among all.
    pub number: u64,
    /// When.
    pub at: Time,
    /// By which entity.
    pub entity: u32,
    /// Where the entity was then, if it was there.
    pub origin: Option<[f32; 3]>,
    /// On which channel.
    pub channel: u32,
    /// Which.
    pub sound: u32,
    /// How loud.
    pub volume: u32,
    /// How fast it fades with distance.
    pub attenuation: u32,
}

impl WantedSound {
    /// Whether a message can say it.
    pub fn can_be_sent(&self, extended: bool) -> bool {
        let wide = self.entity > 0x1fff || self.channel > 7 || self.sound > 0xff;
        let most = self.entity > 0xffff || self.channel > 0xff || self.sound > 0xffff;
        self.sound > 0 && !most && (extended || !wide)
    }
}

/// A static sound.
#[derive(Clone, Copy, Debug)]
pub struct WantedStaticSound {
    /// Where: that of its entity's baseline.
    pub origin: [f32; 3],
    /// Which.
    pub sound: u32,
    /// How loud.
    pub volume: u32,
    /// How fast it fades with distance.
    pub attenuation: u32,
}

impl Truth {
    /// Before the run of a server with `options`.
    pub fn new(options: &Options) -> Truth {
        Truth {
            world: World::default(),
            hidden: BTreeSet::new(),
            alphas: BTreeMap::new(),
            stats: BTreeMap::new(),
            sounds: VecDeque::new(),
            static_sounds: Vec::new(),
            think_set: BTreeMap::new(),
            changed: Time::ZERO,
            version: 0,
            progs_alpha: options.progs_alpha,
            sounds_commanded: 0,
        }
    }

    /// The scenario instructs the server.
    pub fn command(&mut self, now: Time, command: &Command) {
        self.changed = now;
        self.version += 1;
        match *command {
            Command::Stat { client, stat, value } => {
                let stats = self.stats.entry(client).or_insert_with(default_stats);
                if let Some(held) = stats.get_mut(usize::from(stat)) {
                    *held = Some(value);
                }
            }
            Command::Set { entity, field: ALPHA, value } => self.set_alpha(now, entity, value),
            Command::Set { entity, field, value } => {
                let other = self.world.live.get(entity).is_some_and(|live| live[field] != value);
                if field == NEXTTHINK && other {
                    self.think_set.insert(entity, now);
                }
                self.world.apply(now, command);
            }
            Command::Spawn { entity } | Command::Remove { entity } => {
                if self.world.apply(now, command) {
                    self.alphas.remove(&entity);
                    self.think_set.remove(&entity);
                }
            }
            Command::Map => {
                self.world.apply(now, command);
                self.alphas.clear();
                self.think_set.clear();
                self.static_sounds.clear();
                self.hidden.clear();
            }
            Command::Verb { verb, args } => self.verb(now, verb, args),
            _ => {
                self.world.apply(now, command);
            }
        }
    }

    fn set_alpha(&mut self, now: Time, entity: u32, value: i32) {
        if !self.progs_alpha {
            return;
        }
        let Some(live) = self.world.live.get(entity) else { return };
        let story = AlphaStory { before: Some(live.float(ALPHA)), loaded: false };
        self.alphas.insert(entity, story);
        self.world.apply(now, &Command::Set { entity, field: ALPHA, value });
    }

    fn verb(&mut self, now: Time, verb: usize, args: [i32; 4]) {
        match verb {
            VERB_HIDE => drop(self.hidden.insert((args[0] as u16, args[1] as u32))),
            VERB_SHOW => drop(self.hidden.remove(&(args[0] as u16, args[1] as u32))),
            VERB_STATIC if args[0] as u32 <= MAX_ENTITY => drop(self.world.make_static(args[0] as u32)),
            VERB_STATIC_SOUND if self.static_sounds.len() < MAX_STATIC_SOUNDS && SOUNDS.contains(&args[1]) => {
                let entity = *self.world.baselines.get(args[0] as u32).unwrap_or(&Entity::NULL);
                let origin = [ORIGIN_X, ORIGIN_Y, ORIGIN_Z].map(|field| entity.float(field));
                let (sound, volume, attenuation) = (args[1] as u32, args[2] as u32, args[3] as u32);
                self.static_sounds.push(WantedStaticSound { origin, sound, volume, attenuation });
            }
            VERB_SOUND => {
                if self.sounds.len() == MAX_SOUNDS {
                    self.sounds.pop_front();
                }
                let (level, entity) = (args[3] as u32, args[0] as u32);
                let place = |live: &Entity| [ORIGIN_X, ORIGIN_Y, ORIGIN_Z].map(|field| live.float(field));
                self.sounds.push_back(WantedSound {
                    number: self.sounds_commanded,
                    at: now,
                    entity,
                    origin: self.world.live.get(entity).map(place),
                    channel: args[1] as u32,
                    sound: args[2] as u32,
                    volume: level & 0xff,
                    attenuation: level >> 8 & 0xff,
                });
                self.sounds_commanded += 1;
            }
            VERB_RELOAD => {
                for (number, entity) in self.world.live.iter_mut() {
                    let codes = Codes::of(entity.float(ALPHA));
                    entity[ALPHA] = kit::table::float_bits(saved(codes.0));
                    self.alphas.insert(number, AlphaStory { before: None, loaded: true });
                }
            }
            _ => {}
        }
    }

    /// The server says that it ignored the instruction that it was just given: that counts of sounds alone, as what a
    /// message can say of them depends on the protocol.
    pub fn ignored(&mut self, command: &Command) {
        if let Command::Verb { verb: VERB_SOUND, .. } = *command {
            self.sounds.pop_back();
        }
    }

    /// A statistic of a client's player, if the scenario has set it.
    pub fn stat(&self, client: u16, stat: u8) -> Option<f64> {
        let value = self.stats.get(&client).and_then(|stats| stats.get(usize::from(stat)).copied().flatten());
        match (value, self.stats.contains_key(&client)) {
            (Some(StatValue::Int(value)), _) => Some(f64::from(value)),
            (Some(StatValue::Float(value)), _) => Some(f64::from(value)),
            (None, true) => None,
            (None, false) => Some(f64::from(default_value(stat))),
        }
    }

    /// Same, as a whole number; `None` too if it is none.
    pub fn whole_stat(&self, client: u16, stat: u8) -> Option<i32> {
        self.stat(client, stat).filter(|value| value.fract() == 0.0).map(|value| value as i32)
    }

    /// How an entity came by its alpha.
    pub fn alpha_story(&self, entity: u32) -> AlphaStory {
        self.alphas.get(&entity).copied().unwrap_or_default()
    }
}

/// The codes that an alpha may have: mostly one, two at the border between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Codes(pub u8, pub u8);

/// So near to the middle between two codes, either passes.
const BORDER: f64 = 1e-3;

impl Codes {
    /// Of this alpha.
    pub fn of(alpha: f32) -> Codes {
        if alpha == 0.0 || alpha.is_nan() {
            return Codes(0, 0);
        }
        let exact = (f64::from(alpha) * 254.0 + 1.0).clamp(1.0, 255.0);
        let code = |value: f64| value.clamp(1.0, 255.0).floor() as u8;
        Codes(code(exact + 0.5 + BORDER), code(exact + 0.5 - BORDER))
    }

    /// Whether a code is one of them.
    pub fn has(self, code: u8) -> bool {
        self.0 == code || self.1 == code
    }
}

/// What a saved game holds for a code; what a client shows of it, too.
pub fn saved(code: u8) -> f32 {
    match code {
        0 => 0.0,
        1 => -1.0,
        _ => (f32::from(code) - 1.0) / 254.0,
    }
}

/// The opacity of a code.
pub fn opacity(code: u8) -> f32 {
    if code == 0 { 1.0 } else { (f32::from(code) - 1.0) / 254.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(alpha: f32, codes: Codes) {
        assert_eq!(Codes::of(alpha), codes, "{alpha}");
    }

    #[test]
    fn an_alpha_has_one_code_but_for_the_middle_between_two() {
        // Worked by hand: 254 times the alpha plus 1, between 1 and 255, rounded.
        for (alpha, code) in [(0.0, 0), (-1.0, 1), (0.0001, 1), (0.002, 2), (0.25, 65), (0.5, 128), (0.75, 192)] {
            // 0.25 gives 64.5 and 0.75 gives 191.5: middles.
            let codes = if alpha == 0.25 || alpha == 0.75 { Codes(code, code - 1) } else { Codes(code, code) };
            check(alpha, codes);
        }
        check(1.0, Codes(255, 255));
        check(1.5, Codes(255, 255));
        check(f32::NAN, Codes(0, 0));
    }

    #[test]
    fn a_saved_code_is_itself_again() {
        for code in 0..=255 {
            assert!(Codes::of(saved(code)).has(code), "{code}");
            assert_eq!(Codes::of(saved(code)).0, Codes::of(saved(code)).1);
        }
    }
}
