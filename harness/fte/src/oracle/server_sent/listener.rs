//! What is heard of a datagram that the server sends, piece by piece.

use super::*;

/// The server time of a message whose movement sequence comes behind it: what was read as both makes none otherwise.
fn behind_time(ack: u16, server_time: f32, last: f32) -> Option<f32> {
    let plausible = |time: f32| time == 0.0 || (time >= last.max(1e-3) && time < last + 1000.0);
    let ack = ack.to_le_bytes();
    let time = server_time.to_le_bytes();
    let other = f32::from_le_bytes([ack[0], ack[1], time[0], time[1]]);
    (!plausible(server_time) && other > 0.0 && plausible(other)).then_some(other)
}

impl Listener for ServerEar<'_> {
    fn service_begins(&mut self, service: u8) {
        self.services = [service, self.services[0]];
    }

    fn csqc_gone(&mut self, number: u32) {
        self.csqc_gone_sent(number);
    }

    fn session(&mut self, dialect: &Dialect) {
        self.began = true;
        self.book.begin_map(dialect, self.world, self.report);
    }

    fn netquake(&mut self, service: &netquake::Service<'_>) {
        if let netquake::Service::StuffText { text } = service {
            self.asks |= asks_for_extensions(text);
        }
        match service {
            netquake::Service::SetView { entity } => self.view_sent(*entity),
            netquake::Service::Sound(sound) => self.sound_sent(sound.sound),
            _ => {}
        }
        self.plain_stat = matches!(service, netquake::Service::UpdateStat { .. });
        let dialect = self.book.dialect;
        if !dialect.deltas() {
            return;
        }
        match service {
            netquake::Service::FastUpdate(_) => {
                self.spoil(&SVC_01, |_| String::from("a fast update, in a session with replacement deltas"));
            }
            netquake::Service::Time { .. } => {
                self.find(&SVC_02, |_| String::from("svc_time, in a session with replacement deltas"));
            }
            netquake::Service::ClientData(_) if dialect.predinfo() => {
                self.find(&STAT_02, |_| String::from("svc_clientdata, in a session with PREDINFO"));
            }
            _ => {}
        }
    }

    fn quakeworld(&mut self, service: &quakeworld::Service<'_>) {
        use quakeworld::Service::{Nails, PacketEntities, PlayerInfo, SetView};
        if let SetView { entity } = service {
            self.view_sent(*entity);
        }
        if self.book.dialect.deltas() && matches!(service, PlayerInfo(_) | PacketEntities { .. } | Nails { .. }) {
            self.spoil(&SVC_01, |_| String::from("an old entity service, in a session with replacement deltas"));
        }
    }

    fn stat(&mut self, carrier: &Carrier, stat: u8, value: StatValue) {
        let judged = self.book.judges_truth() && self.book.dialect.predinfo() && !carrier.reliable && !self.spoiled;
        let index = usize::from(stat);
        let plain_form = std::mem::take(&mut self.plain_stat);
        if self.book.dialect.transport == Transport::NetQuake && !self.book.dialect.predinfo() {
            self.check_plain_stat(stat, value, plain_form);
        }
        let stats = &mut self.book.stats;
        let old = stats.sent[index].replace(value);
        let truth = stats.truth[index];
        let right = truth.is_none_or(|truth| same_stat(truth, value));
        let repair = crate::oracle::book::has_stat(&stats.owed, stat);
        put_stat(&mut stats.pending, stat, false);
        put_stat(&mut stats.missed, stat, false);
        put_stat(&mut stats.owed, stat, false);
        stats.last[index] = self.sequence;
        if let Some(frame) = self.sequence.and_then(|sequence| self.book.frames.get_mut(sequence)) {
            put_stat(&mut frame.stats, stat, true);
        }
        self.report.saw_if(repair, Point::StatResent);
        self.report.saw_if(matches!(value, StatValue::Float(_)), Point::FloatStat);
        self.report.saw_if(matches!(value, StatValue::Int(0..=255)), Point::ByteStat);
        self.report.saw_if(!matches!(value, StatValue::Int(0..=255) | StatValue::Float(_)), Point::LongStat);
        let predinfo = self.book.dialect.predinfo();
        self.report.saw_if(stat == STAT_WEAPONFRAME && predinfo, Point::WeaponFrameStat);
        self.report.saw_if(!self.book.dialect.predinfo(), Point::PlainStat);
        if !carrier.reliable && self.book.dialect.deltas() && !self.book.dialect.predinfo() {
            self.report.remark("statistics travel with frames, without PREDINFO (erratum E19; legal)");
        }
        if judged && !right {
            let requirement = if repair || old == Some(value) { &STAT_03 } else { &STAT_05 };
            self.find(requirement, |_| format!("statistic {stat} is sent as {value:?}; it is {truth:?}"));
        }
    }

    fn baseline(&mut self, number: u32, state: &Entity) {
        *self.book.baselines.entry(number, state) = *state;
        self.report.saw(Point::Baseline);
        self.report.saw_if(self.book.epoch > 1, Point::BaselineOfSecondMap);
        self.report.saw_if(number >= 0x8000, Point::BigBaseline);
    }

    fn static_entity(&mut self, state: &Entity) {
        self.report.saw(Point::StaticEntity);
        self.static_sent(state);
    }

    fn update(&mut self, carrier: &Carrier, start: &UpdateStart) {
        // QuakeWorld puts the reliable part of a packet first.
        let first = self.book.dialect.transport == Transport::NetQuake || self.services[1] == 0;
        if carrier.reliable && first {
            self.find(&ACK_01, |_| String::from("an entity frame in the reliable stream"));
        }
        self.reliable = carrier.reliable;
        self.messages += 1;
        self.highest = 0;
        self.entries = 0;
        self.newest = None;
        self.before = None;
        let last = self.book.server_time;
        if let Some(time) = start.movement_ack.and_then(|ack| behind_time(ack, start.server_time, last)) {
            self.book.server_time = time;
            self.spoil(&PRED_09, |_| format!("the movement sequence stands behind the server time {time}"));
            return;
        }
        if !start.server_time.is_finite() || start.server_time < last {
            let time = start.server_time;
            self.find(&SVC_03, |_| format!("server time {time}, after {last}"));
        } else {
            self.book.server_time = start.server_time;
            self.check_clock(start.server_time);
        }
        if let Some(sequence) = start.movement_ack
            && !self.book.tainted
        {
            self.book.movement.echo(sequence, self.now, kit::HostId::SERVER, self.report);
        }
    }

    fn coded(&mut self, coding: Coding) {
        self.coding = coding;
    }

    fn entry(&mut self, _: &Carrier, entry: Entry, r: &mut Reader<'_>, dialect: &Dialect) -> Result<bool, DecodeError> {
        self.before = self.newest.replace(entry);
        if let Entry::Remove(number) | Entry::Update(number, _) = entry {
            if number <= self.highest {
                let sequence = self.sequence.unwrap_or_default();
                let removed = self.book.frames.get(sequence).is_some_and(|frame| {
                    let removes = matches!(entry, Entry::Remove(_));
                    frame.entries.iter().any(|old| old.number == number && (removes || old.how == How::Remove))
                });
                let highest = self.highest;
                match removed {
                    false if self.spoiled => {}
                    true => self.find(&RMV_12, |_| format!("entity {number} is removed and updated")),
                    false => self.find(&ENT_15, |_| format!("entity {number} comes behind entity {highest}")),
                }
            }
            self.highest = self.highest.max(number);
            self.lowest = self.lowest.min(number);
        }
        match entry {
            Entry::End => {}
            Entry::RemoveAll => self.remove_all(),
            Entry::Remove(number) => self.remove(number),
            Entry::Update(number, flags) => {
                self.entries += 1;
                self.update_entity(number, flags, r, dialect)?;
                return Ok(true);
            }
        }
        self.entries += u32::from(matches!(entry, Entry::Remove(_)));
        Ok(false)
    }
}
