//! What a mutated crate asks at run time: which mutant is chosen.
//!
//! This file is two things: a module here, and, written out, the only dependency that a mutated copy has beside its own.
//! Everything belongs to the thread: a worker process runs one case after another in one.

use std::cell::{Cell, RefCell};

/// What a panic carries that stops a run which asked too often.
#[derive(Clone, Copy, Debug)]
pub struct Endless;

thread_local! {
    /// The number of the mutant; 0 for none.
    static CHOSEN: Cell<u32> = const { Cell::new(0) };
    /// How many questions may still be asked.
    static LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
    static RECORDING: Cell<bool> = const { Cell::new(false) };
    /// A bit for every mutant whose place was reached while recording.
    static REACHED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Begins a run with mutant `chosen` (0: none) that may ask `budget` times. With `record`, the places reached are kept.
pub fn begin(chosen: u32, budget: u64, record: bool) {
    CHOSEN.set(chosen);
    LEFT.set(budget);
    RECORDING.set(record);
    REACHED.with_borrow_mut(Vec::clear);
}

/// Ends a run: how often may still be asked, and the places that were reached, as bits.
pub fn end() -> (u64, Vec<u64>) {
    let left = LEFT.replace(u64::MAX);
    CHOSEN.set(0);
    RECORDING.set(false);
    (left, REACHED.take())
}

/// At a place with the mutants `first` to `last`: the number of the chosen one if it is among them, or 0.
#[inline]
pub fn pick(first: u32, last: u32) -> u32 {
    tick();
    if RECORDING.get() {
        record(first, last);
    }
    let chosen = CHOSEN.get();
    if first <= chosen && chosen <= last { chosen } else { 0 }
}

/// At a place with one mutant: whether it is the chosen one.
#[inline]
pub fn is(number: u32) -> bool {
    pick(number, number) != 0
}

/// In the body of a loop.
#[inline]
pub fn tick() {
    let left = LEFT.get();
    if left == 0 {
        LEFT.set(u64::MAX);
        std::panic::panic_any(Endless);
    }
    LEFT.set(left - 1);
}

#[cold]
fn record(first: u32, last: u32) {
    REACHED.with_borrow_mut(|reached| {
        for number in first..=last {
            let (word, bit) = (number as usize / 64, number % 64);
            if reached.len() <= word {
                reached.resize(word + 1, 0);
            }
            if let Some(word) = reached.get_mut(word) {
                *word |= 1 << bit;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_chosen_mutant_is_picked_and_places_are_recorded() {
        begin(70, 100, true);
        assert_eq!((pick(1, 3), pick(69, 71), is(70), is(71)), (0, 70, true, false));
        let (left, reached) = end();
        assert_eq!((left, reached), (96, vec![0b1110, 0b1110_0000]));
        assert!(!is(70), "none is chosen between runs");
    }

    #[test]
    fn who_asks_without_end_is_stopped() {
        begin(0, 2, false);
        tick();
        tick();
        assert!(std::panic::catch_unwind(tick).is_err_and(|panic| panic.is::<Endless>()));
        // What is dropped while the panic goes on may ask again.
        assert!(!is(1));
        end();
    }
}
