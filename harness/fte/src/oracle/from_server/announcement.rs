//! What the server announces beside entity frames.

use super::*;
use crate::constants::*;
use crate::dialect::Transport;
use crate::oracle::diagnosis::{announcement, numbering};
use crate::oracle::session::announcement::BIG_NUMBER;
use crate::state::Entity;
use kit::CoveragePoint;

checks! {
    ANNOUNCED_AS_ASKED = "announced-as-asked" knows World: ENT_04 [BigNumberPlain], SVC_09 [CsqcGoneSent],
        ENT_03 [BigView BigBeam] [BigView BigSound];
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
        self.report.saw_if(big && dialect.deltas(), Point::BigView);
        // The player's own view comes with every sign-on, asked for or not.
        let expected = entity != own || self.session.announced.views.contains(&own);
        if expected && let Some(asked) = self.session.announced.answered(|announced| &mut announced.views, entity) {
            self.fail(&ANNOUNCED_AS_ASKED, numbering(&dialect), |_| {
                format!("the view is that of entity {entity}; it should be {asked}")
            });
        }
    }

    /// The server shows a beam, or plays a sound, that begins at an entity.
    pub(super) fn effect_sent(&mut self, entity: u32, point: CoveragePoint) {
        let dialect = self.session.dialect;
        let big = self.session.announced.effects.front().is_some_and(|&asked| asked >= BIG_NUMBER);
        self.report.saw_if(big && dialect.deltas(), point);
        if let Some(asked) = self.session.announced.answered(|announced| &mut announced.effects, entity) {
            self.fail(&ANNOUNCED_AS_ASKED, numbering(&dialect), |_| {
                format!("a sound or beam is that of entity {entity}; it should be that of {asked}")
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
        if let Some(asked) = self.session.announced.answered(|announced| &mut announced.gone, number) {
            self.fail(&ANNOUNCED_AS_ASKED, &SVC_09, |_| {
                format!("CSQC entity {number} is removed; it should be {asked}")
            });
        }
    }

    /// The run is over: what was asked for long ago was announced.
    pub(in crate::oracle) fn check_asked(&mut self) {
        /// A server does at once what it is asked for.
        const PATIENCE_US: u64 = 2_000_000;
        let Session { announced, options, dialect, last_disturbance, delay_us, .. } = &*self.session;
        let Some(asked_at) = announced.asked_at.filter(|_| options.rate == 0 && self.session.damaged.is_none()) else {
            return;
        };
        // A QuakeWorld server only answers.
        let netquake = options.transport == Transport::NetQuake;
        if !netquake && self.report.stood_still(self.session.host, asked_at, self.now) {
            return;
        }
        let csqc = dialect.deltas() && dialect.extensions.fte1 & PEXT_CSQC != 0;
        let gone = announced.gone.front().filter(|_| csqc).map(|&number| (number, &SVC_09));
        let others = announced.views.front().or(announced.effects.front());
        let due = gone.or(others.map(|&number| (number, numbering(dialect))));
        // A client that says nothing acknowledges nothing either, for which reliable messages wait.
        let until = if netquake { self.session.acks.spoke } else { self.now };
        let waits = until.since(asked_at.max(*last_disturbance));
        if let Some((number, suspect)) = due
            && waits > PATIENCE_US + 4 * options.tick_us + delay_us.iter().sum::<u64>()
        {
            self.fail(&ANNOUNCED_AS_ASKED, suspect, |_| {
                format!("nothing was announced of entity {number}, which was asked for")
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
