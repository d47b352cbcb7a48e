//! Ctrl-C, for commands that have something to say when they end early.

use std::sync::atomic::{AtomicUsize, Ordering};

static INTERRUPTIONS: AtomicUsize = AtomicUsize::new(0);

/// From now on Ctrl-C, and what schedulers send before they kill, is remembered and ends nothing.
pub(super) fn listen() {
    // A second handler is refused; the first does the same.
    let _ = ctrlc::set_handler(|| {
        INTERRUPTIONS.fetch_add(1, Ordering::Relaxed);
    });
}

/// Whether it came.
pub(super) fn came() -> bool {
    times() > 0
}

/// How often it came.
pub(super) fn times() -> usize {
    INTERRUPTIONS.load(Ordering::Relaxed)
}
