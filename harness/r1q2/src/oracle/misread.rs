//! What a frame says that makes no sense, or no sense that fits the world: whether it does if it was written in one of
//! the ways in which writers go wrong. That names what they broke.

use super::compare::{self, Looker};
use super::image::{Image, Said};
use super::truth::Snapshot;
use crate::requirements::*;
use crate::wire::constants::*;
use crate::wire::dialect::Dialect;
use crate::wire::message::Carrier;
use kit::{Reader, Requirement};

/// Bytes of a frame over protocol 35 in front of its area bits' count: command byte, long, suppress byte.
const HEAD: usize = 6;
/// Bytes of a frame over protocol 34 there.
const HEAD_ORIGINAL: usize = 10;

/// A way to go wrong: puts the bytes of a frame right, if they can be those of it.
type Repair = fn(&[u8]) -> Option<Vec<u8>>;

/// Where the player state begins.
fn player_at(frame: &[u8], head: usize) -> Option<usize> {
    let areas = usize::from(*frame.get(head)?);
    Some(head + 1 + areas)
}

/// Without the byte at `at`, if it is `byte`.
fn without(frame: &[u8], at: usize, byte: u8) -> Option<Vec<u8>> {
    (*frame.get(at)? == byte).then(|| {
        let mut repaired = frame.to_vec();
        repaired.remove(at);
        repaired
    })
}

fn no_playerinfo(frame: &[u8]) -> Option<Vec<u8>> {
    without(frame, player_at(frame, HEAD)?, SVC_PLAYERINFO)
}

fn swapped_nibbles(frame: &[u8]) -> Option<Vec<u8>> {
    let mut repaired = frame.to_vec();
    let byte = repaired.get_mut(HEAD - 1)?;
    *byte = byte.rotate_left(4);
    Some(repaired)
}

fn swapped_gun_flags(frame: &[u8]) -> Option<Vec<u8>> {
    let mut repaired = frame.to_vec();
    let byte = repaired.get_mut(HEAD - 1)?;
    let flags = *byte >> 4;
    let swapped = flags & !3 | (flags & 1) << 1 | (flags & 2) >> 1;
    *byte = *byte & 0xf | swapped << 4;
    (swapped != flags).then_some(repaired)
}

fn swapped_z_flags(frame: &[u8]) -> Option<Vec<u8>> {
    let mut repaired = frame.to_vec();
    let byte = repaired.get_mut(HEAD - 1)?;
    let flags = *byte >> 4;
    let swapped = flags & !12 | (flags & 4) << 1 | (flags & 8) >> 1;
    *byte = *byte & 0xf | swapped << 4;
    (swapped != flags).then_some(repaired)
}

/// Bits 5 to 7 of the command byte one higher or lower than they belong.
fn shifted_upper_bits(frame: &[u8]) -> Option<Vec<u8>> {
    let mut repaired = frame.to_vec();
    let byte = repaired.first_mut()?;
    let bits = *byte >> 5;
    let shifted = (bits << 1 | bits >> 2) & 7;
    *byte = *byte & SVC_MASK | shifted << 5;
    (bits != shifted).then_some(repaired)
}

/// A frame word with its parts exchanged: the distance in the lower five bits.
fn exchanged_word(frame: &[u8]) -> Option<Vec<u8>> {
    let mut repaired = frame.to_vec();
    let word = repaired.get(1..5)?.first_chunk().map(|word| u32::from_le_bytes(*word))?;
    repaired.get_mut(1..5)?.copy_from_slice(&word.rotate_right(5).to_le_bytes());
    Some(repaired)
}

/// A frame word of 28 and 4 bits.
fn word_of_28_bits(frame: &[u8]) -> Option<Vec<u8>> {
    let mut repaired = frame.to_vec();
    let word = repaired.get(1..5)?.first_chunk().map(|word| u32::from_le_bytes(*word))?;
    let offset = match word >> 28 {
        15 => NO_DELTA_OFFSET,
        offset => offset,
    };
    repaired.get_mut(1..5)?.copy_from_slice(&(word & FRAME_NUMBER | offset << OFFSET_SHIFT).to_le_bytes());
    Some(repaired)
}

/// Two longs where protocol 35 has one.
fn two_longs(frame: &[u8]) -> Option<Vec<u8>> {
    let long = |at: usize| frame.get(at..).and_then(|rest| rest.first_chunk()).map(|long| i32::from_le_bytes(*long));
    let (number, delta) = (long(1)?, long(5)?);
    let offset = if delta <= 0 { NO_DELTA_OFFSET } else { u32::try_from(number.checked_sub(delta)?).ok()? & 31 };
    let mut repaired = vec![*frame.first()?];
    repaired.extend_from_slice(&(number as u32 & FRAME_NUMBER | offset << OFFSET_SHIFT).to_le_bytes());
    repaired.extend_from_slice(frame.get(9..)?);
    Some(repaired)
}

/// The area bits stand in front of the suppress byte.
fn areas_first(frame: &[u8]) -> Option<Vec<u8>> {
    let end = player_at(frame, HEAD - 1)?;
    let mut repaired = frame.get(..HEAD - 1)?.to_vec();
    repaired.push(*frame.get(end)?);
    repaired.extend_from_slice(frame.get(HEAD - 1..end)?);
    repaired.extend_from_slice(frame.get(end + 1..)?);
    Some(repaired)
}

/// The area bits stand in front of their count, and that in front of the suppress byte.
fn areas_before_count(frame: &[u8]) -> Option<Vec<u8>> {
    let areas =
        (0..=MAX_AREA_BYTES).find(|&areas| frame.get(HEAD - 1 + areas).copied().map(usize::from) == Some(areas))?;
    let count = HEAD - 1 + areas;
    let mut repaired = frame.get(..HEAD - 1)?.to_vec();
    repaired.extend_from_slice(&[*frame.get(count + 1)?, *frame.get(count)?]);
    repaired.extend_from_slice(frame.get(HEAD - 1..count)?);
    repaired.extend_from_slice(frame.get(count + 2..)?);
    Some(repaired)
}

/// No byte of `svc_playerinfo` over protocol 34.
fn lacks_playerinfo(frame: &[u8]) -> Option<Vec<u8>> {
    let mut repaired = frame.to_vec();
    let at = player_at(frame, HEAD_ORIGINAL)?;
    (at <= repaired.len()).then(|| repaired.insert(at, SVC_PLAYERINFO))?;
    Some(repaired)
}

/// Makes an extra flag what a flag of the player state is: how a writer meant it that has the parts as protocol 34.
fn as_whole(frame: &[u8], ps: u64, eps: u8) -> Option<Vec<u8>> {
    let at = player_at(frame, HEAD)?;
    let flags = u16::from_le_bytes(*frame.get(at..)?.first_chunk()?);
    with_extra(frame, eps, u64::from(flags) & ps != 0)
}

/// Sets or clears extra flags.
fn with_extra(frame: &[u8], eps: u8, set: bool) -> Option<Vec<u8>> {
    let mut repaired = frame.to_vec();
    let (low, high) = (eps << 4, (eps & 0x70) << 1);
    for (at, bits) in [(HEAD - 1, low), (0, high)] {
        let byte = repaired.get_mut(at)?;
        *byte = if set { *byte | bits } else { *byte & !bits };
    }
    (repaired != frame).then_some(repaired)
}

fn whole_origin(frame: &[u8]) -> Option<Vec<u8>> {
    as_whole(frame, PS_M_ORIGIN, EPS_PMOVE_ORIGIN2)
}

fn whole_velocity(frame: &[u8]) -> Option<Vec<u8>> {
    as_whole(frame, PS_M_VELOCITY, EPS_PMOVE_VELOCITY2)
}

fn whole_angles(frame: &[u8]) -> Option<Vec<u8>> {
    as_whole(frame, PS_VIEWANGLES, EPS_VIEWANGLE2)
}

fn whole_offset(frame: &[u8]) -> Option<Vec<u8>> {
    as_whole(frame, PS_WEAPONFRAME, EPS_GUNOFFSET)
}

fn unsaid_statistics(frame: &[u8]) -> Option<Vec<u8>> {
    with_extra(frame, EPS_STATS, true)
}

/// What goes wrong over protocol 35.
static R1Q2: [(&Requirement, Repair); 15] = [
    (&FRM_08, no_playerinfo),
    (&FRM_05, swapped_nibbles),
    (&PS_02, whole_origin),
    (&PS_03, whole_velocity),
    (&PS_04, whole_angles),
    (&PS_05, whole_offset),
    (&PS_06, unsaid_statistics),
    (&PS_01, swapped_gun_flags),
    (&PS_01, swapped_z_flags),
    (&FRM_07, shifted_upper_bits),
    (&FRM_01, exchanged_word),
    (&FRM_01, word_of_28_bits),
    (&FRM_01, two_longs),
    (&FRM_10, areas_first),
    (&FRM_10, areas_before_count),
];
/// What goes wrong over protocol 34.
static ORIGINAL: [(&Requirement, Repair); 1] = [(&FRM_08, lacks_playerinfo)];

/// What a frame is held against.
pub struct Context<'a> {
    /// What was sent before.
    pub image: &'a Image,
    /// The dialect.
    pub dialect: Dialect,
    /// The world, now and shortly before.
    pub states: &'a [&'a Snapshot],
    /// Whose frame it is.
    pub looker: Looker,
    /// Where it came from.
    pub carrier: Carrier,
}

impl Context<'_> {
    /// Whether a frame, the first thing of `bytes`, fits the world.
    fn fits(&self, bytes: &[u8]) -> bool {
        let (mut image, mut dialect, mut said) = (self.image.clone(), self.dialect, Vec::new());
        let read = image.services(&mut Reader::new(bytes), &mut dialect, None, self.carrier, &mut said);
        let Some(Said::Frame(held)) = said.first().filter(|_| read.is_ok()) else { return false };
        let base = held.base.and_then(|base| self.image.frame(base));
        // A count of frames held back that there were not is no better sense.
        let gap = held.before.map_or(i64::MAX, |before| i64::from(held.number) - i64::from(before) - 1);
        let counts = i64::from(held.suppress) <= gap.max(0);
        held.valid && counts && compare::against(held, base, self.states, &self.looker, &self.dialect).is_empty()
    }

    /// The requirement of which `bytes`, which begin with a frame that makes no sense, are the breach.
    pub fn broken(&self, bytes: &[u8]) -> Option<&'static Requirement> {
        if bytes.first().is_none_or(|byte| byte & SVC_MASK != SVC_FRAME) {
            return None;
        }
        let ways: &[(&'static Requirement, Repair)] = if self.dialect.is_r1q2() { &R1Q2 } else { &ORIGINAL };
        for (requirement, repair) in ways {
            if repair(bytes).is_some_and(|repaired| self.fits(&repaired)) {
                return Some(requirement);
            }
        }
        if self.dialect.is_r1q2() {
            // A byte of svc_packetentities somewhere behind the player state; where, only trying tells.
            let from = player_at(bytes, HEAD)?;
            let candidates = bytes.iter().enumerate().skip(from).filter(|(_, byte)| **byte == SVC_PACKETENTITIES);
            for (at, _) in candidates.take(MAX_TRIES) {
                if without(bytes, at, SVC_PACKETENTITIES).is_some_and(|repaired| self.fits(&repaired)) {
                    return Some(&FRM_09);
                }
            }
        }
        None
    }
}

/// Places of a byte that are tried.
const MAX_TRIES: usize = 16;
