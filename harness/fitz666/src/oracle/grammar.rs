//! Whether what follows in a message can be read to its end: what tells a wrong value from a wrong layout.

use super::wire::*;
use kit::Reader;
use netquake::constants::*;
use netquake::fitzquake::{self, SVC_SPAWN_BASELINE2, SVC_SPAWN_STATIC_SOUND2, SVC_SPAWN_STATIC2};
use netquake::{Primitives, ServerInfo};

/// The layouts of a sender, one of which may be another than the protocol's.
#[derive(Clone, Copy, Debug)]
pub struct Grammar<'a> {
    /// Whether protocol 666 was announced.
    pub extended: bool,
    /// Of updates.
    pub update: &'a [Slot],
    /// Of clientdata.
    pub player: &'a [Slot],
    /// Of sounds.
    pub sound: &'a [Slot],
    /// Of baselines of protocol 666.
    pub baseline: &'a [Slot],
    /// Of static entities of protocol 666.
    pub fixed: &'a [Slot],
}

impl<'a> Grammar<'a> {
    /// The protocol's.
    pub fn new(extended: bool) -> Grammar<'a> {
        let (update, player, sound) = (UPDATE, CLIENTDATA, SOUND);
        Grammar { extended, update, player, sound, baseline: BASELINE2, fixed: &BASELINE2[1..] }
    }

    /// Whether the messages from `at` on can be read to the end.
    pub fn reads(&self, bytes: &[u8], mut at: usize) -> bool {
        while let Some(&svc) = bytes.get(at) {
            match self.message(bytes, at, svc) {
                Some(end) => at = end,
                None => return false,
            }
        }
        at == bytes.len()
    }

    fn message(&self, bytes: &[u8], at: usize, svc: u8) -> Option<usize> {
        let body = at + 1;
        let read = |slots: &[Slot], at: usize, known: u32| {
            Raw::read(slots, bytes, at).filter(|raw| raw.bits & !known == 0).map(|raw| raw.end)
        };
        let (update, player, sound) = match self.extended {
            true => (U_KNOWN, 2 * SU_WEAPONALPHA - 1, 0x1b),
            false => (U_EXTEND1 - 1, SU_EXTEND1 - 1, 3),
        };
        match svc {
            _ if svc & 0x80 != 0 => read(self.update, at, update),
            SVC_CLIENT_DATA => read(self.player, body, player),
            SVC_SOUND => read(self.sound, body, sound),
            SVC_SPAWN_BASELINE => read(BASELINE, body, 0),
            SVC_SPAWN_STATIC => read(&BASELINE[1..], body, 0),
            SVC_SPAWN_STATIC_SOUND => read(STATIC_SOUND, body, 0),
            SVC_SPAWN_BASELINE2 if self.extended => read(self.baseline, body, 7),
            SVC_SPAWN_STATIC2 if self.extended => read(self.fixed, body, 7),
            SVC_SPAWN_STATIC_SOUND2 if self.extended => read(STATIC_SOUND2, body, 0),
            SVC_SERVER_INFO => {
                let mut r = Reader::new(bytes.get(body..)?);
                ServerInfo::read(&mut r).ok()?;
                Some(body + r.at())
            }
            35..=48 if self.extended => {
                let mut r = Reader::new(bytes.get(body..)?);
                let primitives = Primitives { extended_updates: true, ..Primitives::PLAIN };
                fitzquake::read_service(&mut r, svc, &primitives).ok()??;
                Some(body + r.at())
            }
            _ => {
                let mut r = Reader::new(bytes.get(body..)?);
                netquake::read_service(&mut r, svc, &Primitives::PLAIN).ok()??;
                Some(body + r.at())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::readings::UPDATES;
    use super::*;
    use crate::requirements::ENT_01;

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

    #[test]
    fn another_layout_reads_what_the_protocols_own_does_not() {
        // Updates whose third byte of bits nothing announces.
        let bytes = [0x81, 0, 1, 7, 128, 0x81, 0, 1, 8, 128];
        check(&bytes, true, false);
        let reading = UPDATES.iter().find(|reading| reading.requirement.id == ENT_01.id).expect("a reading");
        assert!(Grammar { update: &reading.slots, ..Grammar::new(true) }.reads(&bytes, 0));
    }
}
