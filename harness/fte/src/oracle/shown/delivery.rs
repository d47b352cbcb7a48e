//! What is delivered to a client, and so what it must hold. Checks nothing.

use crate::constants::*;
use crate::delta::{Coding, Entry};
use crate::dialect::Dialect;
use crate::dialect::Transport;
use crate::message::{Carrier, Listener, UpdateStart};
use crate::oracle::coverage::{Point, Report};
use crate::oracle::field::{ALL, fields_of_update, flag_of, read_update};
use crate::oracle::indeterminate::Indeterminate;
use crate::oracle::session::Session;
use crate::oracle::session::announcement::push;
use crate::oracle::session::forms::Unfamiliar;
use crate::oracle::session::frames::Outcome;
use crate::oracle::session::sign_on::{Step, asks_for_extensions};
use crate::state::*;
use kit::{DecodeError, Reader, StatValue};

/// Follows one datagram as a client receives it.
pub struct ClientRx<'a> {
    /// The session.
    pub session: &'a mut Session,
    /// Where coverage is noted.
    pub report: &'a mut Report,
    /// The map that was current when the datagram was sent.
    pub epoch: u32,
    /// The unreliable datagram's number.
    pub sequence: Option<u32>,
    /// It asks for the client's extensions.
    pub asks: bool,
    /// QuakeWorld: what the client has to ask for, to sign on again, or as it has no replacement deltas.
    pub asks_for: Option<&'static [u8]>,
    coding: Coding,
    /// It removes everything that there was in the map before.
    empties_old_map: bool,
    /// The client has all that it needs for a step of its sign-on.
    pub invites: Option<Step>,
    /// The server ends the session.
    pub ends: bool,
}

impl<'a> ClientRx<'a> {
    /// For a datagram numbered `sequence`, sent while map `epoch` was current.
    pub fn new(session: &'a mut Session, report: &'a mut Report, epoch: u32, sequence: Option<u32>) -> ClientRx<'a> {
        session.unfamiliar = Unfamiliar::default();
        ClientRx {
            session,
            report,
            epoch,
            sequence,
            asks: false,
            asks_for: None,
            invites: None,
            ends: false,
            empties_old_map: false,
            coding: Coding::default(),
        }
    }

    /// Whether the datagram is one of the map that the client is in.
    fn current(&self) -> bool {
        self.epoch == self.session.delivered_epoch
    }

    /// The datagram has a flag that nobody defines: nobody may take it.
    pub fn undefined_flag(&mut self) {
        if self.current() {
            self.session.observe.due = true;
            self.session.observe.undefined_flag = true;
            self.report.saw(Point::UndefinedFlagDelivered);
        }
    }

    /// The datagram cannot be read to its end: whether the client acknowledges it, what it takes of it, and whether it goes on
    /// is its own choice. From then on it knows nothing of what was in it.
    pub fn unreadable(&mut self) {
        let session = &mut *self.session;
        session.delivered = Some(Indeterminate { why: "a datagram that cannot be read was delivered" });
        session.stats.doubtful = true;
        let acks = &mut session.acks;
        acks.ignored = 0;
        if acks.unacked.back().is_some_and(|newest| Some(newest.sequence) == self.sequence) {
            acks.excuse_newest();
        }
    }

    /// The datagram was read: what became of it. `taken` is whether it was newer than all before.
    pub fn finish(&mut self, taken: bool) {
        let Some(sequence) = self.sequence else { return };
        let current = self.current();
        let session = &mut *self.session;
        let Some(frame) = session.frames.get_mut(sequence) else { return };
        if !taken {
            if frame.outcome == Outcome::NotDelivered {
                frame.outcome = Outcome::Discarded;
            }
            // Who missed the newer one takes it.
            self.report.saw_if(frame.place > 0 && !session.vantage.clients_may_miss, Point::StaleFrame);
            return;
        }
        frame.outcome = Outcome::Taken;
        let (place, epoch) = (frame.place, frame.epoch);
        if place == 0 {
            return;
        }
        let previous = session.delivered_frame.replace(sequence);
        session.delivered_after_loss = previous
            .and_then(|last| session.frames.get(last))
            .is_some_and(|last| last.epoch == epoch && last.place + 1 < place);
        if current {
            session.observe.due = true;
            session.acks.taken(sequence);
            // It has nothing to build upon, and nobody sees what it makes of that; or it has perhaps nothing.
            if session.vantage.remote_clients && !session.based || session.delivered.is_some() {
                session.acks.excuse_newest();
            }
        } else if session.based || self.empties_old_map {
            session.delivered = Some(Indeterminate { why: "a late frame of the map before was delivered" });
        } else {
            // Nothing of it is to be seen: there is no state that it could change.
            session.observe.due = true;
            session.observe.old_map = true;
        }
    }
}

impl Listener for ClientRx<'_> {
    fn session(&mut self, dialect: &Dialect) {
        let plain = dialect.transport == Transport::QuakeWorld && !dialect.deltas();
        self.asks_for = plain.then_some(b"soundlist");
        self.session.begin_delivered_map(dialect, self.epoch);
    }

    fn netquake(&mut self, service: &netquake::Service<'_>) {
        match service {
            netquake::Service::StuffText { text } => self.asks |= asks_for_extensions(text),
            netquake::Service::SetView { entity } => self.view_delivered(*entity),
            netquake::Service::Sound(sound) => {
                self.sound_delivered(sound.sound);
                self.effect_delivered(sound.entity);
            }
            netquake::Service::TempEntity(netquake::effect::TempEntity::Beam { entity, .. }) => {
                self.effect_delivered(*entity);
            }
            netquake::Service::Disconnect => self.ends = true,
            netquake::Service::SignOnNum { stage: 1 } => self.invites = Some(Step::Prespawn),
            netquake::Service::SignOnNum { stage: 2 } => self.invites = Some(Step::Spawn),
            netquake::Service::SignOnNum { stage: 3 } => self.session.announced.playing = true,
            _ => {}
        }
    }

    fn quakeworld(&mut self, service: &quakeworld::Service<'_>) {
        match service {
            quakeworld::Service::SetView { entity } => self.view_delivered(*entity),
            quakeworld::Service::TempEntity(quakeworld::TempEntity::Beam { entity, .. }) => {
                self.effect_delivered(*entity);
            }
            quakeworld::Service::Disconnect => self.ends = true,
            quakeworld::Service::SoundList { next: 0, .. } if !self.session.delivered_dialect.deltas() => {
                self.asks_for = Some(b"modellist");
            }
            quakeworld::Service::ModelList { next: 0, .. } => self.invites = Some(Step::Prespawn),
            quakeworld::Service::StuffText { text } if text.starts_with(b"cmd spawn ") => {
                self.invites = Some(Step::Spawn);
            }
            quakeworld::Service::StuffText { text } if text.starts_with(b"skins") => {
                self.session.announced.playing = true;
            }
            quakeworld::Service::StuffText { text } if text.ends_with(b"reconnect\n") => self.asks_for = Some(b"new"),
            _ => {}
        }
    }

    fn csqc_gone(&mut self, number: u32) {
        self.csqc_gone_delivered(number);
    }

    fn static_entity(&mut self, state: &Entity) {
        self.static_delivered(state);
    }

    fn stat(&mut self, _: &Carrier, stat: u8, value: StatValue) {
        let current = self.current();
        let stats = &mut self.session.stats;
        stats.any_held = true;
        // A frame of the map before may be passed over whole, and its statistics with it.
        stats.held[usize::from(stat)] = current.then_some(value);
        stats.perhaps_held[usize::from(stat)] = (!current).then_some(value);
        self.report.saw(Point::StatDelivered);
        self.session.observe.due |= current;
    }

    fn baseline(&mut self, number: u32, state: &Entity) {
        *self.session.delivered_baselines.entry(number, state) = *state;
    }

    fn update(&mut self, _: &Carrier, start: &UpdateStart) {
        if self.current() {
            let session = &mut *self.session;
            session.observe.messages += 1;
            session.observe.same_time = session.delivered_time == Some(start.server_time);
            session.delivered_time = Some(start.server_time);
            self.report
                .saw_if(session.observe.same_time || session.observe.messages > 1, Point::SplitSnapshotDelivered);
        }
    }

    fn coded(&mut self, coding: Coding) {
        self.coding = coding;
    }

    fn entry(&mut self, _: &Carrier, entry: Entry, r: &mut Reader<'_>, dialect: &Dialect) -> Result<bool, DecodeError> {
        if !self.current() {
            self.empties_old_map |= entry == Entry::RemoveAll;
            return Ok(false);
        }
        match entry {
            Entry::End => {}
            Entry::RemoveAll => self.remove_all(),
            Entry::Remove(number) => self.remove(number),
            Entry::Update(number, flags) => {
                self.update_entity(number, flags, r, dialect)?;
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl ClientRx<'_> {
    fn remove_all(&mut self) {
        let session = &mut *self.session;
        let mut held = false;
        for (_, track) in session.tracks.iter_mut().filter(|(_, track)| track.in_delivered) {
            held = true;
            track.in_delivered = false;
            track.left_delivered = true;
            track.touched = None;
        }
        self.report.saw_if(held, Point::RemoveAllDelivered);
        session.based = true;
        session.delivered = None;
        session.observe.remove_all = true;
    }

    fn remove(&mut self, number: u32) {
        let session = &mut *self.session;
        session.unfamiliar.remove(&session.understood, &self.coding, number);
        let long = self.coding.index_bytes > 2 && number <= INDEX_NUMBER.into();
        self.report.saw_if(long, Point::LongIndexDelivered);
        let Some(track) = session.tracks.get_mut(number) else {
            self.report.saw(Point::UnknownRemoveDelivered);
            session.observe.unknown_remove = true;
            return;
        };
        let held = std::mem::replace(&mut track.in_delivered, false);
        track.left_delivered |= held;
        track.touched = self.sequence;
        track.touched_known = held;
        session.observe.unknown_remove |= !held;
        track.touched_flags = 0;
        track.long_index = long;
        let known = if held { Point::RemoveDelivered } else { Point::UnknownRemoveDelivered };
        self.report.saw(known);
        session.tidy();
    }

    fn update_entity(
        &mut self,
        number: u32,
        flags: u64,
        r: &mut Reader<'_>,
        dialect: &Dialect,
    ) -> Result<(), DecodeError> {
        let session = &mut *self.session;
        let baseline = session.delivered_baselines.get(number).unwrap_or(&Entity::NULL);
        let place = session.tracks.place(number);
        let track = session.tracks.at_mut(place);
        let known = track.in_delivered;
        track.before = track.delivered;
        if !known {
            track.delivered = *baseline;
            track.vague = ALL;
            if !track.left_delivered {
                // Nothing of an earlier map counts.
                track.before = *baseline;
            }
        }
        let (carried, read) = read_update(r, flags, baseline, &mut track.delivered, dialect.gate);
        read?;
        let predinfo = dialect.predinfo();
        session.unfamiliar.update(&session.understood, &self.coding, number, flags, &track.delivered, predinfo);
        track.long_index = self.coding.index_bytes > 2 && number <= INDEX_NUMBER.into();
        track.in_delivered = true;
        track.vague &= !carried;
        track.came_unknown |= !known && track.vague != 0;
        let twice = track.touched == self.sequence && self.sequence.is_some();
        track.touched_flags = if twice { track.touched_flags | flags } else { flags };
        track.touched_known = known || (twice && track.touched_known);
        track.touched = self.sequence;
        track.moving = flags & UF_PREDINFO != 0;
        self.saw_update(place, flags, known);
        Ok(())
    }

    /// Notes what an update shows of the entity whose track is at `place`.
    #[inline]
    fn saw_update(&mut self, place: usize, flags: u64, known: bool) {
        let session = &*self.session;
        let track = session.tracks.at(place);
        let reset = flags & UF_RESET != 0;
        let plain = known && !reset;
        let last = 8 * self.coding.flag_bytes.saturating_sub(1);
        let zero = self.coding.flag_bytes > 1 && flags >> last & 0x7f == 0;
        self.report.saw_if(track.long_index, Point::LongIndexDelivered);
        self.report.saw_if(zero, Point::ZeroFlagByteDelivered);
        self.report.saw_if(plain, Point::DeltaDelivered);
        self.report.saw_if(plain && session.delivered_after_loss, Point::DeltaAfterLoss);
        self.report.saw_if(!known && !reset, Point::UnknownDeltaDelivered);
        self.report.saw_if(!known && reset && track.left_delivered, Point::ReturnDelivered);
        self.report.saw_if(plain && flags & UF_PREDINFO != 0, Point::PredInfoDelivered);
        if reset {
            self.saw_reset(place, flags, known);
        }
    }

    /// Notes what an update with RESET shows of the entity whose track is at `place`.
    fn saw_reset(&mut self, place: usize, flags: u64, known: bool) {
        let session = &*self.session;
        let (number, track) = (session.tracks.number(place), session.tracks.at(place));
        let baseline = session.delivered_baselines.get(number);
        self.report.saw_if(baseline.is_some(), Point::ResetOnBaselineDelivered);
        let baseline = baseline.unwrap_or(&Entity::NULL);
        if let Some(former) = session.former_baselines.get(number) {
            let left_out =
                |field: &usize| baseline[*field] == Entity::NULL[*field] && former[*field] != Entity::NULL[*field];
            let carried = fields_of_update(flags);
            let shows = (0..FIELDS).filter(left_out).any(|field| carried & flag_of(field) == 0);
            self.report.saw_if(shows, Point::BaselineShrankDelivered);
        }
        self.report.saw_if(known && track.before != track.delivered, Point::ResetDelivered);
    }

    /// The client receives a view.
    fn view_delivered(&mut self, entity: u32) {
        let announced = &mut self.session.announced;
        if announced.playing {
            push(&mut announced.delivered_views, entity);
        }
    }

    /// The client receives a sound.
    fn sound_delivered(&mut self, sound: u16) {
        let announced = &mut self.session.announced;
        if announced.playing {
            push(&mut announced.delivered_sounds, sound.into());
        }
    }

    /// The client receives a sound or a beam that begins at an entity.
    fn effect_delivered(&mut self, entity: u32) {
        let announced = &mut self.session.announced;
        if announced.playing {
            push(&mut announced.delivered_effects, entity);
        }
    }

    /// The client receives the removal of an entity of the game's own code.
    fn csqc_gone_delivered(&mut self, number: u32) {
        let announced = &mut self.session.announced;
        if announced.playing {
            push(&mut announced.delivered_gone, number);
        }
    }

    /// The client receives a static entity.
    fn static_delivered(&mut self, state: &Entity) {
        let announced = &mut self.session.announced;
        announced.delivered_statics.push(*state);
        announced.observe_statics = true;
        self.session.observe.due = true;
    }
}
