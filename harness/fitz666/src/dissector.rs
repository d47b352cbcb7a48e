//! Reads along: fields, marks and a summary of every datagram.

use kit::{Direction, Dissection, Dissector, HostId, Setup};

/// The kinds of content that a datagram can carry.
pub static MARKS: [&str; 0] = [];

/// The dissector.
pub struct Fitz666Dissector;

impl Fitz666Dissector {
    /// A dissector of a run, or of a recording.
    pub fn new(_: Option<&Setup>) -> Fitz666Dissector {
        Fitz666Dissector
    }
}

impl Dissector for Fitz666Dissector {
    fn datagram(&mut self, _: HostId, _: Direction, _: &[u8], _: &mut Dissection) {}
    fn extensions(&self) -> Vec<String> {
        Vec::new()
    }
    fn assume(&mut self, _: &str) -> Result<(), String> {
        Ok(())
    }
}
