//! Arbitrary states come back from the wire, rounded where the wire rounds, and arbitrary bytes are read without a
//! panic.

use crate::RECORDINGS;
use kit::table::float_bits;
use kit::{DecodeError, Direction, Dissection, Dissector, HostId, Reader, Unit, Writer};
use netchan::{Netchan, Qport, Resend, Settings, Side};
use proptest::prelude::*;
use r1q2::dissector::R1q2Dissector;
use r1q2::tap::Tap;
use r1q2::wire::command::Command;
use r1q2::wire::constants::*;
use r1q2::wire::deflate;
use r1q2::wire::delta::{self, Entry};
use r1q2::wire::dialect::{Dialect, Readings};
use r1q2::wire::effect::{EFFECT_KINDS, TempEntity};
use r1q2::wire::entities;
use r1q2::wire::frame::{FrameStart, MAX_OFFSET, MAX_SUPPRESS};
use r1q2::wire::handshake::{self, ClientPacket, ServerPacket};
use r1q2::wire::message::{Carrier, Listener, Walk};
use r1q2::wire::player::{self, PLAYER};
use r1q2::wire::service::Service;
use r1q2::wire::state::*;
use r1q2::wire::usercmd::*;
use testkit::bytes::datagrams;
use testkit::explore::properties;

/// Every dialect: both protocols, every revision, both readings.
fn dialects() -> Vec<Dialect> {
    let minors = [MINOR_SOURCE, MINOR_SETTINGS, MINOR_STRAFE, MINOR_USERCMD, MINOR_SOLID];
    let plain = minors.map(Dialect::r1q2).into_iter().chain([Dialect::ORIGINAL]);
    plain.flat_map(|it| [it, it.with(Readings { beam_of_new_state: true })]).collect()
}

fn any_dialect() -> impl Strategy<Value = Dialect> {
    prop::sample::select(dialects())
}

/// A value within a field's range, its ends more often than others.
fn any_value(unit: Unit) -> BoxedStrategy<i32> {
    match unit {
        // What a coord holds; angles go around.
        Unit::Float => (-4095.9f32..4095.9).prop_map(float_bits).boxed(),
        Unit::Int(least, most) => {
            let edges = [least, most, 0, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff];
            prop_oneof![prop::sample::select(edges.map(|edge| edge.clamp(least, most)).to_vec()), least..=most]
                .prop_map(|value| value as i32)
                .boxed()
        }
    }
}

/// Any state, a few of whose fields differ from those of null; beams often.
fn any_entity() -> impl Strategy<Value = Entity> {
    let field = |field: usize| prop_oneof![2 => Just(0), 3 => any_value(FIELD_TABLE[field].unit)];
    let fields: Vec<_> = (0..FIELDS).map(field).collect();
    (fields, any::<bool>()).prop_map(|(fields, beam)| {
        let mut entity = Entity::NULL;
        entity.0.copy_from_slice(&fields);
        entity[RENDERFX] = if beam { entity[RENDERFX] | RF_BEAM } else { entity[RENDERFX] & !RF_BEAM };
        entity
    })
}

/// A few entities.
fn any_entities() -> impl Strategy<Value = EntityList> {
    prop::collection::vec((prop_oneof![1..20u32, 250..260u32, 1..MAX_EDICTS], any_entity()), 0..8).prop_map(
        |entities| {
            let mut list = EntityList::default();
            entities.iter().for_each(|(number, state)| *list.entry(*number, state) = *state);
            list
        },
    )
}

/// Any player state.
fn any_player() -> impl Strategy<Value = Player> {
    let unit = |field: usize| PLAYER_TABLE.get(field).map_or(Unit::Int(-0x8000, 0x7fff), |field| field.unit);
    let fields: Vec<_> =
        (0..PLAYER_FIELDS).map(|field| prop_oneof![3 => Just(0), 2 => any_value(unit(field))]).collect();
    fields.prop_map(|fields| {
        let mut player = Player::NULL;
        player.0.copy_from_slice(&fields);
        player
    })
}

/// Any user command that compact commands can carry, too.
fn any_usercmd() -> impl Strategy<Value = UserCmd> {
    let short = || prop_oneof![Just(0i32), -0x8000..=0x7fff, (-128i32..=127).prop_map(|value| value * 5)];
    let byte = || prop_oneof![Just(0i32), 0..=0xff];
    let buttons = prop::sample::select(vec![0, 1, 2, 3, 128, 0x83]);
    (prop::array::uniform6(short()), buttons, byte(), byte(), byte()).prop_map(
        |(shorts, buttons, impulse, msec, light)| {
            let mut command = UserCmd::NULL;
            command.0[..6].copy_from_slice(&shorts);
            (command[CMD_BUTTONS], command[CMD_IMPULSE]) = (buttons, impulse);
            (command[CMD_MSEC], command[CMD_LIGHTLEVEL]) = (msec, light);
            command
        },
    )
}

/// Writes the difference between two states, and reads it over the old one.
fn transmit(base: &Entity, new: &Entity, number: u32, bits: u64, gate: u64) -> Result<Entity, DecodeError> {
    let mut out = Vec::new();
    delta::write_entry(&mut Writer::new(&mut out), number, bits, new, gate);
    let (mut r, mut entity) = (Reader::new(&out), *base);
    let entry = delta::read_entry(&mut r)?;
    let Entry::Update(read, bits) = entry else { panic!("{entry:?}") };
    assert_eq!(read, number);
    delta::read_fields(&mut r, bits, &mut entity, gate)?;
    r.finish("entry")?;
    Ok(entity)
}

proptest! {
    #![proptest_config(properties(512))]

    #[test]
    fn the_difference_of_two_entities_is_enough(
        old in any_entity(),
        new in any_entity(),
        number in 1..MAX_EDICTS,
        dialect in any_dialect(),
    ) {
        let gate = dialect.gate();
        let (old, new) = (delta::quantised(&old, gate), delta::quantised(&new, gate));
        let bits = delta::diff(&old, &new, gate);
        prop_assert_eq!(transmit(&old, &new, number, bits, gate), Ok(new));
    }

    #[test]
    fn the_difference_of_two_frames_is_enough(
        base in prop_oneof![1 => Just(None), 3 => any_entities().prop_map(Some)],
        baselines in any_entities(),
        now in any_entities(),
        stays in any::<bool>(),
        dialect in any_dialect(),
    ) {
        let gate = dialect.gate();
        let all = |list: &EntityList| {
            let mut rounded = EntityList::default();
            list.iter().for_each(|(number, state)| *rounded.entry(number, state) = delta::quantised(state, gate));
            rounded
        };
        let (base, baselines, mut now) = (base.as_ref().map(all), all(&baselines), all(&now));
        if let (true, Some(base)) = (stays, &base) {
            // Frames are mostly alike.
            base.iter().skip(1).for_each(|(number, state)| *now.entry(number, state) = *state);
        }
        let mut out = Vec::new();
        entities::write(&mut Writer::new(&mut out), base.as_ref(), &baselines, gate, &now);
        let (mut r, mut read) = (Reader::new(&out), EntityList::default());
        let oddities = entities::read(&mut r, base.as_ref(), &baselines, gate, &mut read);
        prop_assert_eq!((oddities, r.left()), (Ok(Vec::new()), 0));
        prop_assert_eq!(read, now);
    }

    #[test]
    fn no_bit_of_a_difference_is_idle(old in any_entity(), new in any_entity(), dialect in any_dialect()) {
        let gate = dialect.gate();
        let (old, new) = (delta::quantised(&old, gate), delta::quantised(&new, gate));
        let bits = delta::diff(&old, &new, gate);
        for bit in (0..32).map(|bit| 1 << bit).filter(|bit| bits & bit != 0) {
            prop_assert_ne!(transmit(&old, &new, 1, bits & !bit, gate), Ok(new), "bit {:#x}", bit);
        }
    }

    #[test]
    fn what_was_rounded_once_stays_as_it_is(entity in any_entity(), dialect in any_dialect()) {
        let once = delta::quantised(&entity, dialect.gate());
        prop_assert_eq!(delta::quantised(&once, dialect.gate()), once);
    }

    #[test]
    fn an_unchanged_entity_is_carried_by_no_bits(entity in any_entity(), dialect in any_dialect()) {
        let gate = dialect.gate();
        let carried = delta::carry(&entity, gate, delta::omitted_old_origin);
        prop_assert_eq!(transmit(&entity, &carried, 1, 0, gate), Ok(carried));
        prop_assert_eq!(delta::diff(&entity, &carried, gate), 0);
    }

    #[test]
    fn the_difference_of_two_players_is_enough(old in any_player(), new in any_player(), dialect in any_dialect()) {
        let flags = player::diff(&old, &new, &dialect);
        let mut out = Vec::new();
        player::write(&mut Writer::new(&mut out), &PLAYER, flags, &new, &dialect);
        let (mut r, mut state) = (Reader::new(&out), old);
        let read = player::read_flags(&mut r, flags.eps, &dialect)
            .and_then(|read| player::read_fields(&mut r, read, &mut state));
        prop_assert_eq!((read, r.left(), state), (Ok(flags), 0, new));
    }

    #[test]
    fn frames_begin_as_they_were_written(
        number in 1..=FRAME_NUMBER as i32,
        offset in prop_oneof![Just(None), (1..=MAX_OFFSET as i32).prop_map(Some)],
        suppress in 0..=MAX_SUPPRESS,
        extra in 0..1u8 << EPS_NAMES.len(),
        area_bits in prop::collection::vec(any::<u8>(), 0..=MAX_AREA_BYTES),
        dialect in any_dialect(),
    ) {
        let delta = offset.map(|offset| number - offset).filter(|&base| base > 0).unwrap_or(NO_DELTA);
        let extra = if dialect.is_r1q2() { extra } else { 0 };
        let start = FrameStart { number, delta, suppress, extra, area_bits: &area_bits };
        let mut out = Vec::new();
        start.write(&mut Writer::new(&mut out), &dialect);
        let (command, rest) = out.split_first().expect("a command byte");
        prop_assert_eq!(command & SVC_MASK, SVC_FRAME);
        let mut r = Reader::new(rest);
        prop_assert_eq!(FrameStart::read(&mut r, *command, &dialect), Ok(start));
        prop_assert_eq!(r.left(), 0);
    }

    #[test]
    fn moves_come_back(
        commands in prop::array::uniform3(any_usercmd()),
        last_frame in any::<i32>(),
        compaction in prop::sample::select(vec![Compaction::None, Compaction::Speeds, Compaction::All]),
        dialect in any_dialect(),
    ) {
        let movement = Move::new(last_frame, commands, compaction, &dialect);
        let (mut out, command) = (Vec::new(), Command::Move(movement));
        command.write(&mut Writer::new(&mut out), &dialect);
        let mut r = Reader::new(&out[1..]);
        prop_assert_eq!(Command::read(&mut r, out[0], &dialect), Ok(Some(command)));
        prop_assert_eq!(r.left(), 0);
    }

    #[test]
    fn effects_come_back(
        kind in 0..EFFECT_KINDS,
        numbers in any::<(u8, u8, i16, i16, i16, i32)>(),
        positions in any::<[[i16; 3]; 3]>(),
        direction in 0..NUMVERTEXNORMALS,
    ) {
        let (count, colour, entity, entity2, magnitude, time) = numbers;
        let all = TempEntity { kind, count, positions, direction, colour, entity, entity2, magnitude, time };
        let bytes = |effect: &TempEntity| {
            let mut out = Vec::new();
            effect.write(&mut Writer::new(&mut out));
            out
        };
        let written = bytes(&all);
        match TempEntity::read(&mut Reader::new(&written)) {
            Ok(read) => prop_assert_eq!(bytes(&read), written),
            Err(error) => prop_assert!(kind == 31 || kind == 32, "{}", error),
        }
    }

    #[test]
    fn what_is_deflated_is_inflated(plain in prop::collection::vec(0u8..4, 1..3000)) {
        let (mut packed, mut again) = (Vec::new(), Vec::new());
        deflate::deflate(&plain, &mut packed);
        prop_assert_eq!(deflate::inflate(&packed, plain.len(), &mut again), Ok(()));
        prop_assert_eq!(again, plain);
    }

    #[test]
    fn noise_is_deflated_and_inflated_too(plain in prop::collection::vec(any::<u8>(), 1..3000)) {
        let (mut packed, mut again) = (Vec::new(), Vec::new());
        deflate::deflate(&plain, &mut packed);
        prop_assert_eq!(deflate::inflate(&packed, plain.len(), &mut again), Ok(()));
        prop_assert_eq!(again, plain);
    }

    #[test]
    fn inflating_never_makes_more_than_announced(packed in prop::collection::vec(any::<u8>(), 0..300), length in 0usize..5000) {
        let mut out = Vec::new();
        let inflated = deflate::inflate(&packed, length, &mut out);
        prop_assert!(out.len() <= length + 1);
        prop_assert!(inflated.is_err() || out.len() == length);
    }
}

/// Counts what is collected, to show that no input makes a walk report more than it has bytes.
#[derive(Default)]
struct Collected {
    count: usize,
    inflated: usize,
}

impl Listener for Collected {
    fn service(&mut self, _: &Carrier, _: &Service<'_>) {
        self.count += 1;
    }
    fn baseline(&mut self, _: &Carrier, _: u32, _: u64, _: &Entity) {
        self.count += 1;
    }
    fn frame(&mut self, _: &Carrier, _: &FrameStart<'_>) {
        self.count += 1;
    }
    fn entry(&mut self, _: &Carrier, _: Entry, _: &mut Reader<'_>, _: &Dialect) -> Result<bool, DecodeError> {
        self.count += 1;
        Ok(false)
    }
    fn zpacket(&mut self, _: &Carrier, _: &[u8], plain: &[u8]) {
        self.inflated += plain.len();
    }
    fn command(&mut self, _: &Carrier, _: &Command<'_>) {
        self.count += 1;
    }
}

/// Walks over `bytes` as a payload of every kind.
fn check_walks(bytes: &[u8]) {
    for mut dialect in dialects() {
        for direction in [Direction::ServerToClient, Direction::ClientToServer] {
            let carrier = Carrier { direction, reliable: false, sequence: 1, acknowledged: 1, nesting: 0 };
            let (mut spans, mut inflated, mut collected) = (Vec::new(), Vec::new(), Collected::default());
            let mut r = Reader::with_spans(bytes, &mut spans);
            let mut walk = Walk::new(&mut dialect, carrier, &mut collected);
            walk.inflated = Some(&mut inflated);
            let walked = match direction {
                Direction::ServerToClient => walk.services(&mut r),
                Direction::ClientToServer => walk.commands(&mut r),
            };
            match walked {
                Ok(()) => assert_eq!(r.left(), 0),
                Err(error) => assert!(!error.field.is_empty(), "{error}"),
            }
            assert!(collected.count <= bytes.len() + collected.inflated);
            // A field has a byte, but for empty rests, and a group at least tries to read one.
            assert!(spans.len() <= 4 * bytes.len() + 4, "{} spans of {} bytes", spans.len(), bytes.len());
            for (message, spans) in &inflated {
                spans.iter().for_each(|span| drop(span.value(message)));
            }
        }
    }
}

/// Feeds datagrams to taps, to ends of connections, and to dissectors that know the session, guess it, or were given it.
fn check_datagrams<'a>(datagrams: impl Iterator<Item = (Direction, &'a [u8])>) {
    let mut taps = [Tap::new(Dialect::ORIGINAL), Tap::new(Dialect::r1q2(MINOR_SOLID))];
    let mut netchans = [
        Netchan::new(Side::Client(Qport::Byte(1)), Settings::quake2(1400, Resend::AfterCarrier)),
        Netchan::new(Side::Server(Qport::Short(1)), Settings::quake2(1400, Resend::OneLater)),
    ];
    let mut dissectors = [(); 3].map(|()| R1q2Dissector::new(None));
    dissectors[1].assume("35 1904 qport1").expect("known names");
    dissectors[2].assume("34").expect("a known name");
    let mut out = Dissection { want_spans: true, ..Dissection::default() };
    for (direction, bytes) in datagrams {
        for tap in &mut taps {
            if let Err(error) = tap.datagram(direction, bytes, None, &mut Collected::default()) {
                assert!(!error.field.is_empty());
            }
        }
        for netchan in &mut netchans {
            if let Ok(Some(received)) = netchan.receive(bytes) {
                assert!(bytes.ends_with(received.payload));
            }
        }
        for dissector in &mut dissectors {
            out.clear();
            dissector.datagram(HostId(1), direction, bytes, &mut out);
            assert!(!out.summary.is_empty());
            for span in &out.spans {
                assert!(span.start <= span.end && span.end <= bytes.len(), "{span}");
                span.value(bytes);
            }
            for (message, spans) in &out.assembled {
                spans.iter().for_each(|span| drop(span.value(message)));
            }
        }
    }
}

proptest! {
    #![proptest_config(properties(256))]

    #[test]
    fn any_bytes_are_walked_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check_walks(&bytes);
    }

    #[test]
    fn any_bytes_behind_a_service_are_walked_without_a_panic(
        service in 0..=SVC_SETTING,
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        check_walks(&[&[service][..], &bytes].concat());
        check_walks(&[&[CLC_MOVE][..], &bytes].concat());
    }

    #[test]
    fn any_bytes_in_a_zpacket_are_walked_without_a_panic(plain in prop::collection::vec(0u8..32, 1..300)) {
        let mut packed = Vec::new();
        deflate::deflate(&plain, &mut packed);
        let lengths = [packed.len() as u16, plain.len() as u16].map(u16::to_le_bytes).concat();
        check_walks(&[&[SVC_ZPACKET][..], &lengths, &packed].concat());
    }

    #[test]
    fn any_text_is_read_as_a_handshake_without_a_panic(text in prop::collection::vec(any::<u8>(), 0..200), known in 0..4) {
        let start: &[u8] = [&b"connect 35 "[..], b"challenge ", b"client_connect", b"\\name\\"][known as usize];
        let bytes = [&[0xff; 4][..], start, &text].concat();
        let _ = ClientPacket::read(&mut Reader::new(&bytes));
        let _ = ServerPacket::read(&mut Reader::new(&bytes));
        handshake::is_valid_userinfo(&bytes);
        prop_assert!(handshake::keys(&bytes).count() <= handshake::MAX_KEYS);
        prop_assert!(handshake::Tokens::new(&bytes).count() <= handshake::MAX_TOKENS);
    }

    #[test]
    fn any_datagrams_are_dissected_without_a_panic(
        datagrams in prop::collection::vec((any::<bool>(), prop::collection::vec(any::<u8>(), 0..64)), 0..16),
    ) {
        let direction = |up| if up { Direction::ClientToServer } else { Direction::ServerToClient };
        check_datagrams(datagrams.iter().map(|(up, bytes)| (direction(*up), bytes.as_slice())));
    }
}

proptest! {
    #![proptest_config(properties(24))]

    #[test]
    fn damaged_recordings_are_dissected_without_a_panic(
        recording in 0..RECORDINGS.len(),
        damages in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>()), 1..40),
    ) {
        let mut datagrams = datagrams(RECORDINGS[recording]);
        for (datagram, at, damage) in damages {
            let bytes = &mut datagram.get_mut(&mut datagrams).bytes;
            match damage {
                0..=63 => bytes.truncate(at.index(bytes.len() + 1)),
                64..=95 => bytes.insert(at.index(bytes.len() + 1), damage),
                _ if bytes.is_empty() => {}
                _ => *at.get_mut(bytes) ^= damage,
            }
        }
        check_datagrams(datagrams.iter().map(|datagram| (datagram.direction, datagram.bytes.as_slice())));
    }
}
