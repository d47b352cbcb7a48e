//! The instructions of a run in the order of time, made as they are needed.
//!
//! Instructions at the same moment come in this order: the world and the timeline, as the file has them; then repeated steps;
//! then crowds; then churn.

use super::script::{ChurnRule, CrowdRule, Script};
use kit::table::float_bits;
use kit::{Command, HostId, Numbers, Time, Unit};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use std::collections::VecDeque;
use std::sync::Arc;

/// Separates the draws of churn from all others with the same seed.
const CHURN_DOMAIN: [u8; 8] = *b"churn v1";

/// Random floats are multiples of an eighth, as every protocol can carry them, up to 2000 either way.
const FLOAT_STEPS: u64 = 32_001;

/// All instructions of one run.
pub(super) struct Commands {
    script: Arc<Script>,
    /// How many of the fixed instructions were given.
    given: usize,
    /// Rounds that each repeated step has behind it.
    repeat_rounds: Vec<u64>,
    /// Rounds that each crowd has behind it.
    crowd_rounds: Vec<u64>,
    churns: Vec<ChurnState>,
    /// The rest of the round that was made last.
    round: VecDeque<Command>,
    /// Who is instructed by it.
    host: HostId,
    now: Time,
    /// The entities in the world.
    live: Numbers,
}

struct ChurnState {
    rounds: u64,
    draws: ChaCha8Rng,
}

/// Where the next instruction comes from. The order decides among equal times.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Fixed,
    Repeat(usize),
    Crowd(usize),
    Churn(usize),
}

impl Commands {
    pub fn new(script: Arc<Script>, seed: u64) -> Commands {
        let churns =
            (0..script.churns.len()).map(|index| ChurnState { rounds: 0, draws: stream(seed, index) }).collect();
        Commands {
            given: 0,
            repeat_rounds: vec![0; script.repeats.len()],
            crowd_rounds: vec![0; script.crowds.len()],
            churns,
            round: VecDeque::new(),
            host: HostId::SERVER,
            now: Time::ZERO,
            live: Numbers::default(),
            script,
        }
    }

    /// What comes next, and when.
    fn next_source(&self) -> Option<(Time, Source)> {
        let script = &self.script;
        let fixed = script.fixed.get(self.given).map(|(time, _, _)| (*time, Source::Fixed));
        let repeats =
            script.repeats.iter().zip(&self.repeat_rounds).enumerate().filter_map(|(index, (step, rounds))| {
                Some((round_time(step.from, step.until, step.every_us, *rounds)?, Source::Repeat(index)))
            });
        let crowds = script.crowds.iter().zip(&self.crowd_rounds).enumerate().filter_map(|(index, (crowd, rounds))| {
            Some((round_time(crowd.from, crowd.until, crowd.every_us, *rounds)?, Source::Crowd(index)))
        });
        let churns = script.churns.iter().zip(&self.churns).enumerate().filter_map(|(index, (churn, state))| {
            Some((round_time(churn.from, churn.until, churn.every_us, state.rounds)?, Source::Churn(index)))
        });
        fixed.into_iter().chain(repeats).chain(crowds).chain(churns).min()
    }

    #[inline]
    fn follow(&mut self, command: &Command) {
        match *command {
            Command::Spawn { entity } => {
                if let Err(place) = self.live.place_of(entity) {
                    self.live.insert(place, entity);
                }
            }
            Command::Remove { entity } => {
                if let Ok(place) = self.live.place_of(entity) {
                    self.live.remove(place);
                }
            }
            Command::Map => self.live.clear(),
            _ => {}
        }
    }
}

impl Iterator for Commands {
    type Item = (Time, HostId, Command);

    fn next(&mut self) -> Option<(Time, HostId, Command)> {
        loop {
            if let Some(command) = self.round.pop_front() {
                self.follow(&command);
                return Some((self.now, self.host, command));
            }
            let (time, source) = self.next_source()?;
            (self.now, self.host) = (time, HostId::SERVER);
            let script = Arc::clone(&self.script);
            match source {
                Source::Fixed => {
                    let (time, host, command) = *script.fixed.get(self.given)?;
                    self.given += 1;
                    self.follow(&command);
                    return Some((time, host, command));
                }
                Source::Repeat(index) => {
                    let (step, rounds) = (script.repeats.get(index)?, self.repeat_rounds.get_mut(index)?);
                    *rounds += 1;
                    self.host = step.host;
                    self.round.extend(&step.commands);
                }
                Source::Crowd(index) => {
                    let (crowd, rounds) = (script.crowds.get(index)?, self.crowd_rounds.get_mut(index)?);
                    *rounds += 1;
                    crowd_round(crowd, *rounds, &self.live, &mut self.round);
                }
                Source::Churn(index) => {
                    let (churn, state) = (script.churns.get(index)?, self.churns.get_mut(index)?);
                    state.rounds += 1;
                    churn_round(churn, &mut state.draws, &self.live, &mut self.round);
                }
            }
        }
    }
}

/// The time of the round after `rounds`, if there is one more.
fn round_time(from: Time, until: Time, every_us: u64, rounds: u64) -> Option<Time> {
    let time = from.after(every_us.saturating_mul(rounds));
    (time < until).then_some(time)
}

fn crowd_round(crowd: &CrowdRule, count: u64, live: &Numbers, out: &mut VecDeque<Command>) {
    for (place, entity) in crowd.entities.numbers().enumerate().filter(|(_, entity)| live.place_of(*entity).is_ok()) {
        for change in &crowd.changes {
            let value = change.value(place, count);
            let value = match change.unit {
                Unit::Int(..) => value as i64 as i32,
                Unit::Float => float_bits(value as f32),
            };
            out.push_back(Command::Set { entity, field: change.field, value });
        }
    }
}

/// Five words are drawn for every entity, whatever they decide, so that no entity's fate depends on another's.
fn churn_round(churn: &ChurnRule, draws: &mut ChaCha8Rng, live: &Numbers, out: &mut VecDeque<Command>) {
    for entity in churn.entities.numbers() {
        let mut words = [0; 5];
        words.iter_mut().for_each(|word| *word = draws.next_u32());
        let [come_or_go, change, which, high, low] = words;
        if live.place_of(entity).is_err() {
            if chance(come_or_go, churn.spawn_ppm) {
                out.push_back(Command::Spawn { entity });
            }
        } else if chance(come_or_go, churn.remove_ppm) {
            out.push_back(Command::Remove { entity });
        } else if chance(change, churn.set_ppm) {
            let index = below(u64::from(which), churn.fields.len() as u64) as usize;
            if let Some((field, unit)) = churn.fields.get(index) {
                out.push_back(Command::Set { entity, field: *field, value: any_value(*unit, high, low) });
            }
        }
    }
}

/// Whether something of probability `ppm` comes true.
fn chance(word: u32, ppm: u32) -> bool {
    below(u64::from(word), 1_000_000) < u64::from(ppm)
}

/// A 32-bit word as a number below `count`.
fn below(word: u64, count: u64) -> u64 {
    (word * count) >> 32
}

/// Any value within the unit's range.
fn any_value(unit: Unit, high: u32, low: u32) -> i32 {
    let word = u64::from(high) << 32 | u64::from(low);
    match unit {
        Unit::Int(first, last) => {
            let span = i128::from(last) - i128::from(first) + 1;
            (i128::from(first) + ((i128::from(word) * span.max(1)) >> 64)) as i32
        }
        Unit::Float => {
            let eighths = below(u64::from(high), FLOAT_STEPS) as i32 - (FLOAT_STEPS as i32 - 1) / 2;
            float_bits(eighths as f32 / 8.0)
        }
    }
}

/// The draws of one churn.
fn stream(seed: u64, index: usize) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&CHURN_DOMAIN);
    key[16..24].copy_from_slice(&(index as u64).to_le_bytes());
    ChaCha8Rng::from_seed(key)
}
