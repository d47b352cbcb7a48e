//! What is pending per entity, for up to four million entities, of which few have anything.

use crate::constants::MAX_ENTITY;
use crate::state::UF_RESET;

/// What is to be sent of an entity, or was carried by a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pending {
    /// Flags of the wire: UF flags of fields, and [`RESET`].
    pub wire: u32,
    /// What is no flag of the wire: [`REMOVE`] and those below it.
    pub state: u8,
}

/// [`UF_RESET`], as it is pending.
pub const RESET: u32 = UF_RESET as u32;
/// The entity must be removed.
pub const REMOVE: u8 = 1 << 0;
/// The remove was sent once, and is sent again.
pub const REMOVE_AGAIN: u8 = 1 << 1;
/// The next update of the entity repeats RESET. Does not cause an update.
pub const RESET_AGAIN: u8 = 1 << 2;
/// And so does the one after.
pub const RESET_THRICE: u8 = 1 << 3;
/// A loss, not a change, made this pending. Does not cause an update.
pub const LOST: u8 = 1 << 4;
/// The entity is to be mentioned, whether something changed or not.
pub const MENTION: u8 = 1 << 5;

impl Pending {
    /// Nothing.
    pub const NOTHING: Pending = Pending { wire: 0, state: 0 };
    /// The entity is gone.
    pub const GONE: Pending = Pending { wire: 0, state: REMOVE };
    /// The entity is new.
    pub const NEW: Pending = Pending { wire: RESET, state: 0 };

    /// UF flags alone.
    pub const fn flags(wire: u32) -> Pending {
        Pending { wire, state: 0 }
    }

    /// Whether `state` is among what is pending.
    pub const fn has(self, state: u8) -> bool {
        self.state & state != 0
    }

    /// Whether this causes an update or a remove.
    pub const fn is_due(self) -> bool {
        self.wire != 0 || self.has(REMOVE | MENTION)
    }

    /// Both.
    pub const fn and(self, other: Pending) -> Pending {
        Pending { wire: self.wire | other.wire, state: self.state | other.state }
    }
}

/// Entities per page.
const PAGE: usize = 1024;
/// Pages for 22-bit entity numbers.
const PAGES: usize = (MAX_ENTITY as usize + 1) / PAGE;

/// A [`Pending`] for every possible entity.
///
/// Memory grows by a page of 1,024 entities (about 8 KiB) when something of a page becomes pending, and stays: the bound
/// is 32 MiB when it did all over the number space. Reading, writing and finding the next entity take constant time.
#[derive(Clone, Debug)]
pub struct PendingList {
    pages: Vec<Option<Box<Page>>>,
    /// Which pages hold something.
    occupied: [u64; PAGES / 64],
}

#[derive(Clone, Debug)]
struct Page {
    /// How many entities of the page have something pending.
    count: usize,
    /// Which entities of the page have something pending.
    occupied: [u64; PAGE / 64],
    pending: [Pending; PAGE],
}

impl Default for PendingList {
    fn default() -> Self {
        PendingList { pages: Vec::new(), occupied: [0; PAGES / 64] }
    }
}

impl PendingList {
    /// What is pending of an entity.
    pub fn get(&self, entity: u32) -> Pending {
        let (page, slot) = place(entity);
        self.pages.get(page).and_then(Option::as_ref).map_or(Pending::NOTHING, |page| page.pending[slot])
    }

    /// Replaces what is pending of an entity. Numbers above [`MAX_ENTITY`] are not representable on the wire and are ignored.
    pub fn set(&mut self, entity: u32, pending: Pending) {
        let (page, slot) = place(entity);
        let is_open = matches!(self.pages.get(page), Some(Some(_)));
        if !is_open && (pending == Pending::NOTHING || page >= PAGES) {
            return;
        }
        if !is_open {
            self.open(page);
        }
        let Some(Some(space)) = self.pages.get_mut(page) else { return };
        let held = std::mem::replace(&mut space.pending[slot], pending);
        let (was, is) = (held != Pending::NOTHING, pending != Pending::NOTHING);
        if was != is {
            mark(&mut space.occupied, slot, is);
            space.count = if is { space.count + 1 } else { space.count - 1 };
            let any = space.count > 0;
            mark(&mut self.occupied, page, any);
        }
    }

    /// Makes a page, for what is pending of the first of its entities.
    #[cold]
    fn open(&mut self, page: usize) {
        self.pages.resize(self.pages.len().max(page + 1), None);
        let empty = Page { count: 0, occupied: [0; PAGE / 64], pending: [Pending::NOTHING; PAGE] };
        self.pages[page] = Some(Box::new(empty));
    }

    /// Adds to what is pending of an entity.
    pub fn add(&mut self, entity: u32, more: Pending) {
        self.set(entity, self.get(entity).and(more));
    }

    /// The first entity from `entity` on of which something is pending, and what.
    pub fn next(&self, entity: u32) -> Option<(u32, Pending)> {
        let (first_page, mut slot) = place(entity);
        let mut page = first_page;
        while let Some(found) = next_bit(&self.occupied, page) {
            if found != first_page {
                slot = 0;
            }
            page = found;
            let held = self.pages.get(page)?.as_ref()?;
            if let Some(slot) = next_bit(&held.occupied, slot) {
                return Some(((page * PAGE + slot) as u32, held.pending[slot]));
            }
            page += 1;
        }
        None
    }

    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        while let Some(page) = next_bit(&self.occupied, 0) {
            if let Some(held) = &mut self.pages[page] {
                held.count = 0;
                held.occupied = [0; PAGE / 64];
                held.pending = [Pending::NOTHING; PAGE];
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

/// The first set bit at or after `from`.
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
mod tests;
