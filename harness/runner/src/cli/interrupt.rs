//! Ctrl-C, for commands that have something to say when they end early.

use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C, and what schedulers send before they kill, is remembered and ends nothing.
pub(super) fn listen() {
    // A second handler is refused; the first does the same.
    let _ = ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed));
}

/// Whether it came.
pub(super) fn came() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
