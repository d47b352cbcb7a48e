//! The progress bar: on standard error, and only where that is a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

/// A bar that is gone when it is dropped.
pub(super) struct Bar(ProgressBar);

impl Bar {
    /// An empty bar; invisible unless standard error is a terminal.
    pub(super) fn new() -> Bar {
        let target =
            if std::io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}") {
            bar.set_style(style);
        }
        Bar(bar)
    }

    /// `done` of `total` are done; `what` was the last of them.
    pub(super) fn set(&self, done: u64, total: u64, what: &str) {
        self.0.set_length(total);
        self.0.set_position(done);
        self.0.set_message(what.to_string());
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
