//! What the server announces beside entity frames.

use super::*;
use crate::constants::*;
use crate::dialect::Transport;
use crate::oracle::diagnosis::{announcement, numbering};
use crate::oracle::session::announced::{BIG_NUMBER, answered};
use crate::state::Entity;

checks! {
    ANNOUNCED_AS_ASKED = "announced-as-asked" knows World: ENT_04 [BigNumberPlain], SVC_09 [CsqcGoneSent], ENT_03;
    SOUNDS_FIT_THE_PROTOCOL = "sounds-fit-the-protocol": SVC_14 [WideSoundAsked SoundSent];
    STATIC_ENTITIES_ARE_THE_MAPS = "static-entities-are-the-maps" knows World: SVC_05 [StaticEntity],
        SVC_10 [SpawnStatic2Deltas Baseline StaticEntity];
}

impl ServerTx<'_> {
    /// The server lets the client look through an entity's eyes.
    pub(super) fn view_sent(&mut self, entity: u32) {
        let dialect = self.session.dialect;
        let own = u32::from(self.session.host.0);
        let big = self.session.announced.views.front().is_some_and(|&asked| asked >= BIG_NUMBER);
        self.report.saw_if(big && !dialect.deltas(), Point::BigNumberPlain);
        if entity != own
            && let Some(asked) = answered(&mut self.session.announced.views, entity)
        {
            self.fail(&ANNOUNCED_AS_ASKED, numbering(&dialect), |_| {
                format!("the view is that of entity {entity}; it should be {asked}")
            });
        }
    }

    /// The server plays a sound.
    pub(super) fn sound_sent(&mut self, sound: u16) {
        let narrow = self.session.dialect.protocol == netquake::constants::PROTOCOL_NETQUAKE;
        self.report.saw_if(narrow && self.session.dialect.deltas(), Point::SoundSent);
        if narrow && sound > 0xff {
            self.fail(&SOUNDS_FIT_THE_PROTOCOL, &SVC_14, |_| format!("sound {sound}; over protocol 15 there are 256"));
        }
    }

    /// The server calls an entity of the game's own code gone.
    pub(super) fn csqc_gone_sent(&mut self, number: u32) {
        self.report.saw(Point::CsqcGoneSent);
        if let Some(asked) = answered(&mut self.session.announced.gone, number) {
            self.fail(&ANNOUNCED_AS_ASKED, &SVC_09, |_| {
                format!("CSQC entity {number} is removed; it should be {asked}")
            });
        }
    }

    /// The server announces a static entity.
    pub(super) fn static_sent(&mut self, state: &Entity) {
        self.session.announced.statics_sent += 1;
        if !self.session.judges_truth() {
            return;
        }
        let known =
            self.truth.world.statics.iter().any(|truth| self.session.quantiser.differing(ALL, state, truth) == 0);
        if !known {
            let suspects = announcement(&self.session.dialect, SVC_SPAWNSTATIC2);
            self.fail(&STATIC_ENTITIES_ARE_THE_MAPS, suspects, |_| {
                String::from("a static entity is announced that the map does not have")
            });
        }
    }

    /// The first frame of a map is sent: by now all static entities of its beginning were announced.
    pub(super) fn check_statics(&mut self) {
        let (sent, due) = (self.session.announced.statics_sent, self.session.announced.statics_due);
        let most = self.truth.world.statics.len();
        // A QuakeWorld packet that was lost takes its reliable part along, which is sent again, and counted again.
        let repeats = self.session.options.transport == Transport::QuakeWorld && sent > most;
        if !repeats && self.session.judges_truth() && !(due..=most).contains(&sent) {
            let suspects = announcement(&self.session.dialect, SVC_SPAWNSTATIC2);
            self.fail(&STATIC_ENTITIES_ARE_THE_MAPS, suspects, |_| {
                format!("{sent} static entities were announced; the map has {most}")
            });
        }
    }
}
