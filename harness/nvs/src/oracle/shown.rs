//! What a client received, read as it has to be read, and what the client shows of it.

use super::coverage::{Point, meaning as m};
use super::diagnosis::{self, Readings};
use super::scene::Scene;
use super::session::{Indeterminate, Session};
use super::stream::{Packet, base};
use super::truth::Truth;
use crate::constants::{
    EXTRA_VERSION_BYTES, LIMIT_BYTES, STAT_ANGLES, STAT_CCLC, STAT_SSVC, SVC_EXTRA_VERSION, SVC_LIMIT, VERSION_NVS,
};
use crate::notes::*;
use crate::requirements::{CL_01, HS_08, T1_02};
use crate::state::FIELDS;
use crate::tables::{Kind, Message};
use crate::version::{Version, Versions};
use kit::table::float_value;
use kit::{Check, Event, HostId, Knows, Reader, Report, StatValue, Time, View};
use netquake::Service;
use netquake::constants::{PROTOCOL_NETQUAKE, SVC_PARTICLE, SVC_SET_ANGLE, SVC_TEMP_ENTITY, SVC_TIME, TE_EXPLOSION};
use netquake::effect::TempEntity;
use std::collections::VecDeque;

/// What a client shows of a packet is what was delivered, read by its versions and its signon.
pub static CLIENTS_READ_WHAT_WAS_DELIVERED: Check =
    Check::new("clients-read-what-was-delivered", &[m::CL_01, m::SIG_02, m::VER_04, m::T1_02, m::T3_03])
        .knows(&[Knows::ClientShows]);
/// A client shows the entities of a frame over their baselines, the server's time, its own entity, and where it looks.
pub static CLIENTS_SHOW_WHAT_FRAMES_HAVE: Check =
    Check::new("clients-show-what-frames-have", &[m::CL_01, m::T1_02]).knows(&[Knows::ClientShows]);
/// Until it is sent versions, a client's are 0.
pub static VERSIONS_ARE_ZERO_UNTIL_SENT: Check =
    Check::new("versions-are-zero-until-sent", &[m::HS_08]).knows(&[Knows::ClientShows]);

/// Notes of one delivery that are compared; of more, the rest is not.
const MAX_NOTES: usize = 4096;

/// Reliable messages that a client may leave unacknowledged: there is one at a time.
const MAX_UNREAD: usize = 16;

/// Which notes are compared, by their arguments.
const COMPARED: [usize; 11] = [
    VERSIONS_SENT,
    LIMITS_SENT,
    VIEW_TURNED,
    EXPLOSION,
    EXPLOSION_COLOR,
    PARTICLES,
    PARTICLES_LOOK,
    TEMP_ENTITY,
    DAMAGE,
    LISTED,
    LISTED_VALUE,
];

/// The levels that datagrams of the server belong to.
#[derive(Debug, Default)]
pub struct Epochs {
    /// The first datagram of each level.
    begins: Vec<(u32, u32)>,
}

impl Epochs {
    /// A datagram is sent in this level.
    pub fn sent(&mut self, index: u32, level: u32) {
        if self.begins.last().is_none_or(|last| last.1 != level) && self.begins.len() < MAX_NOTES {
            self.begins.push((index, level));
        }
    }

    /// The level that a datagram was sent in.
    pub fn level(&self, index: u32) -> Option<u32> {
        self.begins.iter().rev().find(|begin| begin.0 <= index).map(|begin| begin.1)
    }
}

/// A client as it has to be.
#[derive(Debug, Default)]
pub struct Delivered {
    /// The client knows that it was accepted.
    pub accepted: bool,
    /// Reliable messages that a remote client was sent and has not acknowledged, by the number of their last fragments.
    pub unread: VecDeque<([u8; 4], Vec<u8>)>,
    /// The levels of what was sent.
    pub epochs: Epochs,
    /// The step of the sign-on that it has read.
    pub stage: u8,
    /// What was delivered since the map was.
    pub versions: Option<Versions>,
    /// When the end of its sign-on was delivered.
    pub signed_on: Time,
    /// What it sees.
    scene: Scene,
    /// A frame was read to its end, to be compared with what the client shows.
    framed: bool,
    /// Where it looks: the bits of `f32`s, and since when; `None` if that is not known.
    pub look: Option<([i32; 3], Time)>,
    /// The levels that it has begun.
    pub level: u32,
    /// How often a map was delivered.
    pub invitations: u32,
    /// When one was last.
    pub invited: Time,
    /// It has to be looked at.
    pub due: bool,
    /// What was delivered is not known: the server's stream could not be read to its end, or was another session's.
    pub indeterminate: Option<Indeterminate>,
    wanted: Vec<(usize, [i64; 4])>,
    wanted_texts: Vec<Vec<u8>>,
    shown: Vec<(usize, [i64; 4])>,
    shown_texts: Vec<Vec<u8>>,
    rejected: Option<String>,
    /// What was delivered is to be compared with what is shown.
    compare: bool,
    /// It was a frame of an earlier level, of which the client has nothing to show.
    outdated: bool,
    /// Its time, if that is another than the newest frame's that the client had to read.
    outdated_time: Option<u32>,
    /// It shows notes at all.
    talks: bool,
    /// What the packet had to be read by.
    readings: Readings,
    /// When it was delivered.
    now: Time,
}

impl Delivered {
    /// A reliable message was delivered to a remote client, which has read it when it acknowledges its last fragment.
    pub fn put(&mut self, sequence: [u8; 4], message: Vec<u8>) {
        if self.unread.len() < MAX_UNREAD {
            self.unread.push_back((sequence, message));
        } else {
            self.indeterminate.get_or_insert(Indeterminate { why: "it does not show what it has read" });
        }
    }

    /// A remote client acknowledges a fragment.
    pub fn acknowledges(&mut self, now: Time, sequence: [u8; 4], truth: &Truth, report: &mut Report) {
        if !self.unread.iter().any(|unread| unread.0 == sequence) {
            return;
        }
        while let Some((number, message)) = self.unread.pop_front() {
            self.receives(now, &Packet::Reliable(message), None, truth, report);
            if number == sequence {
                break;
            }
        }
    }

    /// Something was delivered, of this level.
    pub fn receives(&mut self, now: Time, packet: &Packet, level: Option<u32>, truth: &Truth, report: &mut Report) {
        let (invitations, stage) = (self.invitations, self.stage);
        self.wanted.clear();
        self.wanted_texts.clear();
        self.shown.clear();
        self.shown_texts.clear();
        self.rejected = None;
        self.readings = Readings::default();
        self.due = true;
        let known = self.indeterminate.is_none();
        (self.framed, self.now) = (false, now);
        self.compare = match packet {
            Packet::Nothing => false,
            Packet::Reliable(message) => {
                let readable = known && self.read(message, truth, report);
                if !readable {
                    self.indeterminate.get_or_insert(Indeterminate { why: "a reliable message cannot be read" });
                }
                readable
            }
            // A late datagram of another level means nothing that can be known.
            Packet::Unreliable(payload) => {
                let is_frame = payload.first() == Some(&SVC_TIME);
                if is_frame {
                    self.scene.begin_frame();
                }
                let is_due = level == Some(self.level) && known && self.stage >= 3;
                let readable = is_due && self.read(payload, truth, report);
                self.framed = readable && is_frame;
                if !readable && self.stage >= 3 {
                    self.look = None;
                }
                readable
            }
        };
        // Until it has signed on to a level, a client knows that a frame is of the one before.
        let earlier = stage < 3 && level.is_some_and(|level| level < self.level);
        self.outdated = known && earlier && matches!(packet, Packet::Unreliable(_));
        self.outdated_time = match packet {
            Packet::Unreliable(payload) if payload.first() == Some(&SVC_TIME) => payload.get(1..5),
            _ => None,
        }
        .and_then(|time| time.first_chunk().map(|time| u32::from_le_bytes(*time)))
        .filter(|&time| time != self.scene.time as u32);
        if self.invitations != invitations {
            self.invited = now;
        }
        if self.stage == 3 && stage < 3 {
            self.signed_on = now;
        }
    }

    /// Reads a packet; whether it can be read to its end.
    fn read(&mut self, packet: &[u8], truth: &Truth, report: &mut Report) -> bool {
        let mut rest = packet;
        while let Some(&svc) = rest.first() {
            let sub = rest.get(1).copied().unwrap_or_default();
            let length = match (svc, truth.tables.find(svc, sub)) {
                (SVC_EXTRA_VERSION, _) => self.read_versions(rest),
                (_, Some(message)) => self.read_listed(rest, message, truth, report),
                (SVC_LIMIT, None) => self.read_limits(rest),
                _ => self.read_base(rest),
            };
            let Some(length) = length else { return false };
            rest = rest.get(length.max(1)..).unwrap_or_default();
        }
        true
    }

    fn want(&mut self, note: usize, args: &[i64]) {
        if self.wanted.len() < MAX_NOTES {
            let mut all = [0; 4];
            all.iter_mut().zip(args).for_each(|(to, &from)| *to = from);
            self.wanted.push((note, all));
        }
    }

    fn read_versions(&mut self, rest: &[u8]) -> Option<usize> {
        let mut r = Reader::new(rest.get(..EXTRA_VERSION_BYTES)?);
        r.u8("svc").ok()?;
        if r.u8("type").ok()? != VERSION_NVS {
            return None;
        }
        let versions = Versions::read(&mut r).ok()?;
        self.versions = Some(versions);
        self.want(VERSIONS_SENT, &[versions.ssvc, versions.csvc, versions.cclc].map(|version| version.0.into()));
        Some(EXTRA_VERSION_BYTES)
    }

    fn read_limits(&mut self, rest: &[u8]) -> Option<usize> {
        let bytes = rest.get(..LIMIT_BYTES)?;
        let short = |at: usize| i64::from(i16::from_le_bytes([bytes[at], bytes[at + 1]]));
        self.want(LIMITS_SENT, &[2, 4, 6].map(short));
        Some(LIMIT_BYTES)
    }

    fn read_listed(&mut self, rest: &[u8], message: &Message, truth: &Truth, report: &mut Report) -> Option<usize> {
        let version = match self.versions {
            Some(held) if self.stage >= 2 => held.csvc.0,
            _ => 0,
        };
        let line = message.lines.iter().find(|line| line.version.0 <= version)?;
        let mut r = Reader::new(rest);
        let mut values = Vec::new();
        for (k, kind) in message.kinds.iter().enumerate().filter(|(k, _)| line.converts(*k)) {
            let value = read_value(&mut r, *kind)?;
            values.push((k, *kind, value));
        }
        if r.at() == 0 {
            return None;
        }
        let newer = message.lines.first().is_some_and(|newest| newest.version.0 > 0);
        let claims = self.versions.is_some_and(|held| held.csvc.0 > 0) && truth.ssvc > 0;
        self.readings.listed |= newer;
        self.readings.uneven |= line.version.0 == version && diagnosis::is_uneven(version);
        let early = self.stage < 2 && newer && claims;
        self.readings.early |= early;
        report.saw_if(early, Point::OldFormDelivered);
        self.show_listed(message, &values);
        Some(r.at())
    }

    /// What a client shows of a message with a table.
    fn show_listed(&mut self, message: &Message, values: &[(usize, Kind, i64)]) {
        let value = |index: usize| values.get(index).map_or(0, |value| value.2);
        let eighths = |index: usize| (f32::from_bits(value(index) as u32) * 8.0) as i64;
        let is_coord = |at: usize| values.get(at).is_some_and(|value| value.1 == Kind::Coord);
        match (message.svc, message.sub) {
            (SVC_SET_ANGLE, _) if values.len() == 4 => {
                self.readings.fine_angles = values.iter().skip(1).all(|value| value.1 == Kind::Float);
                self.turns([1, 2, 3].map(value));
            }
            (SVC_TEMP_ENTITY, Some(TE_EXPLOSION)) if (2..5).all(is_coord) => {
                self.readings.explosion = true;
                self.want(EXPLOSION, &[2, 3, 4].map(eighths));
                if (5..9).all(is_coord) {
                    self.want(EXPLOSION_COLOR, &[5, 6, 7, 8].map(eighths));
                }
            }
            (SVC_PARTICLE, _) if values.len() == 9 && (1..4).all(is_coord) => {
                let byte = |at: usize| value(at) & 0xff;
                self.want(PARTICLES, &[eighths(1), eighths(2), eighths(3), byte(7)]);
                let part = |at: usize| i64::from(value(at) as i8);
                self.want(PARTICLES_LOOK, &[part(4), part(5), part(6), byte(8)]);
            }
            (SVC_LIMIT, _) if values.len() == 5 => self.want(LIMITS_SENT, &[2, 3, 4].map(value)),
            _ => {
                self.want(LISTED, &[message.svc.into(), message.sub.unwrap_or(0).into()]);
                let skipped = if message.sub.is_some() { 2 } else { 1 };
                for value in values.iter().skip(skipped) {
                    self.want(LISTED_VALUE, &[value.2]);
                }
            }
        }
    }

    fn read_base(&mut self, rest: &[u8]) -> Option<usize> {
        let (length, service) = base(rest).ok()?;
        self.scene.take(&service);
        match service {
            Service::StuffText { text } if text.starts_with(b"reconnect") => self.begin_level(),
            // A client of NetQuake need not read what follows of another protocol.
            Service::ServerInfo(info) if info.protocol != PROTOCOL_NETQUAKE => return None,
            Service::ServerInfo(_) => self.begin_level(),
            Service::SignOnNum { stage } => {
                self.stage = stage;
                if stage == 1 {
                    self.versions = None;
                    self.invitations += 1;
                }
            }
            Service::Print { text } if self.wanted_texts.len() < MAX_NOTES => {
                self.wanted_texts.push(text.to_vec());
            }
            Service::Damage { armor, blood, .. } => self.want(DAMAGE, &[armor.into(), blood.into()]),
            Service::TempEntity(effect) => {
                let kind = match effect {
                    TempEntity::Point { kind, .. } | TempEntity::Beam { kind, .. } => kind,
                    TempEntity::ColoredExplosion { .. } => netquake::constants::TE_EXPLOSION2,
                };
                match effect {
                    TempEntity::Point { kind: TE_EXPLOSION, origin } => self.want(EXPLOSION, &origin.map(eighths)),
                    _ => self.want(TEMP_ENTITY, &[kind.into()]),
                }
            }
            Service::SetAngle { angles } => self.turns(angles.map(i64::from)),
            Service::Particle { origin, direction, count, color } => {
                let ([x, y, z], [dx, dy, dz]) = (origin.map(eighths), direction.map(i64::from));
                self.want(PARTICLES, &[x, y, z, count.into()]);
                self.want(PARTICLES_LOOK, &[dx, dy, dz, color.into()]);
            }
            _ => {}
        }
        Some(length)
    }

    /// The server turns its view.
    fn turns(&mut self, angles: [i64; 3]) {
        self.want(VIEW_TURNED, &angles);
        self.look = Some((angles.map(|bits| bits as i32), self.now));
    }

    fn begin_level(&mut self) {
        if self.stage > 0 || self.versions.is_some() {
            self.level += 1;
        }
        self.stage = 0;
        self.versions = None;
    }

    /// The client shows something.
    pub fn shows(&mut self, event: &Event) {
        match event {
            Event::Note { note, args } if COMPARED.contains(note) && self.shown.len() < MAX_NOTES => {
                self.talks = true;
                self.shown.push((*note, *args));
            }
            Event::Print { text } if self.shown_texts.len() < MAX_NOTES => self.shown_texts.push(text.clone()),
            Event::Rejected { error, .. } => self.rejected = Some(error.to_string()),
            _ => {}
        }
    }

    /// The client has shown all that it will of what was delivered.
    pub fn settled(&mut self, session: &Session, report: &mut Report, now: Time, view: &View) {
        self.due = false;
        let host = session.host;
        let held: Vec<(u8, StatValue)> =
            view.stats.iter().copied().filter(|stat| (STAT_SSVC..=STAT_CCLC).contains(&stat.0)).collect();
        let versions_shown = self.indeterminate.is_none() && !view.hidden.stats;
        if let Some(sent) = self.versions.filter(|_| self.stage >= 1 && versions_shown) {
            let versions = [sent.ssvc, sent.csvc, sent.cclc];
            let wanted = (STAT_SSVC..).zip(versions).filter(|(_, version)| *version != Version::PLAIN);
            if !wanted.map(|(stat, version)| (stat, StatValue::Int(version.0))).eq(held.iter().copied()) {
                report.fail(&CLIENTS_READ_WHAT_WAS_DELIVERED, now, host, &CL_01, || {
                    format!("holds {held:?}; was sent {sent:?}")
                });
            }
        }
        if self.stage >= 1 && self.versions.is_none() && versions_shown && !session.damaged {
            report.saw_if(session.max.is_some() && self.stage == 1, Point::NoVersions);
            if let Some(stat) = held.iter().find(|stat| stat.1 != StatValue::Int(0)) {
                report.fail(&VERSIONS_ARE_ZERO_UNTIL_SENT, now, host, &HS_08, || {
                    format!("holds {stat:?} before it was sent any version")
                });
            }
        }
        let check = &CLIENTS_READ_WHAT_WAS_DELIVERED;
        let takes = !self.shown.is_empty() || self.rejected.is_some() || self.outdated_time == Some(view.server_time);
        if std::mem::take(&mut self.outdated) && takes {
            let (shown, rejected) = (&self.shown, &self.rejected);
            report.fail(check, now, host, &CL_01, || {
                format!("shows {shown:?} of a frame of an earlier level, and refuses {rejected:?}")
            });
        }
        if !std::mem::take(&mut self.compare) {
            return;
        }
        if let Some(error) = self.rejected.take() {
            report.fail(check, now, host, self.readings.misread(), || format!("refuses what it has to read: {error}"));
            return;
        }
        if std::mem::take(&mut self.framed) && !self.judge_view(host, report, now, view) {
            return;
        }
        if !self.talks {
            return;
        }
        for compared in COMPARED {
            let [wanted, shown] = [&self.wanted, &self.shown]
                .map(|notes| notes.iter().filter(|note| note.0 == compared).map(|note| note.1));
            if !wanted.clone().eq(shown.clone()) {
                let [wanted, shown] = [wanted, shown].map(Iterator::collect::<Vec<_>>);
                let is_angle = compared == VIEW_TURNED;
                let suspects =
                    if is_angle { self.readings.misread_angles(&wanted, &shown) } else { self.readings.misread() };
                let name = NOTES.get(compared).map_or("", |row| row.name);
                report.fail(check, now, host, suspects, || format!("shows {name} {shown:?}; it was sent {wanted:?}"));
                return;
            }
        }
        if self.wanted_texts != self.shown_texts {
            let (wanted, shown) = (self.wanted_texts.len(), self.shown_texts.len());
            report.fail(check, now, host, self.readings.misread(), || {
                format!("prints {shown} texts; {wanted} were delivered, or others")
            });
            return;
        }
        report.saw_if(self.readings.listed, Point::ListedRead);
        report.saw_if(self.readings.explosion, Point::ExplosionRead);
        report.saw_if(self.readings.fine_angles, Point::FineAnglesRead);
    }

    /// Whether a client shows what a frame has.
    fn judge_view(&self, host: HostId, report: &mut Report, now: Time, view: &View) -> bool {
        let Scene { entities, own_entity, time, .. } = &self.scene;
        let shown = view.fields.chunks_exact(FIELDS);
        let same_value =
            |field: usize, has: &[i32], shown: &[i32]| has[field] == shown[field] || view.hidden.has(field);
        let same_entity =
            |has: &[i32], shown: &[i32]| has == shown || (0..FIELDS).all(|field| same_value(field, has, shown));
        let same = *entities.numbers() == view.numbers
            && view.fields.len() == entities.numbers().len() * FIELDS
            && entities.iter().zip(shown).all(|((_, entity), shown)| same_entity(&entity.0, shown));
        if !same || *own_entity != view.own_entity || *time as u32 != view.server_time || *time != 0 && !view.valid {
            report.fail(&CLIENTS_SHOW_WHAT_FRAMES_HAVE, now, host, &CL_01, || {
                let (shown, has) = (&view.numbers, entities.numbers());
                let (seen, at) = (view.own_entity, view.server_time);
                format!(
                    "shows the entities {shown:?} of a frame with {has:?}, or their fields otherwise; through {seen}, \
                     not {own_entity}; at {at:#x}, not {time:#x}"
                )
            });
            return false;
        }
        let Some((angles, _)) = self.look.filter(|_| !view.hidden.stats) else { return true };
        let turned = (STAT_ANGLES..).zip(angles.map(float_value)).filter(|(_, angle)| *angle != 0.0);
        let shown = view.stats.iter().copied().filter(|stat| (STAT_ANGLES..=STAT_ANGLES + 2).contains(&stat.0));
        let same = turned.map(|(stat, angle)| (stat, StatValue::Float(angle))).eq(shown);
        if !same {
            report.fail(&CLIENTS_SHOW_WHAT_FRAMES_HAVE, now, host, &T1_02, || {
                format!("looks to {:?}; it was turned to {:?}", view.stats, angles.map(float_value))
            });
        }
        same
    }
}

/// A coord in eighths of a unit.
fn eighths(bits: i32) -> i64 {
    (float_value(bits) * 8.0) as i64
}

/// One value: the bits of an `f32` for floats, coords and angles, a number otherwise, the length of a string.
fn read_value(r: &mut Reader<'_>, kind: Kind) -> Option<i64> {
    let bits = |value: f32| i64::from((value + 0.0).to_bits() as i32);
    Some(match kind {
        Kind::Byte => r.u8("value").ok()?.into(),
        Kind::Char => r.i8("value").ok()?.into(),
        Kind::Short => r.i16("value").ok()?.into(),
        Kind::Entity => r.u16("value").ok()?.into(),
        Kind::Long => r.i32("value").ok()?.into(),
        Kind::Float => bits(r.f32("value").ok()?),
        Kind::Coord => bits(f32::from(r.i16("value").ok()?) / 8.0),
        Kind::Angle => bits(f32::from(r.i8("value").ok()?) * 360.0 / 256.0),
        Kind::String => r.string("value").ok()?.len() as i64,
    })
}
