//! Runs that may panic: a mutant is made for its own scenario, and can trip over another one.

use crate::candidate::Candidate;
use crate::judge::{Judgement, Keep};
use crate::scenario::Case;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether a panic on this thread is expected, and nothing to report.
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// Runs a case; `None`: an end panicked, which is no failure of what is tested.
pub fn judge(candidate: Option<&Candidate>, case: &Case, seed: u64, keep: Keep) -> Option<Judgement> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            if !EXPECTED.get() {
                before(panic);
            }
        }));
    });
    let before = EXPECTED.replace(true);
    let result = catch_unwind(AssertUnwindSafe(|| Candidate::judge(candidate, case, seed, keep)));
    EXPECTED.set(before);
    result.ok()
}
