//! What a client makes of a server's messages: its versions, its sign-on, the world that it shows.

pub mod rules;

use crate::constants::*;
use crate::constants::{STAT_ANGLES, STAT_CCLC, STAT_CSVC, STAT_SSVC};
use crate::latitude::RequestForm;
use crate::message::{Listed, Message, Reading, WireValue, read_message};
use crate::notes::*;
use crate::options::Options;
use crate::state::{Entity, EntityList};
use crate::tables::Tables;
use crate::version::{Version, Versions};
use kit::table::float_value;
use kit::{DecodeError, ErrorKind, HostId, Reader, Record, Setup, StatValue, View, Writer};
use netquake::constants::*;
use netquake::effect::TempEntity;
use netquake::update::FastUpdate;
use netquake::{ClientCommand, MoveForm, Service};
use rules::ClientRules;

/// Stage of the sign-on: the baselines are there.
pub const SIGNON_PRESPAWNED: u8 = 2;
/// Stage of the sign-on: all is there, and the game begins.
pub const SIGNON_DONE: u8 = 3;

/// Remarks and prints that wait to be taken; more of one moment are not kept.
const MAX_WAITING: usize = 4096;

/// A client's game.
pub struct Game {
    rules: ClientRules,
    tables: Tables,
    /// The newest version that this client knows; `None` if it knows of none.
    maximum: Option<Version>,
    late_request: bool,
    /// The versions in force.
    pub versions: Versions,
    /// Stage of the sign-on: 0 before anything, then that of the newest `svc_signonnum`.
    pub signon: u8,
    /// Where the player looks, in degrees: pitch, yaw, roll; the bits of `f32`s.
    pub angles: [i32; 3],
    /// Server time of the newest frame: the bits of an `f32`.
    pub server_time: i32,
    own_entity: u32,
    entities: EntityList,
    baselines: EntityList,
    /// What the client has to say, as one reliable message.
    pub replies: Vec<u8>,
    /// Texts for the player, and remarks; in order.
    pub events: Vec<kit::Event>,
    /// The server sent the client away.
    pub left: bool,
}

/// Appends a command line to a message.
pub fn write_command(out: &mut Vec<u8>, text: &[u8]) {
    ClientCommand::String { text }.write(&mut Writer::new(out), &MoveForm::PLAIN);
}

/// The command line that asks for versions.
pub fn request(version: Version, form: RequestForm) -> Vec<u8> {
    let end = if form == RequestForm::Line { "\n" } else { "" };
    [NVS_REQUEST, format!(" {version}{end}").as_bytes()].concat()
}

/// A coord in eighths of a unit.
fn eighths(bits: i32) -> i64 {
    (float_value(bits) * 8.0) as i64
}

impl Game {
    /// A game that has not begun.
    pub fn new(setup: &Setup, options: &Options, rules: ClientRules, host: HostId) -> Game {
        let mut tables = Tables::of(setup);
        (rules.tables)(&mut tables);
        Game {
            rules,
            tables,
            maximum: options.client_max(host),
            late_request: options.late_request,
            versions: Versions::default(),
            signon: 0,
            angles: [0; 3],
            server_time: 0,
            own_entity: 0,
            entities: EntityList::default(),
            baselines: EntityList::default(),
            replies: Vec::new(),
            events: Vec::new(),
            left: false,
        }
    }

    /// A new connection: nothing of an earlier one holds, but where the player looks.
    pub fn restart(&mut self) {
        self.versions = Versions::default();
        self.signon = 0;
        self.server_time = 0;
        self.entities.clear();
        self.baselines.clear();
        self.replies.clear();
        self.left = false;
    }

    /// The version of commands that moves are written by.
    pub fn writes_by(&self) -> Version {
        (self.rules.moves)(&self.versions)
    }

    fn note(&mut self, number: usize, args: &[i64]) {
        if self.events.len() < MAX_WAITING {
            self.events.push(note(number, args));
        }
    }

    fn print(&mut self, text: &[u8]) {
        if self.events.len() < MAX_WAITING {
            self.events.push(kit::Event::Print { text: text.to_vec() });
        }
    }

    /// Takes a whole message of the server's.
    ///
    /// # Errors
    /// The first field that cannot be read; what stands before it counts.
    pub fn receive(&mut self, reliable: bool, bytes: &[u8]) -> Result<(), DecodeError> {
        if !(self.rules.takes)(reliable, self.signon) {
            return Ok(());
        }
        let mut r = Reader::new(bytes);
        while r.left() > 0 {
            // NVS-CL-01
            let reading = Reading { tables: &self.tables, version: (self.rules.reads_by)(&self.versions, self.signon) };
            // A message is large: it is not moved.
            match read_message(&mut r, &reading) {
                Ok(Message::Versions(versions)) => self.take_versions(versions),
                Ok(Message::Limits(limits)) => self.limits(limits.map(i32::from)),
                Ok(Message::Listed(listed)) => self.listed(&listed),
                Ok(Message::Plain(service)) => self.service(&r, reliable, service)?,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn take_versions(&mut self, versions: Versions) {
        self.versions = versions;
        let Versions { ssvc, csvc, cclc } = versions;
        self.note(VERSIONS_SENT, &[ssvc, csvc, cclc].map(|version| version.0.into()));
    }

    fn limits(&mut self, limits: [i32; 3]) {
        self.note(LIMITS_SENT, &limits.map(i64::from));
    }

    fn listed(&mut self, listed: &Listed<'_>) {
        let number = |write: usize| listed.number(write).unwrap_or_default();
        let point = |from: usize| [0, 1, 2].map(|axis| listed.float(from + axis).unwrap_or_default());
        match (listed.svc, listed.sub) {
            (SVC_SET_ANGLE, _) => {
                // Of both forms the last three values are the angles.
                let mut angles = [0; 3];
                for value in listed.values() {
                    if let WireValue::Float(bits) = value {
                        angles = [angles[1], angles[2], bits];
                    }
                }
                self.set_angles(angles);
            }
            (SVC_PARTICLE, _) => {
                let direction = [4, 5, 6].map(|write| number(write) as i8);
                self.particles(point(1), direction, number(7) as u8, number(8) as u8);
            }
            (SVC_TEMP_ENTITY, Some(TE_EXPLOSION)) => {
                // NVS-T3-03
                let has_color = listed.float(5).is_some();
                let color = has_color.then(|| [5, 6, 7, 8].map(|write| listed.float(write).unwrap_or_default()));
                self.explosion(point(2), color);
            }
            (SVC_LIMIT, Some(LIMIT_NVS)) => self.limits([2, 3, 4].map(number)),
            (svc, sub) => {
                self.note(LISTED, &[svc.into(), sub.unwrap_or_default().into()]);
                for value in listed.values() {
                    self.note(LISTED_VALUE, &[value.number()]);
                }
            }
        }
    }

    fn set_angles(&mut self, angles: [i32; 3]) {
        // NVS-T1-02
        self.angles = angles;
        self.note(VIEW_TURNED, &self.angles.map(i64::from));
    }

    fn particles(&mut self, origin: [i32; 3], direction: [i8; 3], count: u8, color: u8) {
        let ([x, y, z], [dx, dy, dz]) = (origin.map(eighths), direction.map(i64::from));
        self.note(PARTICLES, &[x, y, z, count.into()]);
        self.note(PARTICLES_LOOK, &[dx, dy, dz, color.into()]);
    }

    fn explosion(&mut self, origin: [i32; 3], color: Option<[i32; 4]>) {
        self.note(EXPLOSION, &origin.map(eighths));
        if let Some(color) = color {
            self.note(EXPLOSION_COLOR, &color.map(eighths));
        }
    }

    fn service(&mut self, r: &Reader<'_>, reliable: bool, service: Service<'_>) -> Result<(), DecodeError> {
        match service {
            Service::Nop | Service::ClientData(_) | Service::CdTrack { .. } => {}
            Service::SetView { entity } => self.own_entity = entity,
            Service::UpdateName { .. } | Service::UpdateFrags { .. } | Service::UpdateColors { .. } => {}
            Service::Disconnect => self.left = true,
            Service::ServerInfo(info) if info.protocol != PROTOCOL_NETQUAKE => {
                return r.error(0, "protocol version", ErrorKind::Unknown { value: info.protocol });
            }
            Service::ServerInfo(_) => {
                self.signon = 0;
                self.entities.clear();
                self.baselines.clear();
                self.server_time = 0;
            }
            Service::SignOnNum { stage } => self.sign_on(stage),
            Service::SpawnBaseline { entity, fields } => {
                *self.baselines.entry(entity.into(), &Entity::NULL) = Entity::of(&fields);
            }
            Service::Time { time } if !reliable => {
                self.server_time = time;
                self.entities.clear();
            }
            Service::Time { .. } => {}
            Service::FastUpdate(update) => self.update(&update),
            Service::StuffText { text } if netquake::has_reconnect(text) => self.signon = 0,
            Service::Print { text } => self.print(text),
            Service::SetAngle { angles } => self.set_angles(angles),
            Service::Particle { origin, direction, count, color } => self.particles(origin, direction, count, color),
            Service::TempEntity(TempEntity::Point { kind: TE_EXPLOSION, origin }) => self.explosion(origin, None),
            Service::TempEntity(effect) => {
                let kind = match effect {
                    TempEntity::Point { kind, .. } | TempEntity::Beam { kind, .. } => kind,
                    TempEntity::ColoredExplosion { .. } => TE_EXPLOSION2,
                };
                self.note(TEMP_ENTITY, &[kind.into()]);
            }
            Service::Damage { armor, blood, .. } => self.note(DAMAGE, &[armor.into(), blood.into()]),
            other => self.note(SERVICE, &[number(&other).into()]),
        }
        Ok(())
    }

    fn update(&mut self, update: &FastUpdate) {
        let number = u32::from(update.entity);
        let baseline = self.baselines.get(number).unwrap_or(&Entity::NULL).record();
        self.entities.put(number, Entity::of(&update.over(&baseline)));
    }

    /// The sign-on goes on. A stage that was reached already says nothing new.
    fn sign_on(&mut self, stage: u8) {
        if stage <= self.signon {
            return;
        }
        self.signon = stage;
        let latitude = &self.rules.latitude;
        let replies = &mut self.replies;
        let request = self.maximum.map(|maximum| request(maximum, latitude.request_form));
        match stage {
            1 => {
                // NVS-HS-08
                self.versions = Versions::default();
                // NVS-HS-01
                request.iter().for_each(|request| write_command(replies, request));
                if request.is_some() && latitude.asks_limits {
                    write_command(replies, LIMIT_REQUEST);
                }
                write_command(replies, b"prespawn");
                request.iter().filter(|_| self.late_request).for_each(|request| write_command(replies, request));
            }
            SIGNON_PRESPAWNED => {
                if latitude.names_itself {
                    write_command(replies, b"name \"player\"\n");
                    write_command(replies, b"color 4 13\n");
                }
                write_command(replies, b"spawn");
            }
            SIGNON_DONE => write_command(replies, b"begin"),
            _ => {}
        }
    }

    /// Writes what the player sees.
    pub fn observe(&self, view: &mut View) {
        view.server_time = self.server_time as u32;
        view.valid = self.server_time != 0;
        view.own_entity = self.own_entity;
        for (number, entity) in self.entities.iter() {
            view.numbers.push(number);
            view.fields.extend_from_slice(&entity.0);
        }
        let Versions { ssvc, csvc, cclc } = self.versions;
        for (stat, version) in [(STAT_SSVC, ssvc), (STAT_CSVC, csvc), (STAT_CCLC, cclc)] {
            if version != Version::PLAIN {
                view.stats.push((stat, StatValue::Int(version.0)));
            }
        }
        for (stat, &bits) in (STAT_ANGLES..).zip(&self.angles) {
            if float_value(bits) != 0.0 {
                view.stats.push((stat, StatValue::Float(float_value(bits))));
            }
        }
    }
}

/// The number of a service that has no remark of its own.
fn number(service: &Service<'_>) -> u8 {
    match service {
        Service::UpdateStat { .. } => SVC_UPDATE_STAT,
        Service::Version { .. } => SVC_VERSION,
        Service::Sound(_) => SVC_SOUND,
        Service::StuffText { .. } => SVC_STUFF_TEXT,
        Service::LightStyle { .. } => SVC_LIGHT_STYLE,
        Service::StopSound { .. } => SVC_STOP_SOUND,
        Service::SpawnStatic { .. } => SVC_SPAWN_STATIC,
        Service::SetPause { .. } => SVC_SET_PAUSE,
        Service::CenterPrint { .. } => SVC_CENTER_PRINT,
        Service::KilledMonster => SVC_KILLED_MONSTER,
        Service::FoundSecret => SVC_FOUND_SECRET,
        Service::SpawnStaticSound { .. } => SVC_SPAWN_STATIC_SOUND,
        Service::Intermission => SVC_INTERMISSION,
        Service::Finale { .. } => SVC_FINALE,
        Service::SellScreen => SVC_SELL_SCREEN,
        Service::Cutscene { .. } => SVC_CUTSCENE,
        _ => SVC_NOP,
    }
}
