//! What a demo shows, read as a stream: at most a few frames are held, however long it is.
//!
//! Reading order: [`parts`] (which profile each part of a demo is of), [`moment`] (what the one who plays it holds after each frame, and
//! what happened in it), [`lines`] (that as JSON), [`diff`] (where two demos part), [`judge`] (what an oracle finds in it).

pub mod diff;
pub mod judge;
pub mod lines;
pub mod moment;
pub mod parts;

#[cfg(test)]
mod tests;
