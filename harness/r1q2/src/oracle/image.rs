//! What a reader of one direction holds: baselines and frames, put together from the bytes alone.

use super::aside::Aside;
use crate::wire::command::Command;
use crate::wire::constants::*;
use crate::wire::deflate;
use crate::wire::delta::{ENTITY, Entry};
use crate::wire::dialect::Dialect;
use crate::wire::entities::{Merge, Oddity};
use crate::wire::frame::FrameStart;
use crate::wire::message::{Carrier, Listener, Walk};
use crate::wire::player::{self, Flags, PLAYER};
use crate::wire::service::{Download, Service};
use crate::wire::state::{Entity, EntityList, OLD_ORIGIN, ORIGIN, Player};
use crate::wire::usercmd::Move;
use kit::{DecodeError, Reader};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Frames that are remembered: more than any base is old.
const MAX_FRAMES: usize = 64;

/// A frame as a reader holds it.
#[derive(Clone, Debug)]
pub struct Held {
    /// Its number.
    pub number: i32,
    /// The frame that it builds on.
    pub base: Option<i32>,
    /// Whether the reader had that.
    pub valid: bool,
    /// How many frames were held back before it.
    pub suppress: u8,
    /// The player.
    pub player: Player,
    /// What of the player was sent.
    pub flags: Flags,
    /// The entities.
    pub entities: EntityList,
    /// Entities whose old origin depends on whether the base or the new state is asked for a beam: what it is to those
    /// who ask the new state.
    pub doubtful: BTreeMap<u32, [i32; 3]>,
    /// Entities that an entry told, and its bits.
    pub told: Vec<(u32, u64)>,
    /// What is odd about its entries.
    pub oddities: Vec<Oddity>,
    /// How deep in zpackets it was.
    pub nesting: usize,
    /// The frame that was newest before it.
    pub before: Option<i32>,
    /// Which areas can be seen.
    pub areas: Vec<u8>,
}

/// Something that was said.
#[derive(Clone, Debug)]
pub enum Said {
    /// A frame.
    Frame(Arc<Held>),
    /// A text for the player; whether it stood in a zpacket, and whether one stood before it in the datagram.
    Print(Vec<u8>, usize, bool),
    /// A command for the client's console, likewise.
    StuffText(Vec<u8>, bool),
    /// A serverdata: the spawncount, the revision it announces, and whether the game is enhanced.
    ServerData {
        /// The number of the map.
        spawncount: i32,
        /// The client's number.
        playernum: i16,
        /// The protocol.
        protocol: u32,
        /// The revision and whether the game is enhanced, over protocol 35.
        r1q2: Option<(u16, u8)>,
    },
    /// A zpacket: its compressed bytes, and how long what it stands for is.
    Zpacket(Vec<u8>, usize),
    /// A block of a file; `None` for a refusal. Then: how long it was on the wire if it was compressed, and the
    /// percentage.
    Block(Option<Vec<u8>>, Option<usize>, u8),
    /// A compressed block that is no deflate data, or of another length than it says.
    BadBlock,
    /// A service other than a frame with bits beside its number.
    UpperBits(u8),
    /// Something beside frames and texts; whether it stood in a zpacket, and whether one stood before it.
    Aside(Aside, usize, bool),
    /// Another service, by its number.
    Other(u8),
    /// A move.
    Move(Box<Move>),
    /// A command of the player.
    StringCmd(Vec<u8>),
    /// A setting of the client.
    Setting(i16, i16),
}

/// What a reader of one direction holds.
#[derive(Clone, Debug, Default)]
pub struct Image {
    /// The baselines of the map.
    pub baselines: Arc<EntityList>,
    /// Frames by number, those that were not understood included.
    pub frames: BTreeMap<i32, Arc<Held>>,
    /// The numbers that stand in the slots of a client.
    slots: [Option<i32>; UPDATE_BACKUP],
    /// The newest frame, whatever it is worth.
    pub newest: Option<i32>,
    /// The newest valid frame.
    pub shown: Option<i32>,
    /// Where the last message that was read to its end ended in its datagram.
    pub ended: usize,
    /// Where frames began in the last datagram.
    pub frames_at: Vec<usize>,
    /// Whether the command byte is split over protocol 34, too.
    pub splits: bool,
    /// Whether a frame of the last datagram had bits beside its number.
    pub strays: bool,
    /// Whether frames are kept by slot, as clients do; a record of what was sent keeps them by number.
    by_slot: bool,
}

impl Image {
    /// As a client keeps frames.
    pub fn of_client() -> Image {
        Image { by_slot: true, ..Image::default() }
    }

    /// A frame that was read, by its number.
    pub fn frame(&self, number: i32) -> Option<&Held> {
        self.frames.get(&number).map(Arc::as_ref)
    }

    /// The frame that a client shows.
    pub fn shown(&self) -> Option<&Arc<Held>> {
        self.frames.get(&self.shown?)
    }

    /// A map begins.
    fn begin(&mut self) {
        let frames_at = std::mem::take(&mut self.frames_at);
        let Image { by_slot, ended, splits, strays, .. } = *self;
        *self = Image { by_slot, ended, frames_at, splits, strays, ..Image::default() };
    }

    fn slot(number: i32) -> usize {
        (number & (UPDATE_BACKUP as i32 - 1)) as usize
    }

    /// The frame that another builds on, if it can be used.
    fn base(&self, number: i32) -> Option<&Arc<Held>> {
        let kept = !self.by_slot || self.slots.get(Image::slot(number)).copied().flatten() == Some(number);
        self.frames.get(&number).filter(|held| kept && held.valid)
    }

    fn keep(&mut self, held: Arc<Held>) {
        if let Some(slot) = self.slots.get_mut(Image::slot(held.number)) {
            *slot = Some(held.number);
        }
        self.newest = Some(held.number);
        if held.valid {
            self.shown = Some(held.number);
        }
        self.frames.insert(held.number, held);
        while self.frames.len() > MAX_FRAMES {
            self.frames.pop_first();
        }
    }

    /// Reads services, the rest of `r`, and says what they are.
    ///
    /// # Errors
    /// The first field that cannot be read; what came before it was heard.
    pub fn services(
        &mut self,
        r: &mut Reader<'_>,
        dialect: &mut Dialect,
        asked_minor: Option<u16>,
        carrier: Carrier,
        said: &mut Vec<Said>,
    ) -> Result<(), DecodeError> {
        self.ended = r.at();
        self.frames_at.clear();
        self.strays = false;
        let splits = self.splits;
        let mut ear = Ear { image: self, said, building: None, packed: false };
        let mut walk = Walk::new(dialect, carrier, &mut ear);
        walk.asked_minor = asked_minor;
        walk.splits_original = splits;
        walk.services(r)
    }
}

/// Reads commands, the rest of `r`, and says what they are.
///
/// # Errors
/// The first field that cannot be read; what came before it was heard.
pub fn commands(
    r: &mut Reader<'_>,
    dialect: &Dialect,
    carrier: Carrier,
    said: &mut Vec<Said>,
) -> Result<(), DecodeError> {
    let (mut dialect, mut image) = (*dialect, Image::default());
    let mut ear = Ear { image: &mut image, said, building: None, packed: false };
    Walk::new(&mut dialect, carrier, &mut ear).commands(r)
}

/// A frame that is being read.
struct Building {
    held: Held,
    base: Option<Arc<Held>>,
    merge: Merge,
}

struct Ear<'a> {
    image: &'a mut Image,
    said: &'a mut Vec<Said>,
    building: Option<Building>,
    /// Whether a zpacket was in this datagram.
    packed: bool,
}

impl Building {
    /// Notes an entity whose old origin was not told, if those who ask its new state for a beam have another than those
    /// who ask the base.
    fn doubt(&mut self, number: u32, baselines: &EntityList) {
        let Some(now) = self.held.entities.get(number) else { return };
        let known = self.base.as_ref().filter(|base| base.entities.get(number).is_some());
        let before = known.and_then(|base| base.entities.get(number)).or_else(|| baselines.get(number));
        let before = before.unwrap_or(&Entity::NULL);
        let kept = known.and_then(|base| base.doubtful.get(&number)).copied();
        let other = match now.is_beam() {
            true => kept.unwrap_or(OLD_ORIGIN.map(|field| before[field])),
            false => ORIGIN.map(|field| before[field]),
        };
        if other != OLD_ORIGIN.map(|field| now[field]) {
            self.held.doubtful.insert(number, other);
        }
    }

    /// The same of what no entry mentions.
    fn doubt_the_rest(&mut self, baselines: &EntityList) {
        let Some(base) = &self.base else { return };
        let unsure =
            base.entities.iter().filter(|(number, state)| state.is_beam() || base.doubtful.contains_key(number));
        let untold = unsure.map(|(number, _)| number).filter(|number| !self.held.told.iter().any(|it| it.0 == *number));
        for number in untold.collect::<Vec<u32>>() {
            self.doubt(number, baselines);
        }
    }
}

impl Listener for Ear<'_> {
    fn service_begins(&mut self, _: &Carrier, service: u8, high_bits: u8) {
        self.image.strays |= high_bits != 0 && service == SVC_FRAME;
        if high_bits != 0 && service != SVC_FRAME {
            self.said.push(Said::UpperBits(service));
        }
    }

    fn service(&mut self, carrier: &Carrier, service: &Service<'_>) {
        self.said.push(match service {
            Service::Print { text, .. } => Said::Print(text.to_vec(), carrier.nesting, self.packed),
            Service::StuffText { text } => Said::StuffText(text.to_vec(), self.packed && carrier.nesting == 0),
            Service::ServerData(data) => {
                self.image.begin();
                Said::ServerData {
                    spawncount: data.spawncount,
                    playernum: data.playernum,
                    protocol: data.protocol,
                    r1q2: data.r1q2.map(|data| (data.minor, data.enhanced)),
                }
            }
            Service::Download(block) => Said::Block(block.data.map(<[u8]>::to_vec), None, block.percent),
            Service::ZDownload(block) => match inflated(block) {
                Ok(data) => Said::Block(data, Some(block.data.map_or(0, <[u8]>::len)), block.percent),
                Err(()) => Said::BadBlock,
            },
            _ => match Aside::of(service, self.image.newest.is_some()) {
                Some(aside) => Said::Aside(aside, carrier.nesting, self.packed),
                None => Said::Other(service.number()),
            },
        });
    }

    fn baseline(&mut self, carrier: &Carrier, number: u32, _: u64, state: &Entity) {
        self.said.push(Said::Aside(Aside::Baseline(number, Box::new(*state)), carrier.nesting, self.packed));
        *Arc::make_mut(&mut self.image.baselines).entry(number, state) = *state;
    }

    fn frame(&mut self, carrier: &Carrier, start: &FrameStart<'_>) {
        if carrier.nesting == 0 {
            self.image.frames_at.push(self.image.ended);
        }
        let base = start.base().and_then(|base| self.image.base(base)).cloned();
        let held = Held {
            number: start.number,
            base: start.base(),
            valid: start.base().is_none() || base.is_some(),
            suppress: start.suppress,
            player: base.as_ref().map_or(Player::NULL, |base| base.player),
            flags: Flags::default(),
            entities: EntityList::default(),
            doubtful: BTreeMap::new(),
            told: Vec::new(),
            oddities: Vec::new(),
            nesting: carrier.nesting,
            before: self.image.newest,
            areas: start.area_bits.to_vec(),
        };
        self.building = Some(Building { held, base, merge: Merge::default() });
    }

    fn player(&mut self, _: &Carrier, flags: Flags, r: &mut Reader<'_>, _: &Dialect) -> Result<bool, DecodeError> {
        let Some(building) = &mut self.building else { return Ok(false) };
        building.held.flags = player::read_fields(r, &PLAYER, flags, &mut building.held.player)?;
        Ok(true)
    }

    fn entry(&mut self, _: &Carrier, entry: Entry, r: &mut Reader<'_>, dialect: &Dialect) -> Result<bool, DecodeError> {
        let Some(building) = &mut self.building else { return Ok(false) };
        let base = building.base.as_ref().map(|base| &base.entities);
        let (baselines, now) = (&self.image.baselines, &mut building.held.entities);
        let oddity = building.merge.entry(entry, r, &ENTITY, base, baselines, dialect.gate(), now)?;
        building.held.oddities.extend(oddity);
        if let Entry::Update(number, bits) = entry {
            building.held.told.push((number, bits));
            if bits & U_OLDORIGIN == 0 {
                building.doubt(number, &self.image.baselines);
            }
        }
        if entry == Entry::End {
            let Some(mut building) = self.building.take() else { return Ok(true) };
            building.doubt_the_rest(&self.image.baselines);
            let held = Arc::new(building.held);
            self.image.keep(Arc::clone(&held));
            self.said.push(Said::Frame(held));
        }
        Ok(true)
    }

    fn message_ended(&mut self, carrier: &Carrier, _: usize, r: &Reader<'_>) {
        if carrier.nesting == 0 {
            self.image.ended = r.at();
        }
    }

    fn zpacket(&mut self, _: &Carrier, packed: &[u8], plain: &[u8]) {
        self.packed = true;
        self.said.push(Said::Zpacket(packed.to_vec(), plain.len()));
    }

    fn command(&mut self, _: &Carrier, command: &Command<'_>) {
        self.said.push(match command {
            Command::Nop | Command::UserInfo { .. } => return,
            Command::Move(movement) => Said::Move(Box::new(*movement)),
            Command::StringCmd { text } => Said::StringCmd(text.to_vec()),
            Command::Setting { index, value } => Said::Setting(*index, *value),
        });
    }
}

/// What a compressed block stands for.
fn inflated(block: &Download<'_>) -> Result<Option<Vec<u8>>, ()> {
    let Some(data) = block.data else { return Ok(None) };
    let mut plain = Vec::new();
    deflate::inflate(data, usize::from(block.length.unwrap_or_default()), &mut plain).map_err(drop)?;
    Ok(Some(plain))
}
