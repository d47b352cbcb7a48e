//! A simple mutator: what a fuzzer does without looking at coverage.

/// A small generator (xorshift): the same inputs on every machine.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Another seed, other rolls.
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `sides`; 0 when that is 0.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 16) % sides.max(1) as u64) as usize
    }

    /// A byte: often one at which something changes.
    pub fn byte(&mut self) -> u8 {
        match self.roll(3) {
            0 => [0, 1, 0x7f, 0x80, 0xff, 0x40, 0xfe, 0x20][self.roll(8)],
            _ => self.roll(256) as u8,
        }
    }
}

/// Longest input made, in bytes.
const MAX_BYTES: usize = 4096;

/// One of the seeds, changed in one to four places.
pub fn mutated(seeds: &[Vec<u8>], dice: &mut Dice) -> Vec<u8> {
    let mut input = seeds[dice.roll(seeds.len())].clone();
    for _ in 0..=dice.roll(4) {
        let (at, length) = (dice.roll(input.len() + 1), dice.roll(input.len() / 4 + 8));
        let end = (at + length).min(input.len());
        match dice.roll(8) {
            0 | 1 if at < input.len() => input[at] ^= 1 << dice.roll(8),
            2 if at < input.len() => input[at] = dice.byte(),
            3 => drop(input.drain(at..end)),
            4 => input.truncate(at),
            5 => {
                let bytes: Vec<u8> = (0..=dice.roll(8)).map(|_| dice.byte()).collect();
                input.splice(at..at, bytes);
            }
            6 => {
                let repeated = input[at..end].repeat(1 + dice.roll(4));
                input.splice(at..at, repeated);
            }
            _ => {
                let other = &seeds[dice.roll(seeds.len())];
                let from = dice.roll(other.len() + 1);
                input.truncate(at);
                input.extend_from_slice(&other[from..]);
            }
        }
    }
    input.truncate(MAX_BYTES);
    input
}
