//! A client's game: what it makes of what it receives.

pub mod rules;

use crate::machine::world::WORLD_FIELDS;
use crate::notes::*;
use crate::wire::constants::*;
use crate::wire::deflate;
use crate::wire::delta::Entry;
use crate::wire::dialect::Dialect;
use crate::wire::entities::Merge;
use crate::wire::frame::FrameStart;
use crate::wire::message::{Carrier, Listener, Walk};
use crate::wire::player::{self, Flags};
use crate::wire::service::{Download, Service, verb};
use crate::wire::state::*;
use kit::table::float_bits;
use kit::{DecodeError, Direction, EntityList as List, Event, Reader, StatValue, View};
pub use rules::ClientRules;

/// Longest file that a client takes, in bytes.
const MAX_FILE_BYTES: usize = 1 << 20;
/// Seconds in a frame, as players are shown them.
const FRAME_SECONDS: f32 = 0.1;

/// A frame as the client holds it.
#[derive(Clone, Debug)]
struct Slot {
    /// Its number; 0 for none.
    number: i32,
    /// Whether its base was there, so that it means something.
    valid: bool,
    player: Player,
    entities: List<Entity>,
}

impl Slot {
    fn empty() -> Slot {
        Slot { number: 0, valid: false, player: Player::NULL, entities: List::default() }
    }
}

/// What a message meant beside the state that it left.
#[derive(Clone, Debug, PartialEq)]
pub enum Happening {
    /// Text for the player.
    Print(Vec<u8>),
    /// Something for the trace.
    Note(Event),
    /// A map begins; the revision that the server announces, over protocol 35.
    MapBegins(Option<u16>),
    /// A valid frame came, when the datagram with this number was the newest of ours that the server had.
    Frame(u32),
    /// Commands for the client's console.
    StuffText(Vec<u8>),
    /// The next block of the file is to be asked for.
    NextBlock,
    /// The server ends the session.
    Disconnect,
    /// The server wants the client to come back.
    Reconnect,
}

/// A client's game.
pub struct Game {
    rules: ClientRules,
    /// How the server's messages are written.
    pub dialect: Dialect,
    /// The revision that the client has stated.
    asked_minor: Option<u16>,
    baselines: List<Entity>,
    slots: Vec<Slot>,
    /// The frame that is being read.
    reading: Slot,
    base: Option<usize>,
    merge: Merge,
    /// The slot of the newest valid frame.
    shown: Option<usize>,
    /// The newest frame, valid or not; 0 before the first.
    pub newest: i32,
    pub(crate) newest_valid: bool,
    /// The player's entity.
    entity: u32,
    /// The file under way.
    file: Option<Vec<u8>>,
    /// What has happened; to be drained.
    pub happenings: Vec<Happening>,
}

impl Game {
    /// Before a map.
    pub fn new(dialect: Dialect, asked_minor: Option<u16>, rules: ClientRules) -> Game {
        Game {
            rules,
            dialect: dialect.with(rules.latitude.readings),
            asked_minor,
            baselines: List::default(),
            slots: vec![Slot::empty(); rules.latitude.history],
            reading: Slot::empty(),
            base: None,
            merge: Merge::default(),
            shown: None,
            newest: 0,
            newest_valid: false,
            entity: 0,
            file: None,
            happenings: Vec::new(),
        }
    }

    /// Takes the payload of a datagram of the server.
    ///
    /// # Errors
    /// The first field that cannot be read; what came before it counts.
    pub fn receive(
        &mut self,
        sequence: u32,
        acknowledged: u32,
        reliable: bool,
        payload: &[u8],
    ) -> Result<(), DecodeError> {
        let carrier = Carrier { direction: Direction::ServerToClient, reliable, sequence, acknowledged, nesting: 0 };
        let mut dialect = self.dialect;
        let (asked_minor, latitude) = (self.asked_minor, self.rules.latitude);
        let mut walk = Walk::new(&mut dialect, carrier, self);
        walk.asked_minor = asked_minor;
        (walk.nesting, walk.splits_original) = (latitude.nesting, latitude.splits_original);
        let read = walk.services(&mut Reader::new(payload));
        self.dialect = dialect;
        read
    }

    /// The frame that the next move acknowledges.
    pub fn acknowledged(&self) -> i32 {
        if self.newest_valid { self.newest } else { NO_DELTA }
    }

    /// The player state of the newest valid frame.
    pub fn player(&self) -> Option<&Player> {
        self.shown.map(|shown| &self.slots[shown].player)
    }

    /// Forgets the frames: a map has ended.
    pub fn end_map(&mut self) {
        for slot in &mut self.slots {
            slot.number = 0;
            slot.valid = false;
        }
        (self.shown, self.newest, self.newest_valid, self.file) = (None, 0, false, None);
    }

    /// Whether a file is under way.
    pub fn is_downloading(&self) -> bool {
        self.file.is_some()
    }

    /// A file is about to come.
    pub fn begin_file(&mut self) {
        self.file = Some(Vec::new());
    }

    /// The slot of a base, and whether it stands there and is valid; what needs no base is valid.
    pub fn held(&self, base: Option<i32>) -> (Option<usize>, bool) {
        let Some(base) = base else { return (None, true) };
        let index = base as usize % self.slots.len();
        (Some(index), self.slots[index].number == base && self.slots[index].valid)
    }

    fn note<const N: usize>(&mut self, number: usize, args: [i64; N]) {
        self.happenings.push(Happening::Note(note(number, args)));
    }

    fn begin_map(&mut self, minor: Option<u16>, playernum: i16) {
        self.end_map();
        self.baselines.clear();
        self.entity = u32::try_from(i32::from(playernum) + 1).unwrap_or(0);
        self.happenings.push(Happening::MapBegins(minor));
    }

    fn take_block(&mut self, block: &Download<'_>) {
        let Some(data) = block.data else {
            self.file = None;
            return self.note(NOTE_DOWNLOAD_REFUSED, []);
        };
        let Some(file) = &mut self.file else { return };
        match block.length {
            None => file.extend_from_slice(data),
            // R1Q2-ZDL-02
            Some(length) => {
                let mut plain = Vec::new();
                if deflate::inflate(data, length.into(), &mut plain).is_err() {
                    self.file = None;
                    return;
                }
                // R1Q2-ZDL-04
                file.extend_from_slice(&plain);
            }
        }
        if file.len() > MAX_FILE_BYTES {
            self.file = None;
        } else if block.percent < 100 {
            // R1Q2-ZDL-03
            self.happenings.push(Happening::NextBlock);
        } else {
            let (length, sum) = (file.len() as i64, crate::machine::download::file_sum(file));
            self.file = None;
            self.note(NOTE_DOWNLOADED, [length]);
            self.note(NOTE_DOWNLOAD_SUM, [sum.into()]);
        }
    }

    /// The frame that was read is complete.
    fn frame_ends(&mut self, carrier: &Carrier) {
        let number = self.reading.number;
        let index = number as usize % self.slots.len();
        std::mem::swap(&mut self.slots[index], &mut self.reading);
        let valid = self.slots[index].valid;
        (self.newest, self.newest_valid) = (number, valid);
        if valid {
            self.shown = Some(index);
            self.note(NOTE_FRAME, [number.into()]);
            self.happenings.push(Happening::Frame(carrier.acknowledged));
        } else {
            if self.shown == Some(index) {
                // What was shown is overwritten; there is nothing valid to show.
                self.shown = None;
            }
            self.note(NOTE_INVALID_FRAME, [number.into()]);
        }
    }

    /// Shows what the player sees.
    pub fn observe(&self, view: &mut View) {
        let Some(slot) = self.shown.map(|shown| &self.slots[shown]) else { return };
        view.valid = true;
        view.own_entity = self.entity;
        view.server_time = float_bits(slot.number as f32 * FRAME_SECONDS) as u32;
        for (number, entity) in slot.entities.iter() {
            view.numbers.push(number);
            view.fields.extend_from_slice(&entity.0);
            match number == self.entity {
                true => view.fields.extend_from_slice(&slot.player.0[..STATS]),
                false => view.fields.resize(view.fields.len() + WORLD_FIELDS - FIELDS, 0),
            }
        }
        for (stat, &value) in slot.player.stats().iter().enumerate().filter(|(_, value)| **value != 0) {
            view.stats.push((stat as u8, StatValue::Int(value)));
        }
    }
}

/// The slot of the base that a frame names, if it names one, and whether the frame is valid.
pub fn find_base(game: &Game, start: &FrameStart<'_>) -> (Option<usize>, bool) {
    game.held(start.base())
}

/// The number at the end of a text; 0 where there is none.
fn number_of(text: &[u8]) -> i64 {
    let word = text.trim_ascii_end().rsplit(|byte| *byte == b' ').next().unwrap_or_default();
    std::str::from_utf8(word).ok().and_then(|word| word.parse::<i32>().ok()).unwrap_or(0).into()
}

impl Listener for Game {
    fn service(&mut self, _: &Carrier, service: &Service<'_>) {
        match service {
            Service::ServerData(data) => self.begin_map(data.r1q2.map(|data| data.minor), data.playernum),
            Service::Print { text, .. } | Service::CenterPrint { text } => {
                self.happenings.push(Happening::Print(text.to_vec()));
            }
            Service::StuffText { text } => self.happenings.push(Happening::StuffText(text.to_vec())),
            Service::Disconnect => self.happenings.push(Happening::Disconnect),
            Service::Reconnect => self.happenings.push(Happening::Reconnect),
            Service::Sound(sound) => self.happenings.push(Happening::Note(verb::sound_note(sound))),
            Service::TempEntity(effect) => self.happenings.push(Happening::Note(verb::effect_note(effect))),
            Service::MuzzleFlash { entity, weapon } | Service::MuzzleFlash2 { entity, weapon } => {
                self.note(NOTE_MUZZLEFLASH, [(*entity).into(), (*weapon).into()]);
            }
            Service::Layout { text } => self.note(NOTE_LAYOUT_SHOWN, [number_of(text)]),
            Service::Inventory { counts } => {
                let counts: Vec<i16> = counts.as_chunks().0.iter().map(|count| i16::from_le_bytes(*count)).collect();
                self.happenings.push(Happening::Note(verb::inventory_note(&counts)));
            }
            Service::ConfigString { index, text } => {
                if self.newest != 0 {
                    self.note(NOTE_CONFIGSTRING, [(*index).into(), number_of(text)]);
                }
            }
            Service::Download(block) | Service::ZDownload(block) => self.take_block(block),
            Service::Nop | Service::PlayerUpdate { .. } | Service::Setting { .. } => {}
        }
    }

    fn baseline(&mut self, _: &Carrier, number: u32, _: u64, state: &Entity) {
        *self.baselines.entry(number, state) = *state;
    }

    fn frame(&mut self, _: &Carrier, start: &FrameStart<'_>) {
        (self.base, self.reading.valid) = (self.rules.find_base)(self, start);
        self.reading.number = start.number;
        self.merge = Merge::with(self.rules.omitted);
        self.reading.entities.clear();
    }

    fn player(&mut self, _: &Carrier, flags: Flags, r: &mut Reader<'_>, _: &Dialect) -> Result<bool, DecodeError> {
        let newest = &self.slots[self.newest as usize % self.slots.len()].player;
        // R1Q2-PS-09
        self.reading.player = (self.rules.player_base)(self.base.map(|base| &self.slots[base].player), newest);
        player::read_fields(r, flags, &mut self.reading.player)?;
        Ok(true)
    }

    fn entry(
        &mut self,
        carrier: &Carrier,
        entry: Entry,
        r: &mut Reader<'_>,
        dialect: &Dialect,
    ) -> Result<bool, DecodeError> {
        let Game { merge, reading, slots, baselines, base, .. } = self;
        let base = base.map(|base| &slots[base].entities);
        let gate = dialect.with(self.rules.latitude.readings).gate();
        merge.entry(entry, r, base, baselines, gate, &mut reading.entities)?;
        if entry == Entry::End {
            self.frame_ends(carrier);
        }
        Ok(true)
    }
}
