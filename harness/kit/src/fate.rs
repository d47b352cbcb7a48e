//! What a network does with a datagram.

use std::fmt;

/// Why a datagram was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossCause {
    /// Independent loss.
    Random,
    /// The bad state of the burst model.
    Burst,
    /// An outage of the link.
    Outage,
    /// The scenario's script.
    Script,
    /// Longer than the link's MTU.
    Mtu,
    /// The link's queue was full.
    Queue,
    /// It was sent to a port that its client no longer has.
    Port,
}

/// What happens to the bytes of a delivery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Damage {
    /// Nothing.
    #[default]
    None,
    /// They are cut off.
    Truncated {
        /// How many bytes stay; longer than the datagram for all.
        keep_bytes: u16,
    },
    /// One bit is flipped.
    Flipped {
        /// Which one, counted from the first byte's lowest; taken modulo the datagram's length.
        bit: u32,
    },
}

impl Damage {
    /// How JSON has it: its name, and its number if it has one.
    pub const fn parts(self) -> (&'static str, Option<u32>) {
        match self {
            Damage::None => ("none", None),
            Damage::Truncated { keep_bytes } => ("cut_to", Some(keep_bytes as u32)),
            Damage::Flipped { bit } => ("flipped", Some(bit)),
        }
    }

    /// The damage that has these [parts](Damage::parts), if one has.
    pub fn from_parts(name: &str, number: Option<u32>) -> Option<Damage> {
        Some(match (name, number) {
            ("none", None) => Damage::None,
            ("cut_to", Some(keep_bytes)) => Damage::Truncated { keep_bytes: keep_bytes.try_into().ok()? },
            ("flipped", Some(bit)) => Damage::Flipped { bit },
            _ => return None,
        })
    }

    /// The same damage to a datagram of `length` bytes, in numbers that lie inside of it; none where it changes nothing. That
    /// is decided by the length alone: a fate is known before the bytes are looked at.
    pub fn within(self, length: usize) -> Damage {
        match self {
            Damage::Truncated { keep_bytes } if usize::from(keep_bytes) < length => self,
            Damage::Flipped { bit } if length > 0 => {
                Damage::Flipped { bit: (u64::from(bit) % (length as u64 * 8)) as u32 }
            }
            Damage::None | Damage::Truncated { .. } | Damage::Flipped { .. } => Damage::None,
        }
    }

    /// Damages the bytes of a datagram; returns whether they changed.
    pub fn apply(self, bytes: &mut Vec<u8>) -> bool {
        match self.within(bytes.len()) {
            Damage::None => return false,
            Damage::Truncated { keep_bytes } => bytes.truncate(keep_bytes.into()),
            Damage::Flipped { bit } => {
                if let Some(byte) = bytes.get_mut(bit as usize / 8) {
                    *byte ^= 1 << (bit % 8);
                }
            }
        }
        true
    }
}

/// Nothing, or ` cut to 4 bytes`, as it follows the time of an arrival.
impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Damage::None => Ok(()),
            Damage::Truncated { keep_bytes } => write!(f, " cut to {keep_bytes} bytes"),
            Damage::Flipped { bit } => write!(f, " with bit {bit} flipped"),
        }
    }
}

/// One delivery of a datagram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivery {
    /// From sending to delivery, in microseconds.
    pub delay_us: u64,
    /// What happens to the bytes on the way.
    pub damage: Damage,
}

impl Delivery {
    /// A delivery of the whole datagram after `delay_us`.
    pub const fn whole(delay_us: u64) -> Delivery {
        Delivery { delay_us, damage: Damage::None }
    }

    /// Whether the receiver gets the bytes as they were sent.
    pub const fn intact(&self) -> bool {
        matches!(self.damage, Damage::None)
    }
}

/// What the network does with one datagram: no delivery is a loss, two are a duplication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Never delivered.
    Lost(LossCause),
    /// Delivered once.
    Once(Delivery),
    /// Delivered twice.
    Twice(Delivery, Delivery),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], damage: Damage, expected: Option<&[u8]>) {
        let mut out = bytes.to_vec();
        let changed = damage.apply(&mut out);
        assert_eq!(changed.then_some(out.as_slice()), expected, "{damage:?}");
        assert!(changed || out == bytes);
    }

    fn cut(keep_bytes: u16) -> Damage {
        Damage::Truncated { keep_bytes }
    }

    #[test]
    fn bytes_are_damaged_as_the_damage_says() {
        check(&[1, 2, 3], cut(2), Some(&[1, 2]));
        check(&[1, 2, 3], cut(0), Some(&[]));
        check(&[1, 2, 3], Damage::Flipped { bit: 0 }, Some(&[0, 2, 3]));
        check(&[1, 2, 3], Damage::Flipped { bit: 23 }, Some(&[1, 2, 0x83]));
        check(&[1, 2, 3], Damage::Flipped { bit: 25 }, Some(&[3, 2, 3]));
    }

    #[test]
    fn a_damage_is_read_back_from_its_parts() {
        for damage in [Damage::None, cut(20), cut(u16::MAX), Damage::Flipped { bit: u32::MAX }] {
            let (name, number) = damage.parts();
            assert_eq!(Damage::from_parts(name, number), Some(damage));
        }
        for (name, number) in [("none", Some(1)), ("cut_to", None), ("cut_to", Some(65_536)), ("bent", Some(1))] {
            assert_eq!(Damage::from_parts(name, number), None, "{name} {number:?}");
        }
    }

    #[test]
    fn damage_that_changes_nothing_leaves_the_bytes_intact() {
        check(&[1, 2, 3], Damage::None, None);
        check(&[1, 2, 3], cut(3), None);
        check(&[1, 2, 3], cut(400), None);
        check(&[], Damage::Flipped { bit: 5 }, None);
        check(&[], cut(0), None);
    }
}
