//! What a reader of one direction holds, put together from the bytes alone: baselines and frames, as they were sent or as
//! they were delivered.

use super::announcement::NonDelta;
use crate::wire::command::Command;
use crate::wire::constants::*;
use crate::wire::deflate;
use crate::wire::delta::Entry;
use crate::wire::dialect::Dialect;
use crate::wire::entities::{Merge, Oddity};
use crate::wire::frame::FrameStart;
use crate::wire::message::{Carrier, Listener, Walk};
use crate::wire::player::{self, Flags};
use crate::wire::service::{Download, Service};
use crate::wire::state::{Entity, EntityList, OLD_ORIGIN, ORIGIN, Player};
use crate::wire::usercmd::Move;
use kit::{DecodeError, Direction, Reader};
use netchan::Header;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Frames that are remembered: more than any base is old.
const MAX_FRAMES: usize = 64;
/// For how many entities that its base does not have a frame has memory at once.
const NEW_ENTITIES: usize = 4;

/// For how many commands of a datagram there is memory at once.
const USUAL_COMMANDS: usize = 2;

/// A frame as a reader holds it.
#[derive(Clone, Debug)]
pub struct Frame {
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
    /// Entities that had an entry, and its bits.
    pub entries: Vec<(u32, u64)>,
    /// What is odd about its entries.
    pub oddities: Vec<Oddity>,
    /// How deep in zpackets it was.
    pub nesting: usize,
    /// The frame that was newest before it.
    pub before: Option<i32>,
    /// Which areas can be seen.
    pub areas: Vec<u8>,
}

/// The beginning of a frame, as far as it was read.
#[derive(Clone, Copy, Debug)]
pub struct FrameHead {
    /// Its number.
    pub number: i32,
    /// The frame that was newest before it.
    pub before: Option<i32>,
    /// How many frames were held back before it.
    pub suppress: u8,
    /// What of the player is sent.
    pub flags: Flags,
    /// The byte with which its entities begin; `None` if it was not read so far.
    pub first_of_entities: Option<u8>,
}

/// A message of a datagram, as far as it is judged.
#[derive(Clone, Debug)]
pub enum Message {
    /// A frame.
    Frame(Arc<Frame>),
    /// A text for the player; how deep in zpackets it stood, and whether one stood before it in the datagram.
    Print(Vec<u8>, usize, bool),
    /// A command for the client's console; whether it stood in the datagram itself, after a zpacket.
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
    /// A zpacket: how many bytes it has, and how many it stands for.
    Zpacket(usize, usize),
    /// A block of a file: what it is, `None` for a refusal; how long it was on the wire if it was compressed; and the
    /// percentage.
    Block(Option<Vec<u8>>, Option<usize>, u8),
    /// A compressed block that is no deflate data, or of another length than it says.
    BadBlock,
    /// A service other than a frame with bits beside its number.
    UpperBits(u8),
    /// Something beside frames and texts; how deep in zpackets it stood, and whether one stood before it.
    NonDelta(NonDelta, usize, bool),
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
pub struct Model {
    /// The baselines of the map.
    pub baselines: Arc<EntityList>,
    /// Frames, ascending, those that were not understood included.
    frames: VecDeque<Arc<Frame>>,
    /// The numbers that stand in the slots of a client.
    slots: [Option<i32>; HISTORY],
    /// The newest frame, whatever it is worth.
    pub newest: Option<i32>,
    /// The newest valid frame.
    pub shown: Option<i32>,
    /// Where the last message that was read to its end ended in its datagram.
    pub ended: usize,
    /// The frame that began first in the last datagram, as far as it was read: what follows it may be none.
    pub begun: Option<FrameHead>,
    /// Whether the command byte is split over protocol 34, too.
    pub splits: bool,
    /// Whether a frame of the last datagram had bits beside its number.
    pub strays: bool,
    /// Whether frames are kept by slot, as clients do; a record of what was sent keeps them by number.
    by_slot: bool,
}

impl Model {
    /// As a client keeps frames.
    pub fn of_client() -> Model {
        Model { by_slot: true, ..Model::default() }
    }

    /// A frame that was read, by its number.
    pub fn frame(&self, number: i32) -> Option<&Frame> {
        self.kept(number).map(Arc::as_ref)
    }

    fn kept(&self, number: i32) -> Option<&Arc<Frame>> {
        self.place(number).ok().and_then(|place| self.frames.get(place))
    }

    /// Where a frame stands, or where it belongs.
    fn place(&self, number: i32) -> Result<usize, usize> {
        match self.frames.back() {
            Some(newest) if newest.number < number => Err(self.frames.len()),
            _ => self.frames.binary_search_by_key(&number, |frame| frame.number),
        }
    }

    /// The newest valid frame, which a client shows.
    pub fn shown(&self) -> Option<&Arc<Frame>> {
        self.kept(self.shown?)
    }

    /// A map begins.
    fn begin(&mut self) {
        let Model { by_slot, ended, begun, splits, strays, .. } = *self;
        *self = Model { by_slot, ended, begun, splits, strays, ..Model::default() };
    }

    /// The client has the base of frame `number` no more, and goes on showing frame `before`.
    pub fn lacks_base(&mut self, number: i32, before: Option<i32>) {
        if let Some(frame) = self.place(number).ok().and_then(|place| self.frames.get_mut(place)) {
            Arc::make_mut(frame).valid = false;
        }
        if self.shown == Some(number) {
            self.shown = before;
        }
    }

    /// Numbers have run out, and begin anew: the frames of before are nobody's bases any more.
    fn begin_numbers(&mut self) {
        self.frames.clear();
        self.slots = [None; HISTORY];
        (self.newest, self.shown) = (None, None);
    }

    fn slot(number: i32) -> usize {
        (number & (HISTORY as i32 - 1)) as usize
    }

    /// The frame that another builds on, if it can be used.
    fn base(&self, number: i32) -> Option<&Arc<Frame>> {
        let kept = !self.by_slot || self.slots.get(Model::slot(number)).copied().flatten() == Some(number);
        self.kept(number).filter(|frame| kept && frame.valid)
    }

    fn keep(&mut self, frame: Arc<Frame>) {
        if let Some(slot) = self.slots.get_mut(Model::slot(frame.number)) {
            *slot = Some(frame.number);
        }
        self.newest = Some(frame.number);
        if frame.valid {
            self.shown = Some(frame.number);
        }
        match self.place(frame.number) {
            Ok(place) => self.frames[place] = frame,
            Err(place) => self.frames.insert(place, frame),
        }
        if self.frames.len() > MAX_FRAMES {
            self.frames.pop_front();
        }
    }

    /// Reads services, the rest of `r`: the messages, and the first field that cannot be read, if any.
    pub fn services(
        &mut self,
        r: &mut Reader<'_>,
        dialect: &mut Dialect,
        asked_minor: Option<u16>,
        carrier: Carrier,
    ) -> (Vec<Message>, Result<(), DecodeError>) {
        self.ended = r.at();
        self.begun = None;
        self.strays = false;
        let splits = self.splits;
        let mut messages = Vec::new();
        let mut collector = Collector { model: self, messages: &mut messages, building: None, packed: false };
        let mut walk = Walk::new(dialect, carrier, &mut collector);
        walk.asked_minor = asked_minor;
        walk.splits_original = splits;
        let read = walk.services(r);
        (messages, read)
    }
}

/// Reads commands, the rest of `r`.
///
/// # Errors
/// The first field that cannot be read.
pub fn commands(r: &mut Reader<'_>, dialect: &Dialect, carrier: Carrier) -> Result<Vec<Message>, DecodeError> {
    let (mut dialect, mut commands) = (*dialect, Commands(Vec::with_capacity(USUAL_COMMANDS)));
    Walk::new(&mut dialect, carrier, &mut commands).commands(r)?;
    Ok(commands.0)
}

/// Collects the commands of one datagram.
struct Commands(Vec<Message>);

impl Listener for Commands {
    fn command(&mut self, _: &Carrier, command: &Command<'_>) {
        self.0.push(match command {
            Command::Nop | Command::UserInfo { .. } => return,
            Command::Move(movement) => Message::Move(Box::new(*movement)),
            Command::StringCmd { text } => Message::StringCmd(text.to_vec()),
            Command::Setting { index, value } => Message::Setting(*index, *value),
        });
    }
}

/// Where the messages of a datagram come from.
pub fn carrier(header: &Header, direction: Direction) -> Carrier {
    let Header { sequence, acknowledged, reliable, .. } = *header;
    Carrier { direction, reliable, sequence, acknowledged, nesting: 0 }
}

/// A frame that is being read.
struct Building {
    frame: Frame,
    base: Option<Arc<Frame>>,
    merge: Merge,
}

/// Collects the messages of one datagram.
struct Collector<'a> {
    model: &'a mut Model,
    messages: &'a mut Vec<Message>,
    building: Option<Building>,
    /// Whether a zpacket was in this datagram.
    packed: bool,
}

impl Building {
    /// Notes an entity whose old origin was not sent, if those who ask its new state for a beam have another than those
    /// who ask the base.
    fn doubt(&mut self, number: u32, baselines: &EntityList) {
        let Some(now) = self.frame.entities.get(number) else { return };
        let known = self.base.as_ref().filter(|base| base.entities.get(number).is_some());
        let before = known.and_then(|base| base.entities.get(number)).or_else(|| baselines.get(number));
        let before = before.unwrap_or(&Entity::NULL);
        let kept = known.and_then(|base| base.doubtful.get(&number)).copied();
        let other = match now.is_beam() {
            true => kept.unwrap_or(OLD_ORIGIN.map(|field| before[field])),
            false => ORIGIN.map(|field| before[field]),
        };
        if other != OLD_ORIGIN.map(|field| now[field]) {
            self.frame.doubtful.insert(number, other);
        }
    }

    /// The same of what no entry mentions.
    fn doubt_the_rest(&mut self, baselines: &EntityList) {
        let Some(base) = &self.base else { return };
        let unsure =
            base.entities.iter().filter(|(number, state)| state.is_beam() || base.doubtful.contains_key(number));
        let omitted =
            unsure.map(|(number, _)| number).filter(|number| !self.frame.entries.iter().any(|it| it.0 == *number));
        for number in omitted.collect::<Vec<u32>>() {
            self.doubt(number, baselines);
        }
    }
}

impl Listener for Collector<'_> {
    fn service_begins(&mut self, _: &Carrier, service: u8, high_bits: u8) {
        self.model.strays |= high_bits != 0 && service == SVC_FRAME;
        if high_bits != 0 && service != SVC_FRAME {
            self.messages.push(Message::UpperBits(service));
        }
    }

    fn service(&mut self, carrier: &Carrier, service: &Service<'_>) {
        self.messages.push(match service {
            Service::Print { text, .. } => Message::Print(text.to_vec(), carrier.nesting, self.packed),
            Service::StuffText { text } => Message::StuffText(text.to_vec(), self.packed && carrier.nesting == 0),
            Service::ServerData(data) => {
                self.model.begin();
                Message::ServerData {
                    spawncount: data.spawncount,
                    playernum: data.playernum,
                    protocol: data.protocol,
                    r1q2: data.r1q2.map(|data| (data.minor, data.enhanced)),
                }
            }
            Service::Download(block) => Message::Block(block.data.map(<[u8]>::to_vec), None, block.percent),
            Service::ZDownload(block) => match inflated(block) {
                Ok(plain) => Message::Block(plain, Some(block.data.map_or(0, <[u8]>::len)), block.percent),
                Err(()) => Message::BadBlock,
            },
            _ => match NonDelta::of(service, self.model.newest.is_some()) {
                Some(message) => Message::NonDelta(message, carrier.nesting, self.packed),
                None => Message::Other(service.number()),
            },
        });
    }

    fn baseline(&mut self, carrier: &Carrier, number: u32, _: u64, state: &Entity) {
        self.messages.push(Message::NonDelta(
            NonDelta::Baseline(number, Box::new(*state)),
            carrier.nesting,
            self.packed,
        ));
        *Arc::make_mut(&mut self.model.baselines).entry(number, state) = *state;
    }

    fn frame(&mut self, carrier: &Carrier, start: &FrameStart<'_>) {
        if self.model.newest.is_some_and(|newest| has_begun_anew(newest, start.number)) {
            self.model.begin_numbers();
        }
        let before = self.model.newest;
        let flags = Flags { ps: 0, eps: start.extra, stats: 0 };
        let head = FrameHead { number: start.number, before, suppress: start.suppress, flags, first_of_entities: None };
        self.model.begun.get_or_insert(head);
        let base = start.base().and_then(|base| self.model.base(base)).cloned();
        let known = base.as_ref().map_or(0, |base| base.entities.len());
        let frame = Frame {
            number: start.number,
            base: start.base(),
            valid: start.base().is_none() || base.is_some(),
            suppress: start.suppress,
            player: base.as_ref().map_or(Player::NULL, |base| base.player),
            flags: Flags::default(),
            // Most frames have about as many as their bases, and change all of them at most.
            entities: EntityList::with_capacity(known + NEW_ENTITIES),
            doubtful: BTreeMap::new(),
            entries: Vec::with_capacity(known + NEW_ENTITIES),
            oddities: Vec::new(),
            nesting: carrier.nesting,
            before,
            areas: start.area_bits.to_vec(),
        };
        self.building = Some(Building { frame, base, merge: Merge::default() });
    }

    fn player(&mut self, _: &Carrier, flags: Flags, r: &mut Reader<'_>, _: &Dialect) -> Result<bool, DecodeError> {
        let (Some(building), Some(head)) = (&mut self.building, &mut self.model.begun) else { return Ok(false) };
        if head.first_of_entities.is_none() {
            head.flags = flags;
        }
        building.frame.flags = player::read_fields(r, flags, &mut building.frame.player)?;
        head.first_of_entities = head.first_of_entities.or(r.peek());
        Ok(true)
    }

    fn entry(&mut self, _: &Carrier, entry: Entry, r: &mut Reader<'_>, dialect: &Dialect) -> Result<bool, DecodeError> {
        let Some(building) = &mut self.building else { return Ok(false) };
        let base = building.base.as_ref().map(|base| &base.entities);
        let (baselines, now) = (&self.model.baselines, &mut building.frame.entities);
        let oddity = building.merge.entry(entry, r, base, baselines, dialect.gate(), now)?;
        building.frame.oddities.extend(oddity);
        if let Entry::Update(number, bits) = entry {
            building.frame.entries.push((number, bits));
            if bits & U_OLDORIGIN == 0 {
                building.doubt(number, &self.model.baselines);
            }
        }
        if entry == Entry::End {
            let Some(mut building) = self.building.take() else { return Ok(true) };
            building.doubt_the_rest(&self.model.baselines);
            let frame = Arc::new(building.frame);
            self.model.keep(Arc::clone(&frame));
            self.messages.push(Message::Frame(frame));
        }
        Ok(true)
    }

    fn message_ended(&mut self, carrier: &Carrier, _: usize, r: &Reader<'_>) {
        if carrier.nesting == 0 {
            self.model.ended = r.at();
        }
    }

    fn zpacket(&mut self, _: &Carrier, packed: &[u8], plain: &[u8]) {
        self.packed = true;
        self.messages.push(Message::Zpacket(packed.len(), plain.len()));
    }
}

/// The bytes that a compressed block stands for.
fn inflated(block: &Download<'_>) -> Result<Option<Vec<u8>>, ()> {
    let Some(data) = block.data else { return Ok(None) };
    let mut plain = Vec::new();
    deflate::inflate(data, block.length.unwrap_or_default().into(), &mut plain).map_err(drop)?;
    Ok(Some(plain))
}
