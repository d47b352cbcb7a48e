//! Arbitrary states come back from the wire rounded, and arbitrary bytes are read without a panic.

use fte::constants::*;
use fte::delta::{self, ABSLIGHT_FROM_6, ENTITY, EXT_PREDINFO, Entry, NUMBERS_AS_DOCUMENTED, UF_FIELDS};
use fte::dialect::{Dialect, Readings, Transport};
use fte::dissector::FteDissector;
use fte::extensions::Extensions;
use fte::message::{self, Carrier, Listener};
use fte::state::*;
use fte::tap::Tap;
use kit::table::float_bits;
use kit::{DecodeError, Direction, Dissection, Dissector, HostId, Reader, StatValue, Unit, Writer};
use netquake::primitives::*;
use proptest::prelude::*;
use testkit::bytes::datagrams;
use testkit::explore::properties;

/// What a session can agree upon, as the upper bits of a gate.
fn any_gate() -> impl Strategy<Value = u64> {
    let coord = prop::sample::select(vec![0, GATE_COORD24, GATE_COORD_FLOAT, GATE_COORD32]);
    let angle = prop::sample::select(vec![0, GATE_ANGLE16, GATE_ANGLE_FLOAT]);
    (coord, angle, any::<[bool; 3]>()).prop_map(|(coord, angle, flags)| {
        let bits = [EXT_PREDINFO, NUMBERS_AS_DOCUMENTED, ABSLIGHT_FROM_6];
        flags.iter().zip(bits).filter(|(set, _)| **set).fold(coord | angle, |gate, (_, bit)| gate | bit)
    })
}

/// A value within the field's range, its ends more often than others.
pub fn any_value(field: usize) -> BoxedStrategy<i32> {
    match FIELD_TABLE[field].unit {
        // What the narrowest coord holds; angles go around.
        Unit::Float => (-4095.9f32..4095.9).prop_map(float_bits).boxed(),
        Unit::Int(least, most) => {
            let (edges, inside) = ([least, most, 0, 127, 128, 255, 256], least..=most);
            prop_oneof![prop::sample::select(edges.map(|edge| edge.clamp(least, most)).to_vec()), inside]
                .prop_map(|value| value as i32)
                .boxed()
        }
    }
}

/// Any state, a few of whose fields differ from those of null.
fn any_entity() -> impl Strategy<Value = Entity> {
    let fields: Vec<_> =
        (0..FIELDS).map(|field| prop_oneof![2 => Just(Entity::NULL[field]), 3 => any_value(field)]).collect();
    fields.prop_map(|fields| {
        let mut entity = Entity::NULL;
        entity.0.copy_from_slice(&fields);
        entity
    })
}

/// `entity` as a peer holds it that got all of it: rounded, where its layout rounds.
fn rounded(entity: &Entity, flags: u64, gate: u64) -> Entity {
    let mut rounded = *entity;
    for (field, value) in rounded.0.iter_mut().enumerate() {
        *value = delta::quantise(field, *value, flags, gate);
    }
    rounded
}

/// Writes the difference between two states, and reads it over the old one.
fn transmit(from: &Entity, to: &Entity, flags: u64, gate: u64) -> Result<Entity, DecodeError> {
    let mut out = Vec::new();
    delta::write_delta(&mut Writer::new(&mut out), &ENTITY, flags, to, gate);
    let (mut r, mut entity) = (Reader::new(&out), *from);
    let flags = delta::read_flags(&mut r, gate)?;
    delta::read_delta(&mut r, &delta::ENTITY, flags, &Entity::NULL, &mut entity, gate)?;
    r.finish("delta")?;
    Ok(entity)
}

/// The fields whose values the flags carry under the gate: only these say something about the new state.
fn carried(field: usize, flags: u64, gate: u64) -> bool {
    let views = flags & UF_PREDINFO != 0 && gate & EXT_PREDINFO != 0;
    match field {
        WEAPONFRAME => flags & UF_PREDINFO != 0 && gate & EXT_PREDINFO == 0,
        VIEW_PITCH | VIEW_ROLL => views && flags & UF_ANGLESXZ != 0,
        VIEW_YAW => views && flags & UF_ANGLESY != 0,
        _ => delta::ENTITY_ROWS.iter().any(|row| row.field == field && row.raise & flags != 0),
    }
}

proptest! {
    #![proptest_config(properties(1024))]

    #[test]
    fn a_reset_with_everything_carries_the_whole_state(old in any_entity(), new in any_entity(), gate in any_gate()) {
        let flags = UF_RESET | UF_FIELDS;
        let mut expected = rounded(&new, flags, gate);
        // Fields without a carrier under this gate come from the baseline.
        for field in (0..FIELDS).filter(|&field| !carried(field, flags, gate)) {
            expected[field] = Entity::NULL[field];
        }
        if !has_abslight(&new, gate) {
            expected[ABSLIGHT] = Entity::NULL[ABSLIGHT];
        }
        prop_assert_eq!(transmit(&old, &new, flags, gate), Ok(expected));
    }

    #[test]
    fn a_delta_carries_its_fields_and_keeps_the_others(
        old in any_entity(),
        new in any_entity(),
        flags in any::<u64>(),
        gate in any_gate(),
    ) {
        let flags = flags & UF_FIELDS;
        let now = rounded(&new, flags, gate);
        let mut expected = old;
        for field in 0..FIELDS {
            if carried(field, flags, gate) {
                expected[field] = now[field];
            } else if MOVEMENT_FIELDS.contains(&field) {
                expected[field] = 0;
            }
        }
        if flags & UF_DRAWFLAGS == 0 || !has_abslight(&new, gate) {
            expected[ABSLIGHT] = old[ABSLIGHT];
        }
        prop_assert_eq!(transmit(&old, &new, flags, gate), Ok(expected));
    }

    #[test]
    fn the_difference_of_two_states_is_enough(old in any_entity(), new in any_entity(), gate in any_gate()) {
        let flags = delta::diff(&ENTITY, &old, &new, gate);
        let now = rounded(&new, flags, gate);
        let got = transmit(&old, &new, flags, gate);
        let Ok(got) = got else { return Err(TestCaseError::fail(format!("{got:?}"))) };
        for field in 0..FIELDS {
            let unseen = match field {
                WEAPONFRAME => gate & EXT_PREDINFO != 0,
                VIEW_PITCH | VIEW_YAW | VIEW_ROLL => gate & EXT_PREDINFO == 0,
                ABSLIGHT => !has_abslight(&new, gate),
                _ => false,
            };
            if unseen {
                continue;
            }
            let name = FIELD_TABLE[field].name;
            if carried(field, flags, gate) || MOVEMENT_FIELDS.contains(&field) {
                prop_assert_eq!(got[field], now[field], "{}", name);
            } else {
                prop_assert_eq!(got[field], new[field], "{} was equal, so it is not sent", name);
            }
        }
    }

    #[test]
    fn what_was_rounded_once_stays_as_it_is(entity in any_entity(), flags in any::<u64>(), gate in any_gate()) {
        let once = rounded(&entity, flags & UF_FIELDS, gate);
        prop_assert_eq!(rounded(&once, flags & UF_FIELDS, gate), once);
    }

    #[test]
    fn entity_indices_come_back(number in 0..=MAX_ENTITY, remove in any::<bool>()) {
        let mut out = Vec::new();
        delta::write_index(&mut Writer::new(&mut out), number, remove);
        prop_assert_eq!(out.len(), if number < 16384 { 2 } else { 3 });
        prop_assert_eq!(delta::read_index(&mut Reader::new(&out)), Ok((number, remove)));
    }
}

/// Whether the drawflags of a state bring its absolute light along.
fn has_abslight(entity: &Entity, gate: u64) -> bool {
    let low = entity[DRAWFLAGS] & 7;
    low == 7 || low == 6 && gate & ABSLIGHT_FROM_6 != 0
}

/// The sessions in which bytes are read: both transports, with and without the extensions.
fn dialects() -> Vec<Dialect> {
    let mut dialects = Vec::new();
    for transport in [Transport::NetQuake, Transport::QuakeWorld] {
        for (fte1, fte2) in [(0, 0), (0, 0x8), (0, 0x28), (PEXT_FLOATCOORDS, 0x28), (0, 0x20)] {
            for (protocol, flags) in [(15, 0), (666, 0), (999, 0x12), (999, 0x8), (28, 0)] {
                let extensions = Extensions { fte1, fte2 };
                dialects.push(Dialect::negotiated(
                    transport,
                    extensions,
                    protocol,
                    flags,
                    Readings {
                        numbers_as_documented: fte1 != 0,
                        abslight_from_6: fte2 != 0,
                        trails_as_documented: fte1 != 0,
                        angles_as_documented: fte2 != 0,
                        multi_view: false,
                    },
                ));
            }
        }
    }
    dialects
}

/// Counts what is found, to show that no input makes a walk find more than it has bytes.
#[derive(Default)]
struct Found(usize);

impl Listener for Found {
    fn baseline(&mut self, _: u32, _: &Entity) {
        self.0 += 1;
    }
    fn stat(&mut self, _: &Carrier, _: u8, _: StatValue) {
        self.0 += 1;
    }
    fn entry(&mut self, _: &Carrier, _: Entry, _: &mut Reader<'_>, _: &Dialect) -> Result<bool, DecodeError> {
        self.0 += 1;
        Ok(false)
    }
    fn acknowledge(&mut self, _: &Carrier, _: u32) {
        self.0 += 1;
    }
}

/// Walks over `bytes` as a payload of every kind.
fn check_walks(bytes: &[u8]) {
    let carrier = |direction| Carrier { direction, reliable: false, sequence: 1, acknowledged: Some(1) };
    for dialect in dialects() {
        for to_server in [false, true] {
            let mut spans = Vec::new();
            let (mut r, mut found) = (Reader::with_spans(bytes, &mut spans), Found::default());
            let walked = match to_server {
                false => {
                    let carrier = carrier(Direction::ServerToClient);
                    message::walk_services(&mut r, &mut dialect.clone(), Readings::default(), &carrier, &mut found)
                }
                true => {
                    let carrier = carrier(Direction::ClientToServer);
                    message::walk_commands(&mut r, &dialect, &carrier, &mut found)
                }
            };
            match walked {
                Ok(()) => assert_eq!(r.left(), 0),
                Err(error) => assert!(error.offset <= bytes.len() && !error.field.is_empty(), "{error}"),
            }
            assert!(found.0 <= bytes.len());
            // A field has a byte, but for empty rests, and a group at least tries to read one.
            assert!(spans.len() <= 3 * bytes.len() + 3, "{} spans of {} bytes", spans.len(), bytes.len());
        }
    }
}

/// Feeds datagrams to a tap and to dissectors that know the transport, guess it, or were given extensions.
fn check_datagrams<'a>(datagrams: impl Iterator<Item = (Direction, &'a [u8])>) {
    let mut taps = [
        Tap::new(Transport::NetQuake, Readings { numbers_as_documented: true, ..Readings::default() }),
        Tap::new(Transport::QuakeWorld, Readings::default()),
    ];
    let mut dissectors = [(); 3].map(|()| FteDissector::new(None));
    dissectors[1].assume("NQ,REPLACEMENTDELTAS,PREDINFO").expect("known names");
    dissectors[2].assume("QW,REPLACEMENTDELTAS").expect("known names");
    let mut out = Dissection { want_spans: true, ..Dissection::default() };
    for (direction, bytes) in datagrams {
        for tap in &mut taps {
            if let Err(error) = tap.datagram(direction, bytes, None, &mut Found::default()) {
                assert!(!error.field.is_empty());
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

const RECORDINGS: [&str; 3] =
    ["fte/fteqw_qw_deltas_predinfo", "fte/fteqw_nq_deltas_predinfo", "fte/qss_nq_deltas_predinfo"];

proptest! {
    #![proptest_config(properties(256))]

    #[test]
    fn any_bytes_are_walked_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check_walks(&bytes);
    }

    #[test]
    fn any_bytes_behind_an_update_are_walked_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check_walks(&[&[SVC_UPDATEENTITIES, 0, 0, 0, 0][..], &bytes].concat());
        check_walks(&[&[SVC_SPAWNBASELINE2][..], &bytes].concat());
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
        check_datagrams(datagrams.iter().map(|it| (it.direction, it.bytes.as_slice())));
    }
}

#[test]
fn an_endless_list_of_updates_ends_with_its_bytes() {
    // The shortest update has three bytes; a datagram of the largest size holds no more than a third of its length.
    let mut bytes = vec![SVC_UPDATEENTITIES, 0, 0, 0, 0];
    bytes.extend([5, 0, 0].repeat(20_000));
    check_walks(&bytes);
}
