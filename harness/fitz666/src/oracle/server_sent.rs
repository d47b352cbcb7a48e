//! What a server sends to one client, message by message, against the world.

mod seen;

use super::coverage::{Point, Report};
use super::grammar::Grammar;
use super::look::Look;
use super::ordered::Ordered;
use super::server_player::{self, Player};
use super::server_signs::{Announced, Heard, Signs};
use super::server_sounds::{SoundsSent, Verdict};
use super::server_updates::{self, Stage};
use super::truth::Truth;
use super::wire::*;
use crate::options::Options;
use crate::requirements::*;
use kit::table::float_value;
use kit::{HostId, Reader, Requirement, Time};
use netquake::constants::*;
use netquake::fitzquake::{self, SVC_FOG, SVC_SPAWN_BASELINE2, SVC_SPAWN_STATIC_SOUND2, SVC_SPAWN_STATIC2};
use netquake::{Primitives, ServerInfo, Service};
use std::collections::BTreeMap;

/// Numbers of prints remembered.
const MAX_PRINTS: usize = 4096;
/// How often an entity has to be seen, or not, before anything is concluded from that.
const ENOUGH: u32 = 20;
/// Bytes that an update may need.
const UPDATE_BYTES: usize = 24;

/// What one client was sent.
#[derive(Debug)]
pub struct Sent {
    /// The client.
    pub host: HostId,
    /// The protocol announced in the present map.
    pub protocol: Option<u32>,
    /// How many maps were announced.
    pub epoch: u32,
    /// The step of the sign-on reached.
    pub stage: u8,
    /// The baselines announced.
    pub bases: Ordered<Look>,
    /// The newest svc_time, in seconds.
    pub time: Option<f64>,
    /// The client's own entity.
    pub own: u32,
    /// A map began that was not announced yet.
    pub between: bool,
    /// Something could not be read, so that nothing is known of what follows in this map.
    pub lost: bool,
    announced: Announced,
    sounds: SoundsSent,
    /// Prints told to the server for this client, and how many of them were sent.
    prints: Vec<i32>,
    printed: usize,
    /// Entities told before, for hints set since.
    hinted: BTreeMap<u32, Time>,
    /// Of entities at their baseline, and off it: mentioned, and not.
    at_base: [u32; 2],
    off_base: [u32; 2],
    /// Who is mentioned in the datagram that is read.
    mentioned: Ordered<()>,
}

impl Sent {
    /// Nothing yet.
    pub fn new(host: HostId) -> Sent {
        Sent {
            host,
            protocol: None,
            epoch: 0,
            stage: 0,
            bases: Ordered::default(),
            time: None,
            own: host.0.into(),
            between: false,
            lost: false,
            announced: Announced::default(),
            sounds: SoundsSent::default(),
            prints: Vec::new(),
            printed: 0,
            hinted: BTreeMap::new(),
            at_base: [0; 2],
            off_base: [0; 2],
            mentioned: Ordered::default(),
        }
    }

    /// Whether protocol 666 was announced.
    pub fn extended(&self) -> bool {
        self.protocol == Some(PROTOCOL_FITZQUAKE)
    }

    /// The server is to print a number to this client, which plays.
    pub fn to_print(&mut self, number: i32) {
        if self.prints.len() < MAX_PRINTS {
            self.prints.push(number);
        }
    }

    /// The server says that it does not.
    pub fn not_to_print(&mut self) {
        self.prints.pop();
    }

    fn begin_map(&mut self, protocol: u32) {
        self.protocol = Some(protocol);
        self.epoch += 1;
        self.stage = 0;
        self.bases.clear();
        self.time = None;
        self.between = false;
        self.lost = false;
        self.announced = Announced::default();
        self.hinted.clear();
    }
}

/// Reads what a server sends to a client, and judges it.
pub struct ServerEar<'a> {
    /// What the client was sent.
    pub sent: &'a mut Sent,
    /// What the scenario says.
    pub truth: &'a Truth,
    /// What the scenario asks of both.
    pub options: &'a Options,
    /// Number of player slots.
    pub slots: u32,
    /// Where findings go.
    pub report: &'a mut Report,
    /// The time.
    pub now: Time,
    /// Whether the message was certainly made of the world as it is now, and not before the scenario changed it last.
    pub current: bool,
}

/// What became of a message.
enum Next {
    /// It ends there.
    At(usize),
    /// Nothing behind it can be read.
    Lost,
}

impl ServerEar<'_> {
    fn find(&mut self, requirement: &'static Requirement, what: impl FnOnce() -> String) {
        let client = self.sent.host;
        self.report.find(requirement, self.now, HostId::SERVER, || format!("to {client}: {}", what()));
    }

    /// Judges a message of the server: all of an unreliable datagram, or a whole reliable message.
    pub fn message(&mut self, bytes: &[u8], reliable: bool) {
        let asked_for = self.options.reserved_bits.is_some_and(|reserved| reserved.bytes() == bytes);
        if self.sent.lost && !reliable || asked_for {
            return;
        }
        self.sent.mentioned.clear();
        let mut timed = false;
        let mut at = 0;
        while let Some(&svc) = bytes.get(at) {
            if self.sent.lost && svc != SVC_SERVER_INFO {
                return;
            }
            let body = at + 1;
            let next = match svc {
                _ if svc & 0x80 != 0 => self.update(bytes, at),
                SVC_CLIENT_DATA => self.player(bytes, body),
                SVC_SOUND => self.sound(bytes, body),
                SVC_SERVER_INFO => self.serverinfo(bytes, body),
                SVC_SPAWN_BASELINE | SVC_SPAWN_STATIC | SVC_SPAWN_STATIC_SOUND | 35..=127 => {
                    self.sign(bytes, body, svc)
                }
                _ => {
                    timed |= svc == SVC_TIME;
                    self.other(bytes, body, svc)
                }
            };
            match next {
                Next::At(end) => at = end,
                Next::Lost => {
                    // What follows in this datagram is unknown; of the reliable stream, all of it.
                    self.sent.lost |= reliable;
                    return;
                }
            }
        }
        if timed && !reliable {
            self.count_mentions(bytes.len());
            self.report.saw(Point::TimedDatagram);
        }
    }

    fn signs(&self) -> Signs<'_> {
        let (extended, progs_alpha) = (self.sent.extended(), self.options.progs_alpha);
        Signs { truth: self.truth, slots: self.slots, extended, progs_alpha, strict: false }
    }

    fn stage(&self, entity: u32) -> Stage<'_> {
        Stage {
            truth: self.truth,
            base: self.sent.bases.get(entity).copied().unwrap_or_default(),
            announced: self.sent.bases.has(entity),
            time: self.sent.time,
            extended: self.sent.extended(),
            progs_alpha: self.options.progs_alpha,
            strict: false,
        }
    }

    fn update(&mut self, bytes: &[u8], at: usize) -> Next {
        let extended = self.sent.extended();
        let raw = Raw::read(UPDATE, bytes, at);
        let bits = raw.map_or(0, |raw| raw.bits);
        let fifteenth = bytes.get(at..at + 2).is_some_and(|first| first[0] & 1 != 0 && first[1] & 0x80 != 0);
        if !extended && fifteenth {
            if self.options.protocol == PROTOCOL_FITZQUAKE {
                self.find(&VER_01, || String::from("an update has bit 15, though protocol 15 was announced"));
            } else {
                self.report.remark("bit 15 of an update in protocol 15: private to an engine (erratum E11; legal)");
            }
            return Next::Lost;
        }
        if self.sent.between {
            return raw.map_or(Next::Lost, |raw| Next::At(raw.end));
        }
        let unknown = bits & !(U_KNOWN | U_SCALE) != 0;
        let entity = raw.map_or(0, |raw| raw.value(Part::Entity));
        let own = entity == self.sent.own && self.truth.world.live.get(entity).is_none();
        let found = match &raw {
            Some(_) if own => None,
            Some(raw) if !unknown => self.stage(entity).contradicts(raw, entity),
            _ => None,
        };
        if let Some(raw) = raw.filter(|_| !unknown && found.is_none()) {
            if !own {
                self.update_is_right(&raw, entity);
            }
            self.sent.mentioned.insert(entity, ());
            return Next::At(raw.end);
        }
        // The order of mentions is free, but nobody is mentioned twice.
        let free = |entity: u32| !self.sent.mentioned.has(entity);
        if let Some((requirement, what, end)) =
            server_updates::explain(bytes, at, &|entity| self.stage(entity), &free).filter(|_| extended || !unknown)
        {
            self.find(requirement, || what);
            return Next::At(end);
        }
        match (raw, found) {
            (Some(raw), Some(found)) => {
                self.sent.mentioned.insert(entity, ());
                self.find(found.requirement, || found.what);
                Next::At(raw.end)
            }
            (Some(_), None) => {
                self.find(&DEF_01, || format!("an update has the undefined bits {:#x}", bits & !U_KNOWN));
                Next::Lost
            }
            (None, _) => {
                self.find(&ENT_15, || format!("the update at byte {at} of {} is cut off", bytes.len()));
                Next::Lost
            }
        }
    }

    fn player(&mut self, bytes: &[u8], at: usize) -> Next {
        let extended = self.sent.extended();
        let raw = Raw::read(CLIENTDATA, bytes, at);
        let bits = raw.map_or(0, |raw| raw.bits);
        if !extended && bits & SU_EXTEND1 != 0 {
            self.find(&VER_01, || String::from("a clientdata has bit 15, though protocol 15 was announced"));
            return Next::Lost;
        }
        let player = Player {
            truth: self.truth,
            client: self.sent.host.0,
            entity: self.sent.own,
            extended,
            mission_pack: self.options.mission_pack,
        };
        let unknown = bits & !(2 * SU_WEAPONALPHA - 1) != 0;
        let current = self.current;
        let found = raw.as_ref().filter(|_| !unknown && current).and_then(|raw| player.contradicts(raw));
        // Whatever stands in the place of a weapon that there is not may be its byte, or what follows.
        let doubtful = current && player.no_weapon();
        let reads = |at: usize| Grammar::new(extended).reads(bytes, at);
        let misplaced = |raw: &Raw| {
            let strange = raw.value(Part::ActiveWeapon) > 32 || !reads(raw.end);
            doubtful && strange && reads(raw.end - 1)
        };
        if let Some(raw) = raw.filter(misplaced) {
            self.find(&CD_15, || String::from("the clientdata has no byte of active weapon"));
            return Next::At(raw.end - 1);
        }
        if let Some(raw) = raw.filter(|_| !unknown && found.is_none()) {
            self.player_is_right(&raw);
            return Next::At(raw.end);
        }
        if let Some((requirement, what, end)) = server_player::explain(bytes, at, &player) {
            self.find(requirement, || what);
            return Next::At(end);
        }
        match (raw, found) {
            (Some(raw), Some(found)) => {
                self.find(found.requirement, || found.what);
                Next::At(raw.end)
            }
            (Some(_), None) => {
                self.find(&DEF_02, || format!("a clientdata has the undefined bits {bits:#x}"));
                Next::Lost
            }
            (None, _) => {
                self.find(&CD_14, || String::from("a clientdata is cut off"));
                Next::Lost
            }
        }
    }

    fn sound(&mut self, bytes: &[u8], at: usize) -> Next {
        let extended = self.sent.extended();
        match self.sent.sounds.judge(bytes, at, self.truth, extended, self.now) {
            Verdict::Right => {
                let Some(raw) = Raw::read(SOUND, bytes, at) else { return Next::Lost };
                let (entity, sound) = (raw.has(Part::Entity), raw.value(Part::Sound) > 0xff);
                self.report.saw(Point::SoundSent);
                self.report.saw_if(entity, Point::LargeEntitySound);
                self.report.saw_if(sound, Point::LargeSound);
                Next::At(raw.end)
            }
            Verdict::Wrong(requirement, what, end) => {
                self.find(requirement, || what);
                end.or_else(|| Raw::read(SOUND, bytes, at).map(|raw| raw.end)).map_or(Next::Lost, Next::At)
            }
        }
    }

    fn serverinfo(&mut self, bytes: &[u8], at: usize) -> Next {
        let announced = bytes.get(at..).and_then(|rest| rest.first_chunk().copied()).map(u32::from_le_bytes);
        let Some(protocol) = announced else {
            self.find(&VER_04, || String::from("a serverinfo is cut off"));
            return Next::Lost;
        };
        self.sent.begin_map(protocol);
        let known = [PROTOCOL_NETQUAKE, PROTOCOL_FITZQUAKE].contains(&protocol);
        if !known && protocol != self.options.protocol {
            self.find(&VER_01, || format!("announces protocol {protocol}, and was set to {}", self.options.protocol));
        }
        let mut r = Reader::new(bytes.get(at..).unwrap_or_default());
        let info = match ServerInfo::read(&mut r) {
            Ok(info) if known => info,
            Err(error) if known => {
                self.find(&VER_04, || format!("a serverinfo cannot be read: {error}"));
                return Next::Lost;
            }
            _ => return Next::Lost,
        };
        self.report.saw_if(protocol == PROTOCOL_FITZQUAKE, Point::Extended);
        self.report.saw_if(protocol == PROTOCOL_NETQUAKE, Point::Plain);
        for (name, count, wanted) in
            [("models", info.models.len(), self.options.models), ("sounds", info.sounds.len(), self.options.sounds)]
        {
            self.report.saw_if(wanted > 0xff, Point::ManyNames);
            if count < wanted && wanted > 0xff {
                self.find(&LIM_01, || format!("announces {count} {name} of {wanted}"));
            }
        }
        Next::At(at + r.at())
    }

    fn sign(&mut self, bytes: &[u8], at: usize, svc: u8) -> Next {
        let extended = self.sent.extended();
        let new = svc >= 35;
        if new && !extended {
            self.find(&VER_01, || format!("message {svc} is sent, though protocol 15 was announced"));
            return Next::Lost;
        }
        let mut announced = std::mem::take(&mut self.sent.announced);
        let signs = self.signs();
        let mut heard = match svc {
            _ if !self.current => unjudged(bytes, at, svc),
            SVC_SPAWN_BASELINE | SVC_SPAWN_BASELINE2 => signs.baseline(bytes, at, svc),
            SVC_SPAWN_STATIC | SVC_SPAWN_STATIC2 => {
                let mut trial = announced.clone();
                let heard = signs.fixed(bytes, at, svc, &mut trial);
                if heard.wrong.is_none() {
                    announced = trial;
                }
                heard
            }
            SVC_SPAWN_STATIC_SOUND | SVC_SPAWN_STATIC_SOUND2 => {
                let mut trial = announced.clone();
                let heard = signs.sound(bytes, at, svc, &mut trial);
                if heard.wrong.is_none() {
                    announced = trial;
                }
                heard
            }
            _ => Heard { end: None, wrong: None, baseline: None, bits: 0 },
        };
        let strange = heard.baseline.is_some_and(|(entity, _)| {
            entity != 0 && entity > self.slots && self.truth.world.baselines.get(entity).is_none()
        });
        if new
            && self.current
            && (heard.wrong.is_some() || heard.end.is_none() || strange)
            && let Some(other) = signs.misnumbered(bytes, at, svc, &mut announced)
        {
            heard = other;
        }
        self.sent.announced = announced;
        if heard.end.is_none() && heard.wrong.is_none() {
            return self.new_service(bytes, at, svc);
        }
        self.sign_heard(&heard, svc);
        if let Some((entity, look)) = heard.baseline {
            self.sent.bases.insert(entity, look);
        }
        if let Some((requirement, what)) = heard.wrong {
            self.find(requirement, || what);
        }
        heard.end.map_or(Next::Lost, Next::At)
    }

    /// A message of protocol 666 that nothing is known about.
    fn new_service(&mut self, bytes: &[u8], at: usize, svc: u8) -> Next {
        let mut r = Reader::new(bytes.get(at..).unwrap_or_default());
        let primitives = Primitives { extended_updates: true, ..Primitives::PLAIN };
        match fitzquake::read_service(&mut r, svc, &primitives) {
            Ok(Some(_)) => Next::At(at + r.at()),
            _ => {
                let requirement = if (SVC_FOG..=45).contains(&svc) { &DEF_04 } else { &VER_04 };
                self.find(requirement, || format!("there is no message {svc} here, at byte {}", at - 1));
                Next::Lost
            }
        }
    }

    fn other(&mut self, bytes: &[u8], at: usize, svc: u8) -> Next {
        let mut r = Reader::new(bytes.get(at..).unwrap_or_default());
        let service = match netquake::read_service(&mut r, svc, &Primitives::PLAIN) {
            Ok(Some(service)) => service,
            Ok(None) => {
                self.find(&VER_04, || format!("there is no message {svc}, at byte {}", at - 1));
                return Next::Lost;
            }
            Err(error) => {
                self.find(&VER_04, || format!("message {svc} at byte {} cannot be read: {error}", at - 1));
                return Next::Lost;
            }
        };
        match service {
            Service::Time { time } => self.sent.time = Some(f64::from(float_value(time))),
            Service::SetView { entity } => self.sent.own = entity,
            Service::SignOnNum { stage } => self.sign_on(stage),
            Service::Print { text } => self.print(text),
            _ => {}
        }
        Next::At(at + r.at())
    }

    fn sign_on(&mut self, stage: u8) {
        if stage <= self.sent.stage {
            let before = self.sent.stage;
            self.find(&NET_06, || format!("step {stage} of the sign-on comes behind step {before}"));
        }
        self.sent.stage = self.sent.stage.max(stage);
        self.report.saw_if(stage == 2, Point::SignedOn);
    }

    fn print(&mut self, text: &[u8]) {
        let Some(number) = proof(text) else { return };
        let sent = &mut *self.sent;
        match sent.prints.get(sent.printed) {
            Some(&due) if due == number => sent.printed += 1,
            due => {
                let what = match due {
                    Some(due) => format!("prints {number}, and {due} is due"),
                    None => format!("prints {number}, which is not due"),
                };
                // What was left out is not asked for again.
                let place = sent.prints.iter().skip(sent.printed).position(|&due| due == number);
                sent.printed += place.map_or(0, |place| place + 1);
                self.find(&NET_06, || what);
            }
        }
    }

    /// The run is over.
    pub fn finish(&mut self) {
        let (at, off) = (self.sent.at_base, self.sent.off_base);
        self.report.saw_if(at[0] + at[1] >= ENOUGH && off[0] >= ENOUGH, Point::Mentions);
        if at[1] >= ENOUGH && at[0] == 0 && off[0] >= ENOUGH && off[1] == 0 {
            self.find(&ENT_12, || {
                format!(
                    "entities off their baseline were mentioned {} times of {0}, those at it never in {}",
                    off[0], at[1]
                )
            });
        }
    }
}

/// Reads a message of the sign-on, of which nothing is expected.
fn unjudged(bytes: &[u8], at: usize, svc: u8) -> Heard {
    let slots = match svc {
        SVC_SPAWN_BASELINE => BASELINE,
        SVC_SPAWN_BASELINE2 => BASELINE2,
        SVC_SPAWN_STATIC => &BASELINE[1..],
        SVC_SPAWN_STATIC2 => &BASELINE2[1..],
        SVC_SPAWN_STATIC_SOUND => STATIC_SOUND,
        SVC_SPAWN_STATIC_SOUND2 => STATIC_SOUND2,
        _ => return Heard { end: None, wrong: None, baseline: None, bits: 0 },
    };
    let Some(raw) = Raw::read(slots, bytes, at) else {
        let wrong = Some((&BASE_02, format!("message {svc} ends early")));
        return Heard { end: None, wrong, baseline: None, bits: 0 };
    };
    let baseline = matches!(svc, SVC_SPAWN_BASELINE | SVC_SPAWN_BASELINE2);
    let baseline = baseline.then(|| (raw.value(Part::Entity), Look::of(&raw)));
    Heard { end: Some(raw.end), wrong: None, baseline, bits: 0 }
}

/// The number of a print that the scenario asked for.
pub fn proof(text: &[u8]) -> Option<i32> {
    let digits = text.strip_prefix(b"proof ")?;
    let digits = digits.strip_suffix(b"\n").unwrap_or(digits);
    std::str::from_utf8(digits).ok()?.parse().ok()
}
