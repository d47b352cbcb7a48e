//! A client's game: what it makes of what it receives.

pub mod rules;

use crate::alpha;
use crate::constants::{CHALLENGE_CONNECT, MAX_ENTITY};
use crate::message::{self, Dialect, Said};
use crate::notes;
use crate::options::Options;
use crate::state::{self, *};
use kit::table::{float_bits, float_value};
use kit::{DecodeError, EntityList, Reader, StatValue, Time, View};
use netquake::Service;
use netquake::clientdata::ClientData;
use netquake::constants::{U_LERPFINISH, U_STEP};
use netquake::fitzquake::Fitz;
use netquake::update::{self, FIELDS as CODEC_FIELDS, FastUpdate, Record};
use rules::ClientRules;

/// Static entities that a client keeps; more are not shown.
const MAX_STATICS: usize = 4096;

/// Updates of a message that are kept from its first reading; further ones are read again.
const MAX_KEPT_UPDATES: usize = 1024;

/// Statistics that are looked at together.
const STATS_AT_ONCE: usize = 16;

/// Seconds in which a client moves an entity to its new state, where it received no time.
const USUAL_INTERVAL: f32 = 0.1;

/// What a client answers who is asked for the protocols that it speaks: the one that it likes best first.
const PROTOCOLS: &[u8] = b"protocols 999 666 15";

/// The steps of a sign-on; the last is reached without a message of its own.
pub const SIGNONS: u8 = 4;

/// An entity as the client holds it.
#[derive(Clone, Copy, Debug)]
struct Held {
    record: Record,
    step: bool,
    /// The time of the packet that mentioned it last.
    mentioned: f32,
    /// The time of the packet since which it has its frame, or is seen.
    frame_since: f32,
    /// Until when it moves to its state, if it was sent.
    finish: Option<f32>,
}

impl kit::Record for Held {
    const NULL: Held =
        Held { record: [0; CODEC_FIELDS], step: false, mentioned: f32::NAN, frame_since: 0.0, finish: None };

    fn field_mut(&mut self, _: usize) -> Option<&mut i32> {
        None
    }
}

/// The baseline of an entity.
#[derive(Clone, Copy, Debug)]
struct Base(Record);

impl kit::Record for Base {
    const NULL: Base = Base([0; CODEC_FIELDS]);

    fn field_mut(&mut self, _: usize) -> Option<&mut i32> {
        None
    }
}

/// What a message meant beside the state that it left.
#[derive(Clone, Debug, PartialEq)]
pub enum Happening {
    /// Text for the player.
    Print(Vec<u8>),
    /// Something for the trace.
    Note(usize, [i64; 4]),
    /// The sign-on went a step further; the client answers.
    Step(u8),
    /// A map begins: the sign-on starts over.
    MapBegins,
    /// The sign-on is complete.
    Begun,
    /// The server wants a number back before it serves the client; what to say is a reply.
    Challenged,
    /// The server asked the client to say something.
    Reply(Vec<u8>),
    /// The connection ends.
    Ends(&'static str),
}

/// A client's game.
pub struct Game {
    rules: ClientRules,
    water_alpha: f32,
    /// How the server's messages are written.
    pub dialect: Dialect,
    baselines: EntityList<Base>,
    statics: Vec<Entity>,
    own_entity: u32,
    entities: EntityList<Held>,
    /// The times of the newest packet that had one, and of the one before.
    times: [f32; 2],
    /// How far the sign-on is.
    sign_on: u8,
    stats: Box<[i32; 256]>,
    /// The view's angles, in degrees as bits.
    pub view: [i32; 3],
    /// What has happened; to be drained.
    pub happenings: Vec<Happening>,
    /// Updates of the message under way, which was read once to see that it can be: where each begins, and where it ends.
    updates: Vec<(usize, usize, FastUpdate)>,
}

impl Game {
    /// Before a session; read by `rules`.
    pub fn new(options: &Options, rules: ClientRules) -> Game {
        Game {
            rules,
            water_alpha: options.water_alpha,
            dialect: Dialect::PLAIN,
            baselines: EntityList::default(),
            statics: Vec::new(),
            own_entity: 0,
            entities: EntityList::default(),
            times: [0.0; 2],
            sign_on: 0,
            stats: Box::new([0; 256]),
            view: [0; 3],
            happenings: Vec::new(),
            updates: Vec::new(),
        }
    }

    /// The time of the newest packet that had one, in seconds.
    pub fn server_time(&self) -> f32 {
        self.times[0]
    }

    /// Takes a message of the server. One that cannot be read to its end changes nothing.
    ///
    /// # Errors
    /// The first field that cannot be read.
    pub fn receive(&mut self, now: Time, message: &[u8]) -> Result<(), DecodeError> {
        let mut updates = std::mem::take(&mut self.updates);
        let read = self.read(message, &mut updates).and_then(|()| self.take(now, message, &updates));
        self.updates = updates;
        read
    }

    /// Reads a message to its end, and keeps its updates.
    fn read(&self, message: &[u8], updates: &mut Vec<(usize, usize, FastUpdate)>) -> Result<(), DecodeError> {
        updates.clear();
        let (mut r, mut dialect) = (Reader::new(message), self.dialect);
        while r.left() > 0 {
            let start = r.at();
            let said = message::read_service(&mut r, &mut dialect)?;
            if let (Said::NetQuake(Service::FastUpdate(update)), true) = (said, updates.len() < MAX_KEPT_UPDATES) {
                updates.push((start, r.at(), update));
            }
        }
        Ok(())
    }

    /// Takes a message whose updates were read.
    fn take(&mut self, now: Time, message: &[u8], updates: &[(usize, usize, FastUpdate)]) -> Result<(), DecodeError> {
        let (mut r, mut dialect, mut updates) = (Reader::new(message), self.dialect, updates.iter().peekable());
        while r.left() > 0 {
            match updates.next_if(|(start, ..)| *start == r.at()) {
                Some((start, end, update)) => {
                    r.bytes("update", end - start)?;
                    self.update(now, update);
                }
                None => self.apply(now, &message::read_service(&mut r, &mut dialect)?),
            }
        }
        Ok(())
    }

    fn playing(&self) -> bool {
        self.sign_on == SIGNONS
    }

    fn note(&mut self, note: usize, args: [i64; 4]) {
        if self.playing() {
            self.happenings.push(Happening::Note(note, args));
        }
    }

    fn apply(&mut self, now: Time, said: &Said<'_>) {
        match said {
            Said::NetQuake(service) => self.apply_netquake(now, service),
            Said::Fitz(Fitz::SpawnBaseline { entity, bits, fields }) => {
                self.baselines.entry((*entity).into(), &Base([0; CODEC_FIELDS])).0 = self.base(*bits, fields);
            }
            Said::Fitz(Fitz::SpawnStatic { bits, fields }) => {
                let fields = self.base(*bits, fields);
                self.keep_static(&fields);
            }
            Said::Fitz(Fitz::SpawnStaticSound { sound, .. }) => {
                self.happenings.push(Happening::Note(notes::STATIC_SOUND, [(*sound).into(), 0, 0, 0]));
            }
            Said::Fitz(Fitz::Skybox { .. } | Fitz::Flash | Fitz::Fog { .. }) => {}
        }
    }

    /// The record of a baseline or a static entity, which may say nothing about alpha.
    fn base(&self, bits: u8, fields: &Record) -> Record {
        let mut record = *fields;
        if bits & update::B_ALPHA == 0 {
            record[update::ALPHA] = crate::alpha::ENTALPHA_DEFAULT.into(); // FITZ-BASE-06
        }
        record
    }

    fn keep_static(&mut self, fields: &Record) {
        if self.statics.len() < MAX_STATICS {
            let held = Held { record: *fields, ..<Held as kit::Record>::NULL };
            let mut entity = self.shown(&held);
            entity[LERPFINISH] = 0;
            self.statics.push(entity);
        }
    }

    fn apply_netquake(&mut self, now: Time, service: &Service<'_>) {
        match service {
            Service::ServerInfo(info) => self.begin_map(Dialect::with_flags(info.protocol, info.protocol_flags)),
            Service::SignOnNum { stage } => self.step(*stage),
            Service::Time { time } => self.times = [float_value(*time), self.times[0]],
            Service::FastUpdate(update) => self.update(now, update),
            Service::ClientData(player) => self.player_data(player),
            Service::SetView { entity } => self.own_entity = *entity,
            Service::UpdateStat { stat, value } => self.stats[usize::from(*stat)] = *value,
            Service::SpawnBaseline { entity, fields } => {
                self.baselines.entry((*entity).into(), &Base([0; CODEC_FIELDS])).0 = self.base(0, fields);
            }
            Service::SpawnStatic { fields } => {
                let fields = self.base(0, fields);
                self.keep_static(&fields);
            }
            Service::SpawnStaticSound { sound, .. } => {
                self.happenings.push(Happening::Note(notes::STATIC_SOUND, [(*sound).into(), 0, 0, 0]));
            }
            Service::Print { text } => self.happenings.push(Happening::Print(text.to_vec())),
            Service::StuffText { text } => self.stuffed(text),
            Service::SetAngle { angles } => {
                self.view = *angles;
                self.note(notes::ANGLE_SET, [(angles[1] as u32).into(), 0, 0, 0]);
            }
            Service::Sound(sound) => {
                let args = [sound.sound.into(), sound.entity.into(), sound.channel.into(), 0];
                self.note(notes::SOUND_PLAYED, args);
            }
            Service::Damage { armor, blood, .. } => {
                self.note(notes::DAMAGE_TAKEN, [(*armor).into(), (*blood).into(), 0, 0]);
            }
            Service::Particle { count, .. } => self.note(notes::PARTICLES, [(*count).into(), 0, 0, 0]),
            Service::Disconnect => self.happenings.push(Happening::Ends("server disconnected")),
            _ => {}
        }
    }

    /// A map begins: nothing of the one before holds.
    fn begin_map(&mut self, dialect: Dialect) {
        self.dialect = dialect;
        self.baselines.clear();
        self.statics.clear();
        self.entities.clear();
        self.times = [0.0; 2];
        *self.stats = [0; 256];
        self.start_over();
    }

    /// The sign-on starts over.
    fn start_over(&mut self) {
        self.sign_on = 0;
        self.happenings.push(Happening::MapBegins);
    }

    fn step(&mut self, stage: u8) {
        if stage <= self.sign_on {
            return self.happenings.push(Happening::Ends("sign-on goes back"));
        }
        self.sign_on = stage.min(SIGNONS);
        self.happenings.push(if stage < SIGNONS { Happening::Step(stage) } else { Happening::Begun });
    }

    /// Text that the server puts into the client's console, a line at a time.
    fn stuffed(&mut self, text: &[u8]) {
        for line in text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
            match line.strip_prefix(b"cmd ") {
                // Whatever extensions there are: none is wanted.
                Some(b"pext") => self.happenings.push(Happening::Reply(b"pext".to_vec())),
                Some(b"protocols") => self.happenings.push(Happening::Reply(PROTOCOLS.to_vec())),
                Some(command) if command.starts_with(CHALLENGE_CONNECT) => {
                    self.happenings.push(Happening::Challenged);
                    self.happenings.push(Happening::Reply(command.to_vec()));
                }
                Some(command) => self.happenings.push(Happening::Reply(command.to_vec())),
                None if netquake::has_reconnect(line) => self.start_over(),
                None => {}
            }
        }
    }

    fn update(&mut self, now: Time, update: &FastUpdate) {
        if self.sign_on == SIGNONS - 1 {
            self.sign_on = SIGNONS;
            self.happenings.push(Happening::Begun);
        }
        let number = u32::from(update.entity);
        if number > MAX_ENTITY {
            return;
        }
        let plain = Base(self.base(0, &[0; CODEC_FIELDS]));
        let base = self.baselines.get(number).unwrap_or(&plain).0;
        let [time, before] = self.times;
        let held = self.entities.entry(number, &<Held as kit::Record>::NULL);
        let seen = held.mentioned == time || held.mentioned == before;
        let record = (self.rules.over)(update, &base, &held.record);
        if !seen || record[update::FRAME] != held.record[update::FRAME] {
            held.frame_since = time;
        }
        (held.record, held.step, held.mentioned) = (record, update.bits & U_STEP != 0, time);
        let hint = (update.bits & U_LERPFINISH != 0).then(|| update.fields[update::LERPFINISH] as f32 / 255.0);
        held.finish = (self.rules.finish)(hint, time, now.as_seconds(), held.finish);
    }

    /// The player's own state.
    fn player_data(&mut self, player: &ClientData) {
        let mut set = |stat: u8, value: i32| self.stats[usize::from(stat)] = value;
        set(STAT_HEALTH, player.health.into());
        set(STAT_WEAPON, player.weapon.into());
        set(STAT_AMMO, player.ammo.into());
        set(STAT_ARMOR, player.armor.into());
        set(STAT_WEAPONFRAME, player.weapon_frame.into());
        (STAT_SHELLS..).zip(player.stock).for_each(|(stat, count)| set(stat, count.into()));
        set(STAT_ACTIVEWEAPON, player.active_weapon.into());
        set(STAT_ITEMS, player.items as i32);
        set(STAT_VIEWHEIGHT, player.view_height.into());
        set(STAT_IDEALPITCH, player.ideal_pitch.into());
        (STAT_PUNCH..).zip(player.punch).for_each(|(stat, angle)| set(stat, angle.into()));
        (STAT_VELOCITY..).zip(player.velocity).for_each(|(stat, code)| set(stat, 16 * i32::from(code)));
        set(STAT_ONGROUND, player.on_ground.into());
        set(STAT_INWATER, player.in_water.into());
        set(STAT_WEAPONALPHA, player.weapon_alpha.into()); // FITZ-CD-16
    }

    /// An entity as the player sees it.
    fn shown(&self, held: &Held) -> Entity {
        let mut entity = Entity::NULL;
        for field in 0..SHARED_FIELDS {
            entity[field] = held.record[field];
        }
        let code = held.record[update::ALPHA] as u8;
        entity[state::ALPHA] = float_bits(alpha::to_save(code));
        entity[STEP] = held.step.into();
        // FITZ-LERP-05
        entity[LERPFINISH] = float_bits(held.finish.unwrap_or(held.frame_since + USUAL_INTERVAL));
        entity[OPACITY] = float_bits((self.rules.decode_alpha)(code));
        entity[WATER_OPACITY] = float_bits((self.rules.water_alpha)(code, self.water_alpha));
        entity
    }

    /// Writes what the player sees.
    pub fn observe(&self, view: &mut View) {
        view.valid = self.playing();
        view.own_entity = self.own_entity;
        view.server_time = self.times[0].to_bits();
        if view.valid {
            for (number, held) in self.entities.iter() {
                if (self.rules.shows)(held.mentioned, self.times[0]) {
                    view.numbers.push(number);
                    view.fields.extend_from_slice(&self.shown(held).0);
                }
            }
        }
        view.statics.extend(self.statics.iter().flat_map(|state| state.0));
        // Most are 0: they are passed over several at a time.
        for (row, values) in self.stats.chunks(STATS_AT_ONCE).enumerate().filter(|row| *row.1 != [0; STATS_AT_ONCE]) {
            for (column, &value) in values.iter().enumerate().filter(|column| *column.1 != 0) {
                view.stats.push(((row * STATS_AT_ONCE + column) as u8, StatValue::Int(value)));
            }
        }
    }
}
