//! The trace hash: one number for everything that went in and over the wire.

use crate::{FATE_MODEL, SLOT_US};
use kit::{Command, Damage, Delivery, Fate, PacketId, Probe, StatValue, Time, TraceEvent};
use xxhash_rust::xxh3::Xxh3;

const SENT: u64 = 1;
const DELIVERED: u64 = 2;
const TIMEOUT: u64 = 3;
const COMMAND: u64 = 4;

/// XXH3-64 (seed 0) over a run's history, as little-endian `u64` words and datagram bytes.
///
/// It begins with [`FATE_MODEL`] and [`SLOT_US`], then has one record per line of history; a record's first word is
/// its tag with small fields above it, its second the time:
///
/// | line | words, then bytes |
/// |---|---|
/// | sent | `1 + packet`, time, place, length, `fate`; `delay_us` and `damage` of each delivery; the bytes |
/// | delivered | `2 + packet + copy * 2^41`, time, place; if not intact: length, then the bytes |
/// | timeout | `3 + host * 2^8`, time |
/// | command | `4 + host * 2^8`, time, the command's number in [`Command`], and six words of arguments |
///
/// `packet` is `client * 2^8 + direction * 2^40`, plus `2^42` for an intact delivery; place is `slot + ordinal * 2^32`;
/// `fate` is the number of deliveries, or `256 +` the number of the [`LossCause`](kit::LossCause); `damage` is
/// `keep_bytes + bit * 2^16`, with all bits of a part set where the damage has none. Bytes that arrive intact are in the
/// hash as they were sent. What endpoints say of themselves ([`TraceEvent::Event`]) is not in it, nor is the
/// seed: a replay from recorded fates has the hash of its original.
#[derive(Clone)]
pub struct TraceHash(Xxh3);

impl std::fmt::Debug for TraceHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TraceHash({:016x})", self.value())
    }
}

impl Default for TraceHash {
    fn default() -> TraceHash {
        TraceHash::new()
    }
}

impl TraceHash {
    /// The hash of a run in which nothing has happened.
    pub fn new() -> TraceHash {
        let mut hash = TraceHash(Xxh3::new());
        hash.words([u64::from(FATE_MODEL), SLOT_US]);
        hash
    }

    /// The hash of everything so far.
    pub fn value(&self) -> u64 {
        self.0.digest()
    }

    #[inline]
    fn words<const N: usize>(&mut self, words: [u64; N]) {
        let mut bytes = [[0; 8]; N];
        for (bytes, word) in bytes.iter_mut().zip(words) {
            *bytes = word.to_le_bytes();
        }
        self.0.update(bytes.as_flattened());
    }

    #[inline]
    fn sent(&mut self, now: Time, packet: &PacketId, bytes: &[u8], fate: &Fate) {
        let (tag, length) = (SENT | packet_bits(packet), bytes.len() as u64);
        match fate {
            Fate::Lost(cause) => self.words([tag, now.us(), place(packet), length, 256 + *cause as u64]),
            Fate::Once(only) => {
                let [delay_us, damage] = delivery_words(only);
                self.words([tag, now.us(), place(packet), length, 1, delay_us, damage]);
            }
            Fate::Twice(first, second) => {
                let ([first_us, first], [second_us, second]) = (delivery_words(first), delivery_words(second));
                self.words([tag, now.us(), place(packet), length, 2, first_us, first, second_us, second]);
            }
        }
        self.0.update(bytes);
    }

    #[inline]
    fn delivered(&mut self, now: Time, packet: &PacketId, copy: u8, bytes: &[u8], intact: bool) {
        let tag = DELIVERED | packet_bits(packet) | u64::from(copy) << 41 | u64::from(intact) << 42;
        if intact {
            self.words([tag, now.us(), place(packet)]);
        } else {
            self.words([tag, now.us(), place(packet), bytes.len() as u64]);
            self.0.update(bytes);
        }
    }
}

impl Probe for TraceHash {
    #[inline]
    fn on(&mut self, now: Time, event: &TraceEvent<'_>) {
        match *event {
            TraceEvent::Sent { packet, bytes, fate, .. } => self.sent(now, &packet, bytes, &fate),
            TraceEvent::Delivered { packet, copy, bytes, intact } => self.delivered(now, &packet, copy, bytes, intact),
            TraceEvent::Timeout { host } => self.words([TIMEOUT | u64::from(host.0) << 8, now.us()]),
            TraceEvent::Command { host, command } => {
                let [kind, a, b, c, d, e, f] = command_words(command);
                self.words([COMMAND | u64::from(host.0) << 8, now.us(), kind, a, b, c, d, e, f]);
            }
            TraceEvent::Event { .. } => {}
        }
    }
}

fn packet_bits(packet: &PacketId) -> u64 {
    u64::from(packet.client.0) << 8 | (packet.direction.index() as u64) << 40
}

fn place(packet: &PacketId) -> u64 {
    u64::from(packet.slot) | u64::from(packet.ordinal) << 32
}

/// The delay and the damage. A new kind of damage has a tag of its own, from 1, in the top four bits, and its numbers in the lower
/// 48, so that its word is no other's.
#[inline]
fn delivery_words(delivery: &Delivery) -> [u64; 2] {
    let (no_cut, no_flip) = (u64::from(u16::MAX), u64::from(u32::MAX) << 16);
    let damage = match delivery.damage {
        Damage::None => no_cut | no_flip,
        Damage::Truncated { keep_bytes } => u64::from(keep_bytes) | no_flip,
        Damage::Flipped { bit } => no_cut | u64::from(bit) << 16,
    };
    [delivery.delay_us, damage]
}

/// The command's number and its arguments, in the order of their declaration; negative numbers sign-extended.
fn command_words(command: &Command) -> [u64; 7] {
    let signed = |value: i32| i64::from(value) as u64;
    match *command {
        Command::Connect => [0; 7],
        Command::Disconnect => [1, 0, 0, 0, 0, 0, 0],
        Command::Baseline { entity, field, value } => [2, entity.into(), field as u64, signed(value), 0, 0, 0],
        Command::Spawn { entity } => [3, entity.into(), 0, 0, 0, 0, 0],
        Command::Set { entity, field, value } => [4, entity.into(), field as u64, signed(value), 0, 0, 0],
        Command::Remove { entity } => [5, entity.into(), 0, 0, 0, 0, 0],
        Command::Stat { client, stat, value } => {
            let (kind, value) = match value {
                StatValue::Int(value) => (0, signed(value)),
                StatValue::Float(value) => (1, value.to_bits().into()),
            };
            [6, client.into(), stat.into(), kind, value, 0, 0]
        }
        Command::Map => [7, 0, 0, 0, 0, 0, 0],
        Command::Verb { verb, args } => {
            [8, verb as u64, signed(args[0]), signed(args[1]), signed(args[2]), signed(args[3]), 0]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::{Direction, HostId, LossCause};

    const PACKET: PacketId =
        PacketId { client: HostId(1), direction: Direction::ClientToServer, slot: 2, ordinal: 3, index: 4 };

    fn hash(events: &[TraceEvent<'_>]) -> u64 {
        let mut hash = TraceHash::new();
        for event in events {
            hash.on(Time(25_000), event);
        }
        hash.value()
    }

    #[test]
    fn the_layout_of_records_is_as_documented() {
        let cut = Delivery { delay_us: 70, damage: Damage::Truncated { keep_bytes: 2 } };
        let flipped = Delivery { delay_us: 80, damage: Damage::Flipped { bit: 5 } };
        let fate = Fate::Twice(cut, flipped);
        let events = [
            TraceEvent::Sent { packet: PACKET, bytes: b"abc", fate, dissection: None },
            TraceEvent::Delivered { packet: PACKET, copy: 1, bytes: b"ab", intact: false },
            TraceEvent::Timeout { host: HostId(1) },
            TraceEvent::Command { host: HostId(0), command: &Command::Set { entity: 9, field: 8, value: -1 } },
        ];
        let mut bytes = Vec::new();
        let mut put = |words: &[u64], tail: &[u8]| {
            bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
            bytes.extend(tail);
        };
        let place = 2 + 3 * (1 << 32);
        put(&[1, 10_000], b"");
        put(
            &[
                1 + (1 << 8) + (1 << 40),
                25_000,
                place,
                3,
                2,
                70,
                2 + 0xffff_ffff * (1 << 16),
                80,
                0xffff + 5 * (1 << 16),
            ],
            b"abc",
        );
        put(&[2 + (1 << 8) + (1 << 40) + (1 << 41), 25_000, place, 2], b"ab");
        put(&[3 + (1 << 8), 25_000], b"");
        put(&[4, 25_000, 4, 9, 8, u64::MAX, 0, 0, 0], b"");
        assert_eq!(hash(&events), xxhash_rust::xxh3::xxh3_64(&bytes));
    }

    #[test]
    fn every_part_of_a_line_changes_the_hash() {
        let sent = |packet, bytes, fate| hash(&[TraceEvent::Sent { packet, bytes, fate, dissection: None }]);
        let delivered = |packet, copy, intact| hash(&[TraceEvent::Delivered { packet, copy, bytes: b"abc", intact }]);
        let whole = Delivery::whole(5);
        let hashes = [
            sent(PACKET, b"abc", Fate::Once(whole)),
            sent(PACKET, b"abd", Fate::Once(whole)),
            sent(PACKET, b"abc", Fate::Once(Delivery::whole(6))),
            sent(PACKET, b"abc", Fate::Once(Delivery { damage: Damage::Flipped { bit: 1 }, ..whole })),
            sent(PACKET, b"abc", Fate::Once(Delivery { damage: Damage::Truncated { keep_bytes: 1 }, ..whole })),
            sent(PACKET, b"abc", Fate::Twice(whole, whole)),
            sent(PACKET, b"abc", Fate::Lost(LossCause::Random)),
            sent(PACKET, b"abc", Fate::Lost(LossCause::Queue)),
            sent(PacketId { slot: 3, ..PACKET }, b"abc", Fate::Once(whole)),
            sent(PacketId { ordinal: 0, ..PACKET }, b"abc", Fate::Once(whole)),
            sent(PacketId { client: HostId(2), ..PACKET }, b"abc", Fate::Once(whole)),
            sent(PacketId { direction: Direction::ServerToClient, ..PACKET }, b"abc", Fate::Once(whole)),
            delivered(PACKET, 0, true),
            delivered(PACKET, 1, true),
            delivered(PACKET, 0, false),
        ];
        for (n, a) in hashes.iter().enumerate() {
            assert!(!hashes[..n].contains(a), "case {n}");
        }
    }
}
