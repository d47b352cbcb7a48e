//! Flags per entity for up to four million entities, of which few have any.

use crate::constants::MAX_ENTITY;

/// Entities per page.
const PAGE: usize = 1024;
/// Pages for 22-bit entity numbers.
const PAGES: usize = (MAX_ENTITY as usize + 1) / PAGE;

/// A `u32` of flags for every possible entity.
///
/// Memory grows by a page of 1,024 entities (about 4 KiB) when the first flag of a page is set, and stays: the bound is
/// 16 MiB when flags were set all over the number space. Reading, writing and finding the next entity that has flags
/// take constant time.
#[derive(Clone, Debug)]
pub struct PendingFlags {
    pages: Vec<Option<Box<Page>>>,
    /// Which pages hold a flag.
    occupied: [u64; PAGES / 64],
}

#[derive(Clone, Debug)]
struct Page {
    /// How many entities of the page have a flag.
    count: usize,
    /// Which entities of the page have a flag.
    occupied: [u64; PAGE / 64],
    flags: [u32; PAGE],
}

impl Default for PendingFlags {
    fn default() -> Self {
        PendingFlags { pages: Vec::new(), occupied: [0; PAGES / 64] }
    }
}

impl PendingFlags {
    /// The entity's flags.
    pub fn get(&self, entity: u32) -> u32 {
        let (page, slot) = place(entity);
        self.pages.get(page).and_then(Option::as_ref).map_or(0, |page| page.flags[slot])
    }

    /// Replaces the entity's flags. Numbers above [`MAX_ENTITY`] are not representable on the wire and are ignored.
    pub fn set(&mut self, entity: u32, flags: u32) {
        let (page, slot) = place(entity);
        let held = self.get(entity);
        if page >= PAGES || flags == held {
            return;
        }
        if page >= self.pages.len() {
            self.pages.resize(page + 1, None);
        }
        let space = self.pages[page]
            .get_or_insert_with(|| Box::new(Page { count: 0, occupied: [0; PAGE / 64], flags: [0; PAGE] }));
        space.flags[slot] = flags;
        if (held == 0) != (flags == 0) {
            mark(&mut space.occupied, slot, flags != 0);
            space.count = if flags == 0 { space.count - 1 } else { space.count + 1 };
            let any = space.count > 0;
            mark(&mut self.occupied, page, any);
        }
    }

    /// Adds flags to the entity's.
    pub fn add(&mut self, entity: u32, flags: u32) {
        self.set(entity, self.get(entity) | flags);
    }

    /// The first entity from `entity` on that has flags, and its flags.
    pub fn next(&self, entity: u32) -> Option<(u32, u32)> {
        let (first_page, mut slot) = place(entity);
        let mut page = first_page;
        while let Some(found) = next_bit(&self.occupied, page) {
            if found != first_page {
                slot = 0;
            }
            page = found;
            let held = self.pages.get(page)?.as_ref()?;
            if let Some(slot) = next_bit(&held.occupied, slot) {
                return Some(((page * PAGE + slot) as u32, held.flags[slot]));
            }
            page += 1;
        }
        None
    }

    /// Takes all flags away, keeping the memory.
    pub fn clear(&mut self) {
        while let Some(page) = next_bit(&self.occupied, 0) {
            if let Some(held) = &mut self.pages[page] {
                held.count = 0;
                held.occupied = [0; PAGE / 64];
                held.flags = [0; PAGE];
            }
            mark(&mut self.occupied, page, false);
        }
    }
}

fn place(entity: u32) -> (usize, usize) {
    (entity as usize / PAGE, entity as usize % PAGE)
}

fn mark(bits: &mut [u64], index: usize, on: bool) {
    let bit = 1 << (index % 64);
    if on {
        bits[index / 64] |= bit;
    } else {
        bits[index / 64] &= !bit;
    }
}

/// The first set bit at or behind `from`.
fn next_bit(bits: &[u64], from: usize) -> Option<usize> {
    let mut word = from / 64;
    let mut masked = bits.get(word)? & (!0 << (from % 64));
    loop {
        if masked != 0 {
            return Some(word * 64 + masked.trailing_zeros() as usize);
        }
        word += 1;
        masked = *bits.get(word)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(flags: &PendingFlags) -> Vec<(u32, u32)> {
        let (mut found, mut from) = (Vec::new(), 0);
        while let Some((entity, bits)) = flags.next(from) {
            found.push((entity, bits));
            from = entity + 1;
        }
        found
    }

    #[test]
    fn entities_with_flags_are_found_in_ascending_order_across_pages() {
        let mut flags = PendingFlags::default();
        for entity in [MAX_ENTITY, 0, 1023, 1024, 63, 64, 65_536, 5] {
            flags.add(entity, entity | 1);
        }
        let numbers: Vec<u32> = all(&flags).iter().map(|entry| entry.0).collect();
        assert_eq!(numbers, [0, 5, 63, 64, 1023, 1024, 65_536, MAX_ENTITY]);
        assert_eq!(flags.get(65_536), 65_537);
    }

    #[test]
    fn an_entity_whose_flags_become_zero_is_not_found() {
        let mut flags = PendingFlags::default();
        flags.set(7, 1);
        flags.set(9, 2);
        flags.set(7, 0);
        assert_eq!(all(&flags), [(9, 2)]);
        flags.clear();
        assert_eq!(all(&flags), []);
        flags.add(9, 4);
        assert_eq!(all(&flags), [(9, 4)]);
    }

    #[test]
    fn a_number_above_22_bits_is_ignored() {
        let mut flags = PendingFlags::default();
        flags.set(MAX_ENTITY + 1, 1);
        assert_eq!(all(&flags), []);
        assert_eq!(flags.get(u32::MAX), 0);
    }
}
