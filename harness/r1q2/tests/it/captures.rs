//! Recorded sessions of real engines: everything is decoded to its last byte, what was decoded is encoded to the
//! engine's own bytes, and the states that come of it obey the protocol.

use crate::RECORDINGS;
use kit::{DecodeError, Direction, Dissection, Dissector, HostId, Reader, Writer};
use netchan::{Header, Qport};
use r1q2::dissector::{MARKS, R1q2Dissector};
use r1q2::tap::Tap;
use r1q2::wire::command::Command;
use r1q2::wire::constants::*;
use r1q2::wire::deflate;
use r1q2::wire::delta::{self, Entry};
use r1q2::wire::dialect::Dialect;
use r1q2::wire::entities::{self, Merge};
use r1q2::wire::frame::{self, FrameStart};
use r1q2::wire::handshake::{ClientPacket, ServerPacket, is_out_of_band};
use r1q2::wire::message::{Carrier, Listener};
use r1q2::wire::player::{self, Flags, PLAYER};
use r1q2::wire::service::Service;
use r1q2::wire::state::{Entity, EntityList, FIELD_TABLE, FIELDS, PLAYER_FIELDS, Player, stat_name};
use r1q2::wire::usercmd::{Compaction, Move};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use testkit::bytes::{Datagram, cover, datagrams};

/// Dissects a recording: no error, a name for every byte. The numbers of what was found.
fn dissection(name: &str) -> String {
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
    let mut seen = format!("{count} datagrams, {bytes_read} bytes, {messages} messages\n");
    let _ = writeln!(seen, "agreed: {}", dissector.extensions().join(", "));
    for (name, count) in MARKS.iter().zip(marks).filter(|(_, count)| *count > 0) {
        let _ = writeln!(seen, "  {count} {name}");
    }
    seen
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
    /// The frame that is being read.
    number: i32,
    base: Option<Held>,
    now: Option<Held>,
    merge: Merge,
    /// Where its entities begin in the message, as our encoder writes it.
    entities_at: usize,
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
    /// The bits that the others have beyond that.
    more_bits: u64,
    /// Lists of entities that come out with the same bytes when our encoder knows nothing but base and new states.
    exact_lists: Same,
    /// Player states whose flags are those that our comparison raises.
    exact_players: Same,
    /// Moves whose bits and short forms are those that we would choose.
    exact_moves: Same,
    /// Frames whose base is the newest that the client has acknowledged.
    newest_base: Same,
    /// Every bit of an entity, and every flag of a player state, that was read.
    bits: u64,
    flags: u32,
    /// The fields in which entities were seen to differ from their baselines, and the player from null.
    changed: BTreeMap<u32, BTreeSet<usize>>,
    player_changed: BTreeSet<usize>,
    /// The first message that came out otherwise.
    difference: Option<String>,
}

impl Replay {
    fn writer(&mut self) -> Writer<'_> {
        Writer::new(&mut self.written)
    }

    /// The state that an update of the current frame starts from.
    fn start_of(&self, number: u32) -> Entity {
        let held = self.base.as_ref().and_then(|base| base.entities.get(number));
        *held.or_else(|| self.baselines.get(number)).unwrap_or(&Entity::NULL)
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
        delta::write_entry(&mut w, number, delta::fields_of(bits), state, gate);
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
        self.merge = Merge::default();
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

    fn player(
        &mut self,
        _: &Carrier,
        flags: Flags,
        r: &mut Reader<'_>,
        dialect: &Dialect,
    ) -> Result<bool, DecodeError> {
        let now = self.now.as_mut().expect("a frame");
        let base = now.player;
        let flags = player::read_fields(r, flags, &mut now.player)?;
        let exact = player::diff(&base, &now.player, dialect) == flags;
        player::write(&mut Writer::new(&mut self.written), &PLAYER, flags, &now.player, dialect);
        frame::write_entities_start(&mut Writer::new(&mut self.written), dialect);
        self.entities_at = self.written.len();
        self.exact_players.count(exact);
        self.flags |= u32::from(flags.ps) | u32::from(flags.eps) << 16;
        let changed = (0..PLAYER_FIELDS).filter(|&field| now.player[field] != 0);
        self.player_changed.extend(changed);
        Ok(true)
    }

    fn entry(&mut self, _: &Carrier, entry: Entry, r: &mut Reader<'_>, dialect: &Dialect) -> Result<bool, DecodeError> {
        let gate = dialect.gate();
        let base = self.base.as_ref().map(|base| &base.entities);
        let now = &mut self.now.as_mut().expect("a frame").entities;
        let odd = self.merge.entry(entry, r, base, &self.baselines, gate, now)?;
        assert_eq!(odd, None, "frame {}", self.number);
        let mut w = Writer::new(&mut self.written);
        match entry {
            Entry::Update(number, bits) => {
                let entity = *now.get(number).expect("an update");
                delta::write_entry(&mut w, number, delta::fields_of(bits), &entity, gate);
                self.updates += 1;
                self.bits |= bits;
                let start = self.start_of(number);
                let raised = delta::diff(&start, &entity, gate);
                assert_eq!(raised & !delta::fields_of(bits), 0, "entity {number} lacks what it needs");
                self.exact_updates.count(raised == delta::fields_of(bits));
                self.more_bits |= delta::fields_of(bits) & !raised;
                let baseline = self.baselines.get(number).unwrap_or(&Entity::NULL);
                let differing = (0..FIELDS).filter(|&field| entity[field] != baseline[field]);
                self.changed.entry(number).or_default().extend(differing);
            }
            Entry::Remove(number) => {
                delta::write_remove(&mut w, number);
                self.removes += 1;
            }
            Entry::End => {
                delta::write_end(&mut w);
                let mut ours = Vec::new();
                entities::write(&mut Writer::new(&mut ours), base, &self.baselines, gate, now);
                self.exact_lists.count(self.written[self.entities_at..] == ours);
                let now = self.now.take().expect("a frame");
                self.frames.insert(self.number, now);
            }
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
        let sent = tap.datagram(direction, &bytes, None, &mut replay);
        assert!(sent.is_ok(), "{name}: {place}: {sent:?}");
    }
    replay
}

/// Numbers with runs joined: `1 3..5`.
fn ranges(numbers: &[u32]) -> String {
    let runs = numbers.chunk_by(|low, high| low + 1 == *high).map(|run| match run {
        [.., last] if run.len() > 1 => format!("{}..{last}", run[0]),
        _ => run[0].to_string(),
    });
    runs.collect::<Vec<_>>().join(" ")
}

/// The fields in which entities were seen to differ from their baselines, a line per set of fields.
fn roles(changed: &BTreeMap<u32, BTreeSet<usize>>) -> String {
    let mut sets: Vec<(&BTreeSet<usize>, Vec<u32>)> = Vec::new();
    for (number, fields) in changed.iter().filter(|(_, fields)| !fields.is_empty()) {
        match sets.iter_mut().find(|(known, _)| *known == fields) {
            Some((_, numbers)) => numbers.push(*number),
            None => sets.push((fields, vec![*number])),
        }
    }
    let line = |(fields, numbers): (&BTreeSet<usize>, Vec<u32>)| {
        let fields: Vec<&str> = fields.iter().map(|&field| FIELD_TABLE[field].name).collect();
        format!("{}: {}\n", ranges(&numbers), fields.join(" "))
    };
    sets.into_iter().map(line).collect()
}

/// The names of bits.
fn names_of(bits: u64, names: &[&str]) -> String {
    let names = names.iter().enumerate().filter(|(bit, _)| bits & 1 << bit != 0).map(|(_, name)| *name);
    names.collect::<Vec<_>>().join(" ")
}

/// Applies a recording: the numbers of what was read, and of what our encoder writes of the same with the same
/// bytes; then the fields that were seen to change. A layout read wrongly shows in fields that the recorded map never
/// touches.
fn replayed(name: &str) -> String {
    let replay = replay(name);
    let Same { same, all } = replay.messages;
    assert_eq!((same, &replay.difference), (all, &None), "{name}");
    assert_eq!(replay.newest_base.same, replay.newest_base.all, "{name}: the base is the newest acknowledged");
    let part = |of: Same| format!("{} of {}", of.same, of.all);
    let mut seen = format!("{all} messages written again with the same bytes, {} zpackets not\n", replay.zpackets);
    let _ = writeln!(
        seen,
        "{} frames ({} full, {} in zpackets), {} updates, {} removes, {} baselines",
        replay.frames_read,
        replay.full_frames,
        replay.nested_frames,
        replay.updates,
        replay.removes,
        replay.baselines_read,
    );
    let _ = writeln!(
        seen,
        "as we would write them: {} lists of entities, {} updates",
        part(replay.exact_lists),
        part(replay.exact_updates)
    );
    if replay.more_bits != 0 {
        let _ = writeln!(seen, "  more than we would: {}", names_of(replay.more_bits, &U_NAMES));
    }
    let _ = writeln!(seen, "  {} player states, {} moves", part(replay.exact_players), part(replay.exact_moves));
    let _ = writeln!(seen, "bits: {}", names_of(replay.bits, &U_NAMES));
    let _ = writeln!(seen, "flags: {}", names_of(u64::from(replay.flags & 0xffff), &PS_NAMES));
    let _ = writeln!(seen, "extra flags: {}", names_of(u64::from(replay.flags >> 16), &EPS_NAMES));
    let player: Vec<String> = replay.player_changed.iter().map(|&field| stat_name(field)).collect();
    let _ = writeln!(seen, "player: {}", player.join(" "));
    seen + &roles(&replay.changed)
}

/// Every message but the zpackets is canonical: given fields and flags, our encoder chooses the widths, the bytes of
/// bits and the size of numbers as the engines do. The bytes inside a zpacket depend on the compressor.
///
/// The engines raise no bit less than our comparison of states does, and hardly any more: R1Q2 b5183 compares roll
/// before it is rounded, and Q2PRO sends the far end of every new beam. The recorder, which sent the moves, does not
/// shorten all that it can, and does shorten yaw.
#[test]
fn recordings_are_read_to_the_last_byte_applied_and_written_anew() {
    for name in RECORDINGS {
        let text = format!("{}\n{}", dissection(name), replayed(name));
        insta::with_settings!({
            snapshot_path => "../../../../golden/r1q2/recordings",
            prepend_module_to_snapshot => false,
            omit_expression => true,
            description => "What a recording holds, what of it comes out with the same bytes, which fields it changes.",
        }, {
            insta::assert_snapshot!(name.trim_start_matches("r1q2/"), text);
        });
    }
}

/// Every datagram that belongs to no connection comes out with the engine's own bytes.
#[test]
fn recorded_handshakes_are_written_anew() {
    let mut count = 0;
    for name in RECORDINGS {
        for Datagram { direction, place, bytes } in datagrams(name).into_iter().filter(|it| is_out_of_band(&it.bytes)) {
            let (mut r, mut out) = (Reader::new(&bytes), Vec::new());
            let mut w = Writer::new(&mut out);
            match direction {
                Direction::ClientToServer => ClientPacket::read(&mut r).expect("a request").write(&mut w),
                Direction::ServerToClient => ServerPacket::read(&mut r).expect("an answer").write(&mut w),
            }
            assert_eq!(out, bytes, "{name}: {place}");
            count += 1;
        }
    }
    assert_eq!(count, 4 * RECORDINGS.len());
}

/// Every header comes out with the engine's own bytes, and its echo is the number of reliable blocks received, modulo
/// 2: of those up to the datagram that it acknowledges.
#[test]
fn recorded_headers_are_written_anew_and_their_echoes_add_up() {
    for name in RECORDINGS {
        let qport = match name {
            "r1q2/r1q2_b5183_p34" => Qport::Short(0),
            "r1q2/r1q2_b5183_p35_frames_in_zpackets" => Qport::Byte(0),
            _ => Qport::Absent,
        };
        // Per direction: the numbers of the datagrams with a reliable block.
        let mut reliable: [Vec<u32>; 2] = [Vec::new(), Vec::new()];
        let mut last = [0; 2];
        for Datagram { direction, place, bytes } in datagrams(name).into_iter().filter(|it| !is_out_of_band(&it.bytes))
        {
            let header = Header::read(&mut Reader::new(&bytes), direction, qport, false).expect("a header");
            let mut out = Vec::new();
            header.write(&mut Writer::new(&mut out));
            assert!(bytes.starts_with(&out), "{name}: {place}");
            let (sent, received) = (direction.index(), 1 - direction.index());
            assert_eq!(header.sequence, last[sent] + 1, "{name}: {place}");
            last[sent] = header.sequence;
            let blocks = reliable[received].iter().filter(|&&number| number <= header.acknowledged).count();
            assert_eq!(header.reliable_acknowledged, blocks % 2 == 1, "{name}: {place}");
            if header.reliable {
                reliable[sent].push(header.sequence);
            }
        }
    }
}

/// Inflates every recorded zpacket and zdownload, and deflates it again: other bytes, the same content, in at most an
/// eighth more of them.
#[test]
fn recorded_zpackets_are_deflated_anew_to_the_same_content() {
    #[derive(Default)]
    struct Packed(Vec<(Vec<u8>, Vec<u8>)>);
    impl Listener for Packed {
        fn zpacket(&mut self, _: &Carrier, packed: &[u8], plain: &[u8]) {
            self.0.push((packed.to_vec(), plain.to_vec()));
        }
        fn service(&mut self, _: &Carrier, service: &Service<'_>) {
            if let Service::ZDownload(block) = service {
                let packed = block.data.expect("no refusal");
                let mut plain = Vec::new();
                let length = usize::from(block.length.expect("a length"));
                deflate::inflate(packed, length, &mut plain).expect("raw deflate");
                self.0.push((packed.to_vec(), plain));
            }
        }
    }
    let mut collected = Packed::default();
    for name in RECORDINGS {
        let mut tap = Tap::new(Dialect::ORIGINAL);
        for Datagram { direction, bytes, .. } in datagrams(name) {
            tap.datagram(direction, &bytes, None, &mut collected).expect("a recording");
        }
    }
    assert_eq!(collected.0.len(), 62);
    for (packed, plain) in collected.0 {
        let (mut ours, mut again) = (Vec::new(), Vec::new());
        deflate::deflate(&plain, &mut ours);
        assert!(ours.len() <= packed.len() + packed.len() / 8, "{} against {}", ours.len(), packed.len());
        assert_eq!(deflate::inflate(&ours, plain.len(), &mut again), Ok(()));
        assert_eq!(again, plain);
    }
}

/// A file that came in compressed blocks of 6300 and 5932 bytes; it is a map, whose first bytes say so.
#[test]
fn a_recorded_file_is_put_together_from_its_compressed_blocks() {
    #[derive(Default)]
    struct File(Vec<u8>, Vec<u8>);
    impl Listener for File {
        fn service(&mut self, _: &Carrier, service: &Service<'_>) {
            if let Service::ZDownload(block) = service {
                let mut plain = Vec::new();
                let length = usize::from(block.length.expect("a length"));
                deflate::inflate(block.data.expect("data"), length, &mut plain).expect("raw deflate");
                self.0.append(&mut plain);
                self.1.push(block.percent);
            }
        }
    }
    let (mut tap, mut file) = (Tap::new(Dialect::ORIGINAL), File::default());
    for Datagram { direction, bytes, .. } in datagrams("r1q2/r1q2_b8012_zdownload") {
        tap.datagram(direction, &bytes, None, &mut file).expect("a recording");
    }
    assert_eq!((file.0.len(), file.1), (12_232, vec![51, 100]));
    assert!(file.0.starts_with(b"IBSP"));
}
