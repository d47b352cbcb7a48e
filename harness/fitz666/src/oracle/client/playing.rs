//! What a client plays and prints, against what it was told to.

use super::{Client, Given};
use crate::notes::{SOUND_PLAYED, SOUND_SOURCE};
use crate::oracle::coverage::{Point, Report};
use crate::oracle::mirror::SoundDue;
use crate::oracle::readings::SOUNDS;
use crate::oracle::server_sent::proof;
use crate::oracle::server_sounds::source;
use crate::oracle::wire::{Part, Raw};
use crate::requirements::*;
use kit::{Requirement, Time};

impl Client {
    /// The client notes something.
    pub fn noted(&mut self, what: &'static str, value: i64, report: &mut Report, now: Time) {
        match what {
            SOUND_PLAYED => self.playing = Some(value as u32),
            SOUND_SOURCE => {
                if let Some(sound) = self.playing.take() {
                    self.plays((value >> 8) as u32, value as u32 & 0xff, sound, report, now);
                }
            }
            _ => {}
        }
    }

    fn plays(&mut self, entity: u32, channel: u32, sound: u32, report: &mut Report, now: Time) {
        if !self.judged() {
            return;
        }
        let host = self.host;
        let heard = (entity, channel, sound);
        if self.given == Given::Stale {
            let what = || format!("plays sound {sound} of a stale datagram");
            return report.find(&NET_02, now, host, what);
        }
        let Some(due) = self.mirror.sounds.pop_front() else { return };
        if heard == due.source {
            report.saw(Point::SoundPlayed);
            report.saw_if(due.raw.bits & 0x18 != 0, Point::LargeSoundPlayed);
            report.saw_if(entity > 0x7fff, Point::HighEntityPlayed);
            return;
        }
        let row = self.misheard(&due, heard);
        report.find(row, now, host, || format!("plays (entity, channel, sound) {heard:?}, should be {:?}", due.source));
    }

    /// What explains that a client plays another sound than it was told to.
    fn misheard(&self, due: &SoundDue, heard: (u32, u32, u32)) -> &'static Requirement {
        let misread = SOUNDS.iter().find(|reading| {
            Raw::read(&reading.slots, &self.mirror.sounds_in, due.at).is_some_and(|raw| {
                let (entity, channel) = source(&raw);
                (entity, channel, raw.value(Part::Sound)) == heard
            })
        });
        let large = due.raw.bits & 0x18 != 0;
        match misread {
            Some(reading) if [DEF_03.id, SND_04.id].contains(&reading.requirement.id) => reading.requirement,
            Some(_) => &SND_03,
            None if due.source.0 > 0x7fff && heard.0 != due.source.0 && heard.2 == due.source.2 => &SND_05,
            None if large => &SND_03,
            None => &SND_04,
        }
    }

    /// The client prints.
    pub fn printed(&mut self, text: &[u8], report: &mut Report, now: Time) {
        let (Some(number), true) = (proof(text), self.judged()) else { return };
        let host = self.host;
        match self.mirror.prints.pop_front() {
            Some(due) if due == number => report.saw(Point::Printed),
            due => report.find(&NET_06, now, host, || match due {
                Some(due) => format!("prints {number}, and {due} came"),
                None => format!("prints {number}, which did not come"),
            }),
        }
    }
}
