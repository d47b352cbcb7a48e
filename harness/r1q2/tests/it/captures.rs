//! Recorded sessions of real engines: everything is decoded to its last byte, what was decoded is encoded to the engine's
//! own bytes, and the states that come of it obey the protocol.

use crate::{Datagram, RECORDINGS, captured, datagrams};
use kit::{DecodeError, Direction, Dissection, Dissector, Form, HostId, Reader, Span, Writer};
use r1q2::command::Command;
use r1q2::constants::*;
use r1q2::delta::{self, ENTITY, Entry};
use r1q2::dialect::Dialect;
use r1q2::dissector::{MARKS, R1q2Dissector};
use r1q2::frame::{self, FrameStart};
use r1q2::handshake::{ClientPacket, ServerPacket, is_out_of_band};
use r1q2::message::{Carrier, Listener};
use r1q2::netchan::Header;
use r1q2::player::{self, Flags, PLAYER};
use r1q2::service::Service;
use r1q2::state::{EVENT, Entity, EntityList, OLD_ORIGIN, Player};
use r1q2::tap::Tap;
use r1q2::usercmd::{Compaction, Move};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Whether the fields (groups aside) cover the bytes from the first to the last, without gap or overlap.
fn cover(spans: &[Span], bytes: &[u8]) -> bool {
    let mut at = 0;
    for span in spans.iter().filter(|span| span.form != Form::Group) {
        if span.start != at {
            return false;
        }
        at = span.end;
    }
    at == bytes.len()
}

/// Dissects a recording: no error, a name for every byte, and these numbers of marks.
fn check_dissection(name: &str, extensions: &[&str], expected: &str) {
    let mut dissector = R1q2Dissector::new(None);
    let mut out = Dissection { want_spans: true, ..Dissection::default() };
    let (mut marks, mut messages, mut bytes_read, mut count) = ([0; MARKS.len()], 0, 0, 0);
    for Datagram { direction, place, bytes } in datagrams(name) {
        out.clear();
        dissector.datagram(HostId(1), direction, &bytes, &mut out);
        assert_eq!(out.error, None, "{name}: {place}: {}", out.summary);
        assert!(cover(&out.spans, &bytes), "{name}: {place}: {:?}", out.spans);
        for (bytes, spans) in &out.assembled {
            assert!(cover(spans, bytes), "{name}: {place}, inflated: {spans:?}");
        }
        assert!(!out.summary.is_empty(), "{name}: {place}");
        count += 1;
        messages += out.messages;
        bytes_read += bytes.len();
        out.marks.iter().for_each(|mark| marks[mark.kind] += 1);
    }
    let mut seen = format!("{count} datagrams, {bytes_read} bytes, {messages} messages");
    for (name, count) in MARKS.iter().zip(marks).filter(|(_, count)| *count > 0) {
        let _ = write!(seen, ", {count} {name}");
    }
    assert_eq!(seen, expected, "{name}");
    assert_eq!(dissector.extensions(), extensions, "{name}");
}

/// How much of something was written again with the engine's own bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Same {
    same: usize,
    all: usize,
}

impl Same {
    fn count(&mut self, same: bool) {
        self.same += usize::from(same);
        self.all += 1;
    }
}

/// A frame as a client holds it.
#[derive(Clone)]
struct Held {
    player: Player,
    entities: EntityList,
}

/// What a client holds that applies everything, and how its bytes compare with those of our encoder.
#[derive(Default)]
struct Replay {
    dialect: Option<Dialect>,
    baselines: EntityList,
    frames: BTreeMap<i32, Held>,
    /// The frame that is being read: its number, its base, the entities of that which are not yet dealt with.
    number: i32,
    base: Option<Held>,
    now: Option<Held>,
    last_entity: u32,
    /// The message that is being read, as our encoder writes it.
    written: Vec<u8>,
    /// The frames that the client has acknowledged; the newest last.
    acknowledged: Vec<i32>,
    messages: Same,
    zpackets: usize,
    frames_read: usize,
    full_frames: usize,
    nested_frames: usize,
    updates: usize,
    removes: usize,
    baselines_read: usize,
    /// Updates whose bits are exactly what our comparison of base and new state raises.
    exact_updates: Same,
    /// Player states, likewise.
    exact_players: Same,
    /// Moves whose bits and short forms are those that we would choose.
    exact_moves: Same,
    /// Frames whose base is the newest that the client has acknowledged.
    newest_base: Same,
    bits: u64,
    flags: u32,
    /// The first message that came out otherwise.
    difference: Option<String>,
}

impl Replay {
    fn writer(&mut self) -> Writer<'_> {
        Writer::new(&mut self.written)
    }

    /// The state that an update of the current frame starts from.
    fn base_of(&self, number: u32) -> (bool, Entity) {
        match self.base.as_ref().and_then(|base| base.entities.get(number)) {
            Some(entity) => (true, *entity),
            None => (false, *self.baselines.get(number).unwrap_or(&Entity::NULL)),
        }
    }

    /// Entities of the base up to `number` that the frame does not mention stay as they are.
    fn carry_up_to(&mut self, number: u32, gate: u64) {
        let (Some(base), Some(now)) = (&self.base, &mut self.now) else { return };
        for (held, entity) in base.entities.iter() {
            if held > self.last_entity && held < number {
                let carried = delta::carry(entity, gate);
                *now.entities.entry(held, &carried) = carried;
            }
        }
    }
}

impl Listener for Replay {
    fn service_begins(&mut self, _: &Carrier, service: u8, high_bits: u8) {
        self.written.clear();
        assert!(high_bits == 0 || service == SVC_FRAME, "only frames use the upper bits");
    }

    fn service(&mut self, _: &Carrier, service: &Service<'_>) {
        service.write(&mut self.writer());
    }

    fn session(&mut self, dialect: &Dialect) {
        self.dialect = Some(*dialect);
        self.baselines.clear();
        self.frames.clear();
    }

    fn baseline(&mut self, _: &Carrier, number: u32, bits: u64, state: &Entity) {
        let gate = self.dialect.expect("a serverdata").gate();
        let mut w = Writer::new(&mut self.written);
        w.u8("svc", SVC_SPAWNBASELINE);
        delta::write_entry(&mut w, &ENTITY, number, delta::fields_of(bits), state, gate);
        self.baselines_read += 1;
        self.bits |= bits;
        assert!(self.baselines.get(number).is_none(), "one baseline an entity");
        *self.baselines.entry(number, state) = *state;
    }

    fn frame(&mut self, carrier: &Carrier, start: &FrameStart<'_>) {
        let dialect = self.dialect.expect("a serverdata");
        start.write(&mut self.writer(), &dialect);
        self.frames_read += 1;
        self.nested_frames += usize::from(carrier.nesting > 0);
        self.number = start.number;
        self.last_entity = 0;
        assert!(self.frames.last_key_value().is_none_or(|(&newest, _)| newest < start.number), "frames ascend");
        self.base = start.base().map(|base| {
            let newest = self.acknowledged.last();
            self.newest_base.count(newest == Some(&base));
            assert!(self.acknowledged.contains(&base), "frame {} builds on {base}, never acknowledged", start.number);
            self.frames.get(&base).cloned().expect("a base that was sent")
        });
        self.full_frames += usize::from(self.base.is_none());
        let player = self.base.as_ref().map_or(Player::NULL, |base| base.player);
        self.now = Some(Held { player, entities: EntityList::default() });
    }

    fn player(&mut self, _: &Carrier, flags: Flags, r: &mut Reader<'_>, dialect: &Dialect) -> Result<bool, DecodeError> {
        let now = self.now.as_mut().expect("a frame");
        let base = now.player;
        let flags = player::read_fields(r, &PLAYER, flags, &mut now.player)?;
        let exact = player::diff(&base, &now.player, dialect) == flags;
        player::write(&mut Writer::new(&mut self.written), &PLAYER, flags, &now.player, dialect);
        frame::write_entities_start(&mut Writer::new(&mut self.written), dialect);
        self.exact_players.count(exact);
        self.flags |= u32::from(flags.ps) | u32::from(flags.eps) << 16;
        Ok(true)
    }

    fn entry(&mut self, _: &Carrier, entry: Entry, r: &mut Reader<'_>, dialect: &Dialect) -> Result<bool, DecodeError> {
        let gate = dialect.gate();
        match entry {
            Entry::End => {
                self.carry_up_to(MAX_EDICTS, gate);
                delta::write_end(&mut self.writer());
                let now = self.now.take().expect("a frame");
                self.frames.insert(self.number, now);
            }
            Entry::Remove(number) | Entry::Update(number, _) => {
                assert!(number > self.last_entity, "numbers ascend: {number} after {}", self.last_entity);
                self.carry_up_to(number, gate);
                self.last_entity = number;
            }
        }
        let (held, base) = match entry {
            Entry::Remove(number) | Entry::Update(number, _) => self.base_of(number),
            Entry::End => return Ok(true),
        };
        match entry {
            Entry::Remove(number) => {
                assert!(held, "entity {number} is removed, and was not there");
                self.removes += 1;
                delta::write_remove(&mut self.writer(), number);
            }
            Entry::Update(number, bits) => {
                let mut entity = base;
                delta::read_fields(r, &ENTITY, bits, &mut entity, gate)?;
                delta::write_entry(&mut self.writer(), &ENTITY, number, delta::fields_of(bits), &entity, gate);
                self.updates += 1;
                self.bits |= bits;
                let raised = delta::diff(&ENTITY, &base, &entity, gate);
                self.exact_updates.count(raised == delta::fields_of(bits));
                let now = self.now.as_mut().expect("a frame");
                *now.entities.entry(number, &entity) = entity;
            }
            Entry::End => {}
        }
        Ok(true)
    }

    fn zpacket(&mut self, _: &Carrier, _: &[u8], _: &[u8]) {
        self.zpackets += 1;
    }

    fn command(&mut self, _: &Carrier, command: &Command<'_>) {
        let dialect = self.dialect.unwrap_or(Dialect::r1q2(MINOR_SOURCE));
        self.written.clear();
        command.write(&mut self.writer(), &dialect);
        if let Command::Move(movement) = command {
            if movement.last_frame > 0 {
                self.acknowledged.push(movement.last_frame);
            }
            let ours = Move::new(movement.last_frame, movement.commands, Compaction::Speeds, &dialect);
            self.exact_moves.count((ours.bits, ours.short) == (movement.bits, movement.short));
        }
    }

    fn message_ended(&mut self, carrier: &Carrier, start: usize, r: &Reader<'_>) {
        let bytes = r.around(r.at() - start);
        let bytes = &bytes[..r.at() - start];
        if carrier.direction == Direction::ServerToClient && bytes[0] & SVC_MASK == SVC_ZPACKET {
            return;
        }
        let same = bytes == self.written;
        self.messages.count(same);
        if !same {
            let written = &self.written;
            self.difference.get_or_insert_with(|| format!("{bytes:02x?}\n{written:02x?}"));
        }
    }
}

/// Applies a recording, and gives back what was read.
fn replay(name: &str) -> Replay {
    let (mut tap, mut replay) = (Tap::new(Dialect::ORIGINAL), Replay::default());
    for Datagram { direction, place, bytes } in datagrams(name) {
        let told = tap.datagram(direction, &bytes, None, &mut replay);
        assert!(told.is_ok(), "{name}: {place}: {told:?}");
    }
    replay
}

/// Applies a recording: the numbers of what was read, and of what our encoder, told the same, writes with the same bytes.
///
/// Every message but the zpackets is canonical: told fields and flags, our encoder chooses the widths, the bytes of bits
/// and the size of numbers as the engines do. The bytes inside a zpacket depend on the compressor.
fn check_replay(name: &str, expected: &str) {
    let replay = replay(name);
    let Same { same, all } = replay.messages;
    assert_eq!((same, &replay.difference), (all, &None), "{name}");
    let part = |of: Same| format!("{} of {}", of.same, of.all);
    let seen = format!(
        "{all} messages, {} zpackets, {} frames ({} full, {} in zpackets), {} updates, {} removes, {} baselines; \
         as we would: {} updates, {} player states, {} moves; newest base: {}",
        replay.zpackets,
        replay.frames_read,
        replay.full_frames,
        replay.nested_frames,
        replay.updates,
        replay.removes,
        replay.baselines_read,
        part(replay.exact_updates),
        part(replay.exact_players),
        part(replay.exact_moves),
        part(replay.newest_base),
    );
    assert_eq!(seen, expected, "{name}");
}

