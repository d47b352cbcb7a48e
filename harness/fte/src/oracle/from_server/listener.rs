//! What a datagram of the server has, piece by piece.

use super::*;
use crate::constants::*;
use crate::dialect::Dialect;
use crate::message::{Carrier, Listener, UpdateStart};
use crate::oracle::diagnosis::{has_obsolete_extensions, wrong_echo};
use crate::oracle::retransmission;
use crate::oracle::session::frames::Frame;
use crate::oracle::session::remote::ToServer;
use crate::oracle::session::sign_on::asks_for_extensions;
use crate::oracle::session::stats::{has_stat, put_stat, same_stat, value_text};
use crate::state::Entity;
use kit::{Reader, StatValue};
use netquake::constants::PROTOCOL_NETQUAKE;

checks! {
    OLD_SERVICES_STAY_AWAY = "old-services-stay-away", FORMS and: ENT_03, SVC_01 [DeltaSession Frame], SVC_02 [NetQuakeFrame],
        STAT_02 [NetQuakePredInfoFrame], OVF_02 [FullFrame];
    FRAMES_ARE_UNRELIABLE = "frames-are-unreliable" knows Headers: ACK_01 [Frame];
    SERVER_TIME_ADVANCES = "server-time-advances": SVC_03 [Frame], PRED_09;
    ENTRIES_ASCEND = "entries-ascend", FORMS and: ENT_15 [SeveralEntries], RMV_12 [RemovedWhilePending];
    STATISTICS_ARE_CURRENT = "statistics-are-current" knows World: STAT_03 [StatResent], STAT_05;
    PLAIN_STATISTICS_HOLD_THE_VALUE = "plain-statistics-hold-the-value" knows World: STAT_07 [LargePlainStat];
    PLAIN_STATISTICS_ARE_LONGS = "plain-statistics-are-longs": STAT_07;
    MOVES_ECHOED_WERE_RECEIVED = "moves-echoed-were-received" knows ClientSays: PRED_10 [MoveEchoed], PRED_11 [MoveEchoed MoveWrapped],
        PRED_18 [MoveOutOfOrder];
}

impl Listener for ServerTx<'_> {
    fn service_begins(&mut self, service: u8) {
        self.services = [service, self.services[0]];
    }

    fn csqc_gone(&mut self, number: u32) {
        self.csqc_gone_sent(number);
    }

    fn session(&mut self, dialect: &Dialect) {
        (self.sign_on.began, self.sign_on.again) = (true, false);
        self.session.begin_map(dialect, self.truth);
        let deltas = dialect.deltas();
        let floats = dialect.extensions.float_coords();
        let static2 = dialect.extensions.fte1 & PEXT_SPAWNSTATIC2 != 0;
        self.report.saw_if(deltas && static2, Point::SpawnStatic2Deltas);
        self.report.saw_if(has_obsolete_extensions(dialect), Point::ObsoleteDeltas);
        self.report.saw_if(self.session.extensions_changed, Point::ExtensionsChanged);
        self.report.saw(if deltas { Point::DeltaSession } else { Point::PlainSession });
        self.report.saw_if(floats, Point::FloatCoords);
        self.report.saw_if(floats && deltas, Point::FloatCoordsWithDeltas);
        self.report.saw_if(deltas && !floats, Point::DeltasAlone);
    }

    fn netquake(&mut self, service: &netquake::Service<'_>) {
        match service {
            netquake::Service::StuffText { text } => self.sign_on.asks |= asks_for_extensions(text),
            netquake::Service::SignOnNum { stage: 1 } => self.sign_on.invites = true,
            // There are no others.
            netquake::Service::SignOnNum { stage: stage @ (2 | 3) } => {
                self.sign_on.goes_on = true;
                self.session.spawn.answered |= *stage == 3;
            }
            netquake::Service::Disconnect => self.sign_on.ends = true,
            netquake::Service::SetView { entity } => self.view_sent(*entity),
            netquake::Service::Sound(sound) => {
                self.sound_sent(sound.sound);
                self.effect_sent(sound.entity, Point::BigSound);
            }
            netquake::Service::TempEntity(netquake::effect::TempEntity::Beam { entity, .. }) => {
                self.effect_sent(*entity, Point::BigBeam);
            }
            _ => {}
        }
        self.plain_stat = matches!(service, netquake::Service::UpdateStat { .. });
        let dialect = self.session.dialect;
        if !dialect.deltas() {
            return;
        }
        match service {
            netquake::Service::FastUpdate(_) => {
                let suspects = self.old_service();
                self.fail_all(&OLD_SERVICES_STAY_AWAY, suspects, |_| {
                    String::from("a fast update, in a session with replacement deltas")
                });
            }
            netquake::Service::Time { .. } => {
                self.fail(&OLD_SERVICES_STAY_AWAY, &SVC_02, |_| {
                    String::from("svc_time, in a session with replacement deltas")
                });
            }
            netquake::Service::ClientData(_) if dialect.predinfo() => {
                self.fail(&OLD_SERVICES_STAY_AWAY, &STAT_02, |_| {
                    String::from("svc_clientdata, in a session with PREDINFO")
                });
            }
            _ => {}
        }
    }

    fn quakeworld(&mut self, service: &quakeworld::Service<'_>) {
        use quakeworld::Service::{
            Disconnect, ModelList, Nails, PacketEntities, PlayerInfo, SetView, SoundList, StuffText, TempEntity,
        };
        match service {
            SetView { entity } => self.view_sent(*entity),
            TempEntity(quakeworld::TempEntity::Beam { entity, .. }) => self.effect_sent(*entity, Point::BigBeam),
            ModelList { next, .. } | SoundList { next, .. } => {
                let list = usize::from(matches!(service, ModelList { .. }));
                self.sign_on.lists[list] = true;
                self.sign_on.ended_lists[list] |= *next == 0;
            }
            Disconnect => self.sign_on.ends = true,
            StuffText { text } => {
                let last = *text == b"skins\n";
                self.sign_on.goes_on |= last || text.starts_with(b"cmd spawn ");
                self.sign_on.again |= text.ends_with(b"reconnect\n");
                self.session.spawn.answered |= last;
            }
            _ => {}
        }
        if self.session.dialect.deltas() && matches!(service, PlayerInfo(_) | PacketEntities { .. } | Nails { .. }) {
            let suspects = self.old_service();
            self.fail_all(&OLD_SERVICES_STAY_AWAY, suspects, |_| {
                String::from("an old entity service, in a session with replacement deltas")
            });
        }
    }

    fn stat(&mut self, carrier: &Carrier, stat: u8, value: StatValue) {
        let judged =
            self.session.judges_truth() && self.session.dialect.predinfo() && !carrier.reliable && !self.garbled;
        let index = usize::from(stat);
        let plain_form = std::mem::take(&mut self.plain_stat);
        if self.session.dialect.transport == Transport::NetQuake && !self.session.dialect.predinfo() {
            self.check_plain_stat(stat, value, plain_form);
        }
        let stats = &mut self.session.stats;
        let old = stats.sent[index].replace(value);
        let truth = stats.truth[index];
        let right = truth.is_none_or(|truth| same_stat(truth, value));
        let repair = has_stat(&stats.lost, stat);
        let lost_in = stats.last[index].filter(|_| repair && old == Some(value) && !has_stat(&stats.pending, stat));
        put_stat(&mut stats.pending, stat, false);
        put_stat(&mut stats.missed, stat, false);
        put_stat(&mut stats.lost, stat, false);
        stats.last[index] = self.sequence;
        put_stat(&mut stats.claimed, stat, false);
        if let Some(frame) = self.sequence.and_then(|sequence| self.session.frames.get_mut(sequence)) {
            put_stat(&mut frame.stats, stat, true);
        }
        if let Some(lost_in) = lost_in.filter(|_| !self.session.stats.repaired_at_once) {
            let carries = |frame: &Frame| has_stat(&frame.stats, stat);
            self.repairs_stat |= retransmission::is_repair_at_once(self.session, lost_in, carries);
        }
        self.report.saw_if(repair, Point::StatResent);
        self.report.saw_if(matches!(value, StatValue::Float(_)), Point::FloatStat);
        self.report.saw_if(matches!(value, StatValue::Int(0..=255)), Point::ByteStat);
        self.report.saw_if(!matches!(value, StatValue::Int(0..=255) | StatValue::Float(_)), Point::LongStat);
        let predinfo = self.session.dialect.predinfo();
        self.report.saw_if(stat == STAT_WEAPONFRAME && predinfo, Point::WeaponFrameStat);
        self.report.saw_if(predinfo && CLIENTDATA_STATS.contains(&stat), Point::ClientdataStat);
        if !carrier.reliable && self.session.dialect.deltas() && !self.session.dialect.predinfo() {
            self.report.remark("statistics travel with frames, without PREDINFO (erratum E19; legal)");
        }
        if judged && !right {
            let suspects = if repair || old == Some(value) { &STAT_03 } else { &STAT_05 };
            self.fail(&STATISTICS_ARE_CURRENT, suspects, |_| {
                format!("statistic {stat} is sent as {value}; it is {}", value_text(truth))
            });
        }
    }

    fn baseline(&mut self, number: u32, state: &Entity) {
        *self.session.baselines.entry(number, state) = *state;
        self.report.saw(Point::Baseline);
        self.report.saw_if(number >= 0x8000, Point::BigBaseline);
    }

    fn static_entity(&mut self, state: &Entity) {
        self.report.saw(Point::StaticEntity);
        self.static_sent(state);
    }

    fn update(&mut self, carrier: &Carrier, start: &UpdateStart) {
        // QuakeWorld puts the reliable part of a packet first.
        let first = self.session.dialect.transport == Transport::NetQuake || self.services[1] == 0;
        if carrier.reliable && first {
            self.fail(&FRAMES_ARE_UNRELIABLE, &ACK_01, |_| String::from("an entity frame in the reliable stream"));
            // Reliable messages have numbers of their own: what acknowledges this frame says nothing.
            let why = "an entity frame was in the reliable stream";
            self.session.damaged.get_or_insert(Indeterminate { why });
        }
        self.messages += 1;
        self.highest = 0;
        self.entries = 0;
        self.newest = [None; 2];
        self.session.demo_goes_on(start.server_time);
        let last = self.session.server_time;
        if !start.server_time.is_finite() || start.server_time < last {
            let time = start.server_time;
            let suspects = Suspects::from(&SVC_03).or_if(start.movement_ack.is_some(), &PRED_09);
            self.fail(&SERVER_TIME_ADVANCES, suspects, |_| format!("server time {time}, after {last}"));
        } else {
            self.session.server_time = start.server_time;
            self.check_clock(start.server_time);
        }
        if let Some(sequence) = start.movement_ack
            && self.session.damaged.is_none()
        {
            self.echoed(sequence);
        }
    }

    fn coded(&mut self, coding: Coding) {
        self.coding = coding;
    }

    fn entry(&mut self, _: &Carrier, entry: Entry, r: &mut Reader<'_>, dialect: &Dialect) -> Result<bool, DecodeError> {
        self.newest = [Some(entry), self.newest[0]];
        if let Entry::Remove(number) | Entry::Update(number, _) = entry {
            if number <= self.highest {
                let sequence = self.sequence.unwrap_or_default();
                let removed = self.session.frames.get(sequence).is_some_and(|frame| {
                    let removes = matches!(entry, Entry::Remove(_));
                    frame.entries.iter().any(|old| old.number == number && (removes || old.how == How::Remove))
                });
                let highest = self.highest;
                if removed {
                    self.fail(&ENTRIES_ASCEND, &RMV_12, |_| format!("entity {number} is removed and updated"));
                } else if !self.garbled {
                    let suspects = self.or_misread(&ENT_15);
                    self.fail(&ENTRIES_ASCEND, suspects, |_| format!("entity {number} comes after entity {highest}"));
                }
            }
            self.highest = self.highest.max(number);
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

impl ServerTx<'_> {
    /// What a service can mean that has no place here: it, or what was misread before it.
    fn old_service(&self) -> Suspects {
        let baseline = self.truth.unknown.is_some() && self.services[1] == SVC_SPAWNBASELINE2;
        let suspects = match self.is_rest_of_overflow() {
            true => Suspects::from(&OVF_02).or(&SVC_01),
            false => Suspects::from(&SVC_01).or_if(baseline, &ENT_03),
        };
        self.or_misread(suspects)
    }

    fn echoed(&mut self, sequence: u16) {
        let ServerTx { session, truth, report, now, .. } = self;
        // A server that does not predict shows 0 throughout, also when the numbers of moves have wrapped.
        if sequence != 0 || session.movement.has_echoed() {
            let fits = |datagram: &ToServer| datagram.moves.contains(&sequence);
            retransmission::shown_to_be_read(session, truth, report, *now, fits);
        }
        match self.session.movement.echo(sequence, self.now, self.session.vantage) {
            Ok(judged) => self.report.saw_if(judged, Point::MoveEchoed),
            Err(echo) => self.fail(&MOVES_ECHOED_WERE_RECEIVED, wrong_echo(&echo), |_| {
                let newest = echo.newest.map_or(String::from("none"), |newest| newest.to_string());
                format!("movement sequence {sequence} is echoed, but {}; the newest received is {newest}", echo.why)
            }),
        }
    }

    /// Without PREDINFO a statistic of NetQuake is a long, which other forms may stand for if they hold the value
    /// (erratum E19), in a session that knows them.
    fn check_plain_stat(&mut self, stat: u8, value: StatValue, plain_form: bool) {
        let session = &*self.session;
        let index = usize::from(stat);
        let truth = session.stats.truth[index];
        if let Some(StatValue::Int(truth @ (256.. | ..0))) = truth {
            self.report.saw(Point::LargePlainStat);
            let low = StatValue::Int(truth & 0xff);
            if !plain_form && value == low && session.stats.truth_before[index] != Some(low) {
                return self.fail(&PLAIN_STATISTICS_HOLD_THE_VALUE, &STAT_07, |_| {
                    format!("statistic {stat} is {truth}, and is sent as {value}")
                });
            }
        }
        let unextended = session.dialect.extensions.fte2 == 0 && session.dialect.protocol == PROTOCOL_NETQUAKE;
        if !plain_form && unextended {
            self.fail(&PLAIN_STATISTICS_ARE_LONGS, &STAT_07, |_| {
                format!("statistic {stat} is sent as {value} in a form that a session without extensions lacks")
            });
        }
    }
}
