//! Ctrl-C, for commands that have something to say when they end early.

use std::sync::atomic::{AtomicUsize, Ordering};

static INTERRUPTIONS: AtomicUsize = AtomicUsize::new(0);
/// So many of them are waited for by somebody.
static EXPECTED: AtomicUsize = AtomicUsize::new(1);

/// The exit code of what was interrupted: that of a shell for SIGINT.
pub(super) const EXIT_CODE: u8 = 130;

/// From now on Ctrl-C, and what schedulers send before they kill, is remembered; one more ends the program at once.
pub(super) fn listen() {
    // A second handler is refused; the first does the same.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTIONS.fetch_add(1, Ordering::Relaxed) >= EXPECTED.load(Ordering::Relaxed) {
            std::process::exit(EXIT_CODE.into());
        }
    });
}

pub(super) fn came() -> bool {
    times() > 0
}

/// How often it came. The next one is waited for, too.
pub(super) fn again() -> usize {
    let times = times();
    EXPECTED.store(times + 1, Ordering::Relaxed);
    times
}

/// How often it came.
pub(super) fn times() -> usize {
    INTERRUPTIONS.load(Ordering::Relaxed)
}
