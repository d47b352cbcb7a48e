//! A history as a time-space diagram: time goes down, each host is a line, each datagram an arrow from its sending to its arrival.
//!
//! Pure: the same history gives the same bytes, on every machine. [`window`] chooses what of a long run is shown, [`layout`] says
//! where things are, [`svg`] draws them, [`page`] puts the drawing and the decoded datagrams on a page of their own.

mod layout;
mod page;
mod svg;
mod window;

#[cfg(test)]
mod tests;

pub use page::page;
pub use svg::{Links, svg};
pub use window::Window;

/// A text as XML and HTML can have it: control characters, such as those that move a terminal's cursor, become visible.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\n' => plain.push('\n'),
            char if char.is_control() || matches!(char, '\u{fffe}' | '\u{ffff}') => plain.extend(char.escape_default()),
            char => plain.push(char),
        }
    }
    plain
}

/// At most so many characters of a text, with dots after where there are more.
fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return String::from(text);
    }
    text.chars().take(most.saturating_sub(1)).chain(std::iter::once('…')).collect()
}
