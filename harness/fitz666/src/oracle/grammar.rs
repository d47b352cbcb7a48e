//! Whether what follows in a message can be read to its end, which distinguishes a wrong value from a wrong layout.

use super::layout::{Kind, Raw, Slot};
use kit::Reader;
use netquake::constants::SVC_SERVER_INFO;
use netquake::{Primitives, ServerInfo, fitzquake};

/// The first number of a message that protocol 15 does not have.
pub const FIRST_NEW_SERVICE: u8 = 35;

/// The layouts of a sender, one of which may be another than the protocol's.
#[derive(Clone, Copy, Debug)]
pub struct Grammar<'a> {
    /// Whether protocol 666 was announced.
    pub extended: bool,
    /// The message that has another layout, and that layout.
    pub other: Option<(Kind, &'a [Slot])>,
}

impl Grammar<'_> {
    /// The protocol's.
    pub const fn new(extended: bool) -> Grammar<'static> {
        Grammar { extended, other: None }
    }

    /// Whether the messages from `at` on can be read to the end.
    pub fn reads(&self, bytes: &[u8], mut at: usize) -> bool {
        while at < bytes.len() {
            match self.end(bytes, at) {
                Some(end) => at = end,
                None => return false,
            }
        }
        true
    }

    /// Where the message that begins at `at` ends.
    fn end(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let svc = *bytes.get(at)?;
        let Some(kind) = Kind::of(svc) else { return service_end(bytes, at, svc, self.extended) };
        let slots = self.other.filter(|other| other.0 == kind).map_or(kind.slots(), |other| other.1);
        let raw = Raw::read(slots, bytes, kind.body(at))?;
        (raw.bits & !kind.known(self.extended) == 0 && (self.extended || !kind.is_new())).then_some(raw.end)
    }
}

/// Where a message ends that begins at `at` with `svc`, and that has no [`Kind`].
pub fn service_end(bytes: &[u8], at: usize, svc: u8, extended: bool) -> Option<usize> {
    let body = at + 1;
    let mut r = Reader::new(bytes.get(body..)?);
    if svc == SVC_SERVER_INFO {
        ServerInfo::read(&mut r).ok()?;
    } else if svc >= FIRST_NEW_SERVICE && extended {
        let primitives = Primitives { extended_updates: true, ..Primitives::PLAIN };
        fitzquake::read_service(&mut r, svc, &primitives).ok()??;
    } else {
        netquake::read_service(&mut r, svc, &Primitives::PLAIN).ok()??;
    }
    Some(body + r.at())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], extended: bool, expected: bool) {
        assert_eq!(Grammar::new(extended).reads(bytes, 0), expected, "{bytes:?}");
    }

    #[test]
    fn a_message_is_read_to_its_end_or_not_at_all() {
        // svc_time, an update with alpha, svc_nop.
        let bytes = [7, 0, 0, 0x20, 0x40, 0x81, 0x80, 1, 7, 128, 1];
        check(&bytes, true, true);
        check(&bytes, false, false);
        check(&bytes[..9], true, false);
        // Bits of no protocol.
        check(&[0x81, 0x80, 0x40, 7], true, false);
    }
}
