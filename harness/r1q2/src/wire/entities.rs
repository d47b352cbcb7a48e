//! The entities of a frame as a whole: what a list of entries makes of those of the base, and which list makes one set
//! of entities of another.
//!
//! Both walk the base and the frame side by side, in the order of numbers. An entity of the base that no entry mentions
//! stays; one that the base does not have starts from its baseline, and is mentioned even if it does not differ from
//! that.

use crate::wire::delta::{self, Entry, OmittedOrigin};
use crate::wire::state::{Entity, EntityList};
use kit::{DecodeError, Reader, Writer};

/// What is odd about an entry. It is applied all the same, as engines do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oddity {
    /// Its number is not above that of the entry before.
    OutOfOrder(u32),
    /// It removes what the base does not have.
    RemovesNothing(u32),
}

/// Puts the entities of a frame together, entry by entry.
#[derive(Clone, Copy, Debug)]
pub struct Merge {
    /// How many entities of the base are dealt with.
    done: usize,
    /// The number of the last entry.
    last: u32,
    /// The old origins that are not sent.
    omitted: OmittedOrigin,
}

impl Default for Merge {
    fn default() -> Merge {
        Merge::with(delta::omitted_old_origin)
    }
}

impl Merge {
    /// At the beginning of a list, for a reader with its own notion of old origins that are not sent.
    pub fn with(omitted: OmittedOrigin) -> Merge {
        Merge { done: 0, last: 0, omitted }
    }

    /// Applies an entry, whose fields are the next of `r`, to what `now` has so far. At [`Entry::End`] it is complete.
    ///
    /// # Errors
    /// The first field that is cut off.
    pub fn entry(
        &mut self,
        entry: Entry,
        r: &mut Reader<'_>,
        base: Option<&EntityList>,
        baselines: &EntityList,
        gate: u64,
        now: &mut EntityList,
    ) -> Result<Option<Oddity>, DecodeError> {
        let number = match entry {
            Entry::End => u32::MAX,
            Entry::Remove(number) | Entry::Update(number, _) => number,
        };
        while let Some((held, state)) = base.and_then(|base| base.at(self.done)).filter(|(held, _)| *held < number) {
            now.put(held, delta::carry(state, gate, self.omitted));
            self.done += 1;
        }
        let mut oddity = (number <= self.last).then_some(Oddity::OutOfOrder(number));
        self.last = number;
        // What comes out of order finds the base after it, and starts from its baseline.
        let held = base.and_then(|base| base.at(self.done)).filter(|(held, _)| *held == number);
        self.done += usize::from(held.is_some());
        match entry {
            Entry::End => oddity = None,
            Entry::Remove(_) if held.is_none() => oddity = oddity.or(Some(Oddity::RemovesNothing(number))),
            Entry::Remove(_) => {}
            Entry::Update(_, bits) => {
                let mut state = *start(held.map(|(_, state)| state), baselines, number);
                delta::read_fields_as(r, bits, &mut state, gate, self.omitted)?;
                now.put(number, state);
            }
        }
        Ok(oddity)
    }
}

/// What an entity is a change of: what the base has, else its baseline, else nothing.
pub fn start<'a>(held: Option<&'a Entity>, baselines: &'a EntityList, number: u32) -> &'a Entity {
    held.or_else(|| baselines.get(number)).unwrap_or(&Entity::NULL)
}

/// Reads a whole list of entities, its end included, into `now`, which is emptied first. What is odd about it is in
/// `oddities`.
///
/// # Errors
/// The first field that cannot be read.
pub fn read(
    r: &mut Reader<'_>,
    base: Option<&EntityList>,
    baselines: &EntityList,
    gate: u64,
    now: &mut EntityList,
) -> Result<Vec<Oddity>, DecodeError> {
    now.clear();
    let (mut merge, mut oddities) = (Merge::default(), Vec::new());
    loop {
        let entry = delta::read_entry(r)?;
        oddities.extend(merge.entry(entry, r, base, baselines, gate, now)?);
        if entry == Entry::End {
            return Ok(oddities);
        }
    }
}

/// Writes the list that makes `now` of `base`, its end included: no more than is needed.
///
/// All states are as a peer holds them (see [`delta::quantised`]).
pub fn write(w: &mut Writer<'_>, base: Option<&EntityList>, baselines: &EntityList, gate: u64, now: &EntityList) {
    let mut done = 0;
    let mut gone = |w: &mut Writer<'_>, below: u32| {
        while let Some((held, _)) = base.and_then(|base| base.at(done)).filter(|(held, _)| *held < below) {
            delta::write_remove(w, held);
            done += 1;
        }
        let held = base.and_then(|base| base.at(done)).filter(|(held, _)| *held == below);
        done += usize::from(held.is_some());
        held.map(|(_, state)| state)
    };
    for (number, state) in now.iter() {
        let held = gone(w, number);
        let bits = delta::diff(start(held, baselines, number), state, gate);
        if held.is_none() || bits != 0 {
            delta::write_entry(w, number, bits, state, gate);
        }
    }
    gone(w, u32::MAX);
    delta::write_end(w);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::constants::RF_BEAM;
    use crate::wire::delta::GATE_PROTOCOL_35;
    use crate::wire::state::{FRAME, OLD_ORIGIN_X, ORIGIN_X, RENDERFX};
    use kit::table::float_bits;

    /// Entities by number, each with its frame.
    fn list(entities: &[(u32, i32)]) -> EntityList {
        let mut list = EntityList::default();
        for &(number, frame) in entities {
            list.entry(number, &Entity::NULL)[FRAME] = frame;
        }
        list
    }

    /// Writes what makes `now` of `base`, compares the bytes, and reads them back.
    #[track_caller]
    fn check(base: Option<&[(u32, i32)]>, baselines: &[(u32, i32)], now: &[(u32, i32)], expected: &[u8]) {
        let (base, baselines, now) = (base.map(list), list(baselines), list(now));
        let mut out = Vec::new();
        write(&mut Writer::new(&mut out), base.as_ref(), &baselines, GATE_PROTOCOL_35, &now);
        assert_eq!(out, expected);
        let mut read_back = EntityList::default();
        let mut r = Reader::new(&out);
        let oddities = read(&mut r, base.as_ref(), &baselines, GATE_PROTOCOL_35, &mut read_back);
        assert_eq!((oddities, r.left(), read_back), (Ok(Vec::new()), 0, now));
    }

    #[test]
    fn lists_say_what_is_new_what_has_changed_and_what_is_gone() {
        check(None, &[], &[], &[0, 0]);
        check(None, &[(1, 7)], &[(1, 7), (2, 0)], &[0x00, 1, 0x00, 2, 0, 0]);
        check(Some(&[]), &[(1, 7)], &[(1, 8)], &[0x10, 1, 8, 0, 0]);
        check(Some(&[(1, 7), (2, 9)]), &[(1, 3)], &[(1, 7), (2, 9)], &[0, 0]);
        check(Some(&[(1, 7), (2, 9), (3, 1)]), &[], &[(2, 9)], &[0x40, 1, 0x40, 3, 0, 0]);
        check(Some(&[(2, 9)]), &[], &[(1, 0), (2, 8), (3, 0)], &[0x00, 1, 0x10, 2, 8, 0x00, 3, 0, 0]);
    }

    /// Reads a list over entities 2 and 4.
    fn oddities(bytes: &[u8]) -> (Vec<Oddity>, EntityList) {
        let mut now = EntityList::default();
        let base = list(&[(2, 20), (4, 40)]);
        let oddities = read(&mut Reader::new(bytes), Some(&base), &list(&[]), GATE_PROTOCOL_35, &mut now);
        (oddities.expect("a list"), now)
    }

    #[test]
    fn what_is_odd_is_reported_and_applied() {
        assert_eq!(oddities(&[0x40, 3, 0, 0]), (vec![Oddity::RemovesNothing(3)], list(&[(2, 20), (4, 40)])));
        assert_eq!(oddities(&[0x10, 4, 1, 0x10, 2, 1, 0, 0]), (vec![Oddity::OutOfOrder(2)], list(&[(2, 1), (4, 1)])));
        assert_eq!(oddities(&[0x10, 4, 1, 0x10, 4, 2, 0, 0]), (vec![Oddity::OutOfOrder(4)], list(&[(2, 20), (4, 2)])));
        assert_eq!(oddities(&[0x10, 0xff, 1, 0, 0]).0, []);
    }

    #[test]
    fn a_beam_at_rest_is_sent_in_every_frame_of_protocol_34_and_never_again_over_protocol_35() {
        let mut beam = Entity::NULL;
        (beam[RENDERFX], beam[ORIGIN_X], beam[OLD_ORIGIN_X]) = (RF_BEAM, float_bits(1.0), float_bits(9.0));
        let mut entities = EntityList::default();
        *entities.entry(5, &beam) = beam;
        let bytes = |gate| {
            let mut out = Vec::new();
            write(&mut Writer::new(&mut out), Some(&entities), &list(&[]), gate, &entities);
            out
        };
        assert_eq!(bytes(0), [0x80, 0x80, 0x80, 0x01, 5, 72, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes(GATE_PROTOCOL_35), [0, 0]);
    }
}
