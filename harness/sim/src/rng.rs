//! The one source of randomness: raw ChaCha8 words, addressed by key, stream and position.
//!
//! Raw ChaCha8 output is the same in every version of every generator crate; ranges, shuffles and `seed_from_u64` are
//! not. So the key is built by hand, and everything above raw words is written in this crate, in integers.

use crate::FATE_MODEL;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// Bytes that one [`FateRng::page`] holds: four ChaCha blocks, what the generator makes at a time.
pub const PAGE_BYTES: usize = 256;

/// What a stream of draws is for. Each purpose has a key of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Fates of datagrams.
    Datagram,
    /// States of the burst model.
    Burst,
    /// Beginnings of delay spikes.
    Spike,
    /// Which faults of a link with [`Swarm`](crate::Swarm) a run has.
    Swarm,
}

impl Domain {
    const fn tag(self) -> &'static [u8; 16] {
        match self {
            Domain::Datagram => b"deltaproof fates",
            Domain::Burst => b"deltaproof burst",
            Domain::Spike => b"deltaproof spike",
            Domain::Swarm => b"deltaproof swarm",
        }
    }
}

/// A random-access generator: the words at (seed, domain, stream, page) are always the same.
///
/// The 32-byte key is the seed (8 bytes, little-endian), the domain's tag (16), [`FATE_MODEL`] (4, little-endian), and
/// four zeros. Reading consecutive pages of one stream is cheapest; any other step seeks.
#[derive(Clone, Debug)]
pub struct FateRng {
    rng: ChaCha8Rng,
    stream: u64,
    next_page: u64,
}

impl FateRng {
    /// The generator for `domain` under `seed`, at the start of stream 0.
    pub fn new(seed: u64, domain: Domain) -> FateRng {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..24].copy_from_slice(domain.tag());
        key[24..28].copy_from_slice(&FATE_MODEL.to_le_bytes());
        FateRng { rng: ChaCha8Rng::from_seed(key), stream: 0, next_page: 0 }
    }

    /// Copies page `page` of `stream` (key stream bytes from `page * PAGE_BYTES`) into `out`.
    pub fn page(&mut self, stream: u64, page: u64, out: &mut [u8; PAGE_BYTES]) {
        // Pages are read whole, so the generator's own buffer is empty here unless it has just sought.
        if stream != self.stream {
            self.stream = stream;
            self.rng.set_stream(stream);
        }
        if page != self.next_page {
            self.rng.set_word_pos(u128::from(page) * (PAGE_BYTES as u128 / 4));
        }
        self.next_page = page + 1;
        self.rng.fill_bytes(out);
    }
}

/// The draw below which an event with a chance of `ppm` parts per million happens: `draw < threshold(ppm)`.
/// Chances above one million count as certain.
pub const fn threshold(ppm: u32) -> u64 {
    let ppm = if ppm > 1_000_000 { 1_000_000 } else { ppm as u64 };
    (ppm << 32) / 1_000_000
}

/// A draw, scaled to `0..n`; 0 for an empty range. The bias is below `n / 2^32`.
pub const fn below(draw: u32, n: u64) -> u64 {
    ((draw as u128 * n as u128) >> 32) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(seed: u64, domain: Domain, stream: u64, page: u64, expected: u128) {
        let mut out = [0; PAGE_BYTES];
        FateRng::new(seed, domain).page(stream, page, &mut out);
        assert_eq!(out[..16], expected.to_be_bytes(), "seed {seed}, {domain:?}, stream {stream}, page {page}");
    }

    // The expected bytes were computed with an independent ChaCha8, from the published description.
    #[test]
    fn known_answers_hold() {
        check(0, Domain::Datagram, 0, 0, 0xbe66b420fe23ede95183ed5ba4ff66fb);
        check(1, Domain::Datagram, 0, 0, 0xfb38c5e9ea3be93c4ba697091dedb49e);
        check(0, Domain::Burst, 0, 0, 0x212f43cc7994d6d85734ecc160de02c0);
        check(0xdeadbeef, Domain::Datagram, 0x300010002, 1000, 0x70271003193fdba00ee64a4e5f61f31a);
        check(42, Domain::Burst, 0x100000000, 5, 0xf6b14818deb9a2f736b36cbc0b51e29b);
    }

    #[test]
    fn pages_are_the_same_in_any_order() {
        let mut forwards = FateRng::new(7, Domain::Datagram);
        let mut jumping = FateRng::new(7, Domain::Datagram);
        let (mut a, mut b) = ([0; PAGE_BYTES], [0; PAGE_BYTES]);
        jumping.page(3, 9, &mut b);
        for page in 0..20 {
            for stream in [0, 1, 1 << 40] {
                forwards.page(stream, page, &mut a);
                FateRng::new(7, Domain::Datagram).page(stream, page, &mut b);
                assert_eq!(a, b, "fresh generator, stream {stream} page {page}");
                jumping.page(stream, page, &mut b);
                assert_eq!(a, b, "used generator, stream {stream} page {page}");
            }
        }
    }

    #[test]
    fn thresholds_reach_never_and_always() {
        assert_eq!(threshold(0), 0);
        assert_eq!(threshold(500_000), 1 << 31);
        assert_eq!(threshold(1_000_000), 1 << 32);
        assert_eq!(threshold(u32::MAX), 1 << 32);
    }

    #[test]
    fn scaled_draws_stay_in_range() {
        assert_eq!(below(u32::MAX, 0), 0);
        assert_eq!(below(u32::MAX, 10), 9);
        assert_eq!(below(0, 10), 0);
        assert_eq!(below(u32::MAX, u64::MAX), u64::MAX - (u64::MAX >> 32) - 1);
    }
}
