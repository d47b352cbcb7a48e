//! What a conforming receiver of all that was delivered to a client holds.

use super::grammar::{FIRST_NEW_SERVICE, service_end};
use super::layout::*;
use super::look::Look;
use super::order::Ordered;
use super::repetition::UpdateBytes;
use super::sent::{Indeterminate, proof};
use crate::notes;
use crate::requirements::*;
use crate::state::*;
use kit::table::float_value;
use kit::{Reader, Requirement};
use netquake::constants::*;
use netquake::fitzquake::{SVC_SPAWN_BASELINE2, SVC_SPAWN_STATIC_SOUND2, SVC_SPAWN_STATIC2};
use netquake::{Primitives, ServerInfo, Service};
use std::collections::VecDeque;

/// Sounds, prints and other things remembered until the client is asked for them.
const MAX_DUE: usize = 256;

/// A baseline that was sent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Base {
    /// What it carries.
    pub look: Look,
    /// Its flags; `None` if it had none, as in protocol 15.
    pub flags: Option<u32>,
}

/// An entity that the newest datagram with svc_time mentioned.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// What it looks like.
    pub look: Look,
    /// The update.
    pub raw: Raw,
    /// Its bytes, if it has no hint.
    pub update: Option<UpdateBytes>,
    /// The baselines over which it was read.
    pub bases_version: u64,
    /// The svc_time of its datagram.
    pub time: f64,
    /// When its frame changed last, or it appeared; in svc_time.
    pub changed: f64,
    /// Where the newest hint pointed, if there was one since it appeared.
    pub hint: Option<f64>,
    /// Where the newest hint of an earlier datagram pointed.
    pub old_hint: Option<f64>,
    /// Whether it was mentioned in the datagram before, too, and its frame changed since.
    pub turned: bool,
}

/// A sound that a client has to play.
#[derive(Clone, Copy, Debug)]
pub struct SoundDue {
    /// Entity, channel and number.
    pub source: (u32, u32, u32),
    /// As read.
    pub raw: Raw,
    /// Whether the client was in the game before, so that it has to report that it plays it.
    pub certain: bool,
}

/// What a client holds.
#[derive(Debug, Default)]
pub struct Delivered {
    /// The protocol announced.
    pub protocol: Option<u32>,
    /// The flags beside the number of protocol 999.
    pub flags: u32,
    /// A protocol that nobody knows was announced, and nothing else since.
    pub strange: bool,
    /// The map announced last, counted by the server's announcements.
    pub epoch: u32,
    /// The step of the sign-on reached.
    pub stage: u8,
    /// The connection may be over: the server said so, or took a step of the sign-on back.
    pub ended: bool,
    /// Something came of which a client may make what it likes: it may be in the game.
    pub doubtful: bool,
    /// What the server last had the client say: the first word.
    pub asked: Option<Vec<u8>>,
    /// The entity through whose eyes the client sees.
    pub own: Option<u32>,
    /// An update has come after the third step.
    pub active: bool,
    /// The baselines.
    pub bases: Ordered<Base>,
    /// How often they changed, over all maps.
    pub bases_version: u64,
    /// The entities shown.
    pub shown: Ordered<Shown>,
    /// The entities shown before the newest datagram with svc_time.
    pub before: Ordered<Shown>,
    /// The entities mentioned in datagrams before the newest that have the same svc_time: a client can take all of them for one.
    pub lingering: Ordered<()>,
    /// Static entities, in order.
    pub statics: Vec<Base>,
    /// The newest svc_time, as bits and in seconds.
    pub time: Option<(u32, f64)>,
    /// The newest clientdata.
    pub player: Option<Raw>,
    /// Statistics; `None` while unknown.
    pub stats: Vec<Option<i64>>,
    /// Statistics before the newest clientdata.
    pub stats_before: Vec<Option<i64>>,
    /// Sounds that the client has to play.
    pub sounds: VecDeque<SoundDue>,
    /// What else happens once: the note with which the client shows it, and the note's values.
    pub events: VecDeque<(usize, [i64; 2])>,
    /// The client was in the game before the newest message, so that it has to show what happens.
    pub certain: bool,
    /// Numbers that the client has to print.
    pub prints: VecDeque<i32>,
    /// The view was turned to this: yaw and pitch as raw bytes, by the newest svc_setangle.
    pub turned: Option<[u8; 3]>,
    /// Something was delivered of which a client may make what it likes: entities are compared again after the next
    /// datagram with svc_time.
    pub unsure: bool,
    /// Same, for statistics, after the next clientdata.
    pub player_unsure: bool,
    /// Why nothing is known until the next map.
    pub indeterminate: Option<Indeterminate>,
    /// What the newest message asked of its reader, in order.
    pub features: Vec<&'static Requirement>,
}

impl Delivered {
    /// Whether protocol 666 was announced.
    pub fn extended(&self) -> bool {
        self.protocol == Some(PROTOCOL_FITZQUAKE)
    }

    fn begin_map(&mut self, protocol: u32) {
        let prints = std::mem::take(&mut self.prints);
        *self = Delivered {
            protocol: Some(protocol),
            epoch: self.epoch + 1,
            bases_version: self.bases_version + 1,
            stats: vec![None; STATS],
            stats_before: vec![None; STATS],
            prints,
            features: std::mem::take(&mut self.features),
            unsure: true,
            player_unsure: true,
            ..Delivered::default()
        };
    }

    /// Takes a message that was delivered. `epoch` is the map in which the server sent it, if it is unreliable. Whether it
    /// could be read to its end.
    pub fn message(&mut self, bytes: &[u8], epoch: Option<u32>) -> bool {
        let reliable = epoch.is_none();
        self.features.clear();
        if epoch.is_some_and(|epoch| epoch != self.epoch || self.stage < 3) {
            // Of another map, or before its time: a client may take it or leave it.
            self.unsure = true;
            self.player_unsure = true;
            self.doubtful = true;
            return true;
        }
        let certain = self.active;
        self.certain = certain;
        self.events.clear();
        let mut at = 0;
        while let Some(&svc) = bytes.get(at) {
            if self.indeterminate.is_some() && svc != SVC_SERVER_INFO {
                return false;
            }
            let Some(end) = self.service(bytes, at, svc, reliable, certain) else {
                if reliable {
                    self.indeterminate = Some(Indeterminate { why: "a reliable message cannot be read" });
                }
                self.unsure = true;
                self.player_unsure = true;
                return false;
            };
            at = end;
        }
        true
    }

    fn service(&mut self, bytes: &[u8], at: usize, svc: u8, reliable: bool, certain: bool) -> Option<usize> {
        let body = at + 1;
        let extended = self.extended();
        match svc {
            _ if svc & 0x80 != 0 => self.update(bytes, at),
            SVC_CLIENT_DATA => self.clientdata(bytes, at),
            SVC_SOUND => {
                let raw = Kind::Sound.read_known(bytes, at, extended)?;
                let (entity, channel) = raw.source();
                let due = SoundDue { source: (entity, channel, raw.value(Part::Sound)), raw, certain };
                if raw.bits & SND_LARGE != 0 {
                    self.features.push(&SND_03);
                }
                if self.sounds.len() < MAX_DUE && !reliable {
                    self.sounds.push_back(due);
                }
                Some(raw.end)
            }
            SVC_SERVER_INFO => {
                let protocol = u32::from_le_bytes(*bytes.get(body..)?.first_chunk()?);
                self.begin_map(protocol);
                self.strange = ![PROTOCOL_NETQUAKE, PROTOCOL_FITZQUAKE, PROTOCOL_RMQ].contains(&protocol);
                let mut r = Reader::new(bytes.get(body..)?);
                let info = ServerInfo::read(&mut r).ok()?;
                self.flags = info.protocol_flags;
                (info.protocol != PROTOCOL_RMQ && info.fte2.is_none()).then(|| body + r.at())
            }
            SVC_SPAWN_BASELINE | SVC_SPAWN_BASELINE2 | SVC_SPAWN_STATIC | SVC_SPAWN_STATIC2 => {
                let kind = Kind::of(svc)?;
                let raw = kind.read_known(bytes, at, extended)?;
                let base = Base { look: Look::of(&raw), flags: kind.is_new().then_some(raw.bits) };
                self.record_features(&base);
                if matches!(kind, Kind::Baseline | Kind::Baseline2) {
                    self.bases.insert(raw.value(Part::Entity), base);
                    self.bases_version += 1;
                } else if self.statics.len() < MAX_DUE {
                    self.statics.push(base);
                }
                Some(raw.end)
            }
            SVC_SPAWN_STATIC_SOUND2 if extended => {
                self.features.push(&DEF_04);
                Kind::StaticSound2.read(bytes, at).map(|raw| raw.end)
            }
            FIRST_NEW_SERVICE.. if extended => service_end(bytes, at, svc, extended),
            _ => self.other(bytes, body, svc),
        }
    }

    fn record_features(&mut self, base: &Base) {
        let Some(flags) = base.flags else { return };
        self.features.push(&DEF_04);
        for (flag, row) in [(B_LARGEMODEL, &BASE_03), (B_LARGEFRAME, &BASE_04), (B_ALPHA, &BASE_05)] {
            if flags & flag != 0 {
                self.features.push(row);
            }
        }
    }

    /// An update with the bytes of the one at the same place of the datagram before, over the same baselines: what it makes of the
    /// entity is known.
    fn update_again(&mut self, rest: &[u8]) -> Option<usize> {
        let (number, held) = self.before.at(self.shown.numbers().len())?;
        let bytes = held.update.filter(|update| rest.starts_with(update.get()))?;
        if held.bases_version != self.bases_version {
            return None;
        }
        if held.raw.bits & U_EXTEND1 != 0 {
            self.features.push(&ENT_03);
        }
        let time = self.time.map_or(0.0, |time| time.1);
        self.shown.insert(number, Shown { time, turned: false, ..*held });
        self.active |= self.stage == 3;
        Some(bytes.get().len())
    }

    fn update(&mut self, bytes: &[u8], at: usize) -> Option<usize> {
        if let Some(length) = self.update_again(bytes.get(at..)?) {
            return Some(at + length);
        }
        let raw = Kind::Update.read_known(bytes, at, self.extended())?;
        let entity = raw.value(Part::Entity);
        if raw.bits & U_EXTEND1 != 0 {
            self.features.push(&ENT_03);
        }
        let look = self.bases.get(entity).copied().unwrap_or_default().look.updated(&raw);
        let time = self.time.map_or(0.0, |time| time.1);
        let held = self.before.get(entity);
        let turned = held.is_some_and(|held| held.look.frame != look.frame);
        let changed = held.filter(|_| !turned).map_or(time, |held| held.changed);
        let hint = raw.get(Part::LerpFinish).map(|byte| time + f64::from(byte) / 255.0);
        let old_hint = held.and_then(|held| held.hint.or(held.old_hint));
        let update = bytes.get(at..raw.end).filter(|_| hint.is_none()).and_then(UpdateBytes::new);
        let bases_version = self.bases_version;
        self.shown.insert(entity, Shown { look, raw, update, bases_version, time, changed, hint, old_hint, turned });
        self.active |= self.stage == 3;
        Some(raw.end)
    }

    fn clientdata(&mut self, bytes: &[u8], at: usize) -> Option<usize> {
        let raw = Kind::ClientData.read_known(bytes, at, self.extended())?;
        if raw.bits & SU_EXTEND1 != 0 {
            self.features.push(&DEF_02);
        }
        self.stats_before.clone_from(&self.stats);
        self.player = Some(raw);
        self.player_unsure = false;
        for (stat, value) in player_stats(&raw) {
            if let Some(held) = self.stats.get_mut(usize::from(stat)) {
                *held = Some(value);
            }
        }
        Some(raw.end)
    }

    fn happens(&mut self, note: usize, values: [i64; 2]) {
        if self.certain && self.events.len() < MAX_DUE {
            self.events.push_back((note, values));
        }
    }

    fn other(&mut self, bytes: &[u8], at: usize, svc: u8) -> Option<usize> {
        let mut r = Reader::new(bytes.get(at..)?);
        let service = netquake::read_service(&mut r, svc, &Primitives::PLAIN).ok()??;
        match service {
            Service::Time { time } => {
                let before = self.time.replace((time as u32, f64::from(float_value(time))));
                if before.is_some_and(|(bits, _)| bits == time as u32) {
                    self.shown.numbers().iter().for_each(|&number| self.lingering.insert(number, ()));
                } else {
                    self.lingering.clear();
                }
                std::mem::swap(&mut self.before, &mut self.shown);
                self.shown.clear();
                self.unsure = false;
            }
            Service::SignOnNum { stage } => {
                self.ended |= stage <= self.stage;
                self.stage = self.stage.max(stage);
            }
            Service::Disconnect => self.ended = true,
            Service::SetView { entity } => self.own = Some(entity),
            Service::UpdateStat { stat, value } => {
                if let Some(held) = self.stats.get_mut(usize::from(stat)) {
                    *held = Some(value.into());
                }
            }
            Service::SetAngle { .. } => {
                let angles: &[u8; 3] = bytes.get(at..)?.first_chunk()?;
                self.turned = Some(*angles);
                self.happens(notes::ANGLE_SET, [i64::from(angles[1] as i8), 0]);
            }
            Service::Damage { armor, blood, .. } => self.happens(notes::DAMAGE_TAKEN, [armor.into(), blood.into()]),
            Service::Particle { count, .. } => self.happens(notes::PARTICLES, [count.into(), 0]),
            Service::Print { text } => {
                if let Some(number) = proof(text).filter(|_| self.prints.len() < MAX_DUE) {
                    self.prints.push_back(number);
                }
            }
            Service::StuffText { text } => {
                let lines = text.split(|&byte| byte == b'\n');
                let asked = lines.filter_map(|line| line.strip_prefix(b"cmd ")).next_back();
                let word = asked.and_then(|asked| asked.split(u8::is_ascii_whitespace).next());
                self.asked = word.map(<[u8]>::to_vec).or(self.asked.take());
                if netquake::has_reconnect(text) {
                    // The sign-on starts over; what is shown until then is the client's own business.
                    self.active = false;
                    self.stage = 0;
                    self.unsure = true;
                    self.player_unsure = true;
                }
            }
            _ => {}
        }
        Some(at + r.at())
    }
}

/// What a clientdata says of statistics.
pub fn player_stats(raw: &Raw) -> [(u8, i64); 22] {
    let char = |part: Part| i64::from(raw.value(part) as u8 as i8);
    let wide = |low: Part, high: Part| i64::from(raw.value(low) & 0xff | raw.value(high) << 8);
    let height = raw.get(Part::ViewHeight).map_or(DEFAULT_VIEWHEIGHT, |byte| byte as u8 as i8);
    [
        (STAT_VIEWHEIGHT, height.into()),
        (STAT_IDEALPITCH, char(Part::IdealPitch)),
        (STAT_PUNCH, char(Part::Punch1)),
        (STAT_VELOCITY, 16 * char(Part::Velocity1)),
        (STAT_PUNCH + 1, char(Part::Punch2)),
        (STAT_VELOCITY + 1, 16 * char(Part::Velocity2)),
        (STAT_PUNCH + 2, char(Part::Punch3)),
        (STAT_VELOCITY + 2, 16 * char(Part::Velocity3)),
        (STAT_ITEMS, i64::from(raw.value(Part::Items) as i32)),
        (STAT_ONGROUND, i64::from(raw.bits & SU_ONGROUND != 0)),
        (STAT_INWATER, i64::from(raw.bits & SU_INWATER != 0)),
        (STAT_WEAPONFRAME, wide(Part::WeaponFrame, Part::WeaponFrame2)),
        (STAT_ARMOR, wide(Part::Armor, Part::Armor2)),
        (STAT_WEAPON, wide(Part::Weapon, Part::Weapon2)),
        (STAT_HEALTH, i64::from(raw.value(Part::Health) as u16 as i16)),
        (STAT_AMMO, wide(Part::Ammo, Part::Ammo2)),
        (STAT_SHELLS, wide(Part::Shells, Part::Shells2)),
        (STAT_SHELLS + 1, wide(Part::Nails, Part::Nails2)),
        (STAT_SHELLS + 2, wide(Part::Rockets, Part::Rockets2)),
        (STAT_SHELLS + 3, wide(Part::Cells, Part::Cells2)),
        (STAT_ACTIVEWEAPON, raw.value(Part::ActiveWeapon).into()),
        (STAT_WEAPONALPHA, raw.value(Part::WeaponAlpha).into()),
    ]
}
